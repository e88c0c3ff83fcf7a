/* SPDX-License-Identifier: MIT */
/* Reading JSON (RFC 8259). The writer of JSON texts is buf_json (buf.h). */
#ifndef IMP_BASE_JSON_H
#define IMP_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
};
struct json {
    enum json_kind kind;
    double number;
    const char *text;          /* UTF-8, ends in 0; \u0000 is refused */
    const char *key;           /* of a member of an object; else NULL */
    struct json *first, *next; /* first item; next one of the same list */
    size_t n;                  /* items */
};
/* The value that n bytes hold; NULL where they are not one JSON value, or are
 * nested deeper than 64. Memory: the arena. */
struct json *json_read(struct arena *arena, const char *text, size_t n);
/* The member of an object with this key, or NULL; NULL of what is no object. */
const struct json *json_get(const struct json *object, const char *key);

#endif
