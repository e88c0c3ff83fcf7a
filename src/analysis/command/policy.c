/* SPDX-License-Identifier: MIT */
/* What the impact law of the world says about contacts of one system that close
 * at one time. */
#include "analysis/command/policy.h"

#include <assert.h>

enum ballistic_policy
simultaneous_policy(const struct analysis *a)
{
    switch ((enum imp_impact_law)a->rt->im->impact_law) {
    case IMP_IMPACT_SEQUENTIAL:
        return BALLISTIC_SEQUENTIAL;
    case IMP_IMPACT_COMPLEMENTARITY:
        return BALLISTIC_COMPLEMENTARITY;
    case IMP_IMPACT_REST:
        return BALLISTIC_REST;
    default:
        /* of one contact without friction Newton's, Poisson's and the energetic
         * law are the same; none says what several do */
        return BALLISTIC_REPORT;
    }
}
