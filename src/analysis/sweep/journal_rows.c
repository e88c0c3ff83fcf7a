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
place(struct sweep_texts *t, const char *s)
{
    size_t k = (size_t)journal_hash(JOURNAL_HASH, s, strlen(s));
    for (;; k++) {
        uint32_t *b = &t->bucket[k & (2 * t->n_most - 1)];
        if (!*b || !strcmp(t->v[*b], s))
            return b;
    }
}

/* room for more; what it had before stays in the arena */
static void
grow(struct sweep_texts *t, size_t most)
{
    const char **v = NEW_N(t->arena, const char *, most);
    uint32_t *bucket = NEW_N(t->arena, uint32_t, 2 * most);
    if (t->n)
        memcpy(v, t->v, t->n * sizeof *v);
    t->v = v;
    t->bucket = bucket;
    t->n_most = most;
    for (size_t i = 1; i < t->n; i++)
        *place(t, v[i]) = (uint32_t)i;
}

void
sweep_texts_init(struct sweep_texts *t)
{
    *t = (struct sweep_texts){.arena = arena_new()};
    pthread_mutex_init(&t->lock, NULL);
    grow(t, 64);
    t->v[t->n++] = "";
}

void
sweep_texts_free(struct sweep_texts *t)
{
    if (!t->arena)
        return;
    arena_free(t->arena);
    pthread_mutex_destroy(&t->lock);
    *t = (struct sweep_texts){0};
}

static uint32_t
text_locked(struct sweep_texts *t, const char *s)
{
    uint32_t *b = place(t, s);
    if (*b)
        return *b;
    if (t->n == t->n_most) {
        grow(t, 2 * t->n_most);
        b = place(t, s);
    }
    t->v[t->n] = arena_strdup(t->arena, s);
    return *b = (uint32_t)t->n++;
}

/* number of a text; from any thread */
static uint32_t
sweep_text(struct sweep_texts *t, const char *s)
{
    struct oom_guard g;
    pthread_mutex_lock(&t->lock);
    if (setjmp(g.env)) {
        oom_leave(&g);
        pthread_mutex_unlock(&t->lock);
        oom_raise();
    }
    oom_enter(&g);
    uint32_t k = *s ? text_locked(t, s) : 0;
    oom_leave(&g);
    pthread_mutex_unlock(&t->lock);
    return k;
}

/* -- runs ------------------------------------------------------------------ */

/* number of a text, of a column whose last one is there */
static uint32_t
number_of(struct sweep_texts *t, const struct field_value *v,
          struct sweep_last_text *last)
{
    const char *s = v->text;
    if (v->lasting && s == last->lasting)
        return last->number;
    last->lasting = NULL;
    if (!last->n || strcmp(last->s, s) != 0) {
        size_t n = strlen(s);
        last->number = sweep_text(t, s);
        last->n = n < sizeof last->s ? (uint32_t)n : 0;
        memcpy(last->s, s, last->n);
        last->s[last->n] = 0;
    }
    if (v->lasting)
        last->lasting = s;
    return last->number;
}

void
sweep_keep_record(struct sweep *s, uint64_t i, const struct record *r,
                  struct sweep_last_text *last)
{
    for (size_t k = 0; k < s->n_fields; k++) {
        const struct sweep_field *f = &s->field[k];
        if (f->calculated)
            continue;
        const struct field_value *v = &r->v[f->field];
        if (f->text)
            f->text[i] = v->why ? 0 : number_of(&s->texts, v, &last[k]);
        for (size_t j = 0; j < f->width && !f->text; j++)
            f->num[i * f->width + j] = v->why ? NAN : v->num[j];
    }
    s->state[i] = SWEEP_DONE;
}

void
sweep_keep_error(struct sweep *s, uint64_t i, const char *why)
{
    for (size_t k = 0; k < s->n_fields; k++) {
        const struct sweep_field *f = &s->field[k];
        for (size_t j = 0; j < f->width && !f->text; j++)
            f->num[i * f->width + j] = NAN;
        if (f->text)
            f->text[i] = 0;
    }
    s->error[i] = sweep_text(&s->texts, *why ? why : "failed");
    s->state[i] = SWEEP_DONE;
    atomic_fetch_add(&s->failed, 1);
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
sweep_waiting_begin(struct sweep_waiting *w, uint64_t i)
{
    VEC_PUSH(w, (struct sweep_stretch){i, 1});
}

void
sweep_waiting_free(struct sweep_waiting *w)
{
    free(w->v);
    free(w->local.v);
    free(w->used.v);
    *w = (struct sweep_waiting){0};
}

/* texts of n runs get numbers in the frame */
static void
use(struct sweep_waiting *w, const uint32_t *text, uint64_t n)
{
    uint32_t last = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (text[i] == last)
            continue;
        last = text[i];
        while (w->local.n <= last)
            VEC_PUSH(&w->local, 0);
        if (last && !w->local.v[last]) {
            VEC_PUSH(&w->used, last);
            w->local.v[last] = (uint32_t)w->used.n;
        }
    }
}

/* texts that were used; other threads may move the list of all */
static void
pack_texts(struct sweep *s, const struct sweep_waiting *w, struct buf *b)
{
    struct sweep_texts *t = &s->texts;
    struct oom_guard g;
    pthread_mutex_lock(&t->lock);
    if (setjmp(g.env)) {
        oom_leave(&g);
        pthread_mutex_unlock(&t->lock);
        oom_raise();
    }
    oom_enter(&g);
    for (size_t k = 0; k < w->used.n; k++) {
        const char *text = t->v[w->used.v[k]];
        uint32_t n = (uint32_t)strlen(text);
        buf_put(b, (const char *)&n, sizeof n);
        buf_put(b, text, n);
    }
    oom_leave(&g);
    pthread_mutex_unlock(&t->lock);
}

static void
pack_numbers(const struct sweep_waiting *w, const uint32_t *text, uint64_t n,
             uint32_t size, struct buf *b)
{
    char *to = buf_room(b, (size_t)n * size);
    for (uint64_t i = 0; i < n; i++, to += size) {
        uint32_t k = text[i] ? w->local.v[text[i]] : 0;
        unsigned char one = (unsigned char)k;
        memcpy(to, size == 1 ? (void *)&one : (void *)&k, size);
    }
}

static bool
any_failed(const struct sweep *s, const struct sweep_stretch *x)
{
    uint64_t i = 0;
    while (i < x->n && !s->error[x->first + i])
        i++;
    return i < x->n;
}

void
sweep_pack(struct sweep *s, struct sweep_waiting *w, struct buf *b)
{
    bool failed = atomic_load(&s->failed) > 0;
    for (size_t k = 0; k < w->n; k++) {
        const struct sweep_stretch *x = &w->v[k];
        for (size_t j = 0; j < s->n_fields; j++)
            if (s->field[j].text)
                use(w, s->field[j].text + x->first, x->n);
        if (failed)
            use(w, s->error + x->first, x->n);
    }
    struct head head = {(uint32_t)w->used.n, w->used.n < 256 ? 1 : 4};
    buf_put(b, (const char *)&head, sizeof head);
    pack_texts(s, w, b);
    for (size_t k = 0; k < w->n; k++) {
        const struct sweep_stretch *x = &w->v[k];
        struct stretch st = {x->first, x->n, failed && any_failed(s, x)};
        buf_put(b, (const char *)&st, sizeof st);
        for (size_t j = 0; j < s->n_fields; j++) {
            const struct sweep_field *f = &s->field[j];
            if (f->text)
                pack_numbers(w, f->text + x->first, x->n, head.size, b);
            else
                buf_put(b, (const char *)(f->num + x->first * f->width),
                        (size_t)x->n * f->width * sizeof *f->num);
        }
        if (st.failed)
            pack_numbers(w, s->error + x->first, x->n, head.size, b);
    }
    for (size_t k = 0; k < w->used.n; k++)
        w->local.v[w->used.v[k]] = 0;
    w->n = w->used.n = 0;
    w->runs = 0;
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
take_texts(struct sweep *s, const char **p, const char *end,
           const struct head *head)
{
    struct arena *ar = s->a->rt->arena;
    if (head->n > (uint64_t)(end - *p) || (head->size != 1 && head->size != 4))
        return NULL;
    uint32_t *k = NEW_N(ar, uint32_t, (size_t)head->n + 1), n;
    for (uint32_t i = 1; i <= head->n; i++) {
        const char *at = take(p, end, sizeof n);
        if (!at)
            return NULL;
        memcpy(&n, at, sizeof n);
        if (!(at = take(p, end, n)))
            return NULL;
        k[i] = sweep_text(&s->texts, arena_strndup(ar, at, n));
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
take_stretch(struct sweep *s, const char **p, const char *end,
             const struct head *head, const uint32_t *text)
{
    struct stretch x;
    const char *at = take(p, end, sizeof x);
    if (!at)
        return false;
    memcpy(&x, at, sizeof x);
    if (x.first > s->total || x.n > s->total - x.first)
        return false;
    for (size_t j = 0; j < s->n_fields; j++) {
        const struct sweep_field *f = &s->field[j];
        if (f->text) {
            if (!take_numbers(p, end, head, text, f->text + x.first, x.n))
                return false;
            continue;
        }
        if (!(at = take(p, end, x.n * f->width * sizeof *f->num)))
            return false;
        memcpy(f->num + x.first * f->width, at,
               (size_t)x.n * f->width * sizeof *f->num);
    }
    if (x.failed && !take_numbers(p, end, head, text, s->error + x.first, x.n))
        return false;
    for (uint64_t i = x.first; i < x.first + x.n; i++) {
        s->resumed += s->state[i] == SWEEP_NOT;
        if (s->state[i] == SWEEP_NOT && s->error[i])
            atomic_fetch_add(&s->failed, 1);
        s->state[i] = SWEEP_DONE;
    }
    return true;
}

void
sweep_unpack(void *sweep, const char *p, size_t n)
{
    struct sweep *s = sweep;
    const char *end = p + n, *at;
    struct head head;
    if (!(at = take(&p, end, sizeof head)))
        return;
    memcpy(&head, at, sizeof head);
    const uint32_t *text = take_texts(s, &p, end, &head);
    while (text && p < end && take_stretch(s, &p, end, &head, text))
        continue;
}

/* Everything that a run depends on: the sources, params, axes, seed, the
 * sweep's place among the commands, the size of a row. */
uint64_t
sweep_key(const struct sweep *s)
{
    const imp_image *im = s->a->rt->im;
    const imp_source *src = IMP_ARRAY(im, im->sources, imp_source);
    uint64_t h = JOURNAL_HASH,
             size[] = {IMP_ABI_VERSION, s->total,  s->repeat,
                       s->n_num,        s->n_text, (uint64_t)s->c->range.lo,
                       im->params.n};
    h = journal_hash(h, size, sizeof size);
    for (uint32_t i = 0; i < im->sources.n; i++)
        h = journal_hash(h, imp_text(im, src[i].text), src[i].text.n);
    h = journal_hash(h, s->params, im->params.n * sizeof *s->params);
    h = journal_hash(h, &s->seed, sizeof s->seed);
    for (size_t k = 0; k < s->n_axes; k++) {
        uint32_t id[] = {s->axis[k].param, s->axis[k].random};
        h = journal_hash(h, id, sizeof id);
        h = journal_hash(h, s->axis[k].x, s->axis[k].n * sizeof(double));
    }
    return h;
}
