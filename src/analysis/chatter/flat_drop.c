/* SPDX-License-Identifier: MIT */
/* The nearly flat drop, the start of a system that states none: all gaps are
 * open and close, a little unevenly. In a sweep, symmetry and drop are kept for
 * the next run of the model. Both are functions of numbers that are kept beside
 * them; where one of these numbers has changed, they are calculated again. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "runtime/flow/flow.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/random.h"

/* Without a symmetry a drop is looked for up to this number of contacts,
 * because the work grows with its third power. */
#define DROP_MOST 200
/* drops that are drawn have gaps and rates that differ by these shares */
#define DRAWN_GAP 0.03
#define DRAWN_RATE 0.08
#define DRAW_STREAM (UINT64_C(1) << 40)

struct kept {
    struct symmetry sym;
    /* what the symmetry was found from: W = N M^-1 N^T and the restitutions;
     * NULL: none was looked for */
    double *W, *e;
    double *B, *N, *c0, *origin;  /* what the drop was calculated from */
    double *state;                /* the drop: n coordinates, n rates */
    bool dropped;                 /* `state` holds the drop */
    const struct ballistic *line; /* whose matrices were compared last */
    unsigned long version;        /* version of these matrices */
    /* flat_drop_start replaced the state `before` by the drop when this was the
     * set-up (start.version of the run), on which the matrices depend; 0: it
     * did not */
    unsigned long setup;
    double *before;
    const imp_system *s;
    size_t size;   /* bytes of a state */
    uint32_t *law; /* m: where the restitutions stand in env */
    int m;
    bool one; /* all restitutions are equal */
    unsigned long
        given; /* set-up of a run whose model states a start; 0: none */
};
static const char kept_key = 0;

/* -- symmetry ---------------------------------------------------------------
 */

static bool
same(const double *a, const double *b, int n)
{
    return n == 0 || !memcmp(a, b, (size_t)n * sizeof *a);
}

static void
copy(double *to, const double *x, int n)
{
    if (n)
        memcpy(to, x, (size_t)n * sizeof *x);
}

/* Are these the matrices that were compared last? */
static bool
known(const struct kept *kept, const struct ballistic *ballistic)
{
    return kept->line == ballistic &&
           kept->version == ballistic->matrices.version;
}

/* The symmetry depends on whether all restitutions are equal, and on their
 * value if they are not. */
static bool
same_restitutions(const double *a, const double *b, int n_contacts)
{
    if (same(a, b, n_contacts))
        return true;
    for (int i = 1; i < n_contacts; i++)
        if (a[i] != a[0] || b[i] != b[0])
            return false;
    return true;
}

static struct kept *
symmetry_of(struct analysis *analysis, uint32_t system_id,
            const struct ballistic *ballistic)
{
    struct arena *own;
    struct kept *kept =
        rt_keep(analysis->rt, &kept_key, system_id, sizeof *kept, &own);
    int n_contacts = ballistic->model.m, n_coordinates = ballistic->model.n;
    if (kept->W &&
        (known(kept, ballistic) ||
         same(kept->W, ballistic->matrices.W, n_contacts * n_contacts)) &&
        same_restitutions(kept->e, ballistic->model.e, n_contacts)) {
        kept->sym.e = n_contacts ? ballistic->model.e[0] : 0.0;
        return kept;
    }
    kept->W = NULL;
    kept->setup = 0;
    arena_clear(own);
    symmetry_find(own, n_contacts, ballistic->matrices.W, ballistic->model.e,
                  &kept->sym);
    size_t numbers =
        (size_t)(n_contacts * n_contacts + 2 * n_contacts +
                 2 * n_contacts * n_coordinates + 5 * n_coordinates) +
        1;
    double *delassus = NEW_N(own, double, numbers);
    kept->e = delassus + n_contacts * n_contacts;
    kept->c0 = kept->e + n_contacts;
    kept->B = kept->c0 + n_contacts;
    kept->N = kept->B + n_contacts * n_coordinates;
    kept->origin = kept->N + n_contacts * n_coordinates;
    kept->state = kept->origin + n_coordinates;
    kept->before = kept->state + 2 * n_coordinates;
    kept->dropped = false;
    kept->s = rt_system(analysis->rt, system_id);
    kept->size = 2 * (size_t)n_coordinates * sizeof *kept->state;
    kept->m = n_contacts;
    kept->law = NEW_N(own, uint32_t, (size_t)n_contacts + 1);
    for (int i = 0; i < n_contacts; i++)
        kept->law[i] = rt_contact(analysis->rt, kept->s->contact + (uint32_t)i)
                           ->env_contact +
                       IMP_CONTACT_E;
    kept->one = true;
    for (int i = 1; i < n_contacts; i++)
        kept->one &= ballistic->model.e[i] == ballistic->model.e[0];
    copy(kept->e, ballistic->model.e, n_contacts);
    copy(delassus, ballistic->matrices.W, n_contacts * n_contacts);
    kept->W = delassus;
    return kept;
}

const struct symmetry *
chatter_symmetry(struct analysis *analysis, uint32_t system_id,
                 const struct ballistic *ballistic)
{
    return &symmetry_of(analysis, system_id, ballistic)->sym;
}

/* -- the drop ---------------------------------------------------------------
 */

/* Does the model's start { ... } say nothing that moves the system? */
static bool
unstated(const struct analysis *analysis, const imp_system *system)
{
    const imp_image *im = analysis->rt->im;
    const imp_coordinate *c =
        IMP_ARRAY(im, im->coordinates, imp_coordinate) + system->first;
    const double *v = analysis->rt->env + system->env_state + system->n;
    for (uint32_t i = 0; i < system->n; i++)
        if (v[i] != 0.0 ||
            memcmp(&c[i].range, &c[i].range_start, sizeof c[i].range))
            return false;
    return true;
}

/* The y for which the sum of N_i^T y_i/sqrt(W_ii) is as near to the gaps g as
 * possible, by the modes of the symmetry: the matrix of cosines is F F^T, and
 * F^T F is diagonal. */
static void
by_modes(const struct ballistic *ballistic, const struct symmetry *symmetry,
         const double *g, double *y)
{
    assert(symmetry->found == SYMMETRY_YES);
    int n_contacts = symmetry->m, rank = symmetry->rank;
    for (int i = 0; i < n_contacts; i++)
        y[i] = 0.0;
    for (int k = 0; k < rank; k++) {
        double s = 0.0;
        for (int i = 0; i < n_contacts; i++) {
            int c = symmetry->order[i];
            s += symmetry->F[i * rank + k] * g[c] /
                 sqrt(ballistic->matrices.W[c * (n_contacts + 1)]);
        }
        s /= symmetry->mode[k] * symmetry->mode[k];
        for (int i = 0; i < n_contacts; i++)
            y[symmetry->order[i]] += symmetry->F[i * rank + k] * s;
    }
}

/* The same without a symmetry, by the singular values of the matrix of cosines
 * C = U S V^T, C_ij = W_ij / sqrt(W_ii W_jj). */
static void
by_svd(struct analysis *analysis, const struct ballistic *ballistic,
       const double *g, double *y)
{
    int n_contacts = ballistic->model.m;
    size_t um = (size_t)n_contacts;
    double *C = NEW_N(analysis->rt->arena, double, 2 * um * um + 3 * um);
    double *V = C + um * um, *singular = V + um * um, *rhs = singular + um,
           *work = rhs + um;
    for (int i = 0; i < n_contacts; i++) {
        rhs[i] = g[i] / sqrt(ballistic->matrices.W[i * (n_contacts + 1)]);
        for (int j = 0; j < n_contacts; j++)
            C[j * n_contacts + i] =
                ballistic->matrices.W[i * n_contacts + j] /
                sqrt(ballistic->matrices.W[i * (n_contacts + 1)] *
                     ballistic->matrices.W[j * (n_contacts + 1)]);
    }
    int rank = 0;
    dense_svd(n_contacts, n_contacts, C, V, singular);
    /* Users give nine digits, so that feet on a circle have rank 3 only to
     * 1e-9. */
    while (rank < n_contacts && singular[rank] > 1e-9 * singular[0])
        rank++;
    dense_svd_solve(n_contacts, n_contacts, C, V, singular, rank, rhs, y, work);
}

/* The coordinates x for which N x is as near to g as possible; of several, the
 * least in the metric of the mass matrix. */
static void
reach(struct analysis *analysis, const struct ballistic *ballistic,
      const struct symmetry *symmetry, const double *g, double *x)
{
    int n_contacts = ballistic->model.m, n_coordinates = ballistic->model.n;
    double *y = NEW_N(analysis->rt->arena, double, (size_t)n_contacts);
    if (symmetry->found == SYMMETRY_YES)
        by_modes(ballistic, symmetry, g, y);
    else
        by_svd(analysis, ballistic, g, y);
    for (int j = 0; j < n_coordinates; j++)
        x[j] = 0.0;
    for (int i = 0; i < n_contacts; i++)
        for (int j = 0; j < n_coordinates; j++)
            x[j] += ballistic->matrices.B[i * n_coordinates + j] * y[i] /
                    sqrt(ballistic->matrices.W[i * (n_contacts + 1)]);
}

/* Returns a random number from -1 to 1. */
static double
drawn(const struct analysis *analysis, uint64_t draw, int i)
{
    return 2.0 * random_unit(analysis->rt->world.seed, draw,
                             DRAW_STREAM + (uint64_t)i) -
           1.0;
}

/* Puts the drop into `state` (n coordinates, n rates). draw > 0: the drop of
 * this number, a function of the seed, the number and the contacts alone.
 * False: no motion has all gaps open and closing. */
static bool
drop(struct analysis *analysis, const struct ballistic *ballistic,
     const struct symmetry *symmetry, uint64_t draw, double *state)
{
    static const double turn = 6.28318530717958647692;
    int n_contacts = ballistic->model.m, n_coordinates = ballistic->model.n;
    double *gaps = NEW_N(analysis->rt->arena, double,
                         2 * (size_t)n_contacts + 2 * (size_t)n_coordinates);
    double *gap_rates = gaps + n_contacts, *position = gap_rates + n_contacts,
           *velocity = position + n_coordinates;
    bool found = symmetry->found == SYMMETRY_YES;
    for (int place = 0; place < n_contacts; place++) {
        int contact = found ? symmetry->order[place] : place;
        double co = cos(turn * place / n_contacts),
               si = 2 * place == n_contacts ? 0.0
                                            : sin(turn * place / n_contacts);
        double size =
            found ? sqrt(ballistic->matrices.W[contact * (n_contacts + 1)] /
                         ballistic->matrices
                             .W[symmetry->order[0] * (n_contacts + 1)])
                  : 1.0;
        double gap = 0.01 * co + 0.02 * si, rate = 0.05 * co + 0.03 * si;
        if (draw) {
            gap = DRAWN_GAP * drawn(analysis, draw, 2 * place);
            rate = DRAWN_RATE * drawn(analysis, draw, 2 * place + 1);
        }
        gaps[contact] =
            size * (1.0 + gap) - ballistic->matrices.gap_offset[contact];
        gap_rates[contact] = -size * (1.0 + rate);
    }
    if (!found && n_contacts > DROP_MOST)
        return false;
    reach(analysis, ballistic, symmetry, gaps, position);
    reach(analysis, ballistic, symmetry, gap_rates, velocity);
    for (int contact = 0; contact < n_contacts; contact++) {
        const double *N = ballistic->model.N + contact * n_coordinates;
        double gap = ballistic->matrices.gap_offset[contact], rate = 0.0;
        for (int j = 0; j < n_coordinates; j++) {
            gap += N[j] * position[j];
            rate += N[j] * velocity[j];
        }
        if (!(gap > 0.0) || !(rate < 0.0))
            return false;
    }
    for (int j = 0; j < n_coordinates; j++) {
        state[j] = ballistic->matrices.origin[j] + position[j];
        state[n_coordinates + j] = velocity[j];
    }
    return true;
}

static int
no_drop(struct analysis *analysis, const imp_system *system, imp_range where)
{
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0733, where,
        "`%s` has no start, and no nearly flat drop was found in which "
        "all its gaps are open and close",
        imp_text(analysis->rt->im, system->name));
    diag_note(analysis->ds, diag, system->range, "the system");
    diag_help(analysis->ds, diag, "state one: start { h = 1  h' = -1 }");
    return IMP_BADMODEL;
}

/* Was the drop that is kept calculated from these matrices? */
static bool
dropped(const struct kept *kept, const struct ballistic *ballistic)
{
    int n_contacts = ballistic->model.m, n_coordinates = ballistic->model.n;
    return kept->dropped &&
           (known(kept, ballistic) ||
            (same(kept->B, ballistic->matrices.B, n_contacts * n_coordinates) &&
             same(kept->N, ballistic->model.N, n_contacts * n_coordinates) &&
             same(kept->c0, ballistic->matrices.gap_offset, n_contacts) &&
             same(kept->origin, ballistic->matrices.origin, n_coordinates)));
}

/* Are the set-up, the state and what the symmetry depends on the same as when
 * the last drop was taken? */
static bool
drop_again(const struct analysis *analysis, const struct kept *kept)
{
    const double *env = analysis->rt->env, *law = kept->one ? NULL : kept->e;
    if (!kept->setup || kept->setup != analysis->rt->start.version ||
        memcmp(kept->before, env + kept->s->env_state, kept->size))
        return false;
    bool other = false;
    double e = kept->m ? env[kept->law[0]] : 0.0;
    for (int i = 0; i < kept->m; i++)
        other |= env[kept->law[i]] != (law ? law[i] : e);
    return !other;
}

bool
flat_drop_starts_again(struct analysis *analysis, uint32_t system_id,
                       const double *e, bool *flat)
{
    assert(e && flat);
    struct arena *own;
    const struct kept *kept =
        rt_keep(analysis->rt, &kept_key, system_id, sizeof *kept, &own);
    *flat = kept->setup && kept->setup == analysis->rt->start.version;
    return *flat ? same_restitutions(kept->e, e, kept->m)
                 : kept->given && kept->given == analysis->rt->start.version;
}

/* Calculates the drop, unless it is kept, and puts it into env. */
static int
drop_new(struct analysis *analysis, uint32_t system_id, imp_range where)
{
    const imp_system *system = rt_system(analysis->rt, system_id);
    double *state = analysis->rt->env + system->env_state;
    struct ballistic *ballistic;
    int st = flow_matrices(analysis->rt, system_id, &ballistic);
    if (st)
        return st;
    struct kept *kept = symmetry_of(analysis, system_id, ballistic);
    int n_contacts = ballistic->model.m, n_coordinates = ballistic->model.n;
    if (!dropped(kept, ballistic)) {
        kept->setup = 0;
        kept->dropped = drop(analysis, ballistic, &kept->sym, 0, kept->state);
        if (!kept->dropped)
            return no_drop(analysis, system, where);
        copy(kept->B, ballistic->matrices.B, n_contacts * n_coordinates);
        copy(kept->N, ballistic->model.N, n_contacts * n_coordinates);
        copy(kept->c0, ballistic->matrices.gap_offset, n_contacts);
        copy(kept->origin, ballistic->matrices.origin, n_coordinates);
    }
    kept->line = ballistic;
    kept->version = ballistic->matrices.version;
    kept->setup = flow_by_params(analysis->rt, system_id)
                      ? analysis->rt->start.version
                      : 0;
    memcpy(kept->before, state, kept->size);
    memcpy(state, kept->state, kept->size);
    return IMP_OK;
}

int
flat_drop_start(struct analysis *analysis, uint32_t system_id, imp_range where,
                bool *flat)
{
    assert(analysis);
    struct arena *own;
    struct kept *kept =
        rt_keep(analysis->rt, &kept_key, system_id, sizeof *kept, &own);
    *flat = true;
    if (drop_again(analysis, kept)) {
        memcpy(analysis->rt->env + kept->s->env_state, kept->state, kept->size);
        return IMP_OK;
    }
    const imp_system *system = rt_system(analysis->rt, system_id);
    *flat = unstated(analysis, system);
    kept->given = *flat ? 0 : analysis->rt->start.version;
    if (!*flat)
        return IMP_OK;
    return system->flags & IMP_SYSTEMF_LINE
               ? drop_new(analysis, system_id, where)
               : no_drop(analysis, system, where);
}

bool
flat_drop_needed(const struct analysis *analysis, uint32_t system_id)
{
    assert(analysis);
    return unstated(analysis, rt_system(analysis->rt, system_id));
}

int
flat_drop_drawn(struct analysis *analysis, uint32_t system_id, imp_range where,
                uint64_t draw)
{
    assert(draw > 0);
    const imp_system *system = rt_system(analysis->rt, system_id);
    struct ballistic *ballistic;
    int st = flow_matrices(analysis->rt, system_id, &ballistic);
    if (st)
        return st;
    return drop(analysis, ballistic,
                &symmetry_of(analysis, system_id, ballistic)->sym, draw,
                analysis->rt->env + system->env_state)
               ? IMP_OK
               : no_drop(analysis, system, where);
}
