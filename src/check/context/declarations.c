/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The declarations of one module, found by their names. */
#include <assert.h>
#include <string.h>

#include "check/context/context.h"

const char *
decl_kind_name(enum decl_kind k)
{
    static const char *const names[] = {
        "param", "let",     "result", "function", "shape",
        "body",  "contact", "joint",  "system",   "declaration",
    };
    return names[k];
}

static unsigned
bucket(const char *name)
{
    unsigned h = 2166136261u;
    for (const char *text = name; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h % SCOPE_BUCKETS;
}

struct decl *
scope_own(struct module *module, const char *name)
{
    assert(module && name);
    for (struct decl *decl = module->bucket[bucket(name)]; decl;
         decl = decl->chain)
        if (!strcmp(decl->name, name))
            return decl;
    return NULL;
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
decl_enter(struct module *module, struct decl *decl)
{
    assert(module && decl);
    unsigned b = bucket(decl->name);
    decl->chain = module->bucket[b];
    module->bucket[b] = decl;
    if (module->last)
        module->last->next = decl;
    else
        module->first = decl;
    module->last = decl;
}
