/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer entry on whole runs: text, checker, image, evaluator, commands,
 * output, with bounded work (Ctrl-C comes after so much of it) and bounded
 * memory. Build with the preset `fuzz`; round.c runs it without libFuzzer. What
 * must hold, beside no crash, no leak and no endless loop:
 *   - a status other than 0 has its diagnostic, status 0 has no error;
 *   - what was stopped stops soon (libFuzzer's -timeout, round.c's alarm);
 *   - a second run of the same model gives the same bytes, and so do threads;
 *   - JSON holds no number that is not finite.
 * The first byte of an input chooses how (enum mode); '0' and '1' are plain
 * runs, so that the corpus of the other targets serves here too. */
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/status.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cli/session/remake.h"
#include "cli/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256:"
           "soft_rss_limit_mb=1500:detect_stack_use_after_return=0";
}

enum mode { /* bits of the first byte; those of '0' and '1' say nothing */
            MODE_JSON = 2,
            MODE_TWICE = 4,
            MODE_THREADS = 8,
            MODE_FILES = 64,
            MODE_SEED = 128
};

/* work of the evaluator until Ctrl-C, in units of run.c, and processor time */
#define WORK 5e6
#define SECONDS 0.25

static atomic_int stop;
static _Atomic double begun; /* 0: nothing runs */
static char folder[] = "/tmp/fuzz-run-XXXXXX";

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *
watch(void *none)
{
    for (;;) {
        struct timespec t = {.tv_nsec = 10000000};
        nanosleep(&t, NULL);
        double at = atomic_load(&begun);
        if (at > 0 && now() - at > SECONDS)
            atomic_store(&stop, 1);
    }
    return none;
}

static const imp_code *
enough(struct rt_tier *t)
{
    atomic_store(&stop, 1);
    t->limit = 2 * t->spent;
    return NULL;
}

static int
into(void *ctx, const char *s, size_t n)
{
    buf_put(ctx, s, n);
    return 0;
}

static int
away(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st;
    (void)what;
    return at->level ? remove(path) : 0;
}

struct job {
    const uint8_t *data;
    size_t n;
    struct session s;
    struct rt_tier tier;
    struct buf out[2], said;
};

/* outside of strings there are no letters but those of true, false, null and
 * exponents */
static void
look_at_json(const struct buf *b)
{
    bool text = false;
    for (size_t i = 0; i < b->n; i++) {
        if (text && b->s[i] == '\\')
            i++;
        else if (b->s[i] == '"')
            text = !text;
        else if (!text &&
                 (strchr("NI", b->s[i]) || !strncmp(b->s + i, "nan", 3) ||
                  !strncmp(b->s + i, "inf", 3)))
            abort();
    }
}

static void
look_at_status(struct job *j, int status)
{
    struct diags *ds = &j->s.ds;
    if (status == IMP_EXIT_EXPECT ? !j->s.result.driver->analysis.failed_expects
                                  : (status == IMP_EXIT_OK) != !ds->errors)
        abort();
    diags_print(ds, &j->said, DIAG_TEXT, true);
    diags_print(ds, &j->said, DIAG_JSON, false);
}

static void
ask(struct job *j, struct driver_options *o, struct buf *to)
{
    struct session *s = &j->s;
    int status;
    session_clear(s);
    o->write = into;
    o->ctx = to;
    j->tier = (struct rt_tier){.limit = WORK, .more = enough};
    o->tier = &j->tier;
    if (s->result.driver) {
        status = driver_restart(s->result.driver, s->params, o);
    } else {
        s->result.driver = NEW(s->arena, struct driver);
        status =
            driver_open(s->result.driver, s->image, NULL, s->params, o, &s->ds);
    }
    if (status == IMP_EXIT_OK)
        status = driver_run_commands(s->result.driver);
    look_at_status(j, status);
    if (o->json)
        look_at_json(to);
}

static void
whole_run(struct job *j)
{
    struct session *s = &j->s;
    struct session_options so;
    uint8_t mode = j->data[0];
    session_defaults(&so);
    so.backend = SESSION_EVAL;
    session_open(s, &so);
    s->text.model_name = "fuzz.imp";
    session_add_text(s, "fuzz.imp", (const char *)j->data + 1, j->n - 1, false);
    int status = session_check(s);
    if (status == IMP_EXIT_OK)
        status = session_compile(s);
    if (status != IMP_EXIT_OK) {
        look_at_status(j, status);
        return;
    }
    struct driver_options o = {.json = mode & MODE_JSON,
                               .out_dir = mode & MODE_FILES ? folder : NULL,
                               .has_seed = mode & MODE_SEED,
                               .seed = 7,
                               .stop = &stop,
                               .sweeps.threads = 1,
                               .sweeps.maker = session_maker(s)};
    ask(j, &o, &j->out[0]);
    bool compared = mode & (MODE_TWICE | MODE_THREADS) && s->result.driver->run;
    if (!compared || atomic_load(&stop))
        return;
    o.sweeps.threads = mode & MODE_THREADS ? 3 : 1;
    ask(j, &o, &j->out[1]);
    if (!atomic_load(&stop) &&
        (j->out[0].n != j->out[1].n ||
         (j->out[0].n && memcmp(j->out[0].s, j->out[1].s, j->out[0].n)))) {
        fprintf(stderr, "first:\n%s\nagain:\n%s\n", buf_str(&j->out[0]),
                buf_str(&j->out[1]));
        abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static bool ready;
    if (n == 0)
        return 0;
    if (!ready) {
        pthread_t t;
        if (!mkdtemp(folder) || pthread_create(&t, NULL, watch, NULL))
            abort();
        pthread_detach(t);
        setenv("PATH", "", 1); /* no gnuplot */
        ready = true;
    }
    struct job *j = calloc(1, sizeof *j);
    if (!j)
        abort();
    j->data = data;
    j->n = n;
    atomic_store(&stop, 0);
    atomic_store(&begun, now());
    struct oom_guard g;
    if (setjmp(g.env)) {
        oom_leave(&g);
    } else {
        oom_enter(&g);
        whole_run(j);
        oom_leave(&g);
    }
    atomic_store(&begun, 0);
    session_close(&j->s);
    for (int i = 0; i < 2; i++)
        buf_free(&j->out[i]);
    buf_free(&j->said);
    free(j);
    if (data[0] & MODE_FILES)
        nftw(folder, away, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}
