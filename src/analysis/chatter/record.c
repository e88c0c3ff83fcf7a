/* SPDX-License-Identifier: MIT */
/* The fields of the record of `chatter` that come from the run. Those that hold
 * for every run of the system are set in stability.c. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "base/num.h"

/* most entries of the field `order` */
#define ORDER_MOST 1000

static const char *const verdict_word[] = {[CHATTER_COMPLETE] = "complete",
                                           [CHATTER_PARTIAL] = "partial",
                                           [CHATTER_INCOMPLETE] = "incomplete",
                                           [CHATTER_SIMULTANEOUS] =
                                               "simultaneous"};
/* Times of starts that differ in the last digits agree to this share. */
#define TIME_AGREES 1e-12

static void
set_number(struct record *record, const char *field, double x,
           const char *absent)
{
    if (absent)
        record_set_absent(record, field, absent);
    else
        record_set_number(record, field, x);
}

static void
set_names(struct analysis *analysis, const imp_system *system,
          const struct chatter_run *outcome, struct record *record)
{
    assert(outcome->order || outcome->n_order == 0);
    size_t n_order =
               outcome->n_order < ORDER_MOST ? outcome->n_order : ORDER_MOST,
           n_group = 0;
    const char **name = NEW_N(analysis->rt->arena, const char *,
                              n_order + system->n_contact + 1);
    for (size_t i = 0; i < n_order; i++)
        name[i] = chatter_contact(analysis, system, outcome->order[i]);
    record_set_texts(record, "order", name, n_order);
    set_number(record, "order_known",
               (double)(outcome->order_known < n_order ? outcome->order_known
                                                       : n_order),
               outcome->order_known == SIZE_MAX
                   ? "not known: the system is not linear"
                   : NULL);
    for (uint32_t i = 0; i < system->n_contact; i++)
        if (outcome->group[i])
            name[n_order + n_group++] =
                chatter_contact(analysis, system, (int)i);
    record_set_texts(record, "group", name + n_order, n_group);
    n_group = 0;
    for (uint32_t i = 0; i < system->n_contact; i++)
        if (outcome->group[i])
            name[n_order + n_group++] =
                gap_source_text(analysis, system->contact + i);
    record_set_texts(record, "gaps", name + n_order, n_group);
}

static void
set_after(struct analysis *analysis, const imp_system *system,
          const struct chatter_run *outcome, struct record *record)
{
    char digits[NUM_TEXT];
    switch (outcome->after) {
    case CHATTER_NOTHING:
        record_set_absent(record, "afterwards", "the chatter is not partial");
        return;
    case CHATTER_FREE:
        record_set_text(record, "afterwards", "no contact closes again");
        return;
    case CHATTER_CLOSES:
        record_set_text(record, "afterwards",
                        arena_printf(record_arena(analysis),
                                     "%s closes at t = %s s",
                                     chatter_contact(analysis, system,
                                                     outcome->after_contact),
                                     rt_told(digits, outcome->after_time, 9)));
        return;
    case CHATTER_TOGETHER:
        record_set_text(
            record, "afterwards",
            arena_printf(
                record_arena(analysis),
                "%s closes at t = %s s while others are closed: "
                "simultaneous impacts, what follows depends on "
                "their order",
                chatter_contact(analysis, system, outcome->after_contact),
                rt_told(digits, outcome->after_time, 9)));
        return;
    case CHATTER_LASTS:
        record_set_text(record, "afterwards",
                        arena_printf(record_arena(analysis),
                                     "no limit until t = %s s",
                                     rt_told(digits, outcome->after_time, 9)));
    }
}

void
chatter_record_warnings(struct analysis *analysis,
                        const struct chatter_run *outcome,
                        const struct chatter_theory *says,
                        struct record *record)
{
    assert(outcome);
    const char *warning[6];
    char digits[NUM_TEXT];
    size_t n_warnings = 0;
    bool complete = outcome->limit && outcome->verdict == CHATTER_COMPLETE;
    bool partial = outcome->verdict == CHATTER_PARTIAL;
    if ((complete && !strcmp(says->stable, "no")) ||
        (partial && !strcmp(says->partially, "no")))
        warning[n_warnings++] =
            "the run contradicts `because`: the restitution is near the "
            "critical one, or rounding has decided";
    if (says->predicted && outcome->verdict != CHATTER_SIMULTANEOUS &&
        outcome->verdict != CHATTER_ENDLESS &&
        outcome->verdict != CHATTER_BELOW &&
        complete != (says->predicted[0] == 'c'))
        warning[n_warnings++] =
            "the run contradicts Theorem 3: the velocity at the start is "
            "near the border, or rounding has decided";
    if (outcome->verdict_open)
        warning[n_warnings++] = arena_printf(
            record_arena(analysis),
            "a start that differs from this one in the last digits has %s: the "
            "digits of the start do not decide",
            outcome->other_verdict <= CHATTER_SIMULTANEOUS
                ? arena_printf(record_arena(analysis), "the verdict \"%s\"",
                               verdict_word[outcome->other_verdict])
                : "no verdict");
    else if (outcome->time_spread > TIME_AGREES * fabs(outcome->time))
        warning[n_warnings++] = arena_printf(
            record_arena(analysis),
            "starts that differ in the last digits have times that differ by "
            "%s s",
            num_digits(digits, outcome->time_spread, 2));
    if (outcome->limit && outcome->accumulation.error >= 1.0)
        warning[n_warnings++] =
            "the flights have not come to one ratio; what remains is "
            "below the rounding of the time, and ratio and exponent are "
            "fitted";
    if (outcome->limit && outcome->limit_unproven)
        warning[n_warnings++] =
            arena_printf(record_arena(analysis),
                         "no order repeats and nothing accelerates: that "
                         "the impacts never end is concluded from %ld of "
                         "them; a greater `events` follows more",
                         outcome->impacts);
    record_set_texts(record, "warnings", warning, n_warnings);
}

/* Returns why a run has no verdict. */
static const char *
going_on(struct analysis *analysis, const struct chatter_run *outcome)
{
    struct arena *to = record_arena(analysis);
    char digits[NUM_TEXT];
    if (outcome->trend > 0 && fabs(outcome->trend_ratio - 1.0) < 1e-9)
        return arena_printf(to,
                            "still going on after %ld impacts: an order of %d "
                            "repeats and takes as long each time, so that it "
                            "accumulates nothing",
                            outcome->impacts, outcome->trend);
    if (outcome->trend > 0)
        return arena_printf(to,
                            "still going on after %ld impacts: an order of %d "
                            "repeats, %s times as long each time; raise "
                            "`events`",
                            outcome->impacts, outcome->trend,
                            num_digits(digits, outcome->trend_ratio, 6));
    return arena_printf(
        to, "still going on after %ld impacts%s; raise `events`",
        outcome->impacts, outcome->trend == 0 ? ", which repeat no order" : "");
}

void
chatter_record_run(struct analysis *analysis, const struct chatter_run *outcome,
                   bool flat, const struct chatter_wanted *wanted,
                   struct record *record)
{
    assert(outcome != NULL && wanted != NULL && record != NULL);
    if (outcome->verdict == CHATTER_MOVING && !(outcome->after_time < INFINITY))
        record_set_absent(record, "verdict",
                          "no limit before times or speeds are beyond all "
                          "numbers: the flights do not shrink");
    else if (outcome->verdict == CHATTER_MOVING)
        record_set_absent(record, "verdict",
                          "no limit until the time allowed: raise `until`");
    else if (outcome->verdict == CHATTER_ENDLESS)
        record_set_absent(record, "verdict", going_on(analysis, outcome));
    else if (outcome->verdict == CHATTER_OPEN)
        record_set_absent(
            record, "verdict",
            arena_printf(record_arena(analysis), "%s", outcome->why));
    else if (outcome->verdict == CHATTER_BELOW)
        record_set_absent(record, "verdict",
                          "not decided: beside the others, the impacts of some "
                          "contacts fall below all numbers before it is known "
                          "whether they end");
    else
        record_set_lasting_text(record, wanted->verdict,
                                verdict_word[outcome->verdict]);
    record_set_lasting_text(record, wanted->start,
                            flat ? "nearly flat drop" : "given");
    if (!wanted->numbers)
        return;
    record_set_number(record, "impacts", (double)outcome->impacts);
    record_set_number(record, "time", outcome->time);
    set_number(record, "last_impact", outcome->last_impact,
               isnan(outcome->last_impact) ? "no impact" : NULL);
}

void
chatter_record_limit(struct analysis *analysis, const imp_system *system,
                     const struct chatter_run *outcome, struct record *record)
{
    assert(outcome);
    static const char open_ratio[] =
        "no order repeats, and limits are among the impacts: how many of "
        "theirs were resolved is a choice";
    static const char *const names[] = {"order", "order_known", "group",
                                        "gaps"};
    const char *none =
        outcome->limit ? NULL : "no infinite sequence of impacts";
    set_number(record, "remaining", outcome->accumulation.remaining, none);
    set_number(record, "period", outcome->accumulation.period, none);
    set_number(record, "ratio", outcome->accumulation.ratio,
               none                                 ? none
               : isnan(outcome->accumulation.ratio) ? open_ratio
                                                    : NULL);
    set_number(record, "ratio_error", outcome->accumulation.ratio_error,
               none                                       ? none
               : isnan(outcome->accumulation.ratio_error) ? open_ratio
                                                          : NULL);
    set_number(record, "error", outcome->accumulation.error, none);
    if (none)
        record_set_absent(record, "means", none);
    else
        record_set_text(record, "means",
                        limit_evidence_word(outcome->accumulation.evidence));
    set_number(record, "depth", outcome->accumulation.depth, none);
    set_number(record, "contraction", outcome->accumulation.contraction,
               none ? none
               : outcome->accumulation.evidence == LIMIT_BY_MAP
                   ? NULL
                   : "no map of a period");
    set_number(record, "speed_ratio", outcome->speed_ratio,
               none ? none
               : outcome->speed_ratio > 0.0
                   ? NULL
                   : "the order never repeats, or is made of "
                     "limits itself");
    set_number(record, "exponent", outcome->exponent,
               none ? none : outcome->no_exponent);
    set_number(record, "exponent_error", outcome->exponent_error,
               none                             ? none
               : outcome->no_exponent           ? outcome->no_exponent
               : isnan(outcome->exponent_error) ? "too few periods to compare"
                                                : NULL);
    if (record_wants_any(record, names, sizeof names / sizeof *names))
        set_names(analysis, system, outcome, record);
    set_after(analysis, system, outcome, record);
}

void
chatter_record_nonlinear(struct analysis *analysis, const imp_system *system,
                         struct record *record)
{
    static const char *const absent[] = {"symmetry",
                                         "rho",
                                         "predicted",
                                         "critical_restitution",
                                         "partial_restitution",
                                         "exponent_regular",
                                         "eigenvalues",
                                         "eigenvalues_im",
                                         "eigenvectors",
                                         "eigenvectors_im",
                                         "pair_eigenvalues",
                                         "pair_eigenvalues_im",
                                         "dominant",
                                         "cones"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        record_set_absent(record, absent[i], "the system is not linear");
    record_set_text(record, "stable", "not known");
    record_set_text(record, "partially_stable", "not known");
    record_set_text(record, "because",
                    "the criteria are for linear systems: a constant mass "
                    "matrix, linear gaps, no acceleration");
    double e = NAN;
    for (uint32_t i = 0; i < system->n_contact; i++) {
        double ei =
            analysis->rt->env[rt_contact(analysis->rt, system->contact + i)
                                  ->env_contact +
                              IMP_CONTACT_E];
        e = i == 0 || ei == e ? ei : NAN;
    }
    set_number(record, "restitution", e,
               isnan(e) ? "the contacts differ" : NULL);
    record_set_texts(record, "warnings", NULL, 0);
}
