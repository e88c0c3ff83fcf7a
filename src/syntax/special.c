/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Syntax errors that no row of the table of sentences can tell, because what
 * was written before, or what an earlier message said, decides. */
#include <assert.h>
#include <string.h>

#include "imp_parser.h"
#include "syntax/parse.h"
#include "syntax/syntax_priv.h"

/* `save r "out.csv"`: a text on the line of what stands before it is no
 * documentation of what follows. */
static bool
text_behind(struct parse *parse)
{
    const struct token *text = &parse->prev, *value = &parse->before[0];
    if (text->kind != IMP_YYSTRING || text->first ||
        (value->kind != IMP_YYNAME && value->kind != IMP_YYNUMBER &&
         value->kind != IMP_YYRPAREN && value->kind != IMP_YYRBRACK))
        return false;
    struct diag *diag =
        parse_error(parse, DIAG_E0028, text->range, "a comma is missing here");
    size_t lo = value->range.lo;
    while (lo && parse->text[lo - 1] != '\n')
        lo--;
    lo += strspn(parse->text + lo, " \t");
    if (diag && (!strncmp(parse->text + lo, "save ", 5) ||
                 !strncmp(parse->text + lo, "show ", 5)))
        diag_help(parse->ds, diag, "as in %.*s, \"%s\"",
                  (int)(value->range.hi - lo), parse->text + lo, text->text);
    else if (diag)
        diag_help(parse->ds, diag,
                  "a text that documents what follows begins a line of its "
                  "own; a comment begins with #");
    return true;
}

/* `save r to "out.csv"`, `save r as "out.csv"` */
static bool
word_before_file(struct parse *parse)
{
    static const char *const words[] = {"to", "as", "in", "into"};
    const struct token *word = &parse->prev;
    bool known = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && word->text; i++)
        known |= !strcmp(word->text, words[i]);
    if (!known || parse->found.kind != IMP_YYSTRING || parse->found.first ||
        parse->n_open || !parse->head.text ||
        (strcmp(parse->head.text, "save") != 0 &&
         strcmp(parse->head.text, "plot") != 0))
        return false;
    struct diag *diag = parse_error(parse, DIAG_E0028, word->range,
                                    "two values stand side by side");
    size_t lo = parse->head.range.lo, hi = word->range.lo;
    while (hi > lo && strchr(" \t", parse->text[hi - 1]))
        hi--;
    if (diag)
        diag_help(parse->ds, diag,
                  "the name of the file is an option: %.*s { file = \"%s\" }",
                  (int)(hi - lo), parse->text + lo, parse->found.text);
    return true;
}

/* `2 (kg)`: where the bracket with a unit ends; 0: it is none. */
static size_t
unit_in_round_brackets(const struct parse *parse)
{
    size_t lo = parse->found.range.lo + 1, hi = lo;
    while (hi < parse->len && parse->text[hi] != ')' && hi - lo < 40)
        hi++;
    if (parse->prev.kind != IMP_YYNUMBER || parse->found.kind != IMP_YYLPAREN ||
        hi >= parse->len || parse->text[hi] != ')')
        return 0;
    size_t n = 0;
    while (lo + n < hi && !strchr("*/^ .-0123456789", parse->text[lo + n]))
        n++;
    const char *word = arena_strndup(parse->arena, parse->text + lo, n);
    return n && word_is_unit(word) ? hi + 1 : 0;
}

/* The length of a bracket with a unit that begins here; 0: there is none. */
static size_t
unit_bracket(const struct parse *parse, size_t lo)
{
    size_t n = 1, letters = 0;
    while (lo + n < parse->len && parse->text[lo + n] != ']' && n < 40)
        n++;
    if (lo + n >= parse->len || parse->text[lo] != '[' ||
        parse->text[lo + n] != ']')
        return 0;
    while (!strchr("*/^ .-0123456789]", parse->text[lo + 1 + letters]))
        letters++;
    const char *word =
        arena_strndup(parse->arena, parse->text + lo + 1, letters);
    return letters && word_is_unit(word) ? n + 1 : 0;
}

/* `3 [N] [m]`: one bracket holds all of a unit. */
static bool
two_units(struct parse *parse, struct diag *diag)
{
    if (parse->found.kind != IMP_YYLBRACK || parse->prev.kind != IMP_YYRBRACK)
        return false;
    size_t second = parse->found.range.lo, first = parse->prev.range.lo;
    while (first && parse->text[first] != '[')
        first--;
    size_t n = unit_bracket(parse, first), m = unit_bracket(parse, second);
    if (!n || !m)
        return false;
    const char *a = parse->text + first + 1, *b = parse->text + second + 1;
    bool plain = !memchr(b, '*', m - 2) && !memchr(b, '/', m - 2);
    diag_help(
        parse->ds, diag,
        "one bracket holds all of a unit: [%.*s*%.*s], or [%.*s/%s%.*s%s]",
        (int)n - 2, a, (int)m - 2, b, (int)n - 2, a, plain ? "" : "(",
        (int)m - 2, b, plain ? "" : ")");
    return true;
}

/* Habits of MATLAB, Modelica and files of robots: what is written here for what
 * this error was made of; NULL: none of these. */
static const char *
of_other_languages(const struct parse *parse, enum diag_code code)
{
    const struct token *prev = &parse->prev;
    if (code == DIAG_E0035 && prev->kind == IMP_YYRBRACK)
        return "a matrix is transposed by transpose([1, 2]); the derivative of "
               "more than a name stands behind brackets: (2*b)'";
    if (code == DIAG_E0029 && prev->kind == IMP_YYNAME && prev->text &&
        parse->found.kind == IMP_YYLPAREN &&
        (!strcmp(prev->text, "der") || !strcmp(prev->text, "diff") ||
         !strcmp(prev->text, "ddt")))
        return "equations of motion are not written: they follow from "
               "kinetic = ... and potential = ..., or from mass = [...] and "
               "force = (...); variables of an observer have some, u' = ...";
    if (code == DIAG_E0029 && prev->kind == IMP_YYNAME && prev->text &&
        (!strcmp(prev->text, "equation") || !strcmp(prev->text, "equations")))
        return "equations of motion are not written: they follow from "
               "kinetic = ... and potential = ..., or from mass = [...] and "
               "force = (...); variables of an observer have some, u' = ...";
    if (code == DIAG_E0029 && prev->kind == IMP_YYNAME && prev->text &&
        !strcmp(prev->text, "when"))
        return "what changes at a time or a place is a choice: force = (if t < "
               "1 [s] then 10 [N] else 0 [N], 0 [N])";
    if (code == DIAG_E0021 && prev->kind == IMP_YYMINUS &&
        parse->found.kind == IMP_YYGT)
        return "a function has a name and its parameters in brackets: fn f(x) "
               "= x^2";
    if (code == DIAG_E0001 && parse->found.kind == IMP_YYLT &&
        parse->head.kind == IMP_YYEND)
        return "a model is text in words of its own, no XML: body arm : "
               "rectangle(0.4, 0.05) { mass = 2 }; `imp doc body` tells more";
    return NULL;
}

bool
sentence_foreign_word(struct parse *parse, enum diag_code code,
                      struct diag *diag)
{
    const char *other_language = of_other_languages(parse, code);
    if (other_language) {
        diag_help(parse->ds, diag, "%s", other_language);
        return true;
    }
    static const char *const words[] = {"elif", "elseif", "elsif"};
    const char *word = parse->found.kind == IMP_YYNAME ? parse->found.text : "";
    bool other = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        other |= !strcmp(word, words[i]);
    if (code == DIAG_E0027 && other) {
        diag_help(parse->ds, diag,
                  "the choice goes on behind `else`: if a then 1 else if b "
                  "then 2 else 3");
        diag_fix(parse->ds, diag, parse->found.range, "else if");
        return true;
    }
    size_t end = code == DIAG_E0028 ? unit_in_round_brackets(parse) : 0;
    if (end) {
        size_t lo = parse->found.range.lo;
        imp_range all = {parse->file, (uint32_t)lo, (uint32_t)end};
        diag_help(parse->ds, diag, "a unit stands in square brackets");
        diag_fix(parse->ds, diag, all,
                 arena_printf(parse->arena, "%s[%.*s]",
                              parse->text[lo - 1] == ' ' ? "" : " ",
                              (int)(end - lo - 2), parse->text + lo + 1));
        return true;
    }
    if (code == DIAG_E0028 && two_units(parse, diag))
        return true;
    const struct token *command = &parse->before[0];
    if ((code == DIAG_E0028 || code == DIAG_E0008) &&
        parse->prev.kind == IMP_YYNAME && command->text &&
        (command->kind == IMP_YYCMD || command->kind == IMP_YYNAME) &&
        word_is_command(command->text) && word_command_with(parse->prev.text)) {
        diag_help(
            parse->ds, diag,
            "options stand in the block of their command: %s { %s = ... }",
            command->text, parse->prev.text);
        return true;
    }
    if (code == DIAG_E0028 && parse->n_open && !strcmp(word, "for")) {
        diag_help(parse->ds, diag,
                  "arithmetic of a list is done entry by entry: (0 .. 3)^2 has "
                  "the entries 0, 1, 4 and 9");
        return true;
    }
    return false;
}

/* `plot r.x against r.t`, where the line begins at `lo`. */
static bool
plot_against(struct parse *parse, struct diag *diag, size_t lo)
{
    static const char *const words[] = {"against", "vs", "versus"};
    const struct token *word = &parse->prev;
    bool known = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        known |= !strcmp(word->text, words[i]);
    if (!known || strncmp(parse->text + lo, "plot ", 5) != 0)
        return false;
    size_t from = word->range.hi, to;
    from += strspn(parse->text + from, " \t");
    to = from + strcspn(parse->text + from, "\n#{");
    while (to > from && strchr(" \t", parse->text[to - 1]))
        to--;
    diag_help(parse->ds, diag,
              "options stand in the block of their command: %.*s { against = "
              "%.*s }",
              (int)(word->range.lo - lo - 1), parse->text + lo,
              (int)(to - from), parse->text + from);
    return true;
}

/* `show r.x at 0.5`, `show r.t r.x`: the word of a command's line that no
 * option and no operator divides from the value before it. */
bool
sentence_word_behind(struct parse *parse, struct diag *diag)
{
    static const char *const shows[] = {"show", "plot", "save", "expect"};
    const struct token *word = &parse->prev, *value = &parse->before[0];
    size_t lo = value->range.lo, hi = word->range.hi;
    while (lo && parse->text[lo - 1] != '\n')
        lo--;
    lo += strspn(parse->text + lo, " \t");
    bool list = false;
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++)
        list |= !strncmp(parse->text + lo, shows[i], strlen(shows[i])) &&
                parse->text[lo + strlen(shows[i])] == ' ';
    while (hi < parse->len && strchr(" \t", parse->text[hi]))
        hi++;
    if (!strcmp(word->text, "at") || !strcmp(word->text, "when")) {
        diag_help(parse->ds, diag,
                  "a run has rows at the times that its block names, and a "
                  "condition selects them: simulate { until = 1  at = 0.5  "
                  "record = x }, then r.x[r.t == 0.5 [s]]");
        return true;
    }
    if (!strcmp(word->text, "from") && value->kind == IMP_YYNAME) {
        diag_help(parse->ds, diag,
                  "values stand in a list: sweep { over = (%s in linspace(0, "
                  "1, 11))  run = simulate { until = 1 } }",
                  value->text);
        return true;
    }
    if (!strcmp(word->text, "where") && list) {
        diag_help(
            parse->ds, diag,
            "a condition in brackets selects entries of a list: r.x[r.t > "
            "0.5 [s]]");
        return true;
    }
    bool field =
        value->kind == IMP_YYNAME && parse->before[1].kind == IMP_YYDOT;
    if (plot_against(parse, diag, lo))
        return true;
    if (!list || !field || value->range.lo < lo)
        return false;
    diag_help(parse->ds, diag,
              "several values are divided by commas: show a, b; a product "
              "needs its *");
    return true;
}

/* A keyword that was refused as a name is refused wherever it is used. */
static bool
keyword_again(const struct parse *parse)
{
    size_t n = parse->found.range.hi - parse->found.range.lo;
    if (parse->found.first || !word_declares(parse->found.kind))
        return false;
    for (const struct diag *diag = parse->ds->first; diag; diag = diag->next)
        if (diag->code == DIAG_E0004 && diag->range.file == parse->file &&
            diag->range.hi - diag->range.lo == n &&
            !memcmp(parse->text + diag->range.lo,
                    parse->text + parse->found.range.lo, n))
            return true;
    return false;
}

/* `fn f(body)`, `2*body + 1`: the sign behind a keyword says that it was meant
 * as a name. */
static bool
keyword_as_name(struct parse *parse)
{
    size_t hi = parse->found.range.hi;
    if (parse->found.first || !word_declares(parse->found.kind))
        return false;
    while (hi < parse->len && strchr(" \t", parse->text[hi]))
        hi++;
    if (hi >= parse->len || !strchr(",)]'*/^+-.<>!;", parse->text[hi]))
        return false;
    const char *word = word_spelling(parse->found.kind);
    struct diag *diag =
        parse_error(parse, DIAG_E0004, parse->found.range,
                    "`%s` is a keyword and cannot be a name", word);
    if (diag)
        diag_help(parse->ds, diag, "choose another name, such as `%s1`", word);
    return true;
}

bool
sentence_special(struct parse *parse, bool doc)
{
    assert(parse && parse->ds);
    if (keyword_again(parse)) {
        parse->errors++;
        return true;
    }
    return (doc && text_behind(parse)) || word_before_file(parse) ||
           keyword_as_name(parse);
}

bool
sentence_blocks_closed(const struct parse *parse)
{
    assert(parse);
    long depth = 0;
    for (size_t i = 0; i < parse->n_open; i++)
        depth += parse->open[i].what == '{';
    for (size_t i = parse->found.range.lo; i < parse->len && depth > 0; i++) {
        char c = parse->text[i];
        if (c == '{')
            depth++;
        else if (c == '}')
            depth--;
        else if (c == '#')
            while (i + 1 < parse->len && parse->text[i + 1] != '\n')
                i++;
        else if (c == '"')
            for (i++; i < parse->len && parse->text[i] != '"' &&
                      parse->text[i] != '\n';
                 i++)
                i += parse->text[i] == '\\';
    }
    return depth <= 0;
}
