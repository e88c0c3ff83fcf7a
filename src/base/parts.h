/* SPDX-License-Identifier: MIT */
/* Work that falls into parts which do not depend on one another, by some
 * threads: f once for every part k < n, in any order. worker < threads says who
 * is at it, for memory of its own; the calling thread works too, and a thread
 * that cannot be made is one fewer. Returns when all is done; memory's end in
 * any of them is raised in the caller then. */
#ifndef IMP_BASE_PARTS_H
#define IMP_BASE_PARTS_H

#include <stddef.h>

typedef void parts_fn(void *ctx, int worker, size_t k);
void parts_run(int threads, size_t n, parts_fn *f, void *ctx);

#endif
