/* SPDX-License-Identifier: MIT */
/* What masses and contacts alone say about chatter without acceleration: the
 * relabelled maps U R^k (3.28) and their eigenvalues, the condition of Elsner
 * and Vandergraft on each (Theorem 1), Theorems 2 and 3 for a rod, Conjecture 1
 * for the feet of a regular polygon, and the condition for partial chatter
 * (chatter.md 2.2 to 2.7). What none of these settles is "not known", with
 * the reason. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "base/num.h"

/* A restitution nearer than this to a critical one counts as equal to it: rho
 * and the critical restitution are smooth functions of cosines with nine
 * digits. */
#define CRITICAL_SAME 1e-9

/* The maps of all steps are examined up to this number of dimensions, because
 * the work grows with its fourth power. */
#define CONES_MOST 16

const char *
chatter_symmetry_text(struct analysis *analysis, const imp_system *system,
                      const struct symmetry *symmetry)
{
    assert(system != NULL && symmetry != NULL);
    struct arena *arena = record_arena(analysis);
    char digits[NUM_TEXT];
    switch (symmetry->found) {
    case SYMMETRY_EMPTY:
    case SYMMETRY_SINGLE:
        return "one contact";
    case SYMMETRY_RESTITUTION:
        return arena_printf(
            arena, "none: %s and %s have different restitutions",
            chatter_contact(analysis, system, symmetry->first),
            chatter_contact(analysis, system, symmetry->second));
    case SYMMETRY_NONE:
        return "none: in no order of the contacts does each act on the next, "
               "on the one after that, ... as every other does";
    case SYMMETRY_GAVE_UP:
        return "not known: too many orders of the contacts to try";
    case SYMMETRY_YES:
        break;
    }
    num_digits(digits, symmetry->rho, 6);
    if (!symmetry->polygon)
        return arena_printf(arena,
                            "cyclic, %d contacts; not the feet of a regular "
                            "polygon",
                            symmetry->m);
    return symmetry->m == 2
               ? arena_printf(arena, "a rod, rho = %s", digits)
               : arena_printf(arena, "regular polygon, %d feet, rho = %s",
                              symmetry->m, digits);
}

/* -- eigenvalues ------------------------------------------------------------
 */

static const char *
dominant_text(struct arena *arena, struct eigen_cone c)
{
    static const char *const word[] = {"zero", "real positive", "real negative",
                                       "complex"};
    return c.tied ? arena_printf(arena, "%s, tied", word[c.dominant])
                  : word[c.dominant];
}

/* The motion p of the coordinates for which the rates of the contacts are F z,
 * with complex z, scaled to a mean rate of the gaps of -1. */
static void
motion_of(const struct ballistic *ballistic, const struct symmetry *symmetry,
          const double *zx, const double *zy, double *px, double *py)
{
    int n_contacts = symmetry->m, n_coordinates = ballistic->model.n,
        rank = symmetry->rank;
    double mx = 0.0, my = 0.0, bx = 0.0, by = 0.0;
    double unit =
        sqrt(ballistic->matrices.W[symmetry->order[0] * (n_contacts + 1)]);
    for (int j = 0; j < n_coordinates; j++)
        px[j] = py[j] = 0.0;
    for (int i = 0; i < n_contacts; i++) {
        double ux = 0.0, uy = 0.0, yx = 0.0, yy = 0.0;
        int contact = symmetry->order[i];
        for (int k = 0; k < rank; k++) {
            ux += symmetry->F[i * rank + k] * zx[k];
            uy += symmetry->F[i * rank + k] * zy[k];
            yx += symmetry->F[i * rank + k] * zx[k] / symmetry->mode[k];
            yy += symmetry->F[i * rank + k] * zy[k] / symmetry->mode[k];
        }
        mx += ux * unit / n_contacts;
        my += uy * unit / n_contacts;
        if (hypot(ux, uy) > 1.0001 * hypot(bx, by)) {
            bx = ux;
            by = uy;
        }
        for (int j = 0; j < n_coordinates; j++) {
            double b = ballistic->matrices.B[contact * n_coordinates + j] /
                       sqrt(ballistic->matrices.W[contact * (n_contacts + 1)]);
            px[j] += b * yx;
            py[j] += b * yy;
        }
    }
    /* divide by minus the mean rate; where that is 0, by the greatest rate */
    bx *= unit;
    by *= unit;
    bool mean = hypot(mx, my) > 1e-9 * hypot(bx, by);
    double dx = mean ? -mx : bx, dy = mean ? -my : by, d = dx * dx + dy * dy;
    for (int j = 0; j < n_coordinates && d > 0.0; j++) {
        double x = px[j], y = py[j];
        px[j] = (x * dx + y * dy) / d;
        py[j] = (y * dx - x * dy) / d;
    }
}

static int
set_eigen(struct analysis *analysis, const struct ballistic *ballistic,
          const struct symmetry *symmetry, struct eigen *eigen,
          struct record *record)
{
    assert(symmetry->rank > 0 && symmetry->m == ballistic->model.m);
    struct arena *arena = analysis->rt->arena;
    size_t rank = (size_t)symmetry->rank,
           coordinates = (size_t)ballistic->model.n;
    int steps = symmetry->m > 1 ? symmetry->m - 1 : 1;
    double *map = NEW_N(arena, double, rank *rank + 2 * rank * coordinates + 1);
    double *px = map + rank * rank, *py = px + rank * coordinates;
    const char **cone = NEW_N(arena, const char *, (size_t)steps);
    bool all = symmetry->rank <= CONES_MOST;
    for (int k = all ? steps : 1; k >= 1; k--) {
        symmetry_map(symmetry, symmetry->m > 1 ? k : 0, map);
        if (eigen_solve(arena, symmetry->rank, map, eigen))
            return command_failed(analysis, IMP_NONFINITE, (imp_range){0},
                                  "the eigenvalues");
        struct eigen_cone c = eigen_cone(eigen);
        cone[k - 1] = c.tied ? "tied" : c.cone ? "yes" : "no";
    }
    for (size_t i = 0; i < rank; i++)
        motion_of(ballistic, symmetry, eigen->x + i * rank, eigen->y + i * rank,
                  px + i * coordinates, py + i * coordinates);
    record_set_list(record, "eigenvalues", eigen->re, rank);
    record_set_list(record, "eigenvalues_im", eigen->im, rank);
    record_set_matrix(record, "eigenvectors", px, rank, coordinates);
    record_set_matrix(record, "eigenvectors_im", py, rank, coordinates);
    record_set_text(record, "dominant",
                    dominant_text(record_arena(analysis), eigen_cone(eigen)));
    if (all)
        record_set_texts(record, "cones", cone, (size_t)steps);
    else
        record_set_absent(record, "cones",
                          "the gaps move in more than 16 dimensions");
    return IMP_OK;
}

/* -- verdicts ---------------------------------------------------------------
 */

struct stability {
    const char *complete, *partial, *because;
};

/* Is for a rod or a regular polygon without acceleration, all of whose gaps can
 * be closed together. */
static struct stability
of_polygon(const struct symmetry *symmetry, struct eigen_cone c,
           double critical, double pcc)
{
    static const char yes[] = "yes", no[] = "no", open[] = "not known";
    if (fabs(symmetry->e - critical) <= CRITICAL_SAME ||
        (c.tied && symmetry->m > 2))
        return (struct stability){
            open, open, "the restitution is the critical one within rounding"};
    if (!(symmetry->e > 0.0))
        return (struct stability){
            open, open,
            "without restitution a contact stays closed, and the next impact "
            "is one of several"};
    bool some = symmetry->e < critical;
    if (symmetry->m == 2)
        return (struct stability){
            some ? yes : no, some ? yes : no,
            some ? "Theorem 2: rho <= (1 - sqrt(e))/(1 + sqrt(e)), that is, "
                   "both eigenvalues are real and positive"
                 : "Theorem 2: rho > (1 - sqrt(e))/(1 + sqrt(e)), that is, "
                   "the eigenvalues are not real and positive"};
    if (!some && symmetry->m == 3 &&
        symmetry->e < symmetry_mirrored(symmetry->rho) - CRITICAL_SAME)
        return (struct stability){
            yes, yes,
            "the order of feet 0, 2, 1, 2, ... comes to rest: its greatest "
            "eigenvalues are real and positive; Conjecture 1, which goes from "
            "neighbour to neighbour, would say no"};
    if (!some)
        return (struct stability){
            no, no,
            "Conjecture 1: no dominant eigenvalue that is real and positive"};
    if (symmetry->m == 4)
        return (struct stability){
            yes, yes,
            "the dominant eigenvalue is real and positive (proven for "
            "4 feet), and partial chatter needs feet that push their "
            "neighbours down"};
    if (symmetry->m > 4)
        return (struct stability){
            yes, yes,
            "Conjecture 1: the dominant eigenvalue is real and positive; "
            "partial chatter needs feet that push their neighbours down"};
    if (symmetry->e > pcc + CRITICAL_SAME)
        return (struct stability){
            yes, yes,
            "Conjecture 1: the dominant eigenvalue is real and positive; two "
            "feet alone cannot chatter at this restitution"};
    return (struct stability){
        open, yes,
        "Conjecture 1: the dominant eigenvalue is real and positive; but two "
        "feet alone may chatter, which leaves complete chatter open"};
}

static const char *
unknown(struct analysis *analysis, const imp_system *system,
        const struct ballistic *ballistic, const struct symmetry *symmetry)
{
    for (int i = 0; i < symmetry->m; i++)
        if (ballistic->matrices.gap_offset[i] != 0.0)
            return arena_printf(record_arena(analysis),
                                "the gap of %s cannot be closed together with "
                                "the others",
                                chatter_contact(analysis, system, i));
    if (chatter_accelerates(ballistic))
        return "the criteria are for motion without acceleration; the "
               "eigenvalues are those of the impacts alone";
    if (symmetry->found == SYMMETRY_YES)
        return "Conjecture 1 is about feet of regular polygons";
    return "masses and contacts have no symmetry that relabels the impacts";
}

static const char *
set_prediction(const struct symmetry *symmetry, const double *rates,
               const struct ballistic *ballistic, bool applies,
               struct record *record)
{
    const char *no = !applies           ? "Theorem 3 is about a rod without "
                                          "acceleration"
                     : symmetry->m != 2 ? "Theorem 3 is about a rod"
                     : symmetry->e <= 0.0
                         ? "Theorem 3 asks for some restitution"
                         : NULL;
    if (no) {
        record_set_absent(record, "predicted", no);
        return NULL;
    }
    double u0 = rates[0] / sqrt(ballistic->matrices.W[0]),
           u1 = rates[1] / sqrt(ballistic->matrices.W[3]);
    double v = 0.5 * (u0 + u1), w = 0.5 * (u0 - u1);
    /* no rod comes to rest where the limit is 0, not even one that does not
     * rotate (Theorem 2) */
    double limit = symmetry_rod_limit(symmetry->rho, symmetry->e);
    bool rest = v < 0.0 && limit > 0.0 && fabs(w) <= limit * -v;
    const char *verdict = rest ? "complete" : "incomplete";
    record_set_text(record, "predicted", verdict);
    return verdict;
}

static void
set_critical(const struct symmetry *symmetry, double critical, double pcc,
             struct record *record)
{
    static const char *const both[] = {"critical_restitution",
                                       "partial_restitution", "rho"};
    if (!symmetry->polygon) {
        record_set_absent_all(
            record, both, 3,
            "the contacts are not those of a rod or a regular "
            "polygon");
        return;
    }
    record_set_number(record, "rho", symmetry->rho);
    if (critical > 0.0)
        record_set_number(record, "critical_restitution", critical);
    else
        record_set_absent(record, "critical_restitution", "none is low enough");
    if (pcc > 0.0)
        record_set_number(record, "partial_restitution", pcc);
    else
        record_set_absent(record, "partial_restitution",
                          symmetry->m == 2
                              ? "both ends are all contacts"
                              : "no foot pushes its neighbour down");
}

/* Do all gaps accelerate alike, towards 0? */
static bool
falls(const struct ballistic *ballistic, const struct symmetry *symmetry)
{
    int m = ballistic->model.m;
    double a0 = ballistic->matrices.gap_acc[0] / sqrt(ballistic->matrices.W[0]);
    for (int i = 1; i < m; i++) {
        double ai = ballistic->matrices.gap_acc[i] /
                    sqrt(ballistic->matrices.W[i * (m + 1)]);
        if (fabs(ai - a0) > CRITICAL_SAME * fabs(a0))
            return false;
    }
    return symmetry->polygon && a0 < 0.0;
}

/* The exponent of the motion that hits one neighbour after the other. Under
 * acceleration no motion comes to rest with an exponent above 2: where the
 * regular motion would have a greater one, the acceleration matters to the end
 * (Lemma 10; chatter.md 3.1, 3.5). */
static void
set_regular(const struct eigen *eigen, const struct ballistic *ballistic,
            bool plain, bool some, const struct symmetry *symmetry,
            struct record *record)
{
    double exponent = INFINITY;
    if (symmetry->m == 3)
        record_set_absent(record, "exponent_regular",
                          "the order of 3 feet is never regular");
    else if (!plain && !falls(ballistic, symmetry))
        record_set_absent(
            record, "exponent_regular",
            "the contacts are not those of a falling rod or a falling "
            "regular polygon");
    else if (plain && !some)
        record_set_absent(record, "exponent_regular",
                          "no regular motion comes to rest");
    else {
        if (some)
            exponent =
                2.0 * log(eigen->re[0]) / log(eigen->re[1] / eigen->re[0]);
        record_set_number(record, "exponent_regular",
                          plain ? exponent : fmin(exponent, 2.0));
    }
}

/* Partial chatter of two neighbours (3.42): the map from foot 0 to its
 * neighbour and back has the eigenvalue 1, which is that of both feet at rest,
 * and the roots of mu^2 - ((1 + e)^2 w^2 - 2 e) mu + e^2, where w is the cosine
 * of neighbours (chatter.md 2.6). */
static void
set_pair(const struct symmetry *symmetry, struct record *record)
{
    static const char *const both[] = {"pair_eigenvalues",
                                       "pair_eigenvalues_im"};
    if (symmetry->found != SYMMETRY_YES || symmetry->m < 3) {
        record_set_absent_all(record, both, 2,
                              symmetry->m == 2
                                  ? "both ends are all contacts"
                                  : "no symmetry relabels the impacts");
        return;
    }
    double b = (1.0 + symmetry->e) * symmetry->cosine[1],
           half = 0.5 * b * b - symmetry->e;
    double d = half * half - symmetry->e * symmetry->e, re[2], im[2] = {0};
    if (d < 0.0) {
        re[0] = re[1] = half;
        im[0] = sqrt(-d);
        im[1] = -im[0];
    } else {
        re[0] = half + copysign(sqrt(d), half);
        re[1] = re[0] == 0.0 ? 0.0 : symmetry->e * symmetry->e / re[0];
    }
    record_set_list(record, "pair_eigenvalues", re, 2);
    record_set_list(record, "pair_eigenvalues_im", im, 2);
}

/* Is for one contact, whose only map is -e. */
static struct stability
of_single(const struct ballistic *ballistic)
{
    assert(ballistic->model.m == 1);
    if (!chatter_accelerates(ballistic))
        return (struct stability){"no", "no", "one contact is hit once"};
    bool down =
        ballistic->mode.gap_acc[0] < 0.0 || ballistic->mode.persistent[0];
    if (!down)
        return (struct stability){"no", "no", "the contact accelerates away"};
    if (ballistic->model.e[0] >= 1.0)
        return (struct stability){"no", "no", "no energy is lost"};
    return (struct stability){
        "yes", "yes", "flights under constant acceleration shrink by e"};
}

int
chatter_stability(struct analysis *analysis, const imp_system *system,
                  const struct ballistic *ballistic,
                  const struct symmetry *symmetry, const double *rates,
                  struct record *record, struct chatter_theory *says)
{
    assert(symmetry->m == ballistic->model.m && rates && says);
    static const char *const eigen_fields[] = {
        "eigenvalues",     "eigenvalues_im", "eigenvectors",
        "eigenvectors_im", "dominant",       "cones"};
    struct eigen eigen = {0};
    bool maps =
        symmetry->found == SYMMETRY_YES || symmetry->found == SYMMETRY_SINGLE;
    bool plain = !chatter_accelerates(ballistic);
    for (int i = 0; i < symmetry->m; i++)
        plain &= ballistic->matrices.gap_offset[i] == 0.0;
    double critical =
        symmetry->polygon
            ? symmetry_critical_restitution(symmetry->m, symmetry->rho)
            : 0.0;
    double pcc = symmetry->polygon
                     ? symmetry_partial_restitution(symmetry->m, symmetry->rho)
                     : 0.0;
    if (maps) {
        int st = set_eigen(analysis, ballistic, symmetry, &eigen, record);
        if (st)
            return st;
    } else {
        record_set_absent_all(record, eigen_fields, 6,
                              "no symmetry relabels the impacts");
    }
    struct stability verdict = {"not known", "not known", NULL};
    if (symmetry->found == SYMMETRY_SINGLE)
        verdict = of_single(ballistic);
    else if (plain && symmetry->polygon)
        verdict = of_polygon(symmetry, eigen_cone(&eigen), critical, pcc);
    else
        verdict.because = unknown(analysis, system, ballistic, symmetry);
    record_set_text(record, "symmetry",
                    chatter_symmetry_text(analysis, system, symmetry));
    record_set_text(record, "stable", verdict.complete);
    record_set_text(record, "partially_stable", verdict.partial);
    record_set_text(record, "because", verdict.because);
    if (symmetry->found == SYMMETRY_RESTITUTION)
        record_set_absent(record, "restitution", "they differ");
    else
        record_set_number(record, "restitution", symmetry->e);
    set_critical(symmetry, critical, pcc, record);
    set_regular(&eigen, ballistic, plain && symmetry->polygon,
                symmetry->polygon && symmetry->e < critical - CRITICAL_SAME,
                symmetry, record);
    set_pair(symmetry, record);
    const char *predicted = set_prediction(symmetry, rates, ballistic,
                                           plain && symmetry->polygon, record);
    *says =
        (struct chatter_theory){verdict.complete, verdict.partial, predicted};
    return IMP_OK;
}
