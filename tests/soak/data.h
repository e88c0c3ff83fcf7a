/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models that take numbers and tables from files. */
#ifndef SOAK_DATA_H
#define SOAK_DATA_H

#include "model.h"

/* Makes a folder for the files of the model; data_end removes it. */
void data_begin(struct model *model);
void data_end(const struct model *model);
/* The lines of the text that name the files of tables. */
void data_print_files(const struct model *model, FILE *out);
/* The table of the force on a body, from its file. */
void data_print_table(int body, FILE *out);
/* Writes the files, if there is a folder, and takes the numbers of the text
 * from one of them; frees it, and the caller frees the result. */
char *data_rewrite(const struct model *model, char *text);

#endif
