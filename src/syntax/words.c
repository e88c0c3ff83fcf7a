/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keywords and command words. Commands come from the one table of commands,
 * those of later releases included: they parse, and the checker says that they
 * are not available. */
#include <assert.h>
#include <string.h>

#include "abi/commands.h"
#include "imp_parser.h"
#include "syntax/syntax_priv.h"

struct word {
    const char *text;
    int kind;
};
static const struct word keywords[] = {
    {"use", IMP_YYUSE},
    {"param", IMP_YYPARAM},
    {"let", IMP_YYLET},
    {"fn", IMP_YYFN},
    {"shape", IMP_YYSHAPE},
    {"body", IMP_YYBODY},
    {"system", IMP_YYSYSTEM},
    {"joint", IMP_YYJOINT},
    {"contact", IMP_YYCONTACT},
    {"point", IMP_YYPOINT},
    {"coordinate", IMP_YYCOORDINATE},
    {"in", IMP_YYIN},
    {"and", IMP_YYAND},
    {"or", IMP_YYOR},
    {"not", IMP_YYNOT},
    {"if", IMP_YYIF},
    {"then", IMP_YYTHEN},
    {"else", IMP_YYELSE},
    {"true", IMP_YYTRUE},
    {"false", IMP_YYFALSE},
};
static const struct word signs[] = {
    {"==", IMP_YYEQ},    {"!=", IMP_YYNE},     {"<=", IMP_YYLE},
    {">=", IMP_YYGE},    {"<", IMP_YYLT},      {">", IMP_YYGT},
    {"=", IMP_YYASSIGN}, {"+", IMP_YYPLUS},    {"-", IMP_YYMINUS},
    {"*", IMP_YYTIMES},  {"/", IMP_YYSLASH},   {"^", IMP_YYHAT},
    {"'", IMP_YYPRIME},  {"..", IMP_YYDOTDOT}, {".", IMP_YYDOT},
    {",", IMP_YYCOMMA},  {";", IMP_YYSEMI},    {":", IMP_YYCOLON},
    {"|", IMP_YYBAR},    {"(", IMP_YYLPAREN},  {")", IMP_YYRPAREN},
    {"[", IMP_YYLBRACK}, {"]", IMP_YYRBRACK},  {"{", IMP_YYLBRACE},
    {"}", IMP_YYRBRACE},
};

int
word_keyword(const char *s, size_t n)
{
    assert(s);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i].text) == n &&
            memcmp(keywords[i].text, s, n) == 0)
            return keywords[i].kind;
    return 0;
}

const char *
word_command(size_t i)
{
    return i < IMP_CMD_COUNT ? imp_command_word((uint32_t)i) : NULL;
}

bool
word_is_command(const char *s)
{
    assert(s);
    for (uint32_t i = 0; i < IMP_CMD_COUNT; i++)
        if (strcmp(imp_command_word(i), s) == 0)
            return true;
    return false;
}

const char *
word_spelling(int kind)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (keywords[i].kind == kind)
            return keywords[i].text;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].kind == kind)
            return signs[i].text;
    return NULL;
}

int
word_sign(const char *s)
{
    assert(s);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcmp(signs[i].text, s) == 0)
            return signs[i].kind;
    return 0;
}

bool
word_is_unit(const char *s)
{
    assert(s);
    /* only the commonest units; the checker knows them all */
    static const char *const units[] = {
        "m",      "mm",      "cm",   "km",  "s",   "ms",  "us",  "min",
        "h",      "kg",      "g",    "N",   "kN",  "J",   "kJ",  "W",
        "Pa",     "Hz",      "A",    "K",   "mol", "cd",  "rad", "deg",
        "degree", "degrees", "um",   "kPa", "MPa", "GPa", "MN",  "MJ",
        "kW",     "rpm",     "inch", "ft",  "lb"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i], s) == 0)
            return true;
    return false;
}

bool
word_declares(int kind)
{
    switch (kind) {
    case IMP_YYUSE:
    case IMP_YYPARAM:
    case IMP_YYLET:
    case IMP_YYFN:
    case IMP_YYSHAPE:
    case IMP_YYBODY:
    case IMP_YYSYSTEM:
    case IMP_YYJOINT:
    case IMP_YYCONTACT:
    case IMP_YYPOINT:
    case IMP_YYCOORDINATE:
    case IMP_YYDATA:
    case IMP_YYCOLUMN:
    case IMP_YYCONTACTS:
    case IMP_YYROTOR:
    case IMP_YYLAW:
        return true;
    default:
        return false;
    }
}

const char *
word_command_with(const char *option)
{
    static const struct {
        const char *command, *key;
    } row[] = {
#define OPTION(command, key, kind, limits, unit, dflt, doc) {#command, #key},
#include "abi/commands.def"
    };
    assert(option);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].key, option))
            return row[i].command;
    return NULL;
}
