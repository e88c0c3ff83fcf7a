/* SPDX-License-Identifier: MIT */
/* The record of an impact problem: impulses, twists, energies, the Delassus
 * matrix G and what is not unique. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/impact/impact_priv.h"
#include "runtime/numerics/vec3.h"

/* Rows of the problem per contact point: with friction, or where points stick,
 * each normal row has those along the tangents behind it. */
static size_t
stride(const struct impact_of_run *problem)
{
    size_t step = 1, rows = problem->p.n_contact - problem->n_rough;
    while (step < rows && problem->contact[step] == UINT32_MAX)
        step++;
    return step;
}

/* Contact points of the problem. */
static size_t
points_of(const struct impact_of_run *problem)
{
    return (problem->p.n_contact - problem->n_rough) / stride(problem);
}

/* Sets a row per contact point: the impulse on the second body. */
static void
set_impulse_vectors(const struct analysis *analysis,
                    const struct impact_of_run *problem,
                    const struct impact_solver *solver, const char *why,
                    struct record *out)
{
    size_t step = stride(problem), n = points_of(problem),
           dim = analysis->rt->im->dim;
    if (record_index(out, "impulse_vectors") < 0)
        return;
    if (why) {
        SET_ABSENT("impulse_vectors", why);
        return;
    }
    double *x = NEW_N(analysis->rt->arena, double, dim *n + 1);
    for (size_t row = 0; row < n * step; row++)
        for (size_t k = 0; k < dim; k++)
            x[dim * (row / step) + k] +=
                solver->impulse.P[row] * problem->p.contact[row].dir[k];
    SET_MAT("impulse_vectors", x, n, dim);
}

/* Sets a list with an entry per contact point, from one per row. */
static void
set_list(struct analysis *analysis, const struct impact_of_run *problem,
         struct record *out, const char *field, const double *rows)
{
    size_t step = stride(problem), n = points_of(problem);
    double *x = NEW_N(analysis->rt->arena, double, n + 1);
    for (size_t i = 0; i < n; i++)
        x[i] = rows[step * i];
    SET_LIST(field, x, n);
}

/* Sets a row per body: spin, velocity. */
static void
set_twists(struct analysis *analysis, const struct impact_of_run *problem,
           struct record *out, const char *field, const double *twist)
{
    bool plane = analysis->rt->im->dim == 2;
    size_t n = 0, nb = problem->p.n_body;
    double *x = NEW_N(analysis->rt->arena, double, 6 * nb + 1);
    for (size_t b = 0; b < nb; b++)
        for (size_t i = 0; i < 6; i++)
            if (!plane || (i >= 2 && i < 5))
                x[n++] = twist[6 * b + i];
    SET_MAT(field, x, nb, plane ? 3 : 6);
}

static void
set_joints(struct analysis *analysis, const struct impact_of_run *problem,
           const struct impact_solver *solver, struct record *out)
{
    bool plane = analysis->rt->im->dim == 2;
    size_t nj = analysis->rt->im->joints.n, w = plane ? 3 : 6;
    double *x = NEW_N(analysis->rt->arena, double, w *nj + 1);
    for (uint32_t j = 0; j < problem->p.n_joint; j++)
        for (size_t i = 0, k = 0; i < 6; i++)
            if (!plane || i < 2 || i == 5)
                x[w * problem->joint[j] + k++] = solver->impulse.xi[6 * j + i];
    SET_MAT("joint_impulses", x, nj, w);
}

/* Names the bodies and joints to which the rows of the matrices belong. */
static void
set_names(struct analysis *analysis, const struct impact_of_run *problem,
          struct record *out)
{
    const imp_image *im = analysis->rt->im;
    const imp_joint *joint = IMP_ARRAY(im, im->joints, imp_joint);
    size_t nb = problem->p.n_body, nj = im->joints.n;
    const char **name =
        NEW_N(analysis->rt->arena, const char *, (nb > nj ? nb : nj) + 1);
    for (size_t b = 0; b < nb; b++)
        name[b] = imp_text(im, rt_body(analysis->rt, problem->body[b])->name);
    SET_TEXTS("bodies", name, nb);
    for (size_t k = 0; k < nj; k++)
        name[k] = imp_text(im, joint[k].name);
    SET_TEXTS("joints", name, nj);
}

/* Is the line of impact through the mass centres of all bodies that an impulse
 * moves? */
static const char *
kind_of(const struct impact_of_run *problem)
{
    const struct impact_contact *point = &problem->p.contact[0];
    for (int s = 0; s < 2; s++) {
        if (point->body[s] == IMP_WORLD ||
            !(problem->p.body[point->body[s]].invmass > 0))
            continue;
        const double *x = s ? point->q : point->p;
        double r[3], torque[3], off = 0, arm = 0, dir = 0;
        for (int i = 0; i < 3; i++) {
            r[i] = x[i] - problem->p.body[point->body[s]].centre[i];
            arm += r[i] * r[i];
            dir += point->dir[i] * point->dir[i];
        }
        vec3_cross(r, point->dir, torque);
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(torque[i]));
        if (off > 1e-9 * sqrt(arm * dir))
            return "eccentric";
    }
    return "central";
}

/* Says where the impulses act, as points of the first bodies, and their
 * directions. */
static void
set_points(struct analysis *analysis, const struct impact_of_run *problem,
           const struct impact_solver *solver, struct record *out)
{
    size_t dim = analysis->rt->im->dim, step = stride(problem),
           nc = points_of(problem);
    double *points = NEW_N(analysis->rt->arena, double, 2 * dim * nc + 1),
           *normals = points + dim * nc;
    const char **name = NEW_N(analysis->rt->arena, const char *, nc + 1);
    for (size_t i = 0; i < nc; i++) {
        const struct impact_contact *c = &problem->p.contact[step * i];
        for (size_t k = 0; k < dim; k++) {
            points[dim * i + k] = c->p[k] + problem->origin[k];
            normals[dim * i + k] =
                c->dir[k] / solver->approach.length[step * i];
        }
        name[i] = imp_text(
            analysis->rt->im,
            rt_contact(analysis->rt, problem->contact[step * i])->name);
    }
    SET_MAT("points", points, nc, dim);
    SET_MAT("normals", normals, nc, dim);
    SET_TEXTS("point_contacts", name, nc);
}

/* Sets time, twists, normal velocities and energies before and after. why: the
 * reason why nothing was applied, or NULL. */
static void
set_motion(struct analysis *analysis, const struct impact_of_run *problem,
           struct impact_solver *solver, const char *why, struct record *out)
{
    static const char *const after[] = {
        "impulses",     "twists_after", "normal_velocities_after",
        "energy_after", "energy_loss",  "momentum_error"};
    size_t nc = points_of(problem);
    double *twist =
        NEW_N(analysis->rt->arena, double, 6 * problem->p.n_body + 1);
    for (uint32_t body = 0; body < problem->p.n_body; body++) {
        memcpy(twist + 6 * body, problem->p.body[body].spin, 3 * sizeof *twist);
        memcpy(twist + 6 * body + 3, problem->p.body[body].vel,
               3 * sizeof *twist);
    }
    SET_NUM("time", rt_told_time(rt_time(analysis->rt)));
    set_twists(analysis, problem, out, "twists_before", twist);
    set_list(analysis, problem, out, "normal_velocities_before",
             solver->velocity.before);
    SET_NUM("energy_before", solver->balance.energy[0]);
    SET_ABSENT("energy_price", "the touch is not tangential, or there are "
                               "several contacts");
    if (nc == 1 && solver->delassus.G[0] > 0)
        SET_NUM("effective_mass",
                1 / (solver->delassus.G[0] * solver->approach.length[0] *
                     solver->approach.length[0]));
    else
        SET_ABSENT("effective_mass",
                   nc == 1 ? "nothing can move at the contact"
                           : "there are several contact points: see G");
    if (why) {
        record_set_absent_all(out, after, 6, why);
        return;
    }
    set_list(analysis, problem, out, "impulses", solver->impulse.P);
    set_twists(analysis, problem, out, "twists_after", solver->velocity.twist);
    set_list(analysis, problem, out, "normal_velocities_after",
             solver->velocity.after);
    SET_NUM("energy_after", solver->balance.energy[1]);
    SET_NUM("energy_loss",
            solver->balance.energy[0] - solver->balance.energy[1]);
    SET_NUM("momentum_error", solver->balance.momentum_error);
}

/* Sets what holds at the greatest compression, where the law has one. */
static void
set_peak(struct analysis *analysis, const struct impact_of_run *problem,
         const struct impact_solver *solver, const char *why,
         struct record *out)
{
    static const char *const peak[] = {"normal_velocities_peak", "twists_peak",
                                       "loading_impulses",
                                       "unloading_impulses"};
    if (!solver->decision.applied || !solver->velocity.peak) {
        record_set_absent_all(
            out, peak, 4,
            why ? why
                : "this law has no common peak of compression for "
                  "these contacts");
        return;
    }
    set_list(analysis, problem, out, "normal_velocities_peak",
             solver->velocity.at_peak);
    set_twists(analysis, problem, out, "twists_peak",
               solver->velocity.peak_twist);
    set_list(analysis, problem, out, "loading_impulses", solver->impulse.load);
    set_list(analysis, problem, out, "unloading_impulses",
             solver->impulse.unload);
}

/* The Delassus matrix G and what is not unique about the impulses. The singular
 * values of G overwrite G in the solver, so they come last. */
static void
set_delassus(struct analysis *analysis, const struct impact_of_run *problem,
             struct impact_solver *solver, struct record *out)
{
    static const char *const word[] = {"yes", "motion only", "no"};
    static const char *const singular[] = {"rank", "null_space", "condition"};
    struct arena *arena = analysis->rt->arena;
    size_t step = stride(problem), nc = points_of(problem),
           rows = (size_t)solver->nc;
    double *G = NEW_N(arena, double, nc *nc + 1);
    bool settled =
        step > 1 || solver->delassus.regular || !impact_solver_measure(solver);
    for (size_t i = 0; i < nc; i++)
        for (size_t j = 0; j < nc; j++)
            G[nc * i + j] = solver->delassus.G[(i * rows + j) * step] *
                            solver->approach.length[step * i] *
                            solver->approach.length[step * j];
    SET_MAT("G", G, nc, nc);
    SET_TEXT("determined", word[solver->decision.determined]);
    set_list(analysis, problem, out, "residual", solver->velocity.residual);
    if (step > 1) {
        record_set_absent_all(out, singular, 3,
                              "laws of friction need no singular values");
        return;
    }
    if (!settled || impact_solver_measure(solver)) {
        record_set_absent_all(out, singular, 3,
                              "the singular values did not settle");
        return;
    }
    assert(solver->delassus.rank >= 0 && solver->delassus.rank <= solver->nc);
    SET_NUM("rank", solver->delassus.rank);
    SET_MAT("null_space", solver->delassus.null,
            nc - (size_t)solver->delassus.rank, nc);
    if (solver->delassus.rank)
        SET_NUM("condition", solver->delassus.condition);
    else
        SET_ABSENT("condition", "nothing can move at the contacts");
}

void
impact_record(struct analysis *analysis, const struct impact_of_run *problem,
              struct impact_solver *solver, const char *why, struct record *out)
{
    assert(analysis != NULL && problem != NULL && solver != NULL &&
           out != NULL);
    assert(solver->nc == (int)problem->p.n_contact);
    assert((why == NULL) == solver->decision.applied);
    set_names(analysis, problem, out);
    set_motion(analysis, problem, solver, why, out);
    if (why)
        SET_ABSENT("joint_impulses", why);
    else
        set_joints(analysis, problem, solver, out);
    set_peak(analysis, problem, solver, why, out);
    if (points_of(problem) == 1)
        SET_TEXT("contact_kind", kind_of(problem));
    else
        SET_ABSENT("contact_kind", "there are several contact points");
    set_points(analysis, problem, solver, out);
    set_impulse_vectors(analysis, problem, solver, why, out);
    SET_TEXT("law", imp_impact_law_word(solver->decision.law));
    set_delassus(analysis, problem, solver, out);
}
