/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between screw.c (values), screw_joint.c (Q and S of joints) and
 * screw_contact.c (U and G of contacts). A screw is six numbers: a twist [w; v]
 * or a wrench [f; m], taken about the mass centre of a body. */
#ifndef IMP_CHECK_SCREW_PRIV_H
#define IMP_CHECK_SCREW_PRIV_H

#include "check/quantities/quantities.h"

typedef const expr *screw_vec[3];

/* column j of a 6 x n matrix: halves with their dimensions */
void screw_put(struct value *value, uint32_t j, const expr *const a[3],
               const struct dim *da, const expr *const b[3],
               const struct dim *db);
void screw_cross(struct check *ck, const expr *const a[3],
                 const expr *const b[3], const expr *out[3]);
/* three entries, zero padded */
void screw_pad(struct check *ck, const struct tm_vec *v, const expr *out[3]);
struct value screw_mul(struct check *ck, const struct value *left,
                       const struct value *right);
struct value screw_transpose(struct check *ck, const struct value *left);

/* Q^T eta M Q */
struct value screw_reduced(struct check *ck, uint32_t body,
                           const struct value *Q, imp_range range);
/* Q or S of a body: free, or held by one joint to what is fixed */
struct value screw_held(struct check *ck, uint32_t body, bool want_q,
                        imp_range range);
/* U(body, contacts), G([body,] contacts) */
struct value screw_contacts(struct check *ck, const struct ast_expr *node,
                            const struct value *left, size_t count,
                            bool want_g);

#endif
