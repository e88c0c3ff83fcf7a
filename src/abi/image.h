/* SPDX-License-Identifier: MIT */
/* The compiled model: one contiguous block of bytes without pointers (offsets
 * from its start), built by mechanics/, embedded in object files by codegen/,
 * read in place by runtime/, analysis/ and output/. What it computes is tapes
 * (tape.h).
 *
 * Comments of tapes have one form. "eval" is a tape that gives numbers,
 * "series" one that gives Taylor coefficients in t. After "local:" stands what
 * the caller passes beside env, after "ROW source" whose series the tape reads,
 * then the outputs in their order, with their number in brackets. d is the
 * dimension of space, 2 or 3. IMP_NO_TAPE: the model has no such tape. An
 * imp_ref is an array of what its comment names. */
#ifndef IMP_ABI_IMAGE_H
#define IMP_ABI_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "abi/commands.h"
#include "abi/environment.h"
#include "abi/laws.h"
#include "abi/range.h"
#include "abi/setup.h"
#include "abi/tape.h"

#define IMP_ABI_VERSION 35u
#define IMP_IMAGE_MAGIC 0x31504d49u /* "IMP1" */

/* symbols in every object file: the image (aligned 16), its size, the tables */
#define IMP_SYM_IMAGE "imp_model_image"
#define IMP_SYM_SIZE "imp_model_size" /* uint64_t */
#define IMP_SYM_CODE "imp_model_code" /* imp_code */

/* ---- model ------------------------------------------------------------- */

typedef struct imp_source {
    imp_str name; /* as the user gave it; "<shapes>" style for the library */
    imp_str text;
} imp_source;

typedef struct imp_param {
    imp_str name, doc, unit; /* unit: SI text, "" if pure */
    double dflt, lo, hi;     /* SI; lo = -inf, hi = inf when no range */
    uint32_t structural;     /* fixed when compiled */
    uint32_t has_range;
    imp_range range;
} imp_param;

#define IMP_BODYF_FIXED 1u
#define IMP_BODYF_PRESCRIBED 2u /* fixed with a pose that depends on t */
#define IMP_BODYF_SHAPE 4u      /* has a level set */
#define IMP_BODYF_FLAT 8u       /* G is linear in x, y, z: half-plane/space */
#define IMP_BODYF_GTIME 16u     /* t stands in G */
#define IMP_BODYF_DENSITY 32u   /* RAW_MASS is a density */
#define IMP_BODYF_MASS 64u      /* RAW_MASS is a mass */
#define IMP_BODYF_SVOLUME 128u  /* shape states volume */
#define IMP_BODYF_SCENTRE 256u
#define IMP_BODYF_SINERTIA 512u
#define IMP_BODYF_CENTRE 1024u /* body states centre */
#define IMP_BODYF_INERTIA 2048u
/* G keeps its value when x, y or z changes sign: odd moments of it vanish */
#define IMP_BODYF_MIRROR_X 4096u
#define IMP_BODYF_MIRROR_Y 8192u
#define IMP_BODYF_MIRROR_Z 16384u
/* a convex polytope: the hull of points, or a level set that is the greatest
 * of linear functions (found on the graph); runtime/geometry/polytope.h */
#define IMP_BODYF_POLYTOPE 32768u
/* joints hold the spin: it is an unknown of the equations of its block */
#define IMP_BODYF_HELD 65536u
#define IMP_BODYF_WEIGHT 131072u /* no force or torque but weight */
/* G is c (x^2 + y^2 [+ z^2]) + d, and gravity does not change with t */
#define IMP_BODYF_BALL 262144u
#define IMP_BODYF_ROTORS 524288u /* has rotors */
/* its position is drawn until it is RAW_APART from other bodies */
#define IMP_BODYF_APART 1048576u
/* Members of a family that move by their weight alone have the same tapes
 * motion, driven, kinematics and energy. These read the body not where it is in
 * env, but from layout.self on: rt_enter puts it there. */
#define IMP_BODYF_ALIKE 2097152u
#define IMP_BODYF_PLACED 4194304u /* the model states its position */
#define IMP_BODYF_ROUND 8388608u  /* a moving ball about its mass centre */

#define IMP_NO_TAPE 0xffffffffu
#define IMP_NO_BLOCK 0xffffffffu /* fixed bodies, also prescribed ones */
typedef struct imp_body {
    imp_str name;
    uint32_t flags, orient;
    uint32_t raw; /* of its numbers of the set-up (enum imp_raw) the first */
    uint32_t env_body, env_state; /* indices in env */
    uint32_t block;
    /* eval tapes; local = (x, y, z) in shape coordinates (2 in the plane):
     * g0: G.  g2: G, gradient (d), Hessian (d*(d+1)/2: xx yy [zz] xy [xz yz]).
     * g3: as g2, then third derivatives (plane xxx xxy xyy yyy; space xxx xxy
     * xxz xyy xyz xzz yyy yyz yzz zzz). IMP_NO_TAPE without a shape. */
    uint32_t g0, g2, g3;
    /* eval: world axes, 3 entries each, zero padded in the plane (spin along
     * z): velocity of the mass centre, its acceleration, its jerk, spin, its
     * first, its second derivative (18 outputs). Exact for free, forced and
     * prescribed bodies between impacts (tangential.md 0.B). */
    uint32_t kinematics;
    /* eval: sizes of the terms of the accelerations of mass centre and spin by
     * weight, forces, a stated motion. IMP_NO_TAPE: weight alone, or at rest */
    uint32_t pull;
    /* eval: kinetic energy, potential energy, momentum (3), angular momentum
     * about the world origin (3) */
    uint32_t energy;
    /* prescribed bodies (else IMP_NO_TAPE): eval, the whole state of the body
     * at env time, in env order; keeps env current when time moves */
    uint32_t refresh;
    /* first rows of the pose in the block's motion tape: plane x y, then cos
     * theta, sin theta at rows pose[0..3]; space x y z q0..q3 pose[0..6].
     * Unused where the body is fixed (IMP_NO_BLOCK): event tapes then read
     * env, or TIME where it is prescribed, and its ROW source may be NULL.
     * cos, sin: IMP_NO_ROW without a contact. */
    uint32_t pose[7];
    /* IMP_BODYF_POLYTOPE: what the model states of it, in env from env_poly on,
     * shape coordinates, written by the setup tape: n_point points (3 entries
     * each, zero padded in the plane) whose hull it is, or n_plane half-spaces
     * a.x <= b (4 entries each: a, b; a of any length) that it is the
     * intersection of. n_plane = 1: a half-plane or half-space */
    uint32_t n_point, n_plane, env_poly;
    /* bits 2 k and 2 k + 1: on the first, the second side of the rule of
     * contacts with the number k (IMP_CONTACTF_RULE) */
    uint32_t sides;
    uint32_t kind; /* of its surface, for imp_pattern */
    /* IMP_BODYF_APART: the random numbers that its position is made of */
    uint32_t first_draw, n_draw;
    uint32_t places; /* which of imp_image.places */
    imp_range range;
} imp_body;

/* a block: bodies whose motion is coupled; its motion tape (series, no ROW)
 * has as outputs the derivative-fed state rows, in env order */
typedef struct imp_block {
    uint32_t motion; /* tape; local: the unknowns below */
    /* Unknowns of the motion, in which it is linear: the multipliers of
     * n_condition conditions of joints, then the accelerations of the spins of
     * the bodies that they hold; IMP_NO_TAPE and 0 where there are none. solve
     * (eval; local: unknowns): residual n, Jacobian n*n
     * (IMP_JACOBIAN_SADDLE). */
    uint32_t n_unknown, n_condition, solve;
    /* n_rub joints with friction, whose frictions are the last of the
     * multipliers, in the order of the joints, then `share`, the share of the
     * greatest friction that joints which stick together take (IMP_NO_ROW: no
     * such unknown). In `solve` a row of friction keeps the rate of a joint
     * that is HELD, else its multiplier is 0. rub (eval; local: unknowns; else
     * IMP_NO_TAPE): residual n and Jacobian n*n (IMP_JACOBIAN_RANK) of the
     * motion with friction, nonlinear in the unknowns, then per joint
     * IMP_RUB_TOLD numbers. share_row: of the share in the motion. */
    uint32_t rub, n_rub, share, share_row;
    /* joints (else IMP_NO_TAPE). hold (eval; local: per body of the block a
     * small displacement or change of velocities, 6 numbers as of push): what
     * each row of the joints is off in position with the displacement counted
     * (n_condition; 0 for rows that hold velocities only), in velocity without
     * the change, and the rate of each row under the change alone. push (eval;
     * local: unknowns of the equations of `solve`): what they do to the bodies,
     * per body of the block 6 numbers: change of velocity (world axes), of spin
     * (axes of the state); in the plane 3. */
    uint32_t hold, push;
    /* Motion while contacts stay closed (series; local: the unknowns; ROW
     * source 0: per body of the block what their forces do, 6 rows as of
     * IMP_BODY_PUSH, in the plane 3: x, y, spin). driven_rows (uint32_t):
     * where it has the state, then in the plane cosine and sine per body that
     * has them. IMP_NO_TAPE where nothing asks for it. told (eval; local: the
     * unknowns): per joint that tells IMP_JOINT_ROWS numbers for env. */
    uint32_t driven, told, n_told;
    imp_ref driven_rows;
    uint32_t pulled; /* 1: one of its bodies has a tape `pull` */
    imp_ref bodies;  /* uint32_t */
    imp_ref state;   /* uint32_t: env index of each state variable */
    imp_ref rows;    /* uint32_t: row of each state variable */
    /* Where formulas of the motion change their branch (abs, min, max, if,
     * sign, floor ...). guard (series; ROW source 0: the block, of observers 1:
     * the motion): per imp_guard its argument u, then the size of u's terms */
    uint32_t guard;
    imp_ref guards; /* imp_guard */
    imp_ref relays; /* imp_relays (abi/relays.h): one, or none */
} imp_block;

enum imp_guard_kind {
    IMP_GUARD_SIGN,        /* u goes through zero */
    IMP_GUARD_WHOLE,       /* u goes through a whole number */
    IMP_GUARD_HALF,        /* u goes through half a whole number */
    IMP_GUARD_GROWTH_SIGN, /* the same, where no branch changes: a step ends */
    IMP_GUARD_GROWTH_WHOLE,
    IMP_GUARD_ROW, /* u is a table's row, whose ends two of kind SIGN tell */
    IMP_GUARD_END  /* like SIGN: a function that turns back where it is 0; its
                      own series, which others follow, too, bounds no step */
};
typedef struct imp_guard {
    uint32_t kind;
    uint32_t gap;    /* 1: a gap depends on it, not only forces */
    imp_range range; /* where the formula is written */
} imp_guard;

enum imp_drawing_kind {
#define DRAWING(KIND, word, shapes, points, lengths, angles, doc)              \
    IMP_DRAWING_##KIND,
#include "abi/drawings.def"
    IMP_DRAWING_COUNT
};
typedef struct imp_drawing {
    imp_str name;
    uint32_t kind; /* enum imp_drawing_kind */
    uint32_t n;    /* numbers: places x, y, then lengths, then angles */
    /* Of an outline: a tape that gives its n_point corners (x, y), or its
     * n_plane half-planes a.x <= b (3 numbers each), or, where it has neither,
     * its level set at two locals. IMP_NO_TAPE for other kinds. */
    uint32_t shape, n_point, n_plane;
    imp_range range;
} imp_drawing;

/* generalised coordinates, numbered over all systems */
typedef struct imp_coordinate {
    imp_str name, unit, rate_unit; /* SI text */
    uint32_t env,
        env_rate; /* IMP_NO_RATE: an observer variable of first order */
    imp_range range, range_start;
} imp_coordinate;
#define IMP_NO_RATE 0xffffffffu
/* Motion in n generalised coordinates. The setup tape gives the values and
 * rates at the start; state: the n values from env_state on, then n rates. */
/* constant mass matrix and acceleration, all gaps linear in the coordinates
 * (found on the graph): runtime/ballistic/ballistic.h */
#define IMP_SYSTEMF_LINE 1u
#define IMP_OBSERVER_MOTION 1u
/* ROW source of the guards of a system: the memory of its contacts, two rows of
 * each that remembers */
#define IMP_SYSTEM_MEMORY 2u
typedef struct imp_system {
    imp_str name, energy_unit;
    uint32_t first, n; /* coordinates */
    uint32_t env_state, block;
    uint32_t contact, n_contact;
    uint32_t energy; /* eval: kinetic, potential energy */
    uint32_t mass;   /* eval: mass matrix, n x n row-major */
    uint32_t pull;   /* eval: as of bodies (n); IMP_NO_TAPE without friction */
    uint32_t flags;
    /* Motion while contacts are closed: those whose ACTIVE is 1 keep their gap,
     * by forces lambda, one per contact of the system (0 where not active);
     * n_rub contacts have friction, in their order, and each a further lambda,
     * the force along its slip: while STICK is 1 it keeps the slip, else it is
     * -SIGN mu times the normal force. Series; local: lambda. Rows: of the
     * state, of the m normal forces, then per contact with friction of its
     * friction, its slip, and of mu_static times the normal force minus, and
     * plus, the friction. solve (eval; local: lambda): residual, Jacobian.
     * IMP_NO_TAPE without contacts, and for IMP_SYSTEMF_LINE where no observer
     * and no derivative that is asked for feels the sliding. */
    uint32_t modal, solve, n_rub;
    /* contacts with a compliance: in modal a further row each, in their order,
     * its force while SOFT is CONTACT_PRESSED, else 0; SOFT contacts that are
     * active have that force instead of keeping their gap */
    uint32_t n_soft;
    /* contacts that remember (IMP_CONTACTF_REMEMBERS): in modal two further
     * rows each, in their order, behind the forces: PUSHED and COMPRESSED */
    uint32_t n_memory;
    imp_ref rows; /* uint32_t */
    /* Observer variables, which feel the motion and do not act on it:
     * coordinates first + n .. first + n + n_observer - 1, n_observed entries
     * of state behind the rates. observer: their block; its tapes read the
     * motion as ROW source IMP_OBSERVER_MOTION: coordinates, rates and
     * accelerations, n rows each. jump
     * (eval; local: rates before an impact (n), after it (n); env: the state,
     * positions of the impact): what it adds to each (n_observed); IMP_NO_TAPE:
     * nothing ever. IMP_NO_BLOCK and 0 where there are none. */
    uint32_t n_observer, n_observed, observer, jump;
    /* What it looks like: draw (eval) gives the numbers of all drawings, one
     * after the other; IMP_NO_TAPE where there are none. */
    uint32_t draw;
    imp_ref drawings; /* imp_drawing */
    imp_range range, range_mass, range_observer;
} imp_system;

/* it has friction (not the literal 0), more than a number of params; it has
 * none, and a command reads its force: rows[] are those of imp_block.told */
enum { IMP_JOINTF_RUBS = 1, IMP_JOINTF_VARIES = 2, IMP_JOINTF_TELLS = 4 };
/* what its block tells of a joint with friction (imp_block.rub), and in the
 * rows of the motion (imp_joint.rows) */
enum imp_rub_told {
    IMP_RUB_RATE,
    IMP_RUB_RATE_CHANGE, /* the derivative of the rate */
    IMP_RUB_PLACE,
    IMP_RUB_MU,
    IMP_RUB_MU_STATIC,
    IMP_RUB_SIZE, /* squares of mass times acceleration of its bodies */
    IMP_RUB_TOLD
};
enum imp_rub_row {
    IMP_RUBROW_FRICTION,
    IMP_RUBROW_FORCE, /* 2: as IMP_JOINT_FORCE */
    IMP_RUBROW_RATE = 3,
    IMP_RUBROW_MU,
    IMP_RUBROW_MU_STATIC,
    IMP_RUB_ROWS
};
typedef struct imp_joint {
    imp_str name;
    uint32_t kind, flags; /* enum imp_joint_kind; IMP_JOINTF_... */
    /* with friction, or told: its block and rows of the motion; with friction:
     * its friction among the unknowns, and the first of two that load it */
    uint32_t block, friction, force, rows[IMP_RUB_ROWS];
    uint32_t body[2], env_joint; /* IMP_WORLD possible, not for both */
    uint32_t carrier;            /* body or IMP_WORLD: its point goes with it */
    uint32_t n_rate, n_user; /* entries of RATE; rows of a user's constraint */
    imp_range range, range_at, range_axis, range_axis2, range_rate;
    imp_range range_friction, range_width;
} imp_joint;

/* A symmetric wheel that turns about an axis of its body, whose inertia counts
 * it as if it turned with the body. Its entry of state z makes its angular
 * momentum about the axis INERTIA z beside what the inertia of the body in env
 * has: while the rotor is HELD the latter counts it, and z is its rate against
 * the body (0 where friction holds it); else it does not, and z is the rate
 * against the world: an impact, which a free rotor does not feel, leaves it. */
#define IMP_ROTORF_HOLDS 1u  /* a motor holds its rate */
#define IMP_ROTORF_RUBS 2u   /* it has friction */
#define IMP_ROTORF_STEADY 4u /* torques: of nothing but its slip and params */
typedef struct imp_rotor {
    imp_str name;
    uint32_t body, flags;
    uint32_t env_rotor, env_state;
    /* with IMP_ROTORF_RUBS (else IMP_NO_TAPE): torques about the axis, series;
     * ROW source 0: the block: friction while it turns (>= 0), greatest while
     * it is held, motor; law (eval): the same at the present state */
    uint32_t law, along, rows[3];
    imp_range range, range_axis, range_inertia, range_friction;
} imp_rotor;

#define IMP_NO_SYSTEM 0xffffffffu
#define IMP_CONTACTF_STATED                                                    \
    1u /* `at` and `normal` or `direction` given: no kkt, event, impact tapes  \
        */
#define IMP_CONTACTF_PRIORITY 2u /* priority given */
#define IMP_CONTACTF_CORNERS                                                   \
    4u /* a body of it is a polytope (and not both are                         \
          smooth or flat): runtime/gap/polytope_contact.h finds gap            \
          and points; kkt, event and impact are                                \
          IMP_NO_TAPE */
#define IMP_CONTACTF_NORMAL                                                    \
    8u /* corners, `normal` given without `at`: it                             \
          holds where the shapes leave the normal                              \
          open (DIRECTION in env, world axes at the                            \
          start, carried by the first body) */
/* the contact has friction (a coefficient that is not the literal 0) */
#define IMP_CONTACTF_FRICTION 16u
/* the restitution names its law; a bare number means Newton's law without
 * friction, and the energetic law with it */
#define IMP_CONTACTF_LAW 32u
/* the model records IMP_CONTACT_MOBILITY or IMP_CONTACT_LOAD of it */
#define IMP_CONTACTF_POINT 64u
/* and IMP_CONTACT_STORED */
#define IMP_CONTACTF_STORED 4096u
/* Alike contacts have the same tapes kkt, event, opening, relative and those of
 * features. These read their bodies not where the bodies are in env, but from
 * layout.pair on: contact_bodies_enter puts them there. */
#define IMP_CONTACTF_ALIKE 128u
/* Beside its own pair it stands for all pairs of a body of its first side with
 * one of its second side (imp_body.sides) that have no contact of their own:
 * there are too many to keep them one by one (runtime/instance/contact_table.h,
 * imp_pattern). Its number: */
#define IMP_CONTACTF_RULE 256u
#define IMP_CONTACT_RULES 16u
#define IMP_CONTACT_RULE_SHIFT 16u
#define IMP_CONTACT_RULE(flags)                                                \
    ((flags) >> IMP_CONTACT_RULE_SHIFT & (IMP_CONTACT_RULES - 1u))
/* states its `stiffness` */
#define IMP_CONTACTF_BOND 1024u
/* the model records IMP_CONTACT_SLIP of it, a contact of bodies */
#define IMP_CONTACTF_SLIP 512u
/* a coefficient of friction changes along the motion */
#define IMP_CONTACTF_VARIES 2048u
/* without friction: the model records IMP_CONTACT_NORMAL_FORCE or
 * IMP_CONTACT_MODE of it all the same */
#define IMP_CONTACTF_LOAD 16384u
/* an impact takes all of the velocity of its points (`restitution = sticking`);
 * E in env is 0 */
#define IMP_CONTACTF_STICKS 8192u
/* its compliance, or a record, reads what its compression has done */
#define IMP_CONTACTF_REMEMBERS 32768u
typedef struct imp_contact {
    imp_str name;
    uint32_t body[2];
    uint32_t flags;
    uint32_t law;
    uint32_t env_contact;
    /* a contact of a system (else IMP_NO_SYSTEM): body is IMP_WORLD twice;
     * event (series; ROW source 0: the system's block): the gap. gradient
     * (eval): gap, its rate, then dgap/dq (n). */
    uint32_t system, gradient;
    imp_str gap_unit;
    /* A contact of a system that states its slip (else IMP_NO_TAPE), eval:
     * slip velocity u; its derivative without accelerations; the coefficients
     * of friction: slipping, sticking, of an impact; then du/dq' (n). */
    uint32_t slip;
    /* A contact of a system with friction that `painleve` asks about (else
     * IMP_NO_TAPE), eval; local: the slip's speed. With M the mass matrix, f
     * the generalised forces, d = dgap/dq, c = du/dq', C = d.M^-1 d, B = d.M^-1
     * c, b the second derivative of the gap in free motion: C, B, dC/dq (n),
     * dB/dq (n), dC/dt, dB/dt; db/dq'.M^-1 c, db/dq'.M^-1 d; mu, dmu/dq (n),
     * dmu/dt, dmu/dspeed; df/dq, dd/dq, dc/dq (n x n each).
     * Of bodies in the plane, whose joints have no friction and which have no
     * rotors, with x, y and the angle of each body of the blocks of both (n in
     * all, block by block) and m conditions phi = 0 of joints; local: the
     * slip's speed, then m multipliers z: dmu/dt, dmu/dspeed, dmu/dq (n),
     * dmu/dq' (n); the forces f without contacts and joints (n), df/dq, df/dq'
     * (n x n each); and where m > 0 per condition phi (0 where it holds
     * velocities only), 1 (0 there), dphi'/dq' (n), then with s = z.dphi'/dq'
     * ds/dq (n x n), ds/dt (n), and the derivative of z.phi'', of what does not
     * accelerate, by q' (n). */
    uint32_t instant;
    /* What a slip needs step by step, where there is the tape above (else
     * IMP_NO_TAPE), eval. Of bodies; local: the slip's speed: mu, f (n), and
     * per condition dphi'/dq' (n) and phi'' of what does not accelerate. Of
     * systems: gap and its rate, u, mu, A, B, C, a, b; M^-1 f, d, c, M^-1 d,
     * M^-1 c. */
    uint32_t slide;
    /* A contact with a compliance (else IMP_NO_TAPE), eval; local:
     * depth and speed, both scaled: the force (where positive), its derivatives
     * by depth and by speed, the scale. */
    uint32_t compliance;
    /* the same force as imp_contact.press has it, of systems, too */
    uint32_t compliance_series;
    uint32_t n_unknown; /* 6 in the plane, 8 in space */
    /* Unknowns u = (x in shape coordinates of body 0 (d), y of body 1 (d),
     * gamma, mu): G0(x) = 0; G1(y) = 0; r_Q - r_P = gamma N0; N1 + mu N0 = 0,
     * N = R grad G. gap = gamma |N0|, mu > 0.
     * kkt (eval): local u; outputs F (n), J (n*n row-major), gap.
     * event (series; local u; ROW sources: block of body 0, block of body 1):
     * outputs: gap, then u (n). */
    uint32_t kkt, event;
    /* IMP_CONTACTF_CORNERS. relative (series; ROW sources as event): the pose
     * of body 1 in the axes of body 0: centre c (d entries), then rotation by
     * rows (d*d): a point x1 (about the mass centre, body axes) of body 1 is at
     * c + R x1 in the axes of body 0, about its mass centre. */
    uint32_t relative;
    /* a smooth body against a polytope: the number of the smooth body, and
     * tapes like kkt and event for its nearest point to a vertex, an edge (its
     * line), a face (its plane) of the polytope. Local: the unknowns, then the
     * numbers of the feature; see mechanics/smooth_polytope.c */
    uint32_t smooth, feature_kkt[3], feature_event[3];
    /* two smooth bodies, or one and a half-space: series; local and ROW sources
     * as event. Outputs: gap, then per body how fast it opens the gap: by
     * velocity (d entries, world axes), by spin (body axes; 1 in the plane, 3),
     * 0 for fixed bodies. In the plane, where friction is stated, then in the
     * axes of body 0: the touching point (2), the normal from body 0 to body 1
     * (2), the centre of body 1 (2), cosine and sine of its angle. IMP_NO_TAPE
     * where nothing asks for it. */
    uint32_t opening;
    /* Coefficients of friction between bodies that are no numbers (else
     * IMP_NO_TAPE): slipping, sticking, of an impact. rub_now (eval; local 0:
     * the speed of slip); rub (series; ROW sources as event, then source 2, row
     * 0: the speed of slip). rub_guard (series, as rub): where slipping and
     * sticking change their branch, as the guard of a block; IMP_NO_TAPE
     * without branches. */
    uint32_t rub_now, rub, rub_guard;
    imp_ref rub_guards; /* imp_guard */
    /* The compliance of two bodies (else IMP_NO_TAPE): press (series; ROW
     * source 0: rows 0 to 3 are depth, speed, impulse and compression, scaled):
     * the force, where it
     * is negative, too. press_guard (series, as press): where it changes its
     * branch. */
    uint32_t press, press_guard;
    imp_ref press_guards; /* imp_guard */
    /* Laws of impacts by formulas (else IMP_NO_TAPE), eval. bounce; local:
     * speed of approach > 0: restitution, its derivative. own; local: as struct
     * impact_own_law says: normal and tangential impulse. */
    uint32_t bounce, own;
    imp_range range, range_e, range_mu, range_at, range_direction;
    imp_range range_compliance, range_own;
    /* A contact of a system with a polygon whose corners are made of params:
     * how many (else 0), and where they stand in env, as those of a body do
     * (imp_body.env_poly). Set-up alone reads them: each must be a corner. */
    uint32_t n_corner, env_corner;
    imp_range range_corner;
} imp_contact;

/* What a contact of a rule is like between bodies of these kinds, the first of
 * which has the lower number; body, name and env_contact are set when one is
 * made. */
typedef struct imp_pattern {
    uint32_t rule, kind[2];
    imp_contact contact;
} imp_pattern;

/* ---- values and commands ------------------------------------------------ */

enum imp_val_kind {
    IMP_VAL_NONE,
    IMP_VAL_NUM,     /* rows x cols numbers: outputs of an eval tape */
    IMP_VAL_TEXT,    /* text */
    IMP_VAL_WORD,    /* a bare word, in text */
    IMP_VAL_BOOL,    /* a truth value: one output of a tape */
    IMP_VAL_BODY,    /* ref: index */
    IMP_VAL_CONTACT, /* ref: index */
    IMP_VAL_RESULT,  /* ref: command index: the whole record */
    IMP_VAL_FIELD,   /* ref: command index, field: field index */
    IMP_VAL_LIST,    /* items */
    IMP_VAL_PARAM,   /* ref: index */
    IMP_VAL_SYSTEM,  /* ref: index */
    IMP_VAL_ALONG,   /* one number of a whole run: IMP_ALONG_ORDER + 1 Taylor
                        coefficients; field: enum imp_along_kind. Then those of
                        ref functions at whose zeros, and of others at whose
                        extremes they hold no more */
    IMP_VAL_COLUMN,  /* a list: the tape's outputs (rows of them), once per
                        entry of its cells; ref: a list of the same length */
    IMP_VAL_LAW      /* a user's impact law: its tape is as imp_contact.own */
};
/* In `record` of a run: sup(x), sup(abs(x)), inf(x), integral(x) in t,
 * first(a > b), first(a >= b) and first(a == b), whose x is a - b. */
#define IMP_ALONG_ORDER 16
/* the last coefficient where there is no series, as at the root of 0 */
#define IMP_ALONG_BLUNT 1e300
enum imp_along_kind {
    IMP_ALONG_SUP,
    IMP_ALONG_SUP_ABS,
    IMP_ALONG_INF,
    IMP_ALONG_INTEGRAL,
    IMP_ALONG_FIRST,
    IMP_ALONG_REACHED,
    IMP_ALONG_EQUAL
};
typedef struct imp_val {
    uint32_t kind;
    uint32_t rows, cols; /* 1 x 1 scalar, n x 1 vector. FIELD: rows is 0, or 1
                            for one entry of a list of texts, number cols (as
                            int32_t; negative: from the end) */
    uint32_t tape;
    uint32_t ref, field;
    uint32_t compare; /* expect: outputs are (truth, left, right) if 1; COLUMN:
                         its entries are truth values */
    uint32_t words;   /* COLUMN: 1 + table, or 1 + IMP_RECORD_TEXTS; its entries
                         number words of the column `field` there; 0: numbers */
    imp_ref items;    /* imp_val */
    imp_ref contacts; /* uint32_t: contacts whose env entries the tape reads */
    imp_ref slots;    /* uint32_t: slots the tape reads */
    imp_ref series;   /* imp_want: series the tape reads, and what these read,
                         ascending */
    imp_ref cells;    /* imp_cell: locals of the tape of a COLUMN */
    imp_ref numbers;  /* double: rows x cols constants in place of a tape
                         (values of a sweep) */
    imp_str text;     /* TEXT, WORD */
    imp_str label;    /* the user's source text, formatted */
    imp_str unit;     /* SI unit of the numbers */
    imp_str name;     /* identifier for a recorded column */
    imp_range range;
} imp_val;

/* The Taylor series in t of an expression along the motion (`'`, series()).
 * ROW sources of its tape: the motion of block s; from blocks.n on the event
 * tape of contact s; from there the derived rows of series s (lower numbers
 * only): row m of them is the series of coefficient m as a function of t,
 *     d_k = (k + m)!/(k! m!) c_{k+m};
 * from there what a run tells of contact s (enum imp_contact_row), from there
 * what it tells of joint s (IMP_JOINT_ROWS). */
typedef struct imp_series {
    uint32_t tape, row; /* series tape; row of its output in work */
    uint32_t order;     /* highest coefficient that is ever wanted */
    uint32_t env;       /* entry of coefficient 0 in env */
    imp_range range;
} imp_series;
typedef struct imp_want {
    uint32_t series, order;
} imp_want;

/* a number taken from an earlier result before a tape runs */
enum imp_slot_kind {
    IMP_SLOT_NUM,  /* element `index` of a NUM/VEC/MAT/BOOL field */
    IMP_SLOT_ITEM, /* element `index` of a LIST/VECS field (run-time checked;
                      negative counts from the end) */
    IMP_SLOT_MIN,  /* reductions of a LIST */
    IMP_SLOT_MAX,
    IMP_SLOT_SUM,
    IMP_SLOT_LENGTH, /* of a LIST, TEXTS, VECS */
    IMP_SLOT_TEXTEQ, /* 1 if a TEXT equals `text`; absent counts as unequal */
    IMP_SLOT_TEXTITEMEQ, /* the same for element `index` of TEXTS */
    IMP_SLOT_PRESENT,    /* 1 if the field is not absent */
    IMP_SLOT_LIST        /* number `index` of the list `command`; n > 1: of all
                            n entries, a table; field 1: they have to rise */
};
typedef struct imp_slot {
    uint32_t kind, command, field;
    int32_t index;
    uint32_t at, n; /* entries of env behind layout.slots: first, how many */
    imp_str text;
    imp_range range;
} imp_slot;

enum imp_field_kind {
    IMP_FIELD_NUM,
    IMP_FIELD_VEC,
    IMP_FIELD_SPIN,
    IMP_FIELD_BOOL,
    IMP_FIELD_TEXT,
    IMP_FIELD_LIST,
    IMP_FIELD_TEXTS,
    IMP_FIELD_VECS,
    IMP_FIELD_MAT
};
typedef struct imp_field {
    imp_str name, unit, doc;
    uint32_t kind;
    uint32_t column; /* simulate: 1 + number of the recorded column; else 0 */
    /* entries per VEC/SPIN/VECS item, and per member of a family or 0 */
    uint32_t width, member;
    int32_t first; /* index of the first member */
} imp_field;

/* what the value of an option is: KIND of its row in abi/commands.def */
enum imp_option_kind {
    IMP_OPTK_NUM,
    IMP_OPTK_BOOL,
    IMP_OPTK_WORD,
    IMP_OPTK_TEXT,
    IMP_OPTK_FILE,
    IMP_OPTK_CONTACTS,
    IMP_OPTK_VALUES,
    IMP_OPTK_TIMES,
    IMP_OPTK_AXIS,
    IMP_OPTK_AXES,
    IMP_OPTK_QUESTION,
    IMP_OPTK_NUMBERS,
    IMP_OPTK_CURVES
};

typedef struct imp_opt {
    uint32_t id; /* enum imp_option_id */
    imp_val val; /* LIST for CONTACTS, VALUES */
} imp_opt;
/* EARLIER (REPL): its record is handed over. INNER: asked by a sweep only */
enum imp_done { IMP_DONE_NOT, IMP_DONE_EARLIER, IMP_DONE_INNER };
typedef struct imp_command {
    uint32_t id;    /* enum imp_command_id */
    imp_str bound;  /* `let NAME = ...`, "" if unbound */
    imp_ref args;   /* imp_val */
    imp_ref opts;   /* imp_opt */
    imp_ref fields; /* imp_field: record schema */
    imp_range range;
    uint32_t done; /* enum imp_done */
} imp_command;

/* world: what an impact may not do (bits of `forbid`) */
#define IMP_FORBID_NEGATIVE 1u   /* pull: a negative impulse */
#define IMP_FORBID_GAIN 2u       /* raise the energy */
#define IMP_FORBID_SEPARATING 4u /* have points that separate before it */
enum imp_policy { IMP_POLICY_THROUGH, IMP_POLICY_STOP, IMP_POLICY_ENFORCE };

typedef struct imp_image {
    uint32_t magic, abi, size;
    uint32_t room; /* bytes behind it that the first run may use */
    uint32_t dim;  /* 2, 3, or 0 for a model without bodies */
    imp_str name;  /* model file, as given */
    imp_layout layout;
    /* eval: no local; n_setup numbers: raw entries of all bodies (each
     * IMP_RAW_SIZE), per contact e, mu, at (3), direction (3), priority, static
     * mu, mu of impacts, stiffness and exponent (IMP_CONTACT_OUTS), per joint
     * IMP_JOINT_RAW, per rotor IMP_ROTOR_RAW, of the world gravity (3),
     * tolerance, seed, the poly entries of all polytopes, per coordinate value
     * and rate at the start, per draw its bounds. They are the outputs of the
     * tape, or what `fills` (imp_fill) says if there are any. */
    uint32_t setup, n_setup;
    imp_ref fills, numbers; /* numbers: double */
    uint32_t policy, has_policy, gain_allowed, has_tolerance;
    uint32_t forbid;          /* IMP_FORBID_... */
    uint32_t start_projected; /* stated velocities, onto what joints allow */
    uint32_t impact_law;      /* enum imp_impact_law: world's `law` */
    uint32_t paradox;         /* row of abi/paradox.def: world's `paradox` */
    uint32_t loads;           /* row of abi/loads.def: world's `loads` */
    uint32_t corners;         /* row of abi/corners.def: world's `corners` */
    imp_range range_tolerance;
    imp_ref sources;     /* imp_source; file number f is entry f-1 */
    imp_ref params;      /* imp_param */
    imp_ref tapes;       /* imp_tape */
    imp_ref bodies;      /* imp_body */
    imp_ref places;      /* imp_places */
    imp_ref blocks;      /* imp_block */
    imp_ref contacts;    /* imp_contact; `stated`: without those of a run */
    imp_ref stated;      /* (runtime/instance/contact_table.h) */
    imp_ref patterns;    /* imp_pattern */
    uint32_t n_kinds;    /* imp_body.kind is less */
    imp_ref joints;      /* imp_joint */
    imp_ref rotors;      /* imp_rotor */
    imp_ref coordinates; /* imp_coordinate */
    imp_ref systems;     /* imp_system */
    imp_ref draws;       /* imp_draw */
    imp_ref slots;       /* imp_slot */
    imp_ref given;       /* uint32_t: slots that tapes of the model read: they
                            are made of data and params, and filled at set-up */
    imp_ref series;      /* imp_series */
    imp_ref lists;       /* imp_list */
    imp_ref tables;      /* imp_table */
    imp_ref commands;    /* imp_command */
} imp_image;

static inline const void *
imp_at(const imp_image *im, uint32_t off)
{
    return (const char *)im + off;
}
#define IMP_ARRAY(im, ref, type) ((const type *)imp_at((im), (ref).off))
static inline const imp_places *
imp_places_of(const imp_image *im, const imp_body *body)
{
    return IMP_ARRAY(im, im->places, imp_places) + body->places;
}
static inline const char *
imp_text(const imp_image *im, imp_str s)
{
    return s.n ? (const char *)imp_at(im, s.off) : "";
}

#endif
