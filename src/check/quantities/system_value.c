/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of systems, and what a model may ask of them: one.h, one.foot[2],
 * one.energy. */
#include <math.h>
#include <string.h>

#include "check/model/system_priv.h"

const struct keydef system_values[] = {
    {"energy", "kinetic and potential energy"},
    {"kinetic_energy", "kinetic energy"},
    {"potential_energy", "potential energy"},
};
const size_t n_system_values = sizeof system_values / sizeof system_values[0];

/* -- starts --------------------------------------------------------------- */

static void
start_key(struct check *ck, const struct env *env, const struct tm_system *s,
          const struct ast_item *k, const struct ast_item **seen)
{
    const char *name = k->name.text;
    size_t len = strlen(name);
    bool rate = len > 1 && name[len - 1] == '\'';
    uint32_t i = 0;
    uint32_t n = s->n + s->n_observer;
    for (; i < n; i++) {
        const char *q = ck->coordinates.v[s->first + i].name;
        size_t l = strlen(q);
        if (!strncmp(q, name, l) && l + rate == len)
            break;
    }
    if (i == n) {
        const char **names = NEW_N(ck->arena, const char *, n);
        const char **meant = NEW_N(ck->arena, const char *, n);
        for (uint32_t j = 0; j < n; j++) {
            names[j] = ck->coordinates.v[s->first + j].name;
            meant[j] =
                rate ? arena_printf(ck->arena, "%s'", names[j]) : names[j];
        }
        struct diag *d = ck_error(ck, DIAG_E0368, k->name.range,
                                  "`%s` is no coordinate of this system, nor "
                                  "a rate",
                                  name);
        if (!ck_suggest(ck, d, k->name.range, name, meant, n))
            CK_HELP(ck, d, "its coordinates are %s",
                    ck_join(ck, names, n, "and"));
        return;
    }
    if (rate && ck->coordinates.v[s->first + i].order == 1) {
        const char *u = ck->coordinates.v[s->first + i].name;
        struct diag *d = ck_error(ck, DIAG_E0368, k->name.range,
                                  "the rate of `%s` follows from its equation, "
                                  "which is of first order",
                                  u);
        CK_HELP(ck, d, "only its value is free: %s = ...", u);
        return;
    }
    const struct ast_item **first = &seen[2 * i + rate];
    if (*first) {
        struct diag *d = ck_error(ck, DIAG_E0302, k->name.range,
                                  "the key `%s` is given twice", name);
        CK_NOTE(ck, d, (*first)->name.range, "first here");
        return;
    }
    *first = k;
    const struct dim *dim = ck->coordinate_dims.v[s->first + i];
    if (rate)
        dim = dim_mul(ck->dims, dim, dim_mks(ck->dims, 0, 0, -1));
    const char *what = rate ? "the rate of this coordinate at the start"
                            : "this coordinate at the start";
    struct value v = ck_expr(ck, env, k->value);
    if (!v_need_scalar(ck, &v, k->value, dim, what) || v.kind == V_ANY ||
        !check_leaves(ck, v.e, 1, MAY_PARAMS, k->value, what))
        return;
    struct tm_coordinate *c = &ck->coordinates.v[s->first + i];
    take_num(rate ? &c->start_rate : &c->start, &v, k->value);
}

static void
start_block(struct check *ck, const struct start_block *b,
            const struct tm_system *s)
{
    const struct ast_item **seen =
        NEW_N(ck->arena, const struct ast_item *,
              2 * (size_t)(s->n + s->n_observer) + 1);
    struct env env = {
        .up = b->env, .module = b->env->module, .part = PART_START};
    for (size_t i = 0; i < b->item->n_block; i++) {
        const struct ast_item *k = b->item->block[i];
        if (k->kind == AST_KEY && k->value && !k->command)
            start_key(ck, &env, s, k, seen);
        else
            ck_error(ck, DIAG_E0361, k->head.file ? k->head : k->range,
                     "a start has coordinates and rates only: h = 1  "
                     "h' = -1");
    }
}

void
system_starts(struct check *ck, struct system_work *w,
              const struct tm_system *s)
{
    for (size_t b = 0; b < w->own_starts.n; b++)
        start_block(ck, &w->own_starts.v[b], s);
    for (size_t b = 0; b < w->starts.n; b++)
        start_block(ck, &w->starts.v[b], s);
}

/* -- values --------------------------------------------------------------- */

/* of the instance with this number; NULL: none */
static const struct system_work *
system_work_of(const struct check *ck, uint32_t system)
{
    for (size_t i = 0; i < ck->system_works.n; i++)
        if (ck->system_works.v[i].decl->index == system)
            return &ck->system_works.v[i];
    return NULL;
}

const struct dim *
system_energy(const struct check *ck, uint32_t system)
{
    const struct system_work *w = system_work_of(ck, system);
    return w ? w->energy : NULL;
}

struct value
system_field(struct check *ck, uint32_t system, const char *name,
             imp_range name_range, imp_range range)
{
    const struct tm_system *s = &ck->systems.v[system];
    const struct system_work *w = system_work_of(ck, system);
    if (!w || w->broken)
        return v_poison(range);
    for (uint32_t i = s->first; i < s->first + s->n + s->n_observer; i++)
        if (!strcmp(ck->coordinates.v[i].name, name))
            return v_num(ck, ex_sym(ck->g, SYM_COORD, i, 0),
                         ck->coordinate_dims.v[i], range);
    for (size_t i = 0; i < w->members.n; i++) {
        const struct member *m = &w->members.v[i];
        if (strcmp(m->item->name.text, name))
            continue;
        return (struct value){.kind = m->family ? V_FAMILY : V_CONTACT,
                              .ref = m->first,
                              .rows = m->count,
                              .cols = (uint32_t)m->lo,
                              .text = m->item->name.text,
                              .range = range};
    }
    for (uint32_t i = 0; i < n_system_values; i++)
        if (!strcmp(system_values[i].name, name))
            return v_num(ck, ex_sym(ck->g, SYM_SYSTEM, system, i), w->energy,
                         range);
    const char **names =
        NEW_N(ck->arena, const char *,
              s->n + s->n_observer + w->members.n + n_system_values);
    size_t n = 0;
    for (uint32_t i = 0; i < s->n + s->n_observer; i++)
        names[n++] = ck->coordinates.v[s->first + i].name;
    for (size_t i = 0; i < w->members.n; i++)
        names[n++] = w->members.v[i].item->name.text;
    for (size_t i = 0; i < n_system_values; i++)
        names[n++] = system_values[i].name;
    struct diag *d = ck_error(ck, DIAG_E0112, name_range,
                              "the system `%s` has no `%s`", s->name, name);
    if (!ck_suggest(ck, d, name_range, name, names, n))
        CK_HELP(ck, d, "it has %s", ck_join(ck, names, n, "and"));
    return v_poison(range);
}

struct value
family_index(struct check *ck, const struct env *env, const struct value *f,
             const struct ast_expr *e)
{
    int lo = (int)f->cols;
    double x;
    if (e->n_list != 1) {
        ck_error(ck, DIAG_E0212, e->range, "a family has one index");
        return v_poison(e->range);
    }
    struct value v = ck_expr(ck, env, e->list[0]);
    if (!v_need_scalar(ck, &v, e->list[0], dim_pure(ck->dims), "an index"))
        return v_poison(e->range);
    if (!ck_fixed(ck, v.e[0], &x) || x != floor(x) || x < lo ||
        x >= lo + (double)f->rows) {
        struct diag *d = ck_error(ck, DIAG_E0212, e->range,
                                  "there is no such member of `%s`", f->text);
        CK_HELP(ck, d, "its index runs over %d .. %d", lo,
                lo + (int)f->rows - 1);
        return v_poison(e->range);
    }
    return (struct value){.kind = V_CONTACT,
                          .ref = f->ref + (uint32_t)(x - lo),
                          .range = e->range};
}

struct value
system_gap_value(struct check *ck, uint32_t contact, imp_range range)
{
    const struct tm_contact *c = &ck->contacts.v[contact];
    if (c->gap_dim && ck->gaps)
        return v_num(ck, c->gap.e, c->gap_dim, range);
    if (!ck->gaps) {
        struct diag *d = ck_error(ck, DIAG_E0364, range,
                                  "a formula of the model reads the gap of the "
                                  "system's contact `%s`",
                                  c->name);
        CK_HELP(ck, d, "commands may ask for it; here, write its formula");
    }
    return v_poison(range); /* or its gap is wrong, and that has been told */
}

bool
contact_of_bodies(struct check *ck, uint32_t contact, const char *asked,
                  imp_range range)
{
    const struct tm_contact *c = &ck->contacts.v[contact];
    if (!c->system)
        return true;
    struct diag *d = ck_error(ck, DIAG_E0369, range,
                              "%s is asked of contacts between bodies, but "
                              "`%s` is a contact of a system",
                              asked, c->name);
    CK_NOTE(ck, d, c->range, "declared here");
    CK_HELP(ck, d,
            "a system moves in `simulate`: its impacts, sliding and chatter "
            "are events there");
    return false;
}

/* -- show ----------------------------------------------------------------- */

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
