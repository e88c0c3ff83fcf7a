/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formatter: equal tokens and comments (alone on a line or not) give equal
 * bytes, whatever the blanks and line breaks; formatting twice changes nothing;
 * no token and no comment is lost; lines are at most 80 cells where they can
 * be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "syntax/fmt.h"
#include "syntax/parse.h"

/* formatted text, owned by the caller; NULL if it does not parse */
static char *
format(const char *text, size_t n)
{
    struct arena *a = arena_new();
    struct sources *s = sources_new(a);
    struct diags ds;
    diags_init(&ds, a, s);
    struct buf out = {0};
    buf_puts(&out, "");
    bool good = fmt_file(a, &ds, sources_add(s, "m.imp", text, n), &out);
    if (!good)
        print_error("%s\n", ds.first ? ds.first->message : "?");
    arena_free(a);
    if (good)
        return out.s;
    buf_free(&out);
    return NULL;
}

/* the text cut where blanks may stand: strings and comments stay whole. For
 * the test's own models, whose words are divided as below. */
static size_t
cut(const char *t, size_t *lo, size_t *hi)
{
    size_t n = 0;
    for (size_t i = 0; t[i];) {
        if (strchr(" \t\n\r", t[i])) {
            i++;
            continue;
        }
        lo[n] = i;
        if (t[i] == '#') {
            i += strcspn(t + i, "\n");
        } else if (t[i] == '"') {
            for (i++; t[i] && t[i] != '"'; i++)
                if (t[i] == '\\')
                    i++;
            i++;
        } else if (strchr("(){}[],;:|'+*/^", t[i])) {
            i++;
        } else if (strncmp(t + i, "..", 2) == 0) {
            i += 2;
        } else if (strchr("=<>!-", t[i])) {
            i += t[i] != '-' && t[i + 1] == '=' ? 2 : 1;
        } else if (t[i] >= '0' && t[i] <= '9') {
            while ((t[i] >= '0' && t[i] <= '9') ||
                   (t[i] == '.' && t[i + 1] != '.') || t[i] == 'e' ||
                   (t[i] == '-' && t[i - 1] == 'e'))
                i++;
        } else if (t[i] == '.') {
            i++;
        } else {
            while (t[i] && !strchr(" \t\n\r(){}[],;:|'+*/^=<>!-.\"#", t[i]))
                i++;
        }
        hi[n] = i;
        while (hi[n] > lo[n] && strchr(" \t\r", t[hi[n] - 1]))
            hi[n]--;
        n++;
    }
    return n;
}

/* the same tokens with other blanks between them */
static char *
shuffled(const char *t)
{
    size_t most = strlen(t) + 1;
    size_t *lo = malloc(most * sizeof *lo), *hi = malloc(most * sizeof *hi);
    size_t n = cut(t, lo, hi);
    struct buf b = {0};
    buf_puts(&b, "");
    static const char *const gaps[] = {" ",    "\n",   "  ",    "\t",
                                       "\n\n", "\r\n", " \n \n"};
    for (size_t i = 0; i < n; i++) {
        buf_put(&b, t + lo[i], hi[i] - lo[i]);
        if (t[lo[i]] == '#')
            buf_puts(&b, "\n");
        /* whether a comment stands alone on its line is a part of it */
        bool note = i + 1 < n && t[lo[i + 1]] == '#';
        bool alone = note && memchr(t + hi[i], '\n', lo[i + 1] - hi[i]);
        buf_puts(&b, alone ? "\n " : note ? " " : gaps[rand() % 7]);
    }
    free(lo);
    free(hi);
    return b.s;
}

/* all that is not blank, in order */
static char *
squeezed(const char *t)
{
    struct buf b = {0};
    buf_puts(&b, "");
    for (; *t; t++)
        if (!strchr(" \t\r\n", *t))
            buf_putc(&b, *t);
    return b.s;
}

static void
check(const char *text)
{
    char *once = format(text, strlen(text));
    assert_non_null(once);
    char *twice = format(once, strlen(once));
    assert_non_null(twice);
    assert_string_equal(once, twice);
    char *had = squeezed(text), *has = squeezed(once);
    assert_string_equal(had, has);
    for (int k = 0; k < 30; k++) {
        char *other = shuffled(text);
        char *done = format(other, strlen(other));
        if (!done || strcmp(done, once) != 0)
            fail_msg("%s\nformats to\n%s\nand not to\n%s", other,
                     done ? done : "nothing", once);
        free(other);
        free(done);
    }
    free(once);
    free(twice);
    free(had);
    free(has);
}

static const char model[] =
    "# Two ellipses\nuse shapes use \"parts.imp\"\n"
    "body one : ellipse(2, 1) { density = 1 spin = -1 } # the first\n"
    "# Second\n# of two\nbody two : ellipse(2,1){density=1 # heavy\n"
    "position = (-1.4671103616817882, -1.9459065947411789) angle = -45[deg]\n"
    "# Initial\n velocity = (1,2) [m/s] }\n"
    "\"doc\" \"more\" param rho : m/s = 1e-3 in [0, 2] [mm]\n"
    "system feet(n, g = 0) { coordinate phix, h kinetic = phix'^2 + h'^2\n"
    "\"a foot\" contact foot[i in 0 .. n - 1] { gap = h # gap\n } start { h = "
    "1 "
    "h' = -1 } world { } # end\n }\n"
    "let r = classify one, two { until = 3 }\nshow r[1].x(2, b = 3), "
    "[1, 2; 3, 4][m], (a)[s], f(x)[1], not (b), -(c) - -d\n"
    "expect r.class == \"C00\" and if a < b then c else d or e\n"
    "let long = (aaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbb) * "
    "cccccccccccccccccccccccccccc - dddddddddddddddddddddddddddd + "
    "sin(eeeeeeeeeeeeeeeeee, ffffffffffffffffffffffffffffff, "
    "gggggggggggggggggggggggg, hhhhhhhhhhhhhhhhhhhhh)\n"
    "let mid = (1, # one\n 2, # two\n 3)\n"
    "point one.tip = (1, 0) joint j : hinge(one, two) { at = (0, 0) } # last\n"
    "# very last\n";

static void
invariance(void **unused)
{
    (void)unused;
    srand(3);
    check(model);
    check("# only a comment");
    check("show 1 +\n# why\n2 # a\n\n# lower case\nshow 3\n# end");
    check("show 1 # a\n# b\n# C\nshow 2 # C\nshow 3 # a\n# B\n");
    check("body a { } body b { # x\n } body c { # X\n d = 1 # Y\n # z\n }");
}

static void
golden(void **unused)
{
    (void)unused;
    static const char *const want =
        "# Two ellipses\n"
        "\n"
        "use shapes\n"
        "use \"parts.imp\"\n"
        "\n"
        "body one : ellipse(2, 1) { density = 1  spin = -1 }  # the first\n"
        "\n"
        "# Second\n"
        "# of two\n"
        "body two : ellipse(2, 1) {\n"
        "  density  = 1  # heavy\n"
        "  position = (-1.4671103616817882, -1.9459065947411789)\n"
        "  angle    = -45 [deg]\n"
        "  # Initial\n"
        "  velocity = (1, 2) [m/s]\n"
        "}\n"
        "\n"
        "\"doc\"\n"
        "\"more\"\n"
        "param rho : m/s = 1e-3 in [0, 2] [mm]\n"
        "\n"
        "system feet(n, g = 0) {\n";
    char *got = format(model, sizeof model - 1);
    assert_non_null(got);
    got[strlen(want)] = 0;
    assert_string_equal(got, want);
    free(got);
}

static void
width(void **unused)
{
    (void)unused;
    struct buf b = {0};
    buf_puts(&b, "let a = 0");
    for (int i = 0; i < 300; i++)
        buf_printf(&b, " %s f(x%d, %d)", i % 3 ? "+" : "-", i, i * i);
    buf_puts(&b, "\nlet m = [");
    for (int i = 0; i < 300; i++)
        buf_printf(&b, "%s%d", i ? i % 10 ? ", " : "; " : "", i * i * i);
    buf_puts(&b, "]\n");
    char *got = format(b.s, b.n);
    assert_non_null(got);
    for (char *l = strtok(got, "\n"); l; l = strtok(NULL, "\n"))
        assert_true(strlen(l) <= 80);
    free(got);
    check(b.s);
    buf_free(&b);
}

/* the project's own models */
static void
folder(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", IMP_SOURCE_DIR, name);
    DIR *d = opendir(path);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strstr(e->d_name, ".imp"))
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", IMP_SOURCE_DIR, name,
                 e->d_name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        static char text[200000];
        size_t n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
        text[n] = 0;
        char *once = format(text, n);
        if (!once)
            fail_msg("%s", path);
        char *twice = format(once, strlen(once));
        assert_string_equal(once, twice);
        char *had = squeezed(text), *has = squeezed(once);
        assert_string_equal(had, has);
        free(once);
        free(twice);
        free(had);
        free(has);
    }
    closedir(d);
}

static void
own_models(void **unused)
{
    (void)unused;
    folder("stdlib");
    folder("examples/tangential");
}

static void
labels(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    struct sources *s = sources_new(a);
    struct diags ds;
    diags_init(&ds, a, s);
    static const char text[] =
        "show gap( touch ) ,a+b * c^2[1] , - 2[m/ s] , # c\n save . x\n";
    struct intern *names = intern_new(a);
    struct ast_file *f = parse_file(
        a, names, &ds, sources_add(s, "m", text, sizeof text - 1), false);
    assert_int_equal(ds.errors, 1); /* 2[1]: no unit of an operand */
    static const char *const want[] = {"gap(touch)", "a + b*c^2 [1]",
                                       "-2 [m/s]", "save.x"};
    assert_int_equal(f->items[0]->n_args, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(fmt_expr(a, names, s, f->items[0]->args[i]),
                            want[i]);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariance), cmocka_unit_test(golden),
        cmocka_unit_test(width), cmocka_unit_test(own_models),
        cmocka_unit_test(labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
