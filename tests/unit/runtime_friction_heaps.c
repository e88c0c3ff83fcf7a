/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impacts of one disc on heaps of 69 discs, whose equations have few entries:
 * Newton's method finds modes, and they obey the law; and its equations are
 * solved. */
#include "base/arena.h"
#include "impact_help.h"
#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/sparse/sparse_blocks.h"

#define WIDE 12
#define HIGH 6
#define DISCS (WIDE * HIGH)
#define POINTS (4 * DISCS)

static struct arena *arena;

struct heap {
    int n;
    double (*J)[3]; /* of row r, on the discs of its point, first and second */
    int (*disc)[2]; /* -1: a wall */
    double *W, *free, *terms;
    struct mode_point *point;
};

/* The point at which disc b touches disc a (-1: a wall). */
static void
touch(struct heap *heap, int a, int b, double angle)
{
    double c = cos(angle), s = sin(angle);
    int row = 4 * heap->n;
    for (int side = 0; side < 2; side++) {
        double sign = side ? 1.0 : -1.0, *N = heap->J[row + side],
               *T = heap->J[row + 2 + side];
        heap->disc[heap->n][side] = side ? b : a;
        N[0] = sign * c;
        N[1] = sign * s;
        T[0] = sign * s;
        T[1] = -sign * c;
        T[2] = sqrt(2);
    }
    heap->n++;
}

/* Discs in rows of WIDE and WIDE - 1 in a box, of which four in five that are
 * neighbours touch, in directions that are off by up to 1e-2. One of them hits
 * at 1 m/s; of the others a third has rates of up to `rest`. */
static void
make_heap(uint64_t *seed, double mu, double rest, struct heap *heap)
{
    double x[DISCS], y[DISCS];
    int discs = 0;
    *heap = (struct heap){.J = (double(*)[3])NEW_N(arena, double, 12 * POINTS),
                          .disc = (int(*)[2])NEW_N(arena, int, 2 * POINTS)};
    for (int row = 0; row < HIGH; row++)
        for (int i = 0; i < WIDE - row % 2; i++) {
            x[discs] = 2 * i + row % 2;
            y[discs++] = row * sqrt(3);
        }
    for (int b = 0; b < discs; b++) {
        if (y[b] < 0.1)
            touch(heap, -1, b, acos(-1) / 2);
        if (x[b] < 0.1 || x[b] > 2 * WIDE - 2.1)
            touch(heap, -1, b, x[b] < 0.1 ? 0 : acos(-1));
        for (int a = 0; a < b; a++)
            if (hypot(x[b] - x[a], y[b] - y[a]) < 2.1 &&
                multi_random(seed, 0, 1) < 0.8)
                touch(heap, a, b,
                      atan2(y[b] - y[a], x[b] - x[a]) +
                          multi_random(seed, -1e-2, 1e-2));
    }
    size_t rows = 2 * (size_t)heap->n;
    heap->W = NEW_N(arena, double, rows *rows);
    heap->free = NEW_N(arena, double, 2 * rows);
    heap->terms = heap->free + rows;
    heap->point = NEW_N(arena, struct mode_point, heap->n);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < rows; c++)
            for (int e = 0; e < 4; e++) {
                int mine = heap->disc[r / 2][e / 2],
                    other = heap->disc[c / 2][e % 2];
                for (int d = 0; d < 3 && mine >= 0 && mine == other; d++)
                    heap->W[r * rows + c] +=
                        heap->J[4 * (r / 2) + 2 * (r % 2) + e / 2][d] *
                        heap->J[4 * (c / 2) + 2 * (c % 2) + e % 2][d];
            }
    for (size_t r = 0; r < rows; r++) {
        bool moves = multi_random(seed, 0, 1) < 0.3;
        heap->free[r] = r + 2 == rows ? -1.0
                        : moves       ? rest * multi_random(seed, -1, 1)
                                      : 0.0;
        heap->terms[r] = fabs(heap->free[r]);
    }
    for (int i = 0; i < heap->n; i++)
        heap->point[i] = (struct mode_point){
            .mu_stick = mu, .mu_slip = mu, .scale = FRICTION_TOLERANCE};
}

struct trial {
    struct mode_scratch *scratch;
    const struct mode_problem *in;
    struct point_state *state;
    struct mode_solution solution;
};

static bool
try_modes(void *context)
{
    struct trial *trial = context;
    mode_forces(trial->scratch, trial->in, trial->state, &trial->solution);
    return trial->solution.consistent;
}

/* Signorini's and Coulomb's laws, of velocities and impulses. */
static void
obeys(const struct heap *heap, const double *force, double tolerance)
{
    int rows = 2 * heap->n;
    for (int i = 0; i < heap->n; i++) {
        double velocity[2], N = force[2 * i], T = force[2 * i + 1],
                            mu = heap->point[i].mu_slip;
        for (int part = 0; part < 2; part++) {
            velocity[part] = heap->free[2 * i + part];
            for (int c = 0; c < rows; c++)
                velocity[part] += heap->W[(2 * i + part) * rows + c] * force[c];
        }
        assert_true(N >= -tolerance && velocity[0] >= -tolerance);
        assert_true(fmin(N, velocity[0]) <= tolerance);
        assert_true(fabs(T) <= mu * N + tolerance);
        assert_true(fabs(velocity[1]) <= tolerance ||
                    fabs(T + copysign(mu * N, velocity[1])) <= tolerance);
    }
}

/* Newton's method by itself finds modes, from no impulses at all, in all but
 * one of these heaps at most; in some only after more than 400 steps. */
static void
hit_heaps(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int found = 0, shared = 0;
    for (int t = 0; t < 15; t++) {
        struct heap heap;
        make_heap(&seed, 0.3, t % 4 < 3 ? 1e-6 : 0.0, &heap);
        size_t rows = 2 * (size_t)heap.n;
        struct mode_problem in = {.n = heap.n,
                                  .point = heap.point,
                                  .W = heap.W,
                                  .free = heap.free,
                                  .terms = heap.terms,
                                  .unnamed = true};
        mode_find_pattern(arena, &in);
        struct trial trial = {.scratch = mode_scratch_new(arena, &in),
                              .in = &in,
                              .state =
                                  NEW_N(arena, struct point_state, heap.n)};
        trial.solution.force = NEW_N(arena, double, 3 * rows);
        trial.solution.acc = trial.solution.force + rows;
        double *none = NEW_N(arena, double, heap.n);
        if (mode_newton(arena, &in, none, trial.solution.acc + rows,
                        trial.state, try_modes, &trial)) {
            found++;
            shared += trial.solution.shared;
            obeys(&heap, trial.solution.force, 1e-7);
        }
        arena_clear(arena);
    }
    assert_true(found >= 14 && shared > 5);
}

/* The matrix of all points of a heap, a tenth of which slip, with a share on
 * the diagonal. */
static double
entry_of(const struct heap *heap, size_t r, size_t c)
{
    size_t rows = 2 * (size_t)heap->n;
    double along = c % 20 == 0 ? 0.3 * heap->W[r * rows + c + 1] : 0.0;
    return heap->W[r * rows + c] + along + (r == c ? 1e-3 : 0.0);
}

/* Blocks that are eliminated in an order of their own solve the equations of
 * all entries, again and again. */
static void
blocks_of_heaps(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct heap heap;
    make_heap(&seed, 0.3, 1.0, &heap);
    size_t rows = 2 * (size_t)heap.n;
    struct mode_problem in = {
        .n = heap.n, .point = heap.point, .W = heap.W, .free = heap.free};
    mode_find_pattern(arena, &in);
    struct sparse_blocks *blocks =
        sparse_blocks_new(arena, in.n, in.pattern->first, in.pattern->point);
    double *x = NEW_N(arena, double, rows);
    for (int again = 0; again < 3; again++) {
        sparse_blocks_clear(blocks);
        for (int i = 0; i < heap.n; i++)
            for (int p = in.pattern->first[2 * i];
                 p < in.pattern->first[2 * i + 2]; p++) {
                int j = in.pattern->point[p];
                double *to = sparse_blocks_at(blocks, i, j);
                for (int k = 0; k < 4; k++)
                    to[k] = entry_of(&heap, (size_t)(2 * i + k / 2),
                                     (size_t)(2 * j + k % 2));
            }
        memcpy(x, heap.free, rows * sizeof *x);
        assert_true(sparse_blocks_solve(blocks, x));
        double most = dense_greatest((int)rows, x);
        for (size_t r = 0; r < rows; r++) {
            double left = -heap.free[r];
            for (size_t c = 0; c < rows; c++)
                left += entry_of(&heap, r, c) * x[c];
            assert_true(fabs(left) < 1e-12 * most);
        }
    }
    arena_clear(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hit_heaps),
                                       cmocka_unit_test(blocks_of_heaps)};
    arena = arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(arena);
    return failed;
}
