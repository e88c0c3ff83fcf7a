/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a user names outright: a model that is formatted, what `:save`
 * writes, pages of runs. */
#ifndef IMP_CLI_SESSION_PUT_FILE_H
#define IMP_CLI_SESSION_PUT_FILE_H

#include <stddef.h>

/* Writes n bytes into the file, whole or not at all: where the disk is full the
 * file that was there stays as it was. It is written beside its place and then
 * renamed. A file that is replaced keeps its mode; a link is followed, so that
 * the file which it leads to is replaced, not the link; a device or a pipe is
 * written as it is. Returns 0 or errno. */
int cli_put_file(const char *path, const char *bytes, size_t n);

#endif
