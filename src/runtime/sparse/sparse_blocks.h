/* SPDX-License-Identifier: MIT */
/* Linear equations of many points, two for each, of which a point has entries
 * at its neighbours alone: those that share a body with it. Newton's method
 * solves them again and again with other entries at the same places. So the
 * order of the points, and what elimination fills, are found once. No pivots
 * are chosen, but within a point: friction makes equations that are not
 * symmetric, of which a pivot may vanish. Whoever asks looks whether the
 * solution holds. */
#ifndef IMP_RUNTIME_SPARSE_SPARSE_BLOCKS_H
#define IMP_RUNTIME_SPARSE_SPARSE_BLOCKS_H

#include <stdbool.h>

struct arena;
struct sparse_blocks;

/* Equations of n points. entries (2 n + 1): where the list of each equation
 * begins in `column`, which names the points at which it has entries. Memory:
 * the arena. */
struct sparse_blocks *sparse_blocks_new(struct arena *arena, int points,
                                        const int *entries, const int *column);
/* Makes all entries 0. */
void sparse_blocks_clear(struct sparse_blocks *blocks);
/* The entries of both equations of one point (rows) at both unknowns of a
 * neighbour, or its own. */
double *sparse_blocks_at(struct sparse_blocks *blocks, int row, int column);
/* Solves the equations, whose right-hand sides are x (2 n), for x. Entries are
 * lost. False: a pivot vanishes. */
bool sparse_blocks_solve(struct sparse_blocks *blocks, double *x);

#endif
