/* SPDX-License-Identifier: MIT */
/* Shared inside the output room: numbers for people, JSON values, and files
 * that appear whole or not at all. */
#ifndef IMP_OUTPUT_OUT_PRIV_H
#define IMP_OUTPUT_OUT_PRIV_H

#include <string.h>

#include "base/num.h"
#include "output/out.h"

/* Digits of numbers in tables for people: the shortest text that reads back if
 * it has no more significant digits than this, else rounded to as many. */
#define OUT_DIGITS 12
char *out_number(char s[NUM_TEXT], double x);
/* the shortest text that reads back (JSON), 17 digits (CSV); as in out_number
 * the sign of a zero is left out */
char *out_exact(char s[NUM_TEXT], double x);
char *out_digits_17(char s[NUM_TEXT], double x);

/* JSON: a number (null where it is not finite) or an array of them; n < 0
 * stands for a single number */
void out_json_number(struct buf *buf, double x);
void out_json_numbers(struct buf *buf, const double *x, size_t n);
/* rows x cols as an array of arrays; a vector when cols is 1; a number 1 x 1 */
void out_json_matrix(struct buf *buf, const double *x, size_t rows,
                     size_t cols);
/* the fields of a record as members of an object, without the braces */
void out_json_record(struct buf *buf, const imp_image *im,
                     const struct record *record, const char *command);

/* a file under o->dir in the making */
struct out_file {
    int fd;
    char *path, *temp; /* path: heap, and holds temp too */
    bool nameless;     /* until it is closed without an error */
    bool replaces;     /* a file is there already */
    uint64_t n, begun; /* bytes written; of these, on their way to the disk */
};
/* Why a file name may not stand under --out (static text), or NULL: it is
 * relative and stays below the folder. */
const char *out_file_bad_name(const char *file);
/* opens a temporary file beside the one wanted, folders included; IMP_OK, or
 * IMP_FAILED after a diagnostic (then f holds nothing) */
int out_file_open(struct output *output, struct diags *ds, imp_range where,
                  const char *file, struct out_file *f);
/* makes the folders that a file under o->dir lies in; 0 or errno */
int out_folders(const struct output *output, const char *file);
/* writes all of it: 0 or errno */
int out_file_write(struct out_file *f, const char *s, size_t n);
/* puts the file in place (error == 0) or removes it and says why; always frees
 * what f holds. IMP_OK or IMP_FAILED after a diagnostic. */
int out_file_close(struct out_file *f, struct diags *ds, imp_range where,
                   const char *file, int error);

struct out_format;
/* gnuplot: the picture as file under o->dir, in a format that takes pictures */
int out_plot_gnuplot(struct output *output, struct diags *ds, imp_range where,
                     const struct out_format *format, const char *file,
                     const char *title, const struct out_column *x,
                     const struct out_column *ys, size_t n_ys);
int out_curves_gnuplot(struct output *output, struct diags *ds, imp_range where,
                       const struct out_format *format, const char *file,
                       const char *title, const struct out_column *x,
                       const struct out_curve *curves, size_t n);
/* a script of gnuplot's; its output is the file */
int out_gnuplot(struct output *output, struct diags *ds, imp_range where,
                const char *file, const struct buf *script);
/* terminal, title, labels of the axes (y NULL: none), without a line's end */
void out_plot_head(struct buf *buf, const struct out_format *format,
                   const char *title, const struct out_column *x,
                   const struct out_column *y);
void out_plot_quoted(struct buf *buf, const char *s); /* text in a script */
/* the line that says what was plotted (JSON: with the data) */
void out_plotted(struct output *output, const char *file, const char *title,
                 bool draw, const struct out_column *x,
                 const struct out_column *ys, size_t n_ys);
/* the same for curves; z (NULL: none): the columns y and z of a map */
void out_plotted_curves(struct output *output, const char *file,
                        const char *title, bool draw,
                        const struct out_column *x, const struct out_column *z,
                        const struct out_curve *curves, size_t n);
/* characters in the terminal */
void out_plot_text(struct output *output, const char *title,
                   const struct out_column *x, const struct out_curve *curves,
                   size_t n);
/* gnuplot: curves as data $c0, $c1 ..., and how they are drawn */
void out_curves_data(struct buf *buf, const struct out_curve *curves, size_t n);
void out_levels_plot(struct buf *buf, const struct out_curve *curves, size_t n);
void out_curves_plot(struct buf *buf, const struct out_curve *curves, size_t n,
                     bool first);

/* values of a column, each once, ascending; the last at or below x */
struct out_ticks {
    double *v;
    size_t n;
};
struct out_ticks out_ticks(struct arena *arena,
                           const struct out_column *column);
size_t out_tick(const struct out_ticks *ticks, double x);

/* is there something to print as unit? Pure numbers have "" or "1". */
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
/* JSON: the unit, or an array of them like the value's */
void out_json_unit(struct buf *buf, const char *unit, size_t rows, size_t cols);

/* display cells of UTF-8 text: a code point counts one, combining marks none */
size_t out_display_width(const char *s);

#endif
