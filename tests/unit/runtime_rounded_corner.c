/* SPDX-License-Identifier: MIT */
/* Rounded corners against what they are made of: wedges whose sides are moved
 * inward by 1, and grown by discs of radius 1. Two such wedges touch where the
 * distance of the inner ones is 2; this is followed along random approaches by
 * small steps and bisection. */
#include "model.h"
#include "runtime/features/rounded_corner.h"

#define FAR 1e4 /* an end of the sides */

static uint64_t rng = 2024;

static double
between(double lo, double hi)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(rng >> 11) / 9007199254740992.0);
}

static double
dot2(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* A corner at 0: directions along its sides, outward normals, and the corner
 * of the wedge inside it, which is the centre of the circle. */
struct wedge {
    double along[2][2], normal[2][2], centre[2];
};

static struct wedge
wedge_of(double middle, double angle)
{
    struct wedge w;
    struct polytope_face face[2];
    uint32_t at[2] = {0, 2}, around[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? 1.0 : -1.0, a = middle + sign * angle / 2;
        w.along[i][0] = cos(a);
        w.along[i][1] = sin(a);
        w.normal[i][0] = cos(a + sign * acos(0.0));
        w.normal[i][1] = sin(a + sign * acos(0.0));
        face[i] = (struct polytope_face){
            .n = {w.normal[i][0], w.normal[i][1], 0.0}, .d = 0.0};
    }
    struct polytope p = {.dim = 2,
                         .n_vertex = 1,
                         .n_face = 2,
                         .face = face,
                         .at = at,
                         .around = around};
    rounded_corner_centre(&p, 0, w.centre);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(dot2(w.normal[i], w.centre) + 1.0) < 1e-9);
    return w;
}

static double
to_side(const double x[2], const double from[2], const double along[2],
        double foot[2])
{
    double d[2] = {x[0] - from[0], x[1] - from[1]};
    double t = fmin(fmax(dot2(d, along), 0.0), FAR);
    for (int i = 0; i < 2; i++)
        foot[i] = from[i] + t * along[i];
    return hypot(x[0] - foot[0], x[1] - foot[1]);
}

/* The distance of the inner wedges where the second one's corner is at d, and
 * the direction in which they are nearest. */
static double
apart(const struct wedge w[2], const double d[2], double normal[2])
{
    double corner[2][2], least = INFINITY;
    for (int i = 0; i < 2; i++) {
        corner[0][i] = w[0].centre[i];
        corner[1][i] = w[1].centre[i] + d[i];
    }
    for (int body = 0; body < 2; body++)
        for (int side = 0; side < 2; side++) {
            double foot[2], sign = body == 0 ? 1.0 : -1.0;
            double now = to_side(corner[1 - body], corner[body],
                                 w[body].along[side], foot);
            if (now >= least)
                continue;
            least = now;
            for (int i = 0; i < 2; i++)
                normal[i] = sign * (corner[1 - body][i] - foot[i]) / now;
        }
    return least;
}

/* Do both wedges lie on both sides of the line across n? */
static bool
separates(const struct wedge w[2], const double n[2])
{
    bool all = true;
    for (int side = 0; side < 2; side++)
        all = all && dot2(n, w[0].along[side]) < 1e-9 &&
              dot2(n, w[1].along[side]) > -1e-9;
    return all;
}

/* The normals at both ends; false: they are not two that differ clearly. */
static bool
ends(const struct wedge w[2], double most[2][2])
{
    int n = 0;
    for (int body = 0; body < 2; body++)
        for (int side = 0; side < 2; side++) {
            double sign = body == 0 ? 1.0 : -1.0;
            double x[2] = {sign * w[body].normal[side][0],
                           sign * w[body].normal[side][1]};
            if (separates(w, x) && n < 2)
                memcpy(most[n++], x, sizeof x);
        }
    return n == 2 && dot2(most[0], most[1]) < 0.99 &&
           dot2(most[0], most[1]) > -0.99;
}

/* Follows the approach. False: the rounded wedges do not meet. */
static bool
follow(const struct wedge w[2], const double u[2], double normal[2])
{
    double step = 0.02, s = -1.0;
    for (; s < 60.0; s += step) {
        double d[2] = {s * u[0], s * u[1]};
        if (apart(w, d, normal) < 2.0)
            break;
    }
    if (s >= 60.0)
        return false;
    double lo = s - step, hi = s;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (lo + hi), d[2] = {mid * u[0], mid * u[1]};
        if (apart(w, d, normal) < 2.0)
            hi = mid;
        else
            lo = mid;
    }
    double d[2] = {lo * u[0], lo * u[1]};
    apart(w, d, normal);
    return true;
}

static void
as_grown_wedges(void **state)
{
    (void)state;
    int met = 0, missed = 0, on_side = 0;
    for (int i = 0; i < 4000; i++) {
        struct wedge w[2] = {wedge_of(between(-3, 3), between(0.3, 2.8)),
                             wedge_of(between(-3, 3), between(0.3, 2.8))};
        double a = between(-3.2, 3.2), u[2] = {cos(a), sin(a)}, n[2], ref[2];
        struct rounded_corners in = {.path = {u[0], u[1]}};
        if (!ends(w, in.most))
            continue;
        double rate[2] = {dot2(in.most[0], u), dot2(in.most[1], u)};
        /* a path along a side meets it far away, or not at all */
        if (fmin(rate[0], rate[1]) > -0.1 || fabs(rate[0]) < 0.1 ||
            fabs(rate[1]) < 0.1)
            continue;
        for (int k = 0; k < 2; k++)
            in.from[k] = w[1].centre[k] - w[0].centre[k];
        bool meet = rounded_corners_meet(&in, n), real = follow(w, u, ref);
        if (real && fabs(dot2(ref, u)) < 0.02)
            continue; /* it grazes */
        assert_int_equal(meet, real);
        missed += !meet;
        met += meet;
        if (!meet)
            continue;
        on_side += fmax(dot2(n, in.most[0]), dot2(n, in.most[1])) > 1 - 1e-12;
        assert_true(hypot(n[0] - ref[0], n[1] - ref[1]) < 1e-6);
    }
    assert_true(met > 100 && missed > 10 && on_side > 10);
}

/* On one floor both centres are at one height, however the corners stand. */
static void
on_one_floor(void **state)
{
    (void)state;
    double up[2] = {0.0, 1.0};
    for (int i = 0; i < 200; i++) {
        double angle = between(0.3, 1.5), lift = between(0.0, 0.05);
        struct wedge w = wedge_of(acos(0.0) + lift, angle);
        rounded_corner_on_side(up, w.centre);
        assert_true(fabs(w.centre[1] - 1.0) < 1e-12);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_grown_wedges),
                                       cmocka_unit_test(on_one_floor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
