/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes: level sets and what a shape states about itself; a shape checked by
 * itself, and one in use. */
#include <string.h>

#include "check/model/model_priv.h"

const struct keydef shape_keys[] = {
    {"volume", "volume (area in the plane), exact"},
    {"centre", "centroid in the shape's axes, exact"},
    {"inertia", "second moments about the centroid for unit density: a number "
                "in the plane; three numbers or a matrix in space"},
};
const size_t n_shape_keys = sizeof shape_keys / sizeof shape_keys[0];

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

void
shape_alone(struct check *ck, struct decl *d)
{
    struct env env;
    struct frame f;
    const struct ast_item *it = d->item;
    call_open(ck, d, it->formals, it->n_formals, &env);
    if (corner_shape_alone(ck, d))
        return;
    if (!call_enter(ck, d, IMP_NOWHERE, &f))
        return;
    struct corner_shape shape;
    bool corners = corner_call(ck, d->module, it->value, &shape);
    struct shape_use use;
    memset(&use, 0, sizeof use);
    env.coords = !corners;
    struct value v = v_poison(it->value->range);
    if (!corners)
        v = ck_expr(ck, &env, it->value);
    if (corners ? !corners_take(ck, &env, it->value, &shape, &use)
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
    bool space = corners ? shape.dim == 3 : mentions(it->value, "z", 0);
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
    struct corner_shape shape;
    if (corner_shape_of(ck, d, &shape))
        return !d->broken && corners_take(ck, caller, head, &shape, u);
    if (corner_shape_wanted(d))
        return false; /* reported where it is declared */
    u->decl = d;
    if (!call_bind(ck, d, it->formals, it->n_formals, head, caller, &u->env) ||
        d->broken)
        return false;
    if (!call_enter(ck, d, r, &f))
        return false;
    if (corner_call(ck, d->module, it->value, &shape)) {
        bool good = corners_take(ck, &u->env, it->value, &shape, u);
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
