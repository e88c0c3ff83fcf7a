/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes that take any number of corners: which declarations are such shapes,
 * and which of them the standard library has. Their points are read in
 * model/shape.c. */
#include "check/context/corners.h"

#include <assert.h>

#include "check/context/stdlib.h"

static const struct ast_expr *
unwrapped(const struct ast_expr *node)
{
    while (node && node->kind == AST_PAREN && !node->unit)
        node = node->a;
    return node;
}

bool
corner_shape_wanted(const struct decl *decl)
{
    assert(decl);
    if (decl->kind != DECL_SHAPE)
        return false;
    const struct ast_expr *hull = unwrapped(decl->item->value);
    return hull && hull->kind == AST_CALL && hull->a->kind == AST_NAME &&
           !strcmp(hull->a->name.text, "hull") &&
           !scope_own(decl->module, "hull");
}

/* Is the formula hull(corners, 2), where `corners` is the only argument? *dim
 * is the number. */
static bool
is_hull(const struct decl *decl, uint32_t *dim)
{
    if (!corner_shape_wanted(decl) || decl->item->n_formals != 1)
        return false;
    const struct ast_expr *hull = unwrapped(decl->item->value);
    if (hull->n_args != 2 || hull->args[0].name.text || hull->args[1].name.text)
        return false;
    const struct ast_expr *points = hull->args[0].value;
    const struct ast_expr *entries = hull->args[1].value;
    if (points->kind != AST_NAME || entries->kind != AST_NUM || entries->unit ||
        strcmp(points->name.text, decl->item->formals[0].name.text) != 0)
        return false;
    *dim = entries->num == 2.0 ? 2 : 3;
    return entries->num == 2.0 || entries->num == 3.0;
}

/* Returns the text of the key `example`, or NULL if there is none. */
static const char *
stated_example(const struct ast_item *item)
{
    for (size_t i = 0; i < item->n_block; i++) {
        const struct ast_item *key = item->block[i];
        if (key->kind == AST_KEY && key->value &&
            key->value->kind == AST_TEXT && !strcmp(key->name.text, "example"))
            return key->value->text;
    }
    return NULL;
}

bool
corner_shape_of(struct check *ck, const struct decl *decl,
                struct corner_shape *shape)
{
    assert(ck && decl && shape);
    uint32_t dim;
    if (!is_hull(decl, &dim))
        return false;
    const char *args = "";
    for (uint32_t i = 1; i <= dim + 1; i++)
        args = arena_printf(ck->arena, "%sp%u, ", args, i);
    char *doc = arena_strdup(ck->arena, decl->item->doc ? decl->item->doc : "");
    for (char *p = doc; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    const char *example = stated_example(decl->item);
    if (!example)
        example = arena_printf(
            ck->arena, "body b : %s(%s) { density = 1 }", decl->name,
            dim == 2 ? "(0, 0), (1, 0), (0, 1)"
                     : "(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)");
    *shape =
        (struct corner_shape){.name = decl->name,
                              .dim = dim,
                              .least = dim + 1,
                              .args = arena_printf(ck->arena, "%s...", args),
                              .doc = doc,
                              .example = example};
    return true;
}

struct decl *
corner_shape_library(struct check *ck, size_t count)
{
    assert(ck);
    const struct stdlib_file *file;
    uint32_t dim;
    for (size_t i = 0; (file = stdlib_get(i)); i++) {
        if (!strstr(file->text, "hull("))
            continue; /* A file without this text defines no such shape, so it
                         need not be read. */
        for (struct decl *decl = scope_stdlib(ck, file)->first; decl;
             decl = decl->next)
            if (is_hull(decl, &dim) && count-- == 0)
                return decl;
    }
    return NULL;
}

struct decl *
corner_shape_find(struct check *ck, const char *name)
{
    assert(ck && name);
    static const char *const shape[] = {"shape ", NULL};
    if (!stdlib_holder(name, shape))
        return NULL;
    struct decl *decl;
    for (size_t i = 0; (decl = corner_shape_library(ck, i)); i++)
        if (!strcmp(decl->name, name))
            return decl;
    return NULL;
}
