/* SPDX-License-Identifier: MIT */
/* Systems in which everything between impacts is a parabola: constant mass
 * matrix M, constant free acceleration, gaps linear in the coordinates,
 *     g_i = N_i q + c_i,      M q'' = M a + sum of N_i^T lambda_i,
 * frictionless contacts with Newton restitution e_i. No step is taken: flights
 * are roots of quadratics, the motion of contacts that slide or rest is again a
 * parabola (complementarity), and chatter ends in a limit in closed form.
 *
 * Only the gaps' part of the motion meets impacts; what no contact feels is a
 * parabola of its own for good. The former is kept about an origin where as
 * many gaps vanish as can, as mantissas with a binary exponent each, so that a
 * thousand impacts of shrinking size lose no digits, however large the rest is
 * (spec/chatter.md 1.4, 2.2, 2.7). Plain structs: whoever has the matrices can
 * ask, without a model. */
#ifndef IMP_RUNTIME_BALLISTIC_BALLISTIC_H
#define IMP_RUNTIME_BALLISTIC_BALLISTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct ballistic_model {
    int n, m;            /* coordinates, contacts */
    const double *mass;  /* n x n */
    const double *acc;   /* n: free acceleration */
    const double *N;     /* m x n */
    const double *bias;  /* m: accelerations of the gaps beyond N a (terms of
                            velocities); NULL: none */
    const double *drift; /* m: rates of the gaps beyond N v, where a gap holds
                            the time (ballistic_instant alone); NULL: none */
    const double *c;     /* m: gaps at q = 0 */
    const double *e;     /* m */
};

/* what to do when several contacts close at one instant */
enum ballistic_policy {
    BALLISTIC_REPORT,     /* stop there: not unique */
    BALLISTIC_SEQUENTIAL, /* one after the other, the lower number first, until
                        none approaches */
    BALLISTIC_COMPLEMENTARITY, /* Moreau's: v+ + e v- and impulses complementary
                                */
    BALLISTIC_REST             /* these contacts stop */
};

enum ballistic_event {
    BALLISTIC_END,          /* `until` is reached */
    BALLISTIC_IMPACT,       /* one contact */
    BALLISTIC_SEVERAL,      /* several at one instant, resolved by the policy */
    BALLISTIC_UNDECIDED,    /* several at one instant, not resolved */
    BALLISTIC_ACCUMULATION, /* a group's impacts have been summed up to their
                     limit; the state is the one after it */
    BALLISTIC_FREE,  /* no contact will ever close again: returned instead of an
                   END at infinite `until` */
    BALLISTIC_JAMMED /* no impulses or forces >= 0 keep the contacts closed */
};

/* what a limit of chatter rests on */
enum limit_evidence {
    LIMIT_BY_LAW,        /* one contact: flights shrink by e */
    LIMIT_BY_MAP,        /* the fixed point of the map from period to period */
    LIMIT_BY_FLIGHTS,    /* the flights of successive periods, where there is no
                            map */
    LIMIT_BELOW_ROUNDING /* no order repeats; what was left is lost in rounding
                          */
};
struct accumulation_limit {
    enum limit_evidence means;
    long impacts; /* resolved one by one before the limit was taken */
    int period; /* impacts after which the pattern repeats; 0: it never does */
    int depth;  /* 1: of impacts; 2: of limits of impacts, and so on */
    double ratio;       /* of the times of successive periods, at the limit */
    double speed;       /* MAP: the same of the rates */
    double contraction; /* MAP: of the distance from the fixed point, per period
                         */
    double remaining;   /* time summed up */
    double error;       /* bound of its relative error */
};

/* What follows from the matrices alone. The gaps live in a space of r = rank N
 * dimensions: its coordinates y are the gaps themselves where these are
 * independent (`direct`), otherwise g = F y with F F^T = W. */
struct contact_matrices {
    int r;
    bool direct;
    double *B;         /* m x n: M^-1 N_i^T */
    double *W;         /* m x m: N M^-1 N^T */
    double *F;         /* m x r */
    double *root;      /* m: |F_i| */
    int stride;        /* of rows that are filled up with 0 to whole lanes */
    double *Ft, *Kt;   /* r such rows each: F^T, K^T */
    double *P;         /* m such rows: K (direct) or W */
    double *diagonal;  /* one such row: of W */
    double *H;         /* m x r: what a unit impulse at i does to y' */
    double *K;         /* m x r: what a unit rate at i does by its impact
                          (direct), by its stop (else) */
    double *E;         /* n x r: q = what no contact feels + E y */
    double *ay, *ap;   /* r, n: free acceleration of y, and the rest of it */
    double *nf, *size; /* m: free accelerations of the gaps, their terms */
    double *origin;    /* n: where as many gaps vanish as can */
    double *c0;        /* m: gaps there, exactly 0 for an independent set */
    double *d0;        /* m: rates at y' = 0, exactly 0 for that set */
    int *basis;        /* r: that set */
    unsigned long version; /* another one for other numbers */
};
/* impacts of a pattern that are resolved one by one before its limit is taken:
 * the default */
#define ACCUMULATION_RESOLVE 16

struct ballistic {
    struct ballistic_model model;
    enum ballistic_policy policy;
    bool rough; /* nobody looks at the ratio and contraction of a MAP: they need
                   not be those of the fixed point */
    struct contact_matrices k;
    /* gaps and rates are mantissas: 2^ex y, 2^ev z */
    int ex, ev;
    double t, t_lo;
    /* state in one block (block_new of ballistic.c) */
    double *block;
    double *y, *z;      /* r: the gaps' part of the motion */
    double *ya;         /* r: acceleration in the present mode */
    double *gap, *rate; /* m */
    double *na;         /* m: acceleration of the gaps, not scaled */
    double *nal, *yal;  /* m, r: na, ya in local units */
    double *c0l, *d0l;  /* m: c0, d0 in local units */
    double *big;        /* m: greatest gap since the contact's last impact */
    double *force;      /* m: of contacts that slide or rest */
    double *impulse;    /* m: of the last event, unscaled */
    double *xp, *vp;    /* n: what no contact feels, at `start` */
    double start;
    bool *on;    /* m: contacts that slide or rest */
    bool *fresh; /* m: just hit: the gap is 0 and opens */
    bool *hits;  /* m: that closed together (UNDECIDED) */
    bool *group; /* m: the contacts of the chatter */
    int n_on;
    int hit; /* the contact of the last event; the first of several; -1: none */
    struct accumulation_limit chatter;
    long impacts; /* since ballistic_start */
    struct ballistic_workspace *w;
};

/* memory for n coordinates and m contacts without matrices: ballistic_renew, or
 * the aim of ballistic_copy */
struct ballistic *ballistic_memory(struct arena *arena, int n, int m);
/* 0, or 1: the mass matrix is not positive definite. Arrays of the model are
 * copied. */
int ballistic_new(struct arena *arena, const struct ballistic_model *model,
                  struct ballistic **out);
/* As ballistic_new, `bias` excepted, which the caller keeps: the same memory
 * for other numbers of the same n and m (sweeps). Nothing is allocated, and
 * what depends on equal numbers is not made again. Policy and
 * accumulation_resolve stay. */
int ballistic_renew(struct ballistic *l, const struct ballistic_model *model);
/* Of these numbers only the restitutions (m) are others. */
void ballistic_restitutions(struct ballistic *l, const double *e);
/* The same memory for other numbers of the same n and m: one instant of a
 * motion that is no parabola. `on`: contacts that slide. */
int ballistic_instant(struct ballistic *l, const struct ballistic_model *model,
                      double t, const double *q, const double *v,
                      const bool *on);
/* at an instant: these contacts are closed and keep closed, as after a chatter
 */
void ballistic_stick(struct ballistic *l, const bool *closed);
/* at an instant: impact at these contacts, and which slide afterwards; n = 0:
 * only the latter, of those closed */
enum ballistic_event ballistic_instant_impact(struct ballistic *l,
                                              const int *hit, int n);
/* state at time t; contacts closed within `tol` (of gap) that do not open slide
 * from the start. False: they jam */
bool ballistic_start(struct ballistic *l, double t, const double *q,
                     const double *v, double tol);
/* Runs to come: they will start as the last one did, and differ from it in the
 * restitutions alone (n vectors of m, `apart` numbers from one to the next).
 * The first impacts of all of them are found at once; a run takes its own when
 * it comes to it, by restitutions and start, and is the same to the last bit.
 * No promise is asked for: a run that never comes, or another one, costs
 * nothing but that. The present run is lost. */
void ballistic_batch_prepare(struct ballistic *l, const double *e, int n,
                             int apart);
/* Right after it: after how many single impacts does run k come to an end,
 * since no contact closes any more? And when, with which rates of the gaps (m)
 * and of y (r). 0: something else comes, or it is not known. */
long ballistic_batch_end(const struct ballistic *l, int k, double *t,
                         const double **rate, const double **z);
/* The next event at or before `until`, but up to `most` single impacts in a row
 * may come at once: of them only the last is told (l->impacts has their
 * number). Impacts are followed one by one; accumulation.h follows them to
 * their limits. */
enum ballistic_event ballistic_run(struct ballistic *l, double until,
                                   long most);
void ballistic_state(const struct ballistic *l, double *q, double *v);
/* A copy in the memory of `to`, which was made for the same n and m; the
 * matrices are shared. Cheap when the two lines take turns: only new impacts
 * are copied. */
void ballistic_copy(struct ballistic *to, const struct ballistic *from);
/* State at t from now on, before the next event. after: the state behind a
 * limit of chatter that comes next (NULL: something else comes): then the
 * impacts are averaged out. */
void ballistic_between(struct ballistic *l, const struct ballistic *after,
                       double t, double *q, double *v);
double ballistic_gap(const struct ballistic *l, int contact);
/* rate of a gap as mantissa and exponent: *exponent may be NULL (then the
 * number itself, 0 when it underflows) */
double ballistic_rate(const struct ballistic *l, int contact, int *exponent);
/* flight before the last impact, times 2^*exponent */
double impact_history_last_flight(const struct ballistic *l, int *exponent);
/* What the last impacts do: the shortest order that repeats (0: none) and the
 * ratio of the times of its last two periods. False: too few impacts. */
bool impact_history_trend(const struct ballistic *l, int *period,
                          double *ratio);
#endif
