/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes given by their corners: polygon(p1, p2, ...) in the plane and
 * polyhedron(p1, p2, ...) in space, the convex hull of the points. They stand
 * where a formula of a level set may stand: behind the colon of a body, or as
 * what a shape of the user's is. Whether every point is a corner depends on
 * values: set-up tells (runtime/geometry/polytope.c). */
#include <string.h>

#include "check/model/model_priv.h"

const struct corner_shape *
corner_shape_of(struct check *ck, struct module *m, const struct ast_expr *e)
{
    bool reported = false;
    const struct ast_expr *p = ast_unwrap(e);
    const struct ast_expr *f = p->kind == AST_CALL ? p->a : p;
    if (f->kind != AST_NAME)
        return NULL;
    const struct corner_shape *s = corner_shape_find(f->name.text);
    return s && !scope_find(ck, m, s->name, WANT_ANY, f->range, &reported)
               ? s
               : NULL;
}

struct corners {
    struct check *ck;
    const struct corner_shape *s;
    const expr **e;
    size_t n, cap; /* points */
};

static void
push(struct corners *c, const expr *const *x)
{
    uint32_t d = c->s->dim;
    if (c->n == c->cap) {
        size_t cap = c->cap ? 2 * c->cap : 8;
        const expr **e = NEW_N(c->ck->arena, const expr *, cap *d);
        if (c->n)
            memcpy(e, c->e, c->n * d * sizeof *e);
        c->e = e;
        c->cap = cap;
    }
    for (uint32_t i = 0; i < d; i++)
        c->e[c->n * d + i] = x ? x[i] : NULL;
    c->n++;
}

/* one argument: a point, or a matrix of them */
static bool
take(struct corners *c, const struct env *env, const struct ast_expr *e,
     bool alone)
{
    struct check *ck = c->ck;
    const struct dim *length = dim_mks(ck->dims, 1, 0, 0);
    uint32_t d = c->s->dim;
    const char *name = c->s->name;
    struct value v = ck_expr(ck, env, e);
    if (v.kind == V_POISON)
        return false;
    const char *what = arena_printf(ck->arena, "a corner of a %s", name);
    bool matrix = alone && v.kind == V_NUM && v.cols > 1;
    if (v.kind != V_ANY &&
        (v.kind != V_NUM ||
         (matrix ? v.cols != d : v.rows != d || v.cols != 1))) {
        struct diag *x = ck_error(
            ck, DIAG_E0351, e->range, "%s is %s, but this is %s", what,
            d == 2 ? "a pair (x, y)" : "a triple (x, y, z)", v_kind(ck, &v));
        if (v.kind == V_NUM && v.rows * v.cols == 5 - d)
            CK_HELP(ck, x, "the shape from corners in %s is %s",
                    d == 2 ? "space" : "the plane",
                    d == 2 ? "polyhedron" : "polygon");
        else
            CK_HELP(ck, x, "as in %s", c->s->example);
        return false;
    }
    if (!v_need_dim(ck, &v, e, length, what) ||
        (v.kind == V_NUM &&
         !check_leaves(ck, v.e, (size_t)v.rows * v.cols, MAY_PARAMS, e, what)))
        return false;
    for (uint32_t i = 0; matrix && i < v.rows; i++)
        push(c, v.e + (size_t)i * d);
    if (!matrix)
        push(c, v.kind == V_NUM ? v.e : NULL);
    return true;
}

bool
corners_take(struct check *ck, const struct env *env, const struct ast_expr *e,
             struct shape_use *u)
{
    const struct ast_expr *p = ast_unwrap(e);
    struct corners c = {.ck = ck, .s = corner_shape_of(ck, env->module, e)};
    size_t n = p->kind == AST_CALL ? p->n_args : 0;
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (p->args[i].name.text) {
            struct diag *x =
                ck_error(ck, DIAG_E0215, p->args[i].name.range,
                         "%s takes its corners by place", c.s->name);
            CK_HELP(ck, x, "as in %s", c.s->example);
            return false;
        }
        if (!take(&c, env, p->args[i].value, n == 1))
            return false;
    }
    for (size_t i = 0; i < c.n; i++)
        any |= !c.e[i * c.s->dim];
    /* a formal of unknown size may be a matrix */
    if (c.n < c.s->least && !(any && n == 1)) {
        struct diag *x =
            ck_error(ck, DIAG_E0350, p->range,
                     "a %s has at least %u corners, but %s %zu", c.s->name,
                     c.s->least, c.n == 1 ? "this is" : "these are", c.n);
        CK_HELP(ck, x, "as in %s", c.s->example);
        return false;
    }
    u->points = c.e;
    u->n_point = (uint32_t)c.n;
    u->dim = c.s->dim;
    u->uses_z = c.s->dim == 3;
    return true;
}
