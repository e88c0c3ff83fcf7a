/* SPDX-License-Identifier: MIT */
/* Lists and tables of the image. */
#ifndef IMP_ABI_LISTS_H
#define IMP_ABI_LISTS_H

#include "abi/image.h"

/* ---- lists ---------------------------------------------------------------
 * A list has n entries of `width` numbers, and n is known when it is asked for.
 * NaN says that an entry has no value. An expression of lists is a tape whose
 * locals are cells: entry k of a list, for every k (IMP_VAL_COLUMN). What is
 * not made entry by entry is a list with `inputs`. A number that is made of a
 * list (a mean) is a list of one entry, read through a slot. */
/* Added to the number of numbers of a table (imp_instr, PLACE): at one of them
 * what is looked up still has the place before it. */
#define IMP_TABLE_BELOW 0x80000000u
enum imp_list_kind {
#define LISTED(NAME, word, least, most, RESULT, DIM, args, doc, example)       \
    IMP_LIST_##NAME,
#include "abi/lists.def"
    IMP_LIST_KINDS
};
typedef struct imp_cell {
    uint32_t list, component;
} imp_cell;
/* stands in the place of a table: the words are those of the list of kind NAMES
 * that stands in the place of the column */
#define IMP_RECORD_TEXTS 0xfffffffeu
typedef struct imp_list {
    uint32_t kind, width;
    uint32_t command, field; /* FIELD, TEXT, NAMES: of a record */
    uint32_t table, column;  /* TABLE, WORD; SELECT: column entries, or 0 */
    imp_ref inputs;          /* imp_val: COLUMN or NUM */
    imp_str text; /* TEXT, WORD: what its entries are compared with */
    imp_str name; /* the user's source text */
    imp_range range;
} imp_list;
/* data NAME = "file" */
typedef struct imp_table_column {
    imp_str name, unit;
    imp_str header;            /* in the file */
    double unit_num, unit_den; /* of the numbers in the file */
    /* this unit as the model states it, and as the file says it elsewhere than
     * in the header: the unit that another file says must be one of them */
    imp_str stated, said;
    imp_ref values; /* double, SI; NaN: missing; of texts: which of words */
    imp_ref words;  /* imp_str: texts of the column, or none */
    uint32_t text;  /* it is a column of texts */
} imp_table_column;
typedef struct imp_table {
    imp_str name, file;
    imp_str missing; /* text of a cell without a value, if has_missing */
    uint32_t has_missing;
    imp_ref columns; /* imp_table_column */
    uint32_t whole;  /* the model holds for as many rows alone; 0: for any */
} imp_table;

#endif
