/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Params: value, dimension, range. Lets, functions and shapes that nothing
 * uses. Functions and shapes are expanded where they are used; here each is
 * also checked once by itself, with a fresh dimension for every argument, so
 * that a mistake in one that nobody uses is found too. */

#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/model/model_priv.h"

/* from so many lets on they may read one another deeper than may be nested */
enum { CHAIN_LONG = 500 };

void
decl_lets(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_LET && decl->state == DECL_NEW)
                check_decl(ck, decl, decl->range);
}

/* Is it a formula of numbers, params and lets that have their values? */
static bool
is_ready(struct check *ck, struct module *module, const struct ast_expr *node,
         unsigned depth)
{
    if (!node || node->kind == AST_NUM)
        return true;
    if (depth > 20)
        return false;
    if (node->kind == AST_NAME) {
        const struct decl *decl = scope_own(module, node->name.text);
        return decl && (decl->kind == DECL_PARAM ||
                        (decl->kind == DECL_LET && decl->state == DECL_DONE));
    }
    return (node->kind == AST_BINARY || node->kind == AST_NEG ||
            node->kind == AST_PAREN) &&
           is_ready(ck, module, node->a, depth + 1) &&
           is_ready(ck, module, node->b, depth + 1);
}

void
decl_chains(struct check *ck)
{
    assert(ck);
    struct module *main = ck->modules.main;
    struct {
        struct decl **v;
        size_t n, cap;
    } lets = {0};
    for (struct decl *decl = main->first; decl; decl = decl->next)
        if (decl->kind == DECL_LET)
            APUSH(ck, &lets, decl);
    for (size_t k = 0; lets.n > CHAIN_LONG && k < 2 * lets.n; k++) {
        struct decl *decl = lets.v[k < lets.n ? k : 2 * lets.n - 1 - k];
        if (decl->state == DECL_NEW && is_ready(ck, main, decl->item->value, 0))
            check_decl(ck, decl, decl->range);
    }
}

static void
fn_alone(struct check *ck, struct decl *decl)
{
    struct env env;
    struct frame frame;
    call_open(ck, decl, decl->item->formals, decl->item->n_formals, &env);
    if (!call_enter(ck, decl, IMP_NOWHERE, &frame))
        return;
    /* it may draw, for starts; nothing is drawn here */
    size_t draws = ck->lists.draws.n;
    env.part = PART_START;
    struct value value = check_expr(ck, &env, decl->item->value);
    ck->lists.draws.n = draws;
    decl->broken |= value.kind == VALUE_POISON;
    call_leave(ck, &frame);
}

void
decl_definitions(struct check *ck, enum decl_kind kind)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl && !module->library;
             decl = decl->next) {
            if (decl->kind != kind)
                continue;
            if (kind == DECL_FN)
                fn_alone(ck, decl);
            else
                shape_alone(ck, decl);
        }
}

/* -- params -----------------------------------------------------------------
 */

static bool
bound(struct check *ck, const struct env *env, const struct ast_expr *node,
      const struct dim *dim, double *x)
{
    struct value value = check_expr(ck, env, node);
    if (!value_need_scalar(ck, &value, node, dim, "a bound of this param"))
        return false;
    if (!value_const(&value, x)) {
        check_error(ck, DIAG_E0306, node->range,
                    "a bound of a param is made of literals");
        return false;
    }
    return true;
}

/* Is this a bare number, or one with a sign? */
static bool
is_bare(const struct ast_expr *node)
{
    if (node->kind == AST_NEG)
        return is_bare(node->a);
    return node->kind == AST_NUM && !node->unit;
}

/* E0329, with the numbers of the param in its remedy. */
static void
no_dimension(struct check *ck, const struct ast_item *it)
{
    const char *said = expr_label(ck, it->dim),
               *value = expr_label(ck, it->value), *in = "";
    struct diag *diag =
        check_error(ck, DIAG_E0329, it->dim->range,
                    "what follows the colon is a dimension, in SI units");
    if (it->lo && it->hi)
        in = is_bare(it->lo) && is_bare(it->hi)
                 ? arena_printf(ck->arena, " in [%s, %s] [%s]",
                                expr_label(ck, it->lo), expr_label(ck, it->hi),
                                said)
                 : arena_printf(ck->arena, " in [%s, %s]",
                                expr_label(ck, it->lo), expr_label(ck, it->hi));
    bool bare = is_bare(it->value);
    if (bare || !strchr(value, '['))
        CHECK_HELP(ck, diag,
                   "leave `: %s` out, and write the unit behind the numbers: "
                   "%s = %s%s%s [%s]%s",
                   said, it->name.text, bare ? "" : "(", value, bare ? "" : ")",
                   said, in);
    else
        CHECK_HELP(ck, diag,
                   "leave `: %s` out: the numbers have units: %s = %s%s", said,
                   it->name.text, value, in);
}

/* Tells of a param that is no number, and what does in its place. */
static void
param_not_a_number(struct check *ck, const struct decl *decl,
                   const struct value *value)
{
    const struct ast_expr *node = decl->item->value;
    struct diag *diag = check_error(ck, DIAG_E0330, node->range,
                                    "a param is one number, but this is %s",
                                    value_kind_text(ck, value));
    if (value->kind == VALUE_TRUTH || value->kind == VALUE_TEXT)
        CHECK_HELP(ck, diag,
                   "numbers tell cases apart: param %s = 1 in [0, 1], of which "
                   "a condition asks %s > 0",
                   decl->name, decl->name);
    else if (value->kind == VALUE_NUM && value->cols == 1)
        CHECK_HELP(ck, diag,
                   "declare a param for each entry, and let %s = (%s_x, %s_y) "
                   "or so",
                   decl->name, decl->name, decl->name);
    else
        CHECK_HELP(ck, diag, "what is no number is a `let`: let %s = %s",
                   decl->name, expr_label(ck, node));
}

static void
param(struct check *ck, struct decl *decl)
{
    const struct ast_item *it = decl->item;
    struct env env = {.module = decl->module};
    struct tm_param made = {.name = decl->name,
                            .doc = it->doc ? it->doc : "",
                            .unit = "",
                            .lo = -INFINITY,
                            .hi = INFINITY,
                            .range = decl->range};
    decl->state = DECL_BUSY;
    decl->index = (uint32_t)ck->lists.params.n;
    const struct dim *dim = NULL;
    struct unit unit;
    if (it->dim) {
        if (!unit_of_ast(ck, it->dim, &unit)) {
            decl->broken = true;
        } else {
            dim = unit.dim;
            if (unit.num != unit.den)
                no_dimension(ck, it);
        }
    }
    struct value value = check_expr(ck, &env, it->value);
    if (value.kind == VALUE_POISON) {
        decl->broken = true;
    } else if (!value_is_scalar(&value)) {
        param_not_a_number(ck, decl, &value);
        value.dim = dim_pure(ck->dims); /* a text, or a body, has none */
    } else if (!value_const(&value, &made.dflt)) {
        struct diag *diag =
            check_error(ck, DIAG_E0306, it->value->range,
                        "the default of a param is made of literals");
        CHECK_HELP(ck, diag, "what depends on params is a `let`: let %s = %s",
                   decl->name, expr_label(ck, it->value));
        decl->broken = true;
    }
    if (decl->broken) {
        value = value_num(ck, ex_num(ck->g, 0),
                          dim_fresh(ck->dims, decl->range), decl->range);
    } else {
        value_whole(ck, &value);
        if (dim && !value_need_dim(ck, &value, it->value, dim, "this param"))
            decl->broken = true;
    }
    if (!decl->broken && it->lo && it->hi) {
        made.has_range = bound(ck, &env, it->lo, value.dim, &made.lo);
        made.has_range &= bound(ck, &env, it->hi, value.dim, &made.hi);
        if (made.has_range && made.lo > made.hi) {
            imp_range range = it->lo->range;
            range.hi = it->hi->range.hi;
            check_error(
                ck, DIAG_E0308, range,
                "this range is empty: its lower bound is the larger one");
        } else if (made.has_range &&
                   !(made.dflt >= made.lo && made.dflt <= made.hi)) {
            struct diag *diag = check_error(
                ck, DIAG_E0307, it->value->range,
                "the default of `%s` is outside its own range", decl->name);
            imp_range range = it->lo->range;
            range.hi = it->hi->range.hi;
            CHECK_NOTE(ck, diag, range, "the range, in SI units");
        }
    }
    decl->val = value_num(ck, ex_sym(ck->g, SYM_PARAM, decl->index, 0),
                          value.dim, decl->range);
    decl->state = DECL_DONE;
    APUSH(ck, &ck->lists.params, made);
    APUSH(ck, &ck->notes.param_decls, decl);
}

void
decl_params(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_PARAM)
                param(ck, decl);
}

void
decl_params_done(struct check *ck)
{
    assert(ck);
    for (size_t i = 0; i < ck->lists.params.n; i++) {
        struct tm_param *param = &ck->lists.params.v[i];
        param->unit = dim_text(ck->dims, ck->notes.param_decls.v[i]->val.dim);
        if (param->structural && param->has_range &&
            !(param->dflt >= param->lo && param->dflt <= param->hi))
            check_error(ck, DIAG_E0307, param->range,
                        "the value given for `%s` is outside its range",
                        param->name);
    }
}
