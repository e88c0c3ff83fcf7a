/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coulomb's friction at contacts of a system: the slip of a contact at one
 * instant as a tape, and its part in the equations of the motion with closed
 * contacts. There, entries of env say for each contact whether it sticks, or in
 * which direction it slips, so that one tape serves all modes. */
#include "mechanics/mech_priv.h"

#include <assert.h>

bool
contact_rubs(const struct tm_contact *decl)
{
    const struct tm_num *mu[] = {&decl->mu, &decl->mu_static, &decl->mu_impact};
    for (int i = 0; i < 3; i++)
        if (mu[i]->e && !ex_is_num(mu[i]->e, 0))
            return true;
    /* impacts move it along its tangent; it yields, as one with friction may */
    return decl->own[0].e != NULL || decl->compliance.e != NULL;
}

uint32_t
system_rubbing(const struct mech *mech, const struct tm_system *decl)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < decl->n_contact; i++)
        n += contact_rubs(mech->model->contacts + decl->contact + i);
    return n;
}

struct speed {
    struct mech *mech;
    const expr *value;
};
static const expr *
speed_leaf(void *ctx, const expr *leaf)
{
    const struct speed *speed = ctx;
    return leaf->sym == SYM_SLIP && leaf->i == ARGUMENT_SLIP ? speed->value
                                                             : NULL;
}

static void
note_power(void *ctx, const expr *node)
{
    bool *found = ctx;
    *found |= node->op == IMP_OP_SQRT || node->op == IMP_OP_POW;
}

const expr *
friction_speed(struct mech *mech, const struct tm_num *mu, const expr *speed)
{
    bool power = false;
    assert(mech && mu && speed);
    if (mu->e)
        ex_nodes(mech->graph, mu->e, note_power, &power);
    return power ? ex_op(mech->graph, IMP_OP_ABS, speed, NULL, NULL) : speed;
}

/* A coefficient of friction as a function of the state. */
static const expr *
coefficient(struct mech *mech, const struct tm_num *mu, const expr *speed)
{
    struct speed at = {mech, friction_speed(mech, mu, speed)};
    const expr *e = ex_subst(mech->graph, mu->e, speed_leaf, &at);
    return system_formula(mech, e);
}

static const expr *
entry(struct mech *mech, uint32_t contact, uint32_t which)
{
    return sym_env(mech,
                   mech->layout.contact + contact * IMP_CONTACT_SIZE + which);
}

const expr *
system_slip_formula(struct mech *mech, const struct msystem *system, uint32_t i,
                    const expr **T)
{
    assert(i < system->decl->n_contact);
    uint32_t n = system->decl->n;
    const expr *slip = system_formula(
        mech, mech->model->contacts[system->decl->contact + i].slip.e);
    for (uint32_t j = 0; T && j < n; j++)
        T[j] = ex_diff(mech->graph, slip,
                       sym_state(mech, system->env_state + n + j));
    return slip;
}

void
system_friction_mu(struct mech *mech, const struct msystem *system, uint32_t i,
                   const expr *mu[2])
{
    assert(i < system->decl->n_contact && mu);
    uint32_t contact = system->decl->contact + i;
    const struct tm_contact *decl = mech->model->contacts + contact;
    const expr *speed =
        sc_mul(mech->graph, entry(mech, contact, IMP_CONTACT_SIGN),
               system_slip_formula(mech, system, i, NULL));
    mu[0] = coefficient(mech, &decl->mu, speed);
    mu[1] = coefficient(mech, &decl->mu_static, speed);
}

const expr *
system_friction_row(struct mech *mech, const struct msystem *system, uint32_t i,
                    const expr *slip_rate, const expr *normal,
                    const expr *tangential)
{
    assert(slip_rate && normal && tangential);
    struct graph *graph = mech->graph;
    uint32_t contact = system->decl->contact + i;
    const expr *sticks = entry(mech, contact, IMP_CONTACT_STICK);
    const expr *sign = entry(mech, contact, IMP_CONTACT_SIGN);
    const expr *mu[2];
    system_friction_mu(mech, system, i, mu);
    const expr *slips = sc_add(
        graph, tangential, sc_mul(graph, sign, sc_mul(graph, mu[0], normal)));
    const expr *off = sc_sub(graph, ex_num(graph, 1.0), sticks);
    return sc_add(graph, sc_mul(graph, sticks, slip_rate),
                  sc_mul(graph, off, slips));
}

/* -- compliance ------------------------------------------------------------ */

static const expr *
compliance_leaf(void *ctx, const expr *leaf)
{
    const expr *const *argument = ctx;
    return leaf->sym == SYM_SLIP ? argument[leaf->i - ARGUMENT_DEPTH] : NULL;
}

const expr *
compliance_force(struct mech *mech, const struct tm_contact *decl,
                 const expr *const argument[COMPLIANCE_ARGUMENTS])
{
    assert(mech && decl->compliance.e && argument);
    struct graph *graph = mech->graph;
    const expr *depth = argument[0];
    const expr *beside = entry(mech, (uint32_t)(decl - mech->model->contacts),
                               IMP_CONTACT_BESIDE);
    const expr *shifted = ex_add(graph, depth, beside);
    const expr *at[COMPLIANCE_ARGUMENTS] = {shifted, argument[1], argument[2],
                                            argument[3]};
    const expr *force =
                   system_formula(mech, ex_subst(graph, decl->compliance.e,
                                                 compliance_leaf, (void *)at)),
               *share = ex_op(
                   graph, IMP_OP_SELECT,
                   ex_op(graph, IMP_OP_LT, ex_num(graph, 0.0), beside, NULL),
                   ex_div(graph, depth, shifted), ex_num(graph, 1.0));
    return ex_mul(graph, force, share);
}

uint32_t
compliance_series_tape(struct mech *mech, const struct tm_contact *decl)
{
    assert(mech && decl);
    struct graph *graph = mech->graph;
    if (!decl->compliance.e)
        return IMP_NO_TAPE;
    graph_origin(graph, mech_range(decl->compliance.range, decl->range));
    const expr *row[COMPLIANCE_ARGUMENTS];
    for (uint32_t k = 0; k < COMPLIANCE_ARGUMENTS; k++)
        row[k] = ex_sym(graph, SYM_ROW, 0, k);
    const expr *along = compliance_force(mech, decl, row);
    struct tape_spec spec = {
        .name = arena_printf(mech->arena, "%s.press", decl->name),
        .outs = &along,
        .n_outs = 1};
    return mech_series_tape(mech, spec, NULL);
}

uint32_t
system_compliant(const struct mech *mech, const struct tm_system *decl)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < decl->n_contact; i++)
        n += mech->model->contacts[decl->contact + i].compliance.e != NULL;
    return n;
}

uint32_t
system_remembering(const struct mech *mech, const struct tm_system *decl)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < decl->n_contact; i++)
        n += mech->model->contacts[decl->contact + i].remembers;
    return n;
}

const expr *
contact_memory(struct mech *mech, uint32_t contact, uint32_t which)
{
    return sym_state(mech, mech->layout.contact + contact * IMP_CONTACT_SIZE +
                               IMP_CONTACT_PUSHED + which);
}

const expr *
compression_rate(struct mech *mech, const expr *rate, const expr *force)
{
    struct graph *graph = mech->graph;
    return ex_op(graph, IMP_OP_SELECT,
                 ex_op(graph, IMP_OP_LT, rate, ex_num(graph, 0.0), NULL), force,
                 ex_num(graph, 0.0));
}

const expr *
system_pressing(struct mech *mech, const struct msystem *system, uint32_t i,
                const expr *rate, const expr *const memory[2])
{
    assert(i < system->decl->n_contact && rate && memory);
    struct graph *graph = mech->graph;
    const struct tm_contact *decl =
        mech->model->contacts + system->decl->contact + i;
    const expr *scale = system_formula(mech, decl->scale.e),
               *gap = system_contact_gap(mech, system, i, NULL);
    graph_origin(graph, mech_range(decl->compliance.range, decl->range));
    const expr *root = ex_op(graph, IMP_OP_SQRT, scale, NULL, NULL);
    const expr *argument[COMPLIANCE_ARGUMENTS] = {
        ex_neg(graph, ex_div(graph, gap, scale)),
        ex_neg(graph, ex_div(graph, rate, root)),
        ex_div(graph, memory[0], root), ex_div(graph, memory[1], root)};
    return compliance_force(mech, decl, argument);
}

const expr *
system_soft(struct mech *mech, uint32_t contact, bool pressed)
{
    struct graph *graph = mech->graph;
    return ex_op(graph, IMP_OP_LT,
                 ex_num(graph, pressed ? CONTACT_SOFT : CONTACT_RIGID),
                 entry(mech, contact, IMP_CONTACT_SOFT), NULL);
}

/* imp_contact.compliance */
uint32_t
system_compliance_tape(struct mech *mech, const struct tm_contact *decl)
{
    assert(mech && decl);
    struct graph *graph = mech->graph;
    if (!decl->compliance.e)
        return IMP_NO_TAPE;
    graph_origin(graph, mech_range(decl->compliance.range, decl->range));
    const expr *depth = ex_sym(graph, SYM_UNKNOWN, 0, 0),
               *speed = ex_sym(graph, SYM_UNKNOWN, 1, 0);
    uint32_t contact = (uint32_t)(decl - mech->model->contacts);
    const expr *scale = system_formula(mech, decl->scale.e),
               *root = ex_op(graph, IMP_OP_SQRT, scale, NULL, NULL),
               *argument[COMPLIANCE_ARGUMENTS] = {depth, speed};
    for (uint32_t k = 0; k < 2; k++)
        argument[2 + k] = ex_div(graph, contact_memory(mech, contact, k), root);
    const expr *force = compliance_force(mech, decl, argument);
    const expr *out[] = {force, ex_diff(graph, force, depth),
                         ex_diff(graph, force, speed), scale};
    return mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.compliance", decl->name), 2, out,
        sizeof out / sizeof *out);
}

uint32_t
system_slip_tape(struct mech *mech, const struct msystem *system, uint32_t i)
{
    assert(mech && system);
    struct graph *graph = mech->graph;
    uint32_t n = system->decl->n;
    const struct tm_contact *decl =
        mech->model->contacts + system->decl->contact + i;
    if (!decl->slip.e)
        return IMP_NO_TAPE;
    graph_origin(graph, mech_range(decl->slip.range, decl->range));
    const expr **out = NEW_N(mech->arena, const expr *, n + 5);
    const expr *slip = system_slip_formula(mech, system, i, out + 5);
    const expr *bias = ex_diff(graph, slip, sym_time(mech));
    for (uint32_t j = 0; j < n; j++)
        bias = sc_add(
            graph, bias,
            sc_mul(graph,
                   ex_diff(graph, slip, sym_state(mech, system->env_state + j)),
                   sym_state(mech, system->env_state + n + j)));
    const expr *speed = ex_op(graph, IMP_OP_ABS, slip, NULL, NULL);
    const struct tm_num *mu[] = {&decl->mu, &decl->mu_static, &decl->mu_impact};
    out[0] = slip;
    out[1] = bias;
    for (int k = 0; k < 3; k++) {
        graph_origin(graph, mech_range(mu[k]->range, decl->range));
        out[2 + k] =
            mu[k]->e ? coefficient(mech, mu[k], speed) : sc_zero(graph);
    }
    return mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.slip", decl->name), 0, out, n + 5);
}

/* -- what `painleve` asks for ----------------------------------------------
 */

bool
contact_asked_by_painleve(const struct mech *mech, uint32_t contact)
{
    assert(mech != NULL);
    for (size_t i = 0; i < mech->model->n_commands; i++) {
        const struct tm_command *command = mech->model->commands + i;
        if (command->id != IMP_CMD_painleve || command->done)
            continue;
        for (size_t k = 0; k < command->n_args; k++)
            if (command->args[k].ref == contact)
                return true;
    }
    return false;
}

static const expr *
product(struct graph *graph, const expr *const *a, const expr *const *b,
        uint32_t n)
{
    const expr *sum = sc_zero(graph);
    for (uint32_t j = 0; j < n; j++)
        sum = sc_add(graph, sum, sc_mul(graph, a[j], b[j]));
    return sum;
}

/* Appends the derivatives of e with respect to n leaves. */
static const expr **
gradient(struct graph *graph, const expr *e, const expr *const *leaf,
         uint32_t n, const expr **out)
{
    for (uint32_t j = 0; j < n; j++)
        *out++ = ex_diff(graph, e, leaf[j]);
    return out;
}

/* The derivative of this order of a formula of the state in free motion. */
static const expr *
free_rate(struct mech *mech, const struct msystem *system, const expr *of,
          int order)
{
    struct graph *graph = mech->graph;
    uint32_t n = system->decl->n;
    const expr **leaf = NEW_N(mech->arena, const expr *, 2 * n + 1);
    const expr **rate = NEW_N(mech->arena, const expr *, 2 * n + 1);
    for (uint32_t j = 0; j < n; j++) {
        leaf[j] = sym_state(mech, system->env_state + j);
        leaf[n + j] = rate[j] = sym_state(mech, system->env_state + n + j);
        rate[n + j] = system->free[j];
    }
    leaf[2 * n] = sym_time(mech);
    rate[2 * n] = ex_num(graph, 1.0);
    for (; order > 0; order--)
        of = ex_diff_along(graph, of, leaf, rate, 2 * n + 1);
    return of;
}

uint32_t
system_instant_tape(struct mech *mech, const struct msystem *system, uint32_t i)
{
    assert(mech && system);
    struct graph *graph = mech->graph;
    uint32_t n = system->decl->n, contact = system->decl->contact + i;
    const struct tm_contact *decl = mech->model->contacts + contact;
    if (!decl->slip.e || !contact_asked_by_painleve(mech, contact))
        return IMP_NO_TAPE;
    graph_origin(graph, mech_range(decl->slip.range, decl->range));
    size_t count = 9 + 3 * (size_t)n + 3 * (size_t)n * n;
    const expr **out = NEW_N(mech->arena, const expr *, count + 6 * (size_t)n),
               **q = out + count, **v = q + n, **d = v + n, **c = d + n,
               **Md = c + n, **Mc = Md + n, **next = out;
    for (uint32_t j = 0; j < n; j++) {
        q[j] = sym_state(mech, system->env_state + j);
        v[j] = sym_state(mech, system->env_state + n + j);
    }
    system_contact_gap(mech, system, i, d);
    system_slip_formula(mech, system, i, c);
    ldl_solve(graph, system->factor, n, d, Md);
    ldl_solve(graph, system->factor, n, c, Mc);
    const expr *C = product(graph, d, Md, n), *B = product(graph, d, Mc, n),
               *time = sym_time(mech),
               *b = free_rate(mech, system,
                              system_contact_gap(mech, system, i, NULL), 2),
               *speed = ex_sym(graph, SYM_UNKNOWN, 0, 0),
               *mu = decl->mu.e ? coefficient(mech, &decl->mu, speed)
                                : sc_zero(graph);
    *next++ = C;
    *next++ = B;
    next = gradient(graph, C, q, n, next);
    next = gradient(graph, B, q, n, next);
    *next++ = ex_diff(graph, C, time);
    *next++ = ex_diff(graph, B, time);
    const expr **b_v = NEW_N(mech->arena, const expr *, n);
    gradient(graph, b, v, n, b_v);
    *next++ = product(graph, b_v, Mc, n);
    *next++ = product(graph, b_v, Md, n);
    *next++ = mu;
    next = gradient(graph, mu, q, n, next);
    *next++ = ex_diff(graph, mu, time);
    *next++ = ex_diff(graph, mu, speed);
    for (uint32_t j = 0; j < n; j++)
        next = gradient(graph, system->force[j], q, n, next);
    for (uint32_t j = 0; j < n; j++)
        next = gradient(graph, d[j], q, n, next);
    for (uint32_t j = 0; j < n; j++)
        next = gradient(graph, c[j], q, n, next);
    assert(next == out + count);
    return mech_eval_tape(mech,
                          arena_printf(mech->arena, "%s.instant", decl->name),
                          1, out, count);
}

uint32_t
system_slide_tape(struct mech *mech, const struct msystem *system, uint32_t i)
{
    assert(mech && system);
    struct graph *graph = mech->graph;
    uint32_t n = system->decl->n, contact = system->decl->contact + i;
    const struct tm_contact *decl = mech->model->contacts + contact;
    if (!decl->slip.e || !contact_asked_by_painleve(mech, contact))
        return IMP_NO_TAPE;
    graph_origin(graph, mech_range(decl->slip.range, decl->range));
    const expr **out = NEW_N(mech->arena, const expr *, 9 + 5 * (size_t)n),
               **acc = out + 9, **d = acc + n, **c = d + n, **Md = c + n,
               **Mc = Md + n, *gap = system_contact_gap(mech, system, i, d),
               *slip = system_slip_formula(mech, system, i, c);
    for (uint32_t j = 0; j < n; j++)
        acc[j] = system->free[j];
    ldl_solve(graph, system->factor, n, d, Md);
    ldl_solve(graph, system->factor, n, c, Mc);
    out[0] = gap;
    out[1] = free_rate(mech, system, gap, 1);
    out[2] = slip;
    out[3] = decl->mu.e
                 ? coefficient(mech, &decl->mu,
                               ex_op(graph, IMP_OP_ABS, slip, NULL, NULL))
                 : sc_zero(graph);
    out[4] = product(graph, c, Mc, n);
    out[5] = product(graph, d, Mc, n);
    out[6] = product(graph, d, Md, n);
    out[7] = free_rate(mech, system, slip, 1);
    out[8] = free_rate(mech, system, gap, 2);
    return mech_eval_tape(mech,
                          arena_printf(mech->arena, "%s.slide", decl->name), 0,
                          out, 9 + 5 * (size_t)n);
}
