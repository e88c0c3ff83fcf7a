/* SPDX-License-Identifier: MIT */
/* One contact point along the motion: its gap, and the forces that open it, as
 * time series (contact_point.h). Two smooth bodies have a series of their own
 * (tape imp_contact.opening). Vertices and edges follow from the relative
 * pose, in the axes of either body; the rotation of the body turns the
 * direction of a force into the world. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/features/edge_meeting.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/geometry/pose.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"

static void
constant(int order, const double x[3], double sign, struct taylor out[3])
{
    for (int i = 0; i < 3; i++)
        taylor_const(order, sign * x[i], &out[i]);
}

/* What a unit force along n at the point x of a body does: force in world
 * axes, torque in body axes. n and x are in body axes about the mass centre.
 * From this order on. */
static void
open_by(const struct rt *run, uint32_t body, int from, int order,
        const struct taylor R[9], const struct taylor n[3],
        const struct taylor x[3], struct taylor out[6])
{
    if (!contact_point_body_moves(run, body)) {
        for (int i = 0; i < 6; i++)
            taylor_const_from(from, order, 0.0, &out[i]);
        return;
    }
    taylor_turn_from(3, from, order, R, false, n, out);
    taylor_cross_from(from, order, x, n, out + 3);
}

/* -- polytopes -------------------------------------------------------------
 */

/* the pose of body 1 in the axes of body 0 */
struct over {
    int dim, from, order; /* what follows from it stands below `from` */
    struct taylor c[3], R[9], back[3]; /* back: R^T c */
    bool has_back;
};

/* Makes the pose. *holds (may be NULL): the time for which it holds. */
static int
over_get(struct rt *run, const struct contact_point *at, int order,
         struct over *pose, double *holds)
{
    pose->dim = (int)run->im->dim;
    pose->from = 0;
    pose->order = order;
    pose->has_back = false;
    return polytope_relative_pose(run, at->contact, order, pose->c, pose->R,
                                  holds);
}

/* The same from an order on; it will not be asked for again. */
static int
over_get_from(struct rt *run, const struct contact_point *at,
              struct polytope_pose_work *work, int from, int order,
              struct over *pose)
{
    pose->dim = (int)run->im->dim;
    pose->order = order;
    return polytope_relative_pose_again(run, at->contact, work, from, order,
                                        pose->c, pose->R);
}

/* The poses that all points of one contact share, for one series. While this
 * is made order by order, the coefficients below group->known stay. */
struct contact_point_poses {
    uint32_t contact, pass; /* of which pass of the group they are */
    struct over over;
    struct polytope_pose_work work; /* of `over`, in the last pass */
    struct taylor R[2][9];          /* body -> world */
    /* the normal of the last face, in the axes of the other body and in the
     * world */
    bool has_face;
    int face_of, face_known; /* coefficients of it that stand */
    uint32_t face;
    struct taylor own[3], world[3];
};

/* Sets `place` to this vertex of the other body, in the axes of the body that
 * has the face, from this order on. */
static void
over_point(struct over *pose, int from, int face_of, const double vertex[3],
           struct taylor place[3])
{
    taylor_turn_fixed(pose->dim, from, pose->order, pose->R, face_of != 0,
                      vertex, place);
    if (face_of != 0 && !pose->has_back) {
        taylor_turn_from(pose->dim, pose->from, pose->order, pose->R, true,
                         pose->c, pose->back);
        pose->has_back = true;
    }
    for (int i = 0; i < 3; i++)
        if (face_of == 0)
            taylor_add_from(from, pose->order, &place[i], &pose->c[i],
                            &place[i]);
        else
            taylor_sub_from(from, pose->order, &place[i], &pose->back[i],
                            &place[i]);
}

static const struct polytope_face *
face_of(const struct rt *run, const struct contact_point *at,
        const struct polytope **other)
{
    const imp_contact *image_contact = rt_contact(run, at->contact);
    *other = run->polytope[image_contact->body[1 - at->face_of]];
    return run->polytope[image_contact->body[at->face_of]]->face + at->face;
}

/* Returns the poses of a contact, of this pass or of an earlier one. */
static struct contact_point_poses *
poses_of(struct rt *run, struct persistent_group *group, uint32_t contact)
{
    for (int i = 0; i < group->n_poses; i++)
        if (group->poses[i]->contact == contact)
            return group->poses[i];
    if (group->n_poses == group->poses_room) {
        int room = group->poses_room ? 2 * group->poses_room : 4;
        struct contact_point_poses **old = group->poses;
        group->poses =
            NEW_N(run->own, struct contact_point_poses *, (size_t)room);
        if (old)
            memcpy(group->poses, old, (size_t)group->n_poses * sizeof *old);
        group->poses_room = room;
    }
    struct contact_point_poses *shared = group->poses[group->n_poses];
    if (!shared)
        shared = NEW(run->own, struct contact_point_poses);
    group->poses[group->n_poses++] = shared;
    shared->contact = contact;
    shared->pass = 0;
    return shared;
}

/* Takes the rotation of a body from another contact of this pass. */
static bool
turned_as_before(const struct rt *run, const struct persistent_group *group,
                 uint32_t body, int order, struct taylor R[9])
{
    for (int i = 0; i < group->n_poses; i++) {
        const struct contact_point_poses *other = group->poses[i];
        const uint32_t *of = rt_contact(run, other->contact)->body;
        if (other->pass != group->pass || other->over.order != order ||
            (of[0] != body && of[1] != body))
            continue;
        for (int j = 0; j < 9; j++)
            memcpy(R[j].c, other->R[of[1] == body][j].c,
                   sizeof(double) * (size_t)(order + 1));
        return true;
    }
    return false;
}

/* Makes the poses for the contact of a point. */
static int
poses(struct rt *run, struct persistent_group *group,
      const struct contact_point *at, int order,
      struct contact_point_poses **out)
{
    const imp_contact *image_contact = rt_contact(run, at->contact);
    struct contact_point_poses *shared = poses_of(run, group, at->contact);
    *out = shared;
    if (shared->pass == group->pass)
        return IMP_OK;
    /* what was made in the last pass, and stands */
    bool last = shared->pass != 0 && shared->pass + 1 == group->pass,
         back = last && shared->over.has_back;
    int stands = group->known <= order ? group->known : order;
    if (stands > shared->over.order + 1)
        stands = shared->over.order + 1;
    shared->face_known = last && shared->has_face ? stands : 0;
    stands = last ? stands : 0;
    bool again = group->known > 0 && group->known <= order;
    shared->work.made = again ? shared->work.made : 0;
    int st = again ? over_get_from(run, at, &shared->work, stands, order,
                                   &shared->over)
                   : over_get(run, at, order, &shared->over, NULL);
    shared->over.from = back ? stands : 0;
    shared->over.has_back = false;
    for (int i = 0; i < 2 && !st; i++)
        if (contact_point_body_moves(run, image_contact->body[i]) &&
            !turned_as_before(run, group, image_contact->body[i], order,
                              shared->R[i]))
            body_rotation(run, image_contact->body[i], stands, order,
                          shared->R[i]);
    shared->has_face = false;
    shared->pass = st ? 0 : group->pass;
    return st;
}

void
contact_point_poses_forget(struct persistent_group *group)
{
    group->pass += group->pass == UINT32_MAX ? 2 : 1;
}

static void
face_normal(const struct rt *run, struct contact_point_poses *shared,
            const imp_contact *image_contact, const struct contact_point *at,
            const double n[3])
{
    int order = shared->over.order, b = at->face_of, dim = shared->over.dim;
    bool same = shared->face_of == b && shared->face == at->face;
    if (shared->has_face && same)
        return;
    int from = same ? shared->face_known : 0;
    taylor_turn_fixed(dim, from, order, shared->over.R, b == 0, n, shared->own);
    if (contact_point_body_moves(run, image_contact->body[b]))
        taylor_turn_fixed(dim, from, order, shared->R[b], false, n,
                          shared->world);
    else if (contact_point_body_moves(run, image_contact->body[1 - b]))
        taylor_turn_from(dim, from, order, shared->R[1 - b], false, shared->own,
                         shared->world);
    shared->has_face = true;
    shared->face_known = 0; /* of another face */
    shared->face_of = b;
    shared->face = at->face;
}

/* What friction adds at a point of polytopes. place, normal: of the point, the
 * normal outward from body `of`, in the axes of that body (`constant`, maybe);
 * of what follows from them the coefficients below `from` stand. */
static int
tangent_row(struct rt *run, const struct over *pose, struct persistent_row *row,
            int of, int from, const struct taylor place[3],
            const struct taylor normal[3], bool constant)
{
    const struct taylor turned[2] = {pose->R[0], pose->R[3]};
    struct taylor *point = row->friction->point, *n = row->friction->normal;
    if (of == 0)
        return persistent_friction_series(run, row, from, pose->order, place,
                                          normal, constant, pose->c, turned);
    taylor_turn_from(pose->dim, from, pose->order, pose->R, false, place,
                     point);
    if (constant) {
        const double now[3] = {normal[0].c[0], normal[1].c[0], normal[2].c[0]};
        taylor_turn_fixed(pose->dim, from, pose->order, pose->R, false, now, n);
    } else {
        taylor_turn_from(pose->dim, from, pose->order, pose->R, false, normal,
                         n);
    }
    for (int i = 0; i < 2; i++) {
        taylor_add_from(from, pose->order, &point[i], &pose->c[i], &point[i]);
        taylor_scale_from(from, pose->order, -1.0, &n[i], &n[i]);
    }
    return persistent_friction_series(run, row, from, pose->order, point, n,
                                      false, pose->c, turned);
}

static int
vertex_row(struct rt *run, struct persistent_group *group,
           struct persistent_row *row, int order)
{
    const struct contact_point *at = &row->spot;
    const imp_contact *image_contact = rt_contact(run, at->contact);
    const struct polytope *polytope;
    const struct polytope_face *face = face_of(run, at, &polytope);
    int body = at->face_of, from = persistent_stands(group, row, order);
    struct contact_point_poses *shared;
    struct taylor *place = row->place;
    int st = poses(run, group, at, order, &shared);
    if (st)
        return st;
    over_point(&shared->over, from, body, polytope->vertex[at->vertex], place);
    taylor_dot_const_from(from, order, place, face->n, &row->gap);
    if (from == 0)
        row->gap.c[0] -= face->d;
    face_normal(run, shared, image_contact, at, face->n);
    int dim = (int)run->im->dim;
    for (int e = 0; e < 2; e++)
        for (uint32_t i = 0;
             i < persistent_per_body(run) &&
             !contact_point_body_moves(run, image_contact->body[e]);
             i++)
            taylor_const_from(from, order, 0.0,
                              &row->open[e][persistent_entry(run, i)]);
    if (contact_point_body_moves(
            run, image_contact->body[1 - body])) { /* opened by the normal at
                                                      the vertex */
        for (int i = 0; i < dim; i++)
            taylor_scale_from(from, order, 1.0, &shared->world[i],
                              &row->open[1 - body][i]);
        taylor_cross_fixed(dim, from, order, shared->own,
                           polytope->vertex[at->vertex], -1.0,
                           row->open[1 - body] + 3);
    }
    if (contact_point_body_moves(
            run,
            image_contact->body[body])) { /* opened by -normal at the place */
        for (int i = 0; i < dim; i++)
            taylor_scale_from(from, order, -1.0, &shared->world[i],
                              &row->open[body][i]);
        taylor_cross_fixed(dim, from, order, place, face->n, -1.0,
                           row->open[body] + 3);
    }
    if (row->friction) {
        struct taylor normal[3];
        constant(order, face->n, 1.0, normal);
        row->friction->place =
            place[0].c[0] * face->n[1] - place[1].c[0] * face->n[0];
        return tangent_row(run, &shared->over, row, body, from, place, normal,
                           true);
    }
    return IMP_OK;
}

/* Two edges that cross: the unit direction across both from body 0 to body 1,
 * in the axes of body 0, and the points x_i + at_i d_i nearest to each other
 * on their lines. What it is made of stands, too, order by order. */
struct contact_point_crossing {
    struct taylor n[3], x[2][3], d[2][3], at[2], gap;
    double length[2];
    struct taylor across[3], across2, sine, unit[3], offset[3], lever[2][3],
        along[2];
    /* as rows need them: the place of the point on each body, and the normal
     * outward from it */
    struct taylor place[2][3], normal[2][3];
};

static const struct polytope_edge *
edge_of(const struct rt *run, const struct contact_point *at, int i,
        const struct polytope **polytope)
{
    *polytope = run->polytope[rt_contact(run, at->contact)->body[i]];
    return (*polytope)->edge + (i == 0 ? at->face : at->vertex);
}

/* The lines of both edges, from this order on. */
static void
edge_lines(const struct rt *run, const struct contact_point *at,
           struct over *pose, int from, struct contact_point_crossing *crossing)
{
    const struct polytope *polytope;
    int order = pose->order;
    for (int i = 0; i < 2; i++) {
        const struct polytope_edge *edge = edge_of(run, at, i, &polytope);
        const double *begin = polytope->vertex[edge->v[0]],
                     *end = polytope->vertex[edge->v[1]];
        double l2 = 0.0;
        for (int j = 0; j < 3; j++) {
            double l = end[j] - begin[j];
            l2 += l * l;
        }
        crossing->length[i] = sqrt(l2);
        for (int j = 0; j < 3 && i == 0; j++) {
            taylor_const_from(from, order, begin[j], &crossing->x[0][j]);
            taylor_const_from(from, order, edge->dir[j], &crossing->d[0][j]);
        }
        if (i == 1) {
            over_point(pose, from, 0, begin, crossing->x[1]);
            taylor_turn_fixed(3, from, order, pose->R, false, edge->dir,
                              crossing->d[1]);
        }
    }
}

/* what is asked of a crossing */
enum crossing_parts { CROSSING_GAP = 1, CROSSING_PLACES = 2 };

/* Finds of the place where two edges cross the `parts` that are asked for, from
 * this order on. False: they are parallel. */
static bool
cross_edges(const struct rt *run, const struct contact_point *at,
            struct over *pose, int from, unsigned parts,
            struct contact_point_crossing *crossing)
{
    const struct polytope *polytope;
    const double *own = edge_of(run, at, 0, &polytope)->dir;
    int order = pose->order;
    edge_lines(run, at, pose, from, crossing);
    taylor_cross_fixed(3, from, order, crossing->d[1], own, -1.0,
                       crossing->across);
    taylor_dot_from(from, order, crossing->across, crossing->across,
                    &crossing->across2);
    if (!(crossing->across2.c[0] > POLYTOPE_PARALLEL * POLYTOPE_PARALLEL))
        return false;
    for (int i = 0; i < 3; i++)
        taylor_sub_from(from, order, &crossing->x[1][i], &crossing->x[0][i],
                        &crossing->offset[i]);
    if (parts & CROSSING_GAP) {
        taylor_sqrt_from(from, order, &crossing->across2, &crossing->sine);
        for (int i = 0; i < 3; i++) {
            taylor_div_from(from, order, &crossing->across[i], &crossing->sine,
                            &crossing->unit[i]);
            taylor_scale_from(from, order, at->face_of == 1 ? -1.0 : 1.0,
                              &crossing->unit[i], &crossing->n[i]);
        }
        taylor_dot_from(from, order, crossing->n, crossing->offset,
                        &crossing->gap);
    }
    for (int i = 0; i < 2 && parts & CROSSING_PLACES; i++) {
        if (i == 0)
            taylor_cross_from(from, order, crossing->offset, crossing->d[1],
                              crossing->lever[0]);
        else
            taylor_cross_fixed(3, from, order, crossing->offset, own, 1.0,
                               crossing->lever[1]);
        taylor_dot_from(from, order, crossing->lever[i], crossing->across,
                        &crossing->along[i]);
        taylor_div_from(from, order, &crossing->along[i], &crossing->across2,
                        &crossing->at[i]);
    }
    return true;
}

static int
edges_row(struct rt *run, struct persistent_group *group,
          struct persistent_row *row, int order)
{
    const struct contact_point *at = &row->spot;
    const imp_contact *image_contact = rt_contact(run, at->contact);
    const struct polytope *polytope;
    struct taylor offset;
    struct contact_point_poses *shared;
    int st = poses(run, group, at, order, &shared),
        from = persistent_stands(group, row, order);
    if (st)
        return st;
    if (!row->crossing)
        row->crossing = NEW(run->own, struct contact_point_crossing);
    struct contact_point_crossing *crossing = row->crossing;
    struct over *pose = &shared->over;
    if (!cross_edges(run, at, pose, from, CROSSING_GAP | CROSSING_PLACES,
                     crossing))
        return IMP_SINGULAR;
    row->gap = crossing->gap;
    for (int j = 0; j < 3; j++) { /* body 0 is pushed back */
        taylor_mul_from(from, order, &crossing->at[0], &crossing->d[0][j],
                        &offset);
        taylor_add_from(from, order, &crossing->x[0][j], &offset,
                        &crossing->place[0][j]);
        taylor_scale_from(from, order, -1.0, &crossing->n[j],
                          &crossing->normal[0][j]);
    }
    const struct polytope_edge *edge = edge_of(run, at, 1, &polytope);
    taylor_turn_from(3, from, order, pose->R, true, crossing->n,
                     crossing->normal[1]);
    for (int j = 0; j < 3; j++) {
        taylor_scale_from(from, order, edge->dir[j], &crossing->at[1],
                          &crossing->place[1][j]);
        if (from == 0)
            crossing->place[1][j].c[0] += polytope->vertex[edge->v[0]][j];
    }
    for (int i = 0; i < 2; i++)
        open_by(run, image_contact->body[i], from, order, shared->R[i],
                crossing->normal[i], crossing->place[i], row->open[i]);
    return IMP_OK;
}

int
contact_point_crossings(struct rt *run, uint32_t contact, int order,
                        bool (*wanted)(void *, const struct contact_point *),
                        void (*each)(void *, const struct contact_point *,
                                     const struct taylor *),
                        void *ctx, struct contact_point_ahead *ahead)
{
    assert(wanted != NULL && each != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    const struct polytope *polytope = run->polytope[image_contact->body[0]],
                          *other = run->polytope[image_contact->body[1]];
    struct contact_point at = {contact, POINT_EDGES, 0, 0, 0};
    struct contact_point_crossing here, *crossing = &here;
    struct over pose;
    double centre[3], turn[9], time;
    if (!polytope->n_edge || !other->n_edge)
        return IMP_OK;
    int st = over_get(run, &at, order, &pose, NULL);
    for (int i = 0; i < 9 && !st; i++) {
        centre[i % 3] = pose.c[i % 3].c[0];
        turn[i] = pose.R[i].c[0];
    }
    struct edges_moving moving = {
        {polytope, other}, pose.c, pose.R, order, 0.0, 0.0, 0.0};
    if (ahead && !st) {
        moving.span = ahead->span;
        moving.speed = ahead->speed;
        edges_moving_begin(&moving);
    }
    for (at.face = 0; at.face < polytope->n_edge && !st; at.face++)
        for (at.vertex = 0; at.vertex < other->n_edge; at.vertex++) {
            if (!wanted(ctx, &at))
                continue;
            if (ahead && edges_come_to_meet(&moving, at.face, at.vertex, &time))
                ahead->span = moving.span = time;
            if (polytope_edges_meet(polytope, other, at.face, at.vertex, centre,
                                    turn, &at.face_of) &&
                cross_edges(run, &at, &pose, 0, CROSSING_GAP, crossing))
                each(ctx, &at, &crossing->gap);
        }
    return st;
}

int
contact_point_place(struct rt *run, const struct contact_point *at, int order,
                    struct taylor out[3])
{
    assert(at->kind == POINT_VERTEX || at->kind == POINT_EDGES ||
           at->kind == POINT_CORNERS);
    const imp_contact *image_contact = rt_contact(run, at->contact);
    struct contact_point_crossing here, *crossing = &here;
    struct over pose;
    int st = over_get(run, at, order, &pose, NULL);
    if (st)
        return st;
    if (at->kind == POINT_EDGES) {
        if (!cross_edges(run, at, &pose, 0, CROSSING_PLACES, crossing))
            return IMP_SINGULAR;
        for (int i = 0; i < 3; i++) {
            taylor_mul(order, &crossing->at[0], &crossing->d[0][i], &out[i]);
            taylor_add(order, &out[i], &crossing->x[0][i], &out[i]);
        }
        return IMP_OK;
    }
    const double *x =
        run->polytope[image_contact->body[1 - at->face_of]]->vertex[at->vertex];
    if (at->face_of == 0)
        over_point(&pose, 0, 0, x, out);
    else
        constant(order, x, 1.0, out);
    return IMP_OK;
}

/* How far two corners may slip, and their normal roll, to either side. */
static int
corners_ends(struct rt *run, const struct contact_point *at, int order,
             struct taylor *side)
{
    struct over pose;
    struct taylor normal[3], place[3], term;
    const imp_contact *of = rt_contact(run, at->contact);
    if (over_get(run, at, order, &pose, NULL) ||
        !polytope_corners_normal(run, at->contact, order, pose.R, normal))
        return 0;
    const double *own = run->polytope[of->body[0]]->vertex[at->face];
    over_point(&pose, 0, 0, run->polytope[of->body[1]]->vertex[at->vertex],
               place);
    for (int i = 0; i < 2; i++)
        place[i].c[0] -= own[i];
    taylor_mul(order, &normal[1], &place[0], &side[0]);
    taylor_mul(order, &normal[0], &place[1], &term);
    taylor_sub(order, &side[0], &term, &side[0]);
    taylor_scale(order, -1.0, &side[0], &side[1]);
    return 2 + polytope_corners_roll(run, at->contact, order, pose.R, normal,
                                     side + 2);
}

/* Gives the distances of the crossing from the ends of both edges. */
static int
edge_ends(struct rt *run, const struct contact_point *at, int order,
          struct taylor *side)
{
    struct contact_point_crossing here, *crossing = &here;
    struct over pose;
    if (over_get(run, at, order, &pose, NULL) ||
        !cross_edges(run, at, &pose, 0, CROSSING_PLACES, crossing))
        return 0;
    for (int i = 0; i < 2; i++) {
        side[2 * i] = crossing->at[i];
        taylor_scale(order, -1.0, &crossing->at[i], &side[2 * i + 1]);
        side[2 * i + 1].c[0] += crossing->length[i];
    }
    return 4;
}

int
contact_point_vertices(struct rt *run, const struct contact_point *on,
                       int order, bool (*wanted)(void *, uint32_t),
                       void (*each)(void *, uint32_t, const struct taylor *),
                       void *ctx, double *holds)
{
    assert(on->kind == POINT_VERTEX && each != NULL);
    const struct polytope *polytope;
    const struct polytope_face *face = face_of(run, on, &polytope);
    struct over pose;
    struct taylor own[3], level;
    int st = over_get(run, on, order, &pose, holds);
    if (st)
        return st;
    /* the normal in the axes of the vertices, and what all gaps share */
    taylor_turn_fixed(pose.dim, 0, order, pose.R, on->face_of == 0, face->n,
                      own);
    if (on->face_of == 0)
        taylor_dot_const(order, pose.c, face->n, &level);
    else
        taylor_dot(order, pose.c, own, &level);
    for (uint32_t v = 0; v < polytope->n_vertex; v++) {
        struct taylor gap;
        if (wanted && !wanted(ctx, v))
            continue;
        taylor_dot_const(order, own, polytope->vertex[v], &gap);
        if (on->face_of == 0)
            taylor_add_from(0, order, &gap, &level, &gap);
        else
            taylor_sub_from(0, order, &gap, &level, &gap);
        gap.c[0] -= face->d;
        each(ctx, v, &gap);
    }
    return IMP_OK;
}

int
contact_point_sides_in(struct rt *run, const struct contact_point *at,
                       int order, struct taylor **side)
{
    assert(at->face_of == 0 || at->face_of == 1);
    const imp_contact *image_contact = rt_contact(run, at->contact);
    const struct polytope *other =
                              run->polytope[image_contact->body[at->face_of]],
                          *polytope;
    struct over pose;
    struct taylor place[3];
    int count = 0;
    if (at->kind == POINT_EDGES || at->kind == POINT_CORNERS) {
        if (!*side)
            *side = NEW_N(run->brief, struct taylor, CONTACT_POINT_SIDES);
        return at->kind == POINT_EDGES ? edge_ends(run, at, order, *side)
                                       : corners_ends(run, at, order, *side);
    }
    if (other->n_vertex == 0 || over_get(run, at, order, &pose, NULL))
        return 0;
    const struct polytope_face *face = face_of(run, at, &polytope);
    over_point(&pose, 0, at->face_of, polytope->vertex[at->vertex], place);
    if (!*side || face->count > CONTACT_POINT_SIDES)
        *side = NEW_N(run->brief, struct taylor, face->count);
    for (uint32_t i = 0; i < face->count; i++) {
        const double *from = other->vertex[other->loop[face->first + i]];
        const double *to =
            other->vertex[other->loop[face->first + (i + 1) % face->count]];
        double e[3], in[3], len = 0.0, base = 0.0;
        for (int j = 0; j < 3; j++)
            e[j] = to[j] - from[j];
        for (int j = 0; j < 3; j++) {
            int u = (j + 1) % 3, v = (j + 2) % 3;
            in[j] = run->im->dim == 2 ? e[j]
                                      : face->n[u] * e[v] - face->n[v] * e[u];
            len += in[j] * in[j];
        }
        len = sqrt(len);
        for (int j = 0; j < 3; j++) {
            in[j] /= len;
            base += in[j] * from[j];
        }
        taylor_dot_const(order, place, in, &(*side)[count]);
        (*side)[count++].c[0] -= base;
    }
    return count;
}

static int
corners_row(struct rt *run, struct persistent_group *group,
            struct persistent_row *row, int order)
{
    const struct contact_point *at = &row->spot;
    const imp_contact *image_contact = rt_contact(run, at->contact);
    const double *own = run->polytope[image_contact->body[0]]->vertex[at->face],
                 *other =
                     run->polytope[image_contact->body[1]]->vertex[at->vertex];
    struct contact_point_poses *shared;
    struct taylor normal[3], minus[3], away[3], place[3], arm[3];
    int st = poses(run, group, at, order, &shared);
    if (st)
        return st;
    struct over *pose = &shared->over;
    if (!polytope_corners_normal(run, at->contact, order, pose->R, normal))
        return IMP_SINGULAR;
    over_point(pose, 0, 0, other, place);
    constant(order, own, 1.0, arm);
    for (int i = 0; i < 3; i++) {
        taylor_sub(order, &place[i], &arm[i], &away[i]);
        taylor_scale(order, -1.0, &normal[i], &minus[i]);
    }
    taylor_dot(order, normal, away, &row->gap);
    open_by(run, image_contact->body[0], 0, order, shared->R[0], minus, place,
            row->open[0]);
    taylor_turn_from(3, 0, order, pose->R, true, normal, away);
    constant(order, other, 1.0, arm);
    open_by(run, image_contact->body[1], 0, order, shared->R[1], away, arm,
            row->open[1]);
    if (!row->friction)
        return IMP_OK;
    row->friction->place =
        place[0].c[0] * normal[1].c[0] - place[1].c[0] * normal[0].c[0];
    return tangent_row(run, pose, row, 0, 0, place, normal, false);
}

/* -- a smooth body on a polytope -------------------------------------------
 */

static int
smooth_row(struct rt *run, struct persistent_group *sl,
           struct persistent_row *row, int order)
{
    uint32_t contact = row->spot.contact;
    const imp_contact *image_contact = rt_contact(run, contact);
    uint32_t smooth = image_contact->smooth;
    struct nearest_features near;
    struct contact_point_poses *shared;
    struct taylor point[3], normal[3], n2, len, own_point[3], own_normal[3],
        offset[3];
    int from = persistent_stands(sl, row, order), st = IMP_OK;
    if (from == 0)
        st = polytope_contact_closest(run, contact, &near, true);
    if (!st)
        st = smooth_polytope_series(run, contact, from, order, row->gap.c,
                                    order >= MOTION_STEP_ORDER ? &row->valid
                                                               : NULL);
    if (!st && order >= MOTION_STEP_ORDER)
        row->end = smooth_polytope_end(run, contact);
    /* what yields goes on from the feature that it came down on */
    if (!st && order >= MOTION_STEP_ORDER && row->soft != CONTACT_RIGID)
        row->valid = smooth_polytope_stays(run, contact);
    if (!st)
        st = poses(run, sl, &row->spot, order, &shared);
    if (st)
        return st;
    const struct over *pose = &shared->over;
    smooth_polytope_point_series(run, contact, order, point, normal);
    taylor_dot(order, normal, normal, &n2);
    taylor_sqrt(order, &n2, &len);
    for (int i = 0; i < 3; i++) {
        struct taylor u;
        taylor_div(order, &normal[i], &len, &u);
        normal[i] = u;
    }
    /* the polytope is opened along the outward normal of the smooth body */
    open_by(run, image_contact->body[1 - smooth], 0, order,
            shared->R[1 - smooth], normal, point, row->open[1 - smooth]);
    for (int i = 0; i < 3; i++)
        taylor_scale(order, -1.0, &normal[i], &normal[i]);
    if (smooth ==
        1) { /* a point x of body 1 is at c + R x in the axes of the polytope */
        for (int i = 0; i < 3; i++)
            taylor_sub(order, &point[i], &pose->c[i], &offset[i]);
        taylor_turn_from(3, 0, order, pose->R, true, offset, own_point);
        taylor_turn_from(3, 0, order, pose->R, true, normal, own_normal);
    } else {
        taylor_turn_from(3, 0, order, pose->R, false, point, own_point);
        for (int i = 0; i < 3; i++)
            taylor_add(order, &own_point[i], &pose->c[i], &own_point[i]);
        taylor_turn_from(3, 0, order, pose->R, false, normal, own_normal);
    }
    open_by(run, image_contact->body[smooth], 0, order, shared->R[smooth],
            own_normal, own_point, row->open[smooth]);
    if (!row->friction)
        return IMP_OK;
    /* while it yields friction acts on the side of the polytope, as on a plane
     */
    for (int i = 0; i < 3 && row->soft != CONTACT_RIGID; i++) {
        struct taylor way;
        taylor_mul(order, &normal[i], &row->gap, &way);
        taylor_sub(order, &point[i], &way, &point[i]);
    }
    return tangent_row(run, pose, row, (int)(1 - smooth), 0, point, normal,
                       false);
}

int
contact_point_series(struct rt *run, struct persistent_group *group,
                     struct persistent_row *row, int order)
{
    assert(group != NULL && row != NULL);
    row->valid = row->end = INFINITY;
    switch (row->spot.kind) {
    case POINT_SURFACE:
        return contact_point_surface(run, group, row, order);
    case POINT_SMOOTH:
        return smooth_row(run, group, row, order);
    case POINT_EDGES:
        return edges_row(run, group, row, order);
    case POINT_CORNERS:
        return corners_row(run, group, row, order);
    default:
        return vertex_row(run, group, row, order);
    }
}
