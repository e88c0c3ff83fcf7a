/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random tapes of all operators, with states, chains, helpers, rows, constants
 * and implicit blocks: the evaluator and native code at every level of
 * optimisation, for this processor and for the baseline of simulators, agree
 * to the last bit (I6). Also: tapes of many parts, lanes, several threads. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/lists.h"
#include "base/arena.h"
#include "calculus/image.h"
#include "cli/code/symbols.h"
#include "codegen/gen.h"
#include "runtime/tape/eval.h"
#include "runtime/tape/functions.h"

#define N_ENV 12
#define N_OUT 16
#define N_LOCAL 4
#define N_UNKNOWN 2
#define N_SRC_ROWS 5

static const struct gen_op_info {
    unsigned arity;
    int chain, helper, step, pick;
} info[IMP_OP_COUNT] = {
#define IS(series, what) (#series[0] == what[0] && #series[1] == what[1])
#define OP(name, word, arity, dim, series, guard, eval, deriv)                 \
    {arity, IS(series, "CHAIN"), IS(series, "HELPER"), IS(series, "STEP"),     \
     IS(series, "PICK")},
#include "abi/ops.def"
};

static uint64_t seed = 88172645463325252ull;
static uint32_t
rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % n);
}
static double
unit(void)
{
    return (double)rnd(1u << 30) / (1u << 30);
}

static const struct gen_api *
api(void)
{
    static const struct gen_api *a;
    if (!a) {
        void *h = dlopen(IMP_BINARY_DIR "/libimpgen.so", RTLD_NOW);
        if (!h)
            fail_msg("%s", dlerror());
        gen_entry_fn f;
        *(void **)&f = dlsym(h, GEN_ENTRY);
        a = f();
    }
    return a;
}

/* ---- random tapes ---------------------------------------------------------
 */

struct tb {
    imp_instr code[6000];
    uint32_t n, pool[60000], n_pool, n_rows;
    double consts[64];
    uint32_t n_consts;
};

static int
varies(const struct tb *t, uint32_t i)
{
    return !(t->code[i].flags & IMP_INSTR_CONST);
}

static uint32_t
push(struct tb *t, imp_instr in, int row)
{
    in.row = row ? t->n_rows++ : IMP_NO_ROW;
    t->code[t->n] = in;
    return t->n++;
}

static void
leaves(struct tb *t, int series, int implicit)
{
    for (uint32_t i = 0; i < 4; i++) {
        t->consts[t->n_consts++] = (double)rnd(5) / 2 - 1;
        push(t,
             (imp_instr){.op = IMP_OP_CONST, .flags = IMP_INSTR_CONST, .a = i},
             series);
    }
    for (uint32_t i = 1; i < 5; i++)
        push(t, (imp_instr){.op = IMP_OP_ENV, .flags = IMP_INSTR_CONST, .a = i},
             series && i > 2);
    push(t, (imp_instr){.op = IMP_OP_LOCAL, .flags = IMP_INSTR_CONST, .a = 2},
         0);
    push(t, (imp_instr){.op = IMP_OP_TIME, .a = 0}, series);
    for (uint32_t i = 5; series && i < 9; i++)
        push(t, (imp_instr){.op = IMP_OP_STATE, .a = i, .b = i}, 1);
    for (uint32_t i = 0; series && i < 3; i++)
        push(t, (imp_instr){.op = IMP_OP_ROW, .a = i % 2, .b = i}, 1);
    for (uint32_t i = 0; implicit && i < N_UNKNOWN; i++)
        push(t,
             (imp_instr){
                 .op = IMP_OP_UNKNOWN, .flags = IMP_INSTR_IMPLICIT, .a = i},
             1);
}

/* an operand; for series of helpers it must have a row */
static uint32_t
operand(const struct tb *t, int row)
{
    for (;;) {
        uint32_t i = rnd(3) ? rnd(t->n) : t->n - 1 - rnd(t->n < 12 ? t->n : 12);
        if (!row || t->code[i].row != IMP_NO_ROW)
            return i;
    }
}

static void
random_instr(struct tb *t, int series, int tame)
{
    uint32_t op;
    imp_instr in = {0};
    do
        op = IMP_OP_ADD + rnd(IMP_OP_COUNT - IMP_OP_ADD);
    while (tame && op > IMP_OP_DOT && op != IMP_OP_SIN && op != IMP_OP_COS &&
           op != IMP_OP_ATAN && op != IMP_OP_MIN && op != IMP_OP_ABS &&
           op != IMP_OP_SELECT && op != IMP_OP_TANH && op != IMP_OP_HYPOT &&
           op != IMP_OP_ATAN2 && op != IMP_OP_LT);
    if (tame && rnd(3) == 0)
        op = IMP_OP_MUL + 2 * rnd(2);
    in.op = (uint16_t)op;
    unsigned flags = IMP_INSTR_CONST;
    if (op == IMP_OP_DOT) {
        uint32_t n = 1 + rnd(4);
        in.a = t->n_pool;
        in.b = n;
        flags = 0;
        for (uint32_t i = 0; i < n; i++) {
            t->pool[t->n_pool++] = rnd(2);
            for (int k = 0; k < 2; k++) {
                uint32_t r;
                do
                    r = operand(t, 0);
                while (series && !varies(t, r));
                flags |= t->code[r].flags & IMP_INSTR_IMPLICIT;
                t->pool[t->n_pool++] = r;
            }
        }
    } else {
        uint32_t r[3] = {0, 0, 0};
        for (unsigned k = 0; k < info[op].arity; k++) {
            r[k] = operand(t, series && info[op].helper);
            flags &= t->code[r[k]].flags | ~IMP_INSTR_CONST;
            flags |= t->code[r[k]].flags & IMP_INSTR_IMPLICIT;
        }
        in.a = r[0];
        in.b = r[1];
        in.c = r[2];
        if (op == IMP_OP_PLACE || op == IMP_OP_ENTRY) {
            in.b = 4 + rnd(4); /* the registers of ENV */
            in.c = 1 + rnd(N_ENV - t->code[in.b].a);
            if (op == IMP_OP_PLACE && rnd(2))
                in.c |= IMP_TABLE_BELOW;
        }
        if (op == IMP_OP_SELECT)
            flags =
                (flags & IMP_INSTR_IMPLICIT) |
                (t->code[r[1]].flags & t->code[r[2]].flags & IMP_INSTR_CONST);
        if (info[op].step)
            flags |= IMP_INSTR_CONST;
        if (info[op].chain) /* any register that varies serves as derivative */
            do
                in.c = operand(t, series);
            while (series && !varies(t, in.c));
    }
    in.flags = (uint16_t)flags;
    push(t, in, series && (!(flags & IMP_INSTR_CONST) || rnd(2)));
}

/* Sine, cosine and exponential of one row, which may be a polynomial: the sums
 * of one group. */
static void
of_one_row(struct tb *t)
{
    static const uint16_t op[] = {IMP_OP_SIN, IMP_OP_COS, IMP_OP_EXP};
    uint32_t row = operand(t, 1);
    while (t->code[row].op != IMP_OP_ROW || t->code[row].a != 1)
        row = operand(t, 1);
    for (size_t i = 0; i < sizeof op / sizeof *op; i++)
        push(t, (imp_instr){.op = op[i], .a = row, .c = t->n}, 1);
}

static void
random_tape(struct image_builder *ib, uint32_t size, int series, int implicit,
            int tame)
{
    struct tb *t = calloc(1, sizeof *t);
    uint32_t outs[N_OUT], jac[N_UNKNOWN * N_UNKNOWN], res[N_UNKNOWN],
        unk[N_UNKNOWN];
    imp_tape tape = {.series = (uint32_t)series, .n_local = N_LOCAL};

    leaves(t, series, implicit);
    if (size == 0)
        of_one_row(t);
    while (t->n < size)
        random_instr(t, series, tame);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->code[i].op == IMP_OP_STATE)
            do
                t->code[i].b = rnd(t->n);
            while (t->code[t->code[i].b].row == IMP_NO_ROW);
    for (int i = 0; i < N_OUT; i++)
        do
            outs[i] = t->n - 1 - rnd(size ? t->n / 2 : 3);
        while (series && t->code[outs[i]].row == IMP_NO_ROW);
    tape.name = image_text(ib, "random");
    tape.n_rows = t->n_rows;
    tape.code = image_array(ib, t->code, t->n, sizeof *t->code);
    tape.consts = image_array(ib, t->consts, t->n_consts, sizeof(double));
    tape.pool = image_array(ib, t->pool, t->n_pool, sizeof(uint32_t));
    tape.outs = image_array(ib, outs, N_OUT, sizeof(uint32_t));
    if (implicit) {
        for (uint32_t i = 0, u = 0; i < t->n; i++)
            if (t->code[i].op == IMP_OP_UNKNOWN)
                unk[u++] = i;
        for (int i = 0; i < N_UNKNOWN; i++)
            do
                res[i] = rnd(t->n);
            while (!(t->code[res[i]].flags & IMP_INSTR_IMPLICIT) ||
                   !varies(t, res[i]));
        for (int i = 0; i < N_UNKNOWN * N_UNKNOWN; i++)
            do
                jac[i] = rnd(t->n);
            while (t->code[jac[i]].row == IMP_NO_ROW);
        tape.unknowns = image_array(ib, unk, N_UNKNOWN, sizeof(uint32_t));
        tape.residual = image_array(ib, res, N_UNKNOWN, sizeof(uint32_t));
        tape.jacobian =
            image_array(ib, jac, N_UNKNOWN * N_UNKNOWN, sizeof(uint32_t));
    }
    image_add_tape(ib, &tape);
    free(t);
}

/* ---- comparison ------------------------------------------------------------
 */

static int
same(double a, double b)
{
    return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

static struct {
    long numbers, finite, eval_ok, series_ok, series_all;
} tally;

/* A series that is made to some order for other rows, and then from a lower
 * order on for these, is the whole series, bit for bit. */
static void
compare_from(const imp_image *im, const imp_tape *t, const double *env,
             const double *local, const double *const rows[2],
             const double *whole, int order)
{
    const imp_instr *code = IMP_ARRAY(im, t->code, imp_instr);
    const uint32_t *out = IMP_ARRAY(im, t->outs, uint32_t);
    double *work = calloc((size_t)t->n_rows * IMP_ROW_STRIDE, sizeof *work);
    double src[2][N_SRC_ROWS * IMP_ROW_STRIDE];
    const double *other[2] = {src[0], src[1]};
    int from = 1 + (int)rnd((unsigned)order),
        first = from - 1 + (int)rnd((unsigned)(IMP_ORDER_MAX + 2 - from));

    for (int s = 0; s < 2; s++) {
        memcpy(src[s], rows[s], sizeof src[s]);
        for (int r = 0; r < N_SRC_ROWS; r++)
            for (int k = from; k <= IMP_ORDER_MAX; k++)
                src[s][r * IMP_ROW_STRIDE + IMP_ROW_PAD + k] = 2 * unit() - 1;
    }
    eval_series(im, t, env, local, other, work, first);
    eval_series_from(im, t, env, local, rows, work, from, order);
    for (uint32_t o = 0; o < t->outs.n; o++) {
        size_t at = (size_t)code[out[o]].row * IMP_ROW_STRIDE + IMP_ROW_PAD;
        for (int k = 0; k <= order; k++)
            if (!same(work[at + k], whole[at + k]))
                fail_msg("output %u from order %d, after %d: coefficient %d is "
                         "%a, not %a",
                         o, from, first, k, work[at + k], whole[at + k]);
    }
    free(work);
}

static void
compare_tape(const imp_image *im, uint32_t i, const imp_code *code,
             const char *what)
{
    const imp_tape *t = IMP_ARRAY(im, im->tapes, imp_tape) + i;
    double env[N_ENV], local[N_LOCAL], a[N_OUT] = {0}, b[N_OUT] = {0};
    double src[2][N_SRC_ROWS * IMP_ROW_STRIDE] = {{0}};
    const double *rows[2] = {src[0], src[1]};

    for (int k = 0; k < N_ENV; k++)
        env[k] = 2 * unit() - 0.7;
    for (int k = 0; k < N_LOCAL; k++)
        local[k] = unit() + 0.1;
    /* rows of the second source are polynomials, some with gaps */
    for (int s = 0; s < 2; s++)
        for (int r = 0; r < N_SRC_ROWS; r++) {
            int last = s ? (int)rnd(IMP_ORDER_MAX + 1) : IMP_ORDER_MAX;
            for (int k = 0; k <= last; k++)
                if (!s || k == 0 || rnd(3))
                    src[s][r * IMP_ROW_STRIDE + IMP_ROW_PAD + k] =
                        (2 * unit() - 1) / (1 << (k / 2));
        }
    int sa = eval_tape(im, t, env, local, a);
    int sb = code->eval[i](env, local, b);
    if (sa != sb)
        fail_msg("%s tape %u: eval status %d, code %d", what, i, sa, sb);
    for (uint32_t o = 0; o < t->outs.n; o++)
        if (!same(a[o], b[o]))
            fail_msg("%s tape %u output %u: %a eval, %a code", what, i, o, a[o],
                     b[o]);
    tally.eval_ok += sa == 0;
    if (!t->series)
        return;
    size_t n = (size_t)t->n_rows * IMP_ROW_STRIDE;
    double *wa = calloc(n, sizeof *wa), *wb = calloc(n, sizeof *wb);
    const imp_instr *code_i = IMP_ARRAY(im, t->code, imp_instr);
    for (int round = 0; round < 3; round++) {
        int order = round == 0 ? IMP_ORDER_MAX : (int)rnd(IMP_ORDER_MAX + 1);
        sa = eval_series(im, t, env, local, rows, wa, order);
        sb = code->series[i](env, local, rows, wb, order);
        if (sa != sb)
            fail_msg("%s tape %u order %d: series status %d eval, %d code",
                     what, i, order, sa, sb);
        tally.series_all++;
        tally.series_ok += sa == 0;
        if (sa == IMP_SINGULAR)
            order = 0;
        for (uint32_t o = 0; o < t->outs.n; o++) {
            uint32_t r = IMP_ARRAY(im, t->outs, uint32_t)[o];
            size_t at = (size_t)code_i[r].row * IMP_ROW_STRIDE + IMP_ROW_PAD;
            for (int k = 0; k <= order; k++) {
                tally.numbers++;
                tally.finite += isfinite(wa[at + k]) != 0;
                if (!same(wa[at + k], wb[at + k]))
                    fail_msg("%s tape %u order %d register %u (op %u flags "
                             "%u) coefficient %d: %a eval, %a code",
                             what, i, order, r, code_i[r].op, code_i[r].flags,
                             k, wa[at + k], wb[at + k]);
            }
        }
        if (sa == IMP_OK && order > 0)
            compare_from(im, t, env, local, rows, wa, order);
        for (int k = 5; k < 9; k++)
            env[k] = unit();
    }
    free(wa);
    free(wb);
}

static const struct {
    int opt;
    const char *cpu, *name;
} levels[] = {{0, NULL, "O0 host"},
              {1, NULL, "O1 host"},
              {2, NULL, "O2 host"},
              {2, "x86-64-v2", "O2 baseline"}};

static void
compare(const imp_image *im, int n_levels, int rounds)
{
    for (int l = 0; l < n_levels; l++) {
        struct gen_options o = {.opt = levels[l].opt,
                                .cpu = levels[l].cpu,
                                .with_image = l == 0,
                                .pic = true};
        struct gen_bytes obj = api()->emit(im, &o);
        imp_code code;
        const char *error = NULL;
        if (!obj.s)
            fail_msg("%s: %s", levels[l].name, obj.error);
        struct gen_jit *j =
            api()->load(obj.s, obj.n, gen_symbols, &code, &error);
        if (!j)
            fail_msg("%s: %s", levels[l].name, error);
        assert_int_equal(code.n_tapes, im->tapes.n);
        for (int r = 0; r < rounds; r++)
            for (uint32_t i = 0; i < im->tapes.n; i++)
                compare_tape(im, i, &code, levels[l].name);
        api()->unload(j);
        free(obj.s);
    }
}

static const imp_image *
random_image(struct arena *a, int n, uint32_t size, int tame)
{
    struct image_builder *ib = image_new(a);
    imp_image head = {0};

    for (int i = 0; i < n; i++)
        random_tape(ib, size / 2 + rnd(size), i % 4 != 0, i % 4 == 3, tame);
    return image_finish(ib, &head);
}

static void
test_all_operators(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    compare(random_image(a, 8, 60, 0), 4, 10);
    arena_free(a);
}

static void
test_chains(void **state)
{
    struct arena *a = arena_new();
    struct image_builder *ib = image_new(a);
    imp_image head = {0};
    (void)state;
    random_tape(ib, 0, 1, 0, 1);
    compare(image_finish(ib, &head), 2, 40);
    arena_free(a);
}

static void
test_tame(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    memset(&tally, 0, sizeof tally);
    compare(random_image(a, 12, 50, 1), 4, 10);
    print_message("%ld numbers, %ld finite; %ld of %ld series finite\n",
                  tally.numbers, tally.finite, tally.series_ok,
                  tally.series_all);
    assert_true(tally.finite > tally.numbers / 2);
    arena_free(a);
}

/* several parts, in eval and series functions */
static void
test_long(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    compare(random_image(a, 4, 500, 1), 2, 2);
    struct image_builder *ib = image_new(a);
    imp_image head = {0};
    random_tape(ib, 4000, 0, 0, 1);
    compare(image_finish(ib, &head), 4, 3);
    arena_free(a);
}

static void
test_lanes(void **state)
{
    enum { L = 4 };
    struct arena *a = arena_new();
    struct image_builder *ib = image_new(a);
    imp_image head = {0};
    (void)state;
    for (int i = 0; i < 4; i++)
        random_tape(ib, 60, 0, 0, i & 1);
    random_tape(ib, 2500, 0, 0, 1);
    const imp_image *im = image_finish(ib, &head);
    struct gen_options o = {.opt = 1, .pic = true, .lanes = L};
    struct gen_bytes obj = api()->emit(im, &o);
    const char *error = NULL;
    imp_code code;
    if (!obj.s)
        fail_msg("%s", obj.error);
    struct gen_jit *j = api()->load(obj.s, obj.n, gen_symbols, &code, &error);
    if (!j)
        fail_msg("%s", error);
    for (int round = 0; round < 50; round++)
        for (uint32_t i = 0; i < im->tapes.n; i++) {
            const imp_tape *t = IMP_ARRAY(im, im->tapes, imp_tape) + i;
            double env[L][N_ENV], local[L][N_LOCAL], ve[N_ENV * L],
                vl[N_LOCAL * L], vo[N_OUT * L], out[N_OUT];
            for (int l = 0; l < L; l++) {
                for (int k = 0; k < N_ENV; k++)
                    ve[k * L + l] = env[l][k] = 2 * unit() - 0.7;
                for (int k = 0; k < N_LOCAL; k++)
                    vl[k * L + l] = local[l][k] = unit();
            }
            int worst = 0, s = code.eval[i](ve, vl, vo);
            for (int l = 0; l < L; l++) {
                worst |= eval_tape(im, t, env[l], local[l], out);
                for (uint32_t k = 0; k < t->outs.n; k++)
                    assert_true(same(out[k], vo[k * L + l]));
            }
            assert_int_equal(s, worst);
        }
    api()->unload(j);
    free(obj.s);
    arena_free(a);
}

static void *
thread_main(void *p)
{
    const imp_image *im = p;
    struct gen_options o = {.opt = 1, .pic = true};
    for (int i = 0; i < 3; i++) {
        struct gen_bytes obj = api()->emit(im, &o);
        const char *error = NULL;
        imp_code code;
        struct gen_jit *j =
            obj.s ? api()->load(obj.s, obj.n, gen_symbols, &code, &error)
                  : NULL;
        if (!j)
            return "failed";
        double env[N_ENV] = {1}, local[N_LOCAL] = {1}, x[N_OUT], y[N_OUT];
        eval_tape(im, IMP_ARRAY(im, im->tapes, imp_tape), env, local, x);
        code.eval[0](env, local, y);
        for (int k = 0; k < N_OUT; k++)
            if (!same(x[k], y[k]))
                return "differs";
        api()->unload(j);
        free(obj.s);
    }
    return NULL;
}

static void
test_threads(void **state)
{
    struct arena *a = arena_new();
    const imp_image *im = random_image(a, 3, 40, 1);
    pthread_t t[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        pthread_create(t + i, NULL, thread_main, (void *)(uintptr_t)im);
    for (int i = 0; i < 3; i++) {
        void *r;
        pthread_join(t[i], &r);
        if (r)
            fail_msg("%s", (const char *)r);
    }
    arena_free(a);
}

static void
test_errors(void **state)
{
    struct arena *a = arena_new();
    struct image_builder *ib = image_new(a);
    imp_image head = {0};
    imp_instr bad = {.op = IMP_OP_NEG, .a = 3, .row = IMP_NO_ROW};
    imp_tape t = {0};
    uint32_t out = 0;
    imp_code code;
    const char *error = NULL;
    static const char
        *volatile kept[2]; /* messages are on the heap for good (gen.h) */
    (void)state;
    t.name = image_text(ib, "bad");
    t.code = image_array(ib, &bad, 1, sizeof bad);
    t.outs = image_array(ib, &out, 1, sizeof out);
    image_add_tape(ib, &t);
    struct gen_options o = {.pic = true};
    struct gen_bytes obj = api()->emit(image_finish(ib, &head), &o);
    assert_null(obj.s);
    assert_string_equal(obj.error,
                        "tape bad: register 0 reads the later register 3");
    assert_null(api()->load("nonsense", 8, gen_symbols, &code, &error));
    assert_non_null(error);
    kept[0] = obj.error;
    kept[1] = error;
    assert_ptr_not_equal(kept[0], kept[1]);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_operators), cmocka_unit_test(test_chains),
        cmocka_unit_test(test_tame),          cmocka_unit_test(test_long),
        cmocka_unit_test(test_lanes),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
