/* SPDX-License-Identifier: MIT */
/* Impact of any number of bodies at any number of contacts and joints, at one
 * instant (Dragna, Pandrea & Stanescu; spec screws.md). The structs are plain
 * and in world axes: whoever has bodies can ask, without a model.
 *
 * A reaction is a screw [force; moment]. On a body with inverse mass 1/m and
 * inverse inertia C C^T (both in world axes) it is stored as the six numbers
 * [force/sqrt(m); C^T moment about the mass centre]. An entry of the matrix of
 * all reactions is then a dot product of two rows, A_ij = row_i . row_j (S^T
 * eta M^-1 S of the paper), for joints and contacts alike. Eliminating the
 * joints leaves the Delassus matrix of the contacts, G = sum_b U_b^T eta Q_b
 * Mred_b^-1 Q_b^T eta U_b (screws.md 1.A), for every graph of joints, closed
 * loops included. Pivots that are dropped belong to redundant joints.
 *
 * Signs: the impulse P acts on the second body along `dir` and on the first
 * body against it. The normal velocity is v = dir.(v_second - v_first), so
 * approach is negative, and G P = v_after - v_before (screws.md 1.B with v =
 * -v_12n).
 *
 * There are two ways to G. The regular way factors sparse rows within an
 * envelope and takes no memory from the heap. Where its smallest pivot says
 * that digits are lost, the joints are orthogonalised by QR instead, and what
 * is left of the contacts goes through an SVD, which does not square the
 * condition. */
#ifndef IMP_RUNTIME_IMPACT_IMPACT_H
#define IMP_RUNTIME_IMPACT_IMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/image.h"

struct arena;
struct impact_restitution;

/* kg, m, s, world axes, matrices row-major 3 x 3 */
struct impact_body {
    double mass;
    double inroot[9]; /* D with D D^T the inertia about the mass centre, for
                      energies and balances; 0 if no impulse moves the body. The
                      inertia itself would lose the energy of a needle that
                      spins fast about its axis */
    double invmass;   /* 0: nothing moves it */
    double root[9];   /* C with C C^T the inverse inertia */
    double centre[3];
    double spin[3], vel[3]; /* before; also of prescribed bodies */
};
struct impact_contact {
    uint32_t body[2]; /* IMP_WORLD possible */
    /* the touching point of the first body, of the second body */
    double p[3], q[3];
    double dir[3];   /* of any length > 0 */
    double recede;   /* speed at which the surfaces part because they move
                        relative to their bodies, along the unit direction */
    double e;        /* restitution */
    double priority; /* law `sequential`: the smaller one goes first; INFINITY:
                        none is stated */
    /* law `lzb`: 0 where none is stated; the power of depth */
    double stiffness, exponent;
};
struct impact_joint {
    uint32_t body[2]; /* IMP_WORLD possible */
    double at[3];
    int n;          /* rows */
    double S[6][6]; /* reactions on the first body: force, moment about `at` */
};
struct impact_problem {
    const struct impact_body *body;
    const struct impact_contact *contact;
    const struct impact_joint *joint;
    uint32_t n_body, n_contact, n_joint;
    /* Directions of impulse that differ by less than this (relative) count as
     * dependent: the accuracy of the data. 0: only rounding counts */
    double tolerance;
    /* A system in generalised coordinates has neither bodies nor joints here.
     * Its contacts have no places; `recede` is the rate of the gap, `dir` any
     * unit vector. Each has a row of as many numbers as make G_ij the product
     * of rows i and j, and the size of the terms of its rate. NULL: the rows
     * follow from bodies */
    const double *row;      /* n_contact x row_length */
    const double *row_rate; /* n_contact */
    uint32_t row_length;
    /* Restitutions that depend on the speed of approach, m/s along the unit
     * direction; `number` has what it calls each contact. NULL: those of the
     * contacts */
    const struct impact_restitution *varies;
    const uint32_t *number;
    /* Of free bodies only G and the velocities are asked for: its rank and its
     * condition are not found, and it does not count as regular. */
    bool products;
};

/* most contacts in one impact */
#define IMPACT_CONTACTS_MAX 1024

enum impact_uniqueness {
    IMPACT_UNIQUE,        /* impulses and motion are unique */
    IMPACT_MOTION_UNIQUE, /* the motion is unique, the impulses are not */
    IMPACT_NOT_UNIQUE     /* the law has no answer, or it made a choice */
};
enum impact_fault {
    IMPACT_FINE,
    IMPACT_INCONSISTENT, /* the law's velocities lie outside the range of G */
    IMPACT_AMBIGUOUS,    /* the velocities depend on how the contacts share the
                            impulses, which is not unique */
    IMPACT_JAMMED,       /* no impulses >= 0 satisfy the law */
    IMPACT_ENDLESS,      /* sequential: contacts still approach at the limit */
    IMPACT_UNSETTLED,    /* an iteration of ours did not converge */
    IMPACT_APPROACHES,   /* contacts approach after each of many impacts */
    IMPACT_NO_STIFFNESS, /* lzb: a contact states none */
    IMPACT_EXPONENTS, /* lzb: they differ, so that stiffnesses have no ratio */
    IMPACT_SOFT       /* lzb: a restitution next to 0 */
};

/* One row: six numbers for each body that the reaction acts on and that an
 * impulse moves. */
struct impact_row {
    uint32_t body[2];
    double b[2][6];
};

/* -- the parts of a solver --------------------------------------------------
 */

/* The Delassus matrix, for unit directions. */
struct impact_delassus {
    double *G;        /* nc x nc */
    bool regular;     /* G was factored, without an SVD */
    int joint_rank;   /* < nr: redundant joints */
    /* of G, and its condition on its range: estimates until
     * impact_solver_measure is called */
    int rank;
    double condition;
    double *null; /* null space: (nc - rank) rows of nc entries, of unit length,
                     in the directions of the caller; valid after
                     impact_solver_measure if not `regular` */
};
/* The contacts before the impact. */
struct impact_approach {
    double *length;     /* of the direction vectors of the caller */
    double *v0, *vsize; /* normal velocity, for unit directions; size of its
                           terms */
    double *e;          /* restitution, for this approach */
    double speed;       /* greatest vsize */
    bool *open;         /* the contact separates */
};
/* What the law decided. */
struct impact_decision {
    enum imp_impact_law law; /* the one used */
    enum impact_fault fault;
    enum impact_uniqueness determined;
    bool some;    /* with IMPACT_MOTION_UNIQUE: these are not the least ones */
    bool applied; /* the law gave a motion; if false, the motion after is that
                     before */
    bool tie; /* law `sequential`: two contacts without priority approach alike
                 and act on each other */
    int tied[2]; /* with tie: the first such two */
    long steps;  /* sequential: single impacts */
};
struct impact_impulses {
    double *P;             /* at the contacts */
    double *load, *unload; /* in compression, in expansion; see `peak` */
    double *xi; /* n_joint x 6: force, moment about `at`, on the first body */
};
/* Velocities before and after, and at the greatest compression. */
struct impact_velocities {
    bool peak;                        /* peak, load, unload are there */
    double *before, *after, *at_peak; /* normal velocities */
    double *residual;                 /* of the law's equations, m/s */
    double *twist;                    /* n_body x 6 after: spin, velocity */
    double *peak_twist;
};
struct impact_balance {
    double energy[2]; /* before, after, of the bodies that can move */
    double gained; /* energy that the impact added, (v0 + v1).P/2 where positive
                    */
    double momentum_error; /* greatest difference, over all bodies, between M dv
                              and the sum of the impulses, relative to the size
                              of its terms */
};

/* The problem, and what is found. The arrays belong to the arena of
 * impact_solver_new. Quantities of a contact refer to the direction vector of
 * the caller, which may have any length. impact_solver_prepare makes
 * `delassus` and `approach`; impact_solver_solve makes what follows them. */
struct impact_solver {
    struct impact_problem in;
    int nc, nr; /* contacts, joint rows */
    struct impact_delassus delassus;
    struct impact_approach approach;
    struct impact_decision decision;
    struct impact_impulses impulse;
    struct impact_velocities velocity;
    struct impact_balance balance;
    struct impact_work *w; /* scratch of the room */
};

/* A solver for problems up to this size (at most IMPACT_CONTACTS_MAX
 * contacts), which serves any number of problems. Its memory belongs to the
 * arena. */
struct impact_solver *impact_solver_new(struct arena *arena, uint32_t n_body,
                                        uint32_t n_contact, uint32_t n_joint);
/* The same for problems of rows, of up to n_row numbers each. */
struct impact_solver *impact_solver_of_rows(struct arena *arena, uint32_t n_row,
                                            uint32_t n_contact);
/* The reactions of a joint from its kind; the directions are normalised here.
 * `user`: n_user rows of six numbers (IMP_JOINT_CONSTRAINT). `plane`: motions
 * in x and y only. False if an axis has no length, or if the two axes of a
 * universal joint are parallel. */
bool impact_joint_rows(struct impact_joint *joint, enum imp_joint_kind kind,
                       const double axis[3], const double axis2[3],
                       const double *user, int n_user, bool plane);
/* The free relative motions of a joint, as screws [spin; velocity at `at`], in
 * the order in which `rate` counts them. Returns their number. */
int impact_joint_free(enum imp_joint_kind kind, const double axis[3],
                      const double axis2[3], bool plane,
                      double free_twist[6][6]);
/* The greatest |S^T eta Q| of the reactions of a joint and n free motions: 0
 * if the reactions do no work on the free motions. */
double impact_joint_check(const struct impact_joint *j, int n, double Q[6][6]);

/* The cosine of the angle between two contacts in the kinetic metric,
 * G_ij/sqrt(G_ii G_jj); 0 if no impulse moves one of them. */
double delassus_cosine(const struct impact_solver *solver, int i, int j);
/* Are two contacts at a right angle in the kinetic metric, within RIGHT_ANGLE?
 * Then an impulse at one does not change the normal velocity at the other. */
bool delassus_orthogonal(const struct impact_solver *solver, int i, int j);
/* Makes G, its rank and the velocities before. `in` must stay as it is while
 * the solver is used. Returns 0, or 1 if an iteration did not converge. */
int impact_solver_prepare(struct impact_solver *solver,
                          const struct impact_problem *in);
/* Makes the exact rank, condition and null space, also where the problem is
 * regular. Returns 0, or 1 if an iteration did not converge. */
int impact_solver_measure(struct impact_solver *solver);
/* Makes impulses, impulses of joints and the motion after, under a law.
 * IMP_IMPACT_UNDECLARED is Newton's law. Where the law has no unique motion
 * nothing is applied (I4): `applied` is false, and `fault` says why. After one
 * impact_solver_prepare the function may be called for one law after the
 * other. */
void impact_solver_solve(struct impact_solver *solver, enum imp_impact_law law);
/* The same where contacts that rest before the impact only push: those whose
 * impulse pulls are let go, and those that approach then are held again. The
 * motion that results does not depend on the order of the search, because this
 * is a complementarity problem with a semidefinite matrix. Where the search
 * does not settle nothing is applied. At least one contact. */
void impact_solver_solve_pushing(struct impact_solver *solver,
                                 enum imp_impact_law law);
/* The impact in which rows stick[i] lose all of their velocity, whatever
 * impulses of either sign that takes, while rows other[i] obey complementarity
 * with their restitution. The rest of the rows take no impulse. Nothing is
 * applied where no impulses do that. */
void impact_solver_solve_sticking(struct impact_solver *solver,
                                  const bool *stick, const bool *other);
/* Takes back a motion that has been found: nothing is applied, and why. */
void impact_solver_refuse(struct impact_solver *solver, enum impact_fault why);
/* Which of the things that `forbid`, a set of IMP_FORBID_..., names happen. */
uint32_t impact_solver_forbidden(const struct impact_solver *solver,
                                 uint32_t forbid);
/* Does a contact separate before the impact? */
bool impact_solver_separates(const struct impact_solver *solver, int contact);
/* The motion after impulses that somebody else has chosen, instead of those of
 * the law: P[0..nc), which refer to the directions of the caller. */
void impact_solver_impose(struct impact_solver *solver, enum imp_impact_law law,
                          const double *P);

#endif
