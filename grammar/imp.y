/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grammar of Imp. One pure push parser serves files, the REPL (is this text
 * complete?) and completion (what may follow?): src/syntax/parse.c pushes.
 *
 * - Blocks need no separators and line breaks are blanks, so every item must be
 *   told from the operand before it by one token; that is why values are never
 *   put side by side, and why command words are told from names by the token
 *   filter (src/syntax/filter.c), as CMD or NAME.
 * - A unit has a grammar of its own: its names are units.
 * - After an error the driver pushes SYNC where the next item begins; nothing
 *   else is accepted after `error`.
 * - Syntax-error sentences: grammar/sentences.def. */
%code requires {
#include "syntax/syntax_priv.h"
}
%code {
#include <stdlib.h>
/* memory of the parser's stacks: NULL is reported by bison as status 2 */
#define YYMALLOC mem_try
#define YYFREE free
/* one operand on the right of an operator takes two or three places of the
 * stack: enough for MAX_NESTING brackets with several operators in each */
#define YYINITDEPTH 200
#define YYMAXDEPTH 20000
#define YYLLOC_DEFAULT(cur, rhs, n)                                     \
    do {                                                                \
        if (n) {                                                        \
            (cur).file = YYRHSLOC(rhs, 1).file;                         \
            (cur).lo = YYRHSLOC(rhs, 1).lo;                             \
            (cur).hi = YYRHSLOC(rhs, n).hi;                             \
        } else {                                                        \
            (cur) = YYRHSLOC(rhs, 0);                                   \
            (cur).lo = (cur).hi;                                        \
        }                                                               \
    } while (0)
static void end_item(struct parse *p, struct items *l, struct ast_item *it,
                     bool top);
static void imp_yyerror(const imp_range *at, struct parse *p, const char *m);
}

%define api.prefix {imp_yy}
%define api.pure full
%define api.push-pull push
%define api.location.type {imp_range}
%define api.value.type union
%define api.token.prefix {IMP_YY}
%define parse.lac full
%define parse.error custom
%locations
%param {struct parse *p}
%expect 0

%token END 0 "end of file"
/* never from the scanner: what the text is, and where an item begins again */
%token FILE_ "a file" BARE "a line" SYNC "the next item"
/* never in the grammar: what was told as an error; comments (formatter) */
%token BAD "something unreadable" COMMENT "a comment"
%token USE "use" PARAM "param" LET "let" FN "fn" SHAPE "shape" BODY "body"
%token SYSTEM "system" JOINT "joint" CONTACT "contact" POINT "point"
%token COORDINATE "coordinate" CONTACTS "contacts" BETWEEN "between" OVER "over" DATA "data" COLUMN "column" ROTOR "rotor" LAW "law" TO "to" IN "in" AND "and" OR "or" NOT "not" IF "if"
%token THEN "then" ELSE "else" TRUE "true" FALSE "false"
%token EQ "==" NE "!=" LE "<=" GE ">=" LT "<" GT ">" ASSIGN "="
%token PLUS "+" MINUS "-" TIMES "*" SLASH "/" HAT "^" PRIME "'"
%token DOTDOT ".." DOT "." COMMA "," SEMI ";" COLON ":" BAR "|"
%token LPAREN "(" RPAREN ")" LBRACK "[" RBRACK "]" LBRACE "{" RBRACE "}"
%token <double> NUMBER "a number"
%token <const char *> NAME "a name" STRING "a text" CMD "a command"

%nonassoc ".."
%precedence "else"
%left "or"
%left "and"
%precedence "not"
%nonassoc "<" ">" "==" "!=" "<=" ">="
%left "+" "-"
%left "*" "/"
%precedence NEGATION
%right "^"

%type <struct ast_item *> item decl bitem command
%type <struct ast_expr *> e prim ref call dim unit bracket_unit uexpr upow uexp
%type <struct ast_expr *> head
%type <struct ast_name> name
%type <const char *> docs
%type <struct exprs> elist
%type <struct items> bitems block oblock
%type <struct argv> args alist inlist overlist
%type <struct ast_arg> arg inarg overarg
%type <struct formals> params plist
%type <struct ast_formal> par
%type <struct namev> names
%type <struct rows> rows
%type <size_t> primes
%type <struct param_range> range

%code requires {
struct param_range {
    struct ast_expr *lo, *hi, *unit;
};
}

%%

input
    : FILE_
    | FILE_ items
    | BARE
    | BARE items
    | BARE elist
        {
            struct ast_item *it = build_item(p, AST_COMMAND, @2, @2,
                                             (struct ast_name){"show", @2});
            it->args = $elist.v;
            it->n_args = $elist.n;
            items_push(p, &p->items, it);
        }
    ;

items
    : item        { end_item(p, &p->items, $1, true); }
    | items item  { end_item(p, &p->items, $2, true); }
    ;

item
    : "use" name
        { $$ = build_item(p, AST_USE, @$, @1, $2); }
    | "use" STRING
        {
            $$ = build_item(p, AST_USE, @$, @1, (struct ast_name){NULL, @2});
            $$->value = build_text(p, @2, $2);
        }
    | decl
    | docs decl
        { $$ = $2; $$->doc = $1; $$->doc_range = @1; }
    | command
    | name block
        { $$ = build_item(p, AST_BLOCK, @$, @1, $1); build_block(p, $$, $2, @2); }
    /* contacts among these bodies; contacts of one body with another one */
    | CONTACTS "(" elist ")" block
        { $$ = build_contacts(p, @$, @1, $elist, (struct ast_name){0});
          build_block(p, $$, $block, @block); }
    | CONTACTS BETWEEN elist block
        { $$ = build_contacts(p, @$, @1, $elist,
                              (struct ast_name){"between", @2});
          build_block(p, $$, $block, @block); }
    | error SYNC
        { $$ = NULL; yyerrok; }
    ;

docs
    : STRING
    | docs STRING  { $$ = build_docs(p, $1, $2); }
    ;

name: NAME  { $$ = (struct ast_name){$1, @1}; }
    ;

decl
    : "param" name dim "=" e range
        {
            $$ = build_item(p, AST_PARAM, @$, @1, $2);
            $$->dim = $dim;
            $$->value = $e;
            build_param_range(p, $$, $range.lo, $range.hi, $range.unit);
        }
    | "let" name "=" e
        { $$ = build_item(p, AST_LET, @$, @1, $2); $$->value = $e; }
    | "let" name "=" command
        { $$ = build_item(p, AST_LET, @$, @1, $2); $$->command = $4; }
    | "fn" name "(" params ")" "=" e
        {
            $$ = build_item(p, AST_FN, @$, @1, $2);
            build_formals($$, $params);
            $$->value = $e;
        }
    | "law" name "(" params ")" "=" e
        {
            $$ = build_item(p, AST_LAW, @$, @1, $2);
            build_formals($$, $params);
            $$->value = $e;
        }
    | "shape" name "(" params ")" "=" e oblock
        {
            $$ = build_item(p, AST_SHAPE, @$, @1, $2);
            build_formals($$, $params);
            $$->value = $e;
            build_block(p, $$, $oblock, @oblock);
        }
    | "shape" name "=" e oblock
        {
            $$ = build_item(p, AST_SHAPE, @$, @1, $2);
            $$->value = $e;
            build_block(p, $$, $oblock, @oblock);
        }
    | "body" name head block
        {
            $$ = build_item(p, AST_BODY, @$, @1, $2);
            $$->head1 = $head;
            build_block(p, $$, $block, @block);
        }
    | "body" name[b] "[" name[i] "in" e "]" head block
        {
            $$ = build_item(p, AST_BODY, @$, @1, $b);
            build_family(p, $$, $i, $e);
            $$->head1 = $head;
            build_block(p, $$, $block, @block);
        }
    | "system" name "(" params ")" block
        {
            $$ = build_item(p, AST_SYSTEM, @$, @1, $2);
            build_formals($$, $params);
            build_block(p, $$, $block, @block);
        }
    | "system" name "(" params ")" ":" call oblock
        {
            $$ = build_item(p, AST_SYSTEM, @$, @1, $2);
            build_formals($$, $params);
            $$->head1 = $call;
            build_block(p, $$, $oblock, @oblock);
        }
    | "system" name block
        {
            $$ = build_item(p, AST_SYSTEM, @$, @1, $2);
            build_block(p, $$, $block, @block);
        }
    | "system" name ":" call oblock
        {
            $$ = build_item(p, AST_SYSTEM, @$, @1, $2);
            $$->head1 = $call;
            build_block(p, $$, $oblock, @oblock);
        }
    | "joint" name ":" call block
        {
            $$ = build_item(p, AST_JOINT, @$, @1, $2);
            $$->head1 = $call;
            build_block(p, $$, $block, @block);
        }
    | "joint" name[j] "[" name[i] "in" e "]" ":" call block
        {
            $$ = build_item(p, AST_JOINT, @$, @1, $j);
            build_family(p, $$, $i, $e);
            $$->head1 = $call;
            build_block(p, $$, $block, @block);
        }
    /* a wheel within a body */
    | "rotor" name ":" call block
        {
            $$ = build_item(p, AST_ROTOR, @$, @1, $2);
            $$->head1 = $call;
            build_block(p, $$, $block, @block);
        }
    | "contact" name ":" call[one] "|" call[two] oblock
        {
            $$ = build_item(p, AST_CONTACT, @$, @1, $2);
            $$->head1 = $one;
            $$->head2 = $two;
            build_block(p, $$, $oblock, @oblock);
        }
    | "contact" name block
        {
            $$ = build_item(p, AST_CONTACT, @$, @1, $2);
            build_block(p, $$, $block, @block);
        }
    | "contact" name[c] "[" name[i] "in" e "]" block
        {
            $$ = build_item(p, AST_CONTACT, @$, @1, $c);
            build_family(p, $$, $i, $e);
            build_block(p, $$, $block, @block);
        }
    /* a contact of a system: a point of it, and what it touches */
    | "contact" name[c] "[" name[i] "in" e "]" ":" call[one] "|" call[two] oblock
        {
            $$ = build_item(p, AST_CONTACT, @$, @1, $c);
            build_family(p, $$, $i, $e);
            $$->head1 = $one;
            $$->head2 = $two;
            build_block(p, $$, $oblock, @oblock);
        }
    | "point" name[q] "=" e
        {
            $$ = build_item(p, AST_POINT, @$, @1, $q);
            $$->value = $e;
        }
    | "point" name[q] "[" name[i] "in" e[range] "]" "=" e[place]
        {
            $$ = build_item(p, AST_POINT, @$, @1, $q);
            build_family(p, $$, $i, $range);
            $$->value = $place;
        }
    | "point" name[b] "." name[q] "=" e
        {
            $$ = build_item(p, AST_POINT, @$, @1, $b);
            $$->name2 = $q;
            $$->value = $e;
        }
    | "coordinate" names
        {
            $$ = build_item(p, AST_COORDINATE, @$, @1, $2.v[0]);
            $$->names = $2.v;
            $$->n_names = $2.n;
        }
    /* a file of measurements, and the columns that are taken from it */
    | "data" name "=" e oblock
        {
            $$ = build_item(p, AST_DATA, @$, @1, $2);
            $$->value = $e;
            build_block(p, $$, $oblock, @oblock);
        }
    | "column" name dim "=" e
        {
            $$ = build_item(p, AST_COLUMN, @$, @1, $2);
            $$->dim = $dim;
            $$->value = $e;
        }
    | "column" name dim /* the header has this name */
        {
            $$ = build_item(p, AST_COLUMN, @$, @1, $2);
            $$->dim = $dim;
        }
    ;

dim : %empty      { $$ = NULL; }
    | ":" uexpr   { $$ = $2; }
    | ":" "[" uexpr "]" { $$ = $3; }
    ;

range
    : %empty                      { $$ = (struct param_range){0}; }
    | "in" "[" e[lo] "," e[hi] "]" unit
        { $$ = (struct param_range){$lo, $hi, $unit}; }
    ;

head: %empty    { $$ = NULL; }
    | ":" call  { $$ = $2; }
    ;

/* a shape, system, joint kind or body with its arguments */
call: name      { $$ = build_name(p, $1); }
    | call "." name
        {
            $$ = build_unary(p, AST_FIELD, @$, $1);
            $$->name = $3;
        }
    | call "(" args ")"   { $$ = build_args(p, AST_CALL, @$, $1, $3); }
    | call "[" elist "]"
        { $$ = build_list(p, AST_INDEX, @$, $1, $3, NULL); }
    ;

params
    : %empty  { $$ = (struct formals){0}; }
    | plist
    ;

plist
    : par            { $$ = (struct formals){0}; formals_push(p, &$$, $1); }
    | plist "," par  { $$ = $1; formals_push(p, &$$, $3); }
    ;

par : name        { $$ = (struct ast_formal){$1, NULL}; }
    | name "=" e  { $$ = (struct ast_formal){$1, $3}; }
    ;

names
    : name            { $$ = (struct namev){0}; namev_push(p, &$$, $1); }
    | names "," name  { $$ = $1; namev_push(p, &$$, $3); }
    ;

block
    : "{" bitems "}"  { $$ = $2; }
    ;

oblock
    : %empty  { $$ = (struct items){0}; }
    | block
    ;

bitems
    : %empty        { $$ = (struct items){0}; }
    | bitems bitem  { $$ = $1; end_item(p, &$$, $2, false); }
    ;

bitem
    : decl
    | docs decl
        { $$ = $2; $$->doc = $1; $$->doc_range = @1; }
    | name primes "=" e
        {
            $$ = build_item(p, AST_KEY, @$, @1,
                            build_primed(p, $1, $2, @2));
            $$->value = $e;
        }
    | name primes "=" command
        {
            $$ = build_item(p, AST_KEY, @$, @1,
                            build_primed(p, $1, $2, @2));
            $$->command = $command;
        }
    /* of a drawing: one for each index */
    | name[k] "[" name[i] "in" e[range] "]" "=" e[each]
        {
            $$ = build_item(p, AST_KEYS, @$, @1, $k);
            build_family(p, $$, $i, $range);
            $$->value = $each;
        }
    | name block
        { $$ = build_item(p, AST_BLOCK, @$, @1, $1); build_block(p, $$, $2, @2); }
    | error SYNC
        { $$ = NULL; yyerrok; }
    ;

primes
    : %empty      { $$ = 0; }
    | primes "'"  { $$ = $1 + 1; }
    ;

command
    : CMD elist oblock
        {
            $$ = build_item(p, AST_COMMAND, @$, @1, (struct ast_name){$1, @1});
            $$->args = $elist.v;
            $$->n_args = $elist.n;
            build_block(p, $$, $oblock, @oblock);
        }
    | CMD block
        {
            $$ = build_item(p, AST_COMMAND, @$, @1, (struct ast_name){$1, @1});
            build_block(p, $$, $block, @block);
        }
    /* threshold s over gamma in [0, 1] { ... }: as over = (gamma in [0, 1]) in
     * the block */
    | CMD elist "over" overarg oblock
        {
            $$ = build_item(p, AST_COMMAND, @$, @1, (struct ast_name){$1, @1});
            $$->args = $elist.v;
            $$->n_args = $elist.n;
            build_block(p, $$, $oblock, @oblock);
            $$->command = build_over(p, @3, @overarg, $overarg);
        }
    /* minimise f over (a in [0, 1], b in [0, 2]) */
    | CMD elist "over" "(" overlist ")" oblock
        {
            $$ = build_item(p, AST_COMMAND, @$, @1, (struct ast_name){$1, @1});
            $$->args = $elist.v;
            $$->n_args = $elist.n;
            build_block(p, $$, $oblock, @oblock);
            $$->command = build_over_all(p, @3, @overlist, $overlist);
        }
    /* fit f to d over a, fit f to d over (a, b) */
    | CMD elist "to" e "over" overarg oblock
        {
            $$ = build_item(p, AST_COMMAND, @$, @1, (struct ast_name){$1, @1});
            $$->args = $elist.v;
            $$->n_args = $elist.n;
            build_block(p, $$, $oblock, @oblock);
            $$->to = $e;
            $$->command = build_over(p, @5, @overarg, $overarg);
        }
    | CMD elist "to" e "over" "(" overlist ")" oblock
        {
            $$ = build_item(p, AST_COMMAND, @$, @1, (struct ast_name){$1, @1});
            $$->args = $elist.v;
            $$->n_args = $elist.n;
            build_block(p, $$, $oblock, @oblock);
            $$->to = $e;
            $$->command = build_over_all(p, @5, @overlist, $overlist);
        }
    /* a question about a question: compare impact a, b */
    | CMD[outer] CMD[inner] elist oblock
        {
            $$ = build_item(p, AST_COMMAND, @$, @1,
                            (struct ast_name){$outer, @1});
            $$->name2 = (struct ast_name){$inner, @2};
            $$->args = $elist.v;
            $$->n_args = $elist.n;
            build_block(p, $$, $oblock, @oblock);
        }
    ;

elist
    : e            { $$ = (struct exprs){0}; exprs_push(p, &$$, $1); }
    | elist "," e  { $$ = $1; exprs_push(p, &$$, $3); }
    ;

args
    : %empty  { $$ = (struct argv){0}; }
    | alist
    ;

alist
    : arg            { $$ = (struct argv){0}; argv_push(p, &$$, $1); }
    | alist "," arg  { $$ = $1; argv_push(p, &$$, $3); }
    ;

arg : e           { $$ = (struct ast_arg){.value = $1}; }
    | name "=" e  { $$ = (struct ast_arg){.name = $1, .value = $3}; }
    | inarg
    ;

inarg
    : name "in" e
        { $$ = (struct ast_arg){.name = $1, .in = true, .value = $3}; }
    ;

overarg
    : name    { $$ = (struct ast_arg){.name = $1, .in = true}; }
    | inarg
    ;

overlist
    : overarg               { $$ = (struct argv){0}; argv_push(p, &$$, $1); }
    | overlist "," overarg  { $$ = $1; argv_push(p, &$$, $3); }
    ;

inlist
    : inarg             { $$ = (struct argv){0}; argv_push(p, &$$, $1); }
    | inlist "," inarg  { $$ = $1; argv_push(p, &$$, $3); }
    ;

e   : e "+" e    { $$ = build_binary(p, AST_ADD, @2, @$, $1, $3); }
    | e "-" e    { $$ = build_binary(p, AST_SUB, @2, @$, $1, $3); }
    | e "*" e    { $$ = build_binary(p, AST_MUL, @2, @$, $1, $3); }
    | e "/" e    { $$ = build_binary(p, AST_DIV, @2, @$, $1, $3); }
    | e "^" e    { $$ = build_binary(p, AST_POW, @2, @$, $1, $3); }
    | e "<" e    { $$ = build_binary(p, AST_LT, @2, @$, $1, $3); }
    | e ">" e    { $$ = build_binary(p, AST_GT, @2, @$, $1, $3); }
    | e "<=" e   { $$ = build_binary(p, AST_LE, @2, @$, $1, $3); }
    | e ">=" e   { $$ = build_binary(p, AST_GE, @2, @$, $1, $3); }
    | e "==" e   { $$ = build_binary(p, AST_EQ, @2, @$, $1, $3); }
    | e "!=" e   { $$ = build_binary(p, AST_NE, @2, @$, $1, $3); }
    | e "and" e  { $$ = build_binary(p, AST_AND, @2, @$, $1, $3); }
    | e "or" e   { $$ = build_binary(p, AST_OR, @2, @$, $1, $3); }
    | e ".." e
        {
            $$ = build_binary(p, AST_ADD, @2, @$, $1, $3);
            $$->kind = AST_RANGE;
        }
    | "-" e %prec NEGATION  { $$ = build_unary(p, AST_NEG, @$, $2); }
    | "not" e               { $$ = build_unary(p, AST_NOT, @$, $2); }
    | "if" e "then" e "else" e
        { $$ = build_if(p, @$, $2, $4, $6); }
    | prim
    ;

prim
    : NUMBER unit     { $$ = build_num(p, @1, @$, $1, $2); }
    | STRING          { $$ = build_text(p, @1, $1); }
    | "true"
        { $$ = build_expr(p, AST_TRUTH, @$); $$->num = 1.0; }
    | "false"
        { $$ = build_expr(p, AST_TRUTH, @$); }
    | ref
    | "(" e ")" unit
        { $$ = build_unary(p, AST_PAREN, @$, $2); $$->unit = $4; }
    | "(" e "," elist ")" unit
        {
            struct exprs all = {0};
            exprs_push(p, &all, $2);
            for (size_t i = 0; i < $elist.n; i++)
                exprs_push(p, &all, $elist.v[i]);
            $$ = build_list(p, AST_TUPLE, @$, NULL, all, $unit);
        }
    | "(" inlist ")"
        { $$ = build_args(p, AST_OVER, @$, NULL, $2); }
    | "[" rows "]" unit
        { $$ = build_matrix(p, @$, $2, $4); }
    ;

ref : name        { $$ = build_name(p, $1); }
    | ref "." name
        { $$ = build_unary(p, AST_FIELD, @$, $1); $$->name = $3; }
    | ref "'"             { $$ = build_unary(p, AST_PRIME, @$, $1); }
    | "(" e ")" "'"
        {
            struct ast_expr *a = build_unary(p, AST_PAREN, @1, $2);
            a->range.hi = @3.hi;
            $$ = build_unary(p, AST_PRIME, @$, a);
        }
    | ref "(" args ")"    { $$ = build_args(p, AST_CALL, @$, $1, $3); }
    | ref "[" elist "]"
        { $$ = build_list(p, AST_INDEX, @$, $1, $3, NULL); }
    ;

rows: elist
        { $$ = (struct rows){0}; rows_push(p, &$$, $1, @1); }
    | rows ";" elist
        { $$ = $1; rows_push(p, &$$, $3, @3); }
    ;

unit: %empty        { $$ = NULL; }
    | bracket_unit
    ;

bracket_unit
    : "[" uexpr "]"  { $$ = $2; }
    ;

uexpr
    : upow
    | uexpr "*" upow  { $$ = build_binary(p, AST_MUL, @2, @$, $1, $3); }
    | uexpr "/" upow  { $$ = build_binary(p, AST_DIV, @2, @$, $1, $3); }
    ;

upow: name           { $$ = build_name(p, $1); }
    | NUMBER         { $$ = build_num(p, @1, @1, $1, NULL); }
    | "(" uexpr ")"  { $$ = build_unary(p, AST_PAREN, @$, $2); }
    | name "^" uexp
        { $$ = build_binary(p, AST_POW, @2, @$, build_name(p, $1), $3); }
    | "(" uexpr ")" "^" uexp
        {
            struct ast_expr *a = build_unary(p, AST_PAREN, @1, $2);
            a->range.hi = @3.hi;
            $$ = build_binary(p, AST_POW, @4, @$, a, $5);
        }
    ;

uexp: NUMBER        { $$ = build_num(p, @1, @1, $1, NULL); }
    | "-" NUMBER
        {
            $$ = build_unary(p, AST_NEG, @$,
                             build_num(p, @2, @2, $2, NULL));
        }
    | "(" NUMBER ")"
        {
            $$ = build_unary(p, AST_PAREN, @$,
                             build_num(p, @2, @2, $2, NULL));
        }
    | "(" "-" NUMBER ")"
        {
            struct ast_expr *n = build_num(p, @3, @3, $3, NULL);
            imp_range r = @2;
            r.hi = @3.hi;
            $$ = build_unary(p, AST_PAREN, @$, build_unary(p, AST_NEG, r, n));
        }
    | "(" NUMBER[a] "/" NUMBER[b] ")"
        {
            imp_range r = @a;
            r.hi = @b.hi;
            $$ = build_unary(p, AST_PAREN, @$,
                     build_binary(p, AST_DIV, @3, r,
                                  build_num(p, @a, @a, $a, NULL),
                                  build_num(p, @b, @b, $b, NULL)));
        }
    | "(" "-" NUMBER[a] "/" NUMBER[b] ")"
        {
            imp_range n = @2, r = @2;
            n.hi = @a.hi;
            r.hi = @b.hi;
            struct ast_expr *a = build_unary(
                p, AST_NEG, n, build_num(p, @a, @a, $a, NULL));
            $$ = build_unary(p, AST_PAREN, @$,
                     build_binary(p, AST_DIV, @4, r, a,
                                  build_num(p, @b, @b, $b, NULL)));
        }
    ;

%%

/* "memory exhausted" is told by the driver, from the status */
static void
imp_yyerror(const imp_range *at, struct parse *p, const char *m)
{
    (void)at;
    (void)p;
    (void)m;
}

/* an item is complete (NULL: it was in error) */
static void
end_item(struct parse *p, struct items *l, struct ast_item *it, bool top)
{
    if (it)
        items_push(p, l, it);
    if (top)
        p->item_tokens = 0;
    p->head.kind = IMP_YYEND;
}

static int
token_of_symbol(yysymbol_kind_t k)
{
    /* yytranslate the other way; small and only used after errors */
    for (int t = 0; t <= YYMAXUTOK; t++)
        if (YYTRANSLATE(t) == k && (t == 0 || t > 257))
            return t;
    return -1;
}

static int
yyreport_syntax_error(const yypcontext_t *ctx, struct parse *p)
{
    yysymbol_kind_t kinds[YYNTOKENS];
    int tokens[YYNTOKENS];
    int n = yypcontext_expected_tokens(ctx, kinds, YYNTOKENS);
    if (n < 0)
        return n;
    for (int i = 0; i < n; i++)
        tokens[i] = token_of_symbol(kinds[i]);
    sentence_report(p, tokens, n);
    return 0;
}

int
imp_parser_expected(yypstate *ps, int *tokens, int most)
{
    yysymbol_kind_t kinds[YYNTOKENS];
    int n = yypstate_expected_tokens(ps, kinds, YYNTOKENS);
    for (int i = 0; i < n && i < most; i++)
        tokens[i] = token_of_symbol(kinds[i]);
    return n < most ? n : most;
}

/* after status 2: was it the stack's limit rather than the memory? */
bool
imp_parser_is_deep(const yypstate *ps)
{
    return ps->yystacksize >= YYMAXDEPTH;
}
