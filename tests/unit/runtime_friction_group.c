/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impacts at several points with friction: one point that comes down while
 * others rest, against the closed form of one point and against small steps of
 * the impulse; the law that holds for a group, whoever asks; energies. */
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/friction/friction.h"

#define MOST 5

static struct arena *arena;

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

struct group {
    int n;
    double W[4 * MOST * MOST];
    struct friction_impact_point point[MOST];
};

/* Points of a body or of several: rows J over `dof` unit masses. The first one
 * approaches, the others rest; slips of both signs, and none. */
static void
random_group(uint64_t *seed, int n, int dof, double most_mu, struct group *out)
{
    double J[2 * MOST][2 * MOST + 3];
    int rows = 2 * n;
    out->n = n;
    for (int r = 0; r < rows; r++)
        for (int d = 0; d < dof; d++)
            J[r][d] = multi_random(seed, -1, 1);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++) {
            double sum = 0.0;
            for (int d = 0; d < dof; d++)
                sum += J[r][d] * J[c][d];
            out->W[r * rows + c] = sum;
        }
    for (int i = 0; i < n; i++) {
        double kind = multi_random(seed, 0, 3);
        out->point[i] = (struct friction_impact_point){
            .mu = multi_random(seed, 0, most_mu),
            .e = multi_random(seed, 0, 1),
            .law = kind < 1.5 ? FRICTION_POISSON : FRICTION_ENERGETIC,
            .normal = i ? 0.0 : -multi_random(seed, 0.1, 1),
            .slip = kind < 1.0 ? 0.0 : multi_random(seed, -1, 1),
            .priority = INFINITY};
    }
}

static bool
applies(enum friction_verdict verdict)
{
    return verdict == FRICTION_UNIQUE || verdict == FRICTION_SHARED ||
           verdict == FRICTION_LOADS || verdict == FRICTION_NOT_SHOWN;
}

/* One point: the process among several is the closed form. */
static void
one_point(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int t = 0; t < 20000; t++) {
        struct group in;
        struct friction_impact_several out;
        struct friction_impact one;
        random_group(&seed, 1, 3, 3.0, &in);
        if (t % 7 == 0)
            in.point[0].law = FRICTION_NEWTON;
        friction_impact_at(arena, 1, in.W, in.point, FRICTION_PROCESS, NULL,
                           &out);
        friction_impact_one(in.W[3], in.W[1], in.W[0], in.point, &one);
        assert_int_equal(out.verdict, FRICTION_UNIQUE);
        double size = 1.0 + fabs(one.after[0]) + fabs(one.after[1]);
        CLOSE(out.after[0], one.after[0], 1e-10 * size);
        CLOSE(out.after[1], one.after[1], 1e-10 * size);
        double terms = fabs(one.work[0]) + fabs(one.work[1]);
        CLOSE(out.energy, one.work[0] + one.work[1], 1e-10 * (1.0 + terms));
        arena_clear(arena);
    }
}

/* -- small steps ------------------------------------------------------------
 */

/* The velocities after the impulse dI at the first point, to which the others
 * answer: complementarity at the end of the step, by relaxation. False: it does
 * not settle. */
static bool
step(const struct group *in, double dI, double *w, double *p)
{
    int rows = 2 * in->n;
    double change = INFINITY;
    memset(p, 0, sizeof *p * (size_t)rows);
    p[0] = dI;
    for (int round = 0; round < 3000 && change > 1e-13; round++) {
        change = 0.0;
        for (int r = 1; r < rows; r++) {
            double v = w[r], old = p[r], mu = in->point[r / 2].mu;
            for (int c = 0; c < rows; c++)
                v += in->W[r * rows + c] * p[c];
            p[r] -= v / in->W[r * (rows + 1)];
            if (r % 2)
                p[r] = fmax(-mu * p[r - 1], fmin(mu * p[r - 1], p[r]));
            else
                p[r] = fmax(0.0, p[r]);
            change = fmax(change, fabs(p[r] - old) / dI);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++)
            w[r] += in->W[r * rows + c] * p[c];
    return change <= 1e-13;
}

/* Small steps to the end by the law of the first point. */
static bool
by_steps(const struct group *in, double dI, double *w)
{
    double p[2 * MOST], I = 0.0, goal = INFINITY, work = 0.0;
    const struct friction_impact_point *point = in->point;
    bool back = false;
    for (int i = 0; i < in->n; i++) {
        w[2 * i] = point[i].normal;
        w[2 * i + 1] = point[i].slip;
    }
    for (int k = 0; k < 40000; k++) {
        double before = w[0];
        if (!step(in, dI, w, p))
            return false;
        work += 0.5 * (before + w[0]) * dI;
        I += dI;
        if (!back && w[0] >= 0.0) {
            back = true;
            goal = point->law == FRICTION_POISSON ? (1.0 + point->e) * I
                                                  : -point->e * point->e * work;
            work = 0.0;
        }
        if (back && (point->law == FRICTION_POISSON ? I : work) >= goal)
            return true;
    }
    return false;
}

static void
small_steps(void **state)
{
    (void)state;
    uint64_t seed = 17;
    int compared = 0;
    for (int t = 0; t < 150; t++) {
        struct group in;
        struct friction_impact_several out;
        int n = 2 + t % 2;
        double w[2 * MOST];
        random_group(&seed, n, 2 * n + 1, 0.6, &in);
        friction_impact_at(arena, n, in.W, in.point, FRICTION_PROCESS, NULL,
                           &out);
        assert_true(applies(out.verdict));
        double dI = 2e-3 * out.impulse[0];
        if (by_steps(&in, dI, w)) {
            compared++;
            for (int r = 0; r < 2 * n; r++)
                CLOSE(out.after[r], w[r], 2e-2);
        }
        arena_clear(arena);
    }
    assert_true(compared > 100);
}

/* -- what every law keeps ---------------------------------------------------
 */

/* Impulses and velocities belong together and obey the law; energy that is
 * added is told. */
static void
audit(const struct group *in, const struct friction_group_impact *out,
      bool may_gain)
{
    int rows = 2 * in->n;
    double energy = 0.0, terms = 0.0;
    for (int r = 0; r < rows; r++) {
        double v = r % 2 ? in->point[r / 2].slip : in->point[r / 2].normal;
        double before = v, size = fabs(v);
        for (int c = 0; c < rows; c++) {
            v += in->W[r * rows + c] * out->impulse[c];
            size += fabs(in->W[r * rows + c] * out->impulse[c]);
        }
        CLOSE(v, out->after[r], 1e-9 * (1.0 + size));
        energy += 0.5 * out->impulse[r] * (before + v);
        terms += fabs(out->impulse[r]) * size;
    }
    CLOSE(energy, out->energy, 1e-10 * (1.0 + terms));
    if (!may_gain)
        assert_true(energy <= 1e-10 * (1.0 + terms));
    if (energy > 1e-7 * terms)
        assert_true(out->gain > 0.0);
    for (int i = 0; i < in->n; i++) {
        if (out->how[i] == FRICTION_PROCESS ||
            out->how[i] == FRICTION_SEQUENTIAL)
            assert_true(out->work[i] <= 1e-9 * (1.0 + terms));
        double N = out->impulse[2 * i], T = out->impulse[2 * i + 1];
        assert_true(N >= -1e-9 * (1.0 + terms));
        assert_true(out->after[2 * i] >= -1e-9 * (1.0 + terms));
        assert_true(fabs(T) <= in->point[i].mu * N + 1e-9 * (1.0 + terms));
    }
}

/* The same group, its points in another order. */
static void
turned(const struct group *in, struct group *out)
{
    int n = in->n, rows = 2 * n;
    out->n = n;
    for (int i = 0; i < n; i++)
        out->point[i] = in->point[(i + 1) % n];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++)
            out->W[r * rows + c] =
                in->W[(r + 2) % rows * rows + (c + 2) % rows];
}

static void
laws_of_a_group(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int done = 0, undone = 0;
    for (int t = 0; t < 6000; t++) {
        struct group in, other;
        struct friction_group_impact out, same;
        int n = 2 + t % 3, hits = 1 + t / 3 % n;
        static const enum imp_impact_law law[] = {
            IMP_IMPACT_UNDECLARED, IMP_IMPACT_POISSON,
            IMP_IMPACT_COMPLEMENTARITY, IMP_IMPACT_SEQUENTIAL, IMP_IMPACT_REST};
        enum imp_impact_law how = law[t % 5];
        /* 3 coordinates: the points depend on each other */
        random_group(&seed, n, t % 2 ? 3 : 2 * n + 1, 1.0, &in);
        for (int i = 0; i < hits; i++)
            in.point[i].normal = -multi_random(&seed, 0.1, 1);
        friction_impact_group(arena, n, in.W, in.point, how, NULL, &out);
        turned(&in, &other);
        friction_impact_group(arena, n, other.W, other.point, how, NULL, &same);
        assert_int_equal(out.why == NULL, same.why == NULL);
        done += !out.why;
        undone += out.why != NULL;
        if (!out.why) {
            audit(&in, &out, out.may_gain);
            for (int i = 0; i < n && !out.loads; i++)
                for (int part = 0; part < 2; part++)
                    CLOSE(out.after[2 * i + part],
                          same.after[2 * ((i + n - 1) % n) + part], 1e-8);
        }
        arena_clear(arena);
    }
    assert_true(done > 2 * undone);
}

/* Poisson's law in two phases adds no energy where all restitutions are one. */
static void
two_phases_of_equal(void **state)
{
    (void)state;
    uint64_t seed = 51;
    for (int t = 0; t < 4000; t++) {
        struct group in;
        struct friction_group_impact out;
        int n = 2 + t % 2, hits = 1 + t / 3 % n;
        random_group(&seed, n, t % 2 ? 3 : 2 * n + 1, 1.0, &in);
        for (int i = 0; i < n; i++) {
            in.point[i].e = in.point[0].e;
            if (i < hits)
                in.point[i].normal = -multi_random(&seed, 0.1, 1);
        }
        friction_impact_group(arena, n, in.W, in.point, IMP_IMPACT_POISSON,
                              NULL, &out);
        if (!out.why)
            audit(&in, &out, false);
        arena_clear(arena);
    }
}

/* Several points that come down together under the energetic law: at the end
 * of compression and expansion together the normal impulses have given back e^2
 * of their work; without friction and with one e that is what Poisson's law
 * does; and no energy is added. */
static void
energetic_of_several(void **state)
{
    (void)state;
    uint64_t seed = 61;
    int n_done = 0, equal = 0;
    for (int t = 0; t < 2000; t++) {
        struct group in;
        struct friction_impact_several ours, other;
        int n = 2 + t % 2;
        random_group(&seed, n, t % 4 ? 3 : 2 * n + 1, t % 3 ? 1.0 : 0.0, &in);
        for (int i = 0; i < n; i++) {
            in.point[i].e = in.point[0].e;
            in.point[i].normal = -multi_random(&seed, 0.1, 1);
        }
        friction_impact_at(arena, n, in.W, in.point, FRICTION_ENERGETIC_PHASES,
                           NULL, &ours);
        friction_impact_at(arena, n, in.W, in.point, FRICTION_TWO_PHASES, NULL,
                           &other);
        if (applies(ours.verdict)) {
            n_done++;
            double terms = 0.0;
            for (int r = 0; r < 2 * n; r++)
                terms += fabs(ours.impulse[r] * ours.after[r]);
            assert_true(ours.energy <= 1e-11 * terms);
            for (int i = 0; i < n; i++) {
                double P = ours.impulse[2 * i], Q = ours.impulse[2 * i + 1];
                assert_true(P >= 0.0 && ours.after[2 * i] >= -1e-10);
                assert_true(fabs(Q) <= in.point[i].mu * P + 1e-10);
            }
        }
        if (t % 3 == 0 && applies(ours.verdict) && applies(other.verdict)) {
            equal++;
            for (int r = 0; r < 2 * n; r++)
                CLOSE(ours.after[r], other.after[r],
                      1e-10 * (1.0 + fabs(other.after[r])));
        }
        arena_clear(arena);
    }
    print_message("%d impacts, %d without friction\n", n_done, equal);
    assert_true(n_done > 1500 && equal > 500);
}

/* A body of three coordinates that slides on two points and is hit at a third
 * one, without restitution: where the two stay closed it has one way to move,
 * so that all its velocities come to 0 at one impulse. The outcome is the same
 * in other units of mass and of velocity, whose roundings differ. */
static void
rest_at_once(void **state)
{
    (void)state;
    uint64_t seed = 67;
    int n_rest = 0, n_other = 0;
    for (int t = 0; t < 1000; t++) {
        double J[6][3], u[3];
        struct group in = {.n = 3};
        for (int r = 0; r < 18; r++)
            J[r / 3][r % 3] = multi_random(&seed, -1, 1);
        for (int d = 0; d < 3; d++) { /* across both normals */
            int a = (d + 1) % 3, b = (d + 2) % 3;
            u[d] = J[2][a] * J[4][b] - J[2][b] * J[4][a];
        }
        double toward =
            J[0][0] * u[0] + J[0][1] * u[1] + J[0][2] * u[2] > 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 3; i++) {
            double v[2];
            for (int a = 0; a < 2; a++)
                v[a] =
                    toward * (J[2 * i + a][0] * u[0] + J[2 * i + a][1] * u[1] +
                              J[2 * i + a][2] * u[2]);
            in.point[i] =
                (struct friction_impact_point){.mu = multi_random(&seed, 0, 1),
                                               .law = FRICTION_NEWTON,
                                               .normal = i ? 0.0 : v[0],
                                               .slip = v[1]};
        }
        for (int r = 0; r < 36; r++)
            in.W[r] = J[r / 6][0] * J[r % 6][0] + J[r / 6][1] * J[r % 6][1] +
                      J[r / 6][2] * J[r % 6][2];
        struct friction_impact_several first = {0}, one;
        for (int unit = 0; unit < 4; unit++) {
            struct group other = in;
            double mass = unit ? multi_random(&seed, 0.1, 10) : 1.0,
                   speed = unit ? multi_random(&seed, 0.1, 10) : 1.0;
            for (int r = 0; r < 36; r++)
                other.W[r] /= mass;
            for (int i = 0; i < 3; i++) {
                other.point[i].normal *= speed;
                other.point[i].slip *= speed;
            }
            friction_impact_at(arena, 3, other.W, other.point, FRICTION_PROCESS,
                               NULL, unit ? &one : &first);
            if (!unit)
                continue;
            assert_int_equal(one.verdict, first.verdict);
            for (int r = 0; r < 6 && applies(first.verdict); r++)
                CLOSE(one.after[r] / speed, first.after[r], 1e-12);
        }
        bool rest = applies(first.verdict);
        for (int r = 0; r < 6; r++)
            rest = rest && first.after[r] == 0.0;
        n_rest += rest;
        n_other += applies(first.verdict) && !rest;
        arena_clear(arena);
    }
    print_message("%d come to rest, %d do not\n", n_rest, n_other);
    assert_true(n_rest > 200 && n_other > 200);
}

/* -- points that say what others say ---------------------------------------
 */

/* Points of a flat side of a body of mass 1: `place` along the side, from the
 * mass centre at the height h, with the velocities of the body. */
static void
side(int n, const double *place, double h, const double inverse[3],
     const double velocity[3], const struct friction_impact_point *like,
     struct group *out)
{
    double J[2 * MOST][3];
    out->n = n;
    for (int i = 0; i < n; i++) {
        const double normal[3] = {0.0, 1.0, place[i]}, along[3] = {1.0, 0.0, h};
        memcpy(J[2 * i], normal, sizeof normal);
        memcpy(J[2 * i + 1], along, sizeof along);
        out->point[i] = *like;
        out->point[i].normal = out->point[i].slip = 0.0;
        for (int d = 0; d < 3; d++) {
            out->point[i].normal += normal[d] * velocity[d];
            out->point[i].slip += along[d] * velocity[d];
        }
    }
    for (int r = 0; r < 2 * n; r++)
        for (int c = 0; c < 2 * n; c++) {
            double sum = 0.0;
            for (int d = 0; d < 3; d++)
                sum += J[r][d] * inverse[d] * J[c][d];
            out->W[r * 2 * n + c] = sum;
        }
}

/* The end of a side comes down while the other end rests, or both do: a point
 * between them, and an end that is stated twice, change nothing. */
static void
points_between(void **state)
{
    (void)state;
    uint64_t seed = 17;
    int decided = 0;
    for (int t = 0; t < 2000; t++) {
        double a = multi_random(&seed, -1, -0.1), b = multi_random(&seed, 0, 1),
               share = multi_random(&seed, 0.1, 0.9);
        const double place[4] = {share * a + (1.0 - share) * b, a, b, a},
                     inverse[3] = {1.0, 1.0, multi_random(&seed, 0.5, 9)},
                     spin = multi_random(&seed, 0.1, 1),
                     velocity[3] = {multi_random(&seed, -1, 1), -spin * b,
                                    spin};
        struct friction_impact_point like = {.mu = multi_random(&seed, 0, 1),
                                             .e = multi_random(&seed, 0, 1),
                                             .law = FRICTION_ENERGETIC,
                                             .priority = INFINITY};
        struct group two, four;
        struct friction_group_impact one, other;
        double h = multi_random(&seed, 0, 1);
        side(2, place + 1, h, inverse, velocity, &like, &two);
        side(4, place, h, inverse, velocity, &like, &four);
        two.point[1].normal = four.point[2].normal = 0.0;
        friction_impact_group(arena, 2, two.W, two.point, IMP_IMPACT_UNDECLARED,
                              NULL, &one);
        friction_impact_group(arena, 4, four.W, four.point,
                              IMP_IMPACT_UNDECLARED, NULL, &other);
        assert_int_equal(one.why == NULL, other.why == NULL);
        decided += one.why == NULL;
        for (int k = 0; k < 2 && !one.why; k++) {
            CLOSE(other.after[2 + k], one.after[k], 1e-12);
            CLOSE(other.after[4 + k], one.after[2 + k], 1e-12);
            CLOSE(other.after[6 + k], one.after[k], 1e-12);
            CLOSE(other.after[k],
                  k ? one.after[1]
                    : share * one.after[0] + (1.0 - share) * one.after[2],
                  1e-12);
        }
        CLOSE(other.energy, one.energy, 1e-12);
        arena_clear(arena);
    }
    assert_true(decided > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_point, set_up, tear_down),
        cmocka_unit_test_setup_teardown(small_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(laws_of_a_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_phases_of_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rest_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(energetic_of_several, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(points_between, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
