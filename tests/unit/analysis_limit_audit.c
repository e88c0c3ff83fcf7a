/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit of the energy at a limit of impacts of bodies (impact/audit.c):
 * what bodies do by themselves passes; a gain of 1e-7 of the energy does not,
 * nor one of more than a force or a moving ground may have done. */
#include "analysis_help.h"

#include "analysis/impact/impact_of_contacts.h"
#include "runtime/setup/new_run.h"

#define GRAVITY 9.81

/* A disc at height 2 with the speed -1, and the same so much later, where it
 * has fallen freely, but for a change of its speed, and one along the ground
 * (m/s). Is that refused? */
static bool
refused_along(const char *ground, const char *force, double later,
              double change, double along)
{
    char text[512];
    struct run r;
    snprintf(text, sizeof text,
             "use shapes\nworld { gravity = (0, -%.17g) }\n"
             "body floor : half_plane { fixed = true %s }\n"
             "body ball : circle(0.5) { mass = 2  position = (0, 2)\n"
             "  velocity = (0.3, -1)  %s }\n"
             "contact c : floor | ball { restitution = 0.5 }\n",
             GRAVITY, ground, force);
    compile(&r, text);
    double p[1] = {0.0};
    struct driver_options o = {.write = collect, .ctx = &r.out};
    assert_int_equal(driver_open(&r.d, r.im, NULL, p, &o, &r.ds), IMP_EXIT_OK);
    struct rt *run = r.d.run;
    assert_int_equal(rt_restart(run, p), IMP_OK);
    struct saved_state before = saved_state_take(run);
    double *state = run->env + rt_body(run, 1)->env_state;
    struct contact_point_state point = {.rate = -1.0, .free = -GRAVITY};
    bool body[] = {false, true}, moved = true;
    double mobility = 0.5, e = 0.5;
    state[0] += 0.3 * later;
    state[1] -= later + 0.5 * GRAVITY * later * later;
    state[4] -= GRAVITY * later;
    state[4] *= 1.0 + change;
    state[3] += along;
    run->env[run->im->layout.time] = later;
    struct limit_of limit = {.body = body,
                             .moved = &moved,
                             .contact = 0,
                             .n_contacts = 1,
                             .n = 1,
                             .point = &point,
                             .G = &mobility,
                             .e = &e,
                             .state_error = 1e-14};
    bool bad = impact_audit_limit(&r.d.analysis, &limit, &before) != IMP_OK;
    assert_int_equal(bad, has_code(&r, DIAG_E0714));
    done(&r);
    return bad;
}

static bool
refused(const char *ground, const char *force, double later, double change)
{
    return refused_along(ground, force, later, change, 0.0);
}

static void
flights(void **state)
{
    (void)state;
    assert_false(refused("", "", 0.1, 0.0));
    assert_false(refused("", "", 0.1, -0.5));
    assert_true(refused("", "", 0.1, 1e-7));
    assert_true(refused("", "", 0.0, 1e-7));
}

/* A force may do as much as it and the weight beside it do along the speed. */
static void
forces(void **state)
{
    (void)state;
    assert_false(refused("", "force = (3 [N], 0)", 0.1, 1e-4));
    assert_true(refused("", "force = (3 [N], 0)", 0.1, 5.0));
    assert_true(refused("", "force = (3 [N], 0)", 0.0, 1e-7));
}

/* A floor that moves gives what impulses do at its speed: seen from it, no
 * energy is gained. */
static void
ground(void **state)
{
    static const char rises[] = "position = (0, (0.1 [m/s])*t)",
                      belt[] = "position = ((5 [m/s])*t, 0)",
                      both[] = "position = ((5 [m/s])*t, (0.1 [m/s])*t)";
    (void)state;
    assert_false(refused(rises, "", 0.1, 0.01));
    assert_true(refused(rises, "", 0.1, 1.0));
    /* from -1.1 m/s to 1.1 m/s */
    assert_false(refused(rises, "", 0.0, -2.19));
    assert_true(refused(rises, "", 0.0, -2.21));
    /* from 4.7 m/s behind to 4.7 m/s ahead */
    assert_false(refused_along(belt, "", 0.0, 0.0, 9.39));
    assert_true(refused_along(belt, "", 0.0, 0.0, 9.41));
    assert_true(refused_along(belt, "", 0.0, 0.0, -0.01));
    assert_false(refused_along(both, "", 0.0, -2.19, 9.39));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flights),
        cmocka_unit_test(forces),
        cmocka_unit_test(ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
