/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificate of `cone`, checked by itself: from the file only the
 * generators and what is said of their images are taken. Maps and cones of
 * flights are made here from the formulas of chatter.md 1.4 and 2.5 in
 * intervals that are rounded outwards, so that what passes is proven:
 *
 *  - the generators are the corners of a convex cone K in their order;
 *  - every extreme ray of K and C_j is one of K in C_j, one of an edge of K and
 *    a facet of C_j, or one of two facets in K; U_0 R^-j of each of these lies
 *    inside all facets of K, and below (u_3 p < 0).
 *
 * And that there is no cone: of the file the weights are taken. Beginning with
 * the flat drop after its first impact, which is made here too, sums with these
 * weights are velocities of flights, well inside of their facets, and so images
 * follow; the last one opens the gaps on the mean. In long double, from exact
 * sums: what the file says of the velocities themselves is compared only.
 *
 * Nothing of Imp is linked into this but the program that wrote the file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* -- intervals --------------------------------------------------------------
 */

struct iv {
    double lo, hi;
};
static struct iv
out(double lo, double hi)
{
    /* a rounded result is within half a unit of the last digit */
    return (struct iv){nextafter(lo, -INFINITY), nextafter(hi, INFINITY)};
}
static struct iv
point(double x)
{
    return (struct iv){x, x};
}
static struct iv
add(struct iv a, struct iv b)
{
    return out(a.lo + b.lo, a.hi + b.hi);
}
static struct iv
neg(struct iv a)
{
    return (struct iv){-a.hi, -a.lo};
}
static struct iv
sub(struct iv a, struct iv b)
{
    return add(a, neg(b));
}
static struct iv
mul(struct iv a, struct iv b)
{
    double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    return out(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}
/* b > 0 */
static struct iv
over(struct iv a, struct iv b)
{
    assert_true(b.lo > 0.0);
    return mul(a, out(1.0 / b.hi, 1.0 / b.lo));
}
/* a decimal number of the model */
static struct iv
decimal(double x)
{
    return out(x, x);
}
/* of a long double that is right to a few of its units */
static struct iv
wide(long double x)
{
    long double e = 4.0L * 1.1e-19L;
    return out((double)(x - e), (double)(x + e));
}

typedef struct iv vec[3];

static struct iv
dot(const struct iv *a, const struct iv *b)
{
    return add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]));
}
static void
cross(const struct iv *a, const struct iv *b, struct iv *c)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = sub(mul(a[j], b[k]), mul(a[k], b[j]));
    }
}
static void times(struct iv (*A)[3], const struct iv *x, struct iv *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = dot(A[i], x);
}

/* -- the body: n feet, coordinates (phix, phiy, h) --------------------------
 */

static const long double pi = 3.14159265358979323846264338327950288L;

#define MOST 600
#define IMAGES 50000
struct body {
    int n;
    double rho, e;
    vec map[8][3];   /* U_0 R^-j */
    vec facet[8][4]; /* of C_j; the last one u_3 p <= 0 */
    int n_k, n_image, n_origin;
    int rays, out; /* extreme rays, and those whose image is not shown to be in
                      K */
    double k[MOST][3];    /* generators, from the file */
    vec g[MOST], h[MOST]; /* the same; facets between k and k + 1 */
    /* images of the file */
    struct {
        int j, part[3];
        double of[3], x[3], weight[3];
    } im[IMAGES];
};

/* the ray of the feasible set where feet k and k + 1 touch, u_3 m = 1 */
static void
corner(int n, int k, struct iv *m)
{
    long double b = 2.0L * pi * (k + 0.5L) / n, c = cosl(pi / n);
    m[0] = wide(-sinl(b) / c);
    m[1] = wide(cosl(b) / c);
    m[2] = point(1.0);
}

static void
build(struct body *o)
{
    int n = o->n;
    struct iv q = mul(decimal(o->rho), decimal(o->rho));
    /* f_0 = (0, -1, 1), Theta = diag(rho^2, rho^2, 1): Theta^-1 f_0 over
     * f_0.Theta^-1 f_0 = 1/rho^2 + 1 */
    struct iv one = point(1.0), d = add(one, q);
    vec f = {point(0.0), point(-1.0), one};
    vec s = {point(0.0), neg(over(one, d)), over(q, d)};
    struct iv U[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            U[i][k] = sub(point(i == k),
                          mul(mul(add(one, decimal(o->e)), s[i]), f[k]));
    vec last, first, before, after;
    corner(n, n - 1, last);
    corner(n, 0, first);
    for (int j = 1; j < n; j++) {
        long double b = -2.0L * pi * j / n;
        struct iv co = wide(cosl(b)), si = wide(sinl(b)), zero = point(0.0);
        struct iv R[3][3] = {
            {co, neg(si), zero}, {si, co, zero}, {zero, zero, one}};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                vec c = {R[0][k], R[1][k], R[2][k]};
                o->map[j][i][k] = dot(U[i], c);
            }
        /* (3.34) .. (3.37) */
        corner(n, j - 1, before);
        corner(n, j, after);
        cross(last, first, o->facet[j][0]);
        cross(after, first, o->facet[j][1]);
        cross(last, before, o->facet[j][2]);
        vec down = {zero, zero, point(-1.0)};
        memcpy(o->facet[j][3], down, sizeof down);
    }
}

/* -- what is to be shown ----------------------------------------------------
 */

static void
corners_of_a_cone(struct body *o)
{
    int n = o->n_k;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            o->g[i][c] = point(o->k[i][c]);
    vec t;
    cross(o->g[0], o->g[1], t);
    bool turn = dot(t, o->g[2]).hi < 0.0;
    for (int i = 0; i < n; i++) {
        struct iv *a = o->g[i], *b = o->g[(i + 1) % n];
        cross(turn ? b : a, turn ? a : b, o->h[i]);
        assert_true(a[2].hi < 0.0);
        for (int k = 0; k < n; k++)
            if (k != i && k != (i + 1) % n)
                assert_true(dot(o->h[i], o->g[k]).lo > 0.0);
    }
}

static void
image_inside(struct body *o, int j, const struct iv *ray)
{
    vec y;
    bool in = true;
    times(o->map[j], ray, y);
    in = y[2].hi < 0.0;
    for (int i = 0; i < o->n_k; i++)
        in = in && dot(o->h[i], y).lo > 0.0;
    o->rays++;
    o->out += !in;
}

/* is it possible that ray is in C_j, facets `but` and `and` left out? */
static bool
may_be(struct body *o, int j, const struct iv *ray, int but, int and)
{
    for (int c = 0; c < 4; c++)
        if (c != but && c != and&&dot(o->facet[j][c], ray).hi < 0.0)
            return false;
    return true;
}

/* where the edge from a to b meets facet c, if it may */
static void
edge_facet(struct body *o, int j, int c, const struct iv *a, const struct iv *b)
{
    struct iv s = dot(o->facet[j][c], a), t = neg(dot(o->facet[j][c], b));
    vec ray;
    if (s.hi < 0.0 || t.hi < 0.0)
        return;
    /* both on it: the ends were looked at */
    if (s.lo <= 0.0 && t.lo <= 0.0)
        return;
    s.lo = fmax(s.lo, 0.0);
    t.lo = fmax(t.lo, 0.0);
    for (int i = 0; i < 3; i++)
        ray[i] = add(mul(s, b[i]), mul(t, a[i]));
    if (may_be(o, j, ray, c, -1))
        image_inside(o, j, ray);
}

static void
facet_facet(struct body *o, int j, int c, int d)
{
    vec ray;
    cross(o->facet[j][c], o->facet[j][d], ray);
    if (ray[2].lo > 0.0)
        for (int i = 0; i < 3; i++)
            ray[i] = neg(ray[i]);
    if (ray[2].lo <= 0.0 && ray[2].hi >= 0.0)
        return; /* parallel, or level: K has no such rays */
    for (int i = 0; i < o->n_k; i++)
        if (dot(o->h[i], ray).hi < 0.0)
            return;
    if (may_be(o, j, ray, c, d))
        image_inside(o, j, ray);
}

static void
extreme_rays(struct body *o)
{
    o->rays = o->out = 0;
    for (int j = 1; j < o->n; j++) {
        for (int i = 0; i < o->n_k; i++) {
            struct iv *a = o->g[i], *b = o->g[(i + 1) % o->n_k];
            if (may_be(o, j, a, -1, -1))
                image_inside(o, j, a);
            for (int c = 0; c < 3; c++) {
                edge_facet(o, j, c, a, b);
                edge_facet(o, j, c, b, a);
            }
        }
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < c; d++)
                facet_facet(o, j, c, d);
    }
}

/* images and weights of the file, to rounding */
static void
as_told(struct body *o)
{
    assert_true(o->n_image > 0);
    for (int t = 0; t < o->n_image; t++) {
        int j = o->im[t].j;
        for (int c = 0; c < 4; c++) {
            double v = 0.0;
            for (int i = 0; i < 3; i++)
                v += o->facet[j][c][i].lo * o->im[t].of[i];
            assert_true(v > -1e-11);
        }
        for (int i = 0; i < 3; i++) {
            double y = 0.0, s = 0.0;
            for (int k = 0; k < 3; k++) {
                y += o->map[j][i][k].lo * o->im[t].of[k];
                assert_true(o->im[t].weight[k] >= 0.0);
                s += o->im[t].weight[k] * o->k[o->im[t].part[k]][i];
            }
            assert_true(fabs(y - o->im[t].x[i]) < 1e-12);
            assert_true(fabs(s - o->im[t].x[i]) < 1e-12);
        }
    }
}

/* -- the file ---------------------------------------------------------------
 */

static char dir[64];

static int
setup(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/imp-cone-XXXXXX");
    return !mkdtemp(dir);
}
static int
teardown(void **state)
{
    char cmd[128];
    (void)state;
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
    return system(cmd);
}

static int
split(char *line, char **cell, int most)
{
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *s = line; n < most; s++) {
        cell[n++] = s;
        s += strcspn(s, ",");
        if (!*s)
            break;
        *s = 0;
    }
    return n;
}

static void
read_file(struct body *o)
{
    char path[128], line[1024], *cell[16];
    double clipped[3] = {0};
    snprintf(path, sizeof path, "%s/cone.csv", dir);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    o->n_k = o->n_image = o->n_origin = 0;
    double sum[6] = {0};
    assert_non_null(fgets(line, sizeof line, f));
    assert_true(!strncmp(line, "part,contact,", 13));
    while (fgets(line, sizeof line, f)) {
        assert_int_equal(split(line, cell, 16), 12);
        double v[3];
        for (int c = 0; c < 3; c++)
            v[c] = strtod(cell[2 + c], NULL);
        const char *foot = strchr(cell[1], '[');
        assert_non_null(foot);
        if (!strcmp(cell[0], "generator")) {
            assert_int_equal(atoi(foot + 1), 0);
            assert_true(o->n_k < MOST);
            memcpy(o->k[o->n_k++], v, sizeof v);
        } else if (!strcmp(cell[0], "clipped")) {
            memcpy(clipped, v, sizeof v);
            for (int c = 0; c < 6; c++)
                sum[c] = strtod(cell[5 + c], NULL);
        } else if (!strcmp(cell[0], "origin")) {
            o->n_origin++;
        } else if (!strcmp(cell[0], "image")) {
            int t = o->n_image++;
            assert_true(t < IMAGES);
            o->im[t].j = atoi(foot + 1);
            memcpy(o->im[t].of, clipped, sizeof v);
            memcpy(o->im[t].x, v, sizeof v);
            for (int c = 0; c < 3; c++) {
                bool of_image = *cell[5];
                o->im[t].part[c] = of_image ? atoi(cell[5 + c]) : (int)sum[c];
                o->im[t].weight[c] =
                    of_image ? strtod(cell[8 + c], NULL) : sum[3 + c];
            }
        }
    }
    fclose(f);
}

static void
ask(struct body *o, int n, double rho, double e, const char *options,
    const char *verdict)
{
    char path[128], cmd[512];
    snprintf(path, sizeof path, "%s/cone.imp", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "use chatter\nsystem one : feet(%d, %.17g, %.17g)\n"
            "let r = cone one { save = \"cone.csv\" %s }\n"
            "expect r.verdict == \"%s\"\n",
            n, rho, e, options, verdict);
    fclose(f);
    snprintf(cmd, sizeof cmd,
             "'%s/imp' run --backend=eval --out '%s' '%s' > '%s/log' 2>&1",
             IMP_BINARY_DIR, dir, path, dir);
    assert_int_equal(system(cmd), 0);
    o->n = n;
    o->rho = rho;
    o->e = e;
    build(o);
    read_file(o);
}

static void
prove(int n, double rho, double e, const char *options)
{
    static struct body o;
    ask(&o, n, rho, e, options, "yes");
    corners_of_a_cone(&o);
    extreme_rays(&o);
    assert_true(o.rays >= 2 * n - 2);
    assert_int_equal(o.out, 0);
    as_told(&o);
    /* a cone that is a little smaller is none */
    double c[3] = {0};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < o.n_k; k++)
            c[i] += o.k[k][i] / o.n_k;
        for (int k = 0; k < o.n_k; k++)
            o.k[k][i] = c[i] + 0.98 * (o.k[k][i] - c[i]);
    }
    corners_of_a_cone(&o);
    extreme_rays(&o);
    assert_true(o.out > 0);
}

static void
proven(void **state)
{
    (void)state;
    prove(3, 0.3, 0.1, "");
    prove(4, 0.3, 0.05, "");
    prove(5, 0.2, 0.05, "");
    /* round edges, a loose tolerance, a thin cone, near the critical
     * restitution (0.136488, 0.006505, 0.138163), where neighbours are hit in
     * turn (three feet, 0.05) */
    prove(3, 0.3, 0.05, "tolerance = 1e-3");
    prove(3, 0.02, 0.5, "tolerance = 1e-2");
    prove(4, 0.3, 0.001, "");
    prove(3, 0.3, 1e-5, "");
    prove(4, 0.3, 0.1363, "");
    prove(6, 0.2, 0.1375, "");
    prove(7, 0.2, 0.05, "");
    prove(8, 0.2, 0.006, "");
}

/* Does the chain hold, for the maps and flights of o? compare: are its
 * velocities those of the file? */
static bool
follows(const struct body *o, bool compare)
{
    static long double p[IMAGES + 1][3];
    long double q = (long double)o->rho * o->rho, f = (1 + o->e) * q / (1 + q);
    bool holds = o->n_image > 0 && o->n_origin == 1;
    /* -U_0 u_3 */
    p[0][0] = 0.0L;
    p[0][1] = -(1 + o->e) / (1 + q);
    p[0][2] = f - 1;
    for (int i = 0; i < 3; i++)
        p[0][i] /= 1 - f; /* as in the file: mean -1 */
    for (int t = 0; t < o->n_image && holds; t++) {
        int j = o->im[t].j;
        long double z[3] = {0}, size = 0.0L, *y = p[t + 1];
        for (int c = 0; c < 3; c++) {
            holds &= o->im[t].weight[c] >= 0.0 && o->im[t].part[c] <= t;
            for (int i = 0; i < 3 && holds; i++)
                z[i] +=
                    (long double)o->im[t].weight[c] * p[o->im[t].part[c]][i];
        }
        for (int i = 0; i < 3; i++) {
            size += fabsl(z[i]);
            y[i] = 0.0L;
            for (int k = 0; k < 3; k++)
                y[i] += (long double)o->map[j][i][k].lo * z[k];
        }
        /* far above the rounding of facets and maps */
        for (int c = 0; c < 4; c++) {
            long double v = 0.0L;
            for (int i = 0; i < 3; i++)
                v += (long double)o->facet[j][c][i].lo * z[i];
            holds &= v > 1e-11L * size;
        }
        for (int i = 0; i < 3 && compare; i++) {
            assert_true(fabsl(z[i] - o->im[t].of[i]) < 1e-9L * size);
            assert_true(fabsl(y[i] - o->im[t].x[i]) < 1e-9L * size);
        }
        if (t == o->n_image - 1)
            holds &= y[2] > 1e-11L * size;
    }
    return holds;
}

static void
refute(int n, double rho, double e, double less)
{
    static struct body o;
    ask(&o, n, rho, e, "", "no");
    assert_int_equal(o.n_k, 0);
    assert_true(follows(&o, true));
    /* where there is a cone the same chain must break */
    o.e = less;
    build(&o);
    assert_false(follows(&o, false));
}

static void
refuted(void **state)
{
    (void)state;
    refute(3, 0.3, 0.25, 0.15);
    refute(3, 0.3, 0.2060, 0.2);
    refute(4, 0.3, 0.2, 0.1);
    refute(4, 0.3, 0.13655, 0.136);
    refute(4, 0.5, 0.02, 1e-9);
    refute(5, 0.2, 0.3, 0.2);
    refute(6, 0.2, 0.14, 0.13);
    refute(7, 0.2, 0.08, 0.06);
    refute(8, 0.2, 0.007, 0.006);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(proven),
                                       cmocka_unit_test(refuted)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
