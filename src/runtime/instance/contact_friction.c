/* SPDX-License-Identifier: MIT */
/* See contact_friction.h. */
#include "runtime/instance/contact_friction.h"

#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "base/num.h"

/* Coefficients that formulas give may differ by so much of them and still be
 * meant to be equal: rounding, and the root of a slip that is rounding, 1e-14
 * of a speed. */
#define FRICTION_EQUAL 1e-7
/* a speed at which a slip has begun, and which changes no coefficient that is
 * continuous there by more than rounding */
#define SLIP_BEGINS 1e-300

int
contact_friction_at_rest(struct rt *run, uint32_t contact, double time,
                         double mu_dynamic, double *mu_static)
{
    assert(run != NULL && mu_static != NULL);
    const imp_contact *of = rt_contact(run, contact);
    char sticks[NUM_TEXT], slips[NUM_TEXT], at[NUM_TEXT];
    double begins[3];
    int st = contact_friction_now(run, contact, SLIP_BEGINS, begins);
    if (st)
        return st;
    mu_dynamic = fmax(mu_dynamic, begins[0]);
    if (*mu_static < mu_dynamic * (1.0 - FRICTION_EQUAL)) {
        struct diag *diag = diag_add(
            run->ds, DIAG_E0518, of->range_mu,
            "the static friction of contact `%s` is %s at t = %s, and "
            "the dynamic one at rest %s",
            imp_text(run->im, of->name), num_digits(sticks, *mu_static, 6),
            rt_told(at, time, 9), num_digits(slips, mu_dynamic, 6));
        diag_label(run->ds, diag,
                   "static friction is not below dynamic friction");
        diag_help(run->ds, diag,
                  "what slips cannot rub harder than what sticks: let the "
                  "formulas keep this order wherever the slip comes to 0%s",
                  *mu_static == 0.0
                      ? "; `slip` is a speed, and friction acts against the "
                        "slip by itself, without sign(slip)"
                      : "");
        return IMP_FAILED;
    }
    if (*mu_static < mu_dynamic)
        *mu_static = mu_dynamic;
    return IMP_OK;
}

int
contact_friction_sign(struct rt *run, uint32_t contact, double mu)
{
    assert(run != NULL);
    const imp_contact *of = rt_contact(run, contact);
    char value[NUM_TEXT], time[NUM_TEXT];
    if (mu >= 0.0)
        return IMP_OK;
    struct diag *diag =
        diag_add(run->ds, DIAG_E0518, of->range_mu,
                 "the friction of contact `%s` is %s at t = %s",
                 imp_text(run->im, of->name), num_digits(value, mu, 6),
                 rt_told(time, rt_time(run), 9));
    diag_help(run->ds, diag,
              "let the formula stay positive wherever the contact is closed");
    return IMP_FAILED;
}

int
contact_friction_now(struct rt *run, uint32_t contact, double speed,
                     double mu[3])
{
    assert(run != NULL && mu != NULL && speed >= 0.0);
    const imp_contact *of = rt_contact(run, contact);
    const double *env = run->env + of->env_contact;
    mu[0] = env[IMP_CONTACT_MU];
    mu[1] = env[IMP_CONTACT_MU_STATIC];
    mu[2] = env[IMP_CONTACT_MU_IMPACT];
    if (of->rub_now == IMP_NO_TAPE)
        return IMP_OK;
    if (rt_eval(run, of->rub_now, &speed, mu)) {
        rt_nonfinite(run, of->rub_now, &speed);
        return IMP_FAILED;
    }
    for (int i = 0, st; i < 3; i++)
        if ((st = contact_friction_sign(run, contact, mu[i])))
            return st;
    return IMP_OK;
}
