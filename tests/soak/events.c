/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of events in a form that two runs of one motion share. */
#include "events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Events nearer to each other than this are at one time: above the errors of
 * times, far below the time between impacts that are not of chatter. */
static const double ONE_TIME = 1e-8;

/* What is at the very time of another event differs from it by this share. */
static const double SAME = 1e-14;

/* The flights summed up in a limit, times this, are before the limit: another
 * run may begin its sum some flights earlier. */
static const double WINDOW = 30;

/* Where limits of chatter accumulate in their turn, flights and limits fall
 * below all times, and rounding decides which of them are told. Two events of
 * one contact nearer than NEAR to each other show such a place, and so do
 * impulses below WEAK: the rounding of a gap, 1e-16, over the speed of such an
 * impact, 1e-6 and less, is an error of its time above 1e-10, which the next
 * flights at such speeds amplify. Nothing is compared within AROUND of it. */
static const double NEAR = 1e-6, WEAK = 1e-6, AROUND = 1e-4;

static int
by_contact(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->contact != y->contact)
        return x->contact - y->contact;
    int kinds = strcmp(x->kind, y->kind);
    return kinds ? kinds : (x->time > y->time) - (x->time < y->time);
}

bool
is_guest(const struct frame *frame, const struct result *a, int contact)
{
    return frame->guests && contact >= a->contacts;
}

/* Does a limit sum up another limit of its contact? Two corners of one side
 * have limits of their own. Where one sum covers both, the contact is told to
 * be closed at the later limit, else at the earlier. */
static bool
covers_limit(const struct result *result, const struct limit *limit)
{
    for (int i = 0; i < result->limits; i++) {
        const struct limit *other = &result->limit[i];
        if (other->contact == limit->contact &&
            other->time > limit->time - limit->sum &&
            other->time < limit->time - ONE_TIME)
            return true;
    }
    return false;
}

static void
add_windows(struct event_list *list, const struct result *result,
            const struct frame *frame, const struct result *a)
{
    for (int i = 0; i < result->limits; i++) {
        if (is_guest(frame, a, result->limit[i].contact))
            continue;
        double end = frame_undo_time(frame, result->limit[i].time);
        double sum = result->limit[i].sum / frame->time;
        list->window[list->windows++] =
            (struct window){.begin = end - WINDOW * sum - ONE_TIME,
                            .at = end,
                            .end = end + result->limit[i].error / frame->time,
                            .vague = result->limit[i].error > ONE_TIME ||
                                     covers_limit(result, &result->limit[i]),
                            .limit = true,
                            .nested = result->limit[i].depth > 1,
                            .contact = result->limit[i].contact};
    }
}

/* The window among those from `first` to `last` whose limit is nearest to that
 * of *of, of the same contact; -1: none is near. */
static int
nearest_window(const struct window *window, int first, int last,
               const struct window *of)
{
    int best = -1;
    for (int i = first; i < last; i++)
        if (window[i].contact == of->contact &&
            fabs(window[i].end - of->end) < NEAR &&
            (best < 0 ||
             fabs(window[i].end - of->end) < fabs(window[best].end - of->end)))
            best = i;
    return best;
}

/* Both runs may tell of one limit, at times that differ by more than ONE_TIME:
 * the first `own` windows are those of a, the others up to `limits` those of b.
 * What begins with the limit is asked of each run's own time: in the list of a,
 * the windows of b end where those of a do, and the other way round. */
static void
pair_windows(struct event_list list[2], int own, int limits)
{
    for (int i = 0; i < own; i++) {
        const struct window *all = list[0].window;
        int k = nearest_window(all, own, limits, &all[i]);
        if (k < 0 || nearest_window(list[1].window, 0, own, &all[k]) != i)
            continue;
        double at[2] = {all[i].at, all[k].at};
        double end[2] = {all[i].end, all[k].end};
        bool vague = all[i].vague || all[k].vague;
        for (int l = 0; l < 2; l++) {
            struct window *both[2] = {&list[l].window[i], &list[l].window[k]};
            for (int m = 0; m < 2; m++) {
                both[m]->begin -= both[m]->at - at[l];
                both[m]->at = at[l];
                both[m]->end = end[l];
                both[m]->vague = vague;
            }
        }
    }
}

/* Is the event left out? */
static bool
in_window(const struct event_list *list, const struct event *event)
{
    bool impact = !strcmp(event->kind, "impact");
    for (int i = 0; i < list->windows; i++) {
        const struct window *window = &list->window[i];
        /* between the bounces of one contact another may stick, slip, and lift
         * off again */
        bool inner =
            window->nested || !strcmp(event->kind, "slip") ||
            !strcmp(event->kind, "slide") || !strcmp(event->kind, "stick") ||
            !strcmp(event->kind, "reverse") || !strcmp(event->kind, "liftoff");
        /* what begins with the limit itself is compared, unless one run may
         * begin it earlier than the other by an error that it tells: then both
         * leave it out */
        double margin = inner && !impact ? ONE_TIME : 0;
        double end = window->end + (window->vague ? margin : -margin);
        if (event->time > window->begin && event->time <= end &&
            (impact || !window->limit || inner))
            return true;
    }
    return false;
}

/* Before a limit, or the limit itself? */
static bool
in_limit(const struct event_list *list, int limits, double time)
{
    for (int i = 0; i < limits; i++)
        if (time > list->window[i].begin &&
            time < list->window[i].end + ONE_TIME)
            return true;
    return false;
}

static void
add_crowds(struct event_list *list, int limits, const struct result *result,
           const struct frame *frame, const struct result *a)
{
    double last[MAX_CONTACTS];
    bool after_impact[MAX_CONTACTS] = {false};
    double scale = fabs(frame->mass * frame->length / frame->time);
    for (int i = 0; i < MAX_CONTACTS; i++)
        last[i] = -INFINITY;
    for (int i = 0; i < result->events; i++) {
        int contact = result->event[i].contact;
        double time = frame_undo_time(frame, result->event[i].time);
        if (contact < 0 || is_guest(frame, a, contact))
            continue;
        double step = time - last[contact];
        last[contact] = time;
        bool impact = !strcmp(result->event[i].kind, "impact");
        bool flies = after_impact[contact];
        after_impact[contact] = impact;
        bool weak = impact && fabs(result->event[i].impulse) < WEAK * scale;
        if (((step > NEAR || step == 0) && !weak) ||
            (flies && in_limit(list, limits, time)))
            continue;
        struct window *window = &list->window[list->windows];
        if (list->windows > limits && window[-1].begin < time &&
            window[-1].end > time)
            window[-1].end = fmax(window[-1].end, time + AROUND);
        else
            list->window[list->windows++] =
                (struct window){.begin = time - AROUND, .end = time + AROUND};
    }
}

/* Corners of one body have contacts of their own in a system: those that are
 * hit at one time are one event, with the sum of their impulses. */
static void
merge_corners(struct event_list *list)
{
    int left = 0;
    for (int i = 0; i < list->count; i++) {
        struct event *last = left ? &list->event[left - 1] : NULL;
        const struct event *event = &list->event[i];
        if (last && last->contact == event->contact &&
            !strcmp(last->kind, event->kind) &&
            event->time - last->time < ONE_TIME)
            last->impulse += event->impulse;
        else
            list->event[left++] = *event;
    }
    list->count = left;
}

/* Is the contact of the event closed before it, by another of its corners? */
static bool
is_closed(const struct result *result, int index)
{
    bool closed = false;
    for (int i = 0; i < index; i++) {
        const struct event *event = &result->event[i];
        if (event->contact == result->event[index].contact &&
            event->time < result->event[index].time &&
            strcmp(event->kind, "impact") != 0)
            closed = strcmp(event->kind, "leave") != 0 &&
                     strcmp(event->kind, "liftoff") != 0;
    }
    return closed;
}

/* Is the event at the time of an impact? A rotor that sticks before and behind
 * an impact has slipped by rounding in it, or not. */
static bool
beside_impact(const struct result *result, int index)
{
    for (int i = 0; i < result->events; i++)
        if (!strcmp(result->event[i].kind, "impact") &&
            fabs(result->event[i].time - result->event[index].time) <=
                SAME * fabs(result->event[index].time))
            return true;
    return false;
}

static void
fill(struct event_list *list, const struct result *result,
     const struct frame *frame, const struct result *a)
{
    list->event = calloc((size_t)result->events + 1, sizeof *list->event);
    for (int i = 0; i < result->events; i++) {
        struct event event = result->event[i];
        event.time = frame_undo_time(frame, event.time);
        /* behind a limit of chatter only bodies tell that they slide, and
         * corners of one body tell of modes of their own in a system */
        bool told = !(frame->places_alone || frame->closures_untold) ||
                    !strcmp(event.kind, "impact");
        if (frame->places_alone)
            event.class[0] = 0;
        told &= event.contact >= 0 || !beside_impact(result, i);
        told &= !frame->limits_untold || strcmp(event.kind, "chatter") != 0 ||
                !is_closed(result, i);
        told &= !is_guest(frame, a, event.contact) && !event.guest;
        if (told && !in_window(list, &event))
            list->event[list->count++] = event;
    }
    for (int i = 0; frame->time < 0 && i < list->count / 2; i++) {
        struct event keep = list->event[i];
        list->event[i] = list->event[list->count - 1 - i];
        list->event[list->count - 1 - i] = keep;
    }
    for (int begin = 0, end = 0; begin < list->count; begin = end) {
        while (end < list->count &&
               list->event[end].time - list->event[begin].time < ONE_TIME)
            end++;
        qsort(list->event + begin, (size_t)(end - begin), sizeof *list->event,
              by_contact);
    }
    if (frame->places_alone)
        merge_corners(list);
}

void
event_lists(const struct result *a, const struct result *b,
            const struct frame *frame, struct event_list out[2])
{
    struct frame same = frame_same();
    same.places_alone = frame->places_alone;
    same.closures_untold = frame->closures_untold;
    same.limits_untold = frame->limits_untold;
    int own = 0, limits = 0;
    for (int k = 0; k < 2; k++) {
        out[k] = (struct event_list){0};
        size_t most = (size_t)(a->limits + b->limits + a->events + b->events);
        out[k].window = calloc(most + 1, sizeof *out[k].window);
        add_windows(&out[k], a, &same, a);
        own = out[k].windows;
        add_windows(&out[k], b, frame, a);
        limits = out[k].windows;
        add_crowds(&out[k], limits, a, &same, a);
        add_crowds(&out[k], limits, b, frame, a);
    }
    pair_windows(out, own, limits);
    fill(&out[0], a, &same, a);
    fill(&out[1], b, frame, a);
}

/* An impact that another run may take for a graze: the rounding of a gap, 1e-14
 * to 1e-13 of its terms, has a speed of its square root; masses of the models
 * are of the size of 1 (kg), and impulses (N s) are these speeds. */
static const double GRAZE = 1e-5;

double
first_graze(const struct result *a, const struct result *b,
            const struct frame *frame)
{
    double first = INFINITY;
    for (int i = 0; i < a->events; i++) {
        const struct event *x = &a->event[i];
        for (int k = 0; k < b->events; k++) {
            const struct event *y = &b->event[k];
            bool graze =
                (!strcmp(x->kind, "touch") && !strcmp(y->kind, "impact")) ||
                (!strcmp(y->kind, "touch") && !strcmp(x->kind, "impact"));
            graze &= fmax(fabs(x->impulse), fabs(y->impulse)) < GRAZE;
            if (graze && x->contact == y->contact &&
                fabs(frame_undo_time(frame, y->time) - x->time) < AROUND)
                first = fmin(first, x->time - AROUND);
        }
    }
    return first;
}

/* The first limit of chatter that another impact follows within so many times
 * the error that is told of it: what is hit first behind it is not known. */
static const double FOLLOWS = 1000;

double
first_followed(const struct result *result)
{
    double first = INFINITY;
    for (int i = 0; i < result->limits; i++) {
        const struct limit *limit = &result->limit[i];
        for (int k = 0; k < result->events; k++) {
            double later = result->event[k].time - limit->time;
            if (!strcmp(result->event[k].kind, "impact") &&
                later > limit->error && later < FOLLOWS * limit->error)
                first = fmin(first, limit->time);
        }
    }
    return first;
}

/* Bodies that come together for ever (inelastic collapse) part where gaps are
 * below their tolerance (docs/limits.md): the first impact that follows another
 * of its contact within so short a time. With limits the flights are shorter,
 * and weaker. */
static const double COLLAPSE = 1e-9, COLLAPSE_WEAK = 1e-4;

double
first_collapse(const struct result *result)
{
    double last[MAX_CONTACTS];
    for (int i = 0; i < MAX_CONTACTS; i++)
        last[i] = -INFINITY;
    for (int i = 0; i < result->events; i++) {
        const struct event *event = &result->event[i];
        if (event->contact < 0 || event->contact >= MAX_CONTACTS ||
            strcmp(event->kind, "impact") != 0)
            continue;
        if (event->time - last[event->contact] < COLLAPSE &&
            fabs(event->impulse) > COLLAPSE_WEAK)
            return event->time - COLLAPSE;
        last[event->contact] = event->time;
    }
    return INFINITY;
}

/* The time of the first impact at which some contact is closed already: with
 * friction bodies and systems share it in different ways (docs/limits.md). */
double
first_joint_impact(const struct result *result)
{
    bool closed[MAX_CONTACTS] = {false};
    int count = 0;
    for (int i = 0; i < result->events; i++) {
        const struct event *event = &result->event[i];
        bool impact = !strcmp(event->kind, "impact");
        bool opens =
            !strcmp(event->kind, "leave") || !strcmp(event->kind, "liftoff");
        if (impact && count)
            return event->time;
        if (event->contact < 0 || impact || closed[event->contact] == !opens)
            continue;
        closed[event->contact] = !opens;
        count += opens ? -1 : 1;
    }
    return INFINITY;
}

void
event_lists_free(struct event_list list[2])
{
    for (int k = 0; k < 2; k++) {
        free(list[k].event);
        free(list[k].window);
    }
}

void
event_list_leave_out(struct event_list *list, const struct window *window,
                     int count)
{
    size_t all = (size_t)(list->windows + count) + 1;
    int left = 0;
    for (int i = 0; i < list->count; i++) {
        double time = list->event[i].time;
        bool out = false;
        for (int k = 0; k < count; k++)
            out |= time > window[k].begin && time < window[k].end;
        if (!out)
            list->event[left++] = list->event[i];
    }
    list->count = left;
    list->window = realloc(list->window, all * sizeof *window);
    for (int k = 0; k < count; k++)
        list->window[list->windows++] = window[k];
}

void
event_list_begin(struct event_list *list, double time)
{
    int left = 0;
    for (int i = 0; i < list->count; i++)
        if (list->event[i].time > time)
            list->event[left++] = list->event[i];
    list->count = left;
}

bool
event_list_at_edge(const struct event_list list[2], const struct event *event,
                   double within)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < list[k].windows; i++)
            if (fabs(event->time - list[k].window[i].begin) <= within ||
                (!list[k].window[i].limit &&
                 fabs(event->time - list[k].window[i].end) <= within))
                return true;
    return false;
}

bool
event_same(const struct event *a, const struct event *b)
{
    return a->contact == b->contact && !strcmp(a->kind, b->kind) &&
           !strcmp(a->class, b->class);
}

int
first_event_apart(const struct result *a, const struct result *b)
{
    for (int i = 0; i < a->events && i < b->events; i++)
        if (!event_same(&a->event[i], &b->event[i]) ||
            memcmp(&a->event[i].time, &b->event[i].time, sizeof(double)) != 0 ||
            memcmp(&a->event[i].impulse, &b->event[i].impulse,
                   sizeof(double)) != 0)
            return i;
    return a->events == b->events  ? -1
           : a->events < b->events ? a->events
                                   : b->events;
}

void
event_text(const struct model *model, const struct event *event, char *out,
           size_t size)
{
    if (!event) {
        snprintf(out, size, "none");
        return;
    }
    const char *name =
        event->contact < 0 ? "?" : model->contact[event->contact].name;
    snprintf(out, size, "%s %s of %s at t = %.17g", event->kind, event->class,
             name, event->time);
}
