/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between model.c and doc.c. */
#ifndef IMP_CHECK_CHECK_PRIV_H
#define IMP_CHECK_CHECK_PRIV_H

#include "check/context/context.h"

/* A checker in which names are known and nothing has been checked: what the
 * documentation needs. Errors of the files are not reported. */
void check_scan(struct check *ck, const struct check_input *in);

#endif
