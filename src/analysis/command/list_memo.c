/* SPDX-License-Identifier: MIT */
/* Lists that are made of data and params alone are kept until a param that they
 * read has another value: a search asks for them again and again. */
#include <assert.h>
#include <string.h>

#include "analysis/command/lists.h"
#include "base/arena.h"

struct memo {
    bool looked, usable, filled;
    uint32_t *param; /* entries of env that the list reads */
    uint32_t n_param;
    double *at; /* their values when it was made */
    struct list_values values;
    double *room;
    size_t cap;
};
struct memos {
    struct memo *memo;   /* per list */
    struct arena *arena; /* of the run; stays from start to start */
};
static const char memo_key = 0;

/* What a walk over a list and what it is made of finds. */
struct walk {
    const struct rt *run;
    bool *reads; /* per param */
    bool other;  /* something else than data and params */
};

static void walk_list(struct walk *walk, uint32_t number);

static void
walk_tape(struct walk *walk, uint32_t tape)
{
    const imp_layout *layout = &walk->run->im->layout;
    const imp_tape *of = rt_tape(walk->run, tape);
    const imp_instr *code = IMP_ARRAY(walk->run->im, of->code, imp_instr);
    for (uint32_t i = 0; i < of->code.n; i++) {
        if (code[i].op == IMP_OP_TIME || code[i].op == IMP_OP_STATE)
            walk->other = true;
        if (code[i].op != IMP_OP_ENV)
            continue;
        if (code[i].a >= layout->params && code[i].a < layout->body)
            walk->reads[code[i].a - layout->params] = true;
        else if (code[i].a < layout->slots || code[i].a >= layout->series)
            walk->other = true; /* slots are walked by themselves */
    }
}

static void
walk_value(struct walk *walk, const imp_val *value)
{
    const imp_image *im = walk->run->im;
    const imp_cell *cell = IMP_ARRAY(im, value->cells, imp_cell);
    const uint32_t *slot = IMP_ARRAY(im, value->slots, uint32_t);
    walk->other |= value->contacts.n || value->series.n;
    if (value->kind == IMP_VAL_COLUMN)
        walk_list(walk, value->ref);
    if (value->kind == IMP_VAL_COLUMN ||
        (value->kind == IMP_VAL_NUM && value->numbers.n == 0 &&
         value->tape != IMP_NO_TAPE)) /* else a range without numbers */
        walk_tape(walk, value->tape);
    else if (value->kind != IMP_VAL_NUM)
        walk->other = true;
    for (uint32_t i = 0; i < value->cells.n; i++)
        walk_list(walk, cell[i].list);
    for (uint32_t i = 0; i < value->slots.n; i++) {
        const imp_slot *of = IMP_ARRAY(im, im->slots, imp_slot) + slot[i];
        if (of->kind == IMP_SLOT_LIST)
            walk_list(walk, of->command);
        else
            walk->other = true;
    }
}

static void
walk_list(struct walk *walk, uint32_t number)
{
    const imp_image *im = walk->run->im;
    const imp_list *list = IMP_ARRAY(im, im->lists, imp_list) + number;
    const imp_val *input = IMP_ARRAY(im, list->inputs, imp_val);
    if (list->kind == IMP_LIST_FIELD || list->kind == IMP_LIST_TEXT ||
        list->kind == IMP_LIST_NAMES)
        walk->other = true;
    for (uint32_t i = 0; i < list->inputs.n && !walk->other; i++)
        walk_value(walk, &input[i]);
}

static void
look(const struct rt *run, struct memos *memos, struct memo *memo,
     uint32_t number)
{
    uint32_t n = run->im->params.n;
    struct walk walk = {run, NEW_N(run->brief, bool, n + 1), false};
    memo->looked = true;
    walk_list(&walk, number);
    memo->usable = !walk.other;
    if (!memo->usable)
        return;
    memo->param = NEW_N(memos->arena, uint32_t, n + 1);
    memo->at = NEW_N(memos->arena, double, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (walk.reads[i])
            memo->param[memo->n_param++] = run->im->layout.params + i;
}

static struct memo *
memo_of(struct rt *run, uint32_t number, struct memos **memos)
{
    struct arena *arena;
    *memos = rt_keep(run, &memo_key, 0, sizeof **memos, &arena);
    if (!(*memos)->memo) {
        (*memos)->arena = arena;
        (*memos)->memo = NEW_N(arena, struct memo, run->im->lists.n + 1);
    }
    struct memo *memo = (*memos)->memo + number;
    if (!memo->looked)
        look(run, *memos, memo, number);
    return memo;
}

bool
list_memo_get(struct rt *run, uint32_t number, struct list_values *out)
{
    assert(run && out && number < run->im->lists.n);
    struct memos *memos;
    const struct memo *memo = memo_of(run, number, &memos);
    if (!memo->usable || !memo->filled)
        return false;
    for (uint32_t i = 0; i < memo->n_param; i++)
        if (memcmp(&run->env[memo->param[i]], &memo->at[i], sizeof *memo->at))
            return false;
    *out = memo->values;
    return true;
}

void
list_memo_put(struct rt *run, uint32_t number, const struct list_values *values)
{
    assert(run && values && number < run->im->lists.n);
    struct memos *memos;
    struct memo *memo = memo_of(run, number, &memos);
    size_t size = values->n * values->width;
    if (!memo->usable)
        return;
    if (size > memo->cap || !memo->room) {
        memo->cap = 2 * size + 1;
        memo->room = NEW_N(memos->arena, double, memo->cap);
    }
    memcpy(memo->room, values->x, size * sizeof *memo->room);
    memo->values = (struct list_values){memo->room, values->n, values->width};
    for (uint32_t i = 0; i < memo->n_param; i++)
        memo->at[i] = run->env[memo->param[i]];
    memo->filled = true;
}
