/* SPDX-License-Identifier: MIT */
/* Discs: forces along the direction of a velocity, as -F*v/norm(v). At rest the
 * shares are any vector s with |s| <= 1; where no such vector keeps u, u leaves
 * in the direction d with r + K d = k d, k >= 0. There u/|u| has a series,
 * which follows order by order: the rates need it one order before it. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/num.h"
#include "runtime/numerics/factors.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/relays/relays_priv.h"

/* The relays of one disc that are at 0, or all of them. */
struct disc {
    uint32_t of[DISC_MAX], m;
};

static struct disc
disc_at(const struct rt *run, const struct relays *relays, uint32_t first,
        bool zeros)
{
    struct disc disc = {{0}, 0};
    for (uint32_t i = first;
         i < relays->of->n && disc_of(run, relays, i) == first; i++)
        if (!zeros || relays->zero[i])
            disc.of[disc.m++] = i;
    assert(disc.m <= DISC_MAX);
    return disc;
}

/* The order of a step, and the binary logarithm of what its terms may be. */
#define DISC_ORDER 20.0
#define DISC_RANGE 960.0

bool
relays_disc_overflows(const struct rt *run, const struct relays *relays,
                      uint32_t i)
{
    if (disc_of(run, relays, i) == IMP_NO_DISC)
        return false;
    struct disc disc = disc_at(run, relays, disc_of(run, relays, i), false);
    double length = 0.0, most = 0.0, falls = 0.0;
    for (uint32_t k = 0; k < disc.m; k++)
        length = hypot(length, u_of(relays, disc.of[k]));
    for (uint32_t k = 0; k < disc.m; k++) {
        uint32_t row = disc.of[k];
        double rate = relays->rate[row];
        for (uint32_t j = 0; j < relays->of->n; j++)
            rate +=
                slopes(relays, row)[j] * (disc_of(run, relays, j) == disc.of[0]
                                              ? u_of(relays, j) / length
                                              : relays->side[j]);
        most = fmax(most, fabs(rate));
        falls -= rate * u_of(relays, row);
    }
    /* terms grow by the inverse of the time to rest, and |u|^2 divides them */
    return falls > 0.0 &&
           DISC_ORDER * log2(most / length) + 2.0 * fmax(0.0, -log2(length)) >
               DISC_RANGE;
}

void
relays_disc_moves(const struct rt *run, struct relays *relays, uint32_t i)
{
    struct disc disc = disc_at(run, relays, disc_of(run, relays, i), false);
    double length = 0.0;
    for (uint32_t k = 0; k < disc.m; k++)
        length = hypot(length, u_of(relays, disc.of[k]));
    relays->side[i] = length > 0.0 ? u_of(relays, i) / length : 0.0;
    relays->along[i] = true;
}

void
relays_discs_find(const struct rt *run, struct relays *relays)
{
    for (uint32_t first = 0; first < relays->of->n; first++) {
        if (disc_of(run, relays, first) != first)
            continue;
        struct disc disc = disc_at(run, relays, first, false);
        bool rests = true;
        for (uint32_t k = 0; k < disc.m; k++)
            rests &= relays->zero[disc.of[k]] || relays->bound[disc.of[k]];
        relays->stuck[first] &= rests;
        for (uint32_t k = 0; k < disc.m; k++) {
            uint32_t i = disc.of[k];
            relays->along[i] = false;
            if (relays->bound[i]) /* what contacts hold needs no share */
                relays->side[i] = 0.0;
            if (rests)
                continue;
            relays->zero[i] = relays->bound[i] = relays->held[i] =
                relays->leads[i] = relays->carried[i] = false;
            relays_disc_moves(run, relays, i);
        }
    }
}

bool
relays_discs_stick(const struct rt *run, struct relays *relays)
{
    bool any = false;
    for (uint32_t i = 0; i < relays->of->n; i++)
        if (disc_of(run, relays, i) != IMP_NO_DISC && relays->zero[i])
            any = relays->stuck[disc_of(run, relays, i)] = true;
    return any;
}

int
relays_discs_tell(struct rt *run, uint32_t block, const struct relays *relays)
{
    char t[NUM_TEXT];
    const uint32_t *number = IMP_ARRAY(run->im, relays->of->guards, uint32_t);
    const imp_guard *guard =
        IMP_ARRAY(run->im, block_of(run, block)->guards, imp_guard);
    for (uint32_t i = 0; i < relays->of->n; i++) {
        if (disc_of(run, relays, i) != i || !relays->stuck[i] ||
            number[2 * i] == IMP_NO_GUARD)
            continue;
        struct diag *diag = diag_add(
            run->ds, DIAG_E0602, guard[number[2 * i]].range,
            "a force along a velocity comes to rest beside contacts at t = %s, "
            "where it has no value",
            rt_told(t, rt_time(run), 9));
        diag_help(run->ds, diag,
                  "in which direction it leaves rest beside them was not "
                  "found; v/sqrt(norm(v)^2 + v0^2) in its place is smooth");
        return IMP_FAILED;
    }
    return IMP_OK;
}

bool
relays_disc_holds(const struct rt *run, const struct relays *relays,
                  uint32_t first, const double *share)
{
    struct disc disc = disc_at(run, relays, first, true);
    double length = 0.0, noise = 0.0;
    for (uint32_t k = 0; k < disc.m; k++) {
        uint32_t i = disc.of[k];
        length = hypot(length, share[i]);
        noise =
            fmax(noise, relays_rate_noise(relays, i) / -slopes(relays, i)[i]);
    }
    return length <= 1.0 + noise;
}

/* -- leaving --------------------------------------------------------------- */

/* d = (k - K)^-1 r; returns |d|, NAN where there is none. */
static double
pushed(const struct relays *relays, const struct disc *disc, const double *r,
       double k, double *d)
{
    double a[DISC_MAX * DISC_MAX], length = 0.0;
    int pivot[DISC_MAX], m = (int)disc->m;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            a[i * m + j] =
                k * (i == j) - slopes(relays, disc->of[i])[disc->of[j]];
        d[i] = r[i];
    }
    if (imp_lu_factor(m, a, pivot))
        return NAN;
    imp_lu_solve(m, a, pivot, d);
    for (int i = 0; i < m; i++)
        length = hypot(length, d[i]);
    return length;
}

/* What r lacks to leave by less than this share is rounding of the root at
 * which the shares came to the edge. */
#define DISC_EDGE 1e-9

/* The direction in which u leaves under r. */
static bool
direction(const struct relays *relays, const struct disc *disc, const double *r,
          double *d)
{
    double low = 0.0, high = 0.0, length = pushed(relays, disc, r, 0.0, d);
    if (!(length >= 1.0 - DISC_EDGE))
        return false;
    for (uint32_t i = 0; i < disc->m; i++)
        high = hypot(high, r[i]);
    for (int round = 0; round < 64 && pushed(relays, disc, r, high, d) > 1.0;
         round++)
        high *= 2.0;
    for (int round = 0; round < 128 && low < high; round++) {
        double middle = 0.5 * (low + high);
        if (middle == low || middle == high)
            break;
        *(pushed(relays, disc, r, middle, d) > 1.0 ? &low : &high) = middle;
    }
    length = pushed(relays, disc, r, length > 1.0 ? high : 0.0, d);
    for (uint32_t i = 0; i < disc->m; i++)
        d[i] /= length;
    return length > 0.0;
}

/* Sets the shares of a disc that leaves, with those that others have. */
static bool
lead(const struct relays *relays, const struct disc *disc, double *share,
     const double *with, double *change)
{
    double r[DISC_MAX], d[DISC_MAX];
    for (uint32_t k = 0; k < disc->m; k++) {
        uint32_t i = disc->of[k];
        r[k] = relays->rate[i];
        for (uint32_t j = 0; j < relays->of->n; j++) {
            bool own = false;
            for (uint32_t l = 0; l < disc->m; l++)
                own |= disc->of[l] == j;
            r[k] += own ? 0.0 : slopes(relays, i)[j] * with[j];
        }
    }
    if (!direction(relays, disc, r, d))
        return false;
    for (uint32_t k = 0; k < disc->m; k++) {
        *change = fmax(*change, fabs(d[k] - share[disc->of[k]]));
        share[disc->of[k]] = d[k];
    }
    return true;
}

/* Discs that leave, and relays that are held, are asked in turns. */
#define DISC_ROUNDS 64

bool
relays_discs_lead(const struct rt *run, const struct relays *relays,
                  const int *option, double *share)
{
    uint32_t n = relays->of->n;
    bool held[IMP_RELAYS_MAX], any = false;
    double with[IMP_RELAYS_MAX], rate[IMP_RELAYS_MAX], change = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        held[i] = relays->zero[i] && option[i] == RELAY_HELD;
        if (relays->zero[i] && option[i] == RELAY_OFF) {
            any = true;
            share[i] = 0.0;
        }
    }
    for (int round = 0; any && change > 4.0 * DBL_EPSILON; round++) {
        if (round == DISC_ROUNDS)
            return false;
        for (uint32_t i = 0; i < n; i++) {
            rate[i] = relays->rate[i];
            for (uint32_t j = 0; j < n; j++)
                rate[i] += held[j] ? 0.0 : slopes(relays, i)[j] * share[j];
        }
        memcpy(with, share, sizeof with);
        if (!relays_solve(relays, held, relays->slope, rate, with))
            return false;
        change = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            if (disc_of(run, relays, i) != i)
                continue;
            struct disc disc = disc_at(run, relays, i, true);
            if (disc.m > 0 && option[disc.of[0]] == RELAY_OFF &&
                !lead(relays, &disc, share, with, &change))
                return false;
        }
    }
    return true;
}

/* -- the series of a direction --------------------------------------------- */

static double *
side_of(const struct relays *relays, uint32_t i)
{
    return mode_of(relays, relays->of->n + i);
}

/* What coefficient k of the shares has to make 0, were it `add` beside what it
 * is: that of u across its direction, one order on, and that of |s|^2. */
static void
lacks(const struct rt *run, const struct relays *relays,
      const struct disc *disc, int k, const double *add, double *out)
{
    const double *u[DISC_MAX];
    double s[DISC_MAX][IMP_ORDER_MAX + 2], last[DISC_MAX],
        along[IMP_ORDER_MAX + 2], norm = 0.0, across = 0.0;
    uint32_t m = disc->m;
    for (uint32_t i = 0; i < m; i++) {
        u[i] = row_of(run, relays, relays->of->n + disc->of[i]);
        memcpy(s[i], side_of(relays, disc->of[i]),
               ((size_t)k + 1) * sizeof **s);
        s[i][k] += add[i];
        last[i] = u[i][k + 1];
        for (uint32_t j = 0; j < m; j++)
            last[i] +=
                slopes(relays, disc->of[i])[disc->of[j]] * add[j] / (k + 1);
    }
    for (int p = 1; p <= k + 1; p++) { /* u begins with order 1 */
        along[p] = 0.0;
        for (uint32_t i = 0; i < m; i++)
            for (int q = 0; q < p && p - q <= k + 1; q++)
                along[p] += s[i][q] * (p - q == k + 1 ? last[i] : u[i][p - q]);
    }
    for (uint32_t i = 0; i < m; i++) {
        out[i] = last[i];
        for (int p = 1; p <= k + 1; p++)
            out[i] -= along[p] * s[i][k + 1 - p];
        across += out[i] * s[i][0];
        for (int p = 0; p <= k; p++)
            norm += s[i][p] * s[i][k - p];
    }
    for (uint32_t i = 0; i < m; i++)
        out[i] += (norm - across) * s[i][0];
}

/* Sets coefficient k of the shares, where that of u, one order on, has been
 * made with 0 for it. */
static bool
next_share(const struct rt *run, const struct relays *relays,
           const struct disc *disc, int k)
{
    double a[DISC_MAX * DISC_MAX], b[DISC_MAX], at[DISC_MAX],
        add[DISC_MAX] = {0.0};
    int pivot[DISC_MAX];
    uint32_t m = disc->m;
    double size = 1.0; /* without it, differences would be rounding */
    lacks(run, relays, disc, k, add, b);
    for (uint32_t i = 0; i < m; i++)
        size = fmax(size, fabs(b[i]));
    for (uint32_t j = 0; j < m; j++) {
        add[j] = size;
        lacks(run, relays, disc, k, add, at);
        add[j] = 0.0;
        for (uint32_t i = 0; i < m; i++)
            a[i * m + j] = (at[i] - b[i]) / size;
    }
    for (uint32_t i = 0; i < m; i++)
        b[i] = -b[i];
    if (imp_lu_factor((int)m, a, pivot))
        return false;
    imp_lu_solve((int)m, a, pivot, b);
    for (uint32_t i = 0; i < m; i++)
        side_of(relays, disc->of[i])[k] = b[i];
    return true;
}

/* Does the disc leave rest? */
static bool
disc_leads(const struct rt *run, const struct relays *relays, uint32_t first)
{
    struct disc disc = disc_at(run, relays, first, true);
    return disc.m > 0 && relays->leads[disc.of[0]];
}

/* A disc that leaves with a rate of u below so many times its rounding leaves
 * from the edge of what it can hold. */
#define DISC_OFF_EDGE 0x1p16

/* The relays of a disc that leaves which have a series. What contacts or joints
 * hold across the direction in which u leaves, they hold at that instant alone:
 * as a body turns about a corner that sticks, u turns with it, and the shares
 * do, too. From the edge a rate that rounding makes would divide what turns. */
static struct disc
disc_turning(const struct rt *run, const struct relays *relays, uint32_t first)
{
    struct disc all = disc_at(run, relays, first, false);
    double along = 0.0, noise = 0.0;
    for (uint32_t k = 0; k < all.m; k++) {
        uint32_t i = all.of[k];
        along += relays->side[i] * row_of(run, relays, relays->of->n + i)[1];
        noise += relays_rate_noise(relays, i);
        if (!relays->zero[i] && !relays->bound[i])
            return disc_at(run, relays, first, true);
    }
    return along > DISC_OFF_EDGE * noise ? all
                                         : disc_at(run, relays, first, true);
}

/* The discs that leave rest now; those that are beyond it go by u/|u|. */
static uint32_t
leaving(const struct rt *run, const struct relays *relays, struct disc *discs)
{
    uint32_t n_disc = 0;
    for (uint32_t first = 0; first < relays->of->n; first++) {
        if (disc_of(run, relays, first) != first)
            continue;
        if (!disc_leads(run, relays, first))
            continue;
        struct disc disc = disc_at(run, relays, first, false);
        bool beyond = false;
        for (uint32_t k = 0; k < disc.m; k++) {
            uint32_t i = disc.of[k];
            beyond |= fabs(row_of(run, relays, relays->of->n + i)[0]) >
                      relays->noise[i];
            memset(side_of(relays, i), 0, (IMP_ORDER_MAX + 1) * sizeof(double));
            *side_of(relays, i) = relays->side[i];
        }
        for (uint32_t k = 0; k < disc.m && beyond; k++)
            *side_of(relays, disc.of[k]) = IMP_RELAY_ALONG;
        if (!beyond)
            discs[n_disc++] = disc;
    }
    return n_disc;
}

/* Those of them that have a series of shares now, whose rates have been made.
 */
static uint32_t
with_series(const struct rt *run, const struct relays *relays,
            struct disc *discs)
{
    uint32_t n_disc = 0;
    for (uint32_t first = 0; first < relays->of->n; first++)
        if (disc_of(run, relays, first) == first &&
            disc_leads(run, relays, first) &&
            *side_of(relays, first) != IMP_RELAY_ALONG)
            discs[n_disc++] = disc_turning(run, relays, first);
    return n_disc;
}

/* The shares have no more than their first coefficients, for those who ask with
 * constant ones. */
static void
end_series(const struct rt *run, const struct relays *relays)
{
    for (uint32_t i = 0; i < relays->of->n; i++)
        if (disc_of(run, relays, i) != IMP_NO_DISC &&
            disc_leads(run, relays, disc_of(run, relays, i))) {
            memset(side_of(relays, i), 0, (IMP_ORDER_MAX + 1) * sizeof(double));
            *side_of(relays, i) = relays->side[i];
        }
}

bool
relays_leave_begin(struct rt *run, uint32_t block)
{
    struct relays *relays = relays_of(run, block);
    struct disc discs[IMP_RELAYS_MAX];
    return relays_leave(run, block) && leaving(run, relays, discs) > 0;
}

void
relays_leave_next(struct rt *run, uint32_t block, int k)
{
    struct relays *relays = relays_of(run, block);
    struct disc discs[IMP_RELAYS_MAX];
    assert(k > 0 && k <= IMP_ORDER_MAX);
    if (!relays_leave(run, block))
        return;
    uint32_t n_disc = with_series(run, relays, discs);
    for (uint32_t i = 0; i < n_disc; i++)
        (void)next_share(run, relays, discs + i, k);
}

void
relays_leave_done(struct rt *run, uint32_t block)
{
    if (relays_leave(run, block))
        end_series(run, relays_of(run, block));
}

int
relays_discs_series(struct rt *run, uint32_t block, int order,
                    int (*driven)(struct rt *run, uint32_t block,
                                  const double *push, int from, int order))
{
    struct relays *relays = relays_of(run, block);
    struct disc discs[IMP_RELAYS_MAX];
    bool leads = false;
    for (uint32_t i = 0; i < relays->of->n; i++)
        leads |= relays->leads[i] && disc_of(run, relays, i) != IMP_NO_DISC;
    if (!leads)
        return IMP_OK;
    uint32_t n_disc = leaving(run, relays, discs);
    int st = driven(run, block, NULL, 0, n_disc ? 1 : order);
    for (int k = 1; k < order && n_disc && !st; k++) {
        st = driven(run, block, NULL, k, k + 1);
        bool any = false;
        n_disc = with_series(run, relays, discs);
        for (uint32_t i = 0; i < n_disc && !st; i++)
            any |= next_share(run, relays, discs + i, k);
        if (!st && any)
            st = driven(run, block, NULL, k, k + 1);
    }
    end_series(run, relays);
    return st;
}

bool
relays_leave(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    const struct relays *relays = relays_of(run, block);
    for (uint32_t i = 0; relays && relays->act && i < relays->of->n; i++)
        if (relays->leads[i] && disc_of(run, relays, i) != IMP_NO_DISC)
            return true;
    return false;
}

/* -- changes --------------------------------------------------------------- */

/* Shares and u of one that leaves have the same direction to this. */
#define DISC_SAME 1e-12
/* A step in which they have not is halved so often, or begins so much shorter
 * than a second and is doubled. */
#define DISC_DOUBLINGS 32

/* By how much the shares differ from u/|u| after this time; INFINITY: u is
 * rounding there. */
static double
differs(const struct rt *run, const struct relays *relays,
        const struct disc *disc, int order, double time)
{
    double u[DISC_MAX], length = 0.0, most = 0.0, noise = 0.0;
    for (uint32_t j = 0; j < disc->m; j++) {
        uint32_t i = disc->of[j];
        u[j] = polynomial_value(row_of(run, relays, relays->of->n + i), order,
                                time);
        length = hypot(length, u[j]);
        noise = fmax(noise, relays->noise[i]);
    }
    for (uint32_t j = 0; j < disc->m; j++)
        most =
            fmax(most, fabs(u[j] / length -
                            polynomial_value(row_of(run, relays, disc->of[j]),
                                             order - 2, time)));
    return length > noise ? fmax(0.0, most - noise / length) : INFINITY;
}

/* For how long, at most `step`, the shares are u/|u|; 0: for no time that is
 * seen. Such series may be ones that do not converge, and beside closed
 * contacts they have the first share alone. */
static double
agrees(const struct rt *run, const struct relays *relays,
       const struct disc *disc, int order, double step)
{
    bool ends = isfinite(step);
    double time = ends ? step : ldexp(1.0, -DISC_DOUBLINGS), last = 0.0;
    for (int k = 0; k < 2 * DISC_DOUBLINGS; k++) {
        double off = differs(run, relays, disc, order, time);
        if (off <= DISC_SAME && ends)
            return time;
        if (off <= DISC_SAME)
            last = time;
        else if (!ends && isfinite(off))
            return last;
        time *= ends ? 0.5 : 2.0;
    }
    return ends || last == 0.0 ? 0.0 : step;
}

/* One that leaves comes to rest again where u along d comes to 0. */
static void
comes_back(const struct rt *run, struct relays *relays, uint32_t first,
           const struct disc *disc, int order, double *step)
{
    double off[IMP_ORDER_MAX + 1], most = 0.0, noise = 0.0;
    for (int k = 0; k <= order; k++) {
        off[k] = 0.0;
        for (uint32_t j = 0; j < disc->m; j++)
            off[k] += relays->side[disc->of[j]] *
                      row_of(run, relays, relays->of->n + disc->of[j])[k];
    }
    for (uint32_t j = 0; j < disc->m; j++) {
        most = fmax(most, relays->most[disc->of[j]]);
        noise += relays_rate_noise(relays, disc->of[j]);
    }
    if (fabs(off[1]) <= noise) /* from the edge: rounding of its root */
        off[1] = 0.0;
    double span = fmin(*step, relays_root_bound(off, order)),
           end = polynomial_falls(off, order, span, most);
    bool falls = end <= span;
    /* where it comes back its direction is lost */
    double same = agrees(run, relays, disc, order, falls ? 0.5 * end : *step);
    relays->stuck[first] = same == 0.0;
    if (falls && same == 0.5 * end) {
        *step = end;
        relays_note_end(run, relays, end, first, RELAY_HELD, RELAY_OFF);
    } else
        *step = fmin(*step, same);
}

/* One that is held leaves where its shares come to the edge of the disc. */
static void
gives_way(const struct rt *run, struct relays *relays, uint32_t first,
          const struct disc *disc, int order, double *step)
{
    double room[IMP_ORDER_MAX + 1] = {1.0};
    for (uint32_t j = 0; j < disc->m; j++)
        *step = relays_with_end(row_of(run, relays, disc->of[j]), order, *step);
    if (!isfinite(*step))
        return;
    for (uint32_t j = 0; j < disc->m; j++) {
        const double *share = row_of(run, relays, disc->of[j]);
        *step = polynomial_holds(share, order, *step);
        for (int k = 0; k <= order; k++)
            for (int p = 0; p <= k; p++)
                room[k] -= share[p] * share[k - p];
    }
    double end = polynomial_falls(room, order, *step, 1.0);
    if (end <= *step) {
        *step = end;
        relays_note_end(run, relays, end, first, RELAY_OFF, RELAY_HELD);
    }
}

void
relays_disc_end(const struct rt *run, struct relays *relays, uint32_t first,
                int order, double *step)
{
    struct disc disc = disc_at(run, relays, first, true);
    if (disc.m == 0)
        return;
    if (relays->held[disc.of[0]])
        gives_way(run, relays, first, &disc, order, step);
    else if (relays->leads[disc.of[0]]) {
        disc = disc_at(run, relays, first, false);
        comes_back(run, relays, first, &disc, order, step);
    }
}
