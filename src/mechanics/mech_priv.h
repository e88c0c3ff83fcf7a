/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share while one model is compiled. All vectors
 * are three-dimensional; in the plane the third entry (spins: the first two)
 * is literal zero. */
#ifndef IMP_MECHANICS_MECH_PRIV_H
#define IMP_MECHANICS_MECH_PRIV_H

#include "base/arena.h"
#include "calculus/image.h"
#include "calculus/tape.h"
#include "mechanics/mech.h"
#include "mechanics/vec.h"

/* the place and attitude of a body, from whatever leaves suit a tape */
struct pose {
    vec3 c;            /* mass centre, world */
    mat3 R;            /* body -> world */
    quat q;            /* space only */
    const expr *cs[2]; /* plane only: cosine, sine */
};

struct mbody {
    const struct tm_body *decl;
    uint32_t index, flags, orient;
    uint32_t env_raw, env_body, env_state, block;
    bool fixed, prescribed, touches; /* touches: a contact of its surface */
    uint32_t g0, g2, g3, kinematics, energy, refresh;
    uint32_t pose_row[7];
    const uint32_t *state_row; /* of the state in the block's motion */

    /* level set and derivatives in SYM_LOCAL; NULL entries where unused */
    const expr *G, *grad[3];

    /* constants (env) */
    const expr *mass, *invmass;
    mat3 J, invJ; /* about the mass centre, body axes */
    bool diagonal;
    vec3 shape_centre; /* mass centre in shape coordinates */

    /* state, as SYM_STATE, SYM_ENV or expressions of TIME */
    struct pose pose;
    const expr *angle; /* plane */
    vec3 v;            /* of the mass centre, world */
    vec3 w_body, w;    /* spin in body axes, in world axes */

    /* rates, filled by block_build */
    vec3 acc;           /* world */
    vec3 alpha;         /* d(w_body)/dt, body axes */
    vec3 force, torque; /* world, lowered */
};

struct mblock {
    uint32_t *bodies;
    uint32_t n;
    /* leaves and their rates along the flow; the first is t with rate 1 */
    const expr **leaf, **rate;
    size_t n_leaf;
    /* joints: conditions with their derivatives (phi NULL: velocities only), C
     * per row, body and velocity, J = C M^-1 C^T; joint.c */
    const expr **phi, **dphi, **ddphi, **C, **J;
    uint32_t n_row;
    imp_block out;
};

/* forces of sliding contacts: unknowns, in which the residual is linear */
struct sliding {
    uint32_t n;
    const expr *const *residual, *const *J; /* n, n x n */
};
/* a system in generalised coordinates; coordinates are state leaves */
struct msystem {
    const struct tm_system *decl;
    uint32_t env_state, block;
    uint32_t energy, mass, flags, modal, solve;
    imp_ref rows;
    const expr *kinetic, *potential; /* of the state */
    const uint32_t *row;             /* of the state in the block's motion */
    const expr *const *leaf, *const *rate; /* 2 n; of the sliding motion */
    struct sliding slide;
    uint32_t n_observed, observer, jump; /* as imp_system's */
    const uint32_t *observed; /* of the state and of the observers' in theirs */
};

struct mech {
    struct tm_model *model;
    struct graph *graph;
    struct arena *arena;
    struct image_builder *image;
    struct diags *diags;
    uint32_t dim;     /* 2 or 3 */
    uint32_t n_state; /* entries per body */
    imp_layout layout;
    struct mbody *bodies;
    struct mblock *blocks;
    size_t n_blocks;
    struct msystem *systems;
    vec3 gravity;             /* expressions of params and t */
    uint32_t (*event_row)[9]; /* per contact: rows of gap and unknowns */
    /* the flow of all bodies, as far as it needs no forces: t and poses */
    const expr **leaf, **rate;
    size_t n_leaf;
    uint32_t *series_env; /* per series: entry of coefficient 0 in env */
};

/* range used when a message has no better place */
imp_range mech_range(imp_range r, imp_range otherwise);

/* -- symbols -- */
const expr *sym_env(struct mech *mech, uint32_t i);
const expr *sym_state(struct mech *mech, uint32_t i);
const expr *sym_time(struct mech *mech);
uint32_t mech_env_of(void *ctx, const expr *leaf); /* tape_spec.env_of */
/* eval tape of the given outputs */
uint32_t mech_eval_tape(struct mech *mech, const char *name, uint32_t n_local,
                        const expr *const *outs, size_t n_outs);

/* -- body.c: shapes, constants, state -- */
bool body_build(struct mech *mech, struct mbody *body);
/* -- shape.c -- */
bool shape_build(struct mech *mech, struct mbody *body);

/* -- block.c: coupling, rates, motion, kinematics and energy tapes -- */
bool block_build(struct mech *mech);

/* does a command follow the motion through touches that last? */
bool mech_simulates(const struct mech *mech);

/* -- guard.c: where formulas change their branch -- */
/* does e change its branch along the motion? */
bool guard_in(struct mech *mech, const expr *formula);
/* guard tape of a block whose motion is made of the formulas f; its state
 * leaves have these rows, its unknowns the rows behind them */
void guard_build(struct mech *mech, imp_block *out, const char *name,
                 const expr *const *leaf, const uint32_t *rows, size_t n,
                 const expr *const *f, size_t n_f);

/* -- joint.c -- */
/* conditions phi'' of the joints of a block with the bodies' accelerations as
 * they stand now, into out (n_row) */
void joint_conditions(struct mech *mech, uint32_t index, const expr **out);
/* calls back for each pair of moving bodies that a joint connects */
void joint_couple(struct mech *mech,
                  void (*together)(void *ctx, uint32_t a, uint32_t b),
                  void *ctx);
/* conditions of the joints of a block; accelerations get their reactions */
bool joint_rates(struct mech *mech, uint32_t index);
void joint_tapes(struct mech *mech, struct mblock *block);

/* -- system.c -- */
/* equations of motion, blocks of their own */
bool system_build(struct mech *mech);
/* env of a coordinate's or variable's derivative */
uint32_t system_env(const struct mech *mech, uint32_t coordinate,
                    uint32_t order);
/* motion of n state leaves, env entries from `first` on, as a block; rows of
 * the state, then of the unknowns */
const uint32_t *system_block(struct mech *mech, uint32_t index,
                             const char *name, uint32_t first,
                             const expr *const *leaf, const expr *const *rate,
                             uint32_t count, const struct sliding *slide);
void system_contact(struct mech *mech, uint32_t contact, imp_contact *out);
/* SYM_COORD, SYM_SYSTEM by the state; NULL for any other leaf */
const expr *system_leaf(struct mech *mech, const expr *leaf);
/* row of a state variable of a system in its block; false: it is of none */
bool system_row(const struct mech *mech, uint32_t env, uint32_t *block,
                uint32_t *row);
/* -- observer.c -- */
/* entries of state of a system's observers */
uint32_t observer_size(const struct mech *mech, const struct tm_system *decl);
void observer_build(struct mech *mech, struct msystem *system);

imp_ref image_coordinates(struct mech *mech);
imp_ref image_systems(struct mech *mech);

/* -- contact.c -- */
bool contact_build(struct mech *mech, uint32_t contact, imp_contact *out);
/* -- impact.c: the handler's tape; x, y: unknowns of both bodies */
uint32_t impact_build(struct mech *mech, uint32_t contact);
/* level-set gradient of body b at the point x (shape coordinates) */
vec3 contact_gradient(struct mech *mech, const struct mbody *body, vec3 x);
/* G_t/|grad G| at x: the speed at which the surface of a shape that contains t
 * recedes into the body; 0 for other shapes */
const expr *contact_recede(struct mech *mech, const struct mbody *body, vec3 x);
/* unknowns of a contact: part 0: x, part 1: y, part 2: (gamma, mu, -) */
vec3 contact_unknown(struct mech *mech, int part);
/* e, an expression of a shape's coordinates, at the point x */
const expr *contact_at(struct mech *mech, const expr *e, vec3 x);
/* pose of body b for series: rows of its block's motion, source s */
struct pose contact_pose_rows(struct mech *mech, const struct mbody *body,
                              uint32_t source);
/* rotation from the axes of `from` to those of `to` */
mat3 contact_rotation(struct mech *mech, const struct pose *to,
                      const struct pose *from);
/* -- corner_smooth.c: smooth, feature_kkt, feature_event of a contact of a
 * smooth body (`smooth`: 0 or 1) with a polytope */
void corner_smooth_build(struct mech *mech, uint32_t contact, uint32_t smooth,
                         imp_contact *out);

/* -- corner.c: contacts of polytopes -- */
/* a polytope that is no half-plane or half-space */
bool body_has_corners(const struct mbody *body);
void corner_build(struct mech *mech, uint32_t contact, imp_contact *out);

/* -- setup.c -- */
uint32_t setup_tape(struct mech *mech);
imp_ref image_joints(struct mech *mech);
imp_ref image_draws(struct mech *mech);

/* -- lower.c -- */
/* kinetic and potential energy, momentum, angular momentum of one body */
const expr *body_kinetic(struct mech *mech, const struct mbody *body);
const expr *body_potential(struct mech *mech, const struct mbody *body);
vec3 body_momentum(struct mech *mech, const struct mbody *body);
vec3 body_angular(struct mech *mech, const struct mbody *body);
/* SYM_BODY or SYM_TOTAL leaf by the state; NULL for any other */
const expr *lower_leaf(void *ctx, const expr *leaf);
imp_ref lower_commands(struct mech *mech);
imp_ref lower_slots(struct mech *mech);

/* -- series.c: time derivatives along the motion -- */
/* the table's place in env; at: first free entry; returns the next one */
uint32_t series_layout(struct mech *mech, uint32_t at);
imp_ref series_tapes(struct mech *mech);
/* lower_expr for forces: time derivatives become velocities; E0529 where they
 * would be accelerations */
const expr *series_in_force(struct mech *mech, const expr *e, imp_range where,
                            const char *body);
/* series that the leaves of outs read, with what these read: appends to
 * `contact` and `slot` (flags), returns imp_want[] */
imp_ref series_wants(struct mech *mech, const expr *const *outs, size_t n_out,
                     bool *contact, bool *slot);

#endif
