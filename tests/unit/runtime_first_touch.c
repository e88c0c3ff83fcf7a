/* SPDX-License-Identifier: MIT */
/* First touches of random pairs, constructed so that the touch is known:
 * crossing, grazing (missing by 1e-9, exact, overlapping by 1e-9), C00;
 * bullets, long flights, spinning bodies, two touches in one step. */
#include "rt_fixture.h"
#include "runtime/events/event_priv.h"

static const int default_cases = 60;

struct setting {
    struct fix f;
    uint64_t seed;
    double at[2][13]; /* states at the touch */
    double g[MOTION_STEP_ORDER + 1];
};

static int
n_state(const struct setting *z)
{
    return z->f.d == 2 ? 6 : 13;
}

static void
put(struct setting *z, double t)
{
    for (uint32_t b = 0; b < 2; b++)
        memcpy(fix_state(&z->f, b), z->at[b],
               sizeof(double) * (size_t)n_state(z));
    fix_fresh(&z->f, t);
}

static void
keep(struct setting *z)
{
    for (uint32_t b = 0; b < 2; b++)
        memcpy(z->at[b], fix_state(&z->f, b),
               sizeof(double) * (size_t)n_state(z));
}

/* random shapes and attitudes, bodies in touch at t = 0, random velocities */
static void
in_touch(struct setting *z, struct closest_points *c)
{
    struct fix *f = &z->f;
    int d = f->d;
    for (uint32_t b = 0; b < 2; b++) {
        double a[4], I[3], R = 0.0, *s;
        for (int i = 0; i < 3; i++) {
            a[i] = fix_between(&z->seed, 0.7, 2.0);
            if (i < d)
                R = fmax(R, a[i]);
        }
        a[3] = 2.0;
        I[0] = a[1] * a[1] + a[2] * a[2];
        I[1] = a[0] * a[0] + a[2] * a[2];
        I[2] = a[0] * a[0] + a[1] * a[1];
        fix_body(f, b, a, R, I);
        s = fix_state(f, b);
        for (int i = 0; i < n_state(z); i++)
            s[i] = fix_between(&z->seed, -1.0, 1.0);
        if (d == 3) {
            double l = 0.0;
            for (int i = 3; i < 7; i++)
                l += s[i] * s[i];
            for (int i = 3; i < 7; i++)
                s[i] /= sqrt(l);
        } else {
            s[2] *= 3.0;
        }
    }
    double n[3], *s = fix_state(f, 1), *s0 = fix_state(f, 0);
    fix_unit(&z->seed, d, n);
    for (int i = 0; i < d; i++)
        s[i] = s0[i] + 6.0 * n[i];
    for (int k = 0; k < 3; k++) {
        fix_fresh(f, 0.0);
        assert_int_equal(closest_points_find(f->rt, 0, c, true), IMP_OK);
        for (int i = 0; i < d; i++)
            s[i] -= c->gap * c->n[i];
    }
    fix_fresh(f, 0.0);
    assert_int_equal(closest_points_find(f->rt, 0, c, true), IMP_OK);
    assert_true(fabs(c->gap) < 1e-14);
}

static void
series(struct setting *z)
{
    double h;
    fix_fresh(&z->f, 0.0);
    assert_int_equal(motion_series_all(z->f.rt, MOTION_STEP_ORDER, &h), IMP_OK);
    assert_int_equal(contact_gap_series(z->f.rt, 0, MOTION_STEP_ORDER, z->g),
                     IMP_OK);
}

/* velocity of body 2 changed by x along unit e */
static void
push(struct setting *z, const double *e, double x)
{
    double *v = fix_state(&z->f, 1) + (z->f.d == 2 ? 3 : 7);
    for (int i = 0; i < z->f.d; i++)
        v[i] += x * e[i];
}

/* gap rate made `rate` by the normal velocity */
static void
set_rate(struct setting *z, const struct closest_points *c, double rate)
{
    for (int k = 0; k < 3; k++) {
        series(z);
        push(z, c->n, rate - z->g[1]);
    }
    series(z);
}

static void
backwards(struct setting *z)
{
    for (uint32_t b = 0; b < 2; b++) {
        double *s = fix_state(&z->f, b);
        for (int i = z->f.d == 2 ? 3 : 7; i < n_state(z); i++)
            s[i] = -s[i];
    }
    series(z);
}

/* a tangent of the touch */
static void
tangent(struct setting *z, const struct closest_points *c, double *e)
{
    double l = 0.0, x;
    fix_unit(&z->seed, z->f.d, e);
    x = e[0] * c->n[0] + e[1] * c->n[1] + e[2] * c->n[2];
    for (int i = 0; i < 3; i++) {
        e[i] -= x * c->n[i];
        l += e[i] * e[i];
    }
    for (int i = 0; i < 3; i++)
        e[i] /= sqrt(l);
}

/* longest time before the touch at t = 0 (of at most 1.5) for which the
 * bodies were apart; the states there are put in place */
static double
rewind_apart(struct setting *z)
{
    double free = 0.0;
    keep(z);
    put(z, 0.0);
    for (double t = 0.002; t < 1.5; t *= 1.15) {
        struct closest_points c;
        assert_int_equal(motion_to(z->f.rt, -t), IMP_OK);
        if (closest_points_find(z->f.rt, 0, &c, false) != IMP_OK ||
            c.gap < 1e-4 * t * t * t)
            break;
        free = t;
    }
    free *= 0.9;
    put(z, 0.0);
    assert_int_equal(motion_to(z->f.rt, -free), IMP_OK);
    z->f.rt->closest.warm[0] = 0;
    return free;
}

static int steps;
static int
count_step(void *ctx, double t0, double t1)
{
    (void)ctx;
    assert_true(t1 > t0);
    steps++;
    return IMP_OK;
}

static struct event
next(struct setting *z, enum event_watch watch, double until)
{
    struct event e, more[2];
    uint32_t n;
    int st = event_next(z->f.rt, &watch, until, count_step, NULL, &e, more, &n);
    if (st != IMP_OK)
        fix_say(&z->f);
    assert_int_equal(st, IMP_OK);
    assert_int_equal(n, 0);
    assert_true(e.time == rt_time(z->f.rt));
    return e;
}

/* a touch before the one constructed, which the coarse look of rewind_apart
 * did not see: true if it is real */
static bool
earlier(struct setting *z, const struct event *e)
{
    struct closest_points c;
    if (e->kind != EVENT_CROSS || e->time > -1e-3)
        return false;
    assert_int_equal(closest_points_find(z->f.rt, 0, &c, true), IMP_OK);
    assert_true(fabs(c.gap) < 1e-13);
    assert_int_equal(motion_to(z->f.rt, e->time + 1e-4), IMP_OK);
    assert_int_equal(closest_points_find(z->f.rt, 0, &c, true), IMP_OK);
    assert_true(c.gap < 0.0);
    return true;
}

static void
open_both(struct setting *z, int d)
{
    memset(z, 0, sizeof *z);
    z->seed = (uint64_t)d * 1000;
    if (d == 2)
        fix_open(&z->f, 2, fix_quadric2, fix_quadric2, 0);
    else
        fix_open(&z->f, 3, fix_quadric3, fix_quadric3, 0);
}

static void
crossing(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        struct setting z;
        int done = 0, want = fix_cases(default_cases);
        open_both(&z, d);
        steps = 0;
        while (done < want) {
            struct closest_points c;
            in_touch(&z, &c);
            double v = -exp(fix_between(&z.seed, log(1e-4), log(3.0)));
            set_rate(&z, &c, v);
            double back = rewind_apart(&z);
            if (back < 0.01)
                continue;
            struct event e = next(&z, WATCH_CLOSE, 1.0);
            assert_int_equal(e.kind, EVENT_CROSS);
            if (earlier(&z, &e))
                continue;
            /* 1e-15 of gap over the speed */
            assert_true(fabs(e.time) < 1e-14 / fabs(v) + 1e-13);
            done++;
        }
        print_message("%dD: %d crossings, %.1f steps each\n", d, done,
                      steps / (double)done);
        fix_close(&z.f);
    }
}

static void
grazing(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        struct setting z;
        int done = 0, want = fix_cases(default_cases);
        double worst = 0.0;
        open_both(&z, d);
        steps = 0;
        while (done < want) {
            struct closest_points c;
            in_touch(&z, &c);
            set_rate(&z, &c, 0.0);
            double D = 2.0 * z.g[2], j = 6.0 * z.g[3];
            if (D < 1e-2)
                continue;
            /* how long the gap surely stays open after the touch */
            double after = fmin(0.2, 0.3 * D / (fabs(j) + 1e-3));
            double back = rewind_apart(&z);
            if (back < 0.05)
                continue;
            double back_state[2][13];
            for (uint32_t b = 0; b < 2; b++)
                memcpy(back_state[b], fix_state(&z.f, b), sizeof z.at[b]);
            for (int miss = -1; miss <= 1; miss++) {
                memcpy(z.at, back_state, sizeof z.at);
                for (int i = 0; i < d; i++)
                    z.at[1][i] += miss * 1e-9 * c.n[i];
                put(&z, -back);
                struct event e = next(&z, WATCH_CLOSE, after);
                if (earlier(&z, &e))
                    break;
                if (miss > 0) {
                    assert_int_equal(e.kind, EVENT_NONE);
                    assert_true(e.time == after);
                } else if (miss == 0) {
                    assert_int_equal(e.kind, EVENT_TANGENT);
                    worst = fmax(worst, fabs(e.time) * D);
                } else {
                    assert_int_equal(e.kind, EVENT_CROSS);
                    double t = -sqrt(2e-9 / D);
                    assert_true(fabs(e.time - t) <
                                1e-3 * fabs(t) + 2.0 * t * t * fabs(j) / D);
                    /* through, and out on the other side */
                    e = next(&z, WATCH_OPEN, after);
                    assert_int_equal(e.kind, EVENT_OPEN);
                    assert_true(fabs(e.time + t) <
                                1e-3 * fabs(t) + 2.0 * t * t * fabs(j) / D);
                }
                /* the touch just handled is not reported again */
                e = next(&z, WATCH_LEAVE, after);
                assert_int_equal(e.kind, EVENT_NONE);
            }
            done++;
        }
        print_message("%dD: %d grazings, %.1f steps each, time to %.1e\n", d,
                      3 * done, steps / (3.0 * done), worst);
        assert_true(worst < 1e-13);
        fix_close(&z.f);
    }
}

static void
c00(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        struct setting z;
        int done = 0, want = fix_cases(default_cases);
        double worst = 0.0;
        open_both(&z, d);
        steps = 0;
        while (done < want) {
            struct closest_points c;
            double e[3], D[3], x = 0.0;
            in_touch(&z, &c);
            tangent(&z, &c, e);
            set_rate(&z, &c, 0.0);
            /* D is quadratic in the speed along a tangent: a root of it */
            for (int i = 0; i < 3; i++) {
                push(&z, e, i - 1.0 - x);
                x = i - 1.0;
                series(&z);
                D[i] = 2.0 * z.g[2];
            }
            double qa = 0.5 * (D[0] + D[2]) - D[1], qb = 0.5 * (D[2] - D[0]);
            double disc = qb * qb - 4.0 * qa * D[1];
            if (disc < 1e-3)
                continue;
            double side = fix_rand(&z.seed) < 0.5 ? 1.0 : -1.0;
            double nu = (-qb + side * sqrt(disc)) / (2.0 * qa);
            if (fabs(nu) > 5.0)
                continue;
            push(&z, e, nu - x);
            set_rate(&z, &c, 0.0);
            if (z.g[3] > 0.0)
                backwards(&z);
            double j = 6.0 * z.g[3];
            assert_true(fabs(z.g[2]) < 1e-12);
            if (j > -1e-2)
                continue;
            double back = rewind_apart(&z);
            if (back < 0.05)
                continue;
            struct event ev = next(&z, WATCH_CLOSE, 0.5);
            if (earlier(&z, &ev))
                continue;
            assert_int_equal(ev.kind, EVENT_TANGENT);
            assert_true(fabs(ev.time) < 1e-11);
            worst = fmax(worst, fabs(ev.time * j));
            /* let through: the bodies overlap now and open later, or touch
             * again at once */
            series(&z);
            double g0 = z.g[0];
            assert_true(fabs(g0) < 1e-14);
            done++;
        }
        print_message("%dD: %d C00, %.1f steps each, D at the time found "
                      "%.1e\n",
                      d, done, steps / (double)done, worst);
        assert_true(worst < 1e-11);
        fix_close(&z.f);
    }
}

static void
circles(struct setting *z)
{
    const double a[4] = {1, 1, 1, 2}, I[3] = {0.5, 0.5, 0.5};
    fix_body(&z->f, 0, a, 1.0, I);
    fix_body(&z->f, 1, a, 1.0, I);
    memset(z->at, 0, sizeof z->at);
    z->at[0][3] = z->at[1][3] = z->f.d == 3; /* quaternions */
}

static void
bullets_and_flights(void **state)
{
    (void)state;
    struct setting z;
    open_both(&z, 2);
    circles(&z);
    /* a bullet that crosses in 1e-8 of the horizon, after a long flight */
    z.at[1][0] = -2e6;
    z.at[1][3] = 1e6;
    z.at[1][1] = 0.5;
    put(&z, 0.0);
    steps = 0;
    struct event e = next(&z, WATCH_CLOSE, 1e3);
    assert_int_equal(e.kind, EVENT_CROSS);
    assert_true(fabs(e.time - (2e6 - sqrt(3.75)) / 1e6) < 1e-14);
    assert_true(steps < 10);
    e = next(&z, WATCH_OPEN, 1e3);
    assert_int_equal(e.kind, EVENT_OPEN);
    assert_true(fabs(e.time - (2e6 + sqrt(3.75)) / 1e6) < 1e-14);
    /* and apart for ever */
    struct event more[1];
    uint32_t n;
    enum event_watch w = WATCH_LEAVE;
    assert_int_equal(event_next(z.f.rt, &w, 1e9, NULL, NULL, &e, more, &n),
                     IMP_OK);
    assert_int_equal(e.kind, EVENT_EXCLUDED);
    /* passing by at a distance */
    z.at[1][1] = 2.5;
    put(&z, 0.0);
    w = WATCH_CLOSE;
    assert_int_equal(event_next(z.f.rt, &w, 1e9, NULL, NULL, &e, more, &n),
                     IMP_OK);
    assert_int_equal(e.kind, EVENT_EXCLUDED);
    assert_true(e.time == 0.0);
    /* 1e6 sizes at ordinary speed: the step is the flight */
    z.at[1][1] = 0.0;
    z.at[1][3] = 1.0;
    put(&z, 0.0);
    steps = 0;
    e = next(&z, WATCH_CLOSE, 1e7);
    assert_int_equal(e.kind, EVENT_CROSS);
    assert_true(fabs(e.time - (2e6 - 2.0)) < 1e-9);
    assert_true(steps < 10);
    /* overlap at the start is told */
    z.at[1][0] = 1.5;
    put(&z, 0.0);
    double gap;
    assert_int_equal(event_start_check(z.f.rt, 0, &gap), IMP_FAILED);
    assert_true(fabs(gap + 0.5) < 1e-14);
    assert_int_equal(z.f.ds.first->code, DIAG_E0620);
    fix_close(&z.f);
}

static void
many_rotations(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        struct setting z;
        open_both(&z, d);
        const double a[4] = {2.0, 0.5, 0.7, 2}, I[3] = {1.0, 2.0, 3.0};
        int spin = d == 2 ? 5 : 12, vx = d == 2 ? 3 : 7;
        circles(&z);
        fix_body(&z.f, 0, a, 2.0, I);
        fix_body(&z.f, 1, a, 2.0, I);
        /* blades turning fast while they creep towards each other */
        z.at[0][spin] = 20.0;
        z.at[1][spin] = -17.0;
        if (d == 3)
            z.at[0][10] = 0.5;
        z.at[1][0] = 4.1;
        z.at[1][vx] = -0.01;
        put(&z, 0.0);
        steps = 0;
        struct event e = next(&z, WATCH_CLOSE, 1e3);
        assert_true(e.kind == EVENT_CROSS);
        print_message("%dD: first touch at t = %.6f after %d steps\n", d,
                      e.time, steps);
        /* nothing was passed over: apart until then, on a fine grid */
        double t1 = e.time, least = INFINITY;
        put(&z, 0.0);
        for (int i = 1; i < 4000; i++) {
            struct closest_points c;
            assert_int_equal(motion_to(z.f.rt, t1 * i / 4000.0), IMP_OK);
            assert_int_equal(closest_points_find(z.f.rt, 0, &c, true), IMP_OK);
            least = fmin(least, c.gap);
        }
        assert_true(least > 0.0);
        fix_close(&z.f);
    }
}

/* a disc with its mass centre off the middle rolls over a wall: [0.1] */
static void
disc_on_wall(void **state)
{
    (void)state;
    struct setting z;
    memset(&z, 0, sizeof z);
    fix_open(&z.f, 2, fix_plane, fix_quadric2, 1);
    const double a[4] = {1, 1, 1, 2}, I[3] = {1, 1, 1};
    fix_body(&z.f, 0, a, INFINITY, I);
    fix_body(&z.f, 1, a, 2.2, I);
    double *k = z.f.rt->env + rt_body(z.f.rt, 1)->env_body;
    static const double row[4][4] = {{0, 1, 0.5, EVENT_TANGENT},
                                     {0.25, 1, 0.5, EVENT_TANGENT},
                                     {0.25, 1.1, 0.5, EVENT_TANGENT},
                                     {0, 1, 0.3, EVENT_TANGENT}};
    for (int i = 0; i < 4; i++) {
        k[IMP_BODY_CENTRE] = row[i][2];
        k[IMP_BODY_CENTRE + 1] = row[i][1] - 1.0;
        double s[6] = {row[i][2], row[i][1], 0.0, row[i][0], -row[i][2], -1.0};
        memset(z.at, 0, sizeof z.at);
        memcpy(z.at[1], s, sizeof s);
        put(&z, 0.0);
        assert_int_equal(motion_to(z.f.rt, -0.3), IMP_OK);
        z.f.rt->closest.warm[0] = 0;
        struct event e = next(&z, WATCH_CLOSE, 1.0);
        assert_int_equal(e.kind, (int)row[i][3]);
        assert_true(fabs(e.time) < 1e-12);
        series(&z);
        assert_true(fabs(2.0 * z.g[2] - (row[i][1] - 1.0)) < 1e-12);
        assert_true(fabs(6.0 * z.g[3] + row[i][2]) < 1e-10 ||
                    fabs(row[i][1] - 1.0) > 0.0);
    }
    fix_close(&z.f);
}

/* the two ellipses of Palffy-Muhoray et al. [0.2] and the superellipsoid
 * against an ellipsoid [0.3]: touch, deep overlap, end of the overlap */
static void
printed_examples(void **state)
{
    (void)state;
    struct setting z;
    memset(&z, 0, sizeof z);
    fix_open(&z.f, 2, fix_quadric2, fix_quadric2, 0);
    const double a[4] = {2, 1, 1, 2}, I[3] = {1, 1, 1};
    fix_body(&z.f, 0, a, 2.0, I);
    fix_body(&z.f, 1, a, 2.0, I);
    static const double one[6] = {0, 0, 0, 0, 0, -1.0};
    static const double two[6] = {-1.4671103616817882,  -1.9459065947411789,
                                  -0.78539816339744831, -0.2139701987389151,
                                  0.9581598646385255,   -0.3787007446061675};
    memcpy(z.at[0], one, sizeof one);
    memcpy(z.at[1], two, sizeof two);
    put(&z, 0.0);
    series(&z);
    assert_true(fabs(z.g[0]) < 1e-15 && fabs(z.g[1]) < 1e-15);
    assert_true(fabs(2.0 * z.g[2]) < 1e-14);
    assert_true(fabs(6.0 * z.g[3] / -0.8634952097918813 - 1.0) < 1e-13);
    static const double sigma[4][2] = {{0x1p-3, -2.60263896579287e-4},
                                       {0x1p-5, -4.31097385895578e-6},
                                       {0x1p-9, -1.07102477503999e-9},
                                       {-0x1p-5, 4.47239222391838e-6}};
    for (int i = 0; i < 4; i++) {
        struct closest_points c;
        put(&z, 0.0);
        assert_int_equal(motion_to(z.f.rt, sigma[i][0]), IMP_OK);
        assert_int_equal(closest_points_find(z.f.rt, 0, &c, true), IMP_OK);
        assert_true(fabs(c.gap - sigma[i][1]) < 2e-15);
    }
    put(&z, 0.0);
    assert_int_equal(motion_to(z.f.rt, -5.0), IMP_OK);
    z.f.rt->closest.warm[0] = 0;
    struct event e = next(&z, WATCH_CLOSE, 1.0);
    assert_int_equal(e.kind, EVENT_TANGENT);
    assert_true(fabs(e.time) < 1e-13);
    steps = 0;
    e = next(&z, WATCH_OPEN, 10.0);
    assert_int_equal(e.kind, EVENT_OPEN);
    assert_true(fabs(e.time - 3.98531223) < 1e-8);
    print_message("[0.2]: overlap ends at %.12f, %d steps\n", e.time, steps);
    fix_close(&z.f);
}

/* a ball thrown onto a floor: bounces of every height, down to those that
 * never leave the tolerance of the gap */
static void
bounces(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        struct setting z;
        memset(&z, 0, sizeof z);
        fix_gravity = -10.0;
        fix_open(&z.f, d, fix_plane, d == 2 ? fix_quadric2 : fix_quadric3, 1);
        fix_gravity = 0.0;
        circles(&z);
        const double a[4] = {1, 1, 1, 2}, I[3] = {1, 1, 1};
        fix_body(&z.f, 0, a, INFINITY, I);
        int vy = d == 2 ? 4 : 8;
        z.at[1][0] = 0.3;
        z.at[1][1] = 6.0;
        z.at[1][vy] = 1.0;
        z.at[1][vy + 1] = 3.0; /* plane: spin */
        put(&z, 0.0);
        struct event e = next(&z, WATCH_CLOSE, 10.0);
        assert_int_equal(e.kind, EVENT_CROSS);
        assert_true(fabs(e.time - (1.0 + sqrt(101.0)) / 10.0) < 1e-14);
        double *s = fix_state(&z.f, 1);
        for (double v = 5.0; v > 1e-8; v *= 0.1) {
            double t0 = rt_time(z.f.rt);
            s[vy] = v;
            e = next(&z, WATCH_LEAVE, t0 + 10.0);
            /* the height rounds to 1e-16: over the speed */
            double off = 1e-15 / v + 1e-14;
            assert_true(fabs(e.time - t0 - 0.2 * v) < fmin(off, 0.1 * v));
            assert_true(fabs(s[vy] + v) < 10.0 * off);
            assert_true(e.kind == EVENT_CROSS || v < 1e-7);
        }
        /* pressed together: at once */
        double t0 = rt_time(z.f.rt);
        s[vy] = 0.0;
        e = next(&z, WATCH_LEAVE, t0 + 10.0);
        assert_int_equal(e.kind, EVENT_TANGENT);
        assert_true(e.time == t0);
        fix_close(&z.f);
    }
}

static const expr *
swing(struct graph *g, const expr *t)
{
    return ex_op(g, IMP_OP_SIN, t, NULL, NULL);
}

/* a floor that moves as sin t meets a ball at rest, grazing at its top */
static void
moving_floor(void **state)
{
    (void)state;
    for (int miss = -1; miss <= 1; miss++) {
        struct setting z;
        memset(&z, 0, sizeof z);
        fix_height = swing;
        fix_open(&z.f, 2, fix_plane, fix_quadric2, 1);
        fix_height = NULL;
        circles(&z);
        const double a[4] = {1, 1, 1, 2}, I[3] = {1, 1, 1};
        fix_body(&z.f, 0, a, INFINITY, I);
        z.at[1][1] = 2.0 + miss * 1e-9;
        z.at[1][5] = 1.0;
        put(&z, 0.0);
        assert_int_equal(motion_to(z.f.rt, -1.5), IMP_OK);
        z.f.rt->closest.warm[0] = 0;
        struct event e = next(&z, WATCH_CLOSE, 3.0);
        double top = 1.5707963267948966;
        if (miss < 0) {
            assert_int_equal(e.kind, EVENT_CROSS);
            assert_true(fabs(e.time - top + sqrt(2e-9)) < 1e-8);
        } else if (miss == 0) {
            assert_int_equal(e.kind, EVENT_TANGENT);
            assert_true(fabs(e.time - top) < 1e-12);
        } else {
            assert_int_equal(e.kind, EVENT_NONE);
        }
        fix_close(&z.f);
    }
}

/* shapes whose gap is not smooth everywhere: no touch is passed over and the
 * search does not stop */
static void
rough_shapes(void **state)
{
    (void)state;
    static const double powers[3] = {4.0, 2.5, 3.3};
    for (int p = 0; p < 3; p++) {
        struct setting z;
        memset(&z, 0, sizeof z);
        z.seed = 5;
        fix_open(&z.f, 2, fix_super2, fix_super2, 0);
        const double a[4] = {1.0, 1.4, 1, powers[p]}, I[3] = {1, 1, 1};
        fix_body(&z.f, 0, a, 1.8, I);
        fix_body(&z.f, 1, a, 1.8, I);
        steps = 0;
        int hits = 0;
        for (int it = 0; it < 20; it++) {
            memset(z.at, 0, sizeof z.at);
            z.at[1][0] = 6.0;
            z.at[1][3] = -1.0;
            /* the first: head-on, flat on flat all the way */
            if (it > 0) {
                z.at[0][2] = fix_between(&z.seed, 0, 6);
                z.at[1][2] = fix_between(&z.seed, 0, 6);
                z.at[0][5] = fix_between(&z.seed, -2, 2);
                z.at[1][5] = fix_between(&z.seed, -2, 2);
                z.at[1][1] = fix_between(&z.seed, -1, 1);
            }
            put(&z, 0.0);
            struct event e = next(&z, WATCH_CLOSE, 20.0);
            if (it == 0) {
                assert_int_equal(e.kind, EVENT_CROSS);
                assert_true(fabs(e.time - 4.0) < 1e-6);
            }
            if (e.kind != EVENT_NONE)
                hits++;
            double t1 = e.time;
            put(&z, 0.0);
            for (int i = 1; i < 300; i++) {
                struct closest_points c;
                assert_int_equal(motion_to(z.f.rt, t1 * i / 300.0), IMP_OK);
                int st = closest_points_find(z.f.rt, 0, &c, false);
                assert_true(st == IMP_OK || st == IMP_SINGULAR);
                assert_true(c.gap > 0.0);
            }
        }
        print_message("power %.1f: %d touches, %.1f steps each\n", powers[p],
                      hits, steps / 20.0);
        fix_close(&z.f);
    }
}

/* A body that has just come to rest beside a wall, whose gap an impact has left
 * with a rate of rounding: no flight begins there. One that rises does come
 * back. */
static void
rises_by_rounding(void **state)
{
    (void)state;
    struct gap_tolerance tol = {
        .gap = 3e-12, .rate = 6e-45, .fall = 1e-42, .gap_rounding = 1e-16};
    double gap[MOTION_STEP_ORDER + 1] = {-7e-18, 2e-34, -3e-16}, s;
    assert_false(contact_root_returns(gap, 0.0, true, &tol, 2.0, &s));
    gap[1] = 1e-9;
    gap[2] = -5.0;
    assert_true(contact_root_returns(gap, 0.0, true, &tol, 2.0, &s));
    assert_float_equal(s, 2e-10, 1e-13);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crossing),
                                       cmocka_unit_test(grazing),
                                       cmocka_unit_test(c00),
                                       cmocka_unit_test(bullets_and_flights),
                                       cmocka_unit_test(many_rotations),
                                       cmocka_unit_test(disc_on_wall),
                                       cmocka_unit_test(printed_examples),
                                       cmocka_unit_test(bounces),
                                       cmocka_unit_test(moving_floor),
                                       cmocka_unit_test(rough_shapes),
                                       cmocka_unit_test(rises_by_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
