/* SPDX-License-Identifier: MIT */
/* Inside multi: rows and factors, shared by impact.c (motion),
 * delassus_factored.c, delassus_svd.c (QR and SVD) and laws.c (laws). */
#ifndef IMP_RUNTIME_IMPACT_IMPACT_PRIV_H
#define IMP_RUNTIME_IMPACT_IMPACT_PRIV_H

#include "runtime/impact/impact.h"

struct impact_work {
    struct arena *arena;
    size_t most_body;
    struct impact_row *row; /* nr joint rows, then nc contacts */
    int ld;                 /* most rows */
    /* delassus_factored.c; ref: size of a row's square before any elimination
     */
    int *first_of, *start; /* per joint: its first row, and the first row that
                              it is coupled with */
    size_t *at;            /* its panel */
    double *panel, *rd, *ref, *W, *mass_root;
    int ldw, *place;
    int *link, *head; /* blocks by body: link[2*block + side], head[body], then
                         the oldest joint of each */
    double *F, *Frd;  /* Cholesky of G: nc x nc */
    int *Ffirst;
    double *x, *y; /* nr + nc each */
    double *six;   /* 6 per body */
    double *sum;   /* 8 per body: impulses and their sizes */
    /* exact path (in the arena, only when asked for) */
    double *qr, *tau, *norm;
    int *perm;
    double *B, *V, *s;   /* of the contacts: SVD of what joints leave */
    double *Js, *Jv, *J; /* of redundant joints: SVD of all rows */
    double loose;        /* directions of contacts are known to this */
    bool exact;
    bool whole; /* F holds the factors of all of G */
    double *lcp;
};

/* x := pinv(G) b for unit directions; the active contacts of `on` only when
 * not NULL. exact or factored as the problem asks. *outside: length of the part
 * of b outside the range (residual written when not NULL). Returns 0. */
int delassus_pseudoinverse(struct impact_solver *solver, const bool *on,
                           const double *b, double *x, double *residual,
                           int *rank);
/* memory of, and the factored way to G: rows, joint_rank, G, Ffirst, length;
 * smallest ratio of a kept pivot to its row's size */
void delassus_factor_new(struct impact_work *work, size_t n_body,
                         size_t n_contact, size_t n_joint);
double delassus_factor(struct impact_solver *solver, double tol);
/* joint impulses xi (per row) that go with contact impulses P (unit
 * directions): A xi = -A_c P */
void impact_joint_impulses(struct impact_solver *solver, const double *P,
                           double *xi);
/* joint impulses, velocities, energies, balances of the impulses P (unit
 * directions) into m */
void impact_motion_after(struct impact_solver *solver, const double *P);
/* M dv of each body against the impulses that act on it, relative to the sizes
 * of the terms, into momentum_error */
void impact_momentum_balance(struct impact_solver *solver);
/* QR and SVD: rank, condition, null space */
int delassus_svd(struct impact_solver *solver);
/* least joint impulses where joints are redundant */
void impact_least_joint_impulses(struct impact_solver *solver,
                                 const double *six, double *xi);
/* does G K leave what moves nothing at rest? After delassus_pseudoinverse on
 * the set `on` of rank `rank`: the motion of (1 + K) P is unique then */
bool delassus_keeps_null(const struct impact_solver *solver, const bool *on,
                         int rank);
/* Expansion by the energetic law on n contacts: x >= 0 with x_i (G x)_i = b_i
 * (energetic_expansion.c). 0, or 1 when it does not settle. */
int impact_energetic_expand(int n, const double *G, const double *b, double *x,
                            double *room);
size_t impact_energetic_room(int n);
/* rounding of normal velocities, and what data errors may add */
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

/* Velocities before agree with the joints to 1e-9 (start.c), and whatever a law
 * leaves outside the range of G by no more than that is not its own
 * contradiction: restitutions that differ count from 1e-8 on. */
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
/* Room of all laws, in the arena: n x n, lcp_room and impact_energetic_room of
 * the greatest problem. */
double *impact_law_room(struct impact_solver *solver);

#endif
