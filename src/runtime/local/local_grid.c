/* SPDX-License-Identifier: MIT */
/* A grid of cells that tells which balls of bodies may meet (local_cage.c),
 * where contacts are made as bodies come near. A cell is as wide as the
 * greatest ball of a body that moves, so balls that meet have their centres in
 * the same cell or in neighbours; fixed bodies that are larger than that, and
 * bodies without a ball, are asked by all. */
#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "runtime/local/local_priv.h"

/* cells are numbered by whole numbers up to this size; what is further away is
 * near to all */
#define CELLS_MOST 1e15
#define NO_BODY 0xffffffffu

struct local_grid {
    double side;
    uint32_t *first, mask;    /* per place of the table: a body */
    uint32_t *large, n_large; /* bodies that are near to all cells */
};

static uint32_t
slot(const struct local_grid *grid, const int64_t cell[3])
{
    uint64_t key = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u +
                   (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu +
                   (uint64_t)cell[2] * 0x165667b19e3779f9u;
    return (uint32_t)(key >> 32) & grid->mask;
}

struct local_grid *
local_grid_new(struct local *local)
{
    assert(local && local->makes);
    struct rt *run = local->run;
    struct local_grid *grid = NEW(run->arena, struct local_grid);
    uint32_t size = 64;
    while (size < 2 * local->n_body)
        size *= 2;
    grid->mask = size - 1;
    grid->first = NEW_N(run->arena, uint32_t, size);
    grid->large = NEW_N(run->arena, uint32_t, local->n_body + 1);
    for (uint32_t i = 0; i < size; i++)
        grid->first[i] = NO_BODY;
    for (uint32_t i = 0; i < local->n_body; i++) {
        const imp_body *body = rt_body(run, i);
        double size_of = run->env[body->env_body + IMP_BODY_RADIUS];
        local->body[i].next = local->body[i].before = NO_BODY;
        local->body[i].large = true;
        grid->large[grid->n_large++] = i;
        if (!(body->flags & IMP_BODYF_FIXED) && isfinite(size_of))
            grid->side = fmax(grid->side,
                              2.0 * LOCAL_BALL_MOST * size_of + local->reach);
    }
    return grid;
}

static void
take_out(struct local_grid *grid, struct local *local, uint32_t which)
{
    struct local_body *body = local->body + which;
    if (body->large) {
        uint32_t i = 0;
        while (grid->large[i] != which)
            i++;
        grid->large[i] = grid->large[--grid->n_large];
        return;
    }
    if (body->before == NO_BODY)
        grid->first[slot(grid, body->cell)] = body->next;
    else
        local->body[body->before].next = body->next;
    if (body->next != NO_BODY)
        local->body[body->next].before = body->before;
}

void
local_grid_put(struct local *local, uint32_t which)
{
    assert(local && local->grid && which < local->n_body);
    struct local_grid *grid = local->grid;
    struct local_body *body = local->body + which;
    take_out(grid, local, which);
    body->large = !(2.0 * body->radius <= grid->side);
    for (int k = 0; k < 3; k++) {
        double at = body->centre[k] / grid->side;
        body->large |= !(fabs(at) < CELLS_MOST);
        body->cell[k] = body->large ? 0 : (int64_t)floor(at);
    }
    if (body->large) {
        grid->large[grid->n_large++] = which;
        return;
    }
    uint32_t *first = grid->first + slot(grid, body->cell);
    body->before = NO_BODY;
    body->next = *first;
    if (*first != NO_BODY)
        local->body[*first].before = which;
    *first = which;
}

static bool
in_cell(struct local *local, uint32_t which, const int64_t cell[3],
        bool (*each)(struct local *local, uint32_t body, uint32_t other))
{
    const struct local_grid *grid = local->grid;
    uint32_t at = grid->first[slot(grid, cell)];
    for (; at != NO_BODY; at = local->body[at].next) {
        const int64_t *of = local->body[at].cell;
        if (at != which && of[0] == cell[0] && of[1] == cell[1] &&
            of[2] == cell[2] && !each(local, which, at))
            return false;
    }
    return true;
}

bool
local_grid_near(struct local *local, uint32_t which,
                bool (*each)(struct local *local, uint32_t body,
                             uint32_t other))
{
    assert(local && local->grid && which < local->n_body);
    const struct local_body *body = local->body + which;
    const struct local_grid *grid = local->grid;
    if (body->large) {
        for (uint32_t i = 0; i < local->n_body; i++)
            if (i != which && !each(local, which, i))
                return false;
        return true;
    }
    for (uint32_t i = 0; i < grid->n_large; i++)
        if (!each(local, which, grid->large[i]))
            return false;
    int64_t deep = local->run->im->dim == 3 ? 1 : 0;
    for (int64_t i = -1; i <= 1; i++)
        for (int64_t j = -1; j <= 1; j++)
            for (int64_t k = -deep; k <= deep; k++) {
                int64_t cell[3] = {body->cell[0] + i, body->cell[1] + j,
                                   body->cell[2] + k};
                if (!in_cell(local, which, cell, each))
                    return false;
            }
    return true;
}
