/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of lists along a motion: sum(d.a*sin(d.w*t)) of columns of data reads
 * the time, so it is no number that is known before the motion. Where the
 * length of the lists is known when the model is checked, the sum is written
 * out term by term, each with numbers of its own, and stands wherever such a
 * formula may. The model then holds for tables of this length alone
 * (tm_table.whole). A selection is asked for its length, too: its conditions are
 * evaluated row by row, and the run says if other numbers make it another one
 * (tm_list.column). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/quantities/lists.h"

struct open {
    struct check *ck;
    bool all;
};
static bool is_open(struct check *ck, uint32_t number);

static void
open_leaf(void *ctx, const expr *leaf)
{
    struct open *open = ctx;
    if (leaf->sym == SYM_CELL)
        open->all &= is_open(open->ck, leaf->i);
}

/* Is it a list of formulas, as of what bodies of a family do, that stand here
 * one by one? */
static bool
is_open(struct check *ck, uint32_t number)
{
    const struct tm_list *list = &ck->lists.lists.v[number];
    struct open open = {ck, true};
    if (list->kind == IMP_LIST_VALUES)
        return list->inputs->kind == IMP_VAL_NUM;
    if (list->kind != IMP_LIST_ENTRIES ||
        list->inputs->kind != IMP_VAL_COLUMN)
        return false;
    ex_leaves(ck->g, list->inputs->e, list->inputs->rows, open_leaf, &open);
    return open.all;
}

/* What the formula of an entry is made of. */
struct terms {
    struct check *ck;
    size_t n, at; /* entries, and the one that is taken; n is 0 before any */
    bool known;
};

static bool list_length(struct check *ck, uint32_t number, size_t *n);
static bool value_of_list(struct check *ck, uint32_t number, uint32_t part,
                          size_t row, double *x);

/* -- values ----------------------------------------------------------------- */

struct row {
    struct check *ck;
    size_t at;
};

static bool
cell_in_row(void *ctx, const expr *leaf, double *x)
{
    const struct row *row = ctx;
    return leaf->sym == SYM_CELL &&
           value_of_list(row->ck, leaf->i, leaf->j, row->at, x);
}

/* The value of a formula of entries in a row. False: it is not known here. */
static bool
value_in_row(struct check *ck, const expr *e, size_t at, double *x)
{
    struct row row = {ck, at};
    return check_fixed_with(ck, e, cell_in_row, &row, x);
}

static bool
value_of_list(struct check *ck, uint32_t number, uint32_t part, size_t row,
              double *x)
{
    const struct tm_list *list = &ck->lists.lists.v[number];
    bool data = list->kind == IMP_LIST_TABLE ||
                (list->kind == IMP_LIST_WORD && !list->n_inputs &&
                 list->table != IMP_RECORD_TEXTS);
    if (data) {
        const struct tm_table *table = &ck->lists.tables.v[list->table];
        const struct tm_table_column *column = &table->columns[list->column];
        if (row >= table->n_rows)
            return false;
        *x = column->x[row];
        if (list->kind == IMP_LIST_WORD)
            *x = *x >= 0 && *x < (double)column->n_words &&
                 !strcmp(column->words[(size_t)*x], list->text);
        return true;
    }
    if (list->kind != IMP_LIST_PRESENT && list->kind != IMP_LIST_VALUES)
        return false;
    /* an input is a formula of entries, or all numbers */
    const struct tm_val *in = list->inputs;
    size_t at = in->kind == IMP_VAL_COLUMN ? part : row * list->width + part;
    if (at >= in->rows || !value_in_row(ck, in->e[at], row, x))
        return false;
    if (list->kind == IMP_LIST_PRESENT)
        *x = !isnan(*x);
    return true;
}

/* -- lengths ---------------------------------------------------------------- */

static void
see_leaf(void *ctx, const expr *leaf)
{
    struct terms *terms = ctx;
    size_t n = 0;
    if (leaf->sym == SYM_CELL) {
        terms->known &= (terms->ck->lists.lists.v[leaf->i].given ||
                         is_open(terms->ck, leaf->i)) &&
                        list_length(terms->ck, leaf->i, &n) &&
                        (!terms->n || terms->n == n);
        terms->n = n;
    }
}

/* How many entries has a list with these formulas of an entry? False: that is
 * not known before a run. */
static bool
formula_length(struct check *ck, const expr *const *e, size_t width, size_t *n)
{
    struct terms terms = {.ck = ck, .known = true};
    ex_leaves(ck->g, e, width, see_leaf, &terms);
    *n = terms.n;
    return terms.known && terms.n;
}

static bool
input_length(struct check *ck, const struct tm_val *input, size_t *n)
{
    *n = input->rows;
    return input->kind == IMP_VAL_NUM ||
           formula_length(ck, input->e, input->rows, n);
}

/* a[from .. to]: how many, of a list of n; ends below 0 count from its end */
static bool
slice_length(const struct tm_val *ends, size_t *n)
{
    double end[2];
    for (int k = 0; k < 2; k++) {
        if (!ex_is_const(ends->e[k]))
            return false;
        end[k] = ends->e[k]->num + (ends->e[k]->num < 0 ? (double)*n : 0);
    }
    if (!(end[0] >= 0 && end[0] <= end[1] && end[1] < (double)*n))
        return false; /* what is wrong with it the run says */
    *n = (size_t)(end[1] - end[0]) + 1;
    return true;
}

/* a[condition]: how many rows it takes of as many as there are */
static bool
selection_length(struct check *ck, const struct tm_val *in, size_t *n)
{
    size_t all, of_mask, count = 0;
    double holds;
    if (!input_length(ck, in, &all) || !input_length(ck, &in[1], &of_mask) ||
        all != of_mask)
        return false;
    for (size_t row = 0; row < all; row++) {
        if (!value_in_row(ck, in[1].e[0], row, &holds))
            return false;
        count += holds != 0.0;
    }
    *n = count;
    return count > 0;
}

static bool
list_length(struct check *ck, uint32_t number, size_t *n)
{
    const struct tm_list *list = &ck->lists.lists.v[number];
    const struct tm_val *in = list->inputs;
    switch (list->kind) {
    case IMP_LIST_TABLE:
        *n = ck->lists.tables.v[list->table].n_rows;
        return *n > 0;
    case IMP_LIST_WORD:
        if (list->n_inputs)
            return input_length(ck, in, n);
        *n = ck->lists.tables.v[list->table].n_rows;
        return *n > 0;
    case IMP_LIST_VALUES:
    case IMP_LIST_PRESENT:
    case IMP_LIST_SORT:
    case IMP_LIST_CUMULATIVE:
        return input_length(ck, in, n);
    case IMP_LIST_DIFFERENCES:
        return input_length(ck, in, n) && --*n;
    case IMP_LIST_ENTRIES:
        if (!input_length(ck, in, n))
            return false;
        *n *= in->kind == IMP_VAL_COLUMN ? in->rows : 1;
        return true;
    case IMP_LIST_PICK:
        return input_length(ck, &in[1], n);
    case IMP_LIST_SLICE:
        return input_length(ck, in, n) && slice_length(&in[1], n);
    case IMP_LIST_SELECT:
        return selection_length(ck, in, n);
    default:
        return false;
    }
}

static const expr *
take_entry(void *ctx, const expr *leaf)
{
    const struct terms *terms = ctx;
    struct check *ck = terms->ck;
    if (leaf->sym != SYM_CELL)
        return NULL;
    const struct tm_list *list = &ck->lists.lists.v[leaf->i];
    size_t place = terms->at * list->width + leaf->j;
    if (list->kind == IMP_LIST_VALUES && list->inputs->kind == IMP_VAL_NUM)
        return list->inputs->e[place];
    if (list->kind == IMP_LIST_ENTRIES && is_open(ck, leaf->i)) {
        struct terms of = {.ck = ck, .at = place / list->inputs->rows};
        return ex_subst(ck->g, list->inputs->e[place % list->inputs->rows],
                        take_entry, &of);
    }
    return list_slot(ck, leaf->i, (uint32_t)place, list->range);
}

/* The tables on whose length this list stands are told so, and selections of
 * theirs how long they are. */
static void
whole_leaf(void *ctx, const expr *leaf)
{
    struct check *ck = ctx;
    size_t n;
    if (leaf->sym != SYM_CELL)
        return;
    struct tm_list *list = &ck->lists.lists.v[leaf->i];
    if (list->kind == IMP_LIST_SELECT && list_length(ck, leaf->i, &n))
        list->column = (uint32_t)n;
    if (list->kind == IMP_LIST_TABLE ||
        (list->kind == IMP_LIST_WORD && list->table != IMP_RECORD_TEXTS))
        ck->lists.tables.v[list->table].whole = true;
    for (size_t i = 0; i < list->n_inputs; i++)
        ex_leaves(ck->g, list->inputs[i].e, list->inputs[i].rows, whole_leaf,
                  ck);
}

static const expr *
join(struct check *ck, enum imp_list_kind kind, const expr *all,
     const expr *term)
{
    if (kind == IMP_LIST_COUNT)
        term = ex_op(ck->g, IMP_OP_SELECT, term, ex_num(ck->g, 1),
                     ex_num(ck->g, 0));
    if (!all)
        return term;
    return kind == IMP_LIST_MIN   ? ex_op(ck->g, IMP_OP_MIN, all, term, NULL)
           : kind == IMP_LIST_MAX ? ex_op(ck->g, IMP_OP_MAX, all, term, NULL)
                                  : ex_add(ck->g, all, term);
}

/* Lists of what moves have a value at each instant; only what is followed
 * between the instants has to be written out. */
struct moving {
    const struct check *ck;
    bool any;
};
static void
moves_leaf(void *ctx, const expr *leaf)
{
    struct moving *moving = ctx;
    moving->any |= leaf->sym == SYM_CELL
                       ? moving->ck->progress.along &&
                             moving->ck->lists.lists.v[leaf->i].moves
                       : leaf->sym != SYM_PARAM && leaf->sym != SYM_SLOT;
}

bool
list_moves(struct check *ck, const struct value *list)
{
    assert(ck && list);
    struct moving moving = {ck, false};
    ex_leaves(ck->g, list->e, list->rows, moves_leaf, &moving);
    return moving.any;
}

size_t
list_terms(struct check *ck, const struct value *list)
{
    assert(ck && list && list->kind == VALUE_COLUMN);
    struct terms terms = {.ck = ck, .known = true};
    ex_leaves(ck->g, list->e, list->rows, see_leaf, &terms);
    if (!terms.n)
        terms.known &= ck->lists.lists.v[list->ref].given &&
                       list_length(ck, list->ref, &terms.n);
    return terms.known ? terms.n : 0;
}

const expr *
list_term(struct check *ck, const struct value *list, uint32_t k, size_t at)
{
    assert(ck && list && k < list->rows);
    struct terms terms = {.ck = ck, .at = at};
    return ex_subst(ck->g, list->e[k], take_entry, &terms);
}

void
list_of_whole_tables(struct check *ck, const struct value *list)
{
    assert(ck && list);
    ex_leaves(ck->g, list->e, list->rows, whole_leaf, ck);
}

/* The mean square about the mean of n numbers, over n - 1. */
static const expr *
variance_of(struct check *ck, const struct value *list, const expr *mean,
            size_t n)
{
    const expr *all = NULL;
    for (size_t at = 0; at < n; at++) {
        const expr *off = ex_sub(ck->g, list_term(ck, list, 0, at), mean);
        all = join(ck, IMP_LIST_SUM, all, ex_mul(ck->g, off, off));
    }
    return ex_div(ck->g, all, ex_num(ck->g, (double)(n - 1)));
}

/* Is it a function of lists that is a formula of all entries, for lists of n
 * entries or more? 0: it is none. */
static size_t
least_terms(enum imp_list_kind kind)
{
    switch (kind) {
    case IMP_LIST_SUM:
    case IMP_LIST_MEAN:
    case IMP_LIST_MIN:
    case IMP_LIST_MAX:
    case IMP_LIST_COUNT:
        return 1;
    case IMP_LIST_VARIANCE:
    case IMP_LIST_DEVIATION:
        return 2;
    default:
        return 0;
    }
}

bool
list_written_out(struct check *ck, const struct ast_expr *node,
                 enum imp_list_kind kind, const struct value *list,
                 struct value *out)
{
    assert(ck && node && list && out);
    size_t least = least_terms(kind);
    if (list->kind != VALUE_COLUMN ||
        list->truth != (kind == IMP_LIST_COUNT) || !least ||
        !list_moves(ck, list))
        return false;
    struct terms terms = {.ck = ck, .known = true};
    ex_leaves(ck->g, list->e, list->rows, see_leaf, &terms);
    if (!terms.known || terms.n < least || terms.n > LIST_TERMS_MOST)
        return false;
    bool spread = least > 1;
    assert(!spread || list->rows == 1);
    list_of_whole_tables(ck, list);
    struct value sum = value_array(
        ck, list->rows, 1, list->truth ? dim_pure(ck->dims) : list->dim,
        node->range);
    sum.bare = list->bare && !list->truth;
    sum.dims = list->truth ? NULL : list->dims;
    graph_origin(ck->g, node->range);
    for (uint32_t k = 0; k < list->rows; k++) {
        const expr *all = NULL;
        for (size_t at = 0; at < terms.n; at++)
            all = join(ck, kind, all, list_term(ck, list, k, at));
        sum.e[k] = kind == IMP_LIST_MEAN || spread
                       ? ex_div(ck->g, all, ex_num(ck->g, (double)terms.n))
                       : all;
    }
    if (spread)
        sum.e[0] = variance_of(ck, list, sum.e[0], terms.n);
    if (kind == IMP_LIST_DEVIATION)
        sum.e[0] = ex_op(ck->g, IMP_OP_SQRT, sum.e[0], NULL, NULL);
    if (kind == IMP_LIST_VARIANCE )
        sum.dim = dim_pow(ck->dims, sum.dim, (struct ratio){2, 1});
    *out = sum;
    return true;
}
