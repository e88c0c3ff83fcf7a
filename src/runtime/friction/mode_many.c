/* SPDX-License-Identifier: MIT */
/* Modes of many points: by Lemke's method, by sweeps over them, in which each
 * answers to the forces of the others (Jean 1999: nonsmooth Gauss-Seidel), and
 * from edge to edge of their cones; one of these methods after the other. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/numerics/lcp.h"
#include "runtime/numerics/random.h"

/* -- by complementary pairs ------------------------------------------------ */

/* The unknowns of the complementarity problem. Of point i: N (row of its normal
 * acceleration); without slip also the parts T+ and T- of its friction T = T+ -
 * T- (rows of the acceleration of the slip, forward and backward, each with the
 * next added), and the acceleration of its slip, either way (row of what is
 * left to the edge of the cone, mu N - T+ - T-). The matrix is copositive where
 * no point slips, so that Lemke's method finds a solution if there is one
 * (Stewart and Trinkle 1996). */
enum { PAIR_NORMAL, PAIR_FORTH, PAIR_BACK, PAIR_SLIP, PAIRS_AT_REST };
struct pairs {
    int n, *first; /* per point */
    double *M, *q, *z, *room;
};

static int
pairs_of(const struct mode_point *point)
{
    return mode_starts_at_rest(point) ? PAIRS_AT_REST : 1;
}

/* T per N of a point whose friction is none of the unknowns. */
static double
pair_along(const struct mode_point *point)
{
    return mode_starts_at_rest(point) ? 0.0
           : point->slip > 0.0        ? -point->mu_slip
           : point->slip < 0.0        ? point->mu_slip
                                      : 0.0;
}

/* Adds `sign` times an acceleration to a row of the problem. */
static void
add_acceleration(const struct mode_problem *in, struct pairs *pairs, int row,
                 int acceleration, double sign)
{
    const double *w = in->W + (size_t)acceleration * 2 * (size_t)in->n;
    double *M = pairs->M + (size_t)row * (size_t)pairs->n;
    pairs->q[row] = sign * in->free[acceleration];
    for (int j = 0; j < in->n; j++) {
        const struct mode_point *point = in->point + j;
        int first = pairs->first[j];
        double normal = w[2 * j] + pair_along(point) * w[2 * j + 1];
        pairs->q[row] += sign * normal * point->offset;
        if (!point->driven)
            M[first + PAIR_NORMAL] += sign * normal;
        if (!mode_starts_at_rest(point))
            continue;
        M[first + PAIR_FORTH] += sign * w[2 * j + 1];
        M[first + PAIR_BACK] -= sign * w[2 * j + 1];
    }
}

static void
fill_pairs(const struct mode_problem *in, struct pairs *pairs)
{
    size_t n = (size_t)pairs->n;
    memset(pairs->M, 0, sizeof *pairs->M * n * n);
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        int first = pairs->first[i], slip = first + PAIR_SLIP;
        double *M = pairs->M + (size_t)first * n;
        if (point->driven) /* no normal force beside the offset */
            M[first] = pairs->q[first] = 1.0;
        else
            add_acceleration(in, pairs, first, 2 * i, 1.0);
        if (!mode_starts_at_rest(point))
            continue;
        add_acceleration(in, pairs, first + PAIR_FORTH, 2 * i + 1, 1.0);
        add_acceleration(in, pairs, first + PAIR_BACK, 2 * i + 1, -1.0);
        M[PAIR_FORTH * n + (size_t)slip] = M[PAIR_BACK * n + (size_t)slip] =
            1.0;
        M += PAIR_SLIP * n;
        M[first] = point->driven ? 0.0 : point->mu_slip;
        M[first + PAIR_FORTH] = M[first + PAIR_BACK] = -1.0;
        pairs->q[slip] = point->mu_slip * point->offset;
    }
}

/* Scales rows and unknowns so that W has a unit diagonal; scale: of the
 * unknowns. Positive scales leave the problem as it is. */
static void
scale_pairs(const struct mode_problem *in, struct pairs *pairs, double *scale)
{
    int rows = 2 * in->n, n = pairs->n;
    for (int i = 0; i < in->n; i++)
        for (int part = 0; part < 2; part++) {
            double w = in->W[(2 * i + part) * (rows + 1)];
            double root = w > 0.0 ? sqrt(w) : 1.0,
                   *own = scale + pairs->first[i];
            if (part == 0)
                own[PAIR_NORMAL] = 1.0 / root;
            else if (mode_starts_at_rest(in->point + i)) {
                own[PAIR_FORTH] = own[PAIR_BACK] = 1.0 / root;
                own[PAIR_SLIP] = root;
            }
        }
    for (int i = 0; i < n; i++) {
        pairs->q[i] *= scale[i];
        for (int j = 0; j < n; j++)
            pairs->M[i * n + j] *= scale[i] * scale[j];
    }
}

/* Lemke's method goes another way to a solution where rows and unknowns have
 * other scales: where one leads through pivots that are lost in rounding, as
 * points nearly depend on each other, others do not. */
#define PAIRS_TRIES 4
static void
stretch_pairs(struct pairs *pairs, int t, double *scale)
{
    size_t n = (size_t)pairs->n;
    for (size_t i = 0; i < n; i++) {
        double by = 0.4 + 2.0 * random_unit(0.0, (uint64_t)t, i);
        scale[i] *= by;
        pairs->q[i] *= by;
        for (size_t j = 0; j < n; j++) {
            pairs->M[i * n + j] *= by;
            pairs->M[j * n + i] *= by;
        }
    }
}

/* Reads a choice of modes off a solution of the pairs. A normal force up to
 * none (n) is rounding. */
static void
read_pairs(const struct mode_problem *in, const struct pairs *pairs,
           const double *none, struct point_state *states)
{
    double acc = 0.0;
    for (int i = 0; i < in->n; i++)
        if (mode_starts_at_rest(in->point + i))
            acc = fmax(acc, pairs->z[pairs->first[i] + PAIR_SLIP]);
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        const double *z = pairs->z + pairs->first[i];
        struct point_state *state = states + i;
        state->closed = z[PAIR_NORMAL] > none[i];
        state->tangent = TANGENT_NONE;
        if (!state->closed && point->offset == 0.0)
            continue;
        if (point->slip != 0.0)
            state->tangent =
                point->slip > 0.0 ? TANGENT_FORWARD : TANGENT_BACKWARD;
        else if (mode_starts_at_rest(point))
            state->tangent = z[PAIR_SLIP] <= FRICTION_TOLERANCE * acc
                                 ? TANGENT_STICK
                             : z[PAIR_FORTH] > z[PAIR_BACK] ? TANGENT_BACKWARD
                                                            : TANGENT_FORWARD;
    }
}

/* Calls `try` with modes to which Lemke's method leads in `state` (n), until it
 * returns true or no ways are left. A normal force up to none (n) is rounding.
 */
static bool
by_pairs(struct arena *arena, const struct mode_problem *in, const double *none,
         struct point_state *state, bool (*try)(void *context), void *context)
{
    struct pairs pairs = {0, NEW_N(arena, int, in->n), NULL, NULL, NULL, NULL};
    for (int i = 0; i < in->n; i++) {
        pairs.first[i] = pairs.n;
        pairs.n += pairs_of(in->point + i);
    }
    size_t n = (size_t)pairs.n;
    pairs.M = NEW_N(arena, double, n *n);
    pairs.q = NEW_N(arena, double, n);
    pairs.z = NEW_N(arena, double, n);
    pairs.room = NEW_N(arena, double, lcp_room(pairs.n));
    double *scale = NEW_N(arena, double, n);
    for (int t = 0; t < PAIRS_TRIES; t++) {
        fill_pairs(in, &pairs);
        scale_pairs(in, &pairs, scale);
        if (t > 0)
            stretch_pairs(&pairs, t, scale);
        if (lcp_lemke(pairs.n, pairs.M, pairs.q, pairs.z, pairs.room))
            continue;
        for (size_t i = 0; i < n; i++)
            pairs.z[i] *= scale[i];
        read_pairs(in, &pairs, none, state);
        if (try(context))
            return true;
    }
    return false;
}

/* -- by sweeps ------------------------------------------------------------- */

/* Sweeps over all points that are made at most; after 1, 2, 4, ... of them, and
 * after each row, the modes that they stand at are tried. */
#define SWEEPS_MOST 4096
/* A leap comes after two rows of so many sweeps, which tell where they lead. */
#define SWEEPS_ROW 8
/* Changes by two rows whose directions differ by more than this share lead
 * nowhere yet. */
#define SWEEPS_ALIKE 0.25

/* Before other methods as few sweeps are made, the first modes tried after
 * QUICK_FIRST: most impacts and changes of heaps end so. */
#define QUICK_MOST 512
#define QUICK_FIRST 32

/* One sweep: each point answers to the forces of the others. */
static void
sweep(const struct mode_problem *in, double *force)
{
    int rows = 2 * in->n;
    for (int r = 0; r < rows; r++) {
        const struct mode_point *point = in->point + r / 2;
        const double *w = in->W + (size_t)r * (size_t)rows;
        double *own = force + 2 * (r / 2), along = 0.0;
        double sign = point->slip > 0.0 ? 1.0 : point->slip < 0.0 ? -1.0 : 0.0;
        double mu = point->mu_slip;
        if (r % 2 == 0 && !point->driven)
            along = w[r] - sign * mu * w[r + 1];
        else if (r % 2 == 1 && sign == 0.0)
            along = w[r];
        if (along > 0.0)
            force[r] -= mode_row_sum(in, r, in->free[r], force) / along;
        own[0] = fmax(own[0], point->offset);
        own[1] = sign != 0.0 ? -sign * mu * own[0]
                             : fmax(-mu * own[0], fmin(mu * own[0], own[1]));
    }
}

/* The modes that the forces of the sweeps stand at. True: others than before.
 */
static bool
read_sweeps(const struct mode_problem *in, const double *none,
            const double *force, struct point_state *states)
{
    bool others = false;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        double N = force[2 * i], T = force[2 * i + 1];
        struct point_state *state = states + i, was = *state;
        state->closed = N > point->offset + none[i];
        state->tangent = N <= none[i] || mode_frictionless(point) ? TANGENT_NONE
                         : fabs(T) < point->mu_slip * N ? TANGENT_STICK
                         : T < 0.0                      ? TANGENT_FORWARD
                                                        : TANGENT_BACKWARD;
        others |= !mode_same_state(*state, was);
    }
    return others;
}

/* How often the last change of the forces may be made once more until a point
 * opens, or comes to the edge of its cone. */
static double
until_edge(const struct mode_problem *in, const double *force,
           const double *change)
{
    double most = INFINITY;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        double N = force[2 * i] - point->offset, dN = change[2 * i],
               T = force[2 * i + 1], dT = change[2 * i + 1];
        if (!point->driven && N > 0.0 && dN < 0.0)
            most = fmin(most, N / -dN);
        for (int side = -1; side <= 1 && mode_starts_at_rest(point);
             side += 2) {
            double left = point->mu_slip * force[2 * i] + side * T,
                   falls = point->mu_slip * dN + side * dT;
            if (left > 0.0 && falls < 0.0)
                most = fmin(most, left / -falls);
        }
    }
    return most;
}

/* Sweeps creep where points depend on each other: where the conditions of
 * points that stick contradict each other by a little, forces grow by as little
 * with each sweep, until one of them comes to an edge. So what the last row of
 * sweeps has changed is changed many times at once: as often as a geometric row
 * of such changes would, but to the first edge at most; or, far: to that edge,
 * as what dies out beside such a growth looks like such a row. before: the
 * change by the row before. */
static void
leap(const struct mode_problem *in, double *force, const double *change,
     const double *before, bool far)
{
    int rows = 2 * in->n;
    double size = 0.0, along = 0.0, was = 0.0, times;
    for (int r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        size += w * change[r] * change[r];
        along += w * change[r] * before[r];
        was += w * before[r] * before[r];
    }
    /* |change - ratio before|^2, where the ratio makes it least */
    double ratio = along / was, differs = size - ratio * along;
    times = until_edge(in, force, change);
    if (!(was > 0.0) || !(differs < SWEEPS_ALIKE * SWEEPS_ALIKE * size) ||
        !(ratio > 0.0))
        return;
    if (ratio < 1.0 && !far)
        times = fmin(times, ratio / (1.0 - ratio));
    for (int r = 0; r < rows && isfinite(times); r++)
        force[r] += times * change[r];
}

/* Does the same whenever sweeps have come to other modes. force (2 n): what the
 * last sweep leaves. */
enum sweeping {
    SWEEPS_QUICK, /* a few, of which few are tried */
    SWEEPS_LEAPING,
    SWEEPS_PLAIN /* without leaps, which may lead away from where slow sweeps
                    would come to an end */
};
static bool
by_sweeps(struct arena *arena, const struct mode_problem *in,
          const double *none, enum sweeping how, double *force,
          struct point_state *state, bool (*try)(void *context), void *context)
{
    size_t rows = 2 * (size_t)in->n;
    double *change = NEW_N(arena, double, 3 * rows), *before = change + rows,
           *last = before + rows;
    memset(force, 0, rows * sizeof *force);
    memset(state, 0, sizeof *state * (size_t)in->n);
    bool quick = how == SWEEPS_QUICK;
    long most = quick ? QUICK_MOST : SWEEPS_MOST;
    for (long made = 1, wait = quick ? QUICK_FIRST : 1; made <= most; made++) {
        sweep(in, force);
        bool row = made % SWEEPS_ROW == 0;
        if (made >= wait || (row && !quick)) {
            wait = made < wait ? wait : 2 * wait;
            if (read_sweeps(in, none, force, state) && try(context))
                return true;
        }
        if (!row)
            continue;
        for (size_t r = 0; r < rows; r++) {
            before[r] = change[r];
            change[r] = force[r] - last[r];
        }
        if (made % (2 * SWEEPS_ROW) == 0 && how != SWEEPS_PLAIN)
            leap(in, force, change, before, made % (8 * SWEEPS_ROW) == 0);
        memcpy(last, force, rows * sizeof *last);
    }
    return false;
}

/* -- from edge to edge -------------------------------------------------------
 * An active set, from the forces to which sweeps have led. Sweeps creep where
 * points nearly depend on each other; here the forces go at once to where the
 * modes hold them, but no further than to the first edge (a force that ceases,
 * a point that comes to the edge of its cone), where that point changes its
 * mode. Where no edge is left, the point whose acceleration contradicts its
 * mode most closes, or sticks. Rows and unknowns are scaled to a unit diagonal
 * of W. */

/* A singular value below this share of the first belongs to points that depend
 * on each other, as a pivot of mode_forces does. */
#define EDGES_ZERO 1e-11
/* So many changes of modes per point are made at most. In the second half the
 * first point that contradicts its mode changes it, not the worst one: what
 * goes round in a circle leaves it so (Bland 1977). */
#define EDGES_CHANGES 16
/* Of so many points at most: each change asks for the singular values of all
 * equations, which of 170 points take a third of a second, and 2700 of them a
 * quarter of an hour. */
#define EDGES_POINTS 60

struct edges {
    const struct mode_problem *in;
    const double *none; /* n: a normal force up to this is rounding */
    struct point_state *state;
    double *force, *way, *scale; /* 2 n each */
    int k, *unknown;
    int freed; /* the point that has just closed or begun to stick; -1 */
    struct point_state from; /* its mode until then */
    double *A, *V, *singular, *rest, *x, *work;
};

static double
acceleration(const struct mode_problem *in, const double *force, int row)
{
    return mode_row_sum(in, row, in->free[row], force);
}

/* Makes the equations of the modes: A (by columns) and the rest that the forces
 * leave of them. Returns the size of the terms of the latter. */
static double
equations(struct edges *at)
{
    const struct mode_problem *in = at->in;
    int rows = 2 * in->n;
    double size = 0.0;
    at->k = 0;
    for (int r = 0; r < rows; r++)
        if (r % 2 == 0 ? at->state[r / 2].closed
                       : at->state[r / 2].tangent == TANGENT_STICK)
            at->unknown[at->k++] = r;
    for (int i = 0; i < at->k; i++) {
        int row = at->unknown[i];
        const double *w = in->W + (size_t)row * (size_t)rows;
        at->rest[i] = -at->scale[row] * acceleration(in, at->force, row);
        size = fmax(size, at->scale[row] * (in->terms ? in->terms[row]
                                                      : fabs(in->free[row])));
        for (int j = 0; j < at->k; j++) {
            int column = at->unknown[j];
            const struct mode_point *point = in->point + column / 2;
            double value = w[column];
            if (column % 2 == 0)
                value += mode_slip_sign(at->state[column / 2].tangent) *
                         point->mu_slip * w[column + 1];
            at->A[j * at->k + i] = at->scale[row] * value * at->scale[column];
        }
    }
    return size;
}

/* Finds the way from the forces to those that the modes hold. True: it ends
 * there; false: the modes contradict each other, and it has no end. */
static bool
find_way(struct edges *at)
{
    double size = equations(at), left = 0.0;
    int k = at->k, rank = 0;
    memset(at->way, 0, sizeof *at->way * 2 * (size_t)at->in->n);
    if (k == 0)
        return true;
    dense_svd(k, k, at->A, at->V, at->singular);
    while (rank < k && at->singular[rank] > EDGES_ZERO * at->singular[0])
        rank++;
    dense_svd_solve(k, k, at->A, at->V, at->singular, rank, at->rest, at->x,
                    at->work);
    /* What the kept directions leave of the rest: rest - U U^T rest. */
    for (int d = 0; d < rank; d++) {
        const double *u = at->A + (size_t)d * (size_t)k;
        double share =
            dense_dot(k, u, at->rest) / at->singular[d] / at->singular[d];
        for (int i = 0; i < k; i++)
            at->rest[i] -= share * u[i];
    }
    for (int i = 0; i < k; i++)
        left = fmax(left, fabs(at->rest[i]));
    /* mode_forces finds this in one row, where it is up to k times as much */
    bool ends = !(k * left > FRICTION_DEPENDS * size);
    for (int i = 0; i < k && !ends; i++)
        at->x[i] = 0.0;
    for (int d = rank; d < k && !ends; d++) {
        const double *v = at->V + (size_t)d * (size_t)k;
        double share = dense_dot(k, v, at->rest);
        for (int i = 0; i < k; i++)
            at->x[i] += share * v[i];
    }
    for (int i = 0; i < k; i++) {
        int row = at->unknown[i];
        at->way[row] += at->scale[row] * at->x[i];
        if (row % 2 == 0)
            at->way[row + 1] += mode_slip_sign(at->state[row / 2].tangent) *
                                at->in->point[row / 2].mu_slip * at->way[row];
    }
    return ends;
}

/* How far the way can be gone, in shares of it, until a bound that has `value`
 * and changes by `change` is met. */
static double
until(double value, double change)
{
    return change < 0.0 ? fmax(value, 0.0) / -change : INFINITY;
}

/* Goes along the way to the first edge, but `most` of it at most, and changes
 * the mode of the point there. False: there is no edge. */
static bool
go_to_edge(struct edges *at, double most)
{
    const struct mode_problem *in = at->in;
    int first = -1;
    enum tangential_state slips = TANGENT_NONE;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        const double *force = at->force + 2 * i, *way = at->way + 2 * i;
        double mu = point->mu_slip,
               opens = until(force[0] - point->offset, way[0]);
        if (at->state[i].closed && opens < most) {
            most = opens;
            first = i;
            slips = TANGENT_NONE;
        }
        for (int side = -1; side <= 1; side += 2) {
            double edge = until(mu * force[0] + side * force[1],
                                mu * way[0] + side * way[1]);
            if (at->state[i].tangent != TANGENT_STICK || !(edge < most))
                continue;
            most = edge;
            first = i;
            slips = side > 0 ? TANGENT_FORWARD : TANGENT_BACKWARD;
        }
    }
    for (int r = 0; r < 2 * in->n && isfinite(most); r++)
        at->force[r] += most * at->way[r];
    if (first < 0)
        return false;
    struct point_state *state = at->state + first;
    double *force = at->force + 2 * first, offset = in->point[first].offset;
    if (slips != TANGENT_NONE) {
        state->tangent = slips;
        force[1] = mode_slip_sign(slips) * in->point[first].mu_slip * force[0];
        return true;
    }
    state->closed = false;
    force[0] = offset;
    if (offset == 0.0) {
        state->tangent = TANGENT_NONE;
        force[1] = 0.0;
    }
    return true;
}

/* Does the way lead the point that has just been let go out over the edge at
 * which it was? With friction this can be: forces then go the other way, as
 * Lemke's method does, to an edge of another point. */
static bool
leads_back(const struct edges *at)
{
    if (at->freed < 0)
        return false;
    const double *way = at->way + 2 * at->freed;
    double sign = mode_slip_sign(at->from.tangent);
    if (at->state[at->freed].closed && !at->from.closed)
        return way[0] < 0.0;
    return at->in->point[at->freed].mu_slip * way[0] - sign * way[1] < 0.0;
}

/* By which share of its terms does an acceleration contradict the mode? */
static double
contradicts(const struct edges *at, int i)
{
    const struct mode_problem *in = at->in;
    const struct mode_point *point = in->point + i;
    struct point_state state = at->state[i];
    double worst = 0.0;
    for (int part = 0; part < 2; part++) {
        int row = 2 * i + part;
        double acc = acceleration(in, at->force, row),
               size = mode_row_size(in, at->force, row);
        /* rounding is the same for all rows that are scaled */
        size = fmax(size, at->none[i] / at->scale[2 * i] / at->scale[row] /
                              FRICTION_TOLERANCE);
        bool asks = part ? mode_starts_at_rest(point) &&
                               mode_slip_sign(state.tangent) != 0.0
                         : !state.closed && !point->driven;
        double against = part ? mode_slip_sign(state.tangent) * acc : -acc;
        if (asks && size > 0.0)
            worst = fmax(worst, against / size);
    }
    return worst > FRICTION_TOLERANCE ? worst : 0.0;
}

/* Closes the point whose acceleration contradicts its mode most (first: the
 * first one that does), or lets it stick. False: there is none. */
static bool
let_go(struct edges *at, bool first)
{
    const struct mode_problem *in = at->in;
    int which = -1;
    double most = 0.0;
    for (int i = 0; i < in->n && !(first && which >= 0); i++) {
        double worst = contradicts(at, i);
        if (worst > most) {
            most = worst;
            which = i;
        }
    }
    if (which < 0)
        return false;
    const struct mode_point *point = in->point + which;
    struct point_state *state = at->state + which;
    at->freed = which;
    at->from = *state;
    bool opens = acceleration(in, at->force, 2 * which) < 0.0;
    if (!state->closed && !point->driven && opens)
        state->closed = true;
    state->tangent = mode_frictionless(point) ? TANGENT_NONE
                     : point->slip > 0.0      ? TANGENT_FORWARD
                     : point->slip < 0.0      ? TANGENT_BACKWARD
                                              : TANGENT_STICK;
    return true;
}

/* Goes on from the forces (2 n) and modes (n) to which sweeps have led. Calls
 * `try` with modes in `state` that keep all forces within their bounds, until
 * it returns true or no other modes are found. */
static bool
by_edges(struct arena *arena, const struct mode_problem *in, const double *none,
         double *force, struct point_state *state, bool (*try)(void *context),
         void *context)
{
    size_t rows = 2 * (size_t)in->n;
    struct edges at = {
        .in = in, .none = none, .state = state, .force = force, .freed = -1};
    at.way = NEW_N(arena, double, 2 * rows * rows + 6 * rows);
    at.scale = at.way + rows;
    at.A = at.scale + rows;
    at.V = at.A + rows * rows;
    at.singular = at.V + rows * rows;
    at.rest = at.singular + rows;
    at.x = at.rest + rows;
    at.work = at.x + rows;
    at.unknown = NEW_N(arena, int, rows);
    for (size_t r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        at.scale[r] = w > 0.0 ? 1.0 / sqrt(w) : 1.0;
    }
    int most = EDGES_CHANGES * in->n;
    for (int change = 0; change < most; change++) {
        double end = find_way(&at) ? 1.0 : INFINITY;
        if (leads_back(&at)) {
            for (size_t r = 0; r < rows; r++)
                at.way[r] = -at.way[r];
            end = INFINITY;
        }
        at.freed = -1;
        if (go_to_edge(&at, end))
            continue;
        if (try(context))
            return true;
        if (!let_go(&at, change > most / 2))
            return false;
    }
    return false;
}

/* -- one method after the other -------------------------------------------- */

/* A normal force up to this is rounding: where bodies of a pile are pressed by
 * nothing, sweeps leave forces of 1e-17 of the others. */
static double
force_noise(const struct mode_problem *in, int i)
{
    double w = in->W[2 * i * (2 * in->n + 1)];
    return w > 0.0 ? mode_row_noise(in, 2 * i) / w : 0.0;
}

/* Of more points sweeps and Newton's method come first: Lemke's method takes
 * the cube of their number, and some hundred sweeps over the few bodies that
 * each touches, or equations of as few entries, take a part of that. */
#define SWEEPS_FIRST 24

/* Of so many points Newton's method is asked from other forces, too, before
 * Lemke's: of 160 points that takes 2 s where it is asked, of 300 ten times as
 * much. */
#define NEWTON_AGAIN 64

/* Newton's method, from the forces to which sweeps have led: where it leads
 * depends on where it begins. */
static bool
by_newton(struct arena *arena, const struct mode_problem *in,
          const double *none, double *force, struct point_state *state,
          bool (*try)(void *context), void *context)
{
    size_t size = 2 * sizeof *force * (size_t)in->n;
    if (mode_newton(arena, in, none, force, state, try, context))
        return true;
    if (in->n < NEWTON_AGAIN)
        return false;
    memset(force, 0, size);
    if (mode_newton(arena, in, none, force, state, try, context))
        return true;
    if (in->near) {
        memcpy(force, in->near, size);
        if (mode_newton(arena, in, none, force, state, try, context))
            return true;
    }
    return by_sweeps(arena, in, none, SWEEPS_LEAPING, force, state, try,
                     context) ||
           mode_newton(arena, in, none, force, state, try, context);
}

void
mode_by_methods(struct arena *arena, const struct mode_problem *in,
                struct point_state *state, bool (*try)(void *context),
                void *context)
{
    assert(arena && in && state && try);
    double *none = NEW_N(arena, double, 3 * (size_t)in->n);
    double *force = none + in->n;
    for (int i = 0; i < in->n; i++)
        none[i] = force_noise(in, i);
    bool found =
        in->n > SWEEPS_FIRST &&
        (by_sweeps(arena, in, none, SWEEPS_QUICK, force, state, try, context) ||
         by_newton(arena, in, none, force, state, try, context));
    found = found || by_pairs(arena, in, none, state, try, context);
    found = found || by_sweeps(arena, in, none, SWEEPS_LEAPING, force, state,
                               try, context);
    found = found || (in->n <= EDGES_POINTS &&
                      by_edges(arena, in, none, force, state, try, context));
    if (!found)
        by_sweeps(arena, in, none, SWEEPS_PLAIN, force, state, try, context);
}

bool
mode_widest(const struct mode_problem *in, const struct point_state *found,
            const struct mode_solution *solution, struct point_state *state)
{
    assert(in && found && solution && state);
    const double *acc = solution->acc, *force = solution->force;
    bool slips = false, other = false;
    for (int i = 0; i < in->n; i++) {
        const struct mode_point *point = in->point + i;
        bool still[2];
        state[i] = found[i];
        for (int k = 2 * i; k < 2 * i + 2; k++)
            still[k % 2] =
                fabs(acc[k]) <= FRICTION_SAME * mode_row_size(in, force, k);
        if (point->ended || point->driven || (!state[i].closed && !still[0]))
            continue;
        double along = point->slip != 0.0 ? point->slip
                       : still[1]         ? 0.0
                                          : acc[2 * i + 1];
        bool rough = point->mu_stick > 0.0 || point->mu_slip > 0.0;
        state[i].closed = true;
        state[i].tangent = !rough        ? TANGENT_NONE
                           : along > 0.0 ? TANGENT_FORWARD
                           : along < 0.0 ? TANGENT_BACKWARD
                                         : TANGENT_STICK;
        slips |= along != 0.0 && rough;
        other |= !mode_same_state(state[i], found[i]);
    }
    return slips && other;
}
