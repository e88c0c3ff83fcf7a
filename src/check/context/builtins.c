/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of the functions that are built in, with what the
 * documentation and messages say of them. */
#include <assert.h>
#include <string.h>

#include "check/context/builtins.h"

static const struct builtin builtins[] = {
    {"sqrt", "x", "square root", "sqrt(2)", false},
    {"cbrt", "x", "cube root", "cbrt(8)", false},
    {"pow", "x, p", "x to the power p, as x^p", "pow(2, 0.5)", false},
    {"hypot", "x, y", "sqrt(x^2 + y^2)", "hypot(3, 4)", false},
    {"exp", "x", "exponential function", "exp(1)", false},
    {"exp2", "x", "2 to the power x", "exp2(3)", false},
    {"expm1", "x", "exp(x) - 1, right for small x", "expm1(1e-9)", false},
    {"log", "x", "natural logarithm", "log(2)", false},
    {"log2", "x", "logarithm to base 2", "log2(8)", false},
    {"log10", "x", "logarithm to base 10", "log10(100)", false},
    {"log1p", "x", "log(1 + x), right for small x", "log1p(1e-9)", false},
    {"sin", "x", "sine; radians, or 30 [deg]", "sin(pi/6)", false},
    {"cos", "x", "cosine; radians, or 30 [deg]", "cos(pi/3)", false},
    {"tan", "x", "tangent", "tan(pi/4)", false},
    {"asin", "x", "arc sine, in radians", "asin(0.5)", false},
    {"acos", "x", "arc cosine, in radians", "acos(0.5)", false},
    {"atan", "x", "arc tangent, in radians", "atan(1)", false},
    {"atan2", "y, x", "angle of the point (x, y), in radians", "atan2(1, 1)",
     false},
    {"sinh", "x", "hyperbolic sine", "sinh(1)", false},
    {"cosh", "x", "hyperbolic cosine", "cosh(1)", false},
    {"tanh", "x", "hyperbolic tangent", "tanh(1)", false},
    {"asinh", "x", "inverse hyperbolic sine", "asinh(1)", false},
    {"acosh", "x", "inverse hyperbolic cosine", "acosh(2)", false},
    {"atanh", "x", "inverse hyperbolic tangent", "atanh(0.5)", false},
    {"erf", "x", "error function", "erf(1)", false},
    {"erfc", "x", "1 - erf(x)", "erfc(1)", false},
    {"gamma", "x", "gamma function", "gamma(0.5)", false},
    {"lgamma", "x", "log of |gamma(x)|", "lgamma(10)", false},
    {"polygamma", "n, x", "n-th derivative of the digamma function",
     "polygamma(0, 1)", false},
    {"abs", "x", "absolute value", "abs(-2)", false},
    {"sign", "x", "-1, 0 or 1", "sign(-2)", false},
    {"floor", "x", "greatest whole number not above x", "floor(2.5)", false},
    {"ceil", "x", "least whole number not below x", "ceil(2.5)", false},
    {"round", "x", "nearest whole number, halves away from 0", "round(2.5)",
     false},
    {"trunc", "x", "whole part, towards 0", "trunc(-2.5)", false},
    {"fmod", "x, y", "remainder of x/y with the sign of x", "fmod(5, 3)",
     false},
    {"min", "a, b, ...", "least of numbers, or of a list", "min(1, 2)", false},
    {"max", "a, b, ...", "greatest of numbers, or of a list", "max(1, 2)",
     false},
    {"sum", "list", "sum of a list or vector", "sum(1 .. 10)", false},
    {"length", "list", "number of entries", "length(r.t)", false},
    {"linspace", "from, to, count", "equally spaced numbers, ends included",
     "linspace(0, 1, 11)", false},
    {"dot", "a, b", "scalar product", "dot((1, 0), (0, 1))", false},
    {"cross", "a, b", "vector product; a number in the plane",
     "cross((1, 0, 0), (0, 1, 0))", false},
    {"norm", "v", "length of a vector", "norm((3, 4))", false},
    {"unit", "v", "direction of a vector", "unit((3, 4))", false},
    {"det", "M", "determinant", "det([1, 2; 3, 4])", false},
    {"inv", "M", "inverse matrix", "inv([1, 2; 3, 4])", false},
    {"solve", "M, b", "x with M*x = b", "solve([1, 2; 3, 4], (1, 2))", false},
    {"transpose", "M", "rows and columns exchanged", "transpose([1, 2; 3, 4])",
     false},
    {"diag", "a, b, ...", "diagonal matrix", "diag(1, 2, 3)", false},
    {"rot", "[axis,] angle", "rotation matrix, in the plane or about an axis",
     "rot(30 [deg])", false},
    {"gap", "contact", "signed distance of the two surfaces", "gap(touch)",
     false},
    {"twist", "spin, velocity",
     "velocity screw: 6 numbers, spin and then velocity, padded with 0 in the "
     "plane",
     "twist((0, 0, 1), (2, 0, 0))", true},
    {"wrench", "force, moment",
     "force (or impulse) and its moment: 6 numbers, padded with 0 in the plane",
     "wrench((1, 0, 0) [N], (0, 0, 2))", true},
    {"screw", "a, b", "6 numbers; b has the dimension of a times length",
     "screw((0, 0, 1), (1, 0, 0))", true},
    {"plucker", "point, direction",
     "Pluecker coordinates of a line: direction, and point x direction",
     "plucker((1, 0, 0), (0, 0, 1))", true},
    {"columns", "a, b, ...", "matrix of these columns",
     "columns((1, 0), (0, 1))", true},
    {"figures", "A",
     "the numbers of a vector or matrix in SI units, without their units",
     "norm(figures(one.twist))", true},
    {"U", "body, contact, ...",
     "a column per contact: its direction and the moment of that about the "
     "body's mass centre",
     "U(one, touch)", true},
    {"G", "[body,] contact, ...",
     "inverse mass matrix of the contacts: U^T eta Q M_red^-1 Q^T eta U of one "
     "body, or its sum over their bodies",
     "G(one, touch)", true},
    {"series", "x, order",
     "Taylor coefficients of x in t along the motion, orders 0 to order, from "
     "the present state; entry k is per s^k",
     "series(gap(touch), 6)", false},
    {"random", "from, to",
     "in a start: a number drawn evenly between two bounds, from the world's "
     "seed and the number of the run",
     "random(-0.1, 0.1)", true},
    {"before", "x", "in the jump of an observer: x just before the impact",
     "before(h')", true},
    {"after", "x", "in the jump of an observer: x just after the impact",
     "after(h')", true},
    {"jump", "x", "in the jump of an observer: after(x) - before(x)",
     "jump(h')", true},
    {"sup", "x", "in `record` of simulate: the greatest value of x along the run, "
     "between the rows, too", "sup(abs(one.spin))", true},
    {"inf", "x", "in `record` of simulate: the least value of x along the run",
     "inf(gap(touch))", true},
    {"integral", "x", "in `record` of simulate: of x over the time of the run",
     "integral(one.energy)", true},
    {"first", "condition", "in `record` of simulate: the first time at which a "
     "comparison holds", "first(gap(touch) < 0.1)", true},
#define LISTED(NAME, word, least, most, RESULT, DIM, args, doc, example)
#define CALLED(NAME, word, least, most, RESULT, DIM, args, doc, example)       \
    {word, args, doc, example, true},
#include "abi/lists.def"
};
#define N_BUILTINS (sizeof builtins / sizeof builtins[0])

const struct builtin *
builtin_get(size_t count)
{
    return count < N_BUILTINS ? &builtins[count] : NULL;
}
const struct builtin *
builtin_find(const char *name)
{
    assert(name);
    for (size_t i = 0; i < N_BUILTINS; i++)
        if (!strcmp(builtins[i].name, name))
            return &builtins[i];
    return NULL;
}
