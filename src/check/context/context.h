/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all rooms of the checker share: values, declarations, modules, and
 * struct check, which lives for one call of check_model.
 *
 * A wrong expression has the value VALUE_POISON, which every operation passes
 * on in silence, so one mistake gives one diagnostic. */
#ifndef IMP_CHECK_CONTEXT_CONTEXT_H
#define IMP_CHECK_CONTEXT_CONTEXT_H

#include <string.h>

#include "base/arena.h"
#include "check/context/check_input.h"
#include "check/context/typed_model.h"

/* growable arrays in the check's arena (an allocation may longjmp) */
#define APUSH(ck, vec, ...)                                                    \
    do {                                                                       \
        if ((vec)->n == (vec)->cap) {                                          \
            size_t cap_ = (vec)->cap ? 2 * (vec)->cap : 8;                     \
            void *v_ = arena_alloc((ck)->arena, cap_ * sizeof *(vec)->v);      \
            if ((vec)->n)                                                      \
                memcpy(v_, (vec)->v, (vec)->n * sizeof *(vec)->v);             \
            (vec)->v = v_;                                                     \
            (vec)->cap = cap_;                                                 \
        }                                                                      \
        (vec)->v[(vec)->n++] = (__VA_ARGS__);                                  \
    } while (0)

/* -- values --------------------------------------------------------------- */

enum value_kind {
    VALUE_POISON, /* an error has been reported */
    VALUE_ANY, /* formal of a definition checked by itself: only dim is known */
    VALUE_NUM, /* rows x cols numbers of one dimension, or of their own (dims)
                */
    VALUE_TRUTH, /* one node, 0 or 1 */
    VALUE_TEXT,
    VALUE_LIST,    /* numbers of one dimension: range, linspace */
    VALUE_BODY,    /* ref */
    VALUE_CONTACT, /* ref */
    VALUE_SYSTEM,  /* ref */
    VALUE_ROTOR,   /* ref */
    VALUE_FAMILY, /* contacts of a system: ref: the first, rows: how many, cols:
                 index of the first; field: 1: bodies */
    VALUE_RESULT, /* ref: command */
    VALUE_FIELD,  /* ref: command, field: of a kind that is no number */
    VALUE_COLUMN, /* a list whose length is known in a run alone: e are its
                     entry, `rows` numbers, a formula of cells of lists; ref: a
                     list of the same length */
    VALUE_TABLE,  /* ref: table */
    VALUE_WORDS /* texts of data or of a record: as COLUMN, of numbers of words;
                   table and field: its column there */
};
struct value {
    enum value_kind kind;
    uint32_t rows, cols;
    const expr **e;
    const struct dim *dim;
    bool bare; /* made of bare literals: as a whole of any dimension */
    /* entries with dimensions of their own (mixed.c), else NULL; then `dim`
     * means nothing. An entry NULL: an exact 0, of any dimension */
    const struct dim **dims;
    /* series(): entry k has this dimension over s^k; the whole is pure */
    const struct dim *series;
    bool truth; /* COLUMN: its entries are truth values */
    bool of_all; /* NUM: a row for each member of a family, which may have one
                    alone: a list, also of one number */
    uint32_t ref, field;
    uint32_t table; /* WORDS */
    const char *text;
    imp_range range;
};

/* -- names ---------------------------------------------------------------- */

enum decl_kind {
    DECL_PARAM,
    DECL_LET,
    DECL_RESULT,
    DECL_FN,
    DECL_SHAPE,
    DECL_BODY,
    DECL_CONTACT,
    DECL_JOINT,
    DECL_ROTOR,
    DECL_SYSTEM, /* index: UINT32_MAX for one with arguments, a pattern */
    DECL_DATA,
    DECL_OTHER /* not available in this build */
};
struct module;
struct decl {
    enum decl_kind kind;
    const char *name;
    imp_range range; /* of the name */
    const struct ast_item *item;
    struct module *module;
    enum { DECL_NEW, DECL_BUSY, DECL_DONE } state;
    bool broken;               /* an error in it has been reported */
    struct value val;          /* PARAM, LET */
    uint32_t index;            /* PARAM, BODY, CONTACT, RESULT: in the model;
                                  UINT32_MAX: not there (yet) */
    uint32_t count;            /* BODY, a family: how many; index: the first */
    int lo;                    /* its index */
    struct diag *told;         /* PARAM, LET: the first message that says that
                                  it has a dimension which does not fit */
    int likewise;              /* places that this message names besides */
    struct decl *next, *chain; /* in order; in the bucket */
};
struct module_use {
    struct module *module;
    const char *name; /* library name or NULL */
    imp_range range;
};
#define SCOPE_BUCKETS 128 /* of a table that begins to grow */
struct module {
    const char *name; /* "shapes" for libraries, else the file's name */
    const char *path; /* canonical path; NULL for a library */
    const char *root; /* the model's folder, of files that it uses; or NULL */
    bool library, loading;
    bool reserved;       /* declares t, pi or tau, as has been reported */
    imp_range use_range; /* of the `use` that loads it now */
    struct decl *first, *last;
    struct decl **buckets;     /* a hash table of names ... */
    size_t n_buckets, n_decls; /* ... of at most one name per bucket */
    struct {
        struct module_use *v;
        size_t n, cap;
    } uses;
    struct {
        const struct ast_item **v;
        size_t n, cap;
    } others; /* world ... */
    struct {
        const char **v;
        size_t n, cap;
    } missing; /* libraries that it should use, as was told */
    struct {
        const char **v;
        size_t n, cap;
    } unknown; /* names that it does not have, as was told */
    struct module *next;
};
/* local names: formals of an expansion */
struct env {
    const struct env *up;
    struct module *module;
    const char **names;
    struct value *vals;
    size_t n, n_later; /* names behind the n are declared further below */
    bool coords;       /* x, y, z are the coordinates of a shape */
    bool system;       /* inside a system: `'` is taken on the graph */
    enum env_part {
        PART_NONE,
        PART_EQUATION, /* of an observer: accelerations may stand here */
        PART_JUMP,     /* of an observer: before, after, jump */
        PART_START     /* random */
    } part;
    bool calm;         /* commands: results may be read */
    uint32_t question; /* 1 + a command: fields of its record are names */
};

struct seen {
    enum diag_code code;
    imp_range range;
    struct seen *next;
};
/* an open expansion or evaluation, for cycles */
struct frame {
    struct decl *decl;
    imp_range call;
    struct frame *up;
};

/* How far the checker has come: what may be asked for by its number. */
struct check_progress {
    bool placed;      /* bodies and contacts */
    bool joined;      /* joints */
    bool gaps;        /* gaps of systems */
    bool along;       /* within sup, inf, integral and first */
    uint32_t command; /* the number of the command that is being checked */
};
/* All modules, and the names of the main one. */
struct check_modules {
    struct module *main, *first, *last;
    struct env top; /* of the main module */
};
/* Expansions of functions and lets that are under way, and their limits. */
struct check_expansion {
    struct frame *frames;
    unsigned depth; /* of recursion */
    uint64_t steps; /* inside expansions, against blow-up */
    uint32_t open;  /* expansions under way */
    bool spent;     /* the limit has been reported */
};
/* The lists of the typed model while they grow. */
struct check_lists {
    struct {
        struct tm_param *v;
        size_t n, cap;
    } params;
    struct {
        struct tm_body *v;
        size_t n, cap;
    } bodies;
    struct {
        struct tm_contact *v;
        size_t n, cap;
    } contacts;
    struct {
        struct tm_joint *v;
        size_t n, cap;
    } joints;
    struct {
        struct tm_rotor *v;
        size_t n, cap;
    } rotors;
    struct {
        struct tm_coordinate *v;
        size_t n, cap;
    } coordinates;
    struct {
        struct tm_draw *v;
        size_t n, cap;
        size_t from; /* the first one of the body that is checked; of systems 0 */
    } draws;
    struct {
        struct tm_system *v;
        size_t n, cap;
    } systems;
    struct {
        struct tm_command *v;
        size_t n, cap;
    } commands;
    struct {
        struct tm_slot *v;
        size_t n, cap;
    } slots;
    struct {
        struct tm_series *v;
        size_t n, cap;
    } series;
    struct {
        struct tm_list *v;
        size_t n, cap;
    } lists;
    struct {
        struct tm_table *v;
        size_t n, cap;
    } tables;
};
/* What the checker alone knows of the entries of these lists, and what is left
 * to do for them. */
struct check_notes {
    struct {
        struct decl **v;
        size_t n, cap;
    } param_decls;
    struct {
        struct decl **v;
        size_t n, cap;
    } body_decls;
    struct {
        const struct dim **v;
        size_t n, cap;
    } coordinate_dims;
    struct {
        struct system_work *v;
        size_t n, cap;
    } systems; /* system.c */
    struct {
        struct record *v;
        size_t n, cap;
    } records; /* per command */
    struct {
        const struct dim ***v; /* per table, dimensions of its columns */
        size_t n, cap;
    } tables;
    struct {
        struct pending *v;
        size_t n, cap;
    } units;
    struct body_work *bodies; /* body.c */
    const struct env *formulas; /* names in the system that is checked now */
    const expr **zeros;       /* check_zeros */
    struct intern *texts;     /* check_text_once */
};

struct check {
    const struct check_input *in;
    struct arena *arena;
    struct graph *g;
    struct dims *dims;
    struct diags *ds;
    struct seen *seen[64];    /* diagnostics that have been reported */
    struct {
        struct label **v;
        uint32_t n, cap;
    } label; /* expr_label, by the place of its text */
    struct tm_model *m;
    struct check_progress progress;
    struct check_modules modules;
    struct check_expansion expansion;
    struct check_lists lists;
    struct check_notes notes;
};
/* a unit's text that is written when all dimensions are known */
struct pending {
    const char **unit;
    const struct dim *dim;
    const struct dim **dims; /* n of them: one unit each (abi/image.h) */
    size_t n;
};
struct body_work;
/* what simulate recorded, to find plotted expressions again */
struct record_dim { /* of a column: one, or one per entry */
    const struct dim *all, **own;
    size_t n;
    uint32_t member;  /* of a matrix of a family: entries of each member; or 0 */
    uint32_t of_each; /* the same of all that is of a family */
    int32_t first;    /* index of the first member */
};
struct record {
    const struct tm_val *columns;
    const struct record_dim *dims; /* of each column */
    size_t n;
    bool broken;
};

/* diagnostics; the same code at the same range is reported once (a definition
 * is checked by itself and at each use). Never NULL. */
struct diag *check_error(struct check *ck, enum diag_code code, imp_range range,
                         const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#define CHECK_NOTE(ck, d, ...) diag_note((ck)->ds, (d), __VA_ARGS__)
#define CHECK_HELP(ck, d, ...) diag_help((ck)->ds, (d), __VA_ARGS__)
#define CHECK_LABEL(ck, d, ...) diag_label((ck)->ds, (d), __VA_ARGS__)
/* the range to blame for a dimension: of the user's text that calls the
 * library, where r stands in a library */
imp_range check_user_range(struct check *ck, imp_range range);
/* E0901: "`what` is not available yet", with what can be done instead */
void check_unavailable(struct check *ck, imp_range range, const char *what,
                       const char *instead);
/* help from the nearest candidate; false if none is near */
bool check_suggest(struct check *ck, struct diag *diag, imp_range range,
                   const char *word, const char *const *names, size_t count);
/* the same of a key that its block does not have; a key of another block is told
 * before one that is only written nearly like this */
bool check_suggest_key(struct check *ck, struct diag *diag, imp_range range,
                       const char *word, const char *const *names,
                       size_t count);
/* help: the contacts of the model, or how one is declared */
void check_help_contacts(struct check *ck, struct diag *diag);
/* "a, b and c" */
const char *check_join(struct check *ck, const char *const *names, size_t count,
                       const char *word);
/* A text that says what something is, the same for all members of a family;
 * equal ones stand once. */
const char *check_text_once(struct check *ck, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* source text of an expression on one line */
const char *expr_label(struct check *ck, const struct ast_expr *node);

/* -- declarations.c, modules.c, lookup.c --------------------------------- */

/* reads all files of the input and what they use */
void scope_load(struct check *ck);
/* The bytes of the file of data that `it` (AST_DATA) names, in the check's
 * arena, and its path; NULL after an error. */
char *scope_read_data(struct check *ck, struct module *module,
                      const struct ast_item *it, const char **path,
                      size_t *size);
/* all libraries, also those not in use (documentation) */
void scope_libraries(struct check *ck);
struct stdlib_file;
/* the module of a file of the standard library, read when first asked for */
struct module *scope_stdlib(struct check *ck, const struct stdlib_file *lib);
enum want { WANT_VALUE, WANT_CALL, WANT_SYSTEM, WANT_ANY };
/* makes a result of an earlier turn (REPL) known */
void scope_prior(struct check *ck, const char *name, uint32_t command);
/* the declaration a name means in a module, or NULL. *reported: an error
 * (ambiguity) has been given. */
struct decl *scope_find(struct check *ck, struct module *module,
                        const char *name, enum want want, imp_range range,
                        bool *reported);
/* a name in a used library: shapes.ellipse */
struct module *scope_library(struct module *module, const char *name);
/* the declaration of this name in this file alone, or NULL */
struct decl *scope_own(struct module *module, const char *name);
/* What stands for a function that other languages have, or NULL. */
const char *foreign_function(const char *name);
/* What stands here for a value that other languages give this name, or NULL. */
const char *value_elsewhere(const char *name);
/* E0101/E0102 with suggestions; extra: other words that could stand there */
void scope_unknown(struct check *ck, const struct env *env, const char *name,
                   imp_range range, enum want want);
/* the declaration LIB.NAME, or NULL after a diagnostic; node: AST_FIELD of
 * a name */
struct decl *scope_member(struct check *ck, struct module *module,
                          const struct ast_expr *node, enum want want);
const char *decl_kind_name(enum decl_kind k);
bool name_is_reserved(const char *name);
/* adds a declaration to its module, behind the ones before */
void decl_enter(struct check *ck, struct module *module, struct decl *decl);
/* a system with arguments has no value: it gives way to what has one */
bool decl_is_pattern(const struct decl *decl);

/* keys of a block or names behind a dot, with what the documentation says */
struct keydef {
    const char *name, *doc;
};

#endif
