/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model may ask of its bodies, contacts, joints and systems, and of the
 * results of its commands: the parts behind a dot, screws, entries of lists. */
#ifndef IMP_CHECK_QUANTITIES_QUANTITIES_H
#define IMP_CHECK_QUANTITIES_QUANTITIES_H

#include "check/values/values.h"

/* -- quantity.c ----------------------------------------------------------- */

/* values of bodies and contacts: one.position, touch.gap */
struct value body_field(struct check *ck, uint32_t body, const char *name,
                        imp_range name_range, imp_range range);
struct value contact_field(struct check *ck, uint32_t contact, const char *name,
                           imp_range name_range, imp_range range);
/* o.Q, o.S; of `count` joints from this one on, a family without an index,
 * what friction tells of each: rows of a matrix */
struct value joint_field(struct check *ck, uint32_t joint, uint32_t count,
                         const char *name, imp_range name_range,
                         imp_range range);
/* w.rate */
struct value rotor_field(struct check *ck, uint32_t rotor, const char *name,
                         imp_range name_range, imp_range range);
struct value contact_gap(struct check *ck, uint32_t contact, imp_range range);
/* E0343: the gap of a stated contact is asked for */
struct value no_surface(struct check *ck, uint32_t contact, imp_range range);
extern const struct keydef body_values[], contact_values[], joint_values[],
    rotor_values[];
extern const size_t n_body_values, n_contact_values, n_joint_values,
    n_rotor_values;
/* made a unit vector; zero stays zero */
void normalised(struct check *ck, struct tm_vec *vec);

/* -- system_quantity.c, part.c -------------------------------------------- */

/* dimension of a system's energies; NULL: it was wrong */
const struct dim *system_energy(const struct check *ck, uint32_t system);
/* what of a system is being read: the innermost part */
enum env_part env_part(const struct env *env);
/* before, after, jump and random: *out is the call's value; false if `name` is
 * none of them */
/* A random number of a start: the leaf that stands for it. */
const expr *draw_new(struct check *ck, const struct tm_draw *draw);
bool part_call(struct check *ck, const struct env *env,
               const struct ast_expr *node, const char *name,
               struct value *args, struct value *out);
/* parts of a system: square.h, square.foot, square.energy */
struct value system_field(struct check *ck, uint32_t system, const char *name,
                          imp_range name_range, imp_range range);
/* the member with this index, a checked value whose text is `at` */
/* A quantity of all bodies, or all contacts, of a family: a row for each. */
struct value family_field(struct check *ck, const struct value *family,
                          const char *name, imp_range name_range,
                          imp_range range);
struct value family_member(struct check *ck, const struct value *family,
                           struct value *index, const struct ast_expr *at,
                           imp_range range);
/* the formula of the gap of a system's contact */
struct value system_gap_value(struct check *ck, uint32_t contact,
                              imp_range range);
/* a contact between bodies? E0369 if it is a system's */
bool contact_of_bodies(struct check *ck, uint32_t contact, const char *asked,
                       imp_range range);
extern const struct keydef system_values[];
extern const size_t n_system_values;

/* -- screw.c, carry.c ----------------------------------------------------- */

/* eta, which exchanges the halves of a screw */
struct value screw_eta(struct check *ck, imp_range range);
/* twist, momentum_screw, M, Q, S, M_red of a body; false if it is none */
bool screw_of_body(struct check *ck, uint32_t body, const char *name,
                   imp_range range, struct value *out);
/* twist wrench screw plucker columns figures U G; false if it is none */
bool screw_call(struct check *ck, const struct ast_expr *node, const char *name,
                struct value *args, size_t count, struct value *out);
/* What was given in world axes at the start and goes with a body, in the world
 * now, three entries each. IMP_WORLD: it stays. */
void carry_vector(struct check *ck, uint32_t body, const expr *const vector[3],
                  const expr *out[3]);
/* from the mass centre of `body` to a point that goes with `carrier` */
void carry_arm(struct check *ck, uint32_t body, uint32_t carrier,
               const expr *const point[3], const expr *out[3]);
/* rotation of a body now, by rows; the columns are its axes in the world */
void carry_rotation(struct check *ck, uint32_t body, const expr *rotation[9]);

/* -- record.c, result.c --------------------------------------------------- */

struct value result_field(struct check *ck, uint32_t command, const char *name,
                          imp_range name_range, imp_range range);
bool record_has(const struct check *ck, uint32_t command, const char *name);
/* may a field have n indices? false: reported */
bool field_takes_indices(struct check *ck, const struct value *value,
                         size_t count, imp_range range);
/* the entry, or the row, of a field with these n indices */
struct value field_entry(struct check *ck, const struct value *value,
                         const int32_t *index, size_t count, imp_range range);
/* min max sum length of a list field; false if op is none */
bool field_reduce(struct check *ck, const char *op, const struct value *f,
                  imp_range range, struct value *out);
/* present(value) of a number, a truth, a text or a matrix of a result: is it
 * there? False: the value is none of these. */
bool field_present(struct check *ck, const struct value *value, imp_range range,
                   struct value *out);
/* entry `index` of all numbers of a list, as one number */
const expr *list_slot(struct check *ck, uint32_t list, uint32_t index,
                      imp_range range);
/* number `component` of all n entries of a list, n > 1, as a table (operators
 * PLACE and ENTRY); rises: they have to rise */
const expr *list_slots(struct check *ck, uint32_t list, uint32_t component,
                       uint32_t n, bool rises, imp_range range);
/* Is a comparison of these one of texts, or what can be none of numbers? Lists
 * of numbers of two results are compared as other lists are. */
bool texts_compared(const struct check *ck, const struct value *left,
                    const struct value *right);
struct value field_compare(struct check *ck, const struct ast_expr *at,
                           const struct value *f, const struct value *text);
void record_schema(struct check *ck, uint32_t command); /* table's fields */
/* columns of matrices that have one per contact, when these are known */
void record_sizes(struct check *ck, uint32_t command, size_t n_contacts);
void record_column(struct check *ck, uint32_t command, const struct tm_val *col,
                   const struct record_dim *dims, uint32_t width);
/* number of the recorded column equal to v in the latest simulate before the
 * command checked now */
bool record_find(struct check *ck, const struct tm_val *value,
                 uint32_t *command, uint32_t *field);
/* dimension of a field's entry; index UINT32_MAX: of all */
const struct dim *field_dim(struct check *ck, const struct tm_command *cmd,
                            const struct tm_field *field, uint32_t index,
                            imp_range range);
struct command_row {
    const char *name, *doc;
    enum command_args {
        ARGS_NONE,
        ARGS_CONTACT,
        ARGS_CONTACTS,
        ARGS_SYSTEM,
        ARGS_VALUES,
        ARGS_CONDITION,
        ARGS_RESULT
    } args;
    bool available;
};
const struct command_row *command_row(enum imp_command_id id);
struct option_row {
    const char *command, *key, *unit, *dflt, *doc;
    enum imp_option_kind kind;
    struct option_limits {
        enum { LIMIT_ANY, LIMIT_POSITIVE, LIMIT_SHARE, LIMIT_WHOLE } kind;
        double from, to;
    } limits;
};
const struct option_row *option_row(enum imp_option_id id);
/* Is a coefficient of friction something else than the literal 0? */
bool contact_has_friction(const struct tm_contact *contact);
/* Whose record has a field: abi/commands.def. */
enum field_of { OF_ALL, OF_BODIES, OF_SYSTEM, OF_FRICTION, OF_BODIES_FRICTION };
struct field_row {
    const char *command, *name, *unit, *doc;
    enum imp_field_kind kind;
    enum field_of of;
};
const struct field_row *field_row(size_t i); /* NULL after the last */

#endif
