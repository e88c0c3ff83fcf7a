/* SPDX-License-Identifier: MIT */
/* First touches along the free motion, whatever the multiplicity of the root
 * (I3): crossing, grazing (double root), C00 (triple root), several in one
 * step, none missed. */
#ifndef IMP_RUNTIME_EVENTS_EVENT_H
#define IMP_RUNTIME_EVENTS_EVENT_H

#include "runtime/instance/run.h"

enum event_kind {
    EVENT_NONE,     /* nothing until the end */
    EVENT_EXCLUDED, /* no touch can ever happen from here on; time is then the
                       present one. Never returned when each_step is given:
                       the run then goes on to `until` */
    EVENT_CROSS,    /* simple root of the gap, closing */
    EVENT_OPEN,     /* simple root, opening (contacts passed through) */
    EVENT_TANGENT   /* gap and its rate vanish within tolerance */
};
struct event {
    enum event_kind kind;
    uint32_t contact;
    double time;
};
/* per contact: how the search treats it */
enum event_watch {
    WATCH_OFF,
    WATCH_CLOSE, /* apart now: report the first touch */
    WATCH_OPEN,  /* overlapping now, let through: report when the gap opens */
    WATCH_LEAVE  /* touching now (an impact or touch was just handled): report
                    the next touch after the gap has opened; a contact whose
                    gap closes again from here is reported at once */
};
/* Moves the model from the current time to the first event at or before
 * `until` (or to `until`), leaves it there. `each_step`, if not NULL, is called
 * for every accepted step with the time interval for which r->work holds the
 * motion series (dense output for records). Simultaneous events: the ones
 * beyond the first that lie within the event tolerance are returned in
 * more[0..*n_more). */
int event_next(struct rt *run, const enum event_watch *watch, double until,
               int (*each_step)(void *ctx, double t0, double t1), void *ctx,
               struct event *out, struct event *more, uint32_t *n_more);
/* Closest points at the present state. IMP_FAILED after diagnostic E0620 when
 * the bodies overlap by more than the tolerance, or after another one; *gap is
 * set in the first case and with IMP_OK. */
int event_start_check(struct rt *run, uint32_t contact, double *gap);
/* What a touch without rate comes to, where v, D and the jerk are none: does
 * the gap rise or fall out of the band, by orders that are left, within `most`
 * and as far as its series can be seen? Status as contact_gap_series. */
enum event_ahead {
    AHEAD_RESTS, /* neither */
    AHEAD_RISES,
    AHEAD_DRIFTS, /* falls, but only by its rate, which counts as none */
    AHEAD_FALLS
};
int event_ahead(struct rt *run, uint32_t contact, double most,
                enum event_ahead *out);
/* 1e3 times the longest time scale of the model: the default horizon */
double event_horizon(struct rt *run);

#endif
