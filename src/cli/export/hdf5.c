/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as the content of an HDF5 file. Groups: `bodies/NAME` and
 * `systems/NAME` with pieces and poses, `events`, `points`, `forces`, `energy`,
 * `limits`, `columns`. Numbers are those of the run file, all in SI units. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cli/export/export.h"
#include "output/h5.h"

struct making {
    struct arena *arena;
    const struct run_read *run;
    struct {
        struct h5_column *v;
        size_t n, cap;
    } columns;
    struct {
        struct h5_note *v;
        size_t n, cap;
    } notes;
    double *times; /* at which poses are told */
    size_t n_times;
};

static void
put(struct making *making, struct h5_column column)
{
    if (!column.unit)
        column.unit = "";
    VEC_PUSH_IN(making->arena, &making->columns, column);
}

static void
note_text(struct making *making, const char *of, const char *name,
          const struct json *value)
{
    if (value && value->kind == JSON_TEXT)
        VEC_PUSH_IN(making->arena, &making->notes,
                    ((struct h5_note){of, name, value->text, 0.0}));
}

static void
note_number(struct making *making, const char *of, const char *name,
            const struct json *value)
{
    if (value && value->kind == JSON_NUMBER)
        VEC_PUSH_IN(making->arena, &making->notes,
                    ((struct h5_note){of, name, NULL, value->number}));
}

/* The numbers of a reference as a dataset with entries of this width (0: single
 * numbers). Nothing where there is no reference. */
static void
put_numbers(struct making *making, const char *name, const char *unit,
            const struct json *reference, size_t width)
{
    size_t n = run_read_count(reference);
    if (!reference || (width && n % width))
        return;
    double *x = NEW_N(making->arena, double, n + 1);
    for (size_t i = 0; i < n; i++)
        x[i] = run_read_number(making->run, reference, i);
    put(making, (struct h5_column){.name = name,
                                   .unit = unit,
                                   .x = x,
                                   .n = width ? n / width : n,
                                   .width = width});
}

/* The words that the numbers of a list stand for. */
static void
put_words(struct making *making, const char *name, const struct json *numbers,
          const struct json *words, const char *key)
{
    size_t n = run_read_count(numbers), n_words = words ? words->n : 0, k = 0;
    const char **word = NEW_N(making->arena, const char *, n_words + 1),
               **text = NEW_N(making->arena, const char *, n + 1);
    for (const struct json *w = words ? words->first : NULL; w; w = w->next)
        word[k++] = (key ? json_get(w, key) : w)->text;
    for (size_t i = 0; i < n; i++) {
        double number = run_read_number(making->run, numbers, i);
        text[i] = number >= 0.0 && number < (double)n_words
                      ? word[(size_t)number]
                      : "";
    }
    put(making, (struct h5_column){.name = name, .texts = text, .n = n});
}

/* A name of the model as a name of HDF5, where `/` leads into a group. */
static const char *
path(struct making *making, const char *group, const struct json *named)
{
    char *name = arena_strdup(making->arena, json_get(named, "name")->text);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '|';
    if (!*name || !strcmp(name, "."))
        name = arena_strdup(making->arena, "unnamed");
    return arena_printf(making->arena, "%s/%s", group, name);
}

static const char *
below(struct making *making, const char *group, const char *name)
{
    return arena_printf(making->arena, "%s/%s", group, name);
}

/* Entries `from` to `from` + `width` of all poses. */
static void
put_poses(struct making *making, const char *name, const char *unit,
          const struct run_read_mover *mover, size_t from, size_t width)
{
    size_t n = making->n_times;
    double *pose = NEW_N(making->arena, double, mover->rows + 1),
           *x = NEW_N(making->arena, double, n *width + 1);
    for (size_t i = 0; i < n; i++) {
        double size = 0.0;
        run_read_mover_at(making->run, mover, making->times[i], false, pose,
                          mover->rows);
        for (size_t k = 0; width == 4 && k < 4; k++)
            size = hypot(size, pose[from + k]);
        for (size_t k = 0; k < width; k++)
            x[i * width + k] = pose[from + k] / (size > 0.0 ? size : 1.0);
    }
    put(making, (struct h5_column){.name = name,
                                   .unit = unit,
                                   .x = x,
                                   .n = n,
                                   .width = width == 1 ? 0 : width});
}

/* Pieces, as docs/run-file.md describes them. */
static void
put_pieces(struct making *making, const char *of,
           const struct run_read_mover *mover)
{
    const char *group = below(making, of, "pieces");
    if (!mover->n)
        return;
    put_numbers(making, below(making, group, "begin"), "s", mover->begin, 0);
    put_numbers(making, below(making, group, "end"), "s", mover->end, 0);
    put_numbers(making, below(making, group, "base"), "s", mover->base, 0);
    uint8_t *order = NEW_N(making->arena, uint8_t, mover->n * mover->rows + 1);
    for (size_t i = 0; i < mover->n * mover->rows; i++)
        order[i] = (uint8_t)run_read_number(making->run, mover->order, i);
    put(making, (struct h5_column){.name = below(making, group, "order"),
                                   .small = order,
                                   .n = mover->n,
                                   .width = mover->rows});
    put_numbers(making, below(making, group, "c"), "", mover->c, 0);
    VEC_PUSH_IN(
        making->arena, &making->notes,
        ((struct h5_note){group, "basis",
                          mover->by_power ? "power" : "chebyshev", 0.0}));
}

static void
put_bodies(struct making *making)
{
    bool flat = making->run->dim == 2;
    const struct run_read_mover *mover = making->run->movers;
    for (const struct json *body = json_get(making->run->top, "bodies")->first;
         body; body = body->next, mover++) {
        const char *of = path(making, "bodies", body);
        const struct json *shape = json_get(body, "shape");
        put_poses(making, below(making, of, "position"), "m", mover, 0,
                  flat ? 2 : 3);
        put_poses(making, below(making, of, flat ? "angle" : "quaternion"),
                  flat ? "rad" : "", mover, flat ? 2 : 3, flat ? 1 : 4);
        put_pieces(making, of, mover);
        note_text(making, of, "kind", json_get(body, "kind"));
        note_number(making, of, "line", json_get(body, "line"));
        note_number(making, of, "mass", json_get(body, "mass"));
        note_number(making, of, "radius", json_get(body, "radius"));
        note_text(making, of, "shape", json_get(shape, "kind"));
        const struct json *kind = json_get(shape, "kind");
        bool outline =
            kind && kind->kind == JSON_TEXT && !strcmp(kind->text, "outline");
        put_numbers(making, below(making, of, "corners"), "m",
                    json_get(shape, "corners"), outline ? 2 : 3);
    }
    put_numbers(making, "triangles", "",
                json_get(making->run->top, "triangles"), 3);
}

static void
put_systems(struct making *making)
{
    const struct run_read_mover *mover =
        making->run->movers + making->run->n_bodies;
    for (const struct json *system =
             json_get(making->run->top, "systems")->first;
         system; system = system->next, mover++) {
        const char *of = path(making, "systems", system);
        size_t row = 0;
        const struct json *list = json_get(system, "coordinates");
        for (const struct json *c = list ? list->first : NULL; c;
             c = c->next, row++) {
            const struct json *unit = json_get(c, "unit");
            if (!json_get(c, "name") || json_get(c, "name")->kind != JSON_TEXT)
                continue;
            put_poses(making, path(making, of, c),
                      unit && unit->kind == JSON_TEXT ? unit->text : "", mover,
                      row, 1);
        }
        put_pieces(making, of, mover);
    }
}

static void
put_events(struct making *making)
{
    const struct json *top = making->run->top,
                      *events = json_get(top, "events"),
                      *forces = json_get(top, "forces"),
                      *energy = json_get(top, "energy");
    put_numbers(making, "events/t", "s", json_get(events, "t"), 0);
    put_words(making, "events/kind", json_get(events, "kind"),
              json_get(events, "kinds"), NULL);
    put_words(making, "events/class", json_get(events, "class"),
              json_get(events, "classes"), NULL);
    put(making,
        (struct h5_column){
            .name = "events/contact",
            .texts = run_read_event_contacts(making->arena, making->run),
            .n = making->run->n_events});
    put_numbers(making, "events/impulse", "N s", json_get(events, "impulse"),
                0);
    put_numbers(making, "events/points", "", json_get(events, "points"), 0);
    /* place, normal, impulse */
    put_numbers(making, "events/point", "", json_get(events, "point"), 7);
    put_numbers(making, "forces/t", "s", json_get(forces, "t"), 0);
    put_numbers(making, "forces/since", "s", json_get(forces, "since"), 0);
    put_numbers(making, "forces/number", "", json_get(forces, "number"), 0);
    put_words(making, "forces/contact", json_get(forces, "contact"),
              json_get(top, "contacts"), "name");
    put_numbers(making, "forces/point", "", json_get(forces, "point"), 7);
    put_numbers(making, "forces/friction", "N", json_get(forces, "friction"),
                2);
    put_numbers(making, "energy/t", "s", json_get(energy, "t"), 0);
    put_numbers(making, "energy/kinetic", "J", json_get(energy, "kinetic"), 0);
    put_numbers(making, "energy/potential", "J", json_get(energy, "potential"),
                0);
}

/* What the run recorded, and its limits of infinitely many impacts. */
static void
put_record(struct making *making)
{
    static const char *const limits[] = {"t", "ratio", "impacts", "sum"};
    const struct json *top = making->run->top,
                      *columns = json_get(top, "columns"),
                      *limit = json_get(top, "limits");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        put_numbers(making, below(making, "limits", limits[i]),
                    i == 0 ? "s" : "", json_get(limit, limits[i]), 0);
    put_numbers(making, "columns/t", "s", json_get(top, "t"), 0);
    for (const struct json *c = columns ? columns->first : NULL; c;
         c = c->next) {
        const struct json *unit = json_get(c, "unit"),
                          *width = json_get(c, "width"),
                          *name = json_get(c, "name");
        if (!name || name->kind != JSON_TEXT || !strcmp(name->text, "t"))
            continue;
        size_t w = width && width->kind == JSON_NUMBER && width->number > 1.0 &&
                           width->number < 1e6
                       ? (size_t)width->number
                       : 0;
        put_numbers(making, path(making, "columns", c),
                    unit && unit->kind == JSON_TEXT && strcmp(unit->text, "1")
                        ? unit->text
                        : "",
                    json_get(c, "x"), w);
    }
}

static void
choose_times(struct making *making, double every)
{
    double end = making->run->end, steps = floor(end / every * (1.0 + 1e-12));
    size_t n = (size_t)steps + 1;
    making->times = NEW_N(making->arena, double, n + 1);
    for (size_t i = 0; i < n; i++)
        making->times[i] = fmin((double)i * every, end);
    making->n_times = n;
    if (making->times[n - 1] < end)
        making->times[making->n_times++] = end;
    put(making, (struct h5_column){.name = "t",
                                   .unit = "s",
                                   .x = making->times,
                                   .n = making->n_times});
}

const struct h5_content *
export_hdf5(struct arena *arena, const struct run_read *run, double every)
{
    assert(arena && run && every > 0.0);
    struct making making = {.arena = arena, .run = run};
    const struct json *model = json_get(run->top, "model"),
                      *params = json_get(run->top, "params");
    struct h5_param *param =
        NEW_N(arena, struct h5_param, params ? params->n + 1 : 1);
    size_t n_params = 0;
    for (const struct json *p = params ? params->first : NULL; p; p = p->next) {
        const struct json *name = json_get(p, "name"),
                          *unit = json_get(p, "unit"),
                          *value = json_get(p, "value");
        if (name && name->kind == JSON_TEXT && value &&
            value->kind == JSON_NUMBER)
            param[n_params++] = (struct h5_param){
                name->text, unit && unit->kind == JSON_TEXT ? unit->text : "",
                value->number};
    }
    choose_times(&making, every);
    put_bodies(&making);
    put_systems(&making);
    put_events(&making);
    put_record(&making);
    struct h5_content *content = NEW(arena, struct h5_content);
    *content = (struct h5_content){
        .model = model && model->kind == JSON_TEXT ? model->text : "",
        .command = "run",
        .params = param,
        .n_params = n_params,
        .columns = making.columns.v,
        .n_columns = making.columns.n,
        .notes = making.notes.v,
        .n_notes = making.notes.n};
    return content;
}
