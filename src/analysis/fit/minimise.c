/* SPDX-License-Identifier: MIT */
/* The command `minimise`: where is a number least? First a grid, if one is
 * asked for, then searches from its best points, from the defaults, or from
 * points that are drawn between the bounds. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/lists.h"
#include "analysis/fit/fit_priv.h"
#include "runtime/numerics/random.h"

#define GRID_MOST 1e7 /* points */
/* A param without bounds that has come beyond this comes to no end. */
#define AWAY 1e100

struct minimise {
    struct analysis *analysis;
    const imp_command *command;
    const imp_val *over;
    uint32_t n;
    struct trial trial;
    uint32_t *param;
    double *lo, *hi, *start;
    size_t per_param, starts, most; /* options */
    bool search;
    size_t n_grid;
    double *grid, *grid_value; /* n_grid rows of n; values */
    double *minimum, *value;   /* of each search: rows of n; values */
    size_t n_minima;
    bool *flat; /* n: the least value stays the same beside it */
};

static const char *
param_name(const struct minimise *minimise, uint32_t k)
{
    const imp_image *im = minimise->analysis->rt->im;
    return imp_text(
        im, (IMP_ARRAY(im, im->params, imp_param) + minimise->param[k])->name);
}

static int
take_params(struct minimise *minimise)
{
    const imp_image *im = minimise->analysis->rt->im;
    for (uint32_t k = 0; k < minimise->n; k++) {
        const imp_val *item = &minimise->over[k];
        minimise->param[k] = item->ref;
        int st = trial_bounds(minimise->analysis, item, &minimise->lo[k],
                              &minimise->hi[k]);
        if (st)
            return st;
        double x = minimise->analysis->rt->env[im->layout.params + item->ref];
        minimise->start[k] = fmin(fmax(x, minimise->lo[k]), minimise->hi[k]);
        bool bounded = isfinite(minimise->lo[k]) && isfinite(minimise->hi[k]);
        if (bounded || (minimise->per_param == 1 && minimise->starts == 1))
            continue;
        struct diag *diag = diag_add(
            minimise->analysis->ds, DIAG_E0766, item->range,
            "`%s` has no bounds, so there is no %s", param_name(minimise, k),
            minimise->per_param > 1 ? "grid" : "place to draw starts from");
        diag_help(minimise->analysis->ds, diag, "as in over (%s in [0, 1])",
                  param_name(minimise, k));
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

static int
take_options(struct minimise *minimise)
{
    struct analysis *analysis = minimise->analysis;
    const imp_command *command = minimise->command;
    double grid, starts, steps, search = 1;
    int st;
    const imp_val *flag =
        arg_option(analysis, command, IMP_OPT_minimise_search);
    if ((st = arg_number(analysis, command, IMP_OPT_minimise_grid, 1, &grid)) ||
        (st = arg_number(analysis, command, IMP_OPT_minimise_starts, 1,
                         &starts)) ||
        (st = arg_number(analysis, command, IMP_OPT_minimise_steps, 1e4,
                         &steps)) ||
        (flag && (st = arg_numbers(analysis, flag, &search))))
        return st;
    minimise->per_param = (size_t)grid;
    minimise->starts = (size_t)starts;
    minimise->most = (size_t)steps;
    minimise->search = search != 0;
    double points = pow(grid, minimise->n);
    const char *wrong =
        !(grid >= 1 && starts >= 1 && steps >= 1)
            ? "`grid`, `starts` and `steps` are 1 or more"
        : points > GRID_MOST ? "the grid has more than 1e7 points"
        : !minimise->search && grid < 2
            ? "without a search and without a grid nothing is asked"
            : NULL;
    if (!wrong)
        return IMP_OK;
    diag_add(analysis->ds, DIAG_E0766, command->range, "%s", wrong);
    return IMP_BADMODEL;
}

/* -- the grid -------------------------------------------------------------- */

static int
ask_grid(struct minimise *minimise)
{
    size_t per = minimise->per_param, n = minimise->n;
    if (per < 2)
        return IMP_OK;
    size_t points = 1;
    for (size_t k = 0; k < n; k++)
        points *= per;
    struct arena *arena = record_arena(minimise->analysis);
    minimise->grid = NEW_N(arena, double, points *n);
    minimise->grid_value = NEW_N(arena, double, points);
    for (size_t i = 0; i < points; i++) {
        double *x = minimise->grid + i * n;
        size_t rest = i;
        for (size_t k = n; k-- > 0; rest /= per) {
            double share = (double)(rest % per) / (double)(per - 1);
            x[k] =
                minimise->lo[k] + share * (minimise->hi[k] - minimise->lo[k]);
        }
        int st = trial_value(&minimise->trial, x, &minimise->grid_value[i]);
        if (st)
            return st;
        minimise->n_grid = i + 1;
    }
    return IMP_OK;
}

/* Is point i of the grid as small as all its neighbours along one param, and
 * below those that come before it? */
static bool
least_of_neighbours(const struct minimise *minimise, size_t i)
{
    size_t per = minimise->per_param, stride = 1;
    double value = minimise->grid_value[i];
    for (size_t k = minimise->n; k-- > 0; stride *= per) {
        size_t digit = i / stride % per;
        if ((digit > 0 && !(value < minimise->grid_value[i - stride])) ||
            (digit + 1 < per && value > minimise->grid_value[i + stride]))
            return false;
    }
    return isfinite(value);
}

/* The best points of the grid that are no neighbours, as starts. */
static size_t
starts_of_grid(struct minimise *minimise, double *starts)
{
    size_t n = minimise->n, found = 0;
    struct arena *arena = record_arena(minimise->analysis);
    double *value = NEW_N(arena, double, minimise->n_grid + 1);
    size_t *place = NEW_N(arena, size_t, minimise->n_grid + 1);
    size_t *order = NEW_N(arena, size_t, minimise->n_grid + 1);
    for (size_t i = 0; i < minimise->n_grid; i++)
        if (least_of_neighbours(minimise, i)) {
            value[found] = minimise->grid_value[i];
            place[found++] = i;
        }
    list_order(arena, value, found, order);
    size_t taken = found < minimise->starts ? found : minimise->starts;
    for (size_t k = 0; k < taken; k++)
        memcpy(starts + k * n, minimise->grid + place[order[k]] * n,
               n * sizeof *starts);
    return taken;
}

/* -- searches -------------------------------------------------------------- */

static size_t
choose_starts(struct minimise *minimise, double *starts)
{
    size_t n = minimise->n;
    double seed = minimise->analysis->rt->world.seed;
    if (minimise->n_grid)
        return starts_of_grid(minimise, starts);
    memcpy(starts, minimise->start, n * sizeof *starts);
    for (size_t i = 1; i < minimise->starts; i++)
        for (size_t k = 0; k < n; k++)
            starts[i * n + k] =
                minimise->lo[k] +
                random_unit(seed, i, k) * (minimise->hi[k] - minimise->lo[k]);
    return minimise->starts;
}

/* How far the first steps of a search go. */
static void
first_steps(const struct minimise *minimise, const double *x, double *step)
{
    for (uint32_t k = 0; k < minimise->n; k++) {
        double width = minimise->hi[k] - minimise->lo[k];
        step[k] = isfinite(width)
                      ? width / (minimise->per_param > 1
                                     ? 2.0 * (double)(minimise->per_param - 1)
                                     : 10)
                      : (x[k] != 0 ? 0.1 * fabs(x[k]) : 0.1);
    }
}

/* Has a param without bounds come to no end? */
static bool
away(const struct minimise *minimise, const double *x)
{
    bool any = false;
    for (uint32_t k = 0; k < minimise->n; k++)
        any |= fabs(x[k]) > AWAY && x[k] > minimise->lo[k] &&
               x[k] < minimise->hi[k];
    return any;
}

/* E0765, E0766 of a search that found nothing. */
static int
no_minimum(struct minimise *minimise, const double *x, bool began)
{
    struct analysis *analysis = minimise->analysis;
    const imp_val *value = minimise->trial.value;
    struct diag *diag;
    if (!began) {
        diag = diag_add(analysis->ds, DIAG_E0766, value->range,
                        "there is no value where the search begins");
        if (minimise->trial.why)
            diag_note(analysis->ds, diag, IMP_NOWHERE, "%s",
                      minimise->trial.why);
        diag_help(analysis->ds, diag,
                  "the defaults of the params are the start; a grid finds "
                  "others: grid = 11");
        return IMP_FAILED;
    }
    if (away(minimise, x))
        diag = diag_add(analysis->ds, DIAG_E0765, value->range,
                        "there is no least value: it goes on to fall without "
                        "end");
    else
        diag = diag_add(analysis->ds, DIAG_E0765, value->range,
                        "the search comes to no end within %zu values",
                        minimise->most);
    for (uint32_t k = 0; k < minimise->n; k++)
        diag_note(analysis->ds, diag, minimise->over[k].range,
                  "`%s` has come to %g", param_name(minimise, k), x[k]);
    diag_help(analysis->ds, diag,
              "there may be no minimum: state bounds; or raise `steps`");
    return IMP_FAILED;
}

/* Do two searches end at one place, to the root of rounding of the params? */
static bool
same_place(const struct minimise *minimise, const double *a, const double *b)
{
    for (uint32_t k = 0; k < minimise->n; k++) {
        double width = minimise->hi[k] - minimise->lo[k];
        double scale = fmax(fabs(a[k]), fabs(b[k]));
        if (isfinite(width))
            scale = fmax(scale, width);
        if (fabs(a[k] - b[k]) > 1e-6 * scale)
            return false;
    }
    return true;
}

/* Keeps a minimum in rising order, once. */
static void
keep(struct minimise *minimise, const double *x, double value)
{
    size_t n = minimise->n, at = minimise->n_minima;
    for (size_t i = 0; i < minimise->n_minima; i++)
        if (same_place(minimise, minimise->minimum + i * n, x)) {
            if (value < minimise->value[i]) {
                minimise->value[i] = value;
                memcpy(minimise->minimum + i * n, x, n * sizeof *x);
            }
            return;
        }
    while (at > 0 && value < minimise->value[at - 1]) {
        minimise->value[at] = minimise->value[at - 1];
        memcpy(minimise->minimum + at * n, minimise->minimum + (at - 1) * n,
               n * sizeof *x);
        at--;
    }
    minimise->value[at] = value;
    memcpy(minimise->minimum + at * n, x, n * sizeof *x);
    minimise->n_minima++;
}

static int
search_all(struct minimise *minimise)
{
    struct arena *arena = record_arena(minimise->analysis);
    size_t n = minimise->n, room = minimise->starts + 1;
    minimise->minimum = NEW_N(arena, double, room *n);
    minimise->value = NEW_N(arena, double, room);
    double *starts = NEW_N(arena, double, room *n);
    double *step = NEW_N(arena, double, n);
    size_t n_starts = choose_starts(minimise, starts);
    bool began = false;
    for (size_t i = 0; i < n_starts; i++) {
        struct simplex_result found = {INFINITY, 0, true};
        double *x = starts + i * n;
        first_steps(minimise, x, step);
        int st = minimise->search
                     ? simplex_search(&minimise->trial, x, step, minimise->most,
                                      &found)
                     : trial_value(&minimise->trial, x, &found.value);
        if (st)
            return st;
        began |= isfinite(found.value);
        if (isfinite(found.value) && found.done && !away(minimise, x))
            keep(minimise, x, found.value);
    }
    return minimise->n_minima
               ? IMP_OK
               : no_minimum(minimise, n_starts ? starts : minimise->start,
                            began);
}

/* Which params may change by their first step, up or down, while the least
 * value stays what it is? */
static int
find_flat(struct minimise *minimise)
{
    struct arena *arena = record_arena(minimise->analysis);
    struct trial *trial = &minimise->trial;
    size_t n = minimise->n, asked = trial->asked, failed = trial->failed;
    double *x = NEW_N(arena, double, n), *step = NEW_N(arena, double, n);
    minimise->flat = NEW_N(arena, bool, n);
    first_steps(minimise, minimise->minimum, step);
    for (uint32_t k = 0; k < n; k++) {
        bool same = true;
        for (int side = -1; side <= 1 && same; side += 2) {
            double value, at = minimise->minimum[k];
            memcpy(x, minimise->minimum, n * sizeof *x);
            x[k] = fmin(fmax(at + side * step[k], minimise->lo[k]),
                        minimise->hi[k]);
            if (x[k] == at)
                continue;
            int st = trial_value(trial, x, &value);
            if (st)
                return st;
            same = value == minimise->value[0];
        }
        minimise->flat[k] = same && minimise->lo[k] < minimise->hi[k];
    }
    trial->asked = asked;
    trial->failed = failed;
    return IMP_OK;
}

/* -- the record ------------------------------------------------------------ */

/* Names the params of which others are as good; returns the remark, or NULL. */
static const char *
tell_flat(struct minimise *minimise)
{
    struct arena *arena = record_arena(minimise->analysis);
    const char *names = NULL;
    for (uint32_t k = 0; k < minimise->n; k++)
        if (minimise->flat[k])
            names = arena_printf(arena, "%s%s`%s`", names ? names : "",
                                 names ? ", " : "", param_name(minimise, k));
    if (!names)
        return NULL;
    const char *remark = arena_printf(
        arena, "the least value does not depend on %s: others are as good",
        names);
    struct diag *diag = diag_add(minimise->analysis->ds, DIAG_W0764,
                                 minimise->command->range, "%s", remark);
    const imp_val *question =
        arg_option(minimise->analysis, minimise->command, IMP_OPT_minimise_run);
    diag_help(minimise->analysis->ds, diag,
              "leave out of `over` what does not matter, or minimise what "
              "changes with it%s",
              trial_of_a_run(minimise->analysis->rt->im, question));
    return remark;
}

static void
set_at_bound(struct minimise *minimise, struct record *out)
{
    struct arena *arena = record_arena(minimise->analysis);
    const char **names = NEW_N(arena, const char *, minimise->n);
    const char *warnings[2], *warning = NULL, *flat = tell_flat(minimise);
    size_t n = 0, told = 0;
    for (uint32_t k = 0; k < minimise->n; k++) {
        double x = minimise->minimum[k];
        if ((x > minimise->lo[k] && x < minimise->hi[k]) || minimise->flat[k])
            continue;
        names[n++] = param_name(minimise, k);
        warning = arena_printf(arena, "%s%s`%s` lies at its bound",
                               warning ? warning : "", warning ? ", " : "",
                               names[n - 1]);
    }
    SET_TEXTS("at_bound", names, n);
    if (flat)
        warnings[told++] = flat;
    if (warning)
        warnings[told++] = warning;
    SET_TEXTS("warnings", warnings, told);
    if (!warning)
        return;
    struct diag *diag =
        diag_add(minimise->analysis->ds, DIAG_W0764, minimise->command->range,
                 "%s: the least value may lie beyond", warning);
    diag_help(minimise->analysis->ds, diag, "widen the bounds if they may");
}

static void
set_grid(struct minimise *minimise, struct record *out)
{
    struct arena *arena = record_arena(minimise->analysis);
    size_t n = minimise->n, points = minimise->n_grid;
    for (size_t i = 0; i < points; i++)
        if (isinf(minimise->grid_value[i]))
            minimise->grid_value[i] = NAN; /* no value there */
    if (points)
        SET_LIST("grid_values", minimise->grid_value, points);
    else
        SET_ABSENT("grid_values", "no grid was asked for");
    for (uint32_t k = 0; k < n; k++) {
        const char *name =
            arena_printf(arena, "%s_grid", param_name(minimise, k));
        double *x = NEW_N(arena, double, points + 1);
        for (size_t i = 0; i < points; i++)
            x[i] = minimise->grid[i * n + k];
        if (points)
            SET_LIST(name, x, points);
        else
            SET_ABSENT(name, "no grid was asked for");
    }
}

static void
set_record(struct minimise *minimise, struct record *out)
{
    struct arena *arena = record_arena(minimise->analysis);
    const char **names = NEW_N(arena, const char *, minimise->n);
    for (uint32_t k = 0; k < minimise->n; k++) {
        names[k] = param_name(minimise, k);
        SET_NUM(names[k], minimise->minimum[k]);
    }
    SET_TEXTS("params", names, minimise->n);
    SET_NUM("value", minimise->value[0]);
    SET_LIST("values", minimise->value, minimise->n_minima);
    SET_MAT("minima", minimise->minimum, minimise->n_minima, minimise->n);
    SET_NUM("asked", (double)minimise->trial.asked);
    SET_NUM("failed", (double)minimise->trial.failed);
    set_grid(minimise, out);
    set_at_bound(minimise, out);
}

static int
cmd_minimise(struct analysis *analysis, const imp_command *command,
             struct record *out)
{
    const imp_image *im = analysis->rt->im;
    const imp_val *over = arg_option(analysis, command, IMP_OPT_minimise_over);
    const imp_val *question =
        arg_option(analysis, command, IMP_OPT_minimise_run);
    struct arena *arena = record_arena(analysis);
    assert(over && command->args.n == 1);
    uint32_t n = over->items.n;
    struct minimise minimise = {.analysis = analysis,
                                .command = command,
                                .over = val_items(analysis, over),
                                .n = n,
                                .param = NEW_N(arena, uint32_t, n),
                                .lo = NEW_N(arena, double, n),
                                .hi = NEW_N(arena, double, n),
                                .start = NEW_N(arena, double, n)};
    int st = take_options(&minimise);
    if (st || (st = take_params(&minimise)))
        return st;
    minimise.trial = (struct trial){
        .of = analysis,
        .value = arg_items(analysis, command),
        .question =
            question ? IMP_ARRAY(im, im->commands, imp_command) + question->ref
                     : NULL,
        .n = n,
        .param = minimise.param,
        .lo = minimise.lo,
        .hi = minimise.hi};
    if (question) {
        const imp_command *asked = minimise.trial.question;
        bool *wanted = NEW_N(arena, bool, asked->fields.n + 1);
        value_wants(im, asked, minimise.trial.value, wanted);
        minimise.trial.wanted = wanted;
    }
    struct oom_guard guard;
    struct minimise *volatile kept = &minimise;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        trial_close(&kept->trial);
        oom_raise();
    }
    oom_enter(&guard);
    st = trial_open(&minimise.trial);
    if (!st)
        st = ask_grid(&minimise);
    if (!st)
        st = search_all(&minimise);
    if (!st)
        st = find_flat(&minimise);
    trial_tell(&minimise.trial, command->range);
    oom_leave(&guard);
    trial_close(&minimise.trial);
    if (!st)
        set_record(&minimise, out);
    return st;
}

const struct command_functions command_minimise = {.run = cmd_minimise};
