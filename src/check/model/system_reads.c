/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a formula of a system may read. */
#include <assert.h>

#include "check/model/system_priv.h"

struct reads {
    const struct tm_system *s;
    bool rate, other, result;
    const expr *observer; /* a variable of the system's observers */
};
static void
read_leaf(void *ctx, const expr *leaf)
{
    struct reads *reads = ctx;
    if (leaf->sym == SYM_COORD && leaf->i >= reads->s->first &&
        leaf->i < reads->s->first + reads->s->n)
        reads->rate |= leaf->j > 0;
    else if (leaf->sym == SYM_COORD && leaf->i >= reads->s->first &&
             leaf->i < reads->s->first + reads->s->n + reads->s->n_observer)
        reads->observer = leaf;
    else if (leaf->sym == SYM_SLOT)
        reads->result = true;
    else
        reads->other |= leaf->sym != SYM_PARAM && leaf->sym != SYM_TIME &&
                        leaf->sym != SYM_SLIP;
}

bool
system_formula_ok(struct check *ck, const struct tm_system *system,
                  const expr *expression, bool rates, const struct ast_expr *at,
                  const char *what)
{
    assert(expression != NULL && at != NULL && what != NULL);
    struct reads reads = {.s = system};
    if (ex_depends(ck->g, expression, SYM_LOCAL, UINT32_MAX, UINT32_MAX))
        return true; /* The arguments have no values yet, so nothing is known.
                      */
    ex_leaves(ck->g, &expression, 1, read_leaf, &reads);
    if (reads.observer) {
        const struct tm_coordinate *u =
            &ck->lists.coordinates.v[reads.observer->i];
        struct diag *diag =
            check_error(ck, DIAG_E0370, at->range,
                        "%s reads the observer variable `%s`", what, u->name);
        CHECK_NOTE(ck, diag, u->range,
                   "an observer feels the motion and does not act on it");
        CHECK_HELP(ck, diag,
                   "make it a coordinate with an energy of its own: coordinate "
                   "%s in the system's block",
                   u->name);
        return false;
    }
    if (!reads.other && !reads.result && (rates || !reads.rate))
        return true;
    struct diag *d =
        reads.other || reads.result
            ? check_error(ck, DIAG_E0364, at->range, "%s reads %s", what,
                          reads.result ? "the result of a command"
                                       : "the motion of something else")
            : check_error(ck, DIAG_E0364, at->range,
                          "%s depends on the rate of a coordinate", what);
    CHECK_HELP(ck, d,
               "it may depend on the system's coordinates%s, t and params",
               rates ? ", their rates" : "");
    return false;
}
