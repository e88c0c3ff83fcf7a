/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as text: what is printed reads back, in the shortest form, in any
 * locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/num.h"

static uint64_t state = 88172645463325252U;

static uint64_t
next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double
random_double(int k)
{
    union {
        uint64_t u;
        double x;
    } b = {next()};
    if (k % 4 == 1) /* decimals of few digits */
        return (double)(next() % 100000) / pow(10, (double)(next() % 12));
    if (k % 4 == 2) /* powers of two and their neighbours */
        return nextafter(ldexp(1, (int)(next() % 2000) - 1000),
                         next() % 3 == 0 ? 0 : 1e300);
    if (k % 4 == 3) /* denormals */
        b.u &= 0x800fffffffffffffU;
    return isfinite(b.x) ? b.x : 1.0 / 3;
}

static void
check(double x)
{
    char s[NUM_TEXT];
    double y = 0;
    size_t n = strlen(num_shortest(s, x));
    assert_int_equal(num_read(s, n, &y), n);
    assert_memory_equal(&x, &y, sizeof x);
    assert_true(x == strtod(s, NULL));
    n = strlen(num_17(s, x));
    assert_int_equal(num_read(s, n, &y), n);
    assert_memory_equal(&x, &y, sizeof x);
}

static void
round_trip(void **unused)
{
    (void)unused;
    for (int k = 0; k < 100000; k++)
        check(random_double(k));
    check(DBL_MAX);
    check(DBL_MIN);
    check(4.9406564584124654e-324);
    check(-0.0);
}

/* as the C library rounds, or not at all; how often not */
static int
same_digits(double x, int n)
{
    char want[40], d[24];
    int e;
    x = fabs(x);
    if (!(x > 0) || !isfinite(x))
        return 0;
    if (!digits_of(x, n, d, &e))
        return 1;
    snprintf(want, sizeof want, "%.*e", n - 1, x);
    assert_int_equal(d[0], want[0]);
    if (n > 1)
        assert_memory_equal(d + 1, want + 2, n - 1);
    assert_int_equal(e, atoi(strchr(want, 'e') + 1));
    return 0;
}

static void
digits(void **unused)
{
    int unsure = 0;
    (void)unused;
    for (int k = 0; k < 300000; k++)
        unsure += same_digits(random_double(k), 1 + (k / 4) % 17);
    /* mostly what is exactly between two texts */
    assert_in_range(unsure, 0, 30000);
    unsure = 0;
    for (int k = 0; k < 100000; k++)
        unsure += same_digits(random_double(0), 17);
    assert_in_range(unsure, 0, 200);
    for (int k = -323; k <= 308; k++) {
        double x = strtod((char[]){'1', 'e', k < 0 ? '-' : '+',
                                   (char)('0' + abs(k) / 100),
                                   (char)('0' + abs(k) / 10 % 10),
                                   (char)('0' + abs(k) % 10), 0},
                          NULL);
        for (int n = 1; n <= 17; n++) {
            (void)same_digits(x, n);
            (void)same_digits(nextafter(x, 0), n);
            (void)same_digits(nextafter(x, INFINITY), n);
        }
    }
    for (int k = -1074; k < 1024; k++)
        for (int n = 1; n <= 17; n++) {
            (void)same_digits(ldexp(1, k), n);
            (void)same_digits(nextafter(ldexp(1, k), 0), n);
            (void)same_digits(ldexp(4503599627370497.0, k - 52), n);
        }
    (void)same_digits(DBL_MAX, 17);
    (void)same_digits(4.9406564584124654e-324, 17);
}

/* no decimal of fewer digits reads back */
static void
shortest(void **unused)
{
    (void)unused;
    for (int k = 0; k < 20000; k++) {
        double x = fabs(random_double(k));
        char s[NUM_TEXT], t[64];
        num_shortest(s, x);
        int digits = 0;
        for (const char *p = s; *p && *p != 'e'; p++)
            if (*p >= '0' && *p <= '9' && (digits || *p != '0'))
                digits++;
        /* zeros before the exponent's point do not count */
        const char *e = strchr(s, 'e'), *end = e ? e : s + strlen(s);
        if (!strchr(s, '.'))
            while (digits > 1 && end[-1] == '0') {
                end--;
                digits--;
            }
        for (int p = 1; p < digits; p++) {
            snprintf(t, sizeof t, "%.*e", p - 1, x);
            assert_true(strtod(t, NULL) != x);
        }
    }
}

static void
texts(void **unused)
{
    (void)unused;
    static const struct {
        double x;
        const char *s;
    } rows[] = {
        {0.1, "0.1"},       {1e-9, "1e-9"},
        {100, "100"},       {1e15, "1000000000000000"},
        {1e16, "1e16"},     {1.5e300, "1.5e300"},
        {-2.5, "-2.5"},     {5.684341886080802e-14, "5.684341886080802e-14"},
        {5e-324, "5e-324"}, {1.7976931348623157e308, "1.7976931348623157e308"},
        {INFINITY, "inf"},  {-INFINITY, "-inf"},
        {NAN, "nan"},       {0.00001, "0.00001"},
        {-0.0, "-0"}};
    char s[NUM_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(num_shortest(s, rows[i].x), rows[i].s);
    assert_string_equal(num_17(s, 0.1), "0.10000000000000001");
    assert_string_equal(num_digits(s, 123456.0, 3), "1.23e5");
    assert_string_equal(num_digits(s, 0.0123456, 3), "0.0123");
    assert_string_equal(num_digits(s, 9.999, 3), "10");
    assert_string_equal(num_bound(s, 1.5401e-4, 2), "0.00016");
    assert_string_equal(num_bound(s, 1.5e-4, 2), "0.00015");
    assert_string_equal(num_bound(s, 1.56e-9, 2), "1.6e-9");
    assert_string_equal(num_bound(s, 9.91e-9, 2), "1e-8");
    assert_string_equal(num_bound(s, 990.1, 2), "1e3");
}

static void
reading(void **unused)
{
    (void)unused;
    double x = 0;
    assert_int_equal(num_read("1..2", 4, &x), 1);
    assert_int_equal(num_read("1.5x", 4, &x), 3);
    assert_true(x == 1.5);
    assert_int_equal(num_read("-2e3", 4, &x), 4);
    assert_true(x == -2000);
    assert_int_equal(num_read("2e+", 3, &x), 1);
    assert_int_equal(num_read("x", 1, &x), 0);
    assert_int_equal(num_read(".", 1, &x), 0);
    assert_int_equal(num_read("1e999", 5, &x), 5);
    assert_true(isinf(x));
    assert_int_equal(num_read("1e-999", 6, &x), 6);
    assert_true(x == 0);
    /* long texts, right to the last bit */
    char s[3000];
    memset(s, '0', sizeof s);
    memcpy(s, "0.", 2);
    s[1500] = '7';
    assert_int_equal(num_read(s, sizeof s, &x), sizeof s);
    assert_true(x == 0);
    memset(s, '9', sizeof s);
    memcpy(s + 2990, "e-2990", 6);
    assert_int_equal(num_read(s, 2996, &x), 2996);
    assert_true(x == 1.0);
    /* halfway, and just above it by a digit far behind */
    static const char half[] = "9007199254740993";
    num_read(half, sizeof half - 1, &x);
    assert_true(x == 9007199254740992.0);
    memset(s, '0', sizeof s);
    memcpy(s, "9007199254740993.", 17);
    s[2000] = '1';
    num_read(s, sizeof s, &x);
    assert_true(x == 9007199254740994.0);
}

static void
any_locale(void **unused)
{
    (void)unused;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    for (size_t i = 0; i < 3; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    check(0.1);
    check(1.5e-7);
    char s[NUM_TEXT];
    assert_string_equal(num_shortest(s, 0.5), "0.5");
    setlocale(LC_ALL, "C");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip), cmocka_unit_test(digits),
        cmocka_unit_test(shortest),   cmocka_unit_test(texts),
        cmocka_unit_test(reading),    cmocka_unit_test(any_locale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
