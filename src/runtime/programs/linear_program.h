/* SPDX-License-Identifier: MIT */
/* Linear programs: the least c.x with A x >= b or A x = b, row by row, and
 * x >= 0. */
#ifndef IMP_RUNTIME_PROGRAMS_LINEAR_PROGRAM_H
#define IMP_RUNTIME_PROGRAMS_LINEAR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct linear_program; /* its constraints, at a feasible vertex */

/* Looks for a feasible vertex: the first `slacks` rows are A x >= b, the others
 * A x = b, x >= 0 (m rows, n columns, A row-major; rows may depend on each
 * other). NULL: there is none, beyond a share `zero` of the terms of b: near a
 * jam they are far greater than b. Memory: the arena, 2 m n doubles. */
#define LINEAR_PROGRAM_ZERO 1e-11
struct linear_program *linear_program_new(struct arena *arena, int m, int n,
                                          int slacks, const double *A,
                                          const double *b, double zero);
/* The least c.x; -INFINITY where there is no least one. x (n; may be NULL)
 * receives a vertex where it is attained. Questions may follow each other. */
double linear_program_least(struct linear_program *program, const double *c,
                            double *x);

/* -- the point nearest to the origin under linear inequalities ------------- */

#define LEAST_DISTANCE_MOST 255

/* The t (d entries, at most LEAST_DISTANCE_MOST) of least length with A t >= h;
 * A is m x d, row-major, its rows of size about 1 (Lawson and Hanson 1974,
 * chapter 23: least distance programming by non-negative least squares). room:
 * least_distance_room(m, d) doubles. False: the inequalities contradict each
 * other, beyond a share `tolerance` of h. */
bool least_distance(int m, int d, const double *A, const double *h,
                    double tolerance, double *t, double *room);
size_t least_distance_room(int m, int d);

#endif
