/* SPDX-License-Identifier: MIT */
/* Several doubles at once: four where the file is compiled for AVX2, otherwise
 * two. Each lane as the scalar operation would have it, to the last bit. */
#ifndef IMP_RUNTIME_NUMERICS_SIMD_H
#define IMP_RUNTIME_NUMERICS_SIMD_H

#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#define LANES 4
#else
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#define LANES 2
#endif

/* always: loops of constant length where the numbers are known */
#define LANES_INLINE static inline __attribute__((always_inline))
#define SELDOM(x) __builtin_expect(!!(x), 0)

typedef double lanes __attribute__((vector_size(8 * LANES), may_alias));
typedef int64_t lanes_truth __attribute__((vector_size(8 * LANES), may_alias));

LANES_INLINE lanes
lanes_load(const double *x)
{
    lanes a;
    memcpy(&a, x, sizeof a);
    return a;
}
LANES_INLINE void
lanes_store(double *x, lanes a)
{
    memcpy(x, &a, sizeof a);
}
LANES_INLINE lanes
lanes_of(double x)
{
#if LANES == 4
    return (lanes){x, x, x, x};
#else
    return (lanes){x, x};
#endif
}
/* true in lane i alone; in none if there is no such lane */
LANES_INLINE lanes_truth
lanes_alone(int i)
{
#if LANES == 4
    return (lanes_truth){0, 1, 2, 3} == i;
#else
    return (lanes_truth){0, 1} == i;
#endif
}
/* yes where true, else no */
LANES_INLINE lanes
lanes_select(lanes_truth c, lanes yes, lanes no)
{
#if defined __AVX2__
    return (lanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)c);
#else
    return (lanes)(((lanes_truth)yes & c) | ((lanes_truth)no & ~c));
#endif
}
/* x where true (false), else 0; either of two of which one is 0. Not by the
 * operators of integers: changing over costs time. */
LANES_INLINE lanes
lanes_where(lanes_truth c, lanes x)
{
#if defined __AVX2__
    return (lanes)_mm256_and_pd((__m256d)c, (__m256d)x);
#elif defined __SSE2__
    return (lanes)_mm_and_pd((__m128d)c, (__m128d)x);
#else
    return (lanes)((lanes_truth)x & c);
#endif
}
LANES_INLINE lanes
lanes_unless(lanes_truth c, lanes x)
{
#if defined __AVX2__
    return (lanes)_mm256_andnot_pd((__m256d)c, (__m256d)x);
#elif defined __SSE2__
    return (lanes)_mm_andnot_pd((__m128d)c, (__m128d)x);
#else
    return (lanes)((lanes_truth)x & ~c);
#endif
}
LANES_INLINE lanes_truth
lanes_not(lanes_truth c, lanes_truth d) /* d and not c */
{
    return (lanes_truth)lanes_unless(c, (lanes)d);
}
LANES_INLINE lanes
lanes_either(lanes a, lanes b)
{
#if defined __AVX2__
    return (lanes)_mm256_or_pd((__m256d)a, (__m256d)b);
#elif defined __SSE2__
    return (lanes)_mm_or_pd((__m128d)a, (__m128d)b);
#else
    return (lanes)((lanes_truth)a | (lanes_truth)b);
#endif
}
LANES_INLINE lanes
lanes_abs(lanes a)
{
    return lanes_unless((lanes_truth)lanes_of(-0.0), a);
}
/* sum of |y| of n */
LANES_INLINE lanes
lanes_sizes(const lanes *y, int n)
{
    lanes s = lanes_abs(y[0]);
    for (int j = 1; j < n; j++)
        s += lanes_abs(y[j]);
    return s;
}
/* a > b ? a : b */
LANES_INLINE lanes
lanes_greater(lanes a, lanes b)
{
#if defined __AVX2__
    return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined __SSE2__
    return (lanes)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return lanes_select(a > b, a, b);
#endif
}
/* a < b ? a : b */
LANES_INLINE lanes
lanes_less(lanes a, lanes b)
{
#if defined __AVX2__
    return (lanes)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined __SSE2__
    return (lanes)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return lanes_select(a < b, a, b);
#endif
}
/* lanes changed about: halves, neighbours */
#if defined __AVX2__
#define LANES_HALVES(a)                                                        \
    ((lanes)_mm256_permute2f128_pd((__m256d)(a), (__m256d)(a), 1))
#define LANES_NEXT(a) ((lanes)_mm256_permute_pd((__m256d)(a), 5))
#else
#define LANES_HALVES(a) (a)
#define LANES_NEXT(a) ((lanes){(a)[1], (a)[0]})
#endif
/* the least of all, in every lane */
LANES_INLINE lanes
lanes_least(lanes a)
{
    if (LANES > 2)
        a = lanes_less(a, LANES_HALVES(a));
    return lanes_less(a, LANES_NEXT(a));
}
/* the one that is not 0, in every lane */
LANES_INLINE lanes
lanes_spread(lanes a)
{
    if (LANES > 2)
        a = lanes_either(a, LANES_HALVES(a));
    return lanes_either(a, LANES_NEXT(a));
}
/* bit k: lane k is true */
LANES_INLINE uint64_t
lanes_bits(lanes_truth c)
{
#if defined __AVX2__
    return (uint64_t)_mm256_movemask_pd((__m256d)c);
#elif defined __SSE2__
    return (uint64_t)_mm_movemask_pd((__m128d)c);
#else
    return (uint64_t)(c[0] & 1) | (uint64_t)(c[1] & 2);
#endif
}

#endif
