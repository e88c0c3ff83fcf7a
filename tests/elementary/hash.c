/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a hash of the bits of every elementary function of the tape at 100 000
 * arguments. The numbers must be the same for every compiler, C library and machine, and in
 * WebAssembly (hash.out): results of a model then are, too. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/tape/functions.h"

#define ARGUMENTS 100000

static uint64_t state;

/* Returns a number that is uniform in [least, greatest) (xorshift of Marsaglia 2003). */
static double
uniform(double least, double greatest)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least + (greatest - least) * ((double)(state >> 11) * 0x1p-53);
}

/* FNV-1a of the eight bytes of y; all NaN count as one. */
static uint64_t
hash(uint64_t h, double y)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    if (y != y)
        bits = UINT64_C(0x7ff8000000000000);
    for (int i = 0; i < 64; i += 8)
        h = (h ^ (bits >> i & 0xff)) * UINT64_C(0x100000001b3);
    return h;
}

#define ONE(name, least, greatest)                                             \
    {#name, imp_##name, NULL, least, greatest, 0, 0}
#define TWO(name, least, greatest, least_second, greatest_second)              \
    {#name, NULL, imp_##name, least, greatest, least_second, greatest_second}

static const struct function {
    const char *name;
    double (*one)(double), (*two)(double, double);
    double least, greatest, least_second, greatest_second;
} functions[] = {
    ONE(sqrt, 0, 1e3),
    ONE(cbrt, -1e3, 1e3),
    ONE(exp, -745, 710),
    ONE(exp2, -1075, 1025),
    ONE(expm1, -40, 700),
    ONE(log, 0, 1e3),
    ONE(log2, 0, 1e3),
    ONE(log10, 0, 1e3),
    ONE(log1p, -1, 10),
    ONE(sin, -1e6, 1e6),
    ONE(cos, -100, 100),
    ONE(tan, -1e10, 1e10),
    ONE(asin, -1, 1),
    ONE(acos, -1, 1),
    ONE(atan, -10, 10),
    ONE(sinh, -30, 30),
    ONE(cosh, -30, 30),
    ONE(tanh, -20, 20),
    ONE(asinh, -1e4, 1e4),
    ONE(acosh, 1, 1e4),
    ONE(atanh, -1, 1),
    ONE(erf, -6, 6),
    ONE(erfc, -6, 27),
    ONE(gamma, -20, 170),
    ONE(lgamma, -20, 1e4),
    TWO(pow, 0, 100, -30, 30),
    TWO(abspow, -10, 10, -5, 5),
    TWO(hypot, -1e3, 1e3, -1e3, 1e3),
    TWO(atan2, -1, 1, -1, 1),
    TWO(fmod, -1e6, 1e6, -10, 10),
};

int
main(void)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *f = &functions[i];
        uint64_t h = UINT64_C(0xcbf29ce484222325);
        state = UINT64_C(0x9e3779b97f4a7c15);
        for (int k = 0; k < ARGUMENTS; k++) {
            double a = uniform(f->least, f->greatest);
            h = hash(h, f->one ? f->one(a)
                               : f->two(a, uniform(f->least_second,
                                                   f->greatest_second)));
        }
        printf("%-7s %016" PRIx64 "\n", f->name, h);
    }
    return 0;
}
