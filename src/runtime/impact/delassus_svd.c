/* SPDX-License-Identifier: MIT */
/* The way that does not square the condition: joints orthogonalised by QR with
 * column pivoting, what is left of the contacts through an SVD. With B = what
 * is left, G = B^T B: rank, null space and least impulses come from B itself,
 * so that directions that differ by 1e-9 still count as different. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"

/* joints that close to dependent leave no more digits than this */
#define JOINT_LOOSEST 1e-6

static void
ensure(struct impact_solver *m)
{
    struct impact_work *w = m->w;
    if (w->qr)
        return;
    size_t n = (size_t)w->ld, M = 6 * w->most_body + 1, nc = n;
    w->qr = NEW_N(w->arena, double, M *n);
    w->tau = NEW_N(w->arena, double, n + M);
    w->norm = NEW_N(w->arena, double, n);
    w->perm = NEW_N(w->arena, int, n);
    w->B = NEW_N(w->arena, double, 3 * M * nc + nc * nc + 4 * nc + M);
    w->V = w->B + 3 * M * nc;
    w->s = w->V + nc * nc;
    w->J = NEW_N(w->arena, double, M *n + n * n + 2 * n);
    m->null = NEW_N(w->arena, double, n *n);
    w->Jv = w->J + M * n;
    w->Js = w->Jv + n * n;
}

/* the column of a row over all bodies */
static void
column(const struct impact_solver *m, int i, double *x)
{
    const struct impact_row *r = &m->w->row[i];
    memset(x, 0, sizeof *x * 6 * m->in.n_body);
    for (int s = 0; s < 2; s++)
        if (r->body[s] != IMP_WORLD)
            for (int k = 0; k < 6; k++)
                x[6 * r->body[s] + (uint32_t)k] += r->b[s][k];
}

static double
tolerance(const struct impact_solver *m)
{
    return fmax(dense_tolerance(6 * (int)m->in.n_body, m->nr + m->nc),
                m->in.tolerance);
}

/* SVD of the columns `set` of B (k of them): V, s in work; the rank is decided
 * on columns measured by their length before the joints took their part, the
 * singular values that are returned are those of unit directions */
static int
factor(struct impact_solver *m, const int *set, int k)
{
    struct impact_work *w = m->w;
    int M = 6 * (int)m->in.n_body, rank = 0;
    double *a = w->B + (size_t)M * (size_t)m->nc;
    for (int i = 0; i < k; i++) {
        const double *b = w->B + (size_t)M * (size_t)set[i];
        double ref = sqrt(w->ref[m->nr + set[i]]);
        for (int j = 0; j < M; j++)
            a[i * M + j] = ref > 0 ? b[j] / ref : 0;
    }
    if (!dense_svd(M, k, a, w->V, w->s))
        return -1;
    while (rank < k && w->s[rank] > w->loose)
        rank++;
    for (int i = 0; i < k; i++)
        memcpy(a + i * M, w->B + (size_t)M * (size_t)set[i],
               sizeof *a * (size_t)M);
    return dense_svd(M, k, a, w->V, w->s) ? rank : -1;
}

int
delassus_svd(struct impact_solver *m)
{
    struct impact_work *w = m->w;
    int M = 6 * (int)m->in.n_body, nc = m->nc;
    ensure(m);
    for (int i = 0; i < m->nr; i++)
        column(m, i, w->qr + (size_t)i * (size_t)M);
    int k = dense_qr(M, m->nr, w->qr, w->tau, w->perm, w->norm, tolerance(m));
    m->joint_rank = k;
    /* what joints leave of a contact is known to rounding over the sine of the
     * smallest angle among the joints' own rows */
    double sine = 1;
    for (int i = 0; i < k; i++)
        sine = fmin(sine, fabs(w->qr[(size_t)i * (size_t)M + (size_t)i]) /
                              w->norm[w->perm[i]]);
    w->loose = fmin(JOINT_LOOSEST, tolerance(m) / sine);
    int *set = w->perm;
    for (int c = 0; c < nc; c++) {
        double *b = w->B + (size_t)M * (size_t)c, n = 0;
        column(m, m->nr + c, b);
        dense_qr_qt(M, k, w->qr, w->tau, b);
        memset(b, 0, sizeof *b * (size_t)k);
        n = sqrt(dense_dot(M, b, b));
        if (!(n > w->loose * sqrt(w->ref[m->nr + c])))
            memset(b, 0, sizeof *b * (size_t)M);
    }
    for (int c = 0; c < nc; c++)
        set[c] = c;
    int rank = factor(m, set, nc);
    if (rank < 0)
        return 1;
    m->rank = rank;
    m->condition = rank ? pow(w->s[0] / w->s[rank - 1], 2) : 1;
    for (int i = rank; i < nc; i++) {
        double *x = m->null + (i - rank) * nc, n = 0;
        for (int c = 0; c < nc; c++) {
            x[c] = w->V[i * nc + c] / m->length[c];
            n += x[c] * x[c];
        }
        for (int c = 0; c < nc; c++)
            x[c] /= sqrt(n);
    }
    /* G from B: better than the one with cancelled digits */
    for (int i = 0; i < nc; i++)
        for (int j = 0; j <= i; j++)
            m->G[i * nc + j] = m->G[j * nc + i] = dense_dot(
                M, w->B + (size_t)M * (size_t)i, w->B + (size_t)M * (size_t)j);
    w->exact = true;
    return 0;
}

int
delassus_pseudoinverse(struct impact_solver *m, const bool *on, const double *b,
                       double *x, double *residual, int *rank)
{
    struct impact_work *w = m->w;
    int nc = m->nc, k = 0, set[IMPACT_CONTACTS_MAX];
    double rhs[IMPACT_CONTACTS_MAX], y[IMPACT_CONTACTS_MAX];
    for (int c = 0; c < nc && k < IMPACT_CONTACTS_MAX; c++)
        if (!on || on[c]) {
            rhs[k] = b[c];
            set[k++] = c;
        }
    memset(x, 0, sizeof *x * (size_t)nc);
    if (residual)
        memset(residual, 0, sizeof *residual * (size_t)nc);
    if (m->regular) {
        /* a principal part of a definite matrix is definite */
        double *F = w->F, *rd = w->Frd;
        int *first = w->Ffirst;
        bool whole = k == nc && w->whole;
        w->whole = k == nc;
        if (!whole)
            for (int i = 0; i < k; i++) {
                first[i] = 0;
                for (int j = 0; j <= i; j++)
                    F[i * nc + j] = m->G[set[i] * nc + set[j]];
            }
        if (!whole)
            dense_cholesky(k, F, nc, first, NULL, 0, rd, rank);
        dense_forward(k, F, nc, first, rd, 0, rhs);
        dense_backward(k, F, nc, first, rd, rhs);
        for (int i = 0; i < k; i++)
            x[set[i]] = rhs[i];
        *rank = k;
        return 0;
    }
    *rank = factor(m, set, k);
    if (*rank < 0)
        return 1;
    for (int i = 0; i < *rank; i++)
        y[i] = dense_dot(k, w->V + i * k, rhs);
    for (int i = 0; i < *rank; i++)
        for (int j = 0; j < k; j++) {
            x[set[j]] += w->V[i * k + j] * (y[i] / w->s[i] / w->s[i]);
            rhs[j] -= w->V[i * k + j] * y[i];
        }
    if (residual)
        for (int j = 0; j < k; j++)
            residual[set[j]] = rhs[j];
    return 0;
}

void
impact_least_joint_impulses(struct impact_solver *m, const double *six,
                            double *xi)
{
    struct impact_work *w = m->w;
    int M = 6 * (int)m->in.n_body, nr = m->nr;
    ensure(m);
    double *neg = w->tau, *work = w->Js + nr;
    for (int i = 0; i < nr; i++)
        column(m, i, w->J + (size_t)i * (size_t)M);
    for (int i = 0; i < M; i++)
        neg[i] = -six[i];
    dense_svd(M, nr, w->J, w->Jv, w->Js);
    dense_svd_solve(M, nr, w->J, w->Jv, w->Js, m->joint_rank, neg, xi, work);
}

bool
delassus_keeps_null(const struct impact_solver *m, const bool *on, int rank)
{
    const struct impact_work *w = m->w;
    int M = 6 * (int)m->in.n_body, k = 0, set[IMPACT_CONTACTS_MAX];
    bool equal = true;
    for (int c = 0; c < m->nc; c++)
        if (!on || on[c]) {
            set[k++] = c;
            equal &= m->in.contact[c].e == m->in.contact[set[0]].e;
        }
    if (equal || rank == k)
        return true;
    for (int i = rank; i < k; i++) {
        double size = 0;
        for (int j = 0; j < k; j++)
            size += sqrt(w->ref[m->nr + set[j]]) * fabs(w->V[i * k + j]);
        for (int r = 0; r < M; r++) {
            double s = 0;
            for (int j = 0; j < k; j++)
                s += w->B[(size_t)M * (size_t)set[j] + (size_t)r] *
                     m->in.contact[set[j]].e * w->V[i * k + j];
            if (fabs(s) > 16 * w->loose * size)
                return false;
        }
    }
    return true;
}
