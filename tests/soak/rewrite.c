/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same model in other words: numbers as params. */
#include "rewrite.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the commands begin, whose times stay numbers. */
static const char *
commands_of(const char *text)
{
    static const char *const words[] = {"\nsimulate", "\nlet ", "\nchatter"};
    const char *first = text + strlen(text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(text, words[i]);
        first = at && at < first ? at : first;
    }
    return first;
}

/* Does a number with a fraction begin here? Whole numbers may be structural. */
static size_t
number_at(const char *text, const char *at)
{
    bool within = at > text && (isalnum((unsigned char)at[-1]) ||
                                at[-1] == '_' || at[-1] == '.');
    if (within || !isdigit((unsigned char)*at))
        return 0;
    size_t length = strspn(at, "0123456789");
    if (at[length] != '.')
        return 0;
    length++;
    length += strspn(at + length, "0123456789");
    if (at[length] == 'e') {
        length++;
        length += at[length] == '-' || at[length] == '+';
        length += strspn(at + length, "0123456789");
    }
    return length;
}

char *
rewrite_as_params(char *text)
{
    char *out = NULL, *body = NULL;
    size_t size = 0, body_size = 0;
    FILE *head = open_memstream(&out, &size),
         *rest = open_memstream(&body, &body_size);
    if (!head || !rest)
        abort();
    const char *end = commands_of(text), *at = text;
    bool comment = false;
    for (int count = 0; at < end;) {
        size_t length = number_at(text, at);
        comment = *at == '#' || (comment && *at != '\n');
        if (length && !comment) {
            fprintf(head, "param number%d = %.*s\n", count, (int)length, at);
            /* a unit may follow a bracket */
            fprintf(rest, "(number%d)", count++);
            at += length;
        } else {
            fputc(*at++, rest);
        }
    }
    fputs(end, rest);
    fclose(rest);
    fputs(body, head);
    fclose(head);
    free(body);
    free(text);
    return out;
}
