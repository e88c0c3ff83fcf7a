/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold within a run with friction, by the forces that it records:
 * Coulomb's law at every row, and between three rows that no event separates
 * the balance of momentum and of energy. */
#include <math.h>
#include <string.h>

#include "audit.h"
#include "vector.h"

/* Forces, slips and works, relative to numbers near to 1: forces follow from
 * linear equations whose pivots are seldom below 1e-3, states are good to
 * 1e-10. */
static const double FORCE = 1e-7, SLIP = 1e-8, WORK = 1e-8;

/* Nearer to a jam than this the force is unknown, as the slip that it changes
 * within the rounding of the time is. */
static const double AT_JAM = 1e-12;

/* Gaps of closed contacts, as those of the other audits. */
static const double CLOSED = 1e-8;

/* Simpson's rule is in error by less than this share of what separates it from
 * the trapezoidal rule, where the step is short enough that three terms of a
 * Taylor series tell the motion. Where it is not, as beside a place at which
 * slip would jam a little later, the same is asked of finer rows (check.c). */
static const double SIMPSON = 0.05, BALANCE = 1e-8;

static const struct force *
force_at(const struct result *result, int row, int contact)
{
    return &result->force[row * result->contacts + contact];
}

bool
audit_has_force(const struct result *result, int row, int contact)
{
    return !isnan(force_at(result, row, contact)->normal);
}

static double
greatest_coefficient(const struct contact *contact)
{
    return fmax(contact->friction, contact->static_friction);
}

static void
audit_cone(const struct model *model, const struct result *result, int row,
           int index, struct finding *finding)
{
    const struct contact *contact = &model->contact[index];
    const struct force *force = force_at(result, row, index);
    double scale = FORCE * (1 + fabs(force->normal));
    double bound = greatest_coefficient(contact) * force->normal;
    double slips = -contact_friction(contact, force->slip) * force->normal;
    double gap = result->gap[row * result->contacts + index];
    const char *wrong = NULL;
    if (force->normal < -scale)
        wrong = "the normal force pulls";
    else if (force->normal > scale && !(fabs(gap) < CLOSED) &&
             model->record_gaps)
        wrong = "there is a force at an open contact";
    else if (force->mode == 0 && (force->normal != 0 || force->friction != 0))
        wrong = "an open contact carries a force";
    else if (fabs(force->friction) > bound + scale)
        wrong = "the friction lies outside of the cone";
    else if (force->mode == 2 && fabs(force->friction - slips) > scale)
        wrong = "slip forward without its friction";
    else if (force->mode == 3 && fabs(force->friction + slips) > scale)
        wrong = "slip backward without its friction";
    else if (force->mode == 1 && fabs(force->slip) > SLIP)
        wrong = "what sticks slips";
    else if ((force->mode == 2 && force->slip < -SLIP) ||
             (force->mode == 3 && force->slip > SLIP))
        wrong = "it slips in the other direction";
    if (wrong)
        finding_set(
            finding, "Coulomb",
            "%s at t = %.17g: %s (N %.17g, T %.17g, slip %.3g, mode %d, "
            "gap %.3g)",
            contact->name, result->t[row], wrong, force->normal,
            force->friction, force->slip, force->mode, gap);
}

/* Between two events at one time no forces are chosen yet, and before an event
 * they may be those of the features that follow. */
static bool
is_between(const struct result *result, int row)
{
    return row + 1 < result->rows && result->t[row + 1] == result->t[row];
}

/* Are the three rows from `row` on at equal distances, with no event between
 * and no limit that sums them up? */
static bool
is_smooth(const struct result *result, int row)
{
    const double *t = result->t + row;
    if (row + 2 >= result->rows || !(t[1] > t[0]) ||
        fabs(t[2] - 2 * t[1] + t[0]) > 1e-6 * (t[2] - t[0]))
        return false;
    double margin = 1e-9 * (1 + fabs(t[2]));
    for (int i = 0; i < result->events; i++)
        if (result->event[i].time > t[0] - margin &&
            result->event[i].time < t[2] + margin)
            return false;
    return !is_summed(result, t[0]) && !is_summed(result, t[2]) &&
           !is_summed(result, t[1]);
}

/* Is the sum over three rows of a rate the change of a quantity? */
static bool
balances(double step, const double rate[3], double change, double *error)
{
    double simpson = step / 6 * (rate[0] + 4 * rate[1] + rate[2]);
    double trapezoid = step / 4 * (rate[0] + 2 * rate[1] + rate[2]);
    double scale = 1 + fabs(rate[0]) + fabs(rate[1]) + fabs(rate[2]);
    *error = change - simpson;
    return fabs(*error) <=
           BALANCE * scale + SIMPSON * fabs(simpson - trapezoid);
}

/* A ball that rolls from a side to a corner of another body is pushed by
 * another force from there on, which is no event. */
static bool
is_steady(const struct model *model, const struct result *result, int row)
{
    for (int i = 0; i < model->contacts; i++) {
        const struct force *force[3];
        for (int k = 0; k < 3; k++)
            force[k] = force_at(result, row + k, i);
        double bend =
            force[1]->normal - (force[0]->normal + force[2]->normal) / 2;
        if (model->contact[i].there && !model->contact[i].system &&
            model->body[model->contact[i].first].shape != SHAPE_HALF &&
            fabs(bend) > 1e-3 * (1 + force[1]->normal))
            return false;
    }
    return true;
}

/* How far the power of a contact bends over the three rows from `row` on. */
static double
power_bend(const struct result *result, int row, int index)
{
    double bend = 0;
    if (row < 0 || row + 2 >= result->rows)
        return 0;
    for (int k = 0; k < 3; k++) {
        const struct force *force = force_at(result, row + k, index);
        bend += (k == 1 ? -2 : 1) * force->friction * force->slip;
    }
    return isnan(bend) ? 0 : fabs(bend);
}

/* Near a place where the power turns from one bend to the other three rows show
 * none, and Simpson's rule is in error by a share of the bend beside them. */
static void
audit_work(const struct model *model, const struct result *result, int row,
           int index, struct finding *finding)
{
    double rate[3], error, step = result->t[row + 2] - result->t[row];
    double beside = fmax(power_bend(result, row - 1, index),
                         power_bend(result, row + 1, index));
    double change = force_at(result, row + 2, index)->work -
                    force_at(result, row, index)->work;
    for (int k = 0; k < 3; k++) {
        const struct force *force = force_at(result, row + k, index);
        rate[k] = force->friction * force->slip;
    }
    bool adds_up = balances(step, rate, change, &error) ||
                   fabs(error) <= SIMPSON * step * beside / 12;
    if (!adds_up || change > WORK)
        finding_set(finding, "work",
                    "the work of %s changes by %.17g from t = %.17g to %.17g: "
                    "off by %.3g",
                    model->contact[index].name, change, result->t[row],
                    result->t[row + 2], error);
}

/* The energy falls by the work of friction and by nothing else. */
static void
audit_loss(const struct model *model, const struct result *result, int row,
           struct finding *finding)
{
    double loss = result->energy[row + 2] - result->energy[row];
    double work = audit_joint_work(model, result, row + 2) -
                  audit_joint_work(model, result, row);
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].there)
            work += force_at(result, row + 2, i)->work -
                    force_at(result, row, i)->work;
    if (!(fabs(loss - work) < WORK * (1 + fabs(result->energy[row]))))
        finding_set(finding, "energy and work",
                    "the energy changes by %.17g from t = %.17g to %.17g, and "
                    "friction does the work %.17g",
                    loss, result->t[row], result->t[row + 2], work);
}

/* Normal of a contact of half-planes and balls, from the first body to the
 * second; false: it is not known here. */
static bool
known_normal(const struct model *model, const struct result *result, int row,
             const struct contact *contact, double out[3])
{
    const struct body *first = &model->body[contact->first];
    const struct body *second = &model->body[contact->second];
    double turn[3][3];
    static const double up[3] = {0, 1, 0};
    if (first->shape == SHAPE_HALF) {
        /* it may turn with the ground */
        memcpy(turn, result_state(result, row, contact->first)->turn,
               sizeof turn);
        rotate(turn, up, out);
        return true;
    }
    if (first->shape != SHAPE_BALL || second->shape != SHAPE_BALL)
        return false;
    add_scaled(result_state(result, row, contact->second)->position, -1,
               result_state(result, row, contact->first)->position, out);
    double size = length(out);
    for (int k = 0; k < 3; k++)
        out[k] /= size;
    return true;
}

bool
audit_contacts_load(const struct model *model, const struct result *result,
                    int row, int body, double out[3], bool *torque)
{
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        const struct force *force = force_at(result, row, i);
        double normal[3];
        if (!contact->there || contact->system ||
            (contact->first != body && contact->second != body) ||
            force->mode == 0)
            continue;
        if (!known_normal(model, result, row, contact, normal))
            return false;
        double side = contact->second == body ? 1 : -1;
        const double tangent[2] = {normal[1], -normal[0]};
        for (int k = 0; k < 2; k++)
            out[k] += side * (force->normal * normal[k] +
                              force->friction * tangent[k]);
        if (model->body[body].shape == SHAPE_BALL)
            out[2] += model->body[body].size[0] * force->friction;
        else
            *torque = false;
    }
    return true;
}

static bool
is_loaded(const struct body *body)
{
    static const struct load none;
    return memcmp(&body->load, &none, sizeof none) != 0 ||
           body->rotor.inertia != 0;
}

/* Does a flat point of a superellipse pass over what it touches between this
 * row and the second one behind it, or within as long before and behind? The
 * height over a floor at an angle a from there is c + k |a|^(4/3), so that
 * forces grow with |a|^(-2/3) there (docs/limits.md): their impulse is finite,
 * and no rows tell it. At n steps from there Simpson's rule is in error by some
 * 0.1/n^(14/3) of them, which 1/32 of the step makes rounding. */
static bool
flat_point_passes(const struct model *model, const struct result *result,
                  int row, int index)
{
    static const double quarter = 1.57079632679489661923;
    bool passes = false;
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        double phase[2], normal[3];
        if (model->body[index].shape != SHAPE_SUPERELLIPSE || !contact->there ||
            contact->system ||
            (contact->first != index && contact->second != index) ||
            force_at(result, row + 1, i)->mode == 0)
            continue;
        for (int k = 0; k < 2; k++) {
            if (!known_normal(model, result, row + 2 * k, contact, normal))
                return false;
            phase[k] = (atan2(normal[1], normal[0]) -
                        result_state(result, row + 2 * k, index)->angle) /
                       quarter;
        }
        double step = remainder(phase[1] - phase[0], 4), low = phase[0] - step,
               high = phase[0] + 2 * step;
        passes |= floor(low) != floor(high);
    }
    return passes;
}

static void
audit_balance(const struct model *model, const struct result *result, int row,
              int index, double mass, struct finding *finding)
{
    const struct body *body = &model->body[index];
    double load[3][3], error;
    const struct state *now = result_state(result, row, index);
    const struct state *next = result_state(result, row + 2, index);
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 3; m++)
            load[k][m] = mass * model->gravity[m];
        load[k][2] = 0;
        bool torque = true;
        if (!audit_contacts_load(model, result, row + k, index, load[k],
                                 &torque))
            return;
        load[k][2] = torque ? load[k][2] : NAN;
    }
    if (flat_point_passes(model, result, row, index))
        return;
    for (int m = 0; m < 3; m++) {
        double rate[3] = {load[0][m], load[1][m], load[2][m]};
        double inertia = mass * body->size[0] * body->size[0] / 2;
        double change = m < 2 ? mass * (next->velocity[m] - now->velocity[m])
                              : inertia * (next->spin[2] - now->spin[2]);
        if (!isnan(rate[0] + rate[1] + rate[2]) &&
            (m < 2 || body->shape == SHAPE_BALL) &&
            !balances(result->t[row + 2] - result->t[row], rate, change,
                      &error))
            finding_set(finding, "balance",
                        "the momentum (%d) of %s changes by %.17g from t = "
                        "%.17g to %.17g, which the forces that are told miss "
                        "by %.3g",
                        m, body->name, change, result->t[row],
                        result->t[row + 2], error);
    }
}

/* Beside a jam the force goes as a power of the time that is left, and three
 * values do not give its mean. */
enum { BESIDE_JAM = 32 };

static bool
is_beside_jam(const struct result *result, int row)
{
    double span = result->t[row + 2] - result->t[row];
    for (int i = 0; i < result->events; i++)
        if (!strcmp(result->event[i].kind, "jam") &&
            fabs(result->event[i].time - result->t[row]) < BESIDE_JAM * span)
            return true;
    return false;
}

/* Does a table or a ramp of the time change its slope there, and forces jump?
 */
static bool
has_knot(const struct model *model, double from, double to)
{
    for (int i = 0; i < model->bodies; i++) {
        const struct table *of[] = {&model->body[i].path,
                                    &model->body[i].load.table};
        for (int k = 0; k < 2; k++)
            for (int m = 0; m < of[k]->knots; m++)
                if (of[k]->at[m] >= from && of[k]->at[m] <= to)
                    return true;
    }
    for (int i = 0; i < model->systems; i++)
        if (formula_has_knot(&model->system[i].formulas, from, to))
            return true;
    return false;
}

/* At a jam the forces have no bound: is the row one of the moment itself? */
static bool
is_at_jam(const struct result *result, int row)
{
    for (int i = 0; i < result->events; i++)
        if (!strcmp(result->event[i].kind, "jam") &&
            fabs(result->event[i].time - result->t[row]) < AT_JAM)
            return true;
    return false;
}

/* Are the rows from `row` to row + 2 among those whose sums are asked for? */
static bool
is_asked(const struct result *result, int row)
{
    return row + 2 < result->rows && result->t[row] >= result->sums_from &&
           result->t[row + 2] <= result->sums_until;
}

/* What the sums over the rows from `row` on have found, a finer rule may
 * refute: says where. */
static void
note_place(const struct result *result, int row, struct finding *finding)
{
    if (!finding->kind[0])
        return;
    finding->from = result->t[row];
    finding->to = result->t[row + 2];
}

void
audit_friction(const struct model *model, const struct result *result,
               const double *mass, bool energy, struct finding *finding)
{
    for (int row = 0; row < result->rows && !finding->kind[0]; row++) {
        bool all = true;
        bool smooth = is_asked(result, row) && is_smooth(result, row) &&
                      is_steady(model, result, row) &&
                      !is_beside_jam(result, row) &&
                      !has_knot(model, result->t[row], result->t[row + 2]);
        struct finding sums = {0};
        for (int i = 0; i < model->contacts; i++) {
            if (!model->contact[i].there)
                continue;
            all &= audit_has_force(result, row, i);
            if (!audit_has_force(result, row, i) ||
                is_summed(result, result->t[row]) || is_between(result, row) ||
                is_at_jam(result, row))
                continue;
            audit_cone(model, result, row, i, finding);
            if (smooth)
                audit_work(model, result, row, i, &sums);
        }
        if (!is_between(result, row) && !is_at_jam(result, row) &&
            !is_summed(result, result->t[row]))
            audit_bearings(model, result, row, finding);
        if (smooth && all)
            audit_joint_sums(model, result, mass, row, balances, &sums);
        if (smooth && all && energy)
            audit_loss(model, result, row, finding);
        for (int i = 0; i < model->bodies && model->dimension == 2; i++)
            if (smooth && all && body_moves(model, i) &&
                !body_is_jointed(model, i) && !is_loaded(&model->body[i]))
                audit_balance(model, result, row, i, mass[i], &sums);
        if (smooth && all)
            audit_systems_balance(model, result, row, balances, &sums);
        note_place(result, row, &sums);
        if (!finding->kind[0])
            *finding = sums;
    }
}
