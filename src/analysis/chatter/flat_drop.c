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
    double *W, *e; /* what the symmetry was found from; NULL: none was looked
                    * for */
    double *B, *N, *c0, *origin;  /* what the drop was calculated from */
    double *state;                /* the drop: n coordinates, n rates */
    bool dropped;                 /* `state` holds the drop */
    const struct ballistic *line; /* whose matrices were compared last */
    unsigned long version;        /* version of these matrices */
    /* flat_drop_start replaced the state `before` by the drop when this was the
     * set-up (setup_version of the run), on which the matrices depend; 0: it
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

/* are these the matrices that were compared last? */
static bool
known(const struct kept *kept, const struct ballistic *ballistic)
{
    return kept->line == ballistic &&
           kept->version == ballistic->matrices.version;
}

/* The symmetry depends on whether all restitutions are equal, and on their
 * value if they are not. */
static bool
same_restitutions(const double *a, const double *b, int m)
{
    if (same(a, b, m))
        return true;
    for (int i = 1; i < m; i++)
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
    int m = ballistic->model.m, n = ballistic->model.n;
    if (kept->W &&
        (known(kept, ballistic) ||
         same(kept->W, ballistic->matrices.W, m * m)) &&
        same_restitutions(kept->e, ballistic->model.e, m)) {
        kept->sym.e = m ? ballistic->model.e[0] : 0.0;
        return kept;
    }
    kept->W = NULL;
    kept->setup = 0;
    arena_clear(own);
    symmetry_find(own, m, ballistic->matrices.W, ballistic->model.e,
                  &kept->sym);
    size_t numbers = (size_t)(m * m + 2 * m + 2 * m * n + 5 * n) + 1;
    double *W = NEW_N(own, double, numbers);
    kept->e = W + m * m;
    kept->c0 = kept->e + m;
    kept->B = kept->c0 + m;
    kept->N = kept->B + m * n;
    kept->origin = kept->N + m * n;
    kept->state = kept->origin + n;
    kept->before = kept->state + 2 * n;
    kept->dropped = false;
    kept->s = rt_system(analysis->rt, system_id);
    kept->size = 2 * (size_t)n * sizeof *kept->state;
    kept->m = m;
    kept->law = NEW_N(own, uint32_t, (size_t)m + 1);
    for (int i = 0; i < m; i++)
        kept->law[i] = rt_contact(analysis->rt, kept->s->contact + (uint32_t)i)
                           ->env_contact +
                       IMP_CONTACT_E;
    kept->one = true;
    for (int i = 1; i < m; i++)
        kept->one &= ballistic->model.e[i] == ballistic->model.e[0];
    copy(kept->e, ballistic->model.e, m);
    copy(W, ballistic->matrices.W, m * m);
    kept->W = W;
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

/* does the model's start { ... } say nothing that moves the system? */
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
    int m = symmetry->m, r = symmetry->rank;
    for (int i = 0; i < m; i++)
        y[i] = 0.0;
    for (int k = 0; k < r; k++) {
        double s = 0.0;
        for (int i = 0; i < m; i++) {
            int c = symmetry->order[i];
            s += symmetry->F[i * r + k] * g[c] /
                 sqrt(ballistic->matrices.W[c * (m + 1)]);
        }
        s /= symmetry->mode[k] * symmetry->mode[k];
        for (int i = 0; i < m; i++)
            y[symmetry->order[i]] += symmetry->F[i * r + k] * s;
    }
}

/* the same without a symmetry, by singular values */
static void
by_svd(struct analysis *analysis, const struct ballistic *ballistic,
       const double *g, double *y)
{
    int m = ballistic->model.m;
    size_t um = (size_t)m;
    double *C = NEW_N(analysis->rt->arena, double, 2 * um * um + 3 * um);
    double *V = C + um * um, *s = V + um * um, *b = s + um, *w = b + um;
    for (int i = 0; i < m; i++) {
        b[i] = g[i] / sqrt(ballistic->matrices.W[i * (m + 1)]);
        for (int j = 0; j < m; j++)
            C[j * m + i] = ballistic->matrices.W[i * m + j] /
                           sqrt(ballistic->matrices.W[i * (m + 1)] *
                                ballistic->matrices.W[j * (m + 1)]);
    }
    int rank = 0;
    dense_svd(m, m, C, V, s);
    /* users give nine digits: feet on a circle then have rank 3 to 1e-9 */
    while (rank < m && s[rank] > 1e-9 * s[0])
        rank++;
    dense_svd_solve(m, m, C, V, s, rank, b, y, w);
}

/* The coordinates x for which N x is as near to g as possible; of several, the
 * least in the metric of the mass matrix. */
static void
reach(struct analysis *analysis, const struct ballistic *ballistic,
      const struct symmetry *symmetry, const double *g, double *x)
{
    int m = ballistic->model.m, n = ballistic->model.n;
    double *y = NEW_N(analysis->rt->arena, double, (size_t)m);
    if (symmetry->found == SYMMETRY_YES)
        by_modes(ballistic, symmetry, g, y);
    else
        by_svd(analysis, ballistic, g, y);
    for (int j = 0; j < n; j++)
        x[j] = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            x[j] += ballistic->matrices.B[i * n + j] * y[i] /
                    sqrt(ballistic->matrices.W[i * (m + 1)]);
}

/* a random number from -1 to 1 */
static double
drawn(const struct analysis *analysis, uint64_t draw, int i)
{
    return 2.0 * random_unit(analysis->rt->seed, draw,
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
    int m = ballistic->model.m, n = ballistic->model.n;
    double *g =
        NEW_N(analysis->rt->arena, double, 2 * (size_t)m + 2 * (size_t)n);
    double *u = g + m, *q = u + m, *v = q + n;
    bool found = symmetry->found == SYMMETRY_YES;
    for (int k = 0; k < m; k++) {
        int i = found ? symmetry->order[k] : k;
        double co = cos(turn * k / m),
               si = 2 * k == m ? 0.0 : sin(turn * k / m);
        double size =
            found ? sqrt(ballistic->matrices.W[i * (m + 1)] /
                         ballistic->matrices.W[symmetry->order[0] * (m + 1)])
                  : 1.0;
        double gap = 0.01 * co + 0.02 * si, rate = 0.05 * co + 0.03 * si;
        if (draw) {
            gap = DRAWN_GAP * drawn(analysis, draw, 2 * k);
            rate = DRAWN_RATE * drawn(analysis, draw, 2 * k + 1);
        }
        g[i] = size * (1.0 + gap) - ballistic->matrices.gap_offset[i];
        u[i] = -size * (1.0 + rate);
    }
    if (!found && m > DROP_MOST)
        return false;
    reach(analysis, ballistic, symmetry, g, q);
    reach(analysis, ballistic, symmetry, u, v);
    for (int i = 0; i < m; i++) {
        const double *N = ballistic->model.N + i * n;
        double gap = ballistic->matrices.gap_offset[i], rate = 0.0;
        for (int j = 0; j < n; j++) {
            gap += N[j] * q[j];
            rate += N[j] * v[j];
        }
        if (!(gap > 0.0) || !(rate < 0.0))
            return false;
    }
    for (int j = 0; j < n; j++) {
        state[j] = ballistic->matrices.origin[j] + q[j];
        state[n + j] = v[j];
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

/* was the drop that is kept calculated from these matrices? */
static bool
dropped(const struct kept *kept, const struct ballistic *ballistic)
{
    int m = ballistic->model.m, n = ballistic->model.n;
    return kept->dropped &&
           (known(kept, ballistic) ||
            (same(kept->B, ballistic->matrices.B, m * n) &&
             same(kept->N, ballistic->model.N, m * n) &&
             same(kept->c0, ballistic->matrices.gap_offset, m) &&
             same(kept->origin, ballistic->matrices.origin, n)));
}

/* Are the set-up, the state and what the symmetry depends on the same as when
 * the last drop was taken? */
static bool
drop_again(const struct analysis *analysis, const struct kept *kept)
{
    const double *env = analysis->rt->env, *law = kept->one ? NULL : kept->e;
    if (!kept->setup || kept->setup != analysis->rt->setup_version ||
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
    *flat = kept->setup && kept->setup == analysis->rt->setup_version;
    return *flat ? same_restitutions(kept->e, e, kept->m)
                 : kept->given && kept->given == analysis->rt->setup_version;
}

/* calculates the drop, unless it is kept, and puts it into env */
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
    int m = ballistic->model.m, n = ballistic->model.n;
    if (!dropped(kept, ballistic)) {
        kept->setup = 0;
        kept->dropped = drop(analysis, ballistic, &kept->sym, 0, kept->state);
        if (!kept->dropped)
            return no_drop(analysis, system, where);
        copy(kept->B, ballistic->matrices.B, m * n);
        copy(kept->N, ballistic->model.N, m * n);
        copy(kept->c0, ballistic->matrices.gap_offset, m);
        copy(kept->origin, ballistic->matrices.origin, n);
    }
    kept->line = ballistic;
    kept->version = ballistic->matrices.version;
    kept->setup = flow_by_params(analysis->rt, system_id)
                      ? analysis->rt->setup_version
                      : 0;
    memcpy(kept->before, state, kept->size);
    memcpy(state, kept->state, kept->size);
    return IMP_OK;
}

int
flat_drop_start(struct analysis *analysis, uint32_t system_id, imp_range where,
                bool *flat)
{
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
    kept->given = *flat ? 0 : analysis->rt->setup_version;
    if (!*flat)
        return IMP_OK;
    return system->flags & IMP_SYSTEMF_LINE
               ? drop_new(analysis, system_id, where)
               : no_drop(analysis, system, where);
}

bool
flat_drop_needed(const struct analysis *analysis, uint32_t system_id)
{
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
