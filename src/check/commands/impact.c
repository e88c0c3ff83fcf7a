/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `impact C { law = NAME }` where NAME is a declared law of impact. Its
 * dimensions are those of the contacts. */
#include <assert.h>
#include <string.h>

#include "check/commands/commands_priv.h"

static enum option_taken
impact_option(struct check *ck, uint32_t command, const struct option_row *row,
              const struct ast_item *key, struct tm_val *out)
{
    (void)command;
    if (strcmp(row->key, "law") ||
        !law_named(ck, ck->modules.top.module, key->value))
        return OPTION_PLAIN;
    const struct ast_expr *node = ast_unwrap(key->value);
    const char *name =
        node->kind == AST_CALL ? node->a->name.text : node->name.text;
    *out = (struct tm_val){.kind = IMP_VAL_LAW,
                           .text = name,
                           .label = expr_label(ck, key->value),
                           .unit = "",
                           .name = "",
                           .range = key->value->range};
    return OPTION_GOOD;
}

static bool
dims_of_contact(struct check *ck, const struct tm_contact *contact,
                imp_range law, struct law_dims *dims)
{
    if (contact->system == 0) {
        *dims = law_dims_of_bodies(ck);
        if (ck->m->dim == 2)
            return true;
        check_unavailable(
            ck, law, "an impact law of its own between bodies in space",
            "take one of newton, poisson, energetic, complementarity, "
            "sequential, least_norm");
        return false;
    }
    if (!contact->slip.e || contact->slides_freely ||
        !contact_has_friction(contact)) {
        no_slip_for_law(ck, law, false, contact->range);
        return false;
    }
    if (!contact->gap_dim) /* its contact states none, which has been told */
        return false;
    *dims = (struct law_dims){
        dim_mul(ck->dims, contact->gap_dim, dim_mks(ck->dims, 0, 0, -1)),
        contact->slip_dim, contact->energy_dim};
    return true;
}

/* The law, once for each contact: all have to take it. */
static bool
impact_arguments(struct check *ck, uint32_t command, const struct ast_item *it)
{
    struct tm_command *of = &ck->lists.commands.v[command];
    struct tm_val *law = NULL;
    const struct ast_expr *node = NULL;
    for (size_t i = 0; i < of->n_opts; i++)
        if (of->opts[i].val.kind == IMP_VAL_LAW)
            law = &of->opts[i].val;
    for (size_t k = 0; k < it->n_block && law; k++)
        if (!strcmp(it->block[k]->name.text, "law"))
            node = it->block[k]->value;
    if (!law)
        return true;
    assert(node);
    struct tm_num own[2];
    for (size_t i = 0; i < of->n_args; i++) {
        struct law_dims dims;
        if (!dims_of_contact(ck, &ck->lists.contacts.v[of->args[i].ref],
                             law->range, &dims) ||
            !impact_law(ck, &ck->modules.top, node, &dims, own))
            return false;
    }
    law->e = NEW_N(ck->arena, const expr *, 2);
    law->e[0] = own[0].e;
    law->e[1] = own[1].e;
    return true;
}

const struct command_rules command_rules_impact = {
    .option = impact_option, .arguments = impact_arguments};
