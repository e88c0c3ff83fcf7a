/* SPDX-License-Identifier: MIT */
/* Impacts with friction, at one point and at several.
 *
 * At one point (specification painleve.md, 4) the impulse process
 * d(u, v)/dI = (B + A T/N, C + B T/N) is a path of at most two straight pieces,
 * before and after the slip first comes to 0. Compression ends where v = 0;
 * restitution ends by the law.
 *
 * At several (specification friction.md, 2), in the laws of complementarity the
 * velocities after the impact, w + W p, take the place of accelerations, and
 * impulses that of forces: the search for modes (mode_search.c) serves both. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"

/* -- one point --------------------------------------------------------------
 */

/* A velocity after an own law that is below so many roundings of its terms is
 * 0.
 */
#define OWN_ROUNDING 16.0

/* A piece of the path: rates per unit of normal impulse. */
struct piece {
    double slip, normal; /* of u and v */
    double tangential;   /* of the tangential impulse */
    bool stick;
};

static struct piece
slipping(double A, double B, double C, double mu, double sign)
{
    return (struct piece){B - sign * mu * A, C - sign * mu * B, -sign * mu,
                          false};
}

/* Returns the piece that begins where the slip is 0. */
static struct piece
from_rest(double A, double B, double C, double mu)
{
    if (fabs(B) > mu * A)
        return slipping(A, B, C, mu, B > 0.0 ? 1.0 : -1.0);
    double ratio = A > 0.0 ? B / A : 0.0;
    return (struct piece){0.0, C - ratio * B, -ratio, true};
}

/* What the process has done so far. */
struct process {
    double impulse, slip, normal, tangential;
    double work; /* of the normal impulse since the phase began */
};

/* Moves along a piece by the normal impulse I. */
static void
move(struct process *at, const struct piece *piece, double I)
{
    double v = at->normal + piece->normal * I;
    at->work += 0.5 * (at->normal + v) * I;
    at->normal = v;
    at->slip = piece->stick ? 0.0 : at->slip + piece->slip * I;
    at->tangential += piece->tangential * I;
    at->impulse += I;
}

/* The impulse after which a phase on this piece ends; INFINITY: never. `goal`
 * is a normal velocity, an impulse or a work, by the law. */
static double
to_velocity(const struct process *at, const struct piece *piece, double goal)
{
    double I = (goal - at->normal) / piece->normal;
    return piece->normal > 0.0 && I >= 0.0 ? I : INFINITY;
}

/* Returns the impulse at which the work still to be done along a piece is done:
 * v I + p I^2/2 = left, v >= 0. */
static double
to_work(const struct process *at, const struct piece *piece, double goal)
{
    double left = goal - at->work, v = at->normal, p = piece->normal;
    double root = v * v + 2.0 * p * left;
    if (left <= 0.0)
        return 0.0;
    return root >= 0.0 && v + sqrt(root) > 0.0 ? 2.0 * left / (v + sqrt(root))
                                               : INFINITY;
}

static double
phase_end(const struct process *at, const struct piece *piece,
          enum friction_law law, double goal)
{
    switch (law) {
    case FRICTION_NEWTON:
        return to_velocity(at, piece, goal);
    case FRICTION_POISSON:
        return fmax(0.0, goal - at->impulse);
    case FRICTION_ENERGETIC:
        break;
    }
    return to_work(at, piece, goal);
}

/* Follows the path to the end of a phase. *reach: the impulse that is left on
 * the first piece; *second: the slip has come to 0. */
static void
follow(struct process *at, const struct piece piece[2], double *reach,
       bool *second, enum friction_law law, double goal)
{
    if (!*second) {
        double I = phase_end(at, &piece[0], law, goal);
        if (I <= *reach) {
            move(at, &piece[0], I);
            *reach -= I;
            return;
        }
        move(at, &piece[0], *reach);
        at->slip = 0.0;
        *second = true;
    }
    double I = phase_end(at, &piece[1], law, goal);
    move(at, &piece[1], isfinite(I) ? I : 0.0);
}

/* Returns the region, 1 to 10; even ones begin with slip < 0. */
static int
region_of(double sign, bool first, bool second, bool stick)
{
    int odd = !second ? 1 : stick ? (first ? 5 : 3) : (first ? 9 : 7);
    return odd + (sign < 0.0);
}

/* The impact by a law of the user's own. What it fails to say is no impulse:
 * the run ends by its diagnostic. */
static void
own_law(double A, double B, double C, const struct friction_impact_point *point,
        struct friction_impact *out)
{
    double argument[7] = {
        -point->normal, point->slip, point->e, point->mu, A, B, C};
    double P[2];
    if (!point->own->impulse(point->own->context, point->contact, argument, P))
        return;
    out->normal[0] = P[0];
    out->tangential = P[1];
    out->after[0] = point->normal + C * P[0] + B * P[1];
    out->after[1] = point->slip + B * P[0] + A * P[1];
    /* what sticks or stays closed but for rounding does so */
    double terms[2] = {fabs(point->normal) + fabs(C * P[0]) + fabs(B * P[1]),
                       fabs(point->slip) + fabs(B * P[0]) + fabs(A * P[1])};
    for (int i = 0; i < 2; i++) {
        if (fabs(out->after[i]) <= OWN_ROUNDING * DBL_EPSILON * terms[i])
            out->after[i] = 0.0;
        double before = i ? point->slip : point->normal;
        out->work[i] = 0.5 * P[i] * (before + out->after[i]);
    }
}

void
friction_impact_one(double A, double B, double C,
                    const struct friction_impact_point *point,
                    struct friction_impact *out)
{
    assert(point && out && C > 0.0 && A >= 0.0 && point->mu >= 0.0);
    double slip = point->slip, normal = point->normal, mu = point->mu,
           e = point->e;
    *out = (struct friction_impact){.after = {normal, slip}};
    if (!(normal < 0.0))
        return;
    if (point->own) {
        own_law(A, B, C, point, out);
        return;
    }
    struct piece rest = from_rest(A, B, C, mu);
    double sign = slip > 0.0 ? 1.0 : slip < 0.0 ? -1.0 : 0.0;
    double start = sign;
    if (sign == 0.0 && !rest.stick)
        start = rest.tangential < 0.0 ? 1.0 : -1.0;
    struct piece piece[2] = {slipping(A, B, C, mu, start), rest};
    double rate = -start * piece[0].slip;
    double reach = sign == 0.0  ? 0.0
                   : rate > 0.0 ? fabs(slip) / rate
                                : INFINITY;
    bool second = sign == 0.0;
    struct process at = {0.0, slip, normal, 0.0, 0.0};
    follow(&at, piece, &reach, &second, FRICTION_NEWTON, 0.0);
    bool in_compression = second;
    at.normal = 0.0;
    out->normal[0] = at.impulse;
    out->work[0] = at.work;
    double goal = point->law == FRICTION_NEWTON    ? -e * normal
                  : point->law == FRICTION_POISSON ? (1.0 + e) * at.impulse
                                                   : -e * e * at.work;
    at.work = 0.0;
    follow(&at, piece, &reach, &second, point->law, goal);
    if (point->law == FRICTION_NEWTON)
        at.normal = goal;
    out->normal[1] = at.impulse - out->normal[0];
    out->work[0] += at.work;
    out->tangential = at.tangential;
    out->after[0] = at.normal;
    out->after[1] = at.slip;
    out->region = region_of(start, in_compression, second, rest.stick);
    if (sign == 0.0 && !rest.stick) /* slips from the beginning */
        out->region = start > 0.0 ? 1 : 2;
    /* work of the tangential impulse: what is left of the change of energy,
     * P.(w + w')/2 over both rows */
    double energy = 0.5 * at.impulse * (normal + at.normal) +
                    0.5 * at.tangential * (slip + at.slip);
    out->work[1] = energy - out->work[0];
}

/* -- several points ---------------------------------------------------------
 */

/* single impacts before a sequence counts as endless */
#define SEQUENCE_MOST 100000L
/* two approaches count as equal: far above rounding, far below what data of
 * different points would give */
#define SEQUENCE_TIE 1e-9
/* an approach below this share of the speeds is rounding */
#define SEQUENCE_STILL 1e-13
/* -ln SEQUENCE_STILL */
#define SEQUENCE_DECAY 30.0

struct several {
    struct arena *arena;
    int n;
    const double *W;
    const struct friction_impact_point *point;
    struct friction_memory *memory;
    struct friction_impact_several *out;
    double *before; /* 2 n */
    bool restitutions_differ;
    double apart;      /* by how much solutions of the last problem differ */
    bool normals_vary; /* the normal impulses of the last problem do; asked
                          where restitutions differ */
};

/* Makes the velocities after, from impulses, and the change of the energy. */
static void
apply(struct several *several)
{
    int rows = 2 * several->n;
    struct friction_impact_several *out = several->out;
    out->energy = 0.0;
    for (int i = 0; i < rows; i++) {
        out->after[i] = several->before[i];
        for (int j = 0; j < rows; j++)
            out->after[i] += several->W[i * rows + j] * out->impulse[j];
    }
    for (int i = 0; i < rows; i++)
        out->energy +=
            0.5 * out->impulse[i] * (several->before[i] + out->after[i]);
}

/* -- one after the other ----------------------------------------------------
 */

/* Returns the point whose turn it is; -1: none approaches. *tie: another one
 * with the same claim feels it. */
static int
turn(const struct several *several, const double *w, double still, bool *tie)
{
    int best = -1, rows = 2 * several->n;
    double most = 0.0;
    for (int i = 0; i < several->n; i++) {
        double C = several->W[2 * i * (rows + 1)], v = w[2 * i];
        if (!(v < -still) || !(C > 0.0))
            continue;
        double size = v * v / C, mine = several->point[i].priority;
        if (best >= 0) {
            double other = several->point[best].priority;
            bool close = fabs(size - most) <= SEQUENCE_TIE * most;
            bool felt = false;
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    int r = 2 * i + a, c = 2 * best + b;
                    double w2 = several->W[r * rows + c];
                    felt |= w2 * w2 > SEQUENCE_TIE * SEQUENCE_TIE *
                                          several->W[r * (rows + 1)] *
                                          several->W[c * (rows + 1)];
                }
            *tie |= mine == other && close && felt;
            if (mine > other || (mine == other && (close || size < most)))
                continue;
        }
        best = i;
        most = size;
    }
    return best;
}

/* One impact of the sequence, at point i, beside joints with friction, which
 * answer. False: its outcome is not determined. */
static bool
with_joints(struct several *several, int i, double e, double *velocity)
{
    int rows = 2 * several->n,
        joints = friction_impact_joints(several->point, several->n),
        n = joints + 1, *index = NEW_N(several->arena, int, n), n_grip;
    struct friction_impact_point *point =
        NEW_N(several->arena, struct friction_impact_point, n);
    double *W = NEW_N(several->arena, double, 4 * (size_t)n * (size_t)n);
    struct friction_impact_several one = {
        .impulse = NEW_N(several->arena, double, 2 * (size_t)n),
        .after = NEW_N(several->arena, double, 2 * (size_t)n),
        .work = NEW_N(several->arena, double, n)};
    for (int k = 0; k < n; k++)
        index[k] = k == 0 ? i : several->n - joints + k - 1;
    struct friction_grip *grip = friction_grips_among(
        several->arena, several->n, n, index, several->point, &n_grip);
    for (int k = 0; k < n; k++) {
        point[k] = several->point[index[k]];
        point[k].normal = velocity[2 * index[k]];
        point[k].slip = velocity[2 * index[k] + 1];
        point[k].grip = k == 0 ? NULL : grip + (k - 1);
    }
    point[0].e = e;
    for (int r = 0; r < 4 * n * n; r++)
        W[r] =
            several->W[(2 * index[r / (2 * n) / 2] + r / (2 * n) % 2) * rows +
                       2 * index[r % (2 * n) / 2] + r % 2];
    friction_impact_process(several->arena, n, W, point, 0, several->memory,
                            &one);
    if (!friction_applies(one.verdict))
        return false;
    for (int k = 0; k < 2 * n; k++) {
        int from = 2 * index[k / 2] + k % 2;
        several->out->impulse[from] += one.impulse[k];
        for (int r = 0; r < rows; r++)
            velocity[r] += several->W[r * rows + from] * one.impulse[k];
    }
    for (int k = 0; k < n; k++)
        several->out->work[index[k]] += one.work[k];
    for (int k = 0; k < 2 * n; k++)
        velocity[2 * index[k / 2] + k % 2] = one.after[k];
    return true;
}

static void
sequential(struct several *several)
{
    struct friction_impact_several *out = several->out;
    int rows = 2 * several->n;
    double *velocity = NEW_N(several->arena, double, rows), speed = 0.0;
    bool tie = false;
    for (int i = 0; i < rows; i++) {
        velocity[i] = several->before[i];
        speed = fmax(speed, fabs(velocity[i]));
    }
    for (out->steps = 0; out->steps < SEQUENCE_MOST; out->steps++) {
        int i = turn(several, velocity, SEQUENCE_STILL * speed, &tie);
        if (i < 0)
            break;
        const double *W = several->W + (size_t)(2 * i) * (size_t)rows + 2 * i;
        struct friction_impact_point point = several->point[i];
        struct friction_impact one;
        point.normal = velocity[2 * i];
        if (point.varies)
            point.e = point.varies->of(point.varies->context, point.contact,
                                       -point.normal);
        point.slip = velocity[2 * i + 1];
        if (friction_impact_joints(several->point, several->n)) {
            if (!with_joints(several, i, point.e, velocity)) {
                out->verdict = FRICTION_UNKNOWN;
                return;
            }
            continue;
        }
        friction_impact_one(W[rows + 1], W[1], W[0], &point, &one);
        double p = one.normal[0] + one.normal[1];
        out->impulse[2 * i] += p;
        out->impulse[2 * i + 1] += one.tangential;
        out->work[i] += one.work[1];
        for (int r = 0; r < rows; r++)
            velocity[r] += several->W[r * rows + 2 * i] * p +
                           several->W[r * rows + 2 * i + 1] * one.tangential;
        velocity[2 * i] = one.after[0];
        velocity[2 * i + 1] = one.after[1];
    }
    /* A sequence without end shrinks by a factor in each of its impacts, at the
     * slowest by SEQUENCE_STILL in all of them; the sum of those that are left
     * out follows. */
    out->still =
        SEQUENCE_STILL * speed * (1.0 + (double)out->steps / SEQUENCE_DECAY);
    for (int i = 0; i < rows; i++)
        out->after[i] = fabs(velocity[i]) <= out->still ? 0.0 : velocity[i];
    out->tie = tie;
    out->verdict =
        out->steps == SEQUENCE_MOST ? FRICTION_UNKNOWN : FRICTION_UNIQUE;
}

/* -- complementarity --------------------------------------------------------
 */

/* Points that stick may press each other along the ground alone: what of it is
 * shared changes no normal impulse. */
static bool
normals_vary(const struct several *several, const struct mode_problem *problem,
             const struct point_state *state)
{
    struct friction_range *range =
        NEW_N(several->arena, struct friction_range, problem->n);
    double most = 0.0, apart = 0.0;
    mode_ranges(several->arena, problem, state, range);
    for (int i = 0; i < problem->n; i++) {
        const double *normal = range[i].normal;
        if (several->point[i].grip)
            continue;
        most = fmax(most, fabs(normal[0]));
        apart = fmax(apart, normal[1] - normal[0]);
    }
    return apart > FRICTION_SAME * most;
}

/* The energy of a solution, less that of the free velocities. */
static double
energy_of(const struct mode_solution *one, int n, const double *free)
{
    double energy = 0.0;
    for (int r = 0; r < 2 * n; r++)
        energy += 0.5 * one->force[r] * (free[r] + one->acc[r]);
    return energy;
}

/* The solution that takes most energy. *apart: by how much velocities of the
 * others differ, at most. */
static const struct mode_found *
least_of(const struct mode_result *result, int n, const double *free,
         double *apart)
{
    const struct mode_found *best = result->found;
    *apart = 0.0;
    for (int k = 1; k < result->n; k++) {
        const struct mode_solution *one = &result->found[k].solution;
        for (int other = 0; other < k; other++)
            for (int r = 0; r < 2 * n; r++)
                *apart =
                    fmax(*apart, fabs(one->acc[r] -
                                      result->found[other].solution.acc[r]));
        if (energy_of(one, n, free) < energy_of(&best->solution, n, free))
            best = result->found + k;
    }
    return best;
}

/* One problem of complementarity: free velocities of the rows, coefficients of
 * friction, impulses that are there in any case. Adds to the impulses. after
 * (2 n): the velocities, exactly 0 where the modes say so. */
static enum friction_verdict
solve(struct several *several, const double *free, const double *terms,
      const double *offset, double *after)
{
    int n = several->n;
    struct mode_point *point = NEW_N(several->arena, struct mode_point, n);
    struct mode_result *result = NEW(several->arena, struct mode_result);
    struct mode_problem problem = {.n = n,
                                   .point = point,
                                   .W = several->W,
                                   .free = free,
                                   .terms = terms,
                                   .unnamed = true};
    mode_find_pattern(several->arena, &problem);
    for (int i = 0; i < n; i++)
        point[i] = (struct mode_point){.mu_stick = several->point[i].mu,
                                       .mu_slip = several->point[i].mu,
                                       .offset = offset ? offset[i] : 0.0,
                                       .driven = several->point[i].grip != NULL,
                                       .scale = FRICTION_TOLERANCE};
    int n_grip, *index = NEW_N(several->arena, int, n);
    for (int i = 0; i < n; i++)
        index[i] = i;
    struct friction_grip *grip = friction_grips_among(
        several->arena, n, n, index, several->point, &n_grip);
    mode_search_gripped(several->arena, &problem, point, n_grip, grip, result);
    if (result->n == 0)
        return result->verdict;
    const struct mode_found *found = least_of(result, n, free, &several->apart);
    const struct mode_solution *one = &found->solution;
    for (int r = 0; r < 2 * n; r++)
        several->out->impulse[r] += one->force[r];
    for (int T = 1; T < 2 * n; T += 2)
        several->out->work[T / 2] +=
            0.5 * one->force[T] * (free[T] + one->acc[T]);
    memcpy(after, one->acc, sizeof *after * 2 * (size_t)n);
    several->normals_vary = one->shared && several->restitutions_differ &&
                            normals_vary(several, &problem, found->state);
    return result->verdict;
}

/* Moreau: the normal velocity after + e before takes the place of the
 * acceleration. */
static void
moreau(struct several *several)
{
    int n = several->n;
    double *free = NEW_N(several->arena, double, 2 * n);
    double *terms = NEW_N(several->arena, double, 2 * n);
    double *after = several->out->after;
    for (int i = 0; i < n; i++) {
        double e = several->before[2 * i] < 0.0 ? several->point[i].e : 0.0;
        free[2 * i] = (1.0 + e) * several->before[2 * i];
        free[2 * i + 1] = several->before[2 * i + 1];
        terms[2 * i] = fabs(free[2 * i]);
        terms[2 * i + 1] = fabs(free[2 * i + 1]);
    }
    several->out->verdict = solve(several, free, terms, NULL, after);
    if (several->out->verdict == FRICTION_SEVERAL)
        several->out->apart = several->apart;
    for (int i = 0; i < n; i++)
        after[2 * i] += several->before[2 * i] - free[2 * i];
}

/* Which normal impulses come back. Returns how many points have some. *differ:
 * the shares of points that depend on each other matter, because their
 * restitutions differ. */
static int
what_comes_back(const struct several *several, double *back, bool *differ)
{
    int count = 0;
    double first = 0.0;
    *differ = false;
    for (int i = 0; i < several->n; i++) {
        double e = several->point[i].e, P = several->out->impulse[2 * i];
        back[i] = e * P;
        count += back[i] > 0.0;
        if (!(P > 0.0) || several->point[i].grip)
            continue;
        *differ |= first > 0.0 && e != several->point[(int)first - 1].e;
        first = first > 0.0 ? first : i + 1;
    }
    return count;
}

/* Compression, and then e times its normal impulses with friction of their own.
 */
static void
two_phases(struct several *several)
{
    struct friction_impact_several *out = several->out;
    int n = several->n, rows = 2 * n;
    double *terms = NEW_N(several->arena, double, rows);
    double *back = NEW_N(several->arena, double, n);
    double *free = NEW_N(several->arena, double, rows);
    bool differ;
    for (int r = 0; r < rows; r++)
        terms[r] = fabs(several->before[r]);
    out->verdict = solve(several, several->before, terms, NULL, free);
    memcpy(out->after, free, sizeof *free * (size_t)rows);
    if (!friction_applies(out->verdict) ||
        !what_comes_back(several, back, &differ))
        return;
    if (out->verdict == FRICTION_SHARED && differ && several->normals_vary)
        out->verdict = FRICTION_LOADS;
    for (int r = 0; r < rows; r++) {
        terms[r] += fabs(free[r]);
        for (int j = 0; j < rows; j++)
            terms[r] += fabs(several->W[r * rows + j] * out->impulse[j]);
    }
    enum friction_verdict second =
        solve(several, free, terms, back, out->after);
    if (!friction_applies(second) || out->verdict == FRICTION_UNIQUE ||
        (out->verdict == FRICTION_SHARED && second != FRICTION_UNIQUE))
        out->verdict = second;
}

/* -- the energetic law of several -------------------------------------------
 */

/* the interval of the factor of what comes back is halved down to its rounding,
 * in so many steps at most */
#define ENERGETIC_HALVINGS 200

/* What expansion begins with: velocities, their terms, impulses and works of
 * the compression, impulses that come back at the factor 1. */
struct expansion {
    double *free, *terms, *impulse, *work, *back;
    enum friction_verdict verdict; /* of the last trial */
};

/* Expands by `factor`. Returns the work of the normal impulses, each along a
 * straight line. */
static double
expand(struct several *several, struct expansion *from, double factor)
{
    struct friction_impact_several *out = several->out;
    size_t n = (size_t)several->n;
    double *back = NEW_N(several->arena, double, n), work = 0.0;
    memcpy(out->impulse, from->impulse, 2 * n * sizeof *out->impulse);
    memcpy(out->work, from->work, n * sizeof *out->work);
    for (size_t i = 0; i < n; i++)
        back[i] = factor * from->back[i];
    from->verdict = solve(several, from->free, from->terms, back, out->after);
    for (size_t i = 0; i < n; i++)
        work += 0.5 * (out->impulse[2 * i] - from->impulse[2 * i]) *
                (from->free[2 * i] + out->after[2 * i]);
    return work;
}

/* Finds the factor, `most` at most, at which the work of expansion is `wanted`.
 */
static void
find_factor(struct several *several, struct expansion *from, double wanted,
            double most)
{
    double low = 0.0, high = most;
    if (expand(several, from, most) <= wanted)
        return;
    for (int k = 0; k < ENERGETIC_HALVINGS && friction_applies(from->verdict);
         k++) {
        double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high))
            break;
        if (expand(several, from, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    if (friction_applies(from->verdict))
        expand(several, from, high);
}

/* Compression, and an expansion with e^2 of its work. No more impulses come
 * back than there were: Poisson's law adds no energy with any e up to 1. */
static void
energetic_phases(struct several *several)
{
    struct friction_impact_several *out = several->out;
    size_t n = (size_t)several->n, rows = 2 * n;
    struct expansion from = {.free = NEW_N(several->arena, double, rows),
                             .terms = NEW_N(several->arena, double, rows),
                             .impulse = NEW_N(several->arena, double, rows),
                             .work = NEW_N(several->arena, double, n),
                             .back = NEW_N(several->arena, double, n)};
    bool differ;
    double wanted = 0.0, greatest = 0.0;
    for (size_t r = 0; r < rows; r++)
        from.terms[r] = fabs(several->before[r]);
    out->verdict = solve(several, several->before, from.terms, NULL, from.free);
    memcpy(out->after, from.free, rows * sizeof *from.free);
    if (!friction_applies(out->verdict) ||
        !what_comes_back(several, from.back, &differ))
        return;
    if (out->verdict == FRICTION_SHARED && differ && several->normals_vary)
        out->verdict = FRICTION_LOADS;
    memcpy(from.impulse, out->impulse, rows * sizeof *from.impulse);
    memcpy(from.work, out->work, n * sizeof *from.work);
    for (size_t i = 0; i < n; i++) {
        double e = several->point[i].e;
        double work = 0.5 * from.impulse[2 * i] *
                      (several->before[2 * i] + from.free[2 * i]);
        wanted -= e * e * fmin(work, 0.0);
        greatest = fmax(greatest, from.back[i] > 0.0 ? e : 0.0);
    }
    for (size_t r = 0; r < rows; r++) {
        from.terms[r] += fabs(from.free[r]);
        for (size_t j = 0; j < rows; j++)
            from.terms[r] += fabs(several->W[r * rows + j] * from.impulse[j]);
    }
    find_factor(several, &from, wanted, fmax(1.0, 1.0 / greatest));
    if (!friction_applies(from.verdict) || out->verdict == FRICTION_UNIQUE ||
        (out->verdict == FRICTION_SHARED && from.verdict != FRICTION_UNIQUE))
        out->verdict = from.verdict;
}

/* Returns the only point that approaches; -1: none, -2: several. */
static int
only_hit(int n, const struct friction_impact_point *point)
{
    int hit = -1;
    for (int i = 0; i < n; i++)
        if (point[i].normal < 0.0)
            hit = hit == -1 ? i : -2;
    return hit;
}

void
friction_impact_at(struct arena *arena, int n, const double *W,
                   const struct friction_impact_point *point,
                   enum friction_several how, struct friction_memory *memory,
                   struct friction_impact_several *out)
{
    assert(arena && n > 0 && W && point && out);
    struct several several = {.arena = arena,
                              .n = n,
                              .W = W,
                              .point = point,
                              .memory = memory,
                              .out = out};
    size_t rows = 2 * (size_t)n;
    double *before = several.before = NEW_N(arena, double, rows);
    double *exact = NEW_N(arena, double, rows);
    *out =
        (struct friction_impact_several){.impulse = NEW_N(arena, double, rows),
                                         .after = NEW_N(arena, double, rows),
                                         .work = NEW_N(arena, double, n)};
    int hit = only_hit(n, point);
    for (int i = 0; i < n; i++) {
        before[2 * i] = out->after[2 * i] = point[i].normal;
        before[2 * i + 1] = out->after[2 * i + 1] = point[i].slip;
    }
    if (hit == -1)
        return;
    for (int i = 1; i < n; i++)
        several.restitutions_differ |= point[i].e != point[0].e;
    if (how == FRICTION_SEQUENTIAL)
        sequential(&several);
    else if (how == FRICTION_COMPLEMENTARITY)
        moreau(&several);
    else if (how == FRICTION_TWO_PHASES)
        two_phases(&several);
    else if (how == FRICTION_ENERGETIC_PHASES)
        energetic_phases(&several);
    else if (hit >= 0)
        friction_impact_process(arena, n, W, point, hit, memory, out);
    else
        out->verdict = FRICTION_UNKNOWN;
    /* what the law holds at 0 is exactly 0 */
    memcpy(exact, out->after, sizeof *exact * rows);
    apply(&several);
    memcpy(out->after, exact, sizeof *exact * rows);
}
