/* SPDX-License-Identifier: MIT */
/* Points with friction that bounce in the plane of their contact rows, followed
 * from one instant to the limit of their impacts: what a unit force in one row
 * does to the acceleration of another, and the accelerations without forces,
 * are constant, so flights are parabolas; impacts and modes are those of
 * runtime/friction. For bodies and systems alike. */
#ifndef IMP_RUNTIME_BOUNCES_BOUNCES_H
#define IMP_RUNTIME_BOUNCES_BOUNCES_H

#include "runtime/accumulation/limit_joins.h"
#include "runtime/friction/friction.h"
#include "runtime/instance/run.h"

/* Points that come down together, within the tolerance of their gaps, are hit
 * together if they fall from a height of more than so many times the gap that
 * is left: this is 1.5e-5 of their flights. Which of them is the first is
 * often rounding that earlier impacts have multiplied. */
#define POINTS_HIGH 16384.0
/* Does what has this rate (m/s) fall under acc (m/s^2) from so high? */
static inline bool
points_high(double rate, double acc, double gap)
{
    return rate * rate > 2.0 * acc * POINTS_HIGH * gap;
}

struct bounces;
/* The coefficients of friction of a point: while it slips with this speed (m/s,
 * not negative), while it sticks, of an impact. rests: it does not slip, and
 * the second is asked for. False: there are none, after a diagnostic. */
typedef bool bounces_friction(struct bounces *bounce, int point, double speed,
                              bool rests, double mu[3]);

/* Of n points; row 2 i is normal, 2 i + 1 tangential. bounces_new makes the
 * lists; those that are set from outside come first. */
struct bounces {
    struct rt *run;
    struct friction_memory *memory; /* of the choices of modes on the way */
    struct arena *piece; /* of one impact, or of the modes of one piece */
    int n;
    const uint32_t *contact; /* n: its number in the model */
    const double *W;         /* 2 n x 2 n */
    double *free, *terms;    /* 2 n: accelerations without forces, and sizes of
                                their terms */
    const struct friction_point *point; /* n: modes until now */
    struct friction_impact_point *law;  /* n */
    bounces_friction *friction;
    const void *of;            /* whoever asks */
    struct limit_joins *joins; /* noted on the way; or NULL */
    double ahead;              /* the greatest time (s) of interest */
    double fall;               /* an acceleration that is always there, or 0 */
    bool some;    /* a limit of some of them counts, while others that were hit
                     before are in flight */
    double *gap;  /* n */
    double *rate; /* 2 n */
    double *band, *blur;     /* n: tolerance and rounding of the gap */
    double *left_at;         /* n: time of the last impact; -INFINITY: none */
    enum contact_mode *mode; /* n: of the last piece */
    bool *held;              /* n: in the last piece */
    double high;             /* the greatest speed of approach so far */

    double *acc, *force; /* 2 n each */
    double *sum, *first; /* 2 n: impulses, and their moments about the start */
    double *work;        /* n: of friction */
    double *sums;        /* n: of the terms of the rate after an impact */
    double *rounded;     /* n: what impacts round the rate at the most */
    bool *bounced;       /* n */
    bool *rests;         /* n: of these, those that rest at the limit */
    int *hits;           /* n: the number of the last impact here */
    bool *together;      /* n: comes down with the one that is closed now */
    double *flown;       /* n: the last flight between two impacts here */
    double *peak;        /* n: the greatest gap seen since then */
    double scale;        /* gaps and flights are so many times as long here */
    double time, fast;   /* fast: the greatest speed so far */
    double approach[2];  /* of the point that came down last: its last speeds */
    double look[2]; /* of the last impacts that are compared and those before:
                       its most */
    int grown;      /* so many looks in turn have found it no less */
    int last, impacts, tail; /* tail: those at rest */
    bool joined;   /* tolerance or rounding has decided what is hit together */
    bool may_gain; /* a law that was used may add energy */
    bool summed;   /* the last flights are a sum, */
    double error;  /* known to this (s) */
};

/* Room for n points in run->brief, all numbers 0. */
struct bounces *bounces_new(struct rt *run, int n);
/* Follows the points to their limit. False: there is none that is found within
 * `ahead`. */
bool bounces_follow(struct bounces *bounce);
/* The limit is over: follows the points at rest until a time (s) from the
 * beginning. */
void bounces_rest_until(struct bounces *bounce, double end);
/* Follows them until a time (s) from the beginning, or to their limit, if that
 * comes before: then *over. False: the way is not determined. */
bool bounces_until(struct bounces *bounce, double time, bool *over);
/* Are the gaps of all points that were hit independent, of each other and of
 * those that were closed (n) and have not bounced? Gaps that depend on each
 * other close together in places that rounding may have left none of: what
 * flights below it do is then not told by them. */
bool bounces_independent(const struct bounces *bounce, const bool *closed);
/* The slip of a point; what is left of one that shrinks with the impacts is
 * none. */
double bounces_slip(const struct bounces *bounce, int point);
/* What forces and impulses have done so far: impulse and moment (2 n each), the
 * sum of impulses times the time from each of them until now. */
void bounces_sums(const struct bounces *bounce, double *impulse,
                  double *moment);

#endif
