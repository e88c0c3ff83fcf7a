/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict on several points with friction: against all choices of their
 * modes, with a solver of this test's own, and in another order of the points.
 * What a memory of choices gives is asked, too. */
#include <float.h>
#include <stdlib.h>

#include "base/arena.h"
#include "friction_heap.h"
#include "friction_many.h"
#include "runtime/friction/friction_priv.h"

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

/* Points of a chain, each between two bodies of three freedoms: most choices of
 * their modes are ruled out early, so that all are tried although there are
 * many more than six points have. In the other order of the points the verdict
 * is the same, and so are the motions. */
static void
chains(void **state)
{
    (void)state;
    uint64_t seed = 17;
    int counts[8] = {0};
    for (int t = 0; t < 200; t++) {
        struct many m = {.n = 7 + t % 4}, back = {.n = m.n};
        int n = m.n, rows = 2 * n, dof = 3 * n - 3;
        double J[2 * MOST][3 * MOST] = {{0}}, f[3 * MOST];
        for (int d = 0; d < dof; d++)
            f[d] = multi_random(&seed, -1, 1);
        for (int r = 0; r < rows; r++)
            for (int d = 3 * (r / 2 - 1); d < 3 * (r / 2 + 1); d++)
                if (d >= 0 && d < dof)
                    J[r][d] = multi_random(&seed, -1, 1);
        for (int r = 0; r < rows; r++) {
            int q = 2 * (n - 1 - r / 2) + r % 2;
            for (int d = 0; d < dof; d++) {
                m.free[r] += J[r][d] * f[d];
                m.terms[r] += fabs(J[r][d] * f[d]);
            }
            back.free[q] = m.free[r];
            back.terms[q] = m.terms[r];
            for (int c = 0; c < rows; c++) {
                int k = 2 * (n - 1 - c / 2) + c % 2;
                for (int d = 0; d < dof; d++)
                    m.W[r * rows + c] += J[r][d] * J[c][d];
                back.W[q * rows + k] = m.W[r * rows + c];
            }
        }
        for (int i = 0; i < n; i++) {
            double mu = multi_random(&seed, 0, 0.6);
            m.point[i] = back.point[n - 1 - i] =
                (struct friction_point){.mu_static = mu, .mu_dynamic = mu};
        }
        struct friction_instant in = {.n = n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        struct friction_choice out, other;
        friction_choose(arena, &in, &out);
        in.point = back.point;
        in.W = back.W;
        in.free = back.free;
        in.terms = back.terms;
        friction_choose(arena, &in, &other);
        counts[out.verdict]++;
        for (int i = 0; i < out.n; i++)
            obeys(&m, &out.set[i], 1e-7);
        bool shown = out.verdict != FRICTION_NOT_SHOWN &&
                     other.verdict != FRICTION_NOT_SHOWN &&
                     out.verdict != FRICTION_UNKNOWN &&
                     other.verdict != FRICTION_UNKNOWN;
        if (shown) {
            assert_int_equal(out.verdict, other.verdict);
            assert_int_equal(out.n, other.n);
        }
        for (int i = 0; i < n && out.n == 1 && other.n == 1 && shown; i++)
            CLOSE(out.set[0].normal[i], other.set[0].normal[n - 1 - i],
                  1e-7 * (1 + fabs(out.set[0].normal[i])));
        arena_clear(arena);
    }
    assert_true(counts[FRICTION_UNIQUE] > 50);
}

/* Discs in a box, in rows of 4, 3, 4 and 3, of which four in five that are
 * neighbours touch: up to 36 points of 42 freedoms, which depend on each other.
 * Their directions are off
 * by a random share, so that they do so only nearly, as they do in a heap in
 * which each disc has a place of its own. */
#define BOX_DISCS 14

/* Adds the point at which disc b touches disc a (-1: a wall). */
static void
touch(struct many *m, double J[2 * MOST][3 * BOX_DISCS], int a, int b,
      double angle)
{
    double c = cos(angle), s = sin(angle);
    double *N = J[2 * m->n], *T = J[2 * m->n + 1];
    for (int side = a < 0; side < 2; side++) {
        int at = 3 * (side ? b : a);
        N[at] = side ? c : -c;
        N[at + 1] = side ? s : -s;
        T[at] = side ? s : -s;
        T[at + 1] = side ? -c : c;
        T[at + 2] = sqrt(2);
    }
    m->n++;
}

/* off: that share, from 10^least to 1/10. rate (2 MOST; or NULL): how
 * accelerations grow under other side forces. Returns off. */
static double
full_box(uint64_t *seed, double least, struct many *m, double *rate)
{
    double J[2 * MOST][3 * BOX_DISCS] = {{0}}, x[BOX_DISCS], y[BOX_DISCS];
    double off = pow(10, multi_random(seed, least, -1)), weight[BOX_DISCS],
           side[BOX_DISCS];
    double mu = multi_random(seed, 0.05, 0.6);
    int discs = 0;
    *m = (struct many){0};
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < 4 - row % 2; i++) {
            x[discs] = 2 * i + row % 2;
            y[discs] = row * sqrt(3);
            side[discs] = multi_random(seed, -1, 1);
            weight[discs++] = multi_random(seed, 0.5, 2);
        }
    for (int b = 0; b < discs; b++) {
        double angle = off * multi_random(seed, -1, 1);
        if (y[b] < 0.1)
            touch(m, J, -1, b, acos(-1) / 2);
        if (x[b] < 0.1 || x[b] > 5.9)
            touch(m, J, -1, b, x[b] < 0.1 ? 0 : acos(-1));
        for (int a = 0; a < b; a++)
            if (hypot(x[b] - x[a], y[b] - y[a]) < 2.1 &&
                multi_random(seed, 0, 1) < 0.8)
                touch(m, J, a, b, atan2(y[b] - y[a], x[b] - x[a]) + angle);
    }
    for (int i = 0; i < m->n; i++)
        m->point[i] =
            (struct friction_point){.mu_static = mu, .mu_dynamic = mu};
    for (int r = 0; r < 2 * m->n && rate; r++) {
        rate[r] = 0;
        for (int d = 0; d < discs; d++)
            rate[r] += J[r][3 * d] * cos(d) / weight[d];
    }
    for (int r = 0; r < 2 * m->n; r++)
        for (int d = 0; d < 3 * discs; d++) {
            double force = d % 3 == 0   ? side[d / 3]
                           : d % 3 == 1 ? -9.81
                                        : 0,
                   w = weight[d / 3];
            m->free[r] += J[r][d] * force;
            m->terms[r] += fabs(J[r][d] * force);
            for (int c = 0; c < 2 * m->n; c++)
                m->W[r * 2 * m->n + c] += J[r][d] * J[c][d] / w;
        }
    return off;
}

/* Modes that are found obey the law. They are found wherever rounding does not
 * decide the pivots of Lemke's method: W falls by off^2 where directions differ
 * by off, so that DBL_EPSILON makes as much of its entries as counts as none
 * (1e-11, PIVOT_ZERO of lcp.c) at an off of 5e-3. Below that some are missed,
 * which says nothing. */
static void
full_boxes(void **state)
{
    (void)state;
    uint64_t seed = 29;
    int unknown = 0;
    for (int t = 0; t < 400; t++) {
        struct many m;
        struct friction_choice out;
        double off = full_box(&seed, t % 2 ? -2 : -9, &m, NULL);
        assert_true(m.n <= MOST);
        struct friction_instant in = {.n = m.n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        friction_choose(arena, &in, &out);
        unknown += out.n == 0 && off >= 1e-2;
        for (int i = 0; i < out.n; i++)
            obeys(&m, &out.set[i], 1e-7);
        arena_clear(arena);
    }
    assert_int_equal(unknown, 0);
}

/* Sweeps over these points do not come to an end, nor does a way from edge to
 * edge; complementary pairs lead to their modes. */
static void
recorded_heap(void **state)
{
    (void)state;
    struct many m = {.n = HEAP_POINTS};
    struct friction_choice out;
    assert_true(m.n <= MOST);
    for (size_t k = 0; k < sizeof heap_W / sizeof *heap_W; k++)
        m.W[heap_W[k].row * 2 * m.n + heap_W[k].column] =
            m.W[heap_W[k].column * 2 * m.n + heap_W[k].row] = heap_W[k].value;
    for (int r = 0; r < 2 * m.n; r++) {
        m.free[r] = heap_free[r][0];
        m.terms[r] = heap_free[r][1];
    }
    for (int i = 0; i < m.n; i++)
        m.point[i] = (struct friction_point){.mu_static = HEAP_FRICTION,
                                             .mu_dynamic = HEAP_FRICTION};
    struct friction_instant in = {
        .n = m.n, .point = m.point, .W = m.W, .free = m.free, .terms = m.terms};
    friction_choose(arena, &in, &out);
    assert_int_equal(out.n, 1);
    obeys(&m, &out.set[0], 1e-7);
}

/* A box of more than twenty points in which the first choice that is found
 * leaves a point without a load that may bear one, and slips depend on that. */
static void
loads_in_a_box(void **state)
{
    (void)state;
    uint64_t seed = 1280;
    struct many m;
    struct friction_choice out;
    full_box(&seed, -2, &m, NULL);
    struct friction_instant in = {
        .n = m.n, .point = m.point, .W = m.W, .free = m.free, .terms = m.terms};
    friction_choose(arena, &in, &out);
    assert_int_equal(m.n, 26);
    assert_int_equal(out.verdict, FRICTION_LOADS);
    obeys(&m, &out.set[0], 1e-7);
}

/* Are these modes and loads, s later, those of a set? */
static struct many
box_at(const struct many *m, const double *rate, double s)
{
    struct many later = *m;
    for (int r = 0; r < 2 * m->n; r++)
        later.free[r] += s * rate[r];
    return later;
}

static bool
all_stick(const struct many *m)
{
    enum contact_mode mode[MOST];
    struct friction_set found, set = {.mode = mode};
    struct friction_instant in = {.n = m->n,
                                  .point = m->point,
                                  .W = m->W,
                                  .free = m->free,
                                  .terms = m->terms};
    for (int i = 0; i < m->n; i++)
        mode[i] = CONTACT_STICK;
    return friction_forces_of(arena, &in, &set, &found);
}

/* A ball of weight 1 on two floors without friction whose normals differ by a
 * sine of 1e-5. What they ask contradicts each other by a share of 2e-11, so
 * that one of them would have to pull with a fifth of the weight: both press,
 * to what such points are known to. They do where the share is -1e-11, and do
 * not where it is 1e-7. */
static void
nearly_one_point(void **state)
{
    (void)state;
    double s = 1e-5, c = sqrt(1 - s * s);
    static const double apart[] = {-1e-11, 2e-11, 1e-7};
    for (int k = 0; k < 3; k++) {
        enum contact_mode mode[2] = {CONTACT_FREE, CONTACT_FREE};
        struct friction_set found, set = {.mode = mode};
        struct many m = {.n = 2,
                         .free = {-1, 0, -c + apart[k], 0},
                         .terms = {1, 0, 1, 0},
                         .W = {1, 0, c, 0, 0, 0, 0, 0, c, 0, 1}};
        struct friction_instant in = {.n = m.n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        mode[0] = mode[1] = CONTACT_SLIDE;
        assert_int_equal(friction_forces_of(arena, &in, &set, &found), k < 2);
        if (k == 2)
            continue;
        assert_true(found.normal[0] >= 0.0 && found.normal[1] >= 0.0);
        assert_float_equal(found.normal[0] + found.normal[1], 1, 1e-9);
    }
}

/* Discs in a box all of whose points stick until a side force has grown so far
 * that no forces keep them: there the forces are at edges of their cones. What
 * goes on obeys the law then, and until `span` later, with forces that grow by
 * `drift`; and not all points stick then. */
static void
boxes_at_their_limits(void **state)
{
    (void)state;
    uint64_t seed = 31;
    int limits = 0, found = 0;
    for (int t = 0; t < 20; t++) {
        struct many m;
        struct friction_going out;
        double rate[2 * MOST], low = 0, high = 30;
        full_box(&seed, -9, &m, rate);
        arena_clear(arena);
        struct many later = box_at(&m, rate, high);
        if (!all_stick(&m) || all_stick(&later))
            continue;
        while (high - low > 1e-12 * high) {
            double middle = 0.5 * (low + high);
            later = box_at(&m, rate, middle);
            *(all_stick(&later) ? &low : &high) = middle;
            arena_clear(arena);
        }
        struct many now = box_at(&m, rate, low);
        struct friction_instant in = {.n = m.n,
                                      .point = now.point,
                                      .W = now.W,
                                      .free = now.free,
                                      .terms = now.terms};
        limits++;
        if (!friction_goes_on(arena, &in, rate, &out))
            continue;
        found++;
        obeys(&now, &out.set, 1e-7);
        for (int part = 1; part <= 4; part++) {
            double s = out.span * part / 4;
            for (int i = 0; i < m.n; i++) {
                out.set.normal[i] += out.span / 4 * out.drift[2 * i];
                out.set.tangential[i] += out.span / 4 * out.drift[2 * i + 1];
            }
            later = box_at(&now, rate, s);
            obeys(&later, &out.set, 1e-7);
        }
        assert_false(all_stick(&later));
    }
    assert_true(limits > 3);
    assert_int_equal(found, limits);
}

/* A disc on the floor that is pressed against a wall, with friction above 1 at
 * both: with the least forces the wall bears as little as its cone allows;
 * asked for forces off the edges, friction keeps within both cones. */
static void
off_the_edges(void **state)
{
    (void)state;
    const double J[4][3] = {{0, 1, 0}, {1, 0, 1}, {-1, 0, 0}, {0, 1, 1}},
                 load[3] = {1, -10, 0};
    struct many m = {.n = 2};
    for (int r = 0; r < 4; r++)
        for (int d = 0; d < 3; d++) {
            m.free[r] += J[r][d] * load[d];
            m.terms[r] += fabs(J[r][d] * load[d]);
            for (int c = 0; c < 4; c++)
                m.W[r * 4 + c] += J[r][d] * J[c][d] * (d == 2 ? 2 : 1);
        }
    for (int i = 0; i < 2; i++)
        m.point[i] =
            (struct friction_point){.mu_static = 1.5, .mu_dynamic = 1.5};
    struct friction_instant in = {
        .n = 2, .point = m.point, .W = m.W, .free = m.free, .terms = m.terms};
    struct friction_choice least, inner;
    friction_choose(arena, &in, &least);
    in.inner = true;
    friction_choose(arena, &in, &inner);
    assert_int_equal(least.verdict, FRICTION_SHARED);
    assert_int_equal(inner.verdict, FRICTION_SHARED);
    assert_true(least.margin < 1e-9 && inner.margin > 0.1);
    for (int i = 0; i < 2; i++) {
        const struct friction_set *set = &inner.set[inner.taken];
        assert_true(fabs(set->tangential[i]) < 1.4 * set->normal[i]);
    }
    obeys(&m, &inner.set[inner.taken], 1e-9);
}

/* A choice that is made once more with the forces of another instant in mind is
 * that of a search that begins anew. */
static void
near_others(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int shared = 0, moved = 0;
    for (int t = 0; t < 60; t++) {
        struct many m;
        double near[2 * MOST];
        full_box(&seed, -3, &m, NULL);
        struct friction_instant in = {.n = m.n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        struct friction_choice again, anew;
        friction_choose(arena, &in, &again);
        double first = again.n ? again.set[0].normal[0] : 0;
        for (int r = 0; r < 2 * m.n; r++)
            near[r] = multi_random(&seed, 0, 20);
        in.near = near;
        friction_choose_near(arena, &in, &again);
        friction_choose(arena, &in, &anew);
        assert_int_equal(again.verdict, anew.verdict);
        assert_int_equal(again.n, anew.n);
        assert_int_equal(again.taken, anew.taken);
        for (int k = 0; k < anew.n; k++)
            for (int i = 0; i < m.n; i++) {
                const struct friction_set *a = &again.set[k], *b = &anew.set[k];
                assert_int_equal(a->mode[i], b->mode[i]);
                CLOSE(a->normal[i], b->normal[i],
                      1e-9 * (1 + fabs(b->normal[i])));
            }
        shared += anew.n > 0 && anew.set[0].shared;
        moved += anew.n > 0 && fabs(anew.set[0].normal[0] - first) > 1e-3;
        arena_clear(arena);
    }
    assert_true(shared > 10 && moved > 10);
}

struct newton_trial {
    struct mode_scratch *scratch;
    const struct mode_problem *in;
    struct point_state *state;
    struct mode_solution solution;
};

static bool
newton_try(void *context)
{
    struct newton_trial *trial = context;
    mode_forces(trial->scratch, trial->in, trial->state, &trial->solution);
    return trial->solution.consistent;
}

/* Newton's method by itself leads to modes that obey the law, from no forces at
 * all, in all but one of these boxes at most. Most of them have shared loads,
 * and in some conditions of points that nearly depend on each other contradict
 * each other, until some of these slip. */
static void
newton_from_nothing(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int found = 0, shared = 0;
    for (int t = 0; t < 250; t++) {
        struct many m;
        full_box(&seed, -4, &m, NULL);
        struct mode_point point[MOST] = {{0}};
        struct point_state modes[MOST] = {{0}};
        double none[MOST] = {0}, numbers[6 * MOST] = {0};
        for (int i = 0; i < m.n; i++)
            point[i] = (struct mode_point){.mu_stick = m.point[i].mu_static,
                                           .mu_slip = m.point[i].mu_dynamic,
                                           .scale = FRICTION_TOLERANCE};
        struct mode_problem in = {.n = m.n,
                                  .point = point,
                                  .W = m.W,
                                  .free = m.free,
                                  .terms = m.terms};
        mode_find_pattern(arena, &in);
        struct newton_trial trial = {
            .scratch = mode_scratch_new(arena, &in), .in = &in, .state = modes};
        trial.solution.force = numbers + 2 * MOST;
        trial.solution.acc = numbers + 4 * MOST;
        found +=
            mode_newton(arena, &in, none, numbers, modes, newton_try, &trial);
        shared += trial.solution.consistent && trial.solution.shared;
        arena_clear(arena);
    }
    assert_true(found >= 249 && shared > 50);
}

/* Where a body bears nothing but what rounding makes of the load of another,
 * its points may stick as well as slip. */
static void
rounding_sticks(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        double small = t == 0 ? 1e-17 : 1e-6, numbers[8] = {0},
               W[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1},
               free[4] = {-1, 0.1, -small, 0.8 * small};
        struct mode_point point[2];
        struct point_state modes[2];
        for (int i = 0; i < 2; i++) {
            point[i] = (struct mode_point){
                .mu_stick = 0.3, .mu_slip = 0.3, .scale = FRICTION_TOLERANCE};
            modes[i] = (struct point_state){true, TANGENT_STICK};
        }
        struct mode_problem in = {.n = 2, .point = point, .W = W, .free = free};
        struct newton_trial trial = {
            .scratch = mode_scratch_new(arena, &in), .in = &in, .state = modes};
        trial.solution.force = numbers;
        trial.solution.acc = numbers + 4;
        assert_int_equal(newton_try(&trial), t == 0);
    }
}

/* -- by all choices, with a solver of this test's own ------------------------
 */

/* Gauss with pivots, in place; false where the matrix is nearly singular. */
static bool
gauss(int n, double A[][2 * MOST + 1])
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            p = fabs(A[r][c]) > fabs(A[p][c]) ? r : p;
        for (int k = 0; k <= n; k++) {
            double swap = A[c][k];
            A[c][k] = A[p][k];
            A[p][k] = swap;
        }
        if (fabs(A[c][c]) < 1e-9)
            return false;
        for (int r = 0; r < n; r++) {
            double f = r == c ? 0.0 : A[r][c] / A[c][c];
            for (int k = c; k <= n && f != 0.0; k++)
                A[r][k] -= f * A[c][k];
        }
    }
    for (int r = 0; r < n; r++)
        A[r][n] /= A[r][r];
    return true;
}

/* Solves the choice `mode` (0 free, 1 stick, 2 slip +, 3 slip -) and returns
 * its least margin, above 0 where it is consistent; acc: of all rows. NAN where
 * it cannot be told. */
static double
margin_of(const struct many *m, const int *mode, double *acc)
{
    int n = m->n, rows = 2 * n, count = 0, row[2 * MOST];
    double A[2 * MOST][2 * MOST + 1], force[2 * MOST] = {0}, least = 1.0;
    for (int i = 0; i < n; i++) {
        if (mode[i])
            row[count++] = 2 * i;
        if (mode[i] == 1)
            row[count++] = 2 * i + 1;
    }
    for (int r = 0; r < count; r++) {
        for (int c = 0; c < count; c++) {
            int i = row[c] / 2;
            double rub = row[c] % 2 || mode[i] == 1 ? 0.0
                         : mode[i] == 2             ? -m->point[i].mu_dynamic
                                                    : m->point[i].mu_dynamic;
            A[r][c] = m->W[row[r] * rows + row[c]] +
                      (rub != 0.0 ? rub * m->W[row[r] * rows + 2 * i + 1] : 0);
        }
        A[r][count] = -m->free[row[r]];
    }
    if (!gauss(count, A))
        return NAN;
    for (int c = 0; c < count; c++)
        force[row[c]] = A[c][count];
    for (int i = 0; i < n; i++)
        if (mode[i] > 1)
            force[2 * i + 1] =
                (mode[i] == 2 ? -1 : 1) * m->point[i].mu_dynamic * force[2 * i];
    for (int r = 0; r < rows; r++) {
        acc[r] = m->free[r];
        for (int c = 0; c < rows; c++)
            acc[r] += m->W[r * rows + c] * force[c];
    }
    for (int i = 0; i < n; i++) {
        double N = force[2 * i], T = force[2 * i + 1];
        least = fmin(least, mode[i] ? N : acc[2 * i]);
        if (mode[i] == 1)
            least = fmin(least, m->point[i].mu_static * N - fabs(T));
        if (mode[i] > 1 && m->point[i].slip == 0.0)
            least =
                fmin(least, mode[i] == 2 ? acc[2 * i + 1] : -acc[2 * i + 1]);
    }
    return least;
}

/* Counts the consistent choices; -1: one of them is too near to an edge. */
static int
count_all(const struct many *m)
{
    int n = m->n, mode[MOST] = {0}, found = 0;
    double acc[2 * MOST];
    for (;;) {
        bool may = true;
        for (int i = 0; i < n; i++) {
            double u = m->point[i].slip;
            may &= u == 0.0 || mode[i] == 0 || mode[i] == (u > 0.0 ? 2 : 3);
        }
        double margin = may ? margin_of(m, mode, acc) : -1.0;
        if (isnan(margin) || fabs(margin) < 1e-7)
            return -1;
        found += margin > 0.0;
        int i = 0;
        while (i < n && ++mode[i] == 4)
            mode[i++] = 0;
        if (i == n)
            return found;
    }
}

/* Up to four points: the verdict is that of all choices, never "not shown". */
static void
all_choices(void **state)
{
    (void)state;
    uint64_t seed = 41;
    const char *more = getenv("IMP_TEST_CASES");
    int compared = 0, cases = more ? atoi(more) : 1500;
    for (int t = 0; t < cases; t++) {
        struct many m;
        int n = 1 + t % 4;
        random_many(&seed, n, 2 * n + t % 3, 1.5, &m);
        struct friction_instant in = {.n = n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        struct friction_choice out;
        friction_choose(arena, &in, &out);
        assert_true(out.verdict != FRICTION_NOT_SHOWN &&
                    out.verdict != FRICTION_UNKNOWN);
        int found = count_all(&m);
        if (found >= 0) {
            assert_int_equal(out.n, found);
            assert_int_equal(out.verdict, found == 0   ? FRICTION_NONE
                                          : found == 1 ? FRICTION_UNIQUE
                                                       : FRICTION_SEVERAL);
            compared++;
        }
        arena_clear(arena);
    }
    assert_true(compared > cases * 9 / 10);
}

/* Two answers to one question, which agree to the last bit. */
static void
same_choice(const struct many *m, const struct friction_choice *one,
            const struct friction_choice *two)
{
    size_t n = (size_t)m->n;
    assert_int_equal(one->verdict, two->verdict);
    assert_int_equal(one->n, two->n);
    assert_int_equal(one->taken, two->taken);
    assert_true(one->margin == two->margin && one->roomy == two->roomy);
    for (int k = 0; k < one->n; k++) {
        const struct friction_set *a = one->set + k, *b = two->set + k;
        assert_memory_equal(a->mode, b->mode, n * sizeof *a->mode);
        assert_memory_equal(a->normal, b->normal, n * sizeof *a->normal);
        assert_memory_equal(a->tangential, b->tangential,
                            n * sizeof *a->tangential);
        assert_memory_equal(a->acc, b->acc, 2 * n * sizeof *a->acc);
        assert_int_equal(a->shared, b->shared);
    }
}

/* Changes one thing of a problem of which the choice may depend. */
static void
change_one(uint64_t *seed, struct many *m, struct friction_instant *in)
{
    int i = (int)multi_random(seed, 0, m->n - 0.001), r = 2 * i;
    struct friction_point *point = m->point + i;
    switch ((int)multi_random(seed, 0, 9.999)) {
    case 0:
        point->slip = point->slip > 0.0 ? -1 : point->slip < 0.0 ? 0 : 1;
        break;
    case 1:
        point->mu_dynamic *= 0.5;
        break;
    case 2:
        point->mu_static += 0.5;
        break;
    case 3:
        point->held = !point->held;
        break;
    case 4:
        point->before = (enum contact_mode)multi_random(seed, 0, 4.999);
        point->held = true;
        break;
    case 5:
        point->ended = point->held && !point->ended;
        break;
    case 6:
        m->free[r] = nextafter(m->free[r], INFINITY);
        break;
    case 7:
        m->W[r * 2 * m->n + r] *= 1.0 + DBL_EPSILON;
        break;
    case 8:
        m->terms[r + 1] *= 2.0;
        break;
    default:
        in->brief = !in->brief;
    }
}

/* What a memory gives is what a search finds: whatever is changed between two
 * questions, and where it gives what was found before. Only the sign of a slip
 * counts. */
static void
memories(void **state)
{
    (void)state;
    uint64_t seed = 51;
    int several = 0;
    for (int t = 0; t < 150; t++) {
        struct many m;
        int n = 1 + t % 8;
        struct friction_memory *memory = friction_memory_new(arena);
        random_many(&seed, n, t % 3 ? 2 * n : 3, 1.5, &m);
        struct friction_instant in = {.n = n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        for (int k = 0; k < 12; k++) {
            struct friction_choice alone, first, again;
            in.memory = NULL;
            friction_choose(arena, &in, &alone);
            in.memory = memory;
            friction_choose(arena, &in, &first);
            for (int i = 0; i < n; i++)
                m.point[i].slip *= multi_random(&seed, 0.1, 9);
            friction_choose(arena, &in, &again);
            same_choice(&m, &alone, &first);
            same_choice(&m, &alone, &again);
            for (int i = 0; i < first.n; i++)
                assert_ptr_equal(first.set[i].acc, again.set[i].acc);
            several += first.n > 1;
            change_one(&seed, &m, &in);
        }
        arena_clear(arena);
    }
    assert_true(several > 50);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(off_the_edges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(near_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(newton_from_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rounding_sticks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_boxes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(recorded_heap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loads_in_a_box, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nearly_one_point, set_up, tear_down),
        cmocka_unit_test_setup_teardown(boxes_at_their_limits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(chains, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_choices, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
