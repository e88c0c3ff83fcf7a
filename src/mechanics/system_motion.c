/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The motion of a system in generalised coordinates as a tape, with and
 * without contacts that slide. */
#include "mechanics/mech_priv.h"

#include <assert.h>

#include "abi/relays.h"

const uint32_t *
system_block(struct mech *mech, uint32_t index, const char *name,
             uint32_t first, const expr *const *leaf, const expr *const *rate,
             uint32_t count, const struct implicit *slide)
{
    assert(leaf && rate && count > 0 && slide);
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
                             .n_local = slide->n,
                             .outs = out,
                             .n_outs = count + slide->n,
                             .states = leaf,
                             .rates = rate,
                             .n_states = count,
                             .residual = slide->residual,
                             .jacobian = slide->jacobian,
                             .n_unknown = slide->n,
                             .symmetric = slide->general
                                              ? IMP_JACOBIAN_RANK
                                              : IMP_JACOBIAN_SEMIDEFINITE};
    block->out.motion = mech_series_tape(mech, spec, rows);
    block->out.solve = block->out.hold = block->out.push = IMP_NO_TAPE;
    block->out.driven = IMP_NO_TAPE;
    block->out.guard = IMP_NO_TAPE;
    block->out.bodies = image_array(mech->image, rows, 0, sizeof *rows);
    block->out.state = image_array(mech->image, state, count, sizeof *state);
    block->out.rows = image_array(mech->image, rows, count, sizeof *rows);
    return rows;
}

const expr *
system_contact_gap(struct mech *mech, const struct msystem *system, uint32_t i,
                   const expr **N)
{
    assert(i < system->decl->n_contact);
    const expr *gap = system_formula(
        mech, mech->model->contacts[system->decl->contact + i].gap.e);
    for (uint32_t j = 0; N && j < system->decl->n; j++)
        N[j] =
            ex_diff(mech->graph, gap, sym_state(mech, system->env_state + j));
    return gap;
}

/* True when all contacts of the system fit one implicit block. */
static bool
contacts_fit(struct mech *mech, const struct tm_system *decl)
{
    if (decl->n_contact + system_rubbing(mech, decl) <= IMP_UNKNOWN_MAX)
        return true;
    struct diag *diag = diag_add(
        mech->diags, DIAG_E0545, decl->range,
        "the system `%s` has %u contacts; at most %d can slide in a motion "
        "that is followed by series",
        decl->name, decl->n_contact, IMP_UNKNOWN_MAX);
    diag_help(mech->diags, diag,
              "small rotations, without observers and derivatives asked "
              "for, have no such limit; friction counts twice");
    return false;
}

/* The derivative of this order of a formula of the state along the flow. */
static const expr *
flow_derivative(struct mech *mech, const expr *formula, int order,
                const expr *const *leaf, const expr *const *rate,
                uint32_t count)
{
    const expr **flow_leaf = NEW_N(mech->arena, const expr *, count + 1);
    const expr **flow_rate = NEW_N(mech->arena, const expr *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        flow_leaf[i] = leaf[i];
        flow_rate[i] = rate[i];
    }
    flow_leaf[count] = sym_time(mech);
    flow_rate[count] = ex_num(mech->graph, 1.0);
    for (; order > 0; order--)
        formula = ex_diff_along(mech->graph, formula, flow_leaf, flow_rate,
                                count + 1);
    return formula;
}

/* A force along the gradient, while the contact is closed: adds what it does to
 * the accelerations. M: n x n, factored. */
static void
add_force(struct mech *mech, const struct msystem *system, const expr *const *M,
          const expr *const *gradient, const expr *force, const expr **rate)
{
    struct graph *graph = mech->graph;
    uint32_t n = system->decl->n;
    const expr **response = NEW_N(mech->arena, const expr *, n);
    ldl_solve(graph, M, n, gradient, response);
    for (uint32_t j = 0; j < n; j++)
        rate[n + j] =
            sc_add(graph, rate[n + j], sc_mul(graph, response[j], force));
}

/* The unknowns of the motion with closed contacts: a force lambda along the
 * normal of each, then friction where there is any. Adds to the rates what they
 * do. */
static void
contact_forces(struct mech *mech, const struct msystem *system,
               const expr *const *M, const expr **active, const expr **rate)
{
    struct graph *graph = mech->graph;
    const struct tm_system *decl = system->decl;
    const expr **gradient = NEW_N(mech->arena, const expr *, decl->n);
    uint32_t next = decl->n_contact;
    for (uint32_t i = 0; i < decl->n_contact; i++) {
        uint32_t contact = decl->contact + i;
        graph_origin(graph, mech->model->contacts[contact].gap.range);
        active[i] =
            sym_env(mech, mech->layout.contact + contact * IMP_CONTACT_SIZE +
                              IMP_CONTACT_ACTIVE);
        system_contact_gap(mech, system, i, gradient);
        add_force(mech, system, M, gradient,
                  sc_mul(graph, active[i], ex_sym(graph, SYM_UNKNOWN, i, 0)),
                  rate);
        if (!contact_rubs(mech->model->contacts + contact))
            continue;
        system_slip_formula(mech, system, i, gradient);
        add_force(
            mech, system, M, gradient,
            sc_mul(graph, active[i], ex_sym(graph, SYM_UNKNOWN, next++, 0)),
            rate);
    }
}

/* Friction of contact i, whose unknown is number `unknown`: its residual, and
 * the four outputs of its rows (imp_system.modal). */
static const expr *
friction_outputs(struct mech *mech, const struct msystem *system, uint32_t i,
                 uint32_t unknown, const expr *const *leaf,
                 const expr *const *rate, const expr **out)
{
    struct graph *graph = mech->graph;
    const expr *normal = ex_sym(graph, SYM_UNKNOWN, i, 0),
               *friction = ex_sym(graph, SYM_UNKNOWN, unknown, 0);
    const expr *slip = system_slip_formula(mech, system, i, NULL), *mu[2];
    system_friction_mu(mech, system, i, mu);
    const expr *bound = sc_mul(graph, mu[1], normal);
    out[0] = friction;
    out[1] = slip;
    out[2] = sc_sub(graph, bound, friction);
    out[3] = sc_add(graph, bound, friction);
    return system_friction_row(
        mech, system, i,
        flow_derivative(mech, slip, 1, leaf, rate, 2 * system->decl->n), normal,
        friction);
}

/* The states of the motion, and behind them what contacts remember: its
 * derivatives are known when their forces are. */
struct states {
    const expr **leaf, **rate;
    uint32_t n, n_memory; /* entries of the motion; rows of memories so far */
};

static struct states
states_new(struct mech *mech, const struct msystem *system,
           const expr *const *leaf, const expr *const *rate)
{
    uint32_t n = 2 * system->decl->n,
             all = n + 2 * system_remembering(mech, system->decl);
    struct states states = {.leaf = NEW_N(mech->arena, const expr *, all),
                            .rate = NEW_N(mech->arena, const expr *, all),
                            .n = n};
    for (uint32_t k = 0; k < n; k++) {
        states.leaf[k] = leaf[k];
        states.rate[k] = rate[k];
    }
    return states;
}

/* What is 0 at contact i where it has a compliance: `rigid`, or while it is
 * soft what its force lacks to that of the law. *pressing: that force, 0 where
 * nobody asks for it. */
static const expr *
compliant_row(struct mech *mech, const struct msystem *system, uint32_t i,
              struct states *states, const expr *active, const expr *rigid,
              const expr **pressing)
{
    struct graph *graph = mech->graph;
    uint32_t contact = system->decl->contact + i;
    const expr *gap = system_contact_gap(mech, system, i, NULL);
    const expr *speed =
        flow_derivative(mech, gap, 1, states->leaf, states->rate, states->n);
    const expr *memory[2];
    for (uint32_t k = 0; k < 2; k++)
        memory[k] = contact_memory(mech, contact, k);
    *pressing = ex_op(graph, IMP_OP_SELECT, system_soft(mech, contact, true),
                      system_pressing(mech, system, i, speed, memory),
                      ex_num(graph, 0.0));
    if (mech->model->contacts[contact].remembers) {
        const expr *force = sc_mul(graph, active, *pressing);
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t at = states->n + states->n_memory++;
            states->leaf[at] = memory[k];
            states->rate[at] = k ? compression_rate(mech, speed, force) : force;
        }
    }
    const expr *soft = sc_sub(graph, ex_sym(graph, SYM_UNKNOWN, i, 0),
                              sc_mul(graph, active, *pressing));
    return ex_op(graph, IMP_OP_SELECT, system_soft(mech, contact, false), soft,
                 rigid);
}

/* -- tapes ----------------------------------------------------------------- */

struct sliding {
    uint32_t modal, solve;
    imp_ref rows;
    struct implicit slide;
};

/* What relays are beside closed contacts (abi/relays.h). */
struct beside {
    const struct relays *of;
    uint32_t n;
    const expr *held[IMP_RELAYS_MAX], *side[IMP_RELAYS_MAX],
        *share[IMP_RELAYS_MAX];
};

/* first: the number of the first share among the unknowns. */
static struct beside
beside_new(struct mech *mech, const struct relays *relays, uint32_t first)
{
    struct beside beside = {.of = relays, .n = relays_count(relays)};
    for (uint32_t i = 0; i < beside.n; i++) {
        uint32_t local = first + beside.n + i;
        beside.share[i] = ex_sym(mech->graph, SYM_UNKNOWN, first + i, 0);
        beside.held[i] = ex_sym(mech->graph, SYM_LOCAL, local, 0);
        beside.side[i] = relays_side_told(
            relays, i, ex_sym(mech->graph, SYM_LOCAL, local + beside.n, 0));
    }
    return beside;
}

/* The residuals of the relays; shares and u into out. */
static void
beside_outputs(struct mech *mech, const struct beside *beside,
               const expr *const *rate, const expr **residual, const expr **out)
{
    struct graph *graph = mech->graph;
    for (uint32_t i = 0; i < beside->n; i++) {
        residual[i] = ex_op(graph, IMP_OP_SELECT, beside->held[i],
                            relays_level_rate(beside->of, i, rate),
                            sc_sub(graph, beside->share[i], beside->side[i]));
        out[i] = beside->share[i];
        out[beside->n + i] = relays_level(beside->of, i);
    }
}

/* `relays`: with these as unknowns, or NULL. */
static struct sliding
sliding_tapes(struct mech *mech, const struct msystem *system,
              const expr *const *M, const expr *const *leaf, const expr **rate,
              const struct relays *relays)
{
    struct graph *graph = mech->graph;
    const struct tm_system *decl = system->decl;
    uint32_t n_contact = decl->n_contact, n_rub = system_rubbing(mech, decl);
    uint32_t n_relay = relays_count(relays), n_force = n_contact + n_rub;
    uint32_t n_state = 2 * decl->n, n_unknown = n_force + n_relay;
    uint32_t n_soft = system_compliant(mech, decl);
    uint32_t n_memory = 2 * system_remembering(mech, decl);
    uint32_t n_motion = n_state + n_contact + 4 * n_rub + n_soft + n_memory,
             n_out = n_motion + 2 * n_relay;
    assert(n_contact > 0);
    const expr **active = NEW_N(mech->arena, const expr *, n_contact);
    const expr **residual =
        NEW_N(mech->arena, const expr *, (size_t)n_unknown *(n_unknown + 1));
    const expr **jacobian = residual + n_unknown;
    const expr **out = NEW_N(mech->arena, const expr *, n_out);
    const expr **pressing = out + n_motion - n_memory - n_soft;
    uint32_t *rows = NEW_N(mech->arena, uint32_t, n_out), next = n_contact;
    struct beside beside = beside_new(mech, relays, n_force);
    if (relays)
        relays_rates(relays, beside.share, beside.side, rate);
    contact_forces(mech, system, M, active, rate);
    struct states states = states_new(mech, system, leaf, rate);
    if (relays)
        relays_hold(relays, beside.held, states.rate);
    for (uint32_t i = 0; i < n_state; i++)
        out[i] = leaf[i];
    for (uint32_t i = 0; i < n_contact; i++) {
        const expr *lambda = ex_sym(graph, SYM_UNKNOWN, i, 0);
        const expr *gap = system_contact_gap(mech, system, i, NULL);
        const expr *accel = flow_derivative(mech, gap, 2, leaf, rate, n_state);
        const expr *off = sc_sub(graph, ex_num(graph, 1.0), active[i]);
        residual[i] = sc_add(graph, sc_mul(graph, active[i], accel),
                             sc_mul(graph, off, lambda));
        if (mech->model->contacts[decl->contact + i].compliance.e)
            residual[i] = compliant_row(mech, system, i, &states, active[i],
                                        residual[i], pressing++);
        out[n_state + i] = lambda;
        if (!contact_rubs(mech->model->contacts + decl->contact + i))
            continue;
        residual[next] = friction_outputs(mech, system, i, next, leaf, rate,
                                          out + n_state + n_contact +
                                              4 * (next - n_contact));
        next++;
    }
    for (uint32_t k = 0; k < n_memory; k++)
        out[n_motion - n_memory + k] = states.leaf[n_state + k];
    beside_outputs(mech, &beside, rate, residual + n_force, out + n_motion);
    for (uint32_t i = 0; i < n_unknown; i++)
        for (uint32_t j = 0; j < n_unknown; j++)
            jacobian[i * n_unknown + j] =
                ex_diff(graph, residual[i], ex_sym(graph, SYM_UNKNOWN, j, 0));
    struct sliding to = {
        .slide = {n_unknown, residual, jacobian, n_rub > 0 || n_relay > 0}};
    const char *with = relays ? " and relays" : "";
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.sliding%s", decl->name, with),
        .n_local = n_unknown + 2 * n_relay,
        .outs = out,
        .n_outs = n_out,
        .states = states.leaf,
        .rates = states.rate,
        .n_states = n_state + n_memory,
        .residual = residual,
        .jacobian = jacobian,
        .n_unknown = n_unknown,
        .symmetric =
            to.slide.general ? IMP_JACOBIAN_RANK : IMP_JACOBIAN_SEMIDEFINITE};
    to.modal = mech_series_tape(mech, spec, rows);
    to.rows = image_array(mech->image, rows, n_out, sizeof *rows);
    to.solve = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.forces%s", decl->name, with),
        n_unknown + 2 * n_relay, residual, (size_t)n_unknown * (n_unknown + 1));
    return to;
}

void
system_sliding(struct mech *mech, struct msystem *system, const expr *const *M,
               const expr *const *leaf, const expr **rate)
{
    if (!contacts_fit(mech, system->decl))
        return;
    struct sliding tapes = sliding_tapes(mech, system, M, leaf, rate, NULL);
    system->slide = tapes.slide;
    system->modal = tapes.modal;
    system->rows = tapes.rows;
    system->solve = tapes.solve;
}

void
system_sliding_relays(struct mech *mech, const struct msystem *system,
                      const expr *const *M, const expr *const *leaf,
                      const struct relays *relays)
{
    const struct tm_system *decl = system->decl;
    assert(relays);
    if (decl->n_contact + system_rubbing(mech, decl) + relays_count(relays) >
        IMP_UNKNOWN_MAX)
        return;
    const expr **rate = NEW_N(mech->arena, const expr *, 2 * (size_t)decl->n);
    struct sliding tapes = sliding_tapes(mech, system, M, leaf, rate, relays);
    relays_modal(relays, &mech->blocks[system->block].out, tapes.modal,
                 tapes.solve, tapes.rows);
}
