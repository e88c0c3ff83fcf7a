/* SPDX-License-Identifier: MIT */
/* Another start of a model of which only restitutions have changed, as in a row
 * of a sweep: what set-up made of all other params stays. rt_laws (run.h) is
 * answered here, too. */
#ifndef IMP_RUNTIME_SETUP_RESTART_H
#define IMP_RUNTIME_SETUP_RESTART_H

#include "runtime/instance/run.h"

/* rt_setup has been done with these params: keeps what came of it, for the
 * starts to come. Does nothing where no param is one of restitutions alone. */
void restart_note(struct rt *run);
/* Environment and world as rt_setup would make them, to the last bit; false:
 * more than restitutions has changed since restart_note, or one of them is out
 * of range, and nothing was done. */
bool restart_laws(struct rt *run, const double *params);

#endif
