/* SPDX-License-Identifier: MIT */
/* Inside `chatter`: the question (chatter.c), its record (record.c),
 * the symmetry of the contacts and the flat drop (flat_drop.c), what it says
 * of all runs (stability.c). The run itself: run.h. */
#ifndef IMP_ANALYSIS_CHATTER_CHATTER_PRIV_H
#define IMP_ANALYSIS_CHATTER_CHATTER_PRIV_H

#include "analysis/chatter/run.h"
#include "analysis/command/command.h"
#include "analysis/command/limit_text.h"
#include "analysis/command/policy.h"
#include "runtime/instance/system.h"
#include "runtime/returnmap/symmetry.h"

/* name of contact i of the system */
static inline const char *
chatter_contact(const struct analysis *analysis, const imp_system *system,
                int i)
{
    return imp_text(
        analysis->rt->im,
        rt_contact(analysis->rt, system->contact + (uint32_t)i)->name);
}

/* flat_drop.c: the symmetry of the contacts, also where it does not decide;
 * kept until the system's next one is asked for */
const struct symmetry *chatter_symmetry(struct analysis *analysis,
                                        uint32_t system_id,
                                        const struct ballistic *ballistic);
/* puts the nearly flat drop into the state of a system without a start */
int flat_drop_start(struct analysis *analysis, uint32_t system_id,
                    imp_range where, bool *flat);
/* Would a run with these restitutions (m) start as the last one did, whose
 * set-up differs in no more? And from the flat drop? */
bool flat_drop_starts_again(struct analysis *analysis, uint32_t system_id,
                            const double *e, bool *flat);
/* does start { ... } say nothing that moves the system? */
bool flat_drop_needed(const struct analysis *analysis, uint32_t system_id);
/* nearly flat drop number `draw` > 0 of those that are drawn by the seed;
 * IMP_OK, or a status after a diagnostic */
int flat_drop_drawn(struct analysis *analysis, uint32_t system_id,
                    imp_range where, uint64_t draw);
/* the diagnostic for systems that are no parabolas; IMP_BADMODEL */
int chatter_not_linear(struct analysis *analysis,
                       const struct imp_system *system, imp_range where);
/* the symmetry in words, also why there is none */
const char *chatter_symmetry_text(struct analysis *analysis,
                                  const struct imp_system *system,
                                  const struct symmetry *symmetry);
/* what holds of every run, and Theorem 3 of this one */
struct chatter_theory {
    const char *stable, *partially;
    const char *predicted; /* NULL: nothing */
};
/* Every field of the record that comes from masses and contacts alone, and the
 * verdict that Theorem 3 predicts for the rates u (m) of the gaps at the
 * start. IMP_OK, or IMP_FAILED. */
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
/* what somebody looks at; kept from run to run, as long as it is asked for the
 * same */
struct chatter_wanted {
    const imp_field *schema;
    const bool *wanted;
    bool stability, digits, history, limit, rest;
    size_t verdict, start;    /* their numbers */
    const imp_command *asked; /* whose options are constants, and which */
    struct chatter_options ask;
    /* of the runs to come */
    const struct ballistic *line;
    bool flat;
};

/* -- record.c: the fields of the run; all that w->digits and w->rest
 * ask for are set by both */
void chatter_record_run(struct analysis *analysis,
                        const struct chatter_run *outcome, bool flat,
                        const struct chatter_wanted *wanted,
                        struct record *record);
void chatter_record_limit(struct analysis *analysis, const imp_system *system,
                          const struct chatter_run *outcome,
                          struct record *record);
/* what the reader should know: a run that theory excludes, sums of orders that
 * do not repeat */
void chatter_record_warnings(struct analysis *analysis,
                             const struct chatter_run *outcome,
                             const struct chatter_theory *says,
                             struct record *record);
/* the fields that are for linear systems alone, of another */
void chatter_record_nonlinear(struct analysis *analysis,
                              const imp_system *system, struct record *record);

#endif
