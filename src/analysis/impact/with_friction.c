/* SPDX-License-Identifier: MIT */
/* An impact at contacts of which one has friction, in the plane. The problem of
 * runtime/impact gets a second row per point, along the tangent; its matrix, in
 * which joints are eliminated, and its velocities go to runtime/friction, whose
 * impulses are imposed. So momenta and energies are audited like those of any
 * impact. The command `impact` at such contacts is here, too. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/impact/friction_law.h"
#include "runtime/modes/friction_modes.h"

/* Normal velocities up to this share of the speeds count as zero where nobody
 * has found that the contact is hit, */
#define NORMAL_RESTS 1e-9
/* else, as slips, up to this one, which is rounding. */
#define SLIP_RESTS (64.0 * DBL_EPSILON)

/* The problem with a tangential row behind each normal one. */
static void
with_tangents(struct rt *run, const struct impact_of_run *from,
              struct impact_of_run *to)
{
    uint32_t n = from->p.n_contact;
    struct impact_contact *row =
        NEW_N(run->brief, struct impact_contact, 2 * n);
    *to = *from;
    to->contact = NEW_N(run->brief, uint32_t, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        struct impact_contact *normal = &row[2 * i], *tangent = normal + 1;
        *normal = *tangent = from->p.contact[i];
        double length = hypot(normal->dir[0], normal->dir[1]);
        tangent->dir[0] = normal->dir[1] / length;
        tangent->dir[1] = -normal->dir[0] / length;
        tangent->dir[2] = 0.0;
        tangent->recede = tangent->e = 0.0;
        to->contact[2 * i] = from->contact[i];
        to->contact[2 * i + 1] = UINT32_MAX;
    }
    to->p.varies = NULL; /* friction_law_point asks */
    to->p.contact = row;
    to->p.n_contact = 2 * n;
}

/* How many contact points has a problem with tangential rows? */
static int
points_of(const struct impact_of_run *problem)
{
    return (int)(problem->p.n_contact - problem->n_rough) / 2;
}

/* Has the contact friction, or a joint that holds its bodies? */
static bool
contact_rubs(const struct rt *run, uint32_t contact)
{
    const imp_contact *of = rt_contact(run, contact);
    return friction_modes_contact(run, contact) ||
           rubbing_moves(run, of->body[0]) || rubbing_moves(run, of->body[1]);
}

bool
impact_asked_rubs(struct analysis *analysis, const imp_command *command)
{
    assert(analysis != NULL && command != NULL);
    const imp_val *law = command->id == IMP_CMD_impact
                             ? arg_option(analysis, command, IMP_OPT_impact_law)
                             : NULL;
    if (law && law->kind == IMP_VAL_LAW)
        return true; /* it has tangential impulses */
    for (uint32_t i = 0; i < command->args.n; i++)
        if (contact_rubs(analysis->rt, arg_contact(analysis, command, i)))
            return true;
    return false;
}

/* The points of the problem; there is room for its joints with friction behind
 * them. NULL after a diagnostic about a coefficient. */
static struct friction_impact_point *
read_points(struct rt *run, const struct impact_of_run *problem,
            enum imp_impact_law law, const struct impact_solver *solver,
            const bool *hit)
{
    int n = points_of(problem);
    struct friction_impact_point *point = NEW_N(
        run->brief, struct friction_impact_point, n + (int)problem->n_rough);
    double speed = solver->approach.speed;
    for (int i = 0; i < n; i++) {
        const double *v0 = solver->approach.v0 + 2 * i;
        double rests = hit && hit[i] ? SLIP_RESTS : NORMAL_RESTS;
        double normal =
            fabs(v0[0]) <= (v0[0] > 0.0 ? SLIP_RESTS : rests) * speed ? 0.0
                                                                      : v0[0];
        double slip = fabs(v0[1]) <= SLIP_RESTS * speed ? 0.0 : v0[1];
        if (friction_law_point(run, problem->contact[2 * i], law, normal, slip,
                               &point[i]) ||
            (problem->n_rough && friction_own_beside_joints(run, &point[i])))
            return NULL;
    }
    return point;
}

int
impact_with_friction(struct analysis *analysis,
                     const struct impact_of_run *normals, const bool *hit,
                     double alike, enum imp_impact_law law,
                     struct impact_of_run *problem, struct impact_solver **out,
                     struct friction_group_impact *group)
{
    assert(analysis != NULL && normals != NULL && normals->p.n_contact > 0);
    struct rt *run = analysis->rt;
    struct rough_joints rough;
    with_tangents(run, normals, problem);
    problem->p.products = hit != NULL;
    int st = rough_joints_add(run, problem, &rough);
    if (st || (st = impact_prepare(analysis, problem, out)))
        return st;
    struct impact_solver *solver = *out;
    struct friction_impact_point *point =
        read_points(run, problem, law, solver, hit);
    if (!point)
        return IMP_FAILED;
    int n = points_of(problem) + (int)rough.n;
    double *W = solver->delassus.G;
    if (rough.n) {
        W = NEW_N(run->brief, double, 4 * (size_t)n * (size_t)n);
        rough_joints_points(run, &rough, problem, solver, law, point, W);
    }
    friction_impact_alike(run->brief, n, W, point, law, alike, NULL, group);
    /* impulses refer to the directions of the problem, where a joint has one
     * row */
    double *P = NEW_N(run->brief, double, (size_t)solver->nc + 1);
    int first = solver->nc - (int)rough.n;
    for (int i = 0; i < solver->nc; i++) {
        double *of = &group->impulse[i < first ? i : 2 * i - first + 1];
        *of = group->why ? 0.0 : *of / solver->approach.length[i];
        P[i] = *of;
    }
    impact_solver_impose(solver, law, P);
    solver->decision.applied = group->why == NULL;
    return IMP_OK;
}

uint32_t
impact_with_friction_forbidden(const struct analysis *analysis,
                               const struct friction_group_impact *group, int n)
{
    assert(analysis != NULL && group != NULL && (n == 0 || group->point));
    uint32_t did = group->gain > 0.0 ? IMP_FORBID_GAIN : 0;
    for (int i = 0; i < n && !group->why; i++)
        if (group->point[i].normal > 0.0 && group->impulse[2 * i] > 0.0)
            did |= IMP_FORBID_SEPARATING;
    return did & analysis->rt->im->forbid;
}

/* -- the command ----------------------------------------------------------- */

const char *
impact_friction_law(const struct friction_group_impact *group, int n,
                    const struct friction_impact_point *point,
                    enum imp_impact_law law)
{
    static const char *const of_point[] = {[FRICTION_NEWTON] = "newton",
                                           [FRICTION_POISSON] = "poisson",
                                           [FRICTION_ENERGETIC] = "energetic"};
    assert(group != NULL && (n == 0 || point != NULL));
    assert(law < IMP_IMPACT_COUNT);
    int first = -1;
    for (int i = 0; i < n; i++) {
        if (point[i].normal < 0.0 && group->how[i] != FRICTION_PROCESS)
            return imp_impact_law_word(
                law == IMP_IMPACT_SEQUENTIAL || law == IMP_IMPACT_POISSON ||
                        law == IMP_IMPACT_ENERGETIC || law == IMP_IMPACT_REST
                    ? law
                    : IMP_IMPACT_COMPLEMENTARITY);
        if (point[i].normal < 0.0 && first < 0)
            first = i;
    }
    if (first >= 0 && point[first].own)
        return "own";
    return of_point[first < 0 ? FRICTION_ENERGETIC : point[first].law];
}

size_t
impact_friction_remarks(struct analysis *analysis,
                        const struct friction_group_impact *group,
                        const char **text)
{
    struct arena *arena = record_arena(analysis);
    char amount[NUM_TEXT];
    size_t n = 0;
    if (group->why)
        text[n++] = arena_printf(arena, "no motion is applied: %s", group->why);
    if (group->verdict == FRICTION_SHARED)
        text[n++] =
            "the motion is unique, the impulses are not: a least set is "
            "given";
    if (group->loads)
        text[n++] =
            "the motion depends on how points share the impulses: those "
            "of least norm are given";
    if (group->verdict == FRICTION_NOT_SHOWN)
        text[n++] = "the motion is not shown to be the only one";
    if (group->tie)
        text[n++] = "points that act on each other approach alike: the order "
                    "given decided (state `priority`)";
    if (group->gain > 0.0)
        text[n++] = arena_printf(arena, "the impact raises the energy by %s J",
                                 num_digits(amount, group->gain, 6));
    return n;
}

const char *
impact_friction_determined(const struct friction_group_impact *group)
{
    return group->why || group->loads || group->tie ? "no"
           : group->verdict == FRICTION_SHARED      ? "motion only"
           : group->verdict == FRICTION_NOT_SHOWN   ? "not shown"
                                                    : "yes";
}

void
impact_without_friction(struct record *out)
{
    static const char *const fields[] = {
        "friction_impulses", "slips_before", "slips_after",
        "friction_work",     "regions",      "impulse_vectors"};
    assert(out != NULL);
    for (int i = 0; i < 6; i++)
        if (record_index(out, fields[i]) >= 0)
            record_set_absent(out, fields[i], "all coefficients are 0");
}

/* Sets what friction adds to the record. */
static void
set_friction(const struct analysis *analysis,
             const struct impact_solver *solver, int points,
             const struct friction_group_impact *group, struct record *out)
{
    static const char *const fields[] = {"friction_impulses", "slips_after",
                                         "friction_work", "regions"};
    size_t n = (size_t)points;
    double *x = NEW_N(analysis->rt->arena, double, 4 * n + 1);
    for (size_t i = 0; i < n; i++) {
        x[i] = solver->velocity.before[2 * i + 1];
        x[n + i] = solver->impulse.P[2 * i + 1];
        x[2 * n + i] = group->why ? 0.0 : group->after[2 * i + 1];
        x[3 * n + i] = group->region[i];
    }
    SET_LIST("slips_before", x, n);
    if (group->why) {
        record_set_absent_all(out, fields, 4, group->why);
        return;
    }
    SET_LIST("friction_impulses", x + n, n);
    SET_LIST("slips_after", x + 2 * n, n);
    SET_LIST("friction_work", group->work, n);
    SET_LIST("regions", x + 3 * n, n);
}

const char *
impact_friction_remedy(const struct analysis *analysis,
                       const struct friction_group_impact *group,
                       enum imp_impact_law law)
{
    assert(analysis != NULL);
    if (!group)
        return NULL;
    return group->held ? "look at what moves the joints: it drives the bodies "
                         "into each other"
                       : impact_laws_remedy(analysis, law);
}

int
impact_friction_check(struct analysis *analysis, imp_range where,
                      const struct friction_group_impact *group, int n,
                      enum imp_impact_law law)
{
    char amount[NUM_TEXT];
    if (group->why) {
        struct diag *diag = diag_add(
            analysis->ds, DIAG_W0722, where,
            "the outcome of this impact with friction is not determined, so no "
            "motion is applied: %s",
            group->why);
        diag_help(analysis->ds, diag, "%s",
                  impact_friction_remedy(analysis, group, law));
    }
    if (group->loads)
        diag_add(analysis->ds, DIAG_W0733, where,
                 "how contact points share this impact is not determined, and "
                 "the motion depends on it");
    if (group->gain > 0.0 && !analysis->rt->im->gain_allowed)
        diag_add(analysis->ds, DIAG_W0721, where,
                 "this impact with friction raises the energy by %s J",
                 num_digits(amount, group->gain, 6));
    if (!impact_with_friction_forbidden(analysis, group, n))
        return IMP_OK;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0719, where,
                                 "the world forbids this impact");
    diag_help(analysis->ds, diag,
              "name another `law`, or forbid less: `forbid` and `policy = "
              "stop` of the world");
    return IMP_FAILED;
}

int
impact_frictional(struct analysis *analysis, const imp_command *command,
                  struct record *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct impact_of_run normals, problem;
    struct impact_solver *solver;
    struct friction_group_impact group;
    enum imp_impact_law law;
    const char *text[8];
    const imp_val *own = arg_option(analysis, command, IMP_OPT_impact_impulse);
    if (own) {
        struct diag *diag = diag_add(
            analysis->ds, DIAG_E0705, own->range,
            "`impulse` is for one contact without friction of two free bodies");
        diag_help(analysis->ds, diag, "leave it out, or name a `law`");
        return IMP_BADMODEL;
    }
    int st = impact_law_of_command(analysis, command, &law);
    if (st ||
        (st = impact_bring_to_touch(analysis, command, IMP_OPT_impact_until,
                                    &normals, &solver)) ||
        (st = impact_with_friction(analysis, &normals, NULL, 0.0, law, &problem,
                                   &solver, &group)))
        return st;
    if (!group.why &&
        (st = impact_audit(analysis, command->range, &problem, solver)))
        return st;
    int n = points_of(&problem);
    if ((st = impact_friction_check(analysis, command->range, &group, n, law)))
        return st;
    rough_joints_told(&problem, solver);
    impact_record(analysis, &problem, solver, group.why, out);
    SET_TEXT("law", impact_friction_law(&group, n, group.point, law));
    SET_TEXT("determined", impact_friction_determined(&group));
    if (record_index(out, "slips_before") >= 0)
        set_friction(analysis, solver, n, &group, out);
    SET_TEXTS("warnings", text,
              impact_friction_remarks(analysis, &group, text));
    return IMP_OK;
}
