/* SPDX-License-Identifier: MIT */
/* See parts.h. */
#include "base/parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"

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
    struct parts *p = worker->all;
    struct oom_guard g;
    if (setjmp(g.env)) {
        oom_leave(&g);
        atomic_store(&p->no_memory, true);
        return NULL;
    }
    oom_enter(&g);
    while (!atomic_load(&p->no_memory)) {
        size_t k = atomic_fetch_add(&p->next, 1);
        if (k >= p->n)
            break;
        p->f(p->ctx, worker->number, k);
    }
    oom_leave(&g);
    return NULL;
}

void
parts_run(int threads, size_t n, parts_fn *f, void *ctx)
{
    struct parts p = {.n = n, .f = f, .ctx = ctx};
    struct worker w[MOST];
    int m = threads < 1 ? 1 : threads > MOST ? MOST : threads;
    if ((size_t)m > n)
        m = n ? (int)n : 1;
    for (int k = 0; k < m; k++)
        w[k] = (struct worker){.all = &p, .number = k};
    for (int k = 1; k < m; k++)
        w[k].running = !pthread_create(&w[k].thread, NULL, work, &w[k]);
    work(&w[0]);
    for (int k = 1; k < m; k++)
        if (w[k].running)
            pthread_join(w[k].thread, NULL);
    if (atomic_load(&p.no_memory))
        oom_raise();
}
