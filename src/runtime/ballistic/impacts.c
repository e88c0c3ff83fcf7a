/* SPDX-License-Identifier: MIT */
/* Impacts other than that of a single contact while all others are open:
 * several contacts at one instant, contacts that are closed already, impacts
 * without restitution. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* contacts that close within rounding of now and approach, beside the first: a
 * gap (and the time to it) is known to its noise only */
int
ballistic_together(struct ballistic *l, double s, int first, int *hit)
{
    int n = 0;
    bool better = !l->k.direct && l->n_on == 0 && l->w->still;
    /* of the flight; none of it is left where y is another */
    double step = l->w->regained ? 0.0 : BALLISTIC_NOISE * DBL_EPSILON * s;
    for (int i = 0; i < l->model.m; i++) {
        if (i == first) {
            hit[n++] = i;
            continue;
        }
        if (l->on[i])
            continue;
        double way = step * (fabs(l->rate[i]) + fabs(l->nal[i] * s));
        if (l->gap[i] <= gap_noise(l, i) + way && isfinite(l->gap[i]) &&
            l->rate[i] < -rate_noise(l, i) &&
            (!better || l->gap[i] <= projection_uncertainty(l, i, first) + way))
            hit[n++] = i;
    }
    return n;
}

/* do none of these contacts feel each other's impulses? */
static bool
strangers(const struct ballistic *l, const int *hit, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (active_set_coupling(l, hit[i], hit[j]) != 0.0)
                return false;
    return true;
}

/* Contacts that slide and are pushed into the ground by an impact take part,
 * and the outcome depends on how; but without restitution every order leads to
 * the same. */
static bool
pressed(struct ballistic *l, const int *hit, int n)
{
    bool any = false;
    for (int i = 0; i < l->model.m && l->n_on; i++)
        for (int j = 0; j < n && l->on[i]; j++)
            if (active_set_coupling(l, i, hit[j]) < 0.0 &&
                (l->model.e[i] > 0.0 || l->model.e[hit[j]] > 0.0))
                any = l->hits[i] = true;
    return any;
}

/* puts contact i on its plane */
static void
onto_plane(struct ballistic *l, int i)
{
    int r = l->k.r;
    const double *H = l->k.H + i * r;
    double k =
        (ballistic_of(l, i, l->y) + l->c0l[i]) / l->k.W[i * (l->model.m + 1)];
    for (int j = 0; j < r && !l->k.direct; j++)
        l->y[j] -= H[j] * k;
    if (l->k.direct)
        l->y[i] = -l->c0l[i];
    l->gap[i] = l->big[i] = 0.0;
}

/* what is closed after an impact: those hit and those that slid; they open, or
 * go on in contact */
static bool
after_impact(struct ballistic *l, const int *hit, int n)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m;
    bool stay = l->n_on > 0;
    memcpy(w->closed, l->on, (size_t)m);
    for (int i = 0; i < n; i++)
        w->closed[hit[i]] = true;
    for (int i = 0; i < m; i++) {
        l->fresh[i] = false;
        if (!w->closed[i])
            continue;
        w->closed[i] = l->rate[i] <= greater(rate_noise(l, i), DBL_MIN);
        l->fresh[i] = !w->closed[i];
        stay |= w->closed[i];
    }
    return !stay || active_set_settle(l);
}

/* any impact but that of a single contact with e > 0 and all others open */
enum ballistic_event
ballistic_collide(struct ballistic *l, const int *hit, int n, double arrive)
{
    int m = l->model.m;
    l->hit = hit[0];
    memset(l->impulse, 0, (size_t)m * sizeof *l->impulse);
    for (int i = 0; i < n; i++)
        onto_plane(l, hit[i]);
    bool alone = strangers(l, hit, n);
    memset(l->hits, 0, (size_t)m);
    for (int i = 0; i < n; i++)
        l->hits[hit[i]] = true;
    bool several = pressed(l, hit, n) || (n > 1 && !alone);
    if (several && l->policy == BALLISTIC_REPORT)
        return BALLISTIC_UNDECIDED;
    l->impacts += n;
    if (alone && !l->n_on) {
        for (int i = 0; i < n; i++) {
            int c = hit[i];
            double u = n == 1 ? arrive : l->rate[c];
            double p = -(1.0 + l->model.e[c]) * u / l->k.W[c * (m + 1)];
            l->w->rsize[c] = fabs(u);
            active_set_push(l, &c, &p, 1);
            l->rate[c] = -l->model.e[c] * u;
            if (l->k.direct)
                l->z[c] = l->rate[c];
        }
    } else {
        enum ballistic_policy how =
            several ? l->policy : BALLISTIC_COMPLEMENTARITY;
        if (active_set_impact(l, how, hit, n))
            return BALLISTIC_JAMMED;
        several &= n > 1 || how != BALLISTIC_COMPLEMENTARITY;
    }
    if (!after_impact(l, hit, n))
        return BALLISTIC_JAMMED;
    return several ? BALLISTIC_SEVERAL : BALLISTIC_IMPACT;
}

enum ballistic_event
ballistic_instant_impact(struct ballistic *l, const int *hit, int n)
{
    struct ballistic_workspace *w = l->w;
    if (n == 0) {
        memcpy(w->closed, l->on, (size_t)l->model.m);
        return active_set_settle(l) ? BALLISTIC_END : BALLISTIC_JAMMED;
    }
    return ballistic_collide(l, hit, n, l->rate[hit[0]]);
}

/* Impacts at one instant whose rates shrink for ever (a wedge, opposite gaps):
 * the contacts that are closed have stopped. */
enum ballistic_event
ballistic_stand(struct ballistic *l)
{
    int n = 0, *hit = l->w->hit;
    l->w->standing = 0;
    for (int i = 0; i < l->model.m; i++)
        if (!l->on[i] && l->gap[i] <= 0.0)
            hit[n++] = i;
    if (!n || active_set_impact(l, BALLISTIC_REST, hit, n) ||
        !after_impact(l, hit, n))
        return BALLISTIC_JAMMED;
    l->hit = hit[0];
    l->impacts += n;
    ballistic_rescale(l);
    return BALLISTIC_SEVERAL;
}
