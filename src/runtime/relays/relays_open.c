/* SPDX-License-Identifier: MIT */
/* Where rest is but one of several motions: forces that jump where a rate is 0,
 * and drive it on (relays.h). */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/relays/relays_priv.h"

/* A force beyond a cone by less than this share of it may be rounding. */
#define RELAY_CLEAR 1e-9

/* Do closed contacts leave what shares add to the rate of u as it is? */
static bool
is_let_alone(const struct relays *relays, uint32_t i)
{
    double off = 0.0;
    for (uint32_t j = 0; j < relays->of->n; j++)
        off += fabs(slopes(relays, i)[j] - raw_slopes(relays, i)[j]);
    return off <= RELAY_JUMP * (relays->terms[i] + slopes_size(relays, i));
}

/* Is a contact of the system closed, to the tolerance of gaps? At the start it
 * is not chosen yet what they hold. */
static bool
system_touches(struct rt *run, uint32_t system)
{
    const imp_system *sys = rt_system(run, system);
    const double *place = run->env + sys->env_state;
    double *N = NEW_N(run->brief, double, sys->n + 1), gap, rate;
    for (uint32_t i = 0; i < sys->n_contact; i++) {
        if (system_gap(run, system, i, &gap, &rate, N))
            return true;
        double size = 0.0, rest = gap; /* what the terms of the gap are */
        for (uint32_t j = 0; j < sys->n; j++) {
            size += fabs(N[j] * place[j]);
            rest -= N[j] * place[j];
        }
        if (gap <= run->world.tolerance * (size + fabs(rest)))
            return true;
    }
    return false;
}

/* May the friction of a contact hold the system, or the bodies of this block?
 * These are asked before it is known what touches them. */
static bool
may_touch(struct rt *run, uint32_t block, const struct relays *relays)
{
    if (relays->system != IMP_NO_SYSTEM)
        return system_touches(run, relays->system);
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        const imp_contact *contact = rt_contact(run, i);
        for (int k = 0; k < 2 && contact->system == IMP_NO_SYSTEM; k++)
            if (rt_body(run, contact->body[k])->block == block)
                return true;
    }
    return run->table != NULL;
}

/* Would a contact of a system that sticks have to slip, by the series made
 * last? Of one that slips one of both rows is 0. */
static bool
system_slips(const struct rt *run, uint32_t system)
{
    bool slips = false;
    for (uint32_t k = 0; k < rt_system(run, system)->n_rub; k++) {
        double minus = system_rub(run, system, k, SYSTEM_RUB_CONE_MINUS)[0],
               plus = system_rub(run, system, k, SYSTEM_RUB_CONE_PLUS)[0];
        slips |= fmin(minus, plus) < -RELAY_CLEAR * (fabs(minus) + fabs(plus));
    }
    return slips;
}

/* How many closed contacts the block has whose normal forces can be told; out
 * (or NULL): these, by the series made last. */
static uint32_t
forces_of(const struct rt *run, uint32_t block, const struct relays *relays,
          const struct relay_contacts *contacts, double *out)
{
    if (contacts)
        return contacts->forces(run, block, out);
    uint32_t n = rt_system(run, relays->system)->n_contact;
    for (uint32_t i = 0; i < n && out; i++)
        out[i] = system_holds(run, relays->system, i)
                     ? system_force(run, relays->system, i)[0]
                     : 0.0;
    return n;
}

/* Of n forces while a relay is at either end of its range: would one pull? */
static bool
pulls(const double *minus, const double *plus, uint32_t n)
{
    double jump = 0.0, least = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        jump = fmax(jump, fabs(plus[k] - minus[k]));
        least = fmin(least, fmin(plus[k], minus[k]));
    }
    return least < -RELAY_CLEAR * jump;
}

/* Would closed contacts give way, to a slip of one that sticks or to one that
 * would have to pull, if relay i, whose u they hold, were at an end of its
 * range? */
static bool
would_give(struct rt *run, uint32_t block, struct relays *relays, uint32_t i,
           const struct relay_contacts *contacts)
{
    static const bool none[IMP_RELAYS_MAX];
    uint32_t n = relays->of->n,
             n_force = forces_of(run, block, relays, contacts, NULL);
    double share[IMP_RELAYS_MAX] = {0.0},
           *force[2] = {NEW_N(run->brief, double, n_force + 1),
                        NEW_N(run->brief, double, n_force + 1)};
    bool gives = false, known = true, act = relays->act;
    for (uint32_t j = 0; j < n; j++) {
        share[j] = relays->held[j] ? relays->share[j] : relays->side[j];
        *mode_of(relays, j) = 0.0;
    }
    relays->act = true;
    for (int end = 0; end < 2; end++) {
        share[i] = end ? 1.0 : -1.0;
        for (uint32_t j = 0; j < n; j++)
            *mode_of(relays, n + j) = share[j];
        if (!contacts)
            system_relays_join(run, relays->system, none, share);
        int st = contacts ? contacts->series(run, block)
                          : system_series(run, relays->system, 1);
        known = known && !st;
        if (st)
            continue;
        gives |= contacts ? contacts->slips(run, block)
                          : system_slips(run, relays->system);
        forces_of(run, block, relays, contacts, force[end]);
    }
    relays->act = act;
    relays_tell(run, relays);
    return gives || (known && pulls(force[0], force[1], n_force));
}

/* Is u of relay i, which is 0, left to it and to contacts, and drives it on? */
static bool
is_open(struct rt *run, uint32_t block, struct relays *relays, uint32_t i,
        double least, const struct relay_contacts *contacts)
{
    const double *told = relays->told + i * IMP_RELAY_TOLD;
    double rate = relays->rate[i], jump = slopes(relays, i)[i];
    if (relays->bound[i])
        return raw_slopes(relays, i)[i] > 0.0 &&
               would_give(run, block, relays, i, contacts);
    /* friction is as much whichever way it points */
    double push = fabs(rate - told[2]);
    for (uint32_t j = 0; j < relays->of->n; j++)
        if (j != i)
            rate += slopes(relays, i)[j] *
                    (relays->held[j] ? relays->share[j] : relays->side[j]);
    if (relays->beside)
        rate = fabs(rate - (relays->rate[i] - told[2])) + push;
    double noise = RELAY_NOISE * DBL_EPSILON * fabs(told[1]) +
                   RELAY_STEPS * least * (fabs(rate) + fabs(jump));
    return fabs(told[0]) <= noise && jump > RELAY_JUMP * (fabs(rate) + jump) &&
           fabs(rate) < jump - relays_rate_noise(relays, i) &&
           (relays->beside ? is_let_alone(relays, i)
                           : !may_touch(run, block, relays));
}

void
relays_tell_open(struct rt *run, uint32_t block, double least,
                 const struct relay_contacts *contacts)
{
    assert(run != NULL && block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    if (!relays)
        return;
    uint32_t n = relays->of->n;
    char t[NUM_TEXT];
    const uint32_t *number = IMP_ARRAY(run->im, relays->of->guards, uint32_t);
    for (uint32_t i = 0; i < n; i++) {
        if (relays->open[i] || disc_of(run, relays, i) != IMP_NO_DISC ||
            !is_open(run, block, relays, i, least, contacts))
            continue;
        relays->open[i] = true;
        uint32_t guard =
            number[2 * i] != IMP_NO_GUARD ? number[2 * i] : number[2 * i + 1];
        struct diag *diag = diag_add(
            run->ds, DIAG_W0771,
            IMP_ARRAY(run->im, block_of(run, block)->guards, imp_guard)[guard]
                .range,
            "the motion is not unique at t = %s: this jumps at rest, and "
            "drives on %s",
            rt_told(t, rt_time(run), 9),
            relays->bound[i] ? "what a contact holds" : "to either side");
        diag_help(run->ds, diag,
                  "the run takes the value that the formula has there, as "
                  "sign(0) = 0; a start with a small speed says which side is "
                  "meant");
    }
}
