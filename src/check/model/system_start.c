/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of systems: the values of coordinates and rates at t = 0. And what
 * they look like:
 *
 *   draw { stick = rod((0, 0), (X, Y))  tip = mark(X, Y) } */
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

/* -- draw { ... } ------------------------------------------------------------
 * Nothing of the motion reads a drawing, and its dimensions bind none of the
 * coordinates: all x are of one dimension, all y and lengths of one. */

struct drawing_row {
    const char *word;
    uint32_t points, lengths;
};
static const struct drawing_row drawing_rows[] = {
#define DRAWING(KIND, word, points, lengths, doc) {#word, points, lengths},
#include "abi/drawings.def"
};

struct drawing_work {
    struct check *ck;
    struct system_work *work;
    const struct tm_system *system;
    const struct dim *x, *y;
};

/* The next number of a drawing. */
static bool
drawn_number(const struct drawing_work *dw, const struct ast_expr *node,
             bool across, struct tm_drawing *to)
{
    struct value value = check_expr(dw->ck, &dw->work->env, node);
    if (!value_need_scalar(dw->ck, &value, node, across ? dw->x : dw->y,
                           "a place of a drawing") ||
        !system_formula_ok(dw->ck, dw->system, value.e[0], false, node,
                           "a drawing"))
        return false;
    to->e[to->n++] = value.e[0];
    return true;
}

/* A place (x, y), or a vector such as a point of the system. */
static bool
drawn_place(const struct drawing_work *dw, const struct ast_expr *node,
            struct tm_drawing *to)
{
    const struct ast_expr *inner = ast_unwrap(node);
    if (inner->kind == AST_TUPLE && inner->n_list == 2 && !inner->unit)
        return drawn_number(dw, inner->list[0], true, to) &&
               drawn_number(dw, inner->list[1], false, to);
    struct value value = check_expr(dw->ck, &dw->work->env, node);
    if (value.kind == VALUE_POISON)
        return false;
    if (value.kind == VALUE_NUM && value.rows == 2 && value.cols == 1 &&
        !value.dims && dim_unify(dw->ck->dims, value.dim, dw->x, node->range) &&
        dim_unify(dw->ck->dims, value.dim, dw->y, node->range)) {
        for (int i = 0; i < 2; i++) {
            if (!system_formula_ok(dw->ck, dw->system, value.e[i], false, node,
                                   "a drawing"))
                return false;
            to->e[to->n++] = value.e[i];
        }
        return true;
    }
    struct diag *diag = check_error(dw->ck, DIAG_E0377, node->range,
                                    "a place of a drawing has two entries");
    CHECK_HELP(dw->ck, diag, "as in rod((0, 0), (X, Y))");
    return false;
}

/* The arguments of a drawing; a mark may have its two numbers without brackets.
 */
static bool
drawn_arguments(const struct drawing_work *dw, const struct ast_expr *call,
                struct tm_drawing *to)
{
    const struct drawing_row *row = &drawing_rows[to->kind];
    uint32_t n = row->points + row->lengths;
    bool good = true;
    for (size_t i = 0; i < call->n_args; i++)
        if (call->args[i].name.text) {
            check_error(dw->ck, DIAG_E0377, call->args[i].name.range,
                        "the arguments of `%s` have no names", row->word);
            return false;
        }
    if (n == 1 && call->n_args == 2)
        return drawn_number(dw, call->args[0].value, true, to) &&
               drawn_number(dw, call->args[1].value, false, to);
    if (call->n_args != n) {
        struct diag *diag = check_error(dw->ck, DIAG_E0377, call->range,
                                        "`%s` takes %s", row->word,
                                        n == 1         ? "one place"
                                        : row->lengths ? "a place and a length"
                                                       : "two places");
        CHECK_HELP(dw->ck, diag,
                   "as in rod((0, 0), (X, Y)), disc((X, Y), r), "
                   "mark(X, Y)");
        return false;
    }
    for (uint32_t i = 0; i < n && good; i++)
        good = i < row->points
                   ? drawn_place(dw, call->args[i].value, to)
                   : drawn_number(dw, call->args[i].value, false, to);
    return good;
}

/* NAME = KIND(...); false: an error has been reported. */
static bool
one_drawing(const struct drawing_work *dw, const struct ast_item *key,
            struct tm_drawing *to)
{
    enum { KINDS = sizeof drawing_rows / sizeof *drawing_rows };
    const char *words[KINDS];
    const struct ast_expr *call =
        key->kind == AST_KEY && key->value ? ast_unwrap(key->value) : NULL;
    bool named = call && call->kind == AST_CALL && call->a->kind == AST_NAME;
    for (size_t i = 0; i < KINDS; i++) {
        words[i] = drawing_rows[i].word;
        if (!named || strcmp(call->a->name.text, words[i]) != 0)
            continue;
        *to = (struct tm_drawing){.name = key->name.text,
                                  .kind = (enum imp_drawing_kind)i,
                                  .range = key->name.range};
        return drawn_arguments(dw, call, to);
    }
    struct diag *diag =
        check_error(dw->ck, DIAG_E0377, call ? call->range : key->range,
                    "a drawing is %s", check_join(dw->ck, words, KINDS, "or"));
    if (!named || !check_suggest(dw->ck, diag, call->a->range,
                                 call->a->name.text, words, KINDS))
        CHECK_HELP(dw->ck, diag, "as in stick = rod((0, 0), (X, Y))");
    return false;
}

void
system_drawings(struct check *ck, struct system_work *work,
                struct tm_system *system)
{
    assert(ck && work && system);
    const struct ast_item *block = work->draw;
    if (!block)
        return;
    struct drawing_work dw = {ck, work, system,
                              dim_fresh(ck->dims, block->range),
                              dim_fresh(ck->dims, block->range)};
    system->drawings = NEW_N(ck->arena, struct tm_drawing, block->n_block + 1);
    for (size_t i = 0; i < block->n_block; i++) {
        struct tm_drawing one;
        if (!one_drawing(&dw, block->block[i], &one))
            continue;
        for (uint32_t k = 0; k < system->n_drawings; k++)
            if (!strcmp(system->drawings[k].name, one.name)) {
                struct diag *diag =
                    check_error(ck, DIAG_E0302, one.range,
                                "the key `%s` is given twice", one.name);
                CHECK_NOTE(ck, diag, system->drawings[k].range, "first here");
            }
        system->drawings[system->n_drawings++] = one;
    }
}
