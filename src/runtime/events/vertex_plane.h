/* SPDX-License-Identifier: MIT */
/* Polytopes over planes: the flight of bodies with corners until a vertex meets
 * a half-space at rest, and the impact there. What simulate does most of the
 * time, without the generality of event.h and impact.h: whatever is not plain
 * (a second vertex near by, a touch almost without rate, contacts of other
 * kinds) is left to these. */
#ifndef IMP_RUNTIME_EVENTS_VERTEX_PLANE_H
#define IMP_RUNTIME_EVENTS_VERTEX_PLANE_H

#include "runtime/events/event.h"

struct vertex_planes;
/* a vertex on a plane, with the impulse of the contact's restitution */
struct vertex_plane_touch {
    uint32_t contact, body;
    double impulse; /* along the normal, N s; > 0 */
    double dv[3],
        dw[3]; /* what it adds to velocity and spin, as in the state */
};
enum vertex_plane_end {
    VERTEX_PLANE_UNTIL, /* nothing until then */
    VERTEX_PLANE_TOUCH,
    VERTEX_PLANE_UNCLEAR /* event_next must tell what comes */
};

/* NULL: no contact of the model is of a polytope over a plane at rest, or
 * joints or systems move with the bodies. Memory: the run's arena */
struct vertex_planes *vertex_planes_new(struct rt *run);
/* Moves the model from the present time to the first touch, or to `until`; at
 * VERTEX_PLANE_UNCLEAR it stands before what is not clear. No vertex comes
 * below a plane on the way by more than rounding. */
int vertex_planes_next(struct vertex_planes *planes,
                       const enum event_watch *watch, double until,
                       enum vertex_plane_end *end,
                       struct vertex_plane_touch *out);
/* the impulse takes effect, at the state that vertex_planes_next has left */
void vertex_planes_impact(struct vertex_planes *planes,
                          const struct vertex_plane_touch *t);

#endif
