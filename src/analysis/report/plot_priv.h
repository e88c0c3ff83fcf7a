/* SPDX-License-Identifier: MIT */
/* What the files of `plot` share: rows that are put together (plot_group.c),
 * and curves that are drawn over the picture (curves.c). */
#ifndef IMP_ANALYSIS_REPORT_PLOT_PRIV_H
#define IMP_ANALYSIS_REPORT_PLOT_PRIV_H

#include "analysis/command/command.h"

struct plot_curves {
    struct out_curve *v;
    size_t n, cap;
};

/* -- plot_group.c: several runs at one place (repeat) become one: the mean of
 * their numbers, the text that comes most often. Rows are then in ascending
 * order of y, then x; rows alone at their place stay as they are. */
void plot_merge_repeats(struct arena *arena, struct out_column *x_axis,
                        struct out_column *y_axis, struct out_column *values);
/* One curve of y over x per value of `per`. as_told: the rows of each stay in
 * their order, else they are those of runs, in order of x. False: there would
 * be more than PLOT_CURVES. */
#define PLOT_CURVES 32
bool plot_curves_per_value(struct arena *arena, const struct out_column *per,
                           const struct out_column *x_axis,
                           const struct out_column *y_axis, bool named,
                           bool as_told, struct plot_curves *curves);

/* -- curves.c: what the options `contours`, `levels` and `overlay` ask for.
 * x (and y, of a map): columns of the axes, y NULL: a plot; z: of the map */
int plot_contours(struct analysis *analysis, const imp_command *command,
                  const struct out_column *x_axis,
                  const struct out_column *y_axis,
                  const struct out_column *values, struct plot_curves *curves);
int plot_overlay(struct analysis *analysis, const imp_command *command,
                 const struct out_column *x_axis,
                 const struct out_column *y_axis, struct plot_curves *curves);

/* -- plot_search.c: whole records of `fit` and `minimise`. The record that the
 * command plots, if it is one of these and all that it plots; else NULL. */
const struct record *plot_search_record(struct analysis *analysis,
                                        const imp_command *command);
/* Its columns, and what they are plotted against, where it says: one axis, or
 * two of a map. A status after a diagnostic. */
int plot_search(struct analysis *analysis, const imp_command *command,
                const struct record *record, struct columns *ys,
                struct columns *axes);

#endif
