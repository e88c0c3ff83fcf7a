/* SPDX-License-Identifier: MIT */
/* An append-only file beside a result in the making: frames that are there
 * whole or do not count, so that a program killed at any moment has lost only
 * what it had not appended. Native byte order: it is for the machine that
 * writes it. Layout: magic, key (8 bytes each); frames of length (8), payload,
 * checksum of both (8). Appending is safe from several threads. */
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
    JOURNAL_NEW,  /* nothing was there, or of another key */
    JOURNAL_SAME, /* frames of this key are there and were read */
    JOURNAL_OTHER /* frames of another key are there: only with resume */
};
/* Is there a journal "FILE.part" with frames of this key? Only looks. */
enum journal_state journal_look(const struct output *output, const char *file,
                                uint64_t key);
/* Opens "FILE.part" under o->dir, folders included. resume: `frame` gets every
 * whole frame, and what is appended comes behind the last of them; otherwise
 * begins anew. IMP_OK, or IMP_FAILED after a diagnostic (then closed). Where
 * memory ends on the way, j is what journal_close takes. */
int journal_open(struct output *output, struct diags *ds, imp_range where,
                 const char *file, uint64_t key, bool resume,
                 void (*frame)(void *ctx, const char *s, size_t n), void *ctx,
                 struct journal *journal);
/* 0, or errno: then nothing of it is there */
int journal_append(struct journal *journal, const char *s, size_t n);
/* remove: the result is complete */
void journal_close(struct journal *journal, bool remove);
/* FNV-1a, to be chained: h of the bytes before */
#define JOURNAL_HASH 14695981039346656037u
uint64_t journal_hash(uint64_t h, const void *bytes, size_t n);

#endif
