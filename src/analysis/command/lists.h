/* SPDX-License-Identifier: MIT */
/* Lists of a run (abi/image.h): columns of data, lists of records, and what is
 * made of them. */
#ifndef IMP_ANALYSIS_COMMAND_LISTS_H
#define IMP_ANALYSIS_COMMAND_LISTS_H

#include "abi/lists.h"
#include "analysis/command/analysis.h"

/* n entries of `width` numbers; NaN: the entry has no value */
struct list_values {
    const double *x;
    size_t n, width;
};

/* The values of an IMP_VAL_COLUMN, in the memory of the run. IMP_OK, or a
 * status after a diagnostic. */
int column_values_of(struct analysis *analysis, const imp_val *column,
                     struct list_values *out);
/* The numbers that a tape reads at each entry of n lists: cell k of entry i is
 * cells[k].x[i*cells[k].width + component[k]]. */
struct column_cells {
    struct list_values *list;
    uint32_t *component;
    uint32_t n_cells;
    size_t n; /* entries */
};
/* Evaluates the lists that a column reads, and checks that they are of one
 * length; as column_values_of. */
int column_cells_of(struct analysis *analysis, const imp_val *column,
                    struct column_cells *out);
/* Puts the cells of entry i into local. False: one of them has no value. */
bool column_locals(const struct column_cells *cells, size_t i, double *local);

/* The numbers that a slot of kind IMP_SLOT_LIST means; as column_values_of. */
int list_slot_value(struct analysis *analysis, const imp_slot *slot,
                    double *out);
/* Fills the slots that the model reads of its data (struct rt_given); ctx: data
 * of other files (struct analysis), or NULL. */
int list_slots_given(struct rt *run, const void *ctx);
/* Calls `each` for every field of a record that a slot reads, through lists,
 * too. */
void slot_reads(const imp_image *im, const imp_slot *slot,
                void (*each)(void *ctx, uint32_t command, uint32_t field),
                void *ctx);
/* Marks the fields of a question's record that a value reads: wanted[field]. */
void value_wants(const imp_image *im, const imp_command *question,
                 const imp_val *value, bool *wanted);

/* -- list_lookup.c --------------------------------------------------------- */

/* lookup(u, x, y); y is not empty */
void list_looked_up(struct analysis *analysis, const struct list_values *in,
                    struct list_values *out);
/* Do the numbers rise that list number `list`, or one of its length, has?
 * IMP_FAILED after E0763, at the list that it is, or of which it is a slice. */
int list_rises(struct analysis *analysis, uint32_t list,
               const struct list_values *numbers);
/* The numbers of a slot that is a table, from the values of its list;
 * IMP_FAILED after E0761 (one is missing) or E0763. */
int list_tabulated(struct analysis *analysis, const imp_list *list,
                   const imp_slot *slot, const struct list_values *values,
                   double *out);

/* -- list_memo.c ----------------------------------------------------------- */

/* The values of a list that were kept, if no param that it reads has changed;
 * they stay until they are put again. */
bool list_memo_get(struct rt *run, uint32_t list, struct list_values *out);
/* Keeps the values of a list if it is made of data and params alone. */
void list_memo_put(struct rt *run, uint32_t list,
                   const struct list_values *values);

/* -- list_entries.c -------------------------------------------------------- */

/* The words whose numbers a list has: of a column of texts of data, or of the
 * texts of a record (abi/lists.h: IMP_RECORD_TEXTS). */
struct list_words {
    const char **text;
    size_t n;
};
struct list_words list_words(const struct analysis *analysis, uint32_t table,
                             uint32_t column);
/* The n entries of a list of kind NAMES, whose record is there. */
double *list_names(const struct analysis *analysis, const imp_list *list,
                   size_t *n);
/* Which number the text of a list of kind WORD has among the words of its
 * column; SIZE_MAX: none. */
size_t list_word(const struct analysis *analysis, const imp_list *list);
/* Where the texts of both inputs are the same; a missing one is like none. */
void list_same(struct analysis *analysis, const imp_list *list,
               const struct list_values *in, struct list_values *out);
/* distinct, counts */
void list_distinct(struct analysis *analysis, const imp_list *list,
                   const struct list_values *in, struct list_values *out);
/* cumulative, differences */
void list_running(struct analysis *analysis, const imp_list *list,
                  const struct list_values *in, struct list_values *out);
/* The distances of all pairs of places of each entry. IMP_FAILED after E0763:
 * the numbers are no whole number of places. */
int list_distances(struct analysis *analysis, const imp_list *list,
                   const struct list_values *in, struct list_values *out);
/* a[places]: the entries of in[0] whose numbers in[1] gives, in its order;
 * negative numbers count from the end. IMP_FAILED after E0702. */
int list_sliced(struct analysis *analysis, const imp_list *list,
                const struct list_values *in, struct list_values *out);
int list_picked(struct analysis *analysis, const imp_list *list,
                const struct list_values *in, struct list_values *out);
/* E0760: a selection has n entries, and a formula that the motion follows has
 * been written out for another number of them. Else IMP_OK. */
int list_selects_as_many(struct analysis *analysis, const imp_list *list,
                         size_t n);
/* E0702: a list of n entries has none of the number `at`; 0: of the number that
 * the text at `range` shows. Returns IMP_FAILED. */
int list_no_such_entry(struct analysis *analysis, const imp_list *list,
                       imp_range range, size_t n, double at);

/* -- list_statistics.c ----------------------------------------------------- */

/* Sum with the rounding errors of its additions added up beside it (Neumaier
 * 1974), of n numbers that lie `stride` apart. */
double list_sum(const double *x, size_t n, size_t stride);
/* n > 0 */
double list_mean(const double *x, size_t n, size_t stride);
/* A power of two near the greatest distance of the entries from `about`: in
 * this unit their squares are of the size of 1. */
double list_unit(const double *x, size_t n, double about);
/* mean square about the mean, over n - 1; n > 1 */
double list_variance(const double *x, size_t n);
/* the same in squares of *unit, which is list_unit about the mean */
double list_variance_in_units(const double *x, size_t n, double *unit);
/* the root of list_variance, also where that is too small or too large */
double list_deviation(const double *x, size_t n);
/* The value below which the share p (0 to 1) of n > 0 sorted numbers lies, by
 * linear interpolation (Hyndman and Fan 1996, type 7). */
double list_quantile(const double *sorted, size_t n, double p);
/* The area between the distribution functions of two sorted lists, neither of
 * which is empty. */
double list_emd(const double *a, size_t n_a, const double *b, size_t n_b);
/* how many of n sorted numbers are at most x */
size_t list_at_most(const double *sorted, size_t n, double x);
/* The line y = a + b x of least squares: a, b, their standard errors, the
 * deviation of the residuals (n > 2). False: all x are equal. */
bool list_regression(const double *x, const double *y, size_t n, double out[5]);
/* Pearson's coefficient of correlation; n > 1. False: the x or the y are all
 * equal. */
bool list_correlation(const double *x, const double *y, size_t n, double *out);
/* The order of n numbers: order[k] is the place of the k-th smallest; equals
 * stay in their order. */
void list_order(struct arena *arena, const double *x, size_t n, size_t *order);

/* -- list_errors.c --------------------------------------------------------- */

/* Standard error of the variance, by moments about the mean: the root of
 * (m4 - (n - 3)/(n - 1) s^4)/n (Cramer 1946, 27.4); n > 1. */
double list_variance_error(const double *x, size_t n);
/* those of the deviation, and of the mean */
double list_deviation_error(const double *x, size_t n);
double list_mean_error(const double *x, size_t n);
/* Standard error of list_quantile of n > 1 sorted numbers, 0 < p < 1: the
 * deviation of that order statistic among lists that are drawn from this one,
 * which needs no drawing (Maritz and Jarrett 1978; Efron 1979). Between two
 * order statistics the place in between is taken. */
double list_quantile_error(const double *sorted, size_t n, double p);
/* Standard error of list_emd, from the influence of each entry (del Barrio,
 * Gine and Matran 1999); n_a, n_b > 1. It says nothing where both distributions
 * are the same: the distance is then above 0 by its scatter alone. */
double list_emd_error(struct arena *arena, const double *a, size_t n_a,
                      const double *b, size_t n_b);
/* Standard error of list_correlation, n > 2, from the influence of each pair
 * (Devlin, Gnanadesikan and Kettenring 1975). */
bool list_correlation_error(const double *x, const double *y, size_t n,
                            double *out);

#endif
