/* SPDX-License-Identifier: MIT */
/* The record of `chatter`, as far as it comes from the run (what holds of every
 * run: stability.c). */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "base/num.h"

/* entries of `order` that are kept */
#define ORDER_MOST 1000

static void
set_number(struct record *out, const char *field, double x, const char *absent)
{
    if (absent)
        record_set_absent(out, field, absent);
    else
        record_set_number(out, field, x);
}

static void
set_names(struct analysis *a, const imp_system *s,
          const struct chatter_run *run, struct record *out)
{
    size_t n = run->n_order < ORDER_MOST ? run->n_order : ORDER_MOST, k = 0;
    const char **name = NEW_N(a->rt->arena, const char *, n + s->n_contact + 1);
    for (size_t i = 0; i < n; i++)
        name[i] = chatter_contact(a, s, run->order[i]);
    record_set_texts(out, "order", name, n);
    for (uint32_t i = 0; i < s->n_contact; i++)
        if (run->group[i])
            name[n + k++] = chatter_contact(a, s, (int)i);
    record_set_texts(out, "group", name + n, k);
    k = 0;
    for (uint32_t i = 0; i < s->n_contact; i++)
        if (run->group[i])
            name[n + k++] = gap_source_text(a, s->contact + i);
    record_set_texts(out, "gaps", name + n, k);
}

static void
set_after(struct analysis *a, const imp_system *s,
          const struct chatter_run *run, struct record *out)
{
    char t[NUM_TEXT];
    switch (run->after) {
    case CHATTER_NOTHING:
        record_set_absent(out, "afterwards", "the chatter is not partial");
        return;
    case CHATTER_FREE:
        record_set_text(out, "afterwards", "no contact closes again");
        return;
    case CHATTER_CLOSES:
        record_set_text(out, "afterwards",
                        arena_printf(record_arena(a), "%s closes at t = %s s",
                                     chatter_contact(a, s, run->after_contact),
                                     num_digits(t, run->after_time, 9)));
        return;
    case CHATTER_TOGETHER:
        record_set_text(
            out, "afterwards",
            arena_printf(record_arena(a),
                         "%s closes at t = %s s while others are closed: "
                         "simultaneous impacts, what follows depends on "
                         "their order",
                         chatter_contact(a, s, run->after_contact),
                         num_digits(t, run->after_time, 9)));
        return;
    case CHATTER_LASTS:
        record_set_text(out, "afterwards",
                        arena_printf(record_arena(a), "no limit until t = %s s",
                                     num_digits(t, run->after_time, 9)));
    }
}

/* what the reader should know: a run that theory excludes, sums of orders that
 * do not repeat */
void
chatter_record_warnings(struct analysis *a, const struct chatter_run *run,
                        const struct chatter_theory *says, struct record *out)
{
    const char *w[4];
    size_t n = 0;
    bool complete = run->limit && run->verdict == CHATTER_COMPLETE;
    bool partial = run->verdict == CHATTER_PARTIAL;
    if ((complete && !strcmp(says->stable, "no")) ||
        (partial && !strcmp(says->partially, "no")))
        w[n++] = "the run contradicts `because`: the restitution is near the "
                 "critical one, or rounding has decided";
    if (says->predicted && run->verdict != CHATTER_SIMULTANEOUS &&
        run->verdict != CHATTER_ENDLESS && run->verdict != CHATTER_BELOW &&
        complete != (says->predicted[0] == 'c'))
        w[n++] = "the run contradicts Theorem 3: the velocity at the start is "
                 "near the border, or rounding has decided";
    if (run->limit && run->chatter.error >= 1.0)
        w[n++] = "the flights have not come to one ratio; what remains is "
                 "below the rounding of the time, and ratio and exponent are "
                 "fitted";
    if (run->limit && run->hoped)
        w[n++] = arena_printf(record_arena(a),
                              "no order repeats and nothing accelerates: that "
                              "the impacts never end is concluded from %ld of "
                              "them; a greater `events` follows more",
                              run->impacts);
    record_set_texts(out, "warnings", w, n);
}

/* why a run has no verdict */
static const char *
going_on(struct analysis *a, const struct chatter_run *run)
{
    struct arena *to = record_arena(a);
    char q[NUM_TEXT];
    if (run->trend > 0 && fabs(run->trend_ratio - 1.0) < 1e-9)
        return arena_printf(to,
                            "still going on after %ld impacts: an order of %d "
                            "repeats and takes as long each time, so that it "
                            "accumulates nothing",
                            run->impacts, run->trend);
    if (run->trend > 0)
        return arena_printf(to,
                            "still going on after %ld impacts: an order of %d "
                            "repeats, %s times as long each time; raise "
                            "`events`",
                            run->impacts, run->trend,
                            num_digits(q, run->trend_ratio, 6));
    return arena_printf(
        to, "still going on after %ld impacts%s; raise `events`", run->impacts,
        run->trend == 0 ? ", which repeat no order" : "");
}

void
chatter_record_run(struct analysis *a, const struct chatter_run *run, bool flat,
                   const struct chatter_wanted *w, struct record *out)
{
    static const char *const word[] = {[CHATTER_COMPLETE] = "complete",
                                       [CHATTER_PARTIAL] = "partial",
                                       [CHATTER_INCOMPLETE] = "incomplete",
                                       [CHATTER_SIMULTANEOUS] = "simultaneous"};
    if (run->verdict == CHATTER_MOVING && !(run->after_time < INFINITY))
        record_set_absent(out, "verdict",
                          "no limit before times or speeds are beyond all "
                          "numbers: the flights do not shrink");
    else if (run->verdict == CHATTER_MOVING)
        record_set_absent(out, "verdict",
                          "no limit until the time allowed: raise `until`");
    else if (run->verdict == CHATTER_ENDLESS)
        record_set_absent(out, "verdict", going_on(a, run));
    else if (run->verdict == CHATTER_BELOW)
        record_set_absent(out, "verdict",
                          "not decided: beside the others, the impacts of some "
                          "contacts fall below all numbers before it is known "
                          "whether they end");
    else
        record_set_lasting_text(out, w->verdict, word[run->verdict]);
    record_set_lasting_text(out, w->start, flat ? "nearly flat drop" : "given");
    if (!w->digits)
        return;
    record_set_number(out, "impacts", (double)run->impacts);
    record_set_number(out, "time", run->time);
    set_number(out, "last_impact", run->last,
               isnan(run->last) ? "no impact" : NULL);
}

void
chatter_record_limit(struct analysis *a, const imp_system *s,
                     const struct chatter_run *run, struct record *out)
{
    const char *none = run->limit ? NULL : "no infinite sequence of impacts";
    set_number(out, "remaining", run->chatter.remaining, none);
    set_number(out, "period", run->chatter.period, none);
    set_number(out, "ratio", run->chatter.ratio, none);
    set_number(out, "error", run->chatter.error, none);
    if (none)
        record_set_absent(out, "means", none);
    else
        record_set_text(out, "means", limit_evidence_word(run->chatter.means));
    set_number(out, "depth", run->chatter.depth, none);
    set_number(out, "contraction", run->chatter.contraction,
               none                                 ? none
               : run->chatter.means == LIMIT_BY_MAP ? NULL
                                                    : "no map of a period");
    set_number(out, "speed_ratio", run->speed,
               none               ? none
               : run->speed > 0.0 ? NULL
                                  : "the order never repeats, or is made of "
                                    "limits itself");
    set_number(out, "exponent", run->exponent, none ? none : run->no_exponent);
    set_names(a, s, run, out);
    set_after(a, s, run, out);
}

/* the fields that are for linear systems alone */
void
chatter_record_nonlinear(struct analysis *a, const imp_system *s,
                         struct record *out)
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
        record_set_absent(out, absent[i], "the system is not linear");
    record_set_text(out, "stable", "not known");
    record_set_text(out, "partially_stable", "not known");
    record_set_text(out, "because",
                    "the criteria are for linear systems: a constant mass "
                    "matrix, linear gaps, no acceleration");
    double e = NAN;
    for (uint32_t i = 0; i < s->n_contact; i++) {
        double ei = a->rt->env[rt_contact(a->rt, s->contact + i)->env_contact +
                               IMP_CONTACT_E];
        e = i == 0 || ei == e ? ei : NAN;
    }
    set_number(out, "restitution", e, isnan(e) ? "the contacts differ" : NULL);
    record_set_texts(out, "warnings", NULL, 0);
}
