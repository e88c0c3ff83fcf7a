/* SPDX-License-Identifier: MIT */
/* Which points are held (persistent.h), in groups that do not feel each other
 * because they move bodies of different blocks. Bodies of one block have
 * joints or forces between them; where only forces connect them, groups are
 * larger than they need be. Groups come and go as a whole, and their memory is
 * used again. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"

/* coefficients of directions and gaps below this many rounding errors are 0 */
#define STEADY_ROUNDING 64.0
/* Levers of forces may be so many times shorter than bodies are large. */
#define STEADY_LEVER 8.0

/* room for rows in a new group */
#define ROOM 8

static double *
rows_for(struct rt *run, size_t n)
{
    return NEW_N(run->own, double, (n + 1) * IMP_ROW_STRIDE);
}

struct persistent_set *
persistent_set_of(struct rt *run)
{
    struct persistent_set *set = run->persistent_memory;
    size_t nb = run->im->blocks.n + (size_t)1;
    if (set)
        return set;
    set = run->persistent_memory = NEW(run->own, struct persistent_set);
    set->until.lasts = NAN;
    set->group = NEW_N(run->own, struct persistent_group *, nb);
    set->spare = NEW_N(run->own, struct persistent_group *, nb);
    set->of = NEW_N(run->own, struct persistent_group *, nb);
    set->change = NEW_N(run->own, double, 6 * (size_t)run->im->bodies.n + 1);
    set->place = NEW_N(run->own, uint32_t, run->im->bodies.n + 1);
    set->simple = NEW_N(run->own, unsigned char, nb);
    set->push = NEW_N(run->own, double *, nb);
    set->driven = NEW_N(run->own, double *, nb);
    set->own = NEW_N(run->own, double *, nb);
    return set;
}

static struct persistent_group *
group_new(struct rt *run)
{
    return NEW(run->own, struct persistent_group);
}

static void
room_for(struct rt *run, struct persistent_group *group, int n)
{
    if (n <= group->room)
        return;
    size_t room = group->room ? (size_t)group->room : ROOM;
    while (room < (size_t)n)
        room *= 2;
    group->room = (int)room;
    group->row = NEW_N(run->own, struct persistent_row, room);
    /* in the plane a point may have a tangential unknown, too */
    room *= run->im->dim == 2 ? 2 : 1;
    group->unknown = NEW_N(run->own, struct persistent_unknown, room);
    group->delassus.G = NEW_N(run->own, double,
                              4 * room * room + 9 * room +
                                  least_square_room((int)room, (int)room));
    group->delassus.U = group->delassus.G + room * room;
    group->delassus.V = group->delassus.U + room * room;
    group->delassus.s = group->delassus.V + room * room;
    group->delassus.of = group->delassus.s + room;
    group->delassus.n_of = 0;
    group->scratch.a = group->delassus.of + room * room;
    group->scratch.b = group->scratch.a + room;
    group->scratch.c = group->scratch.b + room;
    group->scratch.x = group->scratch.c + room;
    group->scratch.near = group->scratch.x + room;
    group->scratch.work = group->scratch.near + room;
    group->delassus.room = group->scratch.work + 3 * room;
}

/* Appends a number to a list, and doubles its room where that is too small. */
static void
append(struct rt *run, uint32_t **list, uint32_t *n, uint32_t *room,
       uint32_t number)
{
    if (*n == *room) {
        uint32_t *old = *list;
        *room = *room ? 2 * *room : ROOM;
        *list = NEW_N(run->own, uint32_t, *room);
        if (old)
            memcpy(*list, old, *n * sizeof *old);
    }
    (*list)[(*n)++] = number;
}

static void
enter_block(struct rt *run, struct persistent_group *group, uint32_t index)
{
    const imp_block *block = persistent_block(run, index);
    const uint32_t *in = IMP_ARRAY(run->im, block->bodies, uint32_t);
    struct persistent_set *set = run->persistent_memory;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        if (group->moved.block[i] == index)
            return;
    struct persistent_blocks *moved = &group->moved;
    append(run, &moved->block, &moved->n_block, &moved->block_room, index);
    for (uint32_t i = 0; i < block->bodies.n; i++)
        if (contact_point_body_moves(run, in[i]))
            append(run, &moved->body, &moved->n_body, &moved->body_room, in[i]);
    if (set->push[index])
        return;
    set->push[index] =
        rows_for(run, (size_t)persistent_per_body(run) * block->bodies.n);
    set->driven[index] =
        rows_for(run, persistent_tape(run, block->driven)->n_rows);
    set->own[index] =
        rows_for(run, persistent_tape(run, block->motion)->n_rows);
}

static void
fill(struct rt *run, struct persistent_group *group,
     const struct contact_point *spot, int n)
{
    room_for(run, group, n);
    group->n = group->n_on = n;
    group->moved.n_block = group->moved.n_body = 0;
    group->known = group->n_poses = group->kept_order = 0;
    group->steady = true;
    group->born = ++run->persistent_memory->births;
    group->drifts = group->brief.time = NAN;
    group->friction = group->varies = group->yields = group->rubs = false;
    for (int i = 0; i < n; i++) {
        const imp_contact *image_contact = rt_contact(run, spot[i].contact);
        group->row[i].spot = spot[i];
        group->row[i].on = true;
        group->row[i].balls = false; /* until its gap is made by a ball's */
        group->row[i].guess = group->row[i].drift = 0.0;
        group->row[i].valid = group->row[i].end =
            INFINITY; /* a row that does not push has no series */
        persistent_friction_read(run, &group->row[i],
                                 group == run->persistent_memory->look);
        group->friction |= group->row[i].friction != NULL;
        persistent_soft_read(run, &group->row[i]);
        group->yields |= group->row[i].soft != CONTACT_RIGID;
        group->varies |=
            group->row[i].friction && group->row[i].friction->varies;
        for (int e = 0; e < 2; e++)
            if (contact_point_body_moves(run, image_contact->body[e]))
                enter_block(run, group,
                            rt_body(run, image_contact->body[e])->block);
    }
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        group->rubs |= persistent_block(run, group->moved.block[i])->n_rub > 0;
    group->steady &= !group->yields;
}

struct persistent_group *
persistent_look_at(struct rt *run, const struct contact_point *spot, int n)
{
    assert(run != NULL && spot != NULL && n > 0);
    struct persistent_set *set = persistent_set_of(run);
    if (!set->look)
        set->look = group_new(run);
    fill(run, set->look, spot, n);
    for (int i = 0; i < n; i++)
        if (set->look->row[i].friction)
            set->look->row[i].friction->looked = true;
    return set->look;
}

/* Lists the rows of all groups, one group after another. */
static void
list(struct rt *run)
{
    struct persistent_set *set = run->persistent_memory;
    int n = 0;
    for (int i = 0; i < set->n; i++)
        n += set->group[i]->n;
    if (n > set->room) {
        set->room = 2 * n;
        set->row = NEW_N(run->own, struct persistent_row *, (size_t)set->room);
    }
    set->n_row = 0;
    for (int i = 0; i < set->n; i++)
        for (int k = 0; k < set->group[i]->n; k++)
            set->row[set->n_row++] = &set->group[i]->row[k];
    run->persistent = set->n ? set : NULL;
}

struct persistent_group *
persistent_hold(struct rt *run, const struct contact_point *spot, int n)
{
    assert(run != NULL && spot != NULL && n > 0);
    struct persistent_set *set = persistent_set_of(run);
    struct persistent_group *group =
        set->n_spare ? set->spare[--set->n_spare] : group_new(run);
    fill(run, group, spot, n);
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        set->of[group->moved.block[i]] = group;
    set->group[set->n++] = group;
    list(run);
    return group;
}

/* -- what ends ------------------------------------------------------------- */

/* Puts rows that a free motion does not write (constants, lines) back to 0. */
static void
free_group(struct rt *run, struct persistent_group *group)
{
    struct persistent_set *set = run->persistent_memory;
    for (uint32_t i = 0; i < group->moved.n_block; i++) {
        uint32_t block = group->moved.block[i];
        memset(run->rows.block[block], 0,
               sizeof(double) * IMP_ROW_STRIDE *
                   persistent_tape(run, persistent_block(run, block)->motion)
                       ->n_rows);
        set->of[block] = NULL;
    }
    set->spare[set->n_spare++] = group;
}

static bool
marked(const struct persistent_group *group, const bool *block)
{
    bool any = block == NULL;
    for (uint32_t i = 0; i < group->moved.n_block && !any; i++)
        any = block[group->moved.block[i]];
    return any;
}

void
persistent_release(struct rt *run, const bool *block)
{
    assert(run);
    struct persistent_set *set = run->persistent,
                          *memory = run->persistent_memory;
    int n = 0;
    if (!block && memory) { /* nor is anything remembered of an instant */
        memory->until.n = 0;
        memory->until.lasts = NAN;
        for (uint32_t i = 0; memory->stuck && i < rt_contact_room(run); i++)
            memory->stuck[i].time = NAN;
    }
    if (!set)
        return;
    for (int i = 0; i < set->n; i++)
        if (marked(set->group[i], block))
            free_group(run, set->group[i]);
        else
            set->group[n++] = set->group[i];
    set->n = n;
    list(run);
}

/* -- series that stand ----------------------------------------------------- */

void
persistent_keeps(const struct rt *run, struct persistent_group *group,
                 int order)
{
    group->kept_order = order;
    group->kept_time = rt_time(run);
    group->kept_touched = group->touched;
}

bool
persistent_kept(const struct rt *run, const struct persistent_group *group,
                int order)
{
    if (group->kept_order < order || group->kept_order == 0 ||
        group->kept_time != rt_time(run) ||
        group->kept_touched != group->touched)
        return false;
    for (uint32_t i = 0; i < group->moved.n_block; i++) {
        const imp_block *block = persistent_block(run, group->moved.block[i]);
        const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t),
                       *row = IMP_ARRAY(run->im, block->rows, uint32_t);
        const double *rows = run->rows.block[group->moved.block[i]];
        for (uint32_t k = 0; k < block->state.n; k++)
            if (rows[(size_t)row[k] * IMP_ROW_STRIDE + IMP_ROW_PAD] !=
                run->env[state[k]])
                return false;
    }
    return true;
}

bool
persistent_points_kept(const struct rt *run,
                       const struct persistent_group *group, int order)
{
    assert(group != NULL && order > 0);
    return group->friction && group->kept_order == order &&
           persistent_corners_only(group) && persistent_kept(run, group, order);
}

/* Sets the coefficients of a row above this order to 0. */
static void
cut_row(double *rows, uint32_t row, int order)
{
    double *c = rows + (size_t)row * IMP_ROW_STRIDE + IMP_ROW_PAD;
    memset(c + order + 1, 0,
           sizeof *c * (size_t)(IMP_ROW_STRIDE - IMP_ROW_PAD - order - 1));
}

void
persistent_cut(struct rt *run, struct persistent_group *group, int order)
{
    for (uint32_t i = 0; i < group->moved.n_block; i++) {
        const imp_block *block = persistent_block(run, group->moved.block[i]);
        const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t),
                       *in = IMP_ARRAY(run->im, block->bodies, uint32_t);
        double *rows = run->rows.block[group->moved.block[i]];
        for (uint32_t k = 0; k < block->state.n; k++)
            cut_row(rows, row[k], order);
        for (uint32_t k = 0; k < block->bodies.n && run->im->dim == 2; k++)
            for (int j = 2; j < 4; j++)
                if (rt_body(run, in[k])->pose[j] != IMP_NO_ROW)
                    cut_row(rows, rt_body(run, in[k])->pose[j], order);
    }
    for (int i = 0; i < group->n && group->friction; i++) {
        struct persistent_friction *friction = group->row[i].friction;
        size_t bytes = sizeof(double) * (size_t)(IMP_ORDER_MAX - order);
        if (!friction)
            continue;
        memset(friction->slip.c + order + 1, 0, bytes);
        memset(friction->force.c + order + 1, 0, bytes);
    }
}

/* -- an attempt ------------------------------------------------------------ */

/* points of one group, those that push first */
struct held_group {
    int n, n_on;
    bool steady;
    struct contact_point *spot;
};
struct persistent_held {
    int n;
    struct held_group *group;
    const bool *block; /* on these */
};

struct persistent_held *
persistent_held_now(struct rt *run, const bool *block)
{
    assert(run != NULL && block != NULL);
    const struct persistent_set *set = run->persistent;
    struct persistent_held *held = NEW(run->brief, struct persistent_held);
    int n = set ? set->n : 0;
    held->block = block;
    held->group = NEW_N(run->brief, struct held_group, (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        const struct persistent_group *group = set->group[i];
        if (!marked(group, block))
            continue;
        assert(!group->friction);
        struct held_group *to = &held->group[held->n++];
        *to = (struct held_group){group->n, group->n_on, group->steady, NULL};
        to->spot =
            NEW_N(run->brief, struct contact_point, (size_t)group->n + 1);
        for (int k = 0; k < group->n; k++)
            to->spot[k] = group->row[k].spot;
    }
    return held;
}

int
persistent_hold_again(struct rt *run, const struct persistent_held *held)
{
    assert(run != NULL && held != NULL);
    int st = IMP_OK;
    persistent_release(run, held->block);
    for (int i = 0; i < held->n && !st; i++) {
        const struct held_group *from = &held->group[i];
        struct persistent_group *group =
            persistent_hold(run, from->spot, from->n);
        group->n_on = from->n_on;
        for (int k = from->n_on; k < from->n; k++)
            group->row[k].on = false;
        st = persistent_orders(run, group, 0, 2, UINT32_MAX);
        group->steady = from->steady;
    }
    return st;
}

/* -- who is held -----------------------------------------------------------
 */

bool
persistent_mark(const struct rt *run, uint32_t contact, bool *block)
{
    assert(block != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    bool new = false;
    for (int e = 0; e < 2; e++) {
        if (!contact_point_body_moves(run, image_contact->body[e]))
            continue;
        uint32_t b = rt_body(run, image_contact->body[e])->block;
        new |= !block[b];
        block[b] = true;
    }
    for (int i = 0; run->persistent && i < run->persistent->n; i++) {
        const struct persistent_group *group = run->persistent->group[i];
        bool in = marked(group, block);
        for (uint32_t j = 0; in && j < group->moved.n_block; j++)
            block[group->moved.block[j]] = true;
    }
    return new;
}

bool
persistent_marked(const struct rt *run, uint32_t contact, const bool *block)
{
    assert(contact < run->im->contacts.n && block != NULL);
    const imp_contact *image_contact = rt_contact(run, contact);
    for (int e = 0; e < 2; e++)
        if (contact_point_body_moves(run, image_contact->body[e]) &&
            block[rt_body(run, image_contact->body[e])->block])
            return true;
    return false;
}

struct persistent_group *
persistent_group_of(const struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    for (int e = 0; e < 2 && run->persistent; e++) {
        if (!contact_point_body_moves(run, image_contact->body[e]))
            continue;
        struct persistent_group *group =
            run->persistent->of[rt_body(run, image_contact->body[e])->block];
        if (group)
            return group;
    }
    return NULL;
}

bool
persistent_near_held(const struct rt *run, uint32_t contact)
{
    return persistent_group_of(run, contact) != NULL;
}

bool
persistent_holds(const struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    const struct persistent_group *group = persistent_group_of(run, contact);
    for (int i = 0; group && i < group->n; i++)
        if (group->row[i].spot.contact == contact)
            return true;
    return false;
}

bool
persistent_moves(const struct rt *run, uint32_t block)
{
    assert(run);
    return run->persistent && run->persistent->of[block];
}

int
persistent_count(const struct rt *run)
{
    assert(run);
    return run->persistent ? run->persistent->n_row : 0;
}

const struct contact_point *
persistent_point(const struct rt *run, int i, bool *on, double *force)
{
    assert(i >= 0 && i < persistent_count(run));
    const struct persistent_row *row = run->persistent->row[i];
    if (on)
        *on = row->on;
    if (force)
        *force = row->force.c[0];
    return &row->spot;
}

void
persistent_force(const struct rt *run, int i, int order, double ahead,
                 double force[2])
{
    assert(i >= 0 && i < persistent_count(run) && order >= 1 && force);
    const struct persistent_row *row = run->persistent->row[i];
    force[0] = row->on ? taylor_at(order - 1, &row->force, ahead) : 0.0;
    force[1] = row->on && row->friction
                   ? taylor_at(order - 1, &row->friction->force, ahead)
                   : 0.0;
}

bool
persistent_corners_only(const struct persistent_group *group)
{
    assert(group != NULL);
    bool all = true;
    for (int i = 0; i < group->n; i++)
        all &= group->row[i].spot.kind == POINT_VERTEX ||
               group->row[i].spot.kind == POINT_EDGES ||
               group->row[i].spot.kind == POINT_CORNERS;
    return all;
}

bool
persistent_polytopes(const struct rt *run)
{
    bool all = true;
    for (int i = 0; run->persistent && i < run->persistent->n_row; i++)
        all &= run->persistent->row[i]->spot.kind != POINT_SURFACE &&
               run->persistent->row[i]->spot.kind != POINT_SMOOTH;
    return all;
}

/* Returns for each block the least block that points connect it to. */
static uint32_t *
connected(struct rt *run, const struct contact_point *spot, int n)
{
    uint32_t nb = run->im->blocks.n,
             *root = NEW_N(run->brief, uint32_t, nb + 1);
    for (uint32_t block = 0; block < nb; block++)
        root[block] = block;
    for (int i = 0; i < n; i++) {
        const imp_contact *image_contact = rt_contact(run, spot[i].contact);
        if (!contact_point_body_moves(run, image_contact->body[0]) ||
            !contact_point_body_moves(run, image_contact->body[1]))
            continue;
        uint32_t a = root[rt_body(run, image_contact->body[0])->block],
                 block = root[rt_body(run, image_contact->body[1])->block];
        for (uint32_t j = 0; a != block && j < nb; j++)
            if (root[j] == (a < block ? block : a))
                root[j] = a < block ? a : block;
    }
    return root;
}

int
persistent_split(struct rt *run, struct contact_point *spot, int count,
                 int *end)
{
    assert(count >= 0 && end != NULL);
    const uint32_t *root = connected(run, spot, count);
    size_t m = (size_t)count + 1;
    struct contact_point *all = NEW_N(run->brief, struct contact_point, m);
    uint32_t *of = NEW_N(run->brief, uint32_t, m);
    bool *taken = NEW_N(run->brief, bool, m);
    int groups = 0, placed = 0;
    if (count)
        memcpy(all, spot, sizeof *all * (size_t)count);
    for (int i = 0; i < count; i++) {
        const imp_contact *c = rt_contact(run, all[i].contact);
        uint32_t body =
            c->body[contact_point_body_moves(run, c->body[0]) ? 0 : 1];
        of[i] = contact_point_body_moves(run, body)
                    ? root[rt_body(run, body)->block]
                    : UINT32_MAX;
    }
    for (int i = 0; i < count; i++) {
        if (taken[i])
            continue;
        for (int j = i; j < count; j++)
            if (of[j] == of[i]) {
                taken[j] = true;
                spot[placed++] = all[j];
            }
        end[groups++] = placed;
    }
    return groups;
}

/* -- bodies under forces ---------------------------------------------------
 */

void
persistent_push_lower(const struct rt *run,
                      const struct persistent_unknown *unknown, int side,
                      int term, double *p)
{
    assert(run && unknown && p && term >= 0 && term < IMP_ORDER_MAX);
    uint32_t body = rt_contact(run, unknown->row->spot.contact)->body[side],
             n = persistent_per_body(run);
    const struct taylor *push = unknown->push[side];
    double sum[6], f[6], a[6];
    for (uint32_t i = 0; i < n; i++)
        sum[i] = p[(size_t)i * IMP_ROW_STRIDE + (size_t)term];
    for (int j = 1; j <= term; j++) {
        double factor = unknown->force->c[term - j];
        if (factor == 0.0)
            continue;
        for (int i = 0; i < 6; i++)
            f[i] = push[i].c[j];
        persistent_by_mass(run, body, f, a);
        for (uint32_t i = 0; i < n; i++)
            sum[i] += factor * a[persistent_entry(run, i)];
    }
    for (uint32_t i = 0; i < n; i++)
        p[(size_t)i * IMP_ROW_STRIDE + (size_t)term] = sum[i];
}

void
persistent_accelerations(const struct rt *run, uint32_t block, double push[2])
{
    assert(run);
    const struct persistent_group *group = run->persistent_memory->of[block];
    push[0] = push[1] = 0.0;
    for (int i = 0; i < group->n_on; i++) {
        const struct persistent_row *row = &group->row[i];
        const imp_contact *image_contact = rt_contact(run, row->spot.contact);
        for (int side = 0; side < 2; side++) {
            double f[6], change[6];
            if (!contact_point_body_moves(run, image_contact->body[side]) ||
                rt_body(run, image_contact->body[side])->block != block)
                continue;
            for (int j = 0; j < 6; j++) {
                f[j] = row->open[side][j].c[0] * row->force.c[0];
                if (row->friction)
                    f[j] += row->friction->open[side][j].c[0] *
                            row->friction->force.c[0];
            }
            persistent_by_mass(run, image_contact->body[side], f, change);
            double move = fabs(change[0]) + fabs(change[1]) + fabs(change[2]);
            const imp_body *body = rt_body(run, image_contact->body[side]);
            /* a spin that joints hold is as fast as they let it be */
            double spin =
                body->flags & IMP_BODYF_HELD
                    ? 0.0
                    : fabs(change[3]) + fabs(change[4]) + fabs(change[5]);
            double size = run->env[body->env_body + IMP_BODY_RADIUS];
            push[0] += move;
            push[1] += fmax(spin, size > 0.0 ? move / size : 0.0);
        }
    }
}

double
persistent_series_hold(const struct rt *run, uint32_t block)
{
    assert(run != NULL && persistent_moves(run, block));
    return run->persistent_memory->of[block]->holds;
}

void
motion_only(struct rt *run, const bool *block)
{
    run->motion->only = block;
}

bool
motion_asks(const struct rt *run, uint32_t block)
{
    return !run->motion->only || run->motion->only[block];
}

double
persistent_read_ahead(const struct rt *run)
{
    assert(run != NULL);
    double ahead = INFINITY;
    for (uint32_t block = 0; block < run->im->blocks.n; block++) {
        const imp_block *of = persistent_block(run, block);
        const uint32_t *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
        double push[2];
        if (!persistent_moves(run, block) || !motion_asks(run, block))
            continue;
        persistent_accelerations(run, block, push);
        for (uint32_t i = 0; i < of->bodies.n && push[0] > 0.0; i++) {
            const imp_body *its = rt_body(run, body[i]);
            double size = run->env[its->env_body + IMP_BODY_RADIUS],
                   soon = sqrt(PERSISTENT_READ_ROUNDING * 2 * size / push[0]);
            ahead = soon > 0.0 ? fmin(ahead, soon) : ahead; /* no surface */
        }
    }
    return ahead;
}

/* -- do forces stay as they are? -------------------------------------------
 */

/* Gives the spins of the bodies of a row, and their sizes. */
static void
spin_of(const struct rt *run, const struct persistent_row *row, double *spin,
        double *size)
{
    const imp_contact *image_contact = rt_contact(run, row->spot.contact);
    uint32_t d = run->im->dim;
    *spin = 0.0;
    *size = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, image_contact->body[e]);
        const double *w = run->env + body->env_state + (d == 2 ? 5 : 10);
        double radius = run->env[body->env_body + IMP_BODY_RADIUS];
        for (uint32_t i = 0; i < (d == 2 ? 1u : 3u); i++)
            *spin += fabs(w[i]);
        *size += isfinite(radius) ? radius : 0.0;
    }
}

void
persistent_force_terms(const struct rt *run,
                       const struct persistent_group *group, double *terms)
{
    int n = group->n_unknown;
    double *most = NEW_N(run->brief, double, run->im->bodies.n + 1);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            const struct persistent_unknown *unknown = &group->unknown[i];
            const imp_contact *image_contact =
                rt_contact(run, unknown->row->spot.contact);
            double own =
                fabs(unknown->force->c[0] * group->delassus.G[i * n + i]);
            if (pass == 1)
                terms[i] = own;
            for (int e = 0; e < 2; e++) {
                uint32_t body = image_contact->body[e];
                if (!contact_point_body_moves(run, body))
                    continue;
                if (pass == 0)
                    most[body] = fmax(most[body], own);
                else
                    terms[i] = fmax(terms[i], most[body]);
            }
        }
}

/* The greatest |coefficient of order k| of what a unit of the force does, as a
 * share of the size of the bodies for levers. */
static double
direction_term(const struct persistent_unknown *unknown, int k, double size)
{
    double most = 0.0;
    for (int e = 0; e < 12; e++)
        most = fmax(most, fabs(unknown->push[e / 6][e % 6].c[k]) /
                              (e % 6 < 3 ? 1.0 : size));
    return most;
}

/* Do the gap and the direction of one force stay as they are, to rounding?
 * terms: those of persistent_force_terms. *holds: the time for which rounding
 * of the speeds does not move levers by more than rounding. */
bool
persistent_steady_force(const struct rt *run,
                        const struct persistent_unknown *unknown, double terms,
                        int order, double *holds)
{
    double spin, size, low = STEADY_ROUNDING * DBL_EPSILON, push = low * terms;
    spin_of(run, unknown->row, &spin, &size);
    /* The accelerations that remain turn the normal, too. */
    spin += STEADY_LEVER * sqrt(push / size);
    double slide = direction_term(unknown, 1, size);
    if (slide > low * fmax(spin, sqrt(terms / size)))
        return false;
    if (slide > low * spin)
        *holds = fmin(*holds, low / slide);
    low *= spin;
    for (int k = 2; k <= order; k++) {
        low *= spin / k;
        push *= k > 2 ? spin / k : 1.0;
        if (fabs(unknown->value->c[k]) > low * size + push ||
            direction_term(unknown, k, size) > low + push / size)
            return false;
    }
    return true;
}
