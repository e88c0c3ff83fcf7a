/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The world: gravity, policy, the law of simultaneous contacts, tolerance,
 * seed; and the other blocks without a name of their own. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/model/model_priv.h"

enum {
    W_GRAVITY,
    W_POLICY,
    W_LAW,
    W_PARADOX,
    W_LOADS,
    W_CORNERS,
    W_TOLERANCE,
    W_SEED,
    W_GAIN,
    W_FORBID,
    W_START,
    N_WORLD
};
const struct keydef world_keys[] = {
    {"gravity", "acceleration of free bodies (0)"},
    {"policy", "at C00: stop, through or enforce"},
    {"law", "for simultaneous contacts"},
    {"paradox", "where friction leaves the motion open: report, liftoff, "
                "stick or jump"},
    {"loads", "where contacts can share their loads in many ways: least_norm "
              "or report"},
    {"corners", "where a corner meets a corner: report or rounded"},
    {"tolerance", "relative tolerance of verdicts"},
    {"seed", "of random numbers"},
    {"gain", "allowed or forbidden: may an impact raise the energy?"},
    {"forbid", "what no impact may do: negative, gain, separating"},
    {"start", "velocities that joints forbid: stated or projected"},
};
const size_t n_world_keys = sizeof world_keys / sizeof world_keys[0];

const char *const impact_laws[N_IMPACT_LAWS + 1] = {
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) #word,
#include "abi/laws.def"
    "report"};

const char *const paradox_words[N_PARADOX] = {
#define PARADOX(ID, word, doc) #word,
#include "abi/paradox.def"
};

const char *const loads_words[N_LOADS] = {
#define LOADS(ID, word, doc) #word,
#include "abi/loads.def"
};

const char *const corners_words[N_CORNERS] = {
#define CORNERS(ID, word, doc) #word,
#include "abi/corners.def"
};

bool
corners_fit(struct check *ck, int corners, imp_range where)
{
    assert(ck);
    if (corners <= 0 || ck->m->dim != 3)
        return true;
    struct diag *diag = check_error(ck, DIAG_E0395, where,
                                    "`corners = rounded` is for bodies in the "
                                    "plane, but these lie in space");
    CHECK_HELP(ck, diag,
               "state the direction in the contact, where a corner or an edge "
               "may meet another: normal = (1, 0, 0)");
    return false;
}

/* Reads a word, or a tuple of words, as bits in the order of the words. */
static uint32_t
key_words(struct check *ck, const struct ast_item *key,
          const char *const *words, size_t count)
{
    const struct ast_expr *node = ast_unwrap(key->value);
    struct ast_item one = *key;
    uint32_t bits = 0;
    if (node->kind != AST_TUPLE) {
        int w = key_word(ck, key, words, count);
        return w < 0 ? 0 : 1u << w;
    }
    for (size_t i = 0; i < node->n_list; i++) {
        one.value = node->list[i];
        int w = key_word(ck, &one, words, count);
        bits |= w < 0 ? 0 : 1u << w;
    }
    return bits;
}

static void
gravity(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    uint32_t dim = ck->m->dim;
    struct value value = check_expr(ck, env, node);
    const struct dim *acc = dim_mks(ck->dims, 1, 0, -2);
    if (value.kind == VALUE_NUM && value_is_scalar(&value)) {
        struct diag *diag = check_error(ck, DIAG_E0314, node->range,
                                        "gravity is a vector, but this is one "
                                        "number");
        CHECK_HELP(ck, diag,
                   dim == 3 ? "write (0, 0, -9.81) [m/s^2]"
                            : "write (0, -9.81) [m/s^2]");
    } else if (dim == 0 && value.kind == VALUE_NUM && value.cols == 1) {
        value_need_dim(ck, &value, node, acc,
                       "gravity"); /* Without bodies there is no dimension of
                                      space, and nothing uses gravity. */
    } else if (value_need_vector(ck, &value, node, dim, acc, "gravity") &&
               check_leaves(ck, value.e, dim, MAY_PARAMS, node, "gravity")) {
        take_vec(&ck->m->world.gravity, &value, node);
    }
}

/* Takes the keys `tolerance` and `seed`. */
static void
number_keys(struct check *ck, const struct env *env,
            const struct ast_item *const *keys)
{
    for (int key = W_TOLERANCE; key <= W_SEED; key++) {
        double number;
        if (!keys[key])
            continue;
        const struct ast_expr *node = keys[key]->value;
        struct value value = check_expr(ck, env, node);
        if (!value_need_scalar(ck, &value, node, dim_pure(ck->dims),
                               key == W_SEED ? "a seed" : "a tolerance") ||
            !check_leaves(ck, value.e, 1, MAY_PARAMS, node,
                          world_keys[key].name))
            continue;
        if (key == W_TOLERANCE && value_const(&value, &number) &&
            !(number > 0 && number < 1)) {
            struct diag *diag =
                check_error(ck, DIAG_E0317, node->range,
                            "a relative tolerance is above 0 and "
                            "below 1, but this is %g",
                            number);
            CHECK_HELP(ck, diag, "1e-9 is a usual one");
            continue;
        }
        if (key == W_SEED && value_const(&value, &number) &&
            !(number == floor(number) && number >= 0.0 && number <= 0x1p53)) {
            struct diag *diag =
                check_error(ck, DIAG_E0376, node->range,
                            "a seed is a whole number from 0 to "
                            "2^53, but this is %g",
                            number);
            CHECK_HELP(ck, diag, "any other one gives other draws: seed = 7");
            continue;
        }
        take_num(key == W_SEED ? &ck->m->world.seed : &ck->m->world.tolerance,
                 &value, node);
    }
}

const struct ast_item *
world_law(struct check *ck, struct module **home)
{
    assert(ck && home);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (size_t i = 0; i < module->others.n; i++) {
            const struct ast_item *it = module->others.v[i];
            if (it->kind != AST_BLOCK || strcmp(it->name.text, "world"))
                continue;
            *home = module;
            for (size_t k = 0; k < it->n_block; k++)
                if (it->block[k]->kind == AST_KEY && it->block[k]->value &&
                    !strcmp(it->block[k]->name.text, "law") &&
                    law_named(ck, module, it->block[k]->value))
                    return it->block[k];
        }
    return NULL;
}

static void
world(struct check *ck, struct module *module, const struct ast_item *it)
{
    static const char *const policies[] = {"through", "stop", "enforce"};
    static const char *const forbidden[] = {"negative", "gain", "separating",
                                            "nothing"};
    static const char *const gains[] = {"forbidden", "allowed"};
    static const char *const starts[] = {"stated", "projected"};
    const struct ast_item *keys[N_WORLD];
    struct env env = {.module = module};
    struct tm_model *tm = ck->m;
    block_keys(ck, it, world_keys, n_world_keys, "world", keys);
    if (keys[W_GRAVITY])
        gravity(ck, &env, keys[W_GRAVITY]->value);
    number_keys(ck, &env, keys);
    if (keys[W_POLICY]) {
        int policy = key_word(ck, keys[W_POLICY], policies, 3);
        if (policy >= 0) {
            tm->world.policy = (enum imp_policy)policy;
            tm->world.has_policy = true;
        }
    }
    /* Returns bits IMP_FORBID_...; what the model does not state follows from
     * its policy. */
    if (keys[W_FORBID])
        tm->world.forbid = key_words(ck, keys[W_FORBID], forbidden, 4) & 7u;
    else if (tm->world.has_policy && tm->world.policy == IMP_POLICY_STOP)
        tm->world.forbid = 7u;
    if (keys[W_GAIN])
        tm->world.gain_allowed = key_word(ck, keys[W_GAIN], gains, 2) == 1;
    if (keys[W_START])
        tm->world.start_projected = key_word(ck, keys[W_START], starts, 2) == 1;
    /* laws of contacts take several of them in turns */
    if (keys[W_LAW] && law_named(ck, module, keys[W_LAW]->value)) {
        tm->world.impact_law = IMP_IMPACT_SEQUENTIAL;
    } else if (keys[W_LAW]) {
        int l = key_word(ck, keys[W_LAW], impact_laws, N_IMPACT_LAWS + 1);
        if (l >= 0 && l < N_IMPACT_LAWS)
            tm->world.impact_law = (enum imp_impact_law)(l + 1);
    }
    if (keys[W_PARADOX]) {
        int paradox = key_word(ck, keys[W_PARADOX], paradox_words, N_PARADOX);
        tm->world.paradox = paradox < 0 ? 0 : (uint32_t)paradox;
    }
    if (keys[W_LOADS]) {
        int loads = key_word(ck, keys[W_LOADS], loads_words, N_LOADS);
        tm->world.loads = loads < 0 ? 0 : (uint32_t)loads;
    }
    if (keys[W_CORNERS]) {
        int corners = key_word(ck, keys[W_CORNERS], corners_words, N_CORNERS);
        tm->world.corners = corners < 0 ? 0 : (uint32_t)corners;
        corners_fit(ck, corners, keys[W_CORNERS]->value->range);
    }
}

void
check_world(struct check *ck)
{
    assert(ck);
    const struct ast_item *seen = NULL;
    struct module *home = NULL;
    ck->m->world.policy = IMP_POLICY_STOP;
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (size_t i = 0; i < module->others.n; i++) {
            const struct ast_item *it = module->others.v[i];
            static const char *const words[] = {
                "world",
                "contacts",
#define COMMAND(name, args, avail, rules, traits, doc) #name,
#include "abi/commands.def"
            };
            if (it->kind == AST_KEY) {
                check_error(ck, DIAG_E0303, it->name.range,
                            "a key stands in the block of a declaration");
                continue;
            }
            if (it->kind != AST_BLOCK)
                continue;
            if (!strcmp(it->name.text, "start") ||
                !strcmp(it->name.text, "observer")) {
                CHECK_HELP(ck,
                           check_error(ck, DIAG_E0303, it->name.range,
                                       "`%s` stands in the block of a system",
                                       it->name.text),
                           "system s { coordinate x  kinetic = x'^2/2  %s { "
                           "... } }",
                           it->name.text);
                continue;
            }
            if (!strcmp(it->name.text, "contacts"))
                continue; /* contacts_all.c */
            if (strcmp(it->name.text, "world")) {
                struct diag *diag =
                    check_error(ck, DIAG_E0305, it->name.range,
                                "there is no block `%s`", it->name.text);
                if (!check_suggest(ck, diag, it->name.range, it->name.text,
                                   words, sizeof words / sizeof words[0]))
                    CHECK_HELP(ck, diag,
                               "blocks without a name of their own are "
                               "world { ... } and contacts { ... }, and those "
                               "of commands, as in simulate { until = 2 }");
                continue;
            }
            if (seen && !ck->in->redefine) {
                struct diag *diag = check_error(ck, DIAG_E0304, it->name.range,
                                                "the world is described twice");
                CHECK_NOTE(ck, diag, seen->name.range, "first here");
                continue;
            }
            seen = it;
            home = module;
        }
    if (seen)
        world(ck, home, seen);
    struct tm_vec *g = &ck->m->world.gravity;
    if (!g->n && ck->m->dim) {
        g->n = ck->m->dim;
        g->e = check_zeros(ck);
    }
}
