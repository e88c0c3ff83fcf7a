/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One number of a whole run, in the `record` of `simulate`: sup(x), inf(x),
 * integral(x), first(a > b). Its value for the run is the Taylor series of x. */
#include <assert.h>
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
    if (word < N_WORDS &&
        scope_find(ck, ck->modules.main, words[word], WANT_CALL, node->range,
                   &reported))
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
    CHECK_HELP(ck,
               check_error(ck, DIAG_E0432, node->range, "`%s` %s", word,
                           message),
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
    if (inner->kind != AST_BINARY || inner->op < AST_LT || inner->op > AST_GE)
        return wrong(ck, node, "first",
                     "takes one comparison with < or >, whose first time it "
                     "tells",
                     "as in first(one.position[1] < 0.1 [m])");
    struct ast_expr minus = *inner;
    minus.op = AST_SUB;
    minus.a = less ? inner->b : inner->a;
    minus.b = less ? inner->a : inner->b;
    *out = check_expr(ck, &ck->modules.top, &minus);
    return out->kind != VALUE_POISON;
}

/* Fills out->e with the coefficients of the series. */
static bool
series_of(struct check *ck, const struct ast_expr *node, struct value *value,
          struct tm_val *out)
{
    struct ast_expr order = {
        .kind = AST_NUM, .num = IMP_ALONG_ORDER, .range = node->range};
    struct ast_arg args[2] = {{.value = (struct ast_expr *)node},
                              {.value = &order}};
    struct ast_expr call = {.kind = AST_CALL,
                            .range = node->range,
                            .args = args,
                            .n_args = 2};
    struct value two[2] = {*value,
                           check_expr(ck, &ck->modules.top, &order)};
    struct value series = series_call(ck, &call, two);
    if (series.kind != VALUE_NUM)
        return false;
    out->e = series.e;
    out->rows = series.rows;
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
    if (word != WORD_FIRST)
        value = check_expr(ck, &ck->modules.top, of);
    else if (!condition_of(ck, of, &value))
        return false;
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind != VALUE_NUM || !value_is_scalar(&value))
        return wrong(ck, of, words[word],
                     arena_printf(ck->arena, "takes one number, but this is %s",
                                  value_kind_text(ck, &value)),
                     "take one entry, or the length: sup(norm(one.velocity))");
    const struct dim *second = dim_mks(ck->dims, 0, 0, 1);
    *dim = value.bare ? dim_pure(ck->dims) : value.dim;
    if (word == WORD_INTEGRAL)
        *dim = dim_mul(ck->dims, *dim, second);
    if (word == WORD_FIRST)
        *dim = second;
    struct value named = value; /* for label and name alone */
    val_of(ck, &named, node, out);
    if (!series_of(ck, of, &value, out))
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
