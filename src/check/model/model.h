/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The declarations of a model, in the order in which the checker takes them. */
#ifndef IMP_CHECK_MODEL_MODEL_H
#define IMP_CHECK_MODEL_MODEL_H

#include "check/values/values.h"

/* All params of all files, before anything that may name them. */
void decl_params(struct check *ck);
/* DECL_FN or DECL_SHAPE: each by itself */
void decl_definitions(struct check *ck, enum decl_kind kind);
/* where lets are many: those that read others, before what asks for the last of
 * them; so that a long chain of them is not nested */
void decl_chains(struct check *ck);
void decl_lets(struct check *ck);        /* those nobody asked for */
void decl_params_done(struct check *ck); /* units, ranges */

extern const struct keydef body_keys[], contact_keys[], all_contacts_keys[],
    world_keys[], joint_keys[], rotor_keys[], shape_keys[];
extern const size_t n_body_keys, n_contact_keys, n_all_contacts_keys,
    n_world_keys, n_joint_keys, n_rotor_keys, n_shape_keys;
/* what a kind of joint needs and leaves free; false: there is no such kind */
bool joint_kind_doc(const char *name, struct buf *out);
const char *joint_kind_name(size_t i);     /* NULL behind the last */
void check_bodies_begin(struct check *ck); /* shapes, plane or space */
void check_bodies_end(struct check *ck);   /* all other keys */
void contacts_declare(struct check *ck);   /* gives them their numbers */
void check_contacts(struct check *ck);
void check_all_contacts(struct check *ck); /* after bodies and joints */
void check_same_pairs(struct check *ck);   /* two contacts of one pair */
void check_joints(struct check *ck);
void rotors_declare(struct check *ck); /* gives them their numbers */
void check_rotors(struct check *ck);
/* instances, their coordinates and contacts get their numbers */
void systems_declare(struct check *ck);
/* energies, forces, gaps, starts */
void check_systems(struct check *ck);
/* after all uses: patterns that nothing instantiates, dimensions left open */
void systems_done(struct check *ck);
extern const struct keydef system_keys[], system_contact_keys[];
extern const size_t n_system_keys, n_system_contact_keys;
void check_world(struct check *ck);
/* words of the laws of impact in the order of enum imp_impact_law, which has
 * one more before them; then "report", none of them */
enum { N_IMPACT_LAWS = IMP_IMPACT_COUNT - 1 };
extern const char *const impact_laws[N_IMPACT_LAWS + 1];
/* The declaration of an impact law that a value names or calls, or NULL. */
struct decl *law_named(struct check *ck, struct module *module,
                       const struct ast_expr *value);
/* The normal rate and the slip of a contact, and an energy. slip: NULL where
 * the contact has none. */
struct law_dims {
    const struct dim *rate, *slip, *energy;
};
struct law_dims law_dims_of_bodies(struct check *ck);
/* The two impulses of an impact law, named or written out. false: reported */
bool impact_law(struct check *ck, const struct env *env,
                const struct ast_expr *node, const struct law_dims *dims,
                struct tm_num own[2]);
/* E0383: a law for a contact without slip; of_contact: it stands there */
void no_slip_for_law(struct check *ck, imp_range law, bool of_contact,
                     imp_range contact);
/* words of the key `paradox`, in the order of abi/paradox.def */
enum {
    N_PARADOX = 0
#define PARADOX(ID, word, doc) +1
#include "abi/paradox.def"
};
extern const char *const paradox_words[N_PARADOX];
/* words of the key `loads`, in the order of abi/loads.def */
enum {
    N_LOADS = 0
#define LOADS(ID, word, doc) +1
#include "abi/loads.def"
};
extern const char *const loads_words[N_LOADS];
/* words of the key `corners`, in the order of abi/corners.def */
enum {
    N_CORNERS = 0
#define CORNERS(ID, word, doc) +1
#include "abi/corners.def"
};
extern const char *const corners_words[N_CORNERS];
/* E0395 where this word of the key `corners` is for the plane, and the model
 * lies in space: false */
bool corners_fit(struct check *ck, int corners, imp_range where);
/* a bare word or string, one of `words`; index or -1 (reported) */
int key_word(struct check *ck, const struct ast_item *key,
             const char *const *words, size_t count);

#endif
