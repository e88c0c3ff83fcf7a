/* SPDX-License-Identifier: MIT */
/* Params of a compiled model by name: defaults, values from the command line or
 * from the C API, their ranges, and messages that name the nearest param. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/driver/driver.h"
#include "base/arena.h"
#include "base/num.h"

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
    diag_help(ds, d, "choose a value between %s and %s", lo, hi);
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
                  name);
    return false;
}

/* Reads a decimal number with an optional sign. False: the text is anything
 * else. */
static bool
number(const char *text, double *x)
{
    size_t sign = *text == '-' || *text == '+', n = strlen(text + sign);

    if (!n || text[sign] == '-' || text[sign] == '+' ||
        num_read(text + sign, n, x) != n)
        return false;
    if (*text == '-')
        *x = -*x;
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
    uint32_t which = driver_find_param(im, name, strlen(name));
    double value = 0;

    if (which == UINT32_MAX)
        return unknown_param(im, name, ds);
    const imp_param *param = param_at(im, which);
    if (!number(text, &value)) {
        struct diag *diag =
            diag_add(ds, DIAG_E0811, IMP_NOWHERE,
                     "param `%s` wants a number; found `%s`", name, text);
        if (param->unit.n)
            diag_help(ds, diag, "write a bare number, in %s, as in `%s=%s`",
                      imp_text(im, param->unit), name,
                      num_shortest((char[NUM_TEXT]){0}, param->dflt));
        else
            diag_help(ds, diag, "write a bare number, as in `%s=%s`", name,
                      num_shortest((char[NUM_TEXT]){0}, param->dflt));
        return false;
    }
    return put(im, params, which, value, ds);
}
