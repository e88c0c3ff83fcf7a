/* SPDX-License-Identifier: MIT */
/* Relays of bodies (relays.h). Beside closed contacts the rates of u are those
 * of the series that contacts have with these shares; to what contacts push,
 * relays that are held answer as joints do. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "runtime/relays/relays_priv.h"

/* What forces leave of a rate that they do not change is rounding within this
 * share of what they do to the state. */
#define RELAY_ALONG 0x1p-30

/* To which side u of relay i goes where contacts that push open; 0: to none. */
static double
lifted(const struct relays *relays, uint32_t i)
{
    uint32_t n_state = relays->of->n_state;
    const double *grows = grows_with(relays) + (size_t)i * n_state;
    double sum = 0.0, size = 0.0, most = 0.0;
    for (uint32_t k = 0; k < n_state; k++) {
        sum += grows[k] * relays->lifts[k];
        size += fabs(grows[k]);
        most = fmax(most, fabs(relays->lifts[k]));
    }
    return fabs(sum) <= RELAY_ALONG * size * most ? 0.0 : copysign(1.0, sum);
}

/* The coefficient of order 1 of u. */
static double
rate_made(const struct rt *run, const struct relays *relays, uint32_t i)
{
    return row_of(run, relays, relays->of->n + i)[1];
}

/* Could u of a relay be 0 now? */
bool
relays_small(const struct relays *relays, double least)
{
    bool any = false;
    for (uint32_t i = 0; i < relays->of->n; i++)
        any |= relays_is_small(relays, i, least);
    return any;
}

/* The rates of u, and what shares add to them, with the closed contacts of
 * bodies, as these push now. */
int
relays_beside(struct rt *run, uint32_t block, struct relays *relays,
              const struct relay_contacts *contacts)
{
    uint32_t n = relays->of->n;
    double keep[2 * IMP_RELAYS_MAX];
    bool act = relays->act;
    int st = IMP_OK;
    for (uint32_t i = 0; i < 2 * n; i++) {
        keep[i] = *mode_of(relays, i);
        *mode_of(relays, i) = 0.0;
    }
    relays->act = true;
    for (uint32_t j = 0; j <= n && !st; j++) {
        double *side = mode_of(relays, n + j % n);
        *side = j < n;
        st = contacts->series(run, block);
        *side = 0.0;
        for (uint32_t i = 0; i < n && !st; i++)
            if (j < n)
                relays->slope[i * n + j] = rate_made(run, relays, i);
            else
                relays->rate[i] = rate_made(run, relays, i);
    }
    for (uint32_t i = 0; i < n && !st; i++) {
        for (uint32_t j = 0; j < n; j++)
            relays->slope[i * n + j] -= relays->rate[i];
        relays->terms[i] +=
            fabs(relays->rate[i] - relays->told[i * IMP_RELAY_TOLD + 2]);
    }
    if (!st)
        contacts->lift(run, block, relays->lifts);
    for (uint32_t i = 0; i < n && !st; i++)
        relays->lift[i] = lifted(relays, i);
    for (uint32_t i = 0; i < 2 * n; i++)
        *mode_of(relays, i) = keep[i];
    relays->act = act;
    return st;
}

/* What is left of a rate that a relay takes to 0 is rounding within this share
 * of it. */
#define RELAY_REST 0x1p-33

int
relays_settle_bodies(struct rt *run, uint32_t block, double least,
                     const struct relay_contacts *contacts)
{
    assert(run != NULL && block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    if (!relays)
        return IMP_OK;
    int st = relays_choose(run, block, least, relays->change, contacts);
    if (!st)
        relays_tell_open(run, block, least, contacts);
    const uint32_t *state =
        IMP_ARRAY(run->im, block_of(run, block)->state, uint32_t);
    for (uint32_t k = 0; k < relays->of->n_state && !st; k++) {
        double *x = run->env + state[k],
               *lo = run->state_lo + (state[k] - run->im->layout.state);
        if (relays->change[k] == 0.0)
            continue;
        *x += *lo + relays->change[k];
        *lo = 0.0;
        if (fabs(*x) <= RELAY_REST * fabs(relays->change[k]))
            *x = 0.0;
    }
    return st;
}

/* Contacts are chosen as if relays at rest did nothing, so that these hold no
 * more than contacts leave. Where the relays have been chosen so often at one
 * time, that comes to no end. */
#define RELAY_TURNS 4

void
relays_rest(struct rt *run, uint32_t block, double least)
{
    assert(run != NULL && block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    bool rests[IMP_RELAYS_MAX], any = false;
    if (!relays || relays_ask(run, block, relays, least, NULL))
        return;
    /* contacts could not hold what relays do, and are chosen anew, with it */
    bool turns = relays->chosen == rt_time(run) && relays->turns > RELAY_TURNS;
    relays->act = false;
    for (uint32_t i = 0; i < relays->of->n; i++) {
        double rate = fabs(relays->rate[i]) + slopes_size(relays, i),
               size = fmax(relays->most[i],
                           fabs(relays->told[i * IMP_RELAY_TOLD + 1]));
        rests[i] = fabs(u_of(relays, i)) <= RELAY_DRIFT * DBL_EPSILON * size +
                                                RELAY_STEPS * least * rate;
    }
    for (uint32_t i = 0; i < relays->of->n; i++)
        for (uint32_t j = 0; j < relays->of->n; j++)
            rests[i] &= rests[j] || disc_of(run, relays, i) == IMP_NO_DISC ||
                        disc_of(run, relays, i) != disc_of(run, relays, j);
    for (uint32_t i = 0; i < relays->of->n; i++) {
        uint32_t disc = disc_of(run, relays, i);
        relays->along[i] &= !rests[i];
        if (disc != IMP_NO_DISC && relays->stuck[disc])
            rests[i] = false; /* the formula, which has no value there */
        else if (rests[i] && turns && !relays->bound[i] && !relays->carried[i])
            rests[i] = false;
        else if (!rests[i]) {
            relays->held[i] = relays->leads[i] = relays->bound[i] =
                relays->carried[i] = false;
            relays->side[i] = u_of(relays, i) > 0.0 ? 1.0 : -1.0;
            if (disc_of(run, relays, i) != IMP_NO_DISC)
                relays_disc_moves(run, relays, i);
        }
        any |= rests[i];
        relays->act |= relays->held[i] || relays->leads[i] ||
                       relays->bound[i] || relays->carried[i];
    }
    relays->acts = relays->act;
    relays->rests = any;
    relays->act |= any;
    relays_tell(run, relays);
    for (uint32_t i = 0; i < relays->of->n; i++)
        if (rests[i])
            *mode_of(relays, i) = *mode_of(relays, relays->of->n + i) = 0.0;
}

bool
relays_lie(struct rt *run, uint32_t block, double least)
{
    assert(block < run->im->blocks.n);
    if (!relays_of(run, block))
        return false;
    relays_rest(run, block, least);
    return relays_act(run, block);
}

void
relays_rise(struct rt *run, uint32_t block)
{
    struct relays *relays = relays_of(run, block);
    if (!relays || !relays->rests)
        return;
    relays->act = relays->acts;
    relays->rests = false;
    relays_tell(run, relays);
}

/* Entry c of the velocities of a body, where each has 6: in the plane x, y and
 * the last one. */
static double *
entry_of(double *change, uint32_t body, uint32_t c, uint32_t dim)
{
    return change + 6 * (size_t)body + (dim == 2 && c == 2 ? 5 : c);
}

void
relays_pushes(const struct rt *run, uint32_t block, int order, double *change)
{
    assert(run != NULL && change != NULL);
    const struct relays *relays = relays_of(run, block);
    if (!relays || !relays->act)
        return;
    const uint32_t *body =
        IMP_ARRAY(run->im, block_of(run, block)->bodies, uint32_t);
    uint32_t n = relays->of->n, n_state = relays->of->n_state,
             n_body = block_of(run, block)->bodies.n, dim = run->im->dim,
             size = dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE,
             speed = dim == 2 ? 3 : 7;
    const double *push =
        relays->told + (size_t)n * IMP_RELAY_TOLD + (size_t)n * n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t b = 0; b < n_body && relays->held[i]; b++)
            for (uint32_t c = speed; c < size; c++)
                *entry_of(change, body[b], c - speed, dim) +=
                    push[(size_t)i * n_state + b * size + c] *
                    row_of(run, relays, i)[order];
}

void
relays_response(const struct rt *run, uint32_t block, double *change)
{
    assert(run != NULL && change != NULL);
    const struct relays *relays = relays_of(run, block);
    if (!relays || !relays->act)
        return;
    const uint32_t *body =
        IMP_ARRAY(run->im, block_of(run, block)->bodies, uint32_t);
    uint32_t n = relays->of->n, n_state = relays->of->n_state,
             n_body = block_of(run, block)->bodies.n, dim = run->im->dim,
             size = dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE,
             speed = dim == 2 ? 3 : 7;
    double u[IMP_RELAYS_MAX] = {0.0}, by[IMP_RELAYS_MAX] = {0.0};
    bool held[IMP_RELAYS_MAX] = {false};
    const double *K = relays->told + (size_t)n * IMP_RELAY_TOLD,
                 *push = K + (size_t)n * n, *grows = grows_with(relays);
    for (uint32_t i = 0; i < n; i++) {
        held[i] = *mode_of(relays, i) != 0.0;
        for (uint32_t b = 0; b < n_body; b++)
            for (uint32_t c = speed; c < size; c++)
                u[i] += grows[(size_t)i * n_state + b * size + c] *
                        *entry_of(change, body[b], c - speed, dim);
    }
    if (!relays_solve(relays, held, K, u, by))
        return;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t b = 0; b < n_body && held[i]; b++)
            for (uint32_t c = speed; c < size; c++)
                *entry_of(change, body[b], c - speed, dim) +=
                    push[(size_t)i * n_state + b * size + c] * by[i];
}
