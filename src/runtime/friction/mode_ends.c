/* SPDX-License-Identifier: MIT */
/* What points do whose modes have just ended, beside states of the others. With
 * these states all forces and accelerations are affine functions of the forces
 * of the points that have ended, so that the equations of the others are
 * eliminated once, and a choice costs those of a few points. This only rules
 * out, as mode_tree.c does: what is near an edge, or depends on pivots that are
 * nearly 0, is left to mode_forces. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"
#include "runtime/numerics/dense.h"

/* of so many points at most */
#define ENDS_TRIED 6
/* A violation by this share of the terms is clear, and by so many times what
 * its point is known to: mode_forces allows that once. */
#define ENDS_CLEAR 1e-6
#define ENDS_TIMES 10.0
/* Pivots, of rows with a unit diagonal: from here on they are regular; up to
 * ENDS_ZERO (PIVOT_ZERO of mode_forces) points depend on each other. */
#define ENDS_REGULAR 1e-6
#define ENDS_ZERO 1e-11
/* What moves by no more than this share does not feel forces that are free. */
#define ENDS_UNMOVED 1e-9

/* Rows, forces and coefficients of friction are scaled to a unit diagonal of W.
 */
struct ends {
    const struct mode_problem *in;
    const struct point_state *beside;
    int n, ended[ENDS_TRIED], count[ENDS_TRIED];
    struct point_state choice[ENDS_TRIED][MODE_STATES_MOST];
    bool *own; /* per point: is it one of them? */
    double *scale, noise;
    int k, *unknown; /* rows of forces of the others */
    double *along;   /* of a closed one that slips: T per N; else 0 */
    int rank, *order;
    double *K;    /* k x (k + width): their equations, and right-hand sides */
    double *most; /* k: greatest entries of their rows */
    /* force and acceleration of each row: constant, then coefficients of the
     * forces of the points that have ended; width entries each */
    int width;
    double *force, *acc;
    bool *loose_force, *loose_acc; /* free forces of the others move it */
    bool known;                    /* false: nothing is known of the others */
    /* of a choice: forces of all rows, and directions of forces of the points
     * that have ended which are free, as these depend on each other */
    double *now, free[2 * ENDS_TRIED][2 * ENDS_TRIED];
    int n_free;
};

static double
scaled_W(const struct ends *at, int row, int column)
{
    return at->in->W[(size_t)row * 2 * (size_t)at->in->n + (size_t)column] *
           at->scale[row] * at->scale[column];
}

/* T per N of a point that slips, scaled. */
static double
along_of(const struct ends *at, int i, enum tangential_state tangent)
{
    double mu =
        at->in->point[i].mu_slip * at->scale[2 * i] / at->scale[2 * i + 1];
    return tangent == TANGENT_FORWARD    ? -mu
           : tangent == TANGENT_BACKWARD ? mu
                                         : 0.0;
}

/* The entry of a row in the force of an unknown, along which friction goes. */
static double
entry(const struct ends *at, int row, int unknown, double along)
{
    double value = scaled_W(at, row, unknown);
    return along != 0.0 ? value + along * scaled_W(at, row, unknown + 1)
                        : value;
}

static bool
begin(struct ends *at, struct arena *arena, const struct mode_problem *in,
      const struct point_state *beside)
{
    size_t rows = 2 * (size_t)in->n;
    *at = (struct ends){.in = in, .beside = beside};
    for (int i = 0; i < in->n; i++) {
        if (!in->point[i].ended)
            continue;
        if (at->n == ENDS_TRIED)
            return false;
        at->count[at->n] = mode_states_of(in->point + i, at->choice[at->n]);
        at->ended[at->n++] = i;
    }
    at->width = 2 * at->n + 1;
    size_t width = (size_t)at->width;
    at->own = NEW_N(arena, bool, in->n);
    at->loose_force = NEW_N(arena, bool, 2 * rows);
    at->loose_acc = at->loose_force + rows;
    at->unknown = NEW_N(arena, int, 2 * rows);
    at->order = at->unknown + rows;
    at->scale = NEW_N(arena, double,
                      4 * rows + 2 * rows * width + rows * rows + rows * width);
    at->along = at->scale + rows;
    at->most = at->along + rows;
    at->now = at->most + rows;
    at->force = at->now + rows;
    at->acc = at->force + rows * width;
    at->K = at->acc + rows * width;
    for (int j = 0; j < at->n; j++)
        at->own[at->ended[j]] = true;
    for (size_t r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        at->scale[r] = w > 0.0 ? 1.0 / sqrt(w) : 1.0;
        if (w > 0.0 && at->noise == 0.0) /* the same for all scaled rows */
            at->noise = mode_row_noise(in, (int)r) * at->scale[r];
    }
    return at->n > 0;
}

/* -- the others -------------------------------------------------------------
 */

/* Makes the forces that are there without the unknowns, and lists these. */
static void
list_unknowns(struct ends *at)
{
    size_t width = (size_t)at->width;
    for (int j = 0; j < at->n; j++)
        for (int part = 0; part < 2; part++)
            at->force[(size_t)(2 * at->ended[j] + part) * width + 1 +
                      (size_t)(2 * j + part)] = 1.0;
    for (int i = 0; i < at->in->n; i++) {
        struct point_state state = at->beside[i];
        if (at->own[i])
            continue;
        double along = along_of(at, i, state.tangent),
               offset = at->in->point[i].offset / at->scale[2 * i];
        at->force[2 * (size_t)i * width] = offset;
        at->force[(2 * (size_t)i + 1) * width] = along * offset;
        if (state.closed) {
            at->along[at->k] = along;
            at->unknown[at->k++] = 2 * i;
        }
        if (state.tangent == TANGENT_STICK) {
            at->along[at->k] = 0.0;
            at->unknown[at->k++] = 2 * i + 1;
        }
    }
}

/* Makes the accelerations of a row from the forces of all. */
static void
row_from_forces(const struct ends *at, int row, double *acc)
{
    size_t width = (size_t)at->width;
    memset(acc, 0, width * sizeof *acc);
    acc[0] = at->in->free[row] * at->scale[row];
    for (int c = 0; c < 2 * at->in->n; c++) {
        double w = scaled_W(at, row, c);
        const double *force = at->force + (size_t)c * width;
        for (size_t j = 0; j < width && w != 0.0; j++)
            acc[j] += w * force[j];
    }
}

/* Brings the greatest entry of the rows and columns from `place` on to (place,
 * place), and returns its size. most: of each row, its greatest entry from that
 * column on. */
static double
bring_pivot(double *matrix, int k, int wide, int place, int *order,
            double *most)
{
    int row = place, column = place;
    for (int i = place + 1; i < k; i++)
        if (most[i] > most[row])
            row = i;
    const double *found = matrix + (size_t)row * (size_t)wide;
    while (column < k - 1 && fabs(found[column]) < most[row])
        column++;
    if (row != place)
        most[row] = most[place];
    for (int j = 0; j < wide && row != place; j++) {
        double swap = matrix[place * wide + j];
        matrix[place * wide + j] = matrix[row * wide + j];
        matrix[row * wide + j] = swap;
    }
    for (int i = 0; i < k && column != place; i++) {
        double swap = matrix[i * wide + place];
        matrix[i * wide + place] = matrix[i * wide + column];
        matrix[i * wide + column] = swap;
    }
    int unknown = order[place];
    order[place] = order[column];
    order[column] = unknown;
    return fabs(matrix[place * wide + place]);
}

/* Gauss elimination with complete pivoting of k rows and `wide` columns, those
 * from k on right-hand sides; then the first `rank` columns become the
 * identity. Returns the rank; -1: a pivot is neither regular nor 0. most: room
 * for k. */
static int
eliminate(double *matrix, int k, int wide, int *order, double *most)
{
    int rank = 0;
    for (int i = 0; i < k; i++) {
        order[i] = i;
        most[i] = dense_greatest(k, matrix + (size_t)i * (size_t)wide);
    }
    for (; rank < k; rank++) {
        double pivot = bring_pivot(matrix, k, wide, rank, order, most);
        if (pivot < ENDS_REGULAR && pivot > ENDS_ZERO)
            return -1;
        if (!(pivot >= ENDS_REGULAR))
            break;
        const double *from = matrix + (size_t)rank * (size_t)wide;
        for (int i = rank + 1; i < k; i++) {
            double *row = matrix + (size_t)i * (size_t)wide,
                   share = row[rank] / from[rank];
            bool any = row[rank] != 0.0;
            for (int j = rank; j < wide && share != 0.0; j++)
                row[j] -= share * from[j];
            if (any)
                most[i] = dense_greatest(k - rank - 1, row + rank + 1);
        }
    }
    for (int i = rank - 1; i >= 0; i--) {
        double *row = matrix + (size_t)i * (size_t)wide, pivot = row[i];
        for (int j = i + 1; j < rank; j++) {
            const double *later = matrix + (size_t)j * (size_t)wide;
            double share = row[j];
            for (int c = rank; c < wide && share != 0.0; c++)
                row[c] -= share * later[c];
            row[j] = 0.0;
        }
        for (int c = rank; c < wide; c++)
            row[c] /= pivot;
        row[i] = 1.0;
    }
    return rank;
}

/* Finds which forces and accelerations the free forces of the others move. */
static void
find_loose(struct ends *at)
{
    int k = at->k, wide = k + at->width;
    for (int d = at->rank; d < k; d++)
        for (int i = 0; i < k; i++) {
            double share = i < at->rank ? at->K[i * wide + d] : i == d;
            int u = at->unknown[at->order[i]];
            if (!(fabs(share) > ENDS_UNMOVED))
                continue;
            at->loose_force[u] = true;
            if (at->along[at->order[i]] != 0.0)
                at->loose_force[u + 1] = true;
        }
    for (int r = 0; r < 2 * at->in->n; r++)
        for (int d = at->rank; d < k && !at->loose_acc[r]; d++) {
            double moved = 0.0, terms = 0.0;
            for (int i = 0; i < k; i++) {
                double share = i < at->rank ? -at->K[i * wide + d] : i == d;
                int u = at->order[i];
                double term =
                    share != 0.0
                        ? share * entry(at, r, at->unknown[u], at->along[u])
                        : 0.0;
                moved += term;
                terms += fabs(term);
            }
            at->loose_acc[r] = fabs(moved) > ENDS_UNMOVED * fmax(terms, 1.0);
        }
}

/* Eliminates the equations of the others. */
static void
settle_others(struct ends *at)
{
    list_unknowns(at);
    int k = at->k, wide = k + at->width;
    size_t width = (size_t)at->width;
    for (int i = 0; i < k; i++) {
        double *row = at->K + (size_t)i * (size_t)wide;
        for (int j = 0; j < k; j++)
            row[j] = entry(at, at->unknown[i], at->unknown[j], at->along[j]);
        row_from_forces(at, at->unknown[i], row + k);
        for (size_t j = 0; j < width; j++)
            row[k + (int)j] = -row[k + (int)j];
    }
    at->rank = eliminate(at->K, k, wide, at->order, at->most);
    at->known = at->rank >= 0;
    if (!at->known)
        return;
    for (int i = 0; i < at->rank; i++) {
        const double *x = at->K + (size_t)i * (size_t)wide + k;
        int u = at->unknown[at->order[i]];
        double along = at->along[at->order[i]];
        for (size_t j = 0; j < width; j++) {
            at->force[(size_t)u * width + j] += x[j];
            if (along != 0.0)
                at->force[(size_t)(u + 1) * width + j] += along * x[j];
        }
    }
    find_loose(at);
    for (int r = 0; r < 2 * at->in->n; r++)
        row_from_forces(at, r, at->acc + (size_t)r * width);
}

/* -- one choice -------------------------------------------------------------
 */

/* The terms of a free acceleration, scaled. */
static double
terms_of(const struct ends *at, int row)
{
    return at->scale[row] *
           (at->in->terms ? at->in->terms[row] : fabs(at->in->free[row]));
}

static double
value_at(const struct ends *at, const double *affine)
{
    double value = affine[0];
    for (int j = 0; j < at->n; j++)
        value += affine[2 * j + 1] * at->now[2 * at->ended[j]] +
                 affine[2 * j + 2] * at->now[2 * at->ended[j] + 1];
    return value;
}

/* Do free forces of the points that have ended move this value? */
static bool
is_loose(const struct ends *at, const double *affine)
{
    for (int d = 0; d < at->n_free; d++) {
        double moved = 0.0;
        for (int j = 0; j < 2 * at->n; j++)
            moved += affine[j + 1] * at->free[d][j];
        if (fabs(moved) > ENDS_UNMOVED)
            return true;
    }
    return false;
}

static bool
loose_force(const struct ends *at, int row)
{
    return at->loose_force[row] ||
           is_loose(at, at->force + (size_t)row * (size_t)at->width);
}

static bool
loose_acc(const struct ends *at, int row)
{
    return at->loose_acc[row] ||
           is_loose(at, at->acc + (size_t)row * (size_t)at->width);
}

/* What is known of a choice */
enum choice_forces { FORCES_UNKNOWN, FORCES_KNOWN, FORCES_NONE };

/* Finds the forces of all rows (now), and those that are free. NONE: no forces
 * hold the rows. */
static enum choice_forces
forces_of(struct ends *at, const struct point_state *state)
{
    int unknown[2 * ENDS_TRIED], order[2 * ENDS_TRIED], k = 0, rank;
    double along[2 * ENDS_TRIED], K[2 * ENDS_TRIED * (2 * ENDS_TRIED + 1)],
        most[2 * ENDS_TRIED];
    size_t width = (size_t)at->width;
    double size = 0.0, left = 0.0;
    at->n_free = 0;
    for (int j = 0; j < at->n; j++) {
        int i = at->ended[j];
        double share = along_of(at, i, state[i].tangent),
               offset = at->in->point[i].offset / at->scale[2 * i];
        at->now[2 * i] = offset;
        at->now[2 * i + 1] = share * offset;
        if (state[i].closed) {
            along[k] = share;
            unknown[k++] = 2 * j;
        }
        if (state[i].tangent == TANGENT_STICK) {
            along[k] = 0.0;
            unknown[k++] = 2 * j + 1;
        }
    }
    for (int i = 0; i < k; i++) {
        int row = 2 * at->ended[unknown[i] / 2] + unknown[i] % 2;
        const double *acc = at->acc + (size_t)row * width;
        if (at->loose_acc[row])
            return FORCES_UNKNOWN;
        for (int j = 0; j < k; j++) {
            double value = acc[unknown[j] + 1];
            K[i * (k + 1) + j] = along[j] != 0.0
                                     ? value + along[j] * acc[unknown[j] + 2]
                                     : value;
        }
        K[i * (k + 1) + k] = -value_at(at, acc);
    }
    rank = eliminate(K, k, k + 1, order, most);
    if (rank < 0)
        return FORCES_UNKNOWN;
    for (int i = 0; i < rank; i++) {
        int u = unknown[order[i]], row = 2 * at->ended[u / 2] + u % 2;
        at->now[row] += K[i * (k + 1) + k];
        if (along[order[i]] != 0.0)
            at->now[row + 1] += along[order[i]] * K[i * (k + 1) + k];
    }
    for (int r = 0; r < 2 * at->in->n; r++) {
        if (!at->own[r / 2])
            at->now[r] = value_at(at, at->force + (size_t)r * width);
        size = fmax(size, fabs(at->now[r]) + terms_of(at, r));
    }
    for (int i = rank; i < k; i++) {
        left = fmax(left, fabs(K[i * (k + 1) + k]));
        double *way = at->free[at->n_free++];
        memset(way, 0, sizeof at->free[0]);
        for (int j = 0; j < k; j++) {
            int u = unknown[order[j]];
            double share = j < rank ? -K[j * (k + 1) + i] : j == i;
            way[u] += share;
            if (along[order[j]] != 0.0)
                way[u + 1] += along[order[j]] * share;
        }
    }
    return left > ENDS_CLEAR * 2 * at->in->n * size ? FORCES_NONE
                                                    : FORCES_KNOWN;
}

/* Does point i clearly violate what its state claims? most: the sum of all
 * forces, the most that they do to a row. */
static bool
violates(const struct ends *at, int i, struct point_state state, double most)
{
    const struct mode_point *point = at->in->point + i;
    const double *force = at->now + 2 * i;
    double clear = fmax(ENDS_CLEAR, ENDS_TIMES * point->scale), size[2],
           low = -ENDS_TIMES * at->noise;
    size_t width = (size_t)at->width;
    for (int part = 0; part < 2; part++) {
        int row = 2 * i + part;
        size[part] = most + terms_of(at, row);
    }
    if (state.closed && !loose_force(at, 2 * i) &&
        force[0] - point->offset / at->scale[2 * i] < -clear * size[0])
        return true;
    if (!state.closed && !point->driven && !loose_acc(at, 2 * i)) {
        double opens = value_at(at, at->acc + 2 * (size_t)i * width);
        if (opens < -clear * size[0] && opens < low)
            return true;
    }
    if (state.tangent == TANGENT_STICK && !loose_force(at, 2 * i) &&
        !loose_force(at, 2 * i + 1)) {
        double mu = point->mu_stick * at->scale[2 * i] / at->scale[2 * i + 1];
        return mu * force[0] - fabs(force[1]) <
               -clear * fmax(mu * size[0], size[1]);
    }
    if (point->slip != 0.0 || loose_acc(at, 2 * i + 1) ||
        state.tangent == TANGENT_NONE || state.tangent == TANGENT_STICK)
        return false;
    double begins = value_at(at, at->acc + (2 * (size_t)i + 1) * width);
    begins = state.tangent == TANGENT_FORWARD ? begins : -begins;
    return begins < -clear * size[1] && begins < low;
}

/* Is this choice clearly inconsistent? */
static bool
is_out(struct ends *at, const struct point_state *state)
{
    double most = 0.0;
    enum choice_forces forces =
        at->known ? forces_of(at, state) : FORCES_UNKNOWN;
    if (forces != FORCES_KNOWN)
        return forces == FORCES_NONE;
    for (int r = 0; r < 2 * at->in->n; r++)
        most += fabs(at->now[r]);
    if (!isfinite(most))
        return false;
    for (int j = 0; j < at->n; j++)
        if (violates(at, at->ended[j], state[at->ended[j]], most))
            return true;
    for (int i = 0; i < at->in->n; i++)
        if (!at->own[i] && violates(at, i, state[i], most))
            return true;
    return false;
}

/* -- all choices ------------------------------------------------------------
 */

/* Of so many times the cube of the rows of forces is the work of mode_forces
 * for what is not clearly inconsistent; ENDS_LEAST choices are tried in any
 * case. Where points share their loads hardly anything is. */
#define ENDS_WORK 2.5e8
#define ENDS_LEAST 16
/* ranks of choices: those in which fewer modes go on that have just ended come
 * first, then those nearer to `near` */
#define ENDS_RANKS ((ENDS_TRIED + 1) * (ENDS_TRIED + 1))

static int
rank_of(const struct ends *at, const struct point_state *near,
        const struct point_state *state)
{
    int goes_on = 0, differs = 0;
    for (int j = 0; j < at->n; j++) {
        int i = at->ended[j];
        goes_on += mode_same_state(state[i], at->in->point[i].before);
        differs += !mode_same_state(state[i], near[i]);
    }
    return goes_on * (ENDS_TRIED + 1) + differs;
}

/* Takes the next choice of a counter whose first digit is that of the first
 * point that has ended. False: there is none. */
static bool
next_choice(const struct ends *at, int *digit, struct point_state *state)
{
    int k = 0;
    for (; k < at->n && ++digit[k] == at->count[k]; k++)
        digit[k] = 0;
    for (int j = 0; j < at->n; j++)
        state[at->ended[j]] = at->choice[j][digit[j]];
    return k < at->n;
}

/* Up to which rank are choices tried? left: how many there are of each. */
static int
ranks_tried(const struct ends *at, const long left[ENDS_RANKS])
{
    double k = 2.0 * at->in->n,
           most = fmax(ENDS_WORK / (k * k * k), ENDS_LEAST);
    long sum = 0;
    int rank = 0;
    while (rank < ENDS_RANKS && (double)(sum += left[rank]) <= most)
        rank++;
    return rank;
}

void
mode_ends(struct arena *arena, const struct mode_problem *in,
          const struct point_state *beside, const struct point_state *near,
          struct point_state *state, void (*try)(void *context), void *context)
{
    assert(arena && in && beside && near && state && try);
    struct ends at;
    int digit[ENDS_TRIED] = {0};
    long left[ENDS_RANKS] = {0};
    size_t choices = 1, k = 0;
    if (!begin(&at, arena, in, beside))
        return;
    settle_others(&at);
    for (int j = 0; j < at.n; j++)
        choices *= (size_t)at.count[j];
    unsigned char *rank = NEW_N(arena, unsigned char, choices);
    memcpy(state, beside, sizeof *beside * (size_t)in->n);
    for (int j = 0; j < at.n; j++)
        state[at.ended[j]] = at.choice[j][0];
    do {
        bool out = is_out(&at, state);
        rank[k] = (unsigned char)(out ? ENDS_RANKS : rank_of(&at, near, state));
        if (!out)
            left[rank[k]]++;
    } while (k++, next_choice(&at, digit, state));
    int most = ranks_tried(&at, left);
    k = 0;
    do
        if (rank[k] < most)
            try(context);
    while (k++, next_choice(&at, digit, state));
}
