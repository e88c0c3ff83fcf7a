/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Impacts at several points: reference values of the paper of Dragna, Pandrea
 * and Stanescu and of the moving-frame cuboids (screws.md 1.D to 1.G,
 * moving-frame.md 3.D), and arrangements with textbook answers under each
 * law. */
#include "impact_help.h"

static struct impact_solver *
solved(struct arena *a, struct problem *o, enum imp_impact_law law)
{
    struct impact_solver *m =
        impact_solver_new(a, o->p.n_body, o->p.n_contact, o->p.n_joint);
    assert_int_equal(impact_solver_prepare(m, &o->p), 0);
    impact_solver_solve(m, law);
    assert_true(m->balance.momentum_error < 1e-13);
    /* velocities by the twists and by G P agree */
    for (uint32_t c = 0; c < o->p.n_contact; c++) {
        double v = 0;
        for (int s = 0; s < 2; s++) {
            if (o->c[c].body[s] == WORLD)
                continue;
            const double *t = m->velocity.twist + 6 * o->c[c].body[s];
            const double *x = s ? o->c[c].q : o->c[c].p;
            double r[3];
            for (int i = 0; i < 3; i++)
                r[i] = x[i] - o->b[o->c[c].body[s]].centre[i];
            double at[3] = {t[3] + t[1] * r[2] - t[2] * r[1],
                            t[4] + t[2] * r[0] - t[0] * r[2],
                            t[5] + t[0] * r[1] - t[1] * r[0]};
            for (int i = 0; i < 3; i++)
                v += (s ? 1 : -1) * o->c[c].dir[i] * at[i];
        }
        CLOSE(m->velocity.after[c], v, 1e-12 * (1 + m->approach.vsize[c]));
    }
    return m;
}

/* -- 1.D: the singular example ---------------------------------------------
 */

static void
singular_pair(struct problem *o, double k1, double k2, double k3)
{
    problem_new(o);
    add_body(o, 2, 0.5, 0.4, 1, 0, 0, 0, NULL);
    add_body(o, 3, 0.7, 0.6, 2, 0, 2, 0, NULL);
    /* hinges along z; O1 one unit below C1, O2 one above C2 */
    add_joint(o, IMP_JOINT_HINGE, 0, WORLD, 0, -1, 0, 0, 0, 1, false);
    add_joint(o, IMP_JOINT_HINGE, 1, WORLD, 0, 3, 0, 0, 0, 1, false);
    set_motion(o, 0, 0, 0, -1, 1, 0, 0);
    set_motion(o, 1, 0, 0, -0.5, -0.5, 0, 0);
    add_contact(o, 0, 1, 0, 0, 1, 1, 1, 0, k1);
    add_contact(o, 0, 1, 0, 2, -1, 0, 1, 1, k2);
    add_contact(o, 0, 1, 0, 0, -1, 1, 0, 1, k3);
}

static void
paper_singular(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct problem o;
    singular_pair(&o, 0.5, 0.5, 0.5);
    struct impact_solver *m = solved(a, &o, IMP_IMPACT_NEWTON);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double u = m->approach.length[i] * m->approach.length[k];
            CLOSE(m->delassus.G[3 * i + k] * u,
                  i == 1 || k == 1 ? 0 : 32.0 / 15, 1e-14);
        }
    assert_int_equal(m->delassus.rank, 1);
    assert_false(m->delassus.regular);
    assert_int_equal(m->decision.determined, IMPACT_MOTION_UNIQUE);
    assert_true(m->decision.applied);
    CLOSE(m->velocity.before[0], -2.5, 1e-14);
    CLOSE(m->impulse.P[0], 225.0 / 256, 1e-13);
    CLOSE(m->impulse.P[1], 0, 1e-13);
    CLOSE(m->impulse.P[2], 225.0 / 256, 1e-13);
    const double v1[6] = {0, 0, -53.0 / 128, 53.0 / 128, 0, 0};
    const double v2[6] = {0, 0, 71.0 / 128, 71.0 / 128, 0, 0};
    for (int i = 0; i < 6; i++) {
        CLOSE(m->velocity.twist[i], v1[i], 1e-13);
        CLOSE(m->velocity.twist[6 + i], v2[i], 1e-13);
    }
    const double x1[6] = {75.0 / 128, 225.0 / 256, 225.0 / 256, 0, 0, 0};
    const double x2[6] = {45.0 / 32, -225.0 / 256, -225.0 / 256, 225.0 / 64, 0,
                          0};
    for (int i = 0; i < 6; i++) {
        CLOSE(m->impulse.xi[i], x1[i], 1e-13);
        CLOSE(m->impulse.xi[6 + i], x2[i], 1e-13);
    }
    CLOSE(m->balance.energy[0], 17.0 / 8, 1e-14);
    CLOSE(m->balance.energy[1], 1051.0 / 1024, 1e-13);
    /* every law agrees with equal restitutions */
    for (int law = IMP_IMPACT_POISSON; law <= IMP_IMPACT_LEAST_NORM; law++) {
        impact_solver_solve(m, (enum imp_impact_law)law);
        if (law == IMP_IMPACT_SEQUENTIAL)
            continue;
        for (int i = 0; i < 6; i++)
            CLOSE(m->velocity.twist[i], v1[i], 1e-12);
        CLOSE(m->impulse.P[0], 225.0 / 256, 1e-12);
    }
    /* k = 1 */
    singular_pair(&o, 1, 1, 1);
    m = solved(a, &o, IMP_IMPACT_NEWTON);
    CLOSE(m->impulse.P[0], 75.0 / 64, 1e-13);
    CLOSE(m->impulse.P[2], 75.0 / 64, 1e-13);
    CLOSE(m->velocity.twist[2], -7.0 / 32, 1e-13);
    CLOSE(m->velocity.twist[8], 29.0 / 32, 1e-13);
    CLOSE(m->balance.energy[1], 17.0 / 8, 1e-13);
    /* [1.3] unequal: nothing is applied; least squares, complementarity */
    singular_pair(&o, 0.5, 0.5, 0.2);
    m = solved(a, &o, IMP_IMPACT_UNDECLARED);
    assert_false(m->decision.applied);
    assert_int_equal(m->decision.fault, IMPACT_INCONSISTENT);
    assert_int_equal(m->decision.determined, IMPACT_NOT_UNIQUE);
    CLOSE(m->velocity.twist[2], -1, 0);
    impact_solver_solve(m, IMP_IMPACT_LEAST_NORM);
    assert_true(m->decision.applied);
    assert_int_equal(m->decision.determined, IMPACT_NOT_UNIQUE);
    CLOSE(m->impulse.P[0], 405.0 / 512, 1e-13);
    CLOSE(m->impulse.P[2], 405.0 / 512, 1e-13);
    CLOSE(m->velocity.residual[0], 0.375, 1e-13);
    CLOSE(m->velocity.residual[2], -0.375, 1e-13);
    CLOSE(m->balance.energy[1], 3439.0 / 4096, 1e-13);
    impact_solver_solve(m, IMP_IMPACT_COMPLEMENTARITY);
    CLOSE(m->impulse.P[0], 1.7578125, 1e-12);
    CLOSE(m->impulse.P[1], 0, 1e-12);
    CLOSE(m->impulse.P[2], 0, 1e-12);
    impact_solver_solve(m, IMP_IMPACT_POISSON);
    assert_false(m->decision.applied);
    assert_int_equal(m->decision.fault, IMPACT_AMBIGUOUS);
    arena_free(a);
}

/* -- 1.F: the regular example ----------------------------------------------
 */

static void
three_points(struct problem *o, double k1, double k2, double k3)
{
    problem_new(o);
    add_body(o, 2, 0.5, 0.4, 0.3, 0, 0, 0, NULL);
    add_body(o, 3, 0.7, 0.6, 0.5, 0, 1.5, 0, NULL);
    add_joint(o, IMP_JOINT_BALL, 0, WORLD, 0, -1, 0, 0, 0, 1, false);
    add_joint(o, IMP_JOINT_HINGE, 1, WORLD, 0, 2.7, 0, 0, 0, 1, false);
    set_motion(o, 0, 1, -2, -2, 2, 0, 1);
    set_motion(o, 1, 0, 0, -1, -1.2, 0, 0);
    add_contact(o, 0, 1, 0, 0, 0.8, 1. / 3, 2. / 3, 2. / 3, k1);
    add_contact(o, 0, 1, 0, 1.5, -0.6, 2. / 3, -1. / 3, 2. / 3, k2);
    add_contact(o, 0, 1, 0, 0, -0.6, 2. / 3, 2. / 3, -1. / 3, k3);
}

static void
paper_regular(void **state)
{
    static const double row[3][17] = {
        {.5, 2.23119889151, 2.61964749739, 1.91214291968, -.706847617208,
         1.0443244894, .7759017707, .565488434792, -1.78687696618,
         1.88901204166, -.817178615045, 1.87083179003, -1.88901204166,
         -2.59651661937, 5.33999244866, 1.21772979576, 2.30565474114},
        {1, 2.97493185534, 3.49286332986, 2.54952389291, -1.27579682294,
         2.0590993192, 1.70120236093, 1.08731791306, -2.38250262158,
         2.51868272222, -1.08957148673, 2.49444238671, -2.51868272222,
         -3.46202215916, 7.11998993154, 1.62363972768, 9.06},
        {0, 1.48746592767, 1.74643166493, 1.27476194645, -.137898411472,
         .0295496596012, -.149398819533, .0436589565279, -1.19125131079,
         1.25934136111, -.544785743363, 1.24722119336, -1.25934136111,
         -1.73101107958, 3.55999496577, .81181986384, .0542063215135}};
    static const double G[6] = {.401247860164, .202479042636, .169606831439,
                                2.60095399603, 1.22095808527, 1.26721366288};
    (void)state;
    struct arena *a = arena_new();
    struct problem o;
    for (int k = 0; k < 3; k++) {
        const double *r = row[k];
        three_points(&o, r[0], r[0], r[0]);
        for (int law = IMP_IMPACT_NEWTON; law <= IMP_IMPACT_ENERGETIC; law++) {
            struct impact_solver *m = solved(a, &o, (enum imp_impact_law)law);
            assert_true(m->delassus.regular);
            assert_int_equal(m->decision.determined, IMPACT_UNIQUE);
            for (int i = 0, n = 0; i < 3; i++)
                for (int j = i; j < 3; j++, n++)
                    DIGITS(m->delassus.G[3 * i + j], G[n]);
            DIGITS(m->velocity.before[0], -7.0 / 6);
            DIGITS(m->velocity.before[1], -6.4);
            DIGITS(m->velocity.before[2], -4);
            for (int i = 0; i < 3; i++) {
                DIGITS(m->impulse.P[i], r[1 + i]);
                DIGITS(m->velocity.twist[i], r[4 + i]);
                DIGITS(m->velocity.after[i], -r[0] * m->velocity.before[i]);
            }
            DIGITS(m->velocity.twist[8], r[7]);
            for (int i = 0; i < 3; i++)
                DIGITS(m->impulse.xi[i], r[8 + i]);
            for (int i = 0; i < 5; i++)
                DIGITS(m->impulse.xi[6 + i], r[11 + i]);
            DIGITS(m->balance.energy[0], 9.06);
            DIGITS(m->balance.energy[1], r[16]);
            assert_true(m->velocity.peak);
            DIGITS(m->impulse.load[0] + m->impulse.unload[0], m->impulse.P[0]);
            DIGITS(m->velocity.at_peak[0], 0);
            assert_int_equal(impact_solver_measure(m), 0);
            assert_int_equal(m->delassus.rank, 3);
        }
    }
    /* the exact impulses for 1/2 */
    three_points(&o, .5, .5, .5);
    struct impact_solver *m = solved(a, &o, IMP_IMPACT_NEWTON);
    CLOSE(m->impulse.P[0], 2133237591. / 956094770, 1e-13);
    CLOSE(m->impulse.P[1], 5009262543. / 1912189540, 1e-13);
    CLOSE(m->impulse.P[2], 365637969. / 191218954, 1e-13);
    /* unequal restitutions raise the energy under Newton's law, and pull */
    three_points(&o, 1, 1, 0);
    m = solved(a, &o, IMP_IMPACT_NEWTON);
    DIGITS(m->balance.energy[1] - m->balance.energy[0], 6.67184559539);
    DIGITS(m->balance.gained, 6.67184559539);
    CLOSE(fmin(m->impulse.P[0], fmin(m->impulse.P[1], m->impulse.P[2])), -3.336,
          1e-3);
    /* and never under the energetic law */
    impact_solver_solve(m, IMP_IMPACT_ENERGETIC);
    assert_true(m->decision.applied && m->balance.gained == 0);
    for (int i = 0; i < 3; i++) {
        /* the definition: work of expansion is -e^2 that of compression */
        double wc = m->impulse.load[i] * m->velocity.before[i] / 2, we = 0;
        for (int j = 0; j < 3; j++)
            we += m->impulse.unload[i] * m->delassus.G[3 * i + j] *
                  m->impulse.unload[j] / 2;
        CLOSE(we, -o.c[i].e * o.c[i].e * wc, 1e-12);
    }
    arena_free(a);
}

/* -- 1.G: special cases ----------------------------------------------------
 */

static void
paper_special(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct problem o;
    for (int k = 0; k < 3; k++) {
        three_points(&o, .5, .5, .5);
        o.p.n_joint = 0;
        add_joint(&o, IMP_JOINT_HINGE, 0, WORLD, 0, -1, 0, 0, 0, 1, false);
        add_joint(&o, IMP_JOINT_HINGE, 1, WORLD, 0, 2.7, 0, 0, 0, 1, false);
        set_motion(&o, 0, 0, 0, -2, 2, 0, 0);
        o.p.n_contact = k == 0 ? 1 : 2;
        if (k == 2)
            o.c[1] = o.c[2];
        struct impact_solver *m = solved(a, &o, IMP_IMPACT_NEWTON);
        DIGITS(m->balance.energy[0], 7.01);
        if (k == 1) {
            const double x1[5] = {-2.18108108108, 2.5027027027, 5.58378378378,
                                  5.22486486486, .179459459459};
            const double x2[5] = {1.58108108108, -2.5027027027, -5.58378378378,
                                  15.4351351351, -.179459459459};
            DIGITS(m->impulse.P[0], 1959. / 370);
            DIGITS(m->impulse.P[1], 114. / 37);
            DIGITS(m->velocity.twist[2], 1);
            DIGITS(m->velocity.twist[8], .5);
            DIGITS(m->balance.energy[1], 1.7525);
            for (int i = 0; i < 5; i++) {
                DIGITS(m->impulse.xi[i], x1[i]);
                DIGITS(m->impulse.xi[6 + i], x2[i]);
            }
            continue;
        }
        DIGITS(m->velocity.twist[2], -.425858155371);
        DIGITS(m->velocity.twist[8], 1.0280956131);
        DIGITS(m->balance.energy[1], 2.75588166489);
        if (k == 0) {
            DIGITS(m->impulse.P[0], 10.8615787279);
        } else {
            assert_int_equal(m->delassus.rank, 1);
            assert_int_equal(m->decision.determined, IMPACT_MOTION_UNIQUE);
            DIGITS(m->impulse.P[0], 2.17231574559);
            DIGITS(m->impulse.P[1], 4.34463149118);
            CLOSE(fabs(m->delassus.null[0] * m->impulse.P[0] +
                       m->delassus.null[1] * m->impulse.P[1]),
                  0, 1e-12);
        }
    }
    arena_free(a);
}

/* -- moving frame 3.D ------------------------------------------------------
 */

/* Two cuboids: e, the ratio of the masses, and the velocities after. */
static const struct cuboid_case {
    int corner;
    double e, ratio, v[7];
} cuboid_case[] = {
    {0, 1, 1, {.765625, 1.25, -.140625, -.75, 0, 0, 0}},
    {0,
     .75,
     1,
     {.794921875, 1.09375, -.123046875, -.65625, 0, 0, 25.634765625}},
    {0, .5, 1, {.82421875, .9375, -.10546875, -.5625, 0, 0, 43.9453125}},
    {0,
     .75,
     .5,
     {.65460526315789474, .92105263157894737, -.20723684210526316,
      -.55263157894736842, 0, 0, 43.174342105263158}},
    {0,
     .75,
     2,
     {.88685344827586207, 1.2068965517241379, -.067887931034482759,
      -.72413793103448276, 0, 0, 14.143318965517241}},
    {1,
     1,
     1,
     {.88179654133182514, .63041844623026595, -.070922075200904919,
      -.37825106773815957, .086490335610859657, .62008371760354027, 0}},
    {1,
     .75,
     1,
     {.89657197366534699, .5516161404514827, -.062056815800791804,
      -.33096968427088962, .0756790436595022, .54257325290309774,
      12.928503291831626}},
    {1,
     .5,
     1,
     {.91134740599886885, .47281383467269946, -.053191556400678689,
      -.28368830080361968, .064867751708144743, .46506278820265521,
      22.163148500282787}},
    {1,
     .75,
     .5,
     {.82800346344389981, .45865743081626718, -.10319792193366012,
      -.27519445848976031, .12585112430934161, .45113845654059067,
      21.499567069512524}},
    {1,
     .75,
     2,
     {.94245444433439073, .61381926043316559, -.034527333399365565,
      -.36829155625989936, .042106504145567762, .60375664960639239,
      7.1931944582011593}}};

static void
cuboids(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    for (size_t k = 0; k < sizeof cuboid_case / sizeof *cuboid_case; k++) {
        struct problem o;
        double m1 = 1000, m2 = 187.5 / cuboid_case[k].ratio,
               h = cuboid_case[k].corner ? 1 : 0;
        problem_new(&o);
        add_body(&o, m1, m1 * (25. + 4) / 12, m1 * (16. + 4) / 12,
                 m1 * (16. + 25) / 12, 0, 0, 0, NULL);
        add_body(&o, m2, m2 * (6.25 + 1) / 12, m2 * (9. + 1) / 12,
                 m2 * (9. + 6.25) / 12, 3.5, 3.75 * h, 1.5, NULL);
        set_motion(&o, 0, 0, 0, 0, 1, 0, 0);
        add_contact(&o, 0, 1, 2, 2.5 * h, 1, 1, 0, 0, cuboid_case[k].e);
        struct impact_solver *m = solved(a, &o, IMP_IMPACT_NEWTON);
        const double *t = m->velocity.twist;
        const double got[7] = {t[3],
                               t[9],
                               t[1],
                               t[7],
                               t[2],
                               t[8],
                               m->balance.energy[0] - m->balance.energy[1]};
        for (int i = 0; i < 7; i++)
            CLOSE(got[i], cuboid_case[k].v[i], i == 6 ? 1e-10 : 1e-13);
        /* eq. (30): the state at peak compression; p/(1 + e) loads */
        assert_true(m->velocity.peak);
        CLOSE(m->velocity.peak_twist[3],
              (t[3] + cuboid_case[k].e) / (1 + cuboid_case[k].e), 1e-13);
        CLOSE(m->velocity.at_peak[0], 0, 1e-13);
        CLOSE(m->impulse.unload[0], cuboid_case[k].e * m->impulse.load[0],
              1e-10);
    }
    arena_free(a);
}

/* -- textbook arrangements --------------------------------------------------
 */

/* n balls of mass 1 along x, the first moves with speed 1 */
static void
balls(struct problem *o, int n, double e)
{
    problem_new(o);
    for (int i = 0; i < n; i++)
        add_body(o, 1, .4, .4, .4, 2 * i, 0, 0, NULL);
    for (int i = 0; i + 1 < n; i++)
        add_contact(o, (uint32_t)i, (uint32_t)i + 1, 2 * i + 1, 0, 0, 1, 0, 0,
                    e);
    set_motion(o, 0, 0, 0, 0, 1, 0, 0);
}

static void
cradle(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct problem o;
    balls(&o, 3, 1);
    for (int law = IMP_IMPACT_NEWTON; law <= IMP_IMPACT_LEAST_NORM; law++) {
        struct impact_solver *m = solved(a, &o, (enum imp_impact_law)law);
        assert_true(m->decision.applied);
        CLOSE(m->balance.energy[1], 0.5, 1e-12);
        bool seq = law == IMP_IMPACT_SEQUENTIAL;
        /* all at once: -1/3, 2/3, 2/3; one after the other: 0, 0, 1 */
        CLOSE(m->velocity.twist[3], seq ? 0 : -1. / 3, 1e-12);
        CLOSE(m->velocity.twist[9], seq ? 0 : 2. / 3, 1e-12);
        CLOSE(m->velocity.twist[15], seq ? 1 : 2. / 3, 1e-12);
        assert_false(m->decision.tie);
        if (seq)
            assert_int_equal(m->decision.steps, 2);
    }
    balls(&o, 10, 1);
    struct impact_solver *m = solved(a, &o, IMP_IMPACT_SEQUENTIAL);
    for (int i = 0; i < 10; i++)
        CLOSE(m->velocity.twist[6 * i + 3], i == 9, 1e-13);
    assert_int_equal(m->decision.steps, 9);
    balls(&o, 10, 0);
    for (int law = IMP_IMPACT_NEWTON; law <= IMP_IMPACT_LEAST_NORM; law++) {
        m = solved(a, &o, (enum imp_impact_law)law);
        for (int i = 0; i < 10; i++)
            CLOSE(m->velocity.twist[6 * i + 3], 0.1, 1e-9);
    }
    arena_free(a);
}

/* a ball against two that touch each other not: momentum along x, e = 1 */
static void
two_at_once(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct problem o;
    double c = sqrt(3.) / 2;
    problem_new(&o);
    add_body(&o, 1, .4, .4, .4, 0, 0, 0, NULL);
    add_body(&o, 1, .4, .4, .4, 2 * c, 1, 0, NULL);
    add_body(&o, 1, .4, .4, .4, 2 * c, -1, 0, NULL);
    add_contact(&o, 0, 1, c, .5, 0, c, .5, 0, 1);
    add_contact(&o, 0, 2, c, -.5, 0, c, -.5, 0, 1);
    set_motion(&o, 0, 0, 0, 0, 1, 0, 0);
    for (int law = IMP_IMPACT_NEWTON; law <= IMP_IMPACT_LEAST_NORM; law++) {
        struct impact_solver *m = solved(a, &o, (enum imp_impact_law)law);
        CLOSE(m->balance.energy[1], 0.5, 1e-12);
        if (law == IMP_IMPACT_SEQUENTIAL) {
            /* which is first matters, and nothing says it */
            assert_true(m->decision.tie);
            assert_int_equal(m->decision.determined, IMPACT_NOT_UNIQUE);
            continue;
        }
        CLOSE(m->velocity.twist[3], -0.2, 1e-12);
        CLOSE(m->velocity.twist[9], 0.6, 1e-12);
        CLOSE(m->velocity.twist[10], 0.6 / sqrt(3.), 1e-12);
        CLOSE(m->velocity.twist[16], -0.6 / sqrt(3.), 1e-12);
    }
    /* the declared priority decides */
    o.c[0].priority = 2;
    o.c[1].priority = 1;
    struct impact_solver *m = solved(a, &o, IMP_IMPACT_SEQUENTIAL);
    assert_false(m->decision.tie);
    assert_true(m->impulse.P[1] > m->impulse.P[0]);
    arena_free(a);
}

/* a block (width 2w, height 2h) that rocks onto its second corner */
static void
rocking(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct problem o;
    double w = 0.5, h = 1, j = (w * w + h * h) / 3, om = 1;
    problem_new(&o);
    add_body(&o, 1, 0, 0, j, 0, h, 0, NULL);
    o.b[0].root[0] = o.b[0].root[4] = 0;
    /* it turned about the left corner (-w, 0): v = om z x (w, h) */
    set_motion(&o, 0, 0, 0, -om, om * h, -om * w, 0);
    add_contact(&o, WORLD, 0, -w, 0, 0, 0, 1, 0, 0);
    add_contact(&o, WORLD, 0, w, 0, 0, 0, 1, 0, 0);
    struct impact_solver *m = solved(a, &o, IMP_IMPACT_NEWTON);
    /* both corners stop: no rotation is left without friction */
    CLOSE(m->velocity.twist[2], 0, 1e-14);
    CLOSE(m->velocity.twist[4], 0, 1e-14);
    /* the corner it turned about would pull if it is the stockier block */
    impact_solver_solve(m, IMP_IMPACT_COMPLEMENTARITY);
    CLOSE(m->velocity.after[1], 0, 1e-13);
    assert_true(m->impulse.P[0] >= 0 && m->velocity.after[0] >= -1e-14);
    CLOSE(m->impulse.P[0] * m->velocity.after[0], 0, 1e-13);
    /* w^2 < j: the left corner lifts; angular momentum about the right one */
    assert_true(w * w < j && m->velocity.after[0] > 0);
    CLOSE(m->velocity.twist[2], -om * (j - w * w) / (j + w * w), 1e-13);
    arena_free(a);
}

/* four legs dropped flat: impulses are not unique, the motion is */
static void
table(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct problem o;
    problem_new(&o);
    add_body(&o, 8, 2, 3, 4, 0.1, 0.2, 1, NULL);
    set_motion(&o, 0, 0, 0, 0, 0, 0, -1);
    for (int i = 0; i < 4; i++)
        add_contact(&o, WORLD, 0, i & 1 ? 1 : -1, i & 2 ? 1 : -1, 0, 0, 0, 1,
                    0.5);
    for (int law = IMP_IMPACT_NEWTON; law <= IMP_IMPACT_LEAST_NORM; law++) {
        struct impact_solver *m = solved(a, &o, (enum imp_impact_law)law);
        assert_true(m->decision.applied);
        assert_int_equal(m->delassus.rank, 3);
        if (law == IMP_IMPACT_SEQUENTIAL)
            continue;
        assert_int_equal(m->decision.determined, IMPACT_MOTION_UNIQUE);
        CLOSE(m->velocity.twist[5], 0.5, 1e-12);
        for (int i = 0; i < 4; i++)
            CLOSE(m->impulse.P[i],
                  3 + 0.3 * (i & 1 ? 1 : -1) + 0.6 * (i & 2 ? 1 : -1), 1e-11);
        assert_int_equal(impact_solver_measure(m), 0);
        const double sign[4] = {1, -1, -1, 1};
        for (int i = 0; i < 4; i++)
            CLOSE(m->delassus.null[i] * sign[i] *
                      (m->delassus.null[0] > 0 ? 1 : -1),
                  0.5, 1e-12);
    }
    /* one leg of another material: Newton's law contradicts itself */
    o.c[3].e = 0.4;
    struct impact_solver *m = solved(a, &o, IMP_IMPACT_UNDECLARED);
    assert_false(m->decision.applied);
    assert_int_equal(m->decision.determined, IMPACT_NOT_UNIQUE);
    impact_solver_solve(m, IMP_IMPACT_COMPLEMENTARITY);
    assert_true(m->decision.applied);
    impact_solver_solve(m, IMP_IMPACT_ENERGETIC);
    assert_int_equal(m->decision.fault, IMPACT_AMBIGUOUS);
    /* the floor moves up on a table at rest, and a wedge that is jammed */
    problem_new(&o);
    add_body(&o, 1, 1, 1, 1, 0, 0, 0, NULL);
    set_motion(&o, 0, 0, 0, 0, 0, 0, -1);
    add_contact(&o, WORLD, 0, 0, 0, -1, 0, 0, 1, 1);
    add_contact(&o, WORLD, 0, 0, 0, 1, 0, 0, -1, 0);
    m = solved(a, &o, IMP_IMPACT_COMPLEMENTARITY);
    assert_int_equal(m->decision.fault, IMPACT_JAMMED);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_singular), cmocka_unit_test(paper_regular),
        cmocka_unit_test(paper_special),  cmocka_unit_test(cuboids),
        cmocka_unit_test(cradle),         cmocka_unit_test(two_at_once),
        cmocka_unit_test(rocking),        cmocka_unit_test(table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
