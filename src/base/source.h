/* SPDX-License-Identifier: MIT */
/* Source texts by file number, with line and column look-up. */
#ifndef IMP_BASE_SOURCE_H
#define IMP_BASE_SOURCE_H

#include <stddef.h>

#include "abi/range.h"

struct arena;
struct sources;
struct source {
    const char *name; /* as the user gave it */
    const char *text;
    size_t len;
};

struct sources *sources_new(struct arena *arena); /* owned by the arena */
/* copies the text, in which a carriage return alone becomes a line feed; returns
 * its file number (1, 2, ...) */
uint32_t sources_add(struct sources *sources, const char *name,
                     const char *text, size_t len);
uint32_t sources_count(const struct sources *sources);
const struct source *source_get(const struct sources *sources, uint32_t file);
/* The name of the text that was read from this very file, by whatever path or
 * link; NULL where none was. What is written must not take its place. */
const char *source_at(const struct sources *sources, const char *path);
/* 1-based line; 1-based column in terminal cells (utf8proc widths are not
 * available here: a code point counts one cell, combining marks none, wide ones
 * two by a small table) */
struct source_pos {
    uint32_t line, col_cells;
};
struct source_pos source_pos(const struct sources *sources, uint32_t file,
                             uint32_t off);

#endif
