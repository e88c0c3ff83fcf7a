/* SPDX-License-Identifier: MIT */
/* How deep bodies overlap that move on through a touch without an impact. */
#ifndef IMP_ANALYSIS_COLLISION_PENETRATION_DEPTH_H
#define IMP_ANALYSIS_COLLISION_PENETRATION_DEPTH_H

#include "analysis/collision/verdict.h"

/* Sets the fields of `classify` on depth, for C00 and C0-; the model is at the
 * touch and stays there. *remark: a sentence in the arena of the records, or
 * NULL. */
int penetration_depth_measure(struct analysis *analysis,
                              const struct touch *touch,
                              const struct verdict *verdict, struct record *out,
                              const char **remark);
/* Finds the deepest point between the times lo, where the gap falls, and hi,
 * where it rises: its time and its depth in m. The model is left there. */
int penetration_depth_refine(struct analysis *analysis, uint32_t contact,
                             double lo, double hi, double *at, double *depth);

#endif
