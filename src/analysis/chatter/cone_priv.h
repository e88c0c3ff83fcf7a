/* SPDX-License-Identifier: MIT */
/* What the command `cone` (cone.c) and its file (cone_file.c) share. */
#ifndef IMP_ANALYSIS_CHATTER_CONE_PRIV_H
#define IMP_ANALYSIS_CHATTER_CONE_PRIV_H

#include "analysis/chatter/chatter_priv.h"
#include "runtime/returnmap/invariant_cone.h"

struct cone_question {
    struct analysis *analysis;
    const imp_system *system;
    struct ballistic *ballistic;
    const struct symmetry *symmetry;
    struct invariant_cone_problem problem;
    struct invariant_cone_result result;
    bool any_order;  /* flights in any order, from all velocities (Theorem 4) */
    bool from;       /* the search starts from the user's velocities */
    int n;           /* coordinates */
    double *to_user; /* n x 3: rates = to_user x */
    double *from_user; /* 3 x n: x = from_user rates */
};

/* Gives x of the plane as rates v of the n coordinates. */
void cone_to_user(const struct cone_question *question, const double *x,
                  double *v);
/* Returns the same for n points of the plane, n rows in the run's memory. */
double *cone_points(struct cone_question *question,
                    const struct polygon2d_point *v, int n);
/* Gives the map U_0 R^-j of flight j between rates of the coordinates, n x n.
 */
void cone_user_map(const struct cone_question *question, int j, double *map);
/* Gives a facet of a flight as a vector (n) with facet.rates >= 0 and length 1.
 */
void cone_user_facet(const struct cone_question *question,
                     const struct invariant_cone_plane *h, double *facet);
/* Writes the certificate under --out. Returns enum imp_status. */
int cone_save(struct cone_question *question, imp_range where,
              const char *file);

#endif
