/* SPDX-License-Identifier: MIT */
/* What a sweep keeps of its runs: rows of numbers, texts by number, and the
 * bytes of both in the journal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"

/* -- texts ----------------------------------------------------------------- */

static uint32_t *
place(struct sweep_texts *texts, const char *s)
{
    size_t k = (size_t)journal_hash(JOURNAL_HASH, s, strlen(s));
    for (;; k++) {
        uint32_t *b = &texts->bucket[k & (2 * texts->n_most - 1)];
        if (!*b || !strcmp(texts->v[*b], s))
            return b;
    }
}

/* room for more; what it had before stays in the arena */
static void
grow(struct sweep_texts *texts, size_t most)
{
    const char **v = NEW_N(texts->arena, const char *, most);
    uint32_t *bucket = NEW_N(texts->arena, uint32_t, 2 * most);
    if (texts->n)
        memcpy(v, texts->v, texts->n * sizeof *v);
    texts->v = v;
    texts->bucket = bucket;
    texts->n_most = most;
    for (size_t i = 1; i < texts->n; i++)
        *place(texts, v[i]) = (uint32_t)i;
}

void
sweep_texts_init(struct sweep_texts *texts)
{
    *texts = (struct sweep_texts){.arena = arena_new()};
    pthread_mutex_init(&texts->lock, NULL);
    grow(texts, 64);
    texts->v[texts->n++] = "";
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
text_locked(struct sweep_texts *texts, const char *s)
{
    uint32_t *b = place(texts, s);
    if (*b)
        return *b;
    if (texts->n == texts->n_most) {
        grow(texts, 2 * texts->n_most);
        b = place(texts, s);
    }
    texts->v[texts->n] = arena_strdup(texts->arena, s);
    return *b = (uint32_t)texts->n++;
}

/* number of a text; from any thread */
static uint32_t
sweep_text(struct sweep_texts *texts, const char *s)
{
    struct oom_guard guard;
    pthread_mutex_lock(&texts->lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&texts->lock);
        oom_raise();
    }
    oom_enter(&guard);
    uint32_t k = *s ? text_locked(texts, s) : 0;
    oom_leave(&guard);
    pthread_mutex_unlock(&texts->lock);
    return k;
}

/* -- runs ------------------------------------------------------------------ */

/* number of a text, of a column whose last one is there */
static uint32_t
number_of(struct sweep_texts *texts, const struct field_value *value,
          struct sweep_last_text *last)
{
    const char *s = value->text;
    if (value->lasting && s == last->lasting)
        return last->number;
    last->lasting = NULL;
    if (!last->n || strcmp(last->s, s) != 0) {
        size_t n = strlen(s);
        last->number = sweep_text(texts, s);
        last->n = n < sizeof last->s ? (uint32_t)n : 0;
        memcpy(last->s, s, last->n);
        last->s[last->n] = 0;
    }
    if (value->lasting)
        last->lasting = s;
    return last->number;
}

void
sweep_keep_record(struct sweep *sweep, uint64_t i, const struct record *record,
                  struct sweep_last_text *last)
{
    for (size_t k = 0; k < sweep->n_fields; k++) {
        const struct sweep_field *field = &sweep->field[k];
        if (field->calculated)
            continue;
        const struct field_value *value = &record->v[field->field];
        if (field->text)
            field->text[i] =
                value->why ? 0 : number_of(&sweep->texts, value, &last[k]);
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->num[i * field->width + j] = value->why ? NAN : value->num[j];
    }
    sweep->state[i] = SWEEP_DONE;
}

void
sweep_keep_error(struct sweep *sweep, uint64_t i, const char *why)
{
    for (size_t k = 0; k < sweep->n_fields; k++) {
        const struct sweep_field *field = &sweep->field[k];
        for (size_t j = 0; j < field->width && !field->text; j++)
            field->num[i * field->width + j] = NAN;
        if (field->text)
            field->text[i] = 0;
    }
    sweep->error[i] = sweep_text(&sweep->texts, *why ? why : "failed");
    sweep->state[i] = SWEEP_DONE;
    atomic_fetch_add(&sweep->failed, 1);
}

/* -- the journal ------------------------------------------------------------
 * A frame: the texts of its runs, each with its length before it, then runs
 * that follow one another: the number of the first, how many, whether some of
 * them failed, then column by column numbers as they are, texts by their place
 * among those of the frame (0: none) in as many bytes as that needs, and the
 * reasons of failures likewise. */

struct head {
    uint32_t n, size; /* texts; bytes of a number of one */
};
struct stretch {
    uint64_t first, n, failed;
};

void
sweep_waiting_begin(struct sweep_waiting *waiting, uint64_t i)
{
    VEC_PUSH(waiting, (struct sweep_stretch){i, 1});
}

void
sweep_waiting_free(struct sweep_waiting *waiting)
{
    free(waiting->v);
    free(waiting->local.v);
    free(waiting->used.v);
    *waiting = (struct sweep_waiting){0};
}

/* texts of n runs get numbers in the frame */
static void
use(struct sweep_waiting *waiting, const uint32_t *text, uint64_t n)
{
    uint32_t last = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (text[i] == last)
            continue;
        last = text[i];
        while (waiting->local.n <= last)
            VEC_PUSH(&waiting->local, 0);
        if (last && !waiting->local.v[last]) {
            VEC_PUSH(&waiting->used, last);
            waiting->local.v[last] = (uint32_t)waiting->used.n;
        }
    }
}

/* texts that were used; other threads may move the list of all */
static void
pack_texts(struct sweep *sweep, const struct sweep_waiting *waiting,
           struct buf *buf)
{
    struct sweep_texts *texts = &sweep->texts;
    struct oom_guard guard;
    pthread_mutex_lock(&texts->lock);
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        pthread_mutex_unlock(&texts->lock);
        oom_raise();
    }
    oom_enter(&guard);
    for (size_t k = 0; k < waiting->used.n; k++) {
        const char *text = texts->v[waiting->used.v[k]];
        uint32_t n = (uint32_t)strlen(text);
        buf_put(buf, (const char *)&n, sizeof n);
        buf_put(buf, text, n);
    }
    oom_leave(&guard);
    pthread_mutex_unlock(&texts->lock);
}

static void
pack_numbers(const struct sweep_waiting *waiting, const uint32_t *text,
             uint64_t n, uint32_t size, struct buf *buf)
{
    char *to = buf_room(buf, (size_t)n * size);
    for (uint64_t i = 0; i < n; i++, to += size) {
        uint32_t k = text[i] ? waiting->local.v[text[i]] : 0;
        unsigned char one = (unsigned char)k;
        memcpy(to, size == 1 ? (void *)&one : (void *)&k, size);
    }
}

static bool
any_failed(const struct sweep *sweep, const struct sweep_stretch *stretch)
{
    uint64_t i = 0;
    while (i < stretch->n && !sweep->error[stretch->first + i])
        i++;
    return i < stretch->n;
}

void
sweep_pack(struct sweep *sweep, struct sweep_waiting *waiting, struct buf *buf)
{
    bool failed = atomic_load(&sweep->failed) > 0;
    for (size_t k = 0; k < waiting->n; k++) {
        const struct sweep_stretch *stretch = &waiting->v[k];
        for (size_t j = 0; j < sweep->n_fields; j++)
            if (sweep->field[j].text)
                use(waiting, sweep->field[j].text + stretch->first, stretch->n);
        if (failed)
            use(waiting, sweep->error + stretch->first, stretch->n);
    }
    struct head head = {(uint32_t)waiting->used.n,
                        waiting->used.n < 256 ? 1 : 4};
    buf_put(buf, (const char *)&head, sizeof head);
    pack_texts(sweep, waiting, buf);
    for (size_t k = 0; k < waiting->n; k++) {
        const struct sweep_stretch *stretch = &waiting->v[k];
        struct stretch st = {stretch->first, stretch->n,
                             failed && any_failed(sweep, stretch)};
        buf_put(buf, (const char *)&st, sizeof st);
        for (size_t j = 0; j < sweep->n_fields; j++) {
            const struct sweep_field *field = &sweep->field[j];
            if (field->text)
                pack_numbers(waiting, field->text + stretch->first, stretch->n,
                             head.size, buf);
            else
                buf_put(
                    buf,
                    (const char *)(field->num + stretch->first * field->width),
                    (size_t)stretch->n * field->width * sizeof *field->num);
        }
        if (st.failed)
            pack_numbers(waiting, sweep->error + stretch->first, stretch->n,
                         head.size, buf);
    }
    for (size_t k = 0; k < waiting->used.n; k++)
        waiting->local.v[waiting->used.v[k]] = 0;
    waiting->n = waiting->used.n = 0;
    waiting->runs = 0;
}

/* n bytes off *p, or NULL: they are not there */
static const char *
take(const char **p, const char *end, uint64_t n)
{
    const char *at = *p;
    if ((uint64_t)(end - at) < n)
        return NULL;
    *p += n;
    return at;
}

/* number of the texts of a frame; NULL: it is none of ours */
static const uint32_t *
take_texts(struct sweep *sweep, const char **p, const char *end,
           const struct head *head)
{
    struct arena *arena = sweep->a->rt->arena;
    if (head->n > (uint64_t)(end - *p) || (head->size != 1 && head->size != 4))
        return NULL;
    uint32_t *k = NEW_N(arena, uint32_t, (size_t)head->n + 1), n;
    for (uint32_t i = 1; i <= head->n; i++) {
        const char *at = take(p, end, sizeof n);
        if (!at)
            return NULL;
        memcpy(&n, at, sizeof n);
        if (!(at = take(p, end, n)))
            return NULL;
        k[i] = sweep_text(&sweep->texts, arena_strndup(arena, at, n));
    }
    return k;
}

static bool
take_numbers(const char **p, const char *end, const struct head *head,
             const uint32_t *text, uint32_t *to, uint64_t n)
{
    const char *at = take(p, end, n * head->size);
    for (uint64_t i = 0; i < n && at; i++, at += head->size) {
        uint32_t k = (unsigned char)*at;
        if (head->size > 1)
            memcpy(&k, at, sizeof k);
        if (k > head->n)
            return false;
        to[i] = text[k];
    }
    return at != NULL;
}

static bool
take_stretch(struct sweep *sweep, const char **p, const char *end,
             const struct head *head, const uint32_t *text)
{
    struct stretch x;
    const char *at = take(p, end, sizeof x);
    if (!at)
        return false;
    memcpy(&x, at, sizeof x);
    if (x.first > sweep->total || x.n > sweep->total - x.first)
        return false;
    for (size_t j = 0; j < sweep->n_fields; j++) {
        const struct sweep_field *field = &sweep->field[j];
        if (field->text) {
            if (!take_numbers(p, end, head, text, field->text + x.first, x.n))
                return false;
            continue;
        }
        if (!(at = take(p, end, x.n * field->width * sizeof *field->num)))
            return false;
        memcpy(field->num + x.first * field->width, at,
               (size_t)x.n * field->width * sizeof *field->num);
    }
    if (x.failed &&
        !take_numbers(p, end, head, text, sweep->error + x.first, x.n))
        return false;
    for (uint64_t i = x.first; i < x.first + x.n; i++) {
        sweep->resumed += sweep->state[i] == SWEEP_NOT;
        if (sweep->state[i] == SWEEP_NOT && sweep->error[i])
            atomic_fetch_add(&sweep->failed, 1);
        sweep->state[i] = SWEEP_DONE;
    }
    return true;
}

void
sweep_unpack(void *ctx, const char *p, size_t n)
{
    struct sweep *sweep = ctx;
    const char *end = p + n, *at;
    struct head head;
    if (!(at = take(&p, end, sizeof head)))
        return;
    memcpy(&head, at, sizeof head);
    const uint32_t *text = take_texts(sweep, &p, end, &head);
    while (text && p < end && take_stretch(sweep, &p, end, &head, text))
        continue;
}

/* Everything that a run depends on: the sources, params, axes, seed, the
 * sweep's place among the commands, the size of a row. */
uint64_t
sweep_key(const struct sweep *sweep)
{
    const imp_image *im = sweep->a->rt->im;
    const imp_source *src = IMP_ARRAY(im, im->sources, imp_source);
    uint64_t h = JOURNAL_HASH,
             size[] = {IMP_ABI_VERSION, sweep->total,
                       sweep->repeat,   sweep->n_num,
                       sweep->n_text,   (uint64_t)sweep->c->range.lo,
                       im->params.n};
    h = journal_hash(h, size, sizeof size);
    for (uint32_t i = 0; i < im->sources.n; i++)
        h = journal_hash(h, imp_text(im, src[i].text), src[i].text.n);
    h = journal_hash(h, sweep->params, im->params.n * sizeof *sweep->params);
    h = journal_hash(h, &sweep->seed, sizeof sweep->seed);
    for (size_t k = 0; k < sweep->n_axes; k++) {
        uint32_t id[] = {sweep->axis[k].param, sweep->axis[k].random};
        h = journal_hash(h, id, sizeof id);
        h = journal_hash(h, sweep->axis[k].x,
                         sweep->axis[k].n * sizeof(double));
    }
    return h;
}
