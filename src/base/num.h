/* SPDX-License-Identifier: MIT */
/* Numbers as text, independent of the locale. */
#ifndef IMP_BASE_NUM_H
#define IMP_BASE_NUM_H

#include <stddef.h>

#define NUM_TEXT 32
/* The shortest decimal text that reads back as the same value ("0.1", "1e-9",
 * "inf", "-inf", "nan"). Returns text. */
char *num_shortest(char s[NUM_TEXT], double value);
/* 17 significant digits (CSV) */
char *num_17(char s[NUM_TEXT], double x);
/* `digits` significant digits for people */
char *num_digits(char s[NUM_TEXT], double x, int digits);
/* a bound: x > 0 in as many digits, rounded up, so that what is told is no less
 */
char *num_bound(char s[NUM_TEXT], double x, int digits);
/* Reads the longest decimal number at `text` (len bytes). Returns the bytes
 * read, 0 if there is none; *value is +-HUGE_VAL on overflow. */
size_t num_read(const char *text, size_t len, double *value);

#endif
