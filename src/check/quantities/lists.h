/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists whose length only a run knows: columns of data, lists of records, and
 * what is made of them.
 *
 * Such a list is VALUE_COLUMN: a formula for one entry, whose leaves SYM_CELL
 * mean "this entry of that list". Arithmetic of lists is therefore arithmetic
 * of formulas: an operation takes the formulas as numbers (list_entry), is
 * checked as for numbers, and its result is a list again (list_of_entry). What
 * needs more than one entry (sort, mean, a selection) is an entry of the list
 * table of the model, abi/lists.def. */
#ifndef IMP_CHECK_QUANTITIES_LISTS_H
#define IMP_CHECK_QUANTITIES_LISTS_H

#include "check/quantities/quantities.h"

/* a row of abi/lists.def */
struct list_row {
    const char *word, *args, *doc, *example;
    size_t least, most;
    enum { LIST_RESULT, LIST_NUMBER, LIST_SEVERAL } result;
    enum { LIST_SAME, LIST_SQUARE, LIST_PURE, LIST_OWN } dim;
};
const struct list_row *list_row(enum imp_list_kind kind);
/* the kind that a user calls by this word; IMP_LIST_KINDS: none */
enum imp_list_kind list_kind_of(const char *word);

/* Is the value a list of numbers, or of vectors, as a whole? */
bool value_is_list(const struct check *ck, const struct value *value);
/* Makes VALUE_COLUMN of such a value. */
struct value list_column(struct check *ck, const struct value *value,
                         const char *name);
/* .x, .y or .z of a recorded quantity of a family, r.disc_position.x: a list of
 * vectors with an entry for each member. False: it is no such field, or the
 * name no such part. */
bool family_part(struct check *ck, const struct value *field, const char *name,
                 const struct ast_expr *node, struct value *part);
/* The entry of a VALUE_COLUMN as numbers or a truth value. */
struct value list_entry(const struct value *column);
/* The list with these entries, as long as the first of `like`, n values, that
 * is a column. What is no number or truth value is given back as it is. */
struct value list_of_entry(const struct value *entry, const struct value *like,
                           size_t n);
/* Adds a list to the model, unless it is a source that stands there. */
uint32_t list_add(struct check *ck, struct tm_list list);
/* The list as a value: its entry is one cell per component. */
struct value list_cells(struct check *ck, uint32_t list, const struct dim *dim,
                        imp_range range);
/* A value as the input of a list: a column, texts, or numbers. */
struct tm_val list_input(const struct value *value, const char *label);
/* -- data.c: reads the files of all data ---------------------------------- */
void check_data(struct check *ck);
/* table.column */
struct value table_field(struct check *ck, uint32_t table, const char *name,
                         imp_range name_range, imp_range range);
/* The entries of a list of vectors as the rows of a matrix, where they are
 * known before any run: made of a .. b, linspace, numbers and params. False:
 * not. */
bool list_as_matrix(struct check *ck, const struct value *list,
                    struct value *matrix);
/* a[condition] */
struct value list_select(struct check *ck, const struct ast_expr *node,
                         const struct value *list,
                         const struct value *condition);
/* a[1 .. -1]: from one entry to another, which is counted from the end; also of
 * texts of data */
struct value list_slice(struct check *ck, const struct ast_expr *node,
                        const struct value *list, const double ends[2]);
/* a[places]: the entries whose numbers a list gives, in its order */
struct value list_pick(struct check *ck, const struct ast_expr *node,
                       const struct value *list, const struct value *places);
/* a[3], a[-1] */
struct value list_item(struct check *ck, const struct ast_expr *node,
                       const struct value *list, int32_t index);
/* Takes an argument as a list: vectors of numbers are lists, too. */
bool list_taken(struct check *ck, const struct ast_expr *at,
                struct value *value);
/* help where a list of vectors should be one of numbers; its text, thrice */
#define LIST_OF_VECTORS                                                        \
    "lists of numbers are one of its parts, %s.x, the lengths, norm(%s), and " \
    "all its numbers, entries(%s)"
/* E0218: argument i of a function of lists is not what is `wanted`. */
struct value list_refused(struct check *ck, const struct ast_expr *node,
                          const char *word, size_t i, const struct value *value,
                          const char *wanted);
/* Adds a list that is made of columns and numbers, and gives it the dimension
 * of the first one (a bare one stays bare). */
struct value list_made(struct check *ck, const struct ast_expr *node,
                       enum imp_list_kind kind, const struct value *args,
                       size_t count, uint32_t width);
/* The first `count` numbers of a list. */
struct value list_numbers(struct check *ck, const struct value *list,
                          uint32_t count);
/* -- list_lookup.c ----------------------------------------------------------
 */
/* lookup(u, x, y) */
struct value list_lookup(struct check *ck, const struct ast_expr *node,
                         const char *word, const struct value *given);
/* -- list_terms.c -----------------------------------------------------------
 */
/* Do its entries change along the motion? */
bool list_moves(struct check *ck, const struct value *list);
/* How many entries has a list? 0: that is not known before a run. Params that
 * decide it become structural. */
size_t list_terms(struct check *ck, const struct value *list);
/* Entry `at` of such a list, component k. */
const expr *list_term(struct check *ck, const struct value *list, uint32_t k,
                      size_t at);
/* The model then holds for tables of as many rows alone. */
void list_of_whole_tables(struct check *ck, const struct value *list);
/* Most terms that are written out. */
#define LIST_TERMS_MOST 4096
/* sum(list), mean, min, max or count of a list that changes along the motion,
 * as a formula of all its entries. False: its length is not known before a run,
 * or it does not change. */
bool list_written_out(struct check *ck, const struct ast_expr *node,
                      enum imp_list_kind kind, const struct value *list,
                      struct value *out);

/* A call of a function of lists; args have been checked. */
struct value list_call(struct check *ck, const struct ast_expr *node,
                       enum imp_list_kind kind, const struct value *args,
                       size_t count);

/* r.class as a list of truths: where is it this text? */
struct value list_text_is(struct check *ck, const struct value *field,
                          const char *text, imp_range range);
/* A list of numbers of words of a table or record as texts. */
struct value words_of_column(const struct value *column, uint32_t table,
                             uint32_t field);
/* Is it a list of texts of a record, all of it? */
bool value_is_texts(const struct check *ck, const struct value *value);
/* These as WORDS, of which several can be taken. */
struct value words_of_field(struct check *ck, const struct value *value,
                            const char *name);
/* Texts of data or of a record as the list of the numbers of their words. */
struct value list_of_words(const struct value *words);
/* -- texts.c -----------------------------------------------------------------
 */
/* words[condition], words[places], words[3] (a list of one). False: `at` is no
 * such thing. */
bool words_indexed(struct check *ck, const struct ast_expr *node,
                   const struct value *words, const struct value *at,
                   struct value *out);
/* Texts of data or some of a record, compared with a text (== or !=): a list of
 * conditions. */
struct value words_compare(struct check *ck, const struct ast_expr *at,
                           const struct value *words, const struct value *text);
/* Are both texts of data or of records, one or many? Then they are compared
 * with each other: a truth, or a list of these. */
bool texts_compare(struct check *ck, const struct ast_expr *at,
                   const struct value *left, const struct value *right,
                   struct value *out);

#endif
