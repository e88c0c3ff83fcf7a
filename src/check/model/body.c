/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies. First their shapes, which decide whether the model lies in the plane
 * or in space (everything else needs to know); then all other keys. What is
 * visible in the text is checked here; what depends on the values of params is
 * checked at set-up (runtime/setup/setup.c). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "calculus/linear.h"
#include "check/model/model_priv.h"

enum {
    K_MASS,
    K_DENSITY,
    K_INERTIA,
    K_CENTRE,
    K_POSITION,
    K_ANGLE,
    K_ROTATION,
    K_QUATERNION,
    K_AXES,
    K_VELOCITY,
    K_SPIN,
    K_FIXED,
    K_PLANAR,
    K_FORCE,
    K_TORQUE,
    K_APART,
    N_KEYS
};
const struct keydef body_keys[] = {
    {"mass", "mass; or give density"},
    {"density", "mass per volume (per area in the plane), for a shape"},
    {"inertia", "about the mass centre, in the shape's axes (from the shape)"},
    {"centre", "mass centre in the shape's axes (from the shape)"},
    {"position", "of the mass centre at the start (0)"},
    {"angle", "orientation in the plane (0)"},
    {"rotation", "orientation in space: (axis, angle)"},
    {"quaternion", "orientation in space: (w, x, y, z)"},
    {"axes", "orientation as a matrix whose columns are the shape's axes"},
    {"velocity", "of the mass centre at the start (0)"},
    {"spin", "angular velocity at the start (0): a number in the plane, world "
             "axes in space"},
    {"fixed", "true: it does not move, or moves as its position says"},
    {"planar", "true: a body without shape that lives in the plane"},
    {"force", "on the mass centre, world axes"},
    {"torque", "about the mass centre, world axes"},
    {"apart", "a drawn position is drawn again until the ball around the body "
              "is so far from those around others, and from planes"},
};
const size_t n_body_keys = sizeof body_keys / sizeof body_keys[0];

struct body_work {
    const struct ast_item *const *k; /* all members of a family have one list */
    struct member_env member;
    struct shape_use shape;
    uint32_t dim; /* 0: nothing says */
    bool broken;
    bool misspelt; /* a key was not known: perhaps the one that is missing */
};

static const struct ast_item *const no_keys[N_KEYS];

/* Finds the keys of a body; a member of a family has those of the one before
 * it. */
static void
find_keys(struct check *ck, size_t index, struct body_work *work)
{
    const struct decl *decl = ck->notes.body_decls.v[index];
    if (index > 0 && ck->notes.body_decls.v[index - 1] == decl) {
        work->k = work[-1].k;
        work->misspelt = work[-1].misspelt;
        return;
    }
    const struct ast_item **k =
        NEW_N(ck->arena, const struct ast_item *, N_KEYS);
    work->misspelt =
        !block_keys(ck, decl->item, body_keys, n_body_keys, "body", k);
    work->k = k;
}

/* -- plane or space ------------------------------------------------------- */

/* Tells from the text alone how many entries a vector has. 0: the text does not
 * show it. */
static size_t
tuple_size(struct check *ck, struct module *module, const struct ast_expr *node,
           int depth)
{
    size_t left, right;
    bool rep;
    if (!node || depth > 60)
        return 0;
    switch (node->kind) {
    case AST_TUPLE:
        return node->n_list;
    case AST_PAREN:
    case AST_NEG:
        return tuple_size(ck, module, node->a, depth + 1);
    case AST_BINARY:
        left = tuple_size(ck, module, node->a, depth + 1);
        right = tuple_size(ck, module, node->b, depth + 1);
        return left > right ? left : right;
    case AST_IF:
        return tuple_size(ck, module, node->b, depth + 1);
    case AST_NAME: {
        struct decl *decl = scope_own(module, node->name.text);
        if (!decl)
            decl = scope_find(ck, module, node->name.text, WANT_VALUE,
                              node->range, &rep);
        return decl && decl->kind == DECL_LET
                   ? tuple_size(ck, decl->module, decl->item->value, depth + 1)
                   : 0;
    }
    case AST_CALL:
        if (node->a->kind == AST_NAME && !strcmp(node->a->name.text, "diag") &&
            node->n_args > 1)
            return node->n_args;
        if (node->a->kind == AST_NAME && !strcmp(node->a->name.text, "unit") &&
            node->n_args == 1)
            return tuple_size(ck, module, node->args[0].value, depth + 1);
        return 0;
    case AST_MATRIX:
        return node->cols;
    default:
        return 0;
    }
}

static uint32_t
guess_dim(struct check *ck, struct module *module, const struct body_work *work,
          bool has_shape, bool *pair)
{
    static const int vectors[] = {K_POSITION, K_VELOCITY, K_CENTRE, K_FORCE,
                                  K_INERTIA,  K_AXES,     K_SPIN,   K_TORQUE};
    if (work->shape.uses_z)
        return 3;
    if (work->shape.n_point)
        return work->shape.dim;
    /* A shape without z has the moments of the plane. */
    if (has_shape && work->shape.decl && work->shape.decl->item->n_block)
        return 2;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct ast_item *key = work->k[vectors[i]];
        size_t count = key ? tuple_size(ck, module, key->value, 0) : 0;
        if (count == 3)
            return 3;
        if (count == 2) {
            *pair = true;
            return 2;
        }
    }
    /* an angle alone is no rotation in space */
    if (work->k[K_QUATERNION] ||
        (work->k[K_ROTATION] &&
         (!has_shape ||
          ast_unwrap(work->k[K_ROTATION]->value)->kind == AST_TUPLE)))
        return 3;
    if (work->k[K_ANGLE])
        return 2;
    if (work->k[K_PLANAR]) {
        const struct ast_expr *node = ast_unwrap(work->k[K_PLANAR]->value);
        return node->kind == AST_TRUTH && node->num != 0 ? 2 : 3;
    }
    return has_shape ? 2 : 0;
}

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

static bool
truth_key(struct check *ck, const struct env *env, const struct ast_item *key)
{
    if (!key)
        return false;
    struct value value = check_expr(ck, env, key->value);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind != VALUE_TRUTH || !ex_is_const(value.e[0])) {
        struct diag *diag =
            check_error(ck, DIAG_E0330, key->value->range,
                        "`%s` is true or false", key->name.text);
        CHECK_HELP(ck, diag, "write %s = true", key->name.text);
        return false;
    }
    return value.e[0]->num != 0;
}

/* Adds a body, or all bodies of a family. */
static void
declare_bodies(struct check *ck, struct decl *decl)
{
    const struct ast_item *it = decl->item;
    for (uint32_t i = 0; i < decl->count; i++) {
        struct tm_body b = {.name = member_name(ck, decl, i),
                            .doc = it->doc ? it->doc : "",
                            .range = decl->range};
        APUSH(ck, &ck->lists.bodies, b);
        APUSH(ck, &ck->notes.body_decls, decl);
    }
}

static void
declare_all(struct check *ck)
{
    uint32_t all = 0;
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_BODY) {
                family_declare(ck, decl, all);
                all += decl->count;
            }
    /* room for all of them at once: lists that grow leave their old places */
    ck->lists.bodies.v = NEW_N(ck->arena, struct tm_body, (size_t)all + 1);
    ck->lists.bodies.cap = (size_t)all + 1;
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_BODY)
                declare_bodies(ck, decl);
}

void
check_bodies_begin(struct check *ck)
{
    assert(ck);
    declare_all(ck);
    size_t count = ck->lists.bodies.n;
    ck->notes.bodies = NEW_N(ck->arena, struct body_work, count + 1);
    size_t first = count;
    for (size_t index = 0; index < count; index++) {
        struct decl *decl = ck->notes.body_decls.v[index];
        struct body_work *work = &ck->notes.bodies[index];
        struct tm_body *body = &ck->lists.bodies.v[index];
        const struct ast_item *it = decl->item;
        bool pair = false;
        work->k = no_keys;
        member_env(ck, decl, (uint32_t)index - decl->index, &work->member);
        struct env env = work->member.env;
        if (decl->broken) {
            work->broken = true;
            continue;
        }
        int errors = ck->ds->errors;
        find_keys(ck, index, work);
        if (it->head1) {
            body->shape.range = it->head1->range;
            if (!shape_open(ck, &env, it->head1, &work->shape)) {
                work->broken = true;
                decl->broken = it->index.text != NULL;
                continue;
            }
            body->shape.level_set = work->shape.g;
            body->shape.uses_z = work->shape.uses_z;
        }
        decl->broken = it->index.text && ck->ds->errors > errors;
        work->dim = guess_dim(ck, decl->module, work, it->head1 != NULL, &pair);
        if (!work->dim)
            continue;
        if (!ck->m->dim) {
            ck->m->dim = work->dim;
            first = index;
        } else if (work->dim != ck->m->dim) {
            struct diag *diag =
                check_error(ck, DIAG_E0315, decl->range,
                            "`%s` is a body in %s, but `%s` is one in %s",
                            decl->name, work->dim == 2 ? "the plane" : "space",
                            ck->lists.bodies.v[first].name,
                            ck->m->dim == 2 ? "the plane" : "space");
            CHECK_NOTE(ck, diag, ck->lists.bodies.v[first].range,
                       "the model lies in %s by this body",
                       ck->m->dim == 2 ? "the plane" : "space");
            if (work->dim == 2 && it->head1)
                CHECK_HELP(ck, diag,
                           "a shape without z and with pairs for its data is "
                           "plane; in space there are sphere, ellipsoid, box, "
                           "polyhedron, half_space");
            else
                CHECK_HELP(ck, diag,
                           "all bodies of a model lie in the plane, or "
                           "all in space");
            work->broken = true;
        }
    }
    /* bodies whose shapes are wrong tell at least by their other data */
    for (size_t index = 0; index < count && !ck->m->dim; index++)
        ck->m->dim = guess_dim(ck, ck->notes.body_decls.v[index]->module,
                               &ck->notes.bodies[index], false, &(bool){false});
    if (!ck->m->dim && count)
        ck->m->dim = 3;
}

/* -- keys ----------------------------------------------------------------- */

static const char *
key_what(struct check *ck, const struct ast_item *key)
{
    return check_text_once(ck, "the %s of a body", key->name.text);
}

static void
scalar_key(struct check *ck, const struct env *env, const struct ast_item *key,
           const struct dim *dim, bool positive, struct tm_num *out)
{
    if (!key)
        return;
    double number;
    const char *what = key_what(ck, key);
    struct value value = check_expr(ck, env, key->value);
    if (!value_need_scalar(ck, &value, key->value, dim, what) ||
        !check_leaves(ck, value.e, 1, MAY_PARAMS, key->value, what))
        return;
    if (positive && value_const(&value, &number) && number <= 0) {
        struct diag *diag =
            check_error(ck, DIAG_E0317, key->value->range,
                        "%s is positive, but this is %g", what, number);
        if (!strcmp(key->name.text, "mass"))
            CHECK_HELP(ck, diag,
                       "a body that nothing can move is `fixed = true`");
        return;
    }
    take_num(out, &value, key->value);
}

/* The entries of a tuple are checked one by one, so that a message points at
 * the entry that is wrong. */
static struct value
tuple_of(struct check *ck, const struct env *env, const struct ast_expr *node,
         uint32_t count, const struct dim *dim, const char *what)
{
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind != AST_TUPLE || inner->unit || inner->n_list != count)
        return check_expr(ck, env, node);
    struct value value = value_array(ck, count, 1, dim, node->range);
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
        struct value x = check_expr(ck, env, inner->list[i]);
        ok &= value_need_scalar(ck, &x, inner->list[i], dim,
                                check_text_once(ck, "an entry of %s", what));
        value.e[i] = ok ? x.e[0] : NULL;
    }
    return ok ? value : value_poison(node->range);
}

/* Takes a vector of `count` numbers. If the key is absent, `fill` makes it
 * zeros. */
static void
vector_key(struct check *ck, const struct env *env, const struct ast_item *key,
           uint32_t count, const struct dim *dim, int may, bool fill,
           struct tm_vec *out)
{
    if (!key) {
        out->n = fill ? count : 0;
        out->e = check_zeros(ck);
        return;
    }
    const char *what = key_what(ck, key);
    struct value value = tuple_of(ck, env, key->value, count, dim, what);
    bool ok = count == 1
                  ? value_need_scalar(ck, &value, key->value, dim, what)
                  : value_need_vector(ck, &value, key->value, count, dim, what);
    if (ok && check_leaves(ck, value.e, count, may, key->value, what))
        take_vec(out, &value, key->value);
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

static void
orient_rotation(struct check *ck, const struct env *env,
                const struct ast_expr *node, struct tm_body *body, int may)
{
    const struct dim *pure = dim_pure(ck->dims);
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind != AST_TUPLE || inner->n_list != 2 || inner->unit) {
        struct diag *diag = check_error(ck, DIAG_E0330, node->range,
                                        "a rotation is an axis and an angle");
        CHECK_HELP(ck, diag, "write rotation = ((0, 0, 1), %s)",
                   inner->kind == AST_TUPLE ? "30 [deg]"
                                            : expr_label(ck, node));
        return;
    }
    const struct ast_expr *ea = inner->list[0], *et = inner->list[1];
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

static void
orientation(struct check *ck, const struct env *env, struct body_work *work,
            struct tm_body *body, uint32_t dim, int may)
{
    static const int keys[] = {K_ANGLE, K_ROTATION, K_QUATERNION, K_AXES};
    const struct ast_item *key = NULL;
    int which = 0;
    for (int kind = 0; kind < 4; kind++) {
        const struct ast_item *item = work->k[keys[kind]];
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
            which = keys[kind];
        }
    }
    if (!key)
        return;
    const struct ast_expr *node = key->value;
    if (dim == 2 && (which == K_ROTATION || which == K_QUATERNION)) {
        struct diag *diag =
            check_error(ck, DIAG_E0313, key->name.range,
                        "`%s` is an orientation in space, but this "
                        "body lies in the plane",
                        key->name.text);
        const struct ast_expr *inner = ast_unwrap(node);
        bool turn = which == K_ROTATION;
        CHECK_HELP(ck, diag, "write angle = %s",
                   turn && inner->kind != AST_TUPLE ? expr_label(ck, node)
                   : turn && inner->n_list == 2 ? expr_label(ck, inner->list[1])
                                                : "30 [deg]");
        return;
    }
    if (dim == 3 && which == K_ANGLE) {
        struct diag *diag =
            check_error(ck, DIAG_E0313, key->name.range,
                        "`angle` is an orientation in the plane, "
                        "but this body is in space");
        CHECK_HELP(ck, diag, "write rotation = ((0, 0, 1), %s)",
                   expr_label(ck, node));
        return;
    }
    if (which == K_ANGLE) {
        body->start.orient_kind = IMP_ORIENT_ANGLE;
        warn_of_degrees(ck, node);
        vector_key(ck, env, key, 1, dim_pure(ck->dims), may, false,
                   &body->start.orient);
    } else if (which == K_QUATERNION) {
        orient_quaternion(ck, env, node, body, may);
    } else if (which == K_AXES) {
        orient_axes(ck, env, node, body, dim, may);
    } else {
        orient_rotation(ck, env, node, body, may);
    }
}

static void
mass_keys(struct check *ck, const struct env *env, struct body_work *work,
          struct tm_body *body, uint32_t dim, bool has_shape)
{
    const struct ast_item *mass = work->k[K_MASS],
                          *density = work->k[K_DENSITY];
    if (mass && density) {
        struct diag *diag =
            check_error(ck, DIAG_E0310, density->name.range,
                        "a body has a mass or a density, not both");
        CHECK_NOTE(ck, diag, mass->name.range, "the mass");
        CHECK_HELP(ck, diag, "leave one of them out");
    } else if (density && !has_shape) {
        struct diag *diag = check_error(ck, DIAG_E0311, density->name.range,
                                        "a density needs a shape");
        CHECK_HELP(ck, diag,
                   "give the body a shape, as in body %s : ellipse(2, 1), "
                   "or a mass",
                   body->name);
    } else if (!mass && !density && !body->fixed && !work->misspelt) {
        struct diag *diag =
            check_error(ck, DIAG_E0309, body->range,
                        "the body `%s` has no mass", body->name);
        CHECK_HELP(ck, diag,
                   "add %s, or `fixed = true` for one that nothing can "
                   "move",
                   has_shape ? "`density = ...` or `mass = ...`"
                             : "`mass = ...`");
    }
    scalar_key(ck, env, mass, dim_mks(ck->dims, 0, 1, 0), true,
               &body->stated.mass);
    scalar_key(ck, env, density, dim_mks(ck->dims, dim == 2 ? -2 : -3, 1, 0),
               true, &body->stated.density);
    if (work->k[K_INERTIA]) {
        const struct ast_expr *node = work->k[K_INERTIA]->value;
        struct value value = check_expr(ck, env, node);
        if (take_inertia(ck, &value, node, dim, dim_mks(ck->dims, 2, 1, 0),
                         "the inertia of a body", &body->stated.inertia)) {
            check_leaves(ck, body->stated.inertia.e, body->stated.inertia.n,
                         MAY_PARAMS, node, "the inertia of a body");
            for (uint32_t i = 0; i < body->stated.inertia.n && i < 3; i++)
                if (ex_is_const(body->stated.inertia.e[i]) &&
                    body->stated.inertia.e[i]->num < 0) {
                    check_error(ck, DIAG_E0317, node->range,
                                "a moment of inertia is not negative, but this "
                                "one is %g",
                                body->stated.inertia.e[i]->num);
                    break;
                }
        }
    }
}

/* The least distance to other bodies at the start, of a drawn position. */
static void
apart_key(struct check *ck, const struct env *env, const struct ast_item *key,
          struct tm_body *body)
{
    double number;
    scalar_key(ck, env, key, dim_mks(ck->dims, 1, 0, 0), false, &body->apart);
    if (!key || !body->apart.e)
        return;
    if (body->n_draw == 0) {
        struct diag *diag = check_error(
            ck, DIAG_E0394, key->name.range,
            "`apart` is of a position that is drawn, and that of `%s` is not",
            body->name);
        CHECK_HELP(ck, diag,
                   "write position = (random(0, 1), ...), or leave "
                   "`apart` out");
    } else if (ex_is_const(body->apart.e) &&
               (number = body->apart.e->num) < 0.0) {
        struct diag *diag =
            check_error(ck, DIAG_E0394, key->value->range,
                        "a distance is not negative, but this is %g", number);
        CHECK_HELP(ck, diag, "apart = 0 lets bodies just not overlap");
    }
}

static void
body(struct check *ck, size_t i)
{
    struct decl *decl = ck->notes.body_decls.v[i];
    struct body_work *work = &ck->notes.bodies[i];
    struct tm_body *checked = &ck->lists.bodies.v[i];
    struct env env = work->member.env;
    uint32_t count = ck->m->dim, spins = count == 2 ? 1 : 3;
    struct dims *ds = ck->dims;
    bool has_shape = decl->item->head1 != NULL;
    if (work->broken || decl->broken)
        return;
    if (work->shape.g) {
        graph_origin(ck->g, decl->item->head1->range);
        checked->shape.n_plane = (uint32_t)ex_half_spaces(
            ck->g, work->shape.g, count, &checked->shape.poly);
    }
    if (work->shape.n_point && work->shape.dim == count) {
        checked->shape.poly = work->shape.points;
        checked->shape.n_point = work->shape.n_point;
    }
    if (work->shape.decl)
        shape_block(ck, &work->shape, count, checked);
    int before = ck->ds->errors;
    checked->fixed = truth_key(ck, &env, work->k[K_FIXED]);
    /* A key that was wrong may have been meant to say that the body needs no
     * mass. */
    work->misspelt |= ck->ds->errors > before;
    bool planar = truth_key(ck, &env, work->k[K_PLANAR]);
    if (work->k[K_PLANAR] && planar != (count == 2))
        check_error(ck, DIAG_E0315, work->k[K_PLANAR]->range,
                    "this model lies in %s",
                    count == 2 ? "the plane" : "space");
    int may = checked->fixed ? MAY_TIME : MAY_PARAMS;

    mass_keys(ck, &env, work, checked, count, has_shape);
    vector_key(ck, &env, work->k[K_CENTRE], count, dim_mks(ds, 1, 0, 0),
               MAY_PARAMS, false, &checked->stated.centre);
    struct env start = {.up = &env, .module = env.module, .part = PART_START};
    const struct env *at_start = checked->fixed ? &env : &start;
    checked->first_draw = (uint32_t)ck->lists.draws.n;
    vector_key(ck, at_start, work->k[K_POSITION], count, dim_mks(ds, 1, 0, 0),
               may, true, &checked->start.position);
    checked->n_draw = (uint32_t)ck->lists.draws.n - checked->first_draw;
    orientation(ck, at_start, work, checked, count, may);
    apart_key(ck, &env, work->k[K_APART], checked);
    for (int k = K_VELOCITY; k <= K_SPIN; k++)
        if (checked->fixed && work->k[k]) {
            struct diag *diag = check_error(
                ck, DIAG_E0316, work->k[k]->name.range,
                "a fixed body has no %s of its own", work->k[k]->name.text);
            CHECK_NOTE(ck, diag, work->k[K_FIXED]->range, "fixed here");
            CHECK_HELP(ck, diag,
                       "a prescribed motion is a position or angle that "
                       "depends on t, as in position = (0, t*(1 "
                       "[m/s]))");
        }
    for (int k = K_FORCE; k <= K_TORQUE; k++)
        if (checked->fixed && work->k[k]) {
            struct diag *diag = check_error(
                ck, DIAG_E0316, work->k[k]->name.range,
                "a %s does nothing to a fixed body", work->k[k]->name.text);
            CHECK_NOTE(ck, diag, work->k[K_FIXED]->range, "fixed here");
        }
    vector_key(ck, at_start, work->k[K_VELOCITY], count, dim_mks(ds, 1, 0, -1),
               MAY_PARAMS, true, &checked->start.velocity);
    vector_key(ck, at_start, work->k[K_SPIN], spins, dim_mks(ds, 0, 0, -1),
               MAY_PARAMS, true, &checked->start.spin);
    vector_key(ck, &env, work->k[K_FORCE], count, dim_mks(ds, 1, 1, -2),
               MAY_TIME | MAY_MOTION, false, &checked->force);
    vector_key(ck, &env, work->k[K_TORQUE], spins, dim_mks(ds, 2, 1, -2),
               MAY_TIME | MAY_MOTION, false, &checked->torque);
}

void
check_bodies_end(struct check *ck)
{
    assert(ck);
    for (size_t i = 0; i < ck->lists.bodies.n; i++) {
        struct decl *decl = ck->notes.body_decls.v[i];
        int errors = ck->ds->errors;
        body(ck, i);
        /* a mistake is told of one member of a family */
        if (decl->item->index.text && ck->ds->errors > errors)
            decl->broken = true;
    }
}
