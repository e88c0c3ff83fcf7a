/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the room: between the files that check commands. */
#ifndef IMP_CHECK_COMMANDS_COMMANDS_PRIV_H
#define IMP_CHECK_COMMANDS_COMMANDS_PRIV_H

#include "check/commands/commands.h"
#include "check/commands/rules.h"
#include "check/expressions/expressions.h"
#include "check/model/model.h"

/* a value for a command; out must be where it stays: its unit comes later */
void val_of(struct check *ck, const struct value *value,
            const struct ast_expr *node, struct tm_val *out);
/* Makes an identifier of an expression's text: gap(touch) becomes gap_touch,
 * and -gap(touch), which must not be taken for it, minus_gap_touch. sign: an
 * index below 0 says so, b_minus_1 of b[-1]; else it is taken for an entry from
 * the end of a list, x_1 of x[-1]. */
const char *val_name(struct check *ck, const char *label, bool sign);
/* The same, with a word for each operator between two values: x - 1 becomes
 * x_minus_1 and x + 1 x_plus_1, where both have the name x_1. */
const char *val_name_in_words(struct check *ck, const char *label);
/* the value's unit is that of dim; written when all dimensions are known, so
 * out must be where it stays. NULL: none */
void val_set_unit(struct check *ck, struct tm_val *out, const struct dim *dim);
/* dimensions of all entries, exact zeros without one */
const struct dim **val_entry_dims(struct check *ck, const struct value *value);
/* A name for a column that no field of cmd and none of the items has: the name,
 * or where that is taken the words of label (may be NULL), or else a number is
 * added. */
const char *column_name(struct check *ck, const struct tm_command *cmd,
                        const struct tm_val *items, size_t count,
                        const char *name, const char *label);
/* adds a command of the model, bound to decl (or NULL); UINT32_MAX: reported */
uint32_t command_add(struct check *ck, const struct ast_item *it,
                     struct decl *decl);
/* the options, the arguments of a command; false: an error has been reported */
bool command_options(struct check *ck, uint32_t command,
                     const struct command_rules *rules,
                     const struct ast_item *it);
bool command_arguments(struct check *ck, uint32_t command,
                       const struct command_rules *rules,
                       const struct ast_item *it);
/* the entries of a tuple, or the expression itself (*whole) as the one entry */
size_t option_entries(const struct ast_expr *const *whole,
                      const struct ast_expr *node,
                      const struct ast_expr *const **list);
/* the option `record` of a run: its columns; false: reported */
bool record_option(struct check *ck, uint32_t command,
                   const struct ast_expr *node, struct tm_val *out);
/* a contact; false: reported */
bool contact_value(struct check *ck, const struct ast_expr *node,
                   struct tm_val *out);
/* what can be plotted or saved (`doing`): results, their fields and recorded
 * expressions; false: reported */
bool recorded_value(struct check *ck, const struct ast_expr *node,
                    const char *doing, struct tm_val *out);
/* may this text be the name of a file that the command, such as "save", writes
 * under --out? false: reported */
bool file_name(struct check *ck, const struct ast_expr *node, const char *text,
               const char *command);
bool file_ends(const char *file, const char *ending);
/* Is the argument of the command one run, whose motion can be kept? `what`
 * needs it, `as` is an example. false: reported */
bool command_of_run(struct check *ck, uint32_t command,
                    const struct ast_item *it, const char *what,
                    const char *as);
/* W0306 where the bounds of `param` look like two values */
void sweep_warn_of_values(struct check *ck, const struct ast_expr *node,
                          const char *param);
/* the param that a name means, or NULL after an error: "a sweep varies params"
 */
struct decl *sweep_param(struct check *ck, const struct ast_name *name,
                         enum diag_code code, const char *doing);
/* the option `record` of a sweep, once its question is known: the fields to
 * keep, or all that can be; option and columns of the record. false: reported
 */
bool sweep_record(struct check *ck, uint32_t command,
                  const struct ast_item *it);
/* Columns of a record whose dimensions are known when the command is checked: a
 * number, a list of numbers. */
void record_number(struct check *ck, uint32_t command, const char *name,
                   const char *doc, const struct dim *dim);
void record_list(struct check *ck, uint32_t command, const char *name,
                 const char *doc, const struct dim *dim);
/* The command that a sweep or `minimise` (the word) asks again and again;
 * false: reported */
bool question_option(struct check *ck, const struct ast_item *key,
                     const char *word, struct tm_val *out);
/* Is this entry of `record` one number of a whole run: sup, inf, integral,
 * first? Then *good says whether it is right, and *out, *dim are its value. */
bool along_item(struct check *ck, const struct ast_expr *node,
                struct tm_val *out, const struct dim **dim, bool *good);
/* what `show` prints of a system, of its contacts */
void system_shown(struct check *ck, const struct value *value,
                  struct tm_val *out);

#endif
