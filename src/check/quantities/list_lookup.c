/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lookup(u, x, y): the entry of y in the last row whose x is not above u. Where x
 * has one entry more than y, these hold from place to place, at a place what
 * holds before it: so what is continuous has the slope there with which it has
 * come. Before anything moves it is a number of lists. Along a motion x and the lists that y
 * is made of become tables (operators PLACE and ENTRY), which stand as numbers
 * in the environment: one look into them costs the same for any number of rows.
 * Places that move themselves are compared one by one. */
#include <assert.h>

#include "check/quantities/lists.h"

struct table {
    struct check *ck;
    const expr *place;  /* the row */
    const expr *places; /* the table x */
    uint32_t x, n;      /* its list, and how many rows y has */
};

static const expr *
entry_of(void *ctx, const expr *leaf)
{
    const struct table *table = ctx;
    struct check *ck = table->ck;
    if (leaf->sym != SYM_CELL)
        return NULL;
    imp_range range = ck->lists.lists.v[leaf->i].range;
    if (table->n == 1)
        return list_slot(ck, leaf->i, leaf->j, range);
    const expr *all = leaf->i == table->x
                          ? table->places
                          : list_slots(ck, leaf->i, leaf->j, table->n, false,
                                       range);
    return ex_op(ck->g, IMP_OP_ENTRY, table->place, all, NULL);
}

/* The formulas of y in the row of u, by tables. */
static void
by_tables(struct check *ck, const struct ast_expr *node, const expr *at,
          const struct value *x, uint32_t n_x, const struct value *y, uint32_t n,
          const expr **e)
{
    const expr *cell = x->e[0];
    bool is_cell = cell->op == IMP_OP_ENV && cell->sym == SYM_CELL &&
                   ck->lists.lists.v[cell->i].width == 1;
    struct table table = {.ck = ck, .n = n};
    table.x = is_cell ? cell->i
                      : list_made(ck, node->args[1].value, IMP_LIST_VALUES, x, 1,
                                  1)
                            .ref;
    graph_origin(ck->g, node->range);
    if (n > 1) {
        /* all have to rise, also where the last one ends the last row */
        table.places = list_slots(ck, table.x, 0, n_x, true, x->range);
        table.places = ex_sym(ck->g, SYM_SLOT, table.places->i, n);
        const expr *of = table.places;
        if (n_x > n)
            of = ex_sym(ck->g, SYM_SLOT, of->i, n | IMP_TABLE_BELOW);
        table.place = ex_op(ck->g, IMP_OP_PLACE, at, of, NULL);
    }
    for (uint32_t k = 0; k < y->rows; k++)
        e[k] = ex_subst(ck->g, y->e[k], entry_of, &table);
}

/* The same with each place compared with u. */
static void
one_by_one(struct check *ck, const expr *at, const struct value *x,
           uint32_t n_x, const struct value *y, uint32_t n, const expr **e)
{
    enum imp_op reaches = n_x > n ? IMP_OP_LT : IMP_OP_LE;
    for (uint32_t k = 0; k < y->rows; k++) {
        e[k] = list_term(ck, y, k, 0);
        for (uint32_t i = 1; i < n; i++) {
            const expr *reached =
                ex_op(ck->g, reaches, list_term(ck, x, 0, i), at, NULL);
            e[k] = ex_op(ck->g, IMP_OP_SELECT, reached, list_term(ck, y, k, i),
                         e[k]);
        }
    }
}

/* Checks the arguments, and makes lists of x and y; false: reported. *any: the
 * kind of one is not known. */
static bool
take_arguments(struct check *ck, const struct ast_expr *node, const char *word,
               struct value *args, bool *any)
{
    for (size_t i = 0; i < 3; i++) {
        if (args[i].kind == VALUE_ANY) {
            *any = true;
            continue;
        }
        const char *wanted = i == 0   ? "one number"
                             : i == 1 ? "a list of single numbers"
                                      : "a list of numbers";
        bool fits = i == 0 ? value_is_scalar(&args[i])
                           : list_taken(ck, node->args[i].value, &args[i]) &&
                                 !args[i].truth && (i > 1 || args[i].rows == 1);
        if (!fits) {
            list_refused(ck, node, word, i, &args[i], wanted);
            return false;
        }
    }
    return true;
}

struct value
list_lookup(struct check *ck, const struct ast_expr *node, const char *word,
            const struct value *given)
{
    assert(ck && node && word && given);
    struct value args[3] = {given[0], given[1], given[2]};
    const struct dim *dim;
    bool any = false, bare;
    if (!take_arguments(ck, node, word, args, &any))
        return value_poison(node->range);
    if (any)
        return value_any(ck,
                         args[2].kind == VALUE_COLUMN
                             ? args[2].dim
                             : dim_fresh(ck->dims, node->range),
                         node->range);
    const struct value *u = &args[0], *x = &args[1], *y = &args[2];
    if (!value_agree(ck, node, word, u, node->args[0].value, x,
                     node->args[1].value, &dim, &bare))
        return value_poison(node->range);
    bool x_moves = list_moves(ck, x),
         moves = x_moves || list_moves(ck, u) || list_moves(ck, y);
    size_t n_x = moves ? list_terms(ck, x) : 0,
           n_y = moves ? list_terms(ck, y) : 0;
    bool known = n_y > 0 && (n_x == n_y || n_x == n_y + 1) &&
                 (!x_moves || n_x <= LIST_TERMS_MOST);
    if (!known) {
        struct value inputs[3] = {*u, *x, *y};
        struct value made =
            list_made(ck, node, IMP_LIST_LOOKUP, inputs, 3, y->rows);
        made.dim = y->dim;
        made.bare = y->bare;
        made.dims = y->dims;
        return list_numbers(ck, &made, y->rows);
    }
    list_of_whole_tables(ck, x);
    list_of_whole_tables(ck, y);
    struct value result = value_array(ck, y->rows, 1, y->dim, node->range);
    result.bare = y->bare;
    result.dims = y->dims;
    graph_origin(ck->g, node->range);
    if (x_moves)
        one_by_one(ck, u->e[0], x, (uint32_t)n_x, y, (uint32_t)n_y, result.e);
    else
        by_tables(ck, node, u->e[0], x, (uint32_t)n_x, y, (uint32_t)n_y,
                  result.e);
    return result;
}
