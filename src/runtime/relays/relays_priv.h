/* SPDX-License-Identifier: MIT */
/* What the files of this room share. */
#ifndef IMP_RUNTIME_RELAYS_PRIV_H
#define IMP_RUNTIME_RELAYS_PRIV_H

#include <assert.h>
#include <float.h>
#include <math.h>

#include "abi/relays.h"
#include "runtime/instance/system.h"
#include "runtime/relays/relays.h"

/* u counts as 0 within this many roundings of its terms, and what it gains in
 * so many of the least steps; while it is held, within more. */
#define RELAY_NOISE 32.0
#define RELAY_STEPS 16.0
/* It may be 0, with contacts that push, within this many. */
#define RELAY_NEAR 65536.0
#define RELAY_DRIFT 4096.0
/* What others hold at 0 has left it beyond so many times its rounding. */
#define RELAY_STRAYS 4.0
/* A jump of this share of the rate of u is rounding. */
#define RELAY_JUMP 0x1p-40
/* A minor that is this share of the product of its diagonal is 0. */
#define RELAY_MINOR 1e-12
/* Rates of u are 0 within this many roundings. */
#define RELAY_RATE 64.0

#define DISC_MAX 3 /* relays of a disc */

/* RELAY_OFF: a disc leaves rest, in the direction of its shares. */
enum relay_option { RELAY_DOWN = -1, RELAY_HELD, RELAY_UP, RELAY_OFF };

struct relays {
    const imp_relays *of;
    double *told;  /* what the tape `now` tells */
    double *modes; /* ROW source 0 of the series */
    double *work;  /* rows of the series, */
    double *aside; /* and those that relays_lay_aside takes in their place */
    double *none;  /* rows without contacts; NULL: of a system */
    /* Of observers of this system: the locals of the tape `now`, and how it
     * stood when relays_keep was called. Else IMP_NO_SYSTEM and NULL. */
    uint32_t observed;
    double *local;
    struct relays *kept;
    /* Of bodies with joints; NULL: there are none. The unknowns and modes, as
     * imp_relays.solve reads them, what that tells, and two states. */
    double *unknown, *out, *rates;
    int *pivot;
    double *change; /* n_state: what takes u of bodies to 0, */
    double *lifts;  /* and what closed contacts do to their state */
    /* The rates of u without shares, sizes of their terms, and what shares add;
     * in the block of a system whose contacts are closed (`beside`): with these
     */
    double rate[IMP_RELAYS_MAX], terms[IMP_RELAYS_MAX];
    double slope[IMP_RELAYS_MAX * IMP_RELAYS_MAX], share[IMP_RELAYS_MAX];
    uint32_t system;
    bool beside, touches; /* touches: of bodies, contacts are closed */
    double side[IMP_RELAYS_MAX], most[IMP_RELAYS_MAX]; /* of the terms of u */
    bool held[IMP_RELAYS_MAX], leads[IMP_RELAYS_MAX], zero[IMP_RELAYS_MAX];
    bool bound[IMP_RELAYS_MAX];   /* closed contacts hold u */
    bool open[IMP_RELAYS_MAX];    /* it was told that rest is not unique */
    bool carried[IMP_RELAYS_MAX]; /* other relays hold u */
    bool along[IMP_RELAYS_MAX];   /* of a disc, that moves */
    bool stuck[IMP_RELAYS_MAX]; /* of a disc, the first: leaves no way known */
    double noise[IMP_RELAYS_MAX]; /* of u, where it is 0 */
    double lift[IMP_RELAYS_MAX];  /* to which side, 1 or -1, where they open */
    /* what comes next: relay `which` gives way to the side `to`, or comes back
     * (0) from the side `from`; at that time */
    double time;
    uint32_t which;
    int to, from;
    double pace;  /* of the share that gives way: how fast it changes then */
    double drift; /* what it changes by where the clock sees that, now */
    bool act;
    bool rests, acts; /* between relays_rest and relays_rise; act without */
    double chosen;    /* of bodies: when it was chosen last, beside closed
                         contacts, which relays are held, */
    int turns;        /* and how often at that time */
};

static inline struct relays *
relays_of(const struct rt *run, uint32_t block)
{
    return run->relays ? run->relays[block] : NULL;
}

static inline const imp_block *
block_of(const struct rt *run, uint32_t block)
{
    return IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
}

/* The first relay of the disc of relay i; IMP_NO_DISC: it is none of a disc. */
static inline uint32_t
disc_of(const struct rt *run, const struct relays *relays, uint32_t i)
{
    return IMP_ARRAY(run->im, relays->of->discs, uint32_t)[i];
}

/* The entries of env that are the axis of relay i (abi/relays.h); IMP_NO_FRAME:
 * it is none of a disc. */
static inline uint32_t
frame_of(const struct rt *run, const struct relays *relays, uint32_t i)
{
    return IMP_ARRAY(run->im, relays->of->frames, uint32_t)[i];
}

/* How u of all relays grow with the state (n x n_state). */
static inline const double *
grows_with(const struct relays *relays)
{
    size_t n = relays->of->n;
    return relays->told + n * (IMP_RELAY_TOLD + n + relays->of->n_state);
}

static inline double
u_of(const struct relays *relays, uint32_t i)
{
    return relays->told[i * IMP_RELAY_TOLD];
}

static inline const double *
slopes(const struct relays *relays, uint32_t i)
{
    return relays->slope + (size_t)i * relays->of->n;
}

/* The same without closed contacts. */
static inline const double *
raw_slopes(const struct relays *relays, uint32_t i)
{
    uint32_t n = relays->of->n;
    return relays->told + (size_t)n * IMP_RELAY_TOLD + (size_t)i * n;
}

static inline double
slopes_size(const struct relays *relays, uint32_t i)
{
    double size = 0.0;
    for (uint32_t j = 0; j < relays->of->n; j++)
        size += fabs(slopes(relays, i)[j]);
    return size;
}

/* The row of share i, or of u behind all shares. */
static inline const double *
row_of(const struct rt *run, const struct relays *relays, uint32_t i)
{
    const uint32_t *row = IMP_ARRAY(run->im, relays->of->rows, uint32_t);
    if (relays->beside && !relays->touches)
        return system_relays_row(run, relays->system, i);
    return relays->work +
           (size_t)row[relays->of->n_state + i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* What the tapes are told of relay i: whether it is held, and, behind all
 * relays, its side. */
static inline double *
mode_of(const struct relays *relays, uint32_t i)
{
    return relays->modes + (size_t)i * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* What rounding leaves of the rate of u. */
static inline double
relays_rate_noise(const struct relays *relays, uint32_t i)
{
    return RELAY_RATE * DBL_EPSILON *
           (relays->terms[i] + slopes_size(relays, i));
}

/* Could u of relay i be 0 now? */
static inline bool
relays_is_small(const struct relays *relays, uint32_t i, double least)
{
    double rate = fabs(relays->rate[i]) + slopes_size(relays, i),
           size = fmax(relays->most[i],
                       fabs(relays->told[i * IMP_RELAY_TOLD + 1]));
    return fabs(u_of(relays, i)) <=
           RELAY_DRIFT * DBL_EPSILON * size + RELAY_NEAR * least * rate;
}

/* The end comes `after` the present time. */
static inline void
relays_note_end(const struct rt *run, struct relays *relays, double after,
                uint32_t which, int to, int from)
{
    relays->time = rt_time(run) + after;
    relays->which = which;
    relays->to = to;
    relays->from = from;
    relays->pace = 0.0;
}

/* -- relays.c -- */
/* As relays_settle, with the closed contacts of bodies, or NULL. */
int relays_choose(struct rt *run, uint32_t block, double least, double *change,
                  const struct relay_contacts *contacts);
/* What the tape `now` tells, and what closed contacts make of it. */
int relays_ask(struct rt *run, uint32_t block, struct relays *relays,
               double least, const struct relay_contacts *contacts);
/* Tells the tapes what holds. */
void relays_tell(struct rt *run, const struct relays *relays);

/* -- relays_discs.c -- */
/* After u and shares of relays alone have been looked at: which discs are at
 * rest, and the sides of those that move. */
void relays_discs_find(const struct rt *run, struct relays *relays);
/* Does u of the disc of relay i fall to 0, so near that series of u/|u|
 * overflow? Then it counts as 0. */
bool relays_disc_overflows(const struct rt *run, const struct relays *relays,
                           uint32_t i);
/* Notes that no way is known in which the discs that are at rest go on; false:
 * there are none. */
bool relays_discs_stick(const struct rt *run, struct relays *relays);
/* Ends the run there (E0602): IMP_FAILED. */
int relays_discs_tell(struct rt *run, uint32_t block,
                      const struct relays *relays);
/* The shares, as forces of others are, with which discs leave rest whose option
 * that is; false: one does not leave. */
bool relays_discs_lead(const struct rt *run, const struct relays *relays,
                       const int *option, double *share);
/* Is a disc that is held within its range, with these shares? */
bool relays_disc_holds(const struct rt *run, const struct relays *relays,
                       uint32_t first, const double *share);
/* Sets the side of relay i, of a disc that is not at rest, to u/|u|. */
void relays_disc_moves(const struct rt *run, struct relays *relays, uint32_t i);
/* Makes the series that were made last, by `driven` (relays_driven), again,
 * where discs leave rest, with the series of their shares. */
int relays_discs_series(struct rt *run, uint32_t block, int order,
                        int (*driven)(struct rt *run, uint32_t block,
                                      const double *push, int from, int order));
/* As relays_end, of a disc that is held, or that leaves rest. */
void relays_disc_end(const struct rt *run, struct relays *relays,
                     uint32_t first, int order, double *step);

/* -- relays_frames.c -- */
/* The frames of all discs as formulas have them. */
void relays_frames_reset(struct rt *run, const struct relays *relays);
/* After u and its rates have been asked for: turns the frames of discs to the
 * line or plane that contacts and joints leave their velocities, and back where
 * these move. True: they are to be asked for again. */
bool relays_frames_turn(struct rt *run, const struct relays *relays,
                        double least);

/* -- relays_series.c -- */
/* The series to order 1 (relays_driven). That of a force, and of a share, may
 * be infinite, as that of a power of a speed at 0, where the rates of the state
 * are not. */
int relays_rates_made(struct rt *run, uint32_t block);

/* -- relays_linear.c -- */
/* Solves K x = -b among the relays that are `held`. */
bool relays_solve(const struct relays *relays, const bool *held,
                  const double *K, const double *b, double *x);
/* A step without an end is given one where terms of this share have changed by
 * more than its range. */
double relays_with_end(const double *share, int order, double step);
/* A bound of all roots of n + 1 coefficients. */
double relays_root_bound(const double *c, int n);

/* -- relays_joints.c -- */
/* The memory for it. */
void relays_jointed(struct rt *run, uint32_t block, struct relays *relays);
/* The unknowns of the joints and the shares at the present state; NULL without
 * joints. Status as of rt_eval; IMP_SINGULAR. */
int relays_unknowns(struct rt *run, uint32_t block, const double **unknown);
/* Without contacts: the rates of u, and what shares add to them and to the
 * state, into what the tape `now` has told. Nothing without joints. */
int relays_through_joints(struct rt *run, uint32_t block,
                          struct relays *relays);

/* -- relays_bodies.c -- */
/* Could u of a relay be 0 now? */
bool relays_small(const struct relays *relays, double least);
/* The rates of u, and what shares add to them, with the closed contacts of
 * bodies, as these push now. */
int relays_beside(struct rt *run, uint32_t block, struct relays *relays,
                  const struct relay_contacts *contacts);

#endif
