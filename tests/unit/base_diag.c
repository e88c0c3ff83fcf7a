/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics: the three printers, carets under UTF-8 text, windows of long
 * lines, escapes, order, limits; the table of codes; suggestions; memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/source.h"
#include "base/utf8.h"

struct bench {
    struct arena *a;
    struct sources *s;
    struct diags ds;
    uint32_t file;
    struct buf out;
};

static void
set_up(struct bench *b, const char *text, size_t n)
{
    *b = (struct bench){.a = arena_new()};
    b->s = sources_new(b->a);
    diags_init(&b->ds, b->a, b->s);
    b->file = sources_add(b->s, "m.imp", text, n);
}

static void
expect_text(struct bench *b, enum diag_format format, const char *text)
{
    diags_print(&b->ds, &b->out, format, false);
    assert_string_equal(buf_str(&b->out), text);
    buf_free(&b->out);
    arena_free(b->a);
}

static imp_range
range(const struct bench *b, uint32_t lo, uint32_t hi)
{
    return (imp_range){b->file, lo, hi};
}

static void
carets(void **unused)
{
    (void)unused;
    struct bench b;
    static const char text[] = "let θω = 2\n\tlet 漢 = x + 1\r\n";
    set_up(&b, text, sizeof text - 1);
    struct diag *d = diag_add(&b.ds, DIAG_E0001, range(&b, 4, 8), "first");
    diag_label(&b.ds, d, "here");
    uint32_t x = (uint32_t)(strchr(text, 'x') - text);
    d = diag_add(&b.ds, DIAG_E0001, range(&b, x, x + 5), "second");
    diag_note(&b.ds, d, range(&b, 4, 8), "see");
    diag_note(&b.ds, d, IMP_NOWHERE, "no place");
    diag_help(&b.ds, d, "do");
    diag_fix(&b.ds, d, range(&b, x, x + 1), "θ");
    expect_text(&b, DIAG_TEXT,
                "error[E0001]: first\n"
                " --> m.imp:1:5\n"
                "  |\n"
                "1 | let θω = 2\n"
                "  |     ^~ here\n"
                "\n"
                "error[E0001]: second\n"
                " --> m.imp:2:11\n"
                "  |\n"
                "2 |  let 漢 = x + 1\n"
                "  |           ^~~~~\n"
                "  = note: see\n"
                " --> m.imp:1:5\n"
                "  |\n"
                "1 | let θω = 2\n"
                "  |     ^~\n"
                "  = note: no place\n"
                "  = help: do\n"
                "2 |  let 漢 = θ + 1\n"
                "  |           +\n");
}

static void
escapes(void **unused)
{
    (void)unused;
    struct bench b;
    static const char text[] = "a\033[31m\xff b\xe2\x80\xae c";
    set_up(&b, text, sizeof text - 1);
    diag_add(&b.ds, DIAG_E0001, range(&b, 8, 9), "bad \033 text");
    expect_text(&b, DIAG_TEXT,
                "error[E0001]: bad \\x1b text\n"
                " --> m.imp:1:9\n"
                "  |\n"
                "1 | a\\x1b[31m\\xff b\\u{202e} c\n"
                "  |               ^\n");
}

static void
long_line(void **unused)
{
    (void)unused;
    struct bench b;
    char text[5000];
    memset(text, 'a', sizeof text);
    memcpy(text + 3000, "XYZ", 3);
    set_up(&b, text, sizeof text);
    diag_add(&b.ds, DIAG_E0001, range(&b, 3000, 3003), "far");
    char want[1000];
    snprintf(want, sizeof want,
             "error[E0001]: far\n --> m.imp:1:3001\n  |\n1 | ...%.*sXYZ%.*s..."
             "\n  | %*s^~~\n",
             30, text, 39, text, 33, "");
    expect_text(&b, DIAG_TEXT, want);
}

static void
lines_and_order(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, "one\ntwo\n", 8);
    diag_add(&b.ds, DIAG_E0001, IMP_NOWHERE, "nowhere");
    diag_add(&b.ds, DIAG_E0002, range(&b, 8, 8), "at the end");
    struct diag *d = diag_add(&b.ds, DIAG_E0001, range(&b, 4, 7), "2");
    diag_note(&b.ds, d, range(&b, 0, 3), "n");
    diag_add(&b.ds, DIAG_E0001, range(&b, 0, 3), "1");
    diag_add(&b.ds, DIAG_E0001, range(&b, 0, 3), "1"); /* told once */
    expect_text(&b, DIAG_LINES,
                "m.imp:1:1: error: 1 [E0001]\n"
                "m.imp:2:1: error: 2 [E0001]\n"
                "m.imp:1:1: note: n\n"
                "m.imp:3:1: error: at the end [E0002]\n"
                "imp: error: nowhere [E0001]\n");
}

static void
json(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, "\xce\xb8 = \"\n", 7);
    struct diag *d =
        diag_add(&b.ds, DIAG_E0001, range(&b, 3, 4), "say \"no\"\n\x01");
    diag_fix(&b.ds, d, range(&b, 3, 4), "==");
    expect_text(
        &b, DIAG_JSON,
        "{\"severity\": \"error\", \"code\": \"E0001\", \"message\": \"say "
        "\\\"no\\\"\\n\\u0001\", \"file\": \"m.imp\", \"line\": 1, \"column\": "
        "3, \"end_line\": 1, \"end_column\": 4, \"lo\": 3, \"hi\": 4, "
        "\"label\": null, \"notes\": [], \"help\": null, \"fix\": {\"file\": "
        "\"m.imp\", \"line\": 1, \"column\": 3, \"end_line\": 1, "
        "\"end_column\": 4, \"lo\": 3, \"hi\": 4, \"text\": \"==\"}}\n");
}

static void
limit(void **unused)
{
    (void)unused;
    struct bench b;
    set_up(&b, "x\n", 2);
    b.ds.limit = 2;
    for (int i = 0; i < 5; i++)
        diag_add(&b.ds, DIAG_E0001, range(&b, 0, 1), "e%d", i);
    assert_int_equal(b.ds.errors, 5);
    expect_text(&b, DIAG_LINES,
                "m.imp:1:1: error: e0 [E0001]\n"
                "m.imp:1:1: error: e1 [E0001]\n"
                "imp: 3 more errors\n");
}

/* every range of a random text prints, and no byte below 32 gets out */
static void
any_range(void **unused)
{
    (void)unused;
    srand(7);
    for (int k = 0; k < 2000; k++) {
        char text[400];
        size_t n = (size_t)(rand() % 400);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)(rand() % 3 ? rand() : "\n\taθ\r"[rand() % 6]);
        struct bench b;
        set_up(&b, text, n);
        for (int i = 0; i < 3; i++) {
            uint32_t lo = (uint32_t)rand() % 410, hi = (uint32_t)rand() % 410;
            struct diag *d =
                diag_add(&b.ds, DIAG_E0001, range(&b, lo, hi), "m");
            diag_fix(&b.ds, d, range(&b, lo, hi), "fix");
        }
        diags_print(&b.ds, &b.out, DIAG_TEXT, false);
        diags_print(&b.ds, &b.out, DIAG_JSON, false);
        for (size_t i = 0; i < b.out.n;) {
            uint32_t c = 0;
            size_t len = utf8_decode(b.out.s + i, b.out.n - i, &c);
            assert_true(len > 0);
            assert_true(c == '\n' || c >= 32);
            i += len;
        }
        buf_free(&b.out);
        arena_free(b.a);
    }
}

static void
codes(void **unused)
{
    (void)unused;
    for (int c = DIAG_NONE + 1; c < DIAG_COUNT; c++) {
        enum diag_code code = (enum diag_code)c;
        assert_int_equal(diag_code_find(diag_code_name(code)), code);
        assert_true(strlen(diag_code_title(code)) > 3);
        assert_true(strlen(diag_code_text(code)) > 20);
    }
    assert_int_equal(diag_code_find("e0001"), DIAG_E0001);
    assert_int_equal(diag_code_find("E9999"), DIAG_NONE);
    assert_int_equal(diag_code_find(""), DIAG_NONE);
}

static void
suggestions(void **unused)
{
    (void)unused;
    static const char *const names[] = {"restitution", "mass", "theta",
                                        "density", "θ1"};
    assert_string_equal(suggest("restituton", names, 5), "restitution");
    assert_string_equal(suggest("msas", names, 5), "mass");
    assert_string_equal(suggest("Mass", names, 5), "mass");
    assert_string_equal(suggest("θ2", names, 5), "θ1");
    assert_null(suggest("friction", names, 5));
    assert_null(suggest("", names, 5));
    assert_null(suggest("mass", names, 0));
}

/* A remedy is that of the place, a fix-it alone, or that of the code. */
static void
remedies(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    struct diags ds;
    diags_init(&ds, a, NULL);
    struct diag *d = diag_add(&ds, DIAG_E0302, IMP_NOWHERE, "twice");
    assert_string_equal(diag_remedy(d), "leave one of them out");
    diag_fix(&ds, d, IMP_NOWHERE, "once");
    assert_null(diag_remedy(d));
    diag_help(&ds, d, "say it once");
    assert_string_equal(diag_remedy(d), "say it once");
    assert_null(diag_remedy(diag_add(&ds, DIAG_E0001, IMP_NOWHERE, "wrong")));
    arena_free(a);
}

static void
lookalikes(void **unused)
{
    (void)unused;
    struct lookalike l;
    assert_true(lookalike("m\u0430ss", "mass", &l));
    assert_int_equal(l.letter, 0x430);
    assert_int_equal(l.ours, 'a');
    assert_true(lookalike("\u03d5", "\u03c6", &l));
    assert_true(lookalike("\uff4dass", "mass", &l));
    assert_true(lookalike("\U0001d45a", "m", &l));
    assert_false(lookalike("mass", "mass", &l));
    assert_false(lookalike("m\u0430s", "mass", &l));
    assert_false(lookalike("m\u0430sse", "mass", &l));
    assert_false(lookalike("m\u0431ss", "mass", &l));
    assert_false(lookalike("", "", &l));
}

static void
interning(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    struct intern *t = intern_new(a);
    const char *first[2000];
    char s[20];
    for (int i = 0; i < 2000; i++) {
        snprintf(s, sizeof s, "n%d", i);
        first[i] = intern_str(t, s);
    }
    for (int i = 0; i < 2000; i++) {
        snprintf(s, sizeof s, "n%d", i);
        assert_ptr_equal(first[i], intern_str(t, s));
    }
    assert_ptr_equal(intern(t, "", 0), intern_str(t, ""));
    arena_free(a);
}

static void
memory_runs_out(void **unused)
{
    (void)unused;
    for (volatile long n = 1; n < 40; n++) {
        struct arena *a = arena_new();
        struct oom_guard g;
        volatile bool failed = false;
        if (setjmp(g.env)) {
            failed = true;
            oom_leave(&g);
        } else {
            oom_enter(&g);
            oom_fail_at(n);
            for (int i = 0; i < 20; i++)
                arena_printf(a, "%d", i);
            oom_leave(&g);
        }
        oom_fail_at(0);
        assert_int_equal(failed, n <= 20);
        arena_free(a);
    }
    struct arena *a = arena_new();
    char *big = arena_alloc(a, 5000000), *small = arena_alloc(a, 3);
    assert_int_equal(((uintptr_t)big | (uintptr_t)small) % 16, 0);
    assert_int_equal(big[4999999], 0);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carets),         cmocka_unit_test(escapes),
        cmocka_unit_test(long_line),      cmocka_unit_test(lines_and_order),
        cmocka_unit_test(json),           cmocka_unit_test(limit),
        cmocka_unit_test(any_range),      cmocka_unit_test(codes),
        cmocka_unit_test(suggestions),    cmocka_unit_test(lookalikes),
        cmocka_unit_test(remedies),       cmocka_unit_test(interning),
        cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
