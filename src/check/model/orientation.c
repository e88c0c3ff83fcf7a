/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a body is turned at the start: an angle in the plane; in space an axis
 * and an angle, a quaternion, or the axes of its shape. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/model/model_priv.h"

/* Two whole turns, written as a plain number, are probably degrees without
 * their unit. */
static void
warn_of_degrees(struct check *ck, const struct ast_expr *node)
{
    const struct ast_expr *n = ast_unwrap(node);
    if (n->kind == AST_NEG)
        n = ast_unwrap(n->a);
    if (n->kind != AST_NUM || n->unit || fabs(n->num) <= 4 * M_PI)
        return;
    struct diag *diag =
        diag_add(ck->ds, DIAG_W0301, node->range,
                 "this angle is %g radians: more than two turns", n->num);
    CHECK_HELP(ck, diag, "degrees have a unit: %s [deg]", expr_label(ck, node));
}

/* Are the columns unit vectors at right angles, and right-handed? */
static bool
orthonormal(const struct value *matrix)
{
    uint32_t count = matrix->rows;
    double det, entries[9];
    for (uint32_t i = 0; i < count * count; i++) {
        if (!ex_is_const(matrix->e[i]))
            return true;
        entries[i] = matrix->e[i]->num;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            double s = 0;
            for (uint32_t k = 0; k < count; k++)
                s += entries[k * count + i] * entries[k * count + j];
            /* Data of six digits are accepted here; set-up makes them exact. */
            if (fabs(s - (i == j)) > 1e-5)
                return false;
        }
    det =
        count == 2
            ? entries[0] * entries[3] - entries[1] * entries[2]
            : entries[0] * (entries[4] * entries[8] - entries[5] * entries[7]) -
                  entries[1] *
                      (entries[3] * entries[8] - entries[5] * entries[6]) +
                  entries[2] *
                      (entries[3] * entries[7] - entries[4] * entries[6]);
    return det > 0;
}

static bool
all_zero(const struct value *value)
{
    for (uint32_t i = 0; i < value->rows * value->cols; i++)
        if (!ex_is_num(value->e[i], 0))
            return false;
    return true;
}

static void
orient_quaternion(struct check *ck, const struct env *env,
                  const struct ast_expr *node, struct tm_body *body, int may)
{
    const struct dim *pure = dim_pure(ck->dims);
    struct value value = check_expr(ck, env, node);
    if (value.kind == VALUE_NUM && (value.rows != 4 || value.cols != 1)) {
        check_error(ck, DIAG_E0314, node->range,
                    "a quaternion is four numbers, (w, x, y, z), but this "
                    "is %s",
                    value_kind_text(ck, &value));
    } else if (value_need_vector(ck, &value, node, 4, pure, "a quaternion") &&
               check_leaves(ck, value.e, 4, may, node, "the orientation")) {
        if (all_zero(&value))
            check_error(ck, DIAG_E0332, node->range,
                        "the zero quaternion is no rotation");
        body->start.orient_kind = IMP_ORIENT_QUATERNION;
        take_vec(&body->start.orient, &value, node);
    }
}

static void
orient_axes(struct check *ck, const struct env *env,
            const struct ast_expr *node, struct tm_body *body, uint32_t dim,
            int may)
{
    const struct dim *pure = dim_pure(ck->dims);
    struct value value = check_expr(ck, env, node);
    if (value.kind == VALUE_POISON)
        return;
    if (value.kind != VALUE_NUM || value.rows != dim || value.cols != dim) {
        struct diag *diag =
            check_error(ck, DIAG_E0314, node->range,
                        "the axes are a %u x %u matrix, but this is %s", dim,
                        dim, value_kind_text(ck, &value));
        CHECK_HELP(ck, diag, "its columns are the shape's axes in the world");
        return;
    }
    if (!value_need_dim(ck, &value, node, pure, "a matrix of axes") ||
        !check_leaves(ck, value.e, (size_t)dim * dim, may, node,
                      "the orientation"))
        return;
    if (!orthonormal(&value)) {
        struct diag *diag = check_error(ck, DIAG_E0332, node->range,
                                        "this matrix is no rotation");
        CHECK_HELP(ck, diag,
                   "its columns must be unit vectors at right angles "
                   "and its determinant +1");
        return;
    }
    if (dim == 3) {
        body->start.orient_kind = IMP_ORIENT_AXES;
        take_vec(&body->start.orient, &value, node);
    } else {
        body->start.orient_kind = IMP_ORIENT_ANGLE;
        const expr **angle = NEW(ck->arena, const expr *);
        *angle = ex_op(ck->g, IMP_OP_ATAN2, value.e[2], value.e[0], NULL);
        body->start.orient.n = 1;
        body->start.orient.e = angle;
        body->start.orient.range = node->range;
    }
}

/* Is it an axis and an angle, or a choice between such? */
static bool
is_rotation(const struct ast_expr *node)
{
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->unit)
        return false;
    return inner->kind == AST_TUPLE
               ? inner->n_list == 2
               : inner->kind == AST_IF && is_rotation(inner->b) &&
                     is_rotation(inner->c);
}

/* The axis, or the angle, of such an expression. */
static const struct ast_expr *
half_of_rotation(struct check *ck, const struct ast_expr *node, int half)
{
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind == AST_TUPLE)
        return inner->list[half];
    struct ast_expr *choice = NEW(ck->arena, struct ast_expr);
    *choice = *inner;
    choice->b = (struct ast_expr *)half_of_rotation(ck, inner->b, half);
    choice->c = (struct ast_expr *)half_of_rotation(ck, inner->c, half);
    return choice;
}

static void
orient_rotation(struct check *ck, const struct env *env,
                const struct ast_expr *node, struct tm_body *body, int may)
{
    const struct dim *pure = dim_pure(ck->dims);
    const struct ast_expr *inner = ast_unwrap(node);
    if (!is_rotation(node)) {
        struct diag *diag = check_error(ck, DIAG_E0330, node->range,
                                        "a rotation is an axis and an angle");
        const char *key = NULL;
        if (inner->kind == AST_CALL || inner->kind == AST_NAME ||
            inner->kind == AST_BINARY) {
            struct value value = check_expr(ck, env, node);
            bool numbers = value.kind == VALUE_NUM;
            key = numbers && value.rows == 3 && value.cols == 3   ? "axes"
                  : numbers && value.rows == 4 && value.cols == 1 ? "quaternion"
                                                                  : NULL;
        }
        if (key)
            CHECK_HELP(ck, diag, "this is another key: %s = %s", key,
                       expr_label(ck, node));
        else
            CHECK_HELP(ck, diag, "write rotation = ((0, 0, 1), %s)",
                       inner->kind == AST_TUPLE || inner->kind == AST_IF
                           ? "30 [deg]"
                           : expr_label(ck, node));
        return;
    }
    const struct ast_expr *ea = half_of_rotation(ck, node, 0),
                          *et = half_of_rotation(ck, node, 1);
    struct value axis = check_expr(ck, env, ea),
                 angle = check_expr(ck, env, et);
    warn_of_degrees(ck, et);
    bool ok =
        value_need_vector(ck, &axis, ea, 3, dim_fresh(ck->dims, ea->range),
                          "the axis of a rotation");
    ok &= value_need_scalar(ck, &angle, et, pure, "the angle of a rotation");
    if (!ok || !check_leaves(ck, axis.e, 3, may, ea, "the orientation") ||
        !check_leaves(ck, angle.e, 1, may, et, "the orientation"))
        return;
    if (all_zero(&axis)) {
        check_error(ck, DIAG_E0332, ea->range,
                    "the axis of a rotation cannot be zero");
        return;
    }
    body->start.orient_kind = IMP_ORIENT_AXISANGLE;
    const expr **e = NEW_N(ck->arena, const expr *, 4);
    memcpy(e, axis.e, 3 * sizeof *e);
    e[3] = angle.e[0];
    body->start.orient = (struct tm_vec){e, 4, node->range};
}

void
body_orientation(struct check *ck, const struct env *env,
                 const struct ast_item *const keys[ORIENT_KEYS], int may,
                 struct tm_body *body)
{
    assert(ck && env && keys && body);
    uint32_t dim = ck->m->dim;
    const struct ast_item *key = NULL;
    int which = 0;
    for (int kind = 0; kind < ORIENT_KEYS; kind++) {
        const struct ast_item *item = keys[kind];
        if (item && key) {
            struct diag *diag =
                check_error(ck, DIAG_E0312, item->name.range,
                            "a body has one orientation, but `%s` is a second "
                            "one",
                            item->name.text);
            CHECK_NOTE(ck, diag, key->name.range, "the first one");
            return;
        }
        if (item) {
            key = item;
            which = kind;
        }
    }
    if (!key)
        return;
    const struct ast_expr *node = key->value;
    if (dim == 2 && (which == ORIENT_ROTATION || which == ORIENT_QUATERNION)) {
        struct diag *diag =
            check_error(ck, DIAG_E0313, key->name.range,
                        "`%s` is an orientation in space, but this "
                        "body lies in the plane",
                        key->name.text);
        const struct ast_expr *inner = ast_unwrap(node);
        bool turn = which == ORIENT_ROTATION;
        CHECK_HELP(ck, diag, "write angle = %s",
                   turn && inner->kind != AST_TUPLE ? expr_label(ck, node)
                   : turn && inner->n_list == 2 ? expr_label(ck, inner->list[1])
                                                : "30 [deg]");
        return;
    }
    if (dim == 3 && which == ORIENT_ANGLE) {
        struct diag *diag =
            check_error(ck, DIAG_E0313, key->name.range,
                        "`angle` is an orientation in the plane, "
                        "but this body is in space");
        CHECK_HELP(ck, diag, "write rotation = ((0, 0, 1), %s)",
                   expr_label(ck, node));
        return;
    }
    if (which == ORIENT_ANGLE) {
        body->start.orient_kind = IMP_ORIENT_ANGLE;
        warn_of_degrees(ck, node);
        body_vector(ck, env, key, 1, dim_pure(ck->dims), may, false,
                    &body->start.orient);
    } else if (which == ORIENT_QUATERNION) {
        orient_quaternion(ck, env, node, body, may);
    } else if (which == ORIENT_AXES) {
        orient_axes(ck, env, node, body, dim, may);
    } else {
        orient_rotation(ck, env, node, body, may);
    }
}
