/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sup`, `inf` and `first` of places, beside dense rows of the same run: a
 * value at a row is never beyond them, nor is the cubic between two rows that
 * has their places and speeds, and between two rows a place goes no farther
 * than its speeds there lead it. A level that rows pass has been passed no
 * later, and at that time the cubic is at the level. */
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
    double level; /* half of the way that the rows of the model show */
    double sign;  /* 1: it is below the level at the start; -1: above */
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

/* The rows of one place. */
struct rows {
    const struct json *t, *x, *v;
};

/* The cubic between rows i and k, at the share s of the way. */
static double
cubic(const struct rows *rows, size_t i, size_t k, double s)
{
    double h = at(rows->t, k) - at(rows->t, i), r = 1 - s;
    return at(rows->x, i) * r * r * (1 + 2 * s) +
           at(rows->x, k) * s * s * (1 + 2 * r) +
           h * s * r * (at(rows->v, i) * r - at(rows->v, k) * s);
}

/* By how much the cubic over the rows beside this one misses it: that between
 * two rows next to each other is off by a sixteenth if both are as far away; by
 * more than that if one is far nearer, which it then all but meets. Where a
 * speed jumps beside the row this is as much as the jump changes. INFINITY:
 * there is no row beside it. */
static double
missed(const struct rows *rows, size_t i)
{
    if (i == 0 || i + 1 >= rows->t->count)
        return INFINITY;
    double from = at(rows->t, i - 1), to = at(rows->t, i + 1);
    double s = (at(rows->t, i) - from) / (to - from), r = 1 - s;
    double far = fmax(s, r), near = fmin(s, r);
    if (!(to > from && near > 0))
        return INFINITY;
    return fabs(cubic(rows, i - 1, i + 1, s) - at(rows->x, i)) *
           fmax(1, far * far / (16 * near * near));
}

/* The greatest value of sign*x between the rows i and i + 1 that their places
 * and speeds tell, less what they may be wrong by; -INFINITY: they tell none.
 */
static double
turning_value(const struct rows *rows, size_t i, double sign)
{
    enum { STEPS = 16 };
    double off = fmax(missed(rows, i), missed(rows, i + 1)), most = -INFINITY;
    if (!(sign * at(rows->v, i) > 0 && sign * at(rows->v, i + 1) < 0))
        return -INFINITY;
    for (int k = 0; k <= STEPS; k++)
        most = fmax(most, sign * cubic(rows, i, i + 1, (double)k / STEPS));
    return most - off;
}

/* The level of coordinate k of a body, or of a system. */
static void
set_level(const struct result *result, int body, int system, int k,
          struct observed *out)
{
    double low = INFINITY, high = -INFINITY, first = NAN;
    for (int row = 0; row < result->rows; row++) {
        double x = body >= 0 ? result_state(result, row, body)->position[k]
                             : result->place[row * MAX_SYSTEMS + system].q[k];
        first = row ? first : x;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    out->level = low + (high - low) / 2;
    out->sign = first < out->level ? 1 : -1;
}

static int
list_places(const struct model *model, const struct result *result,
            struct observed *place, int room)
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
            set_level(result, b, -1, k, one);
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
            set_level(result, -1, s, k, one);
        }
    return n;
}

/* Does the record say that the level may have been passed for the first time
 * before this time, among the impacts before a limit? Times of warnings have
 * nine digits. */
static bool
may_be_sooner(const struct json *record, const struct observed *place,
              int index, double first)
{
    const struct json *warnings = json_get(record, "warnings");
    char begin[200];
    snprintf(begin, sizeof begin,
             "first(%.79s %c level%d) may hold between t = ", place->of,
             place->sign > 0 ? '>' : '<', index);
    size_t n = strlen(begin);
    for (size_t i = 0; warnings && i < warnings->count; i++) {
        const char *text = warnings->item[i].text;
        double from, to;
        if (text && strncmp(text, begin, n) == 0 &&
            sscanf(text + n, "%lf and %lf", &from, &to) == 2)
            return first >= from - EXACT * (1 + from) &&
                   first <= to + EXACT * (1 + to);
    }
    return false;
}

/* When does a place first pass its level? kinks: a warning says that it was
 * asked at rows alone where the motion has kinks. Where it may have been passed
 * before a limit, the time of the limit is told, and it is passed then. */
static void
compare_first(const struct json *record, const struct observed *place,
              int index, bool kinks, struct finding *finding)
{
    char key[200];
    struct rows rows = {json_get(record, "t"), json_get(record, place->column),
                        json_get(record, place->rates)};
    snprintf(key, sizeof key, "first_%s_level%d", place->column, index);
    const struct json *value = json_get(record, key);
    double first = value && value->kind == JSON_NUMBER ? value->number
                   : value                             ? at(value, 0)
                                                       : NAN;
    double level = place->level, exact = EXACT * (1 + fabs(level));
    if (!rows.t || !rows.x || !rows.v || rows.t->count < 2)
        return;
    size_t i = 0, all = rows.t->count;
    while (i < all && !(place->sign * (at(rows.x, i) - level) > exact))
        i++;
    if (i < all && !(first <= at(rows.t, i)))
        finding_set(finding, "first",
                    "%s is beyond %.17g at t = %.17g, and told to be there "
                    "first at %.17g",
                    place->of, level, at(rows.t, i), first);
    if (kinks)
        return;
    bool sooner = may_be_sooner(record, place, index, first);
    for (size_t k = 0; k + 1 < all; k++) {
        double from = at(rows.t, k), to = at(rows.t, k + 1);
        double off = fmax(missed(&rows, k), missed(&rows, k + 1));
        if (!(first >= from && first <= to && to > from))
            continue;
        double there = cubic(&rows, k, k + 1, (first - from) / (to - from));
        double beyond = place->sign * (there - level);
        if (beyond < -off - exact || (!sooner && beyond > off + exact))
            finding_set(finding, "first",
                        "%s is told to pass %.17g first at t = %.17g, where "
                        "rows say %.17g",
                        place->of, level, first, there);
    }
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
    double turn_high = -INFINITY, turn_low = INFINITY;
    struct rows rows = {t, x, v};
    if (!x || !v || !t || t->count < 2 || isnan(sup) || isnan(inf))
        return;
    for (size_t i = 0; i < t->count; i++) {
        high = fmax(high, at(x, i));
        low = fmin(low, at(x, i));
        if (i + 1 == t->count)
            break;
        turn_high = fmax(turn_high, turning_value(&rows, i, 1));
        turn_low = fmin(turn_low, -turning_value(&rows, i, -1));
        double way = BEYOND * (at(t, i + 1) - at(t, i)) *
                     (fabs(at(v, i)) + fabs(at(v, i + 1))) / 2;
        most = fmax(most, fmax(at(x, i), at(x, i + 1)) + way);
        least = fmin(least, fmin(at(x, i), at(x, i + 1)) - way);
    }
    double exact = EXACT * (1 + fabs(high) + fabs(low));
    if (sup < turn_high - exact || inf > turn_low + exact)
        finding_set(finding, "turn",
                    "%s lies between %.17g and %.17g: places and speeds of the "
                    "rows lead to %.17g and %.17g",
                    place->of, inf, sup, turn_low, turn_high);
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
    if (model->question != ASK_SIMULATE || !result->rows)
        return;
    int n = list_places(model, result, place, ROOM);
    if (!n)
        return;
    FILE *out = open_memstream(&ask, &size);
    if (!out)
        abort();
    for (int i = 0; i < n; i++)
        fprintf(out, "param level%d = %.17g\n", i, place[i].level);
    fprintf(out, "simulate {\n  until = %.17g\n  every = %.17g\n  record = (",
            model->until, model->until / INTERVALS);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%s, %s, sup(%s), inf(%s), first(%s %c level%d)",
                i ? ", " : "", place[i].of, place[i].rate, place[i].of,
                place[i].of, place[i].of, place[i].sign > 0 ? '>' : '<', i);
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
    for (int i = 0; i < n && record && !dense.status; i++) {
        compare_place(record, &place[i], finding);
        compare_first(record, &place[i], i, strstr(dense.out, "counts at"),
                      finding);
    }
    if (dense.status == 2)
        finding_set(finding, "refused", "%.500s", dense.err);
    json_free(record);
    result_free(&dense);
    free(text);
    free(other);
    free(ask);
}
