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
    bool ok, change;
};
static double
fixed_leaf(void *ctx, const expr *leaf)
{
    struct fixing *fixing = ctx;
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
    fixing->ok = false;
    return NAN;
}
bool
check_fixed(struct check *ck, const expr *expression, double *x)
{
    assert(ck && expression && x);
    struct fixing f = {ck, true, false};
    ex_value(ck->g, expression, fixed_leaf, &f);
    if (!f.ok)
        return false;
    f.change = true;
    *x = ex_value(ck->g, expression, fixed_leaf, &f);
    return isfinite(*x);
}
