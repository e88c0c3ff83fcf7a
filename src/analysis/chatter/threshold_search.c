/* SPDX-License-Identifier: MIT */
/* The search of a threshold: criteria at one value of the param, by eigenvalues
 * and by runs, and where they change side. A grid shows between which values
 * they change, and bisection narrows that down. Values are asked for in a run
 * of the model that the command has for itself. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/chatter/threshold_priv.h"
#include "base/arena.h"
#include "runtime/flow/flow.h"
#include "runtime/setup/new_run.h"

/* Where runs are inconclusive the search ends at this share of the interval,
 * because each such run takes as many impacts as are allowed. */
#define INCONCLUSIVE_SHARE 0.05

/* -- one value --------------------------------------------------------------
 */

static bool
fails(struct threshold_search *search, double at, int st)
{
    if (!st)
        return false;
    if (!search->failure.why) {
        const char *why = "no answer";
        for (const struct diag *diag = search->trial.ds.first; diag;
             diag = diag->next)
            if (diag->severity == DIAG_ERROR)
                why = diag->message;
        search->failure.why =
            arena_strdup(search->ask.analysis->rt->arena, why);
        search->failure.at = at;
    }
    return true;
}

/* Restarts the run with the value x of the param. False: nothing can be asked
 * there. */
static bool
go_to(struct threshold_search *search, double at)
{
    struct analysis *analysis = search->ask.analysis;
    int st = IMP_OK;
    if (rt_stopped(analysis->rt)) {
        search->failure.status = IMP_STOPPED;
        return false;
    }
    search->trial.params[search->ask.param] = at;
    arena_clear(search->trial.arena);
    diags_init(&search->trial.ds, search->trial.arena, analysis->ds->sources);
    if (!search->trial.run) {
        search->trial.run =
            rt_new_tier(analysis->rt->model, analysis->rt->code, NULL,
                        analysis->rt->given, search->trial.params,
                        &search->trial.ds, analysis->rt->stop);
        st = search->trial.run ? IMP_OK : IMP_FAILED;
    } else {
        st = rt_restart(search->trial.run, search->trial.params);
    }
    if (search->trial.run)
        search->trial.run->world.seed = analysis->rt->world.seed;
    search->trial.inner = (struct analysis){.rt = search->trial.run,
                                            .out = analysis->out,
                                            .ds = &search->trial.ds,
                                            .recs = analysis->recs,
                                            .data = analysis->data};
    return !fails(search, at, st);
}

static const struct symmetry *
symmetry_of(struct threshold_search *search, double at, struct ballistic **l)
{
    if (!go_to(search, at) ||
        fails(search, at,
              flow_matrices(search->trial.run, search->ask.system_id, l)))
        return NULL;
    const struct symmetry *symmetry =
        chatter_symmetry(&search->trial.inner, search->ask.system_id, *l);
    search->seen.accelerates |= chatter_accelerates(*l);
    if (symmetry->found != SYMMETRY_YES) {
        if (!search->seen.no_symmetry)
            search->seen.no_symmetry = arena_strdup(
                search->ask.analysis->rt->arena,
                chatter_symmetry_text(&search->trial.inner, search->ask.system,
                                      symmetry));
        return NULL;
    }
    search->seen.symmetric = true;
    search->seen.polygon = symmetry->polygon ? symmetry->m : 0;
    return symmetry;
}

static enum threshold_side
sign(double at)
{
    return at > 0.0 ? SIDE_YES : at < 0.0 ? SIDE_NO : SIDE_UNKNOWN;
}

/* For polygons the criterion is the restitution at which the dominant
 * eigenvalue stops being real and positive, which is a smooth function of rho.
 */
enum threshold_side
threshold_side_by_eigenvalue(struct threshold_search *search, double at)
{
    struct ballistic *ballistic;
    struct eigen eigen;
    const struct symmetry *symmetry = symmetry_of(search, at, &ballistic);
    if (!symmetry)
        return SIDE_UNKNOWN;
    if (symmetry->polygon) {
        double critical =
            symmetry_critical_restitution(symmetry->m, symmetry->rho);
        return critical > 0.0 ? sign(critical - symmetry->e) : SIDE_NO;
    }
    size_t r = (size_t)symmetry->rank;
    double *map = NEW_N(search->trial.run->arena, double, r *r + 1);
    symmetry_map(symmetry, symmetry->m > 1 ? 1 : 0, map);
    if (eigen_solve(search->trial.run->arena, symmetry->rank, map, &eigen))
        return SIDE_UNKNOWN;
    struct eigen_cone c = eigen_cone(&eigen);
    return c.tied                         ? SIDE_UNKNOWN
           : c.dominant == EIGEN_POSITIVE ? SIDE_YES
                                          : SIDE_NO;
}

enum threshold_side
threshold_side_pair_of_three(struct threshold_search *search, double at)
{
    struct ballistic *ballistic;
    const struct symmetry *symmetry = symmetry_of(search, at, &ballistic);
    if (!symmetry || !symmetry->polygon || symmetry->m != 3)
        return SIDE_OTHER;
    double partial = symmetry_partial_restitution(symmetry->m, symmetry->rho);
    return partial > 0.0 ? sign(partial - symmetry->e) : SIDE_NO;
}

enum threshold_side
threshold_side_mirrored(struct threshold_search *search, double at)
{
    struct ballistic *ballistic;
    const struct symmetry *symmetry = symmetry_of(search, at, &ballistic);
    if (!symmetry || !symmetry->polygon || symmetry->m != 3)
        return SIDE_OTHER;
    double critical = symmetry_mirrored(symmetry->rho);
    return critical > 0.0 ? sign(critical - symmetry->e) : SIDE_NO;
}

/* Start number k is a draw of the model's own random values, or else the k-th
 * flat drop that is drawn. */
bool
threshold_run_start(struct threshold_search *search, double at, long start)
{
    assert(start >= 0 && start < search->trial.starts);
    bool flat;
    if (!go_to(search, at))
        return false;
    if (search->trial.run->im->draws.n &&
        fails(search, at,
              rt_seed(search->trial.run, search->trial.run->world.seed,
                      (uint64_t)start)))
        return false;
    bool drop =
        start && flat_drop_needed(&search->trial.inner, search->ask.system_id);
    if (fails(search, at,
              drop
                  ? flat_drop_drawn(&search->trial.inner, search->ask.system_id,
                                    search->ask.command->range, (uint64_t)start)
                  : flat_drop_start(&search->trial.inner, search->ask.system_id,
                                    search->ask.command->range, &flat)))
        return false;
    search->seen.flat = drop || flat;
    return true;
}

/* Follows one run from start k at x. */
static bool
run_from(struct threshold_search *search, double at, long k,
         struct chatter_run *outcome)
{
    if (!threshold_run_start(search, at, k))
        return false;
    struct flow *flow = flow_new(search->trial.run, search->ask.system_id,
                                 search->ask.policy, INFINITY);
    if (!flow)
        return !fails(search, at, IMP_BADMODEL);
    chatter_decide(search->trial.run->arena, flow_ballistic(flow), INFINITY,
                   ACCUMULATION_RESOLVE, search->ask.events, outcome);
    if (outcome->verdict == CHATTER_STOPPED) {
        search->failure.status = IMP_STOPPED;
        return false;
    }
    search->seen.impacts = outcome->impacts > search->seen.impacts
                               ? outcome->impacts
                               : search->seen.impacts;
    return true;
}

enum chatter_verdict
threshold_run_verdict(struct threshold_search *search, double at, long k)
{
    assert(k >= 0);
    struct chatter_run outcome;
    if (!run_from(search, at, k, &outcome))
        return CHATTER_ENDLESS;
    search->seen.runs++;
    search->seen.inconclusive += outcome.verdict != CHATTER_COMPLETE &&
                                 outcome.verdict != CHATTER_PARTIAL &&
                                 outcome.verdict != CHATTER_INCOMPLETE;
    return outcome.verdict;
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

/* Asks the runs from all starts. One run on the side `decides` settles the
 * answer. *first is the start to ask first, and becomes the one that settled
 * the answer. */
static enum threshold_side
starts(struct threshold_search *search, double at, enum threshold_side decides,
       long *first)
{
    assert(*first >= 0 && *first < search->trial.starts);
    enum threshold_side all = decides == SIDE_NO ? SIDE_YES : SIDE_NO;
    for (long i = 0, was = *first;
         i < search->trial.starts && !search->failure.status; i++) {
        long k = i == 0 ? was : i - (i <= was);
        enum threshold_side s = rests(threshold_run_verdict(search, at, k));
        if (s == decides) {
            *first = k;
            return s;
        }
        all = s == SIDE_UNKNOWN ? SIDE_UNKNOWN : all;
    }
    return all;
}

enum threshold_side
threshold_side_by_simulation(struct threshold_search *search, double at)
{
    return starts(search, at, SIDE_NO, &search->trial.worst);
}

enum threshold_side
threshold_side_any_rests(struct threshold_search *search, double at)
{
    long first = 0;
    return starts(search, at, SIDE_YES, &first);
}

enum threshold_side
threshold_side_partial(struct threshold_search *search, double at)
{
    enum threshold_side side = SIDE_OTHER;
    for (long k = 0; k < search->trial.starts && !search->failure.status; k++) {
        enum chatter_verdict v = threshold_run_verdict(search, at, k);
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

/* Moves *x, a value on the side `from`, towards `end`, a value without a side,
 * until less than `least` lies between them. */
static void
approach(struct threshold_search *search, threshold_side_fn *side,
         enum threshold_side from, double *x, double end, double least)
{
    while (fabs(end - *x) > least && !search->failure.status) {
        double mid = 0.5 * (*x + end);
        if (mid == *x || mid == end)
            return;
        if (side(search, mid) == from)
            *x = mid;
        else
            end = mid;
    }
}

static void
narrow(struct threshold_search *search, threshold_side_fn *side, double width,
       struct threshold_change *change)
{
    assert(change->lo <= change->hi && width >= 0.0);
    while (change->hi - change->lo > width && !search->failure.status) {
        double mid = 0.5 * (change->lo + change->hi);
        if (mid <= change->lo || mid >= change->hi)
            return;
        enum threshold_side s = side(search, mid);
        if (s == change->below) {
            change->lo = mid;
        } else if (s == SIDE_YES || s == SIDE_NO) {
            change->hi = mid;
        } else {
            double least =
                fmax(width, INCONCLUSIVE_SHARE * (change->hi - change->lo));
            enum threshold_side above =
                change->below == SIDE_YES ? SIDE_NO : SIDE_YES;
            approach(search, side, change->below, &change->lo, mid, least);
            approach(search, side, above, &change->hi, mid, least);
            return;
        }
    }
}

static double
grid_value(const struct threshold_search *search, size_t i)
{
    assert(i <= search->ask.grid);
    return i == search->ask.grid
               ? search->ask.hi
               : search->ask.lo + (search->ask.hi - search->ask.lo) *
                                      ((double)i / (double)search->ask.grid);
}

struct threshold_changes
threshold_find_changes(struct threshold_search *search, threshold_side_fn *side,
                       double width)
{
    assert(search->ask.grid > 0 && search->ask.lo < search->ask.hi);
    struct threshold_changes changes = {
        .v = NEW_N(search->ask.analysis->rt->arena, struct threshold_change,
                   search->ask.grid)};
    enum threshold_side was = SIDE_OTHER;
    double from = search->ask.lo;
    for (size_t i = 0; i <= search->ask.grid && !search->failure.status; i++) {
        double at = grid_value(search, i);
        enum threshold_side now = side(search, at);
        changes.yes |= now == SIDE_YES;
        changes.no |= now == SIDE_NO;
        if (now == SIDE_UNKNOWN)
            continue;
        if ((was == SIDE_YES && now == SIDE_NO) ||
            (was == SIDE_NO && now == SIDE_YES)) {
            struct threshold_change *k = &changes.v[changes.n++];
            *k = (struct threshold_change){from, at, was};
            narrow(search, side, width, k);
        }
        was = now;
        from = at;
    }
    return changes;
}

double
threshold_change_middle(const struct threshold_change *change)
{
    assert(change);
    return change->lo + 0.5 * (change->hi - change->lo);
}

const struct threshold_change *
threshold_nearest_change(const struct threshold_changes *changes,
                         const struct threshold_change *to)
{
    const struct threshold_change *best = changes->n ? &changes->v[0] : NULL;
    for (size_t i = 1; i < changes->n && to; i++)
        if (fabs(threshold_change_middle(&changes->v[i]) -
                 threshold_change_middle(to)) <
            fabs(threshold_change_middle(best) - threshold_change_middle(to)))
            best = &changes->v[i];
    return best;
}
