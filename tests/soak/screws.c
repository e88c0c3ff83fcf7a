/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See screws.h. */
#include "screws.h"

#include <string.h>

bool
make_screws(struct trial *trial)
{
    const struct result *result = trial->result;
    struct model *other = &trial->other;
    bool any = false;
    for (int i = 0; i < other->joints; i++)
        any |= other->joint[i].there && !other->joint[i].weld;
    if (!any || model_has_rough_joints(other) || result->rows < 1 ||
        result->t[0] != 0)
        return false;
    for (int i = 0; i < other->bodies; i++) {
        if (!body_moves(other, i) || !body_is_jointed(other, i))
            continue;
        const struct state *state = result_state(result, 0, i);
        struct body *body = &other->body[i];
        memcpy(body->velocity, state->velocity, sizeof body->velocity);
        memcpy(body->spin, state->spin, sizeof body->spin);
    }
    other->as_screws = true;
    return true;
}
