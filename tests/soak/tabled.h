/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that a table gives over time: straight between its knots, constant
 * before the first and behind the last. */
#ifndef SOAK_TABLED_H
#define SOAK_TABLED_H

#include <stdio.h>

enum { MAX_KNOTS = 12 };

struct table {
    int knots;                              /* 0: there is no table */
    double at[MAX_KNOTS], value[MAX_KNOTS]; /* s; a number */
};

double table_value(const struct table *table, double time);
/* The integral from 0 to that time (s). */
double table_integral(const struct table *table, double time);
/* The same as formulas of t, in brackets. */
void table_print(const struct table *table, FILE *out);
void table_print_integral(const struct table *table, FILE *out);
/* As seen by a clock that begins at `start` and runs `rate` times as fast. */
void table_shift(struct table *table, double start, double rate);
/* Puts a knot on the middle of each straight, while there is room: the same
 * function of time. */
void table_refine(struct table *table);

#endif
