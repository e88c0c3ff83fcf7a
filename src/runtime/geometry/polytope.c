/* SPDX-License-Identifier: MIT */
/* Polytopes of a run: set up from what the model states, with the messages
 * for what is none; exact moments; and the move to the mass centre. */
#include "runtime/geometry/polytope.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/geometry/polytope_hull.h"
#include "runtime/numerics/vec3.h"

/* -- moments -------------------------------------------------------------- */

/* one simplex with apex at the origin and the rest at vertex[0 .. dim - 1], det
 * of these; sums of volume, first and second moments (Tonon 2004: for corners
 * v_0 = 0, v_1 .. v_d, integral of x_i x_j = det/(d + 2)! *
 * (sum_a v_ai sum_b v_bj + sum_a v_ai v_aj)) */
struct sums {
    double v, m[3], s[6];
};

static void
simplex_add(struct sums *sums, int dim, double det, double vertex[3][3])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1},
                     column[6] = {0, 1, 2, 1, 2, 2};
    const double volume = dim == 2 ? 2 : 6, first = dim == 2 ? 6 : 24;
    const double second = dim == 2 ? 24 : 120;
    double sum[3] = {0, 0, 0};
    for (int a = 0; a < dim; a++)
        for (int k = 0; k < 3; k++)
            sum[k] += vertex[a][k];
    sums->v += det / volume;
    for (int k = 0; k < 3; k++)
        sums->m[k] += det * sum[k] / first;
    for (int n = 0; n < 6; n++) {
        double t = sum[row[n]] * sum[column[n]];
        for (int a = 0; a < dim; a++)
            t += vertex[a][row[n]] * vertex[a][column[n]];
        sums->s[n] += det * t / second;
    }
}

static double
det3(double v[3][3])
{
    return v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
           v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
           v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
}

void
polytope_moments(const struct polytope *polytope, double *volume,
                 double centroid[3], double inertia[6])
{
    assert(polytope->dim == 2 || polytope->dim == 3);
    assert(polytope->n_face > (uint32_t)polytope->dim);
    static const int row[6] = {0, 1, 2, 0, 0, 1},
                     column[6] = {0, 1, 2, 1, 2, 2};
    struct sums sums = {.v = 0};
    double mid[3] = {0, 0, 0}, second[6];
    for (uint32_t i = 0; i < polytope->n_vertex; i++)
        for (int k = 0; k < 3; k++)
            mid[k] += polytope->vertex[i][k] / polytope->n_vertex;
    for (uint32_t f = 0; f < polytope->n_face; f++) {
        const uint32_t *l = polytope->loop + polytope->face[f].first;
        uint32_t n = polytope->face[f].count;
        for (uint32_t i = 1; i + 1 < (polytope->dim == 2 ? 3 : n); i++) {
            const uint32_t at[3] = {l[0], l[i],
                                    polytope->dim == 2 ? 0 : l[i + 1]};
            double v[3][3] = {{0}};
            for (int a = 0; a < polytope->dim; a++)
                for (int k = 0; k < 3; k++)
                    v[a][k] = polytope->vertex[at[a]][k] - mid[k];
            double det = polytope->dim == 2
                             ? v[0][0] * v[1][1] - v[0][1] * v[1][0]
                             : det3(v);
            simplex_add(&sums, polytope->dim, det, v);
        }
    }
    for (int k = 0; k < 3; k++) {
        sums.m[k] /= sums.v;
        centroid[k] = mid[k] + sums.m[k];
    }
    /* second moments about the centroid, then the inertia tr(S) 1 - S */
    for (int n = 0; n < 6; n++)
        second[n] = sums.s[n] - sums.v * sums.m[row[n]] * sums.m[column[n]];
    *volume = sums.v;
    memset(inertia, 0, 6 * sizeof *inertia);
    if (polytope->dim == 2) {
        inertia[0] = second[0] + second[1];
        return;
    }
    inertia[0] = second[1] + second[2];
    inertia[1] = second[0] + second[2];
    inertia[2] = second[0] + second[1];
    for (int n = 3; n < 6; n++)
        inertia[n] = -second[n];
}

/* -- set-up --------------------------------------------------------------- */

static const char *
name_of(const struct rt *run, uint32_t body)
{
    return imp_text(run->im, rt_body(run, body)->name);
}

/* What is wrong with the points of a body, or of the polygon that a contact of
 * a system states; `what` names them. */
static int
points_fault(struct rt *run, imp_range range, const char *what,
             const char *dent, enum hull_fault fault, const uint32_t bad[2])
{
    bool plane = run->im->dim == 2;
    struct diag *diag;
    switch (fault) {
    case HULL_SAME:
        diag = diag_add(run->ds, DIAG_E0550, range,
                        "points %u and %u of %s are the same", bad[0] + 1,
                        bad[1] + 1, what);
        diag_help(run->ds, diag, "give every corner once");
        break;
    case HULL_NO_CORNER:
        diag = diag_add(run->ds, DIAG_E0551, range,
                        "point %u of %s is no corner: it lies in the convex "
                        "hull of the others",
                        bad[0] + 1, what);
        diag_help(run->ds, diag, "leave it out; %s", dent);
        break;
    case HULL_LOST:
        diag = diag_add(run->ds, DIAG_E0555, range,
                        "the faces of %s cannot be told apart", what);
        diag_help(run->ds, diag,
                  "some of its points lie very nearly in one plane or on one "
                  "line: write coordinates as formulas, with all digits");
        break;
    default:
        diag = diag_add(run->ds, DIAG_E0552, range, "the points of %s lie %s",
                        what, plane ? "on one line" : "in one plane");
        diag_help(run->ds, diag, "%s",
                  plane ? "a polygon has at least three corners, not all on a "
                          "line"
                        : "a polyhedron has at least four corners, not all in "
                          "a plane");
        break;
    }
    return IMP_BADMODEL;
}

static int
planes_fault(struct rt *run, uint32_t body, enum hull_fault fault)
{
    const imp_body *image_body = rt_body(run, body);
    struct diag *diag;
    if (fault == HULL_EMPTY) {
        diag = diag_add(run->ds, DIAG_E0554,
                        imp_places_of(run->im, image_body)->shape,
                        "with these values the shape of `%s` is not the convex "
                        "one that its formula describes",
                        name_of(run, body));
        diag_help(run->ds, diag,
                  "a length in it is negative, or the origin lies outside");
    } else if (fault == HULL_UNBOUNDED) {
        diag = diag_add(
            run->ds, DIAG_E0553, imp_places_of(run->im, image_body)->shape,
            "the flat faces of `%s` do not close it: it is unbounded",
            name_of(run, body));
        diag_help(run->ds, diag,
                  "add faces to the formula; half_plane and half_space are "
                  "the only shapes without end");
    } else {
        diag = diag_add(
            run->ds, DIAG_E0555, imp_places_of(run->im, image_body)->shape,
            "the corners of `%s` cannot be told apart", name_of(run, body));
        diag_help(run->ds, diag,
                  "some of its faces lie very nearly in one plane: write the "
                  "numbers of its formula with all digits");
    }
    return IMP_BADMODEL;
}

/* Do this body and the next one state the same numbers? */
static bool
next_alike(const struct rt *run, uint32_t body)
{
    if (body + 1 >= run->im->bodies.n)
        return false;
    const imp_body *one = rt_body(run, body), *two = one + 1;
    size_t n =
        one->n_point ? 3 * (size_t)one->n_point : 4 * (size_t)one->n_plane;
    return (one->flags & two->flags & IMP_BODYF_POLYTOPE) &&
           one->n_point == two->n_point && one->n_plane == two->n_plane &&
           !memcmp(run->env + one->env_poly, run->env + two->env_poly,
                   n * sizeof *run->env);
}

/* The polytope of the body before this one, if both state the same numbers and
 * it is known; else NULL. */
static struct polytope *
one_before(const struct rt *run, uint32_t body)
{
    return body > 0 && next_alike(run, body - 1) ? run->polytope[body - 1]
                                                 : NULL;
}

int
polytope_setup(struct rt *run, uint32_t body)
{
    assert(body < run->im->bodies.n);
    const imp_body *image_body = rt_body(run, body);
    run->polytope[body] = NULL;
    if (!(image_body->flags & IMP_BODYF_POLYTOPE))
        return IMP_OK;
    const struct polytope *before = one_before(run, body);
    if (before && before->stated) {
        run->polytope[body] = before->stated;
        return IMP_OK;
    }
    int dim = (int)run->im->dim;
    struct polytope *polytope = NEW(run->arena, struct polytope);
    uint32_t count = image_body->n_point ? image_body->n_point
                                         : image_body->n_plane,
             bad[2] = {0, 0};
    const double *e = run->env + image_body->env_poly;
    enum hull_fault fault;
    if (image_body->n_point) {
        double(*x)[3] =
            arena_copy(run->arena, e, 3 * (size_t)count * sizeof *e);
        fault = polytope_points(run->arena, dim, (const double(*)[3])x, count,
                                polytope, bad);
    } else {
        double(*h)[4] =
            arena_copy(run->arena, e, 4 * (size_t)count * sizeof *e);
        fault = polytope_planes(run->arena, dim, (const double(*)[4])h, count,
                                polytope, bad);
    }
    if (fault != HULL_OK && !image_body->n_point)
        return planes_fault(run, body, fault);
    if (fault != HULL_OK)
        return points_fault(
            run, imp_places_of(run->im, image_body)->shape,
            arena_printf(run->brief, "`%s`", name_of(run, body)),
            "a body that is not convex is made of several convex ones joined "
            "by `weld`",
            fault, bad);
    run->polytope[body] = polytope;
    return IMP_OK;
}

int
polytope_surface_setup(struct rt *run, uint32_t contact)
{
    assert(run && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    uint32_t count = image_contact->n_corner, bad[2] = {0, 0};
    if (!count)
        return IMP_OK;
    double(*corner)[3] =
        arena_copy(run->brief, run->env + image_contact->env_corner,
                   count * sizeof *corner);
    struct polytope polytope;
    enum hull_fault fault = polytope_points(
        run->brief, 2, (const double(*)[3])corner, count, &polytope, bad);
    if (fault == HULL_OK)
        return IMP_OK;
    return points_fault(
        run, image_contact->range_corner,
        arena_printf(run->brief, "the polygon of `%s`",
                     imp_text(run->im, image_contact->name)),
        "what is not convex is made of several surfaces, each with a contact",
        fault, bad);
}

/* A copy whose places may be moved; what hangs together with what is shared. */
static struct polytope *
copy_to_move(struct arena *arena, struct polytope *stated)
{
    struct polytope *polytope = NEW(arena, struct polytope);
    *polytope = *stated;
    polytope->stated = stated;
    polytope->vertex = arena_copy(arena, stated->vertex,
                                  stated->n_vertex * sizeof *stated->vertex);
    polytope->face =
        arena_copy(arena, stated->face, stated->n_face * sizeof *stated->face);
    return polytope;
}

void
polytope_centre(struct rt *run, uint32_t body)
{
    assert(body < run->im->bodies.n);
    struct polytope *polytope = run->polytope[body],
                    *before = one_before(run, body);
    if (!polytope)
        return;
    const double *c = run->env + rt_body(run, body)->env_body + IMP_BODY_CENTRE;
    bool shared = before && before->stated == polytope;
    if (shared && !memcmp(before->centre, c, sizeof before->centre)) {
        run->polytope[body] = before;
        return;
    }
    if (shared || next_alike(run, body))
        polytope = run->polytope[body] = copy_to_move(run->arena, polytope);
    memcpy(polytope->centre, c, sizeof polytope->centre);
    for (uint32_t i = 0; i < polytope->n_face; i++) {
        struct polytope_face *face = polytope->face + i;
        face->d -= vec3_dot(face->n, c);
    }
    double far = 0;
    for (uint32_t i = 0; i < polytope->n_vertex; i++) {
        double *v = polytope->vertex[i], s = 0;
        for (int k = 0; k < 3; k++) {
            v[k] -= c[k];
            s += v[k] * v[k];
        }
        far = fmax(far, s);
    }
    polytope->radius =
        polytope->n_vertex ? sqrt(far) * (1 + 1e-15) : (double)INFINITY;
}
