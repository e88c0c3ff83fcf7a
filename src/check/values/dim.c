/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dimensions and their unification. A dimension is a point of a vector space
 * over the rationals (base powers and variables); "a = b" is the homogeneous
 * linear equation a - b = 0, solved for one of its variables, and the solution
 * is most general because every coefficient has an inverse (Kennedy 1996,
 * where exponents are integers, needs more care; here they are rational). */
#include "check/values/dim.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

struct var {
    const struct dim *solution; /* NULL while free */
    imp_range asked, decided;
};
struct dims {
    struct arena *arena;
    struct var *v;
    uint32_t n, cap;
    bool overflow;
    const struct dim *pure;
    /* Dimensions without variables, each once, by hash: a model of many bodies
     * asks for few of them many times. At most half of the places are taken. */
    const struct dim **known;
    uint32_t n_known, places;
};

struct dims *
dims_new(struct arena *arena)
{
    assert(arena);
    struct dims *ds = NEW(arena, struct dims);
    ds->arena = arena;
    struct dim *d = NEW(arena, struct dim);
    for (int i = 0; i < DIM_BASES; i++)
        d->base[i] = (struct ratio){0, 1};
    ds->pure = d;
    ds->places = 64;
    ds->known = NEW_N(arena, const struct dim *, ds->places);
    return ds;
}

/* -- rationals ------------------------------------------------------------ */

static int64_t
gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}
static struct ratio
reduce(int64_t num, int64_t den, bool *overflow)
{
    if (den < 0) {
        num = -num;
        den = -den;
    }
    int64_t g = gcd(num, den);
    if (g > 1) {
        num /= g;
        den /= g;
    }
    /* a million: products of any two fit, and no physics is beyond it */
    if (num > 1000000 || num < -1000000 || den > 1000000 || den == 0) {
        if (overflow)
            *overflow = true;
        return (struct ratio){0, 1};
    }
    return (struct ratio){(int32_t)num, (int32_t)den};
}
struct ratio
ratio_make(int64_t p, int64_t q)
{
    return reduce(p, q, NULL);
}
static struct ratio
r_add(struct dims *ds, struct ratio a, struct ratio b)
{
    return reduce((int64_t)a.p * b.q + (int64_t)b.p * a.q, (int64_t)a.q * b.q,
                  &ds->overflow);
}
static struct ratio
r_mul(struct dims *ds, struct ratio a, struct ratio b)
{
    return reduce((int64_t)a.p * b.p, (int64_t)a.q * b.q, &ds->overflow);
}

bool
ratio_of(double number, struct ratio *ratio)
{
    assert(ratio);
    if (!isfinite(number) || fabs(number) > 10000)
        return false;
    /* every simple fraction, and decimals of three digits */
    for (int i = 1; i <= 66; i++) {
        int q = i <= 64 ? i : i == 65 ? 100 : 1000;
        double p = nearbyint(number * q);
        if (fabs(number * q - p) <= 4e-16 * fabs(number * q)) {
            *ratio = ratio_make((int64_t)p, q);
            return true;
        }
    }
    return false;
}

bool
dims_overflowed(struct dims *ds)
{
    assert(ds);
    bool o = ds->overflow;
    ds->overflow = false;
    return o;
}

/* -- making --------------------------------------------------------------- */

const struct dim *
dim_pure(struct dims *ds)
{
    assert(ds);
    return ds->pure;
}
static struct dim *
copy(struct dims *ds, const struct dim *dim)
{
    return arena_copy(ds->arena, dim, sizeof *dim);
}

/* The place of a dimension without variables: where it is, or may go. */
static const struct dim **
place_of(const struct dim **known, uint32_t places,
         const struct ratio base[DIM_BASES])
{
    uint32_t hash = 2166136261u; /* FNV-1a, by words */
    for (int i = 0; i < DIM_BASES; i++) {
        hash = (hash ^ (uint32_t)base[i].p) * 16777619u;
        hash = (hash ^ (uint32_t)base[i].q) * 16777619u;
    }
    uint32_t at = (hash ^ hash >> 15) & (places - 1);
    while (known[at] &&
           memcmp(known[at]->base, base, sizeof known[at]->base) != 0)
        at = (at + 1) & (places - 1);
    return known + at;
}

static const struct dim *
without_variables(struct dims *ds, const struct ratio base[DIM_BASES])
{
    if (!memcmp(base, ds->pure->base, sizeof ds->pure->base))
        return ds->pure;
    const struct dim **place = place_of(ds->known, ds->places, base);
    if (*place)
        return *place;
    struct dim *made = NEW(ds->arena, struct dim);
    memcpy(made->base, base, sizeof made->base);
    *place = made;
    if (2 * ++ds->n_known > ds->places) {
        uint32_t places = 2 * ds->places;
        const struct dim **known = NEW_N(ds->arena, const struct dim *, places);
        for (uint32_t i = 0; i < ds->places; i++)
            if (ds->known[i])
                *place_of(known, places, ds->known[i]->base) = ds->known[i];
        ds->known = known;
        ds->places = places;
    }
    return made;
}

const struct dim *
dim_mks(struct dims *ds, int m, int kg, int s)
{
    assert(ds);
    struct dim d = *ds->pure;
    d.base[DIM_M].p = m;
    d.base[DIM_KG].p = kg;
    d.base[DIM_S].p = s;
    return without_variables(ds, d.base);
}
const struct dim *
dim_unit(struct dims *ds, enum dim_base b)
{
    assert(ds);
    struct dim d = *ds->pure;
    d.base[b].p = 1;
    return without_variables(ds, d.base);
}
const struct dim *
dim_fresh(struct dims *ds, imp_range where)
{
    assert(ds);
    if (ds->n == ds->cap) {
        uint32_t cap = ds->cap ? 2 * ds->cap : 32;
        struct var *v = NEW_N(ds->arena, struct var, cap);
        if (ds->n)
            memcpy(v, ds->v, sizeof *v * ds->n);
        ds->v = v;
        ds->cap = cap;
    }
    ds->v[ds->n] = (struct var){NULL, where, IMP_NOWHERE};
    struct dim *d = copy(ds, ds->pure);
    d->vars = NEW(ds->arena, struct dim_power);
    d->vars[0] = (struct dim_power){ds->n, {1, 1}};
    d->n_vars = 1;
    ds->n++;
    return d;
}

/* Returns left * right^power; variables that are solved are left as they are.
 */
static const struct dim *
combine(struct dims *ds, const struct dim *left, const struct dim *right,
        struct ratio power)
{
    struct ratio base[DIM_BASES];
    for (int i = 0; i < DIM_BASES; i++)
        base[i] = r_add(ds, left->base[i], r_mul(ds, right->base[i], power));
    uint32_t cap = left->n_vars + right->n_vars, count = 0, left_at = 0,
             right_at = 0;
    if (!cap)
        return without_variables(ds, base);
    struct dim *product = copy(ds, ds->pure);
    memcpy(product->base, base, sizeof base);
    product->vars = NEW_N(ds->arena, struct dim_power, cap);
    while (left_at < left->n_vars || right_at < right->n_vars) {
        struct dim_power term;
        uint32_t va =
            left_at < left->n_vars ? left->vars[left_at].var : UINT32_MAX;
        uint32_t vb =
            right_at < right->n_vars ? right->vars[right_at].var : UINT32_MAX;
        term.var = va < vb ? va : vb;
        term.e = (struct ratio){0, 1};
        if (va == term.var)
            term.e = left->vars[left_at++].e;
        if (vb == term.var)
            term.e =
                r_add(ds, term.e, r_mul(ds, right->vars[right_at++].e, power));
        if (term.e.p)
            product->vars[count++] = term;
    }
    product->n_vars = count;
    return product;
}

const struct dim *
dim_resolve(struct dims *ds, const struct dim *dim)
{
    assert(ds && dim);
    for (;;) {
        uint32_t solved = 0;
        while (solved < dim->n_vars && !ds->v[dim->vars[solved].var].solution)
            solved++;
        if (solved == dim->n_vars)
            return dim;
        /* Replace the variable `solved`: the result is d / var^e * solution^e.
         */
        struct dim *r = copy(ds, dim);
        r->vars = NEW_N(ds->arena, struct dim_power, dim->n_vars);
        uint32_t count = 0;
        for (uint32_t k = 0; k < dim->n_vars; k++)
            if (k != solved)
                r->vars[count++] = dim->vars[k];
        r->n_vars = count;
        struct var *v = &ds->v[dim->vars[solved].var];
        v->solution = dim_resolve(ds, v->solution);
        dim = combine(ds, r, v->solution, dim->vars[solved].e);
    }
}

const struct dim *
dim_mul(struct dims *ds, const struct dim *left, const struct dim *right)
{
    assert(ds && left && right);
    if (right == ds->pure)
        return left;
    if (left == ds->pure)
        return right;
    return combine(ds, dim_resolve(ds, left), dim_resolve(ds, right),
                   (struct ratio){1, 1});
}
const struct dim *
dim_div(struct dims *ds, const struct dim *left, const struct dim *right)
{
    assert(ds && left && right);
    if (right == ds->pure)
        return left;
    return combine(ds, dim_resolve(ds, left), dim_resolve(ds, right),
                   (struct ratio){-1, 1});
}
const struct dim *
dim_pow(struct dims *ds, const struct dim *left, struct ratio exponent)
{
    assert(ds && left);
    if (left == ds->pure)
        return left;
    return combine(ds, ds->pure, dim_resolve(ds, left), exponent);
}

/* -- asking --------------------------------------------------------------- */

static bool
zero_base(const struct dim *dim)
{
    for (int i = 0; i < DIM_BASES; i++)
        if (dim->base[i].p)
            return false;
    return true;
}
bool
dim_is_pure(struct dims *ds, const struct dim *dim)
{
    assert(ds && dim);
    dim = dim_resolve(ds, dim);
    return !dim->n_vars && zero_base(dim);
}
bool
dim_known(struct dims *ds, const struct dim *dim)
{
    assert(ds && dim);
    return dim_resolve(ds, dim)->n_vars == 0;
}
bool
dim_decided(struct dims *ds, const struct dim *dim, imp_range *where)
{
    assert(ds && dim && where);
    if (dim->n_vars != 1 || !ds->v[dim->vars[0].var].solution)
        return false;
    *where = ds->v[dim->vars[0].var].decided;
    return where->file != 0;
}

bool
dim_unify(struct dims *ds, const struct dim *left, const struct dim *right,
          imp_range where)
{
    assert(ds && left && right);
    if (left == right)
        return true;
    const struct dim *dim = dim_div(ds, left, right);
    if (right == ds->pure)
        dim = dim_resolve(ds, left);
    if (!dim->n_vars)
        return zero_base(dim);
    /* From var^e * rest = 1 follows var = rest^(-1/e). The newest variable is
     * solved for, so that the older ones, which were declared, keep their
     * names. */
    struct dim_power p = dim->vars[dim->n_vars - 1];
    struct dim *rest = copy(ds, dim);
    rest->n_vars--;
    struct var *v = &ds->v[p.var];
    v->solution = combine(ds, ds->pure, rest,
                          reduce(-(int64_t)p.e.q, p.e.p, &ds->overflow));
    v->decided = where;
    return true;
}

/* -- as text -------------------------------------------------------------- */

static void
put_power(struct buf *out, const char *name, struct ratio exponent)
{
    buf_puts(out, name);
    if (exponent.q != 1)
        buf_printf(out, "^(%d/%d)", exponent.p, exponent.q);
    else if (exponent.p != 1)
        buf_printf(out, "^%d", exponent.p);
}
const char *
dim_text(struct dims *ds, const struct dim *dim)
{
    assert(ds && dim);
    static const char *const names[DIM_BASES] = {"kg", "m",   "s", "A",
                                                 "K",  "mol", "cd"};
    static const int order[DIM_BASES] = {DIM_KG, DIM_M,   DIM_S, DIM_A,
                                         DIM_K,  DIM_MOL, DIM_CD};
    /* These units have a name of their own. Hz is not among them, because a
     * spin is no frequency. */
    static const struct {
        int m, kg, s;
        const char *name;
    } derived[] = {{1, 1, -2, "N"},
                   {2, 1, -2, "J"},
                   {2, 1, -3, "W"},
                   {-1, 1, -2, "Pa"},
                   {0, 1, -2, "N/m"}};
    char text[256];
    struct buf up = {0}, down = {0};
    int n_up = 0, n_down = 0;
    dim = dim_resolve(ds, dim);
    for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++)
        if (!memcmp(dim, dim_mks(ds, derived[i].m, derived[i].kg, derived[i].s),
                    sizeof dim->base))
            return derived[i].name;
    for (int i = 0; i < DIM_BASES; i++) {
        struct ratio exponent = dim->base[order[i]];
        if (exponent.p > 0) {
            if (n_up++)
                buf_putc(&up, '*');
            put_power(&up, names[i], exponent);
        } else if (exponent.p < 0) {
            if (n_down++)
                buf_putc(&down, '*');
            put_power(&down, names[i], (struct ratio){-exponent.p, exponent.q});
        }
    }
    text[0] = 0;
    if (n_up || n_down)
        snprintf(text, sizeof text,
                 n_down > 1 ? "%s/(%s)"
                 : n_down   ? "%s/%s"
                            : "%s%s",
                 n_up ? buf_str(&up) : "1", buf_str(&down));
    buf_free(&up);
    buf_free(&down);
    return arena_strdup(ds->arena, text);
}

static const struct {
    int m, kg, s;
    const char *name;
} quantities[] = {
    {1, 0, 0, "a length"},
    {0, 1, 0, "a mass"},
    {0, 0, 1, "a time"},
    {2, 0, 0, "an area"},
    {3, 0, 0, "a volume"},
    {1, 0, -1, "a velocity"},
    {1, 0, -2, "an acceleration"},
    {1, 0, -3, "a jerk"},
    {0, 0, -1, "a rate or spin"},
    {0, 0, -2, "an angular acceleration"},
    {1, 1, -2, "a force"},
    {2, 1, -2, "an energy or torque"},
    {2, 1, -3, "a power"},
    {1, 1, -1, "a momentum or impulse"},
    {2, 1, -1, "an angular momentum"},
    {2, 1, 0, "a moment of inertia"},
    {-3, 1, 0, "a density"},
    {-2, 1, 0, "a density in the plane"},
    {-1, 1, -2, "a pressure"},
    {0, 1, -2, "a stiffness"},
    {-1, 0, 0, "a curvature"},
};
const char *
dim_say(struct dims *ds, const struct dim *dim)
{
    assert(ds && dim);
    dim = dim_resolve(ds, dim);
    if (dim->n_vars)
        return zero_base(dim)
                   ? "of a dimension still open"
                   : arena_printf(ds->arena, "[%s] times something still open",
                                  dim_text(ds, dim));
    if (zero_base(dim))
        return "a pure number";
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
        if (!memcmp(
                dim,
                dim_mks(ds, quantities[i].m, quantities[i].kg, quantities[i].s),
                sizeof dim->base))
            return arena_printf(ds->arena, "%s [%s]", quantities[i].name,
                                dim_text(ds, dim));
    return arena_printf(ds->arena, "[%s]", dim_text(ds, dim));
}
