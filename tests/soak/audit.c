/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold within one run. */
#include "audit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solid.h"
#include "vector.h"

/* Depth and distance allowed: Imp's own tolerance of a gap is 1e-9 of a length,
 * and the search for the least depth here is good to 1e-9. */
static const double APART = 1e-8;

/* Positions, velocities and energies of free flight follow from the row before
 * by rounding alone. */
static const double FLIGHT = 1e-10;

struct audit {
    const struct model *model;
    const struct result *result;
    struct finding *finding;
    struct solid solid[MAX_BODIES];
    double mass[MAX_BODIES];   /* 0: fixed */
    bool active[MAX_CONTACTS]; /* carries a force from here on, or may */
};

bool
is_known_limit(const struct result *result)
{
    static const char *const known[] = {"E0710", "E0712", "W0730", "E0750"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(result->code, known[i]))
            return true;
    return false;
}

/* What comes to rest where its gap has a corner ends there. */
static bool
ends_at_corner(const struct model *model, const struct result *result)
{
    static const char *const known[] = {"E0735", "E0737", "E0714"};
    for (size_t i = 0; model->bent && i < sizeof known / sizeof *known; i++)
        if (!strcmp(result->code, known[i]))
            return true;
    return false;
}

/* Laws of impacts that state no bound may ask a corner to pull, or add energy,
 * and Imp refuses what does. What is refused must be more than rounding, for
 * bodies of kilogrammes. */
static bool
is_honest_refusal(const struct model *model, const struct result *result)
{
    const char *beyond = strstr(result->err, "pulls with an impulse of "),
               *gain = strstr(result->err, "adds an energy of "),
               *given = strstr(result->err, ", for an approach of ");
    bool own = false;
    double approach, slip;
    for (int i = 0; i < model->contacts; i++)
        own |= model->contact[i].there && model->contact[i].own_law;
    if (!own || strcmp(result->code, "E0767") != 0 || !(beyond || gain) ||
        !given ||
        sscanf(given, ", for an approach of %lf and a slip of %lf", &approach,
               &slip) != 2)
        return false;
    double speed = fabs(approach) + fabs(slip),
           amount = fabs(atof(strstr(beyond ? beyond : gain, " of ") + 4));
    return amount > 1e-12 * (beyond ? speed : speed * speed);
}

void
audit_end(const struct model *model, const struct result *result,
          struct finding *finding)
{
    if (result->status == EXIT_SIGNAL)
        finding_set(finding, "crash", "ended by signal %d", result->signal);
    else if (result->status == EXIT_TIME)
        finding_set(finding, "hang", "no end within the time allowed");
    else if (strstr(result->err, "internal error") ||
             strstr(result->err, "Assertion"))
        finding_set(finding, "internal error", "%.900s", result->err);
    else if (result->status == 2 || !result->read)
        finding_set(finding, "refused", "status %d: %.900s", result->status,
                    result->err);
    else if (result->status && !is_known_limit(result) &&
             !ends_at_corner(model, result) &&
             !is_honest_refusal(model, result)) {
        char kind[40];
        snprintf(kind, sizeof kind, "error %s", result->code);
        finding_set(finding, kind, "%.900s", result->err);
    }
}

static double
ball_volume(int dimension, double exponent)
{
    if (dimension == 2)
        return 4 * pow(tgamma(1 + 1 / exponent), 2) / tgamma(1 + 2 / exponent);
    return 8 * pow(tgamma(1 + 1 / exponent), 3) / tgamma(1 + 3 / exponent);
}

static double
body_mass(const struct body *body, const struct solid *solid)
{
    double volume = solid->area;
    if (body->density == 0)
        return body->mass;
    if (!solid->corners) {
        volume = ball_volume(solid->dimension,
                             body->shape == SHAPE_SUPERELLIPSE ? 4 : 2);
        for (int k = 0; k < solid->dimension; k++)
            volume *= body->size[body->shape == SHAPE_BALL ? 0 : k];
    }
    return body->density * volume;
}

/* Flights may come down to the rounding of the time. */
static const double TICKS = 1e-15;

bool
is_summed(const struct result *result, double time)
{
    for (int i = 0; i < result->limits; i++)
        if (time < result->limit[i].time &&
            time > result->limit[i].time - 2 * result->limit[i].sum -
                       TICKS * (1 + result->limit[i].time))
            return true;
    return false;
}

static void
audit_gaps(struct audit *audit, int row)
{
    const struct model *model = audit->model;
    const struct result *result = audit->result;
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (!contact->there)
            continue;
        const struct solid *a = &audit->solid[contact->first];
        const struct solid *b = &audit->solid[contact->second];
        double own =
            solid_separation(a, result_state(result, row, contact->first), b,
                             result_state(result, row, contact->second));
        double gap = result->gap[row * result->contacts + i];
        if (own < -APART)
            finding_set(audit->finding, "overlap",
                        "%s: depth %.3g at t = %.17g (gap %.3g)", contact->name,
                        -own, result->t[row], gap);
        else if (!(fabs(gap - own) <
                   (own > APART ? 1 : 10) * APART * (1 + own)))
            finding_set(audit->finding, "gap",
                        "%s: gap %.17g at t = %.17g, the distance is %.17g",
                        contact->name, gap, result->t[row], own);
    }
}

static bool
is_free(const struct audit *audit, int body)
{
    static const struct load none;
    const struct load *load = &audit->model->body[body].load;
    if (body_is_jointed(audit->model, body) ||
        audit->model->body[body].rotor.inertia != 0)
        return false;
    for (int i = 0; i < audit->model->contacts; i++)
        if (audit->active[i] && (audit->model->contact[i].first == body ||
                                 audit->model->contact[i].second == body))
            return false;
    return load->spring == none.spring && load->drag == none.drag &&
           load->torque_drag == 0 && length(load->constant) == 0 &&
           length(load->wave) == 0 && !load->table.knots &&
           length(load->torque) == 0 && rail_is_none(&load->rail);
}

/* A body that nothing touches falls freely from one row to the next. */
static void
audit_flight(struct audit *audit, int row)
{
    const struct model *model = audit->model;
    const struct result *result = audit->result;
    double step = result->t[row + 1] - result->t[row];
    for (int i = 0; i < model->bodies; i++) {
        if (!body_moves(model, i) || !is_free(audit, i))
            continue;
        const struct state *now = result_state(result, row, i);
        const struct state *next = result_state(result, row + 1, i);
        double place[3], speed[3];
        add_scaled(now->velocity, step, model->gravity, speed);
        add_scaled(now->position, step, now->velocity, place);
        add_scaled(place, step * step / 2, model->gravity, place);
        double error =
            distance(place, next->position) + distance(speed, next->velocity);
        if (model->dimension == 2)
            error += fabs(next->spin[2] - now->spin[2]) +
                     fabs(now->angle + step * now->spin[2] - next->angle);
        if (!(error < FLIGHT))
            finding_set(audit->finding, "flight",
                        "%s does not fall freely between t = %.17g and %.17g, "
                        "where nothing is told to happen: off by %.3g",
                        model->body[i].name, result->t[row], result->t[row + 1],
                        error);
    }
}

/* Without loads and moving walls energy falls, and only at impacts. */
static void
audit_energy(struct audit *audit, int row, double scale)
{
    const struct result *result = audit->result;
    double change = result->energy[row + 1] - result->energy[row];
    if (!(change < FLIGHT * scale) && !result->gains)
        finding_set(audit->finding, "energy rises",
                    "energy rises by %.3g from %.17g between t = %.17g and "
                    "%.17g",
                    change, result->energy[row], result->t[row],
                    result->t[row + 1]);
    else if (result->t[row + 1] > result->t[row] && change < -FLIGHT * scale &&
             !model_is_rough(audit->model))
        finding_set(audit->finding, "energy falls",
                    "energy falls by %.3g between events, from t = %.17g to "
                    "%.17g",
                    -change, result->t[row], result->t[row + 1]);
}

/* The pins of hinges stay where they are: on the world, or at one place of both
 * bodies. */
static void
audit_joints(struct audit *audit, int row)
{
    const struct model *model = audit->model;
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        double pin[2][3];
        if (!joint->there)
            continue;
        memcpy(pin[1], joint->at, sizeof pin[1]);
        for (int k = 0; k < (joint->second < 0 ? 1 : 2); k++) {
            int body = k ? joint->second : joint->first;
            const struct state *state = result_state(audit->result, row, body);
            const struct state *start = result_state(audit->result, 0, body);
            double turn[3][3];
            const double *place = model->body[body].fixed
                                      ? start->position
                                      : model->body[body].position;
            if (model->body[body].fixed)
                memcpy(turn, start->turn, sizeof turn);
            else if (model->dimension == 2)
                angle_matrix(model->body[body].angle, turn);
            else
                quaternion_matrix(model->body[body].quaternion, turn);
            add_scaled(joint->at, -1, place, pin[k]);
            rotate_back(turn, pin[k], pin[k]);
            memcpy(turn, state->turn, sizeof turn);
            rotate(turn, pin[k], pin[k]);
            add_scaled(state->position, 1, pin[k], pin[k]);
        }
        if (joint->slider) { /* along its axis it may be anywhere */
            double axis[3];
            slider_axis(model, audit->result, row, joint, axis);
            double way = dot(pin[0], axis) - dot(pin[1], axis);
            add_scaled(pin[0], -way, axis, pin[0]);
        }
        if (!(distance(pin[0], pin[1]) < FLIGHT))
            finding_set(audit->finding, "joint",
                        "%s is off by %.3g at t = %.17g", joint->name,
                        distance(pin[0], pin[1]), audit->result->t[row]);
    }
}

/* Kinetic and potential energy of bodies whose mass and inertia are stated. */
static double
stated_energy(const struct model *model, const struct result *result, int row)
{
    double sum = 0;
    for (int i = 0; i < model->bodies; i++) {
        const struct body *body = &model->body[i];
        const struct state *state = result_state(result, row, i);
        if (!body_moves(model, i))
            continue;
        if (body->density != 0)
            return NAN;
        double turn[3][3], spin[3];
        memcpy(turn, state->turn, sizeof turn);
        rotate_back(turn, state->spin, spin);
        sum += body->mass * dot(state->velocity, state->velocity) / 2 -
               body->mass * dot(model->gravity, state->position);
        for (int k = 0; k < 3; k++)
            sum += (model->dimension == 3 ? body->moments[k]
                    : k == 2              ? body->inertia
                                          : 0) *
                   spin[k] * spin[k] / 2;
        /* the inertia of a body counts its rotor, which turns more */
        double rate = body->rotor.inertia != 0
                          ? result->rotor[row * result->bodies + i]
                          : 0;
        sum += body->rotor.inertia * rate * (spin[2] + rate / 2);
    }
    return sum;
}

static bool
energy_is_known(const struct model *model)
{
    static const struct load none;
    if (!ride_is_rest(&model->ground) || !ride_is_rest(&model->carried))
        return false;
    for (int i = 0; i < model->systems; i++)
        if (model->system[i].dissipation || model->system[i].dry ||
            formula_has_time(&model->system[i].formulas,
                             model->system[i].potential))
            return false;
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].belt != 0 || contact_is_driven(model, i))
            return false;
    for (int i = 0; i < model->bodies; i++) {
        const struct body *body = &model->body[i];
        if (body->there &&
            (length(body->carry) > 0 || length(body->swing) > 0 ||
             body->path.knots || ride_turns(&body->turning) ||
             (!body->fixed && memcmp(&body->load, &none, sizeof none) != 0)))
            return false;
    }
    return true;
}

/* The greatest of friction; 0 without any. Own laws bound it by none. */
static double
impact_coefficient(const struct model *model, const struct event *event)
{
    const struct contact *contact = &model->contact[event->contact];
    return contact->own_law || contact->sticks ? INFINITY
           : !contact->rough                   ? 0
           : contact->impact_friction != 0     ? contact->impact_friction
           : contact->stribeck_speed != 0      ? contact->static_friction
                                               : contact->friction;
}

/* The rows before and after the events at one time. */
static void
audit_impact(struct audit *audit, int row, const struct event *event, int count)
{
    const struct model *model = audit->model;
    const struct result *result = audit->result;
    bool hit[MAX_BODIES] = {false}, fixed = false, held = false;
    double sum[3] = {0}, scale = 0;
    for (int i = 0; i < count; i++) {
        if (event[i].contact < 0)
            return;
        const struct contact *contact = &model->contact[event[i].contact];
        int pair[2] = {contact->first, contact->second};
        for (int k = 0; k < 2; k++) {
            hit[pair[k]] = true;
            fixed |= model->body[pair[k]].fixed;
            held |= !model->body[pair[k]].fixed && !is_free(audit, pair[k]);
        }
    }
    for (int i = 0; i < model->bodies; i++) {
        if (!body_moves(model, i))
            continue;
        double change[3];
        add_scaled(result_state(result, row + 1, i)->velocity, -1,
                   result_state(result, row, i)->velocity, change);
        add_scaled(sum, audit->mass[i], change, sum);
        scale += audit->mass[i] * length(change);
        double impulse = audit->mass[i] * length(change);
        if (!hit[i] && !held && impulse > FLIGHT)
            finding_set(audit->finding, "impulse from nowhere",
                        "%s is not hit at t = %.17g, but takes an impulse "
                        "%.3g",
                        model->body[i].name, event->time, impulse);
        else if (hit[i] && count == 1 && !held &&
                 (impulse < fabs(event->impulse) - FLIGHT ||
                  impulse > fabs(event->impulse) *
                                    hypot(1, impact_coefficient(model, event)) +
                                FLIGHT))
            finding_set(audit->finding, "impulse",
                        "%s at t = %.17g: the impulse is told to be %.17g, and "
                        "its momentum changes by %.17g",
                        model->body[i].name, event->time, event->impulse,
                        impulse);
    }
    if (!fixed && !held && length(sum) > FLIGHT * (1 + scale))
        finding_set(audit->finding, "momentum",
                    "momentum changes by %.3g at t = %.17g", length(sum),
                    event->time);
}

static void
audit_event_places(struct audit *audit, int row, const struct event *event,
                   int count)
{
    const struct model *model = audit->model;
    for (int i = 0; i < count; i++) {
        if (event[i].contact < 0)
            continue;
        const struct contact *contact = &model->contact[event[i].contact];
        double own =
            solid_separation(&audit->solid[contact->first],
                             result_state(audit->result, row, contact->first),
                             &audit->solid[contact->second],
                             result_state(audit->result, row, contact->second));
        /* a stop may be told of a contact that another one closes */
        if (own > 10 * APART)
            finding_set(audit->finding, "event where nothing is",
                        "%s of %s at t = %.17g, but the distance is %.3g",
                        event[i].kind, contact->name, event[i].time, own);
        /* Newton's law may pull at one of several contacts */
        if (event[i].impulse < -FLIGHT && !contact->sticks &&
            (count == 1 || model->law))
            finding_set(audit->finding, "pull",
                        "%s of %s at t = %.17g pulls: impulse %.17g",
                        event[i].kind, contact->name, event[i].time,
                        event[i].impulse);
    }
}

static void
note_active(struct audit *audit, const struct event *event)
{
    if (event->contact < 0)
        return;
    static const char *const closing[] = {"slide", "chatter", "touch",
                                          "slip",  "stick",   "reverse"};
    for (int i = 0; i < 6; i++)
        if (!strcmp(event->kind, closing[i]))
            audit->active[event->contact] = true;
    if (!strcmp(event->kind, "leave") || !strcmp(event->kind, "liftoff"))
        audit->active[event->contact] = false;
}

static void
prepare(struct audit *audit)
{
    const struct model *model = audit->model;
    for (int i = 0; i < model->bodies; i++) {
        if (!model->body[i].there)
            continue;
        if (model->body[i].shape != SHAPE_NONE)
            solid_make(&model->body[i], model->dimension, &audit->solid[i]);
        if (body_moves(model, i))
            audit->mass[i] = body_mass(&model->body[i], &audit->solid[i]);
    }
}

/* Events from *next on that are at the time of `row` or before it. The record
 * has two rows at the very time of an event; impacts of other contacts may come
 * 1e-13 s later, and their jump belongs to the rows that follow. */
static void
pass_events(struct audit *audit, int row, int *next)
{
    const struct result *result = audit->result;
    int first = *next;
    while (*next < result->events &&
           result->event[*next].time <= result->t[row])
        ++*next;
    int count = *next - first;
    if (!count)
        return;
    const struct event *event = &result->event[first];
    bool pair_of_rows = row + 1 < result->rows &&
                        result->t[row + 1] == result->t[row] &&
                        event[0].time == result->t[row];
    bool impacts = pair_of_rows;
    for (int i = 0; i < count; i++)
        impacts &= !strcmp(event[i].kind, "impact");
    if (impacts)
        audit_impact(audit, row, event, count);
    if (pair_of_rows)
        audit_event_places(audit, row, event, count);
    for (int i = 0; i < count; i++)
        note_active(audit, &event[i]);
}

/* At a jam speeds change as the root of the time that is left, forces have no
 * bound, and what follows them is known to the root of its rounding. */
static bool
at_jam(const struct result *result, double time)
{
    for (int i = 0; i < result->events; i++)
        if (!strcmp(result->event[i].kind, "jam") &&
            fabs(result->event[i].time - time) < 1e-9)
            return true;
    return false;
}

void
audit_observers(const struct model *model, const struct result *result,
                struct finding *finding)
{
    for (int row = 0; row < result->rows; row++)
        for (int i = 0; i < model->systems; i++)
            for (int k = 0; k < model->system[i].coordinates; k++) {
                const struct place *own = &result->place[row * MAX_SYSTEMS + i];
                const struct place *told =
                    &result->observed[row * MAX_SYSTEMS + i];
                double off =
                    fabs(own->q[k] - told->q[k]) / (1 + fabs(own->q[k])) +
                    fabs(own->rate[k] - told->rate[k]) /
                        (1 + fabs(own->rate[k]));
                bool between = row + 1 < result->rows &&
                               result->t[row + 1] == result->t[row];
                if (!(off < APART) && !between &&
                    !is_summed(result, result->t[row]) &&
                    !at_jam(result, result->t[row]))
                    finding_set(finding, "observer",
                                "the observer of %s.%s is off by %.3g at t = "
                                "%.17g",
                                model->system[i].name,
                                model->system[i].coordinate[k], off,
                                result->t[row]);
            }
}

/* Flights that rise by so many roundings of the places from which a gap is
 * made may be cut. */
static const double ROUNDINGS = 8 * DBL_EPSILON;

/* Where a body meets several others, what is as near as this share of both
 * lengths is hit with its neighbours: Imp's tolerance of a gap. A length is
 * that of the half diagonal of a box around the body. */
static const double NEIGHBOURS = 1e-11;

/* Of contacts without lengths or accelerations: a flight that rises by
 * ROUNDINGS of one, under an acceleration of one, lasts so long (s). */
static const double CUT = 1.2e-7;

/* What presses two bodies together: gravity along the normal of a wall, of
 * which friction and spins leave a quarter; elsewhere a part of gravity. */
static double
least_pressing(const struct model *model, const struct contact *contact)
{
    const struct body *wall = &model->body[contact->first];
    double turn[3][3], up[3] = {0};
    if (wall->shape != SHAPE_HALF)
        return length(model->gravity) / 16;
    if (model->dimension == 2)
        angle_matrix(wall->angle, turn);
    else
        quaternion_matrix(wall->quaternion, turn);
    up[model->dimension - 1] = 1;
    rotate(turn, up, up);
    return fabs(dot(up, model->gravity)) / 4;
}

/* Does a body of the contact meet others, too? */
static bool
meets_others(const struct model *model, int index)
{
    const struct contact *own = &model->contact[index];
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *other = &model->contact[i];
        for (int side = 0; side < 4 && i != index && other->there; side++) {
            int body = side % 2 ? own->second : own->first;
            if (!other->system && !model->body[body].fixed &&
                body == (side / 2 ? other->second : other->first))
                return true;
        }
    }
    return false;
}

/* What the rounding cuts of the flights at a contact of bodies: those from its
 * height on, of which each is e times the one before. And what the tolerance of
 * its gap hides beside others: an impact comes too early by the fall through
 * it, and is slower by what that fall adds, which shortens the flights that
 * follow by 2 e/(1 - e) times as much. */
static double
cut_flights(const struct audit *audit, int index)
{
    const struct model *model = audit->model;
    const struct result *result = audit->result;
    const struct contact *contact = &model->contact[index];
    double place = 0, size = 0;
    if (contact->system || length(model->gravity) == 0)
        return CUT;
    for (int k = 0; k < 2; k++) {
        int body = k ? contact->second : contact->first;
        double radius = audit->solid[body].radius, far = 0;
        for (int row = 0; row < result->rows; row++)
            far = fmax(far, length(result_state(result, row, body)->position));
        if (!isfinite(radius) || model->body[body].shape == SHAPE_HALF)
            radius = 0;
        place += far + radius;
        size += sqrt(model->dimension) * radius;
    }
    /* A restitution that comes to 1 makes flights whose sum has no end: speeds
     * shrink as 1/n. What is told as their limit is off by any time. */
    double left = 1 - contact_restitution(contact, 0);
    if (left <= 0)
        return INFINITY;
    double acc = least_pressing(model, contact);
    double cut = 2 * sqrt(2 * ROUNDINGS * place / acc) / left;
    double early = sqrt(2 * NEIGHBOURS * size / acc) * (2 - left) / left;
    return meets_others(model, index) ? fmax(cut, early) : cut;
}

/* A limit that the record itself calls uncertain by more than it sums up. */
static void
audit_limits(const struct audit *audit)
{
    const struct model *model = audit->model;
    const struct result *result = audit->result;
    for (int i = 0; i < result->limits; i++) {
        const struct limit *limit = &result->limit[i];
        double cut = 0;
        for (int k = 0; k < model->contacts; k++) /* -1: one of several */
            if (model->contact[k].there &&
                (limit->contact < 0 || limit->contact == k))
                cut = fmax(cut, cut_flights(audit, k));
        if (!(limit->error <= 10 * limit->sum + cut))
            finding_set(audit->finding, "limit",
                        "a limit of chatter at t = %.17g sums up %.3g s, with "
                        "an error of %.3g s",
                        limit->time, limit->sum, limit->error);
    }
}

void
audit_motion(const struct model *model, const struct result *result,
             struct finding *finding)
{
    struct audit audit = {.model = model, .result = result, .finding = finding};
    if (!result->read)
        return;
    if (model->question == ASK_CHATTER)
        return;
    bool energy = energy_is_known(model);
    audit_systems(model, result, finding);
    prepare(&audit);
    audit_friction(model, result, audit.mass,
                   energy && !model_has_rotors(model), finding);
    if (!model->bodies)
        return;
    audit_rotors(model, result, finding);
    audit_limits(&audit);
    double scale = result->rows ? 1 + fabs(result->energy[0]) : 1;
    int next = 0;
    for (int row = 0; row < result->rows && !finding->kind[0]; row++) {
        bool summed = is_summed(result, result->t[row]);
        if (!summed)
            audit_gaps(&audit, row);
        pass_events(&audit, row, &next);
        audit_joints(&audit, row);
        double stated = stated_energy(model, result, row);
        if (fabs(stated - result->energy[row]) > FLIGHT * scale)
            finding_set(finding, "energy",
                        "the energy is told to be %.17g at t = %.17g, and is "
                        "%.17g",
                        result->energy[row], result->t[row], stated);
        if (row + 1 == result->rows)
            break;
        bool jump = result->t[row + 1] == result->t[row];
        bool next_summed = is_summed(result, result->t[row + 1]);
        if (!jump && !summed && !next_summed)
            audit_flight(&audit, row);
        if (energy && !summed && !next_summed)
            audit_energy(&audit, row, scale);
    }
}
