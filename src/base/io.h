/* SPDX-License-Identifier: MIT */
/* Writing to descriptors. */
#ifndef IMP_BASE_IO_H
#define IMP_BASE_IO_H

#include <stddef.h>

/* Writes all n bytes, however often a signal comes between; 0 or errno. */
int io_write(int fd, const void *bytes, size_t size);

#endif
