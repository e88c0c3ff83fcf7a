/* SPDX-License-Identifier: MIT */
/* The command `threshold S over x in [lo, hi]`: the value of a param at which
 * chatter stops bringing a system to rest, by the eigenvalues of its relabelled
 * maps and by runs, side by side (chatter.md 2.2, 2.6, 2.7). Runs go from
 * one start or from several; of several, the least favourable one decides. This
 * file has the options and the record; the search is threshold_search.c. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/threshold_priv.h"
#include "base/arena.h"
#include "base/num.h"

/* -- the record -------------------------------------------------------------
 */

static void
set_change(struct record *record, const char *value, const char *interval,
           const struct threshold_change *change, const char *none)
{
    if (!change) {
        record_set_absent(record, value, none);
        if (interval)
            record_set_absent(record, interval, none);
        return;
    }
    record_set_number(record, value, threshold_change_middle(change));
    if (interval)
        record_set_list(record, interval, ((double[]){change->lo, change->hi}),
                        2);
}

static void
set_all(struct threshold_search *search, struct record *record,
        const char *field, const struct threshold_changes *changes)
{
    struct analysis *analysis = search->ask.analysis;
    double *x = NEW_N(analysis->rt->arena, double, changes->n + 1);
    for (size_t i = 0; i < changes->n; i++)
        x[i] = threshold_change_middle(&changes->v[i]);
    record_set_list(record, field, x, changes->n);
}

static const char *
no_change(const struct threshold_changes *changes, const char *yes,
          const char *no, const char *neither)
{
    return changes->yes ? yes : changes->no ? no : neither;
}

static const char *
because(struct threshold_search *search)
{
    struct arena *arena = record_arena(search->ask.analysis);
    if (search->seen.no_symmetry)
        return arena_printf(
            arena, "%smasses and contacts have no symmetry: %s",
            search->seen.symmetric ? "not everywhere in the range: " : "",
            search->seen.no_symmetry);
    if (search->seen.polygon == 2)
        return "Theorem 2: rest is possible if rho <= (1 - sqrt(e))/(1 + "
               "sqrt(e)), that is, both eigenvalues are real and positive";
    if (search->seen.polygon)
        return arena_printf(
            arena,
            "Conjecture 1 (%d feet): rest is possible if the dominant "
            "eigenvalue is real and positive",
            search->seen.polygon);
    if (search->seen.symmetric)
        return "the dominant eigenvalue alone: Conjecture 1 is about feet of "
               "regular polygons";
    return "the model cannot be asked for in this range";
}

static bool
meet(const struct threshold_change *a, const struct threshold_change *b)
{
    return a->lo <= b->hi && b->lo <= a->hi;
}

static void
set_warnings(struct threshold_search *search,
             const struct threshold_changes *by_eigenvalue,
             const struct threshold_changes *by_simulation,
             const struct threshold_change *by_e,
             const struct threshold_change *by_s,
             const struct threshold_change *by_m, struct record *record)
{
    struct analysis *analysis = search->ask.analysis;
    const char *warning[7];
    size_t n_warnings = 0;
    char digits[NUM_TEXT];
    if (search->failure.why)
        warning[n_warnings++] = arena_printf(
            record_arena(analysis),
            "nothing is known at %s and maybe "
            "elsewhere: %s",
            num_digits(digits, search->failure.at, 6), search->failure.why);
    if (by_eigenvalue->n > 1)
        warning[n_warnings++] =
            "the eigenvalue changes several times: changes_by_eigenvalue";
    if (by_simulation->n > 1)
        warning[n_warnings++] =
            "the runs change several times: changes_by_simulation";
    if (by_e && !by_simulation->n && by_simulation->no &&
        !search->seen.accelerates && search->trial.starts == 1)
        warning[n_warnings++] =
            "the eigenvalue changes and the runs do not: two changes may "
            "lie within one step; a greater `grid` looks closer";
    if (search->seen.symmetric && search->seen.accelerates)
        warning[n_warnings++] =
            "by_eigenvalue is about motion without acceleration; the runs "
            "have one";
    bool plain = !(search->seen.symmetric && search->seen.accelerates);
    if (by_m && by_s && plain && meet(by_m, by_s))
        warning[n_warnings++] =
            "the runs come to rest in the order 0, 2, 1, 2, ...: "
            "by_simulation is mirrored_by_eigenvalue";
    else if (by_e && by_s && plain && !meet(by_e, by_s))
        warning[n_warnings++] =
            "by_eigenvalue lies outside of simulation_interval: the start "
            "of the runs decides, or rounding next to the threshold";
    record_set_texts(record, "warnings", warning, n_warnings);
}

static const char *
verdict_at(struct threshold_search *search, double x)
{
    switch (threshold_run_verdict(search, x, search->trial.worst)) {
    case CHATTER_COMPLETE:
        return "complete";
    case CHATTER_PARTIAL:
        return "partial";
    default:
        return "incomplete";
    }
}

static void
set_sides(struct threshold_search *search,
          const struct threshold_change *change, const char *none,
          struct record *record)
{
    if (!change) {
        record_set_absent(record, "below", none);
        record_set_absent(record, "above", none);
        return;
    }
    record_set_text(record, "below", verdict_at(search, change->lo));
    record_set_text(record, "above", verdict_at(search, change->hi));
}

/* Is for several starts: sets the least favourable one at `change`, and where
 * the last of them stops coming to rest. */
static void
set_starts(struct threshold_search *search,
           const struct threshold_change *change,
           const struct threshold_changes *best, const char *none,
           struct record *record)
{
    static const char *const one = "there is one start: `starts` takes more";
    record_set_number(record, "starts", (double)search->trial.starts);
    bool several = search->trial.starts > 1, some = several && change;
    const struct threshold_change *last =
        threshold_nearest_change(best, change);
    if (several && last)
        record_set_number(record, "by_simulation_best",
                          threshold_change_middle(last));
    else
        record_set_absent(record, "by_simulation_best", several ? none : one);
    /* asked on the side where not all runs come to rest */
    if (some &&
        threshold_side_by_simulation(search, change->below == SIDE_YES
                                                 ? change->hi
                                                 : change->lo) == SIDE_NO &&
        threshold_run_start(search, threshold_change_middle(change),
                            search->trial.worst)) {
        const double *q =
            search->trial.run->env + search->ask.system->env_state;
        record_set_number(record, "worst_start", (double)search->trial.worst);
        record_set_list(record, "worst_positions", q, search->ask.system->n);
        record_set_list(record, "worst_rates", q + search->ask.system->n,
                        search->ask.system->n);
    } else {
        record_set_absent(record, "worst_start", several ? none : one);
        record_set_absent(record, "worst_positions", several ? none : one);
        record_set_absent(record, "worst_rates", several ? none : one);
    }
}

static void
set_difference(struct record *record, const char *field,
               const struct threshold_change *e,
               const struct threshold_change *s)
{
    if (e && s)
        record_set_number(record, field,
                          threshold_change_middle(s) -
                              threshold_change_middle(e));
    else
        record_set_absent(record, field, "one of both is absent");
}

/* what the search found, by each criterion */
struct found {
    struct threshold_changes eigenvalue, simulation, mirrored;
    struct threshold_changes best; /* of several starts: any comes to rest */
    struct threshold_changes pair; /* two feet of three chatter alone */
    struct threshold_changes partial;
};

static void
find_all(struct threshold_search *search, struct found *found)
{
    *found = (struct found){0};
    found->eigenvalue =
        threshold_find_changes(search, threshold_side_by_eigenvalue, 0.0);
    found->simulation = threshold_find_changes(
        search, threshold_side_by_simulation, search->ask.width);
    found->pair =
        threshold_find_changes(search, threshold_side_pair_of_three, 0.0);
    found->mirrored =
        threshold_find_changes(search, threshold_side_mirrored, 0.0);
    if (search->trial.starts > 1)
        found->best = threshold_find_changes(search, threshold_side_any_rests,
                                             search->ask.width);
    if (found->simulation.yes || found->best.yes)
        found->partial = threshold_find_changes(search, threshold_side_partial,
                                                search->ask.width);
}

/* Returns why runs show no threshold, where they show none. */
static const char *
no_simulation(const struct threshold_search *search,
              const struct threshold_changes *changes)
{
    if (search->trial.starts > 1 && !changes->yes)
        return "nowhere in this range do the runs from all starts come to rest";
    return no_change(
        changes,
        search->failure.why ? "all runs that could be made come to rest"
        : search->seen.inconclusive
            ? "all runs that have a verdict come to rest"
            : "the runs come to rest in the whole range",
        search->failure.why ? "no run that could be made comes to rest"
                            : "no run comes to rest in this range",
        "no run has a verdict");
}

static const char *
no_eigenvalue(struct threshold_search *search,
              const struct threshold_changes *changes)
{
    if (search->seen.no_symmetry)
        return because(search);
    return no_change(
        changes,
        search->failure.why ? "it is real and positive where it is known"
                            : "it is real and positive in the whole range",
        "it is nowhere real and positive in this range", because(search));
}

static void
set_partial(const struct found *found, struct record *record)
{
    const struct threshold_changes *pair = &found->pair;
    const struct threshold_changes *partial = &found->partial;
    const struct threshold_change *eigen = pair->n ? &pair->v[0] : NULL;
    const struct threshold_change *run =
        threshold_nearest_change(partial, eigen);
    set_change(record, "partial_by_eigenvalue", NULL, eigen,
               no_change(pair, "two feet can chatter alone in the whole range",
                         "two feet can nowhere chatter alone in this range",
                         "only feet of a triangle push their neighbours down"));
    set_change(record, "partial_by_simulation", "partial_interval", run,
               no_change(partial, "all runs that come to rest are partial",
                         "no run is partial", "no run comes to rest"));
    set_difference(record, "partial_difference", eigen, run);
}

static void
set_counts(const struct threshold_search *search, struct record *record)
{
    if (search->seen.runs)
        record_set_text(record, "start",
                        search->seen.flat ? "nearly flat drop" : "given");
    else
        record_set_absent(record, "start", "no run was made");
    record_set_number(record, "step",
                      (search->ask.hi - search->ask.lo) /
                          (double)search->ask.grid);
    record_set_number(record, "runs", (double)search->seen.runs);
    record_set_number(record, "inconclusive",
                      (double)search->seen.inconclusive);
    record_set_number(record, "impacts", (double)search->seen.impacts);
}

static int
set_record(struct threshold_search *search, struct record *record)
{
    struct found found;
    find_all(search, &found);
    if (search->failure.status)
        return search->failure.status;
    const struct threshold_changes *eigenvalue = &found.eigenvalue;
    const struct threshold_changes *simulation = &found.simulation;
    const struct threshold_change *by_e =
        eigenvalue->n ? &eigenvalue->v[0] : NULL;
    const struct threshold_change *by_s =
        threshold_nearest_change(simulation, by_e);
    const struct threshold_change *by_m =
        threshold_nearest_change(&found.mirrored, by_e);
    const char *no_s = no_simulation(search, simulation);
    set_change(record, "by_eigenvalue", "eigenvalue_interval", by_e,
               no_eigenvalue(search, eigenvalue));
    set_change(record, "by_simulation", "simulation_interval", by_s, no_s);
    set_difference(record, "difference", by_e, by_s);
    set_starts(search, by_s, &found.best, no_s, record);
    set_sides(search, by_s, no_s, record);
    set_change(record, "mirrored_by_eigenvalue", NULL, by_m,
               no_change(&found.mirrored,
                         "they are real and positive in the whole range",
                         "they are nowhere real and positive in this range",
                         "the contacts are not those of three feet"));
    set_partial(&found, record);
    set_all(search, record, "changes_by_eigenvalue", eigenvalue);
    set_all(search, record, "changes_by_simulation", simulation);
    record_set_text(record, "because", because(search));
    set_counts(search, record);
    set_warnings(search, eigenvalue, simulation, by_e, by_s, by_m, record);
    return IMP_OK;
}

/* -- what is asked ----------------------------------------------------------
 */

static int
wrong_bounds(struct threshold_search *search, imp_range where,
             const imp_param *param)
{
    struct analysis *analysis = search->ask.analysis;
    char low_digits[NUM_TEXT], high_digits[NUM_TEXT];
    const char *name = imp_text(analysis->rt->im, param->name);
    struct diag *diag;
    if (param->structural)
        diag =
            diag_add(analysis->ds, DIAG_E0425, where,
                     "`%s` is structural: nothing lies between two values of "
                     "it",
                     name);
    else if (!(search->ask.lo < search->ask.hi))
        diag = diag_add(analysis->ds, DIAG_E0425, where,
                        "there is nothing between %s and %s",
                        num_shortest(low_digits, search->ask.lo),
                        num_shortest(high_digits, search->ask.hi));
    else
        diag =
            diag_add(analysis->ds, DIAG_E0425, where,
                     "this is not within the range [%s, %s] of the param `%s`",
                     num_shortest(low_digits, param->lo),
                     num_shortest(high_digits, param->hi), name);
    diag_note(analysis->ds, diag, param->range, "the param");
    return IMP_BADMODEL;
}

static int
bounds(struct threshold_search *search)
{
    struct analysis *analysis = search->ask.analysis;
    const imp_val *over =
        arg_option(analysis, search->ask.command, IMP_OPT_threshold_over);
    const imp_param *param =
        IMP_ARRAY(analysis->rt->im, analysis->rt->im->params, imp_param) +
        over->ref;
    double limits[2] = {param->lo, param->hi};
    search->ask.param = over->ref;
    if (over->items.n) {
        const imp_val *value = val_items(analysis, over);
        int st = IMP_OK;
        if (value->numbers.n)
            memcpy(limits, IMP_ARRAY(analysis->rt->im, value->numbers, double),
                   sizeof limits);
        else
            st = arg_numbers(analysis, value, limits);
        if (st)
            return st;
    }
    search->ask.lo = limits[0];
    search->ask.hi = limits[1];
    if (param->structural || !(limits[0] < limits[1]) ||
        !isfinite(limits[1] - limits[0]) ||
        (param->has_range && (limits[0] < param->lo || limits[1] > param->hi)))
        return wrong_bounds(search, over->range, param);
    if (!model_reads_param(analysis->rt->im, over->ref)) {
        struct diag *diag = diag_add(analysis->ds, DIAG_W0745, over->range,
                                     "nothing in the model depends on `%s`, so "
                                     "all its values give the same runs",
                                     imp_text(analysis->rt->im, param->name));
        diag_note(analysis->ds, diag, param->range, "the param");
        diag_help(analysis->ds, diag, "name a param that the system reads");
    }
    return IMP_OK;
}

static int
wrong_option(struct threshold_search *search, enum imp_option_id id,
             const char *what)
{
    const imp_val *value =
        arg_option(search->ask.analysis, search->ask.command, id);
    diag_add(search->ask.analysis->ds, DIAG_E0405,
             value ? value->range : search->ask.command->range, "%s", what);
    return IMP_BADMODEL;
}

static int
one_start(struct threshold_search *search)
{
    const imp_val *value = arg_option(search->ask.analysis, search->ask.command,
                                      IMP_OPT_threshold_starts);
    struct diag *diag = diag_add(
        search->ask.analysis->ds, DIAG_E0405,
        value ? value->range : search->ask.command->range,
        "`%s` has one start: nothing in it is drawn",
        imp_text(search->ask.analysis->rt->im, search->ask.system->name));
    diag_note(search->ask.analysis->ds, diag, search->ask.system->range,
              "the system");
    diag_help(search->ask.analysis->ds, diag,
              "draw something, start { h' = -1  phi' = random(-0.1, 0.1) }, or "
              "leave the start out: then nearly flat drops are drawn");
    return IMP_BADMODEL;
}

static int
options(struct threshold_search *search)
{
    struct analysis *analysis = search->ask.analysis;
    double tol, grid, most, starts;
    int st;
    if ((st = arg_number(analysis, search->ask.command,
                         IMP_OPT_threshold_tolerance, 1e-9, &tol)) ||
        (st = arg_number(analysis, search->ask.command, IMP_OPT_threshold_grid,
                         64.0, &grid)) ||
        (st = arg_number(analysis, search->ask.command,
                         IMP_OPT_threshold_events, 1e5, &most)) ||
        (st = arg_number(analysis, search->ask.command,
                         IMP_OPT_threshold_starts, 1.0, &starts)) ||
        (st = bounds(search)))
        return st;
    if (!(starts >= 1.0 && starts <= 1e6) || starts != floor(starts))
        return wrong_option(search, IMP_OPT_threshold_starts,
                            "`starts` is a whole number from 1 to 1e6");
    search->trial.starts = (long)starts;
    if (search->trial.starts > 1 && !analysis->rt->im->draws.n &&
        !flat_drop_needed(analysis, search->ask.system_id))
        return one_start(search);
    if (!(tol > 0.0 && tol < 1.0))
        return wrong_option(search, IMP_OPT_threshold_tolerance,
                            "`tolerance` is between 0 and 1");
    if (!(grid >= 1.0 && grid <= 1e6) || grid != floor(grid))
        return wrong_option(search, IMP_OPT_threshold_grid,
                            "`grid` is a whole number from 1 to 1e6");
    search->ask.policy = chatter_policy(analysis);
    search->ask.width = tol * (search->ask.hi - search->ask.lo);
    search->ask.grid = (size_t)grid;
    search->ask.events = (long)fmin(fmax(most, 1.0), 1e9);
    return IMP_OK;
}

static int
ask(struct threshold_search *search, struct record *record)
{
    const imp_image *im = search->ask.analysis->rt->im;
    const imp_val *arg =
        &arg_items(search->ask.analysis, search->ask.command)[0];
    search->ask.system_id = arg->ref;
    search->ask.system = rt_system(search->ask.analysis->rt, arg->ref);
    if (!(search->ask.system->flags & IMP_SYSTEMF_LINE))
        return chatter_not_linear(search->ask.analysis, search->ask.system,
                                  arg->range);
    int st = options(search);
    if (st)
        return st;
    search->trial.arena = arena_new();
    search->trial.params =
        arena_copy(search->ask.analysis->rt->arena,
                   search->ask.analysis->rt->env + im->layout.params,
                   (im->params.n + 1) * sizeof(double));
    return set_record(search, record);
}

static void
end(struct threshold_search *search)
{
    if (search->trial.run)
        rt_free(search->trial.run);
    arena_free(search->trial.arena);
}

static int
cmd_threshold(struct analysis *analysis, const imp_command *command,
              struct record *record)
{
    struct threshold_search *search =
        NEW(analysis->rt->arena, struct threshold_search);
    struct oom_guard guard;
    *search = (struct threshold_search){.ask.analysis = analysis,
                                        .ask.command = command};
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        end(search);
        oom_raise();
    }
    oom_enter(&guard);
    int st = ask(search, record);
    oom_leave(&guard);
    end(search);
    return st;
}

const struct command_functions command_threshold = {.run = cmd_threshold};
