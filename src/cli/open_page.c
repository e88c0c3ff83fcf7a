/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of `imp view` and `imp replay` (open_page.h). */
#include "cli/open_page.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"

extern char **environ;

int
page_read(const char *path, char **bytes, size_t *n)
{
    assert(path != NULL && bytes != NULL && n != NULL);
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
    *bytes = NULL;
    *n = 0;
    if (fd < 0)
        return errno;
    if (fstat(fd, &st))
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (!error)
        *bytes = mem_alloc((size_t)st.st_size + 1);
    while (!error && *n < (size_t)st.st_size) {
        ssize_t got = read(fd, *bytes + *n, (size_t)st.st_size - *n);
        if (got == 0)
            break;
        if (got > 0)
            *n += (size_t)got;
        else if (errno != EINTR)
            error = errno;
    }
    close(fd);
    return error;
}

int
page_write(const char *path, const char *bytes, size_t n)
{
    assert(path != NULL && bytes != NULL);
    size_t room = strlen(path) + 8;
    char *temp = mem_alloc(room);
    snprintf(temp, room, "%s.XXXXXX", path);
    int fd = mkostemp(temp, O_CLOEXEC), error = fd < 0 ? errno : 0;
    if (!error)
        error = io_write(fd, bytes, n);
    if (!error && fchmod(fd, 0644))
        error = errno;
    if (fd >= 0 && close(fd) && !error)
        error = errno;
    if (!error && rename(temp, path))
        error = errno;
    if (error && fd >= 0)
        unlink(temp);
    free(temp);
    return error;
}

void
page_open(const char *path)
{
    assert(path != NULL);
    char *words[] = {"xdg-open", (char *)(size_t)path, NULL};
    pid_t child;
    if (!isatty(STDOUT_FILENO) ||
        (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")))
        return;
    if (!posix_spawnp(&child, words[0], NULL, NULL, words, environ))
        (void)waitpid(child, NULL, 0);
}
