/* SPDX-License-Identifier: MIT */
/* The flights of flight_lanes.h with the vectors that every processor has, and
 * the choice of those for this processor. Runs that are asked for in advance.
 */
#include <assert.h>

#include "base/arena.h"
#include "runtime/ballistic/lanes_shapes.h"

long
ballistic_coast_narrow(struct ballistic *motion, double until, long most)
{
    return coast_any(motion, until, most);
}

ballistic_coast_fn *
ballistic_coast(int contacts)
{
    assert(contacts >= 0);
    if (contacts == 2)
        return ballistic_coast_two;
#ifdef HAVE_AVX2_FILES
    if (contacts > 2 && __builtin_cpu_supports("avx2"))
        return ballistic_coast_avx2;
#endif
    return ballistic_coast_narrow;
}

/* -- runs that are asked for in advance ------------------------------------ */

static void
ahead(struct ballistic *motion, struct ballistic_batch *batch)
{
#ifdef HAVE_AVX2_FILES
    if (__builtin_cpu_supports("avx2")) {
        ballistic_batch_avx2(motion, batch);
        return;
    }
#endif
    batch_any(motion, batch);
}

static struct ballistic_batch *
memory(struct ballistic *motion)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    if (work->batch)
        return work->batch;
    struct ballistic_batch *batch = NEW(work->arena, struct ballistic_batch);
    batch->stride = 4 * contacts;
    batch->e =
        NEW_N(work->arena, double, BALLISTIC_BATCH_RUNS *(size_t)contacts + 1);
    batch->state = NEW_N(work->arena, double,
                         BALLISTIC_BATCH_RUNS *(size_t)batch->stride + 1);
    return work->batch = batch;
}

void
ballistic_batch_prepare(struct ballistic *motion, const double *restitution,
                        int runs, int apart)
{
    assert(motion && motion->work);
    assert(restitution || runs == 0);
    assert(runs >= 0 && apart >= 0);
    struct ballistic_workspace *work = motion->work;
    const struct ballistic_saved_start *saved = &work->saved_start;
    int contacts = motion->model.m;
    if (!saved->version || saved->version != motion->matrices.version ||
        !saved->unaccelerated)
        return;
    struct ballistic_batch *batch = memory(motion);
    batch->n = batch->next = 0;
    ballistic_start(motion, saved->t, saved->q, saved->v, saved->tol);
    if (!work->flight.coasts)
        return;
    batch->n = runs < BALLISTIC_BATCH_RUNS ? runs : BALLISTIC_BATCH_RUNS;
    for (int k = 0; k < batch->n; k++)
        memcpy(batch->e + k * contacts, restitution + (size_t)k * (size_t)apart,
               (size_t)contacts * sizeof *restitution);
    ahead(motion, batch);
}

const struct ballistic_batch_run *
ballistic_batch_find(struct ballistic *motion)
{
    struct ballistic_batch *batch = motion->work->batch;
    size_t bytes = (size_t)motion->model.m * sizeof *batch->e;
    for (int k = batch ? batch->next : 0; batch && k < batch->n; k++)
        if (!memcmp(batch->e + k * motion->model.m, motion->work->own.e,
                    bytes)) {
            batch->next = k + 1;
            return batch->run + k;
        }
    return NULL;
}

bool
ballistic_batch_take(struct ballistic *motion, double until, long most)
{
    assert(motion && motion->work);
    assert(motion->work->batch_run);
    struct ballistic_workspace *work = motion->work;
    const struct ballistic_batch_run *run = work->batch_run;
    const struct ballistic_batch *batch = work->batch;
    int contacts = motion->model.m;
    work->batch_run = NULL;
    if (motion->each_told && run->n > 1) /* their rates are not kept */
        return false;
    /* no look for a pattern may fall due on the way */
    if (run->n == 0 || until < INFINITY || most < run->n || work->history.n ||
        work->history.next_look < (unsigned long)run->n)
        return false;
    const double *x = batch->state + (run - batch->run) * batch->stride;
    double *to[] = {motion->gap, motion->rate, motion->greatest,
                    work->rate_terms};
    for (int i = 0; i < 4; i++, x += contacts)
        memcpy(to[i], x, (size_t)contacts * sizeof *x);
    if (motion->matrices.direct) {
        memcpy(motion->y, motion->gap, (size_t)contacts * sizeof *x);
        memcpy(motion->z, motion->rate, (size_t)contacts * sizeof *x);
    } else {
        motion->basis = motion->matrices.bases->outside[run->outside];
        contact_basis_coordinates(motion);
    }
    motion->t = run->t;
    motion->t_lo = run->t_lo;
    for (int i = 0; i < run->n; i++)
        work->history.entry[work->history.n++ % HISTORY_KEPT] =
            (struct impact_entry){run->contact[i],
                                  motion->length_exponent -
                                      motion->rate_exponent,
                                  run->flight[i]};
    ballistic_coasted(motion, run->contact[run->n - 1], run->arrival, run->n);
    work->flight.last = run->all_open;
    return true;
}

long
ballistic_batch_end(const struct ballistic *motion, int run, double *time,
                    const double **rate, const double **coordinate_rates)
{
    assert(motion && motion->work);
    assert(run >= 0);
    assert(time && rate && coordinate_rates);
    const struct ballistic_batch *batch = motion->work->batch;
    int contacts = motion->model.m;
    if (!batch || run >= batch->n || !batch->run[run].all_open)
        return 0;
    const double *x = batch->state + run * batch->stride;
    *time = batch->run[run].t;
    *rate = x + contacts;
    *coordinate_rates = *rate;
    if (!motion->matrices.direct) {
        double *z = motion->work->scratch.z;
        for (int j = 0; j < motion->matrices.rank; j++)
            z[j] = (*rate)[motion->matrices.basis[j]];
        matrices_coordinates(motion, z);
        *coordinate_rates = z;
    }
    return batch->run[run].n;
}
