/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the record of `simulate` into arrays by body and contact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "data.h"
#include "json.h"
#include "run.h"
#include "vector.h"

static double
number_at(const struct json *list, int index)
{
    if (!list || list->kind != JSON_LIST || (size_t)index >= list->count ||
        list->item[index].kind != JSON_NUMBER)
        return NAN;
    return list->item[index].number;
}

static const char *
text_at(const struct json *list, int index)
{
    if (!list || list->kind != JSON_LIST || (size_t)index >= list->count ||
        list->item[index].kind != JSON_TEXT)
        return "";
    return list->item[index].text;
}

/* The name in a column: fam_0 for fam[0]. */
static void
plain_name(const char *name, char *out)
{
    for (; *name; name++)
        if (*name != ']')
            *out++ = *name == '[' ? '_' : *name;
    *out = 0;
}

static const struct json *
column(const struct json *record, const char *name, const char *what)
{
    char key[2 * NAME_SIZE], plain[NAME_SIZE];
    plain_name(name, plain);
    snprintf(key, sizeof key, "%s_%s", plain, what);
    return json_get(record, key);
}

/* One row of a column of vectors, or of numbers, which then are about z. */
static void
read_vector(const struct json *list, int row, int dimension, double out[])
{
    bool there = list && list->kind == JSON_LIST && (size_t)row < list->count;
    const struct json *item = there ? &list->item[row] : NULL;
    if (item && item->kind == JSON_NUMBER) {
        out[2] = item->number;
        return;
    }
    for (int k = 0; k < dimension; k++)
        out[k] = number_at(item, k);
}

static void
read_states(const struct model *model, const struct json *record,
            struct result *result, int body)
{
    const char *name = model->body[body].name;
    const struct json *position = column(record, name, "position");
    const struct json *velocity = column(record, name, "velocity");
    const struct json *spin = column(record, name, "spin");
    const struct json *angle = column(record, name, "angle");
    const struct json *quaternion = column(record, name, "quaternion");
    for (int row = 0; row < result->rows; row++) {
        struct state *state = &result->state[row * result->bodies + body];
        read_vector(position, row, model->dimension, state->position);
        read_vector(velocity, row, model->dimension, state->velocity);
        read_vector(spin, row, model->dimension, state->spin);
        if (model->dimension == 2) {
            state->angle = number_at(angle, row);
            angle_matrix(state->angle, state->turn);
        } else {
            read_vector(quaternion, row, 4, state->quaternion);
            quaternion_matrix(state->quaternion, state->turn);
        }
    }
}

/* The mass centre of a body that is cut in two lies between those of the
 * halves. */
static void
join_halves(const struct body *first, struct result *result, int body)
{
    for (int row = 0; row < result->rows; row++) {
        struct state *whole = &result->state[row * result->bodies + body];
        const struct state *rest =
            &result->state[row * result->bodies + first->half - 1];
        for (int k = 0; k < 3; k++) {
            whole->position[k] = first->share * whole->position[k] +
                                 (1 - first->share) * rest->position[k];
            whole->velocity[k] = first->share * whole->velocity[k] +
                                 (1 - first->share) * rest->velocity[k];
        }
    }
}

/* Those of a body that stands in a system. */
static void
read_body_of_system(const struct model *model, const struct json *record,
                    struct result *result, int body)
{
    for (int k = 0; k < model->dimension; k++) {
        char key[2 * NAME_SIZE], key_rate[3 * NAME_SIZE];
        snprintf(key, sizeof key, "all_%c%d", "xyz"[k], body);
        snprintf(key_rate, sizeof key_rate, "%s_dot", key);
        const struct json *place = json_get(record, key);
        const struct json *rate = json_get(record, key_rate);
        for (int row = 0; row < result->rows; row++) {
            struct state *state = &result->state[row * result->bodies + body];
            state->position[k] = number_at(place, row);
            state->velocity[k] = number_at(rate, row);
        }
    }
    char key[2 * NAME_SIZE], key_rate[3 * NAME_SIZE];
    snprintf(key, sizeof key, "all_p%d", body);
    snprintf(key_rate, sizeof key_rate, "%s_dot", key);
    const struct json *angle = json_get(record, key);
    const struct json *spin = json_get(record, key_rate);
    for (int row = 0; model->dimension == 2 && row < result->rows; row++) {
        struct state *state = &result->state[row * result->bodies + body];
        state->angle = number_at(angle, row);
        state->spin[2] = number_at(spin, row);
        angle_matrix(state->angle, state->turn);
    }
}

/* A fixed body's states follow from the model. */
static void
fixed_states(const struct model *model, struct result *result, int body)
{
    const struct body *fixed = &model->body[body];
    for (int row = 0; row < result->rows; row++) {
        struct state *state = &result->state[row * result->bodies + body];
        add_scaled(fixed->position, result->t[row], fixed->carry,
                   state->position);
        double turn = fixed->swing_rate * result->t[row] + fixed->swing_phase;
        add_scaled(state->position, sin(turn), fixed->swing, state->position);
        add_scaled(fixed->carry, fixed->swing_rate * cos(turn), fixed->swing,
                   state->velocity);
        double time = result->t[row];
        if (fixed->path.knots) {
            add_scaled(state->position, table_integral(&fixed->path, time),
                       fixed->along, state->position);
            add_scaled(state->velocity, table_value(&fixed->path, time),
                       fixed->along, state->velocity);
        }
        state->angle = fixed->angle + ride_angle(&fixed->turning, time) +
                       ride_angle(&model->ground, time);
        state->spin[2] +=
            ride_spin(&fixed->turning, time) + ride_spin(&model->ground, time);
        if (!ride_is_rest(&model->ground))
            ride_along(&model->ground, time, state->position, state->velocity);
        if (model->dimension == 2)
            angle_matrix(state->angle, state->turn);
        else
            quaternion_matrix(fixed->quaternion, state->turn);
    }
}

/* "c1", or "s0.c1" with a dot or another letter between. */
static void
contact_name(const struct model *model, int index, const char *between,
             char *out, size_t size)
{
    const struct contact *contact = &model->contact[index];
    if (contact->system)
        if (model->families)
            snprintf(out, size, "%s%sk[%d]",
                     model->system[contact->system - 1].name, between, index);
        else
            snprintf(out, size, "%s%s%s",
                     model->system[contact->system - 1].name, between,
                     contact->name);
    else if (model->found)
        snprintf(out, size, "%s|%s", model->body[contact->first].name,
                 model->body[contact->second].name);
    else
        snprintf(out, size, "%s%s%s", model->as_system ? "all" : "",
                 model->as_system ? between : "", contact->name);
}

int
contact_named(const struct model *model, const char *name)
{
    for (int i = 0; i < model->contacts; i++) {
        char own[3 * NAME_SIZE];
        contact_name(model, i, ".", own, sizeof own);
        size_t length = strlen(own);
        /* the corners of a body in a system are named after its contact */
        bool same = model->as_system
                        ? !strncmp(own, name, length) && name[length] == '_'
                        : !strcmp(own, name);
        if (model->contact[i].there && same)
            return i;
    }
    return -1;
}

static void
read_places(const struct model *model, const struct json *record,
            struct result *result, int index)
{
    const struct coordinate_system *system = &model->system[index];
    for (int i = 0; i < system->coordinates; i++) {
        char key[2 * NAME_SIZE], key_rate[3 * NAME_SIZE];
        snprintf(key, sizeof key, "%.15s_%.15s", system->name,
                 system->coordinate[i]);
        snprintf(key_rate, sizeof key_rate, "%s_dot", key);
        const struct json *q = json_get(record, key);
        const struct json *rate = json_get(record, key_rate);
        for (int row = 0; row < result->rows; row++) {
            struct place *place = &result->place[row * MAX_SYSTEMS + index];
            place->q[i] = number_at(q, row);
            place->rate[i] = number_at(rate, row);
        }
        if (!model->observed)
            continue;
        snprintf(key, sizeof key, "%.15s_w%d", system->name, i);
        snprintf(key_rate, sizeof key_rate, "%s_dot", key);
        q = json_get(record, key);
        rate = json_get(record, key_rate);
        for (int row = 0; row < result->rows; row++) {
            struct place *place = &result->observed[row * MAX_SYSTEMS + index];
            place->q[i] = number_at(q, row);
            place->rate[i] = number_at(rate, row);
        }
    }
}

static void
read_answer(const struct json *record, struct answer *answer)
{
    const struct json *verdict = json_get(record, "verdict");
    const char *const keys[] = {"time",        "error",    "ratio",
                                "ratio_error", "exponent", "exponent_error"};
    double *const values[] = {&answer->time,     &answer->error,
                              &answer->ratio,    &answer->ratio_error,
                              &answer->exponent, &answer->exponent_error};
    const int count = sizeof keys / sizeof *keys;
    if (verdict && verdict->kind == JSON_TEXT)
        snprintf(answer->verdict, sizeof answer->verdict, "%s", verdict->text);
    const struct json *means = json_get(record, "means");
    answer->fitted =
        !means || means->kind != JSON_TEXT || !strcmp(means->text, "average");
    for (int i = 0; i < count; i++) {
        const struct json *value = json_get(record, keys[i]);
        *values[i] = value && value->kind == JSON_NUMBER ? value->number : NAN;
    }
}

static void
read_events(const struct model *model, const struct json *record,
            struct result *result)
{
    const struct json *times = json_get(record, "event_times");
    result->events = times ? (int)times->count : 0;
    result->event = calloc((size_t)result->events + 1, sizeof *result->event);
    for (int i = 0; i < result->events; i++) {
        struct event *event = &result->event[i];
        event->time = number_at(times, i);
        event->impulse = number_at(json_get(record, "event_impulses"), i);
        snprintf(event->kind, sizeof event->kind, "%s",
                 text_at(json_get(record, "event_kinds"), i));
        snprintf(event->class, sizeof event->class, "%s",
                 text_at(json_get(record, "event_classes"), i));
        const char *name = text_at(json_get(record, "event_contacts"), i);
        event->contact = contact_named(model, name);
        event->guest = strstr(name, GUEST) != NULL; /* wheel_far_body1 */
    }
    const struct json *limits = json_get(record, "limit_times");
    result->limits =
        limits && limits->kind == JSON_LIST ? (int)limits->count : 0;
    result->limit = calloc((size_t)result->limits + 1, sizeof *result->limit);
    for (int i = 0; i < result->limits; i++) {
        result->limit[i].time = number_at(limits, i);
        result->limit[i].sum = number_at(json_get(record, "limit_sums"), i);
        result->limit[i].error = number_at(json_get(record, "limit_errors"), i);
        result->limit[i].before =
            number_at(json_get(record, "limit_errors_before"), i);
        result->limit[i].depth = number_at(json_get(record, "limit_depths"), i);
        result->limit[i].contact = contact_named(
            model, text_at(json_get(record, "limit_contacts"), i));
    }
}

static void
read_forces(const struct json *record, struct result *result, int contact,
            const char *name)
{
    const char *const what[] = {"normal_force", "friction_force", "slip",
                                "work", "mode"};
    const struct json *list[5];
    for (int k = 0; k < 5; k++) {
        char key[5 * NAME_SIZE];
        snprintf(key, sizeof key, "%s_%s", name, what[k]);
        list[k] = json_get(record, key);
    }
    for (int row = 0; row < result->rows; row++) {
        double mode = number_at(list[4], row);
        bool smooth = list[0] && !list[1]; /* no friction is recorded */
        result->force[row * result->contacts + contact] =
            (struct force){.normal = number_at(list[0], row),
                           .friction = smooth ? 0 : number_at(list[1], row),
                           .slip = smooth ? 0 : number_at(list[2], row),
                           .work = smooth ? 0 : number_at(list[3], row),
                           .mode = isnan(mode) ? -1 : (int)mode};
    }
}

void
slider_axis(const struct model *model, const struct result *result, int row,
            const struct joint *joint, double out[3])
{
    double turn[3][3], axis[3] = {0};
    add_scaled(axis, 1 / length(joint->axis), joint->axis, out);
    if (joint->second < 0 || model->dimension != 2)
        return;
    memcpy(turn, result_state(result, 0, joint->second)->turn, sizeof turn);
    rotate_back(turn, out, out);
    memcpy(turn, result_state(result, row, joint->second)->turn, sizeof turn);
    rotate(turn, out, out);
}

/* The force on the first body of a slider. */
static void
slider_force(const struct model *model, const struct result *result, int row,
             const struct joint *joint, double across, double along,
             double out[3])
{
    double axis[3];
    slider_axis(model, result, row, joint, axis);
    out[0] = along * axis[0] - across * axis[1];
    out[1] = along * axis[1] + across * axis[0];
}

/* Of a slider the force across its axis, and that of friction along it, are
 * told as numbers. */
static void
read_bearings(const struct model *model, const struct json *record,
              struct result *result, int index)
{
    const struct joint *joint = &model->joint[index];
    const char *what[] = {"rate",
                          "work",
                          "mode",
                          joint->slider ? "normal_force" : "force",
                          joint->slider ? "friction_force" : "friction_moment",
                          "moment"};
    const struct json *list[6];
    for (int k = 0; k < 6; k++)
        list[k] = column(record, joint->name, what[k]);
    for (int row = 0; row < result->rows; row++) {
        struct bearing *out = &result->bearing[row * result->joints + index];
        double mode = number_at(list[2], row);
        *out = (struct bearing){.rate = number_at(list[0], row),
                                .work = number_at(list[1], row),
                                .friction = number_at(list[4], row),
                                .mode = isnan(mode) ? -1 : (int)mode};
        out->moment = joint->slider ? number_at(list[5], row) : out->friction;
        if (out->mode < 0)
            continue;
        if (!joint->slider) {
            read_vector(list[3], row, 2, out->force);
            continue;
        }
        out->across = number_at(list[3], row);
        slider_force(model, result, row, joint, out->across, out->friction,
                     out->force);
    }
}

static void
read_rows(const struct model *model, const struct json *record,
          struct result *result)
{
    const struct json *times = json_get(record, "t");
    result->rows = times ? (int)times->count : 0;
    size_t rows = (size_t)result->rows + 1;
    result->t = calloc(rows, sizeof *result->t);
    result->state = calloc(rows * (size_t)model->bodies, sizeof *result->state);
    result->gap =
        calloc(rows * (size_t)model->contacts + 1, sizeof *result->gap);
    result->force =
        calloc(rows * (size_t)model->contacts + 1, sizeof *result->force);
    result->energy = calloc(rows, sizeof *result->energy);
    for (int row = 0; row < result->rows; row++) {
        result->t[row] = number_at(times, row);
        result->energy[row] = number_at(json_get(record, "energy"), row);
    }
    for (int i = 0; i < model->bodies; i++)
        if (body_moves(model, i) && model->as_system)
            read_body_of_system(model, record, result, i);
        else if (body_moves(model, i))
            read_states(model, record, result, i);
        else if (model->body[i].there)
            fixed_states(model, result, i);
    for (int i = 0; i < model->bodies; i++)
        if (model->body[i].half)
            join_halves(&model->body[i], result, i);
    result->place = calloc(rows * MAX_SYSTEMS, sizeof *result->place);
    if (model->observed)
        result->observed = calloc(rows * MAX_SYSTEMS, sizeof *result->observed);
    for (int i = 0; i < model->systems; i++)
        if (model->system[i].there)
            read_places(model, record, result, i);
    for (int i = 0; i < model->contacts; i++) {
        char name[3 * NAME_SIZE], key[4 * NAME_SIZE];
        contact_name(model, i, "_", name, sizeof name);
        plain_name(name, name);
        snprintf(key, sizeof key, "gap_%s", name);
        const struct json *gaps = json_get(record, key);
        for (int row = 0; row < result->rows; row++)
            result->gap[row * model->contacts + i] = number_at(gaps, row);
        read_forces(record, result, i, name);
    }
    result->rotor = calloc(rows * (size_t)model->bodies, sizeof *result->rotor);
    for (int i = 0; i < model->bodies; i++) {
        char name[2 * NAME_SIZE];
        snprintf(name, sizeof name, "wheel_%s", model->body[i].name);
        const struct json *rates = NULL;
        if (model->as_system) {
            snprintf(name, sizeof name, "all_r%d_dot", i);
            rates = json_get(record, name);
        } else {
            rates = column(record, name, "rate");
        }
        for (int row = 0; row < result->rows; row++)
            result->rotor[row * model->bodies + i] = number_at(rates, row);
    }
    result->bearing =
        calloc(rows * (size_t)model->joints + 1, sizeof *result->bearing);
    for (int i = 0; i < model->joints; i++)
        read_bearings(model, record, result, i);
}

static bool
says(const struct result *result, const char *words)
{
    return strstr(result->out, words) || strstr(result->err, words);
}

/* The first code of an error, else of a warning of the record (W0724 ends a
 * run). */
static void
read_code(struct result *result)
{
    const char *found = strstr(result->err, "[E0");
    if (!found)
        found = strstr(result->out, "[W0");
    if (!found)
        found = strstr(result->err, "[W0");
    if (found)
        snprintf(result->code, sizeof result->code, "%.5s", found + 1);
}

/* When one of two warnings is told first, or INFINITY. Times are told in 9
 * digits. */
static double
first_warning(const struct json *record, const char *words, const char *others)
{
    const struct json *warnings = json_get(record, "warnings");
    int count =
        warnings && warnings->kind == JSON_LIST ? (int)warnings->count : 0;
    for (int i = 0; i < count; i++) {
        double time;
        const char *text = text_at(warnings, i);
        if ((strstr(text, words) || strstr(text, others)) &&
            !strstr(text, GUEST) && sscanf(text, "t = %lf s:", &time) == 1)
            return time - 1e-8 * (1 + fabs(time));
    }
    return INFINITY;
}

static double
energy_of(const struct json *record, const char *key)
{
    const struct json *energy = json_get(record, key);
    return energy && energy->kind == JSON_NUMBER ? energy->number : NAN;
}

void
run_model(const struct runner *runner, const struct model *model,
          struct result *result)
{
    struct runner with = *runner;
    struct model *copy = malloc(sizeof *copy);
    *copy = *model;
    if (model->as_data) {
        data_begin(copy);
        with.folder = copy->folder;
    }
    char *text = model_text(copy);
    if (model->formatted)
        text = run_format(runner, text);
    run_text(&with, text, result);
    free(text);
    if (model->as_data)
        data_end(copy);
    free(copy);
    result->bodies = model->bodies;
    result->contacts = model->contacts;
    result->joints = model->joints;
    read_code(result);
    const char *at = result->out;
    struct json *record = json_read(&at);
    const struct json *done = json_get(record, "status");
    const struct json *time = json_get(record, "time");
    if (done && done->kind == JSON_TEXT && time && time->kind == JSON_NUMBER) {
        result->read = true;
        snprintf(result->done, sizeof result->done, "%s", done->text);
        result->time = time->number;
        /* The law `sequential` takes what approaches alike in the order of
         * points and declarations, and says so: another frame or order is
         * another motion. So is that of the second engine, where the first one
         * pulls no more at low heights. */
        result->decided = first_warning(record, "approach alike", "would pull");
        result->loads = first_warning(record, "points share the loads",
                                      "points share the impulses");
        result->loads =
            fmin(result->loads,
                 first_warning(record, "from there on is one of several",
                               "nearly depend on each other, and lock"));
        result->choices = first_warning(record, "choices of modes",
                                        "not shown to be the only one");
        result->shared = says(result, "not determined");
        result->gains = says(result, "W0721") || says(result, "W0734");
        result->energy_before = energy_of(record, "energy_before");
        result->energy_after = energy_of(record, "energy_after");
        read_rows(model, record, result);
        read_events(model, record, result);
    }
    if (model->question == ASK_CHATTER && json_get(record, "of")) {
        result->read = true;
        read_answer(record, &result->answer);
    }
    json_free(record);
}

void
result_free(struct result *result)
{
    free(result->out);
    free(result->err);
    free(result->t);
    free(result->energy);
    free(result->state);
    free(result->gap);
    free(result->force);
    free(result->bearing);
    free(result->rotor);
    free(result->place);
    free(result->observed);
    free(result->event);
    free(result->limit);
}
