/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sup` and `inf` of places, beside dense rows of the same run: a
 * value at a row is never beyond them, and between two rows a place goes no
 * farther than its speeds there lead it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "commands.h"
#include "json.h"

/* Rows, and values at them, are exact to rounding; places are moved onto the
 * gaps at limits by less than this. */
static const double EXACT = 1e-8;
/* The mean of the speeds at both ends of an interval may be exceeded within it,
 * where forces change, by this factor. */
static const double BEYOND = 4;
enum { INTERVALS = 400 };

struct observed {
    char of[80], rate[80];      /* in the model */
    char column[80], rates[80]; /* in the record */
};

static double
at(const struct json *list, size_t i)
{
    return list && list->kind == JSON_LIST && i < list->count &&
                   list->item[i].kind == JSON_NUMBER
               ? list->item[i].number
               : NAN;
}

static double
whole(const struct json *record, const char *what, const char *column)
{
    char key[200];
    snprintf(key, sizeof key, "%s_%s", what, column);
    const struct json *value = json_get(record, key);
    return value && value->kind == JSON_NUMBER ? value->number
           : value                             ? at(value, 0)
                                               : NAN;
}

static int
list_places(const struct model *model, struct observed *place, int room)
{
    int n = 0;
    for (int b = 0; b < model->bodies; b++)
        for (int k = 0; k < model->dimension && body_moves(model, b); k++) {
            const char *name = model->body[b].name;
            if (n == room)
                return n;
            struct observed *one = &place[n++];
            snprintf(one->of, sizeof one->of, "%s.position[%d]", name, k);
            snprintf(one->rate, sizeof one->rate, "%s.velocity[%d]", name, k);
            snprintf(one->column, sizeof one->column, "%s_position_%d", name,
                     k);
            snprintf(one->rates, sizeof one->rates, "%s_velocity_%d", name, k);
        }
    for (int s = 0; s < model->systems; s++)
        for (int k = 0; k < model->system[s].coordinates; k++) {
            const char *name = model->system[s].name,
                       *of = model->system[s].coordinate[k];
            if (n == room)
                return n;
            struct observed *one = &place[n++];
            snprintf(one->of, sizeof one->of, "%s.%s", name, of);
            snprintf(one->rate, sizeof one->rate, "%s.%s'", name, of);
            snprintf(one->column, sizeof one->column, "%s_%s", name, of);
            snprintf(one->rates, sizeof one->rates, "%s_%s_dot", name, of);
        }
    return n;
}

/* One place: its extremes against its rows. */
static void
compare_place(const struct json *record, const struct observed *place,
              struct finding *finding)
{
    const struct json *t = json_get(record, "t"),
                      *x = json_get(record, place->column),
                      *v = json_get(record, place->rates);
    double sup = whole(record, "sup", place->column),
           inf = whole(record, "inf", place->column), high = -INFINITY,
           low = INFINITY, most = -INFINITY, least = INFINITY;
    if (!x || !v || !t || t->count < 2 || isnan(sup) || isnan(inf))
        return;
    for (size_t i = 0; i < t->count; i++) {
        high = fmax(high, at(x, i));
        low = fmin(low, at(x, i));
        if (i + 1 == t->count)
            break;
        double way = BEYOND * (at(t, i + 1) - at(t, i)) *
                     (fabs(at(v, i)) + fabs(at(v, i + 1))) / 2;
        most = fmax(most, fmax(at(x, i), at(x, i + 1)) + way);
        least = fmin(least, fmin(at(x, i), at(x, i + 1)) - way);
    }
    double exact = EXACT * (1 + fabs(high) + fabs(low));
    if (!(sup >= high - exact && sup <= most + exact))
        finding_set(finding, "sup",
                    "of %s: %.17g, the rows reach %.17g, and at most %.17g",
                    place->of, sup, high, most);
    if (!(inf <= low + exact && inf >= least - exact))
        finding_set(finding, "inf",
                    "of %s: %.17g, the rows reach %.17g, and at least %.17g",
                    place->of, inf, low, least);
}

void
compare_extremes(const struct runner *runner, const struct model *model,
                 const struct result *result, struct finding *finding)
{
    enum { ROOM = 12 };
    struct observed place[ROOM];
    char *ask = NULL;
    size_t size = 0;
    int n = list_places(model, place, ROOM);
    if (model->question != ASK_SIMULATE || !n || !result->rows)
        return;
    FILE *out = open_memstream(&ask, &size);
    if (!out)
        abort();
    fprintf(out, "simulate {\n  until = %.17g\n  every = %.17g\n  record = (",
            model->until, model->until / INTERVALS);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%s, %s, sup(%s), inf(%s)", i ? ", " : "", place[i].of,
                place[i].rate, place[i].of, place[i].of);
    fputs(")\n}\n", out);
    fclose(out);
    struct model *other = malloc(sizeof *other);
    struct result dense;
    *other = *model;
    other->ask = ask;
    char *text = model_text(other);
    run_text(runner, text, &dense);
    const char *from = dense.out;
    struct json *record = from ? json_read(&from) : NULL;
    if (dense.status >= EXIT_SIGNAL)
        audit_end(model, &dense, finding);
    for (int i = 0; i < n && record && !dense.status; i++)
        compare_place(record, &place[i], finding);
    json_free(record);
    result_free(&dense);
    free(text);
    free(other);
    free(ask);
}
