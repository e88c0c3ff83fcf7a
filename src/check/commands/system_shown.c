/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `show` prints of a system, of a family of its contacts, of one of them.
 */
#include <assert.h>

#include "check/commands/commands_priv.h"
#include "check/quantities/systems.h"

/* Makes items[n]: a name and a column of `rows` numbers. */
static void
show_item(struct check *ck, struct tm_val *item, const char *name,
          const expr **e, uint32_t rows, const struct dim *dim, imp_range range)
{
    *item = (struct tm_val){.kind = IMP_VAL_NUM,
                            .range = range,
                            .rows = rows,
                            .cols = 1,
                            .e = e,
                            .text = "",
                            .unit = "",
                            .label = name,
                            .name = name};
    APUSH(ck, &ck->notes.units,
          (struct pending){.unit = &item->unit, .dim = dim});
}

/* The restitution of a vanishing approach. */
static const expr *
at_rest(void *ctx, const expr *leaf)
{
    return leaf->sym == SYM_APPROACH ? ex_num(ctx, 0) : NULL;
}

static const expr **
one_of(struct check *ck, const expr *expression)
{
    const expr **p = NEW_N(ck->arena, const expr *, 1);
    *p = expression;
    return p;
}

/* Shows the gaps of n contacts from `first` on; nothing where one of them has
 * no good gap. */
static size_t
show_gaps(struct check *ck, struct tm_val *item, const char *name,
          uint32_t first, uint32_t count, imp_range range)
{
    const expr **formulas = NEW_N(ck->arena, const expr *, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_contact *contact = &ck->lists.contacts.v[first + i];
        if (!contact->gap_dim)
            return 0;
        if (i && !dim_unify(ck->dims, contact->gap_dim,
                            ck->lists.contacts.v[first].gap_dim, range))
            return 0; /* The gaps have different dimensions, so no list has one
                         unit for all. */
        formulas[i] = contact->gap.e;
    }
    show_item(ck, item, name, formulas, count,
              ck->lists.contacts.v[first].gap_dim, range);
    return 1;
}

/* Shows a contact of a family: its gap, or, where it is stated at a point of
 * bodies and has none, its restitution. */
static size_t
show_member(struct check *ck, struct tm_val *item, uint32_t which,
            imp_range range)
{
    const struct tm_contact *contact = &ck->lists.contacts.v[which];
    const char *name = arena_printf(ck->arena, "gap(%s)", contact->name);
    if (contact->system)
        return show_gaps(ck, item, name, which, 1, range);
    if (!contact->at.n) {
        struct value gap = contact_gap(ck, which, range);
        show_item(ck, item, name, gap.e, 1, gap.dim, range);
        return 1;
    }
    show_item(ck, item,
              arena_printf(ck->arena, "%s.restitution", contact->name),
              one_of(ck, ex_subst(ck->g, contact->e.e, at_rest, ck->g)), 1,
              dim_pure(ck->dims), range);
    return 1;
}

void
system_shown(struct check *ck, const struct value *value, struct tm_val *out)
{
    assert(ck && value && out);
    struct arena *arena = ck->arena;
    imp_range range = value->range;
    struct tm_val *item;
    size_t count = 0;
    if (value->kind == VALUE_SYSTEM) {
        const struct tm_system *system = &ck->lists.systems.v[value->ref];
        const struct system_work *work = system_work_of(ck, value->ref);
        item = NEW_N(arena, struct tm_val,
                     2 * (size_t)(system->n + system->n_observer) +
                         work->members.n + n_system_values);
        for (uint32_t index = system->first;
             index < system->first + system->n + system->n_observer; index++) {
            const char *coordinate = ck->lists.coordinates.v[index].name;
            const struct dim *dim = ck->notes.coordinate_dims.v[index];
            show_item(ck, &item[count++],
                      arena_printf(arena, "%s.%s", system->name, coordinate),
                      one_of(ck, ex_sym(ck->g, SYM_COORD, index, 0)), 1, dim,
                      range);
            if (ck->lists.coordinates.v[index].order == 1)
                continue;
            show_item(ck, &item[count++],
                      arena_printf(arena, "%s.%s'", system->name, coordinate),
                      one_of(ck, ex_sym(ck->g, SYM_COORD, index, 1)), 1,
                      dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1)),
                      range);
        }
        for (uint32_t index = 0; index < n_system_values; index++)
            show_item(ck, &item[count++],
                      arena_printf(arena, "%s.%s", system->name,
                                   system_values[index].name),
                      one_of(ck, ex_sym(ck->g, SYM_SYSTEM, value->ref, index)),
                      1, work->energy, range);
        for (size_t i = 0; i < work->members.n; i++) {
            const struct member *m = &work->members.v[i];
            count += show_gaps(ck, &item[count],
                               arena_printf(arena, "gap(%s.%s)", system->name,
                                            m->item->name.text),
                               m->first, m->count, range);
        }
    } else if (value->kind == VALUE_FAMILY) {
        item = NEW_N(arena, struct tm_val, value->rows);
        for (uint32_t index = 0; index < value->rows; index++)
            count += show_member(ck, &item[count], value->ref + index, range);
    } else {
        const struct tm_contact *contact = &ck->lists.contacts.v[value->ref];
        item = NEW_N(arena, struct tm_val, 2);
        count += show_gaps(ck, &item[count],
                           arena_printf(arena, "%s.gap", contact->name),
                           value->ref, 1, range);
        if (contact->e.e)
            show_item(ck, &item[count++],
                      arena_printf(arena, "%s.restitution", contact->name),
                      one_of(ck, ex_subst(ck->g, contact->e.e, at_rest, ck->g)),
                      1, dim_pure(ck->dims), range);
    }
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .range = range,
                           .items = item,
                           .n_items = count,
                           .text = "",
                           .unit = "",
                           .name = "",
                           .label = ""};
}
