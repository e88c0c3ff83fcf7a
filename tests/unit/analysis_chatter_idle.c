/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts that are never hit, or no longer, change no verdict: random systems
 * without acceleration, with and without such a contact, which stands at any
 * place among the others; and the same systems in other coordinates, units and
 * orders. The verdict is the same, and the time to 1e-12. */
#include <math.h>
#include <string.h>

#include "analysis/chatter/run.h"
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/ballistic/ballistic.h"
#include "runtime/numerics/random.h"

#define MOST 9
#define SYSTEMS 3000

static const double pi = 3.14159265358979323846;

struct sys {
    int n, m;
    double mass[9], acc[3], N[3 * MOST], c[MOST], e[MOST], q[3], v[3];
};

static uint64_t drawn;
static double
draw(double lo, double hi)
{
    return lo + (hi - lo) * random_unit(12.0, drawn++, 2);
}

/* two to five feet, regular or not, dropped nearly flat */
static struct sys
feet(void)
{
    int m = 2 + (int)draw(0, 4), style = (int)draw(0, 3);
    struct sys s = {.n = m == 2 ? 2 : 3, .m = m};
    double rho = draw(0.05, 0.8), e = exp(draw(log(0.01), log(0.6)));
    for (int i = 0; i < s.n; i++)
        s.mass[i * (s.n + 1)] =
            i == s.n - 1 ? 1.0
                         : rho * rho * (style ? exp(draw(-0.3, 0.3)) : 1.0);
    for (int i = 0; i < m; i++) {
        double w = 2.0 * pi * i / m + (style == 2 ? draw(-0.2, 0.2) : 0.0);
        double r = style ? draw(0.8, 1.2) : 1.0, *N = s.N + i * s.n;
        N[0] = m == 2 ? r * (1.0 - 2.0 * i) : r * sin(w);
        if (m > 2)
            N[1] = -r * cos(w);
        N[s.n - 1] = 1.0;
        s.e[i] = style == 2 ? exp(draw(log(0.01), log(0.6))) : e;
    }
    for (int j = 0; j < s.n; j++) {
        s.q[j] = j == s.n - 1 ? 1.0 : draw(-0.05, 0.05);
        s.v[j] = j == s.n - 1 ? -1.0 : draw(-0.1, 0.1);
    }
    return s;
}

/* Puts a contact that never closes at `place` among the others: its point is
 * between the feet, and higher. */
static void
add_idle(struct sys *s, int place)
{
    size_t after = (size_t)(s->m - place), n = (size_t)s->n;
    double *N = s->N + place * s->n;
    memmove(N + n, N, after * n * sizeof *N);
    memmove(s->c + place + 1, s->c + place, after * sizeof *s->c);
    memmove(s->e + place + 1, s->e + place, after * sizeof *s->e);
    for (int j = 0; j < s->n - 1; j++)
        N[j] = draw(0, 1) < 0.5 ? 0.0 : draw(-0.15, 0.15);
    N[s->n - 1] = 1.0;
    s->c[place] = draw(0.2, 1.0);
    s->e[place] = draw(0.05, 0.9);
    s->m++;
}

/* coordinates in powers of 2, which change no digit, and another order of them
 */
static void
disguise(struct sys *s)
{
    int n = s->n, by[3], to[3];
    struct sys o = *s;
    for (int j = 0; j < n; j++) {
        by[j] = (int)draw(-12, 12);
        to[j] = (j + 1) % n;
    }
    for (int j = 0; j < n; j++) {
        s->q[to[j]] = ldexp(o.q[j], -by[j]);
        s->v[to[j]] = ldexp(o.v[j], -by[j]);
        for (int i = 0; i < s->m; i++)
            s->N[i * n + to[j]] = ldexp(o.N[i * n + j], by[j]);
        for (int i = 0; i < n; i++)
            s->mass[to[i] * n + to[j]] =
                ldexp(o.mass[i * n + j], by[i] + by[j]);
    }
}

static struct chatter_run
followed(struct arena *a, const struct sys *s)
{
    struct ballistic_model model = {.n = s->n,
                                    .m = s->m,
                                    .mass = s->mass,
                                    .acc = s->acc,
                                    .N = s->N,
                                    .c = s->c,
                                    .e = s->e};
    struct ballistic *motion;
    struct chatter_run run;
    assert_int_equal(ballistic_new(a, &model, &motion), 0);
    assert_true(ballistic_start(motion, 0.0, s->q, s->v, 0.0));
    chatter_follow(a, NULL, motion, INFINITY, 16, 100000, &run);
    return run;
}

static void
same(int k, const struct chatter_run *plain, const struct chatter_run *other,
     const char *what)
{
    if (plain->verdict != other->verdict)
        fail_msg("system %d, %s: verdict %d, not %d", k, what,
                 (int)other->verdict, (int)plain->verdict);
    /* a run that separates has as many impacts; its time may be late, and hang
     * on the digits of the start */
    if (plain->limit ? fabs(plain->time - other->time) > 1e-12 * plain->time
                     : plain->impacts != other->impacts)
        fail_msg("system %d, %s: time %.17g, not %.17g; %ld impacts, not %ld",
                 k, what, other->time, plain->time, other->impacts,
                 plain->impacts);
}

static void
idle(void **unused)
{
    (void)unused;
    int count[CHATTER_JAMMED + 1] = {0};
    for (int k = 0; k < SYSTEMS; k++) {
        struct arena *a = arena_new();
        drawn = (uint64_t)k * 1000;
        struct sys s = feet();
        struct chatter_run plain = followed(a, &s), other;
        count[plain.verdict]++;
        for (int more = 1; more < 3; more++) {
            add_idle(&s, (int)draw(0, s.m + 1));
            other = followed(a, &s);
            same(k, &plain, &other, "idle contacts");
        }
        disguise(&s);
        other = followed(a, &s);
        same(k, &plain, &other, "other coordinates");
        arena_free(a);
    }
    print_message("complete %d, partial %d, incomplete %d, simultaneous %d\n",
                  count[CHATTER_COMPLETE], count[CHATTER_PARTIAL],
                  count[CHATTER_INCOMPLETE], count[CHATTER_SIMULTANEOUS]);
    assert_true(count[CHATTER_COMPLETE] > SYSTEMS / 4);
    assert_true(count[CHATTER_PARTIAL] > SYSTEMS / 40);
    assert_true(count[CHATTER_INCOMPLETE] > SYSTEMS / 4);
    assert_int_equal(count[CHATTER_SIMULTANEOUS], 0);
}

/* Where weight rules, orders seldom repeat, and many motions are chaotic: those
 * are compared whose outcome does not hang on the last digits of the start. */
static void
idle_with_weight(void **unused)
{
    (void)unused;
    int firm = 0, systems = SYSTEMS / 10;
    for (int k = 0; k < systems; k++) {
        struct arena *a = arena_new();
        drawn = (uint64_t)k * 1000 + 500;
        struct sys s = feet(), near;
        s.acc[s.n - 1] = -draw(0.5, 3.0);
        struct chatter_run plain = followed(a, &s), other;
        bool same_near = true;
        for (int i = 0; i < 4; i++) {
            near = s;
            for (int j = 0; j < s.n; j++) {
                near.q[j] *= 1.0 + draw(-1e-15, 1e-15);
                near.v[j] *= 1.0 + draw(-1e-15, 1e-15);
            }
            other = followed(a, &near);
            same_near &= other.verdict == plain.verdict &&
                         other.impacts == plain.impacts &&
                         fabs(other.time - plain.time) <= 1e-13 * plain.time;
        }
        add_idle(&s, (int)draw(0, s.m + 1));
        other = followed(a, &s);
        if (same_near)
            same(k, &plain, &other, "weight and an idle contact");
        firm += same_near;
        arena_free(a);
    }
    print_message("%d of %d systems with weight compared\n", firm, systems);
    assert_true(firm > systems / 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(idle),
                                       cmocka_unit_test(idle_with_weight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
