/* SPDX-License-Identifier: MIT */
/* The verdict of `simulate` on a touch of bodies with corners: from the normal
 * velocities of all contact points, and where none approaches from the series
 * of the gap. Where the normal is set-valued the bodies approach if they do
 * under every choice; what then happens is sim_impact.c's business. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact_priv.h"
#include "analysis/simulate_priv.h"
#include "analysis/vec.h"
#include "runtime/closest.h"

/* normal velocities up to this share of the speeds are none, as in multi.c */
#define CORNER_RESTS 1e-9

/* velocity of the second body's point against the first one's; returns the size
 * of its terms */
static double
approach(const struct multi_rt *in, const uint32_t body[2], double u[3])
{
    double size = 0;
    memset(u, 0, 3 * sizeof *u);
    for (uint32_t i = 0; i < in->p.n_body; i++)
        for (int s = 0; s < 2; s++) {
            const struct multi_body *b = &in->p.body[i];
            double r[3], v[3];
            if (in->body[i] != body[s])
                continue;
            v_sub(r, s ? in->choice->Q[0] : in->choice->P[0], b->centre);
            v_copy(v, b->vel);
            v_add_cross(v, 1.0, b->spin, r);
            v_add(u, s ? 1.0 : -1.0, v);
            size += v_norm(b->vel) + v_norm(b->spin) * v_norm(r);
        }
    return size;
}

static void
by_rate(double lo, double tol, struct verdict *v)
{
    v->v = lo;
    v->v_tol = tol;
    v->class = lo < -tol ? CLASS_MINUS : lo > tol ? CLASS_SEPARATING : CLASS_00;
}

static int
by_series(struct sim *s, uint32_t c, struct verdict *v, bool *rests)
{
    struct rt *r = s->a->rt;
    enum event_ahead ahead;
    double h, jet[3];
    int st = event_ahead(r, c, s->until - rt_time(r), &ahead);
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    if ((st = motion_series_all(r, 2, &h)) ||
        (st = closest_gap_series(r, c, 2, jet)))
        return st;
    v->D = 2.0 * jet[2];
    *rests = ahead == AHEAD_RESTS;
    v->class = ahead == AHEAD_DRIFTS  ? CLASS_MINUS
               : ahead == AHEAD_RISES ? CLASS_0_PLUS
                                      : CLASS_0_MINUS;
    return IMP_OK;
}

int
sim_corner(struct sim *s, uint32_t c, struct verdict *v, bool *rests)
{
    struct multi_rt in;
    struct multi *m;
    int st = impact_read(s->a, &c, 1, &in);
    memset(v, 0, sizeof *v);
    v->class = CLASS_00;
    v->jerk_zero = true;
    if (st)
        return st;
    if (in.open != IMP_WORLD) {
        double u[3], most = -INFINITY,
                     size = approach(&in, rt_contact(s->a->rt, c)->body, u);
        for (int i = 0; i < in.choice->n_choice; i++)
            most = fmax(most, v_dot(u, in.choice->choice[i]));
        by_rate(most, CORNER_RESTS * size, v);
        *rests = v->class == CLASS_00;
        return IMP_OK;
    }
    if ((st = impact_prepare(s->a, &in, &m)))
        return st;
    double lo = INFINITY;
    for (int i = 0; i < m->nc; i++)
        lo = fmin(lo, m->v0[i]);
    by_rate(lo, CORNER_RESTS * m->speed, v);
    return v->class == CLASS_00 ? by_series(s, c, v, rests) : IMP_OK;
}
