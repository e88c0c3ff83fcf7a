/* SPDX-License-Identifier: MIT */
/* Writing to descriptors. */
#ifndef IMP_BASE_IO_H
#define IMP_BASE_IO_H

#include <stddef.h>

/* Opens those of the descriptors 0, 1 and 2 that the caller of the program has
 * closed, so that no file that is opened later takes their place and receives
 * what is meant for a terminal. Reading from or writing to such a descriptor
 * still fails. A main calls it first. */
void io_open_standard(void);

/* Writes all n bytes, however often a signal comes between; 0 or errno. */
int io_write(int fd, const void *bytes, size_t size);

#endif
