/* SPDX-License-Identifier: MIT */
/* See friction_forecast.h. The points move by impacts and parabolas until those
 * that bounce are slower than rounding. */
#include "runtime/modes/friction_forecast.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/impact/friction_law.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/modes/friction_rows.h"

/* Bouncing points are at rest when their speed is this share of the first. */
#define BOUNCE_REST DBL_EPSILON
/* A rate after an impact below this share of the speeds is 0. */
#define RATE_NONE 1e-13
/* most impacts that are followed of one point, and of several */
#define IMPACTS_OF_ONE 20000
#define IMPACTS_OF_SEVERAL 2000

struct bounce {
    struct rt *run;
    struct friction_rows rows;
    const struct forecast_question *ask;
    struct friction_impact_point *law;
    double *gap, *rate, *acc, *force; /* n; 2 n each */
    double *sum, *first; /* 2 n: impulses, and their moments about the start */
    double *work;        /* n: of friction */
    bool *bounced;
    enum contact_mode *mode; /* of the last piece */
    bool *held;              /* in the last piece */
    double time, fast;       /* fast: the greatest speed so far */
    double high;             /* the greatest speed of approach so far */
    double approach[2]; /* of the point that came down last: its last speeds */
    int last, impacts;
};

/* -- impacts --------------------------------------------------------------- */

/* Returns the rows of some points: W and friction points for these alone. */
static double *
part_of(struct bounce *b, const int *index, int m)
{
    size_t rows = 2 * (size_t)b->rows.n;
    double *W = NEW_N(b->run->brief, double, 4 * (size_t)m * (size_t)m + 1);
    for (int i = 0; i < 2 * m; i++)
        for (int j = 0; j < 2 * m; j++)
            W[i * 2 * m + j] =
                b->rows.W[(size_t)(2 * index[i / 2] + i % 2) * rows +
                          (size_t)(2 * index[j / 2] + j % 2)];
    return W;
}

static void
add_impulse(struct bounce *b, int row, double impulse)
{
    int rows = 2 * b->rows.n;
    b->sum[row] += impulse;
    b->first[row] += impulse * b->time;
    for (int i = 0; i < rows; i++)
        b->rate[i] += b->rows.W[i * rows + row] * impulse;
}

/* The impact of all points that are closed now. False: it is not determined. */
static bool
hit(struct bounce *b)
{
    int n = b->rows.n, m = 0, *index = NEW_N(b->run->brief, int, (size_t)n);
    struct friction_impact_point *point =
        NEW_N(b->run->brief, struct friction_impact_point, n);
    for (int i = 0; i < n; i++) {
        if (b->gap[i] != 0.0 || b->rate[2 * i] > 0.0)
            continue;
        point[m] = b->law[i];
        point[m].normal = b->rate[2 * i];
        point[m].slip = b->rate[2 * i + 1];
        double mu[3];
        if (contact_friction_now(b->run, b->rows.spot[i].contact,
                                 fabs(point[m].slip), mu))
            return false;
        point[m].mu = mu[2];
        b->bounced[i] |= b->rate[2 * i] < 0.0;
        b->high = fmax(b->high, -b->rate[2 * i]);
        index[m++] = i;
    }
    for (int i = 0; i < 2 * n; i++)
        b->fast = fmax(b->fast, fabs(b->rate[i]));
    struct friction_group_impact group;
    friction_impact_group(b->run->brief, m, part_of(b, index, m), point,
                          (enum imp_impact_law)b->run->im->impact_law, &group);
    if (group.why)
        return false;
    for (int i = 0; i < 2 * m; i++)
        if (group.impulse[i] != 0.0)
            add_impulse(b, 2 * index[i / 2] + i % 2, group.impulse[i]);
    for (int i = 0; i < m; i++)
        b->work[index[i]] += group.work[i];
    for (int i = 0; i < m; i++) {
        double *rate = b->rate + 2 * index[i];
        double low = RATE_NONE * fabs(point[i].normal);
        if (point[i].normal == 0.0)
            low = RATE_NONE * b->high;
        if (fabs(rate[0]) <= low)
            rate[0] = 0.0;
        if (fabs(rate[1]) <= RATE_NONE * b->fast)
            rate[1] = 0.0;
    }
    b->impacts++;
    return true;
}

/* -- pieces between -------------------------------------------------------- */

/* Chooses the modes of the points that are closed and have no rate, and makes
 * all accelerations. False: there is no one motion. */
static bool
choose(struct bounce *b)
{
    int n = b->rows.n, rows = 2 * n, m = 0;
    int *index = NEW_N(b->run->brief, int, (size_t)n);
    memset(b->force, 0, sizeof *b->force * (size_t)rows);
    memcpy(b->acc, b->rows.free, sizeof *b->acc * (size_t)rows);
    for (int i = 0; i < n; i++) {
        if (b->gap[i] == 0.0 && b->rate[2 * i] == 0.0)
            index[m++] = i;
        else
            b->held[i] = false;
    }
    if (m == 0)
        return true;
    struct friction_point *point =
        NEW_N(b->run->brief, struct friction_point, m);
    double *free = NEW_N(b->run->brief, double, 4 * (size_t)m),
           *terms = free + 2 * m;
    for (int i = 0; i < m; i++) {
        int from = index[i];
        point[i] = b->rows.point[from];
        point[i].slip = b->rate[2 * from + 1];
        double mu[3];
        if (contact_friction_now(b->run, b->rows.spot[from].contact,
                                 fabs(point[i].slip), mu))
            return false;
        if (point[i].slip != 0.0)
            mu[1] = fmax(mu[0], mu[1]);
        else if (contact_friction_at_rest(b->run, b->rows.spot[from].contact,
                                          rt_time(b->run), mu[0], &mu[1]))
            return false;
        point[i].mu_dynamic = mu[0];
        point[i].mu_static = mu[1];
        point[i].held = b->held[from];
        point[i].before = b->mode[from];
        point[i].ended = false;
        for (int k = 0; k < 2; k++) {
            free[2 * i + k] = b->rows.free[2 * from + k];
            terms[2 * i + k] = b->rows.terms[2 * from + k];
        }
    }
    struct friction_instant instant = {m, point, part_of(b, index, m), free,
                                       terms};
    struct friction_choice *choice = NEW(b->run->brief, struct friction_choice);
    friction_choose(b->run->brief, &instant, choice);
    if (choice->taken < 0)
        return false;
    const struct friction_set *set = &choice->set[choice->taken];
    for (int i = 0; i < m; i++) {
        b->mode[index[i]] = set->mode[i];
        b->held[index[i]] = set->mode[i] != CONTACT_FREE;
        b->force[2 * index[i]] = set->normal[i];
        b->force[2 * index[i] + 1] = set->tangential[i];
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            b->acc[i] += b->rows.W[i * rows + j] * b->force[j];
    for (int i = 0; i < m; i++) {
        if (b->held[index[i]])
            b->acc[2 * index[i]] = 0.0;
        if (set->mode[i] == CONTACT_STICK)
            b->acc[2 * index[i] + 1] = 0.0;
    }
    return true;
}

/* The first root of g + v t + a t^2/2 after now; infinite: none. */
static double
comes_down(double g, double v, double a)
{
    if (g == 0.0)
        return v > 0.0 && a < 0.0 ? -2.0 * v / a : INFINITY;
    double d = v * v - 2.0 * a * g;
    if (d < 0.0)
        return INFINITY;
    double q = v <= 0.0 ? -v + sqrt(d) : -(v + sqrt(d));
    double one = q != 0.0 ? 2.0 * g / q : INFINITY,
           two = a != 0.0 ? q / a : INFINITY;
    double best = one > 0.0 ? one : INFINITY;
    return two > 0.0 && two < best ? two : best;
}

/* Moves to the next event of the piece. False: nothing comes within `ahead`. */
static bool
fly(struct bounce *b)
{
    int n = b->rows.n, down = -1, stops = -1;
    double best = INFINITY;
    for (int i = 0; i < n; i++) {
        double *rate = b->rate + 2 * i, *acc = b->acc + 2 * i;
        double t =
            b->held[i] ? INFINITY : comes_down(b->gap[i], rate[0], acc[0]);
        if (t < best) {
            best = t;
            down = i;
            stops = -1;
        }
        t = b->held[i] && rate[1] * acc[1] < 0.0 ? -rate[1] / acc[1] : INFINITY;
        if (t < best) {
            best = t;
            stops = i;
            down = -1;
        }
    }
    if (!(b->time + best <= b->ask->ahead))
        return false;
    for (int i = 0; i < n; i++)
        if (!b->held[i])
            b->gap[i] += best * (b->rate[2 * i] + 0.5 * best * b->acc[2 * i]);
    for (int i = 0; i < n; i++)
        b->work[i] += best * b->force[2 * i + 1] *
                      (b->rate[2 * i + 1] + 0.5 * best * b->acc[2 * i + 1]);
    for (int i = 0; i < 2 * n; i++) {
        b->rate[i] += best * b->acc[i];
        b->sum[i] += best * b->force[i];
        b->first[i] += best * (b->time + 0.5 * best) * b->force[i];
    }
    b->time += best;
    if (down >= 0) {
        b->gap[down] = 0.0;
        b->approach[1] = down == b->last ? b->approach[0] : NAN;
        b->approach[0] = fabs(b->rate[2 * down]);
        b->last = down;
    }
    if (stops >= 0)
        b->rate[2 * stops + 1] = 0.0;
    return true;
}

/* -- the limit ------------------------------------------------------------- */

/* Have all points that bounce come to rest, to rounding? */
static bool
at_rest(const struct bounce *b)
{
    bool any = false;
    for (int i = 0; i < b->rows.n; i++) {
        if (!b->bounced[i])
            continue;
        double still = BOUNCE_REST * b->high;
        any = true;
        if (fabs(b->rate[2 * i]) > still ||
            b->gap[i] > still * still / fabs(b->rows.free[2 * i]))
            return false;
    }
    return any;
}

/* Follows the points to their limit. */
static bool
follow(struct bounce *b)
{
    int most = b->rows.n == 1 ? IMPACTS_OF_ONE : IMPACTS_OF_SEVERAL;
    /* a piece may end without an impact: its slip stops, again and again */
    for (int piece = 0; b->impacts < most && piece < 4 * most; piece++) {
        bool approach = false;
        for (int i = 0; i < b->rows.n; i++)
            approach |= b->gap[i] == 0.0 && b->rate[2 * i] < 0.0;
        if (approach) {
            if (!hit(b))
                return false;
            if (at_rest(b))
                return true;
            continue;
        }
        if (!choose(b) || !fly(b))
            return false;
    }
    return false;
}

static void
put(const struct bounce *b, struct forecast_limit *all,
    struct friction_forecast *out)
{
    int n = b->rows.n;
    for (int i = 0; i < n; i++) {
        all->group[i] = b->bounced[i];
        all->closed[i] = b->bounced[i] || b->held[i];
        all->moved[i] = all->closed[i];
        all->gap[i] = all->rate[i] = 0.0;
        out->slip[i] = b->rate[2 * i + 1];
        out->work[i] = b->work[i];
    }
    for (int i = 0; i < 2 * n; i++) {
        out->impulse[i] = b->sum[i];
        out->moment[i] = b->time * b->sum[i] - b->first[i];
    }
    all->found = true;
    all->remaining = b->time;
}

bool
friction_forecast(struct rt *run, const struct forecast_question *ask,
                  const struct contact_point *spot, struct forecast_limit *all,
                  struct friction_forecast *out)
{
    assert(ask->n > 0 && ask->n <= CONTACT_POINTS_MOST);
    size_t n = (size_t)ask->n;
    struct bounce bounce = {.run = run, .ask = ask}, *b = &bounce;
    b->rows = (struct friction_rows){.run = run, .n = ask->n, .spot = spot};
    memset(all, 0, sizeof *all);
    if (friction_rows_read(&b->rows))
        return false;
    double *x = NEW_N(run->brief, double, 16 * n);
    b->gap = x;
    b->rate = x + 2 * n;
    b->acc = x + 4 * n;
    b->force = x + 6 * n;
    b->sum = x + 8 * n;
    b->first = x + 10 * n;
    *out = (struct friction_forecast){
        NEW_N(run->brief, double, 2 * n), NEW_N(run->brief, double, 2 * n),
        NEW_N(run->brief, double, n), NEW_N(run->brief, double, n)};
    b->work = NEW_N(run->brief, double, n);
    b->bounced = NEW_N(run->brief, bool, n);
    b->held = NEW_N(run->brief, bool, n);
    b->mode = NEW_N(run->brief, enum contact_mode, n);
    b->law = NEW_N(run->brief, struct friction_impact_point, n);
    memcpy(b->rate, b->rows.rate, 2 * n * sizeof *b->rate);
    for (size_t i = 0; i < n; i++) {
        b->gap[i] = ask->p[i].gap;
        b->rate[2 * i] = ask->p[i].rate;
        b->rows.free[2 * i] = ask->p[i].free;
        b->held[i] = b->rows.point[i].held;
        b->mode[i] = b->rows.point[i].before;
        if (friction_law_point(run, spot[i].contact,
                               (enum imp_impact_law)run->im->impact_law, 0.0,
                               b->rate[2 * i + 1], &b->law[i]))
            return false;
        b->high = fmax(b->high, fabs(b->rate[2 * i]));
    }
    if (!follow(b) || !(b->time > 0.0))
        return false;
    put(b, all, out);
    all->chatter = (struct accumulation_limit){
        .period = b->ask->n == 1,
        .depth = 1,
        .ratio = b->ask->n == 1 ? b->approach[0] / b->approach[1] : NAN,
        .ratio_error = NAN,
        .evidence = b->ask->n == 1 ? LIMIT_BY_FLIGHTS : LIMIT_BELOW_ROUNDING,
        .remaining = b->time,
        .error = 0.0};
    return true;
}

/* -- at the limit ---------------------------------------------------------- */

int
friction_forecast_apply(struct rt *run, const struct contact_point *spot, int n,
                        const struct friction_forecast *forecast)
{
    assert(n > 0 && forecast != NULL);
    struct friction_rows in = {.run = run, .n = n, .spot = spot};
    int st = friction_rows_read(&in);
    if (st)
        return st;
    int m = in.group->n_unknown;
    double *impulse = NEW_N(run->brief, double, 2 * (size_t)m),
           *moment = impulse + m;
    for (int i = 0; i < m; i++) {
        const struct persistent_unknown *unknown = &in.group->unknown[i];
        int row = 2 * (int)(unknown->row - in.group->row) +
                  (unknown->value != &unknown->row->gap);
        impulse[i] = forecast->impulse[row];
        moment[i] = forecast->moment[row];
    }
    persistent_apply_timed(run, impulse, moment);
    for (int i = 0; i < n; i++)
        run->env[rt_contact(run, spot[i].contact)->env_contact +
                 IMP_CONTACT_WORK] += forecast->work[i];
    return IMP_OK;
}
