/* SPDX-License-Identifier: MIT */
/* What is wrong or not unique about the outcome of an impact, in sentences with
 * amounts, and what the world forbids. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"

/* normal velocities up to this share of the speeds count as zero, as in
 * runtime/impact/impact.c */
#define RESTS 1e-9

/* said of several contacts with unequal restitutions */
static const char *const unequal_remark[] = {
    "",
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) unequal,
#include "abi/laws.def"
};

const char *
impact_fault_text(const struct impact_solver *solver)
{
    assert(solver != NULL);
    switch (solver->decision.fault) {
    case IMPACT_INCONSISTENT:
        return "the law's normal velocities contradict each other: the bodies "
               "and joints cannot take them all (see residual)";
    case IMPACT_AMBIGUOUS:
        return "the impulses until peak compression are not unique, and with "
               "different restitutions the motion depends on how they share";
    case IMPACT_JAMMED:
        return "the bodies are jammed: no impulses >= 0 give the law's "
               "velocities";
    case IMPACT_ENDLESS:
        return "the contacts still approach after 100000 single impacts";
    case IMPACT_UNSETTLED:
        return "the iteration of this law did not settle";
    case IMPACT_NO_STIFFNESS:
        return "lzb asks each contact for its `stiffness` beside the others, "
               "and one of them states none";
    case IMPACT_EXPONENTS:
        return "lzb compares stiffnesses of one `exponent`, and these differ";
    case IMPACT_SOFT:
        return "lzb asks for restitutions of at least 0.01";
    case IMPACT_APPROACHES:
        return "contacts still approach after 1000 impacts under this law";
    default:
        return "nothing was applied";
    }
}

/* The SI unit of a quantity of bodies. Those of systems are their own; records
 * show them. */
static const char *
unit(const struct impact_of_run *problem, const char *si)
{
    return problem->p.row ? "" : si;
}

/* Returns the name of the contact of a point, and the place of the point if the
 * contact has several points. */
static const char *
point_name(struct analysis *analysis, const struct impact_of_run *problem,
           int point)
{
    const struct imp_contact *image_contact =
        rt_contact(analysis->rt, problem->contact[point]);
    const double *p = problem->p.contact[point].p;
    const char *name =
        arena_printf(record_arena(analysis), "`%s`",
                     imp_text(analysis->rt->im, image_contact->name));
    char x[3][NUM_TEXT];
    for (int i = 0; i < (int)problem->p.n_contact; i++)
        if (i != point && problem->contact[i] == problem->contact[point]) {
            for (int d = 0; d < 3; d++)
                num_digits(x[d], p[d] + problem->origin[d], 6);
            return arena_printf(record_arena(analysis), "%s at (%s, %s%s%s)",
                                name, x[0], x[1],
                                analysis->rt->im->dim == 3 ? ", " : "",
                                analysis->rt->im->dim == 3 ? x[2] : "");
        }
    return name;
}

/* sentences that are being collected, up to `most` */
struct sentences {
    struct arena *arena;
    const char **text;
    size_t n, most;
    size_t more; /* sentences beyond those */
};

#define SAY(list, ...)                                                         \
    do {                                                                       \
        if ((list)->n < (list)->most)                                          \
            (list)->text[(list)->n++] =                                        \
                arena_printf((list)->arena, __VA_ARGS__);                      \
        else                                                                   \
            (list)->more++;                                                    \
    } while (0)

/* Speaks of the outcome as a whole. */
static void
say_outcome(struct sentences *list, const struct analysis *analysis,
            const struct impact_of_run *problem,
            const struct impact_solver *solver)
{
    const struct impact_decision *decision = &solver->decision;
    char amount[NUM_TEXT];
    bool equal = true; /* all restitutions are the same */
    for (int c = 0; c < solver->nc; c++)
        equal &= problem->p.contact[c].e == problem->p.contact[0].e;
    if (!decision->applied)
        SAY(list, "no motion is applied under `%s`: %s",
            imp_impact_law_word(decision->law), impact_fault_text(solver));
    else if (decision->fault == IMPACT_INCONSISTENT)
        SAY(list,
            "the law's normal velocities cannot all be had: least squares");
    if (solver->delassus.joint_rank < solver->nr)
        SAY(list,
            "%d of %d constraints of the joints %s redundant: the least "
            "joint impulses are given",
            solver->nr - solver->delassus.joint_rank, solver->nr,
            solver->nr - solver->delassus.joint_rank == 1 ? "is" : "are");
    if (decision->applied && decision->determined == IMPACT_MOTION_UNIQUE)
        SAY(list,
            "the motion is unique, the impulses are not: %s set is given",
            decision->some ? "one" : "a least");
    if (decision->tie && problem->contact[decision->tied[0]] ==
                             problem->contact[decision->tied[1]])
        SAY(list,
            "points of `%s` approach alike and act on each other: the order "
            "of the points decided (other laws take them at once)",
            imp_text(
                analysis->rt->im,
                rt_contact(analysis->rt, problem->contact[decision->tied[0]])
                    ->name));
    else if (decision->tie)
        SAY(list,
            "two contacts approach alike and act on each other: the "
            "order given decided%s",
            problem->p.row ? "" : " (state `priority`)");
    if (*unequal_remark[decision->law] && solver->nc > 1 && !equal)
        SAY(list, "%s", unequal_remark[decision->law]);
    if (decision->applied && solver->balance.gained > 0)
        SAY(list, "the impact raises the energy by %s%s",
            num_digits(amount, solver->balance.gained, 6), unit(problem, " J"));
}

/* Speaks of contact point c; greatest: of all impulses. */
static void
say_point(struct sentences *list, struct analysis *analysis,
          const struct impact_of_run *problem,
          const struct impact_solver *solver, int point, double greatest)
{
    const char *name = point_name(analysis, problem, point);
    uint32_t traits = imp_impact_law_traits(solver->decision.law);
    char amount[NUM_TEXT];
    if (solver->approach.open[point] && !impact_solver_separates(solver, point))
        SAY(list,
            "%s touches, does not approach and would be pulled: it takes "
            "no impulse",
            name);
    else if (solver->approach.open[point])
        SAY(list, "%s separates before the impact, at %s%s%s", name,
            num_digits(amount, solver->velocity.before[point], 6),
            unit(problem, " m/s"),
            traits & IMP_LAW_TRAIT_SEPARATING ? "" : ": it takes no impulse");
    if (solver->decision.applied &&
        solver->impulse.P[point] < -1e-12 * greatest)
        SAY(list, "the impulse at %s is negative (%s%s): it pulls", name,
            num_digits(amount, solver->impulse.P[point], 6),
            unit(problem, " N*s"));
    if (solver->decision.applied && !(traits & IMP_LAW_TRAIT_PARTS) &&
        solver->velocity.after[point] <
            -RESTS * solver->approach.speed * solver->approach.length[point])
        SAY(list, "%s approaches after the impact, at %s%s", name,
            num_digits(amount, solver->velocity.after[point], 6),
            unit(problem, " m/s"));
}

size_t
impact_remarks(struct analysis *analysis, const struct impact_of_run *problem,
               const struct impact_solver *solver, const char **text,
               size_t most)
{
    assert(analysis != NULL && problem != NULL && solver != NULL);
    assert(text != NULL && most > 0);
    struct sentences list = {
        .arena = record_arena(analysis), .text = text, .most = most};
    double greatest = 0;
    for (int c = 0; c < solver->nc; c++)
        greatest = fmax(greatest, fabs(solver->impulse.P[c]));
    say_outcome(&list, analysis, problem, solver);
    for (int c = 0; c < solver->nc; c++)
        say_point(&list, analysis, problem, solver, c, greatest);
    if (list.more)
        text[most - 1] = arena_printf(
            list.arena, "and %zu remarks more on its points", list.more + 1);
    assert(list.n <= most);
    return list.n;
}

uint32_t
impact_forbidden(const struct analysis *analysis,
                 const struct impact_solver *solver)
{
    assert(analysis != NULL && solver != NULL);
    return impact_solver_forbidden(solver, analysis->rt->im->forbid);
}

struct diag *
impact_undetermined(struct analysis *analysis, imp_range where,
                    const struct impact_solver *solver)
{
    assert(analysis != NULL && solver != NULL && !solver->decision.applied);
    struct diag *diag =
        diag_add(analysis->ds, DIAG_W0722, where,
                 "the outcome of this impact is not determined, "
                 "so no motion is applied");
    diag_note(analysis->ds, diag, IMP_NOWHERE, "`%s`: %s",
              imp_impact_law_word(solver->decision.law),
              impact_fault_text(solver));
    diag_help(analysis->ds, diag,
              "choose: `law = complementarity` (impulses never pull), "
              "`law = sequential` (one contact at a time, by `priority`), "
              "`law = least_norm` (least squares); `compare impact` shows them "
              "side by side");
    return diag;
}

void
impact_report_law(struct analysis *analysis, imp_range where, const char *who,
                  const char *time, enum imp_impact_law law)
{
    assert(analysis != NULL && who != NULL && time != NULL);
    const char *word = imp_impact_law_word(law);
    struct diag *diag = diag_add(
        analysis->ds, DIAG_W0746, where,
        "the motion after the impact of %s at t = %s depends on the law of "
        "impacts at several points, and the model names none",
        who, time);
    if (law == IMP_IMPACT_UNDECLARED)
        diag_note(analysis->ds, diag, IMP_NOWHERE,
                  "here and from then on a contact that rests is pushed and "
                  "does not rebound");
    else
        diag_note(analysis->ds, diag, IMP_NOWHERE,
                  "here and from then on `%s` holds for all points at once",
                  word);
    diag_help(analysis->ds, diag,
              "name one: world { law = %s }, sequential, poisson, ...; "
              "`compare impact` shows all side by side",
              law == IMP_IMPACT_UNDECLARED ? "complementarity" : word);
}

int
impact_check(struct analysis *analysis, const imp_command *command,
             const struct impact_of_run *problem,
             const struct impact_solver *solver, const char *const *text,
             size_t n)
{
    assert(analysis != NULL && command != NULL && problem != NULL);
    assert(solver != NULL && (text != NULL || n == 0));
    char gain[NUM_TEXT];
    if (!solver->decision.applied)
        impact_undetermined(analysis, command->range, solver);
    else if (solver->balance.gained > 0 && !analysis->rt->im->gain_allowed)
        diag_add(analysis->ds, DIAG_W0721, command->range,
                 "this impact raises the energy by %s%s under `%s`",
                 num_digits(gain, solver->balance.gained, 6),
                 unit(problem, " J"),
                 imp_impact_law_word(solver->decision.law));
    if (!impact_forbidden(analysis, solver))
        return IMP_OK;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0719, command->range,
                                 "the world forbids this impact");
    for (size_t i = 0; i < n; i++)
        diag_note(analysis->ds, diag, IMP_NOWHERE, "%s", text[i]);
    diag_help(analysis->ds, diag,
              "name another `law`, or forbid less: `forbid` and "
              "`policy = stop` of the world");
    return IMP_FAILED;
}
