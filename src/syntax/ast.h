/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The syntax tree. Every node has its source range. Lists are arrays in the
 * tree's arena. Names are interned (pointer equality within one session). */
#ifndef IMP_SYNTAX_AST_H
#define IMP_SYNTAX_AST_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/range.h"

struct ast_expr;
struct ast_item;

struct ast_name {
    const char *text; /* interned */
    imp_range range;
};

/* kinds of expressions */
#define AST_EXPRS(X)                                                           \
    X(NUM)    /* num; unit; op_range: the literal alone */                     \
    X(TEXT)   /* text */                                                       \
    X(NAME)   /* name */                                                       \
    X(FIELD)  /* a . name */                                                   \
    X(INDEX)  /* a [ list ] */                                                 \
    X(PRIME)  /* a ' */                                                        \
    X(CALL)   /* a ( args ) */                                                 \
    X(NEG)    /* - a */                                                        \
    X(NOT)    /* not a */                                                      \
    X(BINARY) /* a op b */                                                     \
    X(IF)     /* if a then b else c */                                         \
    X(PAREN)  /* ( a ) unit: kept, for the unit and for messages */            \
    X(TUPLE)  /* ( list ) unit; at least two */                                \
    X(MATRIX) /* [ rows ] unit: list holds rows*cols entries row-major */      \
    X(RANGE)  /* a .. b */                                                     \
    X(OVER)   /* ( name in e, ... ): args with in = true */                    \
    X(TRUTH)  /* true, false: num is 1 or 0 */

enum ast_expr_kind {
#define X(k) AST_##k,
    AST_EXPRS(X)
#undef X
        AST_EXPR_KINDS
};
enum ast_binary {
    AST_ADD,
    AST_SUB,
    AST_MUL,
    AST_DIV,
    AST_POW,
    AST_LT,
    AST_LE,
    AST_GT,
    AST_GE,
    AST_EQ,
    AST_NE,
    AST_AND,
    AST_OR
};
struct ast_arg {          /* e | name = e | name in e */
    struct ast_name name; /* text NULL if positional */
    bool in;
    struct ast_expr *value;
};
struct ast_expr {
    enum ast_expr_kind kind;
    imp_range range;
    enum ast_binary op;
    imp_range op_range;
    double num;
    struct ast_name name; /* NAME, FIELD */
    const char *text;     /* TEXT: unescaped */
    struct ast_expr *a, *b, *c;
    struct ast_expr **list; /* TUPLE, MATRIX, INDEX */
    size_t n_list;
    size_t cols; /* MATRIX */
    struct ast_arg *args;
    size_t n_args;
    /* [unit] after a literal, bracket, tuple or matrix; names in it are
     * units. NULL if none */
    struct ast_expr *unit;
    bool refused;   /* while it was parsed, with a message: it fits anywhere */
    uint32_t depth; /* of the tree below, itself counted: at most 1000, so
                       that consumers may recurse */
};

/* kinds of items */
#define AST_ITEMS(X)                                                           \
    X(USE)        /* use name | use "file": name or text */                    \
    X(PARAM)      /* param name [: dim] = e [in [lo, hi]] */                   \
    X(LET)        /* let name = e | let name = command */                      \
    X(FN)         /* fn name(params) = e */                                    \
    X(LAW)        /* law name(params) = e, of impacts */                       \
    X(SHAPE)      /* shape name(params) = e { block } */                       \
    X(BODY)       /* body name [: call] { block } */                           \
    X(SYSTEM)     /* system name(params) { } | system name : call { } */       \
    X(JOINT)      /* joint name : call { } */                                  \
    X(ROTOR)      /* rotor name : call { } */                                  \
    X(CONTACT)    /* contact name : a | b { } ; contact name [i in a..b] {} */ \
    X(POINT)      /* point name . name = e */                                  \
    X(COORDINATE) /* coordinate names */                                       \
    X(DATA)       /* data name = "file" { block } */                           \
    X(COLUMN)     /* column name [: unit] = "header", in blocks of data */     \
    X(KEY)        /* key = value, in blocks; primes are in the name: "h'" */   \
    X(KEYS)       /* name [i in a..b] = value, in draw: one key per index */   \
    X(BLOCK)      /* word { } : world, start, observer, draw */                      \
    X(COMMAND)    /* classify ..., show ..., expect ... */

enum ast_item_kind {
#define X(k) AST_##k,
    AST_ITEMS(X)
#undef X
        AST_ITEM_KINDS
};
struct ast_formal { /* parameter of fn, shape, system */
    struct ast_name name;
    struct ast_expr *dflt; /* or NULL */
};
struct ast_item {
    enum ast_item_kind kind;
    imp_range range; /* whole item */
    imp_range head;  /* first word */
    const char *doc; /* leading doc string, or NULL */
    imp_range doc_range;
    struct ast_name name;  /* declared name; KEY: the key; COMMAND: the word;
                              BLOCK: the word; POINT: the first name */
    struct ast_name name2; /* POINT: the second name; COMMAND: the
                              command that `compare` is asked of; BLOCK
                              contacts: `between` where it is written */
    struct ast_formal *formals;
    size_t n_formals;
    bool has_formals;         /* "(...)" was written */
    struct ast_expr *dim;     /* PARAM, COLUMN: after ':' (a unit expression) */
    struct ast_expr *to;      /* COMMAND: fit f to d */
    struct ast_expr *value;   /* PARAM LET FN LAW SHAPE POINT KEY KEYS COLUMN; USE,
                                 DATA: "file" */
    struct ast_item *command; /* LET, KEY: value is a command; COMMAND: the
                                 key `over x` before its block */
    struct ast_expr *lo, *hi; /* PARAM range */
    struct ast_expr *head1;   /* BODY SYSTEM JOINT ROTOR CONTACT: after ':' */
    struct ast_expr *head2;   /* CONTACT: after '|' */
    struct ast_name index;    /* BODY, CONTACT, POINT, KEYS: i, with lo .. hi */
    struct ast_name *names;   /* COORDINATE */
    size_t n_names;
    struct ast_expr **args; /* COMMAND; BLOCK contacts: bodies */
    size_t n_args;
    bool has_block;
    imp_range block_range;   /* { ... } */
    struct ast_item **block; /* nested items */
    size_t n_block;
};

struct ast_file {
    uint32_t file; /* number in sources */
    struct ast_item **items;
    size_t n_items;
};

const char *ast_expr_kind_name(enum ast_expr_kind k);
const char *ast_item_kind_name(enum ast_item_kind k);
/* Do two blocks of one word name the same bodies, or none? */
bool ast_same_block(const struct ast_item *one, const struct ast_item *two);

#endif
