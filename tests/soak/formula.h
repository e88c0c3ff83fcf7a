/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas of systems: trees in a list of nodes, which is plain data. */
#ifndef SOAK_FORMULA_H
#define SOAK_FORMULA_H

#include <stdbool.h>
#include <stdio.h>

enum { MAX_NODES = 2000, MAX_COORDINATES = 4 };
/* Where formulas are evaluated or derived time stands behind the coordinates.
 */
enum {
    TIME_PLACE = MAX_COORDINATES,
    PLACES_COUNT,
    RATE_PLACE = PLACES_COUNT /* of the rate of the first coordinate */
};

enum operation {
    OP_NUMBER,     /* value */
    OP_COORDINATE, /* number left */
    OP_RATE,
    OP_TIME, /* t + value, in seconds */
    OP_ADD,
    OP_MULTIPLY,
    OP_POWER, /* left^value */
    OP_SIN,
    OP_COS,
    OP_RAMP, /* max(0, left) */
    OP_STEP, /* 1 if left > 0, else 0: a derivative of OP_RAMP */
    OP_ABS,
    OP_SIGN, /* its derivative */
    OP_UNIT  /* left times 1 s (value 1), or over 1 s (value -1): powers take
                numbers without a unit */
};

struct node {
    enum operation operation;
    double value;
    int left, right;
};

struct formulas {
    struct node node[MAX_NODES];
    int count;
    bool own; /* squares, ramps and absolute values are functions of the model's
                 own (formula_print_own) */
};

/* Each makes a node and returns its number. Nodes are shared freely. With no
 * room left all of them return 0, which is the number 0. */
int formula_number(struct formulas *formulas, double value);
int formula_leaf(struct formulas *formulas, enum operation operation,
                 int coordinate);
int formula_two(struct formulas *formulas, enum operation operation, int left,
                int right);
int formula_one(struct formulas *formulas, enum operation operation, int left);
int formula_power(struct formulas *formulas, int left, double exponent);
int formula_scaled(struct formulas *formulas, double factor, int left);
/* Does it depend on the time? */
bool formula_has_time(const struct formulas *formulas, int root);
/* All of them, with t + shift in place of t. */
void formula_shift_time(struct formulas *formulas, double shift);
int formula_unit(struct formulas *formulas, int left, double seconds);
/* the derivative by a coordinate, by the time (TIME_PLACE), or by the rate of a
 * coordinate (RATE_PLACE + its number) */
int formula_derivative(struct formulas *formulas, int of, int coordinate);
/* q[i] becomes sum_k matrix[i][k] q[k] + offset[i], and each rate that of this
 * times rate_factor, t becomes time_factor*t. Returns the root in `to`. */
struct substitution {
    int coordinates;
    double matrix[MAX_COORDINATES][MAX_COORDINATES], offset[MAX_COORDINATES];
    double rate_factor, time_factor;
};
int formula_substitute(const struct formulas *from, int root,
                       const struct substitution *by, struct formulas *to);
void formula_print(const struct formulas *formulas, int root, char names[][16],
                   FILE *out);
/* These functions. */
void formula_print_own(FILE *out);
/* Is it a branch, and on which side of it is the model there? */
bool formula_branches(const struct node *node);

/* Has a ramp that reads the time alone its bend between two times? */
bool formula_has_knot(const struct formulas *formulas, double from, double to);

/* A value with its derivatives by two directions, and by both. */
struct hyper {
    double value, first, second, both;
};
/* The value at coordinates q and rates v, all hyper-dual; q[TIME_PLACE] is the
 * time. */
struct hyper formula_value(const struct formulas *formulas, int root,
                           const struct hyper *q, const struct hyper *v);

#endif
