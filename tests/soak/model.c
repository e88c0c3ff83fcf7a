/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints models as texts of Imp. */
#include "model.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "print.h"
#include "random.h"
#include "rewrite.h"
#include "surfaces.h"

bool
body_moves(const struct model *model, int body)
{
    return model->body[body].there && !model->body[body].fixed;
}

bool
body_is_jointed(const struct model *model, int body)
{
    for (int i = 0; i < model->joints; i++)
        if (model->joint[i].there &&
            (model->joint[i].first == body || model->joint[i].second == body))
            return true;
    return false;
}

bool
model_is_rough(const struct model *model)
{
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].there && model->contact[i].rough)
            return true;
    return model_has_rough_joints(model) || model_has_rotors(model);
}

bool
model_has_rough_joints(const struct model *model)
{
    for (int i = 0; i < model->joints; i++)
        if (model->joint[i].there && model->joint[i].friction != 0)
            return true;
    return false;
}

bool
model_has_rotors(const struct model *model)
{
    for (int i = 0; i < model->bodies; i++)
        if (model->body[i].there && model->body[i].rotor.inertia != 0)
            return true;
    return false;
}

double
contact_restitution(const struct contact *contact, double approach)
{
    double e = contact->restitution, v = approach / contact->approach_speed;
    if (contact->approach_speed == 0)
        return e;
    switch (contact->approach) {
    case APPROACH_ROOT:
        return e / pow(1 + v, 0.25);
    case APPROACH_KINK:
        return v < 1 ? e : e / pow(v, 0.25);
    case APPROACH_EXP:
        return e * exp(-v);
    case APPROACH_FLOOR:
        return fmax(e * (1 - v / 4), e / 2);
    default:
        return e / (1 + v);
    }
}

double
contact_friction(const struct contact *contact, double slip)
{
    double above = contact->static_friction - contact->friction;
    if (contact->stribeck_speed == 0)
        return contact->friction;
    return contact->friction +
           above * exp(-pow(slip / contact->stribeck_speed, 2));
}

/* Does a contact need the library `friction`? */
static bool
uses_library(const struct model *model)
{
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].there && (model->contact[i].own_law ||
                                        model->contact[i].stribeck_speed != 0))
            return true;
    return false;
}

bool
contact_records(const struct model *model, int contact)
{
    return model->contact[contact].there && !model->as_system &&
           !model->found && !model->families &&
           (model->contact[contact].rough || model->zero_friction ||
            model->record_pushes);
}

bool
contact_is_driven(const struct model *model, int contact)
{
    const struct contact *of = &model->contact[contact];
    const struct formulas *formulas =
        of->system ? &model->system[of->system - 1].formulas : NULL;
    return formulas && (formula_has_time(formulas, of->gap) ||
                        formula_has_time(formulas, of->slide));
}

void
model_set_times(struct model *model, int count)
{
    assert(count >= 2 && count <= MAX_TIMES);
    model->times = count;
    for (int i = 0; i < count; i++)
        model->at[i] = model->until * i / (count - 1);
}

static bool
is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

void
print_number(FILE *out, double x)
{
    char text[40];
    for (int digits = 3; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    fputs(text, out);
}

void
print_vector(const struct model *model, FILE *out, const double v[3])
{
    for (int k = 0; k < model->dimension; k++) {
        fputs(k ? ", " : "(", out);
        print_number(out, v[k]);
    }
    fputs(")", out);
}

static void
vector_key(const struct model *model, FILE *out, const char *key,
           const double v[3])
{
    if (is_zero(v))
        return;
    fprintf(out, "  %s = ", key);
    print_vector(model, out, v);
}

static void
number_key(FILE *out, const char *key, double x)
{
    if (x == 0)
        return;
    fprintf(out, "  %s = ", key);
    print_number(out, x);
}

/* "(1, 2) + ((3, 4) [unit])*t" */
static void
moving_vector(const struct model *model, FILE *out, const double v[3],
              const double rate[3], const char *unit)
{
    print_vector(model, out, v);
    if (is_zero(rate))
        return;
    fputs(" + (", out);
    print_vector(model, out, rate);
    fprintf(out, " [%s])*t", unit);
}

static void
print_shape(const struct model *model, const struct body *body, FILE *out)
{
    static const char *const names[][2] = {
        [SHAPE_HALF] = {"half_plane", "half_space"},
        [SHAPE_BALL] = {"circle", "sphere"},
        [SHAPE_ELLIPSE] = {"ellipse", "ellipsoid"},
        [SHAPE_SUPERELLIPSE] = {"superellipse", "superellipsoid"},
        [SHAPE_BOX] = {"rectangle", "box"},
        [SHAPE_NONE] = {"", ""},
        [SHAPE_HULL] = {"polygon", "polyhedron"}};
    if (body->surface) {
        fprintf(out, "own_%s()", body->name);
        return;
    }
    fputs(names[body->shape][model->dimension == 3], out);
    if (body->shape == SHAPE_HALF)
        return;
    fputs("(", out);
    if (body->shape == SHAPE_HULL) {
        for (int i = 0; i < body->corners; i++) {
            fputs(i ? ", " : "", out);
            print_vector(model, out, body->corner[i]);
        }
    } else {
        int count = body->shape == SHAPE_BALL ? 1 : model->dimension;
        for (int i = 0; i < count; i++) {
            fputs(i ? ", " : "", out);
            print_number(out, body->size[i]);
        }
    }
    fputs(")", out);
}

static void
begin_term(FILE *out, const char *key, bool *begun)
{
    if (*begun)
        fputs(" + ", out);
    else
        fprintf(out, "  %s = ", key);
    *begun = true;
}

static void
coefficient(FILE *out, double x, const char *unit)
{
    fputs("(", out);
    print_number(out, x);
    fprintf(out, " [%s])", unit);
}

/* "((1, 2) [N])*sin((3 [1/s])*t + 4)" */
static void
print_swing(const struct model *model, FILE *out, const double v[3],
            const char *unit, double rate, double phase)
{
    fputs("(", out);
    print_vector(model, out, v);
    fprintf(out, " [%s])*sin(", unit);
    coefficient(out, rate, "1/s");
    fputs("*t + ", out);
    print_number(out, phase);
    fputs(")", out);
}

static void
print_stream(const struct model *model, const struct body *body, FILE *out)
{
    fprintf(out, "(%s.velocity - ", body->name);
    print_vector(model, out, body->load.wind);
    fputs(")", out);
}

static void
print_drag(const struct model *model, const struct body *body, FILE *out)
{
    static const char *const unit[] = {"kg/s", "kg/m", "N"}, *const norm[] = {
                                                                 "", "*norm",
                                                                 "/norm"};
    const struct load *load = &body->load;
    coefficient(out, -load->drag, unit[load->drag_law]);
    fputs("*", out);
    print_stream(model, body, out);
    fputs(norm[load->drag_law], out);
    if (load->drag_law != DRAG_LINEAR)
        print_stream(model, body, out);
}

static void
print_force(const struct model *model, const struct body *body, FILE *out)
{
    const struct load *load = &body->load;
    bool begun = print_carrying_force(model, body, out);
    if (!is_zero(load->constant)) {
        begin_term(out, "force", &begun);
        print_carried(model, load->constant, "N", out);
    }
    if (load->spring != 0) {
        begin_term(out, "force", &begun);
        coefficient(out, -load->spring, "N/m");
        fprintf(out, "*(%s.position - (", body->name);
        moving_vector(model, out, load->anchor, load->anchor_rate, "m/s");
        fputs("))", out);
    }
    if (load->drag != 0) {
        begin_term(out, "force", &begun);
        print_drag(model, body, out);
    }
    if (!is_zero(load->wave)) {
        begin_term(out, "force", &begun);
        print_swing(model, out, load->wave, "N", load->frequency, load->phase);
    }
    if (!rail_is_none(&load->rail)) {
        begin_term(out, "force", &begun);
        rail_print_force(&load->rail, model->dimension, body->name, out);
    }
    if (load->table.knots) {
        begin_term(out, "force", &begun);
        fputs("(", out);
        print_vector(model, out, load->pull);
        fputs(" [N])*", out);
        if (model->as_data)
            data_print_table((int)(body - model->body), out);
        else
            table_print(&load->table, out);
    }
}

static void
print_torque(const struct model *model, const struct body *body, FILE *out)
{
    const struct load *load = &body->load;
    bool begun = print_carrying_torque(model, body, out);
    if (!is_zero(load->torque)) {
        begin_term(out, "torque", &begun);
        fputs("(", out);
        if (model->dimension == 3)
            print_vector(model, out, load->torque);
        else
            print_number(out, load->torque[2]);
        fputs(" [N*m])", out);
    }
    if (load->torque_drag != 0) {
        begin_term(out, "torque", &begun);
        coefficient(out, -load->torque_drag, "N*m*s");
        fprintf(out, "*%s.spin", body->name);
    }
}

static void
print_attitude(const struct model *model, const struct body *body, FILE *out)
{
    if (body->fixed && ride_turns(&model->ground)) {
        print_ridden_angle(model, body, out);
        return;
    }
    if (body->fixed && ride_turns(&body->turning)) {
        fputs("  angle = ", out);
        print_number(out, body->angle);
        fputs(" + ", out);
        ride_print_angle(&body->turning, out);
        return;
    }
    if (model->dimension == 2) {
        number_key(out, "angle", body->angle);
        return;
    }
    const double *q = body->quaternion;
    if (q[1] == 0 && q[2] == 0 && q[3] == 0)
        return;
    fputs("  quaternion = (", out);
    for (int k = 0; k < 4; k++) {
        fputs(k ? ", " : "", out);
        print_number(out, q[k]);
    }
    fputs(")", out);
}

/* Motions of bodies that are joined follow from those of the joints; two halves
 * of a body that no other joint holds move as the first one does. */
static bool
states_motion(const struct model *model, int index)
{
    for (int i = 0; i < model->joints; i++) {
        const struct joint *joint = &model->joint[i];
        bool first = joint->first == index, second = joint->second == index;
        if (joint->there && !model->as_screws &&
            (second || (first && !joint->weld)))
            return false;
    }
    return true;
}

static void
print_body(const struct model *model, int index, FILE *out)
{
    const struct body *body = &model->body[index];
    if (body->surface)
        print_surface(model, body, out);
    fprintf(out, "body %s ", body->name);
    if (body->shape != SHAPE_NONE) {
        fputs(": ", out);
        print_shape(model, body, out);
    }
    fputs(" {", out);
    if (body->fixed)
        fputs("  fixed = true", out);
    else if (body->density != 0)
        number_key(out, "density", body->density);
    else
        number_key(out, "mass", body->mass);
    if (!body->fixed && body->density == 0 && model->dimension == 2)
        number_key(out, "inertia", body->inertia);
    if (!body->fixed && body->density == 0 && model->dimension == 3) {
        fputs("  inertia = diag", out);
        print_vector(model, out, body->moments);
    }
    if (body->fixed && !ride_is_rest(&model->ground))
        print_ridden_place(model, body, out);
    else if (!is_zero(body->position) || !is_zero(body->carry) ||
             !is_zero(body->swing) || body->path.knots) {
        fputs("  position = ", out);
        moving_vector(model, out, body->position, body->carry, "m/s");
        if (!is_zero(body->swing)) {
            fputs(" + ", out);
            print_swing(model, out, body->swing, "m", body->swing_rate,
                        body->swing_phase);
        }
        if (body->path.knots) {
            fputs(" + (", out);
            print_vector(model, out, body->along);
            fputs(" [m])*", out);
            table_print_integral(&body->path, out);
        }
    }
    print_attitude(model, body, out);
    if (!body->fixed && states_motion(model, index)) {
        vector_key(model, out, "velocity", body->velocity);
        if (model->dimension == 3)
            vector_key(model, out, "spin", body->spin);
        else
            number_key(out, "spin", body->spin[2]);
    }
    if (!body->fixed) {
        print_force(model, body, out);
        print_torque(model, body, out);
    }
    fputs(" }\n", out);
    if (body->rotor.inertia == 0)
        return;
    fprintf(out, "rotor wheel_%s : %s {", body->name, body->name);
    number_key(out, "inertia", body->rotor.inertia);
    number_key(out, "rate", body->rotor.rate);
    number_key(out, "friction", body->rotor.friction);
    if (body->rotor.motor != 0) {
        fputs("  motor = ", out);
        coefficient(out, body->rotor.motor, "N*m");
        fputs("*sin(", out);
        coefficient(out, body->rotor.frequency, "1/s");
        fputs("*t + ", out);
        print_number(out, body->rotor.phase);
        fputs(")", out);
    }
    fputs(" }\n", out);
}

/* The restitution as a formula of the speed of approach: in the texts E is the
 * number, V the quotient. */
static void
print_approach(const struct contact *contact, FILE *out)
{
    static const char *const forms[APPROACHES] = {
        [APPROACH_OVER] = "E/(1 + V)",
        [APPROACH_ROOT] = "E/(1 + V)^(1/4)",
        [APPROACH_KINK] = "(if V < 1 then E else E/V^(1/4))",
        [APPROACH_EXP] = "E*exp(-V)",
        [APPROACH_FLOOR] = "max(E*(1 - V/4), E/2)"};
    for (const char *at = forms[contact->approach]; *at; at++) {
        if (*at == 'E') {
            print_number(out, contact->restitution);
        } else if (*at == 'V') {
            fputs("(approach/(", out);
            print_number(out, contact->approach_speed);
            fprintf(out, "%s))", contact->system ? " [1/s]" : " [m/s]");
        } else {
            fputc(*at, out);
        }
    }
}

void
print_restitution(const struct contact *contact, FILE *out)
{
    if (contact->sticks) {
        fputs("sticking", out);
        return;
    }
    if (contact->restitution_law)
        fprintf(out, "%s(", contact->restitution_law);
    if (contact->approach_speed != 0)
        print_approach(contact, out);
    else
        print_number(out, contact->restitution);
    fputs(contact->restitution_law ? ")" : "", out);
}

void
print_friction(const struct model *model, const struct contact *contact,
               FILE *out)
{
    if (!contact->rough) {
        fputs(model->zero_friction ? "  friction = none" : "", out);
        return;
    }
    fputs("  friction = ", out);
    if (contact->static_friction != 0) {
        fprintf(out, "%s(static = ",
                contact->stribeck_speed != 0 ? "stribeck" : "coulomb");
        print_number(out, contact->static_friction);
        fputs(", dynamic = ", out);
    }
    print_number(out, contact->friction);
    if (contact->stribeck_speed != 0) {
        fputs(", speed = ", out);
        print_number(out, contact->stribeck_speed);
        fprintf(out, "%s, slip = slip", contact->system ? " [1/s]" : " [m/s]");
    }
    fputs(contact->static_friction != 0 ? ")" : "", out);
    number_key(out, "impact_friction", contact->impact_friction);
}

static void
print_own_law(const struct contact *contact, FILE *out)
{
    if (contact->own_newton)
        fputs("  law = ((1 + restitution)*approach/C, 0)", out);
    if (!contact->own_law)
        return;
    bool sticks = !strcmp(contact->own_law, "sticking");
    bool brach = !strcmp(contact->own_law, "fixed_ratio");
    fprintf(out, "  law = %s(approach, slip, restitution, ", contact->own_law);
    if (!sticks) {
        print_number(out, contact->own_share);
        fputs(", ", out);
    }
    fputs(brach ? "B, C)" : "A, B, C)", out);
}

static void
print_contact(const struct model *model, int index, FILE *out)
{
    const struct contact *contact = &model->contact[index];
    int first = contact->swapped ? contact->second : contact->first;
    int second = contact->swapped ? contact->first : contact->second;
    fprintf(out, "contact %s : %s | %s {", contact->name,
            model->body[first].name, model->body[second].name);
    fputs("  restitution = ", out);
    print_restitution(contact, out);
    print_friction(model, contact, out);
    print_own_law(contact, out);
    fputs(" }\n", out);
}

static void
print_world(const struct model *model, FILE *out)
{
    bool gravity = !is_zero(model->gravity) && !model->as_system &&
                   !ride_turns(&model->carried);
    if (!gravity && !model->law && !model->rounded && model->tolerance == 0)
        return;
    fputs("world {", out);
    if (gravity)
        vector_key(model, out, "gravity", model->gravity);
    if (model->law)
        fprintf(out, "  law = %s", model->law);
    number_key(out, "tolerance", model->tolerance);
    fputs(model->rounded ? "  corners = rounded }\n" : " }\n", out);
}

static void
print_record(const struct model *model, FILE *out)
{
    fputs("  record = (energy", out);
    for (int i = 0; i < model->bodies; i++) {
        const char *name = model->body[i].name;
        const char *letters = model->dimension == 2 ? "xyp" : "xyz";
        for (int k = 0; model->as_system && k < 3; k++)
            if (body_moves(model, i))
                fprintf(out, ", all.%c%d, all.%c%d'", letters[k], i, letters[k],
                        i);
        if (body_moves(model, i) && !model->as_system)
            fprintf(out, ",\n    %s.position, %s.velocity, %s.%s, %s.spin",
                    name, name, name,
                    model->dimension == 3 ? "quaternion" : "angle", name);
    }
    for (int i = 0; i < model->systems; i++) {
        const struct coordinate_system *system = &model->system[i];
        for (int k = 0; system->there && k < system->coordinates; k++)
            fprintf(out, ", %s.%s, %s.%s'", system->name, system->coordinate[k],
                    system->name, system->coordinate[k]);
        for (int k = 0;
             model->observed && system->there && k < system->coordinates; k++)
            fprintf(out, ", %s.w%d, %s.w%d'", system->name, k, system->name, k);
    }
    for (int i = 0; model->record_gaps && i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        if (contact->there && contact->system)
            fprintf(out, ", gap(%s.%s)",
                    model->system[contact->system - 1].name, contact->name);
        else if (contact->there)
            fprintf(out, ", gap(%s)", contact->name);
    }
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        static const char *const what[] = {"mode", "normal_force",
                                           "friction_force", "slip", "work"};
        int count = contact->rough || model->zero_friction ? 5 : 2;
        for (int k = 0; k < count && contact_records(model, i); k++)
            fprintf(out, ",%s%s%s%s.%s", k ? " " : "\n    ",
                    contact->system ? model->system[contact->system - 1].name
                                    : "",
                    contact->system ? "." : "", contact->name, what[k]);
    }
    for (int i = 0; model->record_pushes && i < model->bodies; i++)
        if (model->body[i].there && model->body[i].rotor.inertia != 0) {
            if (model->as_system)
                fprintf(out, ", all.r%d'", i);
            else
                fprintf(out, ", wheel_%s.rate", model->body[i].name);
        }
    for (int i = 0; model->record_pushes && i < model->joints; i++)
        print_bearing(&model->joint[i], out);
    fputs(")\n", out);
}

static void
print_question(const struct model *model, FILE *out)
{
    if (model->question == ASK_CHATTER) {
        fprintf(out, "let answer = chatter %s\n", model->system[0].name);
        return;
    }
    if (model->ask) {
        fputs(model->ask, out);
        return;
    }
    fputs("simulate {\n  until = ", out);
    print_number(out, model->until);
    fputs("\n  at = (", out);
    for (int i = 0; i < model->times; i++) {
        fputs(i ? ", " : "", out);
        print_number(out, model->at[i]);
    }
    fputs(model->second ? ")\n  engine = gsl\n" : ")\n", out);
    fputs(model->perturbed ? "  engine = perturbed\n" : "", out);
    fputs(model->all_pairs ? "  search = all\n" : "", out);
    print_record(model, out);
    fputs("}\n", out);
}

/* The bodies of one side, or of both (side = -1), in brackets. Returns how many
 * pairs of them there are of which one moves. */
static int
print_side(const struct model *model, int side, FILE *out)
{
    int count = 0, moving = 0;
    for (int i = 0; i < model->bodies; i++) {
        if (!model->body[i].there || model->side[i] != side)
            continue;
        fprintf(out, "%s%s", count++ ? ", " : "(", model->body[i].name);
        moving += body_moves(model, i);
    }
    fputs(count ? ")" : "", out);
    return moving * (count - 1);
}

/* `contacts { }`, or a block for each side and one between them. */
static void
print_blocks(const struct model *model, FILE *out)
{
    const struct contact *law = &model->contact[0];
    for (int side = 0; side < (model->split ? 3 : 1); side++) {
        char *bodies;
        size_t size;
        FILE *memory = open_memstream(&bodies, &size);
        bool pairs = true;
        if (model->split && side < 2) {
            pairs = print_side(model, side, memory) > 0;
        } else if (model->split) {
            fputs(" between ", memory);
            print_side(model, 0, memory);
            fputs(", ", memory);
            print_side(model, 1, memory);
        }
        fclose(memory);
        if (pairs) {
            fprintf(out, "contacts%s { restitution = ", bodies);
            print_restitution(law, out);
            print_friction(model, law, out);
            fputs(" }\n", out);
        }
        free(bodies);
    }
}

/* Declarations are numbered: 0 the world, then bodies, contacts, systems,
 * joints. */
static void
print_declaration(const struct model *model, int number_of, FILE *out)
{
    if (number_of == 0) {
        print_world(model, out);
        if (model->as_system)
            print_bodies_as_system(model, out);
        if (model->found)
            print_blocks(model, out);
        return;
    }
    int body = number_of - 1, contact = body - model->bodies;
    int system = contact - model->contacts;
    if (body < model->bodies) {
        if (model->body[body].member == 1)
            print_bodies_as_family(model, out);
        else if (model->body[body].there && !model->as_system &&
                 !model->body[body].member)
            print_body(model, body, out);
    } else if (contact < model->contacts) {
        if (model->contact[contact].row == 1)
            print_contacts_as_family(model, contact, out);
        else if (model->contact[contact].there &&
                 !model->contact[contact].system && !model->found &&
                 !model->as_system && !model->contact[contact].row)
            print_contact(model, contact, out);
    } else if (system < model->systems) {
        if (model->system[system].there)
            print_system(model, system, out);
    } else if (model->joint[system - model->systems].there &&
               !model->as_system) {
        print_joint(model, system - model->systems, out);
    }
}

void
model_print(const struct model *model, FILE *out)
{
    int count =
        1 + model->bodies + model->contacts + model->systems + model->joints;
    int order[1 + MAX_BODIES + MAX_CONTACTS + MAX_SYSTEMS + MAX_JOINTS];
    for (int i = 0; i < count; i++)
        order[i] = i;
    struct random random = random_start(model->shuffle, 1);
    for (int i = count - 1; model->shuffle && i > 0; i--) {
        int k = random_whole(&random, i + 1), keep = order[i];
        order[i] = order[k];
        order[k] = keep;
    }
    fputs("use shapes\n", out);
    for (int i = 0; i < model->systems; i++)
        if (model->system[i].formulas.own) {
            formula_print_own(out);
            break;
        }
    fputs(uses_library(model) ? "use friction\n" : "", out);
    if (model->as_data)
        data_print_files(model, out);
    if (model->zero_friction || model->ask)
        fputs("param none = 0\n", out);
    for (int i = 0; i < count; i++) {
        if (model->shuffle && random_chance(&random, 0.3))
            fputs("# a comment { with braces ( and \"quotes\n\n", out);
        print_declaration(model, order[i], out);
    }
    print_question(model, out);
}

char *
model_text(const struct model *model)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    model_print(model, out);
    fclose(out);
    return model->as_params ? rewrite_as_params(text)
           : model->as_data ? data_rewrite(model, text)
           : model->in_feet ? rewrite_in_feet(text, model->dimension)
                            : text;
}
