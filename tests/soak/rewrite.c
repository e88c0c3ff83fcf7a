/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same model in other words: numbers as params, and with other units. */
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

/* What stands behind these words are numbers without units. */
static const struct quantity {
    const char *word;
    double size[2]; /* of the unit in the plane and in space, in SI units */
    const char *unit[2];
} quantities[] = {
#define FOOT 0.3048
#define POUND 0.45359237
#define DEGREE (3.14159265358979323846 / 180)
    {"  position = (", {FOOT, FOOT}, {"ft", "ft"}},
    {"  velocity = (", {FOOT / 60, FOOT / 60}, {"ft/min", "ft/min"}},
    {"  gravity = (", {FOOT / 12, FOOT / 12}, {"inch/s^2", "inch/s^2"}},
    {"  spin = ", {6 * DEGREE, 6 * DEGREE}, {"rpm", "rpm"}},
    {"  angle = ", {DEGREE, DEGREE}, {"deg", "deg"}},
    {"  mass = ", {POUND, POUND}, {"lb", "lb"}},
    {"  density = ",
     {POUND / (FOOT * FOOT), POUND / (FOOT * FOOT * FOOT)},
     {"lb/ft^2", "lb/ft^3"}},
    {"  inertia = ", {POUND * FOOT * FOOT, 0}, {"lb*ft^2", NULL}},
    {"  inertia = diag(", {0, POUND *FOOT *FOOT}, {NULL, "lb*ft^2"}},
    {" : circle(", {FOOT, 0}, {"ft", NULL}},
    {" : ellipse(", {FOOT, 0}, {"ft", NULL}},
    {" : superellipse(", {FOOT, 0}, {"ft", NULL}},
    {" : rectangle(", {FOOT, 0}, {"ft", NULL}},
    {" : polygon(", {FOOT, 0}, {"ft", NULL}},
    {" : sphere(", {0, FOOT}, {NULL, "ft"}},
    {" : ellipsoid(", {0, FOOT}, {NULL, "ft"}},
    {" : superellipsoid(", {0, FOOT}, {NULL, "ft"}},
    {" : box(", {0, FOOT}, {NULL, "ft"}},
    {" : polyhedron(", {0, FOOT}, {NULL, "ft"}},
    {"  until = ", {60, 60}, {"min", "min"}},
    {"  at = (", {60, 60}, {"min", "min"}},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* Writes the numbers of a bracket that is open at `at`, or one number, with
 * the unit; returns what follows. */
static const char *
write_numbers(const char *at, bool bracket, double size, const char *unit,
              FILE *out)
{
    for (int depth = bracket; *at;) {
        depth += (*at == '(') - (*at == ')');
        if (bracket && depth == 0)
            break;
        if (!isdigit((unsigned char)*at)) {
            fputc(*at++, out);
            continue;
        }
        char *end;
        double number = strtod(at, &end);
        fprintf(out, "%.17g [%s]", number / size, unit);
        at = end;
        if (!bracket)
            break;
    }
    return at;
}

char *
rewrite_in_feet(char *text, int dimension)
{
    char *result = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&result, &size);
    if (!out)
        abort();
    for (const char *at = text; *at;) {
        const struct quantity *found = NULL;
        for (int i = 0; i < QUANTITIES && !found; i++) {
            const struct quantity *one = &quantities[i];
            if (one->unit[dimension == 3] &&
                !strncmp(at, one->word, strlen(one->word)))
                found = one;
        }
        if (!found) {
            fputc(*at++, out);
            continue;
        }
        fputs(found->word, out);
        at += strlen(found->word);
        /* a spin in space is a vector */
        bool bracket = at[-1] == '(' || *at == '(';
        if (at[-1] != '(' && *at == '(')
            fputc(*at++, out);
        at = write_numbers(at, bracket, found->size[dimension == 3],
                           found->unit[dimension == 3], out);
    }
    fclose(out);
    free(text);
    return result;
}
