/* SPDX-License-Identifier: MIT */
/* The inside of a ballistic motion: for the files of this room, and for the
 * room accumulation, which follows the impacts to their limits.
 *
 * "Local" numbers are mantissas in the units of the state: a length times
 * 2^length_exponent, a rate times 2^rate_exponent, a time times
 * 2^(length_exponent - rate_exponent), an acceleration times
 * 2^(2 rate_exponent - length_exponent). */
#ifndef IMP_RUNTIME_BALLISTIC_WORKSPACE_H
#define IMP_RUNTIME_BALLISTIC_WORKSPACE_H

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/ballistic/ballistic.h"

/* Each term of a sum of products carries half a unit of rounding. The rounding
 * error of the sum is below this many units of the sum of the terms' sizes. */
#define BALLISTIC_NOISE 8.0
/* A coupling below this share may be rounding error of masses and gradients. */
#define BALLISTIC_MINOR 0x1p-26
/* A motion with more single impacts in a row at one instant stands still. */
#define BALLISTIC_STANDING 1000
/* A gap below this share of its greatest value may be closed to rounding. */
#define BALLISTIC_CLOSED 1e-12
/* the greatest number of contacts of the flights of flight_lanes.h */
#define BALLISTIC_LANES 16
/* Units are adjusted after this many impacts at the latest. */
#define BALLISTIC_RESCALE 16
/* mantissas are kept above this */
#define UNITS_SMALL 0x1p-40
/* impacts kept to recognise a pattern (a power of 2); the longest pattern */
#define HISTORY_KEPT 256
#define HISTORY_PERIOD 64
/* A pattern is looked for after this many impacts, at first. */
#define HISTORY_LOOK 4
/* The time that remains must be known to this share of itself before a limit
 * is taken. */
#define ACCUMULATION_KNOWN 1e-3
/* sets of contacts with limits of their own; earlier states that are kept */
#define HISTORY_GROUPS 32
#define HISTORY_MARKS 24

typedef long double wide;

/* a / b. Divided in software, as in WebAssembly, long double has 113 bits, and
 * LLVM 14 gives twice the quotient where it rounds up to a power of two:
 * 1/(1 - 2^-113) is 2. Twice what doubles give it cannot be. */
static inline wide
wide_over(wide a, wide b)
{
    wide q = a / b;
#ifdef __wasm__
    if (__builtin_fabs((double)q) > 1.5 * __builtin_fabs((double)a / (double)b))
        q *= 0.5L;
#endif
    return q;
}

/* -- contacts that depend on each other (contact_basis.c) -------------------
 */

/* Contacts whose gaps depend on each other: which gaps are carried by
 * themselves, and how the others follow from them.
 *
 * A gap is known best by itself: it was 0 exactly at the last impact of its
 * contact, so its error is a rounding error of the greatest value that it has
 * had since then. Where there are more contacts than dimensions, gaps that are
 * all carried by themselves would drift apart: what they contradict each other
 * by stays, while the gaps themselves shrink. So only the gaps of independent
 * contacts are carried, a basis, and all others follow from these:
 *     g_i = sum of C_ij g_j + offset_i        (j in the basis).
 * The basis is the one that is known best. When a contact outside is hit, its
 * gap is known exactly, and it takes the place of the one whose error counts
 * most in what the basis said about it. */

/* Rows have a number for each contact and are filled up to whole vectors of the
 * processor. */
struct contact_basis {
    int *contact;    /* rank: the contacts of the basis, by their numbers */
    int *outside;    /* the others, n_outside of them */
    int *place;      /* m: the place in outside; -1: inside */
    int64_t *inside; /* one row: -1 in the basis, else 0 */
    double *share;   /* of each outside a row: C_ij, 0 where j is outside */
    double *pivot;   /* of each contact a row: |C_ij| where i may take the place
                        of j, else 0; all 0 for contacts of the basis */
    double *offset;  /* of each outside, in true units */
    int n_outside;
    bool level; /* all offsets are 0 */
    /* m x m: the basis in which contact i has the place of contact j; NULL: not
     * made yet. For contacts of the basis this one. */
    const struct contact_basis **next;
};

/* All bases that a motion has needed, for one set of matrices. */
struct contact_bases {
    struct arena *arena;
    int contacts, rank, stride;
    int rows;              /* most rows that there is memory for */
    long double *C, *work; /* m x rank: in terms of the first basis; scratch */
    int *column;           /* rank: scratch */
    bool *chosen;          /* m: scratch */
    struct contact_basis **basis;
    int n, made, room; /* in use; in memory; places in the array */
    /* contact_bases_alone: for each contact the basis outside which it is
     * alone; NULL: there is none. m x m: its shares */
    const struct contact_basis **outside;
    double *alone, *alone_offset;
    bool is_alone, alone_all; /* these are made; any contact may enter */
};

struct contact_bases *contact_bases_new(struct arena *arena, int coordinates,
                                        int contacts);
/* Begins anew for the matrices of the motion, whose contacts depend on each
 * other, and returns the basis matrices.basis. */
const struct contact_basis *contact_bases_make(struct ballistic *motion);
/* Makes the bases of a motion that has one contact more than dimensions. False:
 * some contact enters none of them. */
bool contact_bases_alone(const struct ballistic *motion);
/* Contact `hit` has a gap that is known exactly: it enters the basis of the
 * motion if it is not in it. Returns the basis then. greatest: the errors of
 * the gaps in rounding errors. */
const struct contact_basis *
contact_basis_enter(const struct ballistic *motion,
                    const struct contact_basis *basis, int hit,
                    const double *greatest);
/* The basis in which the contact, which is outside, has the place of `leaves`.
 */
const struct contact_basis *
contact_basis_exchange(const struct ballistic *motion,
                       const struct contact_basis *basis, int contact,
                       int leaves);
/* The gaps and rates outside the basis, from those of the basis. */
void contact_basis_derive(struct ballistic *motion);
/* Makes y and z from the gaps and rates, where they are not the same. */
void contact_basis_coordinates(struct ballistic *motion);
/* Makes the same in true units, as y and z (rank numbers each). */
void contact_basis_true(const struct ballistic *motion, double *y, double *z);
/* Returns the size whose rounding error the gap of the contact may have. */
double contact_basis_terms(const struct ballistic *motion, int contact);
/* Returns the size whose rounding error the rate may have. */
double contact_basis_rate_terms(const struct ballistic *motion, int contact);

/* -- the history of impacts (history.c) ------------------------------------ */

struct impact_entry {
    int contact;  /* below m: this contact; below 2 m: a limit of impacts at
                     contact - m alone; beyond: a limit of impacts at group
                     contact - 2 m (impact_history_group_name) */
    int exponent; /* the flight before it took flight * 2^exponent */
    double flight;
};
/* The last impacts. Entry number i is in entry[i % HISTORY_KEPT]. */
struct impact_history {
    struct impact_entry entry[HISTORY_KEPT];
    unsigned long n;          /* entries ever put in */
    unsigned long first;      /* the first one that belongs to this motion */
    unsigned long last_limit; /* n after the last limit */
    unsigned long next_look;  /* n from which on a pattern is looked for */
    long next_map;            /* impacts at which the period map is asked */
    int in_a_row;             /* impacts in a row at the last contact */
    bool limits;              /* some entries are limits, or were */
    /* a motion that shares the first entries, see ballistic_copy */
    const struct ballistic *twin;
    unsigned long twin_stamp, stamp, shared;
};
/* the time of an earlier state */
struct impact_history_mark {
    double t, t_lo;
    int length_exponent, rate_exponent;
    long impacts;
};
/* Groups of contacts that have had limits, and earlier states. */
struct past_states {
    long version;          /* number of changes */
    double changed_at;     /* time of the last change */
    long looked_at;        /* impacts at the last look */
    unsigned long scanned; /* history.n up to which last_hit is known */
    long *last_hit;        /* m: impacts when the contact was hit last */
    bool *selected;        /* m: scratch */
    int n, n_group;
    bool *group; /* HISTORY_GROUPS x m */
    int depth[HISTORY_GROUPS];
    struct impact_history_mark mark[HISTORY_MARKS]; /* oldest first */
    double *state; /* of each mark m gaps and m rates */
};

/* -- parts of the workspace ------------------------------------------------ */

/* The last start at which no contact was closed. A start with the same
 * matrices and numbers gives the same state. */
struct ballistic_saved_start {
    unsigned long version; /* of the matrices; 0: none is saved */
    double t, tol, *q, *v;
    double *block, *rate_terms; /* the state after the start */
    const struct contact_basis *basis;
    int length_exponent, rate_exponent;
    bool unaccelerated, may_be_light;
};
/* Follows single impacts in a row, as long as work->flight.coasts says so: at
 * most `most` of them, up to the time `until`, and until limits or units must
 * be looked at. Returns how many; 0: the next event is not such an impact, and
 * nothing has changed. */
typedef long ballistic_coast_fn(struct ballistic *motion, double until,
                                long most);
ballistic_coast_fn *
ballistic_coast(int contacts);             /* the one for this processor */
ballistic_coast_fn ballistic_coast_narrow; /* any processor, any m */
ballistic_coast_fn ballistic_coast_two;    /* m = 2 */
ballistic_coast_fn ballistic_coast_avx2;   /* where HAVE_AVX2_FILES */

/* Runs to come from the saved start, which differ in their restitutions alone,
 * each as far as ballistic_coast would follow it at once. */
#define BALLISTIC_BATCH_RUNS 64
struct ballistic_batch_run {
    int n;         /* impacts; 0: the run is left to ballistic_coast */
    bool all_open; /* no contact closes any more */
    int outside;   /* the contact outside the basis; -1: none */
    bool over;     /* limits or units must be looked at */
    double arrival, t, t_lo;
    double flight[BALLISTIC_RESCALE];
    int contact[BALLISTIC_RESCALE];
};
struct ballistic_batch {
    int n, next;   /* number of runs; those before `next` have been taken */
    int stride;    /* numbers of one state */
    double *e;     /* of each run: m restitutions */
    double *state; /* of each run: gaps, rates, greatest gaps, terms of the
                      rates */
    struct ballistic_batch_run run[BALLISTIC_BATCH_RUNS];
};
typedef void ballistic_batch_fn(struct ballistic *motion,
                                struct ballistic_batch *batch);
ballistic_batch_fn ballistic_batch_avx2; /* where HAVE_AVX2_FILES */
/* Returns the run of the batch with the present restitutions, or NULL; the
 * motion is at its start. */
const struct ballistic_batch_run *
ballistic_batch_find(struct ballistic *motion);
/* Takes the state after the first impacts of work->batch_run, as
 * ballistic_coast would follow them. False: it cannot be used here, and nothing
 * has changed. */
bool ballistic_batch_take(struct ballistic *motion, double until, long most);

/* the motion's own copy of its model, and factors of the matrices in long
 * double */
struct ballistic_own {
    double *mass, *acc, *N, *c, *e;
    struct contact_matrices matrices;
    bool current;      /* `matrices` are those of the copied model */
    wide *mass_factor; /* n x n: M = L L^T, reciprocals in the diagonal */
    int *mass_first;   /* n: the first column of a row that is not 0 */
    wide *B;           /* m x n: M^-1 N^T */
    wide *W;           /* m x m */
    wide *W_factor;    /* m x rank: W = C C^T */
    wide *reciprocal;  /* rank: of the diagonal of C */
    wide *column;      /* m: scratch */
    /* mass and N of these factors, W and B, if there are any: an instant is
     * often asked again, with other accelerations or rates */
    double *factored;
    int factored_rank;
    bool factored_direct, any_factors, any_mass_factor;
};
/* factors of the units: local time to true time, local rate to true rate, true
 * acceleration to local acceleration */
struct ballistic_units {
    double time, rate, acc;
    double low_rate; /* smaller local rates ask for other units */
};
/* what is known of the flight that has ended, and of the next one */
struct ballistic_flight {
    bool unaccelerated; /* nothing accelerates, and m <= BALLISTIC_LANES */
    bool may_be_light;  /* independent gaps accelerate, by what coast_run.h
                           compares, and m <= BALLISTIC_LANES */
    bool coasts;    /* nothing accelerates, or the last flight was light; the
                       last event was the start or a single impact, and nothing
                       has changed the motion since */
    bool all_open;  /* no contact closes any more */
    bool last;      /* the flight that begins now is the last one */
    double arrival; /* rate before the last impact of ballistic_coast */
    /* of its impacts: the rate after impact i of the history in
     * up[i % BALLISTIC_RESCALE], and the exponent of these rates */
    double up[BALLISTIC_RESCALE];
    int up_exponent;
    long before;  /* its impacts before the last one */
    int standing; /* impacts in a row at one instant */
};
/* what is asked of limits (accumulation.h) */
struct limit_policy {
    long resolve;
    double accepted_error;
    double accepted_time;
    long doubt;
    bool skip_rates;
    bool verdict_only;
};
/* a set of contacts, most often the closed ones, and equations with their W */
struct ballistic_set {
    bool *closed;       /* m: the set that is asked for */
    int *index, *first; /* m: contacts of the set; beginnings of its rows */
    int *hit;           /* m: the contacts of an impact */
    int rank;           /* of W of the set */
    double *W;          /* k x k of the k contacts, factored in place */
    double *reciprocal; /* k: of the diagonal of the factor; 0: a contact that
                           depends on others */
    double *q, *rate, *solution, *impulse; /* k */
    double *lcp_room;
    struct lcp_memory *settled; /* which contacts push, of sets before */
    struct projection_memory *factored;
    double *pairs; /* 2 k: solutions for two columns */
};
/* m each: one state, and marks of contacts */
struct ballistic_scratch {
    double *y, *z, *acc, *offset;
    bool *known; /* contacts that follow others */
    bool *calm;  /* contacts that do not accelerate, or have no rate */
};

struct ballistic_workspace {
    struct arena *arena;
    struct ballistic_own own;
    struct ballistic_units units;
    struct ballistic_flight flight;
    bool instant; /* the state is one instant of another motion */
    /* n each, at an instant: the state itself. Impulses move it along their own
     * directions. Taken from y and z it would lose digits where gaps nearly
     * depend on each other (two discs that meet nearly centrally). */
    double *position, *velocity;
    double *rate_terms; /* m: sizes of the terms of the rates */
    size_t block_bytes; /* of the state's block */
    struct ballistic_saved_start saved_start;
    ballistic_coast_fn *coast;
    struct ballistic_batch *batch; /* NULL: none has been asked for yet */
    const struct ballistic_batch_run *batch_run; /* this motion's, while it is
                                                    at its start; or NULL */
    struct impact_history history;
    struct past_states *past;
    struct limit_policy limits;
    struct period_map *period_map; /* of accumulation; NULL: not needed yet */
    struct ballistic_set set;
    struct ballistic_scratch scratch;
};

/* -- numbers --------------------------------------------------------------- */

/* Are n numbers the same, bit for bit? */
static inline bool
same_numbers(const double *a, const double *b, int n)
{
    return !n || !memcmp(a, b, (size_t)n * sizeof *a);
}
/* Returns the greater of two numbers; fmax is a call of the library. */
static inline double
greater(double a, double b)
{
    return a > b ? a : b;
}
/* These return 2^k, and x 2^k, without a call of the library where 2^k is a
 * normal number. The product is rounded once, except at the ends of the range
 * of numbers. */
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
/* Returns the exponent k of a finite x > 0, so that 1 <= x/2^k < 2, without a
 * call of the library where x is a normal number. */
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
/* Returns the relative error of the remaining time that is good enough. */
static inline double
accumulation_good_enough(const struct ballistic_workspace *work)
{
    return work->limits.verdict_only
               ? greater(work->limits.accepted_error, ACCUMULATION_KNOWN)
               : work->limits.accepted_error;
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
/* Returns the gap of contact i from y, or its rate from z, without offsets. */
static inline double
ballistic_of(const struct ballistic *motion, int i, const double *y)
{
    return motion->matrices.direct
               ? y[i]
               : dot_of(motion->matrices.rank,
                        motion->matrices.F + i * motion->matrices.rank, y);
}
/* Returns the offset of the outside number k of a basis, in local units. */
static inline double
contact_basis_offset(const struct contact_basis *basis, int k, int exponent)
{
    return basis->offset[k] == 0.0 ? 0.0 : basis->offset[k] * power2(-exponent);
}
static inline double
gap_noise(const struct ballistic *motion, int i)
{
    return BALLISTIC_NOISE * DBL_EPSILON * contact_basis_terms(motion, i);
}
static inline double
rate_noise(const struct ballistic *motion, int i)
{
    return BALLISTIC_NOISE * DBL_EPSILON *
           greater(fabs(motion->rate[i]), motion->work->rate_terms[i]);
}

/* -- matrices.c, ballistic.c, state.c ---------------------------------------
 */
int matrices_make(struct ballistic *motion);
/* Returns a factor for `direct`: times W_ij it is what a unit rate of contact i
 * does to the rate of contact j by its impact. */
static inline wide
matrices_law(const struct ballistic *motion, int i, double e)
{
    wide W = motion->work->own.W[i * (motion->model.m + 1)];
    return W > 0.0L ? wide_over(-(1.0L + e), W) : 0.0L;
}
/* Makes the part of the matrices that depends on the restitutions. */
void matrices_laws(struct ballistic *motion);
/* Turns independent gaps into y, or their rates into z, in place. */
void matrices_coordinates(const struct ballistic *motion, double *g);
/* Gives the gap of contact i in terms of those of matrices.basis: rank numbers.
 */
void matrices_shares(const struct ballistic *motion, int i, wide *share);

void ballistic_units(
    struct ballistic *motion); /* the local numbers and unit factors, after a
                                * change of exponents or mode */
void ballistic_rescale(struct ballistic *motion);
/* Goes back to true units, in which a flight is possible that no small gap
 * ends. False: the motion is in them already. */
bool ballistic_plain_units(struct ballistic *motion);
/* (hi, lo) += dt for sums of type T, whose rounding errors are kept in lo */
#define TIME_ADD(T, hi, lo, dt)                                                \
    do {                                                                       \
        T sum_ = (hi) + (dt), back_ = sum_ - (hi);                             \
        T error_ = ((hi) - (sum_ - back_)) + ((dt)-back_) + (lo);              \
        (hi) = sum_ + error_;                                                  \
        (lo) = error_ - ((hi)-sum_);                                           \
    } while (0)
static inline void
ballistic_add_time(struct ballistic *motion, double dt)
{
    TIME_ADD(double, motion->t, motion->t_lo, dt);
}
/* Does as ballistic_copy, without history, policy and settings of limits. */
void ballistic_copy_motion(struct ballistic *to, const struct ballistic *from);
/* Moves the state on by the local time s, without any contact. */
void ballistic_advance(struct ballistic *motion, double s);
/* Makes gaps and rates from y and z. */
void ballistic_sense(struct ballistic *motion);
/* -- contact_modes.c, impacts.c ---------------------------------------------
 */
/* Applies `impulse` at k contacts: changes z, the rates and event.impulse. */
void active_set_push(struct ballistic *motion, const int *contact,
                     const double *impulse, int k);
/* Returns what an impulse at `contact` does to the rate of `other`; 0 where it
 * is within the rounding of the model's numbers. */
double active_set_coupling(const struct ballistic *motion, int contact,
                           int other);
/* Finds the forces of the contacts in set.closed, whose gap and rate are 0:
 * which of them stay closed, which open, and the accelerations of the new mode.
 * False: no forces >= 0 keep them closed. */
bool active_set_settle(struct ballistic *motion);
/* The impact of the `hits` approaching contacts `hit` and the closed contacts.
 * 0, 1: no impulses >= 0 exist, 2: the sequence of impacts is endless, 3: the
 * law of BALLISTIC_BY_LAW determines no motion. */
int active_set_impact(struct ballistic *motion, enum ballistic_policy how,
                      const int *hit, int hits);

/* The contacts that close together with contact `first`, within the rounding
 * errors of the gaps and of the local flight `time`, and approach. Returns how
 * many; *hit are their numbers. One: that contact closes before all others. */
int ballistic_together(struct ballistic *motion, double time, int first,
                       int *hit);
/* Resolves any impact other than that of a single contact with e > 0 while all
 * others are open. arrive: the rate of hit[0], if `hits` is 1. */
enum ballistic_event ballistic_collide(struct ballistic *motion, const int *hit,
                                       int hits, double arrive);
/* At an instant: moves the state along M^-1 N^T of the contacts, the velocity
 * by impulses or the position by as much. Nothing otherwise. */
void instant_move(struct ballistic *motion, const int *contact,
                  const double *by, int count, bool place);

/* At an instant where closed contacts hold every coordinate: leaves no velocity
 * at all, if no gap moves of itself. */
void instant_rest(struct ballistic *motion);

/* Ends a sequence of impacts at one instant whose rates shrink for ever (a
 * wedge, opposite gaps): the contacts that are closed stop. */
enum ballistic_event ballistic_stand(struct ballistic *motion);
/* -- history.c --------------------------------------------------------------
 */
struct past_states *impact_history_new(struct arena *arena, int contacts);
/* The history begins anew; takes over that of another motion of the model. */
void impact_history_forget(struct ballistic *motion);
void impact_history_copy(struct ballistic *to, const struct ballistic *from);
/* The name of event.group in the history, of a limit of this depth; its first
 * contact; its contacts. */
int impact_history_group_name(struct ballistic *motion, int depth);
int impact_history_group_first(const struct ballistic *motion);
int impact_history_depth(const struct ballistic *motion, int entries);
bool impact_history_group_has(const struct ballistic *motion, int name,
                              int contact);
void impact_history_group_add(const struct ballistic *motion, int name,
                              bool *sel);
/* To be called before the entries beyond the first n_ring are replaced by a
 * limit of event.group. */
void impact_history_limit(struct ballistic *motion, unsigned long n_ring);
/* Is it time for impact_history_below_rounding? */
bool impact_history_marks_due(const struct ballistic *motion, long impacts);
/* Is the time that remains of an accumulation below the rounding error of the
 * time? Then event.group and the remaining time *T (s). */
bool impact_history_below_rounding(struct ballistic *motion, double *T);
/* -- projection.c -----------------------------------------------------------
 */
struct projection_memory *projection_memory_new(struct arena *arena,
                                                int contacts);
/* Factors W of the contacts that sel names (m entries), into set; set.rank: how
 * many of them are independent. Returns how many they are. */
int projection_factor(const struct ballistic *motion, const bool *sel);
/* Sets set.solution := W^-1 x of the k factored contacts; x has m entries. */
void projection_solve(const struct ballistic *motion, int k, const double *x);
/* Sets vector := vector - H^T W^-1 (gaps or rates of it + off) for the k
 * factored contacts; off has a number for each contact, or is NULL. */
void projection_apply(const struct ballistic *motion, int k, double *vector,
                      const double *off);
/* The same without `off`, of n columns, an even number: columns[j * n + i] is
 * entry j of column i. */
void projection_apply_columns(const struct ballistic *motion, int count, int n,
                              double *columns);
/* Do the contacts outside set.closed stay open for the local time `remaining`?
 */
bool projection_others_stay_open(struct ballistic *motion, double remaining);
/* Takes the limit of an accumulation of set.closed, which comes after the local
 * time `remaining`. */
void projection_take_limit(struct ballistic *motion, double remaining);
/* the fixed point of the map of a period */
struct fixed_point {
    double remaining;   /* local time to the limit */
    double ratio;       /* of the times of successive periods */
    double rate_ratio;  /* of the rates of successive periods */
    double contraction; /* of the distance from the fixed point, per period */
    double error;       /* relative error of `remaining` */
    double rounding;    /* the part of it that rounding makes */
    double error_fall;  /* ratio of the errors of successive periods */
    double ratio_error; /* bound of the error of `ratio` */
};
/* Contacts `first` and `second` are hit in turns without acceleration, `first`
 * was hit last. 1: they accumulate, -1: the impacts end, 0: rounding leaves it
 * open. out: the limit, or NULL. */
int two_contacts_limit(const struct ballistic *motion, int first, int second,
                       struct fixed_point *out);
/* Projects y and z onto the motion in which the impacts of the group of `after`
 * are averaged out. The offsets are in the same units. */
void projection_average(struct ballistic *motion, const struct ballistic *after,
                        double *y, const double *gap_offset, double *z,
                        const double *rate_offset);
/* -- pattern.c ------------------------------------------------------------- */

/* Returns the entry `back` impacts before the last one. */
static inline const struct impact_entry *
impact_history_entry(const struct ballistic_workspace *work, int back)
{
    return &work->history.entry[(work->history.n - 1 - (unsigned long)back) %
                                HISTORY_KEPT];
}
/* Returns the number of entries that belong to this motion and are kept. */
int impact_history_length(const struct ballistic_workspace *work);
/* Returns how many of the last impacts in a row are equal to those a `period`
 * before, counted up to `most`. */
int impact_history_matches(const struct ballistic_workspace *work, int period,
                           int most);
/* Returns the local time of the flights of n impacts, those `back` entries
 * before the last. */
double impact_history_time(const struct ballistic *motion, int n, int back);
/* Does any gap accelerate while all contacts are open? */
bool ballistic_accelerates(const struct ballistic *motion);

/* a pattern of impacts and its limit */
struct pattern {
    enum limit_evidence evidence;
    int period;
    int matches; /* impacts in a row that are equal to those a period before;
                    -1: the impacts repeat no order */
    /* as in struct accumulation_limit */
    double ratio, ratio_error, speed, contraction;
    double remaining; /* local time */
    double error;     /* relative error of `remaining` */
};
enum pattern_state { PATTERN_NONE, PATTERN_REPEATS, PATTERN_CONVERGED };
/* Do two contacts alternate, without acceleration? Then two_contacts_limit
 * knows the law of their rates. */
bool pattern_alternates(const struct ballistic *motion, int period);
/* Finds the shortest pattern that repeats, after so many impacts. *ask_map: its
 * period map is worth a look. */
enum pattern_state pattern_shortest(const struct ballistic *motion,
                                    long impacts, struct pattern *pattern,
                                    bool *ask_map);
/* Sets when the next look at the history is due. */
void pattern_look_later(struct ballistic_workspace *work);
/* Returns the number of entries from which on patterns are looked for. */
static inline unsigned long
impact_history_first_look(const struct ballistic_workspace *work)
{
    return (unsigned long)(work->limits.resolve > ACCUMULATION_RESOLVE
                               ? ACCUMULATION_RESOLVE
                               : work->limits.resolve);
}
/* Is a look at the history due, after so many impacts, and is there something
 * to be seen? Then accumulation_run must look. For motions whose contacts are
 * all open; does not read their state. */
bool impact_history_period_due(struct ballistic *motion, long impacts);
static inline void
impact_history_note(struct ballistic *motion, int contact, double flight)
{
    struct ballistic_workspace *work = motion->work;
    struct impact_entry *i =
        &work->history.entry[work->history.n % HISTORY_KEPT];
    work->history.in_a_row =
        work->history.n &&
                work->history.entry[(work->history.n - 1) % HISTORY_KEPT]
                        .contact == contact
            ? work->history.in_a_row + 1
            : 1;
    work->history.n++;
    *i = (struct impact_entry){
        contact, motion->length_exponent - motion->rate_exponent, flight};
}

/* Notes single impacts in a row, the last of them at `contact`, where it
 * arrived with the rate `arrive`. */
static inline void
ballistic_coasted(struct ballistic *motion, int contact, double arrive,
                  long impacts)
{
    struct ballistic_workspace *work = motion->work;
    int was = motion->event.contact < 0 ? contact : motion->event.contact;
    motion->event.impulse[was] = 0.0;
    motion->just_hit[was] = false;
    motion->event.impulse[contact] =
        -(1.0 + motion->model.e[contact]) * arrive *
        (work->units.rate /
         motion->matrices.W[contact * (motion->model.m + 1)]);
    motion->just_hit[contact] = true;
    motion->event.contact = contact;
    motion->impacts += impacts;
    work->flight.before = impacts - 1;
    work->history.in_a_row = 1; /* without acceleration a contact is not hit
                                 * twice in a row */
    work->flight.arrival = arrive;
}

#endif
