/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typed model to compiled model: bodies become blocks with motion series,
 * contacts get event functions, commands their values; all
 * as tapes of one image. */
#ifndef IMP_MECHANICS_MECH_H
#define IMP_MECHANICS_MECH_H

#include "abi/image.h"
#include "base/diag.h"
#include "check/context/typed_model.h"

/* the image, in the model's arena; NULL when ds has new errors (a level set
 * without inside, forces that couple what cannot be coupled yet ...) */
const imp_image *mech_compile(struct tm_model *model, struct diags *ds);

#endif
