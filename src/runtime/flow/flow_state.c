/* SPDX-License-Identifier: MIT */
/* What both ways of flow.h share: the memory of a flow, the matrices of one
 * instant, the check that all gaps are open at the start, and the report of an
 * event; what observers tell; and which contacts share their loads in more than
 * one way. Nothing here knows how the motion goes on. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/numerics/dense.h"

/* A gap at the start that is negative by less than this share of the terms it
 * is made of counts as 0: data of 9 digits. */
#define FLOW_CLOSED 1e-9
/* The same, of the sizes of all coordinates of the system: their rounding. */
#define FLOW_ROUNDING (16.0 * DBL_EPSILON)

int
flow_jammed(struct rt *run, uint32_t contact, double time)
{
    assert(run);
    char time_text[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0731, rt_contact(run, contact)->range,
        "no forces or impulses >= 0 keep the contacts of `%s` closed "
        "at t = %s",
        imp_text(run->im,
                 rt_system(run, rt_contact(run, contact)->system)->name),
        rt_told(time_text, time, 9));
    diag_help(run->ds, diag,
              "gaps that exclude each other hold the system from both sides; "
              "look at their signs, and at ground that moves");
    return IMP_FAILED;
}

void
flow_read_state(struct flow *flow)
{
    assert(flow);
    memcpy(flow->q, flow->run->env + flow->sys->env_state,
           flow->n * sizeof *flow->q);
    memcpy(flow->v, flow->run->env + flow->sys->env_state + flow->n,
           flow->n * sizeof *flow->v);
}

int
flow_instant(struct flow *flow)
{
    assert(flow->m == flow->sys->n_contact);
    struct flow_matrices *instant = &flow->instant;
    const double *q = flow->run->env + flow->sys->env_state,
                 *velocity = q + flow->n;
    int st = system_mass(flow->run, flow->system, instant->mass);
    for (uint32_t contact = 0; contact < flow->m && !st; contact++) {
        double *N = instant->N + (size_t)contact * flow->n;
        st = system_gap(flow->run, flow->system, contact,
                        &instant->gap[contact], &instant->rate[contact], N);
        instant->c[contact] = instant->gap[contact];
        double drift = instant->rate[contact], size = fabs(drift);
        for (uint32_t j = 0; j < flow->n && !st; j++) {
            instant->c[contact] -= N[j] * q[j];
            drift -= N[j] * velocity[j];
            size += fabs(N[j] * velocity[j]);
        }
        /* A gap that does not contain the time drifts by rounding only. */
        instant->drift[contact] =
            fabs(drift) <= 4.0 * (flow->n + 1) * DBL_EPSILON * size ? 0.0
                                                                    : drift;
        /* of the impact that comes now, or after a flight like a parabola */
        instant->e[contact] =
            contact_restitution_ahead(flow->run, flow->sys->contact + contact,
                                      fabs(instant->rate[contact]));
    }
    return st;
}

struct ballistic_model
flow_model(const struct flow *flow)
{
    assert(flow);
    return (struct ballistic_model){.n = (int)flow->n,
                                    .m = (int)flow->m,
                                    .mass = flow->instant.mass,
                                    .acc = flow->instant.acc,
                                    .N = flow->instant.N,
                                    .bias = flow->instant.bias,
                                    .drift = flow->instant.drift,
                                    .c = flow->instant.c,
                                    .e = flow->instant.e};
}

void
flow_report(struct flow *flow, const struct ballistic *ballistic,
            enum ballistic_event what, struct flow_event *event)
{
    assert(event != NULL && ballistic != NULL);
    static const enum flow_kind kinds[] = {
        [BALLISTIC_END] = FLOW_NONE,
        [BALLISTIC_FREE] = FLOW_NONE,
        [BALLISTIC_IMPACT] = FLOW_IMPACT,
        [BALLISTIC_SEVERAL] = FLOW_SEVERAL,
        [BALLISTIC_UNDECIDED] = FLOW_UNDECIDED,
        [BALLISTIC_ACCUMULATION] = FLOW_CHATTER,
        [BALLISTIC_JAMMED] = FLOW_JAMMED};
    event->kind = kinds[what];
    event->time = ballistic->t;
    event->chatter = ballistic->event.limit;
    event->tie = what == BALLISTIC_SEVERAL && ballistic->event.tie;
    flow->last.n_contacts = 0;
    for (uint32_t i = 0; i < flow->m; i++) {
        bool part = what == BALLISTIC_ACCUMULATION ? ballistic->event.group[i]
                    : what == BALLISTIC_UNDECIDED
                        ? ballistic->event.together[i]
                        : ballistic->event.impulse[i] != 0.0;
        if (!part && (int)i != ballistic->event.contact)
            continue;
        flow->last.contacts[flow->last.n_contacts] = flow->sys->contact + i;
        flow->last.impulse[flow->last.n_contacts++] =
            ballistic->event.impulse[i];
    }
    event->n = flow->last.n_contacts;
    event->pushed =
        what == BALLISTIC_IMPACT && event->n > 1 && ballistic->event.pressed;
    event->contact =
        flow->sys->contact +
        (uint32_t)(ballistic->event.contact < 0 ? 0 : ballistic->event.contact);
    event->impulse = ballistic->event.contact < 0
                         ? 0.0
                         : ballistic->event.impulse[ballistic->event.contact];
    flow->impacts = ballistic->impacts;
}

int
flow_overlaps(struct rt *run, uint32_t contact, double gap)
{
    assert(run != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    char gap_text[NUM_TEXT];
    struct diag *diag = diag_add(run->ds, DIAG_E0620, image_contact->range,
                                 "`%s` is closed at the start: its gap is %s",
                                 imp_text(run->im, image_contact->name),
                                 num_digits(gap_text, gap, 6));
    diag_help(run->ds, diag,
              "a gap is positive while the bodies are apart; "
              "look at start { ... } and at its sign");
    return IMP_BADMODEL;
}

/* The size that a gap or its rate has where the coordinates, or their rates,
 * are of the size of x in any direction, by the metric of the kinetic energy. A
 * state that another run has left may be at rest, or in touch, to rounding of
 * that: all terms of the gap itself may be rounding. */
static double
start_size(const struct flow *flow, uint32_t contact, const double *x)
{
    const double *N = flow->instant.N + (size_t)contact * flow->n;
    double square = 0.0, size = 0.0;
    for (uint32_t i = 0; i < flow->n; i++)
        for (uint32_t k = 0; k < flow->n; k++)
            square += x[i] * flow->instant.mass[i * flow->n + k] * x[k];
    for (uint32_t i = 0; i < flow->n; i++) {
        double mass = flow->instant.mass[i * flow->n + i];
        if (N[i] != 0.0 && mass > 0.0)
            size += fabs(N[i]) * sqrt(square / mass);
    }
    return isfinite(size) ? size : 0.0;
}

/* A run that begins the least step behind its start (switching_begin) has gaps
 * that may have moved by their rates for so many times as long. */
#define START_BEGUN 2.0

enum flow_start
flow_start_of(const struct flow *flow, uint32_t contact, double share,
              double gap_terms, double rate_terms)
{
    assert(flow != NULL && contact < flow->m && share > 0.0);
    double gap = flow->instant.gap[contact], rate = flow->instant.rate[contact];
    double length = fmax(gap_terms, start_size(flow, contact, flow->q));
    double acceleration = 0.0;
    if (gap > share * length)
        return FLOW_START_OPEN;
    for (uint32_t k = 0; k < flow->n; k++)
        acceleration += fabs(flow->instant.N[(size_t)contact * flow->n + k] *
                             flow->instant.acc[k]);
    /* also the speed that the forces make along that length */
    if (fabs(rate) <=
            share * fmax(rate_terms, start_size(flow, contact, flow->v)) ||
        fabs(rate) <= share * sqrt(2.0 * acceleration * length))
        return FLOW_START_CLOSED;
    return rate > 0.0 ? FLOW_START_OPENS : FLOW_START_OPEN;
}

/* The largest size that the gap or its terms have among the contacts of the
 * system, as the size that this contact's gap has where the coordinates move as
 * far. A gap of its own that is 0 to rounding tells no size, and a coordinate
 * that is 0 there tells none, either: what the other gaps are made of does. It
 * makes a small overlap a start in touch, and no open gap a closed one. */
static double
size_of_others(const struct flow *flow, uint32_t contact)
{
    double largest = 0.0, own = 0.0;
    for (uint32_t which = 0; which < flow->m; which++) {
        const double *N = flow->instant.N + (size_t)which * flow->n;
        double weight = 0.0;
        for (uint32_t i = 0; i < flow->n; i++) {
            double mass = flow->instant.mass[i * flow->n + i];
            if (mass > 0.0)
                weight += fabs(N[i]) / sqrt(mass);
        }
        if (which == contact)
            own = weight;
        if (weight > 0.0)
            largest = fmax(largest, fmax(fabs(flow->instant.c[which]),
                                         fabs(flow->instant.gap[which])) /
                                        weight);
    }
    double size = largest * own;
    return isfinite(size) ? size : 0.0;
}

int
flow_start_open(struct flow *flow)
{
    assert(flow->instant.gap != NULL);
    for (uint32_t which = 0; which < flow->m; which++) {
        double size = fabs(flow->instant.c[which]), x;
        for (uint32_t j = 0; j < flow->n; j++) {
            x = fabs(flow->instant.N[(size_t)which * flow->n + j] * flow->q[j]);
            size = x > size ? x : size;
        }
        if (flow->instant.gap[which] >= -FLOW_CLOSED * size ||
            flow->instant.gap[which] >= -START_BEGUN *
                                            fabs(flow->instant.rate[which]) *
                                            rt_time(flow->run) ||
            flow->instant.gap[which] >=
                -FLOW_ROUNDING * fmax(start_size(flow, which, flow->q),
                                      size_of_others(flow, which)) ||
            (flow->run->compliant &&
             rt_contact(flow->run, flow->sys->contact + which)->compliance !=
                 IMP_NO_TAPE))
            continue;
        return flow_overlaps(flow->run, flow->sys->contact + which,
                             flow->instant.gap[which]);
    }
    return IMP_OK;
}

void
flow_memory(struct flow *flow, struct rt *run, uint32_t system,
            struct arena *arena)
{
    assert(system < run->im->systems.n);
    flow->run = run;
    flow->system = system;
    flow->sys = rt_system(run, system);
    flow->n = flow->sys->n;
    flow->m = flow->sys->n_contact;
    size_t n = flow->n, contacts = flow->m;
    flow->q = NEW_N(arena, double, n + 1);
    flow->v = NEW_N(arena, double, n + 1);
    flow->last.impulse = NEW_N(arena, double, contacts + 1);
    flow->last.contacts = NEW_N(arena, uint32_t, contacts + 1);
    flow->instant.mass = NEW_N(arena, double, n *n + 1);
    flow->instant.acc = NEW_N(arena, double, n + 1);
    flow->instant.N = NEW_N(arena, double, n *contacts + 1);
    flow->instant.c = NEW_N(arena, double, contacts + 1);
    flow->instant.bias = NEW_N(arena, double, contacts + 1);
    flow->instant.drift = NEW_N(arena, double, contacts + 1);
    flow->instant.e = NEW_N(arena, double, contacts + 1);
    flow->instant.gap = NEW_N(arena, double, contacts + 1);
    flow->instant.rate = NEW_N(arena, double, contacts + 1);
    flow_audit_new(flow, arena);
}

/* -- what observers tell ---------------------------------------------------
 */

int
observer_stiff(struct flow *flow, long steps, double time, double step)
{
    assert(flow);
    char time_text[NUM_TEXT], step_text[NUM_TEXT];
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_E0734, flow->sys->range_observer,
        "the observer of `%s` is stiff: %ld steps until t = %s, the last of %s",
        imp_text(flow->run->im, flow->sys->name), steps,
        rt_told(time_text, time, 9), num_digits(step_text, step, 3));
    diag_help(flow->run->ds, diag,
              "its steps are as short as its fastest rate asks for: make "
              "`until` earlier or the rate lower, or leave out a variable "
              "that only follows the motion");
    return IMP_FAILED;
}

int
observer_stuck(struct flow *flow, double time)
{
    assert(flow);
    char time_text[NUM_TEXT];
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_E0603, flow->sys->range_observer,
        "the observer of `%s` cannot be continued beyond t = %s",
        imp_text(flow->run->im, flow->sys->name), rt_told(time_text, time, 9));
    diag_help(flow->run->ds, diag,
              "its time series has no radius of convergence there: a variable "
              "grows without bound, or a formula is not smooth");
    return IMP_FAILED;
}

void
observer_endless(struct flow *flow, uint32_t which, double time,
                 const char *how, const char *value, double late)
{
    assert(flow && how && value);
    const struct imp_image *im = flow->run->im;
    const imp_coordinate *coordinates =
        IMP_ARRAY(im, im->coordinates, imp_coordinate) + flow->sys->first +
        flow->n;
    char at[NUM_TEXT], left[NUM_TEXT];
    uint32_t env = flow->sys->env_state + 2 * flow->n + which, coordinate = 0;
    while (coordinate + 1 < flow->sys->n_observer &&
           coordinates[coordinate].env != env &&
           coordinates[coordinate].env_rate != env)
        coordinate++;
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_W0731, coordinates[coordinate].range,
        "what the impacts add to `%s`%s %s towards the limit of chatter at "
        "t = %s",
        imp_text(im, coordinates[coordinate].name),
        coordinates[coordinate].env == env ? "" : "'", how,
        rt_told(at, time, 9));
    diag_note(flow->run->ds, diag, flow->sys->range_observer,
              "from there on its value is that of %s, the last of which added "
              "%s; the limit has infinitely many",
              value, num_digits(left, late, 3));
    diag_help(flow->run->ds, diag,
              "let the rule in `jump` fall to 0 with the speeds, or read the "
              "variable before the limit");
}

/* -- forces that are not determined ----------------------------------------
 *
 * Closed contacts may share what presses them in more than one way. Their
 * forces p solve W p = b, with W = N M^-1 N^T of these contacts: a force is
 * open where a direction that W takes to 0 changes it, and leaves none below 0
 * (Glocker 2001). The motion is the same for all of them. */

/* A share of a direction below this, and a force below this share of the
 * greatest, is rounding. */
#define LOADS_ROUNDING 1e-9

/* May forces change along this direction, one way or the other? */
static bool
room_along(const struct ballistic *motion, const int *of, int n,
           const double *along)
{
    bool up = true, down = true;
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, motion->mode.force[of[i]]);
    for (int i = 0; i < n; i++) {
        bool bears = motion->mode.force[of[i]] > LOADS_ROUNDING * most;
        up &= bears || along[i] > -LOADS_ROUNDING;
        down &= bears || along[i] < LOADS_ROUNDING;
    }
    return up || down;
}

/* Notes which of n contacts of W bear forces that are open. False: none. */
static bool
find_open(const struct ballistic *motion, const int *of, int n, bool *open,
          struct arena *arena)
{
    const struct contact_matrices *matrices = &motion->matrices;
    double *W = NEW_N(arena, double, (size_t)n *(size_t)n),
           *along = NEW_N(arena, double, n);
    struct least_square factors;
    bool any = false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            W[i * n + j] = matrices->W[of[i] * motion->model.m + of[j]] /
                           (matrices->root[of[i]] * matrices->root[of[j]]);
    if (!least_square_factor(n, n, W, least_square_rounding(n), &factors,
                             NEW_N(arena, double, least_square_room(n, n))))
        return false;
    for (int d = 0; d < n - factors.rank; d++) {
        double most = 0.0;
        least_square_null(&factors, d, along);
        for (int i = 0; i < n; i++)
            most = fmax(most, fabs(along[i]));
        for (int i = 0; i < n; i++)
            along[i] /= most * matrices->root[of[i]];
        bool room = n - factors.rank > 1 || room_along(motion, of, n, along);
        for (int i = 0; i < n && room; i++)
            open[i] |= fabs(along[i]) * matrices->root[of[i]] > LOADS_ROUNDING;
        any |= room;
    }
    return any;
}

const char *
flow_open_forces(const struct flow *flow, const int *contact,
                 const enum contact_mode *mode, int n)
{
    assert(flow && contact && n >= 0);
    struct arena *arena = flow->run->arena;
    const char *list = NULL;
    for (int k = 0; k < n; k++) {
        if (mode && mode[k] == CONTACT_FREE)
            continue;
        const char *name = imp_text(
            flow->run->im,
            rt_contact(flow->run, flow->sys->contact + (uint32_t)contact[k])
                ->name);
        list = list ? arena_printf(arena, "%s, %s", list, name) : name;
    }
    return list ? arena_printf(arena,
                               "the forces of %s are not determined, the "
                               "motion is",
                               list)
                : NULL;
}

/* What there is to say of contacts without friction, of which a record asks for
 * one, whose forces are open; NULL: there are none. */
static const char *
open_forces(const struct flow *flow)
{
    struct arena *arena = flow->run->brief;
    const struct ballistic *motion =
        flow->taylor ? flow->taylor->instant : flow->parabola.now;
    int *of = NEW_N(arena, int, flow->m + 1), n = 0;
    bool *open = NEW_N(arena, bool, flow->m + 1), asked = false;
    for (uint32_t i = 0; i < flow->m; i++)
        if (motion->mode.persistent[i])
            of[n++] = (int)i;
    if (n < 2)
        return NULL;
    if (!find_open(motion, of, n, open, arena))
        return NULL;
    int n_open = 0;
    for (int i = 0; i < n; i++) {
        if (!open[i])
            continue;
        asked |= (rt_contact(flow->run, flow->sys->contact + (uint32_t)of[i])
                      ->flags &
                  IMP_CONTACTF_LOAD) != 0;
        of[n_open++] = of[i];
    }
    return asked ? flow_open_forces(flow, of, NULL, n_open) : NULL;
}

const char *
flow_loads(const struct flow *flow, bool *matter)
{
    assert(flow != NULL && matter != NULL);
    const struct taylor_friction *friction =
        flow->taylor ? flow->taylor->friction : NULL;
    *matter = friction && friction->loads_matter;
    return friction ? friction->loads : open_forces(flow);
}
