/* SPDX-License-Identifier: MIT */
/* Roots of polynomials on an interval. No sign change is assumed: Bernstein
 * coefficients bound the polynomial on every piece, and their sign variations
 * count its roots (Descartes' rule). Polynomials are c[0] + c[1] s + ... +
 * c[n] s^n, n <= POLYNOMIAL_MAX, on 0 <= s <= h with h finite. */
#ifndef IMP_RUNTIME_NUMERICS_POLYNOMIAL_H
#define IMP_RUNTIME_NUMERICS_POLYNOMIAL_H

#include <stdbool.h>

#define POLYNOMIAL_MAX 24

double polynomial_value(const double *c, int n, double s);
/* The sum of the sizes of its terms. */
double polynomial_size(const double *c, int n, double s);
/* The derivative: d receives n entries (degree n - 1); for n = 0 one entry, 0.
 * Returns the degree of the derivative. */
int polynomial_derivative(const double *c, int n, double *d);
/* The same polynomial in powers of s - at: about[k] (n + 1 entries, not c). */
void polynomial_about(const double *c, int n, double at, double *about);
/* The first time at which one of its terms alone, but c[0], has changed the
 * polynomial by 2 n times `change`; infinite for a constant. */
double polynomial_moves(const double *c, int n, double change);
/* Is the polynomial above the level on all of [0, h], because on each of some
 * pieces of it the terms cannot take away as much as there is at its beginning?
 * Then no piece in Bernstein form comes to the level. */
bool polynomial_clearly_above(const double *c, int n, double h, double level);
/* h, or, where h is so long that halving it never comes down to the roots of
 * p - level, a length behind which it has none: nor has a derivative of it. */
double polynomial_reach(const double *c, int n, double h, double level);
/* The first s in [from, h] with p(s) <= level; false if p > level throughout.
 * A touch of the level from above counts, and no root is passed over. */
bool polynomial_below(const double *c, int n, double from, double h,
                      double level, double *s);
/* The same for level 0, but where p only dips, by no more than `noise`, and
 * then rises above `noise` again, it has not come through. */
bool polynomial_through(const double *c, int n, double h, double noise,
                        double *s);
/* All real roots in [0, h], ascending; at most `max` (n is enough). Values
 * within `noise` of zero count as zero: a multiple root, or a cluster that
 * cannot be told apart, gives one entry in the middle of it. Returns the
 * number of roots; -1 if the polynomial is zero (within noise) throughout. */
int polynomial_roots(const double *c, int n, double h, double noise,
                     double *root, int max);
/* Where a polynomial that is negative at `after` >= 0 has come through 0 before
 * that: after 0, or just before it if it is not positive there. */
double polynomial_crosses(const double *c, int n, double after);
/* When a series that is not negative now falls to 0 within h; infinite: it does
 * not. A series that begins with 0, at a change of a mode, does so by what
 * follows, one that begins right before its root there. size: of its terms, if
 * that is more than its own. */
double polynomial_falls(const double *c, int n, double h, double size);
/* For how long, at most h, a series holds: what it leaves out, as its last two
 * terms tell, is rounding of it. */
double polynomial_holds(const double *c, int n, double h);
/* Moves *s to the root next to it, by Newton's method, by at most `reach`.
 * False if the method leaves the reach or does not converge. */
bool polynomial_newton(const double *c, int n, double reach, double *s);

#endif
