/* SPDX-License-Identifier: MIT */
/* Conservation at an impact (I1): the change of the energy must be the work of
 * the impulses, and momentum must be kept. Both are compared with the sizes of
 * the terms that they are summed up from, never with a sum: a sum may cancel.
 * An impact that fails this ends the command before it is applied.
 *
 * A limit of infinitely many impacts has no impulses that are known one by one,
 * but none of them gives energy (I2): between the last impact that was followed
 * and the limit the energy rises by no more than forces and moving ground do
 * there, and by what the error of the limit allows. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_of_contacts.h"
#include "base/num.h"
#include "runtime/derivatives/body_kinematics.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/vec3.h"

/* I1: relative errors of energy and momentum at one impact */
#define IMPACT_CONSERVES 1e-12
/* Bodies keep to their joints to this share of their velocities, as they do
 * before the impact (start.c). */
#define IMPACT_SLIPS RT_TOLERANCE
/* Roundings of one term of the work: a velocity at a point (10 operations, in
 * world axes and in those of the body), its product with the impulse, and the
 * energy of the body (15). Each row of joints and contacts adds a product and
 * a sum to the velocity after. */
#define IMPACT_ROUNDINGS 32.0
#define IMPACT_ROUNDINGS_ROW 2.0
/* Where impulses are this many times the momenta they push and pull against
 * each other; the energy after must then be known to IMPACT_ENERGY_KNOWN of
 * itself, the tolerance of verdicts (RT_TOLERANCE). */
#define IMPACT_PULLS 1e3
#define IMPACT_ENERGY_KNOWN RT_TOLERANCE

/* a sum and the sum of the moduli of its terms */
struct account {
    double sum, terms;
};

static void
add(struct account *account, double term)
{
    account->sum += term;
    account->terms += fabs(term);
}

/* The work of an impulse [force; moment about `at`] on a body that impulses
 * move: the mean of the velocities before and after, times the impulse. */
static void
add_work(struct account *work, const struct impact_solver *solver,
         uint32_t body, const double at[3], const double force[3],
         const double *moment)
{
    if (body == IMP_WORLD || !(solver->in.body[body].invmass > 0.0))
        return;
    const struct impact_body *of = &solver->in.body[body];
    const double *twist = solver->velocity.twist + 6 * body;
    double arm[3];
    vec3_sub(at, of->centre, arm);
    for (int axis = 0; axis < 3; axis++) {
        int j = (axis + 1) % 3, k = (axis + 2) % 3;
        add(work, 0.5 * force[axis] * of->vel[axis]);
        add(work, 0.5 * force[axis] * twist[3 + axis]);
        add(work, 0.5 * force[axis] * of->spin[j] * arm[k]);
        add(work, -0.5 * force[axis] * of->spin[k] * arm[j]);
        add(work, 0.5 * force[axis] * twist[j] * arm[k]);
        add(work, -0.5 * force[axis] * twist[k] * arm[j]);
        if (moment) {
            add(work, 0.5 * moment[axis] * of->spin[axis]);
            add(work, 0.5 * moment[axis] * twist[axis]);
        }
    }
}

/* What rounding of the velocities does to the kinetic energy of a body, in
 * units of a rounding: m v.v + |D^T w|.|D|^T|w| with D D^T the inertia. */
static double
energy_terms(const struct impact_body *body, const double *spin,
             const double *velocity)
{
    double terms = body->mass * vec3_dot(velocity, velocity);
    for (int k = 0; k < 3; k++) {
        struct account half = {0.0, 0.0};
        for (int i = 0; i < 3; i++)
            add(&half, body->inroot[3 * i + k] * spin[i]);
        terms += fabs(half.sum) * half.terms;
    }
    return terms;
}

/* The work of all impulses on the bodies that they move, joints included. *low:
 * what rounding may add to it and to the change of the energy. */
static double
work(const struct impact_of_run *problem, const struct impact_solver *solver,
     double *low)
{
    struct account sum = {0.0, 0.0};
    double size = 0.0, force[3], moment[3];
    for (uint32_t c = 0; c < problem->p.n_contact; c++)
        for (int side = 0; side < 2; side++) {
            const struct impact_contact *contact = &problem->p.contact[c];
            for (int i = 0; i < 3; i++)
                force[i] = (side ? 1.0 : -1.0) * solver->impulse.P[c] *
                           contact->dir[i];
            add_work(&sum, solver, contact->body[side],
                     side ? contact->q : contact->p, force, NULL);
        }
    for (uint32_t j = 0; j < problem->p.n_joint; j++)
        for (int side = 0; side < 2; side++) {
            const struct impact_joint *joint = &problem->p.joint[j];
            for (int i = 0; i < 3; i++) {
                double sign = side ? -1.0 : 1.0;
                force[i] = sign * solver->impulse.xi[6 * j + (uint32_t)i];
                moment[i] = sign * solver->impulse.xi[6 * j + 3 + (uint32_t)i];
            }
            add_work(&sum, solver, joint->body[side], joint->at, force, moment);
        }
    for (uint32_t b = 0; b < problem->p.n_body; b++) {
        const struct impact_body *body = &problem->p.body[b];
        const double *twist = solver->velocity.twist + 6 * b;
        if (body->invmass > 0.0)
            size += energy_terms(body, body->spin, body->vel) +
                    energy_terms(body, twist, twist + 3);
    }
    *low =
        DBL_EPSILON *
        (IMPACT_ROUNDINGS + IMPACT_ROUNDINGS_ROW * (solver->nr + solver->nc)) *
        (sum.terms + size);
    return sum.sum;
}

/* Returns the greatest distance of a joint or contact from the mass centre of a
 * body on which it acts. */
static double
reach(const struct impact_problem *problem)
{
    double most = 0.0, arm[3];
    for (int side = 0; side < 2; side++) {
        for (uint32_t j = 0; j < problem->n_joint; j++) {
            uint32_t b = problem->joint[j].body[side];
            if (b == IMP_WORLD || !(problem->body[b].invmass > 0.0))
                continue;
            vec3_sub(problem->joint[j].at, problem->body[b].centre, arm);
            most = fmax(most, vec3_norm(arm));
        }
        for (uint32_t c = 0; c < problem->n_contact; c++) {
            const struct impact_contact *contact = &problem->contact[c];
            uint32_t b = contact->body[side];
            if (b == IMP_WORLD || !(problem->body[b].invmass > 0.0))
                continue;
            vec3_sub(side ? contact->q : contact->p, problem->body[b].centre,
                     arm);
            most = fmax(most, vec3_norm(arm));
        }
    }
    return most;
}

/* The greatest speed and spin of the bodies that impulses move, before or
 * after. Where nothing turns, a speed over the reach stands for the spin: the
 * spins are then sums that cancel. Where nothing but turns (wheels on their
 * axles), a spin times the reach stands for the speed in the same way. */
static void
fastest(const struct impact_problem *problem,
        const struct impact_solver *solver, double *speed, double *spin)
{
    *speed = *spin = 0.0;
    for (uint32_t b = 0; b < problem->n_body; b++) {
        const double *twist = solver->velocity.twist + 6 * b;
        if (!(problem->body[b].invmass > 0.0))
            continue;
        *speed = fmax(*speed, fmax(vec3_norm(problem->body[b].vel),
                                   vec3_norm(twist + 3)));
        *spin = fmax(*spin,
                     fmax(vec3_norm(problem->body[b].spin), vec3_norm(twist)));
    }
    double length = reach(problem);
    double turning = *spin * length;
    if (length > 0.0)
        *spin = fmax(*spin, *speed / length);
    *speed = fmax(*speed, turning);
}

/* How much the impact moves bodies against their joints: the greatest rate of a
 * condition of joints under the change of the velocities, against what the
 * fastest body would give it. */
static double
slip(const struct impact_problem *problem, const struct impact_solver *solver)
{
    double worst = 0.0, speed, spin;
    fastest(problem, solver, &speed, &spin);
    for (uint32_t j = 0; j < problem->n_joint; j++)
        for (int row = 0; row < problem->joint[j].n; row++) {
            const struct impact_joint *joint = &problem->joint[j];
            double rate = 0.0, size = 0.0;
            for (int side = 0; side < 2; side++) {
                uint32_t b = joint->body[side];
                if (b == IMP_WORLD || !(problem->body[b].invmass > 0.0))
                    continue;
                const struct impact_body *body = &problem->body[b];
                const double *twist = solver->velocity.twist + 6 * b;
                double arm[3], moment[3], change[3], turn[3];
                vec3_sub(joint->at, body->centre, arm);
                vec3_cross(arm, joint->S[row], moment);
                vec3_add_scaled(1.0, joint->S[row] + 3, moment);
                vec3_sub(twist + 3, body->vel, change);
                vec3_sub(twist, body->spin, turn);
                rate += (side ? -1.0 : 1.0) * (vec3_dot(joint->S[row], change) +
                                               vec3_dot(moment, turn));
                size +=
                    vec3_norm(joint->S[row]) * speed + vec3_norm(moment) * spin;
            }
            if (size > 0.0)
                worst = fmax(worst, fabs(rate) / size);
        }
    return worst;
}

/* Returns the greatest impulse over the momenta of the bodies. */
static double
share(const struct impact_solver *solver)
{
    double big = 0.0, sum = 0.0;
    for (int c = 0; c < solver->nc; c++)
        big =
            fmax(big, fabs(solver->impulse.P[c] * solver->approach.length[c]));
    for (uint32_t b = 0; b < solver->in.n_body; b++)
        if (solver->in.body[b].invmass > 0.0)
            sum += solver->in.body[b].mass *
                   (vec3_norm(solver->in.body[b].vel) +
                    vec3_norm(solver->velocity.twist + 6 * b + 3));
    return sum > 0.0 ? big / sum : 0.0;
}

/* Reports a law with impulses of either sign, or of friction alone if it pushes
 * only, at points that are very near each other. It takes huge impulses to turn
 * the bodies as the law asks, and the energy is then rounding. */
static int
pulls(struct analysis *analysis, imp_range where,
      const struct impact_of_run *problem, const struct impact_solver *solver)
{
    double apart = INFINITY;
    bool pushes =
        imp_impact_law_traits(solver->decision.law) & IMP_LAW_TRAIT_PUSHES;
    char times[NUM_TEXT], time[NUM_TEXT], distance[NUM_TEXT];
    for (int i = 0; i < solver->nc; i++)
        for (int j = 0; j < i; j++) {
            double d[3];
            vec3_sub(problem->p.contact[i].p, problem->p.contact[j].p, d);
            apart = fmin(apart, vec3_norm(d));
        }
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0747,
        rt_contact(analysis->rt, problem->contact[0])->range,
        "`%s` asks for impulses of %s times the momentum at t = %s s%s",
        imp_impact_law_word(solver->decision.law),
        num_digits(times, share(solver), 3),
        rt_told(time, rt_time(analysis->rt), 9),
        pushes ? "" : ", which push and pull");
    diag_note(
        analysis->ds, diag, where,
        "of %d points that touch two are only %s m apart; what is left of "
        "such impulses is rounding",
        solver->nc, num_digits(distance, apart, 3));
    diag_help(analysis->ds, diag,
              pushes
                  ? "what touches at one place, as the ends of two links at "
                    "their pin do, needs one contact there: leave the others "
                    "out"
                  : "under `law = complementarity` no impulse pulls: write it "
                    "in `world`");
    return IMP_FAILED;
}

int
impact_audit(struct analysis *analysis, imp_range where,
             const struct impact_of_run *problem,
             const struct impact_solver *solver)
{
    assert(analysis != NULL && problem != NULL && solver != NULL);
    assert(problem->p.n_contact > 0 && solver->decision.applied);
    const struct impact_balance *balance = &solver->balance;
    double low, worked = work(problem, solver, &low),
                got = balance->energy[1] - balance->energy[0];
    double energy = fmax(balance->energy[0], balance->energy[1]);
    double slipped = slip(&problem->p, solver);
    bool sure = low <= IMPACT_ENERGY_KNOWN * energy;
    bool kept =
        fabs(got - worked) <= low + IMPACT_CONSERVES * energy + DBL_MIN &&
        balance->momentum_error <= IMPACT_CONSERVES && slipped <= IMPACT_SLIPS;
    if (kept && sure)
        return IMP_OK;
    if (solver->nc > 1 && share(solver) > IMPACT_PULLS)
        return pulls(analysis, where, problem, solver);
    if (kept)
        return IMP_OK;
    char e[NUM_TEXT], p[NUM_TEXT], s[NUM_TEXT];
    const imp_contact *first = rt_contact(analysis->rt, problem->contact[0]);
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0714, first->range,
        "the impact of %d contact points changes the energy by %s J more than "
        "its impulses do, the momentum by %s and the joints by %s (relative)",
        solver->nc, num_digits(e, got - worked, 3),
        num_digits(p, balance->momentum_error, 3), num_digits(s, slipped, 3));
    diag_help(analysis->ds, diag,
              "look at the masses and inertias: a body may be "
              "extremely thin or light");
    return IMP_FAILED;
}

/* -- limits ---------------------------------------------------------------- */

/* Forces are known at both ends of the way to a limit; between them they count
 * so many times. */
#define LIMIT_FORCES 2.0
/* Points are moved onto gaps from below by so many of their tolerances. */
#define LIMIT_LIFTS 2.0

/* What the bodies of a limit are at one end of the way there. */
struct limit_account {
    double energy, terms; /* J; the moduli of its terms */
    double power;         /* W, of the terms of forces but weight */
    double force;         /* N, the sum of the moduli, weight included */
    double momentum[6];   /* N s, and N m s about the origin */
    double mass, place;   /* kg; m, of the farthest body */
    double ground, mu;    /* the fastest ground that moves; its friction */
    int grounds;          /* that touch them, as far as they move differently */
    double motion[6];     /* of the first: velocity at the origin, and spin */
    double lift;          /* m, by which gaps may be off */
    bool any_work;        /* something may do any work on them */
};

/* How fast does the ground move where it may touch the body at `at`? */
static int
ground_speed(struct rt *run, uint32_t ground, const double *at, double *speed)
{
    double motion[18], arm[3], turn[3];
    const imp_body *of = rt_body(run, ground);
    int st = body_kinematics(run, ground, motion);
    if (st)
        return st;
    memset(arm, 0, sizeof arm);
    for (uint32_t i = 0; i < run->im->dim; i++)
        arm[i] = at[i] - run->env[of->env_state + i];
    vec3_cross(motion + 9, arm, turn);
    *speed = fmax(*speed, vec3_norm(motion) + vec3_norm(turn));
    return IMP_OK;
}

/* Adds a ground that touches the bodies: one more, if it moves in another way
 * than the first. */
static int
add_ground(struct rt *run, uint32_t ground, struct limit_account *out)
{
    double motion[18], turn[3], own[6] = {0.0}, off = 0.0, size = 0.0;
    const imp_body *of = rt_body(run, ground);
    int st = IMP_OK;
    if (!(of->flags & IMP_BODYF_FIXED) || of->flags & IMP_BODYF_PRESCRIBED) {
        double centre[3] = {0.0, 0.0, 0.0};
        st = body_kinematics(run, ground, motion);
        if (st)
            return st;
        memcpy(centre, run->env + of->env_state, sizeof *centre * run->im->dim);
        vec3_cross(motion + 9, centre, turn);
        for (int i = 0; i < 3; i++) {
            own[i] = motion[i] - turn[i];
            own[3 + i] = motion[9 + i];
        }
    }
    for (int i = 0; i < 6 && out->grounds > 0; i++) {
        off = fmax(off, fabs(own[i] - out->motion[i]));
        size = fmax(size, fabs(own[i]));
    }
    if (out->grounds == 0)
        memcpy(out->motion, own, sizeof own);
    out->grounds += out->grounds == 0 || off > IMPACT_CONSERVES * size;
    return st;
}

/* Does the contact take impulses on the way to the limit? */
static bool
limit_touches(struct rt *run, const struct limit_of *of, uint32_t contact)
{
    for (int i = 0; i < of->n; i++)
        if (of->point[i].spot.contact == contact)
            return true;
    return persistent_holds(run, contact);
}

/* The fastest ground below the bodies, and the greatest friction on it;
 * any_work where a motor or a surface that changes its shape acts on them. */
static int
limit_ground(struct rt *run, const struct limit_of *of,
             struct limit_account *out)
{
    const bool *body = of->body;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    const imp_rotor *rotor = IMP_ARRAY(run->im, run->im->rotors, imp_rotor);
    for (uint32_t i = 0; i < run->im->rotors.n; i++)
        if (body[rotor[i].body] && rotor[i].flags & IMP_ROTORF_HOLDS)
            out->any_work = true;
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        for (int e = 0; e < 2; e++) {
            uint32_t one = joint[i].body[e], other = joint[i].body[1 - e];
            if (one == IMP_WORLD || !body[one])
                continue;
            if (joint[i].n_rate > 0 || joint[i].n_user > 0 ||
                (other != IMP_WORLD &&
                 rt_body(run, other)->flags & IMP_BODYF_PRESCRIBED))
                out->any_work = true;
        }
    int st = IMP_OK;
    for (uint32_t c = 0; c < of->n_contacts && !st; c++)
        for (int e = 0; e < 2 && !st; e++) {
            const imp_contact *contact = rt_contact(run, c);
            uint32_t one = contact->body[e], other = contact->body[1 - e];
            if (contact->system != IMP_NO_SYSTEM || one == IMP_WORLD ||
                other == IMP_WORLD || !body[one])
                continue;
            const imp_body *ground = rt_body(run, other);
            double tol, rate;
            gap_tolerances(run, c, &tol, &rate);
            out->lift = fmax(out->lift, LIMIT_LIFTS * tol);
            if (ground->flags & IMP_BODYF_GTIME ||
                contact->compliance != IMP_NO_TAPE)
                out->any_work = true;
            if (!body[other] && limit_touches(run, of, c) &&
                (st = add_ground(run, other, out)))
                return st;
            if (!(ground->flags & IMP_BODYF_PRESCRIBED))
                continue;
            const double *env = run->env + contact->env_contact;
            out->mu = fmax(out->mu, fmax(env[IMP_CONTACT_MU_STATIC],
                                         env[IMP_CONTACT_MU_IMPACT]));
            st = ground_speed(run, other,
                              run->env + rt_body(run, one)->env_state,
                              &out->ground);
        }
    return st;
}

static int
limit_account(struct rt *run, const struct limit_of *limit,
              struct limit_account *out)
{
    assert(run != NULL && limit != NULL && out != NULL);
    *out = (struct limit_account){0};
    bool plane = run->im->dim == 2;
    double weight = vec3_norm(run->world.gravity);
    for (uint32_t i = 0; i < run->im->bodies.n; i++) {
        const imp_body *of = rt_body(run, i);
        const double *own = run->env + of->env_body,
                     *state = run->env + of->env_state;
        double sums[8], pull[2] = {0.0, 0.0}, inertia = 0.0, place = 0.0;
        if (!limit->body[i] || of->flags & IMP_BODYF_FIXED ||
            of->energy == IMP_NO_TAPE)
            continue;
        rt_enter(run, i);
        int st = rt_eval(run, of->energy, NULL, sums);
        if (!st && of->pull != IMP_NO_TAPE)
            st = rt_eval(run, of->pull, NULL, pull);
        if (st)
            return st;
        for (int k = 0; k < (plane ? 1 : 6); k++)
            inertia += fabs(own[IMP_BODY_INERTIA + k]);
        for (uint32_t k = 0; k < run->im->dim; k++)
            place += fabs(state[k]);
        const double *v = state + (plane ? 3 : 7);
        double speed = plane ? hypot(v[0], v[1]) : vec3_norm(v),
               spin = plane ? fabs(v[2]) : vec3_norm(v + 3);
        out->energy += sums[0] + sums[1];
        out->terms +=
            2.0 * sums[0] + fabs(sums[1]) + own[IMP_BODY_MASS] * weight * place;
        for (int k = 0; k < 6; k++)
            out->momentum[k] += sums[2 + k];
        out->mass += own[IMP_BODY_MASS];
        out->place = fmax(out->place, place);
        out->force += own[IMP_BODY_MASS] * (weight + pull[0]);
        out->power +=
            own[IMP_BODY_MASS] * pull[0] * speed + inertia * pull[1] * spin;
    }
    return limit_ground(run, limit, out);
}

/* All impulses on the way to the limit are at most those that the flights would
 * give if all of them fell on one point, with the mass of all bodies behind it,
 * again and again; and what carries the bodies. */
static double
limit_pushes(const struct limit_of *limit, double mass, double left,
             double force)
{
    double speed = 0.0, answer = 0.0, e = 0.0;
    for (int i = 0; i < limit->n; i++) {
        double own = limit->G[(size_t)i * (size_t)limit->n + (size_t)i],
               mobility = fmin(own, 1.0 / mass);
        const struct contact_point_state *point = &limit->point[i];
        if (!limit->moved[i] || !(mobility > 0.0))
            continue;
        speed +=
            (fabs(point->rate) + left * fabs(point->free)) / sqrt(mobility);
        answer += 1.0 / sqrt(mobility);
        e = fmax(e, fmin(limit->e[i], 1.0 - RT_TOLERANCE));
    }
    return 2.0 * speed * answer / (1.0 - e) + LIMIT_FORCES * left * force;
}

/* The work of the ground on the way from `was` to `is` (J), and in *off what
 * more it may have done. What one ground gives to momentum, it gives to energy
 * times its velocity, whatever the impulses are; weight and forces add to the
 * momentum meanwhile. Of several grounds the impulses of each are not known.
 * *terms: the moduli of what the work is summed up from. */
static double
limit_ground_work(const struct limit_of *limit, double left,
                  const struct limit_account *was,
                  const struct limit_account *is, double *off, double *terms)
{
    double force = fmax(was->force, is->force), work = 0.0, speed = 0.0,
           spin = 0.0, fast = fmax(is->ground, was->ground),
           pushes = (1.0 + fmax(is->mu, was->mu)) *
                    limit_pushes(limit, is->mass, left, force);
    *off = fast * pushes;
    *terms = 0.0;
    if (was->grounds != 1 || is->grounds != 1)
        return 0.0;
    for (int i = 0; i < 6; i++) {
        double change = fabs(is->motion[i] - was->motion[i]);
        work += is->motion[i] * (is->momentum[i] - was->momentum[i]);
        *terms += fabs(is->motion[i]) *
                  (fabs(is->momentum[i]) + fabs(was->momentum[i]));
        *(i < 3 ? &speed : &spin) += change;
    }
    double place = fmax(is->place, was->place) + fmax(is->lift, was->lift);
    *off = fmin(*off, (speed + spin * place) * pushes +
                          LIMIT_FORCES * left * force * fast);
    return work;
}

int
impact_audit_limit(struct analysis *analysis, const struct limit_of *limit,
                   const struct saved_state *before)
{
    assert(analysis != NULL && limit != NULL && before != NULL);
    struct rt *run = analysis->rt;
    struct limit_account was, is;
    struct saved_state now = saved_state_take(run);
    struct trace *trace = run->trace;
    double left = rt_time(run);
    int st = limit_account(run, limit, &is);
    run->trace = NULL; /* what is kept of the motion stays */
    saved_state_restore(run, before);
    left -= rt_time(run);
    if (!st)
        st = limit_account(run, limit, &was);
    saved_state_restore(run, &now);
    run->trace = trace;
    if (st || was.any_work || is.any_work || run->im->gain_allowed)
        return st == IMP_NONFINITE ? IMP_OK : st;
    double ground, more_terms,
        work = limit_ground_work(limit, left, &was, &is, &ground, &more_terms),
        terms = fmax(is.terms, was.terms) + more_terms,
        gain = is.energy - was.energy - work, force = fmax(was.force, is.force),
        known =
            isfinite(limit->state_error) ? limit->state_error : RT_TOLERANCE,
        allowed = (IMPACT_CONSERVES + known) * terms +
                  LIMIT_FORCES * left * fmax(was.power, is.power) +
                  fmax(is.lift, was.lift) * force + ground;
    if (gain <= allowed)
        return IMP_OK;
    char more[NUM_TEXT], most[NUM_TEXT], time[NUM_TEXT];
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0714, rt_contact(run, limit->contact)->range,
        "the limit of impacts at t = %s s raises the energy by %s J, of which "
        "%s J may be work of forces or moving ground, or rounding",
        rt_told(time, rt_time(run), 9), num_digits(more, gain, 3),
        num_digits(most, allowed, 3));
    diag_help(
        analysis->ds, diag,
        "the limit was foreseen wrongly: please report it with the model; "
        "a run `until` a time before it is right");
    return IMP_FAILED;
}
