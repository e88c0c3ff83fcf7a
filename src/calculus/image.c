/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The image builder. Bytes are appended, equal texts are stored once, and the
 * header takes the place that was kept for it at offset 0. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "calculus/image.h"

struct image_builder {
    struct arena *arena;
    unsigned char *bytes;
    size_t n, cap;
    imp_tape *tapes;
    size_t n_tapes, cap_tapes;
    imp_str *texts; /* open addressing by content */
    uint32_t n_texts, cap_texts;
    imp_ref *arrays; /* of tapes, likewise; n counts bytes */
    uint32_t n_arrays, cap_arrays;
};

/* Makes room for n more bytes at a multiple of `align`; returns their offset.
 */
static size_t
take(struct image_builder *ib, size_t size, size_t align)
{
    size_t at = (ib->n + align - 1) / align * align;
    if (at + size > ib->cap) {
        size_t cap = ib->cap;
        while (cap < at + size)
            cap *= 2;
        ib->bytes = arena_enlarge(ib->arena, ib->bytes, ib->n, cap);
        ib->cap = cap;
    }
    ib->n = at + size;
    return at;
}

struct image_builder *
image_new(struct arena *arena)
{
    assert(arena);
    struct image_builder *ib = NEW(arena, struct image_builder);
    ib->arena = arena;
    ib->cap = 1 << 14;
    ib->bytes = arena_alloc(arena, ib->cap);
    ib->cap_texts = 256;
    ib->texts = NEW_N(arena, imp_str, ib->cap_texts);
    ib->cap_arrays = 256;
    ib->arrays = NEW_N(arena, imp_ref, ib->cap_arrays);
    take(ib, sizeof(imp_image), 16);
    return ib;
}

static uint32_t
hash(const void *v, size_t n)
{
    const unsigned char *byte = v;
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ byte[i]) * 16777619u;
    return h;
}

static uint32_t
text_at(const struct image_builder *ib, const imp_str *t, uint32_t cap,
        const char *s, size_t n)
{
    uint32_t at = hash(s, n) & (cap - 1);
    while (t[at].off &&
           (t[at].n != n || memcmp(ib->bytes + t[at].off, s, n) != 0))
        at = (at + 1) & (cap - 1);
    return at;
}

imp_str
image_textn(struct image_builder *ib, const char *s, size_t len)
{
    assert(ib && (s || len == 0));
    if (len == 0)
        return (imp_str){0, 0};
    uint32_t at = text_at(ib, ib->texts, ib->cap_texts, s, len);
    if (ib->texts[at].off)
        return ib->texts[at];
    size_t off = take(ib, len + 1, 1);
    memcpy(ib->bytes + off, s, len);
    ib->bytes[off + len] = 0;
    imp_str str = {(uint32_t)off, (uint32_t)len};
    ib->texts[at] = str;
    if (++ib->n_texts > ib->cap_texts / 2) {
        uint32_t cap = ib->cap_texts * 2;
        imp_str *t = NEW_N(ib->arena, imp_str, cap);
        for (uint32_t i = 0; i < ib->cap_texts; i++) {
            imp_str o = ib->texts[i];
            if (o.off)
                t[text_at(ib, t, cap, (char *)ib->bytes + o.off, o.n)] = o;
        }
        ib->texts = t;
        ib->cap_texts = cap;
    }
    return str;
}

imp_str
image_text(struct image_builder *ib, const char *s)
{
    assert(s != NULL);
    return s ? image_textn(ib, s, strlen(s)) : (imp_str){0, 0};
}

imp_ref
image_array(struct image_builder *ib, const void *v, size_t n, size_t size)
{
    assert(ib && size > 0 && (v || n == 0));
    if (n == 0)
        return (imp_ref){0, 0};
    size_t off = take(ib, n * size, 16);
    memcpy(ib->bytes + off, v, n * size);
    return (imp_ref){(uint32_t)off, (uint32_t)n};
}

static uint32_t
array_at(const struct image_builder *ib, const void *v, size_t n)
{
    uint32_t at = hash(v, n) & (ib->cap_arrays - 1);
    while (ib->arrays[at].off &&
           (ib->arrays[at].n != n ||
            memcmp(ib->bytes + ib->arrays[at].off, v, n) != 0))
        at = (at + 1) & (ib->cap_arrays - 1);
    return at;
}

static void
grow_arrays(struct image_builder *ib)
{
    const imp_ref *old = ib->arrays;
    uint32_t n = ib->cap_arrays;
    ib->cap_arrays *= 2;
    ib->arrays = NEW_N(ib->arena, imp_ref, ib->cap_arrays);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].off)
            ib->arrays[array_at(ib, ib->bytes + old[i].off, old[i].n)] = old[i];
}

/* The array where equal bytes stand already, or a new one. */
imp_ref
image_shared(struct image_builder *ib, const void *v, size_t n, size_t size)
{
    assert(ib && size > 0 && (v || n == 0));
    if (n == 0)
        return (imp_ref){0, 0};
    uint32_t at = array_at(ib, v, n * size);
    if (ib->arrays[at].off)
        return (imp_ref){ib->arrays[at].off, (uint32_t)n};
    imp_ref new = image_array(ib, v, n, size);
    ib->arrays[at] = (imp_ref){new.off, (uint32_t)(n * size)};
    if (++ib->n_arrays > ib->cap_arrays / 2)
        grow_arrays(ib);
    return new;
}

uint32_t
image_add_tape(struct image_builder *ib, const imp_tape *tape)
{
    assert(ib && tape);
    if (ib->n_tapes == ib->cap_tapes) {
        size_t cap = ib->cap_tapes ? ib->cap_tapes * 2 : 32;
        imp_tape *v = NEW_N(ib->arena, imp_tape, cap);
        if (ib->n_tapes)
            memcpy(v, ib->tapes, ib->n_tapes * sizeof *v);
        ib->tapes = v;
        ib->cap_tapes = cap;
    }
    ib->tapes[ib->n_tapes] = *tape;
    return (uint32_t)ib->n_tapes++;
}

const imp_image *
image_finish(struct image_builder *ib, imp_image *head)
{
    assert(ib && head);
    head->tapes = image_array(ib, ib->tapes, ib->n_tapes, sizeof *ib->tapes);
    take(ib, 0, 16);
    head->magic = IMP_IMAGE_MAGIC;
    head->abi = IMP_ABI_VERSION;
    head->size = (uint32_t)ib->n;
    memcpy(ib->bytes, head, sizeof *head);
    return (const imp_image *)(void *)ib->bytes;
}
