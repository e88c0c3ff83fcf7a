/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coulomb friction at one instant: modes against Table 2 of Champneys and
 * Varkonyi and against a search of this test's own, impacts against numbers of
 * the specification and against an integration of the impulse. */
#include "base/arena.h"
#include "friction_many.h"
#include "impact_help.h"
#include "runtime/choice/choice.h"
#include "runtime/friction/friction.h"
#include "runtime/friction/painleve.h"

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

/* -- one point --------------------------------------------------------------
 */

struct single {
    double A, B, C, a, b, mu, slip;
};

static struct friction_choice
choose_single(const struct single *one)
{
    double W[4] = {one->C, one->B, one->B, one->A}, free[2] = {one->b, one->a};
    double terms[2] = {fabs(one->b), fabs(one->a)};
    struct friction_point point = {
        .mu_static = one->mu, .mu_dynamic = one->mu, .slip = one->slip};
    struct friction_instant in = {
        .n = 1, .point = &point, .W = W, .free = free, .terms = terms};
    struct friction_choice out;
    friction_choose(arena, &in, &out);
    return out;
}

/* bits: 1 free, 2 stick, 4 slip +, 8 slip - */
static int
modes_of(const struct friction_choice *choice)
{
    int bits = 0;
    for (int i = 0; i < choice->n; i++)
        bits |= choice->set[i].mode[0] == CONTACT_FREE            ? 1
                : choice->set[i].mode[0] == CONTACT_STICK         ? 2
                : choice->set[i].mode[0] == CONTACT_SLIP_POSITIVE ? 4
                                                                  : 8;
    return bits;
}

/* Table 2 of the paper (specification painleve.md, 3) */
static int
table_2(const struct single *s)
{
    double pp = s->C - s->mu * s->B, pm = s->C + s->mu * s->B;
    double kp = s->mu * s->A - s->B, km = s->mu * s->A + s->B;
    bool cone = s->a * pp + s->b * kp < 0.0 && -s->a * pm + s->b * km < 0.0;
    if (s->b > 0.0) {
        if (s->slip > 0.0)
            return pp > 0.0 ? 1 : 1 | 4;
        if (s->slip < 0.0)
            return pm > 0.0 ? 1 : 1 | 8;
        return pp > 0.0 && pm > 0.0 ? 1
               : !cone              ? 1
               : pm < 0.0           ? 1 | 2 | 8
                                    : 1 | 2 | 4;
    }
    if (s->slip > 0.0)
        return pp > 0.0 ? 4 : 0;
    if (s->slip < 0.0)
        return pm > 0.0 ? 8 : 0;
    if (cone)
        return 2;
    if (pm < 0.0)
        return 4;
    if (pp < 0.0)
        return 8;
    return s->a * pp + s->b * kp >= 0.0 ? 4 : 8;
}

static void
single_points(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int t = 0; t < 100000; t++) {
        struct single s = {.A = multi_random(&seed, 0.1, 2),
                           .C = multi_random(&seed, 0.1, 2),
                           .a = multi_random(&seed, -2, 2),
                           .b = multi_random(&seed, -1, 1),
                           .mu = multi_random(&seed, 0.05, 3),
                           .slip = t % 3 - 1};
        s.B = multi_random(&seed, -0.99, 0.99) * sqrt(s.A * s.C);
        struct friction_choice choice = choose_single(&s);
        int expected = table_2(&s);
        if (modes_of(&choice) != expected)
            fail_msg("A %.17g B %.17g C %.17g a %.17g b %.17g mu %.17g u %g: "
                     "%d, expected %d",
                     s.A, s.B, s.C, s.a, s.b, s.mu, s.slip, modes_of(&choice),
                     expected);
        assert_int_equal(choice.verdict, expected == 0   ? FRICTION_NONE
                                         : choice.n == 1 ? FRICTION_UNIQUE
                                                         : FRICTION_SEVERAL);
        arena_clear(arena);
    }
}

/* the points named in the specification, with their forces */
static void
stated_points(void **state)
{
    (void)state;
    struct single s = {1.1, 0.3, 0.1, 1, 0.1, 0.4, 0};
    struct friction_choice c = choose_single(&s);
    assert_int_equal(modes_of(&c), 1 | 2 | 4);
    for (int i = 0; i < c.n; i++) {
        if (c.set[i].mode[0] == CONTACT_STICK) {
            CLOSE(c.set[i].tangential[0], -3.5, 1e-13);
            CLOSE(c.set[i].normal[0], 9.5, 1e-13);
        }
        if (c.set[i].mode[0] == CONTACT_SLIP_POSITIVE)
            CLOSE(c.set[i].normal[0], 5.0, 1e-13);
    }
    s.mu = 0.2;
    c = choose_single(&s);
    assert_int_equal(modes_of(&c), 1);
    s = (struct single){1.1, 0.3, 0.1, 1, -0.4, 0.2, 0};
    c = choose_single(&s);
    assert_int_equal(modes_of(&c), 4);
    s.mu = 0.3;
    c = choose_single(&s);
    assert_int_equal(modes_of(&c), 2);
}

/* Two slips have ended, and in each of two motions one of them begins anew:
 * none has all of them stay. Half of the sum of forces times accelerations
 * before and with them is -1.7 and -1.565, so what rests begins to move with
 * less energy in the first one. Of two that are mirror images none goes on. */
static void
least_motion_where_none_stays(void **state)
{
    (void)state;
    const double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double terms[4] = {1.0, 1.0, 1.0, 1.0};
    for (int alike = 0; alike < 2; alike++) {
        double along = alike ? 1.0 : 0.7;
        const double free[4] = {-1.0, 1.0, -1.0, along};
        struct friction_point point[2] = {
            {.mu_static = 0.4, .mu_dynamic = 0.4},
            {.mu_static = 0.4, .mu_dynamic = 0.4}};
        enum contact_mode first[2] = {CONTACT_STICK, CONTACT_SLIP_POSITIVE},
                          second[2] = {CONTACT_SLIP_POSITIVE, CONTACT_STICK};
        double normal[2] = {1.0, 1.0},
               by[2][2] = {{-1.0, -0.4}, {-0.4, -along}},
               acc[2][4] = {{0, 0, 0, along - 0.4}, {0, 0.6, 0, 0}};
        struct friction_choice out = {
            .verdict = FRICTION_SEVERAL, .n = 2, .taken = -1};
        out.set[0] = (struct friction_set){.mode = first,
                                           .normal = normal,
                                           .tangential = by[0],
                                           .acc = acc[0]};
        out.set[1] = (struct friction_set){.mode = second,
                                           .normal = normal,
                                           .tangential = by[1],
                                           .acc = acc[1]};
        for (int slow = 0; slow < 2; slow++) {
            struct choice_group group = {.arena = arena,
                                         .instant = {.n = 2,
                                                     .point = point,
                                                     .W = W,
                                                     .free = free,
                                                     .terms = terms},
                                         .point = point,
                                         .cause = CHOICE_OTHER,
                                         .which = -1,
                                         .slow = slow};
            out.taken = -1;
            choice_keep(&group, &out);
            assert_int_equal(out.taken, slow && !alike ? 0 : -1);
            assert_int_equal(group.stays, slow && !alike);
        }
    }
}

/* A slip has just ended at a point where lift-off, stick and another slip all
 * obey the law, by the numbers below. Which of them goes on is open, but where
 * slow slips are to end: then the point sticks. */
static void
slow_slips_end(void **state)
{
    (void)state;
    const double W[4] = {1.0, -3.0, -3.0, 10.0}, free[2] = {0.5, -2.0};
    const double terms[2] = {0.5, 2.0};
    for (int slow = 0; slow < 2; slow++) {
        struct friction_point point = {.mu_static = 1.0,
                                       .mu_dynamic = 1.0,
                                       .held = true,
                                       .ended = true,
                                       .before = CONTACT_SLIP_POSITIVE};
        struct choice_group group = {.arena = arena,
                                     .instant = {.n = 1,
                                                 .point = &point,
                                                 .W = W,
                                                 .free = free,
                                                 .terms = terms},
                                     .point = &point,
                                     .cause = CHOICE_OTHER,
                                     .which = -1,
                                     .slow = slow};
        struct friction_choice out;
        choice_make(&group, &out);
        choice_keep(&group, &out);
        assert_int_equal(out.verdict, FRICTION_SEVERAL);
        assert_int_equal(modes_of(&out), 1 | 2 | 8);
        assert_int_equal(group.stays, slow);
        if (!slow) {
            assert_int_equal(out.taken, -1);
            continue;
        }
        const struct friction_set *set = out.set + out.taken;
        assert_int_equal(set->mode[0], CONTACT_STICK);
        CLOSE(set->normal[0], 1.0, 1e-12);
        CLOSE(set->tangential[0], 0.5, 1e-12);
    }
}

/* What was consistent until now and still is goes on; static friction above
 * the dynamic one is no paradox. */
static void
goes_on(void **state)
{
    (void)state;
    double W[4] = {0.1, 0.3, 0.3, 1.1}, free[2] = {0.1, 1};
    struct friction_point point = {0.4,           0.4,   0,   true,  false,
                                   CONTACT_STICK, false, 0.0, false, 0.0};
    struct friction_instant in = {
        .n = 1, .point = &point, .W = W, .free = free, .terms = free};
    struct friction_choice out;
    friction_choose(arena, &in, &out);
    assert_int_equal(out.verdict, FRICTION_SEVERAL);
    assert_true(out.taken >= 0);
    assert_int_equal(out.set[out.taken].mode[0], CONTACT_STICK);
    point.held = false;
    friction_choose(arena, &in, &out);
    assert_int_equal(out.taken, -1);
    /* a block pulled by 0.45 of its weight, static .5, dynamic .4 */
    double I[4] = {1, 0, 0, 1}, pull[2] = {-1, 0.45};
    struct friction_point block = {0.5,          0.4,   0,   false, false,
                                   CONTACT_FREE, false, 0.0, false, 0.0};
    in = (struct friction_instant){
        .n = 1, .point = &block, .W = I, .free = pull};
    friction_choose(arena, &in, &out);
    assert_int_equal(out.verdict, FRICTION_UNIQUE);
    assert_int_equal(out.set[0].mode[0], CONTACT_STICK);
    /* at the boundary of the cone stick has ended */
    pull[1] = 0.5 * (1 - 1e-12);
    block = (struct friction_point){0.5,           0.4,   0,   true,  true,
                                    CONTACT_STICK, false, 0.0, false, 0.0};
    friction_choose(arena, &in, &out);
    assert_int_equal(out.n, 1);
    assert_int_equal(out.set[0].mode[0], CONTACT_SLIP_POSITIVE);
    CLOSE(out.set[0].acc[1], 0.1, 1e-11);
    /* equal coefficients: the motion is continuous there */
    block.mu_dynamic = 0.5;
    friction_choose(arena, &in, &out);
    assert_int_equal(out.n, 1);
    assert_int_equal(out.set[0].mode[0], CONTACT_SLIP_POSITIVE);
}

/* -- several points ---------------------------------------------------------
 */

static void
several_points(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int counts[8] = {0};
    for (int t = 0; t < 6000; t++) {
        struct many m;
        int n = 1 + t % 3;
        random_many(&seed, n, 2 * n + t % 2, 1.5, &m);
        struct friction_instant in = {.n = n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        struct friction_choice out;
        friction_choose(arena, &in, &out);
        counts[out.verdict]++;
        for (int i = 0; i < out.n; i++)
            obeys(&m, &out.set[i], 1e-8);
        arena_clear(arena);
    }
    assert_true(counts[FRICTION_UNIQUE] > 1000);
    assert_true(counts[FRICTION_SEVERAL] > 10);
    assert_true(counts[FRICTION_NONE] > 10);
}

/* More points than the bodies have freedoms: forces are families. Points that
 * rest under a load that presses all of them stay at rest. */
static void
dependent_points(void **state)
{
    (void)state;
    uint64_t seed = 12;
    int held = 0;
    for (int t = 0; t < 4000; t++) {
        struct many m;
        int n = t % 4 == 3 ? 7 + t % 5 : 2 + t % 3;
        random_many(&seed, n, 3, 2.0, &m);
        for (int i = 0; i < n; i++)
            m.point[i].slip = 0.0;
        if (t % 2)
            for (int r = 0; r < 2 * n; r++) { /* a load that the cones hold */
                m.free[r] = m.terms[r] = 0.0;
                for (int j = 0; j < n; j++) {
                    double *w = m.W + r * 2 * n + 2 * j;
                    double T = (j % 2 ? 0.5 : -0.5) * m.point[j].mu_static;
                    m.free[r] -= w[0] + T * w[1];
                    m.terms[r] += fabs(w[0]) + fabs(T * w[1]);
                }
            }
        struct friction_instant in = {.n = n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        struct friction_choice out;
        friction_choose(arena, &in, &out);
        bool rests = false;
        for (int i = 0; i < out.n; i++) {
            obeys(&m, &out.set[i], 1e-7);
            bool all = true;
            for (int r = 0; r < 2 * n; r++)
                all &= fabs(out.set[i].acc[r]) <= 1e-7 * m.terms[r];
            rests |= all;
        }
        if (t % 2) {
            assert_true(rests);
            held++;
        }
        arena_clear(arena);
    }
    assert_true(held > 1000);
}

/* Many points: what Lemke's method leads to obeys the law. With little friction
 * there always is a motion, and it is found. */
static void
many_points(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int t = 0; t < 600; t++) {
        struct many m;
        int n = 13 + t % 4; /* of two choices each, at least */
        bool little = t % 2 == 0;
        random_many(&seed, n, t % 3 ? 2 * n : 6, little ? 0.05 : 1.0, &m);
        struct friction_instant in = {.n = n,
                                      .point = m.point,
                                      .W = m.W,
                                      .free = m.free,
                                      .terms = m.terms};
        struct friction_choice out;
        friction_choose(arena, &in, &out);
        if (little)
            assert_true(out.verdict == FRICTION_NOT_SHOWN ||
                        out.verdict == FRICTION_UNIQUE);
        for (int i = 0; i < out.n; i++)
            obeys(&m, &out.set[i], 1e-7);
        arena_clear(arena);
    }
}

/* uniform ladder of length 2 and mass 1 on floor and wall */
static struct friction_choice
ladder(double degrees, double mu_floor, double mu_wall)
{
    double angle = degrees * M_PI / 180, c = cos(angle), s = sin(angle);
    /* the foot at (c, -s) from the centre, leaning to the wall at -x; rows by
     * vx, vy, spin; the inertia is 1/3 */
    double J[4][3] = {{0, 1, c}, {1, 0, s}, {1, 0, -s}, {0, 1, -c}};
    double W[16], free[4];
    for (int i = 0; i < 4; i++) {
        free[i] = -9.81 * J[i][1];
        for (int j = 0; j < 4; j++)
            W[i * 4 + j] =
                J[i][0] * J[j][0] + J[i][1] * J[j][1] + 3 * J[i][2] * J[j][2];
    }
    struct friction_point point[2] = {
        {.mu_static = mu_floor, .mu_dynamic = mu_floor},
        {.mu_static = mu_wall, .mu_dynamic = mu_wall}};
    struct friction_instant in = {
        .n = 2, .point = point, .W = W, .free = free, .terms = NULL};
    struct friction_choice out;
    friction_choose(arena, &in, &out);
    return out;
}

static void
ladders(void **state)
{
    (void)state;
    struct friction_choice above = ladder(47.7264, 0.4, 0.3),
                           below = ladder(47.7262, 0.4, 0.3);
    bool rests = false;
    for (int i = 0; i < above.n; i++)
        rests |= above.set[i].mode[0] == CONTACT_STICK &&
                 above.set[i].mode[1] == CONTACT_STICK;
    assert_true(rests);
    for (int i = 0; i < below.n; i++)
        assert_false(below.set[i].mode[0] == CONTACT_STICK &&
                     below.set[i].mode[1] == CONTACT_STICK);
    /* at 48 degrees the least forces carry a load wherever they rub */
    above = ladder(48, 0.4, 0.3);
    for (int i = 0; i < above.n; i++)
        for (int j = 0; j < 2; j++)
            assert_true(fabs(above.set[i].tangential[j]) <=
                        (j ? 0.3 : 0.4) * above.set[i].normal[j] + 1e-9);
}

/* -- impacts ----------------------------------------------------------------
 */

static struct friction_impact
impact(double A, double B, double C, double mu, double u, double v, double e,
       enum friction_law law)
{
    struct friction_impact_point point = {
        .mu = mu, .e = e, .law = law, .normal = v, .slip = u};
    struct friction_impact out;
    friction_impact_one(A, B, C, &point, &out);
    return out;
}

/* specification painleve.md, 4 */
static void
stated_impacts(void **state)
{
    (void)state;
    static const struct {
        double B, mu, u, v, r;
        int region;
        double energetic[2], poisson[2];
    } row[] = {
        {.5, 1, 3, -1, .7, 1, {1.3, .7}, {1.3, .7}},
        {.5, 1, 1.5, -1, .7, 3, {0, .781024967590665}, {0, .8}},
        {.5, 1, .5, -1, .7, 5, {0, .8208227579691}, {0, .875}},
        {.5, 1, -2, -1, .7, 2, {-.3, .7}, {-.3, .7}},
        {.5, 1, -1.5, -1, .7, 4, {0, .608276253029822}, {0, .6}},
        {.5, 1, -.5, -1, .7, 6, {0, .553398590529466}, {0, .525}},
        {.5,
         .3,
         -.3,
         -1,
         .7,
         10,
         {.283290431002988, .635234331762697},
         {.28, .62125}},
        {.5,
         .3,
         -.9,
         -1,
         .7,
         8,
         {.0768186054623021, .620229073214784},
         {.0706521739130435, .594021739130435}},
        {-.5,
         .3,
         .3,
         -1,
         .7,
         9,
         {-.283290431002988, .635234331762697},
         {-.28, .62125}},
        {-.5,
         .3,
         .9,
         -1,
         .7,
         7,
         {-.0768186054623021, .620229073214784},
         {-.0706521739130435, .594021739130435}},
        {.5, 3, 1, -.2, .7, 5, {0, .408166632639171}, {0, .49}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct friction_impact one =
            impact(1, row[i].B, 1, row[i].mu, row[i].u, row[i].v, row[i].r,
                   FRICTION_ENERGETIC);
        assert_int_equal(one.region, row[i].region);
        CLOSE(one.after[1], row[i].energetic[0], 1e-13);
        CLOSE(one.after[0], row[i].energetic[1], 1e-13);
        one = impact(1, row[i].B, 1, row[i].mu, row[i].u, row[i].v, row[i].r,
                     FRICTION_POISSON);
        CLOSE(one.after[1], row[i].poisson[0], 1e-13);
        CLOSE(one.after[0], row[i].poisson[1], 1e-13);
    }
    /* Newton's law gains energy: T+/T- = 1.08 */
    struct friction_impact newton =
        impact(1, -.5, 1, 1, .5, -1, .9, FRICTION_NEWTON);
    double D = .75, before = (.25 + .5 * -1 + 1) / (2 * D), u = newton.after[1],
           v = newton.after[0];
    CLOSE((u * u + u * v + v * v) / (2 * D) / before, 1.08, 1e-13);
    CLOSE(newton.work[0] + newton.work[1], .08 * before, 1e-13);
}

/* The impulse process in small steps. */
static void
by_steps(double A, double B, double C, double mu, double e,
         enum friction_law law, double *u, double *v)
{
    double I = 0, Ic = 0, work = 0, wc = 0;
    bool back = false;
    for (;;) {
        double k = mu * A - fabs(B), t;
        bool stick = *u == 0.0 && k >= 0.0;
        if (stick)
            t = A > 0 ? -B / A : 0;
        else if (*u == 0.0)
            t = B > 0 ? -mu : mu;
        else
            t = *u > 0 ? -mu : mu;
        double du = stick ? 0 : B + A * t, dv = C + B * t;
        /* to the next corner: slip, velocity, law */
        double step = INFINITY;
        bool to_rest = false;
        if (*u * du < 0) {
            step = -*u / du;
            to_rest = true;
        }
        if (!back && dv > 0 && -*v / dv < step) {
            step = -*v / dv;
            to_rest = false;
        }
        bool last = false;
        if (back) {
            double end =
                law == FRICTION_POISSON ? (1 + e) * Ic - I
                : law == FRICTION_NEWTON
                    ? (e - *v) / dv
                    : (-*v + sqrt(*v * *v + 2 * dv * (e * e * wc - work))) / dv;
            if (end <= step) {
                step = end;
                last = true;
                to_rest = false;
            }
        }
        bool turn = !back && !to_rest;
        work += *v * step + 0.5 * dv * step * step;
        *u = to_rest ? 0.0 : *u + du * step;
        *v += dv * step;
        I += step;
        if (last)
            return;
        if (turn) {
            back = true;
            *v = 0;
            Ic = I;
            wc = -work;
            work = 0;
        }
    }
}

static void
random_impacts(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int t = 0; t < 100000; t++) {
        double A = multi_random(&seed, 0.1, 2), C = multi_random(&seed, 0.1, 2),
               B = multi_random(&seed, -0.99, 0.99) * sqrt(A * C),
               mu = multi_random(&seed, 0, 3), e = multi_random(&seed, 0, 1),
               u = multi_random(&seed, -2, 2), v = multi_random(&seed, -1, 0);
        enum friction_law law = t % 2 ? FRICTION_POISSON : FRICTION_ENERGETIC;
        struct friction_impact one = impact(A, B, C, mu, u, v, e, law);
        double x = u, y = v;
        by_steps(A, B, C, mu, e, law, &x, &y);
        CLOSE(one.after[1], x, 1e-9 * (1 + fabs(x)));
        CLOSE(one.after[0], y, 1e-9 * (1 + fabs(y)));
        /* momentum in both rows, and no energy gained */
        double P = one.normal[0] + one.normal[1], Q = one.tangential;
        CLOSE(v + C * P + B * Q, one.after[0], 1e-11 * (1 + C * P));
        CLOSE(u + B * P + A * Q, one.after[1], 1e-11 * (1 + A * fabs(Q)));
        assert_true(fabs(Q) <= mu * P * (1 + 1e-12));
        assert_true(one.work[0] + one.work[1] <= 1e-12);
        assert_true(one.work[1] <= 1e-11);
    }
}

/* One point among several that do not feel each other: the same as alone. */
static void
several_impacts(void **state)
{
    (void)state;
    uint64_t seed = 21;
    int unique = 0;
    for (int t = 0; t < 3000; t++) {
        struct many m;
        int n = 1 + t % 3;
        random_many(&seed, n, 2 * n + 1, 1.0, &m);
        struct friction_impact_point point[MOST];
        for (int i = 0; i < n; i++)
            point[i] = (struct friction_impact_point){
                .mu = m.point[i].mu_dynamic,
                .e = t % 5 ? multi_random(&seed, 0, 1) : 0.0,
                .law = FRICTION_POISSON,
                .normal = m.free[2 * i],
                .slip = m.free[2 * i + 1]};
        for (int how = 0; how < 3; how++) {
            struct friction_impact_several out;
            friction_impact_at(arena, n, m.W, point, (enum friction_several)how,
                               NULL, &out);
            if (out.verdict == FRICTION_NONE ||
                out.verdict == FRICTION_UNKNOWN ||
                out.verdict == FRICTION_SEVERAL)
                continue;
            unique++;
            for (int i = 0; i < n; i++) {
                double P = out.impulse[2 * i], Q = out.impulse[2 * i + 1];
                assert_true(P >= -1e-9 && out.after[2 * i] >= -1e-9);
                assert_true(fabs(Q) <= point[i].mu * P + 1e-9);
            }
            if (how != FRICTION_COMPLEMENTARITY || t % 5 == 0)
                assert_true(out.energy <= 1e-10);
            if (how == FRICTION_TWO_PHASES && n == 1) {
                struct friction_impact one;
                friction_impact_one(m.W[3], m.W[1], m.W[0], point, &one);
                if (point[0].e == 0.0 && one.region <= 6) {
                    CLOSE(out.after[0], one.after[0], 1e-9);
                    CLOSE(out.after[1], one.after[1], 1e-9);
                }
            }
        }
        arena_clear(arena);
    }
    assert_true(unique > 4000);
}

/* -- one point as Champneys and Varkonyi have it ------------------------------
 */

static void
coefficients(void **state)
{
    (void)state;
    /* the falling rod at theta = 1, rate .5, mu = 2 (painleve.md, 2) */
    double c = cos(1.0), s = sin(1.0), w = 0.5;
    struct painleve_point in = {.A = 1 + 3 * s * s,
                                .B = 3 * s * c,
                                .C = 1 + 3 * c * c,
                                .a = -w * w * c,
                                .b = w * w * s - 1,
                                .a_terms = w * w * c,
                                .b_terms = 1,
                                .mu = 2,
                                .slip = 1,
                                .restitution = 0.5,
                                .law = FRICTION_ENERGETIC};
    struct painleve out;
    painleve_find(arena, &in, &out);
    CLOSE(out.p_plus, -0.852112535298, 1e-11);
    CLOSE(out.p_minus, 4.603672025656, 1e-11);
    CLOSE(out.k_plus, 4.884494369403, 1e-11);
    CLOSE(out.k_minus, 7.61238664988, 1e-11);
    CLOSE(out.sigma, 1.280319463337, 1e-11);
    CLOSE(out.D, 4, 1e-13);
    CLOSE(out.mu_P, in.C / in.B, 0);
    assert_string_equal(painleve_cell(&out), "I(vi)");
    assert_int_equal(out.choice.verdict, FRICTION_NONE);
    assert_int_equal(out.outcomes, PAINLEVE_IMPACT);
}

static void
chatter_ratios(void **state)
{
    (void)state;
    static const double row[][3] = {
        /* mu, alpha, e at r = .7, A = C = 1, B = .5 */
        {1.3, .5, .9342443471}, {1.3, 1, 1.0204165816}, {1.5, .5, .9585144756},
        {1.5, 1, 1.1067971811}, {1.5, 2, 1.2124355653}, {1.8, .5, .9803845399},
        {1.8, 1, 1.1809383492}, {1.8, 2, 1.4657631249}, {2.5, .5, 1.0052984631},
        {2.5, 1, 1.2619429464}, {2.5, 2, 1.7146428199}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct painleve_point in = {.A = 1,
                                    .B = .5,
                                    .C = 1,
                                    .a = row[i][1],
                                    .b = -1,
                                    .a_terms = row[i][1],
                                    .b_terms = 1,
                                    .mu = row[i][0],
                                    .restitution = .7,
                                    .law = FRICTION_ENERGETIC};
        struct painleve out;
        painleve_find(arena, &in, &out);
        CLOSE(out.chatter, row[i][2], 2e-10);
    }
}

/* Follows the impacts of a point under constant loads until they are 1e-9 of
 * the first. Returns the time that all of them take: the sum of the flights,
 * and of those that the last ratio foretells. */
static double
bounce(const struct painleve_point *in, double v, double *ratio, bool *turned,
       bool *stuck)
{
    double u = in->slip, time = 0.0, first = v, before = v;
    *turned = false;
    *stuck = true;
    while (v > 1e-9 * first) {
        double flight = 2.0 * v / -in->b, came = u + in->a * flight;
        struct friction_impact out = impact(in->A, in->B, in->C, in->mu, came,
                                            -v, in->restitution, in->law);
        time += flight;
        before = v;
        *turned |= came * in->slip <= 0.0 || out.after[1] * in->slip <= 0.0;
        *stuck &= out.after[1] == 0.0;
        u = out.after[1];
        v = out.after[0];
    }
    *ratio = v / before;
    return time + 2.0 * v / -in->b / (1.0 - *ratio);
}

/* What the law says of bounces to come is what they do, one by one. */
static void
bounces_to_come(void **state)
{
    (void)state;
    uint64_t seed = 17;
    int slip = 0, stick = 0;
    for (int t = 0; t < 20000; t++) {
        struct painleve_point in = {.A = multi_random(&seed, 0.1, 2),
                                    .C = multi_random(&seed, 0.1, 2),
                                    .a = multi_random(&seed, -1, 1),
                                    .b = multi_random(&seed, -1, -0.1),
                                    .mu = multi_random(&seed, 0, 2),
                                    .restitution =
                                        multi_random(&seed, 0.05, 0.9),
                                    .law = (enum friction_law)(t % 3)};
        in.B = multi_random(&seed, -0.99, 0.99) * sqrt(in.A * in.C);
        in.slip = t % 2 ? 0.0 : multi_random(&seed, -8, 8);
        double v = multi_random(&seed, 0.1, 1), ratio;
        struct painleve_bounces says;
        bool turned, stuck;
        if (!painleve_bounces_find(&in, v, &says))
            continue;
        double time = bounce(&in, v, &ratio, &turned, &stuck);
        CLOSE(says.time, time, 1e-11 * (1.0 + time));
        CLOSE(says.ratio, ratio, 1e-12);
        assert_true(says.sticks ? stuck : !turned);
        *(says.sticks ? &stick : &slip) += 1;
    }
    assert_true(slip > 3000 && stick > 3000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(single_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stated_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slow_slips_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(least_motion_where_none_stays, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dependent_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ladders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(coefficients, set_up, tear_down),
        cmocka_unit_test_setup_teardown(chatter_ratios, set_up, tear_down),
        cmocka_unit_test(stated_impacts),
        cmocka_unit_test(bounces_to_come),
        cmocka_unit_test(random_impacts),
        cmocka_unit_test_setup_teardown(several_impacts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
