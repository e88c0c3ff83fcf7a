/* SPDX-License-Identifier: MIT */
/* `balance` at contacts of a system: the coordinates are those of the system,
 * unit forces are the gradients of gap and slip, and the load is the mass
 * matrix times the accelerations without contacts. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "base/num.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"

/* A gap counts as closed when it is smaller than this many roundings of its
 * terms (as in runtime/flow). */
#define SYSTEM_GAP_NOISE 32.0

/* The system must be at rest. */
static int
system_at_rest(struct analysis *analysis, const imp_command *command,
               uint32_t system)
{
    struct rt *run = analysis->rt;
    const imp_system *one = rt_system(run, system);
    for (uint32_t j = 0; j < one->n; j++) {
        if (run->env[one->env_state + one->n + j] == 0.0)
            continue;
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0743, command->range,
                     "`balance` asks about systems at rest; `%s` moves",
                     imp_text(run->im, one->name));
        diag_help(analysis->ds, diag,
                  "leave the rates out of `start`; `simulate` follows systems "
                  "that move");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* Is the gap closed, to the rounding of its terms? */
static int
system_gap_closed(struct analysis *analysis, const imp_command *command,
                  uint32_t contact, double gap, const double *gradient)
{
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    const imp_system *system = rt_system(run, image_contact->system);
    double rest = gap, terms = 0.0;
    for (uint32_t j = 0; j < system->n; j++) {
        double term = gradient[j] * run->env[system->env_state + j];
        rest -= term;
        terms += fabs(term);
    }
    if (fabs(gap) <= SYSTEM_GAP_NOISE * DBL_EPSILON * (terms + fabs(rest)))
        return IMP_OK;
    char text[NUM_TEXT];
    struct diag *diag = diag_add(analysis->ds, DIAG_E0744, command->range,
                                 "`%s` is not closed, so it can hold nothing",
                                 imp_text(run->im, image_contact->name));
    diag_note(analysis->ds, diag, image_contact->range,
              "its gap is %s at the start", num_digits(text, gap, 6));
    diag_help(analysis->ds, diag,
              "give coordinates to `start` that close it, or leave the "
              "contact out");
    return IMP_BADMODEL;
}

/* Where all rates are 0, a rate of a gap or a slip is that of the ground, by
 * the time in its formula: so are accelerations beside those of the
 * coordinates. */
static int
ground_rests(struct analysis *analysis, const imp_command *command,
             uint32_t contact, double speed, double gains)
{
    if (speed == 0.0 && gains == 0.0)
        return IMP_OK;
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0743, command->range,
                 "`balance` asks about systems at rest; the ground of `%s` %s",
                 imp_text(run->im, image_contact->name),
                 speed == 0.0 ? "begins to move" : "moves");
    diag_help(analysis->ds, diag,
              "leave `t` out of its gap and its slide; `simulate` follows "
              "ground that moves");
    return IMP_BADMODEL;
}

/* The second derivative of the gap without that of the coordinates; 0 up to the
 * rounding of its terms. After the series of the system to the second order. */
static int
gap_gains(struct rt *run, uint32_t number, uint32_t i, const double *gradient,
          double *gains)
{
    const imp_system *system = rt_system(run, number);
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + system->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    double series[3], terms = 0.0;
    int st = system_gap_series(run, number, i, 2, series);
    if (st)
        return st;
    *gains = 2.0 * series[2];
    for (uint32_t j = 0; j < system->n; j++) {
        double term =
            gradient[j] *
            run->rows.block[system->block]
                           [(size_t)row[system->n + j] * IMP_ROW_STRIDE +
                            IMP_ROW_PAD + 1];
        *gains -= term;
        terms += fabs(term);
    }
    if (fabs(*gains) <= RT_TOLERANCE * terms)
        *gains = 0.0;
    return IMP_OK;
}

static int
fill_contact(struct analysis *analysis, const imp_command *command,
             uint32_t contact, double *normal, double *tangential, double *mu)
{
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    uint32_t system = image_contact->system,
             i = contact - rt_system(run, system)->contact;
    struct system_slip slip = {0};
    double gap, rate, gains = 0.0;
    *mu = 0.0;
    int st = system_gap(run, system, i, &gap, &rate, normal);
    if (!st)
        st = system_gap_closed(analysis, command, contact, gap, normal);
    if (!st && image_contact->slip != IMP_NO_TAPE) {
        st = system_slip(run, system, i, &slip, tangential);
        *mu = slip.mu_static;
        if (!st)
            st = contact_friction_sign(run, contact, *mu);
    }
    if (!st)
        st = gap_gains(run, system, i, normal, &gains);
    return st ? st
              : ground_rests(analysis, command, contact,
                             fabs(rate) + fabs(slip.velocity),
                             fabs(gains) + fabs(slip.bias));
}

/* mass matrix times accelerations */
static int
fill_load(struct analysis *analysis, uint32_t system, double *load)
{
    struct rt *run = analysis->rt;
    const imp_system *one = rt_system(run, system);
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + one->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    double h, *mass = NEW_N(run->arena, double, (size_t)one->n * one->n + 1);
    int st = motion_series(run, one->block, 2, &h);
    if (!st)
        st = system_mass(run, system, mass);
    for (uint32_t i = 0; i < one->n && !st; i++) {
        load[i] = 0.0;
        for (uint32_t j = 0; j < one->n; j++)
            load[i] += mass[i * one->n + j] *
                       run->rows.block[one->block][(size_t)row[one->n + j] *
                                                       IMP_ROW_STRIDE +
                                                   IMP_ROW_PAD + 1];
    }
    return st;
}

int
balance_of_system(struct analysis *analysis, const imp_command *command,
                  const uint32_t *contact, uint32_t n,
                  struct balance_problem *in)
{
    assert(analysis != NULL && contact != NULL && n > 0 && in != NULL);
    struct rt *run = analysis->rt;
    uint32_t system = rt_contact(run, contact[0])->system,
             rows = rt_system(run, system)->n;
    int st = system_at_rest(analysis, command, system);
    double *normal = NEW_N(run->arena, double, (size_t)n *rows + 1),
           *tangential = NEW_N(run->arena, double, (size_t)n *rows + 1),
           *load = NEW_N(run->arena, double, rows + 1),
           *mu = NEW_N(run->arena, double, n + 1);
    if (!st)
        st = fill_load(analysis, system, load);
    for (uint32_t i = 0; i < n && !st; i++)
        st = fill_contact(analysis, command, contact[i],
                          normal + (size_t)i * rows,
                          tangential + (size_t)i * rows, &mu[i]);
    *in = (struct balance_problem){(int)n,     0,    (int)rows, normal,
                                   tangential, NULL, load,      mu};
    return st ? command_failed(analysis, st, command->range, "balance")
              : IMP_OK;
}
