/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of relays share. */
#ifndef IMP_MECHANICS_RELAY_PRIV_H
#define IMP_MECHANICS_RELAY_PRIV_H

#include "abi/relays.h"
#include "mechanics/mech_priv.h"

struct relays {
    struct mech *mech;
    /* of the state; behind the rates, of bodies with joints, the conditions */
    const expr *const *leaf, **rate;
    size_t n_state, n_rate;
    const struct relay_bodies *bodies; /* NULL: a system */
    const expr *const *level;          /* the guards of the block */
    const imp_guard *guard;
    size_t n_guard;
    uint32_t n_felt; /* coordinates of the motion that observers read */
    const expr *u[IMP_RELAYS_MAX];
    /* of a disc, the component that the formula has: u is one of the frame,
     * whose coefficients are these entries of env and those behind */
    const expr *formula[IMP_RELAYS_MAX];
    uint32_t frame[IMP_RELAYS_MAX]; /* IMP_NO_FRAME: u is the formula */
    uint32_t n, number[2 * IMP_RELAYS_MAX];
    uint32_t disc[IMP_RELAYS_MAX]; /* the first relay of it, or IMP_NO_DISC */
    bool too_many;
    const expr **to; /* per node: what it has become */
    uint32_t top;
    const expr **in_shares; /* `rate` */
    const expr **push;      /* n x n_state: what the shares add to them */
    imp_relays out;
};

/* The relay of this switching function, *negative: of its negative; n: none. */
uint32_t relays_of_level(const struct relays *relays, const expr *level,
                         bool *negative);
/* The share of relay i while formulas are made. */
const expr *relays_share(const struct relays *relays, uint32_t i);
/* How a function that observers follow changes with time and the motion they
 * read. */
const expr *relays_given_rate(const struct relays *relays, const expr *u);
/* Has it no such rate, as it depends on accelerations? */
bool relays_is_rough(const struct relays *relays, const expr *u);
/* A formula that reads the motion as locals behind the sides, not as rows. */
const expr *relays_in_locals(const struct relays *relays, const expr *formula);
bool relays_has_shares(const struct relays *relays, const expr *formula);

/* -- relay_discs.c -- */
/* Appends the relays of the discs by whose |u| these rates divide, where each u
 * is one that `driven` takes. */
void relays_find_discs(struct relays *relays,
                       bool (*driven)(const struct relays *, const expr *));
/* Is the frame of this relay that of its formula, so that `held` holds that? */
const expr *relays_held_alone(const struct relays *relays, uint32_t i,
                              const expr *held);
/* a/b in the shares of a disc; NULL: b is not |u| of one, or no u is a factor
 * of a. */
const expr *relays_over_length(const struct relays *relays, const expr *a,
                               const expr *b);

/* -- relay_shares.c -- */
/* a/u, where u is a factor of a; NULL: it is none. */
const expr *relays_without(struct graph *graph, const expr *a, const expr *u);
/* relays->rate as formulas of the shares, into out: straight lines. */
void relays_in_shares(struct relays *relays, const expr **out);

#endif
