/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checker: parsed files become the typed model of
 * check/context/typed_model.h, or diagnostics; and the documentation of every
 * name that a model can use. */
#ifndef IMP_CHECK_CHECK_H
#define IMP_CHECK_CHECK_H

#include "check/context/check_input.h"
#include "check/context/stdlib.h"
#include "check/context/typed_model.h"

/* the typed model, or NULL when ds has errors */
struct tm_model *check_model(const struct check_input *in);
/* After syntax errors: adds what can be said about the rest without guessing,
 * which is clashes of dimensions and unknown units. What was not understood
 * may have declared any name, so nothing is said about names. */
void check_rest(const struct check_input *in);

/* documentation of a name for `?name`, `imp doc`: declarations of the files
 * and of the standard library, commands, options, fields, functions, units,
 * keywords. Appends text; false if unknown (then `near` gets suggestions) */
struct buf;
bool check_doc(const struct check_input *in, const char *name, struct buf *out);
/* every name known in this context, for completion; kind is what it is: a kind
 * of declaration ("body", "shape", ...), "name", "keyword", "unit", "command",
 * "function", "field" (of a record), "body {" for a key of its block (also of
 * contact, world, shape and commands), "body ." for a part of it */
void check_names(const struct check_input *in,
                 void (*each)(void *ctx, const char *kind, const char *name),
                 void *ctx);
/* every coordinate ("coordinate"), contact ("contact"), let and point ("name")
 * of the system of this name, and of the pattern that it is made of */
void check_parts(const struct check_input *in, const char *system,
                 void (*each)(void *ctx, const char *kind, const char *name),
                 void *ctx);
/* every term of the field that check_doc explains; kind is "term" */
void check_terms(void (*each)(void *ctx, const char *kind, const char *name),
                 void *ctx);

#endif
