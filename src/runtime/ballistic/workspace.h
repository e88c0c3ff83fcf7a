/* SPDX-License-Identifier: MIT */
/* The inside of a ballistic motion, for this room and for accumulation, which
 * follows its impacts to their limits. "Local" numbers are mantissas: length
 * 2^ex, velocity 2^ev, time 2^(ex - ev), acceleration 2^(2 ev - ex). */
#ifndef IMP_RUNTIME_BALLISTIC_WORKSPACE_H
#define IMP_RUNTIME_BALLISTIC_WORKSPACE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/ballistic/ballistic.h"

/* terms of a sum of products carry half a unit of rounding each; what comes of
 * n of them is below this many units of their sizes */
#define BALLISTIC_NOISE 8.0
/* a gap below this share of the state is known better by itself: half of the
 * digits are lost at most before it is */
#define BALLISTIC_MINOR 0x1p-26
/* Rates that come from z and from the last rates differ by BALLISTIC_MINOR of
 * both sizes at most, twice, and by rounding: those above this share are not
 * small.
 */
#define BALLISTIC_ROUGH (16.0 * BALLISTIC_MINOR)
/* Where all of the state falls below this share in one flight, what it was
 * before is what gaps are uncertain by; and gaps that are known by themselves
 * to less than BALLISTIC_OWN of that tell what is left. */
#define BALLISTIC_FALL 0.25
#define BALLISTIC_OWN 0x1p-13
/* single impacts in a row at one instant that are not followed further */
#define BALLISTIC_STANDING 1000
/* a gap below this share of its size may be closed to rounding */
#define BALLISTIC_CLOSED 1e-12
/* contacts that coast.c takes */
#define BALLISTIC_LANES 16
/* impacts after which units are looked at at the latest */
#define BALLISTIC_RESCALE 16
/* mantissas are kept above this */
#define UNITS_SMALL 0x1p-40
/* impacts kept to recognise a pattern (a power of 2); longest pattern */
#define HISTORY_KEPT 256
#define HISTORY_PERIOD 64
/* patterns are looked for after every so many impacts at first */
#define HISTORY_LOOK 4
/* a limit must be known to this share of what remains */
#define ACCUMULATION_KNOWN 1e-3
/* sets of contacts with limits of their own; earlier states kept */
#define HISTORY_GROUPS 32
#define HISTORY_MARKS 24

typedef long double wide;

struct impact_entry {
    int contact;  /* + m: the limit of a chatter at it alone; 2 m and more: at
                     a group (history.c) */
    int exponent; /* flight before it: flight * 2^exponent */
    double flight;
};
struct impact_history_mark {
    double t, t_lo;
    int ex, ev;
    long impacts;
};
struct impact_history {
    long version; /* changes, the last of them at this time */
    double at;
    long from;          /* impacts at the last look */
    unsigned long seen; /* n_ring up to which `when` is known */
    long *when;         /* m: impacts when the contact was hit last */
    bool *sel;          /* m: scratch */
    int n, n_group;
    bool *group; /* HISTORY_GROUPS x m */
    int depth[HISTORY_GROUPS];
    struct impact_history_mark mark[HISTORY_MARKS]; /* oldest first */
    double *state; /* of each m gaps and m rates */
};
struct period_map;
/* the last start without contacts that are closed: the next one of equal
 * matrices and numbers is the same */
struct ballistic_saved_start {
    unsigned long version; /* of the matrices; 0: none */
    double t, tol, *q, *v;
    double *block, *rsize; /* what came of it */
    int ex, ev;
    bool still;
};
/* coast.c: if w->coasts: single impacts in a row, at most
 * so many and until limits or units must be looked at; how many. 0: what comes
 * next is no such impact. */
typedef long ballistic_coast_fn(struct ballistic *l, double until, long most);
ballistic_coast_fn *ballistic_coast(int m); /* the one for this processor */
ballistic_coast_fn ballistic_coast_avx2;    /* HAVE_AVX2_FILES */
/* batch.c: runs to come from the last start, which differ in their
 * restitutions alone, as far as single impacts go on (as coast.c would) */
#define BALLISTIC_BATCH_RUNS 64 /* of them */
struct ballistic_batch_run {
    int n;      /* impacts; 0: this run is left to coast.c */
    bool opens; /* no contact closes any more */
    bool fine;  /* as that of the line */
    bool over;  /* limits or units must be looked at */
    double arrive, t, t_lo;
    double flight[BALLISTIC_RESCALE];
    int contact[BALLISTIC_RESCALE];
};
struct ballistic_batch {
    int n, next;   /* runs; those before `next` have been */
    int stride;    /* numbers of one state */
    double *e;     /* of each run: m */
    double *state; /* of each run: gaps, rates, big, rsize, y, z */
    struct ballistic_batch_run run[BALLISTIC_BATCH_RUNS];
};
typedef void ballistic_batch_fn(struct ballistic *l, struct ballistic_batch *a);
ballistic_batch_fn ballistic_batch_avx2; /* HAVE_AVX2_FILES */
/* the run with the restitutions of now, which is at the start; or NULL */
const struct ballistic_batch_run *ballistic_batch_find(struct ballistic *l);
/* as w->coast() of its first impacts: the state after them. False: not to be
 * used here, nothing has changed */
bool ballistic_batch_take(struct ballistic *l, double until, long most);
struct ballistic_workspace {
    struct arena *arena;
    struct impact_history *marks;
    struct period_map *map; /* NULL: not needed yet */
    struct ballistic_saved_start begun;
    struct ballistic_batch *many; /* NULL: none asked for yet */
    const struct ballistic_batch_run
        *ahead;                     /* this run's, at its start; or NULL */
    struct contact_matrices own;    /* the memory of this line's matrices */
    double *mass, *acc, *N, *c, *e; /* of the model, copied */
    bool instant;                   /* no motion: see ballistic_instant */
    bool made;                      /* `own` is of the copied model */
    bool still;    /* nothing accelerates, and ballistic_coast takes it */
    bool coasts;   /* the last event was a single impact or the start,
                      nothing has changed the motion since, and `still` */
    bool regained; /* the last flight: by projection_regain, of all of y */
    bool fine;     /* at the end of the last flight a gap was known by itself */
    bool opens;    /* ballistic_coast found no contact that closes */
    bool ends;     /* it will */
    double arrive; /* rate before the last impact of ballistic_coast */
    ballistic_coast_fn *coast;  /* ballistic_coast() */
    size_t bytes;               /* of the block */
    double tunit, vunit, aunit; /* local time, velocity to true ones; true
                                   acceleration to local */
    double low_v;               /* smaller rates ask for a rescaling */
    struct impact_entry ring[HISTORY_KEPT];
    unsigned long n_ring; /* impacts ever put in */
    unsigned long from;   /* the first one kept */
    unsigned long quiet;  /* n_ring at the last limit */
    int standing;         /* impacts in a row at one instant */
    unsigned long look;   /* patterns are looked for from here on */
    int run;              /* impacts in a row at the last contact */
    long map_at;          /* impacts at which the map is asked again */
    long least;
    double accept; /* error of what remains that is good enough */
    long doubt;    /* accumulation_doubt */
    bool brief;    /* accumulation_skip_rates */
    bool verdict;  /* accumulation_verdict_only */
    /* history shared with another line, see ballistic_copy */
    const struct ballistic *twin;
    unsigned long twin_stamp, stamp, split;
    double *G, *q, *u, *room, *rd, *f, *p; /* of the closed contacts */
    int *index, *first, *hit, rank;
    wide *L, *B, *W, *C, *rc, *wf; /* factors of the mass matrix, M^-1 N^T, W,
                                 factors of W; r */
    double *ys, *zs, *as, *ds;     /* m: a state */
    double *rsize; /* m: terms of the rates of the last impact */
    bool *closed;  /* m */
    bool *slight;  /* m: scratch */
    bool *calm;    /* m: do not accelerate, or have no rate, in the new mode */
};

/* are n numbers the same, bit for bit? */
static inline bool
same_numbers(const double *a, const double *b, int n)
{
    return !n || !memcmp(a, b, (size_t)n * sizeof *a);
}
/* of numbers: the library's functions are calls */
static inline double
greater(double a, double b)
{
    return a > b ? a : b;
}
/* 2^k, and x 2^k, without a call where 2^k is a number; rounded once, but at
 * the end of all numbers */
static inline double
power2(int k)
{
    union {
        uint64_t bits;
        double x;
    } u = {(uint64_t)(k + 1023) << 52};
    return k > -1023 && k < 1024 ? u.x : ldexp(1.0, k);
}
static inline double
times2(double x, int k)
{
    return k > -1023 && k < 1024 ? x * power2(k) : ldexp(x, k);
}
/* of a finite x > 0, so that 1 <= x/2^k < 2; without a call but for denormals
 */
static inline int
exponent_of(double x)
{
    union {
        double x;
        uint64_t bits;
    } u = {x};
    int k = (int)(u.bits >> 52);
    return k ? k - 1023 : ilogb(x);
}
/* the error of what remains that is good enough for whoever asks */
static inline double
accumulation_good_enough(const struct ballistic_workspace *w)
{
    return w->verdict ? greater(w->accept, ACCUMULATION_KNOWN) : w->accept;
}
static inline double
dot_of(int n, const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
static inline double
dot_abs(int n, const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += fabs(a[i] * b[i]);
    return s;
}
/* gap or rate of contact i from y or z */
static inline double
ballistic_of(const struct ballistic *l, int i, const double *y)
{
    return l->k.direct ? y[i] : dot_of(l->k.r, l->k.F + i * l->k.r, y);
}
static inline double
gap_noise(const struct ballistic *l, int i)
{
    return BALLISTIC_NOISE * DBL_EPSILON * l->big[i];
}
static inline double
rate_noise(const struct ballistic *l, int i)
{
    return BALLISTIC_NOISE * DBL_EPSILON *
           greater(fabs(l->rate[i]), l->w->rsize[i]);
}

/* matrices.c */
int matrices_make(struct ballistic *l);
/* direct: times W_ij: what a unit rate at i does to the rate of j by its impact
 */
static inline wide
matrices_law(const struct ballistic *l, int i, double e)
{
    wide W = l->w->W[i * (l->model.m + 1)];
    return W > 0.0L ? -(1.0L + e) / W : 0.0L;
}
/* the part of it that depends on the restitutions */
void matrices_laws(struct ballistic *l);
/* y, or z, of the independent gaps, or rates, in place */
void matrices_coordinates(const struct ballistic *l, double *g);
/* ballistic.c */
void
ballistic_units(struct ballistic *l); /* after a change of exponents or mode */
void ballistic_rescale(struct ballistic *l);
/* true units, in which a flight that ends no small one is possible; false: it
 * is in them already */
bool ballistic_plain_units(struct ballistic *l);
/* (hi, lo) += dt */
static inline void
time_add(double *hi, double *lo, double dt)
{
    double s = *hi + dt, back = s - *hi;
    double e = (*hi - (s - back)) + (dt - back) + *lo;
    *hi = s + e;
    *lo = e - (*hi - s);
}
static inline void
ballistic_add_time(struct ballistic *l, double dt)
{
    time_add(&l->t, &l->t_lo, dt);
}
/* ballistic_copy without history, policy and what is asked of limits */
void ballistic_copy_motion(struct ballistic *to, const struct ballistic *from);
/* local time, no contacts */
void ballistic_advance(struct ballistic *l, double s);
/* gaps and rates from y and z */
void ballistic_sense(struct ballistic *l);
/* contact_modes.c */
/* impulses p at k contacts: z, rates, impulse */
void active_set_push(struct ballistic *l, const int *contact, const double *p,
                     int k);
/* of W: what an impulse at contact i does to contact j, 0 within the rounding
 * of the model's numbers */
double active_set_coupling(const struct ballistic *l, int i, int j);
/* Forces of the contacts in w->closed (gap and rate 0): which slide, which
 * open; the acceleration of the mode. False: jammed. */
bool active_set_settle(struct ballistic *l);
/* impulses at contacts closed[] of which `hit` approach; e counts for those.
 * 0, 1: jammed, 2: endless */
int active_set_impact(struct ballistic *l, enum ballistic_policy how,
                      const int *hit, int n);
/* impacts.c */
/* contacts that close within rounding of now and approach, beside the first:
 * how many, their numbers in hit */
int ballistic_together(struct ballistic *l, double s, int first, int *hit);
/* any impact but that of a single contact with e > 0 and all others open */
enum ballistic_event ballistic_collide(struct ballistic *l, const int *hit,
                                       int n, double arrive);
/* Impacts at one instant whose rates shrink for ever (a wedge, opposite gaps):
 * the contacts that are closed have stopped. */
enum ballistic_event ballistic_stand(struct ballistic *l);
/* history.c */
struct impact_history *impact_history_new(struct arena *a, int contacts);
void impact_history_forget(struct ballistic *l);
void impact_history_copy(struct ballistic *to, const struct ballistic *from);
/* the name in the history of a limit of l->group; its contacts */
int impact_history_group_name(struct ballistic *l, int depth);
int impact_history_group_first(const struct ballistic *l);
int impact_history_depth(const struct ballistic *l, int n);
bool impact_history_group_has(const struct ballistic *l, int name, int contact);
void impact_history_group_add(const struct ballistic *l, int name, bool *sel);
/* before entries of the history are taken out for a limit of l->group, so that
 * n_ring are left */
void impact_history_limit(struct ballistic *l, unsigned long n_ring);
/* is it time for impact_history_below_rounding? */
bool impact_history_marks_due(const struct ballistic *l, long impacts);
/* Is what remains of an accumulation lost in the rounding of the time? Then
 * l->group, and what remains */
bool impact_history_below_rounding(struct ballistic *l, double *T,
                                   double *ratio);
/* projection.c: `sel` (m) into w->index, their W factored into w->G; how many
 */
int projection_factor(const struct ballistic *l, const bool *sel);
/* w->f := W^-1 x for the k factored contacts */
void projection_solve(const struct ballistic *l, int k, const double *x);
/* y := y - H^T W^-1 (gaps or rates of y + off), off of each contact or NULL */
void projection_apply(const struct ballistic *l, int k, double *y,
                      const double *off);
/* y at the end of a flight from the gaps w->slight, which are better known by
 * themselves, and that of `first`, which is 0; then the other gaps from y */
void projection_regain(struct ballistic *l, int first, double was);
/* How far the gap of contact i, as y has it, may be off: y follows from the
 * gaps that were 0 last. */
double projection_uncertainty(struct ballistic *l, int i, int first);
/* do the contacts outside w->closed stay open for the local time T? */
bool projection_others_stay_open(struct ballistic *l, double T);
/* to the limit of a chatter of w->closed, T from now (local) */
void projection_take_limit(struct ballistic *l, double T);
/* the fixed point of the map of a period */
struct fixed_point {
    double T, ratio, speed;
    double contraction; /* of the distance from the fixed point, per period */
    double off, noise;  /* relative error of T; what rounding makes of it */
    double fall;        /* of `off`, per period */
};
/* two_contacts.c: contacts i and j hit in turns without acceleration, i last:
 * 1: for ever, -1: it ends, 0: neither is sure. out: NULL, or the limit */
int two_contacts_limit(const struct ballistic *l, int i, int j,
                       struct fixed_point *out);
/* y, z (local): what the group of `after` makes of them on the average */
void projection_average(struct ballistic *l, const struct ballistic *after,
                        double *y, double *z);
/* where the contacts that are on leave no motion, there is none */
void projection_rest(struct ballistic *l);
/* -- pattern.c ------------------------------------------------------------- */

/* the entry `back` impacts before the last one */
static inline const struct impact_entry *
impact_history_entry(const struct ballistic_workspace *w, int back)
{
    return &w->ring[(w->n_ring - 1 - (unsigned long)back) % HISTORY_KEPT];
}
/* entries that can be asked: all of one history */
int impact_history_length(const struct ballistic_workspace *w);
/* impacts in a row equal to those p before, not counted beyond `most` */
int impact_history_matches(const struct ballistic_workspace *w, int p,
                           int most);
/* the flights of n impacts, `back` ones before the last: their time, local */
double impact_history_time(const struct ballistic *l, int n, int back);
/* does any gap accelerate while all contacts are open? */
bool ballistic_accelerates(const struct ballistic *l);

/* the impacts whose limit is asked */
struct pattern {
    enum limit_evidence means;
    int period, match;
    double ratio, speed, contraction;
    double T, error; /* what remains, local; its relative error */
};
enum pattern_state { PATTERN_NONE, PATTERN_REPEATS, PATTERN_CONVERGED };
/* two contacts in turns, without acceleration: the law of their rates is known
 */
bool pattern_alternates(const struct ballistic *l, int period);
/* The shortest pattern that repeats, after so many impacts; ask_map: its map
 * is worth a look. */
enum pattern_state pattern_shortest(const struct ballistic *l, long impacts,
                                    struct pattern *p, bool *ask_map);
/* when the next look at the history is due */
void pattern_look_later(struct ballistic_workspace *w);
/* No pattern is looked for in fewer impacts: `least` of it are to be resolved.
 */
static inline unsigned long
impact_history_first_look(const struct ballistic_workspace *w)
{
    return (unsigned long)(w->least > ACCUMULATION_RESOLVE
                               ? ACCUMULATION_RESOLVE
                               : w->least);
}
/* Is the time of w->look come, and something to be seen in the history of the
 * free system, which has had so many impacts? Then accumulation_take is to
 * come. Does not ask the state. */
bool impact_history_period_due(struct ballistic *l, long impacts);
static inline void
impact_history_note(struct ballistic *l, int contact, double flight)
{
    struct ballistic_workspace *w = l->w;
    struct impact_entry *i = &w->ring[w->n_ring % HISTORY_KEPT];
    w->run =
        w->n_ring && w->ring[(w->n_ring - 1) % HISTORY_KEPT].contact == contact
            ? w->run + 1
            : 1;
    w->n_ring++;
    *i = (struct impact_entry){contact, l->ex - l->ev, flight};
}

/* n single impacts in a row are over, the last of them at contact i, where it
 * arrived at that rate */
static inline void
ballistic_coasted(struct ballistic *l, int i, double arrive, long n)
{
    struct ballistic_workspace *w = l->w;
    int was = l->hit < 0 ? i : l->hit;
    l->impulse[was] = 0.0;
    l->fresh[was] = false;
    l->impulse[i] = -(1.0 + l->model.e[i]) * arrive *
                    (w->vunit / l->k.W[i * (l->model.m + 1)]);
    l->fresh[i] = true;
    l->hit = i;
    l->impacts += n;
    w->run = 1; /* a contact does not come again at once */
    w->arrive = arrive;
}

#endif
