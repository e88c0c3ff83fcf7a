/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep over a number of the model: each of its rows is the run of the model
 * that states this number, and the row of a summary is made of these rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "commands.h"
#include "json.h"
#include "random.h"

enum { RUNS = 3, FIELDS = 3 };
static const char *const fields[FIELDS] = {"count", "energy_after", "time"};
static const double factors[RUNS] = {1, 0.9, 1.05};

/* Sums of numbers of a size are right to this share of it. */
static const double SUMS = 1e-13;

static double
cell(const struct json *record, const char *key, const char *ending, int row)
{
    char name[80];
    snprintf(name, sizeof name, "%s%s", key, ending);
    const struct json *value = json_get(record, name);
    if (value && value->kind == JSON_LIST)
        value = (size_t)row < value->count ? &value->item[row] : NULL;
    return value && value->kind == JSON_NUMBER ? value->number : NAN;
}

/* The place of the value of a param behind the words "param numberK = ". */
static char *
value_of(char *text, int number)
{
    char words[40];
    snprintf(words, sizeof words, "param number%d = ", number);
    char *at = strstr(text, words);
    return at ? at + strlen(words) : NULL;
}

static int
count_params(char *text)
{
    int count = 0;
    while (value_of(text, count))
        count++;
    return count;
}

/* The text of the model, its numbers as params, with another question. The
 * caller frees it. */
static char *
text_asking(const struct model *model, const char *ask)
{
    struct model *other = malloc(sizeof *other);
    *other = *model;
    other->ask = ask;
    other->as_params = true;
    char *text = model_text(other);
    free(other);
    return text;
}

/* Runs the model with that value of the param. */
static void
run_single(const struct runner *runner, char *text, int number, double value,
           struct result *result)
{
    char *changed = NULL, *at = value_of(text, number);
    size_t size = 0, rest = strcspn(at, "\n");
    FILE *out = open_memstream(&changed, &size);
    if (!out)
        abort();
    fprintf(out, "%.*s%.17g%s", (int)(at - text), text, value, at + rest);
    fclose(out);
    run_text(runner, changed, result);
    free(changed);
}

/* Row `row` of the sweep against the run alone. */
static void
compare_row(const struct json *sweep, int row, const struct result *single,
            struct finding *finding)
{
    const char *at = single->out;
    struct json *record = json_read(&at);
    /* what ends by a contradiction has its record, and its row */
    for (int i = 0; i < FIELDS; i++) {
        double swept = cell(sweep, fields[i], "", row);
        double own = cell(record, fields[i], "", 0);
        if (swept != own && !(isnan(swept) && (single->status || isnan(own))))
            finding_set(finding, "rows",
                        "%s is %.17g in row %d of the sweep, and %.17g alone "
                        "(status %d)",
                        fields[i], swept, row, own, single->status);
    }
    json_free(record);
}

/* The row of a summary against the rows that it sums up. */
static void
compare_summary(const struct json *sweep, const struct json *summary,
                struct finding *finding)
{
    for (int i = 0; i < FIELDS; i++) {
        double sum = 0, low = INFINITY, high = -INFINITY, square = 0;
        int count = 0;
        for (int row = 0; row < RUNS; row++) {
            double value = cell(sweep, fields[i], "", row);
            if (isnan(value))
                continue;
            count++;
            sum += value;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        for (int row = 0; row < RUNS; row++) {
            double off = cell(sweep, fields[i], "", row) - sum / count;
            square += isnan(off) ? 0 : off * off;
        }
        double size = fmax(fabs(low), fabs(high)),
               told[] = {cell(summary, fields[i], "", 0),
                         cell(summary, fields[i], "_min", 0),
                         cell(summary, fields[i], "_max", 0),
                         cell(summary, fields[i], "_deviation", 0)},
               own[] = {sum / count, low, high,
                        count > 1 ? sqrt(square / (count - 1)) : NAN};
        for (int k = 0; k < 4 && count; k++)
            if (!(fabs(told[k] - own[k]) <=
                  sqrt(SUMS) * (k == 3) * size + SUMS * size) &&
                !isnan(own[k]))
                finding_set(finding, "summary",
                            "number %d of %s is %.17g, that of the rows %.17g",
                            k, fields[i], told[k], own[k]);
    }
}

void
compare_sweep_rows(const struct runner *runner, const struct model *model,
                   uint64_t seed, struct finding *finding)
{
    char ask[900];
    struct random random = random_start(seed, 177);
    if (model->question != ASK_SIMULATE)
        return;
    snprintf(ask, sizeof ask, "simulate { until = %.17g }\n", model->until);
    char *single = text_asking(model, ask);
    int params = count_params(single);
    if (!params) {
        free(single);
        return;
    }
    int number = random_whole(&random, params);
    double value = strtod(value_of(single, number), NULL);
    snprintf(
        ask, sizeof ask,
        "let s = sweep {\n  over = (number%d in (%.17g, %.17g, %.17g))\n"
        "  run = simulate { until = %.17g }\n"
        "  record = (count, energy_after, time, t[-1])\n}\n"
        "let q = sweep {\n  over = (none in (0, 1))\n"
        "  within = (number%d in (%.17g, %.17g, %.17g))\n"
        "  run = simulate { until = %.17g }\n"
        "  record = (count, energy_after, time, t[-1])\n  summary = true\n}\n",
        number, factors[0] * value, factors[1] * value, factors[2] * value,
        model->until, number, factors[0] * value, factors[1] * value,
        factors[2] * value, model->until);
    char *swept = text_asking(model, ask);
    struct result all;
    struct runner patient = *runner;
    patient.seconds *= 3 * RUNS;
    run_text(&patient, swept, &all);
    const char *at = all.out;
    struct json *rows = json_read(&at), *summary = json_read(&at);
    if (all.status >= EXIT_SIGNAL)
        audit_end(model, &all, finding);
    for (int row = 0; row < RUNS && all.status < EXIT_SIGNAL; row++) {
        struct result one;
        run_single(runner, single, number, factors[row] * value, &one);
        /* what a sweep refuses the model refuses, too */
        if (all.status == 2 && one.status != 2 && row == 0)
            finding_set(finding, "refused", "%.500s", all.err);
        if (all.status != 2 && one.status < EXIT_SIGNAL)
            compare_row(rows, row, &one, finding);
        result_free(&one);
    }
    if (all.status < EXIT_SIGNAL && all.status != 2)
        compare_summary(rows, summary, finding);
    json_free(rows);
    json_free(summary);
    result_free(&all);
    free(single);
    free(swept);
}
