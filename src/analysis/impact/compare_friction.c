/* SPDX-License-Identifier: MIT */
/* `compare impact c1, c2, ...` at contacts of which one has friction: one
 * impact under every law that says what it does, side by side. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/impact/system_at_touch.h"

enum { LAWS = IMP_IMPACT_COUNT - 1 };

/* What is kept of every law: rows of n numbers each. */
struct laws {
    size_t n, some; /* points; laws that gave a motion */
    const char *law[LAWS], *determined[LAWS];
    double loss[LAWS];
    double *impulse, *after, *friction, *slip, *work;
    const char **warn;
    size_t n_warn;
};

/* Does the law of a point alone say what happens to all points that are hit? */
static bool
says_it(const struct friction_group_impact *group, size_t n,
        enum imp_impact_law law)
{
    if (law != IMP_IMPACT_NEWTON)
        return true;
    for (size_t i = 0; i < n; i++)
        if (group->point[i].normal < 0.0 && group->how[i] != FRICTION_PROCESS)
            return false;
    return true;
}

/* Memory for n points. */
static void
begin(struct analysis *analysis, size_t n, struct laws *laws)
{
    struct arena *arena = analysis->rt->arena;
    size_t room = LAWS * n;
    *laws = (struct laws){.n = n};
    laws->impulse = NEW_N(arena, double, 5 * room + n + 1);
    laws->after = laws->impulse + room;
    laws->friction = laws->impulse + 2 * room;
    laws->slip = laws->impulse + 3 * room;
    laws->work = laws->impulse + 4 * room;
    laws->warn = NEW_N(arena, const char *, 8 * LAWS);
}

/* Adds remarks of a law. Returns whether it gives a motion. all: points of the
 * group. */
static bool
remarks(struct analysis *analysis, const struct friction_group_impact *group,
        size_t all, enum imp_impact_law law, struct laws *laws)
{
    const char *text[8], *word = imp_impact_law_word(law);
    struct arena *arena = record_arena(analysis);
    if (!says_it(group, all, law)) {
        laws->warn[laws->n_warn++] = arena_printf(
            arena, "%s: does not say what several points do", word);
        return false;
    }
    size_t count = impact_friction_remarks(analysis, group, text);
    for (size_t i = 0; i < count; i++)
        laws->warn[laws->n_warn++] =
            arena_printf(arena, "%s: %s", word, text[i]);
    return group->why == NULL;
}

/* Keeps what a law does at point `of` of the group as the next row's entry i.
 */
static void
keep(struct laws *laws, const struct friction_group_impact *group, size_t i,
     size_t of)
{
    size_t at = laws->n * laws->some + i;
    laws->impulse[at] = group->impulse[2 * of];
    laws->friction[at] = group->impulse[2 * of + 1];
    laws->after[at] = group->after[2 * of];
    laws->slip[at] = group->after[2 * of + 1];
    laws->work[at] = group->work[of];
}

/* The row of a law is complete. */
static void
next_row(struct laws *laws, const struct friction_group_impact *group,
         enum imp_impact_law law, double loss)
{
    laws->law[laws->some] = imp_impact_law_word(law);
    laws->determined[laws->some] = impact_friction_determined(group);
    laws->loss[laws->some++] = loss;
}

/* One law: a row, or remarks why there is none. */
static int
try_law(struct analysis *analysis, const imp_command *command,
        const struct impact_of_run *normals, enum imp_impact_law law,
        struct laws *laws, struct impact_of_run *problem,
        struct impact_solver **solver)
{
    struct friction_group_impact group;
    int st = impact_with_friction(analysis, normals, NULL, 0.0, law, problem,
                                  solver, &group);
    if (st || !remarks(analysis, &group, laws->n, law, laws))
        return st;
    if ((st = impact_audit(analysis, command->range, problem, *solver)))
        return st;
    for (size_t i = 0; i < laws->n; i++)
        keep(laws, &group, i, i);
    next_row(laws, &group, law,
             (*solver)->balance.energy[0] - (*solver)->balance.energy[1]);
    return IMP_OK;
}

/* Is this a law of points with friction that is compared? */
static bool
compared(uint32_t law)
{
    return !(imp_impact_law_traits(law) &
             (IMP_LAW_TRAIT_NOT_COMPARED | IMP_LAW_TRAIT_STIFFNESS)) &&
           law != IMP_IMPACT_LEAST_NORM;
}

/* Greatest minus least entry of each column. */
static void
spread(const double *x, size_t rows, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t r = 0; r < rows; r++) {
            low = fmin(low, x[r * n + i]);
            high = fmax(high, x[r * n + i]);
        }
        out[i] = rows ? high - low : 0.0;
    }
}

/* The angles between contacts i and j in the metric of the masses: cosines
 * (n x n) come, angles go. */
static void
set_angles(double *cosine, size_t n, struct record *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            cosine[i * n + j] =
                i == j ? 0.0 : acos(fmax(-1.0, fmin(1.0, cosine[i * n + j])));
    SET_MAT("kinetic_angles", cosine, n, n);
}

/* Has the record fields of contacts with friction? It has none where joints
 * alone rub. */
static bool
tells_friction(const struct record *out)
{
    return record_index(out, "slips_before") >= 0;
}

static void
set_before(struct analysis *analysis, const struct impact_of_run *problem,
           const struct impact_solver *solver, size_t n, struct record *out)
{
    struct arena *arena = analysis->rt->arena;
    double *velocity = NEW_N(arena, double, 2 * n + n * n + 1),
           *angle = velocity + 2 * n;
    const char **name = NEW_N(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        velocity[i] = solver->velocity.before[2 * i];
        velocity[n + i] = solver->velocity.before[2 * i + 1];
        name[i] =
            imp_text(analysis->rt->im,
                     rt_contact(analysis->rt, problem->contact[2 * i])->name);
        for (size_t j = 0; j < n; j++)
            angle[i * n + j] = delassus_cosine(solver, 2 * (int)i, 2 * (int)j);
    }
    SET_TEXTS("point_contacts", name, n);
    SET_LIST("normal_velocities_before", velocity, n);
    if (tells_friction(out))
        SET_LIST("slips_before", velocity + n, n);
    set_angles(angle, n, out);
    SET_NUM("energy_before", solver->balance.energy[0]);
}

static void
set_after(const struct laws *laws, double *spreads, struct record *out)
{
    size_t n = laws->n, some = laws->some;
    SET_TEXTS("laws", laws->law, some);
    SET_MAT("impulses", laws->impulse, some, n);
    SET_MAT("normal_velocities_after", laws->after, some, n);
    if (tells_friction(out)) {
        SET_MAT("friction_impulses", laws->friction, some, n);
        SET_MAT("slips_after", laws->slip, some, n);
        SET_MAT("friction_work", laws->work, some, n);
    }
    SET_LIST("energy_loss", laws->loss, some);
    SET_TEXTS("determined", laws->determined, some);
    spread(laws->impulse, some, n, spreads);
    SET_LIST("impulse_spread", spreads, n);
    spread(laws->after, some, n, spreads);
    SET_LIST("velocity_spread", spreads, n);
    SET_ABSENT("order_independent", "orders are not tried with friction");
    SET_TEXTS("warnings", laws->warn, laws->n_warn);
}

int
impact_compare_frictional(struct analysis *analysis, const imp_command *command,
                          struct record *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct impact_of_run normals, problem;
    struct impact_solver *solver;
    int st = impact_bring_to_touch(analysis, command, IMP_OPT_compare_until,
                                   &normals, &solver);
    if (st)
        return st;
    struct laws laws;
    begin(analysis, normals.p.n_contact, &laws);
    for (uint32_t l = IMP_IMPACT_NEWTON; l < IMP_IMPACT_COUNT; l++) {
        if (!compared(l))
            continue;
        st = try_law(analysis, command, &normals, (enum imp_impact_law)l, &laws,
                     &problem, &solver);
        if (st)
            return st;
    }
    SET_NUM("time", rt_told_time(rt_time(analysis->rt)));
    set_before(analysis, &problem, solver, laws.n, out);
    set_after(&laws, laws.impulse + 5 * LAWS * laws.n, out);
    return IMP_OK;
}

/* -- systems --------------------------------------------------------------- */

/* What is known before the impact at the contacts that are named. */
static int
set_system_before(struct strike *strike,
                  const struct flow_friction_impact *impact, struct record *out)
{
    const struct rt *run = strike->analysis->rt;
    size_t n = (size_t)strike->n_hit, rows = 2 * (size_t)impact->n;
    double energy, *x = NEW_N(run->arena, double, n *(n + 2) + 1);
    const char **name = NEW_N(run->arena, const char *, n + 1);
    double *rates = NEW_N(run->arena, double, strike->n_coordinates + 1);
    for (size_t i = 0; i < n; i++) {
        int k = strike_place(impact, strike->hit[i]);
        name[i] = strike_name(strike, strike->hit[i]);
        x[i] = strike->rate[strike->hit[i]];
        x[n + i] = k < 0 ? 0.0 : impact->group.point[k].slip;
        for (size_t j = 0; j < n; j++) {
            int l = strike_place(impact, strike->hit[j]);
            size_t r = 2 * (size_t)k, c = 2 * (size_t)l;
            if (k >= 0 && l >= 0)
                x[(i + 2) * n + j] =
                    impact->W[r * rows + c] /
                    sqrt(impact->W[r * (rows + 1)] * impact->W[c * (rows + 1)]);
        }
    }
    for (size_t i = 0; i < strike->n_coordinates; i++)
        rates[i] = run->env[strike->image_system->env_state +
                            strike->n_coordinates + i];
    int st = strike_energy(strike, rates, &energy);
    SET_TEXTS("point_contacts", name, n);
    SET_LIST("normal_velocities_before", x, n);
    SET_LIST("slips_before", x + n, n);
    set_angles(x + 2 * n, n, out);
    if (!st)
        SET_NUM("energy_before", energy);
    return st;
}

int
impact_compare_rubbing_system(struct strike *strike, struct record *out)
{
    assert(strike != NULL && out != NULL);
    struct analysis *analysis = strike->analysis;
    struct flow_friction_impact impact;
    struct laws laws;
    begin(analysis, (size_t)strike->n_hit, &laws);
    for (uint32_t l = IMP_IMPACT_NEWTON; l < IMP_IMPACT_COUNT; l++) {
        enum imp_impact_law law = (enum imp_impact_law)l;
        if (!compared(l))
            continue;
        int st = flow_friction_impact_now(analysis->rt, strike->system, law,
                                          strike->approaching,
                                          strike->n_approaching, &impact);
        if (st)
            return st;
        if (!remarks(analysis, &impact.group, (size_t)impact.n, law, &laws))
            continue;
        for (size_t i = 0; i < laws.n; i++) {
            int k = strike_place(&impact, strike->hit[i]);
            if (k >= 0)
                keep(&laws, &impact.group, i, (size_t)k);
            else
                laws.after[laws.n * laws.some + i] =
                    strike->rate[strike->hit[i]];
        }
        next_row(&laws, &impact.group, law, -impact.group.energy);
    }
    SET_NUM("time", rt_told_time(rt_time(analysis->rt)));
    set_after(&laws, laws.impulse + 5 * LAWS * laws.n, out);
    return set_system_before(strike, &impact, out);
}
