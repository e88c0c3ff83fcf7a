/* SPDX-License-Identifier: MIT */
/* The way for light links: where the inertia of a jointed body is small against
 * its mass times the square of the distance of its joints, the rows in the
 * scale of M^-1/2 are nearly parallel, and what is left of a contact when the
 * joints are eliminated has few digits. Here the changes of the spins are
 * unknowns beside the impulses of the joints, as in the motion
 * (mechanics/joint.c), and nothing is divided by an inertia:
 *     [ S_f S_f^T/m   S_m ] [ xi ]      [ S_f f/m ]
 *     [ S_m^T         -J  ] [ dw ]  = - [ m       ]
 * for an impulse [f; m] at the mass centres, with S the reactions of joints.
 * Then dv = (f + S_f^T xi)/m. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/impact_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/factors.h"
#include "runtime/numerics/vec3.h"

/* Gives the force and the moment about the mass centre that an impulse [force;
 * moment about `at`] is on a body. */
static void
about_centre(const struct impact_body *body, const double *force,
             const double *moment, const double at[3], double sign,
             double out[6])
{
    double arm[3], turn[3];
    vec3_sub(at, body->centre, arm);
    vec3_cross(arm, force, turn);
    for (int i = 0; i < 3; i++) {
        out[i] = sign * force[i];
        out[3 + i] = sign * (turn[i] + (moment ? moment[i] : 0.0));
    }
}

static bool
moves(const struct impact_solver *solver, uint32_t body)
{
    return body != IMP_WORLD && solver->in.body[body].invmass > 0.0;
}

/* Makes room, and the reactions of all joints on their bodies. */
static void
make_rows(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    struct impact_saddle *saddle = &work->saddle;
    const struct impact_problem *in = &solver->in;
    size_t nb = work->most_body, rows = (size_t)work->ld;
    if (!saddle->row) {
        saddle->row = NEW_N(work->arena, struct impact_row, rows + 1);
        saddle->spin = NEW_N(work->arena, int, 3 * nb + 1);
        saddle->twist = NEW_N(work->arena, double, 12 * nb + 1);
        saddle->impulse = saddle->twist + 6 * nb;
        size_t most = rows + 3 * nb;
        most = most < IMP_UNKNOWN_MAX ? most : IMP_UNKNOWN_MAX;
        saddle->K =
            NEW_N(work->arena, double, 2 * most * (most + 1) + most + 1);
        saddle->factors = saddle->K + most * most;
        saddle->unknown = saddle->factors + most * most;
        saddle->right = saddle->unknown + most;
        saddle->left = saddle->right + most;
        saddle->G = NEW_N(work->arena, double, rows *rows + 1);
        saddle->column = NEW_N(work->arena, double, 6 * nb * rows + 1);
        saddle->piv = NEW_N(work->arena, int, most + 1);
    }
    memset(saddle->row, 0, sizeof *saddle->row * rows);
    struct impact_row *row = saddle->row;
    for (uint32_t j = 0; j < in->n_joint; j++)
        for (int i = 0; i < in->joint[j].n; i++, row++)
            for (int side = 0; side < 2; side++) {
                const struct impact_joint *joint = &in->joint[j];
                uint32_t body = joint->body[side];
                row->body[side] = moves(solver, body) ? body : IMP_WORLD;
                if (moves(solver, body))
                    about_centre(&in->body[body], joint->S[i], joint->S[i] + 3,
                                 joint->at, side ? -1.0 : 1.0, row->b[side]);
            }
}

/* Numbers the spins that are unknown: those with an inertia, or held by a
 * joint. Returns the number of all unknowns. */
static int
number_spins(struct impact_solver *solver)
{
    struct impact_saddle *saddle = &solver->w->saddle;
    int number = solver->nr;
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        for (uint32_t k = 0; k < 3; k++) {
            bool held = false;
            for (int j = 0; j < 3 && moves(solver, b); j++)
                held |= solver->in.body[b].inroot[3 * k + (uint32_t)j] != 0.0;
            for (int i = 0; i < solver->nr; i++)
                for (int side = 0; side < 2; side++)
                    held |= saddle->row[i].body[side] == b &&
                            saddle->row[i].b[side][3 + k] != 0.0;
            saddle->spin[3 * b + k] = held ? number++ : -1;
        }
    return number;
}

static void
fill(struct impact_solver *solver)
{
    struct impact_saddle *saddle = &solver->w->saddle;
    int size = saddle->n;
    double *matrix = saddle->K;
    memset(matrix, 0, sizeof *matrix * (size_t)size * (size_t)size);
    for (int index = 0; index < solver->nr; index++)
        for (int side = 0; side < 2; side++) {
            const struct impact_row *row = &saddle->row[index];
            uint32_t body = row->body[side];
            if (body == IMP_WORLD)
                continue;
            for (int j = 0; j <= index; j++)
                for (int other = 0; other < 2; other++)
                    if (saddle->row[j].body[other] == body)
                        matrix[index * size + j] +=
                            solver->in.body[body].invmass *
                            vec3_dot(row->b[side], saddle->row[j].b[other]);
            for (uint32_t k = 0; k < 3; k++)
                if (saddle->spin[3 * body + k] >= 0)
                    matrix[saddle->spin[3 * body + k] * size + index] +=
                        row->b[side][3 + k];
        }
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t l = 0; l <= k; l++) {
                const double *D = solver->in.body[b].inroot;
                int at = saddle->spin[3 * b + k], to = saddle->spin[3 * b + l];
                if (at >= 0 && to >= 0)
                    matrix[at * size + to] = -vec3_dot(D + 3 * k, D + 3 * l);
            }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            matrix[j * size + i] = matrix[i * size + j];
}

/* Solves for the unknowns, with one step of refinement: momentum is then kept
 * to the rounding of the terms of each body, however different the bodies are.
 */
static void
solve(struct impact_saddle *saddle)
{
    int unknowns = saddle->n;
    double *unknown = saddle->unknown, *left = saddle->left;
    memcpy(saddle->right, unknown, sizeof *unknown * (size_t)unknowns);
    imp_saddle_solve(unknowns, saddle->factors, saddle->piv, unknown);
    for (int i = 0; i < unknowns; i++) {
        long double sum = saddle->right[i];
        for (int j = 0; j < unknowns; j++)
            sum -= (long double)saddle->K[i * unknowns + j] * unknown[j];
        left[i] = (double)sum;
    }
    imp_saddle_solve(unknowns, saddle->factors, saddle->piv, left);
    for (int i = 0; i < unknowns; i++)
        unknown[i] += left[i];
    saddle->off = 0.0;
    for (int i = 0; i < unknowns; i++) {
        double sum = -saddle->right[i], size = fabs(sum);
        for (int j = 0; j < unknowns; j++) {
            sum += saddle->K[i * unknowns + j] * unknown[j];
            size += fabs(saddle->K[i * unknowns + j] * unknown[j]);
        }
        if (size > 0.0)
            saddle->off = fmax(saddle->off, fabs(sum) / size);
    }
}

/* Sets saddle->twist to what saddle->impulse, six numbers per body, does to the
 * bodies, with the answer of the joints in the first unknowns. */
static void
respond(struct impact_solver *solver)
{
    struct impact_saddle *saddle = &solver->w->saddle;
    double *unknown = saddle->unknown, *twist = saddle->twist;
    memset(unknown, 0, sizeof *unknown * (size_t)saddle->n);
    for (int i = 0; i < solver->nr; i++)
        for (int side = 0; side < 2; side++) {
            const struct impact_row *row = &saddle->row[i];
            uint32_t b = row->body[side];
            if (b != IMP_WORLD)
                unknown[i] -= solver->in.body[b].invmass *
                              vec3_dot(row->b[side], saddle->impulse + 6 * b);
        }
    for (uint32_t k = 0; k < 3 * solver->in.n_body; k++)
        if (saddle->spin[k] >= 0)
            unknown[saddle->spin[k]] =
                -saddle->impulse[6 * (k / 3) + 3 + k % 3];
    solve(saddle);
    memset(twist, 0, sizeof *twist * 6 * solver->in.n_body);
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        for (uint32_t k = 0; k < 3 && moves(solver, b); k++) {
            int spin = saddle->spin[3 * b + k];
            twist[6 * b + k] = spin >= 0 ? unknown[spin] : 0.0;
            twist[6 * b + 3 + k] = saddle->impulse[6 * b + k];
        }
    for (int i = 0; i < solver->nr; i++)
        for (int side = 0; side < 2; side++) {
            const struct impact_row *row = &saddle->row[i];
            if (row->body[side] != IMP_WORLD)
                vec3_add_scaled(unknown[i], row->b[side],
                                twist + 6 * row->body[side] + 3);
        }
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        for (uint32_t k = 3; k < 6; k++)
            twist[6 * b + k] *= solver->in.body[b].invmass;
}

/* Adds `impulse` times the unit impulse of a contact to saddle->impulse. */
static void
add_contact(struct impact_solver *solver, int contact, double impulse)
{
    const struct impact_contact *of = &solver->in.contact[contact];
    for (int side = 0; side < 2; side++) {
        uint32_t b = of->body[side];
        double unit[3], on[6];
        if (!moves(solver, b))
            continue;
        for (int i = 0; i < 3; i++)
            unit[i] = of->dir[i] / solver->approach.length[contact];
        about_centre(&solver->in.body[b], unit, NULL, side ? of->q : of->p,
                     side ? impulse : -impulse, on);
        for (uint32_t i = 0; i < 6; i++)
            solver->w->saddle.impulse[6 * b + i] += on[i];
    }
}

static void
clear(struct impact_solver *solver)
{
    memset(solver->w->saddle.impulse, 0,
           sizeof(double) * 6 * solver->in.n_body);
}

/* Returns the normal velocity at a contact under saddle->twist. */
static double
rate(const struct impact_solver *solver, int contact)
{
    const struct impact_contact *of = &solver->in.contact[contact];
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        uint32_t b = of->body[side];
        if (!moves(solver, b))
            continue;
        const double *twist = solver->w->saddle.twist + 6 * b;
        double arm[3], v[3];
        vec3_sub(side ? of->q : of->p, solver->in.body[b].centre, arm);
        vec3_copy(twist + 3, v);
        vec3_add_scaled_cross(1.0, twist, arm, v);
        sum += (side ? 1.0 : -1.0) * vec3_dot(of->dir, v);
    }
    return sum / solver->approach.length[contact];
}

/* Where joints are redundant: the vectors of their impulses that do nothing,
 * into saddle->idle. They are the null space of the reactions, whatever the
 * masses.
 */
static bool
find_idle(struct impact_solver *solver)
{
    struct impact_work *work = solver->w;
    struct impact_saddle *saddle = &work->saddle;
    int nr = solver->nr, n_entries = 6 * (int)solver->in.n_body;
    size_t rows = (size_t)nr;
    double *matrix =
        NEW_N(work->arena, double, rows *(size_t)n_entries + rows + 1);
    double *singular = matrix + rows * (size_t)n_entries;
    saddle->idle = NEW_N(work->arena, double, rows *rows + 1);
    for (int i = 0; i < nr; i++)
        for (int side = 0; side < 2; side++) {
            const struct impact_row *row = &saddle->row[i];
            for (uint32_t k = 0; k < 6 && row->body[side] != IMP_WORLD; k++)
                matrix[i * n_entries + (int)(6 * row->body[side] + k)] +=
                    row->b[side][k];
        }
    if (!dense_svd(n_entries, nr, matrix, saddle->idle, singular))
        return false;
    saddle->busy = 0;
    double least = dense_tolerance(n_entries, nr) * singular[0];
    while (saddle->busy < nr && singular[saddle->busy] > least)
        saddle->busy++;
    return true;
}

/* Takes out of the impulses of joints what does nothing: the least are left. */
static void
make_least(struct impact_solver *solver, double *xi)
{
    int nr = solver->nr;
    int first = solver->w->saddle.rank < nr ? solver->w->saddle.busy : nr;
    for (int v = first; v < nr; v++) {
        const double *idle = solver->w->saddle.idle + v * nr;
        double part = dense_dot(nr, idle, xi);
        for (int i = 0; i < nr; i++)
            xi[i] -= part * idle[i];
    }
}

/* Gives saddle->twist in the scale of M^(1/2). The products of two of these,
 * each the answer to a unit impulse at a contact, are G, as joints do no work.
 */
static void
weigh(const struct impact_solver *solver, double *column)
{
    const double *twist = solver->w->saddle.twist;
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        for (uint32_t k = 0; k < 3; k++) {
            const struct impact_body *body = &solver->in.body[b];
            const double *D = body->inroot + k, *w = twist + 6 * b;
            bool free = moves(solver, b);
            column[6 * b + k] =
                free ? D[0] * w[0] + D[3] * w[1] + D[6] * w[2] : 0.0;
            column[6 * b + 3 + k] = free ? w[3 + k] / sqrt(body->invmass) : 0.0;
        }
}

bool
joint_saddle_prepare(struct impact_solver *solver, bool light, double *size)
{
    assert(solver != NULL && size != NULL && solver->nr > 0);
    struct impact_saddle *saddle = &solver->w->saddle;
    int nc = solver->nc, rank;
    double *G = solver->delassus.G;
    if (!light && solver->delassus.joint_rank == solver->nr)
        return false;
    make_rows(solver);
    saddle->n = number_spins(solver);
    if (saddle->n > IMP_UNKNOWN_MAX)
        return false;
    fill(solver);
    memcpy(saddle->factors, saddle->K,
           sizeof *saddle->K * (size_t)saddle->n * (size_t)saddle->n);
    if (imp_saddle_factor(saddle->n, saddle->factors, saddle->piv))
        return false;
    rank = solver->nr - (saddle->n - imp_saddle_rank(saddle->n, saddle->piv));
    if (!light && rank <= solver->delassus.joint_rank)
        return false;
    if (rank < solver->nr && !find_idle(solver))
        return false;
    for (int c = 0; c < nc; c++) {
        clear(solver);
        add_contact(solver, c, 1.0);
        respond(solver);
        if (saddle->off > SADDLE_SOUND)
            return false;
        weigh(solver, saddle->column + 6 * (size_t)c * solver->in.n_body);
        for (int d = 0; d < nc; d++)
            saddle->G[d * nc + c] = rate(solver, d);
    }
    solver->delassus.joint_rank = saddle->rank = rank;
    memcpy(G, saddle->G, sizeof *G * (size_t)nc * (size_t)nc);
    for (int c = 0; c < nc; c++) {
        for (int d = 0; d < c; d++)
            G[c * nc + d] = G[d * nc + c] =
                0.5 * (G[c * nc + d] + G[d * nc + c]);
        size[c] = G[c * (nc + 1)];
        for (int side = 0; side < 2; side++) {
            uint32_t b = solver->in.contact[c].body[side];
            if (moves(solver, b))
                size[c] = fmax(size[c], solver->in.body[b].invmass);
        }
    }
    return true;
}

const double *
joint_saddle_motion(struct impact_solver *solver, const double *P, double *xi)
{
    assert(solver != NULL && xi != NULL && solver->w->saddle.used);
    clear(solver);
    for (int c = 0; c < solver->nc; c++)
        add_contact(solver, c, P[c]);
    respond(solver);
    memcpy(xi, solver->w->saddle.unknown, sizeof *xi * (size_t)solver->nr);
    make_least(solver, xi);
    return solver->w->saddle.twist;
}
