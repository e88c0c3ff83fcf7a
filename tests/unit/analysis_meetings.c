/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random bodies with corners that fly freely between impacts, in a room of
 * walls: polygons, polyhedra, rectangles and boxes in line and face to face,
 * with discs and balls, three at a time, and between fixed rectangles. Every
 * run gets to its end, and a second opinion (dense_look.h) that shares nothing
 * with the search finds no touch that was missed, and none where nothing is. */
#include "meeting_check.h"

#define UNTIL 4.0

static long
cases(long usual)
{
    const char *n = getenv("IMP_TEST_CASES");
    return n ? atol(n) : usual;
}

static void
meet(enum meeting_kind kind, bool soft, long n)
{
    struct meeting *m = calloc(1, sizeof *m);
    struct meeting_report report;
    long impacts = 0;
    for (long seed = 1; seed <= n; seed++) {
        /* half of the runs stop at 200 times for a row, the others do not */
        m->soft = soft;
        meeting_model(m, kind, (uint64_t)seed, UNTIL,
                      seed % 2 || soft ? "" : "every = 4");
        meeting_run(m, true, &report);
        impacts += report.pair_impacts;
        if (report.fault[0])
            fail_msg("%s\nseed %ld: %s: %s", m->text, seed, report.fault,
                     report.detail);
        if (strcmp(report.status, "done") && strcmp(report.code, "W0724"))
            fail_msg("%s\nseed %ld: %s with %s", m->text, seed, report.status,
                     report.code);
    }
    /* the bodies do meet again and again */
    assert_true(soft || impacts >= 2 * n);
    free(m);
}

static void
polygons(void **state)
{
    (void)state;
    meet(MEETING_POLYGONS, false, cases(12));
    meet(MEETING_ALIGNED, false, cases(8));
    meet(MEETING_WALLS, false, cases(6));
}

static void
polyhedra(void **state)
{
    (void)state;
    meet(MEETING_BOXES, false, cases(6));
    meet(MEETING_POLYHEDRA, false, cases(8));
    meet(MEETING_ALIGNED_BOXES, false, cases(6));
}

static void
smooth(void **state)
{
    (void)state;
    meet(MEETING_DISCS, false, cases(6));
    meet(MEETING_BALLS, false, cases(6));
}

static void
three(void **state)
{
    (void)state;
    meet(MEETING_THREE, false, cases(3));
}

/* Bodies that come to rest: limits of chatter, slides and rolls. Polygons on
 * one floor may meet corner to corner, where nothing is unique (W0724). */
static void
resting(void **state)
{
    (void)state;
    meet(MEETING_POLYGONS, true, cases(7));
    meet(MEETING_ALIGNED, true, cases(6));
    meet(MEETING_BOXES, true, cases(2));
    meet(MEETING_POLYHEDRA, true, cases(2));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons), cmocka_unit_test(polyhedra),
        cmocka_unit_test(smooth),   cmocka_unit_test(three),
        cmocka_unit_test(resting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
