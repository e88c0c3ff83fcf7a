/* SPDX-License-Identifier: MIT */
/* How contacts of one system that close at one time follow a law of impact. At
 * one contact without friction Newton's, Poisson's and the energetic law are
 * the same; none of the three says what several contacts do. */
#include "analysis/command/policy.h"

#include <assert.h>

#include "base/diag.h"
#include "runtime/instance/system.h"

/* The policy of a law: the column POLICY of abi/laws.def. An undeclared law
 * does not say what several contacts do. */
static enum ballistic_policy
impact_law_policy(enum imp_impact_law law)
{
    static const enum ballistic_policy policy[] = {
        BALLISTIC_UNSTATED, /* undeclared */
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

enum ballistic_policy
chatter_policy(const struct analysis *analysis)
{
    enum ballistic_policy policy = simultaneous_policy(analysis);
    return policy == BALLISTIC_UNSTATED ? BALLISTIC_REPORT : policy;
}
