/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256, written from FIPS 180-4 (section numbers below). */
#include "cli/code/sha256.h"

#include <assert.h>
#include <string.h>

/* 4.2.2: first 32 bits of the fractional parts of the cube roots of the first
 * 64 primes */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t
rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* 6.2.2: one block of 64 bytes */
static void
compress(struct sha256 *sha, const unsigned char *p)
{
    uint32_t schedule[64], v[8];

    for (int t = 0; t < 16; t++, p += 4)
        schedule[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
                      (uint32_t)p[2] << 8 | p[3];
    for (int t = 16; t < 64; t++) {
        uint32_t a = schedule[t - 15], b = schedule[t - 2];
        schedule[t] = schedule[t - 16] + schedule[t - 7] +
                      (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) +
                      (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
    }
    memcpy(v, sha->h, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + K[t] + schedule[t];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        sha->h[i] += v[i];
}

void
sha256_init(struct sha256 *sha)
{
    assert(sha);
    /* 5.3.3: square roots of the first eight primes */
    static const uint32_t h0[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19};
    memset(sha, 0, sizeof *sha);
    memcpy(sha->h, h0, sizeof h0);
}

void
sha256_add(struct sha256 *sha, const void *data, size_t size)
{
    assert(sha && (data || size == 0));
    const unsigned char *bytes = data;
    size_t fill = sha->n % 64;

    sha->n += size;
    if (fill && fill + size >= 64) {
        memcpy(sha->block + fill, bytes, 64 - fill);
        compress(sha, sha->block);
        bytes += 64 - fill;
        size -= 64 - fill;
        fill = 0;
    }
    for (; size >= 64; bytes += 64, size -= 64)
        compress(sha, bytes);
    if (size)
        memcpy(sha->block + fill, bytes, size);
}

void
sha256_end(struct sha256 *sha, unsigned char out[SHA256_SIZE])
{
    assert(sha && out);
    uint64_t bits = sha->n * 8;
    unsigned char pad[72] = {0x80}, len[8];
    size_t fill = sha->n % 64;

    for (int i = 0; i < 8; i++)
        len[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(sha, pad, (fill < 56 ? 56 : 120) - fill);
    sha256_add(sha, len, 8);
    for (int i = 0; i < 32; i++)
        out[i] = (unsigned char)(sha->h[i / 4] >> (24 - 8 * (i % 4)));
}
