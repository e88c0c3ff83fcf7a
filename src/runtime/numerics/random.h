/* SPDX-License-Identifier: MIT */
/* Random numbers that depend on (seed, run, stream) alone and not on numbers
 * drawn before, so that runs can be made in any order (I7): the finaliser of
 * SplitMix64 (Steele, Lea & Flood 2014) over the three in turn. */
#ifndef IMP_RUNTIME_NUMERICS_RANDOM_H
#define IMP_RUNTIME_NUMERICS_RANDOM_H

#include <stdint.h>
#include <string.h>

static inline uint64_t
random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t
random_bits(double seed, uint64_t run, uint64_t stream)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z;
    memcpy(&z, &seed, sizeof z);
    z = random_mix(z + golden);
    z = random_mix(z + golden * (run + 1));
    return random_mix(z + golden * (stream + 1));
}

/* Returns a number that is even in [0, 1), a multiple of 2^-53. */
static inline double
random_unit(double seed, uint64_t run, uint64_t stream)
{
    return (double)(random_bits(seed, run, stream) >> 11) * 0x1p-53;
}

#endif
