/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relays of discs: forces that have the direction of a velocity, as
 * -F*v/norm(v). What stands for v/norm(v) is a vector of shares. */
#include <assert.h>

#include "mechanics/relay_priv.h"

#define DISC_MAX 3

/* -- lengths --------------------------------------------------------------- */

/* Appends u of the squares that a sum is made of; false: it is none, or there
 * are too many. */
static bool
squares(const expr *sum, const expr **u, uint32_t *n)
{
    if (sum->op == IMP_OP_ADD)
        return squares(sum->a, u, n) && squares(sum->b, u, n);
    if (sum->op != IMP_OP_MUL || sum->a != sum->b || *n == DISC_MAX)
        return false;
    u[(*n)++] = sum->a;
    return true;
}

/* Appends the numbers of which a length is made by `hypot`, also of lengths;
 * false: there are too many. */
static bool
sides(const expr *length, const expr **u, uint32_t *n)
{
    if (length->op == IMP_OP_HYPOT)
        return sides(length->a, u, n) && sides(length->b, u, n);
    if (*n == DISC_MAX)
        return false;
    u[(*n)++] = length;
    return true;
}

/* The numbers of which this is the length; 0: of none, or of one alone. */
static uint32_t
length_of(const expr *length, const expr **u)
{
    uint32_t n = 0;
    bool is = length->op == IMP_OP_HYPOT
                  ? sides(length, u, &n)
                  : length->op == IMP_OP_SQRT && squares(length->a, u, &n);
    return is && n > 1 ? n : 0;
}

/* The length within a length of three numbers; NULL: there is none. */
static const expr *
inner_length(const expr *length)
{
    if (length->op != IMP_OP_HYPOT)
        return NULL;
    return length->a->op == IMP_OP_HYPOT   ? length->a
           : length->b->op == IMP_OP_HYPOT ? length->b
                                           : NULL;
}

/* The first relay of the disc with this length; relays->n: there is none. */
static uint32_t
disc_of(const struct relays *relays, const expr *length)
{
    const expr *u[DISC_MAX];
    uint32_t n = length_of(length, u), i;
    for (i = 0; n > 0 && i < relays->n; i++) {
        bool same = relays->disc[i] == i && i + n <= relays->n &&
                    (i + n == relays->n || relays->disc[i + n] != i);
        for (uint32_t k = 0; k < n && same; k++) {
            bool found = false;
            for (uint32_t j = i; j < i + n; j++)
                found |= relays->disc[j] == i && relays->formula[j] == u[k];
            same = found;
        }
        if (same)
            return i;
    }
    return relays->n;
}

/* -- which there are ------------------------------------------------------- */

struct search {
    struct relays *relays;
    bool (*driven)(const struct relays *, const expr *);
};

/* The guard at which this length turns back. */
static uint32_t
guard_of(const struct relays *relays, const expr *length)
{
    for (size_t i = 0; i < relays->n_guard; i++)
        if (relays->level[i] == length &&
            relays->guard[i].kind == IMP_GUARD_END && !relays->guard[i].gap)
            return (uint32_t)i;
    return IMP_NO_GUARD;
}

/* -- frames ----------------------------------------------------------------
 * Where contacts or joints leave the velocity a line or a plane, the runtime
 * turns the frame of the disc so that these are components of it. */

/* Coefficient j of component i. */
static const expr *
frame_entry(const struct relays *relays, uint32_t i, uint32_t j)
{
    return sym_env(relays->mech, relays->frame[i] + j);
}

/* Component i of the disc that begins with relay `first`. */
static const expr *
in_frame(const struct relays *relays, uint32_t first, uint32_t i)
{
    struct graph *graph = relays->mech->graph;
    const expr *sum = NULL;
    for (uint32_t j = first; j < relays->n && relays->disc[j] == first; j++) {
        const expr *part = ex_mul(graph, frame_entry(relays, i, j - first),
                                  relays->formula[j]);
        sum = sum ? ex_add(graph, sum, part) : part;
    }
    return sum;
}

/* What stands for component j of the formula over |u|. */
static const expr *
share_of_formula(const struct relays *relays, uint32_t first, uint32_t j)
{
    struct graph *graph = relays->mech->graph;
    const expr *sum = NULL;
    for (uint32_t i = first; i < relays->n && relays->disc[i] == first; i++) {
        const expr *part = ex_mul(graph, frame_entry(relays, i, j - first),
                                  relays_share(relays, i));
        sum = sum ? ex_add(graph, sum, part) : part;
    }
    return sum;
}

const expr *
relays_held_alone(const struct relays *relays, uint32_t i, const expr *held)
{
    struct graph *graph = relays->mech->graph;
    if (relays->frame[i] == IMP_NO_FRAME)
        return held;
    const expr *own = frame_entry(relays, i, i - relays->disc[i]);
    return ex_op(graph, IMP_OP_SELECT,
                 ex_op(graph, IMP_OP_EQ, own, ex_num(graph, 1.0), NULL), held,
                 ex_num(graph, 0.0));
}

static void
find(void *ctx, const expr *node)
{
    const struct search *search = ctx;
    struct relays *relays = search->relays;
    const expr *u[DISC_MAX];
    if (node->op != IMP_OP_DIV)
        return;
    uint32_t n = length_of(node->b, u), first = relays->n;
    const expr *inner = inner_length(node->b);
    if (n == 0 || first + n > IMP_RELAYS_MAX ||
        disc_of(relays, node->b) < first)
        return;
    for (uint32_t k = 0; k < n; k++)
        if (!search->driven(relays, u[k]) || relays_is_rough(relays, u[k]))
            return;
    for (uint32_t k = 0; k < n; k++) {
        relays->formula[first + k] = u[k];
        relays->frame[first + k] = mech_env_more(relays->mech, n);
        relays->disc[first + k] = first;
        relays->number[2 * (first + k)] =
            k == 0 ? guard_of(relays, node->b) : IMP_NO_GUARD;
        relays->number[2 * (first + k) + 1] =
            k == 0 && inner ? guard_of(relays, inner) : IMP_NO_GUARD;
    }
    relays->n += n;
}

void
relays_find_discs(struct relays *relays,
                  bool (*driven)(const struct relays *, const expr *))
{
    assert(relays && driven);
    struct search search = {relays, driven};
    uint32_t alone = relays->n;
    for (size_t k = 0; k < relays->n_rate && relays->n_felt == 0; k++)
        ex_nodes(relays->mech->graph, relays->rate[k], find, &search);
    for (uint32_t i = alone; i < relays->n; i++)
        relays->u[i] = in_frame(relays, relays->disc[i], i);
}

struct divides {
    bool any;
};

static void
divides(void *ctx, const expr *node)
{
    const expr *u[DISC_MAX];
    ((struct divides *)ctx)->any |=
        node->op == IMP_OP_DIV && length_of(node->b, u) > 0;
}

bool
relays_may_be(struct mech *mech, const struct guard_levels *guards,
              const expr *const *rate, size_t n)
{
    assert(mech && guards && (rate || !n));
    struct divides found = {guards->n > 0};
    for (size_t k = 0; k < n && !found.any; k++)
        ex_nodes(mech->graph, rate[k], divides, &found);
    return found.any;
}

/* -- shares ---------------------------------------------------------------- */

/* A number over |u| of the disc that begins with relay i. */
static const expr *
over(const struct relays *relays, const expr *a, uint32_t i)
{
    struct graph *graph = relays->mech->graph;
    for (uint32_t k = i; k < relays->n && relays->disc[k] == i; k++) {
        const expr *rest = relays_without(graph, a, relays->formula[k]);
        if (rest)
            return ex_mul(graph, rest, share_of_formula(relays, i, k));
    }
    if (a->op == IMP_OP_NEG) {
        const expr *part = over(relays, a->a, i);
        return part ? ex_neg(graph, part) : NULL;
    }
    if (a->op == IMP_OP_ADD || a->op == IMP_OP_SUB) {
        const expr *left = over(relays, a->a, i),
                   *right = over(relays, a->b, i);
        return left && right
                   ? ex_op(graph, (enum imp_op)a->op, left, right, NULL)
                   : NULL;
    }
    if (a->op != IMP_OP_MUL && a->op != IMP_OP_DIV)
        return NULL;
    const expr *left = over(relays, a->a, i);
    if (left)
        return ex_op(graph, (enum imp_op)a->op, left, a->b, NULL);
    const expr *right = a->op == IMP_OP_MUL ? over(relays, a->b, i) : NULL;
    return right ? ex_mul(graph, a->a, right) : NULL;
}

const expr *
relays_over_length(const struct relays *relays, const expr *a, const expr *b)
{
    assert(relays && a && b);
    uint32_t i = disc_of(relays, b);
    return i < relays->n ? over(relays, a, i) : NULL;
}

const expr *
relays_side_told(const struct relays *relays, uint32_t i, const expr *side)
{
    struct graph *graph = relays->mech->graph;
    uint32_t first = relays->disc[i];
    if (first == IMP_NO_DISC)
        return side;
    const expr *square = ex_num(graph, 0.0),
               *told =
                   ex_op(graph, IMP_OP_LT, side,
                         ex_num(graph, 0.5 * (1.0 + IMP_RELAY_ALONG)), NULL);
    for (uint32_t k = first; k < relays->n && relays->disc[k] == first; k++)
        square = sc_add(graph, square,
                        sc_mul(graph, relays->formula[k], relays->formula[k]));
    /* at rest, which is told, |u| has no series */
    square = ex_op(graph, IMP_OP_SELECT, told, ex_num(graph, 1.0), square);
    return ex_op(graph, IMP_OP_SELECT, told, side,
                 ex_div(graph, relays->u[i],
                        ex_op(graph, IMP_OP_SQRT, square, NULL, NULL)));
}
