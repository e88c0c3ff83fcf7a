/* SPDX-License-Identifier: MIT */
/* What every command says alike: its own words, and why a calculation failed.
 */
#include <assert.h>

#include "abi/status.h"
#include "analysis/command/command.h"

const char *
command_label(const struct analysis *analysis, const imp_command *command)
{
    assert(analysis && command);
    const imp_image *im = analysis->rt->im;
    struct buf buf = {0};
    if (command->bound.n)
        buf_printf(&buf, "%s = ", imp_text(im, command->bound));
    buf_puts(&buf, imp_command_word(command->id));
    if (imp_command_has(command->id, IMP_TRAIT_ASKED_OF_IMPACT))
        buf_puts(&buf, " impact");
    const imp_val *value = arg_items(analysis, command);
    for (uint32_t i = 0; i < command->args.n; i++)
        buf_printf(&buf, "%s %s", i ? "," : "", imp_text(im, value[i].label));
    const char *s = arena_strdup(analysis->rt->arena, buf_str(&buf));
    buf_free(&buf);
    return s;
}

int
command_failed(struct analysis *analysis, int status, imp_range where,
               const char *what)
{
    assert(status != IMP_OK && what);
    struct diag *diag;
    switch (status) {
    case IMP_SINGULAR:
        diag =
            diag_add(analysis->ds, DIAG_E0707, where,
                     "%s: the surfaces are flat or hollow where they face each "
                     "other",
                     what);
        diag_help(analysis->ds, diag,
                  "turn the bodies a little, or use shapes that are "
                  "curved there");
        return IMP_FAILED;
    case IMP_DIVERGED:
        diag = diag_add(analysis->ds, DIAG_E0700, where,
                        "%s: the search found no answer", what);
        diag_help(analysis->ds, diag,
                  "look whether the shapes are convex and how deep "
                  "the bodies overlap");
        return IMP_FAILED;
    case IMP_NONFINITE:
        diag_add(analysis->ds, DIAG_E0700, where,
                 "%s: a value is not a finite number", what);
        return IMP_FAILED;
    default:
        return status;
    }
}
