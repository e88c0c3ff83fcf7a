/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `show` prints of a system, of a family of its contacts, of one of them.
 */
#include "check/commands/commands_priv.h"
#include "check/quantities/systems.h"

/* items[n] = name, a column of `rows` numbers */
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
    APUSH(ck, &ck->pending, (struct pending){.unit = &item->unit, .dim = dim});
}

static const expr **
one_of(struct check *ck, const expr *e)
{
    const expr **p = NEW_N(ck->arena, const expr *, 1);
    *p = e;
    return p;
}

/* gaps of n contacts from `first`; nothing where one has no good gap */
static size_t
show_gaps(struct check *ck, struct tm_val *item, const char *name,
          uint32_t first, uint32_t n, imp_range range)
{
    const expr **e = NEW_N(ck->arena, const expr *, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct tm_contact *c = &ck->contacts.v[first + i];
        if (!c->gap_dim)
            return 0;
        if (i && !dim_unify(ck->dims, c->gap_dim, ck->contacts.v[first].gap_dim,
                            range))
            return 0; /* of different dimensions: no list of one unit */
        e[i] = c->gap.e;
    }
    show_item(ck, item, name, e, n, ck->contacts.v[first].gap_dim, range);
    return 1;
}

void
system_shown(struct check *ck, const struct value *v, struct tm_val *out)
{
    struct arena *a = ck->arena;
    imp_range r = v->range;
    struct tm_val *item;
    size_t n = 0;
    if (v->kind == V_SYSTEM) {
        const struct tm_system *s = &ck->systems.v[v->ref];
        const struct system_work *w = system_work_of(ck, v->ref);
        item = NEW_N(a, struct tm_val,
                     2 * (size_t)(s->n + s->n_observer) + w->members.n +
                         n_system_values);
        for (uint32_t i = s->first; i < s->first + s->n + s->n_observer; i++) {
            const char *q = ck->coordinates.v[i].name;
            const struct dim *d = ck->coordinate_dims.v[i];
            show_item(ck, &item[n++], arena_printf(a, "%s.%s", s->name, q),
                      one_of(ck, ex_sym(ck->g, SYM_COORD, i, 0)), 1, d, r);
            if (ck->coordinates.v[i].order == 1)
                continue;
            show_item(ck, &item[n++], arena_printf(a, "%s.%s'", s->name, q),
                      one_of(ck, ex_sym(ck->g, SYM_COORD, i, 1)), 1,
                      dim_mul(ck->dims, d, dim_mks(ck->dims, 0, 0, -1)), r);
        }
        for (uint32_t i = 0; i < n_system_values; i++)
            show_item(ck, &item[n++],
                      arena_printf(a, "%s.%s", s->name, system_values[i].name),
                      one_of(ck, ex_sym(ck->g, SYM_SYSTEM, v->ref, i)), 1,
                      w->energy, r);
        for (size_t i = 0; i < w->members.n; i++) {
            const struct member *m = &w->members.v[i];
            n += show_gaps(
                ck, &item[n],
                arena_printf(a, "gap(%s.%s)", s->name, m->item->name.text),
                m->first, m->count, r);
        }
    } else if (v->kind == V_FAMILY) {
        item = NEW_N(a, struct tm_val, v->rows);
        for (uint32_t i = 0; i < v->rows; i++)
            n += show_gaps(
                ck, &item[n],
                arena_printf(a, "gap(%s)", ck->contacts.v[v->ref + i].name),
                v->ref + i, 1, r);
    } else {
        const struct tm_contact *c = &ck->contacts.v[v->ref];
        item = NEW_N(a, struct tm_val, 2);
        n += show_gaps(ck, &item[n], arena_printf(a, "%s.gap", c->name), v->ref,
                       1, r);
        if (c->e.e)
            show_item(ck, &item[n++],
                      arena_printf(a, "%s.restitution", c->name),
                      one_of(ck, c->e.e), 1, dim_pure(ck->dims), r);
    }
    *out = (struct tm_val){.kind = IMP_VAL_LIST,
                           .range = r,
                           .items = item,
                           .n_items = n,
                           .text = "",
                           .unit = "",
                           .name = "",
                           .label = ""};
}
