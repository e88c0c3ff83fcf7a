/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of systems: the values of coordinates and rates at t = 0. */
#include <assert.h>
#include <string.h>

#include "check/model/system_priv.h"

static void
start_key(struct check *ck, const struct env *env,
          const struct tm_system *system, const struct ast_item *key,
          const struct ast_item **seen)
{
    const char *name = key->name.text;
    size_t len = strlen(name);
    bool rate = len > 1 && name[len - 1] == '\'';
    uint32_t index = 0;
    uint32_t count = system->n + system->n_observer;
    for (; index < count; index++) {
        const char *coordinate =
            ck->lists.coordinates.v[system->first + index].name;
        size_t l = strlen(coordinate);
        if (!strncmp(coordinate, name, l) && l + rate == len)
            break;
    }
    if (index == count) {
        const char **names = NEW_N(ck->arena, const char *, count);
        const char **meant = NEW_N(ck->arena, const char *, count);
        for (uint32_t j = 0; j < count; j++) {
            names[j] = ck->lists.coordinates.v[system->first + j].name;
            meant[j] =
                rate ? arena_printf(ck->arena, "%s'", names[j]) : names[j];
        }
        struct diag *diag =
            check_error(ck, DIAG_E0368, key->name.range,
                        "`%s` is no coordinate of this system, nor "
                        "a rate",
                        name);
        if (!check_suggest(ck, diag, key->name.range, name, meant, count))
            CHECK_HELP(ck, diag, "its coordinates are %s",
                       check_join(ck, names, count, "and"));
        return;
    }
    if (rate && ck->lists.coordinates.v[system->first + index].order == 1) {
        const char *u = ck->lists.coordinates.v[system->first + index].name;
        struct diag *diag =
            check_error(ck, DIAG_E0368, key->name.range,
                        "the rate of `%s` follows from its equation, "
                        "which is of first order",
                        u);
        CHECK_HELP(ck, diag, "only its value is free: %s = ...", u);
        return;
    }
    const struct ast_item **first = &seen[2 * index + rate];
    if (*first) {
        struct diag *diag = check_error(ck, DIAG_E0302, key->name.range,
                                        "the key `%s` is given twice", name);
        CHECK_NOTE(ck, diag, (*first)->name.range, "first here");
        return;
    }
    *first = key;
    const struct dim *dim = ck->notes.coordinate_dims.v[system->first + index];
    if (rate)
        dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1));
    const char *what = rate ? "the rate of this coordinate at the start"
                            : "this coordinate at the start";
    struct value value = check_expr(ck, env, key->value);
    if (!value_need_scalar(ck, &value, key->value, dim, what) ||
        value.kind == VALUE_ANY ||
        !check_leaves(ck, value.e, 1, MAY_PARAMS, key->value, what))
        return;
    struct tm_coordinate *c = &ck->lists.coordinates.v[system->first + index];
    take_num(rate ? &c->start_rate : &c->start, &value, key->value);
}

static void
start_block(struct check *ck, const struct start_block *b,
            const struct tm_system *system)
{
    const struct ast_item **seen =
        NEW_N(ck->arena, const struct ast_item *,
              2 * (size_t)(system->n + system->n_observer) + 1);
    struct env env = {
        .up = b->env, .module = b->env->module, .part = PART_START};
    for (size_t i = 0; i < b->item->n_block; i++) {
        const struct ast_item *key = b->item->block[i];
        if (key->kind == AST_KEY && key->value && !key->command)
            start_key(ck, &env, system, key, seen);
        else
            check_error(ck, DIAG_E0361, key->head.file ? key->head : key->range,
                        "a start has coordinates and rates only: h = 1  "
                        "h' = -1");
    }
}

void
system_starts(struct check *ck, struct system_work *work,
              const struct tm_system *system)
{
    assert(ck && work && system);
    for (size_t b = 0; b < work->own_starts.n; b++)
        start_block(ck, &work->own_starts.v[b], system);
    for (size_t b = 0; b < work->starts.n; b++)
        start_block(ck, &work->starts.v[b], system);
}
