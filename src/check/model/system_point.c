/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a system, and contacts that they have with surfaces:
 *
 *   point tip = (X + l*cos(theta), Y - l*sin(theta))
 *   contact touch : tip | half_plane { friction = 0.3 }
 *
 * A surface is a shape, which stands still with its origin at the origin of the
 * plane, or a fixed body, which may move as it prescribes. With the point at r
 * in the axes of the shape G the gap is G(r)/|grad G(r)|. This is the distance
 * in lowest order, and where the gap is 0 its rate is the normal velocity and
 * its gradient has the length of the normal row, so that forces are forces. The
 * slip is the velocity of the point against the material of the surface, along
 * the outward normal turned by -90 degrees. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/model/system_priv.h"

/* -- points ---------------------------------------------------------------- */

void
system_name_declare(struct check *ck, struct system_work *work,
                    const struct tm_system *system, const struct ast_item *it)
{
    assert(ck && work && system && it);
    struct named_value point = {
        .item = it, .count = 1, .family = it->index.text != NULL};
    const struct ast_item *first = NULL;
    for (size_t i = 0; i < work->named.n; i++)
        if (!strcmp(work->named.v[i].item->name.text, it->name.text))
            first = work->named.v[i].item;
    for (size_t i = 0; i < work->members.n; i++)
        if (!strcmp(work->members.v[i].item->name.text, it->name.text))
            first = work->members.v[i].item;
    if (first) {
        struct diag *diag =
            check_error(ck, DIAG_E0103, it->name.range,
                        "`%s` is declared twice", it->name.text);
        CHECK_NOTE(ck, diag, first->name.range, "first declared here, as a %s",
                   first->kind == AST_POINT ? "point"
                   : first->kind == AST_LET ? "value"
                                            : "contact");
        work->broken = true;
    } else if (!system_names(ck, work, system, it) ||
               (point.family && !family_range(ck, work->args, it, &point.lo,
                                              &point.count, &point.open))) {
        work->broken = true;
    } else {
        APUSH(ck, &work->named, point);
    }
}

/* The place of a point, which is not NUM after an error. */
static struct value
place_of(struct check *ck, const struct env *env,
         const struct tm_system *system, const struct ast_expr *node)
{
    struct value value = check_expr(ck, env, node);
    if (value.kind == VALUE_POISON)
        return value;
    if (value.kind == VALUE_NUM && value.dims) {
        struct diag *diag =
            check_error(ck, DIAG_E0385, node->range,
                        "the entries of a place are lengths, both");
        CHECK_HELP(ck, diag, "as in point tip = (X + l*cos(theta), Y)");
        return value_poison(node->range);
    }
    if (!value_need_vector(ck, &value, node, 2, dim_mks(ck->dims, 1, 0, 0),
                           "the place of a point"))
        return value_poison(node->range);
    for (int i = 0; i < 2; i++)
        if (!system_formula_ok(ck, system, value.e[i], false, node,
                               "the place of a point"))
            return value_poison(node->range);
    return value;
}

void
system_named_values(struct check *ck, struct system_work *work,
                    const struct tm_system *system)
{
    assert(ck && work && system);
    struct env *all = &work->env;
    for (size_t p = 0; p < work->named.n; p++)
        if (!work->named.v[p].family)
            all->names[all->n + all->n_later++] =
                work->named.v[p].item->name.text;
    for (size_t p = 0; p < work->named.n; p++) {
        struct named_value *point = &work->named.v[p];
        const struct ast_item *it = point->item;
        const char *name[1] = {it->index.text};
        struct value index;
        struct env inner = {.up = &work->env,
                            .module = work->env.module,
                            .names = name,
                            .vals = &index,
                            .n = point->family ? 1 : 0,
                            .system = true};
        point->value = NEW_N(ck->arena, struct value, point->count);
        for (uint32_t i = 0; i < point->count; i++) {
            index = value_num(ck, ex_num(ck->g, point->lo + (int)i),
                              dim_pure(ck->dims), it->name.range);
            index.bare = true;
            if (point->open)
                index = value_any(ck, dim_pure(ck->dims), it->name.range);
            if (it->kind == AST_PARAM) /* reported where it was declared */
                point->value[i] = value_poison(it->name.range);
            else
                point->value[i] = it->kind == AST_POINT
                                      ? place_of(ck, &inner, system, it->value)
                                      : check_expr(ck, &inner, it->value);
        }
        if (point->family)
            continue;
        all->vals[all->n++] = point->value[0];
        all->n_later--;
    }
}

/* The point that this head of a contact names, or NULL. */
static const struct named_value *
point_named(const struct system_work *work, const struct ast_expr *head)
{
    const struct ast_expr *name = head->kind == AST_INDEX ? head->a : head;
    for (size_t i = 0; name->kind == AST_NAME && i < work->named.n; i++)
        if (work->named.v[i].item->kind == AST_POINT &&
            !strcmp(work->named.v[i].item->name.text, name->name.text))
            return &work->named.v[i];
    return NULL;
}

/* The place of the point, or of the member of a family, that a head names. */
static struct value
point_place(struct check *ck, const struct env *env,
            const struct named_value *point, const struct ast_expr *head)
{
    const char *name = point->item->name.text;
    bool indexed = head->kind == AST_INDEX;
    if (point->family != indexed || (indexed && head->n_list != 1)) {
        struct diag *diag = check_error(
            ck, DIAG_E0385, head->range,
            indexed ? "`%s` is one point" : "`%s` is a family of points", name);
        CHECK_NOTE(ck, diag, point->item->name.range, "declared here");
        CHECK_HELP(ck, diag,
                   indexed ? "write it without an index"
                           : "name one of them, as in contact foot[i in 0 .. "
                             "3] : %s[i] | half_plane",
                   name);
        return value_poison(head->range);
    }
    if (!indexed)
        return point->value[0];
    double number;
    struct value index = check_expr(ck, env, head->list[0]);
    if (!value_need_scalar(ck, &index, head->list[0], dim_pure(ck->dims),
                           "an index"))
        return value_poison(head->range);
    if (point->open || index.kind == VALUE_ANY)
        return point->value[0];
    if (check_fixed(ck, index.e[0], &number) && number >= point->lo &&
        number < point->lo + (double)point->count &&
        number == (double)(int)number)
        return point->value[(int)number - point->lo];
    struct diag *diag = check_error(ck, DIAG_E0212, head->range,
                                    "there is no such member of `%s`", name);
    CHECK_HELP(ck, diag, "its index runs over %d .. %d", point->lo,
               point->lo + (int)point->count - 1);
    return value_poison(head->range);
}

/* -- surfaces -------------------------------------------------------------- */

/* What a point touches: a level set in axes at `at` that are turned by `angle`
 * and have their origin where the shape has its `centre`. */
struct surface {
    const expr *level_set;
    bool distance; /* the level set is the distance where it is not negative */
    const expr *at[2], *angle, *centre[2];
    /* of a shape: corners of a polygon that follow from params */
    const expr *const *corner;
    uint32_t n_corner;
};

/* E0901, or E0385: what cannot be a surface of a system's contact. */
static bool
touches_nothing(struct check *ck, const struct ast_expr *head, const char *why)
{
    struct diag *diag =
        check_error(ck, DIAG_E0385, head->range,
                    "a point of a system cannot touch this: %s", why);
    CHECK_HELP(ck, diag,
               "a surface is a plane shape, such as half_plane or circle(2), "
               "or a body of such a shape with `fixed = true`");
    return false;
}

/* -- polygons -------------------------------------------------------------- */

/* a x + b y, where (x, y) are local coordinates or those of a corner */
static const expr *
along(struct graph *graph, const expr *const direction[2], const expr *x,
      const expr *y)
{
    return ex_add(graph, ex_mul(graph, direction[0], x),
                  ex_mul(graph, direction[1], y));
}

/* The outward unit normal of the side from one corner to the next one of a
 * polygon that is passed counter-clockwise. */
static void
side_normal(struct graph *graph, const expr *const *from, const expr *const *to,
            const expr *out[2])
{
    const expr *x = ex_sub(graph, to[0], from[0]),
               *y = ex_sub(graph, to[1], from[1]);
    const expr *length = ex_op(
        graph, IMP_OP_SQRT,
        ex_add(graph, ex_mul(graph, x, x), ex_mul(graph, y, y)), NULL, NULL);
    out[0] = ex_div(graph, y, length);
    out[1] = ex_neg(graph, ex_div(graph, x, length));
}

static const expr *
larger(struct graph *graph, const expr *left, const expr *right)
{
    return left ? ex_op(graph, IMP_OP_MAX, left, right, NULL) : right;
}

/* The largest distance from the lines through the sides, which is negative
 * inside. `order` names the corners counter-clockwise. */
static const expr *
sides_level(struct graph *graph, const expr *const *corner, uint32_t count,
            const uint32_t *order)
{
    const expr *level = NULL, *x = ex_sym(graph, SYM_LOCAL, 0, 0),
               *y = ex_sym(graph, SYM_LOCAL, 1, 0), *normal[2];
    for (uint32_t i = 0; i < count; i++) {
        const expr *const *from = corner + 2 * (size_t)order[i];
        const expr *const *to = corner + 2 * (size_t)order[(i + 1) % count];
        side_normal(graph, from, to, normal);
        level = larger(graph, level,
                       along(graph, normal, ex_sub(graph, x, from[0]),
                             ex_sub(graph, y, from[1])));
    }
    return level;
}

/* The same where the order of the corners depends on params: the largest
 * distance from the two lines along each pair of corners that have all corners
 * between them. Those that are no sides touch the polygon at a corner alone,
 * where sides are as far. */
static const expr *
pairs_level(struct graph *graph, const expr *const *corner, uint32_t count)
{
    const expr *level = NULL, *x = ex_sym(graph, SYM_LOCAL, 0, 0),
               *y = ex_sym(graph, SYM_LOCAL, 1, 0), *normal[2];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++) {
            side_normal(graph, corner + 2 * (size_t)j, corner + 2 * (size_t)i,
                        normal);
            const expr *place = along(graph, normal, x, y), *most = NULL,
                       *least = NULL;
            for (uint32_t k = 0; k < count; k++) {
                const expr *at = along(graph, normal, corner[2 * (size_t)k],
                                       corner[2 * (size_t)k + 1]);
                most = larger(graph, most, at);
                least = least ? ex_op(graph, IMP_OP_MIN, least, at, NULL) : at;
            }
            level = larger(graph, level, ex_sub(graph, place, most));
            level = larger(graph, level, ex_sub(graph, least, place));
        }
    return level;
}

/* Twice the area of the triangle of three corners, positive if they turn to the
 * left. */
static double
turning(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Puts corners into the order in which they are passed counter-clockwise about
 * their middle. The first one that is no corner of their convex hull; `count`
 * if there is none. */
static uint32_t
corners_sort(struct check *ck, const double *corner, uint32_t count,
             uint32_t *order)
{
    double middle[2] = {0, 0}, *angle = NEW_N(ck->arena, double, count);
    for (size_t i = 0; i < 2 * (size_t)count; i++)
        middle[i % 2] += corner[i] / count;
    for (uint32_t i = 0; i < count; i++) {
        angle[i] = atan2(corner[2 * (size_t)i + 1] - middle[1],
                         corner[2 * (size_t)i] - middle[0]);
        uint32_t at = i;
        for (; at > 0 && angle[order[at - 1]] > angle[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!(turning(corner + 2 * (size_t)order[(i + count - 1) % count],
                      corner + 2 * (size_t)order[i],
                      corner + 2 * (size_t)order[(i + 1) % count]) > 0))
            return order[i];
    return count;
}

/* The level set of the convex polygon with these corners, whose gradient has
 * the length 1. `head` NULL: the corners are those of a body. Where they are no
 * numbers yet (*later, which may be NULL), set-up tells which one is none. */
static const expr *
corners_level(struct check *ck, const struct ast_expr *head,
              const expr *const *corner, uint32_t count, bool *later)
{
    double *number = NEW_N(ck->arena, double, 2 * (size_t)count);
    uint32_t *order = NEW_N(ck->arena, uint32_t, count);
    bool open = false, known = true;
    for (size_t i = 0; i < 2 * (size_t)count; i++) {
        open |= !corner[i]; /* a formal of a pattern that nothing calls */
        known = !open && known && ex_is_const(corner[i]);
        number[i] = known ? corner[i]->num : 0;
    }
    if (open || count < 3)
        return ex_sym(ck->g, SYM_LOCAL, 1, 0);
    if (!known) {
        if (later)
            *later = true;
        return pairs_level(ck->g, corner, count);
    }
    uint32_t wrong = corners_sort(ck, number, count, order);
    if (wrong == count)
        return sides_level(ck->g, corner, count, order);
    if (!head)
        return pairs_level(ck->g, corner, count);
    struct diag *diag = check_error(
        ck, DIAG_E0551, head->range,
        "point %u is no corner: it lies in the convex hull of the others",
        wrong + 1);
    CHECK_HELP(ck, diag,
               "leave it out; what is not convex is made of several surfaces, "
               "each with a contact");
    return NULL;
}

static bool
body_surface(struct check *ck, const struct ast_expr *head,
             const struct tm_body *body, struct surface *out)
{
    const expr *zero = ex_num(ck->g, 0);
    if (ck->ds->errors && !body->shape.level_set && !body->shape.n_point)
        return false; /* what is wrong with the body has been reported */
    if (ck->m->dim != 2 || body->shape.uses_z)
        return touches_nothing(ck, head, "its bodies lie in space");
    if (!body->fixed)
        return touches_nothing(ck, head, "this body moves by itself");
    if (!body->shape.level_set && !body->shape.n_point)
        return touches_nothing(ck, head, "this body has no shape");
    *out = (struct surface){.level_set = body->shape.level_set,
                            .distance = body->shape.n_point > 0,
                            .angle = zero};
    if (out->distance)
        out->level_set = corners_level(ck, NULL, body->shape.poly,
                                       body->shape.n_point, NULL);
    if (body->start.orient.n)
        out->angle = body->start.orient.e[0];
    bool linear = true;
    for (uint32_t i = 0; i < 2; i++)
        linear &= !ex_depends(
            ck->g,
            ex_diff(ck->g, out->level_set, ex_sym(ck->g, SYM_LOCAL, i, 0)),
            SYM_LOCAL, UINT32_MAX, UINT32_MAX);
    /* The position of a body is that of its mass centre. The one of what is
     * bounded follows from an integral, which is taken at set-up; what is not
     * bounded has none. */
    const struct tm_vec *centre =
        body->stated.centre.n ? &body->stated.centre : &body->shape.centre;
    uint32_t number = (uint32_t)(body - ck->lists.bodies.v);
    for (uint32_t i = 0; i < 2; i++) {
        out->at[i] = body->start.position.n ? body->start.position.e[i] : zero;
        out->centre[i] = centre->n ? centre->e[i]
                         : linear  ? zero
                                   : ex_sym(ck->g, SYM_BODY, number,
                                            BODYQ_CENTRE * BODYQ_STRIDE + i);
    }
    return true;
}

static bool
surface_named(struct check *ck, const struct env *env,
              const struct ast_expr *head, struct surface *out)
{
    for (size_t i = 0; head->kind == AST_NAME && i < ck->lists.bodies.n; i++)
        if (!strcmp(ck->lists.bodies.v[i].name, head->name.text))
            return body_surface(ck, head, &ck->lists.bodies.v[i], out);
    struct shape_use use;
    if (!shape_open(ck, env, head, &use))
        return false;
    const expr *zero = ex_num(ck->g, 0);
    if (use.uses_z)
        return touches_nothing(ck, head, "this shape lies in space");
    *out = (struct surface){.level_set = use.g,
                            .distance = use.n_point > 0,
                            .at = {zero, zero},
                            .angle = zero,
                            .centre = {zero, zero}};
    bool later = false;
    if (out->distance)
        out->level_set =
            corners_level(ck, head, use.points, use.n_point, &later);
    if (later) {
        out->corner = use.points;
        out->n_corner = use.n_point;
    }
    if (out->distance)
        return out->level_set != NULL;
    if (!use.g) /* a formal of a pattern is not known */
        out->level_set = ex_sym(ck->g, SYM_LOCAL, 1, 0);
    return out->level_set != NULL;
}

/* -- gap and slip ---------------------------------------------------------- */

struct local_place {
    const expr *r[2];
};
static const expr *
local_leaf(void *ctx, const expr *leaf)
{
    const struct local_place *place = ctx;
    return leaf->sym == SYM_LOCAL && leaf->i < 2 ? place->r[leaf->i] : NULL;
}

/* The rate of a formula of the system's coordinates and t. */
static const expr *
rate_of(struct check *ck, const struct tm_system *system, const expr *place)
{
    struct graph *g = ck->g;
    const expr *rate = ex_diff(g, place, ex_sym(g, SYM_TIME, 0, 0));
    for (uint32_t i = system->first; i < system->first + system->n; i++)
        rate = ex_add(g, rate,
                      ex_mul(g, ex_diff(g, place, ex_sym(g, SYM_COORD, i, 0)),
                             ex_sym(g, SYM_COORD, i, 1)));
    return rate;
}

/* (x, y) turned by the angle with this cosine and sine. */
static void
turn(struct graph *g, const expr *cosine, const expr *sine, const expr *x,
     const expr *y, const expr *out[2])
{
    out[0] = ex_sub(g, ex_mul(g, cosine, x), ex_mul(g, sine, y));
    out[1] = ex_add(g, ex_mul(g, sine, x), ex_mul(g, cosine, y));
}

static void
gap_and_slip(struct check *ck, const struct tm_system *system,
             const struct surface *surface, const expr *const place[2],
             const expr *out[2])
{
    struct graph *graph = ck->g;
    const expr *cosine = ex_op(graph, IMP_OP_COS, surface->angle, NULL, NULL);
    const expr *sine = ex_op(graph, IMP_OP_SIN, surface->angle, NULL, NULL);
    const expr *arm[2], *slope[2], *normal[2], *against[2];
    struct local_place local;
    for (int i = 0; i < 2; i++)
        arm[i] = ex_sub(graph, place[i], surface->at[i]);
    turn(graph, cosine, ex_neg(graph, sine), arm[0], arm[1], local.r);
    for (int i = 0; i < 2; i++)
        local.r[i] = ex_add(graph, local.r[i], surface->centre[i]);
    for (uint32_t i = 0; i < 2; i++)
        slope[i] = ex_subst(
            graph,
            ex_diff(graph, surface->level_set, ex_sym(graph, SYM_LOCAL, i, 0)),
            local_leaf, &local);
    const expr *length = ex_op(graph, IMP_OP_SQRT,
                               ex_add(graph, ex_mul(graph, slope[0], slope[0]),
                                      ex_mul(graph, slope[1], slope[1])),
                               NULL, NULL);
    if (surface->distance)
        length = ex_num(graph, 1.0);
    out[0] = ex_div(
        graph, ex_subst(graph, surface->level_set, local_leaf, &local), length);
    turn(graph, cosine, sine, ex_div(graph, slope[0], length),
         ex_div(graph, slope[1], length), normal);
    const expr *spin = rate_of(ck, system, surface->angle);
    const expr *carried[2] = {ex_neg(graph, ex_mul(graph, spin, arm[1])),
                              ex_mul(graph, spin, arm[0])};
    for (int i = 0; i < 2; i++)
        against[i] = ex_sub(graph, rate_of(ck, system, arm[i]), carried[i]);
    out[1] = ex_sub(graph, ex_mul(graph, normal[1], against[0]),
                    ex_mul(graph, normal[0], against[1]));
}

/* Which head names the point? Reports that none does, or both. */
static const struct ast_expr *
point_head(struct check *ck, const struct system_work *work,
           const struct ast_item *it)
{
    bool first = point_named(work, it->head1) != NULL;
    bool second = point_named(work, it->head2) != NULL;
    if (first != second)
        return first ? it->head1 : it->head2;
    imp_range range = it->head1->range;
    range.hi = it->head2->range.hi;
    const char **names = NEW_N(ck->arena, const char *, work->named.n + 1);
    size_t count = 0;
    for (size_t i = 0; i < work->named.n; i++)
        if (work->named.v[i].item->kind == AST_POINT)
            names[count++] = work->named.v[i].item->name.text;
    struct diag *diag =
        first ? check_error(ck, DIAG_E0385, range,
                            "two points of a system touch nothing")
              : check_error(ck, DIAG_E0385, range,
                            "a contact of a system is between one of its "
                            "points and a surface");
    if (first || it->head1->kind != AST_NAME ||
        !check_suggest(ck, diag, it->head1->range, it->head1->name.text, names,
                       count))
        CHECK_HELP(ck, diag,
                   "point tip = (X, Y)  contact %s : tip | half_plane, or "
                   "state the gap: contact %s { gap = ... }",
                   it->name.text, it->name.text);
    return NULL;
}

bool
system_surface(struct check *ck, struct system_work *work,
               const struct env *env, const struct tm_system *system,
               const struct ast_item *it, const struct ast_item *stated,
               struct tm_contact *contact)
{
    assert(ck && work && env && system && it->head1 && contact);
    const struct ast_expr *head = point_head(ck, work, it);
    if (!head)
        return false;
    if (stated) {
        struct diag *diag = check_error(
            ck, DIAG_E0385, stated->name.range,
            "gap and slip of this contact follow from its point and surface");
        CHECK_NOTE(ck, diag, head->range, "the point");
        CHECK_HELP(ck, diag, "leave `%s` out", stated->name.text);
        return false;
    }
    struct surface surface;
    const struct ast_expr *other = head == it->head1 ? it->head2 : it->head1;
    struct value place = point_place(ck, env, point_named(work, head), head);
    if (!surface_named(ck, env, other, &surface) || place.kind == VALUE_POISON)
        return false;
    imp_range range = it->head1->range;
    range.hi = it->head2->range.hi;
    const expr *gap_slip[2];
    graph_origin(ck->g, range);
    gap_and_slip(ck, system, &surface, place.e, gap_slip);
    bool gap_moves = false, slips = false;
    for (uint32_t i = system->first; i < system->first + system->n; i++) {
        gap_moves |= ex_depends(ck->g, gap_slip[0], SYM_COORD, i, 0);
        slips |= ex_depends(ck->g, gap_slip[1], SYM_COORD, i, 1);
    }
    if (!gap_moves && !work->open) {
        struct diag *diag = check_error(
            ck, DIAG_E0367, head->range,
            "the gap of this point does not depend on the coordinates");
        CHECK_HELP(ck, diag, "an impulse could not change it");
        return false;
    }
    contact->gap = (struct tm_num){gap_slip[0], range};
    contact->gap_dim = dim_mks(ck->dims, 1, 0, 0);
    if (slips || work->open)
        contact->slip = (struct tm_num){gap_slip[1], range};
    contact->corner = surface.corner;
    contact->n_corner = surface.n_corner;
    contact->range_corner = other->range;
    contact->slip_dim = dim_mks(ck->dims, 1, 0, -1);
    return true;
}
