/* SPDX-License-Identifier: MIT */
/* What the files of this room share: numbers for people, JSON values, files
 * that appear whole or not at all, and parts of pictures. */
#ifndef IMP_OUTPUT_OUT_PRIV_H
#define IMP_OUTPUT_OUT_PRIV_H

#include <string.h>

#include "base/num.h"
#include "output/out.h"

/* A number in a table for people is the shortest text that reads back, if it
 * has at most so many significant digits, and otherwise rounded to so many. */
#define OUT_DIGITS 12
char *out_number(char digits[NUM_TEXT], double x);
/* The shortest text that reads back (for JSON), and 17 digits (for CSV). All
 * three leave out the sign of a zero. */
char *out_exact(char digits[NUM_TEXT], double x);
char *out_digits_17(char digits[NUM_TEXT], double x);

/* JSON: a number, null where it is not finite; an array of n numbers */
void out_json_number(struct buf *buf, double x);
void out_json_numbers(struct buf *buf, const double *x, size_t n);
/* rows x cols numbers as an array of arrays; a plain array when cols is 1, a
 * number when both are 1 */
void out_json_matrix(struct buf *buf, const double *x, size_t rows,
                     size_t cols);
/* the fields of a record as members of an object, without the braces */
void out_json_record(struct buf *buf, const imp_image *im,
                     const struct record *record, const char *command);

/* a file under --out while it is written */
struct out_file {
    int fd;
    char *path, *temp; /* one block of the heap, which starts at path */
    bool nameless;     /* it has no name until it is closed without an error */
    bool replaces;     /* there is a file of this name already */
    uint64_t n, begun; /* bytes written; of these, sent to the disk */
};
/* Why a file may not have this name under --out (static text). NULL: it may;
 * the name is relative and stays below the folder. */
const char *out_file_bad_name(const char *file);
/* Opens the file under a temporary name and makes its folders. IMP_OK, or
 * IMP_FAILED after a diagnostic; then f holds nothing. */
int out_file_open(struct output *output, struct diags *ds, imp_range where,
                  const char *file, struct out_file *f);
/* makes the folders of a file under --out; 0 or errno */
int out_folders(const struct output *output, const char *file);
/* writes n bytes; 0 or errno */
int out_file_write(struct out_file *f, const char *s, size_t n);
/* Puts the file in its place when error is 0, or else removes it and says why;
 * a negative error has been told already. Always frees what f holds. IMP_OK, or
 * IMP_FAILED after a diagnostic. */
int out_file_close(struct out_file *f, struct diags *ds, imp_range where,
                   const char *file, int error);

struct out_format;
/* gnuplot: the picture as file under --out, in a format that takes pictures */
int out_plot_gnuplot(struct output *output, struct diags *ds, imp_range where,
                     const struct out_format *format, const char *file,
                     const char *title, const struct out_column *x_axis,
                     const struct out_column *ys, size_t n_ys);
int out_curves_gnuplot(struct output *output, struct diags *ds, imp_range where,
                       const struct out_format *format, const char *file,
                       const char *title, const struct out_column *x_axis,
                       const struct out_column *y_axis,
                       const struct out_curve *curves, size_t n);
/* Runs a script of gnuplot, whose output becomes the file. data: bytes that
 * the script reads as the file OUT_GNUPLOT_DATA; NULL: none. */
#define OUT_GNUPLOT_DATA "/dev/fd/3"
int out_gnuplot(struct output *output, struct diags *ds, imp_range where,
                const char *file, const struct buf *script,
                const struct buf *data);
/* the head of a script: terminal, title, labels of the axes (y NULL: none); the
 * last line is left open */
void out_plot_head(struct buf *buf, const struct out_format *format,
                   const char *title, const struct out_column *x_axis,
                   const struct out_column *y_axis);
/* the name of a column and its unit, in quotes */
void out_plot_label(struct buf *buf, const struct out_column *column);
void out_plot_quoted(struct buf *buf, const char *s); /* a text in quotes, for a
                                                       * script */
/* Gives a plot as data to who takes pictures, or writes it as a page where the
 * format is one. values: the columns y and z of a map, or NULL. False: it is
 * for gnuplot or for the terminal. True: done, with its status. */
bool out_plot_as_data(struct output *output, struct diags *ds, imp_range where,
                      const struct out_format *format, const char *file,
                      const char *title, const struct out_column *x_axis,
                      const struct out_column *values,
                      const struct out_curve *curves, size_t n, int *status);
/* Writes the line that says what was plotted; in JSON it has the data. */
void out_plotted(struct output *output, const char *file, const char *title,
                 bool draw, const struct out_column *x_axis,
                 const struct out_column *ys, size_t n_ys);
/* Writes the line that says what was plotted, for curves; in JSON it has the
 * data. z: the columns y and z of a map, or NULL */
void out_plotted_curves(struct output *output, const char *file,
                        const char *title, bool draw,
                        const struct out_column *x_axis,
                        const struct out_column *values,
                        const struct out_curve *curves, size_t n);
/* for gnuplot: the data of curves as $c0, $c1, ...; the labels of level lines;
 * the curves of a `plot` command */
void out_curves_data(struct buf *buf, const struct out_curve *curves, size_t n);
void out_levels_plot(struct buf *buf, const struct out_curve *curves, size_t n);
void out_curves_plot(struct buf *buf, const struct out_curve *curves, size_t n,
                     bool first);

/* The values of a column, each once, in rising order; in the arena. out_tick:
 * the number of the last one at or below x. */
struct out_ticks {
    double *v;
    size_t n;
};
struct out_ticks out_ticks(struct arena *arena,
                           const struct out_column *column);
size_t out_tick(const struct out_ticks *ticks, double x);
/* The same; it looks at tick `near` and its neighbours first. */
size_t out_tick_from(const struct out_ticks *ticks, double x, size_t near);

/* Is there a unit to print? A pure number has "" or "1". */
static inline bool
out_has_unit(const char *unit)
{
    return *unit && !(unit[0] == '1' && !unit[1]);
}

static inline bool
out_units_differ(const char *unit)
{
    return strchr(unit, ';') != NULL;
}
/* JSON: the unit, or units in an array like that of the values */
void out_json_unit(struct buf *buf, const char *unit, size_t rows, size_t cols);

/* The width of UTF-8 text in columns: a code point counts one, a combining mark
 * none. */
size_t out_display_width(const char *s);

#endif
