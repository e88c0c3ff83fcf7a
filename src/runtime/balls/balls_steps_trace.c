/* SPDX-License-Identifier: MIT */
/* The motion in steps for a run whose motion is kept (runtime/trace): what goes
 * along one line or parabola for several steps is one piece. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/balls/balls_steps_priv.h"
#include "runtime/numerics/vec3.h"
#include "runtime/trace/trace.h"

/* Steps of a body are one piece of the trace as long as it keeps off their
 * places by less than this share of its radius, which nobody sees. */
#define TRACE_SHARE 1e-6
/* so that the series of an attitude holds (balls_trace.c) */
#define TRACE_TURN 2.0

/* The motion of a body in the step that was made last. */
static void
flight_of(const struct balls_steps *steps, uint32_t i,
          struct ball_flight *flight)
{
    const struct balls *balls = steps->balls;
    const struct grain *grain = steps->grain + i;
    struct ball_spin spin = balls->spin[i];
    flight->base = steps->known;
    flight->falls = !grain->held && balls->weight;
    vec3_copy(grain->x, flight->x);
    vec3_copy(grain->going, flight->v);
    if (flight->falls)
        vec3_add_scaled(-0.5 * steps->length, balls->gravity, flight->v);
    memcpy(flight->spin, spin.spin, sizeof flight->spin);
    if (balls->dim == 2) {
        flight->attitude[0] = grain->angle;
        flight->spin[0] = grain->going_spin;
        return;
    }
    memcpy(spin.attitude, steps->attitude[i], sizeof spin.attitude);
    balls_attitude(&spin, steps->known - steps->start, flight->attitude);
}

/* Does an earlier flight lead along this one for its step? */
static bool
goes_along(const struct balls_steps *steps, uint32_t i,
           const struct ball_flight *old, const struct ball_flight *new)
{
    const double *g = steps->balls->gravity;
    double off = 0.0, radius = steps->grain[i].radius;
    for (int at = 0; at < 2; at++) {
        double s = at * steps->length, since = new->base - old->base + s;
        for (int k = 0; k < 3; k++) {
            double a = old->falls ? 0.5 * g[k] : 0.0,
                   b = new->falls ? 0.5 * g[k] : 0.0;
            off = fmax(off, fabs(old->x[k] + (old->v[k] + a * since) * since -
                                 new->x[k] - (new->v[k] + b *s) * s));
        }
        if (steps->balls->dim == 2)
            off = fmax(off,
                       radius * fabs(old->attitude[0] - new->attitude[0] +
                                     old->spin[0] * since - new->spin[0] * s));
        else if (0.5 * vec3_norm(old->spin) * since > TRACE_TURN)
            return false;
    }
    return off <= TRACE_SHARE * radius;
}

void
balls_steps_trace_last(struct balls_steps *steps)
{
    assert(steps != NULL && steps->flight != NULL);
    struct balls *balls = steps->balls;
    struct trace *trace = balls->run->trace;
    if (trace_full(trace))
        return;
    bool room = trace_has_room(trace, 2 * (size_t)steps->n);
    for (uint32_t i = 0; i < steps->n; i++) {
        struct ball_flight now;
        flight_of(steps, i, &now);
        if (room && steps->report.steps > 1 &&
            goes_along(steps, i, steps->flight + i, &now))
            continue;
        if (steps->report.steps > 1)
            balls_trace_flight(balls, i, steps->flight + i, now.base);
        steps->flight[i] = now;
    }
    if (!room) /* so that the motion of all ends at one time */
        trace_end(trace, steps->known);
}

void
balls_steps_trace(struct balls_steps *steps)
{
    assert(steps != NULL);
    for (uint32_t i = 0; i < steps->n && steps->flight && steps->report.steps;
         i++)
        balls_trace_flight(steps->balls, i, steps->flight + i,
                           steps->balls->now);
}
