/* SPDX-License-Identifier: MIT */
/* What happens at an event of `simulate`: impacts are applied, tangential
 * touches reported, a policy chooses at C00. Whatever is not unique stops the
 * run and says so (I4): impacts that no law decides (impacts.c), C00 without
 * a policy, lasting contact, chatter. Energy that is gained is said with its
 * amount (I2). */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/impact/impact_handler.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"

/* I1: energy of one impact against its law, relative */
#define SIMULATE_CONSERVES 1e-12
/* chatter that came to no limit (accumulation.c) ends the run when a flight is
 * this much shorter than the one with which the decrease began, at a steady
 * ratio */
#define CHATTER_SHORTEST 1e-9
#define CHATTER_STEADY 0.05
/* enforce: doublings of the impulse, then halvings of the bracket */
#define ENFORCE_DOUBLINGS 80
#define ENFORCE_HALVINGS 40
/* touches without impulse at one time and contact */
#define TOUCHES_AT_ONCE 8

static const char *
contact_name(const struct simulation *s, uint32_t c)
{
    return imp_text(s->a->rt->im, rt_contact(s->a->rt, c)->name);
}

void
simulate_remark(struct simulation *s, const char *text)
{
    VEC_PUSH(&s->remarks, arena_strdup(record_arena(s->a), text));
}

void
simulate_log_event(struct simulation *s, uint32_t c, const char *kind,
                   const char *class, double impulse)
{
    VEC_PUSH(&s->ev_time, rt_time(s->a->rt));
    VEC_PUSH(&s->ev_kind, kind);
    VEC_PUSH(&s->ev_class, class);
    VEC_PUSH(&s->ev_contact, contact_name(s, c));
    VEC_PUSH(&s->ev_impulse, impulse);
}

static void
begin_overlap(struct simulation *s, uint32_t c)
{
    struct simulated_contact *k = &s->ct[c];
    k->overlap = true;
    resting_polytopes_drop(s, c);
    k->depth_from = rt_time(s->a->rt);
    k->watch = WATCH_OPEN;
    s->any_overlap = true;
}

/* -- chatter ----------------------------------------------------------------
 */

static int
chatter(struct simulation *s, uint32_t c, double q)
{
    const struct flight_history *f = &s->ct[c].fl;
    char r[NUM_TEXT], t[NUM_TEXT], e[NUM_TEXT];
    double end = f->last + f->f[0] * q / (1.0 - q);
    struct diag *d =
        diag_add(s->a->ds, DIAG_E0712, rt_contact(s->a->rt, c)->range,
                 "chatter at `%s`: after %ld impacts the flights "
                 "shrink by a ratio of %s each",
                 contact_name(s, c), f->impacts, num_digits(r, q, 6));
    diag_note(s->a->ds, d, s->c->range,
              "the impacts pile up at t = %s s; the run has come to %s s",
              num_digits(e, end, 9), num_digits(t, rt_time(s->a->rt), 9));
    diag_help(s->a->ds, d,
              "motion beyond it is not available in this build: use an `until` "
              "before that time");
    return IMP_FAILED;
}

/* have the last flights shrunk, by the same ratio? */
static bool
steady(const struct flight_history *f, double *q)
{
    if (f->n < 3 || !(f->f[0] < f->f[1] && f->f[1] < f->f[2]))
        return false;
    *q = f->f[0] / f->f[1];
    return fabs(*q - f->f[1] / f->f[2]) <= CHATTER_STEADY * *q;
}

int
simulate_count_impact(struct simulation *s, uint32_t c)
{
    struct flight_history *f = &s->ct[c].fl;
    double t = rt_time(s->a->rt), flight = t - f->last;
    f->last = t;
    if (f->impacts++ == 0) {
        f->n = 0;
        f->f[0] = flight;
        f->meet = -INFINITY;
        f->off = INFINITY;
        f->group = 0;
        return IMP_OK;
    }
    f->f[3] = f->f[2];
    f->f[2] = f->f[1];
    f->f[1] = f->f[0];
    f->f[0] = flight;
    if (f->n == 0 || flight >= f->f[1])
        f->first = flight;
    f->n++;
    double q;
    return steady(f, &q) && flight < CHATTER_SHORTEST * f->first
               ? chatter(s, c, q)
               : IMP_OK;
}

/* -- touches that end the run ------------------------------------------------
 */

static int
lasting(struct simulation *s, uint32_t c, const struct verdict *v)
{
    const struct flight_history *f = &s->ct[c].fl;
    double q;
    if (steady(f, &q))
        return chatter(s, c, q);
    char D[NUM_TEXT], t[NUM_TEXT];
    struct diag *d =
        diag_add(s->a->ds, DIAG_E0710, rt_contact(s->a->rt, c)->range,
                 "the bodies of `%s` stay in contact from t = %s "
                 "s on",
                 contact_name(s, c), num_digits(t, rt_time(s->a->rt), 9));
    diag_note(s->a->ds, d, s->c->range,
              "their normal velocity is zero and the gap's second derivative "
              "is %s m/s^2: they are pressed together (C0-)",
              num_digits(D, v->D, 6));
    diag_help(
        s->a->ds, d,
        "they touch at none of the points that can be held: use an `until` "
        "before that time, or let them pass with `through = %s`",
        contact_name(s, c));
    return IMP_FAILED;
}

/* -- impulses ----------------------------------------------------------------
 */

int
simulate_apply_handler(struct simulation *s, uint32_t c, const double *alpha,
                       double *impulse, double *nMn)
{
    double cs[IMP_CS_SIZE];
    int st = impact_handler_compute(s->a, c, alpha, cs);
    if (st)
        return st;
    double error = impact_handler_momentum_error(s->a, c, cs);
    double size = fmax(cs[IMP_CS_E_BEFORE], cs[IMP_CS_E_AFTER]);
    double lost = cs[IMP_CS_E_BEFORE] - cs[IMP_CS_E_AFTER];
    if (!(error <= SIMULATE_CONSERVES) ||
        (!alpha && fabs(lost - cs[IMP_CS_LOSS]) > SIMULATE_CONSERVES * size)) {
        char e[NUM_TEXT], m[NUM_TEXT];
        struct diag *d = diag_add(
            s->a->ds, DIAG_E0714, rt_contact(s->a->rt, c)->range,
            "the impact at `%s` changes the energy by %s "
            "J more than its law and the momentum by %s "
            "(relative)",
            contact_name(s, c), num_digits(e, cs[IMP_CS_LOSS] - lost, 3),
            num_digits(m, error, 3));
        diag_help(s->a->ds, d,
                  "look at the masses and inertias: a body may be "
                  "extremely thin or light");
        return IMP_FAILED;
    }
    impact_handler_apply(s->a, c, cs);
    *impulse = cs[IMP_CS_IMPULSE];
    *nMn = cs[IMP_CS_W];
    s->row_fresh = false;
    return IMP_OK;
}

static int
next_of_one(struct simulation *s, uint32_t c, enum event_watch how,
            double until, struct event *e)
{
    struct rt *r = s->a->rt;
    enum event_watch *w = NEW_N(r->brief, enum event_watch, s->n_contacts);
    struct event *more = NEW_N(r->brief, struct event, s->n_contacts + 1);
    uint32_t n;
    w[c] = how;
    return event_next(r, w, until, NULL, NULL, e, more, &n);
}

/* The policy enforce: the least impulse after which the two bodies, moving
 * freely, do not meet again for as long as they would overlap without it (or
 * until the end of the run). Found by doubling and bisection. */
static int
enforce(struct simulation *s, uint32_t c, const struct verdict *v)
{
    struct analysis *a = s->a;
    struct saved_state here = saved_state_take(a->rt);
    struct event e;
    double now = rt_time(a->rt), one = 1.0, impulse, nMn, cs[IMP_CS_SIZE];
    int st = next_of_one(s, c, WATCH_OPEN, s->until, &e);
    double end = !st && e.kind == EVENT_OPEN ? rt_time(a->rt) : s->until;
    saved_state_restore(a->rt, &here);
    if (st == IMP_STOPPED || (st = impact_handler_compute(a, c, &one, cs)))
        return st;

    /* the overlap is about |j*| T^3/6 deep: start far below that speed */
    double T = fmax(end - now, 1e-300);
    double lo = 0.0, hi = 1e-9 * fabs(v->jerk) * T * T / cs[IMP_CS_W];
    double found = 0.0;
    for (int i = 0; i < ENFORCE_DOUBLINGS + ENFORCE_HALVINGS; i++) {
        double al = found > 0.0 ? lo + (hi - lo) / 2.0 : hi;
        if (found <= 0.0 && i >= ENFORCE_DOUBLINGS)
            break;
        if (found > 0.0 && hi - lo <= 1e-9 * hi)
            break;
        if ((st = impact_handler_compute(a, c, &al, cs)))
            return st;
        impact_handler_apply(a, c, cs);
        st = next_of_one(s, c, WATCH_LEAVE, end, &e);
        saved_state_restore(a->rt, &here);
        if (st)
            return st;
        bool clear = e.kind == EVENT_NONE || e.kind == EVENT_EXCLUDED;
        if (clear) {
            found = hi = al;
        } else {
            lo = al;
            if (found <= 0.0)
                hi = 2.0 * al;
        }
    }
    if (!(found > 0.0)) {
        char m[NUM_TEXT];
        diag_add(a->ds, DIAG_E0716, rt_contact(a->rt, c)->range,
                 "no impulse up to %s N*s keeps the bodies of `%s` apart",
                 num_digits(m, hi, 3), contact_name(s, c));
        return IMP_FAILED;
    }
    if ((st = simulate_apply_handler(s, c, &found, &impulse, &nMn)))
        return st;
    double gain = found * found * nMn / 2.0 + found * v->v;
    char g[NUM_TEXT], al[NUM_TEXT], t[NUM_TEXT];
    diag_add(a->ds, DIAG_W0721, rt_contact(a->rt, c)->range,
             "policy `enforce` at `%s`, t = %s s: an impulse of %s N*s keeps "
             "the bodies apart and adds %s J",
             contact_name(s, c), num_digits(t, now, 9),
             num_digits(al, found, 9), num_digits(g, gain, 9));
    simulate_remark(
        s, arena_printf(a->rt->arena,
                        "enforce at %s: an impulse of %s N*s added %s J",
                        contact_name(s, c), al, g));
    simulate_log_event(s, c, "impact", "C00", impulse);
    s->ct[c].watch = WATCH_LEAVE;
    return simulate_row(s);
}

/* C00 with an overlap ahead: the model's policy, or stop and say why */
static int
paradox(struct simulation *s, uint32_t c, const struct verdict *v)
{
    struct analysis *a = s->a;
    bool through =
        s->ct[c].through || (s->has_policy && s->policy == IMP_POLICY_THROUGH);
    if (through) {
        simulate_log_event(s, c, "overlap begins", "C00", 0.0);
        begin_overlap(s, c);
        return IMP_OK;
    }
    if (s->has_policy && s->policy == IMP_POLICY_ENFORCE && !v->jerk_zero)
        return enforce(s, c, v);
    simulate_log_event(s, c, "stop", "C00", 0.0);
    s->stopped = true;
    char j[NUM_TEXT], t[NUM_TEXT];
    const char *what =
        v->jerk_zero ? "v, D and j* of the gap are zero: higher orders decide"
                     : "free motion leads into overlap, any impulse adds "
                       "energy";
    simulate_remark(s,
                    arena_printf(a->rt->arena,
                                 "stopped at a C00 touch of %s: %s; policies: "
                                 "through, stop, enforce",
                                 contact_name(s, c), what));
    if (s->has_policy)
        return IMP_OK;
    struct diag *d =
        diag_add(a->ds, DIAG_W0720, rt_contact(a->rt, c)->range,
                 "the touch of `%s` at t = %s s is C00: %s", contact_name(s, c),
                 num_digits(t, rt_time(a->rt), 9), what);
    diag_note(a->ds, d, s->c->range,
              "j* = %s m/s^3; the run stops here, as no policy chooses",
              num_digits(j, v->jerk, 9));
    diag_help(a->ds, d,
              "say world { policy = through }, stop or enforce; or let this "
              "contact pass with `through = %s`",
              contact_name(s, c));
    return IMP_OK;
}

/* -- one touch ----------------------------------------------------------------
 */

/* v, D and j* are none: what higher orders say. Bodies that rest in touch, with
 * nothing that presses them together, have no event at all. */
static int
look_ahead(struct simulation *s, uint32_t c, struct verdict *v, bool *rests)
{
    enum event_ahead ahead;
    int st = event_ahead(s->a->rt, c, s->until - rt_time(s->a->rt), &ahead);
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    switch (ahead) {
    case AHEAD_RESTS:
        *rests = true;
        break;
    case AHEAD_RISES:
        v->class = CLASS_0_PLUS;
        break;
    case AHEAD_DRIFTS:
        v->class = CLASS_MINUS;
        break;
    default:
        break;
    }
    return IMP_OK;
}

/* what happens at a touch; rests: nothing at all */
static int
judge(struct simulation *s, uint32_t c, struct verdict *v, bool *rests)
{
    struct touch t = {.contact = c, .length = gap_length(s->a->rt, c)};
    double rate;
    if (rt_contact(s->a->rt, c)->flags & IMP_CONTACTF_CORNERS)
        return polytope_verdict(s, c, v, rests);
    gap_tolerances(s->a->rt, c, &t.gap_tol, &rate);
    int st = touch_read(s->a, &t, 6);
    if (st || (st = touch_agree(s->a, &t)))
        return st;
    touch_verdict(s->a, &t, v);
    return v->class == CLASS_00 && v->jerk_zero && !s->ct[c].through
               ? look_ahead(s, c, v, rests)
               : IMP_OK;
}

/* a touch that comes again without time passing lasts */
static void
rest(struct simulation *s, uint32_t c)
{
    struct simulated_contact *k = &s->ct[c];
    k->touches = rt_time(s->a->rt) == k->touch_time ? k->touches + 1 : 0;
    k->touch_time = rt_time(s->a->rt);
    k->watch = WATCH_LEAVE;
}

static int
touched(struct simulation *s, uint32_t c, const struct verdict *v)
{
    struct simulated_contact *k = &s->ct[c];
    const char *name = touch_class_name[v->class];
    switch (v->class) {
    case CLASS_MINUS:
        if (k->through) {
            simulate_log_event(s, c, "overlap begins", name, 0.0);
            begin_overlap(s, c);
            return IMP_OK;
        }
        /* simulate_impacts has applied it, or has stopped the run */
        return IMP_OK;
    case CLASS_0_MINUS:
        if (k->through) {
            simulate_log_event(s, c, "overlap begins", name, 0.0);
            begin_overlap(s, c);
            return IMP_OK;
        }
        k->pressed = true;
        rest(s, c);
        return v->open                        ? polytope_stop_open_normal(s, c)
               : k->touches > TOUCHES_AT_ONCE ? lasting(s, c, v)
                                              : IMP_OK;
    case CLASS_00:
        if (v->jerk_zero || v->jerk < 0.0)
            return paradox(s, c, v);
        /* overlap before, apart after: only at the start of a run */
        /* fall through */
    case CLASS_0_PLUS:
        rest(s, c);
        if (k->touches > TOUCHES_AT_ONCE)
            return lasting(s, c, v);
        simulate_log_event(s, c, "touch", name, 0.0);
        return IMP_OK;
    default:
        k->watch = WATCH_LEAVE;
        return IMP_OK;
    }
}

/* what stays closed after the event at c[0..n), of the impacts in `done`, and
 * of contacts that touch without being pressed by what has moved them so far */
static int
stay(struct simulation *s, const uint32_t *c, const struct verdict *v,
     uint32_t n, const bool *done, const bool *touches)
{
    uint32_t *all = NEW_N(s->a->rt->brief, uint32_t, 2 * s->n_contacts + n + 1);
    uint32_t k = 0, lost;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        any |= s->ct[c[i]].pressed || persistent_near_held(s->a->rt, c[i]);
        all[k++] = c[i];
    }
    for (uint32_t i = 0; i < s->n_contacts; i++) {
        if (touches[i]) {
            any |= persistent_near_held(s->a->rt, i);
            all[k++] = i;
        }
        if (!done[i])
            continue;
        any |= persistent_near_held(s->a->rt, i) ||
               s->a->rt->env[rt_contact(s->a->rt, i)->env_contact +
                             IMP_CONTACT_E] == 0.0;
        all[k++] = i;
    }
    int st = any ? simulate_persistent_settle(s, all, k, &lost) : IMP_OK;
    for (uint32_t i = 0; i < n && any; i++) {
        if (!st && lost == c[i])
            st = lasting(s, c[i], &v[i]);
        s->ct[c[i]].pressed = false;
    }
    return st;
}

int
simulate_touches(struct simulation *s, const struct event *e,
                 const struct event *more, uint32_t n_more)
{
    struct rt *r = s->a->rt;
    uint32_t n = 0, *c = NEW_N(r->brief, uint32_t, n_more + 1);
    struct verdict *v = NEW_N(r->brief, struct verdict, n_more + 1);
    const char **class = NEW_N(r->brief, const char *, s->n_contacts + 1);
    bool *done = NEW_N(r->brief, bool, s->n_contacts + 1);
    bool *touches = NEW_N(r->brief, bool, s->n_contacts + 1);
    int st = simulate_row(s);
    for (uint32_t i = 0; i <= n_more && !st; i++) {
        const struct event *x = i ? &more[i - 1] : e;
        struct simulated_contact *k = &s->ct[x->contact];
        if (k->overlap) {
            simulate_log_event(s, x->contact, "overlap ends", "", 0.0);
            k->overlap = false;
            k->watch = WATCH_LEAVE;
            continue;
        }
        c[n] = x->contact;
        bool rests = false;
        st = judge(s, x->contact, &v[n], &rests);
        if (!rests)
            n++;
        else if (rt_time(r) == k->touch_time && k->touches > TOUCHES_AT_ONCE)
            return lasting(s, x->contact, &v[n]);
        else
            rest(s, x->contact);
        if (rests)
            touches[x->contact] = true;
    }
    if (st)
        return st;
    uint32_t n_hit = 0, *hit = NEW_N(r->brief, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        class[c[i]] = touch_class_name[v[i].class];
        if (v[i].class == CLASS_MINUS && !s->ct[c[i]].through)
            hit[n_hit++] = c[i];
    }
    if (n_hit && (st = simulate_impacts(s, hit, n_hit, class, done)))
        return st;
    for (uint32_t i = 0; i < n && !st && !s->stopped; i++)
        if (!done[c[i]])
            st = touched(s, c[i], &v[i]);
    if (!st && !s->stopped)
        st = stay(s, c, v, n, done, touches);
    double now = rt_time(r);
    for (uint32_t i = 0; i < s->n_contacts && !st && !s->stopped; i++)
        if (done[i])
            resting_polytopes_enter(s, i);
    for (uint32_t i = 0; i < s->n_contacts && !st && !s->stopped; i++)
        if (done[i] && rt_time(r) == now && s->ct[i].fl.last == now)
            st = simulate_accumulation(s, i);
    return st;
}

int
simulate_start_contacts(struct simulation *s)
{
    struct rt *r = s->a->rt;
    struct event *touching = NEW_N(r->brief, struct event, s->n_contacts + 1);
    uint32_t n = 0, stated = 0;
    for (uint32_t c = 0; c < s->n_contacts; c++) {
        struct simulated_contact *k = &s->ct[c];
        double gap, tol, rate;
        int st;
        if (rt_contact(r, c)->system != IMP_NO_SYSTEM)
            continue; /* a flow follows it */
        if (rt_contact(r, c)->flags & IMP_CONTACTF_STATED) {
            stated++;
            continue;
        }
        k->watch = WATCH_CLOSE;
        if (k->through) {
            st = touch_gap(s->a, c, &gap, NULL);
            if (st)
                return st;
        } else if ((st = event_start_check(r, c, &gap))) {
            gap_tolerances(r, c, &tol, &rate);
            return gap < -tol ? IMP_BADMODEL : st;
        }
        gap_tolerances(r, c, &tol, &rate);
        if (gap < -tol) {
            simulate_log_event(s, c, "overlap begins", "", 0.0);
            begin_overlap(s, c);
        } else if (gap <= tol) {
            touching[n++] = (struct event){EVENT_TANGENT, c, 0.0};
        }
    }
    if (stated)
        simulate_remark(s,
                        "contacts stated by `at` hold at the start only: they "
                        "are not watched");
    return n ? simulate_touches(s, &touching[0], touching + 1, n - 1) : IMP_OK;
}
