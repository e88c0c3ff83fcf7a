/* SPDX-License-Identifier: MIT */
/* `compare impact c1, c2, ...`: one impact under every law, the spread of what
 * they give, and the angles between contacts in the kinetic metric. Contacts at
 * right angles do not act on each other: their order does not matter. That of
 * others is tried. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/system_at_touch.h"

enum { LAWS = IMP_IMPACT_COUNT - 1 };

static void
spread(const double *x, const bool *on, size_t nc, double *out)
{
    for (size_t c = 0; c < nc; c++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t l = 0; l < LAWS; l++)
            if (on[l]) {
                lo = fmin(lo, x[l * nc + c]);
                hi = fmax(hi, x[l * nc + c]);
            }
        out[c] = hi >= lo ? hi - lo : 0;
    }
}

/* the most contact points whose orders are all tried, 720 of them */
#define ORDERS_MOST 6
/* normal velocities that differ by this share of the speeds are different */
#define ORDERS_SAME 1e-9

/* Makes the next order of these numbers, in the order of a dictionary; false
 * after the last one. */
static bool
next_order(int points, int *order)
{
    int place = points - 2, other = points - 1;
    while (place >= 0 && order[place] > order[place + 1])
        place--;
    if (place < 0)
        return false;
    while (order[other] < order[place])
        other--;
    int kept = order[place];
    order[place] = order[other];
    order[other] = kept;
    for (place++, other = points - 1; place < other; place++, other--) {
        kept = order[place];
        order[place] = order[other];
        order[other] = kept;
    }
    return true;
}

/* The impact that is compared. */
struct comparison {
    struct analysis *analysis;
    const struct impact_of_run *problem;
    struct impact_solver *solver;
    /* of contacts of a system; NULL for those of bodies */
    struct strike *strike;
    const struct ballistic *motion;
    const struct flow_impact *impact;
    bool rests; /* some of them rest and only push */
};

static void
solve(const struct comparison *compared, enum imp_impact_law law)
{
    if (compared->rests)
        impact_solver_solve_pushing(compared->solver, law);
    else
        impact_solver_solve(compared->solver, law);
}

/* Does the law give the normal velocities `first` after the impact? *known:
 * false where the law has none. */
static bool
same_motion(const struct comparison *compared, enum imp_impact_law law,
            const double *first, bool *known)
{
    const struct impact_solver *solver = compared->solver;
    bool same = true;
    solve(compared, law);
    *known &= solver->decision.applied;
    for (int i = 0; i < solver->nc; i++)
        same &=
            fabs(solver->velocity.after[i] - first[i]) <=
            ORDERS_SAME * solver->approach.speed * solver->approach.length[i];
    return same;
}

/* Is the motion after the impact the same for all contacts at once and for one
 * after the other, whatever contact comes first? *known: false where that is
 * not found out. Contacts at right angles do not act on each other; else all
 * orders are tried, by priorities. */
static bool
same_in_all_orders(const struct comparison *compared, bool right, bool *known)
{
    struct analysis *analysis = compared->analysis;
    struct impact_solver *solver = compared->solver;
    int nc = solver->nc, order[ORDERS_MOST];
    const struct impact_contact *stated = solver->in.contact;
    *known = true;
    if (right)
        return true;
    double *first = NEW_N(analysis->rt->arena, double, nc + 1);
    struct impact_contact *contact =
        NEW_N(analysis->rt->arena, struct impact_contact, nc + 1);
    solve(compared, IMP_IMPACT_COMPLEMENTARITY);
    *known = solver->decision.applied;
    memcpy(first, solver->velocity.after, (size_t)nc * sizeof *first);
    bool same = same_motion(compared, IMP_IMPACT_SEQUENTIAL, first, known);
    if (!same || !*known)
        return same;
    *known = nc <= ORDERS_MOST;
    memcpy(contact, stated, (size_t)nc * sizeof *contact);
    for (int i = 0; i < nc && *known; i++)
        order[i] = i;
    solver->in.contact = contact;
    for (bool more = *known; more && same; more = next_order(nc, order)) {
        for (int i = 0; i < nc; i++)
            contact[i].priority = order[i];
        same = same_motion(compared, IMP_IMPACT_SEQUENTIAL, first, known);
    }
    solver->in.contact = stated;
    return same;
}

/* Gives the angles between the contacts in the metric of the masses (nc x nc).
 * Returns whether all of them are right angles. */
static bool
kinetic_angles(const struct impact_solver *solver, size_t nc, double *angle)
{
    bool right = true;
    for (size_t i = 0; i < nc; i++)
        for (size_t j = 0; j < nc; j++) {
            double cosine = delassus_cosine(solver, (int)i, (int)j);
            angle[i * nc + j] = i == j ? 0 : acos(fmax(-1, fmin(1, cosine)));
            right &= i == j || delassus_orthogonal(solver, (int)i, (int)j);
        }
    return right;
}

/* The energies before and after the impact under the law that was solved last.
 */
static int
energies(const struct comparison *compared, double energy[2])
{
    memcpy(energy, compared->solver->balance.energy, 2 * sizeof *energy);
    if (!compared->strike)
        return IMP_OK;
    const struct rt *run = compared->analysis->rt;
    size_t n = compared->strike->n_coordinates;
    double *rates = NEW_N(run->arena, double, n + 1);
    memcpy(rates, run->env + compared->strike->image_system->env_state + n,
           n * sizeof *rates);
    int st = strike_energy(compared->strike, rates, &energy[0]);
    if (st)
        return st;
    strike_rates_after(compared->strike, compared->motion, compared->impact,
                       rates);
    return strike_energy(compared->strike, rates, &energy[1]);
}

/* A row for each law that gives a motion: their number is `n`. */
struct comparison_rows {
    size_t n, n_warn;
    const char *law[LAWS], *determined[LAWS], *warn[64];
    double loss[LAWS], energy;
    double *impulses, *after; /* LAWS x nc */
};

/* Has the law a row? One that asks for stiffnesses only where they are stated.
 */
static bool
has_row(const struct comparison *compared, uint32_t law)
{
    unsigned traits = imp_impact_law_traits(law);
    bool stated = true;
    for (int c = 0; c < compared->solver->nc; c++)
        stated &= compared->solver->in.contact[c].stiffness > 0;
    return !(traits & IMP_LAW_TRAIT_NOT_COMPARED) &&
           (stated || !(traits & IMP_LAW_TRAIT_STIFFNESS));
}

static int
fill_rows(const struct comparison *compared, struct comparison_rows *rows)
{
    static const char *const word[] = {"yes", "motion only", "no"};
    const struct impact_solver *solver = compared->solver;
    size_t nc = (size_t)solver->nc;
    for (uint32_t l = 0; l < LAWS; l++) {
        const char *text[8];
        double energy[2];
        if (!has_row(compared, IMP_IMPACT_NEWTON + l))
            continue;
        solve(compared, (enum imp_impact_law)(IMP_IMPACT_NEWTON + l));
        size_t n = impact_remarks(compared->analysis, compared->problem, solver,
                                  text, 8);
        for (size_t i = 0; i < n && rows->n_warn < 64; i++)
            rows->warn[rows->n_warn++] = arena_printf(
                record_arena(compared->analysis), "%s: %s",
                imp_impact_law_word(solver->decision.law), text[i]);
        int st = energies(compared, energy);
        if (st)
            return st;
        rows->energy = energy[0];
        if (!solver->decision.applied)
            continue;
        rows->law[rows->n] = imp_impact_law_word(solver->decision.law);
        rows->determined[rows->n] = word[solver->decision.determined];
        rows->loss[rows->n] = energy[0] - energy[1];
        memcpy(rows->impulses + rows->n * nc, solver->impulse.P,
               nc * sizeof *rows->impulses);
        memcpy(rows->after + rows->n * nc, solver->velocity.after,
               nc * sizeof *rows->after);
        rows->n++;
    }
    return IMP_OK;
}

static int
compare(const struct comparison *compared, struct record *out)
{
    struct analysis *analysis = compared->analysis;
    struct impact_solver *solver = compared->solver;
    struct arena *ar = analysis->rt->arena;
    struct comparison_rows rows = {.n = 0};
    size_t nc = (size_t)solver->nc;
    rows.impulses = NEW_N(ar, double, 2 * LAWS * nc + nc + nc * nc + 1);
    rows.after = rows.impulses + LAWS * nc;
    double *spreads = rows.after + LAWS * nc, *angle = spreads + nc;
    bool on[LAWS];

    /* the angles first: laws change G in the solver */
    bool right = kinetic_angles(solver, nc, angle);
    bool known, same = same_in_all_orders(compared, right, &known);
    int st = fill_rows(compared, &rows);
    if (st)
        return st;
    for (size_t l = 0; l < LAWS; l++)
        on[l] = l < rows.n;
    impact_without_friction(out);
    SET_NUM("time", rt_told_time(rt_time(analysis->rt)));
    const char **name = NEW_N(ar, const char *, nc + 1);
    for (size_t i = 0; i < nc; i++)
        name[i] = imp_text(
            analysis->rt->im,
            rt_contact(analysis->rt, compared->problem->contact[i])->name);
    SET_TEXTS("point_contacts", name, nc);
    SET_TEXTS("laws", rows.law, rows.n);
    SET_MAT("impulses", rows.impulses, rows.n, nc);
    SET_LIST("normal_velocities_before", solver->velocity.before, nc);
    SET_MAT("normal_velocities_after", rows.after, rows.n, nc);
    SET_NUM("energy_before", rows.energy);
    SET_LIST("energy_loss", rows.loss, rows.n);
    SET_TEXTS("determined", rows.determined, rows.n);
    spread(rows.impulses, on, nc, spreads);
    SET_LIST("impulse_spread", spreads, nc);
    spread(rows.after, on, nc, spreads);
    SET_LIST("velocity_spread", spreads, nc);
    SET_MAT("kinetic_angles", angle, nc, nc);
    if (known)
        SET_BOOL("order_independent", same);
    else
        SET_ABSENT("order_independent",
                   "the orders of more than 6 points are not tried, or some of "
                   "them do not come to an end");
    SET_TEXTS("warnings", rows.warn, rows.n_warn);
    return IMP_OK;
}

static int
cmd_compare(struct analysis *analysis, const imp_command *command,
            struct record *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct comparison compared = {.analysis = analysis};
    struct impact_of_run of_bodies;
    struct flow_impact of_system;
    struct ballistic *motion;
    struct strike strike;
    int st;
    if (rt_contact(analysis->rt, arg_contact(analysis, command, 0))->system ==
        IMP_NO_SYSTEM) {
        if (impact_asked_sticks(analysis, command)) {
            struct diag *diag =
                diag_add(analysis->ds, DIAG_E0705, command->range,
                         "a contact that sticks takes no other law, so there "
                         "is nothing to compare");
            diag_help(analysis->ds, diag,
                      "ask `impact`, or state a number as restitution");
            return IMP_BADMODEL;
        }
        if (impact_asked_rubs(analysis, command))
            return impact_compare_frictional(analysis, command, out);
        st = impact_bring_to_touch(analysis, command, IMP_OPT_compare_until,
                                   &of_bodies, &compared.solver);
        compared.problem = &of_bodies;
        return st ? st : compare(&compared, out);
    }
    if ((st = strike_bring(analysis, command, IMP_OPT_compare_until, &strike)))
        return st;
    if (strike.image_system->n_rub > 0)
        return impact_compare_rubbing_system(&strike, out);
    if ((st = strike_problem(&strike, &motion, &of_system, &compared.rests)))
        return st;
    compared.problem = &of_system.problem;
    compared.solver = of_system.solver;
    compared.strike = &strike;
    compared.motion = motion;
    compared.impact = &of_system;
    return compare(&compared, out);
}

const struct command_functions command_compare = {.run = cmd_compare};
