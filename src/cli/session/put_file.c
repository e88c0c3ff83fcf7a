/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that appear whole or not at all (put_file.h). */
#include "cli/session/put_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"

/* writes what has no other file in its place: a device, a pipe */
static int
put_in_place(const char *path, const char *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return errno;
    int error = io_write(fd, bytes, n);
    if (close(fd) && !error)
        error = errno;
    return error;
}

/* the mode that a new file gets from the user's mask */
static mode_t
new_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666u & ~mask;
}

static int
put_beside(const char *target, mode_t mode, const char *bytes, size_t n)
{
    size_t room = strlen(target) + 8;
    char *beside = mem_alloc(room);
    snprintf(beside, room, "%s.XXXXXX", target);
    int fd = mkostemp(beside, O_CLOEXEC), error = fd < 0 ? errno : 0;
    if (!error && fchmod(fd, mode))
        error = errno;
    if (!error)
        error = io_write(fd, bytes, n);
    if (!error && fsync(fd) && errno != EINVAL)
        error = errno;
    if (fd >= 0 && close(fd) && !error)
        error = errno;
    if (!error && rename(beside, target))
        error = errno;
    if (error && fd >= 0)
        unlink(beside);
    free(beside);
    return error;
}

int
cli_put_file(const char *path, const char *bytes, size_t n)
{
    assert(path != NULL && (bytes != NULL || n == 0));
    struct stat st;
    bool there = !stat(path, &st);
    if (there && S_ISDIR(st.st_mode))
        return EISDIR;
    if (there && !S_ISREG(st.st_mode))
        return put_in_place(path, bytes, n);
    char *real = there ? realpath(path, NULL) : NULL;
    int error = put_beside(real ? real : path,
                           there ? st.st_mode & 07777 : new_mode(), bytes, n);
    free(real);
    return error;
}
