/* SPDX-License-Identifier: MIT */
/* Writing to descriptors: the one place that knows of short writes and of
 * writes that a signal ends. */
#include "base/io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void
io_open_standard(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* the opposite of how the descriptor is used: its use fails, as it
         * would if it were closed; open gives the lowest free number, fd */
        int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        (void)got;
    }
}

int
io_write(int fd, const void *bytes, size_t size)
{
    assert(fd >= 0 && (bytes || size == 0));
    const char *s = bytes;

    while (size) {
        ssize_t w = write(fd, s, size);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return errno;
        s += w;
        size -= (size_t)w;
    }
    return 0;
}
