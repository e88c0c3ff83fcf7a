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
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/flow/flow.h"
#include "runtime/friction/paradox.h"
#include "runtime/instance/contact_friction.h"
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
    struct painleve_reader reader;
    const imp_system *system;
    uint32_t number;
    double *mass, *pivots; /* the factor of M */
    double *of_mass;       /* M, of which they are the factor */
    int rank;              /* of M; -1: nothing is factored yet */
    int *first;            /* the first column of each row of M that is not 0 */
    bool diagonal;         /* so is M */
    double *unit;          /* 2n, of one call */
    double *slide;         /* outputs of imp_contact.slide */
    bool brief; /* A, B, C, a, b, mu and the slip as it is are enough */
};

/* The contact's gap and rate now, with the sizes of their terms. */
static int
gap_now(struct asked *asked, struct painleve_instant *out, double size[2])
{
    struct rt *run = asked->reader.analysis->rt;
    const double *q = run->env + asked->system->env_state,
                 *v = q + asked->reader.n;
    int st = system_gap(run, asked->number,
                        asked->reader.contact - asked->system->contact,
                        &out->gap, &out->rate, asked->reader.normal);
    if (st)
        return st;
    double rest[2] = {out->gap, out->rate};
    size[0] = size[1] = 0.0;
    for (uint32_t j = 0; j < asked->reader.n; j++) {
        double term[2] = {asked->reader.normal[j] * q[j],
                          asked->reader.normal[j] * v[j]};
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
    struct rt *run = asked->reader.analysis->rt;
    char text[NUM_TEXT];
    struct diag *diag = diag_add(
        asked->reader.analysis->ds, DIAG_E0709, asked->reader.command->range,
        "`%s` does not close until t = %s",
        imp_text(run->im, rt_contact(run, asked->reader.contact)->name),
        rt_told(text, rt_time(run), 9));
    diag_help(asked->reader.analysis->ds, diag,
              "give a start that closes it, or a time with `at`");
    return IMP_FAILED;
}

/* The motion leads to no later instant. */
static int
left_open(struct asked *asked, const struct flow_event *event)
{
    struct rt *run = asked->reader.analysis->rt;
    char text[NUM_TEXT];
    struct diag *diag = diag_add(
        asked->reader.analysis->ds, DIAG_E0743, asked->reader.command->range,
        "`painleve` follows the motion to its instant, but the motion of `%s` "
        "is left open at t = %s",
        imp_text(run->im, asked->system->name), rt_told(text, event->time, 9));
    diag_note(asked->reader.analysis->ds, diag,
              rt_contact(run, event->contact)->range, "%s",
              event->why ? event->why
                         : "contacts close together, and the outcome depends "
                           "on their order");
    diag_help(
        asked->reader.analysis->ds, diag, "ask about an earlier instant, or %s",
        simulate_paradox_choices(run, event->contact,
                                 event->policies & ~(1u << PARADOX_BRANCH)));
    return IMP_FAILED;
}

/* Follows the motion to the time `at`, or to the first event of the contact;
 * the state is then the one before the event. */
static int
follow(struct asked *asked, double at)
{
    struct rt *run = asked->reader.analysis->rt;
    double *time = run->env + run->im->layout.time,
           *env = run->env + asked->system->env_state,
           until = isfinite(at) ? at : INSTANT_FAR;
    size_t bytes = 2 * (size_t)asked->reader.n * sizeof *env;
    double *before = NEW_N(run->arena, double, 2 * asked->reader.n + 1);
    struct flow *flow = flow_new(
        run, asked->number, simultaneous_policy(asked->reader.analysis), until);
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
            is_of_event(flow, &event, asked->reader.contact)) {
            *time = ahead;
            memcpy(env, before, bytes);
            return IMP_OK;
        }
    }
    return rt_stopped(run) ? IMP_STOPPED : never_closed(asked);
}

/* -- the coefficients -------------------------------------------------------
 */

/* Factors the mass matrix, if it is not the one that was factored last. */
static int
factor(struct asked *asked)
{
    int n = (int)asked->reader.n;
    size_t bytes = sizeof(double) * (size_t)n * (size_t)n;
    double *now = asked->of_mass + n * n;
    int st = system_mass(asked->reader.analysis->rt, asked->number, now);
    if (st || (asked->rank >= 0 && !memcmp(now, asked->of_mass, bytes)))
        return st;
    memcpy(asked->of_mass, now, bytes);
    memcpy(asked->mass, now, bytes);
    asked->diagonal = true;
    for (int i = 0; i < n; i++) {
        for (asked->first[i] = 0;
             now[i * n + asked->first[i]] == 0.0 && asked->first[i] < i;)
            asked->first[i]++;
        asked->diagonal &= asked->first[i] == i;
    }
    dense_cholesky(n, asked->mass, n, asked->first, NULL, dense_tolerance(n, n),
                   asked->pivots, &asked->rank);
    return IMP_OK;
}

/* M^-1 x, for the lower Cholesky factor in asked->mass */
static void
solve(struct asked *asked, const double *x, double *out)
{
    int n = (int)asked->reader.n;
    if (asked->diagonal) {
        for (int i = 0; i < n; i++)
            out[i] = x[i] * asked->pivots[i] * asked->pivots[i];
        return;
    }
    memcpy(out, x, sizeof *out * asked->reader.n);
    dense_forward(n, asked->mass, n, asked->first, asked->pivots, 0, out);
    dense_backward(n, asked->mass, n, asked->first, asked->pivots, out);
}

/* accelerations without forces of contacts, and the second and third derivative
 * of the gap along that motion */
static int
free_motion(struct asked *asked, double *gap, double *jerk)
{
    struct rt *run = asked->reader.analysis->rt;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + asked->system->block;
    const uint32_t *row = IMP_ARRAY(run->im, block->rows, uint32_t);
    double h, series[IMP_ORDER_MAX + 1];
    for (uint32_t i = 0; i < asked->system->n_contact; i++) {
        double *env =
            run->env + rt_contact(run, asked->system->contact + i)->env_contact;
        env[IMP_CONTACT_ACTIVE] = 0.0;
    }
    int order = asked->brief ? 2 : 3;
    int st = motion_series(run, asked->system->block, order, &h);
    if (!st)
        st = system_gap_series(run, asked->number,
                               asked->reader.contact - asked->system->contact,
                               order, series);
    if (st)
        return st;
    *gap = 2.0 * series[2];
    *jerk = asked->brief ? (double)NAN : 6.0 * series[3];
    for (uint32_t j = 0; j < asked->reader.n; j++)
        asked->reader.acc[j] =
            run->rows.block[asked->system->block]
                           [(size_t)row[asked->reader.n + j] * IMP_ROW_STRIDE +
                            IMP_ROW_PAD + 1];
    return IMP_OK;
}

/* the size of what `value` is the sum of: gradient times accelerations, and the
 * rest */
static double
terms_of(const struct asked *asked, const double *gradient, double value)
{
    double rest = value, size = 0.0;
    for (uint32_t j = 0; j < asked->reader.n; j++) {
        rest -= gradient[j] * asked->reader.acc[j];
        size += fabs(gradient[j] * asked->reader.acc[j]);
    }
    return size + fabs(rest);
}

/* The slip, or 0 where it is rounding of its terms, as in a run. */
static double
slip_of(const struct asked *asked, const struct system_slip *slip)
{
    const double *rate = asked->reader.analysis->rt->env +
                         asked->system->env_state + asked->reader.n;
    double rest = slip->velocity, size = 0.0;
    for (uint32_t j = 0; j < asked->reader.n; j++) {
        rest -= asked->reader.along[j] * rate[j];
        size += fabs(asked->reader.along[j] * rate[j]);
    }
    return fabs(slip->velocity) <=
                   SLIP_NOISE * DBL_EPSILON * (size + fabs(rest))
               ? 0.0
               : slip->velocity;
}

static int
coefficients(struct asked *asked, struct painleve_instant *out)
{
    struct rt *run = asked->reader.analysis->rt;
    const imp_contact *image_contact = rt_contact(run, asked->reader.contact);
    struct painleve_point *point = &out->point;
    struct system_slip slip = {0};
    int st = IMP_OK;
    if (image_contact->slip == IMP_NO_TAPE)
        memset(asked->reader.along, 0,
               sizeof *asked->reader.along * asked->reader.n);
    else
        st = system_slip(run, asked->number,
                         asked->reader.contact - asked->system->contact, &slip,
                         asked->reader.along);
    if (st || (st = free_motion(asked, &point->b, &out->jerk)) ||
        (st = factor(asked)))
        return st;
    int n = (int)asked->reader.n;
    if (asked->rank < n) {
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
    solve(asked, asked->reader.normal, asked->reader.by_normal);
    solve(asked, asked->reader.along, asked->reader.by_along);
    point->C = dense_dot(n, asked->reader.normal, asked->reader.by_normal);
    point->B = dense_dot(n, asked->reader.normal, asked->reader.by_along);
    point->A = dense_dot(n, asked->reader.along, asked->reader.by_along);
    point->a = slip.bias;
    for (uint32_t j = 0; j < asked->reader.n; j++)
        point->a += asked->reader.along[j] * asked->reader.acc[j];
    point->mu = slip.mu;
    point->slip = slip.velocity;
    if (asked->brief)
        return IMP_OK;
    point->a_terms = terms_of(asked, asked->reader.along, point->a);
    point->b_terms = terms_of(asked, asked->reader.normal, point->b);
    point->mu_static = slip.mu_static;
    point->slip = slip_of(asked, &slip);
    point->restitution = run->env[image_contact->env_contact + IMP_CONTACT_E];
    point->law = painleve_law(run, image_contact);
    return IMP_OK;
}

/* -- reading again -----------------------------------------------------------
 */

static int
read_gap(struct painleve_reader *reader, double *gap)
{
    const struct asked *asked = (const struct asked *)reader;
    double rate;
    return system_gap(reader->analysis->rt, asked->number,
                      reader->contact - asked->system->contact, gap, &rate,
                      reader->normal);
}

static int
read_fully(struct painleve_reader *reader, bool jerk,
           struct painleve_instant *out)
{
    struct asked *asked = (struct asked *)reader;
    asked->brief = !jerk;
    int st = system_gap(reader->analysis->rt, asked->number,
                        reader->contact - asked->system->contact, &out->gap,
                        &out->rate, reader->normal);
    return st ? st : coefficients(asked, out);
}

/* What a slip needs step by step comes from the tape imp_contact.slide. Where a
 * formula has no value the way of other instants tells which. */
static int
read_here(struct painleve_reader *reader, bool jerk,
          struct painleve_instant *out)
{
    struct asked *asked = (struct asked *)reader;
    struct rt *run = reader->analysis->rt;
    uint32_t tape = rt_contact(run, reader->contact)->slide;
    size_t n = reader->n, bytes = n * sizeof(double);
    if (jerk || tape == IMP_NO_TAPE || rt_eval(run, tape, NULL, asked->slide))
        return read_fully(reader, jerk, out);
    const double *at = asked->slide;
    out->gap = at[0];
    out->rate = at[1];
    out->jerk = (double)NAN;
    out->point.slip = at[2];
    out->point.mu = at[3];
    out->point.A = at[4];
    out->point.B = at[5];
    out->point.C = at[6];
    out->point.a = at[7];
    out->point.b = at[8];
    at += 9;
    memcpy(reader->acc, at, bytes);
    memcpy(reader->normal, at + n, bytes);
    memcpy(reader->along, at + 2 * n, bytes);
    memcpy(reader->by_normal, at + 3 * n, bytes);
    memcpy(reader->by_along, at + 4 * n, bytes);
    return IMP_OK;
}

/* The tape imp_contact.instant at the present state. */
static int
read_derivatives(struct painleve_reader *reader, double slip,
                 struct painleve_derivatives *out)
{
    struct rt *run = reader->analysis->rt;
    const imp_contact *contact = rt_contact(run, reader->contact);
    uint32_t n = out->n = reader->n;
    size_t count = 9 + 3 * (size_t)n + 3 * (size_t)n * n;
    double speed = fabs(slip);
    assert(contact->instant != IMP_NO_TAPE);
    if (!out->all)
        out->all = NEW_N(run->arena, double, count);
    int st = rt_eval(run, contact->instant, &speed, out->all);
    const double *at = out->all;
    out->C = at[0];
    out->B = at[1];
    out->C_q = at + 2;
    out->B_q = at + 2 + n;
    at += 2 + 2 * n;
    out->C_t = at[0];
    out->B_t = at[1];
    out->b_c = at[2];
    out->b_d = at[3];
    out->mu = at[4];
    out->mu_q = at + 5;
    at += 5 + n;
    out->mu_t = at[0];
    out->mu_speed = at[1];
    out->mu_moves = at[1] != 0.0;
    out->f_q = at + 2;
    out->d_q = out->f_q + n * n;
    out->c_q = out->d_q + n * n;
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, contact->instant, &speed);
    return st;
}

static uint32_t
coordinate_of(const struct painleve_reader *reader, const char *name,
              size_t length, const char **unit)
{
    const imp_image *im = reader->analysis->rt->im;
    const imp_system *system = ((const struct asked *)reader)->system;
    for (uint32_t j = 0; j < system->n; j++) {
        const imp_coordinate *coordinate =
            IMP_ARRAY(im, im->coordinates, imp_coordinate) + system->first + j;
        const char *full = imp_text(im, coordinate->name),
                   *dot = strrchr(full, '.'), *own = dot ? dot + 1 : full;
        *unit = imp_text(im, coordinate->unit);
        if (strlen(own) == length && !strncmp(own, name, length))
            return j;
    }
    assert(!"the checker knows the coordinate");
    return UINT32_MAX;
}

static bool closed_beside(struct painleve_reader *reader, uint32_t other);

/* What gap and slip do along the change of the rates, as a share of what they
 * would do without coordinate j: less is nothing. */
#define BEGIN_LEAST 1e-12

/* With w = M^-1 e_j the change is M^-1 (x d + y c + z e_j), z such that rate j
 * stays. */
static int
begin(struct painleve_reader *reader, uint32_t j, double rate, double slip)
{
    struct asked *asked = (struct asked *)reader;
    struct painleve_instant here;
    uint32_t n = reader->n;
    double *const *v = reader->entry + n, *unit = asked->unit, *w = unit + n;
    *v[j] = rate;
    int st = read_fully(reader, false, &here);
    if (st)
        return st;
    memset(unit, 0, n * sizeof *unit);
    unit[j] = 1.0;
    solve(asked, unit, w);
    const double *d = reader->by_normal, *c = reader->by_along;
    double of_d = d[j] / w[j], of_c = c[j] / w[j], dd = 0.0, dc = 0.0, cc = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        dd += reader->normal[i] * (d[i] - of_d * w[i]);
        dc += reader->normal[i] * (c[i] - of_c * w[i]);
        cc += reader->along[i] * (c[i] - of_c * w[i]);
    }
    double det = dd * cc - dc * dc,
           off[2] = {-here.rate, slip - here.point.slip};
    if (!(det > BEGIN_LEAST * here.point.C * here.point.A))
        return IMP_DIVERGED;
    double x = (off[0] * cc - off[1] * dc) / det,
           y = (off[1] * dd - off[0] * dc) / det;
    for (uint32_t i = 0; i < n; i++)
        if (i != j)
            *v[i] += x * (d[i] - of_d * w[i]) + y * (c[i] - of_c * w[i]);
    return IMP_OK;
}

static const struct painleve_reading of_system = {.read = read_here,
                                                  .begin = begin,
                                                  .gap = read_gap,
                                                  .derivatives =
                                                      read_derivatives,
                                                  .coordinate = coordinate_of,
                                                  .beside = closed_beside};

/* What is asked of a contact of the system, with room for its rows. */
static struct asked *
ask(struct analysis *analysis, const imp_command *command, uint32_t contact)
{
    struct rt *run = analysis->rt;
    uint32_t number = rt_contact(run, contact)->system;
    struct asked *asked = NEW(run->arena, struct asked);
    *asked = (struct asked){.reader = {.analysis = analysis,
                                       .command = command,
                                       .contact = contact,
                                       .by = &of_system},
                            .system = rt_system(run, number),
                            .number = number};
    size_t n = asked->system->n;
    painleve_reader_room(&asked->reader, asked->system->n);
    asked->unit = NEW_N(run->arena, double, 2 * n + 1);
    asked->slide = NEW_N(run->arena, double, 9 + 5 * n);
    for (size_t i = 0; i < 2 * n; i++)
        asked->reader.entry[i] = run->env + asked->system->env_state + i;
    if (rt_contact(run, contact)->instant == IMP_NO_TAPE)
        asked->reader.unknown = "the contact has no friction";
    asked->pivots = NEW_N(run->arena, double, 3 * n * n + n + 1);
    asked->mass = asked->pivots + n;
    asked->of_mass = asked->mass + n * n;
    asked->rank = -1;
    asked->first = NEW_N(run->arena, int, n + 1);
    return asked;
}

/* Forces along the normal of the other one act by the mass matrix; friction
 * there may act where they do not. */
static bool
closed_beside(struct painleve_reader *reader, uint32_t other)
{
    struct asked *asked = ask(reader->analysis, reader->command, other);
    struct painleve_instant there;
    double size[2];
    int n = (int)reader->n;
    if (gap_now(asked, &there, size) ||
        fabs(there.gap) > INSTANT_ZERO * size[0] ||
        fabs(there.rate) > INSTANT_ZERO * size[1])
        return false;
    return rt_contact(reader->analysis->rt, other)->slip != IMP_NO_TAPE ||
           dense_dot(n, asked->reader.normal, reader->by_normal) != 0.0 ||
           dense_dot(n, asked->reader.normal, reader->by_along) != 0.0;
}

/* -- the instant that is asked for ------------------------------------------
 */

/* E0518: a coefficient is negative, or the static one is less than the dynamic
 * one where the contact does not slip; where it does nobody asks for it. */
static int
check_friction(const struct asked *asked, struct painleve_point *point)
{
    struct rt *run = asked->reader.analysis->rt;
    uint32_t contact = asked->reader.contact;
    int st = contact_friction_sign(run, contact, point->mu);
    if (!st)
        st = contact_friction_sign(run, contact, point->mu_static);
    if (!st && point->slip == 0.0)
        return contact_friction_at_rest(run, contact, rt_time(run), point->mu,
                                        &point->mu_static);
    point->mu_static = fmax(point->mu_static, point->mu);
    return st;
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
    if (!st)
        st = check_friction(asked, &out->point);
    out->reader = &asked->reader;
    out->time = rt_time(asked->reader.analysis->rt);
    out->closed = fabs(out->gap) <= INSTANT_ZERO * size[0] &&
                  fabs(out->rate) <= INSTANT_ZERO * size[1];
    return st ? command_failed(asked->reader.analysis, st,
                               asked->reader.command->range, "painleve")
              : IMP_OK;
}

int
painleve_of_system(struct analysis *analysis, const imp_command *command,
                   uint32_t contact, double at, struct painleve_instant *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    return read_instant(ask(analysis, command, contact), at, out);
}

int
painleve_pair_of_system(struct analysis *analysis, const imp_command *command,
                        const uint32_t contact[2], double at,
                        struct painleve_instant out[2],
                        struct painleve_cross *cross)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct asked *one = ask(analysis, command, contact[0]),
                 *two = ask(analysis, command, contact[1]);
    int st = read_instant(one, at, &out[0]);
    if (st || (st = read_instant(two, 0.0, &out[1])))
        return st;
    int n = (int)one->reader.n;
    *cross = (struct painleve_cross){
        .normal = dense_dot(n, one->reader.normal, two->reader.by_normal),
        .gap = {dense_dot(n, one->reader.normal, two->reader.by_along),
                dense_dot(n, two->reader.normal, one->reader.by_along)},
        .slip = dense_dot(n, one->reader.along, two->reader.by_along)};
    return IMP_OK;
}
