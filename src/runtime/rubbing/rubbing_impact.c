/* SPDX-License-Identifier: MIT */
/* Modes of joints with friction without closed contacts, under the forces that
 * follow: after an impact, in which they take part
 * (runtime/modes/friction_impacts.c), and where contacts have let go. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/contact_point.h"
#include "runtime/motion/persistent.h"
#include "runtime/rubbing/rubbing_priv.h"

/* A rate after an impact that is this share of what it was before is the
 * rounding of its end. */
#define RATE_STRUCK 0x1p-44

/* Does the impact move a body of this block? */
static bool
moved(const struct rt *run, uint32_t block, const bool *body)
{
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *in = IMP_ARRAY(run->im, of->bodies, uint32_t);
    bool any = false;
    for (uint32_t i = 0; i < of->bodies.n; i++)
        any |= body[in[i]];
    return any && of->n_rub;
}

/* Chooses the modes of a block, of whose joints those that are still are known.
 * Where the law leaves them open the next look at them says so. */
static int
choose_alone(struct pins *pins)
{
    struct rt *run = pins->run;
    enum rubbing_verdict verdict;
    bool determined = rubbing_hold(pins);
    int st = IMP_OK;
    joints_project(run);
    if (determined) {
        st = rubbing_choose(pins, &verdict);
        determined = verdict == RUBBING_ONE;
    }
    pins->open = determined ? NAN : rt_time(run);
    for (uint32_t i = 0; i < pins->n && !determined; i++)
        if (pins->pin[i].still)
            rubbing_clear(pins->pin + i);
    return st ? rubbing_no_solution(run, pins->pin->joint, st) : IMP_OK;
}

int
rubbing_let_alone(struct rt *run, const bool *block)
{
    assert(run && block);
    int st = IMP_OK;
    for (uint32_t b = 0; b < run->im->blocks.n && !st; b++) {
        if (!block[b] || persistent_moves(run, b) ||
            !IMP_ARRAY(run->im, run->im->blocks, imp_block)[b].n_rub)
            continue;
        struct pins *pins = rubbing_pins(run, b);
        if (pins->chosen == rt_time(run))
            continue;
        for (uint32_t i = 0; i < pins->n; i++) {
            pins->pin[i].still = pin_rests(pins->pin + i);
            pins->pin[i].freed = false;
        }
        st = choose_alone(pins);
    }
    return st;
}

int
rubbing_after_impact(struct rt *run, const bool *body)
{
    assert(run && body);
    int st = IMP_OK;
    for (uint32_t block = 0; block < run->im->blocks.n && !st; block++) {
        if (!moved(run, block, body))
            continue;
        struct pins *pins = rubbing_pins(run, block);
        st = joint_friction_read(run, block, NULL);
        for (uint32_t i = 0; i < pins->n; i++) {
            struct pin *pin = pins->pin + i;
            double rate = joint_friction_told(run, block, i)[IMP_RUB_RATE];
            pin->still =
                pin_rests(pin) || fabs(rate) <= RATE_STRUCK * pin->speed;
            pin->freed = false;
            pin->struck = rt_time(run);
            if (pin->still)
                pin->env[IMP_JOINT_PLACE] =
                    joint_friction_told(run, block, i)[IMP_RUB_PLACE];
        }
        if (!st)
            st = choose_alone(pins);
    }
    return st;
}
