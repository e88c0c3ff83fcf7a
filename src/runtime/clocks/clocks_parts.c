/* SPDX-License-Identifier: MIT */
/* Which bodies are one part of a model now (clocks_priv.h). */
#include <assert.h>
#include <string.h>

#include "runtime/clocks/clocks_priv.h"
#include "runtime/motion/persistent_group.h"

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
        h = mix(
            mix(mix(h, over->released[i].at.face), over->released[i].at.vertex),
            over->released[i].still);
    h = mix(mix(h, bits(over->time)), (uint64_t)over->n);
    return mix(h, bits(over->faces.high));
}

static void
mark_blind(struct clocks *clocks, const bool *blind, uint32_t contact)
{
    struct clock_part *part = clocks_part_of(clocks, contact);
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
        struct clock_part *part = clocks_part_of(clocks, i);
        if (!part || (watch[i] != WATCH_OFF && !clocks->contact[i].near))
            continue; /* nothing is looked for there, either */
        clocks->contact[i].next = part->contact;
        part->contact = i;
        if (watch[i] == WATCH_OFF)
            continue;
        part->n_searched++;
        part->mark += mix(mix(5, i), watch[i]);
    }
}

void
clocks_find_parts(struct clocks *clocks, const struct clocks_question *asked)
{
    assert(clocks != NULL && asked != NULL);
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
        if (asked->watch[i] != WATCH_OFF && clocks->contact[i].near)
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
        struct clock_part *part = clocks_part_of(clocks, over->faces.contact);
        if (part)
            part->mark += mark_of_watched(over);
        if (asked->blind)
            mark_blind(clocks, asked->blind, over->faces.contact);
    }
    list_contacts(clocks, asked->watch);
}
