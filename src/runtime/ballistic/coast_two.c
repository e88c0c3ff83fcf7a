/* SPDX-License-Identifier: MIT */
/* coast_run.h for two contacts, one lane: the one that was hit opens, so the
 * other one is next, or none. */
#define LANES 1
#include "runtime/ballistic/coast_run.h"

long
ballistic_coast_two(struct ballistic *motion, double until, long most)
{
    const struct lanes_shape sh = {.layout = LANES_OF_CONTACTS,
                                   .m = 2,
                                   .rows = 2,
                                   .rank = 2,
                                   .direct = true};
    struct coast run;
    if (!motion->matrices.direct)
        return ballistic_coast_narrow(motion, until, most);
    if (motion->event.contact < 0)
        return ballistic_coast_narrow(motion, until, 1);
    coast_begin(sh, motion, &run);
    bool first = motion->event.contact == 1;
    while ((first ? coast_step(sh, motion, &run, 0, until)
                  : coast_step(sh, motion, &run, 1, until))) {
        first = !first;
        if (coast_over(motion, &run, most))
            break;
    }
    return coast_end(sh, motion, &run, run.state.rate[first ? 0 : 1] >= 0.0);
}
