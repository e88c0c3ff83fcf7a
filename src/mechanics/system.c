/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems in generalised coordinates. The equations of motion are derived on
 * the graph,
 *   M q'' = dT/dq - (dp/dq) q' - dp/dt - dV/dq - dD/dq' + force,
 *   p = dT/dq',  M = dp/dq'
 * (Lagrange's equations), and solved there for q'' by L D L^T. If the model
 * states M, the terms that depend on T are left out; the stated force holds
 * them then. Literal zeros vanish on the way, so a diagonal M costs one
 * quotient per coordinate, and constant accelerations stay constants: then the
 * motion is a polynomial. */
#include "mechanics/mech_priv.h"

#include <assert.h>
#include <string.h>

/* What the derivation of one system works on. */
struct lagrange {
    struct mech *mech;
    struct msystem *s;
    uint32_t n;
    const expr **q, **v; /* state leaves */
    const expr **M;      /* n x n */
    const expr **f;      /* right-hand side */
    const expr **a;      /* accelerations */
};

/* M and the right-hand side from the energies. */
static void
equations(struct lagrange *eq)
{
    struct graph *graph = eq->mech->graph;
    const struct tm_system *decl = eq->s->decl;
    const expr *T = eq->s->kinetic, *V = eq->s->potential;
    const expr *D = system_formula(eq->mech, decl->dissipation.e),
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
            force = sc_add(graph, force,
                           system_formula(eq->mech, decl->force[row]));
        eq->f[row] = force;
    }
}

static void
stated(struct lagrange *eq)
{
    const struct tm_system *decl = eq->s->decl;
    for (uint32_t i = 0; i < eq->n * eq->n; i++)
        eq->M[i] = system_formula(eq->mech, decl->mass[i]);
    struct graph *graph = eq->mech->graph;
    const expr *V = eq->s->potential,
               *D = system_formula(eq->mech, decl->dissipation.e);
    for (uint32_t i = 0; i < eq->n; i++) {
        const expr *f = decl->force ? system_formula(eq->mech, decl->force[i])
                                    : sc_zero(graph);
        f = sc_sub(graph, f, ex_diff(graph, V, eq->q[i]));
        eq->f[i] = sc_sub(graph, f, ex_diff(graph, D, eq->v[i]));
    }
}

/* True if none of these expressions changes along the motion. */
static bool
steady(struct mech *mech, const expr *const *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ex_depends(mech->graph, e[i], SYM_STATE, UINT32_MAX, UINT32_MAX) ||
            ex_depends(mech->graph, e[i], SYM_TIME, UINT32_MAX, UINT32_MAX))
            return false;
    return true;
}

/* True if all gaps are linear in the coordinates, with constant coefficients,
 * and no contact has friction. */
static bool
lines(struct mech *mech, const struct msystem *system)
{
    const expr **N = NEW_N(mech->arena, const expr *, system->decl->n);
    if (system_rubbing(mech, system->decl))
        return false; /* friction depends on the slip */
    for (uint32_t i = 0; i < system->decl->n_contact; i++) {
        const expr *gap = system_contact_gap(mech, system, i, N);
        if (restitution_varies(mech, mech->model->contacts +
                                         system->decl->contact + i))
            return false; /* impacts are not linear in the rates */
        if (!steady(mech, N, system->decl->n) || switching_in(mech, gap) ||
            ex_depends(mech->graph, gap, SYM_TIME, UINT32_MAX, UINT32_MAX))
            return false;
    }
    return true;
}

/* The rate of a gap as a function of the state. */
static const expr *
system_gap_rate(struct mech *mech, const struct msystem *system, uint32_t i)
{
    struct graph *graph = mech->graph;
    uint32_t n = system->decl->n;
    const expr *gap = system_contact_gap(mech, system, i, NULL),
               *rate = ex_diff(graph, gap, sym_time(mech));
    for (uint32_t j = 0; j < n; j++)
        rate = sc_add(
            graph, rate,
            sc_mul(graph,
                   ex_diff(graph, gap, sym_state(mech, system->env_state + j)),
                   sym_state(mech, system->env_state + n + j)));
    return rate;
}

/* The switching functions of the accelerations, of the energies, whose jumps
 * accelerations do not show, and of the gaps. */
static struct guard_levels
guards(struct mech *mech, const struct msystem *system, const expr *const *leaf,
       const expr *const *acc)
{
    const struct tm_system *decl = system->decl;
    uint32_t n_f = decl->n;
    const expr **f = NEW_N(mech->arena, const expr *,
                           decl->n + 6 * (size_t)decl->n_contact + 3);
    for (uint32_t i = 0; i < decl->n; i++)
        f[i] = acc[i];
    f[n_f++] = system->kinetic;
    f[n_f++] = system->potential;
    for (uint32_t i = 0; i < decl->n_contact; i++)
        if (contact_rubs(mech->model->contacts + decl->contact + i)) {
            f[n_f++] = system_slip_formula(mech, system, i, NULL);
            system_friction_mu(mech, system, i, f + n_f);
            n_f += 2;
        }
    uint32_t n_memory = 0;
    for (uint32_t i = 0; i < decl->n_contact; i++) {
        const struct tm_contact *contact =
            mech->model->contacts + decl->contact + i;
        if (!contact->compliance.e)
            continue;
        const expr *rate = system_gap_rate(mech, system, i), *memory[2];
        for (uint32_t k = 0; k < 2; k++)
            memory[k] = contact->remembers
                            ? ex_sym(mech->graph, SYM_ROW, IMP_SYSTEM_MEMORY,
                                     n_memory++)
                            : sc_zero(mech->graph);
        const expr *force = system_pressing(mech, system, i, rate, memory);
        f[n_f++] = force;
        if (contact->remembers)
            f[n_f++] = compression_rate(mech, rate, force);
    }
    for (uint32_t i = 0; i < decl->n_contact; i++)
        f[n_f++] = system_contact_gap(mech, system, i, NULL);
    return switching_build(mech, &mech->blocks[system->block].out,
                           arena_printf(mech->arena, "%s.guard", decl->name),
                           leaf, system->row, 2 * (size_t)decl->n, f, n_f,
                           decl->n_contact);
}

/* The tape of all numbers of the drawings. */
static uint32_t
drawings(struct mech *mech, const struct tm_system *decl)
{
    const expr **e =
        NEW_N(mech->arena, const expr *, 4 * (size_t)decl->n_drawings + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < decl->n_drawings; i++)
        for (uint32_t k = 0; k < decl->drawings[i].n; k++)
            e[n++] = system_formula(mech, decl->drawings[i].e[k]);
    return n ? mech_eval_tape(mech,
                              arena_printf(mech->arena, "%s.draw", decl->name),
                              0, e, n)
             : IMP_NO_TAPE;
}

uint32_t
system_outline(struct mech *mech, const struct tm_system *decl, uint32_t number)
{
    assert(mech && decl && number < decl->n_drawings);
    const struct tm_drawing *drawing = &decl->drawings[number];
    const char *name =
        arena_printf(mech->arena, "%s.%s", decl->name, drawing->name);
    if (drawing->poly)
        return mech_eval_tape(mech, name, 0, drawing->poly,
                              drawing->n_point ? 2 * (size_t)drawing->n_point
                                               : 3 * (size_t)drawing->n_plane);
    return drawing->level_set
               ? mech_eval_tape(mech, name, 2, &drawing->level_set, 1)
               : IMP_NO_TAPE;
}

/* The tape of the sizes of the terms of the accelerations. */
static uint32_t
pull_tape(struct mech *mech, const struct msystem *system)
{
    const struct tm_system *decl = system->decl;
    if (!system_rubbing(mech, decl))
        return IMP_NO_TAPE;
    const expr **size = NEW_N(mech->arena, const expr *, decl->n);
    for (uint32_t i = 0; i < decl->n; i++)
        size[i] = formula_rounding(mech, system->free[i]);
    return mech_eval_tape(mech,
                          arena_printf(mech->arena, "%s.pull", decl->name), 0,
                          size, decl->n);
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
    system->potential = system_formula(mech, decl->potential.e);
    system->kinetic = system_formula(mech, decl->kinetic.e);
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
    ldl_factor(mech->graph, eq.M, n_coordinate);
    ldl_solve(mech->graph, eq.M, n_coordinate, eq.f, eq.a);
    line = line && steady(mech, eq.a, n_coordinate) && lines(mech, system) &&
           !switching_in(mech, system->kinetic) &&
           !switching_in(mech, system->potential);
    const expr **free = NEW_N(mech->arena, const expr *, n_coordinate);
    memcpy(free, eq.a, n_coordinate * sizeof *free);
    system->free = free;
    system->pull = pull_tape(mech, system);
    system->force = eq.f;
    system->factor = eq.M;
    system->flags = line ? IMP_SYSTEMF_LINE : 0;
    system->block = (uint32_t)mech->n_blocks++;
    const struct implicit none = {0, NULL, NULL, false};
    system->row = system_block(
        mech, system->block, arena_printf(mech->arena, "%s.motion", decl->name),
        system->env_state, leaf, rate, 2 * n_coordinate, &none);
    struct guard_levels levels = guards(mech, system, leaf, eq.a);
    const struct relays *relays =
        relays_build(mech, &mech->blocks[system->block].out, decl->name,
                     &levels, leaf, rate, 2 * (size_t)n_coordinate, NULL);
    if (relays && !line && decl->n_contact)
        system_sliding_relays(mech, system, eq.M, leaf, relays);
    system->modal = system->solve = IMP_NO_TAPE;
    /* observers, and derivatives that commands ask for, depend on the forces of
     * sliding contacts */
    bool felt = decl->n_observer || mech->model->n_series;
    if ((!line || felt) && decl->n_contact)
        system_sliding(mech, system, eq.M, leaf, rate);
    system->leaf = leaf;
    system->rate = rate;
    observer_build(mech, system);
    system->draw = drawings(mech, decl);
}

bool
system_build(struct mech *mech)
{
    assert(mech && !mech->systems);
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

/* -- contacts -------------------------------------------------------------- */

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
    assert(contact < mech->model->n_contacts && out);
    struct graph *graph = mech->graph;
    const struct tm_contact *decl = mech->model->contacts + contact;
    const struct msystem *system = mech->systems + (decl->system - 1);
    uint32_t count = system->decl->n;
    graph_origin(graph, mech_range(decl->gap.range, decl->range));
    const expr *gap = system_formula(mech, decl->gap.e);
    const expr **outputs = NEW_N(mech->arena, const expr *, count + 2);
    const expr *rate = ex_diff(graph, gap, sym_time(mech));
    for (uint32_t i = 0; i < count; i++) {
        outputs[2 + i] =
            ex_diff(graph, gap, sym_state(mech, system->env_state + i));
        rate = sc_add(graph, rate,
                      sc_mul(graph, outputs[2 + i],
                             sym_state(mech, system->env_state + count + i)));
    }
    outputs[0] = gap;
    outputs[1] = rate;
    out->system = decl->system - 1;
    out->range_at =
        mech_range(decl->gap.range, decl->range); /* where the gap is stated */
    out->gap_unit = image_text(mech->image, decl->gap_unit);
    out->gradient = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.gradient", decl->name), 0, outputs,
        count + 2);
    const expr *along = ex_subst(graph, gap, row_leaf, mech);
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.gap", decl->name),
        .outs = &along,
        .n_outs = 1};
    out->event = mech_series_tape(mech, spec, mech->event_row[contact]);
    out->slip = system_slip_tape(mech, system, contact - system->decl->contact);
    out->compliance = system_compliance_tape(mech, decl);
    out->compliance_series = compliance_series_tape(mech, decl);
    out->range_compliance = mech_range(decl->compliance.range, decl->range);
    out->instant =
        system_instant_tape(mech, system, contact - system->decl->contact);
    out->slide =
        system_slide_tape(mech, system, contact - system->decl->contact);
}
