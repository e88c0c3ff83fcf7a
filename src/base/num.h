/* SPDX-License-Identifier: MIT */
/* Numbers as text, independent of the locale. */
#ifndef IMP_BASE_NUM_H
#define IMP_BASE_NUM_H

#include <stddef.h>

#define NUM_TEXT 32
/* shortest decimal text that reads back as x ("0.1", "1e-09" as 1e-9, "inf",
 * "-inf", "nan"); returns s */
char *num_shortest(char s[NUM_TEXT], double value);
/* 17 significant digits (CSV) */
char *num_17(char s[NUM_TEXT], double x);
/* `digits` significant digits for people */
char *num_digits(char s[NUM_TEXT], double x, int digits);
/* reads the longest decimal number at s (n bytes); returns bytes read, 0 if
 * none; *x is +-HUGE_VAL on overflow */
size_t num_read(const char *text, size_t len, double *value);

#endif
