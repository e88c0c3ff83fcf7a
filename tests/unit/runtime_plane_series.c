/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Corners of plane polygons that are held on faces: forces, motion and points
 * that are carried on from one order to the next are those that are made anew
 * at each order: to the last bit, and to rounding on faces of a body 0 that
 * does not move. There the direction of the normal force never changes,
 * exactly. The states, the points that are held and their modes are random;
 * gaps and rates need not be 0 for that. */
#include "analysis_help.h"

#include "runtime/geometry/polytope.h"
#include "runtime/instance/run.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"

#define ROUNDS 60
#define LOW 5
#define HIGH 20
#define ROUNDING 1e-9

static const char text[] =
    "use shapes\n"
    "world { gravity = (.3, -9.81) }\n"
    "body floor : half_plane { fixed = true  position = (.2, .1)\n"
    "  angle = .3 }\n"
    "body ledge : rectangle(2, 1) { fixed = true  position = (-3, 1) }\n"
    "body one : polygon([-1, -.3; .7, -.4; 1.1, .5; -.8, .6]) {\n"
    "  mass = 1.3  position = (0, 4) }\n"
    "body two : rectangle(.6, .4) { mass = .7  position = (0, 8) }\n"
    "contact a : floor | one { friction = .3 }\n"
    "contact b : ledge | one { friction = .2 }\n"
    "contact c : one | two { friction = .4 }\n"
    "contact d : two | ledge\n"
    "simulate { until = 0 }\n";

/* what is compared: rows of blocks, then forces and points */
struct made {
    double block[2][64 * IMP_ROW_STRIDE];
    struct taylor row[4][30];
};

static void
keep_rows(const struct rt *run, int order, struct made *made)
{
    for (uint32_t b = 0; b < run->im->blocks.n; b++) {
        const imp_block *block = persistent_block(run, b);
        const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
        double *to = made->block[b];
        for (uint32_t i = 0; i < block->state.n; i++, to += order + 4)
            memcpy(to,
                   run->rows.block[b] + (size_t)row[i] * IMP_ROW_STRIDE +
                       IMP_ROW_PAD,
                   sizeof *to * (size_t)(order + 4));
    }
}

static void
keep_series(struct taylor *to, int order, const struct taylor *from)
{
    memcpy(to->c, from->c, sizeof *to->c * (size_t)(order + 1));
}

static void
keep(struct rt *run, const struct persistent_group *group, int order,
     struct made *made)
{
    memset(made, 0, sizeof *made);
    keep_rows(run, order, made);
    for (int i = 0; i < group->n_on; i++) {
        const struct persistent_row *row = &group->row[i];
        const struct persistent_friction *friction = row->friction;
        struct taylor *to = made->row[i];
        keep_series(to++, order, &row->gap);
        keep_series(to++, order - 1, &row->force);
        for (int e = 0; e < 2; e++)
            for (int j = 0; j < 6; j += j == 1 ? 4 : 1)
                keep_series(to++, order, &row->open[e][j]);
        if (!friction)
            continue;
        keep_series(to++, order - 1, &friction->force);
        keep_series(to++, order - 1, &friction->slip);
        keep_series(to++, order, &friction->shift);
        for (int e = 0; e < 2; e++)
            for (int j = 0; j < 6; j += j == 1 ? 4 : 1) {
                keep_series(to++, order, &friction->open[e][j]);
                keep_series(to++, order, &friction->push[e][j]);
            }
    }
}

static double
uniform(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *seed ^ (*seed >> 29);
    x *= 0xbf58476d1ce4e5b9u;
    return low + (high - low) * (double)((x ^ (x >> 32)) >> 11) * 0x1p-53;
}

/* Draws a state, and up to three points of these contacts, still ones among
 * them: on faces of a body 0 that does not move. */
static int
draw(struct rt *run, uint64_t *seed, bool still, struct contact_point *spot)
{
    for (uint32_t b = 2; b < 4; b++)
        for (uint32_t i = 0; i < 6; i++)
            run->env[rt_body(run, b)->env_state + i] = uniform(seed, -2, 2);
    int n = 1 + (int)uniform(seed, 0, 2.99);
    for (int i = 0; i < n; i++) {
        uint32_t contact = (uint32_t)uniform(seed, still ? 0 : 1, 3.99);
        const uint32_t *body = rt_contact(run, contact)->body;
        /* corners of the half-plane are none */
        int of = contact == 0             ? 0
                 : contact == 1 && !still ? 1
                                          : (int)uniform(seed, 0, 1.99);
        const struct polytope *face = run->polytope[body[of]],
                              *vertex = run->polytope[body[1 - of]];
        spot[i] = (struct contact_point){
            contact, POINT_VERTEX, of,
            (uint32_t)uniform(seed, 0, face->n_face - .01),
            (uint32_t)uniform(seed, 0, vertex->n_vertex - .01)};
    }
    return n;
}

/* Gives the points modes at random. */
static void
choose(struct persistent_group *group, uint64_t *seed)
{
    static const enum contact_mode mode[] = {
        CONTACT_STICK, CONTACT_SLIP_POSITIVE, CONTACT_SLIP_NEGATIVE};
    group->steady = false;
    for (int i = 0; i < group->n; i++)
        if (group->row[i].friction)
            group->row[i].friction->mode = mode[(int)uniform(seed, 0, 2.99)];
}

/* The series to order LOW, and on from there to HIGH. */
static void
make(struct rt *run, struct persistent_group *group, struct made made[2])
{
    assert_int_equal(persistent_series(run, LOW, UINT32_MAX), IMP_OK);
    keep(run, group, LOW, &made[0]);
    assert_int_equal(persistent_series_more(run, HIGH), IMP_OK);
    keep(run, group, HIGH, &made[1]);
}

/* The forces and points are the same to rounding of the greatest number of each
 * order, or of the one after it. */
static void
assert_near(const struct made *is, const struct made *want, int order)
{
    double size[HIGH + 2] = {0.0};
    for (int i = 0; i < 4 * 30; i++)
        for (int k = 0; k <= order; k++)
            size[k] = fmax(size[k], fabs(want->row[i / 30][i % 30].c[k]));
    for (int i = 0; i < 4 * 30; i++)
        for (int k = 0; k < order; k++)
            assert_true(fabs(is->row[i / 30][i % 30].c[k] -
                             want->row[i / 30][i % 30].c[k]) <=
                        ROUNDING * fmax(size[k], size[k + 1]));
}

/* The normals of faces of the floor, and the tangents, stay as they are. */
static int
assert_straight(const struct persistent_group *group)
{
    int n = 0;
    for (int i = 0; i < group->n_on; i++) {
        const struct persistent_row *row = &group->row[i];
        bool still = row->spot.contact < 2 && row->spot.face_of == 0;
        for (int j = 0; j < 2 && still; j++)
            for (int k = 1; k <= HIGH; k++, n++)
                assert_true(row->open[1][j].c[k] == 0.0 &&
                            row->friction->open[1][j].c[k] == 0.0 &&
                            row->friction->push[1][j].c[k] == 0.0);
    }
    return n;
}

static void
compare(bool still)
{
    static struct made carried[2], anew[2];
    struct run r;
    uint64_t seed = 20;
    int held = 0, straight = 0;
    run(&r, text, false);
    fine(&r);
    struct rt *rt = r.d.run;
    assert_true(motion_by_weight(rt));
    for (int round = 0; round < ROUNDS; round++) {
        struct contact_point spot[3], one[3];
        int n = draw(rt, &seed, still, spot), end[3];
        persistent_release(rt, NULL);
        n = persistent_split(rt, spot, n, end) > 1 ? end[0] : n;
        memcpy(one, spot, sizeof one);
        struct persistent_group *group = persistent_hold(rt, one, n);
        choose(group, &seed);
        rt->motion->weight = true;
        make(rt, group, carried);
        assert_true(group->carried);
        straight += assert_straight(group);
        rt->motion->weight = false;
        make(rt, group, anew);
        assert_false(group->carried);
        if (still) {
            assert_near(&carried[0], &anew[0], LOW);
            assert_near(&carried[1], &anew[1], HIGH);
        } else {
            assert_memory_equal(carried, anew, sizeof anew);
        }
        held += group->n_on;
    }
    persistent_release(rt, NULL);
    print_message("%d points\n", held);
    assert_true((straight > 0) == still);
    done(&r);
}

static void
same_to_the_last_bit(void **state)
{
    (void)state;
    compare(false);
}

static void
straight_on_still_faces(void **state)
{
    (void)state;
    compare(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_to_the_last_bit),
        cmocka_unit_test(straight_on_still_faces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
