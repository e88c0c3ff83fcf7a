/* SPDX-License-Identifier: MIT */
/* The start of jointed bodies. A body that states neither velocity nor spin
 * takes the motion that its joints give it: from the world, and from bodies
 * whose motion is known, across one joint after the other, each with its `rate`
 * (0 where none is stated). Loops whose rates are not all stated follow from
 * those that are: least squares of least change. What is stated must then agree
 * with every joint. It is projected only where the world says so: first what is
 * stated, among the joints that connect stated motions; if what follows from it
 * still does not agree, all bodies together, from where their joints have put
 * those that state nothing. Both take the least change in the
 * kinetic metric, |dv|^2 = sum (m |dvel|^2 + dspin.J dspin): what an impact of
 * the joints alone would leave (Moreau 1988). A warning tells the changes. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/vec3.h"
#include "runtime/setup/setup_priv.h"

/* Stated velocities agree with a joint if they miss it by less than this share
 * of their size: data of 9 digits and more. */
#define START_AGREES 1e-9

struct start {
    struct rt *r;
    struct impact_of_run m;
    const struct impact_body *stated;
    struct impact_body *b;
    bool *spin, *vel; /* per body: is the spin, is the velocity known? */
    bool *fspin,
        *fvel;        /* per body: not stated, so free to follow from joints */
    double (*rel)[6]; /* per joint: the relative spin, and velocity at `at`,
                         that the stated rates give */
};

static const imp_joint *
joint_of(const struct start *start, uint32_t j)
{
    return IMP_ARRAY(start->r->im, start->r->im->joints, imp_joint) +
           start->m.joint[j];
}

static bool
given(const imp_body *body, imp_range x, const double *raw, int n)
{
    for (int i = 0; i < n; i++)
        if (raw[i] != 0)
            return true;
    return x.lo != body->range.lo || x.hi != body->range.hi ||
           x.file != body->range.file;
}

/* The relative twist of the first body against the second, as `rate` states
 * it. */
static void
rates(const struct start *start, uint32_t j, double rel[6])
{
    const imp_joint *joint = joint_of(start, j);
    const double *e = start->r->env + joint->env_joint,
                 *raw = e + IMP_JOINT_RATE;
    bool plane = start->r->im->dim == 2;
    double free_twist[6][6];
    memset(rel, 0, 6 * sizeof *rel);
    if (!joint->n_rate)
        return;
    int count =
        impact_joint_free((enum imp_joint_kind)joint->kind, e + IMP_JOINT_AXIS,
                          e + IMP_JOINT_AXIS2, plane, free_twist);
    if (joint->kind == IMP_JOINT_PLANAR) {
        for (int i = 0; i < 3; i++) {
            rel[i] = free_twist[0][i] * raw[0];
            rel[3 + i] = raw[1 + i];
        }
        return;
    }
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 6; c++)
            rel[c] += free_twist[i][c] * raw[i];
}

/* The twist of a body, with its velocity taken at `at`; zero for the world. */
static void
twist_at(const struct start *start, uint32_t b, const double at[3],
         double twist[6])
{
    memset(twist, 0, 6 * sizeof *twist);
    if (b == IMP_WORLD)
        return;
    const struct impact_body *k = &start->b[b];
    double d[3] = {at[0] - k->centre[0], at[1] - k->centre[1],
                   at[2] - k->centre[2]};
    vec3_cross(k->spin, d, twist + 3);
    for (int i = 0; i < 3; i++) {
        twist[i] = k->spin[i];
        twist[3 + i] += k->vel[i];
    }
}

static bool
known(const struct start *start, uint32_t b)
{
    return b == IMP_WORLD || (start->spin[b] && start->vel[b]);
}

/* Takes the motion of one side of a joint from the other. */
static void
across(struct start *start, uint32_t j)
{
    const struct impact_joint *joint = &start->m.p.joint[j];
    int to = known(start, joint->body[0]) ? 1 : 0;
    struct impact_body *body = &start->b[joint->body[to]];
    double wrench[6], d[3], centre[3];
    twist_at(start, joint->body[1 - to], joint->at, wrench);
    for (int i = 0; i < 6; i++)
        wrench[i] += (to ? -1 : 1) * start->rel[j][i];
    if (!start->spin[joint->body[to]])
        memcpy(body->spin, wrench, sizeof body->spin);
    for (int i = 0; i < 3; i++)
        d[i] = body->centre[i] - joint->at[i];
    vec3_cross(body->spin, d, centre);
    for (int i = 0; i < 3 && !start->vel[joint->body[to]]; i++)
        body->vel[i] = wrench[3 + i] + centre[i];
    start->spin[joint->body[to]] = start->vel[joint->body[to]] = true;
}

/* Goes across the next joint: first joints that leave nothing free or state
 * their rate, then the others. Returns true if there was one. */
static bool
advance(struct start *start)
{
    for (int loose = 0; loose < 2; loose++)
        for (uint32_t j = 0; j < start->m.p.n_joint; j++) {
            const uint32_t *b = start->m.p.joint[j].body;
            if (known(start, b[0]) == known(start, b[1]))
                continue;
            if (!loose && !joint_of(start, j)->n_rate &&
                joint_of(start, j)->kind != IMP_JOINT_WELD)
                continue;
            across(start, j);
            return true;
        }
    return false;
}

/* The body of those whose motion is not known yet that moves only as it states:
 * one that states its velocity or its spin, or else one that others move
 * against. A rate is that of the first body of a joint against the second, so
 * that is the first body of none. Of several, or where all are, it is the one
 * that is declared first; the number of bodies if all are known. */
static uint32_t
reference(const struct start *start)
{
    uint32_t n = start->m.p.n_body, found = n;
    int most = 0;
    for (uint32_t b = 0; b < n; b++) {
        bool hangs = false;
        for (uint32_t j = 0; j < start->m.p.n_joint; j++)
            hangs |= start->m.p.joint[j].body[0] == b;
        int rank = start->spin[b] || start->vel[b] ? 3 : hangs ? 1 : 2;
        if (!known(start, b) && rank > most) {
            found = b;
            most = rank;
        }
    }
    return found;
}

/* The sizes of the terms of each entry of twist_at. */
static void
twist_size(const struct start *start, uint32_t b, const double at[3],
           double t[6])
{
    memset(t, 0, 6 * sizeof *t);
    if (b == IMP_WORLD)
        return;
    const struct impact_body *k = &start->b[b];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        t[i] = fabs(k->spin[i]);
        t[3 + i] = fabs(k->vel[i]) + fabs(k->spin[j] * (at[l] - k->centre[l])) +
                   fabs(k->spin[l] * (at[j] - k->centre[j]));
    }
}

/* The rows of a joint's conditions on its relative twist [spin; velocity at
 * `at`]: its reactions do no work, and what `rate` states holds. Residuals in
 * res, the sizes of their terms in size. Returns the number of rows. */
static int
conditions(const struct start *start, uint32_t which, double row[12][6],
           double res[12], double size[12])
{
    const struct impact_joint *joint = &start->m.p.joint[which];
    double twists[2][6], most[2][6];
    int n_rows = 0;
    for (int i = 0; i < 2; i++) {
        twist_at(start, joint->body[i], joint->at, twists[i]);
        twist_size(start, joint->body[i], joint->at, most[i]);
    }
    for (int i = 0; i < joint->n; i++, n_rows++)
        for (int c = 0; c < 6; c++)
            row[n_rows][c] = joint->S[i][(c + 3) % 6];
    if (joint_of(start, which)->n_rate)
        for (int i = 0; i < 6; i++, n_rows++)
            for (int c = 0; c < 6; c++)
                row[n_rows][c] = c == i;
    for (int i = 0; i < n_rows; i++) {
        res[i] = size[i] = 0;
        for (int c = 0; c < 6; c++) {
            double rel = i < joint->n ? 0 : start->rel[which][c];
            res[i] += row[i][c] * (twists[0][c] - twists[1][c] - rel);
            size[i] += fabs(row[i][c]) * (most[0][c] + most[1][c] + fabs(rel));
        }
    }
    return n_rows;
}

/* The joint whose conditions fail worst, among those in `in` (NULL: all);
 * n_joint if all conditions hold. */
static uint32_t
worst_joint(const struct start *start, const bool *in, double *off)
{
    uint32_t found = start->m.p.n_joint;
    double row[12][6], res[12], size[12], speed = 0, most = START_AGREES;
    for (uint32_t j = 0; j < start->m.p.n_joint; j++) {
        int n = in && !in[j] ? 0 : conditions(start, j, row, res, size);
        for (int i = 0; i < n; i++)
            speed = fmax(speed, size[i]);
    }
    for (uint32_t j = 0; j < start->m.p.n_joint; j++) {
        int n = in && !in[j] ? 0 : conditions(start, j, row, res, size);
        for (int i = 0; i < n; i++)
            if (fabs(res[i]) > most * speed) {
                most = fabs(res[i]) / speed;
                *off = fabs(res[i]);
                found = j;
            }
    }
    return found;
}

/* How the twist of a body changes: by itself, or (`metric`) by M^-1/2 of a
 * vector whose length is that of the change in the kinetic metric. d becomes
 * the change that y stands for, or, transposed, what a condition d asks of y.
 */
static void
measure(const struct impact_body *body, bool metric, bool transposed,
        const double d[6], double y[6])
{
    memcpy(y, d, 6 * sizeof *y);
    if (!metric)
        return;
    for (int i = 0; i < 3; i++) {
        const double *C = body->root;
        y[i] = 0;
        for (int k = 0; k < 3; k++)
            y[i] += d[k] * (transposed ? C[3 * k + i] : C[3 * i + k]);
        y[3 + i] = sqrt(body->invmass) * d[3 + i];
    }
}

/* Enters the conditions of joint j into A (the matrix of A x = rhs, x the
 * changes of the motions, by columns), from row `at` on, at most `most`
 * rows. */
static int
enter_conditions(const struct start *start, uint32_t j, bool metric,
                 const int *col, int at, int most, double *A, double *rhs)
{
    const struct impact_joint *joint = &start->m.p.joint[j];
    double row[12][6], res[12], size[12];
    int n_rows = conditions(start, j, row, res, size);
    for (int condition = 0; condition < n_rows; condition++, at++) {
        rhs[at] = -res[condition];
        for (int side = 0; side < 2; side++) {
            uint32_t body = joint->body[side];
            if (body == IMP_WORLD)
                continue;
            double sign = side ? -1 : 1, d[3], t[6], y[6];
            for (int c = 0; c < 3; c++)
                d[c] = joint->at[c] - start->b[body].centre[c];
            /* r.(w x d) = w.(d x r) */
            vec3_cross(d, row[condition] + 3, t);
            for (int c = 0; c < 6; c++)
                t[c] = row[condition][c] + (c < 3 ? t[c] : 0);
            measure(&start->b[body], metric, true, t, y);
            for (int c = 0; c < 6; c++)
                if (col[6 * body + (uint32_t)c] >= 0)
                    A[col[6 * body + (uint32_t)c] * most + at] += sign * y[c];
        }
    }
    return n_rows;
}

/* Makes the least change of the motions marked in fspin and fvel after which
 * the joints in `in` (NULL: all) hold: of the solutions of A x = rhs the
 * shortest, by the singular values of A = U S V^T. */
static void
adjust(struct start *start, const bool *fspin, const bool *fvel, const bool *in,
       bool metric)
{
    uint32_t nb = start->m.p.n_body;
    int n_rows = 0, rows = 0, *col = NEW_N(start->r->arena, int, 6 * nb + 1);
    for (uint32_t b = 0; b < nb; b++)
        for (int i = 0; i < 6; i++)
            col[6 * b + (uint32_t)i] =
                (i < 3 ? fspin[b] : fvel[b]) ? n_rows++ : -1;
    int most = 12 * (int)start->m.p.n_joint;
    double *A = NEW_N(start->r->arena, double,
                      most *n_rows + n_rows * n_rows + 3 * n_rows + most + 1);
    double *V = A + most * n_rows, *sv = V + n_rows * n_rows,
           *change = sv + n_rows, *work = change + n_rows, *rhs = work + n_rows;
    for (uint32_t j = 0; j < start->m.p.n_joint; j++)
        if (!in || in[j])
            rows += enter_conditions(start, j, metric, col, rows, most, A, rhs);
    if (!n_rows || !dense_svd(most, n_rows, A, V, sv))
        return;
    int rank = 0;
    while (rank < n_rows && sv[rank] > dense_tolerance(most, n_rows) * sv[0])
        rank++;
    dense_svd_solve(most, n_rows, A, V, sv, rank, rhs, change, work);
    for (uint32_t b = 0; b < nb; b++) {
        double y[6], d[6];
        for (uint32_t i = 0; i < 6; i++)
            y[i] = col[6 * b + i] >= 0 ? change[col[6 * b + i]] : 0;
        measure(&start->b[b], metric, false, y, d);
        for (int i = 0; i < 3; i++) {
            start->b[b].spin[i] += d[i];
            start->b[b].vel[i] += d[3 + i];
        }
    }
}

/* Projects the motions of the bodies in `on` (NULL: all) onto what the joints
 * among them allow. The second round removes the rounding of the first. */
static bool
project(struct start *start, const bool *on)
{
    uint32_t nb = start->m.p.n_body, nj = start->m.p.n_joint;
    bool *in = NEW_N(start->r->arena, bool, nj + 1);
    bool *free = NEW_N(start->r->arena, bool, nb + 1);
    double off;
    for (uint32_t b = 0; b < nb; b++)
        free[b] = (!on || on[b]) && start->b[b].invmass > 0;
    for (uint32_t j = 0; j < nj; j++) {
        in[j] = true;
        for (int i = 0; i < 2; i++) {
            uint32_t b = start->m.p.joint[j].body[i];
            in[j] &= !on || b == IMP_WORLD || on[b];
        }
    }
    if (worst_joint(start, in, &off) == nj)
        return false;
    for (int round = 0; round < 2; round++)
        adjust(start, free, free, in, true);
    return true;
}

static double
apart(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return vec3_norm(d);
}

/* Tells by how much stated velocities have changed, unless the change is
 * rounding. */
static void
tell_projected(const struct start *start)
{
    struct rt *run = start->r;
    struct diag *diag = NULL;
    double most = 0;
    for (uint32_t which = 0; which < start->m.p.n_body; which++) {
        most = fmax(most, apart(start->b[which].vel, start->stated[which].vel));
        most =
            fmax(most, apart(start->b[which].spin, start->stated[which].spin));
    }
    for (uint32_t which = 0; which < start->m.p.n_body; which++) {
        const imp_body *body = rt_body(run, start->m.body[which]);
        double velocity_change =
            start->fvel[which]
                ? 0
                : apart(start->b[which].vel, start->stated[which].vel);
        double spin_change =
            start->fspin[which]
                ? 0
                : apart(start->b[which].spin, start->stated[which].spin);
        char velocity_text[NUM_TEXT], spin_text[NUM_TEXT];
        if (fmax(velocity_change, spin_change) <= 1e-12 * most)
            continue;
        if (!diag)
            diag = diag_add(
                run->ds, DIAG_W0504,
                (start->fvel[which] ? imp_places_of(run->im, body)->spin
                                    : imp_places_of(run->im, body)->velocity),
                "the velocities at the start are projected onto what "
                "the joints allow");
        const char *name = imp_text(run->im, body->name);
        num_digits(velocity_text, velocity_change, 6);
        num_digits(spin_text, spin_change, 6);
        if (start->fspin[which])
            diag_note(run->ds, diag, IMP_NOWHERE,
                      "the velocity of `%s` changes by %s m/s", name,
                      velocity_text);
        else if (start->fvel[which])
            diag_note(run->ds, diag, IMP_NOWHERE,
                      "the spin of `%s` changes by %s rad/s", name, spin_text);
        else
            diag_note(run->ds, diag, IMP_NOWHERE,
                      "the velocity of `%s` changes by %s m/s, its spin by %s "
                      "rad/s",
                      name, velocity_text, spin_text);
    }
}

static int
disagree(const struct start *start, uint32_t j, double off)
{
    struct rt *run = start->r;
    const imp_joint *joint = joint_of(start, j);
    char x[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0542, joint->n_rate ? joint->range_rate : joint->range,
        "the velocities at the start do not agree with joint `%s`",
        imp_text(run->im, joint->name));
    diag_note(run->ds, diag, joint->range,
              "what it connects would come apart, or differ from its `rate`, "
              "by %s m/s or rad/s",
              num_digits(x, off, 6));
    for (int i = 0; i < 2; i++) {
        if (joint->body[i] == IMP_WORLD)
            continue;
        const imp_body *body = rt_body(run, joint->body[i]);
        const double *raw = setup_raw(run, body);
        if (given(body, imp_places_of(run->im, body)->velocity,
                  raw + IMP_RAW_VELOCITY, 3))
            diag_note(run->ds, diag, imp_places_of(run->im, body)->velocity,
                      "`%s` states its velocity here",
                      imp_text(run->im, body->name));
        if (given(body, imp_places_of(run->im, body)->spin, raw + IMP_RAW_SPIN,
                  3))
            diag_note(run->ds, diag, imp_places_of(run->im, body)->spin,
                      "`%s` states its spin here",
                      imp_text(run->im, body->name));
    }
    if (run->im->start_projected)
        diag_help(run->ds, diag,
                  "no motion agrees with all joints and rates: leave a `rate` "
                  "out");
    else
        diag_help(run->ds, diag,
                  "leave `velocity` and `spin` of the bodies out and state the "
                  "joint's `rate`: they follow from it. Or take the nearest "
                  "velocities that agree: world { start = projected }");
    return IMP_BADMODEL;
}

/* Tells the joints whose conditions follow from those of joints before them. */
static void
tell_redundant(const struct start *start)
{
    struct rt *run = start->r;
    struct impact_problem problem = start->m.p;
    struct impact_solver *solver =
        impact_solver_new(run->arena, problem.n_body, 0, problem.n_joint);
    if (impact_solver_prepare(solver, &problem) ||
        solver->delassus.joint_rank == solver->nr)
        return;
    int rows = solver->nr, over = rows - solver->delassus.joint_rank, told = 0;
    struct diag *diag = NULL;
    for (problem.n_joint = 1;
         problem.n_joint <= start->m.p.n_joint && told < over;
         problem.n_joint++) {
        if (impact_solver_prepare(solver, &problem))
            return;
        int more = solver->nr - solver->delassus.joint_rank - told;
        if (more <= 0)
            continue;
        const imp_joint *joint = joint_of(start, problem.n_joint - 1);
        told += more;
        if (diag)
            diag_note(run->ds, diag, joint->range, "%d of them here", more);
        else
            diag =
                diag_add(run->ds, DIAG_W0503, joint->range,
                         "%d of the %d constraints of the joints %s redundant",
                         over, rows, over == 1 ? "is" : "are");
    }
    if (diag)
        diag_help(run->ds, diag,
                  "the motion is determined all the same; impulses in the "
                  "joints are the least that give it. Joints that leave more "
                  "free (ball, cylinder) in the loop make them unique");
}

int
start_joints(struct rt *run)
{
    struct start start = {.r = run};
    if (!run->im->joints.n)
        return IMP_OK;
    int st = impact_of_run_read(run, NULL, 0, &start.m);
    if (st || (st = impact_of_run_reciprocal(run, &start.m)))
        return st;
    uint32_t nb = start.m.p.n_body;
    bool any = false, projected = false,
         *whole = NEW_N(run->arena, bool, nb + 1);
    double *twist = NEW_N(run->arena, double, 6 * nb + 1);
    start.b = NEW_N(run->arena, struct impact_body, nb + 1);
    memcpy(start.b, start.m.p.body, sizeof *start.b * nb);
    struct impact_body *before = NEW_N(run->arena, struct impact_body, nb + 1);
    start.stated = start.m.p.body;
    start.m.p.body = start.b;
    start.fspin = NEW_N(run->arena, bool, nb + 1);
    start.fvel = NEW_N(run->arena, bool, nb + 1);
    start.spin = NEW_N(run->arena, bool, nb + 1);
    start.vel = NEW_N(run->arena, bool, nb + 1);
    start.rel =
        arena_alloc(run->arena, sizeof *start.rel * (start.m.p.n_joint + 1));
    for (uint32_t j = 0; j < start.m.p.n_joint; j++)
        rates(&start, j, start.rel[j]);
    for (uint32_t number = 0; number < nb; number++) {
        const imp_body *body = rt_body(run, start.m.body[number]);
        const double *raw = setup_raw(run, body);
        bool fixed = (body->flags & IMP_BODYF_FIXED) != 0;
        start.vel[number] =
            fixed || given(body, imp_places_of(run->im, body)->velocity,
                           raw + IMP_RAW_VELOCITY, 3);
        start.spin[number] =
            fixed || given(body, imp_places_of(run->im, body)->spin,
                           raw + IMP_RAW_SPIN, 3);
        start.fvel[number] = !start.vel[number];
        start.fspin[number] = !start.spin[number];
        whole[number] = start.spin[number] && start.vel[number];
    }
    if (run->im->start_projected)
        any = projected = project(&start, whole);
    /* bodies that no joint holds, and one body of each group that floats, are
     * at rest */
    for (uint32_t rests = 0; rests < nb;) {
        while (advance(&start))
            any = true;
        rests = reference(&start);
        if (rests < nb)
            start.spin[rests] = start.vel[rests] = true;
    }
    double off = 0;
    uint32_t bad = worst_joint(&start, NULL, &off);
    if (bad < start.m.p.n_joint) {
        memcpy(before, start.b, sizeof *before * nb);
        adjust(&start, start.fspin, start.fvel, NULL, false);
        bad = worst_joint(&start, NULL, &off);
        any = true;
    }
    if (bad < start.m.p.n_joint && run->im->start_projected) {
        /* What is not stated cannot make up for it alone: it takes part in the
         * least change from where its joints have put it, and not from the
         * greatest that it can do. */
        memcpy(start.b, before, sizeof *before * nb);
        projected |= project(&start, NULL);
        bad = worst_joint(&start, NULL, &off);
    }
    if (bad < start.m.p.n_joint)
        return disagree(&start, bad, off);
    if (projected)
        tell_projected(&start);
    tell_redundant(&start);
    for (uint32_t i = 0; i < nb; i++) {
        memcpy(twist + 6 * i, start.b[i].spin, 3 * sizeof *twist);
        memcpy(twist + 6 * i + 3, start.b[i].vel, 3 * sizeof *twist);
    }
    if (any)
        impact_of_run_write(run, &start.m, twist);
    return IMP_OK;
}
