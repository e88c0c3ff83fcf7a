/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which declaration a name means, and what to suggest where it means none. A
 * name is looked up in its module, then in the modules that one uses (not
 * further). Functions and shapes are looked up apart from values, so a param
 * may be called gamma beside the function gamma(x). */
#include <assert.h>
#include <string.h>

#include "abi/commands.h"
#include "base/source.h"
#include "check/context/builtins.h"
#include "check/context/context.h"
#include "check/context/corners.h"
#include "check/context/owner.h"
#include "check/context/stdlib.h"
#include "syntax/parse.h"

/* so many unknown names are compared with a further one */
#define UNKNOWN_NAMES 1000
/* A declaration in a library begins with one of these words, then follows its
 * name. */
static const char *const shapes_and_functions[] = {"shape ", "fn ", NULL};
static const char *const systems[] = {"system ", NULL};

static bool
wanted(const struct decl *decl, enum want w)
{
    bool call = decl->kind == DECL_FN || decl->kind == DECL_SHAPE;
    if (w == WANT_SYSTEM)
        return decl->kind == DECL_SYSTEM;
    return w == WANT_ANY || call == (w == WANT_CALL) ||
           decl->kind == DECL_OTHER;
}

/* Is this a shape with corners that the standard library makes known without
 * `use`? It gives way to any other declaration of its name. */
static bool
is_corner_shape_of_library(struct check *ck, const struct decl *decl)
{
    struct corner_shape shape;
    return decl->module->library && corner_shape_of(ck, decl, &shape);
}

struct decl *
scope_find(struct check *ck, struct module *module, const char *name,
           enum want want, imp_range range, bool *reported)
{
    assert(ck && module && name && reported);
    *reported = false;
    struct decl *found = scope_own(module, name);
    if (found && !wanted(found, want))
        found = NULL;
    for (size_t i = 0; i < module->uses.n; i++) {
        struct decl *decl = scope_own(module->uses.v[i].module, name);
        if (!decl || !wanted(decl, want) || decl == found)
            continue;
        if (!found || (want == WANT_VALUE && decl_is_pattern(found))) {
            found = decl;
            continue;
        }
        if (want == WANT_VALUE && decl_is_pattern(decl))
            continue;
        if (is_corner_shape_of_library(ck, decl))
            continue;
        if (is_corner_shape_of_library(ck, found)) {
            found = decl;
            continue;
        }
        struct diag *diag = check_error(ck, DIAG_E0104, range,
                                        "`%s` could mean two things", name);
        CHECK_NOTE(ck, diag, found->range, "this %s",
                   decl_kind_name(found->kind));
        CHECK_NOTE(ck, diag, decl->range, "or this %s",
                   decl_kind_name(decl->kind));
        if (decl->module->library)
            CHECK_HELP(ck, diag,
                       "write `%s.%s` for the library's, or rename your own",
                       decl->module->name, name);
        else
            CHECK_HELP(ck, diag, "give one of them another name");
        *reported = true;
        return NULL;
    }
    if (!found && want == WANT_CALL && !builtin_find(name))
        found = corner_shape_find(ck, name);
    return found;
}

struct module *
scope_library(struct module *module, const char *name)
{
    assert(module && name);
    for (size_t i = 0; i < module->uses.n; i++)
        if (module->uses.v[i].name && !strcmp(module->uses.v[i].name, name))
            return module->uses.v[i].module;
    return NULL;
}

/* Other languages write true and false in these ways. */
static const char *
truth_of(const char *name)
{
    static const char *const words[][2] = {
        {"yes", "true"},    {"True", "true"}, {"TRUE", "true"},
        {"on", "true"},     {"no", "false"},  {"False", "false"},
        {"FALSE", "false"}, {"off", "false"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i][0], name))
            return words[i][1];
    return NULL;
}

struct names {
    struct check *ck;
    const char **v;
    size_t n, cap;
};

/* Is this the declaration in which the name stands? A remedy that names it
 * would define it by itself. */
static bool
is_around(const struct decl *decl, imp_range range)
{
    return decl->item && decl->item->range.file == range.file &&
           decl->item->range.lo <= range.lo && range.hi <= decl->item->range.hi;
}

static void
names_of(struct names *ns, struct module *module, enum want want,
         imp_range range)
{
    for (struct decl *decl = module->first; decl; decl = decl->next)
        if (wanted(decl, want) && !is_around(decl, range))
            APUSH(ns->ck, ns, decl->name);
}

/* Lists what a name could have been. *coords: the name stands where x, y and z
 * mean something. */
static struct names
candidates(struct check *ck, const struct env *env, enum want want,
           imp_range range, bool *coords)
{
    struct names ns = {ck, NULL, 0, 0};
    *coords = false;
    for (const struct env *scope = env; scope; scope = scope->up) {
        for (size_t i = 0; i < scope->n; i++)
            if (want != WANT_CALL)
                APUSH(ck, &ns, scope->names[i]);
        const struct tm_command *q =
            scope->question ? &ck->lists.commands.v[scope->question - 1] : NULL;
        for (size_t i = 0; q && want != WANT_CALL && i < q->n_fields; i++)
            APUSH(ck, &ns, q->fields[i].name);
        *coords |= scope->coords;
    }
    struct module *module = env->module;
    names_of(&ns, module, want, range);
    for (size_t i = 0; i < module->uses.n; i++)
        names_of(&ns, module->uses.v[i].module, want, range);
    const struct builtin *builtin;
    const struct decl *decl;
    for (size_t i = 0; want == WANT_CALL && (builtin = builtin_get(i)); i++)
        APUSH(ck, &ns, builtin->name);
    for (size_t i = 0;
         want == WANT_CALL && (decl = corner_shape_library(ck, i)); i++)
        APUSH(ck, &ns, decl->name);
    if (want != WANT_CALL)
        APUSH(ck, &ns, "pi");
    return ns;
}

const char *
foreign_function(const char *name)
{
    assert(name);
    static const struct {
        const char *name, *help;
    } row[] = {
#include "check/foreign.def"
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].name, name))
            return row[i].help;
    return NULL;
}

/* An everyday name of shapes that the library has under others. */
struct usual_shape {
    const char *usual, *plane, *space;
};

/* Returns the row of an everyday name of shapes, or NULL. */
static const struct usual_shape *
usual_shape(const char *name)
{
    static const struct usual_shape row[] = {
        {"ball", "circle", "sphere"},
        {"round", "circle", "sphere"},
        {"cuboid", "rectangle", "box"},
        {"brick", "rectangle", "box"},
        {"block", "rectangle", "box"},
        {"cube", "rectangle", "box"},
        {"square", "rectangle", "box"},
        {"rect", "rectangle", "box"},
        {"plane", "half_plane", "half_space"},
        {"ground", "half_plane", "half_space"},
        {"floor", "half_plane", "half_space"},
        {"wall", "half_plane", "half_space"},
        {"line", "half_plane", "half_space"},
        {"ngon", "regular_polygon", "polyhedron"},
        {"pentagon", "regular_polygon", "polyhedron"},
        {"octagon", "regular_polygon", "polyhedron"},
        {"mesh", "polygon", "polyhedron"},
        {"hull", "polygon", "polyhedron"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].usual, name))
            return &row[i];
    return NULL;
}

/* The name may be that of a library which is not in use, perhaps misspelt. Then
 * this is said. */
static bool
other_library(struct check *ck, struct diag *diag, struct module *module,
              const char *name, bool system)
{
    const struct stdlib_file *file;
    const char *word = system ? "\nsystem " : "\nshape ";
    for (size_t i = 0; (file = stdlib_get(i)); i++) {
        if (scope_library(module, file->name))
            continue;
        struct names ls = {ck, NULL, 0, 0};
        for (const char *p = file->text; (p = strstr(p, word));) {
            p += strlen(word);
            size_t len = strcspn(p, "( ");
            APUSH(ck, &ls, arena_strndup(ck->arena, p, len));
        }
        const char *text = suggest(name, ls.v, ls.n);
        if (text) {
            CHECK_HELP(ck, diag,
                       "did you mean `%s` of the library `%s`? add `use %s`",
                       text, file->name, file->name);
            return true;
        }
    }
    return false;
}

/* Has it been told that this module takes a name from the library and does not
 * use it? One `use` mends all such names, so they are one mistake. */
static bool
reported_missing(struct check *ck, struct module *module, const char *library)
{
    for (size_t i = 0; i < module->missing.n; i++)
        if (!strcmp(module->missing.v[i], library))
            return true;
    APUSH(ck, &module->missing, library);
    return false;
}

/* Has this module been told that the name is unknown? A declaration mends all
 * of its uses, so they are one mistake. Of a great many names the last count.
 */
static bool
reported_unknown(struct check *ck, struct module *module, const char *name)
{
    size_t n = module->unknown.n;
    for (size_t i = n; i > 0 && n - i < UNKNOWN_NAMES; i--)
        if (!strcmp(module->unknown.v[i - 1], name))
            return true;
    APUSH(ck, &module->unknown, name);
    return false;
}

/* Is it a name of a system that is declared below what reads it? */
static bool
declared_later(const struct env *env, const char *name)
{
    for (; env; env = env->up)
        for (size_t k = env->n; k < env->n + env->n_later; k++)
            if (!strcmp(env->names[k], name))
                return true;
    return false;
}

/* The name is declared, but what it names is asked for in another way. */
static void
of_another_kind(struct check *ck, struct diag *diag, const struct decl *other,
                const char *name, bool called)
{
    CHECK_NOTE(ck, diag, other->range, "`%s` is a %s", name,
               decl_kind_name(other->kind));
    if (!called)
        CHECK_HELP(ck, diag, "call it: %s(...)", name);
    else if (other->kind == DECL_LET || other->kind == DECL_PARAM)
        CHECK_HELP(ck, diag,
                   "a product is written with `*`, an index with [ ]");
}

/* The family whose index has this name; NULL: there is none. */
static const struct decl *
family_index(const struct module *module, const char *name)
{
    for (const struct decl *decl = module->first; decl; decl = decl->next)
        if (decl->item && decl->item->index.text &&
            (decl->kind == DECL_BODY || decl->kind == DECL_CONTACT) &&
            !strcmp(decl->item->index.text, name))
            return decl;
    return NULL;
}

/* Is it a word for a normal force in a coefficient of friction? */
static bool
in_friction(const struct module *module, const char *name, imp_range range)
{
    static const char *const words[] = {"normal_force", "N",   "F_N",   "FN",
                                        "Fn",           "F_n", "normal"};
    bool word = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        word |= !strcmp(words[i], name);
    for (const struct decl *decl = module->first; word && decl;
         decl = decl->next) {
        const struct ast_item *item = decl->item;
        if ((decl->kind != DECL_CONTACT && decl->kind != DECL_SYSTEM) ||
            !item || !item_holds(item, range))
            continue;
        for (size_t b = 0; b < item->n_block; b++) {
            const struct ast_item *key = item->block[b];
            for (size_t k = 0; key->kind == AST_CONTACT && k < key->n_block;
                 k++)
                if (item_holds(key->block[k], range)) {
                    key = key->block[k];
                    break;
                }
            if (key->kind == AST_KEY && item_holds(key, range))
                return !strcmp(key->name.text, "friction");
        }
    }
    return false;
}

/* What a name means that belongs to a family, or to the law of friction. */
static bool
help_family(struct check *ck, struct diag *diag, const struct module *module,
            const char *name, imp_range range)
{
    const struct decl *family = family_index(module, name);
    if (family)
        CHECK_HELP(ck, diag,
                   "it is the index of the family `%s`, known in its own "
                   "declaration: %s[%d] is one of them, and %s without an "
                   "index all",
                   family->name, family->name, (int)family->lo, family->name);
    else if (in_friction(module, name, range))
        CHECK_HELP(ck, diag,
                   "`friction` is the coefficient alone, by which the law "
                   "multiplies the normal force; it may read `slip`, t, params "
                   "and the motion");
    else
        return false;
    return true;
}

static void
mean(struct check *ck, struct diag *diag, imp_range range, const char *text)
{
    CHECK_HELP(ck, diag, "did you mean `%s`?", text);
    diag_fix(ck->ds, diag, range, text);
}

/* Is it the name of a law of impact? */
static bool
help_law(struct check *ck, struct diag *diag, const char *name)
{
    static const struct {
        const char *word;
        bool takes_coefficient;
    } law[] = {
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) {#word, args},
#include "abi/laws.def"
    };
    for (size_t i = 0; i < sizeof law / sizeof law[0]; i++)
        if (!strcmp(law[i].word, name)) {
            CHECK_HELP(ck, diag,
                       law[i].takes_coefficient
                           ? "it is a law of impact: restitution = %s(0.5) "
                             "states it of one contact, world { law = %s } of "
                             "impacts at several"
                           : "it is a law of impacts at several contacts: "
                             "world { law = %s }",
                       name, name);
            return true;
        }
    return false;
}

/* Says what a law or a function of other languages is here that is called. */
static bool
help_call(struct check *ck, struct diag *diag, const char *name)
{
    if (help_law(ck, diag, name))
        return true;
    if (foreign_function(name))
        CHECK_HELP(ck, diag, "%s", foreign_function(name));
    return foreign_function(name) != NULL;
}

/* Is this word a text of results, such as a status? */
static bool
verdict(const char *name)
{
    static const char *const words[] = {
        "done",       "stopped",      "failed",       "complete",
        "partial",    "incomplete",   "simultaneous", "separating",
        "consistent", "inconsistent", "indeterminate"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i], name))
            return true;
    return false;
}

/* Is it a known name with `dot` behind it, or `d` before it, which other
 * programs give to the rate of what it names? */
static bool
help_rate(struct check *ck, struct diag *diag, imp_range range,
          const char *name, const struct names *ns)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < ns->n; i++) {
        const char *base = ns->v[i], *rest;
        size_t k = strlen(base);
        if (k == 0 || k >= n)
            continue;
        if (!strncmp(name, base, k)) {
            rest = name + k;
            rest += *rest == '_';
            const char *primes = !strcmp(rest, "dot")      ? "'"
                                 : !strcmp(rest, "ddot")   ? "''"
                                 : !strcmp(rest, "dotdot") ? "''"
                                                           : NULL;
            if (!primes)
                continue;
            rest = arena_printf(ck->arena, "%s%s", base, primes);
        } else if (name[0] == 'd' && !strcmp(name + 1, base)) {
            rest = arena_printf(ck->arena, "%s'", base);
        } else
            continue;
        CHECK_HELP(ck, diag, "rates are written with ': did you mean `%s`?",
                   rest);
        diag_fix(ck->ds, diag, range, rest);
        return true;
    }
    return false;
}

/* Does a point stand right behind the range, as behind a body or a result? */
static bool
has_fields(struct check *ck, imp_range range)
{
    const struct source *source = source_get(ck->in->sources, range.file);
    return source && range.hi < source->len && source->text[range.hi] == '.';
}

static bool
word_byte(char byte)
{
    unsigned char c = (unsigned char)byte;
    return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* What stands behind a call as its index, f(x) [kg*m^2], holds the name: the
 * call with that unit. NULL: it is none. */
static const char *
unit_behind_call(struct check *ck, imp_range range)
{
    const struct source *source = source_get(ck->in->sources, range.file);
    const char *text = source ? source->text : "";
    size_t at = source ? range.lo : 0, end = range.hi, open;
    while (at > 0 &&
           (word_byte(text[at - 1]) || strchr(" */^-().", text[at - 1])))
        at--;
    if (!at || text[--at] != '[')
        return NULL;
    open = at;
    while (at > 0 && strchr(" \t\n", text[at - 1]))
        at--;
    if (!at || text[--at] != ')')
        return NULL;
    for (int depth = 1; depth > 0;) {
        if (!at)
            return NULL;
        at--;
        depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    }
    size_t name = at;
    while (name > 0 && word_byte(text[name - 1]))
        name--;
    while (end < source->len && text[end] && !strchr("]\n", text[end]))
        end++;
    if (name == at)
        return NULL;
    return arena_printf(ck->arena, "(%.*s(...)) [%.*s]", (int)(at - name),
                        text + name, (int)(end - open - 1), text + open + 1);
}

/* Says what stands for a word where a value is wanted; false: nothing does. */
static bool
help_word(struct check *ck, struct diag *diag, const struct module *module,
          imp_range range, const char *name, const struct names *ns)
{
    if (help_law(ck, diag, name) || help_family(ck, diag, module, name, range))
        return true;
    if (!strcmp(name, "end"))
        CHECK_HELP(ck, diag, "the last entry of a list is a[-1]");
    else if (value_elsewhere(name))
        CHECK_HELP(ck, diag, "%s", value_elsewhere(name));
    else if (verdict(name))
        CHECK_HELP(ck, diag, "texts of results stand in quotes: \"%s\"", name);
    else if (help_rate(ck, diag, range, name, ns))
        return true;
    else if (word_is_unit(name) && unit_behind_call(ck, range))
        CHECK_HELP(ck, diag,
                   "behind a call [ ] takes an entry; for a unit put brackets "
                   "around it: %s",
                   unit_behind_call(ck, range));
    else if (word_is_unit(name) && name[1])
        CHECK_HELP(ck, diag,
                   "a unit stands in square brackets behind a number: 5 [%s]",
                   name);
    else
        return false;
    return true;
}

/* Says of a contact of the system in whose block its name stands that no
 * formula there reads it. */
static bool
help_own_contact(struct check *ck, struct diag *diag,
                 const struct module *module, const char *name, imp_range range)
{
    for (const struct decl *decl = module->first; decl; decl = decl->next) {
        const struct ast_item *item = decl->item;
        if (decl->kind != DECL_SYSTEM || !item || !item_holds(item, range))
            continue;
        for (size_t i = 0; i < item->n_block; i++)
            if (item->block[i]->kind == AST_CONTACT &&
                item->block[i]->name.text &&
                !strcmp(item->block[i]->name.text, name)) {
                CHECK_HELP(
                    ck, diag,
                    "`%s` is a contact of this system: its force and its "
                    "mode are told in the record of a run, and formulas "
                    "of the system do not read them",
                    name);
                return true;
            }
    }
    return false;
}

/* Says of what an impact knows, named within a law of impact, that the law has
 * to name it as a parameter. */
static bool
help_parameter(struct check *ck, struct diag *diag, const struct module *module,
               const char *name, imp_range range)
{
    static const char *const known[] = {
        "approach", "slip", "restitution", "friction", "A", "B", "C"};
    bool knows = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        knows |= !strcmp(name, known[i]);
    for (const struct decl *decl = module->first; decl && knows;
         decl = decl->next)
        if (decl->item && decl->item->kind == AST_LAW &&
            item_holds(decl->item, range)) {
            CHECK_HELP(ck, diag,
                       "an impact knows it: name it among the parameters, law "
                       "%s(..., %s) = ...",
                       decl->name, name);
            return true;
        }
    return false;
}

/* Says of a question that stands where a value is due how it is asked. */
static bool
help_command(struct check *ck, struct diag *diag, const char *name)
{
    for (uint32_t id = 0; id < IMP_CMD_COUNT; id++)
        if (!strcmp(name, imp_command_word(id)) &&
            imp_command_has(id, IMP_TRAIT_RECORD)) {
            CHECK_HELP(ck, diag,
                       "`%s` asks a question, and its answer needs a name: let "
                       "answer = %s ..., then show answer",
                       name, name);
            return true;
        }
    return false;
}

/* Is this a module of another language that holds functions of numbers? */
static bool
help_module(struct check *ck, struct diag *diag, const char *name)
{
    static const char *const word[] = {"math", "Math", "np", "numpy", "std"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (!strcmp(name, word[i])) {
            CHECK_HELP(ck, diag,
                       "functions and constants stand alone: sin(x), sqrt(2), "
                       "abs(x), pi");
            return true;
        }
    return false;
}

/* Says what the place of a name, or the name itself, makes of it. */
static bool
help_place(struct check *ck, struct diag *diag, const struct module *module,
           const char *name, imp_range range)
{
    return help_own_contact(ck, diag, module, name, range) ||
           help_parameter(ck, diag, module, name, range) ||
           help_command(ck, diag, name) || help_module(ck, diag, name);
}

static void
help_coordinate(struct check *ck, struct diag *diag)
{
    CHECK_HELP(ck, diag,
               "x, y and z are coordinates inside a shape, and in the formulas "
               "of a system that names them, not in its start; the direction "
               "of the axis z is (0, 0, 1)");
}

#define COLUMNS_TOLD 6

/* Says where fields of a run are names which there are: what it records is the
 * last of them. */
static bool
help_columns(struct check *ck, struct diag *diag, const struct env *env,
             imp_range range)
{
    while (env && !env->question)
        env = env->up;
    if (!env)
        return false;
    const struct tm_command *asked = &ck->lists.commands.v[env->question - 1];
    size_t n = asked->n_fields, from = 0, end;
    const char *list = "";
    if (n == 0)
        return false;
    for (size_t i = 0; i + 1 < n; i++) /* the recorded ones stand behind `t` */
        from = strcmp(asked->fields[i].name, "t") ? from : i + 1;
    end = n < from + COLUMNS_TOLD ? n : from + COLUMNS_TOLD;
    for (size_t i = from; i < end; i++)
        list = arena_printf(ck->arena, "%s%s%s", list,
                            i == from      ? ""
                            : i + 1 == end ? " and "
                                           : ", ",
                            asked->fields[i].name);
    if (has_fields(ck, range))
        CHECK_HELP(ck, diag,
                   "fields of the run are names here, without a record before "
                   "them: among others %s",
                   list);
    else
        CHECK_HELP(ck, diag,
                   "fields of the run are names here: among others %s; imp doc "
                   "tells all of a command",
                   list);
    return true;
}

/* Says how the name would be declared, or which question it nearly is. */
static void
help_declare(struct check *ck, struct diag *diag, const char *name,
             imp_range range)
{
    const char *question[IMP_CMD_COUNT], *near;
    size_t n = 0;
    for (uint32_t id = 0; id < IMP_CMD_COUNT; id++)
        if (imp_command_has(id, IMP_TRAIT_RECORD))
            question[n++] = imp_command_word(id);
    if (has_fields(ck, range))
        CHECK_HELP(ck, diag,
                   "declare it: body %s : circle(0.1) { mass = 1 }, or let "
                   "%s = simulate { until = 1 } for results",
                   name, name);
    else if (strlen(name) > 4 && (near = suggest(name, question, n)) != NULL)
        CHECK_HELP(ck, diag,
                   "did you mean the command `%s`? A value is declared: let "
                   "%s = ...",
                   near, name);
    else
        CHECK_HELP(ck, diag,
                   "declare it: `let %s = ...` for a value, `param %s = "
                   "...` for a knob",
                   name, name);
}

void
scope_unknown(struct check *ck, const struct env *env, const char *name,
              imp_range range, enum want want)
{
    assert(ck && env && name);
    struct module *module = env->module;
    bool coords, rep;
    struct names ns = candidates(ck, env, want, range, &coords);
    bool fn = want == WANT_CALL, system = want == WANT_SYSTEM,
         value = !fn && !system;
    enum want otherwise = fn ? WANT_VALUE : WANT_CALL;
    struct decl *other =
        system ? NULL : scope_find(ck, module, name, otherwise, range, &rep);
    const char *lib =
        stdlib_holder(name, system ? systems : shapes_and_functions);
    const char *of = !value || coords ? NULL : holder(ck, module, name, range);
    bool missing = !other && lib && !scope_library(module, lib);
    if (missing ? reported_missing(ck, module, lib)
                : reported_unknown(ck, module, name))
        return;
    struct diag *diag =
        check_error(ck, fn ? DIAG_E0102 : DIAG_E0101, range,
                    fn       ? "there is no function or shape `%s`"
                    : system ? "there is no system `%s`"
                             : "the name `%s` is not known here",
                    name);
    if (declared_later(env, name)) {
        CHECK_HELP(ck, diag,
                   "points and lets of a system are read from above: put `%s` "
                   "above what reads it",
                   name);
    } else if (other) {
        of_another_kind(ck, diag, other, name, fn);
    } else if (missing) {
        CHECK_HELP(ck, diag, "the library `%s` has it: add `use %s`", lib, lib);
        diag_fix(ck->ds, diag, (imp_range){range.file, 0, 0},
                 arena_printf(ck->arena, "use %s\n", lib));
    } else if (value && builtin_find(name) && !value_elsewhere(name)) {
        CHECK_HELP(ck, diag, "it is a function: call it, as in %s",
                   builtin_find(name)->example);
    } else if (fn && help_call(ck, diag, name)) {
        return;
    } else if (fn && usual_shape(name)) {
        CHECK_HELP(ck, diag,
                   "the library `shapes` has `%s` for the plane and `%s` for "
                   "space%s",
                   usual_shape(name)->plane, usual_shape(name)->space,
                   scope_library(module, "shapes") ? "" : ": add `use shapes`");
    } else if (!fn && truth_of(name)) {
        mean(ck, diag, range, truth_of(name));
    } else if (of) {
        mean(ck, diag, range, arena_printf(ck->arena, "%s.%s", of, name));
    } else if (coords && !fn && name[1] == 0 && strchr("XYZ", name[0])) {
        static const char *const lower[] = {"x", "y", "z"};
        CHECK_HELP(ck, diag, "the coordinates of a shape are x, y and z");
        diag_fix(ck->ds, diag, range, lower[name[0] - 'X']);
    } else if (!coords && !fn && name[1] == 0 && strchr("xyz", name[0])) {
        help_coordinate(ck, diag);
    } else if (value && help_place(ck, diag, module, name, range)) {
        return;
    } else if (value && help_word(ck, diag, module, range, name, &ns)) {
        return;
    } else if (!check_suggest(ck, diag, range, name, ns.v, ns.n) &&
               !(value && help_columns(ck, diag, env, range))) {
        if ((fn || system) && other_library(ck, diag, module, name, system))
            return;
        if (system)
            CHECK_HELP(ck, diag,
                       "declare it: system %s(...) { coordinate ... }", name);
        else if (!fn)
            help_declare(ck, diag, name, range);
    }
}

struct decl *
scope_member(struct check *ck, struct module *module,
             const struct ast_expr *node, enum want want)
{
    assert(ck && module && node);
    const char *library = node->a->name.text;
    struct env env = {.module = scope_library(module, library)};
    if (!env.module) {
        struct diag *diag = check_error(ck, DIAG_E0113, node->a->range,
                                        "no library `%s` is in use", library);
        if (stdlib_find(library))
            CHECK_HELP(ck, diag, "add `use %s`", library);
        return NULL;
    }
    struct decl *decl = scope_own(env.module, node->name.text);
    if (!decl)
        scope_unknown(ck, &env, node->name.text, node->name.range, want);
    return decl;
}
