/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expression graph: consing, simplification, depth, printing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "calculus/expr.h"
#include "calculus/image.h"

struct fix {
    struct arena *a;
    struct graph *g;
    const expr *x, *y, *z, *p;
};

static int
setup(void **state)
{
    struct fix *f = mem_alloc(sizeof *f);
    f->a = arena_new();
    f->g = graph_new(f->a);
    f->x = ex_sym(f->g, SYM_LOCAL, 0, 0);
    f->y = ex_sym(f->g, SYM_LOCAL, 1, 0);
    f->z = ex_sym(f->g, SYM_LOCAL, 2, 0);
    f->p = ex_sym(f->g, SYM_PARAM, 0, 0);
    *state = f;
    return 0;
}

static int
teardown(void **state)
{
    struct fix *f = *state;
    arena_free(f->a);
    free(f);
    return 0;
}

static void
is(const expr *e, const char *text)
{
    struct buf b = {0};
    ex_print(&b, e);
    assert_string_equal(buf_str(&b), text);
    buf_free(&b);
}

static void
test_consing(void **state)
{
    struct fix *f = *state;
    struct graph *g = f->g;
    assert_ptr_equal(ex_add(g, f->x, f->y), ex_add(g, f->y, f->x));
    assert_ptr_equal(ex_mul(g, f->x, f->y), ex_mul(g, f->y, f->x));
    assert_ptr_not_equal(ex_sub(g, f->x, f->y), ex_sub(g, f->y, f->x));
    assert_ptr_equal(ex_num(g, 0.1), ex_num(g, 0.1));
    assert_ptr_equal(ex_sym(g, SYM_LOCAL, 0, 0), f->x);
    assert_ptr_not_equal(ex_sym(g, SYM_ENV, 0, 0), f->x);
    /* many nodes: the table grows, equality stays */
    const expr *first = ex_mul(g, f->x, ex_num(g, 3.5));
    for (int i = 0; i < 20000; i++)
        ex_mul(g, f->x, ex_num(g, i + 0.25));
    uint32_t n = graph_size(g);
    for (int i = 0; i < 20000; i++)
        ex_mul(g, f->x, ex_num(g, i + 0.25));
    assert_int_equal(n, graph_size(g));
    assert_ptr_equal(first, ex_mul(g, f->x, ex_num(g, 3.5)));
    for (uint32_t i = 0; i < 100; i++)
        assert_true(ex_mul(g, f->y, ex_num(g, i + 2.0))->a->id < n + 500);
}

static void
test_simplify(void **state)
{
    struct fix *f = *state;
    struct graph *g = f->g;
    const expr *zero = ex_num(g, 0), *one = ex_num(g, 1), *x = f->x;
    assert_ptr_equal(ex_add(g, zero, x), x);
    assert_ptr_equal(ex_sub(g, x, zero), x);
    assert_ptr_equal(ex_mul(g, one, x), x);
    assert_ptr_equal(ex_mul(g, x, zero), zero);
    assert_ptr_equal(ex_div(g, x, one), x);
    assert_ptr_equal(ex_neg(g, ex_neg(g, x)), x);
    assert_ptr_equal(ex_sub(g, x, x), zero);
    is(ex_add(g, ex_num(g, 1), ex_num(g, 2)), "3");
    is(ex_add(g, x, x), "(2*x)");
    is(ex_mul(g, ex_mul(g, ex_num(g, 2), x), ex_num(g, 4)), "(8*x)");
    is(ex_sub(g, zero, ex_sub(g, x, f->y)), "(y - x)");
    is(ex_op(g, IMP_OP_SIN, zero, NULL, NULL), "0");
    /* a literal that is not finite stays, to be named when it is met */
    is(ex_div(g, one, zero), "(1/0)");
    is(ex_op(g, IMP_OP_LOG, zero, NULL, NULL), "log(0)");
}

static void
test_powers(void **state)
{
    struct fix *f = *state;
    struct graph *g = f->g;
    const expr *x = f->x, *ax = ex_op(g, IMP_OP_ABS, x, NULL, NULL);
    is(ex_pow(g, x, ex_num(g, 3)), "(x*(x*x))");
    is(ex_pow(g, x, ex_num(g, -2)), "(1/(x*x))");
    is(ex_pow(g, x, ex_num(g, 0.5)), "sqrt(x)");
    is(ex_pow(g, ax, ex_num(g, 4)), "((x*x)*(x*x))");
    is(ex_pow(g, ax, ex_num(g, 3)), "ABSPOW(x, 3)");
    is(ex_pow(g, ax, f->p), "ABSPOW(x, param0)");
    is(ex_pow(g, x, f->p), "pow(x, param0)");
    /* even powers of a length are smooth where it is 0 */
    is(ex_pow(g, ex_op(g, IMP_OP_HYPOT, x, f->p, NULL), ex_num(g, 2)),
       "((x*x) + (param0*param0))");
    is(ex_diff(g, ex_pow(g, ax, ex_num(g, 3)), x), "(3*SGNPOW(x, 2))");
    /* a value at x = 0 where a factor 0 meets a power without bound */
    is(ex_mul(g, x, ex_pow(g, ax, ex_num(g, -0.5))), "SGNPOW(x, 0.5)");
    is(ex_mul(g, ex_op(g, IMP_OP_SIGN, x, NULL, NULL),
              ex_pow(g, ax, ex_num(g, 0.25))),
       "SGNPOW(x, 0.25)");
    is(ex_diff(g, ex_pow(g, x, ex_num(g, 3)), x), "(3*(x*x))");
    /* no logarithm where the exponent does not depend on the variable */
    struct buf b = {0};
    ex_print(&b, ex_diff(g, ex_pow(g, x, f->p), x));
    assert_null(strstr(buf_str(&b), "log"));
    buf_free(&b);
}

static void
test_deep(void **state)
{
    struct fix *f = *state;
    struct graph *g = f->g;
    const expr *e = f->x;
    enum { N = 100000 };
    for (int i = 0; i < N; i++)
        e = ex_add(g, e,
                   ex_mul(g, ex_num(g, i + 0.5),
                          ex_op(g, i % 2 ? IMP_OP_SIN : IMP_OP_COS, f->y, NULL,
                                NULL)));
    for (int i = 0; i < N; i++)
        e = ex_op(g, IMP_OP_SIN, e, NULL, NULL);
    assert_true(ex_depends(g, e, SYM_LOCAL, 1, UINT32_MAX));
    assert_false(ex_depends(g, e, SYM_LOCAL, 2, UINT32_MAX));
    uint32_t n = graph_size(g);
    const expr *d = ex_diff(g, e, f->y);
    assert_true(graph_size(g) - n < 6 * N);
    assert_ptr_equal(d, ex_diff(g, e, f->y));
    struct buf b = {0};
    ex_print(&b, d);
    buf_free(&b);
    assert_true(isnan(ex_value(g, e, NULL, NULL)));
}

static const expr *
to_sum(void *ctx, const expr *leaf)
{
    struct fix *f = ctx;
    return leaf == f->x ? ex_add(f->g, f->y, f->z) : NULL;
}

static void
test_subst(void **state)
{
    struct fix *f = *state;
    const expr *e = ex_mul(f->g, f->x, ex_pow(f->g, f->x, ex_num(f->g, 2)));
    const expr *s = ex_add(f->g, f->y, f->z);
    assert_ptr_equal(ex_subst(f->g, e, to_sum, f),
                     ex_mul(f->g, s, ex_pow(f->g, s, ex_num(f->g, 2))));
}

/* third derivatives of a superellipsoid stay short */
static void
test_compact(void **state)
{
    struct fix *f = *state;
    struct graph *g = f->g;
    const expr *v[3] = {f->x, f->y, f->z}, *G = ex_num(g, -1);
    for (uint32_t i = 0; i < 3; i++) {
        const expr *u = ex_div(g, v[i], ex_sym(g, SYM_PARAM, i + 1, 0));
        G = ex_add(g, G, ex_pow(g, ex_op(g, IMP_OP_ABS, u, NULL, NULL), f->p));
    }
    uint32_t n = graph_size(g);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            for (int k = j; k < 3; k++)
                ex_diff(g, ex_diff(g, ex_diff(g, G, v[i]), v[j]), v[k]);
    assert_true(graph_size(g) - n < 100);
}

/* offsets survive growth, texts are shared, arrays are aligned */
static void
test_image(void **state)
{
    struct fix *f = *state;
    struct image_builder *ib = image_new(f->a);
    imp_image head = {.dim = 3};
    imp_str s[2000];
    imp_ref r[2000];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 2000; i++) {
            char text[16];
            double v[3] = {i, i + 1.0, i + 2.0};
            snprintf(text, sizeof text, "name%u", i);
            imp_str t = image_text(ib, text);
            if (round)
                assert_memory_equal(&t, &s[i], sizeof t);
            s[i] = t;
            if (!round)
                r[i] = image_array(ib, v, 3, sizeof *v);
        }
    assert_int_equal(image_text(ib, "").n, 0);
    assert_int_equal(image_array(ib, NULL, 0, 8).n, 0);
    imp_tape t = {.name = s[7]};
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(image_add_tape(ib, &t), i);
    const imp_image *im = image_finish(ib, &head);
    assert_int_equal((uintptr_t)im % 16, 0);
    assert_true(im->magic == IMP_IMAGE_MAGIC && im->abi == IMP_ABI_VERSION);
    assert_true(im->dim == 3 && im->tapes.n == 100 && im->size % 16 == 0);
    const imp_tape *tapes = IMP_ARRAY(im, im->tapes, imp_tape);
    assert_string_equal(imp_text(im, tapes[99].name), "name7");
    for (uint32_t i = 0; i < 2000; i++) {
        char text[16];
        snprintf(text, sizeof text, "name%u", i);
        assert_string_equal(imp_text(im, s[i]), text);
        assert_int_equal(r[i].off % 16, 0);
        assert_true(IMP_ARRAY(im, r[i], double)[2] == i + 2.0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        T(test_consing), T(test_simplify), T(test_powers), T(test_deep),
        T(test_subst),   T(test_compact),  T(test_image)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
