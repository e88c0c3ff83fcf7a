/* SPDX-License-Identifier: MIT */
/* Plane polygons under their weight, order by order (persistent_group.h).
 *
 * When forces of order `term` are asked for, places are known up to order
 * term + 1. Without these forces they are foreseen up to term + 2, which gives
 * the gap of that order; all that depends on places follows one order behind.
 * With the forces the last places are made again. Letters: c, R the pose of
 * body 1 in the axes of body 0; n the outward normal of a face. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/tape/functions.h"

#define COEFFICIENTS (IMP_ORDER_MAX + 1)

/* a body that moves: x, y, angle, their rates; then cosine and sine */
struct plane_body {
    uint32_t body;
    double *state[6], *cosine, *sine; /* coefficient 0 in run->rows.block */
    double *push[3];                  /* what forces do */
    double mobility[3];
    bool sum[3];                /* the rate is a sum of a constant and that */
    double free[3];             /* the rates without forces */
    double times[COEFFICIENTS]; /* k times coefficient k of the angle */
    double part[2]; /* sums for the next cosine and sine but their last term */
};
/* the pose that points of one contact share */
struct plane_pose {
    uint32_t contact;
    bool still; /* body 0 does not move: the pose is that of body 1, turned */
    double x, y, cosine, sine; /* of body 0 then */
    struct taylor centre[3], turn[9];
};
struct plane_point {
    struct persistent_row *row;
    struct plane_pose *pose;
    struct plane_body *of[2];      /* the bodies of the contact, if they move */
    const double *vertex, *normal; /* of the other body; of the face */
    bool still;           /* the face is one of a body 0 that does not move, */
    double world[2];      /* and this is its normal then, in world axes */
    struct taylor own[2]; /* the normal in the axes of the vertex's body */
    /* rows of the rotations into the axes of the face's body, and back */
    const double *face_axes[2][2], *vertex_axes[2][2];
};
/* an unknown force, and how a unit of it accelerates the bodies that it moves
 */
struct plane_force {
    const struct persistent_unknown *unknown;
    struct plane_body *on[2];
    double by[2][3][COEFFICIENTS];
    bool straight; /* its line does not turn */
};
struct persistent_plane {
    int n_body, n_pose, n_point, n_force;
    struct plane_body *body;
    struct plane_pose *pose;
    struct plane_point *point;
    struct plane_force *force;
    int body_room, point_room;
};

/* -- which groups ---------------------------------------------------------- */

/* Is the group one of single bodies whose rates are constants plus what forces
 * do, and of corners? */
static bool
is_plane(const struct rt *run, const struct persistent_group *group)
{
    bool is = group->n_on > 0 && run->im->dim == 2 && run->motion->weight &&
              !run->joints && !group->yields && !group->varies && !group->rubs;
    for (int i = 0; i < group->n && is; i++)
        is = group->row[i].spot.kind == POINT_VERTEX;
    for (uint32_t i = 0; i < group->moved.n_block && is; i++)
        is = persistent_simple(run, group->moved.block[i], NULL);
    return is;
}

/* -- places ---------------------------------------------------------------- */

/* Makes the sums for order k of cosine and sine, but their last terms (the rule
 * of chains, docs/tape.md). */
static void
turn_sums(struct plane_body *body, int k)
{
    double first = 0.0, second = 0.0;
    for (int j = 1; j < k; j++) {
        first += body->times[j] * -body->sine[k - j];
        second += body->times[j] * body->cosine[k - j];
    }
    body->part[0] = first;
    body->part[1] = second;
}

/* Makes rates of order term + 1, and places of order term + 2, from the
 * accelerations of order `term`. Returns a number that is finite if they are.
 */
static double
move(struct plane_body *body, int term)
{
    int k = term + 2;
    double finite = 0.0;
    for (int i = 0; i < 3; i++) {
        double *place = body->state[i], *rate = body->state[3 + i],
               acceleration = body->push[i][term];
        if (body->sum[i] || term == 0)
            acceleration = (term == 0 ? body->free[i] : 0.0) + acceleration;
        rate[term + 1] = acceleration * (1.0 / (double)(term + 1));
        place[k] = rate[term + 1] * (1.0 / (double)k);
        finite += 0.0 * place[k];
    }
    body->times[k] = (double)k * body->state[2][k];
    body->cosine[k] =
        (body->part[0] + body->times[k] * -body->sine[0]) / (double)k;
    body->sine[k] =
        (body->part[1] + body->times[k] * body->cosine[0]) / (double)k;
    return finite + 0.0 * (body->cosine[k] + body->sine[k]);
}

/* The pose of a contact whose body 0 is still, at order k: as the tape
 * imp_contact.relative has it. */
static void
pose_still(struct plane_pose *pose, const struct plane_body *body, int k)
{
    double x = body->state[0][k] - (k == 0 ? pose->x : 0.0),
           y = body->state[1][k] - (k == 0 ? pose->y : 0.0),
           c = body->cosine[k], s = body->sine[k], C = pose->cosine,
           S = pose->sine;
    pose->centre[0].c[k] = C * x + S * y;
    pose->centre[1].c[k] = C * y - S * x;
    pose->turn[0].c[k] = pose->turn[4].c[k] = S * s + C * c;
    pose->turn[1].c[k] = S * c - C * s;
    pose->turn[3].c[k] = C * s - S * c;
}

/* Makes the pose of orders from .. to. */
static bool
pose_from(struct rt *run, struct plane_pose *pose,
          const struct plane_point *point, int from, int to)
{
    if (!pose->still)
        return polytope_relative_pose_once(run, pose->contact, from, to,
                                           pose->centre, pose->turn) == IMP_OK;
    for (int k = from; k <= to; k++)
        pose_still(pose, point->of[1], k);
    return true;
}

/* -- points ---------------------------------------------------------------- */

/* Order k of one number of R x or R^T x for a constant x; R by the row of it.
 */
static inline double
turned(const double *const row[2], const double *x, int k)
{
    return row[0][k] * x[0] + row[1][k] * x[1] + 0.0;
}

/* Where the vertex is in the axes of the face's body, and its gap, at order k.
 */
static void
gap_at(struct plane_point *point, int k)
{
    const struct plane_pose *pose = point->pose;
    struct persistent_row *row = point->row;
    bool back = row->spot.face_of != 0;
    for (int i = 0; i < 2; i++) {
        double at = turned(point->face_axes[i], point->vertex, k);
        row->place[i].c[k] =
            back ? at - taylor_products_at(pose->turn[i].c, pose->centre[0].c,
                                           pose->turn[3 + i].c,
                                           pose->centre[1].c, k)
                 : at + pose->centre[i].c[k];
    }
    row->gap.c[k] = row->place[0].c[k] * point->normal[0] +
                    row->place[1].c[k] * point->normal[1] + 0.0;
}

/* How fast the bodies open the gap, at order k. */
static void
open_at(struct plane_point *point, int k)
{
    struct persistent_row *row = point->row;
    int of = row->spot.face_of;
    const struct plane_body *face = point->of[of], *other = point->of[1 - of];
    const double *n = point->normal, *v = point->vertex;
    double world[2];
    for (int i = 0; i < 2; i++)
        point->own[i].c[k] = turned(point->vertex_axes[i], n, k);
    if (face) {
        double c = face->cosine[k], s = face->sine[k];
        world[0] = c * n[0] + -1.0 * s * n[1] + 0.0;
        world[1] = s * n[0] + c * n[1] + 0.0;
    } else {
        taylor_turned_at(other->cosine, other->sine, point->own[0].c,
                         point->own[1].c, k, world);
    }
    for (int e = 0; e < 2; e++) {
        double sign = e == of ? -1.0 : 1.0;
        for (int i = 0; i < 2; i++)
            row->open[e][i].c[k] = point->of[e] ? sign * world[i] : 0.0;
        row->open[e][5].c[k] = 0.0;
    }
    if (other)
        row->open[1 - of][5].c[k] =
            -1.0 * (point->own[0].c[k] * v[1] - point->own[1].c[k] * v[0]);
    if (face)
        row->open[of][5].c[k] =
            -1.0 * (row->place[0].c[k] * n[1] - row->place[1].c[k] * n[0]);
}

/* Makes the spin at order k, from a column of the rotation and its rate, and
 * returns coefficient k of its product with the arm of the slip. Of that
 * product only the last term needs this spin: three sums at once. */
static double
turn_reach(struct persistent_friction *friction, const double *cosine,
           const double *sine, int k)
{
    const double *rate[2] = {friction->turning[0].c, friction->turning[1].c},
                 *spin = friction->spin.c, *reach = friction->reach[1].c;
    double first = 0.0, second = 0.0, sum = 0.0;
    for (int j = 0; j < k; j++) {
        first += cosine[j] * rate[1][k - j];
        second += sine[j] * rate[0][k - j];
        sum += spin[j] * reach[k - j];
    }
    first += cosine[k] * rate[1][0];
    second += sine[k] * rate[0][0];
    friction->spin.c[k] = first - second;
    return sum + friction->spin.c[k] * reach[0];
}

/* The slip at order k on a face that does not move: how fast the vertex goes
 * along it, from its places as slip_at has them. */
static void
slip_still(struct plane_point *point, int k, bool last)
{
    struct persistent_friction *friction = point->row->friction;
    const struct taylor *place = point->row->place;
    const double *n = point->normal;
    friction->slip.c[k] = 0.0;
    if (last)
        return;
    friction->slip.c[k] =
        (k + 1.0) * (place[0].c[k + 1] * n[1] - place[1].c[k + 1] * n[0]);
    friction->shift.c[k + 1] = friction->slip.c[k] / (k + 1.0);
}

/* The slip at order k, from places of order k + 1; `last`: these are not known,
 * and count as 0. */
static void
slip_at(struct plane_point *point, int k, bool last)
{
    if (point->still) {
        slip_still(point, k, last);
        return;
    }
    const struct plane_pose *pose = point->pose;
    struct persistent_friction *friction = point->row->friction;
    const struct taylor *turn[2] = {&pose->turn[0], &pose->turn[3]};
    struct taylor *velocity = friction->velocity, *turning = friction->turning;
    double slip;
    for (int i = 0; i < 2; i++) {
        velocity[i].c[k] = last ? 0.0 : (k + 1.0) * pose->centre[i].c[k + 1];
        turning[i].c[k] = last ? 0.0 : (k + 1.0) * turn[i]->c[k + 1];
    }
    if (point->row->spot.face_of == 0)
        slip = (0.0 + velocity[0].c[k] * point->normal[1]) -
               (0.0 + velocity[1].c[k] * point->normal[0]);
    else
        slip =
            taylor_crossed_at(velocity[0].c, velocity[1].c,
                              friction->normal[0].c, friction->normal[1].c, k);
    friction->slip.c[k] =
        slip - turn_reach(friction, turn[0]->c, turn[1]->c, k);
    if (!last)
        friction->shift.c[k + 1] = friction->slip.c[k] / (k + 1.0);
}

/* The point and the normal in the axes of body 0, and the arms of the force, at
 * order k. */
static void
reach_at(struct plane_point *point, int k)
{
    const struct plane_pose *pose = point->pose;
    struct persistent_row *row = point->row;
    struct persistent_friction *friction = row->friction;
    const double *n = point->normal;
    double at[2], arm[2];
    for (int i = 0; i < 2 && row->spot.face_of == 0; i++)
        at[i] = row->place[i].c[k];
    for (int i = 0; i < 2 && row->spot.face_of != 0; i++) {
        at[i] =
            taylor_products_at(pose->turn[3 * i].c, row->place[0].c,
                               pose->turn[3 * i + 1].c, row->place[1].c, k) +
            pose->centre[i].c[k];
        friction->point[i].c[k] = at[i];
        friction->normal[i].c[k] = -1.0 * turned(point->vertex_axes[i], n, k);
    }
    for (int i = 0; i < 2; i++)
        friction->arm[i].c[k] = arm[i] = at[i] - pose->centre[i].c[k];
    if (row->spot.face_of == 0) {
        friction->reach[0].c[k] = (0.0 + at[0] * n[0]) + (0.0 + at[1] * n[1]);
        friction->reach[1].c[k] = (0.0 + arm[0] * n[0]) + (0.0 + arm[1] * n[1]);
        return;
    }
    const struct taylor *normal = friction->normal;
    friction->reach[0].c[k] =
        taylor_product_at(friction->point[0].c, normal[0].c, k) +
        taylor_product_at(friction->point[1].c, normal[1].c, k);
    friction->reach[1].c[k] =
        taylor_product_at(friction->arm[0].c, normal[0].c, k) +
        taylor_product_at(friction->arm[1].c, normal[1].c, k);
}

/* How fast the bodies make the slip, and what a unit of normal force does
 * together with its friction, at order k. */
static void
friction_at(struct plane_point *point, int k)
{
    struct persistent_row *row = point->row;
    struct persistent_friction *friction = row->friction;
    double share = persistent_friction_share(friction);
    reach_at(point, k);
    for (int e = 0; e < 2; e++) {
        struct taylor *open = friction->open[e], *push = friction->push[e];
        bool moves = point->of[e] != NULL;
        open[0].c[k] = moves ? 1.0 * row->open[e][1].c[k] : 0.0;
        open[1].c[k] = moves ? -1.0 * row->open[e][0].c[k] : 0.0;
        open[5].c[k] =
            moves ? (e == 0 ? 1.0 : -1.0) * friction->reach[e].c[k] : 0.0;
        for (int i = 0; i < 6; i += i == 1 ? 4 : 1)
            push[i].c[k] = share * open[i].c[k] + row->open[e][i].c[k];
    }
}

/* All that friction_at and open_at make, of a vertex on a face that does not
 * move: the normal and the tangent are constant. */
static void
along_still(struct plane_point *point, int k)
{
    struct persistent_row *row = point->row;
    const double *n = point->normal, *v = point->vertex;
    double normal[3] = {k == 0 ? point->world[0] : 0.0,
                        k == 0 ? point->world[1] : 0.0,
                        -1.0 * (turned(point->vertex_axes[0], n, k) * v[1] -
                                turned(point->vertex_axes[1], n, k) * v[0])};
    for (int i = 0; i < 3; i++) {
        row->open[0][i < 2 ? i : 5].c[k] = 0.0;
        row->open[1][i < 2 ? i : 5].c[k] = normal[i];
    }
    struct persistent_friction *friction = row->friction;
    if (!friction)
        return;
    const struct taylor *centre = point->pose->centre;
    double share = persistent_friction_share(friction),
           along[3] = {normal[1], -normal[0],
                       -((row->place[0].c[k] - centre[0].c[k]) * n[0] +
                         (row->place[1].c[k] - centre[1].c[k]) * n[1])};
    for (int i = 0; i < 3; i++) {
        int at = i < 2 ? i : 5;
        friction->open[0][at].c[k] = friction->push[0][at].c[k] = 0.0;
        friction->open[1][at].c[k] = along[i];
        friction->push[1][at].c[k] = share * along[i] + normal[i];
    }
}

/* How the forces of a point act at order k. */
static void
acts_at(struct plane_point *point, int k)
{
    if (point->still) {
        along_still(point, k);
        return;
    }
    open_at(point, k);
    if (point->row->friction)
        friction_at(point, k);
}

/* -- memory ---------------------------------------------------------------- */

static struct persistent_plane *
memory_of(struct rt *run, struct persistent_group *group)
{
    if (!group->plane_memory)
        group->plane_memory = NEW(run->own, struct persistent_plane);
    struct persistent_plane *plane = group->plane_memory;
    if ((int)group->moved.n_body > plane->body_room) {
        plane->body_room = 2 * (int)group->moved.n_body;
        plane->body =
            NEW_N(run->own, struct plane_body, (size_t)plane->body_room);
    }
    if (group->n > plane->point_room) {
        plane->point_room = 2 * group->n;
        plane->point =
            NEW_N(run->own, struct plane_point, (size_t)plane->point_room);
        plane->pose =
            NEW_N(run->own, struct plane_pose, (size_t)plane->point_room);
        plane->force =
            NEW_N(run->own, struct plane_force, 2 * (size_t)plane->point_room);
    }
    return plane;
}

static struct plane_body *
body_of(struct persistent_plane *plane, uint32_t number)
{
    for (int i = 0; i < plane->n_body; i++)
        if (plane->body[i].body == number)
            return &plane->body[i];
    return NULL;
}

static struct plane_pose *
pose_of(const struct rt *run, struct persistent_plane *plane, uint32_t contact)
{
    for (int i = 0; i < plane->n_pose; i++)
        if (plane->pose[i].contact == contact)
            return &plane->pose[i];
    struct plane_pose *pose = &plane->pose[plane->n_pose++];
    const imp_body *body = rt_body(run, rt_contact(run, contact)->body[0]);
    pose->contact = contact;
    pose->still = (body->flags & IMP_BODYF_FIXED) != 0;
    if (pose->still) {
        double angle = run->env[body->env_state + 2];
        pose->x = run->env[body->env_state];
        pose->y = run->env[body->env_state + 1];
        pose->cosine = imp_cos(angle);
        pose->sine = imp_sin(angle);
    }
    return pose;
}

/* Finds the rows of a body in run->rows.block. */
static void
enter_body(const struct rt *run, uint32_t number, struct plane_body *body)
{
    const imp_body *of = rt_body(run, number);
    const imp_block *block = persistent_block(run, of->block);
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    double *rows = run->rows.block[of->block] + IMP_ROW_PAD;
    body->body = number;
    for (int i = 0; i < 6; i++)
        body->state[i] = rows + (size_t)row[i] * IMP_ROW_STRIDE;
    body->cosine = rows + (size_t)of->pose[2] * IMP_ROW_STRIDE;
    body->sine = rows + (size_t)of->pose[3] * IMP_ROW_STRIDE;
    for (int i = 0; i < 3; i++)
        body->push[i] = run->persistent_memory->push[of->block] +
                        (size_t)i * IMP_ROW_STRIDE + IMP_ROW_PAD;
    persistent_simple(run, of->block, body->sum);
    const double *constants = run->env + of->env_body;
    body->mobility[0] = body->mobility[1] = constants[IMP_BODY_INVMASS];
    body->mobility[2] = constants[IMP_BODY_INVINERTIA];
}

/* -- forces ---------------------------------------------------------------- */

static void
accelerate(struct plane_force *force, int k)
{
    for (int e = 0; e < 2; e++)
        for (int i = force->straight && k > 0 ? 2 : 0; i < 3 && force->on[e];
             i++)
            force->by[e][i][k] = force->on[e]->mobility[i] *
                                 force->unknown->push[e][i < 2 ? i : 5].c[k];
}

/* Adds to coefficient `term` of the accelerations what the forces of lower
 * orders do there, as the directions change. */
static void
add_lower(struct persistent_plane *plane, int term)
{
    for (int n = 0; n < plane->n_force; n++) {
        const struct plane_force *force = &plane->force[n];
        const double *size = force->unknown->force->c;
        for (int e = 0; e < 2; e++) {
            const struct plane_body *body = force->on[e];
            if (!body)
                continue;
            const double *x = force->by[e][0], *y = force->by[e][1],
                         *spin = force->by[e][2];
            double to[3] = {body->push[0][term], body->push[1][term],
                            body->push[2][term]};
            for (int j = 1; j <= term; j++)
                to[2] += size[term - j] * spin[j];
            for (int j = 1; j <= term && !force->straight; j++) {
                to[0] += size[term - j] * x[j];
                to[1] += size[term - j] * y[j];
            }
            for (int i = 0; i < 3; i++)
                body->push[i][term] = to[i];
        }
    }
}

/* Adds what the forces of order `term` do there. */
static void
add_forces(struct persistent_plane *plane, int term)
{
    for (int n = 0; n < plane->n_force; n++) {
        const struct plane_force *force = &plane->force[n];
        for (int e = 0; e < 2; e++)
            for (int i = 0; i < 3 && force->on[e]; i++)
                force->on[e]->push[i][term] +=
                    force->unknown->force->c[term] * force->by[e][i][0];
    }
}

/* -- order by order ---------------------------------------------------------
 */

void
persistent_plane_begin(struct rt *run, struct persistent_group *group)
{
    assert(run != NULL && group != NULL);
    group->plane = is_plane(run, group) ? memory_of(run, group) : NULL;
    group->carried = false;
}

void
persistent_plane_note(struct rt *run, struct persistent_group *group)
{
    struct persistent_plane *plane = group->plane;
    plane->n_body = (int)group->moved.n_body;
    for (int i = 0; i < plane->n_body; i++) {
        struct plane_body *body = &plane->body[i];
        enter_body(run, group->moved.body[i], body);
        for (int j = 0; j < 3; j++)
            body->free[j] = body->state[3 + j][1];
    }
}

static bool
is_straight(const struct persistent_plane *plane,
            const struct persistent_unknown *unknown)
{
    for (int i = 0; i < plane->n_point; i++)
        if (plane->point[i].row == unknown->row)
            return plane->point[i].still;
    return false;
}

/* The forces, as they act up to order `term`. */
static void
take_forces(struct rt *run, struct persistent_group *group, int term)
{
    struct persistent_plane *plane = group->plane;
    plane->n_force = group->n_unknown;
    for (int i = 0; i < plane->n_force; i++) {
        struct plane_force *force = &plane->force[i];
        force->unknown = &group->unknown[i];
        const imp_contact *contact =
            rt_contact(run, force->unknown->row->spot.contact);
        force->straight = is_straight(plane, force->unknown);
        for (int e = 0; e < 2; e++)
            force->on[e] = body_of(plane, contact->body[e]);
        for (int k = 0; k <= term; k++)
            accelerate(force, k);
    }
}

/* Makes the pose of a contact up to `order`. False: a number is not finite. */
static bool
make_pose(struct rt *run, struct plane_pose *pose,
          const struct plane_point *point, int order)
{
    double finite = 0.0;
    if (!pose->still)
        return polytope_relative_pose(run, pose->contact, order, pose->centre,
                                      pose->turn, NULL) == IMP_OK;
    pose_from(run, pose, point, 0, order);
    for (int k = 0; k <= order; k++)
        finite += 0.0 * pose->centre[0].c[k] + 0.0 * pose->centre[1].c[k] +
                  0.0 * pose->turn[0].c[k] + 0.0 * pose->turn[1].c[k];
    return isfinite(finite);
}

/* Finds the poses of n points, and makes them up to `order`. */
static bool
take_points(struct rt *run, struct persistent_group *group, int n, int order)
{
    struct persistent_plane *plane = group->plane;
    plane->n_pose = 0;
    plane->n_point = n;
    for (int i = 0; i < n; i++) {
        struct plane_point *point = &plane->point[i];
        const struct contact_point *at = &group->row[i].spot;
        const imp_contact *contact = rt_contact(run, at->contact);
        int n_pose = plane->n_pose;
        point->row = &group->row[i];
        point->pose = pose_of(run, plane, at->contact);
        for (int e = 0; e < 2; e++)
            point->of[e] = body_of(plane, contact->body[e]);
        point->vertex =
            run->polytope[contact->body[1 - at->face_of]]->vertex[at->vertex];
        point->normal =
            run->polytope[contact->body[at->face_of]]->face[at->face].n;
        point->still = point->pose->still && at->face_of == 0;
        if (point->still) {
            const double *normal = point->normal;
            double c = point->pose->cosine, s = point->pose->sine;
            point->world[0] = c * normal[0] - s * normal[1];
            point->world[1] = s * normal[0] + c * normal[1];
        }
        if (plane->n_pose > n_pose &&
            !make_pose(run, point->pose, point, order))
            return false;
        for (int j = 0; j < 2; j++)
            for (int side = 0; side < 2; side++) {
                const double *along = point->pose->turn[3 * j + side].c,
                             *back = point->pose->turn[3 * side + j].c;
                point->face_axes[j][side] = at->face_of == 0 ? along : back;
                point->vertex_axes[j][side] = at->face_of == 0 ? back : along;
            }
    }
    return true;
}

/* Finds the bodies that the group moves, and their rows in run->rows.block. */
static void
take_bodies(struct rt *run, struct persistent_group *group)
{
    struct persistent_plane *plane = group->plane;
    plane->n_body = (int)group->moved.n_body;
    for (int i = 0; i < plane->n_body; i++)
        enter_body(run, group->moved.body[i], &plane->body[i]);
}

/* Takes over what was made by drive and rows_series up to order `term`. */
static bool
take_over(struct rt *run, struct persistent_group *group, int term)
{
    struct persistent_plane *plane = group->plane;
    take_bodies(run, group);
    for (int i = 0; i < plane->n_body; i++) {
        struct plane_body *body = &plane->body[i];
        for (int k = 1; k <= term; k++)
            body->times[k] = (double)k * body->state[2][k];
        turn_sums(body, term + 1);
        if (!isfinite(move(body, term - 1)))
            return false;
    }
    if (!take_points(run, group, group->n_on, term + 1))
        return false;
    for (int i = 0; i < plane->n_point; i++)
        for (int k = 0; k <= term; k++)
            for (int j = 0; j < 2; j++)
                plane->point[i].own[j].c[k] = turned(
                    plane->point[i].vertex_axes[j], plane->point[i].normal, k);
    take_forces(run, group, term);
    return true;
}

bool
persistent_plane_points(struct rt *run, struct persistent_group *group, int n,
                        int order)
{
    assert(order >= 0 && order <= IMP_ORDER_MAX);
    if (!group->plane)
        return false;
    take_bodies(run, group);
    if (!take_points(run, group, n, order))
        return false;
    for (int i = 0; i < n; i++) {
        struct plane_point *point = &group->plane->point[i];
        struct persistent_row *row = point->row;
        struct persistent_friction *friction = row->friction;
        const struct polytope_face *face =
            run->polytope[rt_contact(run, row->spot.contact)
                              ->body[row->spot.face_of]]
                ->face +
            row->spot.face;
        row->valid = row->end = INFINITY;
        for (int k = 0; k <= order; k++) {
            gap_at(point, k);
            acts_at(point, k);
        }
        row->gap.c[0] -= face->d;
        if (!friction)
            continue;
        friction->place =
            row->place[0].c[0] * face->n[1] - row->place[1].c[0] * face->n[0];
        friction->shift.c[0] =
            friction->anchored ? friction->place - friction->anchor : 0.0;
        for (int k = 0; k <= order; k++)
            slip_at(point, k, k == order);
    }
    return true;
}

bool
persistent_plane_order(struct rt *run, struct persistent_group *group, int term)
{
    assert(term >= 1 && term + 2 <= IMP_ORDER_MAX);
    if (!group->carried && !take_over(run, group, term))
        return false;
    struct persistent_plane *plane = group->plane;
    group->carried = true;
    double finite = 0.0;
    for (int i = 0; i < plane->n_body; i++) {
        turn_sums(&plane->body[i], term + 2);
        finite += move(&plane->body[i], term);
    }
    if (!isfinite(finite))
        return false;
    for (int i = 0; i < plane->n_point; i++) {
        struct plane_point *point = &plane->point[i];
        struct persistent_friction *friction = point->row->friction;
        bool first = true;
        for (int j = 0; j < i && first; j++)
            first = plane->point[j].pose != point->pose;
        if (first && !pose_from(run, point->pose, point, term + 1, term + 2))
            return false;
        gap_at(point, term + 1);
        acts_at(point, term + 1);
        gap_at(point, term + 2);
        if (friction) {
            slip_at(point, term, false);
            if (friction->mode == CONTACT_STICK)
                slip_at(point, term + 1, false);
        }
        finite += 0.0 * point->row->gap.c[term + 2];
    }
    for (int i = 0; i < plane->n_force; i++)
        accelerate(&plane->force[i], term + 1);
    return isfinite(finite);
}

void
persistent_plane_settle(struct persistent_group *group, int term, bool more)
{
    assert(group->carried);
    add_forces(group->plane, term);
    for (int i = 0; i < group->plane->n_body; i++)
        move(&group->plane->body[i], term);
    if (more)
        add_lower(group->plane, term + 1);
}

void
persistent_plane_end(struct rt *run, struct persistent_group *group, int order)
{
    assert(group->carried);
    struct persistent_plane *plane = group->plane;
    for (int i = 0; i < plane->n_point && group->friction; i++)
        if (plane->point[i].row->friction)
            slip_at(&plane->point[i], order, true);
    for (int i = 0; i < plane->n_body; i++) {
        struct plane_body *body = &plane->body[i];
        double *row[8] = {body->state[0], body->state[1], body->state[2],
                          body->state[3], body->state[4], body->state[5],
                          body->cosine,   body->sine};
        const imp_block *block =
            persistent_block(run, rt_body(run, body->body)->block);
        const uint32_t *to = IMP_ARRAY(run->im, block->driven_rows, uint32_t);
        double *driven =
            run->persistent_memory->driven[rt_body(run, body->body)->block];
        for (int j = 0; j < 8; j++) {
            memset(row[j] + order + 1, 0, 3 * sizeof *row[j]);
            memcpy(driven + (size_t)to[j] * IMP_ROW_STRIDE,
                   row[j] - IMP_ROW_PAD, IMP_ROW_STRIDE * sizeof *driven);
        }
    }
    /* poses that points share were not made along */
    contact_point_poses_forget(group);
}

/* -- any body of the plane ------------------------------------------------- */

void
persistent_plane_push(const struct rt *run,
                      const struct persistent_unknown *unknown, int side,
                      int term, double *p)
{
    const double *constants =
        run->env +
        rt_body(run, rt_contact(run, unknown->row->spot.contact)->body[side])
            ->env_body;
    for (uint32_t i = 0; i < 3; i++) {
        double mobility = i < 2 ? constants[IMP_BODY_INVMASS]
                                : constants[IMP_BODY_INVINERTIA],
               *to = p + (size_t)i * IMP_ROW_STRIDE + term;
        const double *push = unknown->push[side][persistent_entry(run, i)].c;
        for (int j = 1; j <= term; j++)
            if (unknown->force->c[term - j] != 0.0)
                *to += unknown->force->c[term - j] * (mobility * push[j]);
    }
}
