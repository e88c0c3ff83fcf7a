/* SPDX-License-Identifier: MIT */
/* The journal of a sweep: a file beside the result, to which frames are
 * appended. A frame is there whole or does not count, so a program that is
 * killed at any moment has lost only what it had not appended. The byte order
 * is that of the machine. Layout: magic number and key (8 bytes each), then
 * frames of length (8), payload, and checksum of both (8). Several threads may
 * append. */
#ifndef IMP_OUTPUT_JOURNAL_H
#define IMP_OUTPUT_JOURNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "output/out.h"

struct journal {
    int fd;     /* -1: closed */
    char *path; /* heap */
    uint64_t size;
    pthread_mutex_t lock;
};
enum journal_state {
    JOURNAL_NEW,  /* there is none, or one without a frame */
    JOURNAL_SAME, /* it has frames, and this key */
    JOURNAL_OTHER /* it has frames, and another key */
};
/* Is there a journal "FILE.part" with frames, and has it this key? Changes
 * nothing. */
enum journal_state journal_look(const struct output *output, const char *file,
                                uint64_t key);
/* Opens "FILE.part" under --out and makes its folders. With `resume` and the
 * same key `frame` gets every whole frame, and new frames are appended behind
 * these; otherwise the journal begins anew. IMP_OK, or IMP_FAILED after a
 * diagnostic; then it is closed. Where memory ends on the way, the caller must
 * still call journal_close. */
int journal_open(struct output *output, struct diags *ds, imp_range where,
                 const char *file, uint64_t key, bool resume,
                 void (*frame)(void *ctx, const char *s, size_t n), void *ctx,
                 struct journal *journal);
/* Appends a frame. 0, or errno; then nothing of the frame is there. */
int journal_append(struct journal *journal, const char *s, size_t n);
/* remove: the result is complete, so the journal is deleted */
void journal_close(struct journal *journal, bool remove);
/* FNV-1a of bytes, continued from the hash h of the bytes before */
#define JOURNAL_HASH 14695981039346656037u
uint64_t journal_hash(uint64_t h, const void *bytes, size_t n);

#endif
