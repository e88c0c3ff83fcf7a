/* SPDX-License-Identifier: MIT */
/* See balls_steps.h. */
#include "runtime/balls/balls_steps.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
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
/* Bodies may come this many times farther in a step than the fastest one goes
 * when it begins: the light one of a pair leaves with twice that speed. */
#define REACH 4.0
/* a gain of energy by this share of what an impact moves is rounding */
#define GAIN_SHARE 1e-12

/* -- which bodies may touch ------------------------------------------------ */

static const double *
place_of(const struct balls_steps *steps, uint32_t which)
{
    return which < steps->n ? steps->grain[which].x
                            : steps->balls->ball[which].x;
}

static uint32_t
slot_of(const struct balls_steps *steps, const int64_t cell[3])
{
    uint64_t mix = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u ^
                   (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu ^
                   (uint64_t)cell[2] * 0x165667b19e3779f9u;
    return (uint32_t)(mix >> 32) & steps->mask;
}

static void
cell_of(const struct balls_steps *steps, uint32_t which, double side,
        int64_t cell[3])
{
    const double *x = place_of(steps, which);
    for (int k = 0; k < 3; k++)
        cell[k] = k < steps->balls->dim ? (int64_t)floor(x[k] / side) : 0;
}

/* The impulses that the same two bodies had in the last step. */
static void
remember(const struct balls_steps *steps, struct grain_contact *contact)
{
    if (!steps->last.n)
        return;
    for (uint32_t i = steps->first_last[contact->one];
         i < steps->first_last[contact->one + 1]; i++) {
        const struct grain_contact *old = steps->last.v + i;
        if (old->two == contact->two && old->body == contact->body &&
            old->end == contact->end) {
            contact->push = old->push;
            contact->across = old->across;
            contact->held = old->push > 0.0;
            contact->sticks =
                contact->held && fabs(old->across) < old->mu * old->push;
            return;
        }
    }
}

static void
add_contact(struct balls_steps *steps, struct grain_contact contact)
{
    const struct balls *balls = steps->balls;
    const struct grain *a = steps->grain + contact.one,
                       *b = steps->grain + contact.two;
    double inertia[2] = {a->invinertia, b->invinertia},
           along = a->invmass + b->invmass, across = along;
    contact.contact =
        balls_contact(balls, balls->ball[contact.one].body, contact.body);
    for (int k = 0; k < 2; k++) {
        contact.turned[k] = contact.turn[k] * inertia[k];
        contact.rolled[k] = contact.lever[k] * inertia[k];
        along += contact.turn[k] * contact.turned[k];
        across += contact.lever[k] * contact.rolled[k];
    }
    contact.inverse = 1.0 / along;
    contact.across_inverse = 1.0 / across;
    remember(steps, &contact);
    VEC_PUSH_IN(steps->arena, &steps->now, contact);
}

/* Two bodies that are not both balls. Both get their impulse at one point, so
 * that it changes no angular momentum; beside a fixed body it is that of the
 * one that moves. */
static int
look_at_shapes(struct balls_steps *steps, uint32_t one, uint32_t two,
               uint32_t body, double reach)
{
    const struct balls *balls = steps->balls;
    struct grain_touch touch[2];
    uint32_t n, of = balls->ball[one].body;
    int st = balls_steps_touches(balls->run, balls_contact(balls, of, body), of,
                                 body, reach, touch, &n);
    for (uint32_t k = 0; k < n && !st; k++) {
        struct grain_contact contact = {.one = one,
                                        .two = two,
                                        .body = body,
                                        .end = touch[k].end,
                                        .gap = touch[k].gap};
        vec3_copy(touch[k].n, contact.n);
        for (int i = 0; i < 2; i++) {
            if (i == 1 && two == steps->n)
                continue;
            double arm[3], share = two == steps->n ? 0.0 : 0.5;
            const double *x = steps->grain[i == 0 ? one : two].x;
            for (int c = 0; c < 3; c++)
                arm[c] = (1.0 - share) * touch[k].point[0][c] +
                         share * touch[k].point[1][c] - x[c];
            double sign = i == 0 ? 1.0 : -1.0;
            contact.turn[i] =
                -sign * (arm[0] * contact.n[1] - arm[1] * contact.n[0]);
            contact.lever[i] = sign * vec3_dot(arm, contact.n);
        }
        add_contact(steps, contact);
    }
    return st;
}

static int
look_at_pair(struct balls_steps *steps, uint32_t one, uint32_t two,
             double reach)
{
    const struct balls *balls = steps->balls;
    const struct ball *a = balls->ball + one, *b = balls->ball + two;
    double n[3], radii = a->radius + b->radius;
    vec3_sub(place_of(steps, two), place_of(steps, one), n);
    double far = vec3_dot(n, n), most = radii + reach;
    uint32_t other = two < steps->n ? two : steps->n;
    if (far > most * most)
        return IMP_OK;
    if (a->shape || b->shape)
        return look_at_shapes(steps, one, other, b->body, reach);
    if (!(far > 0.0))
        return IMP_OK;
    double distance = sqrt(far);
    struct grain_contact contact = {
        .one = one,
        .two = other,
        .body = b->body,
        .gap = distance - radii,
        .lever = {a->radius, two < steps->n ? b->radius : 0.0}};
    for (int k = 0; k < 3; k++)
        contact.n[k] = n[k] / distance;
    add_contact(steps, contact);
    return IMP_OK;
}

static int
look_at_planes(struct balls_steps *steps, uint32_t one, double reach)
{
    const struct balls *balls = steps->balls;
    for (uint32_t k = 0; k < balls->n_plane; k++) {
        const struct ball_plane *plane = balls->plane + k;
        double x[3];
        vec3_sub(steps->grain[one].x, plane->point, x);
        double gap = vec3_dot(x, plane->normal) - balls->ball[one].radius;
        if (gap > reach)
            continue;
        if (balls->ball[one].shape) {
            int st = look_at_shapes(steps, one, steps->n, plane->body, reach);
            if (st)
                return st;
            continue;
        }
        struct grain_contact contact = {.one = one,
                                        .two = steps->n,
                                        .body = plane->body,
                                        .gap = gap,
                                        .lever = {balls->ball[one].radius}};
        for (int i = 0; i < 3; i++)
            contact.n[i] = -plane->normal[i];
        add_contact(steps, contact);
    }
    return IMP_OK;
}

/* Writes the places at which a step begins into env, where shapes are read. */
static void
place_shapes(struct balls_steps *steps)
{
    const struct balls *balls = steps->balls;
    for (uint32_t i = 0; i < steps->n; i++) {
        if (!balls->shapes || balls->dim != 2)
            continue;
        const imp_body *body = rt_body(balls->run, balls->ball[i].body);
        double *state = balls->run->env + body->env_state;
        memset(balls->run->state_lo +
                   (body->env_state - balls->run->im->layout.state),
               0, IMP_STATE_PLANE * sizeof *state);
        state[0] = steps->grain[i].x[0];
        state[1] = steps->grain[i].x[1];
        state[2] = steps->grain[i].angle;
    }
}

/* All pairs nearer than `reach`, in the order of the bodies. */
static int
find_contacts(struct balls_steps *steps, double reach)
{
    const struct balls *balls = steps->balls;
    double widest = 0.0;
    for (uint32_t i = 0; i < balls->n_ball; i++)
        widest = fmax(widest, 2.0 * balls->ball[i].radius);
    double side = widest + reach;
    struct contact_list swap = steps->last;
    uint32_t *offsets = steps->first_last;
    steps->last = steps->now;
    steps->first_last = steps->first;
    steps->now = swap;
    steps->now.n = 0;
    steps->first = offsets;
    for (uint32_t i = 0; i <= steps->mask; i++)
        steps->cell[i] = NO_BALL;
    place_shapes(steps);
    int64_t cell[3], other[3];
    int st = IMP_OK;
    for (uint32_t i = balls->n_ball; i-- > 0;) {
        cell_of(steps, i, side, cell);
        uint32_t slot = slot_of(steps, cell);
        steps->next[i] = steps->cell[slot];
        steps->cell[slot] = i;
    }
    int around = balls->dim == 2 ? 9 : 27;
    for (uint32_t i = 0; i < steps->n; i++) {
        steps->first[i] = (uint32_t)steps->now.n;
        cell_of(steps, i, side, cell);
        for (int k = 0; k < around; k++) {
            int64_t near[3] = {cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1,
                               cell[2] + (around == 27 ? k / 9 - 1 : 0)};
            for (uint32_t j = steps->cell[slot_of(steps, near)]; j != NO_BALL;
                 j = steps->next[j]) {
                if (j <= i)
                    continue;
                cell_of(steps, j, side, other);
                if (!st && !memcmp(other, near, sizeof other))
                    st = look_at_pair(steps, i, j, reach);
            }
        }
        if (!st)
            st = look_at_planes(steps, i, reach);
    }
    steps->first[steps->n] = (uint32_t)steps->now.n;
    return st;
}

/* -- the impulses of a step ------------------------------------------------ */

/* before: at the beginning of the step */
static double
rate_of(const struct grain_contact *contact, const struct grain *one,
        const struct grain *two, bool before)
{
    double v[3];
    vec3_sub(before ? two->before : two->v, before ? one->before : one->v, v);
    return vec3_dot(contact->n, v) +
           (contact->turn[0] * (before ? one->before_spin : one->spin) +
            contact->turn[1] * (before ? two->before_spin : two->spin));
}

/* In the plane: along the normal turned by -90 degrees. */
static double
slip_of(const struct grain_contact *contact, const struct grain *one,
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
        double rate = rate_of(contact, one, two, false);
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
        wanted = contact->across -
                 slip_of(contact, one, two, false) * contact->across_inverse;
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

/* Impulses of the last step are the first guess of this one. */
static void
solve(struct balls_steps *steps)
{
    struct balls_report *report = &steps->report;
    double least =
               fmax(SWEEP_SHARE * report->still, SWEEP_SPEED * report->fastest),
           change = 0.0, size = 0.0;
    kick(steps);
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        contact->push_on = contact->across_on = 0.0;
        struct grain *one = steps->grain + contact->one,
                     *two = steps->grain + contact->two;
        give_push(contact, one, two, contact->push);
        give_across(contact, one, two, contact->across);
    }
    for (int k = 0; k < SWEEPS_MOST; k++) {
        for (size_t i = 0; i < steps->now.n; i++) {
            steps->now.v[i].push_before = steps->now.v[i].push;
            steps->now.v[i].across_before = steps->now.v[i].across;
        }
        change = sweep(steps, true);
        if (change <= least)
            break;
        if (k + 1 < SWEEPS_MOST)
            go_on(steps, &size);
    }
    report->residual = fmax(report->residual, change);
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

/* The rate of the gap that a contact has at least after the step. */
static int
choose_targets(struct balls_steps *steps)
{
    kick(steps);
    for (size_t i = 0; i < steps->now.n; i++) {
        struct grain_contact *contact = steps->now.v + i;
        struct grain *one = steps->grain + contact->one,
                     *two = steps->grain + contact->two;
        double free = rate_of(contact, one, two, false);
        contact->rate = rate_of(contact, one, two, true);
        contact->slip = slip_of(contact, one, two, true);
        contact->target = -contact->gap / steps->length;
        contact->bounces = false;
        steps->report.overlap = fmax(steps->report.overlap, -contact->gap);
        contact->mu = friction_of(steps, contact);
        if (!(contact->rate < 0.0) || free >= contact->target)
            continue;
        int st = contact_restitution_at(steps->balls->run, contact->contact,
                                        -contact->rate, &contact->e);
        if (st)
            return st;
        contact->bounces = -contact->e * contact->rate > steps->slow;
        if (!contact->bounces)
            continue;
        contact->target = -contact->e * contact->rate;
        contact->mu = friction_of(steps, contact);
    }
    return IMP_OK;
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
        contact->target = -contact->gap / steps->length;
    }
    for (uint32_t i = 0; i < steps->n && any; i++)
        steps->report.plastic += steps->group[i] == i &&
                                 steps->gain[i] > GAIN_SHARE * steps->moved[i];
    return any;
}

/* -- the step -------------------------------------------------------------- */

/* What the run tells of a contact: forces are means over the step, its impacts
 * included. Contacts that stand for many pairs tell nothing. */
static void
tell_contact(struct balls_steps *steps, const struct grain_contact *contact,
             bool held)
{
    const struct rt *run = steps->balls->run;
    const imp_contact *of = rt_contact(run, contact->contact);
    double *env = run->env + of->env_contact, share = held ? 1.0 : 0.0,
           slip = slip_of(contact, steps->grain + contact->one,
                          steps->grain + contact->two, false);
    if (of->flags & IMP_CONTACTF_RULE)
        return;
    env[IMP_CONTACT_NORMAL_FORCE] = share * contact->push / steps->length;
    env[IMP_CONTACT_FRICTION_FORCE] = share * contact->across / steps->length;
    env[IMP_CONTACT_SLIP] = share * slip;
    env[IMP_CONTACT_MODE] =
        !held || !(contact->push > 0.0) ? CONTACT_TOLD_FREE
        : !(contact->mu > 0.0)          ? CONTACT_TOLD_SLIDE
        : fabs(contact->across) < contact->mu * contact->push
            ? CONTACT_TOLD_STICK
        : slip < 0.0 ? CONTACT_TOLD_SLIP_NEGATIVE
                     : CONTACT_TOLD_SLIP_POSITIVE;
}

static void
note_contacts(struct balls_steps *steps)
{
    struct balls *balls = steps->balls;
    struct rt *run = balls->run;
    steps->blows.n = 0;
    for (size_t i = 0; i < steps->last.n; i++)
        tell_contact(steps, steps->last.v + i, false);
    for (size_t i = 0; i < steps->now.n; i++)
        tell_contact(steps, steps->now.v + i, true);
    for (size_t i = 0; i < steps->now.n; i++) {
        const struct grain_contact *contact = steps->now.v + i;
        struct grain *one = steps->grain + contact->one,
                     *two = steps->grain + contact->two;
        if (!(contact->push > 0.0))
            continue;
        one->held = two->held = true;
        double slip = slip_of(contact, one, two, false),
               work = 0.5 * contact->across * (contact->slip + slip);
        steps->report.normal +=
            0.5 * contact->push *
            (contact->rate + rate_of(contact, one, two, false));
        steps->report.friction += work;
        run->env[rt_contact(run, contact->contact)->env_contact +
                 IMP_CONTACT_WORK] += work;
        if (!contact->bounces)
            continue;
        steps->report.blows++;
        VEC_PUSH_IN(steps->arena, &steps->blows,
                    (struct balls_blow){
                        .contact = contact->contact,
                        .body = {balls->ball[contact->one].body, contact->body},
                        .approach = -contact->rate,
                        .impulse = contact->push});
    }
}

static double
fastest_of(const struct balls_steps *steps)
{
    double most = 0.0;
    for (uint32_t i = 0; i < steps->n; i++) {
        const struct grain *grain = steps->grain + i;
        most = fmax(most, vec3_norm(grain->v));
        most = fmax(most, fabs(grain->radius * grain->spin));
    }
    return most;
}

int
balls_step(struct balls_steps *steps)
{
    assert(steps != NULL);
    struct balls_report *report = &steps->report;
    for (uint32_t i = 0; i < steps->n; i++) {
        struct grain *grain = steps->grain + i;
        /* the step before has ended */
        vec3_add_scaled(report->steps ? steps->length : 0.0, grain->v,
                        grain->x);
        grain->angle += (report->steps ? steps->length : 0.0) * grain->spin;
        vec3_copy(grain->v, grain->before);
        grain->before_spin = grain->spin;
        grain->held = false;
    }
    int st = find_contacts(steps, REACH * steps->length *
                                      (report->fastest + report->still));
    if (st || (st = choose_targets(steps)))
        return st;
    solve(steps);
    if (take_gains(steps))
        solve(steps);
    note_contacts(steps);
    report->steps++;
    steps->known = steps->time;
    steps->time = steps->start + (double)report->steps * steps->length;
    if (steps->flight)
        balls_steps_trace_last(steps);
    report->fastest = fastest_of(steps);
    if (report->fastest > report->still)
        report->still_since = steps->time;
    return IMP_OK;
}

void
balls_steps_put(struct balls_steps *steps, double t)
{
    assert(steps != NULL && steps->report.steps > 0);
    assert(t >= steps->known && t <= steps->time);
    struct balls *balls = steps->balls;
    double s = t - steps->known;
    for (uint32_t i = 0; i < steps->n; i++) {
        const struct grain *grain = steps->grain + i;
        struct ball *ball = balls->ball + i;
        struct ball_spin *spin = balls->spin + i;
        /* free flights: `v` is the velocity in the middle of the step */
        double weight = grain->held ? 0.0 : 1.0, lag = 0.5 * steps->length;
        for (int k = 0; k < 3; k++) {
            double g = weight * balls->gravity[k], v = grain->v[k] - g * lag;
            ball->v[k] = v + g * s;
            ball->x[k] = grain->x[k] + (v + 0.5 * g * s) * s;
        }
        ball->clock = t;
        if (balls->dim == 2) {
            spin->attitude[0] = grain->angle + grain->spin * s;
            spin->spin[0] = grain->spin;
            continue;
        }
        double turned[4];
        memcpy(spin->attitude, steps->attitude[i], sizeof spin->attitude);
        balls_attitude(spin, t - steps->start, turned);
        memcpy(spin->attitude, turned, sizeof turned);
    }
    balls_put(balls, t);
}

/* -- the start ------------------------------------------------------------- */

struct balls_steps *
balls_steps_new(struct balls *balls, double length, double slow)
{
    assert(balls != NULL && length > 0.0 && slow >= 0.0);
    struct rt *run = balls->run;
    struct arena *arena = run->arena;
    struct balls_steps *steps = NEW(arena, struct balls_steps);
    uint32_t n = balls->n_move, size = 64;
    while (size < 2 * balls->n_ball)
        size *= 2;
    double fall = length * vec3_norm(balls->gravity);
    *steps = (struct balls_steps){
        .balls = balls,
        .arena = arena,
        .length = length,
        .slow = fmax(slow, fall),
        .start = rt_time(run),
        .time = rt_time(run),
        .known = rt_time(run),
        .n = n,
        .grain = NEW_N(arena, struct grain, (size_t)n + 1),
        .attitude = arena_alloc(arena, ((size_t)n + 1) * 4 * sizeof(double)),
        .first = NEW_N(arena, uint32_t, (size_t)n + 1),
        .first_last = NEW_N(arena, uint32_t, (size_t)n + 1),
        .cell = NEW_N(arena, uint32_t, size),
        .next = NEW_N(arena, uint32_t, (size_t)balls->n_ball + 1),
        .mask = size - 1,
        .group = NEW_N(arena, uint32_t, (size_t)n + 1),
        .gain = NEW_N(arena, double, (size_t)n + 1),
        .moved = NEW_N(arena, double, (size_t)n + 1),
        .report = {.still = fall},
        .flight = run->trace ? NEW_N(arena, struct ball_flight, (size_t)n + 1)
                             : NULL};
    balls->now = rt_time(run);
    balls->known = false;
    for (uint32_t i = 0; i < balls->n_ball; i++)
        balls_read(balls, i, balls->now);
    for (uint32_t i = 0; i < n; i++) {
        struct grain *grain = steps->grain + i;
        const struct ball *ball = balls->ball + i;
        const struct ball_spin *spin = balls->spin + i;
        *grain = (struct grain){.invmass = spin->invmass,
                                .radius = ball->radius,
                                .invinertia =
                                    balls->dim == 2 ? spin->invinertia : 0.0,
                                .spin = balls->dim == 2 ? spin->spin[0] : 0.0,
                                .angle = spin->attitude[0]};
        vec3_copy(ball->x, grain->x);
        vec3_copy(ball->v, grain->v);
        memcpy(steps->attitude[i], spin->attitude, sizeof spin->attitude);
    }
    steps->report.fastest = fastest_of(steps) + fall;
    /* `v` is the velocity half a step ago */
    for (uint32_t i = 0; i < n; i++)
        vec3_add_scaled(-0.5 * length, balls->gravity, steps->grain[i].v);
    return steps;
}

int
balls_steps_overlap(struct balls_steps *steps, uint32_t body[2],
                    uint32_t *contact, double *depth)
{
    assert(steps != NULL && body != NULL && contact != NULL && depth != NULL);
    const struct balls *balls = steps->balls;
    *depth = 0.0;
    int st = find_contacts(steps, 0.0);
    if (st)
        return st;
    for (size_t i = 0; i < steps->now.n; i++) {
        const struct grain_contact *near = steps->now.v + i;
        double size = balls->ball[near->one].radius;
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs(balls->ball[near->one].x[k]));
        if (!(near->gap < -RT_GAP_SHARE * balls->run->world.tolerance * size))
            continue;
        body[0] = balls->ball[near->one].body;
        body[1] = near->body;
        *contact = near->contact;
        *depth = -near->gap;
        return IMP_OK;
    }
    return IMP_OK;
}

double
balls_steps_time(const struct balls_steps *steps)
{
    assert(steps != NULL);
    return steps->time;
}

const struct balls_blow *
balls_steps_blows(const struct balls_steps *steps, uint32_t *n)
{
    assert(steps != NULL && n != NULL);
    *n = (uint32_t)steps->blows.n;
    return steps->blows.v;
}

const struct balls_report *
balls_steps_report(const struct balls_steps *steps)
{
    assert(steps != NULL);
    return &steps->report;
}
