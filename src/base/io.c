/* SPDX-License-Identifier: MIT */
/* Writing to descriptors: the one place that knows of short writes and of
 * writes that a signal ends. */
#include "base/io.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

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
