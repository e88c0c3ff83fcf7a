/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identities of impacts on random cases: balances with joint impulses, the
 * energy formula, one free contact against the formula of the first paper,
 * relabelling of bodies, contacts and the world frame, scaled directions, no
 * gain of energy with equal restitutions, and rank against singular values in
 * long double. */
#include <stdlib.h>

#include "impact_help.h"

static int
cases(int n)
{
    const char *e = getenv("IMP_TEST_CASES");
    return e ? atoi(e) : n;
}

/* 2 to 5 bodies, 1 to 4 contacts, 0 to 4 joints between any of them and the
 * world; `twice`: a contact is repeated, so that G is singular. Velocities are
 * arbitrary (the joints need not hold before: only changes are constrained). */
static void
random_problem(uint64_t *s, struct problem *o, bool equal, bool twice)
{
    problem_new(o);
    int nb = 2 + (int)multi_random(s, 0, 4),
        nc = 1 + (int)multi_random(s, 0, 4);
    int nj = (int)multi_random(s, 0, 5);
    double e = multi_random(s, 0, 1);
    for (int i = 0; i < nb; i++) {
        double R[9], a = multi_random(s, .5, 2), b = multi_random(s, .5, 2),
                     c = multi_random(s, .5, 2);
        random_rotation(s, R);
        add_body(o, multi_random(s, .5, 3), b + c, a + c, a + b,
                 multi_random(s, -2, 2), multi_random(s, -2, 2),
                 multi_random(s, -2, 2), R);
        set_motion(o, (uint32_t)i, multi_random(s, -1, 1),
                   multi_random(s, -1, 1), multi_random(s, -1, 1),
                   multi_random(s, -1, 1), multi_random(s, -1, 1),
                   multi_random(s, -1, 1));
    }
    for (int i = 0; i < nj; i++) {
        uint32_t b0 = (uint32_t)multi_random(s, 0, nb), b1 = WORLD;
        if (multi_random(s, 0, 1) < .7) {
            b1 = (uint32_t)multi_random(s, 0, nb);
            if (b1 == b0)
                b1 = (b0 + 1) % (uint32_t)nb;
        }
        enum imp_joint_kind kind =
            (enum imp_joint_kind)multi_random(s, 0, IMP_JOINT_WELD);
        add_joint(o, kind, b0, b1, multi_random(s, -2, 2),
                  multi_random(s, -2, 2), multi_random(s, -2, 2),
                  multi_random(s, -1, 1), multi_random(s, -1, 1),
                  multi_random(s, -1, 1), false);
    }
    for (int i = 0; i < nc; i++) {
        uint32_t b0 = (uint32_t)multi_random(s, 0, nb);
        uint32_t b1 = (b0 + 1) % (uint32_t)nb;
        add_contact(o, b0, b1, multi_random(s, -2, 2), multi_random(s, -2, 2),
                    multi_random(s, -2, 2), multi_random(s, -1, 1),
                    multi_random(s, -1, 1), multi_random(s, -1, 1),
                    equal ? e : multi_random(s, 0, 1));
    }
    if (twice) {
        o->c[o->p.n_contact] = o->c[0];
        o->p.n_contact++;
    }    /* bonds take a thousand times as long as the other laws */
    bool bonds = *s % 16 == 0;
    for (uint32_t i = 0; i < o->p.n_contact && !bonds; i++)
        o->c[i].stiffness = 0;
}

/* twists that the joints allow: an impact with e = 0 along all joint rows is
 * what projecting is; here by the inelastic impact on a contact-free problem.
 * Instead of projecting, contacts get the velocity before from a motion made
 * of admissible changes: the change that a random impact gives at rest. */
static void
admissible(struct arena *a, uint64_t *s, struct problem *o)
{
    struct problem at_rest = *o;
    at_rest.p.body = at_rest.b;
    at_rest.p.contact = at_rest.c;
    at_rest.p.joint = at_rest.j;
    at_rest.p.n_contact = o->p.n_body;
    for (uint32_t i = 0; i < o->p.n_body; i++) {
        struct impact_contact *c = &at_rest.c[i];
        memset(at_rest.b[i].spin, 0, sizeof at_rest.b[i].spin);
        memset(at_rest.b[i].vel, 0, sizeof at_rest.b[i].vel);
        c->body[0] = WORLD;
        c->body[1] = i;
        for (int k = 0; k < 3; k++) {
            c->p[k] = c->q[k] = multi_random(s, -2, 2);
            c->dir[k] = multi_random(s, -1, 1);
        }
        c->e = 0;
    }
    struct impact_solver *m = impact_solver_new(
        a, at_rest.p.n_body, at_rest.p.n_contact, o->p.n_joint);
    assert_int_equal(impact_solver_prepare(m, &at_rest.p), 0);
    /* the world hits every body: velocities -1 asked for */
    for (int c = 0; c < m->nc; c++) {
        m->approach.v0[c] = -1;
        m->approach.open[c] = false;
    }
    impact_solver_solve(m, IMP_IMPACT_LEAST_NORM);
    for (uint32_t i = 0; i < o->p.n_body; i++) {
        memcpy(o->b[i].spin, m->velocity.twist + 6 * i, sizeof o->b[i].spin);
        memcpy(o->b[i].vel, m->velocity.twist + 6 * i + 3, sizeof o->b[i].vel);
    }
}

static double
kinetic(const struct problem *o, const double *t)
{
    double e = 0;
    for (uint32_t i = 0; i < o->p.n_body; i++, t += 6) {
        const struct impact_body *b = &o->b[i];
        for (int k = 0; k < 3; k++) {
            e += b->mass * t[3 + k] * t[3 + k] / 2;
            double h = 0;
            for (int n = 0; n < 3; n++)
                h += b->inroot[3 * n + k] * t[n];
            e += h * h / 2;
        }
    }
    return e;
}

/* greatest error of a body's balance, of the greatest terms: joints may hold a
 * body still, and its own terms are rounding then */
static double
momentum_off(const struct problem *o, const struct impact_solver *m)
{
    long double most[2] = {0}, of[2] = {0}, left[2], size[2];
    for (uint32_t b = 0; b < o->p.n_body; b++) {
        unbalanced(o, m, b, left, size);
        for (int i = 0; i < 2; i++) {
            most[i] = fmaxl(most[i], left[i]);
            of[i] = fmaxl(of[i], size[i]);
        }
    }
    return (double)fmaxl(most[0] / of[0], most[1] / of[1]);
}

static void
balances(void **state)
{
    (void)state;
    uint64_t s = 11;
    int applied = 0, n = cases(10000);
    double momentum = 0;
    struct arena *a = arena_new();
    for (int t = 0; t < n; t++) {
        struct problem o;
        bool equal = t % 2;
        random_problem(&s, &o, equal, t % 5 == 0);
        arena_clear(a);
        admissible(a, &s, &o);
        struct impact_solver *m =
            impact_solver_new(a, o.p.n_body, o.p.n_contact, o.p.n_joint);
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        /* v0 is admissible, so equal restitutions always have a motion */
        enum imp_impact_law law =
            (enum imp_impact_law)(IMP_IMPACT_NEWTON + t % 6);
        impact_solver_solve(m, law);
        if (equal && law <= IMP_IMPACT_ENERGETIC)
            assert_true(m->decision.applied);
        if (!m->decision.applied)
            continue;
        applied++;
        /* M dv = U P + S xi of every body, as told and computed here */
        assert_true(m->balance.momentum_error < 1e-13);
        momentum = fmax(momentum, momentum_off(&o, m));
        double P = 0, v = 0;
        for (int c = 0; c < m->nc; c++) {
            P = fmax(P, fabs(m->impulse.P[c]));
            v = fmax(v,
                     fabs(m->velocity.before[c]) + fabs(m->velocity.after[c]));
        }
        /* the joints hold after as before */
        for (uint32_t j = 0; j < o.p.n_joint; j++)
            for (int r = 0; r < o.j[j].n; r++) {
                double x = 0, size = 1;
                for (int q = 0; q < 2; q++) {
                    if (o.j[j].body[q] == WORLD)
                        continue;
                    const double *w = m->velocity.twist + 6 * o.j[j].body[q];
                    double d[3];
                    for (int k = 0; k < 3; k++)
                        d[k] = o.j[j].at[k] - o.b[o.j[j].body[q]].centre[k];
                    double u[6] = {w[3] + w[1] * d[2] - w[2] * d[1],
                                   w[4] + w[2] * d[0] - w[0] * d[2],
                                   w[5] + w[0] * d[1] - w[1] * d[0],
                                   w[0],
                                   w[1],
                                   w[2]};
                    for (int k = 0; k < 6; k++) {
                        x += (q ? -1 : 1) * o.j[j].S[r][k] * u[k];
                        size += fabs(u[k]);
                    }
                }
                CLOSE(x, 0, 1e-9 * size);
            }
        /* energy: dT = P.(v0 + v)/2 (1.B), and as the bodies have it */
        double dT = 0;
        for (int c = 0; c < m->nc; c++)
            dT += m->impulse.P[c] *
                  (m->velocity.before[c] + m->velocity.after[c]) / 2;
        CLOSE(m->balance.energy[1] - m->balance.energy[0], dT,
              1e-9 * (1 + P * v + m->balance.energy[0]));
        CLOSE(m->balance.energy[1], kinetic(&o, m->velocity.twist),
              1e-12 * (1 + m->balance.energy[1]));
        if ((equal && law != IMP_IMPACT_COMPLEMENTARITY) ||
            law == IMP_IMPACT_ENERGETIC || law == IMP_IMPACT_SEQUENTIAL)
            assert_true(dT <= 1e-9 * (1 + P * v));
    }
    print_message("momentum of a body off by %.1e of its terms\n", momentum);
    assert_true(momentum < 1e-13);
    assert_true(applied > n / 2);
    arena_free(a);
}

/* one contact of two free bodies: P = -(1 + e) u.n/(n.M.n), Palffy-Muhoray et
 * al. eqs (7), (8) */
static void
one_free(void **state)
{
    (void)state;
    uint64_t s = 12;
    struct arena *a = arena_new();
    for (int t = 0, n = cases(10000); t < n; t++) {
        struct problem o;
        random_problem(&s, &o, true, false);
        o.p.n_joint = 0;
        o.p.n_contact = 1;
        arena_clear(a);
        struct impact_solver *m = impact_solver_new(a, o.p.n_body, 1, 0);
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        impact_solver_solve(m, IMP_IMPACT_NEWTON);
        double nMn = 0, u2 = 0;
        for (int k = 0; k < 3; k++)
            u2 += o.c[0].dir[k] * o.c[0].dir[k];
        for (int q = 0; q < 2; q++) {
            const struct impact_body *b = &o.b[o.c[0].body[q]];
            double r[3], x[3];
            const double *u = o.c[0].dir;
            for (int k = 0; k < 3; k++)
                r[k] = o.c[0].p[k] - b->centre[k];
            for (int k = 0; k < 3; k++)
                x[k] = r[(k + 1) % 3] * u[(k + 2) % 3] -
                       r[(k + 2) % 3] * u[(k + 1) % 3];
            nMn += u2 * b->invmass;
            for (int k = 0; k < 3; k++) {
                double y = 0;
                for (int i = 0; i < 3; i++)
                    y += b->root[3 * i + k] * x[i];
                nMn += y * y;
            }
        }
        double v = m->velocity.before[0];
        double P = v < 0 ? -(1 + o.c[0].e) * v / nMn : 0;
        CLOSE(m->impulse.P[0], P, 1e-13 * (1 + fabs(P)));
    }
    arena_free(a);
}

/* to[0..n): 0 .. n - 1 in random order */
static void
shuffle(uint64_t *s, uint32_t n, uint32_t *to)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = (uint32_t)multi_random(s, 0, i + 1);
        k = k > i ? i : k;
        to[i] = to[k];
        to[k] = i;
    }
}

/* turns and shifts everything, renames bodies, contacts and joints, exchanges
 * the two sides of some, stretches the directions of contacts */
/* The same impact in another frame of the world, with bodies, contacts and
 * joints in another order: x becomes R x + shift, number i becomes body[i] and
 * so on, and the direction of contact i becomes scale[i] times as long. */
struct relabelling {
    double R[9], shift[3], scale[8];
    uint32_t body[8], place[8], joint[8];
};

#define TURN(to, from, by)                                                     \
    for (int k_ = 0; k_ < 3; k_++)                                             \
    (to)[k_] = how->R[3 * k_] * (from)[0] + how->R[3 * k_ + 1] * (from)[1] +   \
               how->R[3 * k_ + 2] * (from)[2] + (by)*how->shift[k_]

static void
relabel_bodies(const struct relabelling *how, const struct problem *o,
               struct problem *r)
{
    for (uint32_t i = 0; i < o->p.n_body; i++) {
        struct impact_body *to = &r->b[how->body[i]];
        const struct impact_body *b = &o->b[i];
        *to = *b;
        TURN(to->centre, b->centre, 1);
        TURN(to->spin, b->spin, 0);
        TURN(to->vel, b->vel, 0);
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++) {
                to->root[3 * x + y] = to->inroot[3 * x + y] = 0;
                for (int k = 0; k < 3; k++) {
                    to->root[3 * x + y] +=
                        how->R[3 * x + k] * b->root[3 * k + y];
                    to->inroot[3 * x + y] +=
                        how->R[3 * x + k] * b->inroot[3 * k + y];
                }
            }
    }
}

static void
relabel_contacts(struct relabelling *how, uint64_t *s, const struct problem *o,
                 struct problem *r)
{
    for (uint32_t i = 0; i < o->p.n_contact; i++) {
        struct impact_contact *to = &r->c[how->place[i]];
        const struct impact_contact *c = &o->c[i];
        *to = *c;
        TURN(to->p, c->p, 1);
        TURN(to->q, c->q, 1);
        TURN(to->dir, c->dir, 0);
        how->scale[i] = multi_random(s, .5, 2);
        /* from the other side everything is opposite */
        int swap = multi_random(s, 0, 1) < .5;
        for (int k = 0; k < 3; k++)
            to->dir[k] *= swap ? -how->scale[i] : how->scale[i];
        for (int k = 0; k < 2; k++)
            to->body[k ^ swap] = how->body[c->body[k]];
    }
}

static void
relabel_joints(const struct relabelling *how, uint64_t *s,
               const struct problem *o, struct problem *r)
{
    for (uint32_t j = 0; j < o->p.n_joint; j++) {
        struct impact_joint *to = &r->j[how->joint[j]];
        const struct impact_joint *c = &o->j[j];
        *to = *c;
        TURN(to->at, c->at, 1);
        for (int i = 0; i < c->n; i++) {
            TURN(to->S[i], c->S[i], 0);
            TURN(to->S[i] + 3, c->S[i] + 3, 0);
        }
        int swap = multi_random(s, 0, 1) < .5;
        for (int k = 0; k < 2; k++)
            to->body[k ^ swap] =
                c->body[k] == WORLD ? WORLD : how->body[c->body[k]];
    }
}

static void
relabelled(struct relabelling *how, uint64_t *s, const struct problem *o,
           struct problem *r)
{
    random_rotation(s, how->R);
    for (int k = 0; k < 3; k++)
        how->shift[k] = multi_random(s, -1, 1);
    shuffle(s, o->p.n_body, how->body);
    shuffle(s, o->p.n_contact, how->place);
    shuffle(s, o->p.n_joint, how->joint);
    problem_new(r);
    r->p.n_body = o->p.n_body;
    r->p.n_contact = o->p.n_contact;
    r->p.n_joint = o->p.n_joint;
    relabel_bodies(how, o, r);
    relabel_contacts(how, s, o, r);
    relabel_joints(how, s, o, r);
}

/* w is the answer m, relabelled */
static void
same_answer(const struct relabelling *how, struct impact_solver *m,
            const struct impact_solver *w, enum imp_impact_law law, uint32_t nb,
            uint32_t nc)
{
    assert_int_equal(impact_solver_measure(m), 0);
    /* the joints' own condition is not in m->condition */
    double tol = 1e-10 * fmax(10, m->delassus.condition), big = 1;
    for (uint32_t i = 0; i < nc; i++)
        big = fmax(big, fabs(m->impulse.P[i]));
    /* where impulses >= 0 are not unique a corner of them may be taken */
    bool corner =
        m->decision.determined == IMPACT_MOTION_UNIQUE &&
        (law == IMP_IMPACT_COMPLEMENTARITY || law == IMP_IMPACT_ENERGETIC);
    for (uint32_t i = 0; i < nc && !corner; i++)
        CLOSE(m->impulse.P[i], w->impulse.P[how->place[i]] * how->scale[i],
              tol * big);
    for (uint32_t i = 0; i < nb; i++) {
        double x[3];
        TURN(x, m->velocity.twist + 6 * i, 0);
        for (int k = 0; k < 3; k++)
            CLOSE(w->velocity.twist[6 * how->body[i] + (uint32_t)k], x[k],
                  tol * big);
    }
}

static void
relabel(void **state)
{
    (void)state;
    uint64_t s = 13;
    struct arena *a = arena_new();
    for (int t = 0, n = cases(10000); t < n; t++) {
        struct problem o, r;
        random_problem(&s, &o, t % 2, t % 3 == 0);
        arena_clear(a);
        admissible(a, &s, &o);
        struct relabelling how;
        relabelled(&how, &s, &o, &r);
        uint32_t nb = o.p.n_body, nc = o.p.n_contact;
        struct impact_solver *m = impact_solver_new(a, nb, nc, o.p.n_joint),
                             *w = impact_solver_new(a, nb, nc, o.p.n_joint);
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        assert_int_equal(impact_solver_prepare(w, &r.p), 0);
        enum imp_impact_law law =
            (enum imp_impact_law)(IMP_IMPACT_NEWTON + t % 6);
        if (law == IMP_IMPACT_SEQUENTIAL)
            law = IMP_IMPACT_NEWTON;
        impact_solver_solve(m, law);
        impact_solver_solve(w, law);
        assert_int_equal(m->decision.applied, w->decision.applied);
        assert_int_equal(m->delassus.rank, w->delassus.rank);
        /* nothing moves there: velocities are rounding, of any sign */
        if (m->delassus.rank == 0)
            continue;
        assert_int_equal(m->decision.determined, w->decision.determined);
        assert_int_equal(m->delassus.joint_rank, w->delassus.joint_rank);
        if (m->decision.applied)
            same_answer(&how, m, w, law, nb, nc);
    }
    arena_free(a);
}

/* rank of [joints; contacts] minus rank of joints, by one-sided Jacobi in long
 * double on the rows as impulses act on bodies */
static int
long_rank(int n, int m, long double *a)
{
    for (int j = 0; j < n; j++) {
        long double s = 0;
        for (int i = 0; i < m; i++)
            s += a[j * m + i] * a[j * m + i];
        s = s > 0 ? 1 / sqrtl(s) : 0;
        for (int i = 0; i < m; i++)
            a[j * m + i] *= s;
    }
    for (int sweep = 0; sweep < 40; sweep++)
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                long double *x = a + i * m, *y = a + j * m, xx = 0, yy = 0,
                            xy = 0;
                for (int k = 0; k < m; k++) {
                    xx += x[k] * x[k];
                    yy += y[k] * y[k];
                    xy += x[k] * y[k];
                }
                if (fabsl(xy) <= 1e-19L * sqrtl(xx * yy) || xx * yy < 1e-70L)
                    continue;
                long double z = (yy - xx) / (2 * xy);
                long double t =
                    (z < 0 ? -1 : 1) / (fabsl(z) + sqrtl(1 + z * z));
                long double c = 1 / sqrtl(1 + t * t), q = c * t;
                for (int k = 0; k < m; k++) {
                    long double u = x[k], v = y[k];
                    x[k] = c * u - q * v;
                    y[k] = q * u + c * v;
                }
            }
    int rank = 0;
    for (int j = 0; j < n; j++) {
        long double s = 0;
        for (int i = 0; i < m; i++)
            s += a[j * m + i] * a[j * m + i];
        rank += sqrtl(s) > 1e-12L;
    }
    return rank;
}

static void
put(long double *col, const struct problem *o, const uint32_t *body,
    const double *at0, const double *at1, const double *f, const double *m,
    double sign)
{
    for (int q = 0; q < 2; q++) {
        if (body[q] == WORLD)
            continue;
        const struct impact_body *b = &o->b[body[q]];
        const double *at = q ? at1 : at0;
        long double g = q ? -sign : sign, *c = col + 6 * body[q], r[3];
        for (int k = 0; k < 3; k++)
            r[k] = (long double)at[k] - b->centre[k];
        for (int k = 0; k < 3; k++) {
            c[k] += g * f[k];
            c[3 + k] += g * (m[k] + r[(k + 1) % 3] * f[(k + 2) % 3] -
                             r[(k + 2) % 3] * f[(k + 1) % 3]);
        }
    }
}

static void
extended_rank(void **state)
{
    static const double none[3] = {0, 0, 0};
    (void)state;
    uint64_t s = 14;
    int singular = 0;
    struct arena *a = arena_new();
    for (int t = 0, n = cases(10000); t < n; t++) {
        struct problem o;
        random_problem(&s, &o, true, t % 4 == 0);
        arena_clear(a);
        admissible(a, &s, &o);
        struct impact_solver *m =
            impact_solver_new(a, o.p.n_body, o.p.n_contact, o.p.n_joint);
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        int M = 6 * (int)o.p.n_body, k = 0;
        static long double x[64 * 64], y[64 * 64];
        memset(x, 0, sizeof x);
        for (uint32_t j = 0; j < o.p.n_joint; j++)
            for (int i = 0; i < o.j[j].n; i++, k++)
                put(x + k * M, &o, o.j[j].body, o.j[j].at, o.j[j].at,
                    o.j[j].S[i], o.j[j].S[i] + 3, 1);
        memcpy(y, x, sizeof y);
        int joints = long_rank(k, M, y);
        for (uint32_t c = 0; c < o.p.n_contact; c++, k++)
            put(x + k * M, &o, o.c[c].body, o.c[c].p, o.c[c].q, o.c[c].dir,
                none, -1);
        memcpy(y, x, sizeof y);
        int all = long_rank(k, M, y);
        assert_int_equal(m->delassus.joint_rank, joints);
        assert_int_equal(m->delassus.rank, all - joints);
        impact_solver_solve(m, IMP_IMPACT_LEAST_NORM);
        bool open = false;
        for (int c = 0; c < m->nc; c++)
            open |= m->approach.open[c];
        /* joints may leave nothing to move: velocities are rounding then */
        if (!open && m->approach.speed > 1e-9)
            assert_int_equal(m->decision.determined,
                             m->delassus.rank == m->nc ? IMPACT_UNIQUE
                                                       : IMPACT_MOTION_UNIQUE);
        singular += m->delassus.rank < m->nc;
    }
    assert_true(singular > 100);
    arena_free(a);
}

/* Rows that stick lose their velocity, the others obey complementarity, and the
 * rest takes no impulse; momentum is kept. */
static void
sticking(void **state)
{
    (void)state;
    uint64_t s = 17;
    int applied = 0, n = cases(10000);
    struct arena *a = arena_new();
    for (int t = 0; t < n; t++) {
        struct problem o;
        random_problem(&s, &o, false, t % 5 == 0);
        arena_clear(a);
        admissible(a, &s, &o);
        struct impact_solver *m =
            impact_solver_new(a, o.p.n_body, o.p.n_contact, o.p.n_joint);
        assert_int_equal(impact_solver_prepare(m, &o.p), 0);
        bool stick[IMPACT_CONTACTS_MAX], other[IMPACT_CONTACTS_MAX];
        for (int c = 0; c < m->nc; c++) {
            int part = (t >> c) % 3;
            stick[c] = part == 0;
            other[c] = part == 1;
        }
        impact_solver_solve_sticking(m, stick, other);
        if (!m->decision.applied)
            continue;
        applied++;
        assert_true(m->balance.momentum_error < 1e-12);
        double P = 1, v = 1;
        for (int c = 0; c < m->nc; c++) {
            P = fmax(P, fabs(m->impulse.P[c]));
            v = fmax(v, fabs(m->velocity.before[c]));
        }
        for (int c = 0; c < m->nc; c++) {
            double w = m->velocity.after[c] +
                       (m->approach.open[c]
                            ? 0
                            : o.c[c].e * fmin(0, m->velocity.before[c]));
            if (stick[c])
                CLOSE(m->velocity.after[c], 0, 1e-7 * v);
            else if (other[c])
                assert_true(w > -1e-7 * v && m->impulse.P[c] >= 0 &&
                            w * m->impulse.P[c] < 1e-7 * v * P);
            else
                assert_true(m->impulse.P[c] == 0);
        }
    }
    assert_true(applied > n / 2);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balances), cmocka_unit_test(one_free),
        cmocka_unit_test(relabel), cmocka_unit_test(extended_rank),
        cmocka_unit_test(sticking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
