/* SPDX-License-Identifier: MIT */
/* Work on a stack that is large enough, whatever `ulimit -s` says: the limits
 * of nesting hold for this size. */
#ifndef IMP_BASE_STACK_H
#define IMP_BASE_STACK_H

#include <pthread.h>
#include <stdbool.h>

/* Begins a thread, as pthread_create does, with no less stack than is needed.
 * False: there is none. */
bool stack_thread(pthread_t *thread, void *(*work)(void *), void *ctx);

/* Calls work(ctx) and returns what it returns: on the stack of the caller, or,
 * where the system gives the first thread too little, on another one. The first
 * thread then waits, and takes no signals. */
int stack_call(int (*work)(void *), void *ctx);

#endif
