/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does rounding decide by how much two runs differ? The program itself is
 * asked: `engine = perturbed` says what of a run a start tells that is moved by
 * some roundings. */
#ifndef SOAK_ROUNDING_H
#define SOAK_ROUNDING_H

#include "compare.h"

/* Sets finding->rounding, and says why in finding->text, if the record of one
 * of the two models says that its run differs from that of a moved start by as
 * much as the two runs do, until the same time. Where it is far less, the
 * finding stays what it is. */
void rounding_ask(const struct runner *runner, const struct model *model,
                  const struct model *other, const struct frame *frame,
                  struct finding *finding);

#endif
