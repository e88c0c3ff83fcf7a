/* SPDX-License-Identifier: MIT */
/* `compare impact c1, c2, ...`: one impact under every law, the spread of what
 * they give, and the angles between contacts in the kinetic metric. Contacts at
 * right angles do not act on each other: their order does not matter. */
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
cmd_compare(struct analysis *a, const imp_command *c, struct record *out)
{
    static const char *const word[] = {"yes", "motion only", "no"};
    struct impact_of_run in;
    struct impact_solver *m;
    struct arena *ar = a->rt->arena;
    int st = impact_bring_to_touch(a, c, IMP_OPT_compare_until, &in, &m);
    if (st)
        return st;
    size_t nc = (size_t)m->nc, n_warn = 0, some = 0;
    double *P = NEW_N(ar, double, 2 * LAWS * nc + 4 * nc + nc * nc + 1);
    double *v = P + LAWS * nc, *s = v + LAWS * nc, *angle = s + 4 * nc;
    double loss[LAWS];
    const char *law[LAWS], *determined[LAWS], *warn[64];
    bool on[LAWS];

    /* angles first, from G as it is */
    bool right = true;
    for (size_t i = 0; i < nc; i++)
        for (size_t j = 0; j < nc; j++) {
            double q = delassus_cosine(m, (int)i, (int)j);
            angle[i * nc + j] = i == j ? 0 : acos(fmax(-1, fmin(1, q)));
            right &= i == j || delassus_orthogonal(m, (int)i, (int)j);
        }
    /* laws that give no motion are left out of the rows */
    for (uint32_t l = 0; l < LAWS; l++) {
        if (imp_impact_law_traits(IMP_IMPACT_NEWTON + l) &
            IMP_LAW_TRAIT_NOT_COMPARED)
            continue;
        impact_solver_solve(m, (enum imp_impact_law)(IMP_IMPACT_NEWTON + l));
        const char *text[8];
        size_t n = impact_remarks(a, &in, m, text, 8);
        for (size_t i = 0; i < n && n_warn < 64; i++)
            warn[n_warn++] = arena_printf(record_arena(a), "%s: %s",
                                          impact_law_name[m->law], text[i]);
        if (!m->applied)
            continue;
        law[some] = impact_law_name[m->law];
        determined[some] = word[m->determined];
        loss[some] = m->energy[0] - m->energy[1];
        memcpy(P + some * nc, m->P, nc * sizeof *P);
        memcpy(v + some * nc, m->after, nc * sizeof *v);
        some++;
    }
    for (size_t l = 0; l < LAWS; l++)
        on[l] = l < some;
    SET_NUM("time", rt_time(a->rt));
    const char **name = NEW_N(ar, const char *, nc + 1);
    for (size_t i = 0; i < nc; i++)
        name[i] = imp_text(a->rt->im, rt_contact(a->rt, in.contact[i])->name);
    SET_TEXTS("point_contacts", name, nc);
    SET_TEXTS("laws", law, some);
    SET_MAT("impulses", P, some, nc);
    SET_LIST("normal_velocities_before", m->before, nc);
    SET_MAT("normal_velocities_after", v, some, nc);
    SET_NUM("energy_before", m->energy[0]);
    SET_LIST("energy_loss", loss, some);
    SET_TEXTS("determined", determined, some);
    spread(P, on, nc, s);
    SET_LIST("impulse_spread", s, nc);
    spread(v, on, nc, s);
    SET_LIST("velocity_spread", s, nc);
    SET_MAT("kinetic_angles", angle, nc, nc);
    SET_BOOL("order_independent", right);
    SET_TEXTS("warnings", warn, n_warn);
    return IMP_OK;
}

const struct command_functions command_compare = {.run = cmd_compare};
