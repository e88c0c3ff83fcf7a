/* SPDX-License-Identifier: MIT */
/* From which rates of one coordinate does the present slip end in a dynamic
 * jam (specification painleve.md, 8)? The slip is followed in the time s of dt
 * = p ds, in which p = 0 is no singular place:
 *
 *     q' = p v    v' = p M^-1 f - b (M^-1 d - sign mu M^-1 c)    t' = p
 *
 * Close to p = 0 its linear equations decide. The edges of an interval of such
 * rates are roots of what decides there, or are found by halving. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"

/* Where p is this share of its terms the linear equations decide. They leave
 * out the square of it, which is taken out of b - E p by its values at two
 * places: the cube is left. */
#define WEDGE_SHARE 1e-6
/* p must be that far above the error of the state. */
#define WEDGE_ABOVE 100
/* Error of a step, as a share of the state: of the rates that are tried at
 * first, where they lie far from an edge; of those that find one. */
#define WEDGE_ROUGH 1e-6
#define WEDGE_FINE 1e-12
#define WEDGE_STEPS 500
/* A step that has become that many times shorter leads nowhere: a formula has
 * no value behind it. */
#define WEDGE_SHRINKS 40
/* so many rates are tried at first: intervals that lie between two of them are
 * missed */
#define WEDGE_PLACES 96
/* An edge is known to this share of the distance of two of these places; rates
 * beside it, from which it is found, lie at such a share from it. */
#define WEDGE_EDGE 1e-9
#define WEDGE_BESIDE 1e-4
#define WEDGE_TRIALS 60
/* doublings of a rate until it lifts the contact off */
#define WEDGE_DOUBLINGS 40
/* The slip has turned back for good when p still grows, is more than at first
 * and this share of its terms: the contact is far from a jam then. */
#define WEDGE_BACK 0.75
/* What a slip loses until b is 0 is followed where it has no more than so many
 * times that: p is let fall to this share of its terms, or to that of the
 * tolerance, and b to this share of what it was. */
#define WEDGE_FAST 100
#define WEDGE_GONE 1e-11
#define WEDGE_REST 1e-9
#define WEDGES_MOST 16
/* columns of the extrapolation: a step has the order 2 COLUMNS at most */
#define WEDGE_COLUMNS 7

enum end { END_JAM, END_LIFTOFF, END_STOP, END_OTHER };

struct wedge {
    struct painleve_reader *reader;
    uint32_t n, j;
    double *start;       /* coordinates, rates and the time at first */
    double *x, *slope;   /* the state of the slip, and its rates by s */
    double *last, *size; /* the state one step before; greatest sizes */
    double *y[3];        /* the midpoint rule */
    double *table;       /* WEDGE_COLUMNS states */
    double sign, slip, tolerance;
    double time, step; /* s, and how much of it the last step took */
    double p_end;      /* where times are told */
    struct painleve_derivatives of;
    struct painleve_instant now;
    int st;
};
/* How a slip ends, two numbers that change their signs at the edges of a jam,
 * beside lift-off and beside slips that come to rest before; and when (s) p
 * comes to a value that is the same for all. */
struct ending {
    enum end end;
    double lifts, slips, time;
};

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
    painleve_reader_enter(wedge->reader, x);
    wedge->st = wedge->reader->by->read(wedge->reader, false, &wedge->now);
    if (wedge->st)
        return false;
    const struct painleve_point *point = &wedge->now.point;
    double p = p_of(wedge);
    painleve_accelerations(wedge->reader, p, -point->b,
                           wedge->sign * point->mu * point->b, out + n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = p * x[n + i];
    out[2 * n] = p;
    return true;
}

/* Gragg's midpoint rule: from x over h in `parts` parts, into out. */
static bool
midpoint(struct wedge *wedge, double h, int parts, double *out)
{
    size_t n = PAINLEVE_STATE(wedge->n);
    double *before = wedge->y[0], *now = wedge->y[1], *f = wedge->y[2],
           part = h / parts;
    for (size_t i = 0; i < n; i++) {
        before[i] = wedge->x[i];
        now[i] = wedge->x[i] + part * wedge->slope[i];
    }
    for (int k = 1; k < parts; k++) {
        if (!rates(wedge, now, f))
            return false;
        for (size_t i = 0; i < n; i++) {
            double next = before[i] + 2.0 * part * f[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    if (!rates(wedge, now, f))
        return false;
    for (size_t i = 0; i < n; i++)
        out[i] = 0.5 * (now[i] + before[i] + part * f[i]);
    return true;
}

/* Extrapolates to parts of no length (Aitken and Neville): row 0 of the table
 * becomes the best value. Returns its error, as a share of the tolerance of
 * each coordinate and rate by the greatest size that it has had: a fast slip
 * says nothing of the others. */
static double
extrapolate(struct wedge *wedge, int row)
{
    size_t n = PAINLEVE_STATE(wedge->n);
    double *table = wedge->table, worst = 0.0;
    for (int column = row - 1; column >= 0; column--) {
        double *old = table + (size_t)column * n,
               ratio = (double)(row + 1) / (column + 1);
        for (size_t i = 0; i < n; i++) {
            double better =
                old[n + i] + (old[n + i] - old[i]) / (ratio * ratio - 1.0);
            if (column == 0)
                worst = fmax(worst,
                             fabs(better - old[i]) /
                                 (wedge->tolerance * wedge->size[i] + DBL_MIN));
            old[i] = better;
        }
    }
    return worst;
}

/* One step of Gragg's, Bulirsch's and Stoer's method; *h: the next one. False:
 * a formula has no value. */
static bool
step(struct wedge *wedge, double *h)
{
    size_t n = PAINLEVE_STATE(wedge->n);
    for (int again = 0; again < WEDGE_SHRINKS; again++) {
        double error = INFINITY;
        for (int row = 0; row < WEDGE_COLUMNS; row++) {
            if (!midpoint(wedge, *h, 2 * (row + 1),
                          wedge->table + (size_t)row * n)) {
                /* too far away: no closest points, or no friction, is there */
                if (wedge->st == IMP_STOPPED)
                    return false;
                wedge->st = IMP_OK;
                break;
            }
            if (row > 0)
                error = extrapolate(wedge, row);
            if (!(error <= 1.0))
                continue;
            memcpy(wedge->last, wedge->x, n * sizeof *wedge->x);
            memcpy(wedge->x, wedge->table, n * sizeof *wedge->x);
            for (size_t i = 0; i < n; i++)
                wedge->size[i] = fmax(wedge->size[i], fabs(wedge->x[i]));
            wedge->time += wedge->step = *h;
            *h *= row < 4 ? 2.0 : row < 5 ? 1.3 : row < 6 ? 1.0 : 0.7;
            return rates(wedge, wedge->x, wedge->slope);
        }
        *h *= 0.4;
    }
    return false;
}

/* Sets the rates of the start: that of coordinate j is given, the others change
 * as little as they must. */
static bool
begin(struct wedge *wedge, double rate)
{
    struct painleve_reader *reader = wedge->reader;
    painleve_reader_enter(reader, wedge->start);
    int st = reader->by->begin(reader, wedge->j, rate, wedge->slip);
    if (!st)
        st = reader->by->read(reader, false, &wedge->now);
    /* no such rates: there is no such start */
    wedge->st = st == IMP_DIVERGED ? IMP_OK : st;
    return !st;
}

/* alpha, p and b at the state x. */
static bool
linear_at(struct wedge *wedge, const double *x, double alpha[PAINLEVE_ALPHA],
          double pb[2])
{
    struct painleve_reader *reader = wedge->reader;
    painleve_reader_enter(reader, x);
    wedge->st = reader->by->read(reader, true, &wedge->now);
    if (!wedge->st)
        wedge->st =
            reader->by->derivatives(reader, wedge->now.point.slip, &wedge->of);
    if (wedge->st)
        return false;
    painleve_alpha(reader, &wedge->of, &wedge->now, alpha);
    pb[0] = p_of(wedge);
    pb[1] = wedge->now.point.b;
    return true;
}

/* The time at which p has the value p_end, close to p[0] and p[1], between two
 * states one step apart: d log(p)/ds is alpha_1, so the time is a cubic of
 * log(p). */
static double
time_of(const struct wedge *wedge, const double p[2], const double rate[2],
        double p_end)
{
    double range = log(p[0] / p[1]), part = log(p_end / p[1]) / range,
           slope[2] = {range / rate[0], range / rate[1]}, rest = 1.0 - part;
    return wedge->time - wedge->step * rest * rest * (1.0 + 2.0 * part) +
           slope[1] * part * rest * rest - slope[0] * part * part * rest;
}

/* Where p is 0 places and time stand still, and the normal impulse S changes
 * the velocities by M^-1 (d - sign mu c) dS, until b is 0. Returns the slip
 * there, in its direction. slope: of b by S; small: a b that counts as 0. NAN:
 * b does not come to 0. */
static double
push_to_rest(struct wedge *wedge, double slope, double small)
{
    uint32_t n = wedge->n;
    const struct painleve_point *point = &wedge->now.point;
    double *way = wedge->y[0], S[2] = {0.0, 0.0}, b[2];
    if (!rates(wedge, wedge->x, wedge->slope))
        return (double)NAN;
    painleve_accelerations(wedge->reader, 0.0, 1.0, -wedge->sign * point->mu,
                           way);
    b[0] = point->b;
    if (fabs(b[0]) <= small)
        return wedge->sign * point->slip;
    double next = -b[0] / slope;
    memcpy(wedge->y[1], wedge->x, PAINLEVE_STATE(n) * sizeof *wedge->x);
    for (int i = 0; i < WEDGE_TRIALS && isfinite(next); i++) {
        for (uint32_t k = 0; k < n; k++)
            wedge->y[1][n + k] = wedge->x[n + k] + next * way[k];
        if (!rates(wedge, wedge->y[1], wedge->y[2]))
            return (double)NAN;
        S[1] = next;
        b[1] = point->b;
        if (fabs(b[1]) <= small)
            return wedge->sign * point->slip;
        next = S[1] - b[1] * (S[1] - S[0]) / (b[1] - b[0]);
        S[0] = S[1];
        b[0] = b[1];
        /* where b bends back below 0 it has no root */
        if (!(next > 0.0))
            break;
    }
    return (double)NAN;
}

/* The slip, in its direction, when p and b have come to 0: its rate by s is k b
 * + a p, and both fall by the exponentials of the linear equations. b falls as
 * a small power of p, so where its square matters the slip is followed until p
 * is gone, and then along p = 0. */
static double
slip_left(struct wedge *wedge, const double alpha[3], const double pb[2],
          double h)
{
    const struct painleve_point *point = &wedge->now.point;
    double k = point->mu * point->A - wedge->sign * point->B,
           E = alpha[1] / (alpha[0] - alpha[2]), K = pb[1] - E * pb[0],
           lost = k * (K / alpha[2] + E * pb[0] / alpha[0]) +
                  wedge->sign * point->a * pb[0] / alpha[0],
           left = wedge->sign * point->slip - lost;
    if (!(fabs(left) < WEDGE_FAST * fabs(lost)) || !(alpha[2] < 0.0))
        return left;
    double gone = fmax(WEDGE_GONE, wedge->tolerance) *
                  (point->C + fabs(point->mu * point->B));
    for (int i = 0; i < WEDGE_STEPS && p_of(wedge) > gone; i++)
        if (!step(wedge, &h))
            return (double)NAN;
    return push_to_rest(wedge, -alpha[2], WEDGE_REST * fabs(pb[1]));
}

/* The same where friction depends on velocities: p comes to 0 at a rate, beta
 * b, or p and b do together, along a line. */
static double
slip_across(const struct wedge *wedge, const double alpha[PAINLEVE_ALPHA],
            const double pb[2])
{
    const struct painleve_point *point = &wedge->now.point;
    double k = point->mu * point->A - wedge->sign * point->B,
           rate = k * pb[1] + wedge->sign * point->a * pb[0],
           falls = alpha[0] + alpha[3] * pb[1] / pb[0];
    return wedge->sign * point->slip - rate / falls;
}

/* What the linear equations lead to from x; `last`: the state one step before.
 * K = b - E p is K_0 p^(alpha_3/alpha_1) + c p^2: K_0 follows from both states,
 * and is a smooth function of the rate at first. */
static struct ending
by_alpha(struct wedge *wedge, double h)
{
    double alpha[PAINLEVE_ALPHA], before[PAINLEVE_ALPHA], pb[2][2], K[2];
    struct ending out = {END_OTHER, (double)NAN, (double)NAN, 0.0};
    if (!linear_at(wedge, wedge->last, before, pb[1]) ||
        !linear_at(wedge, wedge->x, alpha, pb[0]))
        return out;
    double p[2] = {pb[0][0], pb[1][0]}, rate[2] = {alpha[0], before[0]};
    out.time = time_of(wedge, p, rate, wedge->p_end);
    if (alpha[3] == 0.0 && alpha[0] < alpha[2] && alpha[2] < 0.0) {
        double power = alpha[2] / alpha[0];
        K[0] = pb[0][1] - alpha[1] / (alpha[0] - alpha[2]) * pb[0][0];
        K[1] = pb[1][1] - before[1] / (before[0] - before[2]) * pb[1][0];
        out.lifts =
            (K[0] / (pb[0][0] * pb[0][0]) - K[1] / (pb[1][0] * pb[1][0])) /
            (pow(pb[0][0], power - 2.0) - pow(pb[1][0], power - 2.0));
        out.end = out.lifts < 0.0 ? END_JAM : END_LIFTOFF;
    } else {
        const char *end = painleve_alpha_outcome(alpha, pb[0][0], pb[0][1]);
        out.end = pb[0][1] < 0.0 && !strncmp(end, "jam", 3) ? END_JAM
                  : !strcmp(end, "liftoff")                 ? END_LIFTOFF
                                                            : END_OTHER;
    }
    out.slips = alpha[3] != 0.0 ? slip_across(wedge, alpha, pb[0])
                                : slip_left(wedge, alpha, pb[0], h);
    if (out.end == END_JAM && !(out.slips > 0.0))
        out.end = END_STOP;
    if (alpha[3] != 0.0) /* without its direction the slip has no friction */
        out.slips = (double)NAN;
    return out;
}

static struct ending
follow_slip(struct wedge *wedge, double rate, bool through)
{
    struct ending out = {END_OTHER, (double)NAN, (double)NAN, 0.0};
    wedge->time = 0.0;
    if (!begin(wedge, rate))
        return out;
    size_t n = PAINLEVE_STATE(wedge->n);
    const struct painleve_point *begins = &wedge->now.point;
    double first = p_of(wedge), last = first, h = 0.05 / first;
    wedge->p_end = WEDGE_SHARE * (begins->C + fabs(begins->mu * begins->B));
    painleve_reader_keep(wedge->reader, wedge->x);
    memcpy(wedge->last, wedge->x, n * sizeof *wedge->x);
    if (!rates(wedge, wedge->x, wedge->slope))
        return out;
    for (size_t i = 0; i < n; i++)
        wedge->size[i] = fabs(wedge->x[i]) + fabs(h * wedge->slope[i]);
    int back = 0;
    for (int k = 0; k < WEDGE_STEPS; k++) {
        const struct painleve_point *point = &wedge->now.point;
        double p = p_of(wedge), size = point->C + fabs(point->mu * point->B);
        bool lifts = !(point->b < 0.0),
             stops = !(wedge->sign * point->slip > 0.0);
        /* p has passed 0: go there in shorter steps */
        if (!(p > 0.0) && back++ < WEDGE_SHRINKS) {
            memcpy(wedge->x, wedge->last, n * sizeof *wedge->x);
            wedge->time -= wedge->step;
            h = 0.25 * wedge->step;
            if (!rates(wedge, wedge->x, wedge->slope) || !step(wedge, &h))
                return out;
            continue;
        }
        if (!through && (lifts || stops)) {
            out.end = lifts ? END_LIFTOFF : END_STOP;
            return out;
        }
        if (!(p > 0.0) || (p > fmax(WEDGE_BACK * size, first) && p > last))
            return out;
        if (p < fmax(WEDGE_SHARE, WEDGE_ABOVE * wedge->tolerance) * size)
            return by_alpha(wedge, h);
        last = p;
        if (!step(wedge, &h))
            return out;
    }
    return out;
}

/* How does the slip from this rate end? through: it is followed through b = 0
 * and slip 0, as if the contact could pull and the slip had kept its sign.
 * Where a formula has no value the motion ends, and does not jam: what is told
 * of it belongs to no motion of the model. */
static struct ending
follow(struct wedge *wedge, double rate, bool through)
{
    struct rt *run = wedge->reader->analysis->rt;
    struct diags *told = run->ds, quiet;
    diags_init(&quiet, run->arena, told->sources);
    run->ds = &quiet;
    struct ending out = follow_slip(wedge, rate, through);
    run->ds = told;
    if (wedge->st != IMP_STOPPED)
        wedge->st = IMP_OK;
    return out;
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

/* Halves the distance between a rate that does not jam and one that does, down
 * to `close`; the middle is left. *end: of a slip that does not. */
static double
by_halves(struct wedge *wedge, double out, double in, double close,
          enum end *end)
{
    for (int k = 0; k < WEDGE_TRIALS && fabs(in - out) > close && !wedge->st;
         k++) {
        double middle = 0.5 * (out + in);
        enum end found = follow(wedge, middle, false).end;
        if (found != END_JAM)
            *end = found;
        *(found == END_JAM ? &in : &out) = middle;
    }
    return 0.5 * (out + in);
}

/* The place x at which (r0 - x)/(r1 - x) and (r1 - x)/(r2 - x) are powers of
 * one number, by the differences of the times; between out and r2. */
static double
by_times(const double rate[3], const double time[3], double out)
{
    double far = out, near = rate[2];
    for (int k = 0; k < WEDGE_TRIALS; k++) {
        double x = 0.5 * (far + near),
               off = log((rate[0] - x) / (rate[1] - x)) * (time[1] - time[2]) -
                     log((rate[1] - x) / (rate[2] - x)) * (time[0] - time[1]);
        *((time[0] - time[1]) * off < 0.0 ? &near : &far) = x;
    }
    return 0.5 * (far + near);
}

/* Beside slips that turn back, and never come to p = 0: on the edge itself the
 * slip comes to a place where it could go on for ever (a saddle), and near it
 * the time that it stays there grows with the logarithm of the distance from
 * the edge. beside: how far it is at most from `found`, with its sign towards
 * rates that jam. NAN: it is not so. */
static double
by_passage(struct wedge *wedge, double found, double beside, double close)
{
    double rate[3], time[3], near = beside > 0.0 ? close : -close;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 3; k++) {
            rate[k] = found + ldexp(beside, -2 * k);
            struct ending end = follow(wedge, rate[k], false);
            time[k] = end.time;
            if (end.end != END_JAM)
                return (double)NAN;
        }
        found = by_times(rate, time, found - beside);
        if (follow(wedge, found + near, false).end == END_JAM &&
            follow(wedge, found - near, false).end != END_JAM)
            return found;
        beside = 1e3 * near;
    }
    return (double)NAN;
}

/* The number of an ending whose root is an edge, beside lift-off or else beside
 * slips that come to rest: above 0 where nothing jams. NAN: it has none. */
static double
number_of(struct wedge *wedge, double rate, bool lifts)
{
    struct ending end = follow(wedge, rate, true);
    return lifts ? end.lifts : -end.slips;
}

/* The root of that number between two rates, by the secant with the weights of
 * Anderson and Bjorck. NAN: it has not the signs, or not the values, that it
 * must have. *slope: there. */
static double
by_secant(struct wedge *wedge, double out, double in, double close, bool lifts,
          double *slope)
{
    double place[2] = {out, in}, value[2], found;
    for (int k = 0; k < 2; k++)
        value[k] = number_of(wedge, place[k], lifts);
    *slope = (value[1] - value[0]) / (in - out);
    if (!(value[0] > 0.0) || !(value[1] < 0.0))
        return (double)NAN;
    for (int k = 0; k < WEDGE_TRIALS && fabs(place[1] - place[0]) > close;
         k++) {
        double rate =
            (place[0] * value[1] - place[1] * value[0]) / (value[1] - value[0]);
        if (!isfinite(found = number_of(wedge, rate, lifts)))
            return (double)NAN;
        int side = found < 0.0;
        double weight = 1.0 - found / value[side],
               moved = fabs(rate - place[side]);
        if (moved > 0.0)
            *slope = (found - value[side]) / (rate - place[side]);
        if (found == 0.0 || moved <= 0.5 * close)
            return rate;
        value[1 - side] *= weight > 0.0 ? weight : 0.5;
        place[side] = rate;
        value[side] = found;
    }
    return 0.5 * (place[0] + place[1]);
}

/* The same root from one that is nearly right, with the slope there. A step of
 * the secant is off by the product of its distances from both places, over a
 * length in which the number bends: that is taken to be `bends`, the distance
 * of two of the rates that were tried. */
static double
refine(struct wedge *wedge, double rough, double slope, double close,
       double bends, bool lifts)
{
    double x[2] = {rough, 0.0},
           value[2] = {number_of(wedge, rough, lifts), 0.0};
    x[1] = x[0] - value[0] / slope;
    for (int k = 0; k < WEDGE_TRIALS && isfinite(x[1]); k++) {
        if (fabs(x[1] - rough) > WEDGE_BESIDE * bends || x[1] == x[0])
            break;
        value[1] = number_of(wedge, x[1], lifts);
        double next = x[1] - value[1] * (x[1] - x[0]) / (value[1] - value[0]);
        if (fabs(next - x[1]) * fabs(next - x[0]) <= close * bends)
            return next;
        x[0] = x[1];
        value[0] = value[1];
        x[1] = next;
    }
    return (double)NAN;
}

/* The edge to the tolerance of the rates that are tried, and the slope of its
 * number there; NAN: that number does not tell it. beside: a small distance,
 * with its sign towards rates that jam. */
static double
rough_edge(struct wedge *wedge, double out, double in, double beside,
           enum end end, double *slope)
{
    if (end != END_LIFTOFF && end != END_STOP)
        return (double)NAN;
    double found = by_secant(wedge, out, in, 0.1 * fabs(beside),
                             end == END_LIFTOFF, slope);
    return isfinite(found) &&
                   follow(wedge, found + beside, false).end == END_JAM &&
                   follow(wedge, found - beside, false).end == end
               ? found
               : (double)NAN;
}

/* The edge between a rate that jams and its neighbour that does not: at first
 * to the tolerance of the rates that are tried, and then, by what lies beside
 * it, from close by. */
static double
edge(struct wedge *wedge, double out, double in)
{
    double bends = fabs(in - out), close = WEDGE_EDGE * bends,
           beside = WEDGE_BESIDE * (in - out), slope, found = (double)NAN;
    enum end end = follow(wedge, out, false).end;
    double rough = rough_edge(wedge, out, in, beside, end, &slope);
    wedge->tolerance = WEDGE_FINE;
    if (isfinite(rough))
        found = refine(wedge, rough, slope, close, bends, end == END_LIFTOFF);
    if (!isfinite(found)) {
        wedge->tolerance = WEDGE_ROUGH;
        rough = by_halves(wedge, out, in, 0.1 * fabs(beside), &end);
        wedge->tolerance = WEDGE_FINE;
        found = end == END_LIFTOFF || end == END_STOP
                    ? by_secant(wedge, rough - beside, rough + beside, close,
                                end == END_LIFTOFF, &slope)
                    : by_passage(wedge, rough, beside, close);
    }
    if (!isfinite(found) && !wedge->st)
        found = by_halves(wedge, out, in, close, &end);
    wedge->tolerance = WEDGE_ROUGH;
    return found;
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
        bool jams = follow(wedge, rate, false).end == END_JAM;
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
painleve_put_wedge(const struct painleve_instant *instant, uint32_t j,
                   struct record *out)
{
    assert(instant && j < instant->reader->n && out);
    struct painleve_reader *reader = instant->reader;
    struct analysis *analysis = reader->analysis;
    struct rt *run = analysis->rt;
    size_t n = PAINLEVE_STATE(reader->n);
    struct wedge *wedge = NEW(run->arena, struct wedge);
    *wedge = (struct wedge){
        .reader = reader,
        .n = reader->n,
        .j = j,
        .start = NEW_N(run->arena, double, (8 + WEDGE_COLUMNS) * n),
        .tolerance = WEDGE_ROUGH,
        .slip = instant->point.slip,
        .sign = instant->point.slip > 0.0 ? 1.0 : -1.0};
    wedge->x = wedge->start + n;
    wedge->slope = wedge->x + n;
    for (int k = 0; k < 3; k++)
        wedge->y[k] = wedge->slope + n * (size_t)(k + 1);
    wedge->last = wedge->y[2] + n;
    wedge->size = wedge->last + n;
    wedge->table = wedge->size + n;
    painleve_reader_keep(reader, wedge->start);
    double *found = NEW_N(record_arena(analysis), double, 2 * WEDGES_MOST + 2);
    if (!begin(wedge, wedge->start[reader->n + j] + 1.0)) {
        SET_ABSENT("wedge", "with the gap closed the slip gives the rate of "
                            "this coordinate");
        painleve_reader_enter(reader, wedge->start);
        return wedge->st;
    }
    double low = lifts_from(wedge, -1.0), high = lifts_from(wedge, 1.0);
    if (wedge->st)
        return wedge->st;
    if (isfinite(low) && isfinite(high)) {
        size_t count = intervals(wedge, low, high, found);
        SET_LIST("wedge", found, count);
    } else {
        SET_ABSENT("wedge", "the rate of this coordinate never lifts it off");
    }
    painleve_reader_enter(reader, wedge->start);
    return wedge->st;
}
