/* SPDX-License-Identifier: MIT */
/* Impact of any number of bodies at any number of contacts and joints, at one
 * instant (Dragna, Pandrea & Stanescu; spec screws.md). Plain structs in world
 * axes: whoever has bodies can ask, without a model.
 *
 * Every reaction is a screw [force; moment]; on a body with inverse mass 1/m
 * and inverse inertia C C^T (both world axes) it stands for the six numbers
 * [force/sqrt(m); C^T moment about the mass centre], so that
 *     A_ij = row_i . row_j                (S^T eta M^-1 S and so on)
 * over joints and contacts alike. Eliminating the joints leaves
 *     G = sum_b U_b^T eta Q_b Mred_b^-1 Q_b^T eta U_b     (spec 1.A)
 * for any graph, loops included, and dropped pivots are redundant joints.
 *
 * Signs: impulse P acts on the second body along `dir`, on the first against
 * it; v = dir.(v_second - v_first): approach is negative. So G P = v_after -
 * v_before (spec 1.B with v = -v_12n).
 *
 * Two ways: the regular one factors (sparse rows, an envelope, no heap); where
 * its smallest pivot ratio says that digits are lost, joints are orthogonalised
 * (QR) and what is left of the contacts goes through an SVD, which does not
 * square the condition. */
#ifndef IMP_RUNTIME_IMPACT_IMPACT_H
#define IMP_RUNTIME_IMPACT_IMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/image.h"

struct arena;

/* kg, m, s, world axes, matrices row-major 3 x 3 */
struct impact_body {
    double mass, inroot[9]; /* D with D D^T the inertia about the mass centre;
                                only for energy and balances; 0 if nothing moves
                                it. Of a needle that spins fast about its axis
                                the inertia itself would keep no energy */
    double invmass;         /* 0: nothing moves it */
    double root[9];         /* C with C C^T the inverse inertia */
    double centre[3];
    double spin[3], vel[3]; /* before; also of prescribed bodies */
};
struct impact_contact {
    uint32_t body[2];  /* IMP_WORLD possible */
    double p[3], q[3]; /* the point, as one of the first, of the second body */
    double dir[3];     /* of any length > 0 */
    double recede;     /* surfaces that move over their bodies part at this
                          speed, along the unit direction */
    double e;          /* restitution */
    double priority;   /* sequential: smaller goes first; INFINITY: none */
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
    /* directions of impulse closer than this (relative) count as dependent:
     * accuracy of the data; 0: rounding alone */
    double tolerance;
};

/* most contacts in one impact */
#define IMPACT_CONTACTS_MAX 256

enum impact_uniqueness {
    IMPACT_UNIQUE,        /* impulses and motion are unique */
    IMPACT_MOTION_UNIQUE, /* the motion is unique, the impulses are not */
    IMPACT_NOT_UNIQUE     /* the law has no answer, or a choice was made */
};
enum impact_fault {
    IMPACT_FINE,
    IMPACT_INCONSISTENT, /* the law's velocities lie outside the range of G */
    IMPACT_AMBIGUOUS,    /* the law's velocities depend on how impulses share */
    IMPACT_JAMMED,       /* complementarity: no impulses >= 0 will do */
    IMPACT_ENDLESS,      /* sequential: contacts still approach at the limit */
    IMPACT_UNSETTLED     /* an iteration did not converge: our own limit */
};

/* one row: the six numbers per body that it touches and an impulse moves */
struct impact_row {
    uint32_t body[2];
    double b[2][6];
};

/* What is asked for and found. Arrays belong to the arena of impact_solver_new.
 * Per contact in the user's direction vectors (any length). */
struct impact_solver {
    struct impact_problem in;
    int nc, nr; /* contacts, joint rows */
    /* impact_solver_prepare */
    double *G;          /* nc x nc, of unit directions */
    double *length;     /* of the direction vectors */
    double *v0, *vsize; /* normal velocity before (unit directions), its terms'
                           size */
    double speed;       /* greatest vsize */
    bool *open;       /* separates: Newton's and Poisson's laws leave it out */
    bool regular;     /* joints and contacts were factored, no SVD */
    int joint_rank;   /* < nr: redundant joints */
    int rank;         /* of G */
    double condition; /* of G on its range; regular: an estimate, until
                         impact_solver_measure is called */
    double *null;     /* (nc - rank) rows of nc, unit length, user's
                         directions; valid when !regular */
    /* impact_solver_solve */
    enum imp_impact_law law; /* the one used */
    enum impact_fault fault;
    enum impact_uniqueness determined;
    bool applied; /* a motion after exists; otherwise it equals that before */
    bool tie;     /* sequential: contacts that approach alike and influence
                     each other, without priority */
    int tied[2];  /* with tie: the first such two */
    bool peak;    /* peak, load, unload are there */
    long steps;   /* sequential: single impacts */
    double *P;    /* impulses */
    double *load, *unload;
    double *before, *after, *at_peak; /* normal velocities */
    double *residual;                 /* of the law's equations, m/s */
    double *twist;                    /* n_body x 6 after: spin, velocity */
    double *peak_twist;
    double *xi;       /* n_joint x 6: force, moment about `at`, on the first
                         body */
    double energy[2]; /* before, after, of the bodies that can move */
    double gained;    /* energy raised, from the terms: (v0 + v1).P/2 when
                         positive */
    double momentum_error; /* greatest of all bodies: M dv against the sum of
                              its impulses, relative to its terms */
    /* inside */
    struct impact_work *w;
};

/* memory for problems up to this size; may be used again and again */
struct impact_solver *impact_solver_new(struct arena *arena, uint32_t n_body,
                                        uint32_t n_contact, uint32_t n_joint);
/* rows of a joint from its kind; directions are normalised here. `user`: n_user
 * rows of six (IMP_JOINT_CONSTRAINT). plane: motions in x, y only. False: an
 * axis has no length (or the two axes of a universal joint are parallel). */
bool impact_joint_rows(struct impact_joint *j, enum imp_joint_kind kind,
                       const double axis[3], const double axis2[3],
                       const double *user, int n_user, bool plane);
/* the free relative motions of a joint: screws [spin; velocity at `at`] that
 * `rate` counts; returns how many */
int impact_joint_free(enum imp_joint_kind kind, const double axis[3],
                      const double axis2[3], bool plane, double Q[6][6]);
/* greatest |S^T eta Q| of a joint's rows and free motions */
double impact_joint_check(const struct impact_joint *j, int n, double Q[6][6]);

/* cosine of the kinetic angle between two contacts, G_ij/sqrt(G_ii G_jj); 0 if
 * nothing moves one of them */
double delassus_cosine(const struct impact_solver *solver, int i, int j);
/* at a right angle, to RIGHT_ANGLE: an impulse at one leaves the other as it is
 */
bool delassus_orthogonal(const struct impact_solver *solver, int i, int j);
/* G, rank, velocities before. 0, or 1 when an iteration failed. */
int impact_solver_prepare(struct impact_solver *solver,
                          const struct impact_problem *in);
/* exact rank, condition and null space also where the problem is regular */
int impact_solver_measure(struct impact_solver *solver);
/* impulses, joint impulses, motion after. UNDECLARED is Newton's law. Where
 * the law has no unique motion nothing is applied (I4): applied is false, fault
 * says why. May be called for one law after the other. */
void impact_solver_solve(struct impact_solver *solver, enum imp_impact_law law);

#endif
