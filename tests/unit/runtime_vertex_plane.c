/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polytopes that bounce over planes (runtime/events/vertex_plane.h), impact by
 * impact, against the general search for touches from the same state: the same
 * contact, the same time, no vertex below a plane; the impact's speed and
 * energy. In the plane and in space, on one plane, between walls, two bodies
 * apart, in both orders of a contact's bodies. What is not plain is left alone.
 */
#include "model.h"

#include "runtime/events/event.h"
#include "runtime/events/vertex_plane.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/motion.h"

static uint64_t seed = 11;
static double
rnd(double lo, double hi)
{
    return uniform(&seed, lo, hi);
}
static int
cases(int n)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e ? atoi(e) : n;
}

static struct tm_body *
rock(struct model *o, const char *name, bool regular)
{
    uint32_t d = o->m->dim, n = (uint32_t)rnd(d + 2, 17);
    double axes[3] = {rnd(0.3, 1), rnd(0.3, 1), rnd(0.3, 1)};
    struct tm_body *b = body(o, name, NULL);
    n = regular ? d == 2 ? 4 : 8 : d == 2 ? n / 2 + 1 : n;
    b->shape.n_point = n;
    b->shape.poly = NEW_N(o->a, const expr *, n *d);
    for (uint32_t i = 0; i < n; i++) {
        double x[3], l = 0, phi = 6.28 * (i + rnd(0.1, 0.9)) / n;
        for (uint32_t j = 0; j < d; j++) {
            x[j] = regular  ? i >> j & 1 ? 1 : -1
                   : d == 3 ? rnd(-1, 1)
                   : j      ? sin(phi)
                            : cos(phi);
            l += x[j] * x[j];
        }
        for (uint32_t j = 0; j < d; j++)
            b->shape.poly[i * d + j] = par(o, x[j] * axes[j] / sqrt(l));
    }
    b->stated.mass = scal(o, rnd(0.3, 3));
    return b;
}

/* x + a sin(f t) */
static const expr *
shaken(struct model *o, const expr *x, double a, double f)
{
    const expr *t = ex_mul(o->g, num(o, f), ex_sym(o->g, SYM_TIME, 0, 0));
    t = ex_op(o->g, IMP_OP_SIN, t, NULL, NULL);
    return ex_add(o->g, x, ex_mul(o->g, num(o, a), t));
}

/* n.x > -1.6 is free, where n = -e_axis or e_axis, tilted; driven: it shakes
 * and rocks */
static void
wall(struct model *o, const char *name, uint32_t axis, double sign, bool driven)
{
    uint32_t d = o->m->dim;
    double n[3] = {rnd(-0.1, 0.1), rnd(-0.1, 0.1), rnd(-0.1, 0.1)}, l = 0;
    n[axis] = sign;
    for (uint32_t i = 0; i < d; i++)
        l += n[i] * n[i];
    struct tm_body *b = body(o, name, loc(o, d - 1));
    b->shape.n_plane = 1;
    b->shape.poly = NEW_N(o->a, const expr *, d + 1);
    for (uint32_t i = 0; i <= d; i++)
        b->shape.poly[i] = num(o, i == d - 1);
    b->fixed = true;
    /* turns the last axis onto n; the plane passes -1.6 n */
    double at[3];
    for (uint32_t i = 0; i < d; i++)
        at[i] = -1.6 * n[i] / sqrt(l);
    b->start.position = vec(o, d, at);
    if (d == 2) {
        double angle = atan2(-n[0], n[1]);
        b->start.orient_kind = IMP_ORIENT_ANGLE;
        b->start.orient = vec(o, 1, &angle);
    }
    double c = n[2] / sqrt(l), x[4] = {-n[1], n[0], 0, acos(c)};
    if (d == 3) {
        b->start.orient_kind = IMP_ORIENT_AXISANGLE;
        b->start.orient = vec(o, 4, x);
    }
    for (uint32_t i = 0; i < d && driven; i++)
        *vec_at(o->a, &b->start.position, i) =
            shaken(o, b->start.position.e[i], rnd(-0.1, 0.1), rnd(2, 6));
    uint32_t last = d == 2 ? 0 : 3;
    if (driven)
        *vec_at(o->a, &b->start.orient, last) =
            shaken(o, b->start.orient.e[last], rnd(-0.1, 0.1), rnd(2, 6));
}

static struct tm_body *
throw_it(struct model *o, struct tm_body *b, double where)
{
    uint32_t d = o->m->dim;
    double at[3] = {where, 0, 0}, v[3], w[3], x[4];
    for (int i = 0; i < 3; i++) {
        v[i] = rnd(-2, 2);
        w[i] = rnd(-6, 6);
        x[i] = rnd(-1, 1);
    }
    x[3] = rnd(-3, 3);
    b->start.position = vec(o, d, at);
    b->start.velocity = vec(o, d, v);
    b->start.spin = vec(o, d == 2 ? 1 : 3, w);
    b->start.orient_kind = d == 2 ? IMP_ORIENT_ANGLE : IMP_ORIENT_AXISANGLE;
    b->start.orient = d == 2 ? vec(o, 1, x) : vec(o, 4, x);
    return b;
}

struct snap {
    double *env, *low;
    size_t n, states;
};
static void
snap(const struct model *o, struct snap *s)
{
    const imp_layout *l = &o->im->layout;
    s->n = l->n_env;
    s->states = l->contact - l->state;
    s->env = realloc(s->env, s->n * sizeof(double));
    s->low = realloc(s->low, s->states * sizeof(double));
    memcpy(s->env, o->r->env, s->n * sizeof(double));
    memcpy(s->low, o->r->state_lo, s->states * sizeof(double));
}
static void
back(const struct model *o, const struct snap *s)
{
    memcpy(o->r->env, s->env, s->n * sizeof(double));
    memcpy(o->r->state_lo, s->low, s->states * sizeof(double));
}

static double
kinetic(const struct model *o)
{
    struct motion_totals t;
    assert_int_equal(motion_totals(o->r, &t), IMP_OK);
    return t.kinetic;
}

/* normal velocity of the wall of contact c where it is touched */
static double
plane_speed(const struct model *o, uint32_t c)
{
    const imp_contact *k = rt_contact(o->r, c);
    struct closest_points at;
    assert_int_equal(closest_points_find(o->r, c, &at, true), IMP_OK);
    for (int i = 0; i < 2; i++) {
        const imp_body *b = rt_body(o->r, k->body[i]);
        double kin[18], v = 0;
        if (!(b->flags & IMP_BODYF_PRESCRIBED))
            continue;
        assert_int_equal(rt_eval(o->r, b->kinematics, NULL, kin), IMP_OK);
        const double *w = kin + 9, *P = i ? at.Q : at.P;
        double x[3] = {0, 0, 0};
        for (uint32_t j = 0; j < o->im->dim; j++)
            x[j] = P[j] - o->r->env[b->env_state + j];
        for (int j = 0; j < 3; j++)
            v += at.n[j] * (kin[j] + w[(j + 1) % 3] * x[(j + 2) % 3] -
                            w[(j + 2) % 3] * x[(j + 1) % 3]);
        return i ? -v : v;
    }
    return 0;
}

static double
rate_of(const struct model *o, uint32_t c, double *gap)
{
    double h, jet[2];
    struct closest_points at;
    assert_int_equal(closest_points_find(o->r, c, &at, true), IMP_OK);
    assert_int_equal(motion_series_all(o->r, 1, &h), IMP_OK);
    assert_int_equal(contact_gap_series(o->r, c, 1, jet), IMP_OK);
    *gap = at.gap;
    return jet[1];
}

static void
random_model(struct model *o, uint32_t d, bool two, uint32_t walls, bool driven,
             double e)
{
    static const char *const name[] = {"w0", "w1", "w2", "w3", "w4", "w5"};
    static const char *const cname[] = {"c0", "c1", "c2", "c3", "c4", "c5",
                                        "d0", "d1", "d2", "d3", "d4", "d5"};
    model_new(o, d);
    throw_it(o, rock(o, "a", rnd(0, 1) < 0.3), 0);
    if (two)
        throw_it(o, rock(o, "b", false), 20);
    uint32_t first = o->m->n_bodies, k = 0;
    for (uint32_t i = 0; i < walls; i++)
        wall(o, name[i], i / 2, i % 2 ? -1 : 1, driven && i % 3 == 0);
    for (uint32_t b = 0; b < first; b++)
        for (uint32_t i = 0; i < walls; i++) {
            bool swap = rnd(0, 1) < 0.5;
            /* the second body has only the wall behind which it is not */
            if (b == 1 && i != 0)
                continue;
            contact(o, cname[k++], swap ? b : first + i, swap ? first + i : b,
                    e);
        }
    if (two)
        contact(o, "ab", 0, 1, e);
    for (int i = 0; i < 3; i++)
        *vec_at(o->a, &o->m->world.gravity, i) = num(o, 0);
    o->m->world.gravity.n = d;
    *vec_at(o->a, &o->m->world.gravity, d - 1) =
        num(o, rnd(0, 1) < 0.3 ? 0 : -5);
    model_run(o);
}

/* one flight from the present state, both ways; true if there was an impact */
static bool
flight(struct model *o, int it, struct vertex_planes *p,
       enum event_watch *watch, double until, double e, struct snap *s,
       int *unclear)
{
    uint32_t n_more;
    enum vertex_plane_end end;
    struct vertex_plane_touch t;
    struct event x, *more = NEW_N(o->a, struct event, o->im->contacts.n);
    snap(o, s);
    int st = event_next(o->r, watch, until, NULL, NULL, &x, more, &n_more);
    if (st) {
        model_complain(o);
        fail_msg("case %d: event_next %d", it, st);
    }
    back(o, s);
    assert_int_equal(vertex_planes_next(p, watch, until, &end, &t), IMP_OK);
    bool none = x.kind == EVENT_NONE || x.kind == EVENT_EXCLUDED;
    if (end == VERTEX_PLANE_UNTIL) {
        if (!none)
            fail_msg("case %d: %s at %.17g, none seen", it, "touch", x.time);
        return false;
    }
    if (end == VERTEX_PLANE_UNCLEAR) {
        (*unclear)++;
        return false;
    }
    if (x.kind != EVENT_CROSS || x.contact != t.contact || n_more)
        fail_msg("case %d: %d of %u at %.17g, seen %u at %.17g", it, x.kind,
                 x.contact, x.time, t.contact, rt_time(o->r));
    NEAR(rt_time(o->r), x.time, 1e-13 * (1 + x.time));
    double gap, v0 = rate_of(o, t.contact, &gap), E0 = kinetic(o);
    double size = 1;
    for (uint32_t i = 0; i < o->im->dim; i++)
        size += fabs(rt_body(o->r, t.body)->env_state[o->r->env + i]);
    if (fabs(gap) > 2e-15 * size)
        fail_msg("case %d: gap %g at the touch", it, gap);
    vertex_planes_impact(p, &t);
    double v1 = rate_of(o, t.contact, &gap), E1 = kinetic(o);
    NEAR(v1, -e * v0, 1e-12 * (fabs(v0) + size));
    /* work of the impulse, P (v0 + v1)/2, and what a driven plane adds */
    double P = t.impulse, work = P * plane_speed(o, t.contact);
    NEAR(E1 - E0, 0.5 * P * (v0 + v1) + work, 1e-13 * (E0 + fabs(work)));
    assert_true(t.impulse > 0);
    watch[t.contact] = WATCH_LEAVE;
    return true;
}

static void
flights(void **state)
{
    (void)state;
    struct snap s = {0};
    int n = cases(120), impacts = 0, unclear = 0;
    for (int it = 0; it < n; it++) {
        uint32_t d = it % 2 ? 3 : 2, walls = it % 5 ? 1 : 2 * d;
        bool two = it % 7 == 3;
        double e = it % 3 ? 1 : rnd(0.5, 1), gap, until = 12;
        struct model o;
        random_model(&o, d, two, walls, it % 4 > 1, e);
        enum event_watch *watch = NEW_N(o.a, enum event_watch, 16);
        bool good = true;
        for (uint32_t c = 0; c < o.im->contacts.n; c++) {
            watch[c] = WATCH_CLOSE;
            good = good && event_start_check(o.r, c, &gap) == IMP_OK;
        }
        struct vertex_planes *p = vertex_planes_new(o.r);
        assert_non_null(p);
        int k = 0, before = unclear;
        while (good && k < 12 &&
               flight(&o, it, p, watch, until, e, &s, &unclear))
            k++;
        impacts += k;
        if (unclear > before + 1)
            fail_msg("case %d", it);
        model_free(&o);
    }
    free(s.env);
    free(s.low);
    if (n >= 100)
        printf("%d impacts, %d unclear\n", impacts, unclear);
    assert_true(n < 100 || (impacts > 3 * n && unclear < n / 10));
}

/* a cube of edge 1 over y or z = 0, turned by `tilt` about a horizontal axis */
static void
drop(struct model *o, uint32_t d, double height, double tilt,
     const double axis[3], double spin, double gravity)
{
    model_new(o, d);
    struct tm_body *b = body(o, "b", NULL), *f;
    b->shape.n_point = 1u << d;
    b->shape.poly = NEW_N(o->a, const expr *, d * b->shape.n_point);
    for (uint32_t k = 0; k < d * b->shape.n_point; k++)
        b->shape.poly[k] = num(o, (k / d) >> (k % d) & 1 ? 0.5 : -0.5);
    b->stated.mass = scal(o, 1);
    double at[3] = {0, d == 2 ? height : 0, height}, w[3] = {0, 0, 0};
    double x[4] = {axis[0], axis[1], axis[2], tilt};
    for (int i = 0; i < 3; i++)
        w[i] = d == 2 ? spin : spin * axis[i];
    b->start.position = vec(o, d, at);
    b->start.spin = vec(o, d == 2 ? 1 : 3, w);
    b->start.orient_kind = d == 2 ? IMP_ORIENT_ANGLE : IMP_ORIENT_AXISANGLE;
    b->start.orient = d == 2 ? vec(o, 1, x + 3) : vec(o, 4, x);
    f = body(o, "floor", loc(o, d - 1));
    f->shape.n_plane = 1;
    f->shape.poly = NEW_N(o->a, const expr *, d + 1);
    for (uint32_t i = 0; i <= d; i++)
        f->shape.poly[i] = num(o, i == d - 1);
    f->fixed = true;
    contact(o, "c", 1, 0, 1);
    for (int i = 0; i < 3; i++)
        *vec_at(o->a, &o->m->world.gravity, i) = num(o, 0);
    o->m->world.gravity.n = d;
    *vec_at(o->a, &o->m->world.gravity, d - 1) = num(o, -gravity);
    model_run(o);
}

static enum vertex_plane_end
first(struct model *o, double until)
{
    enum event_watch watch = WATCH_CLOSE;
    enum vertex_plane_end end;
    struct vertex_plane_touch t;
    struct vertex_planes *p = vertex_planes_new(o->r);
    assert_non_null(p);
    assert_int_equal(vertex_planes_next(p, &watch, until, &end, &t), IMP_OK);
    return end;
}

static void
unclear(void **state)
{
    (void)state;
    static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    static const double flat[] = {0, 1e-16, 1e-15, 1e-13, 1e-11};
    struct model o;
    for (uint32_t d = 2; d <= 3; d++)
        for (int i = 0; i < 6; i++) {
            /* flat, and in space on an edge as well */
            drop(&o, d, 2, i < 5 ? flat[i] : 1e-6, x, 0, 5);
            assert_int_equal(first(&o, 3), i < 5 || d == 3
                                               ? VERTEX_PLANE_UNCLEAR
                                               : VERTEX_PLANE_TOUCH);
            assert_true(rt_time(o.r) < sqrt(0.6) + 1e-6);
            model_free(&o);
        }
    /* corners that graze: at the height of the half diagonal, not above it */
    for (int i = -1; i <= 1; i++) {
        drop(&o, 2, sqrt(0.5) * (1 - 1e-7 * i), 0.1, z, 1.5, 0);
        assert_int_equal(first(&o, 3), i < 0   ? VERTEX_PLANE_UNTIL
                                       : i > 0 ? VERTEX_PLANE_TOUCH
                                               : VERTEX_PLANE_UNCLEAR);
        model_free(&o);
    }
    /* nothing moves towards the plane */
    drop(&o, 3, 1, 0.3, x, 2, 0);
    assert_int_equal(first(&o, 1000), VERTEX_PLANE_UNTIL);
    model_free(&o);
}

/* an impact of many points may leave an overlap a little beyond the tolerance:
 * what separates is no touch again */
static void
leaves(void **state)
{
    (void)state;
    static const double x[3] = {1, 0, 0};
    for (uint32_t d = 2; d <= 3; d++) {
        struct model o;
        enum event_watch watch = WATCH_LEAVE;
        struct event e, more[2];
        uint32_t n_more;
        double tol, rate;
        drop(&o, d, 0.5, 0, x, 0, 5);
        gap_tolerances(o.r, 0, &tol, &rate);
        double *s = o.r->env + rt_body(o.r, 0)->env_state;
        s[d - 1] = 0.5 - 1.5 * tol;
        s[d == 2 ? 4 : 9] = 1;
        assert_int_equal(
            event_next(o.r, &watch, 1, NULL, NULL, &e, more, &n_more), IMP_OK);
        assert_int_equal(e.kind, EVENT_CROSS);
        NEAR(e.time, 0.4, 1e-9);
        model_free(&o);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flights),
                                       cmocka_unit_test(unclear),
                                       cmocka_unit_test(leaves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
