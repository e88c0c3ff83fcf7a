/* SPDX-License-Identifier: MIT */
/* The coefficients of a block's motion at the present instant, and nothing
 * else: how long they hold is asked of motion_step.c, switching.c and
 * crossing.c. */
#ifndef IMP_RUNTIME_MOTION_MOTION_ROWS_H
#define IMP_RUNTIME_MOTION_MOTION_ROWS_H

#include "runtime/instance/run.h"

/* Makes the series of a block to this order, into run->work[block]. IMP_OK;
 * IMP_NONFINITE, which is not told yet; IMP_FAILED after a diagnostic; or the
 * status of a tape. */
int motion_rows(struct rt *run, uint32_t block, int order);
/* Makes the diagnostic of IMP_NONFINITE, at the state and the order of the last
 * motion_rows. */
void motion_rows_nonfinite(struct rt *run, uint32_t block, int order);

#endif
