/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The handle of the C API. */
#ifndef IMP_CLI_API_PRIV_H
#define IMP_CLI_API_PRIV_H

#include <stdatomic.h>

#include "base/buf.h"
#include "cli/session/session.h"
#include "imp/imp.h"

struct imp {
    struct session s;
    struct session aside; /* for reading a value with a unit */
    struct session_options o;
    char *dir;         /* owned; o.dir */
    char *name, *text; /* the model's text, owned */
    size_t n_text;
    bool ready; /* s holds the checked and compiled model */
    struct {
        struct session_set *v;
        size_t n, cap;
    } sets; /* names and texts owned */
    struct buf out, diags;
    atomic_int stop;
};

#endif
