/* SPDX-License-Identifier: MIT */
/* Where results go: the standard output or a callback, and files under --out.
 * Everything that is printed is a function of the model, its params and the
 * seed; no time, no path and no number of threads shows (I7). The first write
 * that fails (disk full, closed pipe) is remembered and becomes a diagnostic.
 */
#ifndef IMP_OUTPUT_OUT_H
#define IMP_OUTPUT_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "runtime/instance/record.h"

struct h5_api;

struct output {
    int (*write)(void *ctx, const char *s, size_t n); /* 0 or errno */
    void *ctx;
    bool json;
    const char *dir; /* --out, or NULL: nothing is written, plots are text */
    int error;       /* errno of the first failed write */
    int width;       /* columns of text output */
    /* Loads what writes HDF5 (output/h5.h); NULL where nothing does. It returns
     * NULL and *error when it cannot be loaded. */
    const struct h5_api *(*hdf5)(const char **error);
    /* The page that shows a run; NULL where there is none (a simulator). */
    const struct out_page *(*page)(void);
    /* Takes every plot as one JSON object, instead of text and gnuplot; NULL:
     * nobody does. 0 or errno. */
    int (*picture)(void *ctx, const char *json, size_t n);
    /* what files state about their origin; im NULL: nothing */
    const imp_image *im;
    const double *params;
    double seed;
};
void out_write(struct output *output, const char *text, size_t n);
/* Why files cannot be written under this folder, which need not be there yet:
 * errno, or 0. A disk that is full is seen by writing alone. */
int out_folder_wrong(const char *dir);
/* IMP_OK, or IMP_FAILED after a diagnostic when a write has failed */
int out_check(const struct output *output, struct diags *ds);

/* the record of a command, as a line of JSON or as text under a label */
void out_record_json(struct output *output, const imp_image *im,
                     const struct record *record);
void out_record_text(struct output *output, const imp_image *im,
                     const struct record *record, const char *label);
/* The JSON of `show r`. Its command is "show", so that the answer of the
 * command itself comes only once. */
void out_record_shown(struct output *output, const imp_image *im,
                      const struct record *record, const char *label);
/* Where entries have units of their own these stand in one text, row by row:
 * "1/s;1/s;m/s", with "1" for a pure number and "" for an exact 0. Returns the
 * part of entry k, which has *n bytes. A text without `;` is the unit of all
 * entries. */
const char *out_unit(const char *unit, size_t k, size_t *n);
/* the numbers of an expression that `show` prints */
void out_value(struct output *output, const char *label, const char *unit,
               const double *x, size_t rows, size_t cols, bool truth);
void out_field(struct output *output, const imp_image *im,
               const struct record *record, size_t field, const char *label);

/* the line that says that a file was not written, because there is no --out */
void out_not_written(struct output *output, const char *command,
                     const char *file);

/* a column of numbers or of texts, for plots and files */
struct out_column {
    const char *name, *unit;
    const double *x; /* NaN: no value there */
    size_t n;
    const char *const *texts; /* a column of texts instead; NULL */
};
/* what a format of files takes: columns of data, a picture, the motion of a run
 * as it is, or on a page that shows it */
enum out_takes { OUT_COLUMNS, OUT_PICTURE, OUT_MOTION, OUT_VIEW };
/* the ending of the default format, with its dot; static text */
const char *out_default_ending(enum out_takes takes);
/* Can columns be saved under this name? IMP_OK, or IMP_BADMODEL or IMP_FAILED
 * after a diagnostic. */
int out_save_name(const struct output *output, struct diags *ds,
                  imp_range where, const char *file);
/* what to do about errno `error` of something that cannot be written; NULL: that
 * depends on what it is */
const char *out_remedy(int error);
/* the diagnostic of a file under --out that cannot be written, because of errno
 * `error` */
void out_cannot_write(struct diags *ds, imp_range where, const char *file,
                      int error);
/* Plots ys over x: as SVG or PNG through gnuplot where there is --out and
 * `file` is not NULL, or else as text. IMP_OK, or a status after a diagnostic
 * at `where`. */
int out_plot(struct output *output, struct diags *ds, imp_range where,
             const char *file, const char *title,
             const struct out_column *x_axis, const struct out_column *ys,
             size_t n_ys);
/* A curve with places of its own. At a NaN it is interrupted. */
struct out_curve {
    struct out_column x, y; /* of the same length; y has the name */
    const char *level; /* what is written on a level line; NULL: it is none */
};
/* The same for curves; x and y give the axes their names and units, without y
 * the curves do. */
int out_curves(struct output *output, struct diags *ds, imp_range where,
               const char *file, const char *title,
               const struct out_column *x_axis, const struct out_column *y_axis,
               const struct out_curve *curves, size_t n);
/* The same for a map: z, which is numbers or texts, over x and y, all of the
 * same length, with curves on it. */
int out_map(struct output *output, struct diags *ds, imp_range where,
            const char *file, const char *title,
            const struct out_column *x_axis, const struct out_column *y_axis,
            const struct out_column *values, const struct out_curve *curves,
            size_t n);
/* Level lines of z over x and y; v gets one curve per level. False: the points
 * are no grid. */
bool out_contours(struct arena *arena, const struct out_column *x_axis,
                  const struct out_column *y_axis,
                  const struct out_column *values, const double *level,
                  size_t n, struct out_curve *curves);
/* round levels between the smallest and the greatest value; returns how many */
#define OUT_LEVELS 16
size_t out_levels(const struct out_column *values, double level[OUT_LEVELS]);
/* The first n_varying columns of a sweep are params that vary. The first n_axes
 * of these are the axes of a grid, the last axis fastest; 0: the rows are no
 * complete grid. */
struct out_grid {
    size_t n_varying, n_axes;
    const uint64_t *shape;
    int threads; /* threads that may make the rows */
};
/* The columns as one file, whose format the ending of its name says
 * (formats.def); atomically (temporary file and rename) under --out. grid
 * NULL: no sweep. IMP_OK, or a status after a diagnostic at `where`. */
int out_save_grid(struct output *output, struct diags *ds, imp_range where,
                  const char *file, const struct out_column *cols,
                  size_t n_cols, const struct out_grid *grid);
int out_save(struct output *output, struct diags *ds, imp_range where,
             const char *file, const struct out_column *cols, size_t n_cols);

/* The bytes of a run file, whose name ends in .imprun, under --out. IMP_OK, or
 * a status after a diagnostic at `where`. */
int out_save_bytes(struct output *output, struct diags *ds, imp_range where,
                   const char *file, const void *bytes, size_t n);
/* The parts of the page that shows a run (src/view), and of the one that shows
 * a plot: texts that end in 0. */
struct out_page {
    const char *style, *body, *script;
    const char *plot_body, *plot_script;
};
/* A page, whose name ends in .html, that holds a run file and shows it, under
 * --out. The same. */
int out_view(struct output *output, struct diags *ds, imp_range where,
             const char *file, const char *title, const void *run, size_t n);
/* Appends that page to a text. */
void out_page_put(struct buf *buf, const struct out_page *page,
                  const char *title, const void *run, size_t n);

#endif
