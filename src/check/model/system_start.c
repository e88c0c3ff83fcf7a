/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of systems: the values of coordinates and rates at t = 0. */
#include <string.h>

#include "check/model/system_priv.h"

static void
start_key(struct check *ck, const struct env *env, const struct tm_system *s,
          const struct ast_item *k, const struct ast_item **seen)
{
    const char *name = k->name.text;
    size_t len = strlen(name);
    bool rate = len > 1 && name[len - 1] == '\'';
    uint32_t i = 0;
    uint32_t n = s->n + s->n_observer;
    for (; i < n; i++) {
        const char *q = ck->coordinates.v[s->first + i].name;
        size_t l = strlen(q);
        if (!strncmp(q, name, l) && l + rate == len)
            break;
    }
    if (i == n) {
        const char **names = NEW_N(ck->arena, const char *, n);
        const char **meant = NEW_N(ck->arena, const char *, n);
        for (uint32_t j = 0; j < n; j++) {
            names[j] = ck->coordinates.v[s->first + j].name;
            meant[j] =
                rate ? arena_printf(ck->arena, "%s'", names[j]) : names[j];
        }
        struct diag *d = ck_error(ck, DIAG_E0368, k->name.range,
                                  "`%s` is no coordinate of this system, nor "
                                  "a rate",
                                  name);
        if (!ck_suggest(ck, d, k->name.range, name, meant, n))
            CK_HELP(ck, d, "its coordinates are %s",
                    ck_join(ck, names, n, "and"));
        return;
    }
    if (rate && ck->coordinates.v[s->first + i].order == 1) {
        const char *u = ck->coordinates.v[s->first + i].name;
        struct diag *d = ck_error(ck, DIAG_E0368, k->name.range,
                                  "the rate of `%s` follows from its equation, "
                                  "which is of first order",
                                  u);
        CK_HELP(ck, d, "only its value is free: %s = ...", u);
        return;
    }
    const struct ast_item **first = &seen[2 * i + rate];
    if (*first) {
        struct diag *d = ck_error(ck, DIAG_E0302, k->name.range,
                                  "the key `%s` is given twice", name);
        CK_NOTE(ck, d, (*first)->name.range, "first here");
        return;
    }
    *first = k;
    const struct dim *dim = ck->coordinate_dims.v[s->first + i];
    if (rate)
        dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1));
    const char *what = rate ? "the rate of this coordinate at the start"
                            : "this coordinate at the start";
    struct value v = ck_expr(ck, env, k->value);
    if (!v_need_scalar(ck, &v, k->value, dim, what) || v.kind == V_ANY ||
        !check_leaves(ck, v.e, 1, MAY_PARAMS, k->value, what))
        return;
    struct tm_coordinate *c = &ck->coordinates.v[s->first + i];
    take_num(rate ? &c->start_rate : &c->start, &v, k->value);
}

static void
start_block(struct check *ck, const struct start_block *b,
            const struct tm_system *s)
{
    const struct ast_item **seen =
        NEW_N(ck->arena, const struct ast_item *,
              2 * (size_t)(s->n + s->n_observer) + 1);
    struct env env = {
        .up = b->env, .module = b->env->module, .part = PART_START};
    for (size_t i = 0; i < b->item->n_block; i++) {
        const struct ast_item *k = b->item->block[i];
        if (k->kind == AST_KEY && k->value && !k->command)
            start_key(ck, &env, s, k, seen);
        else
            ck_error(ck, DIAG_E0361, k->head.file ? k->head : k->range,
                     "a start has coordinates and rates only: h = 1  "
                     "h' = -1");
    }
}

void
system_starts(struct check *ck, struct system_work *w,
              const struct tm_system *s)
{
    for (size_t b = 0; b < w->own_starts.n; b++)
        start_block(ck, &w->own_starts.v[b], s);
    for (size_t b = 0; b < w->starts.n; b++)
        start_block(ck, &w->starts.v[b], s);
}
