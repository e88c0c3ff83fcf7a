/* SPDX-License-Identifier: MIT */
/* Which runs are traced, and the files that are made of them. */
#ifndef IMP_ANALYSIS_TRACE_RUN_FILE_H
#define IMP_ANALYSIS_TRACE_RUN_FILE_H

#include "analysis/command/command.h"

/* Does `file` end as a run file does? */
bool run_file_named(const char *file);
/* Is the run of this `simulate` to be traced, because someone asks for its
 * motion or may do so later? */
bool run_file_wanted(const struct analysis *analysis,
                     const imp_command *command);
/* Does someone ask for the motion of this `simulate`: its option `trace`, a
 * later command, or who runs the model? False where it is only kept in case. */
bool run_file_asked(const struct analysis *analysis,
                    const imp_command *command);
/* What `save` writes under --out as a run file, `plot` as a page: the motion of
 * the one result that the command names. A status, after a diagnostic unless it
 * is IMP_OK. */
int run_file_save(struct analysis *analysis, const imp_command *command,
                  const char *file);
int run_file_view(struct analysis *analysis, const imp_command *command,
                  const char *file, const char *title);

#endif
