/* SPDX-License-Identifier: MIT */
/* Limits of infinitely many impacts in the record of `simulate`: when, where,
 * how many impacts were resolved, what the limit rests on, how well it is
 * known, and when that is enough. And verdicts of choices of modes. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/along/along.h"
#include "analysis/command/limit_text.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/accumulation/flight_history.h"
#include "runtime/collapse/forecast_rounded.h"
#include "runtime/flow/flow.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/system.h"
#include "runtime/modes/limit_path.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"

/* a state that rounding moves by more than this share is told (W0749) */
#define LIMIT_APART_TOLD 1e-6
/* and one from which on it is looked for how much any rounding makes */
#define LIMIT_APART 1e-9

/* What the errors of limits before may do to a body or a system. Where the
 * error of the state behind a limit is known, it changes later times by its
 * share of them; else the time of the limit may shift all that follows. */
struct left_open {
    double shift; /* s */
    double share; /* of the time */
};

struct limit_table {
    size_t n, cap;
    bool told; /* that rounding decides a state */
    double *time, *impacts, *ratio, *ratio_error, *remaining, *error, *before,
        *state_error, *depth;
    struct left_open *open; /* per body, and then per system */
    const char **contacts, **means, **gaps;
};

/* The names of the contacts, or their gaps as the model writes them, each gap
 * once. */
static const char *
list(struct simulation *sim, const uint32_t *contacts, uint32_t count,
     bool gaps)
{
    struct arena *arena = sim->run->arena;
    const char *text = "", *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct imp_contact *image_contact =
            rt_contact(sim->run, contacts[i]);
        const char *word = gaps ? gap_source_text(sim->analysis, contacts[i])
                                : imp_text(sim->run->im, image_contact->name);
        if (gaps && last && !strcmp(last, word))
            continue;
        text = arena_printf(arena, "%s%s%s", text,
                            !*text                    ? ""
                            : !gaps && i + 1 == count ? " and "
                                                      : ", ",
                            word);
        last = word;
    }
    return text;
}

static void
grow(struct arena *arena, struct limit_table *table)
{
    assert(table->n <= table->cap);
    double **numbers[] = {
        &table->time,        &table->impacts,     &table->ratio,
        &table->ratio_error, &table->remaining,   &table->error,
        &table->before,      &table->state_error, &table->depth};
    const char ***texts[] = {&table->contacts, &table->means, &table->gaps};
    if (table->n < table->cap)
        return;
    table->cap = table->cap ? 2 * table->cap : 8;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double *new = NEW_N(arena, double, table->cap);
        if (table->n)
            memcpy(new, *numbers[i], table->n * sizeof *new);
        *numbers[i] = new;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char **new = NEW_N(arena, const char *, table->cap);
        if (table->n)
            memcpy(new, *texts[i], table->n * sizeof *new);
        *texts[i] = new;
    }
}

/* So many limits of chatter are told in words; all stand in the record's lists.
 */
enum { LIMITS_TOLD = 4 };

static void
remark(struct simulation *sim, const struct flow_event *event, const char *who,
       const char *gaps)
{
    const struct accumulation_limit *limit = &event->chatter;
    char digits[NUM_TEXT], time[NUM_TEXT], rest[NUM_TEXT];
    const char *ratio = "shrink";
    if (++sim->taken.n > LIMITS_TOLD || sim->taken.wordless)
        return; /* simulate_put_limits tells how many there are */
    if (!isnan(limit->ratio))
        ratio = arena_printf(sim->run->arena, "shrink by %s each%s%s",
                             num_digits(digits, limit->ratio, 6),
                             limit->period > 1    ? " pattern"
                             : limit->period == 0 ? " on the average"
                                                  : "",
                             limit->depth > 1 ? " of limits" : "");
    simulate_remark(
        sim, arena_printf(sim->run->arena,
                          "chatter of %s ends at t = %s s: after %ld "
                          "impacts the flights %s, the "
                          "last %s s are their sum; %s",
                          who, rt_told(time, event->time, 9), limit->impacts,
                          ratio, num_digits(rest, limit->remaining, 6), gaps));
}

/* Do the last impacts keep to one law, so that the flights before tell the
 * rest? Not those of several limits; with friction the slip may end among them.
 */
static bool
is_regular(const struct simulation *sim, const struct flow_event *event,
           const uint32_t *contacts)
{
    const struct rt *run = sim->run;
    bool rough = false;
    for (uint32_t i = 0; i < event->n; i++)
        rough |= !contact_is_plain(run, contacts[i],
                                   ~(unsigned)CONTACT_LAW_FRICTION) ||
                 run->env[rt_contact(run, contacts[i])->env_contact +
                          IMP_CONTACT_MU] != 0.0;
    return event->chatter.depth <= 1 && !event->mixed && !rough;
}

/* Whose limits those of a contact are: bodies that move, or a system. Returns
 * how many. */
static int
owners(const struct simulation *sim, uint32_t contact, uint32_t owner[2])
{
    const struct rt *run = sim->run;
    const imp_contact *of = rt_contact(run, contact);
    int n = 0;
    if (of->system != IMP_NO_SYSTEM)
        owner[n++] = run->im->bodies.n + of->system;
    for (int side = 0; side < 2 && of->system == IMP_NO_SYSTEM; side++)
        if (contact_point_body_moves(run, of->body[side]))
            owner[n++] = of->body[side];
    return n;
}

/* The greatest of what is left open for the owners of these contacts. */
static struct left_open
left_open(const struct simulation *sim, const struct limit_table *table,
          const uint32_t *contacts, uint32_t n)
{
    struct left_open most = {0.0, 0.0};
    uint32_t owner[2];
    for (uint32_t i = 0; i < n; i++)
        for (int k = owners(sim, contacts[i], owner); k-- > 0;) {
            most.shift = fmax(most.shift, table->open[owner[k]].shift);
            most.share = fmax(most.share, table->open[owner[k]].share);
        }
    return most;
}

static void
leave_open(const struct simulation *sim, struct limit_table *table,
           const uint32_t *contacts, uint32_t n, struct left_open what)
{
    uint32_t owner[2];
    for (uint32_t i = 0; i < n; i++)
        for (int k = owners(sim, contacts[i], owner); k-- > 0;)
            table->open[owner[k]] = what;
}

void
simulate_limits_meet(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct limit_table *table = sim->taken.table;
    if (table)
        leave_open(sim, table, &contact, 1, left_open(sim, table, &contact, 1));
}

/* What limits before, and impacts `before` (s), add to the error of the last
 * one in the table, and what that one leaves open. */
static void
inherit(struct simulation *sim, struct limit_table *table,
        const uint32_t *contacts, uint32_t n, double before)
{
    size_t last = table->n - 1;
    struct left_open open = left_open(sim, table, contacts, n);
    open.shift += before;
    table->before[last] = open.shift + open.share * fabs(table->time[last]);
    if (isfinite(table->state_error[last]))
        open.share += table->state_error[last];
    else
        open.shift += table->error[last];
    leave_open(sim, table, contacts, n, open);
}

void
simulate_limit_add(struct simulation *sim, const struct flow_event *event,
                   const uint32_t *contacts)
{
    assert(sim != NULL && event != NULL && contacts != NULL);
    assert(event->n > 0);
    struct arena *arena = sim->run->arena;
    const imp_image *im = sim->run->im;
    if (!sim->taken.table) {
        sim->taken.table = NEW(arena, struct limit_table);
        sim->taken.table->open =
            NEW_N(arena, struct left_open, im->bodies.n + im->systems.n + 1);
    }
    struct limit_table *table = sim->taken.table;
    bool words = !sim->taken.wordless;
    const char *who = words ? list(sim, contacts, event->n, false) : "",
               *gaps = words ? list(sim, contacts, event->n, true) : "";
    grow(arena, table);
    table->time[table->n] = event->time;
    table->impacts[table->n] = (double)event->chatter.impacts;
    /* a ratio lies between 0 and 1: that much is known of any */
    bool known = !isnan(event->chatter.ratio),
         bounded = known && !isnan(event->chatter.ratio_error);
    table->ratio[table->n] = known ? event->chatter.ratio : 1.0;
    table->ratio_error[table->n] = bounded ? event->chatter.ratio_error : 1.0;
    table->remaining[table->n] = event->chatter.remaining;
    table->error[table->n] = event->chatter.error * event->chatter.remaining +
                             DBL_EPSILON * fabs(event->time);
    table->state_error[table->n] = event->chatter.state_error + DBL_EPSILON;
    table->depth[table->n] = event->chatter.depth;
    table->contacts[table->n] = who;
    table->means[table->n] = limit_evidence_word(event->chatter.evidence);
    table->gaps[table->n] = gaps;
    table->n++;
    inherit(sim, table, contacts, event->n, event->chatter.before);
    for (uint32_t i = 0; i < event->n; i++) {
        size_t at = sim->log.time.n;
        simulate_log_event(sim, contacts[i], "chatter", "", 0.0);
        if (sim->log.time.n > at) /* one of bodies may have come first */
            sim->log.time.v[at] =
                fmax(event->time, at > 0 ? sim->log.time.v[at - 1] : -INFINITY);
    }
    remark(sim, event, who, gaps);
    if (sim->along)
        along_limit(sim->along, event->time, is_regular(sim, event, contacts),
                    contacts, event->n);
}

/* Tells of limits that other points of the group had on the way to this one,
 * the first one first. False: there are none. */
static bool
tell_earlier(struct simulation *sim, const struct limit_group *group,
             const struct forecast_limit *limit, double error)
{
    uint32_t *list = NEW_N(sim->run->brief, uint32_t, sim->n_contacts + 1);
    double begin = rt_time(sim->run) - limit->remaining, last = 0.0;
    for (;;) {
        double time = INFINITY;
        int first = -1;
        for (int i = 0; i < group->n; i++)
            if (limit->earlier[i] > last && limit->earlier[i] < time) {
                time = limit->earlier[i];
                first = i;
            }
        if (first < 0)
            return last > 0.0;
        struct flow_event event = {.kind = FLOW_CHATTER,
                                   .time = begin + time,
                                   .contact = group->spot[first].contact,
                                   .chatter = limit->on_way[first],
                                   .mixed = true};
        for (uint32_t k = 0; k < sim->n_contacts; k++) {
            bool in = false;
            for (int i = 0; i < group->n; i++)
                in |= limit->earlier[i] == time && group->spot[i].contact == k;
            if (in)
                list[event.n++] = k;
        }
        event.chatter.impacts = sim->contacts[event.contact].flights.impacts;
        event.chatter.remaining = time;
        event.chatter.error = error / time;
        event.chatter.state_error = limit->chatter.state_error;
        simulate_limit_add(sim, &event, list);
        last = time;
    }
}

/* Warns, once in a run, where the rounding of gaps decides the state behind a
 * limit. */
static void
tell_rounded(struct simulation *sim, const struct limit_group *group,
             uint32_t contact)
{
    char time[NUM_TEXT], share[NUM_TEXT];
    struct limit_table *table = sim->taken.table;
    double off = group->friction ? group->apart : 0.0;
    if (!(off > LIMIT_APART_TOLD) || table->told)
        return;
    table->told = true;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_W0749, rt_contact(sim->run, contact)->range,
        "chatter with friction of %s ends at t = %s s: its impacts come in no "
        "order, and the velocities behind it are known to %s of themselves",
        table->contacts[table->n - 1], rt_told(time, rt_time(sim->run), 9),
        num_digits(share, off, 2));
    diag_help(sim->analysis->ds, diag,
              "rounding decides them: compare with `engine = perturbed`, or "
              "end the run before it");
    simulate_remark(sim, diag->message);
}

void
simulate_limits_tell(struct simulation *sim, const struct limit_group *group,
                     const struct forecast_limit *limit, uint32_t contact,
                     double error)
{
    assert(sim != NULL && group != NULL && limit != NULL);
    struct flow_event event = {.kind = FLOW_CHATTER,
                               .time = rt_time(sim->run),
                               .contact = contact,
                               .chatter = limit->chatter,
                               .mixed = tell_earlier(sim, group, limit, error)};
    uint32_t *list = NEW_N(sim->run->brief, uint32_t, sim->n_contacts + 1);
    for (uint32_t k = 0, in = 0; k < sim->n_contacts; k++, in = 0) {
        for (int i = 0; i < group->n; i++)
            in |= group->spot[i].contact == k &&
                  limit_ends(sim->run, limit, i, &group->spot[i],
                             &group->point[i]);
        if (in)
            list[event.n++] = k;
    }
    uint32_t of = contact;
    for (uint32_t k = 0; k < event.n && list[k] != contact; k++)
        of = list[0];
    event.chatter.impacts = sim->contacts[of].flights.impacts;
    event.chatter.remaining = limit->remaining;
    event.chatter.error =
        limit->remaining > 0.0 ? error / limit->remaining : 0.0;
    simulate_limit_add(sim, &event, list);
    tell_rounded(sim, group, contact);
}

/* How far (s) the rounding of a gap may have moved an impact that ended a
 * flight of this length, at both of its ends: the gap falls with the weight. */
static double
flight_rounding(struct rt *run, uint32_t contact, double flight)
{
    double low, rate, speed = 0.5 * gap_weight(run, contact) * flight;
    gap_rounding(run, contact, &low, &rate);
    return speed > 0.0 ? 2.0 * low / speed : 0.0;
}

void
simulate_limit_sticks(struct simulation *sim, const uint32_t *contacts,
                      uint32_t n)
{
    assert(sim != NULL && (contacts != NULL || n == 0));
    struct rt *run = sim->run;
    double now = rt_time(run), left = 0.0, off = 0.0;
    uint32_t *list = NEW_N(run->brief, uint32_t, (size_t)n + 1);
    struct flow_event event = {.kind = FLOW_CHATTER, .time = now};
    event.chatter =
        (struct accumulation_limit){.evidence = LIMIT_BELOW_ROUNDING,
                                    .depth = 1,
                                    .ratio = NAN,
                                    .ratio_error = NAN,
                                    .error = 1.0,
                                    .state_error = NAN};
    for (uint32_t i = 0; i < n; i++) {
        struct flight_history *flights = &sim->contacts[contacts[i]].flights;
        double end = flights->last + flight_history_left(flights) - now;
        if (!impact_sticks(run, contacts[i]) || !(end > 0.0))
            continue;
        left = fmax(left, end);
        off = fmax(off, flight_rounding(run, contacts[i], flights->flight[0]));
        event.contact = contacts[i];
        event.chatter.impacts = flights->impacts;
        list[event.n++] = contacts[i];
        flights->impacts = 0;
    }
    event.chatter.remaining = left;
    event.chatter.error += left > 0.0 ? off / left : 0.0;
    if (event.n > 0)
        simulate_limit_add(sim, &event, list);
}

void
simulate_put_limits(struct simulation *sim, struct record *out)
{
    assert(sim);
    struct limit_table none = {0},
                       *table = sim->taken.table ? sim->taken.table : &none;
    SET_LIST("limit_times", table->time, table->n);
    SET_TEXTS("limit_contacts", table->contacts, table->n);
    SET_TEXTS("limit_gaps", table->gaps, table->n);
    SET_LIST("limit_impacts", table->impacts, table->n);
    SET_LIST("limit_ratios", table->ratio, table->n);
    SET_LIST("ratio_errors", table->ratio_error, table->n);
    SET_LIST("limit_sums", table->remaining, table->n);
    SET_LIST("limit_errors", table->error, table->n);
    SET_LIST("limit_errors_before", table->before, table->n);
    SET_LIST("state_errors", table->state_error, table->n);
    SET_LIST("limit_depths", table->depth, table->n);
    SET_TEXTS("limit_means", table->means, table->n);
    if (sim->taken.n > LIMITS_TOLD) {
        char time[NUM_TEXT];
        simulate_remark(
            sim, arena_printf(sim->run->arena,
                              "chatter comes to %zu limits more, the last at "
                              "t = %s s; limit_times and limit_contacts list "
                              "all",
                              (size_t)sim->taken.n - LIMITS_TOLD,
                              rt_told(time, table->time[table->n - 1], 9)));
    }
}

/* Turns of the body go on then, behind this limit, and are no part of it. */
bool
limit_turns_on(const struct simulation *sim, const struct limit_group *group,
               uint32_t contact, double within)
{
    const struct rt *run = sim->run;
    const uint32_t *body = rt_contact(run, contact)->body;
    for (uint32_t other = 0; other < sim->n_contacts; other++) {
        const struct flight_history *flights = &sim->contacts[other].flights;
        double begun = rt_time(run) - within;
        bool hit = flights->impacts > 0 && flights->last >= begun,
             let_go = flights->released > 0.0 && flights->released >= begun,
             lately = hit || (let_go && !persistent_holds(run, other));
        for (int i = 0; i < group->n; i++)
            lately &= group->spot[i].contact != other;
        for (int side = 0; side < 4 && lately; side++)
            if (body[side % 2] == rt_contact(run, other)->body[side / 2] &&
                contact_point_body_moves(run, body[side % 2]))
                return true;
    }
    return false;
}

/* -- the state at a limit with friction -------------------------------------
 */

/* A speed of which the motion of the group's bodies in the plane is made: the
 * greatest of theirs, or the one that they gain while they fall their own size.
 * *acc: the greatest acceleration of their gaps. */
static double
speed_of(const struct simulation *sim, const struct limit_group *group,
         double *acc)
{
    const struct rt *run = sim->run;
    double speed = 0.0, place = INFINITY;
    *acc = 0.0;
    for (int i = 0; i < group->n; i++) {
        *acc = fmax(*acc, fabs(group->point[i].free));
        place = fmin(place, group->place[i]);
    }
    for (uint32_t b = 0; b < run->im->bodies.n; b++) {
        const imp_body *body = rt_body(run, b);
        const double *velocity = run->env + body->env_state + 3;
        double radius = run->env[body->env_body + IMP_BODY_RADIUS];
        if (group->body[b])
            speed = fmax(speed, hypot(velocity[0], velocity[1]) +
                                    fabs(velocity[2]) *
                                        (isfinite(radius) ? radius : place));
    }
    return fmax(speed, sqrt(*acc * place));
}

/* A limit was known, and something else came before it. Impacts whose flights
 * are no higher than the tolerance of the gap may then be passed over: notes by
 * how much time the limit may be off. A point passes that height with its speed
 * u, or falls through it from rest; its last flight took T, and the next one is
 * no longer, so it accelerates by 2 u/T or more. */
void
limit_note_flat(struct simulation *sim, const struct limit_group *group)
{
    assert(sim != NULL && group != NULL);
    for (int i = 0; i < group->n; i++) {
        uint32_t contact = group->spot[i].contact;
        struct flight_history *flights = &sim->contacts[contact].flights;
        double tol, rate, speed = fabs(group->point[i].rate);
        gap_tolerances(sim->run, contact, &tol, &rate);
        /* what is far, or at rest to rounding, flies no such flight */
        if (flights->n_known > 0 && speed > rate &&
            fabs(group->point[i].gap) <= CHATTER_FLAT * tol &&
            speed * flights->flight[0] <= CHATTER_FLAT * tol)
            flights->flat =
                fmax(flights->flat,
                     fmin(tol / speed, sqrt(tol * flights->flight[0] / speed)));
    }
}

/* Are all flights to come near the tolerance of a gap, or will it join the
 * coming impact with another? */
bool
limit_flat(struct simulation *sim, const struct limit_group *group,
           const struct forecast_limit *limit)
{
    assert(sim != NULL && group->n > 0 && limit->found);
    double tol, rate;
    for (int i = 0; i < group->n && !limit->blurred; i++) {
        gap_tolerances(sim->run, group->spot[i].contact, &tol, &rate);
        if (fabs(group->point[i].rate) * limit->remaining > CHATTER_FLAT * tol)
            return false;
    }
    return true;
}

bool
limit_friction_known(struct simulation *sim, const struct limit_group *group,
                     const struct forecast_limit *limit, uint32_t contact,
                     double window, double *error)
{
    assert(sim != NULL && group->n > 0 && error != NULL);
    const struct flight_history *flights = &sim->contacts[contact].flights;
    double place = INFINITY, acc, speed = speed_of(sim, group, &acc),
           low = DBL_EPSILON * (LIMIT_GROUP_NOISE + (double)flights->impacts),
           left = limit->remaining;
    for (int i = 0; i < group->n; i++)
        place = fmin(place, group->place[i]);
    double K =
        6.0 * CHATTER_BLUR * DBL_EPSILON * place / (window * window * window);
    speed += acc * flights->first;
    double off = window > 0.0 ? K * left * left / speed : group->turn * left;
    *error = off + low;
    return off <= low || limit_flat(sim, group, limit);
}

double
limit_slip_left(const struct simulation *sim, const struct limit_group *group,
                double left)
{
    assert(sim != NULL && group->n > 0 && left >= 0.0);
    if (!friction_modes_any(sim->run, group->spot, group->n))
        return 0.0;
    double acc, speed = speed_of(sim, group, &acc);
    return speed > 0.0 ? acc * left / speed : 0.0;
}

/* -- when a limit is known ------------------------------------------------- */

/* The flights of a part: those at which the same limit was predicted, or the
 * last ones. */
static const struct flight_history *
flights_of(const struct simulation *sim, const struct limit_points *points,
           const int *part, int which, const struct limit_prediction *of)
{
    const struct flight_history *found = NULL;
    bool same = false;
    for (int i = 0; i < points->n; i++) {
        const struct flight_history *flights =
            &sim->contacts[points->spot[i].contact].flights;
        bool now = limit_known_same(flights, of);
        if (part[i] == which && now >= same &&
            (!found || now > same || flights->last > found->last)) {
            found = flights;
            same = now;
        }
    }
    return found;
}

/* Notes the prediction of a limit after an impact at `contact`, now, and how
 * much it has changed. Is it known well enough, for each part of the group? */
static bool
is_known(struct simulation *sim, const struct limit_points *points,
         struct forecast_limit *limit, uint32_t contact, double window,
         double state_window)
{
    assert(sim != NULL && limit->remaining >= 0.0);
    struct flight_history *own = &sim->contacts[contact].flights;
    int *part = NEW_N(sim->run->brief, int, (size_t)points->n + 1), of = 0;
    int parts = limit_parts(sim->run, points, part);
    bool known = true;
    for (int i = 0; i < points->n; i++)
        if (points->spot[i].contact == contact)
            of = part[i];
    limit->change = 0.0;
    for (int k = 0; k < parts; k++) {
        struct limit_prediction now = limit_of_part(points, limit, part, k);
        double change;
        now.now = rt_time(sim->run);
        now.window = window;
        now.exact = fmin(window, state_window);
        if (now.left < 0.0 && k != of)
            continue;
        if (now.left < 0.0)
            now.left = limit->remaining;
        if (k != of) {
            known &= limit_known_still(flights_of(sim, points, part, k, &now),
                                       &now, &change);
            limit->change = fmax(limit->change, change);
            continue;
        }
        /* the ratio of a pattern changes as the directions of its impulses do
         */
        if (limit->chatter.period != 1 && limit->remaining > window)
            limit->chatter.ratio_error +=
                limit_known_same(own, &now)
                    ? fabs(limit->chatter.ratio - own->ratio)
                    : NAN;
        own->ratio = limit->chatter.ratio;
        known &= limit_known_note(own, &now);
        limit->change = fmax(limit->change, own->noise);
    }
    return known;
}

/* Do impacts that are joined move the limit by more than its prediction
 * changes? The first prediction is known by what the parabola is not the
 * motion: gaps are off by their rounding at the end of the window, and with the
 * third power of the time, and flights by that over their speed at either end.
 * What the forecast itself does not know of its limit counts, too. It is
 * compared with what is joined among the points of the limit. */
static bool
is_blurred(const struct limit_group *group, const struct forecast_limit *limit,
           double change, double window, bool enough,
           const struct limit_joins *joins)
{
    double most = 0.0, far = limit->remaining / window;
    bool first = isinf(change);
    if (!limit->found || (first && !enough))
        return false;
    for (int i = 0; i < group->n && first; i++)
        if (limit->group[i] && group->point[i].rate != 0.0)
            most = fmax(most, group->place[i] / fabs(group->point[i].rate));
    if (first)
        change = 2.0 * CHATTER_BLUR * DBL_EPSILON * most * far * far * far;
    return change + limit->chatter.error * limit->chatter.remaining <
           limit_joins_lost(joins, first ? limit->group : NULL);
}

bool
limits_known(struct simulation *sim, uint32_t contact,
             const struct limit_group *group, const struct limit_points *points,
             struct forecast_limit found[2], double window, double state_window,
             bool enough, const struct limit_joins *joins)
{
    struct flight_history *flights = &sim->contacts[contact].flights;
    if (found[1].found)
        limit_known_note_some(flights,
                              limit_signature(points, &found[1], NULL, 0),
                              rt_time(sim->run), found[1].remaining);
    bool known = found[0].found && is_known(sim, points, &found[0], contact,
                                            window, state_window);
    found[1].change = flights->some_noise;
    for (int k = 0; k < 2; k++)
        found[k].blurred = is_blurred(group, &found[k], found[k].change, window,
                                      enough, joins);
    return (known && enough) || found[0].blurred;
}

double
limit_rounded(struct simulation *sim, struct limit_group *group,
              const struct forecast_question *question,
              struct forecast_memory *lines, const struct forecast_limit *limit)
{
    assert(sim != NULL && limit->found);
    double acc, rates,
        speed = speed_of(sim, group, &acc),
        off = forecast_rounded(sim->run, question, lines, limit,
                               group->friction ? &group->slid : NULL,
                               CHATTER_BLUR, LIMIT_APART * speed, &rates);
    group->apart = speed > 0.0 ? rates / speed : 0.0;
    return off;
}

/* -- verdicts -------------------------------------------------------------- */

void
simulate_verdict(struct simulation *sim, uint32_t contact,
                 const struct painleve_verdict *verdict)
{
    assert(sim != NULL && verdict != NULL);
    struct verdict_log *log = &sim->verdicts;
    if (sim->options.keep != 1)
        return;
    VEC_PUSH(&log->time, rt_told_time(rt_time(sim->run)));
    VEC_PUSH(&log->contacts, simulate_contact_name(sim, contact));
    VEC_PUSH(&log->verdict, verdict->verdict);
    VEC_PUSH(&log->cell, verdict->cell);
    VEC_PUSH(&log->a, verdict->a);
    VEC_PUSH(&log->b, verdict->b);
    VEC_PUSH(&log->p_plus, verdict->p_plus);
    VEC_PUSH(&log->p_minus, verdict->p_minus);
    VEC_PUSH(&log->margin, verdict->margin);
}

void
simulate_free_verdicts(struct simulation *sim)
{
    assert(sim != NULL);
    struct verdict_log *log = &sim->verdicts;
    struct numbers *numbers[] = {&log->time,   &log->a,       &log->b,
                                 &log->p_plus, &log->p_minus, &log->margin};
    struct texts *texts[] = {&log->contacts, &log->verdict, &log->cell};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        free(numbers[i]->v);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]->v);
    *log = (struct verdict_log){0};
}

void
simulate_add_verdicts(struct simulation *sim, const struct simulation *other,
                      size_t from)
{
    assert(sim != NULL && other != NULL && sim != other);
    struct verdict_log *to = &sim->verdicts;
    const struct verdict_log *log = &other->verdicts;
    for (size_t i = from; i < log->time.n; i++) {
        VEC_PUSH(&to->time, log->time.v[i]);
        VEC_PUSH(&to->contacts, log->contacts.v[i]);
        VEC_PUSH(&to->verdict, log->verdict.v[i]);
        VEC_PUSH(&to->cell, log->cell.v[i]);
        VEC_PUSH(&to->a, log->a.v[i]);
        VEC_PUSH(&to->b, log->b.v[i]);
        VEC_PUSH(&to->p_plus, log->p_plus.v[i]);
        VEC_PUSH(&to->p_minus, log->p_minus.v[i]);
        VEC_PUSH(&to->margin, log->margin.v[i]);
    }
}

void
simulate_put_verdicts(struct simulation *sim, struct record *out)
{
    assert(sim != NULL && out != NULL);
    struct verdict_log *log = &sim->verdicts;
    size_t n = log->time.n;
    SET_LIST("verdict_times", log->time.v, n);
    SET_TEXTS("verdict_contacts", log->contacts.v, n);
    SET_TEXTS("verdicts", log->verdict.v, n);
    SET_TEXTS("verdict_cells", log->cell.v, n);
    SET_LIST("verdict_margins", log->margin.v, n);
    SET_LIST("verdict_a", log->a.v, n);
    SET_LIST("verdict_b", log->b.v, n);
    SET_LIST("verdict_p_plus", log->p_plus.v, n);
    SET_LIST("verdict_p_minus", log->p_minus.v, n);
}

const char *
simulate_steps_remedy(const struct simulation *sim)
{
    assert(sim != NULL);
    struct rt *run = sim->run;
    struct balls *balls = sim->along || sim->options.until < 0.0
                              ? NULL
                              : balls_new(run, false, NULL);
    bool friction = false;
    for (uint32_t c = 0; c < sim->n_contacts; c++)
        friction |= (rt_contact(run, c)->flags & IMP_CONTACTF_FRICTION) != 0;
    /* one ball is no pile */
    return balls && balls_moving(balls) > 1 && !(friction && run->im->dim == 3)
               ? "; or take a law that brings piles to rest, which resolves "
                 "all impacts of a short time at once: `engine = steps  "
                 "step = 1 [ms]`"
               : "";
}

/* -- energy that is gained ------------------------------------------------- */

/* So many times the greatest that was told: the first one may be small. */
#define GAIN_NEWS 1000.0
bool
simulate_gain_news(struct simulation *sim, double gain, double *told)
{
    if (!(gain > GAIN_NEWS * *told) || sim->run->im->gain_allowed)
        return false;
    *told = gain;
    return true;
}

int
limit_energy_kept(struct simulation *sim, const struct limit_group *group,
                  const struct forecast_limit *limit, uint32_t contact,
                  const struct saved_state *here)
{
    assert(sim != NULL && group != NULL && limit != NULL && here != NULL);
    const struct limit_of of = {
        group->body,     limit->moved, contact,
        sim->n_contacts, group->n,     group->point,
        group->G,        group->e,     limit->chatter.state_error};
    return impact_audit_limit(sim->analysis, &of, here);
}
