/* SPDX-License-Identifier: MIT */
/* Who is held (persistent.h): points in groups that do not feel each other,
 * because they move bodies of different blocks. Bodies of one block have joints
 * or forces between them; so groups are coarser than they need be where forces
 * alone connect. Groups come and go whole; their memory is used again. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/motion/persistent_priv.h"

/* rows of a group at first */
#define ROOM 8

static double *
rows_for(struct rt *r, size_t n)
{
    return NEW_N(r->own, double, (n + 1) * IMP_ROW_STRIDE);
}

static struct persistent_set *
set_of(struct rt *r)
{
    struct persistent_set *s = r->persistent_memory;
    size_t nb = r->im->blocks.n + (size_t)1;
    if (s)
        return s;
    s = r->persistent_memory = NEW(r->own, struct persistent_set);
    s->group = NEW_N(r->own, struct persistent_group *, nb);
    s->spare = NEW_N(r->own, struct persistent_group *, nb);
    s->of = NEW_N(r->own, struct persistent_group *, nb);
    s->push = NEW_N(r->own, double *, nb);
    s->driven = NEW_N(r->own, double *, nb);
    s->own = NEW_N(r->own, double *, nb);
    return s;
}

static struct persistent_group *
group_new(struct rt *r)
{
    struct persistent_group *s = NEW(r->own, struct persistent_group);
    s->block = NEW_N(r->own, uint32_t, r->im->blocks.n + 1);
    s->body = NEW_N(r->own, uint32_t, r->im->bodies.n + 1);
    return s;
}

static void
room_for(struct rt *r, struct persistent_group *s, int n)
{
    if (n <= s->room)
        return;
    size_t m = s->room ? (size_t)s->room : ROOM;
    while (m < (size_t)n)
        m *= 2;
    s->room = (int)m;
    s->row = NEW_N(r->own, struct persistent_row, m);
    s->answer = NEW_N(r->own, double, m * 6 * r->im->bodies.n + 1);
    s->G = NEW_N(r->own, double, 3 * m * m + 5 * m);
    s->U = s->G + m * m;
    s->V = s->U + m * m;
    s->s = s->V + m * m;
    s->a = s->s + m;
    s->b = s->a + m;
    s->c = s->b + m;
    s->x = s->c + m;
}

static void
enter_block(struct rt *r, struct persistent_group *s, uint32_t b)
{
    const imp_block *o = persistent_block(r, b);
    const uint32_t *in = IMP_ARRAY(r->im, o->bodies, uint32_t);
    struct persistent_set *set = r->persistent_memory;
    for (uint32_t i = 0; i < s->n_block; i++)
        if (s->block[i] == b)
            return;
    s->block[s->n_block++] = b;
    for (uint32_t i = 0; i < o->bodies.n; i++)
        if (contact_point_body_moves(r, in[i]))
            s->body[s->n_body++] = in[i];
    if (set->push[b])
        return;
    set->push[b] = rows_for(r, (size_t)persistent_per_body(r) * o->bodies.n);
    set->driven[b] = rows_for(r, persistent_tape(r, o->driven)->n_rows);
    set->own[b] = rows_for(r, persistent_tape(r, o->motion)->n_rows);
}

static void
fill(struct rt *r, struct persistent_group *s, const struct contact_point *spot,
     int n)
{
    room_for(r, s, n);
    s->n = s->n_on = n;
    s->n_block = s->n_body = 0;
    s->steady = true;
    for (int i = 0; i < n; i++) {
        const imp_contact *k = rt_contact(r, spot[i].contact);
        s->row[i].spot = spot[i];
        s->row[i].on = true;
        s->row[i].valid = INFINITY; /* rows that do not push have no series */
        for (int e = 0; e < 2; e++)
            if (contact_point_body_moves(r, k->body[e]))
                enter_block(r, s, rt_body(r, k->body[e])->block);
    }
}

struct persistent_group *
persistent_look_at(struct rt *r, const struct contact_point *spot, int n)
{
    struct persistent_set *set = set_of(r);
    if (!set->look)
        set->look = group_new(r);
    fill(r, set->look, spot, n);
    return set->look;
}

/* rows of all groups, one after another */
static void
list(struct rt *r)
{
    struct persistent_set *set = r->persistent_memory;
    int n = 0;
    for (int i = 0; i < set->n; i++)
        n += set->group[i]->n;
    if (n > set->room) {
        set->room = 2 * n;
        set->row = NEW_N(r->own, struct persistent_row *, (size_t)set->room);
    }
    set->n_row = 0;
    for (int i = 0; i < set->n; i++)
        for (int k = 0; k < set->group[i]->n; k++)
            set->row[set->n_row++] = &set->group[i]->row[k];
    r->persistent = set->n ? set : NULL;
}

struct persistent_group *
persistent_hold(struct rt *r, const struct contact_point *spot, int n)
{
    struct persistent_set *set = set_of(r);
    struct persistent_group *s =
        set->n_spare ? set->spare[--set->n_spare] : group_new(r);
    fill(r, s, spot, n);
    for (uint32_t i = 0; i < s->n_block; i++)
        set->of[s->block[i]] = s;
    set->group[set->n++] = s;
    list(r);
    return s;
}

/* -- what ends -------------------------------------------------------------
 */

/* Rows that a free motion leaves alone (constants, lines) are as at first again
 */
static void
free_group(struct rt *r, struct persistent_group *s)
{
    struct persistent_set *set = r->persistent_memory;
    for (uint32_t i = 0; i < s->n_block; i++) {
        uint32_t b = s->block[i];
        memset(r->work[b], 0,
               sizeof(double) * IMP_ROW_STRIDE *
                   persistent_tape(r, persistent_block(r, b)->motion)->n_rows);
        set->of[b] = NULL;
    }
    set->spare[set->n_spare++] = s;
}

static bool
marked(const struct persistent_group *s, const bool *block)
{
    bool any = block == NULL;
    for (uint32_t i = 0; i < s->n_block && !any; i++)
        any = block[s->block[i]];
    return any;
}

void
persistent_release(struct rt *r, const bool *block)
{
    struct persistent_set *set = r->persistent;
    int n = 0;
    if (!set)
        return;
    for (int i = 0; i < set->n; i++)
        if (marked(set->group[i], block))
            free_group(r, set->group[i]);
        else
            set->group[n++] = set->group[i];
    set->n = n;
    list(r);
}

/* -- who is held -----------------------------------------------------------
 */

bool
persistent_mark(const struct rt *r, uint32_t contact, bool *block)
{
    const imp_contact *k = rt_contact(r, contact);
    bool new = false;
    for (int e = 0; e < 2; e++) {
        if (!contact_point_body_moves(r, k->body[e]))
            continue;
        uint32_t b = rt_body(r, k->body[e])->block;
        new |= !block[b];
        block[b] = true;
    }
    for (int i = 0; r->persistent && i < r->persistent->n; i++) {
        const struct persistent_group *s = r->persistent->group[i];
        bool in = marked(s, block);
        for (uint32_t j = 0; in && j < s->n_block; j++)
            block[s->block[j]] = true;
    }
    return new;
}

bool
persistent_marked(const struct rt *r, uint32_t contact, const bool *block)
{
    const imp_contact *k = rt_contact(r, contact);
    for (int e = 0; e < 2; e++)
        if (contact_point_body_moves(r, k->body[e]) &&
            block[rt_body(r, k->body[e])->block])
            return true;
    return false;
}

struct persistent_group *
persistent_group_of(const struct rt *r, uint32_t contact)
{
    const imp_contact *k = rt_contact(r, contact);
    for (int e = 0; e < 2 && r->persistent; e++) {
        if (!contact_point_body_moves(r, k->body[e]))
            continue;
        struct persistent_group *s =
            r->persistent->of[rt_body(r, k->body[e])->block];
        if (s)
            return s;
    }
    return NULL;
}

bool
persistent_near_held(const struct rt *r, uint32_t contact)
{
    return persistent_group_of(r, contact) != NULL;
}

bool
persistent_holds(const struct rt *r, uint32_t contact)
{
    const struct persistent_group *s = persistent_group_of(r, contact);
    for (int i = 0; s && i < s->n; i++)
        if (s->row[i].spot.contact == contact)
            return true;
    return false;
}

bool
persistent_moves(const struct rt *r, uint32_t block)
{
    return r->persistent && r->persistent->of[block];
}

int
persistent_count(const struct rt *r)
{
    return r->persistent ? r->persistent->n_row : 0;
}

const struct contact_point *
persistent_point(const struct rt *r, int i, bool *on, double *force)
{
    const struct persistent_row *row = r->persistent->row[i];
    if (on)
        *on = row->on;
    if (force)
        *force = row->force.c[0];
    return &row->spot;
}

/* per block the least one that points connect it to */
static uint32_t *
connected(struct rt *r, const struct contact_point *spot, int n)
{
    uint32_t nb = r->im->blocks.n, *root = NEW_N(r->brief, uint32_t, nb + 1);
    for (uint32_t b = 0; b < nb; b++)
        root[b] = b;
    for (int i = 0; i < n; i++) {
        const imp_contact *k = rt_contact(r, spot[i].contact);
        if (!contact_point_body_moves(r, k->body[0]) ||
            !contact_point_body_moves(r, k->body[1]))
            continue;
        uint32_t a = root[rt_body(r, k->body[0])->block],
                 b = root[rt_body(r, k->body[1])->block];
        for (uint32_t j = 0; a != b && j < nb; j++)
            if (root[j] == (a < b ? b : a))
                root[j] = a < b ? a : b;
    }
    return root;
}

int
persistent_split(struct rt *r, struct contact_point *spot, int n, int *end)
{
    const uint32_t *root = connected(r, spot, n);
    size_t m = (size_t)n + 1;
    struct contact_point *all = NEW_N(r->brief, struct contact_point, m);
    uint32_t *of = NEW_N(r->brief, uint32_t, m);
    bool *taken = NEW_N(r->brief, bool, m);
    int groups = 0, k = 0;
    if (n)
        memcpy(all, spot, sizeof *all * (size_t)n);
    for (int i = 0; i < n; i++) {
        const imp_contact *c = rt_contact(r, all[i].contact);
        uint32_t body =
            c->body[contact_point_body_moves(r, c->body[0]) ? 0 : 1];
        of[i] = contact_point_body_moves(r, body)
                    ? root[rt_body(r, body)->block]
                    : UINT32_MAX;
    }
    for (int i = 0; i < n; i++) {
        if (taken[i])
            continue;
        for (int j = i; j < n; j++)
            if (of[j] == of[i]) {
                taken[j] = true;
                spot[k++] = all[j];
            }
        end[groups++] = k;
    }
    return groups;
}
