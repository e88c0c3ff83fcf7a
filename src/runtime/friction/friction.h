/* SPDX-License-Identifier: MIT */
/* Coulomb friction in the plane at one instant: which contact modes are
 * consistent, and what an impact does. The structs hold plain numbers: bodies,
 * systems and joints all ask here.
 *
 * Each point has two rows, the normal one (2 i) and the tangential one
 * (2 i + 1). W (2 n x 2 n, row-major, symmetric, positive semidefinite) says
 * what a unit force in one row does to the acceleration of another; in the
 * notation of Champneys and Varkonyi (specification painleve.md, 1) it has the
 * blocks C = W[N,N], B = W[N,T], A = W[T,T]. Positive normal force pushes the
 * gap open. The tangential force T acts along the slip velocity: while the
 * point slips, T = -mu N sign(slip). Units: N, m/s, m/s^2, or the units of the
 * system. */
#ifndef IMP_RUNTIME_FRICTION_FRICTION_H
#define IMP_RUNTIME_FRICTION_FRICTION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/laws.h"

struct arena;

enum contact_mode {
    CONTACT_FREE,          /* no force; the gap may open */
    CONTACT_SLIDE,         /* a force along the normal; mu is 0 */
    CONTACT_STICK,         /* no slip; |T| <= mu_static N */
    CONTACT_SLIP_POSITIVE, /* slips, or begins to slip, forward: T = -mu N */
    CONTACT_SLIP_NEGATIVE  /* the same backward: T = +mu N */
};
const char *contact_mode_name(enum contact_mode mode);

/* What was found for choices and impacts, for whoever asks the same again and
 * again, in an arena, which lives as long as whatever is read of an answer. */
struct friction_memory;
struct friction_memory *friction_memory_new(struct arena *arena);

/* -- the choice of modes ----------------------------------------------------
 */

/* A point whose gap and normal velocity are 0. */
struct friction_point {
    double mu_static, mu_dynamic; /* both 0: without friction */
    double slip; /* m/s; exactly 0: the point does not slip now */
    bool held;   /* it had the mode `before` until now */
    bool ended;  /* that mode has just ended: its force, its distance to the
                    cone of friction or its slip has come to 0 */
    enum contact_mode before;
    bool given;    /* a compliant contact: its normal force is known, and the
                      acceleration of its gap is not looked at */
    double normal; /* that force, >= 0 */
    bool varies;   /* coefficients that are both 0 now do not stay so: it sticks
                      or slips all the same */
    double fuzz;   /* of a force that is given: its rounding */
};
struct friction_instant {
    int n;
    const struct friction_point *point;
    const double *W;     /* 2 n x 2 n */
    const double *free;  /* 2 n: accelerations without forces of contacts */
    const double *terms; /* 2 n: sizes of the terms of which `free` is the sum;
                            their rounding errors are shares of these */
    bool brief; /* where the modes of before go on, other motions are not looked
                   for; the verdict is NOT_SHOWN then */
    bool inner; /* forces that are not unique, of a motion that is, are not the
                   least ones but keep off the edges of their cones, as far as
                   they can */
    const double *near; /* 2 n: nor the least ones, but the nearest to these;
                           NULL: none are stated */
    struct friction_memory *memory; /* of friction_choose; NULL: none */
};
enum friction_verdict {
    FRICTION_UNIQUE,    /* one motion */
    FRICTION_SHARED,    /* one motion; how the points share the forces is not
                           unique, and those of least norm are given */
    FRICTION_LOADS,     /* the motion depends on how the points share the loads
                           ("indeterminate (loads)") */
    FRICTION_SEVERAL,   /* several motions ("indeterminate"): all are listed */
    FRICTION_NONE,      /* no motion ("inconsistent") */
    FRICTION_NOT_SHOWN, /* a motion was found, not shown to be the only one */
    FRICTION_UNKNOWN    /* none was found, not shown that there is none */
};
/* Is a motion taken after this verdict? */
static inline bool
friction_applies(enum friction_verdict verdict)
{
    return verdict == FRICTION_UNIQUE || verdict == FRICTION_SHARED ||
           verdict == FRICTION_LOADS || verdict == FRICTION_NOT_SHOWN;
}
const char *friction_verdict_name(enum friction_verdict verdict);
/* Why a run stops there, as half a sentence. */
const char *friction_verdict_cause(enum friction_verdict verdict);
/* One consistent choice of modes; n entries each, `acc` 2 n. */
struct friction_set {
    enum contact_mode *mode;
    double *normal, *tangential; /* forces */
    double *acc;                 /* accelerations of the rows */
    bool shared; /* how the points share these forces is not unique */
};
/* most sets that are listed */
#define FRICTION_SETS_MOST 16
/* Up to this many choices of modes all are tried: those of six points at rest.
 */
#define FRICTION_CHOICES_TRIED 4096L
struct friction_choice {
    enum friction_verdict verdict;
    int n;     /* sets that are listed: their motions differ */
    int taken; /* the set that goes on: the only one, or the one that was
                  consistent until now and still is; -1: nobody has chosen */
    struct friction_set set[FRICTION_SETS_MOST];
    double margin; /* how far the taken set is from the nearest boundary of its
                      inequalities, as a share of their terms; 0 on it */
    bool roomy; /* the forces of the taken set are not unique, and some of them
                   are off all edges */
    double apart; /* FRICTION_LOADS: by how much accelerations differ that were
                     found where joints are loaded in two ways */
    const struct friction_instant *of; /* FRICTION_LOADS: what was asked */
    const struct mode_result *result;  /* for friction_choose_near; or NULL */
};
/* Do all of several motions that are listed hold this point alike? */
bool friction_choice_alike(const struct friction_choice *choice, int point);
/* Chooses the modes of n points. Memory: the arena. */
void friction_choose(struct arena *arena, const struct friction_instant *in,
                     struct friction_choice *out);
/* The same once more, after `choice` has been made of what differs from `in` in
 * what is `near` alone: modes that obey the law are not searched for anew. */
void friction_choose_near(struct arena *arena,
                          const struct friction_instant *in,
                          struct friction_choice *choice);
/* FRICTION_LOADS: by how much accelerations may differ at most; or some number
 * above `enough` if that is more, at a part of the cost: linear programs tell,
 * four for each point. Memory: the arena. */
double friction_spread(struct arena *arena,
                       const struct friction_choice *choice, double enough);

/* A joint with friction stands for a point, the last ones of a list: its row N
 * is 0, and the force `given` there is its grip, the size of a force on which
 * other forces act: load + by f, where f are the forces of all rows. */
struct friction_grip {
    bool bush; /* the greater of both entries, else the length of the vector */
    double load[2];
    const double *by[2]; /* 2 n each */
};
/* friction_choose where the last n_grip points are joints, whose `normal` is
 * found, too, and written to `point` (n, that of in). A choice that is listed
 * was found with one of the grips of the others, when several are. Where grips
 * come to no end the verdict is UNKNOWN; where they come to several, SEVERAL.
 */
void friction_choose_gripped(struct arena *arena,
                             const struct friction_instant *in,
                             struct friction_point *point, int n_grip,
                             const struct friction_grip *grip,
                             struct friction_choice *out);

/* What rounding alone does to the acceleration of a row, whose own terms may be
 * 0: all rows are made of the same accelerations of the coordinates, so the
 * greatest of them, in the norm of the energy, rounds each. */
double friction_row_noise(const struct friction_instant *in, int row);
/* Between which bounds the forces may lie where a choice has many (SHARED,
 * LOADS), as its modes allow them. */
struct friction_range {
    double normal[2]; /* least and greatest normal force; -+INFINITY: none */
    double tangential[2]; /* the same along the tangent */
    double slip[2];       /* of the acceleration of the slip */
    double opens[2];      /* and of that of the gap */
};
/* n entries into range, for a set that friction_choose has found for `in`. */
void friction_ranges(struct arena *arena, const struct friction_instant *in,
                     const struct friction_set *set,
                     struct friction_range *range);

/* The forces of the modes of `set` at this instant, and its accelerations.
 * False: the modes do not obey the law. Memory: the arena. */
bool friction_forces_of(struct arena *arena, const struct friction_instant *in,
                        const struct friction_set *set,
                        struct friction_set *out);

/* What goes on where forces are at edges of their cones. */
struct friction_going {
    struct friction_set set; /* modes, and forces of this instant */
    double *drift;           /* 2 n: how these grow */
    double
        span; /* for which modes and forces obey the law, to the first order */
};
/* Modes that obey the law at this instant and from then on, where the
 * accelerations `free` grow by `rate` (2 n). False: none were found. */
bool friction_goes_on(struct arena *arena, const struct friction_instant *in,
                      const double *rate, struct friction_going *out);

/* For how long forces of a choice that friction_choose has found can go on to
 * keep its inequalities: each of them falls by no more than its rate (2 n: of
 * the normal force, and of the distance of the friction from its cone), and the
 * forces are shared so that this is as long as possible. Below 0: it is kept to
 * rounding alone, and was exactly so long ago; INFINITY: for ever. */
double friction_room(struct arena *arena, const struct friction_instant *in,
                     const struct friction_set *set, const double *rate);

/* Forces of a choice of modes that are not unique: moves them to those that
 * obey the law for as long as they can, while they change by `rate` (2 n,
 * N/s), and keep off the edges of their cones until a little before that end.
 * Right before it they come to the edges at the end itself; again: that has
 * been taken, and did not last. False: that is not longer than `soon` (s), and
 * they stay. */
bool friction_lasting(struct arena *arena, const struct friction_instant *in,
                      const double *rate, double soon, bool again,
                      struct friction_set *set);

/* -- impacts ----------------------------------------------------------------
 */

enum friction_law { /* of restitution */
                    FRICTION_NEWTON,
                    FRICTION_POISSON,
                    FRICTION_ENERGETIC
};
/* Restitution that depends on the speed of approach: of the contact with this
 * number, for this speed. */
struct impact_restitution {
    double (*of)(void *context, uint32_t contact, double approach);
    void *context;
};
/* An impact law of a user's own. Gives the normal impulse and the tangential
 * one for the arguments approach, slip, restitution, mu, A, B, C. False: it
 * gives none, or one that no contact can give; a diagnostic says so. */
struct impact_own_law {
    bool (*impulse)(void *context, uint32_t contact, const double argument[7],
                    double impulse[2]);
    void *context;
};
/* A point that takes part in an impact: its gap is 0. */
struct friction_impact_point {
    double mu, e;
    /* FRICTION_SEQUENTIAL: the restitution of each impact in the sequence; NULL
     * where it is e in all of them */
    const struct impact_restitution *varies;
    const struct impact_own_law *own; /* NULL: `law` says what happens */
    uint32_t contact;                 /* its number for `varies` and `own` */
    enum friction_law law;
    double normal, slip; /* velocities before; normal < 0: approach */
    double priority;     /* sequential: the smaller one goes first */
    /* A joint with friction, which is no point; they come last. Its `normal` is
     * 0, and its friction follows from what loads it (the load of the grip is
     * 0); NULL: a point. mu_static: of a joint, in the process. */
    const struct friction_grip *grip;
    double mu_static;
};
struct friction_impact {
    int region; /* of one point: 1 to 10 as in painleve.md 4; 0: no impact */
    double normal[2];  /* impulses of compression and of restitution */
    double tangential; /* impulse */
    double after[2];   /* normal velocity, slip after the impact */
    double work[2];    /* done by the normal and by the tangential impulse */
};
/* One point: the impulse process in closed form (painleve.md 4). A = W[T,T],
 * B = W[N,T], C = W[N,N]. */
void friction_impact_one(double A, double B, double C,
                         const struct friction_impact_point *point,
                         struct friction_impact *out);

enum friction_several { /* how several points share an impact */
                        FRICTION_SEQUENTIAL,      /* one after the other by
                                                     friction_impact_one */
                        FRICTION_COMPLEMENTARITY, /* Moreau: at each point the
                                                     normal velocity after + e
                                                     before, and the slip after,
                                                     obey Signorini's and
                                                     Coulomb's laws with
                                                     impulses */
                        FRICTION_TWO_PHASES,      /* Glocker and Pfeiffer:
                                                    compression      to velocities
                                                    that      obey the laws,      then e
                                                    times its      impulses come      back
                                                    (Poisson) */
                        FRICTION_PROCESS, /* one point approaches, and others
                                            rest: the process of
                                            friction_impact_one, to which they
                                            answer as to forces. It adds no
                                            energy under Poisson's and the
                                            energetic law of that point. */
                        FRICTION_ENERGETIC_PHASES /* compression as in two
                                                     phases; then e times its
                                                     impulses come back, all
                                                     times one factor, so that
                                                     together they do e^2 of the
                                                     work of compression at each
                                                     point */
};
struct friction_impact_several {
    enum friction_verdict verdict; /* as for accelerations */
    double *impulse;               /* 2 n */
    double *after;                 /* 2 n: velocities of the rows */
    double *work;  /* n: of the tangential impulses, as the law has them act */
    double energy; /* change of the kinetic energy, <= 0 if none is gained */
    long steps;    /* sequential: single impacts */
    double still;  /* sequential: what the impacts that were left out would have
                      changed in a velocity, at most; else 0 */
    bool tie;      /* sequential: two points that act on each other had the
                      same claim; the first one went first */
    double apart;  /* complementarity, FRICTION_SEVERAL: by how much velocities
                      of the motions that obey the law differ, of which this is
                      the one that takes most energy; else 0 */
};
/* Several points with rows W as above. FRICTION_PROCESS needs one point that
 * approaches (else the verdict is UNKNOWN). memory: may be NULL. Memory: the
 * arena. */
void friction_impact_at(struct arena *arena, int n, const double *W,
                        const struct friction_impact_point *point,
                        enum friction_several how,
                        struct friction_memory *memory,
                        struct friction_impact_several *out);

/* -- one law for whoever has an impact ---------------------------------------
 */

struct friction_group_impact {
    const struct friction_impact_point *point; /* n: as given */
    enum friction_verdict verdict; /* SHARED, LOADS or NOT_SHOWN where that is
                                      so of some points; else UNIQUE */
    const char *why; /* NULL: applied; else why the motion is not determined;
                        static text */
    bool unstated;   /* why: the world's law does not say what several points
                        do */
    bool held;       /* why: what hits cannot part, as joints hold the gap */
    bool loads;      /* the motion depends on how points share the impulses;
                        those of least norm are taken */
    bool tie;        /* sequential: points with the same claim, taken in turn */
    double apart;    /* > 0: several motions obey complementarity, whose
                        velocities differ by up to so much (m/s), and one of
                        those that take most energy has been taken */
    bool may_gain;   /* a law that was used may add energy */
    double energy;   /* change of the kinetic energy */
    double gain;     /* > 0: energy that was added, beyond rounding */
    double *impulse, *after; /* 2 n */
    double *work;            /* n: of the tangential impulses */
    double *stuck; /* n: > 0 where the slip after is exactly 0; a slip that is
                      read from the velocities of the bodies then is rounding
                      up to this speed */
    int *region; /* n: of a point that is hit and acts on no other one, 1 to 10
                    (painleve.md 4); else 0 */
    enum friction_several *how; /* n: by which law; FRICTION_PROCESS where the
                                   point's own law says what happens */
};
/* The law of restitution of a point: the world's, if that is one; else what its
 * contact states (`stated`); a bare number means the energetic law. */
enum friction_law friction_law_of_point(enum imp_impact_law world,
                                        enum imp_law own, bool stated);
/* The impact at n points under the law of the world. Points that do not act on
 * each other are impacts of their own. A point that approaches while others
 * rest follows its own law of restitution, if the world states no law for
 * several (complementarity, poisson; sequential). Where several approach and
 * the world's law does not say what they do, complementarity and two phases
 * have to agree. memory: may be NULL. Memory: the arena. */
void friction_impact_group(struct arena *arena, int n, const double *W,
                           const struct friction_impact_point *point,
                           enum imp_impact_law law,
                           struct friction_memory *memory,
                           struct friction_group_impact *out);
/* The same where motions whose velocities differ by no more than `alike` (m/s)
 * count as one: of several that obey complementarity the one is taken that
 * takes most energy. */
void friction_impact_alike(struct arena *arena, int n, const double *W,
                           const struct friction_impact_point *point,
                           enum imp_impact_law law, double alike,
                           struct friction_memory *memory,
                           struct friction_group_impact *out);

#endif
