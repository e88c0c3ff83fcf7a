/* SPDX-License-Identifier: MIT */
/* The command `chatter S`: the run of a linear system from its start to the
 * verdict, and what the eigenvalues of its relabelled maps say about every run
 * (chatter.md part 2). A system whose motion is no parabola is followed
 * until a given time and has no eigenvalues. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "base/num.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow.h"

int
chatter_not_linear(struct analysis *analysis, const imp_system *system,
                   imp_range where)
{
    assert(analysis && system);
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0732, where, "`%s` %s",
        imp_text(analysis->rt->im, system->name),
        system->n_rub ? "has friction: what its impacts do is not linear in "
                        "the velocities"
                      : "is not linear: its mass matrix or its acceleration "
                        "change with the state, or a gap is not linear");
    diag_note(analysis->ds, diag, system->range, "the system");
    if (system->n_rub) {
        diag_help(analysis->ds, diag,
                  "chatter %s { until = 10 [s] } follows its run, and a sweep "
                  "of that shows where the verdict changes with a param",
                  imp_text(analysis->rt->im, system->name));
        return IMP_BADMODEL;
    }
    diag_help(
        analysis->ds, diag,
        "chatter %s { until = 10 [s] } follows its run, and a sweep of "
        "that shows where the verdict changes with a param; or, for small "
        "rotations, write sin(phi) as phi",
        imp_text(analysis->rt->im, system->name));
    return IMP_BADMODEL;
}

static int
no_until(struct analysis *analysis, const imp_system *system, imp_range where)
{
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0738, where,
                 "`%s` %s, so that the run needs an end",
                 imp_text(analysis->rt->im, system->name),
                 system->n_rub ? "has friction" : "is not linear");
    const char *name = imp_text(analysis->rt->im, system->name);
    if (system->n_rub) {
        diag_note(analysis->ds, diag, system->range,
                  "friction goes on when the impacts are over, and may go on "
                  "for ever");
        diag_help(analysis->ds, diag,
                  "say how far to follow it: chatter %s { until = 10 [s] }",
                  name);
        return IMP_BADMODEL;
    }
    diag_note(analysis->ds, diag, system->range,
              "its mass matrix or its acceleration change with the state, or "
              "a gap is not linear");
    diag_help(analysis->ds, diag,
              "say how far to follow it: chatter %s { until = 10 [s] }; or, "
              "for small rotations, write sin(phi) as phi",
              name);
    return IMP_BADMODEL;
}

/* Fields that the run itself gives. A sweep often wants no others; the fields
 * of stability.c cost many times as much. */
static const char *const of_run[] = {
    "verdict",   "start",      "impacts",        "time",        "last_impact",
    "remaining", "period",     "ratio",          "ratio_error", "speed_ratio",
    "error",     "exponent",   "exponent_error", "afterwards",  "means",
    "depth",     "contraction"};

/* of these, the fields that are the same when a limit is taken early */
static const char *const of_verdict[] = {"verdict", "start"};

/* of these, the fields that need the history of the run, and those for which a
 * limit is refined */
static const char *const of_history[] = {
    "period",         "ratio", "ratio_error", "speed_ratio", "exponent",
    "exponent_error", "order", "order_known", "contraction"};
static const char *const of_limit[] = {"ratio",          "ratio_error",
                                       "speed_ratio",    "exponent",
                                       "exponent_error", "contraction"};
/* of these, the fields that are fitted where no order repeats */
static const char *const of_fit[] = {"ratio", "ratio_error", "exponent",
                                     "exponent_error"};
/* of these, the fields that say what depends on the last digits of the start */
static const char *const of_digits[] = {"order_known", "ratio_error"};
/* where the record says in words what its reader should know */
static const char *const of_warnings[] = {"warnings"};
/* of these, the fields that are known without the limit */
static const char *const of_end[] = {"verdict", "start", "impacts", "time",
                                     "last_impact"};

static const char wants_key = 0;

static struct chatter_wanted *
wants_of(struct analysis *analysis, const struct record *out)
{
    struct arena *arena;
    struct chatter_wanted *wanted =
        rt_keep(analysis->rt, &wants_key, 0, sizeof *wanted, &arena);
    if (wanted->schema == out->schema && wanted->wanted == out->wanted)
        return wanted;
    *wanted =
        (struct chatter_wanted){.schema = out->schema,
                                .wanted = out->wanted,
                                .verdict = (size_t)record_index(out, "verdict"),
                                .start = (size_t)record_index(out, "start")};
#define OF(list) list, sizeof list / sizeof *list
    wanted->stability = record_wants_beyond(out, OF(of_run));
    wanted->numbers = record_wants_beyond(out, OF(of_verdict));
    wanted->rest = record_wants_beyond(out, OF(of_end));
    wanted->history = record_wants_any(out, OF(of_history));
    wanted->order = record_wants_any(out, OF(of_digits));
    wanted->exponent = record_wants_any(out, OF(of_fit));
    wanted->limit = record_wants_any(out, OF(of_limit));
    wanted->warnings = record_wants_any(out, OF(of_warnings));
#undef OF
    return wanted;
}

/* Follows a system whose motion is no parabola. */
static int
run_flow(struct analysis *analysis, uint32_t system_id,
         const struct chatter_options *ask, struct chatter_run *outcome,
         struct record *record)
{
    const imp_system *system = rt_system(analysis->rt, system_id);
    struct flow *flow =
        flow_new(analysis->rt, system_id, ask->policy, ask->until);
    if (!flow)
        return IMP_BADMODEL;
    *outcome =
        (struct chatter_run){.m = (int)system->n_contact,
                             .time = rt_time(analysis->rt),
                             .last_impact = NAN,
                             .order_known = SIZE_MAX,
                             .no_exponent = "no infinite sequence of impacts"};
    int st = chatter_follow_flow(analysis->rt->arena, flow, system->contact,
                                 ask->until, ask->most, outcome);
    if (st)
        return st;
    chatter_record_nonlinear(analysis, system, record);
    return IMP_OK;
}

static const char room_key = 0;

static void
follow(struct analysis *analysis, struct ballistic *ballistic,
       const struct chatter_wanted *wanted, const struct chatter_options *ask,
       double accept, struct chatter_run *outcome)
{
    assert(accept >= 0.0);
    accumulation_accept_error(ballistic, accept);
    accumulation_skip_rates(ballistic, !wanted->limit);
    accumulation_verdict_only(ballistic, !wanted->numbers);
    struct arena *arena = analysis->rt->arena, *lasts;
    struct chatter_room *room =
        rt_keep(analysis->rt, &room_key, 0, sizeof *room, &lasts);
    room->arena = lasts;
    if (wanted->history)
        chatter_follow(arena, room, ballistic, ask->until, ask->least,
                       ask->most, outcome);
    else
        chatter_decide(arena, ballistic, ask->until, ask->least, ask->most,
                       outcome);
}

/* Where there are more contacts than dimensions of their gaps, gaps that shrink
 * much in one period lose their digits, and in the end contacts seem to close
 * together. The limit may have been known well enough before that. */
static bool
by_rounding(const struct ballistic *ballistic,
            const struct chatter_wanted *wanted,
            const struct chatter_run *outcome)
{
    return outcome->verdict == CHATTER_SIMULTANEOUS && wanted->numbers &&
           !ballistic->matrices.direct &&
           outcome->impacts > ACCUMULATION_RESOLVE &&
           !chatter_accelerates(ballistic);
}

/* One more run from the present start. False: there is none. */
static bool
again(struct analysis *analysis, uint32_t system_id,
      const struct chatter_options *ask, const struct chatter_wanted *wanted,
      struct chatter_run *outcome)
{
    struct flow *flow =
        flow_new(analysis->rt, system_id, ask->policy, ask->until);
    if (!flow)
        return false;
    follow(analysis, flow_ballistic(flow), wanted, ask, 0.0, outcome);
    return outcome->verdict != CHATTER_STOPPED;
}

/* Where flights do not come to one ratio, the exponent is fitted to more
 * impacts than the time of the limit needs. Limits among them would be followed
 * as far, and lose their digits. */
static void
fit_again(struct analysis *analysis, uint32_t system_id,
          const struct chatter_options *ask,
          const struct chatter_wanted *wanted, struct chatter_run *outcome)
{
    struct chatter_options more = *ask;
    struct chatter_run longer;
    if (!wanted->exponent || !outcome->limit || !outcome->fitted ||
        outcome->accumulation.depth > 1 || outcome->n_order >= CHATTER_FITTED)
        return;
    more.least = CHATTER_FITTED;
    if (more.most < 2 * CHATTER_FITTED ||
        !again(analysis, system_id, &more, wanted, &longer) ||
        longer.verdict != outcome->verdict || !longer.limit ||
        longer.accumulation.depth > 1 || longer.no_exponent ||
        memcmp(longer.group, outcome->group, (size_t)outcome->m) != 0)
        return;
    outcome->exponent = longer.exponent;
    outcome->exponent_error = longer.exponent_error;
    outcome->speed_ratio = longer.speed_ratio;
    outcome->accumulation.period = longer.accumulation.period;
    outcome->accumulation.ratio = longer.accumulation.ratio;
    outcome->accumulation.ratio_error = longer.accumulation.ratio_error;
}

/* How many impacts do two runs have in common? A limit may come a little
 * earlier or later in the same order. */
static size_t
in_common(const struct chatter_run *one, const struct chatter_run *two)
{
    size_t n = one->n_order < two->n_order ? one->n_order : two->n_order, i = 0;
    while (i < n && one->order[i] == two->order[i])
        i++;
    return i == n && one->limit && two->limit ? one->n_order : i;
}

/* Starts whose places and rates differ by so many roundings. */
#define ORDER_ROUNDINGS 8.0
/* in these ways: a factor of all places, and one of all rates, so that what is
 * exactly symmetric stays so */
static const double order_starts[][2] = {{1, 0}, {0, 1}, {-1, 1}};

/* Where the last digits of the start decide which contact is hit next, they
 * decide which pattern the impacts come to, and starts near this one tell some
 * of the ratios that are possible, not all: it counts as unknown. */
static void
forget_ratio(struct chatter_run *outcome)
{
    if (outcome->limit && !outcome->fitted)
        outcome->accumulation.ratio_error = 1.0;
}

/* What of the outcome depends on the last digits of the start: as many impacts
 * as do not, the verdict, the time, the ratio. */
static void
compare_starts(struct analysis *analysis, uint32_t system_id,
               const struct chatter_options *ask,
               const struct chatter_wanted *wanted, struct chatter_run *outcome)
{
    const imp_system *system = rt_system(analysis->rt, system_id);
    size_t n = system->n;
    double *state = analysis->rt->env + system->env_state,
           *start = NEW_N(analysis->rt->arena, double, 2 * n + 1);
    memcpy(start, state, 2 * n * sizeof *start);
    for (size_t k = 0; k < sizeof order_starts / sizeof *order_starts; k++) {
        struct chatter_run twin;
        for (size_t i = 0; i < 2 * n; i++)
            state[i] = start[i] * (1.0 + order_starts[k][i / n] *
                                             ORDER_ROUNDINGS * DBL_EPSILON);
        bool ran = again(analysis, system_id, ask, wanted, &twin);
        memcpy(state, start, 2 * n * sizeof *start);
        if (!ran)
            continue;
        size_t common = in_common(outcome, &twin);
        if (common < outcome->order_known)
            outcome->order_known = common;
        if (common < outcome->n_order)
            forget_ratio(outcome);
        if (twin.verdict != outcome->verdict) {
            outcome->verdict_open = true;
            outcome->other_verdict = twin.verdict;
            if (!wanted->order)
                return;
        }
        outcome->time_spread =
            fmax(outcome->time_spread, fabs(twin.time - outcome->time));
    }
}

/* After fewer impacts than these the last digits of the start decide nothing:
 * eight roundings would have to double with nearly each of them. Of 10 000
 * random starts of two to six feet, of which 650 had another verdict beside
 * them, the shortest of these 650 had 64 impacts or more. */
#define CHAOTIC_IMPACTS 64

/* May the last digits of the start decide the verdict? Without acceleration the
 * flights after an impact are as far from each other as those before. */
static bool
digits_may_decide(const struct analysis *analysis,
                  const struct ballistic *ballistic,
                  const struct chatter_run *outcome)
{
    return !analysis->statistics && chatter_accelerates(ballistic) &&
           outcome->impacts >= CHAOTIC_IMPACTS;
}

/* The same of the verdict alone, for which twins are not followed on. */
static void
compare_verdicts(struct analysis *analysis, uint32_t system_id,
                 const struct chatter_options *ask,
                 const struct chatter_wanted *wanted,
                 struct chatter_run *outcome)
{
    struct chatter_wanted verdict = *wanted;
    verdict.history = verdict.limit = verdict.exponent = false;
    compare_starts(analysis, system_id, ask, &verdict, outcome);
}

/* W0749, where the record keeps no warnings: a sweep of verdicts. */
static void
tell_open(struct analysis *analysis, const imp_system *system, imp_range where,
          const struct chatter_run *outcome)
{
    if (!outcome->verdict_open)
        return;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_W0749, where,
        "the last digits of the start decide the verdict of `%s`: starts that "
        "differ there have another one",
        imp_text(analysis->rt->im, system->name));
    diag_help(analysis->ds, diag,
              "the order of its impacts is chaotic: take the share of starts "
              "with each verdict, not single ones");
}

/* Follows a system whose motion is a parabola. */
static int
run_line(struct analysis *analysis, uint32_t system_id, imp_range where,
         const struct chatter_options *ask, const struct chatter_wanted *wanted,
         struct chatter_run *outcome, struct record *record)
{
    struct rt *run = analysis->rt;
    const imp_system *system = rt_system(run, system_id);
    struct chatter_theory says;
    struct flow *flow = flow_new(run, system_id, ask->policy, ask->until);
    if (!flow)
        return IMP_BADMODEL;
    struct ballistic *ballistic = flow_ballistic(flow);
    if (wanted->stability) {
        double *u = NEW_N(run->arena, double, (size_t)ballistic->model.m + 1);
        for (int i = 0; i < ballistic->model.m; i++)
            u[i] = ballistic_rate(ballistic, i, NULL);
        int st = chatter_stability(
            analysis, system, ballistic,
            chatter_symmetry(analysis, system_id, ballistic), u, record, &says);
        if (st)
            return st;
    }
    /* Where only the verdict is wanted, the limit need not be exact. */
    follow(analysis, ballistic, wanted, ask,
           wanted->numbers ? 0.0 : CHATTER_ACCEPT, outcome);
    if (outcome->verdict == CHATTER_STOPPED)
        return IMP_STOPPED;
    if (by_rounding(ballistic, wanted, outcome)) {
        struct chatter_run early;
        if (!(flow = flow_new(run, system_id, ask->policy, ask->until)))
            return IMP_BADMODEL;
        follow(analysis, flow_ballistic(flow), wanted, ask, CHATTER_ACCEPT,
               &early);
        if (early.verdict != CHATTER_SIMULTANEOUS)
            *outcome = early;
    }
    outcome->order_known = outcome->n_order;
    fit_again(analysis, system_id, ask, wanted, outcome);
    if (wanted->order)
        compare_starts(analysis, system_id, ask, wanted, outcome);
    else if (digits_may_decide(analysis, ballistic, outcome))
        compare_verdicts(analysis, system_id, ask, wanted, outcome);
    if (!wanted->warnings)
        tell_open(analysis, system, where, outcome);
    if (wanted->stability)
        chatter_record_warnings(analysis, outcome, &says, record);
    return IMP_OK;
}

/* Is the value a number that is the same in every run? */
static bool
constant(const struct analysis *analysis, const imp_val *value)
{
    const imp_image *im = analysis->rt->im;
    if (value->kind != IMP_VAL_NUM || value->contacts.n || value->slots.n ||
        value->series.n)
        return false;
    const imp_tape *t = IMP_ARRAY(im, im->tapes, imp_tape) + value->tape;
    const imp_instr *in = IMP_ARRAY(im, t->code, imp_instr);
    uint32_t i = 0;
    while (i < t->code.n &&
           (in[i].op == IMP_OP_CONST || in[i].op > IMP_OP_UNKNOWN))
        i++;
    return i == t->code.n;
}

/* Reads the options. They are kept in `wanted` when they are constants. */
static int
ask_of(struct analysis *analysis, const imp_command *command,
       struct chatter_wanted *wanted, struct chatter_options *ask)
{
    const imp_opt *option = IMP_ARRAY(analysis->rt->im, command->opts, imp_opt);
    double resolve, most;
    int st;
    if ((st = arg_number(analysis, command, IMP_OPT_chatter_resolve, 16.0,
                         &resolve)) ||
        (st = arg_number(analysis, command, IMP_OPT_chatter_events, 1e5,
                         &most)) ||
        (st = arg_number(analysis, command, IMP_OPT_chatter_until, INFINITY,
                         &ask->until)))
        return st;
    ask->policy = chatter_policy(analysis);
    ask->least = (long)ceil(fmin(resolve, 1e9)); /* at least so many */
    ask->most = (long)fmin(most, 1e9);
    wanted->ask = *ask;
    wanted->asked = command;
    for (uint32_t i = 0; i < command->opts.n; i++)
        if (!constant(analysis, &option[i].val))
            wanted->asked = NULL;
    return IMP_OK;
}

static int
cmd_chatter(struct analysis *analysis, const imp_command *command,
            struct record *record)
{
    const imp_val *arg = arg_items(analysis, command);
    uint32_t system_id = arg->ref;
    imp_range where = arg->range;
    const imp_system *system = rt_system(analysis->rt, system_id);
    struct chatter_wanted *wanted = wants_of(analysis, record);
    struct chatter_run outcome;
    struct chatter_options ask = wanted->ask;
    bool flat;
    int st;
    if (wanted->asked != command &&
        (st = ask_of(analysis, command, wanted, &ask)))
        return st;
    bool line = system->flags & IMP_SYSTEMF_LINE;
    if (!line && !(ask.until < INFINITY))
        return no_until(analysis, system, where);
    if ((st = flat_drop_start(analysis, system_id, where, &flat)))
        return st;
    st = line ? run_line(analysis, system_id, where, &ask, wanted, &outcome,
                         record)
              : run_flow(analysis, system_id, &ask, &outcome, record);
    if (st)
        return st;
    if (outcome.verdict == CHATTER_JAMMED)
        return flow_jammed(analysis->rt, system->contact, outcome.time);
    chatter_record_run(analysis, &outcome, flat, wanted, record);
    if (wanted->rest)
        chatter_record_limit(analysis, system, &outcome, record);
    return IMP_OK;
}

/* -- several runs of a sweep at once (struct command_functions) -------------
 */

static void
batch_prepare(struct analysis *analysis, const imp_command *command,
              const double *restitution, int runs, bool *known)
{
    assert(known && runs > 0);
    uint32_t system_id = arg_items(analysis, command)[0].ref;
    const imp_system *system = rt_system(analysis->rt, system_id);
    struct arena *arena;
    struct chatter_wanted *wanted =
        rt_keep(analysis->rt, &wants_key, 0, sizeof *wanted, &arena);
    const struct chatter_options *ask = &wanted->ask;
    int contacts = (int)analysis->rt->im->contacts.n;
    struct chatter_run outcome;
    memset(known, 0, (size_t)runs * sizeof *known);
    if (!(system->flags & IMP_SYSTEMF_LINE) ||
        wanted->history) /* Such runs are followed impact by impact, so nothing
                            can be prepared. */
        return;
    wanted->line = flow_batch_ahead(
        analysis->rt, system_id, restitution + system->contact, runs, contacts);
    bool sure = wanted->line && wanted->asked == command &&
                !wanted->stability && !wanted->rest && isinf(ask->until) &&
                ask->least >= ACCUMULATION_RESOLVE &&
                ask->most > ACCUMULATION_RESOLVE;
    for (int k = 0; k < runs && sure; k++)
        known[k] =
            flat_drop_starts_again(analysis, system_id,
                                   restitution + k * contacts + system->contact,
                                   &wanted->flat) &&
            chatter_batch_verdict(wanted->line, k, &outcome);
}

static bool
batch_answer(struct analysis *analysis, int k, struct record *record)
{
    const struct chatter_wanted *wanted = wants_of(analysis, record);
    struct chatter_run outcome;
    if (!chatter_batch_verdict(wanted->line, k,
                               &outcome)) /* A run from another start has taken
                                             the place of the prepared one. */
        return false;
    chatter_record_run(analysis, &outcome, wanted->flat, wanted, record);
    return true;
}

const struct command_functions command_chatter = {.run = cmd_chatter,
                                                  .batch_prepare =
                                                      batch_prepare,
                                                  .batch_answer = batch_answer};
