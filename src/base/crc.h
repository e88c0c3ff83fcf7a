/* SPDX-License-Identifier: MIT */
/* CRC-32 (ISO 3309, as in zip and PNG files). */
#ifndef IMP_BASE_CRC_H
#define IMP_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of n bytes behind others that have the checksum `before`; of no
 * bytes it is 0. */
uint32_t crc32_of(uint32_t before, const void *bytes, size_t n);

#endif
