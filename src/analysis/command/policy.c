/* SPDX-License-Identifier: MIT */
/* What the impact law of the world says about contacts of one system that close
 * at one time. */
#include "analysis/command/policy.h"

#include <assert.h>

enum ballistic_policy
impact_law_policy(enum imp_impact_law law)
{
    /* of one contact without friction Newton's, Poisson's and the energetic
     * law are the same; none says what several do */
    static const enum ballistic_policy policy[] = {
        BALLISTIC_REPORT,
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) BALLISTIC_##POLICY,
#include "abi/laws.def"
    };
    assert(law < IMP_IMPACT_COUNT);
    return policy[law];
}

enum ballistic_policy
simultaneous_policy(const struct analysis *a)
{
    return impact_law_policy((enum imp_impact_law)a->rt->im->impact_law);
}
