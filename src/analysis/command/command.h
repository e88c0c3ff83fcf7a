/* SPDX-License-Identifier: MIT */
/* What every command may use: its arguments and options, values as columns, and
 * what it says in messages. */
#ifndef IMP_ANALYSIS_COMMAND_COMMAND_H
#define IMP_ANALYSIS_COMMAND_COMMAND_H

#include "analysis/command/analysis.h"
#include "base/arena.h"

/* Records and what they hold live in the arena of the diagnostics, because they
 * are read after the run (REPL, C API). */
static inline struct arena *
record_arena(const struct analysis *analysis)
{
    return analysis->ds->arena;
}
/* short forms of the setters of the record `out` */
#define SET_NUM(f, x) record_set_number(out, f, x)
#define SET_BOOL(f, x) record_set_bool(out, f, x)
#define SET_VEC(f, x) record_set_vector(out, f, x)
#define SET_LIST(f, x, n) record_set_list(out, f, x, n)
#define SET_MAT(f, x, r, c) record_set_matrix(out, f, x, r, c)
#define SET_TEXT(f, s) record_set_text(out, f, s)
#define SET_TEXTS(f, s, n) record_set_texts(out, f, s, n)
#define SET_ABSENT(f, s) record_set_absent(out, f, s)

/* -- arguments (args.c) ---------------------------------------------------- */

static inline const imp_val *
arg_items(const struct analysis *analysis, const imp_command *command)
{
    return IMP_ARRAY(analysis->rt->im, command->args, imp_val);
}
static inline const imp_val *
val_items(const struct analysis *analysis, const imp_val *value)
{
    return IMP_ARRAY(analysis->rt->im, value->items, imp_val);
}
/* Returns the value of an option; NULL if it is not given. */
const imp_val *arg_option(const struct analysis *analysis,
                          const imp_command *command, enum imp_option_id id);
/* The numbers of a value at the present state, rows * cols of them, in SI
 * units. IMP_OK, or a status after a diagnostic. */
int arg_numbers(struct analysis *analysis, const imp_val *value, double *out);
/* One text of a list of texts, for a value that names one (IMP_VAL_FIELD with a
 * row). It belongs to the record. IMP_FAILED after a diagnostic. */
int arg_text_entry(struct analysis *analysis, const imp_val *value,
                   const char **text);
/* Reads a NUM option as one number, or dflt when it is not given; as
 * arg_numbers. */
int arg_number(struct analysis *analysis, const imp_command *command,
               enum imp_option_id id, double dflt, double *out);
/* Reads a NUM option that is an instant of the motion (s); NaN when it is not
 * given. As arg_numbers; E0705 below 0. */
int arg_instant(struct analysis *analysis, const imp_command *command,
                enum imp_option_id id, double *out);
/* Returns the number of the contact that argument i names. */
uint32_t arg_contact(const struct analysis *analysis,
                     const imp_command *command, uint32_t i);
/* Puts what the tape of the value reads from contacts and earlier records into
 * the environment. IMP_OK, or a status after a diagnostic. */
int arg_ready(struct analysis *analysis, const imp_val *value);
/* Is it a list without entries, as the range 3 .. 2 is? */
bool arg_is_empty(const imp_val *value);
/* Evaluates the tape of the value. A result that is not finite gives the
 * diagnostic of I5. */
int arg_eval(struct analysis *analysis, const imp_val *value, double *out);
/* Returns the record that a result or a field belongs to; NULL after a
 * diagnostic when its command has not been run. */
const struct record *arg_record(struct analysis *analysis,
                                const imp_val *value);
/* Returns the text of a TEXT or WORD option, or dflt. */
const char *arg_text(const struct analysis *analysis,
                     const imp_command *command, enum imp_option_id id,
                     const char *dflt);
/* Does any tape of the model read this param? */
bool model_reads_param(const imp_image *im, uint32_t param);

/* -- answers (answer.c) -----------------------------------------------------
 */

/* Returns "r = impact a, b": the name of the result, if there is one, and the
 * words of the command; in the run's memory. */
const char *command_label(const struct analysis *analysis,
                          const imp_command *command);
/* Adds the diagnostic of a runtime call that failed, where none was given yet.
 * `what` says what was being calculated. Returns the status of the command. */
int command_failed(struct analysis *analysis, int status, imp_range where,
                   const char *what);

/* -- columns (columns.c) --------------------------------------------------- */

struct columns {
    struct out_column *v;
    size_t n, cap;
    bool texts; /* columns of texts are wanted as well as numbers */
};
/* Appends the columns of a value (a field, a recorded column, a whole record),
 * in the memory of the run. *time, if not NULL, becomes the natural horizontal
 * axis of the record, if it has one. IMP_OK, or a status after a diagnostic. */
int columns_of_value(struct analysis *analysis, const imp_val *value,
                     struct columns *cols, struct out_column *time);
/* Puts the columns of one field of a record, numbers or texts, into v, which
 * has room for all entries of a row. Returns how many they are. */
size_t columns_of_field(struct analysis *analysis, const struct record *record,
                        size_t field, struct out_column *v);

#endif
