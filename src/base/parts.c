/* SPDX-License-Identifier: MIT */
/* See parts.h. */
#include "base/parts.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/stack.h"

enum { MOST = 256 };

struct parts {
    size_t n;
    parts_fn *f;
    void *ctx;
    atomic_size_t next;
    atomic_bool no_memory;
};
struct worker {
    struct parts *all;
    int number;
    pthread_t thread;
    bool running;
};

static void *
work(void *ctx)
{
    struct worker *worker = ctx;
    struct parts *parts = worker->all;
    struct oom_guard guard;
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        atomic_store(&parts->no_memory, true);
        return NULL;
    }
    oom_enter(&guard);
    while (!atomic_load(&parts->no_memory)) {
        size_t k = atomic_fetch_add(&parts->next, 1);
        if (k >= parts->n)
            break;
        parts->f(parts->ctx, worker->number, k);
    }
    oom_leave(&guard);
    return NULL;
}

void
parts_run(int threads, size_t n, parts_fn *f, void *ctx)
{
    assert(f);
    struct parts parts = {.n = n, .f = f, .ctx = ctx};
    struct worker workers[MOST];
    int m = threads < 1 ? 1 : threads > MOST ? MOST : threads;
    if ((size_t)m > n)
        m = n ? (int)n : 1;
    for (int k = 0; k < m; k++)
        workers[k] = (struct worker){.all = &parts, .number = k};
    for (int k = 1; k < m; k++)
        workers[k].running =
            stack_thread(&workers[k].thread, work, &workers[k]);
    work(&workers[0]);
    for (int k = 1; k < m; k++)
        if (workers[k].running)
            pthread_join(workers[k].thread, NULL);
    if (atomic_load(&parts.no_memory))
        oom_raise();
}
