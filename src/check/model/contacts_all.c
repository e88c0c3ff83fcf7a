/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks `contacts`, each a contact of many pairs of bodies with surfaces,
 * of which at least one can move, that have no contact of their own and that no
 * joint connects (bodies that a joint connects overlap there by design):
 *
 *   contacts(a, b, balls) { ... }        pairs among these bodies
 *   contacts between balls, walls { ... } pairs of one of each side
 *   contacts { ... }                     all pairs that are left
 *
 * Such a contact has the name "one|two". At the end: two contacts that name the
 * same two bodies. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "check/model/model_priv.h"

enum {
    K_RESTITUTION,
    K_FRICTION,
    K_IMPACT_FRICTION,
    K_LAW,
    K_STIFFNESS,
    K_EXPONENT,
    K_COMPLIANCE,
    K_SCALE,
    N_KEYS
};
const struct keydef all_contacts_keys[] = {
    {"restitution", "as of a contact, for all pairs that have none"},
    {"friction", "coefficient of friction (0), which may read `slip`, or "
                 "coulomb(static, dynamic)"},
    {"impact_friction", "coefficient of friction of impacts (as friction)"},
    {"law", "an impact law of their own, as of a contact"},
    {"stiffness", "of their bonds beside others, for the law lzb"},
    {"exponent", "of these bonds: the power of their depth in the force (3/2)"},
    {"compliance", "in the plane: the normal force of each, a formula of "
                   "`depth` and `speed`, where they are to yield"},
    {"scale",
     "of compliance: depths are so many times those of its formula (1)"},
};
const size_t n_all_contacts_keys =
    sizeof all_contacts_keys / sizeof all_contacts_keys[0];

/* Beyond so many pairs one contact stands for all of them (tm_contact.rule): a
 * contact takes some 5 kB of a run, which else makes those whose bodies come
 * near. Where something asks about all pairs, more are kept. */
#define PAIRS_MOST 5000
#define PAIRS_MOST_ASKED 100000

/* so many blocks may stand for more pairs than that (IMP_CONTACT_RULES) */
#define RULES_MOST IMP_CONTACT_RULES

/* Pairs of bodies that have a contact, or a joint: of body i those with the
 * bodies other[first[i]] .. other[first[i + 1] - 1], and those of the blocks
 * that were declared before. */
struct pairs {
    uint32_t *first, *other;
    uint32_t n; /* bodies */
    const struct block_of_contacts *declared;
    size_t n_declared;
};

/* One block: the bodies of both sides, which are the same where `between` is
 * not said. */
struct block_of_contacts {
    const struct ast_item *item;
    struct module *home;
    bool *side[2]; /* per body */
    bool all;      /* it names no bodies */
    struct tm_contact contact;
};

/* Counts a pair at each of its bodies, or, where `other` is there, notes it. */
static void
take(struct pairs *pairs, const uint32_t body[2])
{
    if (body[0] >= pairs->n || body[1] >= pairs->n)
        return; /* the world, or an error that was told */
    for (int i = 0; i < 2; i++) {
        uint32_t at = pairs->first[body[i] + 1]++;
        if (pairs->other)
            pairs->other[at] = body[1 - i];
    }
}

static void
take_all(const struct check *ck, struct pairs *pairs)
{
    for (size_t i = 0; i < ck->lists.contacts.n; i++)
        if (!ck->lists.contacts.v[i].system)
            take(pairs, ck->lists.contacts.v[i].body);
    for (size_t i = 0; i < ck->lists.joints.n; i++)
        take(pairs, ck->lists.joints.v[i].body);
}

static struct pairs
taken_pairs(struct check *ck)
{
    uint32_t n = (uint32_t)ck->lists.bodies.n, sum = 0;
    struct pairs pairs = {.first = NEW_N(ck->arena, uint32_t, (size_t)n + 2),
                          .n = n};
    take_all(ck, &pairs);
    /* first[i + 1] is where the pairs of body i begin, until they are noted */
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t count = pairs.first[i];
        pairs.first[i] = sum;
        sum += count;
    }
    pairs.other = NEW_N(ck->arena, uint32_t, (size_t)sum + 1);
    take_all(ck, &pairs);
    return pairs;
}

static bool
has_surface(const struct check *ck, uint32_t body)
{
    return ck->notes.body_decls.v[body]->item->head1 != NULL;
}

/* -- the bodies of a block ------------------------------------------------- */

static void
named_twice(struct check *ck, const struct block_of_contacts *block,
            uint32_t body, imp_range where)
{
    const char *name = ck->lists.bodies.v[body].name;
    bool between = block->item->name2.text != NULL;
    struct diag *diag =
        check_error(ck, DIAG_E0320, where,
                    between ? "`%s` stands on both sides of `between`"
                            : "`%s` is named twice",
                    name);
    CHECK_HELP(ck, diag,
               between ? "contacts among alike bodies are contacts(...) { }"
                       : "name each body once");
}

static void
without_surface(struct check *ck, uint32_t body, imp_range where)
{
    const struct decl *decl = ck->notes.body_decls.v[body];
    if (block_has_shape(decl->item))
        return;
    struct diag *diag = check_error(
        ck, DIAG_E0322, where,
        "the body `%s` has no shape, so it cannot touch anything", decl->name);
    CHECK_NOTE(ck, diag, decl->range, "declared here");
    CHECK_HELP(ck, diag, "give it one, as in body %s : %s(1), or leave it out",
               decl->name, ck->m->dim == 3 ? "sphere" : "circle");
}

/* Marks the bodies of one expression: a body, a family, or several of these in
 * brackets. */
static bool
mark(struct check *ck, struct block_of_contacts *block, int side,
     const struct ast_expr *node)
{
    struct env env = {.module = block->home};
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind == AST_TUPLE && !inner->unit) {
        bool good = true;
        for (size_t i = 0; i < inner->n_list; i++)
            good &= mark(ck, block, side, inner->list[i]);
        return good;
    }
    uint32_t first, count;
    if (!contact_bodies(ck, &env, inner, &first, &count))
        return false;
    for (uint32_t body = first; body < first + count; body++) {
        if (!has_surface(ck, body)) {
            without_surface(ck, body, inner->range);
            return false;
        }
        if (block->side[0][body] || block->side[1][body]) {
            named_twice(ck, block, body, inner->range);
            return false;
        }
        block->side[side][body] = true;
    }
    return true;
}

/* E0321, E0324: a block that can be of no pair. */
static bool
makes_pairs(struct check *ck, const struct block_of_contacts *block)
{
    uint32_t count = 0, moving = 0, n = (uint32_t)ck->lists.bodies.n;
    for (uint32_t i = 0; i < n; i++)
        if (block->side[0][i] || block->side[1][i]) {
            count++;
            moving += !ck->lists.bodies.v[i].fixed;
        }
    if (count == 1) {
        struct diag *diag =
            check_error(ck, DIAG_E0324, block->item->args[0]->range,
                        "contacts are of two bodies or more, but this is one");
        CHECK_HELP(ck, diag, "contacts(one, two) { }, or a family of bodies");
    } else if (moving == 0) {
        struct diag *diag = check_error(ck, DIAG_E0321, block->item->name.range,
                                        "all bodies of these contacts are "
                                        "fixed");
        CHECK_HELP(ck, diag, "an impact needs a body that can move");
    }
    return count > 1 && moving > 0;
}

static bool
mark_bodies(struct check *ck, struct block_of_contacts *block)
{
    const struct ast_item *item = block->item;
    uint32_t n = (uint32_t)ck->lists.bodies.n;
    bool between = item->name2.text != NULL, good = true;
    for (int i = 0; i < 2; i++)
        block->side[i] = NEW_N(ck->arena, bool, n + 1);
    if (block->all) {
        for (uint32_t i = 0; i < n; i++)
            block->side[0][i] = block->side[1][i] = has_surface(ck, i);
        return true;
    }
    if (between && item->n_args != 2) {
        struct diag *diag = check_error(
            ck, DIAG_E0324, item->name2.range,
            "`between` has two sides, but here are %zu", item->n_args);
        CHECK_HELP(ck, diag,
                   "several bodies of one side stand in brackets: contacts "
                   "between balls, (floor, wall) { }");
        return false;
    }
    for (size_t i = 0; i < item->n_args; i++)
        good &= mark(ck, block, between ? (int)i : 0, item->args[i]);
    if (!good || !makes_pairs(ck, block))
        return false;
    if (!between)
        block->side[1] = block->side[0];
    return true;
}

/* -- the blocks of the model ----------------------------------------------- */

static void
read_block(struct check *ck, struct block_of_contacts *block)
{
    const struct ast_item *keys[N_KEYS];
    struct env env = {.module = block->home};
    struct tm_contact *contact = &block->contact;
    *contact = (struct tm_contact){.name = "contacts { }",
                                   .doc = "",
                                   .range = block->item->name.range,
                                   .body = {IMP_WORLD, IMP_WORLD}};
    block_keys(ck, block->item, all_contacts_keys, n_all_contacts_keys,
               "block of contacts", keys);
    contact_restitution(ck, &env, keys[K_RESTITUTION],
                        dim_mks(ck->dims, 1, 0, -1), contact);
    const struct ast_item *beside[] = {keys[K_FRICTION],
                                       keys[K_IMPACT_FRICTION], keys[K_LAW],
                                       keys[K_COMPLIANCE]};
    if (!contact_sticks_alone(ck, contact, beside, 4)) {
        body_friction(ck, &env, keys[K_FRICTION], keys[K_IMPACT_FRICTION],
                      contact);
        body_law(ck, &env, keys[K_LAW], contact);
    }
    contact_bond(ck, &env, keys[K_STIFFNESS], keys[K_EXPONENT], contact);
    if (!contact->sticks)
        body_compliance(ck, &env, keys[K_COMPLIANCE], keys[K_SCALE], contact);
}

/* The place of the block that names the same bodies; n: there is none. */
static size_t
same_block(const struct block_of_contacts *blocks, size_t n,
           const struct ast_item *item)
{
    size_t at = 0;
    while (at < n && !ast_same_block(blocks[at].item, item))
        at++;
    return at;
}

/* All blocks in the order in which pairs are given to them: those that name
 * bodies, then that of all others. Returns how many there are. */
static size_t
find_blocks(struct check *ck, struct block_of_contacts **out)
{
    size_t count = 0, n = 0;
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        count += module->others.n;
    struct block_of_contacts *blocks =
        NEW_N(ck->arena, struct block_of_contacts, count + 1);
    struct block_of_contacts all = {.item = NULL};
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (size_t i = 0; i < module->others.n; i++) {
            const struct ast_item *it = module->others.v[i];
            if (it->kind != AST_BLOCK || strcmp(it->name.text, "contacts"))
                continue;
            if (it->n_args) {
                size_t at = ck->in->redefine ? same_block(blocks, n, it) : n;
                blocks[at] =
                    (struct block_of_contacts){.item = it, .home = module};
                n += at == n;
                continue;
            }
            if (all.item && !ck->in->redefine) {
                struct diag *diag = check_error(
                    ck, DIAG_E0304, it->name.range,
                    "the contacts of all pairs are described twice");
                CHECK_NOTE(ck, diag, all.item->name.range, "first here");
                continue;
            }
            all = (struct block_of_contacts){
                .item = it, .home = module, .all = true};
        }
    if (all.item)
        blocks[n++] = all;
    *out = blocks;
    return n;
}

/* -- how many pairs are kept ------------------------------------------------
 */

/* Does a command, or a key within it, ask about all pairs of the model? Those
 * that follow a motion do only if they say so. */
static bool
asks_pairs(const struct ast_item *item)
{
    static const char *const follow[] = {"simulate", "sweep", "fit",
                                         "minimise", "show",  "expect",
                                         "plot",     "save"},
                             *const keys[] = {"search", "engine", "paradox",
                                              "through"};
    bool asks = item->kind == AST_COMMAND;
    for (size_t i = 0; asks && i < sizeof follow / sizeof *follow; i++)
        asks = strcmp(item->name.text, follow[i]) != 0;
    for (size_t i = 0; item->kind == AST_KEY && i < sizeof keys / sizeof *keys;
         i++)
        asks |= !strcmp(item->name.text, keys[i]);
    if (item->command)
        asks |= asks_pairs(item->command);
    for (size_t i = 0; i < item->n_block && !asks; i++)
        asks = asks_pairs(item->block[i]);
    return asks;
}

/* Does the coefficient change along the motion? Then it may have branches,
 * which no contact that a run makes may have. */
static bool
changes(const struct check *ck, const struct tm_num *mu)
{
    return mu->e &&
           (ex_depends(ck->m->graph, mu->e, SYM_SLIP, UINT32_MAX, UINT32_MAX) ||
            ex_depends(ck->m->graph, mu->e, SYM_TIME, UINT32_MAX, UINT32_MAX));
}

static uint64_t
pairs_most(struct check *ck, const struct block_of_contacts *blocks, size_t n)
{
    bool asked = false;
    for (size_t i = 0; i < n; i++)
        asked |= blocks[i].contact.yields ||
                 changes(ck, &blocks[i].contact.mu) ||
                 changes(ck, &blocks[i].contact.mu_static) ||
                 changes(ck, &blocks[i].contact.mu_impact);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (size_t i = 0; i < module->others.n && !asked; i++)
            asked = asks_pairs(module->others.v[i]);
    return asked ? PAIRS_MOST_ASKED : PAIRS_MOST;
}

/* -- pairs ------------------------------------------------------------------
 */

static bool
in_block(const struct block_of_contacts *block, uint32_t one, uint32_t two)
{
    return (block->side[0][one] && block->side[1][two]) ||
           (block->side[0][two] && block->side[1][one]);
}

static bool
wants_contact(const struct check *ck, const struct pairs *pairs,
              const struct block_of_contacts *block, uint32_t one, uint32_t two)
{
    bool wanted =
        in_block(block, one, two) &&
        !(ck->lists.bodies.v[one].fixed && ck->lists.bodies.v[two].fixed);
    for (uint32_t i = pairs->first[one]; i < pairs->first[one + 1] && wanted;
         i++)
        wanted = pairs->other[i] != two;
    for (size_t i = 0; i < pairs->n_declared && wanted; i++)
        wanted = !in_block(pairs->declared + i, one, two);
    return wanted;
}

/* As far as `most` + 1. */
static uint64_t
count_pairs(const struct check *ck, const struct pairs *pairs,
            const struct block_of_contacts *block, uint64_t most)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pairs->n && count <= most; i++)
        for (uint32_t j = i + 1; j < pairs->n; j++)
            count += wants_contact(ck, pairs, block, i, j);
    return count;
}

/* E0393: is a pair of this block one of another block that names bodies, too?
 */
static bool
disjoint(struct check *ck, const struct block_of_contacts *blocks, size_t which)
{
    const struct block_of_contacts *block = blocks + which;
    uint32_t n = (uint32_t)ck->lists.bodies.n;
    for (size_t k = 0; k < which; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++) {
                if (!in_block(block, i, j) || !in_block(blocks + k, i, j) ||
                    (ck->lists.bodies.v[i].fixed &&
                     ck->lists.bodies.v[j].fixed))
                    continue;
                struct diag *diag = check_error(
                    ck, DIAG_E0393, block->item->name.range,
                    "`%s` and `%s` have a contact by another block already",
                    ck->lists.bodies.v[i].name, ck->lists.bodies.v[j].name);
                CHECK_NOTE(ck, diag, blocks[k].item->name.range, "this one");
                CHECK_HELP(ck, diag,
                           "name each pair in one block: `contacts between` "
                           "states sides; a pair that differs is a contact of "
                           "its own, contact c : one | two { }");
                return false;
            }
    return true;
}

/* Bodies of one declaration have shapes of one kind. */
struct kinds {
    uint32_t n, *of; /* per body: the first one of its declaration */
    unsigned char *seen;
    /* declarations; per first body: its number, and which body comes behind */
    uint32_t n_first, *number, *end;
};

static void
find_kinds(struct check *ck, struct kinds *kinds)
{
    kinds->of = NEW_N(ck->arena, uint32_t, kinds->n + 1);
    kinds->number = NEW_N(ck->arena, uint32_t, kinds->n + 1);
    kinds->end = NEW_N(ck->arena, uint32_t, kinds->n + 1);
    for (uint32_t i = 0; i < kinds->n; i++) {
        const struct tm_body *body = &ck->lists.bodies.v[i];
        bool again = i > 0 && body->range.lo == body[-1].range.lo &&
                     body->range.file == body[-1].range.file;
        kinds->of[i] = again ? kinds->of[i - 1] : i;
        if (!again)
            kinds->number[i] = kinds->n_first++;
        kinds->end[kinds->of[i]] = i + 1;
    }
    kinds->seen = NEW_N(ck->arena, unsigned char,
                        (size_t)kinds->n_first * kinds->n_first + 1);
}

/* Has there been a pair of these two declarations? */
static unsigned char *
seen_of(const struct kinds *kinds, uint32_t one, uint32_t two)
{
    return kinds->seen +
           (size_t)kinds->number[kinds->of[one]] * kinds->n_first +
           kinds->number[kinds->of[two]];
}

/* Declares the contacts of a block, or one that stands for all of them, with
 * number `rule` - 1; 0: none does. */
static void
declare_pairs(struct check *ck, const struct pairs *pairs,
              const struct block_of_contacts *block, uint32_t rule)
{
    struct tm_contact contact = block->contact;
    struct kinds kinds = {.n = pairs->n};
    bool made = false;
    contact.rule = rule;
    if (rule)
        find_kinds(ck, &kinds);
    for (uint32_t i = 0; i < pairs->n; i++)
        for (uint32_t j = i + 1; j < pairs->n; j++) {
            const struct tm_body *one = &ck->lists.bodies.v[i],
                                 *two = &ck->lists.bodies.v[j];
            if (rule && made && *seen_of(&kinds, i, j)) {
                j = kinds.end[kinds.of[j]] - 1; /* nor any other of them */
                continue;
            }
            if (!wants_contact(ck, pairs, block, i, j))
                continue;
            if (rule && made)
                *seen_of(&kinds, i, j) = 1;
            contact.name =
                arena_printf(ck->arena, "%s|%s", one->name, two->name);
            contact.body[0] = i;
            contact.body[1] = j;
            const char *word =
                arena_printf(ck->arena, "%s_%s", one->name, two->name);
            if (!contact_is_searched(ck, word, &contact))
                return;
            if (rule && made)
                continue;
            made = true;
            APUSH(ck, &ck->lists.contacts, contact);
        }
}

static void
mark_rule(struct check *ck, const struct block_of_contacts *block,
          uint32_t rule)
{
    for (size_t i = 0; i < ck->lists.bodies.n; i++)
        for (int side = 0; side < 2; side++)
            if (block->side[side][i])
                ck->lists.bodies.v[i].sides |=
                    1u << (2 * (rule - 1) + (uint32_t)side);
}

void
check_all_contacts(struct check *ck)
{
    assert(ck);
    struct block_of_contacts *blocks;
    size_t n = find_blocks(ck, &blocks);
    int errors = ck->ds->errors;
    for (size_t i = 0; i < n; i++) {
        read_block(ck, blocks + i);
        mark_bodies(ck, blocks + i);
    }
    for (size_t i = 0; i < n && ck->ds->errors == errors; i++)
        if (!blocks[i].all)
            disjoint(ck, blocks, i);
    if (ck->ds->errors > errors || n == 0)
        return;
    struct pairs pairs = taken_pairs(ck);
    uint64_t listed = 0, most = pairs_most(ck, blocks, n);
    uint32_t rules = 0;
    for (size_t i = 0; i < n; i++) {
        pairs.declared = blocks;
        pairs.n_declared = i;
        uint64_t count = count_pairs(ck, &pairs, blocks + i, most);
        bool rule = listed + count > most;
        if (rule && rules == RULES_MOST) {
            check_unavailable(ck, blocks[i].item->name.range,
                              "so many blocks of contacts of more than 100000 "
                              "pairs",
                              "join some of these blocks: one may name several "
                              "families, contacts between (a, b), c { }");
            return;
        }
        rules += rule;
        listed += rule ? 0 : count;
        declare_pairs(ck, &pairs, blocks + i, rule ? rules : 0);
        if (rule)
            mark_rule(ck, blocks + i, rules);
    }
}

/* -- two contacts of one pair -----------------------------------------------
 * Each touch of the bodies would be hit once per contact, with what each of
 * these states (W0303). */

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
    if (ck->ds->errors)
        return; /* the bodies of a wrong contact are not known */
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
