/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two bodies with level sets of the test's choice, compiled from a typed model
 * built by hand: the runtime without the language and without set-up. Shape
 * parameters and the whole state are written straight into env, so that one
 * image serves thousands of random cases. */
#ifndef RT_FIXTURE_H
#define RT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "mechanics/mech.h"
#include "runtime/events/event.h"
#include "runtime/gap/closest_points.h"
#include "runtime/motion/motion.h"
#include "runtime/setup/new_run.h"
#include "vec_at.h"

/* set-up is another test's subject; weak, so that the real one is not pulled
 * in */
__attribute__((weak)) int
rt_setup(struct rt *r, const double *params)
{
    (void)r;
    (void)params;
    return IMP_OK;
}

/* what the next fix_open adds: gravity along y; a prescribed height of the
 * first body (which is then fixed), as an expression of t */
static double fix_gravity;
static const struct expr *(*fix_height)(struct graph *g, const struct expr *t);

#define FIX_PARAMS 4 /* per body */
typedef const expr *(*fix_shape)(struct graph *g, const expr *const *x,
                                 const expr *const *p);

struct fix {
    struct arena *a;
    struct diags ds;
    const imp_image *im;
    struct rt *rt;
    int d;
};

static inline const expr *
fix_square(struct graph *g, const expr *x)
{
    return ex_mul(g, x, x);
}
static inline const expr *
fix_quadric2(struct graph *g, const expr *const *x, const expr *const *p)
{
    return ex_sub(g,
                  ex_add(g, fix_square(g, ex_div(g, x[0], p[0])),
                         fix_square(g, ex_div(g, x[1], p[1]))),
                  ex_num(g, 1.0));
}
static inline const expr *
fix_quadric3(struct graph *g, const expr *const *x, const expr *const *p)
{
    return ex_add(g, fix_quadric2(g, x, p),
                  fix_square(g, ex_div(g, x[2], p[2])));
}
/* y < 0 */
static inline const expr *
fix_plane(struct graph *g, const expr *const *x, const expr *const *p)
{
    (void)g;
    (void)p;
    return x[1];
}
/* |x/a|^p + |y/b|^p - 1 with p = p[3] */
static inline const expr *
fix_super2(struct graph *g, const expr *const *x, const expr *const *p)
{
    const expr *s = ex_num(g, -1.0);
    for (int i = 0; i < 2; i++)
        s = ex_add(
            g, s,
            ex_pow(g, ex_op(g, IMP_OP_ABS, ex_div(g, x[i], p[i]), NULL, NULL),
                   p[3]));
    return s;
}
static inline const expr *
fix_super3(struct graph *g, const expr *const *x, const expr *const *p)
{
    return ex_add(
        g, fix_super2(g, x, p),
        ex_pow(g, ex_op(g, IMP_OP_ABS, ex_div(g, x[2], p[2]), NULL, NULL),
               p[3]));
}
/* transcendental: exp(x/a) + exp(-x/a) + exp(y/b) + exp(-y/b) - 6 */
static inline const expr *
fix_exp2(struct graph *g, const expr *const *x, const expr *const *p)
{
    const expr *s = ex_num(g, -6.0);
    for (int i = 0; i < 2; i++)
        s = ex_add(
            g, s,
            ex_mul(g, ex_num(g, 2.0),
                   ex_op(g, IMP_OP_COSH, ex_div(g, x[i], p[i]), NULL, NULL)));
    return s;
}
/* asymmetric: (x/a)^2 + (y/b)^2 (1 + x/(4a)) - 1 */
static inline const expr *
fix_egg2(struct graph *g, const expr *const *x, const expr *const *p)
{
    const expr *u = ex_div(g, x[0], p[0]);
    const expr *f = ex_add(g, ex_num(g, 1.0), ex_div(g, u, ex_num(g, 4.0)));
    return ex_sub(g,
                  ex_add(g, fix_square(g, u),
                         ex_mul(g, fix_square(g, ex_div(g, x[1], p[1])), f)),
                  ex_num(g, 1.0));
}
/* the origin close to the surface */
static inline const expr *
fix_shifted3(struct graph *g, const expr *const *x, const expr *const *p)
{
    const expr *u[3] = {ex_sub(g, x[0], ex_mul(g, p[0], ex_num(g, 0.7))),
                        ex_sub(g, x[1], ex_mul(g, p[1], ex_num(g, 0.4))),
                        ex_sub(g, x[2], ex_mul(g, p[2], ex_num(g, -0.4)))};
    return fix_quadric3(g, u, p);
}
/* a level set whose function is far from quadratic: exp of it, and a root */
static inline const expr *
fix_warped2(struct graph *g, const expr *const *x, const expr *const *p)
{
    const expr *q = ex_add(g, fix_quadric2(g, x, p), ex_num(g, 1.0));
    const expr *s =
        ex_op(g, IMP_OP_SQRT, ex_add(g, q, ex_num(g, 1e-3)), NULL, NULL);
    return ex_sub(
        g, ex_op(g, IMP_OP_EXP, ex_mul(g, s, ex_num(g, 4.0)), NULL, NULL),
        ex_num(g, 60.0));
}
/* concave as a function (logarithm), convex as a set */
static inline const expr *
fix_log3(struct graph *g, const expr *const *x, const expr *const *p)
{
    return ex_op(g, IMP_OP_LOG,
                 ex_add(g, fix_quadric3(g, x, p), ex_num(g, 1.01)), NULL, NULL);
}
/* a waist: not convex */
static inline const expr *
fix_bean2(struct graph *g, const expr *const *x, const expr *const *p)
{
    (void)p;
    const expr *x2 = fix_square(g, x[0]), *y2 = fix_square(g, x[1]);
    const expr *q = fix_square(g, ex_add(g, x2, y2));
    return ex_sub(g, ex_sub(g, q, x2),
                  ex_sub(g, ex_num(g, 0.1), ex_mul(g, ex_num(g, 0.2), y2)));
}

/* a polytope: some corners, for the compiler; the test gives the real ones to
 * the runtime */
static inline void
fix_simplex(struct fix *f, struct graph *g, struct tm_body *b)
{
    uint32_t d = (uint32_t)f->d;
    b->shape.n_point = d + 1;
    b->shape.poly = NEW_N(f->a, const expr *, d *(d + 1));
    for (uint32_t i = 0; i < d * (d + 1); i++)
        b->shape.poly[i] = ex_num(g, i < d              ? -1.0
                                     : i % (d + 1) == d ? 1.0
                                                        : 0.0);
}

/* bodies `one`, `two` (a shape NULL: a polytope), contact `touch`; flags bit i:
 * body i is fixed */
static inline void
fix_open(struct fix *f, int d, fix_shape s0, fix_shape s1, int fixed)
{
    static const char *const names[] = {"one", "two"};
    memset(f, 0, sizeof *f);
    f->d = d;
    f->a = arena_new();
    struct sources *src = sources_new(f->a);
    diags_init(&f->ds, f->a, src);
    struct tm_model *m = NEW(f->a, struct tm_model);
    struct graph *g = graph_new(f->a);
    m->arena = f->a;
    m->graph = g;
    m->sources = src;
    m->name = "fixture";
    m->dim = (uint32_t)d;
    m->n_params = 2 * FIX_PARAMS;
    m->params = NEW_N(f->a, struct tm_param, m->n_params);
    for (size_t i = 0; i < m->n_params; i++)
        m->params[i] = (struct tm_param){.name = arena_printf(f->a, "p%zu", i),
                                         .doc = "",
                                         .unit = "",
                                         .lo = -INFINITY,
                                         .hi = INFINITY};
    m->n_bodies = 2;
    m->bodies = NEW_N(f->a, struct tm_body, 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct tm_body *b = &m->bodies[i];
        const expr *x[3], *p[FIX_PARAMS];
        for (uint32_t j = 0; j < 3; j++)
            x[j] = ex_sym(g, SYM_LOCAL, j, 0);
        for (uint32_t j = 0; j < FIX_PARAMS; j++)
            p[j] = ex_sym(g, SYM_PARAM, i * FIX_PARAMS + j, 0);
        b->name = names[i];
        b->doc = "";
        fix_shape shape = i == 0 ? s0 : s1;
        if (shape != NULL)
            b->shape.level_set = shape(g, x, p);
        else
            fix_simplex(f, g, b);
        b->shape.uses_z = d == 3;
        b->stated.mass.e = ex_num(g, 1.0);
        b->stated.inertia.n = d == 2 ? 1 : 6;
        for (uint32_t j = 0; j < b->stated.inertia.n; j++)
            *vec_at(f->a, &b->stated.inertia, j) = ex_num(g, j < 3 ? 1.0 : 0.0);
        b->fixed = (fixed >> i & 1) != 0;
    }
    if (fix_gravity != 0.0) {
        m->world.gravity.n = (uint32_t)d;
        for (int i = 0; i < d; i++)
            *vec_at(f->a, &m->world.gravity, (uint32_t)i) =
                ex_num(g, i == 1 ? fix_gravity : 0.0);
    }
    if (fix_height != NULL) {
        struct tm_vec *at = &m->bodies[0].start.position;
        at->n = (uint32_t)d;
        for (int i = 0; i < d; i++)
            *vec_at(f->a, at, (uint32_t)i) = ex_num(g, 0.0);
        *vec_at(f->a, at, 1) = fix_height(g, ex_sym(g, SYM_TIME, 0, 0));
    }
    m->n_contacts = 1;
    m->contacts = NEW(f->a, struct tm_contact);
    m->contacts->name = "touch";
    m->contacts->doc = "";
    m->contacts->body[1] = 1;
    f->im = mech_compile(m, &f->ds);
    if (f->im == NULL || f->ds.errors > 0) {
        struct buf b = {0};
        diags_print(&f->ds, &b, DIAG_TEXT, false);
        fprintf(stderr, "%s", buf_str(&b));
        fail();
    }
    f->rt = rt_new(f->im, NULL, NULL, &f->ds, NULL);
    assert_non_null(f->rt);
}

static inline void
fix_close(struct fix *f)
{
    rt_free(f->rt);
    arena_free(f->a);
}

static inline void
fix_say(struct fix *f)
{
    struct buf b = {0};
    diags_print(&f->ds, &b, DIAG_TEXT, false);
    fprintf(stderr, "%s", buf_str(&b));
    buf_free(&b);
}

/* shape parameters, radius of the enclosing ball (INFINITY: half-plane),
 * mass, principal moments (plane: the first), mass centre */
static inline void
fix_body(struct fix *f, uint32_t b, const double *p, double radius,
         const double *inertia)
{
    struct rt *r = f->rt;
    const imp_body *bd = rt_body(r, b);
    double *k = r->env + bd->env_body;
    memcpy(r->env + f->im->layout.params + b * FIX_PARAMS, p,
           sizeof(double) * FIX_PARAMS);
    k[IMP_BODY_MASS] = 1.0;
    k[IMP_BODY_INVMASS] = bd->flags & IMP_BODYF_FIXED ? 0.0 : 1.0;
    for (int i = 0; i < (f->d == 2 ? 1 : 3); i++) {
        k[IMP_BODY_INERTIA + i] = inertia[i];
        k[IMP_BODY_INVINERTIA + i] =
            bd->flags & IMP_BODYF_FIXED ? 0.0 : 1.0 / inertia[i];
    }
    k[IMP_BODY_RADIUS] = radius;
}

static inline double *
fix_state(struct fix *f, uint32_t b)
{
    return f->rt->env + rt_body(f->rt, b)->env_state;
}
/* after writing states: time t, no memory of what was before */
static inline void
fix_fresh(struct fix *f, double t)
{
    struct rt *r = f->rt;
    r->env[f->im->layout.time] = t;
    memset(r->state_lo, 0,
           sizeof(double) * (f->im->layout.contact - f->im->layout.state));
    memset(r->closest.warm, 0, f->im->contacts.n);
}

/* counter-based numbers in [0, 1): same cases on every run */
static inline double
fix_rand(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static inline double
fix_between(uint64_t *s, double lo, double hi)
{
    return lo + (hi - lo) * fix_rand(s);
}
static inline void
fix_unit(uint64_t *s, int d, double *n)
{
    double l;
    do {
        l = 0.0;
        n[2] = 0.0;
        for (int i = 0; i < d; i++) {
            n[i] = fix_between(s, -1.0, 1.0);
            l += n[i] * n[i];
        }
    } while (l > 1.0 || l < 0.01);
    for (int i = 0; i < d; i++)
        n[i] /= sqrt(l);
}
static inline int
fix_cases(int dflt)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e != NULL ? atoi(e) : dflt;
}

#endif
