/* SPDX-License-Identifier: MIT */
/* On which bodies an impact may act at once: those that joints and closed
 * contacts connect. Other bodies may touch right after it, at a time of their
 * own. */
#include <assert.h>

#include "base/arena.h"
#include "runtime/events/event_priv.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/persistent.h"

/* Marks both bodies of a pair if one of them is marked, or if `always`. Fixed
 * bodies hand nothing on. Returns whether a mark is new. */
static bool
mark_pair(const struct rt *run, bool *marked, const uint32_t body[2],
          bool always)
{
    bool moves[2], any = always, more = false;
    for (int e = 0; e < 2; e++) {
        moves[e] = body[e] != IMP_WORLD &&
                   !(rt_body(run, body[e])->flags & IMP_BODYF_FIXED);
        any |= moves[e] && marked[body[e]];
    }
    for (int e = 0; e < 2; e++)
        if (any && moves[e] && !marked[body[e]])
            marked[body[e]] = more = true;
    return more;
}

const bool *
event_acts_on(struct rt *run, uint32_t contact, const bool *closed)
{
    assert(run != NULL && contact < run->im->contacts.n && closed != NULL);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    uint32_t n = run->im->contacts.n;
    bool *marked = NEW_N(run->brief, bool, run->im->bodies.n + 1),
         *acted = NEW_N(run->brief, bool, n + 1);
    bool more = mark_pair(run, marked, rt_contact(run, contact)->body, true);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < n; i++)
            if (closed[i])
                more |= mark_pair(run, marked, rt_contact(run, i)->body, false);
        for (uint32_t i = 0; i < run->im->joints.n; i++)
            more |= mark_pair(run, marked, joint[i].body, false);
    }
    for (uint32_t i = 0; i < n; i++)
        for (int e = 0; e < 2; e++) {
            uint32_t body = rt_contact(run, i)->body[e];
            acted[i] |= body != IMP_WORLD && marked[body];
        }
    return acted;
}

bool
event_takes_part(struct rt *run, uint32_t contact, double reach, bool *open)
{
    assert(run != NULL && contact < run->im->contacts.n && open != NULL);
    struct closest_points closest;
    bool held = persistent_holds(run, contact);
    if (rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS)
        reach = 0.0;
    *open = false;
    if ((!held && contact_point_balls_apart(run, contact, reach)) ||
        closest_points_find(run, contact, &closest, false))
        return false;
    double closed = gap_hit(run, contact);
    *open = closest.gap > closed && !held;
    return closest.gap <= fmax(reach, closed) || held;
}

bool
event_sticks(const struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    return (rt_contact(run, contact)->flags & IMP_CONTACTF_STICKS) != 0;
}
