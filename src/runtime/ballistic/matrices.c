/* SPDX-License-Identifier: MIT */
/* What follows from the matrices of a ballistic motion alone: responses to
 * impulses, the space of the gaps and its coordinates, the origin. Other
 * coordinates q change W, F, H and K in rounding only. All of them are made in
 * long double and rounded once, because an error in them is repeated at every
 * impact, a thousand times until the sizes have fallen to 1e-12. */
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

static wide
wide_dot(int n, const double *a, const wide *b)
{
    wide s = 0.0L;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Cholesky's factor of the mass matrix, M = L L^T, with reciprocals in the
 * diagonal of L. False: M is not positive definite. */
static bool
factor_mass(struct ballistic *motion)
{
    int n = motion->model.n;
    const double *M = motion->model.mass;
    wide *L = motion->work->own.mass_factor;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            wide s = M[i * n + j];
            for (int c = 0; c < j; c++)
                s -= L[i * n + c] * L[j * n + c];
            if (j < i)
                L[i * n + j] = s * L[j * n + j];
            else if (!(s > 4.0 * n * DBL_EPSILON * M[i * n + i]))
                return false;
            else
                L[i * n + i] = 1.0L / sqrtl(s);
        }
    return true;
}

/* the rows of M^-1 N^T, and the Delassus matrix W = N M^-1 N^T */
static void
responses(struct ballistic *motion)
{
    int n = motion->model.n, m = motion->model.m;
    const wide *L = motion->work->own.mass_factor;
    for (int i = 0; i < m; i++) {
        wide *b = motion->work->own.B + i * n;
        for (int j = 0; j < n; j++) {
            wide s = motion->model.N[i * n + j];
            for (int c = 0; c < j; c++)
                s -= L[j * n + c] * b[c];
            b[j] = s * L[j * n + j];
        }
        for (int j = n - 1; j >= 0; j--) {
            for (int c = j + 1; c < n; c++)
                b[j] -= L[c * n + j] * b[c];
            b[j] *= L[j * n + j];
            motion->matrices.B[i * n + j] = (double)b[j];
        }
        for (int j = 0; j <= i; j++) {
            wide s = wide_dot(n, motion->model.N + j * n, b);
            motion->work->own.W[i * m + j] = motion->work->own.W[j * m + i] = s;
            motion->matrices.W[i * m + j] = motion->matrices.W[j * m + i] =
                (double)s;
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
    int m = motion->model.m, n = motion->model.n, r = 0;
    wide *C = motion->work->own.W_factor, *rc = motion->work->own.reciprocal,
         *left = motion->work->own.column;
    const wide *W = motion->work->own.W;
    for (int i = 0; i < m; i++)
        left[i] = W[i * m + i];
    for (; r < m && r < n; r++) {
        int b = pivot ? -1 : r;
        wide best = dense_tolerance(m, m), share;
        for (int i = 0; i < m && pivot; i++)
            if ((share = left[i] / W[i * m + i]) > best) {
                best = share;
                b = i;
            }
        if (b < 0 || !(left[b] > dense_tolerance(m, m) * W[b * m + b]))
            break;
        motion->matrices.basis[r] = b;
        C[b * m + r] = sqrtl(left[b]);
        rc[r] = 1.0L / C[b * m + r];
        left[b] = 0.0L;
        for (int i = 0; i < m; i++) {
            if (i == b)
                continue;
            wide s = W[i * m + b];
            for (int c = 0; c < r; c++)
                s -= C[i * m + c] * C[b * m + c];
            C[i * m + r] = s * rc[r];
            left[i] -= C[i * m + r] * C[i * m + r];
        }
    }
    for (int j = 0; j < r; j++)
        for (int c = j + 1; c < r; c++)
            C[motion->matrices.basis[j] * m + c] = 0.0L;
    return r;
}

/* solve C_basis y = b in place, and C_basis^T y = b */
static void
forward(const struct ballistic *motion, wide *b)
{
    for (int i = 0; i < motion->matrices.rank; i++) {
        const wide *C = motion->work->own.W_factor +
                        motion->matrices.basis[i] * motion->model.m;
        for (int c = 0; c < i; c++)
            b[i] -= C[c] * b[c];
        b[i] *= motion->work->own.reciprocal[i];
    }
}
static void
backward(const struct ballistic *motion, wide *b)
{
    for (int i = motion->matrices.rank - 1; i >= 0; i--) {
        const wide *C = motion->work->own.W_factor +
                        motion->matrices.basis[i] * motion->model.m;
        b[i] *= motion->work->own.reciprocal[i];
        for (int j = 0; j < i; j++)
            b[j] -= C[j] * b[i];
    }
}

void
matrices_laws(struct ballistic *motion)
{
    int m = motion->model.m, stride = motion->matrices.stride;
    for (int i = 0; i < m && motion->matrices.direct; i++) {
        const wide *W = motion->work->own.W + i * m;
        wide c = matrices_law(motion, i, motion->model.e[i]);
        for (int j = 0; j < m; j++)
            motion->matrices.rows[i * stride + j] =
                motion->matrices.K[i * m + j] = (double)(c * W[j]);
    }
}

/* makes F, H, K, E, and the accelerations */
static void
spaces(struct ballistic *motion)
{
    struct contact_matrices *matrices = &motion->matrices;
    int n = motion->model.n, m = motion->model.m, r = matrices->rank,
        stride = matrices->stride;
    wide *b = motion->work->own.column;
    for (int i = 0; i < m; i++) {
        wide W = motion->work->own.W[i * m + i], c = W > 0.0L ? 1.0L / W : 0.0L;
        for (int j = 0; j < r; j++) {
            wide h = (matrices->direct ? motion->work->own.W
                                       : motion->work->own.W_factor)[i * m + j];
            matrices->F[i * r + j] = matrices->direct ? i == j : (double)h;
            matrices->H[i * r + j] = (double)h;
            matrices->K[i * r + j] = (double)(c * h);
            matrices->Ft[j * stride + i] = matrices->F[i * r + j];
            matrices->Kt[j * stride + i] = matrices->K[i * r + j];
        }
        for (int j = 0; j < m; j++)
            matrices->rows[i * stride + j] = matrices->W[i * m + j];
        matrices->diagonal[i] = matrices->W[i * m + i];
        matrices->root[i] = sqrt(matrices->W[i * m + i]);
        const double *N = motion->model.N + i * n;
        double bias = motion->model.bias ? motion->model.bias[i] : 0.0;
        matrices->gap_acc[i] = dot_of(n, N, motion->model.acc) + bias;
        matrices->gap_acc_terms[i] =
            dot_abs(n, N, motion->model.acc) + fabs(bias);
        if (fabs(matrices->gap_acc[i]) <=
            BALLISTIC_NOISE * DBL_EPSILON * matrices->gap_acc_terms[i])
            matrices->gap_acc[i] = 0.0;
    }
    for (int j = 0; j < r; j++) {
        memset(b, 0, (size_t)r * sizeof *b);
        b[j] = 1.0L;
        if (matrices->direct)
            forward(motion, b);
        backward(motion, b);
        for (int i = 0; i < n; i++) {
            wide s = 0.0L;
            for (int c = 0; c < r; c++)
                s += motion->work->own.B[matrices->basis[c] * n + i] * b[c];
            matrices->E[i * r + j] = (double)s;
        }
        matrices->y_acc[j] = dot_of(n, motion->model.N + matrices->basis[j] * n,
                                    motion->model.acc);
        if (matrices->direct || motion->model.bias)
            matrices->y_acc[j] = matrices->gap_acc[matrices->basis[j]];
    }
    matrices_coordinates(motion, matrices->y_acc);
    for (int i = 0; i < n; i++) {
        double s = dot_of(r, matrices->E + i * r, matrices->y_acc);
        double size = dot_abs(r, matrices->E + i * r, matrices->y_acc);
        matrices->free_acc[i] = motion->model.acc[i] - s;
        if (fabs(matrices->free_acc[i]) <=
            BALLISTIC_NOISE * (r + 1) * DBL_EPSILON * size)
            matrices->free_acc[i] = 0.0;
    }
}

/* The origin: the point nearest to 0 in the metric of M where the independent
 * gaps vanish. The other gaps have offsets there. */
static void
find_origin(struct ballistic *motion)
{
    struct contact_matrices *matrices = &motion->matrices;
    int n = motion->model.n, m = motion->model.m;
    wide *b = motion->work->own.column;
    bool any = false;
    for (int i = 0; i < m; i++)
        any |= motion->model.c[i] != 0.0;
    memset(matrices->origin, 0, (size_t)n * sizeof *matrices->origin);
    memset(matrices->gap_offset, 0, (size_t)m * sizeof *matrices->gap_offset);
    if (!any)
        return;
    for (int j = 0; j < matrices->rank; j++)
        b[j] = -motion->model.c[matrices->basis[j]];
    forward(motion, b);
    backward(motion, b);
    for (int j = 0; j < matrices->rank; j++)
        for (int i = 0; i < n; i++)
            matrices->origin[i] +=
                (double)(motion->work->own.B[matrices->basis[j] * n + i] *
                         b[j]);
    for (int i = 0; i < m; i++) {
        const double *N = motion->model.N + i * n;
        double g = dot_of(n, N, matrices->origin) + motion->model.c[i];
        double size =
            dot_abs(n, N, matrices->origin) + fabs(motion->model.c[i]);
        matrices->gap_offset[i] =
            fabs(g) <= 16.0 * m * DBL_EPSILON * size ? 0.0 : g;
    }
    for (int j = 0; j < matrices->rank; j++)
        matrices->gap_offset[matrices->basis[j]] = 0.0;
}

int
matrices_make(struct ballistic *motion)
{
    assert(motion && motion->work);
    assert(motion->matrices.stride >= motion->model.m);
    motion->matrices.version = ++motion->work->own.matrices.version;
    if (!factor_mass(motion))
        return 1;
    responses(motion);
    motion->matrices.rank = factor(motion, false);
    motion->matrices.direct = motion->matrices.rank == motion->model.m;
    if (!motion->matrices.direct)
        motion->matrices.rank = factor(motion, true);
    assert(motion->matrices.rank <= motion->model.m);
    assert(motion->matrices.rank <= motion->model.n);
    assert(!motion->matrices.direct ||
           motion->matrices.rank == motion->model.m);
    spaces(motion);
    matrices_laws(motion);
    find_origin(motion);
    return 0;
}

void
matrices_coordinates(const struct ballistic *motion, double *g)
{
    wide *b = motion->work->own.column;
    if (motion->matrices.direct)
        return;
    for (int i = 0; i < motion->matrices.rank; i++)
        b[i] = g[i];
    forward(motion, b);
    for (int i = 0; i < motion->matrices.rank; i++)
        g[i] = (double)b[i];
}
