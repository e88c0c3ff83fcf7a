/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fast motion of compliant contacts, against closed forms of linear laws
 * (specification painleve.md, 7), and mirror images. */
#include "impact_help.h"
#include "runtime/compliance/fast_motion.h"

struct linear {
    double k, q;
};

static bool
linear(void *ctx, const struct fast_push *at, double out[3])
{
    const struct linear *law = ctx;
    out[0] = law->k * at->depth + law->q * at->speed;
    out[1] = law->k;
    out[2] = law->q;
    return true;
}

static void
last(void *ctx, const struct fast_state *state)
{
    *(struct fast_state *)ctx = *state;
}

/* A drop on a spring and a damper: how much of its speed comes back. */
static void
restitution(void **state)
{
    (void)state;
    static const double of[][3] = {{1, .5, .400820115289335},
                                   {.2, 1, .74407939772178}};
    for (int i = 0; i < 2; i++) {
        struct linear law = {1, of[i][0]};
        struct fast_point point = {.A = 1,
                                   .B = 0,
                                   .C = of[i][1],
                                   .mu = 1,
                                   .slip_sign = 1,
                                   .law = {linear, &law}};
        struct fast_state from = {.speed = 1}, to;
        assert_true(fast_motion(&point, &from, last, &to) == FAST_LIFTOFF);
        assert_true(fabs(-to.speed - of[i][2]) < 1e-8);
    }
}

/* The border between lift-off and impact is that of the closed form, and of the
 * motions beside it. */
static void
border(void **state)
{
    (void)state;
    int cases = 300;
    uint64_t seed = 7;
    for (int i = 0; i < cases; i++) {
        double r[5];
        for (int k = 0; k < 5; k++)
            r[k] = multi_random(&seed, 0, 1);
        struct linear law = {.3 + 4 * r[0], .1 + 2 * r[1]};
        double side = i % 2 ? 1 : -1, b = .05 + r[2], B = .2 + .6 * r[3];
        struct fast_point point = {.A = 1,
                                   .B = side * B,
                                   .C = 1,
                                   .b = b,
                                   .mu = (1.1 + 2 * r[4]) / B,
                                   .slip_sign = side,
                                   .law = {linear, &law}};
        struct fast_equilibrium at[FAST_EQUILIBRIA_MOST];
        double p = 1 - point.mu * B, speed;
        assert_true(fast_equilibria(&point, at) == 1);
        assert_true(at[0].kind == FAST_SADDLE);
        assert_true(fabs(at[0].depth - b / -p / law.k) < 1e-12 * at[0].depth);
        /* x^2 + p q x + p k = 0 */
        double half = -.5 * p * law.q,
               stable = half - sqrt(half * half - p * law.k),
               exact = stable * b / (p * law.k);
        assert_true(fast_separatrix(&point, at, &speed, NULL, NULL));
        assert_true(fabs(speed - exact) < 1e-9 * exact);
        struct fast_state below = {.speed = exact * (1 - 1e-5)},
                          above = {.speed = exact * (1 + 1e-5)};
        assert_true(fast_motion(&point, &below, NULL, NULL) == FAST_LIFTOFF);
        assert_true(fast_motion(&point, &above, NULL, NULL) == FAST_IMPACT);
    }
}

/* From rest of the slip: mirror images have mirrored outcomes, and what settles
 * does so in a mode that the rigid contact has. */
static void
mirrors(void **state)
{
    (void)state;
    static const enum fast_outcome turned[] = {
        FAST_LIFTOFF, FAST_STICK,     FAST_SLIP_NEGATIVE, FAST_SLIP_POSITIVE,
        FAST_IMPACT,  FAST_UNSETTLED, FAST_NO_VALUE};
    struct arena *arena = arena_new();
    int cases = 2000, settled = 0;
    uint64_t seed = 8;
    for (int i = 0; i < cases; i++) {
        double r[8];
        for (int k = 0; k < 8; k++)
            r[k] = multi_random(&seed, 0, 1);
        struct linear law = {.3 + 4 * r[0], .2 + 2 * r[1]};
        struct fast_point point = {.A = .5 + r[2],
                                   .C = .5 + r[3],
                                   .a = 4 * r[4] - 2,
                                   .b = 2 * r[5] - 1.2,
                                   .mu = 3 * r[6],
                                   .law = {linear, &law}};
        point.B = .9 * (2 * r[7] - 1) * sqrt(point.A * point.C);
        struct fast_point mirror = point;
        mirror.B = -point.B;
        mirror.a = -point.a;
        struct fast_state from = {.depth = 2 * r[0], .speed = r[1] - .5};
        enum fast_outcome one = fast_motion(&point, &from, NULL, NULL),
                          two = fast_motion(&mirror, &from, NULL, NULL);
        assert_true(two == turned[one]);
        settled += one < FAST_IMPACT;
        struct painleve_point rigid = {.A = point.A,
                                       .B = point.B,
                                       .C = point.C,
                                       .a = point.a,
                                       .b = point.b,
                                       .a_terms = 4,
                                       .b_terms = 4,
                                       .mu = point.mu,
                                       .restitution = .5,
                                       .law = FRICTION_ENERGETIC};
        struct painleve *found = NEW(arena, struct painleve);
        painleve_find(arena, &rigid, found);
        static const unsigned bit[] = {PAINLEVE_LIFTOFF, PAINLEVE_STICK,
                                       PAINLEVE_SLIP_POSITIVE,
                                       PAINLEVE_SLIP_NEGATIVE};
        if (one < FAST_IMPACT)
            assert_true(found->outcomes & bit[one]);
        if (i % 100 == 99)
            arena_clear(arena);
    }
    assert_true(settled > 9 * cases / 10);
    arena_free(arena);
}

/* What a law must not be is told. */
static void
faults(void **state)
{
    (void)state;
    double d, w;
    struct linear good = {1, .1}, soft = {-1, 1}, driving = {1, -.5};
    struct fast_law law = {linear, &good};
    assert_true(fast_law_fault(&law, 1, 1, &d, &w) == NULL);
    law.ctx = &soft;
    assert_true(fast_law_fault(&law, 1, 1, &d, &w) != NULL);
    law.ctx = &driving;
    assert_true(fast_law_fault(&law, 1, 1, &d, &w) != NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restitution), cmocka_unit_test(border),
        cmocka_unit_test(mirrors), cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
