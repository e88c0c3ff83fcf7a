/* SPDX-License-Identifier: MIT */
/* A reader of JSON by recursive descent. */
#include "base/json.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "base/utf8.h"

#define JSON_DEPTH 64

struct reader {
    struct arena *arena;
    const char *at, *end;
    int depth;
};

static void
blanks(struct reader *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\n' ||
                                *in->at == '\t' || *in->at == '\r'))
        in->at++;
}

static bool
take(struct reader *in, char c)
{
    blanks(in);
    if (in->at >= in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

static bool
word(struct reader *in, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(in->end - in->at) < n || memcmp(in->at, text, n) != 0)
        return false;
    in->at += n;
    return true;
}

/* four hexadecimal digits; -1: they are not there */
static long
hex(struct reader *in)
{
    static const char digits[] = "0123456789abcdef";
    long x = 0;
    for (int i = 0; i < 4; i++, in->at++) {
        if (in->at >= in->end)
            return -1;
        char c = *in->at;
        const char *digit =
            c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;
        if (!digit)
            return -1;
        x = 16 * x + (digit - digits);
    }
    return x;
}

/* The bytes of a code point in UTF-8; returns how many. */
static size_t
utf8(long code, char *to)
{
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const int lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(lead[n] | code);
    return n;
}

/* What stands behind a backslash, into `to`; 0: it is wrong. */
static size_t
escape(struct reader *in, char *to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (in->at >= in->end)
        return 0;
    char c = *in->at++;
    const char *name = c ? strchr(names, c) : NULL;
    if (name) {
        *to = values[name - names];
        return 1;
    }
    long code = c == 'u' ? hex(in) : -1;
    if (code >= 0xd800 && code < 0xdc00) { /* the first of a pair */
        if (!word(in, "\\u"))
            return 0;
        long low = hex(in);
        if (low < 0xdc00 || low > 0xdfff)
            return 0;
        code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
    }
    return code <= 0 || (code >= 0xdc00 && code < 0xe000) ? 0 : utf8(code, to);
}

/* A text, whose opening quote has been read; NULL: it is wrong. */
static const char *
text(struct reader *in)
{
    const char *end = in->at;
    while (end < in->end && *end != '"')
        end += *end == '\\' && end + 1 < in->end ? 2 : 1;
    char *out = arena_alloc(in->arena, (size_t)(end - in->at) + 1), *to = out;
    while (in->at < in->end && *in->at != '"') {
        if ((unsigned char)*in->at < 0x20)
            return NULL;
        if (*in->at == '\\') {
            in->at++;
            size_t n = escape(in, to);
            if (!n)
                return NULL;
            to += n;
        } else {
            uint32_t code;
            size_t n = utf8_decode(in->at, (size_t)(in->end - in->at), &code);
            if (!n)
                return NULL;
            memcpy(to, in->at, n);
            in->at += n;
            to += n;
        }
    }
    if (in->at >= in->end)
        return NULL;
    in->at++;
    *to = 0;
    return out;
}

static struct json *value(struct reader *in);

/* The items of a list or members of an object up to its last sign. */
static bool
items(struct reader *in, struct json *of, char last)
{
    struct json **link = &of->first;
    if (take(in, last))
        return true;
    for (;;) {
        const char *key = NULL;
        if (of->kind == JSON_OBJECT &&
            (!take(in, '"') || !(key = text(in)) || !take(in, ':')))
            return false;
        if (!(*link = value(in)))
            return false;
        (*link)->key = key;
        link = &(*link)->next;
        of->n++;
        if (take(in, last))
            return true;
        if (!take(in, ','))
            return false;
    }
}

static struct json *
number(struct reader *in, struct json *to)
{
    const char *digits = in->at + (*in->at == '-');
    if (digits >= in->end || *digits < '0' || *digits > '9' ||
        (*digits == '0' && digits + 1 < in->end && digits[1] >= '0' &&
         digits[1] <= '9'))
        return NULL;
    size_t n = num_read(in->at, (size_t)(in->end - in->at), &to->number);
    to->kind = JSON_NUMBER;
    in->at += n;
    return n ? to : NULL;
}

static struct json *
value(struct reader *in)
{
    struct json *to = NEW(in->arena, struct json);
    bool good = false;
    blanks(in);
    if (in->at >= in->end || in->depth >= JSON_DEPTH)
        return NULL;
    in->depth++;
    switch (*in->at) {
    case '{':
    case '[':
        to->kind = *in->at == '{' ? JSON_OBJECT : JSON_LIST;
        in->at++;
        good = items(in, to, to->kind == JSON_OBJECT ? '}' : ']');
        break;
    case '"':
        to->kind = JSON_TEXT;
        in->at++;
        good = (to->text = text(in)) != NULL;
        break;
    case 't':
        to->kind = JSON_TRUE;
        good = word(in, "true");
        break;
    case 'f':
        to->kind = JSON_FALSE;
        good = word(in, "false");
        break;
    case 'n':
        good = word(in, "null");
        break;
    default:
        good = number(in, to) != NULL;
    }
    in->depth--;
    return good ? to : NULL;
}

struct json *
json_read(struct arena *arena, const char *bytes, size_t n)
{
    assert(arena != NULL && (bytes != NULL || n == 0));
    struct reader in = {.arena = arena, .at = bytes, .end = bytes + n};
    struct json *top = value(&in);
    blanks(&in);
    return in.at == in.end ? top : NULL;
}

const struct json *
json_get(const struct json *object, const char *key)
{
    assert(key != NULL);
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json *member = object->first; member;
         member = member->next)
        if (!strcmp(member->key, key))
            return member;
    return NULL;
}
