/* SPDX-License-Identifier: MIT */
/* Columns of numbers from the text of a file. */
#ifndef IMP_TABLE_TABLE_H
#define IMP_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* The texts of a column, each once. */
struct table_words {
    const char **v;
    size_t n, cap;
    uint32_t *bucket; /* hash table */
    size_t n_buckets;
};
/* A column that is wanted, and what was read. */
struct table_column {
    size_t number; /* in the head */
    bool text;     /* texts, no numbers */
    /* It is not stated which: without any number it is a column of texts, and
     * `text` says so. */
    bool open;
    size_t n_numbers, text_lo, text_hi; /* read so far; its first text */
    double *numbers; /* NaN: missing; of texts: which one of words */
    struct table_words words;
};

/* What is wrong with a file: bytes lo .. hi of it, a sentence, and a remedy
 * (NULL: none), in the arena or static. */
struct table_error {
    size_t lo, hi;
    const char *message, *help;
    bool no_place; /* it stands at no place that could be shown */
};
/* The names of the columns of a file, in order, and where they stand. */
struct table_head {
    const char **names;
    size_t *lo, *hi;
    size_t n;
    /* the unit that a file states of a column elsewhere than in its name, NULL:
     * none; NULL: no column has one */
    const char **units;
    /* which columns hold texts, and which have no entries where others have
     * some; NULL: the cells say it */
    const bool *texts, *empty;
};
struct table_h5;
/* Without functions: a file that a library reads. */
struct table_kind {
    const char *ending;
    bool (*head)(struct arena *arena, const char *text, size_t n,
                 struct table_head *head, struct table_error *error);
    bool (*rows)(struct arena *arena, const char *text, size_t n,
                 const struct table_head *head, struct table_column *columns,
                 size_t n_columns, const char *missing, size_t *n_rows,
                 struct table_error *error);
};
/* Is this the name of a file that gzip has made? */
bool table_is_packed(const char *file);
/* Unpacks such a file to at most `most` bytes, in the arena. False after
 * *error, which has no place in the file. */
bool table_unpack(struct arena *arena, const char *bytes, size_t n, size_t most,
                  const char **text, size_t *size, struct table_error *error);
/* The kind of a file by the ending of its name; NULL: no table that can be
 * read. */
const struct table_kind *table_kind_of(const char *file);
/* the endings that can be read, as ".csv, .jsonl" */
const char *table_endings(void);

/* Reads the names of the columns of a text of n bytes. hdf5 reads HDF5 files;
 * NULL: they cannot be read here. False after *error. */
bool table_read_head(const struct table_kind *kind, const struct table_h5 *hdf5,
                     struct arena *arena, const char *text, size_t n,
                     struct table_head *head, struct table_error *error);
/* Is it one of those that hdf5 reads? */
bool table_is_hdf5(const struct table_kind *kind);
/* Reads n_columns columns, by their numbers in the head: each gets *n_rows
 * numbers, in the arena. A cell that is the text `missing` (NULL: there is no
 * such text) gives NaN; any other cell of these columns is one finite number,
 * or a text where texts are wanted. False after *error. */
bool table_read_rows(const struct table_kind *kind, const struct table_h5 *hdf5,
                     struct arena *arena, const char *text, size_t n,
                     const struct table_head *head,
                     struct table_column *columns, size_t n_columns,
                     const char *missing, size_t *n_rows,
                     struct table_error *error);

/* Puts the words of a column of n texts in order, and gives them other numbers:
 * texts in order then are numbers in order. */
void table_order_words(struct arena *arena, struct table_column *column,
                       size_t n);

/* Takes n numbers from a unit of num/den SI units to SI units. */
void table_scale(double *numbers, size_t n, double num, double den);

#endif
