/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of systems: the values of coordinates and rates at t = 0. And what
 * they look like:
 *
 *   draw { stick = rod((0, 0), (X, Y))  foot[i in 0 .. 2] = mark(X + i, Y) } */
#include <assert.h>
#include <string.h>

#include "calculus/linear.h"
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
            CHECK_HELP(ck, diag,
                       "its coordinates are %s; a rate is written %s'",
                       check_join(ck, names, count, "and"), names[0]);
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
    struct diag *last = ck->ds->last;
    bool fits = value_need_scalar(ck, &value, key->value, dim, what);
    if (ck->ds->last != last)
        value_explain_name(ck, ck->ds->last,
                           ck->lists.coordinates.v[system->first + index].name,
                           ck->notes.coordinate_dims.v[system->first + index]);
    if (!fits || value.kind == VALUE_ANY ||
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
    /* lets, but not coordinates: a value that reads these is told of */
    struct env lets = {
        .up = work->args,
        .module = work->args->module,
        .names = NEW_N(ck->arena, const char *, work->named.n + 1),
        .vals = NEW_N(ck->arena, struct value, work->named.n + 1)};
    for (size_t i = 0; i < work->named.n; i++)
        if (work->named.v[i].item->kind == AST_LET) {
            lets.names[lets.n] = work->named.v[i].item->name.text;
            lets.vals[lets.n++] = work->named.v[i].value[0];
        }
    for (size_t b = 0; b < work->own_starts.n; b++) {
        struct start_block start = {work->own_starts.v[b].item, &lets};
        start_block(ck, &start, system);
    }
    for (size_t b = 0; b < work->starts.n; b++)
        start_block(ck, &work->starts.v[b], system);
}

/* -- draw { ... } ------------------------------------------------------------
 * Nothing of the motion reads a drawing, and its dimensions bind none of the
 * coordinates: all x are of one dimension, all y and lengths of one. */

struct drawing_row {
    const char *word;
    uint32_t shapes, points, lengths, angles;
};
static const struct drawing_row drawing_rows[] = {
#define DRAWING(KIND, word, shapes, points, lengths, angles, doc)              \
    {#word, shapes, points, lengths, angles},
#include "abi/drawings.def"
};

struct drawing_work {
    struct check *ck;
    struct system_work *work;
    const struct tm_system *system;
    const struct env *env; /* with the index of a family */
    const struct dim *x, *y;
};

#define PLACE "a place of a drawing"

/* The next number of a drawing. */
static bool
drawn_number(const struct drawing_work *dw, const struct ast_expr *node,
             const struct dim *dim, const char *what, struct tm_drawing *to)
{
    struct value value = check_expr(dw->ck, dw->env, node);
    if (!value_need_scalar(dw->ck, &value, node, dim, what) ||
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
        return drawn_number(dw, inner->list[0], dw->x, PLACE, to) &&
               drawn_number(dw, inner->list[1], dw->y, PLACE, to);
    struct value value = check_expr(dw->ck, dw->env, node);
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

/* The shape of an outline: its corners, its half-planes, or its level set. */
static bool
drawn_shape(const struct drawing_work *dw, const struct ast_expr *node,
            struct tm_drawing *to)
{
    struct check *ck = dw->ck;
    struct shape_use use;
    const struct ast_expr *head = ast_unwrap(node);
    if (!shape_open(ck, dw->env, head, &use))
        return false;
    if (use.uses_z || use.dim == 3) {
        struct diag *diag =
            check_error(ck, DIAG_E0377, head->range,
                        "a drawing lies in the plane, and this shape has z");
        CHECK_HELP(ck, diag,
                   "draw what is seen of it, such as circle(r), "
                   "rectangle(w, h) or polygon((0, 0), ...)");
        return false;
    }
    if (use.n_point) {
        to->poly = use.points;
        to->n_point = use.n_point;
        return check_leaves(ck, use.points, 2 * (size_t)use.n_point, MAY_PARAMS,
                            head, "the shape of a drawing");
    }
    if (!use.g) /* its arguments are open */
        return true;
    if (!check_leaves(ck, &use.g, 1, MAY_PARAMS, head,
                      "the shape of a drawing"))
        return false;
    const expr **rows;
    graph_origin(ck->g, head->range);
    to->n_plane = (uint32_t)ex_half_spaces(ck->g, use.g, 2, &rows);
    to->poly = to->n_plane ? rows : NULL;
    to->level_set = use.g;
    return true;
}

/* What the arguments of each kind are, for a message. */
static const char *
drawn_wanted(const struct drawing_row *row)
{
    return row->shapes        ? "a shape, a place, and an angle if it is turned"
           : row->lengths     ? "a place and a length"
           : row->points == 1 ? "one place"
                              : "two places";
}

/* The arguments of a drawing; a mark may have its two numbers without brackets.
 */
static bool
drawn_arguments(const struct drawing_work *dw, const struct ast_expr *call,
                struct tm_drawing *to)
{
    const struct drawing_row *row = &drawing_rows[to->kind];
    uint32_t least = row->shapes + row->points + row->lengths;
    bool good = true;
    for (size_t i = 0; i < call->n_args; i++)
        if (call->args[i].name.text) {
            check_error(dw->ck, DIAG_E0377, call->args[i].name.range,
                        "the arguments of `%s` have no names", row->word);
            return false;
        }
    if (least == 1 && call->n_args == 2)
        return drawn_number(dw, call->args[0].value, dw->x, PLACE, to) &&
               drawn_number(dw, call->args[1].value, dw->y, PLACE, to);
    if (call->n_args < least || call->n_args > least + row->angles) {
        struct diag *diag =
            check_error(dw->ck, DIAG_E0377, call->range, "`%s` takes %s",
                        row->word, drawn_wanted(row));
        CHECK_HELP(dw->ck, diag,
                   row->shapes ? "as in outline(rectangle(0.4, 0.2), (X, Y), "
                                 "theta)"
                               : "as in rod((0, 0), (X, Y)), disc((X, Y), r), "
                                 "mark(X, Y)");
        return false;
    }
    for (uint32_t i = 0; i < call->n_args && good; i++) {
        const struct ast_expr *node = call->args[i].value;
        good = i < row->shapes                 ? drawn_shape(dw, node, to)
               : i < row->shapes + row->points ? drawn_place(dw, node, to)
               : i < least
                   ? drawn_number(dw, node, dw->y, "a length of a drawing", to)
                   : drawn_number(dw, node, dim_pure(dw->ck->dims),
                                  "the angle of a drawing", to);
    }
    if (good && row->angles && call->n_args == least)
        to->e[to->n++] = ex_num(dw->ck->g, 0.0);
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
        (key->kind == AST_KEY || key->kind == AST_KEYS) && key->value
            ? ast_unwrap(key->value)
            : NULL;
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

/* Adds the drawing of a key, or those of all indices of a family. */
static void
add_drawings(struct drawing_work *dw, const struct ast_item *key,
             struct tm_system *system)
{
    struct check *ck = dw->ck;
    bool family = key->kind == AST_KEYS, open = false;
    int lo = 0;
    uint32_t count = 1;
    if (family && (!system_names(ck, dw->work, system, key) ||
                   !family_range(ck, dw->work->args, key, &lo, &count, &open)))
        return;
    struct tm_drawing *all =
        NEW_N(ck->arena, struct tm_drawing, system->n_drawings + count);
    if (system->n_drawings)
        memcpy(all, system->drawings, system->n_drawings * sizeof *all);
    system->drawings = all;
    for (uint32_t i = 0; i < count; i++) {
        struct value index =
            open ? value_any(ck, dim_pure(ck->dims), key->index.range)
                 : value_num(ck, ex_num(ck->g, lo + (int)i), dim_pure(ck->dims),
                             key->index.range);
        index.bare = true;
        const char *index_name[1] = {key->index.text};
        struct env env = {.up = &dw->work->env,
                          .module = dw->work->env.module,
                          .names = index_name,
                          .vals = &index,
                          .n = 1,
                          .system = true};
        struct tm_drawing one;
        dw->env = family ? &env : &dw->work->env;
        if (!one_drawing(dw, key, &one))
            return; /* a mistake is told of one member of a family */
        if (family)
            one.name = arena_printf(ck->arena, "%s[%d]", one.name, lo + (int)i);
        all[system->n_drawings++] = one;
    }
}

void
system_drawings(struct check *ck, struct system_work *work,
                struct tm_system *system)
{
    assert(ck && work && system);
    const struct ast_item *block = work->draw;
    if (!block)
        return;
    struct drawing_work dw = {ck,
                              work,
                              system,
                              &work->env,
                              dim_fresh(ck->dims, block->range),
                              dim_fresh(ck->dims, block->range)};
    for (size_t i = 0; i < block->n_block; i++) {
        const struct ast_item *key = block->block[i];
        for (size_t k = 0; k < i && key->name.text; k++)
            if (block->block[k]->name.text &&
                !strcmp(block->block[k]->name.text, key->name.text)) {
                struct diag *diag =
                    check_error(ck, DIAG_E0302, key->name.range,
                                "the key `%s` is given twice", key->name.text);
                CHECK_NOTE(ck, diag, block->block[k]->name.range, "first here");
                break;
            }
        add_drawings(&dw, key, system);
    }
}
