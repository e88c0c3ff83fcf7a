/* SPDX-License-Identifier: MIT */
/* Work on a stack that is large enough. See stack.h. */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>

#include "base/stack.h"

/* bytes; 1000 levels of a formula take up to 1.5 MB */
#define STACK_NEEDED ((size_t)8 << 20)

bool
stack_thread(pthread_t *thread, void *(*work)(void *), void *ctx)
{
    assert(thread && work);
    pthread_attr_t attributes;
    size_t given = 0;

    if (pthread_attr_init(&attributes))
        return false;
    bool begun = (!pthread_attr_getstacksize(&attributes, &given) &&
                  given >= STACK_NEEDED) ||
                 !pthread_attr_setstacksize(&attributes, STACK_NEEDED);
    begun = begun && !pthread_create(thread, &attributes, work, ctx);
    pthread_attr_destroy(&attributes);
    return begun;
}

struct call {
    int (*work)(void *);
    void *ctx;
    int result;
    sigset_t mask;
};

static void *
on_own_stack(void *ctx)
{
    struct call *call = ctx;

    pthread_sigmask(SIG_SETMASK, &call->mask, NULL);
    call->result = call->work(call->ctx);
    return NULL;
}

static bool
stack_is_small(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 &&
           limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < STACK_NEEDED;
}

int
stack_call(int (*work)(void *), void *ctx)
{
    assert(work);
    struct call call = {.work = work, .ctx = ctx};
    pthread_t thread;
    sigset_t all;

    if (!stack_is_small())
        return work(ctx);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &call.mask);
    if (!stack_thread(&thread, on_own_stack, &call)) {
        pthread_sigmask(SIG_SETMASK, &call.mask, NULL);
        return work(ctx);
    }
    pthread_join(thread, NULL);
    return call.result;
}
