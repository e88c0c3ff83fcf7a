/* SPDX-License-Identifier: MIT */
/* See balls_steps.h. */
#include "runtime/balls/balls_steps.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "runtime/balls/balls_steps_priv.h"
#include "runtime/numerics/vec3.h"

/* Bodies may come this many times farther in a step than the fastest one goes
 * when it begins: the light one of a pair leaves with twice that speed. */
#define REACH 4.0
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
            contact->held = old->push > 0.0 && !old->bounces;
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
           slip = balls_steps_slip(contact, steps->grain + contact->one,
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
        double slip = balls_steps_slip(contact, one, two, false),
               work = 0.5 * contact->across * (contact->slip + slip);
        steps->report.normal +=
            0.5 * contact->push *
            (contact->rate + balls_steps_rate(contact, one, two, false));
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
                        .approach = contact->approach,
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
        vec3_add_scaled(report->steps ? steps->length : 0.0, grain->going,
                        grain->x);
        grain->angle +=
            (report->steps ? steps->length : 0.0) * grain->going_spin;
        vec3_copy(grain->v, grain->before);
        grain->before_spin = grain->spin;
        grain->held = false;
    }
    int st = find_contacts(steps, REACH * steps->length *
                                      (report->fastest + report->still));
    if (st || (st = balls_steps_solve(steps)))
        return st;
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
            double g = weight * balls->gravity[k];
            ball->v[k] = grain->v[k] + g * (s - lag);
            ball->x[k] =
                grain->x[k] + (grain->going[k] + g * (0.5 * s - lag)) * s;
            spin->low[k] = 0.0;
        }
        ball->clock = t;
        if (balls->dim == 2) {
            spin->attitude[0] = grain->angle + grain->going_spin * s;
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
