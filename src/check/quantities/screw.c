/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screws as values (spec screws 1.A): twists [w; v_C], wrenches [f; m], lines
 * in Pluecker coordinates, eta, and of a body M and M_red. All are expansions
 * on the graph. They have six entries in the plane too, those out of the plane
 * being 0, so that every formula reads as in space; there M has no inertia
 * about x and y, and a free body moves in three ways. */
#include <assert.h>
#include <string.h>

#include "check/context/builtins.h"
#include "check/quantities/screw_priv.h"

static const struct dim *
mks(struct check *ck, int m, int kg, int s)
{
    return dim_mks(ck->dims, m, kg, s);
}

static const expr *
zero(struct check *ck)
{
    return ex_num(ck->g, 0);
}

void
screw_put(struct value *value, uint32_t j, const expr *const a[3],
          const struct dim *da, const expr *const b[3], const struct dim *db)
{
    assert(value && a && b);
    for (uint32_t i = 0; i < 3; i++) {
        value->e[i * value->cols + j] = a[i];
        value->dims[i * value->cols + j] = da;
        value->e[(i + 3) * value->cols + j] = b[i];
        value->dims[(i + 3) * value->cols + j] = db;
    }
}

void
screw_cross(struct check *ck, const expr *const a[3], const expr *const b[3],
            const expr *out[3])
{
    assert(ck && a && b && out);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] =
            ex_sub(ck->g, ex_mul(ck->g, a[j], b[k]), ex_mul(ck->g, a[k], b[j]));
    }
}

void
screw_pad(struct check *ck, const struct tm_vec *v, const expr *out[3])
{
    assert(ck && v && out);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = i < v->n ? v->e[i] : zero(ck);
}

struct value
screw_mul(struct check *ck, const struct value *left, const struct value *right)
{
    assert(ck && left && right);
    struct ast_expr at = {.kind = AST_BINARY, .range = left->range};
    return lin_mul(ck, &at, left, right);
}

struct value
screw_transpose(struct check *ck, const struct value *left)
{
    assert(ck && left);
    struct value result = matrix_array(ck, left->cols, left->rows, left->range);
    for (uint32_t i = 0; i < left->rows; i++)
        for (uint32_t j = 0; j < left->cols; j++) {
            result.e[j * left->rows + i] = left->e[i * left->cols + j];
            result.dims[j * left->rows + i] =
                matrix_dim(ck, left, (size_t)i * left->cols + j);
        }
    return matrix_done(ck, result);
}

struct value
screw_eta(struct check *ck, imp_range range)
{
    assert(ck);
    struct value value = matrix_array(ck, 6, 6, range);
    for (uint32_t i = 0; i < 36; i++) {
        bool one = (i / 6 + 3) % 6 == i % 6;
        value.e[i] = ex_num(ck->g, one);
        value.dims[i] = dim_pure(ck->dims);
    }
    return matrix_done(ck, value);
}

/* -- of a body ------------------------------------------------------------ */

static const expr *
leaf(struct check *ck, uint32_t body, enum body_quantity q, uint32_t i)
{
    return ex_sym(ck->g, SYM_BODY, body, (uint32_t)q * BODYQ_STRIDE + i);
}

static struct value
twist_of(struct check *ck, uint32_t body, imp_range range)
{
    struct value value = matrix_array(ck, 6, 1, range);
    bool plane = ck->m->dim == 2;
    screw_vec w, u;
    for (uint32_t i = 0; i < 3; i++) {
        w[i] = !plane ? leaf(ck, body, BODYQ_SPIN, i) : zero(ck);
        u[i] = plane && i == 2 ? zero(ck) : leaf(ck, body, BODYQ_VELOCITY, i);
    }
    if (plane)
        w[2] = leaf(ck, body, BODYQ_SPIN, 0);
    screw_put(&value, 0, w, mks(ck, 0, 0, -1), u, mks(ck, 1, 0, -1));
    return matrix_done(ck, value);
}

/* Makes the inertia about the mass centre in world axes, by rows: R J R^T,
 * where J is about body axes. */
static void
inertia_of(struct check *ck, uint32_t body, const expr *J[9])
{
    static const uint32_t at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    struct graph *graph = ck->g;
    const expr *rotation[9], *product[9];
    for (int i = 0; i < 9; i++)
        J[i] = zero(ck);
    if (ck->m->dim == 2) {
        J[8] = leaf(ck, body, BODYQ_INERTIA, 0);
        return;
    }
    carry_rotation(ck, body, rotation);
    for (int i = 0; i < 9; i++) { /* The product R J. */
        product[i] = zero(ck);
        for (int k = 0; k < 3; k++)
            product[i] = ex_add(
                graph, product[i],
                ex_mul(graph, rotation[i / 3 * 3 + k],
                       leaf(ck, body, BODYQ_INERTIA, at[3 * k + i % 3])));
    }
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3 && i / 3 <= i % 3; k++)
            J[i] = ex_add(
                graph, J[i],
                ex_mul(graph, product[i / 3 * 3 + k], rotation[i % 3 * 3 + k]));
    J[3] = J[1];
    J[6] = J[2];
    J[7] = J[5];
}

static struct value
no_motion(struct check *ck, uint32_t body, const char *what, imp_range range)
{
    const struct tm_body *b = &ck->lists.bodies.v[body];
    struct diag *diag = check_error(
        ck, DIAG_E0345, range,
        "`%s` is fixed, so it has no %s: nothing moves it", b->name, what);
    CHECK_NOTE(ck, diag, b->range, "declared here");
    CHECK_HELP(ck, diag, "ask a body that is free or held by a joint");
    return value_poison(range);
}

/* Makes M. For a fixed body it is poison, after a message. */
static struct value
screw_M(struct check *ck, uint32_t body, imp_range range)
{
    if (ck->lists.bodies.v[body].fixed)
        return no_motion(ck, body, "M", range);
    struct value value = matrix_array(ck, 6, 6, range);
    const expr *J[9], *m = leaf(ck, body, BODYQ_MASS, 0);
    inertia_of(ck, body, J);
    for (uint32_t i = 0; i < 36; i++) {
        uint32_t r = i / 6, c = i % 6;
        bool mass = r < 3 && c == r + 3, spin = r >= 3 && c < 3;
        value.e[i] = mass ? m : spin ? J[3 * (r - 3) + c] : zero(ck);
        value.dims[i] = mass ? mks(ck, 0, 1, 0) : mks(ck, 2, 1, 0);
    }
    return matrix_done(ck, value);
}

struct value
screw_reduced(struct check *ck, uint32_t body, const struct value *Q,
              imp_range range)
{
    assert(ck && Q);
    assert(body < ck->lists.bodies.n);
    struct value M = screw_M(ck, body, range), eta = screw_eta(ck, range);
    if (M.kind == VALUE_POISON || Q->kind == VALUE_POISON)
        return value_poison(range);
    struct value P = screw_mul(ck, &M, Q), QT = screw_transpose(ck, Q);
    P = screw_mul(ck, &eta, &P);
    struct value result = screw_mul(ck, &QT, &P);
    /* The mirror entries are copied, so that the matrix is symmetric to the
     * last bit. */
    for (uint32_t i = 0; i < result.rows; i++)
        for (uint32_t j = 0; j < i; j++)
            result.e[i * result.cols + j] = result.e[j * result.cols + i];
    return result;
}

bool
screw_of_body(struct check *ck, uint32_t body, const char *name,
              imp_range range, struct value *out)
{
    assert(ck && name && out);
    assert(body < ck->lists.bodies.n);
    graph_origin(ck->g, range);
    if (!strcmp(name, "twist")) {
        *out = twist_of(ck, body, range);
    } else if (!strcmp(name, "M")) {
        *out = screw_M(ck, body, range);
    } else if (!strcmp(name, "momentum_screw")) {
        struct value M = screw_M(ck, body, range);
        struct value value = twist_of(ck, body, range);
        *out = M.kind == VALUE_POISON ? M : screw_mul(ck, &M, &value);
    } else if (!strcmp(name, "Q") || !strcmp(name, "S")) {
        if (ck->lists.bodies.v[body].fixed)
            *out = no_motion(ck, body, name, range);
        else
            *out = screw_held(ck, body, name[0] == 'Q', range);
    } else if (!strcmp(name, "M_red")) {
        if (ck->lists.bodies.v[body].fixed) {
            *out = no_motion(ck, body, name, range);
            return true;
        }
        struct value Q = screw_held(ck, body, true, range);
        *out = screw_reduced(ck, body, &Q, range);
    } else {
        return false;
    }
    out->range = range;
    return true;
}

/* -- functions ------------------------------------------------------------ */

/* Takes an argument as three entries. It is a vector; in the plane a pair (x,
 * y, 0) or a number (0, 0, s). */
static bool
half(struct check *ck, const struct ast_expr *node, size_t arg,
     const char *name, const struct value *value, bool axial,
     const expr *out[3])
{
    bool space =
        value->kind == VALUE_NUM && value->cols == 1 && value->rows == 3;
    bool pair = value->kind == VALUE_NUM && value->cols == 1 &&
                value->rows == 2 && !axial;
    bool number = value->kind == VALUE_NUM && value->cols == 1 &&
                  value->rows == 1 && axial;
    for (uint32_t i = 0; i < 3; i++)
        out[i] = space || (pair && i < 2) ? value->e[i]
                 : number && i == 2       ? value->e[0]
                                          : zero(ck);
    if (space || pair || number)
        return true;
    struct diag *diag = check_error(
        ck, DIAG_E0218, node->args[arg].value->range,
        "%s takes vectors of three numbers (in the plane %s), but "
        "this is %s",
        name, axial ? "a number" : "a pair", value_kind_text(ck, value));
    const struct builtin *builtin = builtin_find(name);
    CHECK_HELP(ck, diag, "as in %s", builtin->example);
    return false;
}

static bool
all_zero(const struct value *value)
{
    for (size_t i = 0; i < (size_t)value->rows * value->cols; i++)
        if (!ex_is_num(value->e[i], 0))
            return false;
    return true;
}

/* Takes the two halves of a screw, and checks their dimensions against da and
 * db; NULL allows any dimension. */
static bool
two_halves(struct check *ck, const struct ast_expr *node, const char *name,
           struct value *args, const char *const what[2], const struct dim *da,
           const struct dim *db, bool free_pair, struct value *out)
{
    bool first = !strcmp(name, "twist");
    screw_vec halves[2];
    /* In the plane a number stands for the axial half: the first one of a
     * twist, the second one of a wrench. */
    bool axial0 = first || (free_pair && value_is_scalar(&args[0]));
    if (!half(ck, node, 0, name, &args[0], axial0, halves[0]) ||
        !half(ck, node, 1, name, &args[1], !axial0, halves[1]))
        return false;
    if (da && !value_need_dim(ck, &args[0], node->args[0].value, da, what[0]))
        return false;
    if (!da) {
        if (!matrix_plain(ck, &args[0], node->args[0].value->range, what[0]))
            return false;
        da = args[0].bare ? dim_pure(ck->dims) : args[0].dim;
    }
    if (!db)
        db = dim_mul(ck->dims, da, mks(ck, 1, 0, 0));
    if (!da || (free_pair && all_zero(&args[0]))) {
        if (!matrix_plain(ck, &args[1], node->args[1].value->range, what[1]))
            return false;
        db = args[1].bare ? dim_pure(ck->dims) : args[1].dim;
    } else if (!value_need_dim(ck, &args[1], node->args[1].value, db,
                               what[1])) {
        return false;
    }
    *out = matrix_array(ck, 6, 1, node->range);
    screw_put(out, 0, halves[0], da, halves[1], db);
    *out = matrix_done(ck, *out);
    return true;
}

static bool
plucker(struct check *ck, const struct ast_expr *node, struct value *args,
        struct value *out)
{
    screw_vec point, direction, moment;
    if (!half(ck, node, 0, "plucker", &args[0], false, point) ||
        !half(ck, node, 1, "plucker", &args[1], false, direction))
        return false;
    if (!value_need_dim(ck, &args[0], node->args[0].value, mks(ck, 1, 0, 0),
                        "the point of a line") ||
        !matrix_plain(ck, &args[1], node->args[1].value->range,
                      "the direction of a line"))
        return false;
    if (all_zero(&args[1])) {
        check_error(ck, DIAG_E0216, node->args[1].value->range,
                    "the zero vector has no direction");
        return false;
    }
    const struct dim *dd = args[1].bare ? dim_pure(ck->dims) : args[1].dim;
    screw_cross(ck, point, direction, moment);
    *out = matrix_array(ck, 6, 1, node->range);
    screw_put(out, 0, direction, dd, moment,
              dim_mul(ck->dims, dd, mks(ck, 1, 0, 0)));
    *out = matrix_done(ck, *out);
    return true;
}

/* Puts vectors and matrices side by side. */
static bool
columns(struct check *ck, const struct ast_expr *node, const struct value *left,
        size_t count, struct value *out)
{
    uint32_t cols = 0;
    bool bare = true;
    for (size_t which = 0; which < count; which++) {
        if (left[which].kind != VALUE_NUM || left[which].rows < 2 ||
            left[which].rows != left[0].rows) {
            check_error(
                ck, DIAG_E0210, node->args[which].value->range,
                which && left[which].kind == VALUE_NUM
                    ? "columns of one matrix have one length, but these "
                      "are %s and %s"
                    : "a column is a vector, but this is %s%.0s",
                value_kind_text(ck, which && left[which].kind == VALUE_NUM
                                        ? &left[0]
                                        : &left[which]),
                value_kind_text(ck, &left[which]));
            return false;
        }
        cols += left[which].cols;
        bare &= left[which].bare;
    }
    *out = matrix_array(ck, left[0].rows, cols, node->range);
    uint32_t at = 0;
    for (size_t k = 0; k < count; at += left[k++].cols)
        for (uint32_t i = 0; i < left[k].rows; i++)
            for (uint32_t j = 0; j < left[k].cols; j++) {
                size_t from = (size_t)i * left[k].cols + j;
                out->e[i * cols + at + j] = left[k].e[from];
                out->dims[i * cols + at + j] = matrix_dim(ck, &left[k], from);
            }
    *out = matrix_done(ck, *out);
    if (bare) {
        out->dims = NULL;
        out->bare = true;
    }
    return true;
}

static bool
figures(struct check *ck, const struct ast_expr *node, const struct value *left,
        struct value *out)
{
    if (left->kind != VALUE_NUM) {
        check_error(ck, DIAG_E0218, node->args[0].value->range,
                    "figures takes numbers, but this is %s",
                    value_kind_text(ck, left));
        return false;
    }
    *out = *left;
    out->range = node->range;
    out->dims = NULL;
    out->bare = false;
    out->dim = dim_pure(ck->dims);
    return true;
}

bool
screw_call(struct check *ck, const struct ast_expr *node, const char *name,
           struct value *args, size_t count, struct value *out)
{
    assert(ck && node && name && args && out);
    static const char *const names[] = {
        "twist", "wrench", "screw", "plucker", "columns", "figures", "U", "G"};
    const size_t n_names = sizeof names / sizeof names[0];
    static const char *const twist[] = {"the spin of a twist",
                                        "the velocity of a twist"},
                             *const wrench[] = {"the force of a wrench",
                                                "the moment of a wrench"},
                             *const screw[] = {"the first half of a screw",
                                               "the second half of a screw"};
    size_t which = 0;
    while (which < n_names && strcmp(names[which], name))
        which++;
    if (which == n_names)
        return false;
    *out = value_poison(node->range);
    for (size_t k = 0; k < count; k++)
        if (args[k].kind == VALUE_ANY) {
            *out = value_any(ck, dim_fresh(ck->dims, node->range), node->range);
            return true;
        }
    struct value value;
    bool ok = false;
    switch (which) {
    case 0:
        ok = two_halves(ck, node, name, args, twist, mks(ck, 0, 0, -1),
                        mks(ck, 1, 0, -1), false, &value);
        break;
    case 1:
        if (args[0].bare && args[1].bare)
            value_need_dim(ck, &args[0], node->args[0].value, mks(ck, 1, 1, -2),
                           wrench[0]);
        ok =
            two_halves(ck, node, name, args, wrench, NULL, NULL, false, &value);
        break;
    case 2:
        ok = two_halves(ck, node, name, args, screw, NULL, NULL, true, &value);
        break;
    case 3:
        ok = plucker(ck, node, args, &value);
        break;
    case 4:
        ok = columns(ck, node, args, count, &value);
        break;
    case 5:
        ok = figures(ck, node, args, &value);
        break;
    default:
        value = screw_contacts(ck, node, args, count, which == 7);
        ok = value.kind != VALUE_POISON;
        break;
    }
    if (ok)
        *out = value;
    return true;
}
