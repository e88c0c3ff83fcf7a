/* SPDX-License-Identifier: MIT */
/* Roots of polynomials on an interval, isolated and not guessed: Bernstein
 * coefficients bound the polynomial on every piece, their sign variations
 * count its roots (Descartes' rule). Polynomials are c[0] + c[1] s + ... +
 * c[n] s^n, n <= POLYNOMIAL_MAX, on 0 <= s <= h with h finite. */
#ifndef IMP_RUNTIME_NUMERICS_POLYNOMIAL_H
#define IMP_RUNTIME_NUMERICS_POLYNOMIAL_H

#include <stdbool.h>

#define POLYNOMIAL_MAX 24

double polynomial_value(const double *c, int n, double s);
/* derivative: d receives n entries (degree n - 1); n = 0: the zero, 1 entry.
 * Returns its degree. */
int polynomial_derivative(const double *c, int n, double *d);
/* first s in [from, h] with p(s) <= level; false if p > level throughout.
 * A touch of the level from above counts; nothing is passed over. */
bool polynomial_below(const double *c, int n, double from, double h,
                      double level, double *s);
/* all real roots in [0, h], ascending; at most `max` (n is enough). Values
 * within `noise` of zero count as zero: a multiple root or a cluster that
 * cannot be told apart gives one entry, in the middle of it. Returns how
 * many; -1 when the polynomial is zero (within noise) throughout. */
int polynomial_roots(const double *c, int n, double h, double noise,
                     double *root, int max);
/* the root nearest to s by Newton's method, moving at most `reach`; false if
 * it leaves the reach or does not converge */
bool polynomial_newton(const double *c, int n, double reach, double *s);

#endif
