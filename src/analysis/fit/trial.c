/* SPDX-License-Identifier: MIT */
/* One value of what is minimised: of an expression, or of a run that is made
 * for it. A trial has a run (struct rt) of its own, which is restarted for
 * every value, and an arena for messages and records, which is emptied. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/fit/fit_priv.h"
#include "base/num.h"
#include "runtime/setup/new_run.h"

/* Lets what the question prints go nowhere. */
static int
nowhere(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return 0;
}

int
trial_open(struct trial *trial)
{
    assert(trial && trial->of && trial->value && trial->n > 0);
    struct analysis *of = trial->of;
    const imp_image *im = of->rt->im;
    struct arena *kept = record_arena(of);
    trial->scratch = arena_new();
    trial->params = arena_copy(kept, of->rt->env + im->layout.params,
                               (im->params.n + 1) * sizeof(double));
    trial->out = (struct output){.write = nowhere, .width = 80};
    diags_init(&trial->ds, trial->scratch, of->ds->sources);
    trial->analysis = (struct analysis){
        .out = &trial->out,
        .ds = &trial->ds,
        .recs =
            arena_copy(kept, of->recs, (im->commands.n + 1) * sizeof *of->recs),
        .commands = of->commands,
        .data = of->data,
        .gsl = of->gsl};
    trial->run =
        rt_new_tier(of->rt->model, of->rt->code, of->rt->tier, of->rt->given,
                    trial->params, of->ds, of->rt->stop);
    trial->analysis.rt = trial->run;
    return trial->run ? IMP_OK : IMP_FAILED;
}

void
trial_close(struct trial *trial)
{
    assert(trial);
    rt_free(trial->run);
    arena_free(trial->scratch);
    trial->run = NULL;
    trial->scratch = NULL;
}

/* Asks the question; its record becomes that of its command. */
static int
ask(struct trial *trial)
{
    const imp_image *im = trial->run->im;
    const imp_image *of = trial->of->rt->im; /* that of the question */
    const imp_command *all = IMP_ARRAY(of, of->commands, imp_command);
    struct record *record = record_new(trial->scratch, im, trial->question);
    record->arena = trial->scratch;
    if (trial->wanted)
        record_want(record, trial->wanted);
    int st = trial->analysis.commands[trial->question->id]->run(
        &trial->analysis, trial->question, record);
    record->present = st == IMP_OK;
    trial->analysis.recs[trial->question - all] = record;
    return st;
}

/* Notes why there is no value. */
static void
failed(struct trial *trial)
{
    trial->failed++;
    const char *why = "it is not finite";
    for (const struct diag *diag = trial->ds.first; diag; diag = diag->next)
        if (diag->severity == DIAG_ERROR)
            why = diag->message;
    trial->why =
        trial->why ? trial->why : arena_strdup(record_arena(trial->of), why);
}

/* The params that are tried, with their names. */
static const char *
tried(const struct trial *trial)
{
    const imp_image *im = trial->run->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param);
    struct arena *kept = record_arena(trial->of);
    const char *text = "";
    for (uint32_t k = 0; k < trial->n; k++) {
        char digits[NUM_TEXT];
        text =
            arena_printf(kept, "%s%s%s = %s", text, k ? ", " : "",
                         imp_text(im, param[trial->param[k]].name),
                         num_digits(digits, trial->params[trial->param[k]], 6));
    }
    return text;
}

/* Notes the warnings of a value; several of one code count once. */
static void
warned(struct trial *trial)
{
    for (const struct diag *diag = trial->ds.first; diag; diag = diag->next) {
        size_t k = 0;
        if (diag->severity != DIAG_WARNING)
            continue;
        while (k < trial->n_warnings && trial->warnings[k].code != diag->code)
            k++;
        struct trial_warning *warning = trial->warnings + k;
        if (k == TRIAL_WARNINGS ||
            (k < trial->n_warnings && warning->last == trial->asked))
            continue;
        if (k == trial->n_warnings) {
            trial->n_warnings++;
            *warning = (struct trial_warning){
                .code = diag->code,
                .range = diag->range,
                .message = arena_strdup(record_arena(trial->of), diag->message),
                .help = diag->help
                            ? arena_strdup(record_arena(trial->of), diag->help)
                            : NULL,
                .at = tried(trial)};
        }
        warning->n++;
        warning->last = trial->asked;
    }
}

void
trial_tell(const struct trial *trial, imp_range where)
{
    assert(trial && trial->n_warnings <= TRIAL_WARNINGS);
    struct diags *ds = trial->of->ds;
    for (size_t k = 0; k < trial->n_warnings; k++) {
        const struct trial_warning *warning = trial->warnings + k;
        struct diag *diag =
            diag_add(ds, warning->code, warning->range, "%s", warning->message);
        diag_note(ds, diag, where, "in %zu of the %s of this search, %s %s",
                  warning->n, trial->question ? "runs" : "values",
                  warning->n > 1 ? "first at" : "at", warning->at);
        if (warning->help)
            diag_help(ds, diag, "%s", warning->help);
    }
}

int
trial_ask(struct trial *trial, const double *x,
          int (*read)(void *ctx, struct analysis *analysis), void *ctx,
          bool *there)
{
    assert(trial && trial->run && x && read && there);
    *there = false;
    if (rt_stopped(trial->of->rt))
        return IMP_STOPPED;
    arena_clear(trial->scratch);
    diags_init(&trial->ds, trial->scratch, trial->of->ds->sources);
    for (uint32_t k = 0; k < trial->n; k++)
        trial->params[trial->param[k]] = x[k];
    trial->run->ds = &trial->ds;
    int st = rt_restart(trial->run, trial->params);
    if (!st && trial->question)
        st = ask(trial);
    if (!st)
        st = read(ctx, &trial->analysis);
    if (rt_stopped(trial->of->rt))
        return IMP_STOPPED;
    trial->asked++;
    *there = !st && !trial->ds.errors;
    if (*there)
        warned(trial);
    else
        failed(trial);
    return IMP_OK;
}

struct number {
    const imp_val *value;
    double x;
};

static int
read_number(void *ctx, struct analysis *analysis)
{
    struct number *number = ctx;
    int st = arg_numbers(analysis, number->value, &number->x);
    return !st && !isfinite(number->x) ? IMP_NONFINITE : st;
}

int
trial_value(struct trial *trial, const double *x, double *value)
{
    assert(trial && trial->run && x && value);
    struct number number = {trial->value, INFINITY};
    bool there;
    int st = trial_ask(trial, x, read_number, &number, &there);
    *value = there ? number.x : INFINITY;
    return st;
}

const char *
trial_of_a_run(const imp_image *im, const imp_val *question)
{
    assert(im);
    const imp_command *command = IMP_ARRAY(im, im->commands, imp_command);
    for (uint32_t i = 0; i < im->commands.n && !question; i++)
        if (imp_command_has(command[i].id, IMP_TRAIT_RECORDS_MOTION))
            return "; what a run tells is asked anew at each value by `run = "
                   "simulate { ... }` in the block";
    return "";
}

int
trial_bounds(struct analysis *analysis, const imp_val *item, double *lo,
             double *hi)
{
    assert(analysis && item && lo && hi);
    const imp_image *im = analysis->rt->im;
    const imp_param *param = IMP_ARRAY(im, im->params, imp_param) + item->ref;
    double stated[2] = {param->has_range ? param->lo : -INFINITY,
                        param->has_range ? param->hi : INFINITY};
    int st = IMP_OK;
    if (item->numbers.n == 2)
        memcpy(stated, IMP_ARRAY(im, item->numbers, double), sizeof stated);
    else if (item->rows == 2)
        st = arg_numbers(analysis, item, stated);
    if (st)
        return st;
    *lo = stated[0];
    *hi = stated[1];
    char low[NUM_TEXT], high[NUM_TEXT];
    num_shortest(low, *lo);
    num_shortest(high, *hi);
    const char *name = imp_text(im, param->name);
    if (!(*lo < *hi)) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0430, item->range,
                     "there is nothing between %s and %s", low, high);
        diag_help(analysis->ds, diag, "the lower bound stands first");
        return IMP_BADMODEL;
    }
    if (param->has_range && (*lo < param->lo || *hi > param->hi)) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0430, item->range,
                     "[%s, %s] is not within the range of the param `%s`", low,
                     high, name);
        diag_note(analysis->ds, diag, param->range, "the range is stated here");
        diag_help(analysis->ds, diag,
                  "max and min keep a bound within it, as in max(%s, a - 0.1)",
                  num_shortest(low, param->lo));
        return IMP_BADMODEL;
    }
    return IMP_OK;
}
