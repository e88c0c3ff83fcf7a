/* SPDX-License-Identifier: MIT */
/* Observers of a system along its flow: variables u that feel the motion and do
 * not act on it. Between events they are followed by the Taylor series of the
 * motion and the variables together, from the flow's own state at the beginning
 * of every step, so that the motion's numbers are the same with and without
 * observers, and those of the variables do not depend on the times at which
 * they are asked for. Steps are of their own length: that of a stiff observer
 * shrinks with its fastest rate (E0734).
 * At impacts the jump tape adds to them. Before a limit of chatter the impacts
 * that the flow has summed up are gone through on a copy of the parabola, until
 * what remains is of the rounding of time; only what is left then acts at the
 * limit, all at once. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_taylor_priv.h"
#include "runtime/instance/compensated.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/polynomial.h"

/* steps of one run; a motion of some 10^3 periods takes 10^4 */
#define OBSERVE_STEPS 1000000L
/* impacts gone through before one limit: restitutions up to 0.9996 come to
 * rounding by then */
#define OBSERVE_IMPACTS 100000L
/* as MOTION_TRUNCATION: terms left out are below the state's rounding */
#define OBSERVE_TRUNCATION 4e-16
/* share of the time within which impacts before a limit are not gone through */
#define LIMIT_NEAR (4.0 * DBL_EPSILON)
/* impacts before a limit behind which jumps that do not shrink are told: by
 * then those that follow the speeds have halved */
#define OBSERVE_ENOUGH 4
/* ... and jumps that are still this share of the greatest where the time to the
 * limit is rounding: those that follow the speeds are far below it by then */
#define OBSERVE_LEFT 1e-6
/* orders before the last that are looked at */
#define OBSERVE_GAP 7
/* rounds in which the size of a variable that begins near 0 is found */
#define OBSERVE_ROUNDS 40
/* what has died away to this is none: subnormal numbers have no series */
#define OBSERVE_NONE 1e-250

struct observe {
    uint32_t n, p;     /* entries of state: of the motion, of the variables */
    double *x, *lo;    /* n + p, at time `at`; low parts */
    double *piece, at; /* n + p rows, from `at` on, for a time h */
    double h;
    bool known;
    double *from, begin; /* x and lo after the last event, and its time */
    double *local, *jump;
    long steps;
    /* before a limit: the motion goes by itself from impact to impact */
    bool alone;
    double limit;
    struct ballistic *probe; /* NULL: not made yet */
    bool more;               /* it has impacts to come, the next at probe->t */
    long impacts;
    double *most, *late; /* p: the greatest jump there; that of the last ones */
    bool told;
};

static double *
env_of(const struct flow *f)
{
    return f->r->env + f->s->env_state;
}

/* -- steps ------------------------------------------------------------------
 */

static int
stiff(struct flow *f)
{
    char t[NUM_TEXT], h[NUM_TEXT];
    struct observe *o = f->observe;
    struct diag *d = diag_add(
        f->r->ds, DIAG_E0734, f->s->range_observer,
        "the observer of `%s` is stiff: %ld steps until t = %s, the last of %s",
        imp_text(f->r->im, f->s->name), OBSERVE_STEPS, num_digits(t, o->at, 9),
        num_digits(h, o->h, 3));
    diag_help(f->r->ds, d,
              "its steps are as short as its fastest rate asks for: make "
              "`until` earlier or the rate lower, or leave out a variable "
              "that only follows the motion");
    return IMP_FAILED;
}

static int
stuck(struct flow *f)
{
    char t[NUM_TEXT];
    struct diag *d = diag_add(
        f->r->ds, DIAG_E0603, f->s->range_observer,
        "the observer of `%s` cannot be continued beyond t = %s",
        imp_text(f->r->im, f->s->name), num_digits(t, f->observe->at, 9));
    diag_help(f->r->ds, d,
              "its time series has no radius of convergence there: a variable "
              "grows without bound, or a formula is not smooth");
    return IMP_FAILED;
}

/* Time for which the last terms of a row stay below the truncation of its size,
 * which is what its first terms make of it by then: right after an impact a
 * variable may be far below what its rate makes of it. */
static double
row_time(const double *c)
{
    double h = INFINITY, was, last = log(OBSERVE_TRUNCATION);
    int round = 0;
    do {
        double size = fabs(c[0]), hk = h;
        if (isfinite(h))
            for (int k = 1; k <= 4; k++, hk *= h)
                size = fmax(size, fabs(c[k]) * hk);
        else
            for (int k = 1; k <= MOTION_STEP_ORDER && size == 0.0; k++)
                size = fabs(c[k]);
        was = h;
        h = INFINITY;
        /* the last two may vanish by symmetry: those before them tell the
         * radius of convergence */
        for (int k = MOTION_STEP_ORDER - OBSERVE_GAP; k <= MOTION_STEP_ORDER;
             k++)
            if (c[k] != 0.0) {
                double root = (log(size) - log(fabs(c[k]))) / k;
                h = fmin(h, exp(root + last / (k < MOTION_STEP_ORDER - 1
                                                   ? MOTION_STEP_ORDER
                                                   : k)));
            }
    } while (fabs(h - was) > 0.05 * h && ++round < OBSERVE_ROUNDS);
    return h;
}

static int
expand(struct flow *f)
{
    struct observe *o = f->observe;
    struct rt *r = f->r;
    double *time = r->env + r->im->layout.time, now = *time;
    *time = o->at;
    memcpy(env_of(f), o->x, (o->n + o->p) * sizeof *o->x);
    int st = motion_series(r, f->s->observer, MOTION_STEP_ORDER, &o->h), branch;
    const imp_block *b =
        IMP_ARRAY(r->im, r->im->blocks, imp_block) + f->s->observer;
    const uint32_t *row = IMP_ARRAY(r->im, b->rows, uint32_t);
    o->h = INFINITY;
    if (st) {
        *time = now;
        return st;
    }
    for (uint32_t j = 0; j < o->n + o->p; j++) {
        double *c = o->piece + j * ROW;
        memcpy(c,
               r->work[f->s->observer] + (size_t)row[j] * IMP_ROW_STRIDE +
                   IMP_ROW_PAD,
               ROW * sizeof *c);
        o->h = fmin(o->h, row_time(c));
    }
    st = switching_end(r, f->s->observer, MOTION_STEP_ORDER, &o->h, &branch);
    *time = now;
    if (st)
        return st;
    o->known = true;
    if (!(o->h > 0.0))
        return stuck(f);
    return ++o->steps > OBSERVE_STEPS ? stiff(f) : IMP_OK;
}

static double
grown(const struct observe *o, uint32_t j, double s)
{
    const double *c = o->piece + j * ROW;
    double d = 0.0;
    for (int k = MOTION_STEP_ORDER; k >= 1; k--)
        d = (d + c[k]) * s;
    return d;
}

static void
move(struct observe *o, double t)
{
    double s = t - o->at;
    for (uint32_t j = 0; j < o->n + o->p; j++) {
        state_add(&o->x[j], &o->lo[j], grown(o, j, s));
        if (j >= o->n && fabs(o->x[j]) < OBSERVE_NONE)
            o->x[j] = o->lo[j] = 0.0;
    }
    o->at = t;
    o->known = false;
}

/* the motion's state at o->at is the flow's */
static void
take_motion(struct flow *f)
{
    struct observe *o = f->observe;
    f->way->at(f, o->at);
    memcpy(o->x, f->q, f->n * sizeof *o->x);
    memcpy(o->x + f->n, f->v, f->n * sizeof *o->x);
    memset(o->lo, 0, o->n * sizeof *o->lo);
}

/* a piece that reaches t */
static int
reach(struct flow *f, double t)
{
    struct observe *o = f->observe;
    for (;;) {
        int st = o->known ? IMP_OK : expand(f);
        if (st || t <= o->at + o->h)
            return st;
        double next = o->at + o->h;
        if (next == o->at)
            return stuck(f);
        move(o, next);
        if (!o->alone)
            take_motion(f);
        if (rt_stopped(f->r))
            return IMP_STOPPED;
    }
}

static int
move_to(struct flow *f, double t)
{
    struct observe *o = f->observe;
    int st = t > o->at ? reach(f, t) : IMP_OK;
    if (!st && t > o->at)
        move(o, t);
    return st;
}

/* -- impacts ----------------------------------------------------------------
 */

/* rates before it in o->x, after it in f->v, place in f->q, at o->at */
static int
jump(struct flow *f)
{
    struct observe *o = f->observe;
    struct rt *r = f->r;
    double *time = r->env + r->im->layout.time, now = *time;
    o->known = false;
    if (f->s->jump == IMP_NO_TAPE)
        return IMP_OK;
    memcpy(o->local, o->x + f->n, f->n * sizeof *o->local);
    memcpy(o->local + f->n, f->v, f->n * sizeof *o->local);
    *time = o->at;
    memcpy(env_of(f), f->q, f->n * sizeof *f->q);
    memcpy(env_of(f) + o->n, o->x + o->n, o->p * sizeof *o->x);
    int st = rt_eval(r, f->s->jump, o->local, o->jump);
    *time = now;
    if (st == IMP_NONFINITE)
        rt_nonfinite(r, f->s->jump, o->local);
    for (uint32_t j = 0; j < o->p && !st; j++) {
        state_add(&o->x[o->n + j], &o->lo[o->n + j], o->jump[j]);
        if (!o->alone)
            continue;
        o->most[j] = fmax(o->most[j], fabs(o->jump[j]));
        o->late[j] = fmax(0.5 * o->late[j], fabs(o->jump[j]));
    }
    return st ? IMP_FAILED : IMP_OK;
}

/* A variable whose jumps do not shrink towards the limit, or shrink so slowly
 * that much is left of them where no time is left, has no value behind it: what
 * is given is that after the impacts that were gone through. Told once. */
static void
tell_endless(struct flow *f, double t)
{
    struct observe *o = f->observe;
    const struct imp_image *im = f->r->im;
    const imp_coordinate *c =
        IMP_ARRAY(im, im->coordinates, imp_coordinate) + f->s->first + f->n;
    bool through = o->probe && t - o->probe->t <= LIMIT_NEAR * fabs(t);
    /* `late` itself forgets no faster than that */
    double kept = ldexp(4.0, -(int)fmin((double)o->impacts, 1e3));
    char at[NUM_TEXT], left[NUM_TEXT];
    for (uint32_t j = 0; j < o->p && !o->told; j++) {
        bool lasts = o->late[j] >= 0.5 * o->most[j];
        bool slow =
            through && o->late[j] > fmax(OBSERVE_LEFT, kept) * o->most[j];
        if (o->impacts < OBSERVE_ENOUGH || !(o->late[j] > 0.0) ||
            !(lasts || slow))
            continue;
        uint32_t env = f->s->env_state + o->n + j, k = 0;
        while (k + 1 < f->s->n_observer && c[k].env != env &&
               c[k].env_rate != env)
            k++;
        struct diag *d = diag_add(
            f->r->ds, DIAG_W0731, c[k].range,
            "what the impacts add to `%s`%s %s towards the limit of chatter at "
            "t = %s",
            imp_text(im, c[k].name), c[k].env == env ? "" : "'",
            lasts ? "does not shrink" : "shrinks more slowly than their speeds",
            num_digits(at, t, 9));
        diag_note(f->r->ds, d, f->s->range_observer,
                  "from there on its value is that of the %ld impacts that "
                  "were gone through, the last of which added %s; the limit "
                  "has infinitely many",
                  o->impacts, num_digits(left, o->late[j], 3));
        diag_help(f->r->ds, d,
                  "let the rule in `jump` fall to 0 with the speeds, or read "
                  "the variable before the limit");
        o->told = true;
    }
}

/* what lies behind an event at o->at, in f->q and f->v, is where it begins */
static void
begin(struct flow *f)
{
    struct observe *o = f->observe;
    memcpy(o->x, f->q, f->n * sizeof *o->x);
    memcpy(o->x + f->n, f->v, f->n * sizeof *o->x);
    memset(o->lo, 0, o->n * sizeof *o->lo);
    o->begin = o->at;
    o->known = false;
    memcpy(o->from, o->x, (o->n + o->p) * sizeof *o->x);
    memcpy(o->from + o->n + o->p, o->lo, (o->n + o->p) * sizeof *o->lo);
}

/* -- before a limit ---------------------------------------------------------
 */

/* the parabola from the last event on, whose impacts are gone through; NULL:
 * there is none */
static int
make_probe(struct flow *f, struct ballistic **out)
{
    struct series_way *w = f->series;
    struct ballistic *l = NULL;
    double most = 0.0;
    int st = IMP_OK;
    *out = NULL;
    if (f->line) {
        l = ballistic_memory(f->r->arena, (int)f->n, (int)f->m);
        ballistic_copy(l, f->line);
    } else {
        double *time = f->r->env + f->r->im->layout.time, now = *time;
        st = series_look(f, w->on);
        *time = now;
        for (uint32_t i = 0; i < f->m; i++)
            f->r->env[rt_contact(f->r, f->s->contact + i)->env_contact +
                      IMP_CONTACT_ACTIVE] = w->on[i];
        if (st)
            return st;
        struct ballistic_model m = flow_model(f);
        for (uint32_t i = 0; i < f->m; i++)
            if (w->on[i] || w->fresh[i])
                most = fmax(most, w->size[i]);
        if (ballistic_new(f->r->arena, &m, &l) ||
            !ballistic_start(l, w->now, w->x, w->x + f->n,
                             SERIES_NOISE * DBL_EPSILON * most))
            return IMP_OK;
        l->policy = f->policy;
    }
    accumulation_resolve(l, OBSERVE_IMPACTS);
    *out = l;
    return IMP_OK;
}

/* the next of the impacts before the limit */
static void
next_impact(struct observe *o)
{
    double near = LIMIT_NEAR * fabs(o->limit);
    o->more = o->more && ++o->impacts < OBSERVE_IMPACTS &&
              o->limit - o->probe->t > near;
    if (!o->more)
        return;
    enum ballistic_event what = ballistic_next(o->probe, o->limit);
    o->more = (what == BALLISTIC_IMPACT || what == BALLISTIC_SEVERAL) &&
              o->probe->t < o->limit;
}

static int
tail_begin(struct flow *f, double limit)
{
    struct observe *o = f->observe;
    o->alone = true;
    o->limit = limit;
    o->impacts = 0;
    memset(o->most, 0, o->p * sizeof *o->most);
    memset(o->late, 0, o->p * sizeof *o->late);
    int st = make_probe(f, &o->probe);
    o->more = o->probe != NULL;
    if (!st)
        next_impact(o);
    return st;
}

/* through the impacts up to t */
static int
tail_to(struct flow *f, double t)
{
    struct observe *o = f->observe;
    while (o->more && o->probe->t <= t) {
        int st = move_to(f, o->probe->t);
        if (st)
            return st;
        ballistic_state(o->probe, f->q, f->v);
        if ((st = jump(f)))
            return st;
        begin(f);
        next_impact(o);
    }
    return reach(f, t);
}

/* -- for flow.c -------------------------------------------------------------
 */

int
flow_observe_new(struct flow *f)
{
    struct arena *a = f->r->arena;
    f->observe = NULL;
    if (f->s->observer == IMP_NO_BLOCK)
        return IMP_OK;
    struct observe *o = f->observe = NEW(a, struct observe);
    size_t all = 2 * (size_t)f->n + f->s->n_observed;
    o->n = 2 * f->n;
    o->p = f->s->n_observed;
    o->x = NEW_N(a, double, all);
    o->lo = NEW_N(a, double, all);
    o->from = NEW_N(a, double, 2 * all);
    o->piece = NEW_N(a, double, all *ROW);
    o->local = NEW_N(a, double, o->n);
    o->jump = NEW_N(a, double, o->p);
    o->most = NEW_N(a, double, o->p);
    o->late = NEW_N(a, double, o->p);
    o->at = rt_time(f->r);
    memcpy(o->x, env_of(f), all * sizeof *o->x);
    f->way->at(f, o->at);
    begin(f);
    return IMP_OK;
}

int
flow_observe_at(struct flow *f, double t)
{
    struct observe *o = f->observe;
    double limit, *u = env_of(f) + o->n;
    int st = IMP_OK;
    if (t < o->at) { /* asked again for an earlier time */
        memcpy(o->x, o->from, (o->n + o->p) * sizeof *o->x);
        memcpy(o->lo, o->from + o->n + o->p, (o->n + o->p) * sizeof *o->lo);
        o->at = o->begin;
        o->known = false;
    }
    if (!o->alone && t > o->at && f->way->limit(f, &limit))
        st = tail_begin(f, limit);
    if (!st)
        st = o->alone ? tail_to(f, t) : reach(f, t);
    double s = fmax(t - o->at, 0.0);
    for (uint32_t j = 0; j < o->p && !st; j++)
        u[j] = o->x[o->n + j] + (o->lo[o->n + j] + grown(o, o->n + j, s));
    return st;
}

int
flow_observe_before(struct flow *f, double t)
{
    struct observe *o = f->observe;
    int st = flow_observe_at(f, t);
    if (st || (st = move_to(f, t)))
        return st;
    if (!o->alone)
        take_motion(f);
    return IMP_OK;
}

int
flow_observe_after(struct flow *f, const struct flow_event *e)
{
    struct observe *o = f->observe;
    bool hit = e->kind == FLOW_IMPACT || e->kind == FLOW_SEVERAL ||
               e->kind == FLOW_CHATTER;
    if (o->alone && e->kind == FLOW_CHATTER)
        tell_endless(f, e->time);
    o->alone = false;
    o->at = e->time;
    f->way->at(f, e->time);
    int st = hit ? jump(f) : IMP_OK;
    if (!st)
        begin(f);
    return st;
}
