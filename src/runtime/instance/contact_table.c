/* SPDX-License-Identifier: MIT */
/* See contact_table.h. */
#include "runtime/instance/contact_table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

/* Room for so many contacts per body, in the plane and in space. Balls of one
 * size within one and a half radii of each other are half of that in the
 * densest packing; memory is taken as it is used. */
#define ROOM_PLANE 24u
#define ROOM_SPACE 64u
#define ROOM_LEAST 4096u

/* a pair that has a contact, or must not get one */
struct known_pair {
    uint32_t body[2];
    uint32_t contact; /* the last one; NO_CONTACT: none, as it has a joint */
    uint32_t number;  /* contact_table_number */
    uint32_t next;    /* of the same place of the table: 1 + its index */
};
struct contact_table {
    imp_image *im;
    uint32_t stated, room, env, text, width;
    uint32_t rule[IMP_CONTACT_RULES]; /* contacts */
    uint32_t *pattern; /* 1 + the pattern of a rule and two kinds; 0: none */
    struct {
        struct known_pair *v;
        size_t n, cap;
    } pair;
    uint32_t n_stated_pairs, *first, mask;
    uint32_t *pair_of, told; /* per contact that was made */
    unsigned long *made, serial;
    uint32_t latest[CONTACTS_LATEST]; /* by their serial */
    uint32_t *told_pair, told_room;   /* per number: its pair */
    bool *early; /* per body: it is of one of the first CONTACT_PAIRS_TOLD */
    /* Contacts that were dropped, per pattern a list of them: a contact stays
     * one of its pattern, so that what other rooms keep of it has the same
     * size. */
    uint32_t *first_free; /* per pattern */
    struct place {
        uint32_t next, before; /* NO_CONTACT: none */
        bool is_free;
        uint32_t pattern; /* 1 + that of its rows of series; 0: it has none */
    } * place;            /* per contact that was made */
};

static const struct contact_table *
table_of(const struct rt *run)
{
    assert(run && run->table);
    return run->table;
}

/* -- pairs ------------------------------------------------------------------
 */

static uint32_t
place_of(const struct contact_table *table, uint32_t one, uint32_t two)
{
    uint64_t low = one < two ? one : two, high = one < two ? two : one;
    return (uint32_t)((high * 0x9e3779b97f4a7c15u +
                       low * 0xc2b2ae3d27d4eb4fu) >>
                      32) &
           table->mask;
}

static struct known_pair *
find(const struct contact_table *table, uint32_t one, uint32_t two)
{
    uint32_t low = one < two ? one : two, high = one < two ? two : one;
    uint32_t at = table->first[place_of(table, one, two)];
    for (; at; at = table->pair.v[at - 1].next) {
        struct known_pair *pair = table->pair.v + at - 1;
        if (pair->body[0] == low && pair->body[1] == high)
            return pair;
    }
    return NULL;
}

static void
link_pair(struct contact_table *table, uint32_t index)
{
    struct known_pair *pair = table->pair.v + index;
    uint32_t *first =
        table->first + place_of(table, pair->body[0], pair->body[1]);
    pair->next = *first;
    *first = index + 1;
}

/* Twice as many places, once each is taken on average. */
static void
grow(struct rt *run)
{
    struct contact_table *table = run->table;
    if (table->pair.n <= table->mask)
        return;
    uint32_t size = 2 * (table->mask + 1);
    table->first = NEW_N(run->own, uint32_t, size);
    table->mask = size - 1;
    for (uint32_t i = 0; i < table->pair.n; i++)
        link_pair(table, i);
}

static struct known_pair *
add_pair(struct rt *run, uint32_t one, uint32_t two, uint32_t contact)
{
    struct contact_table *table = run->table;
    struct known_pair pair = {
        {one < two ? one : two, one < two ? two : one}, contact, contact, 0};
    VEC_PUSH_IN(run->own, &table->pair, pair);
    link_pair(table, (uint32_t)table->pair.n - 1);
    grow(run);
    return table->pair.v + table->pair.n - 1;
}

/* The first rule of both bodies, by the sides that they are on; NO_CONTACT:
 * none. */
static uint32_t
rule_of(const struct rt *run, uint32_t one, uint32_t two)
{
    uint32_t a = rt_body(run, one)->sides, b = rt_body(run, two)->sides,
             first = 0x55555555u,
             both = (a & b >> 1 & first) | (b & a >> 1 & first);
    for (uint32_t k = 0; both && k < IMP_CONTACT_RULES; k++)
        if (both >> 2 * k & 1 && run->table->rule[k] != NO_CONTACT)
            return k;
    return NO_CONTACT;
}

/* -- the image of the run ---------------------------------------------------
 */

static size_t
round_up(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

/* Where contacts that are made stand behind an image, and their names. */
struct places {
    uint32_t room;               /* contacts, with those of the model */
    size_t contacts, text, size; /* offsets; of all */
    size_t width;                /* of a name */
};

static struct places
places_behind(const imp_image *im)
{
    uint32_t stated = im->stated.n,
             more = im->bodies.n * (im->dim == 2 ? ROOM_PLANE : ROOM_SPACE);
    const imp_body *body = IMP_ARRAY(im, im->bodies, imp_body);
    size_t longest = 0;
    for (uint32_t i = 0; i < im->bodies.n; i++)
        if (body[i].name.n > longest)
            longest = body[i].name.n;
    struct places to = {.room =
                            stated + (more > ROOM_LEAST ? more : ROOM_LEAST),
                        .contacts = round_up(im->size),
                        .width = 2 * longest + 2};
    to.text = to.contacts + (size_t)to.room * sizeof(imp_contact);
    to.size = to.text + (to.room - stated) * to.width;
    if (to.size > UINT32_MAX) { /* offsets are of 32 bits */
        to.room = stated;
        to.size = to.text = to.contacts + (size_t)to.room * sizeof(imp_contact);
    }
    return to;
}

size_t
contact_table_behind(const imp_image *im)
{
    assert(im != NULL);
    return im->patterns.n ? places_behind(im).size - im->size : 0;
}

/* The image of the run, with room for contacts and their names behind it. That
 * of the model itself if it has this room and no other run has taken it; else a
 * copy. */
static void
take_image(struct rt *run, struct contact_table *table)
{
    const imp_image *im = run->im;
    struct places to = places_behind(im);
    char *bytes;
    if (im->room >= to.size - im->size) {
        /* who gives an image room has made it, and may write into it */
        union {
            const imp_image *made;
            void *bytes;
        } image = {.made = im};
        bytes = image.bytes;
    } else {
        bytes = arena_alloc(run->own, to.size);
        memcpy(bytes, im, im->size);
    }
    if (im->stated.n)
        memcpy(bytes + to.contacts, IMP_ARRAY(im, im->stated, imp_contact),
               im->stated.n * sizeof(imp_contact));
    table->im = (imp_image *)(void *)bytes;
    table->im->room = 0;
    table->im->contacts = (imp_ref){(uint32_t)to.contacts, im->stated.n};
    table->stated = im->stated.n;
    table->room = to.room;
    table->text = (uint32_t)to.text;
    table->width = (uint32_t)to.width;
    run->im = table->im;
}

static void
find_rules(const struct rt *run, struct contact_table *table)
{
    uint32_t n = run->im->n_kinds;
    const imp_pattern *pattern =
        IMP_ARRAY(run->im, run->im->patterns, imp_pattern);
    for (uint32_t k = 0; k < IMP_CONTACT_RULES; k++)
        table->rule[k] = NO_CONTACT;
    for (uint32_t i = 0; i < table->stated; i++) {
        const imp_contact *contact = rt_contact(run, i);
        if (contact->flags & IMP_CONTACTF_RULE)
            table->rule[IMP_CONTACT_RULE(contact->flags)] = i;
    }
    table->pattern =
        NEW_N(run->own, uint32_t, (size_t)IMP_CONTACT_RULES * n * n + 1);
    for (uint32_t i = 0; i < run->im->patterns.n; i++)
        table->pattern[(pattern[i].rule * n + pattern[i].kind[0]) * n +
                       pattern[i].kind[1]] = i + 1;
}

/* Pairs that need none: those with a contact or a joint of their own. */
static void
find_stated(struct rt *run, struct contact_table *table)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < table->stated; i++) {
        const imp_contact *contact = rt_contact(run, i);
        if (contact->system == IMP_NO_SYSTEM)
            add_pair(run, contact->body[0], contact->body[1], i);
    }
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        add_pair(run, joint[i].body[0], joint[i].body[1], NO_CONTACT);
    table->n_stated_pairs = (uint32_t)table->pair.n;
}

static void
none_free(struct contact_table *table, uint32_t patterns)
{
    for (uint32_t i = 0; i < patterns; i++)
        table->first_free[i] = NO_CONTACT;
}

void
contact_table_new(struct rt *run)
{
    assert(run && run->im && !run->table);
    const imp_image *im = run->im;
    if (!im->patterns.n)
        return;
    struct contact_table *table = NEW(run->own, struct contact_table);
    run->table = table;
    table->env = im->layout.n_env;
    take_image(run, table);
    uint32_t more = table->room - table->stated;
    table->first = NEW_N(run->own, uint32_t, 64);
    table->mask = 63;
    table->pair_of = NEW_N(run->own, uint32_t, more + 1);
    table->made = NEW_N(run->own, unsigned long, more + 1);
    table->place = NEW_N(run->own, struct place, more + 1);
    table->first_free = NEW_N(run->own, uint32_t, im->patterns.n);
    table->early = NEW_N(run->own, bool, im->bodies.n + 1);
    none_free(table, im->patterns.n);
    find_rules(run, table);
    find_stated(run, table);
}

void
contact_table_reset(struct rt *run)
{
    assert(run);
    struct contact_table *table = run->table;
    if (!table)
        return;
    table->im->contacts.n = table->stated;
    table->pair.n = table->n_stated_pairs;
    memset(table->first, 0, ((size_t)table->mask + 1) * sizeof *table->first);
    for (uint32_t i = 0; i < table->pair.n; i++)
        link_pair(table, i);
    none_free(table, run->im->patterns.n);
    table->told = 0;
    memset(table->early, 0, run->im->bodies.n * sizeof *table->early);
    table->serial++;
    table->latest[table->serial % CONTACTS_LATEST] = NO_CONTACT;
}

/* -- contacts that are made -------------------------------------------------
 */

uint32_t
contact_table_stated(const struct rt *run)
{
    assert(run);
    return run->table ? run->table->stated : run->im->contacts.n;
}

uint32_t
rt_contact_room(const struct rt *run)
{
    assert(run);
    return run->table ? run->table->room : run->im->contacts.n;
}

size_t
rt_env_size(const struct rt *run)
{
    assert(run);
    size_t more = rt_contact_room(run) - contact_table_stated(run);
    return run->im->layout.n_env + more * IMP_CONTACT_SIZE;
}

/* Is the last contact of this pair still its own, in use or not? */
static bool
has_place(const struct contact_table *table, const struct known_pair *pair)
{
    return pair && pair->contact != NO_CONTACT &&
           (pair->contact < table->stated ||
            table->pair.v + table->pair_of[pair->contact - table->stated] ==
                pair);
}

uint32_t
contact_table_find(const struct rt *run, uint32_t one, uint32_t two)
{
    const struct contact_table *table = table_of(run);
    const struct known_pair *pair = find(table, one, two);
    if (!has_place(table, pair) ||
        (pair->contact >= table->stated &&
         table->place[pair->contact - table->stated].is_free))
        return NO_CONTACT;
    return pair->contact;
}

static uint32_t
pattern_of(const struct rt *run, uint32_t one, uint32_t two)
{
    uint32_t rule = rule_of(run, one, two), n = run->im->n_kinds;
    if (rule == NO_CONTACT)
        return 0;
    return run->table->pattern[(rule * n + rt_body(run, one)->kind) * n +
                               rt_body(run, two)->kind];
}

/* A place for a contact of this pair (NULL: it never had one) and pattern: its
 * last one, so that no two contacts are ever of one pair; or NO_CONTACT. */
static uint32_t
take_place(struct contact_table *table, const struct known_pair *pair,
           uint32_t pattern)
{
    uint32_t number =
        has_place(table, pair) ? pair->contact : table->first_free[pattern];
    if (number == NO_CONTACT)
        return table->im->contacts.n < table->room ? table->im->contacts.n++
                                                   : NO_CONTACT;
    struct place *place = table->place + number - table->stated;
    assert(place->is_free);
    if (place->next != NO_CONTACT)
        table->place[place->next - table->stated].before = place->before;
    if (place->before != NO_CONTACT)
        table->place[place->before - table->stated].next = place->next;
    else
        table->first_free[pattern] = place->next;
    return number;
}

bool
contact_table_wants(const struct rt *run, uint32_t one, uint32_t two)
{
    const struct contact_table *table = table_of(run);
    const struct known_pair *pair = find(table, one, two);
    if (one == two || (pair && pair < table->pair.v + table->n_stated_pairs))
        return false;
    return one < two ? pattern_of(run, one, two) != 0
                     : pattern_of(run, two, one) != 0;
}

static void
name_it(const struct rt *run, struct contact_table *table, uint32_t number,
        imp_contact *contact)
{
    uint32_t at = table->text + (number - table->stated) * table->width;
    int n = snprintf((char *)table->im + at, table->width, "%s|%s",
                     imp_text(run->im, rt_body(run, contact->body[0])->name),
                     imp_text(run->im, rt_body(run, contact->body[1])->name));
    contact->name = (imp_str){at, (uint32_t)n};
}

/* The pair is told by a number of its own from now on. */
static void
number_it(struct rt *run, struct contact_table *table, struct known_pair *pair)
{
    if (table->told == table->told_room) {
        uint32_t room = 2 * table->told_room + 256;
        uint32_t *more = NEW_N(run->own, uint32_t, room);
        if (table->told)
            memcpy(more, table->told_pair, table->told * sizeof *more);
        table->told_pair = more;
        table->told_room = room;
    }
    if (table->told < CONTACT_PAIRS_TOLD)
        table->early[pair->body[0]] = table->early[pair->body[1]] = true;
    table->told_pair[table->told] = (uint32_t)(pair - table->pair.v);
    pair->number = table->stated + table->told++;
}

/* A pair that is known from now on, without a contact. */
static struct known_pair *
new_pair(struct rt *run, uint32_t low, uint32_t high)
{
    struct known_pair *pair = add_pair(run, low, high, NO_CONTACT);
    number_it(run, run->table, pair);
    return pair;
}

uint32_t
contact_table_number_of(struct rt *run, uint32_t one, uint32_t two)
{
    assert(run->table && one != two);
    const struct known_pair *pair = find(run->table, one, two);
    return pair ? pair->number : new_pair(run, one, two)->number;
}

uint32_t
contact_table_early(struct rt *run, uint32_t one, uint32_t two)
{
    assert(run->table && one != two);
    const struct contact_table *table = run->table;
    if (table->told <= CONTACT_PAIRS_TOLD)
        return contact_table_number_of(run, one, two);
    /* of most bodies this is known without a look at the table, which is long
     */
    if (!table->early[one] || !table->early[two])
        return NO_CONTACT;
    const struct known_pair *pair = find(table, one, two);
    return pair ? pair->number : NO_CONTACT;
}

/* After another start its rows may be those of another pattern. */
static void
set_pattern(struct rt *run, uint32_t number, uint32_t pattern)
{
    struct place *place = run->table->place + number - run->table->stated;
    if (place->pattern != pattern + 1)
        run->rows.contact[number] = run->rows.opening[number] = NULL;
    place->pattern = pattern + 1;
    place->is_free = false;
}

uint32_t
contact_table_make(struct rt *run, uint32_t one, uint32_t two)
{
    assert(contact_table_wants(run, one, two));
    assert(contact_table_find(run, one, two) == NO_CONTACT);
    struct contact_table *table = run->table;
    uint32_t low = one < two ? one : two, high = one < two ? two : one;
    struct known_pair *pair = find(table, low, high);
    uint32_t which = pattern_of(run, low, high) - 1,
             number = take_place(table, pair, which);
    if (number == NO_CONTACT)
        return NO_CONTACT;
    set_pattern(run, number, which);
    if (!pair)
        pair = new_pair(run, low, high);
    pair->contact = number;
    const imp_pattern *pattern =
        IMP_ARRAY(run->im, run->im->patterns, imp_pattern) + which;
    imp_contact *contact = (imp_contact *)rt_contact(run, number);
    *contact = pattern->contact;
    contact->body[0] = low;
    contact->body[1] = high;
    contact->env_contact =
        table->env + (number - table->stated) * IMP_CONTACT_SIZE;
    name_it(run, table, number, contact);
    const double *from =
        run->env + rt_contact(run, table->rule[pattern->rule])->env_contact;
    double *env = run->env + contact->env_contact;
    memcpy(env, from, IMP_CONTACT_SIZE * sizeof *env);
    env[IMP_CONTACT_WORK] = env[IMP_CONTACT_PUSHED] =
        env[IMP_CONTACT_COMPRESSED] = 0.0;
    table->pair_of[number - table->stated] = (uint32_t)(pair - table->pair.v);
    table->made[number - table->stated] = ++table->serial;
    table->latest[table->serial % CONTACTS_LATEST] = number;
    return number;
}

void
contact_table_drop(struct rt *run, uint32_t contact)
{
    struct contact_table *table = run->table;
    assert(table && contact >= table->stated);
    assert(contact < run->im->contacts.n);
    const uint32_t *body = rt_contact(run, contact)->body;
    uint32_t pattern = pattern_of(run, body[0], body[1]) - 1,
             first = table->first_free[pattern];
    struct place *place = table->place + contact - table->stated;
    assert(!place->is_free);
    place->next = first;
    place->before = NO_CONTACT;
    place->is_free = true;
    if (first != NO_CONTACT)
        table->place[first - table->stated].before = contact;
    table->first_free[pattern] = contact;
}

uint32_t
contact_table_rule(const struct rt *run, uint32_t contact)
{
    if (contact < contact_table_stated(run))
        return contact;
    const uint32_t *body = rt_contact(run, contact)->body;
    return contact_table_rule_of(run, body[0], body[1]);
}

uint32_t
contact_table_rule_of(const struct rt *run, uint32_t one, uint32_t two)
{
    assert(rule_of(run, one, two) != NO_CONTACT);
    return run->table->rule[rule_of(run, one, two)];
}

uint32_t
contact_table_number(const struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    if (contact < contact_table_stated(run))
        return contact;
    const struct contact_table *table = run->table;
    return table->pair.v[table->pair_of[contact - table->stated]].number;
}

uint32_t
contact_table_told(const struct rt *run)
{
    return contact_table_stated(run) + (run->table ? run->table->told : 0);
}

void
contact_table_pair(const struct rt *run, uint32_t number, uint32_t body[2])
{
    const struct contact_table *table = table_of(run);
    assert(number >= table->stated && number < contact_table_told(run));
    memcpy(body, table->pair.v[table->told_pair[number - table->stated]].body,
           2 * sizeof *body);
}

unsigned long
contact_table_serial(const struct rt *run)
{
    return run->table ? run->table->serial : 0;
}

unsigned long
contact_table_made(const struct rt *run, uint32_t contact)
{
    uint32_t stated = contact_table_stated(run);
    return contact < stated ? 0 : run->table->made[contact - stated];
}

uint32_t
contact_table_latest(const struct rt *run, unsigned long serial)
{
    const struct contact_table *table = table_of(run);
    assert(serial > 0 && serial <= table->serial);
    assert(table->serial - serial < CONTACTS_LATEST);
    uint32_t contact = table->latest[serial % CONTACTS_LATEST];
    return contact < run->im->contacts.n ? contact : NO_CONTACT;
}
