/* SPDX-License-Identifier: MIT */
/* `impact` at contacts of a system: rates of the coordinates before and after,
 * impulses, energies. With N = dgap/dq:  q'+ = q'- + M^-1 N^T P, and the law
 * between N q'- and N q'+ gives P. A law that is stated is that of
 * runtime/impact, as for bodies. Without one, a single contact follows its
 * restitution (runtime/ballistic/ballistic.h) as a map U of the rates, and
 * nothing says what several do.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/system_at_touch.h"
#include "base/num.h"
#include "runtime/flow/flow.h"

/* most remarks on an impact */
#define STRIKE_REMARKS 64

/* What the impact does. */
struct strike_outcome {
    const struct ballistic *motion; /* the matrices */
    const char *law, *determined;
    const char *none;       /* why nothing is applied, or NULL */
    double *rates;          /* n: of the coordinates, after */
    double *impulse, *rate; /* per contact of the system: impulse, rate after */
    const char *remark[STRIKE_REMARKS];
    size_t n_remarks;
};

/* Sets what has no value where nothing is applied. */
static void
undetermined(const struct strike_outcome *outcome, struct record *out)
{
    static const char *const fields[] = {"impulses", "normal_velocities_after",
                                         "rates", "energy_after",
                                         "energy_loss"};
    record_set_absent_all(out, fields, sizeof fields / sizeof *fields,
                          outcome->none);
}

/* Sets the map of the rates at one contact: I - (1 + e) M^-1 N^T N/(N M^-1
 * N^T). */
static void
map(struct strike *strike, const struct strike_outcome *outcome,
    struct record *out)
{
    struct analysis *analysis = strike->analysis;
    const struct ballistic *motion = outcome->motion;
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
        if ((int)i != hit && outcome->impulse[i] != 0.0)
            none = "contacts that touched already are pushed too";
    if (strike_sense(strike, hit) > 0)
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

static void
say(struct strike_outcome *outcome, const char *text)
{
    if (outcome->n_remarks < STRIKE_REMARKS)
        outcome->remark[outcome->n_remarks++] = text;
}

/* Says which contacts that were asked for take no impulse of themselves, and
 * which others are pushed. by_law: runtime/impact has spoken of those that
 * separate. */
static void
remarks(const struct strike *strike, bool by_law,
        struct strike_outcome *outcome)
{
    struct arena *arena = strike->analysis->rt->arena;
    char gap[NUM_TEXT];
    for (int row = 0; row < strike->n_hit; row++) {
        int i = strike->hit[row], side = strike_sense(strike, i);
        if (side >= by_law && side <= 1 - by_law && outcome->impulse[i] == 0.0)
            say(outcome,
                arena_printf(
                    arena,
                    side > 0 ? "%s separates: it takes no impulse"
                             : "%s does not approach: the law has nothing to "
                               "reverse",
                    strike_name(strike, i)));
    }
    for (int i = 0; i < (int)strike->n_contacts; i++)
        if (strike_overlaps(strike, i))
            say(outcome,
                arena_printf(arena,
                             "%s overlaps, its gap is %s: it takes no part",
                             strike_name(strike, i),
                             num_digits(gap, strike->gap[i], 6)));
        else if (strike->rests[i] && outcome->impulse[i] != 0.0)
            say(outcome,
                arena_printf(arena, "%s touches already and is pushed too",
                             strike_name(strike, i)));
}

static int
result(struct strike *strike, struct strike_outcome *outcome,
       struct record *out)
{
    struct analysis *analysis = strike->analysis;
    struct rt *run = analysis->rt;
    size_t n = strike->n_coordinates, n_hit = (size_t)strike->n_hit;
    const char **name = NEW_N(run->arena, const char *, n + n_hit + 1);
    double *rates = NEW_N(run->arena, double, 2 * n + n_hit * (n_hit + 3) + 1),
           *numbers = rates + 2 * n, e0, e1 = 0.0;
    const imp_coordinate *c =
        IMP_ARRAY(run->im, run->im->coordinates, imp_coordinate) +
        strike->image_system->first;
    memcpy(rates, run->env + strike->image_system->env_state + n,
           n * sizeof *rates);
    memcpy(rates + n, outcome->rates, n * sizeof *rates);
    for (size_t row = 0; row < n; row++)
        name[row] = imp_text(run->im, c[row].name);
    for (size_t row = 0; row < n_hit; row++) {
        int j = strike->hit[row];
        name[n + row] = strike_name(strike, j);
        numbers[row] = strike->rate[j];
        numbers[n_hit + row] = outcome->rate[j];
        numbers[2 * n_hit + row] = outcome->impulse[j];
        for (size_t g = 0; g < n_hit; g++)
            numbers[3 * n_hit + row * n_hit + g] =
                outcome->motion->matrices
                    .W[j * (int)strike->n_contacts + strike->hit[g]];
    }
    int st = strike_energy(strike, rates + n, &e1);
    if (st || (st = strike_energy(strike, rates, &e0)))
        return st;
    SET_TEXTS("coordinates", name, n);
    SET_NUM("time", rt_told_time(rt_time(run)));
    SET_TEXTS("contacts", name + n, n_hit);
    SET_LIST("normal_velocities_before", numbers, n_hit);
    SET_NUM("energy_before", e0);
    SET_TEXT("law", outcome->law);
    SET_MAT("G", numbers + 3 * n_hit, n_hit, n_hit);
    map(strike, outcome, out);
    SET_TEXT("determined", outcome->determined);
    SET_TEXTS("warnings", outcome->remark, outcome->n_remarks);
    if (outcome->none) {
        undetermined(outcome, out);
        return IMP_OK;
    }
    SET_LIST("normal_velocities_after", numbers + n_hit, n_hit);
    SET_LIST("impulses", numbers + 2 * n_hit, n_hit);
    SET_MAT("rates", rates, 2, n);
    SET_NUM("energy_after", e1);
    SET_NUM("energy_loss", e0 - e1);
    return IMP_OK;
}

/* Memory for what the impact does: nothing yet. */
static void
begin(const struct strike *strike, struct strike_outcome *outcome)
{
    struct rt *run = strike->analysis->rt;
    size_t n = strike->n_coordinates, m = strike->n_contacts;
    outcome->rates = NEW_N(run->arena, double, n + 2 * m + 1);
    outcome->impulse = outcome->rates + n;
    outcome->rate = outcome->impulse + m;
    memcpy(outcome->rates, run->env + strike->image_system->env_state + n,
           n * sizeof *outcome->rates);
    memcpy(outcome->rate, strike->rate, m * sizeof *outcome->rate);
}

/* The impact where no law is stated. */
static int
without_law(struct strike *strike, struct strike_outcome *outcome)
{
    struct analysis *analysis = strike->analysis;
    struct rt *run = analysis->rt;
    struct ballistic *motion;
    enum ballistic_event what;
    int st = flow_impact_now(run, strike->system, BALLISTIC_UNSTATED,
                             strike->approaching, strike->n_approaching,
                             strike->rests, &motion, &what);
    if (st)
        return st;
    uint32_t first = strike->image_system->contact + (uint32_t)strike->hit[0];
    if (what == BALLISTIC_JAMMED)
        return flow_jammed(run, first, rt_time(run));
    bool open = what == BALLISTIC_UNDECIDED;
    outcome->motion = motion;
    outcome->law = strike->n_approaching > 1 || open
                       ? "none"
                       : imp_impact_law_word(IMP_IMPACT_NEWTON +
                                             rt_contact(run, first)->law);
    outcome->determined = open ? "no" : "yes";
    for (int i = 0; i < (int)strike->n_contacts; i++) {
        outcome->impulse[i] = motion->event.impulse[i];
        outcome->rate[i] = ballistic_rate(motion, i, NULL);
    }
    remarks(strike, false, outcome);
    if (!open) {
        double *place = NEW_N(run->arena, double, strike->n_coordinates + 1);
        ballistic_state(motion, place, outcome->rates);
        return IMP_OK;
    }
    outcome->none = "the outcome depends on the order of the contacts";
    struct diag *diag =
        diag_add(analysis->ds, DIAG_W0730, strike->command->range,
                 "several contacts close at one time, and no law says what "
                 "follows");
    diag_help(analysis->ds, diag,
              "choose: law = sequential takes one after the other, "
              "complementarity all at once, rest stops them; `compare impact` "
              "shows all laws side by side");
    return IMP_OK;
}

/* Takes over what the solver has found. */
static void
take_over(const struct strike *strike, const struct flow_impact *impact,
          struct strike_outcome *outcome)
{
    const struct impact_solver *solver = impact->solver;
    for (int k = 0; k < solver->nc; k++) {
        size_t i = impact->problem.contact[k] - strike->image_system->contact;
        outcome->impulse[i] = solver->impulse.P[k];
        outcome->rate[i] = solver->velocity.after[k];
    }
    strike_rates_after(strike, outcome->motion, impact, outcome->rates);
}

/* The impact under a law, as that of bodies. */
static int
by_law(struct strike *strike, enum imp_impact_law law,
       struct strike_outcome *outcome)
{
    static const char *const word[] = {"yes", "motion only", "no"};
    struct flow_impact impact;
    struct ballistic *motion;
    bool rests;
    int st = strike_problem(strike, &motion, &impact, &rests);
    if (st)
        return st;
    struct impact_solver *solver = impact.solver;
    if (rests)
        impact_solver_solve_pushing(solver, law);
    else
        impact_solver_solve(solver, law);
    outcome->motion = motion;
    outcome->law = imp_impact_law_word(solver->decision.law);
    outcome->determined = word[solver->decision.determined];
    if (solver->decision.applied)
        take_over(strike, &impact, outcome);
    else
        outcome->none = impact_fault_text(solver);
    outcome->n_remarks =
        impact_remarks(strike->analysis, &impact.problem, solver,
                       outcome->remark, STRIKE_REMARKS);
    st = impact_check(strike->analysis, strike->command, &impact.problem,
                      solver, outcome->remark, outcome->n_remarks);
    remarks(strike, true, outcome);
    return st;
}

int
impact_of_system(struct analysis *analysis, const imp_command *command,
                 struct record *out)
{
    assert(analysis != NULL && command != NULL && command->args.n > 0);
    struct strike strike;
    struct strike_outcome outcome = {.none = NULL};
    enum imp_impact_law law;
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
    int st = impact_law_of_command(analysis, command, &law);
    if (st ||
        (st = strike_bring(analysis, command, IMP_OPT_impact_until, &strike)))
        return st;
    if (strike.image_system->n_rub > 0)
        return impact_of_rubbing_system(&strike, law, out);
    begin(&strike, &outcome);
    st = law == IMP_IMPACT_UNDECLARED ? without_law(&strike, &outcome)
                                      : by_law(&strike, law, &outcome);
    return st ? st : result(&strike, &outcome, out);
}
