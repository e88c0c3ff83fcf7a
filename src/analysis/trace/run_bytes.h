/* SPDX-License-Identifier: MIT */
/* The bytes of a run file while they are made: a text of JSON, and a block of
 * numbers to which it refers by {"TYPE": [offset, count]}, offset in bytes from
 * the beginning of the block. */
#ifndef IMP_ANALYSIS_TRACE_RUN_BYTES_H
#define IMP_ANALYSIS_TRACE_RUN_BYTES_H

#include <stdint.h>

#include "base/buf.h"

#define RUN_FILE_MAGIC "IMPRUN1\n"
#define RUN_FILE_VERSION 1
/* magic, then three little-endian numbers of 8 bytes: length of the JSON,
 * length of the block, CRC-32 of both */
#define RUN_FILE_HEAD 32

/* Numbers that several references share. */
struct run_once {
    size_t offset, size; /* in the block */
    uint32_t crc;
};
struct run_bytes {
    struct buf json, block;
    struct {
        struct run_once *v;
        size_t n, cap;
    } once;
};
/* append a reference to the numbers, which go to the block */
void run_f64(struct run_bytes *bytes, const double *x, size_t n);
void run_f32(struct run_bytes *bytes, const float *x, size_t n);
/* The same, but numbers that are there already are not written again. */
void run_f64_once(struct run_bytes *bytes, const double *x, size_t n);
void run_f32_once(struct run_bytes *bytes, const float *x, size_t n);
void run_u16(struct run_bytes *bytes, const uint16_t *x, size_t n);
void run_u8(struct run_bytes *bytes, const uint8_t *x, size_t n);
/* appends `, "key": ` to the JSON, without the comma at the beginning of an
 * object or array */
void run_key(struct run_bytes *bytes, const char *key);
void run_text(struct run_bytes *bytes, const char *text);
void run_number(struct run_bytes *bytes, double x);
/* [x, y, ...] in the JSON itself, for a few numbers */
void run_numbers(struct run_bytes *bytes, const double *x, size_t n);
/* a comma, unless an object or array has just begun */
void run_comma(struct run_bytes *bytes);
/* Appends the whole file to `out`. */
void run_bytes_join(struct run_bytes *bytes, struct buf *out);
void run_bytes_free(struct run_bytes *bytes);

#endif
