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
    struct friction_instant instant = {1, &point, W, free, terms, false};
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

struct painleve_verdict
painleve_verdict_of(struct arena *arena, const struct friction_instant *in,
                    const double *terms, const struct friction_choice *choice,
                    int i)
{
    assert(arena != NULL && in != NULL && terms != NULL && choice != NULL);
    assert(i >= 0 && i < in->n);
    size_t rows = 2 * (size_t)in->n, N = 2 * (size_t)i, T = N + 1;
    const struct friction_point *of = in->point + i;
    struct painleve_point point = {.A = in->W[T * rows + T],
                                   .B = in->W[N * rows + T],
                                   .C = in->W[N * rows + N],
                                   .a = in->free[T],
                                   .b = in->free[N],
                                   .a_terms = terms[T],
                                   .b_terms = terms[N],
                                   .mu = of->mu_dynamic,
                                   .slip = of->slip};
    struct painleve_verdict out = {
        .verdict = friction_verdict_name(choice->verdict),
        .cell = "",
        .a = point.a,
        .b = point.b,
        .p_plus = point.C - point.mu * point.B,
        .p_minus = point.C + point.mu * point.B,
        .margin = choice->n > 0 ? choice->margin : 0.0};
    if (in->n != 1 || of->given || of->mu_static == 0.0)
        return out;
    struct painleve *found = NEW(arena, struct painleve);
    painleve_find(arena, &point, found);
    out.cell = painleve_cell(found);
    /* the cone of a point that sticks is that of its static coefficient */
    if (of->slip != 0.0 || of->mu_static == of->mu_dynamic || choice->n == 0)
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
 * the quadrants and two more angles; 0: it is one of the cuts. */
static int
interval(double angle, const double *more, int n)
{
    int number = 1;
    for (int k = 0; k < 4 + n; k++) {
        double cut = k < 4 ? 0.5 * M_PI * k : more[k - 4];
        if (angle == cut)
            return 0;
        number += k > 0 && cut < angle;
    }
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
    if (!class[0] || !class[1] || !class[2])
        memset(class, 0, 3 * sizeof *class);
}

/* -- modes ------------------------------------------------------------------
 */

static void
modes_of_two(const struct painleve_two_in *in, struct painleve_two *out)
{
    const double *p = in->p, *b = in->b;
    double det = p[0] * p[3] - p[1] * p[2];
    double *both = out->force + 2 * PAINLEVE_SS,
           *first = out->force + 2 * PAINLEVE_SF,
           *second = out->force + 2 * PAINLEVE_FS;
    both[0] = (p[1] * b[1] - p[3] * b[0]) / det;
    both[1] = (p[2] * b[0] - p[0] * b[1]) / det;
    first[0] = -b[0] / p[0];
    second[1] = -b[1] / p[3];
    out->consistent[PAINLEVE_FF] = b[0] > 0.0 && b[1] > 0.0;
    out->consistent[PAINLEVE_SS] = both[0] > 0.0 && both[1] > 0.0;
    out->consistent[PAINLEVE_SF] =
        first[0] > 0.0 && b[1] + p[2] * first[0] > 0.0;
    out->consistent[PAINLEVE_FS] =
        second[1] > 0.0 && b[0] + p[1] * second[1] > 0.0;
}

/* Where both slip, y'' = -p (k y + q y') with any positive diagonal k, q. One
 * of the eigenvalues is positive if det p < 0, and if both diagonal entries are
 * negative (then the trace of p k is). With both positive and p12 p21 >= 0 the
 * eigenvalues of p k are real and positive: stable. In between k and q decide,
 * however stiff the contacts are. */
static enum painleve_stability
both_slip(const double p[4])
{
    if (p[0] * p[3] - p[1] * p[2] < 0.0 || (p[0] < 0.0 && p[3] < 0.0))
        return PAINLEVE_UNSTABLE;
    return p[0] > 0.0 && p[3] > 0.0 && p[1] * p[2] >= 0.0 ? PAINLEVE_STABLE
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
    double swapped[4] = {p[3], p[2], p[1], p[0]},
           load[2] = {in->b[1], in->b[0]};
    *out = (struct painleve_two){0};
    class_of(p, in->b, out->class);
    class_of(swapped, load, out->dual);
    modes_of_two(in, out);
    out->stability[PAINLEVE_FF] = PAINLEVE_STABLE;
    out->stability[PAINLEVE_SS] = both_slip(p);
    out->stability[PAINLEVE_SF] =
        p[0] > 0.0 ? PAINLEVE_STABLE : PAINLEVE_UNSTABLE;
    out->stability[PAINLEVE_FS] =
        p[3] > 0.0 ? PAINLEVE_STABLE : PAINLEVE_UNSTABLE;
    out->first = p[0] < 0.0 && p[2] > 0.0;
    out->second = p[3] < 0.0 && p[1] > 0.0;
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
