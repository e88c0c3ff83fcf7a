/* SPDX-License-Identifier: MIT */
/* Which runs are traced, and the files that are made of them. */
#ifndef IMP_ANALYSIS_TRACE_RUN_FILE_H
#define IMP_ANALYSIS_TRACE_RUN_FILE_H

#include "analysis/command/command.h"

/* Does `file` end as a run file does? */
bool run_file_named(const char *file);
/* Is the run of this `simulate` to be traced? Its option `trace` says so, or it
 * is saved as a run file or viewed by a later command, or all runs are. */
bool run_file_wanted(const struct analysis *analysis,
                     const imp_command *command);
/* What `save` writes under --out as a run file, `plot` as a page: the motion of
 * the one result that the command names. A status, after a diagnostic unless it
 * is IMP_OK. */
int run_file_save(struct analysis *analysis, const imp_command *command,
                  const char *file);
int run_file_view(struct analysis *analysis, const imp_command *command,
                  const char *file, const char *title);

#endif
