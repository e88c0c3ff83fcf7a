/* SPDX-License-Identifier: MIT */
/* See contact_restitution.h. */
#include "runtime/instance/contact_restitution.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "abi/status.h"
#include "base/num.h"
#include "runtime/instance/contact_plain.h"

bool
contact_restitution_varies(const struct rt *run, uint32_t contact)
{
    assert(run != NULL);
    return rt_contact(run, contact)->bounce != IMP_NO_TAPE;
}

/* E0517: the law gives what no restitution is. */
static int
out_of_bounds(struct rt *run, uint32_t contact, double approach, double value)
{
    const imp_contact *of = rt_contact(run, contact);
    char text[NUM_TEXT], speed[NUM_TEXT];
    struct diag *diag =
        diag_add(run->ds, DIAG_E0517, of->range_e,
                 "the restitution of contact `%s` is %s for an approach of %s",
                 imp_text(run->im, of->name), num_digits(text, value, 6),
                 num_digits(speed, approach, 6));
    diag_label(run->ds, diag, "must lie between 0 and 1");
    diag_help(run->ds, diag,
              value < 0.0 ? "bound it from below, as in max(0, 1 - "
                            "0.1*(approach/(1 [m/s]))^(1/5))"
                          : "more than 1 creates energy; if that is meant, say "
                            "`world { gain = allowed }`");
    return IMP_FAILED;
}

struct law {
    struct rt *run;
    uint32_t contact;
    bool tells; /* makes diagnostics */
};

/* The restitution and its derivative at a positive speed (restitution_law). */
static int
law_at(void *context, double speed, double law[2])
{
    const struct law *of = context;
    struct rt *run = of->run;
    uint32_t tape = rt_contact(run, of->contact)->bounce;
    if (rt_eval(run, tape, &speed, law)) {
        if (of->tells)
            rt_nonfinite(run, tape, &speed);
        return IMP_FAILED;
    }
    if ((law[0] >= 0.0 && law[0] <= 1.0) ||
        (law[0] > 1.0 && run->im->gain_allowed))
        return IMP_OK;
    return of->tells ? out_of_bounds(run, of->contact, speed, law[0])
                     : IMP_FAILED;
}

int
contact_restitution_at(struct rt *run, uint32_t contact, double approach,
                       double *restitution)
{
    assert(run != NULL && restitution != NULL);
    const imp_contact *of = rt_contact(run, contact);
    struct law law = {run, contact, true};
    double at[2];
    *restitution = run->env[of->env_contact + IMP_CONTACT_E];
    if (of->bounce == IMP_NO_TAPE || !(approach > 0.0))
        return IMP_OK;
    int st = law_at(&law, approach, at);
    *restitution = st ? 0.0 : at[0];
    return st;
}

double
contact_restitution_of(struct rt *run, uint32_t contact, double approach)
{
    double restitution;
    int st = contact_restitution_at(run, contact, approach, &restitution);
    run->law_status = st ? st : run->law_status;
    return restitution;
}

double
contact_restitution_ahead(struct rt *run, uint32_t contact, double approach)
{
    assert(run != NULL);
    const imp_contact *of = rt_contact(run, contact);
    struct law law = {run, contact, false};
    double at[2];
    if (of->bounce != IMP_NO_TAPE && approach > 0.0 &&
        !law_at(&law, approach, at))
        return at[0];
    return run->env[of->env_contact + IMP_CONTACT_E];
}

/* Restitutions that differ by less are the same: what rounding does to 1 - e.
 */
#define RESTITUTION_SAME 1e-15

/* A restitution that is settled is asked for down to this share of the speed,
 * at speeds that impacts under it have: less is left of them than rounding. */
#define SETTLED_LEAST DBL_EPSILON

bool
contact_restitution_settled(struct rt *run, uint32_t contact, double speed)
{
    struct law law = {run, contact, false};
    double last = contact_restitution_ahead(run, contact, 0.0);
    if (!contact_restitution_varies(run, contact) || !(speed > 0.0))
        return true;
    if (!(last >= 0.0) || !(last < 1.0))
        return fabs(contact_restitution_ahead(run, contact, speed) - last) <=
               RESTITUTION_SAME;
    double share = last > 0.5 ? pow(last, ceil(log(0.5) / log(last))) : last;
    double least = SETTLED_LEAST * speed, at[2];
    for (; speed > least; speed *= share)
        if (law_at(&law, speed, at) || fabs(at[0] - last) > RESTITUTION_SAME)
            return false;
    return true;
}

double
contact_restitution_slower(struct rt *run, uint32_t contact, double speed)
{
    struct flight_sum flights;
    if (!contact_restitution_varies(run, contact) || !(speed > 0.0))
        return 1.0;
    contact_restitution_flights(run, contact, speed, &flights);
    double lost = 1.0 - contact_restitution_ahead(run, contact, speed);
    return flights.ends ? fmax(1.0, flights.sum * lost) : INFINITY;
}

bool
contact_restitution_elastic(struct rt *run, uint32_t contact)
{
    return contact_is_plain(run, contact,
                            CONTACT_LAW_FRICTION | CONTACT_LAW_COMPLIANCE) &&
           !(contact_restitution_ahead(run, contact, 0.0) < 1.0);
}

void
contact_restitution_flights(struct rt *run, uint32_t contact, double speed,
                            struct flight_sum *out)
{
    assert(run != NULL && out != NULL && speed > 0.0);
    double e = run->env[rt_contact(run, contact)->env_contact + IMP_CONTACT_E];
    struct law law = {run, contact, false};
    if (contact_restitution_varies(run, contact)) {
        if (flight_sum(law_at, &law, speed, out))
            *out = (struct flight_sum){.sum = INFINITY, .error = INFINITY};
        return;
    }
    *out = (struct flight_sum){
        .ends = e < 1.0, .sum = 1.0 / (1.0 - e), .error = 4.0 * DBL_EPSILON};
}
