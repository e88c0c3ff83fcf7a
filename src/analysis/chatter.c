/* SPDX-License-Identifier: MIT */
/* `chatter S`: the run of a linear system from its start to the verdict, and
 * what the eigenvalues of its relabelled maps say of every run
 * (spec/chatter.md part 2). Systems whose motion is no parabola have a run
 * until a given time, and no eigenvalues. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter_priv.h"
#include "base/num.h"
#include "runtime/flow.h"

/* entries of `order` that are kept */
#define ORDER_MOST 1000
/* the options */
struct ask {
    enum line_policy policy;
    double until;
    long least, most;
};

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

/* -- the record of the run --------------------------------------------------
 */

/* what somebody looks at; kept from run to run, as long as it is asked for the
 * same */
struct wants {
    const imp_field *schema;
    const bool *wanted;
    bool stability, digits, history, limit, rest;
    size_t verdict, start;    /* their numbers */
    const imp_command *asked; /* whose options are constants, and which */
    struct ask ask;
};

static void
set_number(struct analysis *a, struct rec *out, const char *field, double x,
           const char *absent)
{
    if (absent)
        SET_ABSENT(field, absent);
    else
        SET_NUM(field, x);
}

static void
set_names(struct analysis *a, const imp_system *s,
          const struct chatter_run *run, struct rec *out)
{
    size_t n = run->n_order < ORDER_MOST ? run->n_order : ORDER_MOST, k = 0;
    const char **name = NEW_N(a->rt->arena, const char *, n + s->n_contact + 1);
    for (size_t i = 0; i < n; i++)
        name[i] = chatter_contact(a, s, run->order[i]);
    SET_TEXTS("order", name, n);
    for (uint32_t i = 0; i < s->n_contact; i++)
        if (run->group[i])
            name[n + k++] = chatter_contact(a, s, (int)i);
    SET_TEXTS("group", name + n, k);
    k = 0;
    for (uint32_t i = 0; i < s->n_contact; i++)
        if (run->group[i])
            name[n + k++] = gap_place(a, s->contact + i);
    SET_TEXTS("gaps", name + n, k);
}

static void
set_after(struct analysis *a, const imp_system *s,
          const struct chatter_run *run, struct rec *out)
{
    char t[NUM_TEXT];
    switch (run->after) {
    case CHATTER_NOTHING:
        SET_ABSENT("afterwards", "the chatter is not partial");
        return;
    case CHATTER_FREE:
        SET_TEXT("afterwards", "no contact closes again");
        return;
    case CHATTER_CLOSES:
        SET_TEXT("afterwards",
                 arena_printf(rec_arena(a), "%s closes at t = %s s",
                              chatter_contact(a, s, run->after_contact),
                              num_digits(t, run->after_time, 9)));
        return;
    case CHATTER_TOGETHER:
        SET_TEXT("afterwards",
                 arena_printf(rec_arena(a),
                              "%s closes at t = %s s while others are closed: "
                              "simultaneous impacts, what follows depends on "
                              "their order",
                              chatter_contact(a, s, run->after_contact),
                              num_digits(t, run->after_time, 9)));
        return;
    case CHATTER_LASTS:
        SET_TEXT("afterwards",
                 arena_printf(rec_arena(a), "no limit until t = %s s",
                              num_digits(t, run->after_time, 9)));
    }
}

/* what the reader should know: a run that theory excludes, sums of orders that
 * do not repeat */
static void
set_warnings(struct analysis *a, const struct chatter_run *run,
             const struct chatter_says *says, struct rec *out)
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
        w[n++] = arena_printf(rec_arena(a),
                              "no order repeats and nothing accelerates: that "
                              "the impacts never end is concluded from %ld of "
                              "them; a greater `events` follows more",
                              run->impacts);
    SET_TEXTS("warnings", w, n);
}

/* why a run has no verdict */
static const char *
going_on(struct analysis *a, const struct chatter_run *run)
{
    struct arena *to = rec_arena(a);
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

static void
set_run(struct analysis *a, const struct chatter_run *run, bool flat,
        const struct wants *w, struct rec *out)
{
    static const char *const word[] = {[CHATTER_COMPLETE] = "complete",
                                       [CHATTER_PARTIAL] = "partial",
                                       [CHATTER_INCOMPLETE] = "incomplete",
                                       [CHATTER_SIMULTANEOUS] = "simultaneous"};
    if (run->verdict == CHATTER_MOVING && !(run->after_time < INFINITY))
        SET_ABSENT("verdict", "no limit before times or speeds are beyond all "
                              "numbers: the flights do not shrink");
    else if (run->verdict == CHATTER_MOVING)
        SET_ABSENT("verdict", "no limit until the time allowed: raise `until`");
    else if (run->verdict == CHATTER_ENDLESS)
        SET_ABSENT("verdict", going_on(a, run));
    else if (run->verdict == CHATTER_BELOW)
        SET_ABSENT("verdict",
                   "not decided: beside the others, the impacts of some "
                   "contacts fall below all numbers before it is known "
                   "whether they end");
    else
        rec_word(out, w->verdict, word[run->verdict]);
    rec_word(out, w->start, flat ? "nearly flat drop" : "given");
    if (!w->digits)
        return;
    SET_NUM("impacts", (double)run->impacts);
    SET_NUM("time", run->time);
    set_number(a, out, "last_impact", run->last,
               isnan(run->last) ? "no impact" : NULL);
}

static void
set_rest(struct analysis *a, const imp_system *s, const struct chatter_run *run,
         struct rec *out)
{
    const char *none = run->limit ? NULL : "no infinite sequence of impacts";
    set_number(a, out, "remaining", run->chatter.remaining, none);
    set_number(a, out, "period", run->chatter.period, none);
    set_number(a, out, "ratio", run->chatter.ratio, none);
    set_number(a, out, "error", run->chatter.error, none);
    if (none)
        SET_ABSENT("means", none);
    else
        SET_TEXT("means", limit_means(run->chatter.means));
    set_number(a, out, "depth", run->chatter.depth, none);
    set_number(a, out, "contraction", run->chatter.contraction,
               none                             ? none
               : run->chatter.means == LINE_MAP ? NULL
                                                : "no map of a period");
    set_number(a, out, "speed_ratio", run->speed,
               none               ? none
               : run->speed > 0.0 ? NULL
                                  : "the order never repeats, or is made of "
                                    "limits itself");
    set_number(a, out, "exponent", run->exponent,
               none ? none : run->no_exponent);
    set_names(a, s, run, out);
    set_after(a, s, run, out);
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
wants_any(const struct analysis *a, const struct rec *out,
          const char *const *field, size_t n)
{
    size_t i = 0;
    while (i < n && !rec_wants(a->rt->im, out, field[i]))
        i++;
    return i < n;
}

static struct wants *
wants_of(struct analysis *a, const struct rec *out)
{
    struct arena *arena;
    struct wants *w = rt_keep(a->rt, &wants_key, 0, sizeof *w, &arena);
    if (w->schema == out->schema && w->wanted == out->wanted)
        return w;
    const imp_image *im = a->rt->im;
    *w = (struct wants){.schema = out->schema,
                        .wanted = out->wanted,
                        .verdict = (size_t)rec_index(im, out, "verdict"),
                        .start = (size_t)rec_index(im, out, "start")};
#define OF(list) list, sizeof list / sizeof *list
    w->stability = rec_wants_beyond(im, out, OF(of_run));
    w->digits = rec_wants_beyond(im, out, OF(of_verdict));
    w->rest = rec_wants_beyond(im, out, OF(of_end));
    w->history = wants_any(a, out, OF(of_history));
    w->limit = wants_any(a, out, OF(of_limit));
#undef OF
    return w;
}

/* the fields that are for linear systems alone */
static void
set_unknown(struct analysis *a, struct rec *out)
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
        SET_ABSENT(absent[i], "the system is not linear");
    SET_TEXT("stable", "not known");
    SET_TEXT("partially_stable", "not known");
    SET_TEXT("because", "the criteria are for linear systems: a constant mass "
                        "matrix, linear gaps, no acceleration");
}

/* a system whose motion is no parabola */
static int
run_flow(struct analysis *a, uint32_t system, const struct ask *ask,
         struct chatter_run *run, struct rec *out)
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
    int st =
        chatter_flow(a->rt->arena, f, s->contact, ask->until, ask->most, run);
    if (st)
        return st;
    set_unknown(a, out);
    double e = NAN;
    for (uint32_t i = 0; i < s->n_contact; i++) {
        double ei = a->rt->env[rt_contact(a->rt, s->contact + i)->env_contact +
                               IMP_CONTACT_E];
        e = i == 0 || ei == e ? ei : NAN;
    }
    set_number(a, out, "restitution", e,
               isnan(e) ? "the contacts differ" : NULL);
    SET_TEXTS("warnings", NULL, 0);
    return IMP_OK;
}

static void
follow(struct analysis *a, struct line *l, const struct wants *w,
       const struct ask *ask, double accept, struct chatter_run *run)
{
    line_accept(l, accept);
    line_brief(l, !w->limit);
    line_verdict(l, !w->digits);
    (w->history ? chatter_follow : chatter_decide)(a->rt->arena, l, ask->until,
                                                   ask->least, ask->most, run);
}

/* Of more contacts than their gaps have dimensions, gaps that fall far in one
 * period lose their digits, and contacts seem to close together in the end. The
 * limit may be known well enough before. */
static bool
by_rounding(const struct line *l, const struct wants *w,
            const struct chatter_run *run)
{
    return run->verdict == CHATTER_SIMULTANEOUS && w->digits && !l->k.direct &&
           run->impacts > LINE_RESOLVE && !chatter_accelerates(l);
}

/* a system whose motion is a parabola */
static int
run_line(struct analysis *a, uint32_t system, const struct ask *ask,
         const struct wants *w, struct chatter_run *run, struct rec *out)
{
    struct rt *r = a->rt;
    const imp_system *s = rt_system(r, system);
    struct chatter_says says;
    struct flow *f = flow_new(r, system, ask->policy);
    if (!f)
        return IMP_BADMODEL;
    struct line *l = flow_line(f);
    if (w->stability) {
        double *u = NEW_N(r->arena, double, (size_t)l->model.m + 1);
        for (int i = 0; i < l->model.m; i++)
            u[i] = line_rate(l, i, NULL);
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
        follow(a, flow_line(f), w, ask, CHATTER_ACCEPT, &early);
        if (early.verdict != CHATTER_SIMULTANEOUS)
            *run = early;
    }
    if (w->stability)
        set_warnings(a, run, &says, out);
    return IMP_OK;
}

void
chatter_ahead(struct analysis *a, const imp_command *c, const double *e, int n)
{
    uint32_t system = arg_items(a, c)[0].ref;
    const imp_system *s = rt_system(a->rt, system);
    struct arena *arena;
    const struct wants *w = rt_keep(a->rt, &wants_key, 0, sizeof *w, &arena);
    if ((s->flags & IMP_SYSTEMF_LINE) && !w->history) /* impact by impact */
        flow_ahead(a->rt, system, e + s->contact, n,
                   (int)a->rt->im->contacts.n);
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
ask_of(struct analysis *a, const imp_command *c, struct wants *w,
       struct ask *ask)
{
    const imp_opt *o = IMP_ARRAY(a->rt->im, c->opts, imp_opt);
    double resolve, most;
    int st;
    if ((st = arg_number(a, c, IMP_OPT_chatter_resolve, 16.0, &resolve)) ||
        (st = arg_number(a, c, IMP_OPT_chatter_events, 1e5, &most)) ||
        (st = arg_number(a, c, IMP_OPT_chatter_until, INFINITY, &ask->until)))
        return st;
    ask->policy = system_policy(a);
    ask->least = (long)fmin(resolve, 1e9);
    ask->most = (long)fmin(most, 1e9);
    w->ask = *ask;
    w->asked = c;
    for (uint32_t i = 0; i < c->opts.n; i++)
        if (!constant(a, &o[i].val))
            w->asked = NULL;
    return IMP_OK;
}

int
cmd_chatter(struct analysis *a, const imp_command *c, struct rec *out)
{
    const imp_val *arg = arg_items(a, c);
    uint32_t system = arg->ref;
    imp_range where = arg->range;
    const imp_system *s = rt_system(a->rt, system);
    struct wants *w = wants_of(a, out);
    struct chatter_run run;
    struct ask ask = w->ask;
    bool flat;
    int st;
    if (w->asked != c && (st = ask_of(a, c, w, &ask)))
        return st;
    bool line = s->flags & IMP_SYSTEMF_LINE;
    if (!line && !(ask.until < INFINITY))
        return no_until(a, s, where);
    if ((st = chatter_start(a, system, where, &flat)))
        return st;
    st = line ? run_line(a, system, &ask, w, &run, out)
              : run_flow(a, system, &ask, &run, out);
    if (st)
        return st;
    if (run.verdict == CHATTER_JAMMED)
        return flow_jammed(a->rt, s->contact, run.time);
    set_run(a, &run, flat, w, out);
    if (w->rest)
        set_rest(a, s, &run, out);
    return IMP_OK;
}
