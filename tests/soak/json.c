/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the JSON that `imp run --json` prints. */
#include "json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool read_value(const char **at, struct json *json);

static void
clear(struct json *json)
{
    free(json->text);
    for (size_t i = 0; i < json->count; i++) {
        clear(&json->item[i]);
        if (json->key)
            free(json->key[i]);
    }
    free(json->item);
    free(json->key);
}

static void
skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static bool
read_word(const char **at, const char *word)
{
    size_t size = strlen(word);
    if (strncmp(*at, word, size) != 0)
        return false;
    *at += size;
    return true;
}

/* Escapes stay as they are, except \" and \\. */
static char *
read_text(const char **at)
{
    if (**at != '"')
        return NULL;
    const char *end = *at + 1;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    if (!*end)
        return NULL;
    char *text = malloc((size_t)(end - *at)), *to = text;
    for (const char *from = *at + 1; from < end; from++) {
        if (*from == '\\' && (from[1] == '"' || from[1] == '\\'))
            from++;
        *to++ = *from;
    }
    *to = 0;
    *at = end + 1;
    return text;
}

static bool
read_items(const char **at, struct json *json, char closing)
{
    bool object = closing == '}';
    size_t space = 0;
    ++*at;
    for (skip_blanks(at); **at != closing; skip_blanks(at)) {
        if (json->count && !read_word(at, ","))
            return false;
        if (json->count == space) {
            space = space ? 2 * space : 8;
            json->item = realloc(json->item, space * sizeof *json->item);
            if (object)
                json->key = realloc(json->key, space * sizeof *json->key);
        }
        struct json *item = &json->item[json->count];
        *item = (struct json){0};
        skip_blanks(at);
        if (object) {
            if (!(json->key[json->count] = read_text(at)))
                return false;
            skip_blanks(at);
        }
        json->count++;
        if (object && !read_word(at, ":"))
            return false;
        if (!read_value(at, item))
            return false;
    }
    ++*at;
    return true;
}

static bool
read_value(const char **at, struct json *json)
{
    skip_blanks(at);
    switch (**at) {
    case '{':
        json->kind = JSON_OBJECT;
        return read_items(at, json, '}');
    case '[':
        json->kind = JSON_LIST;
        return read_items(at, json, ']');
    case '"':
        json->kind = JSON_TEXT;
        return (json->text = read_text(at)) != NULL;
    case 't':
        json->kind = JSON_TRUE;
        return read_word(at, "true");
    case 'f':
        json->kind = JSON_FALSE;
        return read_word(at, "false");
    case 'n':
        json->kind = JSON_NULL;
        return read_word(at, "null");
    default: {
        char *end;
        json->kind = JSON_NUMBER;
        json->number = strtod(*at, &end);
        bool found = end != *at;
        *at = end;
        return found;
    }
    }
}

struct json *
json_read(const char **at)
{
    struct json *json = calloc(1, sizeof *json);
    if (read_value(at, json))
        return json;
    json_free(json);
    return NULL;
}

void
json_free(struct json *json)
{
    if (!json)
        return;
    clear(json);
    free(json);
}

const struct json *
json_get(const struct json *json, const char *key)
{
    for (size_t i = 0; json && json->kind == JSON_OBJECT && i < json->count;
         i++)
        if (!strcmp(json->key[i], key))
            return &json->item[i];
    return NULL;
}
