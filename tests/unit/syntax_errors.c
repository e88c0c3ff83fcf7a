/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Syntax errors: every sentence of grammar/sentences.def is said about its own
 * example, and about nothing else first; what the scanner refuses; recovery
 * without cascades. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "syntax/parse.h"

struct row {
    const char *code, *message, *example;
};
static const struct row rows[] = {
#define SENTENCE(code, head, prev, found, where, want, message, help, example) \
    {#code, message, example},
#include "../../grammar/sentences.def"
};

/* diagnostics of a text, as lines; owned by the caller */
static char *
lines_of(const char *text, size_t n, int *errors)
{
    struct arena *a = arena_new();
    struct sources *s = sources_new(a);
    struct diags ds;
    diags_init(&ds, a, s);
    parse_file(a, intern_new(a), &ds, sources_add(s, "m.imp", text, n), false);
    struct buf out = {0};
    buf_puts(&out, "");
    diags_print(&ds, &out, DIAG_LINES, false);
    /* the other printers must survive it, too */
    struct buf more = {0};
    diags_print(&ds, &more, DIAG_TEXT, true);
    diags_print(&ds, &more, DIAG_JSON, false);
    buf_free(&more);
    *errors = ds.errors;
    arena_free(a);
    return out.s;
}

/* does `line` contain the message's fixed parts, in order? */
static bool
says(const char *line, const char *message)
{
    char part[256];
    while (*message) {
        size_t n = strcspn(message, "{");
        memcpy(part, message, n);
        part[n] = 0;
        line = strstr(line, part);
        if (!line)
            return false;
        line += n;
        message += n;
        if (*message)
            message += strcspn(message, "}") + 1;
    }
    return true;
}

static void
every_sentence(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int errors = 0;
        char code[16];
        char *l = lines_of(rows[i].example, strlen(rows[i].example), &errors);
        snprintf(code, sizeof code, "[%s]", rows[i].code);
        if (errors != 1 || !strstr(l, code) || !says(l, rows[i].message)) {
            print_error("row %zu, %s: %s\n gives %d:\n%s", i, rows[i].code,
                        rows[i].example, errors, l);
            wrong++;
        }
        free(l);
    }
    assert_int_equal(wrong, 0);
}

struct pair {
    const char *text, *said;
};

static void
check_pairs(const struct pair *v, size_t n)
{
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        int errors = 0;
        char *l = lines_of(v[i].text, strlen(v[i].text), &errors);
        if (strcmp(l, v[i].said) != 0) {
            print_error("%s\n gives\n%s instead of\n%s", v[i].text, l,
                        v[i].said);
            wrong++;
        }
        free(l);
    }
    assert_int_equal(wrong, 0);
}

static void
scanner(void **unused)
{
    (void)unused;
    static const struct pair v[] = {
        {"let a = 2x", "m.imp:1:9: error: 2x is neither a number nor a name "
                       "[E0010]\nm.imp:1:9: help: a product needs its *, a "
                       "unit its brackets, and a name begins with a letter\n"},
        {"let a = 1e", "m.imp:1:9: error: the exponent of 1e has no digits "
                       "[E0010]\nm.imp:1:9: help: write 1e-3 for a "
                       "thousandth\n"},
        {"let a = 1. + 2", "m.imp:1:9: error: a digit must follow the decimal "
                           "point [E0010]\n"},
        {"let a = 1e999", "m.imp:1:9: error: the number 1e999 is too large "
                          "[E0011]\nm.imp:1:9: help: the largest number is "
                          "about 1.8e308; choose other units\n"},
        {"let a = 1..2", "m.imp:1:9: error: `1..2` could be read in two ways "
                         "[E0012]\nm.imp:1:9: help: a range has blanks around "
                         "its points\n"},
        {"use \"abc\nlet a = 1",
         "m.imp:1:5: error: this text has no closing quote [E0013]\nm.imp:1:5: "
         "help: a text ends on the line it begins on; longer ones use \\n, and "
         "doc strings may follow one another\n"},
        {"show \"\\q \\n\\t\\\\\\\" \\u{3b8}\"",
         "m.imp:1:7: error: `\\q` is no escape of Imp [E0014]\nm.imp:1:7: "
         "help: escapes are \\n \\t \\\" \\\\ and \\u{...}; a backslash itself "
         "is written \\\\\n"},
        {"show \"\\u{110000}\"",
         "m.imp:1:7: error: this is not the number of a character "
         "[E0014]\nm.imp:1:7: help: write 1 to 6 hexadecimal digits: \\u{3b8} "
         "is theta\n"},
        {"let a = b @ c", "m.imp:1:11: error: the character `@` has no meaning "
                          "here [E0015]\nm.imp:1:11: help: names are made of "
                          "letters, digits and _\n"},
        {"let a = 45°", "m.imp:1:11: error: the character `°` (U+00B0) has no "
                        "meaning here [E0015]\nm.imp:1:11: help: an angle in "
                        "degrees is written 45 [deg]\n"},
        {"# \xff", "m.imp:1:3: error: this is not UTF-8: the byte 0xff cannot "
                   "stand here [E0016]\nm.imp:1:3: help: save the file as "
                   "UTF-8 (iconv -t UTF-8)\n"},
        {"let a = x**2 && b", "m.imp:1:10: error: `**` is not written like "
                              "this in Imp: a power is written with ^ "
                              "[E0018]\nm.imp:1:14: error: `&&` is not written "
                              "like this in Imp: conditions are joined with "
                              "words [E0018]\n"},
        {"let a = 2 − 1", "m.imp:1:11: error: `−` is written `-` in Imp "
                          "[E0018]\n"},
        {"let a = 1 // b\nlet b = 2",
         "m.imp:1:11: error: `//` is not written like this in Imp: a comment "
         "begins with # and ends with its line [E0018]\n"},
        {"let a = 90/2 [deg]",
         "m.imp:1:14: error: a unit binds to the number before it, and that "
         "number is an operand of `/` [E0020]\nm.imp:1:14: help: put brackets "
         "around what has the unit\n"},
        {"let a = 2 [m]^2",
         "m.imp:1:11: error: a unit binds to the number before it, and that "
         "number is an operand of `^` [E0020]\nm.imp:1:11: help: put brackets "
         "around the quantity\n"},
        {"let a = [1, 2; 3]",
         "m.imp:1:16: error: this row has 1 entry, the rows above have 2 "
         "[E0022]\nm.imp:1:16: help: entries are divided by commas, rows by "
         "semicolons: [1, 2; 3, 4]\n"},
        {"contact c[i in n] { gap = i }",
         "m.imp:1:16: error: the index i needs a range [E0023]\nm.imp:1:16: "
         "help: write [i in 0 .. n-1]: first and last value\n"},
    };
    check_pairs(v, sizeof v / sizeof *v);
    int errors = 0;
    char *l = lines_of("let\0a", 5, &errors);
    assert_non_null(strstr(l, "[E0017]"));
    free(l);
    l = lines_of("\xff\xfel\0e\0", 6, &errors);
    assert_non_null(strstr(l, "UTF-16"));
    free(l);
}

/* several mistakes, each told once; the rest is parsed */
static void
recovery(void **unused)
{
    (void)unused;
    static const char text[] = "let a = 1 +\n"
                               "body b { mass 2  spin = 3 }\n"
                               "boby c { }\n"
                               "let d = (1, 2\n"
                               "let e = 5\n"
                               "contact f : b, c { restitution = }\n"
                               "show e $ 3\n"
                               "world { gravity = 1, 2  seed = 2 }\n"
                               "expect e == 5\n";
    int errors = 0;
    char *l = lines_of(text, sizeof text - 1, &errors);
    static const char *const each[] = {":2:1: ",  ":2:15: ", ":3:1: ", ":5:1: ",
                                       ":6:14: ", ":7:8: ",  ":8:20: "};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (!strstr(l, each[i]))
            fail_msg("%s missing in\n%s", each[i], l);
    assert_int_equal(errors, 7);
    free(l);
}

static void
unclosed_block(void **unused)
{
    (void)unused;
    static const char text[] = "body a {\n  mass = 2\nbody b { mass = 1 }\n";
    int errors = 0;
    char *l = lines_of(text, sizeof text - 1, &errors);
    assert_string_equal(
        l, "m.imp:1:8: error: this block is not closed [E0002]\n"
           "m.imp:3:1: note: perhaps it should have been closed before this\n"
           "m.imp:1:8: help: close it with }\n");
    assert_int_equal(errors, 1);
    free(l);
}

static char *
repeated(const char *before, const char *what, size_t n, const char *after)
{
    struct buf b = {0};
    buf_puts(&b, before);
    for (size_t i = 0; i < n; i++)
        buf_puts(&b, what);
    buf_puts(&b, after);
    return b.s;
}

static void
limits(void **unused)
{
    (void)unused;
    static const struct {
        const char *before, *what;
        size_t n;
        const char *after, *code;
    } v[] = {
        {"let a = ", "(", 1001, "1", "E0981"},
        {"let a = ", "(", 100000, "1", "E0981"},
        {"let a = ", "[", 3000, "1", "E0981"},
        {"let a = ", "-", 3000, "1", "E0981"},
        {"let a = ", "-", 300000, "1", "E0981"},
        {"let a = ", "not ", 100000, "b", "E0981"},
        {"let a = 2", "^2", 100000, "", "E0981"},
        {"let a = 1", " + 1", 100000, "", "E0981"},
        {"let a = ", "if b then c else ", 50000, "1", "E0981"},
        {"let a = ", "if ", 50000, "1", "E0981"},
        {"let a = b", "'", 5000, "", "E0981"},
        {"let a = b", ".c", 5000, "", "E0981"},
        {"let a = b", "(c)", 5000, "", "E0981"},
        {"let a = 2 [", "(", 3000, "", "E0981"},
        {"let a = 2 [m", "*m", 3000, "]", "E0981"},
        {"", "a {", 2000, "", "E0981"},
        {"", "body a {", 2000, "", "E0981"},
        {"let a = [1", ", 1", 500001, "]", "E0982"},
        {"let ", "a", 201, " = 1", "E0019"},
        {"", ")", 100000, "", "E0003"},
    };
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        char *t = repeated(v[i].before, v[i].what, v[i].n, v[i].after);
        int errors = 0;
        char *l = lines_of(t, strlen(t), &errors);
        if (!strstr(l, v[i].code) || errors > 3)
            fail_msg("%zu: %d errors\n%s", i, errors, l);
        free(l);
        free(t);
    }
    /* within the limits */
    char *t = repeated("let a = ", "(", 900, "1");
    struct buf b = {0};
    buf_puts(&b, t);
    for (int i = 0; i < 900; i++)
        buf_putc(&b, ')');
    int errors = 0;
    char *l = lines_of(b.s, b.n, &errors);
    assert_int_equal(errors, 0);
    free(l);
    free(t);
    buf_free(&b);
    /* a line of 10 MB */
    t = repeated("let a = 1 # ", "0123456789", 1000000, "\nlet b = = 2\n");
    l = lines_of(t, strlen(t), &errors);
    assert_string_equal(l, "m.imp:2:9: error: a value is missing between `=` "
                           "and `=` [E0021]\n"
                           "m.imp:2:9: help: put a value there\n");
    free(l);
    free(t);
    t = repeated("let a = \"", "0123456789", 1000000, "\" 3");
    l = lines_of(t, strlen(t), &errors);
    assert_int_equal(errors, 1);
    free(l);
    free(t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sentence), cmocka_unit_test(scanner),
        cmocka_unit_test(recovery), cmocka_unit_test(unclosed_block),
        cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
