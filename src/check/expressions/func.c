/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that are built in: those of the operator table (abi/ops.def, whose
 * dimension rule is applied here), n-ary min and max, sums and reductions,
 * lists, vectors and matrices (linalg.c), and gap. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/expressions/expressions.h"
#include "check/quantities/lists.h"

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

static bool
takes_an_angle(enum imp_op op)
{
    return op == IMP_OP_SIN || op == IMP_OP_COS || op == IMP_OP_TAN;
}

static struct value
op_call(struct check *ck, const struct ast_expr *node, enum imp_op op,
        struct value *args, size_t count)
{
    const struct op_row *row = &op_rows[op];
    const struct dim *pure = dim_pure(ck->dims), *dim = pure;
    bool bare = true, any = false;
    const char *what = check_text_once(ck, "the argument of %s", row->word);
    for (size_t arg = 0; arg < count; arg++) {
        if (!value_is_scalar(&args[arg])) {
            struct diag *diag =
                check_error(ck, DIAG_E0218, node->args[arg].value->range,
                            "%s takes a number, but this is %s", row->word,
                            value_kind_text(ck, &args[arg]));
            const char *text = expr_label(ck, node->args[arg].value);
            if (op == IMP_OP_ABS && args[arg].kind == VALUE_NUM)
                CHECK_HELP(ck, diag,
                           "the length of a vector is norm(v), the sizes of "
                           "its entries are abs(entries(v))");
            else if (count == 1 && args[arg].kind == VALUE_NUM &&
                     args[arg].cols == 1)
                CHECK_HELP(ck, diag,
                           "of the length of a vector: %s(norm(%s)); of its "
                           "entries, one by one: %s(entries(%s))",
                           row->word, text, row->word, text);
            return value_poison(node->range);
        }
        bare &= args[arg].bare;
        any |= args[arg].kind == VALUE_ANY;
    }
    switch (row->rule) {
    case PURE:
        for (size_t arg = 0; arg < count; arg++)
            if (!args[arg].bare &&
                !value_need_dim(ck, &args[arg], node->args[arg].value, pure,
                                what))
                return value_poison(node->range);
        break;
    case SAME:
    case RATIO: {
        bool b;
        dim = args[0].dim;
        if (count == 2 &&
            !value_agree(ck, node, row->word, &args[0], node->args[0].value,
                         &args[1], node->args[1].value, &dim, &b))
            return value_poison(node->range);
        if (row->rule == RATIO)
            dim = pure;
        break;
    }
    case SQRT:
        dim = dim_pow(ck->dims, args[0].dim, (struct ratio){1, 2});
        break;
    case CBRT:
        dim = dim_pow(ck->dims, args[0].dim, (struct ratio){1, 3});
        break;
    default: /* SIGN takes any dimension, and its result is a pure number. */
        break;
    }
    if (any)
        return value_any(ck, dim, node->range);
    graph_origin(ck->g, node->range);
    struct value result = value_num(
        ck,
        ex_op(ck->g, op, args[0].e[0], count > 1 ? args[1].e[0] : NULL, NULL),
        dim, node->range);
    /* sin(20 [deg]) is as good a factor of a bare number as sin(0.35) is */
    result.bare = bare || (takes_an_angle(op) && ex_is_const(args[0].e[0]));
    return result;
}

/* E0218: the argument of min, max, sum or length is no list. */
static struct value
no_list(struct check *ck, const struct ast_expr *node, const char *name,
        const struct value *value)
{
    bool least = !strcmp(name, "min"), greatest = !strcmp(name, "max");
    struct diag *diag = check_error(
        ck, DIAG_E0218, node->args[0].value->range,
        "%s takes %s, but this is %s", name,
        least || greatest ? "two or more numbers, or a list" : "a list",
        value_kind_text(ck, value));
    if ((least || greatest) && value->kind == VALUE_NUM && value->rows == 1)
        CHECK_HELP(ck, diag,
                   "of two numbers: %s(a, b); of a quantity along a "
                   "motion: simulate { record = %s(%s) ... }",
                   name, least ? "inf" : "sup",
                   expr_label(ck, node->args[0].value));
    else if (value->kind == VALUE_RESULT)
        CHECK_HELP(ck, diag, "take one of its lists, as in %s(r.%s)", name,
                   "t");
    else if (value->kind == VALUE_TABLE &&
             ck->lists.tables.v[value->ref].n_columns)
        CHECK_HELP(ck, diag, "take one of its columns, as in %s(%s.%s)", name,
                   ck->lists.tables.v[value->ref].name,
                   ck->lists.tables.v[value->ref].columns[0].name);
    return value_poison(node->range);
}

/* min and max of numbers or of a list; sum and length of one list. */
static struct value
reduce(struct check *ck, const struct ast_expr *node, const char *name,
       struct value *args, size_t count)
{
    bool mn = !strcmp(name, "min"), mx = !strcmp(name, "max");
    bool length = !strcmp(name, "length");
    struct value out, list = args[0];
    if (count == 1 && args[0].kind == VALUE_FIELD) {
        if (field_reduce(ck, name, &args[0], node->range, &out))
            return out;
        struct diag *diag =
            check_error(ck, DIAG_E0218, node->args[0].value->range,
                        "%s takes a list of numbers, but this is %s", name,
                        value_kind_text(ck, &args[0]));
        const char *text = expr_label(ck, node->args[0].value);
        if (ck->lists.commands.v[args[0].ref].fields[args[0].field].kind ==
            IMP_FIELD_VECS)
            CHECK_HELP(ck, diag, LIST_OF_VECTORS, text, text, text);
        return value_poison(node->range);
    }
    if (count == 1 && args[0].kind == VALUE_ANY)
        return value_any(ck, length ? dim_pure(ck->dims) : args[0].dim,
                         node->range);
    if (count == 1 && args[0].kind != VALUE_LIST &&
        !(args[0].kind == VALUE_NUM && args[0].cols == 1 &&
          (args[0].rows > 1 || args[0].of_all))) {
        return no_list(ck, node, name, &args[0]);
    }
    if (count > 1) {
        list = value_array(ck, (uint32_t)count, 1, dim_pure(ck->dims),
                           node->range);
        list.bare = true;
        for (size_t arg = 0; arg < count; arg++) {
            const struct dim *dim;
            bool bare;
            const struct ast_expr *ei = node->args[arg].value;
            if (!value_is_scalar(&args[arg])) {
                check_error(ck, DIAG_E0218, ei->range,
                            "%s takes numbers, but this is %s", name,
                            value_kind_text(ck, &args[arg]));
                return value_poison(node->range);
            }
            if (!value_agree(ck, ei, name, &list, node->args[0].value,
                             &args[arg], ei, &dim, &bare))
                return value_poison(node->range);
            list.dim = dim;
            list.bare = bare;
            if (args[arg].kind == VALUE_ANY)
                list.kind = VALUE_ANY;
            list.e[arg] = args[arg].e[0];
        }
        if (list.kind == VALUE_ANY)
            return value_any(ck, list.dim, node->range);
    }
    uint32_t entries = list.rows;
    if (!length && !matrix_plain(ck, &list, node->args[0].value->range, name))
        return value_poison(node->range);
    if (length)
        return value_num(ck, ex_num(ck->g, entries), dim_pure(ck->dims),
                         node->range);
    if (!entries) {
        check_error(ck, DIAG_E0218, node->range, "%s of an empty list", name);
        return value_poison(node->range);
    }
    graph_origin(ck->g, node->range);
    const expr *sum = list.e[0];
    for (uint32_t i = 1; i < entries; i++)
        sum = mn   ? ex_op(ck->g, IMP_OP_MIN, sum, list.e[i], NULL)
              : mx ? ex_op(ck->g, IMP_OP_MAX, sum, list.e[i], NULL)
                   : ex_add(ck->g, sum, list.e[i]);
    struct value result = value_num(ck, sum, list.dim, node->range);
    result.bare = list.bare;
    return result;
}

static struct value
linspace(struct check *ck, const struct ast_expr *node, struct value *args)
{
    const struct dim *dim, *pure = dim_pure(ck->dims);
    bool bare;
    double count;
    for (int i = 0; i < 3; i++)
        if (!value_is_scalar(&args[i])) {
            check_error(ck, DIAG_E0218, node->args[i].value->range,
                        "linspace takes numbers, but this is %s",
                        value_kind_text(ck, &args[i]));
            return value_poison(node->range);
        }
    if (!value_agree(ck, node, "linspace", &args[0], node->args[0].value,
                     &args[1], node->args[1].value, &dim, &bare) ||
        !value_need_dim(ck, &args[2], node->args[2].value, pure, "the count"))
        return value_poison(node->range);
    if (args[0].kind == VALUE_ANY || args[1].kind == VALUE_ANY ||
        args[2].kind == VALUE_ANY)
        return value_any(ck, dim, node->range);
    if (!check_fixed(ck, args[2].e[0], &count) || count != floor(count) ||
        count < 2 || count > 100000) {
        struct diag *diag =
            check_error(ck, DIAG_E0222, node->args[2].value->range,
                        "the count is a whole number from 2 to 100000, made of "
                        "literals and params");
        if (check_fixed(ck, args[2].e[0], &count) && count > 0 && count < 2)
            CHECK_HELP(ck, diag,
                       "it is how many numbers there are, both ends included, "
                       "and not their step: linspace(0, 1, 11) goes by 0.1");
        return value_poison(node->range);
    }
    struct value result = value_array(ck, (uint32_t)count, 1, dim, node->range);
    result.kind = VALUE_LIST;
    result.bare = bare;
    graph_origin(ck->g, node->range);
    const expr *step = ex_sub(ck->g, args[1].e[0], args[0].e[0]);
    for (uint32_t i = 0; i < result.rows; i++)
        result.e[i] =
            i == 0 ? args[0].e[0]
            : i + 1 == result.rows
                ? args[1].e[0]
                : ex_add(ck->g, args[0].e[0],
                         ex_div(ck->g, ex_mul(ck->g, step, ex_num(ck->g, i)),
                                ex_num(ck->g, count - 1)));
    return result;
}

static struct value
gap_call(struct check *ck, const struct ast_expr *node, struct value *args)
{
    if (args[0].kind == VALUE_CONTACT && ck->lists.contacts.v[args[0].ref].at.n)
        return no_surface(ck, args[0].ref, node->range);
    if (args[0].kind == VALUE_CONTACT)
        return contact_gap(ck, args[0].ref, node->range);
    if (args[0].kind == VALUE_FAMILY && !args[0].field) {
        struct value gaps =
            family_field(ck, &args[0], "gap", node->range, node->range);
        gaps.of_all = true;
        return gaps;
    }
    if (args[0].kind == VALUE_ANY)
        return value_any(ck, dim_mks(ck->dims, 1, 0, 0), node->range);
    struct diag *diag = check_error(ck, DIAG_E0218, node->args[0].value->range,
                                    "gap takes a contact, but this is %s",
                                    value_kind_text(ck, &args[0]));
    check_help_contacts(ck, diag);
    return value_poison(node->range);
}

/* Reads from the table's text how many arguments the function takes. */
static void
arity(const struct builtin *builtin, size_t *lo, size_t *hi)
{
    const struct list_row *list = list_row(list_kind_of(builtin->name));
    *lo = *hi = 1;
    if (list) {
        *lo = list->least;
        *hi = list->most;
        return;
    }
    for (const char *text = builtin->args; *text; text++)
        *hi += *text == ',';
    *lo = *hi;
    if (strstr(builtin->args, "...")) {
        *lo = 1;
        *hi = 1000000;
    }
    if (builtin->args[0] == '[')
        *lo = 1;
}

/* Does the function take numbers, so that it can be asked entry by entry? */
static bool
of_numbers(const char *name)
{
    static const char *const words[] = {
#define OP(NAME, word, arity, dim, series, guard, eval, deriv) word,
#include "abi/ops.def"
        "dot", "cross", "norm", "unit"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i], name))
            return true;
    return false;
}

/* sum, min ... of one list: the row of abi/lists.def that has no word */
static enum imp_list_kind
reduction(const char *name, size_t count)
{
    if (count != 1)
        return IMP_LIST_KINDS;
    return !strcmp(name, "sum")      ? IMP_LIST_SUM
           : !strcmp(name, "min")    ? IMP_LIST_MIN
           : !strcmp(name, "max")    ? IMP_LIST_MAX
           : !strcmp(name, "length") ? IMP_LIST_LENGTH
                                     : IMP_LIST_KINDS;
}

/* A function that is built in, of lists: of lists as such, or entry by entry.
 * False: it takes its arguments otherwise. */
static bool
list_function(struct check *ck, const struct env *env,
              const struct builtin *builtin, const struct ast_expr *node,
              const struct value *args, size_t count, struct value *out)
{
    enum imp_list_kind kind = list_kind_of(builtin->name);
    if (kind == IMP_LIST_KINDS &&
        (args[0].kind == VALUE_COLUMN || args[0].kind == VALUE_WORDS))
        kind = reduction(builtin->name, count);
    if (kind == IMP_LIST_PRESENT &&
        field_present(ck, &args[0], node->range, out))
        return true;
    if (kind != IMP_LIST_KINDS) {
        *out = kind == IMP_LIST_LOOKUP
                   ? list_lookup(ck, node, builtin->name, args)
                   : list_call(ck, node, kind, args, count);
        return true;
    }
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= args[i].kind == VALUE_COLUMN ||
               (value_is_list(ck, &args[i]) &&
                reduction(builtin->name, count) == IMP_LIST_KINDS);
    if (!any || !of_numbers(builtin->name))
        return false;
    struct value *entries = NEW_N(ck->arena, struct value, count);
    struct value *lists = NEW_N(ck->arena, struct value, count);
    for (size_t i = 0; i < count; i++)
        entries[i] =
            list_entry_or_value(ck, &args[i], node->args[i].value, &lists[i]);
    struct value result = builtin_call(ck, env, builtin, node, entries);
    *out = list_of_entry(&result, lists, count);
    return true;
}

struct value
builtin_call(struct check *ck, const struct env *env,
             const struct builtin *builtin, const struct ast_expr *node,
             struct value *args)
{
    assert(ck && env && builtin && node && args);
    size_t lo, hi, count = node->n_args;
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok &= args[i].kind != VALUE_POISON;
    arity(builtin, &lo, &hi);
    if (count < lo || count > hi) {
        struct diag *diag = check_error(
            ck, DIAG_E0214, node->range,
            "%s takes %s%zu argument%s, but gets %zu", builtin->name,
            lo == hi     ? ""
            : count < lo ? "at least "
                         : "at most ",
            count < lo ? lo : hi, (count < lo ? lo : hi) == 1 ? "" : "s",
            count);
        if (!strcmp(builtin->name, "gap") && count == 2)
            CHECK_HELP(ck, diag,
                       "name the contact of both bodies, and ask for its gap: "
                       "contact touch : %s | %s { }, gap(touch)",
                       expr_label(ck, node->args[0].value),
                       expr_label(ck, node->args[1].value));
        else
            CHECK_HELP(ck, diag, "%s(%s): %s, as in %s", builtin->name,
                       builtin->args, builtin->doc, builtin->example);
        ok = false;
    }
    if (!ok)
        return value_poison(node->range);
    graph_origin(ck->g, node->range);
    if (!strcmp(builtin->name, "sup") || !strcmp(builtin->name, "inf") ||
        !strcmp(builtin->name, "integral") || !strcmp(builtin->name, "first")) {
        CHECK_HELP(
            ck,
            check_error(ck, DIAG_E0432, node->range,
                        "`%s` is one number of a whole run, and stands by "
                        "itself in the `record` of `simulate`",
                        builtin->name),
            "let r = simulate { until = 1  record = %s }  show r.%s_...",
            expr_label(ck, node), builtin->name);
        return value_poison(node->range);
    }
    struct value lists;
    if (list_function(ck, env, builtin, node, args, count, &lists))
        return lists;
    if (!strcmp(builtin->name, "gap"))
        return gap_call(ck, node, args);
    if (!strcmp(builtin->name, "series"))
        return series_call(ck, node, args, false);
    if (!strcmp(builtin->name, "linspace"))
        return linspace(ck, node, args);
    if (!strcmp(builtin->name, "min") || !strcmp(builtin->name, "max") ||
        !strcmp(builtin->name, "sum") || !strcmp(builtin->name, "length"))
        return reduce(ck, node, builtin->name, args, count);
    if (!strcmp(builtin->name, "pow"))
        return check_power(ck, node, args[0], node->args[0].value, args[1],
                           node->args[1].value);
    for (int op = 0; op < IMP_OP_COUNT; op++)
        if (!strcmp(op_rows[op].word, builtin->name))
            return op_call(ck, node, (enum imp_op)op, args, count);
    struct value out = value_poison(node->range);
    if (part_call(ck, env, node, builtin->name, args, &out))
        return out;
    if (!screw_call(ck, node, builtin->name, args, count, &out))
        lin_call(ck, node, builtin->name, args, count, &out);
    return out;
}
