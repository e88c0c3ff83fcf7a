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
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/dense.h"

/* Singular values of G below this share of the greatest belong to points that
 * depend on each other. The share is a sine of 3e-6 between their directions;
 * rounding makes 10^-4 of it of dependent points. */
#define DELASSUS_RANK 1e-11
/* coefficients of directions and gaps below this many rounding errors are 0 */
#define STEADY_ROUNDING 64.0
/* Levers of forces may be so many times shorter than bodies are large. */
#define STEADY_LEVER 8.0

/* -- pushes ----------------------------------------------------------------
 */

void
persistent_by_mass(const struct rt *run, uint32_t body, const double wrench[6],
                   double out[6])
{
    assert(body < run->im->bodies.n && wrench != out);
    const double *constants = run->env + rt_body(run, body)->env_body;
    const double *inverse = constants + IMP_BODY_INVINERTIA;
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < 3; i++)
        out[i] = constants[IMP_BODY_INVMASS] * wrench[i];
    if (run->im->dim == 2)
        out[2] = 0.0;
    if (rt_body(run, body)->flags & IMP_BODYF_HELD) {
        memcpy(out + 3, wrench + 3, 3 * sizeof *out);
        return;
    }
    if (run->im->dim == 2) {
        out[5] = inverse[0] * wrench[5];
        return;
    }
    out[3] = inverse[0] * wrench[3] + inverse[3] * wrench[4] +
             inverse[4] * wrench[5];
    out[4] = inverse[3] * wrench[3] + inverse[1] * wrench[4] +
             inverse[5] * wrench[5];
    out[5] = inverse[4] * wrench[3] + inverse[5] * wrench[4] +
             inverse[2] * wrench[5];
}

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
push_clear(struct rt *run, const struct persistent_group *group)
{
    run->persistent_memory->uses++;
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

/* -- the motion ------------------------------------------------------------
 */

/* Copies the rows of the state, and of cosines and sines, from the driven tape.
 */
static void
hand_over(struct rt *run, uint32_t b, double *to)
{
    const imp_block *block = persistent_block(run, b);
    const uint32_t *from = IMP_ARRAY(run->im, block->driven_rows, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, block->rows, uint32_t);
    const uint32_t *in = IMP_ARRAY(run->im, block->bodies, uint32_t);
    const double *driven = run->persistent_memory->driven[b];
    size_t bytes = IMP_ROW_STRIDE * sizeof(double), numbers = block->state.n;
    for (uint32_t i = 0; i < block->state.n; i++)
        memcpy(to + (size_t)rows[i] * IMP_ROW_STRIDE,
               driven + (size_t)from[i] * IMP_ROW_STRIDE, bytes);
    for (uint32_t i = 0; i < block->bodies.n && run->im->dim == 2; i++) {
        const imp_body *body = rt_body(run, in[i]);
        if (numbers + 1 >= block->driven_rows.n || body->pose[2] == IMP_NO_ROW)
            continue;
        for (int j = 0; j < 2; j++, numbers++)
            memcpy(to + (size_t)body->pose[2 + j] * IMP_ROW_STRIDE,
                   driven + (size_t)from[numbers] * IMP_ROW_STRIDE, bytes);
    }
}

/* Makes the series of the driven tapes, into run->rows.block (where the caller
 * has put run->persistent_memory->own). */
static int
drive(struct rt *run, const struct persistent_group *group, int order)
{
    for (uint32_t i = 0; i < group->moved.n_block; i++) {
        uint32_t block = group->moved.block[i],
                 tape = persistent_block(run, block)->driven;
        const double *lambda, *rows[1] = {run->persistent_memory->push[block]};
        int st = joints_multipliers(run, block, &lambda);
        motion_enter(run, block);
        if (!st)
            st = rt_series(run, tape, lambda, rows,
                           run->persistent_memory->driven[block], order);
        if (st == IMP_NONFINITE) {
            rt_nonfinite(run, persistent_block(run, block)->motion, lambda);
            return IMP_FAILED;
        }
        if (st)
            return st;
        hand_over(run, block, run->rows.block[block]);
    }
    return IMP_OK;
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

/* What a unit of the force does to all bodies of the group (n_body times 6). */
static int
answer_of(struct rt *run, const struct persistent_group *group,
          const struct persistent_unknown *force, double *answer)
{
    const struct persistent_blocks *moved = &group->moved;
    const imp_contact *image_contact =
        rt_contact(run, force->row->spot.contact);
    double *change = run->persistent_memory->change, f[6];
    for (uint32_t i = 0; i < moved->n_body; i++)
        memset(change + 6 * moved->body[i], 0, 6 * sizeof *change);
    for (int e = 0; e < 2; e++) {
        if (!contact_point_body_moves(run, image_contact->body[e]))
            continue;
        for (int j = 0; j < 6; j++)
            f[j] = force->push[e][j].c[0];
        persistent_by_mass(run, image_contact->body[e], f,
                           change + 6 * image_contact->body[e]);
    }
    for (uint32_t i = 0; i < moved->n_block; i++) {
        int st = joints_response(run, moved->block[i], change);
        if (st)
            return st;
    }
    for (uint32_t i = 0; i < moved->n_body; i++)
        memcpy(answer + 6 * i, change + 6 * moved->body[i], 6 * sizeof *change);
    return IMP_OK;
}

static void
answer_room(struct rt *run, struct persistent_group *group)
{
    size_t size = (size_t)group->n_unknown * 6 * group->moved.n_body + 1;
    if (size > group->n_answer) {
        group->n_answer = 2 * size;
        group->answer = NEW_N(run->own, double, group->n_answer);
    }
    for (uint32_t i = 0; i < group->moved.n_body; i++)
        run->persistent_memory->place[group->moved.body[i]] = i;
}

/* E0563: a contact stays closed on bodies whose joints have friction. */
static int
joints_rub(struct rt *run, const struct persistent_group *group)
{
    char time[NUM_TEXT];
    const imp_contact *contact = rt_contact(run, group->row[0].spot.contact);
    struct diag *diag = diag_add(run->ds, DIAG_E0563, contact->range,
                                 "the contact `%s` stays closed at t = %s, and "
                                 "joints of its bodies have "
                                 "friction",
                                 imp_text(run->im, contact->name),
                                 num_digits(time, rt_time(run), 9));
    diag_help(run->ds, diag,
              "forces of lasting contacts and friction of joints are not "
              "followed together: leave out the friction, or end the run "
              "before");
    return IMP_FAILED;
}

/* What each unknown force does to all bodies, and G (the Delassus matrix) over
 * all unknowns. It is made symmetric where each force acts along its own
 * condition. */
static int
answers(struct rt *run, struct persistent_group *group, double *G,
        bool *is_symmetric)
{
    int count = group->n_unknown;
    bool symmetric = true;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        if (persistent_block(run, group->moved.block[i])->n_rub)
            return joints_rub(run, group);
    answer_room(run, group);
    for (int row = 0; row < count; row++) {
        const struct persistent_unknown *force = &group->unknown[row];
        double *answer = group->answer + (size_t)row * 6 * group->moved.n_body;
        int st = answer_of(run, group, force, answer);
        if (st)
            return st;
        symmetric = symmetric && force->push == force->open;
        for (int column = 0; column < count; column++) {
            const struct persistent_unknown *on = &group->unknown[column];
            const imp_contact *image_contact =
                rt_contact(run, on->row->spot.contact);
            double g = 0.0;
            for (int e = 0; e < 2; e++) {
                uint32_t body = image_contact->body[e];
                if (!contact_point_body_moves(run, body))
                    continue;
                const double *by =
                    answer + 6 * run->persistent_memory->place[body];
                for (int c = 0; c < 6; c++)
                    g += on->open[e][c].c[0] * by[c];
            }
            G[row * count + column] = g;
        }
    }
    for (int row = 0; row < count && symmetric; row++)
        for (int column = 0; column < row; column++)
            G[row * count + column] = G[column * count + row] =
                0.5 * (G[row * count + column] + G[column * count + row]);
    *is_symmetric = symmetric;
    return IMP_OK;
}

int
persistent_instant(struct rt *run, struct persistent_group *group, int order,
                   enum persistent_unknowns which, double *G)
{
    assert(group != NULL && order >= 0);
    bool symmetric;
    persistent_unknowns(group, which);
    exchange(run, group);
    group->known = 0;
    push_clear(run, group);
    push_env(run, group, false);
    int st = drive(run, group, order);
    if (!st)
        st = rows_series(run, group, group->n, order);
    if (!st && G)
        st = answers(run, group, G, &symmetric);
    exchange(run, group);
    return st;
}

/* Makes G of the unknowns, and factors it: by its singular values if it is not
 * symmetric, or if its rank is in doubt. */
static int
factor(struct rt *run, struct persistent_group *group)
{
    struct persistent_delassus *delassus = &group->delassus;
    bool symmetric;
    int n = group->n_unknown, st = answers(run, group, delassus->G, &symmetric);
    if (st)
        return st;
    if (group->yields)
        delassus->given = persistent_soft_given(group, delassus->G);
    delassus->sure = !group->yields && symmetric &&
                     semidefinite_factor(n, delassus->G, DELASSUS_RANK,
                                         &delassus->factors, delassus->room);
    delassus->rank = delassus->factors.rank;
    if (delassus->sure)
        return IMP_OK;
    memcpy(delassus->U, delassus->G, sizeof(double) * (size_t)(n * n));
    if (!dense_svd(n, n, delassus->U, delassus->V, delassus->s))
        return IMP_NONFINITE;
    delassus->rank = 0;
    while (delassus->rank < n &&
           delassus->s[delassus->rank] > DELASSUS_RANK * delassus->s[0])
        delassus->rank++;
    return IMP_OK;
}

int
persistent_rates(struct rt *run, struct persistent_group *group)
{
    assert(group != NULL);
    persistent_unknowns(group, UNKNOWN_HELD);
    exchange(run, group);
    push_clear(run, group);
    push_env(run, group, false);
    int st = drive(run, group, 1);
    if (!st)
        st = rows_series(run, group, group->n_on, 1);
    if (!st)
        st = factor(run, group);
    exchange(run, group);
    return st;
}

void
persistent_solve(const struct persistent_group *group, const double *b,
                 double *x)
{
    int n = group->n_unknown;
    assert(n > 0 && group->delassus.rank <= n);
    for (int i = 0; i < n; i++)
        group->scratch.a[i] = -b[i];
    if (group->delassus.sure)
        semidefinite_solve(&group->delassus.factors, group->scratch.a, x,
                           group->scratch.work);
    else
        dense_svd_solve(n, n, group->delassus.U, group->delassus.V,
                        group->delassus.s, group->delassus.rank,
                        group->scratch.a, x, group->scratch.c);
}

/* The forces nearest to those that were chosen with the modes: only these are
 * sure to obey Coulomb's law. */
static void
solve_near(struct persistent_group *group, double *answer)
{
    int n = group->n_unknown;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            group->scratch.b[j] +=
                group->delassus.G[i * n + j] * group->unknown[i].guess;
    persistent_solve(group, group->scratch.b, answer);
    for (int i = 0; i < n; i++)
        answer[i] += group->unknown[i].guess;
}

/* Does the same as push_add for all forces of lower orders, for one body of the
 * plane whose spin no joint holds. */
static void
push_plane(const struct rt *run, const struct persistent_unknown *unknown,
           int side, int term, double *p)
{
    const double *constants =
        run->env +
        rt_body(run, rt_contact(run, unknown->row->spot.contact)->body[side])
            ->env_body;
    for (uint32_t i = 0; i < 3; i++) {
        double mobility = i < 2 ? constants[IMP_BODY_INVMASS]
                                : constants[IMP_BODY_INVINERTIA],
               *to = p + (size_t)i * IMP_ROW_STRIDE + term;
        const double *push = unknown->push[side][persistent_entry(run, i)].c;
        for (int j = 1; j <= term; j++)
            if (unknown->force->c[term - j] != 0.0)
                *to += unknown->force->c[term - j] * (mobility * push[j]);
    }
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
        for (int side = 0; side < 2 && plane; side++) {
            double *p = push_of(run, contact->body[side]);
            if (p)
                push_plane(run, unknown, side, term, p);
        }
        for (int j = 1; j <= term && !plane; j++)
            push_add(run, unknown, j, term, unknown->force->c[term - j]);
    }
}

/* Finds lambda_k of all unknowns, and adds its effect to the accelerations. */
static int
one_order(struct rt *run, struct persistent_group *group, int term, int last)
{
    double *answer = group->scratch.x;
    int st = drive(run, group, term + 2), n = group->n_unknown;
    if (!st)
        st = rows_series(run, group, group->n_on, term + 2);
    if (!st && term == 0)
        st = factor(run, group);
    if (st)
        return st;
    for (int i = 0; i < n; i++)
        group->scratch.b[i] =
            (term + 1.0) * (term + 2.0) * group->unknown[i].value->c[term + 2];
    if (group->yields && (st = persistent_soft_forces(run, group, term)))
        return st;
    if (term == 0 && group->friction && group->delassus.rank < n)
        solve_near(group, answer);
    else
        persistent_solve(group, group->scratch.b, answer);
    for (int i = 0; i < n; i++) {
        group->unknown[i].force->c[term] = answer[i];
        push_add(run, &group->unknown[i], 0, term, answer[i]);
    }
    /* a friction that depends on the slip depends on the acceleration of one
     * order less, which is known now */
    if (group->varies && term < last) {
        if ((st = drive(run, group, term + 2)) ||
            (st = rows_series(run, group, group->n_on, term + 2)))
            return st;
    }
    if (term < last)
        push_lower(run, group, term + 1);
    if (term == 0)
        push_env(run, group, true);
    /* the accelerations up to this order, and so the places up to two more,
     * less the next force */
    group->known = term + 2;
    return IMP_OK;
}

/* Gives the spins of the bodies of a row, and their sizes. */
static void
spin_of(const struct rt *run, const struct persistent_row *row, double *spin,
        double *size)
{
    const imp_contact *image_contact = rt_contact(run, row->spot.contact);
    uint32_t d = run->im->dim;
    *spin = 0.0;
    *size = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, image_contact->body[e]);
        const double *w = run->env + body->env_state + (d == 2 ? 5 : 10);
        double radius = run->env[body->env_body + IMP_BODY_RADIUS];
        for (uint32_t i = 0; i < (d == 2 ? 1u : 3u); i++)
            *spin += fabs(w[i]);
        *size += isfinite(radius) ? radius : 0.0;
    }
}

/* The accelerations that the forces give to the gaps of each point, which
 * cancel where bodies rest: the greatest among the points of its bodies.
 * `terms` has room for one per unknown. */
static void
force_terms(const struct rt *run, const struct persistent_group *group,
            double *terms)
{
    int n = group->n_unknown;
    double *most = NEW_N(run->brief, double, run->im->bodies.n + 1);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            const struct persistent_unknown *unknown = &group->unknown[i];
            const imp_contact *image_contact =
                rt_contact(run, unknown->row->spot.contact);
            double own =
                fabs(unknown->force->c[0] * group->delassus.G[i * n + i]);
            if (pass == 1)
                terms[i] = own;
            for (int e = 0; e < 2; e++) {
                uint32_t body = image_contact->body[e];
                if (!contact_point_body_moves(run, body))
                    continue;
                if (pass == 0)
                    most[body] = fmax(most[body], own);
                else
                    terms[i] = fmax(terms[i], most[body]);
            }
        }
}

/* The greatest |coefficient of order k| of what a unit of the force does, as a
 * share of the size of the bodies for levers. */
static double
direction_term(const struct persistent_unknown *unknown, int k, double size)
{
    double most = 0.0;
    for (int e = 0; e < 12; e++)
        most = fmax(most, fabs(unknown->push[e / 6][e % 6].c[k]) /
                              (e % 6 < 3 ? 1.0 : size));
    return most;
}

/* Do the gap and the direction of one force stay as they are, to rounding?
 * terms: the accelerations that cancel (force_terms). *holds: the time for
 * which rounding of the speeds does not move levers by more than rounding. */
static bool
steady_force(const struct rt *run, const struct persistent_unknown *unknown,
             double terms, int order, double *holds)
{
    double spin, size, low = STEADY_ROUNDING * DBL_EPSILON, push = low * terms;
    spin_of(run, unknown->row, &spin, &size);
    /* The accelerations that remain turn the normal, too. */
    spin += STEADY_LEVER * sqrt(push / size);
    double slide = direction_term(unknown, 1, size);
    if (slide > low * fmax(spin, sqrt(terms / size)))
        return false;
    if (slide > low * spin)
        *holds = fmin(*holds, low / slide);
    low *= spin;
    for (int k = 2; k <= order; k++) {
        low *= spin / k;
        push *= k > 2 ? spin / k : 1.0;
        if (fabs(unknown->value->c[k]) > low * size + push ||
            direction_term(unknown, k, size) > low + push / size)
            return false;
    }
    return true;
}

/* Do all gaps stay closed, and all directions as they are, to rounding, if the
 * forces of this instant stay as they are? Terms of order j may be as large as
 * s^j/j! of the spins s, and as A s^(j-2) 2/j! of accelerations A that cancel.
 * It is so for bodies at rest, for bodies that only slide, and for spins about
 * the normal. Speeds of bodies at rest are rounding of what these accelerations
 * give in the time sqrt(size / A). Of corners under their weight the first terms
 * tell: no later ones come where several in a row are none. */
static int
steady(struct rt *run, struct persistent_group *group, int order, bool *is)
{
    int st = drive(run, group, order), n = group->n_unknown;
    double *terms = NEW_N(run->brief, double, (size_t)n + 1);
    if (run->motion->weight && order > MOTION_FEW_TERMS && persistent_corners_only(group))
        order = MOTION_FEW_TERMS;
    if (!st)
        st = rows_series(run, group, group->n_on, order);
    *is = !st;
    force_terms(run, group, terms);
    for (int i = 0; i < n && *is; i++)
        *is = steady_force(run, &group->unknown[i], terms[i], order,
                           &group->holds);
    if (!*is)
        group->holds = INFINITY;
    return st;
}

/* Begins a series: no forces. */
static void
begin(struct rt *run, struct persistent_group *group)
{
    group->known = 0;
    push_clear(run, group);
    push_env(run, group, false);
    for (int i = 0; i < group->n; i++)
        taylor_const(IMP_ORDER_MAX, 0.0, &group->row[i].force);
    for (int i = 0; i < group->n_unknown; i++)
        taylor_const(IMP_ORDER_MAX, 0.0, group->unknown[i].force);
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

/* How many orders of forces stand for a series of a higher order. A friction
 * that varies was not made for the last order. */
static int
orders_made(const struct persistent_group *group, int last)
{
    return !group->varies && persistent_corners_only(group) ? last + 1 : 0;
}

/* The series to `order`, whose forces of orders below `made` stand from the
 * last call; 0: none does. */
static int
group_series(struct rt *run, struct persistent_group *group, int made,
             int order, uint32_t block)
{
    assert(group->n_on <= group->n && group->n <= group->room);
    assert(made >= 0 && made <= order);
    int last = order - 1;
    bool done;
    group->holds = INFINITY;
    if (last + 2 > IMP_ORDER_MAX)
        last = IMP_ORDER_MAX - 2;
    persistent_unknowns(group, UNKNOWN_FORCES);
    exchange(run, group);
    if (made > 0) {
        group->known = made + 1;
        push_env(run, group, true);
        push_lower(run, group, made);
    } else {
        begin(run, group);
    }
    int st = forces(run, group, order, made, last, &done);
    group->made = st || done ? 0 : orders_made(group, last);
    if (!st && !done)
        st = drive(run, group, order);
    if (!st && (group->friction || group->yields))
        /* for slips and depths, under all forces */
        st = rows_series(run, group, group->n_on, order);
    if (!st && group->yields)
        st = persistent_soft_laws(run, group, order, &group->holds);
    if (!st && group->varies)
        st = persistent_friction_holds(run, group, order, &group->holds);
    push_env(run, group, false);
    exchange(run, group);
    group->known = 0;
    if (group->friction)
        persistent_friction_forces(group);
    if (!st)
        group->holds =
            fmin(group->holds, persistent_forces_hold(group, order - 1));
    for (uint32_t i = 0; i < group->moved.n_block && !st; i++)
        if (block == UINT32_MAX || block == group->moved.block[i])
            hand_over(run, group->moved.block[i],
                      run->rows.block[group->moved.block[i]]);
    return st;
}

int
persistent_group_series(struct rt *run, struct persistent_group *group,
                        int order, uint32_t block)
{
    assert(group != NULL && order >= 1);
    return group_series(run, group, 0, order, block);
}

int
persistent_series(struct rt *run, int order, uint32_t block)
{
    assert(order >= 1 && order < IMP_ORDER_MAX);
    const struct persistent_set *set = run->persistent_memory;
    if (block != UINT32_MAX)
        return persistent_group_series(run, set->of[block], order, block);
    int st = IMP_OK;
    for (int i = 0; i < set->n && !st; i++)
        st = persistent_group_series(run, set->group[i], order, block);
    run->persistent_memory->series_uses = set->uses;
    return st;
}

int
persistent_series_more(struct rt *run, int order)
{
    assert(order >= 1 && order < IMP_ORDER_MAX);
    const struct persistent_set *set = run->persistent_memory;
    bool stands = set->uses == set->series_uses;
    int st = IMP_OK;
    for (int i = 0; i < set->n && !st; i++)
        st = group_series(run, set->group[i], stands ? set->group[i]->made : 0,
                          order, UINT32_MAX);
    return st;
}

double
persistent_series_hold(const struct rt *run, uint32_t block)
{
    assert(run != NULL && persistent_moves(run, block));
    return run->persistent_memory->of[block]->holds;
}

void
persistent_accelerations(const struct rt *run, uint32_t block, double push[2])
{
    assert(run);
    const struct persistent_group *group = run->persistent_memory->of[block];
    push[0] = push[1] = 0.0;
    for (int i = 0; i < group->n_on; i++) {
        const struct persistent_row *row = &group->row[i];
        const imp_contact *image_contact = rt_contact(run, row->spot.contact);
        for (int side = 0; side < 2; side++) {
            double f[6], change[6];
            if (!contact_point_body_moves(run, image_contact->body[side]) ||
                rt_body(run, image_contact->body[side])->block != block)
                continue;
            for (int j = 0; j < 6; j++) {
                f[j] = row->open[side][j].c[0] * row->force.c[0];
                if (row->friction)
                    f[j] += row->friction->open[side][j].c[0] *
                            row->friction->force.c[0];
            }
            persistent_by_mass(run, image_contact->body[side], f, change);
            double move = fabs(change[0]) + fabs(change[1]) + fabs(change[2]);
            const imp_body *body = rt_body(run, image_contact->body[side]);
            /* a spin that joints hold is as fast as they let it be */
            double spin =
                body->flags & IMP_BODYF_HELD
                    ? 0.0
                    : fabs(change[3]) + fabs(change[4]) + fabs(change[5]);
            double size = run->env[body->env_body + IMP_BODY_RADIUS];
            push[0] += move;
            push[1] += fmax(spin, size > 0.0 ? move / size : 0.0);
        }
    }
}
