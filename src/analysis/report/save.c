/* SPDX-License-Identifier: MIT */
/* `save`: columns under --out, as CSV or JSON lines. Without --out nothing is
 * written and a line says so. A simulation saves its recorded rows with their
 * times; a field of one brings its times along. */
#include <string.h>

#include "abi/status.h"
#include "analysis/command/analysis_priv.h"

/* "NAME.csv": the name is the record's, else the command's */
static const char *
default_name(struct analysis *a, const imp_val *v)
{
    const imp_image *im = a->rt->im;
    const char *name = v->name.n ? imp_text(im, v->name) : "values";
    if (v->kind == IMP_VAL_RESULT || v->kind == IMP_VAL_FIELD) {
        const imp_command *c =
            IMP_ARRAY(im, im->commands, imp_command) + v->ref;
        name = c->bound.n ? imp_text(im, c->bound) : imp_command_word(c->id);
    }
    return arena_printf(a->rt->arena, "%s%s", name,
                        out_default_ending(OUT_COLUMNS));
}

static int
cmd_save(struct analysis *a, const imp_command *c, struct record *out)
{
    (void)out;
    const imp_val *v = arg_items(a, c);
    struct columns cols = {.texts = true}, all = {0};
    struct out_column time = {0};
    int st = IMP_OK;
    for (uint32_t i = 0; i < c->args.n && !st; i++)
        st = columns_of_value(a, &v[i], &cols, &time);
    if (st)
        return st;
    bool there = !time.x;
    for (size_t j = 0; j < cols.n; j++)
        there = there || cols.v[j].x == time.x || cols.v[j].n != time.n;
    if (!there)
        VEC_PUSH_IN(a->rt->arena, &all, time);
    for (size_t j = 0; j < cols.n; j++)
        VEC_PUSH_IN(a->rt->arena, &all, cols.v[j]);
    return out_save(a->out, a->ds, c->range,
                    arg_text(a, c, IMP_OPT_save_file, default_name(a, &v[0])),
                    all.v, all.n);
}

const struct command_functions command_save = {.run = cmd_save};
