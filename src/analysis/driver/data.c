/* SPDX-License-Identifier: MIT */
/* Files of data that take the place of those that a model names, or with which a
 * simulator was built: --data NAME=FILE. The columns that the model asked for are read by their
 * headers, in the units that the model states. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/lists.h"
#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/source.h"
#include "table/table.h"

/* Most bytes of a file, and of one that is unpacked: those of `data` in a
 * model. */
#define DATA_MOST ((size_t)512 << 20)
#define UNPACKED_MOST ((size_t)1 << 30)

/* One file that is being read. */
struct reading {
    const imp_image *im;
    const imp_table *table;
    struct arena *arena;
    struct diags *ds;
    struct sources *sources;
    const char *path, *text;
    size_t size;
    const struct table_h5 *(*find_hdf5)(const char **why);
    const struct table_h5 *hdf5; /* reads this file, if it is of HDF5 */
};

static bool
cannot_read(const struct reading *reading, const char *why, const char *help)
{
    struct diag *diag = diag_add(reading->ds, DIAG_E0390, IMP_NOWHERE,
                                 "cannot read \"%s\": %s", reading->path, why);
    if (help)
        diag_help(reading->ds, diag, "%s", help);
    return false;
}

/* Reads all of the file into the arena. */
static bool
read_bytes(struct reading *reading)
{
    FILE *file = fopen(reading->path, "rb");
    if (!file)
        return cannot_read(reading, strerror(errno), NULL);
    bool seeks = !fseek(file, 0, SEEK_END);
    long size = seeks ? ftell(file) : -1;
    bool fits = size >= 0 && (size_t)size <= DATA_MOST;
    char *text = NULL;
    if (fits && !fseek(file, 0, SEEK_SET) && (text = mem_try((size_t)size + 1)))
        reading->size = fread(text, 1, (size_t)size, file);
    bool whole = text && !ferror(file) && reading->size == (size_t)size;
    (void)fclose(file);
    if (whole)
        reading->text = arena_strndup(reading->arena, text, (size_t)size);
    free(text);
    return whole || cannot_read(reading,
                                size < 0 ? "it is no file"
                                : !fits  ? "it has more than 512 MB"
                                         : "its bytes cannot be read",
                                NULL);
}

/* Reports what is wrong in the file, at its place there. */
static bool
wrong_file(const struct reading *reading, const struct table_error *error)
{
    if (error->no_place)
        return cannot_read(reading, error->message, error->help);
    uint32_t file = sources_add(reading->sources, reading->path, reading->text,
                                reading->size);
    imp_range range = {file, (uint32_t)error->lo, (uint32_t)error->hi};
    struct diag *diag =
        diag_add(reading->ds, DIAG_E0391, range, "%s", error->message);
    if (error->help)
        diag_help(reading->ds, diag, "%s", error->help);
    return false;
}

/* Finds the column of the file that has this header. */
static bool
find_header(const struct reading *reading, const struct table_head *head,
            const char *header, size_t *number)
{
    size_t found = 0;
    for (size_t i = 0; i < head->n; i++)
        if (!strcmp(head->names[i], header)) {
            *number = i;
            found++;
        }
    if (found == 1)
        return true;
    struct table_error error = {
        0, head->n ? head->hi[head->n - 1] : 0,
        arena_printf(reading->arena, "%s \"%s\", which `%s` needs",
                     found ? "several columns of this file have the header"
                           : "this file has no column with the header",
                     header, imp_text(reading->im, reading->table->name)),
        NULL, false};
    const char *near = found ? NULL : suggest(header, head->names, head->n);
    if (near)
        error.help =
            arena_printf(reading->arena, "there is a column \"%s\"", near);
    return wrong_file(reading, &error);
}

/* Are the numbers of this column in the unit that the model takes? `unit` is
 * what the file says, or NULL. */
static bool
same_unit(const struct reading *reading, const imp_table_column *column,
          const char *unit)
{
    const char *stated = imp_text(reading->im, column->stated),
               *said = imp_text(reading->im, column->said),
               *header = imp_text(reading->im, column->header),
               *wanted = *stated ? stated : said;
    bool none = !unit || !*unit;
    if (column->text || (none ? *stated || !*said
                              : !strcmp(unit, stated) || !strcmp(unit, said)))
        return true;
    if (none)
        return cannot_read(
            reading,
            arena_printf(reading->arena,
                         "it does not say in which unit `%s` is, and the model "
                         "leaves that to the file",
                         header),
            arena_printf(reading->arena,
                         "give the dataset an attribute `unit`, as \"%s\", or "
                         "state the unit in the model",
                         said));
    return cannot_read(
        reading,
        arena_printf(reading->arena,
                     "it says that `%s` is in %s, but the model takes %s",
                     header, unit, *wanted ? wanted : "numbers without a unit"),
        "write the file in the unit of the model, or name it in the model "
        "itself: data NAME = \"FILE\"");
}

/* A model that adds up the rows along the motion has a term for each. */
static bool
rows_fit(const struct reading *reading, size_t rows)
{
    if (!reading->table->whole || rows == reading->table->whole)
        return true;
    const char *name = imp_text(reading->im, reading->table->name);
    return cannot_read(
        reading,
        arena_printf(reading->arena,
                     "it has %zu rows, but `%s` has %u in this model, which "
                     "adds them up along the motion, term by term",
                     rows, name, reading->table->whole),
        arena_printf(reading->arena,
                     "name the file in the model itself: data %s = \"%s\"", name,
                     reading->path));
}

static bool
read_columns(struct reading *reading, struct data_columns *columns)
{
    const imp_table_column *column =
        IMP_ARRAY(reading->im, reading->table->columns, imp_table_column);
    const struct table_kind *kind = table_kind_of(reading->path);
    struct table_head head;
    struct table_error error;
    size_t n = reading->table->columns.n;
    struct table_column *wanted =
        NEW_N(reading->arena, struct table_column, n + 1);
    const char *missing = reading->table->has_missing
                              ? imp_text(reading->im, reading->table->missing)
                              : NULL;
    if (!kind)
        return cannot_read(
            reading, "the ending of its name tells no kind of table",
            arena_printf(reading->arena, "names of tables end in %s",
                         table_endings()));
    if (!read_bytes(reading))
        return false;
    if (table_is_hdf5(kind) && reading->find_hdf5) {
        const char *why = "it is a file of HDF5";
        reading->hdf5 = reading->find_hdf5(&why);
        if (!reading->hdf5)
            return cannot_read(reading, why, NULL);
    }
    if (table_is_packed(reading->path) &&
        !table_unpack(reading->arena, reading->text, reading->size,
                      UNPACKED_MOST, &reading->text, &reading->size, &error))
        return cannot_read(reading, error.message, error.help);
    if (!table_read_head(kind, reading->hdf5, reading->arena, reading->text, reading->size,
                         &head, &error))
        return wrong_file(reading, &error);
    for (size_t i = 0; i < n; i++) {
        wanted[i].text = column[i].text;
        if (!find_header(reading, &head,
                         imp_text(reading->im, column[i].header),
                         &wanted[i].number) ||
            !same_unit(reading, &column[i],
                       head.units ? head.units[wanted[i].number] : NULL))
            return false;
    }
    if (!table_read_rows(kind, reading->hdf5, reading->arena, reading->text, reading->size,
                         &head, wanted, n, missing, &columns->rows, &error))
        return wrong_file(reading, &error);
    if (!rows_fit(reading, columns->rows))
        return false;
    for (size_t i = 0; i < n; i++)
        table_scale(wanted[i].numbers, columns->rows, column[i].unit_num,
                    column[i].unit_den);
    columns->column = wanted;
    /* nothing that is written may take the place of this file */
    sources_add(reading->sources, reading->path, "", 0);
    return true;
}

/* The names of all data of a model, in a row. */
static const char *
data_names(struct arena *arena, const char *const *names, uint32_t n)
{
    const char *text = names[0];
    for (uint32_t i = 1; i < n; i++)
        text = arena_printf(arena, "%s, %s", text, names[i]);
    return text;
}

bool
driver_data(const imp_image *im, struct sources *sources, struct arena *arena,
            const char *text,
            const struct table_h5 *(*hdf5)(const char **why),
            struct data_columns **data, struct diags *ds)
{
    assert(im && sources && arena && text && data && ds);
    const imp_table *table = IMP_ARRAY(im, im->tables, imp_table);
    const char *equals = strchr(text, '=');
    const char **names = NEW_N(arena, const char *, im->tables.n + 1);
    if (!equals || equals == text || !equals[1]) {
        struct diag *diag =
            diag_add(ds, DIAG_E0836, IMP_NOWHERE,
                     "`--data` wants NAME=FILE; found `%s`", text);
        diag_help(ds, diag, "as in `--data drop=second-drop.csv`");
        return false;
    }
    const char *name = arena_strndup(arena, text, (size_t)(equals - text));
    if (!*data)
        *data = NEW_N(arena, struct data_columns, im->tables.n + 1);
    for (uint32_t i = 0; i < im->tables.n; i++) {
        names[i] = imp_text(im, table[i].name);
        struct reading reading = {.im = im,
                                  .table = &table[i],
                                  .arena = arena,
                                  .ds = ds,
                                  .sources = sources,
                                  .path = equals + 1,
                                  .find_hdf5 = hdf5};
        if (!strcmp(names[i], name))
            return read_columns(&reading, &(*data)[i]);
    }
    struct diag *diag = diag_add(ds, DIAG_E0836, IMP_NOWHERE,
                                 "the model has no data `%s`", name);
    const char *near = suggest(name, names, im->tables.n);
    if (near)
        diag_help(ds, diag, "did you mean `%s`?", near);
    else if (!im->tables.n)
        diag_help(ds, diag, "it reads no data at all");
    else
        diag_help(ds, diag, "its data: %s", data_names(arena, names, im->tables.n));
    return false;
}
