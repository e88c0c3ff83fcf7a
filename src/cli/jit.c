/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of an image: looked up in the cache, else generated and put there; then
 * loaded. An object from the cache that does not load is generated anew. */
#include "cli/jit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cache.h"
#include "cli/session.h"
#include "codegen/gen.h"
#include "codegen/symbols.h"

struct session_code {
    const struct gen_api *api;
    struct gen_jit *jit;
    imp_code code;
};

struct session_code *
session_code_new(const imp_image *im, int opt, bool cache, const char **error)
{
    struct gen_options o = {.opt = opt, .pic = true, .output = GEN_OBJECT};
    const struct gen_api *api = genload(error);
    struct session_code *c = api ? calloc(1, sizeof *c) : NULL;
    struct cache_key key;
    size_t n = 0;
    char *object = NULL;

    if (!api)
        return NULL;
    if (!c) {
        *error = "out of memory";
        return NULL;
    }
    c->api = api;
    if (cache) {
        cache_key(&key, im, api, &o);
        object = cache_get(&key, &n);
        if (object)
            c->jit = api->load(object, n, gen_symbols, &c->code, error);
    }
    if (!c->jit) {
        free(object);
        struct gen_bytes b = api->emit(im, &o);
        object = b.s;
        if (!b.s)
            *error = b.error;
        else
            c->jit = api->load(b.s, b.n, gen_symbols, &c->code, error);
        if (c->jit && cache)
            cache_put(&key, b.s, b.n);
    }
    free(object);
    if (c->jit && c->code.n_tapes == im->tapes.n)
        return c;
    if (c->jit)
        *error = "the loaded code is that of another model";
    session_code_free(c);
    return NULL;
}

void
session_code_free(struct session_code *c)
{
    if (!c)
        return;
    c->api->unload(c->jit);
    free(c);
}

const imp_code *
session_code_table(const struct session_code *c)
{
    return c ? &c->code : NULL;
}
