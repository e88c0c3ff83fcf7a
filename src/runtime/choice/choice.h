/* SPDX-License-Identifier: MIT */
/* Which modes of closed contact points go on at one instant, where they have
 * had modes until then. runtime/friction says what is consistent; bodies and
 * systems both ask here which of it is taken. */
#ifndef IMP_RUNTIME_CHOICE_CHOICE_H
#define IMP_RUNTIME_CHOICE_CHOICE_H

#include "runtime/friction/friction.h"
#include "runtime/friction/painleve.h"
#include "runtime/friction/paradox.h"

/* a force this close to its cone, as a share, is at its edge */
#define CHOICE_AT_EDGE 1e-9
/* Accelerations and forces below this share of their terms are none. */
#define CHOICE_NONE 1e-10

/* Accelerations that are so small a share of their terms are 0, where that
 * gives the same motion another name. */
#define CHOICE_FLOATS 1e-12

/* why modes are chosen */
enum choice_cause {
    CHOICE_OTHER,
    CHOICE_UNLOADED, /* the normal force of point `which` has ceased */
    CHOICE_LEFT,     /* it has ceased before, and its contact opens */
    CHOICE_STOPPED,  /* its slip has ended */
    CHOICE_CONE      /* it was stuck, and its force leaves the cone */
};
/* The points of one group at one instant. */
struct choice_group {
    struct arena *arena;
    struct friction_instant instant;
    struct friction_point *point; /* those of the instant */
    int n_grip;                   /* the last of them are joints */
    const struct friction_grip *grip;
    const bool *tied;    /* n: the point was at the edge of its cone until now,
                            held by others; NULL: none was */
    const double *until; /* 2 n: the forces until now; NULL: not known */
    const double *rate;  /* 2 n: how fast they change (N/s); NULL: not known */
    double soon;         /* a time that is rounding (s) */
    bool again;          /* shares that last longest have been taken at this
                            time already */
    enum choice_cause cause;
    int which;
    bool slow;  /* the run states that slow slips end (capture) */
    bool stays; /* so choice_keep has taken one of several motions */
    bool lasts; /* choice_make has taken the shares of forces that last longest
                 */
};
static inline int
choice_contacts(const struct choice_group *group)
{
    return group->instant.n - group->n_grip;
}

/* What is consistent, and which of it goes on: with what has ended by
 * group->cause, which is written to the points. */
void choice_make(struct choice_group *group, struct friction_choice *out);
/* The same, of points whose slips have ended since, with what has ended then.
 */
void choice_again(const struct choice_group *group,
                  struct friction_choice *out);
/* Were no modes found? */
bool choice_is_empty(const struct friction_choice *choice);
/* Where the motion depends on how points share their loads, or several motions
 * obey the law, forces go on as they were until now if they still obey it. A
 * dependence on loads that is rounding is none. Of other several motions, where
 * slow slips end, that one goes on in which those that have ended stay so, or
 * else that of which what rests begins to move with the least energy. */
void choice_keep(struct choice_group *group, struct friction_choice *out);
/* The size of the terms of the acceleration of row r with the forces of a set.
 */
double choice_row_size(const struct friction_instant *in,
                       const struct friction_set *set, int r);
/* A contact that is free, but does not open, carries nothing and could as well
 * be closed: a foot in the middle of others. Then the choice where these count
 * as closed until now is the better name for the same motion, but for those
 * whose force has just ceased (n). Returns the choice to be taken. */
struct friction_choice *choice_with_floating(const struct choice_group *group,
                                             const bool *ceased,
                                             struct friction_choice *choice);
/* Forces that points share have come to their end: what carries nothing in the
 * choice that goes on would share them anew, and end at the same time. Returns
 * the choice without it, which is the same motion, or else `choice`. */
struct friction_choice *choice_without_idle(const struct choice_group *group,
                                            struct friction_choice *choice);
/* A motion goes on with forces of least norm, as those of series are
 * (imp_rank_solve), as long as no inequality holds them back: what carries
 * nothing is let go. False: a point that sticks is at the edge of its cone,
 * which series do not know. */
bool choice_take_least(const struct choice_group *group,
                       struct friction_set *set);
/* What friction_goes_on asks for. rate (2 n): the derivatives of the
 * accelerations of points that are held, while their forces change by `force`
 * (2 n); they become those at constant forces. still (2 n, or NULL): up to
 * there the derivative of a row whose acceleration the modes hold at 0 is
 * rounding; NAN of other rows. Returns the greatest share of its terms that is
 * left of such a derivative; 0: they are rounding. */
double choice_rates(const struct choice_group *group, const bool *held,
                    double *rate, const double *force, const double *still);
/* Nothing is singled out: what the policy takes, among the ways of `forks` (or
 * NULL), whose names live in `names`. *jump: the point of an impact without
 * collision that is possible, or -1. True: the run takes that. */
bool choice_by_policy(struct friction_choice *choice, int n,
                      enum friction_paradox policy, struct paradox_forks *forks,
                      struct arena *names, int *jump);

/* -- forces that begin to grow from 0 (choice_later.c) --------------------- */

/* They are looked for up to this order of the gaps: the fourth power of time.
 */
#define CHOICE_LATER_MOST 6
/* Series of n closed points without forces of contacts, from this instant. */
struct choice_later {
    int n;
    int from; /* the first order that is asked: 3, or 2 where accelerations
                 that are none by CHOICE_NONE may be more than rounding */
    const double *const *gap; /* n: coefficients to CHOICE_LATER_MOST */
    /* n: up to here those of the gap are rounding, from this order on, and
     * those of the length that it slips */
    const double *const *still, *const *slip_still;
    const double *const *slip; /* n: of the slip velocity, to one order less;
                                  NULL: the point has no friction */
};
/* Returns the first order at which gaps of points that are `closed` (n) fall;
 * 0: none does. closed: those that have not risen before it. first (n): their
 * coefficients of this order, which are 0 where they are rounding, and of those
 * that have risen their first ones. */
int choice_later_order(const struct choice_later *later, bool *closed,
                       double *first);
/* No point presses now. Does what presses or opens some of them begin to grow
 * from 0? Then free and terms (2 n) become those of the first coefficients;
 * what slips or opens before others press does so at once. */
bool choice_presses_later(struct arena *arena, const struct choice_later *later,
                          const struct friction_point *point, double *free,
                          double *terms);

/* Has point i a force that is more than rounding? */
bool choice_pushes(const struct choice_group *group,
                   const struct friction_set *set, int i);
/* Is its friction at the edge of its cone? */
bool choice_at_edge(const struct friction_point *point,
                    const struct friction_set *set, int i);
/* Is the tangential row of a point given by rows that are held: the normal rows
 * of points with `on`, and the tangential rows of those with `sticks` (n each),
 * without its own? Then its slip stays 0 whatever its force is. */
bool choice_depends(const struct choice_group *group, const bool *on,
                    const bool *sticks, int point);
/* The points that forces at point `one` act on, through others, too (n), and
 * that point itself. */
void choice_part(const struct choice_group *group, int one, bool *part);
/* Modes of before do not go on. Of which parts of the group do they not, by
 * themselves? fails (n): of no part, where that is all of them together. */
void choice_failing(const struct choice_group *group, bool *fails);
/* Which points that stick come to their cones within this time (s), however
 * forces are shared, which fall by these rates (2 n, friction_room)? ends (n).
 */
void choice_at_cones(const struct choice_group *group,
                     const struct friction_set *set, const double *rate,
                     double within, bool *ends);
/* A point that begins to slip without an acceleration, as others that stick
 * hold its slip, sticks at the edge of its cone: the mode is written to set. */
void choice_name_held(const struct choice_group *group,
                      struct friction_set *set);
/* The same among points of which none slips. Where others do, the motion could
 * depend on the forces of points that stick without being tied. */
void choice_name_at_rest(const struct choice_group *group,
                         struct friction_set *set);
/* Points of a set that stick at the edges of their cones are tied there if
 * others hold their slip; point `first` (-1: none), whose force has just met
 * its cone, before the others. Points are asked in the order of the n_order
 * entries of `order`; on, sticks (n each): those that push, and that hold
 * themselves, which they do no more where they are tied. drift (2 n, or NULL):
 * how forces grow. side (n): by the sign of the friction of what is tied; 0:
 * not tied. */
void choice_tie(const struct choice_group *group,
                const struct friction_set *set, const double *drift, int first,
                const int *order, int n_order, const bool *on, bool *sticks,
                int *side);

/* -- as text, in `arena`; name (n): of the contacts ------------------------ */

/* By how much accelerations differ where points share loads in many ways
 * (friction_spread), in so many digits and with this unit behind them: "by up
 * to 3 m/s^2", or "by any amount". */
const char *choice_spread_text(struct arena *arena,
                               const struct friction_choice *choice, int digits,
                               const char *unit);
/* What lies between two bounds, which may be infinite, with this unit: "1 to 3
 * N", one number, "1 N and more", "3 N and less", or "any size". */
const char *choice_range_text(struct arena *arena, const double range[2],
                              const char *unit);
/* What was found where nothing is singled out. */
const char *choice_verdict_text(struct arena *arena,
                                const struct choice_group *group,
                                const char *const *name,
                                const struct friction_choice *choice);
/* The coefficients of one contact, and how far they are from where the verdict
 * changes. */
const char *choice_coefficients_text(struct arena *arena,
                                     const struct painleve_verdict *found);
/* Between which bounds the forces of a set may lie, contact by contact. */
const char *choice_ranges_text(struct arena *arena,
                               const struct choice_group *group,
                               const char *const *name,
                               const struct friction_set *set);

#endif
