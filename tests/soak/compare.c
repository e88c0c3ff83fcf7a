/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares two runs that should tell of the same motion. Chaos amplifies
 * rounding, so the tolerance is measured: the same model is run from starts
 * that differ by PERTURBATION, ten thousand times and more the rounding of a
 * start, and two runs that differ by rounding alone must not differ by more
 * than those do. Where those differ in the order of events nothing is compared
 * any more. */
#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "events.h"
#include "limits.h"
#include "random.h"
#include "vector.h"

static const double PERTURBATION = 1e-12;

/* Differences of states allowed without any growth, in the units of the
 * generator, where lengths and speeds are about 1: Imp follows a motion of this
 * length to about 1e-13, and limits of chatter to 1e-11. */
static const double FLOOR = 1e-10;

/* Beyond this growth runs are not compared: the first order of the growth no
 * longer tells all. */
static const double TOO_FAR = 1e-5;

/* of a gap between bodies or coordinates of about 1; and what the second engine
 * is off by in each of its steps */
static const double ROUNDING = 1e-15, STEP = 1e-12;

/* Bodies that meet at an event have two velocities there: rows nearer to it
 * than this are left out. */
static const double BESIDE_EVENT = 1e-8;

void
finding_set(struct finding *finding, const char *kind, const char *format, ...)
{
    va_list list;
    if (finding->kind[0])
        return;
    snprintf(finding->kind, sizeof finding->kind, "%s", kind);
    va_start(list, format);
    vsnprintf(finding->text, sizeof finding->text, format, list);
    va_end(list);
}

void
finding_place(struct finding *finding, struct difference where)
{
    if (!finding->kind[0])
        finding->where = where;
}

void
perturb(const struct model *model, uint64_t number, struct model *out)
{
    struct random random = random_start(number, 77);
    *out = *model;
    if (model->exact_start) {
        for (int i = 0; i < out->contacts; i++) {
            struct contact *contact = &out->contact[i];
            double share = PERTURBATION * random_unit(&random);
            contact->restitution -= share * contact->restitution;
            contact->friction += share;
            contact->static_friction += share * contact->static_friction;
        }
        for (int k = 0; k < out->dimension; k++)
            out->gravity[k] *= 1 + PERTURBATION * random_unit(&random);
        return;
    }
    for (int i = 0; i < out->bodies; i++) {
        struct body *body = &out->body[i];
        double d[3];
        if (!body_moves(out, i) || body_is_jointed(out, i))
            continue;
        random_direction(&random, out->dimension, d);
        add_scaled(body->position, PERTURBATION, d, body->position);
        random_direction(&random, out->dimension, d);
        add_scaled(body->velocity, PERTURBATION, d, body->velocity);
        random_direction(&random, 3, d);
        if (out->dimension == 3) {
            add_scaled(body->spin, PERTURBATION, d, body->spin);
            add_scaled(body->quaternion + 1, PERTURBATION, d,
                       body->quaternion + 1);
        } else {
            body->spin[2] += PERTURBATION * d[0];
            body->angle += PERTURBATION * d[1];
        }
    }
    for (int i = 0; i < out->joints; i++)
        out->joint[i].rate += PERTURBATION * (2 * random_unit(&random) - 1);
    for (int i = 0; i < out->systems; i++)
        for (int k = 0; k < out->system[i].coordinates; k++) {
            struct coordinate_system *system = &out->system[i];
            system->start[k] += PERTURBATION * (2 * random_unit(&random) - 1);
            system->rate[k] += PERTURBATION * (2 * random_unit(&random) - 1);
        }
}

/* The row of that time; -1 if there is none. */
static int
find_row(const struct result *result, double time)
{
    int low = 0, high = result->rows - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (result->t[middle] < time - 1e-11 * (1 + fabs(time)))
            low = middle + 1;
        else
            high = middle;
    }
    if (result->rows == 0 ||
        fabs(result->t[low] - time) > 1e-11 * (1 + fabs(time)))
        return -1;
    return low;
}

static int
by_time(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void
add_sample(struct growth *growth, struct sample sample)
{
    if ((growth->count & (growth->count + 1)) == 0)
        growth->sample =
            realloc(growth->sample,
                    (size_t)(2 * growth->count + 2) * sizeof *growth->sample);
    growth->sample[growth->count++] = sample;
}

static void
sort_samples(struct growth *growth)
{
    qsort(growth->sample, (size_t)growth->count, sizeof *growth->sample,
          by_time);
    struct sample *sample = growth->sample;
    for (int i = 1; i < growth->count; i++) {
        sample[i].place = fmax(sample[i].place, sample[i - 1].place);
        sample[i].speed = fmax(sample[i].speed, sample[i - 1].speed);
        sample[i].moment = fmax(sample[i].moment, sample[i - 1].moment);
        sample[i].impulse = fmax(sample[i].impulse, sample[i - 1].impulse);
    }
    for (int i = 0; i < growth->count; i++)
        if (fmax(sample[i].place, sample[i].speed) > TOO_FAR) {
            growth->horizon = fmin(growth->horizon, i ? sample[i - 1].time : 0);
            break;
        }
}

/* The growth until that time, and somewhat beyond: up to the next sample. */
static struct sample
growth_at(const struct growth *growth, double time)
{
    struct sample none = {0};
    for (int i = 0; i < growth->count; i++)
        if (growth->sample[i].time >= time || i == growth->count - 1)
            return growth->sample[i];
    return none;
}

double
growth_moment(const struct growth *growth, double time)
{
    return growth_at(growth, time).moment;
}

/* A limit of chatter cannot be better known than this: the rounding of a gap,
 * 1e-16, over the speed of the last impacts that are resolved, 1e-6 and more.
 */
static const double LIMIT_ERROR = 1e-9;

/* Where a point leaves a side for a corner is known to 1e-11 of a length (the
 * slack of Imp's features), over speeds that are seldom below 1e-2. Contacts
 * with friction open or change their modes there. */
static const double FEATURE = 1e-9;

/* Where contacts share loads a point slips or lifts off where no shares hold
 * it: forces count as none below 1e-10 of their terms (CHOICE_NONE of
 * runtime/choice), and change within tenths of a second. */
static const double SHARED = 1e-9;

/* A weak impact is known in time to the rounding of its gap over its speed (its
 * impulse, for masses of about 1), and gravity turns that into a speed. What
 * all until `time` add, grown as the start's differences have grown since, to
 * `now`. */
static double
weak_impacts(const struct comparison *comparison, const struct growth *growth,
             double time, double now)
{
    double sum = 0;
    for (int i = 0; i < comparison->result_a->events; i++) {
        const struct event *event = &comparison->result_a->event[i];
        double then = fmax(growth_at(growth, event->time).place, PERTURBATION);
        if (event->time <= time && !strcmp(event->kind, "impact") &&
            event->impulse > 0)
            sum += ROUNDING / fmax(event->impulse, 1e-6) * fmax(1, now / then);
    }
    return sum;
}

/* What the runs themselves say of the errors of their limits of chatter, grown
 * as the start's differences have grown since. */
static double
told_errors(const struct comparison *comparison, const struct growth *growth,
            double time)
{
    double sum = 0, now = growth_at(growth, time).place;
    const struct result *result[] = {comparison->result_a,
                                     comparison->result_b};
    struct frame same = frame_same();
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < result[which]->limits; i++) {
            const struct limit *limit = &result[which]->limit[i];
            const struct frame *frame = which ? &comparison->frame : &same;
            if (is_guest(frame, comparison->result_a, limit->contact))
                continue;
            double at = frame_undo_time(frame, limit->time);
            double then = fmax(growth_at(growth, at).place, PERTURBATION);
            double error = fmax(limit->error / frame->time, LIMIT_ERROR);
            double sum_of = limit->sum / frame->time;
            /* the state behind it is right to the second order of the time that
             * is summed up (docs/limits.md) */
            if (model_is_rough(comparison->model))
                error += sum_of * sum_of * sum_of;
            if (at <= time + error)
                sum += error * fmax(1, now / then);
        }
    for (int i = 0; i < comparison->result_a->events; i++) {
        const struct event *event = &comparison->result_a->event[i];
        double then = fmax(growth_at(growth, event->time).place, PERTURBATION);
        bool impact = !strcmp(event->kind, "impact");
        if (model_is_rough(comparison->model) && event->time <= time &&
            !strcmp(event->kind, "liftoff"))
            sum += FEATURE * fmax(1, now / then);
        if (comparison->result_a->shared && !impact &&
            event->time <= time + SHARED)
            sum += SHARED * fmax(1, now / then);
    }
    return sum + weak_impacts(comparison, growth, time, now);
}

static void
state_difference(int dimension, const struct state *a, const struct state *b,
                 double *place, double *speed)
{
    double turn[2][3][3];
    memcpy(turn[0], a->turn, sizeof turn[0]);
    memcpy(turn[1], b->turn, sizeof turn[1]);
    (void)dimension;
    *place = fmax(distance(a->position, b->position),
                  matrix_distance(turn[0], turn[1]));
    *speed =
        fmax(distance(a->velocity, b->velocity), distance(a->spin, b->spin));
}

/* Relative to the size of the numbers where these are above 1. */
static void
place_difference(int coordinates, const struct place *a, const struct place *b,
                 double *place, double *speed)
{
    *place = *speed = 0;
    for (int i = 0; i < coordinates; i++) {
        double off = fabs(a->q[i] - b->q[i]) / fmax(1, fabs(a->q[i]));
        double rate = fabs(a->rate[i] - b->rate[i]) / fmax(1, fabs(a->rate[i]));
        *place = off > *place || isnan(off) ? off : *place;
        *speed = rate > *speed || isnan(rate) ? rate : *speed;
    }
}

/* Rows at `time` are compared if no event of either list is near. */
static bool
beside_event(const struct event_list *list, double time, double within)
{
    for (int i = 0; i < list->count; i++)
        if (fabs(list->event[i].time - time) <= within)
            return true;
    for (int i = 0; i < list->windows; i++)
        if (time > list->window[i].begin - within &&
            time < list->window[i].end + within)
            return true;
    return false;
}

/* All but those before a limit, in which impacts alone are left out. A limit of
 * limits ends its window: in the other run it may be told behind that end. */
static void
note_windows(struct growth *growth, const struct event_list *list)
{
    size_t all = (size_t)(growth->windows + list->windows) + 1;
    growth->window = realloc(growth->window, all * sizeof *growth->window);
    for (int i = 0; i < list->windows; i++)
        if (!list->window[i].limit || list->window[i].nested) {
            growth->window[growth->windows] = list->window[i];
            growth->window[growth->windows++].limit = false;
        }
}

void
growth_add(struct growth *growth, const struct model *model,
           const struct result *a, const struct result *b)
{
    struct frame same = frame_same();
    struct event_list list[2];
    if (model->question == ASK_CHATTER) {
        double off = fabs(a->answer.time - b->answer.time);
        if (strcmp(a->answer.verdict, b->answer.verdict) != 0 || off > TOO_FAR)
            growth->horizon = 0;
        add_sample(growth, (struct sample){.moment = isnan(off) ? 0 : off});
        sort_samples(growth);
        return;
    }
    event_lists(a, b, &same, list);
    for (int i = 0; i < list[0].count || i < list[1].count; i++) {
        const struct event *x = &list[0].event[i], *y = &list[1].event[i];
        if (i < list[0].count && i < list[1].count && event_same(x, y)) {
            add_sample(growth, (struct sample){
                                   .time = x->time,
                                   .moment = fabs(x->time - y->time),
                                   .impulse = fabs(x->impulse - y->impulse)});
            continue;
        }
        if (i < list[0].count)
            growth->horizon = fmin(growth->horizon, x->time);
        if (i < list[1].count)
            growth->horizon = fmin(growth->horizon, y->time);
        break;
    }
    for (int i = 0; i < model->times; i++) {
        int row_a = find_row(a, model->at[i]),
            row_b = find_row(b, model->at[i]);
        if (row_a < 0 || row_b < 0 ||
            beside_event(&list[0], model->at[i], BESIDE_EVENT) ||
            beside_event(&list[1], model->at[i], BESIDE_EVENT))
            continue;
        struct sample sample = {.time = model->at[i]};
        for (int k = 0; k < model->bodies; k++) {
            double place, speed;
            state_difference(model->dimension, result_state(a, row_a, k),
                             result_state(b, row_b, k), &place, &speed);
            sample.place = fmax(sample.place, place);
            sample.speed = fmax(sample.speed, speed);
        }
        for (int k = 0; k < model->systems; k++) {
            double place, speed;
            place_difference(model->system[k].coordinates,
                             &a->place[row_a * MAX_SYSTEMS + k],
                             &b->place[row_b * MAX_SYSTEMS + k], &place,
                             &speed);
            sample.place = fmax(sample.place, place);
            sample.speed = fmax(sample.speed, speed);
        }
        add_sample(growth, sample);
    }
    note_windows(growth, &list[0]);
    growth->horizon = fmin(growth->horizon, first_graze(a, b, &same));
    if (!a->read || !b->read)
        growth->horizon = 0;
    else if (strcmp(a->done, b->done) != 0 || strcmp(a->done, "done") != 0)
        growth->horizon =
            fmin(growth->horizon, fmin(a->time, b->time) - BESIDE_EVENT);
    event_lists_free(list);
    sort_samples(growth);
}

void
growth_free(struct growth *growth)
{
    free(growth->sample);
    free(growth->window);
}

static void
compare_events(const struct comparison *comparison, double to,
               const struct event_list list[2], const struct growth *growth,
               struct finding *finding)
{
    for (int i = 0, j = 0; i < list[0].count || j < list[1].count; i++, j++) {
        const struct event *x = i < list[0].count ? &list[0].event[i] : NULL;
        const struct event *y = j < list[1].count ? &list[1].event[j] : NULL;
        double time = fmin(x ? x->time : INFINITY, y ? y->time : INFINITY);
        /* the time may be that of neither motion's growth: one event earlier */
        struct sample drift = growth_at(growth, time);
        bool both = x && y && event_same(x, y);
        double told = told_errors(comparison, growth,
                                  both ? fmax(x->time, y->time) : time);
        /* the rounding of the gap over the speed of a weak impact */
        double rounding = comparison->other->second ? STEP : ROUNDING;
        double blur = x && x->impulse != 0 ? rounding / fabs(x->impulse) : 0;
        double weak = weak_impacts(comparison, growth, time, drift.moment);
        double within = FLOOR + blur + drift.moment + drift.place + told + weak;
        if (model_is_rough(comparison->model) && x &&
            strcmp(x->kind, "impact") != 0)
            within += FEATURE;
        if (told + weak > TOO_FAR || time > to - BESIDE_EVENT - within)
            return;
        bool same = both && fabs(x->time - y->time) <= within;
        bool first = x && (!y || x->time <= y->time);
        if (!same && event_list_at_edge(list, first ? x : y, within)) {
            i -= !first;
            j -= first;
            continue;
        }
        /* which comes first is not known: states tell what follows */
        if (!same && comparison->result_a->shared && x && y &&
            fabs(x->time - y->time) <= within)
            return;
        if (!same) {
            char text[2][120];
            event_text(comparison->model, x, text[0], sizeof text[0]);
            event_text(comparison->other, y, text[1], sizeof text[1]);
            finding_place(
                finding,
                (struct difference){
                    .told = true,
                    .at = time,
                    .moment = both ? fabs(x->time - y->time) : INFINITY,
                    .contact = {x ? x->contact : -1, y ? y->contact : -1}});
            finding_set(finding, both ? "event time" : "event",
                        "event %d: %s; in the other run %s (growth %.1g)", i,
                        text[0], text[1], within);
            return;
        }
        double scale = fabs(comparison->frame.mass * comparison->frame.length /
                            comparison->frame.time);
        double difference = x->impulse - y->impulse / scale;
        bool alone = (i == 0 || x->time - list[0].event[i - 1].time > within) &&
                     (i + 1 >= list[0].count ||
                      list[0].event[i + 1].time - x->time > within);
        double floor = FLOOR * fmax(1, fabs(x->impulse));
        if (alone && fabs(difference) > floor + 10 * blur + 2 * drift.impulse +
                                            10 * (told + weak)) {
            char text[120];
            event_text(comparison->model, x, text, sizeof text);
            finding_place(finding, (struct difference){
                                       .told = true,
                                       .at = x->time,
                                       .speed = fabs(difference),
                                       .contact = {x->contact, x->contact}});
            finding_set(finding, "impulse",
                        "%s: impulse %.17g; in the other run %.17g", text,
                        x->impulse, y->impulse / scale);
            return;
        }
    }
}

static struct difference
state_apart(double time, double place, double speed)
{
    return (struct difference){.told = true,
                               .at = time,
                               .place = place,
                               .speed = speed,
                               .contact = {-1, -1}};
}

static void
compare_places(const struct comparison *comparison, double time, int row_a,
               int row_b, const struct sample *drift, struct finding *finding)
{
    const struct model *model = comparison->model;
    for (int k = 0; k < model->systems; k++) {
        struct place back;
        double place, speed;
        if (!model->system[k].there || !comparison->other->system[k].there)
            continue;
        const struct place *own =
            &comparison->result_a->place[row_a * MAX_SYSTEMS + k];
        frame_undo_place(&comparison->frame, model, k,
                         &comparison->result_b->place[row_b * MAX_SYSTEMS + k],
                         &back);
        place_difference(model->system[k].coordinates, own, &back, &place,
                         &speed);
        if (!(place <= FLOOR + 2 * drift->place &&
              speed <= FLOOR + 2 * drift->speed + 10 * drift->place)) {
            finding_place(finding, state_apart(time, place, speed));
            finding_set(finding, "state",
                        "system %s at t = %.17g: place differs by %.3g (growth "
                        "%.1g), rates by %.3g (growth %.1g): (%.17g, %.17g), "
                        "in the other run (%.17g, %.17g)",
                        model->system[k].name, time, place, drift->place, speed,
                        drift->speed, own->q[0], own->q[1], back.q[0],
                        back.q[1]);
        }
    }
}

static void
compare_rows(const struct comparison *comparison, double to,
             const struct event_list list[2], const struct growth *growth,
             struct finding *finding)
{
    const struct model *model = comparison->model;
    const struct result *a = comparison->result_a, *b = comparison->result_b;
    for (int i = 0; i < model->times; i++) {
        double time = model->at[i];
        struct sample drift = growth_at(growth, time);
        double told = told_errors(comparison, growth, time);
        double within = BESIDE_EVENT + 10 * drift.moment + told;
        drift.speed += weak_impacts(comparison, growth, time, drift.speed);
        drift.place += 10 * told;
        drift.speed += 10 * told;
        if (told > TOO_FAR)
            return;
        if (time < comparison->from || time > to - within)
            continue;
        int row_a = find_row(a, time);
        int row_b = find_row(b, frame_time(&comparison->frame, time));
        if (row_a < 0 || row_b < 0 || beside_event(&list[0], time, within) ||
            beside_event(&list[1], time, within))
            continue;
        compare_places(comparison, time, row_a, row_b, &drift, finding);
        for (int k = 0; k < model->bodies; k++) {
            struct state back;
            double place, speed;
            if (!body_moves(model, k) || !body_moves(comparison->other, k))
                continue;
            const struct state *own = result_state(a, row_a, k);
            frame_undo(&comparison->frame, model->dimension, time,
                       result_state(b, row_b, k), &back);
            if (comparison->frame.places_alone && model->dimension == 3) {
                memcpy(back.turn, own->turn, sizeof back.turn);
                memcpy(back.spin, own->spin, sizeof back.spin);
            }
            state_difference(model->dimension, own, &back, &place, &speed);
            /* not (x <= y): NaN is a difference */
            if (place <= FLOOR + 2 * drift.place &&
                speed <= FLOOR + 2 * drift.speed + 10 * drift.place)
                continue;
            finding_place(finding, state_apart(time, place, speed));
            finding_set(finding, "state",
                        "body %s at t = %.17g: place differs by %.3g (growth "
                        "%.1g), speed by %.3g (growth %.1g): position (%.17g, "
                        "%.17g, %.17g), in the other run (%.17g, %.17g, %.17g)",
                        model->body[k].name, time, place, drift.place, speed,
                        drift.speed, own->position[0], own->position[1],
                        own->position[2], back.position[0], back.position[1],
                        back.position[2]);
            return;
        }
    }
}

/* Times, ratios and exponents within what both say of their errors. */
static void
compare_answers(const struct comparison *comparison,
                const struct growth *growth, struct finding *finding)
{
    const struct answer *a = &comparison->result_a->answer;
    const struct answer *b = &comparison->result_b->answer;
    double time = frame_undo_time(&comparison->frame, b->time);
    double within = 1e-11 * (1 + fabs(a->time)) + a->error +
                    b->error / comparison->frame.time +
                    2 * growth_at(growth, INFINITY).moment;
    /* an exponent is a logarithm of a ratio, which is known to rounding */
    double digits = 1e-13 / fmin(fabs(a->ratio), fabs(b->ratio)) +
                    fmax(a->exponent_error, 0) + fmax(b->exponent_error, 0);
    if (growth->horizon == 0)
        return;
    if (strcmp(a->verdict, b->verdict) != 0)
        finding_set(finding, "verdict",
                    "`chatter` says \"%s\" at t = %.17g, and in the other "
                    "model \"%s\" at %.17g",
                    a->verdict, a->time, b->verdict, time);
    else if (fabs(a->time - time) > within)
        finding_set(finding, "time",
                    "`chatter` says \"%s\" at t = %.17g, with an error of "
                    "%.3g, and in the other model at %.17g",
                    a->verdict, a->time, a->error, time);
    else if (!a->fitted && !b->fitted &&
             (fabs(a->ratio - b->ratio) >
                  1e-6 + a->ratio_error + b->ratio_error ||
              fabs(a->exponent - b->exponent) > 1e-6 + digits))
        finding_set(finding, "ratio",
                    "ratio %.17g, exponent %.17g; in the other model %.17g, "
                    "%.17g",
                    a->ratio, a->exponent, b->ratio, b->exponent);
}

/* Backwards, rounding grows as forwards, but from the end on: at all times what
 * the whole way makes of it is allowed. */
static void
compare_backwards(const struct comparison *comparison,
                  const struct growth *growth, struct finding *finding)
{
    const struct result *a = comparison->result_a, *b = comparison->result_b;
    struct sample last = growth_at(growth, INFINITY);
    struct growth whole = {.count = 1, .sample = &last, .horizon = INFINITY};
    struct event_list list[2];
    if (growth->horizon < INFINITY || a->decided < INFINITY ||
        b->decided < INFINITY || a->limits || b->limits)
        return;
    last.place *= 10;
    last.speed *= 10;
    last.moment *= 10;
    last.impulse *= 10;
    if (fmax(last.place, last.speed) > TOO_FAR)
        return;
    event_lists(a, b, &comparison->frame, list);
    compare_events(comparison, comparison->to, list, &whole, finding);
    compare_rows(comparison, comparison->to, list, &whole, finding);
    event_lists_free(list);
}

/* Feet that are hit in no order that repeats may come together shortly before
 * their limit. */
static bool
before_limit(const struct result *result, double time)
{
    for (int i = 0; i < result->limits; i++)
        if (fabs(result->limit[i].time - time) <
            BESIDE_EVENT + 2 * result->limit[i].sum)
            return true;
    return false;
}

/* Impacts of points that stick are followed one by one until rounding ends them
 * (docs/limits.md): it decides what is left of speeds as small as theirs, which
 * later motion takes apart. */
static const double STICKS_LAST = 1e-5;

static double
first_last_stick(const struct model *model, const struct result *result)
{
    for (int i = 0; i < result->events; i++) {
        const struct event *event = &result->event[i];
        if (event->contact >= 0 && event->contact < model->contacts &&
            model->contact[event->contact].sticks &&
            !strcmp(event->kind, "impact") &&
            fabs(event->impulse) < STICKS_LAST)
            return event->time;
    }
    return INFINITY;
}

/* Where points share loads on which the motion depends it goes on as one of
 * many until modes are chosen anew at an impact. */
static double
first_anew(const struct comparison *comparison, const struct result *result)
{
    double time = result->loads;
    for (int i = 0; i < result->events && !comparison->anew; i++)
        if (result->event[i].time >= result->loads &&
            !strcmp(result->event[i].kind, "impact"))
            return result->event[i].time - BESIDE_EVENT;
    return comparison->anew ? time : INFINITY;
}

static void
compare_runs(const struct comparison *comparison, const struct growth *growth,
             struct finding *finding)
{
    const struct result *a = comparison->result_a, *b = comparison->result_b;
    double end_b = frame_undo_time(&comparison->frame, b->time);
    double to = fmin(comparison->to, growth->horizon);
    to = fmin(
        to, fmin(a->decided, frame_undo_time(&comparison->frame, b->decided)));
    if (!a->read || !b->read) {
        if (a->read != b->read && a->status < EXIT_SIGNAL &&
            b->status < EXIT_SIGNAL)
            finding_set(finding, "record", "only one of the runs has a record");
        return;
    }
    if (comparison->model->question == ASK_CHATTER) {
        compare_answers(comparison, growth, finding);
        return;
    }
    if (comparison->frame.time < 0) {
        compare_backwards(comparison, growth, finding);
        return;
    }
    to = fmin(to, first_graze(a, b, &comparison->frame));
    to = fmin(to, fmin(first_followed(a),
                       frame_undo_time(&comparison->frame, first_followed(b))));
    to = fmin(to, first_last_stick(comparison->model, a));
    to = fmin(to, first_anew(comparison, a));
    /* a tolerance, and the second engine, end it elsewhere */
    if (comparison->other->second || comparison->other->tolerance != 0)
        to = fmin(to, first_collapse(a));
    /* bodies ask the law that their contacts carry, systems ask for one */
    if (comparison->frame.places_alone && !strcmp(b->code, "W0730"))
        to = fmin(to, end_b);
    if (comparison->frame.places_alone && model_is_rough(comparison->model))
        to = fmin(to, first_joint_impact(a) - BESIDE_EVENT);
    /* contacts of bodies that touch take part in an impact without restitution
     */
    for (int i = 0; i < a->events && comparison->frame.places_alone; i++)
        if (!strcmp(a->event[i].class, "rest"))
            to = fmin(to, a->event[i].time - BESIDE_EVENT);
    /* what is far away may come to its end earlier */
    if (comparison->frame.guests && guests_are_named(comparison->other, b))
        to = fmin(to, end_b);
    /* the second engine says where it cannot go on */
    if (comparison->other->second &&
        (!strcmp(b->code, "E0750") ||
         (!strcmp(b->done, "stopped") && before_limit(a, end_b))))
        to = fmin(to, end_b - BESIDE_EVENT);
    /* nothing comes to rest where a gap has a corner */
    if (comparison->other->bent && b->status)
        to = fmin(to, end_b - BESIDE_EVENT);
    /* where a law is refused, a slip that is rounding may decide */
    if (!strcmp(a->code, "E0767") && !strcmp(b->code, "E0767"))
        to = fmin(to, fmin(a->time, end_b) - BESIDE_EVENT);
    /* ends before its time */
    if (fabs(fmin(end_b, to) - fmin(a->time, to)) >
        BESIDE_EVENT + 10 * growth_at(growth, to).moment +
            told_errors(comparison, growth, to)) {
        finding_place(finding,
                      (struct difference){.told = true,
                                          .at = fmin(fmin(a->time, end_b), to),
                                          .moment = INFINITY,
                                          .contact = {-1, -1}});
        finding_set(finding, "end",
                    "the run ends at t = %.17g (%s %s), the other at %.17g (%s "
                    "%s)",
                    a->time, a->done, a->code, end_b, b->done, b->code);
    }
    to = fmin(to, fmin(a->time, end_b));
    if (comparison->same_energy && growth->horizon == INFINITY &&
        fmin(a->decided, a->loads) == INFINITY && b->decided == INFINITY &&
        !(fabs(a->energy_after - b->energy_after) <=
          1e-9 * (1 + fabs(a->energy_after)) +
              100 * (growth_at(growth, to).place + growth_at(growth, to).speed +
                     told_errors(comparison, growth, to))))
        finding_set(finding, "energy",
                    "energy_after is %.17g, in the other run %.17g",
                    a->energy_after, b->energy_after);
    struct event_list list[2];
    event_lists(a, b, &comparison->frame, list);
    for (int k = 0; k < 2; k++) {
        event_list_leave_out(&list[k], growth->window, growth->windows);
        event_list_begin(&list[k], comparison->from);
    }
    if (!comparison->motion_alone)
        compare_events(comparison, to, list, growth, finding);
    compare_limits(comparison, to, growth, finding);
    compare_rows(comparison, to, list, growth, finding);
    event_lists_free(list);
}

/* The neighbours tell what one error of 1e-12, made at the start, comes to. The
 * second engine makes such an error in each step and at each event: ten times
 * as much is allowed for it. */
static const double SECOND = 10;

void
compare(const struct comparison *comparison, const struct growth *growth,
        struct finding *finding)
{
    if (!comparison->other->second) {
        compare_runs(comparison, growth, finding);
        return;
    }
    struct growth wide = *growth;
    wide.sample = calloc((size_t)growth->count + 1, sizeof *wide.sample);
    for (int i = 0; i < growth->count; i++) {
        wide.sample[i] = growth->sample[i];
        wide.sample[i].place *= SECOND;
        wide.sample[i].speed *= SECOND;
        wide.sample[i].moment *= SECOND;
        wide.sample[i].impulse *= SECOND;
    }
    compare_runs(comparison, &wide, finding);
    free(wide.sample);
}
