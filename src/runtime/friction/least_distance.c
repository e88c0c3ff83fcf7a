/* SPDX-License-Identifier: MIT */
/* Least distance programming (linear_program.h). The dual is a problem of
 * non-negative least squares: with E = [A'; h'] and f = (0 .. 0, 1), u >= 0
 * makes |E u - f| least. The residual r = E u - f holds the answer,
 * t_j = -r_j / r_d; where r is 0 the inequalities contradict each other. */
#include "runtime/friction/linear_program.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/numerics/dense.h"

/* A column may enter while its gradient is above this share of its length. */
#define GRADIENT_ZERO 1e-13

size_t
least_distance_room(int m, int d)
{
    assert(m >= 0 && d >= 0);
    size_t k = (size_t)m + 1, rows = (size_t)d + 1;
    size_t columns = k < rows ? k : rows;
    return k * rows + rows * (columns + 1) + (columns + 1) * (columns + 1) +
           6 * (k + rows) + 8;
}

struct nnls {
    int rows, n;       /* E has `rows` rows and n columns, column-major */
    double *E, *u, *r; /* r = E u - f */
    double *a, *v, *s; /* the columns that are in use, and their SVD */
    double *f, *z, *work;
};

/* Sets z to the least squares solution over the columns in set[0..count). */
static void
over_columns(struct nnls *nnls, const int *set, int count)
{
    int rank = 0, rows = nnls->rows;
    for (int j = 0; j < count; j++)
        memcpy(nnls->a + (size_t)j * (size_t)rows,
               nnls->E + (size_t)set[j] * (size_t)rows,
               sizeof *nnls->a * (size_t)rows);
    dense_svd(rows, count, nnls->a, nnls->v, nnls->s);
    while (rank < count && rank < rows &&
           nnls->s[rank] > dense_tolerance(rows, count) * nnls->s[0])
        rank++;
    dense_svd_solve(rows, count, nnls->a, nnls->v, nnls->s, rank, nnls->f,
                    nnls->z, nnls->work);
}

static void
residual(struct nnls *nnls)
{
    for (int i = 0; i < nnls->rows; i++) {
        nnls->r[i] = -nnls->f[i];
        for (int j = 0; j < nnls->n; j++)
            nnls->r[i] += nnls->E[(size_t)j * (size_t)nnls->rows + (size_t)i] *
                          nnls->u[j];
    }
}

/* Returns the column whose weight would lower |r| most; -1: none. */
static int
entering(const struct nnls *nnls, const int *set, int count)
{
    int best = -1;
    double most = GRADIENT_ZERO;
    for (int j = 0; j < nnls->n; j++) {
        const double *column = nnls->E + (size_t)j * (size_t)nnls->rows;
        double gradient = 0.0, length = 0.0;
        bool in = false;
        for (int k = 0; k < count; k++)
            in |= set[k] == j;
        if (in)
            continue;
        for (int i = 0; i < nnls->rows; i++) {
            gradient -= column[i] * nnls->r[i];
            length = hypot(length, column[i]);
        }
        if (length > 0.0 && gradient > most * length) {
            best = j;
            most = gradient / length;
        }
    }
    return best;
}

/* Moves u towards z until a weight comes to 0, and takes that column out.
 * Returns how many are left; *whole: z was reached. */
static int
towards(struct nnls *nnls, int *set, int count, bool *whole)
{
    double share = 1.0;
    int stop = -1;
    for (int k = 0; k < count; k++) {
        double u = nnls->u[set[k]];
        if (nnls->z[k] <= 0.0 && (stop < 0 || u < share * (u - nnls->z[k]))) {
            share = u / (u - nnls->z[k]);
            stop = k;
        }
    }
    for (int k = 0; k < count; k++)
        nnls->u[set[k]] += share * (nnls->z[k] - nnls->u[set[k]]);
    *whole = stop < 0;
    if (*whole)
        return count;
    nnls->u[set[stop]] = 0.0;
    memmove(set + stop, set + stop + 1,
            sizeof *set * (size_t)(count - stop - 1));
    return count - 1;
}

/* Lawson and Hanson 1974, algorithm NNLS. */
static void
non_negative(struct nnls *nnls, int *set)
{
    int count = 0;
    residual(nnls);
    for (int round = 0; round < 3 * nnls->n + 8; round++) {
        int in = count < nnls->rows ? entering(nnls, set, count) : -1;
        if (in < 0)
            return;
        set[count++] = in;
        for (bool whole = false; !whole && count > 0;) {
            over_columns(nnls, set, count);
            count = towards(nnls, set, count, &whole);
        }
        residual(nnls);
    }
}

/* Takes the memory of a problem from the room. */
static void
place(struct nnls *nnls, int rows, int n, double *room)
{
    size_t columns = (size_t)(n < rows ? n : rows) + 1;
    *nnls = (struct nnls){.rows = rows, .n = n, .E = room};
    nnls->a = nnls->E + (size_t)(n + 1) * (size_t)rows;
    nnls->v = nnls->a + columns * (size_t)rows;
    nnls->s = nnls->v + columns * columns;
    nnls->u = nnls->s + columns;
    nnls->z = nnls->u + n + 1;
    nnls->r = nnls->z + columns;
    nnls->f = nnls->r + rows;
    nnls->work = nnls->f + rows;
}

size_t
least_residual_room(int m, int n)
{
    assert(m > 0 && n >= 0);
    return least_distance_room(n, m - 1);
}

double
least_residual(int m, int n, const double *A, const double *b, double *room)
{
    assert(m > 0 && m <= LEAST_DISTANCE_MOST && n >= 0);
    assert(A != NULL && b != NULL && room != NULL);
    int set[LEAST_DISTANCE_MOST + 1];
    struct nnls nnls;
    double size = sqrt(dense_dot(m, b, b));
    if (!(size > 0.0))
        return 0.0;
    place(&nnls, m, n, room);
    for (int j = 0; j < n; j++) {
        double *column = nnls.E + (size_t)j * (size_t)m;
        for (int i = 0; i < m; i++)
            column[i] = A[(size_t)i * (size_t)n + (size_t)j];
        double length = sqrt(dense_dot(m, column, column));
        for (int i = 0; i < m && length > 0.0; i++)
            column[i] /= length;
        nnls.u[j] = 0.0;
    }
    for (int i = 0; i < m; i++)
        nnls.f[i] = b[i] / size;
    non_negative(&nnls, set);
    double terms = 1.0;
    for (int j = 0; j < n; j++)
        terms += nnls.u[j];
    return sqrt(dense_dot(m, nnls.r, nnls.r)) / terms;
}

bool
least_distance(int m, int d, const double *A, const double *h, double tolerance,
               double *t, double *room)
{
    assert(m >= 0 && d >= 0 && d <= LEAST_DISTANCE_MOST && tolerance >= 0.0);
    assert(m == 0 || (A != NULL && h != NULL && t != NULL && room != NULL));
    int rows = d + 1, set[LEAST_DISTANCE_MOST + 1];
    double size = 0.0;
    memset(t, 0, sizeof *t * (size_t)d);
    bool needed = false;
    for (int i = 0; i < m; i++) {
        needed |= h[i] > 0.0;
        size = fmax(size, fabs(h[i]));
    }
    if (!needed)
        return true;
    if (d == 0)
        return false;
    struct nnls nnls;
    place(&nnls, rows, m, room);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < d; i++)
            nnls.E[(size_t)j * (size_t)rows + (size_t)i] = A[j * d + i];
        nnls.E[(size_t)j * (size_t)rows + (size_t)d] = h[j] / size;
        nnls.u[j] = 0.0;
    }
    for (int i = 0; i < rows; i++)
        nnls.f[i] = i == d;
    non_negative(&nnls, set);
    if (!(fabs(nnls.r[d]) > DBL_EPSILON))
        return false;
    for (int j = 0; j < d; j++)
        t[j] = -nnls.r[j] / nnls.r[d] * size;
    for (int i = 0; i < m; i++)
        if (dense_dot(d, A + (size_t)i * (size_t)d, t) <
            h[i] - tolerance * size)
            return false;
    return true;
}
