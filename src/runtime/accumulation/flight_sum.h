/* SPDX-License-Identifier: MIT */
/* The sum of infinitely many flights at one contact whose restitution depends
 * on the speed of the impact. */
#ifndef IMP_RUNTIME_ACCUMULATION_FLIGHT_SUM_H
#define IMP_RUNTIME_ACCUMULATION_FLIGHT_SUM_H

#include <stdbool.h>

/* Gives the restitution and its derivative at a positive speed of approach.
 * Returns 0, or a status that ends the sum. */
typedef int restitution_law(void *context, double speed, double law[2]);

/* Flights under a constant acceleration, each as long as the speed u at its
 * beginning: u, then e(u) u, and so on. */
struct flight_sum {
    bool ends;    /* the sum is finite and known */
    double sum;   /* of all flights, as a multiple of the first one: 1/(1 - e)
                     where e does not depend on the speed */
    double error; /* of the sum, as a share of it */
};

/* The flights that begin with this positive speed. Returns what the law
 * returned. */
int flight_sum(restitution_law *law, void *context, double speed,
               struct flight_sum *out);

#endif
