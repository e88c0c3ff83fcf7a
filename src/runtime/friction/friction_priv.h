/* SPDX-License-Identifier: MIT */
/* Inside the room: one choice of modes with its forces, and the search for all
 * consistent ones. The same search serves accelerations and velocities after an
 * impact: `free` then holds velocities, forces are impulses. */
#ifndef IMP_RUNTIME_FRICTION_FRICTION_PRIV_H
#define IMP_RUNTIME_FRICTION_FRICTION_PRIV_H

#include "base/arena.h"
#include "runtime/friction/friction.h"

/* Inequalities and equations hold within this share of their terms: far above
 * the rounding of well-conditioned points, far below what a model states. */
#define FRICTION_TOLERANCE 1e-10
/* Rows that depend on others agree with them within this share, which is that
 * of FRICTION_SAME: what is left between them is no other motion. Faces that
 * came to lie on each other in a run have left up to 6e-11 of it. */
#define FRICTION_DEPENDS 1e-8
/* Forces that keep off an edge by this share of their terms are off it: well
 * above what is rounding at an edge, well below what data would give. */
#define FRICTION_ROOMY 1e-7
/* the same where a mode has just ended at a root, which is known to less */
#define FRICTION_AT_ROOT 1e-7
/* Two motions are the same within this share. */
#define FRICTION_SAME 1e-8

/* what the tangential force of a point does */
enum tangential_state {
    TANGENT_NONE,
    TANGENT_STICK,
    TANGENT_FORWARD, /* slip > 0: T = -mu N */
    TANGENT_BACKWARD
};
struct point_state {
    bool closed; /* the normal force is unknown; false: it is the offset */
    enum tangential_state tangent;
};
/* The sign of T against N where the point slips: T = sign mu N. */
static inline double
mode_slip_sign(enum tangential_state tangent)
{
    return tangent == TANGENT_FORWARD    ? -1.0
           : tangent == TANGENT_BACKWARD ? 1.0
                                         : 0.0;
}
/* The data of a point. */
struct mode_point {
    double mu_stick, mu_slip;
    double offset; /* a normal force that is there in any case, >= 0 */
    double slip;   /* its sign decides which slip is possible */
    double scale;  /* tolerance in place of FRICTION_TOLERANCE */
    bool driven;   /* its normal force is the offset, whatever its normal row
                      does */
    bool held, ended;
    bool varies;               /* as in friction_point */
    struct point_state before; /* where held or ended */
};
static inline bool
mode_frictionless(const struct mode_point *point)
{
    return point->mu_slip == 0.0 && point->mu_stick == 0.0 && !point->varies;
}
/* May the point begin to slip either way? */
static inline bool
mode_starts_at_rest(const struct mode_point *point)
{
    return point->slip == 0.0 && !mode_frictionless(point);
}
static inline bool
mode_same_state(struct point_state a, struct point_state b)
{
    return a.closed == b.closed && a.tangent == b.tangent;
}
/* The points at which each row of W has entries. */
struct mode_pattern {
    const int *first, *point; /* first: 2 n + 1 */
    double noise;             /* as mode_row_noise, of a row with W_ii = 1 */
};
struct mode_problem {
    int n;
    const struct mode_point *point;
    const double *W, *free, *terms;
    bool brief; /* as in friction_instant */
    /* Names of modes do not matter: of closed points without force only the
     * choice is listed in which they are open. */
    bool unnamed;
    bool inner;                         /* as in friction_instant */
    const double *near;                 /* as in friction_instant */
    struct friction_memory *memory;     /* NULL: none */
    const struct mode_pattern *pattern; /* NULL: rows are read whole */
};
/* Forces of one choice of modes. */
struct mode_solution {
    bool consistent;
    bool shared; /* forces are not unique */
    bool loads;  /* nor is the motion */
    bool pace;   /* that differs in the size of its accelerations alone */
    bool tight;  /* its inequalities hold to FRICTION_TOLERANCE, those of
                    modes that have just ended, too */
    bool roomy;  /* some of these forces keep off all bounds, by FRICTION_ROOMY
                    of their terms */
    double margin;
    double *force, *acc; /* 2 n each */
};
/* A choice that was found. */
struct mode_found {
    struct point_state *state;
    struct mode_solution solution;
    bool goes_on; /* has the mode of all points that were held */
};
/* -- what the search of one choice keeps (mode_forces.c, mode_shares.c) -----
 */

/* an inequality: sum of factor[j] force[row[j]] + acceleration `acc` >= -slack
 */
struct mode_bound {
    int row[2], acc; /* -1: none */
    double factor[2], acc_sign;
    double offset;
};
/* Numbers of which a choice needs more or fewer. */
struct mode_room {
    double *v;
    size_t n;
};
struct mode_scratch {
    struct arena *arena;
    int k;              /* unknowns */
    int *unknown;       /* its row of forces */
    int *which;         /* 2 n: of a row of forces, which unknown; -1: none */
    double *along;      /* of a closed point that slips: T per N; else 0 */
    double *scale;      /* 2 n: 1/sqrt(W_ii) */
    struct mode_room K; /* of few unknowns, k x k by rows */
    struct sparse_system *sparse; /* equations of many unknowns */
    bool many;                    /* this choice has so many */
    double *rhs, *x, *work;
    int *order;            /* of pivots: which unknown stands where */
    double zero;           /* pivots up to this share of the first count as 0 */
    double least;          /* the share of the least one that did not */
    double *base;          /* 2 n: forces without the unknowns */
    struct mode_room null; /* orthonormal directions of forces, 2 n each */
    struct mode_room A, h, room;
    double *t; /* a way along these directions */
    struct mode_bound *bound;
    int n_bound;
};

/* The greatest force that the terms of the accelerations amount to: what is far
 * below, as where a load has just come to 0, is the rounding of terms that
 * cancel. (mode_equations.c) */
double mode_force_terms(const struct mode_problem *in);

/* -- mode_rows.c ------------------------------------------------------------
 */

/* Finds the entries of a problem that is not small; W, `free` and `terms` stay
 * as they are from then on. Memory: the arena. */
void mode_find_pattern(struct arena *arena, struct mode_problem *in);
/* friction_row_noise of row i. */
double mode_row_noise(const struct mode_problem *in, int row);
/* start + (row of W).x */
double mode_row_sum(const struct mode_problem *in, int row, double start,
                    const double *x);
/* The same with the sizes of all terms. */
double mode_row_terms(const struct mode_problem *in, int row, double start,
                      const double *x);
/* The greatest size of an entry of a row of W. */
double mode_row_greatest(const struct mode_problem *in, int row);
/* The size of what row i of the accelerations is the sum of. */
double mode_row_size(const struct mode_problem *in, const double *force,
                     int row);

/* -- mode_equations.c -------------------------------------------------------
 */

struct mode_scratch *mode_scratch_new(struct arena *arena,
                                      const struct mode_problem *in);
/* Room for n numbers; what it had is lost where that was less. */
double *mode_room_for(struct arena *arena, struct mode_room *room, size_t n);
/* Lists the unknowns of a choice of modes, and the forces that are there
 * without them. */
void mode_unknowns(struct mode_scratch *scratch, const struct mode_problem *in,
                   const struct point_state *state);
/* Finds forces (2 n) that hold the rows of all unknowns at 0, with pivots up to
 * the share scratch->zero as those of points that depend on each other: of many
 * such forces the least, or those nearest to in->near. Returns in how many
 * directions, scratch->null, they are free; -1: the rows contradict each other.
 */
int mode_equations(struct mode_scratch *scratch, const struct mode_problem *in,
                   double *force);
/* The directions of forces that leave all accelerations as they are which a
 * choice of modes holds at 0, into scratch->null. Returns how many there are.
 */
int mode_null(struct mode_scratch *scratch, const struct mode_problem *in);

/* -- mode_forces.c ----------------------------------------------------------
 */

/* Finds the forces of a choice of modes, and whether they satisfy its
 * inequalities. `solution` needs room for its arrays. */
void mode_forces(struct mode_scratch *scratch, const struct mode_problem *in,
                 const struct point_state *state,
                 struct mode_solution *solution);
/* The value of a bound; its scale, that of the forces in it, which is the same
 * in every frame; its derivative along a direction of forces (2 n), and the
 * size of its derivatives by forces. */
double mode_bound_value(const struct mode_bound *bound,
                        const struct mode_problem *in, const double *force);
double mode_bound_scale(const struct mode_bound *bound,
                        const struct mode_problem *in, const double *force);
double mode_bound_along(const struct mode_bound *bound,
                        const struct mode_problem *in, const double *direction);
double mode_bound_weight(const struct mode_bound *bound,
                         const struct mode_problem *in);

/* -- mode_shares.c --------------------------------------------------------- */

/* friction_ranges for a choice whose forces mode_forces has found. */
void mode_ranges(struct arena *arena, const struct mode_problem *in,
                 const struct point_state *state, struct friction_range *range);
/* friction_spread for a choice of modes. */
double mode_spread(struct arena *arena, const struct mode_problem *in,
                   const struct point_state *state, double enough);
/* Do n motions lie in a row, or a tree, of families of loads, each of which
 * meets the next one, with those between them that are given? NULL: no; else
 * what is taken of all these. goes_on: some of the n motions do. */
const struct mode_found *
mode_connected(struct arena *arena, const struct mode_problem *in, bool goes_on,
               int n, const struct mode_found *found, int n_between,
               const struct mode_found *between);
/* Writes modes into `state` between those of n motions: points are closed that
 * are so in one of them. False: there are none. */
enum mode_merging {
    MODE_SLIPPING, /* points slip that do so in one of them */
    MODE_SLIDING,  /* those, too, that stick in one, and slide in another one
                      without a force */
    MODE_STICKING, /* points stick that do not always slip alike */
    MODE_MERGES
};
bool mode_merge(const struct mode_problem *in, int n,
                const struct mode_found *found, enum mode_merging how,
                struct point_state *state);
/* friction_room for a choice of modes. */
double mode_room(struct arena *arena, const struct mode_problem *in,
                 const struct point_state *state, const double *rate);

/* friction_lasting for a choice of modes: the forces (2 n). */
bool mode_lasting(struct arena *arena, const struct mode_problem *in,
                  const struct point_state *state, const double *rate,
                  double soon, bool again, double *force);

/* -- mode_many.c ----------------------------------------------------------
 */

/* Calls `try` with modes to which methods for many points lead in `state` (n),
 * until it returns true or no methods are left. */
void mode_by_methods(struct arena *arena, const struct mode_problem *in,
                     struct point_state *state, bool (*try)(void *context),
                     void *context);

/* mode_newton.c: goes on from forces (2 n), as sweeps leave them. Calls `try`
 * whenever modes in `state` have settled. True: that has returned true. none
 * (n): a normal force up to this is rounding. */
bool mode_newton(struct arena *arena, const struct mode_problem *in,
                 const double *none, double *force, struct point_state *state,
                 bool (*try)(void *context), void *context);

/* What was found may be an edge of a family of loads on which the motion
 * depends, since points that are open, or begin to slip, without an
 * acceleration may bear a load as well. Writes the modes of that family into
 * `state`. False: it has no others, or nothing slips. */
bool mode_widest(const struct mode_problem *in, const struct point_state *found,
                 const struct mode_solution *solution,
                 struct point_state *state);

/* -- mode_ends.c -----------------------------------------------------------
 */

/* Calls `try` with choices in `state` (n) in which points whose modes have just
 * ended do anything that is not clearly inconsistent, and the others are as in
 * `beside`; with none where more than a few points have ended. Where that would
 * be too many, only with those in which fewer modes go on that have ended, and
 * those nearer to `near`. */
void mode_ends(struct arena *arena, const struct mode_problem *in,
               const struct point_state *beside, const struct point_state *near,
               struct point_state *state, void (*try)(void *context),
               void *context);

/* -- mode_tree.c ------------------------------------------------------------
 */

/* All states that a point may be in. Returns how many. */
#define MODE_STATES_MOST 6
int mode_states_of(const struct mode_point *point,
                   struct point_state state[MODE_STATES_MOST]);
/* Choices that are not clearly inconsistent. */
struct mode_kept {
    struct point_state *state; /* n */
    unsigned char *at;         /* n: which of its states each point has */
    int n;
};
struct mode_choices {
    struct mode_kept *kept;
    size_t n;
};
/* Rules out choices of modes; what is left is listed in the order of a counter
 * whose first digit is that of the first point. False: points that act on each
 * other have more than FRICTION_CHOICES_TRIED choices, and these cannot be
 * walked over in as many steps, or as many are left. */
bool mode_tree(struct arena *arena, const struct mode_problem *in,
               struct mode_choices *out);

/* -- mode_search.c ----------------------------------------------------------
 */

struct mode_result {
    enum friction_verdict verdict;
    int n; /* different motions */
    int taken;
    double apart; /* by how much accelerations differ where joints are loaded in
                     different ways, as points share their forces */
    struct mode_found found[FRICTION_SETS_MOST];
    /* all choices that were consistent, in the order in which they were tried,
     * for mode_search_near: n_all, of which the first n_first came first;
     * complete: of all choices; widened: those that lie beside the first one
     * were looked for, too */
    const struct point_state *const *all;
    size_t n_all, n_first;
    bool complete, widened;
};
/* only: nothing but these modes is looked at; NULL: all are. */
void mode_search(struct arena *arena, const struct mode_problem *in,
                 const struct point_state *only, struct mode_result *out);
/* The same once more, where `in` differs in what is `near` alone: which modes
 * are consistent does not depend on that. before: NULL: for the first time. */
void mode_search_near(struct arena *arena, const struct mode_problem *in,
                      const struct mode_result *before,
                      struct mode_result *out);
/* mode_memory.c: mode_search of all modes, or what that has found for the same
 * problem before, if the problem has a memory. */
void mode_search_kept(struct arena *arena, const struct mode_problem *in,
                      struct mode_result *out);
/* friction.c: the same where the last n_grip points, which are driven, are
 * joints: finds their offsets, too. */
void mode_search_gripped(struct arena *arena, const struct mode_problem *in,
                         struct mode_point *point, int n_grip,
                         const struct friction_grip *grip,
                         struct mode_result *out);
/* impact_process.c: how many of these points, the last ones, are joints. */
int friction_impact_joints(const struct friction_impact_point *point, int n);
/* Grips among the points index[0..n) alone, of `all` points. */
struct friction_grip *
friction_grips_among(struct arena *arena, int all, int n, const int *index,
                     const struct friction_impact_point *point, int *n_grip);

/* -- impact_process.c ------------------------------------------------------
 */

/* FRICTION_PROCESS: point `hit` approaches, the others rest or separate. Fills
 * verdict, impulse and after. */
void friction_impact_process(struct arena *arena, int n, const double *W,
                             const struct friction_impact_point *point, int hit,
                             struct friction_memory *memory,
                             struct friction_impact_several *out);

#endif
