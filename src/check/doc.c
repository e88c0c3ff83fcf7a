/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documentation of names (`?name`, `imp doc NAME`) and the list of all names
 * for completion. Everything comes from the tables that the checker itself
 * uses and from doc strings, so nothing can be out of date. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/buf.h"
#include "check/check.h"
#include "check/check_priv.h"
#include "check/commands/commands.h"
#include "check/context/corners.h"
#include "check/expressions/expressions.h"
#include "check/model/model.h"

static const struct {
    const char *word, *doc, *example;
    const struct keydef *keys;
    const size_t *n_keys;
} words[] = {
#include "check/words.def"
};
#define N_WORDS (sizeof words / sizeof words[0])

static const struct keydef constants[] = {
    {"t", "time [s], from the start of the model"},
    {"pi", "3.14159265358979..."},
    {"tau", "2 pi"},
    {"eta",
     "6 x 6, exchanges the halves of a screw: transpose(wrench)*eta*twist "
     "is a power; a name of yours may replace it"},
    {"energy", "kinetic and potential energy of all bodies [J]"},
    {"kinetic_energy", "kinetic energy of all bodies [J]"},
    {"potential_energy", "potential energy of all bodies [J]"},
    {"x", "first coordinate, inside a shape [m]"},
    {"y", "second coordinate, inside a shape [m]"},
    {"z", "third coordinate, inside a shape [m]"},
};
#define N_CONSTANTS (sizeof constants / sizeof constants[0])

/* The laws of impact: first as they stand in `restitution`, then those that
 * stand in `law` alone. */
static const struct keydef laws[] = {
#define LAW(ID, word, args, POLICY, TRAITS, unequal, doc) {#word, doc},
#include "abi/laws.def"
    {"report", "several contacts of a system, as without a law: the run stops "
               "and says so"},
};
enum { N_LAWS = sizeof laws / sizeof laws[0], IN_RESTITUTION = IMP_LAW_COUNT };

/* What the keys of the world take, and the options `engine` and `search`. */
static const struct keydef choices[] = {
    {"through", "policy: bodies go on into one another"},
    {"stop", "policy: the run ends there; forbids negative, gain, separating"},
    {"enforce", "policy: an impulse keeps them apart and adds energy, which a "
                "warning tells"},
    {"stated", "start: velocities that joints forbid are an error"},
    {"projected", "start: the nearest velocities that joints allow are taken, "
                  "and a warning tells by how much they differ"},
    {"negative", "forbid: impulses that pull"},
    {"separating", "forbid: contacts that separate before the impact"},
    {"local", "search: asks those balls again that an event has touched"},
    {"all", "search: all pairs are asked again at each event"},
#define ENGINE(ID, word, doc) {#word, doc},
#include "abi/engines.def"
#define PARADOX(ID, word, doc) {#word, doc},
#include "abi/paradox.def"
#define LOADS(ID, word, doc) {#word, doc},
#include "abi/loads.def"
#define CORNERS(ID, word, doc) {#word, doc},
#include "abi/corners.def"
};
enum { N_CHOICES = sizeof choices / sizeof choices[0] };

/* The blocks that may stand in a system. */
static const struct keydef system_blocks[] = {
    {"start", "coordinates and rates at t = 0: start { h = 1  h' = -1 }; what "
              "is left out is 0; random(1, 2) is drawn"},
    {"observer", "variables that feel the motion and do not act on it, with "
                 "equations and jumps of their own: observer { coordinate u  "
                 "u'' = -4*u - h''  jump { u' = -jump(h') } }"},
    {"draw", "what the page of a run shows: rods, springs, discs, marks and "
             "outlines of shapes, at places that are formulas of the "
             "coordinates: draw { stick = rod((0, 0), (X, Y))  bob = disc((X, "
             "Y), 0.1)  crate = outline(rectangle(0.4, 0.2), (X, Y), theta)  "
             "foot[i in 0 .. 2] = mark(X + i, Y) }"},
    {"jump", "in an observer: what an impact adds to its variables: jump { u' "
             "= -jump(h') }"},
};
#define N_SYSTEM_BLOCKS (sizeof system_blocks / sizeof *system_blocks)

static const char *
kind_word(enum imp_option_kind k)
{
    static const char *const kinds[] = {
        [IMP_OPTK_NUM] = "number",
        [IMP_OPTK_BOOL] = "true or false",
        [IMP_OPTK_WORD] = "word",
        [IMP_OPTK_TEXT] = "text",
        [IMP_OPTK_FILE] = "text",
        [IMP_OPTK_CONTACTS] = "contacts",
        [IMP_OPTK_VALUES] = "values",
        [IMP_OPTK_TIMES] = "time or list of times",
        [IMP_OPTK_AXIS] = "param in values",
        [IMP_OPTK_AXES] = "params in values",
        [IMP_OPTK_QUESTION] = "command",
        [IMP_OPTK_NUMBERS] = "number or list of numbers",
        [IMP_OPTK_CURVES] = "curves"};
    assert(k < sizeof kinds / sizeof *kinds && kinds[k]);
    return kinds[k];
}
static const char *
field_word(enum imp_field_kind k)
{
    static const char *const kinds[] = {[IMP_FIELD_NUM] = "number",
                                        [IMP_FIELD_VEC] = "vector",
                                        [IMP_FIELD_SPIN] = "spin",
                                        [IMP_FIELD_BOOL] = "true or false",
                                        [IMP_FIELD_TEXT] = "text",
                                        [IMP_FIELD_LIST] = "list",
                                        [IMP_FIELD_TEXTS] = "list of texts",
                                        [IMP_FIELD_VECS] = "list of vectors",
                                        [IMP_FIELD_MAT] = "matrix"};
    assert(k < sizeof kinds / sizeof *kinds && kinds[k]);
    return kinds[k];
}

static void
put_unit(struct buf *out, const char *unit)
{
    const char *half = strchr(unit, ';');
    if (half)
        buf_printf(out, " [%.*s, %s]", (int)(half - unit), unit, half + 1);
    else if (*unit && strcmp(unit, "1"))
        buf_printf(out, " [%s]", unit);
}
static void
put_keys(struct buf *out, const struct keydef *k, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "  %-16s %s\n", k[i].name, k[i].doc);
}

static void
put_option(struct buf *out, const struct option_row *option)
{
    buf_printf(out, "  %-16s %s: %s", option->key, kind_word(option->kind),
               option->doc);
    put_unit(out, option->unit);
    buf_printf(out, " (default: %s)\n", option->dflt);
}
static void
put_field(struct buf *out, const struct field_row *field)
{
    buf_printf(out, "  %-24s %s: %s", field->name, field_word(field->kind),
               field->doc);
    put_unit(out, field->unit);
    buf_putc(out, '\n');
}

static bool
doc_command(const char *name, struct buf *out)
{
    static const char *const args[] = {
        "",           " CONTACT", " CONTACT, ...", " SYSTEM", " VALUE, ...",
        " CONDITION", " RESULT"};
    const struct command_row *command;
    const struct option_row *option;
    const struct field_row *field;
    for (int i = 0; (command = command_row((enum imp_command_id)i)); i++) {
        if (strcmp(command->name, name))
            continue;
        buf_printf(out, "%s%s%s\n  %s\n", command->name,
                   imp_command_has((uint32_t)i, IMP_TRAIT_ASKED_OF_IMPACT)
                       ? " impact"
                       : "",
                   args[command->args], command->doc);
        if (!command->available)
            buf_puts(out, "  Not available in this build.\n");
        bool head = false;
        for (int k = 0; (option = option_row((enum imp_option_id)k)); k++)
            if (!strcmp(option->command, name)) {
                if (!head)
                    buf_puts(out, "options:\n");
                head = true;
                put_option(out, option);
            }
        head = false;
        for (size_t k = 0; (field = field_row(k)); k++)
            if (!strcmp(field->command, name)) {
                if (!head)
                    buf_puts(out, "record:\n");
                head = true;
                put_field(out, field);
            }
        return true;
    }
    return false;
}

/* Documents an option or a field, whose name may follow its command and a dot.
 */
static bool
doc_part(const char *name, struct buf *out)
{
    const struct option_row *option;
    const struct field_row *field;
    const char *dot = strchr(name, '.');
    size_t count = dot ? (size_t)(dot - name) : 0;
    const char *part = dot ? dot + 1 : name;
    bool any = false;
    for (int k = 0; (option = option_row((enum imp_option_id)k)); k++)
        if (!strcmp(option->key, part) &&
            (!dot || (strlen(option->command) == count &&
                      !memcmp(option->command, name, count)))) {
            buf_printf(out, "option of %s\n", option->command);
            put_option(out, option);
            any = true;
        }
    for (size_t k = 0; (field = field_row(k)); k++)
        if (!strcmp(field->name, part) &&
            (!dot || (strlen(field->command) == count &&
                      !memcmp(field->command, name, count)))) {
            buf_printf(out, "field of the record of %s\n", field->command);
            put_field(out, field);
            any = true;
        }
    return any;
}

static bool
doc_key(const struct keydef *k, size_t count, const char *where,
        const char *name, struct buf *out)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(k[i].name, name)) {
            buf_printf(out, "%s\n", where);
            put_keys(out, k + i, 1);
            return true;
        }
    return false;
}

static void
put_doc(struct buf *out, const char *doc)
{
    /* Each line of a doc string is indented. */
    for (const char *text = doc; text && *text;) {
        size_t count = strcspn(text, "\n");
        buf_puts(out, "  ");
        buf_put(out, text, count);
        buf_putc(out, '\n');
        text += count + (text[count] != 0);
    }
}

static bool
is_observer(const struct ast_item *item)
{
    return item->kind == AST_BLOCK && !strcmp(item->name.text, "observer");
}

/* Prints the names of coordinates in a block, after `head`. */
static const char *
put_coordinates(struct buf *out, const struct ast_item *it, const char *head)
{
    for (size_t i = 0; i < it->n_block; i++)
        if (it->block[i]->kind == AST_COORDINATE)
            for (size_t k = 0; k < it->block[i]->n_names; k++) {
                buf_printf(out, "%s%s", head, it->block[i]->names[k].text);
                head = ", ";
            }
    return head;
}

/* Prints the coordinates, observers and contacts of a system that has a block
 * of its own. */
static void
put_system(struct check *ck, struct buf *out, const struct ast_item *it)
{
    const char *head = put_coordinates(out, it, "  coordinates: ");
    if (head[0] == ',')
        buf_putc(out, '\n');
    head = "  observers: ";
    for (size_t i = 0; i < it->n_block; i++)
        if (is_observer(it->block[i]))
            head = put_coordinates(out, it->block[i], head);
    if (head[0] == ',')
        buf_putc(out, '\n');
    head = "  contacts: ";
    for (size_t i = 0; i < it->n_block; i++) {
        const struct ast_item *c = it->block[i];
        if (c->kind != AST_CONTACT || !c->name.text)
            continue;
        buf_printf(out, "%s%s", head, c->name.text);
        if (c->index.text && c->lo && c->hi)
            buf_printf(out, "[%s in %s .. %s]", c->index.text,
                       expr_label(ck, c->lo), expr_label(ck, c->hi));
        head = ", ";
    }
    if (head[0] == ',')
        buf_putc(out, '\n');
}

/* Prints an argument of an example: a value that makes sense for a name which
 * the libraries use, otherwise the place of the argument as a number. */
static void
put_argument(struct buf *out, const char *name, size_t i)
{
    static const struct {
        const char *name, *value;
    } usual[] = {{"n", "4"},      {"e", "0.5"},     {"gamma", "0.1"},
                 {"rho", "0.3"},  {"p1", "(0, 0)"}, {"p2", "(1, 0)"},
                 {"p3", "(0, 1)"}};
    size_t k = 0, count = sizeof usual / sizeof *usual;
    while (k < count && strcmp(usual[k].name, name))
        k++;
    if (k < count)
        buf_puts(out, usual[k].value);
    else
        buf_printf(out, "%zu", i + 1);
}

static void
put_example(struct buf *out, const struct decl *decl, const char *how,
            const char *block)
{
    const struct ast_item *it = decl->item;
    buf_printf(out, "  example: %s : %s", how, decl->name);
    for (size_t i = 0; i < it->n_formals; i++)
        if (!it->formals[i].dflt) {
            buf_puts(out, i ? ", " : "(");
            put_argument(out, it->formals[i].name.text, i);
        }
    buf_printf(out, "%s%s\n", it->n_formals ? ")" : "", block);
}

/* Documents a coordinate by its own name; several systems may have one of this
 * name. */
static bool
doc_coordinate(struct check *ck, const char *name, struct buf *out)
{
    bool any = false;
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            for (size_t i = 0;
                 decl->kind == DECL_SYSTEM && i < decl->item->n_block; i++)
                for (size_t k = 0; k < decl->item->block[i]->n_names; k++)
                    if (decl->item->block[i]->kind == AST_COORDINATE &&
                        !strcmp(decl->item->block[i]->names[k].text, name)) {
                        buf_printf(out, "coordinate of the system %s\n",
                                   decl->name);
                        any = true;
                    }
    return any;
}

static bool
doc_decl(struct check *ck, const char *name, struct buf *out)
{
    bool any = false;
    for (struct module *module = ck->modules.first; module;
         module = module->next) {
        struct decl *decl = scope_own(module, name);
        if (!decl || !decl->item)
            continue;
        const struct ast_item *it = decl->item;
        struct corner_shape corners;
        if (corner_shape_of(ck, decl, &corners)) {
            buf_printf(out, "%s(%s)\n  %s\n  example: %s\n", corners.name,
                       corners.args, corners.doc, corners.example);
            any = true;
            continue;
        }
        buf_printf(out, "%s %s",
                   it->kind == AST_LAW         ? "law"
                   : decl->kind == DECL_FN     ? "fn"
                   : decl->kind == DECL_RESULT ? "result"
                                               : decl_kind_name(decl->kind),
                   name);
        if (it->has_formals) {
            buf_putc(out, '(');
            for (size_t i = 0; i < it->n_formals; i++) {
                buf_printf(out, "%s%s", i ? ", " : "",
                           it->formals[i].name.text);
                if (it->formals[i].dflt)
                    buf_printf(out, " = %s",
                               expr_label(ck, it->formals[i].dflt));
            }
            buf_putc(out, ')');
        }
        if ((decl->kind == DECL_PARAM || decl->kind == DECL_LET ||
             decl->kind == DECL_FN || decl->kind == DECL_SHAPE) &&
            it->value)
            buf_printf(out, " = %s", expr_label(ck, it->value));
        if (it->lo && it->hi)
            buf_printf(out, " in [%s, %s]", expr_label(ck, it->lo),
                       expr_label(ck, it->hi));
        if (it->head1)
            buf_printf(out, " : %s", expr_label(ck, it->head1));
        if (it->head2)
            buf_printf(out, " | %s", expr_label(ck, it->head2));
        if (decl->kind == DECL_RESULT && it->command)
            buf_printf(out, " of %s", it->command->name.text);
        buf_putc(out, '\n');
        put_doc(out, it->doc);
        if (decl->kind == DECL_SYSTEM)
            put_system(ck, out, it);
        if (module->library) {
            buf_printf(out, "  from the library: use %s\n", module->name);
            if (decl->kind == DECL_SHAPE)
                put_example(out, decl, "body b",
                            it->n_formals ? " { density = 1 }"
                                          : "() { fixed = true }");
            if (decl->kind == DECL_SYSTEM)
                put_example(out, decl, "system one", " { start { h = 1 } }");
        }
        any = true;
    }
    return any;
}

struct unit_search {
    const char *name, *doc;
};
static void
unit_is(void *ctx, const char *name, const char *doc)
{
    struct unit_search *u = ctx;
    if (!strcmp(name, u->name))
        u->doc = doc;
}

struct all_names {
    struct check *ck;
    const char **v;
    size_t n, cap;
};
static void
gather(void *ctx, const char *kind, const char *name)
{
    struct all_names *a = ctx;
    (void)kind;
    APUSH(a->ck, a, name);
}
/* Documents a library: all that it declares. */
static bool
doc_library(struct check *ck, const char *name, struct buf *out)
{
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        if (module->library && !strcmp(module->name, name)) {
            /* A command may have the same name as the library. */
            if (doc_command(name, out))
                buf_puts(out, "\n");
            buf_printf(out, "library %s\n", name);
            for (struct decl *decl = module->first; decl; decl = decl->next)
                doc_decl(ck, decl->name, out);
            return true;
        }
    return false;
}

static bool
doc_word(const char *name, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < N_WORDS; i++)
        if (!strcmp(words[i].word, name)) {
            buf_printf(out, "%s\n  %s\n", name, words[i].doc);
            if (words[i].example)
                buf_printf(out, "example:\n  %s\n", words[i].example);
            if (words[i].keys) {
                buf_puts(out, "keys:\n");
                put_keys(out, words[i].keys, *words[i].n_keys);
            }
            any = true;
        }
    return any;
}

static const struct term {
    const char *name, *text, *source;
} terms[] = {
#define TERM(name, text, source) {name, text, source},
#include "check/terms.def"
};
enum { N_TERMS = sizeof terms / sizeof *terms };

/* The text in small letters, without accents; NULL: it is no UTF-8. Freed by
 * the caller. */
static char *
folded(const char *text)
{
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t n =
        utf8proc_map((const utf8proc_uint8_t *)text, 0, &out,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                         UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK);
    return n < 0 ? NULL : (char *)out;
}

/* Is `word` a word, or several, within the name of a term? */
static bool
has_words(const char *name, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = name; n && (at = strstr(at, word)); at++)
        if ((at == name || at[-1] == ' ') &&
            (!at[n] || at[n] == ' ' || at[n] == '\''))
            return true;
    return false;
}

/* Documents the term of this name, in capitals or small letters, with or
 * without accents; `within`: all terms that have it as a word of their names.
 */
static bool
doc_term(const char *name, bool within, struct buf *out)
{
    bool any = false;
    char *wanted = folded(name);
    for (int i = 0; wanted && i < N_TERMS; i++) {
        char *term = folded(terms[i].name);
        bool is = within ? has_words(term, wanted) : !strcmp(term, wanted);
        free(term);
        if (!is)
            continue;
        buf_printf(out, "%s%s\n  %s\n", any ? "\n" : "", terms[i].name,
                   terms[i].text);
        if (*terms[i].source)
            buf_printf(out, "source: %s\n", terms[i].source);
        any = true;
    }
    free(wanted);
    return any;
}

/* Documents keys of blocks, names that stand after a dot, options and fields of
 * commands. */
static bool
doc_keys(struct check *ck, const char *name, struct buf *out)
{
    bool any = false;
    any |= doc_key(body_keys, n_body_keys, "key of a body", name, out);
    any |= doc_key(contact_keys, n_contact_keys, "key of a contact", name, out);
    any |= doc_key(joint_keys, n_joint_keys, "key of a joint", name, out);
    any |= doc_key(rotor_keys, n_rotor_keys, "key of a rotor", name, out);
    any |= doc_key(system_keys, n_system_keys, "key of a system", name, out);
    any |=
        doc_key(system_blocks, N_SYSTEM_BLOCKS, "block in a system", name, out);
    any |= doc_key(system_contact_keys, n_system_contact_keys,
                   "key of a contact of a system", name, out);
    any |= doc_key(system_values, n_system_values,
                   "quantity of a system, as in one.energy", name, out);
    any |= doc_coordinate(ck, name, out);
    any |= doc_key(world_keys, n_world_keys, "key of the world", name, out);
    any |= doc_key(body_values, n_body_values,
                   "quantity of a body, as in one.position", name, out);
    any |= doc_key(contact_values, n_contact_values,
                   "quantity of a contact, as in touch.gap", name, out);
    any |= doc_key(joint_values, n_joint_values,
                   "quantity of a joint, as in o.Q", name, out);
    any |= doc_key(rotor_values, n_rotor_values,
                   "quantity of a rotor, as in w.rate", name, out);
    any |= doc_key(choices, N_CHOICES, "choice of the world", name, out);
    any |= doc_part(name, out);
    return any;
}

static bool
doc_unit(struct check *ck, const char *name, struct buf *out)
{
    struct unit_search us = {name, NULL};
    unit_names(unit_is, &us);
    struct unit unit;
    if (us.doc || (*name && unit_of_text(ck->dims, name, &unit))) {
        unit_of_text(ck->dims, name, &unit);
        buf_printf(out, "unit [%s]\n", name);
        if (us.doc)
            buf_printf(out, "  %s\n", us.doc);
        const char *si = dim_text(ck->dims, unit.dim);
        buf_printf(out, "  in SI: %.17g%s%s%s\n", unit.num / unit.den,
                   *si ? " [" : "", si, *si ? "]" : "");
        return true;
    }
    return false;
}

static void names(struct check *ck,
                  void (*each)(void *ctx, const char *kind, const char *name),
                  void *ctx);

bool
check_doc(const struct check_input *in, const char *name, struct buf *out)
{
    assert(in && name && out);
    struct check ck;
    bool any = false;
    enum diag_code code = diag_code_find(name); /* as `imp explain` */
    if (code != DIAG_NONE) {
        buf_printf(out, "%s: %s\n\n%s", name, diag_code_title(code),
                   diag_code_text(code));
        return true;
    }
    check_scan(&ck, in);
    any |= doc_decl(&ck, name, out);
    if (!any && doc_library(&ck, name, out))
        return true;
    const struct builtin *f = builtin_find(name);
    if (f) {
        buf_printf(out, "%s(%s)\n  %s\n  example: %s\n", f->name, f->args,
                   f->doc, f->example);
        any = true;
    }
    any |= doc_command(name, out);
    any |= doc_word(name, out);
    any |= doc_key(constants, N_CONSTANTS, "of the language", name, out);
    any |= doc_key(laws, IN_RESTITUTION,
                   "law of impact, for `restitution` and `law`", name, out);
    any |= doc_key(laws + IN_RESTITUTION, N_LAWS - IN_RESTITUTION,
                   "law of impact, for `law`", name, out);
    any |= joint_kind_doc(name, out);
    if (!any)
        any = doc_keys(&ck, name, out);
    any |= doc_term(name, false, out);
    if (!any)
        any = doc_unit(&ck, name, out);
    if (!any)
        any = doc_term(name, true, out);
    if (any)
        return true;
    struct all_names a = {&ck, NULL, 0, 0};
    names(&ck, gather, &a);
    const char *text = suggest(name, a.v, a.n);
    if (text)
        buf_printf(out, "did you mean `%s`?", text);
    return false;
}

struct unit_each {
    void (*each)(void *ctx, const char *kind, const char *name);
    void *ctx;
};
static void
give_unit(void *ctx, const char *name, const char *doc)
{
    struct unit_each *u = ctx;
    (void)doc;
    u->each(u->ctx, "unit", name);
}
static void
give_keys(const struct keydef *k, size_t count, const char *kind,
          void (*each)(void *ctx, const char *kind, const char *name),
          void *ctx)
{
    for (size_t i = 0; i < count; i++)
        each(ctx, kind, k[i].name);
}

/* Gives the names of the coordinates, lets, points and contacts of a system. */
static void
give_parts(const struct ast_item *it,
           void (*each)(void *ctx, const char *kind, const char *name),
           void *ctx)
{
    for (size_t i = 0; i < it->n_block; i++) {
        const struct ast_item *item = it->block[i];
        for (size_t k = 0; item->kind == AST_COORDINATE && k < item->n_names;
             k++)
            each(ctx, "coordinate", item->names[k].text);
        if (is_observer(item))
            give_parts(item, each, ctx);
        if (item->kind == AST_CONTACT && item->name.text)
            each(ctx, "contact", item->name.text);
        if ((item->kind == AST_LET || item->kind == AST_POINT) &&
            item->name.text)
            each(ctx, "name", item->name.text);
    }
}

static struct decl *
system_called(struct check *ck, const char *name)
{
    for (struct module *module = ck->modules.first; module;
         module = module->next)
        for (struct decl *decl = module->first; decl; decl = decl->next)
            if (decl->kind == DECL_SYSTEM && !strcmp(decl->name, name))
                return decl;
    return NULL;
}

void
check_parts(const struct check_input *in, const char *system,
            void (*each)(void *ctx, const char *kind, const char *name),
            void *ctx)
{
    assert(in && system && each);
    struct check ck;
    check_scan(&ck, in);
    struct decl *decl = system_called(&ck, system);
    /* one pattern stands for another one, at most so often */
    for (int depth = 0; decl && depth < 16; depth++) {
        const struct ast_expr *head = decl->item->head1;
        give_parts(decl->item, each, ctx);
        if (head && head->kind == AST_CALL)
            head = head->a;
        decl = head && (head->kind == AST_NAME || head->kind == AST_FIELD)
                   ? system_called(&ck, head->name.text)
                   : NULL;
    }
}

static void
names(struct check *ck,
      void (*each)(void *ctx, const char *kind, const char *name), void *ctx)
{
    const struct builtin *function;
    const struct command_row *command;
    const struct option_row *option;
    const struct field_row *field;
    for (struct module *module = ck->modules.first; module;
         module = module->next) {
        if (module->library)
            each(ctx, "name", module->name);
        for (struct decl *decl = module->first; decl; decl = decl->next)
            each(ctx, decl_kind_name(decl->kind), decl->name);
    }
    for (size_t i = 0; (function = builtin_get(i)); i++)
        each(ctx, "function", function->name);
    for (int i = 0; (command = command_row((enum imp_command_id)i)); i++)
        if (command->available)
            each(ctx, "command", command->name);
    for (size_t i = 0; i < N_WORDS; i++)
        if (words[i].word[0] != '\'')
            each(ctx, "keyword", words[i].word);
    give_keys(constants, N_CONSTANTS, "name", each, ctx);
    give_keys(laws, IN_RESTITUTION, "function", each, ctx);
    give_keys(laws + IN_RESTITUTION, N_LAWS - IN_RESTITUTION, "name", each,
              ctx);
    for (size_t i = 0; joint_kind_name(i); i++)
        each(ctx, "kind of joint", joint_kind_name(i));
    give_keys(body_keys, n_body_keys, "body {", each, ctx);
    give_keys(contact_keys, n_contact_keys, "contact {", each, ctx);
    give_keys(all_contacts_keys, n_all_contacts_keys, "contacts {", each, ctx);
    give_keys(joint_keys, n_joint_keys, "joint {", each, ctx);
    give_keys(rotor_keys, n_rotor_keys, "rotor {", each, ctx);
    give_keys(world_keys, n_world_keys, "world {", each, ctx);
    give_keys(shape_keys, n_shape_keys, "shape {", each, ctx);
    give_keys(system_keys, n_system_keys, "system {", each, ctx);
    give_keys(system_blocks, N_SYSTEM_BLOCKS - 1, "system {", each, ctx);
    give_keys(system_contact_keys, n_system_contact_keys, "contact {", each,
              ctx);
    give_keys(body_values, n_body_values, "body .", each, ctx);
    give_keys(contact_values, n_contact_values, "contact .", each, ctx);
    give_keys(joint_values, n_joint_values, "joint .", each, ctx);
    give_keys(rotor_values, n_rotor_values, "rotor .", each, ctx);
    give_keys(system_values, n_system_values, "system .", each, ctx);
    for (int i = 0; (option = option_row((enum imp_option_id)i)); i++) {
        char kind[32];
        snprintf(kind, sizeof kind, "%s {", option->command);
        each(ctx, kind, option->key);
    }
    for (size_t i = 0; (field = field_row(i)); i++)
        each(ctx, "field", field->name);
    struct unit_each u = {each, ctx};
    unit_names(give_unit, &u);
}

void
check_names(const struct check_input *in,
            void (*each)(void *ctx, const char *kind, const char *name),
            void *ctx)
{
    assert(in);
    struct check ck;
    check_scan(&ck, in);
    names(&ck, each, ctx);
}

void
check_terms(void (*each)(void *ctx, const char *kind, const char *name),
            void *ctx)
{
    for (int i = 0; i < N_TERMS; i++)
        each(ctx, "term", terms[i].name);
}
