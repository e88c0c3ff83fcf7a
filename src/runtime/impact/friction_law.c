/* SPDX-License-Identifier: MIT */
/* See friction_law.h. */
#include "runtime/impact/friction_law.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* velocities after the impact under two laws agree within this share of the
 * speeds */
#define LAWS_AGREE 1e-10

void
friction_law_point(const struct rt *run, uint32_t contact,
                   struct friction_impact_point *out)
{
    assert(run != NULL && out != NULL);
    const imp_contact *of = rt_contact(run, contact);
    const double *env = run->env + of->env_contact;
    uint32_t law = run->im->impact_law;
    bool poisson = law == IMP_IMPACT_POISSON ||
                   (law == IMP_IMPACT_UNDECLARED && of->law == IMP_LAW_POISSON);
    /* a bare number means the energetic law */
    bool newton = law == IMP_IMPACT_UNDECLARED && of->law == IMP_LAW_NEWTON &&
                  (of->flags & IMP_CONTACTF_LAW);
    *out = (struct friction_impact_point){
        .mu = env[IMP_CONTACT_MU_IMPACT],
        .e = law == IMP_IMPACT_REST ? 0.0 : env[IMP_CONTACT_E],
        .law = law == IMP_IMPACT_NEWTON ? FRICTION_NEWTON
               : poisson                ? FRICTION_POISSON
               : newton                 ? FRICTION_NEWTON
                                        : FRICTION_ENERGETIC,
        .priority = of->flags & IMP_CONTACTF_PRIORITY
                        ? env[IMP_CONTACT_PRIORITY]
                        : INFINITY};
}

static bool
applies(const struct friction_impact_several *out)
{
    return out->verdict == FRICTION_UNIQUE || out->verdict == FRICTION_SHARED ||
           out->verdict == FRICTION_NOT_SHOWN;
}

const char *
friction_law_impulses(struct rt *run, int n, const double *W,
                      const struct friction_impact_point *point, double speed,
                      double *P)
{
    assert(n > 0 && W != NULL && point != NULL && P != NULL);
    uint32_t law = run->im->impact_law;
    int approaching = 0;
    if (n == 1) {
        struct friction_impact one;
        friction_impact_one(W[3], W[1], W[0], point, &one);
        P[0] = one.normal[0] + one.normal[1];
        P[1] = one.tangential;
        return NULL;
    }
    for (int i = 0; i < n; i++)
        approaching += point[i].normal < 0.0;
    bool stated = law == IMP_IMPACT_SEQUENTIAL || law == IMP_IMPACT_POISSON ||
                  law == IMP_IMPACT_COMPLEMENTARITY || law == IMP_IMPACT_REST;
    enum friction_several how[2] = {law == IMP_IMPACT_SEQUENTIAL
                                        ? FRICTION_SEQUENTIAL
                                    : law == IMP_IMPACT_POISSON
                                        ? FRICTION_TWO_PHASES
                                        : FRICTION_COMPLEMENTARITY,
                                    FRICTION_TWO_PHASES};
    struct friction_impact_several out[2];
    int tried = stated || approaching < 2 ? 1 : 2;
    for (int k = 0; k < tried; k++) {
        friction_impact_at(run->brief, n, W, point, how[k], &out[k]);
        if (!applies(&out[k]))
            return friction_verdict_name(out[k].verdict);
    }
    for (int i = 0; i < 2 * n && tried > 1; i++)
        if (fabs(out[0].after[i] - out[1].after[i]) > LAWS_AGREE * speed)
            return "no law for several points with friction is stated, and "
                   "complementarity and Poisson's law in two phases give "
                   "different motions";
    memcpy(P, out[0].impulse, sizeof *P * (size_t)(2 * n));
    return NULL;
}
