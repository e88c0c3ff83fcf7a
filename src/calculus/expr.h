/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash-consed graph of scalar expressions: equal expressions are equal
 * pointers. Everything a model says becomes nodes of one graph: level sets,
 * gap functions, energies, forces, outputs. Nodes live as long as the graph.
 * Construction simplifies what is exact (folding of literals by the reference
 * evaluator, 0 + x, 1 * x, x - x, ...). Memory: the graph's arena. */
#ifndef IMP_CALCULUS_EXPR_H
#define IMP_CALCULUS_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/image.h"

struct arena;
struct graph;

/* leaves that are not literals: what a symbol stands for */
enum expr_sym {
    SYM_PARAM,   /* i: parameter */
    SYM_TIME,    /* t */
    SYM_LOCAL,   /* i: x, y, z of a level set; other locals of a tape */
    SYM_ENV,     /* i: entry of env (body constants, state ...) */
    SYM_BODY,    /* i: body, j: quantity * BODYQ_STRIDE + component */
    SYM_CONTACT, /* i: contact, j: enum imp_contactenv entry */
    SYM_SLOT,    /* i: slot, j: 0; of a table: how many numbers are looked up */
    SYM_STATE,   /* i: env index of a state variable; series: fed by its
                    derivative */
    SYM_ROW,     /* i: source, j: row (series tapes) */
    SYM_UNKNOWN, /* i: unknown of an implicit block */
    SYM_TOTAL,   /* i: enum total_quantity (energy ... of all bodies) */
    SYM_SERIES,  /* i: series of the model, j: Taylor coefficient in t */
    SYM_COORD,   /* i: coordinate of the model's systems, j: enum coord_part */
    SYM_SYSTEM,  /* i: system, j: enum total_quantity */
    SYM_DRAW,    /* i: random number of a start (tm_body.first_draw) */
    SYM_SLIP,    /* i: enum contact_argument, in a law of a contact */
    SYM_APPROACH, /* i: enum impact_argument: of an impact, in a law of it */
    SYM_ROTOR,   /* i: rotor, j: enum rotor_quantity */
    SYM_JOINT,   /* i: joint, j: enum imp_jointenv entry */
    SYM_CELL     /* i: list, j: component: an entry of a list, for every entry */
};
/* What a law of a contact is a function of: the speed of slip, in a coefficient
 * of friction; in a compliance how deep it is pressed in, and how fast. */
enum contact_argument {
    ARGUMENT_SLIP,
    ARGUMENT_DEPTH,
    ARGUMENT_SPEED,
    ARGUMENT_IMPULSE,
    ARGUMENT_COMPRESSION
};
/* What a law of impacts is a function of (imp_contact.own); a restitution of the
 * approach alone. */
enum impact_argument {
    IMPACT_APPROACH,
    IMPACT_SLIP,
    IMPACT_RESTITUTION,
    IMPACT_FRICTION,
    IMPACT_A,
    IMPACT_B,
    IMPACT_C,
    IMPACT_ARGUMENTS
};
/* Accelerations appear only in equations of observers, rates before and after
 * an impact only in their jumps. */
enum coord_part {
    COORD_VALUE,
    COORD_RATE,
    COORD_ACCELERATION,
    COORD_BEFORE,
    COORD_AFTER
};
/* What a model may ask of a body, such as one.position, in world axes. A
 * quantity has at most BODYQ_STRIDE components. */
#define BODYQ_STRIDE 16
enum body_quantity {
    BODYQ_POSITION,
    BODYQ_VELOCITY,
    BODYQ_SPIN,
    BODYQ_ANGLE,
    BODYQ_ENERGY,
    BODYQ_MOMENTUM,
    BODYQ_ANGULAR_MOMENTUM,
    BODYQ_MASS,
    BODYQ_VOLUME,
    BODYQ_INERTIA,    /* 6: xx yy zz xy xz yz, body axes */
    BODYQ_CENTRE,     /* shape axes */
    BODYQ_QUATERNION, /* 4 */
    BODYQ_AXES,       /* R by rows: d*d */
    /* in body axes: R^T v, R^T w, m R^T v, J R^T w */
    BODYQ_BODY_VELOCITY,
    BODYQ_BODY_SPIN,
    BODYQ_BODY_MOMENTUM,
    BODYQ_BODY_ANGULAR_MOMENTUM
};
/* what a model may ask of a rotor: its rate against its body, its angular
 * momentum about its axis */
enum rotor_quantity { ROTORQ_RATE, ROTORQ_MOMENTUM };
enum total_quantity { TOTAL_ENERGY, TOTAL_KINETIC, TOTAL_POTENTIAL };

typedef struct expr {
    uint16_t op; /* enum imp_op; CONST for literals, ENV for every symbol */
    uint16_t sym;
    uint32_t id;   /* dense, in order of creation: operands have lower ids */
    uint32_t i, j; /* symbols */
    double num;    /* CONST */
    const struct expr *a, *b, *c;
    imp_range origin; /* where the user wrote it (first occurrence) */
} expr;

struct graph *graph_new(struct arena *arena);
/* All nodes made from now on carry this origin. */
void graph_origin(struct graph *graph, imp_range r);
imp_range graph_origin_get(const struct graph *graph);
uint32_t graph_size(const struct graph *graph);
struct arena *graph_arena(struct graph *graph);

const expr *ex_num(struct graph *graph, double x);
const expr *ex_sym(struct graph *graph, enum expr_sym s, uint32_t i,
                   uint32_t j);
/* Any operator of abi/ops.def with as many operands as its arity; simplifies
 * what is exact. */
const expr *ex_op(struct graph *graph, enum imp_op op, const expr *left,
                  const expr *right, const expr *third);
const expr *ex_add(struct graph *graph, const expr *left, const expr *right);
const expr *ex_sub(struct graph *graph, const expr *left, const expr *right);
const expr *ex_neg(struct graph *graph, const expr *left);
const expr *ex_mul(struct graph *graph, const expr *left, const expr *right);
const expr *ex_div(struct graph *graph, const expr *left, const expr *right);
/* a^b. An integer literal b becomes one fixed chain of products (1/chain where
 * b is negative), b = 1/2 becomes sqrt, abs(u)^b becomes ABSPOW (u^b where b is
 * an even integer). Everything else becomes POW. */
const expr *ex_pow(struct graph *graph, const expr *left, const expr *right);
/* What an operator of one or two literals becomes, where it is finite. */
double ex_number(enum imp_op op, double left, double right);
bool ex_is_num(const expr *node, double x);
bool ex_is_const(const expr *node); /* a literal */

/* Does the node depend on a symbol of class s with these indices? UINT32_MAX
 * stands for any index. */
bool ex_depends(struct graph *graph, const expr *node, enum expr_sym s,
                uint32_t i, uint32_t j);
/* Calls `each` once for each symbol below the n expressions. */
void ex_leaves(struct graph *graph, const expr *const *es, size_t n,
               void (*each)(void *ctx, const expr *leaf), void *ctx);
/* Calls `each` once for each node of the expression. */
void ex_nodes(struct graph *graph, const expr *node,
              void (*each)(void *ctx, const expr *node), void *ctx);
/* The function that the branch of this node itself depends on: it changes where
 * that comes through 0, for floor, ceil, trunc, fmod through a whole number, for
 * round through half of one. NULL: the node has no branches, or those of its
 * condition, or is a PLACE. */
const expr *ex_branch(struct graph *graph, const expr *node);
/* A PLACE node changes its value where one of these comes through 0: what is
 * looked up, less the number of its row (below) and of the next (above); at the
 * ends of the table both are the same. */
void ex_rows(struct graph *graph, const expr *place, const expr **below,
             const expr **above);
/* A function that is 0 where a PLACE node changes its value, and above 0
 * everywhere else. NULL: it never changes. */
const expr *ex_rows_met(struct graph *graph, const expr *place);
/* Replaces symbols: map returns the replacement, or NULL to keep the leaf. */
const expr *ex_subst(struct graph *graph, const expr *node,
                     const expr *(*map)(void *ctx, const expr *leaf),
                     void *ctx);

/* The exact partial derivative with respect to a symbol leaf; remembered. */
const expr *ex_diff(struct graph *graph, const expr *node, const expr *leaf);
/* The directional derivative, the sum of d/dleaf[i] * rate[i]. It is the exact
 * total time derivative if leaf holds t and all state variables. */
const expr *ex_diff_along(struct graph *graph, const expr *node,
                          const expr *const *leaf, const expr *const *rate,
                          size_t n);

/* The value of an expression whose leaves are literals or given by `leaf`, in
 * the arithmetic of the reference evaluator. May be NaN. */
double ex_value(struct graph *graph, const expr *node,
                double (*leaf)(void *ctx, const expr *leaf), void *ctx);
/* Appends an expression as text with all brackets, for tests and `:ir`. */
struct buf;
void ex_print(struct buf *buf, const expr *node);

#endif
