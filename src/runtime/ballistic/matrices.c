/* SPDX-License-Identifier: MIT */
/* What follows from the matrices of ballistic.h alone: responses to impulses,
 * the space of the gaps and its coordinates, the origin. A change of the
 * coordinates q changes none of W, F, H, K but in rounding. They are made in
 * long double and rounded once: what is wrong in them is wrong again at every
 * impact, a thousand times for 1e-12. */
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

/* M = L L^T, reciprocals in the diagonal of L; false: M is not positive
 * definite */
static bool
factor_mass(struct ballistic *l)
{
    int n = l->model.n;
    const double *M = l->model.mass;
    wide *L = l->w->L;
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

/* rows of M^-1 N^T and W = N M^-1 N^T */
static void
responses(struct ballistic *l)
{
    int n = l->model.n, m = l->model.m;
    const wide *L = l->w->L;
    for (int i = 0; i < m; i++) {
        wide *b = l->w->B + i * n;
        for (int j = 0; j < n; j++) {
            wide s = l->model.N[i * n + j];
            for (int c = 0; c < j; c++)
                s -= L[j * n + c] * b[c];
            b[j] = s * L[j * n + j];
        }
        for (int j = n - 1; j >= 0; j--) {
            for (int c = j + 1; c < n; c++)
                b[j] -= L[c * n + j] * b[c];
            b[j] *= L[j * n + j];
            l->k.B[i * n + j] = (double)b[j];
        }
        for (int j = 0; j <= i; j++) {
            wide s = wide_dot(n, l->model.N + j * n, b);
            l->w->W[i * m + j] = l->w->W[j * m + i] = s;
            l->k.W[i * m + j] = l->k.W[j * m + i] = (double)s;
        }
    }
}

/* W = C C^T, a column of C per independent contact, reciprocals of the
 * diagonal in rc. pivot: the greatest share of its own size that is left comes
 * next; else in their order. Returns the rank. */
static int
factor(struct ballistic *l, bool pivot)
{
    int m = l->model.m, n = l->model.n, r = 0;
    wide *C = l->w->C, *rc = l->w->rc, *left = l->w->wf;
    const wide *W = l->w->W;
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
        l->k.basis[r] = b;
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
            C[l->k.basis[j] * m + c] = 0.0L;
    return r;
}

/* C_basis y = b in place, and C_basis^T y = b */
static void
forward(const struct ballistic *l, wide *b)
{
    for (int i = 0; i < l->k.r; i++) {
        const wide *C = l->w->C + l->k.basis[i] * l->model.m;
        for (int c = 0; c < i; c++)
            b[i] -= C[c] * b[c];
        b[i] *= l->w->rc[i];
    }
}
static void
backward(const struct ballistic *l, wide *b)
{
    for (int i = l->k.r - 1; i >= 0; i--) {
        const wide *C = l->w->C + l->k.basis[i] * l->model.m;
        b[i] *= l->w->rc[i];
        for (int j = 0; j < i; j++)
            b[j] -= C[j] * b[i];
    }
}

void
matrices_laws(struct ballistic *l)
{
    int m = l->model.m, stride = l->k.stride;
    for (int i = 0; i < m && l->k.direct; i++) {
        const wide *W = l->w->W + i * m;
        wide c = matrices_law(l, i, l->model.e[i]);
        for (int j = 0; j < m; j++)
            l->k.P[i * stride + j] = l->k.K[i * m + j] = (double)(c * W[j]);
    }
}

/* F, H, K, E, and the accelerations */
static void
spaces(struct ballistic *l)
{
    struct contact_matrices *k = &l->k;
    int n = l->model.n, m = l->model.m, r = k->r, stride = k->stride;
    wide *b = l->w->wf;
    for (int i = 0; i < m; i++) {
        wide W = l->w->W[i * m + i], c = W > 0.0L ? 1.0L / W : 0.0L;
        for (int j = 0; j < r; j++) {
            wide h = (k->direct ? l->w->W : l->w->C)[i * m + j];
            k->F[i * r + j] = k->direct ? i == j : (double)h;
            k->H[i * r + j] = (double)h;
            k->K[i * r + j] = (double)(c * h);
            k->Ft[j * stride + i] = k->F[i * r + j];
            k->Kt[j * stride + i] = k->K[i * r + j];
        }
        for (int j = 0; j < m; j++)
            k->P[i * stride + j] = k->W[i * m + j];
        k->diagonal[i] = k->W[i * m + i];
        k->root[i] = sqrt(k->W[i * m + i]);
        const double *N = l->model.N + i * n;
        double bias = l->model.bias ? l->model.bias[i] : 0.0;
        k->nf[i] = dot_of(n, N, l->model.acc) + bias;
        k->size[i] = dot_abs(n, N, l->model.acc) + fabs(bias);
        if (fabs(k->nf[i]) <= BALLISTIC_NOISE * DBL_EPSILON * k->size[i])
            k->nf[i] = 0.0;
    }
    for (int j = 0; j < r; j++) {
        memset(b, 0, (size_t)r * sizeof *b);
        b[j] = 1.0L;
        if (k->direct)
            forward(l, b);
        backward(l, b);
        for (int i = 0; i < n; i++) {
            wide s = 0.0L;
            for (int c = 0; c < r; c++)
                s += l->w->B[k->basis[c] * n + i] * b[c];
            k->E[i * r + j] = (double)s;
        }
        k->ay[j] = dot_of(n, l->model.N + k->basis[j] * n, l->model.acc);
        if (k->direct || l->model.bias)
            k->ay[j] = k->nf[k->basis[j]];
    }
    matrices_coordinates(l, k->ay);
    for (int i = 0; i < n; i++) {
        double s = dot_of(r, k->E + i * r, k->ay);
        double size = dot_abs(r, k->E + i * r, k->ay);
        k->ap[i] = l->model.acc[i] - s;
        if (fabs(k->ap[i]) <= BALLISTIC_NOISE * (r + 1) * DBL_EPSILON * size)
            k->ap[i] = 0.0;
    }
}

/* The point nearest to 0 (in the metric of M) where the independent gaps
 * vanish; the others keep what is left. */
static void
find_origin(struct ballistic *l)
{
    struct contact_matrices *k = &l->k;
    int n = l->model.n, m = l->model.m;
    wide *b = l->w->wf;
    bool any = false;
    for (int i = 0; i < m; i++)
        any |= l->model.c[i] != 0.0;
    memset(k->origin, 0, (size_t)n * sizeof *k->origin);
    memset(k->c0, 0, (size_t)m * sizeof *k->c0);
    if (!any)
        return;
    for (int j = 0; j < k->r; j++)
        b[j] = -l->model.c[k->basis[j]];
    forward(l, b);
    backward(l, b);
    for (int j = 0; j < k->r; j++)
        for (int i = 0; i < n; i++)
            k->origin[i] += (double)(l->w->B[k->basis[j] * n + i] * b[j]);
    for (int i = 0; i < m; i++) {
        const double *N = l->model.N + i * n;
        double g = dot_of(n, N, k->origin) + l->model.c[i];
        double size = dot_abs(n, N, k->origin) + fabs(l->model.c[i]);
        k->c0[i] = fabs(g) <= 16.0 * m * DBL_EPSILON * size ? 0.0 : g;
    }
    for (int j = 0; j < k->r; j++)
        k->c0[k->basis[j]] = 0.0;
}

int
matrices_make(struct ballistic *l)
{
    l->k.version = ++l->w->own.version;
    if (!factor_mass(l))
        return 1;
    responses(l);
    l->k.r = factor(l, false);
    l->k.direct = l->k.r == l->model.m;
    if (!l->k.direct)
        l->k.r = factor(l, true);
    spaces(l);
    matrices_laws(l);
    find_origin(l);
    return 0;
}

void
matrices_coordinates(const struct ballistic *l, double *g)
{
    wide *b = l->w->wf;
    if (l->k.direct)
        return;
    for (int i = 0; i < l->k.r; i++)
        b[i] = g[i];
    forward(l, b);
    for (int i = 0; i < l->k.r; i++)
        g[i] = (double)b[i];
}
