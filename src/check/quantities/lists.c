/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists whose length only a run knows (lists.h). */
#include <assert.h>
#include <string.h>

#include "check/quantities/lists.h"

#define LIST LIST_RESULT
#define NUMBER LIST_NUMBER
#define SEVERAL LIST_SEVERAL
static const struct list_row rows[] = {
#define LISTED(NAME, word, least, most, RESULT, DIM, args, doc, example)       \
    {word, args, doc, example, least, most, RESULT, LIST_##DIM},
#include "abi/lists.def"
};
#undef LIST
#undef NUMBER
#undef SEVERAL

const struct list_row *
list_row(enum imp_list_kind kind)
{
    return (unsigned)kind < IMP_LIST_KINDS ? &rows[kind] : NULL;
}

enum imp_list_kind
list_kind_of(const char *word)
{
    assert(word);
    unsigned kind = 0;
    while (kind < IMP_LIST_KINDS &&
           (!*rows[kind].word || strcmp(rows[kind].word, word)))
        kind++;
    return (enum imp_list_kind)kind;
}

/* -- the table ------------------------------------------------------------- */

/* Is what a list is made of known before any motion? */
struct given {
    struct check *ck;
    bool is, moves;
};
static void
given_leaf(void *ctx, const expr *leaf)
{
    struct given *given = ctx;
    given->is &= leaf->sym == SYM_CELL
                     ? given->ck->lists.lists.v[leaf->i].given
                     : leaf->sym == SYM_PARAM || leaf_is_given(given->ck, leaf);
    given->moves |=
        leaf->sym == SYM_CELL   ? given->ck->lists.lists.v[leaf->i].moves
        : leaf->sym == SYM_SLOT ? given->ck->lists.slots.v[leaf->i].moves
                                : leaf->sym != SYM_PARAM;
}
static struct given
list_known(struct check *ck, const struct tm_list *list)
{
    struct given given = {ck,
                          list->kind != IMP_LIST_FIELD &&
                              list->kind != IMP_LIST_TEXT &&
                              list->kind != IMP_LIST_NAMES,
                          false};
    for (size_t i = 0; i < list->n_inputs; i++)
        ex_leaves(ck->g, list->inputs[i].e, list->inputs[i].rows, given_leaf,
                  &given);
    return given;
}

uint32_t
list_add(struct check *ck, struct tm_list list)
{
    assert(ck);
    for (size_t i = 0; !list.n_inputs && i < ck->lists.lists.n; i++) {
        const struct tm_list *old = &ck->lists.lists.v[i];
        if (old->kind == list.kind && old->command == list.command &&
            old->field == list.field && old->table == list.table &&
            old->column == list.column &&
            !strcmp(old->text ? old->text : "", list.text ? list.text : ""))
            return (uint32_t)i;
    }
    struct given known = list_known(ck, &list);
    list.given = known.is;
    list.moves = known.moves;
    APUSH(ck, &ck->lists.lists, list);
    return (uint32_t)ck->lists.lists.n - 1;
}

struct value
list_cells(struct check *ck, uint32_t list, const struct dim *dim,
           imp_range range)
{
    assert(ck && dim && list < ck->lists.lists.n);
    uint32_t width = ck->lists.lists.v[list].width;
    struct value value = value_array(ck, width, 1, dim, range);
    value.kind = VALUE_COLUMN;
    value.ref = list;
    graph_origin(ck->g, range);
    for (uint32_t k = 0; k < width; k++)
        value.e[k] = ex_sym(ck->g, SYM_CELL, list, k);
    return value;
}

struct tm_val
list_input(const struct value *value, const char *label)
{
    assert(value && label);
    bool words = value->kind == VALUE_WORDS,
         column = value->kind == VALUE_COLUMN || words;
    return (struct tm_val){.kind = column ? IMP_VAL_COLUMN : IMP_VAL_NUM,
                           .range = value->range,
                           .rows = value->rows,
                           .cols = 1,
                           .e = value->e,
                           .ref = column ? value->ref : 0,
                           .words = words ? value->table + 1 : 0,
                           .field = words ? value->field : 0,
                           .truth = value->truth,
                           .text = "",
                           .label = label,
                           .unit = "",
                           .name = ""};
}

/* -- values ---------------------------------------------------------------- */

bool
value_is_list(const struct check *ck, const struct value *value)
{
    assert(ck && value);
    if (value->kind != VALUE_FIELD)
        return value->kind == VALUE_COLUMN || value->kind == VALUE_LIST;
    enum imp_field_kind kind =
        ck->lists.commands.v[value->ref].fields[value->field].kind;
    return kind == IMP_FIELD_LIST || kind == IMP_FIELD_VECS;
}

static struct value
column_of_field(struct check *ck, const struct value *value, const char *name)
{
    const struct tm_command *cmd = &ck->lists.commands.v[value->ref];
    const struct tm_field *field = &cmd->fields[value->field];
    bool vectors = field->kind == IMP_FIELD_VECS;
    uint32_t width = vectors && field->width ? field->width : 1;
    uint32_t list = list_add(ck, (struct tm_list){.kind = IMP_LIST_FIELD,
                                                  .width = width,
                                                  .command = value->ref,
                                                  .field = value->field,
                                                  .name = name,
                                                  .range = value->range});
    struct value column = list_cells(
        ck, list, field_dim(ck, cmd, field, UINT32_MAX, value->range),
        value->range);
    if (width == 1)
        return column;
    column.dims = NEW_N(ck->arena, const struct dim *, width);
    for (uint32_t k = 0; k < width; k++)
        column.dims[k] = field_dim(ck, cmd, field, k, value->range);
    column.kind = VALUE_NUM; /* matrix_done knows numbers alone */
    column = matrix_done(ck, column);
    column.kind = VALUE_COLUMN;
    return column;
}

struct value
list_column(struct check *ck, const struct value *value, const char *name)
{
    assert(ck && value && name && value_is_list(ck, value));
    if (value->kind == VALUE_COLUMN)
        return *value;
    if (value->kind == VALUE_FIELD)
        return column_of_field(ck, value, name);
    struct tm_val *numbers = NEW(ck->arena, struct tm_val);
    *numbers = list_input(value, name);
    uint32_t list = list_add(ck, (struct tm_list){.kind = IMP_LIST_VALUES,
                                                  .width = 1,
                                                  .inputs = numbers,
                                                  .n_inputs = 1,
                                                  .name = name,
                                                  .range = value->range});
    struct value column = list_cells(ck, list, value->dim, value->range);
    column.bare = value->bare;
    return column;
}

bool
family_part(struct check *ck, const struct value *value, const char *name,
            const struct ast_expr *node, struct value *part)
{
    assert(ck && value && value->kind == VALUE_FIELD && name && node && part);
    const struct tm_field *field =
        &ck->lists.commands.v[value->ref].fields[value->field];
    const struct record *record = &ck->notes.records.v[value->ref];
    uint32_t member =
        field->column && record->dims && field->kind == IMP_FIELD_VECS
            ? record->dims[field->column - 1].member
            : 0;
    uint32_t letter = (uint32_t)(name[0] - 'x');
    if (name[1] || name[0] < 'x' || letter >= member)
        return false;
    struct value all = list_column(ck, value, expr_label(ck, node->a));
    *part = value_array(ck, all.rows / member, 1, all.dim, node->range);
    part->kind = VALUE_COLUMN;
    part->ref = all.ref;
    for (uint32_t k = 0; k < part->rows; k++)
        part->e[k] = all.e[k * member + letter];
    return true;
}

/* What the entries of a list are made of that is known before any run. */
struct known_cells {
    struct check *ck;
    size_t n, at; /* entries, and the one that is taken; n is 0 before any */
    bool known;
};

static const struct tm_val *
known_numbers(const struct known_cells *cells, const expr *leaf)
{
    const struct tm_list *list = &cells->ck->lists.lists.v[leaf->i];
    return list->kind == IMP_LIST_VALUES && list->width == 1 &&
                   list->inputs[0].kind == IMP_VAL_NUM
               ? &list->inputs[0]
               : NULL;
}

static void
see_cell(void *ctx, const expr *leaf)
{
    struct known_cells *cells = ctx;
    if (leaf->sym != SYM_CELL)
        return;
    const struct tm_val *numbers = known_numbers(cells, leaf);
    cells->known &= numbers && (!cells->n || cells->n == numbers->rows);
    if (numbers)
        cells->n = numbers->rows;
}

static const expr *
take_cell(void *ctx, const expr *leaf)
{
    struct known_cells *cells = ctx;
    return leaf->sym == SYM_CELL ? known_numbers(cells, leaf)->e[cells->at]
                                 : NULL;
}

bool
list_as_matrix(struct check *ck, const struct value *list, struct value *matrix)
{
    assert(ck && list && list->kind == VALUE_COLUMN && matrix);
    struct known_cells cells = {.ck = ck, .known = true};
    ex_leaves(ck->g, list->e, list->rows, see_cell, &cells);
    if (!cells.known || !cells.n)
        return false;
    struct value places =
        value_array(ck, (uint32_t)cells.n, list->rows, list->dim, list->range);
    places.bare = list->bare;
    for (cells.at = 0; cells.at < cells.n; cells.at++)
        for (uint32_t k = 0; k < list->rows; k++)
            places.e[cells.at * list->rows + k] =
                ex_subst(ck->g, list->e[k], take_cell, &cells);
    *matrix = places;
    return true;
}

struct value
list_entry(const struct value *column)
{
    assert(column && column->kind == VALUE_COLUMN);
    struct value entry = *column;
    entry.kind = column->truth ? VALUE_TRUTH : VALUE_NUM;
    entry.truth = false;
    entry.ref = 0;
    return entry;
}

struct value
list_of_entry(const struct value *entry, const struct value *like, size_t n)
{
    assert(entry && like && n);
    struct value list = *entry;
    if (entry->kind != VALUE_NUM && entry->kind != VALUE_TRUTH)
        return list;
    list.truth = entry->kind == VALUE_TRUTH;
    list.kind = VALUE_COLUMN;
    for (size_t i = n; i-- > 0;)
        if (like[i].kind == VALUE_COLUMN)
            list.ref = like[i].ref;
    if (list.cols > 1) { /* matrices cannot be entries */
        list.rows *= list.cols;
        list.cols = 1;
    }
    return list;
}

struct value
words_of_column(const struct value *column, uint32_t table, uint32_t field)
{
    assert(column);
    struct value words = *column;
    words.kind = VALUE_WORDS;
    words.table = table;
    words.field = field;
    return words;
}

bool
value_is_texts(const struct check *ck, const struct value *value)
{
    assert(ck && value);
    return value->kind == VALUE_FIELD && !value->rows &&
           ck->lists.commands.v[value->ref].fields[value->field].kind ==
               IMP_FIELD_TEXTS;
}

struct value
words_of_field(struct check *ck, const struct value *value, const char *name)
{
    assert(ck && value && name && value->kind == VALUE_FIELD);
    uint32_t list = list_add(ck, (struct tm_list){.kind = IMP_LIST_NAMES,
                                                  .width = 1,
                                                  .command = value->ref,
                                                  .field = value->field,
                                                  .name = name,
                                                  .range = value->range});
    struct value column =
        list_cells(ck, list, dim_pure(ck->dims), value->range);
    return words_of_column(&column, IMP_RECORD_TEXTS, list);
}

struct value
list_of_words(const struct value *words)
{
    assert(words && words->kind == VALUE_WORDS);
    struct value column = *words;
    column.kind = VALUE_COLUMN;
    return column;
}

struct value
list_text_is(struct check *ck, const struct value *field, const char *text,
             imp_range range)
{
    assert(ck && field && field->kind == VALUE_FIELD && text);
    uint32_t list = list_add(
        ck,
        (struct tm_list){
            .kind = IMP_LIST_TEXT,
            .width = 1,
            .command = field->ref,
            .field = field->field,
            .text = text,
            .name = ck->lists.commands.v[field->ref].fields[field->field].name,
            .range = range});
    struct value truth = list_cells(ck, list, dim_pure(ck->dims), range);
    truth.truth = true;
    return truth;
}

struct value
table_field(struct check *ck, uint32_t table, const char *name,
            imp_range name_range, imp_range range)
{
    assert(ck && name && table < ck->lists.tables.n);
    const struct tm_table *from = &ck->lists.tables.v[table];
    for (uint32_t c = 0; c < from->n_columns; c++)
        if (!strcmp(from->columns[c].name, name)) {
            uint32_t list = list_add(
                ck, (struct tm_list){.kind = IMP_LIST_TABLE,
                                     .width = 1,
                                     .table = table,
                                     .column = c,
                                     .name = arena_printf(ck->arena, "%s.%s",
                                                          from->name, name),
                                     .range = range});
            struct value column =
                list_cells(ck, list, ck->notes.tables.v[table][c], range);
            return from->columns[c].text ? words_of_column(&column, table, c)
                                         : column;
        }
    const char **names = NEW_N(ck->arena, const char *, from->n_columns + 1);
    for (size_t c = 0; c < from->n_columns; c++)
        names[c] = from->columns[c].name;
    struct diag *diag =
        check_error(ck, DIAG_E0392, name_range, "`%s` has no column `%s`",
                    from->name, name);
    if (!check_suggest(ck, diag, name_range, name, names, from->n_columns))
        CHECK_HELP(ck, diag, "its columns are %s",
                   check_join(ck, names, from->n_columns, "and"));
    return value_poison(range);
}

struct value
list_made(struct check *ck, const struct ast_expr *node,
          enum imp_list_kind kind, const struct value *args, size_t count,
          uint32_t width)
{
    assert(ck && node && args && count);
    struct tm_val *inputs = NEW_N(ck->arena, struct tm_val, count);
    const char *label = expr_label(ck, node);
    for (size_t i = 0; i < count; i++)
        inputs[i] = list_input(&args[i], label);
    uint32_t list = list_add(ck, (struct tm_list){.kind = kind,
                                                  .width = width,
                                                  .inputs = inputs,
                                                  .n_inputs = count,
                                                  .name = label,
                                                  .range = node->range});
    struct value result = list_cells(ck, list, args[0].dim, node->range);
    result.bare = args[0].bare;
    result.dims = width == args[0].rows ? args[0].dims : NULL;
    return result;
}

struct value
list_select(struct check *ck, const struct ast_expr *node,
            const struct value *list, const struct value *condition)
{
    assert(ck && node && list && condition && condition->truth);
    struct value two[2] = {*list, *condition};
    struct value result =
        list_made(ck, node, IMP_LIST_SELECT, two, 2, list->rows);
    result.truth = list->truth;
    return result;
}

struct value
list_pick(struct check *ck, const struct ast_expr *node,
          const struct value *list, const struct value *places)
{
    assert(ck && node && list && places);
    struct value two[2] = {*list, *places};
    if (list->kind == VALUE_POISON || places->kind == VALUE_POISON)
        return value_poison(node->range);
    struct value entry = *places; /* one of them, for the dimension */
    if (places->kind == VALUE_COLUMN)
        entry = list_entry(places);
    else
        entry.rows = 1;
    if (!value_need_scalar(ck, &entry, node->list[0], dim_pure(ck->dims),
                           "an index"))
        return value_poison(node->range);
    struct value result =
        list_made(ck, node, IMP_LIST_PICK, two, 2, list->rows);
    result.truth = list->truth;
    return result;
}

struct value
list_slice(struct check *ck, const struct ast_expr *node,
           const struct value *list, const double ends[2])
{
    assert(ck && node && list && ends);
    bool words = list->kind == VALUE_WORDS;
    struct value column = words
                              ? list_of_words(list)
                              : list_column(ck, list, expr_label(ck, node->a));
    struct value places =
        value_array(ck, 2, 1, dim_pure(ck->dims), node->list[0]->range);
    places.e[0] = ex_num(ck->g, ends[0]);
    places.e[1] = ex_num(ck->g, ends[1]);
    struct value two[2] = {column, places};
    if (column.kind == VALUE_POISON)
        return column;
    struct value result =
        list_made(ck, node, IMP_LIST_SLICE, two, 2, column.rows);
    result.truth = list->truth;
    return words && result.kind == VALUE_COLUMN
               ? words_of_column(&result, list->table, list->field)
               : result;
}

struct value
list_numbers(struct check *ck, const struct value *list, uint32_t count)
{
    assert(ck && list && list->kind == VALUE_COLUMN);
    struct value result = value_array(ck, count, 1, list->dim, list->range);
    result.bare = list->bare;
    result.dims = list->dims;
    for (uint32_t k = 0; k < count; k++)
        result.e[k] = list_slot(ck, list->ref, k, list->range);
    return result;
}

struct value
list_item(struct check *ck, const struct ast_expr *node,
          const struct value *list, int32_t index)
{
    assert(ck && node && list && list->kind == VALUE_COLUMN);
    struct value all =
        list_made(ck, node, IMP_LIST_VALUES, list, 1, list->rows);
    struct value result = list_numbers(ck, &all, list->rows);
    for (uint32_t k = 0; k < list->rows; k++)
        result.e[k] = list_slot(
            ck, all.ref, (uint32_t)(index * (int32_t)list->rows + (int32_t)k),
            node->range);
    if (list->truth)
        return value_truth(ck, result.e[0], node->range);
    return result;
}

/* -- calls ----------------------------------------------------------------- */

struct value
list_refused(struct check *ck, const struct ast_expr *node, const char *word,
             size_t i, const struct value *value, const char *wanted)
{
    assert(ck && node && word && value && wanted);
    struct diag *diag = check_error(ck, DIAG_E0218, node->args[i].value->range,
                                    "%s takes %s here, but this is %s", word,
                                    wanted, value_kind_text(ck, value));
    enum imp_list_kind kind = list_kind_of(word);
    bool texts = value->kind == VALUE_WORDS || value_is_texts(ck, value);
    if (texts && kind != IMP_LIST_COUNT)
        CHECK_HELP(ck, diag,
                   "texts are taken by sort, distinct, counts, length and "
                   "present; sort(%s)[-1] is the last in their order",
                   expr_label(ck, node->args[i].value));
    else if (value->kind == VALUE_COLUMN && value->rows > 1 &&
             kind != IMP_LIST_DISTANCES)
        CHECK_HELP(ck, diag, LIST_OF_VECTORS,
                   expr_label(ck, node->args[i].value),
                   expr_label(ck, node->args[i].value),
                   expr_label(ck, node->args[i].value));
    else if (kind == IMP_LIST_MEAN && value->kind == VALUE_NUM &&
             !ex_is_const(value->e[0]) && value->rows == 1 && value->cols == 1)
        CHECK_HELP(ck, diag,
                   "of a quantity along a motion: simulate { record = "
                   "integral(%s) ... }, over the time; of a list, as in %s",
                   expr_label(ck, node->args[i].value), rows[kind].example);
    else if (kind < IMP_LIST_KINDS)
        CHECK_HELP(ck, diag, "%s(%s): %s, as in %s", word, rows[kind].args,
                   rows[kind].doc, rows[kind].example);
    return value_poison(node->range);
}

bool
list_taken(struct check *ck, const struct ast_expr *at, struct value *value)
{
    assert(ck && at && value);
    if (value->kind == VALUE_NUM && value->cols == 1 && !value->dims &&
        (value->rows > 1 || value->of_all))
        value->kind = VALUE_LIST;
    if (!value_is_list(ck, value))
        return false;
    *value = list_column(ck, value, expr_label(ck, at));
    return true;
}

/* Is the second argument a share, or a list of shares? */
static bool
of_shares(enum imp_list_kind kind)
{
    return kind == IMP_LIST_QUANTILE || kind == IMP_LIST_QUANTILE_ERROR;
}

/* The second argument of `cdf` and `quantile` may be one number. */
static bool
may_be_number(enum imp_list_kind kind, size_t i)
{
    return i == 1 && (of_shares(kind) || kind == IMP_LIST_CDF ||
                      kind == IMP_LIST_CDF_ERROR);
}

/* Does it make one list of all numbers of all vectors? */
static bool
joins_vectors(enum imp_list_kind kind)
{
    return kind == IMP_LIST_ENTRIES || kind == IMP_LIST_DISTANCES;
}

/* Checks the arguments one by one; false: reported. *any: the kind of one is
 * not known. */
static bool
take_arguments(struct check *ck, const struct ast_expr *node,
               enum imp_list_kind kind, struct value *args, size_t count,
               const char *word, bool *any)
{
    bool wide = kind == IMP_LIST_SUM || kind == IMP_LIST_MEAN ||
                kind == IMP_LIST_LENGTH || kind == IMP_LIST_PRESENT ||
                kind == IMP_LIST_CUMULATIVE || kind == IMP_LIST_DIFFERENCES ||
                kind == IMP_LIST_SORT || joins_vectors(kind);
    for (size_t i = 0; i < count; i++) {
        if (args[i].kind == VALUE_ANY ||
            (args[i].kind == VALUE_TRUTH && kind == IMP_LIST_COUNT &&
             value_is_open(ck, &args[i]))) {
            *any = true;
            continue;
        }
        if (may_be_number(kind, i) && value_is_scalar(&args[i]))
            continue;
        bool vector = args[i].kind == VALUE_NUM && args[i].cols == 1;
        uint32_t entries = args[i].rows;
        if (!list_taken(ck, node->args[i].value, &args[i])) {
            list_refused(ck, node, word, i, &args[i],
                         kind == IMP_LIST_COUNT ? "a list of conditions"
                         : args[i].kind == VALUE_WORDS ||
                                 value_is_texts(ck, &args[i])
                             ? "a list of numbers"
                             : "a list");
            return false;
        }
        if ((kind == IMP_LIST_COUNT) != args[i].truth) {
            list_refused(ck, node, word, i, &args[i],
                         kind == IMP_LIST_COUNT ? "a list of conditions"
                                                : "a list of numbers");
            return false;
        }
        if (args[i].rows > 1 && (!wide || i > 0)) {
            list_refused(ck, node, word, i, &args[i],
                         "a list of single numbers");
            return false;
        }
        /* in each vector the places of two bodies or more, body after body */
        if (kind == IMP_LIST_DISTANCES &&
            (vector ? entries : args[i].rows) < 4) {
            list_refused(ck, node, word, i, &args[i],
                         "the places of two bodies or more");
            return false;
        }
        if (args[i].dims && joins_vectors(kind)) {
            list_refused(ck, node, word, i, &args[i],
                         "a list of vectors of one dimension");
            return false;
        }
    }
    return true;
}

/* May it take texts of data in the place of numbers? */
static bool
takes_words(enum imp_list_kind kind)
{
    return kind == IMP_LIST_LENGTH || kind == IMP_LIST_PRESENT ||
           kind == IMP_LIST_SORT || kind == IMP_LIST_DISTINCT ||
           kind == IMP_LIST_COUNTS;
}

/* Do the dimensions of the arguments fit? False: reported. */
static bool
dims_fit(struct check *ck, const struct ast_expr *node, enum imp_list_kind kind,
         struct value *args, size_t count, const char *word)
{
    const struct dim *dim;
    bool bare;
    if (of_shares(kind))
        return args[1].bare || value_need_dim(ck, &args[1], node->args[1].value,
                                              dim_pure(ck->dims), "a share");
    if (count < 2 || kind == IMP_LIST_SORT || kind == IMP_LIST_CORRELATION ||
        kind == IMP_LIST_CORRELATION_ERROR || kind == IMP_LIST_REGRESSION)
        return true;
    return value_agree(ck, node, word, &args[0], node->args[0].value, &args[1],
                       node->args[1].value, &dim, &bare);
}

/* y = a + b x: a, b, their errors, deviation of the residuals */
static void
regression_dims(struct check *ck, const struct value *args,
                struct value *result)
{
    const struct dim *x = args[0].bare ? dim_pure(ck->dims) : args[0].dim;
    const struct dim *y = args[1].bare ? dim_pure(ck->dims) : args[1].dim;
    const struct dim *slope = dim_div(ck->dims, y, x);
    result->dims = NEW_N(ck->arena, const struct dim *, 5);
    result->dims[0] = result->dims[2] = result->dims[4] = y;
    result->dims[1] = result->dims[3] = slope;
    result->bare = false;
}

static const struct dim *
result_dim(struct check *ck, const struct list_row *row,
           const struct value *first, imp_range range)
{
    switch (row->dim) {
    case LIST_PURE:
        return dim_pure(ck->dims);
    case LIST_SQUARE:
        return dim_pow(ck->dims, first->dim, (struct ratio){2, 1});
    case LIST_SAME:
        return first->dim;
    default:
        return dim_fresh(ck->dims, range);
    }
}

struct value
list_call(struct check *ck, const struct ast_expr *node,
          enum imp_list_kind kind, const struct value *given, size_t count)
{
    assert(ck && node && kind < IMP_LIST_KINDS && given && count);
    const struct list_row *row = &rows[kind];
    const char *word = node->a->name.text ? node->a->name.text : row->word;
    struct value *args = NEW_N(ck->arena, struct value, count);
    memcpy(args, given, count * sizeof *args);
    struct value texts = {.kind = VALUE_POISON}; /* the first one, if texts */
    for (size_t i = 0; i < count && takes_words(kind); i++) {
        if (value_is_texts(ck, &args[i]))
            args[i] = words_of_field(ck, &args[i],
                                     expr_label(ck, node->args[i].value));
        if (args[i].kind != VALUE_WORDS)
            continue;
        texts = i ? texts : args[i];
        args[i] = list_of_words(&args[i]);
    }
    bool any = false;
    if (!take_arguments(ck, node, kind, args, count, word, &any))
        return value_poison(node->range);
    if (any)
        return value_any(ck, result_dim(ck, row, &args[0], node->range),
                         node->range);
    if (!dims_fit(ck, node, kind, args, count, word))
        return value_poison(node->range);
    struct value formula;
    if (list_written_out(ck, node, kind, &args[0], &formula))
        return formula;
    uint32_t width = row->result == LIST_SEVERAL ? 5
                     : row->dim == LIST_PURE || joins_vectors(kind)
                         ? 1
                         : args[0].rows;
    struct value made = list_made(ck, node, kind, args, count, width);
    if (kind == IMP_LIST_REGRESSION) {
        regression_dims(ck, args, &made);
    } else if (row->dim != LIST_SAME) {
        made.dim = result_dim(ck, row, &args[0], node->range);
        made.bare = false;
        made.dims = NULL;
    }
    made.truth = kind == IMP_LIST_PRESENT;
    bool one = row->result != LIST_RESULT ||
               ((kind == IMP_LIST_CDF || kind == IMP_LIST_CDF_ERROR) &&
                args[1].kind == VALUE_NUM);
    if (of_shares(kind) && args[1].kind == VALUE_COLUMN)
        one = false;
    struct value result = one ? list_numbers(ck, &made, width) : made;
    if (one && kind == IMP_LIST_REGRESSION)
        result = matrix_done(ck, result);
    if (texts.kind == VALUE_WORDS &&
        (kind == IMP_LIST_SORT || kind == IMP_LIST_DISTINCT))
        result = words_of_column(&result, texts.table, texts.field);
    return result;
}
