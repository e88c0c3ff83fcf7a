/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of shapes that take their corners, as polygon(p1, p2, ...) of the
 * standard library does: the convex hull of the points. Such a call stands
 * where a formula of a level set may stand: behind the colon of a body, or as
 * what a shape of the user's is. Whether every point is a corner depends on
 * values: the set-up tells (runtime/geometry/polytope.c). */
#include <string.h>

#include "check/model/model_priv.h"

bool
corner_call(struct check *ck, struct module *m, const struct ast_expr *e,
            struct corner_shape *shape)
{
    bool reported = false;
    const struct ast_expr *p = ast_unwrap(e);
    const struct ast_expr *f = p->kind == AST_CALL ? p->a : p;
    const struct decl *d = NULL;
    if (f->kind == AST_NAME) {
        d = scope_find(ck, m, f->name.text, WANT_CALL, f->range, &reported);
    } else if (f->kind == AST_FIELD && f->a->kind == AST_NAME) {
        struct module *library = scope_library(m, f->a->name.text);
        d = library ? scope_own(library, f->name.text) : NULL;
    }
    return d && corner_shape_of(ck, d, shape);
}

bool
corner_shape_alone(struct check *ck, struct decl *d)
{
    static const struct keydef keys[] = {
        {"example", "a body of this shape, for messages"}};
    struct corner_shape shape;
    const struct ast_item *key[1];
    if (!corner_shape_wanted(d))
        return false;
    if (!corner_shape_of(ck, d, &shape)) {
        struct diag *x =
            ck_error(ck, DIAG_E0352, d->item->value->range,
                     "a shape that takes its corners is the hull of its only "
                     "argument, of pairs or of triples");
        CK_HELP(ck, x,
                "as in shape %s(corners) = hull(corners, 2); a shape of "
                "certain corners is polygon(...) or polyhedron(...)",
                d->name);
        d->broken = true;
        return true;
    }
    d->broken |= !block_keys(ck, d->item, keys, 1, "shape of corners", key);
    if (!key[0])
        return true;
    struct env env = {.module = d->module};
    const struct ast_expr *text = key[0]->value;
    struct value v = ck_expr(ck, &env, text);
    if (v.kind != V_TEXT && v.kind != V_POISON) {
        struct diag *x = ck_error(ck, DIAG_E0352, text->range,
                                  "the example of a shape is a text, but this "
                                  "is %s",
                                  v_kind(ck, &v));
        CK_HELP(ck, x, "put it in quotes");
    }
    return true;
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

/* the shape of the standard library whose corners have this many entries;
 * NULL: there is none */
static const char *
shape_of_dimension(struct check *ck, uint32_t dim)
{
    struct corner_shape shape;
    const struct decl *d;
    for (size_t i = 0; (d = corner_shape_library(ck, i)); i++)
        if (corner_shape_of(ck, d, &shape) && shape.dim == dim)
            return shape.name;
    return NULL;
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
        const char *other = shape_of_dimension(ck, 5 - d);
        if (v.kind == V_NUM && v.rows * v.cols == 5 - d && other)
            CK_HELP(ck, x, "the shape from corners in %s is %s",
                    d == 2 ? "space" : "the plane", other);
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
             const struct corner_shape *shape, struct shape_use *u)
{
    const struct ast_expr *p = ast_unwrap(e);
    struct corners c = {.ck = ck, .s = shape};
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
