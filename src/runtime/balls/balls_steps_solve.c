/* SPDX-License-Identifier: MIT */
/* The impulses of a step of balls_steps.c. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "runtime/balls/balls_steps_priv.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/numerics/vec3.h"

/* Sweeps over all contacts of a step end where none changes a velocity by more
 * than this share of what a body falls faster by in a step, or after so many.
 */
#define SWEEP_SHARE 1e-6
#define SWEEPS_MOST 1000
/* the same as a share of the greatest speed, where nothing falls */
#define SWEEP_SPEED 1e-14
/* Places, and which impacts lead to others, are found to velocities of this
 * many times what those of the step are. */
#define PLACE_SHARE 100.0
#define ROUND_SHARE 1000.0
/* sweeps that tell which impacts lead to others */
#define ROUND_SWEEPS 50
/* Impacts within a step lead to others at most so many times; what comes then
 * is held off, and hit in the next step. */
#define ROUNDS_MOST 10
/* the target of a contact that is not reached in a step */
#define NOT_TOUCHED (-INFINITY)
/* a gain of energy by this share of what an impact moves is rounding */
#define GAIN_SHARE 1e-12

/* -- the impulses of a step ------------------------------------------------ */

double
balls_steps_rate(const struct grain_contact *contact, const struct grain *one,
                 const struct grain *two, bool before)
{
    double v[3];
    vec3_sub(before ? two->before : two->v, before ? one->before : one->v, v);
    return vec3_dot(contact->n, v) +
           (contact->turn[0] * (before ? one->before_spin : one->spin) +
            contact->turn[1] * (before ? two->before_spin : two->spin));
}

double
balls_steps_slip(const struct grain_contact *contact, const struct grain *one,
                 const struct grain *two, bool before)
{
    const double *a = before ? one->before : one->v,
                 *b = before ? two->before : two->v;
    double spin = contact->lever[0] * (before ? one->before_spin : one->spin) +
                  contact->lever[1] * (before ? two->before_spin : two->spin);
    return contact->n[1] * (b[0] - a[0]) - contact->n[0] * (b[1] - a[1]) + spin;
}

static void
give_push(const struct grain_contact *contact, struct grain *one,
          struct grain *two, double push)
{
    vec3_add_scaled(-push * one->invmass, contact->n, one->v);
    vec3_add_scaled(push * two->invmass, contact->n, two->v);
    one->spin += push * contact->turned[0];
    two->spin += push * contact->turned[1];
}

static void
give_across(const struct grain_contact *contact, struct grain *one,
            struct grain *two, double across)
{
    double t[3] = {contact->n[1], -contact->n[0], 0.0};
    vec3_add_scaled(-across * one->invmass, t, one->v);
    vec3_add_scaled(across * two->invmass, t, two->v);
    one->spin += across * contact->rolled[0];
    two->spin += across * contact->rolled[1];
}

/* One sweep, forward or backward. Returns the greatest change of a velocity. */
static double
sweep(struct balls_steps *steps, bool forward)
{
    double most = 0.0;
    size_t n = steps->now.n;
    for (size_t k = 0; k < n; k++) {
        struct grain_contact *contact =
            steps->now.v + (forward ? k : n - 1 - k);
        struct grain *one = steps->grain + contact->one,
                     *two = steps->grain + contact->two;
        double rate = balls_steps_rate(contact, one, two, false);
        double wanted =
            contact->push + (contact->target - rate) * contact->inverse;
        wanted = wanted > 0.0 ? wanted : 0.0;
        double change = wanted - contact->push;
        if (change != 0.0) {
            give_push(contact, one, two, change);
            contact->push = wanted;
            most = fmax(most, fabs(change) / contact->inverse);
        }
        if (!(contact->mu > 0.0))
            continue;
        double bound = contact->mu * wanted;
        wanted = contact->across - balls_steps_slip(contact, one, two, false) *
                                       contact->across_inverse;
        wanted = fmax(-bound, fmin(bound, wanted));
        change = wanted - contact->across;
        if (change != 0.0) {
            give_across(contact, one, two, change);
            contact->across = wanted;
            most = fmax(most, fabs(change) / contact->across_inverse);
        }
    }
    return most;
}

/* Goes on in the direction in which the sweeps have gone, as conjugate
 * gradients do (Silcowitz-Hansen, Niebe and Erleben 2010): on piles of many
 * layers sweeps alone take the square of their number. *size: the square of the
 * last change.
 */
static void
go_on(struct balls_steps *steps, double *size)
{
    double square = 0.0;
    for (size_t i = 0; i < steps->now.n; i++) {
        const struct grain_contact *contact = steps->now.v + i;
        double push = contact->push - contact->push_before,
               across = contact->across - contact->across_before;
        square += push * push / contact->inverse +
                  across * across / contact->across_inverse;
    }
    double share = *size > 0.0 ? square / *size : 2.0;
    *size = square;
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        double push = contact->push - contact->push_before,
               across = contact->across - contact->across_before;
        if (share <= 1.0) {
            struct grain *one = steps->grain + contact->one,
                         *two = steps->grain + contact->two;
            double more = share * contact->push_on,
                   aside = share * contact->across_on;
            give_push(contact, one, two, more);
            give_across(contact, one, two, aside);
            contact->push += more;
            contact->across += aside;
            contact->push_on = more + push;
            contact->across_on = aside + across;
        } else {
            contact->push_on = contact->across_on = 0.0;
        }
    }
}

static void
kick(struct balls_steps *steps)
{
    for (uint32_t i = 0; i < steps->n; i++) {
        struct grain *grain = steps->grain + i;
        vec3_copy(grain->before, grain->v);
        grain->spin = grain->before_spin;
        vec3_add_scaled(steps->length, steps->balls->gravity, grain->v);
    }
}

/* The velocities by which no gap changes more slowly than its target. The
 * impulses that the contacts have are the first guess. least: of changes of a
 * velocity that still count; most: sweeps. Returns the last change. */
static double
solve(struct balls_steps *steps, double least, int most)
{
    double change = 0.0, size = 0.0;
    kick(steps);
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        contact->push_on = contact->across_on = 0.0;
        if (contact->target == NOT_TOUCHED)
            contact->push = contact->across = 0.0;
        struct grain *one = steps->grain + contact->one,
                     *two = steps->grain + contact->two;
        give_push(contact, one, two, contact->push);
        give_across(contact, one, two, contact->across);
    }
    for (int k = 0; k < most; k++) {
        for (size_t i = 0; i < steps->now.n; i++) {
            steps->now.v[i].push_before = steps->now.v[i].push;
            steps->now.v[i].across_before = steps->now.v[i].across;
        }
        change = sweep(steps, true);
        if (change <= least)
            break;
        if (k + 1 < most)
            go_on(steps, &size);
    }
    return change;
}

/* Which of its coefficients of friction a contact has in this step: that of
 * sticking goes on until it slips. */
static double
friction_of(const struct balls_steps *steps,
            const struct grain_contact *contact)
{
    const struct rt *run = steps->balls->run;
    const double *env =
        run->env + rt_contact(run, contact->contact)->env_contact;
    if (steps->balls->dim != 2)
        return 0.0;
    return contact->bounces ? env[IMP_CONTACT_MU_IMPACT]
           : contact->sticks || (!contact->held && contact->slip == 0.0)
               ? env[IMP_CONTACT_MU_STATIC]
               : env[IMP_CONTACT_MU];
}

/* The least rate of the gap of bodies that touch. Those that are reached before
 * the end of a step take their whole impact in it; what is left of their gap
 * closes no faster than a body falls in a step. */
static double
touching(const struct balls_steps *steps, const struct grain_contact *contact)
{
    double closing = -contact->gap / steps->length;
    return fmax(closing, -steps->report.still);
}

/* Bodies reach each other within the step at this rate of their gap: they
 * bounce, or touch. */
static int
reach(struct balls_steps *steps, struct grain_contact *contact, double rate)
{
    contact->target = touching(steps, contact);
    if (!(rate < 0.0))
        return IMP_OK;
    int st = contact_restitution_at(steps->balls->run, contact->contact, -rate,
                                    &contact->e);
    if (st)
        return st;
    contact->bounces = -contact->e * rate > steps->slow;
    if (!contact->bounces)
        return IMP_OK;
    contact->approach = -rate;
    contact->target = fmax(contact->target, -contact->e * rate);
    contact->mu = friction_of(steps, contact);
    return IMP_OK;
}

/* The targets of contacts that touch when the step begins, or are reached in it
 * if nothing stands in the way. */
static int
choose_targets(struct balls_steps *steps)
{
    kick(steps);
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        struct grain *one = steps->grain + contact->one,
                     *two = steps->grain + contact->two;
        double free = balls_steps_rate(contact, one, two, false);
        contact->rate = balls_steps_rate(contact, one, two, true);
        contact->slip = balls_steps_slip(contact, one, two, true);
        contact->bounces = false;
        contact->mu = friction_of(steps, contact);
        contact->target = NOT_TOUCHED;
        steps->report.overlap = fmax(steps->report.overlap, -contact->gap);
        if (free * steps->length < -contact->gap) {
            int st = reach(steps, contact, contact->rate);
            if (st)
                return st;
        } else if (contact->held ||
                   contact->gap <= steps->length * steps->report.still) {
            contact->target = touching(steps, contact);
        }
    }
    return IMP_OK;
}

/* Contacts that are reached by what the impacts of the step have done. */
static int
reach_others(struct balls_steps *steps, double least, bool *any)
{
    *any = false;
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        if (contact->target != NOT_TOUCHED)
            continue;
        double rate = balls_steps_rate(contact, steps->grain + contact->one,
                                       steps->grain + contact->two, false);
        if ((rate + least) * steps->length >= -contact->gap)
            continue;
        *any = true;
        int st = reach(steps, contact, rate);
        if (st)
            return st;
    }
    return IMP_OK;
}

/* Contacts that are not reached are not passed through either. */
static void
hold_others_off(struct balls_steps *steps)
{
    for (size_t i = 0; i < steps->now.n; i++)
        if (steps->now.v[i].target == NOT_TOUCHED)
            steps->now.v[i].target = -steps->now.v[i].gap / steps->length;
}

static uint32_t
group_of(struct balls_steps *steps, uint32_t i)
{
    while (steps->group[i] != i)
        i = steps->group[i] = steps->group[steps->group[i]];
    return i;
}

/* Takes the restitution from groups that would gain energy. Returns whether
 * there are some. */
static bool
take_gains(struct balls_steps *steps)
{
    bool any = false;
    for (size_t i = 0; i < steps->now.n && !any; i++)
        any = steps->now.v[i].bounces && steps->now.v[i].push > 0.0;
    if (!any)
        return false;
    for (uint32_t i = 0; i < steps->n; i++) {
        steps->group[i] = i;
        steps->gain[i] = steps->moved[i] = 0.0;
    }
    for (size_t i = 0; i < steps->now.n; i++) {
        const struct grain_contact *contact = steps->now.v + i;
        if (contact->push > 0.0 && contact->two < steps->n)
            steps->group[group_of(steps, contact->two)] =
                group_of(steps, contact->one);
    }
    for (uint32_t i = 0; i < steps->n; i++) {
        const struct grain *grain = steps->grain + i;
        double v[3] = {grain->before[0], grain->before[1], grain->before[2]};
        vec3_add_scaled(steps->length, steps->balls->gravity, v);
        double inertia =
            grain->invinertia > 0.0 ? 1.0 / grain->invinertia : 0.0;
        double old = 0.5 * (vec3_dot(v, v) / grain->invmass +
                            inertia * grain->before_spin * grain->before_spin),
               new = 0.5 * (vec3_dot(grain->v, grain->v) / grain->invmass +
                            inertia * grain->spin * grain->spin);
        steps->gain[group_of(steps, i)] += new - old;
        steps->moved[group_of(steps, i)] += new + old;
    }
    any = false;
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        uint32_t group = group_of(steps, contact->one);
        if (!contact->bounces ||
            !(steps->gain[group] > GAIN_SHARE * steps->moved[group]))
            continue;
        any = true;
        contact->bounces = false;
        contact->target = touching(steps, contact);
    }
    for (uint32_t i = 0; i < steps->n && any; i++)
        steps->report.plastic += steps->group[i] == i &&
                                 steps->gain[i] > GAIN_SHARE * steps->moved[i];
    return any;
}

/* -- places ---------------------------------------------------------------- */

/* Has the contact come to rest against what is fixed, with a part of its gap
 * left? */
static bool
landed(const struct balls_steps *steps, const struct grain_contact *contact)
{
    return contact->two == steps->n && contact->gap > 0.0 &&
           contact->push > 0.0 && !contact->bounces && !contact->held;
}

static void
swap(double *a, double *b)
{
    double keep = *a;
    *a = *b;
    *b = keep;
}

/* The velocities by which the places go: those of the step, but bodies that
 * land come down to what they land on, as far as others let them. For this the
 * impulses along the normals are found once more, which changes no velocity of
 * the step. */
static void
find_places(struct balls_steps *steps, double least)
{
    bool any = false;
    for (uint32_t i = 0; i <= steps->n; i++) {
        struct grain *grain = steps->grain + i;
        vec3_copy(grain->v, grain->going);
        grain->going_spin = grain->spin;
    }
    for (size_t i = 0; i < steps->now.n && !any; i++)
        any = landed(steps, steps->now.v + i);
    if (!any)
        return;
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        contact->kept[0] = contact->push;
        contact->kept[1] = contact->target;
        contact->kept[2] = contact->mu;
        if (landed(steps, contact))
            contact->target = -contact->gap / steps->length;
        contact->mu = 0.0; /* sweeps leave `across` as it is */
    }
    (void)solve(steps, least, SWEEPS_MOST);
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        contact->push = contact->kept[0];
        contact->target = contact->kept[1];
        contact->mu = contact->kept[2];
    }
    for (uint32_t i = 0; i <= steps->n; i++) {
        struct grain *grain = steps->grain + i;
        for (int k = 0; k < 3; k++)
            swap(grain->v + k, grain->going + k);
        swap(&grain->spin, &grain->going_spin);
    }
}

int
balls_steps_solve(struct balls_steps *steps)
{
    assert(steps != NULL);
    struct balls_report *report = &steps->report;
    double least =
        fmax(SWEEP_SHARE * report->still, SWEEP_SPEED * report->fastest);
    int st = choose_targets(steps);
    bool any = true;
    for (int k = 0; k < ROUNDS_MOST && any && !st; k++) {
        (void)solve(steps, ROUND_SHARE * least, ROUND_SWEEPS);
        st = reach_others(steps, ROUND_SHARE * least, &any);
    }
    if (st)
        return st;
    hold_others_off(steps);
    double change = solve(steps, least, SWEEPS_MOST);
    if (take_gains(steps))
        change = solve(steps, least, SWEEPS_MOST);
    report->residual = fmax(report->residual, change);
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        if (contact->push > 0.0)
            steps->grain[contact->one].held = steps->grain[contact->two].held =
                true;
    }
    find_places(steps, PLACE_SHARE * least);
    return st;
}
