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
    const char *si[2]; /* the unit of the number */
} quantities[] = {
#define FOOT 0.3048
#define POUND 0.45359237
#define DEGREE (3.14159265358979323846 / 180)
    {"  position = (", {FOOT, FOOT}, {"ft", "ft"}, {"m", "m"}},
    {"  velocity = (",
     {FOOT / 60, FOOT / 60},
     {"ft/min", "ft/min"},
     {"m/s", "m/s"}},
    {"  gravity = (",
     {FOOT / 12, FOOT / 12},
     {"inch/s^2", "inch/s^2"},
     {"m/s^2", "m/s^2"}},
    {"  spin = ", {6 * DEGREE, 6 * DEGREE}, {"rpm", "rpm"}, {"1/s", "1/s"}},
    {"  angle = ", {DEGREE, DEGREE}, {"deg", "deg"}, {"1", "1"}},
    {"  mass = ", {POUND, POUND}, {"lb", "lb"}, {"kg", "kg"}},
    {"  density = ",
     {POUND / (FOOT * FOOT), POUND / (FOOT * FOOT * FOOT)},
     {"lb/ft^2", "lb/ft^3"},
     {"kg/m^2", "kg/m^3"}},
    {"  inertia = ", {POUND * FOOT * FOOT, 0}, {"lb*ft^2"}, {"kg*m^2"}},
    {"  inertia = diag(",
     {0, POUND *FOOT *FOOT},
     {NULL, "lb*ft^2"},
     {NULL, "kg*m^2"}},
    {" : circle(", {FOOT, 0}, {"ft"}, {"m"}},
    {" : ellipse(", {FOOT, 0}, {"ft"}, {"m"}},
    {" : superellipse(", {FOOT, 0}, {"ft"}, {"m"}},
    {" : rectangle(", {FOOT, 0}, {"ft"}, {"m"}},
    {" : polygon(", {FOOT, 0}, {"ft"}, {"m"}},
    {" : sphere(", {0, FOOT}, {NULL, "ft"}, {NULL, "m"}},
    {" : ellipsoid(", {0, FOOT}, {NULL, "ft"}, {NULL, "m"}},
    {" : superellipsoid(", {0, FOOT}, {NULL, "ft"}, {NULL, "m"}},
    {" : box(", {0, FOOT}, {NULL, "ft"}, {NULL, "m"}},
    {" : polyhedron(", {0, FOOT}, {NULL, "ft"}, {NULL, "m"}},
    {"  friction = 0", {0, 0}, {NULL}, {"1", "1"}},
    {"  restitution = 0", {0, 0}, {NULL}, {"1", "1"}},
    {"  until = ", {60, 60}, {"min", "min"}, {NULL}},
    {"  at = (", {60, 60}, {"min", "min"}, {NULL}},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* Writes a number in the unit of feet, or, if there is a file of data, as the
 * next entry of it. */
static void
write_number(double number, const struct quantity *as, int space, FILE *out,
             FILE *data, int *count)
{
    if (!data) {
        fprintf(out, "%.17g [%s]", number / as->size[space], as->unit[space]);
        return;
    }
    fprintf(data, "%.17g\n", number);
    fprintf(out, "(number.of[%d]) [%s]", (*count)++, as->si[space]);
}

/* Writes the numbers of a bracket that is open at `at`, or one number; returns
 * what follows. */
static const char *
write_numbers(const char *at, bool bracket, const struct quantity *as,
              int space, FILE *out, FILE *data, int *count)
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
        write_number(strtod(at, &end), as, space, out, data, count);
        at = end;
        if (!bracket)
            break;
    }
    return at;
}

static const struct quantity *
quantity_at(const char *at, int space, bool si)
{
    for (int i = 0; i < QUANTITIES; i++) {
        const struct quantity *one = &quantities[i];
        if ((si ? one->si : one->unit)[space] &&
            !strncmp(at, one->word, strlen(one->word)))
            return one;
    }
    return NULL;
}

static char *
rewrite(char *text, int dimension, FILE *data, const char *folder)
{
    char *result = NULL;
    size_t size = 0;
    int count = 0, space = dimension == 3;
    FILE *out = open_memstream(&result, &size);
    if (!out)
        abort();
    if (data) {
        fputs("of\n0\n", data); /* one at least */
        count++;
        fprintf(out, "data number = \"%s/numbers.csv\"\n", folder);
    }
    for (const char *at = text; *at;) {
        const struct quantity *found = quantity_at(at, space, data != NULL);
        if (!found) {
            fputc(*at++, out);
            continue;
        }
        size_t length = strlen(found->word);
        length -= found->word[length - 1] == '0'; /* it begins a number */
        fwrite(found->word, 1, length, out);
        at += length;
        /* a spin in space is a vector */
        bool bracket = at[-1] == '(' || *at == '(';
        if (at[-1] != '(' && *at == '(')
            fputc(*at++, out);
        at = write_numbers(at, bracket, found, space, out, data, &count);
    }
    fclose(out);
    free(text);
    return result;
}

char *
rewrite_in_feet(char *text, int dimension)
{
    return rewrite(text, dimension, NULL, NULL);
}

char *
rewrite_as_data(char *text, int dimension, const char *folder, FILE *data)
{
    return rewrite(text, dimension, data, folder);
}
