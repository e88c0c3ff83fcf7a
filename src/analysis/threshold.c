/* SPDX-License-Identifier: MIT */
/* `threshold S over x in [lo, hi]`: where chatter stops bringing a system to
 * rest as one param changes, by the eigenvalues of its relabelled maps and by
 * runs from its start, or from several, side by side (spec/chatter.md 2.2, 2.6,
 * 2.7): of several the most unfavourable decides. Both are
 * sides of a line for every value of x: a grid shows between which values they
 * change, bisection goes on from there. Values are asked for in a run of the
 * model of its own (struct rt), as those of a sweep. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter_priv.h"
#include "analysis/sweep_priv.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow.h"

/* on a side with inconclusive runs the search ends at this share of the
 * interval: each of them costs as many impacts as are allowed */
#define INCONCLUSIVE_SHARE 0.05

/* sides at one value: of the line, or none */
enum side { UNKNOWN = 0, YES = 1, NO = -1, OTHER = 2 };

struct change {
    double lo, hi; /* the nearest values with a side */
    enum side below;
};
struct changes {
    struct change *v;
    size_t n;
    bool yes, no; /* such sides were seen */
};

struct hunt {
    struct analysis *a;
    const imp_command *c;
    const imp_system *s;
    uint32_t system, param;
    double lo, hi, width;
    size_t grid;
    long events;
    enum line_policy policy;
    /* a run of its own */
    struct rt *rt;
    struct arena *arena;
    struct diags ds;
    struct analysis an;
    double *params;
    long starts, worst; /* worst: the one that did not rest last */
    /* what was seen on the way */
    long runs, inconclusive, impacts;
    bool flat, accelerates, symmetric;
    const char *no_symmetry; /* why there was none, the first time */
    int polygon;             /* feet of the polygon it is equivalent to */
    const char *failed;      /* why a value could not be asked for */
    double failed_at;
    int status; /* IMP_STOPPED, or IMP_OK */
};

/* -- one value --------------------------------------------------------------
 */

static bool
fails(struct hunt *h, double x, int st)
{
    if (!st)
        return false;
    if (!h->failed) {
        const char *why = "no answer";
        for (const struct diag *d = h->ds.first; d; d = d->next)
            if (d->severity == DIAG_ERROR)
                why = d->message;
        h->failed = arena_strdup(h->a->rt->arena, why);
        h->failed_at = x;
    }
    return true;
}

/* false: nothing can be asked at x */
static bool
go_to(struct hunt *h, double x)
{
    struct analysis *a = h->a;
    int st = IMP_OK;
    if (rt_stopped(a->rt)) {
        h->status = IMP_STOPPED;
        return false;
    }
    h->params[h->param] = x;
    arena_clear(h->arena);
    diags_init(&h->ds, h->arena, a->ds->sources);
    if (!h->rt) {
        h->rt = rt_new(a->rt->im, a->rt->code, h->params, &h->ds, a->rt->stop);
        st = h->rt ? IMP_OK : IMP_FAILED;
    } else {
        st = rt_restart(h->rt, h->params);
    }
    if (h->rt)
        h->rt->seed = a->rt->seed;
    h->an = (struct analysis){
        .rt = h->rt, .out = a->out, .ds = &h->ds, .recs = a->recs};
    return !fails(h, x, st);
}

static const struct relabel *
symmetry(struct hunt *h, double x, struct line **l)
{
    if (!go_to(h, x) || fails(h, x, flow_matrices(h->rt, h->system, l)))
        return NULL;
    const struct relabel *s = chatter_symmetry(&h->an, h->system, *l);
    h->accelerates |= chatter_accelerates(*l);
    if (s->found != RELABEL_YES) {
        if (!h->no_symmetry)
            h->no_symmetry = arena_strdup(
                h->a->rt->arena, chatter_symmetry_text(&h->an, h->s, s));
        return NULL;
    }
    h->symmetric = true;
    h->polygon = s->polygon ? s->m : 0;
    return s;
}

static enum side
sign(double x)
{
    return x > 0.0 ? YES : x < 0.0 ? NO : UNKNOWN;
}

/* Is the dominant eigenvalue of U R real and positive? For polygons by the
 * restitution where it stops to be, which is a smooth function of rho. */
static enum side
eigenvalue(struct hunt *h, double x)
{
    struct line *l;
    struct eigen e;
    const struct relabel *s = symmetry(h, x, &l);
    if (!s)
        return UNKNOWN;
    if (s->polygon) {
        double critical = relabel_critical(s->m, s->rho);
        return critical > 0.0 ? sign(critical - s->e) : NO;
    }
    size_t r = (size_t)s->rank;
    double *map = NEW_N(h->rt->arena, double, r *r + 1);
    relabel_map(s, s->m > 1 ? 1 : 0, map);
    if (eigen_solve(h->rt->arena, s->rank, map, &e))
        return UNKNOWN;
    struct eigen_cone c = eigen_cone(&e);
    return c.tied ? UNKNOWN : c.dominant == EIGEN_POSITIVE ? YES : NO;
}

/* can two feet of three chatter alone? */
static enum side
pair(struct hunt *h, double x)
{
    struct line *l;
    const struct relabel *s = symmetry(h, x, &l);
    if (!s || !s->polygon || s->m != 3)
        return OTHER;
    double partial = relabel_partial(s->m, s->rho);
    return partial > 0.0 ? sign(partial - s->e) : NO;
}

/* can three feet come to rest in the order 0, 2, 1, 2, ...? */
static enum side
mirrored(struct hunt *h, double x)
{
    struct line *l;
    const struct relabel *s = symmetry(h, x, &l);
    if (!s || !s->polygon || s->m != 3)
        return OTHER;
    double critical = relabel_mirrored(s->rho);
    return critical > 0.0 ? sign(critical - s->e) : NO;
}

/* start number k at x, by draws of the model's own, or else a drawn drop */
static bool
start(struct hunt *h, double x, long k)
{
    bool flat;
    if (!go_to(h, x))
        return false;
    if (h->rt->im->draws.n &&
        fails(h, x, rt_seed(h->rt, h->rt->seed, (uint64_t)k)))
        return false;
    bool drop = k && chatter_unstated(&h->an, h->system);
    if (fails(h, x,
              drop ? chatter_drawn(&h->an, h->system, h->c->range, (uint64_t)k)
                   : chatter_start(&h->an, h->system, h->c->range, &flat)))
        return false;
    h->flat = drop || flat;
    return true;
}

/* one run from start k at x */
static bool
run(struct hunt *h, double x, long k, struct chatter_run *run)
{
    if (!start(h, x, k))
        return false;
    struct flow *f = flow_new(h->rt, h->system, h->policy);
    if (!f)
        return !fails(h, x, IMP_BADMODEL);
    chatter_decide(h->rt->arena, flow_line(f), INFINITY, LINE_RESOLVE,
                   h->events, run);
    h->impacts = run->impacts > h->impacts ? run->impacts : h->impacts;
    return true;
}

static enum chatter_verdict
follow(struct hunt *h, double x, long k)
{
    struct chatter_run r;
    if (!run(h, x, k, &r))
        return CHATTER_ENDLESS;
    h->runs++;
    h->inconclusive += r.verdict != CHATTER_COMPLETE &&
                       r.verdict != CHATTER_PARTIAL &&
                       r.verdict != CHATTER_INCOMPLETE;
    return r.verdict;
}

static enum side
rests(enum chatter_verdict v)
{
    switch (v) {
    case CHATTER_COMPLETE:
    case CHATTER_PARTIAL:
        return YES;
    case CHATTER_INCOMPLETE:
        return NO;
    default:
        return UNKNOWN;
    }
}

/* Do the runs from all starts come to rest? The one that did not do so last is
 * asked first. */
static enum side
simulation(struct hunt *h, double x)
{
    enum side all = YES;
    long first = h->worst;
    for (long i = 0; i < h->starts && !h->status; i++) {
        long k = i == 0 ? first : i - (i <= first);
        enum side s = rests(follow(h, x, k));
        if (s == NO) {
            h->worst = k;
            return NO;
        }
        all = s == UNKNOWN ? UNKNOWN : all;
    }
    return all;
}

/* from any? */
static enum side
any_rests(struct hunt *h, double x)
{
    enum side any = NO;
    for (long k = 0; k < h->starts && !h->status; k++) {
        enum side s = rests(follow(h, x, k));
        if (s == YES)
            return YES;
        any = s == UNKNOWN ? UNKNOWN : any;
    }
    return any;
}

/* of those that come to rest: is one partial? */
static enum side
partial(struct hunt *h, double x)
{
    enum side side = OTHER;
    for (long k = 0; k < h->starts && !h->status; k++) {
        enum chatter_verdict v = follow(h, x, k);
        if (v == CHATTER_PARTIAL)
            return YES;
        if (v == CHATTER_COMPLETE)
            side = side == UNKNOWN ? UNKNOWN : NO;
        else if (rests(v) == UNKNOWN)
            side = UNKNOWN;
    }
    return side;
}

/* -- changes ----------------------------------------------------------------
 */

typedef enum side side_fn(struct hunt *h, double x);

/* the value with side `from` moves from *x towards the one at `end` that has
 * none, until less than `least` lies between them */
static void
approach(struct hunt *h, side_fn *side, enum side from, double *x, double end,
         double least)
{
    while (fabs(end - *x) > least && !h->status) {
        double mid = 0.5 * (*x + end);
        if (mid == *x || mid == end)
            return;
        if (side(h, mid) == from)
            *x = mid;
        else
            end = mid;
    }
}

static void
narrow(struct hunt *h, side_fn *side, double width, struct change *c)
{
    while (c->hi - c->lo > width && !h->status) {
        double mid = 0.5 * (c->lo + c->hi);
        if (mid <= c->lo || mid >= c->hi)
            return;
        enum side s = side(h, mid);
        if (s == c->below) {
            c->lo = mid;
        } else if (s == YES || s == NO) {
            c->hi = mid;
        } else {
            double least = fmax(width, INCONCLUSIVE_SHARE * (c->hi - c->lo));
            enum side above = c->below == YES ? NO : YES;
            approach(h, side, c->below, &c->lo, mid, least);
            approach(h, side, above, &c->hi, mid, least);
            return;
        }
    }
}

static double
grid_value(const struct hunt *h, size_t i)
{
    return i == h->grid
               ? h->hi
               : h->lo + (h->hi - h->lo) * ((double)i / (double)h->grid);
}

static struct changes
find(struct hunt *h, side_fn *side, double width)
{
    struct changes c = {.v = NEW_N(h->a->rt->arena, struct change, h->grid)};
    enum side was = OTHER;
    double from = h->lo;
    for (size_t i = 0; i <= h->grid && !h->status; i++) {
        double x = grid_value(h, i);
        enum side s = side(h, x);
        c.yes |= s == YES;
        c.no |= s == NO;
        if (s == UNKNOWN)
            continue;
        if ((was == YES && s == NO) || (was == NO && s == YES)) {
            struct change *k = &c.v[c.n++];
            *k = (struct change){from, x, was};
            narrow(h, side, width, k);
        }
        was = s;
        from = x;
    }
    return c;
}

static double
middle(const struct change *c)
{
    return c->lo + 0.5 * (c->hi - c->lo);
}

/* the one nearest to x; NULL: there is none */
static const struct change *
nearest(const struct changes *c, const struct change *to)
{
    const struct change *best = c->n ? &c->v[0] : NULL;
    for (size_t i = 1; i < c->n && to; i++)
        if (fabs(middle(&c->v[i]) - middle(to)) <
            fabs(middle(best) - middle(to)))
            best = &c->v[i];
    return best;
}

/* -- the record -------------------------------------------------------------
 */

static void
set_change(struct hunt *h, struct rec *out, const char *value,
           const char *interval, const struct change *c, const char *none)
{
    struct analysis *a = h->a;
    if (!c) {
        SET_ABSENT(value, none);
        if (interval)
            SET_ABSENT(interval, none);
        return;
    }
    SET_NUM(value, middle(c));
    if (interval)
        SET_LIST(interval, ((double[]){c->lo, c->hi}), 2);
}

static void
set_all(struct hunt *h, struct rec *out, const char *field,
        const struct changes *c)
{
    struct analysis *a = h->a;
    double *x = NEW_N(a->rt->arena, double, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        x[i] = middle(&c->v[i]);
    SET_LIST(field, x, c->n);
}

static const char *
no_change(const struct changes *c, const char *yes, const char *no,
          const char *neither)
{
    return c->yes ? yes : c->no ? no : neither;
}

static const char *
because(struct hunt *h)
{
    struct arena *ar = rec_arena(h->a);
    if (h->no_symmetry)
        return arena_printf(ar, "%smasses and contacts have no symmetry: %s",
                            h->symmetric ? "not everywhere in the range: " : "",
                            h->no_symmetry);
    if (h->polygon == 2)
        return "Theorem 2: rest is possible if rho <= (1 - sqrt(e))/(1 + "
               "sqrt(e)), that is, both eigenvalues are real and positive";
    if (h->polygon)
        return arena_printf(
            ar,
            "Conjecture 1 (%d feet): rest is possible if the dominant "
            "eigenvalue is real and positive",
            h->polygon);
    if (h->symmetric)
        return "the dominant eigenvalue alone: Conjecture 1 is about feet of "
               "regular polygons";
    return "the model cannot be asked for in this range";
}

static bool
meet(const struct change *a, const struct change *b)
{
    return a->lo <= b->hi && b->lo <= a->hi;
}

static void
set_warnings(struct hunt *h, const struct changes *e, const struct changes *s,
             const struct change *by_e, const struct change *by_s,
             const struct change *by_m, struct rec *out)
{
    struct analysis *a = h->a;
    const char *w[7];
    size_t n = 0;
    char x[NUM_TEXT];
    if (h->failed)
        w[n++] = arena_printf(rec_arena(a),
                              "nothing is known at %s and maybe "
                              "elsewhere: %s",
                              num_digits(x, h->failed_at, 6), h->failed);
    if (e->n > 1)
        w[n++] = "the eigenvalue changes several times: changes_by_eigenvalue";
    if (s->n > 1)
        w[n++] = "the runs change several times: changes_by_simulation";
    if (by_e && !s->n && s->no && !h->accelerates && h->starts == 1)
        w[n++] = "the eigenvalue changes and the runs do not: two changes may "
                 "lie within one step; a greater `grid` looks closer";
    if (h->symmetric && h->accelerates)
        w[n++] = "by_eigenvalue is about motion without acceleration; the runs "
                 "have one";
    bool plain = !(h->symmetric && h->accelerates);
    if (by_m && by_s && plain && meet(by_m, by_s))
        w[n++] = "the runs come to rest in the order 0, 2, 1, 2, ...: "
                 "by_simulation is mirrored_by_eigenvalue";
    else if (by_e && by_s && plain && !meet(by_e, by_s))
        w[n++] = "by_eigenvalue lies outside of simulation_interval: the start "
                 "of the runs decides, or rounding next to the threshold";
    SET_TEXTS("warnings", w, n);
}

static const char *
verdict_at(struct hunt *h, double x)
{
    switch (follow(h, x, h->worst)) {
    case CHATTER_COMPLETE:
        return "complete";
    case CHATTER_PARTIAL:
        return "partial";
    default:
        return "incomplete";
    }
}

static void
set_sides(struct hunt *h, const struct change *c, const char *none,
          struct rec *out)
{
    struct analysis *a = h->a;
    if (!c) {
        SET_ABSENT("below", none);
        SET_ABSENT("above", none);
        return;
    }
    SET_TEXT("below", verdict_at(h, c->lo));
    SET_TEXT("above", verdict_at(h, c->hi));
}

/* of several starts: the most unfavourable one at *c, and where the last of
 * them stops coming to rest */
static void
set_starts(struct hunt *h, const struct change *c, const struct changes *best,
           const char *none, struct rec *out)
{
    struct analysis *a = h->a;
    static const char *const one = "there is one start: `starts` takes more";
    SET_NUM("starts", (double)h->starts);
    bool several = h->starts > 1, some = several && c;
    const struct change *last = nearest(best, c);
    if (several && last)
        SET_NUM("by_simulation_best", middle(last));
    else
        SET_ABSENT("by_simulation_best", several ? none : one);
    /* on the side that does not rest */
    if (some && simulation(h, c->below == YES ? c->hi : c->lo) == NO &&
        start(h, middle(c), h->worst)) {
        const double *q = h->rt->env + h->s->env_state;
        SET_NUM("worst_start", (double)h->worst);
        SET_LIST("worst_positions", q, h->s->n);
        SET_LIST("worst_rates", q + h->s->n, h->s->n);
    } else {
        SET_ABSENT("worst_start", several ? none : one);
        SET_ABSENT("worst_positions", several ? none : one);
        SET_ABSENT("worst_rates", several ? none : one);
    }
}

static void
set_difference(struct hunt *h, struct rec *out, const char *field,
               const struct change *e, const struct change *s)
{
    struct analysis *a = h->a;
    if (e && s)
        SET_NUM(field, middle(s) - middle(e));
    else
        SET_ABSENT(field, "one of both is absent");
}

static int
search(struct hunt *h, struct rec *out)
{
    struct analysis *a = h->a;
    struct changes e = find(h, eigenvalue, 0.0);
    struct changes s = find(h, simulation, h->width);
    struct changes pe = find(h, pair, 0.0);
    struct changes m = find(h, mirrored, 0.0), ps = {0}, best = {0};
    if (h->starts > 1)
        best = find(h, any_rests, h->width);
    if (s.yes || best.yes)
        ps = find(h, partial, h->width);
    if (h->status)
        return h->status;
    const struct change *by_e = e.n ? &e.v[0] : NULL;
    const struct change *by_s = nearest(&s, by_e);
    const struct change *by_m = nearest(&m, by_e);
    const struct change *part_e = pe.n ? &pe.v[0] : NULL;
    const struct change *part_s = nearest(&ps, part_e);
    const char *no_s =
        h->starts > 1 && !s.yes
            ? "nowhere in this range do the runs from all "
              "starts come to rest"
            : no_change(&s,
                        h->failed ? "all runs that could be made come to rest"
                                  : "the runs come to rest in the whole range",
                        h->failed ? "no run that could be made comes to rest"
                                  : "no run comes to rest in this range",
                        "no run has a verdict");
    set_change(
        h, out, "by_eigenvalue", "eigenvalue_interval", by_e,
        h->no_symmetry
            ? because(h)
            : no_change(
                  &e,
                  h->failed ? "it is real and positive where it is known"
                            : "it is real and positive in the whole range",
                  "it is nowhere real and positive in this range", because(h)));
    set_change(h, out, "by_simulation", "simulation_interval", by_s, no_s);
    set_difference(h, out, "difference", by_e, by_s);
    set_starts(h, by_s, &best, no_s, out);
    set_sides(h, by_s, no_s, out);
    set_change(h, out, "mirrored_by_eigenvalue", NULL, by_m,
               no_change(&m, "they are real and positive in the whole range",
                         "they are nowhere real and positive in this range",
                         "the contacts are not those of three feet"));
    set_change(h, out, "partial_by_eigenvalue", NULL, part_e,
               no_change(&pe, "two feet can chatter alone in the whole range",
                         "two feet can nowhere chatter alone in this range",
                         "only feet of a triangle push their neighbours down"));
    set_change(h, out, "partial_by_simulation", "partial_interval", part_s,
               no_change(&ps, "all runs that come to rest are partial",
                         "no run is partial", "no run comes to rest"));
    set_difference(h, out, "partial_difference", part_e, part_s);
    set_all(h, out, "changes_by_eigenvalue", &e);
    set_all(h, out, "changes_by_simulation", &s);
    SET_TEXT("because", because(h));
    if (h->runs)
        SET_TEXT("start", h->flat ? "nearly flat drop" : "given");
    else
        SET_ABSENT("start", "no run was made");
    SET_NUM("step", (h->hi - h->lo) / (double)h->grid);
    SET_NUM("runs", (double)h->runs);
    SET_NUM("inconclusive", (double)h->inconclusive);
    SET_NUM("impacts", (double)h->impacts);
    set_warnings(h, &e, &s, by_e, by_s, by_m, out);
    return IMP_OK;
}

/* -- what is asked ----------------------------------------------------------
 */

static int
wrong_bounds(struct hunt *h, imp_range where, const imp_param *p)
{
    struct analysis *a = h->a;
    char x[NUM_TEXT], y[NUM_TEXT];
    const char *name = imp_text(a->rt->im, p->name);
    struct diag *d;
    if (p->structural)
        d = diag_add(a->ds, DIAG_E0425, where,
                     "`%s` is structural: nothing lies between two values of "
                     "it",
                     name);
    else if (!(h->lo < h->hi))
        d = diag_add(a->ds, DIAG_E0425, where,
                     "there is nothing between %s and %s",
                     num_shortest(x, h->lo), num_shortest(y, h->hi));
    else
        d = diag_add(a->ds, DIAG_E0425, where,
                     "this is not within the range [%s, %s] of the param `%s`",
                     num_shortest(x, p->lo), num_shortest(y, p->hi), name);
    diag_note(a->ds, d, p->range, "the param");
    return IMP_BADMODEL;
}

static int
bounds(struct hunt *h)
{
    struct analysis *a = h->a;
    const imp_val *o = arg_option(a, h->c, IMP_OPT_threshold_over);
    const imp_param *p =
        IMP_ARRAY(a->rt->im, a->rt->im->params, imp_param) + o->ref;
    double b[2] = {p->lo, p->hi};
    h->param = o->ref;
    if (o->items.n) {
        const imp_val *v = val_items(a, o);
        int st = IMP_OK;
        if (v->numbers.n)
            memcpy(b, IMP_ARRAY(a->rt->im, v->numbers, double), sizeof b);
        else
            st = arg_numbers(a, v, b);
        if (st)
            return st;
    }
    h->lo = b[0];
    h->hi = b[1];
    if (p->structural || !(b[0] < b[1]) || !isfinite(b[1] - b[0]) ||
        (p->has_range && (b[0] < p->lo || b[1] > p->hi)))
        return wrong_bounds(h, o->range, p);
    if (!sweep_reads(a->rt->im, o->ref)) {
        struct diag *d = diag_add(a->ds, DIAG_W0745, o->range,
                                  "nothing in the model depends on `%s`, so "
                                  "all its values give the same runs",
                                  imp_text(a->rt->im, p->name));
        diag_note(a->ds, d, p->range, "the param");
        diag_help(a->ds, d, "name a param that the system reads");
    }
    return IMP_OK;
}

static int
wrong_option(struct hunt *h, enum imp_option_id id, const char *what)
{
    const imp_val *v = arg_option(h->a, h->c, id);
    diag_add(h->a->ds, DIAG_E0405, v ? v->range : h->c->range, "%s", what);
    return IMP_BADMODEL;
}

static int
one_start(struct hunt *h)
{
    const imp_val *v = arg_option(h->a, h->c, IMP_OPT_threshold_starts);
    struct diag *d = diag_add(h->a->ds, DIAG_E0405, v ? v->range : h->c->range,
                              "`%s` has one start: nothing in it is drawn",
                              imp_text(h->a->rt->im, h->s->name));
    diag_note(h->a->ds, d, h->s->range, "the system");
    diag_help(h->a->ds, d,
              "draw something, start { h' = -1  phi' = random(-0.1, 0.1) }, or "
              "leave the start out: then nearly flat drops are drawn");
    return IMP_BADMODEL;
}

static int
options(struct hunt *h)
{
    struct analysis *a = h->a;
    double tol, grid, most, starts;
    int st;
    if ((st = arg_number(a, h->c, IMP_OPT_threshold_tolerance, 1e-9, &tol)) ||
        (st = arg_number(a, h->c, IMP_OPT_threshold_grid, 64.0, &grid)) ||
        (st = arg_number(a, h->c, IMP_OPT_threshold_events, 1e5, &most)) ||
        (st = arg_number(a, h->c, IMP_OPT_threshold_starts, 1.0, &starts)) ||
        (st = bounds(h)))
        return st;
    if (!(starts >= 1.0 && starts <= 1e6) || starts != floor(starts))
        return wrong_option(h, IMP_OPT_threshold_starts,
                            "`starts` is a whole number from 1 to 1e6");
    h->starts = (long)starts;
    if (h->starts > 1 && !a->rt->im->draws.n && !chatter_unstated(a, h->system))
        return one_start(h);
    if (!(tol > 0.0 && tol < 1.0))
        return wrong_option(h, IMP_OPT_threshold_tolerance,
                            "`tolerance` is between 0 and 1");
    if (!(grid >= 1.0 && grid <= 1e6) || grid != floor(grid))
        return wrong_option(h, IMP_OPT_threshold_grid,
                            "`grid` is a whole number from 1 to 1e6");
    h->policy = system_policy(a);
    h->width = tol * (h->hi - h->lo);
    h->grid = (size_t)grid;
    h->events = (long)fmin(fmax(most, 1.0), 1e9);
    return IMP_OK;
}

static int
ask(struct hunt *h, struct rec *out)
{
    const imp_image *im = h->a->rt->im;
    const imp_val *arg = &arg_items(h->a, h->c)[0];
    h->system = arg->ref;
    h->s = rt_system(h->a->rt, arg->ref);
    if (!(h->s->flags & IMP_SYSTEMF_LINE))
        return chatter_not_linear(h->a, h->s, arg->range);
    int st = options(h);
    if (st)
        return st;
    h->arena = arena_new();
    h->params = arena_copy(h->a->rt->arena, h->a->rt->env + im->layout.params,
                           (im->params.n + 1) * sizeof(double));
    return search(h, out);
}

static void
end(struct hunt *h)
{
    if (h->rt)
        rt_free(h->rt);
    arena_free(h->arena);
}

int
cmd_threshold(struct analysis *a, const imp_command *c, struct rec *out)
{
    struct hunt *h = NEW(a->rt->arena, struct hunt);
    struct oom_guard g;
    *h = (struct hunt){.a = a, .c = c};
    if (setjmp(g.env)) {
        oom_leave(&g);
        end(h);
        oom_raise();
    }
    oom_enter(&g);
    int st = ask(h, out);
    oom_leave(&g);
    end(h);
    return st;
}
