/* SPDX-License-Identifier: MIT */
/* What the laws of impact share: which velocities count as zero, an impact
 * without a motion after, the state at peak compression. */
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
