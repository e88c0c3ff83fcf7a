/* SPDX-License-Identifier: MIT */
/* Forces of closed contacts that the motion alone does not give
 * (persistent_group.h): how points that depend on each other share theirs; and
 * points whose contact yields. The normal force of these is that of the
 * compliance which the contact states, a function of how deep it is pressed in,
 * and how fast. Order k of the force follows from the gap up to order k + 1,
 * which is known when order k of the forces is asked for. So such a force is no
 * unknown: its equation in G gives it, and the others feel it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/dense.h"
#include "runtime/sparse/sparse_least.h"

/* Few entries are one of so many. */
#define FEW_ENTRIES 8

void
persistent_solve(const struct persistent_group *group, const double *b,
                 double *x)
{
    int n = group->n_unknown;
    assert(n > 0 && group->delassus.rank <= n);
    for (int i = 0; i < n; i++)
        group->scratch.a[i] = -b[i];
    if (group->delassus.few)
        sparse_least_solve(group->delassus.sparse, group->scratch.a, x);
    else if (group->delassus.sure)
        semidefinite_solve(&group->delassus.factors, group->scratch.a, x,
                           group->scratch.work);
    else if (group->delassus.clear)
        least_square_solve(&group->delassus.square, group->scratch.a, x,
                           group->scratch.work);
    else
        dense_svd_solve(n, n, group->delassus.U, group->delassus.V,
                        group->delassus.s, group->delassus.rank,
                        group->scratch.a, x, group->scratch.c);
}

bool
persistent_factor_few(struct rt *run, struct persistent_group *group,
                      bool symmetric)
{
    assert(run && group);
    struct persistent_delassus *delassus = &group->delassus;
    int n = group->n_unknown;
    size_t entries = 0, all = (size_t)n * (size_t)n;
    delassus->few = false;
    if (n < SPARSE_LEAST || run->joints || group->yields || group->rubs)
        return false;
    for (size_t k = 0; k < all; k++)
        entries += delassus->G[k] != 0.0;
    if (entries > all / FEW_ENTRIES)
        return false;
    if (!delassus->sparse)
        delassus->sparse = sparse_least_new(run->own);
    delassus->few =
        sparse_least_factor(delassus->sparse, n, delassus->G, symmetric);
    if (delassus->few)
        delassus->rank = sparse_least_rank(delassus->sparse);
    return delassus->few;
}

/* Finds mu with K_0^T mu = b, where b is a multiple of the rows of K_0. */
static void
solve_turned(const struct persistent_group *group, const double *b, double *mu)
{
    int n = group->n_unknown;
    const struct persistent_delassus *delassus = &group->delassus;
    if (delassus->few)
        sparse_least_solve_turned(delassus->sparse, b, mu);
    else if (delassus->sure)
        semidefinite_solve(&delassus->factors, b, mu, group->scratch.work);
    else if (delassus->clear)
        least_square_solve_turned(&delassus->square, b, mu);
    else
        dense_svd_solve_turned(n, n, delassus->U, delassus->V, delassus->s,
                               delassus->rank, b, mu);
}

/* -- what forces do ------------------------------------------------------
 */

/* Adds what the other bodies answer, and what that does to the first ones. */
static int
answer_of_others(struct rt *run, const struct persistent_group *group,
                 double *answer)
{
    const struct persistent_blocks *moved = &group->moved;
    double *change = run->persistent_memory->change;
    for (uint32_t i = 0; i < moved->n_body; i++)
        memcpy(change + 6 * moved->body[i], answer + 6 * i, 6 * sizeof *change);
    for (uint32_t i = 0; i < moved->n_block && run->joints; i++) {
        uint32_t block = moved->block[i];
        int st = group->solves && persistent_block(run, block)->n_rub
                     ? joint_friction_response(run, block, change)
                     : joints_response(run, block, change);
        if (st)
            return st;
    }
    for (uint32_t i = 0; i < moved->n_block; i++)
        relays_response(run, moved->block[i], change);
    for (uint32_t i = 0; i < moved->n_body; i++)
        memcpy(answer + 6 * i, change + 6 * moved->body[i], 6 * sizeof *change);
    return IMP_OK;
}

/* Finds what a unit of the force of this number does to all bodies. */
static int
answer_of(struct rt *run, const struct persistent_group *group, int number)
{
    const struct persistent_unknown *force = group->unknown + number;
    const struct persistent_reach *to = group->reach + number;
    size_t size = 6 * (size_t)group->moved.n_body;
    double *answer = group->answer + (size_t)number * size, f[6];
    memset(answer, 0, size * sizeof *answer);
    for (int e = 0; e < 2; e++) {
        for (int j = 0; j < 6; j++)
            f[j] = force->push[e][j].c[0];
        if (to->moves[e])
            persistent_by_mass(run, group->moved.body[to->place[e]], f,
                               answer + 6 * to->place[e]);
    }
    return group->spreads ? answer_of_others(run, group, answer) : IMP_OK;
}

static void
answer_room(struct rt *run, struct persistent_group *group)
{
    uint32_t bodies = group->moved.n_body;
    size_t size = (size_t)group->n_unknown * 6 * bodies + 1;
    if (size > group->n_answer) {
        group->n_answer = 2 * size;
        group->answer = NEW_N(run->own, double, group->n_answer);
    }
    if (group->n_unknown > group->n_reach) {
        group->n_reach = 2 * group->n_unknown;
        group->reach = NEW_N(run->own, struct persistent_reach, group->n_reach);
    }
    if (bodies > group->n_reached) {
        group->n_reached = 2 * bodies;
        group->reached = NEW_N(run->own, int, group->n_reached);
    }
}

/* Which bodies the conditions have, and which conditions the bodies. */
static void
find_reach(struct rt *run, struct persistent_group *group)
{
    uint32_t *place = run->persistent_memory->place;
    for (uint32_t i = 0; i < group->moved.n_body; i++) {
        place[group->moved.body[i]] = i;
        group->reached[i] = -1;
    }
    for (int i = group->n_unknown - 1; i >= 0; i--) {
        const struct persistent_unknown *on = group->unknown + i;
        const uint32_t *body = rt_contact(run, on->row->spot.contact)->body;
        struct persistent_reach *to = group->reach + i;
        for (int e = 0; e < 2; e++) {
            to->moves[e] = contact_point_body_moves(run, body[e]);
            to->place[e] = to->moves[e] ? place[body[e]] : 0;
            for (int c = 0; c < 6; c++)
                to->open[e][c] = on->open[e][c].c[0];
            if (!to->moves[e])
                continue;
            to->next[e] = group->reached[to->place[e]];
            group->reached[to->place[e]] = i;
        }
    }
    group->spreads = run->joints != NULL;
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        group->spreads |= relays_act(run, group->moved.block[i]);
}

/* The first condition that end e of condition `on` has, which may be all. */
static int
first_at(const struct persistent_group *group,
         const struct persistent_reach *on, int e)
{
    bool all = group->spreads;
    if (all ? e > 0 : !on->moves[e])
        return -1;
    return persistent_first(group, on->place[e], all);
}

/* Writes what force `row` does along each condition. */
static void
put_answers(const struct persistent_group *group, int row, double *G)
{
    size_t count = (size_t)group->n_unknown;
    const struct persistent_reach *on = group->reach + row;
    const double *answer =
        group->answer + (size_t)row * 6 * group->moved.n_body;
    G += (size_t)row * count;
    memset(G, 0, count * sizeof *G);
    for (int e = 0; e < 2; e++)
        for (int i = first_at(group, on, e); i >= 0;
             i = persistent_next(group, on->place[e], group->spreads, i))
            G[i] = persistent_along(group->reach + i, answer);
}

static void
symmetrize(const struct persistent_group *group, double *G)
{
    int count = group->n_unknown;
    for (int row = 0; row < count; row++) {
        const struct persistent_reach *on = group->reach + row;
        for (int e = 0; e < 2; e++)
            for (int i = first_at(group, on, e); i >= 0 && i < row;
                 i = persistent_next(group, on->place[e], group->spreads, i))
                G[row * count + i] = G[i * count + row] =
                    0.5 * (G[row * count + i] + G[i * count + row]);
    }
}

int
persistent_answers(struct rt *run, struct persistent_group *group, double *G,
                   bool *is_symmetric)
{
    int count = group->n_unknown;
    bool symmetric = true;
    answer_room(run, group);
    find_reach(run, group);
    for (uint32_t i = 0; i < group->moved.n_block; i++)
        symmetric = symmetric && !relays_act(run, group->moved.block[i]);
    for (int row = 0; row < count; row++) {
        const struct persistent_unknown *force = &group->unknown[row];
        int st = answer_of(run, group, row);
        if (st)
            return st;
        symmetric = symmetric && force->push == force->open &&
                    !(group->solves && group->rubs);
        put_answers(group, row, G);
    }
    if (symmetric)
        symmetrize(group, G);
    *is_symmetric = symmetric;
    return IMP_OK;
}

/* -- shares ----------------------------------------------------------------
 * How points that depend on each other share their forces along a motion, order
 * by order. With friction the motion may depend on it, so one rule holds at
 * every instant, wherever pieces of the motion begin: the forces lambda(t) are
 * those nearest to the guesses g(t), which the choice of the modes has left.
 * What they are more than these is of no direction that the conditions do not
 * feel. With what forces do to the conditions, the Delassus matrix as a series
 * K(t) = O(t)^T M^-1 P(t), it is a multiple of the rows of K,
 *     lambda(t) - g(t) = K(t)^T mu(t) = P(t)^T M^-1 W(t),   W(t) = O(t) mu(t),
 * where W is made body by body, so that K is never needed beyond order 0.
 */

struct persistent_shares {
    int orders;       /* of mu and W that are made */
    int room, bodies; /* for so many unknowns and bodies there is room */
    /* per order: mu (n), W (3 per body of the group) */
    double *mu, *W;
    double *more; /* n: K_0^T mu of the last order */
};

static struct persistent_shares *
shares_of(struct rt *run, struct persistent_group *group)
{
    if (!group->shares)
        group->shares = NEW(run->own, struct persistent_shares);
    struct persistent_shares *shares = group->shares;
    int n = group->n_unknown, bodies = (int)group->moved.n_body;
    if (n > shares->room || bodies > shares->bodies) {
        shares->room = n > shares->room ? 2 * n : shares->room;
        shares->bodies = bodies > shares->bodies ? 2 * bodies : shares->bodies;
        size_t m = (size_t)shares->room;
        shares->mu = NEW_N(run->own, double, (IMP_ORDER_MAX + 1) * m);
        shares->more = NEW_N(run->own, double, m);
        shares->W = NEW_N(run->own, double,
                          3 * (IMP_ORDER_MAX + 1) * (size_t)shares->bodies);
    }
    return shares;
}

static double *
multiples(const struct persistent_shares *shares, int order)
{
    return shares->mu + (size_t)order * (size_t)shares->room;
}

/* What the conditions of order k, times their multiples, are to a body. */
static double *
of_body(const struct rt *run, const struct persistent_shares *shares, int order,
        uint32_t body)
{
    return shares->W + 3 * ((size_t)order * (size_t)shares->bodies +
                            run->persistent_memory->place[body]);
}

/* Adds to W_k what the coefficients `from` to `to` of conditions make of it. */
static void
add_multiples(const struct rt *run, const struct persistent_group *group, int k,
              int from, int to)
{
    const struct persistent_shares *shares = group->shares;
    for (int i = 0; i < group->n_unknown; i++) {
        const struct persistent_unknown *unknown = group->unknown + i;
        const uint32_t *body =
            rt_contact(run, unknown->row->spot.contact)->body;
        for (int e = 0; e < 2; e++) {
            if (!contact_point_body_moves(run, body[e]))
                continue;
            double *w = of_body(run, shares, k, body[e]);
            for (uint32_t c = 0; c < 3; c++) {
                const double *open =
                    unknown->open[e][persistent_entry(run, c)].c;
                double sum = 0.0;
                for (int j = from; j <= to; j++)
                    sum += open[j] * multiples(shares, k - j)[i];
                w[c] += sum;
            }
        }
    }
}

/* Coefficient k of P^T M^-1 W for one force. Masses and moments of inertia are
 * constant in the plane. */
static double
multiple_along(const struct rt *run, const struct persistent_group *group,
               const struct persistent_unknown *force, int k)
{
    const uint32_t *body = rt_contact(run, force->row->spot.contact)->body;
    double all = 0.0;
    for (int e = 0; e < 2; e++) {
        if (!contact_point_body_moves(run, body[e]))
            continue;
        const double *constants = run->env + rt_body(run, body[e])->env_body;
        for (uint32_t c = 0; c < 3; c++) {
            const double *push = force->push[e][persistent_entry(run, c)].c;
            double sum = 0.0;
            for (int j = 0; j <= k; j++)
                sum += push[j] * of_body(run, group->shares, k - j, body[e])[c];
            all +=
                sum * constants[c < 2 ? IMP_BODY_INVMASS : IMP_BODY_INVINERTIA];
        }
    }
    return all;
}

/* Makes W_k up to what mu_k adds to it, and adds to `near` what this says of
 * the shares of order k (> 0). */
static void
turn(const struct rt *run, const struct persistent_group *group, int k,
     double *near)
{
    struct persistent_shares *shares = group->shares;
    size_t bytes = 3 * sizeof(double) * (size_t)shares->bodies;
    if (shares->orders < k) { /* the order before, which is known now */
        solve_turned(group, shares->more, multiples(shares, k - 1));
        add_multiples(run, group, k - 1, 0, 0);
        shares->orders = k;
    }
    memset(shares->W + (size_t)k * 3 * (size_t)shares->bodies, 0, bytes);
    add_multiples(run, group, k, 1, k);
    for (int i = 0; i < group->n_unknown; i++)
        near[i] += multiple_along(run, group, group->unknown + i, k);
}

/* Forces that the choice of modes has left hold the rows to SHARES_HOLD of
 * their terms, as runtime/friction asks of points that depend on each other
 * (FRICTION_DEPENDS). */
#define SHARES_HOLD 1e-8
/* What the equations move them by is another share if it is more than this of
 * the greatest: chosen, not derived. Angles of rounding were seen to move
 * forces by as much as they are. */
#define SHARES_MOVED 1e-3

/* Do the guesses `near` hold all rows, of which b is left? most: receives the
 * greatest of them. */
static bool
shares_hold(const struct persistent_group *group, const double *near,
            const double *b, double *most)
{
    int n = group->n_unknown;
    double *terms = group->scratch.work;
    bool holds = true;
    *most = 0.0;
    for (int j = 0; j < n; j++)
        terms[j] = fabs(b[j]);
    for (int i = 0; i < n; i++) {
        *most = fmax(*most, fabs(near[i]));
        for (int j = 0; j < n && near[i] != 0.0; j++)
            terms[j] += fabs(group->delassus.G[i * n + j] * near[i]);
    }
    for (int j = 0; j < n && holds; j++)
        holds = fabs(b[j]) <= SHARES_HOLD * terms[j];
    return holds;
}

/* Points may depend on each other but for angles within the tolerance of the
 * choice of modes, which has taken them as dependent. The equations would share
 * their loads as these angles say, which are rounding, and points would pull.
 * Where the guesses hold the rows, directions that move them by more than a
 * little count as dependent. */
static void
share_as_chosen(struct persistent_group *group, const double *near,
                double *answer)
{
    struct persistent_delassus *delassus = &group->delassus;
    int n = group->n_unknown;
    double most, moved = 0.0, *b = group->scratch.b;
    for (int i = 0; i < n; i++)
        moved = fmax(moved, fabs(answer[i]));
    if (!shares_hold(group, near, b, &most) || moved <= SHARES_MOVED * most)
        return;
    if (delassus->few || delassus->sure || delassus->clear) {
        memcpy(delassus->U, delassus->G, sizeof(double) * (size_t)(n * n));
        if (!dense_svd(n, n, delassus->U, delassus->V, delassus->s))
            return;
        delassus->few = delassus->sure = delassus->clear = false;
        delassus->n_of = 0;
    }
    for (int k = 0; k < delassus->rank; k++) {
        double along = dense_dot(n, delassus->U + (size_t)k * (size_t)n, b);
        if (fabs(along) >
            SHARES_MOVED * most * delassus->s[k] * delassus->s[k]) {
            delassus->rank = k;
            delassus->chosen = true;
            break;
        }
    }
    persistent_solve(group, b, answer);
}

/* Are these, of equations that say that no points depend on each other, other
 * forces than the choice of modes has left? */
static bool
doubts_rank(const struct rt *run, const struct persistent_group *group,
            const double *force)
{
    double most = 0.0, moved = 0.0;
    if (!group->friction || run->im->dim != 2 || group->yields)
        return false;
    for (int i = 0; i < group->n_unknown; i++) {
        most = fmax(most, fabs(group->unknown[i].guess));
        moved = fmax(moved, fabs(force[i] - group->unknown[i].guess));
    }
    return most > 0.0 && moved > SHARES_MOVED * most;
}

void
persistent_share(struct rt *run, struct persistent_group *group, int term,
                 double *answer)
{
    assert(run && group && term >= 0 && answer);
    int n = group->n_unknown;
    double *near = group->scratch.near, *b = group->scratch.b, *own = NULL;
    if (!group->friction || group->delassus.rank == n) {
        persistent_solve(group, b, answer);
        if (term > 0 || !doubts_rank(run, group, answer))
            return;
        own = arena_copy(run->brief, answer, sizeof *own * (size_t)n);
    }
    bool rates = term == 1 && !isnan(group->drifts),
         follows = run->im->dim == 2 && !run->joints && !group->yields,
         nearest = term == 0 || rates || follows;
    for (uint32_t i = 0; i < group->moved.n_body && follows; i++)
        run->persistent_memory->place[group->moved.body[i]] = i;
    for (int i = 0; i < n; i++)
        near[i] = term == 0 ? group->unknown[i].guess
                  : rates   ? group->unknown[i].drift
                            : 0.0;
    if (follows && term > 0)
        turn(run, group, term, near);
    for (int i = 0; i < n && nearest; i++)
        if (near[i] != 0.0)
            dense_add(n, near[i], group->delassus.G + i * n, b);
    persistent_solve(group, b, answer);
    if (term == 0 && run->im->dim == 2)
        share_as_chosen(group, near, answer);
    if (own && group->delassus.rank == n) {
        memcpy(answer, own, sizeof *own * (size_t)n);
        return;
    }
    if (follows) {
        struct persistent_shares *shares = shares_of(run, group);
        memcpy(shares->more, answer, sizeof *answer * (size_t)n);
        if (term == 0) {
            shares->orders = 0;
            memset(shares->W, 0, 3 * sizeof *answer * (size_t)shares->bodies);
        }
    }
    for (int i = 0; i < n && nearest; i++)
        answer[i] += near[i];
}

double
persistent_unheld(const struct rt *run, const struct persistent_group *group)
{
    double most = 0.0, change[6];
    for (int i = 0; i < group->n_unknown && group->rubs; i++) {
        const struct persistent_unknown *unknown = &group->unknown[i];
        const imp_contact *contact =
            rt_contact(run, unknown->row->spot.contact);
        double own = 0.0, force[6];
        for (int side = 0; side < 2; side++) {
            uint32_t body = contact->body[side];
            if (!contact_point_body_moves(run, body))
                continue;
            for (int c = 0; c < 6; c++)
                force[c] = unknown->open[side][c].c[0];
            persistent_by_mass(run, body, force, change);
            uint32_t last = rt_body(run, body)->flags & IMP_BODYF_HELD ? 3 : 6;
            for (uint32_t c = 0; c < last; c++)
                own += force[c] * change[c];
        }
        most = fmax(most, own);
    }
    return most;
}

/* -- contacts that yield ----------------------------------------------------
 */

void
persistent_soft_read(struct rt *run, struct persistent_row *row)
{
    assert(run != NULL && row != NULL);
    const imp_contact *contact = rt_contact(run, row->spot.contact);
    row->soft = CONTACT_RIGID;
    if (contact->press == IMP_NO_TAPE)
        return;
    int soft = (int)run->env[contact->env_contact + IMP_CONTACT_SOFT];
    if (soft != CONTACT_PRESSED && soft != CONTACT_SLACK &&
        soft != CONTACT_HELD)
        return;
    row->soft = (enum contact_softness)soft;
    if (!row->press)
        row->press = NEW(run->own, struct persistent_press);
    uint32_t n_rows = persistent_tape(run, contact->press)->n_rows + 1;
    if (n_rows > row->press->work_rows) {
        row->press->work =
            NEW_N(run->own, double, (size_t)n_rows *IMP_ROW_STRIDE);
        row->press->work_rows = n_rows;
    }
    /* the law has been looked at when the run began */
    if (contact_compliance_scale(run, row->spot.contact, &row->press->scale))
        row->press->scale = 1.0;
}

/* The impulse of the contact since it touched, and that of its compression. */
static double *
memory_of(struct rt *run, const struct persistent_row *row)
{
    return run->env + rt_contact(run, row->spot.contact)->env_contact +
           IMP_CONTACT_PUSHED;
}

/* Does the present force add to entry m of it? */
static bool
adds(const struct persistent_row *row, uint32_t m)
{
    const double *gap = row->gap.c;
    return row->soft == CONTACT_PRESSED &&
           (m == 0 || gap[1] < 0.0 || (gap[1] == 0.0 && gap[2] < 0.0));
}

void
persistent_soft_pass(struct rt *run, const struct persistent_row *row,
                     int order, double dt)
{
    assert(run != NULL && row != NULL && order >= 1);
    double *memory = memory_of(run, row), more = 0.0;
    if (row->soft != CONTACT_PRESSED)
        return;
    for (int k = order - 1; k >= 0; k--)
        more = dt * (more + row->press->law.c[k] / (k + 1.0));
    for (uint32_t m = 0; m < 2; m++)
        memory[m] += adds(row, m) ? more : 0.0;
}

/* Depth, speed and memory, scaled, as the tape reads them. Where the contact
 * just begins to be pressed in from rest, the speed has the sign that it gets:
 * a law that differs on the way back must not begin with that. */
static const double *
input_of(struct rt *run, struct persistent_row *row, int order)
{
    struct persistent_press *press = row->press;
    double *depth = press->input + IMP_ROW_PAD, *speed = depth + IMP_ROW_STRIDE,
           root = sqrt(press->scale);
    for (int k = 0; k <= order; k++) {
        depth[k] = 0.0 - row->gap.c[k] / press->scale;
        speed[k] = 0.0 - (k + 1.0) * row->gap.c[k + 1] / root;
    }
    /* what it remembers, by the orders of the force that are known */
    double *memory = speed + IMP_ROW_STRIDE, *kept = memory_of(run, row);
    for (uint32_t m = 0; m < 2; m++, memory += IMP_ROW_STRIDE) {
        memory[0] = kept[m] / root;
        for (int k = 1; k <= order; k++)
            memory[k] = adds(row, m) ? press->law.c[k - 1] / (k * root) : 0.0;
    }
    double low, rate;
    gap_rounding(run, row->spot.contact, &low, &rate);
    contact_compliance_beside(run, row->spot.contact, press->scale, low,
                              row->gap.c, switching_least(run));
    if (fabs(row->gap.c[0]) <= low)
        depth[0] = fmax(depth[0], 0.0);
    if (fabs(row->gap.c[0]) <= low && fabs(row->gap.c[1]) <= rate &&
        row->gap.c[2] != 0.0)
        speed[0] = copysign(rate / root, 0.0 - row->gap.c[2]);
    return press->input;
}

/* The law of a row that yields as a series to `order`; its gap is known to one
 * more. Status of the tape. */
static int
persistent_soft_law(struct rt *run, struct persistent_row *row, int order)
{
    assert(run != NULL && row->soft != CONTACT_RIGID && order >= 0);
    struct persistent_press *press = row->press;
    uint32_t number = rt_contact(run, row->spot.contact)->press;
    const double *rows[1] = {input_of(run, row, order)};
    int st = rt_series(run, number, NULL, rows, press->work, order);
    taylor_const(IMP_ORDER_MAX, 0.0, &press->law);
    if (st) {
        rt_nonfinite_series(run, number, NULL, rows, press->work, order);
        return IMP_FAILED;
    }
    const imp_tape *tape = persistent_tape(run, number);
    const uint32_t *outs = IMP_ARRAY(run->im, tape->outs, uint32_t);
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    memcpy(press->law.c,
           press->work + (size_t)code[outs[0]].row * IMP_ROW_STRIDE +
               IMP_ROW_PAD,
           sizeof(double) * (size_t)(order + 1));
    return IMP_OK;
}

double
persistent_soft_given(const struct persistent_group *group, double *G)
{
    assert(group != NULL && G != NULL);
    int n = group->n_unknown;
    double size = 0.0;
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fabs(G[i]));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && persistent_soft_unknown(&group->unknown[j]);
             i++)
            G[i * n + j] = i == j ? size : 0.0;
    return size;
}

int
persistent_soft_forces(struct rt *run, struct persistent_group *group, int term)
{
    assert(run != NULL && group->yields && term >= 0);
    int st = IMP_OK;
    for (int i = 0; i < group->n_unknown && !st; i++) {
        struct persistent_row *row = group->unknown[i].row;
        if (!persistent_soft_unknown(&group->unknown[i]))
            continue;
        st = persistent_soft_law(run, row, term);
        group->scratch.b[i] =
            row->soft == CONTACT_PRESSED && !st
                ? -group->delassus.given * row->press->law.c[term]
                : 0.0;
    }
    return st;
}

int
persistent_soft_laws(struct rt *run, struct persistent_group *group, int order,
                     double *holds)
{
    assert(run != NULL && group != NULL && order >= 1 && holds != NULL);
    int st = IMP_OK;
    for (int i = 0; i < group->n_on && !st; i++) {
        struct persistent_row *row = &group->row[i];
        if (row->soft == CONTACT_RIGID || row->soft == CONTACT_HELD)
            continue;
        st = persistent_soft_law(run, row, order - 1);
        const double *rows[1] = {row->press->input};
        if (!st && order > 2)
            st = switching_of_compliance(run, row->spot.contact, rows,
                                         order - 1, holds);
    }
    return st;
}

/* -- what series remember ----------------------------------------------------
 */

/* of a joint with friction: from here on it has modes, and what a solution of
 * its forces leaves to the next one */
enum {
    JOINT_FROM = IMP_JOINT_STICK,
    JOINT_ENTRIES = IMP_JOINT_SIZE - JOINT_FROM
};

struct persistent_memory {
    struct closest_points_memory *closest;
    double *joints;
    int n;
    struct group_memory {
        bool steady;
        struct motion_brief brief;
        /* of points beside joints with friction, NULL without: the search for
         * their forces begins with the last series */
        struct persistent_row *row;
        struct persistent_friction *friction;
    } group[];
};

static void
remember_rows(struct rt *run, const struct persistent_group *group,
              struct group_memory *memory)
{
    size_t n = (size_t)group->n;
    memory->row = arena_copy(run->brief, group->row, n * sizeof *group->row);
    memory->friction = NEW_N(run->brief, struct persistent_friction, n + 1);
    for (size_t i = 0; i < n; i++)
        if (group->row[i].friction)
            memory->friction[i] = *group->row[i].friction;
}

static void
recall_rows(struct persistent_group *group, const struct group_memory *memory)
{
    size_t n = (size_t)group->n;
    memcpy(group->row, memory->row, n * sizeof *group->row);
    for (size_t i = 0; i < n; i++)
        if (group->row[i].friction)
            *group->row[i].friction = memory->friction[i];
}

static void
copy_joints(struct rt *run, double *kept, bool back)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++, kept += JOINT_ENTRIES) {
        double *env = run->env + joint[i].env_joint + JOINT_FROM;
        memcpy(back ? env : kept, back ? kept : env,
               JOINT_ENTRIES * sizeof *env);
    }
}

struct persistent_memory *
persistent_remember(struct rt *run)
{
    assert(run != NULL);
    const struct persistent_set *set = run->persistent;
    int n = set ? set->n : 0;
    struct persistent_memory *memory = arena_alloc(
        run->brief, sizeof *memory + (size_t)n * sizeof *memory->group);
    memory->closest = closest_points_remember(run);
    memory->joints =
        NEW_N(run->brief, double, JOINT_ENTRIES *(size_t)run->im->joints.n + 1);
    copy_joints(run, memory->joints, false);
    memory->n = n;
    for (int i = 0; i < n; i++) {
        memory->group[i].steady = set->group[i]->steady;
        memory->group[i].brief = set->group[i]->brief;
        if (set->group[i]->rubs)
            remember_rows(run, set->group[i], &memory->group[i]);
    }
    return memory;
}

void
persistent_recall(struct rt *run, const struct persistent_memory *memory)
{
    assert(run != NULL && memory != NULL);
    struct persistent_set *set = run->persistent;
    assert(memory->n == (set ? set->n : 0));
    closest_points_recall(run, memory->closest);
    copy_joints(run, memory->joints, true);
    for (int i = 0; i < memory->n; i++) {
        set->group[i]->steady = memory->group[i].steady;
        set->group[i]->brief = memory->group[i].brief;
        if (memory->group[i].row)
            recall_rows(set->group[i], &memory->group[i]);
    }
}

bool
persistent_varies(const struct rt *run)
{
    assert(run != NULL);
    const struct persistent_set *set = run->persistent;
    bool varies = false;
    for (int i = 0; set && i < set->n; i++)
        varies = varies || set->group[i]->varies;
    return varies;
}
