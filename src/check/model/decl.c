/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets, functions and shapes that nothing uses. Functions and shapes are
 * expanded where they are used; here each is also checked once by itself, with
 * a fresh dimension for every argument, so that a mistake in one that nobody
 * uses is found too. */

#include "check/model/model_priv.h"

void
decl_lets(struct check *ck)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d; d = d->next)
            if (d->kind == D_LET && d->state == DECL_NEW)
                ck_decl(ck, d, d->range);
}

static void
fn_alone(struct check *ck, struct decl *d)
{
    struct env env;
    struct frame f;
    call_open(ck, d, d->item->formals, d->item->n_formals, &env);
    if (!call_enter(ck, d, IMP_NOWHERE, &f))
        return;
    struct value v = ck_expr(ck, &env, d->item->value);
    d->broken |= v.kind == V_POISON;
    call_leave(ck, &f);
}

void
decl_definitions(struct check *ck, enum decl_kind kind)
{
    for (struct module *m = ck->modules; m; m = m->next)
        for (struct decl *d = m->first; d && !m->library; d = d->next) {
            if (d->kind != kind)
                continue;
            if (kind == D_FN)
                fn_alone(ck, d);
            else
                shape_alone(ck, d);
        }
}
