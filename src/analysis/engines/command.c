/* SPDX-License-Identifier: MIT */
/* The command `simulate`: which engine follows the motion. With `engine = gsl`
 * both do; the second engine's run is the record, and says by how much the
 * first one's differs. With `engine = perturbed` the series engine does so
 * twice; the run of the start that is stated is the record, and says by how
 * much that of a start differs which is moved by rounding. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/engines/branches.h"
#include "analysis/engines/second.h"
#include "analysis/engines/steps.h"
#include "analysis/trace/run_log.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/friction/paradox.h"
#include "runtime/setup/new_run.h"

#define GSL_TOLERANCE 1e-13
#define GSL_TOLERANCE_LEAST 1e-15

enum engine {
#define ENGINE(ID, word, doc) ENGINE_##ID,
#include "abi/engines.def"
};

/* The checker has seen to it that the word is one of the table. */
static enum engine
option_engine(struct analysis *analysis, const imp_command *command)
{
    static const char *const words[] = {
#define ENGINE(ID, word, doc) #word,
#include "abi/engines.def"
    };
    const char *word = arg_text(analysis, command, IMP_OPT_simulate_engine,
                                words[ENGINE_SERIES]);
    size_t i = 0;
    while (strcmp(word, words[i])) {
        i++;
        assert(i < sizeof words / sizeof *words);
    }
    return (enum engine)i;
}

/* Helps with an option that belongs to another engine than this run's. */
static void
help_other_engine(struct analysis *analysis, const imp_command *command,
                  struct diag *diag, const char *engine)
{
    bool stated =
        arg_option(analysis, command, IMP_OPT_simulate_engine) != NULL;
    diag_help(analysis->ds, diag,
              stated
                  ? "leave it out, or write `engine = %s` in place of the other"
                  : "write `engine = %s` as well, or leave it out",
              engine);
}

static int
option_tolerance(struct analysis *analysis, const imp_command *command,
                 enum engine engine, double *tolerance)
{
    char text[NUM_TEXT], least[NUM_TEXT];
    const imp_val *value =
        arg_option(analysis, command, IMP_OPT_simulate_gsl_tolerance);
    int st = arg_number(analysis, command, IMP_OPT_simulate_gsl_tolerance,
                        GSL_TOLERANCE, tolerance);
    if (st || !value)
        return st;
    struct diag *diag = NULL;
    if (engine != ENGINE_GSL)
        diag = diag_add(analysis->ds, DIAG_E0749, value->range,
                        "`gsl_tolerance` belongs to `engine = gsl`, and this "
                        "run has another engine");
    else if (!(*tolerance >= GSL_TOLERANCE_LEAST && *tolerance <= 1e-3))
        diag = diag_add(analysis->ds, DIAG_E0749, value->range,
                        "`gsl_tolerance` is %s: it goes from %s, the rounding "
                        "of numbers, to 0.001",
                        num_shortest(text, *tolerance),
                        num_shortest(least, GSL_TOLERANCE_LEAST));
    if (!diag)
        return IMP_OK;
    if (engine == ENGINE_GSL)
        diag_help(analysis->ds, diag, "the default is 1e-13; leave it out");
    else
        help_other_engine(analysis, command, diag, "gsl");
    return IMP_BADMODEL;
}

/* The second engine bounces one by one. */
static int
refuse_capture(struct analysis *analysis, const imp_command *command)
{
    const imp_val *value =
        arg_option(analysis, command, IMP_OPT_simulate_capture);
    if (!value)
        return IMP_OK;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0749, value->range,
        "`capture` belongs to `engine = series`: the second engine follows "
        "each bounce");
    diag_help(analysis->ds, diag, "leave out `capture`, or `engine = gsl`");
    return IMP_BADMODEL;
}

static int
refuse_step(struct analysis *analysis, const imp_command *command)
{
    const imp_val *value = arg_option(analysis, command, IMP_OPT_simulate_step);
    if (!value)
        return IMP_OK;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0749, value->range,
                                 "`step` belongs to `engine = steps`, and this "
                                 "run has another engine");
    help_other_engine(analysis, command, diag, "steps");
    return IMP_BADMODEL;
}

static const struct gsl_api *
load(struct analysis *analysis, const imp_command *command)
{
    const char *why = "a simulator has no GSL";
    const struct gsl_api *api = analysis->gsl ? analysis->gsl(&why) : NULL;
    if (api)
        return api;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0751, command->range,
                                 "there is no `engine = gsl` here: %s", why);
    diag_help(analysis->ds, diag, "leave out `engine`%s",
              analysis->gsl ? ", or install libgsl and build Imp again"
                            : ", or run the model with `imp run`");
    return NULL;
}

/* The run of the series engine, whose messages go into *quiet. */
static int
run_series(struct simulation *sim, struct diags *quiet)
{
    struct analysis *analysis = sim->analysis;
    struct diags *ds = analysis->ds;
    analysis->ds = analysis->rt->ds = quiet;
    int st = simulation_by_series(sim);
    analysis->ds = analysis->rt->ds = ds;
    sim->reached = rt_time(sim->run);
    return st;
}

/* why the run `who` of the series engine came to an early end; NULL: it did
 * not */
static const char *
early_end(const struct simulation *sim, const char *who,
          const struct diags *quiet, int st)
{
    char t[NUM_TEXT];
    if (st == IMP_OK && !sim->stopped)
        return NULL;
    const struct diag *why = NULL;
    for (const struct diag *diag = quiet->first; diag; diag = diag->next)
        why = !why || diag->severity == DIAG_ERROR ? diag : why;
    num_digits(t, sim->reached, 9);
    return why ? arena_printf(sim->run->arena, "%s came to t = %s s, %s: %s",
                              who, t, diag_code_name(why->code), why->message)
               : arena_printf(sim->run->arena, "%s came to t = %s s", who, t);
}

/* A run of the series engine whose messages are not told, and then the one that
 * is the record: of the second engine where there is an api, else of the series
 * engine once more, and the other run began at a start moved by rounding. */
static int
run_both(struct simulation *other, struct simulation *own,
         const struct gsl_api *api, double tolerance, struct record *out)
{
    static const struct comparison_names engines = {"the series engine",
                                                    "the gsl engine", "engine"},
                                         starts = {
                                             "the run of the moved start",
                                             "the run of the stated start",
                                             "run"};
    const struct comparison_names *names = api ? &engines : &starts;
    struct rt *run = own->run;
    struct diags quiet;
    diags_init(&quiet, run->arena, run->ds->sources);
    quiet.arena = run->arena;
    other->rows.keeps_states = own->rows.keeps_states = true;
    int st = simulation_prepare(other);
    if (st)
        return st;
    /* what is compared must be listed; rows are left out all the same */
    other->options.keep = 1;
    if (!api)
        rt_perturb(run);
    int ended = run_series(other, &quiet);
    /* the motion that a page shows is that of the record */
    run_log_free(other->trace);
    other->trace = NULL;
    const char *why = early_end(other, names->other, &quiet, ended);
    if (ended == IMP_STOPPED)
        return simulation_put(own, out, ended);
    rt_reset(run);
    if ((st = simulation_prepare(own)))
        return st;
    own->rows.only = own->options.keep != 1;
    own->options.keep = 1;
    st = api ? second_run(own, api, tolerance) : simulation_by_series(own);
    own->reached = rt_time(run);
    st = simulation_put(own, out, st);
    if (st == IMP_OK || out->partial)
        comparison_put(other, own, names, why, out);
    return st;
}

/* Empty lists, which text leaves out: there is nothing to compare. */
static void
put_nothing(struct record *out)
{
    static const char *const texts[] = {"comparison", "difference_columns",
                                        "compared_contacts",
                                        "unmatched_events"};
    static const char *const lists[] = {
        "differences",       "difference_sizes",       "difference_times",
        "event_differences", "event_difference_times", "unmatched_times"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        SET_TEXTS(texts[i], NULL, 0);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        SET_LIST(lists[i], NULL, 0);
}

/* step: of `engine = steps` (s); 0: the run is that of the series engine. */
static int
run_one(struct simulation *series, double step, struct record *out)
{
    static const char *const words[] = {"limit_contacts", "limit_gaps",
                                        "warnings"};
    put_nothing(out);
    int st = simulation_prepare(series);
    if (step > 0.0)
        return st ? st
                  : simulation_put(series, out,
                                   simulation_shown(series, steps_run, step));
    if (!st && series->run->paradox == PARADOX_BRANCH)
        return simulate_branches(series, out);
    /* a sweep mostly keeps single numbers of its runs */
    series->taken.wordless =
        !record_wants_any(out, words, sizeof words / sizeof *words);
    return st ? st : simulation_put(series, out, simulation_by_series(series));
}

/* One run (own NULL) or two that are compared, with the number that the engine
 * has: a tolerance or a step; gives back what they hold, also where memory
 * ends.
 */
static int
guarded(struct simulation *const series, struct simulation *const own,
        const struct gsl_api *const api, double number, struct record *out)
{
    struct analysis *const analysis = series->analysis;
    struct diags *const ds = analysis->ds;
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        analysis->ds = analysis->rt->ds = ds;
        simulation_free(series);
        if (own)
            simulation_free(own);
        oom_raise();
    }
    oom_enter(&guard);
    int st = own ? run_both(series, own, api, number, out)
                 : run_one(series, number, out);
    oom_leave(&guard);
    simulation_free(series);
    if (own)
        simulation_free(own);
    return st;
}

/* E0750: the second engine asks all pairs, and runs are compared contact by
 * contact. */
static int
pairs_are_made(struct analysis *analysis, const imp_command *command,
               enum engine engine)
{
    bool gsl = engine == ENGINE_GSL;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0750, command->range,
        "%s, but contacts are made as bodies come near where the pairs of a "
        "block `contacts` are too many to keep",
        gsl ? "the second engine asks all pairs of bodies"
            : "two runs are compared contact by contact");
    diag_help(analysis->ds, diag,
              "leave out `engine = %s`, or use fewer bodies",
              gsl ? "gsl" : "perturbed");
    return IMP_FAILED;
}

/* Two runs are compared, and each is one motion from its start on. */
static int
refuse_others(struct analysis *analysis, const imp_command *command)
{
    const imp_val *value =
        arg_option(analysis, command, IMP_OPT_simulate_paradox);
    const char *what = NULL;
    double until = 0.0;
    if (!value ||
        strcmp(arg_text(analysis, command, IMP_OPT_simulate_paradox, ""),
               "branch"))
        value = NULL;
    if (value)
        what = "`paradox = branch` follows more than one motion";
    else if ((value = arg_option(analysis, command, IMP_OPT_simulate_until)) &&
             !arg_eval(analysis, value, &until) && until < 0.0)
        what = "a run back in time ends where a gap was closed last";
    if (!what)
        return IMP_OK;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0749, value->range,
        "%s, and `engine = perturbed` compares two runs of one motion", what);
    diag_help(analysis->ds, diag, "leave out `engine = perturbed`");
    return IMP_BADMODEL;
}

static int
cmd_simulate(struct analysis *analysis, const imp_command *command,
             struct record *out)
{
    enum engine engine = option_engine(analysis, command);
    double tolerance, step = 0.0;
    const struct gsl_api *api = NULL;
    int st = option_tolerance(analysis, command, engine, &tolerance);
    if (!st)
        st = engine == ENGINE_STEPS ? steps_options(analysis, command, &step)
                                    : refuse_step(analysis, command);
    if (st)
        return st;
    if (engine == ENGINE_GSL && (st = refuse_capture(analysis, command)))
        return st;
    if (engine == ENGINE_PERTURBED && (st = refuse_others(analysis, command)))
        return st;
    bool two = engine == ENGINE_GSL || engine == ENGINE_PERTURBED;
    if (two && analysis->rt->table)
        return pairs_are_made(analysis, command, engine);
    if (engine == ENGINE_GSL && !(api = load(analysis, command)))
        return IMP_FAILED;
    branches_put_none(out);
    return guarded(simulation_new(analysis, command),
                   two ? simulation_new(analysis, command) : NULL, api,
                   api ? tolerance : step, out);
}

const struct command_functions command_simulate = {.run = cmd_simulate};
