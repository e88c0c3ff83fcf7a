/* SPDX-License-Identifier: MIT */
/* Units by name and as text. See units.h. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define IMP_PI 3.14159265358979323846

static const struct {
    const char *name;
    double num, den;
    int8_t power[UNIT_BASES];
    bool prefix; /* takes SI prefixes */
    const char *doc;
} units[] = {
#define UNIT(name, num, den, m, kg, s, A, K, mol, cd, prefix, doc)             \
    {name, num, den, {m, kg, s, A, K, mol, cd}, prefix, doc},
#include "abi/units.def"
};
#define N_UNITS (sizeof units / sizeof units[0])

static const struct {
    const char *name;
    double num, den;
} prefixes[] = {
#define PREFIX(name, num, den) {name, num, den},
#include "abi/units.def"
};
#define N_PREFIXES (sizeof prefixes / sizeof prefixes[0])

static void
scale_of(size_t row, double num, double den, struct unit_scale *unit)
{
    *unit = (struct unit_scale){0};
    for (int k = 0; k < UNIT_BASES; k++)
        unit->power[k] = units[row].power[k];
    /* The base unit is kg, so 1 g is 1/1000 of it; a prefix times g must give
     * exactly 1 for kg. */
    num *= units[row].num;
    den *= units[row].den;
    if (num >= den && fmod(num, den) == 0) {
        num /= den;
        den = 1;
    } else if (den > num && fmod(den, num) == 0) {
        den /= num;
        num = 1;
    }
    unit->num = num;
    unit->den = den;
}

bool
unit_find(const char *name, size_t n, struct unit_scale *unit)
{
    assert(name && unit);
    for (size_t i = 0; i < N_UNITS; i++)
        if (strlen(units[i].name) == n && !memcmp(units[i].name, name, n)) {
            scale_of(i, 1, 1, unit);
            return true;
        }
    for (size_t p = 0; p < N_PREFIXES; p++) {
        size_t k = strlen(prefixes[p].name);
        if (k >= n || memcmp(prefixes[p].name, name, k))
            continue;
        for (size_t i = 0; i < N_UNITS; i++)
            if (units[i].prefix && strlen(units[i].name) == n - k &&
                !memcmp(units[i].name, name + k, n - k)) {
                scale_of(i, prefixes[p].num, prefixes[p].den, unit);
                return true;
            }
    }
    return false;
}

const char *
unit_listed(size_t row, const char **doc)
{
    assert(doc);
    if (row >= N_UNITS)
        return NULL;
    *doc = units[row].doc;
    return units[row].name;
}

/* -- as text --------------------------------------------------------------- */

struct scan {
    const char *s;
    int depth;
};
static bool scan_product(struct scan *scan, struct unit_scale *unit);

static void
blanks(struct scan *scan)
{
    while (*scan->s == ' ')
        scan->s++;
}

static bool
scan_exponent(struct scan *scan, double *exponent)
{
    long p = 0, q = 1;
    int n = 0;
    if (sscanf(scan->s, "(%ld/%ld)%n", &p, &q, &n) == 2 && n) {
        scan->s += n;
    } else if (n = 0, sscanf(scan->s, "%ld%n", &p, &n) == 1 && n) {
        scan->s += n;
        q = 1;
    } else {
        return false;
    }
    if (q == 0 || labs(p) >= 1000 || labs(q) >= 1000)
        return false;
    *exponent = (double)p / (double)q;
    return true;
}

static bool
scan_factor(struct scan *scan, struct unit_scale *unit)
{
    double exponent;

    blanks(scan);
    if (*scan->s == '(' && scan->depth < 20) {
        scan->s++;
        scan->depth++;
        if (!scan_product(scan, unit) || *scan->s != ')')
            return false;
        scan->depth--;
        scan->s++;
    } else if (*scan->s == '1') {
        scan->s++;
        *unit = (struct unit_scale){.num = 1, .den = 1};
    } else {
        size_t count = 0;
        while (isalpha((unsigned char)scan->s[count]) ||
               (scan->s[count] & 0x80))
            count++;
        if (!count || !unit_find(scan->s, count, unit))
            return false;
        scan->s += count;
    }
    blanks(scan);
    if (*scan->s != '^')
        return true;
    scan->s++;
    if (!scan_exponent(scan, &exponent))
        return false;
    unit->num = unit->num == 1 ? 1 : pow(unit->num, exponent);
    unit->den = unit->den == 1 ? 1 : pow(unit->den, exponent);
    for (int k = 0; k < UNIT_BASES; k++)
        unit->power[k] *= exponent;
    blanks(scan);
    return true;
}

static bool
scan_product(struct scan *scan, struct unit_scale *unit)
{
    if (!scan_factor(scan, unit))
        return false;
    while (*scan->s == '*' || *scan->s == '/') {
        bool times = *scan->s++ == '*';
        struct unit_scale factor;
        if (!scan_factor(scan, &factor))
            return false;
        unit->num *= times ? factor.num : factor.den;
        unit->den *= times ? factor.den : factor.num;
        for (int k = 0; k < UNIT_BASES; k++)
            unit->power[k] += times ? factor.power[k] : -factor.power[k];
    }
    return true;
}

bool
unit_read(const char *text, struct unit_scale *unit)
{
    assert(text && unit);
    struct scan scan = {text, 0};

    if (!*text) {
        *unit = (struct unit_scale){.num = 1, .den = 1};
        return true;
    }
    if (!scan_product(&scan, unit) || *scan.s)
        return false;
    double scale = unit->num / unit->den;
    for (int k = 0; k < UNIT_BASES; k++)
        if (!(fabs(unit->power[k]) < 10000))
            return false;
    return isfinite(scale) && scale != 0;
}

bool
unit_alike(const struct unit_scale *one, const struct unit_scale *two)
{
    assert(one && two);
    for (int k = 0; k < UNIT_BASES; k++)
        if (!(fabs(one->power[k] - two->power[k]) < 1e-9))
            return false;
    return true;
}
