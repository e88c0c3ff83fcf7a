/* SPDX-License-Identifier: MIT */
/* Reading and checking a run file (run_read.h). */
#include "analysis/trace/run_read.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/trace/run_bytes.h"
#include "base/crc.h"

static uint64_t
little(const unsigned char *bytes, int size)
{
    uint64_t bits = 0;
    for (int i = size - 1; i >= 0; i--)
        bits = bits << 8 | bytes[i];
    return bits;
}

/* -- references -------------------------------------------------------------
 */

static size_t
size_of(const char *type)
{
    return !strcmp(type, "f64")                           ? 8
           : !strcmp(type, "f32") || !strcmp(type, "u32") ? 4
           : !strcmp(type, "u16")                         ? 2
           : !strcmp(type, "u8")                          ? 1
                                                          : 0;
}

/* Is the value {"TYPE": [offset, count]}? *size, *offset and *count say what it
 * refers to. */
static bool
is_reference(const struct json *value, size_t *size, double *offset,
             double *count)
{
    if (!value || value->kind != JSON_OBJECT || value->n != 1)
        return false;
    const struct json *pair = value->first;
    *size = size_of(pair->key);
    if (!*size || pair->kind != JSON_LIST || pair->n != 2 ||
        pair->first->kind != JSON_NUMBER ||
        pair->first->next->kind != JSON_NUMBER)
        return false;
    *offset = pair->first->number;
    *count = pair->first->next->number;
    return true;
}

/* Do all references below the value lie within the block? */
static bool
references_hold(const struct run_read *run, const struct json *value)
{
    size_t size;
    double offset, count;
    if (is_reference(value, &size, &offset, &count))
        return offset >= 0.0 && count >= 0.0 && offset == floor(offset) &&
               count == floor(count) && fmod(offset, 8.0) == 0.0 &&
               offset + count * (double)size <= (double)run->n_block;
    for (const struct json *item = value->first; item; item = item->next)
        if (!references_hold(run, item))
            return false;
    return true;
}

size_t
run_read_count(const struct json *reference)
{
    size_t size;
    double offset, count;
    return is_reference(reference, &size, &offset, &count) ? (size_t)count : 0;
}

double
run_read_number(const struct run_read *run, const struct json *reference,
                size_t i)
{
    size_t size;
    double offset, count;
    bool good = is_reference(reference, &size, &offset, &count);
    assert(run != NULL && good && (double)i < count);
    if (!good)
        return (double)NAN;
    uint64_t bits = little(run->block + (size_t)offset + i * size, (int)size);
    const char *type = reference->first->key;
    if (!strcmp(type, "f64")) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (!strcmp(type, "f32")) {
        uint32_t half = (uint32_t)bits;
        float x;
        memcpy(&x, &half, sizeof x);
        return (double)x;
    }
    return (double)bits;
}

/* -- the parts --------------------------------------------------------------
 */

static bool
number_of(const struct json *object, const char *key, double *x)
{
    const struct json *value = json_get(object, key);
    *x = value && value->kind == JSON_NUMBER ? value->number : (double)NAN;
    return value && value->kind == JSON_NUMBER;
}

/* A list of objects that have a name each. */
static bool
named(const struct json *top, const char *key, size_t *n)
{
    const struct json *list = json_get(top, key);
    if (!list || list->kind != JSON_LIST)
        return false;
    *n = list->n;
    for (const struct json *item = list->first; item; item = item->next) {
        const struct json *name = json_get(item, "name");
        if (!name || name->kind != JSON_TEXT)
            return false;
    }
    return true;
}

/* The pieces of a mover, if they are lists that fit each other. rows: how many
 * numbers a pose has. */
static bool
mover_of(struct arena *arena, const struct run_read *run,
         const struct json *pieces, size_t rows, struct run_read_mover *mover)
{
    const struct json *basis = json_get(pieces, "basis");
    *mover = (struct run_read_mover){.begin = json_get(pieces, "begin"),
                                     .end = json_get(pieces, "end"),
                                     .base = json_get(pieces, "base"),
                                     .order = json_get(pieces, "order"),
                                     .c = json_get(pieces, "c"),
                                     .rows = rows};
    const struct json *times[] = {mover->begin, mover->end, mover->base};
    size_t n = mover->n = run_read_count(mover->begin), numbers = 0;
    if (!basis || basis->kind != JSON_TEXT ||
        (strcmp(basis->text, "power") && strcmp(basis->text, "chebyshev")))
        return false;
    mover->by_power = !strcmp(basis->text, "power");
    for (int i = 0; i < 3; i++)
        if (!times[i] || run_read_count(times[i]) != n ||
            strcmp(times[i]->first->key, "f64"))
            return false;
    if (!mover->order || run_read_count(mover->order) != n * rows ||
        !mover->c || strcmp(mover->order->first->key, "u8"))
        return false;
    size_t *at = NEW_N(arena, size_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        at[i] = numbers;
        for (size_t row = 0; row < rows; row++)
            numbers +=
                (size_t)run_read_number(run, mover->order, i * rows + row) + 1;
    }
    mover->at = at;
    return run_read_count(mover->c) == numbers;
}

static bool
motion_holds(struct arena *arena, struct run_read *run)
{
    const struct json *motion = json_get(run->top, "motion");
    size_t n = run->n_bodies + run->n_systems;
    if (!motion || motion->kind != JSON_LIST || motion->n != n)
        return false;
    struct run_read_mover *movers = NEW_N(arena, struct run_read_mover, n + 1);
    const struct json *pieces = motion->first,
                      *body = json_get(run->top, "bodies")->first,
                      *system = json_get(run->top, "systems")->first;
    for (size_t i = 0; i < n; i++, pieces = pieces->next) {
        const struct json *coordinates =
            i < run->n_bodies ? NULL : json_get(system, "coordinates");
        size_t rows = i < run->n_bodies ? (run->dim == 2 ? 3 : 7)
                      : coordinates     ? coordinates->n
                                        : 0;
        if (!mover_of(arena, run, pieces, rows, &movers[i]))
            return false;
        if (i < run->n_bodies) {
            movers[i].first = json_get(body, "pose");
            body = body->next;
        } else {
            system = system->next;
        }
    }
    run->movers = movers;
    return true;
}

/* Drawings may be absent; those that are there are whole. */
static bool
drawings_hold(struct arena *arena, struct run_read *run)
{
    const struct json *list = json_get(run->top, "drawings");
    if (!list)
        return true;
    if (list->kind != JSON_LIST)
        return false;
    struct run_read_drawing *drawings =
        NEW_N(arena, struct run_read_drawing, list->n + 1);
    for (const struct json *of = list->first; of; of = of->next) {
        const struct json *items = json_get(of, "items");
        size_t rows = 0;
        if (!items || items->kind != JSON_LIST)
            return false;
        for (const struct json *item = items->first; item; item = item->next) {
            double n;
            const struct json *kind = json_get(item, "kind");
            if (!number_of(item, "numbers", &n) || !(n >= 0.0 && n <= 16.0) ||
                !kind || kind->kind != JSON_TEXT)
                return false;
            rows += (size_t)n;
        }
        struct run_read_drawing *drawing = &drawings[run->n_drawings++];
        drawing->items = items;
        if (!mover_of(arena, run, json_get(of, "motion"), rows,
                      &drawing->mover))
            return false;
    }
    run->drawings = drawings;
    return true;
}

static bool
poses_hold(const struct run_read *run)
{
    const struct json *list = json_get(run->top, "bodies");
    for (const struct json *body = list->first; body; body = body->next) {
        const struct json *pose = json_get(body, "pose");
        if (!pose || pose->kind != JSON_LIST ||
            pose->n != (run->dim == 2 ? 3u : 7u))
            return false;
        for (const struct json *x = pose->first; x; x = x->next)
            if (x->kind != JSON_NUMBER)
                return false;
    }
    return true;
}

/* The columns of events have one length; their words and contacts are there. */
static bool
events_hold(struct run_read *run)
{
    static const char *const keys[] = {"t",       "kind",    "class",
                                       "contact", "impulse", "points"};
    const struct json *events = json_get(run->top, "events");
    const struct json *kinds = json_get(events, "kinds"),
                      *classes = json_get(events, "classes");
    double points = 0.0;
    if (!kinds || kinds->kind != JSON_LIST || !classes ||
        classes->kind != JSON_LIST)
        return false;
    run->n_events = run_read_count(json_get(events, "t"));
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!json_get(events, keys[k]) ||
            run_read_count(json_get(events, keys[k])) != run->n_events)
            return false;
    for (const struct json *w = kinds->first; w; w = w->next)
        if (w->kind != JSON_TEXT)
            return false;
    for (size_t i = 0; i < run->n_events; i++) {
        double kind = run_read_number(run, json_get(events, "kind"), i);
        double class = run_read_number(run, json_get(events, "class"), i);
        double contact = run_read_number(run, json_get(events, "contact"), i);
        if (!(kind >= 0.0 && kind < (double)kinds->n && class >= 0.0 &&
              class < (double)classes->n && contact >= 0.0 &&
              contact < (double)run->n_contacts))
            return false;
        points += run_read_number(run, json_get(events, "points"), i);
    }
    return (double)run_read_count(json_get(events, "point")) == 7.0 * points;
}

static const char *
parts(struct arena *arena, struct run_read *run)
{
    double dim;
    if (!number_of(run->top, "dim", &dim) ||
        (dim != 0.0 && dim != 2.0 && dim != 3.0) ||
        !number_of(run->top, "until", &run->until) ||
        !number_of(run->top, "end", &run->end) ||
        !named(run->top, "bodies", &run->n_bodies) ||
        !named(run->top, "systems", &run->n_systems) ||
        !named(run->top, "contacts", &run->n_contacts))
        return "it lacks a part of the model";
    run->dim = (int)dim;
    if (!references_hold(run, run->top))
        return "it refers to numbers that it lacks";
    return !poses_hold(run) || !motion_holds(arena, run)
               ? "its motion is not whole"
           : !drawings_hold(arena, run) ? "its drawings are not whole"
           : !events_hold(run)          ? "its events are not whole"
                                        : NULL;
}

const char *
run_read(struct arena *arena, const void *bytes, size_t n, struct run_read *run)
{
    assert(arena != NULL && run != NULL && (bytes != NULL || n == 0));
    const unsigned char *file = bytes;
    memset(run, 0, sizeof *run);
    if (n < RUN_FILE_HEAD || memcmp(file, RUN_FILE_MAGIC, 8) != 0)
        return n >= 6 && !memcmp(file, RUN_FILE_MAGIC, 6)
                   ? "it is of another version, or cut short"
                   : "it is no run file";
    uint64_t n_json = little(file + 8, 8), n_block = little(file + 16, 8);
    uint64_t left = n - RUN_FILE_HEAD;
    if (n_json > left || n_block != left - n_json)
        return n_json + n_block > left ? "it is cut short"
                                       : "it has been changed";
    if (crc32_of(0, file + RUN_FILE_HEAD, left) != little(file + 24, 8))
        return "it has been changed: its checksum is wrong";
    run->block = file + RUN_FILE_HEAD + n_json;
    run->n_block = (size_t)n_block;
    double version;
    run->top =
        json_read(arena, (const char *)file + RUN_FILE_HEAD, (size_t)n_json);
    if (!run->top || !number_of(run->top, "version", &version))
        return "it has been changed: its head is no JSON";
    if (version != RUN_FILE_VERSION)
        return arena_printf(arena,
                            "it has version %g, and this program reads %d",
                            version, RUN_FILE_VERSION);
    return parts(arena, run);
}

/* -- poses ------------------------------------------------------------------
 */

/* The number of the piece that holds at time t. */
static size_t
piece_at(const struct run_read *run, const struct json *begin, double t,
         bool before)
{
    size_t from = 0, to = run_read_count(begin);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        double x = run_read_number(run, begin, middle);
        if (before ? x < t : x <= t)
            from = middle + 1;
        else
            to = middle;
    }
    return from ? from - 1 : 0;
}

static double
power(const struct run_read *run, const struct json *c, size_t at, int order,
      double s)
{
    double x = 0.0;
    for (int k = order; k >= 0; k--)
        x = x * s + run_read_number(run, c, at + (size_t)k);
    return x;
}

static double
chebyshev(const struct run_read *run, const struct json *coefficients,
          size_t at, int order, double s)
{
    double one = 0.0, two = 0.0;
    for (int k = order; k >= 1; k--) {
        double next = 2.0 * s * one - two +
                      run_read_number(run, coefficients, at + (size_t)k);
        two = one;
        one = next;
    }
    return s * one - two + run_read_number(run, coefficients, at);
}

size_t
run_read_mover_at(const struct run_read *run,
                  const struct run_read_mover *mover, double t, bool before,
                  double *pose, size_t room)
{
    assert(run != NULL && mover != NULL && pose != NULL && !isnan(t));
    size_t rows = mover->rows < room ? mover->rows : room;
    if (!mover->n) { /* it does not move */
        const struct json *x = mover->first ? mover->first->first : NULL;
        for (size_t row = 0; row < rows; row++, x = x ? x->next : NULL)
            pose[row] = x ? x->number : 0.0;
        return rows;
    }
    size_t piece = piece_at(run, mover->begin, t, before);
    double from = run_read_number(run, mover->begin, piece);
    double to = run_read_number(run, mover->end, piece);
    double base = run_read_number(run, mover->base, piece);
    size_t at = mover->at[piece];
    t = fmin(fmax(t, from), to);
    for (size_t row = 0; row < rows; row++) {
        int top =
            (int)run_read_number(run, mover->order, piece * mover->rows + row);
        pose[row] = mover->by_power
                        ? power(run, mover->c, at, top, t - base)
                        : chebyshev(run, mover->c, at, top,
                                    (2.0 * t - from - to) / (to - from));
        at += (size_t)top + 1;
    }
    return rows;
}

size_t
run_read_pose(const struct run_read *run, size_t mover, double t, bool before,
              double *pose, size_t room)
{
    assert(run != NULL && mover < run->n_bodies + run->n_systems);
    return run_read_mover_at(run, &run->movers[mover], t, before, pose, room);
}

/* The names of the members of a list. */
static const char **
names(struct arena *arena, const struct json *list)
{
    const char **name = NEW_N(arena, const char *, list->n + 1), **to = name;
    for (const struct json *item = list->first; item; item = item->next)
        *to++ = json_get(item, "name")->text;
    return name;
}

const char **
run_read_event_contacts(struct arena *arena, const struct run_read *run)
{
    assert(arena && run && run->top);
    const struct json *events = json_get(run->top, "events"),
                      *contacts = json_get(run->top, "contacts"),
                      *pair = json_get(events, "bodies");
    const char **name = names(arena, contacts),
               **body = names(arena, json_get(run->top, "bodies")),
               **of = NEW_N(arena, const char *, run->n_events + 1);
    bool *many = NEW_N(arena, bool, contacts->n + 1), *next = many;
    for (const struct json *c = contacts->first; c; c = c->next)
        *next++ = json_get(c, "all") != NULL;
    bool told = pair && run_read_count(pair) == 2 * run->n_events;
    for (size_t i = 0; i < run->n_events; i++) {
        size_t c =
            (size_t)run_read_number(run, json_get(events, "contact"), i);
        double one = told ? run_read_number(run, pair, 2 * i) : -1.0,
               two = told ? run_read_number(run, pair, 2 * i + 1) : -1.0,
               low = fmin(one, two), high = fmax(one, two);
        of[i] = many[c] && low >= 0.0 && high < (double)run->n_bodies
                    ? arena_printf(arena, "%s|%s", body[(size_t)low],
                                   body[(size_t)high])
                    : name[c];
    }
    return of;
}
