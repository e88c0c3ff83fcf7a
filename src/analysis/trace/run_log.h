/* SPDX-License-Identifier: MIT */
/* What a traced run keeps while it goes, beside the pieces of its motion
 * (runtime/trace): events, energies, forces. At its end all of it becomes the
 * bytes of a run file. */
#ifndef IMP_ANALYSIS_TRACE_RUN_LOG_H
#define IMP_ANALYSIS_TRACE_RUN_LOG_H

#include "analysis/command/command.h"

/* Bytes that the pieces of one run may take; beyond that the motion is no
 * longer kept, and a warning says from when on. */
#define RUN_LOG_LIMIT ((size_t)256 << 20)

struct run_log;

/* Begins to trace the run at its start. Owned by the caller, on the heap. */
struct run_log *run_log_new(struct analysis *analysis, size_t limit);
/* Ends the trace, if it has not ended, and frees all. NULL is allowed. */
void run_log_free(struct run_log *log);

/* Writes down bodies, contacts and joints as they are at the start, which is
 * now: after the run is set up, before it moves. */
void run_log_begin(struct run_log *log);
/* A point (m, world axes) at which the next event of this contact acts, with
 * the normal from the first to the second body and the impulse (N s). */
void run_log_point(struct run_log *log, uint32_t contact, const double at[3],
                   const double normal[3], double impulse);
struct impact_of_run;
/* The same for point `c` of the problem of an impact. */
void run_log_impact(struct run_log *log, const struct impact_of_run *problem,
                    int c, double impulse);
/* An event now. `kind` and `class` must outlive the log. If no point was told,
 * the closest points of the contact are taken. body: of a contact that stands
 * for all pairs, the two that it is between now; else NULL may be. */
void run_log_event(struct run_log *log, uint32_t contact, const uint32_t *body,
                   const char *kind, const char *class, double impulse);
/* Keeps the energies and the forces of closed contacts at the present state,
 * unless it was kept just now. */
void run_log_instant(struct run_log *log);
/* The end of the run at the present state: puts the bytes of the run file into
 * the record of its command, whose other fields are set. A run that Ctrl-C has
 * stopped, and whose motion is long, keeps it only if someone has asked for it.
 */
void run_log_end(struct run_log *log, double until, struct record *out);

#endif
