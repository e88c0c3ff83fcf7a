/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes: level sets and what a shape states about itself; a shape checked by
 * itself, and one in use. */
#include <assert.h>
#include <string.h>

#include "check/model/model_priv.h"
#include "check/quantities/lists.h"

const struct keydef shape_keys[] = {
    {"volume", "volume (area in the plane), exact"},
    {"centre", "centroid in the shape's axes, exact"},
    {"inertia", "second moments about the centroid for unit density: a number "
                "in the plane; three numbers or a matrix in space"},
};
const size_t n_shape_keys = sizeof shape_keys / sizeof shape_keys[0];

/* Does the formula do no more than call a shape, as in
 * shape tile(a) = rectangle(a, a)? */
static bool
is_shape_call(struct check *ck, struct module *module,
              const struct ast_expr *node)
{
    bool reported = false;
    const struct ast_expr *inner = ast_unwrap(node);
    const struct decl *decl = NULL;
    if (inner->kind != AST_CALL)
        return false;
    if (inner->a->kind == AST_NAME) {
        decl = scope_find(ck, module, inner->a->name.text, WANT_CALL,
                          inner->a->range, &reported);
    } else if (inner->a->kind == AST_FIELD && inner->a->a->kind == AST_NAME) {
        struct module *library = scope_library(module, inner->a->a->name.text);
        decl = library ? scope_own(library, inner->a->name.text) : NULL;
    }
    return decl && decl->kind == DECL_SHAPE;
}

/* Does the expression contain this name or, without one, a call of a shape? */
static bool
mentions(struct check *ck, struct module *module, const struct ast_expr *node,
         const char *name, int depth)
{
    if (!node || depth > 1500)
        return false;
    for (; node->kind == AST_BINARY; node = node->a)
        if (mentions(ck, module, node->b, name, depth + 1))
            return true;
    if (node->kind == AST_NAME)
        return name && !strcmp(node->name.text, name);
    if (!name && is_shape_call(ck, module, node))
        return true;
    for (size_t i = 0; i < node->n_list; i++)
        if (mentions(ck, module, node->list[i], name, depth + 1))
            return true;
    for (size_t i = 0; i < node->n_args; i++)
        if (mentions(ck, module, node->args[i].value, name, depth + 1))
            return true;
    return mentions(ck, module, node->a, name, depth + 1) ||
           mentions(ck, module, node->b, name, depth + 1) ||
           mentions(ck, module, node->c, name, depth + 1);
}

static bool
level_set_kind(struct check *ck, const struct value *value,
               const struct ast_expr *node)
{
    if (value->kind == VALUE_POISON)
        return false;
    if (value_is_scalar(value))
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0327, node->range,
                    "a level set is one number, negative inside, "
                    "but this is %s",
                    value_kind_text(ck, value));
    if (value->kind == VALUE_TRUTH)
        CHECK_HELP(ck, diag,
                   "write `x^2 + y^2 - 1`, not an equation or inequality");
    return false;
}

/* Checks what the shape's block states, for this dimension. `body` NULL:
 * nothing is taken over. */
static void
moments(struct check *ck, const struct env *env, const struct ast_item *it,
        uint32_t dim, struct tm_body *body)
{
    const struct ast_item *keys[3];
    struct tm_body none;
    memset(&none, 0, sizeof none);
    if (!body)
        body = &none;
    block_keys(ck, it, shape_keys, n_shape_keys, "shape", keys);
    int length_power = (int)dim;
    for (int which = 0; which < 3; which++) {
        if (!keys[which])
            continue;
        const struct ast_expr *node = keys[which]->value;
        struct value value = check_expr(ck, env, node);
        if (which == 0) {
            if (value_need_scalar(ck, &value, node,
                                  dim_mks(ck->dims, length_power, 0, 0),
                                  dim == 2 ? "the volume of a plane shape"
                                           : "the volume of a shape"))
                take_num(&body->shape.volume, &value, node);
            else
                return; /* All further keys would have the same error. */
        } else if (which == 1) {
            if (value_need_vector(ck, &value, node, dim,
                                  dim_mks(ck->dims, 1, 0, 0),
                                  "the centre of a shape"))
                take_vec(&body->shape.centre, &value, node);
        } else {
            take_inertia(ck, &value, node, dim,
                         dim_mks(ck->dims, length_power + 2, 0, 0),
                         "the inertia of a shape of density 1",
                         &body->shape.inertia);
        }
        double number;
        if (which == 0 && value_const(&value, &number) && number <= 0)
            check_error(ck, DIAG_E0317, node->range, "a volume is positive");
    }
    if (body != &none) {
        const struct {
            const expr *const *e;
            uint32_t n;
            int key;
        } parts[] = {
            {&body->shape.volume.e, body->shape.volume.e ? 1 : 0, 0},
            {body->shape.centre.e, body->shape.centre.n, 1},
            {body->shape.inertia.e, body->shape.inertia.n, 2},
        };
        for (int which = 0; which < 3; which++)
            if (parts[which].n && keys[parts[which].key])
                check_leaves(ck, parts[which].e, parts[which].n, MAY_PARAMS,
                             keys[parts[which].key]->value,
                             "what a shape states about itself");
    }
}

/* checks the declaration of a shape that takes its corners; false: it is none
 */
static bool corner_shape_alone(struct check *ck, struct decl *decl);

void
shape_alone(struct check *ck, struct decl *decl)
{
    assert(ck && decl);
    struct env env;
    struct frame frame;
    const struct ast_item *it = decl->item;
    call_open(ck, decl, it->formals, it->n_formals, &env);
    if (corner_shape_alone(ck, decl))
        return;
    if (!call_enter(ck, decl, IMP_NOWHERE, &frame))
        return;
    bool space = false;
    if (is_shape_call(ck, decl->module, it->value)) {
        struct shape_use made_of;
        decl->broken |= !shape_open(ck, &env, it->value, &made_of);
        space = made_of.uses_z;
    } else {
        env.coords = true;
        struct value value = check_expr(ck, &env, it->value);
        bool coordinates = mentions(ck, decl->module, it->value, NULL, 0);
        static const char *const axis[] = {"x", "y", "z"};
        for (int i = 0; i < 3; i++)
            coordinates |= space =
                mentions(ck, decl->module, it->value, axis[i], 0);
        if (!level_set_kind(ck, &value, it->value)) {
            decl->broken = true;
        } else if (!coordinates) {
            struct diag *diag =
                check_error(ck, DIAG_E0327, it->value->range,
                            "this level set has no x, y or z in it");
            CHECK_HELP(ck, diag,
                       "a shape is where G(x, y, z) is negative, as in "
                       "x^2 + y^2 - 1");
            decl->broken = true;
        }
    }
    env.coords = false;
    int before = ck->ds->errors;
    moments(ck, &env, it, space ? 3 : 2, NULL);
    decl->broken |= ck->ds->errors > before;
    call_leave(ck, &frame);
}

/* Is the name that of a let? Then it is told, unless the let is wrong itself,
 * as `let s = circle(1)` is. */
static bool
let_stands_here(struct check *ck, const struct env *caller,
                const struct ast_expr *callee)
{
    bool reported;
    struct decl *let = scope_find(ck, caller->module, callee->name.text,
                                  WANT_VALUE, callee->range, &reported);
    if (!let || let->kind != DECL_LET)
        return false;
    check_decl(ck, let, callee->range);
    if (let->broken)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0328, callee->range, "`%s` is a %s, not a shape",
                    let->name, decl_kind_name(let->kind));
    CHECK_NOTE(ck, diag, let->range, "declared here");
    CHECK_HELP(ck, diag, "a shape is declared as shape %s = circle(1)",
               let->name);
    return true;
}

/* its points; false on error (reported) */
static bool corners_take(struct check *ck, const struct env *env,
                         const struct ast_expr *node,
                         const struct corner_shape *shape,
                         struct shape_use *use);

bool
shape_open(struct check *ck, const struct env *caller,
           const struct ast_expr *head, struct shape_use *use)
{
    assert(ck && caller && head && use);
    const struct ast_expr *callee = head->kind == AST_CALL ? head->a : head;
    struct decl *decl = NULL;
    bool reported = false;
    imp_range range = head->range;
    memset(use, 0, sizeof *use);
    use->range = range;
    if (callee->kind == AST_NAME) {
        decl = scope_find(ck, caller->module, callee->name.text, WANT_CALL,
                          callee->range, &reported);
        if (!decl && !reported && let_stands_here(ck, caller, callee))
            return false;
        if (!decl && !reported)
            scope_unknown(ck, caller, callee->name.text, callee->range,
                          WANT_CALL);
    } else if (callee->kind == AST_FIELD && callee->a->kind == AST_NAME) {
        decl = scope_member(ck, caller->module, callee, WANT_CALL);
    } else {
        check_error(ck, DIAG_E0328, range,
                    "a shape stands here, as in ellipse(2, 1)");
    }
    if (!decl || decl->kind == DECL_OTHER)
        return false;
    if (decl->kind != DECL_SHAPE) {
        struct diag *diag =
            check_error(ck, DIAG_E0328, range, "`%s` is a %s, not a shape",
                        decl->name, decl_kind_name(decl->kind));
        CHECK_NOTE(ck, diag, decl->range, "declared here");
        return false;
    }
    const struct ast_item *it = decl->item;
    struct frame frame;
    struct corner_shape shape;
    if (corner_shape_of(ck, decl, &shape))
        return !decl->broken && corners_take(ck, caller, head, &shape, use);
    if (corner_shape_wanted(decl))
        return false; /* The mistake is reported where the shape is declared. */
    use->decl = decl;
    if (!call_bind(ck, decl, it->formals, it->n_formals, head, caller,
                   &use->env) ||
        decl->broken)
        return false;
    if (!call_enter(ck, decl, range, &frame))
        return false;
    if (is_shape_call(ck, decl->module, it->value)) {
        struct shape_use *made_of = NEW(ck->arena, struct shape_use);
        bool good = shape_open(ck, &use->env, it->value, made_of);
        use->made_of = made_of;
        use->g = made_of->g;
        use->uses_z = made_of->uses_z;
        use->points = made_of->points;
        use->n_point = made_of->n_point;
        use->dim = made_of->dim;
        call_leave(ck, &frame);
        return good;
    }
    use->env.coords = true;
    struct value value = check_expr(ck, &use->env, it->value);
    bool ok = level_set_kind(ck, &value, it->value);
    if (ok && value.kind == VALUE_ANY) {
        use->uses_z = mentions(ck, decl->module, it->value, "z", 0);
    } else if (ok) {
        use->g = value.e[0];
        use->uses_z = ex_depends(ck->g, use->g, SYM_LOCAL, 2, UINT32_MAX);
        ok = check_leaves(ck, &use->g, 1, MAY_TIME, head, "a shape");
        if (ok &&
            !ex_depends(ck->g, use->g, SYM_LOCAL, UINT32_MAX, UINT32_MAX)) {
            check_error(ck, DIAG_E0327, it->value->range,
                        "this level set does not depend on x, y or z");
            ok = false;
        }
    }
    use->env.coords = false;
    call_leave(ck, &frame);
    return ok;
}

void
shape_block(struct check *ck, const struct shape_use *use, uint32_t d,
            struct tm_body *body)
{
    assert(ck && use && body);
    struct frame frame;
    if (use->made_of && use->made_of->decl)
        shape_block(ck, use->made_of, d, body);
    if (!call_enter(ck, use->decl, use->range, &frame))
        return;
    moments(ck, &use->env, use->decl->item, d, body);
    call_leave(ck, &frame);
}

/* -- shapes that take their corners ----------------------------------------
 *
 * polygon(p1, p2, ...) of the standard library is one: the convex hull of the
 * points. Such a call stands where a formula of a level set may stand: behind
 * the colon of a body, or as what a shape of the user's is. Whether every point
 * is a corner depends on values: the set-up tells
 * (runtime/geometry/polytope.c). */

static bool
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

static bool
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
