/* SPDX-License-Identifier: MIT */
/* One simulation: its options, its record, and runs that an error ends.
 * event_loop.c has the run itself; the command stands in analysis/engines. Rows
 * are recorded at the times that the model asks for and at events. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/along/along.h"
#include "analysis/command/limit_text.h"
#include "analysis/command/lists.h"
#include "analysis/command/progress.h"
#include "analysis/simulate/simulate_priv.h"
#include "analysis/trace/run_file.h"
#include "analysis/trace/run_log.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/features/rounded_corner.h"
#include "runtime/flow/flow.h"
#include "runtime/friction/paradox.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/instance/contact_table.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

/* The longest run: times beside it, as far as a search looks ahead, are
 * numbers, too. */
#define SIMULATE_LONGEST 1e300

static int
option_until(struct simulation *sim)
{
    int st = arg_number(sim->analysis, sim->command, IMP_OPT_simulate_until,
                        NAN, &sim->options.until);
    if (st)
        return st;
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_until);
    char text[NUM_TEXT];
    if (!value) {
        struct diag *diag =
            diag_add(sim->analysis->ds, DIAG_E0705, sim->command->range,
                     "`simulate` needs the end of the run");
        diag_help(sim->analysis->ds, diag,
                  "write `simulate { until = 1 [s] ... }`");
        return IMP_BADMODEL;
    }
    if (fabs(sim->options.until) <= SIMULATE_LONGEST)
        return IMP_OK;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0705, value->range,
        "`until` is %s s: it must be a number, and no longer than 1e300 s",
        num_shortest(text, sim->options.until));
    diag_help(sim->analysis->ds, diag, "write an earlier end of the run");
    return IMP_BADMODEL;
}

static int
option_policy(struct simulation *sim)
{
    static const char *const words[] = {"through", "stop", "enforce"};
    static const enum imp_policy policy[] = {
        IMP_POLICY_THROUGH, IMP_POLICY_STOP, IMP_POLICY_ENFORCE};
    const imp_image *im = sim->run->im;
    sim->options.has_policy = im->has_policy;
    sim->options.policy = (enum imp_policy)im->policy;
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_policy);
    if (!value)
        return IMP_OK;
    const char *w = imp_text(im, value->text);
    for (int i = 0; i < 3; i++)
        if (!strcmp(w, words[i])) {
            sim->options.has_policy = true;
            sim->options.policy = policy[i];
            return IMP_OK;
        }
    const char *near = suggest(w, words, 3);
    struct diag *diag = diag_add(sim->analysis->ds, DIAG_E0705, value->range,
                                 "`%s` is no policy", w);
    if (near)
        diag_help(sim->analysis->ds, diag, "did you mean `%s`?", near);
    else
        diag_help(sim->analysis->ds, diag,
                  "policies are through, stop and enforce");
    return IMP_BADMODEL;
}

/* The most events, unless the model says so. */
static double
most_events(const struct rt *run)
{
    return fmax(1e5, 1e4 * run->im->bodies.n);
}

static int
option_keep(struct simulation *sim)
{
    double keep;
    int st = arg_number(sim->analysis, sim->command, IMP_OPT_simulate_keep, 1.0,
                        &keep);
    sim->options.keep = st ? 1 : (size_t)keep;
    return st;
}

static void
option_search(struct simulation *sim)
{
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_search);
    sim->options.all =
        value && !strcmp(imp_text(sim->run->im, value->text), "all");
}

static void
option_through(struct simulation *sim)
{
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_through);
    if (!value)
        return;
    uint32_t n = value->kind == IMP_VAL_LIST ? value->items.n : 1;
    const imp_val *item =
        value->kind == IMP_VAL_LIST ? val_items(sim->analysis, value) : value;
    for (uint32_t i = 0; i < n; i++)
        if (item[i].kind == IMP_VAL_CONTACT)
            sim->contacts[item[i].ref].through = true;
}

static void
remark(void *ctx, const char *text)
{
    simulate_remark(ctx, text);
}

/* Tells once how exactly the impacts of systems keep the laws, where that is
 * less than it should be. */
static void
tell_audit(struct simulation *sim)
{
    struct rt *run = sim->run;
    double most = 0.0;
    uint32_t where = 0, contact;
    char share[NUM_TEXT];
    for (uint32_t i = 0; i < run->im->systems.n && sim->flows; i++) {
        double error = flow_audit_worst(sim->flows[i], &contact);
        if (error > most) {
            most = error;
            where = contact;
        }
    }
    if (most == 0.0)
        return;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_W0749, rt_contact(run, where)->range,
                 "impacts of `%s` keep momentum, energy and restitution to %s "
                 "of their terms, and to no more digits",
                 simulate_contact_name(sim, where), num_digits(share, most, 2));
    diag_help(sim->analysis->ds, diag,
              "masses that are many powers of ten apart cost digits: leave "
              "out what is too light to matter");
}

/* Makes one remark of those that say the same of several times, and leaves out
 * those of times beyond so many. */
#define REMARKS_TOLD 100
static void
join_remarks(struct simulation *sim)
{
    struct texts *all = &sim->log.remarks;
    size_t told = 0, left = 0;
    all->n = remarks_join(all->v, all->n, record_arena(sim->analysis));
    for (size_t i = 0; i < all->n; i++) {
        bool timed = !strncmp(all->v[i], "t = ", 4);
        if (timed && told == REMARKS_TOLD) {
            sim->log.left_out++;
            continue;
        }
        told += timed;
        all->v[left++] = all->v[i];
    }
    all->n = left;
    if (sim->log.left_out)
        simulate_remark(sim,
                        arena_printf(sim->run->brief,
                                     "%zu more remarks on impacts are left out",
                                     sim->log.left_out));
}

/* The energy, if it is finite; what is wrong with it is not told. */
static bool
energy_now(struct simulation *sim, double *out)
{
    struct rt *run = sim->analysis->rt;
    struct motion_totals totals;
    struct diags quiet, *ds = run->ds;
    diags_init(&quiet, run->arena, ds->sources);
    run->ds = &quiet;
    bool known = !motion_totals(run, &totals);
    run->ds = ds;
    if (known)
        *out = totals.kinetic + totals.potential + simulate_stored(sim);
    return known;
}

static void
fill(struct simulation *sim, struct record *out, int st)
{
    struct analysis *analysis = sim->analysis;
    static const char *const summary = "summary";
    double energy;
    SET_TEXT("status", st == IMP_STOPPED || sim->stopped ? "stopped"
                       : st                              ? "failed"
                                                         : "done");
    SET_NUM("time", rt_told_time(rt_time(analysis->rt)));
    if (record_wants_any(out, &summary, 1))
        simulate_put_summary(sim, out);
    SET_NUM("count", (double)sim->log.total);
    SET_LIST("event_times", sim->log.time.v, sim->log.time.n);
    SET_TEXTS("event_kinds", sim->log.kind.v, sim->log.kind.n);
    SET_TEXTS("event_classes", sim->log.class.v, sim->log.class.n);
    SET_TEXTS("event_contacts", sim->log.contact.v, sim->log.contact.n);
    SET_LIST("event_impulses", sim->log.impulse.v, sim->log.impulse.n);
    if (sim->overlaps.any)
        SET_NUM("depth_max", sim->overlaps.depth_max);
    else
        SET_ABSENT("depth_max", "no contact was passed through");
    if (analysis->rt->joints)
        SET_NUM("joint_error", joints_greatest_error(analysis->rt));
    else
        SET_ABSENT("joint_error", "no joint holds a moving body");
    if (sim->has_energy)
        SET_NUM("energy_before", sim->energy_before);
    else
        SET_ABSENT("energy_before", "the energy has no finite value");
    if (energy_now(sim, &energy))
        SET_NUM("energy_after", energy);
    else
        SET_ABSENT("energy_after", "the energy has no finite value");
    simulate_pairs_end(sim);
    simulate_put_limits(sim, out);
    simulate_put_singular(sim, out);
    simulate_put_verdicts(sim, out);
    tell_audit(sim);
    simulate_tell_touches(sim);
    if (sim->along)
        along_tell(sim->along, remark, sim);
    join_remarks(sim);
    SET_TEXTS("warnings", sim->log.remarks.v, sim->log.remarks.n);
    simulate_put_rows(sim, out);
    if (sim->trace && sim->begun) {
        simulate_traced_end(sim);
        run_log_end(sim->trace, sim->options.until, out);
    }
}

/* A run that an error ends keeps what it has found. The record says which error
 * it was. A state without energy is not reported again. */
static int
ended(struct simulation *sim, struct record *out, int st)
{
    struct analysis *analysis = sim->analysis;
    int errors = analysis->ds->errors;
    st = command_failed(analysis, st, sim->command->range, "simulate");
    const struct diag *why = NULL;
    for (const struct diag *diag = analysis->ds->first; diag; diag = diag->next)
        why = diag->severity == DIAG_ERROR ? diag : why;
    if (why &&
        (analysis->ds->errors > errors || analysis->ds->errors > sim->errors))
        simulate_remark(sim,
                        arena_printf(analysis->rt->arena, "ended by %s: %s",
                                     diag_code_name(why->code), why->message));
    fill(sim, out, st);
    out->partial = true;
    return st;
}

/* `paradox = compliant` needs a contact that says how it yields. */
static int
some_compliance(struct simulation *sim, imp_range where)
{
    const struct rt *run = sim->run;
    for (uint32_t c = 0; c < run->im->contacts.n; c++)
        if (rt_contact(run, c)->compliance != IMP_NO_TAPE)
            return IMP_OK;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0386, where,
                 "this asks for the compliance of a contact, but none states "
                 "one");
    diag_help(sim->analysis->ds, diag,
              "add to a contact: compliance = (1000 [N/m])*depth + "
              "(2 [N*s/m])*speed  scale = 1e-4");
    return IMP_BADMODEL;
}

/* What the run does where friction leaves the motion open. */
static int
option_paradox(struct simulation *sim)
{
    const imp_image *im = sim->run->im;
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_paradox);
    sim->run->paradox = im->paradox;
    for (uint32_t i = 0; value && paradox_word(i); i++)
        if (!strcmp(imp_text(im, value->text), paradox_word(i)))
            sim->run->paradox = i;
    const imp_val *loads =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_loads);
    sim->run->loads = im->loads;
    for (uint32_t i = 0; loads && loads_word(i); i++)
        if (!strcmp(imp_text(im, loads->text), loads_word(i)))
            sim->run->loads = i;
    const imp_val *corners =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_corners);
    for (uint32_t i = 0; corners && corners_word(i); i++)
        if (!strcmp(imp_text(im, corners->text), corners_word(i)))
            polytope_corners_choose(sim->run, i);
    const imp_val *option =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_compliant);
    double truth = 0.0;
    int st = option ? arg_numbers(sim->analysis, option, &truth) : IMP_OK;
    sim->run->compliant = truth != 0.0;
    if (st || (!sim->run->compliant && sim->run->paradox != PARADOX_COMPLIANT))
        return st;
    return some_compliance(sim, sim->run->compliant ? option->range
                                : value             ? value->range
                                                    : sim->command->range);
}

/* The speed below which contacts of bodies stay closed. */
static int
option_capture(struct simulation *sim)
{
    const struct rt *run = sim->run;
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_capture);
    int st = arg_number(sim->analysis, sim->command, IMP_OPT_simulate_capture,
                        0.0, &sim->options.capture);
    sim->captures.stated = sim->options.capture;
    if (st || !value)
        return st;
    for (uint32_t c = 0; c < run->im->contacts.n; c++)
        if (rt_contact(run, c)->system == IMP_NO_SYSTEM)
            return IMP_OK;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0749, value->range,
                 "`capture` is a speed at which contacts of bodies part, and "
                 "this model has none");
    diag_help(sim->analysis->ds, diag,
              "leave it out: gaps of systems need not be lengths");
    return IMP_BADMODEL;
}

/* -- the times of rows ----------------------------------------------------- */

/* the times of `at` are rounded as products are, 2*pi/w*30 */
#define TIMES_ROUNDED (8.0 * DBL_EPSILON)
#define SIMULATE_ROWS_MOST 10000000.0

static int
compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Appends the numbers of a value of times. */
static int
gather(struct simulation *sim, const imp_val *value)
{
    if (value->kind == IMP_VAL_LIST) {
        const imp_val *item = val_items(sim->analysis, value);
        for (uint32_t i = 0; i < value->items.n; i++) {
            int st = gather(sim, &item[i]);
            if (st)
                return st;
        }
        return IMP_OK;
    }
    struct list_values list;
    if (value->kind == IMP_VAL_COLUMN) {
        int st = column_values_of(sim->analysis, value, &list);
        for (size_t i = 0; !st && i < list.n; i++)
            VEC_PUSH(&sim->rows.times, list.x[i]);
        return st;
    }
    size_t n = (size_t)(value->rows ? value->rows : 1) *
               (value->cols ? value->cols : 1);
    if (value->kind == IMP_VAL_FIELD) {
        const struct record *r = arg_record(sim->analysis, value);
        if (!r)
            return IMP_FAILED;
        n = r->v[value->field].n;
    }
    double *x = NEW_N(sim->run->arena, double, n ? n : 1);
    int st = arg_numbers(sim->analysis, value, x);
    for (size_t i = 0; i < n && !st; i++)
        VEC_PUSH(&sim->rows.times, x[i]);
    return st;
}

static int
bad_times(struct simulation *sim, imp_range where, const char *what, double x)
{
    char t[NUM_TEXT], u[NUM_TEXT];
    struct diag *diag = diag_add(sim->analysis->ds, DIAG_E0705, where, what,
                                 num_shortest(t, x));
    diag_help(sim->analysis->ds, diag, "the run goes from 0 to `until` = %s s",
              num_shortest(u, sim->options.until));
    return IMP_BADMODEL;
}

/* W0748: rows come in the order of the run, not of `at`. */
static void
tell_disorder(struct simulation *sim, imp_range where, double sign)
{
    const struct numbers *times = &sim->rows.times;
    struct diags *ds = sim->analysis->ds;
    size_t i = 1;
    while (i < times->n && times->v[i] >= times->v[i - 1])
        i++;
    if (i >= times->n)
        return;
    char t[NUM_TEXT], before[NUM_TEXT];
    struct diag *diag = diag_add(
        ds, DIAG_W0748, where,
        "the times of `at` do not %s: %s s comes after %s s",
        sign < 0.0 ? "fall" : "rise", num_shortest(t, sign * times->v[i]),
        num_shortest(before, sign * times->v[i - 1]));
    diag_note(ds, diag, IMP_NOWHERE, "rows come in the order of the run");
    diag_help(ds, diag,
              sign < 0.0
                  ? "begin with the time that is nearest to the start"
                  : "of data take at = sort(d.t), and compare the rows with "
                    "sort(d.x, d.t)");
}

/* Brings the times in their order, each once; how often it was asked for, where
 * that is more than once, is kept. */
static void
sort_times(struct simulation *sim)
{
    struct numbers *times = &sim->rows.times;
    size_t sorted = 1, n = 0;
    while (sorted < times->n && times->v[sorted - 1] <= times->v[sorted])
        sorted++;
    if (sorted < times->n)
        qsort(times->v, times->n, sizeof *times->v, compare);
    for (size_t i = 0; i < times->n; i++)
        if (!n || times->v[i] > times->v[n - 1])
            times->v[n++] = times->v[i];
        else
            VEC_PUSH(&sim->rows.again, times->v[i]);
    times->n = n;
}

static int
simulate_read_times(struct simulation *sim)
{
    assert(sim != NULL);
    /* of a run backward in time the times are counted back from 0 */
    double end = fabs(sim->options.until), ends = end * (1.0 + TIMES_ROUNDED),
           sign = sim->options.until < 0.0 ? -1.0 : 1.0;
    const imp_val *at =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_at);
    const imp_val *every =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_every);
    int st;
    if (at) {
        if ((st = gather(sim, at)))
            return st;
        for (size_t i = 0; i < sim->rows.times.n; i++) {
            double *time = &sim->rows.times.v[i];
            if (!(sign * *time >= 0.0 && sign * *time <= ends))
                return bad_times(sim, at->range,
                                 "the time %s s of `at` is outside the run",
                                 *time);
            *time = fmin(sign * *time, end);
        }
        tell_disorder(sim, at->range, sign);
    }
    if (every) {
        double dt;
        if ((st = arg_numbers(sim->analysis, every, &dt)))
            return st;
        if (!(dt > 0.0) || end / dt > SIMULATE_ROWS_MOST)
            return bad_times(sim, every->range,
                             "`every` is %s s: it must be positive and give at "
                             "most 10^7 rows",
                             dt);
        /* the last time is `until` where that is a multiple of dt to rounding
         */
        for (double k = 0.0; k * dt <= ends; k += 1.0)
            VEC_PUSH(&sim->rows.times, fmin(k * dt, end));
    }
    if (!at && !every)
        for (int k = 0; k <= SIMULATE_STEPS; k++)
            VEC_PUSH(&sim->rows.times,
                     k == SIMULATE_STEPS ? end : end * k / SIMULATE_STEPS);
    sort_times(sim);
    for (size_t i = 0; i < sim->rows.times.n && sign < 0.0; i++)
        sim->rows.times.v[i] = 0.0 - sim->rows.times.v[i];
    return IMP_OK;
}

int
simulation_prepare(struct simulation *sim)
{
    assert(sim != NULL && !sim->begun);
    struct analysis *analysis = sim->analysis;
    struct motion_totals totals;
    int st;
    if ((!sim->follows && (st = option_until(sim))) ||
        (st = option_policy(sim)) ||
        (st = arg_number(analysis, sim->command, IMP_OPT_simulate_events,
                         most_events(sim->run), &sim->options.events)) ||
        (st = option_capture(sim)) || (st = option_keep(sim)) ||
        (st = simulate_read_items(sim)) || (st = option_paradox(sim)) ||
        (!sim->follows && (st = simulate_read_times(sim))))
        return st;
    if (sim->follows)
        VEC_PUSH(&sim->rows.times, sim->options.until);
    option_through(sim);
    option_search(sim);
    sim->has_energy = !motion_totals(analysis->rt, &totals);
    sim->energy_before = totals.kinetic + totals.potential;
    return IMP_OK;
}

/* How far the run is, for its line (progress.h). */
static double
look(void *ctx, double *fresh, char *text, size_t size)
{
    struct simulation *sim = ctx;
    char now[NUM_TEXT], until[NUM_TEXT];
    double done = atomic_load(&sim->done);
    *fresh = done;
    snprintf(text, size, "t = %s of %s s",
             num_digits(now, done * sim->options.until, 3),
             num_digits(until, sim->options.until, 3));
    return done;
}

/* A run on a terminal tells how far it is if it takes long. */
#define SHOWN_AFTER 2.0
static int
run_shown(struct simulation *sim, simulation_run_fn *run, double number)
{
    struct progress progress;
    struct oom_guard guard;
    int st;
    progress_begin(&progress, "simulate", SHOWN_AFTER, look, sim);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        progress_end(&progress);
        oom_raise();
    }
    oom_enter(&guard);
    st = run(sim, number);
    oom_leave(&guard);
    progress_end(&progress);
    return st;
}

int
simulation_shown(struct simulation *sim, simulation_run_fn *run, double number)
{
    assert(sim != NULL && run != NULL && !sim->begun);
    /* a tree of motions is not kept */
    if (run_file_wanted(sim->analysis, sim->command) && !sim->run->forks) {
        size_t limit = sim->analysis->trace_limit;
        sim->trace = run_log_new(sim->analysis, limit ? limit : RUN_LOG_LIMIT);
        run_log_begin(sim->trace);
    }
    return sim->analysis->sweeps.progress ? run_shown(sim, run, number)
                                          : run(sim, number);
}

/* systems move by their energies: without them there is no run */
static int
run_by_series(struct simulation *sim, double events)
{
    return !sim->has_energy && sim->run->im->systems.n
               ? IMP_FAILED
               : simulate_run(sim, events);
}

int
simulation_by_series(struct simulation *sim)
{
    assert(sim != NULL && !sim->begun);
    if (sim->options.until < 0.0)
        return simulate_backward(sim);
    /* `capture` leaves out flights of this height under the weight. What falls
     * through it comes down no faster than the speed that is stated. */
    double u = sim->captures.stated, g = vec3_norm(sim->run->world.gravity);
    sim->captures.reach = u > 0.0 && g > 0.0 ? u * u / (2.0 * g) : 0.0;
    return simulation_shown(sim, run_by_series, sim->options.events);
}

/* E0717: where the run stands. */
static void
stopped_outside(struct simulation *sim)
{
    char t[NUM_TEXT], until[NUM_TEXT];
    rt_told(t, rt_time(sim->run), 9);
    simulate_remark(sim, "ended by E0717: stopped from outside");
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0717, sim->command->range,
                 "`simulate` was stopped at t = %s s of %s s, after %zu events",
                 t, num_digits(until, sim->options.until, 9), sim->log.total);
    diag_help(sim->analysis->ds, diag,
              "its record keeps what was found until then");
}

int
simulation_put(struct simulation *sim, struct record *out, int st)
{
    assert(sim != NULL && out != NULL);
    struct motion_totals totals;
    bool over = st == IMP_OK && sim->has_energy &&
                motion_totals(sim->analysis->rt, &totals);
    if (st == IMP_STOPPED)
        stopped_outside(sim);
    if (over) /* the energy has grown beyond the range of doubles */
        st = ended(sim, out, IMP_FAILED);
    else if (st == IMP_OK || st == IMP_STOPPED)
        fill(sim, out, st);
    else if (st == IMP_FAILED && sim->begun && !sim->stopped &&
             simulate_singular(sim))
        fill(sim, out, st = IMP_OK);
    else if (st != IMP_BADMODEL && sim->begun)
        st = ended(sim, out, st);
    return st;
}

void
simulation_free(struct simulation *sim)
{
    assert(sim != NULL);
    if (sim->next)
        simulation_free(sim->next);
    free(sim->rows.time.v);
    free(sim->rows.values.v);
    free(sim->rows.times.v);
    free(sim->rows.again.v);
    free(sim->rows.states.v);
    free(sim->log.time.v);
    free(sim->log.impulse.v);
    free(sim->log.kind.v);
    free(sim->log.class.v);
    free(sim->log.contact.v);
    free(sim->log.number.v);
    free(sim->log.remarks.v);
    simulate_free_verdicts(sim);
    arena_free(sim->lines.arena);
    arena_free(sim->moved.arena);
    run_log_free(sim->trace);
}

/* The run of simulation_follow, guarded against the end of memory. */
static int
follow(struct simulation *const sim)
{
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        simulation_free(sim);
        oom_raise();
    }
    oom_enter(&guard);
    int st = simulation_prepare(sim);
    if (!st)
        st = simulation_by_series(sim);
    oom_leave(&guard);
    return st;
}

int
simulation_follow(struct analysis *analysis, const imp_command *command,
                  double until, bool *stopped)
{
    assert(analysis != NULL && command != NULL && stopped != NULL);
    assert(until >= 0.0);
    struct simulation *sim = simulation_new(analysis, command);
    sim->follows = true;
    sim->options.until = until;
    int st = follow(sim);
    *stopped = sim->stopped && rt_time(sim->run) < until;
    simulation_free(sim);
    return st;
}

/* Lists the contacts of each body. */
static void
list_contacts(struct simulation *sim)
{
    struct rt *run = sim->run;
    uint32_t n_body = run->im->bodies.n, sum = 0;
    uint32_t *next = NEW_N(run->brief, uint32_t, n_body + 1);
    sim->of_body = NEW_N(run->arena, uint32_t, 2 * (size_t)sim->n_contacts + 1);
    sim->first_of_body = NEW_N(run->arena, uint32_t, n_body + 1);
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < sim->n_contacts; i++)
            for (int side = 0; side < 2; side++) {
                const imp_contact *contact = rt_contact(run, i);
                uint32_t body = contact->body[side];
                if (contact->system != IMP_NO_SYSTEM || body >= n_body)
                    continue;
                if (fill)
                    sim->of_body[sim->first_of_body[body] + next[body]] = i;
                next[body]++;
            }
        for (uint32_t b = 0; b <= n_body && !fill; b++) {
            sim->first_of_body[b] = sum;
            sum += b < n_body ? next[b] : 0;
        }
        memset(next, 0, n_body * sizeof *next);
    }
}

/* A contact was made: nothing is known of it. */
static void
begin_contact(struct simulation *sim, uint32_t contact)
{
    sim->contacts[contact] = (struct simulated_contact){.watch = WATCH_CLOSE};
    sim->watch[contact] = WATCH_CLOSE;
    resting_polytopes_drop(sim, contact);
    simulate_accumulation_forget(sim, contact);
}

void
simulate_contacts_made(struct simulation *sim)
{
    assert(sim != NULL);
    const struct rt *run = sim->run;
    unsigned long serial = contact_table_serial(run);
    if (serial == sim->serial)
        return;
    sim->n_contacts = run->im->contacts.n;
    bool few = serial - sim->serial < CONTACTS_LATEST;
    for (uint32_t c = contact_table_stated(run); c < sim->n_contacts && !few;
         c++)
        if (contact_table_made(run, c) > sim->serial)
            begin_contact(sim, c);
    for (unsigned long i = sim->serial + 1; i <= serial && few; i++) {
        uint32_t c = contact_table_latest(run, i);
        if (c != NO_CONTACT)
            begin_contact(sim, c);
    }
    sim->serial = serial;
}

struct marked_contacts
simulate_marks_new(struct arena *arena, uint32_t n)
{
    assert(arena != NULL);
    return (struct marked_contacts){.on = NEW_N(arena, bool, n + 1),
                                    .contact = NEW_N(arena, uint32_t, n + 1)};
}

struct simulation *
simulation_new(struct analysis *analysis, const imp_command *command)
{
    assert(analysis != NULL && command != NULL);
    uint32_t contacts = rt_contact_room(analysis->rt);
    struct simulation *sim = NEW(analysis->rt->arena, struct simulation);
    *sim = (struct simulation){
        .analysis = analysis,
        .run = analysis->rt,
        .command = command,
        .n_contacts = analysis->rt->im->contacts.n,
        .errors = analysis->ds->errors,
        .contacts =
            NEW_N(analysis->rt->arena, struct simulated_contact, contacts + 1),
        .watch = NEW_N(analysis->rt->arena, enum event_watch, contacts + 1),
        .rewatched.contact = NEW_N(analysis->rt->arena, uint32_t, contacts + 1),
        .rewatched.on = NEW_N(analysis->rt->arena, bool, contacts + 1),
        .touching.class =
            NEW_N(analysis->rt->arena, const char *, contacts + 1),
        .touching.part =
            NEW_N(analysis->rt->arena, unsigned char, contacts + 1),
        .touching.touches = simulate_marks_new(analysis->rt->arena, contacts),
        .touching.done = simulate_marks_new(analysis->rt->arena, contacts),
        .touching.asked = simulate_marks_new(analysis->rt->arena, contacts),
        .touching.listed = simulate_marks_new(analysis->rt->arena, contacts),
    };
    list_contacts(sim);
    return sim;
}
