/* SPDX-License-Identifier: MIT */
/* The motion with contacts that stay closed (persistent.h). With B = M^-1 N^T,
 * which varies along the motion, and forces lambda,
 *
 *     acceleration = free + B lambda
 *     gap_i'' = 0 for every point that pushes
 *
 * Coefficient k of lambda enters coefficient k + 2 of the gaps through B(0)
 * alone. So for each order k the series of the motion and of the gaps are made
 * with lambda_k = 0 (by the driven tape, whose accelerations have rows for
 * B lambda), and then this is solved:
 *
 *     G lambda_k = -(k+1)(k+2) gap_{k+2}     with G = N M^-1 N^T
 *
 * Where points depend on each other (four feet), G is singular, and the least
 * lambda is taken; the motion does not depend on that choice. Joints answer
 * inside the tape; in G they do so by joints_response. All this is done for one
 * group of points at a time. */
#include "runtime/motion/persistent.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/dense.h"
#include "runtime/relays/relays.h"

/* Singular values of G below this share of the greatest belong to points that
 * depend on each other. The share is a sine of 3e-6 between their directions;
 * rounding makes 10^-4 of it of dependent points. */
#define DELASSUS_RANK 1e-11
/* So many unknowns are solved by QR where their rank is clear: singular values
 * take longer than all else then. */
#define SQUARE_LEAST 12
/* Newton's method for forces on which the friction of joints depends begins
 * next to them and converges quadratically: these rounds are many. */
#define FRICTION_ROUNDS 20
/* where it moves no force by more than so much of the greatest it is rounding
 */
#define FRICTION_SETTLED 0x1p-48

/* -- pushes ---------------------------------------------------------------- */

/* Returns the rows of what contacts do to a body; NULL if it does not move. */
static double *
push_of(const struct rt *run, uint32_t body)
{
    if (!contact_point_body_moves(run, body))
        return NULL;
    uint32_t block = rt_body(run, body)->block,
             n = persistent_block(run, block)->bodies.n;
    const uint32_t *in =
        IMP_ARRAY(run->im, persistent_block(run, block)->bodies, uint32_t);
    for (uint32_t i = 0; i < n; i++)
        if (in[i] == body)
            return run->persistent_memory->push[block] +
                   (size_t)i * persistent_per_body(run) * IMP_ROW_STRIDE +
                   IMP_ROW_PAD;
    return NULL;
}

/* Adds to coefficient `to` of these rows `factor` times coefficient `from` of
 * what a unit of the force does. */
static void
push_add(struct rt *run, const struct persistent_unknown *unknown, int from,
         int to, double factor)
{
    const imp_contact *c = rt_contact(run, unknown->row->spot.contact);
    for (int e = 0; e < 2; e++) {
        double *p = push_of(run, c->body[e]), f[6], a[6];
        if (!p || factor == 0.0)
            continue;
        for (int i = 0; i < 6; i++)
            f[i] = unknown->push[e][i].c[from];
        persistent_by_mass(run, c->body[e], f, a);
        for (uint32_t i = 0; i < persistent_per_body(run); i++)
            p[(size_t)i * IMP_ROW_STRIDE + (size_t)to] +=
                factor * a[persistent_entry(run, i)];
    }
}

static void
push_clear(struct rt *run, struct persistent_group *group)
{
    run->persistent_memory->uses++;
    group->touched++;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        memset(run->persistent_memory->push[group->moved.block[i]], 0,
               sizeof(double) * IMP_ROW_STRIDE * persistent_per_body(run) *
                   persistent_block(run, group->moved.block[i])->bodies.n);
}

/* Writes order 0 of these rows, or zeros, into env for the joints. */
static void
push_env(struct rt *run, const struct persistent_group *group, bool on)
{
    uint32_t d = run->im->dim;
    for (uint32_t i = 0; i < group->moved.n_body; i++) {
        double *e = run->env + rt_body(run, group->moved.body[i])->env_body +
                    IMP_BODY_PUSH;
        const double *p = push_of(run, group->moved.body[i]);
        for (uint32_t j = 0; j < persistent_per_body(run); j++)
            e[j < d ? j : 3 + j - d] = on ? p[(size_t)j * IMP_ROW_STRIDE] : 0.0;
    }
}

/* -- the motion ------------------------------------------------------------ */

/* Copies the rows of the state, of cosines and sines, and of joints with
 * friction, or that tell, from the driven tape. */
static void
hand_over(struct rt *run, uint32_t b, double *to)
{
    const imp_block *block = persistent_block(run, b);
    if (relays_act(run, b)) {
        relays_rows(run, b, to);
        return;
    }
    const uint32_t *from = IMP_ARRAY(run->im, block->driven_rows, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, block->rows, uint32_t);
    const uint32_t *in = IMP_ARRAY(run->im, block->bodies, uint32_t);
    const double *driven = run->persistent_memory->driven[b];
    size_t bytes = IMP_ROW_STRIDE * sizeof(double), numbers = block->state.n;
    for (uint32_t i = 0; i < block->state.n; i++)
        memcpy(to + (size_t)rows[i] * IMP_ROW_STRIDE,
               driven + (size_t)from[i] * IMP_ROW_STRIDE, bytes);
    size_t pairs = block->driven_rows.n - persistent_joint_rows(block);
    for (uint32_t i = 0; i < block->bodies.n && run->im->dim == 2; i++) {
        const imp_body *body = rt_body(run, in[i]);
        if (numbers + 1 >= pairs || body->pose[2] == IMP_NO_ROW)
            continue;
        for (int j = 0; j < 2; j++, numbers++)
            memcpy(to + (size_t)body->pose[2 + j] * IMP_ROW_STRIDE,
                   driven + (size_t)from[numbers] * IMP_ROW_STRIDE, bytes);
    }
    if (block->n_rub || block->n_told)
        persistent_joints_over(run, b, from + pairs, to);
}

/* Makes the series of the driven tapes, into run->rows.block (the caller's
 * persistent_memory->own). Coefficients below `from` stand from before. */
static int
drive_from(struct rt *run, const struct persistent_group *group, int from,
           int order)
{
    struct series_rest *rest = group->rest;
    for (uint32_t i = 0; i < group->moved.n_block; i++) {
        uint32_t block = group->moved.block[i],
                 tape = persistent_block(run, block)->driven;
        const double *lambda, *rows[1] = {run->persistent_memory->push[block]};
        double *driven = run->persistent_memory->driven[block];
        bool relays = relays_act(run, block), rests = false;
        int st = order > 1 ? joints_multipliers(run, block, &lambda)
                           : joints_multipliers_any(run, block, &lambda);
        motion_enter(run, block);
        if (!st && relays)
            st = rest ? relays_driven_resting(run, block, rows[0], order,
                                              rest + i)
                      : relays_driven(run, block, rows[0], from, order);
        else if (!st && !rest)
            st = rt_series_from(run, tape, lambda, rows, driven, from, order);
        else if (!st)
            st = rt_series_resting(run, tape, lambda, rows, driven, order,
                                   rest + i);
        bool resting = rest != NULL;
        if (st == IMP_NONFINITE &&
            (resting || order <= (group->first ? 3 : 2))) {
            /* accelerations are what is asked; their rates may be infinite */
            hand_over(run, block, run->rows.block[block]);
            if (relays)
                relays_cut(run, block, resting && order > 2 ? order : 2, order);
            if (resting ? persistent_rest_cut(run, block, order)
                        : persistent_rates_cut(run, block))
                continue;
        }
        if (st == IMP_NONFINITE && !relays)
            rests = relays_lie(run, block, switching_least(run));
        if (rests && (st = relays_driven(run, block, rows[0], 0, order)))
            relays_rise(run, block);
        if (st == IMP_NONFINITE) {
            run->persistent_memory->rough = true;
            rt_nonfinite_series(run, tape, lambda, rows, relays ? NULL : driven,
                                order);
            return IMP_FAILED;
        }
        if (st)
            return st;
        hand_over(run, block, run->rows.block[block]);
        if (rests)
            relays_rise(run, block);
    }
    return IMP_OK;
}

/* From which order on the motion differs after the forces of order term - 1
 * have been found and those of order `term` have got what lower ones do; 0
 * where other numbers may differ, too. Accelerations of lower orders, and all
 * that follows from them alone, stand if the last series was made for the
 * forces before. */
static int
driven_anew(const struct rt *run, const struct persistent_group *group,
            int term)
{
    return run->joints == NULL && !group->varies && !group->yields &&
                   term > 1 && group->driven == term - 1
               ? term - 1
               : 0;
}

static void
exchange(struct rt *run, const struct persistent_group *group)
{
    for (uint32_t i = 0; i < group->moved.n_block; i++) {
        uint32_t block = group->moved.block[i];
        double *w = run->rows.block[block];
        run->rows.block[block] = run->persistent_memory->own[block];
        run->persistent_memory->own[block] = w;
    }
}

static int
rows_series(struct rt *run, struct persistent_group *group, int n, int order)
{
    contact_point_poses_forget(group);
    if (persistent_plane_points(run, group, n, order))
        return IMP_OK;
    for (int i = 0; i < n; i++) {
        int st = contact_point_series(run, group, &group->row[i], order);
        if (st == IMP_NONFINITE || st == IMP_SINGULAR) {
            contact_gap_nonfinite(run, group->row[i].spot.contact, order);
            st = IMP_FAILED;
        }
        if (st)
            return st;
    }
    return IMP_OK;
}

/* Begins rows of an instant, without forces. */
static void
begin_instant(struct rt *run, struct persistent_group *group)
{
    exchange(run, group);
    group->known = 0;
    persistent_plane_begin(run, group);
    push_clear(run, group);
    push_env(run, group, false);
}

/* The rows that persistent_instant asks, where velocities rest under loads that
 * cancel now, but have no series along a speed of their rounding: each order of
 * the loads moves by itself. */
static int
instant_resting(struct rt *run, struct persistent_group *group, int order)
{
    size_t n = (size_t)group->n * (size_t)(order + 1);
    double *gap = NEW_N(run->brief, double, n + 1),
           *slip = NEW_N(run->brief, double, n + 1);
    int st = drive_from(run, group, 0, 1);
    if (st || !persistent_rest_begin(run, group, false))
        return IMP_NONFINITE;
    for (int last = 2; last <= order && !st; last++) {
        persistent_rest_to(group, last - 2);
        if (!(st = drive_from(run, group, 0, last)))
            st = rows_series(run, group, group->n, last);
        for (int i = 0; i < group->n && !st; i++) {
            const struct persistent_row *row = group->row + i;
            gap[i * (order + 1) + last] = row->gap.c[last];
            if (row->friction)
                slip[i * (order + 1) + last - 1] =
                    row->friction->slip.c[last - 1];
        }
    }
    for (int i = 0; i < group->n && !st; i++) {
        struct persistent_row *row = group->row + i;
        memcpy(row->gap.c + 2, gap + i * (order + 1) + 2,
               sizeof *gap * (size_t)(order - 1));
        if (row->friction)
            memcpy(row->friction->slip.c + 1, slip + i * (order + 1) + 1,
                   sizeof *slip * (size_t)(order - 1));
    }
    group->rest = NULL;
    return st;
}

int
persistent_instant(struct rt *run, struct persistent_group *group, int order,
                   enum persistent_unknowns which, double *G)
{
    assert(group != NULL && order >= 0);
    bool symmetric;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        relays_rest(run, group->moved.block[i], switching_least(run));
    persistent_unknowns(group, which);
    begin_instant(run, group);
    group->first = true;
    struct diag *last = run->ds->last;
    run->persistent_memory->rough = false;
    int st = drive_from(run, group, 0, order);
    group->first = false;
    if (!st)
        st = rows_series(run, group, group->n, order);
    if (st && order > 2 && run->persistent_memory->rough &&
        !instant_resting(run, group, order)) {
        while (run->ds->last != last)
            diag_withdraw(run->ds, run->ds->last);
        st = IMP_OK;
    }
    if (!st && G)
        st = persistent_answers(run, group, G, &symmetric);
    exchange(run, group);
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        relays_rise(run, group->moved.block[i]);
    return st;
}

/* Of fewer rows factors are made as fast as they are compared. */
#define KEPT_LEAST 12

/* Are the factors that were made last those of G? Else G is noted as what the
 * next ones are of, if they depend on nothing else (plain). */
static bool
factors_stand(struct persistent_group *group, bool plain)
{
    struct persistent_delassus *delassus = &group->delassus;
    size_t n = (size_t)group->n_unknown, bytes = sizeof(double) * n * n;
    bool keeps = plain && n >= KEPT_LEAST;
    if (keeps && delassus->n_of == (int)n && !delassus->chosen &&
        !memcmp(delassus->of, delassus->G, bytes))
        return true;
    delassus->n_of = keeps ? (int)n : 0;
    if (keeps)
        memcpy(delassus->of, delassus->G, bytes);
    return false;
}

/* Makes G of the unknowns as joints answer now, and factors it: by its singular
 * values if it is not symmetric, or if its rank is in doubt. */
static int
factor_one(struct rt *run, struct persistent_group *group)
{
    struct persistent_delassus *delassus = &group->delassus;
    bool symmetric;
    int n = group->n_unknown,
        st = persistent_answers(run, group, delassus->G, &symmetric);
    if (st)
        return st;
    if (group->yields)
        delassus->given = persistent_soft_given(group, delassus->G);
    bool plain = !group->yields && !group->rubs && symmetric;
    if (factors_stand(group, plain))
        return IMP_OK;
    delassus->clear = delassus->chosen = false;
    if (persistent_factor_few(run, group, symmetric))
        return IMP_OK;
    delassus->sure =
        plain && semidefinite_factor(n, delassus->G, DELASSUS_RANK,
                                     &delassus->factors, delassus->room);
    delassus->rank = delassus->factors.rank;
    if (delassus->sure)
        return IMP_OK;
    if (n >= SQUARE_LEAST && !group->yields && !group->rubs &&
        least_square_factor(n, n, delassus->G, least_square_rounding(n),
                            &delassus->square, delassus->room)) {
        delassus->clear = true;
        delassus->rank = delassus->square.rank;
        return IMP_OK;
    }
    memcpy(delassus->U, delassus->G, sizeof(double) * (size_t)(n * n));
    delassus->rank = 0;
    if (!dense_svd(n, n, delassus->U, delassus->V, delassus->s)) {
        delassus->n_of = 0;
        return IMP_NONFINITE;
    }
    double least =
        DELASSUS_RANK * fmax(delassus->s[0], persistent_unheld(run, group));
    while (delassus->rank < n && delassus->s[delassus->rank] > least)
        delassus->rank++;
    return IMP_OK;
}

/* Makes G and its factors. How many forces are independent is what the
 * conditions say without friction of joints: that turns what is left of
 * dependent ones by small angles. */
static int
factor(struct rt *run, struct persistent_group *group)
{
    bool solves = group->solves && group->rubs;
    int rank = group->n_unknown, st = IMP_OK;
    for (int back = 0; back < 2 && solves && !st; back++) {
        for (uint32_t i = 0; i < group->moved.n_block; i++)
            if (persistent_block(run, group->moved.block[i])->n_rub)
                joint_friction_keep(run, group->moved.block[i], back);
        if (back)
            break;
        group->solves = false;
        st = factor_one(run, group);
        group->solves = true;
        rank = group->delassus.rank;
    }
    if (!st)
        st = factor_one(run, group);
    if (group->delassus.rank > rank)
        group->delassus.rank = rank;
    return st;
}

int
persistent_rates(struct rt *run, struct persistent_group *group, bool factored)
{
    assert(group != NULL);
    persistent_unknowns(group, UNKNOWN_HELD);
    begin_instant(run, group);
    int st = drive_from(run, group, 0, 1);
    if (!st)
        st = rows_series(run, group, group->n_on, 1);
    if (!st && !factored)
        st = factor(run, group);
    exchange(run, group);
    return st;
}

/* Adds to coefficient `term` of the accelerations what the forces of lower
 * orders do there, as the directions change. */
static void
push_lower(struct rt *run, const struct persistent_group *group, int term)
{
    bool plane = run->im->dim == 2 && run->joints == NULL;
    for (int i = 0; i < group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &group->unknown[i];
        const imp_contact *contact =
            rt_contact(run, unknown->row->spot.contact);
        for (int side = 0; side < 2; side++) {
            double *p = push_of(run, contact->body[side]);
            if (p && plane)
                persistent_plane_push(run, unknown, side, term, p);
            else if (p)
                persistent_push_lower(run, unknown, side, term, p);
        }
    }
}

/* Finds lambda_0 where joints have friction, which depends on it: Newton's
 * method, from the forces that were chosen with the modes. */
static int
first_order(struct rt *run, struct persistent_group *group)
{
    int n = group->n_unknown, st = IMP_OK;
    double *x = NEW_N(run->brief, double, (size_t)n + 1), before = INFINITY;
    for (int i = 0; i < n; i++)
        x[i] = group->unknown[i].guess;
    for (int round = 0; round < FRICTION_ROUNDS; round++) {
        double moved = 0.0, most = 0.0;
        push_clear(run, group);
        for (int i = 0; i < n; i++)
            push_add(run, &group->unknown[i], 0, 0, x[i]);
        push_env(run, group, true);
        if ((st = drive_from(run, group, 0, 2)) ||
            (st = rows_series(run, group, group->n_on, 2)) ||
            (st = factor(run, group)))
            return st;
        for (int i = 0; i < n; i++)
            group->scratch.b[i] = 2.0 * group->unknown[i].value->c[2];
        persistent_solve(group, group->scratch.b, group->scratch.x);
        for (int i = 0; i < n; i++) {
            x[i] += group->scratch.x[i];
            moved = fmax(moved, fabs(group->scratch.x[i]));
            most = fmax(most, fabs(x[i]));
        }
        if (!(moved > FRICTION_SETTLED * most) || !(moved < 0.5 * before))
            break;
        before = moved;
    }
    push_clear(run, group);
    push_env(run, group, false);
    memcpy(group->scratch.x, x, sizeof *x * (size_t)n);
    return st;
}

/* Makes of the points what the equations for lambda_k read. */
static int
points_at(struct rt *run, struct persistent_group *group, int term)
{
    if (term > 0 && group->plane && persistent_plane_order(run, group, term))
        return IMP_OK;
    /* a number that is not finite is told by the tape that made it */
    if (group->carried || term > 0) {
        group->known = group->plane ? 0 : group->known;
        group->plane = NULL;
        group->carried = false;
    }
    persistent_rest_to(group, term);
    int st = drive_from(run, group, driven_anew(run, group, term), term + 2);
    group->driven = st ? 0 : term;
    if (!st && group->rest && !persistent_rest_stays(run, group, term))
        return IMP_FAILED;
    if (!st && term == 0 && group->plane)
        persistent_plane_note(run, group);
    return st ? st : rows_series(run, group, group->n_on, term + 2);
}

/* Forces along a velocity that leave rest find coefficient `term` of their
 * direction from the motion with all forces; what that presses is taken back.
 */
static int
leave(struct rt *run, struct persistent_group *group, int term)
{
    int n = group->n_unknown, st = drive_from(run, group, 0, term + 2);
    for (uint32_t i = 0; i < group->moved.n_block && !st; i++)
        relays_leave_next(run, group->moved.block[i], term);
    if (st || (st = drive_from(run, group, 0, term + 2)) ||
        (st = rows_series(run, group, group->n_on, term + 2)))
        return st;
    for (int i = 0; i < n; i++)
        group->scratch.b[i] =
            (term + 1.0) * (term + 2.0) * group->unknown[i].value->c[term + 2];
    persistent_solve(group, group->scratch.b, group->scratch.x);
    for (int i = 0; i < n; i++) {
        group->unknown[i].force->c[term] += group->scratch.x[i];
        push_add(run, &group->unknown[i], 0, term, group->scratch.x[i]);
    }
    group->driven = 0;
    return IMP_OK;
}

/* Finds lambda_k of all unknowns, and adds its effect to the accelerations. */
static int
one_order(struct rt *run, struct persistent_group *group, int term, int last)
{
    double *answer = group->scratch.x;
    bool newton = term == 0 && group->rubs;
    int n = group->n_unknown,
        st = newton ? first_order(run, group) : points_at(run, group, term);
    if (!st && !newton && term == 0)
        st = factor(run, group);
    if (st)
        return st;
    for (int i = 0; i < n && !newton; i++)
        group->scratch.b[i] =
            (term + 1.0) * (term + 2.0) * group->unknown[i].value->c[term + 2];
    if (group->yields && (st = persistent_soft_forces(run, group, term)))
        return st;
    if (!newton)
        persistent_share(run, group, term, answer);
    for (int i = 0; i < n; i++)
        group->unknown[i].force->c[term] = answer[i];
    if (group->carried)
        persistent_plane_settle(group, term, term < last);
    for (int i = 0; i < n && !group->carried; i++)
        push_add(run, &group->unknown[i], 0, term, answer[i]);
    if (term == 0)
        push_env(run, group, true);
    if (term > 0 && group->leaves && (st = leave(run, group, term)))
        return st;
    /* a friction that depends on the slip depends on the acceleration of one
     * order less, which is known now: joints answer to all forces in it */
    if (group->varies && term < last) {
        if ((st = drive_from(run, group, 0, term + 2)) ||
            (st = rows_series(run, group, group->n_on, term + 2)))
            return st;
    }
    if (term < last && !group->carried)
        push_lower(run, group, term + 1);
    /* the accelerations up to this order, and so the places up to two more,
     * less the next force */
    group->known = term + 2;
    return IMP_OK;
}

/* Do all gaps stay closed, and all directions as they are, to rounding, if the
 * forces of this instant stay as they are? Terms of order j may be as large as
 * s^j/j! of the spins s, and as A s^(j-2) 2/j! of accelerations A that cancel.
 * It is so for bodies at rest, for bodies that only slide, and for spins about
 * the normal. Speeds of bodies at rest are rounding of what these accelerations
 * give in the time sqrt(size / A). Of corners under their weight the first
 * terms tell: no later ones come where several in a row are none. */
static int
steady(struct rt *run, struct persistent_group *group, int order, bool *is)
{
    int st = drive_from(run, group, 0, order), n = group->n_unknown;
    double *terms = NEW_N(run->brief, double, (size_t)n + 1);
    if (run->motion->weight && order > MOTION_FEW_TERMS &&
        persistent_corners_only(group))
        order = MOTION_FEW_TERMS;
    if (!st)
        st = rows_series(run, group, group->n_on, order);
    *is = !st;
    persistent_force_terms(run, group, terms);
    for (int i = 0; i < n && *is; i++)
        *is = persistent_steady_force(run, &group->unknown[i], terms[i], order,
                                      &group->holds);
    if (!*is)
        group->holds = INFINITY;
    return st;
}

/* Begins a series: no forces. */
static int
begin(struct rt *run, struct persistent_group *group)
{
    group->known = 0;
    push_clear(run, group);
    push_env(run, group, false);
    for (int i = 0; i < group->n; i++)
        taylor_const(IMP_ORDER_MAX, 0.0, &group->row[i].force);
    for (int i = 0; i < group->n_unknown; i++)
        taylor_const(IMP_ORDER_MAX, 0.0, group->unknown[i].force);
    bool leaves = group->leaves = false;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        leaves |= relays_leave(run, group->moved.block[i]);
    int st = leaves ? drive_from(run, group, 0, 1) : IMP_OK;
    for (uint32_t i = 0; i < group->moved.n_block && leaves && !st; i++)
        group->leaves |= relays_leave_begin(run, group->moved.block[i]);
    group->steady &= !group->leaves;
    return st;
}

/* Finds the forces of orders `term` to `last`. *done: they were found to stay
 * as they are. */
static int
forces(struct rt *run, struct persistent_group *group, int order, int term,
       int last, bool *done)
{
    int st = IMP_OK;
    *done = false;
    for (; term <= last && !st; term++) {
        if (term == 1 && group->steady) {
            for (int i = 0; i < group->n_unknown;
                 i++) /* This takes away what order 0 has added. */
                push_add(run, &group->unknown[i], 1, 1,
                         -group->unknown[i].force->c[0]);
            if ((st = steady(run, group, order, done)) || *done)
                break;
            group->steady = false;
            for (int i = 0; i < group->n_unknown; i++)
                push_add(run, &group->unknown[i], 1, 1,
                         group->unknown[i].force->c[0]);
        }
        st = one_order(run, group, term, last);
    }
    return st;
}

/* Makes the whole series after the forces, which `done` has done already. */
static int
whole(struct rt *run, struct persistent_group *group, int order, bool done)
{
    if (group->carried) {
        persistent_plane_end(run, group, order);
        return IMP_OK;
    }
    persistent_rest_to(group, order);
    int last = group->driven + 1,
        st = done
                 ? IMP_OK
                 : drive_from(run, group, driven_anew(run, group, last), order);
    if (!st && group->rest && !persistent_rest_stays(run, group, order))
        return IMP_FAILED;
    if (!st && (group->friction || group->yields))
        /* for slips and depths, under all forces */
        st = rows_series(run, group, group->n_on, order);
    return st;
}

int
persistent_orders(struct rt *run, struct persistent_group *group, int made,
                  int order, uint32_t block)
{
    assert(group->n_on <= group->n && group->n <= group->room);
    assert(made >= 0 && made <= order);
    int last = group->first ? 0 : order - 1, st = IMP_OK;
    bool done;
    group->holds = INFINITY;
    group->branches = group->leaps = false;
    if (last + 2 > IMP_ORDER_MAX)
        last = IMP_ORDER_MAX - 2;
    persistent_unknowns(group, UNKNOWN_FORCES);
    persistent_drift(run, group);
    exchange(run, group);
    persistent_plane_begin(run, group);
    if (made > 0) {
        group->known = made + 1;
        push_env(run, group, true);
        push_lower(run, group, made);
    } else {
        st = begin(run, group);
    }
    group->solves = true;
    group->driven = 0;
    persistent_rest_to(group, 0);
    if (!st)
        st = forces(run, group, order, made, last, &done);
    group->solves = false;
    group->made =
        st || done || group->leaves ? 0 : persistent_orders_made(group, last);
    if (!st)
        st = whole(run, group, order, done);
    for (uint32_t i = 0; i < group->moved.n_block && group->leaves; i++)
        relays_leave_done(run, group->moved.block[i]);
    if (!st && group->yields)
        st = persistent_soft_laws(run, group, order, &group->holds);
    if (!st && group->varies)
        st = persistent_friction_holds(run, group, order);
    push_env(run, group, false);
    exchange(run, group);
    group->known = 0;
    if (group->friction)
        persistent_friction_forces(group);
    if (!st)
        group->holds =
            fmin(group->holds, persistent_forces_hold(run, group, order - 1));
    for (uint32_t i = 0; i < group->moved.n_block && !st; i++)
        if (block == UINT32_MAX || block == group->moved.block[i])
            hand_over(run, group->moved.block[i],
                      run->rows.block[group->moved.block[i]]);
    return st;
}

int
persistent_poses(struct rt *run, uint32_t block)
{
    assert(run != NULL && persistent_moves(run, block));
    struct persistent_group *group = run->persistent_memory->of[block];
    /* forces change no place of order 1 */
    if (group->varies || group->rubs || group->yields)
        return persistent_orders(run, group, 0, 1, block);
    begin_instant(run, group);
    int st = drive_from(run, group, 0, 1);
    exchange(run, group);
    if (!st)
        hand_over(run, block, run->rows.block[block]);
    return st;
}

int
persistent_let_go(struct rt *run, struct persistent_group *group)
{
    begin_instant(run, group);
    int st = drive_from(run, group, 0, 2);
    exchange(run, group);
    group->holds = INFINITY;
    group->leaps = true;
    for (uint32_t i = 0; i < group->moved.n_block && !st; i++)
        hand_over(run, group->moved.block[i],
                  run->rows.block[group->moved.block[i]]);
    for (int i = 0; i < group->n_on; i++)
        if (group->row[i].friction)
            taylor_const(IMP_ORDER_MAX, 0.0, &group->row[i].friction->force);
    return st;
}
