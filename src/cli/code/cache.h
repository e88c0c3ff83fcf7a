/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object cache on disk: $XDG_CACHE_HOME/imp, or ~/.cache/imp. A cache never
 * makes a run fail: whatever is wrong with it (no home, wrong owner, full disk,
 * damaged file, another process), the object is generated instead. */
#ifndef IMP_CLI_CODE_CACHE_H
#define IMP_CLI_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/image.h"
#include "cli/code/sha256.h"

struct gen_api;
struct gen_options;

/* All files together stay below this many bytes; those not used for longest go
 * first. */
#define CACHE_BYTES ((size_t)256 << 20)

struct cache_key {
    unsigned char hash[SHA256_SIZE];
};
/* The key of what generated code depends on: the tapes, the code generator (its
 * file), the processor, the options. `api` may be NULL, so that the cache can
 * be asked before the code generator is loaded; false: then there is no key
 * without it. */
bool cache_key(struct cache_key *key, const imp_image *image,
               const struct gen_api *api, const struct gen_options *options);
/* The object, on the heap, or NULL. */
char *cache_get(const struct cache_key *key, size_t *size);
void cache_put(const struct cache_key *key, const char *object, size_t n);
/* The same in a given folder and with a given bound, for tests. */
char *cache_get_in(const char *dir, const struct cache_key *key, size_t *size);
bool cache_put_in(const char *dir, const struct cache_key *key,
                  const char *object, size_t n, size_t bound);

#endif
