/* SPDX-License-Identifier: MIT */
/* Conservation at an impact (I1): the change of the energy must be the work of
 * the impulses, and momentum must be kept. An impact that fails this ends the
 * run before it is applied. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/impact/impact_handler.h"
#include "analysis/impact/impact_of_contacts.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/numerics/vec3.h"

/* I1: relative errors of energy and momentum at one impact */
#define IMPACT_CONSERVES 1e-12
/* rounding errors of impulses times velocities that are allowed */
#define IMPACT_ROUNDINGS 256.0
/* Where impulses are this many times the momenta they push and pull against
 * each other, and the energy is not known better than to IMPACT_ENERGY_KNOWN of
 * itself. */
#define IMPACT_PULLS 1e3
#define IMPACT_ENERGY_KNOWN 1e-6

int
simulate_apply_handler(struct simulation *sim, uint32_t contact,
                       const double *alpha, double *impulse, double *mobility)
{
    assert(sim != NULL && contact < sim->n_contacts);
    assert(impulse != NULL && mobility != NULL);
    double cs[IMP_CS_SIZE];
    int st = impact_handler_compute(sim->analysis, contact, alpha, cs);
    if (st)
        return st;
    double error = impact_handler_momentum_error(sim->analysis, contact, cs);
    double size = fmax(cs[IMP_CS_E_BEFORE], cs[IMP_CS_E_AFTER]);
    double lost = cs[IMP_CS_E_BEFORE] - cs[IMP_CS_E_AFTER];
    if (!(error <= IMPACT_CONSERVES) ||
        (!alpha && fabs(lost - cs[IMP_CS_LOSS]) > IMPACT_CONSERVES * size)) {
        char e[NUM_TEXT], m[NUM_TEXT];
        struct diag *diag = diag_add(
            sim->analysis->ds, DIAG_E0714, rt_contact(sim->run, contact)->range,
            "the impact at `%s` changes the energy by %s "
            "J more than its law and the momentum by %s "
            "(relative)",
            simulate_contact_name(sim, contact),
            num_digits(e, cs[IMP_CS_LOSS] - lost, 3), num_digits(m, error, 3));
        diag_help(sim->analysis->ds, diag,
                  "look at the masses and inertias: a body may be "
                  "extremely thin or light");
        return IMP_FAILED;
    }
    impact_handler_apply(sim->analysis, contact, cs);
    *impulse = cs[IMP_CS_IMPULSE];
    *mobility = cs[IMP_CS_W];
    sim->rows.fresh = false;
    return IMP_OK;
}

/* The work, against impulse `point`, of whatever drives prescribed bodies and
 * surfaces that move over their bodies. */
static double
driven(const struct impact_of_run *problem, const struct impact_solver *solver,
       int point)
{
    const struct impact_contact *k = &problem->p.contact[point];
    double speed = k->recede * solver->approach.length[point];
    for (int side = 0; side < 2; side++) {
        const struct impact_body *b = &problem->p.body[k->body[side]];
        double r[3], u[3];
        if (k->body[side] == IMP_WORLD || b->invmass > 0)
            continue;
        vec3_sub(side ? k->q : k->p, b->centre, r);
        vec3_copy(b->vel, u);
        vec3_add_scaled_cross(1.0, b->spin, r, u);
        speed += (side ? 1 : -1) * vec3_dot(k->dir, u);
    }
    return solver->impulse.P[point] * speed;
}

/* The work of all impulses, from its terms. *low: the error of the work. It is
 * a share of the energies, and the rounding of the terms, which cancel where
 * the impulses of near points push and pull. */
static double
work(const struct impact_of_run *problem, const struct impact_solver *solver,
     double *low)
{
    double sum = 0, terms = 0;
    for (int c = 0; c < solver->nc; c++) {
        sum += 0.5 * solver->impulse.P[c] *
                   (solver->velocity.before[c] + solver->velocity.after[c]) -
               driven(problem, solver, c);
        terms +=
            fabs(solver->impulse.P[c]) * fmax(fabs(solver->velocity.before[c]),
                                              fabs(solver->velocity.after[c]));
    }
    *low = IMPACT_CONSERVES *
               fmax(solver->balance.energy[0], solver->balance.energy[1]) +
           IMPACT_ROUNDINGS * DBL_EPSILON * terms;
    /* the impulses of joints do work on the errors of the joint velocities */
    for (uint32_t j = 0; j < problem->p.n_joint; j++) {
        const struct impact_joint *k = &problem->p.joint[j];
        const double *impulse = solver->impulse.xi + 6 * j;
        for (int side = 0; side < 2; side++) {
            if (k->body[side] == IMP_WORLD)
                continue;
            const struct impact_body *b = &problem->p.body[k->body[side]];
            const double *t = solver->velocity.twist + 6 * k->body[side];
            double r[3], w[3], v[3];
            vec3_sub(k->at, b->centre, r);
            for (int i = 0; i < 3; i++) {
                w[i] = 0.5 * (t[i] + b->spin[i]);
                v[i] = 0.5 * (t[3 + i] + b->vel[i]);
            }
            vec3_add_scaled_cross(1.0, w, r, v);
            sum += (side ? -1 : 1) *
                   (vec3_dot(impulse, v) + vec3_dot(impulse + 3, w));
        }
    }
    return sum;
}

/* the greatest impulse over the momenta of the bodies */
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

/* Reports a law with impulses of either sign at points that are very near each
 * other. It takes huge impulses to turn the bodies as the law asks, and the
 * energy is then rounding. */
static int
pulls(struct simulation *sim, uint32_t contact,
      const struct impact_of_run *problem, const struct impact_solver *solver)
{
    double apart = INFINITY;
    char times[NUM_TEXT], time[NUM_TEXT], distance[NUM_TEXT];
    for (int i = 0; i < solver->nc; i++)
        for (int j = 0; j < i; j++) {
            double d[3];
            vec3_sub(problem->p.contact[i].p, problem->p.contact[j].p, d);
            apart = fmin(apart, vec3_norm(d));
        }
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0747, rt_contact(sim->run, contact)->range,
        "`%s` asks for impulses of %s times the momentum at t = %s s, which "
        "push and pull",
        imp_impact_law_word(solver->decision.law),
        num_digits(times, share(solver), 3),
        num_digits(time, rt_time(sim->run), 9));
    diag_note(
        sim->analysis->ds, diag, sim->command->range,
        "of %d points that touch two are only %s m apart; what is left of "
        "such impulses is rounding",
        solver->nc, num_digits(distance, apart, 3));
    diag_help(sim->analysis->ds, diag,
              "under `law = complementarity` no impulse pulls: write it in "
              "`world`");
    return IMP_FAILED;
}

int
simulate_audit_impact(struct simulation *sim, const uint32_t *contacts,
                      uint32_t n_contacts, const struct impact_of_run *problem,
                      const struct impact_solver *solver)
{
    assert(sim != NULL && contacts != NULL && n_contacts > 0);
    assert(problem != NULL && solver != NULL && solver->decision.applied);
    double low, worked = work(problem, solver, &low),
                got = solver->balance.energy[1] - solver->balance.energy[0];
    bool sure = low <= IMPACT_ENERGY_KNOWN * fmax(solver->balance.energy[0],
                                                  solver->balance.energy[1]);
    bool kept = fabs(got - worked) <= low + DBL_MIN &&
                solver->balance.momentum_error <= IMPACT_CONSERVES;
    if (kept && sure)
        return IMP_OK;
    if (solver->nc > 1 && share(solver) > IMPACT_PULLS)
        return pulls(sim, contacts[0], problem, solver);
    if (kept)
        return IMP_OK;
    char e[NUM_TEXT], p[NUM_TEXT];
    struct diag *diag = diag_add(
        sim->analysis->ds, DIAG_E0714, rt_contact(sim->run, contacts[0])->range,
        "the impact of %u contacts changes the energy by %s J more than its "
        "impulses do and the momentum by %s (relative)",
        n_contacts, num_digits(e, got - worked, 3),
        num_digits(p, solver->balance.momentum_error, 3));
    diag_help(sim->analysis->ds, diag,
              "look at the masses and inertias: a body may be "
              "extremely thin or light");
    return IMP_FAILED;
}
