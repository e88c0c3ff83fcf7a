/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that are built in: those of the operator table (abi/ops.def, whose
 * dimension rule is applied here), n-ary min and max, sums and reductions,
 * lists, vectors and matrices (linalg.c), and gap. */
#include <math.h>
#include <string.h>

#include "check/context/context.h"

static const struct builtin builtins[] = {
    {"sqrt", "x", "square root", "sqrt(2)"},
    {"cbrt", "x", "cube root", "cbrt(8)"},
    {"pow", "x, p", "x to the power p, as x^p", "pow(2, 0.5)"},
    {"hypot", "x, y", "sqrt(x^2 + y^2)", "hypot(3, 4)"},
    {"exp", "x", "exponential function", "exp(1)"},
    {"exp2", "x", "2 to the power x", "exp2(3)"},
    {"expm1", "x", "exp(x) - 1, right for small x", "expm1(1e-9)"},
    {"log", "x", "natural logarithm", "log(2)"},
    {"log2", "x", "logarithm to base 2", "log2(8)"},
    {"log10", "x", "logarithm to base 10", "log10(100)"},
    {"log1p", "x", "log(1 + x), right for small x", "log1p(1e-9)"},
    {"sin", "x", "sine; radians, or 30 [deg]", "sin(pi/6)"},
    {"cos", "x", "cosine; radians, or 30 [deg]", "cos(pi/3)"},
    {"tan", "x", "tangent", "tan(pi/4)"},
    {"asin", "x", "arc sine, in radians", "asin(0.5)"},
    {"acos", "x", "arc cosine, in radians", "acos(0.5)"},
    {"atan", "x", "arc tangent, in radians", "atan(1)"},
    {"atan2", "y, x", "angle of the point (x, y), in radians", "atan2(1, 1)"},
    {"sinh", "x", "hyperbolic sine", "sinh(1)"},
    {"cosh", "x", "hyperbolic cosine", "cosh(1)"},
    {"tanh", "x", "hyperbolic tangent", "tanh(1)"},
    {"asinh", "x", "inverse hyperbolic sine", "asinh(1)"},
    {"acosh", "x", "inverse hyperbolic cosine", "acosh(2)"},
    {"atanh", "x", "inverse hyperbolic tangent", "atanh(0.5)"},
    {"erf", "x", "error function", "erf(1)"},
    {"erfc", "x", "1 - erf(x)", "erfc(1)"},
    {"gamma", "x", "gamma function", "gamma(0.5)"},
    {"lgamma", "x", "log of |gamma(x)|", "lgamma(10)"},
    {"polygamma", "n, x", "n-th derivative of the digamma function",
     "polygamma(0, 1)"},
    {"abs", "x", "absolute value", "abs(-2)"},
    {"sign", "x", "-1, 0 or 1", "sign(-2)"},
    {"floor", "x", "greatest whole number not above x", "floor(2.5)"},
    {"ceil", "x", "least whole number not below x", "ceil(2.5)"},
    {"round", "x", "nearest whole number, halves away from 0", "round(2.5)"},
    {"trunc", "x", "whole part, towards 0", "trunc(-2.5)"},
    {"fmod", "x, y", "remainder of x/y with the sign of x", "fmod(5, 3)"},
    {"min", "a, b, ...", "least of numbers, or of a list", "min(1, 2)"},
    {"max", "a, b, ...", "greatest of numbers, or of a list", "max(1, 2)"},
    {"sum", "list", "sum of a list or vector", "sum(1 .. 10)"},
    {"length", "list", "number of entries", "length(r.t)"},
    {"linspace", "from, to, count", "equally spaced numbers, ends included",
     "linspace(0, 1, 11)"},
    {"dot", "a, b", "scalar product", "dot((1, 0), (0, 1))"},
    {"cross", "a, b", "vector product; a number in the plane",
     "cross((1, 0, 0), (0, 1, 0))"},
    {"norm", "v", "length of a vector", "norm((3, 4))"},
    {"unit", "v", "direction of a vector", "unit((3, 4))"},
    {"det", "M", "determinant", "det([1, 2; 3, 4])"},
    {"inv", "M", "inverse matrix", "inv([1, 2; 3, 4])"},
    {"solve", "M, b", "x with M*x = b", "solve([1, 2; 3, 4], (1, 2))"},
    {"transpose", "M", "rows and columns exchanged", "transpose([1, 2; 3, 4])"},
    {"diag", "a, b, ...", "diagonal matrix", "diag(1, 2, 3)"},
    {"rot", "[axis,] angle", "rotation matrix, in the plane or about an axis",
     "rot(30 [deg])"},
    {"gap", "contact", "signed distance of the two surfaces", "gap(touch)"},
    {"twist", "spin, velocity",
     "velocity screw: 6 numbers, spin and then velocity, padded with 0 in the "
     "plane",
     "twist((0, 0, 1), (2, 0, 0))"},
    {"wrench", "force, moment",
     "force (or impulse) and its moment: 6 numbers, padded with 0 in the plane",
     "wrench((1, 0, 0) [N], (0, 0, 2))"},
    {"screw", "a, b", "6 numbers; b has the dimension of a times length",
     "screw((0, 0, 1), (1, 0, 0))"},
    {"plucker", "point, direction",
     "Pluecker coordinates of a line: direction, and point x direction",
     "plucker((1, 0, 0), (0, 0, 1))"},
    {"columns", "a, b, ...", "matrix of these columns",
     "columns((1, 0), (0, 1))"},
    {"figures", "A",
     "the numbers of a vector or matrix in SI units, without their units",
     "norm(figures(one.twist))"},
    {"U", "body, contact, ...",
     "a column per contact: its direction and the moment of that about the "
     "body's mass centre",
     "U(one, touch)"},
    {"G", "[body,] contact, ...",
     "inverse mass matrix of the contacts: U^T eta Q M_red^-1 Q^T eta U of one "
     "body, or its sum over their bodies",
     "G(one, touch)"},
    {"series", "x, order",
     "Taylor coefficients of x in t along the motion, orders 0 to order, from "
     "the present state; entry k is per s^k",
     "series(gap(touch), 6)"},
    {"random", "from, to",
     "in a start: a number drawn evenly between two bounds, from the world's "
     "seed and the number of the run",
     "random(-0.1, 0.1)"},
    {"before", "x", "in the jump of an observer: x just before the impact",
     "before(h')"},
    {"after", "x", "in the jump of an observer: x just after the impact",
     "after(h')"},
    {"jump", "x", "in the jump of an observer: after(x) - before(x)",
     "jump(h')"},
};
#define N_BUILTINS (sizeof builtins / sizeof builtins[0])

const struct builtin *
builtin_get(size_t n)
{
    return n < N_BUILTINS ? &builtins[n] : NULL;
}
const struct builtin *
builtin_find(const char *name)
{
    for (size_t i = 0; i < N_BUILTINS; i++)
        if (!strcmp(builtins[i].name, name))
            return &builtins[i];
    return NULL;
}

/* dimension rules of the operator table */
enum rule {
    SAME,
    MUL,
    DIV,
    PURE,
    SQRT,
    CBRT,
    SQR,
    POW,
    COMPARE,
    LOGIC,
    SELECT,
    SIGN,
    RATIO,
    LEAF
};
static const struct op_row {
    const char *word;
    int arity;
    enum rule rule;
} op_rows[] = {
#define OP(name, word, arity, dim, series, guard, eval, deriv)                 \
    {word, arity, dim},
#include "abi/ops.def"
};

static struct value
op_call(struct check *ck, const struct ast_expr *e, enum imp_op op,
        struct value *a, size_t n)
{
    const struct op_row *row = &op_rows[op];
    const struct dim *pure = dim_pure(ck->dims), *dim = pure;
    bool bare = true, any = false;
    const char *what = arena_printf(ck->arena, "the argument of %s", row->word);
    for (size_t i = 0; i < n; i++) {
        if (!v_is_scalar(&a[i])) {
            struct diag *d = ck_error(ck, DIAG_E0218, e->args[i].value->range,
                                      "%s takes a number, but this is %s",
                                      row->word, v_kind(ck, &a[i]));
            if (op == IMP_OP_ABS && a[i].kind == V_NUM)
                CK_HELP(ck, d, "the length of a vector is norm(v)");
            return v_poison(e->range);
        }
        bare &= a[i].bare;
        any |= a[i].kind == V_ANY;
    }
    switch (row->rule) {
    case PURE:
        for (size_t i = 0; i < n; i++)
            if (!a[i].bare &&
                !v_need_dim(ck, &a[i], e->args[i].value, pure, what))
                return v_poison(e->range);
        break;
    case SAME:
    case RATIO: {
        bool b;
        dim = a[0].dim;
        if (n == 2 && !v_agree(ck, e, row->word, &a[0], e->args[0].value, &a[1],
                               e->args[1].value, &dim, &b))
            return v_poison(e->range);
        if (row->rule == RATIO)
            dim = pure;
        break;
    }
    case SQRT:
        dim = dim_pow(ck->dims, a[0].dim, (struct ratio){1, 2});
        break;
    case CBRT:
        dim = dim_pow(ck->dims, a[0].dim, (struct ratio){1, 3});
        break;
    default: /* SIGN: any in, pure out */
        break;
    }
    if (any)
        return v_any(ck, dim, e->range);
    graph_origin(ck->g, e->range);
    struct value r =
        v_num(ck, ex_op(ck->g, op, a[0].e[0], n > 1 ? a[1].e[0] : NULL, NULL),
              dim, e->range);
    r.bare = bare;
    return r;
}

/* min, max of numbers; of a list; sum, length of one */
static struct value
reduce(struct check *ck, const struct ast_expr *e, const char *name,
       struct value *a, size_t n)
{
    bool mn = !strcmp(name, "min"), mx = !strcmp(name, "max");
    bool length = !strcmp(name, "length");
    struct value out;
    struct value list = a[0];
    if (n == 1 && a[0].kind == V_FIELD) {
        if (field_reduce(ck, name, &a[0], e->range, &out))
            return out;
        ck_error(ck, DIAG_E0218, e->args[0].value->range,
                 "%s takes a list, but this is %s", name, v_kind(ck, &a[0]));
        return v_poison(e->range);
    }
    if (n == 1 && a[0].kind == V_ANY)
        return v_any(ck, length ? dim_pure(ck->dims) : a[0].dim, e->range);
    if (n == 1 && a[0].kind != V_LIST &&
        !(a[0].kind == V_NUM && a[0].cols == 1 && a[0].rows > 1)) {
        struct diag *d =
            ck_error(ck, DIAG_E0218, e->args[0].value->range,
                     "%s takes %s, but this is %s", name,
                     mn || mx ? "two or more numbers, or a list" : "a list",
                     v_kind(ck, &a[0]));
        if (a[0].kind == V_RESULT)
            CK_HELP(ck, d, "take one of its lists, as in %s(r.%s)", name, "t");
        return v_poison(e->range);
    }
    if (n > 1) {
        list = v_array(ck, (uint32_t)n, 1, dim_pure(ck->dims), e->range);
        list.bare = true;
        for (size_t i = 0; i < n; i++) {
            const struct dim *dim;
            bool bare;
            const struct ast_expr *ei = e->args[i].value;
            if (!v_is_scalar(&a[i])) {
                ck_error(ck, DIAG_E0218, ei->range,
                         "%s takes numbers, but this is %s", name,
                         v_kind(ck, &a[i]));
                return v_poison(e->range);
            }
            if (!v_agree(ck, ei, name, &list, e->args[0].value, &a[i], ei, &dim,
                         &bare))
                return v_poison(e->range);
            list.dim = dim;
            list.bare = bare;
            if (a[i].kind == V_ANY)
                list.kind = V_ANY;
            list.e[i] = a[i].e[0];
        }
        if (list.kind == V_ANY)
            return v_any(ck, list.dim, e->range);
    }
    uint32_t k = list.rows;
    if (!length && !mx_plain(ck, &list, e->args[0].value->range, name))
        return v_poison(e->range);
    if (length)
        return v_num(ck, ex_num(ck->g, k), dim_pure(ck->dims), e->range);
    if (!k) {
        ck_error(ck, DIAG_E0218, e->range, "%s of an empty list", name);
        return v_poison(e->range);
    }
    graph_origin(ck->g, e->range);
    const expr *s = list.e[0];
    for (uint32_t i = 1; i < k; i++)
        s = mn   ? ex_op(ck->g, IMP_OP_MIN, s, list.e[i], NULL)
            : mx ? ex_op(ck->g, IMP_OP_MAX, s, list.e[i], NULL)
                 : ex_add(ck->g, s, list.e[i]);
    struct value r = v_num(ck, s, list.dim, e->range);
    r.bare = list.bare;
    return r;
}

static struct value
linspace(struct check *ck, const struct ast_expr *e, struct value *a)
{
    const struct dim *dim, *pure = dim_pure(ck->dims);
    bool bare;
    double n;
    for (int i = 0; i < 3; i++)
        if (!v_is_scalar(&a[i])) {
            ck_error(ck, DIAG_E0218, e->args[i].value->range,
                     "linspace takes numbers, but this is %s",
                     v_kind(ck, &a[i]));
            return v_poison(e->range);
        }
    if (!v_agree(ck, e, "linspace", &a[0], e->args[0].value, &a[1],
                 e->args[1].value, &dim, &bare) ||
        !v_need_dim(ck, &a[2], e->args[2].value, pure, "the count"))
        return v_poison(e->range);
    if (a[0].kind == V_ANY || a[1].kind == V_ANY || a[2].kind == V_ANY)
        return v_any(ck, dim, e->range);
    if (!ck_fixed(ck, a[2].e[0], &n) || n != floor(n) || n < 2 || n > 100000) {
        ck_error(ck, DIAG_E0222, e->args[2].value->range,
                 "the count is a whole number from 2 to 100000, made of "
                 "literals and params");
        return v_poison(e->range);
    }
    struct value r = v_array(ck, (uint32_t)n, 1, dim, e->range);
    r.kind = V_LIST;
    r.bare = bare;
    graph_origin(ck->g, e->range);
    const expr *step = ex_sub(ck->g, a[1].e[0], a[0].e[0]);
    for (uint32_t i = 0; i < r.rows; i++)
        r.e[i] =
            i == 0 ? a[0].e[0]
            : i + 1 == r.rows
                ? a[1].e[0]
                : ex_add(ck->g, a[0].e[0],
                         ex_div(ck->g, ex_mul(ck->g, step, ex_num(ck->g, i)),
                                ex_num(ck->g, n - 1)));
    return r;
}

static struct value
gap_call(struct check *ck, const struct ast_expr *e, struct value *a)
{
    if (a[0].kind == V_CONTACT && ck->contacts.v[a[0].ref].at.n)
        return no_surface(ck, a[0].ref, e->range);
    if (a[0].kind == V_CONTACT)
        return contact_gap(ck, a[0].ref, e->range);
    if (a[0].kind == V_ANY)
        return v_any(ck, dim_mks(ck->dims, 1, 0, 0), e->range);
    struct diag *d =
        ck_error(ck, DIAG_E0218, e->args[0].value->range,
                 "gap takes a contact, but this is %s", v_kind(ck, &a[0]));
    ck_help_contacts(ck, d);
    return v_poison(e->range);
}

/* how many arguments, from the table's text */
static void
arity(const struct builtin *b, size_t *lo, size_t *hi)
{
    *lo = *hi = 1;
    for (const char *s = b->args; *s; s++)
        *hi += *s == ',';
    *lo = *hi;
    if (strstr(b->args, "...")) {
        *lo = 1;
        *hi = 1000000;
    }
    if (b->args[0] == '[')
        *lo = 1;
}

struct value
builtin_call(struct check *ck, const struct env *env, const struct builtin *b,
             const struct ast_expr *e)
{
    size_t lo, hi, n = e->n_args;
    struct value *a = NEW_N(ck->arena, struct value, n + 1);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        if (e->args[i].name.text) {
            ck_error(ck, DIAG_E0215, e->args[i].name.range,
                     "%s takes its arguments by place: %s(%s)", b->name,
                     b->name, b->args);
            ok = false;
        }
        a[i] = ck_expr(ck, env, e->args[i].value);
        ok &= a[i].kind != V_POISON;
    }
    arity(b, &lo, &hi);
    if (n < lo || n > hi) {
        struct diag *d =
            ck_error(ck, DIAG_E0214, e->range,
                     "%s takes %s%zu argument%s, but gets %zu", b->name,
                     lo == hi ? ""
                     : n < lo ? "at least "
                              : "at most ",
                     n < lo ? lo : hi, (n < lo ? lo : hi) == 1 ? "" : "s", n);
        CK_HELP(ck, d, "%s(%s): %s, as in %s", b->name, b->args, b->doc,
                b->example);
        ok = false;
    }
    if (!ok)
        return v_poison(e->range);
    graph_origin(ck->g, e->range);
    if (!strcmp(b->name, "gap"))
        return gap_call(ck, e, a);
    if (!strcmp(b->name, "series"))
        return series_call(ck, e, a);
    if (!strcmp(b->name, "linspace"))
        return linspace(ck, e, a);
    if (!strcmp(b->name, "min") || !strcmp(b->name, "max") ||
        !strcmp(b->name, "sum") || !strcmp(b->name, "length"))
        return reduce(ck, e, b->name, a, n);
    if (!strcmp(b->name, "pow"))
        return ck_power(ck, e, a[0], e->args[0].value, a[1], e->args[1].value);
    for (int op = 0; op < IMP_OP_COUNT; op++)
        if (!strcmp(op_rows[op].word, b->name))
            return op_call(ck, e, (enum imp_op)op, a, n);
    struct value out = v_poison(e->range);
    if (part_call(ck, env, e, b->name, a, &out))
        return out;
    if (!screw_call(ck, e, b->name, a, n, &out))
        lin_call(ck, e, b->name, a, n, &out);
    return out;
}
