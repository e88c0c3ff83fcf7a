/* SPDX-License-Identifier: MIT */
/* Contacts in which a polytope takes part (polytope_contact.h): a smooth body
 * against a polytope is asked in smooth_polytope.c, two polytopes in
 * polytope_pair.c. */
#include "runtime/gap/polytope_contact.h"

#include <assert.h>

#include "runtime/gap/polytope_contact_priv.h"

int
polytope_contact_closest(struct rt *run, uint32_t contact,
                         struct nearest_features *out, bool loud)
{
    assert(rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS);
    return polytope_contact_is_smooth(run, rt_contact(run, contact))
               ? smooth_polytope_closest(run, contact, out, loud)
               : polytope_pair_closest(run, contact, out);
}

int
polytope_contact_series(struct rt *run, uint32_t contact, int order,
                        double *gap, double *valid)
{
    struct nearest_features at;
    double never;
    if (polytope_contact_is_smooth(run, rt_contact(run, contact)))
        return smooth_polytope_series(run, contact, order, gap,
                                      valid ? valid : &never);
    int st = polytope_pair_closest(run, contact, &at);
    if (st)
        return st;
    return polytope_pair_series(run, contact, order, &at.pair, gap, valid);
}

void
polytope_contact_predict(struct rt *run, uint32_t contact, int order, double dt)
{
    if (polytope_contact_is_smooth(run, rt_contact(run, contact)))
        smooth_polytope_predict(run, contact, order, dt);
}

int
polytope_contact_manifold(struct rt *run, uint32_t contact, double tol,
                          struct contact_manifold *out)
{
    return polytope_contact_is_smooth(run, rt_contact(run, contact))
               ? smooth_polytope_manifold(run, contact, tol, out)
               : polytope_pair_manifold(run, contact, tol, out);
}
