/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a failing model small: tries one simplification after the other until
 * none of them leaves the finding. */
#include "shrink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vector.h"

struct shrinking {
    const struct runner *runner;
    uint64_t seed;
    int check;
    struct model model; /* the smallest so far */
    struct finding finding;
    time_t end;
    bool smaller; /* something was kept in this round */
};

/* A quaternion without a direction is printed as no turn at all, which another
 * frame cannot turn. */
static bool
has_attitudes(const struct model *model)
{
    for (int i = 0; i < model->bodies; i++) {
        const double *q = model->body[i].quaternion;
        if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.1))
            return false;
    }
    return true;
}

/* Keeps the trial if it gives a finding of the same kind. */
static bool
try(struct shrinking *shrinking, const struct model *trial)
{
    if (time(NULL) > shrinking->end || !has_attitudes(trial) ||
        !memcmp(trial, &shrinking->model, sizeof *trial))
        return false;
    struct subject subject;
    struct finding finding = {0};
    subject_make(trial, shrinking->seed, &subject);
    check_run(shrinking->runner, &subject, shrinking->check, &finding, NULL);
    subject_free(&subject);
    if (strcmp(finding.kind, shrinking->finding.kind) != 0 || finding.rounding)
        return false;
    shrinking->model = *trial;
    shrinking->finding = finding;
    shrinking->smaller = true;
    return true;
}

static void
delete_parts(struct shrinking *shrinking)
{
    for (int i = 0; i < shrinking->model.bodies; i++) {
        struct model trial = shrinking->model;
        if (!trial.body[i].there)
            continue;
        trial.body[i].there = false;
        for (int k = 0; k < trial.contacts; k++)
            if (!trial.contact[k].system &&
                (trial.contact[k].first == i || trial.contact[k].second == i))
                trial.contact[k].there = false;
        for (int k = 0; k < trial.joints; k++)
            if (trial.joint[k].first == i || trial.joint[k].second == i)
                trial.joint[k].there = false;
        try(shrinking, &trial);
    }
    for (int i = 0; i < MAX_BODIES; i++) {
        struct model trial = shrinking->model;
        trial.guest_left_out[i] = true;
        if (!strcmp(check_name(shrinking->check), "beside"))
            try(shrinking, &trial);
    }
    for (int i = 0; i < shrinking->model.contacts; i++) {
        struct model trial = shrinking->model;
        trial.contact[i].there = false;
        try(shrinking, &trial);
    }
    for (int i = 0; i < shrinking->model.bodies; i++)
        for (int k = 0; k < shrinking->model.body[i].corners; k++) {
            struct model trial = shrinking->model;
            struct body *body = &trial.body[i];
            if (body->shape != SHAPE_HULL ||
                body->corners <= trial.dimension + 1)
                continue;
            body->corners--;
            memmove(body->corner[k], body->corner[k + 1],
                    (size_t)(body->corners - k) * sizeof body->corner[0]);
            memset(body->corner[body->corners], 0, sizeof body->corner[0]);
            try(shrinking, &trial);
        }
}

/* Fewer digits, down to 0 or 1. */
static void
simplify_number(struct shrinking *shrinking, size_t offset, double least)
{
    for (int digits = 0; digits <= 2; digits++) {
        struct model trial = shrinking->model;
        double *number = (double *)((char *)&trial + offset);
        double power = pow(10, digits);
        double simple = round(*number * power) / power;
        if (*number == 0 || simple < least)
            continue;
        if (digits == 0 && least == -INFINITY) {
            *number = 0;
            if (try(shrinking, &trial))
                return;
        }
        *number = simple;
        if (try(shrinking, &trial))
            return;
    }
}

#define AT(field) ((size_t)((char *)&(field) - (char *)model))

static void
simplify_vector(struct shrinking *shrinking, size_t offset)
{
    for (size_t k = 0; k < 3; k++)
        simplify_number(shrinking, offset + k * sizeof(double), -INFINITY);
}

static void
simplify_body(struct shrinking *shrinking, int index)
{
    struct model *model = &shrinking->model;
    struct body *body = &model->body[index];
    struct model trial = *model;
    memset(&trial.body[index].load, 0, sizeof trial.body[index].load);
    try(shrinking, &trial);
    trial = *model;
    memcpy(trial.body[index].quaternion, (double[]){1, 0, 0, 0},
           sizeof body->quaternion);
    trial.body[index].angle = 0;
    try(shrinking, &trial);
    simplify_vector(shrinking, AT(body->velocity));
    simplify_vector(shrinking, AT(body->spin));
    simplify_vector(shrinking, AT(body->position));
    simplify_number(shrinking, AT(body->angle), -INFINITY);
    simplify_number(shrinking, AT(body->density), 0.01);
    for (int k = 0; k < 4 && model->dimension == 3; k++)
        simplify_number(shrinking, AT(body->quaternion[k]), -INFINITY);
    for (int k = 0; k < 3; k++)
        simplify_number(shrinking, AT(body->size[k]), 0.01);
    for (int k = 0; k < body->corners; k++)
        simplify_vector(shrinking, AT(body->corner[k]));
    simplify_vector(shrinking, AT(body->load.constant));
    simplify_vector(shrinking, AT(body->load.wave));
    simplify_vector(shrinking, AT(body->swing));
    simplify_number(shrinking, AT(body->turning.size), -INFINITY);
    simplify_number(shrinking, AT(body->turning.rate), -INFINITY);
    simplify_vector(shrinking, AT(body->load.pull));
    simplify_vector(shrinking, AT(body->load.torque));
    simplify_number(shrinking, AT(body->load.spring), -INFINITY);
    simplify_number(shrinking, AT(body->load.drag), -INFINITY);
    simplify_number(shrinking, AT(body->load.rail.damper), -INFINITY);
    simplify_number(shrinking, AT(body->load.rail.dry), -INFINITY);
    simplify_number(shrinking, AT(body->load.rail.stop), -INFINITY);
    simplify_number(shrinking, AT(body->rotor.motor), -INFINITY);
}

/* Parts of formulas become 0 or one of their own parts. */
static void
simplify_formulas(struct shrinking *shrinking, int index)
{
    const struct formulas *own = &shrinking->model.system[index].formulas;
    for (int i = own->count - 1; i > 0; i--)
        for (int way = 0; way < 3; way++) {
            struct model trial = shrinking->model;
            struct node *node = &trial.system[index].formulas.node[i];
            const struct node *all = trial.system[index].formulas.node;
            bool leaf = node->operation <= OP_RATE;
            bool two =
                node->operation == OP_ADD || node->operation == OP_MULTIPLY;
            if (node->operation == OP_NUMBER || (way == 1 && leaf) ||
                (way == 2 && !two))
                continue;
            *node = way == 0   ? (struct node){OP_NUMBER, 0, 0, 0}
                    : way == 1 ? all[node->left]
                               : all[node->right];
            if (try(shrinking, &trial))
                break;
        }
    struct model *model = &shrinking->model;
    struct coordinate_system *system = &model->system[index];
    for (int i = 0; i < own->count; i++)
        if (own->node[i].operation == OP_NUMBER)
            simplify_number(shrinking, AT(system->formulas.node[i].value),
                            -INFINITY);
    for (int i = 0; i < system->coordinates; i++) {
        simplify_number(shrinking, AT(system->start[i]), -INFINITY);
        simplify_number(shrinking, AT(system->rate[i]), -INFINITY);
    }
}

static void
simplify_run(struct shrinking *shrinking)
{
    struct model *model = &shrinking->model;
    struct model trial = *model;
    trial.law = NULL;
    try(shrinking, &trial);
    trial = *model;
    for (int i = 0; i < trial.contacts; i++) {
        trial.contact[i].approach_speed = 0;
        trial.contact[i].stribeck_speed = 0;
    }
    try(shrinking, &trial);
    trial = *model;
    for (int i = 0; i < trial.contacts; i++)
        trial.contact[i].own_law = NULL;
    try(shrinking, &trial);
    static const double share[] = {0.2, 0.5, 0.8, 0.9};
    for (int i = 0; i < 4; i++) {
        trial = *model;
        trial.until = round(trial.until * share[i] * 100) / 100;
        if (trial.until > 0)
            model_set_times(&trial, trial.times < 33 ? trial.times : 33);
        if (trial.until > 0 && trial.until < model->until &&
            try(shrinking, &trial))
            break;
    }
    for (int count = 3; count < model->times; count = 2 * count - 1) {
        trial = *model;
        model_set_times(&trial, count);
        if (try(shrinking, &trial))
            break;
    }
    simplify_vector(shrinking, AT(model->gravity));
    for (int i = 0; i < model->contacts; i++)
        if (model->contact[i].there)
            simplify_number(shrinking, AT(model->contact[i].restitution), 0.1);
}

void
shrink(const struct runner *runner, struct model *model, uint64_t seed,
       int check, struct finding *finding, int seconds)
{
    struct shrinking *shrinking = calloc(1, sizeof *shrinking);
    *shrinking = (struct shrinking){.runner = runner,
                                    .seed = seed,
                                    .check = check,
                                    .model = *model,
                                    .finding = *finding,
                                    .end = time(NULL) + seconds};
    do {
        shrinking->smaller = false;
        delete_parts(shrinking);
        simplify_run(shrinking);
        for (int i = 0; i < shrinking->model.bodies; i++)
            if (shrinking->model.body[i].there)
                simplify_body(shrinking, i);
        for (int i = 0; i < shrinking->model.systems; i++)
            simplify_formulas(shrinking, i);
    } while (shrinking->smaller && time(NULL) <= shrinking->end);
    *model = shrinking->model;
    *finding = shrinking->finding;
    free(shrinking);
}
