/* SPDX-License-Identifier: MIT */
/* How points share forces that are not unique: between which bounds these lie,
 * and for how long some of them obey the law, as the motion changes them
 * (linear_program.h). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"
#include "runtime/programs/linear_program.h"

/* -- ranges -----------------------------------------------------------------
 */

/* The family of forces of a choice of modes: one of them, and orthonormal
 * directions within which its bounds say how far it reaches. */
struct family {
    int count; /* directions */
    const double *null;
    double *force;
    struct linear_program *program; /* NULL: nothing to be found */
    int columns;                    /* 2 per direction, 2 of the time */
};

/* A choice of modes and its family of forces. False: it is not consistent. */
static bool
family_find(struct arena *arena, const struct mode_problem *in,
            const struct point_state *state, struct mode_scratch **out,
            struct family *family)
{
    size_t rows = 2 * (size_t)in->n;
    struct mode_scratch *scratch = *out = mode_scratch_new(arena, in);
    struct mode_solution solution = {.force = NEW_N(arena, double, rows),
                                     .acc = NEW_N(arena, double, rows)};
    *family = (struct family){.force = solution.force};
    mode_forces(scratch, in, state, &solution);
    if (solution.consistent && solution.shared) {
        family->count = mode_null(scratch, in);
        family->null = scratch->null.v;
    }
    return solution.consistent;
}

/* Every bound is a row of a program of `columns` columns:
 * slope.(plus - minus) >= -value. */
static void
fill_bounds(const struct mode_scratch *scratch, const struct mode_problem *in,
            const struct family *family, int columns, double *A, double *b)
{
    int rows = 2 * in->n;
    for (int r = 0; r < scratch->n_bound; r++) {
        const struct mode_bound *bound = scratch->bound + r;
        double *row = A + (size_t)r * (size_t)columns;
        for (int d = 0; d < family->count; d++) {
            row[2 * d] = mode_bound_along(
                bound, in, family->null + (size_t)d * (size_t)rows);
            row[2 * d + 1] = -row[2 * d];
        }
        b[r] = -mode_bound_value(bound, in, family->force);
    }
}

/* The program of all bounds. With rates (2 n; or NULL) a row is
 * slope.(plus - minus) - rate (more - less) >= -value: the time more - less can
 * be followed. */
static void
bound_family(struct arena *arena, struct mode_scratch *scratch,
             const struct mode_problem *in, const double *rate,
             struct family *family)
{
    int m = scratch->n_bound, time = 2 * family->count;
    family->columns = time + (rate ? 2 : 0);
    double *A = NEW_N(arena, double, (size_t)m *(size_t)family->columns + 1);
    double *b = NEW_N(arena, double, m + 1);
    fill_bounds(scratch, in, family, family->columns, A, b);
    for (int r = 0; r < m; r++) {
        const struct mode_bound *bound = scratch->bound + r;
        double *row = A + (size_t)r * (size_t)family->columns, falls = 0.0;
        if (rate && bound->row[0] >= 0)
            falls = rate[bound->row[bound->row[1] >= 0]];
        if (rate) {
            row[time] = -falls;
            row[time + 1] = falls;
        }
        if (falls == 0.0) /* what holds to rounding holds */
            b[r] = fmin(b[r], 0.0);
    }
    family->program = linear_program_new(arena, m, family->columns, m, A, b,
                                         LINEAR_PROGRAM_ZERO);
}

/* The least and the greatest value of factor.force + offset in the family. */
static void
range_of(struct arena *arena, const struct mode_problem *in,
         const struct family *family, const double *factor, double offset,
         double range[2])
{
    size_t rows = 2 * (size_t)in->n;
    double *c = NEW_N(arena, double, family->columns + 1);
    double value = offset + dense_dot((int)rows, factor, family->force);
    range[0] = range[1] = value;
    if (!family->program)
        return;
    for (int side = 0; side < 2; side++) {
        for (int d = 0; d < family->count; d++) {
            double along =
                dense_dot((int)rows, factor, family->null + (size_t)d * rows);
            c[2 * d] = side ? -along : along;
            c[2 * d + 1] = -c[2 * d];
        }
        double least = linear_program_least(family->program, c, NULL);
        range[side] = value + (side ? -least : least);
    }
    double size = fmax(fabs(range[0]), fabs(range[1]));
    for (int side = 0; side < 2 && isfinite(size); side++)
        if (fabs(range[side]) <= FRICTION_TOLERANCE * size)
            range[side] = 0.0;
}

void
mode_ranges(struct arena *arena, const struct mode_problem *in,
            const struct point_state *state, struct friction_range *range)
{
    assert(arena && in && state && range);
    size_t rows = 2 * (size_t)in->n;
    struct mode_scratch *scratch;
    struct family family;
    if (family_find(arena, in, state, &scratch, &family) && family.count)
        bound_family(arena, scratch, in, NULL, &family);
    double *factor = NEW_N(arena, double, rows);
    for (int i = 0; i < in->n; i++) {
        size_t N = 2 * (size_t)i;
        memset(factor, 0, rows * sizeof *factor);
        factor[N] = 1.0;
        range_of(arena, in, &family, factor, 0.0, range[i].normal);
        factor[N] = 0.0;
        factor[N + 1] = 1.0;
        range_of(arena, in, &family, factor, 0.0, range[i].tangential);
        for (size_t part = 0; part < 2; part++) {
            memcpy(factor, in->W + (N + part) * rows, rows * sizeof *factor);
            range_of(arena, in, &family, factor, in->free[N + part],
                     part ? range[i].slip : range[i].opens);
        }
    }
}

/* Of the terms of what a direction of the family does to an acceleration, what
 * rounding leaves where it does nothing, as where it is a state of stress that
 * bodies bear by themselves. */
#define SPREAD_ROUNDING (256.0 * DBL_EPSILON)

/* The accelerations that directions of a family move, and among the sums of
 * these directions orthonormal ones that move any. */
struct movers {
    int moved;      /* accelerations */
    const int *row; /* of these numbers */
    double *by; /* per acceleration and direction (of the family): how much */
    double *terms;  /* per acceleration: what is rounding of that */
    int count;      /* sums that move any */
    double *along;  /* per sum and direction: its share */
    double *extent; /* per sum: how far forces of the family are apart */
};

static double
norm_of(int n, const double *x)
{
    return sqrt(dense_dot(n, x, x));
}

static void
find_moved(struct arena *arena, const struct mode_problem *in,
           const struct family *family, struct movers *out)
{
    int rows = 2 * in->n, *row = NEW_N(arena, int, rows + 1);
    size_t count = (size_t)family->count;
    double *by = NEW_N(arena, double, (size_t)rows *count + 1),
           *rounding = NEW_N(arena, double, rows + 1);
    *out = (struct movers){.row = row, .by = by, .terms = rounding};
    for (int r = 0; r < rows; r++) {
        double *at = by + (size_t)out->moved * count, terms = 0.0;
        bool moved = false;
        for (size_t d = 0; d < count; d++) {
            const double *null = family->null + d * (size_t)rows;
            double own = mode_row_terms(in, r, 0.0, null);
            at[d] = mode_row_sum(in, r, 0.0, null);
            moved |= fabs(at[d]) > SPREAD_ROUNDING * own;
            terms = hypot(terms, own);
        }
        if (!moved)
            continue;
        rounding[out->moved] = SPREAD_ROUNDING * terms;
        row[out->moved++] = r;
    }
}

/* Of the accelerations that move, that of which most is left beside the sums
 * that are found; -1: rounding is left of all. */
static int
most_left(const struct movers *movers, const double *left, int count)
{
    int most = -1;
    double greatest = 0.0;
    for (int i = 0; i < movers->moved; i++) {
        double size = norm_of(count, left + (size_t)i * (size_t)count);
        if (size > movers->terms[i] && size > greatest) {
            greatest = size;
            most = i;
        }
    }
    return most;
}

/* The acceleration that unit steps along the directions of the family change
 * most. */
static int
most_moved(const struct family *family, const struct movers *movers)
{
    int most = 0;
    double greatest = 0.0;
    for (int i = 0; i < movers->moved; i++) {
        double size = norm_of(family->count,
                              movers->by + (size_t)i * (size_t)family->count);
        if (size > greatest) {
            greatest = size;
            most = i;
        }
    }
    return most;
}

/* The sums of directions that move accelerations: all others, which are
 * orthogonal to them, move none beyond rounding. From the one that moves most
 * to those that move what it leaves (Gram and Schmidt, with pivots). */
static void
find_movers(struct arena *arena, const struct family *family,
            struct movers *movers)
{
    int count = family->count;
    size_t width = (size_t)count, size = (size_t)movers->moved * width;
    double *left = arena_copy(arena, movers->by, (size + 1) * sizeof *left);
    movers->along = NEW_N(arena, double, width *width + 1);
    for (int at;
         movers->count < count && (at = most_left(movers, left, count)) >= 0;) {
        double *own = movers->along + (size_t)movers->count * width;
        memcpy(own, left + (size_t)at * width, width * sizeof *own);
        for (int k = 0; k < movers->count; k++) { /* what rounding has left */
            const double *other = movers->along + (size_t)k * width;
            dense_add(count, -dense_dot(count, other, own), other, own);
        }
        double norm = norm_of(count, own);
        for (int d = 0; d < count; d++)
            own[d] /= norm;
        for (int i = 0; i < movers->moved; i++) {
            double *row = left + (size_t)i * width;
            dense_add(count, -dense_dot(count, own, row), own, row);
        }
        memset(left + (size_t)at * width, 0, width * sizeof *left);
        movers->count++;
    }
}

/* How far forces of the family are apart along each sum that moves any
 * acceleration. */
static void
find_extents(struct arena *arena, const struct mode_problem *in,
             const struct family *family, struct movers *movers)
{
    size_t rows = 2 * (size_t)in->n;
    double *factor = NEW_N(arena, double, rows), range[2];
    movers->extent = NEW_N(arena, double, movers->count + 1);
    for (int k = 0; k < movers->count; k++) {
        memset(factor, 0, rows * sizeof *factor);
        for (int d = 0; d < family->count; d++)
            dense_add((int)rows, movers->along[k * family->count + d],
                      family->null + (size_t)d * rows, factor);
        range_of(arena, in, family, factor, 0.0, range);
        movers->extent[k] = range[1] - range[0];
    }
}

/* No less than by how far an acceleration may differ within the family. */
static double
at_most(const struct family *family, const struct movers *movers, int moved)
{
    size_t count = (size_t)family->count;
    double sum = 0.0;
    for (int k = 0; k < movers->count; k++)
        sum += movers->extent[k] *
               fabs(dense_dot(family->count, movers->along + (size_t)k * count,
                              movers->by + (size_t)moved * count));
    return sum;
}

/* Of many rows those are asked alone that bounds do not rule out; first that
 * which unit steps along the directions change most, as it is likely to differ
 * most, too. */
double
mode_spread(struct arena *arena, const struct mode_problem *in,
            const struct point_state *state, double enough)
{
    assert(arena && in && state);
    struct mode_scratch *scratch;
    struct family family;
    struct movers movers;
    double most = 0.0;
    if (!family_find(arena, in, state, &scratch, &family) || !family.count)
        return 0.0;
    find_moved(arena, in, &family, &movers);
    if (movers.moved == 0)
        return 0.0;
    bound_family(arena, scratch, in, NULL, &family);
    find_movers(arena, &family, &movers);
    int first = most_moved(&family, &movers);
    bool bounds = isfinite(enough) && movers.count < movers.moved;
    for (int k = -1; k < movers.moved && most <= enough; k++) {
        int at = k < 0 ? first : k, r = movers.row[at];
        double range[2];
        if (k == 0 && bounds)
            find_extents(arena, in, &family, &movers);
        if (k >= 0 &&
            (k == first || (bounds && at_most(&family, &movers, at) <= enough)))
            continue;
        range_of(arena, in, &family, in->W + (size_t)r * 2 * (size_t)in->n,
                 in->free[r], range);
        most = fmax(most, range[1] - range[0]);
    }
    return most;
}

/* Adds a row to a program: factor.force + offset of the family is 0. In units
 * of forces: `own` is what one does to its own row. */
static void
hold_at_zero(const struct mode_problem *in, const struct family *family,
             const double *factor, double offset, double own, double *row,
             double *b)
{
    int rows = 2 * in->n;
    for (int d = 0; d < family->count; d++) {
        row[2 * d] =
            dense_dot(rows, factor, family->null + (size_t)d * (size_t)rows) /
            own;
        row[2 * d + 1] = -row[2 * d];
    }
    *b = -(offset + dense_dot(rows, factor, family->force)) / own;
}

/* A program that grows row by row. */
struct meeting {
    const struct mode_problem *in;
    const struct family *family;
    double *A, *b, *unit;
    int m, columns;
};

/* Adds the row: force N of a point and `along` times its friction are 0. */
static void
hold_force(struct meeting *at, int i, double normal, double along)
{
    double *unit = at->unit + 2 * i;
    unit[0] = normal;
    unit[1] = along;
    hold_at_zero(at->in, at->family, at->unit, 0.0, 1.0,
                 at->A + (size_t)at->m * (size_t)at->columns, at->b + at->m);
    unit[0] = unit[1] = 0.0;
    at->m++;
}

/* Adds the row: an acceleration is 0. False: no force moves it. */
static bool
hold_acceleration(struct meeting *at, int row)
{
    int rows = 2 * at->in->n;
    double own = at->in->W[row * (rows + 1)];
    if (!(own > 0.0))
        return false;
    hold_at_zero(at->in, at->family, at->in->W + (size_t)row * (size_t)rows,
                 at->in->free[row], own,
                 at->A + (size_t)at->m * (size_t)at->columns, at->b + at->m);
    at->m++;
    return true;
}

/* Adds what forces that keep a point in `state` need to keep it in `other`,
 * too. False: there are none, or it is not known. */
static bool
hold_both(struct meeting *at, int i, struct point_state state,
          struct point_state other)
{
    if (mode_same_state(state, other))
        return true;
    if (!state.closed) /* then it has no force in the other one, either */
        return other.tangent == TANGENT_STICK && hold_acceleration(at, 2 * i) &&
               hold_acceleration(at, 2 * i + 1);
    if (!other.closed) {
        hold_force(at, i, 1.0, 0.0);
        return true;
    }
    if (other.tangent == TANGENT_STICK)
        return hold_acceleration(at, 2 * i + 1);
    if (state.tangent != TANGENT_STICK || other.tangent == TANGENT_NONE)
        return false;
    double mu = at->in->point[i].mu_slip;
    hold_force(at, i, other.tangent == TANGENT_FORWARD ? mu : -mu, 1.0);
    return true;
}

/* Do some forces of a choice of modes, which are a family, belong to another
 * choice, too? A program of the bounds of the family, and of what keeps all
 * points in the other choice. */
static bool
mode_meets(struct arena *arena, const struct mode_problem *in,
           const struct point_state *state, const struct point_state *other)
{
    assert(arena && in && state && other);
    struct mode_scratch *scratch;
    struct family family;
    size_t rows = 2 * (size_t)in->n;
    if (!family_find(arena, in, state, &scratch, &family) || !family.count)
        return false;
    int bounds = scratch->n_bound;
    struct meeting at = {
        .in = in, .family = &family, .m = bounds, .columns = 2 * family.count};
    size_t most = (size_t)bounds + rows;
    at.A = NEW_N(arena, double, most *(size_t)at.columns + 1);
    at.b = NEW_N(arena, double, most + 1);
    at.unit = NEW_N(arena, double, rows);
    fill_bounds(scratch, in, &family, at.columns, at.A, at.b);
    for (int r = 0; r < bounds; r++)
        at.b[r] = fmin(at.b[r], 0.0); /* what holds to rounding holds */
    for (int i = 0; i < in->n; i++)
        if (!hold_both(&at, i, state[i], other[i]))
            return false;
    return linear_program_new(arena, at.m, at.columns, bounds, at.A, at.b,
                              FRICTION_SAME) != NULL;
}

/* The square of the norm of forces, with rows scaled to a unit diagonal of W.
 */
static double
forces_size(const struct mode_problem *in, const double *force)
{
    int rows = 2 * in->n;
    double sum = 0.0;
    for (int r = 0; r < rows; r++)
        sum += force[r] * force[r] * in->W[r * (rows + 1)];
    return sum;
}

/* Of n choices that lead to each other: where some of them go on, one that does
 * so with forces off all edges, whose motion does not depend on them; else that
 * of the least forces of all whose motion does. NULL: nothing went on before,
 * and the motion of one is the same for all forces about its own. */
static const struct mode_found *
best_of(const struct mode_problem *in, bool goes_on, int n,
        const struct mode_found *const *all)
{
    const struct mode_found *best = NULL;
    double size = INFINITY;
    for (int k = 0; k < n; k++) {
        const struct mode_solution *solution = &all[k]->solution;
        double own = forces_size(in, solution->force);
        if (solution->roomy && !solution->loads && all[k]->goes_on == goes_on)
            return goes_on ? all[k] : NULL;
        if (!solution->loads || !(own < size))
            continue;
        size = own;
        best = all[k];
    }
    return best;
}

const struct mode_found *
mode_connected(struct arena *arena, const struct mode_problem *in, bool goes_on,
               int n, const struct mode_found *found, int n_between,
               const struct mode_found *between)
{
    assert(arena && in && n > 0 && found);
    int all = n + n_between, count = 1, reached = 1;
    const struct mode_found **row =
        NEW_N(arena, const struct mode_found *, all);
    bool *in_row = NEW_N(arena, bool, all);
    row[0] = found;
    in_row[0] = true;
    for (int at = 0; at < count; at++)
        for (int k = 0; k < all; k++) {
            const struct mode_found *other =
                k < n ? found + k : between + (k - n);
            const struct point_state *a = row[at]->state, *b = other->state;
            if (in_row[k] ||
                !(mode_meets(arena, in, a, b) || mode_meets(arena, in, b, a)))
                continue;
            in_row[k] = true;
            row[count++] = other;
            reached += k < n;
        }
    return reached == n ? best_of(in, goes_on, count, row) : NULL;
}

/* Does a point that is open in this choice slide on the other body, at no
 * distance? Its modes then are those of a slip without a force. */
static enum tangential_state
slides_open(const struct mode_problem *in, const struct mode_found *found,
            int i)
{
    const double *acc = found->solution.acc + 2 * i;
    double size[2];
    for (int part = 0; part < 2; part++)
        size[part] = FRICTION_SAME *
                     mode_row_size(in, found->solution.force, 2 * i + part);
    if (found->state[i].closed || fabs(acc[0]) > size[0] ||
        !mode_starts_at_rest(in->point + i) || fabs(acc[1]) <= size[1])
        return TANGENT_NONE;
    return acc[1] > 0.0 ? TANGENT_FORWARD : TANGENT_BACKWARD;
}

/* The modes between two that a point has. False: it slips either way. */
static bool
merge_states(struct point_state a, struct point_state b, bool sticks,
             struct point_state *out)
{
    bool slips = b.closed && b.tangent != TANGENT_STICK;
    *out = a;
    if (mode_same_state(a, b) || (a.closed && !b.closed))
        return true;
    if (!a.closed || (a.tangent == TANGENT_STICK && !sticks))
        *out = b;
    else if (sticks)
        out->tangent = TANGENT_STICK;
    else if (slips)
        return false;
    return true;
}

bool
mode_merge(const struct mode_problem *in, int n, const struct mode_found *found,
           enum mode_merging how, struct point_state *state)
{
    assert(in && n > 0 && found && state);
    for (int i = 0; i < in->n; i++) {
        enum tangential_state slip = TANGENT_NONE;
        state[i] = found->state[i];
        for (int k = 1; k < n; k++)
            if (!merge_states(state[i], found[k].state[i], how == MODE_STICKING,
                              state + i))
                return false;
        for (int k = 0; k < n && how == MODE_SLIDING && slip == TANGENT_NONE;
             k++)
            slip = slides_open(in, found + k, i);
        if (slip != TANGENT_NONE && state[i].tangent == TANGENT_STICK)
            state[i].tangent = slip;
    }
    return true;
}

double
mode_room(struct arena *arena, const struct mode_problem *in,
          const struct point_state *state, const double *rate)
{
    assert(arena && in && state && rate);
    struct mode_scratch *scratch;
    struct family family;
    if (!family_find(arena, in, state, &scratch, &family))
        return 0.0;
    bound_family(arena, scratch, in, rate, &family);
    double *c = NEW_N(arena, double, family.columns);
    c[2 * family.count] = -1.0;
    c[2 * family.count + 1] = 1.0;
    return family.program ? -linear_program_least(family.program, c, NULL)
                          : 0.0;
}

/* -- the forces that last longest ------------------------------------------ */

/* of the longest time, what is kept where forces are to keep off their bounds,
 * too, as long as they can do so by LASTING_LEAST. Asked anew at its end, any
 * share leads to the same end, to LASTING_LEAST of the forces: this one leaves
 * a tenth of the time each time, and most of the room meanwhile. */
#define LASTING_SHARE 0.9
/* Forces that keep off their bounds by less of their terms count as none
 * (CHOICE_NONE of runtime/choice): then they are those that come to their
 * bounds at the end itself. */
#define LASTING_LEAST 1e-10
/* Where that has not lasted, they keep off by more than what counts as beyond a
 * cone (CONE_LEFT of runtime/modes), if they can. */
#define LASTING_OFF 1e-13

/* What is asked of forces of a family, which change by `rate` (2 n). */
struct lasting {
    const double *rate;
    double later; /* bounds are kept until then (s); 0: as long as can be */
    double share; /* of their terms by which they are to be kept */
};

/* What a bound says of a way along the directions of the family, now or later:
 * slope.way >= least. *pace: what the sought time (s) or share adds to the
 * left. Returns the length of the slope; 0: no direction moves the bound. */
static double
lasting_bound(const struct mode_problem *in, const struct mode_bound *bound,
              const struct family *family, const struct lasting *ask,
              bool later, double *slope, double *pace, double *least)
{
    size_t rows = 2 * (size_t)in->n;
    double length = 0.0,
           falls = later ? mode_bound_along(bound, in, ask->rate) : 0.0,
           size = mode_bound_scale(bound, in, family->force);
    for (int d = 0; d < family->count; d++) {
        slope[d] = mode_bound_along(bound, in, family->null + (size_t)d * rows);
        length = hypot(length, slope[d]);
    }
    *pace = ask->later == 0.0 ? falls : -size;
    *least = ask->share * size - ask->later * falls -
             mode_bound_value(bound, in, family->force);
    return length > FRICTION_TOLERANCE * mode_bound_weight(bound, in) ? length
                                                                      : 0.0;
}

/* The bounds one after the other, now and later. Nothing says how those on
 * accelerations change. */
static const struct mode_bound *
lasting_next(const struct mode_scratch *scratch, int i)
{
    const struct mode_bound *bound = scratch->bound + i / 2;
    return i % 2 && bound->acc >= 0 ? NULL : bound;
}

/* Returns the longest time, or with ask->later the greatest share; 0: there is
 * none, or no greatest one. */
static double
lasting_most(const struct mode_scratch *scratch, const struct mode_problem *in,
             const struct family *family, const struct lasting *ask)
{
    int most = 2 * scratch->n_bound, aim = 2 * family->count, columns = aim + 1,
        m = 0;
    size_t width = (size_t)columns;
    double *A = NEW_N(scratch->arena, double, (size_t)(most + 2) * width),
           *c = A + (size_t)most * width, *slope = c + width,
           *b = NEW_N(scratch->arena, double, (size_t)most + 1);
    for (int i = 0; i < most; i++) {
        const struct mode_bound *bound = lasting_next(scratch, i);
        double *row = A + (size_t)m * width;
        if (!bound || lasting_bound(in, bound, family, ask, i % 2, slope,
                                    row + aim, b + m) == 0.0)
            continue;
        for (int d = 0; d < family->count; d++) {
            row[2 * d] = slope[d];
            row[2 * d + 1] = -slope[d];
        }
        m++;
    }
    memset(A + (size_t)m * width, 0, width * sizeof *A);
    struct linear_program *program = linear_program_new(
        scratch->arena, m, columns, m, A, b, LINEAR_PROGRAM_ZERO);
    c[aim] = -1.0;
    double best = program ? linear_program_least(program, c, NULL) : INFINITY;
    return isfinite(best) ? -best : 0.0;
}

/* Moves the forces of the family by the shortest way to such as keep ask. Its
 * length, unlike a sum of steps, is the same along whatever directions. */
static bool
lasting_go(const struct mode_scratch *scratch, const struct mode_problem *in,
           const struct family *family, const struct lasting *ask)
{
    int most = 2 * scratch->n_bound, count = family->count, m = 0;
    if (count > LEAST_DISTANCE_MOST)
        return false;
    size_t width = (size_t)count, rows = 2 * (size_t)in->n;
    double *A = NEW_N(scratch->arena, double,
                      ((size_t)most + 1) * (width + 1) +
                          least_distance_room(most, count)),
           *h = A + ((size_t)most + 1) * width, *room = h + most + 1,
           *way = NEW_N(scratch->arena, double, width + 1), pace;
    for (int i = 0; i < most; i++) {
        const struct mode_bound *bound = lasting_next(scratch, i);
        double *slope = A + (size_t)m * width,
               length = bound ? lasting_bound(in, bound, family, ask, i % 2,
                                              slope, &pace, h + m)
                              : 0.0;
        if (length == 0.0)
            continue;
        for (int d = 0; d < count; d++)
            slope[d] /= length;
        h[m++] /= length;
    }
    if (!least_distance(m, count, A, h, FRICTION_TOLERANCE, way, room))
        return false;
    for (int d = 0; d < count; d++)
        for (size_t r = 0; r < rows; r++)
            family->force[r] += way[d] * family->null[(size_t)d * rows + r];
    return true;
}

bool
mode_lasting(struct arena *arena, const struct mode_problem *in,
             const struct point_state *state, const double *rate, double soon,
             bool again, double *force)
{
    assert(arena && in && state && rate && force);
    size_t rows = 2 * (size_t)in->n;
    struct mode_scratch *scratch;
    struct family family;
    if (!family_find(arena, in, state, &scratch, &family) || !family.count)
        return false;
    struct lasting ask = {.rate = rate};
    double time = lasting_most(scratch, in, &family, &ask);
    if (!(time > soon))
        return false;
    ask.later = LASTING_SHARE * time;
    double share = lasting_most(scratch, in, &family, &ask);
    ask.share = 0.5 * share;
    if (again && !(share > LASTING_OFF))
        return false;
    if (!again && !(share > LASTING_LEAST)) { /* right before the end */
        ask.share = 0.0;
        ask.later = time;
    }
    (void)lasting_go(scratch, in, &family, &ask);
    memcpy(force, family.force, rows * sizeof *force);
    return true;
}
