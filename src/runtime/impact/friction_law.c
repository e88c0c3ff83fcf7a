/* SPDX-License-Identifier: MIT */
/* See friction_law.h. */
#include "runtime/impact/friction_law.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/instance/contact_restitution.h"

int
friction_law_point(struct rt *run, uint32_t contact, enum imp_impact_law law,
                   double normal, double slip,
                   struct friction_impact_point *out)
{
    assert(run != NULL && out != NULL);
    const imp_contact *of = rt_contact(run, contact);
    const double *env = run->env + of->env_contact;
    double mu[3];
    int st = contact_friction_now(run, contact, fabs(slip), mu);
    *out = (struct friction_impact_point){
        .normal = normal,
        .slip = slip,
        .mu = mu[2],
        .contact = contact,
        .law = friction_law_of_point(law, (enum imp_law)of->law,
                                     of->flags & IMP_CONTACTF_LAW),
        .priority = of->flags & IMP_CONTACTF_PRIORITY
                        ? env[IMP_CONTACT_PRIORITY]
                        : INFINITY};
    if (!st)
        st = contact_restitution_at(run, contact, -normal, &out->e);
    if (!st && contact_restitution_varies(run, contact)) {
        struct impact_restitution *varies =
            NEW(run->brief, struct impact_restitution);
        *varies = (struct impact_restitution){impact_restitution_of_run, run};
        out->varies = varies;
    }
    return st;
}
