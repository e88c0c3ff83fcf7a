/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems in generalised coordinates: the equations of motion are derived on
 * the graph,
 *   M q'' = dT/dq - (dp/dq) q' - dp/dt - dV/dq - dD/dq' + force,
 *   p = dT/dq',  M = dp/dq'
 * (Lagrange's equations; or M is stated, and what depends on T is left out: it
 * belongs to the force then), and solved there for q''
 * by L D L^T without pivoting, which a positive definite M does not need.
 * Literal zeros vanish on the way, so a diagonal M costs one quotient each and
 * constant accelerations stay constants: then the motion is a polynomial. */
#include "mechanics/mech_priv.h"

uint32_t
system_env(const struct mech *k, uint32_t coordinate, uint32_t order)
{
    for (size_t i = 0; i < k->m->n_systems; i++) {
        const struct tm_system *t = k->m->systems + i;
        uint32_t at = k->systems[i].env_state, n = t->n + t->n_observer;
        if (coordinate < t->first || coordinate >= t->first + n)
            continue;
        if (coordinate < t->first + t->n)
            return at + order * t->n + coordinate - t->first;
        at += 2 * t->n;
        for (uint32_t c = t->first + t->n; c < coordinate; c++)
            at += k->m->coordinates[c].order;
        return at + order;
    }
    return 0;
}

const expr *
system_leaf(struct mech *k, const expr *leaf)
{
    if (leaf->sym == SYM_COORD)
        return sym_state(k, system_env(k, leaf->i, leaf->j));
    if (leaf->sym != SYM_SYSTEM)
        return NULL;
    const struct msystem *s = k->systems + leaf->i;
    const expr *e = sc_zero(k->g);
    if (leaf->j != TOTAL_POTENTIAL)
        e = sc_add(k->g, e, s->kinetic);
    if (leaf->j != TOTAL_KINETIC)
        e = sc_add(k->g, e, s->potential);
    return e;
}

bool
system_row(const struct mech *k, uint32_t env, uint32_t *block, uint32_t *row)
{
    for (size_t i = 0; i < k->m->n_systems; i++) {
        const struct msystem *s = k->systems + i;
        uint32_t n = 2 * s->tm->n, at = env - s->env_state;
        if (env < s->env_state || at >= n + s->n_observed)
            continue;
        *block = at < n ? s->block : s->observer;
        *row = at < n ? s->row[at] : s->observed[at];
        return true;
    }
    return false;
}

static const expr *
coord_leaf(void *ctx, const expr *leaf)
{
    return leaf->sym == SYM_COORD ? system_leaf(ctx, leaf) : NULL;
}

/* a formula of the system on the state; 0 when absent */
static const expr *
of_state(struct mech *k, const expr *e)
{
    return e ? ex_subst(k->g, e, coord_leaf, k) : sc_zero(k->g);
}

/* what the derivation of one system works on */
struct lagrange {
    struct mech *k;
    struct msystem *s;
    uint32_t n;
    const expr **q, **v; /* state leaves */
    const expr **M;      /* n x n */
    const expr **f;      /* right-hand side */
    const expr **a;      /* accelerations */
};

/* M and f from the energies */
static void
equations(struct lagrange *l)
{
    struct graph *g = l->k->g;
    const struct tm_system *t = l->s->tm;
    const expr *T = l->s->kinetic, *V = l->s->potential;
    const expr *D = of_state(l->k, t->dissipation.e), *time = sym_time(l->k);
    graph_origin(g, mech_range(t->kinetic.range, t->range));
    for (uint32_t i = 0; i < l->n; i++) {
        const expr *p = ex_diff(g, T, l->v[i]);
        const expr *f =
            sc_sub(g, ex_diff(g, T, l->q[i]), ex_diff(g, V, l->q[i]));
        f = sc_sub(g, f, ex_diff(g, D, l->v[i]));
        f = sc_sub(g, f, ex_diff(g, p, time));
        for (uint32_t j = 0; j < l->n; j++) {
            f = sc_sub(g, f, sc_mul(g, ex_diff(g, p, l->q[j]), l->v[j]));
            l->M[i * l->n + j] = ex_diff(g, p, l->v[j]);
        }
        if (t->force)
            f = sc_add(g, f, of_state(l->k, t->force[i]));
        l->f[i] = f;
    }
}

static void
stated(struct lagrange *l)
{
    const struct tm_system *t = l->s->tm;
    for (uint32_t i = 0; i < l->n * l->n; i++)
        l->M[i] = of_state(l->k, t->mass[i]);
    struct graph *g = l->k->g;
    const expr *V = l->s->potential, *D = of_state(l->k, t->dissipation.e);
    for (uint32_t i = 0; i < l->n; i++) {
        const expr *f = t->force ? of_state(l->k, t->force[i]) : sc_zero(g);
        f = sc_sub(g, f, ex_diff(g, V, l->q[i]));
        l->f[i] = sc_sub(g, f, ex_diff(g, D, l->v[i]));
    }
}

/* M = L D L^T; M is overwritten by L (below the diagonal) and D */
static void
factor(struct lagrange *l)
{
    struct graph *g = l->k->g;
    uint32_t n = l->n;
    const expr **M = l->M;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = j; i < n; i++) {
            const expr *s = M[i * n + j];
            for (uint32_t m = 0; m < j; m++)
                s = sc_sub(g, s,
                           sc_mul(g, sc_mul(g, M[i * n + m], M[m * n + m]),
                                  M[j * n + m]));
            M[i * n + j] =
                i == j || sc_is_zero(s) ? s : ex_div(g, s, M[j * n + j]);
        }
    }
}

/* a = M^-1 f, M factored */
static void
back(struct lagrange *l, const expr *const *f, const expr **a)
{
    struct graph *g = l->k->g;
    uint32_t n = l->n;
    const expr **M = l->M;
    for (uint32_t i = 0; i < n; i++) {
        a[i] = f[i];
        for (uint32_t m = 0; m < i; m++)
            a[i] = sc_sub(g, a[i], sc_mul(g, M[i * n + m], a[m]));
    }
    for (uint32_t i = 0; i < n; i++)
        if (!sc_is_zero(a[i]))
            a[i] = ex_div(g, a[i], M[i * n + i]);
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t m = i + 1; m < n; m++)
            a[i] = sc_sub(g, a[i], sc_mul(g, M[m * n + i], a[m]));
}

const uint32_t *
system_block(struct mech *k, uint32_t block, const char *name, uint32_t first,
             const expr *const *leaf, const expr *const *rate, uint32_t n,
             const struct sliding *slide)
{
    struct mblock *o = k->blocks + block;
    uint32_t *rows = NEW_N(k->arena, uint32_t, n + slide->n);
    uint32_t *state = NEW_N(k->arena, uint32_t, n);
    const expr **out = NEW_N(k->arena, const expr *, n + slide->n);
    for (uint32_t i = 0; i < n; i++) {
        state[i] = first + i;
        out[i] = leaf[i];
    }
    for (uint32_t i = 0; i < slide->n; i++)
        out[n + i] = ex_sym(k->g, SYM_UNKNOWN, i, 0);
    struct tape_spec spec = {.name = name,
                             .series = true,
                             .n_local = slide->n,
                             .outs = out,
                             .n_outs = n + slide->n,
                             .states = leaf,
                             .rates = rate,
                             .n_states = n,
                             .residual = slide->residual,
                             .jacobian = slide->J,
                             .n_unknown = slide->n,
                             .symmetric = slide->n > 0,
                             .env_of = mech_env_of,
                             .ctx = k};
    o->out.motion = tape_build(k->g, k->ib, &spec, rows);
    o->out.solve = o->out.hold = o->out.push = IMP_NO_TAPE;
    o->out.driven = IMP_NO_TAPE;
    o->out.guard = IMP_NO_TAPE;
    o->out.bodies = image_array(k->ib, rows, 0, sizeof *rows);
    o->out.state = image_array(k->ib, state, n, sizeof *state);
    o->out.rows = image_array(k->ib, rows, n, sizeof *rows);
    return rows;
}

/* nothing here changes along the motion */
static bool
steady(struct mech *k, const expr *const *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ex_depends(k->g, e[i], SYM_STATE, UINT32_MAX, UINT32_MAX) ||
            ex_depends(k->g, e[i], SYM_TIME, UINT32_MAX, UINT32_MAX))
            return false;
    return true;
}

/* gap of contact i of the system, and its gradient N */
static const expr *
gap_of(struct mech *k, const struct msystem *s, uint32_t i, const expr **N)
{
    const expr *gap = of_state(k, k->m->contacts[s->tm->contact + i].gap.e);
    for (uint32_t j = 0; N && j < s->tm->n; j++)
        N[j] = ex_diff(k->g, gap, sym_state(k, s->env_state + j));
    return gap;
}

/* are all gaps linear in the coordinates, with constant coefficients? */
static bool
lines(struct mech *k, const struct msystem *s)
{
    const expr **N = NEW_N(k->arena, const expr *, s->tm->n);
    for (uint32_t i = 0; i < s->tm->n_contact; i++) {
        const expr *gap = gap_of(k, s, i, N);
        if (!steady(k, N, s->tm->n) || guard_in(k, gap) ||
            ex_depends(k->g, gap, SYM_TIME, UINT32_MAX, UINT32_MAX))
            return false;
    }
    return true;
}

/* The motion with sliding contacts: M q'' = free + sum of s_i N_i^T lambda_i
 * with switches s_i, and per contact s_i gap_i'' + (1 - s_i) lambda_i = 0. */
static void
modal_tape(struct lagrange *l, const expr *const *leaf, const expr **rate)
{
    struct mech *k = l->k;
    struct graph *g = k->g;
    struct msystem *s = l->s;
    uint32_t n = l->n, m = s->tm->n_contact;
    const expr **N = NEW_N(k->arena, const expr *, n);
    const expr **b = NEW_N(k->arena, const expr *, n);
    const expr **lam = NEW_N(k->arena, const expr *, m);
    const expr **on = NEW_N(k->arena, const expr *, m);
    const expr **res = NEW_N(k->arena, const expr *, (size_t)m *(m + 1));
    const expr **J = res + m;
    const expr **x = NEW_N(k->arena, const expr *, 2 * n + 1);
    const expr **dx = NEW_N(k->arena, const expr *, 2 * n + 1);
    const expr **out = NEW_N(k->arena, const expr *, 2 * n + m);
    uint32_t *rows = NEW_N(k->arena, uint32_t, 2 * n + m);
    if (m > IMP_UNKNOWN_MAX) {
        struct diag *d = diag_add(
            k->ds, DIAG_E0545, s->tm->range,
            "the system `%s` has %u contacts; at most %d can slide in a motion "
            "that is followed by series",
            s->tm->name, m, IMP_UNKNOWN_MAX);
        diag_help(k->ds, d,
                  "small rotations, without observers and derivatives asked "
                  "for, have no such limit");
        return;
    }
    s->slide = (struct sliding){m, res, J};
    for (uint32_t i = 0; i < m; i++) {
        uint32_t c = s->tm->contact + i;
        graph_origin(g, k->m->contacts[c].gap.range);
        lam[i] = ex_sym(g, SYM_UNKNOWN, i, 0);
        on[i] = sym_env(k, k->layout.contact + c * IMP_CONTACT_SIZE +
                               IMP_CONTACT_ACTIVE);
        gap_of(k, s, i, N);
        back(l, N, b);
        const expr *push = sc_mul(g, on[i], lam[i]);
        for (uint32_t j = 0; j < n; j++)
            rate[n + j] = sc_add(g, rate[n + j], sc_mul(g, b[j], push));
    }
    x[2 * n] = sym_time(k);
    dx[2 * n] = ex_num(g, 1.0);
    for (uint32_t i = 0; i < 2 * n; i++) {
        x[i] = out[i] = leaf[i];
        dx[i] = rate[i];
    }
    for (uint32_t i = 0; i < m; i++) {
        const expr *e = gap_of(k, s, i, NULL);
        for (int d = 0; d < 2; d++)
            e = ex_diff_along(g, e, x, dx, 2 * n + 1);
        const expr *off = sc_sub(g, ex_num(g, 1.0), on[i]);
        res[i] = sc_add(g, sc_mul(g, on[i], e), sc_mul(g, off, lam[i]));
        out[2 * n + i] = lam[i];
    }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < m; j++)
            J[i * m + j] = ex_diff(g, res[i], lam[j]);
    struct tape_spec spec = {
        .name = arena_printf(k->arena, "%s.sliding", s->tm->name),
        .series = true,
        .n_local = m,
        .outs = out,
        .n_outs = 2 * n + m,
        .states = leaf,
        .rates = rate,
        .n_states = 2 * n,
        .residual = res,
        .jacobian = J,
        .n_unknown = m,
        .symmetric = true,
        .env_of = mech_env_of,
        .ctx = k};
    s->modal = tape_build(g, k->ib, &spec, rows);
    s->rows = image_array(k->ib, rows, 2 * n + m, sizeof *rows);
    s->solve =
        mech_eval_tape(k, arena_printf(k->arena, "%s.forces", s->tm->name), m,
                       res, (size_t)m * (m + 1));
}

/* where accelerations and gaps change their branch */
static void
guards(struct mech *k, const struct msystem *s, const expr *const *leaf,
       const expr *const *acc)
{
    const struct tm_system *t = s->tm;
    const expr **f =
        NEW_N(k->arena, const expr *, t->n + (size_t)t->n_contact + 1);
    for (uint32_t i = 0; i < t->n; i++)
        f[i] = acc[i];
    for (uint32_t i = 0; i < t->n_contact; i++)
        f[t->n + i] = gap_of(k, s, i, NULL);
    guard_build(k, &k->blocks[s->block].out,
                arena_printf(k->arena, "%s.guard", t->name), leaf, s->row,
                2 * (size_t)t->n, f, t->n + (size_t)t->n_contact);
}

static void
one_system(struct mech *k, struct msystem *s)
{
    const struct tm_system *t = s->tm;
    uint32_t n = t->n;
    struct lagrange l = {.k = k, .s = s, .n = n};
    const expr **leaf = NEW_N(k->arena, const expr *, 2 * n);
    const expr **rate = NEW_N(k->arena, const expr *, 2 * n);
    l.q = leaf;
    l.v = leaf + n;
    l.M = NEW_N(k->arena, const expr *, n *n);
    l.f = NEW_N(k->arena, const expr *, n);
    l.a = rate + n;
    graph_origin(k->g, t->range);
    for (uint32_t i = 0; i < 2 * n; i++)
        leaf[i] = sym_state(k, s->env_state + i);
    for (uint32_t i = 0; i < n; i++)
        rate[i] = l.v[i];
    s->potential = of_state(k, t->potential.e);
    s->kinetic = of_state(k, t->kinetic.e);
    if (t->mass)
        stated(&l);
    else
        equations(&l);
    if (t->mass) {
        const expr *T = sc_zero(k->g);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                T = sc_add(
                    k->g, T,
                    sc_mul(k->g, l.M[i * n + j], sc_mul(k->g, l.v[i], l.v[j])));
        s->kinetic = sc_mul(k->g, ex_num(k->g, 0.5), T);
    }
    s->mass = mech_eval_tape(k, arena_printf(k->arena, "%s.mass", t->name), 0,
                             l.M, (size_t)n * n);
    const expr *e[2] = {s->kinetic, s->potential};
    s->energy = mech_eval_tape(k, arena_printf(k->arena, "%s.energy", t->name),
                               0, e, 2);
    bool line = steady(k, l.M, (size_t)n * n);
    factor(&l);
    back(&l, l.f, l.a);
    line = line && steady(k, l.a, n) && lines(k, s);
    s->flags = line ? IMP_SYSTEMF_LINE : 0;
    s->block = (uint32_t)k->n_blocks++;
    const struct sliding none = {0, NULL, NULL};
    s->row =
        system_block(k, s->block, arena_printf(k->arena, "%s.motion", t->name),
                     s->env_state, leaf, rate, 2 * n, &none);
    guards(k, s, leaf, l.a);
    s->modal = s->solve = IMP_NO_TAPE;
    /* derivatives that commands ask for feel sliding too */
    bool felt = t->n_observer || k->m->n_series;
    if ((!line || felt) && t->n_contact)
        modal_tape(&l, leaf, rate);
    s->leaf = leaf;
    s->rate = rate;
    observer_build(k, s);
}

bool
system_build(struct mech *k)
{
    size_t n = k->m->n_systems;
    uint32_t at = k->layout.state + (uint32_t)k->m->n_bodies * k->n_state;
    k->systems = NEW_N(k->arena, struct msystem, n + 1);
    for (size_t i = 0; i < n; i++) {
        k->systems[i].tm = k->m->systems + i;
        k->systems[i].env_state = at;
        at += 2 * k->systems[i].tm->n + observer_size(k, k->systems[i].tm);
    }
    for (size_t i = 0; i < n; i++)
        one_system(k, k->systems + i);
    return true;
}

/* -- contacts ------------------------------------------------------------- */

static const expr *
row_leaf(void *ctx, const expr *leaf)
{
    struct mech *k = ctx;
    uint32_t block, row;
    if (leaf->sym == SYM_STATE && system_row(k, leaf->i, &block, &row))
        return ex_sym(k->g, SYM_ROW, 0, row);
    return NULL;
}

void
system_contact(struct mech *k, uint32_t c, imp_contact *out)
{
    struct graph *g = k->g;
    const struct tm_contact *t = k->m->contacts + c;
    const struct msystem *s = k->systems + (t->system - 1);
    uint32_t n = s->tm->n;
    graph_origin(g, mech_range(t->gap.range, t->range));
    const expr *gap = of_state(k, t->gap.e);
    const expr **o = NEW_N(k->arena, const expr *, n + 2);
    const expr *rate = ex_diff(g, gap, sym_time(k));
    for (uint32_t i = 0; i < n; i++) {
        o[2 + i] = ex_diff(g, gap, sym_state(k, s->env_state + i));
        rate = sc_add(g, rate,
                      sc_mul(g, o[2 + i], sym_state(k, s->env_state + n + i)));
    }
    o[0] = gap;
    o[1] = rate;
    out->system = t->system - 1;
    out->range_at = mech_range(t->gap.range, t->range); /* where it is made */
    out->gap_unit = image_text(k->ib, t->gap_unit);
    out->gradient = mech_eval_tape(
        k, arena_printf(k->arena, "%s.gradient", t->name), 0, o, n + 2);
    const expr *along = ex_subst(g, gap, row_leaf, k);
    struct tape_spec spec = {.name = arena_printf(k->arena, "%s.gap", t->name),
                             .series = true,
                             .outs = &along,
                             .n_outs = 1,
                             .env_of = mech_env_of,
                             .ctx = k};
    out->event = tape_build(g, k->ib, &spec, k->event_row[c]);
}

/* -- the image ------------------------------------------------------------ */

imp_ref
image_coordinates(struct mech *k)
{
    size_t n = k->m->n_coordinates;
    imp_coordinate *v = NEW_N(k->arena, imp_coordinate, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tm_coordinate *c = k->m->coordinates + i;
        v[i] = (imp_coordinate){.name = image_text(k->ib, c->name),
                                .unit = image_text(k->ib, c->unit),
                                .rate_unit = image_text(k->ib, c->rate_unit),
                                .env = system_env(k, (uint32_t)i, 0),
                                .env_rate = c->order == 1
                                                ? IMP_NO_RATE
                                                : system_env(k, (uint32_t)i, 1),
                                .range = c->range,
                                .range_start = c->start.range};
    }
    return image_array(k->ib, v, n, sizeof *v);
}

imp_ref
image_systems(struct mech *k)
{
    size_t n = k->m->n_systems;
    imp_system *v = NEW_N(k->arena, imp_system, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tm_system *t = k->m->systems + i;
        const struct msystem *s = k->systems + i;
        imp_range m = t->mass ? t->range_mass : t->kinetic.range;
        v[i] = (imp_system){.name = image_text(k->ib, t->name),
                            .energy_unit = image_text(k->ib, t->energy_unit),
                            .first = t->first,
                            .n = t->n,
                            .env_state = s->env_state,
                            .block = s->block,
                            .contact = t->contact,
                            .n_contact = t->n_contact,
                            .energy = s->energy,
                            .mass = s->mass,
                            .flags = s->flags,
                            .modal = s->modal,
                            .solve = s->solve,
                            .rows = s->rows,
                            .n_observer = t->n_observer,
                            .n_observed = s->n_observed,
                            .observer = s->observer,
                            .jump = s->jump,
                            .range_observer = t->range_observer,
                            .range = t->range,
                            .range_mass = mech_range(m, t->range)};
    }
    return image_array(k->ib, v, n, sizeof *v);
}
