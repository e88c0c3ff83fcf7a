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
impact_handler_compute(struct analysis *a, uint32_t contact,
                       const double *alpha, double cs[IMP_CS_SIZE])
{
    struct rt *r = a->rt;
    const imp_contact *ct = rt_contact(r, contact);
    struct closest_points cl;
    double local[10];
    int st = closest_points_find(r, contact, &cl, true);
    if (st)
        return command_failed(a, st, ct->range, "the closest points");
    memcpy(local, cl.u, sizeof *local * ct->n_unknown);
    local[ct->n_unknown] = alpha ? *alpha : 0.0;
    local[ct->n_unknown + 1] = alpha ? 1.0 : 0.0;
    st = rt_eval(r, ct->impact, local, cs);
    if (st == IMP_NONFINITE) {
        rt_nonfinite(r, ct->impact, local);
        return IMP_FAILED;
    }
    return st;
}

void
impact_handler_apply(struct analysis *a, uint32_t contact,
                     const double cs[IMP_CS_SIZE])
{
    struct rt *r = a->rt;
    const imp_contact *ct = rt_contact(r, contact);
    uint32_t at = r->im->dim == 2 ? 3 : 7, n = r->im->dim == 2 ? 3 : 6;
    for (int i = 0; i < 2; i++) {
        const imp_body *b = rt_body(r, ct->body[i]);
        if (b->flags & IMP_BODYF_FIXED)
            continue;
        const double *v = cs + (i ? IMP_CS_STATE2 : IMP_CS_STATE1);
        for (uint32_t k = 0; k < n; k++) {
            r->env[b->env_state + at + k] = v[k];
            r->state_lo[b->env_state - r->im->layout.state + at + k] = 0.0;
        }
    }
}

/* momentum and angular momentum of a body at the present state */
static int
momenta(struct rt *r, uint32_t body, double p[3], double l[3])
{
    double e[8];
    int st = rt_eval(r, rt_body(r, body)->energy, NULL, e);
    vec3_copy(e + 2, p);
    vec3_copy(e + 5, l);
    return st;
}

double
impact_handler_momentum_error(struct analysis *a, uint32_t contact,
                              const double cs[IMP_CS_SIZE])
{
    struct rt *r = a->rt;
    const imp_contact *ct = rt_contact(r, contact);
    struct saved_state before = saved_state_take(a->rt);
    double p0[2][3], l0[2][3], p1[2][3], l1[2][3];
    double dp[3] = {0}, dl[3] = {0}, p_size = 0.0, l_size = 0.0;
    for (int i = 0; i < 2; i++)
        if (momenta(r, ct->body[i], p0[i], l0[i]))
            return INFINITY;
    impact_handler_apply(a, contact, cs);
    for (int i = 0; i < 2; i++)
        if (momenta(r, ct->body[i], p1[i], l1[i])) {
            saved_state_restore(a->rt, &before);
            return INFINITY;
        }
    saved_state_restore(a->rt, &before);
    for (int i = 0; i < 2; i++) {
        const double *point = cs + (i ? IMP_CS_Q : IMP_CS_P);
        double J[3], L[3];
        for (int k = 0; k < 3; k++)
            J[k] =
                (i ? 1.0 : -1.0) * (cs[IMP_CS_IMPULSE] * cs[IMP_CS_NORMAL + k] +
                                    cs[IMP_CS_IMPULSE + 1] * cs[IMP_CS_T1 + k] +
                                    cs[IMP_CS_IMPULSE + 2] * cs[IMP_CS_T2 + k]);
        vec3_cross(point, J, L);
        p_size += vec3_norm(J) + vec3_norm(p0[i]);
        l_size += vec3_norm(J) * vec3_norm(point) + vec3_norm(l0[i]);
        if (rt_body(r, ct->body[i])->flags & IMP_BODYF_FIXED) {
            /* what holds a fixed body takes up its impulse */
            vec3_add_scaled(1.0, J, dp);
            vec3_add_scaled(1.0, L, dl);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            dp[k] += p1[i][k] - p0[i][k];
            dl[k] += l1[i][k] - l0[i][k];
        }
    }
    double ep = p_size > 0.0 ? vec3_norm(dp) / p_size : 0.0,
           el = l_size > 0.0 ? vec3_norm(dl) / l_size : 0.0;
    return fmax(ep, el);
}
