/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of checked expressions: what they are, when they agree, arithmetic.
 *
 * A wrong expression yields VALUE_POISON, which every operation passes on
 * without a word, so one mistake gives one diagnostic. */
#ifndef IMP_CHECK_VALUES_VALUES_H
#define IMP_CHECK_VALUES_VALUES_H

#include "check/context/context.h"
#include "check/values/dim.h"

/* -- value.c, agree.c ----------------------------------------------------- */

struct value value_poison(imp_range range);
struct value value_num(struct check *ck, const expr *expression,
                       const struct dim *dim, imp_range range);
struct value value_array(struct check *ck, uint32_t rows, uint32_t cols,
                         const struct dim *dim, imp_range range);
/* A column of a matrix: the x of all places of a family. */
struct value value_column(struct check *ck, const struct value *matrix,
                          uint32_t column, imp_range range);
struct value value_any(struct check *ck, const struct dim *dim,
                       imp_range range);
struct value value_truth(struct check *ck, const expr *expression,
                         imp_range range);
/* Does the value depend on a formal of a definition that is checked by itself,
 * so that it may be a list as well? */
bool value_is_open(struct check *ck, const struct value *value);
bool value_is_scalar(const struct value *value); /* NUM 1 x 1 or ANY */
bool value_is_vector(const struct value *value); /* NUM n x 1, n > 1, or ANY */
const char *value_kind_text(struct check *ck, const struct value *value);
/* a bare constant as a whole: gets a dimension variable of its own */
void value_whole(struct check *ck, struct value *value);
/* operands of + - min compare ... agree; *dim, *bare of the result */
bool value_agree(struct check *ck, const struct ast_expr *at, const char *doing,
                 const struct value *left, const struct ast_expr *ea,
                 const struct value *right, const struct ast_expr *eb,
                 const struct dim **dim, bool *bare);
/* Where the dimension of the node is not the one that is wanted: names the
 * number that may have been meant with a unit, and offers it with that unit.
 * False: there is none. */
bool value_help_factor(struct check *ck, struct diag *diag,
                       const struct ast_expr *node, const struct dim *have,
                       const struct dim *want);
/* Where a pure number is wanted and the node is a number with a unit: offers it
 * without. False: it is none. */
bool value_help_unit(struct check *ck, struct diag *diag,
                     const struct ast_expr *node);
/* v must have dimension d, as `what` ("the mass of a body") does */
bool value_need_dim(struct check *ck, struct value *value,
                    const struct ast_expr *node, const struct dim *dim,
                    const char *what);
/* scalar number of dimension d; poison on error (reported) */
bool value_need_scalar(struct check *ck, struct value *value,
                       const struct ast_expr *node, const struct dim *dim,
                       const char *what);
/* vector of n numbers */
bool value_need_vector(struct check *ck, struct value *value,
                       const struct ast_expr *node, uint32_t count,
                       const struct dim *dim, const char *what);
/* notes for names whose dimension was inferred elsewhere */
void value_explain(struct check *ck, struct diag *diag,
                   const struct ast_expr *node);
/* a note that says by which use the dimension of a name was decided; false if
 * it was declared with it */
bool value_explain_name(struct check *ck, struct diag *diag, const char *name,
                        const struct dim *dim);
/* one entry of a list, that is a formula of its cells? */
bool value_is_entry(struct check *ck, const struct value *value);
/* a literal value known now? */
bool value_const(const struct value *value, double *x);

/* -- mixed.c -------------------------------------------------------------- */

/* dimension of entry i of any number; NULL: an exact 0, it fits all */
const struct dim *matrix_dim(struct check *ck, const struct value *value,
                             size_t i);
/* a value with dims to be filled in; matrix_done makes it plain if it can be */
struct value matrix_array(struct check *ck, uint32_t rows, uint32_t cols,
                          imp_range range);
struct value matrix_done(struct check *ck, struct value value);
/* makes it a value of one dimension; false: E0227 reported */
bool matrix_plain(struct check *ck, struct value *value, imp_range range,
                  const char *what);
/* dimensions of the entries of a sum, a choice; NULL: reported */
const struct dim **matrix_agree(struct check *ck, const struct ast_expr *at,
                                const char *doing, const struct value *left,
                                const struct ast_expr *ea,
                                const struct value *right,
                                const struct ast_expr *eb);
/* r: the product a*b with its entries; gets their dimensions */
struct value matrix_mul(struct check *ck, const struct ast_expr *at,
                        const struct value *left, const struct value *right,
                        struct value result);
/* Finds dimensions with m[i, j] = row[i]*col[j]: only such a matrix maps
 * quantities to quantities, and entry [i, j] of its inverse then has
 * 1/(col[i]*row[j]). False: an error has been reported. */
bool matrix_gauge(struct check *ck, const struct ast_expr *node,
                  const struct value *matrix, const struct dim **row,
                  const struct dim **col);
/* the unit text of entries with units of their own, row by row: "1/s;m/s" */
const char *matrix_units(struct check *ck, const struct dim *const *dims,
                         size_t count);

/* -- units.c -------------------------------------------------------------- */

struct unit {
    double num, den; /* SI value = x * num / den */
    const struct dim *dim;
};
bool unit_of_ast(struct check *ck, const struct ast_expr *node,
                 struct unit *unit);
/* text of a unit; false if it is none. ck may lack everything but dims and
 * arena */
bool unit_of_text(struct dims *ds, const char *text, struct unit *unit);
void unit_names(void (*each)(void *ctx, const char *name, const char *doc),
                void *ctx);

/* -- symmetric.c ---------------------------------------------------------- */
/* Do the entries [row, column] and [column, row] of a symmetric n x n matrix
 * agree but for rounding? False after E0318; `what`: "... is symmetric". */
bool symmetric_entry(struct check *ck, const expr *const *entries, uint32_t n,
                     uint32_t row, uint32_t column, imp_range at,
                     const char *what);

/* -- fixed.c, leaves.c ---------------------------------------------------- */

/* a number known at compile time: literals, and params, which then become
 * structural */
bool check_fixed(struct check *ck, const expr *expression, double *x);
/* The same of a number, NaN or infinite ones, too, whose other leaves `other`
 * knows: it returns false for those that it does not. */
bool check_fixed_with(struct check *ck, const expr *expression,
                      bool (*other)(void *ctx, const expr *leaf, double *x),
                      void *ctx, double *x);
/* Is it a number that is made of data and params alone, as mean(d.m)? */
bool leaf_is_given(const struct check *ck, const expr *leaf);
/* What a leaf of a result is called where it is not given; NULL: it is, or the
 * leaf is none. */
const char *leaf_result(const struct check *ck, const expr *leaf);
/* What helps where `result` (of leaf_result) is such a list; or NULL. */
const char *leaf_result_remedy(const char *result);
/* data of the set-up: no time, no motion, no results */
enum may { MAY_PARAMS = 0, MAY_TIME = 1, MAY_MOTION = 2, MAY_RESULTS = 4 };
bool check_leaves(struct check *ck, const expr *const *e, size_t count, int may,
                  const struct ast_expr *at, const char *what);

/* -- arith.c, linalg.c ---------------------------------------------------- */

/* node is a BINARY node, left and right its checked operands */
struct value check_binary(struct check *ck, const struct ast_expr *node,
                          const struct value *left, const struct value *right);
struct value check_choice(struct check *ck, const struct ast_expr *node,
                          const struct value *condition,
                          const struct value *left, const struct value *right);
/* E0209/E0224: the value is no number; teaches what to take instead */
struct value check_no_arithmetic(struct check *ck, const struct ast_expr *at,
                                 const char *doing, const struct value *value,
                                 const struct ast_expr *node);
bool check_need_truth(struct check *ck, const struct value *value,
                      const struct ast_expr *node, const char *what);
/* a^b with all rules of powers; ea, eb: their places */
struct value check_power(struct check *ck, const struct ast_expr *node,
                         struct value base, const struct ast_expr *ea,
                         struct value exponent, const struct ast_expr *eb);
/* operations on checked values; nodes are made in the graph */
struct value lin_mul(struct check *ck, const struct ast_expr *at,
                     const struct value *left, const struct value *right);
/* false if `name` is none of dot, cross, norm, ...; else *out is the value */
bool lin_call(struct check *ck, const struct ast_expr *node, const char *name,
              struct value *args, size_t count, struct value *out);

#endif
