/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of members of families. The first member of a family is checked as
 * all expressions are: its values have kinds and dimensions, which are those of
 * all members. What differs from member to member is then a number alone,
 * where the expression is made of literals, constants and the index. It is
 * found here without values, dimensions and nodes in between, which 10 000
 * members would have each for themselves. The operations, and their order, are
 * those of literals in the graph (calculus/simplify.c), so the bits are the
 * same. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/expressions/expressions.h"

/* a^n by the chain of products that the graph makes of it (calculus/ex_pow.c);
 * larger exponents are left to it */
#define CHAIN_MAX 64
/* expressions that are nested more deeply are checked as all others are */
#define NESTED_MAX 200
/* and so are calls with more arguments */
#define ARGUMENTS_MAX 4

static double
chain(double base, int n)
{
    if (n == 1)
        return base;
    if (n % 2)
        return base * chain(base, n - 1);
    double half = chain(base, n / 2);
    return half * half;
}

static bool number(struct check *ck, const struct env *env,
                   const struct ast_expr *node, int depth, double *x);

static bool
number_of_name(const struct env *env, const char *name, double *x)
{
    for (const struct env *scope = env; scope; scope = scope->up) {
        for (size_t i = 0; i < scope->n; i++)
            if (!strcmp(scope->names[i], name))
                return value_const(&scope->vals[i], x);
        if (scope->coords || scope->question)
            return false;
    }
    if (env->module->reserved)
        return false;
    if (!strcmp(name, "pi") || !strcmp(name, "tau")) {
        *x = name[0] == 'p' ? 3.14159265358979323846 : 6.28318530717958647693;
        return true;
    }
    const struct decl *decl = scope_own(env->module, name);
    return decl && decl->kind == DECL_LET && decl->state == DECL_DONE &&
           !decl->broken && value_const(&decl->val, x);
}

/* The operation of a function of numbers that is built in; IMP_OP_CONST: there
 * is none, or it is no operation of its own. */
static enum imp_op
operation(const struct ast_expr *node)
{
    static const struct {
        const char *word;
        enum imp_op op;
        size_t n;
    } known[] = {
        {"floor", IMP_OP_FLOOR, 1}, {"ceil", IMP_OP_CEIL, 1},
        {"round", IMP_OP_ROUND, 1}, {"trunc", IMP_OP_TRUNC, 1},
        {"abs", IMP_OP_ABS, 1},     {"sign", IMP_OP_SIGN, 1},
        {"sqrt", IMP_OP_SQRT, 1},   {"exp", IMP_OP_EXP, 1},
        {"log", IMP_OP_LOG, 1},     {"sin", IMP_OP_SIN, 1},
        {"cos", IMP_OP_COS, 1},     {"tan", IMP_OP_TAN, 1},
        {"fmod", IMP_OP_MOD, 2},    {"atan2", IMP_OP_ATAN2, 2},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (node->n_args == known[i].n &&
            !strcmp(node->a->name.text, known[i].word))
            return known[i].op;
    return IMP_OP_CONST;
}

/* A function of the user's, of few numbers. */
static bool
number_of_fn(struct check *ck, struct decl *decl, const struct ast_expr *node,
             const double *args, int depth, double *x)
{
    expr leaf[ARGUMENTS_MAX];
    const expr *at[ARGUMENTS_MAX];
    struct value vals[ARGUMENTS_MAX];
    const char *names[ARGUMENTS_MAX];
    struct frame frame;
    const struct ast_item *it = decl->item;
    if (decl->kind != DECL_FN || decl->broken || it->n_formals != node->n_args)
        return false;
    for (size_t i = 0; i < node->n_args; i++) {
        leaf[i] = (expr){.op = IMP_OP_CONST, .num = args[i]};
        at[i] = &leaf[i];
        names[i] = it->formals[i].name.text;
        vals[i] = (struct value){
            .kind = VALUE_NUM, .rows = 1, .cols = 1, .e = &at[i]};
    }
    const struct env env = {.module = decl->module,
                            .names = names,
                            .vals = vals,
                            .n = node->n_args};
    if (!check_enter(ck, node->range))
        return false;
    bool known = call_enter(ck, decl, node->range, &frame);
    if (known) {
        known = number(ck, &env, it->value, depth, x);
        call_leave(ck, &frame);
    }
    check_leave(ck);
    return known;
}

static bool
number_of_call(struct check *ck, const struct env *env,
               const struct ast_expr *node, int depth, double *x)
{
    double args[ARGUMENTS_MAX] = {0};
    bool reported = false;
    if (node->a->kind != AST_NAME || node->n_args > ARGUMENTS_MAX)
        return false;
    for (size_t i = 0; i < node->n_args; i++)
        if (node->args[i].name.text || node->args[i].in ||
            !number(ck, env, node->args[i].value, depth, &args[i]))
            return false;
    struct decl *decl = scope_find(ck, env->module, node->a->name.text,
                                   WANT_CALL, node->range, &reported);
    if (reported)
        return false;
    if (decl)
        return number_of_fn(ck, decl, node, args, depth, x);
    enum imp_op op = operation(node);
    if (op == IMP_OP_CONST)
        return false;
    *x = ex_number(op, args[0], args[1]);
    return true;
}

static bool
number_of_binary(struct check *ck, const struct env *env,
                 const struct ast_expr *node, int depth, double *x)
{
    static const enum imp_op op[] = {[AST_ADD] = IMP_OP_ADD,
                                     [AST_SUB] = IMP_OP_SUB,
                                     [AST_MUL] = IMP_OP_MUL,
                                     [AST_DIV] = IMP_OP_DIV};
    double left, right;
    if (node->op > AST_POW || !number(ck, env, node->a, depth, &left) ||
        (node->op == AST_POW && node->b->kind != AST_NUM) ||
        !number(ck, env, node->b, depth, &right))
        return false;
    if (node->op != AST_POW) {
        *x = ex_number(op[node->op], left, right);
        return node->op != AST_DIV || right != 0;
    }
    if (right != rint(right) || right < 1 || right > CHAIN_MAX)
        return false;
    *x = chain(left, (int)right);
    return true;
}

static bool
number(struct check *ck, const struct env *env, const struct ast_expr *node,
       int depth, double *x)
{
    bool known = false;
    struct unit unit;
    if (depth++ == NESTED_MAX)
        return false;
    switch (node->kind) {
    case AST_NUM:
        *x = node->num;
        known = true;
        break;
    case AST_NAME:
        known = number_of_name(env, node->name.text, x);
        break;
    case AST_PAREN:
        known = number(ck, env, node->a, depth, x);
        break;
    case AST_NEG:
        known = number(ck, env, node->a, depth, x);
        *x = known ? -*x : 0;
        break;
    case AST_BINARY:
        known = number_of_binary(ck, env, node, depth, x);
        break;
    case AST_CALL:
        known = number_of_call(ck, env, node, depth, x);
        break;
    default:
        break;
    }
    if (known && node->unit) { /* as unit_applied */
        if (!unit_of_ast(ck, node->unit, &unit))
            return false;
        *x = *x * unit.num / unit.den;
    }
    return known && isfinite(*x);
}

/* random(from, to), alone, where it may stand */
static const expr *
drawn(struct check *ck, const struct env *env, const struct ast_expr *node)
{
    double bound[2];
    bool reported = false;
    if (node->kind != AST_CALL || node->unit || node->a->kind != AST_NAME ||
        strcmp(node->a->name.text, "random") != 0 || node->n_args != 2 ||
        env_part(env) != PART_START ||
        scope_find(ck, env->module, "random", WANT_CALL, node->range,
                   &reported) ||
        reported)
        return NULL;
    for (int i = 0; i < 2; i++)
        if (node->args[i].name.text || node->args[i].in ||
            !number(ck, env, node->args[i].value, 0, &bound[i]))
            return NULL;
    if (!(bound[0] < bound[1]))
        return NULL;
    const expr *from = ex_num(ck->g, bound[0]), *to = ex_num(ck->g, bound[1]);
    return draw_new(ck, &(struct tm_draw){from, to, node->range});
}

const expr *
member_number(struct check *ck, const struct env *env,
              const struct ast_expr *node)
{
    assert(ck && env && node);
    double x;
    if (!number(ck, env, node, 0, &x))
        return drawn(ck, env, node);
    graph_origin(ck->g, node->range);
    return ex_num(ck->g, x);
}

/* Is it made of a tuple, with an entry for each of the tuple's? */
static bool
is_vector(const struct ast_expr *node)
{
    while (node->kind == AST_PAREN || node->kind == AST_NEG ||
           (node->kind == AST_BINARY && !is_vector(node->b)))
        node = node->a;
    return node->kind == AST_TUPLE || node->kind == AST_BINARY;
}

/* Entry `which` of a vector of `count` numbers. */
static bool
entry_number(struct check *ck, const struct env *env,
             const struct ast_expr *node, uint32_t which, uint32_t count,
             int depth, double *x)
{
    static const enum imp_op op[] = {[AST_ADD] = IMP_OP_ADD,
                                     [AST_SUB] = IMP_OP_SUB,
                                     [AST_MUL] = IMP_OP_MUL,
                                     [AST_DIV] = IMP_OP_DIV};
    if (depth++ == NESTED_MAX || node->unit)
        return false;
    if (node->kind == AST_TUPLE)
        return node->n_list == count &&
               number(ck, env, node->list[which], depth, x);
    if (node->kind == AST_PAREN)
        return entry_number(ck, env, node->a, which, count, depth, x);
    if (node->kind == AST_NEG) {
        bool known = entry_number(ck, env, node->a, which, count, depth, x);
        *x = known ? -*x : 0;
        return known;
    }
    if (node->kind != AST_BINARY || node->op > AST_DIV)
        return false;
    const struct ast_expr *side[] = {node->a, node->b};
    double term[2];
    bool sum = node->op == AST_ADD || node->op == AST_SUB;
    for (int i = 0; i < 2; i++)
        if (sum || is_vector(side[i])
                ? !entry_number(ck, env, side[i], which, count, depth, &term[i])
                : !number(ck, env, side[i], depth, &term[i]))
            return false;
    if (node->op == AST_DIV && term[1] == 0)
        return false;
    *x = ex_number(op[node->op], term[0], term[1]);
    return isfinite(*x);
}

const expr *
member_entry(struct check *ck, const struct env *env,
             const struct ast_expr *node, uint32_t which, uint32_t count)
{
    assert(ck && env && node && which < count);
    double x;
    if (count == 1 || (node->kind == AST_TUPLE && !node->unit))
        return count > 1 && node->n_list != count
                   ? NULL
                   : member_number(ck, env,
                                   count > 1 ? node->list[which] : node);
    if (!is_vector(node) || !entry_number(ck, env, node, which, count, 0, &x))
        return NULL;
    graph_origin(ck->g, node->range);
    return ex_num(ck->g, x);
}

bool
ast_mentions(const struct ast_expr *node, const char *name)
{
    assert(name);
    if (!node)
        return false;
    for (; node->kind == AST_BINARY; node = node->a)
        if (ast_mentions(node->b, name))
            return true;
    if (node->kind == AST_NAME)
        return !strcmp(node->name.text, name);
    for (size_t i = 0; i < node->n_list; i++)
        if (ast_mentions(node->list[i], name))
            return true;
    for (size_t i = 0; i < node->n_args; i++)
        if (ast_mentions(node->args[i].value, name))
            return true;
    return ast_mentions(node->a, name) || ast_mentions(node->b, name) ||
           ast_mentions(node->c, name);
}
