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

static int
fill_contact(struct analysis *analysis, const imp_command *command,
             uint32_t contact, double *normal, double *tangential, double *mu)
{
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    uint32_t system = image_contact->system,
             i = contact - rt_system(run, system)->contact;
    struct system_slip slip;
    double gap, rate;
    *mu = 0.0;
    int st = system_gap(run, system, i, &gap, &rate, normal);
    if (!st)
        st = system_gap_closed(analysis, command, contact, gap, normal);
    if (!st && image_contact->slip != IMP_NO_TAPE) {
        st = system_slip(run, system, i, &slip, tangential);
        *mu = slip.mu_static;
    }
    return st;
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
    int st = motion_series(run, one->block, 1, &h);
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
    for (uint32_t i = 0; i < n && !st; i++)
        st = fill_contact(analysis, command, contact[i],
                          normal + (size_t)i * rows,
                          tangential + (size_t)i * rows, &mu[i]);
    if (!st)
        st = fill_load(analysis, system, load);
    *in = (struct balance_problem){(int)n,     0,    (int)rows, normal,
                                   tangential, NULL, load,      mu};
    return st ? command_failed(analysis, st, command->range, "balance")
              : IMP_OK;
}
