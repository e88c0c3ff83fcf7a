/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of what parses, the REPL's questions, memory that runs out, and a
 * small fuzzing of the whole room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "syntax/fmt.h"
#include "syntax/parse.h"

struct bench {
    struct arena *a;
    struct sources *s;
    struct intern *names;
    struct diags ds;
    struct ast_file *f;
};

static void
parse(struct bench *b, const char *text, size_t n, bool bare)
{
    *b = (struct bench){.a = arena_new()};
    b->s = sources_new(b->a);
    b->names = intern_new(b->a);
    diags_init(&b->ds, b->a, b->s);
    b->f = parse_file(b->a, b->names, &b->ds,
                      sources_add(b->s, "m.imp", text, n), bare);
}

/* the whole tree as text: kind(children) */
static void
write_expr(struct buf *o, const struct ast_expr *e)
{
    if (!e)
        return;
    buf_puts(o, ast_expr_kind_name(e->kind));
    if (e->name.text)
        buf_printf(o, ":%s", e->name.text);
    if (e->kind == AST_NUM)
        buf_printf(o, ":%g", e->num);
    if (e->kind == AST_BINARY)
        buf_printf(o, ":%d", (int)e->op);
    buf_putc(o, '(');
    write_expr(o, e->a);
    write_expr(o, e->b);
    write_expr(o, e->c);
    for (size_t i = 0; i < e->n_list; i++)
        write_expr(o, e->list[i]);
    for (size_t i = 0; i < e->n_args; i++) {
        if (e->args[i].name.text)
            buf_printf(o, "%s%s", e->args[i].name.text,
                       e->args[i].in ? " in " : "=");
        write_expr(o, e->args[i].value);
    }
    buf_putc(o, ')');
    if (e->unit) {
        buf_putc(o, '[');
        write_expr(o, e->unit);
        buf_putc(o, ']');
    }
}

static void
tree_is(const char *expr, const char *want)
{
    struct bench b;
    char text[400];
    snprintf(text, sizeof text, "let a = %s", expr);
    parse(&b, text, strlen(text), false);
    if (b.ds.errors)
        fail_msg("%s: %s", expr, b.ds.first->message);
    struct buf o = {0};
    write_expr(&o, b.f->items[0]->value);
    assert_string_equal(buf_str(&o), want);
    buf_free(&o);
    arena_free(b.a);
}

static void
trees(void **unused)
{
    (void)unused;
    tree_is("-2^2", "NEG(BINARY:4(NUM:2()NUM:2()))");
    tree_is("2^-3^2", "BINARY:4(NUM:2()NEG(BINARY:4(NUM:3()NUM:2())))");
    tree_is("1 - 2 - 3", "BINARY:1(BINARY:1(NUM:1()NUM:2())NUM:3())");
    tree_is("a + b*c < d and not e",
            "BINARY:11(BINARY:5(BINARY:0(NAME:a()BINARY:2(NAME:b()NAME:c()))"
            "NAME:d())NOT(NAME:e()))");
    tree_is("-45 [deg]", "NEG(NUM:45()[NAME:deg()])");
    tree_is("(1, 2) [m/s^2]",
            "TUPLE(NUM:1()NUM:2())[BINARY:3(NAME:m()BINARY:4(NAME:s()NUM:2()"
            "))]");
    tree_is("theta''", "PRIME(PRIME(NAME:theta()))");
    tree_is("f(1, b = 2)[3].g",
            "FIELD:g(INDEX(CALL(NAME:f()NUM:1()b=NUM:2())NUM:3()))");
    tree_is("[1, 2; 3, 4]", "MATRIX(NUM:1()NUM:2()NUM:3()NUM:4())");
    tree_is("(x in 0 .. 3, y in z)",
            "OVER(x in RANGE(NUM:0()NUM:3())y in NAME:z())");
    tree_is("if true then 1 else 2 + 3",
            "IF(TRUTH()NUM:1()BINARY:0(NUM:2()NUM:3()))");
    tree_is("r.contact", "FIELD:contact(NAME:r())");
    tree_is("2 [in]", "NUM:2()[NAME:in()]");
    tree_is("3 [m^(1/2)*kg^-1]",
            "NUM:3()[BINARY:2(BINARY:4(NAME:m()PAREN(BINARY:3(NUM:1()NUM:2()))"
            ")BINARY:4(NAME:kg()NEG(NUM:1())))]");
    tree_is("2 .. n", "RANGE(NUM:2()NAME:n())");
    tree_is("0..n", "RANGE(NUM:0()NAME:n())");
}

static void
items_are(const char *text, bool bare, const char *want)
{
    struct bench b;
    parse(&b, text, strlen(text), bare);
    if (b.ds.errors)
        fail_msg("%s: %s", text, b.ds.first->message);
    struct buf o = {0};
    for (size_t i = 0; i < b.f->n_items; i++)
        buf_printf(&o, "%s%s:%s", i ? " " : "",
                   ast_item_kind_name(b.f->items[i]->kind),
                   b.f->items[i]->name.text ? b.f->items[i]->name.text : "");
    assert_string_equal(buf_str(&o), want);
    buf_free(&o);
    arena_free(b.a);
}

static void
words(void **unused)
{
    (void)unused;
    /* command words in the places of names */
    items_are("use save let plot = 2 show plot.show + plot", false,
              "USE:save LET:plot COMMAND:show");
    items_are("body show { plot = 2 mass = 3 } show show", false,
              "BODY:show COMMAND:show");
    items_are("let a = impact * 2 let b = impact c", false, "LET:a LET:b");
    items_are("let r = classify touch { until = 3 } simulate { until = 1 }",
              false, "LET:r COMMAND:simulate");
    items_are("world { gravity = (0, -9.81) [m/s^2] } observer { a = 1 }",
              false, "BLOCK:world BLOCK:observer");
    items_are("coordinate impact, save point eight.show = (1, 0)", false,
              "COORDINATE:impact POINT:eight");
    items_are("\"a\" \"b\" param x = 1 in [0, 90] [deg]", false, "PARAM:x");
    items_are("\xef\xbb\xbf# c\r\nlet a = 1\r\n", false, "LET:a");
    items_are("# c\rlet a = 1 # d\rlet b = 2\r", false, "LET:a LET:b");
    items_are("", false, "");
    items_are("# only", true, "");
    /* a command that is asked of a command */
    items_are("compare impact a, b let r = compare impact c { until = 1 }",
              false, "COMMAND:compare LET:r");
    items_are("compare impact, b compare impact + 1 let compare = 2", false,
              "COMMAND:compare COMMAND:compare LET:compare");
    struct bench b;
    const char *text = "compare impact a, b";
    parse(&b, text, strlen(text), false);
    assert_string_equal(b.f->items[0]->name2.text, "impact");
    assert_int_equal(b.f->items[0]->n_args, 2);
    arena_free(b.a);
    /* a bare expression */
    items_are("2 + 3, 4", true, "COMMAND:show");
    items_are("\"text\"", true, "COMMAND:show");
    items_are("save.x", true, "COMMAND:show");
    items_are("let a = 2", true, "LET:a");
}

static void
names(void **unused)
{
    (void)unused;
    struct bench b;
    /* the two micro signs; decomposed and composed letters; primes in keys */
    static const char text[] = "let \xc2\xb5 = 1 let \xce\xbc = 2 "
                               "let e\xcc\x81 = 3 let \xc3\xa9 = 4 "
                               "start { h' = 1 h'' = 2 }";
    parse(&b, text, sizeof text - 1, false);
    assert_int_equal(b.ds.errors, 0);
    assert_ptr_equal(b.f->items[0]->name.text, b.f->items[1]->name.text);
    assert_ptr_equal(b.f->items[2]->name.text, b.f->items[3]->name.text);
    assert_string_equal(b.f->items[2]->name.text, "\xc3\xa9");
    assert_string_equal(b.f->items[4]->block[0]->name.text, "h'");
    assert_string_equal(b.f->items[4]->block[1]->name.text, "h''");
    assert_int_equal(b.f->items[4]->block[1]->name.range.hi -
                         b.f->items[4]->block[1]->name.range.lo,
                     3);
    arena_free(b.a);
    static const char strings[] = "let a = \"x\\n\\t\\\"\\\\\\u{3b8}\"";
    parse(&b, strings, sizeof strings - 1, false);
    assert_int_equal(b.ds.errors, 0);
    assert_string_equal(b.f->items[0]->value->text, "x\n\t\"\\\xce\xb8");
    arena_free(b.a);
}

static void
probes(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        enum parse_state state;
    } v[] = {
        {"", PARSE_DONE},
        {"# c", PARSE_DONE},
        {"show a", PARSE_DONE},
        {"1 + 2", PARSE_DONE},
        {"1 +", PARSE_MORE},
        {"body a {", PARSE_MORE},
        {"body a : ellipse(2, 1)", PARSE_MORE},
        {"body a { mass = 2 }", PARSE_DONE},
        {"(1,", PARSE_MORE},
        {"let r =", PARSE_MORE},
        {"\"doc\" param", PARSE_MORE},
        {"simulate", PARSE_MORE},
        {"1 2", PARSE_WRONG},
        {")", PARSE_WRONG},
        {"let a = )", PARSE_WRONG},
        {"body a { mass 2", PARSE_WRONG},
        {"show \"abc", PARSE_WRONG},
        {"show $", PARSE_WRONG},
        {"contact c : a | b", PARSE_DONE},
        {"x = 3", PARSE_WRONG},
    };
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        if (parse_probe(v[i].text, strlen(v[i].text)) != v[i].state)
            fail_msg("%s", v[i].text);
}

static void
collect(void *ctx, const char *what)
{
    buf_printf(ctx, "%s ", what);
}

static void
expected_is(const char *text, const char *with, const char *without)
{
    struct buf o = {0};
    buf_putc(&o, ' ');
    parse_expected(text, strlen(text), collect, &o);
    char word[80], list[400];
    for (int k = 0; k < 2; k++) {
        snprintf(list, sizeof list, "%s", k ? without : with);
        for (char *w = strtok(list, " "); w; w = strtok(NULL, " ")) {
            snprintf(word, sizeof word, " %s ", w);
            if ((strstr(buf_str(&o), word) != NULL) == k)
                fail_msg("after '%s': %s%s in%s", text, k ? "" : "no ", w, o.s);
        }
    }
    buf_free(&o);
}

static void
expecting(void **unused)
{
    (void)unused;
    expected_is("", "use param body show classify <name> <number>",
                ") ] then <unit> <key>");
    expected_is("body ", "<name>", "<number> body {");
    expected_is("body a ", ": {", "= <name> (");
    expected_is("body a : ellipse", "( { .", "+ = <name>");
    expected_is("body a : ellipse(2, ", "<number> <name> ( not", ") ,");
    expected_is("body a { ", "<key> contact }", "show use <name> = )");
    expected_is("body a { mass ", "= {", "<number> :");
    expected_is("body a { mass = 2 ", "<key> } + [", ") show use");
    expected_is("let a = 2 [", "<unit> ( <number>", "+ <name> if");
    expected_is("let a = 2 [m", "* / ^ ]", "+ <name> )");
    expected_is("let r = ", "classify <name> if", "body <key>");
    expected_is("let r = if a ", "then + or", "else");
    expected_is("contact c : a ", "| (", "{ +");
    /* the true set: after a complete item everything that may begin one */
    expected_is("show a ", "+ . , { show body <name>", "= then )");
    expected_is("let a = (1 + 2", ") , + *", "] } show body");
}

static const char *const models[] = {
    "use shapes\nbody one : ellipse(2, 1) { density = 1  spin = -1 }\n"
    "contact touch : one | two { restitution = 1 } # c\n"
    "let r = classify touch\nexpect r.class == \"C00\"\n"
    "let s = compare impact a, b\n",
    "system feet(n, g = 0) {\n coordinate phix, h\n kinetic = phix'^2 + h'^2\n"
    " contact foot[i in 0 .. n-1] { gap = h + sin(2*pi*i/n)*phix }\n"
    " start { h = 1 h' = -1 } }\n\"knob\" param rho : m = 0.3 in [0.01, 1]\n",
    "sweep { over = (rho in linspace(0.01, 1, 200), g in [1, 2; 3, 4])\n"
    " run = chatter square save = \"s.csv\" }\n"
    "shape s(a) = if x > 0 and not y <= 1 then x^2 else 2 .. 3 { volume = 1 }\n"
    "joint o2 : hinge(right, world) { at = (0, 2.7, 0) [mm] }\n",
};

/* bytes changed, cut, doubled at random: no crash, and what parses formats to
 * a fixed point */
static void
fuzz(void **unused)
{
    (void)unused;
    srand(11);
    for (int k = 0; k < 6000; k++) {
        const char *m = models[k % 3], *other = models[rand() % 3];
        char text[2000];
        size_t n = strlen(m);
        memcpy(text, m, n);
        for (int j = rand() % 4; j >= 0; j--) {
            size_t at = (size_t)rand() % n, len = (size_t)(rand() % 9);
            switch (rand() % 4) {
            case 0:
                text[at] = (char)rand();
                break;
            case 1:
                text[at] = "(){}[]=,;:|'\"#.+-*/^ \n"[rand() % 22];
                break;
            case 2:
                if (at + len < n) {
                    memmove(text + at, text + at + len, n - at - len);
                    n -= len;
                }
                break;
            default:
                if (n + 8 < sizeof text && len < strlen(other)) {
                    memmove(text + at + len, text + at, n - at);
                    memcpy(text + at,
                           other + (size_t)rand() % (strlen(other) - len), len);
                    n += len;
                }
            }
        }
        struct bench b;
        parse(&b, text, n, k & 1);
        struct buf o = {0}, once = {0}, twice = {0};
        diags_print(&b.ds, &o, DIAG_TEXT, true);
        struct diags d2;
        diags_init(&d2, b.a, b.s);
        if (fmt_file(b.a, &d2, 1, &once)) {
            buf_puts(&once, "");
            uint32_t f2 = sources_add(b.s, "o", buf_str(&once), once.n);
            if (!fmt_file(b.a, &d2, f2, &twice))
                fail_msg("%s", buf_str(&once));
            assert_string_equal(buf_str(&once), buf_str(&twice));
        }
        parse_probe(text, n);
        buf_free(&o);
        buf_free(&once);
        buf_free(&twice);
        arena_free(b.a);
    }
}

/* every allocation fails once; nothing is lost (run under a leak checker) */
static void
memory_runs_out(void **unused)
{
    (void)unused;
    char deep[300] = "let a = ";
    memset(deep + 8, '(', 280);
    for (volatile int m = 0; m < 4; m++) {
        const char *text = m < 3 ? models[m] : deep;
        for (volatile long k = 1; k < 100000; k++) {
            struct arena *a = arena_new();
            struct sources *s = sources_new(a);
            struct intern *in = intern_new(a);
            struct diags ds;
            diags_init(&ds, a, s);
            uint32_t file = sources_add(s, "m", text, strlen(text));
            struct oom_guard g;
            volatile bool failed = false;
            if (setjmp(g.env)) {
                failed = true;
            } else {
                oom_enter(&g);
                oom_fail_at(k);
                parse_file(a, in, &ds, file, false);
            }
            oom_leave(&g);
            oom_fail_at(0);
            arena_free(a);
            if (!failed)
                break;
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),          cmocka_unit_test(words),
        cmocka_unit_test(names),          cmocka_unit_test(probes),
        cmocka_unit_test(expecting),      cmocka_unit_test(fuzz),
        cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
