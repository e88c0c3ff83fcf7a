/* SPDX-License-Identifier: MIT */
/* Inside motion.h: what steps know of the image, and the length of a step
 * (motion_plan.c). */
#ifndef IMP_RUNTIME_MOTION_MOTION_PRIV_H
#define IMP_RUNTIME_MOTION_MOTION_PRIV_H

#include <string.h>

#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/relays/relays.h"

/* What a step needs to know of the image, read once: where the rows lie, and
 * which of them move. Offsets, because run->rows.block is exchanged for other
 * arrays (series_along.c). */
struct motion_row {
    uint32_t at; /* index of the variable, from the first one of the block on */
    uint32_t row; /* its coefficient 0 in r->work[block] */
};
/* Variables that form one vector, of which at least one moves by a series. The
 * entries after the last one repeat the first. */
#define GROUP_MAX 4
struct motion_group {
    uint32_t row[GROUP_MAX];
    unsigned char series[GROUP_MAX]; /* moves by a series */
    unsigned char spin, rate;        /* belongs to an attitude; is a velocity */
};
/* What a variable of a body is, where that matters beyond its series. */
enum motion_what { MOTION_POSE, MOTION_SPEED, MOTION_SPIN };
struct crossing; /* of crossing.c */
struct motion_block {
    uint32_t tape;   /* IMP_NO_TAPE: nothing moves */
    uint32_t system; /* the system of the block, which a flow moves, or
                        IMP_NO_SYSTEM */
    bool observer;   /* the block holds the system's observers */
    bool quadratic;  /* what moves a body is that simple (motion_plan.c) */
    bool powers;     /* powers of absolute values are among its forces */
    /* n_series 0: accelerations are constant, as the tape says */
    uint32_t n_groups, n_lines, n_parabolas, n_series, n_turning;
    struct motion_group *groups;
    struct motion_row *lines, *parabolas, *series;
    uint32_t *turning; /* as motion_row.at: first entry of each quaternion */
    enum motion_what *what; /* per state variable of bodies */
};
/* Blocks that move alike, as members of a family do, have one plan. */
struct motion_place {
    uint32_t kind;
    uint32_t first; /* env: the first state variable of the block */
};
struct motion_brief; /* persistent_group.h */
struct motion_plan {
    struct motion_place *place; /* per block */
    struct motion_block *free,
        *held; /* per kind: of free blocks, and of those with closed contacts */
    bool prescribed;  /* the state of some body is a formula of time */
    bool weight;      /* motion_by_weight */
    bool stands;      /* motion_stands */
    const bool *only; /* motion_only */
    struct crossing **crossing;  /* per block; NULL until it is first used */
    struct motion_brief *briefs; /* per block of a system */
    /* within the last series of all, after how long the ground below closed
     * contacts changes its branch (infinite: never); and the time at which it
     * does so next, as mode_change_next has found it: there the rates of gaps
     * are left as they are */
    double ground_step, ground;
    double ground_due; /* a change of the ground was to come at this time to
                          rounding, and is not dealt with; NAN: none */
    double horizon;    /* motion_horizon */
    double *ahead[2];  /* rows of motion_ahead_two; */
    size_t ahead_room[2];
    double *radius; /* per body: of a ball, NAN until it is asked for; */
    unsigned long radius_of; /* at this start.version; 0: none is known */
    double *parabola; /* per block: how long the last rows may be followed if
                         they are those of crossing_parabola, else infinite */
};

static inline const struct motion_block *
motion_block_free(const struct rt *run, uint32_t block)
{
    return run->motion->free + run->motion->place[block].kind;
}

static inline const struct motion_block *
motion_block_of(const struct rt *run, uint32_t block)
{
    return (persistent_moves(run, block) ? run->motion->held
                                         : run->motion->free) +
           run->motion->place[block].kind;
}

/* Are the coefficients from .. to all 0? All bits but the sign are compared at
 * once. */
static inline bool
motion_zeros(const double *row, int from, int to)
{
    uint64_t any = 0;
    for (int k = from; k <= to; k++) {
        uint64_t u;
        memcpy(&u, row + k, sizeof u);
        any |= u;
    }
    return any << 1 == 0;
}

/* The rows of a block of bodies without its closed contacts. Status. */
int motion_rows_free(struct rt *run, uint32_t block, int order);

/* -- motion_plan.c ------------------------------------------------------- */

/* Sets *step to the time (s) for which the rows in run->rows.block[block] hold
 * to rounding. It is infinite where the series is the motion itself. */
void motion_step(const struct rt *run, uint32_t block, int order, double *step);
/* Before a step from the present time to time t along the rows made last, of
 * this order: hands the poses of all bodies that it moves to run->trace. */
void motion_trace(struct rt *run, int order, double t);

/* -- branches.c ----------------------------------------------------------- */

/* Formulas with branches: those of a block, or of the friction of a contact. */
struct branched {
    uint32_t tape, n; /* n guards; IMP_NO_TAPE: none */
    const imp_guard *guard;
    struct switching *own;
};
/* Where a guard changes its branch. */
struct branch_end {
    double s;  /* the step ends here; infinite if it does not */
    bool back; /* at a change that the motion has just passed */
    int guard; /* -1: none */
};
struct branched branched_block(const struct rt *run, uint32_t block);
/* Makes the guards from these rows. The first one that ends the piece shortens
 * *step. `soft`: the last one that changes its branch at once, where only
 * forces change. `parabola`: a parabola of the accelerations is followed, which
 * may pass every change of forces (switching.h). */
int branched_first_end(struct rt *run, const struct branched *formulas,
                       const double *const *rows, int order, bool parabola,
                       double *step, struct branch_end *first,
                       struct branch_end *soft);
/* The series of a guard in rows of their tape; NULL: those made last. */
/* switching_next of formulas, but for the guards that `skip` names. */
double branched_next(struct rt *run, const struct branched *formulas,
                     const double *const *rows, int order, double span,
                     const bool *skip);
const double *branched_series(const struct rt *run,
                              const struct branched *formulas,
                              const double *work, int guard);
/* On which side of its change each guard is in these rows: a number that all of
 * one side have; NAN: within its rounding of the change, or on none. */
void branched_sides(struct rt *run, const struct branched *formulas,
                    const double *const *rows, double *side);
/* This guard ends no step (-1: all of them do again). */
void branched_leave_out(const struct branched *formulas, int guard);
/* Have the last steps led back to this change again and again? */
bool branched_returns(const struct branched *formulas, int guard);
/* The same, or have they all been short? */
bool branched_lingers(const struct branched *formulas, int guard);
/* IMP_FAILED after a diagnostic if the motion is held at this change: if steps
 * of the length `step`, which were `span` without the change, lead back to it
 * again and again. */
int branched_held(struct rt *run, const struct branched *formulas,
                  const struct branch_end *end, double span, double step);

/* Before a tape of the motion of this block is evaluated (rt_enter). */
static inline void
motion_enter(struct rt *run, uint32_t block)
{
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    if (of->bodies.n == 1)
        rt_enter(run, *IMP_ARRAY(run->im, of->bodies, uint32_t));
}

/* How large is that which a velocity changes: the coordinate of a system, the
 * places of bodies, or a radian? */
double motion_place_size(const struct rt *run, uint32_t block,
                         uint32_t velocity);
/* Is the variable a velocity, whose orders from .. order are all 0? */
bool motion_lacks(const struct rt *run, uint32_t block, const double *rows,
                  uint32_t variable, int from, int order);
/* Are all that is left of velocities and their rates numbers so small that they
 * count for nothing? Their last orders are 0 by underflow. */
bool motion_died_out(const struct rt *run, uint32_t block, int order);
/* Leaves of the rows the parabola of the accelerations: to order 2 for what
 * velocities are the rates of, to order 1 for velocities. False if that is not
 * finite. */
bool motion_cut(struct rt *run, uint32_t block, int order);
/* Leaves of what joints with friction of the block tell what belongs to a
 * motion of this order: forces and friction are known to one order less.
 * length: of the piece, where beside a power of a speed that begins their rates
 * may have no bound, nor a meaning; 0 where they have. */
void motion_cut_joints(struct rt *run, uint32_t block, int order,
                       double length);
/* How long a piece is in which finite forces change nothing beyond rounding:
 * some steps of the clock. Near time 0, where the clock has no rounding, those
 * of a clock at the time in which the contacts of the group, if there is one,
 * move a body by its own size. For where series lead on by less than the clock
 * can see, or there are none: at a power of a speed that comes to 0. 0: many
 * pieces have led nowhere. */
struct persistent_group;
double motion_brief(const struct rt *run, struct motion_brief *brief,
                    const struct persistent_group *group);

/* motion_asks, for files that persistent_group.c calls. */
static inline bool
motion_lets(const struct rt *run, uint32_t block)
{
    return !run->motion->only || run->motion->only[block];
}

/* Orders of the series that tell a singularity: terms grow by its inverse
 * distance from order to order, and must stay finite. */
#define MOTION_SINGULAR_ORDER 8
/* Notes which places of the block run into a singularity, from its rows. */
void motion_note_singular(struct rt *run, uint32_t block);

/* switching.c. Of numbers per variable of a block, those of its velocities: the
 * root of twice the kinetic energy, of bodies but for products of inertia.
 * mass: that of a system (n x n); bodies need none. */
double motion_energy_norm(const struct rt *run, uint32_t block,
                          const double *mass, const double *numbers);

/* -- crossing.c: rows that are followed while others are made elsewhere ---- */

/* The rates that are missed may change the velocities by this many rounding
 * errors: as many as those of a few operations. */
#define CROSSING_NOISE 4.0

struct crossing {
    double *rows;        /* those that are followed */
    double *state;       /* the state where they begin */
    double *off, *speed; /* per variable: h d(h), and the velocity at h */
    double *mass;        /* of a system, n x n */
    double *felt;        /* of observers: the motion where the rows begin */
};

/* motion_rows to order 1, for the rates alone: those of a system whose contacts
 * slip may be finite where the rates of its forces are not. */
int motion_rates(struct rt *run, uint32_t block);

struct crossing *crossing_of(struct rt *run, uint32_t block);
/* The rows of the block are followed from the present state on; others are made
 * until crossing_back. */
void crossing_follow(struct rt *run, uint32_t block, struct crossing *own);
/* Back to where they begin, `start`, with the rows of the block that were
 * followed. */
void crossing_back(struct rt *run, uint32_t block, struct crossing *own,
                   int order, double start);
/* Moves the state of the block to time `step` along them: own->speed the
 * variables, own->off their rates there. */
void crossing_move(struct rt *run, uint32_t block, const struct crossing *own,
                   int order, double start, double step);
/* The row that is followed of a variable. */
const double *crossing_row(const struct crossing *own, const imp_block *block,
                           const struct rt *run, uint32_t variable);
/* The rate of a variable of the block, by the rows made last. */
double crossing_rate(const struct rt *run, uint32_t block, uint32_t i);
/* Are the changes own->off below this share of the velocities? */
bool crossing_negligible(const struct rt *run, uint32_t block,
                         const struct crossing *own, double eps);
/* May the rows be followed for this time? What they miss is rounding then. */
bool crossing_holds(struct rt *run, uint32_t block, struct crossing *own,
                    int order, double start, double step);

#endif
