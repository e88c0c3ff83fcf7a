/* SPDX-License-Identifier: MIT */
/* The fast motion, phase by phase: free flight, stick, slip either way; see
 * fast_motion.h. */
#include "runtime/compliance/fast_motion.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* error of a step, as a share of the sizes; outcomes are decided far from it */
#define FAST_TOLERANCE 1e-10
/* halvings of a step that ends a phase */
#define FAST_HALVINGS 60
#define FAST_STEPS_MOST 20000
/* the longest step, as a multiple of the first one, a thousandth of the time of
 * the law: at an equilibrium that repels no error shortens it */
#define FAST_LONGEST 1e3
#define FAST_PHASES_MOST 400
/* An equilibrium that attracts is reached where the force is this near to it,
 * and the speed to 0 as a share of the greatest so far. */
#define FAST_NEAR 1e-3

#define FAST_STATES 5

enum phase { PHASE_FREE, PHASE_STICK, PHASE_FORWARD, PHASE_BACKWARD };

struct fast {
    const struct fast_point *point;
    struct fast_state now;
    double x[FAST_STATES]; /* depth, speed, slip, impulse, compression */
    enum phase phase;
    double step, longest, fastest;
    double started; /* sign of the slip at the start */
    bool no_value;
};

const char *
fast_outcome_name(enum fast_outcome outcome)
{
    static const char *const name[FAST_OUTCOMES] = {
        "F", "T", "S+", "S-", "IWC", "unsettled", "no value"};
    assert((unsigned)outcome < FAST_OUTCOMES);
    return name[outcome];
}

static double
sign_of(enum phase phase)
{
    return phase == PHASE_FORWARD ? 1.0 : phase == PHASE_BACKWARD ? -1.0 : 0.0;
}

/* What a unit of the normal force does to the gap in this phase. */
static double
mobility(const struct fast_point *point, enum phase phase)
{
    if (phase == PHASE_STICK)
        return point->C - point->B * point->B / point->A;
    return point->C - sign_of(phase) * point->mu * point->B;
}

static double
load(const struct fast_point *point, enum phase phase)
{
    return phase == PHASE_STICK ? point->b - point->a * point->B / point->A
                                : point->b;
}

static double
law(struct fast *fast, const double x[FAST_STATES])
{
    const struct fast_push at = {x[0], x[1], x[3], x[4]};
    double out[3];
    if (fast->point->law.force(fast->point->law.ctx, &at, out))
        return out[0];
    fast->no_value = true;
    return 0.0;
}

static void
rates(struct fast *fast, const double x[FAST_STATES], double rate[FAST_STATES])
{
    const struct fast_point *point = fast->point;
    double sign = sign_of(fast->phase), force = law(fast, x);
    rate[0] = x[1];
    rate[1] = -load(point, fast->phase) - mobility(point, fast->phase) * force;
    rate[2] = fast->phase == PHASE_STICK
                  ? 0.0
                  : point->a + (point->B - sign * point->mu * point->A) * force;
    rate[3] = fast->phase == PHASE_FREE ? 0.0 : force;
    rate[4] = x[1] > 0.0 ? rate[3] : 0.0;
}

/* One step of Dormand and Prince's method; returns the error as a share of the
 * tolerance. */
static double
step_to(struct fast *fast, double h, double out[FAST_STATES])
{
    static const double c[6][6] = {
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176,
         -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[7] = {
        71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
        -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double k[7][FAST_STATES], worst = 0.0;
    rates(fast, fast->x, k[0]);
    for (int stage = 0; stage < 6; stage++) {
        for (int i = 0; i < FAST_STATES; i++) {
            double sum = 0.0;
            for (int j = 0; j <= stage; j++)
                sum += c[stage][j] * k[j][i];
            out[i] = fast->x[i] + h * sum;
        }
        rates(fast, out, k[stage + 1]);
    }
    for (int i = 0; i < 2; i++) {
        double error = 0.0, size = fmax(fabs(fast->x[i]), fabs(out[i]));
        for (int j = 0; j < 7; j++)
            error += e[j] * k[j][i];
        size = fmax(size, fabs(h * k[0][i])) + DBL_MIN;
        worst = fmax(worst, fabs(h * error) / (FAST_TOLERANCE * size));
    }
    return worst;
}

/* -- phases -----------------------------------------------------------------
 */

/* How far the phase is from its end: positive while it goes on. */
static double
left(struct fast *fast, const double x[FAST_STATES], int which)
{
    const struct fast_point *point = fast->point;
    double force = law(fast, x);
    double sticks = fast_sticking(point), k_plus = sticks * point->A - point->B,
           k_minus = sticks * point->A + point->B;
    if (which == 0)
        return force;
    if (which == 1)
        return fast->phase == PHASE_STICK ? k_plus * force - point->a
               : point->slip_sign != 0.0  ? 1.0
                                          : sign_of(fast->phase) * x[2];
    return fast->phase == PHASE_STICK ? k_minus * force + point->a : x[0];
}

/* The phase of a pushing contact with this slip. */
static enum phase
choose(const struct fast_point *point, double slip, double force)
{
    double sign = point->slip_sign != 0.0 ? point->slip_sign : slip;
    if (sign != 0.0)
        return sign > 0.0 ? PHASE_FORWARD : PHASE_BACKWARD;
    double sticks = fast_sticking(point);
    if ((sticks * point->A - point->B) * force < point->a)
        return PHASE_FORWARD;
    if ((sticks * point->A + point->B) * force < -point->a)
        return PHASE_BACKWARD;
    return PHASE_STICK;
}

/* A step that ends no later than the phase; returns what ended: 0 the force, 1
 * or 2 as `left` counts; -1: nothing. */
static int
advance(struct fast *fast)
{
    double x[FAST_STATES], error;
    while ((error = step_to(fast, fast->step, x)) > 1.0 && !fast->no_value)
        fast->step *= fmax(0.2, 0.9 * pow(error, -0.2));
    double h = fast->step, grow = error > 1e-4 ? 0.9 * pow(error, -0.2) : 5.0;
    int ended = -1;
    for (int which = 0; which < 3; which++) {
        if (left(fast, x, which) >= 0.0)
            continue;
        double low = 0.0, high = h, y[FAST_STATES];
        for (int k = 0; k < FAST_HALVINGS; k++) {
            double middle = 0.5 * (low + high);
            step_to(fast, middle, y);
            if (left(fast, y, which) < 0.0)
                high = middle;
            else
                low = middle;
        }
        h = high;
        step_to(fast, h, x);
        ended = which;
    }
    for (int i = 0; i < FAST_STATES; i++)
        fast->x[i] = x[i];
    fast->now.time += h;
    fast->fastest = fmax(fast->fastest, fabs(x[1]));
    if (ended < 0)
        fast->step = fmin(fast->step * fmin(5.0, grow), fast->longest);
    return ended;
}

/* Flight without a force: to where it comes back (true), or for ever. */
static bool
fly(struct fast *fast)
{
    const struct fast_point *point = fast->point;
    double d = fmin(fast->x[0], 0.0), w = fast->x[1], b = point->b;
    /* d + w t - b t^2/2 = 0, the root at which the gap closes */
    double square = w * w + 2.0 * b * d;
    bool closes = b < 0.0 || (d < 0.0 && w > 0.0 && square >= 0.0);
    if (!closes)
        return false;
    double t = b != 0.0 ? (w - sqrt(square)) / b : -d / w;
    fast->x[0] = fast->x[3] = fast->x[4] = 0.0;
    fast->x[1] = sqrt(square);
    fast->x[2] += point->a * t;
    fast->now.time += t;
    return true;
}

static bool
settled(struct fast *fast, enum fast_outcome *outcome)
{
    const struct fast_point *point = fast->point;
    double p = mobility(point, fast->phase), b = load(point, fast->phase),
           force = law(fast, fast->x), sign = sign_of(fast->phase);
    if (p < 0.0) {
        *outcome = FAST_IMPACT;
        return fast->x[1] > 0.0 && -b - p * force > 0.0 &&
               fast->started == sign;
    }
    double rest = -b / p;
    if (!(rest > 0.0) || fabs(force - rest) > FAST_NEAR * rest ||
        fabs(fast->x[1]) > FAST_NEAR * fast->fastest)
        return false;
    double k = point->mu * point->A - sign * point->B;
    if (sign != 0.0 && fast->started != sign &&
        sign * point->a - k * rest < 0.0)
        return false; /* the slip will end */
    *outcome = sign > 0.0   ? FAST_SLIP_POSITIVE
               : sign < 0.0 ? FAST_SLIP_NEGATIVE
                            : FAST_STICK;
    double sticks = fast_sticking(point);
    return sign != 0.0 || ((sticks * point->A - point->B) * rest >= point->a &&
                           (sticks * point->A + point->B) * rest >= -point->a);
}

static void
tell(struct fast *fast, fast_follow *follow, void *ctx)
{
    if (!follow)
        return;
    fast->now.depth = fast->x[0];
    fast->now.speed = fast->x[1];
    fast->now.slip = fast->x[2];
    fast->now.force = fast->phase == PHASE_FREE || fast->x[0] < 0.0
                          ? 0.0
                          : fmax(0.0, law(fast, fast->x));
    follow(ctx, &fast->now);
}

/* What follows where the contact does not push: it pushes again (true). */
static bool
free_flight(struct fast *fast, enum fast_outcome *outcome)
{
    fast->phase = PHASE_FREE;
    if (fast->x[0] > 0.0 && law(fast, fast->x) > 0.0)
        return true;
    /* it is pressed in, and its law has no force there yet: a parabola, looked
     * at until the law pushes or the gap opens */
    if (fast->x[0] > 0.0 && fast->x[1] < 0.0) {
        double step = 0.01 * fast->x[0] / -fast->x[1];
        for (int k = 0; k < FAST_STEPS_MOST && fast->x[0] > 0.0; k++) {
            fast->x[0] += step * (fast->x[1] - 0.5 * step * fast->point->b);
            fast->x[1] -= step * fast->point->b;
            fast->x[2] += step * fast->point->a;
            fast->now.time += step;
            if (fast->x[0] > 0.0 && law(fast, fast->x) > 0.0)
                return true;
        }
    }
    *outcome = FAST_LIFTOFF;
    return fly(fast);
}

static void
begin(struct fast *fast, const struct fast_state *start)
{
    fast->now = *start;
    fast->now.time = 0.0;
    fast->x[0] = start->depth;
    fast->x[1] = start->speed;
    fast->x[2] = start->slip;
    fast->started = fast->point->slip_sign != 0.0 ? fast->point->slip_sign
                    : start->slip > 0.0           ? 1.0
                    : start->slip < 0.0           ? -1.0
                                                  : 0.0;
    fast->fastest = fmax(fabs(start->speed), DBL_MIN);
    double out[3] = {0.0, 1.0, 0.0};
    const struct fast_law *of = &fast->point->law;
    const struct fast_push at = fast_pressed(fmax(start->depth, 0.0), 0.0);
    of->force(of->ctx, &at, out);
    double stiffness =
        fabs(out[1]) > 0.0 && isfinite(out[1]) ? fabs(out[1]) : 1.0;
    fast->step = 1e-3 / sqrt(fast->point->C * stiffness);
    fast->longest = FAST_LONGEST * fast->step;
}

enum fast_outcome
fast_motion(const struct fast_point *point, const struct fast_state *start,
            fast_follow *follow, void *ctx)
{
    assert(point && start && point->A > 0.0 && point->law.force);
    struct fast fast = {.point = point};
    enum fast_outcome outcome = FAST_UNSETTLED;
    begin(&fast, start);
    tell(&fast, follow, ctx);
    double force = law(&fast, fast.x);
    bool pushes = (fast.x[0] > 0.0 && force > 0.0) ||
                  (fast.x[0] == 0.0 &&
                   (fast.x[1] > 0.0 || (fast.x[1] == 0.0 && point->b < 0.0)));
    int steps = 0;
    for (int phases = 0; phases < FAST_PHASES_MOST && !fast.no_value;
         phases++) {
        if (!pushes && !free_flight(&fast, &outcome))
            return fast.no_value ? FAST_NO_VALUE : outcome;
        tell(&fast, follow, ctx);
        force = law(&fast, fast.x);
        fast.phase = choose(point, fast.x[2], fmax(force, 0.0));
        int ended = -1;
        while (ended < 0 && steps++ < FAST_STEPS_MOST && !fast.no_value) {
            ended = advance(&fast);
            tell(&fast, follow, ctx);
            if (settled(&fast, &outcome))
                return outcome;
        }
        if (ended < 0)
            break;
        pushes = ended == 1 || (ended == 2 && fast.phase == PHASE_STICK);
        if (pushes && fast.phase != PHASE_STICK)
            fast.x[2] = 0.0;
        if (pushes && fast.phase == PHASE_STICK)
            fast.x[2] =
                ended == 1 ? DBL_MIN : -DBL_MIN; /* it slips from here */
    }
    return fast.no_value ? FAST_NO_VALUE : FAST_UNSETTLED;
}
