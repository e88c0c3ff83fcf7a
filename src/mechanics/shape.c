/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes: the tapes of a level set G with its exact derivatives to third order
 * in shape coordinates (tangential.md 0.C needs the third for the jerk), and
 * what the graph tells about G: it is linear in the coordinates (half-planes,
 * half-spaces), it depends on t, it is symmetric under a change of sign of a
 * coordinate. No decision depends on the name of a shape. */
#include <assert.h>
#include <stdlib.h>

#include "mechanics/mech_priv.h"

/* The parity of the nodes below a formula, by node number; 2: not known yet. */
struct parity {
    signed char *of;
    uint32_t local;
};

static bool
odd_function(unsigned op)
{
    switch (op) {
    case IMP_OP_NEG:
    case IMP_OP_CBRT:
    case IMP_OP_SIN:
    case IMP_OP_TAN:
    case IMP_OP_ASIN:
    case IMP_OP_ATAN:
    case IMP_OP_SINH:
    case IMP_OP_TANH:
    case IMP_OP_ASINH:
    case IMP_OP_ATANH:
    case IMP_OP_ERF:
    case IMP_OP_SIGN:
        return true;
    default:
        return false;
    }
}

static int
parity_of(struct parity *parity, const expr *node)
{
    if (!node)
        return 1;
    if (parity->of[node->id] != 2)
        return parity->of[node->id];
    int result;
    int first, second, third;
    switch (node->op) {
    case IMP_OP_CONST:
        result = 1;
        break;
    case IMP_OP_ENV:
        result = node->sym == SYM_LOCAL && node->i == parity->local ? -1 : 1;
        break;
    case IMP_OP_ADD:
    case IMP_OP_SUB:
        first = parity_of(parity, node->a);
        second = parity_of(parity, node->b);
        result = first == second ? first : 0;
        break;
    case IMP_OP_MUL:
    case IMP_OP_DIV:
        first = parity_of(parity, node->a);
        second = parity_of(parity, node->b);
        result = first * second;
        break;
    case IMP_OP_ABS:
    case IMP_OP_COS:
    case IMP_OP_COSH:
        result = parity_of(parity, node->a) != 0;
        break;
    case IMP_OP_HYPOT:
        result =
            parity_of(parity, node->a) != 0 && parity_of(parity, node->b) != 0;
        break;
    case IMP_OP_ABSPOW:
        result =
            parity_of(parity, node->a) != 0 && parity_of(parity, node->b) == 1;
        break;
    case IMP_OP_SGNPOW:
        result =
            parity_of(parity, node->b) == 1 ? parity_of(parity, node->a) : 0;
        break;
    default:
        first = parity_of(parity, node->a);
        second = parity_of(parity, node->b);
        third = parity_of(parity, node->c);
        if (first == 1 && second == 1 && third == 1)
            result = 1;
        else
            result = odd_function(node->op) ? first : 0;
        break;
    }
    parity->of[node->id] = (signed char)result;
    return result;
}

/* The symmetry of e under a change of sign of SYM_LOCAL number `local`: +1
 * even, -1 odd, 0 neither. */
static int
shape_parity(const expr *e, uint32_t local)
{
    struct parity p = {.of = mem_alloc((size_t)e->id + 1), .local = local};
    for (uint32_t i = 0; i <= e->id; i++)
        p.of[i] = 2;
    int r = parity_of(&p, e);
    free(p.of);
    return r;
}

/* The search for a leaf that a level set must not read. */
struct leaf_check {
    struct mech *mech;
    const struct mbody *b;
    bool ok;
};

static void
check_leaf(void *ctx, const expr *leaf)
{
    struct leaf_check *check = ctx;
    if (leaf->sym == SYM_PARAM || leaf->sym == SYM_TIME ||
        mech_leaf_given(check->mech, leaf) ||
        (leaf->sym == SYM_LOCAL && leaf->i < check->mech->dim))
        return;
    if (!check->ok)
        return;
    check->ok = false;
    struct diag *diag =
        diag_add(check->mech->diags, DIAG_E0501,
                 mech_range(leaf->origin, check->b->decl->shape.range),
                 leaf->sym == SYM_LOCAL
                     ? "the level set of the planar body `%s` uses z"
                     : "the level set of `%s` reads the motion of the model",
                 check->b->decl->name);
    diag_help(check->mech->diags, diag,
              "a level set is a formula in %s, params and t: a surface may "
              "move by t, but not answer to the motion",
              check->mech->dim == 2 ? "x, y" : "x, y, z");
}

/* The distinct second derivatives of G, in the order of imp_body. Returns how
 * many. */
static size_t
hessian(struct mech *mech, struct mbody *body, const expr **out)
{
    static const uint8_t two[] = {0, 0, 1, 1, 0, 1};
    static const uint8_t three[] = {0, 0, 1, 1, 2, 2, 0, 1, 0, 2, 1, 2};
    const uint8_t *ij = mech->dim == 2 ? two : three;
    size_t n = mech->dim * (mech->dim + 1) / 2;
    for (size_t i = 0; i < n; i++)
        out[i] = ex_diff(mech->graph, body->shape.grad[ij[2 * i]],
                         ex_sym(mech->graph, SYM_LOCAL, ij[2 * i + 1], 0));
    return n;
}

static size_t
third(struct mech *mech, const expr *const *hess, const expr **out)
{
    /* (entry of the Hessian, coordinate) */
    static const uint8_t two[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const uint8_t three[] = {0, 0, 0, 1, 0, 2, 1, 0, 5, 0,
                                    2, 0, 1, 1, 1, 2, 2, 1, 2, 2};
    const uint8_t *hc = mech->dim == 2 ? two : three;
    size_t n = mech->dim == 2 ? 4 : 10;
    for (size_t i = 0; i < n; i++)
        out[i] = ex_diff(mech->graph, hess[hc[2 * i]],
                         ex_sym(mech->graph, SYM_LOCAL, hc[2 * i + 1], 0));
    return n;
}

#define SHAPE_MIRRORS                                                          \
    (IMP_BODYF_MIRROR_X | IMP_BODYF_MIRROR_Y | IMP_BODYF_MIRROR_Z)
#define SHAPE_FLAGS                                                            \
    (IMP_BODYF_SHAPE | IMP_BODYF_GTIME | IMP_BODYF_FLAT | SHAPE_MIRRORS |      \
     IMP_BODYF_BALL)

/* Is the level set that of a ball about the origin, whatever the params are?
 * Then its second derivatives are the same along all axes and do not change
 * with the place, and it is even in each coordinate. */
static bool
is_ball(struct mech *mech, const struct mbody *body, const expr *const *hess)
{
    uint32_t mirrors = mech->dim == 2 ? IMP_BODYF_MIRROR_X | IMP_BODYF_MIRROR_Y
                                      : SHAPE_MIRRORS;
    if ((body->flags & mirrors) != mirrors || body->flags & IMP_BODYF_GTIME ||
        sc_is_zero(hess[0]) ||
        ex_depends(mech->graph, hess[0], SYM_LOCAL, UINT32_MAX, UINT32_MAX))
        return false;
    for (uint32_t i = 1; i < mech->dim; i++)
        if (hess[i] != hess[0])
            return false;
    for (uint32_t i = mech->dim; i < mech->dim * (mech->dim + 1) / 2; i++)
        if (!sc_is_zero(hess[i]))
            return false;
    for (uint32_t i = 0; i < 3; i++)
        if (ex_depends(mech->graph, mech->gravity.v[i], SYM_TIME, UINT32_MAX,
                       UINT32_MAX))
            return false;
    return true;
}

/* An earlier body with the same level set, or NULL. */
static const struct mbody *
like_shape(struct mech *mech, const struct mbody *body)
{
    const expr *G = body->shape.G;
    const struct mbody **at = &mech->of_shape[G->id & SHAPE_MASK];
    const struct mbody *found = *at && (*at)->shape.G == G ? *at : NULL;
    if (!found)
        *at = body;
    return found;
}

static void
take_shape(const struct mbody *from, struct mbody *body)
{
    body->flags |= from->flags & SHAPE_FLAGS;
    for (int i = 0; i < 3; i++)
        body->shape.grad[i] = from->shape.grad[i];
    body->shape.timed = from->shape.timed;
    body->shape.n_timed = from->shape.n_timed;
    body->tape.g0 = from->tape.g0;
    body->tape.g2 = from->tape.g2;
    body->tape.g3 = from->tape.g3;
}

/* The formulas of t in a level set that change their branch: G = x^2 + y^2 -
 * r^2 with r = max(1, t) begins to grow at t = 1, where the rates of its gaps
 * jump. */
static void
timed_branches(struct mech *mech, struct body_shape *shape)
{
    size_t top = graph_size(mech->graph) + 1, n_todo = 1;
    bool *seen = NEW_N(mech->arena, bool, top);
    const expr **todo = NEW_N(mech->arena, const expr *, top),
               **timed = NEW_N(mech->arena, const expr *, top);
    todo[0] = shape->G;
    seen[shape->G->id] = true;
    while (n_todo > 0) {
        const expr *node = todo[--n_todo];
        const expr *const below[3] = {node->a, node->b, node->c};
        if (!ex_depends(mech->graph, node, SYM_LOCAL, UINT32_MAX, UINT32_MAX)) {
            if (switching_in(mech, node))
                timed[shape->n_timed++] = node;
            continue;
        }
        for (int i = 0; i < 3; i++)
            if (below[i] && !seen[below[i]->id]) {
                seen[below[i]->id] = true;
                todo[n_todo++] = below[i];
            }
    }
    shape->timed = timed;
}

bool
shape_build(struct mech *mech, struct mbody *body)
{
    assert(mech && body && body->decl);
    struct graph *graph = mech->graph;
    body->tape.g0 = body->tape.g2 = body->tape.g3 = IMP_NO_TAPE;
    body->shape.G = body->decl->shape.level_set;
    if (!body->shape.G)
        return true;
    struct leaf_check lc = {mech, body, true};
    ex_leaves(graph, &body->shape.G, 1, check_leaf, &lc);
    if (!lc.ok)
        return false;

    const struct mbody *like = like_shape(mech, body);
    if (like) {
        take_shape(like, body);
        return true;
    }
    body->flags |= IMP_BODYF_SHAPE;
    if (ex_depends(graph, body->shape.G, SYM_TIME, UINT32_MAX, UINT32_MAX)) {
        body->flags |= IMP_BODYF_GTIME;
        timed_branches(mech, &body->shape);
    }
    graph_origin(graph, mech_range(body->decl->shape.range, body->decl->range));
    bool uses = false;
    for (uint32_t i = 0; i < mech->dim; i++) {
        const expr *x = ex_sym(graph, SYM_LOCAL, i, 0);
        body->shape.grad[i] = ex_diff(graph, body->shape.G, x);
        uses = uses || !sc_is_zero(body->shape.grad[i]);
        if (shape_parity(body->shape.G, i) == 1)
            body->flags |= IMP_BODYF_MIRROR_X << i;
    }
    if (!uses) {
        struct diag *diag =
            diag_add(mech->diags, DIAG_E0502,
                     mech_range(body->decl->shape.range, body->decl->range),
                     "the level set of `%s` does not change with %s",
                     body->decl->name, mech->dim == 2 ? "x or y" : "x, y or z");
        diag_help(mech->diags, diag,
                  "a level set is negative inside the body and zero on its "
                  "surface, such as (x/2)^2 + y^2 - 1");
        return false;
    }

    const expr *outs[1 + 3 + 6 + 10];
    size_t count = 0;
    outs[count++] = body->shape.G;
    for (uint32_t i = 0; i < mech->dim; i++)
        outs[count++] = body->shape.grad[i];
    const expr **hess = outs + count;
    size_t nh = hessian(mech, body, hess);
    count += nh;
    /* The surface is one plane if the gradient is the same everywhere. (That of
     * max(abs(x), abs(y)) has zero derivatives too, but depends on x and y.) */
    bool flat = true;
    for (uint32_t i = 0; i < mech->dim; i++)
        for (uint32_t j = 0; j < mech->dim; j++)
            flat = flat &&
                   !ex_depends(graph, body->shape.grad[i], SYM_LOCAL, j, 0);
    if (flat)
        body->flags |= IMP_BODYF_FLAT;
    if (is_ball(mech, body, hess))
        body->flags |= IMP_BODYF_BALL;
    size_t n2 = count;
    count += third(mech, hess, outs + count);

    const char *nm = body->decl->name;
    body->tape.g0 = mech_eval_tape(mech, arena_printf(mech->arena, "%s.G", nm),
                                   mech->dim, outs, 1);
    body->tape.g2 = mech_eval_tape(mech, arena_printf(mech->arena, "%s.G2", nm),
                                   mech->dim, outs, n2);
    body->tape.g3 = mech_eval_tape(mech, arena_printf(mech->arena, "%s.G3", nm),
                                   mech->dim, outs, count);
    return true;
}
