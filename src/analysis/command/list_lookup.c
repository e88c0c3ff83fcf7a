/* SPDX-License-Identifier: MIT */
/* Tables: lists of which one says where in it a number lies. Along a motion they
 * are entries of env, which tapes read (operators PLACE and ENTRY). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/command/command.h"
#include "analysis/command/lists.h"

/* The list of which this one is a slice, or which it is; *made: one of which it
 * is made by a formula, or NULL. */
static const imp_list *
source_of(const imp_image *im, const imp_list *list, const imp_list **made)
{
    *made = NULL;
    const imp_list *lists = IMP_ARRAY(im, im->lists, imp_list);
    const imp_tape *tapes = IMP_ARRAY(im, im->tapes, imp_tape);
    while (list->kind == IMP_LIST_SLICE || list->kind == IMP_LIST_VALUES) {
        const imp_val *in = IMP_ARRAY(im, list->inputs, imp_val);
        if (in->kind != IMP_VAL_COLUMN)
            return list;
        *made = lists + in->ref;
        if (tapes[in->tape].code.n != 1)
            return list;
        list = *made;
        *made = NULL;
    }
    return list;
}

int
list_rises(struct analysis *analysis, uint32_t number,
           const struct list_values *numbers)
{
    assert(analysis && numbers && numbers->width == 1);
    const double *x = numbers->x;
    const imp_image *im = analysis->rt->im;
    const imp_list *list = IMP_ARRAY(im, im->lists, imp_list) + number;
    size_t i = 1;
    while (i < numbers->n && x[i] > x[i - 1])
        i++;
    if (i >= numbers->n)
        return IMP_OK;
    const imp_list *made;
    list = source_of(im, list, &made);
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0763, list->range,
                 "the places of a table, `%s`, do not rise: entry %zu is not "
                 "above the one before it",
                 imp_text(im, list->name), i);
    if (made)
        diag_note(analysis->ds, diag, made->range, "it is made of `%s`",
                  imp_text(im, made->name));
    diag_help(analysis->ds, diag,
              "sort(x) and sort(y, x) bring both lists into order; of equal "
              "places one may stay");
    return IMP_FAILED;
}

void
list_looked_up(struct analysis *analysis, const struct list_values *in,
               struct list_values *out)
{
    assert(analysis && in && in[2].n && out);
    size_t width = in[2].width,
           at = list_at_most(in[1].x, in[2].n, in[0].x[0]);
    if (in[1].n > in[2].n && at > 0 && in[1].x[at - 1] == in[0].x[0])
        at--; /* y holds between the places, and there up to the next */
    double *x = NEW_N(record_arena(analysis), double, width);
    memcpy(x, in[2].x + (at > 0 ? at - 1 : 0) * width, width * sizeof *x);
    *out = (struct list_values){x, 1, width};
}

/* Do the numbers stand there since they were looked at? */
static bool
stand(const imp_slot *slot, const struct list_values *values, const double *out)
{
    return values->width == 1 && !isnan(out[0]) &&
           (!slot->field || out[slot->n - 1] > out[0]) &&
           !memcmp(out, values->x, slot->n * sizeof *out);
}

int
list_tabulated(struct analysis *analysis, const imp_list *list,
               const imp_slot *slot, const struct list_values *values,
               double *out)
{
    assert(analysis && list && slot && slot->n > 1 && values && out);
    const struct list_values all = {out, slot->n, 1};
    size_t i = 0;
    if (values->n != slot->n)
        return list_no_such_entry(analysis, list, slot->range, values->n, 0);
    if (stand(slot, values, out))
        return IMP_OK;
    for (; i < slot->n; i++) {
        out[i] = values->x[i * values->width + (size_t)slot->index];
        if (isnan(out[i]))
            break;
    }
    if (i < slot->n)
        diag_add(analysis->ds, DIAG_E0761, slot->range,
                 "entry %zu of `%s` has no value", i,
                 imp_text(analysis->rt->im, list->name));
    else if (!slot->field || !list_rises(analysis, slot->command, &all))
        return IMP_OK;
    out[0] = NAN; /* is looked at again */
    return IMP_FAILED;
}
