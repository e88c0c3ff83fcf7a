/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations of values: params, lets, functions and shapes. Functions and
 * shapes are expanded where they are used; here each is also checked once by
 * itself, with a fresh dimension for every argument, so that a mistake in one
 * that nobody uses is found too. */
#include <math.h>
#include <string.h>

#include "check/context/context.h"

const struct keydef shape_keys[] = {
    {"volume", "volume (area in the plane), exact"},
    {"centre", "centroid in the shape's axes, exact"},
    {"inertia", "second moments about the centroid for unit density: a number "
                "in the plane; three numbers or a matrix in space"},
};
const size_t n_shape_keys = sizeof shape_keys / sizeof shape_keys[0];

/* -- blocks of keys ------------------------------------------------------- */

bool
block_keys(struct check *ck, const struct ast_item *item,
           const struct keydef *known, size_t n, const char *what,
           const struct ast_item **out)
{
    const char *names[48];
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        out[i] = NULL;
        names[i] = known[i].name;
    }
    for (size_t b = 0; b < item->n_block; b++) {
        const struct ast_item *k = item->block[b];
        if (k->kind == AST_SYSTEM || k->kind == AST_JOINT ||
            k->kind == AST_POINT || k->kind == AST_COORDINATE) {
            ck_unavailable(ck, k->head, "such a declaration in a block");
            continue;
        }
        if (k->kind != AST_KEY || k->command || !k->value) {
            struct diag *d =
                ck_error(ck, DIAG_E0303, k->head.file ? k->head : k->range,
                         "this cannot stand in the block of a %s", what);
            CK_HELP(ck, d, "a %s has keys: %s", what,
                    ck_join(ck, names, n, "and"));
            continue;
        }
        size_t i = 0;
        while (i < n && strcmp(known[i].name, k->name.text))
            i++;
        if (i == n) {
            struct diag *d =
                ck_error(ck, DIAG_E0301, k->name.range, "a %s has no key `%s`",
                         what, k->name.text);
            if (!ck_suggest(ck, d, k->name.range, k->name.text, names, n))
                CK_HELP(ck, d, "its keys are %s", ck_join(ck, names, n, "and"));
            ok = false;
        } else if (out[i]) {
            struct diag *d =
                ck_error(ck, DIAG_E0302, k->name.range,
                         "the key `%s` is given twice", k->name.text);
            CK_NOTE(ck, d, out[i]->name.range, "first here");
        } else {
            out[i] = k;
        }
    }
    return ok;
}

int
key_word(struct check *ck, const struct ast_item *key, const char *const *words,
         size_t n)
{
    const struct ast_expr *e = ast_unwrap(key->value);
    const char *w = e->kind == AST_NAME   ? e->name.text
                    : e->kind == AST_TEXT ? e->text
                                          : NULL;
    for (size_t i = 0; w && i < n; i++)
        if (!strcmp(w, words[i]))
            return (int)i;
    struct diag *d = ck_error(ck, DIAG_E0326, e->range, "`%s` is one of %s",
                              key->name.text, ck_join(ck, words, n, "or"));
    if (w)
        ck_suggest(ck, d, e->range, w, words, n);
    return -1;
}

void
take_num(struct tm_num *out, const struct value *v, const struct ast_expr *e)
{
    out->e = v->e[0];
    out->range = e->range;
}
void
take_vec(struct tm_vec *out, const struct value *v, const struct ast_expr *e)
{
    out->n = v->rows * v->cols;
    for (uint32_t i = 0; i < out->n && i < 9; i++)
        out->e[i] = v->e[i];
    out->range = e->range;
}

bool
take_inertia(struct check *ck, struct value *v, const struct ast_expr *e,
             uint32_t d, const struct dim *dim, const char *what,
             struct tm_vec *out)
{
    if (v->kind == V_POISON)
        return false;
    bool diagonal = v->kind == V_NUM && v->rows == 3 && v->cols == 1;
    bool matrix = v->kind == V_NUM && v->rows == 3 && v->cols == 3;
    if (v->kind != V_ANY && !(d == 2 ? v_is_scalar(v) : diagonal || matrix)) {
        struct diag *x =
            ck_error(ck, DIAG_E0314, e->range, "%s is %s, but this is %s", what,
                     d == 2 ? "one number in the plane"
                            : "three numbers or a 3 x 3 matrix in space",
                     v_kind(ck, v));
        if (d == 3)
            CK_HELP(ck, x, "write diag(0.5, 0.4, 0.3)");
        return false;
    }
    if (!v_need_dim(ck, v, e, dim, what))
        return false;
    if (v->kind == V_ANY)
        return true;
    out->range = e->range;
    if (d == 2) {
        out->n = 1;
        out->e[0] = v->e[0];
        return true;
    }
    const expr *zero = ex_num(ck->g, 0);
    out->n = 6;
    if (diagonal) {
        for (int i = 0; i < 6; i++)
            out->e[i] = i < 3 ? v->e[i] : zero;
        return true;
    }
    static const int upper[6] = {0, 4, 8, 1, 2, 5};
    static const int lower[6] = {0, 4, 8, 3, 6, 7};
    for (int i = 0; i < 6; i++) {
        const expr *a = v->e[upper[i]], *b = v->e[lower[i]];
        out->e[i] = a;
        if (a != b && ex_is_const(a) && ex_is_const(b) && a->num != b->num) {
            ck_error(ck, DIAG_E0318, e->range,
                     "%s is a symmetric matrix, but its entries above and "
                     "below the diagonal differ",
                     what);
            return false;
        }
    }
    return true;
}

/* -- params --------------------------------------------------------------- */

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

/* -- lets, functions ------------------------------------------------------ */

void
decl_lets(struct check *ck)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d; d = d->next)
            if (d->kind == D_LET && d->state == DECL_NEW)
                ck_decl(ck, d, d->range);
}

static void
fn_alone(struct check *ck, struct decl *d)
{
    struct env env;
    struct frame f;
    call_open(ck, d, d->item->formals, d->item->n_formals, &env);
    if (!call_enter(ck, d, IMP_NOWHERE, &f))
        return;
    struct value v = ck_expr(ck, &env, d->item->value);
    d->broken |= v.kind == V_POISON;
    call_leave(ck, &f);
}

/* -- shapes --------------------------------------------------------------- */

/* does the text of e name `name`? */
static bool
mentions(const struct ast_expr *e, const char *name, int depth)
{
    if (!e || depth > 1500)
        return false;
    for (; e->kind == AST_BINARY; e = e->a)
        if (mentions(e->b, name, depth + 1))
            return true;
    if (e->kind == AST_NAME)
        return !strcmp(e->name.text, name);
    for (size_t i = 0; i < e->n_list; i++)
        if (mentions(e->list[i], name, depth + 1))
            return true;
    for (size_t i = 0; i < e->n_args; i++)
        if (mentions(e->args[i].value, name, depth + 1))
            return true;
    return mentions(e->a, name, depth + 1) || mentions(e->b, name, depth + 1) ||
           mentions(e->c, name, depth + 1);
}

static bool
level_set_kind(struct check *ck, const struct value *v,
               const struct ast_expr *e)
{
    if (v->kind == V_POISON)
        return false;
    if (v_is_scalar(v))
        return true;
    struct diag *d = ck_error(ck, DIAG_E0327, e->range,
                              "a level set is one number, negative inside, "
                              "but this is %s",
                              v_kind(ck, v));
    if (v->kind == V_TRUTH)
        CK_HELP(ck, d, "write `x^2 + y^2 - 1`, not an equation or inequality");
    return false;
}

/* what the shape's block states, for dimension d; b NULL: check only */
static void
moments(struct check *ck, const struct env *env, const struct ast_item *it,
        uint32_t d, struct tm_body *b)
{
    const struct ast_item *k[3];
    struct tm_body none;
    memset(&none, 0, sizeof none);
    if (!b)
        b = &none;
    block_keys(ck, it, shape_keys, n_shape_keys, "shape", k);
    int n = (int)d;
    for (int i = 0; i < 3; i++) {
        if (!k[i])
            continue;
        const struct ast_expr *e = k[i]->value;
        struct value v = ck_expr(ck, env, e);
        if (i == 0) {
            if (v_need_scalar(ck, &v, e, dim_mks(ck->dims, n, 0, 0),
                              d == 2 ? "the volume of a plane shape"
                                     : "the volume of a shape"))
                take_num(&b->volume, &v, e);
            else
                return; /* the rest has the same fault */
        } else if (i == 1) {
            if (v_need_vector(ck, &v, e, d, dim_mks(ck->dims, 1, 0, 0),
                              "the centre of a shape"))
                take_vec(&b->scentre, &v, e);
        } else {
            take_inertia(ck, &v, e, d, dim_mks(ck->dims, n + 2, 0, 0),
                         "the inertia of a shape of density 1", &b->sinertia);
        }
        double x;
        if (i == 0 && v_const(&v, &x) && x <= 0)
            ck_error(ck, DIAG_E0317, e->range, "a volume is positive");
    }
    if (b != &none) {
        const struct {
            const expr *const *e;
            uint32_t n;
            int key;
        } parts[] = {
            {&b->volume.e, b->volume.e ? 1 : 0, 0},
            {b->scentre.e, b->scentre.n, 1},
            {b->sinertia.e, b->sinertia.n, 2},
        };
        for (int i = 0; i < 3; i++)
            if (parts[i].n && k[parts[i].key])
                check_leaves(ck, parts[i].e, parts[i].n, MAY_PARAMS,
                             k[parts[i].key]->value,
                             "what a shape states about itself");
    }
}

static void
shape_alone(struct check *ck, struct decl *d)
{
    struct env env;
    struct frame f;
    const struct ast_item *it = d->item;
    call_open(ck, d, it->formals, it->n_formals, &env);
    if (!call_enter(ck, d, IMP_NOWHERE, &f))
        return;
    const struct corner_shape *corners =
        corner_shape_of(ck, d->module, it->value);
    struct shape_use use;
    memset(&use, 0, sizeof use);
    env.coords = !corners;
    struct value v = v_poison(it->value->range);
    if (!corners)
        v = ck_expr(ck, &env, it->value);
    if (corners ? !corners_take(ck, &env, it->value, &use)
                : !level_set_kind(ck, &v, it->value)) {
        d->broken = true;
    } else if (!corners && !mentions(it->value, "x", 0) &&
               !mentions(it->value, "y", 0) && !mentions(it->value, "z", 0)) {
        struct diag *x = ck_error(ck, DIAG_E0327, it->value->range,
                                  "this level set has no x, y or z in it");
        CK_HELP(ck, x,
                "a shape is where G(x, y, z) is negative, as in "
                "x^2 + y^2 - 1");
        d->broken = true;
    }
    env.coords = false;
    int before = ck->ds->errors;
    bool space = corners ? corners->dim == 3 : mentions(it->value, "z", 0);
    moments(ck, &env, it, space ? 3 : 2, NULL);
    d->broken |= ck->ds->errors > before;
    call_leave(ck, &f);
}

bool
shape_open(struct check *ck, const struct env *caller,
           const struct ast_expr *head, struct shape_use *u)
{
    const struct ast_expr *callee = head->kind == AST_CALL ? head->a : head;
    struct decl *d = NULL;
    bool reported = false;
    imp_range r = head->range;
    memset(u, 0, sizeof *u);
    u->range = r;
    if (callee->kind == AST_NAME) {
        d = scope_find(ck, caller->module, callee->name.text, WANT_CALL,
                       callee->range, &reported);
        if (!d && !reported && corner_shape_find(callee->name.text))
            return corners_take(ck, caller, head, u);
        if (!d && !reported)
            scope_unknown(ck, caller, callee->name.text, callee->range,
                          WANT_CALL);
    } else if (callee->kind == AST_FIELD && callee->a->kind == AST_NAME) {
        d = scope_member(ck, caller->module, callee, WANT_CALL);
    } else {
        ck_error(ck, DIAG_E0328, r,
                 "what follows the colon is a shape, as in ellipse(2, 1)");
    }
    if (!d || d->kind == D_OTHER)
        return false;
    if (d->kind != D_SHAPE) {
        struct diag *x =
            ck_error(ck, DIAG_E0328, r, "`%s` is a %s, not a shape", d->name,
                     decl_kind_name(d->kind));
        CK_NOTE(ck, x, d->range, "declared here");
        return false;
    }
    const struct ast_item *it = d->item;
    struct frame f;
    u->decl = d;
    if (!call_bind(ck, d, it->formals, it->n_formals, head, caller, &u->env) ||
        d->broken)
        return false;
    if (!call_enter(ck, d, r, &f))
        return false;
    if (corner_shape_of(ck, d->module, it->value)) {
        bool good = corners_take(ck, &u->env, it->value, u);
        call_leave(ck, &f);
        return good;
    }
    u->env.coords = true;
    struct value v = ck_expr(ck, &u->env, it->value);
    bool ok = level_set_kind(ck, &v, it->value);
    if (ok) {
        u->g = v.e[0];
        u->uses_z = ex_depends(ck->g, u->g, SYM_LOCAL, 2, UINT32_MAX);
        ok = check_leaves(ck, &u->g, 1, MAY_TIME, head, "a shape");
        if (ok && !ex_depends(ck->g, u->g, SYM_LOCAL, UINT32_MAX, UINT32_MAX)) {
            ck_error(ck, DIAG_E0327, it->value->range,
                     "this level set does not depend on x, y or z");
            ok = false;
        }
    }
    u->env.coords = false;
    call_leave(ck, &f);
    return ok;
}

void
shape_block(struct check *ck, struct shape_use *u, uint32_t d,
            struct tm_body *b)
{
    struct frame f;
    if (!call_enter(ck, u->decl, u->range, &f))
        return;
    moments(ck, &u->env, u->decl->item, d, b);
    call_leave(ck, &f);
}

void
decl_definitions(struct check *ck, enum decl_kind kind)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d && !m->library; d = d->next) {
            if (d->kind != kind)
                continue;
            if (kind == D_FN)
                fn_alone(ck, d);
            else
                shape_alone(ck, d);
        }
}
