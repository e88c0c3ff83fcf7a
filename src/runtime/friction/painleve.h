/* SPDX-License-Identifier: MIT */
/* One contact point with friction in the plane, as Champneys and Varkonyi
 * describe it (specification painleve.md, 1 to 6): its coefficients, which
 * modes are consistent, what may happen next, and how its chatter goes on. */
#ifndef IMP_RUNTIME_FRICTION_PAINLEVE_H
#define IMP_RUNTIME_FRICTION_PAINLEVE_H

#include "runtime/friction/friction.h"

struct arena;

/* u' = a + A T + B N, v' = b + B T + C N, of slip u and normal velocity v */
struct painleve_point {
    double A, B, C;          /* 1/kg */
    double a, b;             /* m/s^2 */
    double a_terms, b_terms; /* sizes of what a and b are sums of */
    double mu;
    double mu_static;   /* of a point that sticks; below mu: that is mu, too */
    double slip;        /* m/s */
    double restitution; /* and its law, for chatter */
    enum friction_law law;
};
enum painleve_outcome { /* bits */
                        PAINLEVE_LIFTOFF = 1,
                        PAINLEVE_STICK = 2,
                        PAINLEVE_SLIP_POSITIVE = 4,
                        PAINLEVE_SLIP_NEGATIVE = 8,
                        PAINLEVE_IMPACT = 16 /* impact without collision */
};
struct painleve {
    double D, p_plus, p_minus, k_plus, k_minus, sigma;
    /* Table 2: column 1 (u > 0), 2 (u = 0), 3 (u < 0); row 1 to 6; row 0: a
     * coefficient that decides is 0 */
    int column, row;
    struct friction_choice choice; /* its consistent modes */
    unsigned outcomes;             /* Table 3: painleve_outcome */
    /* The least coefficient of friction with which p is 0 for slip one way or
     * the other: C/|B|; INFINITY where B is 0. */
    double mu_P;
    /* b, p and the edges of the cone: the least share of its terms by which one
     * of those that decide differs from 0 */
    double margin;
    /* The ratio of impact velocities in chatter with loads a and b: below 1
     * infinitely many impacts end in finite time, above 1 they grow (reverse
     * chatter). NAN where b >= 0. */
    double chatter;
    int chatter_region; /* of the impacts, as in struct friction_impact */
};
/* Memory: the arena. */
void painleve_find(struct arena *arena, const struct painleve_point *in,
                   struct painleve *out);
/* Infinitely many impacts of one point that nothing else disturbs. */
struct painleve_bounces {
    double time;  /* until their limit (s) */
    double ratio; /* of each flight to the one before it */
    bool sticks;  /* every impact ends the slip; else none does */
};
/* The point has just been hit: it leaves with the normal velocity `normal` > 0
 * and the slip in->slip, and in->mu is the coefficient of impacts. Does the law
 * say how its impacts go on? It does under constant loads and coefficients,
 * where the slip keeps its direction through all of them, or comes to 0 in
 * each. False: it does not, or there is no limit. */
bool painleve_bounces_find(const struct painleve_point *in, double normal,
                           struct painleve_bounces *out);
/* The same of impacts whose restitution changes with the speed, and whose
 * flights take bounces->time (s) in all: do they go on as if there were no
 * friction? They do where the slip keeps its direction through all of them, or
 * where friction does not act on the gap and each impact ends the slip, as a
 * disc on a floor that it rolls on. Then bounces->sticks is set. */
bool painleve_bounces_apart(const struct painleve_point *in, double normal,
                            struct painleve_bounces *bounces);
/* A choice of modes as runs tell it at one of its contacts. */
struct painleve_verdict {
    const char *verdict; /* of all: as friction_verdict_name; or "jam" */
    const char *cell; /* of a contact that is alone, with friction; else "" */
    double a, b, p_plus, p_minus; /* of the contact by itself */
    /* how near the next boundary is, as a share of its terms; 0 where it is not
     * known: of several contacts without a consistent choice */
    double margin;
};
/* That of point i in the modes that friction_choose has found. terms: 2 n,
 * sizes of what the free accelerations are sums of. */
struct painleve_verdict
painleve_verdict_of(struct arena *arena, const struct friction_instant *in,
                    const double *terms, const struct friction_choice *choice,
                    int i);
/* Returns the name of a cell, such as "I(iii)"; "" where row is 0. */
const char *painleve_cell(const struct painleve *painleve);

/* -- a slip that jams ---------------------------------------------------------
 *
 * In slip the normal force is -b/p, and where p falls to zero, or rises to it
 * from a slip with p < 0 and b > 0, the motion comes to an end in finite time
 * (specification painleve.md, 8). It is not passed:
 * there b is zero, too, and the force grows without bound, or comes to a limit;
 * or, where friction grows as the slip falls, p alone is zero, and the force
 * grows as 1/p. Pieces of the motion come as near to it as p can be told from
 * its rounding; the rest is the limit itself, and its impulse. */

/* The force at a jam has a limit if its exponent is that small: beside a jam
 * with a growing force the exponent is the measured one. */
#define PAINLEVE_JAM_FINITE 1e-3
/* The limit is taken where p is this share of its terms, or this share of the
 * time in which the motion changes is left. p is known to 1e-16 of its terms,
 * so 1e-7 of it is right there; the time that is left is then right to 1e-12 of
 * the time in which p changes, or better. */
#define PAINLEVE_JAM_SHARE 1e-9
/* A force that goes as a power of what is left does so to this share; the rest
 * is the regular part. */
#define PAINLEVE_JAM_AGREES 1e-2

/* What comes to 0 at the end of a slip, with its rounding. */
struct painleve_jam_end {
    double jam;  /* b, so that the impulse stays finite where p comes to 0 in
                    time; or p itself, where the coefficient of friction grows as
                    the slip falls, and the impulse alone brings p to 0 */
    double slip; /* m/s, with its sign */
    double jam_small, slip_small;
};
/* The last of a slip, of whoever has it. */
struct painleve_last {
    void *context;
    double sign; /* of the slip */
    /* Gives `more` of the impulse along the force of slip, per unit of its
     * normal part. Status. */
    int (*load)(void *context, double more);
    /* Reads what is there then. False: it is not determined. */
    bool (*read)(void *context, struct painleve_jam_end *end);
    double given; /* the impulse so far, along the normal */
    bool limit;   /* an impulse leads to the limit, or to the end of the slip */
    bool stops;   /* the slip comes to rest before the jam, and is there */
};
/* Takes the state to the limit, or to where the slip comes to rest if that is
 * before. first >= 0: the present force times the time that is left; 0: the
 * state is there. Status of `load`. */
int painleve_jam_limit(struct painleve_last *last, double first);
/* What is told there: p is 0, and b, unless friction has grown as the slip fell
 * (by_slip); it lies on the boundary. Of `in` a, b, B, C, mu and the sign of
 * slip are read. */
struct painleve_verdict painleve_jam_verdict(const struct painleve_point *in,
                                             bool by_slip);
/* How the normal force goes there, as a part of a sentence. force: its limit,
 * or NAN where it is not known. Memory: the arena. */
const char *painleve_jam_force(struct arena *arena, double exponent,
                               double force);

/* -- two points --------------------------------------------------------------
 *
 * Two contacts that slip, as Varkonyi classifies them (specification
 * painleve.md, 12): their class, whether it is stable that both, or one, push
 * where the contacts are a little compliant, and at which impacts without
 * collision are possible. Which modes are consistent friction_choose says. */

/* The acceleration of gap i is b[i] + sum over j of p[2 i + j] times the normal
 * force at j, whose friction is that of its slip. */
struct painleve_two_in {
    double p[4], b[2];
    double p_terms[4], b_terms[2]; /* sizes of what they are sums of; 0: they
                                      are exact */
};
enum painleve_two_mode { /* in this order */
                         PAINLEVE_FF,
                         PAINLEVE_SS,
                         PAINLEVE_SF,
                         PAINLEVE_FS,
                         PAINLEVE_TWO_MODES
};
enum painleve_stability {
    PAINLEVE_STABLE,
    PAINLEVE_UNSTABLE,
    PAINLEVE_UNDECIDED /* it depends on stiffness and damping, however stiff;
                          or a coefficient that decides is 0 */
};
struct painleve_two {
    /* s1 s2 s3: 1 to 4, 1 to 6, 1 to 6; all 0: a vector lies on a border */
    int class[3], dual[3];
    enum painleve_stability stability[PAINLEVE_TWO_MODES];
    /* The consistent modes depend on signs: the least share of its terms by
     * which a number differs from 0 that would change them. */
    double margin;
    bool first, second, both; /* impacts IF, FI; II where it may be */
};
void painleve_two_find(const struct painleve_two_in *in,
                       struct painleve_two *out);
/* Eigenvalues (real, imaginary; 4 of them) of the fast motion where both slip
 * and the contacts have the stiffnesses k and dampings q, all > 0:
 * y'' = -p (k y + q y'). False: the iteration has not come to an end. */
bool painleve_two_eigenvalues(struct arena *arena,
                              const struct painleve_two_in *in,
                              const double k[2], const double q[2],
                              double out[8]);

#endif
