/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model while it is compiled, and the formulas that its tapes are made of:
 * symbols, poses, surfaces, coordinates, quantities of bodies, switching
 * functions. All vectors have three entries. In the plane the third entry of
 * a place or velocity, and the first two of a spin, are the literal zero.
 *
 * Expressions live in the model's graph, everything else in its arena; the
 * functions below return no memory that a caller frees. */
#ifndef IMP_MECHANICS_FORMULA_FORMULA_H
#define IMP_MECHANICS_FORMULA_FORMULA_H

#include "base/arena.h"
#include "base/diag.h"
#include "calculus/image.h"
#include "calculus/tape.h"
#include "check/context/typed_model.h"
#include "mechanics/formula/vec.h"

/* -- the model under compilation ------------------------------------------- */

/* Place and attitude of a body. The leaves depend on the tape: state
 * variables, entries of env, functions of t, or rows of a motion series. */
struct pose {
    vec3 c;            /* mass centre, world axes */
    mat3 R;            /* from body axes to world axes */
    quat q;            /* attitude; space only */
    const expr *cs[2]; /* cosine and sine of the angle; plane only */
};

/* Numbers of a body's tapes in the image, IMP_NO_TAPE where there is none. */
struct body_tapes {
    uint32_t g0, g2, g3; /* G; with gradient and Hessian; with third order */
    uint32_t kinematics, pull, energy, refresh;
};

/* Mass and inertia about the mass centre in body axes: entries of env, zero
 * for a fixed body. */
struct body_inertia {
    const expr *mass, *invmass;
    mat3 J, invJ;
};

/* What drives a body: filled by block_build. */
struct body_rates {
    vec3 acc;           /* acceleration of the mass centre, world axes */
    vec3 alpha;         /* d(w_body)/dt, body axes */
    vec3 force, torque; /* applied, world axes, as functions of the state */
};

/* The first entries of a body in env (imp_body). */
struct body_entries {
    uint32_t body, state, poly;
};
/* Its rows in the motion of its block. */
struct body_rows {
    uint32_t pose[7];
    const uint32_t *state; /* of the whole state */
};
/* Its level set and the gradient, in SYM_LOCAL; NULL without a shape. */
struct body_shape {
    const expr *G, *grad[3];
    vec3 centre;              /* mass centre in shape coordinates */
    const expr *const *timed; /* formulas of t that change their branch where */
    size_t n_timed;           /* G does */
};
/* Its constants, its state and what follows from that. */
struct body_formulas {
    struct body_inertia inertia;
    struct pose pose;
    const expr *angle; /* plane only */
    vec3 v;            /* velocity of the mass centre, world axes */
    vec3 w_body, w;    /* spin in body axes, in world axes */
    struct body_rates rate;
};
struct mbody {
    const struct tm_body *decl;
    uint32_t index, flags, orient; /* IMP_BODYF_*, IMP_ORIENT_* */
    struct body_entries env;
    uint32_t block;         /* IMP_NO_BLOCK for a fixed body */
    bool fixed, prescribed; /* prescribed: fixed, its pose a function of t */
    bool branches;          /* and this function has branches */
    bool touches;           /* a contact reads its surface */
    bool later; /* its formulas are made when they are asked for (mech.form) */
    bool diagonal; /* its matrix of inertia is, whatever the params are */
    uint32_t like; /* of block.c: the body whose tapes it has; its own number:
                      none */
    struct body_tapes tape;
    struct body_rows row;
    struct body_shape shape;
    struct body_formulas *form; /* NULL while they are left for later */
};

/* Unknowns that follow from residual = 0 along a motion: SYM_UNKNOWN 0 .. n-1,
 * n residuals, n x n exact derivatives, row-major. */
struct implicit {
    uint32_t n;
    const expr *const *residual, *const *jacobian;
    bool general; /* the matrix is not symmetric */
};

#define IMP_NO_UNKNOWN 0xffffffffu

/* Bodies that move together, or one system in generalised coordinates. */
struct mblock {
    uint32_t *bodies;
    uint32_t n;
    /* leaves and their rates along the flow; the first is t with rate 1 */
    const expr **leaf, **rate;
    size_t n_leaf;
    /* joints: n_row conditions phi with their derivatives (phi[i] NULL: a
     * condition on velocities only), C = d phi'/d(v, w) per row, body and
     * velocity */
    const expr **phi, **dphi, **C;
    uint32_t n_row;
    /* unknowns: n_row multipliers, then rates of spins; spin: the first one of
     * each body, IMP_NO_UNKNOWN where no joint turns it. Their equations: the
     * second derivatives of phi, then euler; K is the matrix of both. */
    uint32_t n_unknown, *spin;
    const expr **residual, **euler, **K;
    /* n_rub joints with friction (joint_friction.c). Their frictions are
     * multipliers from number first_rub on, then comes the share (first_rub +
     * n_rub; sharing: there is one). The motion has the conditions `rubbing`,
     * and `slope`, their derivatives by the unknowns. */
    struct mrub *rub;
    uint32_t n_rub, first_rub;
    bool sharing;
    const expr **rubbing, **slope;
    /* n_told joints without friction whose forces commands read */
    struct mtold *told;
    uint32_t n_told;
    imp_block out;
};

/* such a joint: its conditions are n from `first` on; its point, as the first
 * body carries it, in world axes */
struct mtold {
    uint32_t joint, first, n;
    vec3 point;
    uint32_t rows[IMP_JOINT_ROWS];
};

/* A joint with friction: its place, rate and what follows from the unknowns */
struct mrub {
    uint32_t joint, env, force; /* force: multiplier of its first condition */
    const expr *place, *rate, *change;
    const expr *mu, *mu_static, *size;
    uint32_t rows[IMP_RUB_ROWS];
};

/* A system in generalised coordinates q; its coordinates are state leaves. */
struct msystem {
    const struct tm_system *decl;
    uint32_t env_state, block;
    uint32_t energy, mass, pull, flags, modal, solve; /* as in imp_system */
    imp_ref rows;
    const expr *kinetic, *potential; /* of the state */
    const uint32_t *row;             /* of the state in the block's motion */
    /* the motion with sliding contacts: 2 n leaves (q, q') and rates */
    const expr *const *leaf, *const *rate;
    struct implicit slide; /* forces of the closed contacts */
    /* without contacts: generalised forces (n), accelerations (n), and the
     * mass matrix as ldl_factor leaves it */
    const expr *const *force, *const *free, *const *factor;
    uint32_t n_observed, observer, jump; /* as in imp_system */
    uint32_t draw;
    const uint32_t *observed; /* rows of the observers in their block */
};

/* A rotor: its entries of env as leaves. */
struct mrotor {
    const struct tm_rotor *decl;
    uint32_t body, env, state; /* state: its entry in env */
    uint32_t block, row;       /* its row in the motion of its block */
    vec3 axis;
    const expr *inertia, *held, *sign, *z;
    const expr *friction, *hardest, *motor; /* torques; 0 without */
    uint32_t law, along, rows[3];
};

struct mech {
    struct tm_model *model;
    struct graph *graph;
    struct arena *arena;
    struct image_builder *image;
    struct diags *diags;
    uint32_t dim;     /* 2 or 3 */
    uint32_t n_state; /* entries of state per body */
    imp_layout layout;
    struct mbody *bodies;
    /* makes the formulas of a body that were left for later (mech.c); called
     * before they are read */
    void (*form)(struct mech *mech, struct mbody *body);
    size_t n_branching; /* formulas of t with branches that move bodies or
                           their surfaces */
    struct mblock *blocks;
    size_t n_blocks;
    struct mrotor *rotors;
    struct msystem *systems;
    vec3 gravity;                /* a function of params and t */
    uint32_t (*event_row)[9];    /* per contact: rows of gap and unknowns */
    struct contact_kinds *kinds; /* of contact_kinds.c */
    /* the contacts of the model, then those of the patterns of its rules */
    const struct tm_contact *contacts;
    size_t n_contacts;
    /* of shape.c: bodies whose tapes others with the same level set share */
#define SHAPE_MASK 1023u
    const struct mbody *of_shape[SHAPE_MASK + 1];
    /* the part of the flow that needs no forces: t and the poses of all
     * bodies, with their rates; only where the model has series */
    const expr **leaf, **rate;
    size_t n_leaf;
    /* per slot: a tape of the model reads it; NULL while tapes of commands are
     * made */
    bool *given;
    uint32_t *slot_at;    /* per slot: its first entry behind layout.slots */
    uint32_t *series_env; /* per series: entry of coefficient 0 in env */
    struct { /* of restitution.c: the last law of the approach, and its tape */
        const expr *law;
        uint32_t tape;
    } bounce;
};

/* -- emit.c: symbols, and tapes made of expressions ------------------------ */

/* the range a message points at: r, or `otherwise` where r is unknown */
imp_range mech_range(imp_range r, imp_range otherwise);
const expr *sym_env(struct mech *mech, uint32_t i);
const expr *sym_state(struct mech *mech, uint32_t i);
const expr *sym_time(struct mech *mech);
/* Returns the entry of env that a leaf stands for (tape_spec.env_of). ctx:
 * struct mech */
uint32_t mech_env_of(void *ctx, const expr *leaf);
/* Is it a number that is made of data and params alone, known at set-up? */
bool mech_leaf_given(const struct mech *mech, const expr *leaf);
/* Adds an eval tape of n_outs outputs; returns its number. */
uint32_t mech_eval_tape(struct mech *mech, const char *name, uint32_t n_local,
                        const expr *const *outs, size_t n_outs);
/* Adds a series tape as `spec` says, env_of, ctx and series apart, which are
 * set here; returns its number. rows: the row of each output, or NULL. */
uint32_t mech_series_tape(struct mech *mech, struct tape_spec spec,
                          uint32_t *rows);
/* Does a command of the model simulate, so that contacts may stay closed? */
bool mech_simulates(const struct mech *mech);

/* -- surface.c: where bodies and their surfaces are ------------------------ */

/* Is the body a polytope that has vertices (no half-plane, half-space)? */
bool body_has_corners(const struct mbody *body);
/* unknowns of a contact: part 0: x, part 1: y, part 2: (gamma, mu, -) */
vec3 contact_unknown(struct mech *mech, int part);
/* an expression of shape coordinates at the point x */
const expr *surface_at(struct mech *mech, const expr *e, vec3 x);
/* gradient of the level set of a body at the point x, shape coordinates */
vec3 surface_gradient(struct mech *mech, const struct mbody *body, vec3 x);
/* pose of a body in a series tape: rows of its block's motion, which is the
 * tape's source number `source` */
struct pose pose_of_rows(struct mech *mech, const struct mbody *body,
                         uint32_t source);
/* The pose for the series of a gap, and for what is made of its closest points:
 * a ball about its mass centre (IMP_BODYF_ROUND) stays turned as it is when the
 * series begins, for its spin moves no surface, but would end series. */
struct pose pose_calm(struct mech *mech, const struct mbody *body,
                      struct pose pose);
/* the rotation from the axes of `from` to those of `to` */
mat3 rotation_between(struct mech *mech, const struct pose *to,
                      const struct pose *from);

/* -- coordinate.c: coordinates of systems ---------------------------------- */

/* entries of state that the observers of a system take */
uint32_t observer_size(const struct mech *mech, const struct tm_system *decl);
/* entry of env of a coordinate's or observer's derivative of this order */
uint32_t system_env(const struct mech *mech, uint32_t coordinate,
                    uint32_t order);
/* SYM_COORD and SYM_SYSTEM as functions of the state; NULL for other leaves */
const expr *system_leaf(struct mech *mech, const expr *leaf);
/* a formula of a system as a function of the state; 0 when e is NULL */
const expr *system_formula(struct mech *mech, const expr *e);
/* The block, and the row there, of entry `env` if it is a state variable of a
 * system; false if it is not. */
bool system_row(const struct mech *mech, uint32_t env, uint32_t *block,
                uint32_t *row);

/* -- quantity.c: what a model may ask of bodies and of all of them --------- */

const expr *body_kinetic(struct mech *mech, const struct mbody *body);
const expr *body_potential(struct mech *mech, const struct mbody *body);
vec3 body_momentum(struct mech *mech, const struct mbody *body);
/* about the world's origin: c x m v + R J w_body */
vec3 body_angular(struct mech *mech, const struct mbody *body);
/* what the spins of rotors against their body add to its kinetic energy; the
 * angular momentum (body axes) of all rotors of a body that its inertia does
 * not count */
const expr *rotor_kinetic(struct mech *mech, const struct mbody *body);
vec3 rotor_angular(struct mech *mech, const struct mbody *body);
/* entry of the inertia of a body with its rotors as if they were held */
const expr *rotor_whole_inertia(struct mech *mech, const struct mbody *body,
                                uint32_t entry);
const expr *rotor_quantity(struct mech *mech, const struct mrotor *rotor,
                           uint32_t quantity);
/* SYM_BODY, SYM_ROTOR, SYM_TOTAL, SYM_COORD, SYM_SYSTEM as functions of the
 * state; NULL for other leaves. ctx: struct mech */
const expr *quantity_leaf(void *ctx, const expr *leaf);

/* -- switching.c: where formulas change their branch ----------------------- */

/* Does e change its branch along the motion? */
bool switching_in(struct mech *mech, const expr *e);
/* What rounding leaves of a formula, in units of a relative rounding: the size
 * of its terms where it is a sum. */
const expr *formula_rounding(struct mech *mech, const expr *formula);
/* The switching tape of a block whose motion is made of the formulas f, the
 * last n_gap of which are gaps. The n state leaves of the block have the rows
 * `rows`, its unknowns the rows behind those. Sets out->guard and out->guards.
 * Returns the functions in their order. */
struct guard_levels {
    const expr *const *u;
    const imp_guard *guard;
    size_t n;
    uint32_t n_felt; /* of observers: so many coordinates, whose motion they
                        read as rows; 0 from switching_build */
};
struct guard_levels switching_build(struct mech *mech, imp_block *out,
                                    const char *name, const expr *const *leaf,
                                    const uint32_t *rows, size_t n,
                                    const expr *const *f, size_t n_f,
                                    size_t n_gap);
/* The same of the friction, or of the compliance, of two bodies; `leaf` gives
 * the rows of the motion. */
void switching_of_contact(struct mech *mech, uint32_t *guard, imp_ref *guards,
                          const char *name, const expr *const *formula,
                          size_t n_formula,
                          const expr *(*leaf)(void *, const expr *), void *ctx);

#endif
