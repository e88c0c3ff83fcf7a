/* SPDX-License-Identifier: MIT */
/* Can contacts with Coulomb friction hold a load at rest? Forces at n points,
 * within their cones of friction, and reactions of joints must balance a load
 * in the coordinates of the bodies. */
#ifndef IMP_RUNTIME_BALANCE_BALANCE_H
#define IMP_RUNTIME_BALANCE_BALANCE_H

#include <stdbool.h>

struct arena;

struct balance_problem {
    int n, joints, rows; /* points, reactions of joints, coordinates */
    /* what a unit force does to the coordinates: n x rows, n x rows,
     * joints x rows */
    const double *normal, *tangential, *joint;
    const double *load; /* rows: forces of the coordinates without contacts */
    const double *mu;   /* n */
};
struct balance {
    bool possible;
    double *normal, *tangential; /* n: forces of least norm; 0 if impossible */
    /* n each: the least and the greatest force of all that balance the load;
     * INFINITY: there is no greatest one (the points wedge each other) */
    double *normal_least, *normal_most;
    double *tangential_least, *tangential_most;
    bool unique;
    /* The least factor of all mu with which the load can be held: at most 1 if
     * possible; INFINITY: no friction is enough; 0: none is needed. */
    double critical;
};
/* Memory: the arena. */
void balance_find(struct arena *arena, const struct balance_problem *in,
                  struct balance *out);

#endif
