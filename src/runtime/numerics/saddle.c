/* SPDX-License-Identifier: MIT */
/* Factors of the equations of jointed bodies,
 *     [ A  B   ]   A the multipliers' part, B the spins' part of the joints,
 *     [ B' -J  ]   J the inertias,
 * symmetric and indefinite. Nothing is divided by an inertia, so J may be small
 * or zero where joints make the motion regular. Rows may depend on others
 * (redundant joints). P K P^T = L D L^T with pivots of size 1 and 2 after Bunch
 * and Parlett (1971), measured in a scale in which the greatest entry of each
 * row is near 1, so that no unit chooses. What is left when the pivots have
 * shrunk to rounding depends on what was taken: its unknowns are 0.
 * One fixed order of operations: evaluator and generated code call the same
 * function, so the bits agree (I6).
 *
 * Letters: a is K (n x n, by rows) and then its factors, b the right-hand side
 * and then the solution, k the step of the elimination. A pivot of size 2 takes
 * the steps k and k + 1; their entries of piv are below SADDLE_NONE. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "abi/image.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/factors.h"

/* a row that was left out */
#define SADDLE_NONE (-1)
/* (1 + sqrt(17))/8: a diagonal pivot of this share of the greatest entry lets
 * the factors grow no faster than a pivot of size 2 (Bunch and Parlett) */
#define SADDLE_DIAGONAL 0.6403882032022076
/* Rounding of what is left, in eps of the scaled entries and per row; the
 * growth of the factors is below 10 in practice (Higham 2002, sec. 11.1). A row
 * of joints at the angle theta to those before has a pivot of theta^2: angles
 * below 4e-7 at 8 rows count as 0. */
#define SADDLE_GROWTH 10
/* Most sweeps of the scaling. Each halves the exponents of what is off, which
 * have 11 bits; a second look at every row is spare. */
#define SADDLE_SWEEPS 22

/* Returns 2^e. */
static double
power(int e)
{
    return ldexp(1.0, e < -1000 ? -1000 : e > 1000 ? 1000 : e);
}

/* Powers of 2 that bring the greatest entry of each row near 1. Returns nonzero
 * if an entry is not finite. */
static int
scale(int n, const double *a, double *weight)
{
    for (int i = 0; i < n; i++)
        weight[i] = 1.0;
    bool settled = false;
    for (int sweep = 0; sweep < SADDLE_SWEEPS && !settled; sweep++) {
        settled = true;
        for (int i = 0; i < n; i++) {
            double most = 0.0;
            int exponent;
            for (int j = 0; j < n; j++) {
                double x = fabs(a[i * n + j]);
                if (!(x <= DBL_MAX))
                    return 1;
                most = fmax(most, x * weight[j]);
            }
            if (!(most >= DBL_MIN))
                continue;
            /* the diagonal entry holds the weight twice */
            (void)frexp(most * weight[i], &exponent);
            weight[i] *= power(-(exponent / 2));
            settled &= exponent / 2 == 0;
        }
    }
    return 0;
}

/* the greatest scaled entries of what is left: on the diagonal, beside it */
struct greatest {
    double diagonal, beside;
    int at, row, col; /* row > col */
};

static struct greatest
find(int n, const double *a, const double *weight, int k)
{
    struct greatest most = {-1.0, -1.0, k, k, k};
    for (int i = k; i < n; i++) {
        double d = fabs(a[i * n + i]) * weight[i] * weight[i];
        if (d > most.diagonal) {
            most.diagonal = d;
            most.at = i;
        }
        for (int j = k; j < i; j++) {
            double x = fabs(a[i * n + j]) * weight[i] * weight[j];
            if (x > most.beside) {
                most.beside = x;
                most.row = i;
                most.col = j;
            }
        }
    }
    return most;
}

static void
eliminate_one(int n, double *a, int k)
{
    double inverse = 1.0 / a[k * n + k];
    for (int i = k + 1; i < n; i++) {
        double f = a[i * n + k] * inverse;
        for (int j = k + 1; j <= i && f != 0.0; j++)
            a[j * n + i] = a[i * n + j] -= f * a[k * n + j];
    }
    for (int i = k + 1; i < n; i++)
        a[i * n + k] *= inverse;
    a[k * n + k] = inverse;
}

/* Sets x := D^-1 x for the pivot of size 2 at step k. */
static void
solve_two(int n, const double *a, int k, double *x, double *y)
{
    double off = a[(k + 1) * n + k], first = a[k * n + k] / off,
           second = a[(k + 1) * n + k + 1] / off;
    double left = *x / off, right = *y / off;
    double below = first * second - 1.0;
    *x = (second * left - right) / below;
    *y = (first * right - left) / below;
}

static void
eliminate_two(int n, double *a, int k)
{
    for (int i = k + 2; i < n; i++) {
        double x = a[i * n + k], y = a[i * n + k + 1];
        solve_two(n, a, k, &x, &y);
        for (int j = k + 2; j <= i; j++)
            a[j * n + i] = a[i * n + j] -=
                x * a[k * n + j] + y * a[(k + 1) * n + j];
        a[i * n + k] = x;
        a[i * n + k + 1] = y;
    }
}

int
imp_saddle_factor(int n, double *a, int *piv)
{
    assert(n >= 0 && n <= IMP_UNKNOWN_MAX);
    assert(n == 0 || (a != NULL && piv != NULL));
    double weight[IMP_UNKNOWN_MAX];
    const double least = SADDLE_GROWTH * n * DBL_EPSILON;
    if (n > IMP_UNKNOWN_MAX || scale(n, a, weight))
        return 1;
    for (int i = 0; i < n; i++)
        piv[i] = SADDLE_NONE;
    for (int k = 0; k < n;) {
        struct greatest most = find(n, a, weight, k);
        if (!(fmax(most.diagonal, most.beside) > least))
            break;
        if (most.diagonal >= SADDLE_DIAGONAL * most.beside) {
            dense_exchange(n, a, weight, k, most.at);
            piv[k] = most.at;
            eliminate_one(n, a, k++);
            continue;
        }
        /* col < row, so the first exchange does not move the second row */
        dense_exchange(n, a, weight, k, most.col);
        dense_exchange(n, a, weight, k + 1, most.row);
        piv[k] = -2 - most.col;
        piv[k + 1] = -2 - most.row;
        eliminate_two(n, a, k);
        k += 2;
    }
    return 0;
}

int
imp_saddle_rank(int n, const int *piv)
{
    assert(n >= 0 && (n == 0 || piv != NULL));
    int rank = n; /* those left out come last */
    while (rank > 0 && piv[rank - 1] == SADDLE_NONE)
        rank--;
    return rank;
}

static void
exchange(double *b, int k, int piv)
{
    int other = piv < SADDLE_NONE ? -2 - piv : piv;
    double kept = b[k];
    b[k] = b[other];
    b[other] = kept;
}

void
imp_saddle_solve(int n, const double *a, const int *piv, double *b)
{
    assert(n >= 0 && n <= IMP_UNKNOWN_MAX);
    int rank = imp_saddle_rank(n, piv);
    for (int k = 0; k < rank; k++)
        exchange(b, k, piv[k]);
    for (int k = rank; k < n; k++)
        b[k] = 0.0;
    for (int k = 0; k < rank; k++) {
        bool two = piv[k] < SADDLE_NONE;
        for (int j = k + 1 + two; j < rank; j++) {
            b[j] -= a[j * n + k] * b[k];
            if (two)
                b[j] -= a[j * n + k + 1] * b[k + 1];
        }
        if (two)
            solve_two(n, a, k, b + k, b + k + 1);
        else
            b[k] *= a[k * n + k];
        k += two;
    }
    for (int k = rank - 1; k >= 0; k--) {
        bool two = piv[k] < SADDLE_NONE;
        for (int j = k + 1; j < rank; j++) {
            b[k] -= a[j * n + k] * b[j];
            if (two)
                b[k - 1] -= a[j * n + k - 1] * b[j];
        }
        k -= two;
    }
    for (int k = rank - 1; k >= 0; k--)
        exchange(b, k, piv[k]);
}
