/* SPDX-License-Identifier: MIT */
/* Which law of impact holds: the one that the command names, else that of the
 * world, else the one that all contacts of the impact carry. The laws are the
 * rows of abi/laws.def; runtime/impact calculates them. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/laws.h"
#include "abi/status.h"
#include "analysis/impact/impact_priv.h"
#include "base/arena.h"

/* Returns "newton, poisson, ... or rest". */
static const char *
law_list(struct analysis *analysis)
{
    const char *list = imp_impact_law_word(IMP_IMPACT_NEWTON);
    for (uint32_t i = IMP_IMPACT_NEWTON + 1; i < IMP_IMPACT_COUNT; i++)
        list = arena_printf(analysis->rt->arena, "%s%s%s", list,
                            i + 1 < IMP_IMPACT_COUNT ? ", " : " or ",
                            imp_impact_law_word(i));
    return list;
}

const char *
impact_laws_remedy(const struct analysis *analysis, enum imp_impact_law law)
{
    assert(analysis != NULL);
    static const enum imp_impact_law settle[] = {
        IMP_IMPACT_COMPLEMENTARITY, IMP_IMPACT_POISSON, IMP_IMPACT_SEQUENTIAL};
    const char *word[3];
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        if (settle[i] != law)
            word[n++] = imp_impact_law_word(settle[i]);
    return arena_printf(analysis->rt->brief,
                        "state %s law: world { law = %s }%s%s or %s",
                        law == IMP_IMPACT_UNDECLARED ? "a" : "another", word[0],
                        n > 2 ? ", " : "", n > 2 ? word[1] : "", word[n - 1]);
}

int
impact_law_of_command(struct analysis *analysis, const imp_command *command,
                      enum imp_impact_law *law)
{
    assert(analysis != NULL && command != NULL && law != NULL);
    const imp_val *value = arg_option(analysis, command, IMP_OPT_impact_law);
    *law = (enum imp_impact_law)analysis->rt->im->impact_law;
    if (!value)
        return IMP_OK;
    if (value->kind == IMP_VAL_LAW) {
        analysis->rt->own_law = 1 + value->tape;
        *law = IMP_IMPACT_SEQUENTIAL;
        return IMP_OK;
    }
    const char *word = imp_text(analysis->rt->im, value->text);
    for (uint32_t i = IMP_IMPACT_NEWTON; i < IMP_IMPACT_COUNT; i++)
        if (!strcmp(word, imp_impact_law_word(i))) {
            *law = (enum imp_impact_law)i;
            return IMP_OK;
        }
    struct diag *diag = diag_add(analysis->ds, DIAG_E0705, value->range,
                                 "`%s` is no law of impact", word);
    const char *words[IMP_IMPACT_COUNT];
    for (uint32_t i = 0; i < IMP_IMPACT_COUNT; i++)
        words[i] = imp_impact_law_word(i);
    const char *near = suggest(word, words + 1, IMP_IMPACT_COUNT - 1);
    diag_help(analysis->ds, diag, "%s%s%s%s", near ? "did you mean `" : "",
              near ? near : "", near ? "`? " : "", law_list(analysis));
    return IMP_BADMODEL;
}

int
impact_law_of_contacts(struct analysis *analysis, imp_range where,
                       const uint32_t *contact, uint32_t n,
                       enum imp_impact_law *law)
{
    assert(analysis != NULL && contact != NULL && n > 0 && law != NULL);
    assert(*law < IMP_IMPACT_COUNT);
    const imp_contact *first = rt_contact(analysis->rt, contact[0]);
    if (*law != IMP_IMPACT_UNDECLARED)
        return IMP_OK;
    *law = (enum imp_impact_law)(IMP_IMPACT_NEWTON + first->law);
    for (uint32_t i = 1; i < n; i++) {
        const imp_contact *image_contact = rt_contact(analysis->rt, contact[i]);
        if (image_contact->law == first->law)
            continue;
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0723, where,
                     "the contacts of this impact carry different laws");
        const imp_contact *of[] = {first, image_contact};
        for (int j = 0; j < 2; j++)
            diag_note(analysis->ds, diag, of[j]->range_e, "`%s`: %s",
                      imp_text(analysis->rt->im, of[j]->name),
                      imp_impact_law_word(IMP_IMPACT_NEWTON + of[j]->law));
        diag_help(analysis->ds, diag,
                  "one impact has one law: name it, as in `law = %s`, in the "
                  "command or in `world`",
                  imp_impact_law_word(IMP_IMPACT_NEWTON + image_contact->law));
        return IMP_BADMODEL;
    }
    return IMP_OK;
}

/* Normal velocities that differ by less, as a share of the greatest speed, are
 * the same: laws carry 11 digits where contacts depend on each other. */
#define SAME_MOTION 1e-9

bool
impact_depends_on_law(struct impact_solver *solver, enum imp_impact_law law,
                      struct arena *arena)
{
    assert(solver != NULL && solver->decision.applied && arena != NULL);
    static const enum imp_impact_law other[] = {IMP_IMPACT_SEQUENTIAL,
                                                IMP_IMPACT_POISSON};
    size_t size = (size_t)solver->nc * sizeof(double);
    double *after = NEW_N(arena, double, solver->nc),
           least = SAME_MOTION * solver->approach.speed;
    bool differs = false;
    memcpy(after, solver->velocity.after, size);
    for (size_t i = 0; i < sizeof other / sizeof *other && !differs; i++) {
        impact_solver_solve_pushing(solver, other[i]);
        for (int c = 0; c < solver->nc && solver->decision.applied; c++)
            differs |= fabs(solver->velocity.after[c] - after[c]) > least;
    }
    impact_solver_solve_pushing(solver, law);
    assert(!memcmp(after, solver->velocity.after, size));
    return differs;
}
