/* SPDX-License-Identifier: MIT */
/* What follows from the matrices of a ballistic motion alone: responses to
 * impulses, the space of the gaps and its coordinates, the origin. Other
 * coordinates q change W, F, H and K in rounding only. All of them are made in
 * long double and rounded once, because an error in them is repeated at every
 * impact, a thousand times until the sizes have fallen to 1e-12. Letters: M
 * mass matrix, N gradients of the gaps, W = N M^-1 N^T, L and C the factors of
 * M and W, b a right side that is solved in place, i and j rows and columns. */
#include <assert.h>
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

static wide
wide_dot(int coordinates, const double *a, const wide *b)
{
    wide s = 0.0L;
    for (int i = 0; i < coordinates; i++)
        s += a[i] * b[i];
    return s;
}

/* Cholesky's factor of the mass matrix, M = L L^T, with reciprocals in the
 * diagonal of L. A row of L begins where that of M does, so the masses of a
 * long chain take as long as it has links. False: M is not positive definite.
 */
static bool
factor_mass(struct ballistic *motion)
{
    int coordinates = motion->model.n;
    const double *M = motion->model.mass;
    wide *L = motion->work->own.mass_factor;
    int *first = motion->work->own.mass_first;
    for (int row = 0; row < coordinates; row++) {
        first[row] = 0;
        while (first[row] < row && M[row * coordinates + first[row]] == 0.0)
            first[row]++;
        for (int j = first[row]; j <= row; j++) {
            wide sum = M[row * coordinates + j];
            int column = first[row] > first[j] ? first[row] : first[j];
            for (; column < j; column++)
                sum -=
                    L[row * coordinates + column] * L[j * coordinates + column];
            if (j < row)
                L[row * coordinates + j] = sum * L[j * coordinates + j];
            else if (!(sum > 4.0 * coordinates * DBL_EPSILON *
                                 M[row * coordinates + row]))
                return false;
            else
                L[row * coordinates + row] = wide_over(1.0L, sqrtl(sum));
        }
    }
    return true;
}

/* Makes the rows of M^-1 N^T, and the Delassus matrix W = N M^-1 N^T. */
static void
responses(struct ballistic *motion)
{
    int coordinates = motion->model.n, contacts = motion->model.m;
    const wide *L = motion->work->own.mass_factor;
    const int *first = motion->work->own.mass_first;
    for (int contact = 0; contact < contacts; contact++) {
        wide *response = motion->work->own.B + contact * coordinates;
        for (int j = 0; j < coordinates; j++) {
            wide s = motion->model.N[contact * coordinates + j];
            for (int column = first[j]; column < j; column++)
                s -= L[j * coordinates + column] * response[column];
            response[j] = s * L[j * coordinates + j];
        }
        for (int j = coordinates - 1; j >= 0; j--) {
            for (int column = j + 1; column < coordinates; column++)
                if (first[column] <= j)
                    response[j] -=
                        L[column * coordinates + j] * response[column];
            response[j] *= L[j * coordinates + j];
            motion->matrices.B[contact * coordinates + j] = (double)response[j];
        }
        for (int j = 0; j <= contact; j++) {
            wide s = wide_dot(coordinates, motion->model.N + j * coordinates,
                              response);
            motion->work->own.W[contact * contacts + j] =
                motion->work->own.W[j * contacts + contact] = s;
            motion->matrices.W[contact * contacts + j] =
                motion->matrices.W[j * contacts + contact] = (double)s;
        }
    }
}

/* The factor C of W = C C^T: one column for each independent contact,
 * reciprocals of its diagonal in own.reciprocal. pivot: the contact of which
 * the greatest share is left comes next; otherwise contacts come in their
 * order. Returns the rank. */
static int
factor(struct ballistic *motion, bool pivot)
{
    int contacts = motion->model.m, coordinates = motion->model.n, rank = 0;
    wide *C = motion->work->own.W_factor, *rc = motion->work->own.reciprocal,
         *left = motion->work->own.column;
    const wide *W = motion->work->own.W;
    for (int i = 0; i < contacts; i++)
        left[i] = W[i * contacts + i];
    for (; rank < contacts && rank < coordinates; rank++) {
        int chosen = pivot ? -1 : rank;
        wide best = dense_tolerance(contacts, contacts), share;
        for (int i = 0; i < contacts && pivot; i++)
            if ((share = wide_over(left[i], W[i * contacts + i])) > best) {
                best = share;
                chosen = i;
            }
        if (chosen < 0 || !(left[chosen] > dense_tolerance(contacts, contacts) *
                                               W[chosen * contacts + chosen]))
            break;
        motion->matrices.basis[rank] = chosen;
        C[chosen * contacts + rank] = sqrtl(left[chosen]);
        rc[rank] = wide_over(1.0L, C[chosen * contacts + rank]);
        left[chosen] = 0.0L;
        for (int i = 0; i < contacts; i++) {
            if (i == chosen)
                continue;
            wide s = W[i * contacts + chosen];
            for (int column = 0; column < rank; column++)
                s -= C[i * contacts + column] * C[chosen * contacts + column];
            C[i * contacts + rank] = s * rc[rank];
            left[i] -= C[i * contacts + rank] * C[i * contacts + rank];
        }
    }
    for (int j = 0; j < rank; j++)
        for (int column = j + 1; column < rank; column++)
            C[motion->matrices.basis[j] * contacts + column] = 0.0L;
    return rank;
}

/* These solve C_basis y = b in place, and C_basis^T y = b. */
static void
forward(const struct ballistic *motion, wide *b)
{
    for (int i = 0; i < motion->matrices.rank; i++) {
        const wide *C = motion->matrices.factor +
                        motion->matrices.basis[i] * motion->model.m;
        for (int contact = 0; contact < i; contact++)
            b[i] -= C[contact] * b[contact];
        b[i] *= motion->matrices.factor_reciprocal[i];
    }
}
static void
backward(const struct ballistic *motion, wide *b)
{
    for (int i = motion->matrices.rank - 1; i >= 0; i--) {
        const wide *C = motion->matrices.factor +
                        motion->matrices.basis[i] * motion->model.m;
        b[i] *= motion->matrices.factor_reciprocal[i];
        for (int j = 0; j < i; j++)
            b[j] -= C[j] * b[i];
    }
}

void
ballistic_row(const struct ballistic *motion, int contact, double *row)
{
    assert(motion && row);
    assert(contact >= 0 && contact < motion->model.m);
    for (int j = 0; j < motion->matrices.rank; j++)
        row[j] = (double)motion->matrices.factor[contact * motion->model.m + j];
}

void
matrices_laws(struct ballistic *motion)
{
    assert(motion);
    int contacts = motion->model.m, stride = motion->matrices.stride;
    for (int i = 0; i < contacts; i++)
        motion->matrices.law[i] = -(1.0 + motion->model.e[i]);
    for (int i = 0; i < contacts && motion->matrices.direct; i++) {
        const wide *W = motion->work->own.W + i * contacts;
        wide c = matrices_law(motion, i, motion->model.e[i]);
        for (int j = 0; j < contacts; j++)
            motion->matrices.rows[i * stride + j] =
                motion->matrices.K[i * contacts + j] = (double)(c * W[j]);
    }
}

/* Makes F, H, K, Ft, Kt and the rows of W, which follow from W and its factor.
 */
static void
contact_spaces(struct ballistic *motion)
{
    struct contact_matrices *matrices = &motion->matrices;
    int contacts = motion->model.m, rank = matrices->rank,
        stride = matrices->stride;
    for (int contact = 0; contact < contacts; contact++) {
        wide W = motion->work->own.W[contact * contacts + contact],
             per_rate = W > 0.0L ? wide_over(1.0L, W) : 0.0L;
        for (int entry = 0; entry < rank; entry++) {
            wide h =
                (matrices->direct
                     ? motion->work->own.W
                     : motion->work->own.W_factor)[contact * contacts + entry];
            matrices->F[contact * rank + entry] =
                matrices->direct ? contact == entry : (double)h;
            matrices->H[contact * rank + entry] = (double)h;
            matrices->K[contact * rank + entry] = (double)(per_rate * h);
            matrices->Ft[entry * stride + contact] =
                matrices->F[contact * rank + entry];
            matrices->Kt[entry * stride + contact] =
                matrices->K[contact * rank + entry];
        }
        for (int j = 0; j < contacts; j++) {
            matrices->rows[contact * stride + j] =
                (double)(per_rate *
                         motion->work->own.W[contact * contacts + j]);
            matrices->coupling[contact * contacts + j] = NAN;
        }
        matrices->diagonal[contact] = matrices->W[contact * contacts + contact];
        matrices->root[contact] =
            sqrt(matrices->W[contact * contacts + contact]);
    }
}

/* Makes E, which follows from B and the factor of W. */
static void
find_E(struct ballistic *motion)
{
    struct contact_matrices *matrices = &motion->matrices;
    int coordinates = motion->model.n, rank = matrices->rank;
    wide *unit_rate = motion->work->own.column;
    for (int coordinate = 0; coordinate < rank; coordinate++) {
        memset(unit_rate, 0, (size_t)rank * sizeof *unit_rate);
        unit_rate[coordinate] = 1.0L;
        if (matrices->direct)
            forward(motion, unit_rate);
        backward(motion, unit_rate);
        for (int i = 0; i < coordinates; i++) {
            wide s = 0.0L;
            for (int column = 0; column < rank; column++)
                s += motion->work->own
                         .B[matrices->basis[column] * coordinates + i] *
                     unit_rate[column];
            matrices->E[i * rank + coordinate] = (double)s;
        }
    }
}

/* Makes the accelerations. */
static void
accelerations(struct ballistic *motion)
{
    struct contact_matrices *matrices = &motion->matrices;
    int coordinates = motion->model.n, contacts = motion->model.m,
        rank = matrices->rank;
    for (int contact = 0; contact < contacts; contact++) {
        const double *N = motion->model.N + contact * coordinates;
        double bias = motion->model.bias ? motion->model.bias[contact] : 0.0;
        matrices->gap_acc[contact] =
            dot_of(coordinates, N, motion->model.acc) + bias;
        matrices->gap_acc_terms[contact] =
            dot_abs(coordinates, N, motion->model.acc) + fabs(bias);
        if (fabs(matrices->gap_acc[contact]) <=
            BALLISTIC_NOISE * DBL_EPSILON * matrices->gap_acc_terms[contact])
            matrices->gap_acc[contact] = 0.0;
    }
    for (int coordinate = 0; coordinate < rank; coordinate++) {
        matrices->y_acc[coordinate] =
            dot_of(coordinates,
                   motion->model.N + matrices->basis[coordinate] * coordinates,
                   motion->model.acc);
        if (matrices->direct || motion->model.bias)
            matrices->y_acc[coordinate] =
                matrices->gap_acc[matrices->basis[coordinate]];
    }
    matrices_coordinates(motion, matrices->y_acc);
    for (int i = 0; i < coordinates; i++) {
        double s = dot_of(rank, matrices->E + i * rank, matrices->y_acc);
        double size = dot_abs(rank, matrices->E + i * rank, matrices->y_acc);
        matrices->free_acc[i] = motion->model.acc[i] - s;
        if (fabs(matrices->free_acc[i]) <=
            BALLISTIC_NOISE * (rank + 1) * DBL_EPSILON * size)
            matrices->free_acc[i] = 0.0;
    }
}

/* The origin: the point nearest to 0 in the metric of M where the independent
 * gaps vanish. The other gaps have offsets there. */
static void
find_origin(struct ballistic *motion)
{
    struct contact_matrices *matrices = &motion->matrices;
    int coordinates = motion->model.n, contacts = motion->model.m;
    wide *column = motion->work->own.column;
    bool any = false;
    for (int i = 0; i < contacts; i++)
        any |= motion->model.c[i] != 0.0;
    memset(matrices->origin, 0, (size_t)coordinates * sizeof *matrices->origin);
    memset(matrices->gap_offset, 0,
           (size_t)contacts * sizeof *matrices->gap_offset);
    if (!any)
        return;
    for (int j = 0; j < matrices->rank; j++)
        column[j] = -motion->model.c[matrices->basis[j]];
    forward(motion, column);
    backward(motion, column);
    for (int j = 0; j < matrices->rank; j++)
        for (int i = 0; i < coordinates; i++)
            matrices->origin[i] +=
                (double)(motion->work->own
                             .B[matrices->basis[j] * coordinates + i] *
                         column[j]);
    for (int i = 0; i < contacts; i++) {
        const double *N = motion->model.N + i * coordinates;
        double g =
            dot_of(coordinates, N, matrices->origin) + motion->model.c[i];
        double size = dot_abs(coordinates, N, matrices->origin) +
                      fabs(motion->model.c[i]);
        matrices->gap_offset[i] =
            fabs(g) <= 16.0 * contacts * DBL_EPSILON * size ? 0.0 : g;
    }
    for (int j = 0; j < matrices->rank; j++)
        matrices->gap_offset[matrices->basis[j]] = 0.0;
}

/* The matrix `back`, which turns the gaps of the basis into y: the inverse of
 * their rows of C. */
static void
find_back(struct ballistic *motion)
{
    int rank = motion->matrices.rank, contacts = motion->model.m;
    double *back = motion->matrices.back;
    for (int i = 0; i < rank; i++) {
        const wide *C =
            motion->work->own.W_factor + motion->matrices.basis[i] * contacts;
        double reciprocal = (double)motion->work->own.reciprocal[i];
        for (int column = 0; column < rank; column++) {
            double s = i == column;
            for (int j = column; j < i; j++)
                s -= (double)C[j] * back[j * rank + column];
            back[i * rank + column] = s * reciprocal;
        }
    }
}

/* B, W, its factor and what follows from them, where those of the last time are
 * others. False: the mass matrix has no factor. */
static bool
factors(struct ballistic *motion)
{
    struct ballistic_own *own = &motion->work->own;
    struct contact_matrices *matrices = &motion->matrices;
    size_t coordinates = (size_t)motion->model.n,
           mass = coordinates * coordinates * sizeof(double),
           N = coordinates * (size_t)motion->model.m * sizeof(double);
    double *last = own->factored, *last_N = last + coordinates * coordinates;
    bool same_mass =
        own->any_mass_factor && !memcmp(last, motion->model.mass, mass);
    if (same_mass && own->any_factors &&
        (!N || !memcmp(last_N, motion->model.N, N))) {
        matrices->rank = own->factored_rank;
        matrices->direct = own->factored_direct;
        return true;
    }
    own->any_factors = false;
    own->any_mass_factor = same_mass || factor_mass(motion);
    if (!own->any_mass_factor)
        return false;
    responses(motion);
    matrices->rank = factor(motion, false);
    matrices->direct = matrices->rank == motion->model.m;
    if (!matrices->direct)
        matrices->rank = factor(motion, true);
    memcpy(last, motion->model.mass, mass);
    if (N)
        memcpy(last_N, motion->model.N, N);
    own->factored_rank = matrices->rank;
    own->factored_direct = matrices->direct;
    contact_spaces(motion);
    find_E(motion);
    return own->any_factors = true;
}

int
matrices_make(struct ballistic *motion)
{
    assert(motion && motion->work);
    assert(motion->matrices.stride >= motion->model.m);
    motion->matrices.version = ++motion->work->own.matrices.version;
    motion->matrices.factor = motion->work->own.W_factor;
    motion->matrices.factor_reciprocal = motion->work->own.reciprocal;
    if (!factors(motion))
        return 1;
    assert(motion->matrices.rank <= motion->model.m);
    assert(motion->matrices.rank <= motion->model.n);
    assert(!motion->matrices.direct ||
           motion->matrices.rank == motion->model.m);
    accelerations(motion);
    matrices_laws(motion);
    find_origin(motion);
    motion->basis = NULL;
    if (motion->matrices.direct)
        return 0;
    find_back(motion);
    motion->basis = contact_bases_make(motion);
    return 0;
}

void
matrices_shares(const struct ballistic *motion, int i, wide *share)
{
    assert(i >= 0 && i < motion->model.m);
    for (int j = 0; j < motion->matrices.rank; j++)
        share[j] = motion->matrices.factor[i * motion->model.m + j];
    backward(motion, share);
}

void
matrices_coordinates(const struct ballistic *motion, double *g)
{
    assert(motion);
    wide *b = motion->work->own.column;
    if (motion->matrices.direct)
        return;
    for (int i = 0; i < motion->matrices.rank; i++)
        b[i] = g[i];
    forward(motion, b);
    for (int i = 0; i < motion->matrices.rank; i++)
        g[i] = (double)b[i];
}
