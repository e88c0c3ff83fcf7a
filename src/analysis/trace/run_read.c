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

static const struct json *
item_of(const struct json *list, size_t i)
{
    const struct json *item = list ? list->first : NULL;
    while (item && i--)
        item = item->next;
    return item;
}

/* The numbers of a pose of a mover. */
static size_t
rows_of(const struct run_read *run, size_t mover)
{
    if (mover < run->n_bodies)
        return run->dim == 2 ? 3 : 7;
    const struct json *coordinates =
        json_get(item_of(json_get(run->top, "systems"), mover - run->n_bodies),
                 "coordinates");
    return coordinates ? coordinates->n : 0;
}

/* Are the pieces of a mover lists that fit each other? */
static bool
pieces_hold(const struct run_read *run, const struct json *pieces, size_t rows)
{
    static const char *const keys[] = {"begin", "end", "base"};
    const struct json *basis = json_get(pieces, "basis"),
                      *order = json_get(pieces, "order");
    size_t n = run_read_count(json_get(pieces, "begin")), numbers = 0;
    if (!basis || basis->kind != JSON_TEXT ||
        (strcmp(basis->text, "power") && strcmp(basis->text, "chebyshev")))
        return false;
    for (int i = 0; i < 3; i++)
        if (!json_get(pieces, keys[i]) ||
            run_read_count(json_get(pieces, keys[i])) != n ||
            strcmp(json_get(pieces, keys[i])->first->key, "f64"))
            return false;
    if (!order || run_read_count(order) != n * rows || !json_get(pieces, "c") ||
        strcmp(order->first->key, "u8"))
        return false;
    for (size_t i = 0; i < n * rows; i++)
        numbers += (size_t)run_read_number(run, order, i) + 1;
    return run_read_count(json_get(pieces, "c")) == numbers;
}

static bool
motion_holds(const struct run_read *run)
{
    const struct json *motion = json_get(run->top, "motion");
    size_t mover = 0;
    if (!motion || motion->kind != JSON_LIST ||
        motion->n != run->n_bodies + run->n_systems)
        return false;
    for (const struct json *pieces = motion->first; pieces;
         pieces = pieces->next, mover++)
        if (!pieces_hold(run, pieces, rows_of(run, mover)))
            return false;
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
parts(struct run_read *run)
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
    return !poses_hold(run) || !motion_holds(run) ? "its motion is not whole"
           : !events_hold(run)                    ? "its events are not whole"
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
    return parts(run);
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
run_read_pose(const struct run_read *run, size_t mover, double t, bool before,
              double *pose, size_t room)
{
    assert(run != NULL && pose != NULL && !isnan(t));
    assert(mover < run->n_bodies + run->n_systems);
    const struct json *pieces = item_of(json_get(run->top, "motion"), mover);
    const struct json *begin = json_get(pieces, "begin"),
                      *order = json_get(pieces, "order"),
                      *coefficients = json_get(pieces, "c");
    size_t rows = rows_of(run, mover), n = run_read_count(begin), at = 0;
    rows = rows < room ? rows : room;
    if (!n) { /* it does not move */
        const struct json *x =
            mover < run->n_bodies
                ? json_get(item_of(json_get(run->top, "bodies"), mover), "pose")
                      ->first
                : NULL;
        for (size_t row = 0; row < rows; row++, x = x ? x->next : NULL)
            pose[row] = x ? x->number : 0.0;
        return rows;
    }
    size_t piece = piece_at(run, begin, t, before);
    double from = run_read_number(run, begin, piece);
    double to = run_read_number(run, json_get(pieces, "end"), piece);
    double base = run_read_number(run, json_get(pieces, "base"), piece);
    bool by_power = !strcmp(json_get(pieces, "basis")->text, "power");
    size_t all = rows_of(run, mover);
    t = fmin(fmax(t, from), to);
    for (size_t i = 0; i < piece * all; i++)
        at += (size_t)run_read_number(run, order, i) + 1;
    for (size_t row = 0; row < rows; row++) {
        int top = (int)run_read_number(run, order, piece * all + row);
        pose[row] = by_power ? power(run, coefficients, at, top, t - base)
                             : chebyshev(run, coefficients, at, top,
                                         (2.0 * t - from - to) / (to - from));
        at += (size_t)top + 1;
    }
    return rows;
}
