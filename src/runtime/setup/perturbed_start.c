/* SPDX-License-Identifier: MIT */
/* A start that differs from the stated one by rounding. What a motion makes of
 * the difference shows how far rounding decides it. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "runtime/numerics/random.h"
#include "runtime/setup/new_run.h"

/* Each number is moved by up to so many roundings of what it is a part of: a
 * run rounds many times, and its roundings add up as random errors do. */
#define PERTURBED 8.0

/* Moves n numbers of this size; `drawn` counts the numbers of the start. */
static void
move(double *x, uint32_t n, double size, uint64_t *drawn)
{
    for (uint32_t i = 0; i < n; i++) {
        double draw = 2.0 * random_unit(0.0, 0, (*drawn)++) - 1.0;
        if (isfinite(size))
            x[i] += PERTURBED * DBL_EPSILON * size * draw;
    }
}

static double
length(const double *x, uint32_t n)
{
    double most = 0.0, sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    for (uint32_t i = 0; i < n && most > 0.0; i++)
        sum += x[i] / most * (x[i] / most);
    return most * sqrt(sum);
}

/* Places: of what the position and the size of the body are; angles: of a
 * radian and more; speeds: of themselves, so that what rests still rests. */
static void
move_body(struct rt *run, const imp_body *body, uint64_t *drawn)
{
    uint32_t dim = run->im->dim, turn = dim == 2 ? 1 : 4;
    double *place = run->env + body->env_state, *angle = place + dim,
           *velocity = angle + turn, *spin = velocity + dim,
           radius = run->env[body->env_body + IMP_BODY_RADIUS];
    move(place, dim, length(place, dim) + (isfinite(radius) ? radius : 0.0),
         drawn);
    move(angle, turn, fmax(1.0, length(angle, turn)), drawn);
    if (dim == 3) {
        double norm = length(angle, turn);
        for (uint32_t i = 0; i < turn; i++)
            angle[i] /= norm;
    }
    move(velocity, dim, length(velocity, dim), drawn);
    move(spin, dim == 2 ? 1 : 3, length(spin, dim == 2 ? 1 : 3), drawn);
}

void
rt_perturb(struct rt *run)
{
    assert(run != NULL && run->start.state != NULL);
    const imp_image *im = run->im;
    const imp_coordinate *coordinate =
        IMP_ARRAY(im, im->coordinates, imp_coordinate);
    const imp_rotor *rotor = IMP_ARRAY(im, im->rotors, imp_rotor);
    uint64_t drawn = 0;
    for (uint32_t b = 0; b < im->bodies.n; b++)
        if (rt_body(run, b)->block != IMP_NO_BLOCK)
            move_body(run, rt_body(run, b), &drawn);
    for (uint32_t i = 0; i < im->rotors.n; i++) {
        double *rate = run->env + rotor[i].env_state;
        move(rate, 1, fabs(*rate), &drawn);
    }
    for (uint32_t i = 0; i < im->coordinates.n; i++) {
        double *value = run->env + coordinate[i].env;
        move(value, 1, fabs(*value), &drawn);
        if (coordinate[i].env_rate == IMP_NO_RATE)
            continue;
        double *rate = run->env + coordinate[i].env_rate;
        move(rate, 1, fabs(*rate), &drawn);
    }
}
