/* SPDX-License-Identifier: MIT */
/* The nearly flat drop of `chatter`, the start of a system that states none:
 * all gaps open and closing, a little unevenly. Symmetry and drop stay for the
 * next run of the model (a sweep): both are functions of numbers that are kept
 * beside them, and are made anew where one of these has changed. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "runtime/flow/flow.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/random.h"

/* contacts without a symmetry for which a drop is looked for: the work grows
 * with the third power */
#define DROP_MOST 200
/* shares of the gaps and of the rates by which drawn drops are uneven */
#define DRAWN_GAP 0.03
#define DRAWN_RATE 0.08
#define DRAW_STREAM (UINT64_C(1) << 40)

struct kept {
    struct symmetry sym;
    double *W, *e; /* what the symmetry was found from; NULL: not yet */
    double *B, *N, *c0, *origin;  /* and the drop */
    double *state;                /* that: n coordinates, n rates */
    bool dropped;                 /* it is there */
    const struct ballistic *line; /* whose matrices were last looked at, and */
    unsigned long version;        /* their version */
    /* flat_drop_start has taken the drop in the place of this state, with this
     * set-up (rt.setup_version), which the matrices are functions of; 0: not */
    unsigned long setup;
    double *before;
    const imp_system *s;
    size_t size;   /* of a state */
    uint32_t *law; /* m: entries of env of restitutions */
    int m;
    bool one;            /* all of e are the same */
    unsigned long given; /* set-up whose start says where to begin */
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

/* are these the matrices that were last looked at? */
static bool
known(const struct kept *k, const struct ballistic *l)
{
    return k->line == l && k->version == l->k.version;
}

/* the symmetry knows of restitutions that they are one, and which */
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
symmetry(struct analysis *a, uint32_t system, const struct ballistic *l)
{
    struct arena *own;
    struct kept *k = rt_keep(a->rt, &kept_key, system, sizeof *k, &own);
    int m = l->model.m, n = l->model.n;
    if (k->W && (known(k, l) || same(k->W, l->k.W, m * m)) &&
        same_restitutions(k->e, l->model.e, m)) {
        k->sym.e = m ? l->model.e[0] : 0.0;
        return k;
    }
    k->W = NULL;
    k->setup = 0;
    arena_clear(own);
    symmetry_find(own, m, l->k.W, l->model.e, &k->sym);
    size_t numbers = (size_t)(m * m + 2 * m + 2 * m * n + 5 * n) + 1;
    double *W = NEW_N(own, double, numbers);
    k->e = W + m * m;
    k->c0 = k->e + m;
    k->B = k->c0 + m;
    k->N = k->B + m * n;
    k->origin = k->N + m * n;
    k->state = k->origin + n;
    k->before = k->state + 2 * n;
    k->dropped = false;
    k->s = rt_system(a->rt, system);
    k->size = 2 * (size_t)n * sizeof *k->state;
    k->m = m;
    k->law = NEW_N(own, uint32_t, (size_t)m + 1);
    for (int i = 0; i < m; i++)
        k->law[i] =
            rt_contact(a->rt, k->s->contact + (uint32_t)i)->env_contact +
            IMP_CONTACT_E;
    k->one = true;
    for (int i = 1; i < m; i++)
        k->one &= l->model.e[i] == l->model.e[0];
    copy(k->e, l->model.e, m);
    copy(W, l->k.W, m * m);
    k->W = W;
    return k;
}

const struct symmetry *
chatter_symmetry(struct analysis *a, uint32_t system, const struct ballistic *l)
{
    return &symmetry(a, system, l)->sym;
}

/* -- the drop ---------------------------------------------------------------
 */

/* does start { ... } say nothing that moves the system? */
static bool
unstated(const struct analysis *a, const imp_system *s)
{
    const imp_image *im = a->rt->im;
    const imp_coordinate *c =
        IMP_ARRAY(im, im->coordinates, imp_coordinate) + s->first;
    const double *v = a->rt->env + s->env_state + s->n;
    for (uint32_t i = 0; i < s->n; i++)
        if (v[i] != 0.0 ||
            memcmp(&c[i].range, &c[i].range_start, sizeof c[i].range))
            return false;
    return true;
}

/* y with sum of N_i^T y_i/sqrt(W_ii) as near to the gaps g as can be, by the
 * modes of the symmetry: the cosines are F F^T, F^T F is diagonal */
static void
by_modes(const struct ballistic *l, const struct symmetry *f, const double *g,
         double *y)
{
    int m = f->m, r = f->rank;
    for (int i = 0; i < m; i++)
        y[i] = 0.0;
    for (int k = 0; k < r; k++) {
        double s = 0.0;
        for (int i = 0; i < m; i++) {
            int c = f->order[i];
            s += f->F[i * r + k] * g[c] / sqrt(l->k.W[c * (m + 1)]);
        }
        s /= f->mode[k] * f->mode[k];
        for (int i = 0; i < m; i++)
            y[f->order[i]] += f->F[i * r + k] * s;
    }
}

/* the same without a symmetry */
static void
by_svd(struct analysis *a, const struct ballistic *l, const double *g,
       double *y)
{
    int m = l->model.m;
    size_t um = (size_t)m;
    double *C = NEW_N(a->rt->arena, double, 2 * um * um + 3 * um);
    double *V = C + um * um, *s = V + um * um, *b = s + um, *w = b + um;
    for (int i = 0; i < m; i++) {
        b[i] = g[i] / sqrt(l->k.W[i * (m + 1)]);
        for (int j = 0; j < m; j++)
            C[j * m + i] = l->k.W[i * m + j] /
                           sqrt(l->k.W[i * (m + 1)] * l->k.W[j * (m + 1)]);
    }
    int rank = 0;
    dense_svd(m, m, C, V, s);
    /* data of 9 digits: feet on a circle given so have rank 3 */
    while (rank < m && s[rank] > 1e-9 * s[0])
        rank++;
    dense_svd_solve(m, m, C, V, s, rank, b, y, w);
}

/* x (coordinates) with N x as near to g as can be, least in the metric of M */
static void
reach(struct analysis *a, const struct ballistic *l, const struct symmetry *f,
      const double *g, double *x)
{
    int m = l->model.m, n = l->model.n;
    double *y = NEW_N(a->rt->arena, double, (size_t)m);
    if (f->found == SYMMETRY_YES)
        by_modes(l, f, g, y);
    else
        by_svd(a, l, g, y);
    for (int j = 0; j < n; j++)
        x[j] = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            x[j] += l->k.B[i * n + j] * y[i] / sqrt(l->k.W[i * (m + 1)]);
}

/* -1 .. 1 */
static double
drawn(const struct analysis *a, uint64_t draw, int i)
{
    return 2.0 * random_unit(a->rt->seed, draw, DRAW_STREAM + (uint64_t)i) -
           1.0;
}

/* The drop into `state`; draw > 0: that drawn one, a function of the seed, the
 * number and the contacts alone. False: no motion has all gaps open and
 * closing.
 */
static bool
drop(struct analysis *a, const struct ballistic *l, const struct symmetry *f,
     uint64_t draw, double *state)
{
    static const double turn = 6.28318530717958647692;
    int m = l->model.m, n = l->model.n;
    double *g = NEW_N(a->rt->arena, double, 2 * (size_t)m + 2 * (size_t)n);
    double *u = g + m, *q = u + m, *v = q + n;
    bool found = f->found == SYMMETRY_YES;
    for (int k = 0; k < m; k++) {
        int i = found ? f->order[k] : k;
        double co = cos(turn * k / m),
               si = 2 * k == m ? 0.0 : sin(turn * k / m);
        double size =
            found ? sqrt(l->k.W[i * (m + 1)] / l->k.W[f->order[0] * (m + 1)])
                  : 1.0;
        double gap = 0.01 * co + 0.02 * si, rate = 0.05 * co + 0.03 * si;
        if (draw) {
            gap = DRAWN_GAP * drawn(a, draw, 2 * k);
            rate = DRAWN_RATE * drawn(a, draw, 2 * k + 1);
        }
        g[i] = size * (1.0 + gap) - l->k.c0[i];
        u[i] = -size * (1.0 + rate);
    }
    if (!found && m > DROP_MOST)
        return false;
    reach(a, l, f, g, q);
    reach(a, l, f, u, v);
    for (int i = 0; i < m; i++) {
        const double *N = l->model.N + i * n;
        double gap = l->k.c0[i], rate = 0.0;
        for (int j = 0; j < n; j++) {
            gap += N[j] * q[j];
            rate += N[j] * v[j];
        }
        if (!(gap > 0.0) || !(rate < 0.0))
            return false;
    }
    for (int j = 0; j < n; j++) {
        state[j] = l->k.origin[j] + q[j];
        state[n + j] = v[j];
    }
    return true;
}

static int
no_drop(struct analysis *a, const imp_system *s, imp_range where)
{
    struct diag *d = diag_add(
        a->ds, DIAG_E0733, where,
        "`%s` has no start, and no nearly flat drop was found in which "
        "all its gaps are open and close",
        imp_text(a->rt->im, s->name));
    diag_note(a->ds, d, s->range, "the system");
    diag_help(a->ds, d, "state one: start { h = 1  h' = -1 }");
    return IMP_BADMODEL;
}

/* is the drop that is kept one of these matrices? */
static bool
dropped(const struct kept *k, const struct ballistic *l)
{
    int m = l->model.m, n = l->model.n;
    return k->dropped &&
           (known(k, l) ||
            (same(k->B, l->k.B, m * n) && same(k->N, l->model.N, m * n) &&
             same(k->c0, l->k.c0, m) && same(k->origin, l->k.origin, n)));
}

/* Are set-up, state and what the symmetry knows of restitutions those of the
 * last drop? */
static bool
drop_again(const struct analysis *a, const struct kept *k)
{
    const double *env = a->rt->env, *law = k->one ? NULL : k->e;
    if (!k->setup || k->setup != a->rt->setup_version ||
        memcmp(k->before, env + k->s->env_state, k->size))
        return false;
    bool other = false;
    double e = k->m ? env[k->law[0]] : 0.0;
    for (int i = 0; i < k->m; i++)
        other |= env[k->law[i]] != (law ? law[i] : e);
    return !other;
}

bool
flat_drop_starts_again(struct analysis *a, uint32_t system, const double *e,
                       bool *flat)
{
    struct arena *own;
    const struct kept *k = rt_keep(a->rt, &kept_key, system, sizeof *k, &own);
    *flat = k->setup && k->setup == a->rt->setup_version;
    return *flat ? same_restitutions(k->e, e, k->m)
                 : k->given && k->given == a->rt->setup_version;
}

/* the drop into env */
static int
drop_new(struct analysis *a, uint32_t system, imp_range where)
{
    const imp_system *s = rt_system(a->rt, system);
    double *state = a->rt->env + s->env_state;
    struct ballistic *l;
    int st = flow_matrices(a->rt, system, &l);
    if (st)
        return st;
    struct kept *k = symmetry(a, system, l);
    int m = l->model.m, n = l->model.n;
    if (!dropped(k, l)) {
        k->setup = 0;
        k->dropped = drop(a, l, &k->sym, 0, k->state);
        if (!k->dropped)
            return no_drop(a, s, where);
        copy(k->B, l->k.B, m * n);
        copy(k->N, l->model.N, m * n);
        copy(k->c0, l->k.c0, m);
        copy(k->origin, l->k.origin, n);
    }
    k->line = l;
    k->version = l->k.version;
    k->setup = flow_by_params(a->rt, system) ? a->rt->setup_version : 0;
    memcpy(k->before, state, k->size);
    memcpy(state, k->state, k->size);
    return IMP_OK;
}

int
flat_drop_start(struct analysis *a, uint32_t system, imp_range where,
                bool *flat)
{
    struct arena *own;
    struct kept *k = rt_keep(a->rt, &kept_key, system, sizeof *k, &own);
    *flat = true;
    if (drop_again(a, k)) {
        memcpy(a->rt->env + k->s->env_state, k->state, k->size);
        return IMP_OK;
    }
    const imp_system *s = rt_system(a->rt, system);
    *flat = unstated(a, s);
    k->given = *flat ? 0 : a->rt->setup_version;
    if (!*flat)
        return IMP_OK;
    return s->flags & IMP_SYSTEMF_LINE ? drop_new(a, system, where)
                                       : no_drop(a, s, where);
}

bool
flat_drop_needed(const struct analysis *a, uint32_t system)
{
    return unstated(a, rt_system(a->rt, system));
}

int
flat_drop_drawn(struct analysis *a, uint32_t system, imp_range where,
                uint64_t draw)
{
    const imp_system *s = rt_system(a->rt, system);
    struct ballistic *l;
    int st = flow_matrices(a->rt, system, &l);
    if (st)
        return st;
    return drop(a, l, &symmetry(a, system, l)->sym, draw,
                a->rt->env + s->env_state)
               ? IMP_OK
               : no_drop(a, s, where);
}
