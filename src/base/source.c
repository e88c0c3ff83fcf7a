/* SPDX-License-Identifier: MIT */
/* Source texts and places in them. Line starts are indexed when a text is
 * added; a column is measured when it is asked for. */
#include "base/source.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/utf8.h"

struct entry {
    struct source pub;
    uint32_t *starts; /* byte offset of each line */
    uint32_t lines;
};
struct sources {
    struct arena *arena;
    struct entry **v;
    uint32_t n, cap;
};

struct sources *
sources_new(struct arena *arena)
{
    assert(arena);
    struct sources *s = NEW(arena, struct sources);
    s->arena = arena;
    return s;
}

uint32_t
sources_add(struct sources *sources, const char *name, const char *text,
            size_t len)
{
    assert(sources && name && (text || len == 0));
    if (len >=
        UINT32_MAX) /* ranges have 32 bits; callers refuse longer files */
        len = UINT32_MAX - 1;
    struct entry *added = NEW(sources->arena, struct entry);
    added->pub.name = arena_strdup(sources->arena, name);
    char *copy = arena_strndup(sources->arena, text, len);
    /* a carriage return alone ends a line, too, as it did on old machines */
    for (char *p = copy; (p = memchr(p, '\r', len - (size_t)(p - copy))); p++)
        if (p[1] != '\n')
            *p = '\n';
    added->pub.text = copy;
    added->pub.len = len;
    uint32_t lines = 1;
    for (const char *p = copy;
         (p = memchr(p, '\n', len - (size_t)(p - copy)));) {
        lines++;
        p++;
    }
    added->starts = NEW_N(sources->arena, uint32_t, lines);
    added->lines = 1;
    for (const char *p = copy; (p = memchr(p, '\n', len - (size_t)(p - copy)));)
        added->starts[added->lines++] = (uint32_t)(++p - copy);
    if (sources->n == sources->cap) {
        uint32_t cap = sources->cap ? 2 * sources->cap : 8;
        struct entry **v = NEW_N(sources->arena, struct entry *, cap);
        if (sources->n)
            memcpy(v, sources->v, sources->n * sizeof(struct entry *));
        sources->v = v;
        sources->cap = cap;
    }
    sources->v[sources->n++] = added;
    return sources->n;
}

uint32_t
sources_count(const struct sources *sources)
{
    return sources ? sources->n : 0;
}

const struct source *
source_get(const struct sources *sources, uint32_t file)
{
    return sources && file >= 1 && file <= sources->n
               ? &sources->v[file - 1]->pub
               : NULL;
}

const char *
source_at(const struct sources *sources, const char *path)
{
    assert(path);
    struct stat st, other;
    if (stat(path, &st))
        return NULL;
    for (uint32_t k = 1; k <= sources_count(sources); k++) {
        const char *name = source_get(sources, k)->name;
        if (!stat(name, &other) && st.st_dev == other.st_dev &&
            st.st_ino == other.st_ino)
            return name;
    }
    return NULL;
}

struct source_pos
source_pos(const struct sources *sources, uint32_t file, uint32_t off)
{
    const struct source *src = source_get(sources, file);
    if (!src)
        return (struct source_pos){0, 0};
    const struct entry *entry = sources->v[file - 1];
    if (off > src->len)
        off = (uint32_t)src->len;
    /* the last line that starts at or before off */
    uint32_t lo = 0, hi = entry->lines;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (entry->starts[mid] <= off)
            lo = mid;
        else
            hi = mid;
    }
    uint32_t start = entry->starts[lo], cells = 1;
    for (uint32_t i = start; i < off;) {
        uint32_t c = 0;
        size_t len = utf8_decode(src->text + i, src->len - i, &c);
        cells += len ? (uint32_t)utf8_cells(c) : 1;
        i += len ? (uint32_t)len : 1;
    }
    return (struct source_pos){lo + 1, cells};
}
