/* SPDX-License-Identifier: MIT */
/* The threads of a sweep. Each has a run of its own (struct rt), restarted for
 * every number it takes from the common counter, and an arena for records and
 * messages that is emptied before each run. The calling thread works too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/sweep/sweep_priv.h"
#include "base/arena.h"
#include "runtime/numerics/random.h"
#include "runtime/setup/new_run.h"

#define FLUSH_BYTES ((size_t)1 << 14)
/* A killed sweep has lost no more than this, or one run per thread. [ns] */
#define FLUSH_AFTER 50000000
#define TELL_AFTER                                                             \
    20000000          /* ns; the progress line moves 10 times a second         \
                       */
#define CLAIM_MOST 64 /* runs taken from the counter at once */

/* Machine code comes once for all threads, when what they have done together
 * pays for it (run.h): a thread's own tier reports to that of the run. */
struct thread_tier {
    struct rt_tier tier; /* first: `more` gets its address */
    struct sweep *s;
    struct sweep_model *model;
    double told; /* of tier.spent */
};
#define TIER_STEP 1e5 /* units of work between two reports, at least */

/* threads write to their own lines of the cache only while they run: one that
 * two of them write to costs as much as a run. So far from one another: */
#define APART 128
struct worker {
    char apart_before[APART];
    struct sweep *s;
    uint64_t done; /* runs that s->done does not know yet */
    struct thread_tier tier;
    struct arena *arena;
    struct diags ds;
    struct sweep_model *model; /* of rt; NULL: none yet */
    uint64_t made;             /* runs of it */
    struct rt *rt;
    struct record *rec;   /* of the question of a sweep's only model */
    struct record **recs; /* those of earlier commands, and the question's */
    struct analysis an;
    struct output out;
    double *params;
    struct sweep_place place;
    struct sweep_waiting waiting; /* for the journal */
    struct buf journal;           /* a frame of it */
    struct sweep_last_text *last; /* per field */
    int64_t flushed, told;        /* when: the journal, `done` */
    struct sweep_batch ahead;
    uint64_t looked; /* runs before this one were looked at ahead */
    struct sweep_warnings warnings;
    struct arena *kept; /* texts of warnings */
    pthread_t thread;
    bool running;
    char apart_behind[APART];
};

/* it is asked after every run: a millisecond more or less does not count */
#ifdef CLOCK_MONOTONIC_COARSE
#define SWEEP_CLOCK CLOCK_MONOTONIC_COARSE
#else
#define SWEEP_CLOCK CLOCK_MONOTONIC
#endif
static int64_t
now(void)
{
    struct timespec t;
    clock_gettime(SWEEP_CLOCK, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int
nowhere(void *ctx, const char *s, size_t n)
{
    (void)ctx;
    (void)s;
    (void)n;
    return 0;
}

/* -- machine code -----------------------------------------------------------
 */

static const imp_code *
ask_code(struct thread_tier *w)
{
    struct rt *r = w->s->a->rt;
    struct sweep_model *m = w->model;
    struct rt_tier *all = m->tier;
    all->spent += w->tier.spent - w->told;
    w->told = w->tier.spent;
    while (!m->code && all->spent >= all->limit) {
        double was = all->limit;
        m->code = all->more(all);
        if (!m->code && !(all->limit > was))
            all->limit = INFINITY;
    }
    if (m->im == r->im) /* commands behind the sweep, too */
        r->code = m->code;
    w->tier.limit = w->tier.spent +
                    fmax(TIER_STEP, (all->limit - all->spent) / w->s->threads);
    return m->code;
}

static const imp_code *
more(struct rt_tier *t)
{
    struct thread_tier *w = (struct thread_tier *)t;
    struct oom_guard g;
    pthread_mutex_lock(&w->s->code_lock);
    if (setjmp(g.env)) {
        oom_leave(&g);
        pthread_mutex_unlock(&w->s->code_lock);
        oom_raise();
    }
    oom_enter(&g);
    const imp_code *code = ask_code(w);
    oom_leave(&g);
    pthread_mutex_unlock(&w->s->code_lock);
    return code;
}

static struct rt *
new_run(struct worker *w)
{
    struct sweep *s = w->s;
    pthread_mutex_lock(&s->code_lock);
    const imp_code *code = w->model->code;
    pthread_mutex_unlock(&s->code_lock);
    w->tier = (struct thread_tier){
        .tier = {.limit = TIER_STEP, .more = more}, .s = s, .model = w->model};
    return rt_new_tier(w->model->im, code,
                       w->model->tier ? &w->tier.tier : NULL, w->params, &w->ds,
                       s->a->rt->stop);
}

static void
leave_model(struct worker *w)
{
    rt_free(w->rt);
    w->rt = NULL;
    if (w->model)
        sweep_model_leave(w->s, w->model, w->made);
    w->model = NULL;
    w->made = 0;
}

/* the model of the v-th run, which may be that of the run before */
static void
take_model(struct worker *w, uint64_t v)
{
    struct sweep *s = w->s;
    if (w->model == &s->model[s->n_models == 1 ? 0 : v / s->per_model])
        return;
    leave_model(w);
    w->model = sweep_model_take(s, v);
    memcpy(w->params, w->model->params,
           s->a->rt->im->params.n * sizeof *w->params);
}

/* -- one run ----------------------------------------------------------------
 */

static int
prepare(struct worker *w, uint64_t i)
{
    struct sweep *s = w->s;
    sweep_place_move(s, &w->place, i);
    for (size_t k = 0; k < s->n_axes; k++)
        w->params[s->axis[k].param] = sweep_place_value(s, &w->place, k);
    arena_clear(w->arena);
    if (w->ds.first || w->ds.errors || w->ds.warnings || !w->ds.arena)
        diags_init(&w->ds, w->arena, s->a->ds->sources);
    if (w->model->why)
        return IMP_FAILED;
    if (!w->rt) {
        w->an.rt = w->rt = new_run(w);
        if (!w->rt)
            return IMP_FAILED;
    } else {
        int st = rt_restart(w->rt, w->params);
        if (st)
            return st;
    }
    double seed = s->seed;
    if (s->repeat > 1) /* a whole number of 53 bits, as users give it */
        seed = (double)(random_bits(s->seed, i, UINT32_MAX) >> 11);
    return rt_seed(w->rt, seed, i);
}

/* Does a value read what this run did not find? Then it is absent, too. */
static bool
reads_absent(const struct worker *w, const imp_val *v, const struct record *r)
{
    const imp_image *im = w->rt->im;
    const uint32_t *k = IMP_ARRAY(im, v->slots, uint32_t);
    for (uint32_t i = 0; i < v->slots.n; i++) {
        const imp_slot *x = IMP_ARRAY(im, im->slots, imp_slot) + k[i];
        if (w->recs[x->command] == r && r->v[x->field].why &&
            x->kind != IMP_SLOT_PRESENT && x->kind != IMP_SLOT_TEXTEQ)
            return true;
    }
    return false;
}

/* A value that cannot be calculated, log(0) or the third of two entries, costs
 * no other: it is left out, with a warning. */
static void
left_out(struct worker *w, uint64_t i, const imp_val *v, struct diags *was)
{
    const char *why = "it cannot be calculated";
    for (const struct diag *d = was->last ? was->last->next : w->ds.first; d;
         d = d->next)
        if (d->severity == DIAG_ERROR)
            why = d->message;
    sweep_warning_add(&w->warnings, w->kept,
                      &(struct sweep_warning){
                          DIAG_W0743, v->range,
                          arena_printf(w->arena, "`%s` has no value: %s",
                                       imp_text(w->rt->im, v->label), why),
                          i, 1});
    w->ds = *was;
    if (w->ds.last)
        w->ds.last->next = NULL;
}

/* what is kept and is no field, into the row of run i */
static void
calculate(struct worker *w, uint64_t i, struct record *r)
{
    struct sweep *s = w->s;
    const imp_command *c =
        IMP_ARRAY(w->rt->im, w->rt->im->commands, imp_command);
    r->present = true;
    w->recs[w->model->question - c] = r;
    for (size_t k = 0; k < s->n_fields; k++) {
        const struct sweep_field *f = &s->field[k];
        if (!f->calculated)
            continue;
        double *x = f->num + i * f->width;
        const imp_val *v = &w->model->kept[k];
        struct diags was = w->ds;
        if (!reads_absent(w, v, r)) {
            if (arg_numbers(&w->an, v, x) == IMP_OK)
                continue;
            left_out(w, i, v, &was);
        }
        for (size_t j = 0; j < f->width; j++)
            x[j] = NAN;
    }
}

static struct record *
record(struct worker *w, const imp_command *q)
{
    bool one = w->s->n_models == 1;
    if (one && w->rec) {
        record_clear(w->rec);
        return w->rec;
    }
    struct record *r = record_new(one ? w->kept : w->arena, w->rt->im, q);
    r->wanted = w->s->wanted;
    r->arena = w->arena;
    return w->rec = r;
}

/* false: stopped, nothing is known of run i */
static bool
run(struct worker *w, uint64_t i)
{
    struct sweep *s = w->s;
    struct record *r = NULL;
    if (sweep_batch_record(&w->ahead, &w->an, w->model->question, w->rec) &&
        !s->calculates) {
        sweep_keep_record(s, i, w->rec, w->last);
        return true;
    }
    int st = prepare(w, i);
    if (st == IMP_OK) {
        const imp_command *q = w->model->question;
        r = record(w, q);
        st = w->an.commands[q->id]->run(&w->an, q, r);
    }
    if (rt_stopped(s->a->rt) && st != IMP_OK)
        return false;
    if (w->ds.first)
        sweep_warnings_of_run(&w->warnings, w->kept, &w->ds, i);
    if (st == IMP_OK && !w->ds.errors) {
        if (s->calculates)
            calculate(w, i, r);
        sweep_keep_record(s, i, r, w->last);
    } else
        sweep_keep_error(s, i, sweep_failure_reason(w->model, &w->ds, st));
    return true;
}

/* -- the journal ------------------------------------------------------------
 */

static bool
flush(struct worker *w)
{
    struct sweep *s = w->s;
    int e = 0;
    if (w->waiting.runs) {
        buf_clear(&w->journal);
        sweep_pack(s, &w->waiting, &w->journal);
        e = journal_append(&s->journal, buf_str(&w->journal), w->journal.n);
    }
    w->flushed = now();
    if (e)
        atomic_store(&s->error_io, e);
    return !e;
}

/* -- threads ----------------------------------------------------------------
 */

static bool
halted(const struct sweep *s)
{
    return rt_stopped(s->a->rt) || atomic_load(&s->error_io) ||
           atomic_load(&s->no_memory);
}

static void
tell_done(struct worker *w)
{
    atomic_fetch_add(&w->s->done, w->done);
    w->done = 0;
}

static void
work_runs(struct worker *w, uint64_t claim)
{
    struct sweep *s = w->s;
    w->flushed = w->told = now();
    for (;;) {
        uint64_t from = atomic_fetch_add(&s->next, claim);
        uint64_t to = from + claim < s->total ? from + claim : s->total;
        for (uint64_t v = from; v < to; v++) {
            uint64_t i = s->n_models == 1 ? v : sweep_run_number(s, v);
            if (s->resumed && s->state[i] == SWEEP_DONE)
                continue;
            if (halted(s))
                goto out;
            take_model(w, v);
            if (v >= w->looked && w->rt)
                w->looked = sweep_batch_prepare(s, &w->ahead, &w->an,
                                                w->model->question, v, to);
            if (!run(w, i))
                goto out;
            w->made++;
            w->done++;
            int64_t t = now();
            if (t - w->told > TELL_AFTER) {
                tell_done(w);
                w->told = t;
            }
            if (s->journal.fd < 0)
                continue;
            sweep_waiting_add(&w->waiting, i);
            if ((sweep_waiting_bytes(s, &w->waiting) > FLUSH_BYTES ||
                 t - w->flushed > FLUSH_AFTER) &&
                !flush(w))
                return;
        }
        if (from >= s->total)
            break;
    }
out:
    flush(w);
}

static uint64_t
claim_size(const struct sweep *s, int threads)
{
    uint64_t n = s->total / (16 * (uint64_t)threads);
    return n < 1 ? 1 : n > CLAIM_MOST ? CLAIM_MOST : n;
}

static void
work(struct worker *w, uint64_t claim)
{
    struct oom_guard g;
    if (setjmp(g.env)) {
        oom_leave(&g);
        atomic_store(&w->s->no_memory, 1);
        return;
    }
    oom_enter(&g);
    w->arena = arena_new();
    w->kept = arena_new();
    const imp_image *im = w->s->a->rt->im;
    w->params =
        arena_copy(w->kept, w->s->params, (im->params.n + 1) * sizeof(double));
    w->last = NEW_N(w->kept, struct sweep_last_text, w->s->n_fields + 1);
    w->place.digit = NEW_N(w->kept, size_t, w->s->n_axes + 1);
    w->out = (struct output){.write = nowhere, .width = 80};
    w->recs = arena_copy(w->kept, w->s->a->recs,
                         (im->commands.n + 1) * sizeof *w->recs);
    w->ahead.arena = w->kept;
    w->an = (struct analysis){.out = &w->out,
                              .ds = &w->ds,
                              .recs = w->recs,
                              .commands = w->s->a->commands};
    work_runs(w, claim);
    oom_leave(&g);
}

struct start {
    struct worker *w;
    uint64_t claim;
};

static void *
thread_main(void *ctx)
{
    struct start *st = ctx;
    work(st->w, st->claim);
    return NULL;
}

static int
thread_count(const struct sweep *s)
{
    long n = s->a->sweeps.threads;
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1)
        n = 1;
    if (n > 256)
        n = 256;
    uint64_t left = s->total - s->resumed;
    return left < (uint64_t)n ? (int)(left ? left : 1) : (int)n;
}

static void
end(struct worker *w)
{
    leave_model(w);
    arena_free(w->arena);
    buf_free(&w->journal);
    sweep_waiting_free(&w->waiting);
}

int
sweep_run_all(struct sweep *s, struct sweep_warnings *all)
{
    int n = thread_count(s);
    struct worker *w = NEW_N(s->a->rt->arena, struct worker, n);
    struct start *st = NEW_N(s->a->rt->arena, struct start, n);
    uint64_t claim = claim_size(s, n);
    struct sweep_progress progress;
    s->threads = n;
    pthread_mutex_init(&s->code_lock, NULL);
    atomic_store(&s->done, s->resumed);
    for (int k = 0; k < n; k++) {
        w[k].s = s;
        st[k] = (struct start){&w[k], claim};
    }
    sweep_progress_begin(&progress, s);
    /* a thread that cannot be made is one fewer */
    for (int k = 1; k < n; k++)
        w[k].running = !pthread_create(&w[k].thread, NULL, thread_main, &st[k]);
    work(&w[0], claim);
    for (int k = 1; k < n; k++)
        if (w[k].running)
            pthread_join(w[k].thread, NULL);
    sweep_progress_end(&progress);
    for (int k = 0; k < n; k++) {
        tell_done(&w[k]);
        end(&w[k]);
        for (size_t j = 0; j < w[k].warnings.n && !atomic_load(&s->no_memory);
             j++)
            sweep_warning_add(all, record_arena(s->a), &w[k].warnings.v[j]);
        arena_free(w[k].kept);
    }
    pthread_mutex_destroy(&s->code_lock);
    if (atomic_load(&s->no_memory))
        oom_raise();
    if (atomic_load(&s->error_io))
        return IMP_FAILED;
    return atomic_load(&s->done) < s->total ? IMP_STOPPED : IMP_OK;
}
