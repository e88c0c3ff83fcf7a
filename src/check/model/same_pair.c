/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of the same two bodies: each touch of them would be hit once per
 * contact, with what each of these states (W0303). */
#include "check/model/model_priv.h"
#include <assert.h>
#include <stdlib.h>

struct pair {
    uint32_t low, high, contact;
};

static int
pair_order(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->contact < b->contact ? -1 : a->contact > b->contact;
}

/* Is it a contact of the surfaces of two bodies? Stated points and directions
 * tell contacts of one pair apart. */
static bool
of_surfaces(const struct tm_contact *contact)
{
    return !contact->system && !contact->rule && !contact->at.n &&
           !contact->direction.n;
}

void
check_same_pairs(struct check *ck)
{
    assert(ck);
    size_t count = 0;
    struct pair *pairs =
        NEW_N(ck->arena, struct pair, ck->lists.contacts.n + 1);
    for (size_t i = 0; i < ck->lists.contacts.n; i++) {
        const struct tm_contact *contact = &ck->lists.contacts.v[i];
        uint32_t one = contact->body[0], other = contact->body[1];
        if (of_surfaces(contact) && one < ck->lists.bodies.n &&
            other < ck->lists.bodies.n)
            pairs[count++] =
                (struct pair){one < other ? one : other,
                              one < other ? other : one, (uint32_t)i};
    }
    qsort(pairs, count, sizeof *pairs, pair_order);
    for (size_t i = 1; i < count; i++) {
        if (pairs[i].low != pairs[i - 1].low ||
            pairs[i].high != pairs[i - 1].high)
            continue;
        const struct tm_contact *first =
                                    &ck->lists.contacts.v[pairs[i - 1].contact],
                                *again =
                                    &ck->lists.contacts.v[pairs[i].contact];
        struct diag *diag =
            diag_add(ck->ds, DIAG_W0303, again->range,
                     "`%s` is a contact of the same two bodies as `%s`: each "
                     "of their touches is hit twice, with what either states",
                     again->name, first->name);
        CHECK_NOTE(ck, diag, first->range, "the other one");
        CHECK_HELP(ck, diag,
                   "leave one of them out; a contact of two bodies is that of "
                   "all points at which they touch");
        return; /* once, for all of them */
    }
}
