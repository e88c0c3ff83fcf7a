/* SPDX-License-Identifier: MIT */
/* Polytopes over planes: the flight of bodies with corners until a vertex meets
 * a half-space at rest, and the impact there. What simulate does most of the
 * time, without the generality of event.h and impact.h: whatever is not plain
 * (a second vertex near by, a touch almost without rate, contacts of other
 * kinds) is left to these. */
#ifndef IMP_RUNTIME_EVENTS_VERTEX_PLANE_H
#define IMP_RUNTIME_EVENTS_VERTEX_PLANE_H

#include "runtime/events/event.h"

struct planes;
/* a vertex on a plane, with the impulse of the contact's restitution */
struct plane_touch {
    uint32_t contact, body;
    double impulse; /* along the normal, N s; > 0 */
    double dv[3],
        dw[3]; /* what it adds to velocity and spin, as in the state */
};
enum plane_end {
    PLANE_UNTIL, /* nothing until then */
    PLANE_TOUCH,
    PLANE_UNCLEAR /* event_next must tell what comes */
};

/* NULL: no contact of the model is of a polytope over a plane at rest, or
 * joints or systems move with the bodies. Memory: the run's arena */
struct planes *planes_new(struct rt *r);
/* Moves the model from the present time to the first touch, or to `until`; at
 * PLANE_UNCLEAR it stands before what is not clear. No vertex comes below a
 * plane on the way by more than rounding. */
int planes_next(struct planes *p, const enum event_watch *watch, double until,
                enum plane_end *end, struct plane_touch *out);
/* the impulse takes effect, at the state that planes_next has left */
void planes_bounce(struct planes *p, const struct plane_touch *t);

#endif
