/* SPDX-License-Identifier: MIT */
/* Impacts other than that of a single contact while all others are open:
 * several contacts at one instant, contacts that are closed already, impacts
 * without restitution. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* Where gaps depend on each other, that of `first` is known exactly now, and
 * the basis with it tells gaps of the others that are lost in the rounding of
 * the flight: is the gap of the contact above its error? */
static bool
clear_of(struct ballistic *motion, int contact, int first)
{
    const struct contact_basis *basis =
        contact_basis_enter(motion, motion->basis, first, motion->greatest);
    if (!basis || basis->place[first] >= 0 || motion->mode.n_persistent)
        return false;
    int k = basis->place[contact];
    double gap = motion->gap[contact], terms = motion->greatest[contact];
    if (k >= 0) {
        const double *share = basis->share + k * motion->matrices.stride;
        gap = contact_basis_offset(basis, k, motion->length_exponent);
        terms = fabs(gap);
        for (int i = 0; i < motion->model.m; i++)
            if (basis->inside[i] && i != first) {
                gap += share[i] * motion->gap[i];
                terms += fabs(share[i]) * motion->greatest[i];
            }
    }
    return gap > BALLISTIC_NOISE * DBL_EPSILON * terms;
}

int
ballistic_together(struct ballistic *motion, double time, int first, int *hit)
{
    assert(motion && motion->work);
    assert(hit && first >= 0 && first < motion->model.m);
    int hits = 0;
    /* rounding error of the flight */
    double step = BALLISTIC_NOISE * DBL_EPSILON * time;
    for (int contact = 0; contact < motion->model.m; contact++) {
        if (contact == first) {
            hit[hits++] = contact;
            continue;
        }
        if (motion->mode.persistent[contact])
            continue;
        double way = step * (fabs(motion->rate[contact]) +
                             fabs(motion->local.gap_acc[contact] * time));
        /* beside gaps of the basis that are 2^-1000 of it, a gap and its error
         * become infinite: such a contact is open */
        double close = gap_noise(motion, contact) + way;
        if (motion->gap[contact] <= close && isfinite(close) &&
            motion->rate[contact] < -rate_noise(motion, contact))
            hit[hits++] = contact;
    }
    for (int i = 0; i < hits && hits > 1; i++) {
        int later = 0;
        for (int j = 0; j < hits; j++)
            later += j != i && clear_of(motion, hit[j], hit[i]);
        if (later == hits - 1) {
            hit[0] = hit[i];
            hits = 1;
        }
    }
    return hits;
}

/* Do the impulses at these contacts leave each other's rates unchanged? */
static bool
strangers(const struct ballistic *motion, const int *hit, int hits)
{
    for (int i = 0; i < hits; i++)
        for (int j = 0; j < i; j++)
            if (active_set_coupling(motion, hit[i], hit[j]) != 0.0)
                return false;
    return true;
}

/* Closed contacts that an impact pushes into the ground take part in it, and
 * the outcome depends on the law for several contacts. Without restitution
 * every order of the impacts leads to the same outcome. Marks these contacts in
 * event.together; returns whether there are any. */
static bool
pressed(struct ballistic *motion, const int *hit, int hits)
{
    bool any = false;
    for (int i = 0; i < motion->model.m && motion->mode.n_persistent; i++)
        for (int j = 0; j < hits && motion->mode.persistent[i]; j++)
            if (active_set_coupling(motion, i, hit[j]) < 0.0 &&
                (motion->model.e[i] > 0.0 || motion->model.e[hit[j]] > 0.0))
                any = motion->event.together[i] = true;
    return any;
}

/* Makes the gaps and rates of contacts outside the basis follow the others. */
static void
follow_basis(struct ballistic *motion, const int *hit, int hits)
{
    if (!motion->basis)
        return;
    contact_basis_derive(motion);
    for (int i = 0; i < hits; i++)
        motion->gap[hit[i]] = 0.0;
    contact_basis_coordinates(motion);
}

/* Sets the gap of the contact to exactly 0. */
static void
onto_plane(struct ballistic *motion, int contact)
{
    motion->gap[contact] = motion->greatest[contact] = 0.0;
    motion->basis =
        contact_basis_enter(motion, motion->basis, contact, motion->greatest);
    if (motion->basis)
        return;
    int rank = motion->matrices.rank;
    const double *H = motion->matrices.H + contact * rank;
    double k = (ballistic_of(motion, contact, motion->y) +
                motion->local.gap_offset[contact]) /
               motion->matrices.W[contact * (motion->model.m + 1)],
           back = -k;
    instant_move(motion, &contact, &back, 1, true);
    for (int j = 0; j < rank && !motion->matrices.direct; j++)
        motion->y[j] -= H[j] * k;
    if (motion->matrices.direct)
        motion->y[contact] = -motion->local.gap_offset[contact];
}

/* The contacts that were hit or were closed already: after the impact they
 * open, or stay closed. False: jammed. */
static bool
after_impact(struct ballistic *motion, const int *hit, int hits)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    bool stay = motion->mode.n_persistent > 0;
    memcpy(work->set.closed, motion->mode.persistent, (size_t)contacts);
    for (int i = 0; i < hits; i++)
        work->set.closed[hit[i]] = true;
    for (int i = 0; i < contacts; i++) {
        motion->just_hit[i] = false;
        if (!work->set.closed[i])
            continue;
        work->set.closed[i] =
            motion->rate[i] <= greater(rate_noise(motion, i), DBL_MIN);
        motion->just_hit[i] = !work->set.closed[i];
        stay |= work->set.closed[i];
    }
    return !stay || active_set_settle(motion);
}

enum ballistic_event
ballistic_collide(struct ballistic *motion, const int *hit, int hits,
                  double arrive)
{
    assert(motion && motion->work);
    assert(hit && hits > 0 && hits <= motion->model.m);
    int contacts = motion->model.m;
    motion->event.contact = hit[0];
    memset(motion->event.impulse, 0,
           (size_t)contacts * sizeof *motion->event.impulse);
    for (int i = 0; i < hits; i++)
        onto_plane(motion, hit[i]);
    follow_basis(motion, hit, hits);
    bool alone = strangers(motion, hit, hits);
    memset(motion->event.together, 0, (size_t)contacts);
    for (int i = 0; i < hits; i++)
        motion->event.together[hit[i]] = true;
    motion->event.pressed = pressed(motion, hit, hits);
    bool several = motion->event.pressed || (hits > 1 && !alone);
    bool unstated = motion->policy == BALLISTIC_UNSTATED;
    if (several &&
        (motion->policy == BALLISTIC_REPORT || (unstated && hits > 1)))
        return BALLISTIC_UNDECIDED;
    motion->impacts += hits;
    if (alone && !motion->mode.n_persistent) {
        for (int i = 0; i < hits; i++) {
            int contact = hit[i];
            double u = hits == 1 ? arrive : motion->rate[contact];
            double p = -(1.0 + motion->model.e[contact]) * u /
                       motion->matrices.W[contact * (contacts + 1)];
            motion->work->rate_terms[contact] = fabs(u);
            active_set_push(motion, &contact, &p, 1);
            motion->rate[contact] = -motion->model.e[contact] * u;
            if (motion->matrices.direct)
                motion->z[contact] = motion->rate[contact];
        }
    } else {
        enum ballistic_policy how =
            several && !unstated ? motion->policy : BALLISTIC_COMPLEMENTARITY;
        int st = active_set_impact(motion, how, hit, hits);
        if (st == 3) {
            motion->impacts -= hits;
            return BALLISTIC_UNDECIDED;
        }
        if (st)
            return BALLISTIC_JAMMED;
        several &= hits > 1 || how != BALLISTIC_COMPLEMENTARITY;
    }
    if (!after_impact(motion, hit, hits))
        return BALLISTIC_JAMMED;
    follow_basis(motion, hit, hits);
    return several ? BALLISTIC_SEVERAL : BALLISTIC_IMPACT;
}

enum ballistic_event
ballistic_instant_impact(struct ballistic *motion, const int *hit, int hits)
{
    assert(motion && motion->work);
    assert(hits >= 0 && hits <= motion->model.m);
    assert(hit || hits == 0);
    assert(motion->work->instant);
    struct ballistic_workspace *work = motion->work;
    if (hits == 0) {
        memcpy(work->set.closed, motion->mode.persistent,
               (size_t)motion->model.m);
        return active_set_settle(motion) ? BALLISTIC_END : BALLISTIC_JAMMED;
    }
    return ballistic_collide(motion, hit, hits, motion->rate[hit[0]]);
}

enum ballistic_event
ballistic_stand(struct ballistic *motion)
{
    assert(motion && motion->work);
    int hits = 0, *hit = motion->work->set.hit;
    motion->work->flight.standing = 0;
    for (int i = 0; i < motion->model.m; i++)
        if (!motion->mode.persistent[i] && motion->gap[i] <= 0.0)
            hit[hits++] = i;
    if (!hits || active_set_impact(motion, BALLISTIC_REST, hit, hits) ||
        !after_impact(motion, hit, hits))
        return BALLISTIC_JAMMED;
    follow_basis(motion, hit, hits);
    motion->event.contact = hit[0];
    motion->impacts += hits;
    ballistic_rescale(motion);
    return BALLISTIC_SEVERAL;
}
