/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of data and of records: as lists of the numbers of their words, and
 * compared with each other (lists.h). */
#include <assert.h>
#include <string.h>

#include "check/quantities/lists.h"

/* `field` of a list of kind PICK: of texts, one of which is taken by its number
 */
enum { ONE_WORD = 1 };

bool
words_indexed(struct check *ck, const struct ast_expr *node,
              const struct value *words, const struct value *at,
              struct value *out)
{
    assert(ck && node && words && at && out);
    struct value column = list_of_words(words), places = *at;
    if (at->kind == VALUE_COLUMN && at->truth) {
        *out = list_select(ck, node, &column, at);
    } else {
        if (value_is_list(ck, at))
            places = list_column(ck, at, expr_label(ck, node));
        else if (at->kind != VALUE_NUM || at->cols != 1)
            return false;
        *out = list_pick(ck, node, &column, &places);
    }
    if (out->kind == VALUE_COLUMN) {
        struct tm_list *list = &ck->lists.lists.v[out->ref];
        list->field = at->kind == VALUE_NUM && at->rows == 1 ? ONE_WORD : 0;
        *out = words_of_column(out, words->table, words->field);
    }
    return true;
}

/* Is it one text, taken by its number? */
static bool
is_one_word(const struct check *ck, const struct value *words)
{
    const struct tm_list *list = &ck->lists.lists.v[words->ref];
    return list->kind == IMP_LIST_PICK && list->field == ONE_WORD;
}

/* The only entry of a list of conditions. */
static struct value
only_truth(struct check *ck, uint32_t list, imp_range range)
{
    return value_truth(ck, list_slot(ck, list, 0, range), range);
}

struct value
words_compare(struct check *ck, const struct ast_expr *at,
              const struct value *words, const struct value *text)
{
    assert(ck && at && words && words->kind == VALUE_WORDS && text);
    bool record = words->table == IMP_RECORD_TEXTS;
    bool whole = ck->lists.lists.v[words->ref].kind == IMP_LIST_TABLE;
    struct value numbers = list_of_words(words);
    struct tm_val *input = NEW(ck->arena, struct tm_val);
    const char *name, *example;
    *input = list_input(
        &numbers, expr_label(ck, at->a->kind == AST_TEXT ? at->b : at->a));
    if (record) {
        name = ck->lists.lists.v[words->field].name;
        example = "impact";
    } else {
        const struct tm_table *table = &ck->lists.tables.v[words->table];
        const struct tm_table_column *column = &table->columns[words->field];
        name = arena_printf(ck->arena, "%s.%s", table->name, column->name);
        example = column->n_words ? column->words[0] : "";
    }
    if (text->kind != VALUE_TEXT || (at->op != AST_EQ && at->op != AST_NE)) {
        struct diag *diag = check_error(
            ck, DIAG_E0412, text->kind == VALUE_TEXT ? at->op_range : at->range,
            text->kind == VALUE_TEXT
                ? "texts are equal or not; they have no order"
                : "texts of %s are compared with other texts",
            record ? "a result" : "data");
        CHECK_HELP(ck, diag, "as in %s == \"%s\"", name, example);
        return value_poison(at->range);
    }
    uint32_t list = list_add(ck, (struct tm_list){.kind = IMP_LIST_WORD,
                                                  .width = 1,
                                                  .table = words->table,
                                                  .column = words->field,
                                                  .inputs = input,
                                                  .n_inputs = whole ? 0 : 1,
                                                  .text = text->text,
                                                  .name = name,
                                                  .range = at->range});
    struct value truths = list_cells(ck, list, dim_pure(ck->dims), at->range);
    truths.truth = true;
    if (is_one_word(ck, words))
        truths = only_truth(ck, list, at->range);
    if (at->op == AST_NE)
        truths.e[0] = ex_op(ck->g, IMP_OP_NOT, truths.e[0], NULL, NULL);
    return truths;
}

/* Texts as a list of words; one text, of which all of `single` is told, as a
 * list of one. False: the value is none. */
static bool
as_words(struct check *ck, const struct ast_expr *at, const struct value *value,
         struct value *words, bool *single)
{
    const char *name = expr_label(ck, at);
    *words = *value;
    *single = false;
    if (value->kind == VALUE_WORDS)
        *single = is_one_word(ck, value);
    if (value->kind != VALUE_FIELD)
        return value->kind == VALUE_WORDS;
    const struct tm_field *field =
        &ck->lists.commands.v[value->ref].fields[value->field];
    bool item = field->kind == IMP_FIELD_TEXTS && value->rows;
    if (field->kind != IMP_FIELD_TEXT && field->kind != IMP_FIELD_TEXTS)
        return false;
    *single = item || field->kind == IMP_FIELD_TEXT;
    struct value whole = *value;
    whole.rows = whole.cols = 0;
    *words = words_of_field(ck, &whole, item ? field->name : name);
    if (!item)
        return true;
    struct value place = value_array(ck, 1, 1, dim_pure(ck->dims), at->range);
    place.e[0] = ex_num(ck->g, (int32_t)value->cols);
    struct value numbers = list_of_words(words);
    struct tm_val *two = NEW_N(ck->arena, struct tm_val, 2);
    two[0] = list_input(&numbers, name);
    two[1] = list_input(&place, name);
    uint32_t list = list_add(ck, (struct tm_list){.kind = IMP_LIST_PICK,
                                                  .width = 1,
                                                  .inputs = two,
                                                  .n_inputs = 2,
                                                  .name = name,
                                                  .range = at->range});
    struct value picked = list_cells(ck, list, dim_pure(ck->dims), at->range);
    *words = words_of_column(&picked, words->table, words->field);
    return true;
}

bool
texts_compare(struct check *ck, const struct ast_expr *at,
              const struct value *left, const struct value *right,
              struct value *out)
{
    assert(ck && at && left && right && out);
    struct value two[2];
    bool single[2];
    if (!as_words(ck, at->a, left, &two[0], &single[0]) ||
        !as_words(ck, at->b, right, &two[1], &single[1]))
        return false;
    if (at->op != AST_EQ && at->op != AST_NE) {
        struct diag *diag =
            check_error(ck, DIAG_E0412, at->op_range,
                        "texts are equal or not; they have no order");
        CHECK_HELP(ck, diag, "use == or !=");
        *out = value_poison(at->range);
        return true;
    }
    struct tm_val *inputs = NEW_N(ck->arena, struct tm_val, 2);
    for (int i = 0; i < 2; i++)
        inputs[i] = list_input(&two[i], expr_label(ck, i ? at->b : at->a));
    uint32_t list =
        list_add(ck, (struct tm_list){.kind = IMP_LIST_SAME,
                                      .width = 1,
                                      .column = (single[0] ? 1u : 0) +
                                                (single[1] ? 2u : 0),
                                      .inputs = inputs,
                                      .n_inputs = 2,
                                      .name = expr_label(ck, at),
                                      .range = at->range});
    if (single[0] && single[1]) {
        *out = only_truth(ck, list, at->range);
    } else {
        *out = list_cells(ck, list, dim_pure(ck->dims), at->range);
        out->truth = true;
    }
    if (at->op == AST_NE)
        out->e[0] = ex_op(ck->g, IMP_OP_NOT, out->e[0], NULL, NULL);
    return true;
}
