/* SPDX-License-Identifier: MIT */
/* Diagnostics are data: code, severity, range, message, notes, help, fix-it.
 * They are collected in a struct diags and printed in one place. Codes, titles
 * and the long texts of `imp explain` are rows of base/codes_*.def:
 *   CODE(E0123, ERROR, "title", "explanation, with an example")
 * Ranges of codes: E00xx scanner and parser, E01xx names and imports, E02xx
 * kinds and dimensions, E03xx declarations and keys, E04xx commands, E05xx
 * bodies and set-up, E06xx motion, contacts and events, E07xx analyses, E08xx
 * input/output, command line and REPL, E09xx not available / limits, W.... */
#ifndef IMP_BASE_DIAG_H
#define IMP_BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/range.h"
#include "base/buf.h"

struct arena;
struct sources;

enum diag_severity { DIAG_ERROR, DIAG_WARNING };

enum diag_code {
    DIAG_NONE,
#define CODE(code, severity, title, text) DIAG_##code,
#include "base/codes.def"
    DIAG_COUNT
};

struct diag_note {
    imp_range range; /* IMP_NOWHERE: no place */
    const char *text;
    struct diag_note *next;
};
struct diag {
    enum diag_code code;
    enum diag_severity severity;
    imp_range range;
    const char *message;
    const char *label; /* under the caret, or NULL */
    struct diag_note *notes;
    const char *help;     /* what to do, or NULL */
    imp_range fix_range;  /* fix-it: replace this ... */
    const char *fix_text; /* ... by this; NULL if none */
    struct diag *next;
};

/* a collection; owns nothing but what lies in its arena */
struct diags {
    struct arena *arena;
    const struct sources *sources;
    struct diag *first, *last;
    int errors, warnings;
    int limit; /* errors beyond this many are counted, not kept (default 20) */
};
void diags_init(struct diags *diags, struct arena *arena,
                const struct sources *sources);

/* Adds a diagnostic and returns it, never NULL; notes, help and a fix-it can be
 * added to it. */
struct diag *diag_add(struct diags *diags, enum diag_code code, imp_range range,
                      const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Takes the last diagnostic back, since what it says is told in another way. */
void diag_withdraw(struct diags *diags, struct diag *last);
void diag_label(struct diags *diags, struct diag *diag, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(struct diags *diags, struct diag *diag, imp_range where,
               const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void diag_help(struct diags *diags, struct diag *diag, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_fix(struct diags *diags, struct diag *diag, imp_range where,
              const char *replacement);

/* What to do: the help that was given, or, where neither that nor a fix-it was,
 * that of the code; NULL where there is none. */
const char *diag_remedy(const struct diag *diag);

enum diag_format { DIAG_TEXT, DIAG_LINES, DIAG_JSON };
/* Appends all diagnostics as text: first those with a place, by file and
 * offset, then the others in order of arrival. Colour only for DIAG_TEXT. */
void diags_print(const struct diags *diags, struct buf *out,
                 enum diag_format format, bool colour);
const char *diag_code_name(enum diag_code c); /* "E0123" */
const char *diag_code_title(enum diag_code c);
const char *diag_code_text(enum diag_code c);
enum diag_code diag_code_find(const char *name); /* DIAG_NONE if unknown */

/* The candidate nearest to `word` (Damerau-Levenshtein distance, a third of the
 * word's length at most), or NULL. */
const char *suggest(const char *word, const char *const *candidates, size_t n);
/* The first letter in which two words differ that look alike. */
struct lookalike {
    uint32_t letter, ours;
};
/* Do the words differ, but only by letters that nobody can tell apart, as the
 * Latin and the Cyrillic a? */
bool lookalike(const char *word, const char *ours, struct lookalike *found);

#endif
