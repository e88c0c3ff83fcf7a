/* SPDX-License-Identifier: MIT */
/* What the files of `chatter`, `threshold`, `cone` and `similar` share: the
 * start of a system, its symmetry, what theory says about it, and the record.
 * The run itself: run.h. */
#ifndef IMP_ANALYSIS_CHATTER_CHATTER_PRIV_H
#define IMP_ANALYSIS_CHATTER_CHATTER_PRIV_H

#include "analysis/chatter/run.h"
#include "analysis/command/command.h"
#include "analysis/command/limit_text.h"
#include "analysis/command/policy.h"
#include "runtime/instance/system.h"
#include "runtime/returnmap/symmetry.h"

/* Returns the name of contact i of the system. */
static inline const char *
chatter_contact(const struct analysis *analysis, const imp_system *system,
                int i)
{
    return imp_text(
        analysis->rt->im,
        rt_contact(analysis->rt, system->contact + (uint32_t)i)->name);
}

/* Is in flat_drop.c. Returns the symmetry of the contacts of the system, found
 * or not. It is valid until the symmetry of this system is asked for again. */
const struct symmetry *chatter_symmetry(struct analysis *analysis,
                                        uint32_t system_id,
                                        const struct ballistic *ballistic);
/* Puts the nearly flat drop into the state of a system that states no start;
 * *flat says whether it did. IMP_OK, or a status after a diagnostic. */
int flat_drop_start(struct analysis *analysis, uint32_t system_id,
                    imp_range where, bool *flat);
/* Does a run with these restitutions (one per contact of the system) start as
 * the last one did, when their set-ups differ in nothing else? *flat: is that
 * start the flat drop? */
bool flat_drop_starts_again(struct analysis *analysis, uint32_t system_id,
                            const double *e, bool *flat);
/* Does the model state no start that moves the system, so that it starts with a
 * flat drop? */
bool flat_drop_needed(const struct analysis *analysis, uint32_t system_id);
/* Puts the nearly flat drop number `draw` > 0 of those that the seed draws into
 * the state. IMP_OK, or a status after a diagnostic. */
int flat_drop_drawn(struct analysis *analysis, uint32_t system_id,
                    imp_range where, uint64_t draw);
/* The diagnostic for a system whose motion is no parabola. Returns
 * IMP_BADMODEL. */
int chatter_not_linear(struct analysis *analysis,
                       const struct imp_system *system, imp_range where);
/* The symmetry in words, or why there is none; in the record's memory. */
const char *chatter_symmetry_text(struct analysis *analysis,
                                  const struct imp_system *system,
                                  const struct symmetry *symmetry);
/* what theory says: about every run of the system, and (Theorem 3) about this
 * one */
struct chatter_theory {
    const char *stable, *partially;
    const char *predicted; /* NULL: no theorem applies */
};
/* Is in stability.c. Sets every field of the record that comes from masses and
 * contacts alone, and the verdict that Theorem 3 predicts. `u`: the rates of
 * the m gaps at the start. Returns IMP_OK, or IMP_FAILED after a diagnostic. */
int chatter_stability(struct analysis *analysis,
                      const struct imp_system *system,
                      const struct ballistic *ballistic,
                      const struct symmetry *symmetry, const double *u,
                      struct record *record, struct chatter_theory *says);

/* -- chatter.c: the options */
struct chatter_options {
    enum ballistic_policy policy;
    double until;
    long least, most;
};
/* Which fields of the record are wanted, and what that takes. It is kept from
 * run to run, as long as the same fields of the same command are wanted. */
struct chatter_wanted {
    const imp_field *schema;
    const bool *wanted;
    bool stability, numbers, history, limit, rest, order, exponent;
    bool warnings;         /* of the record; else diagnostics tell the same */
    size_t verdict, start; /* numbers of these fields */
    const imp_command *asked; /* The options, where they are constants of this
                               * command; NULL: they must be read again. */
    struct chatter_options ask;
    /* of the batch that was prepared */
    const struct ballistic *line;
    bool flat;
};

/* -- record.c: set the fields that come from the run. chatter_record_run sets
 * the verdict and, if wanted, numbers of the end; chatter_record_limit what is
 * known about the limit. */
void chatter_record_run(struct analysis *analysis,
                        const struct chatter_run *outcome, bool flat,
                        const struct chatter_wanted *wanted,
                        struct record *record);
void chatter_record_limit(struct analysis *analysis, const imp_system *system,
                          const struct chatter_run *outcome,
                          struct record *record);
/* Says what the reader should know: a run that contradicts theory, a limit that
 * rests on weak evidence. */
void chatter_record_warnings(struct analysis *analysis,
                             const struct chatter_run *outcome,
                             const struct chatter_theory *says,
                             struct record *record);
/* Is for a system that is not linear: the fields that only linear systems have
 * are absent. */
void chatter_record_nonlinear(struct analysis *analysis,
                              const imp_system *system, struct record *record);

#endif
