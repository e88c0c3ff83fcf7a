/* SPDX-License-Identifier: MIT */
/* Which relays are held, and until when (relays.h). At one instant, for relays
 * whose u is 0, the shares s solve u' = r + K s with u' = 0 where -1 < s < 1,
 * u' >= 0 where s = 1, u' <= 0 where s = -1. Where all principal minors of -K
 * are positive there is exactly one solution (a linear complementarity problem
 * with bounds: Cottle, Pang, Stone 1992, 3.3); where one is negative, relays
 * are left to the search for changes of branch. */
#include "runtime/relays/relays.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/instance/compensated.h"
#include "runtime/relays/relays_priv.h"

static void
tell_modes(const struct relays *relays)
{
    uint32_t n = relays->of->n;
    for (uint32_t i = 0; i < n; i++) {
        *mode_of(relays, i) = relays->held[i];
        *mode_of(relays, n + i) =
            relays->along[i] ? IMP_RELAY_ALONG : relays->side[i];
    }
}

struct relays **
relays_new(struct rt *run)
{
    uint32_t n = run->im->blocks.n;
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    struct relays **all = NULL;
    for (uint32_t b = 0; b < n; b++) {
        if (block[b].relays.n == 0)
            continue;
        if (!all)
            all = NEW_N(run->own, struct relays *, n);
        struct relays *relays = NEW(run->own, struct relays);
        const imp_relays *of = IMP_ARRAY(run->im, block[b].relays, imp_relays);
        size_t m = of->n;
        relays->of = of;
        relays->system = relays->observed = IMP_NO_SYSTEM;
        for (uint32_t s = 0; s < run->im->systems.n; s++) {
            if (rt_system(run, s)->block == b)
                relays->system = s;
            if (rt_system(run, s)->observer == b)
                relays->observed = s;
        }
        if (relays->observed != IMP_NO_SYSTEM) {
            relays->local =
                NEW_N(run->own, double,
                      IMP_RELAYS_MAX +
                          3 * (size_t)rt_system(run, relays->observed)->n);
            relays->kept = NEW(run->own, struct relays);
        }
        relays->told =
            NEW_N(run->own, double,
                  m *(IMP_RELAY_TOLD + m + 2 * (size_t)of->n_state) + 1);
        relays->change = NEW_N(run->own, double, of->n_state + (size_t)1);
        relays->lifts = NEW_N(run->own, double, of->n_state + (size_t)1);
        if (block[b].bodies.n)
            relays->none =
                NEW_N(run->own, double,
                      6 * (size_t)block[b].bodies.n * IMP_ROW_STRIDE + 1);
        relays->modes = NEW_N(run->own, double, 2 * m * IMP_ROW_STRIDE + 1);
        size_t size = (rt_tape(run, of->tape)->n_rows + 1) * IMP_ROW_STRIDE;
        relays->work = NEW_N(run->own, double, size);
        relays->aside = NEW_N(run->own, double, size);
        relays_jointed(run, b, relays);
        all[b] = relays;
    }
    return all;
}

void
relays_reset(struct rt *run)
{
    assert(run != NULL);
    for (uint32_t b = 0; run->relays && b < run->im->blocks.n; b++) {
        struct relays *relays = relays_of(run, b);
        if (!relays)
            continue;
        memset(relays->most, 0, sizeof relays->most);
        memset(relays->held, 0, sizeof relays->held);
        memset(relays->leads, 0, sizeof relays->leads);
        memset(relays->bound, 0, sizeof relays->bound);
        memset(relays->carried, 0, sizeof relays->carried);
        memset(relays->along, 0, sizeof relays->along);
        memset(relays->stuck, 0, sizeof relays->stuck);
        memset(relays->side, 0, sizeof relays->side);
        memset(relays->open, 0, sizeof relays->open);
        relays->time = relays->chosen = NAN;
        relays->act = relays->beside = relays->touches = relays->rests = false;
        relays_frames_reset(run, relays);
        if (relays->system != IMP_NO_SYSTEM)
            system_relays_join(run, relays->system, NULL, NULL);
    }
}

void
relays_keep(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    if (relays && relays->kept)
        *relays->kept = *relays;
}

void
relays_back(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    if (!relays || !relays->kept)
        return;
    *relays = *relays->kept;
    tell_modes(relays);
}

bool
relays_act(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    return relays_of(run, block) && relays_of(run, block)->act;
}

bool
relays_holding(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    const struct relays *relays = relays_of(run, block);
    bool any = false;
    for (uint32_t i = 0; relays && relays->act && i < relays->of->n; i++)
        any |= relays->held[i] || relays->bound[i] || relays->carried[i];
    return any;
}

/* -- one instant ----------------------------------------------------------- */

/* Is u of relay i, which is 0, what closed contacts hold, whichever way its
 * force jumps? Of a disc joints may hold it, too. rate: the size of its rate.
 */
static bool
is_bound(const struct rt *run, const struct relays *relays, uint32_t i,
         double rate)
{
    uint32_t disc = disc_of(run, relays, i);
    bool joints = relays->unknown != NULL && disc != IMP_NO_DISC;
    double most = 0.0;
    for (uint32_t k = 0; k < relays->of->n; k++) {
        double size = relays->terms[k];
        for (uint32_t j = 0; j < relays->of->n; j++)
            size += fabs(raw_slopes(relays, k)[j]);
        if (k == i || (disc != IMP_NO_DISC && disc_of(run, relays, k) == disc))
            most = fmax(most, size);
    }
    return (relays->beside || joints) && rate <= RELAY_JUMP * most &&
           (joints || raw_slopes(relays, i)[i] != 0.0);
}

/* Does relay i, or its disc, which leads off, come back to 0 at this time? */
static bool
returns(const struct rt *run, const struct relays *relays, uint32_t i)
{
    uint32_t disc = disc_of(run, relays, i),
             which = disc == IMP_NO_DISC ? i : disc;
    return relays->which == which && rt_time(run) >= relays->time &&
           relays->to == RELAY_HELD;
}

static double
rate_size(const struct relays *relays, uint32_t i)
{
    return fabs(relays->rate[i]) + slopes_size(relays, i);
}

/* What rounding leaves of u of relay i; of a disc that of the whole vector. */
static double
noise_of(const struct rt *run, const struct relays *relays, uint32_t i,
         double least)
{
    uint32_t disc = disc_of(run, relays, i);
    bool acts = relays->held[i] || relays->leads[i] || relays->carried[i];
    double most = relays->most[i], rate = rate_size(relays, i);
    for (uint32_t k = disc; disc != IMP_NO_DISC && k < relays->of->n &&
                            disc_of(run, relays, k) == disc;
         k++) {
        most = fmax(most, relays->most[k]);
        rate = fmax(rate, rate_size(relays, k));
    }
    return (acts ? RELAY_DRIFT : RELAY_NOISE) * DBL_EPSILON * most +
           RELAY_STEPS * least * rate;
}

/* Which u are 0 now, and jump there, or are held by closed contacts? True if
 * there are any. */
static bool
find_zeros(const struct rt *run, struct relays *relays, double least)
{
    bool any = false;
    for (uint32_t i = 0; i < relays->of->n; i++)
        relays->most[i] =
            fmax(relays->most[i], fabs(relays->told[i * IMP_RELAY_TOLD + 1]));
    for (uint32_t i = 0; i < relays->of->n; i++) {
        double rate = rate_size(relays, i),
               noise = noise_of(run, relays, i, least);
        /* one that leads off, and has not yet come to its side, is at 0 */
        bool leads = relays->leads[i] && !returns(run, relays, i),
             off = leads && !(u_of(relays, i) * relays->side[i] < 0.0),
             small = fabs(u_of(relays, i)) <=
                     (off ? noise * RELAY_NOISE / RELAY_DRIFT : noise);
        if (!leads && relays_disc_overflows(run, relays, i)) {
            noise = fmax(noise, fabs(u_of(relays, i)));
            small = true;
        }
        relays->noise[i] = noise;
        relays->bound[i] = small && is_bound(run, relays, i, rate);
        relays->zero[i] =
            small && !relays->bound[i] &&
            -slopes(relays, i)[i] >
                fmax(RELAY_JUMP * rate, relays_rate_noise(relays, i));
        if (!relays->zero[i]) {
            relays->held[i] = relays->leads[i] = relays->carried[i] = false;
            relays->side[i] = u_of(relays, i) > 0.0   ? 1.0
                              : u_of(relays, i) < 0.0 ? -1.0
                                                      : 0.0;
        }
        if (relays->bound[i])
            relays->side[i] =
                raw_slopes(relays, i)[i] < 0.0 ? relays->lift[i] : 0.0;
    }
    relays_discs_find(run, relays);
    for (uint32_t i = 0; i < relays->of->n; i++)
        any |= relays->zero[i] || relays->bound[i];
    return any;
}

/* The determinant of an n x n matrix, which is spent. */
static double
determinant(double *a, uint32_t n)
{
    double value = 1.0;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t most = p;
        for (uint32_t i = p + 1; i < n; i++)
            if (fabs(a[i * n + p]) > fabs(a[most * n + p]))
                most = i;
        for (uint32_t j = 0; j < n && most != p; j++) {
            double keep = a[p * n + j];
            a[p * n + j] = a[most * n + j];
            a[most * n + j] = keep;
        }
        value *= most == p ? a[p * n + p] : -a[p * n + p];
        for (uint32_t i = p + 1; i < n && value != 0.0; i++)
            for (uint32_t j = n; j-- > p;)
                a[i * n + j] -= a[i * n + p] / a[p * n + p] * a[p * n + j];
    }
    return value;
}

/* Is no principal minor of -K among the relays at 0 negative? Relays of one u
 * share what holds it, in any way. */
static bool
unique(const struct relays *relays)
{
    uint32_t n = relays->of->n;
    double a[IMP_RELAYS_MAX * IMP_RELAYS_MAX];
    for (uint32_t set = 1; set < 1u << n; set++) {
        uint32_t of[IMP_RELAYS_MAX], m = 0;
        bool zeros = true;
        double size = 1.0;
        for (uint32_t i = 0; i < n; i++)
            if (set >> i & 1u) {
                zeros &= relays->zero[i];
                size *= fabs(slopes(relays, i)[i]);
                of[m++] = i;
            }
        if (!zeros)
            continue;
        for (uint32_t i = 0; i < m; i++)
            for (uint32_t j = 0; j < m; j++)
                a[i * m + j] = -slopes(relays, of[i])[of[j]];
        if (!(determinant(a, m) >= -RELAY_MINOR * size))
            return false;
    }
    return true;
}

/* Do the relays that are held, and relay `more` of those at 0 (or n: none),
 * hold their u each in a way of its own? */
static bool
independent(const struct relays *relays, const int *option, uint32_t more)
{
    uint32_t n = relays->of->n, of[IMP_RELAYS_MAX], m = 0;
    double a[IMP_RELAYS_MAX * IMP_RELAYS_MAX], size = 1.0;
    for (uint32_t i = 0; i < n; i++)
        if (i == more || (relays->zero[i] && option[i] == RELAY_HELD)) {
            size *= fabs(slopes(relays, i)[i]);
            of[m++] = i;
        }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < m; j++)
            a[i * m + j] = slopes(relays, of[i])[of[j]];
    return fabs(determinant(a, m)) > RELAY_MINOR * size;
}

/* Do these options obey the law? */
static bool
obeys(const struct rt *run, struct relays *relays, const int *option)
{
    uint32_t n = relays->of->n;
    double rate[IMP_RELAYS_MAX] = {0.0}, share[IMP_RELAYS_MAX] = {0.0};
    bool held[IMP_RELAYS_MAX];
    for (uint32_t i = 0; i < n; i++) {
        held[i] = relays->zero[i] && option[i] == RELAY_HELD;
        share[i] = relays->zero[i] ? option[i] : relays->side[i];
        rate[i] = relays->rate[i];
    }
    if (!relays_discs_lead(run, relays, option, share))
        return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            rate[i] += slopes(relays, i)[j] * share[j];
    if (!independent(relays, option, n) ||
        !relays_solve(relays, held, relays->slope, rate, share))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!relays->zero[i])
            continue;
        uint32_t disc = disc_of(run, relays, i);
        if (disc != IMP_NO_DISC) {
            if (option[i] == RELAY_HELD &&
                !relays_disc_holds(run, relays, disc, share))
                return false;
            continue;
        }
        double noise = relays_rate_noise(relays, i);
        if (relays->which == i && option[i] == relays->to)
            noise = fmax(noise, -slopes(relays, i)[i] * relays->drift);
        if (option[i] == RELAY_HELD &&
            !(fabs(share[i]) <= 1.0 + noise / -slopes(relays, i)[i]))
            return false;
        for (uint32_t j = 0; j < n && option[i] != RELAY_HELD; j++)
            if (relays->zero[j] && option[j] == RELAY_HELD)
                rate[i] += slopes(relays, i)[j] * share[j];
        if (option[i] != RELAY_HELD && !(rate[i] * option[i] >= -noise))
            return false;
    }
    memcpy(relays->share, share, sizeof share);
    return true;
}

/* The options of relay i in the order in which they are tried. */
static void
order_options(const struct rt *run, const struct relays *relays, uint32_t i,
              int order[3])
{
    bool due = relays->which == i && rt_time(run) >= relays->time;
    bool keeps = relays->leads[i] || relays->carried[i];
    int first = keeps ? (int)relays->side[i] : RELAY_HELD;
    int last = due && relays->to == RELAY_HELD ? relays->from : 2;
    if (due)
        first = relays->to;
    order[0] = first;
    order[1] = first == RELAY_HELD ? RELAY_UP : RELAY_HELD;
    order[2] = first == RELAY_HELD ? RELAY_DOWN : -first;
    if (order[1] == last) {
        order[1] = order[2];
        order[2] = last;
    }
}

/* Those of a disc: all its relays have the same. */
static int
order_disc(const struct rt *run, const struct relays *relays, uint32_t i,
           const int *option, int order[3])
{
    uint32_t first = disc_of(run, relays, i);
    bool due = relays->which == first && rt_time(run) >= relays->time,
         leads = due ? relays->to != RELAY_HELD : relays->leads[i];
    if (relays->stuck[first])
        return 0;
    for (uint32_t k = first; k < i; k++)
        if (relays->zero[k]) {
            order[0] = option[k];
            return 1;
        }
    order[0] = leads ? RELAY_OFF : RELAY_HELD;
    order[1] = leads ? RELAY_HELD : RELAY_OFF;
    return 2;
}

/* The first choice of options from relay `at` on that obeys the law. */
static bool
choose(const struct rt *run, struct relays *relays, uint32_t at, int *option)
{
    if (at == relays->of->n)
        return obeys(run, relays, option);
    if (!relays->zero[at]) {
        option[at] = (int)relays->side[at];
        return choose(run, relays, at + 1, option);
    }
    int order[3], n = 3;
    if (disc_of(run, relays, at) != IMP_NO_DISC)
        n = order_disc(run, relays, at, option, order);
    else
        order_options(run, relays, at, order);
    for (int k = 0; k < n; k++) {
        option[at] = order[k];
        if (choose(run, relays, at + 1, option))
            return true;
    }
    return false;
}

/* Tells the tapes what holds. */
void
relays_tell(struct rt *run, const struct relays *relays)
{
    double side[IMP_RELAYS_MAX];
    tell_modes(relays);
    for (uint32_t i = 0; i < relays->of->n; i++)
        side[i] = *mode_of(relays, relays->of->n + i);
    if (relays->system != IMP_NO_SYSTEM)
        system_relays_join(run, relays->system,
                           relays->act && relays->beside ? relays->held : NULL,
                           side);
}

static void
take(struct rt *run, struct relays *relays, const int *option)
{
    uint32_t n = relays->of->n;
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any |= relays->zero[i] && option[i] == RELAY_HELD;
    relays->act = any;
    for (uint32_t i = 0; i < n; i++)
        relays->act |= relays->bound[i];
    for (uint32_t i = 0; i < n; i++) {
        if (!relays->zero[i])
            continue;
        double u = u_of(relays, i);
        bool due = relays->which == i && rt_time(run) >= relays->time;
        relays->held[i] = option[i] == RELAY_HELD;
        if (disc_of(run, relays, i) != IMP_NO_DISC) {
            relays->leads[i] = !relays->held[i];
            relays->side[i] = relays->held[i] ? 0.0 : relays->share[i];
            relays->act = true;
            continue;
        }
        relays->carried[i] =
            !relays->held[i] && any && !independent(relays, option, i);
        relays->leads[i] =
            option[i] != RELAY_HELD && !relays->carried[i] &&
            (relays->leads[i] || any || due || !(u * option[i] > 0.0));
        relays->side[i] = option[i];
        relays->act |= relays->leads[i] || relays->carried[i];
    }
    relays_tell(run, relays);
}

void
relays_freeze(struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    static const bool none[IMP_RELAYS_MAX];
    const struct relays *relays = relays_of(run, block);
    for (uint32_t i = 0; relays && i < relays->of->n; i++) {
        *mode_of(relays, i) = 0.0;
        *mode_of(relays, relays->of->n + i) = relays->share[i];
    }
    if (relays && relays->act && relays->beside)
        system_relays_join(run, relays->system, none, relays->share);
}

void
relays_thaw(struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    if (relays_of(run, block))
        relays_tell(run, relays_of(run, block));
}

/* What takes u to 0 where it is held. */
static void
take_back(const struct relays *relays, double *change)
{
    uint32_t n = relays->of->n, n_state = relays->of->n_state;
    double u[IMP_RELAYS_MAX] = {0.0}, by[IMP_RELAYS_MAX] = {0.0};
    const double *K = relays->told + (size_t)n * IMP_RELAY_TOLD,
                 *push = K + (size_t)n * n;
    for (uint32_t i = 0; i < n; i++)
        u[i] = u_of(relays, i);
    if (!relays_solve(relays, relays->held, K, u, by))
        return;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n_state && relays->held[i]; k++)
            change[k] += push[(size_t)i * n_state + k] * by[i];
}

static void
relays_let_go(struct rt *run, struct relays *relays)
{
    memset(relays->held, 0, sizeof relays->held);
    memset(relays->leads, 0, sizeof relays->leads);
    memset(relays->bound, 0, sizeof relays->bound);
    memset(relays->carried, 0, sizeof relays->carried);
    relays->act = false;
    if (relays->system != IMP_NO_SYSTEM)
        system_relays_join(run, relays->system, NULL, NULL);
}

/* What the tape `now` reads: the sides, and the motion that observers feel. */
static const double *
locals_now(const struct rt *run, struct relays *relays)
{
    if (relays->observed == IMP_NO_SYSTEM)
        return relays->side;
    const double *felt = system_felt(run, relays->observed);
    memcpy(relays->local, relays->side, sizeof relays->side);
    for (uint32_t k = 0; k < 3 * rt_system(run, relays->observed)->n; k++)
        relays->local[IMP_RELAYS_MAX + k] =
            k < system_n_felt(run, relays->observed)
                ? felt[(size_t)k * IMP_ROW_STRIDE + IMP_ROW_PAD]
                : 0.0;
    return relays->local;
}

/* What the tape `now` tells, and what closed contacts make of it. */
int
relays_ask(struct rt *run, uint32_t block, struct relays *relays, double least,
           const struct relay_contacts *contacts)
{
    uint32_t n = relays->of->n;
    int st =
        rt_eval(run, relays->of->now, locals_now(run, relays), relays->told);
    if (!st)
        st = relays_through_joints(run, block, relays);
    const double *told = relays->told;
    for (uint32_t i = 0; i < n && !st; i++, told += IMP_RELAY_TOLD) {
        relays->rate[i] = told[2];
        relays->terms[i] = told[3];
    }
    if (st)
        return st;
    memcpy(relays->slope, told, (size_t)n * n * sizeof *told);
    relays->touches = contacts != NULL;
    if (contacts) {
        relays->beside = relays_small(relays, least);
        return relays->beside ? relays_beside(run, block, relays, contacts)
                              : IMP_OK;
    }
    relays->beside =
        relays->system != IMP_NO_SYSTEM && system_slides(run, relays->system);
    if (!relays->beside)
        return IMP_OK;
    return system_relays_fit(run, relays->system)
               ? system_relays_rates(run, relays->system, relays->side,
                                     relays->rate, relays->slope, relays->terms,
                                     relays->lift)
               : IMP_NONFINITE;
}

int
relays_choose(struct rt *run, uint32_t block, double least, double *change,
              const struct relay_contacts *contacts)
{
    assert(run != NULL && block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    int option[IMP_RELAYS_MAX], st;
    if (change && relays)
        memset(change, 0, relays->of->n_state * sizeof *change);
    if (!relays)
        return IMP_OK;
    if (contacts) {
        relays->turns = relays->chosen == rt_time(run) ? relays->turns + 1 : 1;
        relays->chosen = rt_time(run);
    }
    for (int round = 0; round < 2; round++) {
        st = relays_ask(run, block, relays, least, contacts);
        if (!st && relays_frames_turn(run, relays, least))
            st = relays_ask(run, block, relays, least, contacts);
        if (st == IMP_NONFINITE || (!st && !find_zeros(run, relays, least))) {
            relays_let_go(run, relays);
            return IMP_OK;
        }
        if (st)
            return st;
    }
    relays->drift = fabs(rt_time(run) - relays->time) <= least
                        ? RELAY_STEPS * least * relays->pace
                        : 0.0;
    if (!unique(relays) || !choose(run, relays, 0, option)) {
        bool rests = relays_discs_stick(run, relays);
        relays_let_go(run, relays);
        return rests && relays->beside && change
                   ? relays_discs_tell(run, block, relays)
                   : IMP_OK;
    }
    take(run, relays, option);
    if (change && relays->act)
        take_back(relays, change);
    return IMP_OK;
}

int
relays_settle(struct rt *run, uint32_t block, double least, double *change)
{
    return relays_choose(run, block, least, change, NULL);
}

int
relays_settle_observers(struct rt *run, uint32_t block, double least, double *x,
                        double *lo)
{
    struct relays *relays = relays_of(run, block);
    if (!relays)
        return IMP_OK;
    assert(relays->observed != IMP_NO_SYSTEM && x && lo);
    const imp_system *sys = rt_system(run, relays->observed);
    double *env = run->env + sys->env_state + 2 * sys->n;
    int st = relays_choose(run, block, least, relays->change, NULL);
    for (uint32_t k = 0; k < relays->of->n_state && !st; k++) {
        if (relays->change[k] != 0.0)
            state_add(&x[k], &lo[k], relays->change[k]);
        env[k] = x[k];
    }
    if (!st)
        relays_tell_open(run, block, least, NULL);
    return st;
}

double
relays_next(struct rt *run, uint32_t block, int order, double span)
{
    assert(block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    if (!relays || !relays->act)
        return INFINITY;
    const struct relays before = *relays;
    double step = span;
    relays->time = INFINITY;
    (void)relays_end(run, block, order, &step);
    bool ends = isfinite(relays->time);
    *relays = before;
    return ends ? step : INFINITY;
}

double
relays_end_time(const struct rt *run, uint32_t block)
{
    const struct relays *relays = relays_of(run, block);
    return relays && relays->act ? relays->time : INFINITY;
}
