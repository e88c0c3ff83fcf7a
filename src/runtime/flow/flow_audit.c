/* SPDX-License-Identifier: MIT */
/* How exact a system's motion is. What an event leaves must follow from the
 * impulses of its contacts (I1, I2). With masses M, gradients N of the gaps,
 * impulses P and velocities v before and w after:
 *
 *     M (w - v) = N^T P,     energy after - before = P . N (v + w)/2,
 *     N w = -e N v at a single impact.
 *
 * Each is compared with the sum of the moduli of its terms, never with a sum
 * that may cancel. Behind a limit of chatter the impulses are not known, but
 * their directions are: what M (w - v) has beside the gradients must vanish.
 * And none of them gives energy: between the event before and the limit it
 * rises by no more than forces and moving ground do there (I2). An event that
 * fails this is an error of the program, or of a mass matrix that no arithmetic
 * can solve; it ends the run before anything rests on it. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/numerics/polynomial.h"

/* I1: relative errors of energy, momentum and rates at one event. */
#define AUDIT_CONSERVES 1e-12
/* Where masses are far apart fewer digits are left, which is told; an event
 * that keeps fewer than a verdict needs (RT_TOLERANCE) is no event. */
#define AUDIT_BROKEN RT_TOLERANCE
/* Velocities before the event are those at its rounded time: so many roundings
 * of the time, during which the motion accelerates. */
#define AUDIT_TIME 8.0
/* Rates that an event takes to 0 are rounded by so many roundings of their
 * terms, as gaps are (TAYLOR_NOISE). The impulse that does so is not listed. */
#define AUDIT_NOISE 32.0
/* roundings of a gap: each term and their sum */
#define AUDIT_GAP 4.0
/* Gradients that depend on others to this share span nothing more. */
#define AUDIT_DEPENDS 1e-10

struct flow_audit {
    double *q, *v;          /* n: before the event */
    double *change, *terms; /* n: of the momenta, over the roots of masses */
    double *speed;          /* n: the terms of the velocities */
    double *span;           /* m x n: gradients, orthogonal to each other */
    double *push;           /* m: impulses up to a limit, by least squares */
    double began, *from;    /* 2n: when the last event was, and its state */
    double *free;           /* 2n: where the motion from there leads by the time
                               of the limit, if nothing is hit */
    double worst;           /* error of an event so far, where it is above
                               AUDIT_CONSERVES; 0: none is */
    uint32_t worst_contact; /* and its contact */
};

/* What the event does to a sum, and the moduli of the terms of the sum. */
struct account {
    double sum, terms;
};

/* What an event leaves, as errors of its energy, its momenta and a rate. */
struct errors {
    struct account energy;
    double momentum, rate, ground;
    double allowed; /* of them, beside what breaks an event */
};

void
flow_audit_new(struct flow *flow, struct arena *arena)
{
    assert(flow != NULL && flow->audit == NULL);
    size_t n = flow->n, m = flow->m;
    struct flow_audit *audit = flow->audit = NEW(arena, struct flow_audit);
    audit->q = NEW_N(arena, double, n + 1);
    audit->v = NEW_N(arena, double, n + 1);
    audit->change = NEW_N(arena, double, n + 1);
    audit->terms = NEW_N(arena, double, n + 1);
    audit->speed = NEW_N(arena, double, n + 1);
    audit->span = NEW_N(arena, double, m *n + 1);
    audit->push = NEW_N(arena, double, m + 1);
    audit->from = NEW_N(arena, double, 2 * n + 1);
    audit->free = NEW_N(arena, double, 2 * n + 1);
}

/* A flow that is used again begins a new run. */
void
flow_audit_begin(struct flow *flow)
{
    assert(flow != NULL && flow->audit != NULL);
    flow->audit->worst = 0.0;
}

/* The state behind the last event, and where it leads by flow->ahead if nothing
 * is hit. */
static void
keep_beginning(struct flow *flow)
{
    struct flow_audit *audit = flow->audit;
    const struct taylor_flow *taylor = flow->taylor;
    uint32_t n = flow->n;
    if (taylor) {
        audit->began = taylor->now;
        memcpy(audit->from, taylor->x, 2 * n * sizeof *audit->from);
        for (uint32_t j = 0; j < 2 * n; j++)
            audit->free[j] = polynomial_value(
                taylor->piece.state + (size_t)j * ROW, taylor->piece.order,
                flow->ahead - taylor->piece.began);
        return;
    }
    audit->began = flow->parabola.now->t;
    for (int end = 0; end < 2; end++) {
        double *to = end ? audit->free : audit->from;
        ballistic_between(flow->parabola.now, NULL,
                          end ? flow->ahead : audit->began, flow->q, flow->v);
        memcpy(to, flow->q, n * sizeof *to);
        memcpy(to + n, flow->v, n * sizeof *to);
    }
}

void
flow_audit_before(struct flow *flow)
{
    assert(flow != NULL && flow->audit != NULL);
    keep_beginning(flow);
    flow->method->at(flow, flow->ahead);
    memcpy(flow->audit->q, flow->q, flow->n * sizeof *flow->q);
    memcpy(flow->audit->v, flow->v, flow->n * sizeof *flow->v);
}

/* The terms of velocity i before and after: those of the rates of the gaps that
 * it is made of (ballistic.h), and what the rounding of the event's time makes
 * of it and of these, whose accelerations may cancel in it, in units of
 * AUDIT_CONSERVES. */
static double
speed_terms(const struct flow *flow, size_t i, double time)
{
    const struct ballistic *ballistic =
        flow->taylor ? flow->taylor->instant : flow->parabola.now;
    const struct flow_audit *audit = flow->audit;
    double late = AUDIT_TIME * DBL_EPSILON / AUDIT_CONSERVES * fabs(time);
    double terms = fabs(flow->v[i]) + fabs(audit->v[i]) +
                   fabs(flow->instant.acc[i]) * late;
    size_t rank = (size_t)ballistic->matrices.rank;
    const double *E = ballistic->matrices.E + i * rank;
    for (size_t k = 0; k < rank; k++)
        terms += fabs(E[k]) *
                 (2.0 * ldexp(fabs(ballistic->z[k]), ballistic->rate_exponent) +
                  fabs(ballistic->matrices.y_acc[k]) * late);
    return terms;
}

/* The change of the momenta beyond the impulses, over the roots of the masses;
 * and that of the energy beyond their work. */
static void
balance(const struct flow *flow, struct account *energy)
{
    const struct flow_audit *audit = flow->audit;
    const struct flow_matrices *instant = &flow->instant;
    size_t n = flow->n;
    for (size_t i = 0; i < n; i++) {
        double root = sqrt(instant->mass[i * (n + 1)]), change = 0.0,
               terms = 0.0;
        double mean = 0.5 * (flow->v[i] + audit->v[i]),
               size = 0.5 * audit->speed[i];
        for (size_t j = 0; j < n; j++) {
            change += instant->mass[i * n + j] * (flow->v[j] - audit->v[j]);
            terms += fabs(instant->mass[i * n + j]) * audit->speed[j];
        }
        energy->sum += mean * change;
        energy->terms += size * terms;
        for (uint32_t k = 0; k < flow->last.n_contacts; k++) {
            uint32_t c = flow->last.contacts[k] - flow->sys->contact;
            double push = instant->N[c * n + i] * flow->last.impulse[k];
            change -= push;
            terms += fabs(push);
            energy->sum -= mean * push;
            energy->terms += size * fabs(push);
        }
        audit->change[i] = change / root;
        audit->terms[i] = terms / root;
    }
}

/* Adds to the terms the impulses that take the rounding of the contacts' rates
 * to 0. */
static void
add_rounding(const struct flow *flow, struct account *energy)
{
    const struct flow_matrices *instant = &flow->instant;
    size_t n = flow->n;
    for (size_t c = 0; c < flow->m; c++) {
        const double *N = instant->N + c * n;
        double rate = fabs(instant->drift[c]), answer = 0.0;
        for (size_t i = 0; i < n; i++) {
            rate += fabs(N[i]) * flow->audit->speed[i];
            answer += N[i] * N[i] / instant->mass[i * (n + 1)];
        }
        double push =
            AUDIT_NOISE * DBL_EPSILON / AUDIT_CONSERVES * rate / answer;
        for (size_t i = 0; i < n && answer > 0.0; i++) {
            flow->audit->terms[i] +=
                fabs(N[i]) * push / sqrt(instant->mass[i * (n + 1)]);
            energy->terms += 0.5 * flow->audit->speed[i] * fabs(N[i]) * push;
        }
    }
}

/* Takes the directions in which contacts push out of the change of the momenta.
 */
static void
leave_out_pushes(const struct flow *flow, const bool *pushes)
{
    const struct flow_audit *audit = flow->audit;
    size_t n = flow->n, spans = 0;
    for (uint32_t c = 0; c < flow->m; c++) {
        double *span = audit->span + spans * n, length = 0.0, left = 0.0;
        for (size_t i = 0; i < n && pushes[c]; i++) {
            span[i] = flow->instant.N[c * n + i] /
                      sqrt(flow->instant.mass[i * (n + 1)]);
            length = hypot(length, span[i]);
        }
        for (size_t k = 0; k < 2 * spans && pushes[c]; k++) {
            const double *other = audit->span + k % spans * n;
            double share = 0.0;
            for (size_t i = 0; i < n; i++)
                share += span[i] * other[i];
            for (size_t i = 0; i < n; i++)
                span[i] -= share * other[i];
        }
        for (size_t i = 0; i < n && pushes[c]; i++)
            left = hypot(left, span[i]);
        if (!(left > AUDIT_DEPENDS * length))
            continue;
        double share = 0.0;
        for (size_t i = 0; i < n; i++)
            share += (span[i] /= left) * audit->change[i];
        for (size_t i = 0; i < n; i++) {
            audit->change[i] -= share * span[i];
            audit->terms[i] += fabs(share * span[i]);
        }
        spans++;
    }
}

/* The impulses of the contacts that push which make up the change of the
 * momenta, in the least squares of it over the roots of the masses, into
 * audit->push. Of gradients that depend on each other the later ones have none.
 * Returns the work of moving ground by them. */
static double
ground_work(const struct flow *flow, const bool *pushes)
{
    const struct flow_audit *audit = flow->audit;
    size_t n = flow->n, m = flow->m;
    double *A = NEW_N(flow->run->brief, double, m *m + 2 * m + 1),
           *b = A + m * m, *least = b + m, sum = 0.0;
    for (size_t c = 0; c < m; c++)
        for (size_t i = 0; i < n && pushes[c]; i++) {
            double push = flow->instant.N[c * n + i],
                   mass = flow->instant.mass[i * (n + 1)];
            b[c] += push * audit->change[i] / sqrt(mass);
            for (size_t d = 0; d < m; d++)
                A[c * m + d] +=
                    pushes[d] ? push * flow->instant.N[d * n + i] / mass : 0.0;
        }
    for (size_t c = 0; c < m; c++)
        least[c] = AUDIT_DEPENDS * AUDIT_DEPENDS * A[c * m + c];
    for (size_t c = 0; c < m; c++)
        for (size_t d = 0; d < m && A[c * m + c] > least[c]; d++) {
            double factor = d == c ? 0.0 : A[d * m + c] / A[c * m + c];
            for (size_t k = 0; k < m && factor != 0.0; k++)
                A[d * m + k] -= factor * A[c * m + k];
            b[d] -= factor * b[c];
        }
    for (size_t c = 0; c < m; c++) {
        audit->push[c] = A[c * m + c] > least[c] ? b[c] / A[c * m + c] : 0.0;
        sum -= flow->instant.drift[c] * audit->push[c];
    }
    return sum;
}

/* Returns the greatest change of a momentum, as a share of its terms. */
static double
momentum_error(const struct flow *flow)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < flow->n; i++)
        if (flow->audit->terms[i] > DBL_MIN)
            worst = fmax(worst,
                         fabs(flow->audit->change[i]) / flow->audit->terms[i]);
    return worst;
}

/* How far the rate after a single impact is from what the restitution says, as
 * a share of the terms of both rates. */
static double
rate_error(const struct flow *flow, uint32_t contact)
{
    const double *N = flow->instant.N + (size_t)contact * flow->n;
    double arrive = flow->instant.drift[contact];
    for (uint32_t i = 0; i < flow->n; i++)
        arrive += N[i] * flow->audit->v[i];
    double e = contact_restitution_ahead(flow->run,
                                         flow->sys->contact + contact, -arrive);
    double off = (1.0 + e) * flow->instant.drift[contact], terms = fabs(off);
    for (uint32_t i = 0; i < flow->n; i++) {
        double before = N[i] * flow->audit->v[i], after = N[i] * flow->v[i];
        off += after + e * before;
        terms += fabs(N[i]) * flow->audit->speed[i];
    }
    return terms > DBL_MIN ? fabs(off) / terms : 0.0;
}

static int
broken(struct flow *flow, const struct flow_event *event, double energy,
       double momentum, double rate)
{
    char time[NUM_TEXT], gain[NUM_TEXT], change[NUM_TEXT], off[NUM_TEXT];
    const struct imp_contact *contact = rt_contact(flow->run, event->contact);
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_E0714, contact->range,
        "at t = %s an event of `%s` changes the energy by %s (SI units) more "
        "than its impulses do, the momentum by %s and the rate by %s of their "
        "terms",
        rt_told(time, event->time, 9), imp_text(flow->run->im, flow->sys->name),
        num_digits(gain, energy, 3), num_digits(change, momentum, 3),
        num_digits(off, rate, 3));
    diag_help(flow->run->ds, diag,
              "look at the kinetic energy: masses of coordinates may be "
              "extremely far apart");
    return IMP_FAILED;
}

/* The impulse that takes the rounding of a rate to 0, normal (row 2 c) or of a
 * slip (row 2 c + 1) of contact c: a moving ground may be as fast as it likes.
 */
static double
rounding_push(const struct flow *flow, size_t row)
{
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    double rate = fabs(rows->drift[row]),
           answer = rows->W[row * (2 * (size_t)flow->m + 1)];
    for (size_t i = 0; i < flow->n; i++)
        rate += fabs(rows->J[row * flow->n + i]) * flow->audit->speed[i];
    return answer > 0.0
               ? AUDIT_NOISE * DBL_EPSILON / AUDIT_CONSERVES * rate / answer
               : 0.0;
}

/* The same at an impact with friction, whose impulses act along slips, too;
 * what slips sets the size of all speeds (impact_several.c). No law of one
 * contact but Newton's raises the energy there. */
static double
errors_friction(struct flow *flow, const struct flow_event *event,
                struct errors *out)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    struct account energy = {0.0, 0.0};
    struct flow_audit *audit = flow->audit;
    double worst = 0.0, size = 0.0,
           late =
               AUDIT_TIME * DBL_EPSILON / AUDIT_CONSERVES * fabs(event->time);
    size_t n = flow->n;
    for (size_t i = 0; i < n; i++)
        audit->speed[i] =
            fabs(flow->v[i]) + fabs(audit->v[i]) +
            fabs(flow->instant.acc[i]) * late +
            AUDIT_NOISE * DBL_EPSILON / AUDIT_CONSERVES * friction->v_size[i];
    /* what the ground does by its own motion is no gain of the impact */
    for (size_t r = 0; r < 2 * (size_t)flow->m; r++) {
        double work = friction->impulse[r] * rows->drift[r];
        energy.sum += work;
        energy.terms +=
            fabs(work) + rounding_push(flow, r) * fabs(rows->drift[r]);
    }
    for (size_t i = 0; i < n; i++) {
        double change = 0.0, terms = 0.0;
        for (size_t j = 0; j < n; j++) {
            change +=
                flow->instant.mass[i * n + j] * (flow->v[j] - audit->v[j]);
            terms += fabs(flow->instant.mass[i * n + j]) * audit->speed[j];
        }
        energy.sum += 0.5 * (flow->v[i] + audit->v[i]) * change;
        energy.terms += 0.5 * audit->speed[i] * terms;
        for (size_t r = 0; r < 2 * (size_t)flow->m; r++) {
            double push = rows->J[r * n + i] * friction->impulse[r];
            change -= push;
            terms +=
                fabs(push) + fabs(rows->J[r * n + i]) * rounding_push(flow, r);
        }
        double root = sqrt(flow->instant.mass[i * (n + 1)]);
        worst = fmax(worst, fabs(change) / root);
        size = fmax(size, terms / root);
    }
    worst = size > DBL_MIN ? worst / size : 0.0;
    double gain = friction->may_gain || !(energy.terms > DBL_MIN)
                      ? 0.0
                      : fmax(energy.sum, 0.0) / energy.terms;
    *out = (struct errors){
        .energy = energy, .momentum = worst, .allowed = AUDIT_CONSERVES};
    return fmax(worst, gain);
}

/* -- limits ---------------------------------------------------------------- */

/* What forces would do to the free motion until a limit, and what they do to
 * the one that is hit on the way, may differ by so many times the former. */
#define LIMIT_FORCES 4.0

/* The energy at a state of the system, and the moduli of its terms. */
static int
energy_at(struct flow *flow, double time, const double *q, const double *v,
          struct account *energy)
{
    struct rt *run = flow->run;
    size_t n = flow->n;
    double *env = run->env + flow->sys->env_state,
           *now = &run->env[run->im->layout.time], was = *now, sums[2],
           *state = NEW_N(run->brief, double, 2 * n + 1);
    memcpy(state, env, 2 * n * sizeof *env);
    memcpy(env, q, n * sizeof *env);
    memcpy(env + n, v, n * sizeof *env);
    *now = time;
    int st = rt_eval(run, flow->sys->energy, NULL, sums);
    *now = was;
    memcpy(env, state, 2 * n * sizeof *env);
    if (!st)
        *energy =
            (struct account){sums[0] + sums[1], 2.0 * sums[0] + fabs(sums[1])};
    return st;
}

/* The least mobility that a point with this gradient may have: u.N squared over
 * u.M u is one for all u, and u = N/M is near. */
static double
least_mobility(const struct flow *flow, const double *N)
{
    const double *mass = flow->instant.mass;
    size_t n = flow->n;
    double moved = 0.0, answer = 0.0;
    for (size_t i = 0; i < n; i++) {
        double u = N[i] / mass[i * (n + 1)];
        moved += u * N[i];
        for (size_t j = 0; j < n; j++)
            answer += u * mass[i * n + j] * N[j] / mass[j * (n + 1)];
    }
    return answer > 0.0 ? moved * moved / answer : 0.0;
}

/* The speed with which the contacts of a limit fly, in the norm of the energy:
 * the impulses to come at one of them are at most those that it would give if
 * it fell on that contact alone, again and again. */
static double
flying_speed(const struct flow *flow, double left)
{
    size_t n = flow->n;
    double sum = 0.0;
    for (uint32_t k = 0; k < flow->last.n_contacts; k++) {
        uint32_t c = flow->last.contacts[k] - flow->sys->contact;
        const double *N = flow->instant.N + c * n;
        double rate = flow->instant.drift[c], acc = fabs(flow->instant.bias[c]),
               mobility = least_mobility(flow, N);
        for (size_t i = 0; i < n; i++) {
            rate += N[i] * flow->audit->from[n + i];
            acc += fabs(N[i] * flow->instant.acc[i]);
        }
        if (mobility > 0.0)
            sum += (fabs(rate) + left * acc) / sqrt(mobility);
    }
    return sum;
}

/* What may be done from outside until the limit. Ground that moves does, by its
 * speed along the normal and, with friction, along the slip. And gaps are moved
 * by their rounding, against the forces. */
static double
outer_work(const struct flow *flow, double left)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor ? taylor->friction : NULL;
    size_t n = flow->n;
    double fall = system_energy_norm(flow->instant.mass, flow->instant.acc,
                                     flow->n),
           speed = flying_speed(flow, left), sum = 0.0;
    for (uint32_t c = 0; c < flow->m; c++) {
        const double *N = flow->instant.N + c * n;
        double drift = fabs(flow->instant.drift[c]),
               mobility = least_mobility(flow, N),
               gap =
                   taylor ? taylor->terms.gap_max[c] : fabs(flow->instant.c[c]),
               e = fmin(flow->instant.e[c], 1.0 - RT_TOLERANCE);
        for (size_t i = 0; i < n; i++)
            gap += fabs(N[i] * flow->q[i]);
        for (size_t r = 2 * (size_t)c; friction && r < 2 * (size_t)c + 2; r++)
            drift = fmax(drift, fabs(friction->rows.drift[r]));
        if (mobility > 0.0)
            sum += (2.0 * drift * (speed / (1.0 - e) + left * fall) +
                    AUDIT_NOISE * DBL_EPSILON * gap * fall) /
                   sqrt(mobility);
    }
    return sum;
}

/* By how much does the energy rise more than it may until a limit, as a share
 * of its terms? ground: what moving ground does by the impulses to come, where
 * the momenta tell these. *gain: the whole rise. */
static int
limit_gain(struct flow *flow, const struct flow_event *event, double terms,
           double ground, double *share, double *gain)
{
    const struct flow_audit *audit = flow->audit;
    struct account was, is, free;
    *share = *gain = 0.0;
    if (flow->run->im->gain_allowed ||
        (flow->taylor && flow->taylor->friction &&
         flow->taylor->friction->may_gain))
        return IMP_OK;
    double left = event->time - audit->began;
    int st =
        energy_at(flow, audit->began, audit->from, audit->from + flow->n, &was);
    if (!st)
        st = energy_at(flow, event->time, flow->q, flow->v, &is);
    if (!st)
        st = energy_at(flow, event->time, audit->free, audit->free + flow->n,
                       &free);
    if (st) /* it has no value there */
        return st == IMP_NONFINITE ? IMP_OK : st;
    *gain = is.sum - was.sum;
    terms = fmax(terms, fmax(is.terms, was.terms));
    double over = *gain - LIMIT_FORCES * fabs(free.sum - was.sum) -
                  fmax(outer_work(flow, left), ground);
    *share = terms > DBL_MIN ? fmax(over / terms, 0.0) : 0.0;
    return IMP_OK;
}

static int
limit_broken(struct flow *flow, const struct flow_event *event, double gain)
{
    char time[NUM_TEXT], more[NUM_TEXT];
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_E0714, rt_contact(flow->run, event->contact)->range,
        "the limit of impacts of `%s` at t = %s raises the energy by %s (SI "
        "units), more than forces and moving ground may do",
        imp_text(flow->run->im, flow->sys->name), rt_told(time, event->time, 9),
        num_digits(more, gain, 3));
    diag_help(flow->run->ds, diag,
              "the limit was foreseen wrongly: please report it with the "
              "model; a run `until` a time before it is right");
    return IMP_FAILED;
}

/* Audits the energy at a limit. */
static int
after_limit(struct flow *flow, const struct flow_event *event, double terms,
            double ground)
{
    double share, gain,
        known = isfinite(event->chatter.state_error)
                    ? event->chatter.state_error
                    : AUDIT_BROKEN,
        allowed = AUDIT_CONSERVES + known;
    int st = limit_gain(flow, event, terms, ground, &share, &gain);
    if (st)
        return st;
    if (share > allowed && share > flow->audit->worst) {
        flow->audit->worst = share;
        flow->audit->worst_contact = event->contact;
    }
    if (share <= fmax(allowed, AUDIT_BROKEN))
        return IMP_OK;
    flow->audit->worst = 0.0; /* the error says it */
    return limit_broken(flow, event, gain);
}

/* The errors of an event without friction, by the matrices of flow->instant.
 * Returns the greatest. */
static double
errors_of(struct flow *flow, const struct flow_event *event, struct errors *out)
{
    bool limit = event->kind == FLOW_CHATTER;
    struct account *energy = &out->energy;
    *out = (struct errors){.allowed = AUDIT_CONSERVES};
    for (size_t i = 0; i < flow->n; i++)
        flow->audit->speed[i] = speed_terms(flow, i, event->time);
    balance(flow, energy);
    add_rounding(flow, energy);
    if (limit) {
        bool *pushes = NEW_N(flow->run->arena, bool, flow->m + 1);
        for (uint32_t k = 0; k < flow->last.n_contacts; k++)
            pushes[flow->last.contacts[k] - flow->sys->contact] = true;
        for (uint32_t c = 0; c < flow->m; c++)
            pushes[c] |=
                flow->run->env[rt_contact(flow->run, flow->sys->contact + c)
                                   ->env_contact +
                               IMP_CONTACT_ACTIVE] != 0.0;
        out->ground = ground_work(flow, pushes);
        leave_out_pushes(flow, pushes);
        out->allowed += event->chatter.state_error;
        /* stopping costs energy, beyond what moving ground gives */
        energy->sum = fmax(energy->sum - out->ground, 0.0);
        energy->terms += fabs(out->ground);
    } else if (event->kind == FLOW_IMPACT && flow->last.n_contacts == 1) {
        out->rate = rate_error(flow, event->contact - flow->sys->contact);
    }
    out->momentum = momentum_error(flow);
    return fmax(fmax(out->momentum, out->rate),
                energy->terms > DBL_MIN ? fabs(energy->sum) / energy->terms
                                        : 0.0);
}

/* Makes the matrices of flow->instant those of this state (back: once more
 * those of the flow's own one, which *kept holds, 4n numbers). */
static int
matrices_at(struct flow *flow, const double *q, const double *v, double *kept,
            bool back, flow_matrices_now *now)
{
    struct taylor_flow *taylor = flow->taylor;
    size_t n = flow->n, bytes = n * sizeof *taylor->x;
    if (back) {
        memcpy(taylor->x, kept, 2 * bytes);
        memcpy(taylor->lo, kept + 2 * n, 2 * bytes);
        return now(flow);
    }
    memcpy(kept, taylor->x, 2 * bytes);
    memcpy(kept + 2 * n, taylor->lo, 2 * bytes);
    memcpy(taylor->x, q, bytes);
    memcpy(taylor->x + n, v, bytes);
    memset(taylor->lo, 0, 2 * bytes);
    return now(flow);
}

/* The same by the matrices of the state before. A gap whose formula changes its
 * branch where the event is, as ground with a corner, has other gradients once
 * the state has been taken onto the contact, over that change. */
static int
errors_before(struct flow *flow, const struct flow_event *event,
              flow_matrices_now *now, struct errors *out, double *worst)
{
    const struct flow_audit *audit = flow->audit;
    double *kept = NEW_N(flow->run->brief, double, 4 * (size_t)flow->n + 1);
    int st = matrices_at(flow, audit->q, audit->v, kept, false, now);
    if (!st)
        *worst = flow->taylor->friction ? errors_friction(flow, event, out)
                                        : errors_of(flow, event, out);
    int back = matrices_at(flow, NULL, NULL, kept, true, now);
    return st ? st : back;
}

/* The errors behind a limit, whose impulses were given along gradients that
 * turned on the way to it: beside those at the limit they change the momenta,
 * over the roots of the masses, by at most their size times that turn. Forces
 * that change their branches within each flight, in the time `left` until the
 * limit, change them by what they are. */
static int
errors_turned(struct flow *flow, double left, flow_matrices_now *now,
              struct errors *errors, double *worst)
{
    struct flow_audit *audit = flow->audit;
    size_t n = flow->n, m = flow->m;
    double *kept = NEW_N(flow->run->brief, double, 4 * n + m * n + 1),
           *turn = kept + 4 * n;
    memcpy(turn, flow->instant.N, m * n * sizeof *turn);
    int st = matrices_at(flow, audit->from, audit->from + n, kept, false, now);
    for (size_t k = 0; k < m * n && !st; k++)
        turn[k] = flow->instant.N[k] - turn[k];
    int back = matrices_at(flow, NULL, NULL, kept, true, now);
    if (st || back)
        return st ? st : back;
    double most = flow->taylor->branches.switches
                      ? LIMIT_FORCES * left *
                            system_energy_norm(flow->instant.mass,
                                               flow->instant.acc, flow->n)
                      : 0.0;
    for (size_t c = 0; c < m; c++) {
        double length = 0.0;
        for (size_t i = 0; i < n; i++)
            length = hypot(length, turn[c * n + i] /
                                       sqrt(flow->instant.mass[i * (n + 1)]));
        most += length * fabs(audit->push[c]);
    }
    for (size_t i = 0; i < n; i++)
        audit->terms[i] += most / AUDIT_CONSERVES;
    errors->momentum = momentum_error(flow);
    const struct account *energy = &errors->energy;
    *worst =
        fmax(errors->momentum,
             energy->terms > DBL_MIN ? fabs(energy->sum) / energy->terms : 0.0);
    return IMP_OK;
}

int
flow_audit_after(struct flow *flow, const struct flow_event *event,
                 flow_matrices_now *now)
{
    assert(flow != NULL && flow->audit != NULL && event != NULL);
    bool hit = event->kind == FLOW_IMPACT || event->kind == FLOW_SEVERAL,
         limit = event->kind == FLOW_CHATTER;
    if (!hit && !limit)
        return IMP_OK;
    if (flow->run->law_status) /* a law that gave no impulses has been told */
        return flow->run->law_status;
    struct flow_audit *audit = flow->audit;
    flow->method->at(flow, event->time);
    bool rough = flow->taylor && flow->taylor->friction;
    if (rough && limit)
        return after_limit(flow, event, 0.0, 0.0);
    /* where the impacts of the limit are all at one time, the motion that is
     * known at that time has them behind it */
    if (limit)
        memcpy(audit->v, audit->free + flow->n, flow->n * sizeof *audit->v);
    struct errors errors;
    double worst = rough ? errors_friction(flow, event, &errors)
                         : errors_of(flow, event, &errors);
    if (worst > AUDIT_BROKEN && hit && flow->taylor && now) {
        int st = errors_before(flow, event, now, &errors, &worst);
        if (st)
            return st;
    }
    if (limit && errors.momentum > errors.allowed && flow->taylor && now) {
        int st = errors_turned(flow, event->time - audit->began, now, &errors,
                               &worst);
        if (st)
            return st;
    }
    if (worst > errors.allowed && worst > audit->worst) {
        audit->worst = worst;
        audit->worst_contact = event->contact;
    }
    if (worst <= fmax(errors.allowed, AUDIT_BROKEN))
        return limit ? after_limit(flow, event, errors.energy.terms,
                                   errors.ground)
                     : IMP_OK;
    audit->worst = 0.0; /* the error says it */
    return broken(flow, event, errors.energy.sum, errors.momentum, errors.rate);
}

double
flow_audit_worst(const struct flow *flow, uint32_t *contact)
{
    assert(flow != NULL && contact != NULL);
    *contact = flow->audit->worst_contact;
    return flow->audit->worst;
}

void
flow_gap_rounding(const struct flow *flow, uint32_t *contact, double *rounding,
                  double *share)
{
    assert(flow != NULL && contact != NULL && rounding != NULL);
    const double *q = flow->run->env + flow->sys->env_state, *v = q + flow->n;
    for (uint32_t c = 0; c < flow->m; c++) {
        const double *N = flow->instant.N + (size_t)c * flow->n;
        double gap = flow->instant.c[c], terms = fabs(gap),
               rate = flow->instant.drift[c], acc = 0.0;
        for (uint32_t i = 0; i < flow->n; i++) {
            gap += N[i] * q[i];
            terms += fabs(N[i] * q[i]);
            rate += N[i] * v[i];
            acc += N[i] * flow->instant.acc[i];
        }
        double low = AUDIT_GAP * DBL_EPSILON * terms,
               height = acc != 0.0 ? rate * rate / fabs(acc) : 0.0,
               size = fmax(fabs(gap), height);
        if (low > *share * size && size > low) {
            *contact = flow->sys->contact + c;
            *rounding = low;
            *share = low / size;
        }
    }
}
