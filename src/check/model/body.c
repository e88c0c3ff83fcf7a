/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies. First their shapes, which decide whether the model lies in the plane
 * or in space (everything else needs to know); then all other keys. What is
 * visible in the text is checked here; what depends on the values of params is
 * checked at set-up (runtime/setup/setup.c). */
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
};
const size_t n_body_keys = sizeof body_keys / sizeof body_keys[0];

struct body_work {
    const struct ast_item *k[N_KEYS];
    struct shape_use shape;
    uint32_t dim; /* 0: nothing says */
    bool broken;
    bool misspelt; /* a key was not known: perhaps the one that is missing */
};

/* -- plane or space ------------------------------------------------------- */

/* how many entries a vector has, from its text alone; 0: cannot be seen */
static size_t
tuple_size(struct check *ck, struct module *m, const struct ast_expr *e,
           int depth)
{
    size_t a, b;
    bool rep;
    if (!e || depth > 60)
        return 0;
    switch (e->kind) {
    case AST_TUPLE:
        return e->n_list;
    case AST_PAREN:
    case AST_NEG:
        return tuple_size(ck, m, e->a, depth + 1);
    case AST_BINARY:
        a = tuple_size(ck, m, e->a, depth + 1);
        b = tuple_size(ck, m, e->b, depth + 1);
        return a > b ? a : b;
    case AST_IF:
        return tuple_size(ck, m, e->b, depth + 1);
    case AST_NAME: {
        struct decl *d = scope_own(m, e->name.text);
        if (!d)
            d = scope_find(ck, m, e->name.text, WANT_VALUE, e->range, &rep);
        return d && d->kind == D_LET
                   ? tuple_size(ck, d->module, d->item->value, depth + 1)
                   : 0;
    }
    case AST_CALL:
        if (e->a->kind == AST_NAME && !strcmp(e->a->name.text, "diag") &&
            e->n_args > 1)
            return e->n_args;
        if (e->a->kind == AST_NAME && !strcmp(e->a->name.text, "unit") &&
            e->n_args == 1)
            return tuple_size(ck, m, e->args[0].value, depth + 1);
        return 0;
    case AST_MATRIX:
        return e->cols;
    default:
        return 0;
    }
}

static uint32_t
guess_dim(struct check *ck, struct module *m, const struct body_work *w,
          bool has_shape, bool *pair)
{
    static const int vectors[] = {K_POSITION, K_VELOCITY, K_CENTRE, K_FORCE,
                                  K_INERTIA,  K_AXES,     K_SPIN,   K_TORQUE};
    if (w->shape.uses_z)
        return 3;
    if (w->shape.n_point)
        return w->shape.dim;
    /* moments of a shape without z are those of the plane */
    if (has_shape && w->shape.decl && w->shape.decl->item->n_block)
        return 2;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct ast_item *k = w->k[vectors[i]];
        size_t n = k ? tuple_size(ck, m, k->value, 0) : 0;
        if (n == 3)
            return 3;
        if (n == 2) {
            *pair = true;
            return 2;
        }
    }
    if (w->k[K_ROTATION] || w->k[K_QUATERNION])
        return 3;
    if (w->k[K_ANGLE])
        return 2;
    if (w->k[K_PLANAR]) {
        const struct ast_expr *e = ast_unwrap(w->k[K_PLANAR]->value);
        return e->kind == AST_TRUTH && e->num != 0 ? 2 : 3;
    }
    return has_shape ? 2 : 0;
}

/* two whole turns written as a plain number are degrees without their unit */
static void
warn_of_degrees(struct check *ck, const struct ast_expr *e)
{
    const struct ast_expr *n = ast_unwrap(e);
    if (n->kind == AST_NEG)
        n = ast_unwrap(n->a);
    if (n->kind != AST_NUM || n->unit || fabs(n->num) <= 4 * M_PI)
        return;
    struct diag *d =
        diag_add(ck->ds, DIAG_W0301, e->range,
                 "this angle is %g radians: more than two turns", n->num);
    CK_HELP(ck, d, "degrees have a unit: %s [deg]", ck_label(ck, e));
}

static bool
truth_key(struct check *ck, const struct env *env, const struct ast_item *k)
{
    if (!k)
        return false;
    struct value v = ck_expr(ck, env, k->value);
    if (v.kind == V_POISON)
        return false;
    if (v.kind != V_TRUTH || !ex_is_const(v.e[0])) {
        struct diag *d = ck_error(ck, DIAG_E0330, k->value->range,
                                  "`%s` is true or false", k->name.text);
        CK_HELP(ck, d, "write %s = true", k->name.text);
        return false;
    }
    return v.e[0]->num != 0;
}

void
check_bodies_begin(struct check *ck)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d; d = d->next)
            if (d->kind == D_BODY) {
                d->index = (uint32_t)ck->bodies.n;
                struct tm_body b = {.name = d->name,
                                    .doc = d->item->doc ? d->item->doc : "",
                                    .range = d->range};
                APUSH(ck, &ck->bodies, b);
                APUSH(ck, &ck->body_decls, d);
            }
    size_t n = ck->bodies.n;
    ck->work = NEW_N(ck->arena, struct body_work, n + 1);
    size_t first = n;
    for (size_t i = 0; i < n; i++) {
        struct decl *d = ck->body_decls.v[i];
        struct body_work *w = &ck->work[i];
        struct tm_body *b = &ck->bodies.v[i];
        struct env env = {.module = d->module};
        const struct ast_item *it = d->item;
        bool pair = false;
        w->misspelt = !block_keys(ck, it, body_keys, n_body_keys, "body", w->k);
        if (it->head1) {
            b->range_shape = it->head1->range;
            if (!shape_open(ck, &env, it->head1, &w->shape)) {
                w->broken = true;
                continue;
            }
            b->level_set = w->shape.g;
            b->uses_z = w->shape.uses_z;
        }
        w->dim = guess_dim(ck, d->module, w, it->head1 != NULL, &pair);
        if (!w->dim)
            continue;
        if (!ck->m->dim) {
            ck->m->dim = w->dim;
            first = i;
        } else if (w->dim != ck->m->dim) {
            struct diag *x = ck_error(
                ck, DIAG_E0315, d->range,
                "`%s` is a body in %s, but `%s` is one in %s", d->name,
                w->dim == 2 ? "the plane" : "space", ck->bodies.v[first].name,
                ck->m->dim == 2 ? "the plane" : "space");
            CK_NOTE(ck, x, ck->bodies.v[first].range,
                    "the model lies in %s by this body",
                    ck->m->dim == 2 ? "the plane" : "space");
            if (w->dim == 2 && it->head1)
                CK_HELP(ck, x,
                        "a shape without z and with pairs for its data is "
                        "plane; in space there are sphere, ellipsoid, box, "
                        "polyhedron, half_space");
            else
                CK_HELP(ck, x,
                        "all bodies of a model lie in the plane, or "
                        "all in space");
            w->broken = true;
        }
    }
    if (!ck->m->dim && n)
        ck->m->dim = 3;
}

/* -- keys ----------------------------------------------------------------- */

static const char *
key_what(struct check *ck, const struct ast_item *k)
{
    return arena_printf(ck->arena, "the %s of a body", k->name.text);
}

static void
scalar_key(struct check *ck, const struct env *env, const struct ast_item *k,
           const struct dim *dim, bool positive, struct tm_num *out)
{
    if (!k)
        return;
    double x;
    const char *what = key_what(ck, k);
    struct value v = ck_expr(ck, env, k->value);
    if (!v_need_scalar(ck, &v, k->value, dim, what) ||
        !check_leaves(ck, v.e, 1, MAY_PARAMS, k->value, what))
        return;
    if (positive && v_const(&v, &x) && x <= 0) {
        struct diag *d = ck_error(ck, DIAG_E0317, k->value->range,
                                  "%s is positive, but this is %g", what, x);
        if (!strcmp(k->name.text, "mass"))
            CK_HELP(ck, d, "a body that nothing can move is `fixed = true`");
        return;
    }
    take_num(out, &v, k->value);
}

/* the entries of a written-out tuple are checked one by one against what the
 * key wants, so that a message points at the wrong one */
static struct value
tuple_of(struct check *ck, const struct env *env, const struct ast_expr *e,
         uint32_t n, const struct dim *dim, const char *what)
{
    const struct ast_expr *p = ast_unwrap(e);
    if (p->kind != AST_TUPLE || p->unit || p->n_list != n)
        return ck_expr(ck, env, e);
    struct value v = v_array(ck, n, 1, dim, e->range);
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        struct value x = ck_expr(ck, env, p->list[i]);
        ok &= v_need_scalar(ck, &x, p->list[i], dim,
                            arena_printf(ck->arena, "an entry of %s", what));
        v.e[i] = ok ? x.e[0] : NULL;
    }
    return ok ? v : v_poison(e->range);
}

/* n numbers; absent: zeros when fill */
static void
vector_key(struct check *ck, const struct env *env, const struct ast_item *k,
           uint32_t n, const struct dim *dim, int may, bool fill,
           struct tm_vec *out)
{
    if (!k) {
        out->n = fill ? n : 0;
        for (uint32_t i = 0; i < out->n; i++)
            out->e[i] = ex_num(ck->g, 0);
        return;
    }
    const char *what = key_what(ck, k);
    struct value v = tuple_of(ck, env, k->value, n, dim, what);
    bool ok = n == 1 ? v_need_scalar(ck, &v, k->value, dim, what)
                     : v_need_vector(ck, &v, k->value, n, dim, what);
    if (ok && check_leaves(ck, v.e, n, may, k->value, what))
        take_vec(out, &v, k->value);
}

/* columns are unit vectors at right angles, right-handed? */
static bool
orthonormal(const struct value *m)
{
    uint32_t n = m->rows;
    double det, x[9];
    for (uint32_t i = 0; i < n * n; i++) {
        if (!ex_is_const(m->e[i]))
            return true;
        x[i] = m->e[i]->num;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double s = 0;
            for (uint32_t k = 0; k < n; k++)
                s += x[k * n + i] * x[k * n + j];
            /* data of 6 digits pass; set-up makes them exact */
            if (fabs(s - (i == j)) > 1e-5)
                return false;
        }
    det = n == 2 ? x[0] * x[3] - x[1] * x[2]
                 : x[0] * (x[4] * x[8] - x[5] * x[7]) -
                       x[1] * (x[3] * x[8] - x[5] * x[6]) +
                       x[2] * (x[3] * x[7] - x[4] * x[6]);
    return det > 0;
}

static bool
all_zero(const struct value *v)
{
    for (uint32_t i = 0; i < v->rows * v->cols; i++)
        if (!ex_is_num(v->e[i], 0))
            return false;
    return true;
}

static void
orient_quaternion(struct check *ck, const struct env *env,
                  const struct ast_expr *e, struct tm_body *b, int may)
{
    const struct dim *pure = dim_pure(ck->dims);
    struct value v = ck_expr(ck, env, e);
    if (v.kind == V_NUM && (v.rows != 4 || v.cols != 1)) {
        ck_error(ck, DIAG_E0314, e->range,
                 "a quaternion is four numbers, (w, x, y, z), but this "
                 "is %s",
                 v_kind(ck, &v));
    } else if (v_need_vector(ck, &v, e, 4, pure, "a quaternion") &&
               check_leaves(ck, v.e, 4, may, e, "the orientation")) {
        if (all_zero(&v))
            ck_error(ck, DIAG_E0332, e->range,
                     "the zero quaternion is no rotation");
        b->orient_kind = IMP_ORIENT_QUATERNION;
        take_vec(&b->orient, &v, e);
    }
}

static void
orient_axes(struct check *ck, const struct env *env, const struct ast_expr *e,
            struct tm_body *b, uint32_t d, int may)
{
    const struct dim *pure = dim_pure(ck->dims);
    struct value v = ck_expr(ck, env, e);
    if (v.kind == V_POISON)
        return;
    if (v.kind != V_NUM || v.rows != d || v.cols != d) {
        struct diag *x =
            ck_error(ck, DIAG_E0314, e->range,
                     "the axes are a %u x %u matrix, but this is %s", d, d,
                     v_kind(ck, &v));
        CK_HELP(ck, x, "its columns are the shape's axes in the world");
        return;
    }
    if (!v_need_dim(ck, &v, e, pure, "a matrix of axes") ||
        !check_leaves(ck, v.e, (size_t)d * d, may, e, "the orientation"))
        return;
    if (!orthonormal(&v)) {
        struct diag *x =
            ck_error(ck, DIAG_E0332, e->range, "this matrix is no rotation");
        CK_HELP(ck, x,
                "its columns must be unit vectors at right angles "
                "and its determinant +1");
        return;
    }
    if (d == 3) {
        b->orient_kind = IMP_ORIENT_AXES;
        take_vec(&b->orient, &v, e);
    } else {
        b->orient_kind = IMP_ORIENT_ANGLE;
        b->orient.n = 1;
        b->orient.e[0] = ex_op(ck->g, IMP_OP_ATAN2, v.e[2], v.e[0], NULL);
        b->orient.range = e->range;
    }
}

static void
orient_rotation(struct check *ck, const struct env *env,
                const struct ast_expr *e, struct tm_body *b, int may)
{
    const struct dim *pure = dim_pure(ck->dims);
    const struct ast_expr *p = ast_unwrap(e);
    if (p->kind != AST_TUPLE || p->n_list != 2 || p->unit) {
        struct diag *x = ck_error(ck, DIAG_E0330, e->range,
                                  "a rotation is an axis and an angle");
        CK_HELP(ck, x, "write rotation = ((0, 0, 1), 30 [deg])");
        return;
    }
    const struct ast_expr *ea = p->list[0], *et = p->list[1];
    struct value a = ck_expr(ck, env, ea), t = ck_expr(ck, env, et);
    bool ok = v_need_vector(ck, &a, ea, 3, dim_fresh(ck->dims, ea->range),
                            "the axis of a rotation");
    ok &= v_need_scalar(ck, &t, et, pure, "the angle of a rotation");
    if (!ok || !check_leaves(ck, a.e, 3, may, ea, "the orientation") ||
        !check_leaves(ck, t.e, 1, may, et, "the orientation"))
        return;
    if (all_zero(&a)) {
        ck_error(ck, DIAG_E0332, ea->range,
                 "the axis of a rotation cannot be zero");
        return;
    }
    b->orient_kind = IMP_ORIENT_AXISANGLE;
    take_vec(&b->orient, &a, e);
    b->orient.n = 4;
    b->orient.e[3] = t.e[0];
}

static void
orientation(struct check *ck, const struct env *env, struct body_work *w,
            struct tm_body *b, uint32_t d, int may)
{
    static const int keys[] = {K_ANGLE, K_ROTATION, K_QUATERNION, K_AXES};
    const struct ast_item *k = NULL;
    int which = 0;
    for (int i = 0; i < 4; i++) {
        const struct ast_item *o = w->k[keys[i]];
        if (o && k) {
            struct diag *x =
                ck_error(ck, DIAG_E0312, o->name.range,
                         "a body has one orientation, but `%s` is a second "
                         "one",
                         o->name.text);
            CK_NOTE(ck, x, k->name.range, "the first one");
            return;
        }
        if (o) {
            k = o;
            which = keys[i];
        }
    }
    if (!k)
        return;
    const struct ast_expr *e = k->value;
    if (d == 2 && (which == K_ROTATION || which == K_QUATERNION)) {
        struct diag *x = ck_error(ck, DIAG_E0313, k->name.range,
                                  "`%s` is an orientation in space, but this "
                                  "body lies in the plane",
                                  k->name.text);
        CK_HELP(ck, x, "write angle = 30 [deg]");
        return;
    }
    if (d == 3 && which == K_ANGLE) {
        struct diag *x = ck_error(ck, DIAG_E0313, k->name.range,
                                  "`angle` is an orientation in the plane, "
                                  "but this body is in space");
        CK_HELP(ck, x, "write rotation = ((0, 0, 1), %s)", ck_label(ck, e));
        return;
    }
    if (which == K_ANGLE) {
        b->orient_kind = IMP_ORIENT_ANGLE;
        warn_of_degrees(ck, e);
        vector_key(ck, env, k, 1, dim_pure(ck->dims), may, false, &b->orient);
    } else if (which == K_QUATERNION) {
        orient_quaternion(ck, env, e, b, may);
    } else if (which == K_AXES) {
        orient_axes(ck, env, e, b, d, may);
    } else {
        orient_rotation(ck, env, e, b, may);
    }
}

static void
mass_keys(struct check *ck, const struct env *env, struct body_work *w,
          struct tm_body *b, uint32_t d, bool has_shape)
{
    const struct ast_item *m = w->k[K_MASS], *r = w->k[K_DENSITY];
    if (m && r) {
        struct diag *x = ck_error(ck, DIAG_E0310, r->name.range,
                                  "a body has a mass or a density, not both");
        CK_NOTE(ck, x, m->name.range, "the mass");
        CK_HELP(ck, x, "leave one of them out");
    } else if (r && !has_shape) {
        struct diag *x =
            ck_error(ck, DIAG_E0311, r->name.range, "a density needs a shape");
        CK_HELP(ck, x,
                "give the body a shape, as in body %s : ellipse(2, 1), "
                "or a mass",
                b->name);
    } else if (!m && !r && !b->fixed && !w->misspelt) {
        struct diag *x = ck_error(ck, DIAG_E0309, b->range,
                                  "the body `%s` has no mass", b->name);
        CK_HELP(ck, x,
                "add %s, or `fixed = true` for one that nothing can "
                "move",
                has_shape ? "`density = ...` or `mass = ...`" : "`mass = ...`");
    }
    scalar_key(ck, env, m, dim_mks(ck->dims, 0, 1, 0), true, &b->mass);
    scalar_key(ck, env, r, dim_mks(ck->dims, d == 2 ? -2 : -3, 1, 0), true,
               &b->density);
    if (w->k[K_INERTIA]) {
        const struct ast_expr *e = w->k[K_INERTIA]->value;
        struct value v = ck_expr(ck, env, e);
        if (take_inertia(ck, &v, e, d, dim_mks(ck->dims, 2, 1, 0),
                         "the inertia of a body", &b->inertia)) {
            check_leaves(ck, b->inertia.e, b->inertia.n, MAY_PARAMS, e,
                         "the inertia of a body");
            for (uint32_t i = 0; i < b->inertia.n && i < 3; i++)
                if (ex_is_const(b->inertia.e[i]) && b->inertia.e[i]->num <= 0) {
                    ck_error(ck, DIAG_E0317, e->range,
                             "a moment of inertia is positive, but this one "
                             "is %g",
                             b->inertia.e[i]->num);
                    break;
                }
        }
    }
}

static void
body(struct check *ck, size_t i)
{
    struct decl *d = ck->body_decls.v[i];
    struct body_work *w = &ck->work[i];
    struct tm_body *b = &ck->bodies.v[i];
    struct env env = {.module = d->module};
    uint32_t n = ck->m->dim, s = n == 2 ? 1 : 3;
    struct dims *ds = ck->dims;
    bool has_shape = d->item->head1 != NULL;
    if (w->broken)
        return;
    if (w->shape.g) {
        graph_origin(ck->g, d->item->head1->range);
        b->n_plane = (uint32_t)ex_half_spaces(ck->g, w->shape.g, n, &b->poly);
    }
    if (w->shape.n_point && w->shape.dim == n) {
        b->poly = w->shape.points;
        b->n_point = w->shape.n_point;
    }
    if (w->shape.decl)
        shape_block(ck, &w->shape, n, b);
    int before = ck->ds->errors;
    b->fixed = truth_key(ck, &env, w->k[K_FIXED]);
    /* perhaps it was to say that no mass is needed */
    w->misspelt |= ck->ds->errors > before;
    bool planar = truth_key(ck, &env, w->k[K_PLANAR]);
    if (w->k[K_PLANAR] && planar != (n == 2))
        ck_error(ck, DIAG_E0315, w->k[K_PLANAR]->range, "this model lies in %s",
                 n == 2 ? "the plane" : "space");
    int may = b->fixed ? MAY_TIME : MAY_PARAMS;

    mass_keys(ck, &env, w, b, n, has_shape);
    vector_key(ck, &env, w->k[K_CENTRE], n, dim_mks(ds, 1, 0, 0), MAY_PARAMS,
               false, &b->centre);
    vector_key(ck, &env, w->k[K_POSITION], n, dim_mks(ds, 1, 0, 0), may, true,
               &b->position);
    orientation(ck, &env, w, b, n, may);
    for (int k = K_VELOCITY; k <= K_SPIN; k++)
        if (b->fixed && w->k[k]) {
            struct diag *x = ck_error(ck, DIAG_E0316, w->k[k]->name.range,
                                      "a fixed body has no %s of its own",
                                      w->k[k]->name.text);
            CK_NOTE(ck, x, w->k[K_FIXED]->range, "fixed here");
            CK_HELP(ck, x,
                    "a prescribed motion is a position or angle that "
                    "depends on t, as in position = (0, t*(1 "
                    "[m/s]))");
        }
    for (int k = K_FORCE; k <= K_TORQUE; k++)
        if (b->fixed && w->k[k]) {
            struct diag *x = ck_error(ck, DIAG_E0316, w->k[k]->name.range,
                                      "a %s does nothing to a fixed body",
                                      w->k[k]->name.text);
            CK_NOTE(ck, x, w->k[K_FIXED]->range, "fixed here");
        }
    vector_key(ck, &env, w->k[K_VELOCITY], n, dim_mks(ds, 1, 0, -1), MAY_PARAMS,
               true, &b->velocity);
    vector_key(ck, &env, w->k[K_SPIN], s, dim_mks(ds, 0, 0, -1), MAY_PARAMS,
               true, &b->spin);
    vector_key(ck, &env, w->k[K_FORCE], n, dim_mks(ds, 1, 1, -2),
               MAY_TIME | MAY_MOTION, false, &b->force);
    vector_key(ck, &env, w->k[K_TORQUE], s, dim_mks(ds, 2, 1, -2),
               MAY_TIME | MAY_MOTION, false, &b->torque);
}

void
check_bodies_end(struct check *ck)
{
    for (size_t i = 0; i < ck->bodies.n; i++)
        body(ck, i);
}
