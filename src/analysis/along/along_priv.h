/* SPDX-License-Identifier: MIT */
/* Inside the room: what is followed. */
#ifndef IMP_ANALYSIS_ALONG_ALONG_PRIV_H
#define IMP_ANALYSIS_ALONG_ALONG_PRIV_H

#include <float.h>
#include <math.h>

#include "analysis/along/along.h"

#define ALONG_WIDTH (IMP_ALONG_ORDER + 1)
/* the last pieces, and ends of flights, from which the rest before a limit is
 * told */
#define ALONG_KEPT 64

/* A step beyond that for which a series holds is tried at so many doublings. */
#define QUIET_DOUBLINGS 4

/* Values of a series are rounded by less than this share of its terms. */
#define ALONG_ROUNDING (4 * (IMP_ALONG_ORDER + 1) * DBL_EPSILON)

struct along_piece {
    double start, end, lo, hi; /* between which values it stays */
};
struct along_kink {
    double floor, size; /* what is rounding; the greatest value */
    size_t missed, row; /* how often, and how often in a row */
};
struct followed {
    const imp_val *item;
    double *c, *next; /* of the last look and of the next one */
    struct along_kink
        *kink;    /* of which the first is the expression itself: size */
    double value; /* so far: extreme, integral, or time */
    double cut;   /* what rounding has cut off an integral so far */
    double at;    /* of the extreme */
    bool any,
        blunt; /* blunt: the last look had no series that holds for any time */
    bool noisy; /* blunt by along_noisy alone */
    /* jumps: it reads forces of contacts, which jump at events; open: the value
     * of the last look counts only if it is not of the instant before one */
    bool jumps, open;
    /* what bounds its distance from `middle` until the next event, by the
     * variables in env from `variables` on; NULL: nothing is known */
    const struct linear_bound *bound;
    double middle;
    uint32_t variables;
    bool over;           /* nothing of it counts until the next event */
    double known, holds; /* the time up to which the series of the last look
                            holds, and for how long that is */
    size_t missed;       /* pieces that the series did not follow */
    double from, to;
    /* the greatest size of what these know, and the sum of sizes times lengths
     */
    double missed_most, missed_sum;
    struct along_piece piece[ALONG_KEPT];
    size_t n_pieces;
    double sum[ALONG_KEPT]; /* the integral at the ends of flights */
    /* the last missed piece, and the value at its end */
    double last_from, last_to, last_value;
    /* of limits: value that may be passed there, and between which times; of
     * integrals: the error; of times: before how many limits they may lie */
    double beyond, beyond_from, beyond_to;
    bool doubt;
    size_t limits;
};
struct along {
    struct analysis *analysis;
    struct followed *v;
    uint32_t n;
    double time, reach; /* of the last look */
    double known;       /* the time up to which all series hold */
    double until;
    double switches; /* when the motion changes its branch next */
    int doubled; /* short pieces beside a kink in a row */
    int blunted; /* pieces of items without a series in a row */
    /* brief: the present piece is one of these; to_kink: it goes to a kink */
    bool begun, brief, to_kink;
    bool later;                   /* reach is `known` until it is asked for */
    double end[ALONG_KEPT];       /* of flights: times with events, */
    uint64_t of[ALONG_KEPT], now; /* at these contacts, as bits; and now, */
    double now_time;              /* which was at this time */
    size_t n_ends, events;        /* events of the run at the last look */
    double limit;                 /* the time of the last limit that was told */
    uint64_t limit_of;
    /* What stood before the last look, and whether that can be gone back to:
     * the motion may have gone a little beyond an event, and goes back to it
     * then. */
    struct followed *v_before;
    struct {
        bool there, brief, to_kink, later;
        double time, reach, known, switches;
        int doubled, blunted;
    } before;
    bool regular;  /* the flights before it tell the rest */
    double closed; /* m: a gap up to this size is closed; < 0: not yet asked */
};

/* Is a time asked, first(condition)? */
static inline bool
along_is_time(const struct followed *followed)
{
    return followed->item->field == IMP_ALONG_FIRST ||
           followed->item->field == IMP_ALONG_REACHED ||
           followed->item->field == IMP_ALONG_EQUAL;
}

/* The sum of all terms beyond the first on 0 .. h. */
static inline double
changes(const double *c, double h)
{
    double sum = 0;
    for (int k = IMP_ALONG_ORDER; k >= 1; k--)
        sum = sum * h + fabs(c[k]);
    return sum * h;
}

/* The greatest sum of terms on 0 .. h, which rounding is measured by. */
static inline double
terms(const double *c, double h)
{
    return changes(c, h) + fabs(c[0]);
}

/* Time moves on at least so far. */
static inline double
along_least_step(double t)
{
    return 64 * DBL_EPSILON * fabs(t) + DBL_MIN;
}

/* By how much the series of kink i misses its value now, h later. */
double along_kink_off(const struct followed *followed, uint32_t i, double h);
/* Has a branch come to its change as its function foresaw, to this share of its
 * terms? Then the expression, where it does not, jumps there. */
bool along_jumps(const struct followed *followed, double h, double share);
/* Has a branch come to its change at time t, h later, to the rounding of the
 * time, as its function foresaw? A row or an event may end the piece right
 * before. */
bool along_jumps_now(const struct followed *followed, double h, double t);
/* When the first kink comes within h; 0 also where one is now: at a zero
 * nothing says on which side the branch is. Extremes are those of squares,
 * whose roots have a kink where these are 0 alone. */
double along_first_kink(const struct followed *followed, double h);
/* What the series of the kinks foresaw for now, h later, where nothing has
 * happened, tells their rounding. */
void along_learn_rounding(struct followed *followed, double h);
/* Do the series of a kink foresee what never comes, time after time? What is
 * held, at a size to which nothing compares, tells rounding alone. */
bool along_noisy(const struct followed *followed);
/* Series of kinks are heeded again, for a while. */
void along_heed(struct followed *followed);
/* Before contacts are held that begin closed, series tell what the forces would
 * do that these take up, within h: what is left of that is its rounding. */
void along_free_motion(struct followed *followed, double h);
/* Has the function of a kink vanished, to all rounding, for a time h? Its
 * rounding has no motion to tell. */
bool along_vanished(const struct followed *followed, double h);
/* Finds what bounds an extreme until the next event: it is made of observers
 * that die away by themselves. */
void along_bound_new(struct rt *run, struct followed *followed);
/* Does nothing of the item count from the present state to the next event? */
bool along_is_over(const struct rt *run, const struct followed *followed);
/* For how long nothing of an item counts, whose series holds for `known`: a
 * time that has been found, an extreme that the series surely does not pass. */
double along_quiet_for(const struct followed *followed, double known);
/* The piece that was begun last. */
struct along_piece *along_piece(struct followed *followed);
/* Two looks at one time: a flight ends. */
void along_flight_ends(struct along *along);
/* Adds the integral over a piece. What rounding cuts off is added later, so
 * that many short pieces lose no more than one. */
void along_add(struct followed *followed, double part);
/* A piece of length h with this value at its end counts as if the expression
 * were linear there. */
void along_by_ends(struct followed *followed, double h, double value);
/* The series does not lead to the value at the end t of its piece. */
void along_missed(struct along *along, struct followed *followed, double t,
                  double value);

#endif
