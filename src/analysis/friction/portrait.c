/* SPDX-License-Identifier: MIT */
/* `portrait c` and `resolvable c`: what the compliance of a contact with
 * friction makes of it within its short time (runtime/compliance), while the
 * rest of the system is as it is at the instant; and whether other laws, and
 * other scales, make the same of it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "base/num.h"
#include "runtime/compliance/fast_motion.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/setup/new_run.h"

/* starts per axis where the model names none */
#define STARTS 5
/* most starts of one portrait */
#define STARTS_MOST 10000
/* places of one curve that are kept, at most */
#define PLACES_MOST 1000
/* of the separatrix, which is made in 4000 steps, every tenth */
#define SEPARATRIX_EACH 10
/* The law is looked at up to so many times the depth, and speed, of the load.
 */
#define LAW_REACH 10.0

struct portrait {
    struct analysis *analysis;
    const imp_command *command;
    uint32_t number;
    const imp_contact *contact;
    struct painleve_instant instant;
    struct fast_point point;
    double scale;
    double depth, speed; /* what the load makes of the law at rest */
};

/* -- the law ----------------------------------------------------------------
 */

static bool
own_law(void *ctx, const struct fast_push *push, double out[3])
{
    struct portrait *portrait = ctx;
    double at[COMPLIANCE_ROWS] = {push->depth, push->speed, push->impulse,
                                  push->compression},
           all[4];
    if (contact_compliance_law(portrait->analysis->rt, portrait->number, at,
                               all))
        return false;
    portrait->scale = all[3];
    memcpy(out, all, 3 * sizeof *out);
    return isfinite(all[0]);
}

static int
wrong_law(struct portrait *portrait, const char *what, double depth,
          double speed)
{
    struct analysis *analysis = portrait->analysis;
    char d[NUM_TEXT], w[NUM_TEXT];
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0386, portrait->contact->range_compliance,
                 "the compliance of `%s` %s",
                 imp_text(analysis->rt->im, portrait->contact->name), what);
    if (depth != 0.0 || speed != 0.0)
        diag_note(analysis->ds, diag, portrait->command->range,
                  "at depth %s and speed %s", num_digits(d, depth, 6),
                  num_digits(w, speed, 6));
    diag_help(analysis->ds, diag,
              "a contact that is not pressed in does not push, and the deeper "
              "and faster it is, the more: (1000 [N/m])*depth + (2 "
              "[N*s/m])*speed");
    return IMP_BADMODEL;
}

/* Fills the sizes of depth and speed, and checks the law over them. */
static int
check_law(struct portrait *portrait)
{
    const struct fast_point *point = &portrait->point;
    double out[3], depth, speed;
    if (!point->law.force(point->law.ctx, &(struct fast_push){0}, out))
        return wrong_law(portrait, "has no value at depth 0", 0.0, 0.0);
    if (!(portrait->scale > 0.0))
        return wrong_law(portrait, "has a scale that is not positive", 0.0,
                         0.0);
    double load = fabs(point->b) + fabs(point->a * point->B / point->A);
    portrait->depth =
        load > 0.0 ? fast_depth(&point->law, load / point->C) : 1.0;
    if (!isfinite(portrait->depth))
        return wrong_law(portrait, "never bears the load", 0.0, 0.0);
    portrait->speed = sqrt((load > 0.0 ? load : point->C) * portrait->depth);
    const char *fault =
        fast_law_fault(&point->law, LAW_REACH * portrait->depth,
                       LAW_REACH * portrait->speed, &depth, &speed);
    return fault ? wrong_law(portrait, fault, depth, speed) : IMP_OK;
}

/* -- the instant ------------------------------------------------------------
 */

static int
not_closed(const struct portrait *portrait)
{
    struct analysis *analysis = portrait->analysis;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0743, portrait->command->range,
                 "`%s` is not at rest on its ground at this time",
                 imp_text(analysis->rt->im, portrait->contact->name));
    diag_help(analysis->ds, diag,
              "the fast motion is that of a contact that is closed: ask about "
              "another instant, at = 1");
    return IMP_BADMODEL;
}

static int
several(const struct portrait *portrait)
{
    struct analysis *analysis = portrait->analysis;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0743, portrait->command->range,
                 "`%s` touches at two points at this time",
                 imp_text(analysis->rt->im, portrait->contact->name));
    diag_help(analysis->ds, diag,
              "a compliance is asked about at one point: turn the body a "
              "little, so that one corner touches");
    return IMP_BADMODEL;
}

/* Reads the contact at the instant; bodies touch at one point there. */
static int
instant_of(struct portrait *portrait, uint32_t contact, double at)
{
    struct analysis *analysis = portrait->analysis;
    struct painleve_instant instant[2];
    struct painleve_cross cross;
    int n;
    if (portrait->contact->system != IMP_NO_SYSTEM)
        return painleve_of_system(analysis, portrait->command, contact, at,
                                  &portrait->instant);
    int st = painleve_of_bodies(analysis, portrait->command, at, instant, &n,
                                &cross);
    portrait->instant = instant[0];
    return st || n == 1 ? st : several(portrait);
}

static int
prepare(struct analysis *analysis, const imp_command *command,
        enum imp_option_id option_at, struct portrait *portrait)
{
    uint32_t contact = arg_contact(analysis, command, 0);
    double at;
    *portrait = (struct portrait){.analysis = analysis,
                                  .command = command,
                                  .number = contact,
                                  .contact = rt_contact(analysis->rt, contact)};
    int st = arg_instant(analysis, command, option_at, &at);
    if (st)
        return st;
    rt_reset(analysis->rt);
    analysis->rt->paradox = analysis->rt->im->paradox;
    analysis->rt->loads = analysis->rt->im->loads;
    assert(portrait->contact->compliance != IMP_NO_TAPE);
    if ((st = instant_of(portrait, contact, at)))
        return st;
    painleve_tell_beside(analysis, command, &portrait->instant, 1);
    const struct painleve_point *point = &portrait->instant.point;
    portrait->point =
        (struct fast_point){.A = point->A,
                            .B = point->B,
                            .C = point->C,
                            .a = point->a,
                            .b = point->b,
                            .mu = point->mu,
                            .mu_static = point->mu_static,
                            .slip_sign = point->slip > 0.0   ? 1.0
                                         : point->slip < 0.0 ? -1.0
                                                             : 0.0,
                            .law = {own_law, portrait}};
    return portrait->instant.closed ? check_law(portrait)
                                    : not_closed(portrait);
}

/* The numbers of an option, or STARTS of them from -+reach. */
static int
numbers(struct portrait *portrait, enum imp_option_id id, double from,
        double to, double **out, size_t *n)
{
    struct analysis *analysis = portrait->analysis;
    const imp_val *value = arg_option(analysis, portrait->command, id);
    *n = value ? (size_t)value->rows * value->cols : STARTS;
    *out = NEW_N(analysis->rt->arena, double, *n + 1);
    if (value)
        return arg_numbers(analysis, value, *out);
    for (int k = 0; k < STARTS; k++)
        (*out)[k] = from + (to - from) * k / (STARTS - 1);
    return IMP_OK;
}

/* -- portrait ---------------------------------------------------------------
 */

/* Places of curves, for plots. */
struct places {
    struct arena *arena;
    double *curve, *depth, *speed, number;
    size_t n, cap, seen;
};

static void
keep(void *ctx, const struct fast_state *state)
{
    struct places *places = ctx;
    size_t seen = places->seen++;
    bool separatrix = places->number == 0.0;
    if (seen >= (separatrix ? SEPARATRIX_EACH : 1) * (size_t)PLACES_MOST ||
        (separatrix && seen % SEPARATRIX_EACH && state->depth > 0.0))
        return;
    if (places->n == places->cap) {
        size_t cap = places->cap ? 2 * places->cap : 1024;
        double **row[] = {&places->curve, &places->depth, &places->speed};
        for (int k = 0; k < 3; k++) {
            double *more = NEW_N(places->arena, double, cap);
            if (places->n)
                memcpy(more, *row[k], places->n * sizeof *more);
            *row[k] = more;
        }
        places->cap = cap;
    }
    places->curve[places->n] = places->number;
    places->depth[places->n] = state->depth;
    places->speed[places->n++] = state->speed;
}

static const char *
panel(const struct fast_point *point, const struct fast_equilibrium *at, int n)
{
    double sign = point->slip_sign, p = point->C - sign * point->mu * point->B,
           rubs = fabs(point->mu * point->B);
    if (sign != 0.0)
        return point->b > 0.0 ? (p > 0.0 ? "A" : "B") : p > 0.0 ? "C" : "D";
    if (!(point->b > 0.0) || point->C > rubs)
        return NULL;
    for (int k = 0; k < n; k++)
        if (at[k].mode == CONTACT_STICK)
            return "F";
    return "E";
}

static const char *
letters(enum contact_mode mode)
{
    return mode == CONTACT_STICK           ? "T"
           : mode == CONTACT_SLIP_POSITIVE ? "S+"
                                           : "S-";
}

static void
put_equilibria(struct portrait *portrait, struct places *places,
               struct record *out)
{
    struct arena *arena = record_arena(portrait->analysis);
    struct fast_equilibrium at[FAST_EQUILIBRIA_MOST];
    int n = fast_equilibria(&portrait->point, at), saddle = -1;
    const char **mode = NEW_N(arena, const char *, n + 1),
               **kind = NEW_N(arena, const char *, n + 1);
    double *depth = NEW_N(arena, double, n + 1),
           *force = NEW_N(arena, double, n + 1),
           *eigen = NEW_N(arena, double, 4 * n + 1), speed;
    for (int k = 0; k < n; k++) {
        mode[k] = letters(at[k].mode);
        kind[k] = fast_kind_name(at[k].kind);
        depth[k] = at[k].depth;
        force[k] = at[k].force;
        for (int e = 0; e < 2; e++) {
            eigen[4 * k + 2 * e] = at[k].re[e];
            eigen[4 * k + 2 * e + 1] = at[k].im[e];
        }
        if (at[k].kind == FAST_SADDLE && portrait->point.slip_sign != 0.0)
            saddle = k;
    }
    SET_TEXTS("equilibria", mode, (size_t)n);
    SET_TEXTS("equilibrium_kinds", kind, (size_t)n);
    SET_LIST("equilibrium_depths", depth, (size_t)n);
    SET_LIST("equilibrium_forces", force, (size_t)n);
    SET_MAT("eigenvalues", eigen, 2 * (size_t)n, 2);
    const char *letter = panel(&portrait->point, at, n);
    if (letter)
        SET_TEXT("panel", letter);
    else
        SET_ABSENT("panel", "none of the six: no slip, and b < 0 or p > 0");
    if (saddle >= 0 &&
        fast_separatrix(&portrait->point, &at[saddle], &speed, keep, places))
        SET_NUM("separatrix_speed", speed);
    else
        SET_ABSENT("separatrix_speed",
                   saddle >= 0 ? "the separatrix does not come to depth 0"
                   : portrait->point.slip_sign == 0.0
                       ? "without slip it is a surface: ask for `outcomes`"
                       : "there is no saddle");
    SET_LIST("separatrix_depths", places->depth, places->n);
    SET_LIST("separatrix_speeds", places->speed, places->n);
}

/* A motion that never settles is followed for long: nothing of it is asked once
 * the run is to stop. */
static enum fast_outcome
follow(const struct portrait *portrait, const struct fast_point *point,
       const struct fast_state *start, struct places *places)
{
    return rt_stopped(portrait->analysis->rt)
               ? FAST_UNSETTLED
               : fast_motion(point, start, places ? keep : NULL, places);
}

static int
ended(const struct portrait *portrait)
{
    return rt_stopped(portrait->analysis->rt) ? IMP_STOPPED : IMP_OK;
}

static void
put_basins(struct portrait *portrait, const double *depths, size_t n_depth,
           const double *speeds, size_t n_speed, struct places *places,
           struct record *out)
{
    struct arena *arena = record_arena(portrait->analysis);
    size_t n = n_depth * n_speed;
    const char **outcome = NEW_N(arena, const char *, n + 1);
    double *from = NEW_N(arena, double, 2 * n + 1), *fast = from + n;
    for (size_t k = 0; k < n; k++) {
        struct fast_state start = {.depth = depths[k / n_speed],
                                   .speed = speeds[k % n_speed]};
        places->number = (double)(k + 1);
        places->seen = 0;
        from[k] = start.depth;
        fast[k] = start.speed;
        outcome[k] = fast_outcome_name(
            follow(portrait, &portrait->point, &start, places));
    }
    SET_LIST("start_depths", from, n);
    SET_LIST("start_speeds", fast, n);
    SET_TEXTS("outcomes", outcome, n);
    SET_LIST("curves", places->curve, places->n);
    SET_LIST("curve_depths", places->depth, places->n);
    SET_LIST("curve_speeds", places->speed, places->n);
}

static int
too_many(const struct portrait *portrait, size_t n)
{
    struct diag *diag = diag_add(
        portrait->analysis->ds, DIAG_E0743, portrait->command->range,
        "these are %zu starts; a portrait has at most %d", n, STARTS_MOST);
    diag_help(portrait->analysis->ds, diag, "name fewer depths or speeds");
    return IMP_BADMODEL;
}

static int
cmd_portrait(struct analysis *analysis, const imp_command *command,
             struct record *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct portrait *portrait = NEW(analysis->rt->arena, struct portrait);
    double *depths, *speeds, law[3];
    size_t n_depth, n_speed;
    int st = prepare(analysis, command, IMP_OPT_portrait_at, portrait);
    if (st ||
        (st = numbers(portrait, IMP_OPT_portrait_depths, 0.0,
                      2.0 * portrait->depth, &depths, &n_depth)) ||
        (st = numbers(portrait, IMP_OPT_portrait_speeds, -2.0 * portrait->speed,
                      2.0 * portrait->speed, &speeds, &n_speed)))
        return st;
    if (n_depth * n_speed > STARTS_MOST)
        return too_many(portrait, n_depth * n_speed);
    struct places *places = NEW(analysis->rt->arena, struct places);
    places->arena = record_arena(analysis);
    SET_NUM("time", portrait->instant.time);
    SET_NUM("slip", portrait->instant.point.slip);
    SET_NUM("scale", portrait->scale);
    struct fast_push rests = fast_pressed(portrait->depth, 0.0);
    own_law(portrait, &rests, law);
    SET_TEXT("law", law[2] > 0.0 ? "damped"
                                 : "not damped at rest: what attracts may be "
                                   "circled for ever");
    put_equilibria(portrait, places, out);
    struct fast_state rest = {.depth = 0.0};
    SET_TEXT("outcome", fast_outcome_name(
                            follow(portrait, &portrait->point, &rest, NULL)));
    put_basins(portrait, depths, n_depth, speeds, n_speed, places, out);
    return ended(portrait);
}

const struct command_functions command_portrait = {.run = cmd_portrait};

/* -- resolvable -------------------------------------------------------------
 */

/* A law of the family: as stiff as the own one at the depth of the load, times
 * a factor, with a share of critical damping. */
struct family {
    bool hertz;
    double stiffness, damping, depth, speed; /* of the own law */
};

static bool
family_law(void *ctx, const struct fast_push *at, double out[3])
{
    const struct family *of = ctx;
    double depth = at->depth, speed = at->speed;
    if (!of->hertz) {
        out[0] = of->stiffness * depth + of->damping * speed;
        out[1] = of->stiffness;
        out[2] = of->damping;
        return true;
    }
    double x = fmax(depth, 0.0) / of->depth, root = sqrt(x),
           factor = 1.0 + of->damping * speed / (of->stiffness * of->depth),
           size = of->stiffness * of->depth;
    out[0] = size * x * root * factor;
    out[1] = 1.5 * of->stiffness * root * factor;
    out[2] = x * root * of->damping;
    return true;
}

struct runs {
    size_t n, cap;
    const char **law, **outcome;
    double *scale, *depth, *speed;
    size_t *start, *which;
};

/* All starts at all scales with one law. */
static void
run_law(const struct portrait *portrait, const char *name, size_t which,
        const struct fast_law *law, const double *scales, size_t n_scale,
        struct runs *runs)
{
    /* within, about and beyond what the load does to the own law */
    static const double start[][2] = {{0, 0},  {0, 0.5}, {0, 1}, {0, 2}, {0, 4},
                                      {0, -1}, {0.5, 0}, {2, 0}, {4, 0}};
    for (size_t s = 0; s < n_scale; s++)
        for (size_t k = 0; k < sizeof start / sizeof *start; k++) {
            assert(runs->n < runs->cap);
            struct fast_point point = portrait->point;
            struct fast_state from = {.depth = start[k][0] * portrait->depth,
                                      .speed = start[k][1] * portrait->speed};
            point.law = *law;
            point.slip_sign = 0.0;
            size_t n = runs->n++;
            runs->law[n] = name;
            runs->scale[n] = scales[s];
            runs->depth[n] = from.depth;
            runs->speed[n] = from.speed;
            runs->start[n] = k;
            runs->which[n] = which;
            from.slip = portrait->instant.point.slip / sqrt(scales[s]);
            runs->outcome[n] =
                fast_outcome_name(follow(portrait, &point, &from, NULL));
        }
}

enum resolved_by { BY_LAW, BY_SCALE, BY_START, BY_ALL };

/* Do runs that differ in one thing alone differ in their outcome? */
static bool
depends(const struct runs *runs, enum resolved_by thing)
{
    for (size_t i = 0; i < runs->n; i++)
        for (size_t j = 0; j < i; j++) {
            bool law = runs->which[i] == runs->which[j],
                 scale = runs->scale[i] == runs->scale[j],
                 start = runs->start[i] == runs->start[j];
            if ((law || thing == BY_LAW) && (scale || thing == BY_SCALE) &&
                (start || thing == BY_START) &&
                strcmp(runs->outcome[i], runs->outcome[j]))
                return true;
        }
    return false;
}

static void
put_runs(struct analysis *analysis, const struct runs *runs, struct record *out)
{
    static const char *const thing[] = {"law", "scale", "start"};
    const char **on = NEW_N(record_arena(analysis), const char *, BY_ALL);
    size_t n = 0;
    for (int k = 0; k < BY_ALL; k++)
        if (depends(runs, (enum resolved_by)k))
            on[n++] = thing[k];
    SET_BOOL("resolvable", n == 0);
    if (n == 0)
        SET_TEXT("outcome", runs->outcome[0]);
    else
        SET_ABSENT("outcome", "there are several");
    SET_TEXTS("depends_on", on, n);
    SET_TEXTS("laws", runs->law, runs->n);
    SET_LIST("run_scales", runs->scale, runs->n);
    SET_LIST("run_depths", runs->depth, runs->n);
    SET_LIST("run_speeds", runs->speed, runs->n);
    SET_TEXTS("outcomes", runs->outcome, runs->n);
}

static int
cmd_resolvable(struct analysis *analysis, const imp_command *command,
               struct record *out)
{
    static const struct {
        const char *name;
        bool hertz;
        double stiffness, damping;
    } member[] = {{"linear, stiffness 1, damping 0.1", false, 1, 0.1},
                  {"linear, stiffness 1, damping 0.5", false, 1, 0.5},
                  {"linear, stiffness 1, damping 2", false, 1, 2},
                  {"linear, stiffness 4, damping 0.5", false, 4, 0.5},
                  {"linear, stiffness 0.25, damping 0.5", false, 0.25, 0.5},
                  {"Hertz, stiffness 1, damping 0.5", true, 1, 0.5}};
    enum { MEMBERS = sizeof member / sizeof *member, STARTING = 9 };
    struct portrait *portrait = NEW(analysis->rt->arena, struct portrait);
    double common[] = {1e-6, 1e-8, 1e-10}, *scales = common, law[3];
    size_t n_scale = 3;
    int st = prepare(analysis, command, IMP_OPT_resolvable_at, portrait);
    const imp_val *value =
        arg_option(analysis, command, IMP_OPT_resolvable_scales);
    if (!st && value)
        st = numbers(portrait, IMP_OPT_resolvable_scales, 0.0, 0.0, &scales,
                     &n_scale);
    if (st)
        return st;
    for (size_t s = 0; s < n_scale; s++)
        if (!(scales[s] > 0.0)) {
            struct diag *diag =
                diag_add(analysis->ds, DIAG_E0386, value->range,
                         "the scale of a compliance is a positive number");
            diag_help(analysis->ds, diag, "as in scales = (1e-3, 1e-6)");
            return IMP_BADMODEL;
        }
    struct arena *arena = record_arena(analysis);
    size_t cap = (MEMBERS + 1) * STARTING * n_scale;
    struct runs runs = {.cap = cap,
                        .law = NEW_N(arena, const char *, cap),
                        .outcome = NEW_N(arena, const char *, cap),
                        .scale = NEW_N(arena, double, 3 * cap),
                        .start = NEW_N(arena, size_t, 2 * cap)};
    runs.depth = runs.scale + cap;
    runs.speed = runs.depth + cap;
    runs.which = runs.start + cap;
    struct fast_push rests = fast_pressed(portrait->depth, 0.0);
    own_law(portrait, &rests, law);
    run_law(portrait, "own", 0, &portrait->point.law, scales, n_scale, &runs);
    for (size_t k = 0; k < MEMBERS; k++) {
        double stiffness = member[k].stiffness * law[0] / portrait->depth;
        struct family of = {.hertz = member[k].hertz,
                            .stiffness = stiffness,
                            .damping = member[k].damping * 2.0 *
                                       sqrt(stiffness / portrait->point.C),
                            .depth = portrait->depth,
                            .speed = portrait->speed};
        struct fast_law other = {family_law, &of};
        run_law(portrait, member[k].name, k + 1, &other, scales, n_scale,
                &runs);
    }
    SET_NUM("time", portrait->instant.time);
    put_runs(analysis, &runs, out);
    return ended(portrait);
}

const struct command_functions command_resolvable = {.run = cmd_resolvable};
