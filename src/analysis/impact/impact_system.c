/* SPDX-License-Identifier: MIT */
/* `impact` at contacts of a system: rates of the coordinates before and after,
 * impulses, energies. As with bodies the contacts must touch, at the start or
 * at the end of a motion that is followed as far as `until` allows. With
 * N = dgap/dq:  q'+ = q'- + M^-1 N^T P, the law between N q'- and N q'+ gives
 * P (runtime/ballistic/ballistic.h); at one contact it is a map U of the rates.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"
#include "runtime/numerics/dense.h"

/* A gap at the start that is below this share of its terms is closed, as in
 * runtime/flow; a rate below this share of its terms is rest, as it is of
 * bodies (runtime/impact). */
#define STRIKE_CLOSED 1e-9
#define STRIKE_RESTS 1e-9
/* events that are followed on the way to the impact */
#define STRIKE_EVENTS 100000

struct strike {
    struct analysis *analysis;
    const imp_command *command;
    const imp_system *image_system;
    uint32_t system, n_coordinates, n_contacts;
    int *hit; /* contacts of the system that close, in the order asked for */
    int n_hit;
    int *approaching; /* those of them that approach: they alone are hit */
    int n_approaching;
    /* per contact */
    bool *rests;        /* closed, and neither closing nor opening */
    double *gap, *rate; /* at the impact */
    double *size;       /* of the terms of the gap, at the start and here */
    double *speed;      /* of the terms of its rate */
};

static const char *
name_of(const struct strike *strike, int i)
{
    const struct rt *run = strike->analysis->rt;
    return imp_text(
        run->im,
        rt_contact(run, strike->image_system->contact + (uint32_t)i)->name);
}

static int
gaps(struct strike *strike)
{
    struct rt *run = strike->analysis->rt;
    const double *position = run->env + strike->image_system->env_state,
                 *velocity = position + strike->n_coordinates;
    double *gradient = NEW_N(run->arena, double, strike->n_coordinates + 1);
    for (uint32_t i = 0; i < strike->n_contacts; i++) {
        int st = system_gap(run, strike->system, i, &strike->gap[i],
                            &strike->rate[i], gradient);
        if (st)
            return st;
        strike->size[i] = fmax(strike->size[i], fabs(strike->gap[i]));
        strike->speed[i] = fabs(strike->rate[i]);
        for (uint32_t j = 0; j < strike->n_coordinates; j++) {
            strike->size[i] =
                fmax(strike->size[i], fabs(gradient[j] * position[j]));
            strike->speed[i] =
                fmax(strike->speed[i], fabs(gradient[j] * velocity[j]));
        }
    }
    return IMP_OK;
}

static bool
closed(const struct strike *strike, int i)
{
    return strike->gap[i] <= STRIKE_CLOSED * strike->size[i];
}

static bool
overlaps(const struct strike *strike, int i)
{
    return strike->gap[i] < -STRIKE_CLOSED * strike->size[i];
}

/* Returns -1: the contact approaches, 1: it separates, 0: neither. */
static int
sense(const struct strike *strike, int i)
{
    double noise = STRIKE_RESTS * strike->speed[i];
    return (strike->rate[i] > noise) - (strike->rate[i] < -noise);
}

static int
not_closed(struct strike *strike, int contact)
{
    char g[NUM_TEXT], t[NUM_TEXT];
    struct analysis *analysis = strike->analysis;
    bool start = rt_time(analysis->rt) == 0.0;
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0709, strike->command->range,
                 start ? "`%s` does not touch at the start: its gap is %s"
                       : "`%s` has no impact until t = %s",
                 name_of(strike, contact),
                 start ? num_digits(g, strike->gap[contact], 6)
                       : num_digits(t, rt_time(analysis->rt), 9));
    diag_help(analysis->ds, diag,
              start ? "let the start close it, or say how far its motion is to "
                      "be followed: until = 2"
                    : "a larger `until` follows the motion further");
    return IMP_FAILED;
}

/* -- when -------------------------------------------------------------------
 */

/* Was one of the contacts that the command names among those of the last event?
 * Then strike->hit becomes all contacts of that event. */
static bool
struck(struct strike *strike, const struct flow *f,
       const struct flow_event *event)
{
    const double *impulse;
    const uint32_t *contacts = flow_contacts(f, &impulse);
    bool asked = false;
    for (uint32_t j = 0; j < event->n; j++)
        for (int i = 0; i < strike->n_hit; i++)
            asked |= contacts[j] ==
                     strike->image_system->contact + (uint32_t)strike->hit[i];
    for (uint32_t j = 0; j < event->n && asked; j++) {
        int i = 0, x = (int)(contacts[j] - strike->image_system->contact);
        while (i < strike->n_hit && strike->hit[i] != x)
            i++;
        if (i == strike->n_hit)
            strike->hit[strike->n_hit++] = x;
    }
    return asked;
}

static int
endless(struct strike *strike, const struct flow_event *event)
{
    char t[NUM_TEXT];
    struct diag *diag = diag_add(
        strike->analysis->ds, DIAG_E0709, strike->command->range,
        "before `%s` the motion comes to the limit of "
        "infinitely many impacts, t = %s",
        name_of(strike, strike->hit[0]), num_digits(t, event->time, 9));
    diag_help(strike->analysis->ds, diag,
              "an impact is asked for before it: give a start nearer to it");
    return IMP_FAILED;
}

/* Follows the motion to the first impact at one of the contacts. The state is
 * then the one before the impact. */
static int
follow(struct strike *strike, double until)
{
    struct rt *run = strike->analysis->rt;
    double *time = run->env + run->im->layout.time, time_ahead;
    double *env = run->env + strike->image_system->env_state;
    double *before = NEW_N(run->arena, double, 2 * strike->n_coordinates + 1);
    struct flow *flow = flow_new(run, strike->system,
                                 simultaneous_policy(strike->analysis), until);
    struct flow_event event;
    if (!flow)
        return IMP_BADMODEL;
    for (long events = 0; events < STRIKE_EVENTS && !rt_stopped(run);) {
        int st = flow_peek(flow, until, &time_ahead);
        if (st)
            return st;
        *time = time_ahead;
        bool eventful = flow_eventful(flow);
        if (!eventful && !(time_ahead < until))
            return not_closed(strike, strike->hit[0]);
        if ((st = flow_at(flow, time_ahead)))
            return st;
        memcpy(before, env, 2 * (size_t)strike->n_coordinates * sizeof *env);
        if ((st = flow_apply(flow, &event)))
            return st;
        events += eventful;
        bool hits = event.kind == FLOW_IMPACT || event.kind == FLOW_SEVERAL ||
                    event.kind == FLOW_UNDECIDED;
        if (event.kind == FLOW_JAMMED)
            return flow_jammed(run, event.contact, event.time);
        if (hits && struck(strike, flow, &event)) {
            *time = time_ahead;
            memcpy(env, before,
                   2 * (size_t)strike->n_coordinates * sizeof *env);
            return IMP_OK;
        }
        if (event.kind == FLOW_CHATTER && struck(strike, flow, &event))
            return endless(strike, &event);
        if (event.kind == FLOW_UNDECIDED)
            return not_closed(strike, strike->hit[0]);
    }
    return rt_stopped(run) ? IMP_STOPPED : not_closed(strike, strike->hit[0]);
}

static int
bring(struct strike *strike)
{
    const imp_val *value =
        arg_option(strike->analysis, strike->command, IMP_OPT_impact_until);
    double until;
    int st = gaps(strike);
    if (st)
        return st;
    int open = -1;
    for (int i = 0; i < strike->n_hit; i++)
        if (overlaps(strike, strike->hit[i]))
            return flow_overlaps(strike->analysis->rt,
                                 strike->image_system->contact +
                                     (uint32_t)strike->hit[i],
                                 strike->gap[strike->hit[i]]);
    for (int i = 0; i < strike->n_hit; i++)
        open = closed(strike, strike->hit[i]) ? open : strike->hit[i];
    if (open < 0)
        return IMP_OK;
    if (!value)
        return not_closed(strike, open);
    if ((st = touch_option_until(strike->analysis, strike->command,
                                 IMP_OPT_impact_until, &until)) ||
        (st = follow(strike, until)))
        return st;
    if ((st = gaps(strike)))
        return st;
    for (int i = 0; i < strike->n_hit;
         i++) /* those that hit are closed to rounding */
        strike->size[strike->hit[i]] = INFINITY;
    return IMP_OK;
}

/* -- the record -------------------------------------------------------------
 */

static int
kinetic(struct strike *strike, const double *v, double *e)
{
    struct rt *run = strike->analysis->rt;
    double both[2];
    memcpy(run->env + strike->image_system->env_state + strike->n_coordinates,
           v, strike->n_coordinates * sizeof *v);
    int st = rt_eval(run, strike->image_system->energy, NULL, both);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, strike->image_system->energy, NULL);
    *e = both[0];
    return st ? IMP_FAILED : IMP_OK;
}

static void
undetermined(struct strike *strike, struct record *out)
{
    static const char *const fields[] = {"impulses", "normal_velocities_after",
                                         "rates", "energy_after",
                                         "energy_loss"};
    struct analysis *analysis = strike->analysis;
    record_set_absent_all(out, fields, sizeof fields / sizeof *fields,
                          "the outcome depends on the order of the contacts");
    struct diag *diag =
        diag_add(analysis->ds, DIAG_W0730, strike->command->range,
                 "several contacts close at one time, and no law says what "
                 "follows");
    diag_help(analysis->ds, diag,
              "choose: law = sequential takes one after the other, "
              "complementarity all at once, rest stops them");
}

/* Sets the map of the rates at one contact: I - (1 + e) M^-1 N^T N/(N M^-1
 * N^T). */
static void
map(struct strike *strike, const struct ballistic *motion, struct record *out)
{
    struct analysis *analysis = strike->analysis;
    size_t n_coordinates = strike->n_coordinates;
    int hit = strike->hit[0];
    const char *none = NULL;
    if (strike->n_hit > 1) {
        SET_ABSENT("map", "several contacts: it depends on the approach which "
                          "of them push");
        SET_ABSENT("effective_mass", "several contacts");
        return;
    }
    for (uint32_t i = 0; i < strike->n_contacts; i++)
        if ((int)i != hit && motion->event.impulse[i] != 0.0)
            none = "contacts that touched already are pushed too";
    if (sense(strike, hit) > 0)
        none = "the contact separates: nothing is reversed";
    double mobility = motion->matrices.W[hit * ((int)strike->n_contacts + 1)],
           *rates_map = NEW_N(analysis->rt->arena, double,
                              n_coordinates *n_coordinates + 1);
    for (size_t x = 0; x < n_coordinates; x++)
        for (size_t y = 0; y < n_coordinates; y++)
            rates_map[x * n_coordinates + y] =
                (x == y) -
                (1.0 + motion->model.e[hit]) *
                    motion->matrices.B[(size_t)hit * n_coordinates + x] *
                    motion->model.N[(size_t)hit * n_coordinates + y] / mobility;
    if (none)
        SET_ABSENT("map", none);
    else
        SET_MAT("map", rates_map, n_coordinates, n_coordinates);
    SET_NUM("effective_mass", 1.0 / mobility);
}

/* Are there impulses at the contacts that move nothing? Then the impulses of a
 * law that takes all contacts at once are one choice of many. */
static bool
dependent(struct strike *strike, const double *G)
{
    int h = strike->n_hit, rank;
    struct arena *ar = strike->analysis->rt->arena;
    double *a = NEW_N(ar, double, (size_t)h *((size_t)h + 1) + 1);
    int *first = NEW_N(ar, int, (size_t)h + 1);
    memcpy(a, G, (size_t)h * (size_t)h * sizeof *a);
    dense_cholesky(h, a, h, first, NULL, dense_tolerance(h, h), a + h * h,
                   &rank);
    return rank < h;
}

/* Puts into `warn` which contacts that were asked for take no impulse of
 * themselves, and which others are pushed. Returns how many there are. */
static size_t
remarks(const struct strike *strike, const struct ballistic *motion,
        const char **warn)
{
    struct arena *arena = strike->analysis->rt->arena;
    char gap[NUM_TEXT];
    size_t count = 0;
    for (int row = 0; row < strike->n_hit; row++) {
        int i = strike->hit[row], side = sense(strike, i);
        if (side >= 0 && motion->event.impulse[i] == 0.0)
            warn[count++] = arena_printf(
                arena,
                side > 0 ? "%s separates: it takes no impulse"
                         : "%s does not approach: the law has nothing to "
                           "reverse",
                name_of(strike, i));
    }
    for (uint32_t i = 0; i < strike->n_contacts; i++)
        if (overlaps(strike, (int)i))
            warn[count++] = arena_printf(
                arena, "%s overlaps, its gap is %s: it takes no part",
                name_of(strike, (int)i), num_digits(gap, strike->gap[i], 6));
        else if (strike->rests[i] && motion->event.impulse[i] != 0.0)
            warn[count++] =
                arena_printf(arena, "%s touches already and is pushed too",
                             name_of(strike, (int)i));
    return count;
}

static int
result(struct strike *strike, const struct ballistic *motion,
       enum ballistic_event what, const char *law, struct record *out)
{
    struct analysis *analysis = strike->analysis;
    struct arena *ar = analysis->rt->arena;
    size_t n_coordinates = strike->n_coordinates, n_hit = (size_t)strike->n_hit;
    const char **name = NEW_N(ar, const char *, n_coordinates + n_hit + 1);
    const char **warn = NEW_N(ar, const char *, strike->n_contacts + 2);
    double *rates =
               NEW_N(ar, double, 2 * n_coordinates + n_hit * (n_hit + 3) + 1),
           *numbers = rates + 2 * n_coordinates;
    double e0, e1, *q = NEW_N(ar, double, n_coordinates + 1);
    size_t n_warn = 0;
    const imp_coordinate *c =
        IMP_ARRAY(analysis->rt->im, analysis->rt->im->coordinates,
                  imp_coordinate) +
        strike->image_system->first;
    memcpy(rates,
           analysis->rt->env + strike->image_system->env_state + n_coordinates,
           n_coordinates * sizeof *rates);
    ballistic_state(motion, q, rates + n_coordinates);
    for (size_t row = 0; row < n_coordinates; row++)
        name[row] = imp_text(analysis->rt->im, c[row].name);
    SET_TEXTS("coordinates", name, n_coordinates);
    for (size_t row = 0; row < n_hit; row++) {
        int j = strike->hit[row];
        name[n_coordinates + row] = name_of(strike, j);
        numbers[row] = strike->rate[j];
        numbers[n_hit + row] = ballistic_rate(motion, j, NULL);
        numbers[2 * n_hit + row] = motion->event.impulse[j];
        for (size_t g = 0; g < n_hit; g++)
            numbers[3 * n_hit + row * n_hit + g] =
                motion->matrices
                    .W[j * (int)strike->n_contacts + strike->hit[g]];
    }
    n_warn = remarks(strike, motion, warn);
    int st = kinetic(strike, rates + n_coordinates, &e1);
    if (st || (st = kinetic(strike, rates, &e0)))
        return st;
    SET_NUM("time", rt_time(analysis->rt));
    SET_TEXTS("contacts", name + n_coordinates, n_hit);
    SET_LIST("normal_velocities_before", numbers, n_hit);
    SET_NUM("energy_before", e0);
    SET_TEXT("law", law);
    SET_MAT("G", numbers + 3 * n_hit, n_hit, n_hit);
    map(strike, motion, out);
    bool several = what == BALLISTIC_SEVERAL &&
                   motion->policy != BALLISTIC_SEQUENTIAL &&
                   dependent(strike, numbers + 3 * n_hit);
    if (several)
        warn[n_warn++] = "the motion is unique, the impulses are not: a least "
                         "set is given";
    SET_TEXT("determined", what == BALLISTIC_UNDECIDED ? "no"
                           : several                   ? "motion only"
                                                       : "yes");
    SET_TEXTS("warnings", warn, n_warn);
    if (what == BALLISTIC_UNDECIDED) {
        undetermined(strike, out);
        return IMP_OK;
    }
    SET_LIST("normal_velocities_after", numbers + n_hit, n_hit);
    SET_LIST("impulses", numbers + 2 * n_hit, n_hit);
    SET_MAT("rates", rates, 2, n_coordinates);
    SET_NUM("energy_after", e1);
    SET_NUM("energy_loss", e0 - e1);
    return IMP_OK;
}

int
impact_of_system(struct analysis *analysis, const imp_command *command,
                 struct record *out)
{
    assert(analysis != NULL && command != NULL && command->args.n > 0);
    struct rt *run = analysis->rt;
    struct strike strike = {.analysis = analysis,
                            .command = command,
                            .n_hit = (int)command->args.n};
    enum imp_impact_law law;
    enum ballistic_event what;
    struct ballistic *motion;
    const imp_val *own = arg_option(analysis, command, IMP_OPT_impact_impulse);
    if (own) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0705, own->range,
                     "an impulse of your own is asked of contacts "
                     "between bodies");
        diag_help(analysis->ds, diag,
                  "leave `impulse` out: `map` and `G` of the record "
                  "tell what any impulse does");
        return IMP_BADMODEL;
    }
    strike.system = rt_contact(run, arg_contact(analysis, command, 0))->system;
    strike.image_system = rt_system(run, strike.system);
    if (friction_left_out(analysis, strike.system, "impact", command->range))
        return IMP_BADMODEL;
    strike.n_coordinates = strike.image_system->n;
    strike.n_contacts = strike.image_system->n_contact;
    strike.hit = NEW_N(run->arena, int, strike.n_contacts + 1);
    strike.rests = NEW_N(run->arena, bool, strike.n_contacts + 1);
    strike.approaching = NEW_N(run->arena, int, strike.n_contacts + 1);
    strike.gap = NEW_N(run->arena, double, 4 * (size_t)strike.n_contacts + 1);
    strike.rate = strike.gap + strike.n_contacts;
    strike.size = strike.rate + strike.n_contacts;
    strike.speed = strike.size + strike.n_contacts;
    for (int i = 0; i < strike.n_hit; i++)
        strike.hit[i] = (int)(arg_contact(analysis, command, (uint32_t)i) -
                              strike.image_system->contact);
    int st = impact_law_of_command(analysis, command, &law);
    if (st || (st = bring(&strike)))
        return st;
    for (uint32_t i = 0; i < strike.n_contacts; i++)
        strike.rests[i] = closed(&strike, (int)i) &&
                          !overlaps(&strike, (int)i) &&
                          sense(&strike, (int)i) == 0;
    for (int i = 0; i < strike.n_hit; i++)
        if (sense(&strike, strike.hit[i]) < 0)
            strike.approaching[strike.n_approaching++] = strike.hit[i];
    if ((st = flow_impact_now(run, strike.system, impact_law_policy(law),
                              strike.approaching, strike.n_approaching,
                              strike.rests, &motion, &what)))
        return st;
    if (what == BALLISTIC_JAMMED)
        return flow_jammed(
            run, strike.image_system->contact + (uint32_t)strike.hit[0],
            rt_time(run));
    const imp_contact *one =
        rt_contact(run, strike.image_system->contact + (uint32_t)strike.hit[0]);
    const char *word = law != IMP_IMPACT_UNDECLARED ? imp_impact_law_word(law)
                       : strike.n_approaching > 1 || what == BALLISTIC_UNDECIDED
                           ? "none"
                           : imp_impact_law_word(IMP_IMPACT_NEWTON + one->law);
    return result(&strike, motion, what, word, out);
}
