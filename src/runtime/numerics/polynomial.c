/* SPDX-License-Identifier: MIT */
/* Real roots of a polynomial on an interval by subdivision in Bernstein form
 * (polynomial.h). Used on the polynomial of a gap along the motion: what a root
 * finder without isolation passes over, double and triple roots, is what this
 * program is for.
 *
 * On a piece [lo, hi] the polynomial is a convex combination of its Bernstein
 * coefficients: if all have one sign there is no root; exactly one sign
 * variation means exactly one root (Lane & Riesenfeld 1981). Pieces are
 * halved with de Casteljau's algorithm, which only averages. */
#include "runtime/numerics/polynomial.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* halvings after which a piece is a point: h * 2^-54 is below an ulp of h */
#define POLY_DEPTH 54

struct piece {
    double b[POLYNOMIAL_MAX + 1];
    double lo, hi;
    int depth;
};

double
polynomial_value(const double *c, int n, double s)
{
    assert(c != NULL && n >= 0);
    double y = c[n];
    for (int k = n - 1; k >= 0; k--)
        y = y * s + c[k];
    return y;
}

double
polynomial_size(const double *c, int n, double s)
{
    assert(c != NULL && n >= 0);
    double size = 0.0;
    for (int k = n; k >= 0; k--)
        size = size * s + fabs(c[k]);
    return size;
}

int
polynomial_derivative(const double *c, int n, double *d)
{
    assert(c != NULL && d != NULL && n >= 0);
    if (n == 0) {
        d[0] = 0.0;
        return 0;
    }
    for (int k = 1; k <= n; k++)
        d[k - 1] = k * c[k];
    return n - 1;
}

void
polynomial_about(const double *c, int n, double at, double *about)
{
    assert(c != NULL && about != NULL && c != about && n >= 0);
    while (n > 0 && c[n] == 0.0)
        about[n--] = 0.0;
    for (int k = 0; k <= n; k++)
        about[k] = c[k];
    /* Horner's rule for the value, then for each quotient */
    for (int k = 0; k < n && at != 0.0; k++)
        for (int j = n - 1; j >= k; j--)
            about[j] += about[j + 1] * at;
}

/* c h^k, where hk is h^k: that power alone may be beyond all numbers where the
 * term is not. */
static double
term(double c, int k, double h, double hk)
{
    if (hk <= DBL_MAX)
        return c * hk;
    for (int i = 0; i < k && c != 0.0; i++)
        c *= h;
    return c;
}

/* quotient[b][a] = a/b, and a where b is 0: divisions take longer than all the
 * rest of to_bernstein. */
#define QUOTIENTS(b)                                                           \
    {                                                                          \
        0.0 / (b), 1.0 / (b), 2.0 / (b), 3.0 / (b), 4.0 / (b), 5.0 / (b),      \
            6.0 / (b), 7.0 / (b), 8.0 / (b), 9.0 / (b), 10.0 / (b),            \
            11.0 / (b), 12.0 / (b), 13.0 / (b), 14.0 / (b), 15.0 / (b),        \
            16.0 / (b), 17.0 / (b), 18.0 / (b), 19.0 / (b), 20.0 / (b),        \
            21.0 / (b), 22.0 / (b), 23.0 / (b), 24.0 / (b)                     \
    }
static const double quotient[POLYNOMIAL_MAX + 1][POLYNOMIAL_MAX + 1] = {
    QUOTIENTS(1),  QUOTIENTS(1),  QUOTIENTS(2),  QUOTIENTS(3),  QUOTIENTS(4),
    QUOTIENTS(5),  QUOTIENTS(6),  QUOTIENTS(7),  QUOTIENTS(8),  QUOTIENTS(9),
    QUOTIENTS(10), QUOTIENTS(11), QUOTIENTS(12), QUOTIENTS(13), QUOTIENTS(14),
    QUOTIENTS(15), QUOTIENTS(16), QUOTIENTS(17), QUOTIENTS(18), QUOTIENTS(19),
    QUOTIENTS(20), QUOTIENTS(21), QUOTIENTS(22), QUOTIENTS(23), QUOTIENTS(24)};

/* Two numbers at once. */
typedef double pair __attribute__((vector_size(16)));

static inline pair
two(const double *x)
{
    pair p;
    memcpy(&p, x, sizeof p);
    return p;
}

static inline void
put_two(double *x, pair p)
{
    memcpy(x, &p, sizeof p);
}

/* Gives the Bernstein coefficients on [0, h]: b_i = sum_k C(i,k)/C(n,k) c_k
 * h^k; all weights are at most 1. The sums of all i go on together, as each
 * waits for its own last term. */
static void
to_bernstein(const double *c, int n, double h, double *b)
{
    double weight[POLYNOMIAL_MAX + 2], sum[POLYNOMIAL_MAX + 2], hk = 1.0;
    for (int i = 0; i <= n + 1 && i < POLYNOMIAL_MAX + 2; i++) {
        weight[i] = 1.0;
        sum[i] = 0.0;
    }
    for (int k = 0; k <= n; k++) {
        double a = term(c[k], k, h, hk);
        const double *by = quotient[n - k];
        pair terms = {a, a};
        int i = k;
        for (; i < n; i += 2) {
            pair w = two(weight + i);
            put_two(sum + i, two(sum + i) + w * terms);
            put_two(weight + i, w * two(by + i - k));
        }
        if (i == n) {
            sum[n] += weight[n] * a;
            weight[n] *= by[n - k];
        }
        hk *= h;
    }
    memcpy(b, sum, (size_t)(n + 1) * sizeof *b);
}

/* Splits b at fraction f into its left and right halves (right may be b
 * itself). */
static void
split(const double *b, int n, double f, double *left, double *right)
{
    double w[POLYNOMIAL_MAX + 2];
    const pair here = {1.0 - f, 1.0 - f}, next = {f, f};
    memcpy(w, b, sizeof(double) * (size_t)(n + 1));
    for (int j = 0; j <= n; j++) {
        left[j] = w[0];
        right[n - j] = w[n - j];
        int i = 0;
        for (; i + 1 < n - j; i += 2)
            put_two(w + i, here * two(w + i) + next * two(w + i + 1));
        if (i < n - j)
            w[i] = (1.0 - f) * w[i] + f * w[i + 1];
    }
}

static int
variations(const double *b, int n)
{
    int v = 0, last = 0;
    for (int i = 0; i <= n; i++) {
        int s = (b[i] > 0.0) - (b[i] < 0.0);
        if (s != 0 && last != 0 && s != last)
            v++;
        if (s != 0)
            last = s;
    }
    return v;
}

/* Returns the one root of p - level in [lo, hi], where it has opposite signs at
 * the ends. Newton's method is kept inside by bisection. */
static double
bracketed(const double *c, int n, double level, double lo, double hi)
{
    bool falling = (lo == 0.0 ? c[0] : polynomial_value(c, n, lo)) > level;
    double at = 0.5 * (lo + hi);
    for (int it = 0; it < 200 && at > lo && at < hi; it++) {
        double value = c[n], dy = 0.0;
        for (int k = n - 1; k >= 0; k--) {
            dy = dy * at + value;
            value = value * at + c[k];
        }
        value -= level;
        if (value == 0.0)
            return at;
        if ((value > 0.0) == falling)
            lo = at;
        else
            hi = at;
        double next = at - value / dy;
        if (!(next > lo && next < hi))
            next = 0.5 * (lo + hi);
        else if (fabs(next - at) <= DBL_EPSILON * fabs(at))
            return next;
        /* Newton's method from one side would never move the other end. */
        if (it % 8 == 7)
            next = 0.5 * (lo + hi);
        at = next;
    }
    return at;
}

/* Rounding of Bernstein coefficients, as a share of the sum of the sizes of all
 * terms: each is a sum of at most POLYNOMIAL_MAX + 1 terms, whose weights are
 * products of as many factors. */
#define POLY_ROUNDING (4 * POLYNOMIAL_MAX * POLYNOMIAL_MAX * DBL_EPSILON)

/* A bound is looked for on so many pieces of an interval before roots are
 * isolated, which costs as much as ten of them. */
#define POLY_PIECES 4

/* What the terms of orders 1 .. n add until s, and what they take away. Both
 * grow with s. */
static void
gains_and_losses(const double *c, int n, double s, double *gain, double *loss)
{
    double twice_gain = 0.0, twice_loss = 0.0;
    for (int k = n; k >= 1; k--) {
        double size = fabs(c[k]);
        twice_gain = (twice_gain + (size + c[k])) * s;
        twice_loss = (twice_loss + (size - c[k])) * s;
    }
    *gain = 0.5 * twice_gain;
    *loss = 0.5 * twice_loss;
}

/* polynomial_clearly_above; *terms: the sum of the sizes of all terms but the
 * first, at h. */
static bool
clearly_above(const double *c, int n, double h, double level, double *terms)
{
    double above = c[0] - level, gain, loss, gained = 0.0;
    gains_and_losses(c, n, h, &gain, &loss);
    *terms = gain + loss;
    double noise = POLY_ROUNDING * (fabs(c[0]) + fabs(level) + (gain + loss));
    if (above > loss + noise)
        return true;
    /* at the end there is no more than all that is gained */
    if (!(above > noise && above + gain > loss + noise))
        return false;
    for (int piece = 1; piece < POLY_PIECES; piece++) {
        double part_gain, part_loss;
        gains_and_losses(c, n, h * piece / POLY_PIECES, &part_gain, &part_loss);
        if (!(above + gained > part_loss + noise))
            return false;
        gained = part_gain;
    }
    return above + gained > loss + noise;
}

bool
polynomial_clearly_above(const double *c, int n, double h, double level)
{
    assert(c != NULL && n >= 0);
    double terms;
    return clearly_above(c, n, h, level, &terms);
}

/* Does the polynomial, which begins above the level, bend down or fall on all
 * of [0, h], as the sizes of its terms show? Then so do its Bernstein
 * coefficients, and where it ends below the level, it comes there once. */
static bool
comes_down(const double *c, int n, double h)
{
    double fall = 0.0, bend = 0.0;
    for (int k = n; k >= 3; k--) {
        double size = k * fabs(c[k]);
        fall = fall * h + size;
        bend = bend * h + (k - 1) * size;
    }
    /* the terms of orders 3 .. n of the first two derivatives */
    bend *= h;
    fall *= h * h;
    return n >= 2 && ((-2.0 * c[2] > bend && isfinite(bend)) ||
                      -c[1] > fall + 2.0 * fabs(c[2]) * h);
}

/* An interval that is so much longer than the largest root of a polynomial is
 * shortened before it is halved. */
#define POLY_LONG 44

double
polynomial_reach(const double *c, int n, double h, double level)
{
    assert(c != NULL && n >= 0);
    int most = INT_MIN;
    while (n > 0 && c[n] == 0.0)
        n--;
    /* the next term alone would have a root that is not far enough below h */
    if (n == 0 || !(fabs(c[n]) * h >= ldexp(fabs(c[n - 1]), POLY_LONG)))
        return h;
    /* a root is at most twice the largest of |c[k]/c[n]|^(1/(n-k)) */
    for (int k = 0; k < n; k++) {
        double x = k ? c[k] : c[0] - level;
        if (x == 0.0 || !isfinite(x) || !isfinite(c[n]))
            continue;
        int more = ilogb(x) - ilogb(c[n]) + 1;
        int root = more > 0 ? (more + n - k - 1) / (n - k) : more / (n - k);
        most = root > most ? root : most;
    }
    if (most == INT_MIN || !(h > ldexp(1.0, most + 2 + POLY_LONG)))
        return h;
    return ldexp(1.0, most + 2);
}

bool
polynomial_below(const double *c, int n, double from, double h, double level,
                 double *s)
{
    assert(c != NULL && s != NULL);
    assert(n >= 0 && n <= POLYNOMIAL_MAX);
    if (polynomial_clearly_above(c, n, h, level))
        return false;
    struct piece stack[POLY_DEPTH + 2];
    int top = 0;
    while (n > 0 && c[n] == 0.0)
        n--;
    h = fmin(h, fmax(2.0 * from, polynomial_reach(c, n, h, level)));
    if (from == 0.0 && c[0] > level && comes_down(c, n, h) &&
        polynomial_value(c, n, h) < level) {
        *s = bracketed(c, n, level, 0.0, h);
        return true;
    }
    to_bernstein(c, n, h, stack[0].b);
    for (int i = 0; i <= n; i++)
        stack[0].b[i] -= level;
    stack[0].lo = 0.0;
    stack[0].hi = h;
    stack[0].depth = 0;
    if (from > 0.0) {
        double left[POLYNOMIAL_MAX + 1], right[POLYNOMIAL_MAX + 1];
        if (from > h)
            return false;
        split(stack[0].b, n, from / h, left, right);
        memcpy(stack[0].b, right, sizeof right);
        stack[0].lo = from;
    }
    while (top >= 0) {
        struct piece piece = stack[top--];
        if (piece.b[0] <= 0.0) {
            *s = piece.lo;
            return true;
        }
        int v = variations(piece.b, n);
        bool reaches = v > 0;
        for (int i = 0; i <= n; i++)
            reaches = reaches || piece.b[i] <= 0.0;
        if (!reaches)
            continue;
        if (v == 1 && piece.b[n] < 0.0 &&
            polynomial_value(c, n, piece.lo) > level &&
            polynomial_value(c, n, piece.hi) < level) {
            *s = bracketed(c, n, level, piece.lo, piece.hi);
            return true;
        }
        if (piece.depth >= POLY_DEPTH) {
            *s = piece.lo;
            return true;
        }
        /* the right half waits below the left one: depth-first, in order */
        double mid = 0.5 * (piece.lo + piece.hi);
        struct piece *r = &stack[++top], *l = &stack[++top];
        split(piece.b, n, 0.5, l->b, r->b);
        l->lo = piece.lo;
        l->hi = r->lo = mid;
        r->hi = piece.hi;
        l->depth = r->depth = piece.depth + 1;
    }
    return false;
}

bool
polynomial_through(const double *c, int n, double h, double noise, double *s)
{
    assert(c != NULL && s != NULL && noise >= 0.0);
    assert(n >= 0 && n <= POLYNOMIAL_MAX);
    double minus[POLYNOMIAL_MAX + 1], from = 0.0, up, down;
    for (int k = 0; k <= n; k++)
        minus[k] = -c[k];
    while (polynomial_below(c, n, from, h, 0.0, s)) {
        if (!polynomial_below(minus, n, *s, h, -noise, &up) ||
            polynomial_below(c, n, *s, up, -noise, &down) || !(up > from))
            return true;
        from = up;
    }
    return false;
}

/* a cluster that reaches lo grows, otherwise a new entry is made */
struct roots {
    double *v, end;
    int n, max;
    bool open;
    double begin;
};
static void
close_cluster(struct roots *rs)
{
    if (rs->open && rs->n < rs->max)
        rs->v[rs->n++] = 0.5 * (rs->begin + rs->end);
    rs->open = false;
}

int
polynomial_roots(const double *c, int n, double h, double noise, double *root,
                 int max)
{
    assert(c != NULL && n >= 0 && n <= POLYNOMIAL_MAX);
    assert(max == 0 || root != NULL);
    struct piece stack[POLY_DEPTH + 2];
    struct roots rs = {root, 0.0, 0, max, false, 0.0};
    int top = 0;
    while (n > 0 && c[n] == 0.0)
        n--;
    to_bernstein(c, n, h, stack[0].b);
    stack[0].lo = 0.0;
    stack[0].hi = h;
    stack[0].depth = 0;
    /* each term carries a rounding error of its own size, also where the terms
     * cancel */
    double big = 0.0, terms = 0.0, hk = 1.0;
    for (int i = 0; i <= n; i++, hk *= h) {
        big = fmax(big, fabs(stack[0].b[i]));
        terms += term(fabs(c[i]), i, h, hk);
    }
    double floor_noise = fmax(noise, 2.0 * DBL_EPSILON * terms);
    if (big <= floor_noise)
        return -1;
    while (top >= 0) {
        struct piece piece = stack[top--];
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i <= n; i++) {
            lo = fmin(lo, piece.b[i]);
            hi = fmax(hi, piece.b[i]);
        }
        /* There is no root: all have one sign, and rounding could not have
         * changed it. */
        if (lo > floor_noise || hi < -floor_noise) {
            close_cluster(&rs);
            continue;
        }
        bool sure =
            fabs(piece.b[0]) > floor_noise && fabs(piece.b[n]) > floor_noise;
        if (sure && (piece.b[0] > 0.0) != (piece.b[n] > 0.0) &&
            variations(piece.b, n) == 1) {
            close_cluster(&rs);
            if (rs.n < max)
                rs.v[rs.n++] = bracketed(c, n, 0.0, piece.lo, piece.hi);
            continue;
        }
        if ((lo >= -floor_noise && hi <= floor_noise) ||
            piece.depth >= POLY_DEPTH) {
            if (!rs.open)
                rs.begin = piece.lo;
            rs.open = true;
            rs.end = piece.hi;
            continue;
        }
        double mid = 0.5 * (piece.lo + piece.hi);
        struct piece *r = &stack[++top], *l = &stack[++top];
        split(piece.b, n, 0.5, l->b, r->b);
        l->lo = piece.lo;
        l->hi = r->lo = mid;
        r->hi = piece.hi;
        l->depth = r->depth = piece.depth + 1;
    }
    close_cluster(&rs);
    return rs.n;
}

bool
polynomial_newton(const double *c, int n, double reach, double *s)
{
    assert(c != NULL && s != NULL && n >= 0);
    double s0 = *s, at = s0, last = INFINITY;
    for (int it = 0; it < 60; it++) {
        double y = c[n], dy = 0.0;
        for (int k = n - 1; k >= 0; k--) {
            dy = dy * at + y;
            y = y * at + c[k];
        }
        if (y == 0.0) {
            *s = at;
            return true;
        }
        double dx = y / dy;
        if (!isfinite(dx) || fabs(at - dx - s0) > reach)
            return false;
        at -= dx;
        /* converged: the step no longer shrinks, or is below rounding */
        if (fabs(dx) <= DBL_EPSILON * (fabs(at) + DBL_EPSILON * reach) ||
            (it > 3 && fabs(dx) >= 0.5 * last && fabs(dx) < 1e-6 * reach)) {
            *s = at;
            return true;
        }
        last = fabs(dx);
    }
    return false;
}

double
polynomial_crosses(const double *c, int n, double after)
{
    assert(c != NULL && n >= 1 && after >= 0.0);
    double at = 0.0;
    /* below 0 now: twice the distance to the root of the tangent */
    double reach = c[0] > 0.0   ? after
                   : c[1] < 0.0 ? 2.0 * fabs(c[0] / c[1])
                                : 0.0;
    if (c[0] > 0.0 && !polynomial_below(c, n, 0.0, after, 0.0, &at))
        at = after;
    if (reach > 0.0)
        polynomial_newton(c, n, reach, &at);
    return at;
}

/* Coefficients that over a step change a series by less than this share of its
 * size are 0: they come out of a root, which is known to about this. */
#define FALL_ROOT 0x1p-36

double
polynomial_falls(const double *c, int n, double h, double size)
{
    assert(c != NULL && n >= 0 && n <= POLYNOMIAL_MAX && h >= 0.0);
    double power = 1.0, most = size, s, terms;
    int from = 0;
    /* most often it stays above 0, and its first coefficient is none that
     * counts as 0: the sum of all sizes is at least `most`, but for rounding */
    if (clearly_above(c, n, h, 0.0, &terms) &&
        c[0] > 2.0 * FALL_ROOT * (size + c[0] + terms))
        return INFINITY;
    for (int k = 0; k <= n; k++, power *= h)
        most = fmax(most, term(fabs(c[k]), k, h, power));
    for (power = 1.0;
         from <= n && term(fabs(c[from]), from, h, power) <= most * FALL_ROOT;
         from++)
        power *= h;
    if (from > n)
        return INFINITY;
    if (!polynomial_below(c + from, n - from, 0.0, h, 0.0, &s))
        return INFINITY;
    /* a step may begin right before a root, which lies where it lies */
    return s == 0.0 && from == 1 && c[0] > 0.0 ? fmin(h, -c[0] / c[1]) : s;
}

/* What is left out of a series, as a share of its size: a few roundings. */
#define HOLDS_TRUNCATION 4e-16
#define HOLDS_ROUNDS 8

double
polynomial_holds(const double *c, int n, double h)
{
    assert(c != NULL && n > 3 && n <= POLYNOMIAL_MAX && h >= 0.0);
    for (int round = 0; round < HOLDS_ROUNDS; round++) {
        double size = 0.0, power = 1.0, share = 1.0;
        for (int k = 0; k <= n; k++, power *= h) {
            double here = term(fabs(c[k]), k, h, power);
            if (k <= n / 2)
                size = fmax(size, here);
            else if (k >= n - 1 && here > HOLDS_TRUNCATION * size && size > 0.0)
                share =
                    fmin(share, pow(HOLDS_TRUNCATION * size / here, 1.0 / k));
        }
        if (share == 1.0)
            break;
        h *= share;
    }
    return h;
}

double
polynomial_moves(const double *c, int n, double change)
{
    assert(c != NULL && n >= 0 && n <= POLYNOMIAL_MAX && change >= 0.0);
    double first = INFINITY;
    for (int k = 1; k <= n; k++)
        if (c[k] != 0.0)
            first = fmin(first, pow(2.0 * n * change / fabs(c[k]), 1.0 / k));
    return first;
}
