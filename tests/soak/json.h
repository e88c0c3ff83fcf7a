/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the JSON that `imp run --json` prints. */
#ifndef SOAK_JSON_H
#define SOAK_JSON_H

#include <stddef.h>

enum json_kind {
    JSON_NULL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
};

struct json {
    enum json_kind kind;
    double number;
    char *text;   /* of a JSON_TEXT */
    size_t count; /* items of a list or an object */
    struct json *item;
    char **key; /* of an object, beside item */
};

/* Reads one value at *at and moves *at behind it. NULL if it is no JSON. The
 * caller frees the value by json_free. */
struct json *json_read(const char **at);
void json_free(struct json *json);
/* The item of that key; NULL if json is NULL, no object, or has none. */
const struct json *json_get(const struct json *json, const char *key);

#endif
