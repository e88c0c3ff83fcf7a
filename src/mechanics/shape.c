/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes: the tapes of a level set G with its exact derivatives to third
 * order in shape coordinates (spec 0.C needs the third for the jerk), and what
 * can be read off the graph: linear in the coordinates (half-planes, half-
 * spaces), moving (t in G), symmetric under a change of sign of a coordinate.
 * Nothing is decided by the name of a shape. */
#include <stdlib.h>

#include "mechanics/mech_priv.h"

/* parity of every node below e, by ids; 2: not known yet */
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
parity_of(struct parity *p, const expr *e)
{
    if (!e)
        return 1;
    if (p->of[e->id] != 2)
        return p->of[e->id];
    int r;
    int a, b, c;
    switch (e->op) {
    case IMP_OP_CONST:
        r = 1;
        break;
    case IMP_OP_ENV:
        r = e->sym == SYM_LOCAL && e->i == p->local ? -1 : 1;
        break;
    case IMP_OP_ADD:
    case IMP_OP_SUB:
        a = parity_of(p, e->a);
        b = parity_of(p, e->b);
        r = a == b ? a : 0;
        break;
    case IMP_OP_MUL:
    case IMP_OP_DIV:
        a = parity_of(p, e->a);
        b = parity_of(p, e->b);
        r = a * b;
        break;
    case IMP_OP_ABS:
    case IMP_OP_COS:
    case IMP_OP_COSH:
        r = parity_of(p, e->a) != 0;
        break;
    case IMP_OP_HYPOT:
        r = parity_of(p, e->a) != 0 && parity_of(p, e->b) != 0;
        break;
    case IMP_OP_ABSPOW:
        r = parity_of(p, e->a) != 0 && parity_of(p, e->b) == 1;
        break;
    case IMP_OP_SGNPOW:
        r = parity_of(p, e->b) == 1 ? parity_of(p, e->a) : 0;
        break;
    default:
        a = parity_of(p, e->a);
        b = parity_of(p, e->b);
        c = parity_of(p, e->c);
        if (a == 1 && b == 1 && c == 1)
            r = 1;
        else
            r = odd_function(e->op) ? a : 0;
        break;
    }
    p->of[e->id] = (signed char)r;
    return r;
}

/* sign symmetries of e in SYM_LOCAL i: +1 even, -1 odd, 0 neither */
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

/* leaves a level set may not read */
struct leaf_check {
    struct mech *k;
    const struct mbody *b;
    bool ok;
};

static void
check_leaf(void *ctx, const expr *leaf)
{
    struct leaf_check *c = ctx;
    if (leaf->sym == SYM_PARAM || leaf->sym == SYM_TIME ||
        (leaf->sym == SYM_LOCAL && leaf->i < c->k->d))
        return;
    if (!c->ok)
        return;
    c->ok = false;
    struct diag *d = diag_add(
        c->k->ds, DIAG_E0501, mech_range(leaf->origin, c->b->tm->range_shape),
        leaf->sym == SYM_LOCAL
            ? "the level set of the planar body `%s` uses z"
            : "the level set of `%s` reads the motion of the model",
        c->b->tm->name);
    diag_help(c->k->ds, d,
              "a level set is a formula in %s, params and t: a surface may "
              "move by t, but not answer to the motion",
              c->k->d == 2 ? "x, y" : "x, y, z");
}

/* all distinct derivatives of order `order`, in the order of imp_body */
static size_t
hessian(struct mech *k, struct mbody *b, const expr **out)
{
    static const uint8_t two[] = {0, 0, 1, 1, 0, 1};
    static const uint8_t three[] = {0, 0, 1, 1, 2, 2, 0, 1, 0, 2, 1, 2};
    const uint8_t *ij = k->d == 2 ? two : three;
    size_t n = k->d * (k->d + 1) / 2;
    for (size_t i = 0; i < n; i++)
        out[i] = ex_diff(k->g, b->grad[ij[2 * i]],
                         ex_sym(k->g, SYM_LOCAL, ij[2 * i + 1], 0));
    return n;
}

static size_t
third(struct mech *k, const expr *const *hess, const expr **out)
{
    /* (entry of the Hessian, coordinate) */
    static const uint8_t two[] = {0, 0, 0, 1, 1, 0, 1, 1};
    static const uint8_t three[] = {0, 0, 0, 1, 0, 2, 1, 0, 5, 0,
                                    2, 0, 1, 1, 1, 2, 2, 1, 2, 2};
    const uint8_t *hc = k->d == 2 ? two : three;
    size_t n = k->d == 2 ? 4 : 10;
    for (size_t i = 0; i < n; i++)
        out[i] = ex_diff(k->g, hess[hc[2 * i]],
                         ex_sym(k->g, SYM_LOCAL, hc[2 * i + 1], 0));
    return n;
}

bool
shape_build(struct mech *k, struct mbody *b)
{
    struct graph *g = k->g;
    b->g0 = b->g2 = b->g3 = IMP_NO_TAPE;
    b->G = b->tm->level_set;
    if (!b->G)
        return true;
    struct leaf_check lc = {k, b, true};
    ex_leaves(g, &b->G, 1, check_leaf, &lc);
    if (!lc.ok)
        return false;

    b->flags |= IMP_BODYF_SHAPE;
    if (ex_depends(g, b->G, SYM_TIME, UINT32_MAX, UINT32_MAX))
        b->flags |= IMP_BODYF_GTIME;
    graph_origin(g, mech_range(b->tm->range_shape, b->tm->range));
    bool uses = false;
    for (uint32_t i = 0; i < k->d; i++) {
        const expr *x = ex_sym(g, SYM_LOCAL, i, 0);
        b->grad[i] = ex_diff(g, b->G, x);
        uses = uses || !sc_is_zero(b->grad[i]);
        if (shape_parity(b->G, i) == 1)
            b->flags |= IMP_BODYF_MIRROR_X << i;
    }
    if (!uses) {
        struct diag *d = diag_add(
            k->ds, DIAG_E0502, mech_range(b->tm->range_shape, b->tm->range),
            "the level set of `%s` does not change with %s", b->tm->name,
            k->d == 2 ? "x or y" : "x, y or z");
        diag_help(k->ds, d,
                  "a level set is negative inside the body and zero on its "
                  "surface, such as (x/2)^2 + y^2 - 1");
        return false;
    }

    const expr *outs[1 + 3 + 6 + 10];
    size_t n = 0;
    outs[n++] = b->G;
    for (uint32_t i = 0; i < k->d; i++)
        outs[n++] = b->grad[i];
    const expr **hess = outs + n;
    size_t nh = hessian(k, b, hess);
    n += nh;
    /* one plane: the gradient is the same everywhere (that of max(abs(x),
     * abs(y)) has zero derivatives too) */
    bool flat = true;
    for (uint32_t i = 0; i < k->d; i++)
        for (uint32_t j = 0; j < k->d; j++)
            flat = flat && !ex_depends(g, b->grad[i], SYM_LOCAL, j, 0);
    if (flat)
        b->flags |= IMP_BODYF_FLAT;
    size_t n2 = n;
    n += third(k, hess, outs + n);

    const char *nm = b->tm->name;
    b->g0 =
        mech_eval_tape(k, arena_printf(k->arena, "%s.G", nm), k->d, outs, 1);
    b->g2 =
        mech_eval_tape(k, arena_printf(k->arena, "%s.G2", nm), k->d, outs, n2);
    b->g3 =
        mech_eval_tape(k, arena_printf(k->arena, "%s.G3", nm), k->d, outs, n);
    return true;
}
