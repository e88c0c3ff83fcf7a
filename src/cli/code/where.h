/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the files are that belong to this program: beside it (a build folder),
 * in ../lib/imp (an installation), below the folder of libimp.so, or in the
 * prefix it was configured for. */
#ifndef IMP_CLI_CODE_WHERE_H
#define IMP_CLI_CODE_WHERE_H

#include <stdbool.h>
#include <stddef.h>

#define WHERE_MAX 4096
/* The path of the file `name`; false if it is in none of these places. */
bool where_is(const char *name, char path[WHERE_MAX]);

#endif
