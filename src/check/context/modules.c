/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modules and their declarations. A module is one name space: the model's own
 * files together, each used file, each library. Declarations are order-free. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/source.h"
#include "check/context/builtins.h"
#include "check/context/context.h"
#include "check/context/stdlib.h"
#include "syntax/parse.h"

#define FILE_MAX ((long)64 << 20)  /* bytes of a used file */
#define DATA_MAX ((long)512 << 20) /* and of one of data */

/* -- declarations --------------------------------------------------------- */

static void
declare(struct check *ck, struct module *module, const struct ast_item *it,
        const struct ast_name *name, enum decl_kind kind)
{
    if (!name->text || !*name->text)
        return; /* The parser has reported this. */
    if (name_is_reserved(name->text)) {
        struct diag *diag = check_error(
            ck, DIAG_E0105, name->range, "`%s` cannot be declared: it is %s",
            name->text,
            !strcmp(name->text, "t") ? "time, everywhere" : "a constant");
        CHECK_HELP(ck, diag, "choose another name");
        module->reserved = true;
        return;
    }
    if (kind == DECL_BODY && !strcmp(name->text, "world")) {
        struct diag *diag =
            check_error(ck, DIAG_E0105, name->range,
                        "`world` cannot be a body: joints call so "
                        "what never moves");
        CHECK_HELP(ck, diag, "choose another name, such as `ground`");
        return;
    }
    const struct builtin *builtin = builtin_find(name->text);
    if ((kind == DECL_FN || kind == DECL_SHAPE) && builtin &&
        !builtin->yields) {
        struct diag *diag = check_error(
            ck, DIAG_E0105, name->range,
            "`%s` is a function of the language already", name->text);
        CHECK_HELP(ck, diag, "choose another name for this %s",
                   decl_kind_name(kind));
        return;
    }
    struct decl *old = scope_own(module, name->text);
    if (old && !(ck->in->redefine && module == ck->modules.main)) {
        struct diag *diag = check_error(ck, DIAG_E0103, name->range,
                                        "`%s` is declared twice", name->text);
        CHECK_NOTE(ck, diag, old->range, "first declared here, as a %s",
                   decl_kind_name(old->kind));
        CHECK_HELP(ck, diag, "give one of them another name");
        return;
    }
    /* A body, contact, joint, param or system must be the only one of its name
     * in the whole model. */
    if (kind == DECL_PARAM || kind == DECL_BODY || kind == DECL_CONTACT ||
        kind == DECL_JOINT || kind == DECL_ROTOR ||
        (kind == DECL_SYSTEM && !it->has_formals))
        for (struct module *other = ck->modules.first; other;
             other = other->next) {
            struct decl *param =
                other == module ? NULL : scope_own(other, name->text);
            if (param && param->kind == kind && !decl_is_pattern(param)) {
                struct diag *diag = check_error(
                    ck, DIAG_E0103, name->range, "two files declare a %s `%s`",
                    decl_kind_name(kind), name->text);
                CHECK_NOTE(ck, diag, param->range, "the other one");
                return;
            }
        }
    struct decl *decl = old ? old : NEW(ck->arena, struct decl);
    struct decl *next = decl->next, *chain = decl->chain;
    *decl = (struct decl){.kind = kind,
                          .name = name->text,
                          .range = name->range,
                          .item = it,
                          .module = module,
                          .index = UINT32_MAX,
                          .next = next,
                          .chain = chain};
    if (old)
        return; /* A declaration that is redefined keeps its place in the order.
                 */
    decl_enter(ck, module, decl);
}

void
scope_prior(struct check *ck, const char *name, uint32_t command)
{
    assert(ck && name);
    assert(command < ck->lists.commands.n);
    struct decl *decl = scope_own(ck->modules.main, name);
    if (decl && decl->kind != DECL_RESULT)
        return; /* The name now means something else, which counts. */
    if (!decl) {
        decl = NEW(ck->arena, struct decl);
        decl->kind = DECL_RESULT;
        decl->name = name;
        decl->module = ck->modules.main;
        decl_enter(ck, ck->modules.main, decl);
    }
    decl->index = command;
}

static void load_use(struct check *ck, struct module *module,
                     const struct ast_item *it);

/* E0901: `point b.p = ...` of a body. */
static void
point_of_body(struct check *ck, const struct ast_item *item)
{
    const char *body = item->name.text;
    check_unavailable(
        ck, item->head, "the point of a body",
        arena_printf(ck->arena,
                     "its place is a value: let %s = %s.position + "
                     "%s.axes*((...) [m]); a contact or a joint states it by "
                     "`at`, in world axes at the start",
                     item->name2.text, body, body));
}

static void
collect(struct check *ck, struct module *module, const struct ast_file *f)
{
    for (size_t i = 0; i < f->n_items; i++) {
        const struct ast_item *it = f->items[i];
        switch (it->kind) {
        case AST_USE:
            load_use(ck, module, it);
            break;
        case AST_PARAM:
            declare(ck, module, it, &it->name, DECL_PARAM);
            break;
        case AST_LET:
            declare(ck, module, it, &it->name,
                    it->command ? DECL_RESULT : DECL_LET);
            if (it->command)
                APUSH(ck, &module->others, it);
            break;
        case AST_FN:
        case AST_LAW:
            declare(ck, module, it, &it->name, DECL_FN);
            break;
        case AST_SHAPE:
            declare(ck, module, it, &it->name, DECL_SHAPE);
            break;
        case AST_BODY:
            declare(ck, module, it, &it->name, DECL_BODY);
            break;
        case AST_CONTACT:
            declare(ck, module, it, &it->name, DECL_CONTACT);
            break;
        case AST_SYSTEM:
            declare(ck, module, it, &it->name, DECL_SYSTEM);
            break;
        case AST_JOINT:
            declare(ck, module, it, &it->name, DECL_JOINT);
            break;
        case AST_ROTOR:
            declare(ck, module, it, &it->name, DECL_ROTOR);
            break;
        case AST_DATA:
            declare(ck, module, it, &it->name, DECL_DATA);
            break;
        case AST_COLUMN:
            CHECK_HELP(ck,
                       check_error(ck, DIAG_E0392, it->head,
                                   "a column stands in the block of data"),
                       "data d = \"file.csv\" { column %s = \"%s\" }",
                       it->name.text, it->name.text);
            break;
        case AST_POINT:
            if (it->name2.text)
                point_of_body(ck, it);
            else
                CHECK_HELP(ck,
                           check_error(ck, DIAG_E0361, it->head,
                                       "a point stands in the block of a "
                                       "system"),
                           "system one { coordinate X, Y  point %s = (X, Y) }",
                           it->name.text);
            break;
        case AST_COORDINATE:
            for (size_t k = 0; k < it->n_names; k++)
                declare(ck, module, it, &it->names[k], DECL_OTHER);
            CHECK_HELP(ck,
                       check_error(ck, DIAG_E0303, it->head,
                                   "a coordinate stands in the block of a "
                                   "system"),
                       "system s { coordinate x  kinetic = x'^2/2 }");
            break;
        default:
            APUSH(ck, &module->others, it);
        }
    }
}

/* -- modules -------------------------------------------------------------- */

static struct module *
module_new(struct check *ck, const char *name)
{
    struct module *module = NEW(ck->arena, struct module);
    module->name = name;
    if (ck->modules.last)
        ck->modules.last->next = module;
    else
        ck->modules.first = module;
    ck->modules.last = module;
    return module;
}

static void
add_use(struct check *ck, struct module *module, struct module *used,
        const char *library, imp_range range)
{
    for (size_t i = 0; i < module->uses.n; i++)
        if (module->uses.v[i].module == used)
            return;
    APUSH(ck, &module->uses, (struct module_use){used, library, range});
}

static const char *
canonical(struct check *ck, const char *path)
{
    char *r = realpath(path, NULL);
    if (!r)
        return arena_strdup(ck->arena, path);
    const char *text = arena_strdup(ck->arena, r);
    free(r);
    return text;
}

struct module *
scope_stdlib(struct check *ck, const struct stdlib_file *lib)
{
    assert(ck && lib);
    for (struct module *other = ck->modules.first; other; other = other->next)
        if (other->library && !strcmp(other->name, lib->name))
            return other;
    struct module *lm = module_new(ck, lib->name);
    lm->library = true;
    uint32_t file =
        sources_add(ck->in->sources, arena_printf(ck->arena, "<%s>", lib->name),
                    lib->text, lib->len);
    collect(ck, lm, parse_file(ck->arena, ck->in->names, ck->ds, file, false));
    return lm;
}

void
scope_libraries(struct check *ck)
{
    assert(ck);
    const struct stdlib_file *file;
    for (size_t i = 0; (file = stdlib_get(i)); i++)
        scope_stdlib(ck, file);
}

/* A declaration in a library begins with one of these words, then follows its
 * name. */
static const char *const declared_by[] = {"shape ", "fn ", "system ", NULL};

static void
use_library(struct check *ck, struct module *module, const struct ast_item *it)
{
    const char *name = it->name.text;
    const struct stdlib_file *lib = stdlib_find(name);
    if (!lib) {
        const char *names[32];
        size_t count = 0;
        const struct stdlib_file *file;
        while (count < 32 && (file = stdlib_get(count)))
            names[count++] = file->name;
        struct diag *diag = check_error(ck, DIAG_E0109, it->name.range,
                                        "there is no library `%s`", name);
        const char *holder = stdlib_holder(name, declared_by);
        if (holder) {
            CHECK_HELP(ck, diag, "`%s` is declared in the library `%s`", name,
                       holder);
            diag_fix(ck->ds, diag, it->name.range, holder);
        } else if (!check_suggest(ck, diag, it->name.range, name, names, count))
            CHECK_HELP(
                ck, diag,
                "the libraries are %s; a file of your own is used by its "
                "path: use \"%s.imp\"",
                check_join(ck, names, count, "and"), name);
        return;
    }
    add_use(ck, module, scope_stdlib(ck, lib), name, it->name.range);
}

static char *
read_whole(struct check *ck, const char *path, long most, size_t *size,
           const char **why)
{
    struct stat st;
    *why = "there is no such file, or it may not be read";
    if (stat(path, &st))
        return NULL;
    if (!S_ISREG(st.st_mode)) { /* to open a pipe would wait for its writer */
        *why = "it is not a file";
        return NULL;
    }
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    *why = "it cannot be read";
    if (fstat(fileno(file), &st)) {
        fclose(file);
        return NULL;
    }
    if (st.st_size > most) {
        *why = arena_printf(ck->arena,
                            "it is larger than %ld MB, the most that is read",
                            most >> 20);
        fclose(file);
        return NULL;
    }
    fclose(file); /* An allocation may jump out, so the file must not be open
                     across it. */
    char *text = arena_alloc(ck->arena, (size_t)st.st_size + 1);
    file = fopen(path, "rbe");
    if (!file)
        return NULL;
    *size = fread(text, 1, (size_t)st.st_size, file);
    fclose(file);
    return text;
}

/* The folder below which a module may use files: that of the model. */
static const char *
root_of(struct check *ck, const struct module *module, const struct source *src)
{
    if (module->root)
        return module->root;
    const char *slash = src ? strrchr(src->name, '/') : NULL;
    if (!slash)
        return canonical(ck, ".");
    return canonical(ck, slash == src->name
                             ? "/"
                             : arena_strndup(ck->arena, src->name,
                                             (size_t)(slash - src->name)));
}

/* Does the path lie below the folder? Both are canonical. */
static bool
lies_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    n -= n && folder[n - 1] == '/';
    return !strncmp(path, folder, n) && path[n] == '/';
}

/* A model that comes from elsewhere reads no files of the user's: messages
 * would show their lines. */
static bool
may_read(struct check *ck, const struct module *module,
         const struct source *src, const char *canon)
{
    /* a path that cannot be resolved names no file; that is told elsewhere */
    return canon[0] != '/' || lies_below(canon, root_of(ck, module, src)) ||
           (ck->in->allow_read &&
            lies_below(canon, canonical(ck, ck->in->allow_read)));
}

static void
refuse_outside(struct check *ck, enum diag_code code, const char *doing,
               imp_range range, const char *rel)
{
    struct diag *diag = check_error(
        ck, code, range,
        "cannot %s \"%s\": it does not lie below the folder of the model",
        doing, rel);
    CHECK_HELP(ck, diag,
               "move it there, or say --allow-read=DIR: the folder below which "
               "files may be used as well");
}

/* The path of a file that is named relative to the file that `it` stands in. */
static const char *
path_beside(struct check *ck, const struct ast_item *it, const char *rel,
            const struct source **src)
{
    *src = source_get(ck->in->sources, it->range.file);
    const char *slash = *src ? strrchr((*src)->name, '/') : NULL;
    return rel[0] != '/' && slash
               ? arena_printf(ck->arena, "%.*s/%s", (int)(slash - (*src)->name),
                              (*src)->name, rel)
               : rel;
}

char *
scope_read_data(struct check *ck, struct module *module,
                const struct ast_item *it, const char **path, size_t *size)
{
    assert(ck && module && it && it->value && it->value->text);
    const char *rel = it->value->text, *why;
    const struct source *src;
    *path = path_beside(ck, it, rel, &src);
    if (!may_read(ck, module, src, canonical(ck, *path))) {
        refuse_outside(ck, DIAG_E0390, "read", it->value->range, rel);
        return NULL;
    }
    char *text = read_whole(ck, *path, DATA_MAX, size, &why);
    if (!text)
        CHECK_HELP(ck,
                   check_error(ck, DIAG_E0390, it->value->range,
                               "cannot read \"%s\": %s", rel, why),
                   strstr(why, "larger") ? "take the rows or columns that are "
                                           "needed, or every hundredth row"
                                         : "the path is relative to the file "
                                           "of the model");
    return text;
}

static void
use_file(struct check *ck, struct module *module, const struct ast_item *it)
{
    const char *rel = it->value->text;
    imp_range range = it->value->range;
    const struct source *src;
    const char *path = path_beside(ck, it, rel, &src);
    const char *slash = src ? strrchr(src->name, '/') : NULL;
    const char *canon = canonical(ck, path);
    for (struct module *other = ck->modules.first; other; other = other->next) {
        if (other->library || !other->path || strcmp(other->path, canon))
            continue;
        if (!other->loading) {
            add_use(ck, module, other, NULL, range);
            return;
        }
        struct diag *diag =
            check_error(ck, DIAG_E0110, range,
                        "this `use` comes back to a file that is "
                        "being read: `%s`",
                        rel);
        for (struct module *p = ck->modules.first; p; p = p->next)
            if (p->loading && p != ck->modules.main && p->use_range.file)
                CHECK_NOTE(ck, diag, p->use_range,
                           "on the way here, `%s` is used", p->name);
        CHECK_HELP(ck, diag, "move what both files need into a third one");
        return;
    }
    if (!may_read(ck, module, src, canon)) {
        refuse_outside(ck, DIAG_E0108, "use", range, rel);
        return;
    }
    size_t count = 0;
    const char *why;
    char *text = read_whole(ck, path, FILE_MAX, &count, &why);
    if (!text) {
        struct diag *diag = check_error(ck, DIAG_E0108, range,
                                        "cannot use \"%s\": %s", rel, why);
        if (stdlib_find(rel)) {
            CHECK_HELP(ck, diag, "a library is used without quotes");
            diag_fix(ck->ds, diag, range, rel);
        } else if (slash)
            CHECK_HELP(ck, diag,
                       "the path is relative to the file that says `use`, "
                       "in `%.*s`",
                       (int)(slash - src->name), src->name);
        else
            CHECK_HELP(ck, diag,
                       "the path is relative to the file that says `use`");
        return;
    }
    struct module *used = module_new(ck, path);
    used->path = canon;
    used->root = root_of(ck, module, src);
    used->loading = true;
    used->use_range = range;
    add_use(ck, module, used, NULL, range);
    uint32_t file = sources_add(ck->in->sources, path, text, count);
    collect(ck, used,
            parse_file(ck->arena, ck->in->names, ck->ds, file, false));
    used->loading = false;
    for (size_t i = 0; i < used->others.n; i++) {
        const struct ast_item *item = used->others.v[i];
        if (item->kind == AST_COMMAND || item->kind == AST_LET) {
            struct diag *diag = diag_add(ck->ds, DIAG_W0101, item->head,
                                         "commands of a used file are not run");
            CHECK_NOTE(ck, diag, range, "used here");
            break;
        }
    }
}

static void
load_use(struct check *ck, struct module *module, const struct ast_item *it)
{
    if (it->value && it->value->kind == AST_TEXT)
        use_file(ck, module, it);
    else if (it->name.text)
        use_library(ck, module, it);
}

void
scope_load(struct check *ck)
{
    assert(ck);
    ck->modules.main = module_new(ck, ck->in->model_name);
    ck->modules.main->loading = true;
    if (ck->in->n_files) {
        const struct source *source =
            source_get(ck->in->sources, ck->in->files[0]->file);
        if (source)
            ck->modules.main->path = canonical(ck, source->name);
    }
    for (size_t i = 0; i < ck->in->n_files; i++)
        collect(ck, ck->modules.main, ck->in->files[i]);
    ck->modules.main->loading = false;
    ck->modules.top = (struct env){.module = ck->modules.main, .calm = true};
}
