/* SPDX-License-Identifier: MIT */
/* coast_run.h for two contacts, one lane: the one that was hit opens, so the
 * other one is next, or none. */
#define LANES 1
#include "runtime/ballistic/coast_run.h"

LANES_INLINE long
coast_in_turns(struct ballistic *motion, double until, long most, bool light)
{
    const struct lanes_shape sh = {.layout = LANES_OF_CONTACTS,
                                   .m = 2,
                                   .rows = 2,
                                   .rank = 2,
                                   .direct = true,
                                   .light = light};
    struct coast run;
    coast_begin(sh, motion, &run);
    bool first = motion->event.contact == 1;
    while ((first ? coast_step(sh, motion, &run, 0, until)
                  : coast_step(sh, motion, &run, 1, until))) {
        first = !first;
        if (coast_over(sh, motion, &run, most))
            break;
    }
    return coast_end(sh, motion, &run,
                     !light && run.state.rate[first ? 0 : 1] >= 0.0);
}

static __attribute__((noinline)) long
coast_in_turns_light(struct ballistic *motion, double until, long most)
{
    return coast_in_turns(motion, until, most, true);
}

long
ballistic_coast_two(struct ballistic *motion, double until, long most)
{
    if (!motion->matrices.direct)
        return ballistic_coast_narrow(motion, until, most);
    if (motion->event.contact < 0)
        return ballistic_coast_narrow(motion, until, 1);
    if (!motion->work->flight.unaccelerated)
        return coast_in_turns_light(motion, until, most);
    return coast_in_turns(motion, until, most, false);
}
