/* SPDX-License-Identifier: MIT */
/* The command `sweep`: one question at many values of params. This file reads
 * the options, makes the plan, and reports at the end; threads.c makes the
 * runs. With `save` and --out a journal stands beside the file until the file
 * is complete, and --resume continues from the journal. */
#include "analysis/command/lists.h"
#include "analysis/sweep/summary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/commands.h"
#include "abi/status.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/numerics/random.h"

/* -- the plan ---------------------------------------------------------------
 */

static int
check_axis(struct analysis *analysis, const struct sweep_axis *axis)
{
    const imp_image *im = analysis->rt->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param) + axis->param;
    const char *name = imp_text(im, param->name);
    char digits[NUM_TEXT], lo[NUM_TEXT], hi[NUM_TEXT];
    for (size_t i = 0; i < axis->n; i++) {
        if (!param->has_range ||
            (axis->values[i] >= param->lo && axis->values[i] <= param->hi))
            continue;
        struct diag *diag = diag_add(
            analysis->ds, DIAG_E0423, axis->range,
            "%s is outside the range [%s, %s] of the param `%s`",
            num_shortest(digits, axis->values[i]), num_shortest(lo, param->lo),
            num_shortest(hi, param->hi), name);
        diag_note(analysis->ds, diag, param->range, "the range is stated here");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* E0423: a list of an item lacks some of its values, or all of them. */
static int
list_is_full(struct analysis *analysis, const imp_val *item,
             const double *values, size_t n)
{
    size_t i = 0;
    while (i < n && isfinite(values[i]))
        i++;
    if (i == n && n)
        return IMP_OK;
    if (!n) {
        diag_add(analysis->ds, DIAG_E0423, item->range,
                 "there are no values in this list, so nothing would be run");
        return IMP_BADMODEL;
    }
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0423, item->range,
                 "entry %zu of these values for `%s` is no finite number", i,
                 imp_text(analysis->rt->im, item->name));
    diag_help(analysis->ds, diag,
              "select those that have one: a[present(a)] instead of a");
    return IMP_BADMODEL;
}

/* The numbers of an item of an option, which are known or calculated, and how
 * many they are. */
static int
item_numbers(struct analysis *analysis, const imp_val *item, const double **out,
             size_t *n)
{
    struct list_values list = {.n = item->rows};
    bool column = item->kind == IMP_VAL_COLUMN;
    int st = column ? column_values_of(analysis, item, &list) : IMP_OK;
    if (st)
        return st;
    double *values = NEW_N(analysis->rt->arena, double, list.n + 1);
    *out = values;
    *n = list.n;
    if (column) {
        for (size_t i = 0; i < list.n; i++)
            values[i] = list.x[i * list.width];
        return list_is_full(analysis, item, values, list.n);
    }
    if (!item->numbers.n)
        return arg_numbers(analysis, item, values);
    memcpy(values, IMP_ARRAY(analysis->rt->im, item->numbers, double),
           item->numbers.n * sizeof *values);
    return IMP_OK;
}

/* E0423: more runs than a sweep makes, where the length of a list says so. */
static int
too_many_runs(struct sweep *sweep, imp_range range)
{
    if ((double)sweep->grid.total <= IMP_SWEEP_MOST)
        return IMP_OK;
    struct diag *diag = diag_add(sweep->analysis->ds, DIAG_E0423, range,
                                 "this sweep has %g runs; at most 1e8 are made",
                                 (double)sweep->grid.total);
    diag_help(sweep->analysis->ds, diag,
              "take fewer values, or several sweeps");
    return IMP_BADMODEL;
}

static int
plan_axes(struct sweep *sweep, const imp_val *value, uint32_t option)
{
    bool random = option == IMP_OPT_sweep_random,
         within = option == IMP_OPT_sweep_within;
    struct analysis *analysis = sweep->analysis;
    const imp_val *item = value ? val_items(analysis, value) : NULL;
    for (uint32_t which = 0; value && which < value->items.n; which++) {
        struct sweep_axis *axis = &sweep->grid.axis[sweep->grid.n_axes++];
        *axis = (struct sweep_axis){.param = item[which].field,
                                    .random = random,
                                    .within = within,
                                    .range = item[which].range};
        int st = item_numbers(analysis, &item[which], &axis->values, &axis->n);
        if (st || (st = check_axis(analysis, axis)))
            return st;
        if (!random)
            sweep->grid.total *= axis->n;
        if ((st = too_many_runs(sweep, item[which].range)))
            return st;
        if (within)
            sweep->grid.per_row *= axis->n;
    }
    return IMP_OK;
}

/* Warns of a param that nothing depends on, because all its values give the
 * same runs. Models that are not made yet are not examined. */
static void
tell_idle(struct sweep *sweep)
{
    const imp_image *im = sweep->analysis->rt->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    for (size_t k = 0; k < sweep->grid.n_axes && sweep->models.n == 1; k++) {
        const struct sweep_axis *axis = &sweep->grid.axis[k];
        if (axis->structural || model_reads_param(im, axis->param))
            continue;
        const char *name = imp_text(im, param[axis->param].name);
        struct diag *diag =
            diag_add(sweep->analysis->ds, DIAG_W0745, axis->range,
                     im->draws.n ? "nothing in the model depends on `%s`: runs "
                                   "of its values differ by what they draw "
                                   "alone"
                                 : "nothing in the model depends on `%s`, so "
                                   "all its values give the same runs",
                     name);
        diag_note(sweep->analysis->ds, diag, param[axis->param].range,
                  "the param");
        diag_help(sweep->analysis->ds, diag,
                  im->draws.n
                      ? "use it in a body, a system or the question; runs "
                        "that differ by what they draw are repeat = 2"
                      : "use it in a body, a system or the question, or "
                        "sweep another one");
    }
}

static void
plan_fields(struct sweep *sweep, const imp_val *kept)
{
    struct analysis *analysis = sweep->analysis;
    const imp_val *item = val_items(analysis, kept);
    const imp_field *field =
        IMP_ARRAY(analysis->rt->im, sweep->question->fields, imp_field);
    /* rows of runs that are summed up are elsewhere (threads.c) */
    size_t total = sweep->summary ? 1 : (size_t)sweep->grid.total;
    sweep->rows.texts = &sweep->texts;
    sweep->rows.n_fields = kept->items.n;
    sweep->rows.field = NEW_N(analysis->rt->arena, struct sweep_field,
                              sweep->rows.n_fields + 1);
    sweep->rows.wanted =
        NEW_N(analysis->rt->arena, bool, sweep->question->fields.n + 1);
    for (size_t k = 0; k < sweep->rows.n_fields; k++) {
        struct sweep_field *kept_field = &sweep->rows.field[k];
        const imp_field *schema = &field[item[k].field];
        *kept_field = (struct sweep_field){.width = 1};
        if (item[k].kind != IMP_VAL_FIELD) {
            kept_field->calculated = sweep->rows.calculates = true;
            kept_field->width = item[k].rows;
            value_wants(analysis->rt->im, sweep->question, &item[k],
                        sweep->rows.wanted);
        } else {
            kept_field->field = item[k].field;
            /* one entry of a list of texts */
            kept_field->calculated = schema->kind == IMP_FIELD_TEXTS;
            sweep->rows.calculates |= kept_field->calculated;
            sweep->rows.wanted[kept_field->field] = true;
            if (schema->kind == IMP_FIELD_VEC || schema->kind == IMP_FIELD_SPIN)
                kept_field->width = schema->width;
            if (schema->kind == IMP_FIELD_TEXT || kept_field->calculated)
                kept_field->text = NEW_N(analysis->rt->arena, uint32_t, total);
        }
        sweep->rows.n_texts += kept_field->text != NULL;
        sweep->rows.n_numbers += kept_field->text ? 0 : kept_field->width;
        if (!kept_field->text) /* the record of a complete sweep points to these
                                * numbers */
            kept_field->numbers = NEW_N(record_arena(analysis), double,
                                        total * kept_field->width);
    }
}

/* Reads the edges of histograms of what is `kept`. */
static int
plan_bins(struct sweep *sweep, const imp_val *kept)
{
    struct analysis *analysis = sweep->analysis;
    struct sweep_summary *summary = sweep->summary;
    const imp_image *im = analysis->rt->im;
    const imp_val *option =
        arg_option(analysis, sweep->command, IMP_OPT_sweep_histograms);
    const imp_val *item = option ? val_items(analysis, option) : NULL,
                  *of = val_items(analysis, kept);
    uint32_t n = option ? option->items.n : 0;
    summary->bins = NEW_N(analysis->rt->arena, struct summary_bins, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        struct summary_bins *bins = &summary->bins[summary->n_bins++];
        const double *edge;
        size_t edges;
        int st = item_numbers(analysis, &item[i], &edge, &edges);
        if (st)
            return st;
        *bins = (struct summary_bins){.n = edges - 1, .edge = edge};
        for (uint32_t k = 0; k < kept->items.n; k++)
            if (!strcmp(imp_text(im, of[k].name), imp_text(im, item[i].name)))
                bins->field = k;
        for (size_t k = 0; k < bins->n; k++)
            if (!(edge[k + 1] > edge[k])) {
                struct diag *diag = diag_add(
                    analysis->ds, DIAG_E0763, item[i].range,
                    "the edges of the bins do not rise: edge %zu is not above "
                    "the one before it",
                    k + 1);
                diag_help(analysis->ds, diag,
                          "as in histograms = (%s in linspace(0, 1, 11))",
                          imp_text(im, item[i].name));
                return IMP_FAILED;
            }
    }
    return IMP_OK;
}

/* Reads the options of a summary. */
static int
plan_summary(struct sweep *sweep, const imp_val *kept)
{
    struct analysis *analysis = sweep->analysis;
    struct sweep_summary *summary = sweep->summary;
    const imp_val *item = val_items(analysis, kept),
                  *shares = arg_option(analysis, sweep->command,
                                       IMP_OPT_sweep_quantiles);
    const char *worst =
        arg_text(analysis, sweep->command, IMP_OPT_sweep_worst, NULL);
    summary->worst_field = SIZE_MAX;
    for (uint32_t k = 0; worst && k < kept->items.n; k++)
        if (!strcmp(imp_text(analysis->rt->im, item[k].name), worst))
            summary->worst_field = k;
    if (shares) {
        double *share = NEW_N(analysis->rt->arena, double, shares->rows + 1);
        int st = arg_numbers(analysis, shares, share);
        if (st)
            return st;
        summary->share = share;
        summary->n_shares = shares->rows;
    }
    int st = plan_bins(sweep, kept);
    return st ? st : sweep_summary_plan(sweep);
}

static int
plan(struct sweep *sweep)
{
    struct analysis *analysis = sweep->analysis;
    const imp_image *im = analysis->rt->im;
    const imp_opt *option = IMP_ARRAY(im, sweep->command->opts, imp_opt);
    const imp_val *kept =
        arg_option(analysis, sweep->command, IMP_OPT_sweep_record);
    const imp_val *run =
        arg_option(analysis, sweep->command, IMP_OPT_sweep_run);
    double repeat;
    int st =
        arg_number(analysis, sweep->command, IMP_OPT_sweep_repeat, 1, &repeat);
    size_t n = 0;
    for (uint32_t k = 0; k < sweep->command->opts.n; k++)
        n += option[k].val.items.n;
    sweep->grid.axis = NEW_N(analysis->rt->arena, struct sweep_axis, n + 1);
    sweep->grid.total = sweep->grid.repeat = sweep->grid.per_row =
        (uint64_t)repeat;
    /* in the order of the options, as the checker made the columns; those
     * within a row of a summary are the fastest */
    for (uint32_t k = 0; k < 2 * sweep->command->opts.n && !st; k++) {
        const imp_opt *one = &option[k % sweep->command->opts.n];
        bool within = one->id == IMP_OPT_sweep_within;
        if (within == (k >= sweep->command->opts.n) &&
            (within || one->id == IMP_OPT_sweep_over ||
             one->id == IMP_OPT_sweep_random))
            st = plan_axes(sweep, &one->val, one->id);
    }
    if (st)
        return st;
    double summary;
    if ((st = arg_number(analysis, sweep->command, IMP_OPT_sweep_summary, 0,
                         &summary)))
        return st;
    if (summary > 0)
        sweep->summary = NEW(analysis->rt->arena, struct sweep_summary);
    sweep->question = IMP_ARRAY(im, im->commands, imp_command) + run->ref;
    sweep->grid.seed = analysis->rt->world.seed;
    sweep->models.params = analysis->rt->env + im->layout.params;
    sweep->save = arg_text(analysis, sweep->command, IMP_OPT_sweep_save, NULL);
    if ((st = sweep_models_plan(sweep)))
        return st;
    tell_idle(sweep);

    plan_fields(sweep, kept);
    if (sweep->summary)
        return plan_summary(sweep, kept);
    sweep->rows.error =
        NEW_N(analysis->rt->arena, uint32_t, (size_t)sweep->grid.total);
    sweep->rows.state =
        NEW_N(analysis->rt->arena, unsigned char, (size_t)sweep->grid.total);
    return IMP_OK;
}

/* -- the journal ------------------------------------------------------------
 */

static int
begin_journal(struct sweep *sweep)
{
    struct analysis *analysis = sweep->analysis;
    bool resume = analysis->sweeps.resume;
    if (!sweep->save || !analysis->out->dir)
        return IMP_OK;
    uint64_t key = sweep_key(sweep);
    enum journal_state was = journal_look(analysis->out, sweep->save, key);
    if (was == JOURNAL_SAME && !resume) {
        struct diag *diag = diag_add(
            analysis->ds, DIAG_E0740, sweep->command->range,
            "an earlier run of this sweep was ended before its time; what it "
            "had done is in \"%s.part\"",
            sweep->save);
        diag_help(analysis->ds, diag,
                  "--resume goes on with it; remove the file to begin anew");
        return IMP_FAILED;
    }
    if (was == JOURNAL_OTHER) {
        struct diag *diag = diag_add(
            analysis->ds, resume ? DIAG_E0741 : DIAG_W0741,
            sweep->command->range,
            "\"%s.part\" is of another sweep: the model, its data, a param or "
            "the seed has changed since",
            sweep->save);
        if (resume) {
            diag_help(analysis->ds, diag,
                      "run it with the model, the params (--set) and the seed "
                      "of before; without --resume the sweep begins anew, and "
                      "what \"%s.part\" holds is lost",
                      sweep->save);
            return IMP_FAILED;
        }
        diag_note(analysis->ds, diag, IMP_NOWHERE, "the sweep begins anew");
    }
    return journal_open(analysis->out, analysis->ds, sweep->command->range,
                        sweep->save, key, resume, sweep_unpack, sweep,
                        &sweep->journal);
}

/* -- what was found ---------------------------------------------------------
 */

/* Returns "rho = 0.1, gamma = 0.2". */
static const char *
run_name(const struct sweep *sweep, uint64_t run)
{
    assert(run < sweep->grid.total);
    const imp_image *im = sweep->analysis->rt->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    struct buf buf = {0};
    char digits[NUM_TEXT];
    for (size_t k = 0; k < sweep->grid.n_axes; k++)
        buf_printf(
            &buf, "%s%s = %s", k ? ", " : "",
            imp_text(im, param[sweep->grid.axis[k].param].name),
            num_digits(digits, sweep_grid_value(&sweep->grid, k, run), 6));
    if (sweep->grid.repeat > 1)
        buf_printf(&buf, "%srepeat = %llu", sweep->grid.n_axes ? ", " : "",
                   (unsigned long long)(run % sweep->grid.repeat));
    const char *t = arena_strdup(sweep->analysis->rt->arena, buf_str(&buf));
    buf_free(&buf);
    return t;
}

static void
tell_warnings(struct sweep *sweep, const struct sweep_warnings *warnings)
{
    struct diags *ds = sweep->analysis->ds;
    for (size_t k = 0; k < warnings->n; k++) {
        const struct sweep_warning *warning = &warnings->v[k];
        struct diag *diag =
            diag_add(ds, warning->code, warning->range, "%s", warning->message);
        diag_note(ds, diag, sweep->command->range,
                  "%s %llu of the runs of this sweep%s %s",
                  warning->n == 1 ? "in" : "warnings like this one:",
                  (unsigned long long)warning->n,
                  warning->n == 1 ? ":" : "; this one at",
                  run_name(sweep, warning->run));
        if (warning->help)
            diag_help(ds, diag, "%s", warning->help);
    }
}

static int
tell_failures(struct sweep *sweep, size_t rows, size_t failed)
{
    struct diags *ds = sweep->analysis->ds;
    uint64_t run = sweep->summary ? sweep->summary->failed_run : 0;
    if (!failed)
        return IMP_OK;
    while (!sweep->summary &&
           (sweep->rows.state[run] != SWEEP_DONE || !sweep->rows.error[run]))
        run++;
    uint32_t why =
        sweep->summary ? sweep->summary->failed_text : sweep->rows.error[run];
    bool all = failed == rows;
    struct diag *diag =
        all ? diag_add(ds, DIAG_E0742, sweep->command->range,
                       "every run of this sweep failed")
            : diag_add(ds, DIAG_W0740, sweep->command->range,
                       "%zu of %zu runs of this sweep failed", failed, rows);
    diag_note(ds, diag, IMP_NOWHERE, "at %s: %s", run_name(sweep, run),
              sweep->texts.text[why]);
    diag_help(ds, diag,
              all ? "ask the question once, outside of the sweep, for the "
                    "whole message"
                  : "the column `error` has the reason of each");
    return all ? IMP_FAILED : IMP_OK;
}

static int
save(struct sweep *sweep, const struct record *out)
{
    struct analysis *analysis = sweep->analysis;
    const imp_image *im = analysis->rt->im;
    size_t n_columns = 0;
    for (size_t i = 0; i < out->n; i++)
        n_columns += out->schema[i].width > 1 ? out->schema[i].width : 1;
    struct out_column *columns =
        NEW_N(analysis->rt->arena, struct out_column, n_columns + 1);
    n_columns = 0;
    for (uint32_t k = 1; k <= out->n + 1; k++) {
        bool last = k == out->n + 1; /* the column of reasons comes last */
        for (size_t i = 0; i < out->n; i++) {
            const imp_field *field = &out->schema[i];
            if (last ? strcmp(imp_text(im, field->name), "error") ||
                           field->column
                     : field->column != k)
                continue;
            n_columns +=
                columns_of_field(analysis, out, i, columns + n_columns);
        }
    }
    size_t axes = 0;
    uint64_t *shape =
        NEW_N(analysis->rt->arena, uint64_t, sweep->grid.n_axes + 1);
    bool repeats = sweep->grid.repeat > 1 && !sweep->summary;
    struct out_grid grid = {.n_varying = sweep->grid.n_axes + repeats,
                            .shape = shape,
                            .threads = sweep->threads};
    if (sweep->summary)
        for (size_t k = 0; k < sweep->grid.n_axes; k++)
            grid.n_varying -=
                sweep->grid.axis[k].random || sweep->grid.axis[k].within;
    for (size_t k = 0; k < sweep->grid.n_axes && axes < grid.n_varying &&
                       !sweep->grid.axis[k].random;
         k++)
        shape[axes++] = sweep->grid.axis[k].n;
    if (repeats && axes == sweep->grid.n_axes)
        shape[axes++] = sweep->grid.repeat;
    if (axes == grid.n_varying)
        grid.n_axes = axes;
    return out_save_grid(analysis->out, analysis->ds, sweep->command->range,
                         sweep->save, columns, n_columns, &grid);
}

/* Says, after Ctrl-C or when the disk is full, what was done and how to
 * continue. */
static void
tell_rest(struct sweep *sweep, int st, size_t rows)
{
    struct analysis *analysis = sweep->analysis;
    int e = atomic_load(&sweep->shared.error_io);
    if (e) {
        char *part = arena_printf(analysis->rt->arena, "%s.part", sweep->save);
        out_cannot_write(analysis->ds, sweep->command->range, part, e);
    }
    if (sweep->journal.fd < 0 || st == IMP_OK)
        return;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_W0742, sweep->command->range,
                 "%zu of %llu runs are done and kept in "
                 "\"%s.part\"",
                 rows, (unsigned long long)sweep->grid.total, sweep->save);
    diag_help(analysis->ds, diag, "--resume goes on with them");
}

static int
run_sweep(struct sweep *sweep, struct record *record)
{
    struct analysis *analysis = sweep->analysis;
    struct sweep_warnings warnings = {0};
    int st = plan(sweep);
    if (!st && sweep->save)
        st = out_save_name(analysis->out, analysis->ds, sweep->command->range,
                           sweep->save);
    if (st)
        return st;
    sweep_texts_init(&sweep->texts);
    if ((st = begin_journal(sweep)))
        return st;
    sweep_models_count(sweep);
    st = sweep_run_all(sweep, &warnings);
    size_t rows = 0, failed = (size_t)atomic_load(&sweep->shared.failed);
    if (sweep->summary)
        rows = (size_t)sweep_summary_close(sweep, &failed);
    for (uint64_t i = 0; i < sweep->grid.total && !sweep->summary; i++)
        rows += sweep->rows.state[i] == SWEEP_DONE;
    sweep_fill_record(sweep, record, rows, failed);
    tell_warnings(sweep, &warnings);
    int bad = tell_failures(sweep, rows, failed);
    if (!st && sweep->save)
        st = save(sweep, record);
    tell_rest(sweep, st, rows);
    journal_close(&sweep->journal, st == IMP_OK);
    return st ? st : bad;
}

static int
cmd_sweep(struct analysis *analysis, const imp_command *command,
          struct record *record)
{
    struct sweep *sweep = NEW(analysis->rt->arena, struct sweep);
    struct oom_guard guard;
    *sweep = (struct sweep){
        .analysis = analysis, .command = command, .journal = {.fd = -1}};
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        journal_close(&sweep->journal, false);
        sweep_summary_free(sweep);
        sweep_texts_free(&sweep->texts);
        sweep_models_free(sweep);
        oom_raise();
    }
    oom_enter(&guard);
    int st = run_sweep(sweep, record);
    oom_leave(&guard);
    journal_close(&sweep->journal, false);
    sweep_summary_free(sweep);
    sweep_texts_free(&sweep->texts);
    sweep_models_free(sweep);
    return st;
}

const struct command_functions command_sweep = {.run = cmd_sweep};
