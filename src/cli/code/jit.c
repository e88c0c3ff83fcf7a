/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code of an image. It is looked up in the cache; if it is not there, it is
 * generated and put there; then it is loaded. An object from the cache that
 * does not load is generated again. All this happens at once, or when it pays
 * (rt_tier_due). */
#include "cli/code/jit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/code/cache.h"
#include "cli/code/load.h"
#include "cli/code/symbols.h"
#include "codegen/gen.h"
#include "runtime/instance/run.h"

/* Work of the evaluator (runtime/instance/run.h) in the time that it takes to
 * load LLVM, and an object from the cache; and to generate code for one
 * instruction, in models of up to GEN_LARGE instructions and in larger ones.
 */
#define WORK_LOAD 1e7
#define WORK_SMALL 4e4
#define WORK_LARGE 1e4

struct model_code {
    struct rt_tier tier; /* must be first: `more` gets its address */
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
cost(const imp_image *image)
{
    double n = gen_size(image);

    return WORK_LOAD + n * (n > GEN_LARGE ? WORK_LARGE : WORK_SMALL);
}

/* Loads the code generator, if it is not there. False where that fails. */
static bool
generator(struct model_code *code)
{
    if (!code->api)
        code->api = load_codegen(&code->error);
    return code->api != NULL;
}

/* Loads the object if the cache has it. The code generator is loaded for that
 * alone, and where there is no key without it. */
static void
look_up(struct model_code *code)
{
    size_t n = 0;

    code->looked = true;
    if (!code->cache)
        return;
    if (!cache_key(&code->key, code->im, code->api, &code->o) &&
        (!generator(code) ||
         !cache_key(&code->key, code->im, code->api, &code->o)))
        return;
    char *object = cache_get(&code->key, &n);
    if (object && generator(code))
        code->jit =
            code->api->load(object, n, gen_symbols, &code->code, &code->error);
    free(object);
}

static void
make(struct model_code *code)
{
    struct gen_bytes bytes = code->api->emit(code->im, &code->o);

    if (!bytes.s)
        code->error = bytes.error;
    else
        code->jit = code->api->load(bytes.s, bytes.n, gen_symbols, &code->code,
                                    &code->error);
    if (code->jit && code->cache)
        cache_put(&code->key, bytes.s, bytes.n);
    free(bytes.s);
}

static bool
usable(struct model_code *code)
{
    if (code->jit && code->code.n_tapes == code->im->tapes.n)
        return true;
    if (code->jit) {
        code->error = "the loaded code is that of another model";
        code->api->unload(code->jit);
        code->jit = NULL;
    }
    return false;
}

static const imp_code *
more(struct rt_tier *tier)
{
    struct model_code *code = (struct model_code *)tier;

    if (!code->looked)
        look_up(code);
    if (!code->jit && tier->limit < cost(code->im)) {
        tier->limit = cost(code->im);
        if (!rt_tier_due(tier))
            return NULL;
    }
    if (!generator(code))
        return NULL;
    if (!code->jit)
        make(code);
    return usable(code) ? &code->code : NULL;
}

static struct model_code *
new_code(const imp_image *image, int opt, bool cache)
{
    struct model_code *code = calloc(1, sizeof *code);

    if (!code)
        return NULL;
    code->o =
        (struct gen_options){.opt = opt, .pic = true, .output = GEN_OBJECT};
    code->im = image;
    code->cache = cache;
    code->tier.more = more;
    /* nothing can be found where nobody looks */
    code->tier.limit = cache ? WORK_LOAD : cost(image);
    return code;
}

struct model_code *
model_code_later(const imp_image *image, int opt, bool cache)
{
    assert(image);
    struct model_code *code = new_code(image, opt, cache);

    if (!code)
        oom_raise();
    return code;
}

struct model_code *
model_code_new(const imp_image *image, int opt, bool cache, const char **error)
{
    assert(image && error);
    const struct gen_api *api = load_codegen(error);
    struct model_code *code = api ? new_code(image, opt, cache) : NULL;

    if (!code) {
        if (api)
            *error = "out of memory";
        return NULL;
    }
    code->api = api;
    look_up(code);
    if (!code->jit)
        make(code);
    if (usable(code))
        return code;
    *error = code->error;
    model_code_free(code);
    return NULL;
}

void
model_code_free(struct model_code *code)
{
    if (!code)
        return;
    if (code->api)
        code->api->unload(code->jit);
    free(code);
}

const imp_code *
model_code_table(const struct model_code *code)
{
    return code && code->jit ? &code->code : NULL;
}

struct rt_tier *
model_code_tier(struct model_code *code)
{
    return code && !code->jit ? &code->tier : NULL;
}
