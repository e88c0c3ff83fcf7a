/* SPDX-License-Identifier: MIT */
/* The least friction of a paradox over one angle, or over two that keep the gap
 * closed (specification painleve.md, 2 and 11): a root of the derivative. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "base/num.h"

/* so many places of one turn are looked at for a change of sign of the
 * derivative of mu_P: minima that are nearer to each other than half a degree
 * may be missed */
#define TURN_PLACES 720
#define TURN_HALVINGS 200
/* mu_P repeats after one turn within this share */
#define TURN_SAME 1e-9
/* Of two angles: places of the second one at which the gap is looked at for a
 * change of its sign, and steps of Newton's method that follow a root. */
#define PAIR_PLACES 72
#define PAIR_STEPS 40

/* -- the least mu_P --------------------------------------------------------
 */

struct turn {
    struct painleve_reader *reader;
    double *angle, *along; /* the coordinate, in env; the change of all (n) */
    uint32_t j;
    bool closes; /* the gap is closed again after each turn */
    double slip;
    struct painleve_derivatives of;
    int st;
};

/* d log(mu_P) by the angle; *mu_P. */
static double
slope(struct turn *turn, double angle, double *mu_P)
{
    struct painleve_reader *reader = turn->reader;
    *turn->angle = angle;
    turn->st = turn->closes
                   ? reader->by->close(reader, &turn->j, 1, true, turn->along)
                   : IMP_OK;
    if (!turn->st)
        turn->st = reader->by->derivatives(reader, turn->slip, &turn->of);
    *mu_P = turn->of.C / fabs(turn->of.B);
    if (turn->st)
        return (double)NAN;
    double sum = 0.0;
    for (uint32_t i = 0; i < reader->n; i++)
        if (turn->along[i] != 0.0)
            sum += turn->along[i] * (turn->of.C_q[i] / turn->of.C -
                                     turn->of.B_q[i] / turn->of.B);
    return sum;
}

/* Halves an interval at whose ends mu_P falls and rises. */
static double
bottom(struct turn *turn, double low, double high, double *mu_P)
{
    for (int k = 0; k < TURN_HALVINGS && !turn->st; k++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (slope(turn, middle, mu_P) < 0.0)
            low = middle;
        else
            high = middle;
    }
    slope(turn, high, mu_P);
    return high;
}

static int
put_least(struct turn *turn, struct record *out)
{
    static const char *const fields[] = {"mu_P_least", "mu_P_least_at"};
    double *state = NEW_N(turn->reader->analysis->rt->arena, double,
                          PAINLEVE_STATE(turn->reader->n));
    painleve_reader_keep(turn->reader, state);
    double start = *turn->angle, step = 2.0 * M_PI / TURN_PLACES;
    double first, last, least = INFINITY, at = 0.0, value;
    double falls = slope(turn, start, &first);
    for (int k = 1; k <= TURN_PLACES && !turn->st; k++) {
        double angle = start + step * k, rises = slope(turn, angle, &last);
        if (falls < 0.0 && rises >= 0.0) {
            double place = bottom(turn, angle - step, angle, &value);
            /* of equal ones the first, beginning from the present angle */
            if (value < least * (1.0 - TURN_SAME)) {
                least = value;
                at = place;
            }
        }
        falls = rises;
    }
    painleve_reader_enter(turn->reader, state);
    if (turn->st == IMP_DIVERGED) {
        record_set_absent_all(out, fields, 2,
                              "what holds the bodies lets it make no turn");
        return IMP_OK;
    }
    if (turn->st)
        return turn->st;
    if (!(fabs(last - first) <= TURN_SAME * fabs(first)) &&
        (isfinite(first) || isfinite(last)))
        record_set_absent_all(out, fields, 2,
                              "mu_P is not the same after one turn of it");
    else if (!isfinite(least))
        record_set_absent_all(out, fields, 2, "mu_P has no least value");
    else {
        SET_NUM("mu_P_least", least);
        SET_NUM("mu_P_least_at", at - 2.0 * M_PI * floor(at / (2.0 * M_PI)));
    }
    return IMP_OK;
}

/* -- two angles that keep the gap closed ------------------------------------
 */

struct pair {
    struct turn turn; /* of the first angle */
    double *other;    /* the second one, in env */
    uint32_t k;       /* its number */
    double *both;     /* 2 n: the change of all by the first, by the second */
};

static double
dot(uint32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The gap at these angles, and its derivative by the second one; NAN where they
 * cannot be so. */
static double
gap_at(struct pair *pair, double first, double second, double *slope)
{
    struct painleve_reader *reader = pair->turn.reader;
    uint32_t n = reader->n, asked[2] = {pair->turn.j, pair->k};
    double gap = NAN;
    *pair->turn.angle = first;
    *pair->other = second;
    *slope = NAN;
    if (reader->by->close) {
        int st = reader->by->close(reader, asked, 2, false, pair->both);
        pair->turn.st = st == IMP_DIVERGED ? IMP_OK : st;
        if (st)
            return NAN;
        memcpy(pair->turn.along, pair->both, n * sizeof *pair->both);
    }
    pair->turn.st = reader->by->gap(reader, &gap);
    *slope = dot(n, reader->normal, pair->both + n);
    return gap;
}

/* The second angle that closes the gap, near to `second`. NAN: none. */
static double
closes(struct pair *pair, double first, double second)
{
    double slope;
    for (int k = 0; k < PAIR_STEPS && !pair->turn.st; k++) {
        double step = gap_at(pair, first, second, &slope) / slope;
        second -= step;
        if (!isfinite(second) || fabs(step) > 2.0 * M_PI)
            return NAN;
        if (fabs(step) <= 4.0 * DBL_EPSILON * (1.0 + fabs(second)))
            return second;
    }
    return fabs(gap_at(pair, first, second, &slope)) <=
                   64.0 * DBL_EPSILON * fabs(slope)
               ? second
               : NAN;
}

/* d log(mu_P) along the curve on which the gap is closed. */
static double
slope_along(struct pair *pair, double first, double *second, double *mu_P)
{
    double by_second;
    *second = closes(pair, first, *second);
    if (!isfinite(*second) || pair->turn.st)
        return NAN;
    gap_at(pair, first, *second, &by_second);
    uint32_t n = pair->turn.reader->n;
    double turns = -dot(n, pair->turn.reader->normal, pair->both) / by_second;
    const struct painleve_derivatives *of = &pair->turn.of;
    double by_first = slope(&pair->turn, first, mu_P);
    return by_first + turns * (dot(n, of->C_q, pair->both + n) / of->C -
                               dot(n, of->B_q, pair->both + n) / of->B);
}

/* Looks at one place of the first angle, at all places of the second one. */
static void
look(struct pair *pair, double first, double least[3])
{
    double step = 2.0 * M_PI / PAIR_PLACES, unused, value;
    double last = gap_at(pair, first, 0.0, &unused);
    for (int k = 1; k <= PAIR_PLACES && !pair->turn.st; k++) {
        double now = gap_at(pair, first, step * k, &unused);
        double second =
            (last < 0.0) != (now < 0.0)
                ? closes(pair, first, step * (k - now / (now - last)))
                : NAN;
        last = now;
        if (!isfinite(second))
            continue;
        *pair->other = second;
        slope(&pair->turn, first, &value);
        if (value < least[0]) {
            least[0] = value;
            least[1] = first;
            least[2] = second;
        }
    }
}

/* Halves the interval beside the least place that was looked at. False: mu_P is
 * not least inside of it. */
static bool
bottom_along(struct pair *pair, double least[3])
{
    double step = 2.0 * M_PI / TURN_PLACES, low = least[1] - step,
           high = least[1] + step, second[2] = {least[2], least[2]}, value;
    if (!(slope_along(pair, low, &second[0], &value) < 0.0) ||
        !(slope_along(pair, high, &second[1], &value) > 0.0))
        return false;
    for (int k = 0; k < TURN_HALVINGS && !pair->turn.st; k++) {
        double middle = 0.5 * (low + high), at = second[0];
        if (middle <= low || middle >= high)
            break;
        bool falls = slope_along(pair, middle, &at, &value) < 0.0;
        *(falls ? &low : &high) = middle;
        second[falls ? 0 : 1] = at;
    }
    slope_along(pair, high, &second[1], &least[0]);
    least[1] = high;
    least[2] = second[1];
    return isfinite(least[0]);
}

/* The least place: by the first angle, or, where the curve turns back in it, by
 * the second one. */
static bool
refine(struct pair *pair, double least[3])
{
    if (bottom_along(pair, least))
        return true;
    struct pair swapped = *pair;
    swapped.turn.angle = pair->other;
    swapped.turn.j = pair->k;
    uint32_t n = pair->turn.of.n;
    swapped.both =
        NEW_N(pair->turn.reader->analysis->rt->arena, double, 3 * (size_t)n);
    swapped.turn.along = swapped.both + 2 * n;
    swapped.turn.along[pair->k] = swapped.both[pair->k] = 1.0;
    swapped.both[n + pair->turn.j] = 1.0;
    swapped.other = pair->turn.angle;
    swapped.k = pair->turn.j;
    double turned[3] = {least[0], least[2], least[1]};
    bool found = bottom_along(&swapped, turned);
    pair->turn.st = swapped.turn.st;
    least[0] = turned[0];
    least[1] = turned[2];
    least[2] = turned[1];
    return found;
}

static int
put_pair(struct pair *pair, struct record *out)
{
    static const char *const fields[] = {"mu_P_least", "mu_P_least_posture"};
    struct painleve_reader *reader = pair->turn.reader;
    double *state = NEW_N(reader->analysis->rt->arena, double,
                          PAINLEVE_STATE(reader->n)),
           least[3] = {INFINITY, 0.0, 0.0};
    painleve_reader_keep(reader, state);
    for (int k = 0; k < TURN_PLACES && !pair->turn.st; k++)
        look(pair, 2.0 * M_PI / TURN_PLACES * k, least);
    bool found = isfinite(least[0]) && !pair->turn.st && refine(pair, least);
    painleve_reader_enter(reader, state);
    if (pair->turn.st)
        return pair->turn.st;
    if (!found) {
        record_set_absent_all(
            out, fields, 2, "mu_P has no least value where the gap is closed");
        return IMP_OK;
    }
    for (int k = 1; k < 3; k++)
        least[k] -= 2.0 * M_PI * floor(least[k] / (2.0 * M_PI));
    SET_NUM("mu_P_least", least[0]);
    SET_LIST("mu_P_least_posture", least + 1, 2);
    return IMP_OK;
}

/* -- what the model asks ----------------------------------------------------
 */

/* The number of the coordinate; UINT32_MAX after a diagnostic that it is no
 * angle. */
static uint32_t
angle_of(const struct painleve_reader *reader, const imp_val *over,
         const char *name, size_t length)
{
    struct analysis *analysis = reader->analysis;
    const char *unit;
    uint32_t j = reader->by->coordinate(reader, name, length, &unit);
    if (!*unit || !strcmp(unit, "1"))
        return j;
    struct diag *diag = diag_add(analysis->ds, DIAG_E0743, over->range,
                                 "`over` is an angle, but `%.*s` is in %s",
                                 (int)length, name, unit);
    diag_help(analysis->ds, diag, "a sweep over a param asks at other places");
    return UINT32_MAX;
}

/* The wedge in the rate of coordinate j, if it is asked for and the contact may
 * jam; j is UINT32_MAX where `over` is not one coordinate. */
static int
wedge(uint32_t j, const struct painleve_instant *instant,
      const struct painleve *found, struct record *out)
{
    struct analysis *analysis = instant->reader->analysis;
    double asked = 0.0;
    const imp_val *option =
        arg_option(analysis, instant->reader->command, IMP_OPT_painleve_wedge);
    int st = option ? arg_numbers(analysis, option, &asked) : IMP_OK;
    if (st)
        return st;
    double p = instant->point.slip > 0.0 ? found->p_plus : found->p_minus;
    const char *why = asked == 0.0       ? "it is not asked for (wedge = true)"
                      : j == UINT32_MAX  ? "`over` names no single coordinate"
                      : !instant->closed ? "the contact is open"
                      : instant->point.slip == 0.0 ? "the contact does not slip"
                      : !(p > 0.0)                 ? "p > 0 does not hold here"
                                                   : NULL;
    if (why) {
        SET_ABSENT("wedge", why);
        return IMP_OK;
    }
    return painleve_put_wedge(instant, j, out);
}

int
painleve_over(const struct painleve_instant *instant,
              const struct painleve *found, struct record *out)
{
    assert(instant && instant->reader && found && out);
    static const char *const fields[] = {"mu_P_least", "mu_P_least_at",
                                         "mu_P_least_posture"};
    struct painleve_reader *reader = instant->reader;
    struct rt *run = reader->analysis->rt;
    const imp_val *over =
        arg_option(reader->analysis, reader->command, IMP_OPT_painleve_over);
    if (!over) {
        record_set_absent_all(out, fields, 3,
                              "no coordinate is stated as `over`");
        return wedge(UINT32_MAX, instant, found, out);
    }
    const char *name = imp_text(run->im, over->text),
               *blank = strchr(name, ' ');
    uint32_t j = angle_of(reader, over, name,
                          blank ? (size_t)(blank - name) : strlen(name));
    if (j == UINT32_MAX)
        return IMP_BADMODEL;
    struct turn turn = {.reader = reader,
                        .angle = reader->entry[j],
                        .along = NEW_N(run->arena, double, reader->n),
                        .j = j,
                        .closes = !blank && reader->by->close != NULL,
                        .slip = instant->point.slip};
    turn.along[j] = 1.0;
    if (!blank) {
        SET_ABSENT("mu_P_least_posture", "`over` is one coordinate");
        int st = wedge(j, instant, found, out);
        return st ? st : put_least(&turn, out);
    }
    SET_ABSENT("mu_P_least_at", "`over` are two coordinates");
    SET_ABSENT("wedge", "`over` names two coordinates");
    uint32_t k = angle_of(reader, over, blank + 1, strlen(blank + 1));
    if (k == UINT32_MAX)
        return IMP_BADMODEL;
    struct pair pair = {.turn = turn,
                        .other = reader->entry[k],
                        .k = k,
                        .both = NEW_N(run->arena, double, 2 * reader->n)};
    pair.both[j] = pair.both[reader->n + k] = 1.0;
    return put_pair(&pair, out);
}
