/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `plot` draws besides columns: `levels` of contours and curves of an
 * `overlay`. Both need the columns of the picture, so they are checked when the
 * arguments and `against` are known. A curve is
 *   an expression of the param on the horizontal axis, in the dimension of the
 *     vertical one: ref is that param;
 *   an equation of the params of both axes, whose zeros are drawn: compare is
 *     set as for `expect`, ref and field are the params (UINT32_MAX: the axis
 *     shows none);
 *   a column of a sweep over one param, a field as for `plot` itself. */
#include <string.h>

#include "check/commands/commands_priv.h"

#define NO_PARAM UINT32_MAX

static const struct tm_val *
option_of(const struct tm_command *c, enum imp_option_id id)
{
    for (size_t i = 0; i < c->n_opts; i++)
        if (c->opts[i].id == id)
            return &c->opts[i].val;
    return NULL;
}

/* the dimension of a column, NULL where it is not known here */
static const struct dim *
column_dim(struct check *ck, const struct tm_val *v)
{
    if (!v || v->kind != IMP_VAL_FIELD)
        return NULL;
    const struct tm_command *c = &ck->commands.v[v->ref];
    const struct tm_field *f = &c->fields[v->field];
    return f->kind == IMP_FIELD_TEXTS
               ? NULL
               : field_dim(ck, c, f, UINT32_MAX, v->range);
}

static bool
is_axis(const struct tm_field *f)
{
    return f->column && !strncmp(f->doc, "param of the run", 16);
}

/* the param that a column shows, or NO_PARAM */
static uint32_t
column_param(struct check *ck, const struct tm_val *v)
{
    if (!v || v->kind != IMP_VAL_FIELD ||
        !imp_command_has(ck->commands.v[v->ref].id, IMP_TRAIT_VARIES_PARAMS))
        return NO_PARAM;
    const struct tm_field *f = &ck->commands.v[v->ref].fields[v->field];
    for (size_t i = 0; is_axis(f) && i < ck->params.n; i++)
        if (!strcmp(ck->params.v[i].name, f->name))
            return (uint32_t)i;
    return NO_PARAM;
}

/* -- levels ---------------------------------------------------------------- */

static bool
levels(struct check *ck, uint32_t command, const struct ast_expr *e,
       struct tm_val *out)
{
    const struct tm_command *c = &ck->commands.v[command];
    const struct tm_val *of = option_of(c, IMP_OPT_plot_contours);
    of = of ? of->items : c->args;
    struct value v = ck_expr(ck, &ck->top, e);
    if (v.kind == V_POISON)
        return false;
    if ((v.kind != V_NUM && v.kind != V_LIST) || v.dims ||
        (v.rows != 1 && v.cols != 1) || !v.rows) {
        struct diag *d = ck_error(ck, DIAG_E0424, e->range,
                                  "levels are a number or a list of numbers, "
                                  "but this is %s",
                                  v_kind(ck, &v));
        CK_HELP(ck, d, "as in levels = (5, 10, 20)");
        return false;
    }
    size_t n = (size_t)v.rows * v.cols;
    const struct dim *dim = column_dim(ck, of);
    if ((dim &&
         !v_need_dim(ck, &v, e, dim,
                     arena_printf(ck->arena, "levels of %s", of->label))) ||
        !check_leaves(ck, v.e, n, MAY_PARAMS | MAY_RESULTS, e,
                      "the levels of a plot"))
        return false;
    v.rows = (uint32_t)n;
    v.cols = 1;
    val_of(ck, &v, e, out);
    return true;
}

/* -- overlay --------------------------------------------------------------- */

struct axes {
    uint32_t x, y; /* params */
    const struct dim *y_dim;
    const char *x_name, *y_name;
};
struct uses {
    uint32_t param;
    bool found;
};
static void
use_leaf(void *ctx, const expr *l)
{
    struct uses *u = ctx;
    u->found |= l->sym == SYM_PARAM && l->i == u->param;
}
static bool
uses(struct check *ck, const expr *e, uint32_t param)
{
    struct uses u = {.param = param};
    ex_leaves(ck->g, &e, 1, use_leaf, &u);
    return u.found;
}

static bool
equation(struct check *ck, const struct axes *x, const struct ast_expr *p,
         const struct ast_expr *e, struct tm_val *out)
{
    struct value l = ck_expr(ck, &ck->top, p->a);
    struct value r = ck_expr(ck, &ck->top, p->b);
    struct value v = ck_expr(ck, &ck->top, p);
    if (v.kind == V_POISON)
        return false;
    if (l.kind != V_NUM || r.kind != V_NUM || !v_is_scalar(&l) ||
        !v_is_scalar(&r)) {
        ck_error(ck, DIAG_E0424, e->range,
                 "an equation of a curve is between numbers");
        return false;
    }
    const expr **three = NEW_N(ck->arena, const expr *, 3);
    three[0] = v.e[0];
    three[1] = l.e[0];
    three[2] = r.e[0];
    if (!check_leaves(ck, three, 3, MAY_PARAMS | MAY_RESULTS, e,
                      "a curve of a plot"))
        return false;
    bool ux = x->x != NO_PARAM &&
              (uses(ck, three[1], x->x) || uses(ck, three[2], x->x));
    bool uy = x->y != NO_PARAM &&
              (uses(ck, three[1], x->y) || uses(ck, three[2], x->y));
    if (!ux && !uy) {
        struct diag *d = ck_error(ck, DIAG_E0424, e->range,
                                  "this equation has none of the params that "
                                  "the axes show");
        CK_HELP(ck, d, "the axes are %s and %s", x->x_name, x->y_name);
        return false;
    }
    val_of(ck, &v, e, out);
    out->kind = IMP_VAL_NUM;
    out->e = three;
    out->cols = 3;
    out->compare = true;
    out->ref = x->x;
    out->field = x->y;
    return true;
}

/* a column of another sweep, over the one param that varies there */
static bool
data_curve(struct check *ck, const struct value *v, const struct ast_expr *e,
           struct tm_val *out)
{
    const struct tm_command *c = &ck->commands.v[v->ref];
    size_t n = 0;
    for (size_t i = 0; i < c->n_fields; i++)
        n += is_axis(&c->fields[i]);
    if (imp_command_has(c->id, IMP_TRAIT_VARIES_PARAMS) && n == 1 &&
        c->fields[v->field].kind == IMP_FIELD_LIST) {
        val_of(ck, v, e, out);
        return true;
    }
    struct diag *d = ck_error(ck, DIAG_E0424, e->range,
                              "a column that is drawn over a picture belongs "
                              "to a sweep over one param");
    CK_HELP(ck, d,
            "as in let b = sweep { over = (rho in linspace(0.1, 1, 50)) ... } "
            "and overlay = b.critical");
    return false;
}

static bool
curve(struct check *ck, const struct axes *x, const struct ast_expr *e,
      struct tm_val *out)
{
    const struct ast_expr *p = ast_unwrap(e);
    if (p->kind == AST_BINARY && p->op == AST_EQ)
        return equation(ck, x, p, e, out);
    struct value v = ck_expr(ck, &ck->top, e);
    if (v.kind == V_POISON)
        return false;
    if (v.kind == V_FIELD)
        return data_curve(ck, &v, e, out);
    if (!v_is_scalar(&v) || v.kind != V_NUM) {
        struct diag *d = ck_error(ck, DIAG_E0424, e->range,
                                  "a curve is an expression, an equation or a "
                                  "column of a sweep, but this is %s",
                                  v_kind(ck, &v));
        CK_HELP(ck, d, "as in overlay = ((1 - rho)/(1 + rho))^2");
        return false;
    }
    if ((x->y_dim &&
         !v_need_dim(ck, &v, e, x->y_dim,
                     arena_printf(ck->arena, "a curve over %s", x->x_name))) ||
        !check_leaves(ck, v.e, 1, MAY_PARAMS | MAY_RESULTS, e,
                      "a curve of a plot"))
        return false;
    if (x->x == NO_PARAM) {
        struct diag *d = ck_error(ck, DIAG_E0424, e->range,
                                  "the horizontal axis, %s, shows no param of "
                                  "a sweep, so nothing can be calculated along "
                                  "it",
                                  x->x_name);
        CK_HELP(ck, d, "give a param that varies: against = s.%s",
                ck->param_decls.n ? ck->param_decls.v[0]->name : "rho");
        return false;
    }
    if (x->y != NO_PARAM && uses(ck, v.e[0], x->y)) {
        struct diag *d = ck_error(ck, DIAG_E0424, e->range,
                                  "this curve depends on `%s`, which the "
                                  "vertical axis shows",
                                  ck->params.v[x->y].name);
        CK_HELP(ck, d, "write an equation: overlay = (%s == ...)",
                ck->params.v[x->x].name);
        return false;
    }
    val_of(ck, &v, e, out);
    out->ref = x->x;
    out->field = x->y;
    return true;
}

static bool
overlay(struct check *ck, uint32_t command, const struct ast_expr *e,
        struct tm_val *out)
{
    const struct tm_command *c = &ck->commands.v[command];
    const struct tm_val *against = option_of(c, IMP_OPT_plot_against);
    const struct tm_val *x = against ? against->items : NULL;
    const struct tm_val *y = against && against->n_items == 2 ? x + 1 : NULL;
    if (!x) {
        struct diag *d = ck_error(ck, DIAG_E0424, e->range,
                                  "a curve needs to know what the horizontal "
                                  "axis shows");
        CK_HELP(ck, d,
                "add against = s.rho, or against = (s.rho, s.gamma) for "
                "a map");
        return false;
    }
    struct axes ax = {column_param(ck, x), column_param(ck, y),
                      column_dim(ck, y ? y : c->args), x->label,
                      y ? y->label : c->args->label};
    const struct ast_expr *p = ast_unwrap(e);
    const struct ast_expr *const *list = &p;
    size_t n = 1, k = 0;
    if (p->kind == AST_TUPLE && !p->unit) {
        list = (const struct ast_expr *const *)p->list;
        n = p->n_list;
    }
    struct tm_val *items = NEW_N(ck->arena, struct tm_val, n + 1);
    for (size_t i = 0; i < n; i++)
        k += curve(ck, &ax, list[i], &items[k]);
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = items,
                           .n_items = k,
                           .range = e->range,
                           .label = ck_label(ck, e),
                           .text = "",
                           .unit = "",
                           .name = ""};
    return k == n;
}

static bool
levels_and_overlay(struct check *ck, uint32_t command,
                   const struct ast_item *it)
{
    struct tm_command *c = &ck->commands.v[command];
    bool ok = true, seen[2] = {0};
    if (!c->n_args)
        return true; /* said already */
    for (size_t i = 0; i < it->n_block; i++) {
        const struct ast_item *k = it->block[i];
        if (k->kind != AST_KEY || !k->value)
            continue;
        bool l = !strcmp(k->name.text, "levels");
        if ((!l && strcmp(k->name.text, "overlay") != 0) || seen[l])
            continue;
        seen[l] = true;
        struct tm_opt *o = &c->opts[c->n_opts];
        o->id = l ? IMP_OPT_plot_levels : IMP_OPT_plot_overlay;
        bool good = l ? levels(ck, command, k->value, &o->val)
                      : overlay(ck, command, k->value, &o->val);
        c->n_opts += good;
        ok &= good;
    }
    return ok;
}

static enum option_taken
plot_option(struct check *ck, uint32_t command, const struct option_row *row,
            const struct ast_item *key, struct tm_val *out)
{
    (void)ck;
    (void)command;
    (void)key;
    (void)out;
    return row->kind == IMP_OPTK_NUMBERS || row->kind == IMP_OPTK_CURVES
               ? OPTION_WAITS
               : OPTION_PLAIN;
}

const struct command_rules command_rules_plot = {
    .option = plot_option, .recorded = true, .arguments = levels_and_overlay};
