/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block `contacts { restitution = e }`: a contact of every pair of bodies
 * with surfaces, of which at least one can move, that has no contact of its own
 * and that no joint connects. Bodies that a joint connects overlap there by
 * design. Such a contact has the name "one|two". */
#include <assert.h>
#include <string.h>

#include "check/model/model_priv.h"

enum { K_RESTITUTION, K_FRICTION, K_IMPACT_FRICTION, K_LAW, N_KEYS };
const struct keydef all_contacts_keys[] = {
    {"restitution", "as of a contact, for all pairs that have none"},
    {"friction", "coefficient of friction (0), which may read `slip`, or "
                 "coulomb(static, dynamic)"},
    {"impact_friction", "coefficient of friction of impacts (as friction)"},
    {"law", "an impact law of their own, as of a contact"},
};
const size_t n_all_contacts_keys =
    sizeof all_contacts_keys / sizeof all_contacts_keys[0];

/* Beyond so many pairs one contact stands for all of them (tm_contact.rule): a
 * contact takes some 2 kB. docs/limits.md says what is followed then. */
#define PAIRS_MOST 100000

/* Pairs of bodies as bits: which have a contact, or a joint. */
struct pairs {
    unsigned char *taken;
    uint32_t n; /* bodies */
};

static void
take(struct pairs *pairs, const uint32_t body[2])
{
    if (body[0] >= pairs->n || body[1] >= pairs->n)
        return; /* the world, or an error that was told */
    for (int i = 0; i < 2; i++) {
        size_t at = (size_t)body[i] * pairs->n + body[1 - i];
        pairs->taken[at / 8] |= (unsigned char)(1u << at % 8);
    }
}

static struct pairs
taken_pairs(struct check *ck)
{
    uint32_t n = (uint32_t)ck->lists.bodies.n;
    struct pairs pairs = {NEW_N(ck->arena, unsigned char, (size_t)n *n / 8 + 1),
                          n};
    for (size_t i = 0; i < ck->lists.contacts.n; i++)
        if (!ck->lists.contacts.v[i].system)
            take(&pairs, ck->lists.contacts.v[i].body);
    for (size_t i = 0; i < ck->lists.joints.n; i++)
        take(&pairs, ck->lists.joints.v[i].body);
    return pairs;
}

/* the block of the model, and the file it stands in; NULL: there is none */
static const struct ast_item *
find_block(struct check *ck, struct module **home)
{
    const struct ast_item *found = NULL;
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (size_t i = 0; i < module->others.n; i++) {
            const struct ast_item *it = module->others.v[i];
            if (it->kind != AST_BLOCK || strcmp(it->name.text, "contacts"))
                continue;
            if (found && !ck->in->redefine) {
                struct diag *diag = check_error(
                    ck, DIAG_E0304, it->name.range,
                    "the contacts of all pairs are described twice");
                CHECK_NOTE(ck, diag, found->name.range, "first here");
                continue;
            }
            found = it;
            *home = module;
        }
    return found;
}

static bool
has_surface(const struct check *ck, uint32_t body)
{
    return ck->notes.body_decls.v[body]->item->head1 != NULL;
}

static bool
wants_contact(const struct check *ck, const struct pairs *pairs, uint32_t one,
              uint32_t two)
{
    size_t at = (size_t)one * pairs->n + two;
    return !(pairs->taken[at / 8] >> at % 8 & 1) &&
           !(ck->lists.bodies.v[one].fixed && ck->lists.bodies.v[two].fixed) &&
           has_surface(ck, one) && has_surface(ck, two);
}

static uint64_t
count_pairs(const struct check *ck, const struct pairs *pairs)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pairs->n; i++)
        for (uint32_t j = i + 1; j < pairs->n; j++)
            count += wants_contact(ck, pairs, i, j);
    return count;
}

void
check_all_contacts(struct check *ck)
{
    assert(ck);
    struct module *home = NULL;
    const struct ast_item *block = find_block(ck, &home);
    if (!block)
        return;
    const struct ast_item *keys[N_KEYS];
    struct env env = {.module = home};
    struct tm_contact contact = {
        .doc = "", .range = block->name.range, .body = {IMP_WORLD, IMP_WORLD}};
    int errors = ck->ds->errors;
    block_keys(ck, block, all_contacts_keys, n_all_contacts_keys,
               "block of contacts", keys);
    contact_restitution(ck, &env, keys[K_RESTITUTION],
                        dim_mks(ck->dims, 1, 0, -1), &contact);
    body_friction(ck, &env, keys[K_FRICTION], keys[K_IMPACT_FRICTION],
                  &contact);
    body_law(ck, &env, keys[K_LAW], &contact);
    if (ck->ds->errors > errors)
        return;
    struct pairs pairs = taken_pairs(ck);
    contact.rule = count_pairs(ck, &pairs) > PAIRS_MOST;
    for (uint32_t i = 0; i < pairs.n; i++)
        for (uint32_t j = i + 1; j < pairs.n; j++) {
            const struct tm_body *one = &ck->lists.bodies.v[i],
                                 *two = &ck->lists.bodies.v[j];
            if (!wants_contact(ck, &pairs, i, j))
                continue;
            contact.name =
                arena_printf(ck->arena, "%s|%s", one->name, two->name);
            contact.body[0] = i;
            contact.body[1] = j;
            const char *word =
                arena_printf(ck->arena, "%s_%s", one->name, two->name);
            if (contact_is_searched(ck, word, &contact))
                APUSH(ck, &ck->lists.contacts, contact);
            if (contact.rule)
                return;
        }
}
