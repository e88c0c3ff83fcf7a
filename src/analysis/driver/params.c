/* SPDX-License-Identifier: MIT */
/* Params of a compiled model by name: defaults, values from the command line or
 * from the C API, their ranges, and messages that name the nearest param. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/units.h"

static const imp_param *
param_at(const imp_image *im, uint32_t number)
{
    assert(number < im->params.n);
    return IMP_ARRAY(im, im->params, imp_param) + number;
}

uint32_t
driver_n_params(const imp_image *im)
{
    assert(im);
    return im->params.n;
}

uint32_t
driver_find_param(const imp_image *im, const char *name, size_t len)
{
    assert(im && name);
    for (uint32_t number = 0; number < im->params.n; number++) {
        imp_str s = param_at(im, number)->name;
        if (s.n == len && !memcmp(imp_text(im, s), name, len))
            return number;
    }
    return UINT32_MAX;
}

void
driver_defaults(const imp_image *im, double *params)
{
    assert(params || im->params.n == 0);
    for (uint32_t number = 0; number < im->params.n; number++)
        params[number] = param_at(im, number)->dflt;
}

/* Is the value finite and within the range of the param? False after a
 * diagnostic. */
static bool
driver_check(const imp_image *im, uint32_t number, double value,
             struct diags *ds)
{
    const imp_param *param = param_at(im, number);
    const char *name = imp_text(im, param->name);
    char digits[NUM_TEXT], lo[NUM_TEXT], hi[NUM_TEXT];

    if (!isfinite(value)) {
        struct diag *diag =
            diag_add(ds, DIAG_E0811, IMP_NOWHERE,
                     "param `%s` wants a finite number; found %s", name,
                     num_shortest(digits, value));
        diag_help(ds, diag, "numbers reach up to about 1.8e308");
        return false;
    }
    if (!param->has_range || (value >= param->lo && value <= param->hi))
        return true;
    struct diag *d =
        diag_add(ds, DIAG_E0813, param->range,
                 "param `%s` = %s is outside its range [%s, %s]%s%s", name,
                 num_shortest(digits, value), num_shortest(lo, param->lo),
                 num_shortest(hi, param->hi), param->unit.n ? " " : "",
                 imp_text(im, param->unit));
    diag_label(ds, d, "the range is stated here");
    diag_help(ds, d, "choose a value between %s and %s%s%s%s", lo, hi,
              param->unit.n ? " " : "", imp_text(im, param->unit),
              param->unit.n ? "; another unit stands behind the number, as in "
                              "'3 [mm]'"
                            : "");
    return false;
}

/* The names, divided by commas, six at most. */
static const char *
name_first(struct arena *arena, const char *const *names, uint32_t count)
{
    const char *text = names[0];
    for (uint32_t i = 1; i < count && i < 6; i++)
        text = arena_printf(arena, "%s, %s", text, names[i]);
    return text;
}

static bool
unknown_param(const imp_image *im, const char *name, struct diags *ds)
{
    uint32_t count = im->params.n;
    const char **names = NEW_N(ds->arena, const char *, count + 1);

    for (uint32_t number = 0; number < count; number++)
        names[number] = imp_text(im, param_at(im, number)->name);
    const char *near = suggest(name, names, count);
    struct diag *diag = diag_add(ds, DIAG_E0810, IMP_NOWHERE,
                                 "the model has no param `%s`", name);
    if (near)
        diag_help(ds, diag, "did you mean `%s`?", near);
    else if (count == 0)
        diag_help(ds, diag,
                  "the model declares no param; a knob is declared as "
                  "`param gamma = 0.1 in [0, 1]`, in place of a `let`");
    else
        diag_help(ds, diag,
                  "its params are %s%s; a `let` becomes one if it is declared "
                  "as param %s = ...",
                  name_first(ds->arena, names, count), count > 6 ? ", ..." : "",
                  name[0] ? name : "k");
    return false;
}

/* The text without the blanks around it. */
static const char *
trimmed(struct arena *arena, const char *text, size_t n)
{
    while (n && isspace((unsigned char)*text)) {
        text++;
        n--;
    }
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    return arena_strndup(arena, text, n);
}

/* Reads a decimal number with an optional sign and, behind it, an optional unit
 * in brackets, whose text becomes *unit, else NULL. False: the text is anything
 * else. */
static bool
quantity(struct arena *arena, const char *text, double *x, const char **unit)
{
    size_t sign = *text == '-' || *text == '+', n = strlen(text + sign);
    const char *bracket = strchr(text, '[');

    *unit = NULL;
    if (bracket) {
        const char *end = strchr(bracket, ']');
        if (!end || end[1])
            return false;
        *unit = trimmed(arena, bracket + 1, (size_t)(end - bracket) - 1);
        if (!**unit)
            return false;
        n = (size_t)(bracket - text) - sign;
        while (n && isspace((unsigned char)text[sign + n - 1]))
            n--;
    }
    if (!n || text[sign] == '-' || text[sign] == '+' ||
        num_read(text + sign, n, x) != n)
        return false;
    if (*text == '-')
        *x = -*x;
    return true;
}

/* Brings a value of this unit to SI. False after a diagnostic: there is no such
 * unit, or the param has another dimension. */
static bool
in_si(const imp_param *param, const char *name, const char *own,
      const char *unit, double *value, struct diags *ds)
{
    struct unit_scale given, wanted;

    if (!unit_read(unit, &given)) {
        struct diag *diag =
            diag_add(ds, DIAG_E0811, IMP_NOWHERE,
                     "param `%s`: [%s] is not a unit", name, unit);
        diag_help(ds, diag,
                  "units are m, kg, s, rad, deg, N, J, W, Pa, Hz, A, K, mol, "
                  "cd and their multiples, as mm or kN");
        return false;
    }
    if (!unit_read(own, &wanted) || !unit_alike(&given, &wanted)) {
        struct diag *diag = diag_add(ds, DIAG_E0812, param->range,
                                     "param `%s` gets [%s], but it is in [%s]",
                                     name, unit, *own ? own : "1");
        diag_help(ds, diag,
                  "give a bare number in SI units, or a unit of this "
                  "dimension");
        return false;
    }
    *value = *value * given.num / given.den;
    return true;
}

/* Gives param i the value x. False after a diagnostic: it may not have it. */
static bool
put(const imp_image *im, double *params, uint32_t number, double value,
    struct diags *ds)
{
    const imp_param *param = param_at(im, number);
    const char *name = imp_text(im, param->name);

    if (!driver_check(im, number, value, ds))
        return false;
    if (param->structural && value != param->dflt) {
        char was[NUM_TEXT], now[NUM_TEXT];
        struct diag *diag = diag_add(
            ds, DIAG_E0830, param->range,
            "param `%s` is structural: this code was compiled for %s = %s, "
            "not %s",
            name, name, num_shortest(was, param->dflt),
            num_shortest(now, value));
        diag_help(ds, diag,
                  "compile the model with the new value: "
                  "`imp build MODEL --set %s=%s -o SIM`",
                  name, now);
        return false;
    }
    params[number] = value;
    return true;
}

bool
driver_set_number(const imp_image *im, double *params, const char *name,
                  double value, struct diags *ds)
{
    assert(im && params && name && ds);
    uint32_t number = driver_find_param(im, name, strlen(name));

    return number == UINT32_MAX ? unknown_param(im, name, ds)
                                : put(im, params, number, value, ds);
}

bool
driver_set(const imp_image *im, double *params, const char *name,
           const char *text, struct diags *ds)
{
    assert(im && params && name && text && ds);
    double value = 0;
    const char *unit;

    name = trimmed(ds->arena, name, strlen(name));
    uint32_t which = driver_find_param(im, name, strlen(name));
    if (which == UINT32_MAX)
        return unknown_param(im, name, ds);
    const imp_param *param = param_at(im, which);
    const char *own = imp_text(im, param->unit);
    if (!quantity(ds->arena, trimmed(ds->arena, text, strlen(text)), &value,
                  &unit)) {
        struct diag *diag =
            diag_add(ds, DIAG_E0811, IMP_NOWHERE,
                     "param `%s` wants a number; found `%s`", name, text);
        const char *dflt = num_shortest((char[NUM_TEXT]){0}, param->dflt);
        if (*own)
            diag_help(ds, diag,
                      "write a number in SI units, or with a unit, as in "
                      "`%s=%s` or `'%s=%s [%s]'`",
                      name, dflt, name, dflt, own);
        else
            diag_help(ds, diag, "write a number, as in `%s=%s`", name, dflt);
        return false;
    }
    return (!unit || in_si(param, name, own, unit, &value, ds)) &&
           put(im, params, which, value, ds);
}
