/* SPDX-License-Identifier: MIT */
/* Where chatter stops bringing a system to rest: sides at one value of a param,
 * by eigenvalues and by runs, and changes of side between values. A grid shows
 * between which values they change, bisection goes on from there. Values are
 * asked for in a run of the model of its own (struct rt), as those of a sweep.
 */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/threshold_priv.h"
#include "base/arena.h"
#include "runtime/flow/flow.h"
#include "runtime/setup/new_run.h"

/* on a side with inconclusive runs the search ends at this share of the
 * interval: each of them costs as many impacts as are allowed */
#define INCONCLUSIVE_SHARE 0.05

/* -- one value --------------------------------------------------------------
 */

static bool
fails(struct threshold_search *h, double x, int st)
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
go_to(struct threshold_search *h, double x)
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

static const struct symmetry *
symmetry(struct threshold_search *h, double x, struct ballistic **l)
{
    if (!go_to(h, x) || fails(h, x, flow_matrices(h->rt, h->system, l)))
        return NULL;
    const struct symmetry *s = chatter_symmetry(&h->an, h->system, *l);
    h->accelerates |= chatter_accelerates(*l);
    if (s->found != SYMMETRY_YES) {
        if (!h->no_symmetry)
            h->no_symmetry = arena_strdup(
                h->a->rt->arena, chatter_symmetry_text(&h->an, h->s, s));
        return NULL;
    }
    h->symmetric = true;
    h->polygon = s->polygon ? s->m : 0;
    return s;
}

static enum threshold_side
sign(double x)
{
    return x > 0.0 ? SIDE_YES : x < 0.0 ? SIDE_NO : SIDE_UNKNOWN;
}

/* Is the dominant eigenvalue of U R real and positive? For polygons by the
 * restitution where it stops to be, which is a smooth function of rho. */
enum threshold_side
threshold_side_by_eigenvalue(struct threshold_search *h, double x)
{
    struct ballistic *l;
    struct eigen e;
    const struct symmetry *s = symmetry(h, x, &l);
    if (!s)
        return SIDE_UNKNOWN;
    if (s->polygon) {
        double critical = symmetry_critical_restitution(s->m, s->rho);
        return critical > 0.0 ? sign(critical - s->e) : SIDE_NO;
    }
    size_t r = (size_t)s->rank;
    double *map = NEW_N(h->rt->arena, double, r *r + 1);
    symmetry_map(s, s->m > 1 ? 1 : 0, map);
    if (eigen_solve(h->rt->arena, s->rank, map, &e))
        return SIDE_UNKNOWN;
    struct eigen_cone c = eigen_cone(&e);
    return c.tied                         ? SIDE_UNKNOWN
           : c.dominant == EIGEN_POSITIVE ? SIDE_YES
                                          : SIDE_NO;
}

/* can two feet of three chatter alone? */
enum threshold_side
threshold_side_pair_of_three(struct threshold_search *h, double x)
{
    struct ballistic *l;
    const struct symmetry *s = symmetry(h, x, &l);
    if (!s || !s->polygon || s->m != 3)
        return SIDE_OTHER;
    double partial = symmetry_partial_restitution(s->m, s->rho);
    return partial > 0.0 ? sign(partial - s->e) : SIDE_NO;
}

/* can three feet come to rest in the order 0, 2, 1, 2, ...? */
enum threshold_side
threshold_side_mirrored(struct threshold_search *h, double x)
{
    struct ballistic *l;
    const struct symmetry *s = symmetry(h, x, &l);
    if (!s || !s->polygon || s->m != 3)
        return SIDE_OTHER;
    double critical = symmetry_mirrored(s->rho);
    return critical > 0.0 ? sign(critical - s->e) : SIDE_NO;
}

/* start number k at x, by draws of the model's own, or else a drawn drop */
bool
threshold_run_start(struct threshold_search *h, double x, long k)
{
    bool flat;
    if (!go_to(h, x))
        return false;
    if (h->rt->im->draws.n &&
        fails(h, x, rt_seed(h->rt, h->rt->seed, (uint64_t)k)))
        return false;
    bool drop = k && flat_drop_needed(&h->an, h->system);
    if (fails(h, x,
              drop
                  ? flat_drop_drawn(&h->an, h->system, h->c->range, (uint64_t)k)
                  : flat_drop_start(&h->an, h->system, h->c->range, &flat)))
        return false;
    h->flat = drop || flat;
    return true;
}

/* one run from start k at x */
static bool
run(struct threshold_search *h, double x, long k, struct chatter_run *run)
{
    if (!threshold_run_start(h, x, k))
        return false;
    struct flow *f = flow_new(h->rt, h->system, h->policy);
    if (!f)
        return !fails(h, x, IMP_BADMODEL);
    chatter_decide(h->rt->arena, flow_ballistic(f), INFINITY,
                   ACCUMULATION_RESOLVE, h->events, run);
    h->impacts = run->impacts > h->impacts ? run->impacts : h->impacts;
    return true;
}

enum chatter_verdict
threshold_run_verdict(struct threshold_search *h, double x, long k)
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

static enum threshold_side
rests(enum chatter_verdict v)
{
    switch (v) {
    case CHATTER_COMPLETE:
    case CHATTER_PARTIAL:
        return SIDE_YES;
    case CHATTER_INCOMPLETE:
        return SIDE_NO;
    default:
        return SIDE_UNKNOWN;
    }
}

/* Do the runs from all starts come to rest, or from any? `decides` by itself;
 * *first is asked first, and gets the one that decided. */
static enum threshold_side
starts(struct threshold_search *h, double x, enum threshold_side decides,
       long *first)
{
    enum threshold_side all = decides == SIDE_NO ? SIDE_YES : SIDE_NO;
    for (long i = 0, was = *first; i < h->starts && !h->status; i++) {
        long k = i == 0 ? was : i - (i <= was);
        enum threshold_side s = rests(threshold_run_verdict(h, x, k));
        if (s == decides) {
            *first = k;
            return s;
        }
        all = s == SIDE_UNKNOWN ? SIDE_UNKNOWN : all;
    }
    return all;
}

/* from all; the one that did not do so last is asked first */
enum threshold_side
threshold_side_by_simulation(struct threshold_search *h, double x)
{
    return starts(h, x, SIDE_NO, &h->worst);
}

/* from any? */
enum threshold_side
threshold_side_any_rests(struct threshold_search *h, double x)
{
    long first = 0;
    return starts(h, x, SIDE_YES, &first);
}

/* of those that come to rest: is one partial? */
enum threshold_side
threshold_side_partial(struct threshold_search *h, double x)
{
    enum threshold_side side = SIDE_OTHER;
    for (long k = 0; k < h->starts && !h->status; k++) {
        enum chatter_verdict v = threshold_run_verdict(h, x, k);
        if (v == CHATTER_PARTIAL)
            return SIDE_YES;
        if (v == CHATTER_COMPLETE)
            side = side == SIDE_UNKNOWN ? SIDE_UNKNOWN : SIDE_NO;
        else if (rests(v) == SIDE_UNKNOWN)
            side = SIDE_UNKNOWN;
    }
    return side;
}

/* -- changes ----------------------------------------------------------------
 */

/* the value with side `from` moves from *x towards the one at `end` that has
 * none, until less than `least` lies between them */
static void
approach(struct threshold_search *h, threshold_side_fn *side,
         enum threshold_side from, double *x, double end, double least)
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
narrow(struct threshold_search *h, threshold_side_fn *side, double width,
       struct threshold_change *c)
{
    while (c->hi - c->lo > width && !h->status) {
        double mid = 0.5 * (c->lo + c->hi);
        if (mid <= c->lo || mid >= c->hi)
            return;
        enum threshold_side s = side(h, mid);
        if (s == c->below) {
            c->lo = mid;
        } else if (s == SIDE_YES || s == SIDE_NO) {
            c->hi = mid;
        } else {
            double least = fmax(width, INCONCLUSIVE_SHARE * (c->hi - c->lo));
            enum threshold_side above =
                c->below == SIDE_YES ? SIDE_NO : SIDE_YES;
            approach(h, side, c->below, &c->lo, mid, least);
            approach(h, side, above, &c->hi, mid, least);
            return;
        }
    }
}

static double
grid_value(const struct threshold_search *h, size_t i)
{
    return i == h->grid
               ? h->hi
               : h->lo + (h->hi - h->lo) * ((double)i / (double)h->grid);
}

struct threshold_changes
threshold_find_changes(struct threshold_search *h, threshold_side_fn *side,
                       double width)
{
    struct threshold_changes c = {
        .v = NEW_N(h->a->rt->arena, struct threshold_change, h->grid)};
    enum threshold_side was = SIDE_OTHER;
    double from = h->lo;
    for (size_t i = 0; i <= h->grid && !h->status; i++) {
        double x = grid_value(h, i);
        enum threshold_side s = side(h, x);
        c.yes |= s == SIDE_YES;
        c.no |= s == SIDE_NO;
        if (s == SIDE_UNKNOWN)
            continue;
        if ((was == SIDE_YES && s == SIDE_NO) ||
            (was == SIDE_NO && s == SIDE_YES)) {
            struct threshold_change *k = &c.v[c.n++];
            *k = (struct threshold_change){from, x, was};
            narrow(h, side, width, k);
        }
        was = s;
        from = x;
    }
    return c;
}

double
threshold_change_middle(const struct threshold_change *c)
{
    return c->lo + 0.5 * (c->hi - c->lo);
}

/* the one nearest to x; NULL: there is none */
const struct threshold_change *
threshold_nearest_change(const struct threshold_changes *c,
                         const struct threshold_change *to)
{
    const struct threshold_change *best = c->n ? &c->v[0] : NULL;
    for (size_t i = 1; i < c->n && to; i++)
        if (fabs(threshold_change_middle(&c->v[i]) -
                 threshold_change_middle(to)) <
            fabs(threshold_change_middle(best) - threshold_change_middle(to)))
            best = &c->v[i];
    return best;
}
