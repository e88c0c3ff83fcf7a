/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of an image: looked up in the cache, else generated and put there; then
 * loaded. An object from the cache that does not load is generated anew. At
 * once, or when the evaluator has worked as long as that takes. */
#include "cli/code/jit.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/code/cache.h"
#include "cli/code/load.h"
#include "cli/code/symbols.h"
#include "codegen/gen.h"
#include "runtime/instance/run.h"

/* Work of the evaluator (runtime/instance/run.h) in the time that it takes to
 * load LLVM and an object from the cache; to generate code for one instruction,
 * in models up to GEN_LARGE instructions and in larger ones. Measured; 1 unit
 * is about 3 ns. Whatever is made only after as long a time of work never costs
 * more than twice the best choice. */
#define WORK_LOAD 1e7
#define WORK_SMALL 4e4
#define WORK_LARGE 1e4

struct model_code {
    struct rt_tier tier; /* first: `more` gets its address */
    const imp_image *im;
    struct gen_options o;
    bool cache, looked;
    struct cache_key key;
    const struct gen_api *api;
    struct gen_jit *jit;
    imp_code code;
    const char *error;
};

static double
cost(const imp_image *im)
{
    double n = gen_size(im);

    return WORK_LOAD + n * (n > GEN_LARGE ? WORK_LARGE : WORK_SMALL);
}

/* an object that is there already */
static void
look_up(struct model_code *c)
{
    size_t n = 0;

    c->looked = true;
    if (!c->cache)
        return;
    cache_key(&c->key, c->im, c->api, &c->o);
    char *object = cache_get(&c->key, &n);
    if (object)
        c->jit = c->api->load(object, n, gen_symbols, &c->code, &c->error);
    free(object);
}

static void
make(struct model_code *c)
{
    struct gen_bytes b = c->api->emit(c->im, &c->o);

    if (!b.s)
        c->error = b.error;
    else
        c->jit = c->api->load(b.s, b.n, gen_symbols, &c->code, &c->error);
    if (c->jit && c->cache)
        cache_put(&c->key, b.s, b.n);
    free(b.s);
}

static bool
usable(struct model_code *c)
{
    if (c->jit && c->code.n_tapes == c->im->tapes.n)
        return true;
    if (c->jit) {
        c->error = "the loaded code is that of another model";
        c->api->unload(c->jit);
        c->jit = NULL;
    }
    return false;
}

static const imp_code *
more(struct rt_tier *t)
{
    struct model_code *c = (struct model_code *)t;

    if (!c->api)
        c->api = load_codegen(&c->error);
    if (!c->api)
        return NULL;
    if (!c->looked)
        look_up(c);
    if (!c->jit && t->spent < cost(c->im)) {
        t->limit = cost(c->im);
        return NULL;
    }
    if (!c->jit)
        make(c);
    return usable(c) ? &c->code : NULL;
}

static struct model_code *
new_code(const imp_image *im, int opt, bool cache)
{
    struct model_code *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->o = (struct gen_options){.opt = opt, .pic = true, .output = GEN_OBJECT};
    c->im = im;
    c->cache = cache;
    c->tier.more = more;
    /* nothing to be found: LLVM need not be loaded to learn that */
    c->tier.limit = cache ? WORK_LOAD : cost(im);
    return c;
}

struct model_code *
model_code_later(const imp_image *im, int opt, bool cache)
{
    struct model_code *c = new_code(im, opt, cache);

    if (!c)
        oom_raise();
    return c;
}

struct model_code *
model_code_new(const imp_image *im, int opt, bool cache, const char **error)
{
    const struct gen_api *api = load_codegen(error);
    struct model_code *c = api ? new_code(im, opt, cache) : NULL;

    if (!c) {
        if (api)
            *error = "out of memory";
        return NULL;
    }
    c->api = api;
    look_up(c);
    if (!c->jit)
        make(c);
    if (usable(c))
        return c;
    *error = c->error;
    model_code_free(c);
    return NULL;
}

void
model_code_free(struct model_code *c)
{
    if (!c)
        return;
    if (c->api)
        c->api->unload(c->jit);
    free(c);
}

const imp_code *
model_code_table(const struct model_code *c)
{
    return c && c->jit ? &c->code : NULL;
}

struct rt_tier *
model_code_tier(struct model_code *c)
{
    return c && !c->jit ? &c->tier : NULL;
}
