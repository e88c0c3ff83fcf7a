/* SPDX-License-Identifier: MIT */
/* The certificate of a cone as a table with a column per coordinate. It has all
 * that is needed to check the verdict without Imp. Each row is one of
 *
 *   map        a row of the map of one flight, U_0 R^-j: rates after the impact
 *   facet      c with c.rates >= 0 for the velocities of one flight
 *   generator  of the cone
 *   clipped    a generator of the cone clipped by the facets of one flight
 *   image      the map applied to the row before; it equals the sum of weight_i
 *              times generator part_i, counted from 0, plus the residual
 *
 * and, where there is no cone,
 *
 *   origin     a velocity that the cone would have to hold
 *   clipped    another one: the sum of weight_i times velocity part_i, counted
 *              from 0 through the origins and then the images above, plus the
 *              residual; it is a velocity of the flight
 *   image      the map applied to it; the last image opens the gaps on the mean
 *
 * Rows of one flight name the contact that is hit at its end. All velocities
 * are those after an impact at the first contact. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/cone_priv.h"

struct table {
    struct cone_question *question;
    struct arena *arena;
    const char **part, **contact;
    double *x; /* by columns: n coordinates, 3 parts, 3 weights, residual */
    size_t rows, most;
};

static void
row(struct table *table, const char *part, int flight, const double *numbers)
{
    assert(table->rows < table->most);
    size_t n = (size_t)table->question->n, i = table->rows++;
    const struct symmetry *symmetry = table->question->symmetry;
    table->part[i] = part;
    table->contact[i] =
        chatter_contact(table->question->analysis, table->question->system,
                        symmetry->order[flight]);
    for (size_t c = 0; c < n + 7; c++)
        table->x[c * table->most + i] = c < n ? numbers[c] : NAN;
}

static void
flight_rows(struct table *table, int flight, double *numbers)
{
    assert(flight > 0 && flight < table->question->problem.m);
    const struct invariant_cone_flight *f =
        &table->question->problem.flight[flight];
    int n = table->question->n;
    cone_user_map(table->question, flight, numbers);
    for (int i = 0; i < n; i++)
        row(table, "map", flight, numbers + i * n);
    for (int i = 0; i < f->n; i++) {
        cone_user_facet(table->question, &f->h[i], numbers);
        row(table, "facet", flight, numbers);
    }
}

static void
image_rows(struct table *table, const struct invariant_cone_image *im,
           double *v)
{
    size_t n = (size_t)table->question->n, sum;
    double x[3] = {-1.0, im->of.x, im->of.y};
    cone_to_user(table->question, x, v);
    row(table, "clipped", im->j, v);
    cone_to_user(table->question, im->x, v);
    row(table, "image", im->j, v);
    sum = table->rows -
          (table->question->result.verdict == INVARIANT_CONE_NO ? 2 : 1);
    double *at = table->x + n * table->most + sum;
    for (size_t c = 0; c < 3; c++) {
        at[c * table->most] = im->g[c];
        at[(3 + c) * table->most] = im->weight[c];
    }
    at[6 * table->most] = im->residual;
}

int
cone_save(struct cone_question *question, imp_range where, const char *file)
{
    assert(file && question->result.verdict != INVARIANT_CONE_STOPPED);
    static const char *const last[] = {"part_0",   "part_1",   "part_2",
                                       "weight_0", "weight_1", "weight_2",
                                       "residual"};
    const imp_image *im = question->analysis->rt->im;
    struct arena *arena = question->analysis->rt->arena;
    size_t coordinates = (size_t)question->n, m = (size_t)question->problem.m;
    bool no = question->result.verdict == INVARIANT_CONE_NO;
    const struct invariant_cone_set *set =
        question->result.verdict == INVARIANT_CONE_YES
            ? &question->result.proven
            : &question->result.least;
    const struct polygon2d_point *point = no ? question->result.origin : set->v;
    int n_point = no ? question->result.n_origin : set->n;
    struct table table = {.question = question, .arena = arena};
    table.most = m * (coordinates + 6) + (size_t)n_point +
                 2 * (size_t)question->result.n_image;
    table.part = NEW_N(arena, const char *, 2 * table.most);
    table.contact = table.part + table.most;
    table.x = NEW_N(arena, double,
                    table.most *(coordinates + 7) + coordinates * coordinates);
    double *v = table.x + table.most * (coordinates + 7);
    for (int j = 1; j < question->problem.m; j++)
        flight_rows(&table, j, v);
    double *points = cone_points(question, point, n_point);
    for (int i = 0; i < n_point; i++)
        row(&table, no ? "origin" : "generator", 0,
            points + (size_t)i * coordinates);
    for (int i = 0; i < question->result.n_image; i++)
        image_rows(&table, &question->result.image[i], v);
    struct out_column *cols = NEW_N(arena, struct out_column, coordinates + 9);
    cols[0] = (struct out_column){
        .name = "part", .unit = "", .n = table.rows, .texts = table.part};
    cols[1] = (struct out_column){
        .name = "contact", .unit = "", .n = table.rows, .texts = table.contact};
    const imp_coordinate *q = IMP_ARRAY(im, im->coordinates, imp_coordinate) +
                              question->system->first;
    for (size_t c = 0; c < coordinates + 7; c++)
        cols[2 + c] = (struct out_column){
            .name = c < coordinates
                        ? arena_printf(arena, "%s'", imp_text(im, q[c].name))
                        : last[c - coordinates],
            .unit = "1",
            .x = table.x + c * table.most,
            .n = table.rows};
    return out_save(question->analysis->out, question->analysis->ds, where,
                    file, cols, coordinates + 9);
}
