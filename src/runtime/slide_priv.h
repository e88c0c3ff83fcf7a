/* SPDX-License-Identifier: MIT */
/* Inside slide.h: slide_point.c (one point: its gap and what opens it),
 * slide.c (the series of the motion, projection), slide_mode.c (which push,
 * what comes next). */
#ifndef IMP_RUNTIME_SLIDE_PRIV_H
#define IMP_RUNTIME_SLIDE_PRIV_H

#include "runtime/jet.h"
#include "runtime/slide.h"

/* sine between edges that count as parallel */
#define SLIDE_PARALLEL 1e-9

/* gap of a point, and how fast the motion of its two bodies opens it: by
 * velocity (world axes), by spin (body axes; plane: entry 5) */
struct slide_row {
    struct slide_spot spot;
    bool on;
    struct jet gap, open[2][6];
    struct jet force;
    double valid; /* time for which the row holds */
};
struct slide {
    int n, n_on, rank;
    bool steady;               /* forces did not change in the last series */
    struct slide_row *row;     /* SLIDE_MOST, those that push first */
    struct slide_poses *poses; /* of slide_point.c */
    bool *block;               /* per block: a held body is in it */
    double **push;   /* per block: rows of accelerations, source of driven */
    double **driven; /* per block: rows of the driven tape */
    double **own;    /* per block: rows as of r->work while this is solved */
    double *answer;  /* per row, body: 6, what a unit force does */
    double *G, *U, *V, *s; /* n_on x n_on, its SVD */
    double *a, *b, *c;     /* SLIDE_MOST each */
};

/* -- slide_point.c -------------------------------------------------------- */
/* series of a point to `order`; r->work holds the motion */
int slide_row_series(struct rt *r, struct slide *s, struct slide_row *row,
                     int order);
void slide_poses_forget(struct slide *s); /* before the rows of a new series */
bool slide_body_moves(const struct rt *r, uint32_t body);
/* gaps of the vertices over a face: calls back with each. *holds: for how long
 * they do; may be NULL */
int slide_vertices(struct rt *r, const struct slide_spot *on, int order,
                   void (*each)(void *ctx, uint32_t vertex,
                                const struct jet *gap),
                   void *ctx, double *holds);
/* gaps of edges of both bodies that cross now, or nearly, with their outer
 * sides towards each other: calls back with each that is wanted */
int slide_crossings(struct rt *r, uint32_t contact, int order,
                    bool (*wanted)(void *ctx, const struct slide_spot *at),
                    void (*each)(void *ctx, const struct slide_spot *at,
                                 const struct jet *gap),
                    void *ctx);
/* where the point is, in the axes of body 0 about its mass centre */
int slide_place(struct rt *r, const struct slide_spot *at, int order,
                struct jet out[3]);
/* distances of a vertex to the sides of its face, inwards, or of a crossing to
 * the ends of its edges: how many */
int slide_sides(struct rt *r, const struct slide_spot *at, int order,
                struct jet *side, int most);

/* -- slide.c -------------------------------------------------------------- */
/* The memory of what is held, or of a look at other points, filled anew; n at
 * most SLIDE_MOST; all rows push */
enum slide_use { SLIDE_HELD, SLIDE_LOOK };
struct slide *slide_get(struct rt *r, enum slide_use use,
                        const struct slide_spot *spot, int n);
/* rows to `order` with no forces, answers, G over all rows */
int slide_instant(struct rt *r, struct slide *s, int order, double *G);

#endif
