/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a tape under construction knows of each node: its marks, and the lists
 * of nodes that are needed. */
#include <assert.h>

#include "calculus/tape_priv.h"

struct tape_node *
tape_node(struct tape_make *make, const expr *formula)
{
    assert(make);
    struct tape_scratch *scratch = make->sc;
    if (formula->id >= scratch->cap) {
        uint32_t cap = scratch->cap ? scratch->cap : 256;
        while (cap <= formula->id)
            cap *= 2;
        scratch->v = arena_enlarge(make->g->arena, scratch->v,
                                   scratch->cap * sizeof *scratch->v,
                                   cap * sizeof *scratch->v);
        scratch->cap = cap;
    }
    struct tape_node *node = &scratch->v[formula->id];
    if (node->stamp != scratch->epoch)
        *node = (struct tape_node){.stamp = scratch->epoch, .reg = NO_REG};
    return node;
}

static void
append(struct graph *graph, struct tape_list *list, const expr *node)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 256;
        list->v =
            arena_enlarge(graph->arena, list->v, list->n * sizeof *list->v,
                          cap * sizeof *list->v);
        list->cap = cap;
    }
    list->v[list->n++] = node;
}

static void
tape_push(struct tape_make *make, const expr *node)
{
    append(make->g, make->todo, node);
}

static void
tape_list(struct tape_make *make, const expr *node)
{
    append(make->g, make->list, node);
}

void
tape_need(struct tape_make *make, const expr *formula, bool series)
{
    assert(formula != NULL);
    struct tape_node *node = tape_node(make, formula);
    uint32_t want = TM_NEED0;
    if (series && (node->marks & TM_VARIES))
        want |= TM_NEED1;
    if ((node->marks & want) == want)
        return;
    if (!(node->marks & TM_NEED0))
        tape_list(make, formula);
    node->marks |= want;
    tape_push(make, formula);
}
