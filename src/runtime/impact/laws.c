/* SPDX-License-Identifier: MIT */
/* Laws of restitution at several contacts (spec screws.md 1.B, 1.E). With v the
 * normal velocity (approach negative), e the restitutions K = diag(e):
 *   newton          G P = -(1 + K) v0                          eqs (8), (11)
 *   poisson         G Pc = -v0, P = (1 + K) Pc
 *   energetic       compression as far as no contact approaches, then each
 *                   contact's work of expansion is -e^2 that of compression
 *                   (Stronge 1990; law_energetic.c for several)
 *   complementarity w = G P + v0 + K min(v0, 0) >= 0, P >= 0, P.w = 0
 *                   (Moreau 1988)
 *   sequential      one contact at a time, until none approaches
 *   least_norm      Newton's equations by least squares, least impulses
 * Contacts that separate before the impact take no part in Newton's, Poisson's
 * and the energetic law: there is nothing to reverse. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"

/* single impacts before a sequence counts as endless */
#define SEQUENCE_MOST 100000L
/* two approaches count as equal: far above rounding, far below what data of
 * different contacts would give */
#define SEQUENCE_TIE 1e-9

static double
e_of(const struct impact_solver *m, int c)
{
    bool rest = m->law == IMP_IMPACT_REST && m->nc > 1;
    return rest ? 0 : m->in.contact[c].e;
}

/* Velocities before agree with the joints to 1e-9 (start.c), and whatever the
 * law leaves outside the range of G by no more than that is not its own
 * contradiction: restitutions that differ count from 1e-8 on. */
#define OUTSIDE 1e-8

static bool
reached(const struct impact_solver *m, const double *residual)
{
    double off = 0;
    for (int c = 0; c < m->nc; c++)
        off = fmax(off, fabs(residual[c]));
    return off <= OUTSIDE * m->speed;
}

/* Normal velocities that are rounding are zero, those of contacts that no
 * impulse moves if they are within what the data leave open. True: one that
 * nothing can change approaches. */
static bool
blocked(const struct impact_solver *m, int n, const int *set, double *q)
{
    bool bad = false;
    for (int i = 0; i < n; i++) {
        int c = set ? set[i] : i;
        bool still = !(m->G[c * (m->nc + 1)] > 0);
        if (fabs(q[i]) <=
            (still ? OUTSIDE * m->speed : impact_velocity_tolerance(m)))
            q[i] = 0;
        bad |= still && q[i] < 0;
    }
    return bad;
}

static void
no_motion(struct impact_solver *m, enum impact_fault why)
{
    double zero[IMPACT_CONTACTS_MAX] = {0};
    m->fault = why;
    m->determined = IMPACT_NOT_UNIQUE;
    m->applied = m->peak = false;
    impact_motion_after(m, zero);
}

/* the state at peak compression, by impulses Pc */
static void
peak_at(struct impact_solver *m, const double *Pc, const double *P)
{
    impact_motion_after(m, Pc);
    memcpy(m->at_peak, m->after, sizeof *m->after * (size_t)m->nc);
    memcpy(m->peak_twist, m->twist, sizeof *m->twist * 6 * m->in.n_body);
    for (int c = 0; c < m->nc; c++) {
        m->load[c] = Pc[c] / m->length[c];
        m->unload[c] = (P[c] - Pc[c]) / m->length[c];
    }
    m->peak = true;
}

/* with equal restitutions the whole impact is a straight line in the space of
 * impulses, and peak compression lies at 1/(1 + e) of it; after
 * impact_motion_after */
static void
peak_of_equal(struct impact_solver *m, const bool *on)
{
    double e = 0;
    bool any = false;
    for (int c = 0; c < m->nc; c++) {
        if (on && !on[c])
            continue;
        if (any && e_of(m, c) != e)
            return;
        e = e_of(m, c);
        any = true;
    }
    if (!any)
        return;
    double share = 1 / (1 + e);
    for (int c = 0; c < m->nc; c++) {
        m->load[c] = share * m->P[c];
        m->unload[c] = m->P[c] - m->load[c];
        m->at_peak[c] = share * (m->after[c] + e * m->before[c]);
    }
    for (uint32_t b = 0; b < m->in.n_body; b++)
        for (uint32_t i = 0; i < 6; i++) {
            const struct impact_body *k = &m->in.body[b];
            double before = i < 3 ? k->spin[i] : k->vel[i - 3];
            m->peak_twist[6 * b + i] =
                share * (m->twist[6 * b + i] + e * before);
        }
    m->peak = true;
}

/* -- newton, poisson, least_norm -------------------------------------------
 */

static void
linear(struct impact_solver *m, const bool *on, int n_on)
{
    double b[IMPACT_CONTACTS_MAX], P[IMPACT_CONTACTS_MAX],
        Pc[IMPACT_CONTACTS_MAX];
    bool poisson = m->law == IMP_IMPACT_POISSON;
    int rank;
    for (int c = 0; c < m->nc; c++)
        b[c] = -(poisson ? 1 : 1 + e_of(m, c)) * m->v0[c];
    if (delassus_pseudoinverse(m, on, b, P, m->residual, &rank)) {
        no_motion(m, IMPACT_UNSETTLED);
        return;
    }
    bool fits = rank == n_on || reached(m, m->residual);
    bool keeps = !poisson || delassus_keeps_null(m, on, rank);
    m->determined = rank == n_on ? IMPACT_UNIQUE
                    : fits       ? IMPACT_MOTION_UNIQUE
                                 : IMPACT_NOT_UNIQUE;
    for (int c = 0; c < m->nc; c++)
        if (fits)
            m->residual[c] = 0;
        else
            m->residual[c] *= m->length[c];
    if (!fits && m->law != IMP_IMPACT_LEAST_NORM) {
        no_motion(m, IMPACT_INCONSISTENT);
        return;
    }
    if (!keeps) {
        no_motion(m, IMPACT_AMBIGUOUS);
        return;
    }
    if (!fits)
        m->fault = IMPACT_INCONSISTENT;
    if (poisson) {
        memcpy(Pc, P, sizeof *P * (size_t)m->nc);
        for (int c = 0; c < m->nc; c++)
            P[c] *= 1 + e_of(m, c);
        peak_at(m, Pc, P);
    }
    impact_motion_after(m, P);
    if (!poisson && fits)
        peak_of_equal(m, on);
}

/* -- energetic, complementarity --------------------------------------------
 */

static double *
room(struct impact_solver *m)
{
    struct impact_work *w = m->w;
    size_t n = (size_t)w->ld;
    if (!w->lcp)
        w->lcp =
            NEW_N(w->arena, double,
                  lcp_room((int)n) + impact_energetic_room((int)n) + n * n);
    return w->lcp;
}

static void
energetic(struct impact_solver *m, const bool *on, int n)
{
    double *g = room(m), *rest = g + m->nc * m->nc, v[IMPACT_CONTACTS_MAX],
           z[IMPACT_CONTACTS_MAX], b[IMPACT_CONTACTS_MAX],
           x[IMPACT_CONTACTS_MAX], P[IMPACT_CONTACTS_MAX] = {0},
           Pc[IMPACT_CONTACTS_MAX] = {0};
    int set[IMPACT_CONTACTS_MAX], k = 0;
    for (int c = 0; c < m->nc; c++)
        if (on[c])
            set[k++] = c;
    for (int i = 0; i < n; i++) {
        v[i] = m->v0[set[i]];
        for (int j = 0; j < n; j++)
            g[i * n + j] = m->G[set[i] * m->nc + set[j]];
    }
    if (blocked(m, n, set, v)) {
        no_motion(m, IMPACT_JAMMED);
        return;
    }
    /* what no impulse moves takes none */
    for (int i = 0; i < n; i++)
        if (!(m->G[set[i] * (m->nc + 1)] > 0)) {
            bool rest_on[IMPACT_CONTACTS_MAX];
            memcpy(rest_on, on, sizeof *on * (size_t)m->nc);
            rest_on[set[i]] = false;
            energetic(m, rest_on, n - 1);
            return;
        }
    int st = lcp_solve(n, g, v, z, rest);
    if (st == 1 || st == 3) {
        no_motion(m, st == 1 ? IMPACT_JAMMED : IMPACT_UNSETTLED);
        return;
    }
    /* shares of the compression that are not unique matter if e differs */
    bool equal = true;
    for (int i = 1; i < n; i++)
        equal &= e_of(m, set[i]) == e_of(m, set[0]);
    if (st == 2 && !equal) {
        no_motion(m, IMPACT_AMBIGUOUS);
        return;
    }
    if (st == 2)
        m->determined = IMPACT_MOTION_UNIQUE;
    for (int i = 0; i < n; i++) {
        double e = e_of(m, set[i]);
        b[i] = fmax(0, -e * e * z[i] * v[i]);
        /* equal restitutions, all closed at the end: the exact solution */
        x[i] = e * z[i];
    }
    if (!equal && impact_energetic_expand(n, g, b, x, rest)) {
        no_motion(m, IMPACT_UNSETTLED);
        return;
    }
    for (int i = 0; i < n; i++) {
        Pc[set[i]] = z[i];
        P[set[i]] = z[i] + x[i];
    }
    peak_at(m, Pc, P);
    impact_motion_after(m, P);
}

static void
complementarity(struct impact_solver *m)
{
    double q[IMPACT_CONTACTS_MAX], P[IMPACT_CONTACTS_MAX], *rest = room(m);
    for (int c = 0; c < m->nc; c++)
        q[c] = m->v0[c] + (m->open[c] ? 0 : e_of(m, c) * fmin(0, m->v0[c]));
    if (blocked(m, m->nc, NULL, q)) {
        no_motion(m, IMPACT_JAMMED);
        return;
    }
    int st = lcp_solve(m->nc, m->G, q, P, rest);
    if (st == 1 || st == 3) {
        no_motion(m, st == 1 ? IMPACT_JAMMED : IMPACT_UNSETTLED);
        return;
    }
    m->determined = st == 2 ? IMPACT_MOTION_UNIQUE : IMPACT_UNIQUE;
    impact_motion_after(m, P);
    if (m->nc == 1)
        peak_of_equal(m, NULL);
}

/* -- sequential ------------------------------------------------------------
 */

/* the contact whose turn it is; -1: none approaches */
static int
turn(struct impact_solver *m, const double *v)
{
    int best = -1;
    double most = 0;
    for (int c = 0; c < m->nc; c++) {
        if (!(v[c] < -impact_velocity_tolerance(m)))
            continue;
        double g = m->G[c * (m->nc + 1)];
        if (!(g > 0) && v[c] >= -OUTSIDE * m->speed)
            continue;
        double size = g > 0 ? v[c] * v[c] / g : INFINITY;
        if (best >= 0) {
            double p = m->in.contact[c].priority,
                   q = m->in.contact[best].priority;
            bool close = fabs(size - most) <= SEQUENCE_TIE * most;
            if (p == q && close && !m->tie &&
                !delassus_orthogonal(m, c, best)) {
                m->tie = true;
                m->tied[0] = best;
                m->tied[1] = c;
            }
            if (p > q || (p == q && (close || size < most)))
                continue;
        }
        best = c;
        most = size;
    }
    return best;
}

static void
sequential(struct impact_solver *m)
{
    double v[IMPACT_CONTACTS_MAX], P[IMPACT_CONTACTS_MAX] = {0};
    memcpy(v, m->v0, sizeof *v * (size_t)m->nc);
    for (m->steps = 0; m->steps < SEQUENCE_MOST; m->steps++) {
        int c = turn(m, v);
        if (c < 0)
            break;
        const double *g = m->G + c * m->nc;
        if (!(g[c] > 0)) {
            no_motion(m, IMPACT_JAMMED);
            return;
        }
        double p = -(1 + e_of(m, c)) * v[c] / g[c];
        P[c] += p;
        for (int i = 0; i < m->nc; i++)
            v[i] += g[i] * p;
    }
    if (m->steps == SEQUENCE_MOST) {
        no_motion(m, IMPACT_ENDLESS);
        return;
    }
    m->determined = m->tie ? IMPACT_NOT_UNIQUE : IMPACT_UNIQUE;
    impact_motion_after(m, P);
    if (m->nc == 1)
        peak_of_equal(m, NULL);
}

void
impact_solver_solve(struct impact_solver *m, enum imp_impact_law law)
{
    bool on[IMPACT_CONTACTS_MAX];
    int n = 0;
    m->law = law == IMP_IMPACT_UNDECLARED ? IMP_IMPACT_NEWTON : law;
    m->fault = IMPACT_FINE;
    m->determined = IMPACT_UNIQUE;
    m->applied = true;
    m->peak = m->tie = false;
    m->steps = 0;
    for (int c = 0; c < m->nc; c++) {
        on[c] = !m->open[c];
        n += on[c];
        m->residual[c] = 0;
    }
    switch (m->law) {
    case IMP_IMPACT_ENERGETIC:
        energetic(m, on, n);
        break;
    case IMP_IMPACT_COMPLEMENTARITY:
    case IMP_IMPACT_REST:
        complementarity(m);
        break;
    case IMP_IMPACT_SEQUENTIAL:
        sequential(m);
        break;
    default:
        linear(m, on, n);
    }
    impact_momentum_balance(m);
}
