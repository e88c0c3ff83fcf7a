/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of a family after the first have what does not vary from the one
 * before them, and numbers that are found without values and nodes. Each of
 * them is what a body of its own is whose text has the number in the place of
 * the index: the same formulas, with the same bits. */
#include "check_common.h"

static unsigned long long seed;

static unsigned
below(unsigned n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % n;
}

/* May names of numbers stand in it? They are pure, literals of any dimension.
 */
static bool pure;

/* A random formula; '@' stands for the index. */
static void
formula(struct buf *out, int depth)
{
    static const char *const leaf[] = {"@",  "@", "0.1", "2",
                                       "pi", "a", "7",   "0"},
                             *const odd[] = {"p", "f(@)", "a", "h(@, 2)"},
                             *const one[] = {"floor", "sin",  "cos", "abs",
                                             "sqrt",  "sign", "exp", "trunc"},
                             *const two[] = {"fmod", "atan2", "min", "hypot"};
    unsigned kind = depth > 0 ? below(16) : 0;
    if (kind < 4) {
        if (below(pure ? 8 : 200) == 0)
            buf_puts(out, odd[below(4)]);
        else
            buf_puts(out, leaf[below(8)]);
    } else if (kind < 10) {
        buf_puts(out, kind < 8 ? "" : "(");
        formula(out, depth - 1);
        unsigned op = below(40);
        buf_printf(out, " %c ", "/+-*"[op % 4]);
        buf_puts(out, op % 4 || op == 0 ? "(" : "(0.3 + abs(");
        formula(out, depth - 1);
        buf_puts(out, op % 4 || op == 0 ? ")" : "))");
        buf_puts(out, kind < 8 ? "" : ")");
    } else if (kind < 12) {
        buf_puts(out, "(");
        formula(out, depth - 1);
        buf_printf(out, ")^%u", below(6));
    } else if (kind < 13) {
        buf_puts(out, "-");
        formula(out, depth - 1);
    } else if (kind < 15) {
        unsigned which = below(8);
        buf_printf(out, "%s(%s(", one[which], which == 4 ? "abs" : "");
        formula(out, depth - 1);
        buf_puts(out, "))");
    } else if (below(3)) {
        buf_printf(out, "%s(", two[below(4)]);
        formula(out, depth - 1);
        buf_puts(out, ", ");
        formula(out, depth - 1);
        buf_puts(out, ")");
    } else {
        buf_puts(out, "(if @ < 2 then ");
        formula(out, depth - 1);
        buf_puts(out, " else ");
        formula(out, depth - 1);
        buf_puts(out, ")");
    }
}

static void
key(struct buf *out, bool number, const char *before, const char *after)
{
    pure = number;
    buf_puts(out, before);
    formula(out, (int)below(4));
    buf_puts(out, after);
}

/* What stands behind the name of a body. */
static void
body(struct buf *out)
{
    key(out, false,
        below(3) ? " : circle(0.3 + 0*abs(" : " : ellipse(1, 0.5 + abs(",
        ")) { ");
    key(out, false, below(2) ? "mass = 1 + 0*abs(" : "density = abs(", ") ");
    if (below(4)) {
        key(out, false, "position = (", ", ");
        key(out, false, "", ") ");
    } else if (below(2)) {
        key(out, false, "position = (random(@, 9 + abs(", ")), ");
        key(out, false, "(", ") [cm]) apart = 0.1 ");
    } else {
        key(out, true, "position = ((", ") [m], random(-@, 5 [m])) ");
    }
    if (below(2))
        key(out, true, "angle = ", " ");
    if (below(2)) {
        key(out, false, "velocity = 2*(", ", ");
        key(out, false, "", ") ");
    } else {
        key(out, false, "velocity = (", ", random(1, 2)) ");
    }
    if (below(2))
        key(out, false, "spin = ", " ");
    if (below(4) == 0)
        buf_puts(out, "force = (0, -@*t) ");
    buf_puts(out, "}\n");
}

static void
with_number(struct buf *out, const char *text, const char *number)
{
    for (; *text; text++)
        if (*text == '@')
            buf_puts(out, number);
        else
            buf_putc(out, *text);
}

static bool
same(const expr *x, const expr *y)
{
    if (!x || !y)
        return x == y;
    if (x->op != y->op || x->sym != y->sym || x->i != y->i || x->j != y->j ||
        memcmp(&x->num, &y->num, sizeof x->num) != 0)
        return false;
    return same(x->c, y->c) && ((same(x->a, y->a) && same(x->b, y->b)) ||
                                (same(x->a, y->b) && same(x->b, y->a)));
}

static bool
same_vec(const struct tm_vec *x, const struct tm_vec *y)
{
    bool equal = x->n == y->n;
    for (uint32_t i = 0; equal && i < x->n; i++)
        equal = same(x->e[i], y->e[i]);
    return equal;
}

static bool
same_body(const struct tm_body *x, const struct tm_body *y)
{
    return x->fixed == y->fixed && x->first_draw == y->first_draw &&
           x->n_draw == y->n_draw &&
           x->start.orient_kind == y->start.orient_kind &&
           same(x->shape.level_set, y->shape.level_set) &&
           same(x->shape.volume.e, y->shape.volume.e) &&
           same_vec(&x->shape.inertia, &y->shape.inertia) &&
           same(x->stated.mass.e, y->stated.mass.e) &&
           same(x->stated.density.e, y->stated.density.e) &&
           same(x->apart.e, y->apart.e) &&
           same_vec(&x->start.position, &y->start.position) &&
           same_vec(&x->start.orient, &y->start.orient) &&
           same_vec(&x->start.velocity, &y->start.velocity) &&
           same_vec(&x->start.spin, &y->start.spin) &&
           same_vec(&x->force, &y->force);
}

static void
members(void **state)
{
    (void)state;
    static const char head[] = "use shapes\nlet a = 0.3\nlet b = 2 [m]\n"
                               "let g = 3*a\nparam p = 1.5\nfn f(u) = u^2 + 1\n"
                               "fn h(i, k) = f(0.7*i)*floor(k/3) - i\n"
                               "body floor : half_plane { fixed = true }\n";
    static const char *const number[] = {"(-2)", "(-1)", "0", "1", "2", "3"};
    const char *wanted = getenv("IMP_TEST_CASES");
    long cases = wanted ? atol(wanted) : 200, good = 0;
    for (long n = 0; n < cases; n++) {
        struct buf text = {0}, family = {0}, alone = {0};
        struct checked one, all;
        seed = 900001ull + (unsigned long long)n;
        body(&text);
        buf_printf(&family, "%sbody d[i in -2 .. 3]", head);
        with_number(&family, buf_str(&text), "i");
        buf_puts(&alone, head);
        for (int k = 0; k < 6; k++) {
            buf_printf(&alone, "body d%d", k);
            with_number(&alone, buf_str(&text), number[k]);
        }
        check_text(&one, buf_str(&family));
        check_text(&all, buf_str(&alone));
        bool equal = !one.m == !all.m;
        for (size_t k = 0; equal && one.m && k < one.m->n_bodies; k++)
            equal = same_body(one.m->bodies + k, all.m->bodies + k);
        if (!equal)
            fail_msg("%s\n%s", buf_str(&family), buf_str(&alone));
        good += one.m != NULL;
        checked_free(&one);
        checked_free(&all);
        buf_free(&text);
        buf_free(&family);
        buf_free(&alone);
    }
    print_message("%ld of %ld families are free of errors\n", good, cases);
    assert_true(5 * good > cases);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(members)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
