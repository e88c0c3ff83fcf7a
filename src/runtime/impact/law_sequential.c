/* SPDX-License-Identifier: MIT */
/* One contact after the other, until none approaches: the one with the smallest
 * `priority` first, then the one whose approach carries most energy, v^2/G. */
#include <math.h>
#include <string.h>

#include "runtime/impact/impact_priv.h"

/* single impacts before a sequence counts as endless */
#define SEQUENCE_MOST 100000L
/* two approaches count as equal: far above rounding, far below what data of
 * different contacts would give */
#define SEQUENCE_TIE 1e-9

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
        if (!(g > 0) && v[c] >= -IMPACT_OUTSIDE * m->speed)
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

void
impact_law_sequential(struct impact_solver *m, const bool *on, int n_on)
{
    (void)on;
    (void)n_on;
    double v[IMPACT_CONTACTS_MAX], P[IMPACT_CONTACTS_MAX] = {0};
    memcpy(v, m->v0, sizeof *v * (size_t)m->nc);
    for (m->steps = 0; m->steps < SEQUENCE_MOST; m->steps++) {
        int c = turn(m, v);
        if (c < 0)
            break;
        const double *g = m->G + c * m->nc;
        if (!(g[c] > 0)) {
            impact_no_motion(m, IMPACT_JAMMED);
            return;
        }
        double p = -(1 + m->in.contact[c].e) * v[c] / g[c];
        P[c] += p;
        for (int i = 0; i < m->nc; i++)
            v[i] += g[i] * p;
    }
    if (m->steps == SEQUENCE_MOST) {
        impact_no_motion(m, IMPACT_ENDLESS);
        return;
    }
    m->determined = m->tie ? IMPACT_NOT_UNIQUE : IMPACT_UNIQUE;
    impact_motion_after(m, P);
    if (m->nc == 1)
        impact_peak_of_equal(m, NULL);
}
