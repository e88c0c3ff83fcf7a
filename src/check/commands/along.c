/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One number of a whole run, in the `record` of `simulate`: sup(x), inf(x),
 * integral(x), first(a > b). Its value for the run is the Taylor series of x.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/commands/commands_priv.h"

static const char *const words[] = {"sup", "inf", "integral", "first"};
enum word { WORD_SUP, WORD_INF, WORD_INTEGRAL, WORD_FIRST, N_WORDS };

/* The word of a call that no function of the user's has taken. */
static enum word
word_of(struct check *ck, const struct ast_expr *node)
{
    bool reported = false;
    unsigned word = 0;
    if (node->kind != AST_CALL || node->a->kind != AST_NAME)
        return N_WORDS;
    while (word < N_WORDS && strcmp(words[word], node->a->name.text) != 0)
        word++;
    if (word < N_WORDS && scope_find(ck, ck->modules.main, words[word],
                                     WANT_CALL, node->range, &reported))
        return N_WORDS;
    return (enum word)word;
}

/* Does the call of abs stand here? Its argument, or NULL. */
static const struct ast_expr *
within_abs(const struct ast_expr *node)
{
    return node->kind == AST_CALL && node->a->kind == AST_NAME &&
                   !strcmp(node->a->name.text, "abs") && node->n_args == 1 &&
                   !node->args[0].name.text
               ? node->args[0].value
               : NULL;
}

static bool
wrong(struct check *ck, const struct ast_expr *node, const char *word,
      const char *message, const char *as)
{
    CHECK_HELP(
        ck, check_error(ck, DIAG_E0432, node->range, "`%s` %s", word, message),
        "%s", as);
    return false;
}

/* The expression that a condition compares with 0: it holds where that is not
 * negative. */
static bool
condition_of(struct check *ck, const struct ast_expr *node, struct value *out)
{
    const struct ast_expr *inner = ast_unwrap(node);
    bool less = inner->kind == AST_BINARY &&
                (inner->op == AST_LT || inner->op == AST_LE);
    if (inner->kind != AST_BINARY ||
        (inner->op != AST_EQ && (inner->op < AST_LT || inner->op > AST_GE)))
        return wrong(ck, node, "first",
                     "takes one comparison with <, > or ==, whose first time "
                     "it tells",
                     "as in first(one.position[1] < 0.1 [m])");
    struct ast_expr minus = *inner;
    minus.op = AST_SUB;
    minus.a = less ? inner->b : inner->a;
    minus.b = less ? inner->a : inner->b;
    *out = check_expr(ck, &ck->modules.top, &minus);
    return out->kind != VALUE_POISON;
}

/* Returns the coefficients of the series of a value, IMP_ALONG_ORDER + 1 of
 * them; NULL after an error. */
static const expr **
series_of(struct check *ck, const struct ast_expr *node,
          const struct value *value)
{
    struct ast_expr order = {
        .kind = AST_NUM, .num = IMP_ALONG_ORDER, .range = node->range};
    struct ast_arg args[2] = {{.value = (struct ast_expr *)node},
                              {.value = &order}};
    struct ast_expr call = {
        .kind = AST_CALL, .range = node->range, .args = args, .n_args = 2};
    struct value two[2] = {*value, check_expr(ck, &ck->modules.top, &order)};
    struct value series = series_call(ck, &call, two, true);
    return series.kind == VALUE_NUM ? series.e : NULL;
}

/* The functions at whose zeros, or at whose extremes, the series of an
 * expression holds no more. */
struct kinks {
    struct check *ck;
    struct {
        const expr **v;
        size_t n, cap;
    } zeros, extremes;
};

static void
note_kink(void *ctx, const expr *node)
{
    struct kinks *kinks = ctx;
    struct graph *graph = kinks->ck->g;
    const expr *of = ex_branch(graph, node), *whole = NULL;
    switch ((enum imp_op)node->op) {
    case IMP_OP_SQRT: /* sqrt(x^2): a kink where x = 0 */
        APUSH(kinks->ck, &kinks->extremes, node->a);
        return;
    case IMP_OP_HYPOT:
        APUSH(kinks->ck, &kinks->extremes,
              ex_add(graph, ex_mul(graph, node->a, node->a),
                     ex_mul(graph, node->b, node->b)));
        return;
    case IMP_OP_PLACE:
        of = ex_rows_met(graph, node);
        break;
    case IMP_OP_ATAN2: /* jumps from pi to -pi where the first is 0 */
        of = node->a;
        break;
    case IMP_OP_FLOOR:
    case IMP_OP_CEIL:
    case IMP_OP_TRUNC:
    case IMP_OP_MOD:
    case IMP_OP_ROUND: /* where of is whole, or half of an odd number, it is 0
                          exactly: what is beyond its whole part turns */
        if (node->op == IMP_OP_ROUND)
            of = ex_add(graph, of, ex_num(graph, 0.5));
        whole = ex_op(graph, IMP_OP_FLOOR, of, NULL, NULL);
        of = ex_mul(graph, ex_num(graph, acos(-1.0)), ex_sub(graph, of, whole));
        of = ex_op(graph, IMP_OP_SIN, of, NULL, NULL);
        break;
    default:
        break;
    }
    if (of)
        APUSH(kinks->ck, &kinks->zeros, of);
}

/* Fills out->e with the coefficients of the series of the value, and behind
 * them with those of the functions that tell its kinks. */
static bool
all_series(struct check *ck, const struct ast_expr *node,
           const struct value *value, struct tm_val *out)
{
    struct kinks kinks = {.ck = ck};
    size_t width = IMP_ALONG_ORDER + 1, n = 1;
    ex_nodes(ck->g, value->e[0], note_kink, &kinks);
    size_t most = kinks.zeros.n + kinks.extremes.n;
    const expr **e = NEW_N(ck->arena, const expr *, width *(most + 1));
    const expr **own = series_of(ck, node, value);
    if (!own)
        return false;
    memcpy(e, own, width * sizeof *e);
    for (size_t i = 0; i < most; i++) {
        bool zero = i < kinks.zeros.n;
        const expr *of =
            zero ? kinks.zeros.v[i] : kinks.extremes.v[i - kinks.zeros.n];
        struct value kink =
            value_array(ck, 1, 1, dim_pure(ck->dims), node->range);
        kink.e[0] = of;
        const expr **series = series_of(ck, node, &kink);
        if (!series)
            return false;
        if (ex_is_num(series[1], 0)) /* it does not move */
            continue;
        memcpy(e + width * n++, series, width * sizeof *e);
        out->ref += zero;
    }
    out->e = e;
    out->rows = (uint32_t)(width * n);
    out->cols = 1;
    return true;
}

static bool
take(struct check *ck, const struct ast_expr *node, enum word word,
     struct tm_val *out, const struct dim **dim)
{
    static const enum imp_along_kind kinds[] = {
        IMP_ALONG_SUP, IMP_ALONG_INF, IMP_ALONG_INTEGRAL, IMP_ALONG_FIRST};
    if (node->n_args != 1 || node->args[0].name.text)
        return wrong(ck, node, words[word], "takes one expression",
                     "as in record = (sup(one.energy), first(gap(c) < 0.1))");
    const struct ast_expr *of = node->args[0].value;
    enum imp_along_kind kind = kinds[word];
    struct value value;
    if (word == WORD_SUP && within_abs(ast_unwrap(of))) {
        kind = IMP_ALONG_SUP_ABS;
        of = within_abs(ast_unwrap(of));
    }
    bool good = true;
    ck->progress.along = true;
    if (word != WORD_FIRST)
        value = check_expr(ck, &ck->modules.top, of);
    else
        good = condition_of(ck, of, &value);
    ck->progress.along = false;
    if (!good)
        return false;
    enum ast_binary op = word == WORD_FIRST ? ast_unwrap(of)->op : AST_LT;
    if (op == AST_LE || op == AST_GE)
        kind = IMP_ALONG_REACHED;
    else if (op == AST_EQ)
        kind = IMP_ALONG_EQUAL;
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind != VALUE_NUM || !value_is_scalar(&value))
        return wrong(ck, of, words[word],
                     arena_printf(ck->arena, "takes one number, but this is %s",
                                  value_kind_text(ck, &value)),
                     word == WORD_FIRST
                         ? "take one entry, or the length: "
                           "first(norm(one.velocity) < 1)"
                         : "take one entry, the greatest, sup(max(c.work)), or "
                           "the length, sup(norm(one.velocity))");
    const struct dim *second = dim_mks(ck->dims, 0, 0, 1);
    *dim = value.bare ? dim_pure(ck->dims) : value.dim;
    if (word == WORD_INTEGRAL)
        *dim = dim_mul(ck->dims, *dim, second);
    if (word == WORD_FIRST)
        *dim = second;
    struct value named = value; /* for label and name alone */
    val_of(ck, &named, node, out);
    if (!all_series(ck, of, &value, out))
        return false;
    out->kind = IMP_VAL_ALONG;
    out->field = kind;
    return true;
}

bool
along_item(struct check *ck, const struct ast_expr *node, struct tm_val *out,
           const struct dim **dim, bool *good)
{
    assert(ck && node && out && dim && good);
    enum word word = word_of(ck, node);
    if (word == N_WORDS)
        return false;
    *good = take(ck, node, word, out, dim);
    return true;
}
