/* SPDX-License-Identifier: MIT */
/* The run of `engine = steps`: piles of discs and spheres, whose impacts and
 * limits of impacts are too many to follow one by one. The record has the rows
 * at the times asked for, the impacts, and what the steps left out. */
#include "analysis/engines/steps.h"

#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/balls/balls_steps.h"
#include "runtime/motion/motion.h"

/* the most steps of a run */
#define STEPS_MOST 1e9

/* Options of the engine that goes from event to event. */
static int
refuse_others(struct analysis *analysis, const imp_command *command)
{
    static const struct {
        enum imp_option_id option;
        const char *name;
    } others[] = {{IMP_OPT_simulate_through, "through"},
                  {IMP_OPT_simulate_policy, "policy"},
                  {IMP_OPT_simulate_paradox, "paradox"},
                  {IMP_OPT_simulate_loads, "loads"},
                  {IMP_OPT_simulate_corners, "corners"},
                  {IMP_OPT_simulate_compliant, "compliant"},
                  {IMP_OPT_simulate_search, "search"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const imp_val *value = arg_option(analysis, command, others[i].option);
        if (!value)
            continue;
        struct diag *diag = diag_add(analysis->ds, DIAG_E0749, value->range,
                                     "`%s` does not belong to `engine = steps`",
                                     others[i].name);
        diag_help(analysis->ds, diag, "leave out `%s`, or `engine = steps`",
                  others[i].name);
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

int
steps_options(struct analysis *analysis, const imp_command *command,
              double *length)
{
    assert(analysis != NULL && command != NULL && length != NULL);
    int st = arg_number(analysis, command, IMP_OPT_simulate_step, 0.0, length);
    if (st || (st = refuse_others(analysis, command)))
        return st;
    if (*length > 0.0)
        return IMP_OK;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0749, command->range,
                                 "`engine = steps` needs the length of a step");
    diag_help(analysis->ds, diag,
              "write `step = 1 [ms]` as well: in a step bodies should go by "
              "much less than their radius");
    return IMP_BADMODEL;
}

static int
cannot_but(struct simulation *sim, imp_range where, const char *why,
           const char *help)
{
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0750, where,
                 "`engine = steps` cannot follow this motion: %s", why);
    diag_help(sim->analysis->ds, diag, "%s", help);
    return IMP_FAILED;
}

static int
cannot(struct simulation *sim, imp_range where, const char *why)
{
    return cannot_but(sim, where, why, "leave out `engine = steps`");
}

/* Says which body or contact is not what steps know. */
static int
refuse_bodies(struct simulation *sim, const struct balls_refusal *refusal)
{
    const struct rt *run = sim->run;
    const imp_image *im = run->im;
    const imp_body *body = rt_body(run, refusal->body[0]);
    struct arena *arena = sim->run->arena;
    imp_range where = body->range;
    switch (refusal->why) {
    case BALLS_SHAPE:
        return cannot(
            sim, body->range,
            arena_printf(arena,
                         "`%s` is no %s, and no fixed half-%s that stays where "
                         "it is",
                         imp_text(im, body->name),
                         im->dim == 3 ? "sphere with equal moments of inertia"
                                      : "body with a bounded convex shape",
                         im->dim == 3 ? "space" : "plane"));
    case BALLS_LAW:
        return cannot(sim, rt_contact(run, refusal->contact)->range,
                      "this contact is not the only one of its bodies, or is "
                      "more than a restitution and numbers for its friction");
    case BALLS_APART:
        if (body->flags & IMP_BODYF_FIXED)
            where = rt_body(run, refusal->body[1])->range;
        return cannot(
            sim, where,
            arena_printf(arena,
                         "`%s` and `%s` have no contact, so that "
                         "they pass through each other; a block "
                         "`contacts { }` is of all pairs",
                         imp_text(im, body->name),
                         imp_text(im, rt_body(run, refusal->body[1])->name)));
    case BALLS_NONE:
        return cannot(sim, sim->command->range, "nothing moves");
    default:
        break;
    }
    if (im->joints.n)
        return cannot(
            sim, IMP_ARRAY(im, im->joints, imp_joint)->range,
            arena_printf(
                arena, "it knows no joints, such as `%s`",
                imp_text(im, IMP_ARRAY(im, im->joints, imp_joint)->name)));
    if (im->systems.n)
        return cannot(sim, sim->command->range, "it knows no systems");
    for (uint32_t i = 0; i < im->bodies.n; i++)
        if (rt_body(run, i)->refresh != IMP_NO_TAPE ||
            !(rt_body(run, i)->flags & IMP_BODYF_WEIGHT))
            return cannot(
                sim, rt_body(run, i)->range,
                arena_printf(arena,
                             "`%s` is driven, or has more forces than a "
                             "constant weight",
                             imp_text(im, rt_body(run, i)->name)));
    return cannot(sim, sim->command->range,
                  "a contact has friction that is a formula");
}

/* A step is a part of the run, and not too small a part. */
static int
check_length(struct simulation *sim, double length)
{
    const imp_val *value =
        arg_option(sim->analysis, sim->command, IMP_OPT_simulate_step);
    imp_range where = value ? value->range : sim->command->range;
    bool many = !(sim->options.until <= STEPS_MOST * length),
         few = length > sim->options.until && sim->options.until > 0.0;
    char step[NUM_TEXT], until[NUM_TEXT];
    if (!many && !few)
        return IMP_OK;
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0749, where,
        few ? "a step of %s s is longer than the run, which ends at "
              "t = %s s"
            : "steps of %s s are more than 1e9 until t = %s s",
        num_shortest(step, length), num_shortest(until, sim->options.until));
    diag_help(sim->analysis->ds, diag,
              "write %s step, such as `step = 1 [ms]`: in a step bodies should "
              "go by much less than their radius",
              few ? "a shorter" : "a longer");
    return IMP_BADMODEL;
}

/* Mobilities, loads and stored energies are of forces at an instant. */
static int
check_contacts(struct simulation *sim)
{
    const struct rt *run = sim->run;
    for (uint32_t c = 0; c < sim->n_contacts; c++) {
        const imp_contact *contact = rt_contact(run, c);
        if (contact->flags & (IMP_CONTACTF_POINT | IMP_CONTACTF_STORED))
            return cannot(sim, contact->range,
                          "the model records the mobility, the load or the "
                          "energy of this contact");
        if (run->im->dim == 3 && contact->flags & IMP_CONTACTF_FRICTION)
            return cannot(sim, contact->range, "it has no friction in space");
    }
    return IMP_OK;
}

static int
check_overlap(struct simulation *sim, struct balls_steps *steps)
{
    uint32_t body[2], contact;
    double depth;
    char text[NUM_TEXT];
    const struct rt *run = sim->run;
    int st = balls_steps_overlap(steps, body, &contact, &depth);
    if (st || depth == 0.0)
        return st;
    struct diag *diag =
        diag_add(sim->analysis->ds, DIAG_E0620, rt_contact(run, contact)->range,
                 "`%s` and `%s` overlap by %s m at t = 0",
                 imp_text(run->im, rt_body(run, body[0])->name),
                 imp_text(run->im, rt_body(run, body[1])->name),
                 num_digits(text, depth, 6));
    diag_help(sim->analysis->ds, diag, "move the bodies apart");
    return IMP_FAILED;
}

static int
log_blows(struct simulation *sim, const struct balls_steps *steps)
{
    uint32_t n;
    char text[NUM_TEXT];
    const struct balls_blow *blow = balls_steps_blows(steps, &n);
    for (uint32_t i = 0; i < n; i++)
        simulate_log_pair(sim, blow[i].contact, blow[i].body, "impact",
                          touch_class_name[CLASS_MINUS], blow[i].impulse);
    if ((double)sim->log.total <= sim->options.events)
        return IMP_OK;
    return cannot(sim, sim->command->range,
                  arena_printf(sim->run->arena,
                               "there are more than %s impacts (`events`)",
                               num_shortest(text, sim->options.events)));
}

/* Makes steps up to the time t, and writes the state there. */
static int
go_to(struct simulation *sim, struct balls_steps *steps, double t)
{
    struct rt *run = sim->run;
    while (balls_steps_time(steps) < t) {
        if (rt_stopped(run))
            return IMP_STOPPED;
        int st = balls_step(steps);
        if (st)
            return st;
        run->env[run->im->layout.time] = fmin(t, balls_steps_time(steps));
        if ((st = log_blows(sim, steps)))
            return st;
        rt_brief_end(run);
        simulate_progress(sim, run->env[run->im->layout.time]);
    }
    balls_steps_put(steps, t);
    sim->rows.fresh = false;
    return IMP_OK;
}

/* What the steps left out, as remarks of the record. */
static void
tell(struct simulation *sim, const struct balls_steps *steps, double length)
{
    const struct balls_report *report = balls_steps_report(steps);
    struct arena *arena = sim->run->arena;
    struct motion_totals now;
    char a[NUM_TEXT], b[NUM_TEXT], c[NUM_TEXT];
    simulate_remark(
        sim, arena_printf(
                 arena,
                 "%ld steps of %s s: impacts are off by up to a step, "
                 "all that come in one step are one impact by "
                 "Moreau's law, and those that would part more slowly "
                 "than %s m/s have no restitution",
                 report->steps, num_shortest(a, length),
                 num_digits(b, fmax(report->still, sim->options.capture), 3)));
    simulate_remark(
        sim,
        arena_printf(
            arena,
            "the velocities of a step were solved for to %s m/s "
            "at the worst, and bodies overlapped by %s m",
            num_digits(a, report->residual, 2),
            num_digits(b, report->overlap > 0.0 ? report->overlap : 0.0, 2)));
    simulate_remark(
        sim, arena_printf(arena,
                          "impacts along their normals took %s J, friction %s "
                          "J; %ld groups of bodies took an impact without "
                          "restitution, which would have added energy",
                          num_digits(a, -report->normal, 6),
                          num_digits(b, 0.0 - report->friction, 6),
                          report->plastic));
    if (sim->has_energy && !motion_totals(sim->run, &now)) {
        double lost = sim->energy_before - now.kinetic - now.potential +
                      report->normal + report->friction;
        simulate_remark(sim,
                        arena_printf(arena,
                                     "beside these, the steps themselves %s %s "
                                     "J",
                                     lost < 0.0 ? "added" : "took",
                                     num_digits(a, fabs(lost), 3)));
    }
    if (report->fastest <= report->still)
        simulate_remark(
            sim, arena_printf(
                     arena,
                     "at rest since t = %s s: no body is faster than %s m/s, "
                     "what one falls faster by in a step; at the end the "
                     "fastest has %s m/s",
                     num_digits(a, report->still_since, 6),
                     num_digits(b, report->still, 3),
                     num_digits(c, report->fastest, 3)));
}

/* From row to row. */
static int
follow(struct simulation *sim, struct balls_steps *steps)
{
    struct rt *run = sim->run;
    const struct numbers *times = &sim->rows.times;
    int st = IMP_OK;
    rt_progress(run, 0.0);
    sim->tells = true;
    sim->rows.next = 0;
    if (times->n && times->v[0] == 0.0)
        st = simulate_asked_row(sim);
    sim->begun = true;
    if (!st && sim->trace)
        st = simulate_traced(sim);
    while (sim->rows.next < times->n && !st) {
        st = go_to(sim, steps, times->v[sim->rows.next]);
        if (!st)
            st = simulate_asked_row(sim);
    }
    if (!st && rt_time(run) < sim->options.until)
        st = go_to(sim, steps, sim->options.until);
    rt_progress(run, 1.0);
    return st;
}

int
steps_run(struct simulation *sim, double length)
{
    assert(sim != NULL && length > 0.0);
    struct rt *run = sim->run;
    int st = check_contacts(sim);
    if (st)
        return st;
    if (sim->options.until < 0.0)
        return cannot(sim, sim->command->range, "it goes back in time");
    if (sim->along)
        return cannot_but(sim, sim->command->range,
                          "extremes along the motion are recorded",
                          "record what they are of, every = 1 [ms], and take "
                          "max(...) or mean(...) of its column, or leave out "
                          "`engine = steps`");
    if ((st = check_length(sim, length)))
        return st;
    struct balls_refusal refusal;
    struct balls *balls = balls_of_shapes(run, &refusal);
    if (!balls)
        return refuse_bodies(sim, &refusal);
    struct balls_steps *steps =
        balls_steps_new(balls, length, sim->options.capture);
    if ((st = check_overlap(sim, steps)))
        return st;
    st = follow(sim, steps);
    balls_steps_trace(steps);
    if (!st || st == IMP_STOPPED)
        tell(sim, steps, length);
    return st;
}
