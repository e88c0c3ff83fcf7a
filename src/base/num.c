/* SPDX-License-Identifier: MIT */
/* Numbers as text, independent of the locale. The C library does the exact
 * work where base/digits.h leaves it to it; its decimal point, the one thing a
 * locale changes, is never let in or out: texts are taken apart into digits and
 * exponent and put together here. */
#include "base/num.h"

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
lay_out(char s[NUM_TEXT], bool negative, struct decimal result, int widest)
{
    char *p = s;
    while (result.n > 1 && result.d[result.n - 1] == '0')
        result.n--;
    if (negative)
        *p++ = '-';
    if (result.e >= -5 && result.e < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > result.e; i--)
            *p++ = '0';
        memcpy(p, result.d, (size_t)result.n);
        p += result.n;
    } else if (result.e >= 0 && result.e < widest) {
        for (int i = 0; i < result.n || i <= result.e; i++) {
            if (i == result.e + 1)
                *p++ = '.';
            *p++ = i < result.n ? result.d[i] : '0';
        }
    } else {
        *p++ = result.d[0];
        if (result.n > 1) {
            *p++ = '.';
            memcpy(p, result.d + 1, (size_t)result.n - 1);
            p += result.n - 1;
        }
        p += snprintf(p, 8, "e%d", result.e);
    }
    *p = 0;
    return s;
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
num_shortest(char s[NUM_TEXT], double x)
{
    if (special(s, x))
        return s;
    double y = fabs(x);
    /* integers of few digits: the common case, cheaply */
    if (y < 1e9 && y == floor(y)) {
        snprintf(s, NUM_TEXT, "%s%d", x < 0 ? "-" : "", (int)y);
        return s;
    }
    /* Up to 15 digits determine a normal double, so that the rounding to 15
     * has the shortest text as its own, with zeros behind; denormals hold
     * fewer digits and are searched from one digit on. */
    int e2;
    bool power = frexp(y, &e2) == 0.5;
    struct decimal result;
    for (int n = y < 2.3e-308 ? 1 : 15; n < 17; n++) {
        result = round_to(y, n);
        if (value_of(&result) == y)
            return lay_out(s, x < 0, result, 16);
        /* below a power of two doubles lie closer: the nearest text of n
         * digits may be another number's while the next one up is ours */
        if (power) {
            next_up(&result);
            if (value_of(&result) == y)
                return lay_out(s, x < 0, result, 16);
        }
    }
    return lay_out(s, x < 0, round_to(y, 17), 16);
}

char *
num_digits(char s[NUM_TEXT], double x, int digits)
{
    if (special(s, x))
        return s;
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    return lay_out(s, x < 0, round_to(fabs(x), digits), digits);
}

char *
num_17(char s[NUM_TEXT], double x)
{
    return num_digits(s, x, 17);
}

size_t
num_read(const char *s, size_t n, double *x)
{
    /* 768 digits decide any double; one more tells whether there is a rest */
    enum { MOST = 780 };
    char t[MOST + 40];
    size_t used = 0, i = 0;
    bool negative = false, point = false, rest = false;
    long exponent = 0;
    size_t digits = 0;
    if (i < n && (s[i] == '-' || s[i] == '+'))
        negative = s[i++] == '-';
    for (; i < n; i++) {
        if (s[i] == '.' && !point) {
            /* "1..2" is a range, not a number with two points */
            if (i + 1 < n && s[i + 1] == '.')
                break;
            point = true;
            continue;
        }
        if (s[i] < '0' || s[i] > '9')
            break;
        digits++;
        if (used == 0 && s[i] == '0') {
            exponent -= point;
        } else if (used < MOST) {
            t[used++] = s[i];
            exponent -= point;
        } else {
            rest = rest || s[i] != '0';
            exponent += !point;
        }
    }
    if (digits == 0)
        return 0;
    if (i + 1 < n && (s[i] == 'e' || s[i] == 'E')) {
        size_t j = i + 1;
        bool down = false;
        if (s[j] == '-' || s[j] == '+')
            down = s[j++] == '-';
        if (j < n && s[j] >= '0' && s[j] <= '9') {
            long e = 0;
            for (; j < n && s[j] >= '0' && s[j] <= '9'; j++)
                if (e < 1000000000L)
                    e = 10 * e + (s[j] - '0');
            exponent += down ? -e : e;
            i = j;
        }
    }
    double y = 0.0;
    if (used > 0) {
        if (rest) {
            t[used++] = '1';
            exponent--;
        }
        snprintf(t + used, 40, "e%ld", exponent);
        y = strtod(t, NULL);
    }
    *x = negative ? -y : y;
    return i;
}
