/* SPDX-License-Identifier: MIT */
/* The contact struct: what an impact handler returns, as indices of its
 * outputs. World axes; vectors have 3 entries, zero padded in the plane (spins
 * along z). Contact basis: normal n (outward of the first body at P), tangents
 * t1, t2 = n x t1. W is the contact-space inverse mass matrix M of
 * Palffy-Muhoray et al. 2018 eq. (8) in that basis: relative velocity of the
 * contact points (v_Q - v_P) changes by W times the impulse on body 2. */
#ifndef IMP_ABI_CONTACT_H
#define IMP_ABI_CONTACT_H

enum imp_contact_out {
    IMP_CS_NORMAL = 0,
    IMP_CS_T1 = 3,
    IMP_CS_T2 = 6,
    IMP_CS_P = 9,
    IMP_CS_Q = 12,
    IMP_CS_W = 15,    /* 3 x 3 row-major in (n, t1, t2), normal-tangential
                         terms included */
    IMP_CS_VREL = 24, /* v_Q - v_P in (n, t1, t2); the normal part with
                         the speed of surfaces that contain t */
    IMP_CS_AREL = 27, /* free acceleration of Q relative to P as material
                         points, in (n, t1, t2) */
    IMP_CS_IMPULSE = 30, /* impulse on body 2 in (n, t1, t2): alpha first */
    IMP_CS_V1 = 33,      /* after: velocity, spin (world axes) of body 1, 2 */
    IMP_CS_W1 = 36,
    IMP_CS_V2 = 39,
    IMP_CS_W2 = 42,
    IMP_CS_STATE1 = 45, /* after: velocity part of the state as stored in env:
                           plane vx vy omega; space v (3), spin body axes (3) */
    IMP_CS_STATE2 = 51,
    IMP_CS_E_BEFORE = 57, /* kinetic energy of both bodies */
    IMP_CS_E_AFTER = 58,
    IMP_CS_LOSS = 59, /* by eq. (6): (1 - e^2) u_n^2/(2 n.M.n), from the terms,
                         less the work of what drives a prescribed body or
                         a moving surface */
    IMP_CS_SIZE = 60
};

#endif
