/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has something of a name that stands alone: a body its place, a system
 * its coordinate, data their column. */
#include <assert.h>
#include <string.h>

#include "check/context/owner.h"

/* Does the item hold this range? */
bool
item_holds(const struct ast_item *item, imp_range range)
{
    assert(item);
    return item->range.file == range.file && item->range.lo <= range.lo &&
           range.hi <= item->range.hi;
}

/* Does this item of a system's block declare a coordinate, a contact or a point
 * of this name? */
static bool
names_in_system(const struct ast_item *inner, const char *name)
{
    if (inner->kind == AST_CONTACT || inner->kind == AST_POINT)
        return !inner->index.text && inner->name.text &&
               !strcmp(inner->name.text, name);
    for (size_t k = 0; inner->kind == AST_COORDINATE && k < inner->n_names; k++)
        if (!strcmp(inner->names[k].text, name))
            return true;
    return false;
}

/* The data that have a column of this name; NULL: none have. */
static const char *
data_with_column(const struct check *ck, const char *name)
{
    for (size_t i = 0; i < ck->lists.tables.n; i++) {
        const struct tm_table *table = &ck->lists.tables.v[i];
        for (size_t k = 0; k < table->n_columns; k++)
            if (!strcmp(table->columns[k].name, name))
                return table->name;
    }
    return NULL;
}

/* What a force or torque of a body reads of the body itself, by the name that
 * its block gives it. NULL: the range stands elsewhere. */
static const char *
own_body(const struct check *ck, const struct ast_item *item, imp_range range)
{
    for (size_t b = 0; b < item->n_block; b++) {
        const struct ast_item *key = item->block[b];
        if (key->kind == AST_KEY && item_holds(key, range) &&
            (!strcmp(key->name.text, "force") ||
             !strcmp(key->name.text, "torque")))
            return item->index.text
                       ? arena_printf(ck->arena, "%s[%s]", item->name.text,
                                      item->index.text)
                       : item->name.text;
    }
    return NULL;
}

/* What has something of this name: a system its coordinate or contact, a body
 * its place, a contact its gap. NULL: nothing that the module declares, or the
 * range stands in such a thing, which reads itself in other ways. */
static const char *
owner(const struct check *ck, const struct module *module, const char *name,
      imp_range range)
{
    static const struct {
        const char *name;
        enum decl_kind of;
    } row[] = {
        {"position", DECL_BODY}, {"velocity", DECL_BODY},
        {"spin", DECL_BODY},     {"angle", DECL_BODY},
        {"energy", DECL_BODY},   {"momentum", DECL_BODY},
        {"gap", DECL_CONTACT},   {"slip", DECL_CONTACT},
        {"mode", DECL_CONTACT},  {"normal_force", DECL_CONTACT},
        {"work", DECL_CONTACT},  {"friction_force", DECL_CONTACT},
        {"rate", DECL_ROTOR},
    };
    enum decl_kind of = DECL_SYSTEM;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].name, name))
            of = row[i].of;
    for (const struct decl *decl = module->first; decl; decl = decl->next)
        if (decl->kind == of && decl->item && item_holds(decl->item, range))
            return of == DECL_ROTOR  ? decl->name
                   : of == DECL_BODY ? own_body(ck, decl->item, range)
                                     : NULL;
    for (const struct decl *decl = module->first; decl; decl = decl->next) {
        const struct ast_item *item = decl->item;
        bool has = decl->kind == of && item && !item->index.text;
        for (size_t b = 0; has && b < item->n_block; b++) {
            const struct ast_item *inner = item->block[b];
            if (of == DECL_BODY && inner->kind == AST_KEY &&
                !strcmp(inner->name.text, "fixed"))
                has = false;
            if (of == DECL_SYSTEM && has && names_in_system(inner, name))
                return decl->name;
        }
        if (has && of != DECL_SYSTEM)
            return decl->name;
    }
    return NULL;
}

/* The same, or the data that have a column of this name. */
const char *
holder(const struct check *ck, const struct module *module, const char *name,
       imp_range range)
{
    assert(ck && module && name);
    const char *of = owner(ck, module, name, range);
    return of ? of : data_with_column(ck, name);
}
