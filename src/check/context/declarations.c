/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The declarations of one module, found by their names. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "check/context/context.h"

const char *
decl_kind_name(enum decl_kind k)
{
    static const char *const names[] = {
        "param", "let",     "result", "function", "shape",
        "body",  "contact", "joint",  "rotor",    "system", "data",
        "declaration",
    };
    return names[k];
}

/* FNV-1a; `cap` is a power of two. */
static size_t
bucket(const char *name, size_t cap)
{
    uint64_t hash = 14695981039346656037U;
    for (const char *text = name; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211U;
    return (size_t)hash & (cap - 1);
}

struct decl *
scope_own(struct module *module, const char *name)
{
    assert(module && name);
    if (module->n_buckets == 0)
        return NULL;
    for (struct decl *decl = module->buckets[bucket(name, module->n_buckets)];
         decl; decl = decl->chain)
        if (!strcmp(decl->name, name))
            return decl;
    return NULL;
}

/* Doubles the table of a module, so that its chains stay short. */
static void
grow(struct arena *arena, struct module *module)
{
    size_t cap = module->n_buckets ? 2 * module->n_buckets : SCOPE_BUCKETS;
    module->buckets = NEW_N(arena, struct decl *, cap);
    module->n_buckets = cap;
    for (struct decl *decl = module->first; decl; decl = decl->next) {
        size_t at = bucket(decl->name, cap);
        decl->chain = module->buckets[at];
        module->buckets[at] = decl;
    }
}

bool
name_is_reserved(const char *name)
{
    assert(name);
    return !strcmp(name, "t") || !strcmp(name, "pi") || !strcmp(name, "tau");
}

bool
decl_is_pattern(const struct decl *decl)
{
    assert(decl);
    return decl->kind == DECL_SYSTEM && decl->item->has_formals;
}

void
decl_enter(struct check *ck, struct module *module, struct decl *decl)
{
    assert(ck && module && decl);
    if (module->last)
        module->last->next = decl;
    else
        module->first = decl;
    module->last = decl;
    if (++module->n_decls > module->n_buckets) {
        grow(ck->arena, module);
        return;
    }
    size_t at = bucket(decl->name, module->n_buckets);
    decl->chain = module->buckets[at];
    module->buckets[at] = decl;
}
