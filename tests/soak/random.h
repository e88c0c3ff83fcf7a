/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers of the soak: the same seed gives the same models everywhere.
 */
#ifndef SOAK_RANDOM_H
#define SOAK_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* A stream of its own for each pair of seed and purpose. */
struct random random_start(uint64_t seed, uint64_t purpose);
uint64_t random_bits(struct random *random);
/* evenly in [0, 1) */
double random_unit(struct random *random);
/* evenly in [low, high), rounded to three decimal places so that models stay
 * readable */
double random_in(struct random *random, double low, double high);
/* one of 0 .. count - 1; count > 0 */
int random_whole(struct random *random, int count);
bool random_chance(struct random *random, double share);
/* a unit vector of `dimension` 2 or 3 entries; the third is 0 in the plane */
void random_direction(struct random *random, int dimension, double out[3]);

#endif
