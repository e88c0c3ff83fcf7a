/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which contacts are alike. The tapes of a contact depend on the kinds of
 * surface of its two bodies: on their level sets, on whether they are fixed,
 * and on the rows in which their motion has the pose. What else they read, mass
 * centres and states, are numbers. So all contacts of two kinds of surface have
 * the same tapes, which are made once, of two bodies that stand for all of the
 * kind: their numbers lie from layout.pair on, where the runtime puts those of
 * the bodies in question. A contact that has no other like it reads its bodies
 * themselves. */
#include <assert.h>
#include <string.h>

#include "mechanics/mech_priv.h"

struct kind {
    uint32_t surface[2];
    bool friction;
    uint32_t n;              /* contacts */
    struct kind *next;       /* of the same place in the table */
    const imp_contact *made; /* NULL: no contact of this kind was made yet */
    const uint32_t *event_row;
    const struct mbody *body[2]; /* they stand for all; NULL: not made yet */
};
struct contact_kinds {
    uint32_t *surface; /* per body: which kind of surface */
    struct kind **of;  /* per contact; NULL: it has tapes of its own */
    struct kind **table;
    uint32_t mask;
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
           one->inertia.diagonal == two->inertia.diagonal &&
           (one->flags & IMP_BODYF_FLAT) == (two->flags & IMP_BODYF_FLAT) &&
           !memcmp(one->row.pose, two->row.pose,
                   (mech->dim == 2 ? 4 : 7) * sizeof *one->row.pose);
}

/* Numbers the kinds of surface: that of a body is the number of the first body
 * that has it. */
static void
find_surfaces(struct mech *mech, struct contact_kinds *kinds)
{
    uint32_t count = (uint32_t)mech->model->n_bodies, n_first = 0;
    uint32_t *first = NEW_N(mech->arena, uint32_t, count + 1);
    kinds->surface = NEW_N(mech->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < n_first &&
               !same_surface(mech, mech->bodies + first[k], mech->bodies + i))
            k++;
        if (k == n_first)
            first[n_first++] = i;
        kinds->surface[i] = first[k];
    }
}

static struct kind *
kind_of(struct mech *mech, struct contact_kinds *kinds,
        const struct tm_contact *decl)
{
    uint32_t one = kinds->surface[decl->body[0]],
             two = kinds->surface[decl->body[1]];
    bool friction = contact_rubs(decl);
    struct kind **at =
        &kinds->table[(one * 2654435761u + two * 40503u + friction) &
                      kinds->mask];
    for (struct kind *kind = *at; kind; kind = kind->next)
        if (kind->surface[0] == one && kind->surface[1] == two &&
            kind->friction == friction)
            return kind;
    struct kind *kind = NEW(mech->arena, struct kind);
    *kind =
        (struct kind){.surface = {one, two}, .friction = friction, .next = *at};
    return *at = kind;
}

void
contact_kinds_find(struct mech *mech)
{
    assert(mech && mech->bodies && !mech->kinds);
    size_t count = mech->model->n_contacts;
    struct contact_kinds *kinds = NEW(mech->arena, struct contact_kinds);
    mech->kinds = kinds;
    find_surfaces(mech, kinds);
    uint32_t size = 16;
    while (size < count && size < 65536)
        size *= 2;
    kinds->mask = size - 1;
    kinds->table = NEW_N(mech->arena, struct kind *, size);
    kinds->of = NEW_N(mech->arena, struct kind *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct tm_contact *decl = mech->model->contacts + i;
        if (decl->system || decl->at.n)
            continue;
        const struct mbody *one = mech->bodies + decl->body[0],
                           *two = mech->bodies + decl->body[1];
        if (one->prescribed || two->prescribed ||
            (!one->fixed && one->block == two->block))
            continue;
        kinds->of[i] = kind_of(mech, kinds, decl);
        kinds->of[i]->n++;
    }
}

/* The body that stands for all that have its kind of surface. */
static const struct mbody *
stand_in(struct mech *mech, uint32_t surface, uint32_t side)
{
    struct mbody *body = NEW(mech->arena, struct mbody);
    uint32_t at = mech->layout.pair + side * IMP_PAIR_SIZE(mech->dim);
    body_elsewhere(mech, mech->bodies + surface, at, at + IMP_BODY_SIZE, body);
    return body;
}

const imp_contact *
contact_kinds_bodies(struct mech *mech, uint32_t contact,
                     const struct mbody *body[2])
{
    assert(mech && mech->kinds && body);
    const struct tm_contact *decl = mech->model->contacts + contact;
    struct kind *kind = mech->kinds->of[contact];
    bool alone = !kind || kind->n == 1;
    for (uint32_t side = 0; side < 2; side++) {
        if (!alone && !kind->body[side])
            kind->body[side] = stand_in(mech, kind->surface[side], side);
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
