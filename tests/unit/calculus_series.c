/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series against what is exact: repeated symbolic derivatives along a line,
 * closed forms, differential and implicit equations, the documented lanes. */
#include "calculus_help.h"

struct ctx {
    struct arena *a;
    struct graph *g;
    const expr *t, *leaf[2], *line[2], *rate[2];
    double at[2], v[2], env[8];
};

static double
value_of(void *p, const expr *leaf)
{
    struct ctx *c = p;
    return leaf == c->leaf[0] ? c->at[0] : c->at[1];
}

static const expr *
to_line(void *p, const expr *leaf)
{
    struct ctx *c = p;
    return leaf == c->leaf[0]   ? c->line[0]
           : leaf == c->leaf[1] ? c->line[1]
                                : NULL;
}

/* point at[], direction v[]: leaves become at + v t, t = 0 */
static void
ctx_new(struct ctx *c, const double at[2], const double v[2])
{
    c->a = arena_new();
    c->g = graph_new(c->a);
    c->t = ex_sym(c->g, SYM_TIME, 0, 0);
    memset(c->env, 0, sizeof c->env);
    for (uint32_t i = 0; i < 2; i++) {
        c->at[i] = at[i];
        c->v[i] = v[i];
        c->leaf[i] = ex_sym(c->g, SYM_LOCAL, i, 0);
        c->rate[i] = ex_num(c->g, v[i]);
        c->env[1 + i] = at[i];
        c->line[i] = ex_add(c->g, ex_sym(c->g, SYM_PARAM, i, 0),
                            ex_mul(c->g, c->rate[i], c->t));
    }
}

/* coefficient k times k! = k-th directional derivative, for k <= order */
static void
check_line(struct ctx *c, const expr *e, int order, double tol,
           const char *what)
{
    const expr *s = ex_subst(c->g, e, to_line, c);
    struct tape_spec spec = {.series = true, .outs = &s, .n_outs = 1};
    struct help_tape h = help_build(c->g, spec);
    int st = eval_series(h.im, h.t, c->env, NULL, NULL, h.work, order);
    double factorial = 1, scale = 0, exact[IMP_ORDER_MAX + 1];
    const expr *d = e;
    for (int k = 0; k <= order; k++) {
        factorial *= k ? k : 1;
        exact[k] = ex_value(c->g, d, value_of, c) / factorial;
        scale = fmax(scale, fabs(exact[k]));
        if (k < order)
            d = ex_diff_along(c->g, d, c->leaf, c->rate, 2);
    }
    if (!isfinite(scale) || scale > 1e12)
        return;
    for (int k = 0; k <= order; k++) {
        double got = help_coef(&h, 0, k);
        if (!(fabs(got - exact[k]) <= tol * (1 + scale)))
            fail_msg("%s: coefficient %d is %.17g, derivative says %.17g", what,
                     k, got, exact[k]);
    }
    assert_int_equal(st, IMP_OK);
}

static const char *const op_name[] = {
#define OP(name, w, n, dim, series, guard, eval, deriv) #name,
#include "abi/ops.def"
};

static void
test_every_operator(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++)
        for (uint32_t op = IMP_OP_ADD; op < IMP_OP_COUNT; op++) {
            if (op == IMP_OP_DOT || op == IMP_OP_PLACE || op == IMP_OP_ENTRY)
                continue; /* no operators of numbers alone */
            double at[2] = {rnd(0.2, 0.9), rnd(1.1, 2.5)};
            double v[2] = {rnd(-1, 1), rnd(-1, 1)};
            struct ctx c;
            if (op == IMP_OP_ACOSH)
                at[0] += 1.2;
            if ((op == IMP_OP_ABSPOW || op == IMP_OP_SGNPOW) && round % 2)
                at[0] = -at[0];
            ctx_new(&c, at, v);
            const expr *a = c.leaf[0], *b = c.leaf[1];
            if (op == IMP_OP_POLYGAMMA) {
                a = ex_num(c.g, round % 3);
            } else if (op == IMP_OP_POW && round % 3 == 0) {
                b = ex_sym(c.g, SYM_LOCAL, 1, 0);
                c.rate[1] = ex_num(c.g, 0);
                c.line[1] = ex_sym(c.g, SYM_PARAM, 1, 0);
            }
            const expr *e =
                ex_op(c.g, (enum imp_op)op, a, b, ex_mul(c.g, a, b));
            /* fmod: keep away from its jumps, the others are analytic */
            check_line(&c, e, 7, 2e-11, op_name[op]);
            /* the same within something larger */
            e = ex_mul(c.g, ex_add(c.g, e, a), ex_sub(c.g, b, e));
            check_line(&c, e, 5, 2e-11, op_name[op]);
            /* operands that are no straight lines */
            const expr *bend = ex_mul(c.g, ex_num(c.g, 0.1),
                                      ex_mul(c.g, c.leaf[0], c.leaf[1]));
            if (op != IMP_OP_POLYGAMMA)
                a = ex_sub(c.g, a, bend);
            b = ex_add(c.g, b, bend);
            e = ex_op(c.g, (enum imp_op)op, a, b, ex_mul(c.g, a, b));
            check_line(&c, e, 6, 2e-10, op_name[op]);
            arena_free(c.a);
        }
}

/* a random smooth expression of the two leaves */
static const expr *
random_expr(struct ctx *c, int depth)
{
    struct graph *g = c->g;
    if (depth == 0 || pick(8) == 0)
        return pick(5) ? c->leaf[pick(2)] : ex_num(g, rnd(-2, 2));
    const expr *a = random_expr(c, depth - 1), *b, *one = ex_num(g, 1);
    switch (pick(14)) {
    case 0:
    case 1:
        return ex_add(g, a, random_expr(c, depth - 1));
    case 2:
    case 3:
        return ex_sub(g, a, random_expr(c, depth - 1));
    case 4:
    case 5:
    case 6:
        return ex_mul(g, a, random_expr(c, depth - 1));
    case 7:
        b = random_expr(c, depth - 1);
        return ex_div(g, a, ex_add(g, one, ex_mul(g, b, b)));
    case 8:
        return ex_op(g, IMP_OP_SIN, a, NULL, NULL);
    case 9:
        return ex_op(g, IMP_OP_COS, a, NULL, NULL);
    case 10:
        return ex_op(g, IMP_OP_TANH, a, NULL, NULL);
    case 11:
        return ex_op(g, IMP_OP_SQRT, ex_add(g, one, ex_mul(g, a, a)), NULL,
                     NULL);
    case 12:
        return ex_pow(g, a, ex_num(g, 2 + pick(4)));
    default:
        return ex_op(g, IMP_OP_ATAN, a, NULL, NULL);
    }
}

static void
test_random_expressions(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        struct ctx c;
        double at[2] = {rnd(-1, 1), rnd(-1, 1)};
        double v[2] = {rnd(-1, 1), rnd(-1, 1)};
        ctx_new(&c, at, v);
        check_line(&c, random_expr(&c, 5), 5, 1e-10, "random");
        arena_free(c.a);
    }
}

/* gradients against central differences of order 8 */
static void
test_differences(void **state)
{
    (void)state;
    static const double w[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    for (int round = 0; round < 300; round++) {
        struct ctx c;
        double at[2] = {rnd(-1, 1), rnd(-1, 1)}, v[2] = {1, 0};
        ctx_new(&c, at, v);
        const expr *e = random_expr(&c, 4);
        for (int i = 0; i < 2; i++) {
            double d = ex_value(c.g, ex_diff(c.g, e, c.leaf[i]), value_of, &c);
            double h = 1e-2, s = 0, size = 1;
            for (int j = 1; j <= 4; j++) {
                c.at[i] = at[i] + j * h;
                double p = ex_value(c.g, e, value_of, &c);
                c.at[i] = at[i] - j * h;
                double m = ex_value(c.g, e, value_of, &c);
                s += w[j - 1] * (p - m) / h;
                size = fmax(size, fabs(p) + fabs(m));
            }
            c.at[i] = at[i];
            if (size < 1e3 && fabs(d) < 1e3)
                assert_true(fabs(d - s) <= 1e-5 * (size + fabs(d)));
        }
        arena_free(c.a);
    }
}

static void
test_states(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct graph *g = graph_new(a);
    const expr *s[3], *r[3];
    for (uint32_t i = 0; i < 3; i++)
        s[i] = ex_sym(g, SYM_STATE, 1 + i, 0);
    r[0] = s[1];
    r[1] = ex_neg(g, s[0]);
    r[2] = ex_mul(g, ex_num(g, -0.5), s[2]);
    const expr *outs[4] = {
        s[0], s[1], s[2],
        ex_add(g, ex_mul(g, s[0], s[0]), ex_mul(g, s[1], s[1]))};
    struct tape_spec spec = {.series = true,
                             .outs = outs,
                             .n_outs = 4,
                             .states = s,
                             .rates = r,
                             .n_states = 3};
    struct help_tape h = help_build(g, spec);
    double env[4] = {0, 0, 1, 1};
    assert_int_equal(eval_series(h.im, h.t, env, NULL, NULL, h.work, 20), 0);
    double f = 1;
    for (int k = 0; k <= 20; k++) {
        f *= k ? k : 1;
        double sine = k % 2 ? (k % 4 == 1 ? 1 : -1) / f : 0;
        double cosine = k % 2 ? 0 : (k % 4 == 0 ? 1 : -1) / f;
        assert_true(fabs(help_coef(&h, 0, k) - sine) <= 1e-15 * fabs(sine));
        assert_true(fabs(help_coef(&h, 1, k) - cosine) <= 1e-15 * fabs(cosine));
        assert_true(fabs(help_coef(&h, 2, k) * f / pow(-0.5, k) - 1) < 1e-14);
        assert_true(fabs(help_coef(&h, 3, k) - (k == 0)) < 1e-15);
    }
    arena_free(a);
}

/* Kepler: E - e sin E = M + n t, against E' = n/(1 - e cos E) as a state;
 * circle: c^2 + t^2 = 1 */
static void
test_implicit(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct graph *g = graph_new(a);
    const expr *t = ex_sym(g, SYM_TIME, 0, 0), *n = ex_num(g, 1.3),
               *ecc = ex_num(g, 0.6);
    const expr *E = ex_sym(g, SYM_UNKNOWN, 0, 0),
               *c = ex_sym(g, SYM_UNKNOWN, 1, 0);
    const expr *sine = ex_op(g, IMP_OP_SIN, E, NULL, NULL);
    double E0 = 0.9;
    const expr *F[2] = {
        ex_sub(g, ex_sub(g, E, ex_mul(g, ecc, sine)),
               ex_add(g, ex_num(g, E0 - 0.6 * sin(E0)), ex_mul(g, n, t))),
        ex_add(g, ex_mul(g, c, c), ex_sub(g, ex_mul(g, t, t), ex_num(g, 1)))};
    const expr *u[2] = {E, c}, *J[4];
    for (int i = 0; i < 4; i++)
        J[i] = ex_diff(g, F[i / 2], u[i % 2]);
    const expr *outs[3] = {E, c, ex_mul(g, E, c)};
    struct tape_spec spec = {.series = true,
                             .n_local = 2,
                             .outs = outs,
                             .n_outs = 3,
                             .residual = F,
                             .jacobian = J,
                             .n_unknown = 2};
    struct help_tape h = help_build(g, spec);
    double env[2] = {0, E0}, local[2] = {E0, 1};
    assert_int_equal(eval_series(h.im, h.t, env, local, NULL, h.work, 20), 0);

    const expr *s = ex_sym(g, SYM_STATE, 1, 0);
    const expr *rate =
        ex_div(g, n,
               ex_sub(g, ex_num(g, 1),
                      ex_mul(g, ecc, ex_op(g, IMP_OP_COS, s, NULL, NULL))));
    const expr *root = ex_op(
        g, IMP_OP_SQRT, ex_sub(g, ex_num(g, 1), ex_mul(g, t, t)), NULL, NULL);
    const expr *outs2[3] = {s, root, ex_mul(g, s, root)};
    struct tape_spec ode = {.series = true,
                            .outs = outs2,
                            .n_outs = 3,
                            .states = &s,
                            .rates = &rate,
                            .n_states = 1};
    struct help_tape o = help_build(g, ode);
    assert_int_equal(eval_series(o.im, o.t, env, NULL, NULL, o.work, 20), 0);
    for (uint32_t i = 0; i < 3; i++)
        for (int k = 0; k <= 20; k++) {
            double x = help_coef(&h, i, k), y = help_coef(&o, i, k);
            assert_true(fabs(x - y) <= 1e-13 * pow(1.6, k));
        }
    /* a singular Jacobian is said, not computed with */
    local[1] = 0;
    assert_int_equal(eval_series(h.im, h.t, env, local, NULL, h.work, 4),
                     IMP_SINGULAR);
    arena_free(a);
}

struct two {
    const expr *from[2], *to[2];
};

static const expr *
to_two(void *ctx, const expr *leaf)
{
    struct two *p = ctx;
    return leaf == p->from[0] ? p->to[0] : leaf == p->from[1] ? p->to[1] : NULL;
}

/* h(u) = h(z(t)) for random h has the solution u = z(t): the corrections of
 * every rule within the block */
static void
test_implicit_random(void **state)
{
    (void)state;
    int solved = 0;
    for (int round = 0; round < 300; round++) {
        struct ctx c;
        double at[2] = {rnd(-1, 1), rnd(-1, 1)}, v[2] = {1, 1};
        ctx_new(&c, at, v);
        const expr *u[2], *z[2], *F[2], *J[4], *t = c.t;
        double co[2][4];
        for (uint32_t i = 0; i < 2; i++) {
            u[i] = ex_sym(c.g, SYM_UNKNOWN, i, 0);
            z[i] = ex_num(c.g, 0);
            for (int k = 3; k >= 0; k--) {
                co[i][k] = k ? rnd(-0.5, 0.5) : at[i];
                z[i] = ex_add(c.g, ex_mul(c.g, z[i], t), ex_num(c.g, co[i][k]));
            }
        }
        for (int i = 0; i < 2; i++) {
            const expr *p = random_expr(&c, 3), *q = random_expr(&c, 3);
            const expr *h =
                ex_sub(c.g, ex_mul(c.g, c.leaf[i], ex_add(c.g, c.leaf[i], p)),
                       ex_mul(c.g, q, c.leaf[1 - i]));
            struct two a = {{c.leaf[0], c.leaf[1]}, {u[0], u[1]}};
            struct two b = {{c.leaf[0], c.leaf[1]}, {z[0], z[1]}};
            F[i] = ex_sub(c.g, ex_subst(c.g, h, to_two, &a),
                          ex_subst(c.g, h, to_two, &b));
            J[2 * i] = ex_diff(c.g, F[i], u[0]);
            J[2 * i + 1] = ex_diff(c.g, F[i], u[1]);
        }
        struct tape_spec spec = {.series = true,
                                 .n_local = 2,
                                 .outs = u,
                                 .n_outs = 2,
                                 .residual = F,
                                 .jacobian = J,
                                 .n_unknown = 2};
        struct help_tape h = help_build(c.g, spec);
        struct tape_spec jac = {.n_local = 2, .outs = J, .n_outs = 4};
        struct help_tape j = help_build(c.g, jac);
        double m[4];
        if (eval_tape(j.im, j.t, c.env, at, m) == IMP_OK &&
            fabs(m[0] * m[3] - m[1] * m[2]) >
                0.1 * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[3] * m[3])) {
            assert_int_equal(eval_series(h.im, h.t, c.env, at, NULL, h.work, 8),
                             0);
            for (uint32_t i = 0; i < 2; i++)
                for (int k = 0; k <= 8; k++)
                    assert_true(
                        fabs(help_coef(&h, i, k) - (k < 4 ? co[i][k] : 0)) <=
                        1e-12 * pow(10, k));
            solved++;
        }
        arena_free(c.a);
    }
    assert_true(solved > 100);
}

/* u = s^m w with w = 2 + s: u^p from s = 0 on against the closed form */
static void
test_powers_at_zero(void **state)
{
    (void)state;
    static const struct {
        enum imp_op op;
        int m;
        double p;
        int sign;     /* of u's leading coefficient */
        int analytic; /* else NaN from order m p on */
    } cases[] = {
        {IMP_OP_ABSPOW, 1, 4, 1, 1},    {IMP_OP_ABSPOW, 1, 3, 1, 1},
        {IMP_OP_ABSPOW, 1, 2.5, -1, 0}, {IMP_OP_ABSPOW, 2, 3, -1, 1},
        {IMP_OP_ABSPOW, 2, 1.5, 1, 1},  {IMP_OP_ABSPOW, 4, 1.5, 1, 1},
        {IMP_OP_SGNPOW, 1, 3, 1, 1},    {IMP_OP_SGNPOW, 1, 2, 1, 1},
        {IMP_OP_SGNPOW, 2, 2, -1, 1},   {IMP_OP_POW, 1, 3, -1, 1},
        {IMP_OP_POW, 2, 2, 1, 1},       {IMP_OP_POW, 4, 1.5, 1, 1},
        {IMP_OP_POW, 1, 2.5, 1, 0},     {IMP_OP_POW, 2, 1.5, 1, 1},
        {IMP_OP_POW, 2, 1.5, -1, 0},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct arena *a = arena_new();
        struct graph *g = graph_new(a);
        const expr *t = ex_sym(g, SYM_TIME, 0, 0);
        int m = cases[n].m;
        const expr *w = ex_add(g, ex_num(g, 2), t);
        const expr *u = ex_mul(g, ex_num(g, cases[n].sign),
                               ex_mul(g, ex_pow(g, t, ex_num(g, m)), w));
        const expr *p = ex_sym(g, SYM_PARAM, 0, 0);
        const expr *out[2] = {ex_op(g, cases[n].op, u, p, NULL),
                              ex_op(g, IMP_OP_POW, w, p, NULL)};
        struct tape_spec spec = {.series = true, .outs = out, .n_outs = 2};
        struct help_tape h = help_build(g, spec);
        double env[2] = {0, cases[n].p}, q = m * cases[n].p;
        int st = eval_series(h.im, h.t, env, NULL, NULL, h.work, 10);
        assert_int_equal(st, cases[n].analytic ? IMP_OK : IMP_NONFINITE);
        int sg = cases[n].op == IMP_OP_ABSPOW ? 1
                 : cases[n].op == IMP_OP_SGNPOW
                     ? cases[n].sign
                     : (cases[n].sign < 0 && fmod(cases[n].p, 2) != 0 ? -1 : 1);
        for (int k = 0; k <= 10; k++) {
            double y = help_coef(&h, 0, k);
            if (k < q)
                assert_true(y == 0);
            else if (!cases[n].analytic)
                assert_true(isnan(y));
            else {
                double z = sg * help_coef(&h, 1, k - (int)q);
                assert_true(fabs(y - z) <= 1e-14 * fabs(z));
            }
        }
        arena_free(a);
    }
}

/* (a, b) = s^m (A, B): its length from s = 0 on is s^m times that of (A, B) */
static void
test_lengths_at_zero(void **state)
{
    (void)state;
    for (int m = 0; m <= 3; m++) {
        struct arena *arena = arena_new();
        struct graph *g = graph_new(arena);
        const expr *t = ex_sym(g, SYM_TIME, 0, 0),
                   *power = ex_pow(g, t, ex_num(g, m)),
                   *first = ex_add(g, ex_num(g, 3), t),
                   *second = ex_sub(g, ex_num(g, -4), ex_mul(g, t, t));
        const expr *out[2] = {ex_op(g, IMP_OP_HYPOT, ex_mul(g, power, first),
                                    ex_mul(g, power, second), NULL),
                              ex_op(g, IMP_OP_HYPOT, first, second, NULL)};
        struct tape_spec spec = {.series = true, .outs = out, .n_outs = 2};
        struct help_tape h = help_build(g, spec);
        double env[1] = {0};
        assert_int_equal(eval_series(h.im, h.t, env, NULL, NULL, h.work, 10),
                         IMP_OK);
        for (int k = 0; k <= 10; k++) {
            double z = k < m ? 0 : help_coef(&h, 1, k - m);
            assert_true(fabs(help_coef(&h, 0, k) - z) <= 1e-14 * fabs(z));
        }
        arena_free(arena);
    }
}

/* sums of products: the lanes of docs/tape.md, bit for bit */
static void
test_lanes(void **state)
{
    (void)state;
    enum { K = 20 };
    struct arena *a = arena_new();
    struct graph *g = graph_new(a);
    const expr *r[4];
    for (uint32_t i = 0; i < 4; i++)
        r[i] = ex_sym(g, SYM_ROW, 0, i);
    const expr *out[3] = {
        ex_sub(g, ex_mul(g, r[0], r[1]), ex_mul(g, r[2], r[3])),
        ex_mul(g, r[0], r[2]), ex_div(g, r[1], r[3])};
    struct tape_spec spec = {.series = true, .outs = out, .n_outs = 3};
    struct help_tape h = help_build(g, spec);
    const imp_instr *code = IMP_ARRAY(h.im, h.t->code, imp_instr);
    unsigned dots = 0;
    for (uint32_t i = 0; i < h.t->code.n; i++)
        dots += code[i].op == IMP_OP_DOT;
    assert_int_equal(dots, 1);
    assert_int_equal(help_products(&h), 4);
    double src[4 * IMP_ROW_STRIDE] = {0}, *s[4], env[1] = {0};
    for (int i = 0; i < 4; i++) {
        s[i] = src + i * IMP_ROW_STRIDE + IMP_ROW_PAD;
        for (int k = 0; k <= K; k++)
            s[i][k] = rnd(-1, 1);
    }
    s[3][0] += 2;
    const double *rows[1] = {src};
    assert_int_equal(eval_series(h.im, h.t, env, NULL, rows, h.work, K), 0);
    for (int k = 1; k <= K; k++) {
        double d[4] = {0}, p[4] = {0}, q[4] = {0};
        for (int j = 1; j < k; j++) {
            int l = (j - 1) % 4;
            d[l] += s[0][j] * s[1][k - j] - s[2][j] * s[3][k - j];
            p[l] += s[0][j] * s[2][k - j];
            q[l] += s[3][j] * help_coef(&h, 2, k - j);
        }
        double e = (s[0][0] * s[1][k] + s[0][k] * s[1][0]) -
                   (s[2][0] * s[3][k] + s[2][k] * s[3][0]);
        double f = s[0][0] * s[2][k] + s[0][k] * s[2][0];
        double w = s[3][k] * help_coef(&h, 2, 0);
        assert_true(help_coef(&h, 0, k) == ((d[0] + d[2]) + (d[1] + d[3])) + e);
        assert_true(help_coef(&h, 1, k) == ((p[0] + p[2]) + (p[1] + p[3])) + f);
        double sum = ((q[0] + q[2]) + (q[1] + q[3])) + w;
        assert_true(help_coef(&h, 2, k) == (s[1][k] - sum) / s[3][0]);
    }
    arena_free(a);
}

/* products are gathered only where nothing else wants them; what the Jacobian
 * alone needs has no series */
static void
test_gathering(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct graph *g = graph_new(a);
    const expr *r[6];
    for (uint32_t i = 0; i < 6; i++)
        r[i] = ex_sym(g, SYM_ROW, 0, i);
    const expr *p = ex_mul(g, r[0], r[1]), *q = ex_mul(g, r[2], r[3]);
    const expr *sum = ex_neg(
        g, ex_sub(g, ex_add(g, p, r[4]), ex_add(g, q, ex_mul(g, r[4], r[5]))));
    const expr *outs[2] = {sum, p};
    struct tape_spec spec = {.series = true, .outs = outs, .n_outs = 2};
    for (size_t n = 1; n <= 2; n++) {
        spec.n_outs = n;
        struct help_tape h = help_build(g, spec);
        const imp_instr *code = IMP_ARRAY(h.im, h.t->code, imp_instr);
        unsigned pairs = 0, muls = 0;
        for (uint32_t i = 0; i < h.t->code.n; i++) {
            pairs += code[i].op == IMP_OP_DOT ? code[i].b : 0;
            muls += code[i].op == IMP_OP_MUL;
        }
        /* p as an output of its own is a MUL, the two others still gather */
        assert_int_equal(pairs, n == 1 ? 3 : 2);
        assert_int_equal(muls, n == 1 ? 0 : 1);
        double src[6 * IMP_ROW_STRIDE] = {0}, env[1] = {0};
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 10; k++)
                src[i * IMP_ROW_STRIDE + IMP_ROW_PAD + k] = pick(9) - 4.0;
        const double *rows[1] = {src};
        eval_series(h.im, h.t, env, NULL, rows, h.work, 9);
        for (int k = 0; k < 10; k++) {
            double y = -src[4 * IMP_ROW_STRIDE + IMP_ROW_PAD + k];
            for (int j = 0; j <= k; j++) {
#define C(i, k) src[(i)*IMP_ROW_STRIDE + IMP_ROW_PAD + (k)]
                y += C(2, j) * C(3, k - j) + C(4, j) * C(5, k - j) -
                     C(0, j) * C(1, k - j);
#undef C
            }
            assert_true(help_coef(&h, 0, k) == y);
        }
    }
    const expr *u = ex_sym(g, SYM_UNKNOWN, 0, 0);
    const expr *F = ex_sub(g, ex_mul(g, u, ex_mul(g, u, u)), r[0]);
    const expr *J = ex_diff(g, F, u);
    struct tape_spec implicit = {.series = true,
                                 .n_local = 1,
                                 .outs = &u,
                                 .n_outs = 1,
                                 .residual = &F,
                                 .jacobian = &J,
                                 .n_unknown = 1};
    struct help_tape h = help_build(g, implicit);
    const imp_instr *code = IMP_ARRAY(h.im, h.t->code, imp_instr);
    uint32_t j = IMP_ARRAY(h.im, h.t->jacobian, uint32_t)[0];
    assert_int_equal(code[j].flags, IMP_INSTR_IMPLICIT | IMP_INSTR_ORDER0);
    assert_int_equal(code[j].row, IMP_NO_ROW);
    arena_free(a);
}

/* the same calls give the same bytes, wherever memory lies */
static void
test_determinism(void **state)
{
    (void)state;
    uint32_t size[2];
    unsigned char *bytes[2];
    for (int n = 0; n < 2; n++) {
        struct ctx c;
        double at[2] = {0.3, 0.4}, v[2] = {1, -1};
        help_seed = 77;
        ctx_new(&c, at, v);
        if (n)
            arena_alloc(c.a, 12345);
        const expr *e = ex_subst(
            c.g, ex_diff(c.g, random_expr(&c, 7), c.leaf[0]), to_line, &c);
        struct tape_spec spec = {.series = true, .outs = &e, .n_outs = 1};
        struct help_tape h = help_build(c.g, spec);
        size[n] = h.im->size;
        bytes[n] = mem_alloc(size[n]);
        memcpy(bytes[n], h.im, size[n]);
        arena_free(c.a);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* long sums and chains: neither deep recursion nor quadratic time */
static void
test_long_tapes(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct graph *g = graph_new(a);
    const expr *t = ex_sym(g, SYM_TIME, 0, 0), *e = t;
    for (int i = 0; i < 100000; i++) {
        const expr *x = ex_add(g, t, ex_num(g, i * 1e-6));
        e = ex_add(g, e, ex_mul(g, x, x));
    }
    struct tape_spec spec = {.series = true, .outs = &e, .n_outs = 1};
    struct help_tape h = help_build(g, spec);
    double env[1] = {0};
    assert_int_equal(eval_series(h.im, h.t, env, NULL, NULL, h.work, 3), 0);
    assert_true(fabs(help_coef(&h, 0, 2) - 1e5) < 1e-6);
    assert_true(fabs(help_coef(&h, 0, 1) - (1 + 1e-6 * 99999e5)) < 1e-6);
    assert_int_equal(help_coef(&h, 0, 3), 0);
    spec.series = false;
    h = help_build(g, spec);
    double y;
    assert_int_equal(eval_tape(h.im, h.t, env, NULL, &y), 0);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator),
        cmocka_unit_test(test_random_expressions),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_implicit),
        cmocka_unit_test(test_implicit_random),
        cmocka_unit_test(test_powers_at_zero),
        cmocka_unit_test(test_lengths_at_zero),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_gathering),
        cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_long_tapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
