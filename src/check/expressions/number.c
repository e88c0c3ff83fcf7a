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
operation(struct check *ck, const struct env *env, const struct ast_expr *node)
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
    bool reported = false;
    if (node->a->kind != AST_NAME)
        return IMP_OP_CONST;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (node->n_args == known[i].n &&
            !strcmp(node->a->name.text, known[i].word))
            return scope_find(ck, env->module, known[i].word, WANT_CALL,
                              node->range, &reported) ||
                           reported
                       ? IMP_OP_CONST
                       : known[i].op;
    return IMP_OP_CONST;
}

static bool
number_of_call(struct check *ck, const struct env *env,
               const struct ast_expr *node, int depth, double *x)
{
    double args[2] = {0, 0};
    enum imp_op op = operation(ck, env, node);
    if (op == IMP_OP_CONST)
        return false;
    for (size_t i = 0; i < node->n_args; i++)
        if (node->args[i].name.text || node->args[i].in ||
            !number(ck, env, node->args[i].value, depth, &args[i]))
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
    if (node->unit || depth++ == NESTED_MAX)
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
    return known && isfinite(*x);
}

const expr *
member_number(struct check *ck, const struct env *env,
              const struct ast_expr *node)
{
    assert(ck && env && node);
    double x;
    if (!number(ck, env, node, 0, &x))
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
