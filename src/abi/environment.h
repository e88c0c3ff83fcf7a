/* SPDX-License-Identifier: MIT */
/* The environment of a run: one array of doubles, and what stands in it where.
 */
#ifndef IMP_ABI_ENVIRONMENT_H
#define IMP_ABI_ENVIRONMENT_H

#include <stdint.h>

/* ---- the environment ---------------------------------------------------
 * One array of doubles per run: [t | params | body | state | contact | joint |
 * rotor | poly | slots | series | draws | pair | self]. Tapes index it
 * directly. */

typedef struct imp_layout {
    uint32_t time, params, body, state, contact, joint, rotor, poly, slots,
        series, draws, pair, self, n_env;
} imp_layout;
/* From layout.pair on, per body of a contact (IMP_CONTACTF_ALIKE): entries as
 * from imp_body.env_body on, of which the centre alone is set, then its state.
 */
/* From layout.self on, of a body that shares its tapes (IMP_BODYF_ALIKE): all
 * its entries from imp_body.env_body on, then its state. */
#define IMP_PAIR_SIZE(dim)                                                     \
    (IMP_BODY_SIZE + ((dim) == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE))

/* What the user's expressions give for a body: IMP_RAW_SIZE of the numbers of
 * the set-up (imp_image.setup), which nobody else reads; flags in imp_body say
 * which are set. */
enum imp_raw {
    IMP_RAW_MASS = 0,    /* mass or density */
    IMP_RAW_VOLUME = 1,  /* of the shape, exact (area in the plane) */
    IMP_RAW_SCENTRE = 2, /* centroid of the shape, exact, shape axes */
    /* second-moment matrix J = integral of (r^2 1 - r r^T) about the centroid
     * for unit density: xx yy zz xy xz yz, entries of J itself (Jxy = -int
     * xy); in the plane the first entry is the polar moment */
    IMP_RAW_SINERTIA = 5,
    IMP_RAW_CENTRE = 11,  /* the body's own centre of mass, shape axes */
    IMP_RAW_INERTIA = 14, /* the body's own inertia about its mass centre */
    IMP_RAW_POSITION = 20,
    IMP_RAW_ORIENT = 23, /* angle | quaternion (w x y z) | axes row-major 9 |
                            axis (3) and angle */
    IMP_RAW_VELOCITY = 32,
    IMP_RAW_SPIN = 35,  /* world axes; scalar first in the plane */
    IMP_RAW_APART = 38, /* IMP_BODYF_APART: least distance to others */
    IMP_RAW_SIZE = 39
};
/* body: derived constants, written by the runtime's set-up */
enum imp_bodyenv {
    IMP_BODY_MASS = 0,
    IMP_BODY_INVMASS = 1, /* 0 if fixed */
    IMP_BODY_INERTIA = 2, /* 6, about the mass centre, body axes (= shape axes);
                             plane: first entry only */
    IMP_BODY_INVINERTIA = 8,
    IMP_BODY_CENTRE = 14, /* mass centre in shape coordinates, 3 */
    IMP_BODY_RADIUS = 17, /* of a ball about the mass centre that holds
                             the body; infinite for a half-space */
    IMP_BODY_VOLUME = 18,
    /* what contacts that stay closed do, at the present state: acceleration of
     * the centre (3, world axes), and of the spin, or the moment where joints
     * hold it (3, body axes; plane: the first entry); 0 but while
     * runtime/motion/persistent.c solves for joints */
    IMP_BODY_PUSH = 19,
    IMP_BODY_SIZE = 25
};
/* state: bodies, systems, rotors. Per body: plane [x y theta vx vy omega];
 * space [x y z, q0 q1 q2 q3, vx vy vz, wx wy wz] with the unit quaternion body
 * -> world and the spin in BODY axes. Last, one entry per rotor (imp_rotor). */
#define IMP_STATE_PLANE 6u
#define IMP_STATE_SPACE 13u
/* contact: gap and closest points when a tape reads them, per contact */
enum imp_contactenv {
    IMP_CONTACT_GAP = 0,
    IMP_CONTACT_P = 1, /* world, 3 */
    IMP_CONTACT_Q = 4,
    IMP_CONTACT_NORMAL = 7,
    IMP_CONTACT_E = 10, /* restitution, of a vanishing approach where it depends
                           on that; written by the setup tape */
    IMP_CONTACT_MU = 11, /* friction; written by the setup tape */
    /* contacts the user states (IMP_CONTACTF_STATED), world axes at the
     * start; written by the setup tape. The direction keeps its length (the
     * impulse scales by its reciprocal); `normal` is normalised by the tape */
    IMP_CONTACT_AT = 12,
    IMP_CONTACT_DIRECTION = 15,
    IMP_CONTACT_PRIORITY = 18,
    IMP_CONTACT_ACTIVE = 19, /* of a system: 1 while it is closed, else 0 */
    /* Coulomb's friction (IMP_CONTACTF_FRICTION). MU is the coefficient of a
     * point that slips. Written by the setup tape; where a formula of a system
     * gives them, they are 0 here and follow from imp_contact.slip */
    IMP_CONTACT_MU_STATIC = 20, /* of a point that sticks */
    IMP_CONTACT_MU_IMPACT = 21, /* of an impact */
    /* the mode, for the tapes of a system: 1 while the closed contact sticks,
     * else 0; the sign of the slip while it slips, else 0 */
    IMP_CONTACT_STICK = 22,
    IMP_CONTACT_SIGN = 23,
    /* What a run tells of a contact at the recorded time: force along the
     * normal (>= 0), friction on the second body along the tangent, slip
     * velocity, work that sliding friction and the tangential impulses have
     * done so far (<= 0), and the mode as enum contact_mode_told */
    IMP_CONTACT_NORMAL_FORCE = 24,
    IMP_CONTACT_FRICTION_FORCE = 25,
    IMP_CONTACT_SLIP = 26,
    IMP_CONTACT_WORK = 27,
    IMP_CONTACT_MODE = 28,
    /* While it is closed, else 0, where the model asks (IMP_CONTACTF_POINT):
     * what a unit normal force with the friction of the slip does to the gap's
     * acceleration (without slip: the lesser of both directions), and that
     * acceleration without forces of contacts */
    IMP_CONTACT_MOBILITY = 29,
    IMP_CONTACT_LOAD = 30,
    /* of a contact with a compliance: enum contact_softness */
    IMP_CONTACT_SOFT = 31,
    /* of its bond under the law `lzb`: its stiffness beside others (0: none is
     * stated), and the power of the depth that its force has; written by the
     * setup tape */
    IMP_CONTACT_STIFFNESS = 32,
    IMP_CONTACT_EXPONENT = 33,
    /* of a contact whose compliance f has no Taylor series where it just
     * touches: a scaled depth d that is rounding; the law is then
     * f(depth + d) depth/(depth + d). Else 0 */
    IMP_CONTACT_BESIDE = 34,
    /* the energy in a contact that is pressed in, where the model asks
     * (IMP_CONTACTF_STORED) */
    IMP_CONTACT_STORED = 35,
    /* The memory of a contact that yields (IMP_CONTACTF_REMEMBERS): the impulse
     * along its normal since it touched, and the share of it that came while it
     * was pressed in; where the present piece of the motion begins, and at the
     * recorded time. */
    IMP_CONTACT_PUSHED = 36,
    IMP_CONTACT_COMPRESSED = 37,
    IMP_CONTACT_IMPULSE = 38,
    IMP_CONTACT_COMPRESSION = 39,
    IMP_CONTACT_SIZE = 40
};
/* Rows of what a run tells of a contact along its motion (imp_series): its
 * entries from IMP_CONTACT_NORMAL_FORCE to IMP_CONTACT_MODE, then 1 where the
 * slip is that of the closest points, whose row is 0, else 0. */
enum imp_contact_row {
    IMP_CONTACTROW_OPEN = IMP_CONTACT_MODE - IMP_CONTACT_NORMAL_FORCE + 1,
    IMP_CONTACT_ROWS
};
/* CONTACT_PRESSED: its force is asked for; CONTACT_SLACK, of bodies: it is
 * pressed in, and its law has no force; CONTACT_HELD: it is pressed in and at
 * rest, under a force between both that its law has there. Tapes take what is
 * not greater than CONTACT_RIGID for a contact that keeps its gap */
enum contact_softness {
    CONTACT_HELD = -1,
    CONTACT_RIGID,
    CONTACT_SOFT,
    CONTACT_PRESSED,
    CONTACT_SLACK
};
/* outputs of the setup tape per contact (imp_image.setup) */
#define IMP_CONTACT_OUTS 13
/* what the column `mode` of a contact says */
enum contact_mode_told {
    CONTACT_TOLD_FREE,
    CONTACT_TOLD_STICK,
    CONTACT_TOLD_SLIP_POSITIVE,
    CONTACT_TOLD_SLIP_NEGATIVE,
    CONTACT_TOLD_SLIDE /* closed, without friction */
};
/* joint: per joint, written by the setup tape; world axes at the start. In the
 * plane `at` has z = 0 and the axis of a hinge is z */
enum imp_jointenv {
    IMP_JOINT_AT = 0,
    IMP_JOINT_AXIS = 3,  /* as given; the runtime normalises */
    IMP_JOINT_AXIS2 = 6, /* universal: axis on the second body */
    /* relative motion of the first body against the second (world) at the
     * start: hinge, slider: 1; cylinder: spin, slide; universal: 2; ball: spin
     * vector, 3; planar: spin, then velocity vector */
    IMP_JOINT_RATE = 9,
    IMP_JOINT_USER = 15, /* constraint: rows x 6 screws [force; moment about
                            `at`], row-major */
    /* of a joint with friction (IMP_JOINTF_RUBS): radius of the pin of a hinge,
     * length of the bush of a slider; coefficients of friction, sliding and at
     * rest, 0 where formulas give them */
    IMP_JOINT_WIDTH = 51,
    IMP_JOINT_MU = 52,
    IMP_JOINT_MU_STATIC = 53,
    IMP_JOINT_RAW = 54, /* up to here: written by the setup tape */
    /* derived by the runtime from the initial state. On the first and on the
     * second body, in its own axes about its mass centre (the world: world axes
     * and origin): the point; then three orthonormal directions by rows, the
     * first along the axis (universal: the second body's along axis2) */
    IMP_JOINT_ARM = 54,    /* 2 x 3 */
    IMP_JOINT_FRAME = 60,  /* 2 x 9 */
    IMP_JOINT_COSINE = 78, /* universal: of the angle between the two axes */
    /* as ARM and FRAME, on the body that its point and screws go with */
    IMP_JOINT_CARRIER_ARM = 79,   /* 3 */
    IMP_JOINT_CARRIER_FRAME = 82, /* 9 */
    /* The mode of a joint with friction (runtime/rubbing). STICK: 1 while its
     * rate is kept, else 0. SHARE: 1 for joints that stick together because
     * one degree of freedom moves them all; LEAD: 1 for the one of these whose
     * rate is kept. HELD: 1 for those whose rate is kept (STICK or LEAD). SIGN:
     * of the rate while it slips; with SHARE, of the rate in a motion of the
     * leading joint. LOAD: 1, or 0 where no force loads a hinge. SIDE: signs of
     * the forces at both ends of a slider's bush. PLACE: where it sticks. */
    IMP_JOINT_STICK = 91,
    IMP_JOINT_SHARE = 92,
    IMP_JOINT_LEAD = 93,
    IMP_JOINT_HELD = 94,
    IMP_JOINT_SIGN = 95,
    IMP_JOINT_LOAD = 96,
    IMP_JOINT_SIDE = 97, /* 2 */
    IMP_JOINT_PLACE = 99,
    /* 1 while modes are chosen, for a joint without a rate: it slips if it does
     * so against the friction at rest. From then on 1 for one that others hold
     * at rest: its friction is -SIGN times the greatest at rest. */
    IMP_JOINT_BREAK = 106,
    /* what a run tells of it at the recorded time: force on the first body (2;
     * world axes of a hinge; of a slider the force across the axis, and the
     * moment), moment or force of its friction on the first body, rate, work of
     * the friction so far (<= 0), enum contact_mode_told. Of one without
     * friction from FORCE on, in world axes: force (3) and moment about its
     * point (3) on the first body; in the plane force (2), moment, and of a
     * slider the force across the axis */
    IMP_JOINT_FORCE = 100,
    IMP_JOINT_FRICTION = 102,
    IMP_JOINT_SLIP = 103,
    IMP_JOINT_MOMENT = 103, /* in space, without friction */
    IMP_JOINT_MOMENT_PLANE = 102,
    IMP_JOINT_ACROSS = 103,
    IMP_JOINT_WORK = 104,
    IMP_JOINT_MODE = 105,
    IMP_JOINT_SIZE = 107
};
/* Rows of what a run tells of a joint along its motion (imp_series): its
 * entries from IMP_JOINT_FORCE to IMP_JOINT_MODE. */
#define IMP_JOINT_ROWS (IMP_JOINT_MODE - IMP_JOINT_FORCE + 1)
/* rotor: per rotor. Its axis is fixed in its body; in the plane it is z */
enum imp_rotorenv {
    IMP_ROTOR_AXIS = 0, /* body axes; the runtime normalises */
    IMP_ROTOR_INERTIA = 3,
    IMP_ROTOR_RATE = 4, /* against its body, at the start */
    IMP_ROTOR_RAW = 5,  /* up to here: written by the setup tape */
    /* 1 while it turns with its body (it sticks, or a motor holds its rate) */
    IMP_ROTOR_HELD = 5,
    IMP_ROTOR_SIGN = 6, /* of its rate, against which the friction acts */
    /* inertia of its body with all of its rotors as if they were held: xx yy zz
     * xy xz yz; plane: the first entry */
    IMP_ROTOR_WHOLE = 7,
    IMP_ROTOR_FREED = 13, /* when its friction gave way last; negative: never */
    IMP_ROTOR_SIZE = 14
};
#define IMP_WORLD 0xffffffffu /* in place of a body: the world */
enum imp_joint_kind {
    IMP_JOINT_BALL,
    IMP_JOINT_HINGE,
    IMP_JOINT_SLIDER,
    IMP_JOINT_CYLINDER,
    IMP_JOINT_UNIVERSAL,
    IMP_JOINT_PLANAR,
    IMP_JOINT_WELD,
    IMP_JOINT_CONSTRAINT
};

#endif
