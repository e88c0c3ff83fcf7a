/* SPDX-License-Identifier: MIT */
/* The normal and tangential rows of contact points at one instant, in the
 * plane, as runtime/friction asks for them. For this room and for commands
 * that ask about one instant. */
#ifndef IMP_RUNTIME_MODES_FRICTION_ROWS_H
#define IMP_RUNTIME_MODES_FRICTION_ROWS_H

#include "runtime/modes/friction_modes.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/rubbing/rubbing_beside.h"

/* The rows of n points at the present instant, without forces: 2 i is normal,
 * 2 i + 1 tangential. */
struct friction_rows {
    struct rt *run;
    int n;
    const struct contact_point *spot;
    bool still; /* the gaps of all points count as at rest: a slip slower than
                   their rates is none, either */
    bool with_joints; /* joints with friction are points, too: n counts them */
    int n_joint;      /* the last of the n points; no spot belongs to them */
    struct rubbing_joint *joint;
    struct friction_grip *grip;     /* n_joint */
    struct persistent_group *group; /* the points, looked at */
    struct friction_point *point;   /* n */
    double *W;                      /* 2 n x 2 n */
    double *free, *terms, *rate;    /* 2 n: accelerations, sizes of their terms,
                                       velocities */
    double *parts; /* 2 n: the sum of the sizes of what the velocities and spins
                      of the bodies, and their turning, do to an acceleration:
                      `terms` is at least as large, by what is known before */
    double *size;  /* per point: the speed below which a slip is
                      none */
    bool later;    /* friction_modes.c: nothing presses now, and free has
                      derivatives of the accelerations in their place */
    struct choice_group choice; /* friction_modes.c: the same, to choose from */
};
/* How many points are contact points. */
static inline int
friction_rows_spots(const struct friction_rows *rows)
{
    return rows->n - rows->n_joint;
}
/* Fills all but run, spot, still and with_joints; n is the number of spots
 * before. Status of the tapes. */
int friction_rows_read(struct friction_rows *rows);
/* The mode that the point had until this instant; NULL: none. The last one that
 * is remembered counts. */
const struct persistent_mode *
friction_rows_before(const struct rt *run, const struct contact_point *spot);
/* The rounding of a slip whose terms are this fast, or of what the acceleration
 * makes of rest over one length. */
double friction_rows_rounding(struct rt *run, uint32_t contact, double speed,
                              double acceleration);
/* Takes the slips for none that friction_modes_doubt leaves in doubt at this
 * instant. *any: there are such. Status of the tapes. */
int friction_rows_without_doubt(struct friction_rows *in, bool *any);
/* Takes the slowest slip for none. *speed: what it was; 0: there is none. */
int friction_rows_end_slowest(struct friction_rows *in, double *speed);
/* -- what goes on ---------------------------------------------------------- */

/* Modes that obey Coulomb's law at this instant and right after it
 * (friction_goes_on). The points are held in modes that obey it now; asked for
 * where `asked`, or where points that stick at the edges of their cones leave
 * no forces that keep all of them at rest. Makes series of their group. Status
 * of the tapes. */
int friction_rows_next(const struct friction_rows *in, bool asked, bool *found,
                       struct friction_going *out);

/* The forces of all points until this instant (2 n), in the order of rows, and
 * *rate, how fast they change (N/s); 0 of points that had none. NULL: none had
 * any, or joints take part. */
const double *friction_rows_until(const struct friction_rows *in,
                                  double **rate);

#endif
