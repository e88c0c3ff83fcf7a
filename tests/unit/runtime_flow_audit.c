/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit of events of systems (runtime/flow/flow_audit.c): events that are
 * what they should be pass, and any change of the outcome by 1e-7 of a speed
 * is seen: at an impact in every velocity and in the impulse, behind a limit of
 * chatter in the velocity along the wall. Behind a limit with friction a gain
 * of energy is seen, but where a belt may have given it. */
#include "analysis_help.h"
#include "runtime/flow/flow_priv.h"
#include "runtime/setup/new_run.h"

#define OFF 1e-7
#define EVENTS 200

/* What a run of Kepler's problem with a wall changes before its audit. */
enum change { CHANGE_NONE, CHANGE_IMPULSE, CHANGE_X, CHANGE_Y };

static const char kepler[] =
    "system s { coordinate x, y\n"
    " kinetic = (x'^2 + y'^2)/2  potential = -1/sqrt(x^2 + y^2)\n"
    " contact wall { gap = sqrt(x^2 + y^2) - 0.5  restitution = 0.5 }\n"
    " start { x = 1  y' = 0.6 } }\n";

/* A block that bounces on a floor that has this speed, and slides on behind the
 * limit. */
#define BLOCK(speed)                                                           \
    "system s { coordinate x, y\n"                                             \
    " kinetic = (x'^2 + y'^2)/2  potential = (9.81 [m/s^2])*y\n"               \
    " contact floor { gap = y  restitution = 0.5  friction = 0.3\n"            \
    "  slide = x - " speed "*t }\n"                                            \
    " start { y = 1 [m]  x' = 20 [m/s] } }\n"

static void
change_outcome(struct flow *flow, enum change change)
{
    double *velocity = flow->taylor->x + flow->n;
    if (change == CHANGE_IMPULSE)
        flow->last.impulse[0] *= 1.0 + OFF;
    if (change == CHANGE_X || change == CHANGE_Y)
        velocity[change == CHANGE_Y] += OFF;
}

/* Follows the motion to the first event of this kind, whose outcome is changed.
 * Is it refused? */
static bool
refused(const char *model, enum flow_kind kind, enum change change)
{
    struct run r;
    compile(&r, model);
    double p[1] = {0.0};
    struct driver_options o = {.write = collect, .ctx = &r.out};
    assert_int_equal(driver_open(&r.d, r.im, NULL, p, &o, &r.ds), IMP_EXIT_OK);
    assert_int_equal(rt_restart(r.d.run, p), IMP_OK);
    struct flow *flow = flow_new(r.d.run, 0, BALLISTIC_REPORT, 10.0);
    struct flow_event event = {0};
    double time;
    bool found = false, bad = false;
    assert_non_null(flow);
    for (int i = 0; i < EVENTS && !found; i++) {
        assert_int_equal(flow_peek(flow, 10.0, &time), IMP_OK);
        memset(&event, 0, sizeof event);
        flow_audit_before(flow);
        assert_int_equal(flow->method->apply(flow, &event), IMP_OK);
        found = event.kind == kind;
        if (found)
            change_outcome(flow, change);
        bad = flow_audit_after(flow, &event, NULL) != IMP_OK;
        assert_true(found || !bad);
    }
    assert_true(found);
    driver_close(&r.d);
    buf_free(&r.out);
    arena_free(r.a);
    return bad;
}

static void
impacts(void **state)
{
    (void)state;
    assert_false(refused(kepler, FLOW_IMPACT, CHANGE_NONE));
    assert_true(refused(kepler, FLOW_IMPACT, CHANGE_IMPULSE));
    assert_true(refused(kepler, FLOW_IMPACT, CHANGE_X));
    assert_true(refused(kepler, FLOW_IMPACT, CHANGE_Y));
}

/* The wall is not met on an axis, so both velocities have a part along it. */
static void
limits(void **state)
{
    (void)state;
    assert_false(refused(kepler, FLOW_CHATTER, CHANGE_NONE));
    assert_true(refused(kepler, FLOW_CHATTER, CHANGE_X));
    assert_true(refused(kepler, FLOW_CHATTER, CHANGE_Y));
}

/* What the belt does until then is some 1e-8 of the energy: flights are
 * followed until little is left. */
static void
limits_with_friction(void **state)
{
    (void)state;
    assert_false(refused(BLOCK("(0 [m/s])"), FLOW_CHATTER, CHANGE_NONE));
    assert_true(refused(BLOCK("(0 [m/s])"), FLOW_CHATTER, CHANGE_X));
    assert_false(refused(BLOCK("(30 [m/s])"), FLOW_CHATTER, CHANGE_NONE));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts),
        cmocka_unit_test(limits),
        cmocka_unit_test(limits_with_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
