/* SPDX-License-Identifier: MIT */
/* Impacts at points with friction, and impacts without collision
 * (friction_modes.h): the rows of the points go to runtime/friction, and its
 * impulses to the bodies. And how far the coefficients of impacts that a limit
 * sums up have changed, and the slip with which points come down to it
 * (friction_forecast.h). */
#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/diag.h"
#include "runtime/friction/paradox.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/instance/saved_state.h"
#include "runtime/modes/friction_forecast.h"
#include "runtime/modes/friction_rows.h"
#include "runtime/modes/mode_select.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"
#include "runtime/rubbing/rubbing.h"
#include "runtime/sparse/sparse_least.h"

/* What an impact leaves of the joints with friction: impulses, and then rates.
 */
static int
strike_joints(struct friction_rows *in, const struct friction_group_impact *out)
{
    int first = friction_rows_spots(in), st = IMP_OK;
    rubbing_joints_let_go(in->joint, (uint32_t)in->n_joint);
    for (int k = 0; k < in->n_joint && !st; k++)
        st = rubbing_joint_strike(in->joint + k,
                                  out->impulse[2 * (first + k) + 1]);
    rubbing_joints_keep(in->joint, (uint32_t)in->n_joint);
    for (int k = 0; k < in->n_joint && !st; k++)
        rubbing_joint_after(in->joint + k, out->after[2 * (first + k) + 1],
                            out->work[first + k]);
    return st;
}

/* The joints of these bodies after the impact. */
static int
joints_after(struct friction_rows *in, const struct friction_group_impact *out)
{
    bool *body = NEW_N(in->run->brief, bool, in->run->im->bodies.n + 1);
    const struct persistent_blocks *moved = &in->group->moved;
    int st = strike_joints(in, out);
    for (uint32_t i = 0; i < moved->n_body; i++)
        body[moved->body[i]] = true;
    return st ? st : rubbing_after_impact(in->run, body);
}

int
friction_modes_impact(struct rt *run, const struct contact_point *spot, int n,
                      int n_hit, const double *rest, enum imp_impact_law law,
                      struct friction_group_impact *out)
{
    assert(n > 0 && n_hit <= n && out != NULL && law < IMP_IMPACT_COUNT);
    struct friction_rows in = {
        .run = run, .n = n, .spot = spot, .with_joints = true};
    int st = friction_rows_read(&in);
    if (st)
        return st;
    struct friction_impact_point *point =
        NEW_N(run->brief, struct friction_impact_point, in.n);
    for (int i = 0; i < n; i++) {
        double *rate = in.rate + 2 * i;
        if (i >= n_hit || fabs(rate[0]) <= rest[i])
            rate[0] = 0.0;
        if ((st = friction_law_point(run, spot[i].contact, law, rate[0],
                                     rate[1], &point[i])) ||
            (in.n_joint && (st = friction_own_beside_joints(run, &point[i]))))
            return st;
    }
    for (int k = 0; k < in.n_joint; k++) {
        in.grip[k].load[0] = in.grip[k].load[1] = 0.0;
        point[n + k] =
            (struct friction_impact_point){.mu = in.point[n + k].mu_dynamic,
                                           .mu_static = in.joint[k].mu_rest,
                                           .slip = in.rate[2 * (n + k) + 1],
                                           .grip = in.grip + k};
    }
    friction_impact_group(run->brief, in.n, in.W, point, law, NULL, out);
    loads_of_impact(run->loads, out);
    if (out->why)
        return IMP_OK;
    const double *P = out->impulse;
    double *impulse = NEW_N(run->brief, double, in.group->n_unknown);
    for (int i = 0; i < in.group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &in.group->unknown[i];
        impulse[i] = P[2 * (unknown->row - in.group->row) +
                       (unknown->value != &unknown->row->gap)];
    }
    persistent_apply_impulses(run, impulse);
    uint32_t *contact = NEW_N(run->brief, uint32_t, n);
    for (int i = 0; i < n; i++) {
        const imp_contact *of = rt_contact(run, spot[i].contact);
        run->env[of->env_contact + IMP_CONTACT_WORK] += out->work[i];
        contact[i] = spot[i].contact;
    }
    friction_modes_struck(run, n, contact, out);
    return in.n_joint ? joints_after(&in, out) : IMP_OK;
}

int
friction_modes_jump(struct rt *run, const struct contact_point *spot, int n,
                    int which, bool plastic, double *impulse)
{
    assert(run != NULL && impulse != NULL && which >= 0 && which < n);
    struct friction_rows in = {.run = run, .n = n, .spot = spot};
    struct friction_impact_point point;
    struct friction_impact out;
    int st = friction_rows_read(&in);
    if (st)
        return st;
    size_t rows = 2 * (size_t)n, N = 2 * (size_t)which;
    if ((st = friction_law_point(run, spot[which].contact,
                                 (enum imp_impact_law)run->im->impact_law, 0.0,
                                 in.rate[N + 1], &point)))
        return st;
    point.e = plastic ? 0.0 : point.e;
    paradox_jump(in.W[(N + 1) * rows + N + 1], in.W[N * rows + N + 1],
                 in.W[N * rows + N], &point, &out);
    double *push = NEW_N(run->brief, double, in.group->n_unknown);
    for (int i = 0; i < in.group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &in.group->unknown[i];
        if (unknown->row - in.group->row == which)
            push[i] = unknown->value == &unknown->row->gap
                          ? out.normal[0] + out.normal[1]
                          : out.tangential;
    }
    persistent_apply_impulses(run, push);
    run->env[rt_contact(run, spot[which].contact)->env_contact +
             IMP_CONTACT_WORK] += out.work[1];
    *impulse = out.normal[0] + out.normal[1];
    friction_modes_forget(run);
    return IMP_OK;
}

/* -- what the end of slips has turned towards each other -- */

/* Is the point held, and does it stick, or slip no faster than `slow`? What
 * begins to slip has been at rest. */
static void
held_now(const struct rt *run, const struct contact_point *spot, double slip,
         double slow, bool held[2])
{
    const struct persistent_group *group =
        persistent_group_of(run, spot->contact);
    held[0] = held[1] = false;
    for (int i = 0; group && i < group->n; i++) {
        const struct persistent_row *row = group->row + i;
        if (!contact_point_same(&row->spot, spot))
            continue;
        held[0] = true;
        held[1] = row->friction &&
                  (row->friction->mode == CONTACT_STICK || fabs(slip) <= slow);
    }
}

/* A singular value below this share of the first belongs to rows that depend
 * on each other. */
#define APART_ZERO 1e-11

/* Rows of one group: those that keep a rate of 0, and those that are open. */
struct apart {
    int n, n_held, n_open, *held, *open; /* entries of W (2 n x 2 n) */
    const double *W;
    /* of the held rows: where their rank is clear, by pivots, of many rows by
     * those of their few entries; elsewhere by singular values */
    bool few, clear;
    struct sparse_least *sparse;
    struct semidefinite pivots;
    double *A, *V, *singular, *work;
    int rank;
};

/* x: impulses of the held rows that take the rates b from them. */
static void
answer_held(const struct apart *of, const double *b, double *x)
{
    if (of->few)
        sparse_least_solve(of->sparse, b, x);
    else if (of->clear)
        semidefinite_solve(&of->pivots, b, x, of->work);
    else if (of->n_held > 0)
        dense_svd_solve(of->n_held, of->n_held, of->A, of->V, of->singular,
                        of->rank, b, x, of->work);
}

static bool
factor_held(struct rt *run, struct apart *of)
{
    size_t n = (size_t)of->n_held, rows = 2 * (size_t)of->n;
    of->A = NEW_N(run->brief, double, 2 * n * n + 4 * n + 1);
    of->V = of->A + n * n;
    of->singular = of->V + n * n;
    of->work = of->singular + n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            of->A[j * n + i] =
                of->W[(size_t)of->held[i] * rows + (size_t)of->held[j]];
    of->sparse = sparse_least_new(run->brief);
    of->few = (int)n >= SPARSE_LEAST &&
              sparse_least_factor(of->sparse, (int)n, of->A, true);
    if (of->few)
        return true;
    of->clear =
        n > 0 && semidefinite_factor(
                     (int)n, of->A, APART_ZERO, &of->pivots,
                     NEW_N(run->brief, double, semidefinite_room((int)n)));
    if (of->clear)
        return true;
    if (n > 0 && !dense_svd((int)n, (int)n, of->A, of->V, of->singular))
        return false;
    while (of->rank < (int)n &&
           of->singular[of->rank] > APART_ZERO * of->singular[0])
        of->rank++;
    return true;
}

/* Impulses (2 n) after which no open row approaches, and the held ones have no
 * rate: the least change of the motion. False: none were found. */
static bool
part_rows(struct rt *run, struct apart *of, const double *rate, double *impulse)
{
    size_t rows = 2 * (size_t)of->n, h = (size_t)of->n_held,
           o = (size_t)of->n_open;
    double *b = NEW_N(run->brief, double, 2 * h + o * h + o * o + 2 * o + 1),
           *x = b + h, *X = x + h, *S = X + o * h, *q = S + o * o, *z = q + o;
    if (!factor_held(run, of))
        return false;
    for (size_t k = 0; k < o;
         k++) { /* what an open row asks of the held ones */
        for (size_t i = 0; i < h; i++)
            b[i] = of->W[(size_t)of->held[i] * rows + (size_t)of->open[k]];
        answer_held(of, b, X + k * h);
    }
    for (size_t i = 0; i < h; i++)
        b[i] = rate[of->held[i]];
    answer_held(of, b, x);
    for (size_t k = 0; k < o; k++) {
        const double *w = of->W + (size_t)of->open[k] * rows;
        q[k] = rate[of->open[k]];
        for (size_t i = 0; i < h; i++)
            q[k] -= w[of->held[i]] * x[i];
        for (size_t j = 0; j < o; j++) {
            S[k * o + j] = w[of->open[j]];
            for (size_t i = 0; i < h; i++)
                S[k * o + j] -= w[of->held[i]] * X[j * h + i];
        }
    }
    int solved = lcp_solve((int)o, S, q, z,
                           NEW_N(run->brief, double, lcp_room((int)o) + 1));
    for (size_t k = 0; k < o; k++)
        impulse[of->open[k]] = z[k];
    for (size_t i = 0; i < h; i++) {
        impulse[of->held[i]] = -x[i];
        for (size_t k = 0; k < o; k++)
            impulse[of->held[i]] -= X[k * h + i] * z[k];
    }
    return solved == 0 || solved == 2;
}

bool
friction_modes_apart(struct rt *run, const struct contact_point *spot, int n,
                     double slow)
{
    assert(run && spot && n > 0);
    struct friction_rows in = {.run = run, .n = n, .spot = spot};
    size_t size = 2 * (size_t)n + 1;
    struct apart of = {.n = n,
                       .held = NEW_N(run->brief, int, size),
                       .open = NEW_N(run->brief, int, size)};
    bool any = false, held[2];
    if (run->joints || friction_rows_read(&in))
        return false;
    of.W = in.W;
    for (int i = 0; i < n; i++) {
        held_now(run, spot + i, in.rate[2 * i + 1], slow, held);
        if (held[0] || (fabs(in.rate[2 * i]) <= slow &&
                        !contact_compliance_gives(run, spot[i].contact)))
            of.held[of.n_held++] = 2 * i;
        else
            of.open[of.n_open++] = 2 * i;
        if (held[1])
            of.held[of.n_held++] = 2 * i + 1;
        any |= !held[0] && in.rate[2 * i] < -in.size[i];
    }
    double *impulse = NEW_N(run->brief, double, size),
           *push = NEW_N(run->brief, double, in.group->n_unknown + 1);
    if (!any || !part_rows(run, &of, in.rate, impulse))
        return false;
    for (int i = 0; i < in.group->n_unknown; i++) {
        const struct persistent_unknown *unknown = &in.group->unknown[i];
        push[i] = impulse[2 * (unknown->row - in.group->row) +
                          (unknown->value != &unknown->row->gap)];
    }
    persistent_apply_impulses(run, push);
    return true;
}

int
mode_push_apart(struct rt *run, const struct contact_point *spot, int n,
                struct contact_point_state *p)
{
    assert(run && spot && p && n > 0);
    size_t size = (size_t)n;
    double *G = NEW_N(run->brief, double, size *size + 2 * size + 1),
           *rate = G + size * size, *impulse = rate + size;
    bool any = false;
    int st = contact_point_states(run, spot, n, p, G);
    for (int i = 0; i < n && !st; i++) {
        bool none = fabs(p[i].rate) <= MODE_STILL * p[i].speed;
        rate[i] = none ? 0.0 : p[i].rate;
        any |= rate[i] < 0.0;
    }
    if (st || !any)
        return st;
    int solved = lcp_solve(n, G, rate, impulse,
                           NEW_N(run->brief, double, lcp_room(n) + 1));
    if (solved == 0 || solved == 2)
        persistent_apply_impulses(run, impulse);
    return IMP_OK;
}

double *
friction_forecast_coefficients(struct rt *run, const struct contact_point *spot,
                               int n, const struct friction_forecast *forecast)
{
    assert(run != NULL && spot != NULL && n >= 0);
    double *mu = NEW_N(run->brief, double, 3 * (size_t)n + 3);
    struct diags quiet, *told = run->ds;
    bool varies = false;
    /* a coefficient that is wrong is told where it is needed */
    diags_init(&quiet, run->brief, told->sources);
    run->ds = &quiet;
    for (int i = 0; i < n; i++) {
        varies |= rt_contact(run, spot[i].contact)->rub_now != IMP_NO_TAPE;
        if (contact_friction_now(run, spot[i].contact, fabs(forecast->slip[i]),
                                 mu + 3 * i))
            mu[3 * i] = NAN;
    }
    run->ds = told;
    return varies ? mu : NULL;
}

double
friction_forecast_changed(struct rt *run, const struct contact_point *spot,
                          int n, const struct friction_forecast *forecast,
                          const double *then)
{
    const double *now = friction_forecast_coefficients(run, spot, n, forecast);
    double most = 0.0;
    for (int i = 0; now && then && i < 3 * n; i++) {
        if (isnan(now[i]) || isnan(then[i]))
            return INFINITY;
        most = fmax(most, fabs(now[i] - then[i]));
    }
    return most;
}

/* -- at the limit ---------------------------------------------------------- */

/* Moves the state by what has happened at the points on the way: impulses, and
 * what they have done since. */
static void
apply(struct friction_rows *rows, const struct friction_forecast *forecast)
{
    int count = rows->group->n_unknown;
    double *impulse = NEW_N(rows->run->brief, double, 2 * (size_t)count + 1),
           *moment = impulse + count;
    for (int i = 0; i < count; i++) {
        const struct persistent_unknown *unknown = &rows->group->unknown[i];
        int row = 2 * (int)(unknown->row - rows->group->row) +
                  (unknown->value != &unknown->row->gap);
        impulse[i] = forecast->impulse[row];
        moment[i] = forecast->moment[row];
    }
    persistent_apply_timed(rows->run, impulse, moment);
}

/* Free motion to the time of the limit leaves the bodies in each other, where a
 * point has no one lever: that of friction would be off by the depth. So the
 * rows are those of the place to which they lead themselves. */
int
friction_forecast_apply(struct rt *run, const struct contact_point *spot, int n,
                        const struct friction_forecast *forecast)
{
    assert(n > 0 && forecast != NULL);
    struct friction_rows in = {.run = run, .n = n, .spot = spot};
    struct saved_state free = saved_state_take(run);
    int st = friction_rows_read(&in);
    if (st)
        return st;
    apply(&in, forecast);
    st = friction_rows_read(&in);
    saved_state_restore(run, &free);
    if (st)
        return st;
    apply(&in, forecast);
    for (int i = 0; i < n; i++)
        run->env[rt_contact(run, spot[i].contact)->env_contact +
                 IMP_CONTACT_WORK] += forecast->work[i];
    return IMP_OK;
}

/* -- where a forecast begins -----------------------------------------------
 *
 * The rows follow one point, which is fixed to the surface of one of the
 * bodies, as a point of both: of the other body a lever that grows with the
 * gap. Where the point comes down each body is there with its own surface.
 * Bodies are rigid: where a point is held, no other one of the two slips,
 * however it moves; so all of them go with the nearest. */

/* The point of the same two bodies that is nearest to the surface, and of equal
 * ones the slowest. */
static const struct contact_point_state *
nearest(const struct friction_rows *rows, const struct forecast_question *ask,
        int of)
{
    int best = of;
    for (int i = 0; i < rows->n; i++) {
        double more = fmax(ask->p[i].gap, 0.0) - fmax(ask->p[best].gap, 0.0);
        if (rows->spot[i].contact == rows->spot[of].contact &&
            (more < 0.0 ||
             (more == 0.0 && fabs(ask->p[i].rate) < fabs(ask->p[best].rate))))
            best = i;
    }
    return &ask->p[best];
}

void
friction_forecast_slip(struct friction_rows *rows,
                       const struct forecast_question *ask, int point,
                       double *slip)
{
    assert(rows != NULL && point >= 0 && point < rows->n);
    const struct rt *run = rows->run;
    const struct contact_point *spot = &rows->spot[point];
    const struct contact_point_state *fall = nearest(rows, ask, point);
    const imp_contact *contact = rt_contact(run, spot->contact);
    uint32_t of = spot->kind == POINT_SURFACE  ? 0
                  : spot->kind == POINT_SMOOTH ? contact->smooth
                                               : 1 - (uint32_t)spot->face_of,
             other = contact->body[1 - of];
    /* rows of balls have the lever of each to its own surface */
    double spin = other == IMP_WORLD || rows->group->row[point].balls
                      ? 0.0
                      : run->env[rt_body(run, other)->env_state + 5];
    rows->free[2 * point + 1] -= spin * fall->rate;
    *slip -= spin * fmax(fall->gap, 0.0);
    if (fabs(*slip) <= rows->size[point])
        *slip = 0.0;
}
