/* SPDX-License-Identifier: MIT */
/* Lemke's method, and the solution polished on the set it finds. Where many
 * rows depend on each other rounding can lead its pivots astray: what it finds
 * is checked, and descent finds what it did not. Where rows
 * are many an interior point comes before both (lcp_sets.c). The problem is
 * scaled to a unit diagonal first, so that one tolerance serves bodies of any
 * mass. See lcp.h.
 *
 * Letters: w = G z + q with n rows; T is a tableau, p the scaled q; a and v
 * are the columns and vectors of the SVD of G on the set, x the solution there.
 */
#include "runtime/numerics/lcp.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp_sets.h"

/* The rounding error of a sum is below its number of terms times this many
 * units of the sum of their sizes; the step in it is as exact as its own
 * equations. */
#define SUM_NOISE 8.0

size_t
lcp_room(int n)
{
    assert(n >= 0);
    size_t k = (size_t)n;
    return k * (2 * k + 2) + 5 * k * k + 24 * k + 20 + semidefinite_room(n);
}

/* The tableau of Lemke's method has n rows and a column for each variable that
 * is 0, then the right-hand side. Variables 0..n-1 are the w, n..2n-1 the z, 2n
 * is z0. */
struct lemke {
    int n, width; /* n + 2 */
    double *T;
    int *basis;   /* n: the variable of each row */
    int *outside; /* n + 1: that of each column */
    int *at;      /* 2 n + 1: row of a variable, or n + its column */
};

/* The variable of a column enters in the place of that of a row. */
static void
exchange(struct lemke *of, int row, int col)
{
    int width = of->width, left = of->basis[row];
    double *from = of->T + row * width, p = 1 / from[col];
    for (int j = 0; j < width; j++)
        from[j] *= p;
    from[col] = p;
    for (int i = 0; i < of->n; i++) {
        double *t = of->T + i * width, f = t[col];
        if (i == row || f == 0)
            continue;
        t[col] = 0;
        for (int j = 0; j < width; j++)
            t[j] -= f * from[j];
    }
    of->basis[row] = of->outside[col];
    of->at[of->basis[row]] = row;
    of->outside[col] = left;
    of->at[left] = of->n + col;
}

/* Entry of variable `which` in row i: columns of those of rows are unit ones.
 */
static double
lemke_entry(const struct lemke *of, int i, int which)
{
    int at = of->at[which];
    return at < of->n ? at == i : of->T[i * of->width + at - of->n];
}

/* Does row i leave before row k? ratios of the right-hand side, then of the
 * inverse of the basis (the columns of w), in order. */
static int
before(const struct lemke *of, int col, int i, int k)
{
    int width = of->width;
    const double *a = of->T + i * width, *b = of->T + k * width;
    for (int j = -1; j < of->n; j++) {
        double x = (j < 0 ? a[width - 1] : lemke_entry(of, i, j)) / a[col],
               y = (j < 0 ? b[width - 1] : lemke_entry(of, k, j)) / b[col];
        if (fabs(x - y) > 1e-13 * (fabs(x) + fabs(y)) + 1e-15)
            return x < y;
    }
    return 0;
}

/* The room of a tableau of n rows: no less than 2 n (n + 1) doubles, which
 * serve descent, too. */
static int
tableau_room(int n)
{
    return n * (2 * n + 2) + 4;
}

static void
tableau(int n, const double *g, const double *p, double size, double *room,
        struct lemke *of)
{
    *of = (struct lemke){.n = n, .width = n + 2, .T = room};
    of->basis = (int *)(room + n * (n + 2));
    of->outside = of->basis + n;
    of->at = of->outside + n + 1;
    for (int i = 0; i < n; i++) {
        double *t = of->T + i * of->width;
        for (int j = 0; j < n; j++)
            t[j] = -g[i * n + j];
        t[n] = -1;
        t[n + 1] = p[i] / size;
        of->basis[i] = of->at[i] = i;
    }
    for (int j = 0; j <= n; j++) {
        of->outside[j] = n + j;
        of->at[n + j] = n + j;
    }
}

/* Is Lemke's method. */
static int
lemke(struct lemke *of)
{
    int n = of->n, width = of->width, col = n, row = 0;
    const double *T = of->T;
    /* z0 enters with the most negative q */
    for (int i = 1; i < n; i++)
        if (T[i * width + width - 1] < T[row * width + width - 1])
            row = i;
    if (T[row * width + width - 1] >= 0)
        return 0;
    for (long count = 0; count < 1000L + 100L * n; count++) {
        int left = of->basis[row];
        exchange(of, row, col);
        if (left == 2 * n)
            return 0;
        col = of->at[left < n ? left + n : left - n] - n;
        row = -1;
        for (int i = 0; i < n; i++)
            if (T[i * width + col] > LCP_PIVOT_ZERO &&
                (row < 0 || before(of, col, i, row)))
                row = i;
        if (row < 0)
            return 1;
        /* z0 leaves the basis as soon as it may. */
        double least = T[row * width + width - 1] / T[row * width + col];
        for (int i = 0; i < n; i++)
            if (of->basis[i] == 2 * n && T[i * width + col] > LCP_PIVOT_ZERO &&
                T[i * width + width - 1] / T[i * width + col] <= least + 1e-14)
                row = i;
    }
    return 3;
}

/* Takes the solution that the tableau holds. */
static void
take(const struct lemke *of, double size, double *x, int *in)
{
    int n = of->n;
    for (int i = 0; i < n; i++)
        x[i] = in[i] = 0;
    for (int i = 0; i < n; i++) {
        int z = of->basis[i] - n;
        if (z < 0 || z >= n)
            continue;
        x[z] = fmax(0, of->T[(i + 1) * of->width - 1]) * size;
        in[z] = 1;
    }
}

/* -- what is kept ------------------------------------------------------------
 *
 * Questions are compared number by number, so that nobody has to say when an
 * answer is out of date. */

/* the answers that are kept: as many sets of closed contacts as come in turns
 */
#define ANSWERS_KEPT 16
/* and the factors of the rows on which a solution was polished */
#define FACTORS_KEPT 16
/* Problems of two rows are solved as fast as they are compared; of more rows
 * than these are too many numbers to keep. */
#define ROWS_LEAST 3
#define ROWS_MOST 32

struct answer {
    int n, status;   /* n = 0: none yet */
    double *numbers; /* q, z and G */
};
struct kept_factors {
    int n; /* 0: none yet */
    bool good;
    double *matrix, *room;
    struct semidefinite factors; /* of the matrix, in that room */
};
struct lcp_memory {
    struct arena *arena;
    int most, next, next_factors;
    struct answer answer[ANSWERS_KEPT];
    struct kept_factors kept[FACTORS_KEPT];
};

/* Returns the factors of the symmetric n x n matrix A; NULL: it is not one of
 * those that are kept. */
static const struct kept_factors *
factors_of(struct lcp_memory *memory, int n, const double *A)
{
    size_t size = (size_t)n * (size_t)n;
    if (!memory || n < ROWS_LEAST || n > memory->most)
        return NULL;
    for (int i = 0; i < FACTORS_KEPT; i++)
        if (memory->kept[i].n == n &&
            !memcmp(memory->kept[i].matrix, A, size * sizeof *A))
            return &memory->kept[i];
    struct kept_factors *kept = &memory->kept[memory->next_factors];
    memory->next_factors = (memory->next_factors + 1) % FACTORS_KEPT;
    if (!kept->matrix) {
        size_t most = (size_t)memory->most;
        kept->matrix = NEW_N(memory->arena, double,
                             most *most + semidefinite_room(memory->most));
        kept->room = kept->matrix + most * most;
    }
    kept->n = n;
    memcpy(kept->matrix, A, size * sizeof *A);
    kept->good = semidefinite_factor(n, kept->matrix, dense_tolerance(n, n),
                                     &kept->factors, kept->room);
    return kept;
}

/* Finds the x of least length with |A x - b| least, of the symmetric n x n
 * matrix A, and returns its rank. v (n x n) and singular (n) are room for
 * singular values, where the rank is in doubt; work: 3 n, and the room of a
 * semidefinite factor. memory: NULL, or what keeps such factors. */
static int
least_square(int n, double *A, double *v, double *singular, const double *b,
             double *x, double *work, struct lcp_memory *memory)
{
    struct semidefinite factors;
    const struct kept_factors *kept = factors_of(memory, n, A);
    int rank = 0;
    if (kept ? kept->good
             : semidefinite_factor(n, A, dense_tolerance(n, n), &factors,
                                   work + 3 * n)) {
        const struct semidefinite *of = kept ? &kept->factors : &factors;
        semidefinite_solve(of, b, x, work);
        return of->rank;
    }
    dense_svd(n, n, A, v, singular);
    while (rank < n && singular[rank] > dense_tolerance(n, n) * singular[0])
        rank++;
    dense_svd_solve(n, n, A, v, singular, rank, b, x, work);
    return rank;
}

/* Finds the z of least length on the set `in`. Returns 0 if z and w come out
 * right. *lost: G is singular on the set. */
static int
polish(int n, const double *G, const double *q, const int *in, double size,
       double *z, double *room, int *lost, struct lcp_memory *memory)
{
    double *a = room, *v = a + n * n, *singular = v + n * n,
           *rhs = singular + n, *x = rhs + n, *factors = x + n;
    int n_set = 0, *set = (int *)(factors + 3 * n + semidefinite_room(n));
    for (int i = 0; i < n; i++)
        if (in[i])
            set[n_set++] = i;
    for (int i = 0; i < n_set; i++) {
        rhs[i] = -q[set[i]];
        for (int j = 0; j < n_set; j++)
            a[j * n_set + i] = G[set[i] * n + set[j]];
    }
    *lost =
        least_square(n_set, a, v, singular, rhs, x, factors, memory) < n_set;
    memset(z, 0, sizeof *z * (size_t)n);
    for (int i = 0; i < n_set; i++) {
        if (x[i] * G[set[i] * (n + 1)] < -LCP_SLACK_ZERO * size)
            return 1;
        z[set[i]] = x[i] > 0 ? x[i] : 0;
    }
    for (int i = 0; i < n; i++)
        if (q[i] + dense_dot(n, G + i * n, z) < -LCP_SLACK_ZERO * size)
            return 1;
    return 0;
}

/* -- by descent -------------------------------------------------------------
 */

struct descent {
    int n, n_set, *set;
    bool *in, *barred; /* n */
    const double *g, *p;
    double size;
    double *z, *step; /* the way from z to the least value on the set */
    double *a, *v, *work, *factors; /* factors: room for least_square */
};

/* Finds the step from z to the least value of z.g z/2 + p.z on the set, the
 * shortest one. False: the value falls for ever; the step is such a way. */
static bool
least_on_set(struct descent *descent)
{
    int n = descent->n, m = descent->n_set;
    double *singular = descent->work, *rhs = singular + n, *scratch = rhs + n;
    for (int i = 0; i < m; i++) {
        int row = descent->set[i];
        rhs[i] =
            -descent->p[row] - dense_dot(n, descent->g + row * n, descent->z);
        for (int j = 0; j < m; j++)
            descent->a[j * m + i] = descent->g[row * n + descent->set[j]];
    }
    least_square(m, descent->a, descent->v, singular, rhs, descent->step,
                 descent->factors, NULL);
    double rest = 0;
    for (int i = 0; i < m; i++) {
        const double *g = descent->g + descent->set[i] * n;
        double terms = fabs(descent->p[descent->set[i]]);
        for (int j = 0; j < n; j++)
            terms += fabs(g[j] * descent->z[j]);
        scratch[i] = rhs[i];
        for (int j = 0; j < m; j++) {
            double term = g[descent->set[j]] * descent->step[j];
            scratch[i] -= term;
            terms += fabs(term);
        }
        /* what is only rounding of the sum must not end the way */
        if (fabs(scratch[i]) <= SUM_NOISE * (n + m) * DBL_EPSILON * terms)
            scratch[i] = 0;
        rest = fmax(rest, fabs(scratch[i]));
    }
    if (rest <= LCP_SLACK_ZERO * descent->size)
        return true;
    memcpy(descent->step, scratch, sizeof *scratch * (size_t)m);
    return false;
}

/* Goes along the step as far as no z gets negative, and takes the rows that end
 * it out of the set. Returns 1 if nothing ended the step, -1 if nothing ends a
 * way on which the value falls for ever. */
static int
go(struct descent *descent, bool bounded)
{
    double most = bounded ? 1 : INFINITY;
    for (int i = 0; i < descent->n_set; i++) {
        double z = descent->z[descent->set[i]], step = descent->step[i];
        if (step < 0 && z < -step * most)
            most = z / -step;
    }
    if (isinf(most))
        return -1;
    int kept = 0;
    for (int i = 0; i < descent->n_set; i++) {
        int row = descent->set[i];
        double z = descent->z[row], step = descent->step[i];
        bool ends = step < 0 && z <= -step * most;
        descent->z[row] = ends ? 0 : z + most * step;
        descent->in[row] = !ends;
        if (!ends)
            descent->set[kept++] = row;
    }
    bool whole = kept == descent->n_set;
    descent->n_set = kept;
    return whole;
}

/* The z of least z.g z/2 + p.z under z >= 0, row by row (Lawson & Hanson 1974,
 * chapter 23). Every round lowers the value, so that rounding cannot lead it
 * astray as it can Lemke's method where many rows depend on each other. A row
 * that cannot enter by itself is left out until another has. Status as
 * lcp_solve. */
static int
descend(struct descent *descent)
{
    int n = descent->n;
    bool *barred = descent->barred;
    memset(barred, 0, (size_t)n * sizeof *barred);
    memset(descent->z, 0, sizeof *descent->z * (size_t)n);
    memset(descent->in, 0, (size_t)n * sizeof *descent->in);
    descent->n_set = 0;
    for (int round = 0; round < 20 + 10 * n; round++) {
        int enters = -1, went = 0;
        double least = -LCP_PIVOT_ZERO * descent->size;
        for (int i = 0; i < n; i++) {
            double w =
                descent->p[i] + dense_dot(n, descent->g + i * n, descent->z);
            if (!descent->in[i] && !barred[i] && w < least) {
                least = w;
                enters = i;
            }
        }
        if (enters < 0)
            return 0;
        descent->in[enters] = true;
        descent->set[descent->n_set++] = enters;
        while (!went && descent->n_set > 0)
            if ((went = go(descent, least_on_set(descent))) < 0)
                return 1;
        if (descent->z[enters] > 0)
            memset(barred, 0, (size_t)n * sizeof *barred);
        barred[enters] = !(descent->z[enters] > 0);
    }
    return 3;
}

/* Every contact that stays closed may carry a load: takes the least z among
 * these contacts, or among those of `in` if that is negative. Status as
 * lcp_solve; -1: it is negative, and which set `in` is depends on the order of
 * the rows (dependent). */
static int
least(int n, const double *G, const double *q, const double *scaled,
      const double *p, double size, const double *trial, const double *scale,
      const int *in, bool dependent, double *z, double *room,
      struct lcp_memory *memory)
{
    double *best = room, *scratch = room + 2 * n;
    int *more = (int *)(room + n), wider = 0, lost = 0, st = 1;
    for (int i = 0; i < n; i++) {
        double wi = p[i] + dense_dot(n, scaled + i * n, trial);
        more[i] = in[i] ||
                  (fabs(wi) <= LCP_SLACK_ZERO * size && scaled[i * n + i] > 0);
        wider |= more[i] && !in[i];
    }
    /* least in the user's own units, so without the scaling */
    double qsize = 0;
    for (int i = 0; i < n; i++)
        qsize = fmax(qsize, fabs(q[i]));
    if (wider)
        st = polish(n, G, q, more, qsize, best, scratch, &lost, memory);
    if (st && !(wider && dependent)) {
        int also;
        st = polish(n, G, q, in, qsize, best, scratch, &also, memory);
        lost |= also;
    }
    if (st && dependent)
        return -1;
    for (int i = 0; i < n; i++)
        z[i] = st ? trial[i] * scale[i] : best[i];
    return lost ? 2 : 0;
}

/* any: any z serves where rows are many and depend on each other. */
static int
solve_rows(int n, const double *G, const double *q, double *z, double *room,
           struct lcp_memory *memory, bool any)
{
    assert(n >= 0);
    assert(n == 0 || (G != NULL && q != NULL && z != NULL && room != NULL));
    double *T = room, *scaled = T + tableau_room(n), *p = scaled + n * n,
           *scale = p + n, *trial = scale + n, *rest = trial + n + 2 * n,
           size = 0;
    int *in = (int *)(trial + n);
    memset(z, 0, sizeof *z * (size_t)n);
    for (int i = 0; i < n; i++)
        scale[i] = G[i * n + i] > 0 ? 1 / sqrt(G[i * n + i]) : 1;
    for (int i = 0; i < n; i++) {
        p[i] = q[i] * scale[i];
        in[i] = p[i] < 0.0;
        size = fmax(size, fabs(p[i]));
        for (int j = 0; j < n; j++)
            scaled[i * n + j] = G[i * n + j] * scale[i] * scale[j];
    }
    if (!(size > 0))
        return 0;
    bool dependent = false;
    int st = -1;
    if (lcp_exchange_sets(n, scaled, p, size, trial, in, rest, &dependent) &&
        lcp_is_solved(n, scaled, p, LCP_SLACK_ZERO * size, trial, in))
        st = least(n, G, q, scaled, p, size, trial, scale, in, dependent, z,
                   rest, memory);
    if (st >= 0)
        return st;
    if (n > LCP_ROWS_MANY &&
        lcp_from_inside(n, scaled, p, size, trial, in, rest, T)) {
        for (int i = 0; i < n; i++)
            z[i] = trial[i] * scale[i];
        if (any)
            return 4;
        lcp_take_out(n, scaled, trial, in, rest);
        if (lcp_is_solved(n, scaled, p, LCP_SLACK_ZERO * size, trial, in))
            return least(n, G, q, scaled, p, size, trial, scale, in, false, z,
                         rest, memory);
    }
    struct lemke of;
    tableau(n, scaled, p, size, T, &of);
    st = lemke(&of);
    if (!st)
        take(&of, size, trial, in);
    if (st || !lcp_is_solved(n, scaled, p, LCP_SLACK_ZERO * size, trial, in)) {
        struct descent descent = {.n = n, .g = scaled, .p = p, .size = size};
        descent.z = trial;
        descent.step = T + 2 * n * n;
        descent.a = T;
        descent.v = T + n * n;
        descent.work = rest;
        descent.factors = rest + 4 * n;
        descent.set = (int *)(descent.factors + 3 * n + semidefinite_room(n));
        descent.in = (bool *)(descent.set + n);
        descent.barred = descent.in + n;
        if ((st = descend(&descent)))
            return st;
        for (int i = 0; i < n; i++)
            in[i] = descent.in[i];
    }
    return least(n, G, q, scaled, p, size, trial, scale, in, false, z, rest,
                 memory);
}

/* Sizes of the numbers of one row whose squares, products and quotients are
 * normal numbers. */
#define ONE_LEAST 0x1p-500
#define ONE_MOST 0x1p500

/* One row, in the operations in which `least` would solve it. False: it is not
 * plain. */
static bool
solve_one(double G, double q, double *z)
{
    double size = fabs(q);
    if (!(G > ONE_LEAST && G < ONE_MOST && size > ONE_LEAST && size < ONE_MOST))
        return false;
    double root = sqrt(G);
    *z = q < 0.0 ? -q / root / root : 0.0;
    return true;
}

/* The same; many rows are solved in an order of their own. */
static int
solve(int n, const double *G, const double *q, double *z, double *room,
      struct lcp_memory *memory, bool any)
{
    if (n == 1 && solve_one(G[0], q[0], z))
        return 0;
    if (n <= LCP_ROWS_MANY)
        return solve_rows(n, G, q, z, room, memory, any);
    double *matrix = room, *offset = matrix + n * n, *solution = offset + n,
           *rest = solution + 2 * n;
    int *order = (int *)(solution + n);
    lcp_order(n, G, order, (bool *)rest);
    for (int i = 0; i < n; i++) {
        offset[i] = q[order[i]];
        for (int j = 0; j < n; j++)
            matrix[i * n + j] = G[order[i] * n + order[j]];
    }
    int st = solve_rows(n, matrix, offset, solution, rest, memory, any);
    for (int i = 0; i < n; i++)
        z[order[i]] = solution[i];
    return st;
}

int
lcp_solve(int n, const double *G, const double *q, double *z, double *room)
{
    return solve(n, G, q, z, room, NULL, false);
}

int
lcp_solve_any(int n, const double *G, const double *q, double *z, double *room)
{
    return solve(n, G, q, z, room, NULL, true);
}

int
lcp_solve_kept(struct lcp_memory *memory, int n, const double *G,
               const double *q, double *z, double *room)
{
    assert(memory != NULL);
    return solve(n, G, q, z, room, memory, false);
}

int
lcp_lemke(int n, const double *M, const double *q, double *z, double *room)
{
    assert(n >= 0);
    assert(n == 0 || (M != NULL && q != NULL && z != NULL && room != NULL));
    int *in = (int *)(room + tableau_room(n));
    double size = 0.0;
    memset(z, 0, sizeof *z * (size_t)n);
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(q[i]));
    if (!(size > 0.0))
        return 0;
    struct lemke of;
    tableau(n, M, q, size, room, &of);
    int st = lemke(&of);
    if (!st)
        take(&of, size, z, in);
    return st;
}

/* -- answers that are kept ---------------------------------------------------
 */

struct lcp_memory *
lcp_memory_new(struct arena *arena, int most)
{
    assert(arena != NULL && most >= 0);
    struct lcp_memory *memory = NEW(arena, struct lcp_memory);
    memory->arena = arena;
    memory->most = most < ROWS_MOST ? most : ROWS_MOST;
    return memory;
}

static bool
is_of(const struct answer *answer, int n, const double *G, const double *q)
{
    size_t rows = (size_t)n, bytes = rows * sizeof *q;
    return answer->n == n && !memcmp(answer->numbers, q, bytes) &&
           !memcmp(answer->numbers + 2 * rows, G, rows * bytes);
}

int
lcp_solve_again(struct lcp_memory *memory, int n, const double *G,
                const double *q, double *z, double *room)
{
    assert(memory != NULL && n >= 0);
    size_t rows = (size_t)n, bytes = rows * sizeof *q;
    if (n < ROWS_LEAST || n > memory->most)
        return solve(n, G, q, z, room, memory, false);
    for (int i = 0; i < ANSWERS_KEPT; i++) {
        const struct answer *answer = &memory->answer[i];
        if (!is_of(answer, n, G, q))
            continue;
        memcpy(z, answer->numbers + rows, bytes);
        return answer->status;
    }
    struct answer *answer = &memory->answer[memory->next];
    memory->next = (memory->next + 1) % ANSWERS_KEPT;
    if (!answer->numbers)
        answer->numbers =
            NEW_N(memory->arena, double,
                  (size_t)memory->most *((size_t)memory->most + 2));
    answer->n = n;
    answer->status = solve(n, G, q, z, room, memory, false);
    memcpy(answer->numbers, q, bytes);
    memcpy(answer->numbers + rows, z, bytes);
    memcpy(answer->numbers + 2 * rows, G, rows * bytes);
    return answer->status;
}
