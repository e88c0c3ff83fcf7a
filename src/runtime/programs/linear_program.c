/* SPDX-License-Identifier: MIT */
/* The simplex method with a dictionary (linear_program.h; Chvatal 1983), for
 * problems of up to some hundreds of rows. Columns are kept only of what is out
 * of the basis: rows that are inequalities have slacks, most of which are in
 * it. Columns are scaled to entries of size 1 first. The entering column is
 * that of steepest descent. Loads act in few directions, so that most rows
 * bound a step by 0; after many steps that gain nothing all right-hand sides
 * are shifted a little (Charnes 1952), so that no two rows bound a step alike.
 * The shifts are taken away at the end, where the vertex is as good as before,
 * and mended by steps of the dual method (Lemke 1954) where it is none without
 * them. */
#include "runtime/programs/linear_program.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/numerics/dense.h"

/* an entry of the tableau, whose entries begin with size 1, that rounding may
 * have left */
#define ENTRY_ZERO 1e-11
/* Of the terms of b the pivots of an ill-conditioned problem may leave as much
 * by rounding; what is left beyond it is left in fact. */
#define IN_DOUBT 1e-5
/* Right-hand sides, of which the greatest is 1, are known to this: rows that
 * bound a step alike but for it (Harris 1973). */
#define RATIO_SAME 1e-13
/* steps without gain after which right-hand sides are shifted */
#define STALLED 40
/* Rounding grows from pivot to pivot: after so many, and so many more per row,
 * the tableau is made anew from the constraints, at the cost of one per row. */
#define PIVOTS_MOST 100
#define PIVOTS_PER_ROW 2
/* They are shifted by this to twice as much: far above RATIO_SAME, by which
 * rows would bound a step alike again, and far below what is of interest. */
#define SHIFT 1e-9

struct linear_program {
    int m, n, width; /* columns: n, then b, and b shifted */
    int slacks;      /* of the first rows: A x - s = b */
    double *T;       /* m + 1 rows; the last one holds reduced costs */
    bool shifted;
    double *made;      /* the dictionary without its last row, as it was made */
    double *cost;      /* n: of each unknown, in the present question */
    double artificial; /* the cost of artificial unknowns */
    double *column;    /* scale of each unknown */
    double size;       /* of b */
    int *basis;        /* m: which unknown each row gives */
    int *out;          /* n: the unknown of each column; NONE: of zeros */
    int *entry;        /* n + 2: where the row of a pivot is not 0 */
    long pivots;       /* since the dictionary was made */
    int *room;         /* 2 m */
};

/* Unknowns are numbered: n given ones, m slacks, of which those of equations
 * are not used, and m artificial ones, of a row each: the column of one is that
 * of the slack with the other sign. An artificial unknown never enters again:
 * where it leaves, its slack takes its column. */
#define NONE (-1)

static double *
row_of(const struct linear_program *lp, int row)
{
    return lp->T + (size_t)row * (size_t)lp->width;
}

static double
cost_of(const struct linear_program *lp, int unknown)
{
    return unknown == NONE || (unknown >= lp->n && unknown < lp->n + lp->m)
               ? 0.0
           : unknown < lp->n ? lp->cost[unknown]
                             : lp->artificial;
}

/* The artificial unknown of this row has come to this column. */
static void
drop_artificial(struct linear_program *lp, int col, int of)
{
    bool slack = of < lp->slacks;
    for (int i = 0; i < lp->m; i++) {
        double *t = row_of(lp, i) + col;
        *t = slack ? -*t : 0.0;
    }
    double *cost = row_of(lp, lp->m) + col;
    *cost = slack ? lp->artificial - *cost : 0.0;
    lp->out[col] = slack ? lp->n + of : NONE;
}

/* The unknown of a column takes the place of that of a row. */
static void
pivot(struct linear_program *lp, int row, int col)
{
    double *r = row_of(lp, row), p = 1.0 / r[col];
    int entries = 0, leaves = lp->basis[row], artificial = lp->n + lp->m;
    for (int j = 0; j < lp->width; j++) {
        r[j] *= p;
        if (r[j] != 0.0 && j != col)
            lp->entry[entries++] = j;
    }
    r[col] = p;
    for (int i = 0; i <= lp->m; i++) {
        double *t = row_of(lp, i), f = t[col];
        if (i == row || f == 0.0)
            continue;
        if (2 * entries > lp->width)
            dense_add(lp->width, -f, r, t);
        else
            for (int k = 0; k < entries; k++)
                t[lp->entry[k]] -= f * r[lp->entry[k]];
        t[col] = -f * p;
    }
    lp->basis[row] = lp->out[col];
    lp->out[col] = leaves;
    if (leaves >= artificial)
        drop_artificial(lp, col, leaves - artificial);
    lp->pivots++;
}

/* A row that gives its slack gives its artificial unknown, or the other way
 * round: one is the other with the other sign. */
static void
turn_row(struct linear_program *lp, int row)
{
    double *t = row_of(lp, row);
    assert(row < lp->slacks);
    for (int j = 0; j < lp->width; j++)
        t[j] = -t[j];
    lp->basis[row] = 2 * (lp->n + row) + lp->m - lp->basis[row];
}

/* The right-hand side of a row; of the last one: the negative cost. */
static double *
side_of(const struct linear_program *lp, int row)
{
    return row_of(lp, row + 1) - (lp->shifted ? 1 : 2);
}

/* Returns the row that leaves when `col` enters; -1: nothing bounds it. Of rows
 * that bound it alike the one with the greatest entry leaves: small entries
 * would let rounding grow. */
static int
leaving(const struct linear_program *lp, int col)
{
    int row = -1;
    double least = INFINITY, greatest = 0.0;
    for (int i = 0; i < lp->m; i++) {
        const double *t = row_of(lp, i);
        if (t[col] > ENTRY_ZERO)
            least =
                fmin(least, (fmax(0.0, *side_of(lp, i)) + RATIO_SAME) / t[col]);
    }
    for (int i = 0; i < lp->m; i++) {
        const double *t = row_of(lp, i);
        if (t[col] > ENTRY_ZERO && t[col] > greatest &&
            fmax(0.0, *side_of(lp, i)) / t[col] <= least) {
            greatest = t[col];
            row = i;
        }
    }
    return row;
}

/* Shifts all right-hand sides, each by another amount. */
static void
shift(struct linear_program *lp)
{
    double part = 0.0;
    lp->shifted = false;
    for (int i = 0; i <= lp->m; i++) {
        double side = *side_of(lp, i);
        part = fmod(part + 0.6180339887498949, 1.0); /* the golden section */
        side_of(lp, i)[1] =
            i == lp->m ? side : fmax(0.0, side) + SHIFT * (1.0 + part);
    }
    lp->shifted = true;
}

/* Returns the column that enters when `row` leaves, of those that leave no
 * reduced cost below 0; -1: there is none. */
static int
entering_dual(const struct linear_program *lp, int row)
{
    const double *t = row_of(lp, row), *cost = row_of(lp, lp->m);
    double least = INFINITY, greatest = 0.0;
    int best = -1;
    for (int j = 0; j < lp->n; j++)
        if (t[j] < -ENTRY_ZERO)
            least = fmin(least, (fmax(0.0, cost[j]) + RATIO_SAME) / -t[j]);
    for (int j = 0; j < lp->n; j++)
        if (-t[j] > ENTRY_ZERO && -t[j] > greatest &&
            fmax(0.0, cost[j]) / -t[j] <= least) {
            greatest = -t[j];
            best = j;
        }
    return best;
}

/* Makes the row of reduced costs. */
static void
reduce_costs(struct linear_program *lp)
{
    double *row = row_of(lp, lp->m);
    memset(row, 0, sizeof *row * (size_t)lp->width);
    for (int j = 0; j < lp->n; j++)
        row[j] = cost_of(lp, lp->out[j]);
    for (int i = 0; i < lp->m; i++) {
        const double *t = row_of(lp, i);
        double f = cost_of(lp, lp->basis[i]);
        for (int j = 0; j < lp->width && f != 0.0; j++)
            row[j] -= f * t[j];
    }
}

/* The row where this column is greatest among those with taken[row] 0. */
static int
greatest_row(const struct linear_program *lp, int col, const int *taken)
{
    int best = -1;
    double most = -1.0;
    for (int i = 0; i < lp->m; i++) {
        double entry = fabs(row_of(lp, i)[col]);
        if (!taken[i] && entry > most) {
            most = entry;
            best = i;
        }
    }
    return best;
}

/* The dictionary as it was made: rows give their slacks, or, of equations,
 * their artificial unknowns. */
static void
take_made(struct linear_program *lp)
{
    memcpy(lp->T, lp->made, sizeof *lp->T * (size_t)lp->m * (size_t)lp->width);
    for (int i = 0; i < lp->m; i++)
        lp->basis[i] = lp->n + (i < lp->slacks ? 0 : lp->m) + i;
    for (int j = 0; j < lp->n; j++)
        lp->out[j] = j;
}

/* Makes the dictionary of the present basis from the constraints. */
static void
make_anew(struct linear_program *lp)
{
    size_t m = (size_t)lp->m;
    int *basis = lp->room, *taken = basis + m;
    memcpy(basis, lp->basis, sizeof *basis * m);
    memset(taken, 0, sizeof *taken * m);
    take_made(lp);
    for (size_t k = 0; k < m; k++)
        if (basis[k] >= lp->n) { /* its column has an entry there alone */
            int row = (basis[k] - lp->n) % lp->m;
            taken[row] = 1;
            if (basis[k] != lp->basis[row])
                turn_row(lp, row);
        }
    for (size_t k = 0; k < m; k++) {
        if (basis[k] >= lp->n)
            continue;
        int row = greatest_row(lp, basis[k], taken);
        taken[row] = 1;
        pivot(lp, row, basis[k]);
    }
    reduce_costs(lp);
    lp->pivots = 0;
    if (lp->shifted)
        shift(lp);
}

/* Takes the shifts away, and makes sides that are below 0 without them, beyond
 * rounding, at least 0. */
static void
unshift(struct linear_program *lp)
{
    lp->shifted = false;
    for (int step = 0; step < 4 * lp->m + 16; step++) {
        int row = -1, col;
        double lowest = -ENTRY_ZERO;
        for (int i = 0; i < lp->m; i++)
            if (*side_of(lp, i) < lowest) {
                lowest = *side_of(lp, i);
                row = i;
            }
        if (row < 0 || (col = entering_dual(lp, row)) < 0)
            return;
        pivot(lp, row, col);
    }
}

/* The column of steepest descent; -1: there is none. */
static int
steepest(const struct linear_program *lp)
{
    const double *cost = row_of(lp, lp->m);
    int col = -1;
    double most = -ENTRY_ZERO;
    for (int j = 0; j < lp->n; j++)
        if (cost[j] < most) {
            col = j;
            most = cost[j];
        }
    return col;
}

/* Goes to a least vertex. False: there is none. */
static bool
descend(struct linear_program *lp)
{
    double before = INFINITY;
    int still = 0;
    for (long step = 0; step < 1000L + 50L * (lp->n + lp->m); step++) {
        int col = steepest(lp);
        if (col < 0)
            break;
        if (still == STALLED) {
            shift(lp);
            still = 0;
        }
        int row = leaving(lp, col);
        if (row < 0) {
            lp->shifted = false;
            return false;
        }
        pivot(lp, row, col);
        if (lp->pivots > PIVOTS_MOST + PIVOTS_PER_ROW * lp->m)
            make_anew(lp);
        double now = -*side_of(lp, lp->m);
        still = now < before - DBL_EPSILON * fabs(before) ? 0 : still + 1;
        before = now;
    }
    if (lp->shifted)
        unshift(lp);
    return true;
}

/* Takes artificial unknowns out of the basis where a pivot allows it; what is
 * left are equations that depend on others. */
static void
drive_out(struct linear_program *lp)
{
    for (int i = 0; i < lp->m; i++) {
        const double *t = row_of(lp, i);
        int best = -1;
        if (lp->basis[i] < lp->n + lp->m)
            continue;
        if (i < lp->slacks) {
            turn_row(lp, i);
            continue;
        }
        for (int j = 0; j < lp->n; j++)
            if (fabs(t[j]) > ENTRY_ZERO &&
                (best < 0 || fabs(t[j]) > fabs(t[best])))
                best = j;
        if (best >= 0)
            pivot(lp, i, best);
    }
}

static size_t least_residual_room(int m, int n);
static bool least_residual(int m, int n, const double *A, const double *b,
                           double zero, double *room);

/* Pivots have left a little of b: is that rounding? */
static bool
reached(struct arena *arena, const struct linear_program *lp, const double *A,
        const double *b, double zero)
{
    int m = lp->m, n = lp->n, all = n + lp->slacks;
    if (m > LEAST_DISTANCE_MOST)
        return false;
    double *whole = NEW_N(arena, double, (size_t)m *(size_t)all + 1);
    double *room = NEW_N(arena, double, least_residual_room(m, all));
    for (int i = 0; i < m; i++) {
        double *row = whole + (size_t)i * (size_t)all;
        memcpy(row, A + (size_t)i * (size_t)n, sizeof *row * (size_t)n);
        if (i < lp->slacks)
            row[n + i] = -1.0;
    }
    return least_residual(m, all, whole, b, zero, room);
}

/* Fills the dictionary with the constraints, scaled, before any step. */
static void
fill(struct linear_program *lp, const double *A, const double *b)
{
    int m = lp->m, n = lp->n;
    for (int j = 0; j < n; j++) {
        double big = 0.0;
        for (int i = 0; i < m; i++)
            big = fmax(big, fabs(A[i * n + j]));
        lp->column[j] = big > 0.0 ? 1.0 / big : 1.0;
    }
    for (int i = 0; i < m; i++)
        lp->size = fmax(lp->size, fabs(b[i]));
    double unit = lp->size > 0.0 ? 1.0 / lp->size : 1.0;
    for (int i = 0; i < m; i++) {
        double *t = lp->made + (size_t)i * (size_t)lp->width,
               sign = i < lp->slacks || b[i] < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < n; j++)
            t[j] = sign * A[i * n + j] * lp->column[j];
        t[n] = sign * b[i] * unit;
    }
    take_made(lp);
    for (int i = 0; i < lp->slacks; i++)
        if (*side_of(lp, i) < 0.0)
            turn_row(lp, i);
}

struct linear_program *
linear_program_new(struct arena *arena, int m, int n, int slacks,
                   const double *A, const double *b, double zero)
{
    assert(arena && m >= 0 && n >= 0 && (m == 0 || (A && b)));
    assert(slacks >= 0 && slacks <= m);
    struct linear_program *lp = NEW(arena, struct linear_program);
    *lp = (struct linear_program){
        .m = m, .n = n, .width = n + 2, .slacks = slacks, .artificial = 1.0};
    size_t width = (size_t)lp->width;
    lp->T = NEW_N(arena, double, (size_t)(m + 1) * width);
    lp->made = NEW_N(arena, double, (size_t)m *width + 1);
    lp->column = NEW_N(arena, double, n + 1);
    lp->cost = NEW_N(arena, double, n + 1);
    lp->basis = NEW_N(arena, int, m + 1);
    lp->out = NEW_N(arena, int, n + 1);
    lp->entry = NEW_N(arena, int, n + 2);
    lp->room = NEW_N(arena, int, 2 * (size_t)m + 1);
    fill(lp, A, b);
    reduce_costs(lp);
    descend(lp);
    double left = -*side_of(lp, m), terms = 1.0;
    for (int i = 0; i < m; i++)
        if (lp->basis[i] < n + m)
            terms += fabs(*side_of(lp, i));
    if (left > IN_DOUBT ||
        (left > zero * terms && !reached(arena, lp, A, b, zero)))
        return NULL;
    drive_out(lp);
    lp->artificial = 0.0;
    return lp;
}

double
linear_program_least(struct linear_program *lp, const double *c, double *x)
{
    assert(lp && (lp->n == 0 || c));
    double unit = lp->size > 0.0 ? lp->size : 1.0, sum = 0.0, big = 0.0;
    for (int j = 0; j < lp->n; j++)
        big = fmax(big, fabs(c[j] * lp->column[j]));
    for (int j = 0; j < lp->n; j++)
        lp->cost[j] = big > 0.0 ? c[j] * lp->column[j] / big : 0.0;
    reduce_costs(lp);
    if (!descend(lp))
        return -INFINITY;
    if (x)
        memset(x, 0, sizeof *x * (size_t)lp->n);
    for (int i = 0; i < lp->m; i++) {
        int j = lp->basis[i];
        double value = fmax(0.0, *side_of(lp, i));
        if (j >= lp->n)
            continue;
        sum += c[j] * lp->column[j] * value * unit;
        if (x)
            x[j] = lp->column[j] * value * unit;
    }
    return sum;
}

/* -- least distance programming --------------------------------------------
 * The dual is a problem of non-negative least squares: with E = [A'; h'] and
 * f = (0 .. 0, 1), u >= 0 makes |E u - f| least. The residual r = E u - f
 * holds the answer, t_j = -r_j / r_d; where r is 0 the inequalities contradict
 * each other. */

/* A column may enter while its gradient is above this share of its length. */
#define GRADIENT_ZERO 1e-13

size_t
least_distance_room(int m, int d)
{
    assert(m >= 0 && d >= 0);
    size_t k = (size_t)m + 1, rows = (size_t)d + 1;
    size_t columns = k < rows ? k : rows;
    return k * rows + rows * (columns + 1) + (columns + 1) * (columns + 1) +
           7 * (k + rows) + 8;
}

/* Singular values of more columns take longer than all else. */
#define FACTORED_LEAST 16
/* Columns of which less is left beside others are left to singular values. */
#define INDEPENDENT 1e-8

struct nnls {
    int rows, n;       /* E has `rows` rows and n columns, column-major */
    double enough;     /* |r| need not be less */
    double *E, *u, *r; /* r = E u - f */
    double *length;    /* n: of the columns */
    double *refused;   /* n: 1: its gradient is rounding at these weights */
    double *a, *v, *s; /* the columns that are in use, and their SVD */
    int made;          /* or, of so many of them, their factors Q R */
    double *tau;       /* as dense_qr leaves them */
    double *f, *z, *work;
};

/* Adds column j of those in use to the factors. False: it nearly depends on
 * those before. */
static bool
add_factor(struct nnls *nnls, const int *set, int j)
{
    int rows = nnls->rows, left = rows - j;
    double *column = nnls->a + (size_t)j * (size_t)rows, *x = column + j;
    memcpy(column, nnls->E + (size_t)set[j] * (size_t)rows,
           sizeof *column * (size_t)rows);
    dense_qr_qt(rows, j, nnls->a, nnls->tau, column);
    double rest = left > 0 ? sqrt(dense_dot(left, x, x)) : 0.0,
           beta = x[0] > 0.0 ? -rest : rest;
    if (!(rest > INDEPENDENT * nnls->length[set[j]]))
        return false;
    nnls->tau[j] = (beta - x[0]) / beta;
    for (int i = 1; i < left; i++)
        x[i] /= x[0] - beta;
    x[0] = beta;
    nnls->made = j + 1;
    return true;
}

/* over_columns of many: the factors of the columns that have stayed are kept.
 * False: they nearly depend on each other. */
static bool
over_factored(struct nnls *nnls, const int *set, int count)
{
    int rows = nnls->rows;
    double *y = nnls->work;
    if (count < FACTORED_LEAST || count > rows)
        return false;
    while (nnls->made < count)
        if (!add_factor(nnls, set, nnls->made))
            return false;
    memcpy(y, nnls->f, sizeof *y * (size_t)rows);
    dense_qr_qt(rows, count, nnls->a, nnls->tau, y);
    for (int j = count - 1; j >= 0; j--) {
        const double *column = nnls->a + (size_t)j * (size_t)rows;
        nnls->z[j] = y[j] / column[j];
        dense_add(j, -nnls->z[j], column, y);
    }
    return true;
}

/* Sets z to the least squares solution over the columns in set[0..count). */
static void
over_columns(struct nnls *nnls, const int *set, int count)
{
    int rank = 0, rows = nnls->rows;
    if (over_factored(nnls, set, count))
        return;
    nnls->made = 0;
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
    for (int i = 0; i < nnls->rows; i++)
        nnls->r[i] = -nnls->f[i];
    for (int j = 0; j < nnls->n; j++) {
        const double *column = nnls->E + (size_t)j * (size_t)nnls->rows;
        for (int i = 0; i < nnls->rows && nnls->u[j] != 0.0; i++)
            nnls->r[i] += column[i] * nnls->u[j];
    }
}

static double
size_of_residual(const struct nnls *nnls)
{
    return sqrt(dense_dot(nnls->rows, nnls->r, nnls->r));
}

/* Returns the column whose weight would lower |r| most; -1: none, or it is low
 * enough. */
static int
entering(const struct nnls *nnls, const int *set, int count)
{
    int best = -1;
    double most = GRADIENT_ZERO;
    if (size_of_residual(nnls) <= nnls->enough)
        return best;
    for (int j = 0; j < nnls->n; j++) {
        const double *column = nnls->E + (size_t)j * (size_t)nnls->rows;
        double gradient = 0.0, length = nnls->length[j];
        bool in = false;
        for (int k = 0; k < count; k++)
            in |= set[k] == j;
        if (in || nnls->refused[j] != 0.0)
            continue;
        for (int i = 0; i < nnls->rows; i++)
            gradient -= column[i] * nnls->r[i];
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
    nnls->made = stop < nnls->made ? stop : nnls->made;
    memmove(set + stop, set + stop + 1,
            sizeof *set * (size_t)(count - stop - 1));
    return count - 1;
}

/* The lengths of all columns; none is refused. */
static void
measure(struct nnls *nnls)
{
    for (int j = 0; j < nnls->n; j++) {
        nnls->length[j] = nnls->refused[j] = 0.0;
        for (int i = 0; i < nnls->rows; i++)
            nnls->length[j] =
                hypot(nnls->length[j],
                      nnls->E[(size_t)j * (size_t)nnls->rows + (size_t)i]);
    }
}

/* Lawson and Hanson 1974, algorithm NNLS. A column whose weight comes out below
 * 0 as it enters has its gradient by rounding: it would enter and leave for
 * ever, and others are asked. */
static void
non_negative(struct nnls *nnls, int *set)
{
    int count = 0;
    residual(nnls);
    measure(nnls);
    for (int round = 0; round < 3 * nnls->n + 8; round++) {
        int in = count < nnls->rows ? entering(nnls, set, count) : -1;
        if (in < 0)
            return;
        set[count++] = in;
        over_columns(nnls, set, count);
        if (!(nnls->z[count - 1] > 0.0)) {
            nnls->refused[in] = 1.0;
            count--;
            nnls->made = nnls->made < count ? nnls->made : count;
            continue;
        }
        memset(nnls->refused, 0, sizeof *nnls->refused * (size_t)nnls->n);
        for (bool whole = false; !whole && count > 0;) {
            count = towards(nnls, set, count, &whole);
            if (!whole && count > 0)
                over_columns(nnls, set, count);
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
    nnls->length = nnls->u + n + 1;
    nnls->refused = nnls->length + n + 1;
    nnls->z = nnls->refused + n + 1;
    nnls->r = nnls->z + columns;
    nnls->f = nnls->r + rows;
    nnls->work = nnls->f + rows;
    nnls->tau = nnls->work + (columns > (size_t)rows ? columns : (size_t)rows);
}

static size_t
least_residual_room(int m, int n)
{
    assert(m > 0 && n >= 0);
    return least_distance_room(n, m - 1);
}

/* Is the least |A x - b| with x >= 0 at most the share `zero` of |b| and of all
 * that makes it up, which may cancel (A is m x n, row-major, m at most
 * LEAST_DISTANCE_MOST)? By non-negative least squares, which tell rounding from
 * what cannot be reached. room: least_residual_room(m, n). */
static bool
least_residual(int m, int n, const double *A, const double *b, double zero,
               double *room)
{
    assert(m > 0 && m <= LEAST_DISTANCE_MOST && n >= 0);
    assert(A != NULL && b != NULL && room != NULL);
    int set[LEAST_DISTANCE_MOST + 1];
    struct nnls nnls;
    double size = sqrt(dense_dot(m, b, b));
    if (!(size > 0.0))
        return true;
    place(&nnls, m, n, room);
    nnls.enough = zero;
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
    return size_of_residual(&nnls) / terms <= zero;
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
    nnls.enough = sqrt(DBL_EPSILON); /* at the end, r_d = |r|^2 */
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < d; i++)
            nnls.E[(size_t)j * (size_t)rows + (size_t)i] = A[j * d + i];
        nnls.E[(size_t)j * (size_t)rows + (size_t)d] = h[j] / size;
        nnls.u[j] = 0.0;
    }
    for (int i = 0; i < rows; i++)
        nnls.f[i] = i == d;
    non_negative(&nnls, set);
    if (size_of_residual(&nnls) <= nnls.enough ||
        !(fabs(nnls.r[d]) > DBL_EPSILON))
        return false;
    for (int j = 0; j < d; j++)
        t[j] = -nnls.r[j] / nnls.r[d] * size;
    for (int i = 0; i < m; i++)
        if (dense_dot(d, A + (size_t)i * (size_t)d, t) <
            h[i] - tolerance * size)
            return false;
    return true;
}
