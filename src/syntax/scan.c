/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scanner's matches mean: opening a text (and whether it is text at
 * all), words and their normal form, numbers, texts in quotes, and spellings of
 * other languages. Scanning goes on after every error. Where the intention is
 * clear the intended token is returned, so one mistake gives one message.
 *
 * Texts are UTF-8. Bytes are counted from the start of the file, byte order
 * mark included. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/num.h"
#include "base/utf8.h"
#include "imp_parser.h"
#include "syntax/parse.h"
#include "syntax/syntax_priv.h"

void *imp_lex_open(struct scan *scan);
int imp_lex_token(struct token *token, void *lexer);
int imp_lex_get_leng(void *lexer);

/* characters shown of the user's text in a message */
enum { SHOWN = 40 };

static imp_range
place(const struct scan *scan, size_t lo, size_t hi)
{
    return (imp_range){scan->file, (uint32_t)lo, (uint32_t)hi};
}

/* Reports an error at bytes [lo, hi); NULL when errors are only counted. */
__attribute__((format(printf, 5, 6))) static struct diag *
scan_error(struct scan *scan, enum diag_code code, size_t lo, size_t hi,
           const char *fmt, ...)
{
    scan->errors++;
    if (!scan->ds)
        return NULL;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return diag_add(scan->ds, code, place(scan, lo, hi), "%s", text);
}

/* n bytes of text, cut to what a message can hold. */
static const char *
shown(struct scan *scan, const char *text, size_t n)
{
    if (n <= SHOWN)
        return arena_strndup(scan->arena, text, n);
    size_t k = SHOWN;
    while (k > 0 && ((unsigned char)text[k] & 0xc0) == 0x80)
        k--;
    return arena_printf(scan->arena, "%.*s...", (int)k, text);
}

/* -- opening --------------------------------------------------------------- */

static void
refuse_encoding(struct scan *scan, size_t at)
{
    const unsigned char *u = (const unsigned char *)scan->text;
    struct diag *diag =
        scan_error(scan, DIAG_E0016, at, at + 1,
                   "this is not UTF-8: the byte 0x%02x cannot stand here",
                   (unsigned)u[at]);
    if (diag)
        diag_help(scan->ds, diag, "save the file as UTF-8 (iconv -t UTF-8)");
    scan->fatal = true;
}

/* Control characters, and characters that reorder or hide text, are refused
 * wherever they stand: what a reader sees must be what is parsed. */
static void
check_text(struct scan *scan)
{
    int told = 0;
    for (size_t at = scan->pos; at < scan->len;) {
        unsigned char c = (unsigned char)scan->text[at];
        if (c >= 0x20 && c < 0x7f) {
            at++;
            continue;
        }
        if (c == 0) {
            const unsigned char *u = (const unsigned char *)scan->text;
            bool wide = scan->len > 1 && ((u[0] == 0xff && u[1] == 0xfe) ||
                                          (u[0] == 0xfe && u[1] == 0xff));
            struct diag *diag = scan_error(
                scan, DIAG_E0017, at, at + 1,
                wide ? "this is a UTF-16 text, not UTF-8"
                     : "this is not a text: it contains a zero byte");
            if (diag)
                diag_help(scan->ds, diag,
                          wide ? "save the file as UTF-8"
                               : "a model is a text file, usually with the "
                                 "ending .imp");
            scan->fatal = true;
            return;
        }
        uint32_t cp = 0;
        size_t len = utf8_decode(scan->text + at, scan->len - at, &cp);
        if (len == 0) {
            /* a zero byte further on tells more about the file */
            if (memchr(scan->text + at, 0, scan->len - at)) {
                at++;
                continue;
            }
            refuse_encoding(scan, at);
            return;
        }
        bool blank = cp == '\t' || cp == '\n' || cp == '\r' || cp == '\f' ||
                     cp == '\v' || cp == 0x200c || cp == 0x200d || cp == 0xad;
        if (!blank && utf8_unsafe(cp) && told++ < 3) {
            struct diag *diag =
                scan_error(scan, DIAG_E0015, at, at + len,
                           "the invisible character U+%04X cannot stand in a "
                           "model",
                           (unsigned)cp);
            if (diag)
                diag_help(scan->ds, diag,
                          "delete it; in a text in quotes it can be "
                          "written \\u{%x}",
                          (unsigned)cp);
        }
        at += len;
    }
}

void
scan_open(struct scan *out, struct arena *arena, struct intern *names,
          struct diags *diags, uint32_t file, const char *text, size_t len)
{
    assert(out && arena && names && (text || len == 0));
    *out = (struct scan){.arena = arena,
                         .names = names,
                         .ds = diags,
                         .file = file,
                         .text = text,
                         .fresh = true};
    if (len > MAX_BYTES) {
        scan_error(out, DIAG_E0983, 0, 0,
                   "this file has %zu bytes, more than %d MiB", len,
                   MAX_BYTES >> 20);
        out->fatal = true;
        return;
    }
    out->len = (uint32_t)len;
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        out->pos = 3;
    check_text(out);
    if (!out->fatal)
        out->flex = imp_lex_open(out);
}

void
scan_next(struct scan *scan, struct token *out)
{
    assert(scan && out && scan->pos <= scan->len);
    *out = (struct token){.kind = IMP_YYEND};
    if (scan->fatal || !scan->flex) {
        out->range = place(scan, scan->len, scan->len);
        return;
    }
    out->kind = imp_lex_token(out, scan->flex);
    if (out->kind == IMP_YYEND) {
        out->range = place(scan, scan->len, scan->len);
        scan->flex = NULL;
    } else {
        size_t n = (size_t)imp_lex_get_leng(scan->flex);
        out->range = place(scan, scan->pos - n, scan->pos);
    }
    out->first = scan->fresh;
    scan->fresh = false;
    scan->last = out->kind;
}

/* -- words ----------------------------------------------------------------- */

/* May the code point begin, or continue, a name? */
static bool
name_start(uint32_t cp)
{
    if (cp < 0x80)
        return (cp | 32) - 'a' < 26 || cp == '_';
    switch (utf8proc_category((utf8proc_int32_t)cp)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
        return true;
    default:
        return false;
    }
}

static bool
name_part(uint32_t cp)
{
    if (cp < 0x80)
        return name_start(cp) || cp - '0' < 10;
    /* index digits: x with a subscript one is a name of its own */
    if (cp >= 0x2080 && cp <= 0x2089)
        return true;
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);
    return name_start(cp) || c == UTF8PROC_CATEGORY_MN ||
           c == UTF8PROC_CATEGORY_MC || c == UTF8PROC_CATEGORY_ND;
}

/* The normal form of a name (NFC, one micro sign), interned. */
static const char *
name_normal(struct intern *names, const char *s, size_t len)
{
    bool ascii = true;
    for (size_t i = 0; i < len && ascii; i++)
        ascii = (unsigned char)s[i] < 0x80;
    if (ascii || len > MAX_NAME)
        return intern(names, s, len);
    /* The micro sign becomes the Greek letter; NFC does the same for ohm and
     * angstrom. */
    char text[MAX_NAME + 1];
    memcpy(text, s, len);
    text[len] = 0;
    for (size_t i = 0; i + 1 < len; i++)
        if (memcmp(text + i, "\xc2\xb5", 2) == 0)
            memcpy(text + i, "\xce\xbc", 2);
    utf8proc_int32_t cps[MAX_NAME + 64];
    utf8proc_ssize_t k = utf8proc_decompose(
        (const utf8proc_uint8_t *)text, (utf8proc_ssize_t)len, cps,
        MAX_NAME + 64, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (k < 0 || k > MAX_NAME + 64)
        return intern(names, text, len);
    k = utf8proc_normalize_utf32(cps, k, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    char out[4 * (MAX_NAME + 64)];
    size_t m = 0;
    for (utf8proc_ssize_t i = 0; i < k; i++)
        m += utf8_encode(out + m, (uint32_t)cps[i]);
    return intern(names, out, m);
}

struct sign {
    uint32_t cp;
    int kind;
    const char *ours;
};
/* mathematical signs that have a spelling in Imp */
static const struct sign signs[] = {
    {0xb7, IMP_YYTIMES, "*"},     {0xd7, IMP_YYTIMES, "*"},
    {0xf7, IMP_YYSLASH, "/"},     {0x2018, IMP_YYPRIME, "'"},
    {0x2019, IMP_YYPRIME, "'"},   {0x2032, IMP_YYPRIME, "'"},
    {0x2033, IMP_YYPRIME, "''"},  {0x2010, IMP_YYMINUS, "-"},
    {0x2011, IMP_YYMINUS, "-"},   {0x2012, IMP_YYMINUS, "-"},
    {0x2013, IMP_YYMINUS, "-"},   {0x2014, IMP_YYMINUS, "-"},
    {0x2026, IMP_YYDOTDOT, ".."}, {0x2212, IMP_YYMINUS, "-"},
    {0x22c5, IMP_YYTIMES, "*"},   {0x2217, IMP_YYTIMES, "*"},
    {0x2215, IMP_YYSLASH, "/"},   {0x2260, IMP_YYNE, "!="},
    {0x2264, IMP_YYLE, "<="},     {0x2265, IMP_YYGE, ">="},
    {0x2227, IMP_YYAND, "and"},   {0x2228, IMP_YYOR, "or"},
    {0xac, IMP_YYNOT, "not"},     {0x2219, IMP_YYTIMES, "*"},
    {0x2022, IMP_YYTIMES, "*"},   {0x2044, IMP_YYSLASH, "/"},
    {0x2236, IMP_YYCOLON, ":"},   {0x2223, IMP_YYBAR, "|"},
};

/* A character beyond ASCII that begins no name; n bytes at scan->pos - n. */
static int
strange(struct scan *scan, uint32_t cp, size_t lo, size_t len)
{
    const char *text = scan->text + lo;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (signs[i].cp != cp)
            continue;
        struct diag *diag = scan_error(scan, DIAG_E0018, lo, lo + len,
                                       "`%.*s` is written `%s` in Imp",
                                       (int)len, text, signs[i].ours);
        if (diag)
            diag_fix(scan->ds, diag, diag->range, signs[i].ours);
        return signs[i].kind;
    }
    /* the signs of ASCII in full width, as keyboards of East Asia give them */
    if (cp > 0xff00 && cp < 0xff5f) {
        const char *ours =
            arena_printf(scan->arena, "%c", (int)(cp - 0xff01 + '!'));
        struct diag *diag =
            scan_error(scan, DIAG_E0018, lo, lo + len,
                       "`%.*s` is written `%s` in Imp", (int)len, text, ours);
        if (diag)
            diag_fix(scan->ds, diag, diag->range, ours);
        int kind = word_sign(ours);
        return kind ? kind : IMP_YYBAD;
    }
    struct diag *diag =
        scan_error(scan, DIAG_E0015, lo, lo + len,
                   "the character `%.*s` (U+%04X) has no meaning here",
                   (int)len, text, (unsigned)cp);
    if (!diag)
        return IMP_YYBAD;
    if (cp == 0xb0)
        diag_help(scan->ds, diag, "an angle in degrees is written 45 [deg]");
    else if (cp == 0xb2 || cp == 0xb3 || cp == 0xb9 ||
             (cp >= 0x2070 && cp <= 0x2079))
        diag_help(scan->ds, diag, "a power is written with ^: x^2");
    else if (cp == 0x221a)
        diag_help(scan->ds, diag, "a root is written sqrt(x)");
    else if (cp >= 0xbc && cp <= 0xbe)
        diag_help(scan->ds, diag, "a fraction is written (1/2)");
    else if (cp == 0x2206)
        diag_help(scan->ds, diag,
                  "this is the sign of an increment; names may have the letter "
                  "U+0394, Delta");
    else if (cp == 0x2248)
        diag_help(scan->ds, diag,
                  "what is nearly equal differs by little: abs(a - b) < 1e-9");
    else if (cp == 0x221e)
        diag_help(scan->ds, diag,
                  "there is no infinite number; use a large one");
    else if (cp >= 0x201c && cp <= 0x201f)
        diag_help(scan->ds, diag, "texts stand in straight quotes: \"text\"");
    else
        diag_help(scan->ds, diag, "names are made of letters, digits and _");
    return IMP_YYBAD;
}

size_t
scan_word(struct scan *scan, struct token *token, size_t n)
{
    assert(n > 0 && n <= scan->pos);
    size_t lo = scan->pos - n, which = 0;
    const char *word = scan->text + lo;
    while (which < n) {
        uint32_t cp = 0;
        size_t len = utf8_decode(word + which, n - which, &cp);
        if (len == 0)
            len = 1;
        if (which == 0 && !name_start(cp)) {
            /* a blank of another script, or an invisible joiner */
            utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)cp);
            if (c == UTF8PROC_CATEGORY_ZS || c == UTF8PROC_CATEGORY_CF)
                token->kind = -1;
            else if (utf8_unsafe(cp))
                token->kind = IMP_YYBAD; /* told when the text was opened */
            else
                token->kind = strange(scan, cp, lo, len);
            return len;
        }
        if (!name_part(cp))
            break;
        which += len;
    }
    token->kind = word_keyword(word, which);
    if (token->kind == 0) {
        token->kind = IMP_YYNAME;
        if (which > MAX_NAME) {
            scan_error(scan, DIAG_E0019, lo, lo + which,
                       "this name has %zu bytes; %d are the most", which,
                       MAX_NAME);
            token->text = intern(scan->names, word, MAX_NAME);
        } else {
            token->text = name_normal(scan->names, word, which);
        }
    }
    return which;
}

/* -- numbers --------------------------------------------------------------- */

static void
read_number(struct scan *scan, struct token *token, size_t lo, size_t n)
{
    if (num_read(scan->text + lo, n, &token->num) == 0)
        token->num = 0.0;
    size_t digits = strcspn(scan->text + lo, "eE");
    bool zero = true, small = token->num == 0.0;
    for (size_t i = 0; small && i < n && i < digits; i++)
        zero &= !strchr("123456789", scan->text[lo + i]);
    if (isfinite(token->num) && (!small || zero))
        return;
    token->num = 1.0;
    struct diag *diag =
        scan_error(scan, DIAG_E0011, lo, lo + n, "the number %s is too %s",
                   shown(scan, scan->text + lo, n), small ? "small" : "large");
    if (diag)
        diag_help(scan->ds, diag, "%s; choose other units",
                  small ? "the least number above 0 is about 4.9e-324"
                        : "the largest number is about 1.8e308");
}

void
scan_number(struct scan *scan, struct token *token, size_t n)
{
    assert(n > 0 && n <= scan->pos);
    read_number(scan, token, scan->pos - n, n);
}

/* 1_000 */
static bool
grouped(const char *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (w[i] != '_' && (unsigned char)(w[i] - '0') >= 10)
            return false;
    return n < SHOWN;
}

static const char *
ungrouped(struct scan *scan, const char *w, size_t n)
{
    char *out = arena_alloc(scan->arena, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (w[i] != '_')
            out[m++] = w[i];
    return out;
}

/* Says what letters right behind a number may mean: 1.0f and 2.5d3 of other
 * languages, or a product. */
static void
number_elsewhere(struct scan *scan, struct diag *diag, const char *word,
                 size_t at, size_t end, size_t lo)
{
    bool one = end == at + 1;
    size_t digits = strspn(word + at + 1, "0123456789");
    bool sign = lo + end < scan->len && strchr("+-", scan->text[lo + end]);
    if (one && strchr("fFlL", word[at])) {
        diag_help(scan->ds, diag, "a number has no letter behind it");
        diag_fix(scan->ds, diag, place(scan, lo + at, lo + end), "");
    } else if (strchr("dD", word[at]) &&
               (one ? sign : digits == end - at - 1)) {
        diag_help(scan->ds, diag,
                  "a power of ten is written with e; a product needs its *");
        diag_fix(scan->ds, diag, place(scan, lo + at, lo + at + 1), "e");
    } else {
        diag_help(scan->ds, diag,
                  "a product needs its *, a unit its brackets, and a name "
                  "begins with a letter");
        diag_fix(scan->ds, diag, place(scan, lo + at, lo + at), "*");
    }
}

size_t
scan_junk(struct scan *scan, struct token *token, size_t n_junk)
{
    assert(n_junk > 0 && n_junk <= scan->pos);
    size_t lo = scan->pos - n_junk;
    const char *word = scan->text + lo;
    double x = 0.0;
    size_t at = num_read(word, n_junk, &x);
    /* scan_word reports "90" and a sign that is no letter */
    uint32_t cp = 0;
    utf8_decode(word + at, n_junk - at, &cp);
    read_number(scan, token, lo, at);
    if (!name_start(cp))
        return at;
    size_t end = at;
    while (end < n_junk) {
        size_t len = utf8_decode(word + end, n_junk - end, &cp);
        if (len == 0 || !name_part(cp))
            break;
        end += len;
    }
    bool exponent = (word[at] | 32) == 'e' && end == at + 1;
    struct diag *diag;
    if (exponent) {
        diag = scan_error(scan, DIAG_E0010, lo, lo + end,
                          "the exponent of %s has no digits",
                          shown(scan, word, end));
        if (diag)
            diag_help(scan->ds, diag, "write 1e-3 for a thousandth");
    } else if (scan->last >= IMP_YYPARAM && scan->last <= IMP_YYCOORDINATE) {
        diag = scan_error(scan, DIAG_E0010, lo, lo + end,
                          "a name begins with a letter; %s does not",
                          shown(scan, word, end));
        token->kind = IMP_YYBAD;
    } else if (word[at] == '_' && grouped(word, end)) {
        diag = scan_error(scan, DIAG_E0010, lo, lo + end,
                          "the digits of a number are not grouped");
        if (diag)
            diag_fix(scan->ds, diag, diag->range, ungrouped(scan, word, end));
    } else if (word_is_unit(arena_strndup(scan->arena, word + at, end - at)) &&
               end - at > 1) {
        diag = scan_error(scan, DIAG_E0010, lo, lo + end,
                          "the unit of a number stands in brackets");
        if (diag)
            diag_fix(scan->ds, diag, place(scan, lo + at, lo + end),
                     arena_printf(scan->arena, " [%.*s]", (int)(end - at),
                                  word + at));
    } else if (word[0] == '0' && at == 1 && (word[1] | 32) == 'x') {
        diag = scan_error(scan, DIAG_E0010, lo, lo + end,
                          "numbers are decimal; %s is not",
                          shown(scan, word, end));
        char *stop = NULL;
        unsigned long long number = strtoull(word, &stop, 16);
        if (diag && stop == word + end && end < 16)
            diag_fix(scan->ds, diag, diag->range,
                     arena_printf(scan->arena, "%llu", number));
    } else {
        diag = scan_error(scan, DIAG_E0010, lo, lo + end,
                          "%s is neither a number nor a name",
                          shown(scan, word, end));
        bool unit =
            word_is_unit(arena_strndup(scan->arena, word + at, end - at));
        if (diag && cp == 0xba) {
            diag_help(scan->ds, diag,
                      "an angle in degrees is written 45 [deg]");
        } else if (diag && unit) {
            diag_help(scan->ds, diag,
                      "a unit has brackets, %.*s [%.*s]; a product its *, "
                      "%.*s*%.*s",
                      (int)at, word, (int)(end - at), word + at, (int)at, word,
                      (int)(end - at), word + at);
        } else if (diag) {
            number_elsewhere(scan, diag, word, at, end, lo);
        }
    }
    return end;
}

size_t
scan_two_ways(struct scan *scan, struct token *token, size_t n)
{
    assert(scan);
    size_t lo = scan->pos - n, at = 0;
    double x;
    at = num_read(scan->text + lo, n, &x);
    read_number(scan, token, lo, at);
    struct diag *diag = scan_error(scan, DIAG_E0012, lo, lo + n,
                                   "`%s` could be read in two ways",
                                   shown(scan, scan->text + lo, n));
    if (diag) {
        diag_help(scan->ds, diag, "a range has blanks around its points");
        diag_fix(scan->ds, diag, place(scan, lo + at, lo + at + 2), " .. ");
    }
    return at;
}

size_t
scan_pointed(struct scan *scan, struct token *token, size_t n)
{
    assert(scan);
    size_t lo = scan->pos - n;
    read_number(scan, token, lo, n - 1);
    if (scan->pos < scan->len && scan->text[scan->pos] == '.')
        return n - 1; /* 0..n: a range */
    struct diag *diag = scan_error(scan, DIAG_E0010, lo, scan->pos,
                                   "a digit must follow the decimal point");
    if (diag)
        diag_fix(scan->ds, diag, place(scan, scan->pos - 1, scan->pos), ".0");
    return n;
}

/* -- strings --------------------------------------------------------------- */

/* Reads the escape at word[at] = '\\' and appends what it stands for to out.
 * Returns the bytes taken. */
static size_t
escape(struct scan *scan, const char *word, size_t at, size_t n_word, char *out,
       size_t *n_out)
{
    size_t lo = (size_t)(word - scan->text) + at;
    char c = at + 1 < n_word ? word[at + 1] : 0;
    const char *from = "nt\"\\", *to = "\n\t\"\\";
    for (int k = 0; k < 4; k++) {
        if (c == from[k]) {
            out[(*n_out)++] = to[k];
            return 2;
        }
    }
    if (c == 'u' && at + 2 < n_word && word[at + 2] == '{') {
        size_t digit = at + 3;
        uint32_t cp = 0;
        for (; digit < n_word && digit < at + 10; digit++) {
            char h = word[digit];
            if (h >= '0' && h <= '9')
                cp = cp * 16 + (uint32_t)(h - '0');
            else if ((h | 32) >= 'a' && (h | 32) <= 'f')
                cp = cp * 16 + (uint32_t)((h | 32) - 'a' + 10);
            else
                break;
        }
        bool whole = digit < n_word && word[digit] == '}' && digit > at + 3;
        if (whole && cp > 0 && cp <= 0x10ffff &&
            !(cp >= 0xd800 && cp < 0xe000)) {
            *n_out += utf8_encode(out + *n_out, cp);
            return digit + 1 - at;
        }
        struct diag *diag = scan_error(scan, DIAG_E0014, lo,
                                       lo + (digit - at) + (whole ? 1 : 0),
                                       "this is not the number of a character");
        if (diag)
            diag_help(scan->ds, diag,
                      "write 1 to 6 hexadecimal digits: \\u{3b8} is theta");
        return digit - at + (whole ? 1 : 0);
    }
    uint32_t cp = 0;
    size_t len =
        at + 1 < n_word ? utf8_decode(word + at + 1, n_word - at - 1, &cp) : 0;
    struct diag *diag =
        scan_error(scan, DIAG_E0014, lo, lo + 1 + len,
                   "`\\%.*s` is no escape of Imp", (int)len, word + at + 1);
    if (diag)
        diag_help(scan->ds, diag,
                  "escapes are \\n \\t \\\" \\\\ and \\u{...}; a "
                  "backslash itself is written \\\\");
    return 1 + len;
}

void
scan_string(struct scan *scan, struct token *token, size_t len, bool closed)
{
    assert(len > 0 && len <= scan->pos);
    size_t lo = scan->pos - len;
    const char *word = scan->text + lo;
    if (!closed) {
        while (len > 1 && (word[len - 1] == '\r' || word[len - 1] == ' '))
            len--;
        struct diag *diag = scan_error(scan, DIAG_E0013, lo, lo + len,
                                       "this text has no closing quote");
        if (diag) {
            diag_help(scan->ds, diag,
                      "a text ends on the line it begins on; "
                      "longer ones use \\n, and doc strings may "
                      "follow one another");
            diag_fix(scan->ds, diag, place(scan, lo + len, lo + len), "\"");
        }
        token->text = "";
        return;
    }
    /* every escape is at least as long as what it stands for */
    char *out = arena_alloc(scan->arena, len + 1);
    size_t m = 0;
    for (size_t i = 1; i + 1 < len;) {
        if (word[i] == '\\')
            i += escape(scan, word, i, len - 1, out, &m);
        else
            out[m++] = word[i++];
    }
    out[m] = 0;
    token->text = out;
}

/* -- what is not Imp ------------------------------------------------------- */

/* A comment between brackets of C, n bytes at lo, as one of Imp; NULL where it
 * has several lines, or something follows on its line. */
static const char *
hashed(const struct scan *scan, size_t lo, size_t n)
{
    const char *text = scan->text + lo;
    if (memchr(text, '\n', n))
        return NULL;
    for (size_t i = lo + n; i < scan->len && scan->text[i] != '\n'; i++)
        if (!isspace((unsigned char)scan->text[i]))
            return NULL;
    size_t end = n - 2;
    while (end > 2 && isspace((unsigned char)text[end - 1]))
        end--;
    return arena_printf(scan->arena, "#%.*s", (int)(end - 2), text + 2);
}

/* Does a value end before the sign at lo, so that the sign joins two? */
static bool
joins_values(const struct scan *scan, size_t lo)
{
    size_t hi = lo;
    while (hi > 0 && (scan->text[hi - 1] == ' ' || scan->text[hi - 1] == '\t'))
        hi--;
    size_t begin = hi;
    while (begin > 0 && isalpha((unsigned char)scan->text[begin - 1]))
        begin--;
    static const char *const words[] = {"and",  "or",   "not",    "if",
                                        "then", "else", "expect", "show"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hi - begin == strlen(words[i]) &&
            !memcmp(scan->text + begin, words[i], hi - begin))
            return false;
    unsigned char last = hi > 0 ? (unsigned char)scan->text[hi - 1] : 0;
    return isalnum(last) || (last && strchr("_)]'", last));
}

void
scan_foreign(struct scan *scan, size_t n, const char *ours, const char *why)
{
    assert(scan);
    size_t lo = scan->pos - n;
    bool comment = ours[0] == '#';
    bool brackets = comment && scan->text[lo + 1] == '*';
    size_t shown = comment ? 2 : n; /* a comment was matched whole */
    struct diag *diag = scan_error(scan, DIAG_E0018, lo, lo + shown,
                                   "`%.*s` is not written like this "
                                   "in Imp: %s",
                                   (int)shown, scan->text + lo, why);
    if (!diag)
        return;
    bool shell = scan->text[lo] == '!' &&
                 (lo == 0 || scan->text[lo - 1] == '\n') &&
                 isalpha((unsigned char)scan->text[lo + 1]);
    if (shell) {
        diag_help(scan->ds, diag, "there are no commands of the shell here");
    } else if (scan->text[lo] == '~' && n == 1 && joins_values(scan, lo)) {
        diag_help(scan->ds, diag,
                  "a formula is fitted to columns of data: let f = fit a*d.x "
                  "to d.y over (a)");
    } else if (brackets) {
        const char *text = hashed(scan, lo, n);
        diag_help(scan->ds, diag,
                  "put the comment on lines of its own, each with a # before "
                  "it");
        if (text)
            diag_fix(scan->ds, diag, place(scan, lo, lo + n), text);
    } else {
        diag_fix(scan->ds, diag, diag->range, ours);
    }
}

void
scan_spelling(struct scan *scan, imp_range range, const char *ours,
              const char *help)
{
    assert(scan && ours);
    struct diag *diag = scan_error(
        scan, DIAG_E0030, range.lo, range.hi, "there is no command `%.*s`",
        (int)(range.hi - range.lo), scan->text + range.lo);
    if (!diag)
        return;
    if (help) {
        diag_help(scan->ds, diag, "%s", help);
        return;
    }
    diag_help(scan->ds, diag, "did you mean `%s`?", ours);
    diag_fix(scan->ds, diag, range, ours);
}

void
scan_dots(struct scan *scan, size_t n)
{
    assert(scan);
    struct diag *diag = scan_error(scan, DIAG_E0015, scan->pos - n, scan->pos,
                                   "`...` stands for something left out");
    if (diag)
        diag_help(scan->ds, diag,
                  "write it out; a range has two points: 0 .. 9");
}

void
scan_stray(struct scan *scan, size_t n)
{
    assert(scan);
    size_t lo = scan->pos - n;
    unsigned char byte = (unsigned char)scan->text[lo];
    if (byte < 0x20 || byte == 0x7f)
        return; /* told when the text was opened */
    struct diag *diag =
        scan_error(scan, DIAG_E0015, lo, lo + n,
                   "the character `%c` has no meaning here", byte);
    if (!diag)
        return;
    size_t after = strspn(scan->text + lo + 1, " ") + lo + 1;
    bool share = lo > 0 && (scan->text[lo - 1] == '[' ||
                            isdigit((unsigned char)scan->text[lo - 1]));
    if (lo > 1 && scan->text[lo - 1] == ' ' && /* nothing that it divides */
        isdigit((unsigned char)scan->text[lo - 2]))
        share = !isalnum((unsigned char)scan->text[after]);
    if (byte == '%' && share)
        diag_help(scan->ds, diag, "a share is a number: 50 percent are 0.5");
    else if (byte == '%')
        diag_help(scan->ds, diag,
                  "a comment begins with #, a remainder is fmod(a, b)");
    else if (byte == '&')
        diag_help(scan->ds, diag, "conditions are joined with `and`");
    else if (byte == '@' && scan->text[lo + 1] == '(')
        diag_help(scan->ds, diag,
                  "a function is declared with `fn`: fn f(x) = x^2");
    else if (byte == '$')
        diag_help(scan->ds, diag,
                  "names are made of letters, digits and _; a field stands "
                  "behind a point: d.x");
    else if (byte == '?')
        diag_help(scan->ds, diag,
                  "a choice is written: if a > b then a else b");
    else
        diag_help(scan->ds, diag, "names are made of letters, digits and _");
}
