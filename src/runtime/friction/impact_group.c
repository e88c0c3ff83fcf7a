/* SPDX-License-Identifier: MIT */
/* The impact of points that bodies, joints or coordinates connect, whoever asks
 * for it. Points that do not act on each other are settled apart, so that what
 * one contact does never depends on who else is hit elsewhere; and the law of
 * the world says how those share the impact that do. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/friction/friction_priv.h"

/* Two rows act on each other if the entry of W is more than this share of the
 * geometric mean of their own: 500 roundings, since W is a sum of products. */
#define GROUP_COUPLED 1e-13
/* Velocities after the impact under two laws agree within this share of the
 * speeds. */
#define GROUP_AGREES 1e-10
/* Energy is added if it is more than this share of the terms of the works. */
#define GROUP_GAINS 1e-9
/* A velocity after the impact is known to so many roundings of its terms. */
#define GROUP_ROUNDING (64.0 * DBL_EPSILON)
/* Rows of W are alike within this share of the sizes: some thousand roundings,
 * as places of two bodies are farther from the origin than from each other. */
#define GROUP_ALIKE 1e-12

enum friction_law
friction_law_of_point(enum imp_impact_law world, enum imp_law own, bool stated)
{
    assert(world < IMP_IMPACT_COUNT && own < IMP_LAW_COUNT);
    if (world == IMP_IMPACT_NEWTON || world == IMP_IMPACT_POISSON ||
        world == IMP_IMPACT_ENERGETIC)
        own = (enum imp_law)(world - IMP_IMPACT_NEWTON);
    else if (!stated)
        own = IMP_LAW_ENERGETIC;
    return own == IMP_LAW_POISSON  ? FRICTION_POISSON
           : own == IMP_LAW_NEWTON ? FRICTION_NEWTON
                                   : FRICTION_ENERGETIC;
}

struct parts {
    struct arena *arena;
    int n;
    const double *W;
    const struct friction_impact_point *point;
    enum imp_impact_law law;
    double alike;
    struct friction_memory *memory;
    struct friction_group_impact *out;
};

/* Do forces at point j load the joint? */
static bool
loads(const struct friction_impact_point *joint, int j)
{
    bool any = false;
    for (int k = 0; k < 4 && joint->grip; k++)
        any |= joint->grip->by[k / 2][2 * j + k % 2] != 0.0;
    return any;
}

static bool
coupled(const struct parts *parts, int i, int j)
{
    int rows = 2 * parts->n;
    for (int r = 2 * i; r < 2 * i + 2; r++)
        for (int c = 2 * j; c < 2 * j + 2; c++) {
            double w = parts->W[r * rows + c];
            if (w != 0.0 &&
                fabs(w) > GROUP_COUPLED * sqrt(parts->W[r * (rows + 1)] *
                                               parts->W[c * (rows + 1)]))
                return true;
        }
    return loads(parts->point + i, j) || loads(parts->point + j, i);
}

/* Lists the points that feel point `first`, which is the first of them, in
 * rising order; `taken` says which ones have been listed. */
static int
gather(const struct parts *parts, int first, bool *taken, int *index)
{
    int count = 0, reached = 1, *list = NEW_N(parts->arena, int, parts->n);
    bool *in = NEW_N(parts->arena, bool, parts->n);
    in[first] = true;
    list[0] = first;
    for (int k = 0; k < reached; k++)
        for (int j = 0; j < parts->n; j++)
            if (!in[j] && !taken[j] && coupled(parts, list[k], j)) {
                in[j] = true;
                list[reached++] = j;
            }
    for (int i = 0; i < parts->n; i++)
        if (in[i]) {
            taken[i] = true;
            index[count++] = i;
        }
    return count;
}

/* The terms of which the work of the impulses at a point is the difference. */
static double
work_terms(const struct friction_impact_point *point, const double impulse[2],
           const double after[2])
{
    return fabs(impulse[0]) * (fabs(point->normal) + fabs(after[0])) +
           fabs(impulse[1]) * (fabs(point->slip) + fabs(after[1]));
}

/* A point that acts on no other one. */
static void
alone(struct parts *parts, int i)
{
    int rows = 2 * parts->n;
    const double *W = parts->W + (size_t)(2 * i) * (size_t)(rows + 1);
    struct friction_group_impact *out = parts->out;
    struct friction_impact one;
    if (!(W[0] > 0.0)) {
        out->why = "no impulse at the contact changes the rate of its gap";
        out->held = true;
        return;
    }
    /* what joints hold along the surface moves along it by rounding, of either
     * sign */
    friction_impact_one(fmax(W[rows + 1], 0.0), W[1], W[0], parts->point + i,
                        &one);
    out->impulse[2 * i] = one.normal[0] + one.normal[1];
    out->impulse[2 * i + 1] = one.tangential;
    out->after[2 * i] = one.after[0];
    out->after[2 * i + 1] = one.after[1];
    out->work[i] = one.work[1];
    out->region[i] = one.region;
    out->how[i] = FRICTION_PROCESS;
    out->energy += one.work[0] + one.work[1];
    double gain = one.work[0] + one.work[1];
    if (gain > GROUP_GAINS * work_terms(parts->point + i, out->impulse + 2 * i,
                                        out->after + 2 * i))
        out->gain += gain;
    out->may_gain |=
        parts->point[i].own || parts->point[i].law == FRICTION_NEWTON;
}

/* Which law says how points share the impact? *other: a second one that has to
 * agree with it. */
static enum friction_several
law_of_several(enum imp_impact_law law, int approaching,
               enum friction_several *other)
{
    enum friction_several how = FRICTION_COMPLEMENTARITY;
    *other = how;
    switch (law) {
    case IMP_IMPACT_SEQUENTIAL:
        *other = how = FRICTION_SEQUENTIAL;
        break;
    case IMP_IMPACT_POISSON:
        *other = how = FRICTION_TWO_PHASES;
        break;
    case IMP_IMPACT_ENERGETIC:
        *other = how =
            approaching > 1 ? FRICTION_ENERGETIC_PHASES : FRICTION_PROCESS;
        break;
    case IMP_IMPACT_COMPLEMENTARITY:
        break;
    case IMP_IMPACT_REST:
        *other = how =
            approaching > 1 ? FRICTION_COMPLEMENTARITY : FRICTION_PROCESS;
        break;
    default:
        how = approaching > 1 ? how : FRICTION_PROCESS;
        *other = approaching > 1 ? FRICTION_TWO_PHASES : FRICTION_PROCESS;
        break;
    }
    return how;
}

/* Do two outcomes have the same velocities? */
static bool
agree(int n, const struct friction_impact_point *point,
      const struct friction_impact_several *a,
      const struct friction_impact_several *b)
{
    double speed = 0.0;
    for (int i = 0; i < n; i++)
        speed = fmax(speed, fmax(fabs(point[i].normal), fabs(point[i].slip)));
    for (int r = 0; r < 2 * n; r++)
        if (fabs(a->after[r] - b->after[r]) > GROUP_AGREES * speed)
            return false;
    return true;
}

/* Gives the outcome of the points index[0..count) to all. */
static void
give(struct parts *parts, int count, const int *index,
     enum friction_several how, const struct friction_impact_several *one)
{
    struct friction_group_impact *out = parts->out;
    double terms = 0.0;
    for (int i = 0; i < count; i++) {
        for (int part = 0; part < 2; part++) {
            int from = 2 * i + part, to = 2 * index[i] + part;
            out->impulse[to] = one->impulse[from];
            out->after[to] = one->after[from];
        }
        terms += work_terms(parts->point + index[i], one->impulse + 2 * i,
                            one->after + 2 * i);
        out->work[index[i]] = one->work[i];
        out->stuck[index[i]] = one->still;
        out->how[index[i]] = how;
        out->may_gain |=
            how == FRICTION_COMPLEMENTARITY || how == FRICTION_TWO_PHASES ||
            how == FRICTION_ENERGETIC_PHASES || parts->point[index[i]].own ||
            parts->point[index[i]].law == FRICTION_NEWTON;
    }
    out->energy += one->energy;
    if (one->energy > GROUP_GAINS * terms)
        out->gain += one->energy;
    out->loads |= one->verdict == FRICTION_LOADS;
    if (one->verdict > out->verdict)
        out->verdict = one->verdict;
    out->tie |= one->tie;
}

/* -- points that say what others say ---------------------------------------
 */

/* Of which two points a third one is a mean: share[0] of the one and share[1]
 * of the other one. */
struct mean {
    int of[2];
    double share[2];
};

/* Is row `part` of point k that mean of the same row of both others? */
static bool
row_is_mean(const struct parts *parts, int k, int part, const struct mean *mean)
{
    int rows = 2 * parts->n, r = 2 * k + part, a = 2 * mean->of[0] + part,
        b = 2 * mean->of[1] + part;
    const double *W = parts->W;
    for (int c = 0; c < rows; c++) {
        double off = W[r * rows + c] - mean->share[0] * W[a * rows + c] -
                     mean->share[1] * W[b * rows + c],
               size = W[c * (rows + 1)] *
                      fmax(W[a * (rows + 1)], W[b * (rows + 1)]);
        if (!(fabs(off) <= GROUP_ALIKE * sqrt(size)))
            return false;
    }
    for (int j = 0; j < parts->n; j++)
        for (int x = 0; x < 2 && parts->point[j].grip; x++) {
            const double *by = parts->point[j].grip->by[x];
            double off =
                by[r] - mean->share[0] * by[a] - mean->share[1] * by[b];
            if (!(fabs(off) <= GROUP_ALIKE * fmax(fabs(by[a]), fabs(by[b]))))
                return false;
        }
    return true;
}

/* Do two points state the same of an impact? */
static bool
state_alike(const struct friction_impact_point *a,
            const struct friction_impact_point *b)
{
    return !a->grip && !b->grip && !a->own && !b->own && !a->varies &&
           !b->varies && a->mu == b->mu && a->e == b->e && a->law == b->law &&
           a->priority == b->priority;
}

/* Is point k a mean of two others, in all that an impact asks of it? */
static bool
is_mean(const struct parts *parts, int k, const struct mean *mean, double speed)
{
    const struct friction_impact_point *point = parts->point,
                                       *a = point + mean->of[0],
                                       *b = point + mean->of[1];
    double off[2] = {point[k].normal - mean->share[0] * a->normal -
                         mean->share[1] * b->normal,
                     point[k].slip - mean->share[0] * a->slip -
                         mean->share[1] * b->slip};
    return fabs(off[0]) <= GROUP_AGREES * speed &&
           fabs(off[1]) <= GROUP_AGREES * speed &&
           row_is_mean(parts, k, 0, mean) && row_is_mean(parts, k, 1, mean);
}

/* Do both points lie on one line along which they slip, and slip alike? */
static bool
on_one_line(const struct parts *parts, int i, int j, double speed)
{
    struct mean same = {{i, i}, {1.0, 0.0}};
    int rows = 2 * parts->n, ti = 2 * i + 1, tj = 2 * j + 1;
    double own = parts->W[tj * (rows + 1)];
    return fabs(own - parts->W[tj * rows + ti]) <= GROUP_ALIKE * own &&
           state_alike(parts->point + i, parts->point + j) &&
           fabs(parts->point[i].slip - parts->point[j].slip) <=
               GROUP_AGREES * speed &&
           row_is_mean(parts, j, 1, &same);
}

/* Is point k on the way from i to j? Its normal row says where. */
static bool
is_between(const struct parts *parts, int k, int i, int j, double speed,
           struct mean *mean)
{
    int rows = 2 * parts->n;
    const double *W = parts->W, *a = W + (size_t)(2 * i) * (size_t)rows,
                 *b = W + (size_t)(2 * j) * (size_t)rows;
    double most = 0.0, share = -1.0;
    for (int c = 0; c < rows; c++) {
        double way = a[c] - b[c], size = fabs(way) / sqrt(W[c * (rows + 1)]);
        if (!(size > most))
            continue;
        most = size;
        share = (W[2 * k * rows + c] - b[c]) / way;
    }
    *mean = (struct mean){{i, j}, {share, 1.0 - share}};
    return share > GROUP_ALIKE && share < 1.0 - GROUP_ALIKE &&
           is_mean(parts, k, mean, speed);
}

/* Finds what point k repeats among those that are `in`: one in the same place
 * (an earlier one, if `earlier`), or two of one line between which it lies. */
static bool
repeats(const struct parts *parts, int k, const bool *in, bool earlier,
        double speed, struct mean *mean)
{
    int *line = NEW_N(parts->arena, int, parts->n), n = 0;
    for (int i = 0; i < parts->n; i++)
        if (i != k && in[i] && on_one_line(parts, i, k, speed))
            line[n++] = i;
    for (int i = 0; i < n && (line[i] < k || !earlier); i++) {
        *mean = (struct mean){{line[i], line[i]}, {1.0, 0.0}};
        if (is_mean(parts, k, mean, speed))
            return true;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (is_between(parts, k, line[i], line[j], speed, mean))
                return true;
    return false;
}

/* What a contact does must not depend on how often it is stated, or on whether
 * its ground is one body or several beside each other: points in one place that
 * state the same are one, and of those on one line only its ends take part, as
 * those of one polytope do. Takes the others out of the list; mean[i] says what
 * the i-th of those in *rest repeats of what stays. Returns how many stay. */
static int
take_out(const struct parts *parts, int count, int *index, int *rest,
         struct mean *mean)
{
    double speed = 0.0;
    int kept = 0, out = 0;
    bool *in = NEW_N(parts->arena, bool, parts->n),
         *stays = NEW_N(parts->arena, bool, parts->n);
    for (int i = 0; i < count; i++) {
        speed = fmax(speed, fmax(fabs(parts->point[index[i]].normal),
                                 fabs(parts->point[index[i]].slip)));
        in[index[i]] = true;
    }
    for (int i = 0; i < count; i++)
        stays[index[i]] = !repeats(parts, index[i], in, true, speed, mean);
    for (int i = 0; i < count; i++)
        if (!stays[index[i]] &&
            repeats(parts, index[i], stays, false, speed, mean + out))
            rest[out++] = index[i];
        else
            index[kept++] = index[i];
    return kept;
}

/* What points that were taken out do after the impact. */
static void
follow_means(struct parts *parts, int n, const int *rest,
             const struct mean *mean)
{
    struct friction_group_impact *out = parts->out;
    for (int i = 0; i < n; i++) {
        int k = rest[i], like = mean[i].of[mean[i].share[0] < 0.5];
        out->after[2 * k] = mean[i].share[0] * out->after[2 * mean[i].of[0]] +
                            mean[i].share[1] * out->after[2 * mean[i].of[1]];
        out->after[2 * k + 1] = out->after[2 * like + 1];
        out->stuck[k] = out->stuck[like];
        out->region[k] = out->region[like];
        out->how[k] = out->how[like];
    }
}

/* The rows of points index[0..count), which rise, alone. */
static const double *
rows_of(const struct parts *parts, int count, const int *index)
{
    size_t rows = 2 * (size_t)count, all = 2 * (size_t)parts->n;
    if (count == parts->n)
        return parts->W;
    double *W = NEW_N(parts->arena, double, rows *rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < rows; c++)
            W[r * rows + c] =
                parts->W[(2 * (size_t)index[r / 2] + r % 2) * all +
                         2 * (size_t)index[c / 2] + c % 2];
    return W;
}

static void
together(struct parts *parts, int count, const int *index)
{
    struct friction_impact_point *point =
        NEW_N(parts->arena, struct friction_impact_point, count);
    int approaching = 0;
    for (int i = 0; i < count; i++) {
        point[i] = parts->point[index[i]];
        approaching += point[i].normal < 0.0;
    }
    int n_grip;
    struct friction_grip *grip = friction_grips_among(
        parts->arena, parts->n, count, index, parts->point, &n_grip);
    for (int i = 0; i < n_grip; i++)
        point[count - n_grip + i].grip = grip + i;
    for (int i = 0; i < count && parts->law == IMP_IMPACT_REST; i++)
        point[i].e = approaching > 1 ? 0.0 : point[i].e;
    const double *W = rows_of(parts, count, index);
    enum friction_several other,
        how = law_of_several(parts->law, approaching, &other);
    if (count - n_grip == 1) /* one point, beside joints with friction */
        other = how = FRICTION_PROCESS;
    for (int i = 0; i < count; i++)
        if (point[i].own && how != FRICTION_SEQUENTIAL) {
            if (approaching > 1) {
                parts->out->unstated = true;
                parts->out->why =
                    "a law of one contact's own says nothing of several points "
                    "that close together; law = sequential takes them one "
                    "after the other";
                return;
            }
            other = how = FRICTION_SEQUENTIAL;
        }
    if (imp_impact_law_traits(parts->law) & IMP_LAW_TRAIT_STIFFNESS) {
        parts->out->unstated = true;
        parts->out->why = "lzb does not say what points with friction do";
        return;
    }
    struct friction_impact_several one, two;
    friction_impact_at(parts->arena, count, W, point, how, parts->memory, &one);
    if (one.apart > 0.0 && one.apart <= parts->alike && other == how) {
        parts->out->apart = fmax(parts->out->apart, one.apart);
        give(parts, count, index, how, &one);
        return;
    }
    if (!friction_applies(one.verdict)) {
        parts->out->why = friction_verdict_name(one.verdict);
        return;
    }
    if (other != how) {
        friction_impact_at(parts->arena, count, W, point, other, parts->memory,
                           &two);
        if (!friction_applies(two.verdict) ||
            !agree(count, point, &one, &two)) {
            parts->out->unstated = true;
            parts->out->why =
                parts->law == IMP_IMPACT_LEAST_NORM
                    ? "least_norm does not say what points with friction do"
                    : "no law for several points with friction is stated, and "
                      "complementarity and Poisson's law in two phases give "
                      "different motions";
            return;
        }
    }
    give(parts, count, index, how, &one);
}

/* Says of each point that takes part whether its slip after is exactly 0. */
static void
find_stuck(const struct parts *parts)
{
    struct friction_group_impact *out = parts->out;
    int rows = 2 * parts->n;
    for (int i = 0; i < parts->n; i++) {
        int T = 2 * i + 1;
        double terms = fabs(parts->point[i].slip), pushed = 0.0;
        /* what a choice of modes is allowed where it says 0 */
        double share = out->how[i] == FRICTION_PROCESS ||
                               out->how[i] == FRICTION_SEQUENTIAL
                           ? GROUP_ROUNDING
                       : out->verdict == FRICTION_UNIQUE ? FRICTION_TOLERANCE
                                                         : FRICTION_DEPENDS;
        for (int j = 0; j < rows; j++)
            pushed += fabs(parts->W[T * rows + j] * out->impulse[j]);
        out->stuck[i] = pushed > 0.0 && out->after[T] == 0.0
                            ? out->stuck[i] + share * (terms + pushed)
                            : 0.0;
    }
}

void
friction_impact_alike(struct arena *arena, int n, const double *W,
                      const struct friction_impact_point *point,
                      enum imp_impact_law law, double alike,
                      struct friction_memory *memory,
                      struct friction_group_impact *out)
{
    assert(arena && n > 0 && W && point && out && law < IMP_IMPACT_COUNT);
    *out = (struct friction_group_impact){
        .point = point,
        .verdict = FRICTION_UNIQUE,
        .impulse = NEW_N(arena, double, 2 * n),
        .after = NEW_N(arena, double, 2 * n),
        .work = NEW_N(arena, double, n),
        .stuck = NEW_N(arena, double, n),
        .region = NEW_N(arena, int, n),
        .how = NEW_N(arena, enum friction_several, n)};
    struct parts parts = {arena, n, W, point, law, alike, memory, out};
    bool *taken = NEW_N(arena, bool, n);
    int *index = NEW_N(arena, int, n), *rest = NEW_N(arena, int, n);
    struct mean *mean = NEW_N(arena, struct mean, n + 1);
    for (int i = 0; i < n; i++) {
        out->after[2 * i] = point[i].normal;
        out->after[2 * i + 1] = point[i].slip;
    }
    for (int i = 0; i < n && !out->why; i++) {
        if (taken[i])
            continue;
        int count = gather(&parts, i, taken, index);
        bool hit = false;
        for (int k = 0; k < count; k++)
            hit |= point[index[k]].normal < 0.0;
        if (!hit)
            continue;
        int kept = take_out(&parts, count, index, rest, mean);
        if (kept == 1)
            alone(&parts, index[0]);
        else
            together(&parts, kept, index);
        follow_means(&parts, count - kept, rest, mean);
    }
    find_stuck(&parts);
}

void
friction_impact_group(struct arena *arena, int n, const double *W,
                      const struct friction_impact_point *point,
                      enum imp_impact_law law, struct friction_memory *memory,
                      struct friction_group_impact *out)
{
    friction_impact_alike(arena, n, W, point, law, 0.0, memory, out);
}
