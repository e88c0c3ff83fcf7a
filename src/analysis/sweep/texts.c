/* SPDX-License-Identifier: MIT */
/* Texts that runs found: an open hash table of numbers, and the texts by their
 * number. A text is never moved or removed, so a number stays valid; the table
 * of all texts may move when another thread adds one. */
#include <assert.h>
#include <string.h>

#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"

/* Returns the bucket of a text: that of its number, or the empty one for it. */
static uint32_t *
place(struct sweep_texts *texts, const char *s)
{
    size_t k = (size_t)journal_hash(JOURNAL_HASH, s, strlen(s));
    for (;; k++) {
        uint32_t *b = &texts->bucket[k & (2 * texts->n_most - 1)];
        if (!*b || !strcmp(texts->text[*b], s))
            return b;
    }
}

/* Makes room for more. The former memory stays in the arena. */
static void
grow(struct sweep_texts *texts, size_t most)
{
    assert(most > texts->n && (most & (most - 1)) == 0);
    const char **v = NEW_N(texts->arena, const char *, most);
    uint32_t *bucket = NEW_N(texts->arena, uint32_t, 2 * most);
    if (texts->n)
        memcpy(v, texts->text, texts->n * sizeof *v);
    texts->text = v;
    texts->bucket = bucket;
    texts->n_most = most;
    for (size_t i = 1; i < texts->n; i++)
        *place(texts, v[i]) = (uint32_t)i;
}

void
sweep_texts_init(struct sweep_texts *texts)
{
    assert(texts);
    *texts = (struct sweep_texts){.arena = arena_new()};
    pthread_mutex_init(&texts->lock, NULL);
    grow(texts, 64);
    texts->text[texts->n++] = "";
}

void
sweep_texts_free(struct sweep_texts *texts)
{
    if (!texts->arena)
        return;
    arena_free(texts->arena);
    pthread_mutex_destroy(&texts->lock);
    *texts = (struct sweep_texts){0};
}

static uint32_t
text_locked(struct sweep_texts *texts, const char *text)
{
    assert(texts->n <= texts->n_most);
    uint32_t *b = place(texts, text);
    if (*b)
        return *b;
    if (texts->n == texts->n_most) {
        grow(texts, 2 * texts->n_most);
        b = place(texts, text);
    }
    texts->text[texts->n] = arena_strdup(texts->arena, text);
    return *b = (uint32_t)texts->n++;
}

uint32_t
sweep_text_number(struct sweep_texts *texts, const char *text)
{
    assert(texts->arena && text);
    struct oom_guard guard;
    pthread_mutex_lock(&texts->lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&texts->lock);
        oom_raise();
    }
    oom_enter(&guard);
    uint32_t k = *text ? text_locked(texts, text) : 0;
    oom_leave(&guard);
    pthread_mutex_unlock(&texts->lock);
    return k;
}

void
sweep_texts_put(struct sweep_texts *texts, const uint32_t *number, size_t count,
                struct buf *buf)
{
    struct oom_guard guard;
    pthread_mutex_lock(&texts->lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&texts->lock);
        oom_raise();
    }
    oom_enter(&guard);
    for (size_t k = 0; k < count; k++) {
        assert(number[k] < texts->n);
        const char *text = texts->text[number[k]];
        uint32_t length = (uint32_t)strlen(text);
        buf_put(buf, (const char *)&length, sizeof length);
        buf_put(buf, text, length);
    }
    oom_leave(&guard);
    pthread_mutex_unlock(&texts->lock);
}
