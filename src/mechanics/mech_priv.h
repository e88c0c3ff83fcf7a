/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of mech_compile, in the order in which it calls them. Functions
 * that return bool return false after they have reported an error. Those that
 * return imp_ref return a table of the image. */
#ifndef IMP_MECHANICS_MECH_PRIV_H
#define IMP_MECHANICS_MECH_PRIV_H

#include <assert.h>

#include "mechanics/formula/formula.h"
#include "mechanics/mech.h"

/* -- data.c: numbers of a model that must not depend on its motion --------- */
bool data_world_ok(struct mech *mech);
bool data_body_ok(struct mech *mech, const struct tm_body *decl);

/* -- shape.c: the level set of a body -------------------------------------- */
bool shape_build(struct mech *mech, struct mbody *body);
/* -- body.c: mass, inertia, state ------------------------------------------ */
bool body_build(struct mech *mech, struct mbody *body);
/* Its constants, its state and what follows from that, as formulas. */
void body_formulas(struct mech *mech, struct mbody *body);
/* The formulas of where the body is: place, then the turn. Returns how many, at
 * most BODY_POSE. */
#define BODY_POSE 7
size_t body_pose(const struct mech *mech, const struct mbody *body,
                 const expr **pose);
/* A body like `of`, which is not prescribed, whose centre and state are read
 * from other entries of env. */
void body_elsewhere(struct mech *mech, const struct mbody *of,
                    uint32_t env_body, uint32_t env_state, struct mbody *out);

/* -- coupling.c: which bodies move together -------------------------------- */

/* Fills mech->blocks with the bodies of each block. */
bool coupling_build(struct mech *mech);

/* -- block.c: rates, motion, kinematics and energy tapes ------------------- */
/* torque - w x J w, body axes: what turns a body that is free */
vec3 body_moment(struct mech *mech, const struct mbody *body);
/* The rates of a free body, without joints. */
void body_rates(struct mech *mech, struct mbody *body);
bool block_build(struct mech *mech);

/* -- joint.c --------------------------------------------------------------- */

/* The bodies of a joint, and third the one that its point goes with; IMP_WORLD
 * possible. */
static inline uint32_t
joint_body(const struct tm_joint *joint, uint32_t i)
{
    return i < 2 ? joint->body[i] : joint->carrier;
}

/* Calls `together` for each pair of moving bodies that a joint connects. */
void joint_couple(struct mech *mech,
                  void (*together)(void *ctx, uint32_t a, uint32_t b),
                  void *ctx);
/* The conditions of the joints of a block; adds to the accelerations of its
 * bodies what the joints' reactions give. */
bool joint_rates(struct mech *mech, uint32_t index);
/* Is the rate of the spin of body j of a block an unknown of its joints? */
bool joint_holds_spin(const struct mblock *block, uint32_t j);
/* Adds a moment (body axes) on such a body to the residuals `out` of a block.
 */
void joint_add_moment(struct mech *mech, const struct mblock *block, uint32_t j,
                      vec3 moment, const expr **out);
/* Conditions phi'' of the joints of a block for the accelerations that its
 * bodies have now, into out (n_row entries). */
void joint_conditions(struct mech *mech, uint32_t index, const expr **out);
void joint_tapes(struct mech *mech, struct mblock *block);

/* -- joint_told.c: the forces of joints without friction ------------------- */

/* What row i of the conditions of the block says of its body j: of its
 * velocity (world axes), of its spin (body axes). */
vec3 joint_row_part(const struct mech *mech, const struct mblock *block,
                    uint32_t i, uint32_t j, bool spin);
/* What the motion tells of the joints of a block that have no friction and
 * whose forces commands read, into out (IMP_JOINT_ROWS each). Returns how many
 * numbers. */
size_t joint_told_outputs(struct mech *mech, const struct mblock *block,
                          const expr **out);
/* Their tape (imp_block.told). */
void joint_told_tape(struct mech *mech, struct mblock *block);

/* -- joint_friction.c ------------------------------------------------------ */

/* After the equations of a block of the plane whose joints have friction: those
 * of its motion with friction; `K` then is the matrix of the rates that are
 * held alone. */
void joint_friction_build(struct mech *mech, struct mblock *block);
/* Puts the rows of friction into conditions of the block (n_unknown) that have
 * just been made for the accelerations that its bodies have now. */
void joint_friction_conditions(struct mech *mech, struct mblock *block,
                               const expr **out);
/* 1 where condition i of a block is a rate that is held now, 0 where it is not;
 * NULL: it is a condition of another kind */
const expr *joint_friction_held(struct mech *mech, const struct mblock *block,
                                uint32_t i);
/* Formulas of friction in which branches are looked for, into f; returns how
 * many, 2 per joint of the block that has friction. */
size_t joint_friction_formulas(const struct mblock *block, const expr **f);
/* What the motion tells of them, into out (IMP_RUB_ROWS each, and the share).
 * Returns how many. */
size_t joint_friction_outputs(struct mech *mech, const struct mblock *block,
                              const expr **out);
/* Takes over the rows of these outputs. */
void joint_friction_rows(struct mblock *block, const uint32_t *rows);
void joint_friction_tapes(struct mech *mech, struct mblock *block);

/* -- rotor.c: wheels within bodies ----------------------------------------- */

/* Makes mech->rotors, before the bodies. */
void rotors_build(struct mech *mech);
/* Takes over their formulas, after the bodies. */
void rotors_torques(struct mech *mech);
/* Adds them to the leaves of the block with the
 * rates of their entries of state. */
void rotors_flow(struct mech *mech, struct mblock *block);
/* Adds to the moment on the body (body axes), or to its angular acceleration,
 * what motors and friction of its rotors do. */
vec3 rotors_moment(struct mech *mech, const struct mbody *body, vec3 moment);
vec3 rotors_alpha(struct mech *mech, const struct mbody *body, vec3 alpha);
/* Has the body rotors? */
bool rotors_any(const struct mech *mech, const struct mbody *body);
/* After the motion tape, whose first row of a rotor of this block is rows[at]:
 * makes the tapes of the friction of the rotors. */
void rotors_tapes(struct mech *mech, const struct mblock *block,
                  const uint32_t *rows, size_t at);
/* Appends the formulas of the rotors of the block, in which branches are looked
 * for, to f. Returns how many; at most 3 per rotor. */
size_t rotors_formulas(struct mech *mech, const struct mblock *block,
                       const expr **f);
imp_ref rotor_table(struct mech *mech);

/* -- relay.c: forces that jump where a rate changes its sign ----------------
 */

/* The relays of a block, and the rates of its state in shares. */
struct relays;
/* Of a block of bodies: what closed contacts add to each rate of the state, and
 * further numbers whose series are asked for. With joints, of which these are
 * the unknowns: the conditions of the series and, behind these, those of an
 * instant, and what contacts then add. */
struct relay_bodies {
    const expr *const *pushed, *const *more;
    size_t n_more;
    uint32_t n_unknown;
    const expr *const *pushed_now, *const *conditions;
};
/* Finds them in the rates of the n state leaves of a block, whose guards these
 * are; sets block->relays. NULL: there are none. bodies: NULL for a system, and
 * for observers. */
const struct relays *relays_build(struct mech *mech, imp_block *block,
                                  const char *name,
                                  const struct guard_levels *guards,
                                  const expr *const *leaf,
                                  const expr *const *rate, size_t n,
                                  const struct relay_bodies *bodies);
/* May there be any in these rates? */
bool relays_may_be(struct mech *mech, const struct guard_levels *guards,
                   const expr *const *rate, size_t n);
/* What the side of relay i stands for, as it is told. */
const expr *relays_side_told(const struct relays *relays, uint32_t i,
                             const expr *side);
/* How many; 0 for NULL. */
uint32_t relays_count(const struct relays *relays);
/* u of relay i. */
const expr *relays_level(const struct relays *relays, uint32_t i);
/* The rates of the state with these shares and sides; behind them, of bodies
 * with joints, their conditions. */
void relays_rates(const struct relays *relays, const expr *const *share,
                  const expr *const *side, const expr **rate);
/* The rate of u of relay i, where these are the rates of the state. */
const expr *relays_level_rate(const struct relays *relays, uint32_t i,
                              const expr *const *rate);
/* Where `held` is 1 for a relay, one of the rates of the state follows from
 * those of others, so that u' is 0 to the bit. */
void relays_hold(const struct relays *relays, const expr *const *held,
                 const expr **rate);
/* Takes over the tapes beside closed contacts. */
void relays_modal(const struct relays *relays, imp_block *block, uint32_t modal,
                  uint32_t solve, imp_ref rows);

/* -- system.c: equations of motion in generalised coordinates -------------- */
bool system_build(struct mech *mech);
/* The tape of the shape of a drawing (imp_drawing.shape). */
uint32_t system_outline(struct mech *mech, const struct tm_system *decl,
                        uint32_t number);
void system_contact(struct mech *mech, uint32_t contact, imp_contact *out);
/* -- system_motion.c ------------------------------------------------------- */

/* Makes block `index` of the motion of n state leaves, whose entries of env
 * begin at `first`, and of the unknowns of `slide`. Returns the rows of the
 * leaves, then of the unknowns. */
const uint32_t *system_block(struct mech *mech, uint32_t index,
                             const char *name, uint32_t first,
                             const expr *const *leaf, const expr *const *rate,
                             uint32_t n, const struct implicit *slide);
/* The motion of a system while contacts slide. M: n x n, factored by
 * ldl_factor; leaf, rate: 2 n; the rates get the contact forces. */
void system_sliding(struct mech *mech, struct msystem *system,
                    const expr *const *M, const expr *const *leaf,
                    const expr **rate);
/* The same with relays: their tapes beside closed contacts. */
void system_sliding_relays(struct mech *mech, const struct msystem *system,
                           const expr *const *M, const expr *const *leaf,
                           const struct relays *relays);
/* gap of contact i of a system, and its gradient (n entries) unless NULL */
const expr *system_contact_gap(struct mech *mech, const struct msystem *system,
                               uint32_t i, const expr **gradient);

/* -- system_friction.c ----------------------------------------------------- */

/* Is a coefficient of friction of the contact something else than the literal
 * 0? */
bool contact_rubs(const struct tm_contact *decl);
/* how many contacts of the system have friction */
uint32_t system_rubbing(const struct mech *mech, const struct tm_system *decl);
/* Slip velocity of contact i of a system, and its gradient with respect to the
 * rates (n entries) unless NULL. */
const expr *system_slip_formula(struct mech *mech, const struct msystem *system,
                                uint32_t i, const expr **gradient);
/* mu[0]: coefficient of the contact while it slips, mu[1]: while it sticks, in
 * the modes that env states */
void system_friction_mu(struct mech *mech, const struct msystem *system,
                        uint32_t i, const expr *mu[2]);
/* What is 0 at contact i of a system, by its mode: the rate of its slip while
 * it sticks, the friction that is missing to Coulomb's while it slips, the
 * friction where it is open. */
const expr *system_friction_row(struct mech *mech, const struct msystem *system,
                                uint32_t i, const expr *slip_rate,
                                const expr *normal, const expr *tangential);
/* how many contacts of the system have a compliance */
uint32_t system_compliant(const struct mech *mech,
                          const struct tm_system *decl);
/* how many of these remember their impulses */
uint32_t system_remembering(const struct mech *mech,
                            const struct tm_system *decl);
/* The normal force of compliant contact i, whose gap has this rate, and whose
 * memory is this: its impulse, and that of its compression. */
const expr *system_pressing(struct mech *mech, const struct msystem *system,
                            uint32_t i, const expr *rate,
                            const expr *const memory[2]);
/* Entry 0 or 1 of the memory of a contact where a piece of the motion begins.
 */
const expr *contact_memory(struct mech *mech, uint32_t contact, uint32_t which);
/* The rate of what compression adds to the memory: the force while the gap,
 * which has this rate, closes. */
const expr *compression_rate(struct mech *mech, const expr *rate,
                             const expr *force);
/* Is the contact compliant now; or (`pressed`) is its force asked for? */
const expr *system_soft(struct mech *mech, uint32_t contact, bool pressed);
/* imp_contact.compliance_series, compliance */
uint32_t compliance_series_tape(struct mech *mech,
                                const struct tm_contact *decl);
uint32_t system_compliance_tape(struct mech *mech,
                                const struct tm_contact *decl);
/* restitution.c: does the restitution depend on the speed of the impact? Its
 * value for a vanishing one; imp_contact.bounce */
bool restitution_varies(struct mech *mech, const struct tm_contact *decl);
const expr *restitution_at_rest(struct mech *mech, const expr *restitution);
uint32_t restitution_tape(struct mech *mech, const struct tm_contact *decl);
/* An impact law of a user's own as a tape of IMPACT_ARGUMENTS. */
uint32_t impact_law_named(struct mech *mech, const char *name, imp_range where,
                          const expr *const impulse[2]);
/* imp_contact.own */
uint32_t impact_law_tape(struct mech *mech, const struct tm_contact *decl);
/* body_friction.c: imp_contact.rub_now, rub, and where it changes its branch */
void body_friction_build(struct mech *mech, const struct tm_contact *decl,
                         imp_contact *out);
/* imp_contact.compliance, press, and where that changes its branch */
void body_compliance_build(struct mech *mech, const struct tm_contact *decl,
                           imp_contact *out);
/* The force of a compliant contact by its arguments, ARGUMENT_DEPTH first. */
#define COMPLIANCE_ARGUMENTS 4
const expr *compliance_force(struct mech *mech, const struct tm_contact *decl,
                             const expr *const argument[COMPLIANCE_ARGUMENTS]);
/* imp_contact.instant and .slide of a contact of bodies */
uint32_t body_instant_tape(struct mech *mech, uint32_t contact,
                           uint32_t *slide);
/* Does a command `painleve` name the contact? */
bool contact_asked_by_painleve(const struct mech *mech, uint32_t contact);
/* Is this coefficient of friction more than a number made of params? */
bool friction_varies(struct mech *mech, const expr *mu);
/* The speed of slip as a coefficient takes it. Powers know none that is below 0
 * by rounding, as where a slip begins. */
const expr *friction_speed(struct mech *mech, const struct tm_num *mu,
                           const expr *speed);
/* imp_contact.slip */
/* What `painleve` asks about contact i (imp_contact.instant, .slide). */
uint32_t system_instant_tape(struct mech *mech, const struct msystem *system,
                             uint32_t i);
uint32_t system_slide_tape(struct mech *mech, const struct msystem *system,
                           uint32_t i);
uint32_t system_slip_tape(struct mech *mech, const struct msystem *system,
                          uint32_t i);

/* -- observer.c ------------------------------------------------------------ */
void observer_build(struct mech *mech, struct msystem *system);

/* -- contact_kinds.c: contacts that have the same tapes -------------------- */

/* Finds which contacts are alike, and what those of rules are like
 * (imp_pattern), which stand behind the model's own in mech->contacts from then
 * on; the bodies must have been built. False after an error. */
bool contact_kinds_find(struct mech *mech);
/* The kind of surface of a body; how many kinds there are. */
uint32_t contact_kinds_surface(const struct mech *mech, uint32_t body);
uint32_t contact_kinds_count(const struct mech *mech);
/* The table of patterns (imp_pattern), whose contacts are built. */
imp_ref contact_kinds_patterns(struct mech *mech, const imp_contact *built);
/* The bodies of which the tapes of a contact are to be made: its own, or, where
 * other contacts are like it, two that stand for all of these. Returns the
 * contact that was made before for this kind, or NULL. */
const imp_contact *contact_kinds_bodies(struct mech *mech, uint32_t contact,
                                        const struct mbody *body[2]);
/* Keeps the tapes of a contact that was made, for those that are like it. */
void contact_kinds_keep(struct mech *mech, uint32_t contact,
                        const imp_contact *made);
/* -- contact.c: contacts of all kinds -------------------------------------- */
bool contact_build(struct mech *mech, uint32_t contact, imp_contact *out);
/* -- polytope_contact.c: contacts in which a body is a polytope ------------ */
void polytope_contact_build(struct mech *mech, const struct tm_contact *decl,
                            const struct mbody *const body[2],
                            imp_contact *out);
/* -- smooth_polytope.c: the tapes smooth, feature_kkt and feature_event of a
 * contact of a smooth body (number `smooth`: 0 or 1) with a polytope */
void smooth_polytope_build(struct mech *mech, const struct tm_contact *decl,
                           const struct mbody *const body[2], uint32_t smooth,
                           imp_contact *out);

/* -- series.c: time derivatives along the motion --------------------------- */

/* Gives each series its entries of env from `at` on; returns the entry behind
 * them. */
uint32_t series_layout(struct mech *mech, uint32_t at);
/* n more entries of env, which the runtime sets; returns the first one. */
static inline uint32_t
mech_env_more(struct mech *mech, uint32_t n)
{
    mech->layout.n_env += n;
    return mech->layout.n_env - n;
}
imp_ref series_tapes(struct mech *mech);
/* A force as a function of the state: time derivatives in it become
 * velocities; reports E0529 where they would be accelerations. */
const expr *series_in_force(struct mech *mech, const expr *e, imp_range where,
                            const char *body);
/* The series that the leaves of outs read, with what these series read, as a
 * table of imp_want; sets the flags of the contacts and slots read on the way.
 */
imp_ref series_wants(struct mech *mech, const expr *const *outs, size_t n,
                     bool *contact, bool *slot);

/* -- setup.c, command.c, image.c: the image -------------------------------- */
/* entries in env of what a polytope states */
uint32_t poly_size(const struct tm_body *b);
/* entries in env of the corners that a contact of a system has set-up look at,
 * and where they begin: behind those of bodies and of contacts before it */
uint32_t corners_size(const struct tm_contact *contact);
uint32_t corners_at(const struct mech *mech, uint32_t contact);
/* What the set-up reads beside its tape, and the outputs of that. */
struct setup_table {
    struct {
        imp_fill *v;
        size_t n, cap;
    } fills;
    struct {
        double *v;
        size_t n, cap;
    } numbers;
    struct {
        const expr **v;
        size_t n, cap;
    } outs;
    uint32_t n; /* numbers so far */
    /* per row: where SYM_DRAW that stand alone begin; NULL: with number 0 */
    const uint32_t *first_draw;
};
/* The next numbers of the set-up: rows of `width` expressions. */
void setup_rows(struct mech *mech, struct setup_table *table,
                const expr *const *entry, size_t rows, uint32_t width);
/* Sets head->setup and what belongs to it. */
void setup_tape(struct mech *mech, imp_image *head);
imp_ref command_table(struct mech *mech);
/* The numbers, less than n, for which `bits` holds, in order (uint32_t). */
imp_ref command_numbers(struct mech *mech, const bool *bits, size_t n);
imp_ref slot_table(struct mech *mech);
imp_ref list_table(struct mech *mech);
imp_ref data_table(struct mech *mech);
imp_ref image_sources(struct mech *mech);
imp_ref image_params(struct mech *mech);
/* places: imp_image.places */
imp_ref image_bodies(struct mech *mech, imp_ref *places);
imp_ref image_blocks(struct mech *mech);
imp_ref image_joints(struct mech *mech);
imp_ref image_draws(struct mech *mech);
imp_ref image_coordinates(struct mech *mech);
imp_ref image_systems(struct mech *mech);

#endif
