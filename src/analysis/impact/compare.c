/* SPDX-License-Identifier: MIT */
/* `compare impact c1, c2, ...`: one impact under every law, the spread of what
 * they give, and the angles between contacts in the kinetic metric. Contacts at
 * right angles do not act on each other: their order does not matter. */
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
    bool right = true;
    for (size_t i = 0; i < nc; i++)
        for (size_t j = 0; j < nc; j++) {
            double q = delassus_cosine(solver, (int)i, (int)j);
            angle[i * nc + j] = i == j ? 0 : acos(fmax(-1, fmin(1, q)));
            right &= i == j || delassus_orthogonal(solver, (int)i, (int)j);
        }
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
    SET_BOOL("order_independent", right);
    SET_TEXTS("warnings", warn, n_warn);
    return IMP_OK;
}

const struct command_functions command_compare = {.run = cmd_compare};
