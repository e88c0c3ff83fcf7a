/* SPDX-License-Identifier: MIT */
/* Relays: forces that jump where a rate changes its sign, and drive it back
 * from both sides, as sign(x') does. At the change the force lies between both
 * (Filippov 1988). */
#ifndef IMP_ABI_RELAYS_H
#define IMP_ABI_RELAYS_H

#include "abi/image.h"

#define IMP_RELAYS_MAX 8
#define IMP_NO_GUARD 0xffffffffu
#define IMP_NO_DISC 0xffffffffu
#define IMP_NO_FRAME 0xffffffffu

/* Of a block, with n relays. Each has a switching function u and a share in
 * [-1, 1], which is the sign of u where u is not 0. The rates of the state are
 * linear in the shares. Relays of a disc belong together: their shares are a
 * vector in the unit disc (or ball), which is u/|u| where u is not 0, as in
 * -F*v/norm(v). */
typedef struct imp_relays {
    uint32_t n, n_state;
    /* tape (series; ROW source 0: of bodies, as of imp_block.driven; ROW source
     * IMP_RELAY_MODES: per relay 1 while it is held, else 0, then per relay its
     * side, 1 or -1, 0 while it is held; of a disc any share, or
     * IMP_RELAY_ALONG: as u/|u| has it): the state, then the shares, then all
     * u, then of bodies in the plane cosine and sine per body that has them,
     * then what joints tell (as imp_block.told), in these rows. While a relay
     * is held its share keeps u. With joints, the locals are the unknowns of
     * `solve`. Those of observers read the motion as imp_system tells. */
    uint32_t tape;
    imp_ref rows; /* uint32_t: n_state + 2 n + cosines and sines + told */
    /* eval; local: the sides; of observers, behind IMP_RELAYS_MAX locals, the
     * motion: coordinates, rates, accelerations. Per relay u, what rounding
     * leaves of u, the rate of u without shares, what rounding leaves of that;
     * n x n: what the shares (columns) add to the rates; n x n_state: what each
     * adds to the rates of the state; n x n_state: how each u grows with the
     * state. With joints, rates and what shares add are 0 there, and what
     * rounding leaves is that of forces that no joint passes on. */
    uint32_t now;
    /* uint32_t: per relay the numbers of the guards u and -u of the block, or
     * IMP_NO_GUARD; of a disc, its first one, those of |u| and
     * of a length that it is made of */
    imp_ref guards;
    /* Beside closed contacts of a system, as imp_system.modal, rows and solve,
     * or IMP_NO_TAPE: the shares are n further unknowns behind those of the
     * contacts, and n further residuals: the rate of u while a relay is held,
     * else what its share lacks to its side. Behind the unknowns the locals
     * tell per relay 1 while it is held, else 0, then per relay its side.
     * Behind the other rows of modal stand the shares, then all u. Of bodies
     * with joints, solve alone is a tape: its unknowns are those of
     * imp_block.solve, then the shares. */
    uint32_t modal, solve;
    imp_ref modal_rows;
    imp_ref discs; /* uint32_t: per relay the first one of its disc, or
                      IMP_NO_DISC */
    /* uint32_t: per relay of a disc of m components its axis, m entries of env
     * from here on, which are the coefficients of u in the components that the
     * formula has, orthonormal; else IMP_NO_FRAME. The runtime sets them. */
    imp_ref frames;
} imp_relays;
#define IMP_RELAY_ALONG 2.0
#define IMP_RELAY_TOLD 4u
#define IMP_RELAY_MODES 2u

#endif
