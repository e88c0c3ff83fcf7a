/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First touches of polytopes in random flights, against gaps at close times:
 * none is passed over, and the gap vanishes where one is found. What two
 * polytopes share where they touch, on made cases, plane and space. */
#include "model.h"

#include "runtime/events/event.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/motion.h"
#include "runtime/setup/new_run.h"

static uint64_t seed = 3;
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

/* a body with these corners */
static struct tm_body *
corners(struct model *o, const char *name, uint32_t n, const double (*x)[3])
{
    uint32_t d = o->m->dim;
    struct tm_body *b = body(o, name, NULL);
    b->shape.n_point = n;
    b->shape.poly = NEW_N(o->a, const expr *, n *d);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < d; j++)
            b->shape.poly[i * d + j] = par(o, x[i][j]);
    b->stated.mass = scal(o, 1.0);
    return b;
}

static struct tm_body *
box(struct model *o, const char *name, double w, double h, double t)
{
    double x[8][3];
    uint32_t n = o->m->dim == 2 ? 4 : 8;
    for (uint32_t i = 0; i < n; i++) {
        x[i][0] = i & 1 ? w / 2 : -w / 2;
        x[i][1] = i & 2 ? h / 2 : -h / 2;
        x[i][2] = i & 4 ? t / 2 : -t / 2;
    }
    return corners(o, name, n, (const double(*)[3])x);
}

static struct tm_body *
rock(struct model *o, const char *name)
{
    double x[10][3], axes[3] = {rnd(0.3, 1), rnd(0.3, 1), rnd(0.3, 1)};
    uint32_t d = o->m->dim, n = (uint32_t)rnd(d + 2, 9);
    if (rnd(0, 1) < 0.4)
        return box(o, name, rnd(0.3, 1), rnd(0.3, 1), rnd(0.3, 1));
    for (uint32_t i = 0; i < n; i++) {
        double l = 0, phi = 6.28 * (i + rnd(0.1, 0.9)) / n;
        x[i][0] = d == 2 ? cos(phi) : rnd(-1, 1);
        x[i][1] = d == 2 ? sin(phi) : rnd(-1, 1);
        x[i][2] = d == 2 ? 0 : rnd(-1, 1);
        for (int j = 0; j < 3; j++)
            l += x[i][j] * x[i][j];
        for (int j = 0; j < 3; j++)
            x[i][j] *= axes[j] / sqrt(l);
    }
    return corners(o, name, n, (const double(*)[3])x);
}

/* y > 0, z > 0 is free */
static struct tm_body *
ground(struct model *o, const char *name)
{
    uint32_t d = o->m->dim;
    struct tm_body *b = body(o, name, loc(o, d - 1));
    b->shape.n_plane = 1;
    b->shape.poly = NEW_N(o->a, const expr *, d + 1);
    for (uint32_t i = 0; i <= d; i++)
        b->shape.poly[i] = num(o, i == d - 1);
    b->fixed = true;
    return b;
}

static void
put(struct model *o, struct tm_body *b, const double at[3], const double v[3],
    const double spin[3])
{
    uint32_t d = o->m->dim;
    b->start.position = vec(o, d, at);
    b->start.velocity = vec(o, d, v);
    b->start.spin = vec(o, d == 2 ? 1 : 3, spin);
}

static void
turned(struct model *o, struct tm_body *b, double angle, const double axis[3])
{
    if (o->m->dim == 2) {
        b->start.orient_kind = IMP_ORIENT_ANGLE;
        b->start.orient = vec(o, 1, &angle);
        return;
    }
    double x[4] = {axis[0], axis[1], axis[2], angle};
    b->start.orient_kind = IMP_ORIENT_AXISANGLE;
    b->start.orient = vec(o, 4, x);
}

static double
gap_at(struct model *o, double t)
{
    struct closest_points c;
    assert_int_equal(motion_to(o->r, t), IMP_OK);
    assert_int_equal(closest_points_find(o->r, 0, &c, true), IMP_OK);
    return c.gap;
}

static void
flight(struct model *o, uint32_t dim)
{
    double at[3], v[3], w[3], axis[3];
    model_new(o, dim);
    bool floor = rnd(0, 1) < 0.3;
    for (uint32_t i = 0; i < 2; i++) {
        if (i == 0 && floor) {
            ground(o, "a");
            continue;
        }
        struct tm_body *b = rock(o, i ? "b" : "a");
        for (int j = 0; j < 3; j++) {
            at[j] = rnd(-1, 1);
            v[j] = rnd(-1, 1);
            w[j] = rnd(-3, 3);
            axis[j] = rnd(-1, 1);
        }
        at[dim - 1] += i ? 2.5 : 0;
        v[dim - 1] -= i ? 1 : 0;
        put(o, b, at, v, w);
        turned(o, b, rnd(-3, 3), axis);
    }
    contact(o, "c", 0, 1, 1);
    model_run(o);
}

static void
flights(void **state)
{
    (void)state;
    int n = cases(250), found = 0;
    for (int it = 0; it < n; it++) {
        struct model o;
        flight(&o, it % 3 ? 3 : 2);
        enum event_watch watch = WATCH_CLOSE;
        struct event e, more[2];
        uint32_t n_more;
        double gap, tol, rate, until = 4;
        if (event_start_check(o.r, 0, &gap) != IMP_OK) {
            model_free(&o);
            continue;
        }
        int st = event_next(o.r, &watch, until, NULL, NULL, &e, more, &n_more);
        if (st != IMP_OK) {
            model_complain(&o);
            fail_msg("case %d: status %d at %g", it, st, rt_time(o.r));
        }
        gap_tolerances(o.r, 0, &tol, &rate);
        double end = e.kind >= EVENT_CROSS ? e.time : until;
        if (e.kind >= EVENT_CROSS) {
            struct closest_points c;
            found++;
            assert_int_equal(closest_points_find(o.r, 0, &c, true), IMP_OK);
            /* to rounding where the gap crosses zero */
            double most = e.kind == EVENT_CROSS ? 1e-14 : tol;
            if (fabs(c.gap) > most)
                fail_msg("case %d: gap %g at the touch", it, c.gap);
        }
        rt_reset(o.r);
        for (int k = 0; k < 300; k++) {
            double t = end * k / 300;
            gap = gap_at(&o, t);
            if (gap < -tol)
                fail_msg("case %d: gap %g at %g of %g (%d)", it, gap, t, end,
                         e.kind);
        }
        model_free(&o);
    }
    assert_true(n < 100 || found > n / 3);
}

/* let through: they open again where the gap does */
static void
through(void **state)
{
    (void)state;
    int n = cases(250), found = 0;
    for (int it = 0; it < n; it++) {
        struct model o;
        flight(&o, it % 3 ? 3 : 2);
        enum event_watch watch = WATCH_CLOSE;
        struct event e, more[2];
        uint32_t n_more;
        double gap, tol, rate, t0, until = 4;
        if (event_start_check(o.r, 0, &gap) != IMP_OK) {
            model_free(&o);
            continue;
        }
        assert_int_equal(
            event_next(o.r, &watch, until, NULL, NULL, &e, more, &n_more),
            IMP_OK);
        t0 = e.time;
        gap_tolerances(o.r, 0, &tol, &rate);
        if (e.kind != EVENT_CROSS) {
            model_free(&o);
            continue;
        }
        watch = WATCH_OPEN;
        int st = event_next(o.r, &watch, until, NULL, NULL, &e, more, &n_more);
        if (st != IMP_OK) {
            model_complain(&o);
            fail_msg("case %d: status %d at %g", it, st, rt_time(o.r));
        }
        double end = e.kind >= EVENT_CROSS ? e.time : until;
        if (e.kind >= EVENT_CROSS) {
            found++;
            gap = gap_at(&o, end);
            if (fabs(gap) > tol)
                fail_msg("case %d: gap %g where it opens", it, gap);
        }
        rt_reset(o.r);
        for (int k = 1; k < 200; k++) {
            double t = t0 + (end - t0) * k / 200;
            gap = gap_at(&o, t);
            if (gap > tol)
                fail_msg("case %d: gap %g at %g of %g to %g (%d)", it, gap, t,
                         t0, end, e.kind);
        }
        model_free(&o);
    }
    assert_true(n < 100 || found > n / 10);
}

/* -- touches ----------------------------------------------------------------
 */

static void
touch(struct model *o, enum manifold_kind kind, int n,
      struct contact_manifold *t)
{
    double gap, tol, rate;
    assert_int_equal(event_start_check(o->r, 0, &gap), IMP_OK);
    gap_tolerances(o->r, 0, &tol, &rate);
    assert_true(fabs(gap) <= tol);
    int st = polytope_contact_manifold(o->r, 0, tol, t);
    if (st) {
        model_complain(o);
        fail_msg("polytope_contact_manifold: %d", st);
    }
    if (t->kind != kind || t->n_point != n)
        fail_msg("kind %d, %d points where %d, %d are wanted", t->kind,
                 t->n_point, kind, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            NEAR(t->P[i][j], t->Q[i][j], 2 * tol);
}

/* two boxes of size 1 (space: and a third, see `size`); the second at `at`,
 * turned */
static void
two(struct model *o, uint32_t dim, const double size[3], const double at[3],
    double angle, const double axis[3], bool tumble)
{
    const double zero[3] = {0, 0, 0};
    model_new(o, dim);
    struct tm_body *a = box(o, "a", 1, 1, 1);
    struct tm_body *b = box(o, "b", size[0], size[1], size[2]);
    put(o, a, zero, zero, zero);
    put(o, b, at, zero, zero);
    turned(o, b, angle, axis);
    contact(o, "c", tumble, !tumble, 1);
    model_run(o);
}

#define PI 3.14159265358979323846

static void
plane_touches(void **state)
{
    (void)state;
    static const double one[3] = {1, 1, 1}, z[3] = {0, 0, 1};
    struct model o;
    struct contact_manifold t;
    for (int swap = 0; swap < 2; swap++) {
        double s = swap ? -1 : 1;
        /* side on side, shifted */
        two(&o, 2, one, (double[]){0.25, 1, 0}, 0, z, swap);
        touch(&o, MANIFOLD_LINE, 2, &t);
        NEAR(fabs(t.P[0][0] - t.P[1][0]), 0.75, 1e-12);
        NEAR(t.n[1], s, 1e-15);
        model_free(&o);
        /* corner on side */
        two(&o, 2, one, (double[]){0.25, 0.5 + sqrt(0.5), 0}, PI / 4, z, swap);
        touch(&o, MANIFOLD_POINT, 1, &t);
        NEAR(t.P[0][0], 0.25, 1e-12);
        NEAR(t.n[1], s, 1e-15);
        model_free(&o);
        /* corner on corner: both sides of either may be meant */
        two(&o, 2, one, (double[]){1, 1, 0}, 0, z, swap);
        touch(&o, MANIFOLD_OPEN, 1, &t);
        assert_int_equal(t.n_choice, 2);
        assert_int_equal(t.pair.kind[0], FEATURE_VERTEX);
        assert_int_equal(t.pair.kind[1], FEATURE_VERTEX);
        for (int i = 0; i < 2; i++)
            NEAR(t.choice[i].n[0] * s + t.choice[i].n[1] * s, 1, 1e-15);
        model_free(&o);
        two(&o, 2, one, (double[]){0.5 + sqrt(0.5), 0.5, 0}, PI / 4, z, swap);
        touch(&o, MANIFOLD_OPEN, 1, &t);
        assert_int_equal(t.n_choice, 2);
        model_free(&o);
    }
}

static void
space_touches(void **state)
{
    (void)state;
    static const double one[3] = {1, 1, 1}, small[3] = {0.5, 0.5, 0.5};
    static const double bar[3] = {2, 0.2, 0.2};
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    /* turns (1, 1, 1) onto z: a box that stands on its corner */
    const double tip[3] = {1, -1, 0};
    double lean = acos(1 / sqrt(3.0));
    struct model o;
    struct contact_manifold t;
    for (int swap = 0; swap < 2; swap++) {
        double s = swap ? -1 : 1;
        /* faces: one inside the other, shifted, turned by 45 degrees */
        two(&o, 3, small, (double[]){0.1, 0.2, 0.75}, 0, z, swap);
        touch(&o, MANIFOLD_AREA, 4, &t);
        NEAR(t.n[2], s, 1e-15);
        model_free(&o);
        two(&o, 3, one, (double[]){0.25, 0.5, 1}, 0, z, swap);
        touch(&o, MANIFOLD_AREA, 4, &t);
        model_free(&o);
        two(&o, 3, one, (double[]){0, 0, 1}, PI / 4, z, swap);
        touch(&o, MANIFOLD_AREA, 8, &t);
        model_free(&o);
        /* edge along a face */
        two(&o, 3, bar, (double[]){0, 0, 0.5 + 0.1 * sqrt(2.0)}, PI / 4, x,
            swap);
        touch(&o, MANIFOLD_LINE, 2, &t);
        NEAR(fabs(t.P[0][0]), 0.5, 1e-12);
        NEAR(t.n[2], s, 1e-15);
        model_free(&o);
        /* corner on a face */
        two(&o, 3, one, (double[]){0.1, 0.1, 0.5 + sqrt(0.75)}, lean, tip,
            swap);
        touch(&o, MANIFOLD_POINT, 1, &t);
        NEAR(t.P[0][0], 0.1, 1e-12);
        NEAR(t.n[2], s, 1e-12);
        model_free(&o);
        /* edges that cross: of a along y at (0.5, 0.5), of b along x turned */
        model_new(&o, 3);
        const double zero[3] = {0, 0, 0};
        double h = sqrt(0.5);
        struct tm_body *a = box(&o, "a", 1, 1, 1);
        struct tm_body *b = box(&o, "b", 1, 1, 1);
        put(&o, a, zero, zero, zero);
        put(&o, b, (double[]){0, 0, 2 * h}, zero, zero);
        turned(&o, a, PI / 4, y);
        turned(&o, b, PI / 4, x);
        contact(&o, "c", swap, !swap, 1);
        model_run(&o);
        touch(&o, MANIFOLD_POINT, 1, &t);
        assert_int_equal(t.pair.kind[0], FEATURE_EDGE);
        assert_int_equal(t.pair.kind[1], FEATURE_EDGE);
        NEAR(t.n[2], s, 1e-12);
        NEAR(t.P[0][2], h, 1e-12);
        model_free(&o);
        /* corner on corner, edge on parallel edge, corner on edge */
        two(&o, 3, one, (double[]){1, 1, 1}, 0, z, swap);
        touch(&o, MANIFOLD_OPEN, 1, &t);
        assert_int_equal(t.n_choice, 3);
        assert_int_equal(t.pair.kind[0], FEATURE_VERTEX);
        model_free(&o);
        two(&o, 3, one, (double[]){0.5, 1, 1}, 0, z, swap);
        touch(&o, MANIFOLD_OPEN, 2, &t);
        assert_int_equal(t.n_choice, 2);
        assert_int_equal(t.pair.kind[0], FEATURE_EDGE);
        assert_int_equal(t.pair.kind[1], FEATURE_EDGE);
        model_free(&o);
        two(&o, 3, one, (double[]){0, 0.5, 0.5 + sqrt(0.75)}, lean, tip, swap);
        touch(&o, MANIFOLD_OPEN, 1, &t);
        assert_true(t.n_choice >= 2);
        model_free(&o);
    }
}

/* a corner on a corner with a normal that the contact states */
static void
stated(void **state)
{
    (void)state;
    static const double zero[3] = {0, 0, 0}, at[3] = {1, 1, 1};
    static const double good[3] = {1, 2, 2}, bad[3] = {1, 1, -1};
    for (int wrong = 0; wrong < 2; wrong++) {
        struct model o;
        struct contact_manifold t;
        model_new(&o, 3);
        put(&o, box(&o, "a", 1, 1, 1), zero, zero, zero);
        put(&o, box(&o, "b", 1, 1, 1), at, zero, zero);
        contact(&o, "c", 0, 1, 1)->direction = vec(&o, 3, wrong ? bad : good);
        model_run(&o);
        if (wrong) {
            assert_int_equal(polytope_contact_manifold(o.r, 0, 1e-11, &t),
                             IMP_BADMODEL);
            assert_string_equal(diag_code_name(o.ds.first->code), "E0614");
        } else {
            touch(&o, MANIFOLD_OPEN, 1, &t);
            assert_true(t.stated);
            for (int i = 0; i < 3; i++)
                NEAR(t.n[i], good[i] / 3, 1e-15);
        }
        model_free(&o);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_touches), cmocka_unit_test(space_touches),
        cmocka_unit_test(stated),        cmocka_unit_test(flights),
        cmocka_unit_test(through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
