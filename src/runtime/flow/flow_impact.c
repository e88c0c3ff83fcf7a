/* SPDX-License-Identifier: MIT */
/* Impacts of systems: at the present state of env, without a motion, from the
 * matrices of the instant (forces do no work within an instant, so there are
 * none); as problems of runtime/impact; its laws as laws of runtime/ballistic;
 * and, with friction, to their limit, as those of runtime/bounces. */

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/bounces/bounces.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/instance/compensated.h"

/* -- who takes part -------------------------------------------------------
 */

/* What impulses of these sizes at most change the rate of contact i by. */
static double
change_by(const struct flow *flow, const double *impulse, uint32_t i)
{
    const double *row =
        flow->taylor->friction->rows.W + (size_t)2 * i * 2 * flow->m;
    double change = 0.0;
    for (uint32_t j = 0; j < flow->m; j++)
        change += fabs(row[2 * j]) * impulse[j];
    return change;
}

bool *
friction_resting(const struct flow *flow, const struct struck *struck,
                 double *noise)
{
    assert(flow && struck && noise);
    const struct taylor_flow *taylor = flow->taylor;
    const double *speed = taylor->friction->rows.speed,
                 *W = taylor->friction->rows.W;
    bool *rests = NEW_N(flow->run->brief, bool, flow->m + 1), more = true;
    double *impulse = NEW_N(flow->run->brief, double, flow->m + 1);
    for (uint32_t i = 0; i < flow->m; i++) {
        double own = W[(size_t)2 * i * 2 * flow->m + 2 * i];
        rests[i] = !struck->hits[i] && friction_rests(flow, i);
        impulse[i] =
            struck->hits[i] && own > 0.0 ? fabs(speed[2 * i]) / own : 0.0;
        noise[i] = 0.0;
    }
    /* what rests hands on what would move it */
    for (uint32_t pass = 0; pass < flow->m && more; pass++) {
        more = false;
        for (uint32_t i = 0; i < flow->m; i++) {
            double own = W[(size_t)2 * i * 2 * flow->m + 2 * i],
                   change = change_by(flow, impulse, i);
            noise[i] = TAYLOR_NOISE * DBL_EPSILON * change;
            if (struck->hits[i] || friction_soft(flow, i) || impulse[i] > 0.0)
                continue;
            rests[i] |=
                !taylor->contacts.closed[i] &&
                fabs(flow->instant.gap[i]) <= noise[i] * fabs(taylor->now) &&
                fabs(speed[2 * i]) <= noise[i];
            if ((rests[i] || taylor->contacts.closed[i]) && own > 0.0 &&
                change > 0.0) {
                impulse[i] = change / own;
                more = true;
            }
        }
    }
    return rests;
}

int
friction_read_group(const struct flow *flow, const struct struck *struck,
                    int *contact, double *W,
                    struct friction_impact_point *point)
{
    assert(struck && contact && W && point);
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    const bool *rests = friction_resting(
        flow, struck, NEW_N(flow->run->brief, double, flow->m + 1));
    size_t n = 0;
    for (uint32_t i = 0; i < flow->m; i++)
        if (struck->hits[i] || rests[i] ||
            (flow->taylor->contacts.closed[i] && !friction_soft(flow, i))) {
            point[n] = friction_point_of(flow, i, struck->law, struck->hits[i],
                                         struck->plastic);
            contact[n++] = (int)i;
        }
    for (size_t r = 0; r < 2 * n; r++)
        for (size_t c = 0; c < 2 * n; c++)
            W[r * 2 * n + c] =
                rows->W[(2 * (size_t)contact[r / 2] + r % 2) * 2 * flow->m +
                        2 * (size_t)contact[c / 2] + c % 2];
    return (int)n;
}

/* Rates after an impact are sums of rounded terms: this share of the greatest
 * rate is rounding. */
#define LAW_ROUNDING (64.0 * DBL_EPSILON)
/* Contacts that approach after an impact are hit again at once; so often. */
#define LAW_AGAIN 1000

/* What BALLISTIC_BY_LAW knows of a flow. Motions that only look ahead have an
 * impact of their own, so that they do not touch that of the last event. */
struct flow_law {
    struct ballistic_law law; /* its context is this struct */
    struct flow *flow;
    enum imp_impact_law word;
    double *terms;
    struct flow_impact last, ahead;
    bool known;  /* `last` has been solved */
    double time; /* and when it is */
};

void
flow_impact_new(struct arena *arena, uint32_t n, uint32_t most,
                struct flow_impact *out)
{
    assert(arena != NULL && out != NULL && most <= IMPACT_CONTACTS_MAX);
    size_t rows = (size_t)most * n;
    struct impact_problem *problem = &out->problem.p;
    *out = (struct flow_impact){.problem.open = IMP_WORLD};
    problem->contact = out->point =
        NEW_N(arena, struct impact_contact, most + 1);
    problem->row = out->row = NEW_N(arena, double, rows + most + 1);
    problem->row_rate = out->row_rate = out->row + rows;
    out->problem.contact = NEW_N(arena, uint32_t, most + 1);
    out->solver = impact_solver_of_rows(arena, n, most);
}

int
flow_impact_read(struct flow_impact *out, struct rt *run, uint32_t first,
                 const struct ballistic *motion, int count, const int *contact,
                 const double *rate, const double *terms)
{
    assert(out != NULL && motion != NULL && run != NULL);
    assert(count > 0 && count <= IMPACT_CONTACTS_MAX);
    struct impact_problem *problem = &out->problem.p;
    problem->n_contact = (uint32_t)count;
    problem->row_length = (uint32_t)motion->matrices.rank;
    memcpy(out->row_rate, terms, (size_t)count * sizeof *terms);
    for (int i = 0; i < count; i++) {
        uint32_t number = first + (uint32_t)contact[i];
        const double *env = run->env + rt_contact(run, number)->env_contact;
        out->problem.contact[i] = number;
        ballistic_row(motion, contact[i], out->row + i * motion->matrices.rank);
        out->point[i] =
            (struct impact_contact){.body = {IMP_WORLD, IMP_WORLD},
                                    .dir = {1.0, 0.0, 0.0},
                                    .recede = rate[i],
                                    .e = motion->model.e[contact[i]],
                                    .priority = INFINITY,
                                    .stiffness = env[IMP_CONTACT_STIFFNESS],
                                    .exponent = env[IMP_CONTACT_EXPONENT]};
    }
    impact_of_run_restitution(run, &out->problem);
    return impact_solver_prepare(out->solver, problem);
}

/* Do contacts approach after the impact? A law may let them: Poisson's with
 * different restitutions, or where others separated before. */
static bool
approaches(const struct impact_solver *solver)
{
    for (int i = 0; i < solver->nc; i++)
        if (solver->velocity.after[i] < -LAW_ROUNDING * solver->approach.speed)
            return true;
    return false;
}

/* Newton's law gives the rates after the impact exactly, so that contacts that
 * close alike go on alike. */
static void
rates_after(const struct impact_solver *solver, double *after)
{
    bool exact = solver->decision.law == IMP_IMPACT_NEWTON;
    for (int i = 0; i < solver->nc; i++)
        after[i] = exact && !solver->approach.open[i]
                       ? -solver->approach.e[i] * solver->approach.v0[i]
                       : solver->velocity.after[i];
}

/* Solves the impact, and those that follow at the same instant because contacts
 * approach after it. *impulse takes the sums, *after the rates behind the last
 * one; the solver keeps the first one. False: nothing is applied. */
static bool
solve(const struct flow_law *law, struct flow_impact *in, const double *rate,
      double *impulse, double *after)
{
    struct impact_solver *solver = in->solver;
    int n = solver->nc, round = 0;
    double gained = 0.0;
    memset(impulse, 0, (size_t)n * sizeof *impulse);
    for (bool again = true; again && round < LAW_AGAIN; round++) {
        impact_solver_solve_pushing(solver, law->word);
        if (!solver->decision.applied ||
            impact_solver_forbidden(solver, law->flow->run->im->forbid))
            return false;
        for (int i = 0; i < n; i++)
            impulse[i] += solver->impulse.P[i];
        gained += solver->balance.gained;
        again = approaches(solver);
        rates_after(solver, after);
        for (int i = 0; i < n && again; i++)
            in->point[i].recede = after[i];
        if (again && impact_solver_prepare(solver, &in->problem.p))
            round = LAW_AGAIN;
    }
    if (round >= LAW_AGAIN) {
        impact_solver_refuse(solver, IMPACT_APPROACHES);
        return false;
    }
    for (int i = 0; i < n && round > 1; i++)
        in->point[i].recede = rate[i];
    if (round > 1 && !impact_solver_prepare(solver, &in->problem.p))
        impact_solver_solve_pushing(solver, law->word);
    solver->balance.gained = gained;
    return true;
}

static bool
impulses(void *context, const struct ballistic *motion, int count,
         const int *contact, const double *rate, double *impulse, double *after)
{
    struct flow_law *law = context;
    const struct flow *flow = law->flow;
    bool looks = motion != flow->parabola.now &&
                 motion != flow->parabola.next &&
                 !(flow->taylor && motion == flow->taylor->instant);
    struct flow_impact *in = looks ? &law->ahead : &law->last;
    law->known &= looks;
    if (count > IMPACT_CONTACTS_MAX)
        return false;
    for (int i = 0; i < count; i++)
        law->terms[i] = fabs(rate[i]);
    if (flow_impact_read(in, flow->run, flow->sys->contact, motion, count,
                         contact, rate, law->terms))
        return false;
    if (!looks) {
        law->known = true;
        law->time = motion->t;
    }
    return solve(law, in, rate, impulse, after);
}

const struct ballistic_law *
flow_law_new(struct arena *arena, struct flow *flow)
{
    assert(arena != NULL && flow != NULL);
    struct flow_law *law = NEW(arena, struct flow_law);
    uint32_t most =
        flow->m < IMPACT_CONTACTS_MAX ? flow->m : IMPACT_CONTACTS_MAX;
    law->law = (struct ballistic_law){impulses, law};
    law->flow = flow;
    law->word = (enum imp_impact_law)flow->run->im->impact_law;
    law->terms = NEW_N(arena, double, most + 1);
    flow_impact_new(arena, flow->n, most, &law->last);
    flow_impact_new(arena, flow->n, most, &law->ahead);
    return &law->law;
}

const struct flow_impact *
flow_last_impact(const struct flow *flow, const struct flow_event *event)
{
    assert(flow != NULL && event != NULL);
    const struct flow_law *law = flow->law ? flow->law->context : NULL;
    return law && law->known && law->time == event->time ? &law->last : NULL;
}

int
flow_impact_now(struct rt *run, uint32_t system, enum ballistic_policy policy,
                const int *hit, int n_hit, const bool *rests,
                struct ballistic **out, enum ballistic_event *what)
{
    assert(n_hit >= 0 && n_hit <= (int)rt_system(run, system)->n_contact);
    struct flow *flow = NEW(run->arena, struct flow);
    char time_text[NUM_TEXT];
    flow_memory(flow, run, system, run->arena);
    int st = flow_instant(flow);
    if (st)
        return st;
    flow_read_state(flow);
    struct ballistic_model model = flow_model(flow);
    struct ballistic *ballistic =
        ballistic_memory(run->arena, model.n, model.m);
    ballistic->policy = policy;
    if (policy == BALLISTIC_BY_LAW)
        ballistic->law = flow_law_new(run->arena, flow);
    if (ballistic_instant(ballistic, &model, rt_time(run), flow->q, flow->v,
                          rests)) {
        struct diag *diag =
            diag_add(run->ds, DIAG_E0546, flow->sys->range_mass,
                     "the mass matrix of `%s` is not positive definite at "
                     "t = %s",
                     imp_text(run->im, flow->sys->name),
                     rt_told(time_text, rt_time(run), 9));
        diag_help(run->ds, diag,
                  "every motion of the coordinates must have kinetic energy");
        return IMP_FAILED;
    }
    *what = n_hit > 0 ? ballistic_instant_impact(ballistic, hit, n_hit)
                      : BALLISTIC_END;
    *out = ballistic;
    return IMP_OK;
}

int
flow_friction_impact_now(struct rt *run, uint32_t system,
                         enum imp_impact_law law, const int *hit, int n_hit,
                         struct flow_friction_impact *out)
{
    assert(run && out && law < IMP_IMPACT_COUNT && (n_hit == 0 || hit));
    struct arena *arena = run->brief;
    struct flow *flow = NEW(run->arena, struct flow);
    flow_memory(flow, run, system, run->arena);
    flow->end = INFINITY;
    flow->traced = rt_time(run);
    int st = flow_instant(flow);
    flow_read_state(flow);
    if (st || (st = flow_taylor_new(flow)) || (st = friction_rows(flow)))
        return st;
    struct struck struck = friction_new_struck(flow);
    struck.law = law;
    for (int k = 0; k < n_hit; k++) {
        struck.hits[hit[k]] = true;
        flow->taylor->contacts.closed[hit[k]] = false;
    }
    double *W = NEW_N(arena, double, 4 * (size_t)flow->m * (size_t)flow->m),
           *rates = NEW_N(arena, double, flow->n);
    struct friction_impact_point *point =
        NEW_N(arena, struct friction_impact_point, flow->m);
    out->contact = NEW_N(arena, int, flow->m);
    out->n = friction_read_group(flow, &struck, out->contact, W, point);
    out->W = W;
    out->group = (struct friction_group_impact){.why = NULL};
    if (out->n > 0)
        friction_impact_group(arena, out->n, W, point, law, NULL, &out->group);
    for (int k = 0; k < 2 * out->n && !out->group.why; k++)
        struck.impulse[2 * out->contact[k / 2] + k % 2] = out->group.impulse[k];
    friction_push(flow, struck.impulse);
    memcpy(rates, flow->taylor->x + flow->n, flow->n * sizeof *rates);
    out->rates = rates;
    return IMP_OK;
}

double
taylor_low_speed(const struct flow *flow, const double *rate,
                 const double *acceleration, int stride)
{
    assert(flow != NULL && rate != NULL && acceleration != NULL && stride > 0);
    const struct taylor_next_event *next = &flow->taylor->next;
    double fastest = 0.0;
    for (int k = 0; k < next->n_hit; k++) {
        int i = next->hit[k];
        double speed = fmax(0.0, -rate[stride * i]),
               height =
                   RT_GAP_SHARE * RT_TOLERANCE * flow->taylor->terms.gap[i];
        if (!(speed * speed <= -2.0 * acceleration[stride * i] * height))
            return 0.0;
        fastest = fmax(fastest, speed);
    }
    return fastest;
}

enum ballistic_event
taylor_instant_impact(struct flow *flow, struct flow_event *event)
{
    assert(flow != NULL && event != NULL);
    const struct taylor_next_event *next = &flow->taylor->next;
    struct ballistic *now = flow->taylor->instant;
    enum ballistic_policy policy = now->policy;
    if (next->n_hit > 1 && policy == BALLISTIC_UNSTATED)
        event->low =
            taylor_low_speed(flow, now->rate, now->matrices.gap_acc, 1);
    if (event->low > 0.0)
        now->policy = BALLISTIC_COMPLEMENTARITY;
    enum ballistic_event what =
        ballistic_instant_impact(now, next->hit, next->n_hit);
    now->policy = policy;
    return what;
}

/* -- limits of several contacts with friction ------------------------------ */

/* A limit of several contacts with friction is looked for when the last two
 * flights are this share of the time in which the motion changes; after a
 * search without one, when so many more impacts have come, and a quarter of
 * those since the last limit. */
#define SEVERAL_SOON 0x1p-18
#define SEVERAL_WAIT 4
/* Coefficients of friction that are formulas count as those of now while slips
 * change by no more than this share until the limit: what this makes of the
 * impulses is a share of the share of time that is left. */
#define SLIP_SAME 0x1p-20
/* Two forecasts agree that differ by this share of the time that is left. */
#define SEVERAL_SURE 0x1p-6

/* See bounces_friction: they are those of this instant. */
static bool
present_friction(struct bounces *bounce, int point, double speed, bool rests,
                 double mu[3])
{
    const struct flow *flow = bounce->of;
    const struct system_slip *slip = &flow->taylor->friction->rows.slip[point];
    assert(speed >= 0.0 || rests);
    (void)speed;
    (void)rests;
    mu[0] = slip->mu;
    mu[1] = slip->mu_static;
    mu[2] = slip->mu_impact;
    return true;
}

/* All contacts right after an impact. */
static struct bounces *
bounces_now(struct flow *flow, double ahead)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    struct arena *arena = flow->run->brief;
    struct bounces *bounce = bounces_new(flow->run, (int)flow->m);
    struct friction_point *point = NEW_N(arena, struct friction_point, flow->m);
    uint32_t *contact = NEW_N(arena, uint32_t, flow->m);
    bounce->contact = contact;
    bounce->point = point;
    bounce->W = rows->W;
    bounce->free = rows->free;
    bounce->terms = rows->terms;
    bounce->friction = present_friction;
    bounce->of = flow;
    bounce->ahead = ahead;
    bounce->some = true;
    for (uint32_t i = 0; i < flow->m; i++) {
        contact[i] = flow->sys->contact + i;
        bounce->law[i] = friction_point_of(
            flow, i, (enum imp_impact_law)flow->run->im->impact_law, true,
            false);
        bounce->gap[i] = fmax(flow->instant.gap[i], 0.0);
        bounce->rate[2 * i] = rows->speed[2 * i];
        bounce->rate[2 * i + 1] = friction_present_slip(flow, i);
        bounce->band[i] = bounce->blur[i] =
            TAYLOR_NOISE * DBL_EPSILON * taylor->terms.gap[i];
        if (friction->flights.last[i] > -INFINITY)
            bounce->left_at[i] = 0.0;
        bounce->high = fmax(bounce->high, fabs(rows->speed[2 * i]));
    }
    for (int k = 0; k < taylor->next.n_hit; k++)
        bounce->gap[taylor->next.hit[k]] = 0.0;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (taylor->contacts.closed[i]) {
            bounce->gap[i] = bounce->rate[2 * i] = 0.0;
            bounce->held[i] = true;
            bounce->mode[i] = friction->mode[i];
        }
        bounce->peak[i] = bounce->gap[i];
    }
    return bounce;
}

/* Keeps what has been followed. Does it agree with the last forecast? *off: by
 * how much their times differ (s). */
static bool
keep_forecast(struct flow *flow, const struct bounces *bounce, double *off)
{
    struct friction_turns *several = &flow->taylor->friction->several;
    double time = flow->taylor->now + bounce->time, least = bounce->time;
    bool same = several->left > 0.0 && !bounce->joined;
    *off = fabs(time - several->time);
    for (uint32_t i = 0; i < flow->m; i++) {
        same &= several->group[i] == bounce->rests[i];
        several->group[i] = bounce->rests[i];
        several->hit[i] =
            bounce->hits[i] > 0 &&
            (!flow->taylor->contacts.closed[i] || bounce->bounced[i]);
        several->slip[i] = bounces_slip(bounce, (int)i);
        several->work[i] = bounce->work[i];
    }
    bounces_sums(bounce, several->impulse, several->moment);
    several->may_gain = bounce->may_gain;
    several->time = time;
    several->left = least;
    return same && *off <= SEVERAL_SURE * several->left;
}

/* By how much each of the last flights was shorter than the one before, on the
 * average; NAN: there are too few since the last limit. */
static double
flights_ratio(const struct friction_flights *flights)
{
    int half = flights->n > 2 * FRICTION_FLIGHTS ? FRICTION_FLIGHTS
                                                 : (int)(flights->n - 1) / 2;
    if (half < 1)
        return NAN;
    return pow((flights->time[0] - flights->time[half]) /
                   (flights->time[half] - flights->time[2 * half]),
               1.0 / half);
}

/* Have all of the last impacts been those of one contact? */
static bool
hit_alone(const struct friction_flights *flights)
{
    bool alone = true;
    for (int k = 0; k < flights->n && k <= FRICTION_FLIGHTS; k++)
        alone &= flights->contact[k] == flights->contact[0];
    return alone;
}

/* The time in which the motion changes: that of the piece, or of the longest of
 * the last flights. 0: something else than flights, impacts and forces that are
 * unique goes on. */
static double
several_scale(const struct flow *flow)
{
    const struct friction_flights *flights = &flow->taylor->friction->flights;
    double longest = flights->longest;
    /* flights within which forces change their branches are no parabolas */
    if (flow->taylor->branches.switches || flow->taylor->friction->shared)
        return 0.0;
    for (uint32_t i = 0; i < flow->m; i++)
        if (friction_soft(flow, i))
            return 0.0;
    for (int k = 1; k <= 2 * FRICTION_FLIGHTS && k < flights->n; k++)
        longest = fmax(longest, flights->time[k - 1] - flights->time[k]);
    const struct taylor_friction *friction = flow->taylor->friction;
    if (friction->series.n > 1)
        longest =
            fmax(longest, friction->series.time[0] - friction->several.since);
    return fmin(flow->taylor->piece.h, longest);
}

/* The time that the last two flights have taken, or, right behind a limit in a
 * series of limits, the last turn. INFINITY: there are too few. */
static double
last_turn(const struct flow *flow)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_flights *flights = &friction->flights;
    return flights->n >= 4 ? flights->time[0] - flights->time[2]
           : friction->series.n > 1
               ? flow->taylor->now - friction->series.time[1]
               : INFINITY;
}

/* By how much the slip of a contact whose coefficients are formulas changes
 * until the limit, as a share of itself: they count as those of now. */
static double
slip_changes(const struct flow *flow, const struct bounces *bounce)
{
    double most = 0.0;
    for (uint32_t i = 0; i < flow->m; i++) {
        double slip = friction_present_slip(flow, i),
               change = fabs(bounces_slip(bounce, (int)i) - slip);
        if (rt_contact(flow->run, flow->sys->contact + i)->flags &
                IMP_CONTACTF_VARIES &&
            change > 0.0)
            most = fmax(most, change / fabs(slip));
    }
    return most;
}

/* Follows all contacts to a limit within `ahead` (s), of those that come to
 * rest first or, after limits in turns (nested), of all that are hit. *changes:
 * see slip_changes. NULL: there is none that is known. */
static struct bounces *
follow_several(struct flow *flow, double ahead, bool nested, double *changes)
{
    struct bounces *bounce = bounces_now(flow, ahead);
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct limit_series *series = &friction->series;
    bounce->some = !nested;
    /* what is closed is of these if it is knocked off */
    for (uint32_t i = 0; i < flow->m && nested; i++)
        bounce->bounced[i] =
            !flow->taylor->contacts.closed[i] &&
            friction->flights.last[i] >= series->time[series->n - 1];
    if (!bounces_follow(bounce) || !(bounce->time > 0.0) ||
        !bounces_independent(bounce, flow->taylor->contacts.closed))
        return NULL;
    *changes = slip_changes(flow, bounce);
    return *changes <= SLIP_SAME ? bounce : NULL;
}

void
friction_foresee_several(struct flow *flow)
{
    assert(flow && flow->taylor->friction);
    struct taylor_friction *friction = flow->taylor->friction;
    struct friction_turns *several = &friction->several;
    const struct friction_flights *flights = &friction->flights;
    double now = flow->taylor->now, scale = several_scale(flow), off,
           before = several->left;
    bool alone = hit_alone(flights) &&
                 (friction->series.n == 0 || flights->n > FRICTION_FLIGHTS);
    for (uint32_t i = 0; i < flow->m; i++)
        alone &= !flow->taylor->contacts.closed[i];
    if (alone && friction->series.n == 0) /* its own law says more */
        several->left = 0.0;
    if (!(scale > 0.0) || alone || several->wait > flow->impacts ||
        last_turn(flow) > SEVERAL_SOON * scale ||
        (before > 0.0 && several->time > now &&
         several->time - now > 0.5 * before))
        return;
    double ahead = fmin(scale, flow->end - now), changes;
    bool nested = friction->series.n > 0;
    int first = -1;
    struct bounces *bounce = follow_several(flow, ahead, nested, &changes);
    if (!bounce && nested)
        bounce = follow_several(flow, ahead, nested = false, &changes);
    if (!bounce) {
        several->left = 0.0;
        several->wait = flow->impacts + SEVERAL_WAIT + flights->n / 4;
        return;
    }
    bool agrees = keep_forecast(flow, bounce, &off);
    int members = 0;
    for (uint32_t i = flow->m; i-- > 0;) {
        first = several->group[i] ? (int)i : first;
        members += several->group[i];
    }
    nested = nested && members > 1;
    if (!agrees || first < 0 || several->left > FRICTION_LAW_SHORT * scale)
        return;
    double share = several->left / scale;
    friction->limit = (struct friction_limit){
        .contact = first,
        .time = several->time,
        .left = several->left,
        .several = true,
        .is = {.evidence = LIMIT_BELOW_ROUNDING,
               .impacts = nested ? flow->impacts : flights->n,
               .depth = nested ? 2 : 1,
               .ratio = flights_ratio(flights),
               .ratio_error = NAN,
               .remaining = several->left,
               .error = fmin(
                   1.0, (2.0 * off + TAYLOR_NOISE * DBL_EPSILON * fabs(now)) /
                            several->left),
               .state_error =
                   share * (share + changes) + TAYLOR_NOISE * DBL_EPSILON}};
}

/* What the forces of closed contacts have done in the flight to the limit,
 * which the forecast has counted, too. */
static void
leave_out_held(struct flow *flow)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    const struct friction_turns *several = &friction->several;
    double left = several->left;
    for (uint32_t i = 0; i < flow->m; i++) {
        if (!taylor->contacts.closed[i])
            continue;
        const double force[] = {friction->normal_now[i],
                                friction->tangential_now[i]};
        for (uint32_t k = 0; k < 2; k++) {
            several->impulse[2 * i + k] -= force[k] * left;
            several->moment[2 * i + k] -= 0.5 * force[k] * left * left;
        }
        several->work[i] -= force[1] * friction_present_slip(flow, i) * left;
    }
}

void
friction_take_moments(struct flow *flow)
{
    assert(flow && flow->taylor->friction);
    struct taylor_flow *taylor = flow->taylor;
    const struct friction_rows *rows = &taylor->friction->rows;
    const double *moment = taylor->friction->several.moment;
    leave_out_held(flow);
    for (uint32_t r = 0; r < 2 * flow->m; r++)
        for (uint32_t j = 0; j < flow->n && moment[r] != 0.0; j++)
            state_add(&taylor->x[j], &taylor->lo[j],
                      rows->B[r * flow->n + j] * moment[r]);
}
