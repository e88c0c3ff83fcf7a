/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mutations of models for the fuzz targets: of tokens (numbers, names,
 * operators), lines and blocks instead of bytes, so that most of what comes out
 * still parses and many models still run; and questions at the end, about
 * contacts and systems that the text has. A function of the seed alone.
 *
 * The first byte of an input belongs to the target (fuzz_parse.c, fuzz_run.c)
 * and is changed by itself. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b,
                                 size_t nb, uint8_t *out, size_t most,
                                 unsigned seed);

enum { TOKENS_MOST = 4096, TEXT_MOST = 1 << 16 };

struct token {
    size_t at, n;
    enum { WORD, NUMBER, STRING, SIGN, BLANK, NOTE } kind;
};
struct model {
    char s[TEXT_MOST];
    size_t n, most;
    struct token t[TOKENS_MOST];
    size_t n_t;
    uint64_t seed;
};

static uint64_t
draw(struct model *m, size_t n)
{
    m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return n ? (m->seed >> 33) % n : 0;
}

#define ONE_OF(m, list) (list)[draw((m), sizeof(list) / sizeof *(list))]

/* -- words of the language --------------------------------------------------
 */

static const char *const commands[] = {
#define COMMAND(name, args, avail, rules, traits, doc) #name,
#include "abi/commands.def"
};
static const struct {
    const char *command, *key, *kind;
} options[] = {
#define OPTION(command, key, kind, limits, unit, dflt, doc) {#command, #key, #kind},
#include "abi/commands.def"
};
static const char *const fields[] = {
#define FIELD(command, name, kind, of, unit, doc) #name,
#include "abi/commands.def"
};
static const char *const words[] = {
    "param",       "let",        "fn",         "shape",
    "body",        "world",      "contact",    "joint",
    "system",      "coordinate", "kinetic",    "potential",
    "observer",    "jump",       "start",      "gap",
    "restitution", "in",         "and",        "or",
    "not",         "if",         "then",       "else",
    "true",        "false",      "use",        "shapes",
    "chatter",     "laws",       "priority",   "position",
    "velocity",    "spin",       "axis",       "angle",
    "density",     "mass",       "inertia",    "centre",
    "level",       "gravity",    "at",         "normal",
    "direction",   "law",        "policy",     "seed",
    "structural",  "random",     "order",      "time",
    "newton",      "poisson",    "energetic",  "complementarity",
    "sequential",  "least_norm", "rest",       "through",
    "stop",        "enforce",    "fixed",      "box",
    "circle",      "sphere",     "ellipse",    "ellipsoid",
    "polygon",     "polyhedron", "half_plane", "half_space",
    "hinge",       "slider",     "ball",       "weld",
    "screw",       "twist",      "wrench",     "sin",
    "cos",         "tan",        "exp",        "log",
    "sqrt",        "abs",        "min",        "max",
    "floor",       "sign",       "mod",        "atan2",
    "asin",        "acosh",      "det",        "inv",
    "transpose",   "dot",        "cross",      "norm",
    "diag",        "linspace",   "sum",        "series",
    "before",      "after",      "jump",       "energy",
    "x",           "y",          "z",          "t",
    "pi",          "i",          "e",          "gamma",
    "rho",         "phi",        "h",          "w",
    "m",           "s",          "kg",         "N",
    "J",           "deg",        "mm"};
static const char *const numbers[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "7",
                                      "8",
                                      "16",
                                      "17",
                                      "0.5",
                                      "0.1",
                                      "0.9",
                                      "0.999",
                                      "1e-3",
                                      "1e-9",
                                      "1e-12",
                                      "1e-16",
                                      "1e-200",
                                      "1e-308",
                                      "4.9e-324",
                                      "1e3",
                                      "1e6",
                                      "1e9",
                                      "1e16",
                                      "1e154",
                                      "1e200",
                                      "1.7e308",
                                      "9.81",
                                      "64",
                                      "100",
                                      "255",
                                      "65536",
                                      "4294967296",
                                      "9007199254740993",
                                      "1.5",
                                      "0.25",
                                      "0.3333333333333333",
                                      "3.141592653589793",
                                      "0.7071067811865476",
                                      "(1/0)",
                                      "(0/0)",
                                      "(-1)",
                                      "(-0.5)",
                                      "(1 - 1)",
                                      "(-1e-9)"};
static const char *const values[] = {"0",
                                     "1",
                                     "true",
                                     "false",
                                     "(1, 0)",
                                     "(0, 0, 1)",
                                     "(1)",
                                     "()",
                                     "linspace(0, 1, 4)",
                                     "0 .. 3",
                                     "(0.1, 0.2, 0.3)",
                                     "\"a.csv\"",
                                     "\"a.h5\"",
                                     "newton",
                                     "sequential",
                                     "stop",
                                     "through",
                                     "t",
                                     "x*y",
                                     "if t > 0 then 1 else 2",
                                     "abs(t)",
                                     "floor(t)",
                                     "1 [s]",
                                     "2 [m]",
                                     "(1, 2) [m/s]",
                                     "sqrt(t)",
                                     "1/t",
                                     "exp(700*t)"};
static const char *const signs[] = {
    "+", "-", "*",  "/", "^", "'",   "==",   "<",   ">=", ".",
    ",", "|", "..", "=", ":", "[0]", "[-1]", "[i]", "''"};

/* -- tokens -----------------------------------------------------------------
 */

static void
split(struct model *m)
{
    const char *s = m->s;
    m->n_t = 0;
    for (size_t i = 0; i < m->n && m->n_t < TOKENS_MOST;) {
        struct token *t = &m->t[m->n_t++];
        size_t k = i + 1;
        unsigned char c = (unsigned char)s[i];
        t->at = i;
        if (isdigit(c) || (c == '.' && k < m->n && isdigit(s[k]))) {
            t->kind = NUMBER;
            while (k < m->n && (isalnum((unsigned char)s[k]) ||
                                (s[k] == '.' && s[k - 1] != '.') ||
                                (strchr("+-", s[k]) && s[k] &&
                                 (s[k - 1] == 'e' || s[k - 1] == 'E'))))
                k++;
        } else if (isalpha(c) || c == '_' || c >= 128) {
            t->kind = WORD;
            while (k < m->n && (isalnum((unsigned char)s[k]) || s[k] == '_' ||
                                (unsigned char)s[k] >= 128))
                k++;
        } else if (c == '#') {
            t->kind = NOTE;
            while (k < m->n && s[k] != '\n')
                k++;
        } else if (c == '"') {
            t->kind = STRING;
            while (k < m->n && s[k] != '"' && s[k] != '\n')
                k++;
            k += k < m->n;
        } else if (isspace(c)) {
            t->kind = BLANK;
            while (k < m->n && isspace((unsigned char)s[k]))
                k++;
        } else {
            t->kind = SIGN;
        }
        t->n = k - i;
        i = k;
    }
}

/* puts `by` in the place of n bytes; nothing where there is no room */
static void
put(struct model *m, size_t at, size_t n, const char *by, size_t n_by)
{
    if (at > m->n || n > m->n - at || m->n - n + n_by > m->most)
        return;
    memmove(m->s + at + n_by, m->s + at + n, m->n - at - n);
    memcpy(m->s + at, by, n_by);
    m->n += n_by - n;
}

/* a token of that kind, NULL if there are none */
static const struct token *
some(struct model *m, int kind)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_t; i++)
        n += (int)m->t[i].kind == kind;
    if (!n)
        return NULL;
    size_t k = draw(m, n);
    for (size_t i = 0; i < m->n_t; i++)
        if ((int)m->t[i].kind == kind && k-- == 0)
            return &m->t[i];
    return NULL;
}

/* -- one change -------------------------------------------------------------
 */

static void
other_number(struct model *m)
{
    const struct token *t = some(m, NUMBER), *u;
    char b[64];
    if (!t)
        return;
    double x = strtod(m->s + t->at, NULL);
    static const double factor[] = {-1,  2,    0.5,      10,          0.1,
                                    1.1, 0.99, 1 + 1e-9, 1 - 1.2e-16, 1e-8};
    switch (draw(m, 4)) {
    case 0:
        snprintf(b, sizeof b, "%.17g", x * ONE_OF(m, factor));
        break;
    case 1:
        snprintf(b, sizeof b, "%.17g", x + (double)(int)draw(m, 5) - 2);
        break;
    case 2:
        u = some(m, NUMBER);
        snprintf(b, sizeof b, "%.*s", (int)(u->n < 60 ? u->n : 60),
                 m->s + u->at);
        break;
    default:
        snprintf(b, sizeof b, "%s", ONE_OF(m, numbers));
    }
    put(m, t->at, t->n, b, strlen(b));
}

static void
other_word(struct model *m)
{
    const struct token *t = some(m, WORD), *u = some(m, WORD);
    const char *w = NULL;
    char b[256];
    if (!t)
        return;
    switch (draw(m, 6)) {
    case 0:
        w = ONE_OF(m, words);
        break;
    case 1:
        w = ONE_OF(m, fields);
        break;
    case 2:
        w = options[draw(m, sizeof options / sizeof *options)].key;
        break;
    case 3:
        w = ONE_OF(m, numbers);
        break;
    default:
        snprintf(b, sizeof b, "%.*s", (int)(u->n < 250 ? u->n : 250),
                 m->s + u->at);
        w = b;
    }
    put(m, t->at, t->n, w, strlen(w));
}

static void
other_sign(struct model *m)
{
    const struct token *t = some(m, SIGN);
    const char *w = ONE_OF(m, signs);
    if (t && !strchr("{}()", m->s[t->at]))
        put(m, t->at, t->n, w, strlen(w));
}

/* a number or a name becomes an expression */
static void
wrap(struct model *m)
{
    static const char *const around[] = {
        "abs(%s)",  "sqrt(%s)",  "(1/%s)",
        "(%s + t)", "(%s*t)",    "sin(%s)",
        "(%s, %s)", "(-%s)",     "%s^2",
        "%s'",      "%s''",      "floor(%s)",
        "log(%s)",  "%s[0]",     "if %s > 1 then %s else 0",
        "exp(%s)",  "(%s - %s)", "max(%s)",
        "%s [m]",   "(%s)^0.5",  "series(%s, 3)",
        "%s.x"};
    const struct token *t = some(m, (int)draw(m, 2));
    const char *f = ONE_OF(m, around);
    char b[512];
    size_t n = 0;
    if (!t || t->n > 60)
        return;
    for (; *f; f++)
        if (*f == '%') {
            memcpy(b + n, m->s + t->at, t->n);
            n += t->n;
            f++;
        } else {
            b[n++] = *f;
        }
    put(m, t->at, t->n, b, n);
}

static void
line_at(const struct model *m, size_t at, size_t *lo, size_t *hi)
{
    for (*lo = at; *lo > 0 && m->s[*lo - 1] != '\n'; --*lo)
        ;
    for (*hi = at; *hi < m->n && m->s[*hi] != '\n'; ++*hi)
        ;
    *hi += *hi < m->n;
}

/* the line there, or all of a block that begins on it */
static void
item_at(const struct model *m, size_t at, size_t *lo, size_t *hi)
{
    int depth = 0;
    line_at(m, at, lo, hi);
    for (size_t i = *lo; i < m->n; i++) {
        depth += m->s[i] == '{';
        depth -= m->s[i] == '}';
        if (i >= *hi - 1 && depth <= 0) {
            *hi = i + 1;
            return;
        }
    }
}

static void
lines(struct model *m)
{
    static char b[TEXT_MOST];
    size_t lo, hi, to, end;
    if (!m->n)
        return;
    item_at(m, draw(m, m->n), &lo, &hi);
    memcpy(b, m->s + lo, hi - lo);
    if (draw(m, 3)) /* taken out, or moved */
        put(m, lo, hi - lo, "", 0);
    if (draw(m, 2) && m->n) { /* moved, or doubled */
        line_at(m, draw(m, m->n), &to, &end);
        put(m, to, 0, b, hi - lo);
    }
}

static void
tokens(struct model *m)
{
    if (!m->n_t)
        return;
    const struct token *t = &m->t[draw(m, m->n_t)], *u = &m->t[draw(m, m->n_t)];
    char b[256];
    size_t n = u->n < sizeof b ? u->n : sizeof b;
    memcpy(b, m->s + u->at, n);
    put(m, t->at, draw(m, 2) ? t->n : 0, b, draw(m, 3) ? n : 0);
}

/* -- questions --------------------------------------------------------------
 */

/* a name that is declared by this word, as "contact NAME"; a default if none */
static void
name_of(struct model *m, const char *word, char *to, size_t room)
{
    size_t n = 0, k = strlen(word);
    snprintf(to, room, "x");
    for (size_t pass = 0; pass < 2; pass++) {
        size_t at = pass ? draw(m, n) : 0;
        for (size_t i = 0; i + 2 < m->n_t; i++) {
            const struct token *t = &m->t[i], *u = &m->t[i + 2];
            if (t->kind != WORD || u->kind != WORD || t->n != k ||
                memcmp(m->s + t->at, word, k))
                continue;
            if (!pass)
                n++;
            else if (at-- == 0)
                snprintf(to, room, "%.*s", (int)(u->n < 40 ? u->n : 40),
                         m->s + u->at);
        }
        if (!n)
            return;
    }
}

/* the contact of a system is named through it */
static void
contact_of(struct model *m, char *to, size_t room)
{
    char system[48], contact[48];
    name_of(m, "contact", contact, sizeof contact);
    name_of(m, "system", system, sizeof system);
    if (strcmp(system, "x") && draw(m, 4))
        snprintf(to, room, draw(m, 2) ? "%s.%s[%d]" : "%s.%s", system,
                 draw(m, 2) ? contact : "foot", (int)draw(m, 3));
    else
        snprintf(to, room, "%s", contact);
}

static void
value_of(struct model *m, const char *kind, char *to, size_t room)
{
    char a[112], p[48], s[48];
    if (!strcmp(kind, "NUM") && draw(m, 8)) {
        snprintf(to, room, "%s", ONE_OF(m, numbers));
    } else if (!strcmp(kind, "AXES") || !strcmp(kind, "AXIS")) {
        name_of(m, "param", p, sizeof p);
        snprintf(
            to, room,
            draw(m, 2) ? "(%s in [0.1, 0.9])" : "(%s in linspace(0, 1, 3))", p);
    } else if (!strcmp(kind, "CONTACTS")) {
        contact_of(m, a, sizeof a);
        snprintf(to, room, "%s", a);
    } else if (!strcmp(kind, "QUESTION")) {
        contact_of(m, a, sizeof a);
        name_of(m, "system", s, sizeof s);
        switch (draw(m, 4)) {
        case 0:
            snprintf(to, room, "chatter %s", s);
            break;
        case 1:
            snprintf(to, room, "impact %s", a);
            break;
        case 2:
            snprintf(to, room, "cone %s { iterations = 20 }", s);
            break;
        default:
            snprintf(to, room, "classify %s", a);
        }
    } else if (!strcmp(kind, "VALUES") && draw(m, 2)) {
        name_of(m, "system", s, sizeof s);
        name_of(m, "coordinate", p, sizeof p);
        snprintf(to, room, "(%s.%s, %s.%s', t)", s, p, s, p);
    } else {
        snprintf(to, room, "%s", ONE_OF(m, values));
    }
}

static void
question(struct model *m)
{
    char b[1024], x[256];
    const char *c = ONE_OF(m, commands);
    size_t n = 0, n_opts = sizeof options / sizeof *options;
#define SAY(...) n += (size_t)snprintf(b + n, sizeof b - n, __VA_ARGS__)
    SAY("\n%s%s ", draw(m, 2) ? "let q = " : "", c);
    contact_of(m, x, sizeof x);
    if (!strcmp(c, "chatter") || !strcmp(c, "cone") || !strcmp(c, "similar") ||
        !strcmp(c, "threshold"))
        name_of(m, "system", x, sizeof x);
    else if (!strcmp(c, "show") || !strcmp(c, "plot") || !strcmp(c, "save"))
        snprintf(x, sizeof x, draw(m, 2) ? "q" : "q.%s", ONE_OF(m, fields));
    else if (!strcmp(c, "expect"))
        snprintf(x, sizeof x, "%s == %s", ONE_OF(m, values), ONE_OF(m, values));
    else if (!strcmp(c, "simulate") || !strcmp(c, "sweep"))
        x[0] = 0;
    SAY("%s { ", x);
    for (size_t i = 0; i < n_opts && n < sizeof b - 320; i++) {
        int must = !strcmp(options[i].key, "until") ||
                   !strcmp(options[i].key, "over") ||
                   !strcmp(options[i].key, "run");
        if (strcmp(options[i].command, c) ||
            draw(m, must ? 8 : 3) == (must ? 0 : 1) || (!must && draw(m, 2)))
            continue;
        value_of(m, options[i].kind, x, sizeof x);
        SAY("%s = %s  ", options[i].key, x);
    }
    SAY("}\n");
#undef SAY
    put(m, m->n, 0, b, n);
}

static void
change(struct model *m)
{
    split(m);
    switch (draw(m, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        other_number(m);
        break;
    case 5:
    case 6:
    case 7:
        other_word(m);
        break;
    case 8:
        other_sign(m);
        break;
    case 9:
    case 10:
        wrap(m);
        break;
    case 11:
    case 12:
        lines(m);
        break;
    case 13:
        tokens(m);
        break;
    default:
        question(m);
    }
}

static struct model *
begin(const uint8_t *data, size_t n, size_t most, unsigned seed)
{
    struct model *m = malloc(sizeof *m);
    if (!m)
        abort();
    m->seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    m->most = most - 1 < TEXT_MOST ? most - 1 : TEXT_MOST;
    m->n = n - 1 < m->most ? n - 1 : m->most;
    memcpy(m->s, data + 1, m->n);
    return m;
}

static size_t
end(struct model *m, uint8_t *out)
{
    size_t n = m->n + 1;
    memcpy(out + 1, m->s, m->n);
    free(m);
    return n;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed)
{
    if (n < 2 || most < 2 || seed % 32 == 0)
        return LLVMFuzzerMutate(data, n, most);
    struct model *m = begin(data, n, most, seed);
    if (draw(m, 16) == 0)
        data[0] = (uint8_t)draw(m, 256);
    for (size_t k = 1 + draw(m, draw(m, 3) ? 2 : 8); k > 0; k--)
        change(m);
    return end(m, data);
}

/* an item of b is put between two of a */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b,
                          size_t nb, uint8_t *out, size_t most, unsigned seed)
{
    if (na < 2 || nb < 2 || most < 2)
        return 0;
    struct model *from = begin(b, nb, TEXT_MOST, seed);
    struct model *to = begin(a, na, most, seed);
    for (size_t k = 1 + draw(from, 4); k > 0; k--) {
        size_t lo, hi, at, behind;
        item_at(from, draw(from, from->n), &lo, &hi);
        line_at(to, draw(from, to->n), &at, &behind);
        if (draw(from, 2))
            at = to->n;
        put(to, at, at < to->n && draw(from, 4) == 0 ? behind - at : 0,
            from->s + lo, hi - lo);
    }
    free(from);
    out[0] = a[0];
    return end(to, out);
}
