/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the room: what the declarations of a model share. */
#ifndef IMP_CHECK_MODEL_MODEL_PRIV_H
#define IMP_CHECK_MODEL_MODEL_PRIV_H

#include "check/context/corners.h"
#include "check/expressions/expressions.h"
#include "check/model/model.h"

/* a shape in use */
struct shape_use {
    struct decl *decl;
    struct env env;
    const expr *g; /* NULL: given by corners */
    bool uses_z;
    const expr **points; /* n_point * dim */
    uint32_t n_point, dim;
    struct shape_use
        *made_of; /* the shape that the formula only calls, or NULL */
    imp_range range;
};
/* level set or corners; false on error */
bool shape_open(struct check *ck, const struct env *caller,
                const struct ast_expr *head, struct shape_use *use);
/* what the shape's block states, and what it does not state the block of the
 * shape that it is made of, for a body of dimension d */
void shape_block(struct check *ck, const struct shape_use *use, uint32_t d,
                 struct tm_body *body);

/* the shape of d checked by itself */
void shape_alone(struct check *ck, struct decl *decl);

/* -- body.c, orientation.c ------------------------------------------------ */

/* Takes a vector of `count` numbers. If the key is absent, `fill` makes it
 * zeros. Where `out` is the vector of another member of the family, the key has
 * been checked, and numbers alone are taken anew. */
void body_vector(struct check *ck, const struct env *env,
                 const struct ast_item *key, uint32_t count,
                 const struct dim *dim, int may, bool fill, struct tm_vec *out);
/* the keys of an orientation, as they follow each other among those of a body
 */
enum {
    ORIENT_ANGLE,
    ORIENT_ROTATION,
    ORIENT_QUATERNION,
    ORIENT_AXES,
    ORIENT_KEYS
};
void body_orientation(struct check *ck, const struct env *env,
                      const struct ast_item *const keys[ORIENT_KEYS], int may,
                      struct tm_body *body);

/* keys of a block: out[i] is the KEY item of known[i] or NULL. Unknown, double
 * and misplaced items are reported; false if a key is unknown. */
bool block_keys(struct check *ck, const struct ast_item *item,
                const struct keydef *known, size_t count, const char *what,
                const struct ast_item **out);
/* Does the block of a body state a shape, which has been reported? */
bool block_has_shape(const struct ast_item *item);
/* three zeros, shared by all that state nothing */
const expr *const *check_zeros(struct check *ck);
/* -- families: one declaration, many members --------------------------------
 */

/* Reads the bounds lo .. hi of a family. False: an error has been reported. */
bool family_range(struct check *ck, const struct env *args,
                  const struct ast_item *it, int *lo, uint32_t *count,
                  bool *open);
/* Gives the declaration its numbers, from `first` on: one, or as many as its
 * index has values; none and false after a diagnostic. */
bool family_declare(struct check *ck, struct decl *decl, uint32_t first);
/* "ball[3]", or the name of what is no family */
const char *member_name(struct check *ck, const struct decl *decl,
                        uint32_t member);
/* the names that the formulas of one member may use; it stays where it is as
 * long as `env`, or a copy of it, is used */
struct member_env {
    struct env env;
    struct value index;
    const char *name;
};
void member_env(struct check *ck, const struct decl *decl, uint32_t member,
                struct member_env *out);

/* a bare word or string, one of `words`; index or -1 (reported) */
int key_word(struct check *ck, const struct ast_item *key,
             const char *const *words, size_t count);
/* inertia as 1 (plane) or 6 numbers; false on error */
bool take_inertia(struct check *ck, struct value *value,
                  const struct ast_expr *node, uint32_t dimension,
                  const struct dim *dim, const char *what, struct tm_vec *out);
void take_num(struct tm_num *out, const struct value *value,
              const struct ast_expr *node);
void take_vec(struct tm_vec *out, const struct value *value,
              const struct ast_expr *node);
/* Is this the name of a body, or of a family? A body may have the name of a
 * shape of the library, where only bodies can stand. */
bool is_body(const struct check *ck, const char *name);
/* The body that the expression names; where count is given, all bodies of a
 * family, whose numbers follow one another. False after a diagnostic. */
bool contact_bodies(struct check *ck, const struct env *env,
                    const struct ast_expr *node, uint32_t *first,
                    uint32_t *count);
/* Can the search find where the two bodies touch? False: it was reported, with
 * `name` in the remedy. */
bool contact_is_searched(struct check *ck, const char *name,
                         const struct tm_contact *contact);
/* restitution of a contact; NULL where not given. speed: the dimension of the
 * rate of its gap */
void contact_restitution(struct check *ck, const struct env *env,
                         const struct ast_item *restitution,
                         const struct dim *speed, struct tm_contact *contact);
/* Does the contact say `restitution = sticking`? Then keys beside it that state
 * friction or laws (NULL: not given) are reported. */
bool contact_sticks_alone(struct check *ck, const struct tm_contact *contact,
                          const struct ast_item *const beside[], size_t n);
/* -- friction.c ----------------------------------------------------------- */

/* The keys friction and impact_friction of a contact, of a system or (NULL)
 * between bodies; NULL where not given. False: an error has been reported. */
bool contact_friction(struct check *ck, const struct env *env,
                      const struct ast_item *friction,
                      const struct ast_item *impact,
                      const struct tm_system *system,
                      struct tm_contact *contact);
/* The same of a contact between bodies, which not every build carries out;
 * `at` is its key, or NULL. */
void body_friction(struct check *ck, const struct env *env,
                   const struct ast_item *friction,
                   const struct ast_item *impact, struct tm_contact *contact);
/* The key `law` of a contact (NULL: not given), of these dimensions. */
void contact_law(struct check *ck, const struct env *env,
                 const struct ast_item *law, const struct law_dims *dims,
                 struct tm_contact *contact);
/* The key `law` of the world where it names a declared law, which holds for
 * contacts without one; *home: its module. Else NULL. */
const struct ast_item *world_law(struct check *ck, struct module **home);
/* Takes the keys `stiffness` and `exponent`; NULL: not there. */
void contact_bond(struct check *ck, const struct env *env,
                  const struct ast_item *stiffness,
                  const struct ast_item *exponent, struct tm_contact *contact);
/* The key `law` of a contact of two bodies. */
void body_law(struct check *ck, const struct env *env,
              const struct ast_item *law, struct tm_contact *contact);
/* The keys compliance and scale of a contact, after its friction; gap, energy:
 * the dimensions of the gap (NULL: unknown) and of energies. */
void contact_compliance(struct check *ck, const struct env *env,
                        const struct ast_item *law,
                        const struct ast_item *scale, const struct dim *gap,
                        const struct dim *energy, struct tm_contact *contact);
/* The compliance of two bodies, which is one of a point in the plane. */
void body_compliance(struct check *ck, const struct env *env,
                     const struct ast_item *law, const struct ast_item *scale,
                     struct tm_contact *contact);
/* a vector that is not zero; dim NULL: of any dimension. false: reported */
bool take_direction(struct check *ck, const struct env *env,
                    const struct ast_expr *node, const char *what,
                    const struct dim *dim, struct tm_vec *out);

/* Is a formula of `slip` less at slip 0 than right above it, as sign(slip) is?
 */
bool friction_less_at_rest(struct check *ck, const expr *sticks,
                           const expr *slips);

#endif
