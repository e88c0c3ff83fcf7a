/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of a model. */
#ifndef IMP_CHECK_COMMANDS_COMMANDS_H
#define IMP_CHECK_COMMANDS_COMMANDS_H

#include "check/context/context.h"

/* all commands, in their order: each knows the records of those before it */
void check_commands(struct check *ck);
/* what can be said when the whole model has been read */
void commands_late(struct check *ck);
/* warns of keys of contacts that no command of the model reads */
void commands_unread_keys(struct check *ck);

#endif
