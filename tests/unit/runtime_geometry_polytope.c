/* SPDX-License-Identifier: MIT */
/* Polytopes from corners and from half-spaces: hulls against brute force,
 * Euler's formula, both ways round, exact moments. */
#include <float.h>
#include <time.h>

#include "model.h"
#include "runtime/features/edge_meeting.h"
#include "runtime/geometry/polytope_hull.h"

typedef double point[3];

static uint64_t rng = 12345;

static double
between(double lo, double hi)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(rng >> 11) / 9007199254740992.0);
}

static int
cases(void)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e ? atoi(e) : 10000;
}

static double
dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* -- what every polytope must satisfy ------------------------------------- */

/* all corners in the half-spaces of all faces, those of a face in its plane,
 * loops turn left around outward normals, edges join their faces, rings around
 * corners go from one face to its neighbour */
static void
sound(const struct polytope *p, double size)
{
    double tol = 1e-11 * size;
    uint32_t corners = 0;
    for (uint32_t f = 0; f < p->n_face; f++) {
        const struct polytope_face *q = p->face + f;
        assert_true(fabs(dot3(q->n, q->n) - 1) < 1e-14);
        for (uint32_t v = 0; v < p->n_vertex; v++)
            assert_true(dot3(q->n, p->vertex[v]) <= q->d + tol);
        for (uint32_t i = 0; i < q->count; i++) {
            const double *v = p->vertex[p->loop[q->first + i]];
            assert_true(fabs(dot3(q->n, v) - q->d) <= tol);
        }
        corners += q->count;
        if (p->dim == 2) {
            const double *a = p->vertex[p->loop[q->first]];
            const double *b = p->vertex[p->loop[q->first + 1]];
            assert_true((b[0] - a[0]) * q->n[1] - (b[1] - a[1]) * q->n[0] < 0);
            continue;
        }
        double turn[3] = {0, 0, 0};
        for (uint32_t i = 0; i < q->count; i++) {
            const double *o = p->vertex[p->loop[q->first]];
            const double *a = p->vertex[p->loop[q->first + i]];
            const double *b = p->vertex[p->loop[q->first + (i + 1) % q->count]];
            for (int k = 0; k < 3; k++) {
                int m = (k + 1) % 3, n = (k + 2) % 3;
                turn[k] += (a[m] - o[m]) * (b[n] - o[n]) -
                           (a[n] - o[n]) * (b[m] - o[m]);
            }
        }
        assert_true(dot3(turn, q->n) > 0);
    }
    assert_int_equal(p->at[p->n_vertex], corners);
    if (p->dim == 2) {
        assert_int_equal(p->n_vertex, p->n_face);
        return;
    }
    assert_int_equal(p->n_edge * 2, corners);
    assert_int_equal(p->n_vertex + p->n_face, p->n_edge + 2);
    for (uint32_t i = 0; i < p->n_edge; i++) {
        const struct polytope_edge *e = p->edge + i;
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 2; j++) {
                const struct polytope_face *q = p->face + e->face[j];
                bool on = false;
                for (uint32_t n = 0; n < q->count; n++)
                    on |= p->loop[q->first + n] == e->v[k];
                assert_true(on);
            }
    }
    for (uint32_t v = 0; v < p->n_vertex; v++)
        for (uint32_t i = p->at[v]; i < p->at[v + 1]; i++) {
            uint32_t next = i + 1 < p->at[v + 1] ? i + 1 : p->at[v];
            uint32_t f = p->around[i], g = p->around[next];
            bool joined = false;
            for (uint32_t n = 0; n < p->n_edge; n++) {
                const struct polytope_edge *e = p->edge + n;
                joined |= (e->v[0] == v || e->v[1] == v) &&
                          ((e->face[0] == f && e->face[1] == g) ||
                           (e->face[0] == g && e->face[1] == f));
            }
            assert_true(joined);
        }
}

/* -- hulls ---------------------------------------------------------------- */

/* is p[i] a corner of the hull, by brute force: in the plane, of all lines
 * through it and another point some have all on one side; in space planes
 * through it and two others */
static bool
brute_corner(int dim, point *p, uint32_t n, uint32_t i)
{
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = 0; k < (dim == 2 ? 1 : n); k++) {
            if (j == i || (dim == 3 && (k == i || k <= j)))
                continue;
            double m[3], u[3], v[3];
            for (int a = 0; a < 3; a++) {
                u[a] = p[j][a] - p[i][a];
                v[a] = dim == 3 ? p[k][a] - p[i][a] : (a == 2 ? 1.0 : 0.0);
            }
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                m[a] = u[b] * v[c] - u[c] * v[b];
            }
            int above = 0, below = 0;
            for (uint32_t s = 0; s < n; s++) {
                double w[3] = {p[s][0] - p[i][0], p[s][1] - p[i][1],
                               p[s][2] - p[i][2]};
                if (s == i || s == j || (dim == 3 && s == k))
                    continue;
                above += dot3(m, w) > 0;
                below += dot3(m, w) < 0;
            }
            if (above == 0 || below == 0)
                return true;
        }
    return false;
}

static void
hull_by_force(void **unused)
{
    (void)unused;
    int n_case = cases();
    for (int c = 0; c < n_case; c++) {
        struct arena *a = arena_new();
        int dim = 2 + c % 2;
        uint32_t n = (uint32_t)between(dim + 1, 12);
        point p[16] = {{0}};
        for (uint32_t i = 0; i < n; i++)
            for (int k = 0; k < dim; k++)
                p[i][k] = between(-1, 1);
        struct hull h;
        assert_int_equal(hull_find(a, dim, (const point *)p, n, &h), HULL_OK);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(h.corner[i], brute_corner(dim, p, n, i));
        /* its corners alone make a polytope */
        point q[16] = {{0}};
        uint32_t m = 0, bad[2];
        for (uint32_t i = 0; i < n; i++)
            if (h.corner[i])
                memcpy(q[m++], p[i], sizeof *p);
        struct polytope t;
        assert_int_equal(polytope_points(a, dim, (const point *)q, m, &t, bad),
                         HULL_OK);
        sound(&t, 1);
        arena_free(a);
    }
}

/* a random turn and shift of n points */
static void
move(point *p, uint32_t n, int dim)
{
    double q[4], l = 0, s[3];
    for (int k = 0; k < 4; k++) {
        q[k] = dim == 2 && (k == 1 || k == 2) ? 0 : between(-1, 1);
        l += q[k] * q[k];
    }
    for (int k = 0; k < 3; k++)
        s[k] = k < dim ? between(-1, 1) : 0;
    double w = q[0], x = q[1], y = q[2], z = q[3], f = 2 / l;
    double R[3][3] = {
        {1 - f * (y * y + z * z), f * (x * y - w * z), f * (x * z + w * y)},
        {f * (x * y + w * z), 1 - f * (x * x + z * z), f * (y * z - w * x)},
        {f * (x * z - w * y), f * (y * z + w * x), 1 - f * (x * x + y * y)}};
    for (uint32_t i = 0; i < n; i++) {
        double r[3];
        for (int k = 0; k < 3; k++)
            r[k] = dot3(R[k], p[i]) + s[k];
        memcpy(p[i], r, sizeof r);
    }
}

/* turned boxes, prisms, bipyramids, truncated cubes: faces with many corners,
 * corners with many faces */
static void
regular(void **unused)
{
    (void)unused;
    int n_case = cases() / 10;
    for (int c = 0; c < n_case; c++) {
        struct arena *a = arena_new();
        point p[256] = {{0}};
        uint32_t n = 0, faces = 0, bad[2];
        uint32_t m = 3 + (uint32_t)between(0, 40);
        double h = pow(10, between(-2, 2));
        switch (c % 4) {
        case 0: /* box */
            for (uint32_t i = 0; i < 8; i++, n++)
                for (int k = 0; k < 3; k++)
                    p[n][k] = (i >> k & 1 ? 1 : -1) * (k ? 1 + k : h);
            faces = 6;
            break;
        case 1: /* prism */
            for (uint32_t i = 0; i < 2 * m; i++, n++) {
                p[n][0] = cos(2 * M_PI * (i / 2) / m);
                p[n][1] = sin(2 * M_PI * (i / 2) / m);
                p[n][2] = i % 2 ? h : -h;
            }
            faces = m + 2;
            break;
        case 2: /* bipyramid */
            for (uint32_t i = 0; i < m; i++, n++) {
                p[n][0] = cos(2 * M_PI * i / m);
                p[n][1] = sin(2 * M_PI * i / m);
            }
            p[n++][2] = h;
            p[n++][2] = -h;
            faces = 2 * m;
            /* square ones are what they are; no two faces in one plane */
            break;
        default: /* truncated cube */
            for (int k = 0; k < 3; k++)
                for (int s = 0; s < 8; s++, n++) {
                    p[n][k] = (s & 1 ? 1 : -1) * 0.41;
                    p[n][(k + 1) % 3] = s & 2 ? 1 : -1;
                    p[n][(k + 2) % 3] = s & 4 ? 1 : -1;
                }
            faces = 14;
            break;
        }
        move(p, n, 3);
        struct polytope t;
        int f = (int)polytope_points(a, 3, (const point *)p, n, &t, bad);
        if (f)
            print_error("case %d kind %d m %u h %g: fault %d (%u)\n", c, c % 4,
                        m, h, f, bad[0]);
        assert_int_equal(f, HULL_OK);
        assert_int_equal(t.n_vertex, n);
        assert_int_equal(t.n_face, faces);
        sound(&t, 1 + h);
        arena_free(a);
    }
}

/* a thousand corners on a sphere */
static void
many(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    static point p[1000];
    uint32_t bad[2];
    for (int i = 0; i < 1000; i++) {
        double l = 0;
        do {
            for (int k = 0; k < 3; k++)
                p[i][k] = between(-1, 1);
            l = sqrt(dot3(p[i], p[i]));
        } while (l > 1 || l < 0.1);
        for (int k = 0; k < 3; k++)
            p[i][k] /= l;
    }
    struct polytope t;
    clock_t t0 = clock();
    assert_int_equal(polytope_points(a, 3, (const point *)p, 1000, &t, bad),
                     HULL_OK);
    double s = (double)(clock() - t0) / CLOCKS_PER_SEC;
    assert_int_equal(t.n_face, 1996);
    assert_int_equal(t.n_edge, 2994);
    print_message("1000 corners: %.3f s\n", s);
    assert_true(s < 5);
    arena_free(a);
}

/* -- half-spaces ---------------------------------------------------------- */

/* corners are told well by the planes that meet there: no two planes nearly
 * parallel, no corners close together */
static bool
well_made(const struct polytope *p)
{
    for (uint32_t i = 0; i < p->n_face; i++)
        for (uint32_t j = 0; j < i; j++)
            if (dot3(p->face[i].n, p->face[j].n) > 1 - 1e-4)
                return false;
    for (uint32_t i = 0; i < p->n_vertex; i++)
        for (uint32_t j = 0; j < i; j++) {
            double d = 0;
            for (int k = 0; k < 3; k++)
                d += fabs(p->vertex[i][k] - p->vertex[j][k]);
            if (d < 0.01)
                return false;
        }
    return true;
}

/* corners -> half-spaces of the faces -> the same corners; without the faces
 * that look one way they do not close */
/* without the half-spaces that face a random direction the rest is unbounded */
static void
left_open(struct arena *a, int dim, double (*s)[4], uint32_t n)
{
    double u[3] = {between(-1, 1), between(-1, 1),
                   dim == 3 ? between(-1, 1) : 0};
    struct polytope back;
    uint32_t left = 0, bad[2];
    for (uint32_t i = 0; i < n; i++)
        if (dot3(s[i], u) <= 0)
            memmove(s[left++], s[i], sizeof *s);
    if (left > 1)
        assert_int_equal(
            polytope_planes(a, dim, (const double(*)[4])s, left, &back, bad),
            HULL_UNBOUNDED);
}

static void
round_trip(void **unused)
{
    (void)unused;
    int n_case = cases(), made = 0;
    for (int c = 0; c < n_case; c++) {
        struct arena *a = arena_new();
        int dim = 2 + c % 2;
        uint32_t n = (uint32_t)between(dim + 1, 14), m = 0, bad[2];
        point p[16] = {{0}}, q[16] = {{0}};
        double mid[3] = {0, 0, 0}, stretch = pow(10, between(-1, 0));
        for (uint32_t i = 0; i < n; i++)
            for (int k = 0; k < dim; k++)
                p[i][k] = between(-1, 1) * (k ? 1 : stretch);
        struct hull h;
        assert_int_equal(hull_find(a, dim, (const point *)p, n, &h), HULL_OK);
        for (uint32_t i = 0; i < n; i++)
            if (h.corner[i])
                memcpy(q[m++], p[i], sizeof *p);
        for (uint32_t i = 0; i < m; i++)
            for (int k = 0; k < 3; k++)
                mid[k] += q[i][k] / m;
        for (uint32_t i = 0; i < m; i++)
            for (int k = 0; k < 3; k++)
                q[i][k] -= mid[k];
        struct polytope t, back;
        assert_int_equal(polytope_points(a, dim, (const point *)q, m, &t, bad),
                         HULL_OK);
        if (!well_made(&t)) {
            arena_free(a);
            continue;
        }
        made++;
        /* normals of any length, and a few half-spaces that bound nothing */
        double(*s)[4] = arena_alloc(a, (t.n_face + 5) * sizeof *s);
        uint32_t k = 0;
        for (uint32_t i = 0; i < t.n_face; i++, k++) {
            double f = pow(10, between(-3, 3));
            for (int j = 0; j < 3; j++)
                s[k][j] = f * t.face[i].n[j];
            s[k][3] = f * t.face[i].d;
        }
        for (int i = 0; i < 4; i++, k++) {
            double far = 0;
            for (int j = 0; j < dim; j++)
                s[k][j] = between(-1, 1);
            for (uint32_t v = 0; v < m; v++)
                far = fmax(far, dot3(s[k], q[v]));
            s[k][3] = far * between(1.01, 3);
        }
        memcpy(s[k++], s[0], sizeof *s); /* one of them twice */
        int f =
            (int)polytope_planes(a, dim, (const double(*)[4])s, k, &back, bad);
        assert_int_equal(f, HULL_OK);
        assert_int_equal(back.n_vertex, m);
        assert_int_equal(back.n_face, t.n_face);
        sound(&back, 100); /* corners of flat angles magnify rounding */
        for (uint32_t i = 0; i < m; i++) {
            double near = INFINITY;
            for (uint32_t j = 0; j < m; j++) {
                double d = 0;
                for (int l = 0; l < 3; l++)
                    d += fabs(back.vertex[j][l] - q[i][l]);
                near = fmin(near, d);
            }
            assert_true(near < 1e-10);
        }
        left_open(a, dim, s, k);
        arena_free(a);
    }
    assert_true(made > n_case / 2);
}

static void
open_and_empty(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    struct polytope t;
    uint32_t bad[2];
    static const double one[1][4] = {{0, 0, 2, 3}};
    assert_int_equal(polytope_planes(a, 3, one, 1, &t, bad), HULL_OK);
    assert_int_equal(t.n_face, 1);
    assert_int_equal(t.n_vertex, 0);
    assert_true(t.face[0].n[2] == 1 && t.face[0].d == 1.5);
    static const double slab[2][4] = {{0, 1, 0, 1}, {0, -1, 0, 1}};
    assert_int_equal(polytope_planes(a, 2, slab, 2, &t, bad), HULL_UNBOUNDED);
    static const double wedge[3][4] = {
        {1, 1, 0, 1}, {-1, 1, 0, 1}, {0, 1, 0, 1}};
    assert_int_equal(polytope_planes(a, 2, wedge, 3, &t, bad), HULL_UNBOUNDED);
    static const double outside[4][4] = {
        {1, 0, 0, -1}, {-1, 0, 0, 2}, {0, 1, 0, 1}, {0, -1, 0, 1}};
    assert_int_equal(polytope_planes(a, 2, outside, 4, &t, bad), HULL_EMPTY);
    assert_int_equal(bad[0], 0);
    static const double sign[5][4] = {{1, 0, 0, 1},
                                      {-1, 0, 0, 2},
                                      {0, 1, 0, 1},
                                      {0, -1, 0, 1},
                                      {0, 0, 0, -2}};
    assert_int_equal(polytope_planes(a, 2, sign, 5, &t, bad), HULL_EMPTY);
    assert_int_equal(bad[0], 4);
    assert_int_equal(polytope_planes(a, 2, sign, 4, &t, bad), HULL_OK);
    arena_free(a);
}

/* -- what is no polytope -------------------------------------------------- */

static void
faults(void **unused)
{
    (void)unused;
    int n_case = cases() / 10;
    for (int c = 0; c < n_case; c++) {
        struct arena *a = arena_new();
        int dim = 2 + c % 2;
        uint32_t n = (uint32_t)dim + 3, bad[2];
        point p[8] = {{0}};
        struct polytope t;
        /* on one line or in one plane, turned and shifted */
        for (uint32_t i = 0; i < n; i++)
            for (int k = 0; k + 1 < dim; k++)
                p[i][k] = between(-1, 1);
        move(p, n, dim);
        assert_int_equal(polytope_points(a, dim, (const point *)p, n, &t, bad),
                         HULL_FLAT);
        /* a simplex and a point in it, on its face, or one of its corners */
        memset(p, 0, sizeof p);
        for (int k = 0; k < dim; k++)
            p[k + 1][k] = 1;
        uint32_t last = (uint32_t)dim + 1;
        for (int k = 0; k < dim; k++)
            p[last][k] = c % 3 == 0 ? 0.2 : c % 3 == 1 ? 1.0 / dim : k == 0;
        move(p, last + 1, dim);
        int f =
            (int)polytope_points(a, dim, (const point *)p, last + 1, &t, bad);
        assert_int_equal(f, c % 3 == 2 ? HULL_SAME : HULL_NO_CORNER);
        assert_int_equal(bad[c % 3 == 2 ? 1 : 0], last);
        arena_free(a);
    }
}

/* -- moments -------------------------------------------------------------- */

/* volume and first two moments of the cones from any apex over all faces */
static void
from_apex(const struct polytope *p, const double apex[3], double *V,
          double m[3], double s[6])
{
    static const int I[6] = {0, 1, 2, 0, 0, 1}, K[6] = {0, 1, 2, 1, 2, 2};
    *V = 0;
    memset(m, 0, 3 * sizeof *m);
    memset(s, 0, 6 * sizeof *s);
    for (uint32_t f = 0; f < p->n_face; f++)
        for (uint32_t i = 1; i + 1 < p->face[f].count; i++) {
            const uint32_t *l = p->loop + p->face[f].first;
            double v[4][3], sum[3] = {0, 0, 0}, b[3][3];
            memcpy(v[0], apex, sizeof v[0]);
            memcpy(v[1], p->vertex[l[0]], sizeof v[0]);
            memcpy(v[2], p->vertex[l[i]], sizeof v[0]);
            memcpy(v[3], p->vertex[l[i + 1]], sizeof v[0]);
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    b[j][k] = v[j + 1][k] - v[0][k];
            double det = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) -
                         b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                         b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
            *V += det / 6;
            for (int k = 0; k < 3; k++) {
                for (int j = 0; j < 4; j++)
                    sum[k] += v[j][k];
                m[k] += det / 24 * sum[k];
            }
            for (int n = 0; n < 6; n++) {
                double x = sum[I[n]] * sum[K[n]];
                for (int j = 0; j < 4; j++)
                    x += v[j][I[n]] * v[j][K[n]];
                s[n] += det / 120 * x;
            }
        }
}

static void
moments_agree(void **unused)
{
    (void)unused;
    int n_case = cases() / 2;
    for (int c = 0; c < n_case; c++) {
        struct arena *a = arena_new();
        uint32_t n = (uint32_t)between(6, 14), m = 0, bad[2];
        point p[16] = {{0}}, q[16] = {{0}};
        for (uint32_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                p[i][k] = between(-1, 1);
        struct hull h;
        assert_int_equal(hull_find(a, 3, (const point *)p, n, &h), HULL_OK);
        for (uint32_t i = 0; i < n; i++)
            if (h.corner[i])
                memcpy(q[m++], p[i], sizeof *p);
        struct polytope t;
        polytope_points(a, 3, (const point *)q, m, &t, bad);
        double V, C[3], J[6], W, first[3], s[6];
        double apex[3] = {between(-2, 2), between(-2, 2), between(-2, 2)};
        polytope_moments(&t, &V, C, J);
        from_apex(&t, apex, &W, first, s);
        assert_true(fabs(V - W) < 1e-13);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(C[k] * V - first[k]) < 1e-13);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double x = s[j] + s[k] - V * (C[j] * C[j] + C[k] * C[k]);
            assert_true(fabs(J[i] - x) < 1e-13);
        }
        assert_true(fabs(J[3] + s[3] - V * C[0] * C[1]) < 1e-13);
        assert_true(fabs(J[4] + s[4] - V * C[0] * C[2]) < 1e-13);
        assert_true(fabs(J[5] + s[5] - V * C[1] * C[2]) < 1e-13);
        arena_free(a);
    }
}

/* boxes and triangles turned and shifted: closed forms, invariants */
static void
moments_closed(void **unused)
{
    (void)unused;
    int n_case = cases() / 10;
    for (int c = 0; c < n_case; c++) {
        struct arena *a = arena_new();
        point p[8] = {{0}};
        double w[3] = {between(0.1, 2), between(0.1, 2), between(0.1, 2)};
        double V, C[3], J[6], mean[3] = {0, 0, 0};
        uint32_t bad[2];
        struct polytope t;
        for (uint32_t i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                p[i][k] = (i >> k & 1 ? 0.5 : -0.5) * w[k];
        move(p, 8, 3);
        for (uint32_t i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                mean[k] += p[i][k] / 8;
        assert_int_equal(polytope_points(a, 3, (const point *)p, 8, &t, bad),
                         HULL_OK);
        polytope_moments(&t, &V, C, J);
        double v = w[0] * w[1] * w[2], x[3], tr = 0, tr2 = 0;
        assert_true(fabs(V - v) < 1e-14 * (1 + v));
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(C[k] - mean[k]) < 1e-13);
            x[k] = v / 12 *
                   (w[(k + 1) % 3] * w[(k + 1) % 3] +
                    w[(k + 2) % 3] * w[(k + 2) % 3]);
            tr += x[k];
            tr2 += x[k] * x[k];
        }
        double sq = J[0] * J[0] + J[1] * J[1] + J[2] * J[2] +
                    2 * (J[3] * J[3] + J[4] * J[4] + J[5] * J[5]);
        assert_true(fabs(J[0] + J[1] + J[2] - tr) < 1e-13 * (1 + tr));
        assert_true(fabs(sq - tr2) < 1e-13 * (1 + tr2));
        /* a triangle: area A, polar moment A (sum of squared sides)/36 */
        memset(p, 0, sizeof p);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 2; k++)
                p[i][k] = between(-1, 1);
        if (polytope_points(a, 2, (const point *)p, 3, &t, bad) == HULL_OK) {
            double A = 0.5 * fabs((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                                  (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
            double sides = 0;
            for (int i = 0; i < 3; i++)
                sides += pow(p[i][0] - p[(i + 1) % 3][0], 2) +
                         pow(p[i][1] - p[(i + 1) % 3][1], 2);
            polytope_moments(&t, &V, C, J);
            assert_true(fabs(V - A) < 1e-15 * 4);
            assert_true(fabs(J[0] - A * sides / 36) < 1e-14);
        }
        arena_free(a);
    }
}

/* -- edges that come to cross --------------------------------------------- */

#define TURNING_ORDER 20
#define TURNING_LOOKS 40

static void
random_hull(struct arena *a, struct polytope *out)
{
    double p[8][3];
    uint32_t bad[2];
    enum hull_fault fault;
    do {
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                p[i][k] = (i >> k & 1 ? 0.4 : -0.4) + between(-0.1, 0.1);
        fault = polytope_points(a, 3, (const point *)p, 8, out, bad);
    } while (fault != HULL_OK);
}

/* R turns at a constant rate, in axes of its own: R' = w x R. */
static void
random_motion(struct taylor c[3], struct taylor R[9])
{
    double w[3], q[4], l = 0.0;
    for (int i = 0; i < 4; i++) {
        q[i] = between(-1, 1);
        l += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(l);
    const double turn[9] = {
        1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
        2 * (q[1] * q[3] + q[0] * q[2]),     2 * (q[1] * q[2] + q[0] * q[3]),
        1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
        2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),
        1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    for (int i = 0; i < 3; i++) {
        w[i] = between(-1, 1);
        taylor_const(TURNING_ORDER, between(-0.3, 0.3) + (i == 2), &c[i]);
        c[i].c[1] = between(-0.5, 0.5);
    }
    for (int i = 0; i < 9; i++)
        R[i].c[0] = turn[i];
    for (int k = 1; k <= TURNING_ORDER; k++)
        for (int i = 0; i < 9; i++) {
            int u = (i / 3 + 1) % 3, v = (i / 3 + 2) % 3;
            R[i].c[k] = (w[u] * R[3 * v + i % 3].c[k - 1] -
                         w[v] * R[3 * u + i % 3].c[k - 1]) /
                        k;
        }
}

/* -1: they do not cross now; else the side to which their product points */
static int
crosses(const struct edges_moving *moving, uint32_t e0, uint32_t e1, double t)
{
    double centre[3], turn[9];
    int inward;
    for (int i = 0; i < 9; i++) {
        centre[i % 3] = taylor_at(moving->order, &moving->c[i % 3], t);
        turn[i] = taylor_at(moving->order, &moving->R[i], t);
    }
    return polytope_edges_meet(moving->p[0], moving->p[1], e0, e1, centre, turn,
                               &inward)
               ? inward
               : -1;
}

/* Do they cross clearly, by the places on both edges and the angle between
 * them? Gives the gap. */
static bool
crosses_well(const struct edges_moving *moving, uint32_t e0, uint32_t e1,
             double t, int inward, double *gap)
{
    const struct polytope *p = moving->p[0], *q = moving->p[1];
    double d[2][3], x[3], n[3], n2, on[2], length[2];
    for (int i = 0; i < 3; i++) {
        const struct taylor *row = moving->R + 3 * i;
        x[i] = taylor_at(moving->order, &moving->c[i], t) -
               p->vertex[p->edge[e0].v[0]][i];
        d[0][i] = p->edge[e0].dir[i];
        d[1][i] = 0.0;
        for (int k = 0; k < 3; k++) {
            double r = taylor_at(moving->order, &row[k], t);
            x[i] += r * q->vertex[q->edge[e1].v[0]][k];
            d[1][i] += r * q->edge[e1].dir[k];
        }
    }
    for (int i = 0; i < 3; i++)
        n[i] = d[0][(i + 1) % 3] * d[1][(i + 2) % 3] -
               d[0][(i + 2) % 3] * d[1][(i + 1) % 3];
    n2 = dot3(n, n);
    *gap = (inward ? -1 : 1) * dot3(x, n) / sqrt(n2);
    for (int b = 0; b < 2; b++) {
        const struct polytope *of = moving->p[b];
        const struct polytope_edge *edge = of->edge + (b == 0 ? e0 : e1);
        double along[3], product[3];
        for (int i = 0; i < 3; i++) {
            int u = (i + 1) % 3, v = (i + 2) % 3;
            along[i] = of->vertex[edge->v[1]][i] - of->vertex[edge->v[0]][i];
            product[i] = x[u] * d[1 - b][v] - x[v] * d[1 - b][u];
        }
        length[b] = sqrt(dot3(along, along));
        on[b] = dot3(product, n) / n2;
    }
    return n2 > 1e-4 && on[0] > 0 && on[0] < length[0] && on[1] > 0 &&
           on[1] < length[1];
}

/* Of edges that do not cross now none does so later on, by many looks at the
 * motion, before the time that is told; and they cross then. */
static void
edges_turning(void **unused)
{
    (void)unused;
    struct arena *a = arena_new();
    int told = 0;
    for (int n = 0; n < 6; n++) {
        struct polytope p, q;
        struct taylor c[3], R[9];
        random_hull(a, &p);
        random_hull(a, &q);
        random_motion(c, R);
        struct edges_moving moving = {{&p, &q}, c,   R,  TURNING_ORDER,
                                      0.3,      1e3, 0.0};
        edges_moving_begin(&moving);
        for (uint32_t e = 0; e < p.n_edge * q.n_edge; e++) {
            uint32_t e0 = e / q.n_edge, e1 = e % q.n_edge;
            double time, gap;
            if (!edges_come_to_meet(&moving, e0, e1, &time))
                time = INFINITY;
            else {
                assert_true(time > 0 && time <= moving.span);
                assert_true(crosses(&moving, e0, e1, time) >= 0);
                told++;
            }
            bool apart[2] = {false, false};
            for (int i = 0; i <= TURNING_LOOKS; i++) {
                double t = moving.span * i / TURNING_LOOKS;
                int inward = crosses(&moving, e0, e1, t);
                if (t > time)
                    break;
                for (int way = 0; way < 2; way++)
                    apart[way] |= way != inward;
                if (inward < 0)
                    continue;
                bool well = crosses_well(&moving, e0, e1, t, inward, &gap);
                /* what comes out of the other body does not count */
                apart[inward] &= gap >= 0;
                if (!well || !apart[inward])
                    continue;
                assert_true(time <= t);
            }
        }
    }
    print_message("%d pairs of edges come to cross\n", told);
    assert_true(told > 5);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_by_force),  cmocka_unit_test(regular),
        cmocka_unit_test(many),           cmocka_unit_test(round_trip),
        cmocka_unit_test(open_and_empty), cmocka_unit_test(faults),
        cmocka_unit_test(moments_agree),  cmocka_unit_test(moments_closed),
        cmocka_unit_test(edges_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
