/* SPDX-License-Identifier: MIT */
/* One number of a whole run: sup, inf, integral, first. */
#ifndef IMP_ANALYSIS_ALONG_ALONG_H
#define IMP_ANALYSIS_ALONG_ALONG_H

#include "analysis/command/command.h"

/* Follows the IMP_VAL_ALONG among n items of `record`, in the memory of the
 * run, which ends at `until`; NULL: there is none. */
struct along *along_new(struct analysis *analysis, const imp_val *item,
                        uint32_t n, double until);
/* Forgets what it has seen: the run begins again. */
void along_forget(struct along *along);
/* Takes note of the present state: call it at the start, at the end, wherever
 * the motion has come to along_reach, and before and after every event.
 * give(ctx) hands over series of the motion that stand already
 * (series_along_given). `ends`: the motion does not go on from this state, as
 * an event follows, and another look at this time. `events`: how many there
 * have been. IMP_OK, or a status after a diagnostic. */
int along_look(struct along *along, bool ends, size_t events,
               void (*give)(void *ctx), void *ctx);
/* The time of the next look, if nothing happens before: up to it the series of
 * the last look hold, or tell that nothing counts. `followed`: the motion goes
 * its way as its series says; else, before a limit whose impacts are not
 * followed, only the first holds. */
double along_reach(struct along *along, bool followed);
/* Does nothing that is told count until the next event? No look is due. */
bool along_over(const struct along *along);
/* The last impacts before a limit at this time were not followed; the look
 * there may come before or behind this. regular: the impacts
 * of these contacts keep to one law, so that the flights before them tell the
 * rest. */
void along_limit(struct along *along, double time, bool regular,
                 const uint32_t *contacts, uint32_t n);
/* An event at this contact, now. */
void along_event(struct along *along, uint32_t contact);
/* Says in `remark` what is not known exactly. */
void along_tell(struct along *along,
                void (*remark)(void *ctx, const char *text), void *ctx);
/* Sets the fields of a record. */
void along_put(struct along *along, struct record *out);

#endif
