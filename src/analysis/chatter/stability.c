/* SPDX-License-Identifier: MIT */
/* What masses and contacts alone say about chatter without acceleration: the
 * relabelled maps U R^k and their eigenvalues, the Elsner-Vandergraft condition
 * on each, Theorems 2 and 3 (a rod), Conjecture 1 (feet of a regular polygon)
 * and the condition for partial chatter (spec/chatter.md 2.2 .. 2.7). Whatever
 * is not settled by one of these is "not known", with the reason. */
#include <math.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "base/num.h"

/* restitutions nearer to a critical one than this are at it: cosines are data
 * of 9 digits, of which rho and gamma are smooth functions */
#define CRITICAL_SAME 1e-9

/* dimensions up to which all steps are looked at: their work grows with the
 * fourth power */
#define CONES_MOST 16

const char *
chatter_symmetry_text(struct analysis *a, const imp_system *sys,
                      const struct symmetry *s)
{
    struct arena *ar = record_arena(a);
    char r[NUM_TEXT];
    switch (s->found) {
    case SYMMETRY_EMPTY:
    case SYMMETRY_SINGLE:
        return "one contact";
    case SYMMETRY_RESTITUTION:
        return arena_printf(ar, "none: %s and %s have different restitutions",
                            chatter_contact(a, sys, s->first),
                            chatter_contact(a, sys, s->second));
    case SYMMETRY_NONE:
        return "none: in no order of the contacts does each act on the next, "
               "on the one after that, ... as every other does";
    case SYMMETRY_GAVE_UP:
        return "not known: too many orders of the contacts to try";
    case SYMMETRY_YES:
        break;
    }
    num_digits(r, s->rho, 6);
    if (!s->polygon)
        return arena_printf(ar,
                            "cyclic, %d contacts; not the feet of a regular "
                            "polygon",
                            s->m);
    return s->m == 2 ? arena_printf(ar, "a rod, rho = %s", r)
                     : arena_printf(ar, "regular polygon, %d feet, rho = %s",
                                    s->m, r);
}

/* -- eigenvalues ------------------------------------------------------------
 */

static const char *
dominant_text(struct arena *ar, struct eigen_cone c)
{
    static const char *const word[] = {"zero", "real positive", "real negative",
                                       "complex"};
    return c.tied ? arena_printf(ar, "%s, tied", word[c.dominant])
                  : word[c.dominant];
}

/* the motion p of the coordinates whose contact rates are F z; complex z */
static void
motion_of(const struct ballistic *l, const struct symmetry *s, const double *zx,
          const double *zy, double *px, double *py)
{
    int m = s->m, n = l->model.n, r = s->rank;
    double mx = 0.0, my = 0.0, bx = 0.0, by = 0.0;
    double unit = sqrt(l->k.W[s->order[0] * (m + 1)]);
    for (int j = 0; j < n; j++)
        px[j] = py[j] = 0.0;
    for (int i = 0; i < m; i++) {
        double ux = 0.0, uy = 0.0, yx = 0.0, yy = 0.0;
        int c = s->order[i];
        for (int k = 0; k < r; k++) {
            ux += s->F[i * r + k] * zx[k];
            uy += s->F[i * r + k] * zy[k];
            yx += s->F[i * r + k] * zx[k] / s->mode[k];
            yy += s->F[i * r + k] * zy[k] / s->mode[k];
        }
        mx += ux * unit / m;
        my += uy * unit / m;
        if (hypot(ux, uy) > 1.0001 * hypot(bx, by)) {
            bx = ux;
            by = uy;
        }
        for (int j = 0; j < n; j++) {
            double b = l->k.B[c * n + j] / sqrt(l->k.W[c * (m + 1)]);
            px[j] += b * yx;
            py[j] += b * yy;
        }
    }
    /* times -1/mean; without a mean, 1/the greatest rate */
    bx *= unit;
    by *= unit;
    bool mean = hypot(mx, my) > 1e-9 * hypot(bx, by);
    double dx = mean ? -mx : bx, dy = mean ? -my : by, d = dx * dx + dy * dy;
    for (int j = 0; j < n && d > 0.0; j++) {
        double x = px[j], y = py[j];
        px[j] = (x * dx + y * dy) / d;
        py[j] = (y * dx - x * dy) / d;
    }
}

static int
set_eigen(struct analysis *a, const struct ballistic *l,
          const struct symmetry *s, struct eigen *e, struct record *out)
{
    struct arena *ar = a->rt->arena;
    size_t r = (size_t)s->rank, n = (size_t)l->model.n;
    int steps = s->m > 1 ? s->m - 1 : 1;
    double *map = NEW_N(ar, double, r *r + 2 * r * n + 1);
    double *px = map + r * r, *py = px + r * n;
    const char **cone = NEW_N(ar, const char *, (size_t)steps);
    bool all = s->rank <= CONES_MOST;
    for (int k = all ? steps : 1; k >= 1; k--) {
        symmetry_map(s, s->m > 1 ? k : 0, map);
        if (eigen_solve(ar, s->rank, map, e))
            return command_failed(a, IMP_NONFINITE, (imp_range){0},
                                  "the eigenvalues");
        struct eigen_cone c = eigen_cone(e);
        cone[k - 1] = c.tied ? "tied" : c.cone ? "yes" : "no";
    }
    for (size_t i = 0; i < r; i++)
        motion_of(l, s, e->x + i * r, e->y + i * r, px + i * n, py + i * n);
    record_set_list(out, "eigenvalues", e->re, r);
    record_set_list(out, "eigenvalues_im", e->im, r);
    record_set_matrix(out, "eigenvectors", px, r, n);
    record_set_matrix(out, "eigenvectors_im", py, r, n);
    record_set_text(out, "dominant",
                    dominant_text(record_arena(a), eigen_cone(e)));
    if (all)
        record_set_texts(out, "cones", cone, (size_t)steps);
    else
        record_set_absent(out, "cones",
                          "the gaps move in more than 16 dimensions");
    return IMP_OK;
}

/* -- verdicts ---------------------------------------------------------------
 */

struct stability {
    const char *complete, *partial, *because;
};

/* a rod or a regular polygon, no acceleration, one common closed position */
static struct stability
of_polygon(const struct symmetry *s, struct eigen_cone c, double critical,
           double pcc)
{
    static const char yes[] = "yes", no[] = "no", open[] = "not known";
    if (fabs(s->e - critical) <= CRITICAL_SAME || (c.tied && s->m > 2))
        return (struct stability){
            open, open, "the restitution is the critical one within rounding"};
    if (!(s->e > 0.0))
        return (struct stability){
            open, open,
            "without restitution a contact stays closed, and the next impact "
            "is one of several"};
    bool some = s->e < critical;
    if (s->m == 2)
        return (struct stability){
            some ? yes : no, some ? yes : no,
            some ? "Theorem 2: rho <= (1 - sqrt(e))/(1 + sqrt(e)), that is, "
                   "both eigenvalues are real and positive"
                 : "Theorem 2: rho > (1 - sqrt(e))/(1 + sqrt(e)), that is, "
                   "the eigenvalues are not real and positive"};
    if (!some && s->m == 3 && s->e < symmetry_mirrored(s->rho) - CRITICAL_SAME)
        return (struct stability){
            yes, yes,
            "the order of feet 0, 2, 1, 2, ... comes to rest: its greatest "
            "eigenvalues are real and positive; Conjecture 1, which goes from "
            "neighbour to neighbour, would say no"};
    if (!some)
        return (struct stability){
            no, no,
            "Conjecture 1: no dominant eigenvalue that is real and positive"};
    if (s->m == 4)
        return (struct stability){
            yes, yes,
            "the dominant eigenvalue is real and positive (proven for "
            "4 feet), and partial chatter needs feet that push their "
            "neighbours down"};
    if (s->m > 4)
        return (struct stability){
            yes, yes,
            "Conjecture 1: the dominant eigenvalue is real and positive; "
            "partial chatter needs feet that push their neighbours down"};
    if (s->e > pcc + CRITICAL_SAME)
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
unknown(struct analysis *a, const imp_system *sys, const struct ballistic *l,
        const struct symmetry *s)
{
    for (int i = 0; i < s->m; i++)
        if (l->k.c0[i] != 0.0)
            return arena_printf(record_arena(a),
                                "the gap of %s cannot be closed together with "
                                "the others",
                                chatter_contact(a, sys, i));
    if (chatter_accelerates(l))
        return "the criteria are for motion without acceleration; the "
               "eigenvalues are those of the impacts alone";
    if (s->found == SYMMETRY_YES)
        return "Conjecture 1 is about feet of regular polygons";
    return "masses and contacts have no symmetry that relabels the impacts";
}

static const char *
set_prediction(const struct symmetry *s, const double *u,
               const struct ballistic *l, bool applies, struct record *out)
{
    const char *no = !applies      ? "Theorem 3 is about a rod without "
                                     "acceleration"
                     : s->m != 2   ? "Theorem 3 is about a rod"
                     : s->e <= 0.0 ? "Theorem 3 asks for some restitution"
                                   : NULL;
    if (no) {
        record_set_absent(out, "predicted", no);
        return NULL;
    }
    double u0 = u[0] / sqrt(l->k.W[0]), u1 = u[1] / sqrt(l->k.W[3]);
    double v = 0.5 * (u0 + u1), w = 0.5 * (u0 - u1);
    bool rest = v < 0.0 && fabs(w) <= symmetry_rod_limit(s->rho, s->e) * -v;
    const char *verdict = rest ? "complete" : "incomplete";
    record_set_text(out, "predicted", verdict);
    return verdict;
}

static void
set_critical(const struct symmetry *s, double critical, double pcc,
             struct record *out)
{
    static const char *const both[] = {"critical_restitution",
                                       "partial_restitution", "rho"};
    if (!s->polygon) {
        record_set_absent_all(
            out, both, 3,
            "the contacts are not those of a rod or a regular "
            "polygon");
        return;
    }
    record_set_number(out, "rho", s->rho);
    if (critical > 0.0)
        record_set_number(out, "critical_restitution", critical);
    else
        record_set_absent(out, "critical_restitution", "none is low enough");
    if (pcc > 0.0)
        record_set_number(out, "partial_restitution", pcc);
    else
        record_set_absent(out, "partial_restitution",
                          s->m == 2 ? "both ends are all contacts"
                                    : "no foot pushes its neighbour down");
}

/* do all gaps accelerate alike, towards 0? */
static bool
falls(const struct ballistic *l, const struct symmetry *s)
{
    int m = l->model.m;
    double a0 = l->k.nf[0] / sqrt(l->k.W[0]);
    for (int i = 1; i < m; i++) {
        double ai = l->k.nf[i] / sqrt(l->k.W[i * (m + 1)]);
        if (fabs(ai - a0) > CRITICAL_SAME * fabs(a0))
            return false;
    }
    return s->polygon && a0 < 0.0;
}

/* Under acceleration no motion comes to rest with an exponent above 2: if the
 * regular one would, the acceleration counts to the end (spec/chatter.md 3.1,
 * 3.5). */
static void
set_regular(const struct eigen *e, const struct ballistic *l, bool plain,
            bool some, const struct symmetry *s, struct record *out)
{
    double c = INFINITY;
    if (s->m == 3)
        record_set_absent(out, "exponent_regular",
                          "the order of 3 feet is never regular");
    else if (!plain && !falls(l, s))
        record_set_absent(
            out, "exponent_regular",
            "the contacts are not those of a falling rod or a falling "
            "regular polygon");
    else if (plain && !some)
        record_set_absent(out, "exponent_regular",
                          "no regular motion comes to rest");
    else {
        if (some)
            c = 2.0 * log(e->re[0]) / log(e->re[1] / e->re[0]);
        record_set_number(out, "exponent_regular", plain ? c : fmin(c, 2.0));
    }
}

/* The map from foot 0 to its neighbour and back has the eigenvalue 1 of two
 * feet at rest, and the roots of mu^2 - ((1 + e)^2 w^2 - 2 e) mu + e^2, w the
 * cosine of neighbours (spec/chatter.md 2.6). */
static void
set_pair(const struct symmetry *s, struct record *out)
{
    static const char *const both[] = {"pair_eigenvalues",
                                       "pair_eigenvalues_im"};
    if (s->found != SYMMETRY_YES || s->m < 3) {
        record_set_absent_all(out, both, 2,
                              s->m == 2 ? "both ends are all contacts"
                                        : "no symmetry relabels the impacts");
        return;
    }
    double b = (1.0 + s->e) * s->cosine[1], half = 0.5 * b * b - s->e;
    double d = half * half - s->e * s->e, re[2], im[2] = {0};
    if (d < 0.0) {
        re[0] = re[1] = half;
        im[0] = sqrt(-d);
        im[1] = -im[0];
    } else {
        re[0] = half + copysign(sqrt(d), half);
        re[1] = re[0] == 0.0 ? 0.0 : s->e * s->e / re[0];
    }
    record_set_list(out, "pair_eigenvalues", re, 2);
    record_set_list(out, "pair_eigenvalues_im", im, 2);
}

/* one contact: the only map is -e */
static struct stability
of_single(const struct ballistic *l)
{
    if (!chatter_accelerates(l))
        return (struct stability){"no", "no", "one contact is hit once"};
    bool down = l->na[0] < 0.0 || l->on[0];
    if (!down)
        return (struct stability){"no", "no", "the contact accelerates away"};
    if (l->model.e[0] >= 1.0)
        return (struct stability){"no", "no", "no energy is lost"};
    return (struct stability){
        "yes", "yes", "flights under constant acceleration shrink by e"};
}

int
chatter_stability(struct analysis *a, const imp_system *sys,
                  const struct ballistic *l, const struct symmetry *s,
                  const double *u, struct record *out,
                  struct chatter_theory *says)
{
    static const char *const eigen_fields[] = {
        "eigenvalues",     "eigenvalues_im", "eigenvectors",
        "eigenvectors_im", "dominant",       "cones"};
    struct eigen e = {0};
    bool maps = s->found == SYMMETRY_YES || s->found == SYMMETRY_SINGLE;
    bool plain = !chatter_accelerates(l);
    for (int i = 0; i < s->m; i++)
        plain &= l->k.c0[i] == 0.0;
    double critical =
        s->polygon ? symmetry_critical_restitution(s->m, s->rho) : 0.0;
    double pcc = s->polygon ? symmetry_partial_restitution(s->m, s->rho) : 0.0;
    if (maps) {
        int st = set_eigen(a, l, s, &e, out);
        if (st)
            return st;
    } else {
        record_set_absent_all(out, eigen_fields, 6,
                              "no symmetry relabels the impacts");
    }
    struct stability v = {"not known", "not known", NULL};
    if (s->found == SYMMETRY_SINGLE)
        v = of_single(l);
    else if (plain && s->polygon)
        v = of_polygon(s, eigen_cone(&e), critical, pcc);
    else
        v.because = unknown(a, sys, l, s);
    record_set_text(out, "symmetry", chatter_symmetry_text(a, sys, s));
    record_set_text(out, "stable", v.complete);
    record_set_text(out, "partially_stable", v.partial);
    record_set_text(out, "because", v.because);
    if (s->found == SYMMETRY_RESTITUTION)
        record_set_absent(out, "restitution", "they differ");
    else
        record_set_number(out, "restitution", s->e);
    set_critical(s, critical, pcc, out);
    set_regular(&e, l, plain && s->polygon,
                s->polygon && s->e < critical - CRITICAL_SAME, s, out);
    set_pair(s, out);
    const char *predicted = set_prediction(s, u, l, plain && s->polygon, out);
    *says = (struct chatter_theory){v.complete, v.partial, predicted};
    return IMP_OK;
}
