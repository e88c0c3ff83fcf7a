/* SPDX-License-Identifier: MIT */
/* Polytopes over planes: the flight of polytopes until a vertex meets a half-
 * space, and the impact there. Simulations spend most of their time so, and
 * this path does without the general search of event.h and the general impact.
 * It leaves to these whatever is not plain: a second vertex near the plane, a
 * touch almost without rate, contacts of other kinds. */
#ifndef IMP_RUNTIME_EVENTS_VERTEX_PLANE_H
#define IMP_RUNTIME_EVENTS_VERTEX_PLANE_H

#include "runtime/events/event.h"

struct vertex_planes;
/* a vertex on a plane, with the impulse that the restitution of the contact
 * gives */
struct vertex_plane_touch {
    uint32_t contact, body;
    double impulse;      /* along the normal (N s), above 0 */
    double dv[3], dw[3]; /* what the impulse adds to the velocity and the spin
                            in the state */
};
enum vertex_plane_end {
    VERTEX_PLANE_UNTIL, /* nothing happens until the given time */
    VERTEX_PLANE_TOUCH,
    VERTEX_PLANE_UNCLEAR /* event_next must decide what comes */
};

/* NULL if no contact of the model is one of a polytope over a plane, or if
 * joints or systems move with the bodies. Memory: run->arena. */
struct vertex_planes *vertex_planes_new(struct rt *run);
/* Moves the run from the present time to the first touch, or to `until`. With
 * VERTEX_PLANE_UNCLEAR the run stands before what is not clear. On the way no
 * vertex comes below a plane by more than rounding (I3). watch: one entry per
 * contact. */
int vertex_planes_next(struct vertex_planes *planes,
                       const enum event_watch *watch, double until,
                       enum vertex_plane_end *end,
                       struct vertex_plane_touch *out);
/* Applies the impulse of a touch at the state that vertex_planes_next has left.
 */
void vertex_planes_impact(struct vertex_planes *planes,
                          const struct vertex_plane_touch *touch);

#endif
