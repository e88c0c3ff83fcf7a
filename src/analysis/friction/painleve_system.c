/* SPDX-License-Identifier: MIT */
/* A contact of a system as a point with friction: A, B and C from the gradients
 * of gap and slip and the mass matrix, a and b from the motion without forces
 * of contacts (specification painleve.md, 1, with the terms of the rates). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/policy.h"
#include "analysis/friction/friction_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/dense.h"

/* A gap, or a rate, below this share of its terms counts as 0: the start of a
 * model is known to rounding, its places are sums of a few terms. */
#define INSTANT_ZERO 1e-12
/* events that are followed at most */
#define INSTANT_EVENTS 100000
/* how far a motion is followed to the first closure (time units of the system)
 */
#define INSTANT_FAR 1e3

/* A slip of so many roundings of its terms is none: TAYLOR_NOISE of runs. */
#define SLIP_NOISE 32.0

/* one system, and the contact asked about */
struct asked {
    struct analysis *analysis;
    const imp_command *command;
    const imp_system *system;
    uint32_t number, contact, n;
    /* gradients of gap and slip, M^-1 times both, accelerations without forces
     * of contacts: n each; the factor of M, and its pivots */
    double *normal, *along, *by_normal, *by_along, *acc, *mass, *pivots;
    int *first;   /* the first column of each row of the factor: 0 */
    bool no_jerk; /* the third derivative is not asked for */
};

/* The contact's gap and rate now, with the sizes of their terms. */
static int
gap_now(struct asked *asked, struct painleve_instant *out, double size[2])
{
    struct rt *run = asked->analysis->rt;
    const double *q = run->env + asked->system->env_state, *v = q + asked->n;
    int st =
        system_gap(run, asked->number, asked->contact - asked->system->contact,
                   &out->gap, &out->rate, asked->normal);
    if (st)
        return st;
    double rest[2] = {out->gap, out->rate};
    size[0] = size[1] = 0.0;
    for (uint32_t j = 0; j < asked->n; j++) {
        double term[2] = {asked->normal[j] * q[j], asked->normal[j] * v[j]};
        for (int k = 0; k < 2; k++) {
            rest[k] -= term[k];
            size[k] += fabs(term[k]);
        }
    }
    size[0] += fabs(rest[0]);
    size[1] += fabs(rest[1]);
    return IMP_OK;
}

/* -- the instant ------------------------------------------------------------
 */

static bool
is_of_event(const struct flow *flow, const struct flow_event *event,
            uint32_t contact)
{
    const double *impulse;
    const uint32_t *contacts = flow_contacts(flow, &impulse);
    for (uint32_t j = 0; j < event->n; j++)
        if (contacts[j] == contact)
            return true;
    return event->contact == contact;
}

static int
never_closed(struct asked *asked)
{
    struct rt *run = asked->analysis->rt;
    char text[NUM_TEXT];
    struct diag *diag =
        diag_add(asked->analysis->ds, DIAG_E0709, asked->command->range,
                 "`%s` does not close until t = %s",
                 imp_text(run->im, rt_contact(run, asked->contact)->name),
                 num_digits(text, rt_time(run), 9));
    diag_help(asked->analysis->ds, diag,
              "give a start that closes it, or a time with `at`");
    return IMP_FAILED;
}

/* The motion leads to no later instant. */
static int
left_open(struct asked *asked, const struct flow_event *event)
{
    struct rt *run = asked->analysis->rt;
    char text[NUM_TEXT];
    struct diag *diag = diag_add(
        asked->analysis->ds, DIAG_E0743, asked->command->range,
        "`painleve` follows the motion to its instant, but the motion of `%s` "
        "is left open at t = %s",
        imp_text(run->im, asked->system->name),
        num_digits(text, event->time, 9));
    diag_note(asked->analysis->ds, diag, rt_contact(run, event->contact)->range,
              "%s",
              event->why ? event->why
                         : "contacts close together, and the outcome depends "
                           "on their order");
    diag_help(asked->analysis->ds, diag,
              "ask about an earlier instant, or choose: world { paradox = "
              "liftoff }, stick or jump");
    return IMP_FAILED;
}

/* Follows the motion to the time `at`, or to the first event of the contact;
 * the state is then the one before the event. */
static int
follow(struct asked *asked, double at)
{
    struct rt *run = asked->analysis->rt;
    double *time = run->env + run->im->layout.time,
           *env = run->env + asked->system->env_state,
           until = isfinite(at) ? at : INSTANT_FAR;
    size_t bytes = 2 * (size_t)asked->n * sizeof *env;
    double *before = NEW_N(run->arena, double, 2 * asked->n + 1);
    struct flow *flow = flow_new(run, asked->number,
                                 simultaneous_policy(asked->analysis), until);
    struct flow_event event;
    if (!flow)
        return IMP_BADMODEL;
    for (long events = 0; events < INSTANT_EVENTS && !rt_stopped(run);) {
        double ahead;
        int st = flow_peek(flow, until, &ahead);
        if (st || (st = flow_at(flow, ahead)))
            return st;
        *time = ahead;
        bool eventful = flow_eventful(flow);
        if (!eventful && !(ahead < until))
            return isfinite(at) ? IMP_OK : never_closed(asked);
        memcpy(before, env, bytes);
        if ((st = flow_apply(flow, &event)))
            return st;
        events += eventful;
        if (event.kind == FLOW_JAMMED)
            return flow_jammed(run, event.contact, event.time);
        if (event.why && !(ahead < until))
            return IMP_OK; /* the instant that is asked about */
        if (event.kind == FLOW_UNDECIDED || event.why)
            return left_open(asked, &event);
        if (eventful && !isfinite(at) &&
            is_of_event(flow, &event, asked->contact)) {
            *time = ahead;
            memcpy(env, before, bytes);
            return IMP_OK;
        }
    }
    return rt_stopped(run) ? IMP_STOPPED : never_closed(asked);
}

/* -- the coefficients -------------------------------------------------------
 */

/* M^-1 x, for the lower Cholesky factor in asked->mass */
static void
solve(struct asked *asked, const double *x, double *out)
{
    int n = (int)asked->n;
    memcpy(out, x, sizeof *out * asked->n);
    dense_forward(n, asked->mass, n, asked->first, asked->pivots, 0, out);
    dense_backward(n, asked->mass, n, asked->first, asked->pivots, out);
}

/* accelerations without forces of contacts, and the second and third derivative
 * of the gap along that motion */
static int
free_motion(struct asked *asked, double *gap, double *jerk)
{
    struct rt *run = asked->analysis->rt;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + asked->system->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    double h, series[IMP_ORDER_MAX + 1];
    for (uint32_t i = 0; i < asked->system->n_contact; i++) {
        double *env =
            run->env + rt_contact(run, asked->system->contact + i)->env_contact;
        env[IMP_CONTACT_ACTIVE] = 0.0;
    }
    int order = asked->no_jerk ? 3 : 4;
    int st = motion_series(run, asked->system->block, order, &h);
    if (!st)
        st = system_gap_series(run, asked->number,
                               asked->contact - asked->system->contact, order,
                               series);
    if (st)
        return st;
    *gap = 2.0 * series[2];
    *jerk = asked->no_jerk ? (double)NAN : 6.0 * series[3];
    for (uint32_t j = 0; j < asked->n; j++)
        asked->acc[j] =
            run->rows.block[asked->system->block]
                           [(size_t)row[asked->n + j] * IMP_ROW_STRIDE +
                            IMP_ROW_PAD + 1];
    return IMP_OK;
}

/* the size of what `value` is the sum of: gradient times accelerations, and the
 * rest */
static double
terms_of(const struct asked *asked, const double *gradient, double value)
{
    double rest = value, size = 0.0;
    for (uint32_t j = 0; j < asked->n; j++) {
        rest -= gradient[j] * asked->acc[j];
        size += fabs(gradient[j] * asked->acc[j]);
    }
    return size + fabs(rest);
}

/* The slip, or 0 where it is rounding of its terms, as in a run. */
static double
slip_of(const struct asked *asked, const struct system_slip *slip)
{
    const double *rate =
        asked->analysis->rt->env + asked->system->env_state + asked->n;
    double rest = slip->velocity, size = 0.0;
    for (uint32_t j = 0; j < asked->n; j++) {
        rest -= asked->along[j] * rate[j];
        size += fabs(asked->along[j] * rate[j]);
    }
    return fabs(slip->velocity) <=
                   SLIP_NOISE * DBL_EPSILON * (size + fabs(rest))
               ? 0.0
               : slip->velocity;
}

static int
coefficients(struct asked *asked, struct painleve_instant *out)
{
    struct rt *run = asked->analysis->rt;
    const imp_contact *image_contact = rt_contact(run, asked->contact);
    struct painleve_point *point = &out->point;
    struct system_slip slip = {0};
    int st = IMP_OK, rank, n = (int)asked->n;
    if (image_contact->slip == IMP_NO_TAPE)
        memset(asked->along, 0, sizeof *asked->along * asked->n);
    else
        st = system_slip(run, asked->number,
                         asked->contact - asked->system->contact, &slip,
                         asked->along);
    if (st || (st = free_motion(asked, &point->b, &out->jerk)) ||
        (st = system_mass(run, asked->number, asked->mass)))
        return st;
    dense_cholesky(n, asked->mass, n, asked->first, NULL, dense_tolerance(n, n),
                   asked->pivots, &rank);
    if (rank < n) {
        struct diag *diag =
            diag_add(run->ds, DIAG_E0546, asked->system->range_mass,
                     "the mass matrix of `%s` is not positive definite",
                     imp_text(run->im, asked->system->name));
        diag_help(
            run->ds, diag,
            "every motion of the coordinates must have kinetic energy; look at "
            "the signs of the terms and at the values of params");
        return IMP_FAILED;
    }
    solve(asked, asked->normal, asked->by_normal);
    solve(asked, asked->along, asked->by_along);
    point->C = dense_dot(n, asked->normal, asked->by_normal);
    point->B = dense_dot(n, asked->normal, asked->by_along);
    point->A = dense_dot(n, asked->along, asked->by_along);
    point->a = slip.bias;
    for (uint32_t j = 0; j < asked->n; j++)
        point->a += asked->along[j] * asked->acc[j];
    point->a_terms = terms_of(asked, asked->along, point->a);
    point->b_terms = terms_of(asked, asked->normal, point->b);
    point->mu = slip.mu;
    point->slip = slip_of(asked, &slip);
    point->restitution = run->env[image_contact->env_contact + IMP_CONTACT_E];
    point->law = image_contact->law == IMP_LAW_POISSON ? FRICTION_POISSON
                 : image_contact->law == IMP_LAW_NEWTON && point->mu == 0.0
                     ? FRICTION_NEWTON
                     : FRICTION_ENERGETIC;
    return IMP_OK;
}

/* What is asked of a contact of the system, with room for its rows. */
static struct asked
ask(struct analysis *analysis, const imp_command *command, uint32_t contact)
{
    struct rt *run = analysis->rt;
    uint32_t number = rt_contact(run, contact)->system;
    struct asked asked = {.analysis = analysis,
                          .command = command,
                          .system = rt_system(run, number),
                          .number = number,
                          .contact = contact};
    size_t n = asked.n = asked.system->n;
    asked.normal = NEW_N(run->arena, double, n *n + 6 * n + 1);
    asked.along = asked.normal + n;
    asked.by_normal = asked.along + n;
    asked.by_along = asked.by_normal + n;
    asked.acc = asked.by_along + n;
    asked.pivots = asked.acc + n;
    asked.mass = asked.pivots + n;
    asked.first = NEW_N(run->arena, int, n + 1);
    return asked;
}

/* Brings the system to the instant, and reads the contact there. */
static int
read_instant(struct asked *asked, double at, struct painleve_instant *out)
{
    double size[2] = {0.0, 0.0}, later[2] = {0.0, 0.0};
    int st = gap_now(asked, out, size);
    bool follows = isfinite(at) ? at > 0.0 : out->gap > INSTANT_ZERO * size[0];
    if (!st && follows && !(st = follow(asked, at)))
        st = gap_now(asked, out, later);
    for (int k = 0; k < 2 && !st; k++)
        size[k] = fmax(size[k], later[k]);
    if (!st)
        st = coefficients(asked, out);
    out->time = rt_time(asked->analysis->rt);
    out->closed = fabs(out->gap) <= INSTANT_ZERO * size[0] &&
                  fabs(out->rate) <= INSTANT_ZERO * size[1];
    return st ? command_failed(asked->analysis, st, asked->command->range,
                               "painleve")
              : IMP_OK;
}

int
painleve_of_system(struct analysis *analysis, const imp_command *command,
                   uint32_t contact, double at, struct painleve_instant *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct asked asked = ask(analysis, command, contact);
    return read_instant(&asked, at, out);
}

int
painleve_pair_of_system(struct analysis *analysis, const imp_command *command,
                        const uint32_t contact[2], double at,
                        struct painleve_instant out[2], double cross[4])
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct asked one = ask(analysis, command, contact[0]),
                 two = ask(analysis, command, contact[1]);
    int st = read_instant(&one, at, &out[0]);
    if (st || (st = read_instant(&two, 0.0, &out[1])))
        return st;
    int n = (int)one.n;
    cross[0] = cross[2] = dense_dot(n, one.normal, two.by_normal);
    cross[1] = dense_dot(n, one.normal, two.by_along);
    cross[3] = dense_dot(n, two.normal, one.by_along);
    return IMP_OK;
}

/* -- reading again -----------------------------------------------------------
 */

struct painleve_reader {
    struct asked asked;
};

struct painleve_reader *
painleve_reader_new(struct analysis *analysis, const imp_command *command,
                    uint32_t contact)
{
    assert(analysis && command);
    struct painleve_reader *reader =
        NEW(analysis->rt->arena, struct painleve_reader);
    reader->asked = ask(analysis, command, contact);
    return reader;
}

int
painleve_read_here(struct painleve_reader *reader, bool jerk,
                   struct painleve_instant *out)
{
    assert(reader && out);
    struct asked *asked = &reader->asked;
    asked->no_jerk = !jerk;
    int st = system_gap(asked->analysis->rt, asked->number,
                        asked->contact - asked->system->contact, &out->gap,
                        &out->rate, asked->normal);
    return st ? st : coefficients(asked, out);
}

void
painleve_gradients(const struct painleve_reader *reader, const double **gap,
                   const double **slip)
{
    assert(reader && gap && slip);
    *gap = reader->asked.normal;
    *slip = reader->asked.along;
}

void
painleve_accelerations(const struct painleve_reader *reader, double free,
                       double normal, double tangential, double *out)
{
    assert(reader && out);
    const struct asked *asked = &reader->asked;
    for (uint32_t j = 0; j < asked->n; j++)
        out[j] = free * asked->acc[j] + normal * asked->by_normal[j] +
                 tangential * asked->by_along[j];
}
