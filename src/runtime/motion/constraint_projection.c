/* SPDX-License-Identifier: MIT */
/* Projection of the state onto closed contacts (persistent.h): the least
 * change of poses and velocities, in the metric of the masses, that makes gaps
 * and rates what they should be. It is made after every step for what is held,
 * and after a limit of impacts for what the impacts leave. Each group is
 * projected by itself. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/vec3.h"

/* a gap within this many rounding errors of the size of the bodies is 0 */
#define DEVIATION_ROUNDING 1.0
/* Rounds of Newton's method onto the gaps: after a limit of impacts, and after
 * a step, which leaves rounding errors only. */
#define CLOSE_ROUNDS 3
#define PROJECT_ROUNDS 1
/* a change of a direction below this many rounding errors of the spin is none
 */
#define TURNING_ROUNDING 64.0
/* a slip within so many roundings of the terms of its velocity is none, as in
 * modes/friction_rows.c */
#define SLIP_ROUNDING 64.0

/* What is left of a velocity within so many roundings of the terms of a change
 * is none */
#define REST_ROUNDING (4.0 * DBL_EPSILON)
/* and, where formulas have branches, after a step, whose change itself is
 * rounding, within this share of them: points that depend on each other share it
 * to a little more than its rounding (some 1e-12 was seen; it is not derived),
 * and a branch at speed 0 would take that for a speed. */
#define REST_STEP 1e-10
/* Poses that differ by so many roundings of the size of a body have the same
 * directions, to what these are known to. */
#define SAME_POSE 64.0

/* Points lock what moved where they lose so many times the energy that each
 * loses alone: velocities then change a thousand times as much as the rates
 * that are taken from them, */
#define STRAINED 1e6
/* and by more than this share of the speeds, which is far above rounding. */
#define STRAINED_SHARE 1e-7

/* A step over an instant t* at which forces grow without bound begins where
 * points move so many times as fast over a surface as they would on one as round
 * as the body is large. It is so many steps of the series long, which hold for a
 * third of the time until t*, and begins where the forces move nothing in that
 * time beyond some roundings: nearer to t* terms of the series leave the range
 * of numbers, and closest points are not known any more. */
#define LEAP_FLAT 0x1p10
#define LEAP_ROUNDING 16.0
#define LEAP_STEPS 8.0
/* Points that stand at one place are known so well there, as a share. */
#define LEAP_RANK 1e-6

/* -- onto the gaps ---------------------------------------------------------
 */

/* Adds the angular momentum that rotors have beside the inertia of the body. */
static void
add_rotors(const struct rt *run, uint32_t body, double L[3])
{
    const imp_rotor *rotor = IMP_ARRAY(run->im, run->im->rotors, imp_rotor);
    for (uint32_t i = 0; i < run->im->rotors.n; i++) {
        const double *e = run->env + rotor[i].env_rotor;
        for (int k = 0; k < 3 && rotor[i].body == body; k++)
            L[k] += e[IMP_ROTOR_AXIS + k] * e[IMP_ROTOR_INERTIA] *
                    run->env[rotor[i].env_state];
    }
}

/* When a pose is turned by t (body axes), spins in body axes have to change so
 * that the angular momentum L stays in the world: w += I^-1 (L x t + (L x t) x
 * t / 2). Only for bodies without joints, which would answer. */
static void
keep_momentum(struct rt *run, uint32_t body, const double t[3])
{
    const imp_body *image_body = rt_body(run, body);
    const double *I = run->env + image_body->env_body + IMP_BODY_INERTIA;
    const double *w = run->env + image_body->env_state + 10;
    double L[3], u[3], v[3], f[6] = {0}, a[6];
    if (run->im->dim == 2 || run->joints)
        return;
    sym3_apply(I, w, L);
    add_rotors(run, body, L);
    vec3_cross(L, t, u);
    vec3_cross(u, t, v);
    for (int i = 0; i < 3; i++)
        f[3 + i] = u[i] + 0.5 * v[i];
    persistent_by_mass(run, body, f, a);
    joints_shift_body(run, body, a, true);
}

/* Changes velocities of a body; terms: the sizes of what makes the change. What
 * is left of one within this share of them is 0, so that a body at rest has no
 * speed: formulas such as the length of its velocity are not smooth there, and
 * would take it for one. */
static void
change_velocity(struct rt *run, uint32_t body, const double change[6],
                const double terms[6], double share)
{
    uint32_t at = rt_body(run, body)->env_state + (run->im->dim == 2 ? 3 : 7),
             n = persistent_per_body(run);
    double before[6], *v = run->env + at;
    memcpy(before, v, n * sizeof *v);
    joints_shift_body(run, body, change, true);
    for (uint32_t i = 0; i < n; i++)
        if (fabs(v[i]) <=
            share * (fabs(before[i]) + terms[persistent_entry(run, i)]))
            v[i] = run->state_lo[at - run->im->layout.state + i] = 0.0;
}

/* Is a body with this size that moves so far, and turns so much, where it was,
 * to rounding? */
static bool
keeps_place(const double change[6], double size)
{
    double most = 0.0;
    for (int j = 0; j < 6; j++)
        most = fmax(most, fabs(change[j]) / (j < 3 ? size : 1.0));
    return most <= SAME_POSE * DBL_EPSILON;
}

/* Adds the sum of x_i times what a unit force at row i does to the state: to
 * velocities, of which what is left within `share` of the terms is 0, or, if
 * that is 0, to poses. True: all bodies are where they were, to rounding. */
static bool
shift(struct rt *run, const struct persistent_group *group, const double *x,
      double share)
{
    bool same = true, all = run->joints != NULL;
    for (uint32_t n = 0; n < group->moved.n_body; n++) {
        uint32_t b = group->moved.body[n];
        double c[6] = {0}, terms[6] = {0};
        for (int i = persistent_first(group, n, all); i >= 0;
             i = persistent_next(group, n, all, i)) {
            const double *answer =
                group->answer + ((size_t)i * group->moved.n_body + n) * 6;
            for (int j = 0; j < 6; j++) {
                double by = x[i] * answer[j];
                c[j] += by;
                terms[j] += fabs(by);
            }
        }
        if (share > 0.0) {
            change_velocity(run, b, c, terms, share);
            continue;
        }
        double size = run->env[rt_body(run, b)->env_body + IMP_BODY_RADIUS];
        same = same && keeps_place(c, size);
        joints_shift_body(run, b, c, false);
        keep_momentum(run, b, c + 3);
    }
    return same;
}

/* Gives the sizes of the terms of a value and of its rate. */
static void
sizes(const struct rt *run, const struct persistent_unknown *unknown,
      double *place, double *speed)
{
    const imp_contact *image_contact =
        rt_contact(run, unknown->row->spot.contact);
    uint32_t d = run->im->dim;
    *place = *speed = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, image_contact->body[e]);
        const double *v = run->env + body->env_state + (d == 2 ? 3 : 7);
        double size = run->env[body->env_body + IMP_BODY_RADIUS];
        if (isfinite(size))
            *place += size;
        for (uint32_t i = 0; i < persistent_per_body(run); i++)
            *speed +=
                fabs(unknown->open[e][persistent_entry(run, i)].c[0] * v[i]);
    }
}

/* Puts what is held, or its rates, into group->b; gaps beyond `want` (NULL: 0).
 * True if they are more than rounding. */
static bool
deviation(const struct rt *run, struct persistent_group *group, bool velocity,
          const double *want)
{
    double place, speed;
    bool off = false;
    for (int i = 0; i < group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &group->unknown[i];
        bool wanted = want && unknown->value == &unknown->row->gap;
        bool keeps = unknown->row->soft == CONTACT_HELD && !velocity && !want &&
                     unknown->value == &unknown->row->gap;
        sizes(run, unknown, &place, &speed);
        group->scratch.b[i] =
            keeps ? 0.0 /* the depth at which it is */
                  : unknown->value->c[velocity ? 1 : 0] -
                        (wanted ? want[unknown->row - group->row] : 0.0);
        off |= fabs(group->scratch.b[i]) >
               DEVIATION_ROUNDING * DBL_EPSILON * (velocity ? speed : place);
    }
    return off;
}

/* How the direction and the torque of a unit force at a row change in the
 * world, in the axes in which they are kept. What is only rounding becomes 0.
 */
static void
turning(const struct rt *run, const struct persistent_unknown *unknown,
        int side, double out[6])
{
    uint32_t d = run->im->dim,
             body = rt_contact(run, unknown->row->spot.contact)->body[side];
    const double *spins =
        run->env + rt_body(run, body)->env_state + (d == 2 ? 5 : 10);
    double size = run->env[rt_body(run, body)->env_body + IMP_BODY_RADIUS];
    double spin = d == 2 ? fabs(spins[0])
                         : fabs(spins[0]) + fabs(spins[1]) + fabs(spins[2]);
    double low = TURNING_ROUNDING * DBL_EPSILON * spin;
    for (int j = 0; j < 6; j++)
        out[j] = unknown->open[side][j].c[1];
    for (int j = 0; j < 3 && d == 3; j++) { /* w x torque */
        int u = (j + 1) % 3, v = (j + 2) % 3;
        out[3 + j] += spins[u] * unknown->open[side][3 + v].c[0] -
                      spins[v] * unknown->open[side][3 + u].c[0];
    }
    for (int j = 0; j < 6; j++)
        if (fabs(out[j]) <= low * (j < 3 || !isfinite(size) ? 1.0 : size))
            out[j] = 0.0;
}

/* Impulses P_k at earlier times t_k had the directions N(t_k) = N - N' (T -
 * t_k). If they are applied now, the momenta are off by -N'^T x with x = sum
 * of P_k (T - t_k), which is also what moves the poses. This adds it. It is
 * left out where joints answer. */
static void
in_their_time(struct rt *run, const struct persistent_group *group,
              const double *x)
{
    size_t n = (size_t)group->n_unknown;
    double *f = NEW_N(run->brief, double, 12 * n + 1), a[6];
    if (run->joints)
        return;
    /* all with the spins of before */
    for (size_t i = 0; i < 2 * n; i++) {
        const struct persistent_unknown *unknown = &group->unknown[i / 2];
        int side = (int)(i % 2);
        if (contact_point_body_moves(
                run, rt_contact(run, unknown->row->spot.contact)->body[side]))
            turning(run, unknown, side, f + 6 * i);
    }
    for (size_t i = 0; i < 2 * n; i++) {
        const struct contact_point *spot = &group->unknown[i / 2].row->spot;
        uint32_t body = rt_contact(run, spot->contact)->body[i % 2];
        if (!contact_point_body_moves(run, body))
            continue;
        for (int j = 0; j < 6; j++)
            f[6 * i + (size_t)j] *= -x[i / 2];
        persistent_by_mass(run, body, f + 6 * i, a);
        joints_shift_body(run, body, a, true);
    }
}

/* Rates that points have, and should not, are taken from them with an energy x
 * b that is of the size of b^2/G. Points that nearly depend on each other make
 * it far greater: their bodies are locked by what was rounding before. Notes it
 * where more than a share of their speeds is lost. */
static void
note_strain(struct rt *run, const struct persistent_group *group)
{
    struct persistent_set *set = run->persistent_memory;
    size_t n = (size_t)group->n_unknown;
    double taken = 0.0, alone = 0.0, terms = 0.0, place, speed;
    for (size_t i = 0; i < n; i++) {
        double G = group->delassus.G[i * (n + 1)], b = group->scratch.b[i];
        sizes(run, &group->unknown[i], &place, &speed);
        taken += group->scratch.x[i] * b;
        if (!(G > 0.0))
            continue;
        alone = fmax(alone, b * b / G);
        terms = fmax(terms, speed * speed / G);
    }
    taken = fabs(taken) / 2.0;
    if (!(taken > STRAINED * alone) ||
        !(taken > STRAINED_SHARE * STRAINED_SHARE * terms) ||
        !(taken > set->strained))
        return;
    set->strained = taken;
    set->strained_at = group->unknown[n - 1].row->spot.contact;
}

/* -- over a force without bound --------------------------------------------
 * The curvature of |x/a|^4 + |y/b|^4 = 1 is 0 at its ends. Where such a point
 * passes over a face at the spin w, the gap's second derivative, and with it
 * the force, grows as (t* - t)^(-2/3): no series leads over t*, but its impulse
 * is finite. The steps come so near to t* that the next one goes over it, and
 * what the force has done in that step is the impulse that the rates ask for.
 * It has acted on all points in between, in shares of the way between them, as
 * N dt = m w dx: the direction of the whole is the mean of both ends'. With the
 * direction at the end the energy would change by the impulse times half the
 * change of the rates. */

/* What a unit of force does to one side of a condition: with friction where the
 * point slips. */
static double
push_now(const struct persistent_unknown *unknown, int side, int at)
{
    const struct persistent_friction *friction = unknown->row->friction;
    bool slips = friction && unknown->value == &unknown->row->gap &&
                 friction->mode != CONTACT_STICK;
    return slips ? friction->push[side][at].c[0]
                 : unknown->open[side][at].c[0];
}

/* The directions of the forces at the beginning of the step that has been made:
 * 12 for each condition that is held; in run->brief. */
static double *
pushes(struct rt *run, struct persistent_group *group)
{
    persistent_unknowns(group, UNKNOWN_HELD);
    double *at = NEW_N(run->brief, double, 12 * (size_t)group->n_unknown + 1);
    for (int i = 0; i < 12 * group->n_unknown; i++)
        at[i] = push_now(group->unknown + i / 12, i / 6 % 2, i % 6);
    return at;
}

/* How fast the point of a row moves over the surfaces of its bodies beside its
 * slip, as a multiple of what it would on one as round as the body is large. */
static double
flatness(const struct rt *run, const struct persistent_row *row)
{
    const imp_contact *image_contact = rt_contact(run, row->spot.contact);
    double way = 0.0, turn = 0.0;
    for (uint32_t side = 0; side < 2; side++) {
        const imp_body *body = rt_body(run, image_contact->body[side]);
        double speed, spin;
        if (!contact_point_body_moves(run, image_contact->body[side]))
            continue;
        body_speeds(run, body, &speed, &spin);
        turn += spin * run->env[body->env_body + IMP_BODY_RADIUS];
        for (int j = 3; j < 6; j++)
            way = fmax(way, fabs(row->open[side][j].c[1]));
    }
    if (row->friction)
        way -= fabs(row->friction->slip.c[0]);
    return turn > 0.0 ? way / turn : 0.0;
}

double
persistent_flatness(const struct rt *run, const struct persistent_group *group)
{
    assert(run && group);
    double most = 0.0;
    if (group->rubs || group->yields || group->branches)
        return 0.0;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        if (persistent_block(run, group->moved.block[i])->n_condition > 0)
            return 0.0; /* joints would answer */
    for (int i = 0; i < group->n_on; i++)
        if (group->row[i].spot.kind == POINT_SURFACE ||
            group->row[i].spot.kind == POINT_SMOOTH)
            most = fmax(most, flatness(run, group->row + i));
    return most;
}

double
persistent_leap_time(const struct rt *run, uint32_t block, double step)
{
    assert(run && persistent_moves(run, block));
    const struct persistent_group *group = run->persistent_memory->of[block];
    double push[2], time = LEAP_STEPS * step, least = INFINITY;
    if (persistent_flatness(run, group) < LEAP_FLAT)
        return 0.0;
    for (uint32_t i = 0; i < group->moved.n_body; i++) {
        const imp_body *body = rt_body(run, group->moved.body[i]);
        least = fmin(least, run->env[body->env_body + IMP_BODY_RADIUS]);
    }
    persistent_accelerations(run, block, push);
    return push[0] * time * time < LEAP_ROUNDING * DBL_EPSILON * least ? time
                                                                       : 0.0;
}

/* The rate at which the points of a condition move along a force on both
 * bodies. */
static double
along(const struct rt *run, const struct persistent_unknown *unknown,
      const double force[12])
{
    const imp_contact *image_contact =
        rt_contact(run, unknown->row->spot.contact);
    uint32_t d = run->im->dim;
    double rate = 0.0;
    for (int side = 0; side < 2; side++) {
        uint32_t body = image_contact->body[side];
        const double *v =
            run->env + rt_body(run, body)->env_state + (d == 2 ? 3 : 7);
        if (!contact_point_body_moves(run, body))
            continue;
        for (uint32_t i = 0; i < persistent_per_body(run); i++)
            rate += force[6 * side + (int)persistent_entry(run, i)] * v[i];
    }
    return rate;
}

/* Adds the work of a force whose impulse has been applied in such a step to
 * that of the friction of its point: what holds the point does none. */
static void
add_work(struct rt *run, const struct persistent_unknown *unknown, double work)
{
    const struct persistent_friction *friction = unknown->row->friction;
    const imp_contact *contact = rt_contact(run, unknown->row->spot.contact);
    if (friction && friction->mode != CONTACT_STICK)
        run->env[contact->env_contact + IMP_CONTACT_WORK] += work;
}

/* Takes the rates group->scratch.b from what is held by impulses along the
 * means of their directions then (push, where these means are left) and those
 * now. False: these determine none, and nothing is changed. */
static bool
leap(struct rt *run, struct persistent_group *group, double *push)
{
    size_t n = (size_t)group->n_unknown, bodies = group->moved.n_body;
    double *answer = NEW_N(run->brief, double, 6 * n * bodies + 1);
    double *A = NEW_N(run->brief, double, n * (2 * n + 4) + 1),
           *V = A + n * n, *singular = V + n * n, *x = singular + n,
           *rate = x + n, *work = rate + n;
    for (size_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            struct persistent_reach *reach = group->reach + i;
            if (!reach->moves[side])
                continue;
            double *force = push + 12 * i + 6 * (size_t)side;
            for (int c = 0; c < 6; c++)
                force[c] =
                    (force[c] + push_now(group->unknown + i, side, c)) / 2.0;
            uint32_t place = reach->place[side];
            persistent_by_mass(run, group->moved.body[place], force,
                               answer + 6 * (i * bodies + place));
        }
    for (size_t i = 0; i < n; i++) {
        group->scratch.a[i] = -group->scratch.b[i];
        rate[i] = along(run, group->unknown + i, push + 12 * i);
        for (size_t j = 0; j < n; j++)
            A[i + n * j] =
                persistent_along(group->reach + i, answer + 6 * j * bodies);
    }
    int rank = 0, size = (int)n;
    if (n == 0 || !dense_svd(size, size, A, V, singular))
        return false;
    while (rank < size && singular[rank] > LEAP_RANK * singular[0])
        rank++;
    dense_svd_solve(size, size, A, V, singular, rank, group->scratch.a, x,
                    work);
    double *own = group->answer;
    group->answer = answer;
    shift(run, group, x, REST_ROUNDING);
    group->answer = own;
    for (size_t i = 0; i < n; i++)
        rate[i] += along(run, group->unknown + i, push + 12 * i);
    for (size_t i = 0; i < n; i++)
        add_work(run, group->unknown + i, x[i] * rate[i] / 2.0);
    return true;
}

/* The least change in the metric of the masses that makes all gaps, and then
 * their rates, what they should be. same: the last factors are those of this
 * pose; poses that differ by rounding alone have the same, too. before: NULL, or
 * the directions of the forces at the beginning of a step. */
static int
project(struct rt *run, struct persistent_group *group, int rounds,
        const double *gap, const double *rate, bool timed, bool same,
        double *before)
{
    double *solution = group->scratch.x;
    bool plain = !group->rubs && !group->yields && !run->joints;
    for (int round = 0;; round++) {
        int st = persistent_rates(run, group,
                                  same && plain && !group->delassus.chosen);
        if (st || group->n_unknown == 0)
            return st;
        if (round == rounds || !deviation(run, group, false, gap))
            break;
        persistent_solve(group, group->scratch.b, solution);
        if (timed && round == 0)
            in_their_time(run, group, solution);
        same = shift(run, group, solution, 0.0);
    }
    if (deviation(run, group, true, rate)) {
        if (before && leap(run, group, before))
            return IMP_OK;
        persistent_solve(group, group->scratch.b, solution);
        note_strain(run, group);
        shift(run, group, solution,
              run->switching && rounds == PROJECT_ROUNDS ? REST_STEP
                                                         : REST_ROUNDING);
    }
    return IMP_OK;
}

void
persistent_project_group(struct rt *run, struct persistent_group *group)
{
    /* A failure is not reported here: the series of the next step meets it, if
     * there is one. */
    struct diag *last = run->ds->last;
    double *before = group->leaps ? pushes(run, group) : NULL;
    if (project(run, group, PROJECT_ROUNDS, NULL, NULL, false, false, before))
        while (run->ds->last != last)
            diag_withdraw(run->ds, run->ds->last);
}

void
persistent_project(struct rt *run)
{
    const struct persistent_set *set = run->persistent_memory;
    for (int i = 0; i < set->n; i++)
        if (motion_asks(run, *set->group[i]->moved.block))
            persistent_project_group(run, set->group[i]);
}

double
persistent_strained(struct rt *run, uint32_t *contact)
{
    assert(run && contact);
    struct persistent_set *set = run->persistent_memory;
    double taken = set ? set->strained : 0.0;
    if (set) {
        *contact = set->strained_at;
        set->strained = 0.0;
    }
    return taken;
}

void
persistent_apply_impulses(struct rt *run, const double *impulse)
{
    assert(run);
    shift(run, run->persistent_memory->look, impulse, REST_ROUNDING);
}

void
persistent_apply_timed(struct rt *run, const double *impulse,
                       const double *moment)
{
    assert(impulse != NULL && moment != NULL);
    struct persistent_group *group = run->persistent_memory->look;
    shift(run, group, impulse, REST_ROUNDING);
    in_their_time(run, group, moment);
    shift(run, group, moment, 0.0);
}

/* Points with friction that slip are held along their normals alone; slips[i]
 * says which do, or (NULL) their slip now. The rates come before and after. */
static int
let_slip(struct rt *run, struct persistent_group *group, const bool *slips)
{
    bool any = false;
    for (int i = 0; i < group->n_unknown; i++) {
        struct persistent_unknown *unknown = &group->unknown[i];
        struct persistent_row *row = unknown->row;
        double place, speed;
        if (unknown->value == &row->gap)
            continue;
        sizes(run, unknown, &place, &speed);
        if (slips ? !slips[row - group->row]
                  : fabs(unknown->value->c[1]) <=
                        SLIP_ROUNDING * DBL_EPSILON * speed)
            continue;
        row->friction->mode = CONTACT_SLIP_POSITIVE;
        any = true;
    }
    return any ? persistent_rates(run, group, false) : IMP_OK;
}

int
persistent_close(struct rt *run, const struct contact_point *spot, int n,
                 const double *gap, const double *rate, const bool *slips)
{
    assert(n >= 0 && (n == 0 || spot != NULL));
    if (n == 0)
        return IMP_OK;
    struct persistent_group *group = persistent_look_at(run, spot, n);
    /* first the impulses, where the bodies are now */
    int st = persistent_rates(run, group, false);
    if (!st && group->friction)
        st = let_slip(run, group, slips);
    if (st)
        return st;
    if (deviation(run, group, true, rate)) {
        persistent_solve(group, group->scratch.b, group->scratch.x);
        shift(run, group, group->scratch.x, REST_ROUNDING);
    }
    return project(run, group, CLOSE_ROUNDS, gap, rate, true, true, NULL);
}

/* Does the body keep its place, and does nothing move it? */
static bool
stands(const struct rt *run, uint32_t body)
{
    uint32_t d = run->im->dim;
    const double *v =
        run->env + rt_body(run, body)->env_state + (d == 2 ? 3 : 7);
    for (uint32_t i = 0; i < persistent_per_body(run); i++)
        if (v[i] != 0.0)
            return false;
    return true;
}

/* How fast the place of a body moves, or its surface about that. */
static double
fastest(const struct rt *run, uint32_t body)
{
    uint32_t d = run->im->dim;
    const double *v =
        run->env + rt_body(run, body)->env_state + (d == 2 ? 3 : 7);
    double spin = d == 2 ? fabs(v[2]) : vec3_norm(v + 3),
           size = run->env[rt_body(run, body)->env_body + IMP_BODY_RADIUS];
    return fmax(d == 2 ? hypot(v[0], v[1]) : vec3_norm(v), spin * size);
}

bool
persistent_rest(struct rt *run, const struct contact_point *spot, int n,
                double speed)
{
    assert(run && spot && n > 0 && speed > 0.0);
    const struct persistent_group *group = persistent_look_at(run, spot, n);
    bool moves = false;
    if (run->joints || run->im->rotors.n)
        return false;
    for (int i = 0; i < 2 * n; i++) {
        uint32_t body = rt_contact(run, spot[i / 2].contact)->body[i % 2];
        if (!contact_point_body_moves(run, body) && !stands(run, body))
            return false;
    }
    for (uint32_t i = 0; i < group->moved.n_body; i++) {
        if (!(fastest(run, group->moved.body[i]) <= speed))
            return false;
        moves |= !stands(run, group->moved.body[i]);
    }
    for (uint32_t i = 0; i < group->moved.n_body && moves; i++) {
        uint32_t body = group->moved.body[i], d = run->im->dim;
        const double *v =
            run->env + rt_body(run, body)->env_state + (d == 2 ? 3 : 7);
        double change[6] = {0};
        for (uint32_t k = 0; k < persistent_per_body(run); k++)
            change[persistent_entry(run, k)] = -v[k];
        joints_shift_body(run, body, change, true);
    }
    return moves;
}
