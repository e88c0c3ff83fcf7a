/* SPDX-License-Identifier: MIT */
/* The loops of coast_run.h and batch_run.h, compiled for the shapes that are
 * met most often, with constant numbers of contacts and ranks, and for all
 * others. lanes.c and lanes_avx2.c are made of it. */
#ifndef IMP_RUNTIME_BALLISTIC_LANES_SHAPES_H
#define IMP_RUNTIME_BALLISTIC_LANES_SHAPES_H

#include "runtime/ballistic/batch_run.h"
#include "runtime/ballistic/coast_run.h"

/* -- one motion ------------------------------------------------------------ */

/* The gaps are independent, and fit into one vector; into several. */
LANES_APART long
coast_direct_one(struct ballistic *motion, double until, long most)
{
    return coast((struct lanes_shape){.layout = LANES_OF_CONTACTS,
                                      .m = motion->model.m,
                                      .rows = 1,
                                      .rank = LANES,
                                      .direct = true},
                 motion, until, most);
}
LANES_APART long
coast_direct(struct ballistic *motion, double until, long most)
{
    int contacts = motion->model.m, rows = (contacts + LANES - 1) / LANES;
    return coast((struct lanes_shape){.layout = LANES_OF_CONTACTS,
                                      .m = contacts,
                                      .rows = rows,
                                      .rank = contacts,
                                      .direct = true},
                 motion, until, most);
}
/* The same where gaps accelerate too little to change a number. */
LANES_APART long
coast_light_one(struct ballistic *motion, double until, long most)
{
    return coast((struct lanes_shape){.layout = LANES_OF_CONTACTS,
                                      .m = motion->model.m,
                                      .rows = 1,
                                      .rank = LANES,
                                      .direct = true,
                                      .light = true},
                 motion, until, most);
}
LANES_APART long
coast_light(struct ballistic *motion, double until, long most)
{
    int contacts = motion->model.m, rows = (contacts + LANES - 1) / LANES;
    return coast((struct lanes_shape){.layout = LANES_OF_CONTACTS,
                                      .m = contacts,
                                      .rows = rows,
                                      .rank = contacts,
                                      .direct = true,
                                      .light = true},
                 motion, until, most);
}
/* Bodies on feet have rank 3: four of them, up to eight, any number and any
 * rank. */
LANES_APART long
coast_feet(struct ballistic *motion, double until, long most)
{
    return coast((struct lanes_shape){.layout = LANES_OF_CONTACTS,
                                      .m = 4,
                                      .rows = 4 / LANES,
                                      .rank = 3,
                                      .direct = false},
                 motion, until, most);
}
LANES_APART long
coast_more_feet(struct ballistic *motion, double until, long most)
{
    return coast((struct lanes_shape){.layout = LANES_OF_CONTACTS,
                                      .m = motion->model.m,
                                      .rows = 8 / LANES,
                                      .rank = 3,
                                      .direct = false},
                 motion, until, most);
}
LANES_APART long
coast_general(struct ballistic *motion, double until, long most)
{
    int contacts = motion->model.m, rows = (contacts + LANES - 1) / LANES;
    return coast((struct lanes_shape){.layout = LANES_OF_CONTACTS,
                                      .m = contacts,
                                      .rows = rows,
                                      .rank = motion->matrices.rank,
                                      .direct = false},
                 motion, until, most);
}

/* Is a ballistic_coast_fn for this processor's lanes. */
LANES_INLINE long
coast_any(struct ballistic *motion, double until, long most)
{
    int rows = (motion->model.m + LANES - 1) / LANES;
    if (!motion->work->flight.unaccelerated)
        return rows == 1 ? coast_light_one(motion, until, most)
                         : coast_light(motion, until, most);
    if (motion->matrices.direct)
        return rows == 1 ? coast_direct_one(motion, until, most)
                         : coast_direct(motion, until, most);
    if (motion->matrices.rank == 3 && motion->model.m == 4)
        return coast_feet(motion, until, most);
    if (motion->matrices.rank == 3 && rows == 8 / LANES)
        return coast_more_feet(motion, until, most);
    return coast_general(motion, until, most);
}

/* -- several motions ------------------------------------------------------- */

LANES_APART void
batch_two(const struct ballistic *motion, struct ballistic_batch *batch)
{
    batch_follow((struct lanes_shape){.layout = LANES_OF_RUNS,
                                      .m = 2,
                                      .rows = 2,
                                      .rank = 2,
                                      .direct = true},
                 motion, batch);
}
LANES_APART void
batch_three(const struct ballistic *motion, struct ballistic_batch *batch)
{
    batch_follow((struct lanes_shape){.layout = LANES_OF_RUNS,
                                      .m = 3,
                                      .rows = 3,
                                      .rank = 3,
                                      .direct = true},
                 motion, batch);
}
LANES_APART void
batch_direct(const struct ballistic *motion, struct ballistic_batch *batch)
{
    int contacts = motion->model.m;
    batch_follow((struct lanes_shape){.layout = LANES_OF_RUNS,
                                      .m = contacts,
                                      .rows = contacts,
                                      .rank = contacts,
                                      .direct = true},
                 motion, batch);
}
LANES_APART void
batch_feet(const struct ballistic *motion, struct ballistic_batch *batch)
{
    batch_follow((struct lanes_shape){.layout = LANES_OF_RUNS,
                                      .m = 4,
                                      .rows = 4,
                                      .rank = 3,
                                      .direct = false},
                 motion, batch);
}
LANES_APART void
batch_general(const struct ballistic *motion, struct ballistic_batch *batch)
{
    int contacts = motion->model.m;
    batch_follow((struct lanes_shape){.layout = LANES_OF_RUNS,
                                      .m = contacts,
                                      .rows = contacts,
                                      .rank = motion->matrices.rank,
                                      .direct = false},
                 motion, batch);
}

/* Is a ballistic_batch_fn for this processor's lanes. */
LANES_INLINE void
batch_any(struct ballistic *motion, struct ballistic_batch *batch)
{
    int contacts = motion->model.m;
    if (contacts == 2 && motion->matrices.direct)
        batch_two(motion, batch);
    else if (contacts == 3 && motion->matrices.direct)
        batch_three(motion, batch);
    else if (motion->matrices.direct)
        batch_direct(motion, batch);
    else if (contacts != motion->matrices.rank + 1 ||
             !contact_bases_alone(motion))
        batch->n = 0; /* left to ballistic_coast */
    else if (contacts == 4)
        batch_feet(motion, batch);
    else
        batch_general(motion, batch);
}

#endif
