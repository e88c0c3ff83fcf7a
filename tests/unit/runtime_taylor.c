/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of series: each coefficient is one sum, in the order of the first
 * factor's coefficients, whether it is made with others or by itself. */
#include "impact_help.h"
#include "runtime/numerics/taylor.h"

#define ORDER 20

static void
draw(uint64_t *s, struct taylor *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= IMP_ORDER_MAX; k++)
            a[i].c[k] =
                multi_random(s, -1, 1) * pow(10, multi_random(s, -6, 3));
}

/* Adds coefficient k of the product of two series to a sum, term by term. */
static void
add(const struct taylor *a, const struct taylor *b, int k, double *sum)
{
    for (int j = 0; j <= k; j++)
        *sum += a->c[j] * b->c[k - j];
}

static double
cross_term(const struct taylor a[3], const struct taylor b[3], int i, int k)
{
    int one = (i + 1) % 3, two = (i + 2) % 3;
    double sum = 0.0;
    for (int j = 0; j <= k; j++)
        sum += a[one].c[j] * b[two].c[k - j] - a[two].c[j] * b[one].c[k - j];
    return sum;
}

static void
products(void **state)
{
    (void)state;
    uint64_t s = 1;
    for (int t = 0; t < 400; t++) {
        int from = (int)multi_random(&s, 0, ORDER + 1),
            order = (int)multi_random(&s, from, ORDER + 1), back = t % 2;
        struct taylor a[3], b[3], turn[9], mul, dot, cross[3], turned[3];
        draw(&s, a, 3);
        draw(&s, b, 3);
        draw(&s, turn, 9);
        taylor_mul_from(from, order, &a[0], &b[0], &mul);
        taylor_dot_from(from, order, a, b, &dot);
        taylor_cross_from(from, order, a, b, cross);
        taylor_turn_from(3, from, order, turn, back, b, turned);
        for (int k = from; k <= order; k++) {
            double want[2] = {0.0, 0.0}, row[3] = {0.0, 0.0, 0.0};
            add(&a[0], &b[0], k, &want[0]);
            for (int i = 0; i < 3; i++)
                add(&a[i], &b[i], k, &want[1]);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    add(&turn[back ? 3 * j + i : 3 * i + j], &b[j], k, &row[i]);
            assert_true(mul.c[k] == want[0]);
            assert_true(dot.c[k] == want[1]);
            for (int i = 0; i < 3; i++) {
                assert_true(cross[i].c[k] == cross_term(a, b, i, k));
                assert_true(turned[i].c[k] == row[i]);
            }
        }
    }
}

/* One coefficient at a time has the bits of whole series. */
static void
coefficients(void **state)
{
    (void)state;
    uint64_t s = 2;
    for (int t = 0; t < 400; t++) {
        int k = (int)multi_random(&s, 0, ORDER + 1);
        struct taylor a[4], product[4];
        double sum = 0.0, turned[2], want[2] = {0.0, 0.0};
        draw(&s, a, 4);
        for (int i = 0; i < 4; i++)
            taylor_mul(k, &a[i], &a[3 - i], &product[i]);
        add(&a[0], &a[1], k, &sum);
        add(&a[2], &a[3], k, &sum);
        assert_true(taylor_product_at(a[0].c, a[3].c, k) == product[0].c[k]);
        assert_true(taylor_products_at(a[0].c, a[1].c, a[2].c, a[3].c, k) ==
                    sum);
        assert_true(taylor_crossed_at(a[0].c, a[1].c, a[2].c, a[3].c, k) ==
                    product[0].c[k] - product[1].c[k]);
        for (int j = 0; j <= k; j++)
            want[0] += a[0].c[j] * a[2].c[k - j];
        for (int j = 0; j <= k; j++)
            want[0] -= a[1].c[j] * a[3].c[k - j];
        add(&a[1], &a[2], k, &want[1]);
        add(&a[0], &a[3], k, &want[1]);
        taylor_turned_at(a[0].c, a[1].c, a[2].c, a[3].c, k, turned);
        assert_true(turned[0] == want[0] && turned[1] == want[1]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products),
                                       cmocka_unit_test(coefficients)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
