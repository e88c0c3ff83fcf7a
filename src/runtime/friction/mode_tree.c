/* SPDX-License-Identifier: MIT */
/* Which choices of modes may be consistent at all. The choices form a tree,
 * point by point: a point that is decided is eliminated from the equations of
 * the others (a Schur complement), so that choices which begin alike share the
 * work. Its forces and accelerations are then affine functions of the forces of
 * those that follow. Where no forces within their cones satisfy an inequality,
 * the whole branch is out; at its end the forces are known, and a choice that
 * violates an inequality clearly is out. Each block, points that act on each
 * other, has a tree of its own.
 *
 * This only rules out. What is near an edge, or depends on pivots that are
 * nearly 0, stays, and mode_forces decides with its own tolerances. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/friction/friction_priv.h"

/* A violation by this share of the terms is clear: mode_forces allows up to
 * FRICTION_AT_ROOT of them, and the forces here are known to TREE_GROWTH
 * roundings. */
#define TREE_CLEAR 1e-6
/* The same where the forces that follow are not known, which add to the terms:
 * by a factor of 1000, with pivots that are far from 0 (TREE_TAME). */
#define TREE_CLEAR_EARLY 1e-3
#define TREE_TAME 1e3
/* Pivots, of rows with a unit diagonal: from here on they are regular; up to
 * TREE_ZERO (PIVOT_ZERO of mode_forces) their point depends on others if the
 * rest of its row is 0, too. What lies between is left to mode_forces. */
#define TREE_REGULAR 1e-6
#define TREE_ZERO 1e-11
#define TREE_ROW_ZERO 1e-9
/* Rounding grows by the product of the greatest multipliers at most; beyond
 * this the choice is left to mode_forces. */
#define TREE_GROWTH 1e8
/* forces that are free, because points depend on each other; more are left to
 * mode_forces */
#define TREE_LOOSE 6
/* A claim that such a force moves by no more than this does not feel it; nor
 * does one whose coefficient in another force is so small. */
#define TREE_UNMOVED 1e-9
/* A normal force that is no more than this share of the terms of its own row is
 * 0: rounding, and far below what mode_forces allows to an open point. */
#define TREE_NONE 1e-12
/* points act on each other by more than this share of their own rows */
#define TREE_COUPLED 1e-13

/* A walk over more choices than are tried may still come to its end, as most of
 * them are ruled out early (points of which each holds a body of its own). It
 * takes no more steps than a walk over all choices that are tried, and after
 * the first TREE_FIRST of them, and twice, four times as many and so on, only
 * goes on if the part of the tree that they have done with says that it will:
 * after the first ones, if the rest takes no longer; and if the walk would end
 * when it went on TREE_FASTER times as fast as since half of the steps. (In the
 * models of the tests no walk that came to its end had to go on more than 220
 * times as fast; of 6600 that did not, in a stack of ten boxes, most had stood
 * still.) The memory for so many points grows as their cube. */
#define TREE_STEPS (FRICTION_CHOICES_TRIED * 4 / 3)
#define TREE_FIRST 256
#define TREE_FASTER 512.0
#define TREE_POINTS_MOST 16

/* constant + coefficients . (the forces of the points that follow) + own[k]
 * times free force `loose + k` of the level */
struct affine {
    double constant, own[2];
    double *of; /* 2 for each of them */
};
#define CLAIMS_MOST 3
struct claim { /* value >= 0 */
    struct affine value;
    double size; /* of its factors */
};
/* A point of the block. */
struct tree_point {
    const struct mode_point *of;
    int index, count;
    struct point_state state[MODE_STATES_MOST];
    double *scale; /* of its two rows */
    /* scaled: coefficients of friction, and the force that is given */
    double stick, slip, offset;
    double terms; /* of the normal row, scaled */
};
/* One step of the path. */
struct level {
    int left;   /* points that are not decided before */
    int *point; /* which ones; the first of them is decided here */
    int at;     /* its state */
    double *A, *q, *work;
    struct affine force[2];
    int n_claims, n_own, loose; /* own: free forces; loose: of earlier levels */
    struct claim claim[CLAIMS_MOST];
    double residual; /* of rows that no force holds */
    double growth, big, growth_after, big_after;
    bool unsure; /* nothing is ruled out below */
};
/* The tree of one block. */
struct tree {
    double choices; /* of modes, of all points */
    struct arena *arena;
    const struct mode_problem *in;
    double *scale; /* of all rows */
    int n;         /* points of the block */
    struct tree_point *point;
    double size;               /* of their free accelerations, scaled */
    struct level *level;       /* n + 1 */
    double *q;                 /* room: 2 n */
    double *force;             /* 2 n: scaled */
    double *loose[TREE_LOOSE]; /* what a free force does to each of them */
    struct path {              /* paths that stay */
        unsigned char *at;     /* n: which state of each point */
    } * path;
    size_t n_paths, cap;
    size_t now; /* which of them, where blocks are put together */
};

int
mode_states_of(const struct mode_point *point,
               struct point_state out[MODE_STATES_MOST])
{
    assert(point && out);
    int n = 0;
    enum tangential_state tangent[3];
    int tangents = 0;
    if (mode_frictionless(point))
        tangent[tangents++] = TANGENT_NONE;
    else if (point->slip > 0.0)
        tangent[tangents++] = TANGENT_FORWARD;
    else if (point->slip < 0.0)
        tangent[tangents++] = TANGENT_BACKWARD;
    else {
        tangent[tangents++] = TANGENT_STICK;
        tangent[tangents++] = TANGENT_FORWARD;
        tangent[tangents++] = TANGENT_BACKWARD;
    }
    if (point->offset > 0.0)
        for (int i = 0; i < tangents; i++)
            out[n++] = (struct point_state){false, tangent[i]};
    else
        out[n++] = (struct point_state){false, TANGENT_NONE};
    for (int i = 0; i < tangents && !point->driven; i++)
        out[n++] = (struct point_state){true, tangent[i]};
    return n;
}

/* -- the points of a block --------------------------------------------------
 */

static bool
act_on_each_other(const struct tree *tree, int i, int j)
{
    const struct mode_problem *in = tree->in;
    int rows = 2 * in->n;
    for (int r = 2 * i; r < 2 * i + 2; r++)
        for (int c = 2 * j; c < 2 * j + 2; c++)
            if (fabs(in->W[r * rows + c]) * tree->scale[r] * tree->scale[c] >
                TREE_COUPLED)
                return true;
    return false;
}

static void
put_point(struct tree *tree, int place, int index)
{
    const struct mode_point *from = tree->in->point + index;
    struct tree_point *point = tree->point + place;
    point->of = from;
    point->index = index;
    point->scale = tree->scale + (size_t)(2 * index);
    point->count = mode_states_of(from, point->state);
    point->stick = from->mu_stick * point->scale[0] / point->scale[1];
    point->slip = from->mu_slip * point->scale[0] / point->scale[1];
    point->offset = from->offset / point->scale[0];
    point->terms =
        point->scale[0] * (tree->in->terms ? tree->in->terms[2 * index]
                                           : fabs(tree->in->free[2 * index]));
}

/* Lists the points that point `first` acts on, and so on. False: they are too
 * many. */
static bool
gather_block(struct tree *tree, int first, bool *taken)
{
    int all = tree->in->n, *index = NEW_N(tree->arena, int, all);
    taken[first] = true;
    index[tree->n++] = first;
    for (int done = 0; done < tree->n; done++)
        for (int j = 0; j < all; j++)
            if (!taken[j] && act_on_each_other(tree, index[done], j)) {
                taken[j] = true;
                index[tree->n++] = j;
            }
    tree->point = NEW_N(tree->arena, struct tree_point, tree->n);
    tree->choices = 1.0;
    for (int place = 0; place < tree->n; place++) {
        put_point(tree, place, index[place]);
        tree->choices *= tree->point[place].count;
    }
    return tree->choices <= FRICTION_CHOICES_TRIED ||
           tree->n <= TREE_POINTS_MOST;
}

static void
make_room(struct tree *tree)
{
    tree->level = NEW_N(tree->arena, struct level, tree->n + 1);
    for (int d = 0; d <= tree->n; d++) {
        struct level *level = tree->level + d;
        level->left = tree->n - d;
        size_t rows = 2 * (size_t)level->left;
        double *x = NEW_N(tree->arena, double, 2 * rows * rows + 6 * rows + 1);
        level->point = NEW_N(tree->arena, int, level->left + 1);
        level->A = x;
        level->work = x + rows * rows;
        level->q = x += 2 * rows * rows;
        level->force[0].of = x + rows;
        level->force[1].of = x + 2 * rows;
        for (size_t c = 0; c < CLAIMS_MOST; c++)
            level->claim[c].value.of = x + (3 + c) * rows;
    }
    for (int k = 0; k < TREE_LOOSE; k++)
        tree->loose[k] = NEW_N(tree->arena, double, 2 * tree->n);
    tree->force = NEW_N(tree->arena, double, 2 * tree->n);
    tree->q = NEW_N(tree->arena, double, 2 * tree->n);
}

/* The rows of the block, scaled to a unit diagonal; `place`: in which order. */
static void
put_rows(struct tree *tree, const int *place)
{
    const struct mode_problem *in = tree->in;
    int rows = 2 * tree->n, all = 2 * in->n;
    struct level *top = tree->level;
    for (int r = 0; r < rows; r++) {
        int from = 2 * tree->point[place[r / 2]].index + r % 2;
        double s = tree->scale[from],
               terms = in->terms ? in->terms[from] : fabs(in->free[from]);
        tree->size = fmax(tree->size, s * fmax(terms, fabs(in->free[from])));
        top->q[r] = s * in->free[from];
        for (int c = 0; c < rows; c++) {
            int column = 2 * tree->point[place[c / 2]].index + c % 2;
            top->A[r * rows + c] =
                s * tree->scale[column] * in->W[from * all + column];
        }
    }
}

static void
begin(struct tree *tree)
{
    struct level *top = tree->level;
    int first = 0;
    for (int i = 0; i < tree->n; i++) {
        int index = 2 * tree->point[i].index,
            best = 2 * tree->point[first].index;
        top->point[i] = i;
        if (tree->in->free[index] * tree->scale[index] <
            tree->in->free[best] * tree->scale[best])
            first = i;
    }
    top->point[0] = first;
    top->point[first] = 0;
    put_rows(tree, top->point);
    top->growth = 1.0;
    top->big = tree->size;
}

/* -- one step down ----------------------------------------------------------
 */

static struct point_state
state_at(const struct tree *tree, const struct level *level)
{
    return tree->point[level->point[0]].state[level->at];
}

/* Returns T/N of a slip, scaled. */
static double
along_of(const struct tree_point *point, struct point_state state)
{
    return state.tangent == TANGENT_FORWARD    ? -point->slip
           : state.tangent == TANGENT_BACKWARD ? point->slip
                                               : 0.0;
}

/* Copies the equations with the tie T = along N and the given force. */
static void
tie(const struct tree *tree, struct level *level, double along, bool closed)
{
    double offset = tree->point[level->point[0]].offset;
    int rows = 2 * level->left;
    memcpy(level->work, level->A,
           sizeof *level->work * (size_t)rows * (size_t)rows);
    memcpy(tree->q, level->q, sizeof *tree->q * (size_t)rows);
    for (int r = 0; r < rows; r++) {
        double *row = level->work + (size_t)r * (size_t)rows;
        row[0] += along * row[1];
        if (!closed)
            tree->q[r] += row[0] * offset;
    }
}

/* value += factor other */
static void
add_affine(struct affine *value, double factor, const struct affine *other,
           int count)
{
    value->constant += factor * other->constant;
    for (int k = 0; k < 2; k++)
        value->own[k] += factor * other->own[k];
    for (int j = 0; j < count; j++)
        value->of[j] += factor * other->of[j];
}

static void
set_affine(struct affine *value, double constant, const double *of, int count)
{
    value->constant = constant;
    value->own[0] = value->own[1] = 0.0;
    for (int j = 0; j < count; j++)
        value->of[j] = of ? of[j] : 0.0;
}

/* Eliminates the unknown of row u of the level's point; next: the row of the
 * unknown that follows, or -1. Its force becomes what the row says, in which
 * that of `next` is missing. False: its pivot is neither regular nor 0. */
static bool
eliminate_one(const struct tree *tree, struct level *level, int u, int next)
{
    int rows = 2 * level->left;
    double *row = level->work + (size_t)u * (size_t)rows, pivot = row[u],
           most = next >= 0 ? fmax(fabs(row[next]),
                                   fabs(level->work[next * rows + u]))
                            : 0.0;
    for (int j = 2; j < rows; j++)
        most = fmax(most, fmax(fabs(row[j]), fabs(level->work[j * rows + u])));
    struct affine *force = level->force + u;
    if (fabs(pivot) < TREE_REGULAR) {
        if (fabs(pivot) > TREE_ZERO || most > TREE_ROW_ZERO ||
            level->loose + level->n_own == TREE_LOOSE)
            return false;
        set_affine(force, 0.0, NULL, rows - 2);
        force->own[level->n_own++] = 1.0;
        level->residual = fmax(level->residual, fabs(tree->q[u]));
        return true;
    }
    set_affine(force, tree->q[u], row + 2, rows - 2);
    level->big_after = fmax(level->big_after, fabs(tree->q[u] / pivot));
    level->growth_after *= fmax(1.0, most / fabs(pivot));
    for (int i = next == 0   ? 0
                 : next == 1 ? 1
                             : 2;
         i < rows; i = i < 2 ? 2 : i + 1) {
        double *other = level->work + (size_t)i * (size_t)rows;
        if (other[u] == 0.0)
            continue;
        double share = other[u] / pivot;
        tree->q[i] -= share * tree->q[u];
        if (next >= 0)
            other[next] -= share * row[next];
        for (int j = 2; j < rows; j++)
            other[j] -= share * row[j];
    }
    return level->growth_after <= TREE_GROWTH;
}

/* Divides what eliminate_one has left in the force of row u by its pivot, once
 * the force of `next` is known. */
static void
finish_force(struct level *level, int u, int next)
{
    int rows = 2 * level->left;
    const double *row = level->work + (size_t)u * (size_t)rows;
    struct affine *force = level->force + u;
    if (force->own[0] != 0.0 || force->own[1] != 0.0)
        return; /* a free force */
    if (next >= 0)
        add_affine(force, row[next], level->force + next, rows - 2);
    double factor = -1.0 / row[u];
    force->constant *= factor;
    for (int k = 0; k < 2; k++)
        force->own[k] *= factor;
    for (int j = 0; j < rows - 2; j++)
        force->of[j] *= factor;
}

/* Eliminates what is unknown at the level's point. False: unsure. */
static bool
eliminate_point(const struct tree *tree, struct level *level)
{
    const struct tree_point *point = tree->point + level->point[0];
    struct point_state state = state_at(tree, level);
    double along = along_of(point, state);
    int rows = 2 * level->left;
    bool stick = state.tangent == TANGENT_STICK, both = state.closed && stick;
    tie(tree, level, along, state.closed);
    set_affine(level->force, state.closed ? 0.0 : point->offset, NULL,
               rows - 2);
    set_affine(level->force + 1, 0.0, NULL, rows - 2);
    if (both) {
        int first = fabs(level->A[rows + 1]) > fabs(level->A[0]);
        if (!eliminate_one(tree, level, first, 1 - first) ||
            !eliminate_one(tree, level, 1 - first, -1))
            return false;
        finish_force(level, 1 - first, -1);
        finish_force(level, first, 1 - first);
    } else if (state.closed || stick) {
        if (!eliminate_one(tree, level, stick, -1))
            return false;
        finish_force(level, stick, -1);
    }
    if (!stick)
        add_affine(level->force + 1, along, level->force, rows - 2);
    return true;
}

/* -- claims -----------------------------------------------------------------
 */

static struct claim *
new_claim(struct level *level, double constant, double size)
{
    struct claim *claim = level->claim + level->n_claims++;
    assert(level->n_claims <= CLAIMS_MOST);
    set_affine(&claim->value, constant, NULL, 2 * level->left - 2);
    claim->size = size;
    return claim;
}

/* sign times the acceleration of a row of the level's point. */
static void
claim_acc(struct level *level, int part, double sign)
{
    int rows = 2 * level->left;
    const double *row = level->A + (size_t)part * (size_t)rows;
    struct claim *claim = new_claim(level, sign * level->q[part], 1.0);
    for (int j = 2; j < rows; j++)
        claim->value.of[j - 2] = sign * row[j];
    for (int other = 0; other < 2; other++)
        add_affine(&claim->value, sign * row[other], level->force + other,
                   rows - 2);
}

static void
make_claims(const struct tree *tree, struct level *level)
{
    const struct tree_point *point = tree->point + level->point[0];
    struct point_state state = state_at(tree, level);
    int count = 2 * level->left - 2;
    level->n_claims = 0;
    if (state.closed)
        add_affine(&new_claim(level, -point->offset, 1.0)->value, 1.0,
                   level->force, count);
    else if (!point->of->driven)
        claim_acc(level, 0, 1.0);
    for (int side = 0; side < 2 && state.tangent == TANGENT_STICK; side++) {
        struct claim *claim = new_claim(level, 0.0, 1.0 + point->stick);
        add_affine(&claim->value, point->stick, level->force, count);
        add_affine(&claim->value, side ? 1.0 : -1.0, level->force + 1, count);
    }
    if (point->of->slip == 0.0 && state.tangent == TANGENT_FORWARD)
        claim_acc(level, 1, 1.0);
    if (point->of->slip == 0.0 && state.tangent == TANGENT_BACKWARD)
        claim_acc(level, 1, -1.0);
}

/* Is the claim's value never above `bound`, whatever forces the points that
 * follow have within their cones? Coefficients up to `none` are 0. */
static bool
stays_below(const struct tree *tree, const struct level *level,
            const struct claim *claim, double bound, double none)
{
    double most = claim->value.constant;
    for (int k = 0; k < level->n_own; k++)
        if (fabs(claim->value.own[k]) > TREE_UNMOVED)
            return false;
    for (int j = 1; j < level->left; j++) {
        const struct tree_point *point = tree->point + level->point[j];
        double N = claim->value.of[2 * j - 2], T = claim->value.of[2 * j - 1];
        if (point->of->slip == 0.0)
            N += fabs(T) * fmax(point->stick, point->slip);
        else
            N += T * (point->of->slip > 0.0 ? -point->slip : point->slip);
        if (N > none && !point->of->driven)
            return false;
        most += N * point->offset;
    }
    return most <= bound * claim->size;
}

/* Is this a closed point whose force is 0 whatever the others do, and is the
 * choice in which it is open enough? */
static bool
never_pushes(const struct tree *tree, const struct level *level)
{
    return tree->in->unnamed && state_at(tree, level).closed &&
           level->growth_after <= TREE_TAME &&
           stays_below(tree, level, level->claim,
                       TREE_NONE * tree->point[level->point[0]].terms,
                       TREE_NONE);
}

/* Is the branch out? */
static bool
is_out(const struct tree *tree, const struct level *level)
{
    double low = TREE_CLEAR_EARLY * (tree->size + level->big_after);
    if (level->growth_after > TREE_TAME || !(low > 0.0))
        return false;
    if (level->residual > low)
        return true;
    for (int c = 0; c < level->n_claims; c++)
        if (stays_below(tree, level, level->claim + c, -low, TREE_UNMOVED))
            return true;
    return never_pushes(tree, level);
}

/* Makes the equations of the level after this one, whose point is that which is
 * driven together most. */
static void
next_level(const struct tree *tree, const struct level *level)
{
    struct level *next = tree->level + (tree->n - level->left) + 1;
    int rows = 2 * level->left, count = rows - 2, first = 0;
    for (int j = 1; j < next->left; j++)
        if (tree->q[2 * j + 2] < tree->q[2 * first + 2])
            first = j;
    for (int r = 0; r < count; r++) {
        int from = r / 2 == 0 ? first : r / 2 == first ? 0 : r / 2;
        const double *row =
            level->work + (size_t)(2 * from + r % 2 + 2) * (size_t)rows + 2;
        double *to = next->A + (size_t)r * (size_t)count;
        next->point[r / 2] = level->point[from + 1];
        next->q[r] = tree->q[2 * from + r % 2 + 2];
        memcpy(to, row, sizeof *row * (size_t)count);
        for (int part = 0; part < 2; part++) {
            to[part] = row[2 * first + part];
            to[2 * first + part] = row[part];
        }
    }
    next->growth = level->growth_after;
    next->big = level->big_after;
}

/* Takes the present state of level d, and makes the equations of the next one.
 * False: the branch is out. */
static bool
step_down(struct tree *tree, int d)
{
    struct level *level = tree->level + d;
    level->unsure = d > 0 && level[-1].unsure;
    level->loose = d > 0 ? level[-1].loose + level[-1].n_own : 0;
    level->n_own = 0;
    level->residual = 0.0;
    level->growth_after = level->growth;
    level->big_after = level->big;
    if (!level->unsure)
        level->unsure = !eliminate_point(tree, level);
    if (level->unsure) {
        memcpy(level[1].point, level->point + 1,
               sizeof *level->point * (size_t)(level->left - 1));
        return true;
    }
    make_claims(tree, level);
    if (is_out(tree, level))
        return false;
    next_level(tree, level);
    return true;
}

/* -- the end of a path ------------------------------------------------------
 */

/* The value for forces, or along the direction of free force `loose` (>= 0). */
static double
value_of(const struct level *level, const struct affine *value, int loose,
         const double *force)
{
    double sum = loose < 0 ? value->constant : 0.0;
    for (int k = 0; k < level->n_own; k++)
        sum += level->loose + k == loose ? value->own[k] : 0.0;
    for (int j = 1; j < level->left; j++) {
        const double *of = force + (size_t)(2 * level->point[j]);
        sum += value->of[2 * j - 2] * of[0] + value->of[2 * j - 1] * of[1];
    }
    return sum;
}

static bool
violated(const struct tree *tree, const struct level *level,
         const struct claim *claim, int n_loose, double low)
{
    if (!(value_of(level, &claim->value, -1, tree->force) < -low * claim->size))
        return false;
    for (int k = 0; k < n_loose; k++)
        if (fabs(value_of(level, &claim->value, k, tree->loose[k])) >
            TREE_UNMOVED)
            return false;
    return true;
}

/* Is the level's point closed without a force of its own? */
static bool
has_no_force(const struct tree *tree, const struct level *level, int n_loose)
{
    int place = level->point[0];
    const struct tree_point *point = tree->point + place;
    bool moved = false;
    for (int k = 0; k < n_loose; k++)
        moved |= fabs(tree->loose[k][2 * place]) > TREE_NONE;
    return state_at(tree, level).closed && !moved &&
           fabs(tree->force[2 * place] - point->offset) <=
               TREE_NONE * point->terms;
}

/* May the choice be consistent? */
static bool
may_hold(struct tree *tree)
{
    const struct level *last = tree->level + tree->n - 1;
    int n_loose = last->loose + last->n_own;
    double size = tree->size + last->big_after;
    if (last->unsure)
        return true;
    for (const struct level *level = last; level >= tree->level; level--)
        for (int part = 0; part < 2; part++) {
            int r = 2 * level->point[0] + part;
            const struct affine *force = level->force + part;
            tree->force[r] = value_of(level, force, -1, tree->force);
            for (int k = 0; k < n_loose; k++)
                tree->loose[k][r] = value_of(level, force, k, tree->loose[k]);
            size += fabs(tree->force[r]);
        }
    for (const struct level *level = last; level >= tree->level; level--) {
        if (level->residual > TREE_CLEAR * size)
            return false; /* no forces hold this row */
        if (tree->in->unnamed && has_no_force(tree, level, n_loose))
            return false;
        for (int c = 0; c < level->n_claims; c++)
            if (violated(tree, level, level->claim + c, n_loose,
                         TREE_CLEAR * size))
                return false;
    }
    return true;
}

/* -- all paths --------------------------------------------------------------
 */

static void
keep_path(struct tree *tree)
{
    if (tree->n_paths == tree->cap) {
        tree->cap = tree->cap ? 2 * tree->cap : 16;
        struct path *more = NEW_N(tree->arena, struct path, tree->cap);
        if (tree->n_paths)
            memcpy(more, tree->path, sizeof *more * tree->n_paths);
        tree->path = more;
    }
    struct path *path = tree->path + tree->n_paths++;
    path->at = NEW_N(tree->arena, unsigned char, tree->n);
    for (int d = 0; d < tree->n; d++)
        path->at[tree->level[d].point[0]] = (unsigned char)tree->level[d].at;
}

/* The share of the tree that the walk has done with, at level d. */
static double
share_done(const struct tree *tree, int d)
{
    double share = 0.0, branch = 1.0;
    for (int i = 0; i <= d; i++) {
        const struct level *level = tree->level + i;
        branch /= tree->point[level->point[0]].count;
        share += level->at * branch;
    }
    return share;
}

/* May a walk over many choices, at level d after so many steps, come to its
 * end? *before: the share that it had done with after half of them. */
static bool
may_end(const struct tree *tree, int d, long steps, double *before)
{
    if (steps > TREE_STEPS)
        return false;
    if (steps < TREE_FIRST / 2 || (steps & (steps - 1)) != 0)
        return true;
    double share = share_done(tree, d), left = (double)(TREE_STEPS - steps),
           fast = (share - *before) / (0.5 * (double)steps);
    *before = share;
    if (steps == TREE_FIRST && share * TREE_STEPS < TREE_FIRST)
        return false;
    return steps < TREE_FIRST || share + TREE_FASTER * fast * left >= 1.0;
}

/* False: there is too much to walk over. */
static bool
walk(struct tree *tree)
{
    bool many = tree->choices > FRICTION_CHOICES_TRIED;
    double before = 0.0;
    long steps = 0;
    tree->level[0].at = -1;
    for (int d = 0; d >= 0; steps++) {
        if (many && !may_end(tree, d, steps, &before))
            return false;
        struct level *level = tree->level + d;
        if (++level->at == tree->point[level->point[0]].count)
            d--;
        else if (!step_down(tree, d))
            continue;
        else if (d < tree->n - 1)
            tree->level[++d].at = -1;
        else if (may_hold(tree))
            keep_path(tree);
    }
    return true;
}

/* In the order of a counter whose first digit is that of the first point. */
static int
by_number(const void *a, const void *b)
{
    const struct mode_kept *one = a, *two = b;
    for (int i = one->n - 1; i >= 0; i--)
        if (one->at[i] != two->at[i])
            return one->at[i] < two->at[i] ? -1 : 1;
    return 0;
}

/* Puts the paths of all blocks together. */
static void
combine(struct tree *tree, int blocks, struct mode_choices *out)
{
    struct arena *arena = tree->arena;
    int n = tree->in->n, b = 0;
    out->kept = NEW_N(arena, struct mode_kept, out->n + 1);
    for (size_t k = 0; k < out->n; k++) {
        struct mode_kept *kept = out->kept + k;
        kept->n = n;
        kept->at = NEW_N(arena, unsigned char, n);
        kept->state = NEW_N(arena, struct point_state, n);
        for (b = 0; b < blocks; b++)
            for (int i = 0; i < tree[b].n; i++) {
                const struct tree_point *point = tree[b].point + i;
                unsigned char at = tree[b].path[tree[b].now].at[i];
                kept->at[point->index] = at;
                kept->state[point->index] = point->state[at];
            }
        for (b = 0; b < blocks && ++tree[b].now == tree[b].n_paths; b++)
            tree[b].now = 0;
    }
    if (out->n > 1)
        qsort(out->kept, out->n, sizeof *out->kept, by_number);
}

bool
mode_tree(struct arena *arena, const struct mode_problem *in,
          struct mode_choices *out)
{
    assert(arena && in && in->n > 0 && out);
    int rows = 2 * in->n, blocks = 0;
    double *scale = NEW_N(arena, double, rows);
    bool *taken = NEW_N(arena, bool, in->n);
    struct tree *tree = NEW_N(arena, struct tree, in->n);
    *out = (struct mode_choices){.n = 1};
    for (int r = 0; r < rows; r++) {
        double w = in->W[r * (rows + 1)];
        scale[r] = w > 0.0 ? 1.0 / sqrt(w) : 1.0;
    }
    for (int first = 0; first < in->n; first++) {
        if (taken[first])
            continue;
        struct tree *block = tree + blocks++;
        *block = (struct tree){.arena = arena, .in = in, .scale = scale};
        if (!gather_block(block, first, taken))
            return false;
    }
    for (int b = 0; b < blocks; b++) {
        make_room(tree + b);
        begin(tree + b);
        if (!walk(tree + b))
            return false;
        out->n *= tree[b].n_paths;
        if (out->n > FRICTION_CHOICES_TRIED)
            return false;
    }
    combine(tree, blocks, out);
    return true;
}
