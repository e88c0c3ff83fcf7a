/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bonds whose stiffness says how contacts share an impact (law lzb): chains of
 * balls with springs in closed form, random bodies against small steps of the
 * distributing law of Liu, Zhao and Brogliato 2008 itself, energies, other
 * orders and scales, and the limit in which the law is `sequential`. */
#include <float.h>

#include "impact_help.h"

/* balls on a line with unit masses, the first one with unit speed */
static void
chain(struct problem *o, int n, double exponent, double ratio, double e)
{
    problem_new(o);
    for (int i = 0; i < n; i++) {
        add_body(o, 1, 1, 1, 1, 2.0 * i, 0, 0, NULL);
        set_motion(o, (uint32_t)i, 0, 0, 0, i == 0, 0, 0);
    }
    double stiffness = 1;
    for (int i = 0; i + 1 < n; i++, stiffness *= ratio) {
        add_contact(o, (uint32_t)i, (uint32_t)i + 1, 2.0 * i + 1, 0, 0, 1, 0, 0,
                    e);
        o->c[i].stiffness = stiffness;
        o->c[i].exponent = exponent;
    }
}

static struct impact_solver *
lzb(struct arena *arena, const struct problem *o)
{
    struct impact_solver *solver =
        impact_solver_new(arena, o->p.n_body, o->p.n_contact, o->p.n_joint);
    assert_int_equal(impact_solver_prepare(solver, &o->p), 0);
    impact_solver_solve(solver, IMP_IMPACT_LZB);
    return solver;
}

/* Three balls and two springs: depths (sin t +- sin(sqrt(3) t)/sqrt(3))/2 until
 * the first spring is free; then two balls and one spring. */
static void
springs(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct problem o;
    chain(&o, 3, 1, 1, 1);
    struct impact_solver *solver = lzb(arena, &o);
    double root = sqrt(3), low = 2, high = 3;
    for (int k = 0; k < 100; k++) {
        double t = 0.5 * (low + high);
        *(sin(t) + sin(root * t) / root > 0 ? &low : &high) = t;
    }
    double t = low, first = (1 - cos(t) + (1 - cos(root * t)) / 3) / 2,
           second = (1 - cos(t) - (1 - cos(root * t)) / 3) / 2,
           depth = (sin(t) - sin(root * t) / root) / 2,
           rate = (cos(t) - cos(root * t)) / 2;
    /* the second spring gives back depth and rate: v2 - v3 = -sqrt(E) */
    double more = 0.5 * (rate + sqrt(rate * rate + 2 * depth * depth));
    assert_true(fabs(solver->impulse.P[0] - first) < 1e-12);
    assert_true(fabs(solver->impulse.P[1] - second - more) < 1e-12);
    /* Hertz: -0.0710, 0.0764, 0.9945 (Hinch and Saint-Jean 1999, and others) */
    chain(&o, 3, 1.5, 1, 1);
    solver = lzb(arena, &o);
    assert_true(fabs(solver->velocity.twist[3] + 0.0710) < 1e-4 &&
                fabs(solver->velocity.twist[9] - 0.0764) < 1e-4 &&
                fabs(solver->velocity.twist[15] - 0.9945) < 1e-4);
    arena_free(arena);
}

/* The second bond so much softer that the first one is over before it begins:
 * one after the other; so much stiffer: both at once. */
static void
limits(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    double before = 1;
    for (int k = 2; k <= 6; k += 2) {
        struct problem o;
        chain(&o, 3, 1.5, pow(10, -k), 0.8);
        /* heavier balls, so that none comes back to the one before */
        for (int i = 0; i < 3; i++) {
            o.b[i].mass = 1 + 0.5 * i;
            o.b[i].invmass = 1 / o.b[i].mass;
        }
        struct impact_solver *solver = lzb(arena, &o),
                             *one = impact_solver_new(arena, 3, 2, 0);
        assert_int_equal(impact_solver_prepare(one, &o.p), 0);
        impact_solver_solve(one, IMP_IMPACT_SEQUENTIAL);
        double off = 0;
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(solver->velocity.twist[6 * i + 3] -
                                 one->velocity.twist[6 * i + 3]));
        assert_true(off < 0.1 * before);
        before = off;
    }
    print_message("a bond 1e-6 as stiff: %.1e from sequential\n", before);
    assert_true(before < 1e-5);
    arena_free(arena);
}

#define BODIES 4
#define POINTS 4

static void
random_bonds(uint64_t *s, struct problem *o, double least)
{
    problem_new(o);
    double eta = multi_random(s, 0, 1) < .5 ? 1.5 : multi_random(s, 1, 3);
    for (int i = 0; i < BODIES; i++) {
        add_body(o, multi_random(s, .5, 2), 1, 1, 1, multi_random(s, -1, 1),
                 multi_random(s, -1, 1), multi_random(s, -1, 1), NULL);
        set_motion(o, (uint32_t)i, multi_random(s, -1, 1),
                   multi_random(s, -1, 1), multi_random(s, -1, 1),
                   multi_random(s, -1, 1), multi_random(s, -1, 1),
                   multi_random(s, -1, 1));
    }
    for (int i = 0; i < POINTS; i++) {
        add_contact(o, (uint32_t)i, (uint32_t)((i + 1) % BODIES),
                    multi_random(s, -1, 1), multi_random(s, -1, 1),
                    multi_random(s, -1, 1), multi_random(s, -1, 1),
                    multi_random(s, -1, 1), multi_random(s, -1, 1),
                    multi_random(s, least, 1));
        o->c[i].stiffness = pow(10, multi_random(s, -1, 1));
        o->c[i].exponent = eta;
    }
}

/* The law of the paper with small steps of the primary impulse (of first order:
 * a fifth of the step has a third of the difference), from stored
 * energies; first steps by depths, as all energies are 0. */
static void
small_steps(const struct impact_solver *solver, double *v)
{
    int n = solver->nc;
    double E[POINTS] = {0}, eta = solver->in.contact[0].exponent,
           power = 1 / (eta + 1);
    for (int i = 0; i < n; i++)
        v[i] = solver->approach.v0[i];
    for (long step = 0; step < 20000000; step++) {
        double weight[POINTS], most = 0, first = 0;
        bool any = false;
        for (int i = 0; i < n; i++) {
            /* a seed of energy where compression begins */
            if (v[i] < -1e-9 && E[i] <= 0)
                E[i] = 1e-13;
            weight[i] = 0;
            any |= E[i] > 0;
            if (E[i] > 0)
                weight[i] = pow(solver->in.contact[i].stiffness, power) *
                            pow(E[i], eta * power);
            most = fmax(most, weight[i]);
            first = fmax(first, E[i]);
        }
        if (!any)
            return;
        double rest = pow(first / 1e-4, 0.6);
        double h = 4e-6 * fmin(1, fmax(1e-4, rest)), half[POINTS];
        for (int i = 0; i < n; i++) {
            half[i] = v[i];
            for (int j = 0; j < n; j++)
                half[i] +=
                    0.5 * h * solver->delassus.G[i * n + j] * weight[j] / most;
        }
        for (int i = 0; i < n; i++) {
            double e = solver->approach.e[i], dP = h * weight[i] / most;
            E[i] -= half[i] * dP * (half[i] > 0 ? 1 / (e * e) : 1);
            if (E[i] < 0 && half[i] > 0)
                E[i] = 0;
            for (int j = 0; j < n; j++)
                v[j] += solver->delassus.G[j * n + i] * dP;
        }
    }
    assert_true(false);
}

static void
distributing_law(void **state)
{
    (void)state;
    uint64_t seed = 3;
    double worst = 0;
    for (int t = 0; t < 6; t++) {
        struct arena *arena = arena_new();
        struct problem o;
        double v[POINTS];
        random_bonds(&seed, &o, 0.4);
        struct impact_solver *solver = lzb(arena, &o);
        assert_true(solver->decision.applied);
        small_steps(solver, v);
        for (int i = 0; i < solver->nc; i++)
            worst = fmax(worst, fabs(v[i] - solver->velocity.after[i] /
                                                solver->approach.length[i]));
        arena_free(arena);
    }
    print_message("small steps of the law differ by %.1e\n", worst);
    assert_true(worst < 3e-4);
}

/* Energy, the order of the contacts, stiffness and speeds in other units. */
static void
identities(void **state)
{
    (void)state;
    uint64_t seed = 17;
    double kept = 0, order = 0, unit = 0;
    for (int t = 0; t < 40; t++) {
        struct arena *arena = arena_new();
        struct problem o, other;
        bool elastic = t % 2;
        random_bonds(&seed, &o, 0.2);
        for (uint32_t i = 0; i < o.p.n_contact && elastic; i++)
            o.c[i].e = 1;
        struct impact_solver *solver = lzb(arena, &o);
        double *energy = solver->balance.energy, scale = energy[0],
               lost = energy[0] - energy[1];
        assert_true(solver->decision.applied && lost > -1e-11 * scale);
        if (elastic)
            kept = fmax(kept, fabs(lost) / scale);
        other = o;
        other.p.body = other.b;
        other.p.contact = other.c;
        for (int i = 0; i < POINTS; i++) {
            other.c[i] = o.c[POINTS - 1 - i];
            other.c[i].stiffness *= 1e5;
        }
        struct impact_solver *turned = lzb(arena, &other);
        for (int i = 0; i < POINTS; i++)
            order = fmax(order, fabs(turned->impulse.P[POINTS - 1 - i] -
                                     solver->impulse.P[i]));
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < 3; k++) {
                other.b[i].vel[k] *= 1e3;
                other.b[i].spin[k] *= 1e3;
            }
        struct impact_solver *fast = lzb(arena, &other);
        for (int i = 0; i < POINTS; i++)
            unit = fmax(unit,
                        fabs(fast->impulse.P[i] / 1e3 - turned->impulse.P[i]));
        arena_free(arena);
    }
    print_message("energy kept to %.1e, order %.1e, units %.1e\n", kept, order,
                  unit);
    assert_true(kept < 1e-12 && order < 1e-11 && unit < 1e-11);
}

/* Gives v the velocities after impacts one by one, in the order of the
 * contacts. False: a contact approaches again that has been hit. */
static bool
in_turns(const struct impact_solver *solver, double *v)
{
    int n = solver->nc;
    memcpy(v, solver->approach.v0, sizeof *v * (size_t)n);
    for (int i = 0; i < n; i++) {
        double P = v[i] < 0 ? -(1 + solver->approach.e[i]) * v[i] /
                                  solver->delassus.G[i * n + i]
                            : 0;
        for (int j = 0; j < n; j++)
            v[j] += solver->delassus.G[j * n + i] * P;
        for (int j = 0; j <= i; j++)
            if (v[j] < 1e-3)
                return false;
    }
    return true;
}

/* Each bond so much softer than the one before it that impacts come in the
 * order of the stiffnesses, as in `sequential` with priorities. */
static void
sequences(void **state)
{
    (void)state;
    uint64_t seed = 29;
    double worst = 0;
    int used = 0;
    for (int t = 0; t < 3000; t++) {
        struct arena *arena = arena_new();
        struct problem o;
        double v[POINTS];
        random_bonds(&seed, &o, 0.2);
        for (int i = 0; i < POINTS; i++) {
            /* the share of the next impulse in one is a power of the ratio */
            o.c[i].stiffness = pow(10, -14 * (o.c[i].exponent + 1) * i);
            o.c[i].priority = i;
        }
        struct impact_solver *one =
            impact_solver_new(arena, o.p.n_body, o.p.n_contact, o.p.n_joint);
        assert_int_equal(impact_solver_prepare(one, &o.p), 0);
        if (in_turns(one, v)) {
            struct impact_solver *solver = lzb(arena, &o);
            assert_true(solver->decision.applied);
            impact_solver_solve(one, IMP_IMPACT_SEQUENTIAL);
            used++;
            for (int i = 0; i < POINTS; i++) {
                double length = solver->approach.length[i];
                worst = fmax(worst,
                             fabs(v[i] - solver->velocity.after[i] / length));
                worst =
                    fmax(worst, fabs(v[i] - one->velocity.after[i] / length));
            }
        }
        arena_free(arena);
    }
    print_message("%d impacts in turns, off by %.1e\n", used, worst);
    assert_true(used > 100 && worst < 1e-10);
}

/* What the law says nothing of. */
static void
refused(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct problem o;
    chain(&o, 3, 1.5, 1, 0.5);
    o.c[1].stiffness = 0;
    assert_int_equal(lzb(arena, &o)->decision.fault, IMPACT_NO_STIFFNESS);
    chain(&o, 3, 1.5, 1, 0.5);
    o.c[1].exponent = 1;
    assert_int_equal(lzb(arena, &o)->decision.fault, IMPACT_EXPONENTS);
    chain(&o, 3, 1.5, 1, 0);
    assert_int_equal(lzb(arena, &o)->decision.fault, IMPACT_SOFT);
    /* one contact needs no bond */
    chain(&o, 2, 1.5, 1, 0.5);
    o.c[0].stiffness = 0;
    assert_true(fabs(lzb(arena, &o)->impulse.P[0] - 0.75) < 1e-15);
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs),          cmocka_unit_test(limits),
        cmocka_unit_test(distributing_law), cmocka_unit_test(identities),
        cmocka_unit_test(refused),          cmocka_unit_test(sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
