/* SPDX-License-Identifier: MIT */
/* Vectors of doubles: `lanes` has LANES of them, four where the file is
 * compiled for AVX2, otherwise two, or as many as the file says before it
 * includes this header (1, 2 or 4); `pair` always has two and `four` always
 * four. Each lane gets the number that the scalar operation gives, to the last
 * bit. */
#ifndef IMP_RUNTIME_NUMERICS_SIMD_H
#define IMP_RUNTIME_NUMERICS_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif
#ifndef LANES
#ifdef __AVX2__
#define LANES 4
#else
#define LANES 2
#endif
#endif
#if LANES == 4 && defined __AVX2__
#define LANES_AVX2
#elif LANES == 2 && defined __SSE2__
#define LANES_SSE2
#endif
/* Functions that return vectors are inline, so that no convention of calls
 * matters. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* always: loops of constant length where the numbers are known */
#define LANES_INLINE static inline __attribute__((always_inline))
/* A function that is such a loop for constant numbers. It stands apart, because
 * a compiler's time grows faster than the length of a function. */
#define LANES_APART static __attribute__((noinline))
#define SELDOM(x) __builtin_expect(!!(x), 0)

/* A truth is -1 or 0 in each lane. One lane is a plain number, which compilers
 * handle better than a vector of one. */
#if LANES > 1
typedef double lanes __attribute__((vector_size(8 * LANES), may_alias));
typedef int64_t lanes_truth __attribute__((vector_size(8 * LANES), may_alias));
#define LANES_TRUTH(comparison) ((lanes_truth)(comparison))
#else
typedef double lanes;
typedef int64_t lanes_truth;
#define LANES_TRUTH(comparison) (-(lanes_truth)(comparison))
#endif

LANES_INLINE lanes_truth
lanes_below(lanes a, lanes b)
{
    return LANES_TRUTH(a < b);
}
LANES_INLINE lanes_truth
lanes_at_most(lanes a, lanes b)
{
    return LANES_TRUTH(a <= b);
}
LANES_INLINE lanes_truth
lanes_equal(lanes a, lanes b)
{
    return LANES_TRUTH(a == b);
}
/* Returns number i. */
LANES_INLINE double
lanes_at(const lanes *x, int i)
{
    return ((const double *)x)[i];
}

/* One lane is read and written as a plain number: a compiler takes a copy of
 * bytes for a change of anything, pointers included. */
LANES_INLINE lanes
lanes_load(const double *x)
{
#if LANES == 1
    return *x;
#else
    lanes a;
    memcpy(&a, x, sizeof a);
    return a;
#endif
}
LANES_INLINE void
lanes_store(double *x, lanes a)
{
#if LANES == 1
    *x = a;
#else
    memcpy(x, &a, sizeof a);
#endif
}
LANES_INLINE lanes
lanes_of(double x)
{
#if LANES == 4
    return (lanes){x, x, x, x};
#elif LANES == 2
    return (lanes){x, x};
#else
    return x;
#endif
}
/* Returns a truth that is true in lane i alone, or in none if there is no such
 * lane. */
LANES_INLINE lanes_truth
lanes_alone(int i)
{
#if LANES == 4
    return (lanes_truth){0, 1, 2, 3} == i;
#elif LANES == 2
    return (lanes_truth){0, 1} == i;
#else
    return -(int64_t)(i == 0);
#endif
}
/* Returns the same in every lane. */
LANES_INLINE lanes_truth
lanes_all(bool is)
{
    int64_t x = -(int64_t)is;
#if LANES == 4
    return (lanes_truth){x, x, x, x};
#elif LANES == 2
    return (lanes_truth){x, x};
#else
    return x;
#endif
}
/* Returns `yes` where true, else `no`. */
LANES_INLINE lanes
lanes_select(lanes_truth c, lanes yes, lanes no)
{
#if LANES == 1
    return c ? yes : no;
#elif defined LANES_AVX2
    return (lanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)c);
#else
    return (lanes)(((lanes_truth)yes & c) | ((lanes_truth)no & ~c));
#endif
}
/* Returns x where true (lanes_unless: false), else 0; lanes_either returns
 * either of two of which one is 0. They do not use the operators of integers:
 * changing over costs time. */
LANES_INLINE lanes
lanes_where(lanes_truth c, lanes x)
{
#if LANES == 1
    return c ? x : 0.0;
#elif defined LANES_AVX2
    return (lanes)_mm256_and_pd((__m256d)c, (__m256d)x);
#elif defined LANES_SSE2
    return (lanes)_mm_and_pd((__m128d)c, (__m128d)x);
#else
    return (lanes)((lanes_truth)x & c);
#endif
}
LANES_INLINE lanes
lanes_unless(lanes_truth c, lanes x)
{
#if LANES == 1
    return c ? 0.0 : x;
#elif defined LANES_AVX2
    return (lanes)_mm256_andnot_pd((__m256d)c, (__m256d)x);
#elif defined LANES_SSE2
    return (lanes)_mm_andnot_pd((__m128d)c, (__m128d)x);
#else
    return (lanes)((lanes_truth)x & ~c);
#endif
}
LANES_INLINE lanes_truth
lanes_not(lanes_truth c, lanes_truth d) /* d and not c */
{
#if LANES == 1
    return d & ~c;
#else
    return (lanes_truth)lanes_unless(c, (lanes)d);
#endif
}
LANES_INLINE lanes
lanes_either(lanes a, lanes b)
{
#if LANES == 1
    return a != 0.0 ? a : b;
#elif defined LANES_AVX2
    return (lanes)_mm256_or_pd((__m256d)a, (__m256d)b);
#elif defined LANES_SSE2
    return (lanes)_mm_or_pd((__m128d)a, (__m128d)b);
#else
    return (lanes)((lanes_truth)a | (lanes_truth)b);
#endif
}
LANES_INLINE lanes
lanes_abs(lanes a)
{
#if LANES == 1
    return __builtin_fabs(a);
#else
    return lanes_unless((lanes_truth)lanes_of(-0.0), a);
#endif
}
/* Returns the sum of |y| of n. */
LANES_INLINE lanes
lanes_sizes(const lanes *y, int n)
{
    lanes s = lanes_abs(y[0]);
    for (int j = 1; j < n; j++)
        s += lanes_abs(y[j]);
    return s;
}
/* Returns a > b ? a : b. */
LANES_INLINE lanes
lanes_greater(lanes a, lanes b)
{
#ifdef LANES_AVX2
    return (lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined LANES_SSE2
    return (lanes)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return lanes_select(lanes_below(b, a), a, b);
#endif
}
/* Returns a < b ? a : b. */
LANES_INLINE lanes
lanes_less(lanes a, lanes b)
{
#ifdef LANES_AVX2
    return (lanes)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined LANES_SSE2
    return (lanes)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return lanes_select(lanes_below(a, b), a, b);
#endif
}
/* lanes changed about: halves, neighbours */
#ifdef LANES_AVX2
#define LANES_HALVES(a)                                                        \
    ((lanes)_mm256_permute2f128_pd((__m256d)(a), (__m256d)(a), 1))
#define LANES_NEXT(a) ((lanes)_mm256_permute_pd((__m256d)(a), 5))
#else
#define LANES_HALVES(a) (a)
#if LANES == 2
#define LANES_NEXT(a) ((lanes){(a)[1], (a)[0]})
#else
#define LANES_NEXT(a) (a)
#endif
#endif
/* Returns the greatest of all, in every lane. */
LANES_INLINE lanes
lanes_most(lanes a)
{
    if (LANES > 2)
        a = lanes_greater(a, LANES_HALVES(a));
    return LANES > 1 ? lanes_greater(a, LANES_NEXT(a)) : a;
}
/* Returns the one that is not 0, in every lane. */
LANES_INLINE lanes
lanes_spread(lanes a)
{
    if (LANES > 2)
        a = lanes_either(a, LANES_HALVES(a));
    return lanes_either(a, LANES_NEXT(a));
}
/* Returns bits: bit k is set where lane k is true. */
LANES_INLINE uint64_t
lanes_bits(lanes_truth c)
{
#ifdef LANES_AVX2
    return (uint64_t)_mm256_movemask_pd((__m256d)c);
#elif defined LANES_SSE2
    return (uint64_t)_mm_movemask_pd((__m128d)c);
#else
    uint64_t bits = 0;
    const int64_t *is = (const int64_t *)&c;
    for (int i = 0; i < LANES; i++)
        bits |= (uint64_t)(is[i] & 1) << i;
    return bits;
#endif
}

/* -- vectors of constant length -------------------------------------------- */

/* Two doubles, whatever the processor. */
typedef double pair __attribute__((vector_size(16), may_alias));

LANES_INLINE pair
pair_load(const double *x)
{
    pair a;
    memcpy(&a, x, sizeof a);
    return a;
}
LANES_INLINE void
pair_store(double *x, pair a)
{
    memcpy(x, &a, sizeof a);
}
LANES_INLINE pair
pair_of(double x)
{
    return (pair){x, x};
}
LANES_INLINE pair
pair_abs(pair a)
{
    typedef int64_t bits __attribute__((vector_size(16), may_alias));
    return (pair)((bits)a & INT64_MAX);
}

/* Four doubles, whatever the processor. */
typedef double four __attribute__((vector_size(32), may_alias));

LANES_INLINE four
four_of(double x)
{
    return (four){x, x, x, x};
}

#endif
