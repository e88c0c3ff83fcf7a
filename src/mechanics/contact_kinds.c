/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which contacts are alike. The tapes of a contact depend on the kinds of
 * surface of its two bodies: on their level sets, on whether they are fixed,
 * and on the rows in which their motion has the pose. What else they read, mass
 * centres and states, are numbers. So all contacts of two kinds of surface have
 * the same tapes, which are made once, of two bodies that stand for all of the
 * kind: their numbers lie from layout.pair on, where the runtime puts those of
 * the bodies in question. A contact that has no other like it reads its bodies
 * themselves, unless the model has many kinds (KINDS_MANY).
 *
 * Contacts of a rule are made by the runtime, pair by pair. What they are like
 * is built once per pair of kinds: a pattern, which is declared as a contact of
 * two bodies of these kinds. */
#include <assert.h>
#include <string.h>

#include "mechanics/mech_priv.h"

struct kind {
    uint32_t surface[2];
    int friction;            /* 1: states one; 2: and yields */
    uint32_t n;              /* contacts */
    struct kind *next;       /* of the same place in the table */
    const imp_contact *made; /* NULL: no contact of this kind was made yet */
    const uint32_t *event_row;
    const struct mbody *body[2]; /* they stand for all; NULL: not made yet */
};
/* From so many kinds on bodies are read where the runtime puts them also by a
 * contact that has no other like it: then the tapes of kinds whose level sets
 * differ in numbers alone, such as discs of several radii, have the same code.
 */
#define KINDS_MANY 8
struct contact_kinds {
    uint32_t *surface;          /* per body: which kind of surface */
    uint32_t n_surface, *first; /* how many; per kind: its first body */
    struct kind **of;           /* per contact; NULL: it has tapes of its own */
    struct kind **table;
    uint32_t mask, n_kind;
    struct {
        struct tm_contact *v;
        size_t n, cap;
    } patterns; /* of the rules, in their order */
};

/* The level set that the tapes of a contact read; NULL where corners are found
 * from numbers alone. */
static const expr *
formula(const struct mbody *body)
{
    return body_has_corners(body) ? NULL : body->shape.G;
}

static bool
same_surface(const struct mech *mech, const struct mbody *one,
             const struct mbody *two)
{
    return formula(one) == formula(two) && one->fixed == two->fixed &&
           !one->prescribed && !two->prescribed &&
           !one->decl->shape.n_plane == !two->decl->shape.n_plane &&
           one->diagonal == two->diagonal &&
           (one->flags & (IMP_BODYF_FLAT | IMP_BODYF_ROUND)) ==
               (two->flags & (IMP_BODYF_FLAT | IMP_BODYF_ROUND)) &&
           !memcmp(one->row.pose, two->row.pose,
                   (mech->dim == 2 ? 4 : 7) * sizeof *one->row.pose);
}

/* Numbers the kinds of surface. */
static void
find_surfaces(struct mech *mech, struct contact_kinds *kinds)
{
    uint32_t count = (uint32_t)mech->model->n_bodies;
    uint32_t *first = NEW_N(mech->arena, uint32_t, count + 1);
    kinds->surface = NEW_N(mech->arena, uint32_t, count + 1);
    kinds->first = first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < kinds->n_surface &&
               !same_surface(mech, mech->bodies + first[k], mech->bodies + i))
            k++;
        if (k == kinds->n_surface)
            first[kinds->n_surface++] = i;
        kinds->surface[i] = k;
    }
}

static struct kind *
kind_of(struct mech *mech, struct contact_kinds *kinds,
        const struct tm_contact *decl)
{
    uint32_t one = kinds->surface[decl->body[0]],
             two = kinds->surface[decl->body[1]];
    int friction = contact_rubs(decl) ? decl->compliance.e ? 2 : 1 : 0;
    struct kind **at =
        &kinds->table[(one * 2654435761u + two * 40503u + (uint32_t)friction) &
                      kinds->mask];
    for (struct kind *kind = *at; kind; kind = kind->next)
        if (kind->surface[0] == one && kind->surface[1] == two &&
            kind->friction == friction)
            return kind;
    struct kind *kind = NEW(mech->arena, struct kind);
    *kind =
        (struct kind){.surface = {one, two}, .friction = friction, .next = *at};
    kinds->n_kind++;
    return *at = kind;
}

/* -- patterns ---------------------------------------------------------------
 */

/* Rules are given up beyond so many pairs of kinds, as each is code of its own.
 */
#define PATTERNS_MOST 100000

/* The first and the last body of each kind on both sides of a rule. */
struct reach {
    uint32_t first[2], last[2];
    bool any[2];
};

static void
find_reach(const struct mech *mech, const struct contact_kinds *kinds,
           uint32_t rule, struct reach *reach)
{
    for (uint32_t i = 0; i < mech->model->n_bodies; i++)
        for (uint32_t side = 0; side < 2; side++) {
            struct reach *of = reach + kinds->surface[i];
            if (!(mech->bodies[i].decl->sides >> (2 * rule + side) & 1))
                continue;
            if (!of->any[side])
                of->first[side] = i;
            of->last[side] = i;
            of->any[side] = true;
        }
}

/* Is there a pair of the rule whose first body is of the kind `one`, and the
 * second, with a higher number, of `two`? */
static bool
has_pair(const struct reach *one, const struct reach *two, uint32_t body[2])
{
    for (int side = 0; side < 2; side++)
        if (one->any[side] && two->any[1 - side] &&
            one->first[side] < two->last[1 - side]) {
            body[0] = one->first[side];
            body[1] = two->last[1 - side];
            return true;
        }
    return false;
}

static bool
too_many_kinds(struct mech *mech, const struct tm_contact *rule)
{
    struct diag *diag =
        diag_add(mech->diags, DIAG_E0756, rule->range,
                 "these contacts are of %u kinds of surface, and more than %d "
                 "pairs of kinds, of which each would be code of its own",
                 mech->kinds->n_surface, PATTERNS_MOST);
    diag_help(mech->diags, diag,
              "let bodies share a level set, or use fewer bodies");
    return false;
}

/* Declares the patterns of a rule. */
static bool
declare_patterns(struct mech *mech, struct contact_kinds *kinds,
                 const struct tm_contact *rule)
{
    uint64_t n = kinds->n_surface;
    struct reach *reach = NEW_N(mech->arena, struct reach, n + 1);
    find_reach(mech, kinds, rule->rule - 1, reach);
    for (uint64_t i = 0; i < n * n; i++) {
        uint64_t one = i / n, two = i % n;
        struct tm_contact decl = *rule;
        if ((mech->bodies[kinds->first[one]].fixed &&
             mech->bodies[kinds->first[two]].fixed) ||
            !has_pair(reach + one, reach + two, decl.body))
            continue;
        if (kinds->patterns.n == PATTERNS_MOST)
            return too_many_kinds(mech, rule);
        decl.name = arena_printf(mech->arena, "%s|%s",
                                 mech->bodies[decl.body[0]].decl->name,
                                 mech->bodies[decl.body[1]].decl->name);
        VEC_PUSH_IN(mech->arena, &kinds->patterns, decl);
    }
    return true;
}

/* Declares those of all rules, behind the contacts of the model. */
static bool
find_patterns(struct mech *mech, struct contact_kinds *kinds)
{
    size_t count = mech->model->n_contacts;
    mech->contacts = mech->model->contacts;
    mech->n_contacts = count;
    for (size_t i = 0; i < count; i++)
        if (mech->contacts[i].rule &&
            !declare_patterns(mech, kinds, mech->contacts + i))
            return false;
    if (!kinds->patterns.n)
        return true;
    struct tm_contact *all =
        NEW_N(mech->arena, struct tm_contact, count + kinds->patterns.n);
    memcpy(all, mech->contacts, count * sizeof *all);
    memcpy(all + count, kinds->patterns.v, kinds->patterns.n * sizeof *all);
    mech->contacts = all;
    mech->n_contacts = count + kinds->patterns.n;
    return true;
}

imp_ref
contact_kinds_patterns(struct mech *mech, const imp_contact *built)
{
    assert(mech && mech->kinds && built);
    size_t n = mech->kinds->patterns.n, first = mech->model->n_contacts;
    imp_pattern *table = NEW_N(mech->arena, imp_pattern, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct tm_contact *decl = mech->kinds->patterns.v + i;
        table[i] = (imp_pattern){decl->rule - 1,
                                 {mech->kinds->surface[decl->body[0]],
                                  mech->kinds->surface[decl->body[1]]},
                                 built[first + i]};
        table[i].contact.flags &= ~IMP_CONTACTF_RULE;
    }
    return image_array(mech->image, table, n, sizeof *table);
}

uint32_t
contact_kinds_surface(const struct mech *mech, uint32_t body)
{
    assert(mech && mech->kinds && body < mech->model->n_bodies);
    return mech->kinds->surface[body];
}

uint32_t
contact_kinds_count(const struct mech *mech)
{
    assert(mech && mech->kinds);
    return mech->kinds->n_surface;
}

/* -- contacts of one kind ---------------------------------------------------
 */

bool
contact_kinds_find(struct mech *mech)
{
    assert(mech && mech->bodies && !mech->kinds);
    struct contact_kinds *kinds = NEW(mech->arena, struct contact_kinds);
    mech->kinds = kinds;
    find_surfaces(mech, kinds);
    if (!find_patterns(mech, kinds))
        return false;
    size_t count = mech->n_contacts;
    mech->event_row =
        arena_alloc(mech->arena, (count + 1) * sizeof *mech->event_row);
    uint32_t size = 16;
    while (size < count && size < 65536)
        size *= 2;
    kinds->mask = size - 1;
    kinds->table = NEW_N(mech->arena, struct kind *, size);
    kinds->of = NEW_N(mech->arena, struct kind *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_contact *decl = mech->contacts + i;
        bool pattern = i >= mech->model->n_contacts;
        if (decl->system || decl->at.n)
            continue;
        const struct mbody *one = mech->bodies + decl->body[0],
                           *two = mech->bodies + decl->body[1];
        if (!pattern && (one->prescribed || two->prescribed ||
                         (!one->fixed && one->block == two->block)))
            continue;
        kinds->of[i] = kind_of(mech, kinds, decl);
        /* a pattern is never that of one pair alone */
        kinds->of[i]->n += pattern ? 2 : 1;
    }
    return true;
}

/* The body that stands for all that have its kind of surface. */
static const struct mbody *
stand_in(struct mech *mech, uint32_t of, uint32_t side)
{
    struct mbody *body = NEW(mech->arena, struct mbody);
    /* its place is a formula of time, whoever asks */
    if (mech->bodies[of].prescribed)
        return mech->bodies + of;
    uint32_t at = mech->layout.pair + side * IMP_PAIR_SIZE(mech->dim);
    mech->form(mech, mech->bodies + of);
    body_elsewhere(mech, mech->bodies + of, at, at + IMP_BODY_SIZE, body);
    return body;
}

const imp_contact *
contact_kinds_bodies(struct mech *mech, uint32_t contact,
                     const struct mbody *body[2])
{
    assert(mech && mech->kinds && body);
    const struct tm_contact *decl = mech->contacts + contact;
    struct kind *kind = mech->kinds->of[contact];
    bool alone = !kind || (kind->n == 1 && mech->kinds->n_kind < KINDS_MANY);
    for (uint32_t side = 0; side < 2; side++) {
        if (!alone && !kind->body[side])
            kind->body[side] =
                stand_in(mech, mech->kinds->first[kind->surface[side]], side);
        body[side] = alone ? mech->bodies + decl->body[side] : kind->body[side];
    }
    if (alone || !kind->made)
        return NULL;
    memcpy(mech->event_row[contact], kind->event_row,
           sizeof mech->event_row[contact]);
    return kind->made;
}

void
contact_kinds_keep(struct mech *mech, uint32_t contact, const imp_contact *made)
{
    assert(mech && mech->kinds && made);
    struct kind *kind = mech->kinds->of[contact];
    if (!kind)
        return;
    kind->made = made;
    kind->event_row = mech->event_row[contact];
}
