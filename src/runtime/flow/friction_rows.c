/* SPDX-License-Identifier: MIT */
/* One instant of a system with friction as numbers: gradients of gaps and of
 * slips, what forces along them do, accelerations without contacts; and the
 * state taken onto what closed contacts hold. What is done there:
 * flow_friction.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/held/held.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/numerics/factors.h"

void
friction_rows_new(const struct flow *flow, struct arena *arena,
                  struct friction_rows *rows)
{
    assert(flow && rows);
    size_t n = flow->n, m = flow->m;
    rows->mass = NEW_N(arena, double, 2 * n * n);
    rows->mass_of = rows->mass + n * n;
    rows->pull = NEW_N(arena, double, n);
    rows->piv = NEW_N(arena, int, n);
    rows->J = NEW_N(arena, double, 2 * m * n);
    rows->B = NEW_N(arena, double, 2 * m * n);
    rows->W = NEW_N(arena, double, 4 * m * m);
    rows->free = NEW_N(arena, double, 2 * m);
    rows->terms = NEW_N(arena, double, 2 * m);
    rows->parts = NEW_N(arena, double, 2 * m);
    rows->speed = NEW_N(arena, double, 2 * m);
    rows->drift = NEW_N(arena, double, 2 * m);
    rows->speed_terms = NEW_N(arena, double, 2 * m);
    rows->had = NEW_N(arena, double, 2 * m);
    rows->slip = NEW_N(arena, struct system_slip, m);
}

static void
friction_jam_new(struct taylor_friction *friction, struct arena *arena,
                 size_t m)
{
    assert(friction != NULL && arena != NULL);
    struct friction_watch *watch = &friction->watch;
    watch->mode = NEW_N(arena, enum contact_mode, m + 1);
    watch->time = NEW_N(arena, double, m + 1);
    watch->p = NEW_N(arena, double, m + 1);
    watch->mu = NEW_N(arena, double, m + 1);
    watch->normal = NEW_N(arena, double, m + 1);
    watch->pushed = NEW_N(arena, double, m + 1);
    watch->which = -1;
}

static void
friction_turns_new(struct friction_turns *several, struct arena *arena,
                   size_t m)
{
    assert(several != NULL && arena != NULL);
    several->group = NEW_N(arena, bool, m + 1);
    several->hit = NEW_N(arena, bool, m + 1);
    several->impulse = NEW_N(arena, double, 2 * m + 1);
    several->moment = NEW_N(arena, double, 2 * m + 1);
    several->slip = NEW_N(arena, double, m + 1);
    several->work = NEW_N(arena, double, m + 1);
}

struct taylor_friction *
taylor_friction_new(struct flow *flow)
{
    struct arena *arena = flow->run->arena;
    size_t contacts = flow->m;
    if (flow->sys->n_rub == 0)
        return NULL;
    struct taylor_friction *friction = NEW(arena, struct taylor_friction);
    friction->rub = NEW_N(arena, int, contacts);
    friction->mode = NEW_N(arena, enum contact_mode, contacts);
    friction->onset = NEW_N(arena, bool, contacts);
    friction->begun = NEW_N(arena, double, contacts);
    friction->still = NEW_N(arena, bool, contacts);
    friction->zero = NEW_N(arena, bool, contacts);
    friction->fails = NEW_N(arena, bool, contacts);
    friction->normal = NEW_N(arena, double, contacts);
    friction->tangential = NEW_N(arena, double, contacts);
    friction->normal_now = NEW_N(arena, double, contacts);
    friction->tangential_now = NEW_N(arena, double, contacts);
    friction->work = NEW_N(arena, double, contacts);
    friction->impulse = NEW_N(arena, double, 2 * contacts);
    friction->approach = NEW_N(arena, double, contacts);
    friction->limit.contact = -1;
    friction->group = NEW_N(arena, bool, flow->m);
    friction_turns_new(&friction->several, arena, contacts);
    friction->v_size = NEW_N(arena, double, flow->n);
    friction->n_size = NEW_N(arena, double, flow->m + 1);
    friction->worked =
        (struct friction_worked){NAN, NEW_N(arena, double, contacts)};
    friction->piece.slip = NEW_N(arena, double, contacts *ROW);
    friction->piece.friction = NEW_N(arena, double, contacts *ROW);
    friction->piece.minus = NEW_N(arena, double, contacts *ROW);
    friction->piece.plus = NEW_N(arena, double, contacts *ROW);
    friction->change = NEW_N(arena, struct flow_change, 4 * contacts);
    friction->told = NEW_N(arena, struct flow_verdict, 2 * contacts + 1);
    friction->flights.last = NEW_N(arena, double, contacts);
    for (size_t i = 0; i < contacts; i++)
        friction->flights.last[i] = -INFINITY;
    friction_rows_new(flow, arena, &friction->rows);
    friction->last_time = -INFINITY;
    friction->jump = -1;
    friction_jam_new(friction, arena, contacts);
    int next = 0;
    for (uint32_t i = 0; i < contacts; i++) {
        const imp_contact *contact =
            rt_contact(flow->run, flow->sys->contact + i);
        friction->rub[i] = contact->flags & IMP_CONTACTF_FRICTION ? next++ : -1;
    }
    assert(next == (int)flow->sys->n_rub);
    return friction;
}

void
friction_fresh(struct flow *flow)
{
    assert(flow);
    struct friction_rows *rows = &flow->taylor->friction->rows;
    memset(rows->had, 0, 2 * flow->m * sizeof *rows->had);
}

int
friction_bad_mu(struct flow *flow, uint32_t i, double mu)
{
    assert(flow);
    const imp_contact *contact = rt_contact(flow->run, flow->sys->contact + i);
    const char *name = imp_text(flow->run->im, contact->name);
    char mu_text[NUM_TEXT], time_text[NUM_TEXT];
    rt_told(time_text, flow->taylor->now, 9);
    struct diag *diag =
        mu == 0.0 ? diag_add(flow->run->ds, DIAG_E0518, contact->range_mu,
                             "the friction of contact `%s` becomes negative at "
                             "t = %s",
                             name, time_text)
                  : diag_add(flow->run->ds, DIAG_E0518, contact->range_mu,
                             "the friction of contact `%s` is %s at t = %s",
                             name, num_digits(mu_text, mu, 6), time_text);
    diag_help(flow->run->ds, diag,
              "let the formula stay positive wherever the contact is closed");
    return IMP_FAILED;
}

/* Checks the coefficients of contact i against each other, if it touches and
 * does not slip; else the static one is not asked for, and formulas may cross.
 */
static int
static_friction(struct flow *flow, uint32_t i)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct friction_rows *rows = &taylor->friction->rows;
    struct system_slip *slip = rows->slip + i;
    double eps = TAYLOR_NOISE * DBL_EPSILON;
    bool closed = taylor->contacts.closed[i] ||
                  flow->instant.gap[i] <= eps * taylor->terms.gap[i],
         still = fabs(slip->velocity) <= eps * rows->speed_terms[2 * i + 1];
    if (closed && still)
        return contact_friction_at_rest(flow->run, flow->sys->contact + i,
                                        taylor->now, slip->mu,
                                        &slip->mu_static);
    slip->mu_static = fmax(slip->mu_static, slip->mu);
    return IMP_OK;
}

/* The slip of contact i: its row, velocity and coefficients. */
static int
slip_row(struct flow *flow, uint32_t i)
{
    struct friction_rows *rows = &flow->taylor->friction->rows;
    struct system_slip *slip = rows->slip + i;
    double *T = rows->J + (2 * (size_t)i + 1) * flow->n;
    const double *velocity = flow->taylor->x + flow->n,
                 *v_size = flow->taylor->friction->v_size;
    int st = system_slip(flow->run, flow->system, i, slip, T);
    if (st)
        return st;
    const double mu[] = {slip->mu, slip->mu_static, slip->mu_impact};
    for (int k = 0; k < 3; k++)
        if (!(mu[k] >= 0.0 && isfinite(mu[k])))
            return friction_bad_mu(flow, i, mu[k]);
    double acc = slip->bias, terms = fabs(acc), parts = terms,
           own = slip->velocity, size = 0;
    for (uint32_t j = 0; j < flow->n; j++) {
        acc += T[j] * flow->instant.acc[j];
        parts += fabs(T[j] * flow->instant.acc[j]);
        terms += fabs(T[j]) * fmax(fabs(flow->instant.acc[j]), rows->pull[j]);
        own -= T[j] * velocity[j];
        size += fabs(T[j]) * fmax(fabs(velocity[j]), v_size[j]);
    }
    rows->free[2 * i + 1] = acc;
    rows->terms[2 * i + 1] = terms;
    rows->parts[2 * i + 1] = parts;
    rows->speed[2 * i + 1] = slip->velocity;
    rows->drift[2 * i + 1] = own;
    rows->speed_terms[2 * i + 1] = size + fabs(own);
    return static_friction(flow, i);
}

/* The gap of contact i (after the series of free motion). */
static int
gap_row(struct flow *flow, uint32_t i)
{
    struct friction_rows *rows = &flow->taylor->friction->rows;
    double gap[ROW];
    const double *N = flow->instant.N + (size_t)i * flow->n,
                 *v = flow->taylor->x + flow->n,
                 *v_size = flow->taylor->friction->v_size;
    int st = system_gap_series(flow->run, flow->system, i, 3, gap);
    if (st)
        return st;
    double bias = 2.0 * gap[2], terms = 0.0, parts = 0.0, size = 0.0;
    memcpy(rows->J + 2 * (size_t)i * flow->n, N, flow->n * sizeof *N);
    for (uint32_t j = 0; j < flow->n; j++) {
        bias -= N[j] * flow->instant.acc[j];
        parts += fabs(N[j] * flow->instant.acc[j]);
        terms += fabs(N[j]) * fmax(fabs(flow->instant.acc[j]), rows->pull[j]);
        size += fabs(N[j]) * fmax(fabs(v[j]), v_size[j]);
    }
    rows->free[2 * i] = 2.0 * gap[2];
    rows->terms[2 * i] = terms + fabs(bias);
    rows->parts[2 * i] = parts + fabs(bias);
    rows->speed[2 * i] = flow->instant.rate[i];
    rows->drift[2 * i] = flow->instant.drift[i];
    rows->speed_terms[2 * i] = size + fabs(flow->instant.drift[i]);
    return IMP_OK;
}

/* B = M^-1 J^T by rows, and W = J B. */
static int
responses(struct flow *flow)
{
    struct friction_rows *rows = &flow->taylor->friction->rows;
    int n = (int)flow->n;
    size_t count = 2 * (size_t)flow->m;
    /* the mass matrix of most systems does not change */
    if (!rows->factored || memcmp(rows->mass_of, flow->instant.mass,
                                  (size_t)(n * n) * sizeof *rows->mass)) {
        memcpy(rows->mass, flow->instant.mass,
               (size_t)(n * n) * sizeof *rows->mass);
        memcpy(rows->mass_of, rows->mass, (size_t)(n * n) * sizeof *rows->mass);
        rows->factored = !imp_ldlt_factor(n, rows->mass, rows->piv) &&
                         imp_ldlt_rank(n, rows->piv) == n;
        if (!rows->factored)
            return taylor_no_mass(flow);
    }
    memcpy(rows->B, rows->J, count * flow->n * sizeof *rows->B);
    for (size_t r = 0; r < count; r++)
        imp_ldlt_solve(n, rows->mass, rows->piv, rows->B + r * flow->n);
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c <= r; c++) {
            double w = 0.0;
            for (uint32_t j = 0; j < flow->n; j++)
                w += rows->J[r * flow->n + j] * rows->B[c * flow->n + j];
            rows->W[r * count + c] = rows->W[c * count + r] = w;
        }
    return IMP_OK;
}

int
friction_rows(struct flow *flow)
{
    assert(flow);
    struct taylor_friction *friction = flow->taylor->friction;
    int st = taylor_free_instant(flow);
    if (st)
        return st;
    if (rt_eval(flow->run, flow->sys->pull, NULL, friction->rows.pull))
        memset(friction->rows.pull, 0, flow->n * sizeof *friction->rows.pull);
    for (uint32_t i = 0; i < flow->m && !st; i++) {
        st = gap_row(flow, i);
        if (!st && friction->rub[i] >= 0)
            st = slip_row(flow, i);
    }
    struct friction_rows *rows = &friction->rows;
    for (uint32_t r = 0; r < 2 * flow->m && !st; r++)
        rows->had[r] = rows->speed_terms[r] =
            fmax(rows->had[r], rows->speed_terms[r]);
    return st ? st : responses(flow);
}

bool
friction_rests(const struct flow *flow, uint32_t i)
{
    assert(flow && i < flow->m);
    const struct taylor_flow *taylor = flow->taylor;
    const struct friction_rows *rows = &taylor->friction->rows;
    /* what others hold at 0 is held to the rounding of what its load would have
     * made of it on the piece that ends here */
    double eps = TAYLOR_NOISE * DBL_EPSILON, time = taylor->friction->elapsed,
           rate = rows->speed_terms[2 * i] + rows->terms[2 * i] * time;
    return !taylor->contacts.closed[i] && !friction_soft(flow, i) &&
           fabs(flow->instant.gap[i]) <=
               eps * (taylor->terms.gap[i] + rate * time) &&
           fabs(rows->speed[2 * i]) <= eps * rate;
}

void
friction_push(struct flow *flow, const double *impulse)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    struct friction_rows *rows = &taylor->friction->rows;
    double *v = taylor->x + flow->n, *lo = taylor->lo + flow->n;
    size_t all = 2 * (size_t)flow->m;
    for (size_t r = 0; r < all; r++)
        for (size_t c = 0; c < all; c++)
            rows->had[r] += fabs(rows->W[r * all + c] * impulse[c]);
    for (uint32_t r = 0; r < 2 * flow->m; r++)
        for (uint32_t j = 0; j < flow->n && impulse[r] != 0.0; j++)
            state_add(&v[j], &lo[j], rows->B[r * flow->n + j] * impulse[r]);
}

void
friction_held_rows(const struct flow *flow, bool *row)
{
    assert(flow);
    const struct taylor_flow *taylor = flow->taylor;
    for (uint32_t i = 0; i < flow->m; i++) {
        row[2 * i] = taylor->contacts.closed[i] && !friction_given(flow, i);
        row[2 * i + 1] = taylor->contacts.closed[i] &&
                         taylor->friction->mode[i] == CONTACT_STICK;
    }
}

/* What is left of a rate within so many roundings of the terms of a change is
 * none, so that what rests has no speed, as in motion/constraint_projection.c.
 */
#define REST_ROUNDING 4.0

/* Changes x, and its low parts, along the responses of the rows at[k], so that
 * the linear functions whose values are off[k] become 0. */
static void
take_to_zero(struct flow *flow, const int *at, int n, double *off, bool rates)
{
    double *x = flow->taylor->x + (rates ? flow->n : 0),
           *lo = flow->taylor->lo + (rates ? flow->n : 0);
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    struct arena *arena = flow->run->brief;
    size_t all = 2 * (size_t)flow->m;
    double *W = NEW_N(arena, double, (size_t)(n * n));
    int *piv = NEW_N(arena, int, (size_t)n);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            W[r * n + c] = rows->W[(size_t)at[r] * all + (size_t)at[c]];
    if (imp_ldlt_factor(n, W, piv))
        return;
    imp_ldlt_solve(n, W, piv, off);
    for (uint32_t j = 0; j < flow->n; j++) {
        double terms = fabs(x[j]);
        for (int r = 0; r < n; r++) {
            double by = -off[r] * rows->B[(size_t)at[r] * flow->n + j];
            state_add(&x[j], &lo[j], by);
            terms += fabs(by);
        }
        if (rates && fabs(x[j]) <= REST_ROUNDING * DBL_EPSILON * terms)
            x[j] = lo[j] = 0.0;
    }
}

void
friction_project(struct flow *flow, const bool *row)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    const struct friction_rows *rows = &taylor->friction->rows;
    struct arena *arena = flow->run->brief;
    int *at = NEW_N(arena, int, 2 * (size_t)flow->m + 1), n = 0;
    double *off = NEW_N(arena, double, 2 * (size_t)flow->m + 1);
    for (uint32_t r = 0; r < 2 * flow->m; r += 2)
        if (row[r] && !friction_soft(flow, r / 2)) {
            off[n] = flow->instant.gap[r / 2];
            at[n++] = (int)r;
        }
    if (n)
        take_to_zero(flow, at, n, off, false);
    n = 0;
    for (uint32_t r = 0; r < 2 * flow->m; r++)
        if (row[r]) {
            off[n] = rows->speed[r];
            at[n++] = (int)r;
        }
    if (n)
        take_to_zero(flow, at, n, off, true);
}

int
friction_hold(struct flow *flow)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    bool *row = NEW_N(flow->run->brief, bool, 2 * flow->m + 1), any = false;
    for (uint32_t i = 0; i < flow->m; i++)
        any |= taylor->contacts.closed[i];
    int st = any ? friction_rows(flow) : IMP_OK;
    if (st || !any || (st = taylor_has_place(flow)))
        return st;
    friction_held_rows(flow, row);
    friction_project(flow, row);
    return IMP_OK;
}

double
friction_energy_rate(const struct flow *flow, size_t i)
{
    assert(flow && i < flow->m);
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    double own = rows->W[2 * i * (2 * (size_t)flow->m + 1)];
    return own > 0.0 ? fabs(rows->speed[2 * i]) / sqrt(own) : 0.0;
}

double
friction_held_slip(const struct flow *flow, uint32_t i)
{
    assert(flow && flow->taylor->friction);
    return TAYLOR_NOISE * DBL_EPSILON * flow->taylor->terms.slip_held[i];
}

/* -- closed contacts on grounds that move ---------------------------------- */

/* A force that pulls by less than this share of what its load is made of is
 * rounding. */
#define UNLOAD_NOISE 1e-10
/* After this many impacts per contact at one time it is asked whether they can
 * end. */
#define AGAIN_MOST 64

static struct held
gradients(const struct flow *flow)
{
    return (struct held){flow->n, flow->m, flow->instant.N, flow->instant.mass};
}

/* The contacts (m) that are closed, and not because they are pressed in. */
static bool *
held(const struct flow *flow)
{
    bool *closed = NEW_N(flow->run->brief, bool, flow->m + 1);
    for (uint32_t i = 0; i < flow->m; i++)
        closed[i] = flow->taylor->contacts.closed[i] && !friction_soft(flow, i);
    return closed;
}

/* What gaps of closed contacts are made of on a piece of this length, the
 * greatest of all over its gradient: gaps that are 0 have no rounding of their
 * own where others hold them. Their loads count with what they would make of
 * them, were they not held. */
static double
gap_size(struct flow *flow, const struct held *of, const bool *closed,
         double length)
{
    const struct taylor_terms *terms = &flow->taylor->terms;
    double most = 0.0;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!closed[i])
            continue;
        taylor_hold_terms(flow, i, length);
        most = fmax(most, (terms->gap_max[i] + terms->gap_held[i] +
                           terms->rate_max[i] * length) /
                              held_steepness(of, i));
    }
    return most;
}

int
taylor_parting(struct flow *flow, double length)
{
    assert(flow && length >= 0.0);
    struct taylor_flow *taylor = flow->taylor;
    struct arena *arena = flow->run->brief;
    struct held of = gradients(flow);
    bool *still = held(flow);
    if (!held_depend(arena, &of, still))
        return IMP_OK;
    double *load = NEW_N(arena, double, flow->m + 1),
           size = gap_size(flow, &of, still, length);
    int order = 0;
    uint32_t which = flow->m, out;
    for (uint32_t i = 0; i < flow->m; i++) {
        double gap[ROW];
        if (!still[i])
            continue;
        load[i] = fmax(0.0, taylor->friction ? taylor->friction->normal_now[i]
                                             : taylor->piece.force[i * ROW]);
        int st = system_gap_series(flow->run, flow->system, i,
                                   MOTION_STEP_ORDER, gap);
        if (st)
            return st;
        int now = held_turns(gap, MOTION_STEP_ORDER,
                             size * held_steepness(&of, i), length);
        still[i] = now == 0;
        if (now != 0 && (which == flow->m || abs(now) < abs(order))) {
            order = now;
            which = i;
        }
    }
    if (which == flow->m ||
        !held_opens(arena, &of, still, load, which, order < 0, &out))
        return IMP_OK;
    taylor->next.known = taylor->next.switched = true;
    taylor->next.what = out == flow->m ? NEXT_SQUEEZED : NEXT_PARTS;
    taylor->next.time = taylor->now;
    taylor->next.guard = -1;
    taylor->next.n_hit = 1;
    taylor->next.hit[0] = (int)(out == flow->m ? which : out);
    taylor->next.slow = abs(order) > 2;
    return IMP_OK;
}

int
taylor_impacts_end(struct flow *flow, bool *ends)
{
    assert(flow && ends);
    struct taylor_flow *taylor = flow->taylor;
    *ends = true;
    if (taylor->again.time != taylor->now)
        taylor->again.impacts = 0;
    taylor->again.time = taylor->now;
    if (++taylor->again.impacts % (AGAIN_MOST * ((int)flow->m + 1)))
        return IMP_OK;
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1), parts;
    for (uint32_t i = 0; i < flow->m; i++)
        on[i] = taylor->contacts.closed[i] ||
                fabs(flow->instant.gap[i]) <=
                    TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap_max[i];
    int st = taylor_instant(flow, on);
    if (st)
        return st;
    ballistic_stick(taylor->instant, on);
    ballistic_state(taylor->instant, flow->q, flow->v);
    struct held of = gradients(flow);
    *ends = held_agree(&of, flow->instant.drift, flow->v, on, &parts);
    return IMP_OK;
}

int
taylor_unload(struct flow *flow)
{
    assert(flow && !flow->taylor->friction);
    struct taylor_flow *taylor = flow->taylor;
    const struct contact_matrices *matrices = &taylor->instant->matrices;
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1), parts;
    memcpy(on, taylor->contacts.closed, flow->m);
    /* those that exclude each other are left to taylor_parting */
    struct held of = gradients(flow);
    while (
        held_depend(flow->run->brief, &of, held(flow)) &&
        held_agree(&of, flow->instant.drift, taylor->x + flow->n, on, &parts) &&
        !parts) {
        double step, least = 0.0;
        uint32_t which = flow->m;
        taylor_to_env(flow);
        taylor_set_active(flow);
        int st = motion_series(flow->run, flow->sys->block, 2, &step);
        if (st)
            return st;
        for (uint32_t i = 0; i < flow->m; i++) {
            double force = taylor->contacts.closed[i]
                               ? system_force(flow->run, flow->system, i)[0] *
                                     matrices->W[i * (flow->m + 1)]
                               : 0.0;
            if (force < least - UNLOAD_NOISE * matrices->gap_acc_terms[i]) {
                least = force;
                which = i;
            }
        }
        if (which == flow->m)
            return IMP_OK;
        taylor->contacts.closed[which] = false;
        taylor->contacts.opening[which] = true;
    }
    return IMP_OK;
}

/* The other closed contacts of a system with friction, in modes that are chosen
 * anew. */
static int
others(struct flow *flow, struct flow_event *event)
{
    struct taylor_friction *friction = flow->taylor->friction;
    struct arena *arena = flow->run->brief;
    bool *on = NEW_N(arena, bool, flow->m + 1),
         *ended = NEW_N(arena, bool, flow->m + 1);
    friction->n_change = friction->n_told = 0;
    friction->open = NULL;
    friction_fresh(flow);
    int st = friction_rows(flow);
    if (st)
        return st;
    memcpy(on, flow->taylor->contacts.closed, flow->m);
    friction_note(flow, (uint32_t)flow->taylor->next.hit[0], "liftoff");
    event->kind = FLOW_MODES;
    return friction_settle(flow, on, ended, event);
}

int
taylor_part(struct flow *flow, struct flow_event *event)
{
    assert(flow && flow->taylor->next.n_hit == 1);
    struct taylor_flow *taylor = flow->taylor;
    int which = taylor->next.hit[0];
    bool squeezed = taylor->next.what == NEXT_SQUEEZED;
    taylor->next.known = false;
    event->kind = squeezed ? FLOW_JAMMED : FLOW_LEAVE;
    event->contact = flow->last.contacts[0] =
        flow->sys->contact + (uint32_t)which;
    event->impulse = flow->last.impulse[0] = 0.0;
    event->n = flow->last.n_contacts = 1;
    if (squeezed)
        return IMP_OK;
    taylor->contacts.closed[which] = false;
    int st = taylor->friction ? others(flow, event) : IMP_OK;
    bool open = !taylor->contacts.closed[which];
    taylor->contacts.released[which] = open && taylor->next.slow;
    taylor->contacts.opening[which] = open && !taylor->next.slow;
    taylor_accumulation_forget(taylor);
    return st;
}
