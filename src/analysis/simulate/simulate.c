/* SPDX-License-Identifier: MIT */
/* `simulate`: the motion of all bodies from event to event. Between events the
 * motion is free (series, runtime/motion/motion.h); event_next finds the next
 * touch of any contact whatever its multiplicity; event.c says what happens
 * there. Rows are recorded at the times asked for and at events. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/motion/joints.h"
#include "runtime/motion/motion.h"

static int
option_until(struct simulation *s)
{
    int st = arg_number(s->a, s->c, IMP_OPT_simulate_until, NAN, &s->until);
    if (st)
        return st;
    const imp_val *v = arg_option(s->a, s->c, IMP_OPT_simulate_until);
    char t[NUM_TEXT];
    if (!v) {
        struct diag *d = diag_add(s->a->ds, DIAG_E0705, s->c->range,
                                  "`simulate` needs the end of the run");
        diag_help(s->a->ds, d, "write `simulate { until = 1 [s] ... }`");
        return IMP_BADMODEL;
    }
    if (s->until >= 0.0 && isfinite(s->until))
        return IMP_OK;
    diag_add(s->a->ds, DIAG_E0705, v->range,
             "`until` is %s s: the run starts at 0 and goes forward",
             num_shortest(t, s->until));
    return IMP_BADMODEL;
}

static int
option_policy(struct simulation *s)
{
    static const char *const words[] = {"through", "stop", "enforce"};
    static const enum imp_policy policy[] = {
        IMP_POLICY_THROUGH, IMP_POLICY_STOP, IMP_POLICY_ENFORCE};
    const imp_image *im = s->a->rt->im;
    s->has_policy = im->has_policy;
    s->policy = (enum imp_policy)im->policy;
    const imp_val *v = arg_option(s->a, s->c, IMP_OPT_simulate_policy);
    if (!v)
        return IMP_OK;
    const char *w = imp_text(im, v->text);
    for (int i = 0; i < 3; i++)
        if (!strcmp(w, words[i])) {
            s->has_policy = true;
            s->policy = policy[i];
            return IMP_OK;
        }
    const char *near = suggest(w, words, 3);
    struct diag *d =
        diag_add(s->a->ds, DIAG_E0705, v->range, "`%s` is no policy", w);
    if (near)
        diag_help(s->a->ds, d, "did you mean `%s`?", near);
    else
        diag_help(s->a->ds, d, "policies are through, stop and enforce");
    return IMP_BADMODEL;
}

static void
option_through(struct simulation *s)
{
    const imp_val *v = arg_option(s->a, s->c, IMP_OPT_simulate_through);
    if (!v)
        return;
    uint32_t n = v->kind == IMP_VAL_LIST ? v->items.n : 1;
    const imp_val *item = v->kind == IMP_VAL_LIST ? val_items(s->a, v) : v;
    for (uint32_t i = 0; i < n; i++)
        if (item[i].kind == IMP_VAL_CONTACT)
            s->ct[item[i].ref].through = true;
}

static int
too_many(struct simulation *s, double limit)
{
    uint32_t worst = 0;
    for (uint32_t c = 0; c < s->n_contacts; c++)
        if (s->ct[c].fl.impacts > s->ct[worst].fl.impacts)
            worst = c;
    const struct flight_history *f = &s->ct[worst].fl;
    char l[NUM_TEXT], t[NUM_TEXT], q[NUM_TEXT];
    struct diag *d =
        diag_add(s->a->ds, DIAG_E0712, s->c->range,
                 "%s events until t = %s s: the run is given up",
                 num_shortest(l, limit), num_digits(t, rt_time(s->a->rt), 9));
    if (f->n >= 2)
        diag_note(s->a->ds, d, rt_contact(s->a->rt, worst)->range,
                  "most of them here: %ld impacts, the last flights have a "
                  "ratio of %s",
                  f->impacts, num_digits(q, f->f[0] / f->f[1], 6));
    simulate_systems_trend(s, d);
    diag_help(s->a->ds, d,
              "raise the limit with `events = ...`, or use an "
              "earlier `until`");
    return IMP_FAILED;
}

/* from the present time to t, event by event */
/* rounds of the same instant in which nothing is reported: contacts close and
 * part by rounding alone */
#define SIMULATE_IDLE 1000

static int
stuck(struct simulation *s)
{
    char t[NUM_TEXT];
    struct diag *d = diag_add(
        s->a->ds, DIAG_E0712, s->c->range,
        "the run does not get beyond t = %s s: points close there again and "
        "again that need no impulse",
        num_digits(t, rt_time(s->a->rt), 9));
    diag_help(s->a->ds, d,
              "bodies nearly rest there and rounding decides what touches: use "
              "an earlier `until`, or a lower restitution");
    return IMP_FAILED;
}

static int
advance(struct simulation *s, double t, double limit)
{
    struct rt *r = s->a->rt;
    struct event e, *more = NEW_N(r->arena, struct event, s->n_contacts + 1);
    uint32_t n;
    s->target = t;
    double last = -INFINITY;
    size_t told = 0;
    for (long idle = 0; !s->stopped && rt_time(r) < t; idle++) {
        if (rt_time(r) > last || s->ev_time.n > told)
            idle = 0;
        if (idle > SIMULATE_IDLE)
            return stuck(s);
        last = rt_time(r);
        told = s->ev_time.n;
        rt_brief_end(r);
        if (s->planes) {
            int at = simulate_vertex_flights(s, t, limit);
            if (at || rt_time(r) >= t || (double)s->ev_time.n > limit)
                return at || rt_time(r) >= t ? at : too_many(s, limit);
        }
        bool blind = persistent_any(r) || s->n_over;
        for (uint32_t c = 0; c < s->n_contacts; c++) {
            s->watch[c] = simulate_persistent_holds(s, c) || s->is_over[c]
                              ? WATCH_OFF
                              : s->ct[c].watch;
            blind = blind && s->watch[c] == WATCH_OFF;
        }
        double before = rt_time(r), end = t;
        int st = r->im->systems.n ? simulate_systems_peek(s, t, &end) : IMP_OK;
        if (!st)
            st = simulate_persistent_peek(s, end, NULL, &end);
        if (!st && blind && rt_stopped(r))
            st = IMP_STOPPED;
        if (!st && blind) { /* on the series that the peek has made */
            motion_advance(r, end - before, end);
            e.kind = EVENT_NONE;
        } else if (!st) {
            st = event_next(r, s->watch, end, NULL, NULL, &e, more, &n);
        }
        if (rt_time(r) > before)
            s->row_fresh = false;
        if (st)
            return st;
        if (e.kind == EVENT_NONE || e.kind == EVENT_EXCLUDED) {
            /* nothing in the way */
            if (rt_time(r) < end) {
                if ((st = motion_to(r, end)))
                    return st;
                s->row_fresh = false;
            }
            if ((st = simulate_check_penetration(s)))
                return st;
            if ((st = simulate_persistent_apply(s)) ||
                (r->im->systems.n && (st = simulate_systems_apply(s, end))))
                return st;
            if ((double)s->ev_time.n > limit)
                return too_many(s, limit);
            continue;
        }
        if (r->im->systems.n && (st = simulate_systems_at(s, rt_time(r))))
            return st;
        if ((st = simulate_check_penetration(s)) ||
            (st = simulate_touches(s, &e, more, n)))
            return st;
        if ((double)s->ev_time.n > limit)
            return too_many(s, limit);
    }
    return IMP_OK;
}

static int
run(struct simulation *s, double limit)
{
    struct rt *r = s->a->rt;
    int st;
    size_t i = 0;
    if (s->times.n && s->times.v[0] == 0.0) {
        if (s->n_items && (st = simulate_row(s)))
            return st;
        i = 1;
    }
    if ((st = simulate_systems_start(s)))
        return st;
    s->begun = true;
    if ((st = simulate_start_contacts(s)))
        return st;
    simulate_vertex_flights_start(s);
    resting_polytopes_start(s);
    for (; i < s->times.n && !s->stopped; i++) {
        if ((st = advance(s, s->times.v[i], limit)))
            return st;
        if (!s->stopped && s->n_items && (st = simulate_row(s)))
            return st;
    }
    if (!s->stopped && rt_time(r) < s->until)
        return advance(s, s->until, limit);
    return IMP_OK;
}

static void
fill(struct simulation *s, struct record *out, int st, double e0, bool has_e0)
{
    struct analysis *a = s->a;
    struct motion_totals e;
    SET_TEXT("status", st == IMP_STOPPED || s->stopped ? "stopped"
                       : st                            ? "failed"
                                                       : "done");
    SET_NUM("time", rt_time(a->rt));
    SET_NUM("count", (double)s->ev_time.n);
    SET_LIST("event_times", s->ev_time.v, s->ev_time.n);
    SET_TEXTS("event_kinds", s->ev_kind.v, s->ev_kind.n);
    SET_TEXTS("event_classes", s->ev_class.v, s->ev_class.n);
    SET_TEXTS("event_contacts", s->ev_contact.v, s->ev_contact.n);
    SET_LIST("event_impulses", s->ev_impulse.v, s->ev_impulse.n);
    if (s->any_overlap)
        SET_NUM("depth_max", s->depth_max);
    else
        SET_ABSENT("depth_max", "no contact was passed through");
    if (a->rt->joints)
        SET_NUM("joint_error", joints_greatest_error(a->rt));
    else
        SET_ABSENT("joint_error", "no joint holds a moving body");
    if (has_e0)
        SET_NUM("energy_before", e0);
    else
        SET_ABSENT("energy_before", "the energy has no finite value");
    if (!motion_totals(a->rt, &e))
        SET_NUM("energy_after", e.kinetic + e.potential);
    else
        SET_ABSENT("energy_after", "the energy has no finite value");
    simulate_put_limits(s, out);
    if (s->left_out)
        simulate_remark(s,
                        arena_printf(a->rt->arena,
                                     "%zu more remarks on impacts are left out",
                                     s->left_out));
    SET_TEXTS("warnings", s->remarks.v, s->remarks.n);
    simulate_put_rows(s, out);
}

/* A run that an error ended keeps what it has found: the record says by what,
 * and where its state has no energy, nothing is said again. */
static int
ended(struct simulation *s, struct record *out, int st, double e0, bool has_e0)
{
    struct analysis *a = s->a;
    int errors = a->ds->errors;
    st = command_failed(a, st, s->c->range, "simulate");
    const struct diag *why = NULL;
    for (const struct diag *d = a->ds->first; d; d = d->next)
        why = d->severity == DIAG_ERROR ? d : why;
    if (why && (a->ds->errors > errors || a->ds->errors > s->errors))
        simulate_remark(s,
                        arena_printf(a->rt->arena, "ended by %s: %s",
                                     diag_code_name(why->code), why->message));
    struct diags quiet, *ds = a->rt->ds;
    diags_init(&quiet, a->rt->arena, ds->sources);
    a->rt->ds = &quiet;
    fill(s, out, st, e0, has_e0);
    a->rt->ds = ds;
    out->partial = true;
    return st;
}

static int
simulate(struct simulation *s, struct record *out)
{
    struct analysis *a = s->a;
    struct motion_totals e;
    double limit;
    int st;
    if ((st = option_until(s)) || (st = option_policy(s)) ||
        (st = arg_number(a, s->c, IMP_OPT_simulate_events, 100000.0, &limit)) ||
        (st = simulate_read_items(s)) || (st = simulate_read_times(s)))
        return st;
    option_through(s);
    bool has_e0 = !motion_totals(a->rt, &e);
    /* the energies of systems are what they move by */
    st = has_e0 || !a->rt->im->systems.n ? run(s, limit) : IMP_FAILED;
    if (st == IMP_STOPPED)
        simulate_remark(s, "ended by E0717: stopped from outside");
    if (st == IMP_OK || st == IMP_STOPPED)
        fill(s, out, st, e.kinetic + e.potential, has_e0);
    else if (st != IMP_BADMODEL && s->begun)
        st = ended(s, out, st, e.kinetic + e.potential, has_e0);
    return st;
}

static void
sim_free(struct simulation *s)
{
    free(s->t.v);
    free(s->rows.v);
    free(s->times.v);
    free(s->ev_time.v);
    free(s->ev_impulse.v);
    free(s->ev_kind.v);
    free(s->ev_class.v);
    free(s->ev_contact.v);
    free(s->remarks.v);
}

static int
cmd_simulate(struct analysis *a, const imp_command *c, struct record *out)
{
    uint32_t n = a->rt->im->contacts.n;
    struct simulation *s = NEW(a->rt->arena, struct simulation);
    struct oom_guard g;
    *s = (struct simulation){
        .a = a,
        .c = c,
        .n_contacts = n,
        .errors = a->ds->errors,
        .ct = NEW_N(a->rt->arena, struct simulated_contact, n + 1),
        .watch = NEW_N(a->rt->arena, enum event_watch, n + 1),
    };
    if (setjmp(g.env)) {
        oom_leave(&g);
        sim_free(s);
        oom_raise();
    }
    oom_enter(&g);
    int st = simulate(s, out);
    oom_leave(&g);
    sim_free(s);
    return st;
}

const struct command_functions command_simulate = {.run = cmd_simulate};
