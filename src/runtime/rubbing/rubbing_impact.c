/* SPDX-License-Identifier: MIT */
/* What follows an impact of bodies whose joints have friction, which takes part
 * in it (runtime/modes/friction_impacts.c): modes under the forces that follow.
 */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/contact_point.h"
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

int
rubbing_after_impact(struct rt *run, const bool *body)
{
    assert(run && body);
    enum rubbing_verdict verdict;
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
        bool determined = !st && rubbing_hold(pins);
        joints_project(run);
        if (!st && determined) {
            st = rubbing_choose(pins, &verdict);
            determined = verdict == RUBBING_ONE;
        }
        pins->open = determined ? NAN : rt_time(run);
        for (uint32_t i = 0; i < pins->n && !determined; i++)
            if (pins->pin[i].still)
                rubbing_clear(pins->pin + i);
    }
    return st;
}
