/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See tabled.h. */
#include "tabled.h"

#include <stdbool.h>

#include "print.h"

static double
slope(const struct table *table, int knot)
{
    return (table->value[knot + 1] - table->value[knot]) /
           (table->at[knot + 1] - table->at[knot]);
}

/* The knot before that time; -1: there is none. */
static int
knot_before(const struct table *table, double time)
{
    int knot = -1;
    while (knot + 1 < table->knots && table->at[knot + 1] <= time)
        knot++;
    return knot;
}

double
table_value(const struct table *table, double time)
{
    int knot = knot_before(table, time);
    if (knot < 0)
        return table->value[0];
    if (knot == table->knots - 1)
        return table->value[knot];
    return table->value[knot] + slope(table, knot) * (time - table->at[knot]);
}

/* The integral from the first knot to knot i. */
static double
sum_to(const struct table *table, int i)
{
    double sum = 0;
    for (int k = 0; k < i; k++)
        sum += (table->value[k] + table->value[k + 1]) / 2 *
               (table->at[k + 1] - table->at[k]);
    return sum;
}

static double
from_first(const struct table *table, double time)
{
    int knot = knot_before(table, time), from = knot < 0 ? 0 : knot;
    double step = time - table->at[from];
    double bend =
        knot < 0 || knot == table->knots - 1 ? 0 : slope(table, knot) / 2;
    return sum_to(table, from) + table->value[from] * step + bend * step * step;
}

double
table_integral(const struct table *table, double time)
{
    return from_first(table, time) - from_first(table, 0);
}

static void
print_pieces(const struct table *table, bool integral, FILE *out)
{
    for (int i = -1; i < table->knots; i++) {
        int from = i < 0 ? 0 : i;
        bool last = i == table->knots - 1;
        double bend = i < 0 || last ? 0 : slope(table, i);
        if (!last) {
            fputs("(if t/(1 [s]) < ", out);
            print_number(out, table->at[i + 1]);
            fputs(" then ", out);
        }
        fputs("(", out);
        print_number(out, integral ? sum_to(table, from) : table->value[from]);
        for (int power = 1; power <= 1 + integral; power++) {
            double factor = !integral    ? bend
                            : power == 1 ? table->value[from]
                                         : bend / 2;
            fputs(" + ", out);
            print_number(out, factor);
            fputs("*(t/(1 [s]) - ", out);
            print_number(out, table->at[from]);
            fputs(power == 2 ? ")^2" : ")", out);
        }
        fputs(last ? ")" : ") else ", out);
    }
    for (int i = 0; i < table->knots; i++)
        fputs(")", out);
}

void
table_print(const struct table *table, FILE *out)
{
    print_pieces(table, false, out);
}

void
table_print_integral(const struct table *table, FILE *out)
{
    fputs("(", out);
    print_pieces(table, true, out);
    fputs(" - ", out);
    print_number(out, from_first(table, 0));
    fputs(")", out);
}

void
table_shift(struct table *table, double start, double rate)
{
    for (int i = 0; i < table->knots; i++)
        table->at[i] = (table->at[i] - start) * rate;
    for (int i = 0, k = table->knots - 1; rate < 0 && i < k; i++, k--) {
        double at = table->at[i], value = table->value[i];
        table->at[i] = table->at[k];
        table->value[i] = table->value[k];
        table->at[k] = at;
        table->value[k] = value;
    }
}

void
table_refine(struct table *table)
{
    for (int i = table->knots - 2; i >= 0 && table->knots < MAX_KNOTS; i--) {
        for (int k = table->knots; k > i + 1; k--) {
            table->at[k] = table->at[k - 1];
            table->value[k] = table->value[k - 1];
        }
        table->at[i + 1] = (table->at[i] + table->at[i + 2]) / 2;
        table->value[i + 1] = (table->value[i] + table->value[i + 2]) / 2;
        table->knots++;
    }
}
