/* SPDX-License-Identifier: MIT */
/* An impact at contacts of which one says `restitution = sticking`: its points
 * lose all of their velocity. The problem of runtime/impact gets a row per
 * tangent behind each normal one. Points of such contacts that come down stick;
 * those that rest there stick where they are pressed. All others obey
 * complementarity without friction. The command `impact` at such contacts is here,
 * too. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/modes/friction_modes.h"
#include "runtime/numerics/vec3.h"

/* Normal velocities up to this share of the speeds count as zero, but where a
 * contact has been found to be hit and none of its points is faster: */
#define NORMAL_RESTS 1e-9
#define HIT_RESTS (64.0 * DBL_EPSILON)
/* A normal impulse that pulls by less than this share of the greatest one is
 * rounding. */
#define STICKING_PULLS 1e-9

bool
impact_sticks(const struct rt *run, uint32_t contact)
{
    assert(run != NULL);
    return (rt_contact(run, contact)->flags & IMP_CONTACTF_STICKS) != 0;
}

bool
impact_asked_sticks(struct analysis *analysis, const imp_command *command)
{
    assert(analysis != NULL && command != NULL);
    for (uint32_t i = 0; i < command->args.n; i++)
        if (impact_sticks(analysis->rt, arg_contact(analysis, command, i)))
            return true;
    return false;
}

/* Unit vectors along the surface whose normal is n: one in the plane, two in
 * space. */
static void
tangents_of(const double n[3], uint32_t dim, double t[2][3])
{
    double length = vec3_norm(n);
    memset(t, 0, 2 * sizeof *t);
    if (dim == 2) {
        t[0][0] = n[1] / length;
        t[0][1] = -n[0] / length;
        return;
    }
    /* the axis that is farthest from the normal */
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[least]))
            least = i;
    double axis[3] = {0.0, 0.0, 0.0};
    axis[least] = 1.0;
    vec3_cross(n, axis, t[0]);
    double side = vec3_norm(t[0]);
    for (int i = 0; i < 3; i++)
        t[0][i] /= side;
    vec3_cross(n, t[0], t[1]);
    for (int i = 0; i < 3; i++)
        t[1][i] /= length;
}

/* The problem with rows along the tangents behind each normal one. */
static void
with_tangents(struct rt *run, const struct impact_of_run *from,
              struct impact_of_run *to)
{
    uint32_t n = from->p.n_contact, step = run->im->dim;
    struct impact_contact *row =
        NEW_N(run->brief, struct impact_contact, step * n);
    *to = *from;
    to->contact = NEW_N(run->brief, uint32_t, step * n);
    for (uint32_t i = 0; i < n; i++) {
        double t[2][3];
        tangents_of(from->p.contact[i].dir, step, t);
        for (uint32_t k = 0; k < step; k++) {
            row[step * i + k] = from->p.contact[i];
            to->contact[step * i + k] = k ? UINT32_MAX : from->contact[i];
            if (k == 0)
                continue;
            memcpy(row[step * i + k].dir, t[k - 1], sizeof t[0]);
            row[step * i + k].recede = row[step * i + k].e = 0.0;
        }
    }
    to->p.varies = NULL; /* asked of the normal rows before */
    to->p.contact = row;
    to->p.n_contact = step * n;
}

/* The points of an impact: which of them belong to contacts that stick, and
 * which lose all of their velocity; one entry per row of the problem. */
struct points {
    struct impact_solver *solver;
    int step;         /* rows per point */
    const bool *may;  /* the contact sticks */
    bool *stick;      /* the point does */
    bool *down;       /* it comes down */
    bool *freed;      /* it rests, and would be pulled if it stuck */
    const bool *normal; /* rows along normals */
};

static void
set_stick(struct points *points, int row, bool on)
{
    for (int k = 0; k < points->step; k++)
        points->stick[row + k] = on;
}

/* The points that come down faster than this stick. False: there is none. */
static bool
begin(struct points *points, double rests)
{
    const struct impact_approach *approach = &points->solver->approach;
    bool any = false;
    for (int i = 0; i < points->solver->nc; i += points->step) {
        bool down =
            points->may[i] && approach->v0[i] < -rests * approach->speed;
        set_stick(points, i, down);
        points->down[i] = down;
        any |= down;
    }
    return any;
}

/* Of the points that rest, lets the one go for good that is pulled most, which
 * is then pushed without friction, else lets the one stick that is pressed
 * most. False: there is none. */
static bool
exchange(struct points *points)
{
    const struct impact_solver *solver = points->solver;
    double most = 0.0, pull, press;
    int pulled = -1, pressed = -1;
    for (int i = 0; i < solver->nc; i++)
        most =
            fmax(most, fabs(solver->impulse.P[i] * solver->approach.length[i]));
    pull = press = STICKING_PULLS * most;
    for (int i = 0; i < solver->nc; i += points->step) {
        double P = solver->impulse.P[i] * solver->approach.length[i];
        if (points->down[i] || !points->may[i])
            continue;
        if (points->stick[i] && -P > pull) {
            pull = -P;
            pulled = i;
        }
        if (!points->stick[i] && !points->freed[i] && P > press) {
            press = P;
            pressed = i;
        }
    }
    if (pulled >= 0) {
        set_stick(points, pulled, false);
        points->freed[pulled] = true;
    } else if (pressed >= 0) {
        set_stick(points, pressed, true);
    }
    return pulled >= 0 || pressed >= 0;
}

/* Solves the impact, and looks for the points that rest and stick, too: each
 * comes to stick once at most, and is let go once. */
static void
settle(struct points *points)
{
    do
        impact_solver_solve_sticking(points->solver, points->stick,
                                     points->normal);
    while (points->solver->decision.applied && exchange(points));
}

bool
impact_sticking_pulls(const struct impact_of_run *problem,
                      const struct impact_solver *solver)
{
    assert(problem != NULL && solver != NULL);
    double most = 0.0, least = 0.0;
    for (int i = 0; i < solver->nc; i++) {
        double P = solver->impulse.P[i] * solver->approach.length[i];
        most = fmax(most, fabs(P));
        if (problem->contact[i] != UINT32_MAX)
            least = fmin(least, P);
    }
    return solver->decision.applied && -least > STICKING_PULLS * most;
}

int
impact_with_sticking(struct analysis *analysis,
                     const struct impact_of_run *normals, bool hit,
                     struct impact_of_run *problem, struct impact_solver **out,
                     const char **why)
{
    assert(analysis != NULL && normals != NULL && normals->p.n_contact > 0);
    struct rt *run = analysis->rt;
    *why = NULL;
    with_tangents(run, normals, problem);
    int st = impact_prepare(analysis, problem, out);
    if (st)
        return st;
    struct impact_solver *solver = *out;
    size_t n = (size_t)solver->nc;
    bool *may = NEW_N(run->brief, bool, n),
         *normal = NEW_N(run->brief, bool, n);
    struct points points = {.solver = solver,
                            .step = (int)run->im->dim,
                            .may = may,
                            .stick = NEW_N(run->brief, bool, n),
                            .down = NEW_N(run->brief, bool, n),
                            .freed = NEW_N(run->brief, bool, n),
                            .normal = normal};
    for (int i = 0; i < solver->nc; i += points.step) {
        may[i] = impact_sticks(run, problem->contact[i]);
        normal[i] = true;
        solver->approach.e[i] = impact_restitution_of_run(
            run, problem->contact[i], -solver->approach.v0[i]);
    }
    if (!begin(&points, NORMAL_RESTS) && hit)
        begin(&points, HIT_RESTS);
    settle(&points);
    if (!solver->decision.applied)
        *why = impact_fault_text(solver);
    return IMP_OK;
}

/* -- the command ----------------------------------------------------------- */

/* Sets what the tangents add to the record. */
static void
set_slips(const struct analysis *analysis, const struct impact_solver *solver,
          const char *why, struct record *out)
{
    static const char *const fields[] = {"friction_impulses", "slips_after",
                                         "friction_work"};
    size_t step = analysis->rt->im->dim, n = (size_t)solver->nc / step;
    double *x = NEW_N(analysis->rt->arena, double, 4 * n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t at = step * i + 1;
        const double *before = solver->velocity.before + at,
                     *after = solver->velocity.after + at,
                     *P = solver->impulse.P + at;
        bool plane = step == 2;
        x[i] = plane ? before[0] : hypot(before[0], before[1]);
        x[n + i] = plane ? P[0] : hypot(P[0], P[1]);
        x[2 * n + i] = plane ? after[0] : hypot(after[0], after[1]);
        for (size_t k = 0; k + 1 < step; k++)
            x[3 * n + i] += 0.5 * P[k] * (before[k] + after[k]);
    }
    SET_LIST("slips_before", x, n);
    SET_ABSENT("regions", "points that stick have no process of friction");
    if (why) {
        record_set_absent_all(out, fields, 3, why);
        return;
    }
    SET_LIST("friction_impulses", x + n, n);
    SET_LIST("slips_after", x + 2 * n, n);
    SET_LIST("friction_work", x + 3 * n, n);
}

/* What is to be said of the outcome, into text; returns how many. */
static size_t
remarks(struct analysis *analysis, const struct impact_of_run *problem,
        const struct impact_solver *solver, const char *why, const char **text)
{
    size_t n = 0;
    if (why)
        text[n++] = arena_printf(record_arena(analysis),
                                 "no motion is applied: %s", why);
    else if (solver->decision.determined == IMPACT_MOTION_UNIQUE)
        text[n++] = "the motion is unique, the impulses are not: a least set "
                    "is given";
    if (impact_sticking_pulls(problem, solver))
        text[n++] = IMPACT_STICKING_PULLS;
    return n;
}

/* Why friction beside points that stick leaves the impact open; NULL: there is
 * none. */
static const char *
rubs_beside(const struct analysis *analysis,
            const struct impact_of_run *problem)
{
    const struct rt *run = analysis->rt;
    for (uint32_t b = 0; b < problem->p.n_body; b++)
        if (rubbing_moves(run, problem->body[b]))
            return "friction of joints beside a contact that sticks leaves "
                   "open how both share it";
    for (uint32_t i = 0; i < problem->p.n_contact; i++)
        if (problem->contact[i] != UINT32_MAX &&
            !impact_sticks(run, problem->contact[i]) &&
            friction_modes_contact(run, problem->contact[i]))
            return "friction beside a contact that sticks leaves open how "
                   "both share it";
    return NULL;
}

int
impact_sticking(struct analysis *analysis, const imp_command *command,
                struct record *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct impact_of_run normals, problem;
    struct impact_solver *solver;
    const char *why, *text[3];
    static const enum imp_option_id refused[] = {IMP_OPT_impact_impulse,
                                                 IMP_OPT_impact_law};
    for (int i = 0; i < 2; i++) {
        const imp_val *own = arg_option(analysis, command, refused[i]);
        if (!own)
            continue;
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0705, own->range,
                     "what a point that sticks takes is not chosen: "
                     "`restitution = sticking` says it");
        diag_help(analysis->ds, diag,
                  "leave it out, or state a number as restitution");
        return IMP_BADMODEL;
    }
    int st = impact_bring_to_touch(analysis, command, IMP_OPT_impact_until,
                                   &normals, &solver);
    if (st || (st = impact_with_sticking(analysis, &normals, false, &problem,
                                         &solver, &why)))
        return st;
    if (!why && (why = rubs_beside(analysis, &problem)))
        impact_solver_refuse(solver, IMPACT_AMBIGUOUS);
    if (!why && (st = impact_audit(analysis, command->range, &problem, solver)))
        return st;
    if (why)
        diag_add(analysis->ds, DIAG_W0722, command->range,
                 "the outcome of this impact is not determined, so no motion "
                 "is applied: %s",
                 why);
    if (impact_sticking_pulls(&problem, solver) &&
        (analysis->rt->im->forbid & IMP_FORBID_NEGATIVE)) {
        struct diag *diag = diag_add(analysis->ds, DIAG_E0719, command->range,
                                     "the world forbids this impact");
        diag_note(analysis->ds, diag, IMP_NOWHERE, "%s", IMPACT_STICKING_PULLS);
        diag_help(analysis->ds, diag,
                  "state a number as restitution, or forbid less");
        return IMP_FAILED;
    }
    size_t n = remarks(analysis, &problem, solver, why, text);
    impact_record(analysis, &problem, solver, why, out);
    SET_TEXT("law", "sticking");
    set_slips(analysis, solver, why, out);
    SET_TEXTS("warnings", text, n);
    return IMP_OK;
}
