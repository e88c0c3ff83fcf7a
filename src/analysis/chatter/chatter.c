/* SPDX-License-Identifier: MIT */
/* `chatter S`: the run of a linear system from its start to the verdict, and
 * what the eigenvalues of its relabelled maps say of every run
 * (spec/chatter.md part 2). Systems whose motion is no parabola have a run
 * until a given time, and no eigenvalues. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/chatter_priv.h"
#include "base/num.h"
#include "runtime/accumulation/accumulation.h"
#include "runtime/flow/flow.h"

int
chatter_not_linear(struct analysis *a, const imp_system *s, imp_range where)
{
    struct diag *d =
        diag_add(a->ds, DIAG_E0732, where,
                 "`%s` is not linear: its mass matrix or its acceleration "
                 "change with the state, or a gap is not linear",
                 imp_text(a->rt->im, s->name));
    diag_note(a->ds, d, s->range, "the system");
    diag_help(
        a->ds, d,
        "chatter %s { until = 10 [s] } follows its run, and a sweep of "
        "that shows where the verdict changes with a param; or, for small "
        "rotations, write sin(phi) as phi",
        imp_text(a->rt->im, s->name));
    return IMP_BADMODEL;
}

static int
no_until(struct analysis *a, const imp_system *s, imp_range where)
{
    struct diag *d =
        diag_add(a->ds, DIAG_E0738, where,
                 "`%s` is not linear, so that the run needs an end",
                 imp_text(a->rt->im, s->name));
    diag_note(a->ds, d, s->range,
              "its mass matrix or its acceleration change with the state, or "
              "a gap is not linear");
    diag_help(a->ds, d,
              "say how far to follow it: chatter %s { until = 10 [s] }; or, "
              "for small rotations, write sin(phi) as phi",
              imp_text(a->rt->im, s->name));
    return IMP_BADMODEL;
}

/* what the run itself tells: a sweep may want no more, and the stability costs
 * many times as much */
static const char *const of_run[] = {
    "verdict",   "start",      "impacts", "time",        "last_impact",
    "remaining", "period",     "ratio",   "speed_ratio", "error",
    "exponent",  "afterwards", "means",   "depth",       "contraction"};

/* of these, what does not change where a limit is taken early */
static const char *const of_verdict[] = {"verdict", "start"};

/* of these, what the history of the run is for, and what a limit is refined
 * for */
static const char *const of_history[] = {"period",   "ratio", "speed_ratio",
                                         "exponent", "order", "contraction"};
static const char *const of_limit[] = {"ratio", "speed_ratio", "exponent",
                                       "contraction"};
/* of these, what is known without a look at the limit */
static const char *const of_end[] = {"verdict", "start", "impacts", "time",
                                     "last_impact"};

static const char wants_key = 0;

static bool
wants_any(const struct record *out, const char *const *field, size_t n)
{
    size_t i = 0;
    while (i < n && !record_wants(out, field[i]))
        i++;
    return i < n;
}

static struct chatter_wanted *
wants_of(struct analysis *a, const struct record *out)
{
    struct arena *arena;
    struct chatter_wanted *w = rt_keep(a->rt, &wants_key, 0, sizeof *w, &arena);
    if (w->schema == out->schema && w->wanted == out->wanted)
        return w;
    *w =
        (struct chatter_wanted){.schema = out->schema,
                                .wanted = out->wanted,
                                .verdict = (size_t)record_index(out, "verdict"),
                                .start = (size_t)record_index(out, "start")};
#define OF(list) list, sizeof list / sizeof *list
    w->stability = record_wants_beyond(out, OF(of_run));
    w->digits = record_wants_beyond(out, OF(of_verdict));
    w->rest = record_wants_beyond(out, OF(of_end));
    w->history = wants_any(out, OF(of_history));
    w->limit = wants_any(out, OF(of_limit));
#undef OF
    return w;
}

/* a system whose motion is no parabola */
static int
run_flow(struct analysis *a, uint32_t system, const struct chatter_options *ask,
         struct chatter_run *run, struct record *out)
{
    const imp_system *s = rt_system(a->rt, system);
    struct flow *f = flow_new(a->rt, system, ask->policy);
    if (!f)
        return IMP_BADMODEL;
    *run =
        (struct chatter_run){.m = (int)s->n_contact,
                             .time = rt_time(a->rt),
                             .last = NAN,
                             .no_exponent = "no infinite sequence of impacts"};
    int st = chatter_follow_flow(a->rt->arena, f, s->contact, ask->until,
                                 ask->most, run);
    if (st)
        return st;
    chatter_record_nonlinear(a, s, out);
    return IMP_OK;
}

static void
follow(struct analysis *a, struct ballistic *l, const struct chatter_wanted *w,
       const struct chatter_options *ask, double accept,
       struct chatter_run *run)
{
    accumulation_accept_error(l, accept);
    accumulation_skip_rates(l, !w->limit);
    accumulation_verdict_only(l, !w->digits);
    (w->history ? chatter_follow : chatter_decide)(a->rt->arena, l, ask->until,
                                                   ask->least, ask->most, run);
}

/* Of more contacts than their gaps have dimensions, gaps that fall far in one
 * period lose their digits, and contacts seem to close together in the end. The
 * limit may be known well enough before. */
static bool
by_rounding(const struct ballistic *l, const struct chatter_wanted *w,
            const struct chatter_run *run)
{
    return run->verdict == CHATTER_SIMULTANEOUS && w->digits && !l->k.direct &&
           run->impacts > ACCUMULATION_RESOLVE && !chatter_accelerates(l);
}

/* a system whose motion is a parabola */
static int
run_line(struct analysis *a, uint32_t system, const struct chatter_options *ask,
         const struct chatter_wanted *w, struct chatter_run *run,
         struct record *out)
{
    struct rt *r = a->rt;
    const imp_system *s = rt_system(r, system);
    struct chatter_theory says;
    struct flow *f = flow_new(r, system, ask->policy);
    if (!f)
        return IMP_BADMODEL;
    struct ballistic *l = flow_ballistic(f);
    if (w->stability) {
        double *u = NEW_N(r->arena, double, (size_t)l->model.m + 1);
        for (int i = 0; i < l->model.m; i++)
            u[i] = ballistic_rate(l, i, NULL);
        int st = chatter_stability(a, s, l, chatter_symmetry(a, system, l), u,
                                   out, &says);
        if (st)
            return st;
    }
    /* a verdict alone needs no limit to the last digit */
    follow(a, l, w, ask, w->digits ? 0.0 : CHATTER_ACCEPT, run);
    if (by_rounding(l, w, run)) {
        struct chatter_run early;
        if (!(f = flow_new(r, system, ask->policy)))
            return IMP_BADMODEL;
        follow(a, flow_ballistic(f), w, ask, CHATTER_ACCEPT, &early);
        if (early.verdict != CHATTER_SIMULTANEOUS)
            *run = early;
    }
    if (w->stability)
        chatter_record_warnings(a, run, &says, out);
    return IMP_OK;
}

/* a number that no run changes */
static bool
constant(const struct analysis *a, const imp_val *v)
{
    const imp_image *im = a->rt->im;
    if (v->kind != IMP_VAL_NUM || v->contacts.n || v->slots.n || v->series.n)
        return false;
    const imp_tape *t = IMP_ARRAY(im, im->tapes, imp_tape) + v->tape;
    const imp_instr *in = IMP_ARRAY(im, t->code, imp_instr);
    uint32_t i = 0;
    while (i < t->code.n &&
           (in[i].op == IMP_OP_CONST || in[i].op > IMP_OP_UNKNOWN))
        i++;
    return i == t->code.n;
}

/* the options; kept in w as long as nothing changes them */
static int
ask_of(struct analysis *a, const imp_command *c, struct chatter_wanted *w,
       struct chatter_options *ask)
{
    const imp_opt *o = IMP_ARRAY(a->rt->im, c->opts, imp_opt);
    double resolve, most;
    int st;
    if ((st = arg_number(a, c, IMP_OPT_chatter_resolve, 16.0, &resolve)) ||
        (st = arg_number(a, c, IMP_OPT_chatter_events, 1e5, &most)) ||
        (st = arg_number(a, c, IMP_OPT_chatter_until, INFINITY, &ask->until)))
        return st;
    ask->policy = simultaneous_policy(a);
    ask->least = (long)fmin(resolve, 1e9);
    ask->most = (long)fmin(most, 1e9);
    w->ask = *ask;
    w->asked = c;
    for (uint32_t i = 0; i < c->opts.n; i++)
        if (!constant(a, &o[i].val))
            w->asked = NULL;
    return IMP_OK;
}

static int
cmd_chatter(struct analysis *a, const imp_command *c, struct record *out)
{
    const imp_val *arg = arg_items(a, c);
    uint32_t system = arg->ref;
    imp_range where = arg->range;
    const imp_system *s = rt_system(a->rt, system);
    struct chatter_wanted *w = wants_of(a, out);
    struct chatter_run run;
    struct chatter_options ask = w->ask;
    bool flat;
    int st;
    if (w->asked != c && (st = ask_of(a, c, w, &ask)))
        return st;
    bool line = s->flags & IMP_SYSTEMF_LINE;
    if (!line && !(ask.until < INFINITY))
        return no_until(a, s, where);
    if ((st = flat_drop_start(a, system, where, &flat)))
        return st;
    st = line ? run_line(a, system, &ask, w, &run, out)
              : run_flow(a, system, &ask, &run, out);
    if (st)
        return st;
    if (run.verdict == CHATTER_JAMMED)
        return flow_jammed(a->rt, s->contact, run.time);
    chatter_record_run(a, &run, flat, w, out);
    if (w->rest)
        chatter_record_limit(a, s, &run, out);
    return IMP_OK;
}

/* -- runs to come (analysis_priv.h) -----------------------------------------
 */

static void
batch_prepare(struct analysis *a, const imp_command *c, const double *e, int n,
              bool *told)
{
    uint32_t system = arg_items(a, c)[0].ref;
    const imp_system *s = rt_system(a->rt, system);
    struct arena *arena;
    struct chatter_wanted *w = rt_keep(a->rt, &wants_key, 0, sizeof *w, &arena);
    const struct chatter_options *ask = &w->ask;
    int m = (int)a->rt->im->contacts.n;
    struct chatter_run run;
    memset(told, 0, (size_t)n * sizeof *told);
    if (!(s->flags & IMP_SYSTEMF_LINE) || w->history) /* impact by impact */
        return;
    w->line = flow_batch_ahead(a->rt, system, e + s->contact, n, m);
    bool sure = w->line && w->asked == c && !w->stability && !w->rest &&
                isinf(ask->until) && ask->least >= ACCUMULATION_RESOLVE &&
                ask->most > ACCUMULATION_RESOLVE;
    for (int k = 0; k < n && sure; k++)
        told[k] = flat_drop_starts_again(a, system, e + k * m + s->contact,
                                         &w->flat) &&
                  chatter_batch_verdict(w->line, k, &run);
}

static bool
batch_answer(struct analysis *a, int k, struct record *out)
{
    const struct chatter_wanted *w = wants_of(a, out);
    struct chatter_run run;
    if (!chatter_batch_verdict(w->line, k,
                               &run)) /* another start came between */
        return false;
    chatter_record_run(a, &run, w->flat, w, out);
    return true;
}

const struct command_functions command_chatter = {.run = cmd_chatter,
                                                  .batch_prepare =
                                                      batch_prepare,
                                                  .batch_answer = batch_answer};
