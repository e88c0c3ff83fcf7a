/* SPDX-License-Identifier: MIT */
/* The motion of balls for a run whose motion is kept (runtime/trace). A ball's
 * polynomial is complete at its next impact, so each impact makes two pieces,
 * whatever the number of balls; the others are written when the room hands the
 * motion over, or when the log is nearly full. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/balls/balls_priv.h"
#include "runtime/numerics/vec3.h"
#include "runtime/trace/trace.h"

/* A series of order 24 of cos and sin is exact to rounding up to this angle:
 * 2^25/25! is 2e-18. */
#define HALF_TURN 2.0

/* Writes the quaternion of a ball, s after `q`, as a series into four rows:
 * q exp(spin s/2). */
static void
attitude_rows(const struct ball_spin *spin, const double q[4], int order,
              double *row)
{
    const double *u = spin->spin;
    double half = 0.5 * vec3_norm(u), odd[4];
    odd[0] = -q[1] * u[0] - q[2] * u[1] - q[3] * u[2];
    odd[1] = q[0] * u[0] + q[2] * u[2] - q[3] * u[1];
    odd[2] = q[0] * u[1] + q[3] * u[0] - q[1] * u[2];
    odd[3] = q[0] * u[2] + q[1] * u[1] - q[2] * u[0];
    for (int i = 0; i < 4; i++, row += order + 1) {
        row[0] = q[i];
        row[1] = 0.5 * odd[i];
        for (int k = 2; k <= order; k++)
            row[k] = -half * half * row[k - 2] / (k * (k - 1.0));
    }
}

/* One piece from t0 to t1. */
static void
piece(struct balls *balls, uint32_t which, double base, double t0, double t1,
      int order)
{
    const struct ball *ball = balls->ball + which;
    const struct ball_spin *spin = balls->spin + which;
    double *row = trace_room(balls->run->trace), s = base - ball->clock;
    for (int i = 0; i < balls->dim; i++, row += order + 1) {
        double half = 0.5 * balls->gravity[i];
        memset(row, 0, ((size_t)order + 1) * sizeof *row);
        row[0] = ball->x[i] + (ball->v[i] + half * s) * s;
        row[1] = ball->v[i] + 2.0 * half * s;
        if (order > 1)
            row[2] = half;
    }
    if (balls->dim == 3) {
        double q[4];
        balls_attitude(spin, s, q);
        attitude_rows(spin, q, order, row);
    } else {
        memset(row, 0, ((size_t)order + 1) * sizeof *row);
        row[0] = spin->attitude[0] + spin->spin[0] * s;
        row[1] = spin->spin[0];
    }
    trace_piece(balls->run->trace, ball->body, base, t0, t1, order);
}

/* The pieces of a ball since those that the trace has. */
static void
pieces(struct balls *balls, uint32_t which, double t)
{
    const struct ball *ball = balls->ball + which;
    const struct ball_spin *spin = balls->spin + which;
    double turn = balls->dim == 3 ? 0.5 * vec3_norm(spin->spin) : 0.0;
    assert(spin->told >= ball->clock);
    if (turn == 0.0 && t > spin->told)
        piece(balls, which, ball->clock, spin->told, t, balls->weight ? 2 : 1);
    double at = spin->told;
    while (turn > 0.0 && at < t && !trace_full(balls->run->trace)) {
        double next = t - at > HALF_TURN / turn ? at + HALF_TURN / turn : t;
        if (!(next > at)) /* a turn is less than the rounding of the time */
            next = t;
        piece(balls, which, at, at, next, TRACE_ORDER_MOST);
        at = next;
    }
}

void
balls_trace_flight(struct balls *balls, uint32_t which,
                   const struct ball_flight *flight, double t)
{
    assert(balls != NULL && flight != NULL && which < balls->n_move);
    struct trace *trace = balls->run->trace;
    if (trace_full(trace) || !(t > flight->base))
        return;
    struct ball_spin spin;
    memcpy(spin.attitude, flight->attitude, sizeof spin.attitude);
    memcpy(spin.spin, flight->spin, sizeof spin.spin);
    bool turns = balls->dim == 3 && vec3_norm(spin.spin) > 0.0;
    int order = turns ? TRACE_ORDER_MOST : flight->falls ? 2 : 1;
    double *row = trace_room(trace);
    for (int i = 0; i < balls->dim; i++, row += order + 1) {
        memset(row, 0, ((size_t)order + 1) * sizeof *row);
        row[0] = flight->x[i];
        row[1] = flight->v[i];
        if (flight->falls)
            row[2] = 0.5 * balls->gravity[i];
    }
    if (balls->dim == 3) {
        attitude_rows(&spin, spin.attitude, order, row);
    } else {
        memset(row, 0, ((size_t)order + 1) * sizeof *row);
        row[0] = spin.attitude[0];
        row[1] = spin.spin[0];
    }
    trace_piece(trace, balls->ball[which].body, flight->base, flight->base, t,
                order);
}

static void
all_pieces(struct balls *balls, double t)
{
    for (uint32_t i = 0; i < balls->n_move; i++)
        if (!trace_full(balls->run->trace))
            pieces(balls, i, t);
}

void
balls_trace_begin(struct balls *balls, double t)
{
    assert(balls != NULL);
    if (!balls->run->trace || balls->leads)
        return;
    for (uint32_t i = 0; i < balls->n_move; i++)
        balls->spin[i].told = t;
    balls->leads = true;
}

void
balls_trace_ball(struct balls *balls, uint32_t which, double t)
{
    assert(balls != NULL && which < balls->n_move && balls->leads);
    struct trace *trace = balls->run->trace;
    if (trace_full(trace))
        return;
    /* so that the motion of all ends at one time */
    if (!trace_has_room(trace, balls->n_move)) {
        all_pieces(balls, balls->now);
        trace_end(trace, balls->now);
        return;
    }
    pieces(balls, which, t);
    balls->spin[which].told = t;
}

void
balls_trace(struct balls *balls, double t)
{
    assert(balls != NULL);
    if (!balls->run->trace || !balls->leads)
        return;
    all_pieces(balls, t);
    balls->leads = false;
}

void
balls_trace_back(struct balls *balls, size_t mark)
{
    assert(balls != NULL);
    if (!balls->run->trace)
        return;
    trace_cut(balls->run->trace, mark);
    balls->leads = true;
}
