/* SPDX-License-Identifier: MIT */
/* The active set: which closed contacts stay closed, and impacts at several
 * contacts. Both are linear complementarity problems with the matrix W of the
 * closed contacts (Glocker 2001; Moreau 1988). W is symmetric and positive
 * semidefinite, so the accelerations and the velocities after an impact are
 * unique even where the forces are not. */
#include <stdlib.h>
#include <string.h>

#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/lcp.h"

/* exponents beyond which numbers keep their local units for a law */
#define BY_LAW_DEEPEST 400

/* A sequence of more single impacts at one instant counts as endless. */
#define ACTIVE_SET_ENDLESS 100000L

/* An entry of W, but 0 where it may come from the rounding of the masses and of
 * the gradients of the gaps. These are off by a unit in their last place each.
 * With B_i = M^-1 N_i the entry W_ij is then off by at most eps times
 * |N_j| |B_i| + |N_i| |B_j| + |B_i| |M| |B_j|, where |X| has the moduli of the
 * entries of X. */
static double
find_coupling(const struct ballistic *motion, int contact, int other)
{
    int coordinates = motion->model.n;
    double coupling = motion->matrices.W[contact * motion->model.m + other];
    if (fabs(coupling) > BALLISTIC_MINOR * motion->matrices.root[contact] *
                             motion->matrices.root[other])
        return coupling;
    const double *Bi = motion->matrices.B + contact * coordinates,
                 *Bj = motion->matrices.B + other * coordinates;
    double terms =
        dot_abs(coordinates, motion->model.N + other * coordinates, Bi) +
        dot_abs(coordinates, motion->model.N + contact * coordinates, Bj);
    /* most couplings that are rounding are below the first part of the sum */
    if (fabs(coupling) <= BALLISTIC_NOISE * DBL_EPSILON * terms)
        return 0.0;
    for (int column = 0; column < coordinates; column++)
        terms +=
            fabs(Bi[column]) *
            dot_abs(coordinates, motion->model.mass + column * coordinates, Bj);
    double noise = BALLISTIC_NOISE * DBL_EPSILON * terms;
    /* the matrices of an instant carry the error of the motion up to it */
    if (motion->work->instant)
        noise =
            greater(noise, BALLISTIC_CLOSED * motion->matrices.root[contact] *
                               motion->matrices.root[other]);
    return fabs(coupling) <= noise ? 0.0 : coupling;
}

double
active_set_coupling(const struct ballistic *motion, int contact, int other)
{
    assert(contact >= 0 && contact < motion->model.m);
    assert(other >= 0 && other < motion->model.m);
    double *known =
        motion->matrices.coupling + contact * motion->model.m + other;
    if (isnan(*known))
        *known = find_coupling(motion, contact, other);
    return *known;
}

/* Puts the contacts of set.closed into set.index and their W into set.W;
 * returns how many they are. */
static int
gather(struct ballistic *motion)
{
    struct ballistic_workspace *work = motion->work;
    int count = 0;
    for (int i = 0; i < motion->model.m; i++)
        if (work->set.closed[i])
            work->set.index[count++] = i;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            work->set.W[i * count + j] = active_set_coupling(
                motion, work->set.index[i], work->set.index[j]);
    return count;
}

/* Adds to y (an acceleration or a rate) what forces or impulses p of the k
 * gathered contacts do to it. */
static void
respond(const struct ballistic *motion, const double *p, int count, double *y)
{
    int rank = motion->matrices.rank;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < rank; j++)
            y[j] += motion->matrices.H[motion->work->set.index[i] * rank + j] *
                    p[i];
}

/* Takes the mode in which all contacts are open. */
static bool
settle_free(struct ballistic *motion)
{
    size_t contacts = (size_t)motion->model.m;
    memset(motion->mode.persistent, 0, contacts);
    memset(motion->mode.force, 0, contacts * sizeof *motion->mode.force);
    memcpy(motion->mode.gap_acc, motion->matrices.gap_acc,
           contacts * sizeof *motion->mode.gap_acc);
    memcpy(motion->mode.y_acc, motion->matrices.y_acc,
           (size_t)motion->matrices.rank * sizeof *motion->mode.y_acc);
    motion->mode.n_persistent = 0;
    ballistic_units(motion);
    return true;
}

/* Contacts of scratch.calm do not accelerate although they are open (walls
 * across a floor that is closed). Rounding must not give them an acceleration,
 * nor a rate to those that have none: the state is projected accordingly. */
static void
keep_calm(struct ballistic *motion)
{
    bool *calm = motion->work->scratch.calm, any = false, still = false;
    for (int i = 0; i < motion->model.m && motion->mode.n_persistent; i++) {
        any |= calm[i] && !motion->mode.persistent[i];
        calm[i] |= motion->mode.persistent[i];
    }
    if (any)
        projection_apply(motion, projection_factor(motion, calm),
                         motion->mode.y_acc, NULL);
    for (int i = 0; i < motion->model.m && motion->mode.n_persistent &&
                    !motion->matrices.direct;
         i++) {
        calm[i] = motion->mode.persistent[i] || motion->rate[i] == 0.0;
        still |= calm[i];
    }
    if (still)
        projection_apply(motion, projection_factor(motion, calm), motion->z,
                         motion->local.rate_offset);
}

/* Lets gathered contacts that stay closed enter the basis: their gaps are known
 * exactly. */
static void
enter_basis(struct ballistic *motion, int count)
{
    for (int i = 0; i < count && motion->basis; i++) {
        int contact = motion->work->set.index[i];
        if (motion->mode.persistent[contact])
            motion->basis = contact_basis_enter(motion, motion->basis, contact,
                                                motion->greatest);
    }
}

/* Sets the motion to rest where the closed contacts leave none: beside them, if
 * their gaps move with the time. */
static void
come_to_rest(struct ballistic *motion)
{
    bool carried = false;
    for (int i = 0; i < motion->model.m; i++)
        carried |=
            motion->mode.persistent[i] && motion->local.rate_offset[i] != 0.0;
    int count = projection_factor(motion, motion->mode.persistent);
    if (motion->work->set.rank < motion->matrices.rank)
        return;
    projection_apply(motion, count, motion->y, motion->local.gap_offset);
    if (carried)
        projection_apply(motion, count, motion->z, motion->local.rate_offset);
    else
        memset(motion->z, 0, (size_t)motion->matrices.rank * sizeof *motion->z);
    memset(motion->mode.y_acc, 0,
           (size_t)motion->matrices.rank * sizeof *motion->mode.y_acc);
    ballistic_sense(motion);
    for (int i = 0; i < motion->model.m && motion->basis; i++)
        motion->rate[i] = 0.0;
}

/* Adds what the forces of the gathered contacts, in set.impulse, do to the free
 * accelerations of y and of the gaps, for the new mode. An acceleration that is
 * only the rounding error of its terms is 0. The sizes of the terms of the gaps
 * are in set.solution then. */
static void
accelerate(struct ballistic *motion, int count)
{
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m;
    memcpy(motion->mode.y_acc, motion->matrices.y_acc,
           (size_t)motion->matrices.rank * sizeof *motion->mode.y_acc);
    respond(motion, work->set.impulse, count, motion->mode.y_acc);
    for (int coordinate = 0; coordinate < motion->matrices.rank; coordinate++) {
        double size = fabs(motion->matrices.y_acc[coordinate]);
        for (int i = 0; i < count; i++)
            size += fabs(
                motion->matrices.H[work->set.index[i] * motion->matrices.rank +
                                   coordinate] *
                work->set.impulse[i]);
        if (fabs(motion->mode.y_acc[coordinate]) <=
            BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size)
            motion->mode.y_acc[coordinate] = 0.0;
    }
    for (int row = 0; row < contacts; row++) {
        double size = motion->matrices.gap_acc_terms[row];
        motion->mode.gap_acc[row] = motion->matrices.gap_acc[row];
        for (int j = 0; j < count; j++) {
            double d = motion->matrices.W[row * contacts + work->set.index[j]] *
                       work->set.impulse[j];
            motion->mode.gap_acc[row] += d;
            size += fabs(d);
        }
        work->set.solution[row] = size;
        double noise = BALLISTIC_NOISE * (count + 1) * DBL_EPSILON * size;
        work->scratch.calm[row] =
            count && size > 0.0 && fabs(motion->mode.gap_acc[row]) <= noise;
        if (work->scratch.calm[row])
            motion->mode.gap_acc[row] = 0.0;
    }
}

bool
active_set_settle(struct ballistic *motion)
{
    assert(motion && motion->work);
    struct ballistic_workspace *work = motion->work;
    int contacts = motion->model.m, count = gather(motion);
    if (count == 0 && contacts > 0 && motion->matrices.rank > 0)
        return settle_free(motion);
    for (int i = 0; i < count; i++)
        work->set.q[i] = motion->matrices.gap_acc[work->set.index[i]];
    int st = lcp_solve_again(work->set.settled, count, work->set.W, work->set.q,
                             work->set.impulse, work->set.lcp_room);
    if (st == 1 || st == 3)
        return false;
    memset(motion->mode.persistent, 0, (size_t)contacts);
    memset(motion->mode.force, 0,
           (size_t)contacts * sizeof *motion->mode.force);
    motion->mode.n_persistent = 0;
    accelerate(motion, count);
    for (int i = 0; i < count; i++) {
        int contact = work->set.index[i];
        double noise = BALLISTIC_NOISE * contacts * DBL_EPSILON *
                       work->set.solution[contact];
        motion->mode.persistent[contact] =
            work->set.impulse[i] > 0.0 ||
            !(motion->mode.gap_acc[contact] > noise);
        motion->just_hit[contact] = !motion->mode.persistent[contact];
        motion->mode.force[contact] = work->set.impulse[i];
        if (!motion->mode.persistent[contact])
            continue;
        motion->mode.n_persistent++;
        motion->mode.gap_acc[contact] = motion->gap[contact] =
            motion->rate[contact] = motion->greatest[contact] = 0.0;
        if (motion->matrices.direct) {
            motion->mode.y_acc[contact] = motion->z[contact] = 0.0;
            motion->y[contact] = 0.0 - motion->local.gap_offset[contact];
        }
    }
    enter_basis(motion, count);
    if (motion->matrices.direct && motion->mode.n_persistent == motion->model.n)
        instant_rest(motion);
    if (motion->mode.n_persistent >= motion->matrices.rank &&
        !motion->matrices.direct && !work->instant)
        come_to_rest(motion);
    else
        keep_calm(motion);
    ballistic_units(motion);
    contact_basis_derive(motion);
    contact_basis_coordinates(motion);
    return true;
}

void
active_set_push(struct ballistic *motion, const int *contact,
                const double *impulse, int count)
{
    assert(motion && motion->work);
    assert(contact && impulse);
    assert(count >= 0 && count <= motion->model.m);
    int rank = motion->matrices.rank, contacts = motion->model.m;
    double zs = 0.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < rank; j++)
            motion->z[j] +=
                motion->matrices.H[contact[i] * rank + j] * impulse[i];
    for (int j = 0; j < rank; j++)
        zs += fabs(motion->z[j]);
    for (int i = 0; i < count; i++)
        motion->event.impulse[contact[i]] =
            times2(impulse[i], motion->rate_exponent);
    instant_move(motion, contact, impulse, count, false);
    for (int row = 0; row < contacts; row++) {
        double u = motion->rate[row], full = zs * motion->matrices.root[row];
        if (motion->mode.persistent[row])
            continue;
        for (int j = 0; j < count; j++)
            u += active_set_coupling(motion, row, contact[j]) * impulse[j];
        if (!motion->basis && u != motion->rate[row] &&
            (motion->matrices.direct || !(fabs(u) < BALLISTIC_MINOR * full)))
            u = ballistic_of(motion, row, motion->z) +
                motion->local.rate_offset[row];
        motion->rate[row] = u;
    }
}

/* Two approaches count as equal: far above rounding, far below what data of
 * different contacts would give (as in runtime/impact). */
#define SEQUENCE_TIE 1e-9

/* Returns the place of the contact whose turn it is in a sequence; -1: none of
 * the k contacts approaches. Notes where another one has the same claim. */
static int
turn(struct ballistic *motion, int count)
{
    const struct ballistic_workspace *work = motion->work;
    int best = -1;
    double most = 0.0;
    for (int place = 0; place < count; place++) {
        int contact = work->set.index[place];
        double rate = work->set.rate[place],
               size = rate * rate / work->set.W[place * count + place];
        if (!(rate <
              -BALLISTIC_NOISE * DBL_EPSILON * work->rate_terms[contact]))
            continue;
        if (best < 0 || size - most > SEQUENCE_TIE * most) {
            best = place;
            most = size;
        } else if (fabs(size - most) <= SEQUENCE_TIE * most) {
            motion->event.tie |= work->set.W[place * count + best] != 0.0;
        }
    }
    return best;
}

/* Resolves the impacts one after the other. Sums the impulses and updates the
 * rates of the k contacts. Returns the number of impacts; -1: the sequence is
 * endless. */
static long
sequential(struct ballistic *motion, int count)
{
    struct ballistic_workspace *work = motion->work;
    memset(work->set.impulse, 0, (size_t)count * sizeof *work->set.impulse);
    for (long steps = 0; steps < ACTIVE_SET_ENDLESS; steps++) {
        int place = turn(motion, count);
        if (place < 0)
            return steps;
        int contact = work->set.index[place];
        double arrive = work->set.rate[place];
        double p = -(1.0 + motion->model.e[contact]) * arrive /
                   work->set.W[place * count + place];
        for (int j = 0; j < count; j++) {
            double d = work->set.W[j * count + place] * p;
            work->set.rate[j] += d;
            if (fabs(d) > motion->work->rate_terms[work->set.index[j]])
                motion->work->rate_terms[work->set.index[j]] = fabs(d);
        }
        work->set.rate[place] = -motion->model.e[contact] * arrive;
        work->set.impulse[place] += p;
    }
    return -1;
}

/* Finds the impulses and the rates of the gathered contacts by the law that
 * this room does not know. False: it determines no motion. */
static bool
by_law(struct ballistic *motion, int count)
{
    struct ballistic_workspace *work = motion->work;
    assert(motion->law != NULL);
    /* Numbers of a deep limit would underflow in true units; the laws are the
     * same in all units. */
    int exponent = motion->rate_exponent;
    if (abs(exponent) > BY_LAW_DEEPEST)
        exponent = 0;
    for (int i = 0; i < count; i++)
        work->set.q[i] = ldexp(work->set.rate[i], exponent);
    if (!motion->law->impulses(motion->law->context, motion, count,
                               work->set.index, work->set.q, work->set.impulse,
                               work->set.solution))
        return false;
    for (int i = 0; i < count; i++) {
        work->set.impulse[i] = ldexp(work->set.impulse[i], -exponent);
        work->set.rate[i] = ldexp(work->set.solution[i], -exponent);
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            work->rate_terms[work->set.index[i]] +=
                fabs(work->set.W[i * count + j] * work->set.impulse[j]);
    return true;
}

int
active_set_impact(struct ballistic *motion, enum ballistic_policy how,
                  const int *hit, int hits)
{
    assert(motion && motion->work);
    assert(hit && hits > 0 && hits <= motion->model.m);
    struct ballistic_workspace *work = motion->work;
    memcpy(work->set.closed, motion->mode.persistent, (size_t)motion->model.m);
    for (int i = 0; i < hits; i++)
        work->set.closed[hit[i]] = true;
    int count = gather(motion);
    for (int i = 0; i < count; i++) {
        int contact = work->set.index[i];
        work->set.rate[i] = motion->rate[contact];
        work->rate_terms[contact] = fabs(work->set.rate[i]);
        work->set.q[i] =
            (how == BALLISTIC_REST ? 1.0 : 1.0 + motion->model.e[contact]) *
            work->set.rate[i];
    }
    motion->event.tie = false;
    if (how == BALLISTIC_SEQUENTIAL) {
        long steps = sequential(motion, count);
        if (steps < 0)
            return 2;
        motion->impacts += steps - hits;
    } else if (how == BALLISTIC_BY_LAW) {
        if (!by_law(motion, count))
            return 3;
    } else {
        int st =
            lcp_solve_kept(work->set.settled, count, work->set.W, work->set.q,
                           work->set.impulse, work->set.lcp_room);
        if (st == 1 || st == 3)
            return 1;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++) {
                double d = work->set.W[i * count + j] * work->set.impulse[j];
                work->set.rate[i] += d;
                work->rate_terms[work->set.index[i]] += fabs(d);
            }
        /* Where an impulse acts, the law of impact gives the rate after it
         * exactly. So contacts that close alike go on alike. */
        for (int i = 0; i < count; i++)
            if (work->set.impulse[i] > 0.0)
                work->set.rate[i] =
                    how == BALLISTIC_REST ||
                            motion->mode.persistent[work->set.index[i]]
                        ? 0.0
                        : -motion->model.e[work->set.index[i]] *
                              motion->rate[work->set.index[i]];
    }
    active_set_push(motion, work->set.index, work->set.impulse, count);
    for (int i = 0; i < count; i++) {
        int contact = work->set.index[i];
        motion->rate[contact] = work->set.rate[i];
        if (fabs(motion->rate[contact]) <=
            BALLISTIC_NOISE * DBL_EPSILON * work->rate_terms[contact])
            motion->rate[contact] = 0.0;
        if (motion->matrices.direct)
            motion->z[contact] = motion->rate[contact];
        motion->gap[contact] = motion->greatest[contact] = 0.0;
    }
    return 0;
}
