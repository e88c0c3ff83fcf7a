/* SPDX-License-Identifier: MIT */
/* The laws of restitution at several contacts (spec screws.md 1.B, 1.E), chosen
 * by number from the table abi/laws.def, and what they share. With v the normal
 * velocity (approach negative) and K = diag(e) the restitutions:
 *   newton          G P = -(1 + K) v0                          eqs (8), (11)
 *   poisson         G Pc = -v0, P = (1 + K) Pc
 *   least_norm      Newton's equations by least squares, least impulses
 *   energetic       compression as far as no contact approaches, then each
 *                   contact's work of expansion is -e^2 that of compression
 *                   (Stronge 1990)
 *   complementarity w = G P + v0 + K min(v0, 0) >= 0, P >= 0, P.w = 0
 *                   (Moreau 1988)
 *   rest            the same without restitution at several contacts
 *   sequential      one contact at a time, until none approaches
 * Contacts that separate before the impact take no part in Newton's, Poisson's
 * and the energetic law, because there is nothing to reverse. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/lcp.h"

/* Normal velocities that are rounding are zero, those of contacts that no
 * impulse moves if they are within what the data leave open. True: one that
 * nothing can change approaches. */
bool
impact_blocked(const struct impact_solver *m, int n, const int *set, double *q)
{
    bool bad = false;
    for (int i = 0; i < n; i++) {
        int c = set ? set[i] : i;
        bool still = !(m->G[c * (m->nc + 1)] > 0);
        if (fabs(q[i]) <=
            (still ? IMPACT_OUTSIDE * m->speed : impact_velocity_tolerance(m)))
            q[i] = 0;
        bad |= still && q[i] < 0;
    }
    return bad;
}

void
impact_no_motion(struct impact_solver *m, enum impact_fault why)
{
    double zero[IMPACT_CONTACTS_MAX] = {0};
    m->fault = why;
    m->determined = IMPACT_NOT_UNIQUE;
    m->applied = m->peak = false;
    impact_motion_after(m, zero);
}

/* the state at peak compression, by impulses Pc */
void
impact_peak_at(struct impact_solver *m, const double *Pc, const double *P)
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
void
impact_peak_of_equal(struct impact_solver *m, const bool *on)
{
    double e = 0;
    bool any = false;
    for (int c = 0; c < m->nc; c++) {
        if (on && !on[c])
            continue;
        if (any && m->in.contact[c].e != e)
            return;
        e = m->in.contact[c].e;
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

double *
impact_law_room(struct impact_solver *m)
{
    struct impact_work *w = m->w;
    size_t n = (size_t)w->ld;
    if (!w->lcp)
        w->lcp =
            NEW_N(w->arena, double,
                  lcp_room((int)n) + impact_energetic_room((int)n) + n * n);
    return w->lcp;
}

void
impact_solver_solve(struct impact_solver *m, enum imp_impact_law law)
{
    /* by the number of the law; without one it is Newton's */
    static impact_law_function *const function[] = {
        impact_law_newton,
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) impact_law_##word,
#include "abi/laws.def"
    };
    assert(m != NULL && law < IMP_IMPACT_COUNT);
    assert(m->nc >= 0 && m->nc <= IMPACT_CONTACTS_MAX);
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
    function[m->law](m, on, n);
    impact_momentum_balance(m);
}
