/* SPDX-License-Identifier: MIT */
/* Work that consists of independent parts, done by several threads. Calls f
 * once for every part k < n, in any order. worker < threads is the number of
 * the thread, for memory of its own. The calling thread works too; a thread
 * that cannot be made is one fewer. Returns when all parts are done. If memory
 * runs out in any thread, that is raised in the caller then. */
#ifndef IMP_BASE_PARTS_H
#define IMP_BASE_PARTS_H

#include <stddef.h>

typedef void parts_fn(void *ctx, int worker, size_t k);
void parts_run(int threads, size_t n, parts_fn *f, void *ctx);

#endif
