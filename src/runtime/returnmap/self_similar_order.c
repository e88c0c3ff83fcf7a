/* SPDX-License-Identifier: MIT */
/* Self-similar motions of a given order of impacts, without acceleration and
 * without a symmetry. In the gaps over sqrt(W_ii), C their cosines, an impact
 * at j is U_j: u_i -= (1 + e_j) C_ij u_j, a flight to j takes q to q - u
 * q_j/u_j. Velocities after a period are A p, gaps Q q with the velocities of p
 * on the way: eigenvectors of both, with real positive eigenvalues bq < bp < 1.
 * All is in the space that the gaps move in (an orthonormal basis of the range
 * of C): beyond it both have eigenvalues 1, which need not be found. The
 * derivative of the map is a block triangle, its eigenvalues those of Q and A.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/returnmap/self_similar.h"

/* A gap above minus this share of the greatest gap is not below the ground:
 * eigenvectors in doubles leave this error in a closed gap. */
#define ORDER_CLOSED 1e-10
/* a motion whose velocities shrink by a smaller share does not end */
#define ORDER_ONE 1e-9

struct word {
    struct arena *a;
    int m, r, n;
    const double *V; /* r x m: basis of the range of C */
    const double *C, *e;
    const int *order;
    double *u; /* n x m: rates after each impact */
};

static void
impact(const struct word *word, int j, double *u)
{
    assert(j >= 0 && j < word->m);
    double push = (1.0 + word->e[j]) * u[j];
    for (int i = 0; i < word->m; i++)
        u[i] -= push * word->C[i * word->m + j];
}

/* Makes the matrix A of a map in the basis V. */
typedef void map_fn(const struct word *w, double *x);

static double *
matrix(const struct word *word, map_fn *map)
{
    int contacts = word->m, rank = word->r;
    double *A = NEW_N(word->a, double, (size_t)(rank * rank) + 1);
    double *x = NEW_N(word->a, double, (size_t)contacts);
    for (int c = 0; c < rank; c++) {
        memcpy(x, word->V + c * contacts, (size_t)contacts * sizeof *x);
        map(word, x);
        for (int i = 0; i < rank; i++) {
            double s = 0.0;
            for (int k = 0; k < contacts; k++)
                s += word->V[i * contacts + k] * x[k];
            A[i * rank + c] = s;
        }
    }
    return A;
}

static void
velocities(const struct word *word, double *u)
{
    for (int k = 0; k < word->n; k++)
        impact(word, word->order[k], u);
}

/* Returns the eigenvector i, as gaps. */
static double *
vector(const struct word *word, const struct eigen *eigen, int i)
{
    double *x = NEW_N(word->a, double, (size_t)word->m);
    for (int c = 0; c < word->r; c++)
        for (int k = 0; k < word->m; k++)
            x[k] += eigen->x[i * word->r + c] * word->V[c * word->m + k];
    return x;
}

/* Follows the rates of a period that begins with p. Returns false where a
 * contact that is to be hit recedes. */
static bool
way(struct word *word, const double *p)
{
    int contacts = word->m;
    double *u = NEW_N(word->a, double, (size_t)contacts);
    memcpy(u, p, (size_t)contacts * sizeof *u);
    for (int k = 0; k < word->n; k++) {
        if (!(u[word->order[k]] < 0.0))
            return false;
        impact(word, word->order[k], u);
        memcpy(word->u + k * contacts, u, (size_t)contacts * sizeof *u);
    }
    return u[word->order[0]] < 0.0;
}

/* Moves q by flight k to the next contact. Returns the time of the flight. */
static double
fly(const struct word *word, int k, double *q)
{
    assert(k >= 0 && k < word->n);
    const double *u = word->u + k * word->m;
    int next = word->order[(k + 1) % word->n];
    double t = -q[next] / u[next];
    for (int i = 0; i < word->m; i++)
        q[i] += t * u[i];
    q[next] = 0.0;
    return t;
}

static void
gaps(const struct word *word, double *q)
{
    for (int k = 0; k < word->n; k++)
        fly(word, k, q);
}

/* Puts state and times into the motion, scaled to a first flight of 1 and a
 * first rate of -1. */
static void
put(struct word *word, const double *p, double *q,
    struct self_similar_motion *motion)
{
    int contacts = word->m, first = word->order[0];
    double least = INFINITY, big = 0.0, total = 0.0, t0 = 0.0;
    double *moved = NEW_N(word->a, double, (size_t)contacts);
    bool back = false;
    q[first] = 0.0;
    for (int i = 0; i < contacts; i++)
        big = fmax(big, fabs(q[i]));
    memcpy(moved, q, (size_t)contacts * sizeof *moved);
    motion->worst = -1;
    for (int k = 0; k < word->n; k++) {
        double t = fly(word, k, moved);
        back |= !(t > 0.0);
        total += t;
        t0 = k ? t0 : t;
        for (int i = 0; i < contacts; i++)
            if (i != word->order[(k + 1) % word->n] && moved[i] / big < least) {
                least = moved[i] / big;
                motion->worst = i;
            }
    }
    motion->q = NEW_N(word->a, double, (size_t)contacts);
    motion->p = NEW_N(word->a, double, (size_t)contacts);
    for (int i = 0; i < contacts; i++) {
        motion->p[i] = -p[i] / p[first];
        motion->q[i] = -q[i] / t0 / p[first];
    }
    motion->period = total / t0;
    motion->margin = contacts > 1 ? least : 0.0;
    motion->verdict = back                     ? SELF_SIMILAR_BACK
                      : least >= -ORDER_CLOSED ? SELF_SIMILAR_FEASIBLE
                                               : SELF_SIMILAR_BELOW;
}

/* The eigenvalues over that of the motion, which is left out; `zero`: one
 * eigenvalue 0 is left out, too, that of the gap before an impact. */
static int
beside(const struct eigen *eigen, int own, bool zero, double by, double *re,
       double *im)
{
    int count = 0, least = -1;
    for (int i = 0; i < eigen->n && zero; i++)
        if (least < 0 || hypot(eigen->re[i], eigen->im[i]) <
                             hypot(eigen->re[least], eigen->im[least]))
            least = i;
    for (int i = 0; i < eigen->n; i++) {
        if (i == own || i == least)
            continue;
        re[count] = eigen->re[i] / by;
        im[count++] = eigen->im[i] / by;
    }
    return count;
}

static void
falling(int n, double *re, double *im)
{
    for (int i = 1; i < n; i++)
        for (int j = i;
             j > 0 && hypot(re[j], im[j]) > hypot(re[j - 1], im[j - 1]); j--) {
            double r = re[j], s = im[j];
            re[j] = re[j - 1];
            im[j] = im[j - 1];
            re[j - 1] = r;
            im[j - 1] = s;
        }
}

static bool
shrinks(const struct eigen *eigen, int i, double below)
{
    return eigen->im[i] == 0.0 && eigen->re[i] > eigen->error[i] &&
           eigen->re[i] < below;
}

/* Adds all motions whose velocities p are eigenvector number rate_mode of A. */
static int
motions(struct word *word, const struct eigen *rates, int rate_mode,
        struct self_similar *out)
{
    int contacts = word->m, rank = word->r;
    double *p = vector(word, rates, rate_mode);
    struct eigen eigen;
    double sign = p[word->order[0]] > 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < contacts; k++)
        p[k] *= sign;
    if (!way(word, p))
        return 0;
    if (eigen_solve(word->a, rank, matrix(word, gaps), &eigen))
        return 1;
    for (int gap_mode = 0; gap_mode < rank; gap_mode++) {
        if (!shrinks(&eigen, gap_mode,
                     rates->re[rate_mode] - rates->error[rate_mode] -
                         eigen.error[gap_mode]))
            continue;
        struct self_similar_motion *motion = &out->v[out->n++];
        double *q = vector(word, &eigen, gap_mode), s = 0.0;
        for (int k = 0; k < contacts; k++)
            s += q[k];
        for (int k = 0; k < contacts && s < 0.0; k++)
            q[k] = -q[k];
        motion->bp = rates->re[rate_mode];
        motion->bq = eigen.re[gap_mode];
        motion->bt = motion->bq / motion->bp;
        motion->error = rates->error[rate_mode] / rates->re[rate_mode];
        motion->exponent = 2.0 * log(motion->bp) / log(motion->bt);
        put(word, p, q, motion);
        motion->multiplier = NEW_N(word->a, double, 4 * (size_t)rank);
        motion->multiplier_im = motion->multiplier + 2 * rank;
        int n = beside(rates, rate_mode, false, motion->bp, motion->multiplier,
                       motion->multiplier_im);
        n += beside(&eigen, gap_mode, true, motion->bq, motion->multiplier + n,
                    motion->multiplier_im + n);
        falling(n, motion->multiplier, motion->multiplier_im);
        motion->n_multiplier = n;
    }
    return 0;
}

/* Orthonormal rows V that span the range of C: its columns, X, each time the
 * one of which most is left (Gram and Schmidt, twice). */
static double *
basis(const struct word *word)
{
    int contacts = word->m;
    double *V = NEW_N(word->a, double, (size_t)(word->r * contacts) + 1);
    double *X = NEW_N(word->a, double, (size_t)(contacts * contacts) + 1);
    memcpy(X, word->C, (size_t)(contacts * contacts) * sizeof *X);
    for (int c = 0; c < word->r; c++) {
        int best = 0;
        double most = -1.0;
        for (int i = 0; i < contacts; i++) {
            double s = 0.0;
            for (int k = 0; k < contacts; k++)
                s += X[i * contacts + k] * X[i * contacts + k];
            best = s > most ? i : best;
            most = fmax(s, most);
        }
        double *v = V + c * contacts;
        for (int k = 0; k < contacts; k++)
            v[k] = X[best * contacts + k] / sqrt(most);
        for (int i = 0; i < 2 * contacts; i++) {
            double *x = X + (i % contacts) * contacts, d = 0.0;
            for (int k = 0; k < contacts; k++)
                d += v[k] * x[k];
            for (int k = 0; k < contacts; k++)
                x[k] -= d * v[k];
        }
    }
    return V;
}

int
self_similar_order(struct arena *arena, int contacts, int rank, const double *C,
                   const double *restitution, const int *order, int length,
                   struct self_similar *out)
{
    assert(arena && C && restitution && order && out);
    assert(contacts > 0 && rank > 0 && rank <= contacts);
    assert(length > 0);
    struct word word = {.a = arena,
                        .m = contacts,
                        .r = rank,
                        .n = length,
                        .C = C,
                        .e = restitution,
                        .order = order};
    struct eigen A;
    word.u = NEW_N(arena, double, (size_t)(length * contacts));
    word.V = basis(&word);
    *out = (struct self_similar){.kind = SELF_SIMILAR_FREE, .step = 1};
    out->v =
        NEW_N(arena, struct self_similar_motion, (size_t)(rank * rank) + 1);
    if (eigen_solve(arena, rank, matrix(&word, velocities), &A))
        return 1;
    for (int i = 0; i < rank; i++)
        if (shrinks(&A, i, 1.0 - ORDER_ONE) && motions(&word, &A, i, out))
            return 1;
    self_similar_sort(out);
    return 0;
}
