/* SPDX-License-Identifier: MIT */
/* `impact` at contacts of a system that has friction: rates of the coordinates
 * before and after, impulses along normals and slips
 * (flow_friction_impact_now). Closed contacts beside those that are named take
 * part. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/system_at_touch.h"

int
strike_place(const struct flow_friction_impact *impact, int contact)
{
    assert(impact != NULL);
    for (int k = 0; k < impact->n; k++)
        if (impact->contact[k] == contact)
            return k;
    return -1;
}

/* Adds what is said of contacts that friction does not know. Returns how many
 * remarks there are then. */
static size_t
remarks(const struct strike *strike, const struct flow_friction_impact *impact,
        const char **warn, size_t count)
{
    struct arena *arena = strike->analysis->rt->arena;
    for (int row = 0; row < strike->n_hit; row++) {
        int i = strike->hit[row], side = strike_sense(strike, i);
        if (side >= 0)
            warn[count++] = arena_printf(
                arena,
                side > 0 ? "%s separates: it takes no impulse"
                         : "%s does not approach: the law has nothing to "
                           "reverse",
                strike_name(strike, i));
    }
    for (int k = 0; k < impact->n && !impact->group.why; k++) {
        int i = impact->contact[k];
        if (strike->rests[i] && impact->group.impulse[2 * k] != 0.0)
            warn[count++] =
                arena_printf(arena, "%s touches already and is pushed too",
                             strike_name(strike, i));
    }
    return count;
}

/* Sets what the impact does at the contacts that were asked for. */
static void
set_contacts(const struct strike *strike,
             const struct flow_friction_impact *impact, struct record *out)
{
    static const char *const after[] = {
        "impulses",    "normal_velocities_after", "friction_impulses",
        "slips_after", "friction_work",           "regions"};
    struct arena *arena = strike->analysis->rt->arena;
    const struct friction_group_impact *group = &impact->group;
    size_t n = (size_t)strike->n_hit, rows = 2 * (size_t)impact->n;
    double *x = NEW_N(arena, double, n *(8 + n) + 1), *G = x + 8 * n;
    for (size_t i = 0; i < n; i++) {
        int k = strike_place(impact, strike->hit[i]);
        x[i] = x[3 * n + i] = strike->rate[strike->hit[i]];
        if (k < 0) /* it separates */
            continue;
        x[n + i] = group->point[k].slip;
        x[2 * n + i] = group->impulse[2 * k];
        x[3 * n + i] = group->after[2 * k];
        x[4 * n + i] = group->impulse[2 * k + 1];
        x[5 * n + i] = group->after[2 * k + 1];
        x[6 * n + i] = group->work[k];
        x[7 * n + i] = group->region[k];
        for (size_t j = 0; j < n; j++) {
            int other = strike_place(impact, strike->hit[j]);
            if (other >= 0)
                G[i * n + j] =
                    impact->W[2 * (size_t)k * rows + 2 * (size_t)other];
        }
    }
    SET_LIST("normal_velocities_before", x, n);
    SET_LIST("slips_before", x + n, n);
    for (size_t f = 0; f < 6 && !group->why; f++)
        SET_LIST(after[f], x + (f + 2) * n, n);
    SET_MAT("G", G, n, n);
    if (n == 1 && G[0] > 0.0)
        SET_NUM("effective_mass", 1.0 / G[0]);
    else
        SET_ABSENT("effective_mass", "several contacts");
    if (group->why)
        record_set_absent_all(out, after, 6, group->why);
}

/* Sets names of contacts and coordinates, rates and energies. */
static int
set_motion(struct strike *strike, const struct flow_friction_impact *impact,
           struct record *out)
{
    static const char *const none[] = {"rates", "energy_after", "energy_loss"};
    const struct rt *run = strike->analysis->rt;
    struct arena *arena = run->arena;
    size_t n = strike->n_coordinates, hits = (size_t)strike->n_hit;
    const imp_coordinate *coordinate =
        IMP_ARRAY(run->im, run->im->coordinates, imp_coordinate) +
        strike->image_system->first;
    const char **name = NEW_N(arena, const char *, n + hits + 1);
    double before, after, *rates = NEW_N(arena, double, 2 * n + 1);
    for (size_t i = 0; i < n; i++)
        name[i] = imp_text(run->im, coordinate[i].name);
    for (size_t i = 0; i < hits; i++)
        name[n + i] = strike_name(strike, strike->hit[i]);
    SET_TEXTS("contacts", name + n, hits);
    SET_TEXTS("coordinates", name, n);
    memcpy(rates, run->env + strike->image_system->env_state + n,
           n * sizeof *rates);
    memcpy(rates + n, impact->rates, n * sizeof *rates);
    int st = strike_energy(strike, rates + n, &after);
    if (st || (st = strike_energy(strike, rates, &before)))
        return st;
    SET_NUM("energy_before", before);
    if (impact->group.why) {
        record_set_absent_all(out, none, 3, impact->group.why);
        return IMP_OK;
    }
    SET_MAT("rates", rates, 2, n);
    SET_NUM("energy_after", after);
    SET_NUM("energy_loss", before - after);
    return IMP_OK;
}

int
impact_of_rubbing_system(struct strike *strike, enum imp_impact_law law,
                         struct record *out)
{
    assert(strike != NULL && out != NULL);
    struct analysis *analysis = strike->analysis;
    struct flow_friction_impact impact;
    const struct friction_group_impact *group = &impact.group;
    const char **warn = NEW_N(analysis->rt->arena, const char *,
                              2 * (size_t)strike->n_contacts + 9);
    int st = flow_friction_impact_now(analysis->rt, strike->system, law,
                                      strike->approaching,
                                      strike->n_approaching, &impact);
    if (st)
        return st;
    if ((st = impact_friction_check(analysis, strike->command->range, group,
                                    impact.n, law)))
        return st;
    SET_NUM("time", rt_told_time(rt_time(analysis->rt)));
    set_contacts(strike, &impact, out);
    SET_TEXT("law", impact_friction_law(group, impact.n, group->point, law));
    SET_TEXT("determined", impact_friction_determined(group));
    SET_ABSENT("map",
               "with friction the rates after are no linear map of those "
               "before");
    size_t count = impact_friction_remarks(analysis, group, warn);
    SET_TEXTS("warnings", warn, remarks(strike, &impact, warn, count));
    return set_motion(strike, &impact, out);
}
