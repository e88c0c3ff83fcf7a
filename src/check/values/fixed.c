/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that the checker must know: how many entries a list has, the index
 * of a vector. They are made of literals and params, and such a param becomes
 * structural: a new value of it means a new compilation. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/values/values.h"

struct fixing {
    struct check *ck;
    bool (*other)(void *ctx, const expr *leaf, double *x); /* or NULL */
    void *ctx;
    bool ok, change;
};
static double
fixed_leaf(void *ctx, const expr *leaf)
{
    struct fixing *fixing = ctx;
    double x;
    if (leaf->sym == SYM_PARAM) {
        struct tm_param *param = &fixing->ck->lists.params.v[leaf->i];
        if (fixing->change && !param->structural) {
            param->structural = true;
            for (size_t i = 0; i < fixing->ck->in->n_sets; i++)
                if (!strcmp(fixing->ck->in->sets[i].name, param->name))
                    param->dflt = fixing->ck->in->sets[i].value;
        }
        return param->dflt;
    }
    if (fixing->other && fixing->other(fixing->ctx, leaf, &x))
        return x;
    fixing->ok = false;
    return NAN;
}

bool
check_fixed_with(struct check *ck, const expr *expression,
                 bool (*other)(void *ctx, const expr *leaf, double *x),
                 void *ctx, double *x)
{
    assert(ck && expression && x);
    struct fixing f = {ck, other, ctx, true, false};
    ex_value(ck->g, expression, fixed_leaf, &f);
    if (!f.ok)
        return false;
    f.change = true;
    *x = ex_value(ck->g, expression, fixed_leaf, &f);
    return true;
}

bool
check_fixed(struct check *ck, const expr *expression, double *x)
{
    return check_fixed_with(ck, expression, NULL, NULL, x) && isfinite(*x);
}
