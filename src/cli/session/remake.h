/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session's model with other values of its structural params, for sweeps. */
#ifndef IMP_CLI_SESSION_REMAKE_H
#define IMP_CLI_SESSION_REMAKE_H

#include "cli/session/session.h"

/* The maker of models for a session that is compiled; it lies in the session's
 * memory. */
const struct model_maker *session_maker(struct session *session);

#endif
