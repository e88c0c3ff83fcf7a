/* SPDX-License-Identifier: MIT */
/* What every command says alike: its own words, and why a calculation failed.
 */
#include "abi/status.h"
#include "analysis/command/analysis_priv.h"

const char *
command_label(const struct analysis *a, const imp_command *c)
{
    const imp_image *im = a->rt->im;
    struct buf b = {0};
    if (c->bound.n)
        buf_printf(&b, "%s = ", imp_text(im, c->bound));
    buf_puts(&b, imp_command_word(c->id));
    if (imp_command_has(c->id, IMP_TRAIT_ASKED_OF_IMPACT))
        buf_puts(&b, " impact");
    const imp_val *v = arg_items(a, c);
    for (uint32_t i = 0; i < c->args.n; i++)
        buf_printf(&b, "%s %s", i ? "," : "", imp_text(im, v[i].label));
    const char *s = arena_strdup(a->rt->arena, buf_str(&b));
    buf_free(&b);
    return s;
}

int
command_failed(struct analysis *a, int status, imp_range where,
               const char *what)
{
    struct diag *d;
    switch (status) {
    case IMP_SINGULAR:
        d = diag_add(a->ds, DIAG_E0707, where,
                     "%s: the surfaces are flat or hollow where they face each "
                     "other",
                     what);
        diag_help(a->ds, d,
                  "turn the bodies a little, or use shapes that are "
                  "curved there");
        return IMP_FAILED;
    case IMP_DIVERGED:
        d = diag_add(a->ds, DIAG_E0700, where, "%s: the search found no answer",
                     what);
        diag_help(a->ds, d,
                  "look whether the shapes are convex and how deep "
                  "the bodies overlap");
        return IMP_FAILED;
    case IMP_NONFINITE:
        diag_add(a->ds, DIAG_E0700, where, "%s: a value is not a finite number",
                 what);
        return IMP_FAILED;
    default:
        return status;
    }
}
