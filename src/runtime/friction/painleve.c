/* SPDX-License-Identifier: MIT */
/* The coefficients of one contact point, and the tables that follow from them
 * (painleve.h). */
#include "runtime/friction/painleve.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"

/* Returns the row of Table 2 by the signs of b, p+ and p-; 0: one of them is 0.
 */
static int
table_row(double b, double p_plus, double p_minus)
{
    if (b == 0.0 || p_plus == 0.0 || p_minus == 0.0)
        return 0;
    int row = p_plus > 0.0 && p_minus > 0.0 ? 1 : p_plus > 0.0 ? 2 : 3;
    return b > 0.0 ? row : row + 3;
}

const char *
painleve_cell(const struct painleve *painleve)
{
    static const char *const name[3][7] = {
        {"", "I(i)", "I(ii)", "I(iii)", "I(iv)", "I(v)", "I(vi)"},
        {"", "II(i)", "II(ii)", "II(iii)", "II(iv)", "II(v)", "II(vi)"},
        {"", "III(i)", "III(ii)", "III(iii)", "III(iv)", "III(v)", "III(vi)"}};
    assert(painleve->column >= 1 && painleve->column <= 3);
    return name[painleve->column - 1][painleve->row];
}

/* Table 3: slip where p < 0 is violently unstable, so it is no outcome; with
 * slip in that direction an impact without collision is one. */
static unsigned
outcomes(const struct painleve *painleve, double slip)
{
    unsigned all = 0;
    for (int i = 0; i < painleve->choice.n; i++)
        switch (painleve->choice.set[i].mode[0]) {
        case CONTACT_FREE:
            all |= PAINLEVE_LIFTOFF;
            break;
        case CONTACT_STICK:
            all |= PAINLEVE_STICK;
            break;
        case CONTACT_SLIP_POSITIVE:
            all |= painleve->p_plus < 0.0 ? 0 : PAINLEVE_SLIP_POSITIVE;
            break;
        case CONTACT_SLIP_NEGATIVE:
            all |= painleve->p_minus < 0.0 ? 0 : PAINLEVE_SLIP_NEGATIVE;
            break;
        case CONTACT_SLIDE:
            all |= slip < 0.0 ? PAINLEVE_SLIP_NEGATIVE : PAINLEVE_SLIP_POSITIVE;
            break;
        }
    if ((slip > 0.0 && painleve->p_plus < 0.0) ||
        (slip < 0.0 && painleve->p_minus < 0.0))
        all |= PAINLEVE_IMPACT;
    return all;
}

static double
share(double value, double terms)
{
    return terms > 0.0 ? fabs(value) / terms : 0.0;
}

/* Only what decides in this column counts: p of the slip there is, or both and
 * the edges of the cone. */
static double
margin(const struct painleve_point *in, const struct painleve *painleve)
{
    double rub = fabs(in->mu * in->B), least = share(in->b, in->b_terms);
    if (in->slip >= 0.0)
        least = fmin(least, share(painleve->p_plus, in->C + rub));
    if (in->slip <= 0.0)
        least = fmin(least, share(painleve->p_minus, in->C + rub));
    if (in->slip != 0.0)
        return least;
    for (int side = 0; side < 2; side++) {
        double p = side ? painleve->p_minus : painleve->p_plus,
               k = side ? painleve->k_minus : painleve->k_plus,
               sign = side ? -1.0 : 1.0, edge = sign * in->a * p + in->b * k,
               terms = in->a_terms * (in->C + rub) +
                       in->b_terms * (fabs(in->B) + in->mu * in->A);
        least = fmin(least, share(edge, terms));
    }
    return least;
}

/* Impacts that end in stick come back with slip 2 a/(-b) per normal velocity
 * after each flight, so the next impact has a constant ratio (painleve.md, 5).
 */
static void
chatter(const struct painleve_point *in, struct painleve *out)
{
    struct friction_impact impact;
    struct friction_impact_point point = {
        .mu = in->mu, .e = in->restitution, .law = in->law, .normal = -1.0};
    out->chatter = NAN;
    out->chatter_region = 0;
    if (!(in->b < 0.0))
        return;
    point.slip = 2.0 * in->a / -in->b;
    friction_impact_one(in->A, in->B, in->C, &point, &impact);
    out->chatter = impact.after[0];
    out->chatter_region = impact.region;
}

void
painleve_find(struct arena *arena, const struct painleve_point *in,
              struct painleve *out)
{
    assert(arena && in && out && in->C > 0.0 && in->A >= 0.0);
    double A = in->A, B = in->B, C = in->C, mu = in->mu;
    double W[4] = {C, B, B, A}, free[2] = {in->b, in->a},
           terms[2] = {in->b_terms, in->a_terms};
    struct friction_point point = {
        .mu_static = mu, .mu_dynamic = mu, .slip = in->slip};
    struct friction_instant instant = {1, &point, W, free, terms};
    out->D = A * C - B * B;
    out->p_plus = C - mu * B;
    out->p_minus = C + mu * B;
    out->k_plus = mu * A - B;
    out->k_minus = mu * A + B;
    out->sigma = A > 0.0 ? out->D / A : C;
    out->mu_P = B != 0.0 ? C / fabs(B) : INFINITY;
    out->column = in->slip > 0.0 ? 1 : in->slip < 0.0 ? 3 : 2;
    out->row = table_row(in->b, out->p_plus, out->p_minus);
    friction_choose(arena, &instant, &out->choice);
    out->outcomes = outcomes(out, in->slip);
    out->margin = margin(in, out);
    chatter(in, out);
}
