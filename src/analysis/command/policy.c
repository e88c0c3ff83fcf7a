/* SPDX-License-Identifier: MIT */
/* How contacts of one system that close at one time follow a law of impact. At
 * one contact without friction Newton's, Poisson's and the energetic law are
 * the same; none of the three says what several contacts do. And which
 * questions leave friction out. */
#include "analysis/command/policy.h"

#include <assert.h>

#include "base/diag.h"
#include "runtime/instance/system.h"

enum ballistic_policy
impact_law_policy(enum imp_impact_law law)
{
    static const enum ballistic_policy policy[] = {
        BALLISTIC_REPORT, /* undeclared */
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) BALLISTIC_##POLICY,
#include "abi/laws.def"
    };
    assert(law < IMP_IMPACT_COUNT);
    return policy[law];
}

enum ballistic_policy
simultaneous_policy(const struct analysis *analysis)
{
    assert(analysis != NULL && analysis->rt != NULL);
    return impact_law_policy((enum imp_impact_law)analysis->rt->im->impact_law);
}

bool
friction_left_out(const struct analysis *analysis, uint32_t system,
                  const char *what, imp_range range)
{
    assert(analysis != NULL && what != NULL);
    const imp_system *sys = rt_system(analysis->rt, system);
    if (sys->n_rub == 0)
        return false;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0752, range,
                                 "`%s` would leave out the friction of `%s`",
                                 what, imp_text(analysis->rt->im, sys->name));
    for (uint32_t i = 0; i < sys->n_contact; i++)
        if (rt_contact(analysis->rt, sys->contact + i)->flags &
            IMP_CONTACTF_FRICTION) {
            diag_note(analysis->ds, diag,
                      rt_contact(analysis->rt, sys->contact + i)->range_mu,
                      "friction is stated here");
            break;
        }
    diag_help(analysis->ds, diag,
              "simulate follows systems with friction, their impacts and "
              "limits of chatter included");
    return true;
}
