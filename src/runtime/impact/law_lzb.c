/* SPDX-License-Identifier: MIT */
/* Multiple impacts with the stiffness of bonds (Liu, Zhao and Brogliato 2008,
 * "Frictionless multiple impacts in multibody systems", I and II). Each contact
 * stores energy E_i while it is compressed, and in its expansion gives back
 * the share e_i^2 of it. Impulses are shared by stiffness and stored energy:
 *     dP_i/dP_j = (K_i/K_j)^(1/(eta + 1)) (E_i/E_j)^(eta/(eta + 1)).
 * With E_i = K_i d_i^(eta + 1)/(eta + 1) this is the motion
 *     dP_i = K_i d_i^eta ds,   v = v0 + G P,
 *     dd_i = -v_i ds in compression, -v_i/e_i^2 ds in expansion,
 * in which no quotient 0/0 stands at the start, and a contact that is at rest
 * first is compressed as soon as others push it. Only ratios of the K_i matter,
 * as the length of s is free. The steps are those of Gragg, Bulirsch and Stoer;
 * between two changes of a contact the right-hand side is smooth but for d^eta
 * at 0, where the steps become short. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"

/* The error of a step, as a share of impulses and depths of size 1: rounding of
 * the sums of its columns. */
#define STEP_ERROR 4e-15
/* columns of a step: orders to 2 COLUMNS */
#define COLUMNS 6
#define STEP_SHORTEST 1e-12
#define STEP_LONGEST 0.5
#define STEPS_MOST 200000L
/* Contacts that have parted are hit again above this share of the speeds, a
 * hundred times the error of all steps. */
#define HIT_LEAST 1e-12
/* A contact that gives back less than this of its energy's root is left to
 * other laws: the steps become shorter with 1/e^2. */
#define RESTITUTION_LEAST 0.01

enum phase { PARTED, COMPRESSED, EXPANDS };
/* All in pure numbers: speeds as shares of the greatest one, impulses as shares
 * of that speed over the greatest entry of G, stiffness of the greatest one. */
struct bonds {
    int n;
    double eta;
    double *G, *v0, *K, *back; /* back: 1/e^2 */
    enum phase *phase;
    double *state;          /* 2 n: impulses, depths */
    double *next;           /* 2 n: after the step */
    double *table[COLUMNS]; /* 2 n each: extrapolation */
    double *a, *b, *rate;   /* 2 n each */
};

static double
speed(const struct bonds *bonds, const double *state, int i)
{
    double v = bonds->v0[i];
    for (int j = 0; j < bonds->n; j++)
        v += bonds->G[i * bonds->n + j] * state[j];
    return v;
}

static void
rates(const struct bonds *bonds, const double *state, double *rate)
{
    int n = bonds->n;
    for (int i = 0; i < n; i++) {
        double depth = state[n + i];
        bool off = bonds->phase[i] == PARTED;
        rate[i] = off || depth <= 0 ? 0 : bonds->K[i] * pow(depth, bonds->eta);
        rate[n + i] =
            off ? 0
                : -speed(bonds, state, i) *
                      (bonds->phase[i] == EXPANDS ? bonds->back[i] : 1);
    }
}

/* The modified midpoint rule with `parts` steps. */
static void
midpoint(struct bonds *bonds, double step, int parts, double *out)
{
    int size = 2 * bonds->n;
    double h = step / parts, *before = bonds->a, *now = bonds->b;
    memcpy(before, bonds->state, (size_t)size * sizeof *before);
    rates(bonds, before, bonds->rate);
    for (int i = 0; i < size; i++)
        now[i] = before[i] + h * bonds->rate[i];
    for (int k = 1; k < parts; k++) {
        rates(bonds, now, bonds->rate);
        for (int i = 0; i < size; i++) {
            double next = before[i] + 2 * h * bonds->rate[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    rates(bonds, now, bonds->rate);
    for (int i = 0; i < size; i++)
        out[i] = 0.5 * (before[i] + now[i] + h * bonds->rate[i]);
}

/* Sets bonds->next to the state after the step. Returns the estimate of its
 * error, over the sizes of impulses and depths. */
static double
try_step(struct bonds *bonds, double step)
{
    int size = 2 * bonds->n;
    double error = 0;
    for (int k = 0; k < COLUMNS; k++)
        midpoint(bonds, step, 2 * (k + 1), bonds->table[k]);
    for (int i = 0; i < size; i++) {
        double last = 0;
        /* Neville's scheme for even powers of the parts' lengths */
        for (int column = 1; column < COLUMNS; column++)
            for (int k = COLUMNS - 1; k >= column; k--) {
                double ratio = (k + 1.0) / (k + 1.0 - column);
                double change = (bonds->table[k][i] - bonds->table[k - 1][i]) /
                                (ratio * ratio - 1);
                bonds->table[k][i] += change;
                if (k == COLUMNS - 1)
                    last = change;
            }
        bonds->next[i] = bonds->table[COLUMNS - 1][i];
        error = fmax(error, fabs(last) / fmax(1, fabs(bonds->next[i])));
    }
    return error;
}

/* By how much contact i is beyond the end of its phase; <= 0: it is not. */
static double
beyond(const struct bonds *bonds, const double *state, int i)
{
    double v = speed(bonds, state, i);
    switch (bonds->phase[i]) {
    case PARTED:
        return -v - HIT_LEAST;
    case COMPRESSED:
        return v;
    default:
        return fmax(-v, -state[bonds->n + i]);
    }
}

static double
most_beyond(const struct bonds *bonds, const double *state)
{
    double most = -INFINITY;
    for (int i = 0; i < bonds->n; i++)
        most = fmax(most, beyond(bonds, state, i));
    return most;
}

/* Shortens a step after which a phase has ended to the end of that phase, from
 * above (regula falsi, Illinois). bonds->next belongs to it. */
static void
shorten(struct bonds *bonds, double step)
{
    double low = 0, high = step, at_low = most_beyond(bonds, bonds->state),
           at_high = most_beyond(bonds, bonds->next);
    int side = 0;
    for (int k = 0; k < 80 && high - low > 4 * DBL_EPSILON * high &&
                    high > STEP_SHORTEST && at_high > DBL_EPSILON;
         k++) {
        double way = at_low < 0 ? at_low / (at_low - at_high) : 0.5;
        double middle = low + (high - low) * fmin(fmax(way, 0.01), 0.99);
        try_step(bonds, middle);
        double value = most_beyond(bonds, bonds->next);
        if (value > 0) {
            high = middle;
            at_high = value;
            at_low *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            low = middle;
            at_low = value;
            at_high *= side < 0 ? 0.5 : 1;
            side = -1;
        }
    }
    try_step(bonds, high);
}

/* Ends the phases that have ended. */
static void
change_phases(struct bonds *bonds)
{
    int n = bonds->n;
    for (int i = 0; i < n; i++) {
        double *depth = bonds->state + n + i, v = speed(bonds, bonds->state, i);
        if (!(beyond(bonds, bonds->state, i) > 0))
            continue;
        if (bonds->phase[i] == COMPRESSED) {
            bonds->phase[i] = EXPANDS;
        } else if (bonds->phase[i] == EXPANDS && *depth <= 0) {
            bonds->phase[i] = PARTED;
            *depth = 0;
        } else if (v < 0) {
            bonds->phase[i] = COMPRESSED;
        }
    }
}

/* Takes the stiffest bond that acts as the unit, so that steps have the size of
 * what goes on after stiffer bonds have parted: with lengths and s times f,
 * stiffnesses over f^(eta + 1) give the same impulses. Returns f. */
static double
rescale(struct bonds *bonds)
{
    double stiffest = 0;
    for (int i = 0; i < bonds->n; i++)
        if (bonds->phase[i] != PARTED)
            stiffest = fmax(stiffest, bonds->K[i]);
    if (!(stiffest > 0) || stiffest == 1)
        return 1;
    double factor = pow(stiffest, 1 / (bonds->eta + 1));
    for (int i = 0; i < bonds->n; i++) {
        bonds->K[i] /= stiffest;
        bonds->state[bonds->n + i] *= factor;
    }
    return factor;
}

/* Follows the bonds until all have parted. False: that takes too many steps. */
static bool
follow(struct bonds *bonds)
{
    size_t size = 2 * (size_t)bonds->n * sizeof *bonds->state;
    double step = 1e-3;
    for (long made = 0; made < STEPS_MOST; made++) {
        bool any = false;
        change_phases(bonds);
        step *= rescale(bonds);
        for (int i = 0; i < bonds->n; i++)
            any |= bonds->phase[i] != PARTED;
        if (!any)
            return true;
        double error = try_step(bonds, step);
        if (error > STEP_ERROR && step > STEP_SHORTEST) {
            step *= 0.5;
            continue;
        }
        if (most_beyond(bonds, bonds->next) > 0)
            shorten(bonds, step);
        else if (error < 0.01 * STEP_ERROR)
            step = fmin(2 * step, STEP_LONGEST);
        memcpy(bonds->state, bonds->next, size);
    }
    return false;
}

/* Why the law says nothing of this impact; IMPACT_FINE: it does. */
static enum impact_fault
asked_for(const struct impact_solver *solver)
{
    for (int c = 0; c < solver->nc; c++) {
        const struct impact_contact *contact = solver->in.contact + c;
        if (!(contact->stiffness > 0))
            return IMPACT_NO_STIFFNESS;
        if (contact->exponent != solver->in.contact->exponent)
            return IMPACT_EXPONENTS;
        if (!(solver->approach.e[c] >= RESTITUTION_LEAST))
            return IMPACT_SOFT;
    }
    return IMPACT_FINE;
}

/* The memory, for as many contacts as the solver may have. */
static struct bonds *
bonds_of(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    size_t n = (size_t)work->ld;
    if (work->bonds)
        return work->bonds;
    struct bonds *bonds = work->bonds = NEW(work->arena, struct bonds);
    double **vector[] = {&bonds->v0,   &bonds->K, &bonds->back, &bonds->state,
                         &bonds->next, &bonds->a, &bonds->b,    &bonds->rate};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        *vector[i] = NEW_N(work->arena, double, 2 * n);
    for (int k = 0; k < COLUMNS; k++)
        bonds->table[k] = NEW_N(work->arena, double, 2 * n);
    bonds->G = NEW_N(work->arena, double, n *n);
    bonds->phase = NEW_N(work->arena, enum phase, n);
    return bonds;
}

/* The bonds before the impact; most: the greatest entry of G. */
static struct bonds *
begin(struct impact_solver *solver, double most)
{
    struct bonds *bonds = bonds_of(solver);
    size_t n = (size_t)solver->nc;
    double stiffest = 0;
    for (size_t c = 0; c < n; c++)
        stiffest = fmax(stiffest, solver->in.contact[c].stiffness);
    for (size_t i = 0; i < n * n; i++)
        bonds->G[i] = solver->delassus.G[i] / most;
    for (size_t c = 0; c < n; c++) {
        double e = solver->approach.e[c],
               v = solver->approach.v0[c] / solver->approach.speed;
        bonds->v0[c] = fabs(v) <= HIT_LEAST ? 0 : v;
        bonds->K[c] = solver->in.contact[c].stiffness / stiffest;
        bonds->back[c] = 1 / (e * e);
        bonds->phase[c] = bonds->v0[c] < 0 ? COMPRESSED : PARTED;
        bonds->state[c] = bonds->state[n + c] = 0;
    }
    bonds->n = solver->nc;
    bonds->eta = solver->in.contact->exponent;
    return bonds;
}

void
impact_law_lzb(struct impact_solver *solver, const bool *on, int n_on)
{
    (void)on;
    (void)n_on;
    if (solver->nc == 1) { /* a bond alone is an impact as any other */
        impact_law_complementarity(solver, on, n_on);
        return;
    }
    enum impact_fault fault = asked_for(solver);
    double velocity[IMPACT_CONTACTS_MAX], impulse[IMPACT_CONTACTS_MAX] = {0},
                                          most = 0;
    memcpy(velocity, solver->approach.v0,
           sizeof *velocity * (size_t)solver->nc);
    if (fault == IMPACT_FINE &&
        impact_blocked(solver, solver->nc, NULL, velocity))
        fault = IMPACT_JAMMED;
    for (int c = 0; c < solver->nc; c++)
        most = fmax(most, solver->delassus.G[c * (solver->nc + 1)]);
    if (fault == IMPACT_FINE && most > 0 && solver->approach.speed > 0) {
        struct bonds *bonds = begin(solver, most);
        if (!follow(bonds))
            fault = IMPACT_UNSETTLED;
        for (int c = 0; c < solver->nc; c++)
            impulse[c] = bonds->state[c] * solver->approach.speed / most;
    }
    if (fault != IMPACT_FINE) {
        impact_no_motion(solver, fault);
        return;
    }
    for (int i = 0; i < solver->nc; i++)
        for (int j = 0; j < solver->nc; j++)
            velocity[i] += solver->delassus.G[i * solver->nc + j] * impulse[j];
    impact_end_approach(solver, velocity, impulse);
    solver->decision.determined = IMPACT_UNIQUE;
    impact_motion_after(solver, impulse);
}
