/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies checks to models. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "beside.h"
#include "commands.h"
#include "events.h"
#include "rounding.h"
#include "vector.h"

/* Rows of the run that is audited. Where a sum over three of them is missed,
 * the same is asked of REFINED rows in their place, at no more than PLACES of a
 * run. Simpson's rule is in error by the fourth power of a step, here by less
 * than a millionth of what it was; what the engine does wrong stays. */
enum { DENSE = 1001, REFINED = 65, PLACES = 32 };

/* Starts near to the start of the model that are followed for the growth. */
enum { NEIGHBOURS = 2 };

/* The second engine follows every turn of a body that spins fast, and asks the
 * right-hand side some hundred times each: it may take so much longer. */
enum { SECOND_ENGINE = 10 };

/* Ways to run a text that must print the same bytes. */
static const struct way {
    const char *name, *backend;
    int opt;
} way_table[] = {
    {"jit-0", "jit", 0}, {"jit-2", "jit", 2}, {"simulator", "build", 2}};
enum { WAYS = sizeof way_table / sizeof *way_table };
/* relations between commands, between the two tables */
enum { COMMANDS = 7 };
/* Sweeps take ten runs: one model of so many. */
enum { SWEPT = 3 };
static const char *const command_names[COMMANDS] = {
    "sweep", "impact", "integral", "text", "extremes", "rows", "again"};

int
check_ways(void)
{
    return 1 + relation_count + COMMANDS;
}

int
check_count(void)
{
    return check_ways() + WAYS;
}

const char *
check_name(int check)
{
    if (check == 0)
        return "audit";
    if (check <= relation_count)
        return relation_table[check - 1].name;
    if (check < check_ways())
        return command_names[check - 1 - relation_count];
    return way_table[check - check_ways()].name;
}

void
subject_make(const struct model *model, uint64_t seed, struct subject *out)
{
    *out = (struct subject){.model = *model, .seed = seed};
}

static void
subject_run(const struct runner *runner, struct subject *subject)
{
    if (!subject->run)
        run_model(runner, &subject->model, &subject->result);
    subject->run = true;
}

void
subject_free(struct subject *subject)
{
    result_free(&subject->result);
    growth_free(&subject->growth);
}

/* Adds what starts near to that of a model come to. */
static void
neighbours(const struct runner *runner, const struct model *model,
           const struct result *own, uint64_t seed, struct growth *growth)
{
    for (int i = 0; i < NEIGHBOURS; i++) {
        struct model near;
        struct result result;
        perturb(model, seed + (uint64_t)i, &near);
        run_model(runner, &near, &result);
        growth_add(growth, model, own, &result);
        result_free(&result);
    }
}

static void
grow(const struct runner *runner, struct subject *subject)
{
    if (subject->grown)
        return;
    subject->grown = true;
    subject->growth = (struct growth){.horizon = INFINITY};
    neighbours(runner, &subject->model, &subject->result, subject->seed,
               &subject->growth);
}

/* Impacts of the pair of moving bodies that meets most often. */
static int
meetings(const struct model *model, const struct result *result)
{
    int count[MAX_CONTACTS] = {0}, most = 0;
    for (int i = 0; i < result->events; i++) {
        const struct event *event = &result->event[i];
        if (event->contact < 0 || strcmp(event->kind, "impact") != 0)
            continue;
        const struct contact *contact = &model->contact[event->contact];
        if (contact->system || !body_moves(model, contact->first) ||
            !body_moves(model, contact->second))
            continue;
        int now = ++count[event->contact];
        most = now > most ? now : most;
    }
    return most;
}

/* The model with rows close to each other between two times. */
static void
refine(const struct model *dense, double from, double to, struct model *out)
{
    *out = *dense;
    out->times = 0;
    for (int i = 0; i < dense->times && dense->at[i] < from; i++)
        out->at[out->times++] = dense->at[i];
    for (int i = 0; i < REFINED; i++)
        out->at[out->times++] =
            i + 1 < REFINED ? from + (to - from) * i / (REFINED - 1) : to;
    for (int i = 0; i < dense->times; i++)
        if (dense->at[i] > to)
            out->at[out->times++] = dense->at[i];
}

/* Asks finer rows wherever the rows of the result miss a sum. */
static void
audit_finely(const struct runner *runner, const struct model *dense,
             struct result *result, struct finding *finding)
{
    audit_motion(dense, result, finding);
    for (int i = 0; i < PLACES && finding->to > finding->from; i++) {
        struct model fine;
        struct result closer;
        struct finding place = *finding;
        *finding = (struct finding){0};
        refine(dense, place.from, place.to, &fine);
        run_model(runner, &fine, &closer);
        closer.sums_from = place.from;
        closer.sums_until = place.to;
        audit_end(&fine, &closer, finding);
        audit_motion(&fine, &closer, finding);
        result_free(&closer);
        if (finding->kind[0])
            return;
        result->sums_from = place.to;
        audit_motion(dense, result, finding);
    }
}

static void
check_audit(const struct runner *runner, struct subject *subject,
            struct finding *finding)
{
    struct model dense = subject->model;
    struct result result;
    model_set_times(&dense, DENSE);
    run_model(runner, &dense, &result);
    audit_end(&dense, &result, finding);
    if (!finding->kind[0])
        audit_finely(runner, &dense, &result, finding);
    subject->meetings = meetings(&dense, &result);
    result_free(&result);
}

/* What is far away may take long, and may end as it would alone. */
static bool
is_own_end(const struct model *model, const struct result *result)
{
    return result->status != EXIT_TIME && !guests_are_named(model, result);
}

/* Rows are looks: the events are the same to the last bit. */
static void
compare_events(const struct model *model, const struct result *a,
               const struct result *b, struct finding *finding)
{
    char text[2][200];
    int at = first_event_apart(a, b);
    if (at < 0 || !b->read || strcmp(a->done, b->done) != 0)
        return;
    event_text(model, at < a->events ? &a->event[at] : NULL, text[0],
               sizeof text[0]);
    event_text(model, at < b->events ? &b->event[at] : NULL, text[1],
               sizeof text[1]);
    finding_set(finding, "rows", "event %d is %s; with other rows %s", at,
                text[0], text[1]);
}

static void
check_relation(const struct runner *runner, struct subject *subject, int check,
               struct finding *finding, char **text)
{
    const struct relation *relation = &relation_table[check - 1];
    struct trial trial = {
        .model = &subject->model,
        .result = &subject->result,
        .random = random_start(subject->seed, 100 + (uint64_t)check),
        .other = subject->model,
        .frame = frame_same(),
        .to = INFINITY};
    struct result result;
    subject_run(runner, subject);
    if (!subject->result.read || !relation->make(&trial))
        return;
    frame_apply(&trial.frame, &trial.other);
    for (int i = 0; i < trial.other.systems; i++)
        if (trial.other.system[i].formulas.count == MAX_NODES)
            return; /* too long for its list */
    if (text)
        *text = model_text(&trial.other);
    struct runner patient = *runner;
    /* near to a ground that moves is every body, at all times; pieces of bodies
     * have more contacts */
    if (trial.other.second || length(trial.frame.boost) > 0 ||
        trial.frame.guests || trial.other.bodies > subject->model.bodies ||
        !ride_is_rest(&trial.other.ground))
        patient.seconds *= SECOND_ENGINE;
    run_model(&patient, &trial.other, &result);
    if (!trial.frame.guests || is_own_end(&trial.other, &result))
        audit_end(&trial.other, &result, finding);
    /* a sum of jumps that has no limit is told */
    if (trial.other.observed && result.read && !strstr(result.err, "W0731"))
        audit_observers(&trial.other, &result, finding);
    grow(runner, subject);
    /* out of their plane bodies move otherwise than within: what rounding makes
     * of that the model in the plane does not tell */
    struct growth inside = {.horizon = INFINITY};
    bool leaves = trial.other.dimension != subject->model.dimension;
    if (leaves) {
        neighbours(runner, &subject->model, &subject->result, subject->seed,
                   &inside);
        neighbours(&patient, &trial.other, &result, subject->seed, &inside);
    }
    struct comparison comparison = {.model = &subject->model,
                                    .result_a = &subject->result,
                                    .result_b = &result,
                                    .other = &trial.other,
                                    .frame = trial.frame,
                                    .from = trial.from,
                                    .to = trial.to,
                                    .motion_alone = trial.motion_alone,
                                    .same_energy = trial.same_energy,
                                    .anew = relation->anew};
    compare(&comparison, leaves ? &inside : &subject->growth, finding);
    growth_free(&inside);
    rounding_ask(&patient, &subject->model, &trial.other, &trial.frame,
                 finding);
    if (trial.same_events && !finding->kind[0])
        compare_events(&subject->model, &subject->result, &result, finding);
    result_free(&result);
}

static void
check_way(const struct runner *runner, struct subject *subject, int check,
          struct finding *finding)
{
    const struct way *way = &way_table[check - check_ways()];
    struct runner other = *runner;
    struct result result;
    subject_run(runner, subject);
    /* the shrinker must not come to a model that is refused alike */
    if (subject->result.status == 2)
        return;
    other.backend = way->backend;
    other.opt = way->opt;
    run_model(&other, &subject->model, &result);
    if (result.status == EXIT_SIGNAL || result.status == EXIT_TIME)
        audit_end(&subject->model, &result, finding);
    else if (result.status != subject->result.status)
        finding_set(finding, "status", "status %d; in the other run %d: %.500s",
                    subject->result.status, result.status, result.err);
    else if (strcmp(result.out, subject->result.out) != 0)
        finding_set(finding, "bytes", "the outputs differ");
    result_free(&result);
}

static void
check_commands(const struct runner *runner, struct subject *subject, int check,
               struct finding *finding)
{
    subject_run(runner, subject);
    if (!subject->result.read)
        return;
    if (check == 1 + relation_count)
        compare_sweep(runner, &subject->model, finding);
    else if (check == 2 + relation_count)
        compare_impact(runner, &subject->model, &subject->result, finding);
    else if (check == 3 + relation_count)
        compare_integral(runner, &subject->model, finding);
    else if (check == 4 + relation_count)
        compare_text(runner, &subject->model, &subject->result, finding);
    else if (check == 6 + relation_count && subject->seed % SWEPT == 0)
        compare_sweep_rows(runner, &subject->model, subject->seed, finding);
    else if (check == 7 + relation_count)
        compare_again(runner, &subject->model, subject->seed, &subject->result,
                      finding);
    else if (check == 5 + relation_count)
        compare_extremes(runner, &subject->model, &subject->result, finding);
}

void
check_run(const struct runner *runner, struct subject *subject, int check,
          struct finding *finding, char **other)
{
    if (other)
        *other = NULL;
    if (check == 0)
        check_audit(runner, subject, finding);
    else if (check <= relation_count)
        check_relation(runner, subject, check, finding, other);
    else if (check < check_ways())
        check_commands(runner, subject, check, finding);
    else
        check_way(runner, subject, check, finding);
}
