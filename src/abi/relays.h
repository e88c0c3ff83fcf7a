/* SPDX-License-Identifier: MIT */
/* Relays: forces that jump where a rate changes its sign, and drive it back
 * from both sides, as sign(x') does. At the change the force lies between both
 * (Filippov 1988). */
#ifndef IMP_ABI_RELAYS_H
#define IMP_ABI_RELAYS_H

#include "abi/image.h"

#define IMP_RELAYS_MAX 8
#define IMP_NO_GUARD 0xffffffffu

/* Of a block, with n relays. Each has a switching function u and a share in
 * [-1, 1], which is the sign of u where u is not 0. The rates of the state are
 * linear in the shares. */
typedef struct imp_relays {
    uint32_t n, n_state;
    /* tape (series; ROW source 0: per relay 1 while it is held, else 0, then
     * per relay its side, 1 or -1, 0 while it is held): the state, then the
     * shares, then all u, in these rows. While a relay is held its share keeps
     * u. */
    uint32_t tape;
    imp_ref rows; /* uint32_t: n_state + 2 n */
    /* eval; local: the sides. Per relay u, what rounding leaves of u, the rate
     * of u without shares, what rounding leaves of that; n x n: what the shares
     * (columns) add to the rates; n x n_state: what each adds to the rates of
     * the state. */
    uint32_t now;
    /* uint32_t: per relay the numbers of the guards u and -u of the block, or
     * IMP_NO_GUARD */
    imp_ref guards;
} imp_relays;
#define IMP_RELAY_TOLD 4u

#endif
