/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time derivative `'` and series(): questions about the Taylor series in t
 * of an expression along the motion. What depends on t alone is differentiated
 * here, on the graph. Anything else becomes an entry of the model's table of
 * series, whose coefficient c_k is the leaf SYM_SERIES; the n-th derivative is
 * n! c_n. Equal expressions share one entry, so equal derivatives are equal
 * nodes. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "calculus/kinks.h"
#include "check/expressions/expressions.h"

#define ORDER_MAX 20

struct reads {
    struct check *ck;
    bool time, motion, coordinates, result;
    bool moves;     /* a number of a list that changes along the motion */
    bool told;      /* what a run tells of contacts, which has no series: */
    uint32_t entry; /* the last such IMP_CONTACT_* */
    bool run;       /* the series are those along a run, which knows forces */
    uint32_t depth; /* what the series it reads need beyond its own order */
};

/* Is this told while a run goes on, and nothing else known of it? The run knows
 * the series of what it tells of contacts and joints, but not of their p and b,
 * nor of what a compliance stores and remembers. */
static bool
is_told(const expr *leaf, bool run)
{
    if (leaf->sym != SYM_CONTACT || leaf->j < IMP_CONTACT_NORMAL_FORCE)
        return !run && leaf->sym == SYM_JOINT;
    return !run || leaf->j > IMP_CONTACT_MODE;
}

static void
read_leaf(void *ctx, const expr *leaf)
{
    struct reads *reads = ctx;
    reads->time |= leaf->sym == SYM_TIME;
    reads->coordinates |= leaf->sym == SYM_LOCAL;
    reads->result |= leaf->sym == SYM_SLOT && !leaf_is_given(reads->ck, leaf);
    reads->moves |=
        leaf->sym == SYM_SLOT && reads->ck->lists.slots.v[leaf->i].moves;
    bool told = is_told(leaf, reads->run);
    reads->told |= told;
    reads->entry = told ? leaf->j : reads->entry;
    reads->motion |= leaf->sym == SYM_BODY || leaf->sym == SYM_CONTACT ||
                     leaf->sym == SYM_TOTAL || leaf->sym == SYM_SERIES ||
                     leaf->sym == SYM_COORD || leaf->sym == SYM_SYSTEM ||
                     leaf->sym == SYM_ROTOR || leaf->sym == SYM_JOINT;
    if (leaf->sym == SYM_SERIES) {
        uint32_t d = leaf->j + reads->ck->lists.series.v[leaf->i].depth;
        reads->depth = d > reads->depth ? d : reads->depth;
    }
}

/* When c_k is wanted, the coefficients that it reads are wanted too. */
struct wanting {
    struct check *ck;
    uint32_t order;
};
static void want_order(struct check *ck, uint32_t i, uint32_t k);
static void
want_leaf(void *ctx, const expr *leaf)
{
    struct wanting *w = ctx;
    if (leaf->sym == SYM_SERIES)
        want_order(w->ck, leaf->i, leaf->j + w->order);
}
static void
want_order(struct check *ck, uint32_t i, uint32_t k)
{
    struct tm_series *s = &ck->lists.series.v[i];
    if (k <= s->order)
        return;
    s->order = k;
    struct wanting w = {ck, k};
    ex_leaves(ck->g, &s->e, 1, want_leaf, &w);
}

static double
factorial_ratio(uint32_t count, uint32_t m) /* Returns n!/m! for n >= m. */
{
    double f = 1;
    for (uint32_t i = m + 1; i <= count; i++)
        f *= i;
    return f;
}

static void
too_high(struct check *ck, imp_range range)
{
    struct diag *diag =
        check_error(ck, DIAG_E0226, range,
                    "this takes time derivatives beyond order %d", ORDER_MAX);
    CHECK_HELP(ck, diag, "derivatives of derivatives count together");
}

/* What takes the place of an extreme, an integral or a first time of this, of
 * which a run knows no series. */
static const char *
instead_of(uint32_t entry)
{
    switch (entry) {
    case IMP_CONTACT_STORED:
        return "it is greatest where the contact is pressed in most, by "
               "sup(-gap(c)); its values at the recorded times are a column: "
               "record = c.stored, then max(...) of it";
    case IMP_CONTACT_IMPULSE:
        return "the impulse of all times at which the contact is closed is "
               "integral(c.normal_force); of one time the last value before "
               "it opens: record = c.impulse, then max(...) of its column";
    case IMP_CONTACT_COMPRESSION:
        return "the impulse while the gap closes is integral(if gap(c)' < 0 "
               "then c.normal_force else 0); its values at the recorded times "
               "are a column: record = c.compression, then max(...) of it";
    default:
        return "sup, inf, integral and first need one: record it, and take "
               "max(...), min(...) or mean(...) of its column; they know "
               "forces, slip, work and mode";
    }
}

/* E0225: what a run tells at the recorded times alone. */
static void
no_series_of_told(struct check *ck, const struct reads *reads, imp_range range)
{
    if (!reads->run) {
        struct diag *diag = check_error(
            ck, DIAG_E0225, range,
            "forces, work and mode of a contact are told at the recorded "
            "times: they have no time derivative");
        CHECK_HELP(ck, diag,
                   "`'` and series need one: record it, and take max(...), "
                   "min(...) or mean(...) of its column; extremes of what "
                   "contacts and joints bear are entries of a record, as in "
                   "record = sup(c.normal_force)");
        return;
    }
    struct diag *diag = check_error(
        ck, DIAG_E0225, range,
        "p, b, stored, impulse and compression of a contact are told at the "
        "recorded times: they have no time derivative");
    CHECK_HELP(ck, diag, "%s", instead_of(reads->entry));
}

/* Returns c_n of the expression, whose leaves are in `reads`. NULL: an error
 * has been reported. */
static const expr *
coefficient(struct check *ck, const expr *expression, const struct reads *reads,
            uint32_t count, imp_range range)
{
    if (count == 0)
        return expression;
    if (reads->told) {
        no_series_of_told(ck, reads, range);
        return NULL;
    }
    if (count + reads->depth > ORDER_MAX) {
        too_high(ck, range);
        return NULL;
    }
    size_t i = 0;
    while (i < ck->lists.series.n && ck->lists.series.v[i].e != expression)
        i++;
    if (i == ck->lists.series.n)
        APUSH(ck, &ck->lists.series,
              (struct tm_series){
                  .e = expression, .depth = reads->depth, .range = range});
    want_order(ck, (uint32_t)i, count);
    return ex_sym(ck->g, SYM_SERIES, (uint32_t)i, count);
}

/* Reports that the equation needs a derivative of coordinate i which it may not
 * have. */
static uint32_t
highest(const struct check *ck, uint32_t i, enum env_part part)
{
    if (part != PART_EQUATION)
        return COORD_RATE;
    uint32_t order = ck->lists.coordinates.v[i].order;
    return order ? order - 1 : COORD_ACCELERATION;
}

/* Takes the time derivative of a system's formula on the graph. Coordinates
 * become rates, and in the equation of an observer rates become accelerations.
 * NULL: an error has been reported. */
static const expr *
system_rate(struct check *ck, const expr *expression, enum env_part part,
            imp_range range)
{
    struct reads reads = {.ck = ck};
    size_t count = ck->lists.coordinates.n, at = 0;
    const expr **leaf = NEW_N(ck->arena, const expr *, 2 * count + 1);
    const expr **rate = NEW_N(ck->arena, const expr *, 2 * count + 1);
    leaf[at] = ex_sym(ck->g, SYM_TIME, 0, 0);
    rate[at++] = ex_num(ck->g, 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = highest(ck, i, part);
        for (uint32_t j = 0; j < top; j++) {
            leaf[at] = ex_sym(ck->g, SYM_COORD, i, j);
            rate[at++] = ex_sym(ck->g, SYM_COORD, i, j + 1);
        }
        if (!ex_depends(ck->g, expression, SYM_COORD, i, top))
            continue;
        struct diag *diag = check_error(
            ck, DIAG_E0364, range,
            part != PART_EQUATION ? "this is an acceleration: it follows from "
                                    "the system, it cannot define it"
            : top == COORD_ACCELERATION
                ? "this is a third derivative: an observer feels coordinates, "
                  "rates and accelerations"
                : "this derivative of an observer variable follows from its "
                  "equation");
        CHECK_HELP(ck, diag,
                   part == PART_EQUATION
                       ? "write that equation's right-hand side instead, or a "
                         "lower derivative"
                       : "coordinates and their first rates may stand here");
        return NULL;
    }
    ex_leaves(ck->g, &expression, 1, read_leaf, &reads);
    graph_origin(ck->g, range);
    return ex_diff_along(ck->g, expression, leaf, rate, at);
}

static const expr *derivative(struct check *ck, const expr *expression,
                              uint32_t count, imp_range range);

/* Kinks of what has so many of them within each other keep the branch of their
 * value: each takes a series more, of which ORDER_MAX can follow each other. */
#define KINKS_DEEP 4

/* who takes a derivative, and where */
struct taken {
    struct check *ck;
    imp_range range;
};

static const expr *
rate_of(void *ctx, const expr *operand)
{
    struct taken *taken = ctx;
    struct reads reads = {.ck = taken->ck};
    ex_leaves(taken->ck->g, &operand, 1, read_leaf, &reads);
    return (reads.motion || reads.time) && !reads.moves &&
                   reads.depth < KINKS_DEEP
               ? derivative(taken->ck, operand, 1, taken->range)
               : NULL;
}

/* Takes the n-th derivative of the expression, at a kink of it that from there
 * on. NULL: an error has been reported. */
static const expr *
derivative(struct check *ck, const expr *expression, uint32_t count,
           imp_range range)
{
    struct reads reads = {.ck = ck};
    ex_leaves(ck->g, &expression, 1, read_leaf, &reads);
    if (reads.coordinates) {
        struct diag *diag =
            check_error(ck, DIAG_E0225, range,
                        "x, y and z are the places of a level set: "
                        "they have no time derivative");
        CHECK_HELP(ck, diag,
                   "`'` follows the motion of bodies and t; the motion of a "
                   "surface follows from its formula by itself");
        return NULL;
    }
    if (reads.moves) {
        struct diag *diag = check_error(
            ck, DIAG_E0225, range,
            "a number that is made of a list has no time derivative");
        CHECK_HELP(ck, diag,
                   "add up the entries that are meant, a[0] + a[1]: each of "
                   "them has one; in sup, inf, integral and first a sum, mean, "
                   "min, max, count, variance or deviation of all entries "
                   "has, too");
        return NULL;
    }
    if (reads.result && !reads.motion && !reads.time) {
        struct diag *diag =
            check_error(ck, DIAG_E0225, range,
                        "the result of a command is a number: it "
                        "does not change with t");
        CHECK_HELP(ck, diag,
                   "differentiate the expression itself, as in gap(touch)'");
        return NULL;
    }
    struct taken taken = {ck, range};
    if (!reads.told && count > 0)
        expression = ex_kinks_ahead(ck->g, expression, rate_of, &taken);
    ex_leaves(ck->g, &expression, 1, read_leaf, &reads);
    graph_origin(ck->g, range);
    if (reads.motion && expression->op == IMP_OP_MUL &&
        ex_is_const(expression->a)) {
        const expr *x = derivative(ck, expression->b, count, range);
        return x ? ex_mul(ck->g, expression->a, x) : NULL;
    }
    if (expression->op == IMP_OP_ENV && expression->sym == SYM_SERIES) {
        /* The n-th derivative of the coefficient c_j is (j + n)!/j! c_{j+n}. */
        const struct tm_series *s = &ck->lists.series.v[expression->i];
        if (expression->j + count + s->depth > ORDER_MAX) {
            too_high(ck, range);
            return NULL;
        }
        want_order(ck, expression->i, expression->j + count);
        return ex_mul(
            ck->g,
            ex_num(ck->g,
                   factorial_ratio(expression->j + count, expression->j)),
            ex_sym(ck->g, SYM_SERIES, expression->i, expression->j + count));
    }
    if (expression->op == IMP_OP_ENV && expression->sym == SYM_COORD &&
        expression->j + count == 1 &&
        ck->lists.coordinates.v[expression->i].order != 1)
        return ex_sym(ck->g, SYM_COORD, expression->i, 1);
    if (reads.motion) {
        const expr *c = coefficient(ck, expression, &reads, count, range);
        return c ? ex_mul(ck->g, ex_num(ck->g, factorial_ratio(count, 0)), c)
                 : NULL;
    }
    for (uint32_t k = 0; k < count; k++)
        expression = ex_diff(ck->g, expression, ex_sym(ck->g, SYM_TIME, 0, 0));
    return expression;
}

static struct value
no_derivative(struct check *ck, const struct value *value,
              const struct ast_expr *operand, imp_range range)
{
    if (value->kind == VALUE_POISON)
        return value_poison(range);
    struct diag *diag =
        check_error(ck, DIAG_E0225, operand->range,
                    "`'` differentiates numbers with respect to t, "
                    "but this is %s",
                    value_kind_text(ck, value));
    if (value->kind == VALUE_BODY)
        CHECK_HELP(ck, diag, "take a quantity of it, as in %s.position'",
                   ck->lists.bodies.v[value->ref].name);
    else if (value->kind == VALUE_CONTACT)
        CHECK_HELP(ck, diag, "its gap is gap(%s), the rate of it gap(%s)'",
                   ck->lists.contacts.v[value->ref].name,
                   ck->lists.contacts.v[value->ref].name);
    else if (value->kind == VALUE_FIELD || value->kind == VALUE_RESULT)
        CHECK_HELP(ck, diag,
                   "the result of a command is fixed: record the derivative "
                   "itself, as in record = gap(touch)'");
    else if (value->kind == VALUE_LIST)
        CHECK_HELP(ck, diag, "differentiate one expression at a time");
    return value_poison(range);
}

struct value
series_prime(struct check *ck, const struct env *env,
             const struct ast_expr *node, const struct ast_expr *operand,
             const struct value *of, uint32_t order)
{
    assert(ck && env && node && operand && of);
    struct value value = *of;
    const struct dim *dim =
        value.kind == VALUE_NUM || value.kind == VALUE_ANY
            ? dim_mul(ck->dims, value.bare ? dim_pure(ck->dims) : value.dim,
                      dim_mks(ck->dims, 0, 0, order > 100 ? -100 : -(int)order))
            : NULL;
    if (value.kind == VALUE_ANY)
        return value_any(ck, dim, node->range);
    if (value.kind != VALUE_NUM)
        return no_derivative(ck, &value, operand, node->range);
    struct value result =
        value_array(ck, value.rows, value.cols, dim, node->range);
    bool inside = false;
    for (const struct env *scope = env; scope; scope = scope->up)
        inside |= scope->system;
    for (size_t i = 0; i < (size_t)value.rows * value.cols; i++) {
        result.e[i] = value.e[i];
        for (uint32_t k = 0; inside && k < order && result.e[i]; k++)
            result.e[i] =
                system_rate(ck, result.e[i], env_part(env), node->range);
        if (!inside)
            result.e[i] = derivative(ck, value.e[i], order, node->range);
        if (!result.e[i])
            return value_poison(node->range);
    }
    if (!value.dims)
        return result;
    const struct dim *per =
        dim_mks(ck->dims, 0, 0, order > 100 ? -100 : -(int)order);
    size_t count = (size_t)value.rows * value.cols;
    result.dims = NEW_N(ck->arena, const struct dim *, count);
    for (size_t i = 0; i < count; i++) {
        const struct dim *d = matrix_dim(ck, &value, i);
        result.dims[i] = d ? dim_mul(ck->dims, d, per) : NULL;
    }
    return matrix_done(ck, result);
}

struct value
series_call(struct check *ck, const struct ast_expr *node, struct value *args,
            bool run)
{
    assert(ck && node && args);
    const struct dim *pure = dim_pure(ck->dims);
    const struct ast_expr *what = node->args[0].value,
                          *order = node->args[1].value;
    double highest;
    if (!value_is_scalar(&args[0])) {
        struct diag *diag = check_error(ck, DIAG_E0218, what->range,
                                        "series takes a number, but this is %s",
                                        value_kind_text(ck, &args[0]));
        if (args[0].kind == VALUE_CONTACT)
            CHECK_HELP(ck, diag, "its gap is gap(%s)",
                       ck->lists.contacts.v[args[0].ref].name);
        else if (args[0].kind == VALUE_NUM)
            CHECK_HELP(ck, diag, "take one entry of it, as in v[0] or v.x");
        return value_poison(node->range);
    }
    if (!value_need_scalar(ck, &args[1], order, pure, "the order of a series"))
        return value_poison(node->range);
    if (args[0].kind == VALUE_ANY || args[1].kind == VALUE_ANY)
        return value_any(ck, pure, node->range);
    if (!check_fixed(ck, args[1].e[0], &highest) || highest != floor(highest) ||
        highest < 0 || highest > ORDER_MAX) {
        check_error(
            ck, DIAG_E0222, order->range,
            "the order is a whole number from 0 to %d, made of literals "
            "and params",
            ORDER_MAX);
        return value_poison(node->range);
    }
    struct reads reads = {.ck = ck, .run = run};
    ex_leaves(ck->g, args[0].e, 1, read_leaf, &reads);
    if (reads.coordinates || (reads.moves && highest > 0)) {
        derivative(ck, args[0].e[0], 1, what->range);
        return value_poison(node->range);
    }
    struct value out =
        value_array(ck, (uint32_t)highest + 1, 1, pure, node->range);
    out.series = args[0].bare ? pure : args[0].dim;
    for (uint32_t k = 0; k < out.rows; k++) {
        out.e[k] = reads.time || reads.motion || !k
                       ? coefficient(ck, args[0].e[0], &reads, k, what->range)
                       : ex_num(ck->g, 0);
        if (!out.e[k])
            return value_poison(node->range);
    }
    return out;
}
