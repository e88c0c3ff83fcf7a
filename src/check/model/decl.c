/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets, functions and shapes that nothing uses. Functions and shapes are
 * expanded where they are used; here each is also checked once by itself, with
 * a fresh dimension for every argument, so that a mistake in one that nobody
 * uses is found too. */

#include <assert.h>

#include "check/model/model_priv.h"

void
decl_lets(struct check *ck)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_LET && decl->state == DECL_NEW)
                check_decl(ck, decl, decl->range);
}

static void
fn_alone(struct check *ck, struct decl *decl)
{
    struct env env;
    struct frame frame;
    call_open(ck, decl, decl->item->formals, decl->item->n_formals, &env);
    if (!call_enter(ck, decl, IMP_NOWHERE, &frame))
        return;
    struct value value = check_expr(ck, &env, decl->item->value);
    decl->broken |= value.kind == VALUE_POISON;
    call_leave(ck, &frame);
}

void
decl_definitions(struct check *ck, enum decl_kind kind)
{
    assert(ck);
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl && !module->library;
             decl = decl->next) {
            if (decl->kind != kind)
                continue;
            if (kind == DECL_FN)
                fn_alone(ck, decl);
            else
                shape_alone(ck, decl);
        }
}
