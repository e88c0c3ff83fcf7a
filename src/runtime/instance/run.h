/* SPDX-License-Identifier: MIT */
/* A run: one compiled model with values of its params, its environment and its
 * state. Several runs may exist at once, one thread each. How a run begins:
 * runtime/setup/new_run.h. */
#ifndef IMP_RUNTIME_INSTANCE_RUN_H
#define IMP_RUNTIME_INSTANCE_RUN_H

#include <stdatomic.h>
#include <stdbool.h>

#include "abi/image.h"
#include "abi/status.h"
#include "base/diag.h"
#include "base/num.h"

struct arena;
struct polytope;
struct system_run;
struct record;
struct trace;
struct contact_table;

/* Machine code that comes when it pays (docs/architecture.md). The evaluator's
 * work is counted in the units of run.c; when rt_tier_due says so, `more` is
 * asked. It returns the code, or NULL and a higher limit. For one thread. */
struct rt_tier {
    double spent, limit; /* limit: what the code costs */
    /* of a command that knows how far it is: the work that is still to come,
     * and `spent` at its beginning */
    bool foreseen;
    double ahead, from;
    /* of one run of many: how far that run is says nothing of the work ahead,
     * and nothing is foreseen */
    bool part;
    const imp_code *(*more)(struct rt_tier *t);
};

/* Does it pay to ask for the code now? */
bool rt_tier_due(const struct rt_tier *tier);

/* Fills the slots of env that the model itself reads (imp_image.given), once
 * the params are there: numbers that are made of data. Returns enum imp_status.
 * One may serve several runs, in threads of their own. */
struct rt;
struct rt_given {
    int (*fill)(struct rt *run, const void *ctx);
    const void *ctx;
};

/* Rows of series (runtime/tape/eval.h). */
struct rt_rows {
    double **block;   /* per block: of its motion */
    double **contact; /* per contact: of its event tape, see rt_gap_tape; NULL
                         between bodies that never came near */
    double **opening; /* per contact: of its opening tape, or NULL */
};
/* Where searches for closest points begin: at the last ones. */
struct rt_closest {
    double *unknowns;    /* per contact 8 numbers: its last closest points */
    unsigned char *warm; /* per contact: does `unknowns` hold closest points? */
    struct closest_points_memo
        *smooth; /* per contact: smooth_smooth.c's last answer */
    struct polytope_contact_memo
        *polytope; /* per contact: polytope_contact.c's last answer */
    struct rounded_normal *corner; /* per contact; NULL: none was kept */
};
/* The normal with which rounded corners have come together (gap room). It
 * rolls with them: its angle less the mean of the angles of both bodies is
 * constant while they stay together. */
struct rounded_normal {
    bool known;
    uint32_t body[2], vertex[2];
    double angle; /* that difference (rad) */
    double time;  /* when it was found (s) */
};
/* What the model says of its world. */
struct rt_world {
    double tolerance; /* relative, see RT_TOLERANCE */
    double gravity[3];
    double seed;
};
/* How the present start was made, and how to come back to it. */
struct rt_start {
    double *state;         /* the state at time 0, which rt_reset restores */
    struct restart *again; /* of restart.c; NULL until the second start */
    /* A new number whenever set-up has made another start, or may have made
     * one. While it is the same, starts differ only in params and restitutions
     * that no tape of the model reads (restart.c). */
    unsigned long version;
};

/* The parts of the runtime that keep something about a run have one pointer
 * each, to a struct of their own. */
struct rt {
    const imp_image *im;    /* with a `table`: the run's own, which grows */
    const imp_image *model; /* the image as it was compiled, for other runs */
    struct contact_table *table;  /* of contact_table.c; NULL: all contacts are
                                     those of the model */
    const imp_code *code;         /* NULL: tapes go to the evaluator */
    struct series_plan **plans;   /* what it has read of series tapes so far */
    struct rt_tier *tier;         /* NULL: no code will come */
    const struct rt_given *given; /* NULL: the model reads no data */
    struct arena *own;            /* holds the run itself and its arrays */
    struct arena *arena; /* of the present start; rt_restart empties it */
    struct arena *brief; /* of the present event; rt_brief_end empties it */
    struct diags *ds;
    atomic_int *stop; /* Ctrl-C sets it; may be NULL */
    double *env;
    double *state_lo; /* per entry of the state in env: its low part
                         (compensated.h) */
    double *scratch;  /* outputs of the set-up tape; NULL: not needed now */
    struct rt_rows rows;
    struct rt_world world;
    struct rt_start start;
    struct rt_closest closest;
    struct polytope **polytope;      /* per body; NULL: it is no polytope */
    struct motion_plan *motion;      /* of motion.c */
    struct joint_projection *joints; /* of joints.c; NULL without joints */
    struct series_along
        *series_along; /* of series_along.c: series of the user's expressions */
    struct system_run *system;   /* of system.c */
    struct switching *switching; /* of switching.c; NULL without branches */
    double contact_switch;     /* the least time at which a formula of a contact
                                  changes its branch, by the series made since
                                  somebody set this; INFINITY: at none */
    struct relays **relays;    /* of relays.c; NULL without any */
    struct event_state *event; /* of event.c; NULL until it is first used */
    struct rt_kept *kept;      /* of rt_keep */
    /* of persistent_group.c: contacts that stay closed; NULL: none */
    struct persistent_set *persistent;
    struct persistent_set *persistent_memory; /* the memory for it */
    struct trace *trace; /* of runtime/trace: the motion is kept; NULL: not */
    struct motion_looks
        *looks; /* of saved_state.h: states on the way, or NULL */
    struct run_singular *singular; /* of runtime/motion: what could not go on;
                                      or NULL */
    /* an impact from below the tolerance of its gap: what is closed to rounding
     * takes part, and nothing that this tolerance takes for closed */
    bool low_impact;
    int law_status;   /* IMP_FAILED after a diagnostic about a law that a
                         contact states, where nobody could be told: the
                         command fails */
    uint32_t own_law; /* 1 + the tape of the impact law that the command names
                         for all its contacts; 0: each has its own */
    bool dents;       /* a body is known not to be convex (W0508) */
    bool compliant; /* contacts that state a compliance have it all the time */
    struct paradox_forks *forks; /* of PARADOX_BRANCH; else NULL */
    uint32_t paradox; /* row of abi/paradox.def: what the present run does where
                         friction leaves the motion open */
    uint32_t loads;   /* row of abi/loads.def: where contacts can share their
                         loads in many ways */
    uint32_t corners; /* row of abi/corners.def: where corners meet */
};

/* The relative tolerance of verdicts (tangential.md, section 0.F): 1e-9 of the
 * terms' own size is ample for data of 16 digits. */
#define RT_TOLERANCE 1e-9
/* A gap counts as closed within RT_GAP_SHARE * tolerance * size: data of d
 * digits put the gap off by 10^-d, but D by up to 100 * 10^-d (section 0.F). */
#define RT_GAP_SHARE 1e-2

/* Executes a tape, by its number, at order 0 or as series. Says nothing: a
 * caller that wants IMP_NONFINITE told calls rt_nonfinite with the same tape
 * and locals. */
int rt_eval(struct rt *run, uint32_t tape, const double *local, double *out);
int rt_series(struct rt *run, uint32_t tape, const double *local,
              const double *const *rows, double *work, int order);
/* The same, where coefficients below `from` stand in `work` from the last call
 * with it: the env, the locals and the lower coefficients of all rows are those
 * of that call. Machine code makes all of them again, to the same bits. */
int rt_series_from(struct rt *run, uint32_t tape, const double *local,
                   const double *const *rows, double *work, int from,
                   int order);
/* rt_series with variables of the state that rest (runtime/tape/eval.h); always
 * by the evaluator, which gives the same bits as machine code. */
struct series_rest;
int rt_series_resting(struct rt *run, uint32_t tape, const double *local,
                      const double *const *rows, double *work, int order,
                      const struct series_rest *rest);
/* rt_series with steep powers of sums that cancel (runtime/tape/eval.h); always
 * by the evaluator. IMP_NONFINITE: there are none. */
int rt_series_cancelled(struct rt *run, uint32_t tape, const double *local,
                        const double *const *rows, double *work, int order);
/* Before a tape motion, driven, kinematics or energy of this body is evaluated:
 * puts it where tapes read it that several bodies share (IMP_BODYF_ALIKE). */
void rt_enter(struct rt *run, uint32_t body);
/* Makes the diagnostic of I5, which names the expression that is not finite. */
void rt_nonfinite(struct rt *run, uint32_t tape, const double *local);
/* The same for a series to that order, whose rows lie in `work`, with the
 * sources of its ROW instructions as in rt_series. */
void rt_nonfinite_series(struct rt *run, uint32_t tape, const double *local,
                         const double *const *rows, const double *work,
                         int order);
/* A command that knows it tells which share of its work is done, 1 at its end;
 * every command begins with 0. So it can be foreseen whether machine code pays.
 */
void rt_progress(struct rt *run, double done);

/* The most contacts that the run can have: their number im->contacts.n may grow
 * up to this (contact_table.h). Memory of a run that is kept for longer than an
 * event has room for so many. */
uint32_t rt_contact_room(const struct rt *run);
/* The entries of env. */
size_t rt_env_size(const struct rt *run);
/* Gives a run and all its memory back. NULL is allowed. */
void rt_free(struct rt *run);
/* Memory of `size` bytes that stays from start to start of this run, under the
 * address of a key and a number; zeroed when it is first asked for. It is for
 * what a start need not find out again. *arena: an arena of the same lifetime.
 */
void *rt_keep(struct rt *run, const void *key, uint32_t number, size_t size,
              struct arena **arena);
/* Between two events of a run that goes on: gives back what lies in
 * run->brief. Nothing that is kept longer than an event may lie there. */
void rt_brief_end(struct rt *run);
/* Has Ctrl-C asked this run to stop? */
static inline bool
rt_stopped(const struct rt *run)
{
    return run->stop != NULL &&
           atomic_load_explicit(run->stop, memory_order_relaxed) != 0;
}

static inline const imp_tape *
rt_tape(const struct rt *run, uint32_t tape)
{
    return IMP_ARRAY(run->im, run->im->tapes, imp_tape) + tape;
}
/* The number of entries of env that are state. */
static inline size_t
rt_state_size(const struct rt *run)
{
    return run->im->layout.contact - run->im->layout.state;
}
static inline const imp_body *
rt_body(const struct rt *run, uint32_t b)
{
    return IMP_ARRAY(run->im, run->im->bodies, imp_body) + b;
}
static inline const imp_contact *
rt_contact(const struct rt *run, uint32_t c)
{
    return IMP_ARRAY(run->im, run->im->contacts, imp_contact) + c;
}
/* The series tape of a contact, whose rows are run->rows.contact[c]: the gap,
 * or the relative pose where polytopes touch. */
static inline uint32_t
rt_gap_tape(const struct rt *run, uint32_t c)
{
    const imp_contact *contact = rt_contact(run, c);
    return contact->flags & IMP_CONTACTF_CORNERS ? contact->relative
                                                 : contact->event;
}
/* How a model says that the bodies of the contact of this name may pass through
 * each other: `through = NAME`, and what must be written before, or "". Pairs
 * of a block `contacts`, a|b, have no name that an option could take. */
struct rt_passing {
    const char *name, *more;
};
struct rt_passing rt_passing(const struct rt *run, const char *name);
static inline double
rt_time(const struct rt *run)
{
    return run->env[run->im->layout.time];
}
/* A time (s) as it is told: what changes its branch right behind the start, by
 * the least step (switching_least), does so at time 0. */
double rt_told_time(double time);
/* The same as text in so many digits, for messages. Returns `text`. */
char *rt_told(char text[NUM_TEXT], double time, int digits);

#endif
