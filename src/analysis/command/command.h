/* SPDX-License-Identifier: MIT */
/* Shared inside the analysis room: the commands, arguments, and what every
 * question about a touch has in common. */
#ifndef IMP_ANALYSIS_COMMAND_COMMAND_H
#define IMP_ANALYSIS_COMMAND_COMMAND_H

#include "analysis/command/analysis.h"
#include "base/arena.h"

/* records and what they hold live in the arena of the diagnostics: they are
 * read after the run (REPL, C API) */
static inline struct arena *
record_arena(const struct analysis *analysis)
{
    return analysis->ds->arena;
}
/* short forms of the record setters */
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
/* the value of an option; NULL if it is not given */
const imp_val *arg_option(const struct analysis *analysis,
                          const imp_command *command, enum imp_option_id id);
/* numbers of a value at the present state (fills slots, gaps) */
int arg_numbers(struct analysis *analysis, const imp_val *value, double *out);
/* NUM option as one number, or dflt */
int arg_number(struct analysis *analysis, const imp_command *command,
               enum imp_option_id id, double dflt, double *out);
/* the contact a CONTACT argument names */
uint32_t arg_contact(const struct analysis *analysis,
                     const imp_command *command, uint32_t i);
/* fills the contact entries and slots a value's tape reads */
int arg_ready(struct analysis *analysis, const imp_val *value);
/* the tape of a value, with the diagnostic of I5 */
int arg_eval(struct analysis *analysis, const imp_val *value, double *out);
/* the record a result or field belongs to; NULL after a diagnostic when it is
 * not there */
const struct record *arg_record(struct analysis *analysis,
                                const imp_val *value);
/* TEXT or WORD option, or dflt */
const char *arg_text(const struct analysis *analysis,
                     const imp_command *command, enum imp_option_id id,
                     const char *dflt);
/* Does any tape of the model read this param? */
bool model_reads_param(const imp_image *im, uint32_t param);

/* -- answers (answer.c) -----------------------------------------------------
 */

/* "r = impact a, b": the name of the result, if there is one, and the words of
 * the command; in the run's memory */
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
    bool texts; /* columns of texts are wanted, too */
};
/* appends the columns of a value (fields, recorded columns, whole records), in
 * the run's memory; `time`, if not NULL, receives the natural horizontal axis
 * (n = 0: none) */
int columns_of_value(struct analysis *analysis, const imp_val *value,
                     struct columns *cols, struct out_column *time);
/* the columns of one field of a record, texts too, into v; how many */
size_t columns_of_field(struct analysis *analysis, const struct record *record,
                        size_t field, struct out_column *v);


#endif
