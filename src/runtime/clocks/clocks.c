/* SPDX-License-Identifier: MIT */
/* Parts of a model, their pieces and their next changes (clocks.h). */
#include "runtime/clocks/clocks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"

/* The piece of a block: one body of the plane. */
struct clock_block {
    uint32_t part;  /* the least block of its part */
    uint32_t first; /* of its entries of the state */
    double start[2 * IMP_STATE_PLANE]; /* state and low parts where the piece
                                          begins, and as they were put last */
    double put[2 * IMP_STATE_PLANE];
    bool brief; /* it is this motion, without series */
    struct motion_short motion;
    double *rows; /* else a copy of its series; room for them, or NULL */
};
/* By the least of its blocks: a part. */
struct clock_part {
    bool known;
    bool blind;    /* contacts of it are not asked now */
    double from;   /* its clock (s) */
    uint64_t mark; /* of what is held and watched of it, now; of what was when
                      the piece began: */
    uint64_t made;
    bool made_blind;
    struct mode_change change;        /* the next one, or the piece's end */
    const struct persistent_row *row; /* of change.which; NULL: none */
};
/* The work that friction does at a contact along a piece: a polynomial of the
 * time since it began. */
struct clock_work {
    bool on;
    uint32_t block; /* of the part */
    double base, c[MOTION_STEP_ORDER + 1];
};
struct clocks {
    struct rt *run;
    double end, now; /* of the run; when states were put last */
    struct clock_block *block;
    struct clock_part *part; /* per block */
    struct clock_work *work; /* per contact; NULL: nothing rubs */
    bool *asked;             /* per block */
};

/* Is there anything that acts on all bodies at once, or that is not followed by
 * pieces? */
static bool
goes_together(const struct rt *run)
{
    const imp_image *im = run->im;
    const imp_block *block = IMP_ARRAY(im, im->blocks, imp_block);
    if (im->dim != 2 || !motion_by_weight(run) || im->rotors.n || run->table ||
        run->switching || run->forks || run->joints)
        return true;
    for (uint32_t i = 0; i < im->blocks.n; i++)
        if (block[i].bodies.n != 1 || block[i].guard != IMP_NO_TAPE ||
            block[i].state.n != IMP_STATE_PLANE)
            return true;
    for (uint32_t i = 0; i < im->contacts.n; i++)
        if (rt_contact(run, i)->compliance != IMP_NO_TAPE ||
            rt_contact(run, i)->system != IMP_NO_SYSTEM)
            return true;
    return false;
}

struct clocks *
clocks_new(struct rt *run, double end)
{
    assert(run != NULL && isfinite(end));
    uint32_t n = run->im->blocks.n;
    if (n < CLOCKS_BODIES || goes_together(run))
        return NULL;
    struct clocks *clocks = NEW(run->arena, struct clocks);
    clocks->run = run;
    clocks->end = end;
    clocks->now = NAN;
    clocks->block = NEW_N(run->arena, struct clock_block, n);
    clocks->part = NEW_N(run->arena, struct clock_part, n);
    clocks->asked = NEW_N(run->arena, bool, n);
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    for (uint32_t i = 0; i < n; i++)
        clocks->block[i].first =
            rt_body(run, *IMP_ARRAY(run->im, block[i].bodies, uint32_t))
                ->env_state;
    return clocks;
}

/* -- parts ------------------------------------------------------------------
 */

static uint32_t
part_of(const struct clocks *clocks, uint32_t block)
{
    while (clocks->block[block].part != block)
        block = clocks->block[block].part;
    return block;
}

static void
join(struct clocks *clocks, uint32_t one, uint32_t two)
{
    one = part_of(clocks, one);
    two = part_of(clocks, two);
    clocks->block[one > two ? one : two].part = one > two ? two : one;
}

/* A block of a contact that moves, or IMP_NO_BLOCK. */
static uint32_t
block_of(const struct rt *run, uint32_t contact, int side)
{
    uint32_t body = rt_contact(run, contact)->body[side];
    return contact_point_body_moves(run, body) ? rt_body(run, body)->block
                                               : IMP_NO_BLOCK;
}

/* As splitmix64: no small h and x make 0. */
static uint64_t
mix(uint64_t h, uint64_t x)
{
    h = h * UINT64_C(0x9e3779b97f4a7c15) + x + 1;
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

static uint64_t
bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

/* What the search for changes reads of a contact that is watched. */
static uint64_t
mark_of_watched(const struct watched_contact *over)
{
    uint64_t h = mix(mix(1, over->faces.contact), (uint64_t)over->faces.n_base);
    for (int i = 0; i < 2; i++)
        h = mix(mix(h, (uint64_t)over->faces.base[i].face),
                (uint64_t)over->faces.base[i].face_of);
    for (int i = 0; i < over->n; i++)
        h = mix(mix(mix(h, over->released[i].at.face),
                    over->released[i].at.vertex),
                over->released[i].still);
    h = mix(mix(h, bits(over->time)), (uint64_t)over->n);
    return mix(h, bits(over->faces.high));
}

/* The part of a contact of which a body moves; else NULL. */
static struct clock_part *
part_of_contact(const struct clocks *clocks, uint32_t contact)
{
    uint32_t one = block_of(clocks->run, contact, 0);
    if (one == IMP_NO_BLOCK)
        one = block_of(clocks->run, contact, 1);
    return one == IMP_NO_BLOCK ? NULL
                               : clocks->part + clocks->block[one].part;
}

static void
mark_blind(struct clocks *clocks, const bool *blind, uint32_t contact)
{
    struct clock_part *part = part_of_contact(clocks, contact);
    if (!part || !blind[contact])
        return;
    part->blind = true;
    part->mark += mix(4, contact);
}

/* Which blocks belong together, and what is held and watched of each part. */
static void
find_parts(struct clocks *clocks, const bool *blind,
           const struct watched_contact *over, uint32_t n_over)
{
    struct rt *run = clocks->run;
    uint32_t n = run->im->blocks.n;
    const struct persistent_set *set = run->persistent;
    for (uint32_t i = 0; i < n; i++) {
        clocks->block[i].part = i;
        clocks->part[i].mark = 0;
        clocks->part[i].blind = false;
    }
    for (int i = 0; set && i < set->n; i++)
        for (uint32_t k = 1; k < set->group[i]->moved.n_block; k++)
            join(clocks, set->group[i]->moved.block[0],
                 set->group[i]->moved.block[k]);
    for (uint32_t i = 0; i < n_over; i++) {
        uint32_t one = block_of(run, over[i].faces.contact, 0),
                 two = block_of(run, over[i].faces.contact, 1);
        if (one != IMP_NO_BLOCK && two != IMP_NO_BLOCK)
            join(clocks, one, two);
    }
    /* roots are less than what they stand for */
    for (uint32_t i = 0; i < n; i++) {
        clocks->block[i].part = clocks->block[clocks->block[i].part].part;
        clocks->part[clocks->block[i].part].mark += mix(2, i);
    }
    for (int i = 0; set && i < set->n; i++)
        clocks->part[clocks->block[*set->group[i]->moved.block].part].mark +=
            mix(3, set->group[i]->born);
    for (int i = 0; blind && i < persistent_count(run); i++)
        mark_blind(clocks, blind, set->row[i]->spot.contact);
    for (uint32_t i = 0; i < n_over; i++) {
        struct clock_part *part =
            part_of_contact(clocks, over[i].faces.contact);
        if (part)
            part->mark += mark_of_watched(over + i);
        if (blind)
            mark_blind(clocks, blind, over[i].faces.contact);
    }
}

/* -- pieces -----------------------------------------------------------------
 */

static void
read_state(const struct rt *run, const struct clock_block *block, double *to)
{
    memcpy(to, run->env + block->first, IMP_STATE_PLANE * sizeof *to);
    memcpy(to + IMP_STATE_PLANE,
           run->state_lo + (block->first - run->im->layout.state),
           IMP_STATE_PLANE * sizeof *to);
}

static void
write_state(struct rt *run, const struct clock_block *block, const double *from)
{
    memcpy(run->env + block->first, from, IMP_STATE_PLANE * sizeof *from);
    memcpy(run->state_lo + (block->first - run->im->layout.state),
           from + IMP_STATE_PLANE, IMP_STATE_PLANE * sizeof *from);
}

/* The state at the time t in place of the present one. */
static void
put(struct clocks *clocks, uint32_t which, double t)
{
    struct rt *run = clocks->run;
    struct clock_block *block = clocks->block + which;
    const struct clock_part *part = clocks->part + block->part;
    assert(part->known && t >= part->from);
    write_state(run, block, block->start);
    if (t > part->from && block->brief) {
        motion_short_go(&block->motion, t - part->from,
                        run->env + run->im->layout.state, run->state_lo);
    } else if (t > part->from) {
        double *kept = run->rows.block[which];
        run->rows.block[which] = block->rows;
        motion_advance_block(run, which, part->change.order, t - part->from);
        run->rows.block[which] = kept;
    }
    read_state(run, block, block->put);
}

/* Does the block stand where its piece says? */
static bool
stands(struct clocks *clocks, uint32_t which)
{
    struct rt *run = clocks->run;
    struct clock_block *block = clocks->block + which;
    double now = rt_time(run), here[2 * IMP_STATE_PLANE];
    read_state(run, block, here);
    if (clocks->now != now)
        put(clocks, which, now);
    write_state(run, block, here);
    return !memcmp(here, block->put, sizeof here);
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
        for (int k = part->change.order; k >= 1; k--)
            sum = s * (sum + work->c[k]);
        run->env[rt_contact(run, i)->env_contact + IMP_CONTACT_WORK] =
            work->base + sum;
    }
}

/* Everything at the time t. */
static void
put_all(struct clocks *clocks, double t)
{
    struct rt *run = clocks->run;
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        put(clocks, i, t);
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
    size_t room = ((size_t)rt_tape(run, of->motion)->n_rows + 1) *
                  (size_t)IMP_ROW_STRIDE;
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
            part_of(clocks, group->moved.block[0]) != part)
            continue;
        if (!clocks->work)
            clocks->work = NEW_N(run->arena, struct clock_work, n);
        struct clock_work *work = clocks->work + row->spot.contact;
        if (!work->on)
            memset(work, 0, sizeof *work);
        work->on = true;
        work->block = part;
        work->base =
            run->env[rt_contact(run, row->spot.contact)->env_contact +
                     IMP_CONTACT_WORK];
        struct taylor power;
        taylor_mul(order - 1, &friction->force, &friction->slip, &power);
        for (int k = 0; k < order; k++)
            work->c[k + 1] += power.c[k] / (k + 1.0);
    }
}

/* A new piece of the part, from the present state on, to its next change. */
static int
renew(struct clocks *clocks, uint32_t which, const bool *blind,
      const struct watched_contact *over, uint32_t n_over)
{
    struct rt *run = clocks->run;
    struct clock_part *part = clocks->part + which;
    struct watched_contact *own =
        NEW_N(run->brief, struct watched_contact, (size_t)n_over + 1);
    uint32_t n_own = 0;
    double now = rt_time(run);
    for (uint32_t i = 0; i < n_over; i++)
        if (part_of_contact(clocks, over[i].faces.contact) == part)
            own[n_own++] = over[i];
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        clocks->asked[i] = clocks->block[i].part == which;
    part->known = false;
    motion_only(run, clocks->asked);
    int st =
        mode_change_next(run, clocks->end, blind, own, n_own, &part->change);
    double ahead = st ? 0.0 : persistent_read_ahead(run);
    motion_only(run, NULL);
    if (st)
        return st;
    if (now + ahead < part->change.time) {
        part->change.what = CHANGE_NONE;
        part->change.time = now + ahead;
    }
    part->row = part->change.what != CHANGE_NONE && part->change.which >= 0 &&
                        part->change.which < persistent_count(run)
                    ? run->persistent->row[part->change.which]
                    : NULL;
    part->from = now;
    part->made = part->mark;
    part->made_blind = part->blind;
    part->known = true;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        if (!clocks->asked[i])
            continue;
        read_state(run, clocks->block + i, clocks->block[i].start);
        memcpy(clocks->block[i].put, clocks->block[i].start,
               sizeof clocks->block[i].put);
        keep_rows(clocks, i, part->change.order);
    }
    keep_work(clocks, which, part->change.order);
    return IMP_OK;
}

/* -- the next change --------------------------------------------------------
 */

/* Handlers of these read series, which have to begin at the last event. */
static bool
is_read(const struct mode_change *change)
{
    return change->what == CHANGE_JAMS || change->what == CHANGE_FEATURE ||
           change->what == CHANGE_FACE_END;
}

/* Renews the parts that are not where their pieces say, or are others now. */
static int
renew_changed(struct clocks *clocks, const bool *blind,
              const struct watched_contact *over, uint32_t n_over)
{
    struct rt *run = clocks->run;
    uint32_t n = run->im->blocks.n;
    double now = rt_time(run);
    bool *good = NEW_N(run->brief, bool, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct clock_part *part = clocks->part + i;
        good[i] = part->known && part->made == part->mark &&
                  part->made_blind == part->blind && part->from <= now &&
                  part->change.time >= now;
    }
    for (uint32_t i = 0; i < n; i++)
        good[clocks->block[i].part] =
            good[clocks->block[i].part] && stands(clocks, i);
    int st = IMP_OK;
    for (uint32_t i = 0; i < n && !st; i++)
        if (clocks->block[i].part == i && !good[i])
            st = renew(clocks, i, blind, over, n_over);
    clocks->now = now;
    return st;
}

int
clocks_next(struct clocks *clocks, double until, const bool *blind,
            const struct watched_contact *over, uint32_t n_over,
            struct mode_change *out)
{
    assert(clocks != NULL && out != NULL && (over != NULL || n_over == 0));
    struct rt *run = clocks->run;
    find_parts(clocks, blind, over, n_over);
    int st = renew_changed(clocks, blind, over, n_over);
    if (st)
        return st;
    for (;;) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < run->im->blocks.n; i++)
            if (clocks->block[i].part == i &&
                clocks->part[i].change.time < clocks->part[best].change.time)
                best = i;
        const struct clock_part *part = clocks->part + best;
        *out = part->change;
        if (!(part->change.time <= until)) {
            out->what = CHANGE_NONE;
            out->time = until;
            return IMP_OK;
        }
        if (!is_read(out) || part->from == rt_time(run)) {
            for (int i = 0; part->row && i < persistent_count(run); i++)
                if (run->persistent->row[i] == part->row)
                    out->which = i;
            return IMP_OK;
        }
        if ((st = renew(clocks, best, blind, over, n_over)))
            return st;
    }
}

void
clocks_go(struct clocks *clocks, double t)
{
    assert(clocks != NULL && !clocks->run->trace);
    struct rt *run = clocks->run;
    double time;
    while (looks_next(run, t, &time)) {
        put_all(clocks, time);
        looks_keep(run);
    }
    put_all(clocks, t);
    for (int i = 0; run->persistent && i < run->persistent->n; i++) {
        struct persistent_group *group = run->persistent->group[i];
        struct clock_part *part =
            clocks->part + clocks->block[group->moved.block[0]].part;
        if (part->change.time <= t || part->blind)
            persistent_project_group(run, group);
    }
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        if (clocks->part[i].change.time <= t || clocks->part[i].blind)
            clocks->part[i].known = false;
}
