/* SPDX-License-Identifier: MIT */
/* CSV (RFC 4180): a header, then one row per line. Cells may stand in double
 * quotes, blanks around a number do not count, lines end with LF or CR LF, and
 * empty lines are left out. Where the header has no comma, semicolons divide
 * its cells, and those of all rows, or else tabs. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "table/table_priv.h"

struct cursor {
    const char *text;
    size_t n, at;
    char separator;
};
/* A cell as it stands in the text, without quotes; doubled quotes in it are not
 * yet undone. */
struct cell {
    size_t lo, hi;
    bool quoted, last; /* the last one of its line */
};

static bool
ends_line(const struct cursor *cursor)
{
    return cursor->at >= cursor->n || cursor->text[cursor->at] == '\n' ||
           (cursor->text[cursor->at] == '\r' && cursor->at + 1 < cursor->n &&
            cursor->text[cursor->at + 1] == '\n');
}

/* Goes behind the end of a line. */
static void
next_line(struct cursor *cursor)
{
    if (cursor->at < cursor->n && cursor->text[cursor->at] == '\r')
        cursor->at++;
    if (cursor->at < cursor->n)
        cursor->at++;
}

static void
skip_empty_lines(struct cursor *cursor)
{
    while (cursor->at < cursor->n && ends_line(cursor))
        next_line(cursor);
}

static bool
quoted_cell(struct cursor *cursor, struct cell *cell, struct table_error *error)
{
    size_t open = cursor->at++;
    *cell = (struct cell){.lo = cursor->at, .quoted = true};
    for (;; cursor->at++) {
        if (cursor->at >= cursor->n)
            return table_wrong(error, open, open + 1,
                               "this quote is never closed",
                               "a quote within a quoted cell is doubled");
        if (cursor->text[cursor->at] != '"')
            continue;
        if (cursor->at + 1 < cursor->n && cursor->text[cursor->at + 1] == '"')
            cursor->at++;
        else
            break;
    }
    cell->hi = cursor->at++;
    if (!ends_line(cursor) && cursor->text[cursor->at] != cursor->separator)
        return table_wrong(error, cursor->at, cursor->at + 1,
                           cursor->separator == ','
                               ? "a quoted cell is followed by a comma or the "
                                 "end of the line"
                               : "a quoted cell is followed by what divides "
                                 "the cells, or the end of the line",
                           NULL);
    return true;
}

/* Reads the next cell of the line, and the separator behind it. */
static bool
next_cell(struct cursor *cursor, struct cell *cell, struct table_error *error)
{
    if (cursor->at < cursor->n && cursor->text[cursor->at] == '"') {
        if (!quoted_cell(cursor, cell, error))
            return false;
    } else {
        const char *text = cursor->text;
        size_t at = cursor->at, n = cursor->n;
        while (at < n && text[at] != cursor->separator && text[at] != '\n')
            at++;
        size_t hi = at;
        if (hi > cursor->at && text[hi - 1] == '\r' && at < n &&
            text[at] == '\n')
            at = --hi;
        *cell = (struct cell){.lo = cursor->at, .hi = hi};
        cursor->at = at;
    }
    cell->last = ends_line(cursor);
    if (cell->last)
        next_line(cursor);
    else
        cursor->at++; /* the separator */
    return true;
}

/* The text of a cell, with doubled quotes undone and blanks around it left
 * out. */
static const char *
cell_text(struct arena *arena, const char *text, const struct cell *cell)
{
    char *out = arena_alloc(arena, cell->hi - cell->lo + 1);
    size_t n = 0, lo = cell->lo, hi = cell->hi;
    while (!cell->quoted && lo < hi && (text[lo] == ' ' || text[lo] == '\t'))
        lo++;
    while (!cell->quoted && hi > lo &&
           (text[hi - 1] == ' ' || text[hi - 1] == '\t'))
        hi--;
    for (size_t i = lo; i < hi; i++) {
        out[n++] = text[i];
        i += cell->quoted && text[i] == '"';
    }
    out[n] = 0;
    return out;
}

/* Text that begins with the mark of UTF-8 is read without it. */
static size_t
behind_mark(const char *text, size_t n)
{
    return n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* Goes to the header, and sees what divides its cells. */
static void
to_header(struct cursor *cursor)
{
    size_t n[2] = {0, 0};
    bool quoted = false;
    skip_empty_lines(cursor);
    cursor->separator = ',';
    for (size_t i = cursor->at; i < cursor->n && cursor->text[i] != '\n'; i++) {
        quoted ^= cursor->text[i] == '"';
        if (quoted)
            continue;
        if (cursor->text[i] == ',')
            return;
        n[0] += cursor->text[i] == ';';
        n[1] += cursor->text[i] == '\t';
    }
    if (n[0] || n[1])
        cursor->separator = n[0] ? ';' : '\t';
}

/* Is the text one that another program has written in a way that is not read?
 */
static bool
foreign_text(const char *text, size_t n, size_t end, struct table_error *error)
{
    if (n >= 2 &&
        (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
        return table_wrong(error, 0, 2, "this is text in UTF-16",
                           "save it as UTF-8");
    if (n >= 2 && !memcmp(text, "\x1f\x8b", 2))
        return table_wrong(error, 0, 2, "this file is packed by gzip",
                           "let its name end in .csv.gz, or unpack it");
    const char *zero = memchr(text, '\0', n);
    if (zero)
        return table_wrong(error, (size_t)(zero - text),
                           (size_t)(zero - text) + 1,
                           "this is no text: it has a byte 0",
                           "name a file of text, as a spreadsheet saves it "
                           "as CSV");
    const char *lone = memchr(text, '\r', end);
    if (lone && lone + 1 < text + n && lone[1] != '\n')
        return table_wrong(error, (size_t)(lone - text),
                           (size_t)(lone - text) + 1,
                           "this line ends with a carriage return alone",
                           "lines end with LF or CR LF: save it anew, as from "
                           "`tr '\\r' '\\n'`");
    return true;
}

bool
csv_head(struct arena *arena, const char *text, size_t n,
         struct table_head *head, struct table_error *error)
{
    assert(arena && text && head && error);
    struct cursor cursor = {text, n, behind_mark(text, n), ','};
    struct {
        const char **v;
        size_t n, cap;
    } names = {0};
    struct {
        size_t *v;
        size_t n, cap;
    } lo = {0}, hi = {0};
    to_header(&cursor);
    if (cursor.at >= n)
        return table_wrong(error, 0, 0, "the file is empty",
                           "its first line names the columns");
    const char *line_end = memchr(text + cursor.at, '\n', n - cursor.at);
    if (!foreign_text(text, n, line_end ? (size_t)(line_end - text) : n, error))
        return false;
    struct cell cell = {0};
    while (!cell.last) {
        if (!next_cell(&cursor, &cell, error))
            return false;
        VEC_PUSH_IN(arena, &names, cell_text(arena, text, &cell));
        VEC_PUSH_IN(arena, &lo, cell.lo);
        VEC_PUSH_IN(arena, &hi, cell.hi);
    }
    *head = (struct table_head){names.v, lo.v, hi.v, names.n, NULL, NULL, NULL};
    return true;
}

struct csv_reader {
    struct arena *arena;
    struct cursor cursor;
    const struct table_head *head;
    size_t *place; /* per column of the file: 1 + its place among the wanted
                      ones, 0 */
    const char *missing;
    size_t n_missing;
    struct table_column *columns;
};

/* Puts the text of a cell, without the blanks around it, into *x. */
static void
take_text(struct csv_reader *reader, const struct cell *cell, size_t lo,
          size_t hi, struct table_column *column, double *x)
{
    const char *text = reader->cursor.text + lo;
    size_t len = hi - lo;
    if (cell->quoted) {
        text = cell_text(reader->arena, reader->cursor.text, cell);
        len = strlen(text);
    }
    *x = table_word(reader->arena, &column->words, text, len);
}

/* Puts a cell of column `number` into row `row`. */
static bool
take_cell(struct csv_reader *reader, const struct cell *cell, size_t number,
          size_t row, struct table_error *error)
{
    const char *text = reader->cursor.text;
    size_t lo = cell->lo, hi = cell->hi;
    while (lo < hi && (text[lo] == ' ' || text[lo] == '\t'))
        lo++;
    while (hi > lo && (text[hi - 1] == ' ' || text[hi - 1] == '\t'))
        hi--;
    double x = NAN;
    struct table_column *column = &reader->columns[reader->place[number] - 1];
    bool missing = reader->missing && hi - lo == reader->n_missing &&
                   !memcmp(text + lo, reader->missing, hi - lo);
    if (!missing && column->text && !column->open) {
        take_text(reader, cell, lo, hi, column, &x);
    } else if (!missing) {
        size_t read = num_read(text + lo, hi - lo, &x);
        bool good = read && read == hi - lo && !isnan(x);
        if (table_takes(column, good, text, lo, hi) && !good) {
            take_text(reader, cell, lo, hi, column, &x);
            column->numbers[row] = x;
            return true;
        }
        if (column->text) /* the first text, before this number */
            return table_no_number(
                reader->arena, error, column->text_lo, text + column->text_lo,
                column->text_hi - column->text_lo, reader->head->names[number],
                reader->missing);
        if (!good)
            return table_no_number(reader->arena, error, lo, text + lo, hi - lo,
                                   reader->head->names[number],
                                   reader->missing);
        if (isinf(x))
            return table_wrong(error, lo, hi, "this number is not finite",
                               "the greatest one is about 1.8e308");
    }
    column->numbers[row] = x;
    return true;
}

/* Reads one line into row `row`. */
static bool
take_row(struct csv_reader *reader, size_t row, struct table_error *error)
{
    struct cell cell = {0};
    size_t number = 0, line = reader->cursor.at;
    for (; !cell.last; number++) {
        if (!next_cell(&reader->cursor, &cell, error))
            return false;
        if (number < reader->head->n && reader->place[number] &&
            !take_cell(reader, &cell, number, row, error))
            return false;
    }
    if (number == reader->head->n)
        return true;
    const char *help =
        number < reader->head->n
            ? "a row has as many cells as the header: one without a value may "
              "be empty, with missing = \"\" in the block of the data"
        : reader->cursor.separator == ','
            ? "a comma divides cells: numbers have a decimal point, and a text "
              "with a comma stands in quotes"
            : "what divides the cells needs quotes around a text in which it "
              "stands";
    return table_wrong(
        error, line, cell.hi > line ? cell.hi : line + 1,
        arena_printf(reader->arena,
                     "this row has %zu cell%s, but the header names %zu "
                     "column%s",
                     number, number == 1 ? "" : "s", reader->head->n,
                     reader->head->n == 1 ? "" : "s"),
        help);
}

bool
csv_rows(struct arena *arena, const char *text, size_t n,
         const struct table_head *head, struct table_column *columns,
         size_t n_columns, const char *missing, size_t *n_rows,
         struct table_error *error)
{
    assert(arena && text && head && columns && n_rows && error);
    struct csv_reader reader = {
        .arena = arena,
        .cursor = {text, n, behind_mark(text, n), ','},
        .head = head,
        .place = NEW_N(arena, size_t, head->n),
        .missing = missing,
        .n_missing = missing ? strlen(missing) : 0,
        .columns = columns,
    };
    for (size_t i = 0; i < n_columns; i++)
        reader.place[columns[i].number] = i + 1;
    struct cell cell = {0};
    to_header(&reader.cursor);
    while (!cell.last)
        if (!next_cell(&reader.cursor, &cell, error))
            return false;
    size_t lines = 0; /* as many rows as there are lines left, at most */
    for (size_t i = reader.cursor.at; i < n; i++)
        lines += text[i] == '\n' || i + 1 == n;
    for (size_t i = 0; i < n_columns; i++)
        columns[i].numbers = NEW_N(arena, double, lines + 1);
    size_t row = 0;
    for (skip_empty_lines(&reader.cursor); reader.cursor.at < n;
         skip_empty_lines(&reader.cursor))
        if (!take_row(&reader, row++, error))
            return false;
    *n_rows = row;
    return true;
}
