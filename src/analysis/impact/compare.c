/* SPDX-License-Identifier: MIT */
/* `compare impact c1, c2, ...`: one impact under every law, the spread of what
 * they give, and the angles between contacts in the kinetic metric. Contacts at
 * right angles do not act on each other: their order does not matter. That of
 * others is tried. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"

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

/* Does the law give the normal velocities `first` after the impact? *known:
 * false where the law has none. */
static bool
same_motion(struct impact_solver *solver, enum imp_impact_law law,
            const double *first, bool *known)
{
    bool same = true;
    impact_solver_solve(solver, law);
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
same_in_all_orders(struct analysis *analysis, struct impact_solver *solver,
                   bool right, bool *known)
{
    int nc = solver->nc, order[ORDERS_MOST];
    const struct impact_contact *stated = solver->in.contact;
    *known = true;
    if (right)
        return true;
    double *first = NEW_N(analysis->rt->arena, double, nc + 1);
    struct impact_contact *contact =
        NEW_N(analysis->rt->arena, struct impact_contact, nc + 1);
    impact_solver_solve(solver, IMP_IMPACT_COMPLEMENTARITY);
    *known = solver->decision.applied;
    memcpy(first, solver->velocity.after, (size_t)nc * sizeof *first);
    bool same = same_motion(solver, IMP_IMPACT_SEQUENTIAL, first, known);
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
        same = same_motion(solver, IMP_IMPACT_SEQUENTIAL, first, known);
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

static int
cmd_compare(struct analysis *analysis, const imp_command *command,
            struct record *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    static const char *const word[] = {"yes", "motion only", "no"};
    struct impact_of_run problem;
    struct impact_solver *solver;
    struct arena *ar = analysis->rt->arena;
    int st = impact_bring_to_touch(analysis, command, IMP_OPT_compare_until,
                                   &problem, &solver);
    if (st)
        return st;
    size_t nc = (size_t)solver->nc, n_warn = 0, some = 0;
    double *impulses = NEW_N(ar, double, 2 * LAWS * nc + 4 * nc + nc * nc + 1);
    double *after = impulses + LAWS * nc, *spreads = after + LAWS * nc,
           *angle = spreads + 4 * nc;
    double loss[LAWS];
    const char *law[LAWS], *determined[LAWS], *warn[64];
    bool on[LAWS];

    /* the angles first: laws change G in the solver */
    bool right = kinetic_angles(solver, nc, angle);
    bool known, same = same_in_all_orders(analysis, solver, right, &known);
    /* a law that gives no motion has no row */
    for (uint32_t l = 0; l < LAWS; l++) {
        if (imp_impact_law_traits(IMP_IMPACT_NEWTON + l) &
            IMP_LAW_TRAIT_NOT_COMPARED)
            continue;
        impact_solver_solve(solver,
                            (enum imp_impact_law)(IMP_IMPACT_NEWTON + l));
        const char *text[8];
        size_t n = impact_remarks(analysis, &problem, solver, text, 8);
        for (size_t i = 0; i < n && n_warn < 64; i++)
            warn[n_warn++] = arena_printf(
                record_arena(analysis), "%s: %s",
                imp_impact_law_word(solver->decision.law), text[i]);
        if (!solver->decision.applied)
            continue;
        law[some] = imp_impact_law_word(solver->decision.law);
        determined[some] = word[solver->decision.determined];
        loss[some] = solver->balance.energy[0] - solver->balance.energy[1];
        memcpy(impulses + some * nc, solver->impulse.P, nc * sizeof *impulses);
        memcpy(after + some * nc, solver->velocity.after, nc * sizeof *after);
        some++;
    }
    for (size_t l = 0; l < LAWS; l++)
        on[l] = l < some;
    SET_NUM("time", rt_time(analysis->rt));
    const char **name = NEW_N(ar, const char *, nc + 1);
    for (size_t i = 0; i < nc; i++)
        name[i] = imp_text(analysis->rt->im,
                           rt_contact(analysis->rt, problem.contact[i])->name);
    SET_TEXTS("point_contacts", name, nc);
    SET_TEXTS("laws", law, some);
    SET_MAT("impulses", impulses, some, nc);
    SET_LIST("normal_velocities_before", solver->velocity.before, nc);
    SET_MAT("normal_velocities_after", after, some, nc);
    SET_NUM("energy_before", solver->balance.energy[0]);
    SET_LIST("energy_loss", loss, some);
    SET_TEXTS("determined", determined, some);
    spread(impulses, on, nc, spreads);
    SET_LIST("impulse_spread", spreads, nc);
    spread(after, on, nc, spreads);
    SET_LIST("velocity_spread", spreads, nc);
    SET_MAT("kinetic_angles", angle, nc, nc);
    if (known)
        SET_BOOL("order_independent", same);
    else
        SET_ABSENT("order_independent",
                   "the orders of more than 6 points are not tried, or some of "
                   "them do not come to an end");
    SET_TEXTS("warnings", warn, n_warn);
    return IMP_OK;
}

const struct command_functions command_compare = {.run = cmd_compare};
