/* SPDX-License-Identifier: GPL-3.0-or-later */
/* data NAME = "file" { column time : s = "time [s]"  missing = "NA" }: the
 * file is read when the model is checked, and its columns become part of the
 * typed model, in SI units. A mistake in the file is shown in the file. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/source.h"
#include "check/quantities/lists.h"
#include "table/table.h"

/* One column that the model asks for. */
struct asked {
    const char *name;   /* in the model */
    const char *header; /* in the file */
    imp_range range;    /* of the header's text, or of the file's name */
    struct unit unit;
    bool stated; /* the model says the unit */
    /* the texts of the unit in the model, and of the file; NULL: it has none */
    const char *unit_stated, *unit_said;
    bool text; /* a column of texts */
    bool open; /* or of numbers: its cells say it */
};
struct reading {
    struct decl *decl;
    const char *path, *text, *missing;
    size_t size;
    const struct table_kind *kind;
    const struct table_h5 *hdf5; /* reads HDF5 files */
    struct table_head head;
    struct {
        struct asked *v;
        size_t n, cap;
    } asked;
};

/* Reports what is wrong with the file, at its place there. */
static void
wrong_file(struct check *ck, const struct reading *reading,
           const struct table_error *error)
{
    if (error->no_place) {
        struct diag *diag =
            check_error(ck, DIAG_E0390, reading->decl->item->value->range,
                        "cannot read \"%s\": %s",
                        reading->decl->item->value->text, error->message);
        if (error->help)
            CHECK_HELP(ck, diag, "%s", error->help);
        return;
    }
    uint32_t file = sources_add(ck->in->sources, reading->path, reading->text,
                                reading->size);
    imp_range range = {file, (uint32_t)error->lo, (uint32_t)error->hi};
    struct diag *diag =
        check_error(ck, DIAG_E0391, range, "%s", error->message);
    CHECK_NOTE(ck, diag, reading->decl->item->value->range, "read here");
    if (error->help)
        CHECK_HELP(ck, diag, "%s", error->help);
}

static bool
is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_' && !(*text & 0x80))
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && !(*text & 0x80))
            return false;
    return true;
}

/* Notes one column, unless another one has its name. */
static bool
ask(struct check *ck, struct reading *reading, struct asked asked)
{
    for (size_t i = 0; i < reading->asked.n; i++)
        if (!strcmp(reading->asked.v[i].name, asked.name)) {
            struct diag *diag =
                check_error(ck, DIAG_E0392, asked.range,
                            "two columns have the name `%s`", asked.name);
            CHECK_NOTE(ck, diag, reading->asked.v[i].range, "the other one");
            return false;
        }
    APUSH(ck, &reading->asked, asked);
    return true;
}

/* What stands at this place of the model. */
static const char *
text_of(struct check *ck, imp_range range)
{
    const struct source *source = source_get(ck->in->sources, range.file);
    return arena_strndup(ck->arena, source->text + range.lo,
                         range.hi - range.lo);
}

static bool
block_column(struct check *ck, struct reading *reading,
             const struct ast_item *it)
{
    struct asked asked = {.name = it->name.text,
                          .unit = {1, 1, dim_pure(ck->dims)}};
    if (it->value && it->value->kind != AST_TEXT) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0392, it->range,
                               "a column is named as in the header of the "
                               "file, in quotes"),
                   "column %s = \"%s\"", it->name.text, it->name.text);
        return false;
    }
    asked.header = it->value ? it->value->text : it->name.text;
    asked.range = it->value ? it->value->range : it->name.range;
    asked.text = it->dim && it->dim->kind == AST_NAME &&
                 !strcmp(it->dim->name.text, "text");
    asked.stated = it->dim && !asked.text;
    if (asked.stated && !unit_of_ast(ck, it->dim, &asked.unit))
        return false;
    if (asked.stated)
        asked.unit_stated = text_of(ck, it->dim->range);
    return ask(ck, reading, asked);
}

static bool
block(struct check *ck, struct reading *reading)
{
    const struct ast_item *it = reading->decl->item;
    bool ok = true;
    for (size_t i = 0; i < it->n_block; i++) {
        const struct ast_item *key = it->block[i];
        if (key->kind == AST_COLUMN) {
            ok &= block_column(ck, reading, key);
        } else if (key->kind == AST_KEY && key->value &&
                   !strcmp(key->name.text, "missing")) {
            if (key->value->kind == AST_TEXT) {
                reading->missing = key->value->text;
                continue;
            }
            CHECK_HELP(ck,
                       check_error(ck, DIAG_E0392, key->value->range,
                                   "`missing` is the text of a cell without a "
                                   "value, in quotes"),
                       "missing = \"NA\", or missing = \"\" for empty cells");
            ok = false;
        } else {
            CHECK_HELP(ck,
                       check_error(ck, DIAG_E0301, key->head,
                                   "data have no key `%s`",
                                   key->name.text ? key->name.text : ""),
                       "column NAME : unit = \"header\", and missing = "
                       "\"text\"");
            ok = false;
        }
    }
    return ok;
}

/* The header with "_2" in place of each index "[2]" that stands right behind a
 * name: of what a run has saved, ball_position[2].x, or a column of HDF5. */
static const char *
without_indices(struct check *ck, const char *header)
{
    char *out = arena_strdup(ck->arena, header), *end = out;
    for (const char *at = header; *at;) {
        size_t digits = *at == '[' ? strspn(at + 1, "0123456789") : 0;
        if (digits && at > header && at[-1] != ' ' && at[1 + digits] == ']') {
            *end++ = '_';
            memcpy(end, at + 1, digits);
            end += digits;
            at += digits + 2;
        } else {
            *end++ = *at++;
        }
    }
    *end = 0;
    return out;
}

/* What a header says without a block: the name, of which spaces, hyphens, dots
 * and indices (of what a run has saved, ball_position[2].x) become _, and the
 * unit in brackets behind it, `height [mm]`; without one the numbers are pure.
 * HDF5 has units beside the names: there slashes become _, too. False: it is no
 * name, or has no unit in its brackets. */
static bool
header_says(struct check *ck, const char *header, bool hdf5,
            struct asked *asked)
{
    header = without_indices(ck, header);
    size_t length = strlen(header);
    const char *open = hdf5 ? NULL : strchr(header, '[');
    asked->unit = (struct unit){1, 1, dim_pure(ck->dims)};
    if (open) {
        if (header[length - 1] != ']')
            return false;
        const char *unit = arena_printf(
            ck->arena, "%.*s", (int)(header + length - open - 2), open + 1);
        if (!unit_of_text(ck->dims, unit, &asked->unit))
            return false;
        length = (size_t)(open - header);
    }
    while (length && header[length - 1] == ' ')
        length--;
    char *name = arena_alloc(ck->arena, length + 1);
    for (size_t i = 0; i < length; i++)
        name[i] = strchr(hdf5 ? " -./" : " -.", header[i]) ? '_' : header[i];
    name[length] = 0;
    asked->name = name;
    return is_name(name);
}

/* Is what should name the columns a row of numbers? */
static bool
names_are_numbers(const struct table_head *head)
{
    for (size_t i = 0; i < head->n; i++) {
        double x;
        size_t length = strlen(head->names[i]);
        if (!length || num_read(head->names[i], length, &x) != length)
            return false;
    }
    return head->n > 0;
}

/* E0391: without a block of columns this header cannot name one. */
static void
no_name(struct check *ck, struct reading *reading, size_t column)
{
    const struct table_head *head = &reading->head;
    size_t lo = head->lo[column], hi = head->hi[column];
    const char *header = head->names[column];
    if (names_are_numbers(head) || *header == '#') {
        bool numbers = *header != '#';
        struct table_error none = {
            numbers ? head->lo[0] : lo, numbers ? head->hi[head->n - 1] : hi,
            numbers ? "the first line names the columns, but here it has "
                      "numbers"
                    : "the first line names the columns, but here it is a "
                      "comment",
            numbers ? "write a line with the names above it, as in: time,height"
                    : "delete the comments, and the # before the names if they "
                      "stand behind one",
            table_is_hdf5(reading->kind)};
        wrong_file(ck, reading, &none);
        return;
    }
    struct table_error error = {
        lo, hi > lo ? hi : lo + 1,
        arena_printf(ck->arena,
                     strchr(header, '[') && *header != '['
                         ? "this header is no name with a unit: \"%s\""
                         : "this header is no name: \"%s\"",
                     header),
        head->n == 1 && strpbrk(header, ";\t")
            ? "the cells of a line are divided by commas, and numbers "
              "have a decimal point"
            : arena_printf(ck->arena,
                           "name the columns: data %s = \"%s\" { "
                           "column x%zu = \"%s\" }",
                           reading->decl->name,
                           reading->decl->item->value->text, column, header),
        table_is_hdf5(reading->kind)};
    wrong_file(ck, reading, &error);
}

/* E0391: two headers give one name. */
static bool
name_is_new(struct check *ck, const struct reading *reading, size_t column,
            const char *name)
{
    for (size_t i = 0; i < reading->asked.n; i++) {
        if (strcmp(reading->asked.v[i].name, name))
            continue;
        struct table_error error = {
            reading->head.lo[column], reading->head.hi[column],
            arena_printf(ck->arena, "two columns have the name `%s`", name),
            "give them different headers", table_is_hdf5(reading->kind)};
        wrong_file(ck, reading, &error);
        return false;
    }
    return true;
}

/* Without a block of columns all of the file are taken that have a header, as
 * these say. */
static bool
all_columns(struct check *ck, struct reading *reading)
{
    const struct table_head *head = &reading->head;
    for (size_t i = 0; i < head->n; i++) {
        struct asked asked = {.header = head->names[i],
                              .text = head->texts && head->texts[i],
                              .range = reading->decl->item->value->range};
        if ((head->empty && head->empty[i]) || !*head->names[i])
            continue;
        if (!header_says(ck, head->names[i], table_is_hdf5(reading->kind),
                         &asked)) {
            no_name(ck, reading, i);
            return false;
        }
        asked.open =
            !table_is_hdf5(reading->kind) && !strchr(head->names[i], '[');
        if (!name_is_new(ck, reading, i, asked.name) ||
            !ask(ck, reading, asked))
            return false;
    }
    if (!reading->asked.n)
        no_name(ck, reading, 0);
    return reading->asked.n > 0;
}

/* The unit that the file states beside a column, as an attribute of HDF5 is: it
 * holds where the model states none, and must be that of the model otherwise.
 * What is no unit of ours is passed over where the model states one. E0392. */
static bool
file_unit(struct check *ck, const struct reading *reading, struct asked *asked,
          const char *text)
{
    struct unit unit = {1, 1, dim_pure(ck->dims)};
    bool known = !*text || unit_of_text(ck->dims, text, &unit);
    if (asked->text || (!known && asked->stated))
        return true;
    if (known && !asked->stated) {
        asked->unit = unit;
        return true;
    }
    if (known &&
        !strcmp(dim_text(ck->dims, unit.dim),
                dim_text(ck->dims, asked->unit.dim)) &&
        unit.num * asked->unit.den == asked->unit.num * unit.den)
        return true;
    struct diag *diag = check_error(
        ck, DIAG_E0392, asked->range,
        known ? "the file says that `%s` is in %s, which is another unit"
              : "the file says that `%s` is in \"%s\", which is no unit here",
        asked->header, *text ? text : "no unit");
    if (known)
        CHECK_HELP(ck, diag,
                   "leave the unit out: numbers are taken in that of the file");
    else
        CHECK_HELP(ck, diag,
                   "state it: data %s = \"%s\" { column x : m = "
                   "\"%s\" }",
                   reading->decl->name, reading->decl->item->value->text,
                   asked->header);
    return false;
}

/* A header with a unit in brackets, `height [mm]`, of which the model says
 * another one. E0392. */
static bool
header_unit(struct check *ck, const struct asked *asked)
{
    size_t length = strlen(asked->header);
    const char *open = strrchr(asked->header, '[');
    struct unit unit;
    if (!asked->stated || !open || asked->header[length - 1] != ']')
        return true;
    const char *text = arena_printf(
        ck->arena, "%.*s", (int)(asked->header + length - open - 2), open + 1);
    if (!unit_of_text(ck->dims, text, &unit) ||
        (!strcmp(dim_text(ck->dims, unit.dim),
                 dim_text(ck->dims, asked->unit.dim)) &&
         unit.num * asked->unit.den == asked->unit.num * unit.den))
        return true;
    struct diag *diag = check_error(
        ck, DIAG_E0392, asked->range,
        "the header says that this column is in %s, which is another unit",
        text);
    CHECK_HELP(ck, diag,
               "its numbers are taken in the unit that stands here: column %s "
               ": %s = ...",
               asked->name, text);
    return false;
}

/* The header that is this text with a unit in brackets behind it; NULL: there
 * is none. */
static const char *
with_unit(const struct table_head *head, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < head->n; i++)
        if (!strncmp(head->names[i], text, length) &&
            head->names[i][length + strspn(head->names[i] + length, " ")] ==
                '[')
            return head->names[i];
    return NULL;
}

/* Finds the column of the file with this header. */
static bool
find_header(struct check *ck, const struct reading *reading,
            const struct asked *asked, size_t *number)
{
    const struct table_head *head = &reading->head;
    size_t found = 0;
    for (size_t i = 0; i < head->n; i++)
        if (!strcmp(head->names[i], asked->header)) {
            *number = i;
            found++;
        }
    if (found == 1)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0392, asked->range, "%s \"%s\"",
                    found ? "several columns of this file have the header"
                          : "the file has no column with the header",
                    asked->header);
    const char *near = found ? NULL : with_unit(head, asked->header);
    if (!found && !near)
        near = suggest(asked->header, head->names, head->n);
    if (near) {
        CHECK_HELP(ck, diag, "did you mean \"%s\"?", near);
        /* a header that is not stated is the name, where it stands alone */
        bool alone = !strcmp(asked->name, asked->header) &&
                     asked->range.hi - asked->range.lo == strlen(asked->name);
        if (!alone || !asked->stated)
            diag_fix(ck->ds, diag, asked->range,
                     arena_printf(ck->arena, "%s%s\"%s\"",
                                  alone ? asked->name : "", alone ? " = " : "",
                                  near));
    } else if (!found) {
        CHECK_HELP(
            ck, diag, "its columns are %s%s",
            check_join(ck, head->names, head->n < 12 ? head->n : 12, "and"),
            head->n > 12 ? " and others" : "");
    }
    return false;
}

/* Makes the table of the columns that were read. */
static void
make_table(struct check *ck, const struct reading *reading,
           const struct table_column *read, size_t n_rows)
{
    size_t n = reading->asked.n;
    struct tm_table table = {.name = reading->decl->name,
                             .doc = reading->decl->item->doc,
                             .file = reading->decl->item->value->text,
                             .missing = reading->missing,
                             .range = reading->decl->range,
                             .columns =
                                 NEW_N(ck->arena, struct tm_table_column, n),
                             .n_columns = n,
                             .n_rows = n_rows};
    const struct dim **dims = NEW_N(ck->arena, const struct dim *, n);
    for (size_t c = 0; c < n; c++) {
        const struct asked *asked = &reading->asked.v[c];
        table_scale(read[c].numbers, n_rows, asked->unit.num, asked->unit.den);
        dims[c] = asked->unit.dim;
        table.columns[c] =
            (struct tm_table_column){.name = asked->name,
                                     .header = asked->header,
                                     .unit_num = asked->unit.num,
                                     .unit_den = asked->unit.den,
                                     .stated = asked->unit_stated,
                                     .said = asked->unit_said,
                                     .text = asked->text,
                                     .words = read[c].words.v,
                                     .n_words = read[c].words.n,
                                     .x = read[c].numbers};
        table.columns[c].unit = dim_text(ck->dims, dims[c]);
    }
    reading->decl->index = (uint32_t)ck->lists.tables.n;
    APUSH(ck, &ck->lists.tables, table);
    APUSH(ck, &ck->notes.tables, dims);
}

static bool
read_table(struct check *ck, struct reading *reading)
{
    struct table_error error;
    if (!table_read_head(reading->kind, reading->hdf5, ck->arena, reading->text,
                         reading->size, &reading->head, &error)) {
        wrong_file(ck, reading, &error);
        return false;
    }
    if (!reading->asked.n && !all_columns(ck, reading))
        return false;
    size_t n = reading->asked.n, n_rows;
    struct table_column *columns = NEW_N(ck->arena, struct table_column, n);
    for (size_t i = 0; i < n; i++) {
        columns[i].text = reading->asked.v[i].text;
        columns[i].open = reading->asked.v[i].open;
        if (!find_header(ck, reading, &reading->asked.v[i], &columns[i].number))
            return false;
        const char *const *units = reading->head.units;
        const char *unit = units ? units[columns[i].number] : NULL;
        reading->asked.v[i].unit_said = unit;
        if (unit ? !file_unit(ck, reading, &reading->asked.v[i], unit)
                 : !units && !header_unit(ck, &reading->asked.v[i]))
            return false;
    }
    if (!table_read_rows(reading->kind, reading->hdf5, ck->arena, reading->text,
                         reading->size, &reading->head, columns, n,
                         reading->missing, &n_rows, &error)) {
        wrong_file(ck, reading, &error);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        reading->asked.v[i].text = columns[i].text;
    make_table(ck, reading, columns, n_rows);
    return true;
}

/* most bytes of a file that is unpacked */
#define UNPACKED_MOST ((size_t)1 << 30)

static bool
unpack(struct check *ck, struct reading *reading)
{
    struct table_error error;
    const char *name = reading->decl->item->value->text;
    if (!table_is_packed(name) ||
        table_unpack(ck->arena, reading->text, reading->size, UNPACKED_MOST,
                     &reading->text, &reading->size, &error))
        return true;
    CHECK_HELP(ck,
               check_error(ck, DIAG_E0390, reading->decl->item->value->range,
                           "cannot read \"%s\": %s", name, error.message),
               "%s", error.help);
    return false;
}

/* Loads what reads HDF5 files. */
static bool
load(struct check *ck, struct reading *reading)
{
    if (!table_is_hdf5(reading->kind))
        return true;
    const char *why = "this program reads no HDF5 files";
    reading->hdf5 = ck->in->hdf5 ? ck->in->hdf5(&why) : NULL;
    if (reading->hdf5)
        return true;
    CHECK_HELP(ck,
               check_error(ck, DIAG_E0390, reading->decl->item->value->range,
                           "cannot read \"%s\": %s",
                           reading->decl->item->value->text, why),
               "write the columns as CSV");
    return false;
}

static bool
declare_data(struct check *ck, struct decl *decl)
{
    const struct ast_item *it = decl->item;
    struct reading reading = {.decl = decl};
    if (it->value && it->value->kind != AST_TEXT) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0390, it->range,
                               "data come from a file, whose name stands in "
                               "quotes"),
                   "data %s = \"%s.csv\"", decl->name, decl->name);
        return false;
    }
    if (!block(ck, &reading))
        return false;
    reading.kind = table_kind_of(it->value->text);
    if (!reading.kind) {
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0390, it->value->range,
                               "cannot read \"%s\": the ending of its name "
                               "tells no kind of table",
                               it->value->text),
                   "names of tables end in %s", table_endings());
        return false;
    }
    reading.text =
        scope_read_data(ck, decl->module, it, &reading.path, &reading.size);
    if (!reading.text || !unpack(ck, &reading) || !load(ck, &reading) ||
        !read_table(ck, &reading))
        return false;
    /* nothing that is written may take the place of this file */
    sources_add(ck->in->sources, reading.path, "", 0);
    return true;
}

void
check_data(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_DATA)
                decl->broken = !declare_data(ck, decl);
}
