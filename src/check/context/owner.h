/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has something of a name that stands alone. */
#ifndef IMP_CHECK_CONTEXT_OWNER_H
#define IMP_CHECK_CONTEXT_OWNER_H

#include "check/context/context.h"

/* Does the item hold this range? */
bool item_holds(const struct ast_item *item, imp_range range);
/* What has something of this name, as it is written at the range: a body, a
 * system, a contact, data. NULL: nothing has. */
const char *holder(const struct check *ck, const struct module *module,
                   const char *name, imp_range range);

#endif
