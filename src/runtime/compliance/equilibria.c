/* SPDX-License-Identifier: MIT */
/* Equilibria of the fast motion of a compliant contact, the separatrix of a
 * saddle, and what a law must be (fast_motion.h). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "runtime/compliance/fast_motion.h"

#define DOUBLINGS_MOST 200
#define HALVINGS_MOST 200
/* the separatrix begins so far from its saddle, as a share of the depth: its
 * curvature there is 1e-12 of it */
#define SEPARATRIX_START 1e-6
#define SEPARATRIX_STEPS 4000
#define LAW_PLACES 40
/* An equilibrium whose damping is this share of its stiffness is a centre. */
#define CENTRE 1e-12

/* The law of a contact that keeps what pressed it in. */
static bool
pressed(const struct fast_law *law, double depth, double speed, double out[3])
{
    const struct fast_push at = fast_pressed(depth, speed);
    return law->force(law->ctx, &at, out);
}

const char *
fast_kind_name(enum fast_kind kind)
{
    static const char *const name[] = {"saddle", "stable node", "stable focus",
                                       "centre", "unstable"};
    assert((unsigned)kind < sizeof name / sizeof *name);
    return name[kind];
}

double
fast_depth(const struct fast_law *law, double force)
{
    assert(law && force > 0.0);
    double low = 0.0, high = force, out[3];
    for (int k = 0; k < DOUBLINGS_MOST; k++, high *= 2.0) {
        if (!pressed(law, high, 0.0, out))
            return NAN;
        if (out[0] >= force)
            break;
        low = high;
    }
    if (!(out[0] >= force))
        return NAN;
    for (int k = 0; k < HALVINGS_MOST; k++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (!pressed(law, middle, 0.0, out))
            return NAN;
        if (out[0] < force)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Eigenvalues of d'' = -K f(d, d'): x^2 + K f_w x + K f_d = 0. */
static void
eigenvalues(double K, const double slope[3], struct fast_equilibrium *out)
{
    double half = -0.5 * K * slope[2], product = K * slope[1],
           square = half * half - product;
    if (square >= 0.0) {
        /* the root of greater size first, so that no digits cancel */
        double far = half < 0.0 ? half - sqrt(square) : half + sqrt(square);
        out->re[0] = far;
        out->re[1] = far != 0.0 ? product / far : 0.0;
        out->im[0] = out->im[1] = 0.0;
    } else {
        out->re[0] = out->re[1] = half;
        out->im[0] = sqrt(-square);
        out->im[1] = -out->im[0];
    }
    double damping = fabs(half), size = sqrt(fabs(product));
    out->kind = product < 0.0              ? FAST_SADDLE
                : damping <= CENTRE * size ? FAST_CENTRE
                : half > 0.0               ? FAST_REPELLING
                : square >= 0.0            ? FAST_NODE
                                           : FAST_FOCUS;
}

int
fast_equilibria(const struct fast_point *point,
                struct fast_equilibrium out[FAST_EQUILIBRIA_MOST])
{
    assert(point && out && point->A > 0.0);
    static const enum contact_mode modes[] = {
        CONTACT_STICK, CONTACT_SLIP_POSITIVE, CONTACT_SLIP_NEGATIVE};
    int n = 0;
    for (int k = 0; k < 3; k++) {
        double sign = k == 1 ? 1.0 : k == 2 ? -1.0 : 0.0, slope[3];
        double mobility = k == 0 ? point->C - point->B * point->B / point->A
                                 : point->C - sign * point->mu * point->B,
               load = k == 0 ? point->b - point->a * point->B / point->A
                             : point->b,
               force = -load / mobility;
        if (point->slip_sign != 0.0 && sign != point->slip_sign)
            continue;
        if (!(force > 0.0))
            continue;
        double mu = k == 0 ? fast_sticking(point) : point->mu,
               along = mu * point->A - point->B,
               against = mu * point->A + point->B;
        bool holds =
            k == 0 ? along * force >= point->a && against * force >= -point->a
            : point->slip_sign != 0.0 ? true
            : k == 1                  ? point->a - along * force > 0.0
                                      : point->a + against * force < 0.0;
        double depth = holds ? fast_depth(&point->law, force) : NAN;
        if (!isfinite(depth) || !pressed(&point->law, depth, 0.0, slope))
            continue;
        out[n] = (struct fast_equilibrium){
            .mode = modes[k], .depth = depth, .force = force};
        eigenvalues(mobility, slope, &out[n++]);
    }
    return n;
}

/* -- separatrix --------------------------------------------------------------
 */

struct back {
    const struct fast_point *point;
    double p;
};

/* The motion backward in time. */
static bool
back_rates(const struct back *back, const double x[2], double rate[2])
{
    double out[3];
    const struct fast_law *law = &back->point->law;
    if (!pressed(law, x[0], x[1], out))
        return false;
    rate[0] = -x[1];
    rate[1] = back->point->b + back->p * out[0];
    return true;
}

static bool
back_step(const struct back *back, double h, double x[2])
{
    double k[4][2], y[2];
    static const double at[4] = {0.0, 0.5, 0.5, 1.0};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2; i++)
            y[i] = x[i] + (s ? h * at[s] * k[s - 1][i] : 0.0);
        if (!back_rates(back, y, k[s]))
            return false;
    }
    for (int i = 0; i < 2; i++)
        x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    return true;
}

bool
fast_separatrix(const struct fast_point *point,
                const struct fast_equilibrium *saddle, double *speed,
                fast_follow *follow, void *ctx)
{
    assert(point && saddle && speed && saddle->kind == FAST_SADDLE);
    double sign = saddle->mode == CONTACT_SLIP_POSITIVE ? 1.0 : -1.0;
    struct back back = {point, point->C - sign * point->mu * point->B};
    double decay = fmin(saddle->re[0], saddle->re[1]);
    double off = -SEPARATRIX_START * saddle->depth;
    /* along the stable eigenvector (1, decay); the step is a share of the time
     * in which the distance from the saddle grows, 1e-12 by Runge and Kutta's
     * method of fourth order */
    double x[2] = {saddle->depth + off, decay * off}, h = 4e-3 / -decay;
    struct fast_state state = {.depth = saddle->depth, .force = saddle->force};
    for (int k = 0; k < SEPARATRIX_STEPS; k++) {
        if (follow) {
            state.time = -h * k;
            state.depth = x[0];
            state.speed = x[1];
            follow(ctx, &state);
        }
        double y[2] = {x[0], x[1]};
        if (!back_step(&back, h, y))
            return false;
        if (y[0] <= 0.0) {
            double low = 0.0, high = h;
            for (int i = 0; i < HALVINGS_MOST && low < high; i++) {
                double middle = 0.5 * (low + high), z[2] = {x[0], x[1]};
                if (middle <= low || middle >= high ||
                    !back_step(&back, middle, z))
                    break;
                if (z[0] <= 0.0)
                    high = middle;
                else
                    low = middle;
            }
            back_step(&back, high, x);
            *speed = x[1];
            if (follow) {
                state.time -= high;
                state.depth = 0.0;
                state.speed = x[1];
                follow(ctx, &state);
            }
            return true;
        }
        x[0] = y[0];
        x[1] = y[1];
    }
    return false;
}

/* -- the law ----------------------------------------------------------------
 */

const char *
fast_law_fault(const struct fast_law *law, double depth, double speed,
               double *at_depth, double *at_speed)
{
    assert(law && depth > 0.0 && speed > 0.0 && at_depth && at_speed);
    double out[3];
    *at_depth = *at_speed = 0.0;
    if (!law->force(law->ctx, &(struct fast_push){0}, out))
        return "has no value where the contact just touches";
    if (out[0] > 0.0)
        return "pushes where the contact just touches, without a speed";
    for (int i = 1; i <= LAW_PLACES; i++)
        for (int j = -LAW_PLACES; j <= LAW_PLACES; j++) {
            *at_depth = depth * i / LAW_PLACES;
            *at_speed = speed * j / LAW_PLACES;
            if (!pressed(law, *at_depth, *at_speed, out))
                return "has no value";
            if (out[0] > 0.0 && !(out[1] > 0.0))
                return "does not grow with the depth";
            if (out[0] > 0.0 && out[2] < 0.0)
                return "falls with the speed, so it would drive the contact";
        }
    return NULL;
}
