/* SPDX-License-Identifier: MIT */
/* Ballistic motion: a system whose mass matrix M and free acceleration a are
 * constant and whose gaps are linear in the coordinates,
 *     g_i = N_i q + c_i,      M q'' = M a + sum of N_i^T lambda_i,
 * with frictionless contacts and Newton's restitution e_i. Between events the
 * motion is a parabola, so no step is taken: the next impact is a root of a
 * quadratic polynomial, the motion of closed contacts is a parabola again (a
 * complementarity problem says which), and an accumulation of impacts has a
 * limit in closed form (runtime/accumulation).
 *
 * Only the gaps' part of the motion meets impacts. It is kept as mantissas
 * with binary exponents, about an origin where as many gaps vanish as
 * possible, so that a thousand impacts of shrinking size lose no digits
 * (chatter.md 1.4, 2.2, 2.7). What no contact feels is one parabola for
 * the whole run. Whoever has the matrices can use this room without a model.
 */
#ifndef IMP_RUNTIME_BALLISTIC_BALLISTIC_H
#define IMP_RUNTIME_BALLISTIC_BALLISTIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct contact_basis;
struct contact_bases;

struct ballistic_model {
    int n, m;            /* number of coordinates, of contacts */
    const double *mass;  /* n x n, symmetric and positive definite */
    const double *acc;   /* n: free acceleration */
    const double *N;     /* m x n: gradients of the gaps */
    const double *bias;  /* m: accelerations of the gaps beyond N a (terms with
                            velocities); NULL: none */
    const double *drift; /* m: rates of the gaps beyond N v, where a gap depends
                            on the time (ballistic_instant alone); NULL: none */
    const double *c;     /* m: gaps at q = 0 */
    const double *e;     /* m: restitutions, 0 to 1 */
};

/* what happens when several contacts close at one instant */
enum ballistic_policy {
    BALLISTIC_REPORT,          /* stop there: the outcome is not unique */
    BALLISTIC_UNSTATED,        /* contacts that rest only push where one closes
                                  alone; where several close: stop there */
    BALLISTIC_SEQUENTIAL,      /* one impact after the other until no contact
                                  approaches: by the energy of the approach,
                                  then by number */
    BALLISTIC_COMPLEMENTARITY, /* Moreau: v+ + e v- and the impulses are
                                  complementary */
    BALLISTIC_REST,            /* the contacts that close stop */
    BALLISTIC_BY_LAW           /* a law that this room does not know */
};
struct ballistic;
/* Such a law. It finds impulses at `count` contacts, in true units, from their
 * rates, and the rates after the impact. False: there is no motion that the law
 * determines. */
struct ballistic_law {
    bool (*impulses)(void *context, const struct ballistic *motion, int count,
                     const int *contact, const double *rate, double *impulse,
                     double *after);
    void *context;
};

enum ballistic_event {
    BALLISTIC_END,          /* the time `until` is reached */
    BALLISTIC_IMPACT,       /* at one contact */
    BALLISTIC_SEVERAL,      /* at several at one instant, as the policy says */
    BALLISTIC_UNDECIDED,    /* the same, but the policy is to report it */
    BALLISTIC_ACCUMULATION, /* infinitely many impacts have been summed up; the
                               state is the one after their limit */
    BALLISTIC_FREE,         /* no contact will ever close again: instead of END
                               where `until` is infinite */
    BALLISTIC_JAMMED /* no impulses or forces >= 0 keep the contacts closed */
};

/* what the limit of an accumulation rests on */
enum limit_evidence {
    LIMIT_BY_LAW,        /* one contact: its flights shrink by e */
    LIMIT_BY_MAP,        /* the fixed point of the period map */
    LIMIT_BY_FLIGHTS,    /* the flight times of successive periods, where the
                            period map is not known */
    LIMIT_BELOW_ROUNDING /* no order repeats, but the time that remains is less
                            than the rounding error of the time */
};
struct accumulation_limit {
    enum limit_evidence evidence;
    long impacts; /* resolved one by one before the limit was taken */
    int period;   /* impacts after which the order repeats; 0: it never does */
    int depth;    /* 1: of impacts; 2: of limits of impacts, and so on */
    double ratio; /* of the times of successive periods, at the limit; NaN: not
                     determined */
    double ratio_error; /* bound of its error */
    double speed;       /* the same ratio of the rates, where a map or a law
                           tells it; else 0 */
    double contraction; /* LIMIT_BY_MAP: of the distance from the fixed point,
                           per period */
    double remaining;   /* time that was summed up */
    double error;       /* bound of its relative error */
    double before;      /* how far (s) the time may be off, beside that, because
                           the rounding of gaps decided the order of impacts */
    double state_error; /* bound of the error of the state after the limit, as a
                           share of lengths and speeds of the motion; 0: of
                           rounding */
};

/* What follows from the matrices alone. The gaps live in a space of `rank` =
 * rank N dimensions. Its coordinates y are the gaps themselves where these are
 * independent (`direct`), otherwise g = F y with F F^T = W.
 * These letters (W, F, H, K, E, y and its rate z) are used in all files of the
 * room. */
struct contact_matrices {
    int rank;
    bool direct;
    double *B;        /* m x n: M^-1 N_i^T */
    double *W;        /* m x m: Delassus matrix N M^-1 N^T */
    double *coupling; /* m x m: W without what is rounding; NaN: not asked yet
                         (active_set_coupling) */
    double *F;        /* m x rank */
    double *root;     /* m: |F_i|, the square root of W_ii */
    int stride;       /* length of a row that is filled up with 0 to whole
                         vectors of the processor */
    double *Ft, *Kt;  /* rank such rows each: F^T, K^T */
    double *rows;     /* m such rows: of K (direct) or of W_ij/W_ii */
    double *diagonal; /* one such row: of W */
    double *H;     /* m x rank: what a unit impulse at contact i does to y' */
    double *K;     /* m x rank: what a unit rate at contact i does to y' by
                      its impact (direct), by its stop (otherwise) */
    double *E;     /* n x rank: q = what no contact feels + E y */
    double *y_acc; /* rank: free acceleration of y */
    double *free_acc;      /* n: the rest of the free acceleration */
    double *gap_acc;       /* m: free accelerations of the gaps */
    double *gap_acc_terms; /* m: sums of the moduli of their terms */
    double *origin;        /* n: where as many gaps vanish as possible */
    double *gap_offset;    /* m: gaps there, exactly 0 for an independent set */
    double *rate_offset;   /* m: rates at y' = 0, exactly 0 for that set */
    int *basis;            /* rank: the contacts of that set */
    double *law;           /* m: -(1 + e), one row */
    double *back;          /* rank x rank: y of the gaps of the basis */
    /* m x m, and the reciprocals of its diagonal: W as a product, in the
     * memory of the motion that made it, which copies read as well */
    const long double *factor, *factor_reciprocal;
    struct contact_bases *bases; /* where gaps depend on each other
                                    (contact_basis.c) */
    unsigned long version;       /* changes when the numbers change */
};

/* Impacts of a pattern that are resolved one by one before its limit is taken:
 * the default. */
#define ACCUMULATION_RESOLVE 16

/* which contacts are closed, and the motion that follows */
struct ballistic_mode {
    bool *persistent; /* m: contacts that stay closed (they slide or rest) */
    int n_persistent;
    double *force;   /* m: contact forces of these */
    double *gap_acc; /* m: accelerations of the gaps, in true units */
    double *y_acc;   /* rank: accelerations of y, in true units */
};
/* the last event */
struct ballistic_last {
    int contact;     /* the one hit, the first of several; -1: none yet */
    double *impulse; /* m: in true units */
    bool pressed;    /* the last impact acted on contacts that rest */
    bool *together;  /* m: UNDECIDED: the contacts that closed together */
    bool *group;     /* m: ACCUMULATION: its contacts */
    struct accumulation_limit limit; /* ACCUMULATION */
    bool tie; /* SEVERAL, in a sequence: contacts that act on each other
                 approached alike, and the order given decided */
};
/* numbers in local units (workspace.h), which follow those in true units */
struct ballistic_local {
    double *gap_acc, *y_acc;          /* of the mode */
    double *light_acc, *light_rate;   /* of light flights (coast_run.h) */
    double *gap_offset, *rate_offset; /* of the matrices */
};

/* A motion in progress. Gaps and y are 2^length_exponent times the numbers
 * here, their rates 2^rate_exponent times. The time is t + t_lo. */
struct ballistic {
    struct ballistic_model
        model; /* its arrays are copies of the motion's own */
    struct contact_matrices matrices;
    enum ballistic_policy policy;
    const struct ballistic_law *law; /* of BALLISTIC_BY_LAW */
    bool rough_rates; /* nobody looks at the ratio and the contraction of a
                         LIMIT_BY_MAP: they need not be those of the fixed point
                       */
    bool each_told;   /* somebody asks ballistic_impact_before */
    atomic_int *stop; /* who follows a motion for long looks at it, because
                         Ctrl-C sets it; may be NULL */
    int length_exponent, rate_exponent;
    double t, t_lo, t_start;
    long impacts;       /* since ballistic_start */
    double *block;      /* the memory of all arrays of the state */
    double *y, *z;      /* rank: the gaps' part of the motion, and its rate */
    double *gap, *rate; /* m */
    double *greatest;   /* m: greatest gap since the contact's last impact */
    /* the contacts whose gaps are carried by themselves; NULL: all are */
    const struct contact_basis *basis;
    double *free_position, *free_velocity; /* n: what no contact feels, at the
                                              time t_start */
    bool *just_hit;                        /* m: the gap is 0 and opens */
    struct ballistic_mode mode;
    struct ballistic_last event;
    struct ballistic_local local;
    struct ballistic_workspace *work;
};

/* Memory for a motion of n coordinates and m contacts, without matrices: for
 * ballistic_renew, or the target of ballistic_copy. It belongs to the arena. */
struct ballistic *ballistic_memory(struct arena *arena, int n, int contacts);
/* Makes a motion from a model, whose arrays are copied. Returns 0, or 1: the
 * mass matrix is not positive definite. The motion belongs to the arena. */
int ballistic_new(struct arena *arena, const struct ballistic_model *model,
                  struct ballistic **out);
/* The same memory for other numbers of the same n and m, as sweeps need it.
 * Nothing is allocated; what depends on equal numbers is not made again. The
 * caller keeps the array `bias`. Policy and limit settings stay. Returns as
 * ballistic_new. */
int ballistic_renew(struct ballistic *motion,
                    const struct ballistic_model *model);
/* Changes the restitutions alone (m numbers). */
void ballistic_restitutions(struct ballistic *motion, const double *e);
/* The same memory for one instant of a motion that is not ballistic: matrices,
 * time, coordinates and velocities (n each), and which contacts (m) are
 * closed. The caller keeps the model's arrays. Returns as ballistic_new. */
int ballistic_instant(struct ballistic *motion,
                      const struct ballistic_model *model, double time,
                      const double *position, const double *velocity,
                      const bool *on);
/* At an instant: closes these contacts (m), as after a limit. */
void ballistic_stick(struct ballistic *motion, const bool *closed);
/* At an instant: impulses at the contacts `pushed` (m) that give their gaps the
 * rates `rate` (m). The gaps stay what they are. */
void ballistic_steer(struct ballistic *motion, const bool *pushed,
                     const double *rate);
/* At an instant: an impact at the `hits` contacts `hit`, and which contacts
 * stay closed afterwards. hits = 0: no impact, only which of the closed
 * contacts stay closed. END: no impact and not jammed. */
enum ballistic_event ballistic_instant_impact(struct ballistic *motion,
                                              const int *hit, int hits);
/* The state at the `time` (s) from coordinates `position` and their `velocity`
 * (n each, SI). Contacts whose gap is at most `tol` and that do not open are
 * closed from the start. False: no forces >= 0 keep them closed. */
bool ballistic_start(struct ballistic *motion, double time,
                     const double *position, const double *velocity,
                     double tol);
/* Announces runs that will start as the last one did, and differ from it in the
 * restitutions alone: `runs` vectors of m numbers, `apart` numbers from one to
 * the next. The first impacts of all of them are found at once. A run takes its
 * own when it starts, which changes no bit of it. An announced run need not
 * come. The present run is lost. */
void ballistic_batch_prepare(struct ballistic *motion,
                             const double *restitution, int runs, int apart);
/* Right after ballistic_batch_prepare: the number of single impacts after which
 * a run ends because no contact closes any more, with the time, the rates of
 * the gaps (m) and of y (rank); these belong to the motion. 0: something else
 * happens, or it is not known. */
long ballistic_batch_end(const struct ballistic *motion, int run, double *time,
                         const double **rate, const double **coordinate_rates);
/* The next event at or before the time `until`. Up to `most` single impacts in
 * a row may be resolved at once; only the last of them is reported, and
 * motion->impacts tells their number. Impacts are never summed up to a limit:
 * accumulation.h does that. */
enum ballistic_event ballistic_run(struct ballistic *motion, double until,
                                   long most);
/* One of the impacts that ballistic_run has resolved at once. */
struct ballistic_impact {
    int contact;
    double flight; /* the time before it, times 2^-flight_exponent */
    double rate;   /* of the gap after it, times 2^-rate_exponent */
    int flight_exponent, rate_exponent;
};
/* How many impacts the last call of ballistic_run has resolved before the last
 * one, at other times. */
long ballistic_impacts_before(const struct ballistic *motion);
/* The impact `back` (at least 1) before the last one, of these;
 * motion->each_told was set before. */
void ballistic_impact_before(const struct ballistic *motion, long back,
                             struct ballistic_impact *impact);
void ballistic_state(const struct ballistic *motion, double *position,
                     double *velocity);
/* The acceleration of coordinate i on the flight that begins there, closed
 * contacts included. */
double ballistic_acceleration(const struct ballistic *motion, int i);
/* Copies a motion into the memory of `to`, which was made for the same n and m;
 * the matrices are shared. It is cheap when two motions take turns: only new
 * impacts are copied. */
void ballistic_copy(struct ballistic *to, const struct ballistic *from);
/* Coordinates and velocities at a time before the next event. after: the
 * state behind the limit of an accumulation that comes next: the impacts are
 * then averaged out. NULL: another event comes next. */
void ballistic_between(struct ballistic *motion, const struct ballistic *after,
                       double time, double *position, double *velocity);
/* Writes the `rank` numbers of a contact; the product of those of contacts i
 * and j is W_ij. */
void ballistic_row(const struct ballistic *motion, int contact, double *row);
double ballistic_gap(const struct ballistic *motion, int contact);
/* The rate of a gap times 2^-*exponent. exponent NULL: the rate itself, 0 where
 * it underflows. */
double ballistic_rate(const struct ballistic *motion, int contact,
                      int *exponent);
/* Returns the time of the flight before the last impact, times 2^-*exponent. */
double impact_history_last_flight(const struct ballistic *motion,
                                  int *exponent);
/* The shortest order that the last impacts repeat (*period impacts; 0: none)
 * and the ratio of the times of its last two periods. False: there have been
 * too few impacts. */
bool impact_history_trend(const struct ballistic *motion, int *period,
                          double *ratio);
#endif
