/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units with their dimension: unit expressions ([m/s^2], [kg*m^2], [1]) as
 * syntax or as text. A scale is kept as a fraction num/den, so that 3 [mm] is
 * the double nearest to 0.003. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "base/units.h"
#include "check/values/values.h"

/* The same unit with its dimension; false where a power is no simple ratio. */
static bool
unit_of_scale(struct dims *ds, const struct unit_scale *scale,
              struct unit *unit)
{
    _Static_assert(DIM_BASES == UNIT_BASES, "the same base units");
    const struct dim *dim = dim_pure(ds);
    for (int k = 0; k < DIM_BASES; k++) {
        struct ratio power;
        if (!ratio_of(scale->power[k], &power))
            return false;
        if (power.p)
            dim = dim_mul(ds, dim,
                          dim_pow(ds, dim_unit(ds, (enum dim_base)k), power));
    }
    *unit = (struct unit){scale->num, scale->den, dim};
    return true;
}

static bool
unit_named(struct dims *ds, const char *name, size_t count, struct unit *unit)
{
    struct unit_scale scale;
    return unit_find(name, count, &scale) && unit_of_scale(ds, &scale, unit);
}

static struct unit
unit_mul(struct dims *ds, struct unit a, struct unit b)
{
    return (struct unit){a.num * b.num, a.den * b.den,
                         dim_mul(ds, a.dim, b.dim)};
}
static struct unit
unit_inv(struct dims *ds, struct unit a)
{
    return (struct unit){a.den, a.num, dim_div(ds, dim_pure(ds), a.dim)};
}
static struct unit
unit_pow(struct dims *ds, struct unit a, struct ratio exponent)
{
    double number = (double)exponent.p / exponent.q;
    return (struct unit){a.num == 1 ? 1 : pow(a.num, number),
                         a.den == 1 ? 1 : pow(a.den, number),
                         dim_pow(ds, a.dim, exponent)};
}

/* -- as syntax ------------------------------------------------------------ */

static bool
exponent(const struct ast_expr *node, struct ratio *ratio)
{
    struct ratio num, den;
    switch (node->kind) {
    case AST_NUM:
        return !node->unit && ratio_of(node->num, ratio);
    case AST_PAREN:
        return !node->unit && exponent(node->a, ratio);
    case AST_NEG:
        if (!exponent(node->a, ratio))
            return false;
        ratio->p = -ratio->p;
        return true;
    case AST_BINARY:
        if (node->op != AST_DIV || !exponent(node->a, &num) ||
            !exponent(node->b, &den) || !den.p)
            return false;
        *ratio = ratio_make((int64_t)num.p * den.q, (int64_t)num.q * den.p);
        return true;
    default:
        return false;
    }
}

struct foreign_unit {
    const char *word, *ours, *help;
};

/* The row of a unit of other systems or of another spelling, or NULL. */
static const struct foreign_unit *
foreign_unit(const char *word)
{
    static const struct foreign_unit row[] = {
#include "check/foreign_units.def"
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (!strcmp(row[i].word, word))
            return &row[i];
    return NULL;
}

/* Two units that are written without a sign between them, as kgm or Nms: their
 * product, or NULL. */
static const char *
run_together(struct check *ck, const char *text)
{
    size_t len = strlen(text);
    struct unit thousand;
    const char *small = arena_printf(ck->arena, "k%s", text + 1);
    if (text[0] == 'K' && unit_named(ck->dims, small, len, &thousand))
        return NULL; /* a prefix in a capital letter, not kelvin */
    for (size_t k = 1; k < len; k++) {
        struct unit a, b;
        if (unit_named(ck->dims, text, k, &a) &&
            unit_named(ck->dims, text + k, len - k, &b))
            return arena_printf(ck->arena, "%.*s*%s", (int)k, text, text + k);
    }
    return NULL;
}

static const char *
small_letters(struct check *ck, const char *word)
{
    char *low = arena_strndup(ck->arena, word, strlen(word));
    for (char *c = low; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return low;
}

/* The unit, with a prefix perhaps, whose capitals alone the word has otherwise,
 * as KN, Mm and PA; NULL where there is none, or where several are: mpa may be
 * a thousandth or a million. */
static const char *
other_capitals(struct check *ck, const char *word)
{
    char *try = arena_strndup(ck->arena, word, strlen(word));
    size_t len = strlen(word);
    const char *found = NULL;
    for (unsigned capitals = 0; len <= 4 && capitals < 1u << len; capitals++) {
        for (size_t i = 0; i < len; i++)
            try[i] =
                (char)(capitals >> i & 1 ? toupper((unsigned char)word[i])
                                         : tolower((unsigned char)word[i]));
        struct unit unit;
        if (!unit_named(ck->dims, try, len, &unit) ||
            (found && !strcmp(found, try)))
            continue;
        if (found)
            return NULL;
        found = arena_strndup(ck->arena, try, len);
    }
    return found;
}

/* The text of a unit of several factors as it can stand in the place of the
 * node: in brackets behind `/` and before `^`. */
static const char *
as_factor(struct check *ck, const struct ast_expr *node, const char *text)
{
    const struct source *source = source_get(ck->in->sources, node->range.file);
    if (!strpbrk(text, "*/^") || !source)
        return text;
    size_t lo = node->range.lo, hi = node->range.hi;
    while (lo > 0 && source->text[lo - 1] == ' ')
        lo--;
    while (hi < source->len && source->text[hi] == ' ')
        hi++;
    bool divides = lo > 0 && source->text[lo - 1] == '/';
    bool raised = hi < source->len && source->text[hi] == '^';
    return divides || raised ? arena_printf(ck->arena, "(%s)", text) : text;
}

static void
unknown_unit(struct check *ck, const struct ast_expr *node)
{
    const char *text = node->name.text;
    struct diag *diag =
        check_error(ck, DIAG_E0206, node->range, "`%s` is not a unit", text);
    const struct foreign_unit *other = foreign_unit(text);
    const char *product = other ? NULL : run_together(ck, text);
    if (!other && !product)
        other = foreign_unit(small_letters(ck, text));
    const char *ours = other     ? other->ours
                       : product ? product
                                 : other_capitals(ck, text);
    if (other && !ours) {
        CHECK_HELP(ck, diag, "%s", other->help);
    } else if (ours) {
        CHECK_HELP(ck, diag,
                   product ? "units are multiplied with `*`: did you mean `%s`?"
                           : "did you mean `%s`?",
                   ours);
        diag_fix(ck->ds, diag, node->range, as_factor(ck, node, ours));
    } else {
        CHECK_HELP(ck, diag,
                   "units are m, kg, s, rad, deg, N, J, W, Pa, Hz, A, K, mol, "
                   "cd and their multiples, as mm or kN");
    }
}

static bool
unit_ast(struct check *ck, const struct ast_expr *node, struct unit *unit,
         int depth)
{
    struct unit left, right;
    struct ratio ratio;
    if (depth > 100)
        goto wrong;
    switch (node->kind) {
    case AST_NAME:
        if (unit_named(ck->dims, node->name.text, strlen(node->name.text),
                       unit))
            return true;
        unknown_unit(ck, node);
        return false;
    case AST_NUM:
        if (node->num != 1 || node->unit)
            goto wrong;
        *unit = (struct unit){1, 1, dim_pure(ck->dims)};
        return true;
    case AST_PAREN:
        if (node->unit)
            goto wrong;
        return unit_ast(ck, node->a, unit, depth + 1);
    case AST_MATRIX:
        if (node->n_list != 1 || node->unit)
            goto wrong;
        return unit_ast(ck, node->list[0], unit, depth + 1);
    case AST_BINARY:
        if (node->op == AST_POW) {
            if (!unit_ast(ck, node->a, &left, depth + 1))
                return false;
            if (!exponent(node->b, &ratio)) {
                check_error(ck, DIAG_E0208, node->b->range,
                            "the exponent of a unit is a number written out, "
                            "such as 2, -1 or (1/2)");
                return false;
            }
            *unit = unit_pow(ck->dims, left, ratio);
            return true;
        }
        if (node->op != AST_MUL && node->op != AST_DIV)
            goto wrong;
        if (!unit_ast(ck, node->a, &left, depth + 1) ||
            !unit_ast(ck, node->b, &right, depth + 1))
            return false;
        *unit =
            unit_mul(ck->dims, left,
                     node->op == AST_MUL ? right : unit_inv(ck->dims, right));
        return true;
    default:
        break;
    }
wrong:;
    struct diag *diag =
        check_error(ck, DIAG_E0208, node->range,
                    "a unit is made of unit names with * / and ^");
    if (node->kind == AST_NUM)
        CHECK_HELP(
            ck, diag,
            "a number stands in front of the value, a broken exponent in "
            "brackets: [m^(1/2)]");
    else
        CHECK_HELP(ck, diag, "as in [m/s^2], [kg*m^2], [1/s] or [1]");
    return false;
}
bool
unit_of_ast(struct check *ck, const struct ast_expr *node, struct unit *unit)
{
    assert(ck && node && unit);
    if (!unit_ast(ck, node, unit, 0))
        return false;
    if (dims_overflowed(ck->dims) || !isfinite(unit->num / unit->den) ||
        unit->num / unit->den == 0) {
        check_error(ck, DIAG_E0220, node->range,
                    "the exponents of this unit are too large");
        return false;
    }
    return true;
}

/* -- as text -------------------------------------------------------------- */

bool
unit_of_text(struct dims *ds, const char *text, struct unit *unit)
{
    assert(ds && text && unit);
    struct unit_scale scale;
    return unit_read(text, &scale) && unit_of_scale(ds, &scale, unit) &&
           !dims_overflowed(ds);
}

void
unit_names(void (*each)(void *ctx, const char *name, const char *doc),
           void *ctx)
{
    assert(each != NULL);
    static const struct {
        const char *name, *doc;
    } common[] = {
        {"kg", "kilogram"},          {"mg", "milligram"},
        {"mm", "millimetre"},        {"cm", "centimetre"},
        {"km", "kilometre"},         {"um", "micrometre"},
        {"\xc2\xb5m", "micrometre"}, {"ms", "millisecond"},
        {"us", "microsecond"},       {"kN", "kilonewton"},
        {"mN", "millinewton"},       {"kJ", "kilojoule"},
        {"kPa", "kilopascal"},       {"MPa", "megapascal"},
        {"GPa", "gigapascal"},       {"kHz", "kilohertz"},
    };
    const char *name, *doc;
    for (size_t row = 0; (name = unit_listed(row, &doc)); row++)
        each(ctx, name, doc);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        each(ctx, common[i].name, common[i].doc);
}
