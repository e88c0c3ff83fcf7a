/* SPDX-License-Identifier: MIT */
/* When balls meet each other, fixed balls and planes. All times are counted
 * from the later of the clocks of both bodies, so that they depend on their
 * last impacts alone. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/balls/balls_priv.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/vec3.h"

/* steps of Newton's method that polish the root of a quartic */
#define POLISH 4

double
balls_first_fall(double c, double b, double a)
{
    if (!(c > 0.0)) {
        if (b < 0.0 || (b == 0.0 && a < 0.0))
            return 0.0;
        return a < 0.0 ? -b / a : INFINITY;
    }
    if (a == 0.0)
        return b < 0.0 ? -c / b : INFINITY;
    double disc = b * b - 4.0 * a * c;
    if (disc < 0.0 || (b >= 0.0 && a > 0.0))
        return INFINITY;
    double root = sqrt(disc);
    return b < 0.0 ? 2.0 * c / (root - b) : (b + root) / (-2.0 * a);
}

/* Where the ball is, and how fast, s after its clock. */
static inline void
place_after(const struct balls *balls, const struct ball *ball, bool moves,
            double s, double x[3], double v[3])
{
    for (int i = 0; i < 3; i++) {
        double g = moves ? balls->gravity[i] : 0.0;
        x[i] = ball->x[i] + (ball->v[i] + 0.5 * g * s) * s;
        v[i] = ball->v[i] + g * s;
    }
}

static void
place(const struct balls *balls, const struct ball *ball, bool moves, double t,
      double x[3], double v[3])
{
    place_after(balls, ball, moves, t - ball->clock, x, v);
}

static bool
moves(const struct balls *balls, uint32_t which)
{
    return which < balls->n_move;
}

/* Relative motion of two balls from the later of their clocks on: place,
 * velocity and half the acceleration of the second against the first. Returns
 * that time. */
static double
balls_relative(const struct balls *balls, const struct ball *one,
               const struct ball *two, double x[3], double v[3], double a[3])
{
    bool on = moves(balls, (uint32_t)(one - balls->ball)),
         too = moves(balls, (uint32_t)(two - balls->ball));
    double from = !too || one->clock > two->clock ? one->clock : two->clock;
    double x1[3], v1[3];
    place(balls, one, on, from, x1, v1);
    place(balls, two, too, from, x, v);
    for (int i = 0; i < 3; i++) {
        x[i] -= x1[i];
        v[i] -= v1[i];
        a[i] = 0.5 * balls->gravity[i] * ((too ? 1.0 : 0.0) - (on ? 1.0 : 0.0));
    }
    return from;
}

/* as runtime/gap/tolerance.c */
struct ball_tolerance
balls_tolerance(const struct balls *balls, uint32_t one, uint32_t two)
{
    assert(one < balls->n_move);
    const struct ball *a = balls->ball + one, *b = NULL;
    double share = RT_GAP_SHARE * balls->run->world.tolerance;
    double length = a->radius, where = vec3_norm(a->x), speed = 0.0,
           moved = vec3_norm(a->v), v[3];
    if (two < balls->n_ball) {
        b = balls->ball + two;
        length += b->radius;
        where += vec3_norm(b->x);
        moved += vec3_norm(b->v);
    }
    for (int i = 0; i < 3; i++)
        v[i] = b ? b->v[i] - a->v[i] : -a->v[i];
    speed = vec3_norm(v);
    double rounding = 4.0 * DBL_EPSILON * (length + where);
    return (struct ball_tolerance){.gap = fmax(share * length, 8.0 * rounding),
                                   .rate =
                                       fmax(share, 64.0 * DBL_EPSILON) * speed +
                                       8.0 * DBL_EPSILON * moved};
}

static inline double
tolerance_gap(const struct balls *balls, uint32_t one, uint32_t two)
{
    const struct ball *a = balls->ball + one;
    const double *x = a->x;
    double share = RT_GAP_SHARE * balls->run->world.tolerance,
           length = a->radius, most = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    if (two < balls->n_ball) {
        x = balls->ball[two].x;
        length += balls->ball[two].radius;
        most += fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    }
    /* most balls are so near the origin that their places do not matter */
    return 64.0 * DBL_EPSILON * (length + most) <= share * length
               ? share * length
               : balls_tolerance(balls, one, two).gap;
}

/* Is a rate of approach, whose square this is, beyond the tolerance of rates?
 * Most are so far beyond it that sums of sizes tell. */
static bool
fast(const struct balls *balls, uint32_t one, uint32_t two, double rate2,
     const double v[3])
{
    const struct ball *a = balls->ball + one, *b = balls->ball + two;
    double share =
        fmax(RT_GAP_SHARE * balls->run->world.tolerance, 64.0 * DBL_EPSILON);
    double most = share * (fabs(v[0]) + fabs(v[1]) + fabs(v[2])) +
                  8.0 * DBL_EPSILON *
                      (fabs(a->v[0]) + fabs(a->v[1]) + fabs(a->v[2]) +
                       fabs(b->v[0]) + fabs(b->v[1]) + fabs(b->v[2]));
    if (rate2 > 2.0 * most * most)
        return true;
    double rate = balls_tolerance(balls, one, two).rate;
    return rate2 > rate * rate;
}

bool
balls_fresh(const struct balls *balls, uint32_t one, uint32_t two)
{
    const struct ball *a = balls->ball + one;
    if (two >= balls->n_move)
        return a->hit == two;
    const struct ball *b = balls->ball + two;
    return a->hit == two && b->hit == one && a->hit_epoch == b->epoch &&
           b->hit_epoch == a->epoch;
}

static struct ball_meeting
never(void)
{
    return (struct ball_meeting){EVENT_NEVER, INFINITY, INFINITY};
}

/* So long after the later of both clocks. */
static struct ball_meeting
meets(enum balls_event kind, double since)
{
    return (struct ball_meeting){kind, since, since};
}

/* Two balls whose accelerations are equal. */
static struct ball_meeting
meet_straight(const struct balls *balls, uint32_t one, uint32_t two,
              const double x[3], const double v[3], double touching)
{
    double approach = vec3_dot(x, v), cross[3], v2 = vec3_dot(v, v);
    if (approach >= 0.0)
        return never();
    vec3_cross(x, v, cross);
    double band = touching + tolerance_gap(balls, one, two);
    double aside = vec3_dot(cross, cross), out = band * band * v2 - aside;
    if (out < 0.0)
        return never();
    double in = touching * touching * v2 - aside, distance = vec3_norm(x);
    if (in > 0.0 && fast(balls, one, two, in / (touching * touching), v)) {
        double room = (distance - touching) * (distance + touching);
        return meets(EVENT_HIT,
                     room > 0.0 ? room / (sqrt(in) - approach) : 0.0);
    }
    double room = (distance - band) * (distance + band);
    return meets(EVENT_UNCLEAR,
                 room > 0.0 ? room / (sqrt(out) - approach) : 0.0);
}

/* The first time at which |x + v s + a s^2| falls to `touching`, within `most`.
 * left: it is that at s = 0, and grows. */
static double
first_within(const double x[3], const double v[3], const double a[3],
             double touching, bool left, double most)
{
    double c[5] = {vec3_dot(x, x) - touching * touching, 2.0 * vec3_dot(x, v),
                   vec3_dot(v, v) + 2.0 * vec3_dot(x, a), 2.0 * vec3_dot(v, a),
                   vec3_dot(a, a)};
    double root;
    /* a known root at 0 is divided out */
    int skip = left ? 1 : 0, degree = 4 - skip;
    if (!polynomial_below(c + skip, degree, 0.0, most, 0.0, &root))
        return INFINITY;
    for (int i = 0; i < POLISH; i++) {
        double slope[4];
        polynomial_derivative(c + skip, degree, slope);
        double by = polynomial_value(c + skip, degree, root) /
                    polynomial_value(slope, degree - 1, root);
        if (!isfinite(by) || !(root - by > 0.0))
            break;
        root -= by;
    }
    return root;
}

/* A ball under its weight, and a fixed one. */
static struct ball_meeting
meet_falling(const double x[3], const double v[3], const double a[3],
             double touching, bool left, double most,
             const struct ball_tolerance *tol)
{
    double s = first_within(x, v, a, touching, left, most), at[3], speed[3];
    if (isfinite(s)) {
        for (int i = 0; i < 3; i++) {
            at[i] = x[i] + (v[i] + a[i] * s) * s;
            speed[i] = v[i] + 2.0 * a[i] * s;
        }
        if (vec3_dot(at, speed) < -tol->rate * touching)
            return meets(EVENT_HIT, s);
        return meets(EVENT_UNCLEAR, s);
    }
    if (left)
        return never();
    s = first_within(x, v, a, touching + tol->gap, false, most);
    return isfinite(s) ? meets(EVENT_UNCLEAR, s) : never();
}

/* A ball and a plane, no later than `most`. Most planes are out
 * of reach, which is seen without the tolerance. */
static struct ball_meeting
meet_plane(const struct balls *balls, uint32_t one, uint32_t two, bool left,
           double most)
{
    const struct ball *ball = balls->ball + one;
    const struct ball_plane *plane = balls->plane + (two - balls->n_ball);
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = ball->x[i] - plane->point[i];
    double c = left ? 0.0 : vec3_dot(plane->normal, x) - ball->radius,
           b = vec3_dot(plane->normal, ball->v),
           a = 0.5 * vec3_dot(plane->normal, balls->gravity);
    double s = balls_first_fall(c, b, a);
    bool falls = isfinite(s);
    if (falls ? ball->clock + s > most : left || !(b < 0.0))
        return never();
    struct ball_tolerance tol = balls_tolerance(balls, one, two);
    if (falls) {
        enum balls_event kind =
            b + 2.0 * a * s < -tol.rate ? EVENT_HIT : EVENT_UNCLEAR;
        return meets(kind, s);
    }
    s = balls_first_fall(c - tol.gap, b, a);
    return isfinite(s) ? meets(EVENT_UNCLEAR, s) : never();
}

struct ball_meeting
balls_meeting(const struct balls *balls, uint32_t one, uint32_t two, bool left,
              double most)
{
    assert(one < balls->n_move && one != two);
    const struct ball *ball = balls->ball + one;
    struct ball_meeting meeting;
    double from = ball->clock;
    if (two >= balls->n_ball) {
        meeting = meet_plane(balls, one, two, left, most);
    } else {
        const struct ball *other = balls->ball + two;
        double x[3], v[3], a[3], touching = ball->radius + other->radius;
        from = balls_relative(balls, ball, other, x, v, a);
        if (vec3_dot(a, a) == 0.0) {
            meeting =
                left ? never() : meet_straight(balls, one, two, x, v, touching);
        } else {
            struct ball_tolerance tol = balls_tolerance(balls, one, two);
            meeting = meet_falling(x, v, a, touching, left, most - from, &tol);
        }
    }
    meeting.when += from;
    if (!(meeting.when <= most))
        return never();
    return meeting;
}

void
balls_at(const struct balls *balls, uint32_t one, double t, double x[3])
{
    double v[3];
    place(balls, balls->ball + one, moves(balls, one), t, x, v);
}

bool
balls_touch_at(const struct balls *balls, uint32_t one, uint32_t two, double t,
               const double x[3])
{
    const struct ball *ball = balls->ball + one;
    double tol = tolerance_gap(balls, one, two), x2[3], rate, normal[3];
    if (two >= balls->n_ball) {
        const struct ball_plane *plane = balls->plane + (two - balls->n_ball);
        for (int i = 0; i < 3; i++)
            x2[i] = x[i] - plane->point[i];
        return vec3_dot(plane->normal, x2) - ball->radius <= tol;
    }
    double reach = ball->radius + balls->ball[two].radius + 2.0 * tol;
    balls_at(balls, two, t, x2);
    for (int i = 0; i < 3; i++)
        x2[i] -= x[i];
    return vec3_dot(x2, x2) <= reach * reach &&
           balls_gap(balls, one, two, t, &rate, normal) <= tol;
}

double
balls_gap_after(const struct balls *balls, uint32_t one, uint32_t two,
                const double after[2], double *rate, double normal[3])
{
    const struct ball *ball = balls->ball + one;
    double x[3], v[3], x2[3], v2[3];
    place_after(balls, ball, true, after[0], x, v);
    if (two >= balls->n_ball) {
        const struct ball_plane *plane = balls->plane + (two - balls->n_ball);
        for (int i = 0; i < 3; i++) {
            normal[i] = -plane->normal[i];
            x[i] -= plane->point[i];
        }
        *rate = vec3_dot(plane->normal, v);
        return vec3_dot(plane->normal, x) - ball->radius;
    }
    const struct ball *other = balls->ball + two;
    place_after(balls, other, moves(balls, two), after[1], x2, v2);
    for (int i = 0; i < 3; i++) {
        x2[i] -= x[i];
        v2[i] -= v[i];
    }
    double distance = vec3_norm(x2);
    for (int i = 0; i < 3; i++)
        normal[i] = x2[i] / distance;
    *rate = vec3_dot(normal, v2);
    return distance - ball->radius - other->radius;
}

double
balls_gap(const struct balls *balls, uint32_t one, uint32_t two, double t,
          double *rate, double normal[3])
{
    const double after[2] = {t - balls->ball[one].clock,
                             two < balls->n_ball ? t - balls->ball[two].clock
                                                 : 0.0};
    return balls_gap_after(balls, one, two, after, rate, normal);
}
