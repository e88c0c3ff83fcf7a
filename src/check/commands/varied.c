/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Params that a command varies: a sweep, a threshold, a fit, a minimum. */
#include <assert.h>

#include "check/commands/commands_priv.h"

struct decl *
sweep_param(struct check *ck, const struct ast_name *name, enum diag_code code,
            const char *doing)
{
    assert(ck && name && doing);
    bool reported = false;
    struct decl *decl = scope_find(ck, ck->modules.main, name->text, WANT_VALUE,
                                   name->range, &reported);
    if (reported ||
        (!decl && ck->modules.main->reserved && name_is_reserved(name->text)))
        return NULL; /* the declaration of a constant has been reported */
    if (decl && decl->kind == DECL_PARAM)
        return decl;
    struct diag *diag =
        decl ? check_error(ck, code, name->range, "%s, but `%s` is a %s", doing,
                           name->text, decl_kind_name(decl->kind))
             : check_error(ck, code, name->range, "there is no param `%s`",
                           name->text);
    size_t count = 0;
    const char **names =
        NEW_N(ck->arena, const char *, ck->notes.param_decls.n + 1);
    for (size_t i = 0; i < ck->notes.param_decls.n; i++)
        names[count++] = ck->notes.param_decls.v[i]->name;
    if (check_suggest(ck, diag, name->range, name->text, names, count))
        return NULL;
    if (count)
        CHECK_HELP(ck, diag, "params of this model: %s",
                   check_join(ck, names, count, "and"));
    else
        CHECK_HELP(ck, diag, "declare it as a knob: param %s = 0.5 in [0, 1]",
                   name->text);
    return NULL;
}
