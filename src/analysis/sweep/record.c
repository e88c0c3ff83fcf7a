/* SPDX-License-Identifier: MIT */
/* The record of a sweep: columns of the runs that are done, or of their
 * combinations (summary). The checker has made the schema in the same order
 * (check/sweep_record.c). */
#include <math.h>
#include <string.h>

#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "base/parts.h"

static struct field_value *
column(struct record *out, uint32_t k)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->schema[i].column == k)
            return &out->v[i];
    return NULL;
}

/* -- rows of runs, by the sweep's threads ------------------------------------
 */

enum { PART = 1 << 16 /* rows */ };
struct rows {
    const struct sweep *s;
    const uint64_t *run; /* of every row; NULL: all are done */
    size_t n;
    const char *const *texts;
    double **axis; /* those of axes, and which repetition */
    size_t n_axis;
    double **num; /* per field; NULL: a column of texts */
    const char ***text;
    const char **error; /* NULL: none failed */
};

static uint64_t
run_of(const struct rows *r, size_t row)
{
    return r->run ? r->run[row] : row;
}

/* an axis over all runs: each value as often as the axes behind it have
 * combinations */
static void
put_axis(const struct rows *r, size_t k, size_t from, size_t to)
{
    const struct sweep *s = r->s;
    const struct sweep_axis *x = &s->axis[k];
    uint64_t often = s->repeat;
    for (size_t j = k + 1; j < s->n_axes; j++)
        often *= s->axis[j].random ? 1 : s->axis[j].n;
    size_t digit = from / often % x->n, left = often - from % often;
    for (size_t i = from; i < to; left = often) {
        size_t end = to - i < left ? to : i + left;
        for (double v = x->x[digit]; i < end; i++)
            r->axis[k][i] = v;
        digit = digit + 1 < x->n ? digit + 1 : 0;
    }
}

/* axes of random values, or of runs of which some are missing; the repetitions
 */
static void
put_axis_by_run(const struct rows *r, size_t k, size_t from, size_t to)
{
    const struct sweep *s = r->s;
    for (size_t i = from; i < to; i++) {
        uint64_t run = run_of(r, i);
        r->axis[k][i] = k < s->n_axes ? sweep_axis_value(s, k, run)
                                      : (double)(run % s->repeat);
    }
}

static void
put_texts(const struct rows *r, const uint32_t *text, const char **to,
          size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        to[i] = r->texts[text[run_of(r, i)]];
}

static void
put_part(void *ctx, int worker, size_t k)
{
    const struct rows *r = ctx;
    const struct sweep *s = r->s;
    size_t from = k * PART, to = r->n - from < PART ? r->n : from + PART;
    (void)worker;
    for (size_t j = 0; j < r->n_axis; j++)
        if (r->run || j == s->n_axes || s->axis[j].random)
            put_axis_by_run(r, j, from, to);
        else
            put_axis(r, j, from, to);
    for (size_t j = 0; j < s->n_fields; j++) {
        const struct sweep_field *f = &s->field[j];
        if (f->text)
            put_texts(r, f->text, r->text[j], from, to);
        for (size_t i = from; i < to && r->num[j] != f->num; i++)
            memcpy(r->num[j] + i * f->width, f->num + run_of(r, i) * f->width,
                   f->width * sizeof *f->num);
    }
    if (r->error)
        put_texts(r, s->error, r->error, from, to);
}

/* all texts, where the record may point to them */
static const char *const *
lasting(const struct sweep *s)
{
    struct arena *ar = record_arena(s->a);
    const char **t = NEW_N(ar, const char *, s->texts.n);
    for (size_t i = 0; i < s->texts.n; i++)
        t[i] = arena_strdup(ar, s->texts.v[i]);
    return t;
}

static void
set_column(struct record *out, uint32_t k, struct field_value v)
{
    struct field_value *f = column(out, k);
    if (f)
        *f = v;
}

/* -- summary: of the runs of each combination that are done -----------------
 */

struct groups {
    uint64_t *first; /* run of each combination, some run of which is done */
    size_t n;
};

static struct groups
groups_of(const struct sweep *s)
{
    struct groups g = {
        NEW_N(s->a->rt->arena, uint64_t, s->total / s->repeat + 1), 0};
    for (uint64_t i = 0; i < s->total; i += s->repeat)
        for (uint64_t k = i; k < i + s->repeat; k++)
            if (s->state[k] == SWEEP_DONE) {
                g.first[g.n++] = i;
                break;
            }
    return g;
}

/* mean, smallest, greatest, standard deviation (of two values at least) of the
 * numbers that runs gave; in the order of the runs */
static void
statistics(const struct sweep *s, uint64_t first, const struct sweep_field *f,
           size_t w, double x[4])
{
    double sum = 0, square = 0;
    size_t n = 0;
    x[0] = x[1] = x[2] = x[3] = NAN;
    for (uint64_t i = first; i < first + s->repeat; i++) {
        double v = f->num[i * f->width + w];
        if (s->state[i] != SWEEP_DONE || !isfinite(v))
            continue;
        n++;
        sum += v;
        x[1] = n == 1 ? v : fmin(x[1], v);
        x[2] = n == 1 ? v : fmax(x[2], v);
    }
    if (!n)
        return;
    x[0] = sum / (double)n;
    for (uint64_t i = first; i < first + s->repeat; i++) {
        double v = f->num[i * f->width + w] - x[0];
        if (s->state[i] == SWEEP_DONE && isfinite(v))
            square += v * v;
    }
    if (n > 1)
        x[3] = sqrt(square / (double)(n - 1));
}

/* the commonest text, of equally many the first, and its share of all texts */
static uint32_t
commonest(const struct sweep *s, uint64_t first, const uint32_t *text,
          double *share)
{
    uint32_t best = 0;
    size_t most = 0, all = 0;
    for (uint64_t i = first; i < first + s->repeat; i++) {
        uint32_t t = text[i];
        size_t n = 0;
        if (s->state[i] != SWEEP_DONE || !t)
            continue;
        all++;
        for (uint64_t k = i; k < first + s->repeat; k++)
            n += s->state[k] == SWEEP_DONE && text[k] == t;
        if (n > most) {
            most = n;
            best = t;
        }
    }
    *share = all ? (double)most / (double)all : NAN;
    return best;
}

static uint32_t
text_columns(struct sweep *s, struct record *out, const struct groups *g,
             const struct sweep_field *f, const char *const *all, uint32_t k)
{
    struct arena *ar = record_arena(s->a);
    const char **t = NEW_N(ar, const char *, g->n + 1);
    double *share = NEW_N(ar, double, g->n + 1);
    for (size_t j = 0; j < g->n; j++)
        t[j] = all[commonest(s, g->first[j], f->text, &share[j])];
    set_column(out, k++,
               (struct field_value){.texts = t, .n = g->n, .cols = f->width});
    set_column(out, k++,
               (struct field_value){.num = share, .n = g->n, .cols = 1});
    return k;
}

static uint32_t
number_columns(struct sweep *s, struct record *out, const struct groups *g,
               const struct sweep_field *f, uint32_t k)
{
    double *x[4], one[4];
    for (int m = 0; m < 4; m++)
        x[m] = NEW_N(record_arena(s->a), double, g->n * f->width + 1);
    for (size_t j = 0; j < g->n; j++)
        for (size_t w = 0; w < f->width; w++) {
            statistics(s, g->first[j], f, w, one);
            for (int m = 0; m < 4; m++)
                x[m][j * f->width + w] = one[m];
        }
    for (int m = 0; m < 4; m++)
        set_column(
            out, k++,
            (struct field_value){.num = x[m], .n = g->n, .cols = f->width});
    return k;
}

/* per combination: runs that gave values, and the reason of the first that did
 * not */
static void
outcome(struct sweep *s, struct record *out, const struct groups *g,
        const char *const *all, uint32_t k, size_t failed)
{
    struct arena *ar = record_arena(s->a);
    double *runs = NEW_N(ar, double, g->n + 1);
    const char **why = NEW_N(ar, const char *, g->n + 1);
    for (size_t j = 0; j < g->n; j++) {
        why[j] = "";
        for (uint64_t i = g->first[j]; i < g->first[j] + s->repeat; i++) {
            if (s->state[i] != SWEEP_DONE)
                continue;
            runs[j] += !s->error[i];
            if (s->error[i] && !*why[j])
                why[j] = all[s->error[i]];
        }
    }
    set_column(out, k, (struct field_value){.num = runs, .n = g->n, .cols = 1});
    int e = record_index(out, "error");
    out->v[e] = (struct field_value){0};
    if (failed)
        out->v[e] = (struct field_value){.texts = why, .n = g->n};
}

static void
put_summary(struct sweep *s, struct record *out, const char *const *all,
            size_t failed)
{
    struct groups g = groups_of(s);
    uint32_t k = 1;
    for (size_t i = 0; i < s->n_axes; i++) {
        if (s->axis[i].random)
            continue;
        double *x = NEW_N(record_arena(s->a), double, g.n + 1);
        for (size_t j = 0; j < g.n; j++)
            x[j] = sweep_axis_value(s, i, g.first[j]);
        set_column(out, k++,
                   (struct field_value){.num = x, .n = g.n, .cols = 1});
    }
    outcome(s, out, &g, all, k++, failed);
    for (size_t i = 0; i < s->n_fields; i++)
        k = s->field[i].text ? text_columns(s, out, &g, &s->field[i], all, k)
                             : number_columns(s, out, &g, &s->field[i], k);
}

/* the runs that are done; NULL: all are */
static const uint64_t *
done_runs(const struct sweep *s, size_t rows)
{
    if (rows == s->total)
        return NULL;
    uint64_t *run = NEW_N(s->a->rt->arena, uint64_t, rows + 1);
    size_t n = 0;
    for (uint64_t i = 0; i < s->total; i++)
        if (s->state[i] == SWEEP_DONE)
            run[n++] = i;
    return run;
}

static void
put_rows(struct sweep *s, struct record *out, const char *const *all,
         size_t rows, size_t failed)
{
    struct arena *ar = s->a->rt->arena, *to = record_arena(s->a);
    struct rows r = {.s = s,
                     .run = done_runs(s, rows),
                     .n = rows,
                     .texts = all,
                     .n_axis = s->n_axes + (s->repeat > 1)};
    uint32_t k = 1;
    r.axis = NEW_N(ar, double *, r.n_axis + 1);
    r.num = NEW_N(ar, double *, s->n_fields + 1);
    r.text = NEW_N(ar, const char **, s->n_fields + 1);
    for (size_t i = 0; i < r.n_axis; i++) {
        r.axis[i] = NEW_N(to, double, rows + 1);
        set_column(
            out, k++,
            (struct field_value){.num = r.axis[i], .n = rows, .cols = 1});
    }
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct sweep_field *f = &s->field[i];
        if (f->text)
            r.text[i] = NEW_N(to, const char *, rows + 1);
        else
            r.num[i] = r.run ? NEW_N(to, double, rows * f->width + 1) : f->num;
        set_column(out, k++,
                   (struct field_value){.num = r.num[i],
                                        .texts = r.text[i],
                                        .n = rows,
                                        .cols = f->width});
    }
    if (failed)
        r.error = NEW_N(to, const char *, rows + 1);
    parts_run(s->threads, (rows + PART - 1) / PART, put_part, &r);
    int e = record_index(out, "error");
    out->v[e] = (struct field_value){0};
    if (failed) /* otherwise "none" says it better */
        out->v[e] = (struct field_value){.texts = r.error, .n = rows};
}

/* Columns: every number that a run did not give is NaN in them. */
void
sweep_fill_record(struct sweep *s, struct record *out, size_t rows,
                  size_t failed)
{
    const char *const *all = lasting(s);
    record_set_number(out, "points", (double)rows);
    record_set_number(out, "failed", (double)failed);
    if (s->summary)
        put_summary(s, out, all, failed);
    else
        put_rows(s, out, all, rows, failed);
}
