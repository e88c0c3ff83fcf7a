/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the data of a model may depend on: the set-up knows params and
 * constants, not the motion. */
#include <assert.h>

#include "check/values/values.h"

bool
leaf_is_given(const struct check *ck, const expr *leaf)
{
    assert(ck && leaf);
    return leaf->sym == SYM_SLOT && ck->lists.slots.v[leaf->i].given;
}

static const char moving_list[] =
    "a list along the motion that cannot be written out entry by entry (lists "
    "of two lengths, a selection by what is not known yet, an empty list, more "
    "than 4096)";

const char *
leaf_result_remedy(const char *result)
{
    return result == moving_list
               ? "how many entries it has is to be known before the run: "
                 "select by columns of data, numbers and params, as in "
                 "a[present(a)] or a[b > 0], or take a slice, a[2 .. -1]"
               : NULL;
}

const char *
leaf_result(const struct check *ck, const expr *leaf)
{
    assert(ck && leaf);
    if (leaf->sym != SYM_SLOT || ck->lists.slots.v[leaf->i].given)
        return NULL;
    return ck->lists.slots.v[leaf->i].moves ? moving_list
                                            : "the result of a command";
}

struct leaves {
    struct check *ck;
    const char *result;
    bool time, motion, open, system;
};
/* Does the quantity that this leaf stands for move with a system? */
static void
system_leaf(void *ctx, const expr *leaf)
{
    struct leaves *leaves = ctx;
    leaves->system |= leaf->sym == SYM_COORD || leaf->sym == SYM_SYSTEM ||
                      (leaf->sym == SYM_TOTAL && leaves->ck->lists.systems.n);
    if (leaf->sym == SYM_SERIES)
        ex_leaves(leaves->ck->g, &leaves->ck->lists.series.v[leaf->i].e, 1,
                  system_leaf, leaves);
}
static void
leaf(void *ctx, const expr *l)
{
    struct leaves *leaves = ctx;
    system_leaf(leaves, l);
    leaves->time |= l->sym == SYM_TIME;
    leaves->motion |= l->sym == SYM_BODY || l->sym == SYM_CONTACT ||
                      l->sym == SYM_TOTAL || l->sym == SYM_SERIES ||
                      l->sym == SYM_COORD || l->sym == SYM_SYSTEM ||
                      l->sym == SYM_ROTOR || l->sym == SYM_JOINT;
    if (!leaves->result)
        leaves->result = leaf_result(leaves->ck, l);
}
bool
check_leaves(struct check *ck, const expr *const *e, size_t count, int may,
             const struct ast_expr *at, const char *what)
{
    assert(ck && e && at && what);
    struct leaves f = {.ck = ck};
    ex_leaves(ck->g, e, count, leaf, &f);
    const char *bad = f.result && !(may & MAY_RESULTS) ? f.result
                      : f.system ? "the motion of a system"
                      : f.motion && !(may & MAY_MOTION) ? "the motion of bodies"
                      : f.time && !(may & MAY_TIME)     ? "time"
                                                        : NULL;
    if (!bad)
        return true;
    struct diag *diag = check_error(ck, DIAG_E0319, at->range,
                                    "%s cannot depend on %s", what, bad);
    if (leaf_result_remedy(bad))
        CHECK_HELP(ck, diag, "%s", leaf_result_remedy(bad));
    else if ((f.motion || f.system) && may & MAY_RESULTS)
        CHECK_HELP(ck, diag,
                   "let a run record it, simulate { record = (%s) ... }, and "
                   "take what is wanted from that column: its last entry [-1], "
                   "its max, ...",
                   expr_label(ck, at));
    else
        CHECK_HELP(
            ck, diag,
            may & MAY_TIME ? "it may depend on params, constants and t"
            : may & MAY_RESULTS
                ? "it may depend on params, constants and fields of records"
                : "it may depend on params and constants");
    return false;
}
