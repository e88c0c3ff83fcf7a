/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of shapes that take their corners, as polygon(p1, p2, ...) of the
 * standard library does: the convex hull of the points. Such a call stands
 * where a formula of a level set may stand: behind the colon of a body, or as
 * what a shape of the user's is. Whether every point is a corner depends on
 * values: the set-up tells (runtime/geometry/polytope.c). */
#include <assert.h>
#include <string.h>

#include "check/model/model_priv.h"
#include "check/quantities/lists.h"

bool
corner_shape_alone(struct check *ck, struct decl *decl)
{
    assert(ck && decl);
    static const struct keydef keys[] = {
        {"example", "a body of this shape, for messages"}};
    struct corner_shape shape;
    const struct ast_item *key[1];
    if (!corner_shape_wanted(decl))
        return false;
    if (!corner_shape_of(ck, decl, &shape)) {
        struct diag *diag = check_error(
            ck, DIAG_E0352, decl->item->value->range,
            "a shape that takes its corners is the hull of its only "
            "argument, of pairs or of triples");
        CHECK_HELP(ck, diag,
                   "as in shape %s(corners) = hull(corners, 2); a shape of "
                   "certain corners is polygon(...) or polyhedron(...)",
                   decl->name);
        decl->broken = true;
        return true;
    }
    decl->broken |=
        !block_keys(ck, decl->item, keys, 1, "shape of corners", key);
    if (!key[0])
        return true;
    struct env env = {.module = decl->module};
    const struct ast_expr *text = key[0]->value;
    struct value value = check_expr(ck, &env, text);
    if (value.kind != VALUE_TEXT && value.kind != VALUE_POISON) {
        struct diag *diag =
            check_error(ck, DIAG_E0352, text->range,
                        "the example of a shape is a text, but this "
                        "is %s",
                        value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "put it in quotes");
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
push(struct corners *corners, const expr *const *point)
{
    uint32_t d = corners->s->dim;
    if (corners->n == corners->cap) {
        size_t cap = corners->cap ? 2 * corners->cap : 8;
        const expr **e = NEW_N(corners->ck->arena, const expr *, cap *d);
        if (corners->n)
            memcpy(e, corners->e, corners->n * d * sizeof *e);
        corners->e = e;
        corners->cap = cap;
    }
    for (uint32_t i = 0; i < d; i++)
        corners->e[corners->n * d + i] = point ? point[i] : NULL;
    corners->n++;
}

/* Finds the shape of the standard library whose corners have this many entries.
 * NULL: there is none. */
static const char *
shape_of_dimension(struct check *ck, uint32_t dim)
{
    struct corner_shape shape;
    const struct decl *decl;
    for (size_t i = 0; (decl = corner_shape_library(ck, i)); i++)
        if (corner_shape_of(ck, decl, &shape) && shape.dim == dim)
            return shape.name;
    return NULL;
}

/* Takes one argument, which is a point, or a matrix of points. */
static bool
take(struct corners *corners, const struct env *env,
     const struct ast_expr *node, bool alone)
{
    struct check *ck = corners->ck;
    const struct dim *length = dim_mks(ck->dims, 1, 0, 0);
    uint32_t dim = corners->s->dim;
    const char *name = corners->s->name;
    struct value value = check_expr(ck, env, node);
    if (value.kind == VALUE_POISON)
        return false;
    const char *what = arena_printf(ck->arena, "a corner of a %s", name);
    if (alone && value.kind == VALUE_COLUMN && value.rows == dim)
        list_as_matrix(ck, &value, &value);
    bool matrix = alone && value.kind == VALUE_NUM && value.cols > 1;
    if (value.kind != VALUE_ANY &&
        (value.kind != VALUE_NUM ||
         (matrix ? value.cols != dim : value.rows != dim || value.cols != 1))) {
        struct diag *diag =
            check_error(ck, DIAG_E0351, node->range, "%s is %s, but this is %s",
                        what, dim == 2 ? "a pair (x, y)" : "a triple (x, y, z)",
                        value_kind_text(ck, &value));
        const char *other = shape_of_dimension(ck, 5 - dim);
        if (value.kind == VALUE_NUM && value.rows * value.cols == 5 - dim &&
            other)
            CHECK_HELP(ck, diag, "the shape from corners in %s is %s",
                       dim == 2 ? "space" : "the plane", other);
        else
            CHECK_HELP(ck, diag, "as in %s", corners->s->example);
        return false;
    }
    if (!value_need_dim(ck, &value, node, length, what) ||
        (value.kind == VALUE_NUM &&
         !check_leaves(ck, value.e, (size_t)value.rows * value.cols, MAY_PARAMS,
                       node, what)))
        return false;
    for (uint32_t i = 0; matrix && i < value.rows; i++)
        push(corners, value.e + (size_t)i * dim);
    /* a pair of formals may stand for a list of pairs */
    bool open = value.kind == VALUE_ANY || (alone && value_is_open(ck, &value));
    if (!matrix)
        push(corners, open ? NULL : value.e);
    return true;
}

bool
corners_take(struct check *ck, const struct env *env,
             const struct ast_expr *node, const struct corner_shape *shape,
             struct shape_use *use)
{
    assert(ck && env && node && shape && use);
    const struct ast_expr *inner = ast_unwrap(node);
    struct corners corners = {.ck = ck, .s = shape};
    size_t count = inner->kind == AST_CALL ? inner->n_args : 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (inner->args[i].name.text) {
            struct diag *diag =
                check_error(ck, DIAG_E0215, inner->args[i].name.range,
                            "%s takes its corners by place", corners.s->name);
            CHECK_HELP(ck, diag, "as in %s", corners.s->example);
            return false;
        }
        if (!take(&corners, env, inner->args[i].value, count == 1))
            return false;
    }
    for (size_t i = 0; i < corners.n; i++)
        any |= !corners.e[i * corners.s->dim];
    /* A formal whose size is not known may be a matrix of points. */
    if (corners.n < corners.s->least && !(any && count == 1)) {
        struct diag *diag =
            check_error(ck, DIAG_E0350, inner->range,
                        "a %s has at least %u corners, but %s %zu",
                        corners.s->name, corners.s->least,
                        corners.n == 1 ? "this is" : "these are", corners.n);
        CHECK_HELP(ck, diag, "as in %s", corners.s->example);
        return false;
    }
    use->points = corners.e;
    use->n_point = (uint32_t)corners.n;
    use->dim = corners.s->dim;
    use->uses_z = corners.s->dim == 3;
    return true;
}
