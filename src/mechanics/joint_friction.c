/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coulomb's friction of hinges and sliders of the plane. With the unknown M,
 * its moment or force on the first body, and the forces F of the joint,
 *   while it sticks    the change of its rate is 0
 *   while it slips     M + sign mu grip(F) = 0
 *   hinge:   grip = radius |F|
 *   slider:  grip = |N1| + |N2|,  N1, N2 = F/2 +- moment/length,
 * the forces at both ends of the bush of the first body. Entries of env say
 * which of these rows holds, so that one tape serves all modes. Joints whose
 * rates one degree of freedom moves (all of a linkage) stick together. Their
 * frictions are then not determined one by one; each takes the same share tau
 * of the greatest that it has, M + sign tau mu_static grip(F) = 0, and tau is
 * such that the rate of the leading one stays 0. They begin to slip where tau
 * is 1 or -1, which is where the motion with slip begins to be possible.
 *
 * The rows are not linear in the unknowns, because of |F|. Newton's method
 * gives order 0 (runtime/joints/joint_friction.c); the higher orders follow
 * from the derivatives `slope` there, like those of any implicit series. Where
 * nothing loads a hinge, |F| has no derivative, and LOAD 0 takes its friction
 * away. The signs of N1 and N2 are entries of env (SIDE). */
#include "mechanics/mech_priv.h"

#include <string.h>

static const expr *
entry(struct mech *mech, const struct mrub *rub, uint32_t which)
{
    return sym_env(mech, rub->env + which);
}

static const expr *
unknown(struct mech *mech, uint32_t i)
{
    return ex_sym(mech->graph, SYM_UNKNOWN, i, 0);
}

static const expr *
one_less(struct mech *mech, const expr *e)
{
    return sc_sub(mech->graph, ex_num(mech->graph, 1.0), e);
}

const expr *
joint_friction_held(struct mech *mech, const struct mblock *block, uint32_t i)
{
    assert(mech && block && i < block->n_row);
    if (!block->n_rub || i < block->first_rub)
        return NULL;
    if (i >= block->first_rub + block->n_rub)
        return sc_zero(mech->graph); /* the share */
    return entry(mech, block->rub + (i - block->first_rub), IMP_JOINT_HELD);
}

/* -- coefficients ---------------------------------------------------------- */

struct at {
    struct mech *mech;
    const expr *speed;
};
static const expr *
mu_leaf(void *ctx, const expr *leaf)
{
    const struct at *at = ctx;
    if (leaf->sym == SYM_SLIP)
        return at->speed;
    return leaf->sym == SYM_BODY ? quantity_leaf(at->mech, leaf) : NULL;
}

static void
coefficients(struct mech *mech, struct mrub *rub)
{
    struct graph *graph = mech->graph;
    const struct tm_joint *decl = mech->model->joints + rub->joint;
    const expr *speed =
        sc_mul(graph, entry(mech, rub, IMP_JOINT_SIGN), rub->rate);
    if (decl->kind == IMP_JOINT_HINGE)
        speed = sc_mul(graph, entry(mech, rub, IMP_JOINT_WIDTH), speed);
    struct at at = {mech, friction_speed(mech, &decl->mu, speed)};
    graph_origin(graph, mech_range(decl->mu.range, decl->range));
    rub->mu = ex_subst(graph, decl->mu.e, mu_leaf, &at);
    graph_origin(graph, mech_range(decl->mu_static.range, decl->range));
    at.speed = friction_speed(mech, &decl->mu_static, speed);
    rub->mu_static = ex_subst(graph, decl->mu_static.e, mu_leaf, &at);
    rub->mu = sc_add(graph, rub->mu,
                     sc_mul(graph, entry(mech, rub, IMP_JOINT_BREAK),
                            sc_sub(graph, rub->mu_static, rub->mu)));
}

/* -- rows of the friction -------------------------------------------------- */

/* What the friction is mu times of. */
static const expr *
grip(struct mech *mech, const struct mrub *rub)
{
    struct graph *graph = mech->graph;
    const expr *width = entry(mech, rub, IMP_JOINT_WIDTH),
               *F[2] = {unknown(mech, rub->force),
                        unknown(mech, rub->force + 1)};
    if (mech->model->joints[rub->joint].kind == IMP_JOINT_HINGE) {
        const expr *load = entry(mech, rub, IMP_JOINT_LOAD),
                   *square = sc_add(graph, sc_mul(graph, F[0], F[0]),
                                    sc_mul(graph, F[1], F[1]));
        square = sc_add(graph, square, one_less(mech, load));
        return sc_mul(graph, sc_mul(graph, load, width),
                      ex_op(graph, IMP_OP_SQRT, square, NULL, NULL));
    }
    const expr *half = sc_mul(graph, ex_num(graph, 0.5), F[0]),
               *lever = ex_div(graph, F[1], width),
               *first = entry(mech, rub, IMP_JOINT_SIDE),
               *second = entry(mech, rub, IMP_JOINT_SIDE + 1);
    return sc_add(graph, sc_mul(graph, first, sc_add(graph, half, lever)),
                  sc_mul(graph, second, sc_sub(graph, half, lever)));
}

static const expr *
share_of(struct mech *mech, const struct mblock *block)
{
    return block->sharing ? unknown(mech, block->first_rub + block->n_rub)
                          : ex_num(mech->graph, 1.0);
}

/* What is 0 by the mode of a joint. */
static const expr *
friction_row(struct mech *mech, const struct mblock *block, uint32_t i)
{
    struct graph *graph = mech->graph;
    const struct mrub *rub = block->rub + i;
    const expr *stick = entry(mech, rub, IMP_JOINT_STICK),
               *shares = block->sharing ? entry(mech, rub, IMP_JOINT_SHARE)
                                        : sc_zero(graph);
    const expr *mu =
        sc_add(graph, sc_mul(graph, one_less(mech, shares), rub->mu),
               sc_mul(graph, sc_mul(graph, shares, share_of(mech, block)),
                      rub->mu_static));
    mu = sc_mul(graph, entry(mech, rub, IMP_JOINT_SIGN), mu);
    const expr *slips = sc_add(graph, unknown(mech, block->first_rub + i),
                               sc_mul(graph, mu, grip(mech, rub)));
    return sc_add(graph, sc_mul(graph, stick, rub->change),
                  sc_mul(graph, one_less(mech, stick), slips));
}

/* What is 0 of the share: the change of the leading rate, or itself. */
static const expr *
share_row(struct mech *mech, const struct mblock *block)
{
    struct graph *graph = mech->graph;
    const expr *any = sc_zero(graph), *sum = sc_zero(graph);
    for (uint32_t i = 0; i < block->n_rub; i++) {
        const expr *lead = entry(mech, block->rub + i, IMP_JOINT_LEAD);
        any = sc_add(graph, any, lead);
        sum = sc_add(graph, sum, sc_mul(graph, lead, block->rub[i].change));
    }
    return sc_add(graph, sum,
                  sc_mul(graph, one_less(mech, any), share_of(mech, block)));
}

/* Squares of mass times acceleration of both bodies: what forces of the joint
 * are measured by. */
static const expr *
size_of(struct mech *mech, const struct mrub *rub)
{
    struct graph *graph = mech->graph;
    const expr *sum = sc_zero(graph);
    for (int i = 0; i < 2; i++) {
        uint32_t number = mech->model->joints[rub->joint].body[i];
        if (number == IMP_WORLD || mech->bodies[number].fixed)
            continue;
        const struct mbody *body = mech->bodies + number;
        vec3 force =
            v3_scale(graph, sym_env(mech, body->env.body + IMP_BODY_MASS),
                     body->form->rate.acc);
        sum = sc_add(graph, sum, v3_dot(graph, force, force));
    }
    return sum;
}

/* -- equations ------------------------------------------------------------- */

/* Derivatives of the rows of the friction by all unknowns; those of the other
 * rows are in K. */
static void
slopes(struct mech *mech, struct mblock *block)
{
    uint32_t n = block->n_unknown;
    block->slope = NEW_N(mech->arena, const expr *, (size_t)n *n);
    memcpy(block->slope, block->K, sizeof *block->K * n * n);
    for (uint32_t row = block->first_rub; row < block->n_row; row++)
        for (uint32_t column = 0; column < n; column++)
            block->slope[row * n + column] = ex_diff(
                mech->graph, block->rubbing[row], unknown(mech, column));
}

/* Makes K the matrix in which a rate that is not held has the multiplier 0. */
static void
hold_rates(struct mech *mech, struct mblock *block)
{
    struct graph *graph = mech->graph;
    uint32_t n = block->n_unknown;
    for (uint32_t i = block->first_rub; i < block->n_row; i++) {
        const expr *held = joint_friction_held(mech, block, i);
        for (uint32_t j = 0; j < n; j++) {
            block->K[i * n + j] = sc_mul(graph, held, block->K[i * n + j]);
            block->K[j * n + i] =
                i == j
                    ? sc_add(graph, block->K[i * n + i], one_less(mech, held))
                    : sc_mul(graph, held, block->K[j * n + i]);
        }
    }
}

void
joint_friction_conditions(struct mech *mech, struct mblock *block,
                          const expr **out)
{
    assert(mech && block && out);
    for (uint32_t i = 0; i < block->n_rub; i++) {
        graph_origin(mech->graph,
                     mech->model->joints[block->rub[i].joint].range);
        out[block->first_rub + i] = friction_row(mech, block, i);
    }
    if (block->n_rub && block->sharing)
        out[block->n_row - 1] = share_row(mech, block);
}

void
joint_friction_build(struct mech *mech, struct mblock *block)
{
    assert(mech && block && block->n_rub && mech->dim == 2);
    block->rubbing = NEW_N(mech->arena, const expr *, block->n_unknown);
    memcpy(block->rubbing, block->residual,
           sizeof *block->residual * block->n_unknown);
    for (uint32_t i = 0; i < block->n_rub; i++) {
        struct mrub *rub = block->rub + i;
        coefficients(mech, rub);
        rub->size = size_of(mech, rub);
    }
    joint_friction_conditions(mech, block, block->rubbing);
    slopes(mech, block);
    hold_rates(mech, block);
    for (uint32_t i = block->first_rub; i < block->n_row; i++) {
        const expr *held = joint_friction_held(mech, block, i);
        block->residual[i] =
            sc_add(mech->graph, sc_mul(mech->graph, held, block->residual[i]),
                   sc_mul(mech->graph, one_less(mech, held), unknown(mech, i)));
    }
}

size_t
joint_friction_formulas(const struct mblock *block, const expr **f)
{
    assert(block && f);
    for (uint32_t i = 0; i < block->n_rub; i++) {
        f[2 * i] = block->rub[i].mu;
        f[2 * i + 1] = block->rub[i].mu_static;
    }
    return 2 * (size_t)block->n_rub;
}

size_t
joint_friction_outputs(struct mech *mech, const struct mblock *block,
                       const expr **out)
{
    assert(mech && block && out);
    size_t n = 0;
    for (uint32_t i = 0; i < block->n_rub; i++) {
        const struct mrub *rub = block->rub + i;
        out[n++] = unknown(mech, block->first_rub + i);
        out[n++] = unknown(mech, rub->force);
        out[n++] = unknown(mech, rub->force + 1);
        out[n++] = rub->rate;
        out[n++] = rub->mu;
        out[n++] = rub->mu_static;
    }
    if (block->sharing)
        out[n++] = share_of(mech, block);
    return n;
}

void
joint_friction_rows(struct mblock *block, const uint32_t *rows)
{
    assert(block && rows);
    block->out.n_rub = block->n_rub;
    block->out.share = block->out.share_row = IMP_NO_ROW;
    for (uint32_t i = 0; i < block->n_rub; i++)
        memcpy(block->rub[i].rows, rows + (size_t)i * IMP_RUB_ROWS,
               sizeof block->rub[i].rows);
    if (!block->sharing)
        return;
    block->out.share = block->n_row - 1;
    block->out.share_row = rows[(size_t)block->n_rub * IMP_RUB_ROWS];
}

void
joint_friction_tapes(struct mech *mech, struct mblock *block)
{
    assert(mech && block && block->n_rub);
    uint32_t n = block->n_unknown;
    size_t at = n + (size_t)n * n;
    const expr **out = NEW_N(mech->arena, const expr *,
                             at + IMP_RUB_TOLD * (size_t)block->n_rub);
    memcpy(out, block->rubbing, sizeof *out * n);
    memcpy(out + n, block->slope, sizeof *out * n * n);
    for (uint32_t i = 0; i < block->n_rub; i++) {
        const struct mrub *rub = block->rub + i;
        const expr *told[IMP_RUB_TOLD] = {[IMP_RUB_RATE] = rub->rate,
                                          [IMP_RUB_RATE_CHANGE] = rub->change,
                                          [IMP_RUB_PLACE] = rub->place,
                                          [IMP_RUB_MU] = rub->mu,
                                          [IMP_RUB_MU_STATIC] = rub->mu_static,
                                          [IMP_RUB_SIZE] = rub->size};
        memcpy(out + at, told, sizeof told);
        at += IMP_RUB_TOLD;
    }
    const char *body = mech->bodies[block->bodies[0]].decl->name;
    block->out.rub = mech_eval_tape(
        mech, arena_printf(mech->arena, "%s.rub", body), n, out, at);
}
