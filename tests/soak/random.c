/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers of the soak (splitmix64, Steele, Lea and Flood 2014). */
#include "random.h"

#include <assert.h>
#include <math.h>

struct random
random_start(uint64_t seed, uint64_t purpose)
{
    struct random random = {seed * 0x9e3779b97f4a7c15u + purpose};
    random.state = random_bits(&random) ^ (purpose << 32);
    return random;
}

uint64_t
random_bits(struct random *random)
{
    uint64_t bits = random->state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

double
random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

double
random_in(struct random *random, double low, double high)
{
    assert(low <= high);
    return round((low + (high - low) * random_unit(random)) * 1e3) / 1e3;
}

int
random_whole(struct random *random, int count)
{
    assert(count > 0);
    return (int)(random_bits(random) % (uint64_t)count);
}

bool
random_chance(struct random *random, double share)
{
    return random_unit(random) < share;
}

void
random_direction(struct random *random, int dimension, double out[3])
{
    assert(dimension == 2 || dimension == 3);
    double square;
    do {
        out[0] = 2 * random_unit(random) - 1;
        out[1] = 2 * random_unit(random) - 1;
        out[2] = dimension == 3 ? 2 * random_unit(random) - 1 : 0;
        square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
    } while (square > 1 || square < 0.01);
    for (int k = 0; k < 3; k++)
        out[k] /= sqrt(square);
}
