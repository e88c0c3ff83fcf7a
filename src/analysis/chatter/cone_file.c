/* SPDX-License-Identifier: MIT */
/* The certificate of a cone as a table, all that is needed to check it again
 * without Imp. Each row is one of
 *
 *   map        a row of the map of one flight: rates after the impact
 *   facet      c with c.rates >= 0 for the velocities of one flight
 *   generator  of the cone
 *   clipped    a generator of the cone and the facets of one flight
 *   image      the map of the one before; the sum of weight_i times generator
 *              part_i, counted from 0, but for the residual
 *
 * and, where there is no cone,
 *
 *   origin     a velocity that the cone would hold
 *   clipped    another one: the sum of weight_i times velocity part_i, counted
 *              from 0 through the origins and then the images above, but for
 * the residual; it is one of the flight image      the map of it; the last one
 * opens the gaps on the mean
 *
 * with a column per coordinate. Rows of one flight carry its contact, the one
 * that is hit next; all velocities are those after an impact at the first. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/cone_priv.h"

struct table {
    struct cone_question *k;
    struct arena *a;
    const char **part, **contact;
    double *x; /* by columns: n coordinates, 3 parts, 3 weights, residual */
    size_t rows, most;
};

static void
row(struct table *t, const char *part, int flight, const double *v)
{
    size_t n = (size_t)t->k->n, i = t->rows++;
    const struct symmetry *s = t->k->sym;
    t->part[i] = part;
    t->contact[i] = chatter_contact(t->k->a, t->k->s, s->order[flight]);
    for (size_t c = 0; c < n + 7; c++)
        t->x[c * t->most + i] = c < n ? v[c] : NAN;
}

static void
flight_rows(struct table *t, int j, double *v)
{
    const struct invariant_cone_flight *f = &t->k->p.flight[j];
    int n = t->k->n;
    cone_user_map(t->k, j, v);
    for (int i = 0; i < n; i++)
        row(t, "map", j, v + i * n);
    for (int i = 0; i < f->n; i++) {
        cone_user_facet(t->k, &f->h[i], v);
        row(t, "facet", j, v);
    }
}

static void
image_rows(struct table *t, const struct invariant_cone_image *im, double *v)
{
    size_t n = (size_t)t->k->n, sum;
    double x[3] = {-1.0, im->of.x, im->of.y};
    cone_to_user(t->k, x, v);
    row(t, "clipped", im->j, v);
    cone_to_user(t->k, im->x, v);
    row(t, "image", im->j, v);
    sum = t->rows - (t->k->r.verdict == INVARIANT_CONE_NO ? 2 : 1);
    double *at = t->x + n * t->most + sum;
    for (size_t c = 0; c < 3; c++) {
        at[c * t->most] = im->g[c];
        at[(3 + c) * t->most] = im->weight[c];
    }
    at[6 * t->most] = im->residual;
}

int
cone_save(struct cone_question *k, imp_range where, const char *file)
{
    static const char *const last[] = {"part_0",   "part_1",   "part_2",
                                       "weight_0", "weight_1", "weight_2",
                                       "residual"};
    const imp_image *im = k->a->rt->im;
    struct arena *a = k->a->rt->arena;
    size_t n = (size_t)k->n, m = (size_t)k->p.m;
    bool no = k->r.verdict == INVARIANT_CONE_NO;
    const struct invariant_cone_set *set =
        k->r.verdict == INVARIANT_CONE_YES ? &k->r.proven : &k->r.least;
    const struct polygon2d_point *point = no ? k->r.origin : set->v;
    int n_point = no ? k->r.n_origin : set->n;
    struct table t = {.k = k, .a = a};
    t.most = m * (n + 6) + (size_t)n_point + 2 * (size_t)k->r.n_image;
    t.part = NEW_N(a, const char *, 2 * t.most);
    t.contact = t.part + t.most;
    t.x = NEW_N(a, double, t.most *(n + 7) + n * n);
    double *v = t.x + t.most * (n + 7);
    for (int j = 1; j < k->p.m; j++)
        flight_rows(&t, j, v);
    double *points = cone_points(k, point, n_point);
    for (int i = 0; i < n_point; i++)
        row(&t, no ? "origin" : "generator", 0, points + (size_t)i * n);
    for (int i = 0; i < k->r.n_image; i++)
        image_rows(&t, &k->r.image[i], v);
    struct out_column *cols = NEW_N(a, struct out_column, n + 9);
    cols[0] = (struct out_column){
        .name = "part", .unit = "", .n = t.rows, .texts = t.part};
    cols[1] = (struct out_column){
        .name = "contact", .unit = "", .n = t.rows, .texts = t.contact};
    const imp_coordinate *q =
        IMP_ARRAY(im, im->coordinates, imp_coordinate) + k->s->first;
    for (size_t c = 0; c < n + 7; c++)
        cols[2 + c] = (struct out_column){
            .name = c < n ? arena_printf(a, "%s'", imp_text(im, q[c].name))
                          : last[c - n],
            .unit = "1",
            .x = t.x + c * t.most,
            .n = t.rows};
    return out_save(k->a->out, k->a->ds, where, file, cols, n + 9);
}
