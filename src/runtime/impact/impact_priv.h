/* SPDX-License-Identifier: MIT */
/* Inside the room: rows and factors, the two ways to G, and the laws. */
#ifndef IMP_RUNTIME_IMPACT_IMPACT_PRIV_H
#define IMP_RUNTIME_IMPACT_IMPACT_PRIV_H

#include "runtime/impact/impact.h"
#include "runtime/numerics/dense.h"

/* The joints' matrix A = J M^-1 J^T, factored in panels (delassus_factored.c).
 */
struct impact_joint_factors {
    int *first_of, *start; /* per joint: its first row, and the first joint that
                              it is coupled with */
    size_t *at;            /* its panel */
    double *panel, *rd;
    double *ref; /* the size of a row's square before any elimination */
    double *W, *mass_root;
    int ldw, *place;
    int *link, *head; /* blocks by body: link[2*block + side], head[body], then
                         the oldest joint of each */
};
/* The Delassus matrix G of the contacts, factored by Cholesky. */
struct impact_contact_factors {
    double *F, *Frd; /* nc x nc; the reciprocals of its diagonal */
    int *Ffirst;
    bool whole; /* F holds the factors of all of G */
};
/* The exact way, by QR and SVD: memory that is taken only when it is needed. */
struct impact_exact {
    bool made;  /* QR and SVD for the present problem */
    bool left;  /* B for the present problem */
    bool whole; /* V, s and rank are those of all contacts */
    int rank;
    struct least_square square; /* of many contacts whose rank is clear */
    double *room;               /* of `square`, and of the columns it factors */
    double *qr, *tau, *norm;
    int *perm;
    double *B, *V, *s;   /* of the contacts: SVD of what joints leave */
    double *Js, *Jv, *J; /* of redundant joints: SVD of all rows */
    double loose;        /* directions of contacts are known to this */
};
/* The way for light links (joint_saddle.c): memory that is taken only when it
 * is needed. */
struct impact_saddle {
    bool used;              /* for the present problem */
    int n;                  /* unknowns: impulses of joints, spins */
    struct impact_row *row; /* nr: force, moment about the mass centre */
    int *spin, *piv;        /* number of each spin's unknown; -1: none */
    double *K, *factors, *unknown, *right, *left;
    double *impulse, *twist; /* 6 per body: force, moment; spin, velocity */
    double *idle; /* its rows busy..nr, of nr numbers: impulses of redundant
                     joints that do nothing */
    int rank, busy;
    double *G;      /* nc x nc */
    double *column; /* per contact: what a unit impulse there does, six numbers
                       per body in the scale of M^(1/2) */
    double off;     /* of the last solution: the greatest residual, against the
                       terms of its equation */
};
struct impact_scratch {
    double *x, *y; /* nr + nc each */
    double *six;   /* 6 per body */
    double *sum;   /* 8 per body: impulses and their sizes */
    double *lcp;
};
struct impact_work {
    struct arena *arena;
    size_t most_body;
    struct impact_row *row; /* nr joint rows, then nc contacts */
    int ld;                 /* most rows */
    struct impact_joint_factors joint;
    struct impact_contact_factors contact;
    struct impact_exact svd;
    struct impact_saddle saddle;
    struct impact_scratch scratch;
    struct bonds *bonds; /* of law_lzb.c; NULL until it is asked for */
};

/* The equations of a problem whose joints are nearly redundant may be left with
 * a part that no unknown takes. More than this share of their terms is more
 * than rounding (I1), and the way is not taken. */
#define SADDLE_SOUND 1e-13

/* The restitution of a contact for a speed of approach; of the approach before
 * the impact: solver->approach.e. */
double impact_restitution_of(const struct impact_solver *solver, int contact,
                             double approach);
/* Sets x := pinv(G) b for unit directions, among the contacts `on` only if it
 * is not NULL, by the factors or by the SVD, as the problem asks. `residual`,
 * if not NULL, receives the part of b outside the range of G; *rank the rank.
 * Returns 0, or 1 if an iteration did not converge. */
int delassus_pseudoinverse(struct impact_solver *solver, const bool *on,
                           const double *b, double *x, double *residual,
                           int *rank);
/* Memory for the factored way to G, and the way itself: it makes rows,
 * joint_rank, G, Ffirst and length, and returns the smallest ratio of a kept
 * pivot to the size of its row. */
void delassus_factor_new(struct impact_work *work, size_t n_body,
                         size_t n_contact, size_t n_joint);
double delassus_factor(struct impact_solver *solver, double tol);
/* The impulses xi of the joints, per row, that belong to the impulses P of the
 * contacts (unit directions): A xi = -A_c P. */
void impact_joint_impulses(struct impact_solver *solver, const double *P,
                           double *xi);
/* Makes G and joint_rank by the way for light links; size[0..nc): sizes of the
 * terms of the diagonal of G. light: some body is. Otherwise the way is taken
 * only where it finds that a row of joints was dropped that depends on no
 * others. False, and nothing is changed: the way is not taken, or there are too
 * many joints for it. */
bool joint_saddle_prepare(struct impact_solver *solver, bool light,
                          double *size);
/* What impulses P of the contacts (unit directions) do to all bodies, six
 * numbers each: spin, velocity; the impulses of joints, per row, into xi. */
const double *joint_saddle_motion(struct impact_solver *solver, const double *P,
                                  double *xi);
/* Makes the impulses of joints, velocities, energies and balances that follow
 * from these impulses (unit directions). */
void impact_motion_after(struct impact_solver *solver, const double *impulses);
/* After that: where impulses nearly cancel, because points lie close together,
 * the rounding of their sum is a spin. Moves the twists and impulses so that
 * the contacts `on` open with the velocities `after` (unit directions), which
 * their impulses can give them. Not for systems, joints, and points that
 * depend on each other. */
void impact_reach(struct impact_solver *solver, const bool *on,
                  const double *after);
/* Compares M dv of each body with the impulses that act on it, relative to the
 * size of the terms, into momentum_error. */
void impact_momentum_balance(struct impact_solver *solver);
/* Makes QR and SVD: the rank, the condition, the null space. */
int delassus_svd(struct impact_solver *solver);
/* The least impulses of joints, where joints are redundant. */
void impact_least_joint_impulses(struct impact_solver *solver,
                                 const double *six, double *xi);
/* Is the motion of (1 + K) P unique, although P is not? It is, if G K maps the
 * null space of G to zero. After delassus_pseudoinverse on the set `on` of
 * rank `rank`. */
bool delassus_keeps_null(const struct impact_solver *solver, const bool *on,
                         int rank);
/* The expansion phase of the energetic law at n contacts: x >= 0 with x_i (G
 * x)_i = b_i (energetic_expansion.c). Returns 0, or 1 if the iteration does
 * not converge. */
int impact_energetic_expand(int n, const double *G, const double *b, double *x,
                            double *room);
size_t impact_energetic_room(int n);
/* The rounding error of normal velocities, and what errors of the data may
 * add. */
double impact_velocity_tolerance(const struct impact_solver *solver);

/* A law: the impulses at the contacts and the motion after (with
 * impact_motion_after or impact_no_motion), into the solver, whose field `law`
 * is set. on: contacts that do not separate, n_on of them. */
typedef void impact_law_function(struct impact_solver *m, const bool *on,
                                 int n_on);
/* one function per row of abi/laws.def: impact_law_newton, ... */
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc)                      \
    impact_law_function impact_law_##word;
#include "abi/laws.def"

/* -- what the laws share (law_outcome.c)
 * ------------------------------------------
 */

/* The velocities before agree with the joints to 1e-9 (start.c). A part of the
 * right-hand side outside the range of G that is no larger than this share of
 * the speeds comes from there and does not count as a contradiction of the
 * law. Restitutions that differ by more than 1e-8 do count. */
#define IMPACT_OUTSIDE 1e-8

/* Normal velocities q of n contacts (their numbers in set; NULL: 0 to n - 1):
 * what is rounding becomes zero, at contacts that no impulse moves also what
 * the data leave open. True: a contact that no impulse moves approaches. */
bool impact_blocked(const struct impact_solver *solver, int n, const int *set,
                    double *q);
/* The law has no motion, and why: nothing is applied (I4). */
void impact_no_motion(struct impact_solver *solver, enum impact_fault why);
/* The state at peak compression, by impulses Pc of all impulses P (unit
 * directions). Before the motion after. */
void impact_peak_at(struct impact_solver *solver, const double *Pc,
                    const double *P);
/* The same for equal restitutions e of the contacts `on` (NULL: all); nothing
 * where they differ. The whole impact is a straight line in the space of
 * impulses then, and peak compression lies at 1/(1 + e) of it. After
 * impact_motion_after. */
void impact_peak_of_equal(struct impact_solver *solver, const bool *on);
/* Nothing approaches at the limit of a law that comes to it by steps. Adds the
 * impulses that take away what is left of the approaches `velocity`, which are
 * rounding. */
void impact_end_approach(struct impact_solver *solver, double *velocity,
                         double *impulse);
/* Room of all laws, in the arena: n x n, lcp_room and impact_energetic_room of
 * the greatest problem. */
double *impact_law_room(struct impact_solver *solver);

#endif
