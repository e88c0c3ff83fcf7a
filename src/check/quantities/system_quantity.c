/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model may ask of a system: one.h, one.foot[2], one.energy. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "check/quantities/systems.h"

const struct keydef system_values[] = {
    {"energy", "kinetic and potential energy"},
    {"kinetic_energy", "kinetic energy"},
    {"potential_energy", "potential energy"},
};
const size_t n_system_values = sizeof system_values / sizeof system_values[0];

const struct system_work *
system_work_of(const struct check *ck, uint32_t system)
{
    assert(ck);
    assert(system < ck->lists.systems.n);
    for (size_t i = 0; i < ck->notes.systems.n; i++)
        if (ck->notes.systems.v[i].decl->index == system)
            return &ck->notes.systems.v[i];
    return NULL;
}

const struct dim *
system_energy(const struct check *ck, uint32_t system)
{
    assert(ck);
    assert(system < ck->lists.systems.n);
    const struct system_work *work = system_work_of(ck, system);
    return work ? work->energy : NULL;
}

static struct value
named_too_early(struct check *ck, const struct tm_system *system,
                const struct named_value *named, imp_range range)
{
    struct diag *diag =
        check_error(ck, DIAG_E0364, range,
                    "a formula of the model reads %s `%s` of the system `%s`",
                    named->item->kind == AST_POINT ? "the point" : "the value",
                    named->item->name.text, system->name);
    CHECK_HELP(ck, diag, "commands may ask for it; here, write its formula");
    return value_poison(range);
}

/* The coordinate whose rate is meant by dh, vh, v_h, hdot or h_dot, or NULL. */
static const char *
rate_meant(const struct check *ck, uint32_t first, uint32_t n, const char *name)
{
    static const char *const before[] = {"d", "v", "v_"};
    static const char *const behind[] = {"dot", "_dot"};
    for (uint32_t i = first; i < first + n; i++) {
        const char *own = ck->lists.coordinates.v[i].name;
        size_t length = strlen(own), all = strlen(name);
        for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
            size_t lead = strlen(before[k]);
            if (!strncmp(name, before[k], lead) && !strcmp(name + lead, own))
                return own;
        }
        for (size_t k = 0; k < sizeof behind / sizeof *behind; k++)
            if (all > length && !strncmp(name, own, length) &&
                !strcmp(name + length, behind[k]))
                return own;
    }
    return NULL;
}

struct value
system_field(struct check *ck, uint32_t system, const char *name,
             imp_range name_range, imp_range range)
{
    assert(ck && name);
    assert(system < ck->lists.systems.n);
    const struct tm_system *described = &ck->lists.systems.v[system];
    const struct system_work *work = system_work_of(ck, system);
    if (!work || work->broken)
        return value_poison(range);
    for (uint32_t i = described->first;
         i < described->first + described->n + described->n_observer; i++)
        if (!strcmp(ck->lists.coordinates.v[i].name, name))
            return value_num(ck, ex_sym(ck->g, SYM_COORD, i, 0),
                             ck->notes.coordinate_dims.v[i], range);
    for (size_t i = 0; i < work->members.n; i++) {
        const struct member *m = &work->members.v[i];
        if (strcmp(m->item->name.text, name))
            continue;
        return (struct value){.kind = m->family ? VALUE_FAMILY : VALUE_CONTACT,
                              .ref = m->first,
                              .rows = m->count,
                              .cols = (uint32_t)m->lo,
                              .text = m->item->name.text,
                              .range = range};
    }
    for (size_t i = 0; i < work->named.n; i++) {
        const struct named_value *named = &work->named.v[i];
        if (named->family || strcmp(named->item->name.text, name))
            continue;
        if (!ck->progress.gaps)
            return named_too_early(ck, described, named, range);
        struct value value = named->value[0];
        value.range = range;
        return value;
    }
    for (uint32_t i = 0; i < n_system_values; i++)
        if (!strcmp(system_values[i].name, name))
            return value_num(ck, ex_sym(ck->g, SYM_SYSTEM, system, i),
                             work->energy, range);
    const char **names =
        NEW_N(ck->arena, const char *,
              described->n + described->n_observer + work->members.n +
                  work->named.n + n_system_values);
    size_t count = 0;
    for (uint32_t i = 0; i < described->n + described->n_observer; i++)
        names[count++] = ck->lists.coordinates.v[described->first + i].name;
    for (size_t i = 0; i < work->members.n; i++)
        names[count++] = work->members.v[i].item->name.text;
    for (size_t i = 0; i < work->named.n; i++)
        if (!work->named.v[i].family)
            names[count++] = work->named.v[i].item->name.text;
    for (size_t i = 0; i < n_system_values; i++)
        names[count++] = system_values[i].name;
    struct diag *diag =
        check_error(ck, DIAG_E0112, name_range, "the system `%s` has no `%s`",
                    described->name, name);
    const char *rate = rate_meant(ck, described->first,
                                  described->n + described->n_observer, name);
    if (rate) {
        CHECK_HELP(ck, diag, "its rate is %s.%s'", described->name, rate);
        diag_fix(ck->ds, diag, name_range,
                 arena_printf(ck->arena, "%s'", rate));
    } else if (!check_suggest(ck, diag, name_range, name, names, count)) {
        CHECK_HELP(ck, diag, "it has %s; the rate of `%s` is %s.%s'",
                   check_join(ck, names, count, "and"), names[0],
                   described->name, names[0]);
    }
    return value_poison(range);
}

struct value
family_member(struct check *ck, const struct value *family, struct value *index,
              const struct ast_expr *at, imp_range range)
{
    assert(ck && family && index && at);
    int lo = (int)family->cols;
    double number;
    if (index->kind == VALUE_COLUMN || index->kind == VALUE_LIST) {
        struct diag *diag =
            check_error(ck, DIAG_E0209, at->range,
                        "an index of a family is one number, but this is %s",
                        value_kind_text(ck, index));
        CHECK_HELP(
            ck, diag, "%s[%d] is one of them, %s those of all", family->text,
            lo,
            arena_printf(ck->arena,
                         family->field ? "%s.position has" : "gap(%s) has",
                         family->text));
        return value_poison(range);
    }
    if (!value_need_scalar(ck, index, at, dim_pure(ck->dims), "an index"))
        return value_poison(range);
    if (!check_fixed(ck, index->e[0], &number) || number != floor(number) ||
        number < lo || number >= lo + (double)family->rows) {
        struct diag *diag =
            check_error(ck, DIAG_E0212, range,
                        "there is no such member of `%s`", family->text);
        CHECK_HELP(ck, diag, "its index runs over %d .. %d", lo,
                   lo + (int)family->rows - 1);
        return value_poison(range);
    }
    return (struct value){.kind = family->field ? VALUE_BODY : VALUE_CONTACT,
                          .ref = family->ref + (uint32_t)(number - lo),
                          .range = range};
}

struct value
system_gap_value(struct check *ck, uint32_t contact, imp_range range)
{
    assert(ck);
    assert(contact < ck->lists.contacts.n);
    const struct tm_contact *c = &ck->lists.contacts.v[contact];
    if (c->gap_dim && ck->progress.gaps)
        return value_num(ck, c->gap.e, c->gap_dim, range);
    if (!ck->progress.gaps) {
        struct diag *diag =
            check_error(ck, DIAG_E0364, range,
                        "a formula of the model reads the gap of the "
                        "system's contact `%s`",
                        c->name);
        CHECK_HELP(ck, diag,
                   "commands may ask for it; here, write its formula");
    }
    /* Otherwise its gap is wrong, which has been reported. */
    return value_poison(range);
}

bool
contact_of_bodies(struct check *ck, uint32_t contact, const char *asked,
                  imp_range range)
{
    assert(ck && asked);
    assert(contact < ck->lists.contacts.n);
    const struct tm_contact *c = &ck->lists.contacts.v[contact];
    if (!c->system)
        return true;
    struct diag *diag =
        check_error(ck, DIAG_E0369, range,
                    "%s is asked of contacts between bodies, but "
                    "`%s` is a contact of a system",
                    asked, c->name);
    CHECK_NOTE(ck, diag, c->range, "declared here");
    CHECK_HELP(ck, diag,
               "a system moves in `simulate`: its impacts, sliding and chatter "
               "are events there");
    return false;
}
