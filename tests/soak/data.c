/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See data.h. */
#include "data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rewrite.h"

void
data_begin(struct model *model)
{
    strcpy(model->folder, "/tmp/imp-soak-XXXXXX");
    if (!mkdtemp(model->folder)) {
        perror("soak: folder for data");
        exit(3);
    }
}

static const char *
folder_of(const struct model *model)
{
    return model->folder[0] ? model->folder : "data";
}

/* "FOLDER/load3.csv"; -1: that of the numbers. */
static void
path_of(const struct model *model, int body, char *out, size_t size)
{
    if (body < 0)
        snprintf(out, size, "%s/numbers.csv", folder_of(model));
    else
        snprintf(out, size, "%s/load%d.csv", folder_of(model), body);
}

static bool
has_table(const struct model *model, int body)
{
    return model->body[body].there && model->body[body].load.table.knots;
}

void
data_end(const struct model *model)
{
    char path[100];
    for (int i = -1; i < model->bodies; i++) {
        path_of(model, i, path, sizeof path);
        if (i < 0 || has_table(model, i))
            unlink(path);
    }
    rmdir(model->folder);
}

void
data_print_files(const struct model *model, FILE *out)
{
    fputs("use tables\n", out);
    for (int i = 0; i < model->bodies; i++)
        if (has_table(model, i))
            fprintf(out, "data load%d = \"%s/load%d.csv\"\n", i,
                    folder_of(model), i);
}

void
data_print_table(int body, FILE *out)
{
    fprintf(out, "polyline(t/(1 [s]), load%d.at, load%d.value)", body, body);
}

static FILE *
open_file(const struct model *model, int body)
{
    char path[100];
    path_of(model, body, path, sizeof path);
    FILE *out = fopen(model->folder[0] ? path : "/dev/null", "w");
    if (!out) {
        perror("soak: file of data");
        exit(3);
    }
    return out;
}

static void
write_table(const struct model *model, int body)
{
    const struct table *table = &model->body[body].load.table;
    FILE *out = open_file(model, body);
    fputs("at,value\n", out);
    for (int i = 0; i < table->knots; i++)
        fprintf(out, "%.17g,%.17g\n", table->at[i], table->value[i]);
    fclose(out);
}

char *
data_rewrite(const struct model *model, char *text)
{
    for (int i = 0; i < model->bodies; i++)
        if (has_table(model, i))
            write_table(model, i);
    FILE *numbers = open_file(model, -1);
    text = rewrite_as_data(text, model->dimension, folder_of(model), numbers);
    fclose(numbers);
    return text;
}
