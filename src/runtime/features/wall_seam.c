/* SPDX-License-Identifier: MIT */
/* Seams of fixed bodies: where a corner or an edge touches a corner or an edge
 * of a body whose other side there is covered by a third body.
 *
 * Bodies that rest beside each other for ever are one wall. At a place where
 * the third body C covers a face of A, what touches A cannot come from that
 * side, which C fills. With the cones K_A and K_C that both fill there, the
 * normals of the wall are the polar cone of their union, which is the
 * intersection of both polar cones where the union is convex: the floor of two
 * plates has the normal of the floor at their seam, and the ridge of two wedges
 * those between both slopes. Where the union is not convex C stands out beyond
 * the face of A that is left, and touches by itself: then the normals of A are
 * those of the faces that are left. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/features/wall_seam.h"
#include "runtime/numerics/vec3.h"

/* A face of the cover: its normal, and how far the place lies beyond it. */
static double
cover_face(const struct wall_seam *seam, uint32_t face, double normal[3])
{
    const struct polytope_face *of = &seam->cover->face[face];
    double world[3], local[3];
    support_rotate(&seam->cover_pose, of->n, world);
    support_rotate_back(&seam->wall_pose, world, normal);
    support_rotate(&seam->wall_pose, seam->place, world);
    for (int i = 0; i < 3; i++)
        world[i] += seam->wall_pose.c[i] - seam->cover_pose.c[i];
    support_rotate_back(&seam->cover_pose, world, local);
    return vec3_dot(of->n, local) - of->d;
}

/* Does the place lie on the surface of the cover? */
static bool
cover_touches(const struct wall_seam *seam)
{
    double normal[3];
    bool on = false;
    for (uint32_t f = 0; f < seam->cover->n_face; f++) {
        double beyond = cover_face(seam, f, normal);
        if (beyond > seam->tol)
            return false;
        on = on || beyond >= -seam->tol;
    }
    return on;
}

static bool
is_on_face(const struct wall_seam *seam, const struct polytope_face *face)
{
    return fabs(vec3_dot(face->n, seam->place) - face->d) <= seam->tol;
}

/* The direction from the place into a face of the wall, along that face.
 * False: the face has no size beside the place. */
static bool
into_face(const struct wall_seam *seam, uint32_t face, double along[3])
{
    const struct polytope_face *of = &seam->wall->face[face];
    double middle[3] = {0.0, 0.0, 0.0}, length;
    uint32_t count = 0;
    for (uint32_t v = 0; v < seam->wall->n_vertex; v++) {
        const double *vertex = seam->wall->vertex[v];
        if (fabs(vec3_dot(of->n, vertex) - of->d) > seam->tol)
            continue;
        count++;
        for (int i = 0; i < 3; i++)
            middle[i] += vertex[i];
    }
    if (count == 0)
        return false;
    for (int i = 0; i < 3; i++)
        along[i] = middle[i] / count - seam->place[i];
    double out = vec3_dot(along, of->n);
    for (int i = 0; i < 3; i++)
        along[i] -= out * of->n[i];
    length = vec3_norm(along);
    if (length <= seam->tol)
        return false;
    for (int i = 0; i < 3; i++)
        along[i] /= length;
    return true;
}

/* Does the cover fill what is just outside this face, beside the place? */
static bool
is_covered(const struct wall_seam *seam, uint32_t face)
{
    double along[3], normal[3];
    if (!into_face(seam, face, along))
        return false;
    for (uint32_t f = 0; f < seam->cover->n_face; f++) {
        if (cover_face(seam, f, normal) < -seam->tol)
            continue;
        double leads = vec3_dot(normal, along);
        if (leads > TOUCH_SAME ||
            (leads >= -TOUCH_SAME &&
             vec3_dot(normal, seam->wall->face[face].n) > TOUCH_SAME))
            return false;
    }
    return true;
}

/* Is this outward direction of the wall a normal of the cover, too? */
static bool
is_normal_of_cover(const struct wall_seam *seam, const double n[3])
{
    double normal[3], away[3], world[3], vertex[3];
    if (seam->cover->n_vertex == 0) {
        cover_face(seam, 0, normal);
        for (int i = 0; i < 3; i++)
            away[i] = normal[i] - n[i];
        return vec3_norm(away) <= TOUCH_SAME;
    }
    for (uint32_t v = 0; v < seam->cover->n_vertex; v++) {
        support_rotate(&seam->cover_pose, seam->cover->vertex[v], world);
        for (int i = 0; i < 3; i++)
            world[i] += seam->cover_pose.c[i] - seam->wall_pose.c[i];
        support_rotate_back(&seam->wall_pose, world, vertex);
        for (int i = 0; i < 3; i++)
            away[i] = vertex[i] - seam->place[i];
        if (vec3_dot(n, away) > TOUCH_SAME * vec3_norm(away) + seam->tol)
            return false;
    }
    return true;
}

/* What the cover makes of the faces of the wall at the place. */
struct faces_left {
    bool covered; /* one of them is covered */
    int left;     /* this many are not */
    bool convex;  /* wall and cover are convex together */
};

static struct faces_left
faces_left(const struct wall_seam *seam)
{
    struct faces_left faces = {.convex = true};
    for (uint32_t f = 0; f < seam->wall->n_face; f++) {
        const struct polytope_face *face = &seam->wall->face[f];
        if (!is_on_face(seam, face))
            continue;
        if (is_covered(seam, f)) {
            faces.covered = true;
            continue;
        }
        faces.left++;
        faces.convex = faces.convex && is_normal_of_cover(seam, face->n);
    }
    return faces;
}

/* Is this outward direction a normal of wall and cover together? */
static bool
is_normal_of_both(const struct wall_seam *seam, const struct faces_left *faces,
                  const double n[3])
{
    if (faces->convex)
        return is_normal_of_cover(seam, n);
    for (uint32_t f = 0; f < seam->wall->n_face; f++) {
        const struct polytope_face *face = &seam->wall->face[f];
        double away[3];
        for (int i = 0; i < 3; i++)
            away[i] = face->n[i] - n[i];
        if (vec3_norm(away) <= TOUCH_SAME && is_on_face(seam, face) &&
            !is_covered(seam, f))
            return true;
    }
    return false;
}

/* Has the wall a face at the place with this normal, or, if `against`, with the
 * opposite one? */
static bool
has_face(const struct wall_seam *seam, const double normal[3], bool against)
{
    for (uint32_t f = 0; f < seam->wall->n_face; f++) {
        const struct polytope_face *face = &seam->wall->face[f];
        double away[3];
        for (int i = 0; i < 3; i++)
            away[i] = against ? face->n[i] + normal[i] : face->n[i] - normal[i];
        if (vec3_norm(away) <= TOUCH_SAME && is_on_face(seam, face))
            return true;
    }
    return false;
}

bool
wall_seam_is_even(const struct wall_seam *seam)
{
    assert(seam != NULL && seam->cover != NULL);
    int shared = 0;
    if (!cover_touches(seam))
        return false;
    struct faces_left faces = faces_left(seam);
    for (uint32_t f = 0; f < seam->cover->n_face; f++) {
        double normal[3];
        if (cover_face(seam, f, normal) < -seam->tol)
            continue;
        if (has_face(seam, normal, false))
            shared++;
        else if (!has_face(seam, normal, true))
            return false;
    }
    return faces.covered && faces.convex && shared == faces.left;
}

/* One of the directions, as an outward one of the wall in its axes. */
static void
outward(const struct polytope_scene *scene, int which,
        const struct wall_seam *seam, const double n[3], double own[3])
{
    for (int i = 0; i < 3; i++)
        own[i] = which == 0 ? n[i]
                            : seam->sign *
                                  (scene->R[i] * n[0] + scene->R[3 + i] * n[1] +
                                   scene->R[6 + i] * n[2]);
}

/* Puts a place that is given in the axes of body 0 into those of the wall. */
static void
put_place(const struct polytope_scene *scene, int which, const double place[3],
          struct wall_seam *seam)
{
    double away[3];
    memcpy(seam->place, place, sizeof seam->place);
    if (which == 0)
        return;
    for (int i = 0; i < 3; i++)
        away[i] = place[i] - scene->c[i];
    for (int i = 0; i < 3; i++)
        seam->place[i] = scene->R[i] * away[0] + scene->R[3 + i] * away[1] +
                         scene->R[6 + i] * away[2];
}

/* Finds the normals that wall and cover leave at all places; false: the cover
 * says nothing there. */
static bool
keep_common(const struct polytope_scene *scene, int which,
            struct wall_seam *seam, const double (*place)[3], int n,
            const double (*choice)[3], int choices, struct seam_normals *out)
{
    for (int i = 0; i < choices; i++)
        out->keep[i] = true;
    out->convex = true;
    for (int p = 0; p < n; p++) {
        put_place(scene, which, place[p], seam);
        if (!cover_touches(seam))
            return false;
        struct faces_left faces = faces_left(seam);
        if (!faces.covered || faces.left == 0)
            return false;
        out->convex = out->convex && faces.convex;
        for (int i = 0; i < choices; i++) {
            double own[3];
            outward(scene, which, seam, choice[i], own);
            out->keep[i] =
                out->keep[i] && is_normal_of_both(seam, &faces, own);
        }
    }
    out->kept = 0;
    for (int i = 0; i < choices; i++)
        out->kept += out->keep[i];
    return true;
}

void
wall_seam_face(const struct wall_seam *seam, const struct polytope_scene *scene,
               int which, uint32_t face, double n[3])
{
    assert(seam != NULL && scene != NULL && face < seam->cover->n_face);
    double own[3];
    cover_face(seam, face, own);
    for (int i = 0; i < 3; i++)
        n[i] = which == 0 ? own[i]
                          : seam->sign * vec3_dot(scene->R + 3 * i, own);
}

/* Finds the faces of the cover that leave other normals than those which are
 * kept. */
static void
add_others(const struct polytope_scene *scene, int which,
           const struct wall_seam *seam, double least,
           const double (*choice)[3], int choices, struct seam_normals *out)
{
    out->faces = 0;
    for (uint32_t f = 0; f < seam->cover->n_face; f++) {
        double own[3], n[3], away[3];
        uint32_t at[2];
        if (cover_face(seam, f, own) < -seam->tol ||
            !is_normal_of_cover(seam, own))
            continue;
        wall_seam_face(seam, scene, which, f, n);
        bool known = polytope_separation(scene, n, at) < least;
        for (int i = 0; i < choices && !known; i++) {
            for (int k = 0; k < 3; k++)
                away[k] = n[k] - choice[i][k];
            known = out->keep[i] && vec3_norm(away) <= TOUCH_SAME;
        }
        if (!known)
            out->face[out->faces++] = f;
    }
}

bool
wall_seam_normals(struct wall_seam *seam, const struct polytope_scene *scene,
                  int which, const double (*place)[3], int places,
                  const double (*choice)[3], int choices, double least,
                  struct seam_normals *out)
{
    assert(seam != NULL && scene != NULL && places > 0 && out != NULL);
    seam->sign = which == 0 ? 1.0 : -1.0;
    if (!keep_common(scene, which, seam, place, places, choice, choices, out))
        return false;
    add_others(scene, which, seam, least, choice, choices, out);
    return true;
}
