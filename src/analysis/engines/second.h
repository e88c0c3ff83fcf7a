/* SPDX-License-Identifier: MIT */
/* Inside this room: the run of the second engine. Calls go down this list:
 *
 *   command.c      the command `simulate`: which engine
 *   comparison.c   by how much two runs differ
 *   second.c       from event to event
 *   bodies.c, systems.c  events of bodies, of systems
 *   watched.c      the functions that are watched
 *   state.c        the state as a vector, its rates
 *   system_instant.c  a system at one instant: masses, gaps, forces */
#ifndef IMP_ANALYSIS_ENGINES_SECOND_H
#define IMP_ANALYSIS_ENGINES_SECOND_H

#include "analysis/engines/gsl_api.h"
#include "analysis/simulate/simulate_priv.h"

/* Heights of bounces up to this share of a contact's length are no longer
 * followed: the contact is closed. A hundred times what the tolerance and the
 * rounding of the state leave of a gap. */
#define SECOND_FLOOR 1e-12
/* Points nearer than so many tolerances of the gap are at one place: held
 * points are let go sooner beyond a side than that (SIDE_LAG of watched.c). */
#define SECOND_THERE 512.0
/* A rate up to this share of the speeds is none, as in analysis/simulate. */
#define SECOND_STILL 1e-9

/* So many impacts of bodies within SECOND_CROWDED of the run's time have no
 * flights between them that could be told apart: bodies are squeezed. */
#define SECOND_CROWD 16
#define SECOND_CROWDED 1e-12
/* The last impacts of a system that are remembered. */
#define SECOND_IMPACTS 32

/* one number of the state vector */
struct second_number {
    uint32_t env, block, row;
};

/* a contact of the model */
struct second_contact {
    double length;      /* what its gap is measured against, m or its unit */
    double speed;       /* the same for its rate */
    double since;       /* its greatest gap since the last impact */
    double last;        /* time of the last impact, s */
    uint64_t beside[2]; /* vertices (by their number, up to 63) that came down
                           beside a face of body 0, 1 at which they are held */
    double flight;      /* the flight before it, s; 0: not known */
    double seen[2];     /* the last two flights that no crowd has, of bodies */
    long impacts;
};

/* A system at one instant. Matrices by rows; N: gradients of the gaps. */
struct second_system {
    uint32_t number, n, m;
    double *mass, *N, *B, *G; /* n n (factored), m n, m n (M^-1 N^T), m m */
    int *pivot;               /* n, and m for forces */
    double *gap, *rate;       /* m */
    double *bend;   /* m: second derivatives of the gaps without forces, */
    double *beyond; /* and the first of their derivatives that is not zero */
    double *force;  /* m: of held contacts, at the last rates */
    double *work;
    bool *held; /* m: contacts that stay closed and push */
    /* the last impacts, the latest one first */
    double impact_time[SECOND_IMPACTS];
    uint32_t impact_at[SECOND_IMPACTS]; /* contacts, within the system */
    long n_impacts;
};

enum watched_kind {
    WATCHED_GAP,     /* of bodies */
    WATCHED_OVERLAP, /* of bodies let through: minus the gap */
    WATCHED_FORCE,   /* of a held point of bodies */
    WATCHED_VERTEX,  /* a vertex over a face at which a point is held */
    WATCHED_SIDE,    /* distance of a held point from the sides of its face */
    WATCHED_HELD,    /* the gap of a contact at which a point is held */
    WATCHED_SYSTEM_GAP,
    WATCHED_SYSTEM_FORCE /* of a held contact of a system */
};
struct watched {
    enum watched_kind kind;
    uint32_t contact;        /* of the model */
    int point;               /* FORCE, SIDE: number of the held point */
    struct contact_point at; /* VERTEX: it, over its face */
    uint32_t which;          /* SIDE: which side */
    double lag; /* SIDE: how far beyond the side a point counts as gone, HELD:
                   how far below 0 the gap is an overlap, m */
};

struct second {
    struct simulation *sim;
    struct rt *run;
    const struct gsl_api *api;
    struct gsl_engine *engine;
    struct gsl_motion motion;
    double *y;
    struct second_number *number;
    struct gsl_number *sizes;
    uint32_t
        *of_env; /* per entry of the state in env: its number, or IMP_WORLD */
    struct second_system *system; /* per system of the model */
    struct second_contact *contact;
    struct watched *watched; /* motion.n_watch */
    size_t room;             /* for watched functions */
    /* the last impacts of bodies: times, the latest one last, and how many */
    double impact_time[SECOND_CROWD];
    long n_impacts;
    struct diags *quiet; /* messages of attempts that may fail */
};

/* -- system_instant.c: all return a status ------------------------------------
 */

/* The memory for all systems, in that of the run. */
void second_systems_new(struct second *second);
/* Masses, gaps, their rates and gradients at the present state; `bend` where it
 * is asked for. */
int second_instant(struct second *second, struct second_system *system,
                   bool bend);
/* The first coefficient of each gap beyond its rate that is not zero, without
 * forces: into `beyond`, as a length. */
int second_tendencies(struct second *second, struct second_system *system);
/* The forces of held contacts, after second_instant with `bend`. */
int second_forces(struct second_system *system);
/* velocities += B lambda, n and m numbers */
void second_push(const struct second_system *system, const double *lambda,
                 double *velocity);

/* -- state.c ------------------------------------------------------------------
 */

/* the numbers of the state vector, and their sizes */
void second_state_new(struct second *second);
void second_read(struct second *second); /* env to y */
int second_write(struct second *second, double t, const double *y);
/* Series of all blocks to this order, 1 or 2, at the present state. */
int second_rows(struct second *second, int order);
int second_rates(void *ctx, double t, const double *y, double *rate);
/* after a step: ends what lies in run->brief */
int second_place(void *ctx, double t, double *y);
/* Moves y onto what joints and closed contacts allow. */
int second_close(struct second *second, double t, double *y);
/* for expressions of the user: which contacts of systems are closed */
void second_tell_held(struct second *second, bool on);

/* -- watched.c ----------------------------------------------------------------
 */

/* Makes the list of watched functions for the present state. */
int second_watch(struct second *second);
int second_look(void *ctx, double t, const double *y, double *value,
                double *rate);

/* -- bodies.c, systems.c
 * ------------------------------------------------------- */

/* Contacts of bodies at time 0, or where a gap came to zero: impacts, touches,
 * what stays closed. `due`: the contact of the event, or IMP_WORLD. */
int second_bodies_touch(struct second *second, uint32_t due, bool falls);
/* Something else happened at a held point. */
int second_bodies_change(struct second *second, const struct watched *what);
int second_system_touch(struct second *second, uint32_t system, uint32_t due,
                        bool falls);
int second_system_change(struct second *second, uint32_t due);

/* Ends the run in plain words: what cannot be followed at this contact. */
int second_cannot(struct second *second, uint32_t contact, const char *why);
/* How bounces end that are too low to be followed. Steps are as exact as such
 * bounces are high, so each may be missed, or be as long as the highest. */
struct second_end {
    double remaining; /* the time until they end, s */
    double ratio;     /* of each flight to the one before */
    double unseen;    /* the longest flight that is not followed, s */
};
/* Records the limit of bounces at these contacts, which are closed now. */
void second_limit(struct second *second, const uint32_t *contacts, uint32_t n,
                  const struct second_end *end, size_t events_before);

/* -- second.c
 * ------------------------------------------------------------------ */

/* Follows the whole run by these steps, errors up to `tolerance` of the sizes
 * in each, and fills the rows and events of sim. A status. */
int second_run(struct simulation *sim, const struct gsl_api *api,
               double tolerance);

/* -- comparison.c
 * ---------------------------------------------------------------- */

/* How sentences name two runs that are compared, and what such a run is. */
struct comparison_names {
    const char *other, *own, *kind;
};

/* Puts into the record by how much the run `own`, whose record it is, and the
 * run `other` differ. ended: why the latter came to an early end, or NULL. */
void comparison_put(const struct simulation *other,
                    const struct simulation *own,
                    const struct comparison_names *names, const char *ended,
                    struct record *out);

#endif
