/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions of the syntax tree become values. */
#ifndef IMP_CHECK_EXPRESSIONS_EXPRESSIONS_H
#define IMP_CHECK_EXPRESSIONS_EXPRESSIONS_H

#include "check/context/builtins.h"
#include "check/quantities/lists.h"

/* -- expr.c, name.c ------------------------------------------------------- */

/* The value of an expression in the names of env; VALUE_POISON after an error,
 * which has been reported, and where there is no node. */
struct value check_expr(struct check *ck, const struct env *env,
                        const struct ast_expr *node);
const struct ast_expr *ast_unwrap(const struct ast_expr *node); /* ( e ) */
/* value of a name where it stands */
struct value check_name(struct check *ck, const struct env *env,
                        const char *name, imp_range range);
/* the joint that a name before a dot means, or NULL */
const struct decl *check_joint(struct check *ck, const struct env *env,
                               const struct ast_expr *node);
/* Is this a quantity of all members of a family of bodies or joints? It is a
 * matrix with a row for each of them. */
bool expr_of_family(struct check *ck, const struct env *env,
                    const struct ast_expr *node);
/* Of how many members of a family, of bodies, joints or contacts, does it have
 * an entry or a row each? *first: the index of the first of them; 0: it is none
 * of all members. */
uint32_t expr_members(struct check *ck, const struct env *env,
                      const struct ast_expr *node, int32_t *first);
/* The sum or the mean of the rows of such a matrix goes by component, as that
 * of a list of vectors. False: the call is none. */
bool expr_rows_reduced(struct check *ck, const struct env *env,
                       const struct ast_expr *node, const char *name,
                       const struct value *args, struct value *out);
/* value of a declaration (evaluates lets when first needed) */
struct value check_decl(struct check *ck, struct decl *decl, imp_range range);
/* enters recursion; false (reported once) when too deep or too long */
bool check_enter(struct check *ck, imp_range range);
#define check_leave(ck) ((void)(ck)->expansion.depth--)
/* The value of a function that is built in, of arguments that have been checked
 * (as many as the node has). */
struct value builtin_call(struct check *ck, const struct env *env,
                          const struct builtin *builtin,
                          const struct ast_expr *node, struct value *args);

/* -- list_expr.c: expressions with lists whose length a run knows ---------- */

/* left op right, one of which is a list */
struct value list_binary(struct check *ck, const struct ast_expr *node,
                         const struct value *left, const struct value *right);
/* a .. b */
struct value list_range(struct check *ck, const struct ast_expr *node,
                        struct value *a, struct value *b);
/* if condition then left else right, any of which may be a list */
struct value list_choice(struct check *ck, const struct ast_expr *node,
                         const struct value *condition,
                         const struct value *left, const struct value *right);
/* A list as its entry, and in *list the list; other values as they are (*list
 * is poison then). */
struct value list_entry_or_value(struct check *ck, const struct value *value,
                                 const struct ast_expr *at, struct value *list);
/* a[condition], a[3] of a list, `at` is the checked index; false: it is none of
 * these */
bool list_indexed(struct check *ck, const struct ast_expr *node,
                  const struct value *list, const struct value *at,
                  struct value *out);
/* an index as a whole number that is known when the model is checked; false:
 * reported */
bool index_number(struct check *ck, struct value *value,
                  const struct ast_expr *node, int32_t *whole);

/* -- unit.c --------------------------------------------------------------- */

/* the value of node, with the unit that stands behind it */
struct value unit_applied(struct check *ck, const struct ast_expr *node,
                          struct value value);

/* -- series.c ------------------------------------------------------------- */

/* the n-th time derivative of a checked value, whose text is `operand`; node
 * is the PRIME node of all primes */
struct value series_prime(struct check *ck, const struct env *env,
                          const struct ast_expr *node,
                          const struct ast_expr *operand,
                          const struct value *of, uint32_t order);
/* series(x, order): node is its CALL node, args its checked arguments; run: it
 * is asked for along a run alone, which knows what contacts and joints tell */
struct value series_call(struct check *ck, const struct ast_expr *node,
                         struct value *args, bool run);

/* -- number.c: members of families after the first ------------------------- */

/* The number of an expression of literals, constants and names of numbers in
 * env, or a number that is drawn between two of these; NULL: it is something
 * else, or has no finite value, and is to be checked. */
const expr *member_number(struct check *ck, const struct env *env,
                          const struct ast_expr *node);
/* Such a number that is entry `which` of a vector of `count` entries, which is
 * a tuple, or sums and multiples of tuples. */
const expr *member_entry(struct check *ck, const struct env *env,
                         const struct ast_expr *node, uint32_t which,
                         uint32_t count);
/* Does the name stand in the expression? */
bool ast_mentions(const struct ast_expr *node, const char *name);

/* -- call.c --------------------------------------------------------------- */

/* binds arguments to formals; false on error (reported) */
bool call_bind(struct check *ck, const struct decl *decl,
               const struct ast_formal *formals, size_t count,
               const struct ast_expr *call, const struct env *caller,
               struct env *out);
/* formals as unknowns, to check a definition by itself */
void call_open(struct check *ck, const struct decl *decl,
               const struct ast_formal *formals, size_t count, struct env *out);
bool call_enter(struct check *ck, struct decl *decl, imp_range call,
                struct frame *frame);
void call_leave(struct check *ck, struct frame *frame);
/* a call of a function, or of a shape in the formula of another shape: there
 * its value is its level set */
struct value call_fn(struct check *ck, const struct env *env, struct decl *decl,
                     const struct ast_expr *node);
/* Says what may be meant by the field of a value that has no such one. */
void call_help_parts(struct check *ck, struct diag *diag,
                     const struct value *value, const struct ast_expr *node);

/* E0212: the value is no list, vector or record. recorded: of name_recorded. */
struct value value_no_entries(struct check *ck, const struct ast_expr *node,
                              const struct value *value, const char *recorded);
/* Says what is meant by d.x.mean(), where diag is not NULL; false: it is something
 * else. */
bool called_behind(struct check *ck, const struct ast_expr *callee,
                   struct diag *diag);
/* The name of the list in which a run has recorded `ball.y`, `ball_y`, where
 * fields of its record are names; NULL: there is none. */
const char *name_recorded(struct check *ck, const struct env *env,
                          const struct ast_expr *node);
/* The name of the field that an expression x.name asks of *of, x; of what a run
 * has recorded, called as the model calls it, r.ball.angle or r.ball[3].angle,
 * that of its column, ball_angle or ball_3_angle, and *of is r. */
const char *name_of_column(struct check *ck, const struct env *env,
                           const struct ast_expr *node,
                           const struct ast_expr **of);

#endif
