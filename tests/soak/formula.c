/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas of systems. */
#include "formula.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "print.h"

static int
add_node(struct formulas *formulas, struct node node)
{
    if (formulas->count == 0)
        formulas->node[formulas->count++] = (struct node){OP_NUMBER, 0, 0, 0};
    if (formulas->count == MAX_NODES)
        return 0;
    formulas->node[formulas->count] = node;
    return formulas->count++;
}

int
formula_number(struct formulas *formulas, double value)
{
    return add_node(formulas, (struct node){OP_NUMBER, value, 0, 0});
}

int
formula_leaf(struct formulas *formulas, enum operation operation,
             int coordinate)
{
    return add_node(formulas, (struct node){operation, 0, coordinate, 0});
}

bool
formula_has_time(const struct formulas *formulas, int root)
{
    const struct node *node = &formulas->node[root];
    switch (node->operation) {
    case OP_TIME:
        return true;
    case OP_NUMBER:
    case OP_COORDINATE:
    case OP_RATE:
        return false;
    case OP_ADD:
    case OP_MULTIPLY:
        if (formula_has_time(formulas, node->right))
            return true;
        break;
    default:
        break;
    }
    return formula_has_time(formulas, node->left);
}

void
formula_shift_time(struct formulas *formulas, double shift)
{
    for (int i = 0; i < formulas->count; i++)
        if (formulas->node[i].operation == OP_TIME)
            formulas->node[i].value += shift;
}

static bool
is_number(const struct formulas *formulas, int node, double value)
{
    return formulas->node[node].operation == OP_NUMBER &&
           formulas->node[node].value == value;
}

int
formula_two(struct formulas *formulas, enum operation operation, int left,
            int right)
{
    double neutral = operation == OP_MULTIPLY ? 1 : 0;
    if (is_number(formulas, left, neutral))
        return right;
    if (is_number(formulas, right, neutral))
        return left;
    if (operation == OP_MULTIPLY &&
        (is_number(formulas, left, 0) || is_number(formulas, right, 0)))
        return formula_number(formulas, 0);
    return add_node(formulas, (struct node){operation, 0, left, right});
}

int
formula_one(struct formulas *formulas, enum operation operation, int left)
{
    return add_node(formulas, (struct node){operation, 0, left, 0});
}

int
formula_power(struct formulas *formulas, int left, double exponent)
{
    return exponent == 1
               ? left
               : add_node(formulas, (struct node){OP_POWER, exponent, left, 0});
}

int
formula_unit(struct formulas *formulas, int left, double seconds)
{
    return add_node(formulas, (struct node){OP_UNIT, seconds, left, 0});
}

int
formula_scaled(struct formulas *formulas, double factor, int left)
{
    return formula_two(formulas, OP_MULTIPLY, formula_number(formulas, factor),
                       left);
}

int
formula_derivative(struct formulas *formulas, int of, int coordinate)
{
    struct node node = formulas->node[of];
    int inner;
    switch (node.operation) {
    case OP_COORDINATE:
        return formula_number(formulas, node.left == coordinate);
    case OP_TIME:
        return formula_number(formulas, coordinate == TIME_PLACE);
    case OP_RATE:
        return formula_number(formulas, node.left + RATE_PLACE == coordinate);
    case OP_UNIT:
        inner = formula_derivative(formulas, node.left, coordinate);
        return is_number(formulas, inner, 0)
                   ? inner
                   : formula_unit(formulas, inner, node.value);
    case OP_ADD:
        inner = formula_derivative(formulas, node.left, coordinate);
        return formula_two(
            formulas, OP_ADD, inner,
            formula_derivative(formulas, node.right, coordinate));
    case OP_MULTIPLY:
        inner = formula_two(formulas, OP_MULTIPLY,
                            formula_derivative(formulas, node.left, coordinate),
                            node.right);
        return formula_two(
            formulas, OP_ADD, inner,
            formula_two(formulas, OP_MULTIPLY, node.left,
                        formula_derivative(formulas, node.right, coordinate)));
    default:
        break;
    }
    if (node.operation == OP_NUMBER || node.operation == OP_STEP ||
        node.operation == OP_SIGN)
        return formula_number(formulas, 0);
    inner = formula_derivative(formulas, node.left, coordinate);
    int outer = 0;
    if (node.operation == OP_POWER)
        outer =
            formula_scaled(formulas, node.value,
                           formula_power(formulas, node.left, node.value - 1));
    else if (node.operation == OP_SIN)
        outer = formula_one(formulas, OP_COS, node.left);
    else if (node.operation == OP_COS)
        outer = formula_scaled(formulas, -1,
                               formula_one(formulas, OP_SIN, node.left));
    else
        outer = formula_one(
            formulas, node.operation == OP_ABS ? OP_SIGN : OP_STEP, node.left);
    return formula_two(formulas, OP_MULTIPLY, outer, inner);
}

static int
substituted_leaf(const struct node *node, const struct substitution *by,
                 struct formulas *to)
{
    bool rate = node->operation == OP_RATE;
    int sum = formula_number(to, rate ? 0 : by->offset[node->left]);
    for (int k = 0; k < by->coordinates; k++)
        if (by->matrix[node->left][k] != 0)
            sum = formula_two(
                to, OP_ADD, sum,
                formula_scaled(to,
                               by->matrix[node->left][k] *
                                   (rate ? by->rate_factor : 1),
                               formula_leaf(to, node->operation, k)));
    return sum;
}

int
formula_substitute(const struct formulas *from, int root,
                   const struct substitution *by, struct formulas *to)
{
    const struct node *node = &from->node[root];
    switch (node->operation) {
    case OP_NUMBER:
        return formula_number(to, node->value);
    case OP_COORDINATE:
    case OP_RATE:
        return substituted_leaf(node, by, to);
    case OP_TIME: {
        int time = formula_leaf(to, OP_TIME, 0);
        to->node[time].value = node->value / by->time_factor;
        return formula_scaled(to, by->time_factor, time);
    }
    case OP_ADD:
    case OP_MULTIPLY: {
        int left = formula_substitute(from, node->left, by, to);
        return formula_two(to, node->operation, left,
                           formula_substitute(from, node->right, by, to));
    }
    case OP_POWER:
        return formula_power(to, formula_substitute(from, node->left, by, to),
                             node->value);
    case OP_UNIT:
        return formula_unit(to, formula_substitute(from, node->left, by, to),
                            node->value);
    default:
        return formula_one(to, node->operation,
                           formula_substitute(from, node->left, by, to));
    }
}

void
formula_print(const struct formulas *formulas, int root, char names[][16],
              FILE *out)
{
    const struct node *node = &formulas->node[root];
    static const char *const before[] = {
        [OP_ADD] = "(",     [OP_MULTIPLY] = "(", [OP_POWER] = "(",
        [OP_SIN] = "sin(",  [OP_COS] = "cos(",   [OP_RAMP] = "max(0, ",
        [OP_STEP] = "(if ", [OP_ABS] = "abs(",   [OP_SIGN] = "sign(",
        [OP_UNIT] = "("};
    bool square = node->operation == OP_POWER && node->value == 2;
    /* powers pass the kink of an absolute value, but not of a maximum */
    bool damper = node->operation == OP_ABS &&
                  formulas->node[node->left].operation == OP_UNIT;
    const char *own = !formulas->own || damper     ? NULL
                      : square                     ? "square_of("
                      : node->operation == OP_RAMP ? "ramp_of("
                      : node->operation == OP_ABS  ? "size_of("
                                                   : NULL;
    switch (node->operation) {
    case OP_NUMBER:
        fputs(node->value < 0 ? "(" : "", out);
        print_number(out, node->value);
        fputs(node->value < 0 ? ")" : "", out);
        return;
    case OP_COORDINATE:
    case OP_RATE:
        fprintf(out, "%s%s", names[node->left],
                node->operation == OP_RATE ? "'" : "");
        return;
    case OP_TIME:
        fputs(node->value != 0 ? "((1 [1/s])*t + " : "((1 [1/s])*t", out);
        if (node->value != 0)
            print_number(out, node->value);
        fputs(")", out);
        return;
    default:
        break;
    }
    fputs(own ? own : before[node->operation], out);
    if (node->operation == OP_UNIT)
        fputs(node->value > 0 ? "(1 [s])*" : "(1 [1/s])*", out);
    formula_print(formulas, node->left, names, out);
    if (node->operation == OP_ADD || node->operation == OP_MULTIPLY) {
        fputs(node->operation == OP_ADD ? " + " : "*", out);
        formula_print(formulas, node->right, names, out);
    } else if (node->operation == OP_POWER && !own) {
        fputs(")^", out);
        fputs("(", out);
        print_number(out, node->value);
        fputs(")", out);
        return;
    } else if (node->operation == OP_STEP) {
        fputs(" > 0 then 1 else 0", out);
    }
    fputs(")", out);
}

void
formula_print_own(FILE *out)
{
    fputs("fn square_of(u) = u*u\n"
          "fn ramp_of(u) = if u > 0*u then u else 0*u\n"
          "fn size_of(u) = max(u, -u)\n",
          out);
}

bool
formula_branches(const struct node *node)
{
    return node->operation == OP_RAMP || node->operation == OP_ABS;
}

/* f(x) from f, f' and f'' at x */
static struct hyper
chain(struct hyper x, double value, double slope, double bend)
{
    return (struct hyper){value, slope * x.first, slope * x.second,
                          slope * x.both + bend * x.first * x.second};
}

static struct hyper
power(struct hyper x, double exponent)
{
    double slope = exponent == 0 ? 0 : exponent * pow(x.value, exponent - 1);
    double bend = exponent == 0 || exponent == 1
                      ? 0
                      : exponent * (exponent - 1) * pow(x.value, exponent - 2);
    return chain(x, pow(x.value, exponent), slope, bend);
}

struct hyper
formula_value(const struct formulas *formulas, int root, const struct hyper *q,
              const struct hyper *v)
{
    const struct node *node = &formulas->node[root];
    struct hyper a, b;
    switch (node->operation) {
    case OP_NUMBER:
        return (struct hyper){node->value, 0, 0, 0};
    case OP_COORDINATE:
        return q[node->left];
    case OP_RATE:
        return v[node->left];
    case OP_TIME:
        a = q[TIME_PLACE];
        a.value += node->value;
        return a;
    case OP_ADD:
        a = formula_value(formulas, node->left, q, v);
        b = formula_value(formulas, node->right, q, v);
        return (struct hyper){a.value + b.value, a.first + b.first,
                              a.second + b.second, a.both + b.both};
    case OP_MULTIPLY:
        a = formula_value(formulas, node->left, q, v);
        b = formula_value(formulas, node->right, q, v);
        return (struct hyper){a.value * b.value,
                              a.first * b.value + a.value * b.first,
                              a.second * b.value + a.value * b.second,
                              a.both * b.value + a.first * b.second +
                                  a.second * b.first + a.value * b.both};
    default:
        break;
    }
    a = formula_value(formulas, node->left, q, v);
    double x = a.value;
    switch (node->operation) {
    case OP_POWER:
        return power(a, node->value);
    case OP_SIN:
        return chain(a, sin(x), cos(x), -sin(x));
    case OP_COS:
        return chain(a, cos(x), -sin(x), -cos(x));
    case OP_RAMP:
        return chain(a, fmax(0, x), x > 0, 0);
    case OP_ABS:
        return chain(a, fabs(x), (x > 0) - (x < 0), 0);
    case OP_UNIT:
        return a;
    case OP_SIGN:
        return (struct hyper){(x > 0) - (x < 0), 0, 0, 0};
    default:
        return (struct hyper){x > 0, 0, 0, 0};
    }
}

static bool
reads_time_alone(const struct formulas *formulas, int root)
{
    const struct node *node = &formulas->node[root];
    bool two = node->operation == OP_ADD || node->operation == OP_MULTIPLY;
    if (node->operation == OP_COORDINATE || node->operation == OP_RATE)
        return false;
    if (node->operation == OP_NUMBER || node->operation == OP_TIME)
        return true;
    return reads_time_alone(formulas, node->left) &&
           (!two || reads_time_alone(formulas, node->right));
}

bool
formula_has_knot(const struct formulas *formulas, double from, double to)
{
    for (int i = 0; i < formulas->count; i++) {
        const struct node *node = &formulas->node[i];
        struct hyper at[2][PLACES_COUNT] = {{{0}}};
        if (node->operation != OP_RAMP ||
            !reads_time_alone(formulas, node->left))
            continue;
        at[0][TIME_PLACE].value = from;
        at[1][TIME_PLACE].value = to;
        if (formula_value(formulas, node->left, at[0], NULL).value *
                formula_value(formulas, node->left, at[1], NULL).value <=
            0)
            return true;
    }
    return false;
}
