/* SPDX-License-Identifier: MIT */
/* Runs a compiled model from its image: the part that `imp run`, the REPL, the
 * C API and standalone simulators share, so that all print the same bytes.
 * Parameters by name, range checks, the run itself, exit status, printing of
 * diagnostics, Ctrl-C.
 *
 * In short:
 *     double *p = NEW_N(arena, double, driver_n_params(im) + 1);
 *     driver_defaults(im, p);
 *     if (!driver_set(im, p, "gamma", "0.4", &ds)) ...
 *     exit = driver_run(im, code, p, &options, &ds);
 *     driver_print_messages(&ds, DIAG_TEXT);
 *
 * or, to read records after the run (REPL, C API):
 *     driver_open(&d, im, code, p, &options, &ds) == IMP_EXIT_OK
 *     (hand over d.recs[i] of `done` commands)
 *     exit = driver_run_commands(&d);  ... d.recs ...  driver_close(&d);
 * driver_close must also be called after a failed driver_open. */
#ifndef IMP_ANALYSIS_DRIVER_DRIVER_H
#define IMP_ANALYSIS_DRIVER_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "analysis/command/analysis.h"
#include "base/diag.h"

struct arena;
struct sources;
struct table_h5;

struct driver_options {
    bool json;
    const char *out_dir; /* --out, or NULL */
    bool has_seed;
    double seed;      /* --seed: overrides the model's own */
    uint64_t run;     /* --run: as in this run of a sweep, starts are drawn */
    int width;        /* columns of text; 0: 80 */
    atomic_int *stop; /* nonzero: stop soon; or NULL */
    struct sweep_options sweeps;
    const struct data_columns *data; /* of driver_data, or NULL */
    /* where results go; NULL: the process's standard output. Returns 0 or an
     * errno value. */
    int (*write)(void *ctx, const char *s, size_t n);
    void *ctx;
    /* loads what writes HDF5 (output/h5.h), or NULL */
    const struct h5_api *(*hdf5)(const char **error);
    int (*picture)(void *ctx, const char *json, size_t n); /* output/out.h */
    /* loads the second engine of motion (analysis/engines/gsl_api.h), or NULL
     */
    const struct gsl_api *(*gsl)(const char **error);
    const struct out_page *(*page)(void); /* the viewer, or NULL */
    bool trace_all;       /* every `simulate` keeps its motion */
    bool trace_in_case;   /* the same, but what is stopped soon ends */
    struct rt_tier *tier; /* of driver_open: code that comes later, or NULL */
};

/* One run. Everything in it is valid from driver_open to driver_close. */
struct driver {
    const imp_image *im;
    struct diags *ds;
    struct rt *run; /* owned */
    struct output out;
    struct analysis analysis;
    struct rt_given given; /* of the run */
    struct record **recs;  /* per command; in the arena of ds */
    struct buf pending;    /* on its way to standard output */
};

uint32_t driver_n_params(const imp_image *im);
/* Returns the number of a param by name, or UINT32_MAX. */
uint32_t driver_find_param(const imp_image *im, const char *name, size_t len);
/* Puts the defaults of all params into p (SI). */
void driver_defaults(const imp_image *im, double *p);
/* Sets one param from the text of a number in SI units, or of one with its
 * unit: "3 [mm]". False after a diagnostic: no such param (with the nearest
 * name), not a number, a unit of another dimension, not finite, out of range,
 * structural and different from the compiled value. */
bool driver_set(const imp_image *im, double *p, const char *name,
                const char *text, struct diags *ds);
/* Sets one param from a number; as driver_set. */
bool driver_set_number(const imp_image *im, double *p, const char *name,
                       double x, struct diags *ds);

/* Reads the data of "NAME=FILE" in the place of those of the model. *data is
 * NULL at first, and becomes an option of the run. `sources` are those of ds;
 * all lies in the arena. hdf5 gives what reads HDF5 files, or NULL with a
 * reason in *why; NULL: nothing does. False after a diagnostic. */
bool driver_data(const imp_image *im, struct sources *sources,
                 struct arena *arena, const char *text,
                 const struct table_h5 *(*hdf5)(const char **why),
                 struct data_columns **data, struct diags *ds);

/* What writes, and what reads, HDF5 files in a simulator. NULL: *why says why
 * there is none (static text). */
const struct h5_api *driver_hdf5(const char **why);
const struct table_h5 *driver_hdf5_tables(const char **why);

/* driver_open sets the model up, driver_run_commands runs its commands. Results
 * go to the sink as they come. Diagnostics go to ds, also those of an `expect`
 * that failed and of a sink that failed (disk full, closed pipe). Both return
 * enum imp_exit. Without machine code (code NULL) the evaluator runs the model.
 */
int driver_open(struct driver *driver, const imp_image *im,
                const imp_code *code, const double *params,
                const struct driver_options *options, struct diags *ds);
int driver_run_commands(struct driver *driver);
/* Prepares another run of the same model in the same memory, after a
 * driver_open that succeeded. The caller has emptied the arena of ds, which
 * held the records of the last run. Returns as driver_open. */
int driver_restart(struct driver *driver, const double *params,
                   const struct driver_options *options);
void driver_close(struct driver *driver);
int driver_run(const imp_image *im, const imp_code *code, const double *params,
               const struct driver_options *options, struct diags *ds);

/* The source texts that are embedded in the image, with the image's file
 * numbers; in the arena. */
struct sources *driver_sources(const imp_image *im, struct arena *arena);
/* Prints all diagnostics, warnings too, to the standard error. They have colour
 * only where that is a terminal and NO_COLOR is not set. */
void driver_print_messages(const struct diags *ds, enum diag_format format);
/* The format that the word "text", "lines" or "json" names; false: none. */
bool driver_message_format(const char *word, enum diag_format *format);
/* From now on Ctrl-C and SIGTERM set the flag that is returned, and a second
 * one ends the process with exit status 3. SIGPIPE is ignored, so that writes
 * fail instead. For programs, not for the C API. */
atomic_int *driver_signals(void);

#endif
