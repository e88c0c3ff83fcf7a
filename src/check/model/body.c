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

/* the shape in `varies`, behind the keys */
#define HEAD N_KEYS
#define BIT(key) (1u << (key))
/* what may be drawn */
#define STARTS                                                                 \
    (BIT(K_POSITION) | BIT(K_ANGLE) | BIT(K_ROTATION) | BIT(K_QUATERNION) |    \
     BIT(K_AXES) | BIT(K_VELOCITY) | BIT(K_SPIN))

/* What all members of a family have in common; a body alone has one, too. */
struct body_family {
    const struct ast_item *k[N_KEYS];
    uint32_t varies; /* bits: members differ in it, by the index or by draws */
    uint32_t draws;  /* random numbers of each start, where members have their
                        formulas in common; else 0 */
    bool misspelt;   /* a key was not known: perhaps the one that is missing */
};
struct body_work {
    struct body_family *family;
    const struct ast_item *const *k; /* those of the family */
    const struct shape_use *shape;
    uint32_t dim; /* 0: nothing says */
    bool broken;
    bool later; /* a member after the first, which has all that does not vary
                   from the one before it */
};

static const struct shape_use no_shape;

/* Is the key, or the shape (HEAD), to be checked for this body? */
static bool
asks(const struct body_work *work, int key)
{
    return !work->later || work->family->varies & BIT(key);
}

/* Finds the keys of a body. */
static void
find_keys(struct check *ck, size_t index, struct body_work *work)
{
    const struct decl *decl = ck->notes.body_decls.v[index];
    work->later = index > 0 && ck->notes.body_decls.v[index - 1] == decl;
    if (work->later) {
        work->family = work[-1].family;
        work->k = work->family->k;
        return;
    }
    struct body_family *family = NEW(ck->arena, struct body_family);
    family->misspelt =
        !block_keys(ck, decl->item, body_keys, n_body_keys, "body", family->k);
    const char *name = decl->item->index.text;
    for (int key = 0; name && key < N_KEYS; key++)
        if (family->k[key] && ast_mentions(family->k[key]->value, name))
            family->varies |= BIT(key);
    if (name && ast_mentions(decl->item->head1, name))
        family->varies |= BIT(HEAD);
    work->family = family;
    work->k = family->k;
}

/* Opens the shape of a body, or takes that of the member before it. False after
 * an error. */
static bool
find_shape(struct check *ck, const struct decl *decl, size_t index,
           struct body_work *work)
{
    struct tm_body *body = &ck->lists.bodies.v[index];
    if (!decl->item->head1)
        return true;
    if (!asks(work, HEAD)) {
        work->shape = work[-1].shape;
        body->shape = body[-1].shape;
        return true;
    }
    struct member_env member;
    struct shape_use *shape = NEW(ck->arena, struct shape_use);
    member_env(ck, decl, (uint32_t)index - decl->index, &member);
    work->shape = shape;
    body->shape.range = decl->item->head1->range;
    if (!shape_open(ck, &member.env, decl->item->head1, shape))
        return false;
    body->shape.level_set = shape->g;
    body->shape.uses_z = shape->uses_z;
    return true;
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
    if (work->shape->uses_z)
        return 3;
    if (work->shape->n_point)
        return work->shape->dim;
    /* A shape without z has the moments of the plane. */
    if (has_shape && work->shape->decl && work->shape->decl->item->n_block)
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

/* Is gravity a pair? It tells the plane where no body does. */
static bool
gravity_is_pair(const struct check *ck)
{
    const struct module *main = ck->modules.main;
    for (size_t i = 0; i < main->others.n; i++)
        for (size_t k = 0; k < main->others.v[i]->n_block; k++) {
            const struct ast_item *key = main->others.v[i]->block[k];
            if (key->kind == AST_KEY && key->value &&
                !strcmp(key->name.text, "gravity") &&
                key->value->kind == AST_TUPLE && key->value->n_list == 2)
                return true;
        }
    return false;
}

void
check_bodies_begin(struct check *ck)
{
    assert(ck);
    declare_all(ck);
    size_t count = ck->lists.bodies.n;
    ck->notes.bodies = NEW_N(ck->arena, struct body_work, count + 1);
    struct body_family *no_family = NEW(ck->arena, struct body_family);
    size_t first = count;
    for (size_t index = 0; index < count; index++) {
        struct decl *decl = ck->notes.body_decls.v[index];
        struct body_work *work = &ck->notes.bodies[index];
        const struct ast_item *it = decl->item;
        bool pair = false;
        work->family = no_family;
        work->k = no_family->k;
        work->shape = &no_shape;
        if (decl->broken) {
            work->broken = true;
            continue;
        }
        int errors = ck->ds->errors;
        find_keys(ck, index, work);
        if (!find_shape(ck, decl, index, work)) {
            work->broken = true;
            decl->broken = it->index.text != NULL;
            continue;
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
                           "all in space; a plane in space is half_space, a "
                           "disc in the plane circle");
            work->broken = true;
        }
    }
    /* bodies whose shapes are wrong tell at least by their other data */
    for (size_t index = 0; index < count && !ck->m->dim; index++)
        ck->m->dim = guess_dim(ck, ck->notes.body_decls.v[index]->module,
                               &ck->notes.bodies[index], false, &(bool){false});
    if (!ck->m->dim && count)
        ck->m->dim = ck->ds->errors && gravity_is_pair(ck) ? 2 : 3;
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
    const expr *other = out->e ? member_number(ck, env, key->value) : NULL;
    if (other && !(positive && other->num <= 0)) {
        out->e = other;
        return;
    }
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

/* The vector of a member of a family whose entries are numbers that the index
 * alone tells apart from those of the member before it, whose vector `out` is.
 * False: it is something else. */
static bool
member_vector(struct check *ck, const struct env *env,
              const struct ast_expr *node, uint32_t count, struct tm_vec *out)
{
    const expr *entry[3];
    const struct ast_expr *inner = ast_unwrap(node);
    size_t draws = ck->lists.draws.n;
    if (out->n != count || count > 3)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        entry[i] = member_entry(ck, env, inner, i, count);
        if (!entry[i]) {
            ck->lists.draws.n = draws;
            return false;
        }
    }
    out->e = arena_copy(ck->arena, entry, count * sizeof *entry);
    return true;
}

/* Takes a vector of `count` numbers. If the key is absent, `fill` makes it
 * zeros. */
void
body_vector(struct check *ck, const struct env *env, const struct ast_item *key,
            uint32_t count, const struct dim *dim, int may, bool fill,
            struct tm_vec *out)
{
    if (!key) {
        out->n = fill ? count : 0;
        out->e = check_zeros(ck);
        return;
    }
    if (member_vector(ck, env, key->value, count, out))
        return;
    const char *what = key_what(ck, key);
    struct value value = tuple_of(ck, env, key->value, count, dim, what);
    bool ok = count == 1
                  ? value_need_scalar(ck, &value, key->value, dim, what)
                  : value_need_vector(ck, &value, key->value, count, dim, what);
    if (ok && check_leaves(ck, value.e, count, may, key->value, what))
        take_vec(out, &value, key->value);
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
    } else if (!mass && !density && !body->fixed && !work->family->misspelt) {
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

/* What the shape of a body says of it beside its level set. */
static void
shape_data(struct check *ck, const struct body_work *work,
           const struct ast_item *it, struct tm_body *checked)
{
    const struct shape_use *shape = work->shape;
    uint32_t count = ck->m->dim;
    if (shape->g) {
        graph_origin(ck->g, it->head1->range);
        checked->shape.n_plane = (uint32_t)ex_half_spaces(
            ck->g, shape->g, count, &checked->shape.poly);
    }
    if (shape->n_point && shape->dim == count) {
        checked->shape.poly = shape->points;
        checked->shape.n_point = shape->n_point;
    }
    if (shape->decl)
        shape_block(ck, shape, count, checked);
}

/* Is the body fixed? And does it live where the model does? */
static void
body_kind(struct check *ck, const struct env *env, struct body_work *work,
          struct tm_body *checked)
{
    int before = ck->ds->errors;
    checked->fixed = truth_key(ck, env, work->k[K_FIXED]);
    /* A key that was wrong may have been meant to say that the body needs no
     * mass. */
    work->family->misspelt |= ck->ds->errors > before;
    bool planar = truth_key(ck, env, work->k[K_PLANAR]);
    if (work->k[K_PLANAR] && planar != (ck->m->dim == 2))
        check_error(ck, DIAG_E0315, work->k[K_PLANAR]->range,
                    "this model lies in %s",
                    ck->m->dim == 2 ? "the plane" : "space");
}

/* E0316: what a body that nothing moves cannot have. */
static void
fixed_keys(struct check *ck, const struct body_work *work)
{
    for (int k = K_VELOCITY; k <= K_SPIN; k++)
        if (work->k[k]) {
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
        if (work->k[k]) {
            struct diag *diag = check_error(
                ck, DIAG_E0316, work->k[k]->name.range,
                "a %s does nothing to a fixed body", work->k[k]->name.text);
            CHECK_NOTE(ck, diag, work->k[K_FIXED]->range, "fixed here");
        }
}

/* Takes from the member before it what does not vary. */
static void
take_member(const struct body_work *work, struct tm_body *checked)
{
    struct tm_body own = *checked;
    *checked = checked[-1];
    checked->name = own.name;
    checked->sides = own.sides;
    if (asks(work, HEAD))
        checked->shape = own.shape;
}

/* The random numbers of a start. Formulas that do not name the index are those
 * of all members, each with random numbers of its own. */
static void
share_draws(struct check *ck, struct body_work *work,
            const struct tm_body *checked)
{
    uint32_t n = (uint32_t)ck->lists.draws.n - checked->first_draw;
    if (work->family->varies & STARTS)
        work->family->varies |= n ? STARTS : 0;
    else if (!work->later)
        work->family->draws = n;
    for (uint32_t i = 0; work->later && i < work->family->draws; i++) {
        struct tm_draw draw =
            ck->lists.draws.v[checked[-1].first_draw + (size_t)i];
        (void)draw_new(ck, &draw);
    }
}

/* The keys of a member that differ from those of the member before it, where
 * all of them are vectors of numbers: the index needs no node of the graph
 * then. False: they are something else. */
static bool
body_of_numbers(struct check *ck, const struct decl *decl, uint32_t member,
                const struct body_work *work, struct tm_body *checked)
{
    const struct {
        int key;
        struct tm_vec *to;
    } vector[] = {{K_POSITION, &checked->start.position},
                  {K_ANGLE, &checked->start.orient},
                  {K_VELOCITY, &checked->start.velocity},
                  {K_SPIN, &checked->start.spin}};
    expr leaf = {.op = IMP_OP_CONST, .num = decl->lo + (double)member};
    const expr *at = &leaf;
    struct value index = {.kind = VALUE_NUM,
                          .rows = 1,
                          .cols = 1,
                          .e = &at,
                          .dim = dim_pure(ck->dims),
                          .bare = true};
    const char *name = decl->item->index.text;
    struct env env = {
        .module = decl->module, .names = &name, .vals = &index, .n = 1};
    struct env start = {.up = &env, .module = env.module, .part = PART_START};
    uint32_t left = work->family->varies;
    if (checked->fixed)
        return false;
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        const struct ast_item *key = work->k[vector[i].key];
        left &= ~BIT(vector[i].key);
        if (key && asks(work, vector[i].key) &&
            (!vector[i].to->n || !member_vector(ck, &start, key->value,
                                                vector[i].to->n, vector[i].to)))
            return false;
        if (vector[i].key == K_POSITION && asks(work, K_POSITION))
            checked->n_draw = (uint32_t)ck->lists.draws.n - checked->first_draw;
    }
    for (int key = 0; key < N_KEYS; key++)
        if (!work->k[key])
            left &= ~BIT(key);
    return left == 0;
}

/* A member after the first of its family. False: it must be checked as the
 * first one is. */
static bool
later_member(struct check *ck, const struct decl *decl, uint32_t member,
             struct body_work *work, struct tm_body *checked)
{
    size_t draws = ck->lists.draws.n;
    take_member(work, checked);
    checked->first_draw = (uint32_t)draws;
    ck->lists.draws.from = draws;
    bool known = body_of_numbers(ck, decl, member, work, checked);
    if (known)
        share_draws(ck, work, checked);
    else
        ck->lists.draws.n = draws;
    ck->lists.draws.from = 0;
    return known;
}

static void
body(struct check *ck, size_t i)
{
    struct decl *decl = ck->notes.body_decls.v[i];
    struct body_work *work = &ck->notes.bodies[i];
    struct tm_body *checked = &ck->lists.bodies.v[i];
    struct member_env member;
    uint32_t count = ck->m->dim, spins = count == 2 ? 1 : 3;
    struct dims *ds = ck->dims;
    if (work->broken || decl->broken)
        return;
    if (work->later &&
        later_member(ck, decl, (uint32_t)i - decl->index, work, checked))
        return;
    member_env(ck, decl, (uint32_t)i - decl->index, &member);
    struct env env = member.env;
    if (asks(work, HEAD))
        shape_data(ck, work, decl->item, checked);
    if (asks(work, K_FIXED) || asks(work, K_PLANAR))
        body_kind(ck, &env, work, checked);
    int may = checked->fixed ? MAY_TIME : MAY_PARAMS;
    if (asks(work, K_MASS) || asks(work, K_DENSITY) || asks(work, K_INERTIA))
        mass_keys(ck, &env, work, checked, count, decl->item->head1 != NULL);
    if (asks(work, K_CENTRE))
        body_vector(ck, &env, work->k[K_CENTRE], count, dim_mks(ds, 1, 0, 0),
                    MAY_PARAMS, false, &checked->stated.centre);
    struct env start = {.up = &env, .module = env.module, .part = PART_START};
    const struct env *at_start = checked->fixed ? &env : &start;
    checked->first_draw = (uint32_t)ck->lists.draws.n;
    ck->lists.draws.from = checked->first_draw;
    if (asks(work, K_POSITION)) {
        body_vector(ck, at_start, work->k[K_POSITION], count,
                    dim_mks(ds, 1, 0, 0), may, true, &checked->start.position);
        checked->n_draw = (uint32_t)ck->lists.draws.n - checked->first_draw;
    }
    if (asks(work, K_ANGLE) || asks(work, K_ROTATION) ||
        asks(work, K_QUATERNION) || asks(work, K_AXES))
        body_orientation(ck, at_start, work->k + K_ANGLE, may, checked);
    if (asks(work, K_APART))
        apart_key(ck, &env, work->k[K_APART], checked);
    if (checked->fixed && !work->later)
        fixed_keys(ck, work);
    if (asks(work, K_VELOCITY))
        body_vector(ck, at_start, work->k[K_VELOCITY], count,
                    dim_mks(ds, 1, 0, -1), MAY_PARAMS, true,
                    &checked->start.velocity);
    if (asks(work, K_SPIN))
        body_vector(ck, at_start, work->k[K_SPIN], spins, dim_mks(ds, 0, 0, -1),
                    MAY_PARAMS, true, &checked->start.spin);
    share_draws(ck, work, checked);
    ck->lists.draws.from = 0;
    if (asks(work, K_FORCE))
        body_vector(ck, &env, work->k[K_FORCE], count, dim_mks(ds, 1, 1, -2),
                    MAY_TIME | MAY_MOTION, false, &checked->force);
    if (asks(work, K_TORQUE))
        body_vector(ck, &env, work->k[K_TORQUE], spins, dim_mks(ds, 2, 1, -2),
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
