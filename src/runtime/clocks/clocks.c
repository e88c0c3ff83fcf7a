/* SPDX-License-Identifier: MIT */
/* Parts of a model, their pieces and their next changes (clocks.h). */
#include "runtime/clocks/clocks.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"

/* The piece of a block: one body. */
struct clock_block {
    uint32_t part;  /* the least block of its part */
    uint32_t first; /* of its entries of the state */
    double start[2 * IMP_STATE_SPACE]; /* state and low parts where the piece
                                          begins, and as they were put last */
    double put[2 * IMP_STATE_SPACE];
    double last[2 * IMP_STATE_SPACE]; /* where the search ended the piece */
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
    int order;                        /* of the series of its piece */
    bool closed; /* the search has ended the piece, where it has come to */
    double went; /* where its last piece ended without an event, or NAN (s) */
    double end;                       /* of the piece: of the change, or of */
    struct event event;               /* the event that comes before it, */
    struct event *more;               /* with these at the same time */
    uint32_t n_more, room_more;
    /* its contacts: the least of them, and how many are searched, now */
    uint32_t contact, n_searched;
};
/* The work that friction does at a contact along a piece: a polynomial of the
 * time since it began. */
struct clock_work {
    bool on;
    uint32_t block; /* of the part */
    double base, c[MOTION_STEP_ORDER + 1];
};
/* A contact: the blocks of its bodies that move, the next one of its part, and
 * what is known of its closest points where the piece of its part ends. */
struct clock_contact {
    uint32_t one, two, next;
    unsigned char warm;
    double u[8];
};
#define NONE UINT32_MAX
struct clocks {
    struct rt *run;
    bool off;        /* not any longer (leaps) */
    double end, now; /* of the run; when states were put last */
    struct clock_contact *contact;
    double *left; /* per contact: as event_of_part */
    struct event *found; /* what clocks_next has found, the first one first */
    uint32_t n_found;
    double reached; /* to where clocks_go came, or no number; contacts of parts
                       whose pieces ended there: */
    uint32_t *concerned, n_concerned;
    struct clock_block *block;
    struct clock_part *part; /* per block */
    struct clock_work *work; /* per contact; NULL: nothing rubs */
    bool *asked;             /* per block */
};

static size_t
state_size(const struct rt *run)
{
    return run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
}

/* Is there anything that acts on all bodies at once, or that is not followed by
 * pieces? */
static bool
goes_together(const struct rt *run)
{
    const imp_image *im = run->im;
    const imp_block *block = IMP_ARRAY(im, im->blocks, imp_block);
    if (!motion_by_weight(run) || im->rotors.n || run->table ||
        run->switching || run->forks || run->joints)
        return true;
    for (uint32_t i = 0; i < im->blocks.n; i++)
        if (block[i].bodies.n != 1 || block[i].guard != IMP_NO_TAPE ||
            block[i].state.n != state_size(run))
            return true;
    for (uint32_t i = 0; i < im->contacts.n; i++)
        if (rt_contact(run, i)->compliance != IMP_NO_TAPE ||
            rt_contact(run, i)->system != IMP_NO_SYSTEM ||
            rt_contact(run, i)->flags & IMP_CONTACTF_STATED)
            return true;
    return false;
}

/* A block of a contact that moves, or IMP_NO_BLOCK. */
static uint32_t
block_of(const struct rt *run, uint32_t contact, int side)
{
    uint32_t body = rt_contact(run, contact)->body[side];
    return contact_point_body_moves(run, body) ? rt_body(run, body)->block
                                               : IMP_NO_BLOCK;
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
        clocks->part[i].went = NAN;
    for (uint32_t i = 0; i < n; i++)
        clocks->block[i].first =
            rt_body(run, *IMP_ARRAY(run->im, block[i].bodies, uint32_t))
                ->env_state;
    uint32_t n_contact = run->im->contacts.n;
    clocks->contact = NEW_N(run->arena, struct clock_contact, n_contact + 1);
    clocks->left = NEW_N(run->arena, double, n_contact + 1);
    clocks->reached = NAN;
    clocks->concerned = NEW_N(run->arena, uint32_t, n_contact + 1);
    clocks->found = NEW_N(run->arena, struct event, n_contact + 1);
    for (uint32_t i = 0; i < n_contact; i++) {
        struct clock_contact *contact = clocks->contact + i;
        clocks->left[i] = INFINITY;
        contact->one = block_of(run, i, 0);
        contact->two = block_of(run, i, 1);
        if (contact->one == IMP_NO_BLOCK)
            contact->one = contact->two;
        if (contact->two == IMP_NO_BLOCK)
            contact->two = contact->one;
    }
    return clocks;
}

struct clocks *
clocks_on(struct clocks *clocks)
{
    return clocks && !clocks->off ? clocks : NULL;
}

void
clocks_touches(struct clocks *clocks, uint32_t contact)
{
    assert(!clocks || contact < clocks->run->im->contacts.n);
    if (clocks)
        clocks->left[contact] = INFINITY;
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
    uint32_t one = clocks->contact[contact].one;
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

static void
join_contact(struct clocks *clocks, uint32_t contact)
{
    const struct clock_contact *of = clocks->contact + contact;
    if (of->one != of->two)
        join(clocks, of->one, of->two);
}

/* Lists the contacts of each part, and how they are watched. */
static void
list_contacts(struct clocks *clocks, const enum event_watch *watch)
{
    for (uint32_t i = clocks->run->im->contacts.n; i-- > 0;) {
        struct clock_part *part = part_of_contact(clocks, i);
        if (!part)
            continue;
        clocks->contact[i].next = part->contact;
        part->contact = i;
        if (watch[i] == WATCH_OFF)
            continue;
        part->n_searched++;
        part->mark += mix(mix(5, i), watch[i]);
    }
}

/* Which blocks belong together, and what is held and watched of each part. */
static void
find_parts(struct clocks *clocks, const struct clocks_question *asked)
{
    struct rt *run = clocks->run;
    uint32_t n = run->im->blocks.n;
    const struct persistent_set *set = run->persistent;
    for (uint32_t i = 0; i < n; i++) {
        clocks->block[i].part = i;
        clocks->part[i].mark = 0;
        clocks->part[i].blind = false;
        clocks->part[i].contact = NONE;
        clocks->part[i].n_searched = 0;
    }
    for (int i = 0; set && i < set->n; i++)
        for (uint32_t k = 1; k < set->group[i]->moved.n_block; k++)
            join(clocks, set->group[i]->moved.block[0],
                 set->group[i]->moved.block[k]);
    for (uint32_t i = 0; i < asked->n_over; i++)
        join_contact(clocks, asked->over[i].faces.contact);
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        if (asked->watch[i] != WATCH_OFF)
            join_contact(clocks, i);
    /* roots are less than what they stand for */
    for (uint32_t i = 0; i < n; i++) {
        clocks->block[i].part = clocks->block[clocks->block[i].part].part;
        clocks->part[clocks->block[i].part].mark += mix(2, i);
    }
    for (int i = 0; set && i < set->n; i++)
        clocks->part[clocks->block[*set->group[i]->moved.block].part].mark +=
            mix(3, set->group[i]->born);
    for (int i = 0; asked->blind && i < persistent_count(run); i++)
        mark_blind(clocks, asked->blind, set->row[i]->spot.contact);
    for (uint32_t i = 0; i < asked->n_over; i++) {
        const struct watched_contact *over = asked->over + i;
        struct clock_part *part = part_of_contact(clocks, over->faces.contact);
        if (part)
            part->mark += mark_of_watched(over);
        if (asked->blind)
            mark_blind(clocks, asked->blind, over->faces.contact);
    }
    list_contacts(clocks, asked->watch);
}

/* -- pieces -----------------------------------------------------------------
 */

static void
read_state(const struct rt *run, const struct clock_block *block, double *to)
{
    size_t n = state_size(run);
    memcpy(to, run->env + block->first, n * sizeof *to);
    memcpy(to + n, run->state_lo + (block->first - run->im->layout.state),
           n * sizeof *to);
}

static void
write_state(struct rt *run, const struct clock_block *block, const double *from)
{
    size_t n = state_size(run);
    memcpy(run->env + block->first, from, n * sizeof *from);
    memcpy(run->state_lo + (block->first - run->im->layout.state), from + n,
           n * sizeof *from);
}

/* The state at the time t in place of the present one. */
static void
put(struct clocks *clocks, uint32_t which, double t)
{
    struct rt *run = clocks->run;
    struct clock_block *block = clocks->block + which;
    const struct clock_part *part = clocks->part + block->part;
    assert(part->known && t >= part->from);
    if (part->closed && t == part->end) {
        write_state(run, block, block->last);
        memcpy(block->put, block->last, sizeof block->put);
        return;
    }
    write_state(run, block, block->start);
    if (t > part->from && block->brief) {
        motion_short_go(&block->motion, t - part->from,
                        run->env + run->im->layout.state, run->state_lo);
    } else if (t > part->from) {
        double *kept = run->rows.block[which];
        run->rows.block[which] = block->rows;
        motion_advance_block(run, which, part->order, t - part->from);
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
    double now = rt_time(run), here[2 * IMP_STATE_SPACE];
    read_state(run, block, here);
    if (clocks->now != now)
        put(clocks, which, now);
    write_state(run, block, here);
    return !memcmp(here, block->put, 2 * state_size(run) * sizeof *here);
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

/* The next change of what is held and watched point by point in the part that
 * clocks->asked lists, or where its series have to begin anew. */
static int
look_for_change(struct clocks *clocks, uint32_t which,
                const struct clocks_question *asked, struct mode_change *change)
{
    struct rt *run = clocks->run;
    const struct clock_part *part = clocks->part + which;
    struct watched_contact *own =
        NEW_N(run->brief, struct watched_contact, (size_t)asked->n_over + 1);
    uint32_t n_own = 0;
    for (uint32_t i = 0; i < asked->n_over; i++)
        if (part_of_contact(clocks, asked->over[i].faces.contact) == part)
            own[n_own++] = asked->over[i];
    int st = mode_change_next(run, clocks->end, asked->blind, own, n_own,
                              change);
    if (st)
        return st;
    double ahead = rt_time(run) + persistent_read_ahead(run);
    if (ahead < change->time) {
        change->what = CHANGE_NONE;
        change->time = ahead;
    }
    return IMP_OK;
}

/* Keeps the piece that begins at the present state, along the series that have
 * been made. */
static void
keep_piece(struct clocks *clocks, uint32_t which)
{
    struct rt *run = clocks->run;
    const struct clock_part *part = clocks->part + which;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        struct clock_block *block = clocks->block + i;
        if (!clocks->asked[i])
            continue;
        read_state(run, block, block->start);
        memcpy(block->put, block->start, sizeof block->put);
        keep_rows(clocks, i, part->order);
    }
    keep_work(clocks, which, part->order);
}

/* Handlers of these read series, which have to begin at the last event. */
static bool
is_read(const struct mode_change *change)
{
    return change->what == CHANGE_JAMS || change->what == CHANGE_FEATURE ||
           change->what == CHANGE_FACE_END;
}

/* The search for events at the contacts of the part goes on from where it has
 * come to, whoever has looked at them meanwhile. */
static void
find_again(struct clocks *clocks, const struct clock_part *part)
{
    struct rt *run = clocks->run;
    for (uint32_t i = part->contact; i != NONE; i = clocks->contact[i].next) {
        const struct clock_contact *contact = clocks->contact + i;
        run->closest.warm[i] = contact->warm;
        memcpy(run->closest.unknowns + 8 * (size_t)i, contact->u,
               sizeof contact->u);
    }
}

/* The next event of the part before its piece ends, which ends with the first
 * step of this search. The state stays as it is. */
static int
look_for_event(struct clocks *clocks, uint32_t which,
               const enum event_watch *watch)
{
    struct rt *run = clocks->run;
    struct clock_part *part = clocks->part + which;
    double now = rt_time(run);
    uint32_t *list = NEW_N(run->brief, uint32_t, run->im->contacts.n + 1),
             n = 0;
    double *work = NEW_N(run->brief, double, run->im->contacts.n + 1);
    for (uint32_t i = part->contact; i != NONE; i = clocks->contact[i].next) {
        work[n] = run->env[rt_contact(run, i)->env_contact + IMP_CONTACT_WORK];
        list[n++] = i;
    }
    if (part->room_more < n) {
        part->room_more = n;
        part->more = NEW_N(run->arena, struct event, n);
    }
    if (part->went == now)
        find_again(clocks, part);
    int st = event_of_part(run, list, n, watch, clocks->left, part->end,
                           &part->event, part->more, &part->n_more);
    part->closed = !st && part->event.kind != EVENT_EXCLUDED;
    if (!st && part->event.kind == EVENT_EXCLUDED)
        part->event.kind = EVENT_NONE;
    else if (!st)
        part->end = fmin(part->end, rt_time(run));
    for (uint32_t i = 0; i < n; i++) {
        run->env[rt_contact(run, list[i])->env_contact + IMP_CONTACT_WORK] =
            work[i];
        struct clock_contact *contact = clocks->contact + list[i];
        contact->warm = run->closest.warm[list[i]];
        memcpy(contact->u, run->closest.unknowns + 8 * (size_t)list[i],
               sizeof contact->u);
    }
    for (uint32_t i = 0; i < run->im->blocks.n; i++)
        if (clocks->asked[i]) {
            read_state(run, clocks->block + i, clocks->block[i].last);
            write_state(run, clocks->block + i, clocks->block[i].start);
        }
    run->env[run->im->layout.time] = now;
    return st;
}

/* Are forces of the part taken as impulses where the step ends that has been
 * made (constraint_projection.c), along what its groups know of its beginning?
 */
static bool
leaps(const struct clocks *clocks)
{
    const struct persistent_set *set = clocks->run->persistent;
    for (int i = 0; set && i < set->n; i++)
        if (set->group[i]->leaps && clocks->asked[*set->group[i]->moved.block])
            return true;
    return false;
}

/* A new piece of the part, from the present state on, to its next change or
 * event. */
static int
renew(struct clocks *clocks, uint32_t which,
      const struct clocks_question *asked)
{
    struct rt *run = clocks->run;
    struct clock_part *part = clocks->part + which;
    double step;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        clocks->asked[i] = clocks->block[i].part == which;
        if (clocks->asked[i]) /* parts that it has taken in, too */
            clocks->part[i].known = false;
    }
    part->event.kind = EVENT_NONE;
    part->closed = false;
    motion_only(run, clocks->asked);
    struct mode_change *change = &part->change;
    int st = look_for_change(clocks, which, asked, change);
    part->row = change->what != CHANGE_NONE && change->which >= 0 &&
                        change->which < persistent_count(run)
                    ? run->persistent->row[change->which]
                    : NULL;
    part->order = change->order;
    part->end = change->time;
    clocks->off = leaps(clocks);
    if (clocks->off) {
        motion_only(run, NULL);
        return st;
    }
    if (!st && part->n_searched && part->end > rt_time(run)) {
        motion_stands(run, true); /* to the search, too */
        part->order = MOTION_STEP_ORDER;
        st = motion_series_all(run, part->order, &step);
        part->end = fmin(part->end, rt_time(run) + step);
        if (!st)
            keep_piece(clocks, which);
        if (!st)
            st = look_for_event(clocks, which, asked->watch);
        motion_stands(run, false);
        struct mode_change last = part->change;
        if (!st && is_read(&last))
            st = look_for_change(clocks, which, asked, &last);
    } else if (!st) {
        keep_piece(clocks, which);
    }
    motion_only(run, NULL);
    part->from = rt_time(run);
    part->made = part->mark;
    part->made_blind = part->blind;
    part->known = !st;
    return st;
}

/* -- the next change --------------------------------------------------------
 */

/* Renews the parts that are not where their pieces say, or are others now. */
static int
renew_changed(struct clocks *clocks, const struct clocks_question *asked)
{
    struct rt *run = clocks->run;
    uint32_t n = run->im->blocks.n;
    double now = rt_time(run);
    bool *good = NEW_N(run->brief, bool, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct clock_part *part = clocks->part + i;
        good[i] = part->known && part->made == part->mark &&
                  part->made_blind == part->blind && part->from <= now &&
                  part->end >= now;
    }
    for (uint32_t i = 0; i < n; i++)
        good[clocks->block[i].part] =
            good[clocks->block[i].part] && stands(clocks, i);
    int st = IMP_OK;
    for (uint32_t i = 0; i < n && !st; i++)
        if (clocks->block[i].part == i && !good[i] && !clocks->off)
            st = renew(clocks, i, asked);
    clocks->now = now;
    return st;
}

/* The part whose piece ends first; that of an event before that of a change at
 * the same time. */
static uint32_t
first_part(const struct clocks *clocks)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < clocks->run->im->blocks.n; i++) {
        const struct clock_part *part = clocks->part + i,
                                *first = clocks->part + best;
        if (clocks->block[i].part == i &&
            (part->end < first->end ||
             (part->end == first->end && part->event.kind != EVENT_NONE &&
              first->event.kind == EVENT_NONE)))
            best = i;
    }
    return best;
}

/* Events of all parts that come with this one, to the rounding of the time. */
static void
gather_events(struct clocks *clocks, const struct clock_part *first)
{
    double t = first->end, low = 4.0 * DBL_EPSILON * fabs(t);
    clocks->found[0] = first->event;
    clocks->n_found = 1;
    for (uint32_t i = 0; i < clocks->run->im->blocks.n; i++) {
        struct clock_part *part = clocks->part + i;
        if (clocks->block[i].part != i || part->event.kind == EVENT_NONE ||
            part->end > t + low)
            continue;
        part->closed &= part->end == t;
        part->end = t;
        if (part != first)
            clocks->found[clocks->n_found++] = part->event;
        for (uint32_t k = 0; k < part->n_more; k++)
            clocks->found[clocks->n_found++] = part->more[k];
    }
    for (uint32_t i = 0; i < clocks->n_found; i++)
        clocks->found[i].time = t;
}

int
clocks_next(struct clocks *clocks, double until,
            const struct clocks_question *asked, struct mode_change *out)
{
    assert(clocks != NULL && out != NULL && asked->watch != NULL);
    assert(asked->over != NULL || asked->n_over == 0);
    struct rt *run = clocks->run;
    find_parts(clocks, asked);
    clocks->n_found = 0;
    clocks->reached = NAN;
    int st = renew_changed(clocks, asked);
    while (!st && !clocks->off) {
        uint32_t best = first_part(clocks);
        const struct clock_part *part = clocks->part + best;
        bool event = part->event.kind != EVENT_NONE;
        *out = part->change;
        out->time = part->end;
        if (event || !(part->end <= until) ||
            part->end < part->change.time)
            out->what = CHANGE_NONE;
        if (!(part->end <= until)) {
            out->time = until;
            return IMP_OK;
        }
        if (event)
            gather_events(clocks, part);
        if (!is_read(out) || part->from == rt_time(run)) {
            for (int i = 0; part->row && i < persistent_count(run); i++)
                if (run->persistent->row[i] == part->row)
                    out->which = i;
            return IMP_OK;
        }
        st = renew(clocks, best, asked);
    }
    *out = (struct mode_change){.what = CHANGE_NONE, .time = rt_time(run)};
    return st;
}

void
clocks_found(const struct clocks *clocks, struct event *out, struct event *more,
             uint32_t *n_more)
{
    assert(clocks != NULL && out != NULL && more != NULL && n_more != NULL);
    *n_more = 0;
    if (clocks->n_found == 0)
        return;
    *out = clocks->found[0];
    *n_more = clocks->n_found - 1;
    memcpy(more, clocks->found + 1, *n_more * sizeof *more);
}

void
clocks_go(struct clocks *clocks, double t)
{
    assert(clocks != NULL && !clocks->run->trace);
    struct rt *run = clocks->run;
    double time;
    if (clocks->off)
        return;
    while (looks_next(run, t, &time)) {
        put_all(clocks, time);
        looks_keep(run);
    }
    put_all(clocks, t);
    for (int i = 0; run->persistent && i < run->persistent->n; i++) {
        struct persistent_group *group = run->persistent->group[i];
        struct clock_part *part =
            clocks->part + clocks->block[group->moved.block[0]].part;
        if ((part->end > t && !part->blind) ||
            (part->closed && part->end == t))
            continue; /* the search has done so */
        persistent_project_group(run, group);
    }
    clocks->reached = t;
    clocks->n_concerned = 0;
    for (uint32_t i = 0; i < run->im->blocks.n; i++) {
        struct clock_part *part = clocks->part + i;
        if (clocks->block[i].part != i || (part->end > t && !part->blind))
            continue;
        part->known = false;
        bool ends = part->n_searched && part->end == t;
        part->went = ends && part->event.kind == EVENT_NONE ? t : NAN;
        if (ends)
            find_again(clocks, part);
        for (uint32_t k = part->contact; k != NONE;
             k = clocks->contact[k].next)
            clocks->concerned[clocks->n_concerned++] = k;
    }
}

uint32_t
clocks_concerned(const struct clocks *clocks, const uint32_t **list)
{
    assert(clocks != NULL && list != NULL);
    bool here = clocks->reached == rt_time(clocks->run);
    *list = here ? clocks->concerned : NULL;
    return here ? clocks->n_concerned : clocks->run->im->contacts.n;
}
