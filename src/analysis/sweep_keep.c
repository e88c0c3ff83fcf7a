/* SPDX-License-Identifier: MIT */
/* What a sweep keeps of its runs: rows of numbers, texts by number, and the
 * bytes of both in the journal. */
#include <math.h>
#include <string.h>

#include "analysis/sweep_priv.h"
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

uint32_t
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
number_of(struct sweep_texts *t, const char *s, struct sweep_last *last)
{
    if (last->n && !strcmp(last->s, s))
        return last->number;
    uint32_t k = sweep_text(t, s);
    size_t n = strlen(s);
    last->n = 0;
    if (n && n < sizeof last->s) {
        memcpy(last->s, s, n + 1);
        last->n = (uint32_t)n;
        last->number = k;
    }
    return k;
}

void
sweep_keep(struct sweep *s, uint64_t i, const struct rec *r,
           struct sweep_last *last)
{
    double *x = s->num + i * s->n_num;
    uint32_t *t = s->text + i * s->n_text;
    for (size_t k = 0; k < s->n_fields; k++) {
        const struct sweep_field *f = &s->field[k];
        if (f->calculated)
            continue;
        const struct fieldval *v = &r->v[f->field];
        if (f->text)
            t[f->at] = v->why ? 0 : number_of(&s->texts, v->text, &last[f->at]);
        for (size_t j = 0; j < f->width && !f->text; j++)
            x[f->at + j] = v->why ? NAN : v->num[j];
    }
    s->error[i] = 0;
    s->state[i] = SWEEP_DONE;
}

void
sweep_keep_error(struct sweep *s, uint64_t i, const char *why)
{
    for (size_t k = 0; k < s->n_num; k++)
        s->num[i * s->n_num + k] = NAN;
    for (size_t k = 0; k < s->n_text; k++)
        s->text[i * s->n_text + k] = 0;
    s->error[i] = sweep_text(&s->texts, *why ? why : "failed");
    s->state[i] = SWEEP_DONE;
}

/* -- the journal ------------------------------------------------------------
 * A run: its number, its numbers, its texts and the reason of a failure, each
 * with its length before it. */

static void
pack_text(const char *t, uint32_t n, struct buf *b)
{
    char *to = buf_room(b, sizeof n + n);
    memcpy(to, &n, sizeof n);
    memcpy(to + sizeof n, t, n);
}

/* texts that are not at hand: other threads may move the list of them */
static void
pack_numbered(const struct sweep *s, uint32_t k, struct buf *b)
{
    struct sweep_texts *t = (struct sweep_texts *)(uintptr_t)&s->texts;
    struct oom_guard g;
    pthread_mutex_lock(&t->lock);
    if (setjmp(g.env)) {
        oom_leave(&g);
        pthread_mutex_unlock(&t->lock);
        oom_raise();
    }
    oom_enter(&g);
    pack_text(t->v[k], (uint32_t)strlen(t->v[k]), b);
    oom_leave(&g);
    pthread_mutex_unlock(&t->lock);
}

void
sweep_pack(const struct sweep *s, uint64_t i, const struct sweep_last *last,
           struct buf *b)
{
    size_t numbers = s->n_num * sizeof *s->num;
    char *to = buf_room(b, sizeof i + numbers);
    memcpy(to, &i, sizeof i);
    if (numbers)
        memcpy(to + sizeof i, s->num + i * s->n_num, numbers);
    for (size_t k = 0; k < s->n_text; k++) {
        uint32_t t = s->text[i * s->n_text + k];
        if (last[k].n && last[k].number == t)
            pack_text(last[k].s, last[k].n, b);
        else if (t)
            pack_numbered(s, t, b);
        else
            pack_text("", 0, b);
    }
    if (s->error[i])
        pack_numbered(s, s->error[i], b);
    else
        pack_text("", 0, b);
}

/* takes n bytes off *p; false: they are not there */
static bool
take(const char **p, const char *end, void *to, size_t n)
{
    if ((size_t)(end - *p) < n)
        return false;
    if (n)
        memcpy(to, *p, n);
    *p += n;
    return true;
}

static bool
take_text(struct sweep *s, const char **p, const char *end, uint32_t *k)
{
    uint32_t n;
    if (!take(p, end, &n, sizeof n) || (size_t)(end - *p) < n)
        return false;
    char *text = arena_strndup(s->a->rt->arena, *p, n);
    *k = sweep_text(&s->texts, text);
    *p += n;
    return true;
}

void
sweep_unpack(void *sweep, const char *p, size_t n)
{
    struct sweep *s = sweep;
    const char *end = p + n;
    uint64_t i;
    while (take(&p, end, &i, sizeof i)) {
        if (i >= s->total ||
            !take(&p, end, s->num + i * s->n_num, s->n_num * sizeof *s->num))
            return;
        for (size_t k = 0; k < s->n_text; k++)
            if (!take_text(s, &p, end, &s->text[i * s->n_text + k]))
                return;
        if (!take_text(s, &p, end, &s->error[i]))
            return;
        s->resumed += s->state[i] == SWEEP_NOT;
        s->state[i] = SWEEP_DONE;
    }
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
