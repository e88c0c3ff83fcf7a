/* SPDX-License-Identifier: MIT */
/* What happened, in a run file: events with their points, energies, forces of
 * closed contacts, limits of infinitely many impacts, and the columns that the
 * run recorded. Lists of one kind are columns: entry i of each belongs to event
 * i. */
#include <assert.h>
#include <string.h>

#include "analysis/trace/run_log_priv.h"

struct words {
    const char **v;
    size_t n, cap;
};
struct numbers {
    double *v;
    size_t n, cap;
};

/* The number of a word in a list that holds each word once. */
static double
word(struct arena *arena, struct words *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->v[i], text))
            return (double)i;
    VEC_PUSH_IN(arena, list, text);
    return (double)(list->n - 1);
}

static void
column(struct run_bytes *bytes, const char *key, const struct numbers *x)
{
    run_key(bytes, key);
    run_f64(bytes, x->v, x->n);
}

static void
texts(struct run_bytes *bytes, const char *key, const char *const *text,
      size_t n)
{
    run_key(bytes, key);
    buf_putc(&bytes->json, '[');
    for (size_t i = 0; i < n; i++) {
        run_comma(bytes);
        run_text(bytes, text[i]);
    }
    buf_putc(&bytes->json, ']');
}

bool
run_has_rule(const struct rt *run)
{
    assert(run != NULL);
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        if (rt_contact(run, i)->flags & IMP_CONTACTF_RULE)
            return true;
    return false;
}

static void
events(struct run_log *log, struct run_bytes *bytes)
{
    struct arena *arena = log->run->arena;
    struct words kinds = {0}, classes = {0};
    struct numbers time = {0}, kind = {0}, class = {0}, contact = {0},
                   impulse = {0}, points = {0}, data = {0}, pair = {0};
    bool rule = run_has_rule(log->run);
    for (size_t i = 0; i < log->events.n; i++) {
        const struct run_event *event = &log->events.v[i];
        VEC_PUSH_IN(arena, &time, event->time);
        VEC_PUSH_IN(arena, &kind, word(arena, &kinds, event->kind));
        VEC_PUSH_IN(arena, &class, word(arena, &classes, event->class));
        VEC_PUSH_IN(arena, &contact, event->contact);
        VEC_PUSH_IN(arena, &impulse, event->impulse);
        VEC_PUSH_IN(arena, &points, (double)event->n_points);
        for (int k = 0; k < 2 && rule; k++)
            VEC_PUSH_IN(arena, &pair,
                        event->body[k] == IMP_WORLD ? -1.0 : event->body[k]);
    }
    for (size_t i = 0; i < log->told; i++)
        for (int k = 0; k < 7; k++)
            VEC_PUSH_IN(arena, &data,
                        k < 3   ? log->points.v[i].at[k]
                        : k < 6 ? log->points.v[i].normal[k - 3]
                                : log->points.v[i].impulse);
    run_key(bytes, "events");
    buf_putc(&bytes->json, '{');
    texts(bytes, "kinds", kinds.v, kinds.n);
    texts(bytes, "classes", classes.v, classes.n);
    column(bytes, "t", &time);
    column(bytes, "kind", &kind);
    column(bytes, "class", &class);
    column(bytes, "contact", &contact);
    column(bytes, "impulse", &impulse);
    column(bytes, "points", &points);
    column(bytes, "bodies", &pair);
    column(bytes, "point", &data);
    buf_putc(&bytes->json, '}');
}

static void
energies(struct run_log *log, struct run_bytes *bytes)
{
    struct arena *arena = log->run->arena;
    struct numbers time = {0}, kinetic = {0}, potential = {0};
    for (size_t i = 0; i < log->energies.n; i++) {
        VEC_PUSH_IN(arena, &time, log->energies.v[i].time);
        VEC_PUSH_IN(arena, &kinetic, log->energies.v[i].kinetic);
        VEC_PUSH_IN(arena, &potential, log->energies.v[i].potential);
    }
    run_key(bytes, "energy");
    buf_putc(&bytes->json, '{');
    column(bytes, "t", &time);
    column(bytes, "kinetic", &kinetic);
    column(bytes, "potential", &potential);
    run_key(bytes, "gaps"); /* a row per time; empty where there are too many
                               contacts */
    run_f64(bytes, log->gaps.v, log->gaps.n);
    buf_putc(&bytes->json, '}');
}

static void
forces(struct run_log *log, struct run_bytes *bytes)
{
    struct arena *arena = log->run->arena;
    struct numbers time = {0}, contact = {0}, number = {0}, data = {0};
    struct numbers since = {0}, friction = {0};
    for (size_t i = 0; i < log->forces.n; i++) {
        const struct run_force *force = &log->forces.v[i];
        VEC_PUSH_IN(arena, &time, force->time);
        VEC_PUSH_IN(arena, &contact, force->contact);
        VEC_PUSH_IN(arena, &since, force->since);
        VEC_PUSH_IN(arena, &number, force->number);
        VEC_PUSH_IN(arena, &friction, force->friction[0]);
        VEC_PUSH_IN(arena, &friction, force->friction[1]);
        for (int k = 0; k < 7; k++)
            VEC_PUSH_IN(arena, &data,
                        k < 3   ? force->at[k]
                        : k < 6 ? force->normal[k - 3]
                                : force->force);
    }
    run_key(bytes, "forces");
    buf_putc(&bytes->json, '{');
    column(bytes, "t", &time);
    column(bytes, "contact", &contact);
    column(bytes, "since", &since);
    column(bytes, "number", &number);
    column(bytes, "point", &data);
    column(bytes, "friction", &friction);
    buf_putc(&bytes->json, '}');
}

void
run_events(struct run_log *log, struct run_bytes *bytes)
{
    assert(log != NULL && bytes->json.n > 0);
    events(log, bytes);
    energies(log, bytes);
    forces(log, bytes);
}

static const struct field_value *
value(const struct record *record, const char *field)
{
    return &record->v[record_index(record, field)];
}

/* A field that is a list; an absent one is an empty list. */
static void
list(struct run_bytes *bytes, const struct record *record, const char *field,
     const char *key)
{
    const struct field_value *of = value(record, field);
    if (of->texts)
        texts(bytes, key, of->texts, of->why ? 0 : of->n);
    else
        column(bytes, key,
               &(struct numbers){(double *)(uintptr_t)of->num,
                                 of->why ? 0 : of->n, 0});
}

void
run_columns(struct run_log *log, struct run_bytes *bytes,
            const struct record *record)
{
    assert(log != NULL && bytes != NULL && record != NULL);
    static const char *const limits[][2] = {
        {"limit_times", "t"},      {"limit_contacts", "contacts"},
        {"limit_ratios", "ratio"}, {"limit_impacts", "impacts"},
        {"limit_sums", "sum"},     {"limit_means", "means"}};
    run_key(bytes, "status");
    run_text(bytes, value(record, "status")->text);
    list(bytes, record, "summary", "summary");
    list(bytes, record, "warnings", "warnings");
    run_key(bytes, "limits");
    buf_putc(&bytes->json, '{');
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        list(bytes, record, limits[i][0], limits[i][1]);
    buf_putc(&bytes->json, '}');
    list(bytes, record, "t", "t");
    run_key(bytes, "columns");
    buf_putc(&bytes->json, '[');
    for (size_t i = 0; i < record->n; i++) {
        const imp_field *field = &record->schema[i];
        if (!field->column || record->v[i].why)
            continue;
        run_comma(bytes);
        buf_putc(&bytes->json, '{');
        run_key(bytes, "name");
        run_text(bytes, run_name(log, field->name));
        run_key(bytes, "unit");
        run_text(bytes, run_name(log, field->unit));
        run_key(bytes, "width");
        run_number(bytes, field->kind == IMP_FIELD_VECS ? field->width : 1);
        size_t width = field->kind == IMP_FIELD_VECS ? field->width : 1;
        run_key(bytes, "x");
        run_f64(bytes, record->v[i].num, record->v[i].n * width);
        buf_putc(&bytes->json, '}');
    }
    buf_putc(&bytes->json, ']');
}
