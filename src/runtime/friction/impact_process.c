/* SPDX-License-Identifier: MIT */
/* One point comes down while others rest: the impulse process of
 * friction_impact_one among several points. The impulse at the point that is
 * hit drives the velocities; the others answer to every increment of it by
 * Signorini's and Coulomb's laws, as they answer to forces. Between two
 * corners, where a slip or a normal velocity comes to 0, all rates are
 * constant; at a corner modes are chosen anew (mode_search.c). So friction
 * never does positive work, and a point that rests takes none along its normal:
 * the restitution of the point that is hit alone decides what comes back. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"

/* pieces per point before a process counts as endless */
#define PROCESS_PIECES 64
/* A velocity that comes to 0 is one within so many roundings of its terms. */
#define PROCESS_ROUNDING (256.0 * DBL_EPSILON)

struct process {
    struct arena *arena;
    int n, hit;
    const double *W;
    const struct friction_impact_point *point;
    struct friction_memory *memory;
    double *velocity, *terms, *impulse; /* 2 n; terms: sizes */
    double *rate, *force;               /* 2 n: per unit of the impulse */
    double *size; /* 2 n: sum of the terms of a rate, which may cancel */
    bool *held;   /* n: took part in the piece before, */
    struct point_state *state; /* n: in this state, */
    bool *ended;               /* n: which has come to its end */
    bool shared, loads;
    bool pace; /* how fast the velocities go along their line is open */
    double *friction_work; /* n */
    double work;           /* of the point that is hit, in this phase */
    double done;           /* impulse at the point that is hit */
};

/* The points that feel the process now: the one that is hit, and those that
 * neither separate nor have left. Returns how many. */
static int
present_points(const struct process *at, int *index)
{
    int count = 0;
    for (int i = 0; i < at->n; i++)
        if (i == at->hit || at->velocity[2 * i] == 0.0)
            index[count++] = i;
    return count;
}

int
friction_impact_joints(const struct friction_impact_point *point, int n)
{
    int joints = 0;
    while (joints < n && point[n - 1 - joints].grip)
        joints++;
    return joints;
}

struct friction_grip *
friction_grips_among(struct arena *arena, int all, int n, const int *index,
                     const struct friction_impact_point *point, int *n_grip)
{
    assert(arena && index && point && n_grip && n <= all);
    (void)all;
    struct friction_grip *grip = NEW_N(arena, struct friction_grip, n + 1);
    *n_grip = 0;
    for (int i = 0; i < n; i++) {
        const struct friction_grip *from = point[index[i]].grip;
        if (!from)
            continue;
        struct friction_grip *to = grip + (*n_grip)++;
        *to = *from;
        for (int c = 0; c < 2; c++) {
            double *by = NEW_N(arena, double, 2 * (size_t)n);
            for (int r = 0; r < 2 * n; r++)
                by[r] = from->by[c][2 * index[r / 2] + r % 2];
            to->by[c] = by;
        }
    }
    return grip;
}

static void
fill_problem(const struct process *at, int count, const int *index,
             struct mode_problem *problem, struct mode_point *point)
{
    double *W = NEW_N(at->arena, double, 4 * (size_t)count * (size_t)count);
    double *terms = NEW_N(at->arena, double, 2 * (size_t)count);
    size_t rows = 2 * (size_t)count;
    for (int i = 0; i < count; i++) {
        const struct friction_impact_point *from = at->point + index[i];
        bool driven = index[i] == at->hit;
        point[i] =
            (struct mode_point){.mu_stick = fmax(from->mu, from->mu_static),
                                .mu_slip = from->mu,
                                .offset = driven ? 1.0 : 0.0,
                                .slip = at->velocity[2 * index[i] + 1],
                                .scale = FRICTION_TOLERANCE,
                                .driven = driven || from->grip,
                                .held = at->held[index[i]],
                                .ended = at->ended[index[i]],
                                .before = at->state[index[i]]};
    }
    for (size_t r = 0; r < rows; r++) {
        const double *row = at->W +
                            (size_t)(2 * index[r / 2]) * 2 * (size_t)at->n +
                            (r % 2) * 2 * (size_t)at->n;
        for (size_t c = 0; c < rows; c++)
            W[r * rows + c] = row[2 * (size_t)index[c / 2] + c % 2];
        /* a force there is the sum of terms of the size of these at most: where
         * they cancel, rounding of them is left */
        terms[r] = sqrt(row[2 * (size_t)index[r / 2] + r % 2] *
                        at->W[(2 * (size_t)at->hit) * (2 * (size_t)at->n + 1)]);
    }
    *problem = (struct mode_problem){.n = count,
                                     .point = point,
                                     .W = W,
                                     .free = NEW_N(at->arena, double, rows),
                                     .terms = terms,
                                     .memory = at->memory};
    mode_find_pattern(at->arena, problem);
}

/* Chooses the modes of the piece that begins here, and its rates. The work of
 * compression is negative at any rate of the velocities along one line, so that
 * they all go the same way on it. back: restitution, of which that is not said.
 */
static enum friction_verdict
choose(struct process *at, bool back)
{
    int *index = NEW_N(at->arena, int, at->n);
    int count = present_points(at, index), rows = 2 * at->n;
    struct mode_point *point = NEW_N(at->arena, struct mode_point, count);
    struct mode_result *result = NEW(at->arena, struct mode_result);
    struct mode_problem problem;
    fill_problem(at, count, index, &problem, point);
    int n_grip;
    struct friction_grip *grip = friction_grips_among(
        at->arena, at->n, count, index, at->point, &n_grip);
    mode_search_gripped(at->arena, &problem, point, n_grip, grip, result);
    if (result->taken < 0)
        return result->n ? FRICTION_SEVERAL : result->verdict;
    const struct mode_found *found = result->found + result->taken;
    at->shared |= found->solution.shared;
    bool pace = found->solution.pace && !back;
    at->pace |= found->solution.loads && pace;
    at->loads |= found->solution.loads && !pace;
    memset(at->force, 0, sizeof *at->force * (size_t)rows);
    for (int i = 0; i < count; i++)
        for (int part = 0; part < 2; part++)
            at->force[2 * index[i] + part] =
                found->solution.force[2 * i + part];
    for (int r = 0; r < rows; r++) {
        const double *row = at->W + (size_t)r * (size_t)rows;
        at->rate[r] = dense_dot(rows, row, at->force);
        at->size[r] = 0.0;
        for (int c = 0; c < rows; c++)
            at->size[r] += fabs(row[c] * at->force[c]);
    }
    memset(at->held, 0, sizeof *at->held * (size_t)at->n);
    memset(at->ended, 0, sizeof *at->ended * (size_t)at->n);
    for (int i = 0; i < count; i++) {
        at->state[index[i]] = found->state[i];
        at->held[index[i]] = true;
        for (int r = 2 * i; r < 2 * i + 2; r++) {
            double size = mode_row_size(&problem, found->solution.force, r);
            double *rate = at->rate + 2 * index[i] + r % 2;
            *rate = found->solution.acc[r];
            if (fabs(*rate) <= FRICTION_TOLERANCE * size)
                *rate = 0.0; /* held, by points that depend on each other */
        }
    }
    return result->verdict;
}

/* The impulse at which the velocity of a row comes to 0; INFINITY: never. */
static double
to_zero(const struct process *at, int row)
{
    double u = at->velocity[row], rate = at->rate[row];
    return u != 0.0 && u * rate < 0.0 ? -u / rate : INFINITY;
}

/* The impulse of the piece until its first corner, other than the end of the
 * phase. */
static double
to_corner(const struct process *at)
{
    double least = INFINITY;
    for (int i = 0; i < at->n; i++) {
        least = fmin(least, to_zero(at, 2 * i + 1));
        if (i != at->hit)
            least = fmin(least, to_zero(at, 2 * i));
    }
    return least;
}

/* Moves on by the impulse I of the point that is hit. Velocities that come to 0
 * are exactly 0 then. */
static void
move(struct process *at, double I)
{
    double before = at->velocity[2 * at->hit];
    for (int r = 0; r < 2 * at->n; r++) {
        double old = at->velocity[r];
        at->velocity[r] += at->rate[r] * I;
        at->impulse[r] += at->force[r] * I;
        if (r % 2)
            at->friction_work[r / 2] +=
                0.5 * (old + at->velocity[r]) * at->force[r] * I;
        at->terms[r] = fmax(at->terms[r], at->size[r] * I);
        if (r == 2 * at->hit || !(old * at->rate[r] < 0.0) ||
            fabs(at->velocity[r]) > PROCESS_ROUNDING * at->terms[r])
            continue;
        at->velocity[r] = 0.0;
        at->ended[r / 2] = at->held[r / 2];
    }
    at->work += 0.5 * (before + at->velocity[2 * at->hit]) * I;
    at->done += I;
}

/* The impulse that is left of the phase on this piece; INFINITY: more than the
 * piece has. back: restitution, which ends at `goal` by the law. */
static double
to_end(const struct process *at, bool back, enum friction_law law, double goal)
{
    double v = at->velocity[2 * at->hit], p = at->rate[2 * at->hit];
    /* all has come to rest, and what is left of this velocity does no work */
    if (back && p == 0.0 &&
        fabs(v) <= PROCESS_ROUNDING * at->terms[2 * at->hit])
        v = 0.0;
    if (back && law == FRICTION_POISSON)
        return fmax(0.0, goal - at->done);
    if (back && law == FRICTION_ENERGETIC) {
        double left = goal - at->work, root = v * v + 2.0 * p * left;
        return left <= 0.0 ? 0.0
               : root >= 0.0 && v + sqrt(root) > 0.0
                   ? 2.0 * left / (v + sqrt(root))
                   : INFINITY;
    }
    double I = ((back ? goal : 0.0) - v) / p;
    return p > 0.0 && I >= 0.0 ? I : INFINITY;
}

/* The impulse that rounding hides once the point that is hit has given I more:
 * what changes its velocity by no more than that. Where all comes to rest at
 * one time, the end of the phase and corners differ by as much. */
static double
hidden(const struct process *at, double I)
{
    int hit = 2 * at->hit;
    double terms = fmax(at->terms[hit], at->size[hit] * I);
    return at->rate[hit] != 0.0 && isfinite(I)
               ? PROCESS_ROUNDING * terms / fabs(at->rate[hit])
               : 0.0;
}

/* Follows the process to the end of a phase. */
static enum friction_verdict
follow(struct process *at, bool back, enum friction_law law, double goal)
{
    enum friction_verdict verdict = FRICTION_UNIQUE;
    for (int piece = 0; piece < PROCESS_PIECES * at->n; piece++) {
        enum friction_verdict here = choose(at, back);
        if (here == FRICTION_NOT_SHOWN)
            verdict = here;
        else if (here != FRICTION_UNIQUE && here != FRICTION_SHARED &&
                 here != FRICTION_LOADS)
            return here;
        double end = to_end(at, back, law, goal), corner = to_corner(at);
        if (!isfinite(end) && !isfinite(corner))
            return FRICTION_NONE; /* no impulse opens the point */
        bool ends = end <= corner + hidden(at, corner);
        move(at, ends ? end : corner);
        if (ends)
            return verdict;
    }
    return FRICTION_UNKNOWN;
}

/* What comes back, by the law of the point that is hit. */
static double
goal_of(const struct process *at)
{
    const struct friction_impact_point *point = at->point + at->hit;
    switch (point->law) {
    case FRICTION_NEWTON:
        return -point->e * point->normal;
    case FRICTION_POISSON:
        return (1.0 + point->e) * at->done;
    case FRICTION_ENERGETIC:
        break;
    }
    return -point->e * point->e * at->work;
}

void
friction_impact_process(struct arena *arena, int n, const double *W,
                        const struct friction_impact_point *point, int hit,
                        struct friction_memory *memory,
                        struct friction_impact_several *out)
{
    assert(arena && W && point && out && hit >= 0 && hit < n);
    assert(point[hit].normal < 0.0);
    size_t rows = 2 * (size_t)n;
    struct process at = {.arena = arena,
                         .n = n,
                         .hit = hit,
                         .W = W,
                         .point = point,
                         .memory = memory,
                         .velocity = NEW_N(arena, double, rows),
                         .terms = NEW_N(arena, double, rows),
                         .impulse = out->impulse,
                         .friction_work = out->work,
                         .rate = NEW_N(arena, double, rows),
                         .force = NEW_N(arena, double, rows),
                         .size = NEW_N(arena, double, rows),
                         .held = NEW_N(arena, bool, n),
                         .state = NEW_N(arena, struct point_state, n),
                         .ended = NEW_N(arena, bool, n)};
    for (int i = 0; i < n; i++) {
        at.velocity[2 * i] = point[i].normal;
        at.velocity[2 * i + 1] = point[i].slip;
    }
    for (size_t r = 0; r < rows; r++)
        at.terms[r] = fabs(at.velocity[r]);
    enum friction_verdict verdict = follow(&at, false, FRICTION_NEWTON, 0.0);
    bool compressed = friction_applies(verdict);
    double goal = goal_of(&at);
    /* the impulse and the work of compression depend on how fast that was */
    bool asks = point[hit].e > 0.0 && point[hit].law != FRICTION_NEWTON;
    if (at.pace)
        *(asks ? &at.loads : &at.shared) = true;
    if (compressed)
        at.velocity[2 * hit] = 0.0;
    if (compressed && point[hit].e > 0.0) {
        at.work = 0.0;
        enum friction_verdict back = follow(&at, true, point[hit].law, goal);
        verdict = back == FRICTION_UNIQUE ? verdict : back;
        if (point[hit].law == FRICTION_NEWTON)
            at.velocity[2 * hit] = goal;
    }
    out->verdict = verdict != FRICTION_UNIQUE ? verdict
                   : at.loads                 ? FRICTION_LOADS
                   : at.shared                ? FRICTION_SHARED
                                              : FRICTION_UNIQUE;
    memcpy(out->after, at.velocity, sizeof *out->after * rows);
}
