/* SPDX-License-Identifier: MIT */
/* Velocities before, motion after and balances. See impact.h; the factored way
 * to G is in delassus_factored.c, the exact one in delassus_svd.c, laws are in
 * laws.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/friction/friction.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"
#include "runtime/numerics/vec3.h"

/* A row whose pivot, relative to its own size, is under this: the squared sine
 * of its angle to the rows before it. Cholesky of a Gram matrix then has lost
 * more than a third of its digits, and the exact way is taken. */
#define PIVOT_REGULAR 1e-6
/* The same of the rows of joints, where the change of the energy would have an
 * error of 1e-13 and more: J/(m l^2) of a light link on a hinge at a distance
 * l. The equations of joint_saddle.c lose nothing then. */
#define PIVOT_LIGHT 1e-3

/* Normal velocities under this share of their terms are rest: velocities agree
 * with joints to no more (start.c), and verdicts have the same tolerance. */
#define OPEN 1e-9

struct impact_solver *
impact_solver_new(struct arena *arena, uint32_t n_body, uint32_t n_contact,
                  uint32_t n_joint)
{
    assert(arena != NULL);
    assert(n_contact <= IMPACT_CONTACTS_MAX);
    struct impact_solver *solver = NEW(arena, struct impact_solver);
    struct impact_work *work = solver->w = NEW(arena, struct impact_work);
    size_t nb = n_body, nc = n_contact, nr = 6 * (size_t)n_joint, n = nr + nc;
    work->arena = arena;
    work->most_body = nb;
    work->ld = (int)(n ? n : 1);
    work->row = NEW_N(arena, struct impact_row, n + 1);
    delassus_factor_new(work, nb, nc, n_joint);
    work->scratch.x = NEW_N(arena, double, 2 * n + 1);
    work->scratch.y = work->scratch.x + n;
    work->contact.F = NEW_N(arena, double, nc *nc + nc + 1);
    work->contact.Frd = work->contact.F + nc * nc;
    work->contact.Ffirst = NEW_N(arena, int, nc + 1);
    work->scratch.six = NEW_N(arena, double, 14 * nb + 1);
    work->scratch.sum = work->scratch.six + 6 * nb;
    solver->delassus.G = NEW_N(arena, double, nc *nc + 13 * nc + 1);
    double *room = solver->delassus.G + nc * nc;
    solver->approach.length = room;
    solver->approach.v0 = room + nc;
    solver->approach.vsize = room + 2 * nc;
    solver->impulse.P = room + 3 * nc;
    solver->impulse.load = room + 4 * nc;
    solver->impulse.unload = room + 5 * nc;
    solver->velocity.before = room + 6 * nc;
    solver->velocity.after = room + 7 * nc;
    solver->velocity.at_peak = room + 8 * nc;
    solver->velocity.residual = room + 9 * nc;
    solver->approach.e = room + 10 * nc;
    solver->approach.open = NEW_N(arena, bool, nc + 1);
    solver->velocity.twist = NEW_N(arena, double, 12 * nb + 1);
    solver->velocity.peak_twist = solver->velocity.twist + 6 * nb;
    solver->impulse.xi = NEW_N(arena, double, nr + 1);
    return solver;
}

struct impact_solver *
impact_solver_of_rows(struct arena *arena, uint32_t n_row, uint32_t n_contact)
{
    /* the memory of a row is that of six numbers for each body */
    return impact_solver_new(arena, (n_row + 5) / 6, n_contact, 0);
}

double
impact_restitution_of(const struct impact_solver *solver, int contact,
                      double approach)
{
    assert(contact >= 0 && (uint32_t)contact < solver->in.n_contact);
    const struct impact_restitution *law = solver->in.varies;
    return law ? law->of(law->context, solver->in.number[contact], approach)
               : solver->in.contact[contact].e;
}

static void
velocities(struct impact_solver *solver)
{
    struct impact_approach *approach = &solver->approach;
    const struct impact_problem *in = &solver->in;
    approach->speed = 0;
    for (uint32_t contact = 0; contact < in->n_contact; contact++) {
        const struct impact_contact *problem_contact = &in->contact[contact];
        double velocity = problem_contact->recede * approach->length[contact],
               size = in->row ? in->row_rate[contact]
                              : fabs(problem_contact->recede);
        for (int side = 0; side < 2; side++) {
            if (problem_contact->body[side] == IMP_WORLD)
                continue;
            const struct impact_body *problem_body =
                &in->body[problem_contact->body[side]];
            const double *x = side ? problem_contact->q : problem_contact->p,
                         *spin = problem_body->spin;
            double r[3] = {x[0] - problem_body->centre[0],
                           x[1] - problem_body->centre[1],
                           x[2] - problem_body->centre[2]};
            double t[3];
            vec3_cross(spin, r, t);
            for (int i = 0; i < 3; i++) {
                velocity += (side ? 1 : -1) * problem_contact->dir[i] *
                            (problem_body->vel[i] + t[i]);
                size += fabs(problem_body->vel[i]) +
                        fabs(spin[i]) * (fabs(r[0]) + fabs(r[1]) + fabs(r[2]));
            }
        }
        approach->v0[contact] = velocity / approach->length[contact];
        solver->velocity.before[contact] = velocity;
        approach->vsize[contact] = size;
        approach->speed = fmax(approach->speed, size);
    }
    for (uint32_t contact = 0; contact < in->n_contact; contact++)
        approach->e[contact] =
            impact_restitution_of(solver, (int)contact, -approach->v0[contact]);
    for (uint32_t contact = 0; contact < in->n_contact; contact++)
        approach->open[contact] =
            approach->v0[contact] >
            fmax(OPEN, solver->in.tolerance) * approach->speed;
}

double
impact_velocity_tolerance(const struct impact_solver *solver)
{
    assert(solver);
    /* A velocity is the sum of about 20 rounded terms; errors of the data also
     * turn the directions. */
    return (64 * DBL_EPSILON + solver->in.tolerance) * solver->approach.speed;
}

/* far above the rounding of G, far below what changes an outcome */
#define RIGHT_ANGLE 1e-9

double
delassus_cosine(const struct impact_solver *solver, int i, int j)
{
    assert(i >= 0 && i < solver->nc && j >= 0 && j < solver->nc);
    double d = solver->delassus.G[i * (solver->nc + 1)] *
               solver->delassus.G[j * (solver->nc + 1)];
    return d > 0 ? solver->delassus.G[i * solver->nc + j] / sqrt(d) : 0;
}

bool
delassus_orthogonal(const struct impact_solver *solver, int i, int j)
{
    assert(i >= 0 && i < solver->nc && j >= 0 && j < solver->nc);
    return fabs(delassus_cosine(solver, i, j)) <= RIGHT_ANGLE;
}

int
impact_solver_prepare(struct impact_solver *solver,
                      const struct impact_problem *in)
{
    assert(solver != NULL && in != NULL);
    assert(in->tolerance >= 0);
    assert(in->n_contact <= IMPACT_CONTACTS_MAX);
    struct impact_work *work = solver->w;
    int rank;
    solver->in = *in;
    work->svd.made = work->svd.left = work->svd.whole = false;
    work->contact.whole = true;
    int rows = 0;
    for (uint32_t j = 0; j < in->n_joint; j++)
        rows += in->joint[j].n;
    double tol = dense_tolerance(rows, in->row ? (int)in->row_length
                                               : 6 * (int)in->n_body);
    double joints = delassus_factor(solver, tol);
    double *size = work->joint.ref + rows;
    velocities(solver);
    work->saddle.used =
        rows > 0 && joint_saddle_prepare(solver, joints < PIVOT_LIGHT, size);
    for (int c = 0; c < solver->nc && work->saddle.used; c++)
        work->contact.Ffirst[c] = 0;
    if (in->products && rows == 0 && !in->row) {
        solver->delassus.regular = false;
        return 0;
    }
    for (int i = 0; i < solver->nc; i++)
        memcpy(work->contact.F + i * solver->nc,
               solver->delassus.G + i * solver->nc,
               sizeof *work->contact.F * (size_t)(i + 1));
    double contacts = dense_cholesky(solver->nc, work->contact.F, solver->nc,
                                     work->contact.Ffirst, size, tol,
                                     work->contact.Frd, &rank);
    solver->delassus.rank = rank;
    solver->delassus.condition = 1 / fmin(joints, contacts);
    bool sound =
        work->saddle.used || (solver->delassus.joint_rank == solver->nr &&
                              joints >= fmax(PIVOT_REGULAR, in->tolerance));
    solver->delassus.regular = sound && rank == solver->nc &&
                               contacts >= fmax(PIVOT_REGULAR, in->tolerance);
    /* without joints nothing of G cancels, and many laws need no more */
    bool enough = solver->delassus.regular || (rows == 0 && !in->row);
    return enough ? 0 : delassus_svd(solver);
}

int
impact_solver_measure(struct impact_solver *solver)
{
    assert(solver);
    return solver->w->svd.made ? 0 : delassus_svd(solver);
}

/* -- motion after ----------------------------------------------------------
 */

static void
add_rows(struct impact_solver *solver, const double *x, int first, int n,
         double *six)
{
    for (int i = 0; i < n; i++) {
        const struct impact_row *r = &solver->w->row[first + i];
        if (x[i] != 0)
            for (int s = 0; s < 2; s++)
                if (r->body[s] != IMP_WORLD)
                    for (int k = 0; k < 6; k++)
                        six[6 * r->body[s] + (uint32_t)k] += x[i] * r->b[s][k];
    }
}

/* Sets h = D^T w; D (D^T w) is the angular momentum. */
static void
half_spin(const struct impact_body *b, const double w[3], double h[3])
{
    mat3_apply_transposed(b->inroot, w, h);
}

static double
kinetic(const struct impact_body *b, const double *twist)
{
    const double *v = twist + 3;
    double h[3], t = b->mass * vec3_dot(v, v);
    half_spin(b, twist, h);
    return 0.5 * (t + vec3_dot(h, h));
}

/* Adds the impulse [F; T about `at`] to what acts on a body: force, moment
 * about the mass centre, and the sizes of both. */
static void
act(const struct impact_body *k, double sum[8], const double *F,
    const double *T, const double *at, double sign)
{
    double r[3] = {at[0] - k->centre[0], at[1] - k->centre[1],
                   at[2] - k->centre[2]};
    for (int c = 0; c < 3; c++) {
        int p = c == 2 ? 0 : c + 1, q = c == 0 ? 2 : c - 1;
        double x = r[p] * F[q], y = r[q] * F[p], t = T ? T[c] : 0;
        sum[c] += sign * F[c];
        sum[3 + c] += sign * (t + (x - y));
        sum[6] += fabs(F[c]);
        sum[7] += fabs(t) + fabs(x) + fabs(y);
    }
}

void
impact_momentum_balance(struct impact_solver *solver)
{
    assert(solver);
    const struct impact_problem *in = &solver->in;
    double worst = 0, *sum = solver->w->scratch.sum;
    memset(sum, 0, sizeof *sum * 8 * in->n_body);
    for (uint32_t i = 0; i < in->n_contact; i++)
        for (int s = 0; s < 2; s++) {
            const struct impact_contact *contact = &in->contact[i];
            double F[3];
            for (int k = 0; k < 3; k++)
                F[k] = contact->dir[k] * solver->impulse.P[i];
            if (contact->body[s] != IMP_WORLD)
                act(&in->body[contact->body[s]], sum + 8 * contact->body[s], F,
                    NULL, s ? contact->q : contact->p, s ? 1 : -1);
        }
    for (uint32_t i = 0; i < in->n_joint; i++)
        for (int s = 0; s < 2; s++) {
            const struct impact_joint *j = &in->joint[i];
            const double *x = solver->impulse.xi + 6 * i;
            if (j->body[s] != IMP_WORLD)
                act(&in->body[j->body[s]], sum + 8 * j->body[s], x, x + 3,
                    j->at, s ? -1 : 1);
        }
    for (uint32_t b = 0; b < in->n_body; b++, sum += 8) {
        const struct impact_body *problem_body = &in->body[b];
        const double *t = solver->velocity.twist + 6 * b;
        double left[2] = {0, 0}, size[2] = {sum[6], sum[7]}, change[6];
        if (!(problem_body->invmass > 0))
            continue;
        for (int c = 0; c < 3; c++) {
            change[c] = t[c] - problem_body->spin[c];
            change[3 + c] = t[3 + c] - problem_body->vel[c];
            size[0] += problem_body->mass *
                       (fabs(problem_body->vel[c]) + fabs(change[3 + c]));
        }
        double momentum[3], most[3] = {0, 0, 0};
        half_spin(problem_body, change, momentum);
        for (int i = 0; i < 9; i++)
            most[i % 3] +=
                fabs(problem_body->inroot[i]) *
                (fabs(problem_body->spin[i / 3]) + fabs(change[i / 3]));
        for (int c = 0; c < 3; c++) {
            const double *D = problem_body->inroot + 3 * c;
            left[0] = fmax(left[0],
                           fabs(problem_body->mass * change[3 + c] - sum[c]));
            double H = vec3_dot(D, momentum);
            /* nothing turns a planar body about x, y */
            if (D[0] != 0 || D[1] != 0 || D[2] != 0)
                left[1] = fmax(left[1], fabs(H - sum[3 + c]));
            for (int e = 0; e < 3; e++)
                size[1] += fabs(D[e]) * most[e];
        }
        for (int i = 0; i < 2; i++)
            if (size[i] > 0)
                worst = fmax(worst, left[i] / size[i]);
    }
    solver->balance.momentum_error = worst;
}

/* Puts the impulses of joints into xi, and what they and P do to the bodies, in
 * the scale of the rows, into scratch.six. */
static void
answer_of_joints(struct impact_solver *solver, const double *P, double *xi)
{
    double *six = solver->w->scratch.six;
    memset(six, 0, sizeof *six * 6 * solver->in.n_body);
    add_rows(solver, P, solver->nr, solver->nc, six);
    if (solver->delassus.joint_rank < solver->nr)
        impact_least_joint_impulses(solver, six, xi);
    else
        impact_joint_impulses(solver, P, xi);
    add_rows(solver, xi, 0, solver->nr, six);
}

void
impact_motion_after(struct impact_solver *solver, const double *impulses)
{
    assert(solver->nc == 0 || impulses != NULL);
    const struct impact_problem *in = &solver->in;
    struct impact_work *room = solver->w;
    double *xi = room->scratch.x;
    const double *light =
        room->saddle.used ? joint_saddle_motion(solver, impulses, xi) : NULL;
    if (!light && !in->row)
        answer_of_joints(solver, impulses, xi);
    solver->balance.energy[0] = solver->balance.energy[1] = 0;
    for (uint32_t body = 0; body < in->n_body; body++) {
        const struct impact_body *problem_body = &in->body[body];
        double *twist = solver->velocity.twist + 6 * body, before[6];
        const double *change = room->scratch.six + 6 * body;
        memcpy(before, problem_body->spin, 3 * sizeof *twist);
        memcpy(before + 3, problem_body->vel, 3 * sizeof *twist);
        memcpy(twist, before, sizeof before);
        if (!(problem_body->invmass > 0))
            continue;
        double g = sqrt(problem_body->invmass);
        for (int i = 0; light && i < 6; i++)
            twist[i] += light[6 * body + (uint32_t)i];
        for (int i = 0; !light && i < 3; i++) {
            const double *C = problem_body->root + 3 * i;
            twist[i] += C[0] * change[3] + C[1] * change[4] + C[2] * change[5];
            twist[3 + i] += g * change[i];
        }
        solver->balance.energy[0] += kinetic(problem_body, before);
        solver->balance.energy[1] += kinetic(problem_body, twist);
    }
    memset(solver->impulse.xi, 0, sizeof *solver->impulse.xi * 6 * in->n_joint);
    for (uint32_t j = 0; j < in->n_joint; j++)
        for (int i = 0; i < in->joint[j].n; i++)
            for (int k = 0; k < 6; k++)
                solver->impulse.xi[6 * j + (uint32_t)k] +=
                    xi[room->joint.first_of[j] + i] * in->joint[j].S[i][k];
    double work = 0;
    for (int c = 0; c < solver->nc; c++) {
        double v = solver->approach.v0[c] +
                   dense_dot(solver->nc, solver->delassus.G + c * solver->nc,
                             impulses);
        work += 0.5 * impulses[c] * (solver->approach.v0[c] + v);
        solver->impulse.P[c] = impulses[c] / solver->approach.length[c];
        solver->velocity.after[c] = v * solver->approach.length[c];
    }
    /* A sum that is positive by rounding alone is no gain. */
    double size = 0;
    for (int c = 0; c < solver->nc; c++)
        size += fabs(impulses[c]) *
                (solver->approach.vsize[c] +
                 fabs(solver->velocity.after[c] / solver->approach.length[c]));
    solver->balance.gained = work > 1e-13 * size ? work : 0;
}

/* How fast a contact opens when bodies move by these twists (6 each), along its
 * direction of this length. */
static double
opening(const struct impact_problem *in, const struct impact_contact *contact,
        const double *twist, double length)
{
    double velocity = contact->recede * length;
    for (int side = 0; side < 2; side++) {
        if (contact->body[side] == IMP_WORLD)
            continue;
        const struct impact_body *body = &in->body[contact->body[side]];
        const double *x = side ? contact->q : contact->p,
                     *t = twist + 6 * contact->body[side];
        double r[3] = {x[0] - body->centre[0], x[1] - body->centre[1],
                       x[2] - body->centre[2]},
               turn[3];
        vec3_cross(t, r, turn);
        for (int i = 0; i < 3; i++)
            velocity +=
                (side ? 1 : -1) * contact->dir[i] * (t[3 + i] + turn[i]);
    }
    return velocity / length;
}

/* Velocities that are off by no more than so many rounding errors are reached.
 */
#define IMPACT_REACHED 8.0

void
impact_reach(struct impact_solver *solver, const bool *on, const double *after)
{
    assert(on != NULL && after != NULL);
    const struct impact_problem *in = &solver->in;
    struct impact_work *room = solver->w;
    double missed[IMPACT_CONTACTS_MAX], more[IMPACT_CONTACTS_MAX], worst = 0;
    int rank;
    if (in->row || room->saddle.used || solver->nc < 2 || in->n_joint > 0 ||
        !solver->delassus.regular)
        return;
    for (int c = 0; c < solver->nc; c++) {
        missed[c] = on[c] ? after[c] - opening(in, &in->contact[c],
                                               solver->velocity.twist,
                                               solver->approach.length[c])
                          : 0;
        worst = fmax(worst, fabs(missed[c]));
    }
    if (!(worst > IMPACT_REACHED * DBL_EPSILON * solver->approach.speed) ||
        delassus_pseudoinverse(solver, on, missed, more, NULL, &rank))
        return;
    answer_of_joints(solver, more, room->scratch.x);
    solver->balance.energy[1] = 0;
    for (uint32_t body = 0; body < in->n_body; body++) {
        const struct impact_body *of = &in->body[body];
        double *twist = solver->velocity.twist + 6 * body;
        const double *change = room->scratch.six + 6 * body;
        if (!(of->invmass > 0))
            continue;
        for (int i = 0; i < 3; i++) {
            twist[i] += vec3_dot(of->root + 3 * i, change + 3);
            twist[3 + i] += sqrt(of->invmass) * change[i];
        }
        solver->balance.energy[1] += kinetic(of, twist);
    }
    for (int c = 0; c < solver->nc; c++)
        solver->impulse.P[c] += more[c] / solver->approach.length[c];
}
