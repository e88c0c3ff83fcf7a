/* SPDX-License-Identifier: MIT */
/* What readers of a contact have in common (friction_priv.h): their memory, the
 * state they read, and accelerations under forces at the contact. */
#include <assert.h>

#include "analysis/friction/friction_priv.h"
#include "runtime/motion/motion.h"

void
painleve_reader_room(struct painleve_reader *reader, uint32_t n)
{
    assert(reader != NULL && reader->analysis != NULL && n > 0);
    struct arena *arena = reader->analysis->rt->arena;
    reader->n = n;
    reader->entry = NEW_N(arena, double *, 2 * n);
    reader->normal = NEW_N(arena, double, 5 * n);
    reader->along = reader->normal + n;
    reader->by_normal = reader->along + n;
    reader->by_along = reader->by_normal + n;
    reader->acc = reader->by_along + n;
}

enum friction_law
painleve_law(const struct rt *run, const imp_contact *contact)
{
    assert(run != NULL && contact != NULL);
    return friction_law_of_point((enum imp_impact_law)run->im->impact_law,
                                 (enum imp_law)contact->law,
                                 contact->flags & IMP_CONTACTF_LAW);
}

void
painleve_reader_keep(const struct painleve_reader *reader, double *state)
{
    assert(reader != NULL && state != NULL);
    for (uint32_t i = 0; i < 2 * reader->n; i++)
        state[i] = *reader->entry[i];
    state[2 * reader->n] = rt_time(reader->analysis->rt);
}

void
painleve_reader_enter(struct painleve_reader *reader, const double *state)
{
    assert(reader != NULL && state != NULL);
    for (uint32_t i = 0; i < 2 * reader->n; i++)
        *reader->entry[i] = state[i];
    struct rt *run = reader->analysis->rt;
    if (state[2 * reader->n] == rt_time(run))
        return;
    run->env[run->im->layout.time] = state[2 * reader->n];
    motion_prescribed(run);
}

void
painleve_accelerations(const struct painleve_reader *reader, double free,
                       double normal, double tangential, double *out)
{
    assert(reader != NULL && out != NULL);
    for (uint32_t j = 0; j < reader->n; j++)
        out[j] = free * reader->acc[j] + normal * reader->by_normal[j] +
                 tangential * reader->by_along[j];
}
