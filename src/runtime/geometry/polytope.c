/* SPDX-License-Identifier: MIT */
/* Polytopes of a run: set up from what the model states, with the messages
 * for what is none; exact moments; and the move to the mass centre. */
#include "runtime/geometry/polytope.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/geometry/polytope_hull.h"
#include "runtime/numerics/vec3.h"

/* -- moments -------------------------------------------------------------- */

/* one simplex with apex at the origin and the rest at v[0 .. dim - 1], det of
 * these; sums of volume, first and second moments (Tonon 2004: for corners
 * v_0 = 0, v_1 .. v_d, integral of x_i x_j = det/(d + 2)! *
 * (sum_a v_ai sum_b v_bj + sum_a v_ai v_aj)) */
struct sums {
    double v, m[3], s[6];
};

static void
simplex_add(struct sums *o, int dim, double det, double v[3][3])
{
    static const int I[6] = {0, 1, 2, 0, 0, 1}, J[6] = {0, 1, 2, 1, 2, 2};
    const double volume = dim == 2 ? 2 : 6, first = dim == 2 ? 6 : 24;
    const double second = dim == 2 ? 24 : 120;
    double sum[3] = {0, 0, 0};
    for (int a = 0; a < dim; a++)
        for (int k = 0; k < 3; k++)
            sum[k] += v[a][k];
    o->v += det / volume;
    for (int k = 0; k < 3; k++)
        o->m[k] += det * sum[k] / first;
    for (int n = 0; n < 6; n++) {
        double t = sum[I[n]] * sum[J[n]];
        for (int a = 0; a < dim; a++)
            t += v[a][I[n]] * v[a][J[n]];
        o->s[n] += det * t / second;
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
polytope_moments(const struct polytope *p, double *volume, double centroid[3],
                 double J[6])
{
    static const int I[6] = {0, 1, 2, 0, 0, 1}, K[6] = {0, 1, 2, 1, 2, 2};
    struct sums o = {.v = 0};
    double mid[3] = {0, 0, 0}, s[6];
    for (uint32_t i = 0; i < p->n_vertex; i++)
        for (int k = 0; k < 3; k++)
            mid[k] += p->vertex[i][k] / p->n_vertex;
    for (uint32_t f = 0; f < p->n_face; f++) {
        const uint32_t *l = p->loop + p->face[f].first;
        uint32_t n = p->face[f].count;
        for (uint32_t i = 1; i + 1 < (p->dim == 2 ? 3 : n); i++) {
            const uint32_t at[3] = {l[0], l[i], p->dim == 2 ? 0 : l[i + 1]};
            double v[3][3] = {{0}};
            for (int a = 0; a < p->dim; a++)
                for (int k = 0; k < 3; k++)
                    v[a][k] = p->vertex[at[a]][k] - mid[k];
            double det =
                p->dim == 2 ? v[0][0] * v[1][1] - v[0][1] * v[1][0] : det3(v);
            simplex_add(&o, p->dim, det, v);
        }
    }
    for (int k = 0; k < 3; k++) {
        o.m[k] /= o.v;
        centroid[k] = mid[k] + o.m[k];
    }
    /* second moments about the centroid, then J = tr(S) 1 - S */
    for (int n = 0; n < 6; n++)
        s[n] = o.s[n] - o.v * o.m[I[n]] * o.m[K[n]];
    *volume = o.v;
    memset(J, 0, 6 * sizeof *J);
    if (p->dim == 2) {
        J[0] = s[0] + s[1];
        return;
    }
    J[0] = s[1] + s[2];
    J[1] = s[0] + s[2];
    J[2] = s[0] + s[1];
    for (int n = 3; n < 6; n++)
        J[n] = -s[n];
}

/* -- set-up --------------------------------------------------------------- */

static const char *
name_of(const struct rt *r, uint32_t body)
{
    return imp_text(r->im, rt_body(r, body)->name);
}

static int
points_fault(struct rt *r, uint32_t body, enum hull_fault f,
             const uint32_t bad[2])
{
    const imp_body *b = rt_body(r, body);
    bool plane = r->im->dim == 2;
    struct diag *d;
    switch (f) {
    case HULL_SAME:
        d = diag_add(r->ds, DIAG_E0550, b->range_shape,
                     "points %u and %u of `%s` are the same", bad[0] + 1,
                     bad[1] + 1, name_of(r, body));
        diag_help(r->ds, d, "give every corner once");
        break;
    case HULL_NO_CORNER:
        d = diag_add(r->ds, DIAG_E0551, b->range_shape,
                     "point %u of `%s` is no corner: it lies in the convex "
                     "hull of the others",
                     bad[0] + 1, name_of(r, body));
        diag_help(r->ds, d,
                  "leave it out; a body that is not convex is made of several "
                  "convex ones joined by `weld`");
        break;
    case HULL_LOST:
        d = diag_add(r->ds, DIAG_E0555, b->range_shape,
                     "the faces of `%s` cannot be told apart",
                     name_of(r, body));
        diag_help(r->ds, d,
                  "some of its points lie very nearly in one plane or on one "
                  "line: write coordinates as formulas, with all digits");
        break;
    default:
        d = diag_add(r->ds, DIAG_E0552, b->range_shape,
                     "the points of `%s` lie %s", name_of(r, body),
                     plane ? "on one line" : "in one plane");
        diag_help(r->ds, d, "%s",
                  plane ? "a polygon has at least three corners, not all on a "
                          "line"
                        : "a polyhedron has at least four corners, not all in "
                          "a plane");
        break;
    }
    return IMP_BADMODEL;
}

static int
planes_fault(struct rt *r, uint32_t body, enum hull_fault f)
{
    const imp_body *b = rt_body(r, body);
    struct diag *d;
    if (f == HULL_EMPTY) {
        d = diag_add(r->ds, DIAG_E0554, b->range_shape,
                     "with these values the shape of `%s` is not the convex "
                     "one that its formula describes",
                     name_of(r, body));
        diag_help(r->ds, d,
                  "a length in it is negative, or the origin lies outside");
    } else if (f == HULL_UNBOUNDED) {
        d = diag_add(r->ds, DIAG_E0553, b->range_shape,
                     "the flat faces of `%s` do not close it: it is unbounded",
                     name_of(r, body));
        diag_help(r->ds, d,
                  "add faces to the formula; half_plane and half_space are "
                  "the only shapes without end");
    } else {
        d = diag_add(r->ds, DIAG_E0555, b->range_shape,
                     "the corners of `%s` cannot be told apart",
                     name_of(r, body));
        diag_help(r->ds, d,
                  "some of its faces lie very nearly in one plane: write the "
                  "numbers of its formula with all digits");
    }
    return IMP_BADMODEL;
}

int
polytope_setup(struct rt *r, uint32_t body)
{
    const imp_body *b = rt_body(r, body);
    r->polytope[body] = NULL;
    if (!(b->flags & IMP_BODYF_POLYTOPE))
        return IMP_OK;
    int dim = (int)r->im->dim;
    struct polytope *p = NEW(r->arena, struct polytope);
    uint32_t n = b->n_point ? b->n_point : b->n_plane, bad[2] = {0, 0};
    const double *e = r->env + b->env_poly;
    enum hull_fault f;
    if (b->n_point) {
        double(*x)[3] = arena_copy(r->arena, e, 3 * (size_t)n * sizeof *e);
        f = polytope_points(r->arena, dim, (const double(*)[3])x, n, p, bad);
    } else {
        double(*h)[4] = arena_copy(r->arena, e, 4 * (size_t)n * sizeof *e);
        f = polytope_planes(r->arena, dim, (const double(*)[4])h, n, p, bad);
    }
    if (f != HULL_OK)
        return b->n_point ? points_fault(r, body, f, bad)
                          : planes_fault(r, body, f);
    r->polytope[body] = p;
    return IMP_OK;
}

void
polytope_centre(struct rt *r, uint32_t body)
{
    struct polytope *p = r->polytope[body];
    if (!p)
        return;
    const double *c = r->env + rt_body(r, body)->env_body + IMP_BODY_CENTRE;
    for (uint32_t i = 0; i < p->n_face; i++) {
        struct polytope_face *f = p->face + i;
        f->d -= vec3_dot(f->n, c);
    }
    double far = 0;
    for (uint32_t i = 0; i < p->n_vertex; i++) {
        double *v = p->vertex[i], s = 0;
        for (int k = 0; k < 3; k++) {
            v[k] -= c[k];
            s += v[k] * v[k];
        }
        far = fmax(far, s);
    }
    p->radius = p->n_vertex ? sqrt(far) * (1 + 1e-15) : (double)INFINITY;
}
