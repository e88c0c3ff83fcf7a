/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The C API of Imp: load a model, set parameters, run it, read what it said.
 * A handle owns everything it gives out; pointers returned stay valid until
 * the next call on the same handle. Handles are independent: use several at
 * once, each in one thread at a time. Nothing is global. No function exits,
 * prints, or raises a signal. NULL where none is spoken of, as a handle too, is
 * refused: IMP_MODEL_WRONG, NULL, or an empty text. */
#ifndef IMP_IMP_H
#define IMP_IMP_H

#include <stddef.h>

#if defined(__GNUC__)
#define IMP_API __attribute__((visibility("default")))
#else
#define IMP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct imp imp;

/* status of every call: the exit status `imp run` would have */
enum { IMP_FINE = 0, IMP_EXPECT_FAILED = 1, IMP_MODEL_WRONG = 2,
       IMP_RUN_FAILED = 3 };

IMP_API imp *imp_new(void);        /* NULL when out of memory */
IMP_API void imp_free(imp *h);     /* NULL is fine */

/* backend: "auto" (default; machine code once it pays), "jit" or "eval"; opt:
 * 0, 1, 2, which asks for "jit" unless "eval" was said; json: 0 or 1; out: folder
 * for files or NULL; cache: 1 (default) or 0; diagnostics: "text" (default),
 * "lines", "json"; seed: a whole number; threads: of sweeps, 1 to 256 (default:
 * as many as processors). Unknown key or value: IMP_MODEL_WRONG, and
 * imp_diagnostics says what there is. */
IMP_API int imp_option(imp *h, const char *key, const char *value);

/* parses and checks; replaces the model loaded before, also where this one is
 * wrong or cannot be read */
IMP_API int imp_load_file(imp *h, const char *path);
IMP_API int imp_load_text(imp *h, const char *name, const char *text, size_t n);
/* value in SI units, or with a unit as text: imp_set_text(h, "a", "3 [mm]") */
IMP_API int imp_set(imp *h, const char *param, double value);
IMP_API int imp_set_text(imp *h, const char *param, const char *value);

/* runs all commands */
IMP_API int imp_run(imp *h);
/* asks a running imp_run or imp_load_..., from any thread or signal handler, to
 * stop soon */
IMP_API void imp_stop(imp *h);

/* what the last calls printed; never NULL */
IMP_API const char *imp_output(const imp *h, size_t *n);
IMP_API const char *imp_diagnostics(const imp *h, size_t *n);

/* a number of a result: `r.field` where the model says `let r = simulate ...`
 * (or another command), with [index] of lists, which counts from 0, or from the
 * end below 0; 0 and *x set, or IMP_MODEL_WRONG when there is no such number.
 * Results are those of the last imp_run, until a model is loaded or a param is
 * set. What a model calculates from results (`let k = r.t[-1] - r.t[0]`) is in
 * imp_output where the model shows it. */
IMP_API int imp_get(const imp *h, const char *path, double *x);
IMP_API const char *imp_get_text(const imp *h, const char *path); /* or NULL */
/* how many numbers or texts `r.field` has: 1, or one per entry of a list. The
 * rows of matrices and of lists of vectors stand one behind the other, with
 * *width numbers each (else 1; width may be NULL): entry j of row i is
 * `r.field[i*width + j]`. 0: there is no such result, or it is empty */
IMP_API size_t imp_count(const imp *h, const char *path, size_t *width);
/* all numbers of `r.field` in this order, imp_count of them; or NULL */
IMP_API const double *imp_get_list(const imp *h, const char *path);

IMP_API const char *imp_version(void);

#ifdef __cplusplus
}
#endif
#endif
