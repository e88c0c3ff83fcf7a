/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4): keys and checksums of the object cache. */
#ifndef IMP_CLI_CODE_SHA256_H
#define IMP_CLI_CODE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32
struct sha256 {
    uint32_t h[8];
    uint64_t n; /* bytes so far */
    unsigned char block[64];
};
void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *p, size_t n);
void sha256_end(struct sha256 *sha, unsigned char out[SHA256_SIZE]);

#endif
