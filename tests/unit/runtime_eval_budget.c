/* SPDX-License-Identifier: MIT */
/* What the gap series of two bodies in space may cost: products that change in
 * time, per order. Code size, compile time and run time follow from them. */
#include "model.h"

#include "calculus_help.h"

static unsigned
gap_products(const double *p)
{
    struct model o;
    const double axes[2][3] = {{1, 1.3, 1.7}, {0.8, 1.1, 1.5}};
    const double at[3] = {5, 0.3, 0.2};
    model_new(&o, 3);
    for (int i = 0; i < 2; i++) {
        struct tm_body *b =
            body(&o, i ? "two" : "one", superellipsoid(&o, axes[i], p[i]));
        b->stated.mass = scal(&o, 1);
        if (i)
            b->start.position = vec(&o, 3, at);
    }
    contact(&o, "touch", 0, 1, 1);
    model_run(&o);
    const imp_contact *c = rt_contact(o.r, 0);
    struct help_tape h = {
        .im = o.im, .t = IMP_ARRAY(o.im, o.im->tapes, imp_tape) + c->event};
    unsigned n = help_products(&h);
    print_message("gap series, exponents %g and %g: %u instructions, %u "
                  "products\n",
                  p[0], p[1], (unsigned)h.t->code.n, n);
    model_free(&o);
    return n;
}

static void
test_gap_budget(void **state)
{
    (void)state;
    assert_true(gap_products((double[]){2, 2}) <= 90);
    assert_true(gap_products((double[]){4, 2}) <= 100);
    assert_true(gap_products((double[]){2.5, 3}) <= 110);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gap_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
