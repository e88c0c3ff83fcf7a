/* SPDX-License-Identifier: MIT */
/* Inside line*.c. "Local" numbers are mantissas: length 2^ex, velocity 2^ev,
 * time 2^(ex - ev), acceleration 2^(2 ev - ex). */
#ifndef IMP_RUNTIME_BALLISTIC_BALLISTIC_PRIV_H
#define IMP_RUNTIME_BALLISTIC_BALLISTIC_PRIV_H

#include <float.h>
#include <math.h>

#include "runtime/ballistic/ballistic.h"

/* terms of a sum of products carry half a unit of rounding each; what comes of
 * n of them is below this many units of their sizes */
#define LINE_NOISE 8.0
/* a gap below this share of the state is known better by itself: half of the
 * digits are lost at most before it is */
#define LINE_MINOR 0x1p-26
/* Rates that come from z and from the last rates differ by LINE_MINOR of both
 * sizes at most, twice, and by rounding: those above this share are not small.
 */
#define LINE_ROUGH (16.0 * LINE_MINOR)
/* Where all of the state falls below this share in one flight, what it was
 * before is what gaps are uncertain by; and gaps that are known by themselves
 * to less than LINE_OWN of that tell what is left. */
#define LINE_FALL 0.25
#define LINE_OWN 0x1p-13
/* single impacts in a row at one instant that are not followed further */
#define LINE_STANDING 1000
/* a gap below this share of its size may be closed to rounding */
#define LINE_COARSE 1e-12
/* contacts that coast.c takes */
#define LINE_LANES 16
/* impacts after which units are looked at at the latest */
#define LINE_RESCALE 16
/* impacts kept to recognise a pattern (a power of 2); longest pattern */
#define LINE_KEPT 256
#define LINE_PERIOD 64
/* patterns are looked for after every so many impacts at first */
#define LINE_LOOK 4
/* a limit must be known to this share of what remains */
#define LINE_KNOWN 1e-3
/* sets of contacts with limits of their own; earlier states kept */
#define LINE_GROUPS 32
#define LINE_MARKS 24

typedef long double wide;

struct line_impact {
    int contact;  /* + m: the limit of a chatter at it alone; 2 m and more: at
                     a group (history.c) */
    int exponent; /* flight before it: flight * 2^exponent */
    double flight;
};
struct line_mark {
    double t, t_lo;
    int ex, ev;
    long impacts;
};
struct line_marks {
    long version; /* changes, the last of them at this time */
    double at;
    long from;          /* impacts at the last look */
    unsigned long seen; /* n_ring up to which `when` is known */
    long *when;         /* m: impacts when the contact was hit last */
    bool *sel;          /* m: scratch */
    int n, n_group;
    bool *group; /* LINE_GROUPS x m */
    int depth[LINE_GROUPS];
    struct line_mark mark[LINE_MARKS]; /* oldest first */
    double *state;                     /* of each m gaps and m rates */
};
struct line_map;
/* the last start without contacts that are closed: the next one of equal
 * matrices and numbers is the same */
struct line_begun {
    unsigned long version; /* of the matrices; 0: none */
    double t, tol, *q, *v;
    double *block, *rsize; /* what came of it */
    int ex, ev;
    bool still;
};
/* coast.c: if w->coasts: single impacts in a row, at most
 * so many and until limits or units must be looked at; how many. 0: what comes
 * next is no such impact. */
typedef long line_coast_fn(struct line *l, double until, long most);
line_coast_fn *line_coast(int m); /* the one for this processor */
line_coast_fn line_coast_wide;    /* LINE_WIDE */
/* batch.c: runs to come from the last start, which differ in their
 * restitutions alone, as far as single impacts go on (as coast.c would) */
#define LINE_AHEAD 64 /* of them */
struct line_ahead {
    int n;      /* impacts; 0: this run is left to coast.c */
    bool opens; /* no contact closes any more */
    bool fine;  /* as that of the line */
    bool over;  /* limits or units must be looked at */
    double arrive, t, t_lo;
    double flight[LINE_RESCALE];
    int contact[LINE_RESCALE];
};
struct line_many {
    int n, next;   /* runs; those before `next` have been */
    int stride;    /* numbers of one state */
    double *e;     /* of each run: m */
    double *state; /* of each run: gaps, rates, big, rsize, y, z */
    struct line_ahead run[LINE_AHEAD];
};
typedef void line_many_fn(struct line *l, struct line_many *a);
line_many_fn line_many_wide; /* LINE_WIDE */
/* the run with the restitutions of now, which is at the start; or NULL */
const struct line_ahead *line_many_find(struct line *l);
/* as w->coast() of its first impacts: the state after them. False: not to be
 * used here, nothing has changed */
bool line_many_take(struct line *l, double until, long most);
struct line_work {
    struct arena *arena;
    struct line_marks *marks;
    struct line_map *map; /* NULL: not needed yet */
    struct line_begun begun;
    struct line_many *many;         /* NULL: none asked for yet */
    const struct line_ahead *ahead; /* this run's, at its start; or NULL */
    struct line_made own;           /* the memory of this line's matrices */
    double *mass, *acc, *N, *c, *e; /* of the model, copied */
    bool instant;                   /* no motion: see line_instant */
    bool made;                      /* `own` is of the copied model */
    bool still;    /* nothing accelerates, and line_coast takes it */
    bool coasts;   /* the last event was a single impact or the start,
                      nothing has changed the motion since, and `still` */
    bool regained; /* the last flight: by line_regain, of all of y */
    bool fine;     /* at the end of the last flight a gap was known by itself */
    bool opens;    /* line_coast found no contact that closes */
    bool ends;     /* it will */
    double arrive; /* rate before the last impact of line_coast */
    line_coast_fn *coast;       /* line_coast() */
    size_t bytes;               /* of the block */
    double tunit, vunit, aunit; /* local time, velocity to true ones; true
                                   acceleration to local */
    double low_v;               /* smaller rates ask for a rescaling */
    struct line_impact ring[LINE_KEPT];
    unsigned long n_ring; /* impacts ever put in */
    unsigned long from;   /* the first one kept */
    unsigned long quiet;  /* n_ring at the last limit */
    int standing;         /* impacts in a row at one instant */
    unsigned long look;   /* patterns are looked for from here on */
    int run;              /* impacts in a row at the last contact */
    long map_at;          /* impacts at which the map is asked again */
    long least;
    double accept; /* error of what remains that is good enough */
    long doubt;    /* line_doubt */
    bool brief;    /* line_brief */
    bool verdict;  /* line_verdict */
    /* history shared with another line, see line_copy */
    const struct line *twin;
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
line_enough(const struct line_work *w)
{
    return w->verdict ? greater(w->accept, LINE_KNOWN) : w->accept;
}
static inline double
line_dot(int n, const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
static inline double
line_abs(int n, const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += fabs(a[i] * b[i]);
    return s;
}
/* gap or rate of contact i from y or z */
static inline double
line_of(const struct line *l, int i, const double *y)
{
    return l->k.direct ? y[i] : line_dot(l->k.r, l->k.F + i * l->k.r, y);
}
static inline double
gap_noise(const struct line *l, int i)
{
    return LINE_NOISE * DBL_EPSILON * l->big[i];
}
static inline double
rate_noise(const struct line *l, int i)
{
    return LINE_NOISE * DBL_EPSILON * greater(fabs(l->rate[i]), l->w->rsize[i]);
}

/* matrices.c */
int line_make(struct line *l);
/* direct: times W_ij: what a unit rate at i does to the rate of j by its impact
 */
static inline wide
line_law(const struct line *l, int i, double e)
{
    wide W = l->w->W[i * (l->model.m + 1)];
    return W > 0.0L ? -(1.0L + e) / W : 0.0L;
}
/* the part of it that depends on the restitutions */
void line_laws(struct line *l);
/* y, or z, of the independent gaps, or rates, in place */
void line_coordinates(const struct line *l, double *g);
/* ballistic.c */
void line_units(struct line *l); /* after a change of exponents or mode */
void line_rescale(struct line *l);
/* true units, in which a flight that ends no small one is possible; false: it
 * is in them already */
bool line_plain(struct line *l);
/* (hi, lo) += dt */
static inline void
line_add(double *hi, double *lo, double dt)
{
    double s = *hi + dt, back = s - *hi;
    double e = (*hi - (s - back)) + (dt - back) + *lo;
    *hi = s + e;
    *lo = e - (*hi - s);
}
static inline void
line_pass(struct line *l, double dt)
{
    line_add(&l->t, &l->t_lo, dt);
}
/* line_copy without history, policy and what is asked of limits */
void line_copy_motion(struct line *to, const struct line *from);
/* local time, no contacts */
void line_advance(struct line *l, double s);
/* gaps and rates from y and z */
void line_sense(struct line *l);
/* contact_modes.c */
/* impulses p at k contacts: z, rates, impulse */
void line_push(struct line *l, const int *contact, const double *p, int k);
/* of W: what an impulse at contact i does to contact j, 0 within the rounding
 * of the model's numbers */
double line_coupling(const struct line *l, int i, int j);
/* Forces of the contacts in w->closed (gap and rate 0): which slide, which
 * open; the acceleration of the mode. False: jammed. */
bool line_settle(struct line *l);
/* impulses at contacts closed[] of which `hit` approach; e counts for those.
 * 0, 1: jammed, 2: endless */
int line_collide(struct line *l, enum line_policy how, const int *hit, int n);
/* history.c */
struct line_marks *line_marks_new(struct arena *a, int contacts);
void line_marks_forget(struct line *l);
void line_marks_copy(struct line *to, const struct line *from);
/* the name in the history of a limit of l->group; its contacts */
int line_group_name(struct line *l, int depth);
int line_group_first(const struct line *l);
int line_depth(const struct line *l, int n);
bool line_group_has(const struct line *l, int name, int contact);
void line_group_add(const struct line *l, int name, bool *sel);
/* before entries of the history are taken out for a limit of l->group, so that
 * n_ring are left */
void line_marks_limit(struct line *l, unsigned long n_ring);
/* is it time for line_marks_lost? */
bool line_marks_due(const struct line *l, long impacts);
/* Is what remains of an accumulation lost in the rounding of the time? Then
 * l->group, and what remains */
bool line_marks_lost(struct line *l, double *T, double *ratio);
/* projection.c: `sel` (m) into w->index, their W factored into w->G; how many
 */
int line_factor(const struct line *l, const bool *sel);
/* w->f := W^-1 x for the k factored contacts */
void line_solve_for(const struct line *l, int k, const double *x);
/* y := y - H^T W^-1 (gaps or rates of y + off), off of each contact or NULL */
void line_project(const struct line *l, int k, double *y, const double *off);
/* y at the end of a flight from the gaps w->slight, which are better known by
 * themselves, and that of `first`, which is 0; then the other gaps from y */
void line_regain(struct line *l, int first, double was);
/* How far the gap of contact i, as y has it, may be off: y follows from the
 * gaps that were 0 last. */
double line_doubtful(struct line *l, int i, int first);
/* do the contacts outside w->closed stay open for the local time T? */
bool line_clear(struct line *l, double T);
/* to the limit of a chatter of w->closed, T from now (local) */
void line_take(struct line *l, double T);
/* period_map.c: the fixed point of a pattern of the last `period` entries */
struct line_fixed {
    double T, ratio, speed;
    double contraction; /* of the distance from the fixed point, per period */
    double off, noise;  /* relative error of T; what rounding makes of it */
    double fall;        /* of `off`, per period */
};
/* false: there is none near, or the next period is another */
bool line_map(struct line *l, int period, const bool *group,
              struct line_fixed *out);
/* right after it: ratio, speed and contraction from nearer to the fixed point
 */
void line_map_refine(struct line *l, int period, struct line_fixed *out);
/* Does a pattern of single impacts at all contacts, without accelerations, come
 * to rest, whenever that is? 1: yes, then ratio, speed and contraction; -1: not
 * from here; 0: it cannot tell */
int line_order(struct line *l, int period, const bool *group,
               struct line_fixed *out);
/* two_contacts.c: contacts i and j hit in turns without acceleration, i last:
 * 1: for ever, -1: it ends, 0: neither is sure. out: NULL, or the limit */
int line_pair(const struct line *l, int i, int j, struct line_fixed *out);
/* accumulation.c */
/* y, z (local): what the group of `after` makes of them on the average */
void line_average(struct line *l, const struct line *after, double *y,
                  double *z);
/* where the contacts that are on leave no motion, there is none */
void line_rest(struct line *l);
/* Is the time of w->look come, and something to be seen in the history of the
 * free system, which has had so many impacts? Then line_limit is to come. Does
 * not ask the state. */
bool line_look(struct line *l, long impacts);
/* takes the limit of a chatter when its pattern has converged; true: done */
bool line_limit(struct line *l, double until);

static inline void
line_note(struct line *l, int contact, double flight)
{
    struct line_work *w = l->w;
    struct line_impact *i = &w->ring[w->n_ring % LINE_KEPT];
    w->run =
        w->n_ring && w->ring[(w->n_ring - 1) % LINE_KEPT].contact == contact
            ? w->run + 1
            : 1;
    w->n_ring++;
    *i = (struct line_impact){contact, l->ex - l->ev, flight};
}

/* n single impacts in a row are over, the last of them at contact i, where it
 * arrived at that rate */
static inline void
line_coasted(struct line *l, int i, double arrive, long n)
{
    struct line_work *w = l->w;
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
