/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of choices of modes (mode_tree.c) rules out nothing that
 * mode_forces finds consistent: bodies at random in the plane, whose points
 * share bodies, depend on each other, slip or rest; and it rules out most of
 * what there is. So do the choices of points whose modes have just ended
 * (mode_ends.c). */
#include "base/arena.h"
#include "impact_help.h"
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

#define POINTS 6
#define BODIES 4
struct heap {
    struct mode_problem in;
    struct mode_point point[POINTS];
    double W[4 * POINTS * POINTS], free[2 * POINTS], terms[2 * POINTS];
};

/* Rows J of points between bodies (mass 1, inertia .1, and the world) with
 * normals at random; those of a face have their tangential row in common. */
static void
random_heap(uint64_t *seed, struct heap *heap)
{
    int n = 2 + (int)multi_random(seed, 0, POINTS - 1), rows = 2 * n;
    int bodies = 1 + (int)multi_random(seed, 0, BODIES);
    double J[2 * POINTS][3 * BODIES] = {{0}}, push[3 * BODIES];
    for (int d = 0; d < 3 * BODIES; d++)
        push[d] = multi_random(seed, -1, 1);
    for (int d = 0; d < 3 * BODIES; d++) /* bodies at rest */
        push[d] *= d / 3 == 0 || multi_random(seed, 0, 1) < 0.5;
    for (int i = 0; i < n; i++) {
        bool face = i > 0 && multi_random(seed, 0, 1) < 0.4;
        int a = (int)multi_random(seed, 0, bodies),
            b = (int)multi_random(seed, 0, bodies + 1);
        double arm[2] = {multi_random(seed, -1, 1), multi_random(seed, -1, 1)};
        double angle = multi_random(seed, 0, 6.283);
        double e[2][2] = {{-sin(angle), cos(angle)}, {cos(angle), sin(angle)}};
        if (face) { /* a second point on the tangent of the last one */
            double along = multi_random(seed, -1, 1);
            for (int d = 0; d < 3 * BODIES; d++) {
                J[2 * i][d] = J[2 * i - 2][d];
                J[2 * i + 1][d] = J[2 * i - 1][d];
                if (d % 3 == 2 && J[2 * i][d - 2] != 0.0)
                    J[2 * i][d] += J[2 * i][d - 1] > 0.0 ? along : -along;
            }
            continue;
        }
        for (int part = 0; part < 2; part++)
            for (int side = 0; side < 2; side++) {
                int body = side ? b : a;
                double sign = side ? -1.0 : 1.0;
                if (body == bodies || (side && a == b))
                    continue;
                J[2 * i + part][3 * body] += sign * e[part][0];
                J[2 * i + part][3 * body + 1] += sign * e[part][1];
                J[2 * i + part][3 * body + 2] +=
                    sign * (arm[0] * e[part][1] - arm[1] * e[part][0]);
            }
    }
    for (int r = 0; r < rows; r++) {
        heap->free[r] = heap->terms[r] = 0.0;
        for (int d = 0; d < 3 * BODIES; d++) {
            heap->free[r] += J[r][d] * push[d];
            heap->terms[r] += fabs(J[r][d] * push[d]);
        }
        for (int c = 0; c < rows; c++) {
            heap->W[r * rows + c] = 0.0;
            for (int d = 0; d < 3 * BODIES; d++)
                heap->W[r * rows + c] +=
                    J[r][d] * J[c][d] * (d % 3 == 2 ? 10.0 : 1.0);
        }
    }
    for (int i = 0; i < n; i++) {
        double kind = multi_random(seed, 0, 6), mu = multi_random(seed, 0, 1.5);
        heap->point[i] = (struct mode_point){
            .mu_slip = kind < 0.5 ? 0.0 : mu,
            .mu_stick = kind < 0.5   ? 0.0
                        : kind < 1.5 ? 1.3 * mu
                                     : mu,
            .offset = kind > 5.0 ? multi_random(seed, 0, 1) : 0.0,
            .driven = kind > 5.5,
            .slip = kind > 4.0   ? 0.0
                    : kind > 3.5 ? 1.0
                    : kind > 3.0 ? -1.0
                                 : 0.0,
            .scale = FRICTION_TOLERANCE};
    }
    heap->in = (struct mode_problem){.n = n,
                                     .point = heap->point,
                                     .W = heap->W,
                                     .free = heap->free,
                                     .terms = heap->terms,
                                     .unnamed = multi_random(seed, 0, 1) < 0.5};
}

static bool
is_kept(const struct mode_choices *choices, const struct point_state *state)
{
    for (size_t k = 0; k < choices->n; k++) {
        bool same = true;
        for (int i = 0; i < choices->kept[k].n; i++)
            same &= choices->kept[k].state[i].closed == state[i].closed &&
                    choices->kept[k].state[i].tangent == state[i].tangent;
        if (same)
            return true;
    }
    return false;
}

/* The same with those points open that push by no more than rounding. */
static bool
is_kept_open(const struct mode_choices *choices, const struct heap *heap,
             const struct point_state *state, const double *force)
{
    struct point_state open[POINTS];
    double most = 0.0;
    for (int i = 0; i < heap->in.n; i++)
        most = fmax(most, fabs(force[2 * i]));
    for (int i = 0; i < heap->in.n; i++) {
        open[i] = state[i];
        if (!state[i].closed ||
            fabs(force[2 * i] - heap->point[i].offset) > 1e-9 * most)
            continue;
        open[i].closed = false;
        if (heap->point[i].offset == 0.0)
            open[i].tangent = TANGENT_NONE;
    }
    return is_kept(choices, open);
}

static void
rules_out_no_motion(void **state)
{
    (void)state;
    uint64_t seed = 5;
    long all = 0, kept = 0, found = 0, out_of_order = 0;
    for (int t = 0; t < 1500; t++) {
        struct heap heap;
        random_heap(&seed, &heap);
        struct mode_choices choices;
        if (!mode_tree(arena, &heap.in, &choices))
            continue; /* more choices than are tried */
        kept += (long)choices.n;
        int n = heap.in.n, at[POINTS] = {0}, count[POINTS];
        struct point_state may[POINTS][MODE_STATES_MOST], now[POINTS];
        double force[2 * POINTS], acc[2 * POINTS];
        struct mode_scratch *scratch = mode_scratch_new(arena, &heap.in);
        struct mode_solution solution = {.force = force, .acc = acc};
        for (int i = 0; i < n; i++)
            count[i] = mode_states_of(&heap.point[i], may[i]);
        for (int i = 0; i < n;) {
            for (int j = 0; j < n; j++)
                now[j] = may[j][at[j]];
            mode_forces(scratch, &heap.in, now, &solution);
            all++;
            if (solution.consistent) {
                found++;
                assert_true(is_kept(&choices, now) ||
                            (heap.in.unnamed &&
                             is_kept_open(&choices, &heap, now, force)));
            }
            for (i = 0; i < n && ++at[i] == count[i]; i++)
                at[i] = 0;
        }
        for (size_t k = 1; k < choices.n; k++)
            for (int i = n - 1; i >= 0; i--)
                if (choices.kept[k].at[i] != choices.kept[k - 1].at[i]) {
                    out_of_order +=
                        choices.kept[k].at[i] < choices.kept[k - 1].at[i];
                    break;
                }
        arena_clear(arena);
    }
    assert_int_equal(out_of_order, 0);
    assert_true(found > 10000);
    assert_true(kept < 3 * found);
    assert_true(all > 5 * kept);
}

/* Choices that are tried beside states of the others. */
struct tried {
    int n;
    struct point_state now[POINTS], state[4096][POINTS];
    size_t count;
};

static void
list(void *context)
{
    struct tried *tried = context;
    memcpy(tried->state[tried->count++], tried->now, sizeof tried->now);
}

static bool
is_listed(const struct tried *tried, const struct point_state *state)
{
    for (size_t k = 0; k < tried->count; k++) {
        bool same = true;
        for (int i = 0; i < tried->n; i++)
            same &= mode_same_state(tried->state[k][i], state[i]);
        if (same)
            return true;
    }
    return false;
}

/* The states of the others are those of a motion half of the time. */
static void
ends_rule_out_no_motion(void **state)
{
    (void)state;
    uint64_t seed = 6;
    long all = 0, found = 0, kept = 0;
    struct tried *tried = test_malloc(sizeof *tried);
    for (int t = 0; t < 80; t++) {
        struct heap heap;
        random_heap(&seed, &heap);
        int n = heap.in.n, at[POINTS] = {0}, count[POINTS];
        struct point_state may[POINTS][MODE_STATES_MOST], beside[POINTS];
        double force[2 * POINTS], acc[2 * POINTS];
        struct mode_scratch *scratch = mode_scratch_new(arena, &heap.in);
        struct mode_solution solution = {.force = force, .acc = acc};
        for (int i = 0; i < n; i++) {
            count[i] = mode_states_of(&heap.point[i], may[i]);
            beside[i] = may[i][(int)multi_random(&seed, 0, count[i])];
            heap.point[i].ended = i == 0 || multi_random(&seed, 0, 1) < 0.5;
        }
        struct mode_result *result = NEW(arena, struct mode_result);
        mode_search(arena, &heap.in, NULL, result);
        if (result->n && t % 2)
            memcpy(beside, result->found[0].state, sizeof *beside * (size_t)n);
        tried->n = n;
        tried->count = 0;
        mode_ends(arena, &heap.in, beside, beside, tried->now, list, tried);
        kept += (long)tried->count;
        for (int i = 0; i < n;) {
            memcpy(tried->now, beside, sizeof *beside * (size_t)n);
            for (int j = 0; j < n; j++)
                if (heap.point[j].ended)
                    tried->now[j] = may[j][at[j]];
            mode_forces(scratch, &heap.in, tried->now, &solution);
            all++;
            found += solution.consistent;
            if (solution.consistent)
                assert_true(is_listed(tried, tried->now));
            for (i = 0; i < n && (!heap.point[i].ended || ++at[i] == count[i]);
                 i++)
                at[i] = 0;
        }
        arena_clear(arena);
    }
    test_free(tried);
    assert_true(found > 300);
    assert_true(kept < 4 * found);
    assert_true(all > 2 * kept);
}

/* Points of one face that share all loads: nothing is ruled out. Of many points
 * fewer choices are tried, among them all in which nothing goes on that has
 * ended. */
#define FACE 40
#define FACE_ENDED 5
struct face_tried {
    struct point_state now[FACE];
    int count, other;
};

static void
count_face(void *context)
{
    struct face_tried *tried = context;
    bool other = true;
    for (int i = 0; i < FACE_ENDED; i++)
        other &= tried->now[i].tangent != TANGENT_STICK;
    tried->count++;
    tried->other += other;
}

static void
ends_of_many_points_are_few(void **state)
{
    (void)state;
    static double W[4 * FACE * FACE], free[2 * FACE];
    static struct mode_point point[FACE];
    static struct point_state beside[FACE];
    static struct face_tried tried;
    struct point_state sticks = {true, TANGENT_STICK};
    for (int i = 0; i < FACE; i++) {
        beside[i] = sticks;
        free[2 * i] = -1.0;
        point[i] = (struct mode_point){.mu_stick = 0.3,
                                       .mu_slip = 0.3,
                                       .scale = FRICTION_TOLERANCE,
                                       .held = true,
                                       .ended = i < FACE_ENDED,
                                       .before = sticks};
        for (int j = 0; j < FACE; j++) /* both rows of one body */
            for (int part = 0; part < 2; part++)
                W[(2 * i + part) * 2 * FACE + 2 * j + part] = 1.0;
    }
    struct mode_problem in = {
        .n = FACE, .point = point, .W = W, .free = free, .terms = NULL};
    mode_ends(arena, &in, beside, beside, tried.now, count_face, &tried);
    assert_int_equal(tried.other, 243); /* of 3 states each */
    assert_in_range(tried.count, 243, 500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rules_out_no_motion, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ends_rule_out_no_motion, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(ends_of_many_points_are_few, set_up,
                                        tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
