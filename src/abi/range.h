/* SPDX-License-Identifier: MIT */
/* A source range: bytes [lo, hi) of file number `file` (1-based; 0 = none). */
#ifndef IMP_ABI_RANGE_H
#define IMP_ABI_RANGE_H
#include <stdint.h>

typedef struct imp_range {
    uint32_t file, lo, hi;
} imp_range;

#define IMP_NOWHERE ((imp_range){0, 0, 0})

#endif
