/* SPDX-License-Identifier: MIT */
/* The coefficients of one contact point, the tables that follow from them,
 * the limit of a slip that jams, and the classes of two points (painleve.h). */
#include "runtime/friction/painleve.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/numerics/eigen.h"

/* Coefficients are sums of a few products: a value of so many roundings of its
 * terms is none. */
#define COEFFICIENT_ROUNDING (64.0 * DBL_EPSILON)

/* The value, or 0 where it is rounding of its terms. */
static double
cleared(double value, double terms)
{
    return fabs(value) <= COEFFICIENT_ROUNDING * terms ? 0.0 : value;
}

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

/* The coefficient at the edges of the cone. */
static double
stick_mu(const struct painleve_point *in)
{
    return fmax(in->mu, in->mu_static);
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
        double sign = side ? -1.0 : 1.0, mu = stick_mu(in),
               p = in->C - sign * mu * in->B, k = mu * in->A - sign * in->B,
               edge = sign * in->a * p + in->b * k,
               terms = in->a_terms * (in->C + fabs(mu * in->B)) +
                       in->b_terms * (fabs(in->B) + mu * in->A);
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

/* Does the slip keep its direction through all impacts to come? Each flight and
 * its impact change it by the same share of the flight, so it goes from its
 * present value to that at the limit without turning back; before an impact it
 * may be smaller by what the load takes from it during one flight. */
static bool
slips_through(const struct painleve_point *in, double normal,
              const struct painleve_bounces *bounces)
{
    double sign = in->slip > 0.0 ? 1.0 : -1.0,
           p = in->C - sign * in->mu * in->B, k = in->mu * in->A - sign * in->B,
           time = bounces->time;
    if (in->slip == 0.0 || !(p > 0.0))
        return false;
    double impulse = (-in->b * time - normal) / p,
           last = in->slip + in->a * time - sign * k * impulse,
           flight = 2.0 * normal / -in->b;
    return fmin(sign * in->slip, sign * last) > fabs(in->a) * flight;
}

bool
painleve_bounces_find(const struct painleve_point *in, double normal,
                      struct painleve_bounces *out)
{
    assert(in != NULL && out != NULL && normal >= 0.0);
    struct painleve found = {0};
    if (!(in->b < 0.0) || !(normal > 0.0))
        return false;
    /* slip throughout: all three laws return e of the speed */
    *out = (struct painleve_bounces){.ratio = in->restitution};
    out->time = 2.0 * normal / (-in->b * (1.0 - out->ratio));
    if (in->restitution < 1.0 && slips_through(in, normal, out))
        return true;
    chatter(in, &found);
    *out = (struct painleve_bounces){.ratio = found.chatter, .sticks = true};
    out->time = 2.0 * normal / (-in->b * (1.0 - out->ratio));
    return in->slip == 0.0 && found.chatter < 1.0 &&
           found.chatter_region >= 3 && found.chatter_region <= 6;
}

/* Below this share of its terms B is rounding. */
#define BOUNCE_APART (16.0 * DBL_EPSILON)

bool
painleve_bounces_apart(const struct painleve_point *in, double normal,
                       struct painleve_bounces *bounces)
{
    assert(in != NULL && bounces != NULL && normal > 0.0);
    bounces->sticks = false;
    if (!(in->b < 0.0) || slips_through(in, normal, bounces))
        return in->b < 0.0;
    /* an impact without restitution has the least impulse to end the slip */
    struct painleve_point weakest = *in;
    struct painleve found = {0};
    weakest.restitution = 0.0;
    chatter(&weakest, &found);
    bounces->sticks = in->slip == 0.0 &&
                      fabs(in->B) <= BOUNCE_APART * sqrt(in->A * in->C) &&
                      found.chatter_region >= 3 && found.chatter_region <= 6;
    return bounces->sticks;
}

/* What the table says of the point: all but the choice and what follows it. */
static void
locate(const struct painleve_point *in, struct painleve *out)
{
    double A = in->A, B = in->B, C = in->C, mu = in->mu;
    out->D = A * C - B * B;
    out->p_plus = cleared(C - mu * B, C + fabs(mu * B));
    out->p_minus = cleared(C + mu * B, C + fabs(mu * B));
    out->k_plus = mu * A - B;
    out->k_minus = mu * A + B;
    out->sigma = A > 0.0 ? out->D / A : C;
    out->mu_P = B != 0.0 ? C / fabs(B) : INFINITY;
    out->column = in->slip > 0.0 ? 1 : in->slip < 0.0 ? 3 : 2;
    out->row =
        table_row(cleared(in->b, in->b_terms), out->p_plus, out->p_minus);
    out->margin = margin(in, out);
}

void
painleve_find(struct arena *arena, const struct painleve_point *in,
              struct painleve *out)
{
    assert(arena && in && out && in->C > 0.0 && in->A >= 0.0);
    double W[4] = {in->C, in->B, in->B, in->A}, free[2] = {in->b, in->a},
           terms[2] = {in->b_terms, in->a_terms};
    struct friction_point point = {
        .mu_static = stick_mu(in), .mu_dynamic = in->mu, .slip = in->slip};
    struct friction_instant instant = {
        .n = 1, .point = &point, .W = W, .free = free, .terms = terms};
    locate(in, out);
    friction_choose(arena, &instant, &out->choice);
    out->outcomes = outcomes(out, in->slip);
    chatter(in, out);
}

struct painleve_verdict
painleve_verdict_of(struct arena *arena, const struct friction_instant *in,
                    const double *terms, const struct friction_choice *choice,
                    int i)
{
    assert(arena != NULL && in != NULL && terms != NULL && choice != NULL);
    assert(i >= 0 && i < in->n);
    size_t rows = 2 * (size_t)in->n, N = 2 * (size_t)i, T = N + 1;
    const struct friction_point *of = in->point + i;
    struct painleve_point point = {.A = fmax(in->W[T * rows + T], 0.0),
                                   .B = in->W[N * rows + T],
                                   .C = in->W[N * rows + N],
                                   .a = in->free[T],
                                   .b = in->free[N],
                                   .a_terms = terms[T],
                                   .b_terms = terms[N],
                                   .mu = of->mu_dynamic,
                                   .mu_static = of->mu_static,
                                   .slip = of->slip};
    struct painleve_verdict out = {
        .verdict = friction_verdict_name(choice->verdict),
        .cell = "",
        .a = point.a,
        .b = point.b,
        .p_plus = point.C - point.mu * point.B,
        .p_minus = point.C + point.mu * point.B,
        .margin = choice->n > 0 ? choice->margin : 0.0};
    if (in->n != 1 || of->given || of->mu_static == 0.0 || !(point.C > 0.0))
        return out;
    struct painleve *found = NEW(arena, struct painleve);
    locate(&point, found);
    out.cell = painleve_cell(found);
    out.margin = found->margin;
    return out;
}

/* -- a slip that jams ------------------------------------------------------ */

/* The impulse that is left, over the present force times the time that is left,
 * is the ratio of both rates of the limit; more than this is none. */
#define JAM_RATIO 1e6
/* steps of the secant for that impulse; it converges from 1e-3 in five */
#define JAM_STEPS 40

static int
load_to(struct painleve_last *last, double all)
{
    int st = last->load(last->context, all - last->given);
    last->given = all;
    return st;
}

/* Finds the impulse that brings b (or p), or the slip, to 0, and gives it.
 * first: its size. */
static int
load_to_end(struct painleve_last *last, bool slip, double first)
{
    struct painleve_jam_end end;
    last->limit = false;
    if (!last->read(last->context, &end))
        return IMP_OK;
    double low = last->given, high = low + first,
           left_low = slip ? end.slip : end.jam;
    int st = load_to(last, high);
    for (int k = 0; k < JAM_STEPS && !st; k++) {
        if (!last->read(last->context, &end))
            return IMP_OK;
        double left = slip ? end.slip : end.jam,
               small = slip ? end.slip_small : end.jam_small;
        if (fabs(left) <= small || high == low || left == left_low) {
            last->limit = fabs(left) <= small;
            return IMP_OK;
        }
        double next = high - left * (high - low) / (left - left_low);
        low = high;
        left_low = left;
        high = next;
        st = load_to(last, high);
    }
    return st;
}

int
painleve_jam_limit(struct painleve_last *last, double first)
{
    assert(last != NULL && last->load != NULL && first >= 0.0);
    struct painleve_jam_end end;
    last->given = 0.0;
    last->stops = false;
    last->limit = first == 0.0;
    int st = first > 0.0 ? load_to_end(last, false, first) : IMP_OK;
    if (st || !last->limit || !last->read(last->context, &end))
        return st;
    last->stops = last->sign * end.slip < -end.slip_small;
    if (last->stops)
        st = load_to_end(last, true, -0.5 * fmax(first, DBL_MIN));
    last->limit &= last->given >= -first && last->given <= JAM_RATIO * first;
    return st;
}

struct painleve_verdict
painleve_jam_verdict(const struct painleve_point *in, bool by_slip)
{
    assert(in != NULL);
    double rubs = in->mu * in->B;
    return (struct painleve_verdict){
        .verdict = "jam",
        .cell = "",
        .a = in->a,
        .b = by_slip ? in->b : 0.0,
        .p_plus = in->slip > 0.0 ? 0.0 : in->C - rubs,
        .p_minus = in->slip < 0.0 ? 0.0 : in->C + rubs};
}

const char *
painleve_jam_force(struct arena *arena, double exponent, double force)
{
    assert(arena != NULL);
    char text[NUM_TEXT];
    if (fabs(exponent) >= PAINLEVE_JAM_FINITE)
        return arena_printf(arena, "%s as (t* - t)^%s",
                            exponent < 0.0 ? "grows without bound,"
                                           : "goes to 0",
                            num_digits(text, exponent, 3));
    return isnan(force) ? "has a limit"
                        : arena_printf(arena, "has the limit %s",
                                       num_digits(text, force, 6));
}

/* == two contacts that slip ================================================
 */

/* -- the class --------------------------------------------------------------
 */

static double
angle_of(double x, double y)
{
    double angle = atan2(y, x);
    return angle < 0.0 ? angle + 2.0 * M_PI : angle;
}

/* The number of the interval, from 1, that holds `angle`, cut by 0, the ends of
 * the quadrants and two more angles. */
static int
interval(double angle, const double *more, int n)
{
    int number = 1;
    for (int k = 1; k < 4 + n; k++)
        number += (k < 4 ? 0.5 * M_PI * k : more[k - 4]) < angle;
    return number;
}

static void
class_of(const double p[4], const double b[2], int class[3])
{
    double one = angle_of(p[0], p[2]), two = angle_of(p[1], p[3]);
    double against[2] = {angle_of(-p[0], -p[2]), one}, both[2] = {one, two};
    class[0] = interval(one, NULL, 0);
    class[1] = interval(two, against, 2);
    class[2] = interval(angle_of(-b[0], -b[1]), both, 2);
}

/* -- modes ------------------------------------------------------------------
 */

/* What decides: the modes depend on the signs of the first DECIDES of these
 * alone, the class on those of all. */
enum {
    LOAD_1,
    LOAD_2,
    OWN_1,    /* p11 */
    OWN_2,    /* p22 */
    BESIDE_1, /* p12 b2 - p22 b1: where contact 2 pushes alone, -p22 times the
                 acceleration of gap 1; where both push, det p times N1 */
    BESIDE_2, /* p21 b1 - p11 b2 */
    DETERMINANT,
    DECIDES,
    CROSS_1 = DECIDES, /* p12 */
    CROSS_2,
    SIGNS
};

/* The sizes of the terms of an entry; 0: it is exact. */
static double
size_of(double value, const double *terms, int k)
{
    return fmax(fabs(value), terms[k]);
}

/* The numbers that decide, 0 where they are rounding, and the sizes of their
 * terms. */
static void
signs_of_two(const struct painleve_two_in *in, double value[SIGNS],
             double terms[SIGNS])
{
    const double *p = in->p, *b = in->b;
    double P[4], L[2];
    for (int k = 0; k < 4; k++)
        P[k] = size_of(p[k], in->p_terms, k);
    for (int k = 0; k < 2; k++)
        L[k] = size_of(b[k], in->b_terms, k);
    double values[SIGNS] = {b[0],
                            b[1],
                            p[0],
                            p[3],
                            p[1] * b[1] - p[3] * b[0],
                            p[2] * b[0] - p[0] * b[1],
                            p[0] * p[3] - p[1] * p[2],
                            p[1],
                            p[2]};
    double sizes[SIGNS] = {L[0],
                           L[1],
                           P[0],
                           P[3],
                           P[1] * L[1] + P[3] * L[0],
                           P[2] * L[0] + P[0] * L[1],
                           P[0] * P[3] + P[1] * P[2],
                           P[1],
                           P[2]};
    for (int k = 0; k < SIGNS; k++) {
        terms[k] = sizes[k];
        value[k] = cleared(values[k], sizes[k]);
    }
}

/* Which modes push and open as they must, all numbers off 0. */
static void
modes_by_signs(const double value[SIGNS], bool out[PAINLEVE_TWO_MODES])
{
    bool above[DECIDES];
    for (int k = 0; k < DECIDES; k++)
        above[k] = value[k] > 0.0;
    out[PAINLEVE_FF] = above[LOAD_1] && above[LOAD_2];
    out[PAINLEVE_SS] = above[BESIDE_1] == above[DETERMINANT] &&
                       above[BESIDE_2] == above[DETERMINANT];
    out[PAINLEVE_SF] =
        above[LOAD_1] != above[OWN_1] && above[BESIDE_2] != above[OWN_1];
    out[PAINLEVE_FS] =
        above[LOAD_2] != above[OWN_2] && above[BESIDE_1] != above[OWN_2];
}

/* A number matters if the modes are others with its other sign. */
static double
margin_of_two(const double value[SIGNS], const double terms[SIGNS])
{
    bool now[PAINLEVE_TWO_MODES], then[PAINLEVE_TWO_MODES];
    double other[SIGNS], least = 1.0;
    modes_by_signs(value, now);
    for (int k = 0; k < DECIDES; k++) {
        memcpy(other, value, sizeof other);
        other[k] = value[k] > 0.0 ? -1.0 : 1.0;
        modes_by_signs(other, then);
        if (memcmp(now, then, sizeof now) != 0)
            least = fmin(least, share(value[k], terms[k]));
    }
    return least;
}

/* Where both slip, y'' = -p (k y + q y') with any positive diagonal k, q. One
 * of the eigenvalues is positive if det p < 0, and if both diagonal entries are
 * negative (then the trace of p k is). With both positive and p12 p21 >= 0 the
 * eigenvalues of p k are real and positive: stable. In between k and q decide,
 * however stiff the contacts are; on a border nothing does. */
static enum painleve_stability
both_slip(const double value[SIGNS])
{
    if (value[DETERMINANT] < 0.0 || (value[OWN_1] < 0.0 && value[OWN_2] < 0.0))
        return PAINLEVE_UNSTABLE;
    return value[DETERMINANT] > 0.0 && value[OWN_1] > 0.0 &&
                   value[OWN_2] > 0.0 && value[CROSS_1] * value[CROSS_2] >= 0.0
               ? PAINLEVE_STABLE
               : PAINLEVE_UNDECIDED;
}

/* The same where one pushes alone, y'' = -p (k y + q y'). */
static enum painleve_stability
one_slips(double own)
{
    return own > 0.0   ? PAINLEVE_STABLE
           : own < 0.0 ? PAINLEVE_UNSTABLE
                       : PAINLEVE_UNDECIDED;
}

/* Has a combination of both columns with positive factors two negative entries?
 */
static bool
reaches_down(const double p[4])
{
    double one = angle_of(p[0], p[2]), two = angle_of(p[1], p[3]);
    double low = fmin(one, two), high = fmax(one, two);
    bool inside =
        (one > M_PI && one < 1.5 * M_PI) || (two > M_PI && two < 1.5 * M_PI);
    /* the cone is the smaller angle between both */
    return inside || (high - low < M_PI ? low < 1.5 * M_PI && high > M_PI
                                        : low > 1.5 * M_PI || high < M_PI);
}

void
painleve_two_find(const struct painleve_two_in *in, struct painleve_two *out)
{
    assert(in != NULL && out != NULL);
    const double *p = in->p;
    double swapped[4] = {p[3], p[2], p[1], p[0]}, value[SIGNS], terms[SIGNS],
           load[2] = {in->b[1], in->b[0]};
    bool border = false;
    *out = (struct painleve_two){0};
    signs_of_two(in, value, terms);
    for (int k = 0; k < SIGNS; k++)
        border |= value[k] == 0.0;
    if (!border) {
        class_of(p, in->b, out->class);
        class_of(swapped, load, out->dual);
    }
    out->margin = margin_of_two(value, terms);
    out->stability[PAINLEVE_FF] = PAINLEVE_STABLE;
    out->stability[PAINLEVE_SS] = both_slip(value);
    out->stability[PAINLEVE_SF] = one_slips(value[OWN_1]);
    out->stability[PAINLEVE_FS] = one_slips(value[OWN_2]);
    out->first = value[OWN_1] < 0.0 && value[CROSS_2] > 0.0;
    out->second = value[OWN_2] < 0.0 && value[CROSS_1] > 0.0;
    out->both = reaches_down(p);
}

bool
painleve_two_eigenvalues(struct arena *arena, const struct painleve_two_in *in,
                         const double k[2], const double q[2], double out[8])
{
    assert(arena != NULL && in != NULL && out != NULL);
    double a[16] = {0};
    struct eigen eigen;
    for (int i = 0; i < 2; i++) {
        a[4 * i + 2 + i] = 1.0;
        for (int j = 0; j < 2; j++) {
            a[4 * (2 + i) + j] = -in->p[2 * i + j] * k[j];
            a[4 * (2 + i) + 2 + j] = -in->p[2 * i + j] * q[j];
        }
    }
    if (eigen_solve(arena, 4, a, &eigen))
        return false;
    for (int i = 0; i < 4; i++) {
        out[2 * i] = eigen.re[i];
        out[2 * i + 1] = eigen.im[i];
    }
    return true;
}
