/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Params: their values, dimensions and ranges. */
#include <math.h>

#include "check/model/model_priv.h"

static bool
bound(struct check *ck, const struct env *env, const struct ast_expr *e,
      const struct dim *dim, double *x)
{
    struct value v = ck_expr(ck, env, e);
    if (!v_need_scalar(ck, &v, e, dim, "a bound of this param"))
        return false;
    if (!v_const(&v, x)) {
        ck_error(ck, DIAG_E0306, e->range,
                 "a bound of a param is made of literals");
        return false;
    }
    return true;
}

static void
param(struct check *ck, struct decl *d)
{
    const struct ast_item *it = d->item;
    struct env env = {.module = d->module};
    struct tm_param p = {.name = d->name,
                         .doc = it->doc ? it->doc : "",
                         .unit = "",
                         .lo = -INFINITY,
                         .hi = INFINITY,
                         .range = d->range};
    d->state = DECL_BUSY;
    d->index = (uint32_t)ck->params.n;
    const struct dim *dim = NULL;
    struct unit u;
    if (it->dim) {
        if (!unit_of_ast(ck, it->dim, &u)) {
            d->broken = true;
        } else {
            dim = u.dim;
            if (u.num != u.den) {
                struct diag *x =
                    ck_error(ck, DIAG_E0329, it->dim->range,
                             "what follows the colon is a dimension, in SI "
                             "units");
                CK_HELP(ck, x, "write [%s] here, and the unit after the value",
                        dim_text(ck->dims, dim));
            }
        }
    }
    struct value v = ck_expr(ck, &env, it->value);
    if (v.kind == V_POISON) {
        d->broken = true;
    } else if (!v_is_scalar(&v)) {
        ck_error(ck, DIAG_E0330, it->value->range,
                 "a param is one number, but this is %s", v_kind(ck, &v));
        d->broken = true;
    } else if (!v_const(&v, &p.dflt)) {
        struct diag *x = ck_error(ck, DIAG_E0306, it->value->range,
                                  "the default of a param is made of literals");
        CK_HELP(ck, x, "what depends on params is a `let`: let %s = %s",
                d->name, ck_label(ck, it->value));
        d->broken = true;
    }
    if (d->broken) {
        v = v_num(ck, ex_num(ck->g, 0), dim_fresh(ck->dims, d->range),
                  d->range);
    } else {
        v_whole(ck, &v);
        if (dim && !v_need_dim(ck, &v, it->value, dim, "this param"))
            d->broken = true;
    }
    if (!d->broken && it->lo && it->hi) {
        p.has_range = bound(ck, &env, it->lo, v.dim, &p.lo);
        p.has_range &= bound(ck, &env, it->hi, v.dim, &p.hi);
        if (p.has_range && p.lo > p.hi) {
            imp_range r = it->lo->range;
            r.hi = it->hi->range.hi;
            ck_error(ck, DIAG_E0308, r,
                     "this range is empty: its lower bound is the larger one");
        } else if (p.has_range && !(p.dflt >= p.lo && p.dflt <= p.hi)) {
            struct diag *x = ck_error(
                ck, DIAG_E0307, it->value->range,
                "the default of `%s` is outside its own range", d->name);
            imp_range r = it->lo->range;
            r.hi = it->hi->range.hi;
            CK_NOTE(ck, x, r, "the range, in SI units");
        }
    }
    d->val = v_num(ck, ex_sym(ck->g, SYM_PARAM, d->index, 0), v.dim, d->range);
    d->state = DECL_DONE;
    APUSH(ck, &ck->params, p);
    APUSH(ck, &ck->param_decls, d);
}

void
decl_params(struct check *ck)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d; d = d->next)
            if (d->kind == D_PARAM)
                param(ck, d);
}

void
decl_params_done(struct check *ck)
{
    for (size_t i = 0; i < ck->params.n; i++) {
        struct tm_param *p = &ck->params.v[i];
        p->unit = dim_text(ck->dims, ck->param_decls.v[i]->val.dim);
        if (p->structural && p->has_range &&
            !(p->dflt >= p->lo && p->dflt <= p->hi))
            ck_error(ck, DIAG_E0307, p->range,
                     "the value given for `%s` is outside its range", p->name);
    }
}
