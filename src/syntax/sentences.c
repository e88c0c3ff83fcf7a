/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Syntax errors in sentences: the first row of grammar/sentences.def that fits,
 * filled in, with a note on the bracket that is open, and with the most useful
 * of the tokens that could have stood there. */
#include <assert.h>
#include <string.h>

#include "base/units.h"
#include "imp_parser.h"
#include "syntax/parse.h"
#include "syntax/syntax_priv.h"

/* classes of tokens in the table; token kinds are not negative */
enum {
    ANY = -1,
    KEYWORD = -2,
    DECLARE = -3,
    COMPARE = -4,
    OPERATOR = -5,
    CLOSER = -6,
    VALUE = -7,
    VALUE_END = -8
};
enum place {
    PLACE_ANY,
    PLACE_TOP,
    PLACE_BLOCK,
    PLACE_PAREN,
    PLACE_BRACKET,
    PLACE_UNIT,
    PLACE_DOC
};

struct row {
    enum diag_code code;
    int head, prev, found;
    enum place where;
    int want;
    const char *message, *help;
};

/* the table's words for tokens: token kinds, classes, places */
#define IMP_YYANY ANY
#define IMP_YYKEYWORD KEYWORD
#define IMP_YYDECLARE DECLARE
#define IMP_YYCOMPARE COMPARE
#define IMP_YYOPERATOR OPERATOR
#define IMP_YYCLOSER CLOSER
#define IMP_YYVALUE VALUE
#define IMP_YYVALUE_END VALUE_END

static const struct row table[] = {
#define SENTENCE(code, head, prev, found, where, want, message, help, ex)      \
    {DIAG_##code,   IMP_YY##head, IMP_YY##prev, IMP_YY##found,                 \
     PLACE_##where, IMP_YY##want, message,      help},
#include "sentences.def"
};

static bool
begins_value(int k)
{
    return k == IMP_YYNAME || k == IMP_YYNUMBER || k == IMP_YYSTRING ||
           k == IMP_YYLPAREN || k == IMP_YYLBRACK || k == IMP_YYTRUE ||
           k == IMP_YYFALSE || k == IMP_YYNOT || k == IMP_YYIF ||
           k == IMP_YYMINUS;
}

static bool
in_class(int kind, int want)
{
    const char *word;
    if (want >= 0)
        return kind == want;
    switch (want) {
    case ANY:
        return true;
    case KEYWORD:
        word = word_spelling(kind);
        return word && word[0] >= 'a' && word[0] <= 'z';
    case DECLARE:
        return kind >= IMP_YYUSE && kind <= IMP_YYCOORDINATE;
    case COMPARE:
        return kind >= IMP_YYEQ && kind <= IMP_YYGT;
    case OPERATOR:
        return (kind >= IMP_YYEQ && kind <= IMP_YYHAT) || kind == IMP_YYCOMMA ||
               kind == IMP_YYDOTDOT || kind == IMP_YYAND || kind == IMP_YYOR;
    case CLOSER:
        return kind == IMP_YYRPAREN || kind == IMP_YYRBRACK ||
               kind == IMP_YYRBRACE;
    case VALUE:
        return begins_value(kind);
    default: /* VALUE_END */
        return kind == IMP_YYNAME || kind == IMP_YYNUMBER ||
               kind == IMP_YYSTRING || kind == IMP_YYRPAREN ||
               kind == IMP_YYRBRACK || kind == IMP_YYTRUE ||
               kind == IMP_YYFALSE || kind == IMP_YYPRIME;
    }
}

static bool
among(const int *v, int n, int kind)
{
    for (int i = 0; i < n; i++)
        if (v[i] == kind)
            return true;
    return false;
}

static bool
wanted(const int *v, int n, int want)
{
    /* a value: a token that only a value can begin with */
    return want == ANY || among(v, n, want == VALUE ? IMP_YYIF : want);
}

/* What is open around the error, as far as a sentence needs it. */
static enum place
place_of(const struct parse *parse, const int *v, int n)
{
    bool number = among(v, n, IMP_YYNUMBER), text = among(v, n, IMP_YYSTRING);
    bool plus = among(v, n, IMP_YYPLUS), times = among(v, n, IMP_YYTIMES);
    char open = parse->n_open ? parse->open[parse->n_open - 1].what : 0;
    if (parse->n_open && open != '{' &&
        ((number && !text) || (times && !plus) ||
         (among(v, n, IMP_YYHAT) && !plus)))
        return PLACE_UNIT;
    if (parse->prev.kind == IMP_YYSTRING && among(v, n, IMP_YYBODY) &&
        !among(v, n, IMP_YYCMD) && !among(v, n, IMP_YYRBRACE) && !plus)
        return PLACE_DOC;
    return !parse->n_open ? PLACE_TOP
           : open == '{'  ? PLACE_BLOCK
           : open == '('  ? PLACE_PAREN
                          : PLACE_BRACKET;
}

/* The token's own text, cut. */
static const char *
spelled(struct parse *parse, const struct token *token)
{
    size_t n = token->range.hi - token->range.lo, k = n > 40 ? 40 : n;
    while (k < n && k > 0 &&
           ((unsigned char)parse->text[token->range.lo + k] & 0xc0) == 0x80)
        k--;
    return arena_printf(parse->arena, "%.*s%s", (int)k,
                        parse->text + token->range.lo, k < n ? "..." : "");
}

/* -- what could stand there ------------------------------------------------ */

enum { LISTED = 4 }; /* longer lists help no reader */
struct list {
    const char *v[LISTED];
    int n;
};

static void
add(struct list *l, const char *what)
{
    if (l->n < LISTED)
        l->v[l->n++] = what;
}

/* "`=`, `:` or a value": brackets and signs first, then classes that stand for
 * many tokens. Owned by the arena. */
static const char *
expected_list(struct parse *parse, const int *kinds, int n_kinds)
{
    struct list list = {.n = 0};
    bool value = among(kinds, n_kinds, IMP_YYIF);
    bool operators =
        among(kinds, n_kinds, IMP_YYPLUS) && among(kinds, n_kinds, IMP_YYHAT);
    bool unit = !value && among(kinds, n_kinds, IMP_YYNUMBER);
    bool declares = among(kinds, n_kinds, IMP_YYBODY);
    static const int signs[] = {IMP_YYASSIGN, IMP_YYCOLON,  IMP_YYBAR,
                                IMP_YYRPAREN, IMP_YYRBRACK, IMP_YYRBRACE,
                                IMP_YYCOMMA,  IMP_YYTHEN,   IMP_YYELSE};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (among(kinds, n_kinds, signs[i]))
            add(&list,
                arena_printf(parse->arena, "`%s`", word_spelling(signs[i])));
    if (value)
        add(&list, "a value");
    if (unit)
        add(&list, "a unit");
    if (operators)
        add(&list, "an operator");
    if (among(kinds, n_kinds, IMP_YYNAME) && !value && !unit)
        add(&list, declares && among(kinds, n_kinds, IMP_YYRBRACE) ? "a key"
                                                                   : "a name");
    if (!operators) {
        static const int opens[] = {IMP_YYLPAREN, IMP_YYLBRACK, IMP_YYLBRACE,
                                    IMP_YYDOT, IMP_YYPRIME};
        for (size_t i = 0; i < sizeof opens / sizeof *opens; i++)
            if (among(kinds, n_kinds, opens[i]) && !(value && i < 2) &&
                !(unit && i < 2))
                add(&list, arena_printf(parse->arena, "`%s`",
                                        word_spelling(opens[i])));
        if (!value && among(kinds, n_kinds, IMP_YYSTRING) && !declares)
            add(&list, "a text");
    }
    if (declares)
        add(&list, "a declaration");
    if (among(kinds, n_kinds, IMP_YYCMD))
        add(&list, "a command");
    const char *out = list.n ? list.v[0] : "the end";
    for (int i = 1; i < list.n; i++)
        out = arena_printf(parse->arena, "%s%s%s", out,
                           i + 1 < list.n ? ", " : " or ", list.v[i]);
    return out;
}

/* -- the report ------------------------------------------------------------ */

/* The text with {found}, {prev}, {head} and {expected} filled in. */
static const char *
fill(struct parse *parse, const char *text, const char *expected)
{
    /* each of these is at most 40 bytes and "..." */
    char *out = arena_alloc(parse->arena, strlen(text) + 5 * 256), *to = out;
    const char *end = out + strlen(text) + 5 * 256;
    for (const char *from = text; *from;) {
        const char *word = NULL;
        bool quoted = to > out && to[-1] == '`';
        if (strncmp(from, "{found}", 7) == 0) {
            word = parse->found.kind == IMP_YYEND ? "the end of the text"
                   : quoted ? spelled(parse, &parse->found)
                            : arena_printf(parse->arena, "`%s`",
                                           spelled(parse, &parse->found));
            from += 7;
        } else if (strncmp(from, "{prev}", 6) == 0) {
            word = spelled(parse, &parse->prev);
            from += 6;
        } else if (strncmp(from, "{head}", 6) == 0) {
            word = spelled(parse, &parse->head);
            from += 6;
        } else if (strncmp(from, "{expected}", 10) == 0) {
            word = expected;
            from += 10;
        } else {
            *to++ = *from++;
            continue;
        }
        size_t n = strlen(word);
        if (n > (size_t)(end - to) - strlen(from) - 1)
            n = 0;
        memcpy(to, word, n);
        to += n;
    }
    *to = 0;
    return out;
}

/* The word nearest to the mistyped first word of an item, or of what stands
 * behind `let r =`. */
static const char *
nearest(const char *word, bool commands_only)
{
    const char *all[64];
    size_t n = 0;
    for (int k = IMP_YYUSE; k <= IMP_YYCOORDINATE && !commands_only; k++)
        all[n++] = word_spelling(k);
    for (size_t i = 0; word_command(i) && n < 60; i++)
        all[n++] = word_command(i);
    if (!commands_only) {
        all[n++] = "world";
        all[n++] = "contacts";
        all[n++] = "start";
    }
    return suggest(word, all, n);
}

struct foreign {
    const char *word, *ours, *help;
};
static const struct foreign foreign[] = {
#define FOREIGN(word, ours, help) {#word, ours, help},
#include "foreign.def"
};

static const struct foreign *
foreign_find(const char *word)
{
    char low[16];
    size_t n = strlen(word);
    if (n >= sizeof low)
        return NULL;
    for (size_t i = 0; i <= n; i++)
        low[i] =
            (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] + 32 : word[i]);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(foreign[i].word, low) == 0)
            return &foreign[i];
    return NULL;
}

/* The keys of `world`, which users expect to set on their own. */
static bool
of_world(const char *word)
{
    return strcmp(word, "gravity") == 0 || strcmp(word, "tolerance") == 0 ||
           strcmp(word, "policy") == 0 || strcmp(word, "seed") == 0;
}

/* -- two words side by side ------------------------------------------------ */

static void
no_such_command(struct parse *parse, const struct token *token,
                const char *near)
{
    struct diag *diag =
        parse_error(parse, DIAG_E0030, token->range, "there is no command `%s`",
                    spelled(parse, token));
    if (!diag)
        return;
    const struct foreign *other = foreign_find(token->text);
    if (other && !other->ours) {
        diag_help(parse->ds, diag, "%s", other->help);
        return;
    }
    if (!near) {
        diag_help(parse->ds, diag,
                  "commands with a block are simulate, sweep, impact and "
                  "others: `imp doc` lists them");
        return;
    }
    diag_help(parse->ds, diag, "did you mean `%s`?", near);
    diag_fix(parse->ds, diag, token->range, near);
}

/* Does the token stand where a command may be bound, behind `let r =`? */
static const char *
bound_command(const struct token *t, const struct token *before)
{
    return t->kind == IMP_YYNAME && before->kind == IMP_YYASSIGN
               ? nearest(t->text, true)
               : NULL;
}

void
sentence_block(struct parse *parse)
{
    const struct token *word = &parse->before[0];
    const char *near = bound_command(word, &parse->before[1]);
    if (near && parse->prev.kind == IMP_YYNAME && !parse->prev.first &&
        parse->ds)
        no_such_command(parse, word, near);
}

/* Is there an error already on this line, at or before this place? What follows
 * a word that could not be read, or a place where parsing has begun again, is
 * nearly always the same mistake. So is the end of a block in which an error
 * has been told. */
static bool
reported_before(const struct parse *parse, imp_range at)
{
    for (const struct diag *diag = parse->ds ? parse->ds->first : NULL; diag;
         diag = diag->next) {
        size_t lo = diag->range.lo,
               hi = at.lo < parse->len ? at.lo : parse->len;
        /* an item that begins where the error was told, or later */
        bool anew = parse->head.range.hi > lo && parse->head.range.lo >= lo &&
                    at.lo > parse->head.range.lo;
        if (diag->severity == DIAG_ERROR && diag->range.file == at.file &&
            lo <= at.lo && !anew &&
            (lo >= hi || !memchr(parse->text + lo, '\n', hi - lo)))
            return true;
    }
    return false;
}

/* A word behind a value that says what is an option of a command. */
static bool
is_option_word(const char *word)
{
    static const char *const words[] = {"against", "vs",    "versus",
                                        "as",      "until", "over"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

/* The name with the parts that follow it: one.tip, ball[2]. */
static const char *
with_its_parts(const struct parse *parse, const struct token *name)
{
    size_t lo = name->range.lo, hi = name->range.hi;
    while (hi < parse->len && hi < lo + 60 && parse->text[hi] &&
           strchr(".[]_0123456789abcdefghijklmnopqrstuvwxyz"
                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                  parse->text[hi]))
        hi++;
    return arena_strndup(parse->arena, parse->text + lo, hi - lo);
}

/* The grammar takes a name behind a whole value for the next item, and finds
 * the error one token later. Where the name stands on the same line, it belongs
 * to the value: 5 m, sin x, let r = clasify c. True if that was reported. */
static bool
name_behind_value(struct parse *parse, enum place where)
{
    const struct token *token = &parse->prev, *value = &parse->before[0];
    bool number = value->kind == IMP_YYNUMBER || value->kind == IMP_YYRPAREN ||
                  value->kind == IMP_YYRBRACK;
    if (token->kind != IMP_YYNAME || token->first ||
        !in_class(value->kind, VALUE_END))
        return false;
    if (where == PLACE_BLOCK ? !(number && word_is_unit(token->text))
                             : parse->head.kind != IMP_YYEND)
        return false;
    const char *near = bound_command(value, &parse->before[1]);
    if (near) {
        no_such_command(parse, value, near);
        return true;
    }
    /* let r = simulate, and a command on the next line */
    const struct token *asked = &parse->before[1];
    if ((asked->kind == IMP_YYNAME || asked->kind == IMP_YYCMD) &&
        word_is_command(spelled(parse, asked)) && value->first &&
        value->kind == IMP_YYNAME && word_is_command(value->text)) {
        struct diag *diag =
            parse_error(parse, DIAG_E0032, asked->range,
                        "`%s` needs an argument or a block", asked->text);
        if (diag)
            diag_help(parse->ds, diag,
                      "for example: let r = simulate { until = 2 }");
        return true;
    }
    if (reported_before(parse, token->range)) {
        parse->errors++;
        return true;
    }
    struct diag *diag = parse_error(parse, DIAG_E0028, token->range,
                                    "two values stand side by side");
    if (!diag)
        return true;
    const char *name = spelled(parse, token);
    const struct foreign *f =
        value->kind == IMP_YYNAME ? foreign_find(value->text) : NULL;
    /* two brackets mend 5 m, but neither 1/2 m nor 5 m/s */
    bool unit = number && word_is_unit(token->text);
    bool plain = !in_class(parse->before[1].kind, OPERATOR) ||
                 parse->before[1].kind == IMP_YYASSIGN;
    plain = plain && !in_class(parse->found.kind, OPERATOR);
    if (f)
        diag_help(parse->ds, diag, "%s", f->help);
    else if (sentence_word_behind(parse, diag))
        return true;
    else if (is_option_word(name))
        diag_help(parse->ds, diag,
                  "options stand in the block of their command: plot r.x { "
                  "against = r.t }");
    else if (value->kind == IMP_YYNAME && word_is_command(value->text))
        diag_help(parse->ds, diag,
                  "`%s` asks a question, and its answer needs a name: let "
                  "answer = %s %s, then show answer",
                  value->text, value->text, with_its_parts(parse, token));
    else if (value->kind == IMP_YYNAME && strcmp(name, "where") != 0)
        diag_help(parse->ds, diag,
                  "an argument stands in brackets: %s(%s); a product needs "
                  "its *",
                  spelled(parse, value), name);
    else if (unit)
        diag_help(parse->ds, diag, "a unit stands in square brackets%s",
                  plain ? "" : ", behind a number or a bracket: (1/2) [m/s]");
    else if (number)
        diag_help(parse->ds, diag,
                  "a product needs its *, a unit its brackets: 5 [m]");
    if (unit && plain)
        diag_fix(parse->ds, diag, token->range,
                 arena_printf(parse->arena, "[%s]", name));
    return true;
}

/* The mistakes that are seen from more than one token back. True if one was
 * reported. */
static bool
report_from_behind(struct parse *parse, enum place where)
{
    const struct token *was = &parse->before[0];
    struct diag *special;
    /* a command word behind an operator should have begun a line */
    if (parse->prev.kind == IMP_YYNAME && !parse->prev.first && was->first &&
        was->kind == IMP_YYNAME && word_is_command(was->text) &&
        in_class(parse->before[1].kind, OPERATOR)) {
        special = parse_error(parse, DIAG_E0021, parse->before[1].range,
                              "a value is missing behind `%s`",
                              spelled(parse, &parse->before[1]));
        if (special)
            diag_note(parse->ds, special, was->range,
                      "`%s` begins something new here", spelled(parse, was));
        return true;
    }
    /* a word at the beginning of a line was taken for a field */
    if (parse->prev.first && parse->prev.kind == IMP_YYNAME &&
        was->kind == IMP_YYDOT && word_is_command(parse->prev.text)) {
        special = parse_error(parse, DIAG_E0037, was->range,
                              "a field's name follows the point");
        if (special)
            diag_help(parse->ds, special, "for example: r.time");
        return true;
    }
    if (was->kind == IMP_YYUSE && parse->found.kind == IMP_YYDOT) {
        imp_range all = {parse->file, parse->prev.range.lo,
                         parse->found.range.hi};
        special = parse_error(parse, DIAG_E0039, all,
                              "a file is used by its name in quotes");
        if (special)
            diag_help(parse->ds, special, "use shapes, or use \"parts.imp\"");
        return true;
    }
    if (where == PLACE_UNIT && parse->found.first && parse->n_open > 0) {
        imp_range all = parse->open[parse->n_open - 1].range;
        all.hi = parse->prev.range.hi;
        special =
            parse_error(parse, DIAG_E0002, all, "this unit is not closed");
        if (special) {
            imp_range end = {parse->file, all.hi, all.hi};
            diag_help(parse->ds, special, "close its brackets with ]");
            diag_fix(parse->ds, special, end, "]");
        }
        return true;
    }
    return false;
}

/* let r = sumulate { ... }: the parser takes the word for a value, and stops at
 * the brace. True if that was reported. */
static bool
word_before_block(struct parse *parse)
{
    const struct token *word = &parse->prev;
    if (parse->found.kind != IMP_YYLBRACE || word->kind != IMP_YYNAME ||
        parse->before[0].kind != IMP_YYASSIGN ||
        parse->head.kind != IMP_YYLET || parse->n_open)
        return false;
    no_such_command(parse, word, nearest(word->text, true));
    return true;
}

/* The first sentence that fits. */
static const struct row *
row_of(const struct parse *parse, enum place where, const int *v, int n)
{
    const struct row *row = table;
    while (!(in_class(parse->head.kind, row->head) &&
             in_class(parse->prev.kind, row->prev) &&
             in_class(parse->found.kind, row->found) &&
             (row->where == PLACE_ANY || row->where == where) &&
             wanted(v, n, row->want) &&
             /* only behind a value, or a word, on the same line */
             !(parse->found.first &&
               ((row->found == IMP_YYIF && row->prev == VALUE_END) ||
                (row->found == IMP_YYNAME && row->prev == IMP_YYNAME)))))
        row++;
    return row;
}

/* Does what stands behind `[` read as a unit, such as `m]` or `rad/s]`? */
static bool
names_unit(const struct parse *parse, const char *text)
{
    struct unit_scale unit;
    size_t n = strcspn(text, "]\n");
    return text[n] == ']' &&
           unit_read(arena_printf(parse->arena, "%.*s", (int)n, text), &unit);
}

/* Adds what a key, or the values of one, should look like. False: nothing is
 * known of it. */
static bool
help_with_key(struct parse *parse, const struct row *row, struct diag *diag)
{
    if (sentence_foreign_word(parse, row->code, diag))
        return true;
    if (row->code == DIAG_E0029 && parse->prev.text &&
        !strcmp(parse->prev.text, "over") && begins_value(parse->found.kind)) {
        diag_help(parse->ds, diag,
                  "for example: over = (%s in linspace(0, 1, 11))",
                  parse->found.kind == IMP_YYNAME ? parse->found.text : "h");
    } else if (row->code == DIAG_E0029 && parse->before[0].kind == IMP_YYNAME &&
               parse->before[1].kind == IMP_YYCOORDINATE &&
               !parse->prev.first) {
        diag_help(parse->ds, diag,
                  "names of coordinates are divided by commas: coordinate %s, "
                  "%s",
                  spelled(parse, &parse->before[0]),
                  spelled(parse, &parse->prev));
    } else if (parse->found.kind == IMP_YYLBRACK && parse->prev.text &&
               parse->before[0].kind == IMP_YYCOORDINATE &&
               names_unit(parse, parse->text + parse->found.range.hi)) {
        diag_help(parse->ds, diag,
                  "a coordinate takes its dimension from the formulas that it "
                  "stands in, and states no unit: coordinate %s",
                  parse->prev.text);
    } else if (parse->found.kind == IMP_YYLBRACK && parse->prev.text &&
               parse->before[0].kind == IMP_YYCOORDINATE) {
        diag_help(parse->ds, diag,
                  "coordinates have no families: each has a name of its own, "
                  "coordinate %s0, %s1, or each system of a pattern its own %s",
                  parse->prev.text, parse->prev.text, parse->prev.text);
    } else if (row->code == DIAG_E0029 && parse->prev.text &&
               parse->found.kind == IMP_YYIN) {
        diag_help(parse->ds, diag,
                  "the values of a sweep's params stand in brackets: over = "
                  "(%s in linspace(0, 1, 11))",
                  parse->prev.text);
    } else if (row->code == DIAG_E0024 && parse->prev.text &&
               parse->before[0].kind == IMP_YYASSIGN &&
               parse->head.kind != IMP_YYPARAM) {
        diag_help(parse->ds, diag,
                  "the values of a param stand in brackets: over = (%s in "
                  "linspace(0, 1, 11)), random = (%s in [0, 1])",
                  parse->prev.text, parse->prev.text);
    } else if (row->code == DIAG_E0006 && parse->prev.text &&
               word_command_with(parse->prev.text)) {
        diag_help(parse->ds, diag,
                  "an option stands in the block of its command, as in %s { "
                  "%s = ... }; a value is declared: let %s = ...",
                  word_command_with(parse->prev.text), parse->prev.text,
                  parse->prev.text);
    } else if (row->code == DIAG_E0029 && parse->prev.text &&
               !strcmp(parse->prev.text, "coordinates") &&
               parse->found.kind == IMP_YYNAME) {
        diag_help(parse->ds, diag, "did you mean `coordinate`?");
        diag_fix(parse->ds, diag, parse->prev.range, "coordinate");
    } else if (row->code == DIAG_E0029 && parse->prev.text &&
               !strcmp(parse->prev.text, "constraint") &&
               parse->found.kind == IMP_YYNAME) {
        diag_help(parse->ds, diag,
                  "coordinates are chosen so that they obey it, as the angle "
                  "of a pendulum; bodies have joints");
    } else if (row->code == DIAG_E0029 && parse->prev.text &&
               !strcmp(parse->prev.text, "force") &&
               parse->found.kind == IMP_YYNAME) {
        diag_help(parse->ds, diag,
                  "the force of a system is one list, with an entry for each "
                  "coordinate: force = (a, b)");
    } else {
        return false;
    }
    return true;
}

/* Adds what could be meant: a fix where one word does it. */
static void
help_with(struct parse *parse, const struct row *row, struct diag *diag,
          const char *expected)
{
    const char *near = NULL;
    const struct foreign *other = NULL;
    if (row->code == DIAG_E0030 && parse->prev.text) {
        other = foreign_find(parse->prev.text);
        near = other ? other->ours : nearest(parse->prev.text, false);
    }
    /* 9,81: between two digits a comma is a decimal one */
    uint32_t lo = parse->found.range.lo;
    bool decimal =
        parse->found.kind == IMP_YYCOMMA && row->code == DIAG_E0009 &&
        parse->prev.kind == IMP_YYNUMBER && parse->prev.range.hi == lo &&
        (unsigned char)(parse->text[lo + 1] - '0') < 10;
    bool unit = row->code == DIAG_E0028 && parse->found.kind == IMP_YYNAME &&
                parse->prev.kind == IMP_YYNUMBER &&
                word_is_unit(parse->found.text);
    if (unit) {
        diag_help(parse->ds, diag, "a unit stands in square brackets");
        diag_fix(parse->ds, diag, parse->found.range,
                 arena_printf(parse->arena, "[%s]", parse->found.text));
    } else if (decimal) {
        diag_help(parse->ds, diag, "a decimal number is written with a point");
        diag_fix(parse->ds, diag, parse->found.range, ".");
    } else if (help_with_key(parse, row, diag)) {
        return;
    } else if (row->code == DIAG_E0006 && parse->prev.text &&
               of_world(parse->prev.text)) {
        diag_help(parse->ds, diag,
                  "keys stand in their block: world { %s = ... }",
                  parse->prev.text);
    } else if (other) {
        diag_help(parse->ds, diag, "%s", other->help);
        if (near)
            diag_fix(parse->ds, diag, parse->prev.range, near);
    } else if (near) {
        diag_help(parse->ds, diag, "did you mean `%s`?", near);
        diag_fix(parse->ds, diag, parse->prev.range, near);
    } else if (row->code == DIAG_E0030 && parse->prev.text &&
               parse->found.kind == IMP_YYDOT) {
        diag_help(parse->ds, diag,
                  "what a body begins with stands in its block: body %s { "
                  "position = (0, 1) }; a name has one value",
                  parse->prev.text);
    } else if (row->code == DIAG_E0030) {
        diag_help(parse->ds, diag,
                  "items begin with a keyword such as body, param, "
                  "let, contact, with a command such as show, or "
                  "are blocks: world { ... }");
    } else if (row->help[0]) {
        diag_help(parse->ds, diag, "%s", fill(parse, row->help, expected));
    }
}

/* Has an error been told inside the bracket that was opened last? */
static bool
reported_in_block(const struct parse *parse)
{
    const imp_range *open =
        parse->n_open ? &parse->open[parse->n_open - 1].range : NULL;
    for (const struct diag *diag = parse->ds->first; diag && open;
         diag = diag->next)
        if (diag->severity == DIAG_ERROR && diag->range.file == open->file &&
            diag->range.lo >= open->lo)
            return true;
    return false;
}

/* A block that is never closed: the mistake is at its bracket, whatever was
 * found behind it. True if that was reported. */
static bool
report_open_block(struct parse *parse, const struct row *row, enum place where)
{
    bool misplaced = row->code == DIAG_E0025 && parse->found.first;
    if (where != PLACE_BLOCK || !(row->code == DIAG_E0002 || misplaced) ||
        sentence_blocks_closed(parse))
        return false;
    if (reported_in_block(parse)) {
        parse->errors++;
        return true;
    }
    struct diag *diag =
        parse_error(parse, DIAG_E0002, parse->open[parse->n_open - 1].range,
                    "this block is not closed");
    if (!diag)
        return true;
    if (parse->suspect.file)
        diag_note(parse->ds, diag, parse->suspect,
                  "perhaps it should have been closed before this");
    else if (misplaced)
        diag_note(parse->ds, diag, parse->found.range,
                  "the command `%s` cannot stand in a block",
                  spelled(parse, &parse->found));
    diag_help(parse->ds, diag, "close it with }");
    return true;
}

void
sentence_report(struct parse *parse, const int *kinds, int n_kinds)
{
    assert(parse && (kinds || n_kinds == 0));
    bool cascade = parse->prev.kind == IMP_YYSYNC;
    parse->recovering = true;
    parse->error_at_end = parse->found.kind == IMP_YYEND;
    /* What the scanner could not read has been reported. Right behind a
     * recovery it would be the same mistake again. */
    if (parse->found.kind == IMP_YYBAD || cascade || !parse->ds ||
        reported_before(parse, parse->found.range)) {
        parse->errors++;
        return;
    }
    enum place where = place_of(parse, kinds, n_kinds);
    if (sentence_special(parse, where == PLACE_DOC) ||
        report_from_behind(parse, where) || word_before_block(parse))
        return;
    const struct row *row = row_of(parse, where, kinds, n_kinds);
    if ((row->code == DIAG_E0030 || row->code == DIAG_E0029 ||
         (row->code == DIAG_E0002 && among(kinds, n_kinds, IMP_YYLBRACE)) ||
         (row->code == DIAG_E0036 && row->head == ANY)) &&
        name_behind_value(parse, where))
        return;
    if (report_open_block(parse, row, where))
        return;
    const char *expected = expected_list(parse, kinds, n_kinds);
    /* Some sentences are about the word before the place. */
    imp_range at = parse->found.range;
    if (row->code == DIAG_E0030 || row->code == DIAG_E0033)
        at = parse->prev.range;
    /* show the end of the text, not the empty line behind it */
    else if (parse->found.kind == IMP_YYEND && parse->prev.range.file)
        at.lo = at.hi = parse->prev.range.hi;
    if (reported_before(parse, at) ||
        (row->code == DIAG_E0002 && parse->error_at_end &&
         reported_in_block(parse))) {
        parse->errors++;
        return;
    }
    struct diag *diag = parse_error(parse, row->code, at, "%s",
                                    fill(parse, row->message, expected));
    if (strcmp(row->message, "{found} was not expected here") == 0 ||
        row->code == DIAG_E0028 || row->code == DIAG_E0003)
        diag_label(parse->ds, diag, "expected %s", expected);
    if (parse->n_open > 0 &&
        (row->code == DIAG_E0002 || row->code == DIAG_E0003 ||
         row->code == DIAG_E0041)) {
        diag_note(parse->ds, diag, parse->open[parse->n_open - 1].range,
                  "opened here");
    }
    help_with(parse, row, diag, expected);
}
