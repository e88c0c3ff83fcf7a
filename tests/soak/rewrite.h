/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same model in other words. */
#ifndef SOAK_REWRITE_H
#define SOAK_REWRITE_H

#include <stdio.h>

/* Numbers before the commands become params; gives the text back and returns
 * another one, which the caller frees. */
char *rewrite_as_params(char *text);

/* Lengths in feet, masses in pounds, times of the run in minutes, angles in
 * degrees and turns a minute, where the text has bare numbers. */
char *rewrite_in_feet(char *text, int dimension);

/* The same numbers become entries of a file of data, which is written to
 * `data` and will be "numbers.csv" in the folder. */
char *rewrite_as_data(char *text, int dimension, const char *folder,
                      FILE *data);

#endif
