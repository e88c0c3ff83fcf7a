/* SPDX-License-Identifier: MIT */
/* Inside the room. */
#ifndef IMP_ANALYSIS_FIT_FIT_PRIV_H
#define IMP_ANALYSIS_FIT_FIT_PRIV_H

#include "analysis/command/command.h"
#include "analysis/command/lists.h"

/* -- least_squares.c ------------------------------------------------------- */

/* A problem of least squares: n_rows residuals r of n_params numbers p. */
struct least_squares {
    size_t n_rows, n_params;
    /* Puts the residuals at p, their derivatives (column-major, n_rows each)
     * and bounds of their rounding errors. IMP_OK; IMP_NONFINITE: there is no
     * value at p; or another status after a diagnostic. */
    int (*evaluate)(void *ctx, const double *p, double *residual,
                    double *jacobian, double *rounding);
    /* Puts the derivatives that errors are told by at the end into jacobian,
     * for the covariance that those of the search give; NULL: they are the
     * same. A status as above. */
    int (*errors)(void *ctx, const double *p, const double *covariance,
                  double squares, double *jacobian);
    void *ctx;
    const double *lo, *hi; /* of each param; infinite: none */
    size_t most_steps;
};
enum least_squares_end {
    LEAST_SQUARES_DONE,
    LEAST_SQUARES_STEPS,   /* more than allowed */
    LEAST_SQUARES_START,   /* no value where the search begins */
    LEAST_SQUARES_SINGULAR /* `open` is a param that the data leave open */
};
struct least_squares_result {
    enum least_squares_end end;
    double *p;          /* in: the start; out: the estimates */
    double *residual;   /* n_rows */
    double *covariance; /* n_params^2, for residuals of variance 1 */
    bool *at_bound;     /* per param */
    double squares;     /* sum of the squares of the residuals */
    size_t steps, open;
};
/* Searches; all arrays of the result are the caller's. n_rows >= n_params > 0.
 * Memory: the arena. Returns IMP_OK, or what `evaluate` has returned. */
int least_squares_search(const struct least_squares *problem,
                         struct arena *arena,
                         struct least_squares_result *result);

/* -- student.c ------------------------------------------------------------- */

/* The t with P(|T| < t) = level for Student's T of `degrees` > 0 degrees of
 * freedom (infinite: the normal distribution); 0 < level < 1. */
double student_two_sided(double level, double degrees);

/* -- trial.c --------------------------------------------------------------- */

/* The warnings of the values that were found, of each code the first. */
struct trial_warning {
    enum diag_code code;
    imp_range range;
    const char *message, *help, *at; /* at: the params that were tried */
    size_t n, last;                  /* of how many values; the last of these */
};
#define TRIAL_WARNINGS 16

/* Asks for values of what is minimised. */
struct trial {
    struct analysis *of; /* of the command */
    struct analysis analysis;
    struct output out;
    struct diags ds;
    struct arena *scratch; /* emptied before every value */
    struct record *record;
    struct rt *run; /* of its own */
    double *params;
    const imp_command *question; /* NULL: no run */
    const imp_val *value;
    const bool *wanted;    /* the fields of the run that are read; NULL: all */
    uint32_t n;            /* params that are varied */
    const uint32_t *param; /* their numbers */
    const double *lo, *hi;
    size_t asked, failed;
    const char *why; /* of the last value that does not exist */
    struct trial_warning warnings[TRIAL_WARNINGS];
    size_t n_warnings;
};
/* Returns IMP_OK, or a status after a diagnostic. trial_close must follow. */
int trial_open(struct trial *trial);
/* The value at x; infinite where there is none. IMP_OK or IMP_STOPPED. */
int trial_value(struct trial *trial, const double *x, double *value);
/* Asks at x; `read` then reads what it needs, and returns a status. *there:
 * there is a value. IMP_OK or IMP_STOPPED. */
int trial_ask(struct trial *trial, const double *x,
              int (*read)(void *ctx, struct analysis *analysis), void *ctx,
              bool *there);
/* Tells the warnings of its values; `where` is the command. */
void trial_tell(const struct trial *trial, imp_range where);
void trial_close(struct trial *trial);
/* What to say besides of a param that changes nothing, or "": where the model
 * has runs, and `question` is NULL, one may be meant that is made anew. */
const char *trial_of_a_run(const imp_image *im, const imp_val *question);

/* The bounds of a param that is varied: those that `over` states, else its own
 * range, else none (infinite). Bounds may be made of params and results. E0430:
 * nothing lies between them, or they reach beyond its range. IMP_OK or a status
 * after a diagnostic. */
int trial_bounds(struct analysis *analysis, const imp_val *item, double *lo,
                 double *hi);

/* -- fit.c ----------------------------------------------------------------- */

struct fit {
    struct analysis *analysis;
    const imp_command *command;
    const imp_val *column;
    const imp_val *over; /* one item per param */
    uint32_t n;
    size_t m; /* entries of the data */
    struct column_cells cells;
    const double *errors; /* of the data, or NULL */
    double *fitted, *entry, *local;
    double *lo, *hi, *start; /* per param */
    struct least_squares_result found;
    const char *why; /* there is no value at the start, of a run */
    bool empty;      /* because an entry has no value */
};
/* Makes room for a fit to fit->m entries, and reads the bounds. IMP_OK or a
 * status after a diagnostic. */
int fit_prepare(struct fit *fit);
/* Reads the standard errors of the data, which are positive. */
int fit_errors(struct fit *fit, struct analysis *analysis);
/* E0764: fewer entries than params. */
int fit_few_data(const struct fit *fit);

/* -- fit_runs.c ------------------------------------------------------------ */

/* The same for a list that a run gives, which has no derivatives: fills
 * fit->found and fit->fitted. */
int fit_runs(struct fit *fit, const imp_command *question, size_t most_steps);

/* -- simplex.c ------------------------------------------------------------- */

struct simplex_result {
    double value;
    size_t asked;
    bool done; /* false: more values than allowed */
};
/* Searches from x (in and out) for a place where the value is least, within the
 * bounds of the trial, until the simplex is as small as values can tell. Begins
 * with steps of size step[i]. IMP_OK or IMP_STOPPED. */
int simplex_search(struct trial *trial, double *x, const double *step,
                   size_t most, struct simplex_result *result);

#endif
