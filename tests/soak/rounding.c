/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See rounding.h. */
#include "rounding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* The moved start is one of many, moved by 8 roundings; a run makes others, in
 * each step. So what the two runs differ by may be so many times as much; a
 * difference that is more is not that of rounding. */
static const double AS_MUCH = 10;

/* The run is followed by so much of `until` further: what only one of two runs
 * has come to is no event of one alone. */
static const double BEYOND = 1e-3;

/* Events at the start are those that rounding makes of what touches there. */
static const double START = 1e-9;

/* What a moved start makes of a run until some time, on the clock and in the
 * units of the first model. */
struct moved {
    double place, speed, moment;
    double alone; /* time of the first event that one run alone has, of contacts
                     that are asked for; INFINITY: none */
    char event[100];
};

static double
number(const struct json *list, size_t index)
{
    bool there = list && list->kind == JSON_LIST && index < list->count &&
                 list->item[index].kind == JSON_NUMBER;
    return there ? list->item[index].number : NAN;
}

static const char *
word(const struct json *list, size_t index)
{
    bool there = list && list->kind == JSON_LIST && index < list->count &&
                 list->item[index].kind == JSON_TEXT;
    return there ? list->item[index].text : "";
}

static size_t
length_of(const struct json *list)
{
    return list && list->kind == JSON_LIST ? list->count : 0;
}

/* The contact of "KIND at CONTACT, of RUN". */
static int
contact_of(const struct model *model, const char *text)
{
    char name[100];
    const char *at = strstr(text, " at "), *end = at ? strchr(at, ',') : NULL;
    if (!end || end - at - 4 >= (long)sizeof name)
        return -1;
    snprintf(name, sizeof name, "%.*s", (int)(end - at - 4), at + 4);
    return contact_named(model, name);
}

static bool
is_asked(const struct difference *where, int contact)
{
    return where->contact[0] < 0 || where->contact[1] < 0 ||
           contact == where->contact[0] || contact == where->contact[1];
}

static void
read_states(const struct json *record, const struct frame *frame,
            struct moved *moved)
{
    const struct json *names = json_get(record, "difference_columns");
    const struct json *list = json_get(record, "differences");
    for (size_t i = 0; i < length_of(names); i++) {
        const char *name = word(names, i);
        size_t length = strlen(name);
        double off = number(list, i);
        bool rate = strstr(name, ".velocity") || strstr(name, ".spin") ||
                    (length && name[length - 1] == '\'');
        bool turn = strstr(name, ".angle") || strstr(name, ".attitude") ||
                    strstr(name, ".spin");
        off /= (turn ? 1 : frame->length) / (rate ? frame->time : 1);
        double *most = rate ? &moved->speed : &moved->place;
        *most = fmax(*most, off);
    }
}

static void
read_events(const struct model *model, const struct json *record,
            const struct frame *frame, const struct difference *where,
            struct moved *moved)
{
    const struct json *names = json_get(record, "compared_contacts");
    const struct json *list = json_get(record, "event_differences");
    const struct json *alone = json_get(record, "unmatched_events");
    const struct json *times = json_get(record, "unmatched_times");
    for (size_t i = 0; i < length_of(names); i++)
        moved->moment = fmax(moved->moment, number(list, i) / frame->time);
    for (size_t i = 0; i < length_of(alone); i++) {
        double time = frame_undo_time(frame, number(times, i));
        if (time <= START * (1 + model->until) || time >= moved->alone ||
            !is_asked(where, contact_of(model, word(alone, i))))
            continue;
        moved->alone = time;
        snprintf(moved->event, sizeof moved->event, "%.99s", word(alone, i));
    }
}

/* False: the program does not say. */
static bool
ask(const struct runner *runner, const struct model *model,
    const struct frame *frame, const struct difference *where,
    struct moved *moved)
{
    struct model *copy = malloc(sizeof *copy);
    struct result result;
    double until = frame_time(frame, where->at), beyond = BEYOND * model->until;
    *copy = *model;
    *moved = (struct moved){.alone = INFINITY};
    copy->perturbed = true;
    copy->second = false;
    copy->until = fmin(copy->until, until + beyond);
    while (copy->times > 1 && copy->at[copy->times - 1] > until + 0.5 * beyond)
        copy->times--;
    run_model(runner, copy, &result);
    const char *at = result.out;
    struct json *record = json_read(&at);
    bool said = result.read && json_get(record, "comparison");
    if (said) {
        read_states(record, frame, moved);
        read_events(copy, record, frame, where, moved);
    }
    json_free(record);
    result_free(&result);
    free(copy);
    return said;
}

/* Is the difference no more than that of the moved start? */
static bool
is_as_much(const struct difference *where, const struct moved *moved)
{
    double until = where->at * (1 + START) + START;
    return moved->alone <= until || (isfinite(where->moment) &&
                                     where->moment <= AS_MUCH * moved->moment &&
                                     where->place <= AS_MUCH * moved->place &&
                                     where->speed <= AS_MUCH * moved->speed);
}

void
rounding_ask(const struct runner *runner, const struct model *model,
             const struct model *other, const struct frame *frame,
             struct finding *finding)
{
    const struct difference *where = &finding->where;
    struct frame same = frame_same();
    if (!finding->kind[0] || !where->told || frame->time < 0 ||
        model->question != ASK_SIMULATE || model->ask || other->ask)
        return;
    for (int k = 0; k < 2 && !finding->rounding; k++) {
        struct moved moved;
        if (!ask(runner, k ? other : model, k ? frame : &same, where, &moved) ||
            !is_as_much(where, &moved))
            continue;
        size_t length = strlen(finding->text);
        finding->rounding = true;
        snprintf(finding->text + length, sizeof finding->text - length,
                 "\nrounding decides: moved by it the %s model differs by %.2g "
                 "in places, %.2g in speeds, %.2g s in times%s%s",
                 k ? "other" : "first", moved.place, moved.speed, moved.moment,
                 moved.event[0] ? ", " : "", moved.event);
    }
}
