/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of symmetric matrices that face each other. The same formula is one
 * node of the graph; two formulas are compared at the defaults of their params
 * and at some other values of params, coordinates and time, within the ranges
 * that the params state. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "check/values/values.h"

enum { SAMPLES = 4 };

/* Rounding of the entries of R*J*transpose(R), as a share of the greatest: two
 * products and sums of three terms each. */
#define NUMBERS_TO (32 * DBL_EPSILON)
/* Rounding of formulas, as a share of the greatest entry of both rows. */
#define FORMULAS_TO 1e-9

struct sample {
    const struct check *ck;
    int number; /* 0: the defaults */
    bool known;
};

/* Between 0 and 1, the same for a leaf in each entry. */
static double
share(const expr *leaf, int number)
{
    uint64_t mixed =
        0x9e3779b97f4a7c15u *
        (leaf->i * 64u + leaf->j * 8u + leaf->sym + 1000u * (uint32_t)number);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return (double)(mixed >> 11) * 0x1p-53;
}

static double
leaf_value(void *ctx, const expr *leaf)
{
    struct sample *sample = ctx;
    double at = share(leaf, sample->number);
    if (leaf->sym == SYM_PARAM) {
        const struct tm_param *param = &sample->ck->lists.params.v[leaf->i];
        if (sample->number == 0)
            return param->dflt;
        if (param->has_range)
            return param->lo + (param->hi - param->lo) * at;
        return param->dflt != 0 ? param->dflt * (0.5 + at) : at;
    }
    if (leaf->sym != SYM_COORD && leaf->sym != SYM_TIME)
        sample->known = false;
    return at;
}

/* Do the entries agree at this sample? So does what has no value there. */
static bool
agree_at(struct check *ck, const expr *const *entries, uint32_t n, uint32_t row,
         uint32_t column, int number)
{
    struct sample sample = {ck, number, true};
    const expr *one[4] = {entries[row * n + column], entries[column * n + row],
                          entries[row * n + row], entries[column * n + column]};
    double x[4], size = 0;
    for (int i = 0; i < 4; i++) {
        x[i] = ex_value(ck->g, one[i], leaf_value, &sample);
        size = fmax(size, fabs(x[i]));
    }
    return !sample.known || !isfinite(x[0]) || !isfinite(x[1]) ||
           fabs(x[0] - x[1]) <= FORMULAS_TO * size;
}

static bool
numbers_agree(const expr *const *entries, uint32_t n, const expr *a,
              const expr *b)
{
    double size = 0;
    for (uint32_t i = 0; i < n * n; i++)
        if (ex_is_const(entries[i]))
            size = fmax(size, fabs(entries[i]->num));
    return fabs(a->num - b->num) <= NUMBERS_TO * size;
}

bool
symmetric_entry(struct check *ck, const expr *const *entries, uint32_t n,
                uint32_t row, uint32_t column, imp_range at, const char *what)
{
    assert(ck && entries && row < n && column < n && what);
    const expr *a = entries[row * n + column], *b = entries[column * n + row];
    int differs = 0;
    if (a == b)
        return true;
    if (ex_is_const(a) && ex_is_const(b)) {
        if (numbers_agree(entries, n, a, b))
            return true;
    } else {
        while (differs < SAMPLES &&
               agree_at(ck, entries, n, row, column, differs))
            differs++;
        if (differs == SAMPLES)
            return true;
    }
    struct diag *diag = check_error(
        ck, DIAG_E0318, at,
        "%s, but its entries above and below the diagonal differ", what);
    if (differs > 0)
        CHECK_HELP(ck, diag,
                   "they agree at the defaults of the params alone: write one "
                   "formula into the entries [%u, %u] and [%u, %u]",
                   (unsigned)column, (unsigned)row, (unsigned)row,
                   (unsigned)column);
    return false;
}
