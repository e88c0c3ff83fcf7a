/* SPDX-License-Identifier: MIT */
/* The bytes of a run file (run_bytes.h). Numbers are little-endian whatever the
 * machine is. */
#include "analysis/trace/run_bytes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/crc.h"
#include "base/num.h"

/* appends the low `size` bytes of a number, the lowest first */
static void
little(struct buf *buf, uint64_t bits, int size)
{
    char *to = buf_room(buf, (size_t)size);
    for (int i = 0; i < size; i++)
        to[i] = (char)(bits >> (8 * i) & 0xff);
}

static void
reference(struct run_bytes *bytes, const char *type, size_t n)
{
    while (bytes->block.n % 8)
        buf_putc(&bytes->block, 0);
    buf_printf(&bytes->json, "{\"%s\": [%zu, %zu]}", type, bytes->block.n, n);
}

void
run_f64(struct run_bytes *bytes, const double *x, size_t n)
{
    assert(bytes != NULL && (x != NULL || n == 0));
    reference(bytes, "f64", n);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        little(&bytes->block, bits, 8);
    }
}

void
run_f32(struct run_bytes *bytes, const float *x, size_t n)
{
    assert(bytes != NULL && (x != NULL || n == 0));
    reference(bytes, "f32", n);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        little(&bytes->block, bits, 4);
    }
}

/* The numbers that have just been written at the end of the block, to which the
 * JSON from `json` on refers: if they stood there before, the reference is to
 * those. */
static void
share(struct run_bytes *bytes, size_t json, const char *type, size_t n,
      size_t size)
{
    struct run_once now = {bytes->block.n - size, size, 0};
    now.crc = crc32_of(0, buf_str(&bytes->block) + now.offset, size);
    for (size_t i = 0; i < bytes->once.n; i++) {
        const struct run_once *old = &bytes->once.v[i];
        if (old->crc != now.crc || old->size != size ||
            memcmp(bytes->block.s + old->offset, bytes->block.s + now.offset,
                   size) != 0)
            continue;
        bytes->block.n = now.offset;
        bytes->json.n = json;
        buf_printf(&bytes->json, "{\"%s\": [%zu, %zu]}", type, old->offset, n);
        return;
    }
    VEC_PUSH(&bytes->once, now);
}

void
run_f64_once(struct run_bytes *bytes, const double *x, size_t n)
{
    size_t json = bytes->json.n;
    run_f64(bytes, x, n);
    share(bytes, json, "f64", n, 8 * n);
}

void
run_f32_once(struct run_bytes *bytes, const float *x, size_t n)
{
    size_t json = bytes->json.n;
    run_f32(bytes, x, n);
    share(bytes, json, "f32", n, 4 * n);
}

void
run_u16(struct run_bytes *bytes, const uint16_t *x, size_t n)
{
    assert(bytes != NULL && (x != NULL || n == 0));
    reference(bytes, "u16", n);
    for (size_t i = 0; i < n; i++)
        little(&bytes->block, x[i], 2);
}

void
run_u8(struct run_bytes *bytes, const uint8_t *x, size_t n)
{
    assert(bytes != NULL && (x != NULL || n == 0));
    reference(bytes, "u8", n);
    buf_put(&bytes->block, (const char *)x, n);
}

void
run_comma(struct run_bytes *bytes)
{
    assert(bytes != NULL && bytes->json.n > 0);
    char last = bytes->json.s[bytes->json.n - 1];
    if (last != '{' && last != '[')
        buf_puts(&bytes->json, ", ");
}

void
run_key(struct run_bytes *bytes, const char *key)
{
    run_comma(bytes);
    run_text(bytes, key);
    buf_puts(&bytes->json, ": ");
}

void
run_text(struct run_bytes *bytes, const char *text)
{
    assert(bytes != NULL && text != NULL);
    buf_json(&bytes->json, text, strlen(text));
}

void
run_number(struct run_bytes *bytes, double x)
{
    char digits[NUM_TEXT];
    assert(bytes != NULL);
    buf_puts(&bytes->json, isfinite(x) ? num_shortest(digits, x) : "null");
}

void
run_numbers(struct run_bytes *bytes, const double *x, size_t n)
{
    assert(bytes != NULL && (x != NULL || n == 0));
    buf_putc(&bytes->json, '[');
    for (size_t i = 0; i < n; i++) {
        run_comma(bytes);
        run_number(bytes, x[i]);
    }
    buf_putc(&bytes->json, ']');
}

void
run_bytes_join(struct run_bytes *bytes, struct buf *out)
{
    assert(bytes != NULL && out != NULL);
    while (bytes->json.n % 8)
        buf_putc(&bytes->json, ' ');
    uint32_t crc = crc32_of(0, bytes->json.s, bytes->json.n);
    crc = crc32_of(crc, buf_str(&bytes->block), bytes->block.n);
    buf_puts(out, RUN_FILE_MAGIC);
    little(out, bytes->json.n, 8);
    little(out, bytes->block.n, 8);
    little(out, crc, 8);
    buf_put(out, bytes->json.s, bytes->json.n);
    buf_put(out, buf_str(&bytes->block), bytes->block.n);
}

void
run_bytes_free(struct run_bytes *bytes)
{
    buf_free(&bytes->json);
    buf_free(&bytes->block);
    free(bytes->once.v);
}
