/* SPDX-License-Identifier: MIT */
/* The impact handler of the compiled model, and the conservation of momentum at
 * one contact of two bodies (Palffy-Muhoray et al. 2018, eqs (1)-(10), spec
 * 0.A). */
#include "analysis/impact/impact_handler.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "runtime/gap/closest_points.h"
#include "runtime/instance/saved_state.h"
#include "runtime/numerics/vec3.h"

int
impact_handler_compute(struct analysis *analysis, uint32_t contact,
                       const double *alpha, double cs[IMP_CS_SIZE])
{
    assert(analysis != NULL && cs != NULL);
    assert(contact < analysis->rt->im->contacts.n);
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    struct closest_points closest;
    double local[10];
    int st = closest_points_find(run, contact, &closest, true);
    if (st)
        return command_failed(analysis, st, image_contact->range,
                              "the closest points");
    memcpy(local, closest.u, sizeof *local * image_contact->n_unknown);
    local[image_contact->n_unknown] = alpha ? *alpha : 0.0;
    local[image_contact->n_unknown + 1] = alpha ? 1.0 : 0.0;
    st = rt_eval(run, image_contact->impact, local, cs);
    if (st == IMP_NONFINITE) {
        rt_nonfinite(run, image_contact->impact, local);
        return IMP_FAILED;
    }
    return st;
}

void
impact_handler_apply(struct analysis *analysis, uint32_t contact,
                     const double cs[IMP_CS_SIZE])
{
    assert(analysis != NULL && cs != NULL);
    assert(contact < analysis->rt->im->contacts.n);
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    uint32_t at = run->im->dim == 2 ? 3 : 7, n = run->im->dim == 2 ? 3 : 6;
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, image_contact->body[i]);
        if (body->flags & IMP_BODYF_FIXED)
            continue;
        const double *v = cs + (i ? IMP_CS_STATE2 : IMP_CS_STATE1);
        for (uint32_t k = 0; k < n; k++) {
            run->env[body->env_state + at + k] = v[k];
            run->state_lo[body->env_state - run->im->layout.state + at + k] =
                0.0;
        }
    }
}

/* momentum and angular momentum of a body at the present state */
static int
momenta(struct rt *run, uint32_t body, double p[3], double l[3])
{
    double e[8];
    int st = rt_eval(run, rt_body(run, body)->energy, NULL, e);
    vec3_copy(e + 2, p);
    vec3_copy(e + 5, l);
    return st;
}

double
impact_handler_momentum_error(struct analysis *analysis, uint32_t contact,
                              const double cs[IMP_CS_SIZE])
{
    assert(analysis != NULL && cs != NULL);
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    struct saved_state before = saved_state_take(analysis->rt);
    double p0[2][3], l0[2][3], p1[2][3], l1[2][3];
    double dp[3] = {0}, dl[3] = {0}, p_size = 0.0, l_size = 0.0;
    for (int side = 0; side < 2; side++)
        if (momenta(run, image_contact->body[side], p0[side], l0[side]))
            return INFINITY;
    impact_handler_apply(analysis, contact, cs);
    for (int side = 0; side < 2; side++)
        if (momenta(run, image_contact->body[side], p1[side], l1[side])) {
            saved_state_restore(analysis->rt, &before);
            return INFINITY;
        }
    saved_state_restore(analysis->rt, &before);
    for (int side = 0; side < 2; side++) {
        const double *point = cs + (side ? IMP_CS_Q : IMP_CS_P);
        double impulse[3], moment[3];
        for (int k = 0; k < 3; k++)
            impulse[k] = (side ? 1.0 : -1.0) *
                         (cs[IMP_CS_IMPULSE] * cs[IMP_CS_NORMAL + k] +
                          cs[IMP_CS_IMPULSE + 1] * cs[IMP_CS_T1 + k] +
                          cs[IMP_CS_IMPULSE + 2] * cs[IMP_CS_T2 + k]);
        vec3_cross(point, impulse, moment);
        p_size += vec3_norm(impulse) + vec3_norm(p0[side]);
        l_size += vec3_norm(impulse) * vec3_norm(point) + vec3_norm(l0[side]);
        if (rt_body(run, image_contact->body[side])->flags & IMP_BODYF_FIXED) {
            /* the support of a fixed body takes up the impulse on it */
            vec3_add_scaled(1.0, impulse, dp);
            vec3_add_scaled(1.0, moment, dl);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            dp[k] += p1[side][k] - p0[side][k];
            dl[k] += l1[side][k] - l0[side][k];
        }
    }
    double ep = p_size > 0.0 ? vec3_norm(dp) / p_size : 0.0,
           el = l_size > 0.0 ? vec3_norm(dl) / l_size : 0.0;
    return fmax(ep, el);
}
