/* SPDX-License-Identifier: MIT */
/* The way that does not square the condition: joints orthogonalised by QR with
 * column pivoting, what is left of the contacts through an SVD. With B = what
 * is left, G = B^T B: rank, null space and least impulses come from B itself,
 * so that directions that differ by 1e-9 still count as different. Where
 * bodies are so light, or without inertia, that QR finds the rows of joints to
 * depend on each other, B are the motions that joint_saddle.c finds. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"

/* If the rows of joints are this close to dependent, no more digits than this
 * are left. */
#define JOINT_LOOSEST 1e-6
/* Motions of joint_saddle.c solve their equations to SADDLE_SOUND; the
 * condition of these may take four digits more. */
#define LIGHT_LOOSEST (1e4 * SADDLE_SOUND)
/* From so many contacts on QR is tried before singular values, which take a
 * hundred times as long at sixty. Its rank is that of singular values where no
 * column lies between those that are independent of others and those that
 * rounding alone tells from them. */
#define MANY 24
/* Columns of which joints leave less than this are left to singular values:
 * what is left is measured by what was there. */
#define LEFT_WHOLE 0.01

static void
ensure(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    struct impact_exact *exact = &work->svd;
    if (exact->qr)
        return;
    size_t n_row = (size_t)work->ld, columns = 6 * work->most_body + 1,
           nc = n_row;
    exact->qr = NEW_N(work->arena, double, columns *n_row);
    exact->tau = NEW_N(work->arena, double, n_row + columns);
    exact->norm = NEW_N(work->arena, double, 2 * n_row);
    exact->perm = NEW_N(work->arena, int, n_row);
    exact->B = NEW_N(work->arena, double,
                     3 * columns * nc + nc * nc + 4 * nc + columns);
    exact->V = exact->B + 3 * columns * nc;
    exact->s = exact->V + nc * nc;
    exact->J =
        NEW_N(work->arena, double, columns *n_row + n_row * n_row + 2 * n_row);
    solver->delassus.null = NEW_N(work->arena, double, n_row *n_row);
    exact->Jv = exact->J + columns * n_row;
    exact->Js = exact->Jv + n_row * n_row;
    if (n_row >= MANY)
        exact->room = NEW_N(work->arena, double,
                            2 * columns * n_row +
                                least_square_room((int)columns, (int)n_row));
}

/* The length of a column: six numbers for each body. */
static int
entries(const struct impact_solver *solver)
{
    return solver->in.row ? (int)solver->in.row_length
                          : 6 * (int)solver->in.n_body;
}

/* Gives the column of a row over all bodies. */
static void
column(const struct impact_solver *solver, int i, double *x)
{
    if (solver->in.row) {
        size_t length = solver->in.row_length;
        memcpy(x, solver->in.row + (size_t)i * length, length * sizeof *x);
        return;
    }
    const struct impact_row *r = &solver->w->row[i];
    memset(x, 0, sizeof *x * 6 * solver->in.n_body);
    for (int s = 0; s < 2; s++)
        if (r->body[s] != IMP_WORLD)
            for (int n_set = 0; n_set < 6; n_set++)
                x[6 * r->body[s] + (uint32_t)n_set] += r->b[s][n_set];
}

static double
tolerance(const struct impact_solver *solver)
{
    return fmax(dense_tolerance(entries(solver), solver->nr + solver->nc),
                solver->in.tolerance);
}

/* QR of the n_set columns `set` of B, without entries where all are 0. False:
 * the rank is not clear. */
static bool
factor_clear(struct impact_solver *solver, const int *set, int n_set)
{
    struct impact_work *work = solver->w;
    struct impact_exact *exact = &work->svd;
    size_t n_entries = (size_t)entries(solver), n = (size_t)n_set, m = 0;
    double *columns = exact->room;
    for (size_t j = 0; j < n_entries; j++) {
        bool any = false;
        for (size_t i = 0; i < n; i++) {
            double x = exact->B[n_entries * (size_t)set[i] + j];
            any |= x != 0;
            columns[m * n + i] = x;
        }
        m += any;
    }
    double *turned = columns + m * n;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t j = 0; j < m; j++) {
            double x = turned[i * m + j] = columns[j * n + i];
            square += x * x;
        }
        double whole = work->joint.ref[solver->nr + set[i]];
        if (square > 0 && !(square >= LEFT_WHOLE * LEFT_WHOLE * whole))
            return false;
    }
    if (!least_square_factor((int)m, n_set, turned, exact->loose,
                             &exact->square, turned + m * n))
        return false;
    for (int d = 0; d < n_set - exact->square.rank; d++)
        least_square_null(&exact->square, d,
                          exact->V + (exact->square.rank + d) * n_set);
    return true;
}

/* The SVD of the n_set columns `set` of B, into V and s. The rank is decided on
 * columns measured by their length before the joints took their part; the
 * singular values that are kept are those of unit directions. */
static int
factor(struct impact_solver *solver, const int *set, int n_set)
{
    struct impact_work *work = solver->w;
    struct impact_exact *exact = &work->svd;
    int n_entries = entries(solver), rank = 0;
    double *columns = exact->B + (size_t)n_entries * (size_t)solver->nc;
    exact->whole = false;
    for (int i = 0; i < n_set; i++) {
        const double *b = exact->B + (size_t)n_entries * (size_t)set[i];
        double ref = sqrt(work->joint.ref[solver->nr + set[i]]);
        for (int j = 0; j < n_entries; j++)
            columns[i * n_entries + j] = ref > 0 ? b[j] / ref : 0;
    }
    if (!dense_svd(n_entries, n_set, columns, exact->V, exact->s))
        return -1;
    while (rank < n_set && exact->s[rank] > exact->loose)
        rank++;
    for (int i = 0; i < n_set; i++)
        memcpy(columns + i * n_entries,
               exact->B + (size_t)n_entries * (size_t)set[i],
               sizeof *columns * (size_t)n_entries);
    if (!dense_svd(n_entries, n_set, columns, exact->V, exact->s))
        return -1;
    exact->whole = n_set == solver->nc;
    return exact->rank = rank;
}

/* Orthogonalises the rows of joints, and gives what they leave of the contacts.
 */
static void
leave(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    struct impact_exact *exact = &work->svd;
    int n_entries = entries(solver);
    for (int i = 0; i < solver->nr; i++)
        column(solver, i, exact->qr + (size_t)i * (size_t)n_entries);
    int joint_rank = dense_qr(n_entries, solver->nr, exact->qr, exact->tau,
                              exact->perm, exact->norm, tolerance(solver));
    /* what joints leave of a contact is known to rounding over the sine of the
     * smallest angle among the joints' own rows */
    double sine = 1;
    for (int i = 0; i < joint_rank; i++)
        sine = fmin(sine,
                    fabs(exact->qr[(size_t)i * (size_t)n_entries + (size_t)i]) /
                        exact->norm[exact->perm[i]]);
    exact->loose = tolerance(solver) / sine;
    if (work->saddle.used &&
        (joint_rank < work->saddle.rank || exact->loose > JOINT_LOOSEST)) {
        exact->loose = LIGHT_LOOSEST;
        memcpy(exact->B, work->saddle.column,
               sizeof *exact->B * (size_t)n_entries * (size_t)solver->nc);
        return;
    }
    solver->delassus.joint_rank = joint_rank;
    exact->loose = fmin(JOINT_LOOSEST, exact->loose);
    for (int c = 0; c < solver->nc; c++) {
        double *b = exact->B + (size_t)n_entries * (size_t)c;
        column(solver, solver->nr + c, b);
        dense_qr_qt(n_entries, joint_rank, exact->qr, exact->tau, b);
        memset(b, 0, sizeof *b * (size_t)joint_rank);
    }
}

/* Makes B, and G again from B: here fewer digits cancel. */
static void
make_left(struct impact_solver *solver)
{
    struct impact_exact *exact = &solver->w->svd;
    int n_entries = entries(solver), nc = solver->nc;
    ensure(solver);
    leave(solver);
    for (int c = 0; c < nc; c++) {
        double *b = exact->B + (size_t)n_entries * (size_t)c,
               n = sqrt(dense_dot(n_entries, b, b));
        if (!(n > exact->loose * sqrt(solver->w->joint.ref[solver->nr + c])))
            memset(b, 0, sizeof *b * (size_t)n_entries);
    }
    for (int i = 0; i < nc; i++)
        for (int j = 0; j <= i; j++)
            solver->delassus.G[i * nc + j] = solver->delassus.G[j * nc + i] =
                dense_dot(n_entries, exact->B + (size_t)n_entries * (size_t)i,
                          exact->B + (size_t)n_entries * (size_t)j);
    exact->left = true;
}

int
delassus_svd(struct impact_solver *solver)
{
    assert(solver);
    struct impact_exact *exact = &solver->w->svd;
    int nc = solver->nc;
    if (!exact->left)
        make_left(solver);
    int *set = exact->perm;
    for (int c = 0; c < nc; c++)
        set[c] = c;
    int rank = factor(solver, set, nc);
    if (rank < 0)
        return 1;
    solver->delassus.rank = rank;
    solver->delassus.condition =
        rank ? pow(exact->s[0] / exact->s[rank - 1], 2) : 1;
    for (int i = rank; i < nc; i++) {
        double *x = solver->delassus.null + (i - rank) * nc, n = 0;
        for (int c = 0; c < nc; c++) {
            x[c] = exact->V[i * nc + c] / solver->approach.length[c];
            n += x[c] * x[c];
        }
        for (int c = 0; c < nc; c++)
            x[c] /= sqrt(n);
    }
    exact->made = true;
    return 0;
}

/* One step of iterative refinement among the contacts of the set. The roots of
 * the factors are rounded, and the same rounding in every impact of a long run
 * would add up in its energy: dE/dP is a velocity, not zero. */
static void
refine(struct impact_solver *solver, const int *set, int n_set, const double *b,
       double *x)
{
    const struct impact_work *work = solver->w;
    int nc = solver->nc;
    double left[IMPACT_CONTACTS_MAX];
    for (int i = 0; i < n_set; i++) {
        long double sum = b[set[i]];
        for (int j = 0; j < n_set; j++)
            sum -= (long double)solver->delassus.G[set[i] * nc + set[j]] *
                   x[set[j]];
        left[i] = (double)sum;
    }
    dense_forward(n_set, work->contact.F, nc, work->contact.Ffirst,
                  work->contact.Frd, 0, left);
    dense_backward(n_set, work->contact.F, nc, work->contact.Ffirst,
                   work->contact.Frd, left);
    for (int i = 0; i < n_set; i++)
        x[set[i]] += left[i];
}

/* The same by QR of many contacts: with B z = b, x is the least impulse that
 * moves bodies so. rhs: b on the set, whose part outside the range stays. */
static void
by_clear_rank(struct impact_solver *solver, const int *set, int n_set,
              double *rhs, double *x, double *residual)
{
    const struct least_square *of = &solver->w->svd.square;
    double *reached = solver->w->svd.room, *motion = reached + n_set,
           *scratch = motion + of->m;
    memcpy(reached, rhs, sizeof *reached * (size_t)n_set);
    least_square_project(of, reached, scratch);
    for (int j = 0; j < n_set && residual; j++)
        residual[set[j]] = rhs[j] - reached[j];
    least_square_solve_turned(of, reached, motion);
    least_square_solve(of, motion, reached, scratch);
    for (int j = 0; j < n_set; j++)
        x[set[j]] = reached[j];
}

/* Finds the x of least length with G x nearest to b on the set. Letters: F is
 * the Cholesky factor of a definite G on the set; else G = V S^2 V^T there, and
 * y = V^T b. */
int
delassus_pseudoinverse(struct impact_solver *solver, const bool *on,
                       const double *b, double *x, double *residual, int *rank)
{
    assert(b != NULL && x != NULL && rank != NULL);
    struct impact_work *work = solver->w;
    int nc = solver->nc, n_set = 0, set[IMPACT_CONTACTS_MAX];
    double rhs[IMPACT_CONTACTS_MAX], y[IMPACT_CONTACTS_MAX];
    for (int c = 0; c < nc && n_set < IMPACT_CONTACTS_MAX; c++)
        if (!on || on[c]) {
            rhs[n_set] = b[c];
            set[n_set++] = c;
        }
    memset(x, 0, sizeof *x * (size_t)nc);
    if (residual)
        memset(residual, 0, sizeof *residual * (size_t)nc);
    if (solver->delassus.regular) {
        /* a principal part of a definite matrix is definite */
        double *F = work->contact.F, *rd = work->contact.Frd;
        int *first = work->contact.Ffirst;
        bool whole = n_set == nc && work->contact.whole;
        work->contact.whole = n_set == nc;
        if (!whole)
            for (int i = 0; i < n_set; i++) {
                first[i] = 0;
                for (int j = 0; j <= i; j++)
                    F[i * nc + j] = solver->delassus.G[set[i] * nc + set[j]];
            }
        if (!whole)
            dense_cholesky(n_set, F, nc, first, NULL, 0, rd, rank);
        dense_forward(n_set, F, nc, first, rd, 0, rhs);
        dense_backward(n_set, F, nc, first, rd, rhs);
        for (int i = 0; i < n_set; i++)
            x[set[i]] = rhs[i];
        refine(solver, set, n_set, b, x);
        *rank = n_set;
        return 0;
    }
    if (!work->svd.left)
        make_left(solver);
    if (n_set >= MANY && factor_clear(solver, set, n_set)) {
        by_clear_rank(solver, set, n_set, rhs, x, residual);
        *rank = work->svd.square.rank;
        return 0;
    }
    if (!work->svd.made && delassus_svd(solver))
        return 1;
    *rank = work->svd.whole && n_set == nc ? work->svd.rank
                                           : factor(solver, set, n_set);
    if (*rank < 0)
        return 1;
    for (int i = 0; i < *rank; i++)
        y[i] = dense_dot(n_set, work->svd.V + i * n_set, rhs);
    for (int i = 0; i < *rank; i++)
        for (int j = 0; j < n_set; j++) {
            x[set[j]] += work->svd.V[i * n_set + j] *
                         (y[i] / work->svd.s[i] / work->svd.s[i]);
            rhs[j] -= work->svd.V[i * n_set + j] * y[i];
        }
    if (residual)
        for (int j = 0; j < n_set; j++)
            residual[set[j]] = rhs[j];
    return 0;
}

void
impact_least_joint_impulses(struct impact_solver *solver, const double *six,
                            double *xi)
{
    assert(solver);
    struct impact_work *w = solver->w;
    int n_entries = entries(solver), nr = solver->nr;
    ensure(solver);
    double *neg = w->svd.tau, *work = w->svd.Js + nr;
    for (int i = 0; i < nr; i++)
        column(solver, i, w->svd.J + (size_t)i * (size_t)n_entries);
    for (int i = 0; i < n_entries; i++)
        neg[i] = -six[i];
    dense_svd(n_entries, nr, w->svd.J, w->svd.Jv, w->svd.Js);
    dense_svd_solve(n_entries, nr, w->svd.J, w->svd.Jv, w->svd.Js,
                    solver->delassus.joint_rank, neg, xi, work);
}

bool
delassus_keeps_null(const struct impact_solver *solver, const bool *on,
                    int rank)
{
    assert(solver);
    const struct impact_work *work = solver->w;
    int n_entries = entries(solver), n_set = 0, set[IMPACT_CONTACTS_MAX];
    bool equal = true;
    for (int c = 0; c < solver->nc; c++)
        if (!on || on[c]) {
            set[n_set++] = c;
            equal &= solver->approach.e[c] == solver->approach.e[set[0]];
        }
    if (equal || rank == n_set)
        return true;
    for (int vector = rank; vector < n_set; vector++) {
        double size = 0;
        for (int j = 0; j < n_set; j++)
            size += sqrt(work->joint.ref[solver->nr + set[j]]) *
                    fabs(work->svd.V[vector * n_set + j]);
        for (int r = 0; r < n_entries; r++) {
            double s = 0;
            for (int j = 0; j < n_set; j++)
                s += work->svd
                         .B[(size_t)n_entries * (size_t)set[j] + (size_t)r] *
                     solver->approach.e[set[j]] *
                     work->svd.V[vector * n_set + j];
            if (fabs(s) > 16 * work->svd.loose * size)
                return false;
        }
    }
    return true;
}
