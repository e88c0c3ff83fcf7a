/* SPDX-License-Identifier: MIT */
/* The pieces of the motion that parts of a model have (clocks_priv.h). */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/clocks/clocks_priv.h"
#include "runtime/motion/persistent_group.h"

void
clocks_read_state(const struct rt *run, const struct clock_block *block,
                  double *to)
{
    size_t n = clocks_state_size(run);
    memcpy(to, run->env + block->first, n * sizeof *to);
    memcpy(to + n, run->state_lo + (block->first - run->im->layout.state),
           n * sizeof *to);
}

void
clocks_write_state(struct rt *run, const struct clock_block *block,
                   const double *from)
{
    size_t n = clocks_state_size(run);
    memcpy(run->env + block->first, from, n * sizeof *from);
    memcpy(run->state_lo + (block->first - run->im->layout.state), from + n,
           n * sizeof *from);
}

/* The state of the block, or everything, at the time t in place of the present
 * one. */
static void
clocks_put(struct clocks *clocks, uint32_t which, double t)
{
    struct rt *run = clocks->run;
    struct clock_block *block = clocks->block + which;
    const struct clock_part *part = clocks->part + block->part;
    assert(part->known && t >= part->from);
    if (part->closed && t == part->end) {
        clocks_write_state(run, block, block->last);
        memcpy(block->put, block->last, sizeof block->put);
        return;
    }
    clocks_write_state(run, block, block->start);
    if (t > part->from && block->brief) {
        motion_short_go(&block->motion, t - part->from,
                        run->env + run->im->layout.state, run->state_lo);
    } else if (t > part->from) {
        double *kept = run->rows.block[which];
        run->rows.block[which] = block->rows;
        motion_advance_block(run, which, part->order, t - part->from);
        run->rows.block[which] = kept;
    }
    clocks_read_state(run, block, block->put);
}

bool
clocks_stands(struct clocks *clocks, uint32_t which)
{
    struct rt *run = clocks->run;
    struct clock_block *block = clocks->block + which;
    double now = rt_time(run), here[2 * IMP_STATE_SPACE];
    clocks_read_state(run, block, here);
    if (clocks->now != now)
        clocks_put(clocks, which, now);
    clocks_write_state(run, block, here);
    return !memcmp(here, block->put, 2 * clocks_state_size(run) * sizeof *here);
}

static void
put_work(struct clocks *clocks, double t)
{
    struct rt *run = clocks->run;
    for (uint32_t i = 0; clocks->work && i < run->im->contacts.n; i++) {
        const struct clock_work *work = clocks->work + i;
        if (!work->on)
            continue;
        const struct clock_part *part =
            clocks->part + clocks->block[work->block].part;
        double s = t - part->from, sum = 0.0;
        for (int k = part->order; k >= 1; k--)
            sum = s * (sum + work->c[k]);
        run->env[rt_contact(run, i)->env_contact + IMP_CONTACT_WORK] =
            work->base + sum;
    }
}

void
clocks_put_all(struct clocks *clocks, double t)
{
    struct rt *run = clocks->run;
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        clocks_put(clocks, i, t);
    put_work(clocks, t);
    run->env[run->im->layout.time] = clocks->now = t;
}

static void
keep_rows(struct clocks *clocks, uint32_t which, int order)
{
    struct rt *run = clocks->run;
    struct clock_block *block = clocks->block + which;
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + which;
    size_t room =
        ((size_t)rt_tape(run, of->motion)->n_rows + 1) * (size_t)IMP_ROW_STRIDE;
    block->brief = motion_short_of(run, which, order, &block->motion);
    if (block->brief)
        return;
    if (!block->rows)
        block->rows = NEW_N(run->arena, double, room);
    memcpy(block->rows, run->rows.block[which], room * sizeof *block->rows);
}

/* The work of friction at the points of the part from now on. */
static void
keep_work(struct clocks *clocks, uint32_t part, int order)
{
    struct rt *run = clocks->run;
    uint32_t n = run->im->contacts.n;
    for (uint32_t i = 0; clocks->work && i < n; i++)
        if (clocks->work[i].on &&
            clocks->block[clocks->work[i].block].part == part)
            clocks->work[i].on = false;
    for (int i = 0; i < persistent_count(run); i++) {
        const struct persistent_row *row = run->persistent->row[i];
        const struct persistent_friction *friction = row->friction;
        const struct persistent_group *group =
            persistent_group_of(run, row->spot.contact);
        if (!friction || !row->on || friction->mode == CONTACT_STICK ||
            clocks->block[group->moved.block[0]].part != part)
            continue;
        if (!clocks->work)
            clocks->work = NEW_N(run->arena, struct clock_work, n);
        struct clock_work *work = clocks->work + row->spot.contact;
        if (!work->on)
            memset(work, 0, sizeof *work);
        work->on = true;
        work->block = part;
        work->base = run->env[rt_contact(run, row->spot.contact)->env_contact +
                              IMP_CONTACT_WORK];
        struct taylor power;
        taylor_mul(order - 1, &friction->force, &friction->slip, &power);
        for (int k = 0; k < order; k++)
            work->c[k + 1] += power.c[k] / (k + 1.0);
    }
}

void
clocks_keep_piece(struct clocks *clocks, uint32_t which)
{
    struct rt *run = clocks->run;
    const struct clock_part *part = clocks->part + which;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        struct clock_block *block = clocks->block + i;
        if (!clocks->asked[i])
            continue;
        clocks_read_state(run, block, block->start);
        memcpy(block->put, block->start, sizeof block->put);
        keep_rows(clocks, i, part->order);
    }
    keep_work(clocks, which, part->order);
    clocks_keep_forces(clocks, which);
}
