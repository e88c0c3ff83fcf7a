/* SPDX-License-Identifier: MIT */
/* `balance c1, c2, ...`: can these contacts hold the bodies at rest? Forces at
 * all points of the contacts, within their cones of friction, and reactions of
 * joints must cancel what accelerates the bodies. The answer is geometry: which
 * of the forces that are possible act is decided by how the bodies came to rest
 * (specification friction.md, 1, "dependent points"). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/touch.h"
#include "analysis/friction/friction_priv.h"
#include "analysis/impact/impact_of_contacts.h"
#include "base/num.h"
#include "runtime/derivatives/body_kinematics.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/rubbing/rubbing.h"
#include "runtime/setup/new_run.h"

/* coordinates of a body in the plane: x, y, angle */
#define PER_BODY 3

/* A problem of balance, and what its numbers belong to. */
struct question {
    struct analysis *analysis;
    const imp_command *command;
    uint32_t *contact, n_contact; /* those that are named */
    struct impact_of_run problem; /* of bodies */
    struct balance_problem in;
    int *row; /* per body of the problem: its first coordinate, or -1 */
};

static const char *
body_name(const struct question *question, uint32_t body)
{
    struct rt *run = question->analysis->rt;
    return imp_text(run->im, rt_body(run, question->problem.body[body])->name);
}

/* -- what may be asked ------------------------------------------------------
 */

static int
in_the_plane(struct question *question)
{
    struct analysis *analysis = question->analysis;
    const imp_contact *first = rt_contact(analysis->rt, question->contact[0]);
    if (analysis->rt->im->dim == 2)
        return IMP_OK;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0743, question->command->range,
        "`balance` asks about contacts of bodies in the plane; `%s` is in "
        "space",
        imp_text(analysis->rt->im, first->name));
    diag_help(analysis->ds, diag,
              "`simulate` follows what happens from the start there");
    return IMP_BADMODEL;
}

static int
closed(struct question *question)
{
    struct analysis *analysis = question->analysis;
    const uint32_t *contact = question->contact;
    for (uint32_t i = 0; i < question->n_contact; i++) {
        const imp_contact *image_contact = rt_contact(analysis->rt, contact[i]);
        double gap, tol, rate;
        int st;
        if (image_contact->flags & IMP_CONTACTF_STATED)
            continue;
        if ((st = touch_gap(analysis, contact[i], &gap, NULL)))
            return command_failed(analysis, st, image_contact->range,
                                  "the closest points");
        gap_tolerances(analysis->rt, contact[i], &tol, &rate);
        if (fabs(gap) <= tol)
            continue;
        char text[NUM_TEXT];
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0744, question->command->range,
                     gap < 0.0 ? "the bodies of `%s` overlap, so forces of it "
                                 "say nothing"
                               : "the bodies of `%s` do not touch, so it can "
                                 "hold nothing",
                     imp_text(analysis->rt->im, image_contact->name));
        diag_note(analysis->ds, diag, image_contact->range,
                  "its gap is %s m at the start", num_digits(text, gap, 6));
        diag_help(analysis->ds, diag,
                  "place the bodies so that they touch, or leave the contact "
                  "out");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* Bodies are at rest, and ground whose place is a formula of time stays there:
 * what it accelerates is not held by forces that cancel the others. */
static int
at_rest(struct question *question)
{
    struct analysis *analysis = question->analysis;
    for (uint32_t b = 0; b < question->problem.p.n_body; b++) {
        const struct impact_body *body = question->problem.p.body + b;
        uint32_t number = question->problem.body[b];
        bool prescribed = false;
        double speed = fabs(body->vel[0]) + fabs(body->vel[1]) +
                       fabs(body->spin[2]),
               gains = 0.0, k[18];
        if (rt_body(analysis->rt, number)->flags & IMP_BODYF_PRESCRIBED) {
            int st = body_kinematics(analysis->rt, number, k);
            if (st)
                return command_failed(analysis, st, question->command->range,
                                      "the accelerations");
            gains = fabs(k[3]) + fabs(k[4]) + fabs(k[14]);
            prescribed = true;
        }
        if (speed == 0.0 && gains == 0.0)
            continue;
        struct diag *diag = diag_add(
            analysis->ds, DIAG_E0743, question->command->range,
            "`balance` asks about bodies at rest; `%s` %s",
            body_name(question, b), speed == 0.0 ? "begins to move" : "moves");
        diag_help(analysis->ds, diag,
                  speed == 0.0 || prescribed
                      ? "give it a place that does not change; `simulate` "
                        "follows ground that moves"
                      : "leave its velocity and spin out; `simulate` follows "
                        "bodies that move");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* A joint with friction bears a moment within a cone that is not convex. */
static int
smooth_joints(const struct question *question)
{
    struct analysis *analysis = question->analysis;
    for (uint32_t b = 0; b < question->problem.p.n_body; b++) {
        if (!rubbing_moves(analysis->rt, question->problem.body[b]))
            continue;
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0563, question->command->range,
                     "`balance` knows the friction of contacts, and a joint "
                     "with friction holds `%s`, too",
                     body_name(question, b));
        diag_help(analysis->ds, diag,
                  "`simulate` tells whether the bodies stay at rest; or leave "
                  "out the friction of the joints");
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* -- the problem ------------------------------------------------------------
 */

/* Adds a force, at a place in the plane, to the row of generalised forces of a
 * body. */
static void
add_force(const struct question *question, uint32_t body, const double place[3],
          const double force[2], double factor, double *row)
{
    if (body == IMP_WORLD || question->row[body] < 0)
        return;
    const double *centre = question->problem.p.body[body].centre;
    double *at = row + question->row[body];
    double arm[2] = {place[0] - centre[0], place[1] - centre[1]};
    at[0] += factor * force[0];
    at[1] += factor * force[1];
    at[2] += factor * (arm[0] * force[1] - arm[1] * force[0]);
}

/* Numbers the coordinates of the bodies that can move. */
static int
number_rows(struct question *question)
{
    int rows = 0;
    const struct impact_problem *p = &question->problem.p;
    question->row = NEW_N(question->analysis->rt->arena, int, p->n_body + 1);
    for (uint32_t b = 0; b < p->n_body; b++) {
        bool moves = p->body[b].invmass > 0.0;
        question->row[b] = moves ? rows : -1;
        rows += moves ? PER_BODY : 0;
    }
    return rows;
}

static int
fill_points(struct question *question, double *normal, double *tangential,
            double *mu)
{
    const struct impact_problem *p = &question->problem.p;
    struct rt *run = question->analysis->rt;
    int rows = question->in.rows;
    double now[3];
    for (uint32_t i = 0; i < p->n_contact; i++) {
        const struct impact_contact *c = p->contact + i;
        double length = hypot(c->dir[0], c->dir[1]),
               n[2] = {c->dir[0] / length, c->dir[1] / length},
               t[2] = {n[1], -n[0]};
        for (int side = 0; side < 2; side++) {
            const double *place = side ? c->q : c->p;
            double sign = side ? 1.0 : -1.0;
            add_force(question, c->body[side], place, n, sign,
                      normal + (int)i * rows);
            add_force(question, c->body[side], place, t, sign,
                      tangential + (int)i * rows);
        }
        int st =
            contact_friction_now(run, question->problem.contact[i], 0.0, now);
        if (st)
            return st;
        mu[i] = now[1];
    }
    return IMP_OK;
}

/* Reactions of joints: a force and a moment about its point on the first body,
 * the opposite on the second. */
static void
fill_joints(struct question *question, double *joint)
{
    const struct impact_problem *p = &question->problem.p;
    int rows = question->in.rows, k = 0;
    for (uint32_t j = 0; j < p->n_joint; j++)
        for (int r = 0; r < p->joint[j].n; r++, k++)
            for (int side = 0; side < 2; side++) {
                const struct impact_joint *one = p->joint + j;
                uint32_t body = one->body[side];
                double sign = side ? -1.0 : 1.0, *row = joint + k * rows;
                if (body == IMP_WORLD || question->row[body] < 0)
                    continue;
                add_force(question, body, one->at, one->S[r], sign, row);
                row[question->row[body] + 2] += sign * one->S[r][5];
            }
}

/* What accelerates the bodies without the contacts: mass times acceleration.
 * Reactions of joints that are part of it change no answer, because reactions
 * are unknown. */
static int
fill_load(struct question *question, double *load)
{
    struct rt *run = question->analysis->rt;
    const struct impact_problem *problem = &question->problem.p;
    for (uint32_t b = 0; b < problem->n_body; b++) {
        double k[18], *at = load + question->row[b];
        if (question->row[b] < 0)
            continue;
        int st = body_kinematics(run, question->problem.body[b], k);
        if (st)
            return command_failed(question->analysis, st,
                                  question->command->range,
                                  "the accelerations");
        at[0] = problem->body[b].mass * k[3];
        at[1] = problem->body[b].mass * k[4];
        at[2] = problem->body[b].inroot[8] * problem->body[b].inroot[8] * k[14];
    }
    return IMP_OK;
}

static int
make_problem(struct question *question)
{
    struct arena *arena = question->analysis->rt->arena;
    const struct impact_problem *p = &question->problem.p;
    int n = (int)p->n_contact, joints = 0, rows = number_rows(question);
    for (uint32_t j = 0; j < p->n_joint; j++)
        joints += p->joint[j].n;
    double *normal = NEW_N(arena, double, n *rows + 1),
           *tangential = NEW_N(arena, double, n *rows + 1),
           *joint = NEW_N(arena, double, joints *rows + 1),
           *load = NEW_N(arena, double, rows + 1),
           *mu = NEW_N(arena, double, n + 1);
    question->in = (struct balance_problem){n,          joints, rows, normal,
                                            tangential, joint,  load, mu};
    int st = fill_points(question, normal, tangential, mu);
    if (st)
        return st;
    fill_joints(question, joint);
    return fill_load(question, load);
}

/* The problem of contacts between bodies; tells what cannot be asked. */
static int
balance_of_bodies(struct question *question)
{
    struct analysis *analysis = question->analysis;
    int st;
    if ((st = in_the_plane(question)) || (st = closed(question)) ||
        (st = impact_read(analysis, question->contact, question->n_contact,
                          &question->problem)))
        return st;
    if (question->problem.open != IMP_WORLD) {
        impact_report_open_normal(analysis, &question->problem, DIAG_E0724,
                                  question->command->range);
        return IMP_FAILED;
    }
    return (st = at_rest(question)) || (st = smooth_joints(question))
               ? st
               : make_problem(question);
}

/* -- the record -------------------------------------------------------------
 */

static void
put_forces(struct question *question, const struct balance *balance,
           struct record *out)
{
    size_t n = (size_t)question->in.n;
    SET_LIST("normal_forces", balance->normal, n);
    SET_LIST("friction_forces", balance->tangential, n);
    SET_LIST("normal_least", balance->normal_least, n);
    SET_LIST("friction_least", balance->tangential_least, n);
    SET_LIST("friction_most", balance->tangential_most, n);
    bool bounded = true;
    for (size_t i = 0; i < n; i++)
        bounded &= isfinite(balance->normal_most[i]);
    if (bounded)
        SET_LIST("normal_most", balance->normal_most, n);
    else
        SET_ABSENT("normal_most",
                   "the contacts wedge each other: forces have no bound");
    SET_BOOL("unique", balance->unique);
}

static void
put_record(struct question *question, const struct balance *balance,
           struct record *out)
{
    static const char *const fields[] = {
        "normal_forces",  "friction_forces", "normal_least", "normal_most",
        "friction_least", "friction_most",   "unique"};
    const struct rt *run = question->analysis->rt;
    size_t n = (size_t)question->in.n;
    const uint32_t *contact = question->problem.contact
                                  ? question->problem.contact
                                  : question->contact;
    const char **name =
        NEW_N(record_arena(question->analysis), const char *, n);
    for (size_t i = 0; i < n; i++)
        name[i] = imp_text(run->im, rt_contact(run, contact[i])->name);
    SET_BOOL("possible", balance->possible);
    SET_TEXTS("point_contacts", name, n);
    if (isfinite(balance->critical))
        SET_NUM("critical", balance->critical);
    else
        SET_ABSENT("critical", "no friction is enough");
    if (balance->possible)
        put_forces(question, balance, out);
    else
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            SET_ABSENT(fields[i], "no forces hold the bodies at rest");
}

static int
cmd_balance(struct analysis *analysis, const imp_command *command,
            struct record *out)
{
    assert(analysis != NULL && command != NULL && command->args.n > 0);
    struct question question = {
        .analysis = analysis, .command = command, .n_contact = command->args.n};
    struct balance balance;
    question.contact =
        NEW_N(analysis->rt->arena, uint32_t, command->args.n + 1);
    for (uint32_t i = 0; i < command->args.n; i++)
        question.contact[i] = arg_contact(analysis, command, i);
    rt_reset(analysis->rt);
    bool of_system =
        rt_contact(analysis->rt, question.contact[0])->system != IMP_NO_SYSTEM;
    int st = of_system ? balance_of_system(analysis, command, question.contact,
                                           command->args.n, &question.in)
                       : balance_of_bodies(&question);
    if (st)
        return st;
    balance_find(analysis->rt->arena, &question.in, &balance);
    put_record(&question, &balance, out);
    return IMP_OK;
}

const struct command_functions command_balance = {.run = cmd_balance};
