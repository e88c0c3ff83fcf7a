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
meet(enum meeting_kind kind, long n)
{
    struct meeting *m = calloc(1, sizeof *m);
    struct meeting_report report;
    long impacts = 0;
    for (long seed = 1; seed <= n; seed++) {
        /* half of the runs stop at 200 times for a row, the others do not */
        meeting_model(m, kind, (uint64_t)seed, UNTIL,
                      seed % 2 ? "" : "every = 4");
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
    assert_true(impacts >= 2 * n);
    free(m);
}

static void
polygons(void **state)
{
    (void)state;
    meet(MEETING_POLYGONS, cases(16));
    meet(MEETING_ALIGNED, cases(10));
    meet(MEETING_WALLS, cases(8));
}

static void
polyhedra(void **state)
{
    (void)state;
    meet(MEETING_BOXES, cases(8));
    meet(MEETING_POLYHEDRA, cases(12));
    meet(MEETING_ALIGNED_BOXES, cases(8));
}

static void
smooth(void **state)
{
    (void)state;
    meet(MEETING_DISCS, cases(6));
    meet(MEETING_BALLS, cases(6));
}

static void
three(void **state)
{
    (void)state;
    meet(MEETING_THREE, cases(6));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons),
        cmocka_unit_test(polyhedra),
        cmocka_unit_test(smooth),
        cmocka_unit_test(three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
