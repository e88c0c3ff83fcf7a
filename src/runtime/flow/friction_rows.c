/* SPDX-License-Identifier: MIT */
/* One instant of a system with friction as numbers: gradients of gaps and of
 * slips, what forces along them do, accelerations without contacts; the state
 * taken onto what closed contacts hold; and limits of infinitely many impacts:
 * when flights are below what shows, and where the law of the impacts at one
 * contact tells the limit before. What is done there: flow_friction.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/friction/painleve.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/contact_compliance.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/numerics/factors.h"
#include "runtime/numerics/polynomial.h"

/* A limit is taken when what is left is this share of the time in which the
 * motion changes. */
#define FRICTION_SHORT 0x1p-40

void
friction_rows_new(const struct flow *flow, struct arena *arena,
                  struct friction_rows *rows)
{
    assert(flow && rows);
    size_t n = flow->n, m = flow->m;
    rows->mass = NEW_N(arena, double, n *n);
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
    num_digits(time_text, flow->taylor->now, 9);
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
    memcpy(rows->mass, flow->instant.mass,
           (size_t)(n * n) * sizeof *rows->mass);
    if (imp_ldlt_factor(n, rows->mass, rows->piv) ||
        imp_ldlt_rank(n, rows->piv) < n)
        return taylor_no_mass(flow);
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
    if (st || !any)
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

/* The flights to come take up to this many times what the ratio of the last
 * ones says. */
#define ENDS_WITHIN 4.0

/* Contacts of the last flights whose impacts go on: those that are hit now, and
 * those that accelerations, or impacts to come at the others, can bring back.
 * An impact at contact k changes the rate of contact i by its share in W, and
 * all those to come take (1 + e)/(1 - e) of the rate of k. Into group (m). */
static void
friction_limit_group(const struct flow *flow, bool *group)
{
    assert(flow && group);
    const struct taylor_flow *taylor = flow->taylor;
    const struct friction_flights *flights = &taylor->friction->flights;
    const struct friction_rows *rows = &taylor->friction->rows;
    size_t all = 2 * (size_t)flow->m;
    long last = flights->n - 1;
    last = last > 2 * FRICTION_FLIGHTS ? 2 * FRICTION_FLIGHTS : last;
    long near = last > FRICTION_FLIGHTS ? FRICTION_FLIGHTS : last;
    double span = flights->time[0] - flights->time[last],
           ahead = flights->time[0] - flights->time[near];
    /* where flights shrink, no more comes than their sum, by the ratio of the
     * last two or four to as many before */
    double left = 0.0;
    for (long n = near / 4; n <= near / 2 && near == FRICTION_FLIGHTS; n *= 2) {
        double now = flights->time[0] - flights->time[n],
               before = flights->time[n] - flights->time[2 * n];
        left = fmax(left, now < before ? now * now / (before - now) : ahead);
    }
    if (near == FRICTION_FLIGHTS)
        ahead =
            fmin(ahead, ENDS_WITHIN * left + FRICTION_FLIGHTS * FRICTION_TICKS *
                                                 DBL_EPSILON * taylor->now);
    for (int k = 0; k < taylor->next.n_hit; k++)
        group[taylor->next.hit[k]] = true;
    for (bool more = true; more;) {
        more = false;
        for (long f = 0; f <= last; f++) {
            size_t i = (size_t)flights->contact[f];
            double reach = rows->terms[2 * i] * span;
            if (group[i] || taylor->contacts.closed[i])
                continue;
            for (size_t k = 0; k < flow->m; k++) {
                double e = flow->instant.e[k];
                if (group[k])
                    reach += fabs(rows->W[2 * i * all + 2 * k]) /
                             rows->W[2 * k * (all + 1)] *
                             fabs(rows->speed[2 * k]) * (1.0 + e) /
                             fmax(1.0 - e, 0.0);
            }
            /* it is to come down before the impacts end */
            if (rows->speed[2 * i] <= reach &&
                flow->instant.gap[i] <=
                    (fabs(rows->speed[2 * i]) + reach) * ahead)
                more = group[i] = true;
        }
    }
}

/* The share of the speeds that the impacts to come at the group still have to
 * take away. Without friction it does not matter which of them does. */
static double
friction_speed_left(const struct flow *flow, const bool *group)
{
    assert(flow && group);
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    double left = 0.0;
    bool rubs = false;
    for (uint32_t i = 0; i < flow->m; i++) {
        rubs |= (group[i] || flow->taylor->contacts.closed[i]) &&
                rows->slip[i].mu_impact > 0.0;
        left += group[i] ? friction_energy_rate(flow, i) : 0.0;
    }
    return rubs ? fmin(left / flow->taylor->friction->flights.fastest, 1.0)
                : 0.0;
}

double
friction_held_slip(const struct flow *flow, uint32_t i)
{
    assert(flow && flow->taylor->friction);
    return TAYLOR_NOISE * DBL_EPSILON * flow->taylor->terms.slip_held[i];
}

/* -- limits of chatter ------------------------------------------------------
 */

struct friction_impact_point
friction_point_of(const struct flow *flow, uint32_t i, enum imp_impact_law law,
                  bool hits, bool plastic)
{
    assert(flow && i < flow->m);
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    uint32_t number = flow->sys->contact + i;
    const imp_contact *contact = rt_contact(flow->run, number);
    return (struct friction_impact_point){
        .mu = rows->slip[i].mu_impact,
        .contact = number,
        .varies = plastic ? NULL : friction_varying_law(flow->run, number),
        .own = plastic ? NULL : friction_own_law(flow->run, number, law),
        .e = plastic ? 0.0 : flow->instant.e[i],
        .law = friction_law_of_point(law, (enum imp_law)contact->law,
                                     contact->flags & IMP_CONTACTF_LAW),
        .normal = hits ? rows->speed[2 * i] : 0.0,
        .slip = friction_present_slip(flow, i),
        .priority = INFINITY};
}

bool
friction_limit_reached(const struct flow *flow, bool faint, bool merged,
                       bool *group, struct accumulation_limit *limit)
{
    assert(group != NULL && limit != NULL);
    const struct taylor_flow *taylor = flow->taylor;
    struct friction_flights *flights = &taylor->friction->flights;
    double tick = FRICTION_TICKS * DBL_EPSILON * taylor->now;
    double now = flights->time[0] - flights->time[FRICTION_FLIGHTS],
           before = flights->time[FRICTION_FLIGHTS] -
                    flights->time[2 * FRICTION_FLIGHTS],
           ratio = now / before, left = now * ratio / (1.0 - ratio);
    left *= contact_restitution_slower(
        flow->run, flow->sys->contact + (uint32_t)flights->contact[0],
        fabs(taylor->friction->rows.speed[2 * flights->contact[0]]));
    bool known = flights->n > 2 * FRICTION_FLIGHTS;
    if (known && ratio < 1.0)
        friction_note_ratio(flow, ratio);
    if (known)
        flights->longest =
            ratio < 1.0 ? fmax(flights->longest, fmax(now, before)) : now;
    double scale = fmin(taylor->piece.h, flights->longest);
    faint |= known && now <= FRICTION_FLIGHTS * tick;
    if (!faint && !merged &&
        !(known && ratio < 1.0 && left <= FRICTION_SHORT * scale))
        return false;
    friction_limit_group(flow, group);
    double share = friction_speed_left(flow, group),
           fall = friction_fall_left(flow, group);
    bool others = false;
    for (uint32_t i = 0; i < flow->m; i++)
        others |= group[i] && (int)i != taylor->next.hit[0];
    if (!faint && !merged && others && share > FRICTION_SHORT)
        return false; /* speeds shrink more slowly than flights */
    if (faint)
        left = friction_time_left(flow, group, tick);
    else if (merged) /* flights that have shrunk by this ratio go on to do so */
        left = fmax(left, friction_time_left(flow, group, tick));
    left = fmax(left, fall);
    /* the time that the law of the impacts at one contact has told */
    const struct friction_limit *told = &taylor->friction->limit;
    bool by_law = (faint || merged) && !others &&
                  fabs(told->time - taylor->now) <= told->left;
    if (by_law)
        left = fmax(tick, told->time - taylor->now);
    *limit = (struct accumulation_limit){
        .evidence = LIMIT_BELOW_ROUNDING,
        .impacts = flights->n,
        .depth = 1,
        .ratio = by_law            ? told->is.ratio
                 : faint || !known ? NAN
                                   : pow(ratio, 1.0 / FRICTION_FLIGHTS),
        .ratio_error = NAN,
        .remaining = left,
        .error = 1.0,
        .state_error = fmin(left / scale, FRICTION_SHORT) +
                       (others ? share : 0.0) + TAYLOR_NOISE * DBL_EPSILON};
    return true;
}

/* Is contact i the only one of the last impacts, and is no other closed? */
static bool
bounces_alone(const struct flow *flow, int i)
{
    const struct friction_flights *flights = &flow->taylor->friction->flights;
    bool alone = flow->taylor->next.n_hit == 1 && flights->n > 1;
    for (int k = 0; k < flights->n && k <= FRICTION_FLIGHTS && alone; k++)
        alone &= flights->contact[k] == i;
    for (uint32_t j = 0; j < flow->m && alone; j++)
        alone &= !flow->taylor->contacts.closed[j];
    return alone;
}

/* The longest time between impacts at the contact that was hit last, one by one
 * and over FRICTION_FLIGHTS of them, since others were hit. */
static double
longest_flight(const struct friction_flights *flights)
{
    double longest = flights->n > FRICTION_FLIGHTS
                         ? flights->time[0] - flights->time[FRICTION_FLIGHTS]
                         : 0.0;
    for (int k = 1; k <= 2 * FRICTION_FLIGHTS && k < flights->n &&
                    flights->contact[k] == flights->contact[0];
         k++)
        longest = fmax(longest, flights->time[k - 1] - flights->time[k]);
    return longest;
}

/* The point that contact i is now (after friction_rows). */
static struct painleve_point
bouncing_point(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    size_t N = 2 * (size_t)i, T = N + 1, all = 2 * (size_t)flow->m;
    struct friction_impact_point point = friction_point_of(
        flow, i, (enum imp_impact_law)flow->run->im->impact_law, true, false);
    return (struct painleve_point){.A = rows->W[T * all + T],
                                   .B = rows->W[T * all + N],
                                   .C = rows->W[N * all + N],
                                   .a = rows->free[T],
                                   .b = rows->free[N],
                                   .a_terms = rows->parts[T],
                                   .b_terms = rows->parts[N],
                                   .mu = point.mu,
                                   .slip = friction->zero[i] ? 0.0 : point.slip,
                                   .restitution = point.e,
                                   .law = point.law};
}

/* Does the restitution of the impacts to come at this point, which leaves with
 * this normal velocity, differ from that of a vanishing one, or follow a law of
 * the contact's own? Their flights are summed up. */
static bool
is_summed(const struct flow *flow, const struct friction_impact_point *point,
          double normal)
{
    return point->own || !contact_restitution_settled(flow->run, point->contact,
                                                      fabs(normal));
}

/* What their flights would take if they went on to shrink as they do now.
 * Laws of a contact's own are summed without friction alone: else INFINITY. */
static double
rough_time(const struct flow *flow, const struct friction_impact_point *point,
           const struct painleve_point *at, double normal)
{
    return normal > 0.0 && at->b < 0.0 && (at->mu == 0.0 || !point->own)
               ? -2.0 * normal / at->b /
                     (1.0 - own_flights_restitution(flow->run, point, at->A,
                                                    at->B, at->C, normal))
               : INFINITY;
}

/* How the impacts go on, by the sum of their flights. *many: how many times the
 * first flight they take; *error: of the time, as a share of it. False: nothing
 * says how. */
static bool
sum_flights(const struct flow *flow, const struct friction_impact_point *point,
            const struct painleve_point *at, double normal,
            struct painleve_bounces *bounces, double *many, double *error)
{
    struct own_flights flights;
    own_flights_find(flow->run, point, at->A, at->B, at->C, normal, &flights);
    *bounces = (struct painleve_bounces){
        .time = -2.0 * normal / at->b * flights.sum.sum,
        .ratio = own_flights_restitution(flow->run, point, at->A, at->B, at->C,
                                         normal)};
    *error = flights.sum.error;
    *many = flights.sum.sum;
    return flights.sum.ends &&
           (flights.normal ||
            (!point->own && painleve_bounces_apart(at, normal, bounces)));
}

void
friction_foresee_limit(struct flow *flow)
{
    assert(flow != NULL);
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    struct friction_limit *limit = &friction->limit, before = *limit;
    int i = taylor->next.hit[0];
    struct painleve_bounces bounces;
    *limit = (struct friction_limit){.contact = -1};
    if (!bounces_alone(flow, i))
        return;
    struct painleve_point point = bouncing_point(flow, (uint32_t)i);
    struct friction_impact_point law = friction_point_of(
        flow, (uint32_t)i, (enum imp_impact_law)flow->run->im->impact_law, true,
        false);
    double normal = friction->rows.speed[2 * i], law_error = 0.0, many;
    const struct friction_flights *flights = &friction->flights;
    if (!(normal > 0.0)) /* it does not leave, to rounding */
        return;
    double scale = fmin(taylor->piece.h,
                        fmax(longest_flight(flights), flights->longest)),
           near = FRICTION_LAW_SHORT * scale;
    bool summed = is_summed(flow, &law, normal);
    if (summed && flights->n <= FRICTION_FLIGHTS)
        return;
    if (summed) {
        double rough = rough_time(flow, &law, &point, normal);
        if (!(rough <= near))
            return;
        if (before.rough > 0.0 && rough > 0.5 * before.rough) {
            *limit = before; /* the next forecast comes later */
            limit->contact = -1;
            return;
        }
        limit->rough = rough;
        if (!sum_flights(flow, &law, &point, normal, &bounces, &many,
                         &law_error))
            return;
    } else {
        if (!painleve_bounces_find(&point, normal, &bounces))
            return;
        many = 1.0 / (1.0 - bounces.ratio);
    }
    limit->time = taylor->now + bounces.time;
    limit->left = bounces.time;
    limit->sticks = bounces.sticks;
    limit->is.ratio = bounces.ratio;
    if (!(before.left > bounces.time) || before.sticks != bounces.sticks ||
        bounces.time > near || limit->time > flow->end ||
        !(limit->time > taylor->now))
        return;
    /* the time is rounded, and the rate after each impact */
    double share = bounces.time / scale, shrinks = bounces.time / before.left,
           noise = TAYLOR_NOISE * DBL_EPSILON *
                   (fabs(taylor->now) +
                    friction->rows.speed_terms[2 * i] / fabs(point.b)) *
                   many;
    limit->contact = i;
    limit->is = (struct accumulation_limit){
        .evidence = LIMIT_BY_LAW,
        .impacts = flights->n,
        .period = 1,
        .depth = 1,
        .ratio = bounces.ratio,
        .speed = bounces.ratio,
        .ratio_error =
            DBL_EPSILON * bounces.ratio +
            (bounces.sticks && !summed
                 ? 2.0 * fabs(bounces.ratio - before.is.ratio) / (1.0 - shrinks)
                 : 0.0),
        .remaining = bounces.time,
        .error = fmin(1.0, (2.0 * fabs(limit->time - before.time) /
                                (1.0 - shrinks * shrinks) +
                            noise) /
                                   bounces.time +
                               law_error),
        .state_error = share * share + TAYLOR_NOISE * DBL_EPSILON};
}

bool *
friction_hit_lately(const struct flow *flow)
{
    assert(flow);
    const struct friction_flights *flights = &flow->taylor->friction->flights;
    double now = flow->taylor->now,
           tick = FRICTION_TICKS * DBL_EPSILON * fabs(now);
    bool *lately = NEW_N(flow->run->brief, bool, flow->m + 1);
    for (long k = 0; k < flights->n && k <= 2 * FRICTION_FLIGHTS; k++)
        lately[flights->contact[k]] = true;
    for (uint32_t i = 0; i < flow->m; i++)
        lately[i] |= now - flights->last[i] <= FRICTION_FLIGHTS * tick;
    return lately;
}
