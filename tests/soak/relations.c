/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations between two runs: each makes another model from one whose result is
 * known. */
#include "relations.h"

#include <math.h>
#include <string.h>

#include "bends.h"
#include "beside.h"
#include "cut.h"
#include "fictitious.h"
#include "hulls.h"
#include "print.h"
#include "restarts.h"
#include "screws.h"
#include "seams.h"
#include "space.h"
#include "surfaces.h"
#include "sway.h"
#include "vector.h"

/* With fewer contacts all pairs are asked anyway. */
enum { LOCAL_SEARCH = 32 };

/* Names that a reader might choose, in several scripts. */
static const char *const letters[] = {"a", "Z", "q_", "\xCE\xB8", "m", "speed"};

static bool
make_order(struct trial *trial)
{
    struct model *other = &trial->other;
    other->shuffle = random_bits(&trial->random) | 1;
    for (int i = 0; i < other->bodies; i++)
        snprintf(other->body[i].name, NAME_SIZE, "%s%d",
                 letters[random_whole(&trial->random, 6)], i);
    for (int i = 0; i < other->contacts; i++) {
        snprintf(other->contact[i].name, NAME_SIZE, "%sc%d",
                 letters[random_whole(&trial->random, 6)], i);
        other->contact[i].swapped = random_chance(&trial->random, 0.5);
    }
    for (int i = 0; i < other->systems; i++)
        snprintf(other->system[i].name, NAME_SIZE, "%.8s%c",
                 letters[random_whole(&trial->random, 6)], 'A' + i);
    /* of systems, this law takes the first that is declared */
    other->reversed = !other->law || strcmp(other->law, "sequential") != 0;
    for (int i = 0; i < other->joints; i++)
        other->joint[i].swapped =
            !other->joint[i].slider && !other->joint[i].ball &&
            !other->joint[i].weld && other->joint[i].second >= 0 &&
            random_chance(&trial->random, 0.5);
    trial->same_energy = true;
    /* the law `sequential` takes equals as they are declared */
    return true;
}

static bool
make_shift(struct trial *trial)
{
    if (!trial->model->bodies || trial->model->systems ||
        ride_turns(&trial->model->ground))
        return false;
    for (int k = 0; k < trial->model->dimension; k++)
        trial->frame.shift[k] = random_in(&trial->random, -5, 5);
    return true;
}

static bool
make_rotation(struct trial *trial)
{
    if (!trial->model->bodies || trial->model->systems)
        return false;
    double axis[3];
    trial->frame.angle = random_in(&trial->random, -3, 3);
    random_direction(&trial->random, 3, axis);
    trial->frame.quaternion[0] = cos(trial->frame.angle / 2);
    for (int k = 0; k < 3; k++)
        trial->frame.quaternion[k + 1] = sin(trial->frame.angle / 2) * axis[k];
    return true;
}

static bool
make_mirror(struct trial *trial)
{
    trial->frame.mirror = true;
    return make_rotation(trial);
}

static bool
make_boost(struct trial *trial)
{
    if (!trial->model->bodies || trial->model->systems ||
        trial->model->joints || ride_turns(&trial->model->ground))
        return false;
    double direction[3];
    double speed = random_in(&trial->random, 0.5, 3);
    random_direction(&trial->random, trial->model->dimension, direction);
    add_scaled(trial->frame.boost, speed, direction, trial->frame.boost);
    return true;
}

static bool
make_units(struct trial *trial)
{
    trial->frame.length = pow(10, random_in(&trial->random, -2, 2));
    trial->frame.time = pow(10, random_in(&trial->random, -2, 2));
    trial->frame.mass = pow(10, random_in(&trial->random, -2, 2));
    /* energies of systems are without units: mass*(length/time)^2 is 1 */
    if (trial->model->systems) {
        trial->frame.length = 1;
        trial->frame.mass = trial->frame.time * trial->frame.time;
    }
    return true;
}

/* The greatest distance of a body from the origin in the run so far. */
static double
reach(const struct trial *trial)
{
    double greatest = 1;
    const struct result *result = trial->result;
    for (int row = 0; row < result->rows; row++)
        for (int i = 0; i < trial->model->bodies; i++)
            if (body_moves(trial->model, i))
                greatest = fmax(greatest,
                                length(result_state(result, row, i)->position));
    return greatest;
}

static struct body *
add_far_body(struct trial *trial, double away)
{
    struct model *other = &trial->other;
    if (other->bodies == MAX_BODIES)
        return NULL;
    struct body *body = &other->body[other->bodies];
    *body = (struct body){.there = true,
                          .shape = SHAPE_BALL,
                          .size = {0.5},
                          .density = 1,
                          .quaternion = {1, 0, 0, 0}};
    snprintf(body->name, sizeof body->name, "idle%d", other->bodies++);
    double direction[3];
    random_direction(&trial->random, other->dimension, direction);
    for (int k = 0; k < 3; k++)
        body->position[k] = away * direction[k];
    return body;
}

static bool
make_idle_body(struct trial *trial)
{
    if (trial->model->question == ASK_CHATTER)
        return false;
    return add_far_body(trial, 100 * reach(trial)) != NULL;
}

/* The sum of all gaps of the system and a number: it never closes. */
static bool
make_idle_gap(struct trial *trial)
{
    struct model *other = &trial->other;
    struct formulas *formulas = &other->system[0].formulas;
    int sum = formula_number(formulas, random_in(&trial->random, 0.1, 1));
    for (int i = 0; i < other->contacts; i++)
        if (other->contact[i].there && other->contact[i].system == 1)
            sum = formula_two(formulas, OP_ADD, sum,
                              formula_scaled(formulas,
                                             random_in(&trial->random, 0.1, 1),
                                             other->contact[i].gap));
    if (other->contacts == MAX_CONTACTS || formulas->count == MAX_NODES ||
        formulas->node[sum].operation == OP_NUMBER)
        return false;
    struct contact *contact = &other->contact[other->contacts];
    *contact = (struct contact){
        .there = true, .system = 1, .gap = sum, .restitution = 0.5};
    snprintf(contact->name, NAME_SIZE, "never%u",
             (unsigned)other->contacts++ % 100u);
    trial->same_energy = true;
    return true;
}

/* A fixed ball that nothing reaches, with a contact to each moving body. */
static bool
make_idle_contact(struct trial *trial)
{
    if (trial->model->systems)
        return make_idle_gap(trial);
    if (!ride_is_rest(&trial->model->ground))
        return false; /* it would come by */
    double away = reach(trial) + random_in(&trial->random, 1.5, 4);
    int last = trial->other.bodies;
    struct body *body = add_far_body(trial, away);
    if (!body)
        return false;
    body->fixed = true;
    for (int i = 0; i < last; i++) {
        struct model *other = &trial->other;
        if (!body_moves(other, i) || other->body[i].shape == SHAPE_NONE ||
            other->contacts == MAX_CONTACTS)
            continue;
        struct contact *contact = &other->contact[other->contacts];
        *contact = (struct contact){
            .there = true, .first = i, .second = last, .restitution = 0.5};
        snprintf(contact->name, NAME_SIZE, "never%d", other->contacts++);
    }
    return true;
}

/* Rows are read on the way, but where a limit of systems alone, or with rotors
 * or joints with friction, waits for them. */
static void
ask_same_events(struct trial *trial)
{
    const struct model *model = trial->model;
    trial->same_energy = true;
    trial->same_events =
        model->question == ASK_SIMULATE && (model->bodies || !model->systems) &&
        !model_has_rotors(model) && !model_has_rough_joints(model);
}

static bool
make_fewer_rows(struct trial *trial)
{
    struct model *other = &trial->other;
    int left = 0;
    for (int i = 0; i < other->times; i++)
        if (random_chance(&trial->random, 0.3))
            other->at[left++] = other->at[i];
    other->times = left;
    other->record_gaps = false;
    ask_same_events(trial);
    /* a row at the start looks for closest points before anything moves */
    trial->same_events &= left > 0 && other->at[0] == trial->model->at[0];
    return left > 0 && trial->model->question == ASK_SIMULATE;
}

/* Rows between the rows, at times that nothing of the model knows. */
static bool
make_more_rows(struct trial *trial)
{
    struct model *other = &trial->other;
    int count = other->times;
    if (3 * count >= MAX_TIMES || other->question == ASK_CHATTER)
        return false;
    ask_same_events(trial);
    double at[MAX_TIMES];
    memcpy(at, other->at, sizeof at);
    other->times = 0;
    for (int i = 0; i < count; i++) {
        other->at[other->times++] = at[i];
        double low = at[i], high = i + 1 < count ? at[i + 1] : other->until;
        for (int k = 0; k < 2 && high > low; k++) {
            low += (high - low) * random_unit(&trial->random);
            other->at[other->times++] = low;
        }
    }
    return true;
}

static bool
make_half(struct trial *trial)
{
    if (trial->model->question == ASK_CHATTER)
        return false;
    struct model *other = &trial->other;
    int rows = 2 + random_whole(&trial->random, other->times - 2);
    other->times = rows;
    other->until = trial->to = other->at[rows - 1];
    return true;
}

/* Each pair has a second contact, stated from the other side. */
static bool
make_twice(struct trial *trial)
{
    struct model *other = &trial->other;
    int count = other->contacts;
    if (2 * count > MAX_CONTACTS || trial->model->law || other->systems ||
        model_is_rough(other))
        return false;
    for (int i = 0; i < count; i++) {
        struct contact *contact = &other->contact[other->contacts++];
        *contact = other->contact[i];
        contact->swapped = !contact->swapped;
        snprintf(contact->name, NAME_SIZE, "twice%d", i);
    }
    trial->motion_alone = true;
    return true;
}

/* Other coordinates: a matrix near to a rotation, and another origin. */
static bool
make_coordinates(struct trial *trial)
{
    struct random *random = &trial->random;
    trial->frame.charted = true;
    for (int s = 0; s < trial->model->systems; s++) {
        struct substitution *chart = &trial->frame.chart[s];
        chart->coordinates = trial->model->system[s].coordinates;
        for (int i = 0; i < chart->coordinates; i++) {
            chart->offset[i] = random_in(random, -1, 1);
            for (int k = 0; k < chart->coordinates; k++)
                chart->matrix[i][k] = random_in(random, -0.4, 0.4);
            /* each new coordinate is mostly another old one */
            chart->matrix[i][(i + 1) % chart->coordinates] +=
                random_in(random, 1.2, 2);
        }
    }
    trial->same_energy = true;
    return trial->model->systems > 0;
}

/* The potential is written as a force. */
static bool
make_force(struct trial *trial)
{
    bool any = false;
    for (int s = 0; s < trial->other.systems; s++)
        any |= trial->other.system[s].as_force =
            trial->other.system[s].potential != 0;
    return any;
}

/* Has the run nothing but impacts that lose nothing, and ends in time? */
static bool
is_elastic(const struct trial *trial)
{
    const struct model *model = trial->model;
    const struct result *result = trial->result;
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].there && (model->contact[i].restitution != 1 ||
                                        model->contact[i].approach_speed != 0 ||
                                        model->contact[i].own_law))
            return false;
    for (int i = 0; i < model->bodies; i++)
        if (model->body[i].load.drag != 0 ||
            model->body[i].load.torque_drag != 0 ||
            !rail_is_none(&model->body[i].load.rail))
            return false;
    for (int i = 0; i < model->systems; i++)
        if (model->system[i].dissipation || model->system[i].dry)
            return false;
    for (int i = 0; i < result->events; i++)
        if (strcmp(result->event[i].kind, "impact") != 0 ||
            (i && result->event[i].time == result->event[i - 1].time))
            return false;
    return model->question == ASK_SIMULATE && !model_is_rough(model) &&
           !strcmp(result->done, "done");
}

/* Backwards from the end: the same way, if no energy is lost. */
static bool
make_backwards(struct trial *trial)
{
    const struct model *model = trial->model;
    int last = trial->result->rows - 1;
    if (!is_elastic(trial) || last < 1 || !all_apart(trial, 0) ||
        !all_apart(trial, last))
        return false;
    trial->to = model->until;
    trial->frame.time = -1;
    trial->frame.start = model->until;
    model_restart(&trial->other, trial->result, last);
    /* the frame turns the signs */
    trial->other.until = -model->until;
    trial->other.times = model->times;
    for (int i = 0; i < model->times; i++)
        trial->other.at[i] = model->at[model->times - 1 - i] - model->until;
    return true;
}

static bool
same_laws(const struct contact *a, const struct contact *b)
{
    return a->restitution == b->restitution &&
           a->restitution_law == b->restitution_law && a->sticks == b->sticks &&
           a->approach_speed == b->approach_speed &&
           a->approach == b->approach && !a->own_law && !b->own_law &&
           a->rough == b->rough && a->friction == b->friction &&
           a->static_friction == b->static_friction &&
           a->impact_friction == b->impact_friction &&
           a->stribeck_speed == b->stribeck_speed;
}

/* Marks some of the bodies, of which and of the others one moves. */
static void
split(struct trial *trial)
{
    struct model *other = &trial->other;
    bool moves[2] = {false};
    for (int i = 0; i < other->bodies; i++) {
        other->side[i] = random_chance(&trial->random, 0.5);
        moves[other->side[i]] |= body_moves(other, i);
    }
    other->split = moves[0] && moves[1];
}

/* Blocks `contacts` instead of a contact for each pair. */
static bool
make_found(struct trial *trial)
{
    struct model *other = &trial->other;
    bool alike = true;
    for (int i = 0; i < other->bodies; i++)
        for (int k = i + 1; k < other->bodies; k++) {
            bool stated = false;
            for (int c = 0; c < other->contacts; c++) {
                const struct contact *contact = &other->contact[c];
                stated |= contact->there && contact->first == i &&
                          contact->second == k;
                alike &=
                    !contact->there || same_laws(contact, &other->contact[0]);
            }
            if (!stated && other->body[i].there && other->body[k].there &&
                (body_moves(other, i) || body_moves(other, k)))
                return false;
        }
    other->found = true;
    other->record_gaps = false;
    split(trial);
    return alike && other->contacts > 0 && other->contact[0].there &&
           !other->systems && !other->joints;
}

/* Bodies as a system in generalised coordinates. */
static bool
make_system(struct trial *trial)
{
    trial->other.as_system = true;
    trial->other.record_gaps = false;
    trial->frame.places_alone = true;
    return can_be_system(trial->model);
}

/* `slide'` instead of `slide`. */
static bool
make_slide_rates(struct trial *trial)
{
    trial->other.slide_rates = true;
    trial->same_energy = true;
    return trial->model->systems && model_is_rough(trial->model);
}

/* Contacts without friction are followed as contacts with friction are if their
 * coefficient is a param, whatever its value. */
static bool
make_zero_friction(struct trial *trial)
{
    const struct model *model = trial->model;
    bool any = false, sticks = false;
    for (int i = 0; i < model->contacts; i++) {
        any |= model->contact[i].there && !model->contact[i].rough;
        sticks |= model->contact[i].there && model->contact[i].sticks;
    }
    trial->other.zero_friction = true;
    trial->frame.closures_untold = true;
    trial->same_energy = true;
    return any && !sticks && model->dimension == 2 &&
           model->question == ASK_SIMULATE;
}

/* Observers do not act on the motion. */
static bool
make_observer(struct trial *trial)
{
    trial->other.observed = true;
    trial->same_energy = true;
    return trial->model->systems > 0 && trial->model->question == ASK_SIMULATE;
}

/* Contacts of a system as one family. */
static bool
make_family(struct trial *trial)
{
    const struct model *model = trial->model;
    for (int i = 0; i < model->contacts; i++)
        if (!model->contact[i].there || model->contact[i].system != 1 ||
            model->contact[i].rough || model->contact[i].approach_speed != 0)
            return false;
    trial->other.families = true;
    trial->other.record_gaps = false;
    trial->same_energy = true;
    return model->systems == 1 && model->contacts > 0;
}

/* Bodies as one family, and their contacts with another body as one each. */
static bool
make_body_family(struct trial *trial)
{
    trial->same_energy = true;
    return make_members(&trial->other);
}

/* The second engine sums no flights up, and does not follow a policy or own
 * laws. */
static bool
make_engine(struct trial *trial)
{
    trial->other.second = true;
    trial->frame.limits_untold = true;
    for (int i = 0; i < trial->model->contacts; i++)
        if (trial->model->contact[i].there && trial->model->contact[i].own_law)
            return false;
    return trial->model->question != ASK_CHATTER &&
           !model_is_rough(trial->model);
}

/* All pairs are asked at every event. */
static bool
make_search(struct trial *trial)
{
    const struct model *model = trial->model;
    trial->other.all_pairs = true;
    trial->same_energy = true;
    return model->contacts >= LOCAL_SEARCH && !model->joints && !model->systems;
}

/* Behind a run from another start, of which nothing is left. */
static bool
make_perturbed(struct trial *trial)
{
    trial->other.perturbed = true;
    trial->same_energy = trial->same_events = true;
    return trial->model->question == ASK_SIMULATE && !trial->model->ask;
}

/* Numbers are params. */
static bool
make_params(struct trial *trial)
{
    trial->other.as_params = true;
    trial->same_energy = true;
    return true;
}

/* Numbers, and tables over time, come from files. */
static bool
make_data(struct trial *trial)
{
    trial->other.as_data = true;
    trial->same_energy = true;
    /* the friction of a rotor has a unit */
    return trial->model->bodies > 0 && !model_has_rotors(trial->model) &&
           ride_is_rest(&trial->model->ground);
}

/* Verdicts may be finer or rougher, where nothing is near an edge. */
static bool
make_tolerance(struct trial *trial)
{
    trial->other.tolerance = pow(10, random_in(&trial->random, -10, -8));
    return trial->model->question == ASK_SIMULATE;
}

/* In feet, pounds, minutes, degrees and turns a minute. */
static bool
make_feet(struct trial *trial)
{
    trial->other.in_feet = true;
    return trial->model->bodies > 0 && !trial->model->systems &&
           ride_is_rest(&trial->model->ground);
}

/* Newton's law is the one of impacts at several points where none is stated.
 * `chatter` calls them simultaneous there, and goes on under a law that is. */
static bool
make_law(struct trial *trial)
{
    trial->other.law = "newton";
    trial->same_energy = true;
    return !trial->model->law && !model_is_rough(trial->model) &&
           trial->model->question == ASK_SIMULATE;
}

/* Newton's law without friction, as a law that each contact states. Laws of
 * contacts take several points one after the other. */
static bool
make_own_law(struct trial *trial)
{
    struct model *other = &trial->other;
    if (!other->law || strcmp(other->law, "sequential") != 0 ||
        other->dimension != 2 || other->systems || model_is_rough(other))
        return false;
    for (int i = 0; i < other->contacts; i++) {
        if (other->contact[i].own_law || other->contact[i].sticks ||
            other->contact[i].restitution_law)
            return false;
        other->contact[i].own_newton = true;
    }
    trial->frame.closures_untold = true;
    return other->contacts > 0;
}

/* Pins and rails of the plane without friction have so little that it takes no
 * part in the motion, and is followed as any other is. What chatters beside it
 * has no limit that is told. */
static bool
make_slight_friction(struct trial *trial)
{
    struct model *other = &trial->other;
    bool any = false;
    for (int i = 0; i < other->joints; i++) {
        struct joint *joint = &other->joint[i];
        if (!joint->there || joint->weld || joint->friction != 0 ||
            joint->rate != 0)
            continue;
        joint->friction = 1e-13;
        joint->arm = 0.05;
        any = true;
    }
    for (int i = 0; i < trial->result->events; i++)
        if (!strcmp(trial->result->event[i].kind, "chatter"))
            trial->to = fmin(trial->to, trial->result->event[i].time - 1e-3);
    trial->motion_alone = true;
    return any && other->dimension == 2 &&
           trial->model->question == ASK_SIMULATE;
}

/* In the canonical layout. */
static bool
make_format(struct trial *trial)
{
    trial->other.formatted = true;
    trial->same_energy = true;
    return true;
}

/* Tables with more knots, on the straights between those that there are. */
static bool
make_knots(struct trial *trial)
{
    bool any = false;
    for (int i = 0; i < trial->other.bodies; i++) {
        struct body *body = &trial->other.body[i];
        any |= body->path.knots || body->load.table.knots;
        table_refine(&body->path);
        table_refine(&body->load.table);
    }
    return any;
}

const struct relation relation_table[] = {
    {"order", make_order, true},
    {"shift", make_shift, false},
    {"rotation", make_rotation, false},
    {"mirror", make_mirror, true},
    {"boost", make_boost, false},
    {"units", make_units, false},
    {"idle-body", make_idle_body, false},
    {"idle-contact", make_idle_contact, false},
    {"fewer-rows", make_fewer_rows, false},
    {"more-rows", make_more_rows, false},
    {"half", make_half, false},
    {"restart", make_restart, true},
    {"twice", make_twice, true},
    {"coordinates", make_coordinates, false},
    {"force", make_force, false},
    {"backwards", make_backwards, false},
    {"found", make_found, true},
    {"system", make_system, true},
    {"slide-rate", make_slide_rates, false},
    {"observer", make_observer, false},
    {"family", make_family, true},
    {"zero-friction", make_zero_friction, false},
    {"engine", make_engine, false},
    {"search", make_search, false},
    {"perturbed", make_perturbed, false},
    {"beside", make_beside, false},
    {"body-family", make_body_family, true},
    {"restart-closed", make_restart_closed, true},
    {"params", make_params, false},
    {"format", make_format, false},
    {"feet", make_feet, false},
    {"restart-impact", make_restart_impact, true},
    {"corners", make_corners, true},
    {"law", make_law, false},
    {"knots", make_knots, false},
    {"sway", make_sway, false},
    {"cut", make_cut, false},
    {"ride", make_ride, false},
    {"data", make_data, false},
    {"tolerance", make_tolerance, false},
    {"own-law", make_own_law, false},
    {"seams", make_seams, true},
    {"doubled", make_doubled, false},
    {"halves", make_halves, true},
    {"surfaces", make_surfaces, true},
    {"space", make_space, true},
    {"functions", make_functions, false},
    {"screws", make_screws, false},
    {"bends", make_bends, false},
    {"slight-friction", make_slight_friction, false},
};
const int relation_count = sizeof relation_table / sizeof *relation_table;
