/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The declarations of one module, found by their names. */
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
    for (const char *s = name; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h % SCOPE_BUCKETS;
}

struct decl *
scope_own(struct module *m, const char *name)
{
    for (struct decl *d = m->bucket[bucket(name)]; d; d = d->chain)
        if (!strcmp(d->name, name))
            return d;
    return NULL;
}

bool
name_is_reserved(const char *name)
{
    return !strcmp(name, "t") || !strcmp(name, "pi") || !strcmp(name, "tau");
}

bool
decl_is_pattern(const struct decl *d)
{
    return d->kind == D_SYSTEM && d->item->has_formals;
}

void
decl_enter(struct module *m, struct decl *d)
{
    unsigned b = bucket(d->name);
    d->chain = m->bucket[b];
    m->bucket[b] = d;
    if (m->last)
        m->last->next = d;
    else
        m->first = d;
    m->last = d;
}
