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
system_env(const struct mech *mech, uint32_t coordinate, uint32_t order)
{
    for (size_t i = 0; i < mech->model->n_systems; i++) {
        const struct tm_system *decl = mech->model->systems + i;
        uint32_t at = mech->systems[i].env_state,
                 n = decl->n + decl->n_observer;
        if (coordinate < decl->first || coordinate >= decl->first + n)
            continue;
        if (coordinate < decl->first + decl->n)
            return at + order * decl->n + coordinate - decl->first;
        at += 2 * decl->n;
        for (uint32_t c = decl->first + decl->n; c < coordinate; c++)
            at += mech->model->coordinates[c].order;
        return at + order;
    }
    return 0;
}

const expr *
system_leaf(struct mech *mech, const expr *leaf)
{
    if (leaf->sym == SYM_COORD)
        return sym_state(mech, system_env(mech, leaf->i, leaf->j));
    if (leaf->sym != SYM_SYSTEM)
        return NULL;
    const struct msystem *system = mech->systems + leaf->i;
    const expr *e = sc_zero(mech->graph);
    if (leaf->j != TOTAL_POTENTIAL)
        e = sc_add(mech->graph, e, system->kinetic);
    if (leaf->j != TOTAL_KINETIC)
        e = sc_add(mech->graph, e, system->potential);
    return e;
}

bool
system_row(const struct mech *mech, uint32_t env, uint32_t *block,
           uint32_t *row)
{
    for (size_t i = 0; i < mech->model->n_systems; i++) {
        const struct msystem *system = mech->systems + i;
        uint32_t n = 2 * system->decl->n, at = env - system->env_state;
        if (env < system->env_state || at >= n + system->n_observed)
            continue;
        *block = at < n ? system->block : system->observer;
        *row = at < n ? system->row[at] : system->observed[at];
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
of_state(struct mech *mech, const expr *e)
{
    return e ? ex_subst(mech->graph, e, coord_leaf, mech)
             : sc_zero(mech->graph);
}

/* what the derivation of one system works on */
struct lagrange {
    struct mech *mech;
    struct msystem *s;
    uint32_t n;
    const expr **q, **v; /* state leaves */
    const expr **M;      /* n x n */
    const expr **f;      /* right-hand side */
    const expr **a;      /* accelerations */
};

/* M and f from the energies */
static void
equations(struct lagrange *eq)
{
    struct graph *graph = eq->mech->graph;
    const struct tm_system *decl = eq->s->decl;
    const expr *T = eq->s->kinetic, *V = eq->s->potential;
    const expr *D = of_state(eq->mech, decl->dissipation.e),
               *time = sym_time(eq->mech);
    graph_origin(graph, mech_range(decl->kinetic.range, decl->range));
    for (uint32_t row = 0; row < eq->n; row++) {
        const expr *p = ex_diff(graph, T, eq->v[row]);
        const expr *force = sc_sub(graph, ex_diff(graph, T, eq->q[row]),
                                   ex_diff(graph, V, eq->q[row]));
        force = sc_sub(graph, force, ex_diff(graph, D, eq->v[row]));
        force = sc_sub(graph, force, ex_diff(graph, p, time));
        for (uint32_t col = 0; col < eq->n; col++) {
            force = sc_sub(
                graph, force,
                sc_mul(graph, ex_diff(graph, p, eq->q[col]), eq->v[col]));
            eq->M[row * eq->n + col] = ex_diff(graph, p, eq->v[col]);
        }
        if (decl->force)
            force = sc_add(graph, force, of_state(eq->mech, decl->force[row]));
        eq->f[row] = force;
    }
}

static void
stated(struct lagrange *eq)
{
    const struct tm_system *decl = eq->s->decl;
    for (uint32_t i = 0; i < eq->n * eq->n; i++)
        eq->M[i] = of_state(eq->mech, decl->mass[i]);
    struct graph *graph = eq->mech->graph;
    const expr *V = eq->s->potential,
               *D = of_state(eq->mech, decl->dissipation.e);
    for (uint32_t i = 0; i < eq->n; i++) {
        const expr *f =
            decl->force ? of_state(eq->mech, decl->force[i]) : sc_zero(graph);
        f = sc_sub(graph, f, ex_diff(graph, V, eq->q[i]));
        eq->f[i] = sc_sub(graph, f, ex_diff(graph, D, eq->v[i]));
    }
}

/* M = L D L^T; M is overwritten by L (below the diagonal) and D */
static void
factor(struct lagrange *eq)
{
    struct graph *graph = eq->mech->graph;
    uint32_t count = eq->n;
    const expr **M = eq->M;
    for (uint32_t j = 0; j < count; j++) {
        for (uint32_t i = j; i < count; i++) {
            const expr *s = M[i * count + j];
            for (uint32_t m = 0; m < j; m++)
                s = sc_sub(
                    graph, s,
                    sc_mul(graph,
                           sc_mul(graph, M[i * count + m], M[m * count + m]),
                           M[j * count + m]));
            M[i * count + j] = i == j || sc_is_zero(s)
                                   ? s
                                   : ex_div(graph, s, M[j * count + j]);
        }
    }
}

/* a = M^-1 f, M factored */
static void
back(struct lagrange *eq, const expr *const *f, const expr **a)
{
    struct graph *graph = eq->mech->graph;
    uint32_t count = eq->n;
    const expr **M = eq->M;
    for (uint32_t i = 0; i < count; i++) {
        a[i] = f[i];
        for (uint32_t m = 0; m < i; m++)
            a[i] = sc_sub(graph, a[i], sc_mul(graph, M[i * count + m], a[m]));
    }
    for (uint32_t i = 0; i < count; i++)
        if (!sc_is_zero(a[i]))
            a[i] = ex_div(graph, a[i], M[i * count + i]);
    for (uint32_t i = count; i-- > 0;)
        for (uint32_t m = i + 1; m < count; m++)
            a[i] = sc_sub(graph, a[i], sc_mul(graph, M[m * count + i], a[m]));
}

const uint32_t *
system_block(struct mech *mech, uint32_t index, const char *name,
             uint32_t first, const expr *const *leaf, const expr *const *rate,
             uint32_t count, const struct sliding *slide)
{
    struct mblock *block = mech->blocks + index;
    uint32_t *rows = NEW_N(mech->arena, uint32_t, count + slide->n);
    uint32_t *state = NEW_N(mech->arena, uint32_t, count);
    const expr **out = NEW_N(mech->arena, const expr *, count + slide->n);
    for (uint32_t i = 0; i < count; i++) {
        state[i] = first + i;
        out[i] = leaf[i];
    }
    for (uint32_t i = 0; i < slide->n; i++)
        out[count + i] = ex_sym(mech->graph, SYM_UNKNOWN, i, 0);
    struct tape_spec spec = {.name = name,
                             .series = true,
                             .n_local = slide->n,
                             .outs = out,
                             .n_outs = count + slide->n,
                             .states = leaf,
                             .rates = rate,
                             .n_states = count,
                             .residual = slide->residual,
                             .jacobian = slide->J,
                             .n_unknown = slide->n,
                             .symmetric = slide->n > 0,
                             .env_of = mech_env_of,
                             .ctx = mech};
    block->out.motion = tape_build(mech->graph, mech->image, &spec, rows);
    block->out.solve = block->out.hold = block->out.push = IMP_NO_TAPE;
    block->out.driven = IMP_NO_TAPE;
    block->out.guard = IMP_NO_TAPE;
    block->out.bodies = image_array(mech->image, rows, 0, sizeof *rows);
    block->out.state = image_array(mech->image, state, count, sizeof *state);
    block->out.rows = image_array(mech->image, rows, count, sizeof *rows);
    return rows;
}

/* nothing here changes along the motion */
static bool
steady(struct mech *mech, const expr *const *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ex_depends(mech->graph, e[i], SYM_STATE, UINT32_MAX, UINT32_MAX) ||
            ex_depends(mech->graph, e[i], SYM_TIME, UINT32_MAX, UINT32_MAX))
            return false;
    return true;
}

/* gap of contact i of the system, and its gradient N */
static const expr *
gap_of(struct mech *mech, const struct msystem *system, uint32_t i,
       const expr **N)
{
    const expr *gap =
        of_state(mech, mech->model->contacts[system->decl->contact + i].gap.e);
    for (uint32_t j = 0; N && j < system->decl->n; j++)
        N[j] =
            ex_diff(mech->graph, gap, sym_state(mech, system->env_state + j));
    return gap;
}

/* are all gaps linear in the coordinates, with constant coefficients? */
static bool
lines(struct mech *mech, const struct msystem *system)
{
    const expr **N = NEW_N(mech->arena, const expr *, system->decl->n);
    for (uint32_t i = 0; i < system->decl->n_contact; i++) {
        const expr *gap = gap_of(mech, system, i, N);
        if (!steady(mech, N, system->decl->n) || guard_in(mech, gap) ||
            ex_depends(mech->graph, gap, SYM_TIME, UINT32_MAX, UINT32_MAX))
            return false;
    }
    return true;
}

/* The motion with sliding contacts: M q'' = free + sum of s_i N_i^T lambda_i
 * with switches s_i, and per contact s_i gap_i'' + (1 - s_i) lambda_i = 0. */
static void
modal_tape(struct lagrange *eq, const expr *const *leaf, const expr **rate)
{
    struct mech *mech = eq->mech;
    struct graph *graph = mech->graph;
    struct msystem *system = eq->s;
    uint32_t n_coordinate = eq->n, n_contact = system->decl->n_contact;
    const expr **gradient = NEW_N(mech->arena, const expr *, n_coordinate);
    const expr **response = NEW_N(mech->arena, const expr *, n_coordinate);
    const expr **lambda = NEW_N(mech->arena, const expr *, n_contact);
    const expr **active = NEW_N(mech->arena, const expr *, n_contact);
    const expr **residual =
        NEW_N(mech->arena, const expr *, (size_t)n_contact *(n_contact + 1));
    const expr **jacobian = residual + n_contact;
    const expr **flow_leaf =
        NEW_N(mech->arena, const expr *, 2 * n_coordinate + 1);
    const expr **flow_rate =
        NEW_N(mech->arena, const expr *, 2 * n_coordinate + 1);
    const expr **out =
        NEW_N(mech->arena, const expr *, 2 * n_coordinate + n_contact);
    uint32_t *rows = NEW_N(mech->arena, uint32_t, 2 * n_coordinate + n_contact);
    if (n_contact > IMP_UNKNOWN_MAX) {
        struct diag *diag = diag_add(
            mech->diags, DIAG_E0545, system->decl->range,
            "the system `%s` has %u contacts; at most %d can slide in a motion "
            "that is followed by series",
            system->decl->name, n_contact, IMP_UNKNOWN_MAX);
        diag_help(mech->diags, diag,
                  "small rotations, without observers and derivatives asked "
                  "for, have no such limit");
        return;
    }
    system->slide = (struct sliding){n_contact, residual, jacobian};
    for (uint32_t i = 0; i < n_contact; i++) {
        uint32_t c = system->decl->contact + i;
        graph_origin(graph, mech->model->contacts[c].gap.range);
        lambda[i] = ex_sym(graph, SYM_UNKNOWN, i, 0);
        active[i] = sym_env(mech, mech->layout.contact + c * IMP_CONTACT_SIZE +
                                      IMP_CONTACT_ACTIVE);
        gap_of(mech, system, i, gradient);
        back(eq, gradient, response);
        const expr *push = sc_mul(graph, active[i], lambda[i]);
        for (uint32_t j = 0; j < n_coordinate; j++)
            rate[n_coordinate + j] = sc_add(graph, rate[n_coordinate + j],
                                            sc_mul(graph, response[j], push));
    }
    flow_leaf[2 * n_coordinate] = sym_time(mech);
    flow_rate[2 * n_coordinate] = ex_num(graph, 1.0);
    for (uint32_t i = 0; i < 2 * n_coordinate; i++) {
        flow_leaf[i] = out[i] = leaf[i];
        flow_rate[i] = rate[i];
    }
    for (uint32_t i = 0; i < n_contact; i++) {
        const expr *e = gap_of(mech, system, i, NULL);
        for (int d = 0; d < 2; d++)
            e = ex_diff_along(graph, e, flow_leaf, flow_rate,
                              2 * n_coordinate + 1);
        const expr *off = sc_sub(graph, ex_num(graph, 1.0), active[i]);
        residual[i] = sc_add(graph, sc_mul(graph, active[i], e),
                             sc_mul(graph, off, lambda[i]));
        out[2 * n_coordinate + i] = lambda[i];
    }
    for (uint32_t i = 0; i < n_contact; i++)
        for (uint32_t j = 0; j < n_contact; j++)
            jacobian[i * n_contact + j] =
                ex_diff(graph, residual[i], lambda[j]);
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.sliding", system->decl->name),
        .series = true,
        .n_local = n_contact,
        .outs = out,
        .n_outs = 2 * n_coordinate + n_contact,
        .states = leaf,
        .rates = rate,
        .n_states = 2 * n_coordinate,
        .residual = residual,
        .jacobian = jacobian,
        .n_unknown = n_contact,
        .symmetric = true,
        .env_of = mech_env_of,
        .ctx = mech};
    system->modal = tape_build(graph, mech->image, &spec, rows);
    system->rows = image_array(mech->image, rows, 2 * n_coordinate + n_contact,
                               sizeof *rows);
    system->solve = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.forces", system->decl->name),
        n_contact, residual, (size_t)n_contact * (n_contact + 1));
}

/* where accelerations and gaps change their branch */
static void
guards(struct mech *mech, const struct msystem *system, const expr *const *leaf,
       const expr *const *acc)
{
    const struct tm_system *decl = system->decl;
    const expr **f =
        NEW_N(mech->arena, const expr *, decl->n + (size_t)decl->n_contact + 1);
    for (uint32_t i = 0; i < decl->n; i++)
        f[i] = acc[i];
    for (uint32_t i = 0; i < decl->n_contact; i++)
        f[decl->n + i] = gap_of(mech, system, i, NULL);
    guard_build(mech, &mech->blocks[system->block].out,
                arena_printf(mech->arena, "%s.guard", decl->name), leaf,
                system->row, 2 * (size_t)decl->n, f,
                decl->n + (size_t)decl->n_contact);
}

static void
one_system(struct mech *mech, struct msystem *system)
{
    const struct tm_system *decl = system->decl;
    uint32_t n_coordinate = decl->n;
    struct lagrange eq = {.mech = mech, .s = system, .n = n_coordinate};
    const expr **leaf = NEW_N(mech->arena, const expr *, 2 * n_coordinate);
    const expr **rate = NEW_N(mech->arena, const expr *, 2 * n_coordinate);
    eq.q = leaf;
    eq.v = leaf + n_coordinate;
    eq.M = NEW_N(mech->arena, const expr *, n_coordinate *n_coordinate);
    eq.f = NEW_N(mech->arena, const expr *, n_coordinate);
    eq.a = rate + n_coordinate;
    graph_origin(mech->graph, decl->range);
    for (uint32_t i = 0; i < 2 * n_coordinate; i++)
        leaf[i] = sym_state(mech, system->env_state + i);
    for (uint32_t i = 0; i < n_coordinate; i++)
        rate[i] = eq.v[i];
    system->potential = of_state(mech, decl->potential.e);
    system->kinetic = of_state(mech, decl->kinetic.e);
    if (decl->mass)
        stated(&eq);
    else
        equations(&eq);
    if (decl->mass) {
        const expr *T = sc_zero(mech->graph);
        for (uint32_t i = 0; i < n_coordinate; i++)
            for (uint32_t j = 0; j < n_coordinate; j++)
                T = sc_add(mech->graph, T,
                           sc_mul(mech->graph, eq.M[i * n_coordinate + j],
                                  sc_mul(mech->graph, eq.v[i], eq.v[j])));
        system->kinetic = sc_mul(mech->graph, ex_num(mech->graph, 0.5), T);
    }
    system->mass =
        mech_eval_tape(mech, arena_printf(mech->arena, "%s.mass", decl->name),
                       0, eq.M, (size_t)n_coordinate * n_coordinate);
    const expr *e[2] = {system->kinetic, system->potential};
    system->energy = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.energy", decl->name), 0, e, 2);
    bool line = steady(mech, eq.M, (size_t)n_coordinate * n_coordinate);
    factor(&eq);
    back(&eq, eq.f, eq.a);
    line = line && steady(mech, eq.a, n_coordinate) && lines(mech, system);
    system->flags = line ? IMP_SYSTEMF_LINE : 0;
    system->block = (uint32_t)mech->n_blocks++;
    const struct sliding none = {0, NULL, NULL};
    system->row = system_block(
        mech, system->block, arena_printf(mech->arena, "%s.motion", decl->name),
        system->env_state, leaf, rate, 2 * n_coordinate, &none);
    guards(mech, system, leaf, eq.a);
    system->modal = system->solve = IMP_NO_TAPE;
    /* derivatives that commands ask for feel sliding too */
    bool felt = decl->n_observer || mech->model->n_series;
    if ((!line || felt) && decl->n_contact)
        modal_tape(&eq, leaf, rate);
    system->leaf = leaf;
    system->rate = rate;
    observer_build(mech, system);
}

bool
system_build(struct mech *mech)
{
    size_t n = mech->model->n_systems;
    uint32_t at =
        mech->layout.state + (uint32_t)mech->model->n_bodies * mech->n_state;
    mech->systems = NEW_N(mech->arena, struct msystem, n + 1);
    for (size_t i = 0; i < n; i++) {
        mech->systems[i].decl = mech->model->systems + i;
        mech->systems[i].env_state = at;
        at += 2 * mech->systems[i].decl->n +
              observer_size(mech, mech->systems[i].decl);
    }
    for (size_t i = 0; i < n; i++)
        one_system(mech, mech->systems + i);
    return true;
}

/* -- contacts ------------------------------------------------------------- */

static const expr *
row_leaf(void *ctx, const expr *leaf)
{
    struct mech *mech = ctx;
    uint32_t block, row;
    if (leaf->sym == SYM_STATE && system_row(mech, leaf->i, &block, &row))
        return ex_sym(mech->graph, SYM_ROW, 0, row);
    return NULL;
}

void
system_contact(struct mech *mech, uint32_t contact, imp_contact *out)
{
    struct graph *graph = mech->graph;
    const struct tm_contact *decl = mech->model->contacts + contact;
    const struct msystem *system = mech->systems + (decl->system - 1);
    uint32_t count = system->decl->n;
    graph_origin(graph, mech_range(decl->gap.range, decl->range));
    const expr *gap = of_state(mech, decl->gap.e);
    const expr **o = NEW_N(mech->arena, const expr *, count + 2);
    const expr *rate = ex_diff(graph, gap, sym_time(mech));
    for (uint32_t i = 0; i < count; i++) {
        o[2 + i] = ex_diff(graph, gap, sym_state(mech, system->env_state + i));
        rate = sc_add(graph, rate,
                      sc_mul(graph, o[2 + i],
                             sym_state(mech, system->env_state + count + i)));
    }
    o[0] = gap;
    o[1] = rate;
    out->system = decl->system - 1;
    out->range_at =
        mech_range(decl->gap.range, decl->range); /* where it is made */
    out->gap_unit = image_text(mech->image, decl->gap_unit);
    out->gradient = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.gradient", decl->name), 0, o,
        count + 2);
    const expr *along = ex_subst(graph, gap, row_leaf, mech);
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.gap", decl->name),
        .series = true,
        .outs = &along,
        .n_outs = 1,
        .env_of = mech_env_of,
        .ctx = mech};
    out->event =
        tape_build(graph, mech->image, &spec, mech->event_row[contact]);
}

/* -- the image ------------------------------------------------------------ */

imp_ref
image_coordinates(struct mech *mech)
{
    size_t count = mech->model->n_coordinates;
    imp_coordinate *table = NEW_N(mech->arena, imp_coordinate, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_coordinate *coordinate = mech->model->coordinates + i;
        table[i] = (imp_coordinate){
            .name = image_text(mech->image, coordinate->name),
            .unit = image_text(mech->image, coordinate->unit),
            .rate_unit = image_text(mech->image, coordinate->rate_unit),
            .env = system_env(mech, (uint32_t)i, 0),
            .env_rate = coordinate->order == 1
                            ? IMP_NO_RATE
                            : system_env(mech, (uint32_t)i, 1),
            .range = coordinate->range,
            .range_start = coordinate->start.range};
    }
    return image_array(mech->image, table, count, sizeof *table);
}

imp_ref
image_systems(struct mech *mech)
{
    size_t count = mech->model->n_systems;
    imp_system *table = NEW_N(mech->arena, imp_system, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_system *decl = mech->model->systems + i;
        const struct msystem *system = mech->systems + i;
        imp_range range_mass =
            decl->mass ? decl->range_mass : decl->kinetic.range;
        table[i] = (imp_system){
            .name = image_text(mech->image, decl->name),
            .energy_unit = image_text(mech->image, decl->energy_unit),
            .first = decl->first,
            .n = decl->n,
            .env_state = system->env_state,
            .block = system->block,
            .contact = decl->contact,
            .n_contact = decl->n_contact,
            .energy = system->energy,
            .mass = system->mass,
            .flags = system->flags,
            .modal = system->modal,
            .solve = system->solve,
            .rows = system->rows,
            .n_observer = decl->n_observer,
            .n_observed = system->n_observed,
            .observer = system->observer,
            .jump = system->jump,
            .range_observer = decl->range_observer,
            .range = decl->range,
            .range_mass = mech_range(range_mass, decl->range)};
    }
    return image_array(mech->image, table, count, sizeof *table);
}
