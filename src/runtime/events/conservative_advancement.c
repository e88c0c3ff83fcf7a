/* SPDX-License-Identifier: MIT */
/* Bounds for bodies that are far apart, or whose gap has no usable series:
 * balls around the mass centres that move along the series, and conservative
 * advancement (Mirtich 1996). These bounds can only show that nothing happens;
 * touches are found by event.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "runtime/events/event_priv.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/geometry/support.h"
#include "runtime/motion/persistent.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/vec3.h"

/* The balls are larger than the bodies by this factor, so that the search
 * changes to the series of the gap before the balls touch. */
#define ADVANCEMENT_BALL 1.05
/* If the balls are nearer than this share of their sizes, the series of the
 * gap takes over. Steps by bounds alone would come closer and closer without
 * arriving. */
#define ADVANCEMENT_NEAR 0.05
/* a conservative step leaves this share of the gap */
#define ADVANCEMENT_REST 0.1
/* The speed of a driven body is looked at at so many instants of a step, and is
 * below so many times the greatest of these. */
enum { DRIVEN_PLACES = 8 };
#define DRIVEN_SPEED 2.0

/* The motion of the second mass centre against the first: position, velocity,
 * half the acceleration, and a bound of all higher terms. */
struct relative {
    double x[3], v[3], a[3];
    double rest; /* a bound of what orders >= 3 add within the horizon */
    bool ends;   /* there are no orders >= 3 */
    bool series; /* made of series */
    double higher[MOTION_STEP_ORDER + 1]; /* sizes of the orders >= 3 */
};

/* Returns the series of entry i of the pose of a free body; NULL for other
 * bodies. */
static const double *
pose_row(const struct rt *run, const imp_body *body, int i)
{
    if (body->block == IMP_NO_BLOCK || body->block >= run->im->blocks.n ||
        body->pose[i] == IMP_NO_ROW)
        return NULL;
    return run->rows.block[body->block] +
           (size_t)body->pose[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* Adds the motion of a body to that of its mass centre against the other one's.
 * False if it has no series here (a prescribed motion): then its place alone.
 */
static bool
add_motion(const struct rt *run, const imp_body *body, double sign,
           double horizon, struct relative *motion)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < run->im->dim; j++)
        motion->x[j] += sign * run->env[body->env_state + j];
    if (body->flags & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME))
        return false;
    for (uint32_t j = 0; j < run->im->dim; j++) {
        const double *row = pose_row(run, body, (int)j);
        if (row == NULL) {
            if (!body_rests(body))
                return false;
            continue;
        }
        motion->v[j] += sign * row[1];
        motion->a[j] += sign * row[2];
        double hk = horizon * horizon * horizon, part = 0.0;
        for (int n = 3; n <= MOTION_STEP_ORDER; n++, hk *= horizon)
            if (row[n] != 0.0) {
                part += fabs(row[n]) * hk;
                motion->higher[n] += fabs(row[n]);
            }
        /* the terms beyond the last one are worth less than all terms seen */
        sum += 2.0 * part;
    }
    motion->rest += sum;
    motion->ends = motion->ends && sum == 0.0 &&
                   (body->block == IMP_NO_BLOCK || run->switching == NULL ||
                    switching_count(run, body->block) == 0);
    return true;
}

static bool
relative_motion(const struct rt *run, const imp_contact *image_contact,
                double horizon, struct relative *motion)
{
    *motion = (struct relative){.ends = true, .series = true};
    for (int i = 0; i < 2; i++)
        if (!add_motion(run, rt_body(run, image_contact->body[i]),
                        i == 0 ? -1.0 : 1.0, horizon, motion))
            return false;
    return true;
}

/* The first t >= 0 with c + b t + a t^2 <= 0; infinite if there is none.
 * Computed without cancellation. */
static double
first_nonpositive(double c, double b, double a)
{
    if (!(c > 0.0))
        return 0.0;
    if (a == 0.0)
        return b < 0.0 ? -c / b : INFINITY;
    double disc = b * b - 4.0 * a * c;
    if (disc < 0.0)
        return INFINITY;
    double q = b < 0.0 ? -b + sqrt(disc) : -b - sqrt(disc);
    /* roots 2c/q and q/(2a); for a > 0 and b >= 0 both are negative */
    double t1 = q != 0.0 ? 2.0 * c / q : INFINITY, t2 = q / (2.0 * a);
    double t = INFINITY;
    if (t1 >= 0.0)
        t = t1;
    if (t2 >= 0.0 && t2 < t)
        t = t2;
    return t;
}

/* A lower bound of the time at which two balls touch, which is where their
 * centres are `touching` (m) apart. */
static double
balls_meet(const struct relative *motion, double touching)
{
    double distance = vec3_norm(motion->x);
    if (!(distance > touching))
        return 0.0;
    double v2 = vec3_dot(motion->v, motion->v),
           approach = vec3_dot(motion->x, motion->v);
    double a2 = vec3_dot(motion->a, motion->a);
    if (a2 == 0.0) {
        /* A straight line: the nearest approach follows from the cross
         * product, which does not cancel. */
        if (approach >= 0.0)
            return INFINITY;
        double x[3];
        vec3_cross(motion->x, motion->v, x);
        double in = touching * touching * v2 - vec3_dot(x, x);
        if (in < 0.0)
            return INFINITY;
        return distance < (1.0 + ADVANCEMENT_NEAR) * touching
                   ? 0.0
                   : (distance - touching) * (distance + touching) /
                         (-approach + sqrt(in));
    }
    /* the balls stay apart for ever if velocity and acceleration both point
     * outwards */
    if (approach >= 0.0 && vec3_dot(motion->x, motion->a) >= 0.0 &&
        vec3_dot(motion->v, motion->a) >= 0.0)
        return INFINITY;
    if (distance < (1.0 + ADVANCEMENT_NEAR) * touching)
        return 0.0;
    /* the better of two bounds: along the line of centres, and by the speeds */
    double e = first_nonpositive(distance - touching, approach / distance,
                                 vec3_dot(motion->x, motion->a) / distance);
    double s = first_nonpositive(distance - touching, -sqrt(v2), -sqrt(a2));
    return fmax(e, s);
}

/* How far a point (world axes) is above a half-space at rest, and the gradient
 * there, which has the length `norm`. False: this body is none, or has no
 * surface there. */
static bool
plane_room(struct rt *run, uint32_t body, const double point[3],
           double gradient[3], double *norm, double *room)
{
    struct support_body plane;
    struct support_point surface;
    double v[3], x[3];
    if (!support_is_flat(rt_body(run, body)) || !body_rests(rt_body(run, body)))
        return false;
    support_body_get(run, body, &plane);
    for (int i = 0; i < 3; i++)
        v[i] = point[i] - plane.c[i];
    support_rotate_back(&plane, v, x);
    for (int i = 0; i < 3; i++)
        x[i] += plane.centre[i];
    if (support_level(&plane, x, &surface) != SUPPORT_FINE ||
        !(surface.norm > 0.0))
        return false;
    support_rotate(&plane, surface.g, gradient);
    *norm = surface.norm;
    *room = surface.G / surface.norm;
    return true;
}

bool
event_room(struct rt *run, uint32_t body, const double point[3], double *room)
{
    assert(run && body < run->im->bodies.n && point && room);
    double gradient[3], norm;
    return plane_room(run, body, point, gradient, &norm, room);
}

/* For how long balls around the bodies, or a plane and a ball, stay apart. */
static double
balls_apart(struct rt *run, const imp_contact *image_contact,
            const struct relative *moving)
{
    const struct relative motion = *moving;
    const imp_body *body[2] = {rt_body(run, image_contact->body[0]),
                               rt_body(run, image_contact->body[1])};
    int flat = support_is_flat(body[0]) ? 0 : support_is_flat(body[1]) ? 1 : -1;
    double apart;
    if (flat < 0) {
        double size[2] = {support_size(run, body[0]),
                          support_size(run, body[1])};
        if (size[0] == 0.0 || size[1] == 0.0)
            return 0.0;
        apart = balls_meet(&motion, ADVANCEMENT_BALL * (size[0] + size[1]) +
                                        motion.rest);
    } else {
        /* a plane at rest against a ball */
        struct support_body ball;
        double normal[3], norm, room;
        support_body_get(run, image_contact->body[1 - flat], &ball);
        if (ball.flat || ball.size == 0.0 ||
            !plane_room(run, image_contact->body[flat], ball.c, normal, &norm,
                        &room))
            return 0.0;
        double sign = (flat == 0 ? 1.0 : -1.0) / norm;
        room = room - ADVANCEMENT_BALL * ball.size - motion.rest;
        apart = first_nonpositive(room, sign * vec3_dot(normal, motion.v),
                                  sign * vec3_dot(normal, motion.a));
        if (isfinite(apart) && room < ADVANCEMENT_NEAR * ball.size)
            apart = 0.0;
    }
    return apart;
}

bool
event_far(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    const uint32_t *of = rt_contact(run, contact)->body;
    const imp_body *body[2] = {rt_body(run, of[0]), rt_body(run, of[1])};
    double centre[2][3] = {{0.0}}, size[2], way[3], room;
    if (run->world.tolerance > 0.1 * (ADVANCEMENT_BALL - 1.0))
        return false;
    for (int i = 0; i < 2; i++) {
        size[i] = ADVANCEMENT_BALL * support_size(run, body[i]);
        memcpy(centre[i], run->env + body[i]->env_state,
               run->im->dim * sizeof(double));
    }
    int flat = support_is_flat(body[0]) ? 0 : support_is_flat(body[1]) ? 1 : -1;
    if (flat >= 0)
        return size[1 - flat] > 0.0 &&
               event_room(run, of[flat], centre[1 - flat], &room) &&
               room > size[1 - flat];
    vec3_sub(centre[0], centre[1], way);
    return size[0] > 0.0 && size[1] > 0.0 && vec3_norm(way) > size[0] + size[1];
}

/* The same as relative_motion, without series, of bodies that move by their
 * weight alone. */
static bool
weight_motion(const struct rt *run, const imp_contact *image_contact,
              struct relative *motion)
{
    *motion = (struct relative){.ends = true};
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, image_contact->body[i]);
        double sign = i == 0 ? -1.0 : 1.0;
        if (body->flags & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME))
            return false;
        const double *state = run->env + body->env_state,
                     *v = state + (run->im->dim == 2 ? 3 : 7);
        for (uint32_t j = 0; j < run->im->dim; j++) {
            motion->x[j] += sign * state[j];
            if (body_rests(body))
                continue;
            motion->v[j] += sign * v[j];
            motion->a[j] += 0.5 * sign * run->world.gravity[j];
        }
    }
    return true;
}

double
event_apart(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct relative motion;
    return weight_motion(run, image_contact, &motion)
               ? balls_apart(run, image_contact, &motion)
               : 0.0;
}

double
advancement_apart(struct rt *run, uint32_t contact, double horizon, double most)
{
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct relative motion;
    if (!relative_motion(run, image_contact, isfinite(horizon) ? horizon : most,
                         &motion))
        return 0.0;
    double apart = balls_apart(run, image_contact, &motion);
    /* beyond the horizon nothing is known unless the series are polynomials
     * that no branch of a formula ends */
    return motion.ends ? apart
                       : fmin(apart, isfinite(horizon) ? horizon : most);
}

/* A bound of the spin (rad/s) that the body can have from here on. Without
 * torques |L| stays, so that |w| grows at most by the ratio of the moments of
 * inertia. */
static double
most_spin(const struct rt *run, const imp_body *body)
{
    const double *s = run->env + body->env_state;
    if (body_rests(body))
        return 0.0;
    if (run->im->dim == 2)
        return fabs(s[5]);
    const double *I = run->env + body->env_body + IMP_BODY_INERTIA;
    const double *w = s + 10;
    double L[3];
    if (body->flags & IMP_BODYF_ROTORS) /* which have momentum of their own */
        return 10.0 * vec3_norm(w);
    sym3_apply(I, w, L);
    /* least moment of inertia >= 1/trace of the inverse */
    const double *J = run->env + body->env_body + IMP_BODY_INVINERTIA;
    double inverse = J[0] + J[1] + J[2], now = vec3_norm(w);
    return fmax(now, fmin(vec3_norm(L) * inverse, 10.0 * now));
}

/* The series of entry i of the spin of a body that has one; NULL else. */
static const double *
spin_row(const struct rt *run, const imp_body *body, uint32_t i)
{
    if (body->block == IMP_NO_BLOCK || body->block >= run->im->blocks.n)
        return NULL;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + body->block;
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, block->rows, uint32_t);
    uint32_t env = body->env_state + (run->im->dim == 2 ? 5 : 10) + i,
             at = block->state.n > 0 ? env - state[0] : 0;
    if (at >= block->state.n || state[at] != env)
        for (at = 0; at < block->state.n && state[at] != env; at++)
            ;
    return at < block->state.n
               ? run->rows.block[body->block] +
                     (size_t)rows[at] * IMP_ROW_STRIDE + IMP_ROW_PAD
               : NULL;
}

/* Does the body turn in space without a torque? */
static bool
turns_freely(const struct rt *run, const imp_body *body)
{
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + body->block;
    return run->im->dim == 3 && body->flags & IMP_BODYF_WEIGHT &&
           !(body->flags & IMP_BODYF_ROTORS) && block->bodies.n == 1 &&
           block->n_unknown == 0 && !persistent_moves(run, body->block);
}

/* Adds to `way`, order by order of time, how far what is at this arm comes by
 * the changes of the body's spin, which torques, joints and contacts make. */
static void
add_turn(const struct rt *run, const imp_body *body, double arm, double *way)
{
    if (body_rests(body) || body->flags & IMP_BODYF_PRESCRIBED ||
        turns_freely(run, body))
        return;
    for (uint32_t i = 0; i < (run->im->dim == 2 ? 1u : 3u); i++) {
        const double *row = spin_row(run, body, i);
        for (int n = 1; row != NULL && n < MOTION_STEP_ORDER; n++)
            way[n + 1] += arm * fabs(row[n]) / (n + 1);
    }
}

/* When, at most at t, have these orders of time come to `room`? A little before
 * that where it is not t. */
static double
room_lasts(double room, const double *way, double t)
{
    if (!isfinite(t))
        for (int n = MOTION_STEP_ORDER; n > 0; n--)
            if (way[n] > 0.0)
                t = fmin(t, pow(room / way[n], 1.0 / n));
    while (isfinite(t) && t > 0.0) {
        double sum = 0.0;
        for (int n = MOTION_STEP_ORDER; n > 0; n--)
            sum = (sum + way[n]) * t;
        if (sum <= room)
            break;
        /* no order grows by more than the highest one */
        t *= fmax(0.5, fmin(0.95, room / sum));
    }
    return t;
}

/* For how long bodies stay apart whose gap is this and which move so against
 * each other, and by this speed beside that; at most `most`. */
static double
keep_apart(struct rt *run, const imp_contact *image_contact,
           const struct relative *motion, double beside, double gap,
           double most)
{
    struct support_body support[2];
    double spin[2], arm[2], speed, way[MOTION_STEP_ORDER + 1] = {0.0};
    for (int i = 0; i < 2; i++) {
        support_body_get(run, image_contact->body[i], &support[i]);
        spin[i] = most_spin(run, support[i].b);
    }
    int flat = support[0].flat ? 0 : support[1].flat ? 1 : -1;
    arm[0] = support[0].size;
    arm[1] = support[1].size;
    if (flat >= 0) {
        /* Seen from the plane, the centre of the other body moves with its own
         * speed and the turning of the plane, and the body turns with both
         * spins. */
        if (support[1 - flat].flat)
            return 0.0;
        arm[flat] = vec3_norm(motion->x) + support[1 - flat].size;
    }
    speed = spin[0] * arm[0] + spin[1] * arm[1] + vec3_norm(motion->v) + beside;
    /* |gap| share = speed t + |a| t^2 + ... */
    double room = (1.0 - ADVANCEMENT_REST) * fabs(gap);
    double t =
        fmin(most, first_nonpositive(room, -speed, -vec3_norm(motion->a)));
    if (!motion->series)
        return t;
    memcpy(way, motion->higher, sizeof way);
    for (int i = 0; i < 2; i++)
        add_turn(run, support[i].b, arm[i], way);
    bool more = false;
    for (int n = 2; n <= MOTION_STEP_ORDER; n++)
        more |= way[n] > 0.0;
    way[1] += speed;
    way[2] += vec3_norm(motion->a);
    return more ? room_lasts(room, way, t) : t;
}

/* Puts the bodies that are driven where they are at this time. */
static void
drive(struct rt *run, double time)
{
    run->env[run->im->layout.time] = time;
    motion_prescribed(run);
}

/* A bound of the speed at which a driven body moves a point at this distance
 * from its mass centre until so long after now: a multiple of the greatest at
 * some instants. Infinite where it does not lead from one to the next. */
static double
driven_speed(struct rt *run, const imp_body *body, double arm, double time)
{
    double now = rt_time(run), last[3] = {0.0}, most = 0.0, farthest = 0.0;
    const double *state = run->env + body->env_state;
    for (int i = 0; i <= DRIVEN_PLACES; i++) {
        double speed, spin, way[3] = {0.0};
        drive(run, now + time * i / DRIVEN_PLACES);
        body_speeds(run, body, &speed, &spin);
        most = fmax(most, speed + spin * arm);
        for (uint32_t k = 0; k < run->im->dim; k++) {
            way[k] = i == 0 ? 0.0 : state[k] - last[k];
            last[k] = state[k];
        }
        farthest = fmax(farthest, vec3_norm(way));
    }
    drive(run, now);
    double rounding = DBL_EPSILON * vec3_norm(last);
    return farthest <= DRIVEN_SPEED * most * time / DRIVEN_PLACES + rounding
               ? DRIVEN_SPEED * most
               : INFINITY;
}

double
advancement_safe_driven(struct rt *run, uint32_t contact, double gap,
                        double most)
{
    assert(contact < run->im->contacts.n && gap > 0.0 && most >= 0.0);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct relative motion = {.ends = true, .series = true};
    struct support_body support[2];
    double arm = 0.0, speed = 0.0;
    for (int i = 0; i < 2; i++) {
        support_body_get(run, image_contact->body[i], &support[i]);
        if (!add_motion(run, support[i].b, i == 0 ? -1.0 : 1.0, 0.0, &motion) &&
            support[i].b->flags & IMP_BODYF_GTIME)
            return 0.0;
    }
    for (int i = 0; i < 2; i++)
        arm += support[i].flat ? vec3_norm(motion.x) : support[i].size;
    for (int i = 0; i < 2; i++)
        if (support[i].b->flags & IMP_BODYF_PRESCRIBED)
            speed += driven_speed(run, support[i].b, arm, most);
    return keep_apart(run, image_contact, &motion, speed, gap, most);
}

double
advancement_safe(struct rt *run, uint32_t contact, double gap, double most)
{
    assert(contact < run->im->contacts.n && most >= 0.0);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct relative motion;
    if (!relative_motion(run, image_contact, 0.0, &motion))
        return 0.0;
    return keep_apart(run, image_contact, &motion, 0.0, gap, most);
}

/* For how long the planes across the normal at the closest points keep convex
 * bodies apart, whose gap this is: for a time t they come closer by n.v t plus
 * what the bodies turn beyond them. With h the distance of such a plane from
 * the mass centre and R the radius about it, dh/dt <= |w| sqrt(R^2 - h^2), and
 * so h grows by sqrt(R^2 - h^2) |w| t at most, and by R - h; of these bounds
 * each one holds, of each body. 0: nothing is known. */
static double
planes_apart(struct rt *run, const imp_contact *image_contact,
             const struct relative *motion, const struct closest_points *at)
{
    double rate[2], most[2], apart = 0.0,
                             room = (1.0 - ADVANCEMENT_REST) * at->gap;
    if (run->dents)
        return 0.0;
    for (int i = 0; i < 2; i++) {
        struct support_body support;
        double arm[3];
        support_body_get(run, image_contact->body[i], &support);
        rate[i] = most[i] = 0.0;
        if (support.flat && body_rests(support.b))
            continue;
        if (support.flat || support.size == 0.0)
            return 0.0;
        for (int k = 0; k < 3; k++)
            arm[k] = (i == 0 ? at->P[k] : at->Q[k]) - support.c[k];
        double h = vec3_dot(at->n, arm) * (i == 0 ? 1.0 : -1.0),
               across = (support.size - h) * (support.size + h);
        rate[i] = most_spin(run, support.b) * sqrt(fmax(across, 0.0));
        most[i] = fmax(support.size - h, 0.0);
    }
    double approach = vec3_dot(at->n, motion->v),
           bend = vec3_dot(at->n, motion->a);
    for (int which = 0; which < 4; which++) {
        double left = room, speed = approach;
        for (int i = 0; i < 2; i++) {
            left -= which >> i & 1 ? most[i] : 0.0;
            speed -= which >> i & 1 ? 0.0 : rate[i];
        }
        apart = fmax(apart, first_nonpositive(left, speed, bend));
    }
    return apart;
}

/* Finds the closest points, if their gap is far above its tolerance. *below: it
 * is below its band. */
static bool
is_open(struct rt *run, uint32_t contact, struct closest_points *at,
        bool *below)
{
    struct gap_tolerance tol;
    int st = closest_points_find(run, contact, at, false);
    *below = false;
    if (st && !(st == IMP_SINGULAR && isfinite(at->gap)))
        return false;
    gap_tolerance_get(run, contact, &tol);
    *below = at->gap < -tol.gap;
    return at->gap > fmax(tol.gap, EVENT_NEAR * tol.length);
}

double
event_apart_by_gap(struct rt *run, uint32_t contact, bool *below)
{
    assert(contact < run->im->contacts.n && below);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct relative motion;
    struct closest_points at;
    return is_open(run, contact, &at, below) &&
                   weight_motion(run, image_contact, &motion)
               ? fmax(planes_apart(run, image_contact, &motion, &at),
                      keep_apart(run, image_contact, &motion, 0.0, at.gap,
                                 INFINITY))
               : 0.0;
}

double
event_open_by(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    const imp_contact *of = rt_contact(run, contact);
    struct closest_points at;
    double size = 0.0;
    bool below;
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, of->body[i]);
        if (body_rests(body))
            continue;
        double own = support_size(run, body);
        if (support_is_flat(body) || own == 0.0)
            return 0.0; /* points far out move far */
        size = fmax(size, own);
    }
    return is_open(run, contact, &at, &below) &&
                   at.gap > ADVANCEMENT_NEAR * size
               ? (1.0 - ADVANCEMENT_REST) * at.gap
               : 0.0;
}

double
event_horizon(struct rt *run)
{
    assert(run);
    double longest = 0.0, gravity = vec3_norm(run->world.gravity);
    for (uint32_t i = 0; i < run->im->bodies.n; i++) {
        double move, turn;
        body_speeds(run, rt_body(run, i), &move, &turn);
        if (turn > 0.0)
            longest = fmax(longest, 6.283185307179586 / turn);
    }
    for (uint32_t contact = 0; contact < run->im->contacts.n; contact++) {
        const imp_contact *image_contact = rt_contact(run, contact);
        if (image_contact->flags & IMP_CONTACTF_STATED ||
            image_contact->system != IMP_NO_SYSTEM)
            continue;
        struct relative motion;
        double length = gap_length(run, contact);
        if (gravity > 0.0)
            longest = fmax(longest, sqrt(length / gravity));
        if (!relative_motion(run, image_contact, 0.0, &motion))
            continue;
        double v[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 2; i++)
            body_add_velocity(run, rt_body(run, image_contact->body[i]),
                              i == 0 ? -1.0 : 1.0, v);
        double speed = vec3_norm(v);
        bool bounded =
            !(rt_body(run, image_contact->body[0])->flags & IMP_BODYF_FLAT) &&
            !(rt_body(run, image_contact->body[1])->flags & IMP_BODYF_FLAT);
        double way = length + (bounded ? vec3_norm(motion.x) : 0.0);
        if (speed > 0.0)
            longest = fmax(longest, way / speed);
    }
    return longest > 0.0 ? 1e3 * longest : 1e3;
}

int
event_start_check(struct rt *run, uint32_t contact, double *gap)
{
    assert(run != NULL && gap != NULL && contact < run->im->contacts.n);
    struct closest_points points;
    struct gap_tolerance tol;
    const imp_contact *image_contact = rt_contact(run, contact);
    int st = closest_points_find(run, contact, &points, false);
    if (st == IMP_DIVERGED)
        st = closest_points_find(run, contact, &points, true);
    if (st != IMP_OK && st != IMP_SINGULAR)
        return st;
    *gap = points.gap;
    gap_tolerance_get(run, contact, &tol);
    if (points.gap >= -tol.gap)
        return IMP_OK;
    char depth[NUM_TEXT], small[NUM_TEXT], time[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0620, image_contact->range,
        "`%s` and `%s` overlap by %s m at t = %s",
        imp_text(run->im, rt_body(run, image_contact->body[0])->name),
        imp_text(run->im, rt_body(run, image_contact->body[1])->name),
        num_digits(depth, -points.gap, 6), rt_told(time, rt_time(run), 9));
    diag_note(run->ds, diag, IMP_NOWHERE,
              "a gap counts as closed within %s m here",
              num_digits(small, tol.gap, 3));
    struct rt_passing pass =
        rt_passing(run, imp_text(run->im, image_contact->name));
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, image_contact->body[i]);
        if (!body->n_draw || body->flags & IMP_BODYF_APART)
            continue;
        diag_help(run->ds, diag,
                  "the position of `%s` is drawn: with `apart = 0` it is drawn "
                  "again until it overlaps with nothing",
                  imp_text(run->im, body->name));
        return IMP_FAILED;
    }
    diag_help(run->ds, diag,
              "move the bodies apart; if the data have few digits, set "
              "`tolerance` in `world`; in `simulate`, `through = %s` lets "
              "them pass%s",
              pass.name, pass.more);
    return IMP_FAILED;
}
