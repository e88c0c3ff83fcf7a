/* SPDX-License-Identifier: MIT */
/* Writing to descriptors: the one place that knows of short writes and of
 * writes that a signal ends. */
#include "base/io.h"

#include <errno.h>
#include <unistd.h>

int
io_write(int fd, const void *bytes, size_t n)
{
    const char *s = bytes;

    while (n) {
        ssize_t w = write(fd, s, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return errno;
        s += w;
        n -= (size_t)w;
    }
    return 0;
}
