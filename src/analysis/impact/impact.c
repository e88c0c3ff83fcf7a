/* SPDX-License-Identifier: MIT */
/* `impact`: the impulse at one contact of two free (or fixed) bodies and the
 * motion after it (Palffy-Muhoray et al. 2018, eqs (1)-(10), spec 0.A). The
 * impact handler of the compiled model computes the impulse. This file holds
 * the question, the checks (I1, I2) and the tangential case: there the law
 * gives no impulse, and any other impulse alpha would add the energy alpha^2
 * n.M.n/2.
 *
 * Like every command it starts from the initial state; commands after it do not
 * see the motion after the impact. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_handler.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/motion/body_kinematics.h"
#include "runtime/motion/joints.h"
#include "runtime/numerics/vec3.h"

/* I1: relative error of energy and momenta of one impact */
#define IMPACT_CONSERVES 1e-12

/* normal velocity of Q against P after the impact */
static double
normal_after(const struct rt *run, const imp_contact *image_contact,
             const double cs[IMP_CS_SIZE])
{
    double relative[3] = {0, 0, 0};
    uint32_t flags = rt_body(run, image_contact->body[0])->flags;
    flags |= rt_body(run, image_contact->body[1])->flags;
    if (flags & IMP_BODYF_GTIME) /* the surface moves over its body */
        return cs[IMP_CS_VREL] + cs[IMP_CS_W] * cs[IMP_CS_IMPULSE];
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, image_contact->body[i]);
        double c[3] = {0, 0, 0}, rho[3], v[3];
        memcpy(c, run->env + body->env_state, sizeof *c * run->im->dim);
        vec3_sub(cs + (i ? IMP_CS_Q : IMP_CS_P), c, rho);
        vec3_copy(cs + (i ? IMP_CS_V2 : IMP_CS_V1), v);
        vec3_add_scaled_cross(1.0, cs + (i ? IMP_CS_W2 : IMP_CS_W1), rho, v);
        vec3_add_scaled(i ? 1.0 : -1.0, v, relative);
    }
    return vec3_dot(relative, cs + IMP_CS_NORMAL);
}

/* a row per body: spin, velocity; 3 entries in the plane, 6 in space */
static size_t
twists(struct analysis *analysis, const imp_contact *image_contact,
       const double *cs, double twist[12])
{
    struct rt *run = analysis->rt;
    bool plane = run->im->dim == 2;
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        double velocity[3] = {0, 0, 0}, spin[3] = {0, 0, 0}, k[18];
        if (cs) {
            vec3_copy(cs + (i ? IMP_CS_V2 : IMP_CS_V1), velocity);
            vec3_copy(cs + (i ? IMP_CS_W2 : IMP_CS_W1), spin);
        } else if (!body_kinematics(run, image_contact->body[i], k)) {
            vec3_copy(k, velocity);
            vec3_copy(k + 9, spin);
        }
        for (int j = plane ? 2 : 0; j < 3; j++)
            twist[count++] = spin[j];
        for (int j = 0; j < (plane ? 2 : 3); j++)
            twist[count++] = velocity[j];
    }
    return count / 2;
}

static int
check_conserved(struct analysis *analysis, const imp_contact *image_contact,
                const double *cs, double error)
{
    double size = fmax(cs[IMP_CS_E_BEFORE], cs[IMP_CS_E_AFTER]);
    double lost = cs[IMP_CS_E_BEFORE] - cs[IMP_CS_E_AFTER];
    if (fabs(lost - cs[IMP_CS_LOSS]) <= IMPACT_CONSERVES * size &&
        error <= IMPACT_CONSERVES)
        return IMP_OK;
    char l[NUM_TEXT], w[NUM_TEXT], e[NUM_TEXT];
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0714, image_contact->range,
                 "the impact at `%s` is not computed well enough: "
                 "it loses %s J, the law says %s J; momentum is "
                 "off by %s (relative)",
                 imp_text(analysis->rt->im, image_contact->name),
                 num_digits(l, lost, 17), num_digits(w, cs[IMP_CS_LOSS], 17),
                 num_digits(e, error, 3));
    diag_help(analysis->ds, diag,
              "look at the masses and inertias: a body may be "
              "extremely thin or light");
    return IMP_FAILED;
}

/* The fields of an impact at several contacts, which one contact has as well.
 * law: the impulse is that of the law, so there is a peak of compression. */
static int
more_fields(struct analysis *analysis, const imp_command *command,
            uint32_t contact, bool law, struct record *out)
{
    struct impact_of_run problem;
    struct impact_solver *solver;
    enum imp_impact_law l;
    int st;
    if ((st = impact_law_of_command(analysis, command, &l)) ||
        (st = impact_read(analysis, &contact, 1, &problem)) ||
        (st = impact_prepare(analysis, &problem, &solver)))
        return st;
    if (l == IMP_IMPACT_UNDECLARED)
        l = (enum imp_impact_law)(IMP_IMPACT_NEWTON +
                                  rt_contact(analysis->rt, contact)->law);
    impact_solver_solve(solver, l);
    solver->velocity.peak = solver->velocity.peak && law;
    impact_record(analysis, &problem, solver, out, IMPACT_FIELDS_OF_PROBLEM);
    return IMP_OK;
}

/* one impact at one contact, as it is asked for */
struct question {
    const imp_contact *image_contact;
    uint32_t contact;
    const imp_val *user; /* option `impulse`, or NULL */
    double impulse;      /* what it states, N*s */
    struct touch touch;
    struct verdict verdict;
};

/* brings the model to the touch and gives the verdict on it */
static int
read_touch(struct analysis *analysis, const imp_command *command,
           struct question *question)
{
    double until;
    int st;
    if ((st = touch_option_until(analysis, command, IMP_OPT_impact_until,
                                 &until)) ||
        (st = arg_number(analysis, command, IMP_OPT_impact_impulse, 0.0,
                         &question->impulse)) ||
        (st = touch_find(analysis, question->contact, until, &question->touch)))
        return st;
    if (question->touch.found != TOUCH_YES) {
        impact_report_no_touch(analysis, command, question->contact);
        return IMP_FAILED;
    }
    if ((st = touch_agree(analysis, &question->touch)))
        return st;
    touch_verdict(analysis, &question->touch, &question->verdict);
    return IMP_OK;
}

/* Warnings of the record into warn[0..4); returns how many. mobility: n.M.n.
 * Energy that the user's impulse adds is calculated from its terms, since the
 * difference of the energies may be rounding (I2). */
static size_t
warnings(struct analysis *analysis, const struct question *question,
         bool tangent, double mobility, const char **warn)
{
    double own = question->impulse;
    size_t count = 0;
    if (question->verdict.class == CLASS_SEPARATING)
        warn[count++] = "the bodies separate: the law gives no impulse";
    if (tangent)
        warn[count++] = "tangential touch: the law gives no impulse, any other "
                        "adds energy (energy_price)";
    if (question->user && own < 0.0)
        warn[count++] = "a negative impulse pulls the bodies together";
    double added = question->user
                       ? own * question->verdict.v + own * own * mobility / 2.0
                       : 0.0;
    if (added > 0.0) {
        char amount[NUM_TEXT];
        warn[count++] =
            arena_printf(record_arena(analysis), "this impulse adds %s J",
                         num_digits(amount, added, 6));
        diag_add(analysis->ds, DIAG_W0721, question->user->range,
                 "an impulse of your own at `%s` adds %s J",
                 imp_text(analysis->rt->im, question->image_contact->name),
                 amount);
    }
    return count;
}

/* the fields of one contact; cs: outputs of the impact handler */
static void
set_fields(struct analysis *analysis, const struct question *question,
           const double cs[IMP_CS_SIZE], double error, struct record *out)
{
    const imp_contact *image_contact = question->image_contact;
    enum touch_class class = question->verdict.class;
    bool tangent = class != CLASS_MINUS && class != CLASS_SEPARATING;
    double mobility = cs[IMP_CS_W], twist[12];
    double after = normal_after(analysis->rt, image_contact, cs);
    const char *warn[4];
    size_t n_warn = warnings(analysis, question, tangent, mobility, warn);
    SET_NUM("time", question->touch.time);
    SET_LIST("impulses", &cs[IMP_CS_IMPULSE], 1);
    size_t cols = twists(analysis, image_contact, NULL, twist);
    SET_MAT("twists_before", twist, 2, cols);
    twists(analysis, image_contact, cs, twist);
    SET_MAT("twists_after", twist, 2, cols);
    SET_LIST("normal_velocities_before", &cs[IMP_CS_VREL], 1);
    SET_LIST("normal_velocities_after", &after, 1);
    SET_NUM("energy_before", cs[IMP_CS_E_BEFORE]);
    SET_NUM("energy_after", cs[IMP_CS_E_AFTER]);
    SET_NUM("energy_loss", cs[IMP_CS_E_BEFORE] - cs[IMP_CS_E_AFTER]);
    if (tangent) {
        double impulse = question->user ? question->impulse : 1.0;
        SET_NUM("energy_price", impulse * impulse * mobility / 2.0);
    } else {
        SET_ABSENT("energy_price", "the touch is not tangential");
    }
    if (mobility > 0.0)
        SET_NUM("effective_mass", 1.0 / mobility);
    else
        SET_ABSENT("effective_mass", "both bodies are fixed");
    SET_NUM("momentum_error", error);
    SET_TEXTS("warnings", warn, n_warn);
}

static int
cmd_impact(struct analysis *analysis, const imp_command *command,
           struct record *out)
{
    assert(analysis != NULL && command != NULL && command->args.n > 0);
    uint32_t contact = arg_contact(analysis, command, 0);
    double cs[IMP_CS_SIZE];
    int st;
    if (rt_contact(analysis->rt, contact)->system != IMP_NO_SYSTEM)
        return impact_of_system(analysis, command, out);
    if (command->args.n > 1 || !impact_is_plain(analysis->rt, contact))
        return impact_at_contacts(analysis, command, out);
    struct question question = {
        .image_contact = rt_contact(analysis->rt, contact),
        .contact = contact,
        .user = arg_option(analysis, command, IMP_OPT_impact_impulse)};
    if ((st = read_touch(analysis, command, &question)))
        return st;
    /* without approach the law has nothing to reverse */
    static const double zero = 0.0;
    bool none = question.verdict.class != CLASS_MINUS;
    const double *alpha = question.user ? &question.impulse
                          : none        ? &zero
                                        : NULL;
    if ((st = impact_handler_compute(analysis, contact, alpha, cs)))
        return st;
    double error = impact_handler_momentum_error(analysis, contact, cs);
    if (!question.user &&
        (st = check_conserved(analysis, question.image_contact, cs, error)))
        return st;
    set_fields(analysis, &question, cs, error, out);
    return more_fields(analysis, command, contact, !alpha, out);
}

const struct command_functions command_impact = {.run = cmd_impact};
