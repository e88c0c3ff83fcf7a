/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `sweep` with several threads, and `impact`, beside `simulate`. */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "compare.h"
#include "json.h"

/* Commands find a touch by the same roots: times and impulses differ by the
 * rounding of the way to them. */
static const double NEAR = 1e-11;

/* Integrals are sums over pieces, each of which is right to rounding; places
 * are moved onto the gaps at limits by less than this. */
static const double INTEGRAL = 1e-8;

/* Where a start that is moved by rounding makes more of a difference than that,
 * nothing is compared. */
static const double GROWN = 1e-5;

static double
number(const struct json *record, const char *key, int index)
{
    const struct json *value = json_get(record, key);
    if (value && value->kind == JSON_LIST)
        value = (size_t)index < value->count ? &value->item[index] : NULL;
    return value && value->kind == JSON_NUMBER ? value->number : NAN;
}

static struct result
run_asking(const struct runner *runner, const struct model *model,
           const char *ask)
{
    struct model *other = malloc(sizeof *other);
    struct result result;
    *other = *model;
    other->ask = ask;
    char *text = model_text(other);
    run_text(runner, text, &result);
    free(text);
    free(other);
    return result;
}

void
compare_sweep(const struct runner *runner, const struct model *model,
              struct finding *finding)
{
    char ask[400];
    struct runner one = *runner, three = *runner;
    static const char *const keys[] = {"count", "energy_after", "time"};
    if (model->question != ASK_SIMULATE)
        return;
    one.threads = 1;
    three.threads = 3;
    /* ends at fractions of the time, which leaves the motion alone; a sweep
     * that reads no row makes none, and pieces of the motion end elsewhere */
    snprintf(ask, sizeof ask,
             "let s = sweep {\n  over = (none in (0, %.3g, %.3g, %.3g, %.3g))\n"
             "  run = simulate { until = %.17g + none }\n"
             "  record = (count, energy_after, time, t[-1])\n}\n",
             -0.1 * model->until, -0.4 * model->until, 0.1 * model->until,
             -0.7 * model->until, model->until);
    struct result alone = run_asking(&one, model, ask);
    struct result shared = run_asking(&three, model, ask);
    snprintf(ask, sizeof ask, "let s = simulate { until = %.17g }\n",
             model->until);
    struct result single = run_asking(runner, model, ask);
    const char *at = alone.out, *at_single = single.out;
    struct json *sweep = json_read(&at), *record = json_read(&at_single);
    if (alone.status >= EXIT_SIGNAL || shared.status >= EXIT_SIGNAL)
        audit_end(model, alone.status >= EXIT_SIGNAL ? &alone : &shared,
                  finding);
    else if (strcmp(alone.out, shared.out) != 0)
        finding_set(finding, "threads", "the outputs differ");
    for (int i = 0; i < 3 && !single.status; i++) {
        double swept = number(sweep, keys[i], 0);
        double own = number(record, keys[i], 0);
        if (!(swept == own))
            finding_set(finding, "sweep",
                        "%s is %.17g in the sweep, and %.17g alone", keys[i],
                        swept, own);
    }
    json_free(sweep);
    json_free(record);
    result_free(&alone);
    result_free(&shared);
    result_free(&single);
}

void
compare_impact(const struct runner *runner, const struct model *model,
               const struct result *result, struct finding *finding)
{
    char ask[200];
    const struct event *event = &result->event[0];
    if (model->question != ASK_SIMULATE || model_is_rough(model) ||
        model->exact_start || !result->events || event->contact < 0 ||
        strcmp(event->kind, "impact") != 0 ||
        (result->events > 1 && result->event[1].time - event->time < 1e-6))
        return;
    const struct contact *contact = &model->contact[event->contact];
    snprintf(ask, sizeof ask, "let r = impact %s%s%s { until = %.17g }\n",
             contact->system ? model->system[contact->system - 1].name : "",
             contact->system ? "." : "", contact->name, model->until);
    struct result answer = run_asking(runner, model, ask);
    const char *at = answer.out;
    struct json *record = json_read(&at);
    double time = number(record, "time", 0), impulse = 0;
    const struct json *impulses = json_get(record, "impulses");
    for (size_t i = 0; impulses && i < impulses->count; i++)
        impulse += number(record, "impulses", (int)i);
    double rounding = 1e-15 / fabs(event->impulse);
    audit_end(model, &answer, finding);
    if (finding->kind[0] && strcmp(finding->kind, "refused") == 0 &&
        answer.status == 0)
        *finding = (struct finding){0};
    if (!answer.status && (!(fabs(time - event->time) < NEAR + rounding) ||
                           !(fabs(impulse - event->impulse) <
                             (NEAR + 10 * rounding) * (1 + fabs(impulse)))))
        finding_set(finding, "impact",
                    "`impact` tells of %.17g at t = %.17g, the run of %.17g at "
                    "%.17g",
                    impulse, time, event->impulse, event->time);
    json_free(record);
    result_free(&answer);
}

/* The error that the record tells of an integral. */
static double
told_error(const struct json *record, const char *label)
{
    const struct json *warnings = json_get(record, "warnings");
    size_t length = strlen(label);
    for (size_t i = 0; warnings && i < warnings->count; i++) {
        const char *text = warnings->item[i].text;
        const char *known = " is known to ";
        /* it is told that a piece counts by its ends alone */
        if (text && !strncmp(text, label, length) &&
            !strncmp(text + length, " counts ", 8))
            return INFINITY;
        if (text && !strncmp(text, label, length) &&
            !strncmp(text + length, known, strlen(known)))
            return strtod(text + length + strlen(known), NULL);
    }
    return 0;
}

/* One place of a record, and the integral of its velocity. */
static void
compare_way(const struct json *record, const char *place, const char *way,
            const char *label, struct finding *finding)
{
    const struct json *at = json_get(record, place);
    double integral = number(record, way, 0);
    if (!at || at->kind != JSON_LIST || at->count < 2 ||
        at->item[at->count - 1].kind != JSON_NUMBER || isnan(integral))
        return;
    double change = at->item[at->count - 1].number - at->item[0].number;
    double bound = INTEGRAL * (1 + fabs(change)) + told_error(record, label);
    if (!(fabs(integral - change) <= bound))
        finding_set(finding, "integral",
                    "%s is %.17g, and the way %.17g: the error that is told "
                    "is %.3g",
                    label, integral, change, told_error(record, label));
}

/* Contacts whose forces the model has as bodies and as a system: those of one
 * point. Prints their integrals, as they are called in the one or the other. */
static bool
ask_pushes(const struct model *model, bool as_system, FILE *out)
{
    bool any = false;
    fprintf(out, "simulate {\n  until = %.17g\n  record = (", model->until);
    for (int i = 0; i < model->contacts; i++) {
        const struct contact *contact = &model->contact[i];
        enum shape shape = model->body[contact->second].shape;
        if (!contact->there || (shape != SHAPE_BALL && shape != SHAPE_ELLIPSE))
            continue;
        /* a stop and dry friction share what holds a body in no unique way */
        if (model->body[contact->second].load.rail.dry != 0)
            continue;
        fprintf(out,
                as_system ? "%sintegral(all.%s_0.normal_force)"
                          : "%sintegral(%s.normal_force)",
                any ? ", " : "", contact->name);
        any = true;
    }
    fputs(")\n}\n", out);
    return any;
}

/* The integrals of the forces of a model, NAN where they are not told, and the
 * number of events behind them; `error`: what is told of their errors. */
static void
read_pushes(const struct runner *runner, const struct model *model,
            bool as_system, double *push, double *error, double *events)
{
    struct model *form = malloc(sizeof *form);
    char *ask = NULL, key[200], label[200];
    size_t size = 0;
    FILE *out = open_memstream(&ask, &size);
    if (!form || !out)
        abort();
    *form = *model;
    form->as_system = as_system;
    bool any = ask_pushes(model, as_system, out);
    fclose(out);
    struct result result = {0};
    if (any)
        result = run_asking(runner, form, ask);
    const char *at = result.out;
    struct json *record = at && !result.status ? json_read(&at) : NULL;
    *events = number(record, "count", 0);
    for (int i = 0; i < model->contacts; i++) {
        const char *name = model->contact[i].name;
        snprintf(key, sizeof key,
                 as_system ? "integral_all_%s_0_normal_force"
                           : "integral_%s_normal_force",
                 name);
        snprintf(label, sizeof label,
                 as_system ? "integral(all.%s_0.normal_force)"
                           : "integral(%s.normal_force)",
                 name);
        push[i] = record ? number(record, key, 0) : NAN;
        error[i] = record ? told_error(record, label) : 0;
    }
    json_free(record);
    result_free(&result);
    free(ask);
    free(form);
}

/* The integrals of the forces are those of the same motion as a system, to what
 * a start that is moved by rounding makes of them, unless an event is another
 * one. */
static void
compare_pushes(const struct runner *runner, const struct model *model,
               struct finding *finding)
{
    double push[3][MAX_CONTACTS], error[3][MAX_CONTACTS], events[3];
    struct model *near = malloc(sizeof *near);
    if (!near)
        abort();
    perturb(model, 1, near);
    for (int form = 0; form < 3; form++)
        read_pushes(runner, form == 2 ? near : model, form == 1, push[form],
                    error[form], &events[form]);
    free(near);
    if (events[0] != events[1] || events[0] != events[2])
        return;
    for (int i = 0; i < model->contacts; i++) {
        double *own = &push[0][i], growth = 2 * fabs(push[2][i] - *own);
        double bound = INTEGRAL * (1 + fabs(*own)) + growth + error[0][i] +
                       error[1][i] + error[2][i];
        if (!isnan(push[1][i]) && growth < GROWN &&
            fabs(push[1][i] - *own) > bound)
            finding_set(finding, "pushes",
                        "the integral of the force of %s is %.17g, and %.17g "
                        "of the same motion as a system",
                        model->contact[i].name, *own, push[1][i]);
    }
}

void
compare_integral(const struct runner *runner, const struct model *model,
                 struct finding *finding)
{
    char place[200], way[200], label[200], *ask = NULL;
    size_t size = 0;
    bool any = false;
    if (model->question != ASK_SIMULATE)
        return;
    FILE *out = open_memstream(&ask, &size);
    if (!out)
        abort();
    fprintf(out, "simulate {\n  until = %.17g\n  record = (", model->until);
    for (int b = 0; b < model->bodies; b++)
        for (int k = 0; k < model->dimension && body_moves(model, b); k++) {
            const char *name = model->body[b].name;
            fprintf(out, "%s%s.position[%d], integral(%s.velocity[%d])",
                    any ? ", " : "", name, k, name, k);
            any = true;
        }
    for (int s = 0; s < model->systems; s++)
        for (int k = 0; k < model->system[s].coordinates; k++) {
            const char *name = model->system[s].name,
                       *of = model->system[s].coordinate[k];
            fprintf(out, "%s%s.%s, integral(%s.%s')", any ? ", " : "", name, of,
                    name, of);
            any = true;
        }
    fputs(")\n}\n", out);
    fclose(out);
    struct result result = {0};
    if (any)
        result = run_asking(runner, model, ask);
    free(ask);
    const char *at = result.out;
    struct json *record = at ? json_read(&at) : NULL;
    if (any && result.status >= EXIT_SIGNAL)
        audit_end(model, &result, finding);
    /* the last row of a run that stops is one before its end */
    for (int b = 0; b < model->bodies && record && !result.status; b++)
        for (int k = 0; k < model->dimension && body_moves(model, b); k++) {
            const char *name = model->body[b].name;
            snprintf(place, sizeof place, "%s_position_%d", name, k);
            snprintf(way, sizeof way, "integral_%s_velocity_%d", name, k);
            snprintf(label, sizeof label, "integral(%s.velocity[%d])", name, k);
            compare_way(record, place, way, label, finding);
        }
    for (int s = 0; s < model->systems && record && !result.status; s++)
        for (int k = 0; k < model->system[s].coordinates; k++) {
            const char *name = model->system[s].name,
                       *of = model->system[s].coordinate[k];
            snprintf(place, sizeof place, "%s_%s", name, of);
            snprintf(way, sizeof way, "integral_%s_%s_dot", name, of);
            snprintf(label, sizeof label, "integral(%s.%s')", name, of);
            compare_way(record, place, way, label, finding);
        }
    json_free(record);
    result_free(&result);
    if (!finding->kind[0] && can_be_system(model))
        compare_pushes(runner, model, finding);
}

/* The question of a model, which its text ends with. */
static const char *
question_of(const char *text, const char *begins)
{
    const char *last = NULL;
    for (const char *at = strstr(text, begins); at; at = strstr(at + 1, begins))
        last = at;
    return last ? last + 1 : NULL;
}

/* The record of the last command, from behind its name; NULL: there is none. */
static const char *
last_record(const char *out)
{
    const char *last = NULL, *key = "\"name\": \"";
    for (const char *at = strstr(out, "{\"command\":"); at;
         at = strstr(at + 1, "\n{\"command\":"))
        last = at;
    last = last ? strstr(last, key) : NULL;
    return last ? strchr(last + strlen(key), '"') : NULL;
}

/* Another question about the same model, by the seed. */
static void
print_another(const struct model *model, uint64_t seed, FILE *out)
{
    const struct contact *contact = &model->contact[0];
    bool bodies = model->contacts > 0 && contact->there && !contact->system &&
                  !model->found && !model->as_system;
    if (seed % 4 == 1 || (seed % 4 == 2 && !bodies))
        fprintf(out, "simulate { until = %.17g }\n", 0.7 * model->until);
    else if (seed % 4 == 2)
        fprintf(out, "impact %s { until = %.17g }\n", contact->name,
                model->until);
    else if (seed % 4 == 3)
        fprintf(out,
                "simulate { until = %.17g  engine = perturbed  record = energy "
                "}\n",
                model->until);
}

void
compare_again(const struct runner *runner, const struct model *model,
              uint64_t seed, const struct result *result,
              struct finding *finding)
{
    char *text = model_text(model), *twice = NULL;
    size_t size;
    bool chatter = model->question == ASK_CHATTER;
    const char *begins = chatter ? "\nlet answer = " : "\nsimulate {",
               *question = question_of(text, begins);
    FILE *out = open_memstream(&twice, &size);
    struct result again;
    if (!question || !out)
        abort();
    fputs(text, out);
    print_another(model, seed, out);
    fputs(chatter ? "let later = " : "", out);
    fputs(question + (chatter ? strlen(begins) - 1 : 0), out);
    fclose(out);
    run_text(runner, twice, &again);
    const char *first = last_record(result->out),
               *second = last_record(again.out);
    if (again.status >= EXIT_SIGNAL)
        audit_end(model, &again, finding);
    else if (again.status == result->status && first && second &&
             strcmp(first, second) != 0)
        finding_set(finding, "again",
                    "a question that is asked again has another answer");
    else if (!result->status && !again.status && !second)
        finding_set(finding, "again", "there is no second answer");
    else if (seed % 4 == 0 && again.status != result->status)
        finding_set(finding, "again",
                    "a question that is asked again ends with status %d, not "
                    "%d",
                    again.status, result->status);
    result_free(&again);
    free(twice);
    free(text);
}
