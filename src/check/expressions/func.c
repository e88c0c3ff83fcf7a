/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that are built in: those of the operator table (abi/ops.def, whose
 * dimension rule is applied here), n-ary min and max, sums and reductions,
 * lists, vectors and matrices (linalg.c), and gap. */
#include <math.h>
#include <string.h>

#include "check/expressions/expressions.h"

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
             const struct ast_expr *e, struct value *a)
{
    size_t lo, hi, n = e->n_args;
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        ok &= a[i].kind != V_POISON;
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
