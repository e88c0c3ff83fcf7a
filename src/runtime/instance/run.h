/* SPDX-License-Identifier: MIT */
/* A run: one compiled model with parameter values, its environment and state.
 * Several runs may exist at once, one thread each. */
#ifndef IMP_RUNTIME_INSTANCE_RUN_H
#define IMP_RUNTIME_INSTANCE_RUN_H

#include <stdatomic.h>
#include <stdbool.h>

#include "abi/contact.h"
#include "abi/image.h"
#include "abi/status.h"
#include "base/diag.h"

struct arena;
struct polytope;
struct system_run;
struct record;

/* Machine code that comes when it pays (docs/internals.md): the evaluator's
 * work is counted, in units of run.c; beyond `limit`, `more` is asked. It
 * returns the code, or NULL and a higher limit. One thread. */
struct rt_tier {
    double spent, limit;
    const imp_code *(*more)(struct rt_tier *t);
};

struct rt {
    const imp_image *im;
    const imp_code *code; /* NULL: the evaluator */
    struct rt_tier *tier; /* NULL: none will come */
    struct arena *own;    /* holds r itself and its arrays */
    struct arena *arena;  /* of this run; emptied by rt_restart */
    struct arena *brief;  /* what no event outlives; rt_brief_end empties it */
    struct diags *ds;
    double *env;
    double **work;                   /* per block: rows of its motion series */
    double **event_work;             /* per contact: rows of its event series */
    struct motion_plan *motion;      /* of motion.c */
    struct joint_projection *joints; /* of joints.c: joints; NULL without */
    struct series_along
        *series_along; /* of series_along.c: series of expressions */
    double *contact_u; /* per contact, 8: last closest points (warm start) */
    unsigned char *contact_warm; /* contact_u is usable */
    struct system_run *system;   /* of system.c */
    struct switching *switching; /* of switching.c; NULL without branches */
    struct polytope **polytope;  /* per body; NULL where it is none */
    struct polytope_contact_memo
        *polytope_contact; /* per contact: polytope_contact.c's last answer */
    struct closest_points_memo
        *closest_points; /* per contact: smooth_smooth.c's last answer */
    double *scratch;     /* outputs of the widest tape */
    double *state_lo;    /* per env state entry: low part (compensation) */
    atomic_int *stop;    /* set by Ctrl-C; may be NULL */
    double tolerance;    /* relative, see RT_TOLERANCE */
    double gravity[3];
    double seed;
    /* initial env state, restored by rt_reset */
    double *state0;
    struct event_state *event; /* of event.c; NULL until first used */
    struct rt_kept *kept;      /* rt_keep */
    /* of persistent_group.c: contacts that stay closed; NULL: none */
    struct persistent_set *persistent;
    struct persistent_set *persistent_memory; /* its memory */
    double **opening_work; /* per contact: rows of its opening tape, or NULL */
    struct restart *again; /* of restart.c; NULL until rt_restart is used */
    /* another number whenever set-up has made another start, or may have; the
     * same: starts differ in params and restitutions of contacts alone, and no
     * tape of the model reads these params (restart.c) */
    unsigned long setup_version;
};

/* relative tolerance of verdicts: spec/tangential 0.F (1e-9 of the terms' own
 * size is ample for data of 16 digits) */
#define RT_TOLERANCE 1e-9
/* the gap counts as closed within RT_GAP_SHARE * tolerance * size: data of d
 * digits put the gap off by 10^-d but D by up to 100 * 10^-d (0.F) */
#define RT_GAP_SHARE 1e-2

/* tapes by number. Silent: a caller that wants IMP_NONFINITE told calls
 * rt_nonfinite with the same tape and local */
int rt_eval(struct rt *run, uint32_t tape, const double *local, double *out);
int rt_series(struct rt *run, uint32_t tape, const double *local,
              const double *const *rows, double *work, int order);
/* the diagnostic of I5: names the source expression that is not finite */
void rt_nonfinite(struct rt *run, uint32_t tape, const double *local);
/* the same of a series to that order, whose rows are in `work` */
void rt_nonfinite_series(struct rt *run, uint32_t tape, const double *local,
                         const double *work, int order);

/* gives a run and all its memory back; NULL is allowed */
void rt_free(struct rt *run);
/* Memory of `size` bytes, zeroed when first asked for, that stays from run to
 * run of this model, by the address of a key and a number: what a run need not
 * find out again. *arena: beside it, for whatever belongs to it. */
void *rt_keep(struct rt *run, const void *key, uint32_t number, size_t size,
              struct arena **arena);
/* Between two events of a run that goes on: gives back what lies in r->brief.
 * Nothing that is kept may lie there (slides, memos, remarks, events). */
void rt_brief_end(struct rt *run);
/* has Ctrl-C asked this run to stop? */
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
/* entries of env that are state */
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
/* the series tape of a contact, whose rows are r->event_work[c]: of the gap, or
 * of the relative pose where corners touch */
static inline uint32_t
rt_gap_tape(const struct rt *run, uint32_t c)
{
    const imp_contact *contact = rt_contact(run, c);
    return contact->flags & IMP_CONTACTF_CORNERS ? contact->relative
                                                 : contact->event;
}
static inline double
rt_time(const struct rt *run)
{
    return run->env[run->im->layout.time];
}

#endif
