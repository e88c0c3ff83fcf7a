/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold within a run of a system: its motion between two rows is that
 * of Lagrange's equations, integrated here by Runge and Kutta's method from
 * derivatives by hyper-dual numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"

/* The integration is good to this for rates and frequencies of the generator:
 * steps of STEP, errors of the order STEP^5 each. */
static const double STEP = 5e-4, MOTION = 1e-8;

/* gaps and energies, relative to numbers near to 1 */
static const double CLOSE = 1e-8;

/* Weaker impacts are not audited one by one. */
static const double WEAK = 1e-6;

struct motion {
    const struct coordinate_system *system;
    struct hyper q[PLACES_COUNT], v[MAX_COORDINATES];
};

static void
motion_at(const struct coordinate_system *system, const struct place *place,
          double time, struct motion *out)
{
    memset(out, 0, sizeof *out);
    out->system = system;
    out->q[TIME_PLACE].value = time;
    for (int i = 0; i < system->coordinates; i++) {
        out->q[i].value = place->q[i];
        out->v[i].value = place->rate[i];
    }
}

static struct hyper
value(const struct motion *motion, int root)
{
    return formula_value(&motion->system->formulas, root, motion->q, motion->v);
}

/* Solves M a = force by elimination; M is positive. */
static void
solve(int n, double M[MAX_COORDINATES][MAX_COORDINATES], double *x)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double factor = k == i ? 0 : M[k][i] / M[i][i];
            for (int m = 0; m < n; m++)
                M[k][m] -= factor * M[i][m];
            x[k] -= factor * x[i];
        }
    for (int i = 0; i < n; i++)
        x[i] /= M[i][i];
}

static void
mass_matrix(const struct motion *at, double M[MAX_COORDINATES][MAX_COORDINATES])
{
    int n = at->system->coordinates;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            struct motion motion = *at;
            motion.v[i].first = 1;
            motion.v[k].second = 1;
            M[i][k] = M[k][i] = value(&motion, at->system->kinetic).both;
        }
}

static void
acceleration(const struct motion *at, double out[MAX_COORDINATES])
{
    const struct coordinate_system *system = at->system;
    double M[MAX_COORDINATES][MAX_COORDINATES];
    int n = system->coordinates;
    mass_matrix(at, M);
    for (int i = 0; i < n; i++) {
        struct motion motion = *at;
        motion.q[i].first = 1;
        out[i] = value(&motion, system->kinetic).first;
        if (system->potential)
            out[i] -= value(&motion, system->potential).first;
        motion.q[i].first = 0;
        motion.v[i].first = 1;
        if (system->dissipation)
            out[i] -= value(&motion, system->dissipation).first;
        if (system->dry)
            out[i] -= value(&motion, system->dry).first;
        for (int k = 0; k < n; k++)
            motion.q[k].second = at->v[k].value;
        out[i] -= value(&motion, system->kinetic).both;
    }
    solve(n, M, out);
}

/* A force of dry friction holds a rate below this. */
static const double HELD = 1e-7;

/* Which ramps are up: a number for comparisons. Integration over a change loses
 * its order. *held: a rate is at 0, or next to it. */
static uint64_t
branches(const struct motion *motion, bool *held)
{
    const struct formulas *formulas = &motion->system->formulas;
    uint64_t up = 0;
    for (int i = 0; i < formulas->count; i++) {
        const struct node *node = &formulas->node[i];
        if (!formula_branches(node))
            continue;
        double left = value(motion, node->left).value;
        up = 2 * up + (left > 0);
        *held |= node->operation == OP_ABS && fabs(left) < HELD;
    }
    return up;
}

/* how many ramps there are */
static int
branches_of(const struct coordinate_system *system)
{
    int count = 0;
    for (int i = 0; i < system->formulas.count; i++)
        count += formula_branches(&system->formulas.node[i]);
    return count;
}

static bool
integrate(const struct coordinate_system *system, const struct place *from,
          double start, double time, double longest, struct place *out)
{
    int n = system->coordinates, steps = 1 + (int)(time / longest);
    double h = time / steps;
    static const double share[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    struct motion motion;
    *out = *from;
    bool held = false;
    motion_at(system, from, start, &motion);
    uint64_t up = branches(&motion, &held);
    for (int step = 0; step < steps; step++) {
        struct place sum = {{0}, {0}}, slope = {{0}, {0}};
        for (int stage = 0; stage < 4; stage++) {
            struct place at = *out;
            for (int i = 0; i < n; i++) {
                at.q[i] += share[stage] * h * slope.q[i];
                at.rate[i] += share[stage] * h * slope.rate[i];
            }
            motion_at(system, &at, start + (step + share[stage]) * h, &motion);
            if (branches(&motion, &held) != up || held)
                return false;
            memcpy(slope.q, at.rate, sizeof slope.q);
            acceleration(&motion, slope.rate);
            for (int i = 0; i < n; i++) {
                sum.q[i] += weight[stage] * slope.q[i] / 6;
                sum.rate[i] += weight[stage] * slope.rate[i] / 6;
            }
        }
        for (int i = 0; i < n; i++) {
            out->q[i] += h * sum.q[i];
            out->rate[i] += h * sum.rate[i];
        }
    }
    return true;
}

/* By how much two places of a system differ, as a share where numbers are
 * above 1; *worst: which coordinate does so most. */
static double
apart(const struct coordinate_system *system, const struct place *own,
      const struct place *next, int *worst)
{
    double most = 0;
    *worst = 0;
    for (int i = 0; i < system->coordinates; i++) {
        double error =
            fabs(own->q[i] - next->q[i]) / fmax(1, fabs(own->q[i])) +
            fabs(own->rate[i] - next->rate[i]) / fmax(1, fabs(own->rate[i]));
        if (!(error <= most)) {
            most = error;
            *worst = i;
        }
    }
    return most;
}

/* Behind an impact that makes it fast, what a damper brings to rest changes
 * within less than STEP. Where a step of that length misses the motion, this
 * many in its place have 1/16^4 of its error; what the engine does wrong stays.
 */
static const double FINER = 16;

static void
audit_step(const struct model *model, const struct result *result, int index,
           int row, struct finding *finding)
{
    const struct coordinate_system *system = &model->system[index];
    const struct place *now = &result->place[row * MAX_SYSTEMS + index];
    const struct place *next = &result->place[(row + 1) * MAX_SYSTEMS + index];
    struct place own;
    double step = result->t[row + 1] - result->t[row],
           /* powers of ramps are not smooth next to where they begin */
        bound = branches_of(system) ? 100 * MOTION : MOTION, error = 0;
    int worst = 0;
    for (int fine = 0; fine < 2; fine++) {
        if (!integrate(system, now, result->t[row], step,
                       fine ? STEP / FINER : STEP, &own))
            return;
        error = apart(system, &own, next, &worst);
        if (error < bound)
            return;
    }
    finding_set(finding, "motion",
                "%s.%s does not follow its equations from t = %.17g to "
                "%.17g, where nothing is told to happen: off by %.3g",
                system->name, system->coordinate[worst], result->t[row],
                result->t[row + 1], error);
}

/* Can a moving ground do work? */
static bool
is_driven(const struct model *model)
{
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].there &&
            (model->contact[i].belt != 0 || contact_is_driven(model, i)))
            return true;
    for (int i = 0; i < model->systems; i++)
        if (formula_has_time(&model->system[i].formulas,
                             model->system[i].potential))
            return true;
    return false;
}

static double
energy_at(const struct coordinate_system *system, const struct place *place,
          double time)
{
    struct motion motion;
    motion_at(system, place, time, &motion);
    return value(&motion, system->kinetic).value +
           (system->potential ? value(&motion, system->potential).value : 0);
}

static void
audit_energy(const struct model *model, const struct result *result, int index,
             int row, struct finding *finding)
{
    const struct coordinate_system *system = &model->system[index];
    double now = energy_at(system, &result->place[row * MAX_SYSTEMS + index],
                           result->t[row]);
    double next =
        energy_at(system, &result->place[(row + 1) * MAX_SYSTEMS + index],
                  result->t[row + 1]);
    double scale = 1 + fabs(now);
    bool driven = is_driven(model);
    if (!(next - now < CLOSE * scale) && !driven && !result->gains)
        finding_set(finding, "energy rises",
                    "the energy of %s rises by %.3g from %.17g between t = "
                    "%.17g and %.17g",
                    system->name, next - now, now, result->t[row],
                    result->t[row + 1]);
    else if (!driven && !system->dissipation && !system->dry &&
             !model_is_rough(model) && result->t[row + 1] > result->t[row] &&
             next - now < -CLOSE * scale)
        finding_set(finding, "energy falls",
                    "the energy of %s falls by %.3g between events, from t = "
                    "%.17g to %.17g",
                    system->name, now - next, result->t[row],
                    result->t[row + 1]);
    if (row == 0 && model->systems == 1 && !model->bodies &&
        fabs(result->energy_before - now) > CLOSE * scale)
        finding_set(finding, "energy",
                    "energy_before is %.17g, and is %.17g at the start",
                    result->energy_before, now);
    if (row + 2 == result->rows && model->systems == 1 && !model->bodies &&
        !strcmp(result->done, "done") &&
        fabs(result->t[row + 1] - result->time) < 1e-12 &&
        fabs(result->energy_after - next) > CLOSE * scale)
        finding_set(finding, "energy",
                    "energy_after is %.17g, and is %.17g at the end",
                    result->energy_after, next);
}

/* The slip by the formula of the contact. */
static void
audit_slip(const struct model *model, const struct result *result, int row,
           int index, struct finding *finding)
{
    const struct contact *contact = &model->contact[index];
    const struct coordinate_system *system =
        &model->system[contact->system - 1];
    struct motion motion;
    if (!contact->rough || !audit_has_force(result, row, index))
        return;
    motion_at(system, &result->place[row * MAX_SYSTEMS + contact->system - 1],
              result->t[row], &motion);
    motion.q[TIME_PLACE].first = 1;
    for (int i = 0; i < system->coordinates; i++)
        motion.q[i].first = motion.v[i].value;
    double own = value(&motion, contact->slide).first - contact->belt;
    double told = result->force[row * result->contacts + index].slip;
    if (!(fabs(own - told) < CLOSE * (1 + fabs(own))))
        finding_set(finding, "slip", "%s: slip %.17g at t = %.17g, told: %.17g",
                    contact->name, own, result->t[row], told);
}

static void
audit_gaps(const struct model *model, const struct result *result, int row,
           struct finding *finding)
{
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (!contact->there || !contact->system)
            continue;
        int index = contact->system - 1;
        struct motion motion;
        motion_at(&model->system[index],
                  &result->place[row * MAX_SYSTEMS + index], result->t[row],
                  &motion);
        double own = value(&motion, contact->gap).value;
        double gap = result->gap[row * result->contacts + i];
        if (own < -CLOSE)
            finding_set(finding, "overlap",
                        "%s: gap %.3g at t = %.17g (told: %.3g)", contact->name,
                        own, result->t[row], gap);
        if (!(fabs(own - gap) < CLOSE * (1 + fabs(own))))
            finding_set(finding, "gap",
                        "%s: gap %.17g at t = %.17g (told: %.17g)",
                        contact->name, own, result->t[row], gap);
        audit_slip(model, result, row, i, finding);
    }
}

/* With friction the momentum changes along the gradients of gap and slide, by
 * the impulse that is told and one within the cone. */
static void
audit_rough_impact(const struct coordinate_system *system,
                   const struct contact *contact, struct motion *motion,
                   const double *change, const struct event *event,
                   struct finding *finding)
{
    double along = 0, across = 0, square = 0;
    int n = system->coordinates;
    double rest[MAX_COORDINATES], slide[MAX_COORDINATES];
    for (int i = 0; i < n; i++) {
        motion->q[i].first = 1;
        rest[i] =
            change[i] - event->impulse * value(motion, contact->gap).first;
        slide[i] = value(motion, contact->slide).first;
        motion->q[i].first = 0;
        along += rest[i] * slide[i];
        square += slide[i] * slide[i];
    }
    along /= square;
    for (int i = 0; i < n; i++)
        across = fmax(across, fabs(rest[i] - along * slide[i]));
    double mu = contact->impact_friction != 0  ? contact->impact_friction
                : contact->stribeck_speed != 0 ? contact->static_friction
                                               : contact->friction;
    if (across > CLOSE * (1 + event->impulse) || event->impulse < -CLOSE ||
        fabs(along) > mu * event->impulse + CLOSE * (1 + event->impulse))
        finding_set(finding, "impulse",
                    "%s at t = %.17g: the impulse is told to be %.17g; with it "
                    "%.17g is along the slide, mu is %.3g, and %.3g is left",
                    contact->name, event->time, event->impulse, along, mu,
                    across);
}

/* An impact at one contact alone: the rate of its gap is reversed, and the
 * momentum changes along its gradient by an impulse that pushes. */
static void
audit_impact(const struct model *model, const struct result *result, int row,
             const struct event *event, struct finding *finding)
{
    const struct contact *contact = &model->contact[event->contact];
    const struct coordinate_system *system =
        &model->system[contact->system - 1];
    int n = system->coordinates, index = contact->system - 1;
    const struct place *before = &result->place[row * MAX_SYSTEMS + index];
    const struct place *after = &result->place[(row + 1) * MAX_SYSTEMS + index];
    double M[MAX_COORDINATES][MAX_COORDINATES], rate[2] = {0, 0};
    double gradient[MAX_COORDINATES], change[MAX_COORDINATES] = {0};
    struct motion motion;
    motion_at(system, before, event->time, &motion);
    mass_matrix(&motion, M);
    motion.q[TIME_PLACE].first = 1;
    rate[0] = rate[1] = value(&motion, contact->gap).first;
    motion.q[TIME_PLACE].first = 0;
    for (int i = 0; i < n; i++) {
        motion.q[i].first = 1;
        gradient[i] = value(&motion, contact->gap).first;
        motion.q[i].first = 0;
        rate[0] += gradient[i] * before->rate[i];
        rate[1] += gradient[i] * after->rate[i];
        for (int k = 0; k < n; k++)
            change[i] += M[i][k] * (after->rate[k] - before->rate[k]);
    }
    double scale = 1 + fabs(rate[0]);
    if (contact->rough) {
        audit_rough_impact(system, contact, &motion, change, event, finding);
        return;
    }
    /* several impacts of a limit may be at one time */
    if (fabs(event->impulse) < WEAK)
        return;
    if (fabs(rate[1] + contact_restitution(contact, -rate[0]) * rate[0]) >
        CLOSE * scale)
        finding_set(finding, "restitution",
                    "%s at t = %.17g: the gap's rate goes from %.17g to %.17g",
                    contact->name, event->time, rate[0], rate[1]);
    for (int i = 0; i < n; i++)
        if (fabs(change[i] - event->impulse * gradient[i]) >
            CLOSE * (1 + fabs(event->impulse)))
            finding_set(finding, "impulse",
                        "%s at t = %.17g: the impulse is told to be %.17g, and "
                        "the momentum of %s changes by %.17g instead of %.17g",
                        contact->name, event->time, event->impulse,
                        system->coordinate[i], change[i],
                        event->impulse * gradient[i]);
    if (event->impulse < -CLOSE)
        finding_set(finding, "pull", "%s at t = %.17g pulls: %.17g",
                    contact->name, event->time, event->impulse);
}

/* Momentum of coordinate i, and its rate by Lagrange's equations with the
 * forces of the row. */
static void
momentum(const struct model *model, const struct result *result, int index,
         int row, int i, double *own, double *rate)
{
    const struct coordinate_system *system = &model->system[index];
    struct motion motion;
    motion_at(system, &result->place[row * MAX_SYSTEMS + index], result->t[row],
              &motion);
    motion.v[i].first = 1;
    *own = value(&motion, system->kinetic).first;
    *rate = 0;
    if (system->dissipation)
        *rate -= value(&motion, system->dissipation).first;
    if (system->dry)
        *rate -= value(&motion, system->dry).first;
    motion.v[i].first = 0;
    motion.q[i].first = 1;
    *rate += value(&motion, system->kinetic).first;
    if (system->potential)
        *rate -= value(&motion, system->potential).first;
    for (int k = 0; k < model->contacts; k++) {
        const struct contact *contact = &model->contact[k];
        const struct force *force = &result->force[row * result->contacts + k];
        if (contact->there && contact->system == index + 1)
            *rate += force->normal * value(&motion, contact->gap).first +
                     force->friction * value(&motion, contact->slide).first;
    }
}

void
audit_systems_balance(const struct model *model, const struct result *result,
                      int row, audit_sum *balances, struct finding *finding)
{
    for (int index = 0; index < model->systems; index++) {
        const struct coordinate_system *system = &model->system[index];
        if (branches_of(system))
            continue;
        for (int i = 0; i < system->coordinates; i++) {
            double own[3], rate[3], error;
            for (int k = 0; k < 3; k++)
                momentum(model, result, index, row + k, i, &own[k], &rate[k]);
            if (!balances(result->t[row + 2] - result->t[row], rate,
                          own[2] - own[0], &error))
                finding_set(finding, "balance",
                            "the momentum of %s.%s from t = %.17g to %.17g is "
                            "missed by %.3g by the forces that are told",
                            system->name, system->coordinate[i], result->t[row],
                            result->t[row + 2], error);
        }
    }
}

/* Is any contact closed by the mode of the row? An impact without rebound tells
 * of no other event. */
static bool
any_closed(const struct model *model, const struct result *result, int row)
{
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].there && model->contact[i].system &&
            result->force[row * result->contacts + i].mode > 0)
            return true;
    return false;
}

void
audit_systems(const struct model *model, const struct result *result,
              struct finding *finding)
{
    bool active[MAX_CONTACTS] = {false};
    int next = 0, any = 0;
    for (int row = 0; model->systems && row < result->rows; row++) {
        int first = next;
        bool summed = is_summed(result, result->t[row]);
        if (!summed)
            audit_gaps(model, result, row, finding);
        while (next < result->events &&
               result->event[next].time <= result->t[row] + 1e-12)
            next++;
        bool jump =
            row + 1 < result->rows && result->t[row + 1] == result->t[row];
        bool alone = next == first + 1 &&
                     (next == result->events ||
                      result->event[next].time > result->t[row] + CLOSE) &&
                     (first == 0 ||
                      result->event[first - 1].time < result->t[row] - CLOSE);
        if (jump && alone && !any &&
            !strcmp(result->event[first].kind, "impact") &&
            result->event[first].contact >= 0)
            audit_impact(model, result, row, &result->event[first], finding);
        for (int i = first; i < next; i++) {
            const struct event *event = &result->event[i];
            if (event->contact < 0)
                continue;
            bool closed = strcmp(event->kind, "leave") != 0 &&
                          strcmp(event->kind, "liftoff") != 0 &&
                          strcmp(event->kind, "impact") != 0;
            if (strcmp(event->kind, "impact") != 0 &&
                closed != active[event->contact]) {
                any += closed ? 1 : -1;
                active[event->contact] = closed;
            }
        }
        if (row + 1 == result->rows)
            break;
        bool next_summed = is_summed(result, result->t[row + 1]);
        for (int i = 0; i < model->systems && !summed && !next_summed; i++) {
            audit_energy(model, result, i, row, finding);
            if (!jump && !any && !any_closed(model, result, row))
                audit_step(model, result, i, row, finding);
        }
        if (finding->kind[0])
            return;
    }
}
