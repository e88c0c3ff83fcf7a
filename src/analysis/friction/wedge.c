/* SPDX-License-Identifier: MIT */
/* From which rates of one coordinate does the present slip end in a dynamic
 * jam (specification painleve.md, 8)? The slip is followed in the time s of dt
 * = p ds, in which p = 0 is no singular place:
 *
 *     q' = p v    v' = p M^-1 f - b (M^-1 d - sign mu M^-1 c)
 *
 * Close to p = 0 its linear equations decide. The edges of an interval of such
 * rates are found by halving. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "runtime/instance/system.h"

/* Where p is this share of its terms the linear equations decide: what they
 * leave out is its square. */
#define WEDGE_SHARE 1e-9
/* error of a step, as a share of the state */
#define WEDGE_TOLERANCE 1e-14
#define WEDGE_STEPS 2000
/* so many rates are tried at first: intervals that lie between two of them are
 * missed */
#define WEDGE_PLACES 96
#define WEDGE_HALVINGS 44
/* doublings of a rate until it lifts the contact off */
#define WEDGE_DOUBLINGS 40
/* p has turned back for good when it is this much greater than at first */
#define WEDGE_BACK 1.5
#define WEDGES_MOST 16

struct wedge {
    struct analysis *analysis;
    struct painleve_reader *reader;
    const imp_contact *contact;
    uint32_t n, j;
    double *env, *start; /* 2n: coordinates and rates, now and at first */
    double *x, *k, *y;   /* 2n, 7 * 2n, 2n */
    double *one, *two, *free;
    double sign, slip;
    struct painleve_derivatives of;
    struct painleve_instant now;
    int st;
};
enum end { END_JAM, END_OTHER };

static double
p_of(const struct wedge *wedge)
{
    const struct painleve_point *point = &wedge->now.point;
    return point->C - wedge->sign * point->mu * point->B;
}

/* The rates of the state x by s. */
static bool
rates(struct wedge *wedge, const double *x, double *out)
{
    uint32_t n = wedge->n;
    memcpy(wedge->env, x, 2 * n * sizeof *x);
    wedge->st = painleve_read_here(wedge->reader, &wedge->now);
    if (wedge->st)
        return false;
    const struct painleve_point *point = &wedge->now.point;
    double p = p_of(wedge);
    painleve_accelerations(wedge->reader, p, -point->b,
                           wedge->sign * point->mu * point->b, out + n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = p * x[n + i];
    return true;
}

/* One step of Dormand and Prince's method from x to y; *error as a share of the
 * tolerance. */
static bool
step_to(struct wedge *wedge, double h, double *error)
{
    static const double c[6][6] = {
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176,
         -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[7] = {
        71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
        -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    size_t n = 2 * (size_t)wedge->n;
    double *k = wedge->k, size = 0.0, worst = 0.0;
    for (int stage = 0; stage < 6; stage++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (int s = 0; s <= stage; s++)
                sum += c[stage][s] * k[(size_t)s * n + i];
            wedge->y[i] = wedge->x[i] + h * sum;
        }
        if (!rates(wedge, wedge->y, k + ((size_t)stage + 1) * n))
            return false;
    }
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(wedge->y[i]));
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int s = 0; s < 7; s++)
            sum += e[s] * k[(size_t)s * n + i];
        worst = fmax(worst, fabs(h * sum));
    }
    *error = worst / (WEDGE_TOLERANCE * size + DBL_MIN);
    return true;
}

/* Sets the rates of the start: that of coordinate j is given, the others change
 * as little as they must so that the gap keeps closed and the slip its speed.
 */
static bool
begin(struct wedge *wedge, double rate)
{
    uint32_t n = wedge->n;
    double *v = wedge->env + n;
    memcpy(wedge->env, wedge->start, 2 * n * sizeof *v);
    v[wedge->j] = rate;
    if ((wedge->st = painleve_read_here(wedge->reader, &wedge->now)))
        return false;
    const double *d, *c;
    painleve_gradients(wedge->reader, &d, &c);
    double dd = 0.0, dc = 0.0, cc = 0.0;
    for (uint32_t i = 0; i < n; i++)
        if (i != wedge->j) {
            dd += d[i] * d[i];
            dc += d[i] * c[i];
            cc += c[i] * c[i];
        }
    double det = dd * cc - dc * dc,
           off[2] = {-wedge->now.rate, wedge->slip - wedge->now.point.slip};
    if (!(det > 1e-12 * dd * cc))
        return false;
    double along[2] = {(off[0] * cc - off[1] * dc) / det,
                       (off[1] * dd - off[0] * dc) / det};
    for (uint32_t i = 0; i < n; i++)
        if (i != wedge->j)
            v[i] += along[0] * d[i] + along[1] * c[i];
    wedge->st = painleve_read_here(wedge->reader, &wedge->now);
    return !wedge->st;
}

/* What the linear equations lead to from here. */
static enum end
by_alpha(struct wedge *wedge)
{
    double alpha[3];
    wedge->st = painleve_derivatives(wedge->analysis->rt, wedge->contact,
                                     wedge->now.point.slip, &wedge->of);
    if (wedge->st)
        return END_OTHER;
    painleve_alpha(&wedge->of, wedge->env + wedge->n, &wedge->now, alpha);
    const char *end =
        painleve_alpha_outcome(alpha, p_of(wedge), wedge->now.point.b);
    return !strncmp(end, "jam", 3) ? END_JAM : END_OTHER;
}

/* Does the slip from this rate jam? */
static enum end
follow(struct wedge *wedge, double rate)
{
    if (!begin(wedge, rate))
        return END_OTHER;
    uint32_t n = wedge->n;
    double first = p_of(wedge), last = first, h = 1e-3 / first, error;
    memcpy(wedge->x, wedge->env, 2 * n * sizeof *wedge->x);
    if (!rates(wedge, wedge->x, wedge->k))
        return END_OTHER;
    for (int k = 0; k < WEDGE_STEPS; k++) {
        const struct painleve_point *point = &wedge->now.point;
        double p = p_of(wedge), size = point->C + fabs(point->mu * point->B);
        if (!(p > 0.0) || !(point->b < 0.0) ||
            !(wedge->sign * point->slip > 0.0) ||
            (p > WEDGE_BACK * first && p > last))
            return END_OTHER;
        if (p < WEDGE_SHARE * size)
            return by_alpha(wedge);
        last = p;
        if (!step_to(wedge, h, &error))
            return END_OTHER;
        if (error <= 1.0) {
            memcpy(wedge->x, wedge->y, 2 * n * sizeof *wedge->x);
            memcpy(wedge->k, wedge->k + 12 * (size_t)n,
                   2 * n * sizeof *wedge->k);
        } else if (!rates(wedge, wedge->x, wedge->k)) {
            return END_OTHER;
        }
        h *= fmin(5.0, fmax(0.2, 0.9 * pow(error + DBL_MIN, -0.2)));
    }
    return END_OTHER;
}

/* The rate, of this sign, from which the contact lifts off at once; INFINITY:
 * none. */
static double
lifts_from(struct wedge *wedge, double sign)
{
    double rate = 0x1p-10 * sign;
    for (int k = 0; k < WEDGE_DOUBLINGS; k++, rate *= 2.0)
        if (begin(wedge, rate) && wedge->now.point.b >= 0.0)
            return rate;
    return INFINITY;
}

static double
edge(struct wedge *wedge, double out, double in)
{
    for (int k = 0; k < WEDGE_HALVINGS && !wedge->st; k++) {
        double middle = 0.5 * (out + in);
        if (follow(wedge, middle) == END_JAM)
            in = middle;
        else
            out = middle;
    }
    return 0.5 * (out + in);
}

/* The intervals of rates between low and high that jam, as pairs. */
static size_t
intervals(struct wedge *wedge, double low, double high, double *out)
{
    size_t n = 0;
    double before = low;
    bool inside = false;
    for (int k = 0; k <= WEDGE_PLACES && !wedge->st; k++) {
        double rate = low + (high - low) * k / WEDGE_PLACES;
        bool jams = follow(wedge, rate) == END_JAM;
        if (jams != inside && n < 2 * WEDGES_MOST) {
            out[n++] = k == 0 ? rate
                       : jams ? edge(wedge, before, rate)
                              : edge(wedge, rate, before);
            inside = jams;
        }
        before = rate;
    }
    if (inside)
        out[n++] = high;
    return n;
}

int
painleve_put_wedge(struct analysis *analysis, struct painleve_reader *reader,
                   uint32_t contact, uint32_t j,
                   const struct painleve_instant *instant, struct record *out)
{
    assert(analysis && reader && instant && out);
    struct rt *run = analysis->rt;
    const imp_contact *of = rt_contact(run, contact);
    const imp_system *system = rt_system(run, of->system);
    size_t n = system->n;
    struct wedge *wedge = NEW(run->arena, struct wedge);
    *wedge = (struct wedge){.analysis = analysis,
                            .reader = reader,
                            .contact = of,
                            .n = system->n,
                            .j = j,
                            .env = run->env + system->env_state,
                            .start = NEW_N(run->arena, double, 22 * n),
                            .slip = instant->point.slip,
                            .sign = instant->point.slip > 0.0 ? 1.0 : -1.0};
    wedge->x = wedge->start + 2 * n;
    wedge->y = wedge->x + 2 * n;
    wedge->k = wedge->y + 2 * n;
    memcpy(wedge->start, wedge->env, 2 * n * sizeof *wedge->start);
    double *found = NEW_N(record_arena(analysis), double, 2 * WEDGES_MOST + 2);
    double low = lifts_from(wedge, -1.0), high = lifts_from(wedge, 1.0);
    if (wedge->st)
        return wedge->st;
    if (isfinite(low) && isfinite(high)) {
        size_t count = intervals(wedge, low, high, found);
        SET_LIST("wedge", found, count);
    } else {
        SET_ABSENT("wedge", "the rate of this coordinate never lifts it off");
    }
    memcpy(wedge->env, wedge->start, 2 * n * sizeof *wedge->start);
    return wedge->st;
}
