/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions: syntax to values. A value's numbers are nodes of the graph in
 * SI units, with one dimension (or the freedom of a bare constant, see
 * language.md, principle 3). Long sums are walked in a loop; other recursion
 * is limited, as is the total work of expansions. */
#include <math.h>
#include <string.h>

#include "check/context/corners.h"
#include "check/context/stdlib.h"
#include "check/expressions/expressions.h"

#define DEPTH_MAX 1200
#define STEPS_MAX 2000000u
#define LIST_MAX 100000

bool
ck_enter(struct check *ck, imp_range range)
{
    ck->steps += ck->expanding != 0;
    if (!ck->spent && ck->depth < DEPTH_MAX && ck->steps < STEPS_MAX) {
        ck->depth++;
        return true;
    }
    if (!ck->spent) {
        ck->spent = true;
        struct diag *d = ck_error(
            ck, DIAG_E0910, range,
            ck->depth >= DEPTH_MAX
                ? "this is nested too deeply (more than %u levels)"
                : "the functions of this model expand to more than %u steps",
            ck->depth >= DEPTH_MAX ? DEPTH_MAX : STEPS_MAX);
        CK_HELP(ck, d, "give parts of it names of their own with `let`");
    }
    return false;
}

const struct ast_expr *
ast_unwrap(const struct ast_expr *e)
{
    while (e && e->kind == AST_PAREN && !e->unit)
        e = e->a;
    return e;
}

/* -- constants ------------------------------------------------------------ */

static double
no_leaf(void *ctx, const expr *leaf)
{
    (void)ctx;
    (void)leaf;
    return NAN;
}
/* the graph keeps an operation of literals that has no finite value */
static bool
finite_constant(struct check *ck, const expr *e)
{
    if (ex_is_const(e))
        return isfinite(e->num);
    if (!e->a || !ex_is_const(e->a) || (e->b && !ex_is_const(e->b)) ||
        (e->c && !ex_is_const(e->c)))
        return true;
    return isfinite(ex_value(ck->g, e, no_leaf, NULL));
}

/* a literal result that is no number is the user's mistake right here */
static struct value
folded(struct check *ck, const struct ast_expr *e, struct value v)
{
    if (v.kind != V_NUM)
        return v;
    for (size_t i = 0; i < (size_t)v.rows * v.cols; i++)
        if (!finite_constant(ck, v.e[i])) {
            struct diag *d =
                ck_error(ck, DIAG_E0217, e->range, "this has no finite value");
            CK_HELP(ck, d,
                    "the numbers written here give an infinity or no number "
                    "at all, as sqrt(-1) or log(0) do");
            return v_poison(e->range);
        }
    return v;
}

/* -- literals and units --------------------------------------------------- */

static struct value
apply_unit(struct check *ck, const struct ast_expr *e, struct value v)
{
    struct unit u;
    if (!e->unit || v.kind == V_POISON)
        return v;
    if (!unit_of_ast(ck, e->unit, &u))
        return v_poison(e->range);
    if (v.kind != V_NUM && v.kind != V_LIST && v.kind != V_ANY) {
        ck_error(ck, DIAG_E0209, e->range,
                 "a unit belongs to numbers, but this is %s", v_kind(ck, &v));
        return v_poison(e->range);
    }
    if (!mx_plain(ck, &v, e->range, "what a unit follows"))
        return v_poison(e->range);
    if (!v.bare && !dim_unify(ck->dims, v.dim, dim_pure(ck->dims), e->range)) {
        struct diag *d = ck_error(ck, DIAG_E0207, e->unit->range,
                                  "this has a dimension already: it is %s",
                                  dim_say(ck->dims, v.dim));
        v_explain(ck, d, e->a);
        CK_HELP(ck, d, "leave the unit out");
        return v_poison(e->range);
    }
    struct value r = v;
    r.bare = false;
    r.series = NULL;
    r.dim = u.dim;
    r.range = e->range;
    size_t n = (size_t)v.rows * v.cols;
    r.e = NEW_N(ck->arena, const expr *, n);
    for (size_t i = 0; i < n; i++)
        r.e[i] =
            ex_is_const(v.e[i])
                ? ex_num(ck->g, v.e[i]->num * u.num / u.den)
                : ex_div(ck->g, ex_mul(ck->g, v.e[i], ex_num(ck->g, u.num)),
                         ex_num(ck->g, u.den));
    return r;
}

/* -- compound ------------------------------------------------------------- */

static bool
is_text(const struct value *v)
{
    return v->kind == V_TEXT || v->kind == V_FIELD;
}

/* texts of results are compared here, all else is arithmetic of values */
static struct value
binary(struct check *ck, const struct ast_expr *e, const struct value *a,
       const struct value *b)
{
    if (e->op >= AST_LT && e->op <= AST_NE && is_text(a) && is_text(b))
        return a->kind == V_FIELD ? field_compare(ck, e, a, b)
                                  : field_compare(ck, e, b, a);
    return ck_binary(ck, e, a, b);
}

/* a left spine a + b + c ... in a loop: it may be 10^5 terms long */
static struct value
spine(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    size_t n = 0;
    const struct ast_expr *p;
    for (p = e; p->kind == AST_BINARY; p = p->a)
        n++;
    const struct ast_expr **nodes =
        NEW_N(ck->arena, const struct ast_expr *, n);
    size_t i = n;
    for (p = e; p->kind == AST_BINARY; p = p->a)
        nodes[--i] = p;
    struct value v = ck_expr(ck, env, p);
    for (i = 0; i < n; i++) {
        struct value b = ck_expr(ck, env, nodes[i]->b);
        v = folded(ck, nodes[i], binary(ck, nodes[i], &v, &b));
        if (dims_overflowed(ck->dims)) {
            ck_error(ck, DIAG_E0220, nodes[i]->range,
                     "the exponents of this dimension are too large");
            v = v_poison(e->range);
        }
    }
    return v;
}

static struct value
array(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    uint32_t n = (uint32_t)e->n_list;
    bool matrix = e->kind == AST_MATRIX;
    uint32_t cols = matrix ? (uint32_t)(e->cols ? e->cols : n) : 1;
    if (!n || n % cols)
        return v_poison(e->range); /* the parser has said so */
    struct value r = v_array(ck, n / cols, cols, NULL, e->range);
    const struct ast_expr *first = NULL;
    bool ok = true, any = false;
    r.bare = true;
    r.dim = dim_pure(ck->dims);
    for (uint32_t i = 0; i < n; i++) {
        struct value v = ck_expr(ck, env, e->list[i]);
        if (v.kind == V_POISON) {
            ok = false;
            continue;
        }
        if (!v_is_scalar(&v)) {
            struct diag *d =
                ck_error(ck, DIAG_E0209, e->list[i]->range,
                         "an entry of a %s is one number, but this is %s",
                         matrix ? "matrix" : "vector", v_kind(ck, &v));
            if (v.kind == V_NUM)
                CK_HELP(ck, d,
                        "a matrix is written with its rows apart by "
                        "semicolons: [1, 2; 3, 4]");
            ok = false;
            break; /* its neighbours are of the same kind */
        }
        any |= v.kind == V_ANY;
        r.e[i] = v.e[0];
        if (v.bare)
            continue;
        if (r.bare) {
            r.bare = false;
            r.dim = v.dim;
            first = e->list[i];
        } else if (!dim_unify(ck->dims, r.dim, v.dim, e->list[i]->range)) {
            struct diag *d = ck_error(
                ck, DIAG_E0201, e->list[i]->range,
                "the entries of a %s have one dimension, but these are %s "
                "and %s",
                matrix ? "matrix" : "vector", dim_say(ck->dims, r.dim),
                dim_say(ck->dims, v.dim));
            CK_NOTE(ck, d, first->range, "this is %s",
                    dim_say(ck->dims, r.dim));
            v_explain(ck, d, first);
            v_explain(ck, d, e->list[i]);
            ok = false;
        }
    }
    (void)any;
    if (!ok)
        return v_poison(e->range);
    return apply_unit(ck, e, r);
}

static struct value
range_list(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    struct value a = ck_expr(ck, env, e->a), b = ck_expr(ck, env, e->b);
    const struct dim *pure = dim_pure(ck->dims);
    double lo, hi;
    bool ok = v_need_scalar(ck, &a, e->a, pure, "the start of a range");
    if (!v_need_scalar(ck, &b, e->b, pure, "the end of a range") || !ok)
        return v_poison(e->range);
    if (a.kind == V_ANY || b.kind == V_ANY)
        return v_any(ck, pure, e->range);
    if (!ck_fixed(ck, a.e[0], &lo) || !ck_fixed(ck, b.e[0], &hi)) {
        ck_error(ck, DIAG_E0222, e->range,
                 "the bounds of a range are made of literals and params");
        return v_poison(e->range);
    }
    if (lo != floor(lo) || hi != floor(hi) || hi - lo >= LIST_MAX) {
        struct diag *d = ck_error(
            ck, DIAG_E0222, e->range,
            "the bounds of a range are whole numbers, %d apart at most",
            LIST_MAX);
        CK_HELP(ck, d, "for other steps there is linspace(from, to, count)");
        return v_poison(e->range);
    }
    uint32_t n = hi < lo ? 0 : (uint32_t)(hi - lo) + 1;
    struct value r = v_array(ck, n, 1, pure, e->range);
    r.kind = V_LIST;
    r.bare = true;
    for (uint32_t i = 0; i < n; i++)
        r.e[i] = ex_num(ck->g, lo + i);
    return r;
}

static bool
index_of(struct check *ck, const struct env *env, const struct ast_expr *e,
         uint32_t n, uint32_t *i)
{
    struct value v = ck_expr(ck, env, e);
    double x;
    if (!v_need_scalar(ck, &v, e, dim_pure(ck->dims), "an index"))
        return false;
    if (v.kind == V_ANY) {
        *i = 0;
        return true;
    }
    if (!ck_fixed(ck, v.e[0], &x) || x != floor(x)) {
        ck_error(ck, DIAG_E0212, e->range,
                 "an index is a whole number made of literals and params");
        return false;
    }
    if (x < 0 || x >= n) {
        struct diag *d = ck_error(ck, DIAG_E0212, e->range,
                                  "there is no entry %.0f among %u", x, n);
        CK_HELP(ck, d, "entries are counted from 0: 0 .. %u", n ? n - 1 : 0);
        return false;
    }
    *i = (uint32_t)x;
    return true;
}

static struct value
entry_of(struct check *ck, const struct value *v, size_t i, imp_range range)
{
    struct value r = v_num(ck, v->e[i], v->dim, range);
    r.bare = v->bare;
    if (v->dims) {
        r.dims = v->dims + i;
        r = mx_done(ck, r);
    }
    return r;
}

static bool
whole_number(struct check *ck, const struct env *env, const struct ast_expr *e,
             int32_t *i)
{
    double x;
    struct value v = ck_expr(ck, env, e);
    if (!v_need_scalar(ck, &v, e, dim_pure(ck->dims), "an index"))
        return false;
    if (!ck_fixed(ck, v.e[0], &x) || x != floor(x) || fabs(x) > 1e8) {
        ck_error(ck, DIAG_E0212, e->range,
                 "an index is a whole number made of literals and params");
        return false;
    }
    *i = (int32_t)x;
    return true;
}

/* entries of a field of a record */
static struct value
field_indexed(struct check *ck, const struct env *env, const struct value *v,
              const struct ast_expr *e)
{
    int32_t index[2] = {0, 0};
    if (!field_takes_indices(ck, v, e->n_list, e->range))
        return v_poison(e->range);
    for (size_t k = 0; k < e->n_list; k++)
        if (!whole_number(ck, env, e->list[k], &index[k]))
            return v_poison(e->range);
    return field_entry(ck, v, index, e->n_list, e->range);
}

static struct value
indexed(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    struct value v = ck_expr(ck, env, e->a);
    uint32_t i, j;
    switch (v.kind) {
    case V_POISON:
        return v_poison(e->range);
    case V_ANY:
        for (size_t k = 0; k < e->n_list; k++)
            if (!index_of(ck, env, e->list[k], UINT32_MAX, &i))
                return v_poison(e->range);
        return v_any(ck, v.dim, e->range);
    case V_FIELD:
        return field_indexed(ck, env, &v, e);
    case V_FAMILY: {
        if (e->n_list != 1) {
            ck_error(ck, DIAG_E0212, e->range, "a family has one index");
            return v_poison(e->range);
        }
        struct value at = ck_expr(ck, env, e->list[0]);
        return family_member(ck, &v, &at, e->list[0], e->range);
    }
    case V_NUM:
    case V_LIST:
        if (v.rows * v.cols == 1 && v.kind == V_NUM)
            break;
        if (e->n_list == 2 && v.cols > 1) {
            if (!index_of(ck, env, e->list[0], v.rows, &i) ||
                !index_of(ck, env, e->list[1], v.cols, &j))
                return v_poison(e->range);
            return entry_of(ck, &v, (size_t)i * v.cols + j, e->range);
        }
        if (e->n_list != 1) {
            ck_error(ck, DIAG_E0212, e->range,
                     v.cols > 1 ? "a matrix has two indices: M[0, 1]"
                                : "a vector has one index: v[0]");
            return v_poison(e->range);
        }
        if (!index_of(ck, env, e->list[0], v.rows, &i))
            return v_poison(e->range);
        struct value r = v_array(ck, v.cols, 1, v.dim, e->range);
        r.bare = v.bare;
        if (v.series) {
            r.dim =
                dim_mul(ck->dims, v.series, dim_mks(ck->dims, 0, 0, -(int)i));
            r.bare = false;
        }
        for (j = 0; j < v.cols; j++)
            r.e[j] = v.e[i * v.cols + j];
        r.dims = v.dims ? v.dims + (size_t)i * v.cols : NULL;
        return mx_done(ck, r);
    default:
        break;
    }
    struct diag *d = ck_error(ck, DIAG_E0212, e->range,
                              "this has no entries: it is %s", v_kind(ck, &v));
    if (v.kind == V_NUM && e->n_list == 1 && e->list[0]->kind != AST_NUM)
        CK_HELP(ck, d,
                "behind a name [ ] is an index; a unit may follow a number or "
                "a bracket: (%s) [%s]",
                ck_label(ck, e->a), ck_label(ck, e->list[0]));
    else if (v.kind == V_RESULT)
        CK_HELP(ck, d, "take one of its fields first");
    return v_poison(e->range);
}

static struct value
field(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    if (e->a->kind == AST_NAME) {
        struct module *lib = scope_library(env->module, e->a->name.text);
        if (lib && !scope_own(env->module, e->a->name.text)) {
            struct decl *d = scope_own(lib, e->name.text);
            if (d && (d->kind == D_LET || d->kind == D_PARAM))
                return ck_decl(ck, d, e->range);
            struct env le = {.module = lib};
            scope_unknown(ck, &le, e->name.text, e->name.range, WANT_VALUE);
            return v_poison(e->range);
        }
    }
    const struct decl *joint = ck_joint(ck, env, e->a);
    if (joint)
        return joint->index == UINT32_MAX && ck->joined
                   ? v_poison(e->range)
                   : joint_field(ck, joint->index, e->name.text, e->name.range,
                                 e->range);
    struct value v = ck_expr(ck, env, e->a);
    const char *f = e->name.text;
    switch (v.kind) {
    case V_POISON:
        return v_poison(e->range);
    case V_BODY:
        return body_field(ck, v.ref, f, e->name.range, e->range);
    case V_CONTACT:
        return contact_field(ck, v.ref, f, e->name.range, e->range);
    case V_SYSTEM:
        return system_field(ck, v.ref, f, e->name.range, e->range);
    case V_RESULT:
        return result_field(ck, v.ref, f, e->name.range, e->range);
    case V_ANY:
        if (f[1] == 0 && f[0] >= 'x' && f[0] <= 'z')
            return v_any(ck, v.dim, e->range);
        return v_any(ck, dim_fresh(ck->dims, e->range), e->range);
    case V_NUM:
        if (v.cols == 1 && v.rows > 1 && f[1] == 0 && f[0] >= 'x' &&
            f[0] <= 'z' && (uint32_t)(f[0] - 'x') < v.rows) {
            return entry_of(ck, &v, (size_t)(f[0] - 'x'), e->range);
        }
        break;
    default:
        break;
    }
    struct diag *d = ck_error(ck, DIAG_E0112, e->name.range, "%s has no `%s`",
                              v_kind(ck, &v), f);
    if (v.kind == V_NUM && v.rows > 1 && v.cols == 1)
        CK_HELP(ck, d,
                v.rows == 2 ? "its parts are .x and .y"
                            : "its parts are .x, .y and .z");
    return v_poison(e->range);
}

/* the arguments of a function that is built in */
static struct value *
arguments(struct check *ck, const struct env *env, const struct builtin *b,
          const struct ast_expr *e)
{
    struct value *args = NEW_N(ck->arena, struct value, e->n_args + 1);
    for (size_t i = 0; i < e->n_args; i++) {
        const struct ast_arg *arg = &e->args[i];
        if (arg->name.text)
            ck_error(ck, DIAG_E0215, arg->name.range,
                     "%s takes its arguments by place: %s(%s)", b->name,
                     b->name, b->args);
        args[i] = ck_expr(ck, env, arg->value);
        if (arg->name.text)
            args[i] = v_poison(e->range);
    }
    return args;
}

static struct value
call(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    const struct ast_expr *f = e->a;
    struct module *m = env->module;
    struct ast_name name = f->name;
    struct decl *d = NULL;
    bool reported = false;
    if (f->kind == AST_NAME) {
        d = scope_find(ck, m, name.text, WANT_CALL, name.range, &reported);
    } else if (f->kind == AST_FIELD && f->a->kind == AST_NAME &&
               (m = scope_library(m, f->a->name.text))) {
        d = scope_own(m, name.text);
        if (d && d->kind != D_FN && d->kind != D_SHAPE)
            d = NULL;
        if (!d) {
            struct env le = {.module = m};
            scope_unknown(ck, &le, name.text, name.range, WANT_CALL);
            return v_poison(e->range);
        }
    } else {
        struct diag *x = ck_error(ck, DIAG_E0114, f->range,
                                  "this cannot be called: it is no function");
        if (f->kind == AST_FIELD && f->a->kind == AST_NAME &&
            stdlib_find(f->a->name.text))
            CK_HELP(ck, x, "add `use %s`", f->a->name.text);
        else
            CK_HELP(ck, x, "a product is written with `*`");
        return v_poison(e->range);
    }
    if (reported || (d && d->kind == D_OTHER))
        return v_poison(e->range);
    if (d && d->kind == D_FN)
        return call_fn(ck, env, d, e);
    if (d) {
        struct diag *x = ck_error(ck, DIAG_E0111, e->range,
                                  "`%s` is a shape, not a value", name.text);
        struct corner_shape corners;
        if (corner_shape_of(ck, d, &corners))
            CK_HELP(ck, x,
                    "it stands alone: body b : %s { ... }, or shape s = %s",
                    ck_label(ck, e), ck_label(ck, e));
        else
            CK_HELP(ck, x,
                    "a shape stands behind the colon of a body: body b : %s",
                    ck_label(ck, e));
        return v_poison(e->range);
    }
    const struct builtin *b = builtin_find(name.text);
    if (b)
        return builtin_call(ck, env, b, e, arguments(ck, env, b, e));
    scope_unknown(ck, env, name.text, name.range, WANT_CALL);
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i].value)
            ck_expr(ck, env, e->args[i].value);
    return v_poison(e->range);
}

/* a', a'', ... */
static struct value
prime(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    uint32_t n = 0;
    const struct ast_expr *a = e;
    for (; a->kind == AST_PRIME; a = a->a)
        n++;
    struct value v = ck_expr(ck, env, a);
    return series_prime(ck, env, e, a, &v, n);
}

static struct value
negated(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    struct value v = ck_expr(ck, env, e->a);
    if (v.kind != V_NUM && v.kind != V_ANY)
        return ck_no_arithmetic(ck, e, "a minus sign", &v, e->a);
    struct value r = v;
    r.range = e->range;
    graph_origin(ck->g, e->range);
    r.e = NEW_N(ck->arena, const expr *, (size_t)v.rows *v.cols);
    for (size_t i = 0; i < (size_t)v.rows * v.cols; i++)
        r.e[i] = ex_neg(ck->g, v.e[i]);
    return r;
}

struct value
ck_expr(struct check *ck, const struct env *env, const struct ast_expr *e)
{
    if (!e)
        return v_poison(IMP_NOWHERE);
    if (!ck_enter(ck, e->range))
        return v_poison(e->range);
    struct value v = v_poison(e->range);
    graph_origin(ck->g, e->range);
    switch (e->kind) {
    case AST_NUM:
        v = v_num(ck, ex_num(ck->g, e->num), dim_pure(ck->dims), e->range);
        v.bare = true;
        v = folded(ck, e, apply_unit(ck, e, v));
        break;
    case AST_TEXT:
        v.kind = V_TEXT;
        v.text = e->text;
        break;
    case AST_TRUTH:
        v = v_truth(ck, ex_num(ck->g, e->num), e->range);
        break;
    case AST_NAME:
        v = ck_name(ck, env, e->name.text, e->range);
        break;
    case AST_FIELD:
        v = field(ck, env, e);
        break;
    case AST_INDEX:
        v = indexed(ck, env, e);
        break;
    case AST_PRIME:
        v = prime(ck, env, e);
        break;
    case AST_CALL:
        v = folded(ck, e, call(ck, env, e));
        break;
    case AST_NEG:
        v = negated(ck, env, e);
        break;
    case AST_NOT:
        v = ck_expr(ck, env, e->a);
        if (ck_need_truth(ck, &v, e->a, "what follows `not`"))
            v = v_truth(ck, ex_op(ck->g, IMP_OP_NOT, v.e[0], NULL, NULL),
                        e->range);
        else
            v = v_poison(e->range);
        break;
    case AST_BINARY:
        v = spine(ck, env, e);
        break;
    case AST_IF: {
        struct value c = ck_expr(ck, env, e->a);
        struct value a = ck_expr(ck, env, e->b);
        struct value b = ck_expr(ck, env, e->c);
        v = ck_choice(ck, e, &c, &a, &b);
    } break;
    case AST_PAREN:
        v = apply_unit(ck, e, ck_expr(ck, env, e->a));
        break;
    case AST_TUPLE:
    case AST_MATRIX:
        v = array(ck, env, e);
        break;
    case AST_RANGE:
        v = range_list(ck, env, e);
        break;
    case AST_OVER:
        ck_unavailable(ck, e->range, "`name in values`");
        break;
    case AST_EXPR_KINDS:
        break;
    }
    ck_leave(ck);
    return v;
}
