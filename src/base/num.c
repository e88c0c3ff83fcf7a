/* SPDX-License-Identifier: MIT */
/* Numbers as text, independent of the locale. Where base/digits.h does not
 * decide, the C library does the exact work. A locale changes only the decimal
 * point, so the texts given to the library and taken from it have none: they
 * are split into digits and exponent here. */
#include "base/num.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

/* a positive decimal number: d[0].d[1]d[2]... * 10^e */
struct decimal {
    char d[24];
    int n, e;
};

/* x > 0, finite, rounded to n digits (1..17) */
static struct decimal
round_to(double x, int n)
{
    char s[64];
    struct decimal result = {.n = n};
    if (digits_of(x, n, result.d, &result.e))
        return result;
    result.n = 0;
    snprintf(s, sizeof s, "%.*e", n - 1, x);
    const char *p = s;
    for (; *p && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            result.d[result.n++] = *p;
    if (*p == 'e')
        result.e = atoi(p + 1);
    return result;
}

static double
value_of(const struct decimal *r)
{
    /* no decimal point: strtod reads this the same in every locale */
    char s[64];
    snprintf(s, sizeof s, "%.*se%d", r->n, r->d, r->e - (r->n - 1));
    return strtod(s, NULL);
}

static void
next_up(struct decimal *r)
{
    int i = r->n - 1;
    while (i >= 0 && r->d[i] == '9')
        r->d[i--] = '0';
    if (i >= 0) {
        r->d[i]++;
    } else {
        r->d[0] = '1';
        r->e++;
    }
}

/* "0.0012", "1200", "1.2e20": fixed form for exponents in [-5, widest) */
static char *
lay_out(char text[NUM_TEXT], bool negative, struct decimal result, int widest)
{
    char *at = text;
    while (result.n > 1 && result.d[result.n - 1] == '0')
        result.n--;
    if (negative)
        *at++ = '-';
    if (result.e >= -5 && result.e < 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = -1; i > result.e; i--)
            *at++ = '0';
        memcpy(at, result.d, (size_t)result.n);
        at += result.n;
    } else if (result.e >= 0 && result.e < widest) {
        for (int i = 0; i < result.n || i <= result.e; i++) {
            if (i == result.e + 1)
                *at++ = '.';
            *at++ = i < result.n ? result.d[i] : '0';
        }
    } else {
        *at++ = result.d[0];
        if (result.n > 1) {
            *at++ = '.';
            memcpy(at, result.d + 1, (size_t)result.n - 1);
            at += result.n - 1;
        }
        at += snprintf(at, 8, "e%d", result.e);
    }
    *at = 0;
    return text;
}

/* zeros, infinities and NaN; false for all others */
static bool
special(char s[NUM_TEXT], double x)
{
    const char *t = isnan(x)   ? "nan"
                    : isinf(x) ? (x < 0 ? "-inf" : "inf")
                    : x == 0.0 ? (signbit(x) ? "-0" : "0")
                               : NULL;
    if (t)
        memcpy(s, t, strlen(t) + 1);
    return t != NULL;
}

char *
num_shortest(char text[NUM_TEXT], double value)
{
    if (special(text, value))
        return text;
    double back = fabs(value);
    /* Integers of few digits are common, and this way is cheap. */
    if (back < 1e9 && back == floor(back)) {
        snprintf(text, NUM_TEXT, "%s%d", value < 0 ? "-" : "", (int)back);
        return text;
    }
    /* 15 digits determine a normal double, so if a shortest text of at most 15
     * digits exists, the rounding to 15 digits is that text with zeros behind.
     * Denormals hold fewer digits and are searched from one digit on. */
    int e2;
    bool power = frexp(back, &e2) == 0.5;
    struct decimal result;
    for (int n = back < 2.3e-308 ? 1 : 15; n < 17; n++) {
        result = round_to(back, n);
        if (value_of(&result) == back)
            return lay_out(text, value < 0, result, 16);
        /* Below a power of two doubles lie closer: the nearest text of n digits
         * may belong to another number, while the next one up belongs to this
         * one. */
        if (power) {
            next_up(&result);
            if (value_of(&result) == back)
                return lay_out(text, value < 0, result, 16);
        }
    }
    return lay_out(text, value < 0, round_to(back, 17), 16);
}

char *
num_digits(char s[NUM_TEXT], double x, int digits)
{
    assert(digits >= 1 && digits <= 17);
    if (special(s, x))
        return s;
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    return lay_out(s, x < 0, round_to(fabs(x), digits), digits);
}

char *
num_bound(char s[NUM_TEXT], double x, int digits)
{
    double told;
    assert(!(x < 0) && digits >= 1 && digits <= 17);
    if (special(s, x))
        return s;
    struct decimal up = round_to(x, digits);
    lay_out(s, false, up, digits);
    num_read(s, strlen(s), &told);
    if (told >= x)
        return s;
    int i = up.n - 1;
    while (i >= 0 && up.d[i] == '9')
        up.d[i--] = '0';
    if (i >= 0) {
        up.d[i]++;
    } else {
        up.d[0] = '1';
        up.e++;
    }
    return lay_out(s, false, up, digits);
}

char *
num_17(char s[NUM_TEXT], double x)
{
    return num_digits(s, x, 17);
}

size_t
num_read(const char *text, size_t len, double *value)
{
    assert(text && value);
    /* 768 digits decide any double; one more digit tells whether there is a
     * rest */
    enum { MOST = 780 };
    char copy[MOST + 40];
    size_t used = 0, at = 0;
    bool negative = false, point = false, rest = false;
    long exponent = 0;
    size_t digits = 0;
    if (at < len && (text[at] == '-' || text[at] == '+'))
        negative = text[at++] == '-';
    for (; at < len; at++) {
        if (text[at] == '.' && !point) {
            /* "1..2" is a range, not a number with two points */
            if (at + 1 < len && text[at + 1] == '.')
                break;
            point = true;
            continue;
        }
        if (text[at] < '0' || text[at] > '9')
            break;
        digits++;
        if (used == 0 && text[at] == '0') {
            exponent -= point;
        } else if (used < MOST) {
            copy[used++] = text[at];
            exponent -= point;
        } else {
            rest = rest || text[at] != '0';
            exponent += !point;
        }
    }
    if (digits == 0)
        return 0;
    if (at + 1 < len && (text[at] == 'e' || text[at] == 'E')) {
        size_t j = at + 1;
        bool down = false;
        if (text[j] == '-' || text[j] == '+')
            down = text[j++] == '-';
        if (j < len && text[j] >= '0' && text[j] <= '9') {
            long e = 0;
            for (; j < len && text[j] >= '0' && text[j] <= '9'; j++)
                if (e < 1000000000L)
                    e = 10 * e + (text[j] - '0');
            exponent += down ? -e : e;
            at = j;
        }
    }
    double y = 0.0;
    if (used > 0) {
        if (rest) {
            copy[used++] = '1';
            exponent--;
        }
        snprintf(copy + used, 40, "e%ld", exponent);
        y = strtod(copy, NULL);
    }
    *value = negative ? -y : y;
    return at;
}
