/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of keys, { mass = 1  position = (0, 1) }: which keys are there, and
 * what they give, as entries of the typed model. And the indices of families.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "check/model/system_priv.h"

/* Says of a coordinate, or of its derivative, among the keys of a system where
 * its start and its equation are stated. The names of the item are those of the
 * coordinates. */
static bool
help_of_motion(struct check *ck, struct diag *diag, const struct ast_item *item,
               const char *name)
{
    size_t length = strcspn(name, "'"), primes = strlen(name) - length;
    if (item->kind != AST_SYSTEM)
        return false;
    for (size_t i = 0; i < item->n_names && primes < 2; i++)
        if (strlen(item->names[i].text) == length &&
            !memcmp(item->names[i].text, name, length)) {
            CHECK_HELP(ck, diag,
                       "where a coordinate begins, and how fast, stands in a "
                       "block of its own: start { %s = ... }",
                       name);
            return true;
        }
    if (primes == 0)
        return false;
    CHECK_HELP(ck, diag,
               "equations of motion are not written: they follow from kinetic "
               "= ... and potential = ..., or from mass = [...] and force = "
               "(...)");
    return true;
}

bool
block_keys(struct check *ck, const struct ast_item *item,
           const struct keydef *known, size_t count, const char *what,
           const struct ast_item **out)
{
    assert(ck && item && known && what && out);
    const char *names[48];
    bool ok = true;
    for (size_t which = 0; which < count; which++) {
        out[which] = NULL;
        names[which] = known[which].name;
    }
    for (size_t b = 0; b < item->n_block; b++) {
        const struct ast_item *key = item->block[b];
        if (key->kind == AST_SYSTEM || key->kind == AST_JOINT ||
            key->kind == AST_ROTOR || key->kind == AST_POINT ||
            key->kind == AST_COORDINATE) {
            bool system = key->kind == AST_POINT || key->kind == AST_COORDINATE;
            bool place = key->kind == AST_POINT && item->kind == AST_BODY;
            struct diag *diag = check_error(
                ck, DIAG_E0303, key->head,
                "this declaration cannot stand in the block of a %s", what);
            if (place)
                CHECK_HELP(ck, diag,
                           "the place of a point of a body is a value: let %s "
                           "= %s.position + %s.axes*((...) [m])",
                           key->name.text, item->name.text, item->name.text);
            else
                CHECK_HELP(ck, diag,
                           system
                               ? "points and coordinates stand in the block of "
                                 "a system"
                               : "put it behind the block");
            ok = false;
            continue;
        }
        if (key->kind != AST_KEY || key->command || !key->value) {
            struct diag *diag = check_error(
                ck, DIAG_E0303, key->head.file ? key->head : key->range,
                "this cannot stand in the block of a %s", what);
            CHECK_HELP(ck, diag, "a %s has keys: %s", what,
                       check_join(ck, names, count, "and"));
            continue;
        }
        size_t which = 0;
        while (which < count && strcmp(known[which].name, key->name.text))
            which++;
        if (which == count) {
            struct diag *diag =
                check_error(ck, DIAG_E0301, key->name.range,
                            "a %s has no key `%s`", what, key->name.text);
            if (!help_of_motion(ck, diag, item, key->name.text) &&
                !check_suggest_key(ck, diag, key->name.range, key->name.text,
                                   names, count))
                CHECK_HELP(ck, diag, "its keys are %s",
                           check_join(ck, names, count, "and"));
            ok = false;
        } else if (out[which]) {
            struct diag *diag =
                check_error(ck, DIAG_E0302, key->name.range,
                            "the key `%s` is given twice", key->name.text);
            CHECK_NOTE(ck, diag, out[which]->name.range, "first here");
        } else {
            out[which] = key;
        }
    }
    return ok;
}

bool
block_has_shape(const struct ast_item *item)
{
    assert(item);
    for (size_t b = 0; b < item->n_block; b++) {
        const struct ast_item *key = item->block[b];
        if (key->kind == AST_KEY && key->name.text &&
            !strcmp(key->name.text, "shape"))
            return true;
    }
    return false;
}

int
key_word(struct check *ck, const struct ast_item *key, const char *const *words,
         size_t count)
{
    assert(ck && key && words);
    const struct ast_expr *node = ast_unwrap(key->value);
    const char *word = node->kind == AST_NAME   ? node->name.text
                       : node->kind == AST_TEXT ? node->text
                                                : NULL;
    for (size_t i = 0; word && i < count; i++)
        if (!strcmp(word, words[i]))
            return (int)i;
    struct diag *diag =
        check_error(ck, DIAG_E0326, node->range,
                    count > 1 ? "`%s` is one of %s" : "`%s` can be %s only",
                    key->name.text, check_join(ck, words, count, "or"));
    if (word && check_suggest(ck, diag, node->range, word, words, count))
        return -1;
    if (word && !strcmp(key->name.text, "law"))
        CHECK_HELP(ck, diag,
                   "choose one of these words, or declare the law: law "
                   "%s(approach, restitution, C) = ((1 + "
                   "restitution)*approach/C, 0)",
                   word);
    return -1;
}

const expr *const *
check_zeros(struct check *ck)
{
    assert(ck);
    if (!ck->notes.zeros) {
        ck->notes.zeros = NEW_N(ck->arena, const expr *, 3);
        for (int i = 0; i < 3; i++)
            ck->notes.zeros[i] = ex_num(ck->g, 0);
    }
    return ck->notes.zeros;
}

void
take_num(struct tm_num *out, const struct value *value,
         const struct ast_expr *node)
{
    assert(out && value && node);
    out->e = value->e[0];
    out->range = node->range;
}
void
take_vec(struct tm_vec *out, const struct value *value,
         const struct ast_expr *node)
{
    assert(out && value && node);
    out->n = value->rows * value->cols;
    out->e = value->e;
    out->range = node->range;
}

bool
take_inertia(struct check *ck, struct value *value, const struct ast_expr *node,
             uint32_t dimension, const struct dim *dim, const char *what,
             struct tm_vec *out)
{
    assert(ck && value && node && dim && what && out);
    if (value->kind == VALUE_POISON)
        return false;
    bool diagonal =
        value->kind == VALUE_NUM && value->rows == 3 && value->cols == 1;
    bool matrix =
        value->kind == VALUE_NUM && value->rows == 3 && value->cols == 3;
    if (value->kind != VALUE_ANY &&
        !(dimension == 2 ? value_is_scalar(value) : diagonal || matrix)) {
        struct diag *diag = check_error(
            ck, DIAG_E0314, node->range, "%s is %s, but this is %s", what,
            dimension == 2 ? "one number in the plane"
                           : "three numbers or a 3 x 3 matrix in space",
            value_kind_text(ck, value));
        if (dimension == 3)
            CHECK_HELP(ck, diag, "write diag(0.5, 0.4, 0.3)");
        return false;
    }
    if (!value_need_dim(ck, value, node, dim, what))
        return false;
    if (value->kind == VALUE_ANY)
        return true;
    out->range = node->range;
    if (dimension == 2) {
        out->n = 1;
        out->e = value->e;
        return true;
    }
    const expr *zero = ex_num(ck->g, 0),
               **e = NEW_N(ck->arena, const expr *, 6);
    out->n = 6;
    out->e = e;
    if (diagonal) {
        for (int i = 0; i < 6; i++)
            e[i] = i < 3 ? value->e[i] : zero;
        return true;
    }
    static const uint32_t at[6][2] = {{0, 0}, {1, 1}, {2, 2},
                                      {0, 1}, {0, 2}, {1, 2}};
    for (int i = 0; i < 6; i++) {
        e[i] = value->e[3 * at[i][0] + at[i][1]];
        if (!symmetric_entry(
                ck, value->e, 3, at[i][0], at[i][1], node->range,
                arena_printf(ck->arena, "%s is a symmetric matrix", what)))
            return false;
    }
    return true;
}

/* -- what a formula of a system may read ------------------------------------
 */

struct reads {
    const struct check *ck;
    const struct tm_system *s;
    bool rate, other;
    const char *result;
    const expr *observer; /* a variable of the system's observers */
};
static void
read_leaf(void *ctx, const expr *leaf)
{
    struct reads *reads = ctx;
    if (leaf->sym == SYM_COORD && leaf->i >= reads->s->first &&
        leaf->i < reads->s->first + reads->s->n)
        reads->rate |= leaf->j > 0;
    else if (leaf->sym == SYM_COORD && leaf->i >= reads->s->first &&
             leaf->i < reads->s->first + reads->s->n + reads->s->n_observer)
        reads->observer = leaf;
    else if (leaf->sym == SYM_SLOT)
        reads->result =
            reads->result ? reads->result : leaf_result(reads->ck, leaf);
    else
        reads->other |= leaf->sym != SYM_PARAM && leaf->sym != SYM_TIME &&
                        leaf->sym != SYM_SLIP;
}

bool
system_formula_ok(struct check *ck, const struct tm_system *system,
                  const expr *expression, bool rates, const struct ast_expr *at,
                  const char *what)
{
    assert(expression != NULL && at != NULL && what != NULL);
    struct reads reads = {.ck = ck, .s = system};
    if (ex_depends(ck->g, expression, SYM_LOCAL, UINT32_MAX, UINT32_MAX))
        return true; /* The arguments have no values yet, so nothing is known.
                      */
    ex_leaves(ck->g, &expression, 1, read_leaf, &reads);
    if (reads.observer) {
        const struct tm_coordinate *u =
            &ck->lists.coordinates.v[reads.observer->i];
        struct diag *diag =
            check_error(ck, DIAG_E0370, at->range,
                        "%s reads the observer variable `%s`", what, u->name);
        CHECK_NOTE(ck, diag, u->range,
                   "an observer feels the motion and does not act on it");
        CHECK_HELP(ck, diag,
                   "make it a coordinate with an energy of its own: coordinate "
                   "%s in the system's block; where %s' = f, as of a "
                   "controller, its inertia is 1, its force the rate f', and "
                   "its start %s' = f",
                   u->name, u->name, u->name);
        return false;
    }
    if (!reads.other && !reads.result && (rates || !reads.rate))
        return true;
    struct diag *d =
        reads.other || reads.result
            ? check_error(ck, DIAG_E0364, at->range, "%s reads %s", what,
                          reads.result ? reads.result
                                       : "the motion of something else")
            : check_error(ck, DIAG_E0364, at->range,
                          "%s depends on the rate of a coordinate", what);
    if (leaf_result_remedy(reads.result))
        CHECK_HELP(ck, d, "%s", leaf_result_remedy(reads.result));
    else
        CHECK_HELP(ck, d,
                   "it may depend on the system's coordinates%s, t and params",
                   rates ? ", their rates" : "");
    return false;
}

/* -- families -------------------------------------------------------------- */

#define FAMILY_MAX 10000

static const char *
family_sample(const struct ast_item *it)
{
    return it->kind == AST_BODY    ? "body ball"
           : it->kind == AST_JOINT ? "joint pin"
           : it->kind == AST_KEYS  ? "foot"
                                   : "contact foot";
}

bool
family_range(struct check *ck, const struct env *args,
             const struct ast_item *it, int *lo, uint32_t *count, bool *open)
{
    assert(ck && args && it && lo && count && open);
    double bounds[2];
    const struct ast_expr *nodes[2] = {it->lo, it->hi};
    imp_range range = it->lo->range;
    range.hi = it->hi->range.hi;
    for (int end = 0; end < 2; end++) {
        struct value value = check_expr(ck, args, nodes[end]);
        if (!value_need_scalar(ck, &value, nodes[end], dim_pure(ck->dims),
                               "the index of a family"))
            return false;
        *open |= value.kind == VALUE_ANY;
        if (value.kind == VALUE_ANY)
            continue;
        if (!check_fixed(ck, value.e[0], &bounds[end]) ||
            bounds[end] != floor(bounds[end])) {
            const char *is = "";
            char num[NUM_TEXT];
            if (check_fixed(ck, value.e[0], &bounds[end]))
                is = arena_printf(ck->arena, ", but this is %s",
                                  num_digits(num, bounds[end], 9));
            struct diag *diag =
                check_error(ck, DIAG_E0363, nodes[end]->range,
                            "the index of a family runs over whole "
                            "numbers made of literals and params%s",
                            is);
            CHECK_HELP(ck, diag, "as in %s[i in 0 .. n-1] { ... }",
                       family_sample(it));
            return false;
        }
        if (fabs(bounds[end]) > 1e6) {
            struct diag *diag =
                check_error(ck, DIAG_E0363, nodes[end]->range,
                            "the index of a family lies within 1e6 "
                            "of 0, but this is %g",
                            bounds[end]);
            CHECK_HELP(ck, diag, "count from 0: %s[i in 0 .. n-1] { ... }",
                       family_sample(it));
            return false;
        }
    }
    if (*open) {
        *lo = 0;
        *count = 1;
        return true;
    }
    if (bounds[1] < bounds[0]) {
        check_error(ck, DIAG_E0363, range,
                    "this family is empty: its index runs from %g to %g",
                    bounds[0], bounds[1]);
        return false;
    }
    if (bounds[1] - bounds[0] >= FAMILY_MAX) {
        struct diag *diag = check_error(
            ck, DIAG_E0363, range,
            "this family is too large: its index runs from %g to %g", bounds[0],
            bounds[1]);
        CHECK_HELP(ck, diag, "a family has at most %d members: make several",
                   FAMILY_MAX);
        return false;
    }
    *lo = (int)bounds[0];
    *count = (uint32_t)(bounds[1] - bounds[0]) + 1;
    return true;
}

bool
system_names(struct check *ck, const struct system_work *work,
             const struct tm_system *system, const struct ast_item *it)
{
    assert(ck && work && system && it);
    const struct ast_name *names[2] = {&it->name, &it->index};
    bool value = it->kind == AST_POINT || it->kind == AST_LET;
    const char *const what[2] = {it->kind == AST_POINT ? "point"
                                 : value               ? "value"
                                                       : "contact",
                                 "index"};
    for (int which = 0; which < 2; which++) {
        const char *name = names[which]->text, *of = NULL;
        if (!name || (it->kind == AST_KEYS && !which))
            continue;
        for (uint32_t q = system->first;
             q < system->first + system->n + system->n_observer; q++)
            if (!strcmp(ck->lists.coordinates.v[q].name, name))
                of = q < system->first + system->n ? "a coordinate"
                                                   : "an observer variable";
        bool in_formulas = which || value;
        for (size_t k = 0; in_formulas && k < work->args->n; k++)
            if (!strcmp(work->args->names[k], name))
                of = "an argument";
        if (!of && !(in_formulas && name_is_reserved(name)))
            continue;
        struct diag *diag =
            check_error(ck, of ? DIAG_E0103 : DIAG_E0105, names[which]->range,
                        "the %s `%s` has the name of %s", what[which], name,
                        of ? of : "a constant, or of time");
        CHECK_HELP(ck, diag, "give one of them another name");
        return false;
    }
    return true;
}

bool
family_declare(struct check *ck, struct decl *decl, uint32_t first)
{
    assert(ck && decl);
    bool open = false;
    struct env env = {.module = decl->module};
    decl->index = first;
    decl->count = 1;
    if (decl->item->index.text &&
        !family_range(ck, &env, decl->item, &decl->lo, &decl->count, &open)) {
        decl->broken = true;
        decl->count = 0;
    }
    return !decl->broken;
}

const char *
member_name(struct check *ck, const struct decl *decl, uint32_t member)
{
    assert(ck && decl);
    return decl->item->index.text
               ? arena_printf(ck->arena, "%s[%d]", decl->name,
                              decl->lo + (int)member)
               : decl->name;
}

void
member_env(struct check *ck, const struct decl *decl, uint32_t member,
           struct member_env *out)
{
    assert(ck && decl && out);
    out->env = (struct env){.module = decl->module};
    if (!decl->item->index.text)
        return;
    out->name = decl->item->index.text;
    out->index = value_num(ck, ex_num(ck->g, decl->lo + (double)member),
                           dim_pure(ck->dims), decl->item->index.range);
    out->index.bare = true;
    out->env.names = &out->name;
    out->env.vals = &out->index;
    out->env.n = 1;
}
