/* SPDX-License-Identifier: MIT */
/* A run whose motion is kept (runtime/trace): what pieces of parts say of it,
 * and the forces at the points that are held along them. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/clocks/clocks_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/trace/trace.h"

void
clocks_keep_forces(struct clocks *clocks, uint32_t which)
{
    assert(clocks != NULL && which < clocks->run->im->blocks.n);
    struct rt *run = clocks->run;
    struct clock_part *part = clocks->part + which;
    const struct persistent_set *set = run->persistent;
    part->n_forces = 0;
    for (int g = 0; clocks->traced && set && g < set->n; g++) {
        const struct persistent_group *group = set->group[g];
        if (!clocks->asked[group->moved.block[0]])
            continue;
        for (int i = 0; i < group->n; i++) {
            if (part->n_forces == part->room_forces) {
                uint32_t room = 2 * part->room_forces + 8;
                struct clock_force *more =
                    NEW_N(run->arena, struct clock_force, room);
                if (part->n_forces)
                    memcpy(more, part->forces, part->n_forces * sizeof *more);
                part->forces = more;
                part->room_forces = room;
            }
            const struct persistent_row *row = &group->row[i];
            struct clock_force *force = part->forces + part->n_forces++;
            force->row = row;
            force->force = row->force;
            if (row->friction)
                force->friction = row->friction->force;
        }
    }
}

/* The coefficients, from the first order on, with which this entry of the state
 * moves along the piece of its block. */
static void
read_entry(const struct rt *run, const struct clock_block *block,
           const imp_block *of, uint32_t entry, int order, double *c)
{
    memset(c, 0, (size_t)order * sizeof *c);
    for (uint32_t i = 0; block->brief && i < block->motion.n; i++)
        if (block->motion.term[i].entry == entry - run->im->layout.state) {
            c[0] = block->motion.term[i].c[0];
            if (!block->motion.term[i].line)
                c[1] = block->motion.term[i].c[1];
        }
    if (block->brief)
        return;
    const uint32_t *state = IMP_ARRAY(run->im, of->state, uint32_t),
                   *rows = IMP_ARRAY(run->im, of->rows, uint32_t);
    for (uint32_t i = 0; i < of->state.n; i++)
        if (state[i] == entry)
            memcpy(c,
                   block->rows + (size_t)rows[i] * IMP_ROW_STRIDE +
                       IMP_ROW_PAD + 1,
                   (size_t)order * sizeof *c);
}

/* The pose of the body of this block moves so from the present time to t. */
static void
trace_block(const struct clocks *clocks, uint32_t which, double t)
{
    const struct rt *run = clocks->run;
    const struct clock_block *block = clocks->block + which;
    const struct clock_part *part = clocks->part + block->part;
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + which;
    double *c = trace_room(run->trace);
    uint32_t n_rows = run->im->dim == 2 ? 3 : 7;
    int order = block->brief && part->order > 2 ? 2 : part->order;
    for (uint32_t i = 0; i < n_rows; i++, c += order + 1) {
        c[0] = block->start[i];
        read_entry(run, block, of, block->first + i, order, c + 1);
    }
    trace_piece(run->trace, *IMP_ARRAY(run->im, of->bodies, uint32_t),
                part->from, rt_time(run), t, order);
}

/* The forces of all that is held at the present state, as numbers. */
static void
put_forces(struct clocks *clocks)
{
    struct rt *run = clocks->run;
    for (int i = 0; i < persistent_count(run); i++) {
        struct persistent_row *row = run->persistent->row[i];
        const struct persistent_group *group =
            persistent_group_of(run, row->spot.contact);
        const struct clock_part *part =
            clocks->part + clocks->block[group->moved.block[0]].part;
        double s = rt_time(run) - part->from;
        for (uint32_t k = 0; k < part->n_forces; k++) {
            const struct clock_force *of = part->forces + k;
            if (of->row != row)
                continue;
            double amount = taylor_at(part->order - 1, &of->force, s);
            row->force = (struct taylor){{amount}};
            if (!row->friction)
                continue;
            amount = taylor_at(part->order - 1, &of->friction, s);
            row->friction->force = (struct taylor){{amount}};
        }
    }
}

/* Forces are shown at so many times of what the run goes on. */
#define LOOKS 8

void
clocks_trace(struct clocks *clocks, double t)
{
    assert(clocks != NULL && clocks->run->trace != NULL);
    struct rt *run = clocks->run;
    double now = rt_time(run);
    int n = persistent_count(run), looks = persistent_any(run) ? LOOKS : 0;
    if (!(t > now))
        return;
    struct taylor *kept = NEW_N(run->brief, struct taylor, 2 * (size_t)n + 1);
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        trace_block(clocks, i, t);
    for (int i = 0; i < n; i++) {
        const struct persistent_row *row = run->persistent->row[i];
        kept[2 * i] = row->force;
        if (row->friction)
            kept[2 * i + 1] = row->friction->force;
    }
    for (int look = 0; look <= looks; look++) {
        double ahead = (t - now) * look / LOOKS;
        clocks_put_all(clocks, look < LOOKS ? now + ahead : t);
        put_forces(clocks);
        trace_step(run->trace, MOTION_STEP_ORDER, ahead);
    }
    for (int i = 0; i < n; i++) {
        struct persistent_row *row = run->persistent->row[i];
        row->force = kept[2 * i];
        if (row->friction)
            row->friction->force = kept[2 * i + 1];
    }
}
