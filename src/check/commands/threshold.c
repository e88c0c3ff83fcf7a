/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `threshold S over x in [lo, hi]`: the param, and the bounds between which its
 * critical values are looked for. Fields of the record with the unit "param"
 * have the param's own dimension. What depends on the values of params is asked
 * when all are known (threshold_late). */
#include <math.h>
#include <string.h>

#include "check/commands/commands_priv.h"

#define AS "as in threshold %s over gamma in [0.1, 0.9]"

static const char *
system_name(const struct check *ck)
{
    return ck->systems.n ? ck->systems.v[0].name : "one";
}

/* the two bounds; false after an error */
static bool
bounds(struct check *ck, const struct ast_arg *arg, const struct dim *dim,
       struct tm_val *out)
{
    const struct ast_expr *e = arg->value;
    struct value v = ck_expr(ck, &ck->top, e);
    double lo, hi;
    if (v.kind == V_POISON)
        return false;
    size_t n = (size_t)v.rows * v.cols;
    if ((v.kind != V_NUM && v.kind != V_LIST) || v.dims || n != 2) {
        struct diag *d =
            ck_error(ck, DIAG_E0425, e->range,
                     "a threshold is looked for between two bounds, but this "
                     "is %s",
                     v_kind(ck, &v));
        CK_HELP(ck, d, AS, system_name(ck));
        return false;
    }
    const char *what =
        arena_printf(ck->arena, "the param `%s`", arg->name.text);
    if (!v_need_dim(ck, &v, e, dim, what) ||
        !check_leaves(ck, v.e, n, MAY_PARAMS, e, "the bounds of a threshold"))
        return false;
    if (ex_is_const(v.e[0]) && ex_is_const(v.e[1])) {
        lo = v.e[0]->num;
        hi = v.e[1]->num;
        if (!(lo < hi)) {
            struct diag *d =
                ck_error(ck, DIAG_E0425, e->range,
                         "there is nothing between %g and %g", lo, hi);
            CK_HELP(ck, d, "the lower bound stands first");
            return false;
        }
    }
    v.rows = 2;
    v.cols = 1;
    val_of(ck, &v, e, out);
    out->kind = IMP_VAL_NUM;
    out->listed = true;
    return true;
}

static bool
over_option(struct check *ck, uint32_t command, const struct ast_item *key,
            struct tm_val *out)
{
    const struct ast_expr *e = key->value;
    if (e->kind != AST_OVER || e->n_args != 1) {
        struct diag *d = ck_error(ck, DIAG_E0425, e->range,
                                  "a threshold is a value of one param");
        CK_HELP(ck, d, AS, system_name(ck));
        return false;
    }
    const struct ast_arg *arg = &e->args[0];
    struct decl *p = sweep_param(ck, &arg->name, DIAG_E0425,
                                 "a threshold is a value of a param");
    if (!p)
        return false;
    struct value v = ck_decl(ck, p, arg->name.range);
    if (v.kind == V_POISON)
        return false;
    struct tm_val *item = NEW_N(ck->arena, struct tm_val, 1);
    if (arg->value && !bounds(ck, arg, v.dim, item))
        return false;
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .items = item,
                           .n_items = arg->value != NULL,
                           .range = e->range,
                           .ref = p->index,
                           .label = p->name,
                           .text = "",
                           .unit = "",
                           .name = p->name};
    struct tm_command *c = &ck->commands.v[command];
    for (size_t i = 0; i < c->n_fields; i++)
        if (!strcmp(c->fields[i].unit, "param"))
            APUSH(ck, &ck->pending,
                  (struct pending){&c->fields[i].unit, v.dim, NULL, 0});
    return true;
}

static const struct tm_val *
over(const struct tm_command *c)
{
    for (size_t i = 0; i < c->n_opts; i++)
        if (c->opts[i].id == IMP_OPT_threshold_over)
            return &c->opts[i].val;
    return NULL;
}

static void
late(struct check *ck, const struct tm_val *o)
{
    const struct tm_param *p = &ck->params.v[o->ref];
    struct diag *d;
    if (p->structural) {
        d = ck_error(ck, DIAG_E0425, o->range,
                     "`%s` is structural: it fixes how many of something there "
                     "are, and nothing lies between two values of it",
                     p->name);
        CK_NOTE(ck, d, p->range, "the param");
        CK_HELP(ck, d,
                "ask at each value: sweep { over = (%s in (2, 3, 4))  "
                "run = threshold ... }",
                p->name);
        return;
    }
    if (!o->n_items) {
        if (p->has_range)
            return;
        d = ck_error(ck, DIAG_E0425, o->range,
                     "the param `%s` states no range, so it must be said where "
                     "to look",
                     p->name);
        CK_NOTE(ck, d, p->range, "the param");
        CK_HELP(ck, d, "over %s in [0, 1]", p->name);
        return;
    }
    const struct tm_val *b = &o->items[0];
    for (uint32_t i = 0; i < 2 && p->has_range; i++) {
        if (!ex_is_const(b->e[i]) ||
            (b->e[i]->num >= p->lo && b->e[i]->num <= p->hi))
            continue;
        d = ck_error(ck, DIAG_E0425, b->range,
                     "%g is outside the range [%g, %g] of the param `%s`",
                     b->e[i]->num, p->lo, p->hi, p->name);
        CK_NOTE(ck, d, p->range, "the range is stated here");
        return;
    }
}

static enum option_taken
threshold_option(struct check *ck, uint32_t command,
                 const struct option_row *row, const struct ast_item *key,
                 struct tm_val *out)
{
    if (row->kind == IMP_OPTK_AXES)
        return over_option(ck, command, key, out) ? OPTION_GOOD : OPTION_WRONG;
    return OPTION_PLAIN;
}

static void
threshold_missing(struct check *ck, struct diag *d,
                  const struct option_row *row, const struct ast_item *it)
{
    (void)row;
    CK_HELP(ck, d, "as in threshold %s over gamma in [0, 1]",
            it->n_args ? ck_label(ck, it->args[0]) : "one");
}

static void
threshold_late(struct check *ck, const struct tm_command *c)
{
    const struct tm_val *o = over(c);
    if (o)
        late(ck, o);
}

const struct command_rules command_rules_threshold = {
    .option = threshold_option,
    .missing = threshold_missing,
    .late = threshold_late};
