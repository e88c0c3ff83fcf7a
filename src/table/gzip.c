/* SPDX-License-Identifier: MIT */
/* Files that gzip has made (RFC 1952), whose bytes are deflated (RFC 1951):
 * blocks of bytes, of codes that the standard fixes, or of codes that the block
 * states. Lengths and checksum are compared, so that a file which was cut or
 * changed is told. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/crc.h"
#include "table/table_priv.h"

#define CODE_LENGTH 15 /* of a code, in bits, at most */
#define LITERALS 288
#define DISTANCES 30
#define END_OF_BLOCK 256

struct inflate {
    const unsigned char *in;
    size_t at, n;  /* bytes read, and there */
    uint32_t bits; /* read and not used yet, the next one lowest */
    int n_bits;
    bool bad; /* the input has ended, or says what it cannot */
    struct arena *arena;
    char *out;
    size_t size, cap, most;
};

/* A canonical Huffman code: how many codes have each length, and the symbols in
 * their order. */
struct code {
    uint16_t count[CODE_LENGTH + 1], symbol[LITERALS];
};

static uint32_t
bits(struct inflate *z, int n)
{
    while (z->n_bits < n) {
        if (z->at >= z->n) {
            z->bad = true;
            return 0;
        }
        z->bits |= (uint32_t)z->in[z->at++] << z->n_bits;
        z->n_bits += 8;
    }
    uint32_t value = z->bits & ((1u << n) - 1u);
    z->bits >>= n;
    z->n_bits -= n;
    return value;
}

static void
put(struct inflate *z, char byte)
{
    if (z->size == z->cap) {
        size_t cap = z->cap ? 2 * z->cap : 4096;
        char *out = arena_alloc(z->arena, cap);
        if (z->size)
            memcpy(out, z->out, z->size);
        z->out = out;
        z->cap = cap;
    }
    z->out[z->size++] = byte;
    z->bad |= z->size > z->most;
}

/* Makes a code from the lengths of n symbols. False if more codes are there
 * than the lengths leave room for. */
static bool
make_code(struct code *code, const unsigned char *length, int n)
{
    uint16_t first[CODE_LENGTH + 2] = {0};
    int left = 1;
    memset(code->count, 0, sizeof code->count);
    for (int i = 0; i < n; i++)
        code->count[length[i]]++;
    code->count[0] = 0;
    for (int k = 1; k <= CODE_LENGTH; k++) {
        left = 2 * left - code->count[k];
        if (left < 0)
            return false;
        first[k + 1] = (uint16_t)(first[k] + code->count[k]);
    }
    for (int i = 0; i < n; i++)
        if (length[i])
            code->symbol[first[length[i]]++] = (uint16_t)i;
    return true;
}

static int
symbol(struct inflate *z, const struct code *code)
{
    int word = 0, first = 0, index = 0;
    for (int k = 1; k <= CODE_LENGTH && !z->bad; k++) {
        word |= (int)bits(z, 1);
        int count = code->count[k];
        if (word - count < first)
            return code->symbol[index + word - first];
        index += count;
        first = (first + count) << 1;
        word <<= 1;
    }
    z->bad = true;
    return END_OF_BLOCK;
}

/* Literals, and lengths with distances, until the block ends. */
static void
coded(struct inflate *z, const struct code *literals,
      const struct code *distances)
{
    static const uint16_t base[29] = {
        3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
                                      1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                      4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t far[DISTANCES] = {
        1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
        33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
        1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const uint8_t more[DISTANCES] = {
        0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
        6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    while (!z->bad) {
        int what = symbol(z, literals);
        if (what == END_OF_BLOCK)
            return;
        if (what < END_OF_BLOCK) {
            put(z, (char)what);
            continue;
        }
        what -= END_OF_BLOCK + 1;
        if (what >= 29) {
            z->bad = true;
            return;
        }
        size_t length = base[what] + bits(z, extra[what]);
        int which = symbol(z, distances);
        if (z->bad || which >= DISTANCES) {
            z->bad = true;
            return;
        }
        size_t distance = far[which] + bits(z, more[which]);
        if (distance > z->size) {
            z->bad = true;
            return;
        }
        while (length-- && !z->bad)
            put(z, z->out[z->size - distance]);
    }
}

static void
stored(struct inflate *z)
{
    z->bits = 0;
    z->n_bits = 0;
    if (z->n - z->at < 4) {
        z->bad = true;
        return;
    }
    const unsigned char *head = z->in + z->at;
    size_t length = head[0] | (size_t)head[1] << 8;
    z->at += 4;
    if ((head[0] ^ head[2]) != 255 || (head[1] ^ head[3]) != 255 ||
        z->n - z->at < length) {
        z->bad = true;
        return;
    }
    while (length-- && !z->bad)
        put(z, (char)z->in[z->at++]);
}

static void
fixed(struct inflate *z)
{
    unsigned char length[LITERALS];
    struct code literals, distances;
    for (int i = 0; i < LITERALS; i++)
        length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&literals, length, LITERALS);
    memset(length, 5, DISTANCES);
    make_code(&distances, length, DISTANCES);
    coded(z, &literals, &distances);
}

static void
stated(struct inflate *z)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned char length[LITERALS + 32] = {0};
    struct code lengths, literals, distances;
    int n_literal = (int)bits(z, 5) + 257, n_distance = (int)bits(z, 5) + 1,
        n_length = (int)bits(z, 4) + 4, n = 0;
    z->bad |= n_literal > 286 || n_distance > DISTANCES;
    for (int i = 0; i < n_length && !z->bad; i++)
        length[order[i]] = (unsigned char)bits(z, 3);
    z->bad |= !make_code(&lengths, length, 19);
    memset(length, 0, sizeof length);
    while (n < n_literal + n_distance && !z->bad) {
        int what = symbol(z, &lengths);
        if (what < 16) {
            length[n++] = (unsigned char)what;
            continue;
        }
        unsigned char again = what == 16 && n ? length[n - 1] : 0;
        z->bad |= what == 16 && !n;
        int times = what == 16   ? 3 + (int)bits(z, 2)
                    : what == 17 ? 3 + (int)bits(z, 3)
                                 : 11 + (int)bits(z, 7);
        z->bad |= n + times > n_literal + n_distance;
        while (times-- && !z->bad)
            length[n++] = again;
    }
    z->bad |= z->bad || !length[END_OF_BLOCK] ||
              !make_code(&literals, length, n_literal) ||
              !make_code(&distances, length + n_literal, n_distance);
    if (!z->bad)
        coded(z, &literals, &distances);
}

static void
inflate(struct inflate *z)
{
    for (bool last = false; !last && !z->bad;) {
        last = bits(z, 1);
        switch (bits(z, 2)) {
        case 0:
            stored(z);
            break;
        case 1:
            fixed(z);
            break;
        case 2:
            stated(z);
            break;
        default:
            z->bad = true;
        }
    }
}

/* Where the deflated bytes begin, behind the head of the file; 0: it is none.
 */
static size_t
head_size(const unsigned char *in, size_t n)
{
    enum { EXTRA = 4, NAME = 8, COMMENT = 16, CHECK = 2 };
    size_t at = 10;
    if (n < 18 || in[0] != 0x1f || in[1] != 0x8b || in[2] != 8)
        return 0;
    if (in[3] & EXTRA)
        at += 2 + (size_t)(at + 1 < n ? in[at] | in[at + 1] << 8 : 0);
    for (int flag = NAME; flag <= COMMENT; flag *= 2)
        if (in[3] & flag) {
            while (at < n && in[at])
                at++;
            at++;
        }
    at += in[3] & CHECK ? 2 : 0;
    return at + 8 < n ? at : 0;
}

static uint32_t
word(const unsigned char *in)
{
    return in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 |
           (uint32_t)in[3] << 24;
}

bool
table_unpack(struct arena *arena, const char *bytes, size_t n, size_t most,
             const char **text, size_t *size, struct table_error *error)
{
    assert(arena && (bytes || !n) && text && size && error);
    const unsigned char *in = (const unsigned char *)bytes;
    struct inflate z = {.in = in, .n = n, .arena = arena, .most = most};
    z.at = head_size(in, n);
    if (!z.at)
        return table_wrong(
            error, 0, 0, "this is no file that gzip has made",
            "its name ends in .gz: unpack it, or name it as what "
            "it is");
    inflate(&z);
    if (z.size > most)
        return table_wrong(error, 0, 0, "unpacked, the file is too large",
                           "take the rows that are needed");
    if (z.bad || z.n - z.at < 8 ||
        word(in + z.at) != crc32_of(0, z.out, z.size) ||
        word(in + z.at + 4) != (uint32_t)z.size)
        return table_wrong(error, 0, 0,
                           "the file is not whole: it cannot be unpacked",
                           "copy it again; gzip -t tells whether it is right");
    if (z.at + 8 < n)
        return table_wrong(error, 0, 0,
                           "more than one packed file stands in this one",
                           "unpack it, and pack it as one: gunzip, then gzip");
    *text = z.out ? z.out : "";
    *size = z.size;
    return true;
}
