/* SPDX-License-Identifier: MIT */
/* Square systems of linear equations with few entries in each row, such as
 * those of the contacts of a heap: eliminated with little fill, and with a rank
 * that pivots tell. */
#ifndef IMP_RUNTIME_SPARSE_SPARSE_H
#define IMP_RUNTIME_SPARSE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct sparse_entry {
    int column;
    double value;
};
struct sparse_row {
    struct sparse_entry *v;
    size_t n, cap;
};
struct sparse_list {
    int *v;
    size_t n, cap;
};
/* One step of an elimination: `share` of the row `from` is taken off `to`. */
struct sparse_step {
    int from, to;
    double share;
};
/* n equations, first as they are filled, then as sparse_eliminate leaves them.
 */
struct sparse_system {
    struct arena *arena;
    int n, most; /* most: equations that there is room for */
    struct sparse_row *row;
    struct sparse_list *in_column; /* rows that have an entry there */
    double *right;                 /* n: right-hand sides, by rows */
    struct {
        struct sparse_step *v;
        size_t n, cap;
    } step;
    int rank;
    double least; /* of the pivots, as a share of the first; 1: none */
    int *pivot_row, *pivot_column; /* rank: in their order */
    int *place; /* n: of each column, its place among the pivots; -1: none */
    int *slot;  /* n: of each row, its place among those that are left; -1: it
                   is that of a pivot */
    int *left, *size; /* rows that are left, and their entries, */
    double *greatest; /* of which this is the greatest */
    int *count, *at;
};

/* A system for up to `most` equations. Memory: the arena, as much as the
 * entries of the largest elimination need. */
struct sparse_system *sparse_new(struct arena *arena, int most);
/* Begins anew with n equations that have no entries; right-hand sides are 0. */
void sparse_clear(struct sparse_system *system, int n);
/* Adds an entry, not 0, to a row that has none in that column. */
void sparse_put(struct sparse_system *system, int row, int column,
                double value);
/* Gauss elimination of rows and right-hand sides. Pivots are taken where they
 * make little fill, among entries that are not small beside others of their
 * rows, nor, unless `zero` is 0, beside the greatest entry that is left. It
 * ends where that is no more than the share `zero` of the first one:
 * system->rank pivots are found then, and the right-hand sides of all other
 * rows are what is left of them (Duff, Erisman & Reid 1986). */
void sparse_eliminate(struct sparse_system *system, double zero);
/* Solves the rows of the pivots for their unknowns. x (n, by columns): those
 * without a pivot are given. right: n right-hand sides that the elimination has
 * left, by rows, as system->right; NULL: all are 0. */
void sparse_back(const struct sparse_system *system, const double *right,
                 double *x);
/* Does to other right-hand sides (n) what the elimination has done to its own.
 */
void sparse_forward(const struct sparse_system *system, double *right);
/* The same of the transpose, the other way round: first from right-hand sides
 * by columns (n, of which rows of the pivots make something else) to multiples
 * y (n) of the rows that the elimination has left, and then from these to
 * multiples of the rows that it began with. */
void sparse_back_turned(const struct sparse_system *system, double *right,
                        double *y);
void sparse_forward_turned(const struct sparse_system *system, double *y);

#endif
