/* SPDX-License-Identifier: MIT */
/* Inside the room: the kinds of files. */
#ifndef IMP_TABLE_TABLE_PRIV_H
#define IMP_TABLE_TABLE_PRIV_H

#include "table/table.h"

bool csv_head(struct arena *arena, const char *text, size_t n,
              struct table_head *head, struct table_error *error);
bool csv_rows(struct arena *arena, const char *text, size_t n,
              const struct table_head *head, struct table_column *columns,
              size_t n_columns, const char *missing, size_t *n_rows,
              struct table_error *error);
bool json_rows_head(struct arena *arena, const char *text, size_t n,
                    struct table_head *head, struct table_error *error);
bool json_rows(struct arena *arena, const char *text, size_t n,
               const struct table_head *head, struct table_column *columns,
               size_t n_columns, const char *missing, size_t *n_rows,
               struct table_error *error);

bool hdf5_head(const struct table_h5 *library, struct arena *arena,
               const char *bytes, size_t n, struct table_head *head,
               struct table_error *error);
bool hdf5_rows(const struct table_h5 *library, struct arena *arena,
               const char *bytes, size_t n, struct table_column *columns,
               size_t n_columns, const char *missing, size_t *n_rows,
               struct table_error *error);

/* Returns the number of a text among the words, to which it is added. */
double table_word(struct arena *arena, struct table_words *words,
                  const char *text, size_t len);

/* Fills *error; always false. */
bool table_wrong(struct table_error *error, size_t lo, size_t hi,
                 const char *message, const char *help);
/* The next cell of a column whose kind may be open: a number, or what stands in
 * bytes lo to hi of the text. Does it suit what came before? Without a number
 * before it, what does not begin as one makes the column one of texts. */
bool table_takes(struct table_column *column, bool number, const char *text,
                 size_t lo, size_t hi);
/* What a cell that is no number is told as. */
bool table_no_number(struct arena *arena, struct table_error *error, size_t lo,
                     const char *cell, size_t len, const char *column,
                     const char *missing);

#endif
