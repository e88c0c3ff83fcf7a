/* SPDX-License-Identifier: MIT */
/* Where results go: stdout (or a callback), and files under --out. Everything
 * printed is a function of the model and its params alone: no time, no path,
 * no thread count. A write that fails is remembered and becomes a diagnostic
 * (disk full, closed pipe) and exit 3. */
#ifndef IMP_OUTPUT_OUT_H
#define IMP_OUTPUT_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "runtime/instance/record.h"

struct h5_api;

struct output {
    int (*write)(void *ctx, const char *s, size_t n); /* nonzero: errno */
    void *ctx;
    bool json;
    const char *dir; /* --out, or NULL: nothing is written, plots are text */
    int error;       /* errno of the first failed write */
    int width;       /* columns of text output; 80 unless told */
    /* what writes HDF5 (output/h5.h); NULL where nothing does; returns NULL and
     * *error when it cannot be loaded */
    const struct h5_api *(*hdf5)(const char **error);
    /* what files say about their origin; im NULL: nothing */
    const imp_image *im;
    const double *params;
    double seed;
};
void out_write(struct output *output, const char *s, size_t n);
/* IMP_OK, or IMP_FAILED after a diagnostic when a write has failed */
int out_check(const struct output *output, struct diags *ds);

/* a bound command's record as JSON line (json mode), and as text for `show` */
void out_record_json(struct output *output, const imp_image *im,
                     const struct record *record);
void out_record_text(struct output *output, const imp_image *im,
                     const struct record *record, const char *label);
/* the same JSON for `show r`: its command is "show", so that a reader who looks
 * for one answer finds one */
void out_record_shown(struct output *output, const imp_image *im,
                      const struct record *record, const char *label);
/* Units of entries with units of their own stand in one text, row by row:
 * "1/s;1/s;m/s", "1" for a pure number and "" for an exact 0. This is the part
 * of entry k, of *n bytes; a text without `;` is the unit of all. */
const char *out_unit(const char *unit, size_t k, size_t *n);
/* numbers of a `show` expression */
void out_value(struct output *output, const char *label, const char *unit,
               const double *x, size_t rows, size_t cols, bool truth);
void out_field(struct output *output, const imp_image *im,
               const struct record *record, size_t field, const char *label);

/* one line that says what was not done, in both modes: {"command": ...} */
void out_not_written(struct output *output, const char *command,
                     const char *file);

/* columns of numbers: plots and files */
struct out_column {
    const char *name, *unit;
    const double *x; /* NaN: no value there */
    size_t n;
    const char *const *texts; /* a column of texts instead; NULL */
};
/* what a format of files takes: columns of data, or a picture */
enum out_takes { OUT_COLUMNS, OUT_PICTURE };
/* the ending of the default format, with its dot; static text */
const char *out_default_ending(enum out_takes takes);
/* Can data be saved under this name? IMP_OK, IMP_BADMODEL or IMP_FAILED after
 * a diagnostic */
int out_save_name(const struct output *output, struct diags *ds,
                  imp_range where, const char *file);
/* a file under o->dir cannot be written: errno as diagnostic */
void out_cannot_write(struct diags *ds, imp_range where, const char *file,
                      int error);
/* text plot to the sink, or SVG/PNG through gnuplot when o->dir is set and
 * file != NULL. IMP_OK or IMP_FAILED after a diagnostic at `where` */
int out_plot(struct output *output, struct diags *ds, imp_range where,
             const char *file, const char *title, const struct out_column *x,
             const struct out_column *ys, size_t n_ys);
/* a curve with an x of its own; NaN: it ends here and goes on behind */
struct out_curve {
    struct out_column x, y; /* of one length; y has the name */
    const char *level;      /* a level line: what is written on it; NULL */
};
/* The same for curves; x names the axis. */
int out_curves(struct output *output, struct diags *ds, imp_range where,
               const char *file, const char *title, const struct out_column *x,
               const struct out_curve *curves, size_t n);
/* The same for a map: z, numbers or texts, over x and y, all of one length, and
 * curves on it. */
int out_map(struct output *output, struct diags *ds, imp_range where,
            const char *file, const char *title, const struct out_column *x,
            const struct out_column *y, const struct out_column *z,
            const struct out_curve *curves, size_t n);
/* Level lines of z over x and y, one curve per level into v. False: the points
 * are no grid. */
bool out_contours(struct arena *arena, const struct out_column *x,
                  const struct out_column *y, const struct out_column *z,
                  const double *level, size_t n, struct out_curve *curves);
/* round levels between the smallest and the greatest value; how many */
#define OUT_LEVELS 16
size_t out_levels(const struct out_column *z, double level[OUT_LEVELS]);
/* the first columns of a sweep: params that vary, of which the first n_axes run
 * over a grid, the last fastest (0: the rows are no whole grid) */
struct out_grid {
    size_t n_varying, n_axes;
    const uint64_t *shape;
    int threads; /* that may write */
};
/* The columns as one file, whose format the ending of its name says
 * (formats.def); atomically (temporary file and rename) under o->dir. grid
 * NULL: no sweep. IMP_OK, or a status after a diagnostic at `where`. */
int out_save_grid(struct output *output, struct diags *ds, imp_range where,
                  const char *file, const struct out_column *cols,
                  size_t n_cols, const struct out_grid *grid);
int out_save(struct output *output, struct diags *ds, imp_range where,
             const char *file, const struct out_column *cols, size_t n_cols);

#endif
