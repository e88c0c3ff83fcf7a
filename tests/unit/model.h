/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For unit tests: typed models made by hand, compiled and set up for the
 * evaluator, without text and checker. */
#ifndef IMP_TESTS_MODEL_H
#define IMP_TESTS_MODEL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/source.h"
#include "calculus/expr.h"
#include "check/check.h"
#include "mechanics/mech.h"
#include "runtime/instance/run.h"
#include "runtime/setup/new_run.h"
#include "runtime/tape/eval.h"
#include "vec_at.h"

struct model {
    struct arena *a;
    struct graph *g;
    struct tm_model *m;
    struct diags ds;
    const imp_image *im;
    struct rt *r;
};

static inline void
model_new(struct model *o, uint32_t dim)
{
    memset(o, 0, sizeof *o);
    o->a = arena_new();
    o->g = graph_new(o->a);
    o->m = NEW(o->a, struct tm_model);
    o->m->arena = o->a;
    o->m->graph = o->g;
    o->m->sources = sources_new(o->a);
    o->m->name = "test";
    o->m->dim = dim;
    o->m->bodies = NEW_N(o->a, struct tm_body, 16);
    o->m->contacts = NEW_N(o->a, struct tm_contact, 16);
    o->m->params = NEW_N(o->a, struct tm_param, 4096);
    diags_init(&o->ds, o->a, o->m->sources);
}

static inline void
model_free(struct model *o)
{
    if (o->r)
        rt_free(o->r);
    arena_free(o->a);
}

static inline const expr *
num(struct model *o, double x)
{
    return ex_num(o->g, x);
}
static inline const expr *
loc(struct model *o, uint32_t i)
{
    return ex_sym(o->g, SYM_LOCAL, i, 0);
}
/* a param with default x */
static inline const expr *
par(struct model *o, double x)
{
    uint32_t i = (uint32_t)o->m->n_params++;
    o->m->params[i] =
        (struct tm_param){.name = arena_printf(o->a, "p%u", i), .dflt = x};
    return ex_sym(o->g, SYM_PARAM, i, 0);
}
/* n numbers as params, so that nothing folds */
static inline struct tm_vec
vec(struct model *o, uint32_t n, const double *x)
{
    struct tm_vec v = {.n = n};
    for (uint32_t i = 0; i < n; i++)
        *vec_at(o->a, &v, i) = par(o, x[i]);
    return v;
}
static inline struct tm_num
scal(struct model *o, double x)
{
    return (struct tm_num){.e = par(o, x)};
}
/* sum of |x_i/a_i|^p - 1 (p = 2: squares), axes as params */
static inline const expr *
superellipsoid(struct model *o, const double *a, double p)
{
    const expr *s = num(o, -1);
    for (uint32_t i = 0; i < o->m->dim; i++) {
        const expr *u = ex_div(o->g, loc(o, i), par(o, a[i]));
        const expr *t = p == 2 ? ex_mul(o->g, u, u)
                               : ex_op(o->g, IMP_OP_ABSPOW, u, num(o, p), NULL);
        s = ex_add(o->g, s, t);
    }
    return s;
}
static inline struct tm_body *
body(struct model *o, const char *name, const expr *G)
{
    struct tm_body *b = &o->m->bodies[o->m->n_bodies++];
    b->name = name;
    b->shape.level_set = G;
    b->start.position.n = b->start.velocity.n = o->m->dim;
    b->start.spin.n = o->m->dim == 2 ? 1 : 3;
    for (uint32_t i = 0; i < 3; i++)
        *vec_at(o->a, &b->start.position, i) =
            *vec_at(o->a, &b->start.velocity, i) =
                *vec_at(o->a, &b->start.spin, i) = num(o, 0);
    return b;
}
static inline struct tm_contact *
contact(struct model *o, const char *name, uint32_t b0, uint32_t b1, double e)
{
    struct tm_contact *c = &o->m->contacts[o->m->n_contacts++];
    c->name = name;
    c->body[0] = b0;
    c->body[1] = b1;
    c->e = scal(o, e);
    c->mu.e = num(o, 0);
    return c;
}
static inline void
model_complain(struct model *o)
{
    struct buf b = {0};
    diags_print(&o->ds, &b, DIAG_TEXT, false);
    fputs(buf_str(&b), stderr);
    buf_free(&b);
}
static inline const double *
model_params(struct model *o)
{
    double *p = NEW_N(o->a, double, o->m->n_params + 1);
    for (size_t i = 0; i < o->m->n_params; i++)
        p[i] = o->m->params[i].dflt;
    return p;
}
/* compiles and sets up; fails the test on any error */
static inline void
model_run(struct model *o)
{
    o->im = mech_compile(o->m, &o->ds);
    if (!o->im) {
        model_complain(o);
        fail_msg("mech_compile");
    }
    o->r = rt_new(o->im, NULL, model_params(o), &o->ds, NULL);
    if (!o->r) {
        model_complain(o);
        fail_msg("rt_new");
    }
}
/* compiles and sets up something wrong; returns the first code */
static inline const char *
model_wrong(struct model *o)
{
    o->im = mech_compile(o->m, &o->ds);
    if (o->im)
        o->r = rt_new(o->im, NULL, model_params(o), &o->ds, NULL);
    if (!o->ds.first)
        return "none";
    return diag_code_name(o->ds.first->code);
}

static inline double
uniform(uint64_t *s, double lo, double hi)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *s ^ (*s >> 29);
    x *= 0xbf58476d1ce4e5b9u;
    return lo + (hi - lo) * (double)((x ^ (x >> 32)) >> 11) * 0x1p-53;
}

#define NEAR(a, b, tol)                                                        \
    do {                                                                       \
        double near_a = (a), near_b = (b);                                     \
        if (!(fabs(near_a - near_b) <= (tol)))                                 \
            fail_msg("%s = %.17g, %s = %.17g, differ by %g > %g", #a, near_a,  \
                     #b, near_b, near_a - near_b, (double)(tol));              \
    } while (0)

#endif
