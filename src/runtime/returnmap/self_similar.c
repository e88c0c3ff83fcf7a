/* SPDX-License-Identifier: MIT */
/* Self-similar motions of a symmetry. Equations (4.19) to (4.33) of
 * chatter.md 3.3 and 3.4, in units of the first flight. They are solved in
 * long double, because the matrices come close to singular ones where ratios
 * are close to 1 (many feet). Letters: F, R, U_0 and A = R^-k U_0 as there; q
 * and p the gaps and velocities of a motion; J the derivative of its map, B an
 * orthonormal basis in rows, M a scratch matrix, x and y vectors. */
#include "runtime/returnmap/self_similar.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/polynomial.h"

/* A gap above minus this share of
 * q_0
 *  is not below the ground: far above the error that long double leaves in a
 * closed gap, far below any gap that counts. */
#define SELF_SIMILAR_CLOSED 1e-12L
/* error of each coefficient of the polynomial, in units of the rounding of its
 * data */
#define SELF_SIMILAR_NOISE 16.0L

typedef long double real;
static const real turn = 6.28318530717958647692528676655900577L;

struct work {
    struct arena *a;
    int m, r;
    real e;
    real *F;     /* m x r, F_j = R^kj F_0 in the order of the impacts */
    real *order; /* m x r, in the order of the symmetry */
    real *Ri;    /* R^-k */
    real *U;     /* U_0 */
    real *A;     /* R^-k U_0 */
    real *free;  /* r: free acceleration */
    real *acc;   /* r: acceleration after an impact at contact 0 */
};

/* -- small dense algebra ----------------------------------------------------
 */

static real *
vec(struct work *work, int n)
{
    return NEW_N(work->a, real, (size_t)n + 1);
}

static real
dot(int n, const real *x, const real *y)
{
    real s = 0.0L;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

static void
times(int rank, const real *A, const real *x, real *y)
{
    for (int i = 0; i < rank; i++)
        y[i] = dot(rank, A + i * rank, x);
}

static void
product(int rank, const real *A, const real *B, real *C)
{
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++) {
            real s = 0.0L;
            for (int k = 0; k < rank; k++)
                s += A[i * rank + k] * B[k * rank + j];
            C[i * rank + j] = s;
        }
}

/* Sets x := (b - A)^-1 x by elimination. Returns false where the matrix is
 * singular. */
static bool
resolve(struct work *work, real b, const real *A, real *x)
{
    assert(A && x && work->r > 0);
    int rank = work->r;
    real *M = vec(work, rank * rank);
    for (int i = 0; i < rank * rank; i++)
        M[i] = (i % (rank + 1) == 0 ? b : 0.0L) - A[i];
    for (int column = 0; column < rank; column++) {
        int pivot = column;
        for (int i = column + 1; i < rank; i++)
            if (fabsl(M[i * rank + column]) > fabsl(M[pivot * rank + column]))
                pivot = i;
        if (!(fabsl(M[pivot * rank + column]) > 0.0L))
            return false;
        for (int j = 0; j < rank; j++) {
            real t = M[column * rank + j];
            M[column * rank + j] = M[pivot * rank + j];
            M[pivot * rank + j] = t;
        }
        real t = x[column];
        x[column] = x[pivot];
        x[pivot] = t;
        for (int i = column + 1; i < rank; i++) {
            real f = M[i * rank + column] / M[column * rank + column];
            for (int j = column; j < rank; j++)
                M[i * rank + j] -= f * M[column * rank + j];
            x[i] -= f * x[column];
        }
    }
    for (int k = rank - 1; k >= 0; k--) {
        for (int j = k + 1; j < rank; j++)
            x[k] -= M[k * rank + j] * x[j];
        x[k] /= M[k * rank + k];
        if (!isfinite((double)x[k]))
            return false;
    }
    return true;
}

/* -- the matrices -----------------------------------------------------------
 */

/* Sets y := R^power x, in blocks of two that turn by whole parts of a turn. */
static void
turned(const struct symmetry *symmetry, long power, const real *x, real *y)
{
    int rank = symmetry->rank, contacts = symmetry->m;
    for (int row = 0; row < rank;) {
        bool two = row + 1 < rank && symmetry->R[(row + 1) * rank + row] != 0.0;
        if (!two) {
            y[row] = symmetry->R[row * rank + row] < 0.0 && power % 2 ? -x[row]
                                                                      : x[row];
            row++;
            continue;
        }
        double angle = atan2(symmetry->R[(row + 1) * rank + row],
                             symmetry->R[row * rank + row]);
        long k = lround(angle * contacts / (double)turn),
             n = (k * power) % contacts;
        real t = turn * (real)n / (real)contacts, co = cosl(t), si = sinl(t);
        real a = co * x[row] - si * x[row + 1],
             b = si * x[row] + co * x[row + 1];
        y[row] = a;
        y[row + 1] = b;
        row += 2;
    }
}

static void
prepare(struct work *work, const struct symmetry *symmetry, int step, real acc)
{
    int contacts = work->m, rank = work->r;
    work->F = vec(work, contacts * rank);
    work->order = vec(work, contacts * rank);
    work->Ri = vec(work, rank * rank);
    work->U = vec(work, rank * rank);
    work->A = vec(work, rank * rank);
    work->free = vec(work, rank);
    work->acc = vec(work, rank);
    real norm = 0.0L, *unit = vec(work, rank);
    for (int i = 0; i < rank; i++)
        norm += (real)symmetry->F[i] * symmetry->F[i];
    norm = sqrtl(norm);
    for (int i = 0; i < rank; i++)
        work->F[i] = symmetry->F[i] / norm;
    for (int j = 0; j < contacts; j++) {
        turned(symmetry, (long)j * step, work->F, work->F + j * rank);
        turned(symmetry, j, work->F, work->order + j * rank);
    }
    for (int i = 0; i < rank; i++) {
        memset(unit, 0, (size_t)rank * sizeof *unit);
        unit[i] = 1.0L;
        real *y = work->free; /* The array is used only here. */
        turned(symmetry, -(long)step, unit, y);
        for (int j = 0; j < rank; j++)
            work->Ri[j * rank + i] = y[j];
        for (int j = 0; j < rank; j++)
            work->U[j * rank + i] = (i == j ? 1.0L : 0.0L) -
                                    (1.0L + work->e) * work->F[j] * work->F[i];
    }
    product(rank, work->Ri, work->U, work->A);
    memset(work->free, 0, (size_t)rank * sizeof *unit);
    /* F_j.a is the same for all contacts: along the mode that does not turn */
    if (acc != 0.0L)
        work->free[0] = acc / work->F[0];
    real down =
        work->e > 0.0L || acc >= 0.0L ? 0.0L : dot(rank, work->F, work->free);
    for (int i = 0; i < rank; i++)
        work->acc[i] = work->free[i] - down * work->F[i];
}

/* -- one motion -------------------------------------------------------------
 */

/* Gives the state after the first impact. */
static void
after(const struct work *work, const real *p, real *u)
{
    times(work->r, work->U, p, u);
}

/* Sets q_0 = (bq - R^-1)^-1 R^-1 (U_0 p_0 + a/2), with tau = 1. */
static bool
place(struct work *work, real bq, const real *p, real *q)
{
    int rank = work->r;
    real *x = vec(work, rank);
    after(work, p, x);
    for (int i = 0; i < rank; i++)
        x[i] += 0.5L * work->acc[i];
    times(rank, work->Ri, x, q);
    return resolve(work, bq, work->Ri, q);
}

static void
judge(struct work *work, const real *q, const real *p,
      struct self_similar_motion *motion)
{
    int rank = work->r, contacts = work->m;
    real size = sqrtl(dot(rank, q, q)), least = INFINITY, *u = vec(work, rank);
    after(work, p, u);
    motion->worst = -1;
    bool dips = false;
    for (int contact = 1; contact < contacts; contact++) {
        const real *F = work->order + contact * rank;
        real g = dot(rank, F, q), v = dot(rank, F, u),
             a = dot(rank, F, work->acc);
        /* a gap that is accelerated upwards may have its least value in flight
         */
        bool inside = a > 0.0L && v < 0.0L && -v < a;
        real low = inside ? g - 0.5L * v * v / a : g;
        if (low >= least)
            continue;
        least = low;
        motion->worst = contact;
        dips = inside;
    }
    motion->margin = contacts > 1 && size > 0.0L ? (double)(least / size) : 0.0;
    motion->verdict = !(dot(rank, work->F, p) < 0.0L) ? SELF_SIMILAR_RECEDES
                      : motion->margin >= -SELF_SIMILAR_CLOSED
                          ? SELF_SIMILAR_FEASIBLE
                      : dips ? SELF_SIMILAR_DIPS
                             : SELF_SIMILAR_BELOW;
}

/* -- multipliers ------------------------------------------------------------
 */

/* Removes the parts of x (`length` numbers) along the k rows of V and scales x
 * to length 1. False: nothing is left. */
static bool
orthonormal(int length, const real *V, int k, real *x)
{
    real was = sqrtl(dot(length, x, x));
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < k; i++) {
            real d = dot(length, V + i * length, x);
            for (int j = 0; j < length; j++)
                x[j] -= d * V[i * length + j];
        }
    real s = sqrtl(dot(length, x, x));
    if (!(s > 1e-9L * was))
        return false;
    for (int j = 0; j < length; j++)
        x[j] /= s;
    return true;
}

/* The derivative of the map from the state before one impact to that before the
 * next, turned back and divided by bq and bp: 2r x 2r, in units in which |q| =
 * |p| = 1. The flight's end moves by dt = -F_0.dq'/F_0.p'. */
static void
derivative(struct work *work, const struct self_similar_motion *motion,
           real tau, const real *acc, const real *p, real *J)
{
    int rank = work->r, size = 2 * rank;
    real *unit = vec(work, rank), *pushed = vec(work, rank),
         *gap_change = vec(work, rank), *rate_change = vec(work, rank);
    real *ra = vec(work, rank);
    real bp = motion->bp, bq = motion->bq, rate = bp * dot(rank, work->F, p);
    times(rank, work->Ri, acc, ra);
    for (int column = 0; column < size; column++) {
        bool place = column < rank;
        memset(unit, 0, (size_t)rank * sizeof *unit);
        unit[place ? column : column - rank] = 1.0L;
        memset(rate_change, 0, (size_t)rank * sizeof *rate_change);
        if (!place) { /* dp: U_0 dp, and by it the place after the flight */
            times(rank, work->U, unit, pushed);
            times(rank, work->Ri, pushed, rate_change);
        }
        for (int i = 0; i < rank; i++)
            gap_change[i] = tau * rate_change[i];
        if (place)
            times(rank, work->Ri, unit, gap_change);
        real dt = -dot(rank, work->F, gap_change) / rate;
        for (int i = 0; i < rank; i++) {
            J[i * size + column] = (gap_change[i] + bp * p[i] * dt) / bq;
            J[(rank + i) * size + column] = (rate_change[i] + ra[i] * dt) / bp;
        }
    }
}

/* The eigenvalues of the map within the plane of states before an impact,
 * across all scalings. */
static int
multipliers(struct work *work, const real *q0, const real *p0, bool scaled,
            struct self_similar_motion *motion)
{
    int rank = work->r, size = 2 * rank, found = 0;
    real V = sqrtl(dot(rank, p0, p0)), L = sqrtl(dot(rank, q0, q0));
    if (!(L > 0.0L))
        L = V;
    real *q = vec(work, size), *p = q + rank, *acc = vec(work, rank);
    for (int i = 0; i < rank; i++) {
        q[i] = q0[i] / L;
        p[i] = p0[i] / V;
        acc[i] = work->acc[i] * L / (V * V);
    }
    real *B = vec(work, size * size), *J = vec(work, size * size);
    derivative(work, motion, V / L, acc, p, J);
    /* rows 0 .. found-1: directions outside of the plane, then the scalings */
    memcpy(B, work->F, (size_t)rank * sizeof *B);
    found += orthonormal(size, B, found, B + found * size);
    for (int half = 0; half < 2 && !(work->e > 0.0L); half++) {
        memset(B + found * size, 0, (size_t)size * sizeof *B);
        times(rank, work->Ri, work->F, B + found * size + half * rank);
        found += orthonormal(size, B, found, B + found * size);
    }
    for (int half = 0; half < (scaled ? 1 : 2); half++) {
        for (int i = 0; i < size; i++)
            B[found * size + i] = scaled ? (i < rank ? 2.0L : 1.0L) * q[i]
                                  : (i < rank) == !half ? q[i]
                                                        : 0.0L;
        found += orthonormal(size, B, found, B + found * size);
    }
    int from = found;
    for (int i = 0; i < size && found < size; i++) {
        memset(B + found * size, 0, (size_t)size * sizeof *B);
        B[found * size + i] = 1.0L;
        found += orthonormal(size, B, found, B + found * size);
    }
    int dimension = found - from;
    double *M = NEW_N(work->a, double, (size_t)(dimension * dimension) + 1);
    real *x = vec(work, size);
    for (int c = 0; c < dimension; c++) {
        times(size, J, B + (from + c) * size, x);
        for (int i = 0; i < dimension; i++)
            M[i * dimension + c] = (double)dot(size, B + (from + i) * size, x);
    }
    struct eigen eigen = {0};
    if (dimension && eigen_solve(work->a, dimension, M, &eigen))
        return 1;
    motion->n_multiplier = dimension;
    motion->multiplier = eigen.re;
    motion->multiplier_im = eigen.im;
    return 0;
}

static int
motion_of(struct work *work, real bp, real bq, real error, const real *p,
          bool scaled, struct self_similar_motion *motion)
{
    int rank = work->r;
    real *q = vec(work, rank);
    motion->bp = (double)bp;
    motion->bq = (double)bq;
    motion->bt = (double)(bq / bp);
    motion->error = (double)error;
    motion->period = 1.0;
    motion->exponent = scaled ? 2.0 : 2.0 * log(motion->bp) / log(motion->bt);
    motion->q = NEW_N(work->a, double, (size_t)rank + 1);
    motion->p = NEW_N(work->a, double, (size_t)rank + 1);
    motion->worst = -1;
    motion->verdict = SELF_SIMILAR_UNBOUNDED;
    if (!place(work, bq, p, q))
        return 0;
    motion->energy =
        (double)(0.5L * dot(rank, p, p) - dot(rank, work->free, q));
    for (int i = 0; i < rank; i++) {
        motion->q[i] = (double)q[i];
        motion->p[i] = (double)p[i];
    }
    judge(work, q, p, motion);
    return multipliers(work, q, p, scaled, motion);
}

/* -- without acceleration ---------------------------------------------------
 */

static int
find_free(struct work *work, struct self_similar *out)
{
    int rank = work->r;
    double *A = NEW_N(work->a, double, (size_t)(rank * rank) + 1);
    struct eigen eigen;
    for (int i = 0; i < rank * rank; i++)
        A[i] = (double)work->A[i];
    if (eigen_solve(work->a, rank, A, &eigen))
        return 1;
    out->v =
        NEW_N(work->a, struct self_similar_motion, (size_t)(rank * rank) + 1);
    real *p = vec(work, rank);
    for (int i = 0; i < rank; i++)
        out->tied |= eigen.im[i] != 0.0 && fabs(eigen.im[i]) <= eigen.error[i];
    for (int rate_mode = 0; rate_mode < rank; rate_mode++)
        for (int gap_mode = rate_mode + 1; gap_mode < rank; gap_mode++) {
            bool pair = eigen.im[rate_mode] == 0.0 && eigen.im[gap_mode] == 0.0;
            if (!pair || !(eigen.re[rate_mode] < 1.0) ||
                !(eigen.re[gap_mode] > eigen.error[gap_mode]))
                continue;
            if (eigen.re[rate_mode] - eigen.re[gap_mode] <=
                eigen.error[rate_mode] + eigen.error[gap_mode]) {
                out->tied = true;
                continue;
            }
            real s = 0.0L;
            for (int k = 0; k < rank; k++)
                s += work->F[k] * eigen.x[rate_mode * rank + k];
            if (s == 0.0L)
                continue;
            for (int k = 0; k < rank; k++)
                p[k] = -eigen.x[rate_mode * rank + k] / s;
            if (motion_of(work, eigen.re[rate_mode], eigen.re[gap_mode],
                          eigen.error[rate_mode] / eigen.re[rate_mode], p,
                          false, &out->v[out->n++]))
                return 1;
        }
    return 0;
}

/* -- with acceleration ------------------------------------------------------
 */

/* Makes adj(x - A) = sum of x^k B_k and det(x - A) = sum of x^k c_k (Faddeev,
 * Le Verrier). B has r matrices, c has r + 1 numbers. */
static void
adjugate(struct work *work, const real *A, real *B, real *c)
{
    int rank = work->r, rr = rank * rank;
    real *M = vec(work, rr);
    memset(B, 0, (size_t)(rank * rr) * sizeof *B);
    for (int i = 0; i < rank; i++)
        B[(rank - 1) * rr + i * (rank + 1)] = 1.0L;
    c[rank] = 1.0L;
    for (int k = 1; k <= rank; k++) {
        product(rank, A, B + (rank - k) * rr, M);
        real trace = 0.0L;
        for (int i = 0; i < rank; i++)
            trace += M[i * (rank + 1)];
        c[rank - k] = -trace / k;
        if (k == rank)
            break;
        for (int i = 0; i < rr; i++)
            B[(rank - k - 1) * rr + i] =
                M[i] + (i % (rank + 1) == 0 ? c[rank - k] : 0.0L);
    }
}

/* Makes pi(b) = F_0.adj(b^2 - R^-1) R^-1 (U_0 adj(b - A) R^-1 a + det(b - A)
 * a/2), and returns its degree, 3 r - 2. */
static int
polynomial(struct work *work, real *pi)
{
    int rank = work->r, rr = rank * rank, degree = 3 * rank - 2;
    real *BA = vec(work, rank * rr), *BR = vec(work, rank * rr),
         *c = vec(work, rank + 1);
    real *inner = vec(work, (rank + 1) * rank), *back = vec(work, rank),
         *term = vec(work, rank);
    adjugate(work, work->Ri, BR, c);
    adjugate(work, work->A, BA, c);
    times(rank, work->Ri, work->acc, back);
    for (int k = 0; k <= rank; k++)
        for (int i = 0; i < rank; i++)
            inner[k * rank + i] = 0.5L * c[k] * work->acc[i];
    for (int k = 0; k < rank; k++) {
        real *u = vec(work, rank);
        times(rank, BA + k * rr, back, term);
        times(rank, work->U, term, u);
        for (int i = 0; i < rank; i++)
            inner[k * rank + i] += u[i];
    }
    for (int k = 0; k <= degree; k++)
        pi[k] = 0.0L;
    for (int k = 0; k <= rank; k++) {
        times(rank, work->Ri, inner + k * rank, back);
        for (int j = 0; j < rank; j++) {
            times(rank, BR + j * rr, back, term);
            pi[2 * j + k] += dot(rank, work->F, term);
        }
    }
    return degree;
}

/* Improves a root by Newton's method between lo and hi, and gives the bound of
 * its error. */
static real
polish(const real *c, int n, real root, real lo, real hi, real *error)
{
    real y, slope, terms;
    for (int it = 0;; it++) {
        y = c[n];
        slope = 0.0L;
        terms = fabsl(c[n]);
        for (int k = n - 1; k >= 0; k--) {
            slope = slope * root + y;
            y = y * root + c[k];
            terms = terms * root + fabsl(c[k]);
        }
        real next = root - y / slope;
        if (it == 40 || !(next > lo && next < hi) ||
            fabsl(next - root) <= LDBL_EPSILON * root)
            break;
        root = next;
    }
    real noise = SELF_SIMILAR_NOISE * DBL_EPSILON * terms,
         step = noise / fabsl(slope);
    /* close to a double root the slope tells nothing */
    *error = fminl(step, sqrtl(noise / terms)) / root;
    return root;
}

static int
find_falling(struct work *work, struct self_similar *out)
{
    int rank = work->r, degree;
    real *pi = vec(work, 3 * rank), big = 0.0L;
    double coefficient[POLYNOMIAL_MAX + 1], root[POLYNOMIAL_MAX];
    degree = polynomial(work, pi);
    for (int k = 0; k <= degree; k++)
        big = fmaxl(big, fabsl(pi[k]));
    /* roots at 0 are roots of det U_0 */
    while (degree > 0 && fabsl(pi[0]) <= 64.0L * LDBL_EPSILON * big) {
        pi++;
        degree--;
    }
    for (int k = 0; k <= degree; k++)
        coefficient[k] = (double)(pi[k] / big);
    int k = big > 0.0L
                ? polynomial_roots(coefficient, degree, 1.0, 0.0, root, degree)
                : 0;
    out->v =
        NEW_N(work->a, struct self_similar_motion, (size_t)(k > 0 ? k : 0) + 1);
    real *p = vec(work, rank), *x = vec(work, rank);
    for (int i = 0; i < k; i++) {
        real lo = i ? 0.5L * ((real)root[i - 1] + root[i]) : 0.0L;
        real hi = i + 1 < k ? 0.5L * ((real)root[i] + root[i + 1]) : 1.0L;
        real error, b = polish(pi, degree, root[i], lo, hi, &error);
        if (!(b * (1.0L - error) > 0.0L) || !(b * (1.0L + error) < 1.0L))
            continue;
        times(rank, work->Ri, work->acc, x);
        memcpy(p, x, (size_t)rank * sizeof *p);
        struct self_similar_motion *motion = &out->v[out->n++];
        bool finite = resolve(work, b, work->A, p);
        if (!finite)
            memset(p, 0, (size_t)rank * sizeof *p);
        if (motion_of(work, b, b * b, error, p, true, motion))
            return 1;
        if (!finite)
            motion->verdict = SELF_SIMILAR_UNBOUNDED;
    }
    return 0;
}

void
self_similar_sort(struct self_similar *motions)
{
    assert(motions && motions->n >= 0);
    assert(motions->n == 0 || motions->v);
    for (int i = 1; i < motions->n; i++)
        for (int j = i; j > 0; j--) {
            struct self_similar_motion *a = &motions->v[j - 1],
                                       *b = &motions->v[j], t;
            bool fa = a->verdict == SELF_SIMILAR_FEASIBLE,
                 fb = b->verdict == SELF_SIMILAR_FEASIBLE;
            if (fa > fb || (fa == fb && a->bp >= b->bp))
                break;
            t = *a;
            *a = *b;
            *b = t;
        }
    for (int i = 0; i < motions->n; i++)
        motions->feasible += motions->v[i].verdict == SELF_SIMILAR_FEASIBLE;
}

int
self_similar_find(struct arena *arena, const struct symmetry *symmetry,
                  int step, double acc, struct self_similar *out)
{
    assert(arena && symmetry && out);
    assert(symmetry->m > 0 && symmetry->F && symmetry->R);
    assert(acc == 0.0 || symmetry->rank <= SELF_SIMILAR_RANK);
    struct work work = {
        .a = arena, .m = symmetry->m, .r = symmetry->rank, .e = symmetry->e};
    prepare(&work, symmetry, step, acc);
    *out = (struct self_similar){.step = step,
                                 .kind = acc == 0.0 ? SELF_SIMILAR_FREE
                                         : work.e > 0.0L || acc > 0.0
                                             ? SELF_SIMILAR_FALLING
                                             : SELF_SIMILAR_SLIDING};
    int st = acc == 0.0 ? find_free(&work, out) : find_falling(&work, out);
    self_similar_sort(out);
    return st;
}
