/* SPDX-License-Identifier: MIT */
/* Another start of a model of which only restitutions have changed, as in a row
 * of a sweep: what set-up made of all other params stays. rt_laws (run.h) is
 * answered here, too. */
#ifndef IMP_RUNTIME_SETUP_RESTART_H
#define IMP_RUNTIME_SETUP_RESTART_H

#include "runtime/instance/run.h"

/* Keeps what rt_setup has made of these params, for the starts to come. Does
 * nothing where no param reaches restitutions alone. */
void restart_note(struct rt *run);
/* Makes environment and world as rt_setup would, to the last bit. Returns
 * false, and does nothing, if more than restitutions has changed since
 * restart_note, or if one of them is out of range. */
bool restart_laws(struct rt *run, const double *params);

#endif
