/* SPDX-License-Identifier: MIT */
/* What ends the mode of a contact with friction: a slip that comes to zero, a
 * friction that leaves its cone. Both are roots of series, as all events are;
 * a slip that begins at zero is divided by s, so that its beginning is not
 * found again. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/friction/painleve.h"
#include "runtime/friction/paradox.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/factors.h"
#include "runtime/numerics/polynomial.h"

/* Where forces depend on each other, the choice is asked for anew at places of
 * a piece until no change can lie between them, or two of them lie within such
 * a share of the piece: what happens there would move nothing by more than its
 * square. Forces that stay at the edge of their cones would still be asked for
 * a million times: after so many questions changes that show at no place are no
 * longer looked for. */
#define SHARED_SHORT 0x1p-20
#define SHARED_ASKED 1024
/* so many times it is asked later, up to 2^12 of the shortest intervals, which
 * of them have come to their end */
#define SHARED_LATER 8
/* and what ends with them */
#define SHARED_WITH 3
/* where several motions follow, it is looked at which forces have come to their
 * cones, so many of these intervals earlier */
#define SHARED_BEFORE 16.0
/* steps of a secant for the exact time; it converges in four */
#define SHARED_SECANTS 8
/* within so many of the shortest intervals; forces that come slowly to their
 * cones have left them late by the root of that share, */
#define SHARED_REACH 1024.0
/* which has converged when the room is this share of the shortest interval; its
 * last steps then leave rounding */
#define SHARED_NEAR 1e-4
/* How much faster than those of least norm the forces may change, */
#define SHARED_RATE 2.0
/* and forces that change by this share are constant: FRICTION_TOLERANCE. */
#define SHARED_STILL 1e-10
/* A slip begins without a rate if this is so many roundings of its terms: the
 * edge of the cone is met with the error of its series. */
#define ONSET_NOISE 16.0

/* At the edge of its cone the friction that holds contact i still is the one
 * with which it slips: the slip begins without a rate, up to the rounding that
 * is returned. What holds the gap is rounded as the loads are, and friction
 * with it. */
static double
onset_rate(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    double eps = TAYLOR_NOISE * DBL_EPSILON;
    size_t all = 2 * (size_t)flow->m, T = 2 * (size_t)i + 1;
    double normal = rows->W[(T - 1) * (all + 1)],
           load = friction->fuzz[i] +
                  (normal > 0.0 ? eps * rows->terms[T - 1] / normal : 0.0);
    return ONSET_NOISE *
           (eps * (rows->terms[T] +
                   rows->W[T * all + T] * fabs(friction->tangential[i]) +
                   fabs(rows->W[T * all + T - 1] * friction->normal[i])) +
            load * (rows->W[T * all + T] * rows->slip[i].mu +
                    fabs(rows->W[T * all + T - 1])));
}

void
friction_begin_piece(struct flow *flow)
{
    assert(flow);
    struct taylor_friction *friction = flow->taylor->friction;
    for (uint32_t i = 0; i < flow->m; i++) {
        double before = friction->onset[i] ? 0.0 : friction->begun[i];
        bool begins = friction->onset[i] ||
                      (friction_slips(friction->mode[i]) &&
                       fabs(friction->piece.slip[i * ROW]) < before);
        friction->begun[i] =
            begins ? before + onset_rate(flow, i) * friction->elapsed : 0.0;
    }
    memset(friction->onset, 0, flow->m * sizeof *friction->onset);
    memset(friction->still, 0, flow->m * sizeof *friction->still);
    memset(friction->let_go, 0, flow->m * sizeof *friction->let_go);
}

void
friction_expand(struct flow *flow, uint32_t i)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    const struct friction_piece *piece = &friction->piece;
    if (friction->rub[i] < 0 || !taylor->contacts.closed[i])
        return;
    double *to[] = {piece->friction + i * ROW, piece->slip + i * ROW,
                    piece->minus + i * ROW, piece->plus + i * ROW};
    for (int k = 0; k < 4; k++)
        memcpy(to[k],
               system_rub(flow->run, flow->system, (uint32_t)friction->rub[i],
                          (enum system_rub_row)k),
               ROW * sizeof *to[k]);
    taylor_ask(&taylor->piece, to[0], 0.0, 0);
    /* ground that moves, and a coefficient that changes in time, have series of
     * their own, which may hold for less than the motion's */
    if (friction_slips(friction->mode[i]))
        taylor_ask(&taylor->piece, to[1], friction->rows.terms[2 * i + 1], 1);
    else if (friction->mode[i] == CONTACT_STICK)
        for (int k = 2; k < 4; k++)
            taylor_ask(&taylor->piece, to[k], 0.0, 0);
}

void
friction_begin_row(struct flow *flow, uint32_t i)
{
    assert(flow);
    const struct taylor_friction *friction = flow->taylor->friction;
    if (friction->rub[i] >= 0 && flow->taylor->contacts.closed[i] &&
        (friction->onset[i] || friction->mode[i] == CONTACT_STICK))
        friction->piece.slip[(size_t)i * ROW] = 0.0;
}

/* The rounding of the friction of contact i, as that of a normal force. */
static double
friction_noise(const struct flow *flow, uint32_t i)
{
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    size_t all = 2 * (size_t)flow->m, N = 2 * (size_t)i, T = N + 1;
    double normal = rows->terms[N] / rows->W[N * all + N],
           tangential = rows->terms[T] / rows->W[T * all + T];
    return TAYLOR_NOISE * DBL_EPSILON *
               (tangential + rows->slip[i].mu_static * normal) +
           (1.0 + rows->slip[i].mu_static) * flow->taylor->friction->fuzz[i];
}

/* When the slip of contact i comes to zero, before `best`. */
static bool
slip_ends(const struct flow *flow, uint32_t i, double best, double *root)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    double row[ROW], sign = friction_sign(friction->mode[i]);
    double eps = TAYLOR_NOISE * DBL_EPSILON;
    for (int k = 0; k < ROW; k++)
        row[k] = sign * friction->piece.slip[i * ROW + (uint32_t)k];
    double noise = friction->onset[i] ? 0.0
                                      : fmax(eps * rows->speed_terms[2 * i + 1],
                                             friction->begun[i]);
    double rate = friction->onset[i] ? onset_rate(flow, i) : 0.0;
    return taylor_falls_through(row, best, noise, rate, root);
}

/* What lies within so many of the least steps of the clock is one time. */
#define MU_TICKS 16.0

/* When the coefficient of friction of a slipping contact becomes negative,
 * before `best`. */
static bool
mu_ends(const struct flow *flow, uint32_t i, double best, double *root)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    double row[ROW], sign = friction_sign(friction->mode[i]);
    /* a coefficient that stays is not negative */
    if (sign == 0.0 || !(rt_contact(flow->run, flow->sys->contact + i)->flags &
                         IMP_CONTACTF_VARIES))
        return false;
    for (int k = 0; k < ROW; k++)
        row[k] = -sign * friction->piece.friction[i * ROW + (uint32_t)k];
    double noise = TAYLOR_NOISE * DBL_EPSILON * fabs(friction->normal[i]);
    if (!taylor_falls(row, best, noise, 0.0, root))
        return false;
    /* one that comes to 0 where it changes its branch, as abs(u), goes on as
     * the next piece has it */
    if (flow->taylor->next.guard >= 0 &&
        flow->taylor->piece.h - *root <= MU_TICKS * switching_least(flow->run))
        return false;
    /* the force of a compliant contact ends with its friction, and both are
     * rounded as depths are */
    const double *force = flow->taylor->piece.force + i * ROW;
    double size = polynomial_size(force, MOTION_STEP_ORDER, *root);
    if (friction_soft(flow, i))
        noise += FRICTION_TOGETHER * size + ONSET_NOISE * friction->fuzz[i];
    return polynomial_value(force, MOTION_STEP_ORDER, *root) > noise;
}

/* When a closed contact leaves its mode, before `best`. */
static bool
mode_ends(const struct flow *flow, uint32_t i, double best, double *root)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    if (friction_slips(friction->mode[i]))
        return slip_ends(flow, i, best, root);
    if (friction->mode[i] != CONTACT_STICK || friction->shared)
        return false;
    double noise = friction_noise(flow, i), other;
    bool minus = taylor_falls_through(friction->piece.minus + i * ROW, best,
                                      noise, 0.0, root);
    bool plus = taylor_falls_through(friction->piece.plus + i * ROW, best,
                                     noise, 0.0, &other);
    if (plus && (!minus || other < *root))
        *root = other;
    return minus || plus;
}

/* The greatest rates of the forces of closed contacts in an interval, and of
 * their distances from their cones (2m), by the terms of their series. The
 * series have the forces of least norm; how those in which the choice differs
 * change in addition, as the coordinates go on, is taken to be no more. */
static void
force_rates(const struct flow *flow, double low, double high, double *rate)
{
    const struct friction_piece *piece = &flow->taylor->friction->piece;
    const double *forces = flow->taylor->piece.force;
    for (uint32_t i = 0; i < flow->m; i++) {
        const double *row[] = {forces + i * ROW, piece->minus + i * ROW,
                               piece->plus + i * ROW};
        rate[2 * i] = rate[2 * i + 1] = 0.0;
        bool sticks = flow->taylor->friction->mode[i] == CONTACT_STICK;
        for (int k = 0; k < (sticks ? 3 : 1); k++) {
            double here[ROW], change[ROW], length = high - low;
            polynomial_about(row[k], MOTION_STEP_ORDER, low, here);
            int order = polynomial_derivative(here, MOTION_STEP_ORDER, change);
            double *to = &rate[2 * i + (k > 0)],
                   most = polynomial_size(change, order, length);
            if (most * length >
                SHARED_STILL * polynomial_size(row[k], MOTION_STEP_ORDER, high))
                *to = fmax(*to, SHARED_RATE * most);
        }
    }
}

/* A search for the first change. */
struct shared_search {
    struct flow *flow;
    double *rate, shortest;
    int asked;
};

static double
stays_at(struct shared_search *search, double time)
{
    search->asked++;
    return friction_stays(search->flow, time, search->rate, NULL, false, 0.0);
}

/* Do the modes change between `low`, where they go on, and `high`? fails: they
 * do not go on there. An interval that forces cannot leave at their rates is
 * done with; any other is halved, so that no change is passed. */
static bool
changes_between(struct shared_search *search, double low, double high,
                bool fails, double *root)
{
    if (!fails) {
        force_rates(search->flow, low, high, search->rate);
        double room = stays_at(search, low);
        if (room >= high - low)
            return false;
        double end = stays_at(search, high);
        fails = end == -INFINITY;
        if (!fails &&
            (room + end >= high - low || high - low <= search->shortest ||
             search->asked > SHARED_ASKED))
            return false;
    }
    double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) {
        *root = high;
        return fails;
    }
    bool early = stays_at(search, middle) == -INFINITY;
    return changes_between(search, low, middle, early, root) ||
           (!early && changes_between(search, middle, high, fails, root));
}

/* The choice is known to fail where forces have left their cones by a share;
 * the time at which they have come to them is where their room is 0. */
static double
sharpened(struct shared_search *search, double root)
{
    double step = search->shortest, low = root - step, at = low,
           room = INFINITY, before = INFINITY, from = root;
    if (!(low > 0.0))
        return root;
    force_rates(search->flow, low, root, search->rate);
    for (int k = 0; k < SHARED_SECANTS && room != 0.0; k++) {
        room = stays_at(search, at);
        if (!isfinite(room) || (k > 0 && !(fabs(room) < fabs(before))))
            break;
        double slope = k > 0 ? (room - before) / (at - from) : -1.0,
               next = at - room / slope;
        if (!(slope < 0.0 && fabs(next - root) <= SHARED_REACH * step))
            break;
        before = room;
        from = at;
        at = next;
    }
    return fabs(before) <= SHARED_NEAR * step ? from : root;
}

/* Notes at which contacts modes do not go on. Where none shows, as what is
 * rounding for all together, it is asked a little later. Where some have ended
 * others often end with them, and this shows right behind: they are noted, too,
 * but those whose static friction is the greater one, which may stick on. */
static void
shared_failing(struct shared_search *search, double root, double best)
{
    struct flow *flow = search->flow;
    const struct taylor_friction *friction = flow->taylor->friction;
    bool *now = NEW_N(flow->run->brief, bool, flow->m + 1), any = false;
    double later = 0.0;
    memset(friction->fails, 0, flow->m * sizeof *friction->fails);
    for (int k = 0, more = 0; k < SHARED_LATER && more < SHARED_WITH; k++) {
        if (root + later > best)
            break;
        friction_stays(flow, root + later, search->rate, now, false, 0.0);
        bool first = !any;
        for (uint32_t i = 0; i < flow->m; i++) {
            any |= now[i];
            friction->fails[i] |=
                now[i] && (first || friction->rows.slip[i].mu_static ==
                                        friction->rows.slip[i].mu);
        }
        more += !first;
        later = later > 0.0 ? 4.0 * later : search->shortest;
    }
    double before = root - SHARED_BEFORE * search->shortest;
    if (!any && before > 0.0) {
        force_rates(flow, before, root, search->rate);
        friction_stays(flow, before, search->rate, friction->fails, false,
                       2.0 * SHARED_BEFORE * search->shortest);
        for (uint32_t i = 0; i < flow->m; i++)
            any |= friction->fails[i];
    }
    if (!any)
        friction_stays(flow, root, search->rate, friction->fails, true, 0.0);
}

/* When the modes of contacts that depend on each other change, before `best`:
 * there the choice itself is asked. */
static bool
shared_ends(struct flow *flow, double best, double *root)
{
    struct shared_search search = {
        flow, NEW_N(flow->run->brief, double, 2 * flow->m + 1),
        SHARED_SHORT * best, 0};
    if (!changes_between(&search, 0.0, best, false, root))
        return false;
    shared_failing(&search, *root, best);
    *root = sharpened(&search, *root);
    return true;
}

double
friction_first_end(struct flow *flow, double best)
{
    assert(flow);
    struct taylor_flow *taylor = flow->taylor;
    for (uint32_t i = 0; i < flow->m; i++) {
        double root;
        if (!taylor->contacts.closed[i] || taylor->friction->rub[i] < 0 ||
            !mode_ends(flow, i, best, &root) || root > best)
            continue;
        best = root;
        taylor->next.what = NEXT_MODE_ENDS;
        taylor->next.hit[0] = (int)i;
        taylor->next.n_hit = 1;
    }
    for (uint32_t i = 0; i < flow->m; i++) {
        double root;
        if (!taylor->contacts.closed[i] || taylor->friction->rub[i] < 0 ||
            !mu_ends(flow, i, best, &root) || root >= best)
            continue;
        best = root;
        taylor->next.what = NEXT_MU_ENDS;
        taylor->next.hit[0] = (int)i;
        taylor->next.n_hit = 1;
    }
    double root;
    if (!taylor->friction->shared || !shared_ends(flow, best, &root))
        return best;
    taylor->next.what = NEXT_MODE_ENDS;
    taylor->next.n_hit = 0;
    return root;
}

/* -- jam --------------------------------------------------------------------
 */

/* A slip that jams (painleve.h): when, and what is there. */

/* A p that falls because the coefficient of friction grows with what is left of
 * the slip goes as the root of the time that is left: at this share of its
 * terms 1e-12 of the time in which the motion changes is left. */
#define JAM_SHARE_BY_SLIP 1e-6

/* -- the response of one slip ----------------------------------------------
 */

/* What a unit of the normal force at one contact that slips does, while all
 * other closed contacts keep what they hold. */
struct response {
    double p, b;  /* acceleration of its gap: by that force, and without it */
    double terms; /* what p is the sum of */
    double *push; /* 2m: that force, its friction and those of the others */
};

/* The columns of forces and rows of accelerations of the other closed contacts.
 */
struct held {
    int n, *row;
    double *to; /* per column: friction per normal force */
};

static void
column(const struct flow *flow, uint32_t i, struct held *held)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    bool rubs = friction->rub[i] >= 0;
    held->to[held->n] =
        rubs ? -friction_sign(friction->mode[i]) * friction->rows.slip[i].mu
             : 0.0;
    held->row[held->n++] = (int)(2 * i);
    if (rubs && friction->mode[i] == CONTACT_STICK) {
        held->to[held->n] = 0.0;
        held->row[held->n++] = (int)(2 * i + 1);
    }
}

/* The acceleration of row r by a unit of force in column c. */
static double
entry(const struct flow *flow, const struct held *held, int r, int c)
{
    const double *w = flow->taylor->friction->rows.W +
                      (size_t)r * 2 * (size_t)flow->m + held->row[c];
    return w[0] + (held->to[c] != 0.0 ? held->to[c] * w[1] : 0.0);
}

/* False: the others do not determine their own forces. */
static bool
respond(const struct flow *flow, uint32_t i, struct response *out)
{
    const struct taylor_flow *taylor = flow->taylor;
    const double *free = taylor->friction->rows.free;
    struct arena *arena = flow->run->brief;
    size_t all = 2 * (size_t)flow->m;
    struct held held = {0, NEW_N(arena, int, all + 1),
                        NEW_N(arena, double, all + 1)};
    column(flow, i, &held);
    for (uint32_t j = 0; j < flow->m; j++)
        if (j != i && taylor->contacts.closed[j] && !friction_given(flow, j))
            column(flow, j, &held);
    int n = held.n - 1, self = held.row[0];
    double *K = NEW_N(arena, double, (size_t)n *(size_t)n + 2 * (size_t)n + 1);
    double *push = K + n * n, *load = push + n;
    int *piv = NEW_N(arena, int, (size_t)n + 1);
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++)
            K[r * n + c] = entry(flow, &held, held.row[r + 1], c + 1);
        push[r] = -entry(flow, &held, held.row[r + 1], 0);
        load[r] = -free[held.row[r + 1]];
    }
    if (n && imp_rank_factor(n, K, piv))
        return false;
    if (n) {
        imp_rank_solve(n, K, piv, push);
        imp_rank_solve(n, K, piv, load);
    }
    out->push = NEW_N(arena, double, all + 1);
    out->p = entry(flow, &held, self, 0);
    out->terms = fabs(out->p);
    out->b = free[self];
    out->push[self] = 1.0;
    out->push[self + 1] = held.to[0];
    for (int c = 0; c < n; c++) {
        out->p += entry(flow, &held, self, c + 1) * push[c];
        out->terms += fabs(entry(flow, &held, self, c + 1) * push[c]);
        out->b += entry(flow, &held, self, c + 1) * load[c];
        out->push[held.row[c + 1]] += push[c];
        if (held.to[c + 1] != 0.0)
            out->push[held.row[c + 1] + 1] += held.to[c + 1] * push[c];
    }
    return true;
}

/* -- when -------------------------------------------------------------------
 */

/* What is left of the impulse may end the slip before the jam: the share of the
 * time that is left after which it does, or 1. The force grows as (t* -
 * t)^exponent; push: the force times that time. */
static double
slip_left(const struct flow *flow, uint32_t i, const struct response *response,
          double push)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    size_t all = 2 * (size_t)flow->m, T = 2 * (size_t)i + 1;
    double sign = friction_sign(friction->watch.mode[i]), rate = 0.0,
           power = fmax(1.0 + friction->watch.exponent, DBL_EPSILON);
    for (size_t c = 0; c < all; c++)
        rate -= sign * rows->W[T * all + c] * response->push[c];
    double slip = fmax(sign * rows->speed[T], 0.0), lost = rate * push / power;
    return slip < lost ? -expm1(log1p(-slip / lost) / power) : 1.0;
}

/* Does the slip of contact i jam, or end just before, within *end from now? */
static bool
jams(const struct flow *flow, uint32_t i, double *end)
{
    const struct taylor_flow *taylor = flow->taylor;
    struct friction_watch *watch = &taylor->friction->watch;
    const struct friction_rows *rows = &taylor->friction->rows;
    size_t all = 2 * (size_t)flow->m, N = 2 * (size_t)i;
    double size = rows->W[N * all + N] +
                  fabs(rows->slip[i].mu * rows->W[N * all + N + 1]);
    double normal = taylor->piece.force[i * ROW];
    struct response response;
    bool same = watch->mode[i] == taylor->friction->mode[i];
    if (!same)
        watch->pushed[i] = 0.0;
    if (!respond(flow, i, &response))
        return false;
    double mu = rows->slip[i].mu, mu_was = watch->mu[i],
           before = same ? watch->p[i] : 0.0, was = watch->normal[i],
           since = taylor->now - watch->time[i];
    watch->mode[i] = taylor->friction->mode[i];
    watch->p[i] = response.p;
    watch->time[i] = taylor->now;
    watch->normal[i] = normal;
    watch->mu[i] = mu;
    /* where others hold the point p is 0, to rounding, and has not fallen */
    double none = TAYLOR_NOISE * DBL_EPSILON * response.terms;
    /* p falls where b < 0, and rises where a slip with p < 0 and b > 0 goes on
     */
    double p = fabs(response.p), falls = response.p / before;
    if (!(p > none && falls < 1.0 && falls > 0.0 && since > 0.0 &&
          normal > 0.0))
        return false;
    /* Where the coefficient of friction grows as the slip falls, the force does
     * not bring b to 0: it goes as 1/p, and p as the root of what is left. */
    double share = p / size, more = copysign(mu - mu_was, response.p),
           by_p = was > 0.0 ? log(normal / was) / log(falls) : 0.0;
    watch->by_slip = more > 0.0 && fabs(by_p + 1.0) < PAINLEVE_JAM_AGREES;
    if (share >= (watch->by_slip ? JAM_SHARE_BY_SLIP : PAINLEVE_JAM_SHARE))
        return false;
    double left = watch->by_slip ? since / (1.0 / (falls * falls) - 1.0)
                                 : response.p * since / (before - response.p);
    watch->exponent = watch->by_slip ? 0.5 * by_p : by_p;
    left *= slip_left(flow, i, &response, normal * left);
    if (!(left < *end))
        return false;
    *end = left;
    return true;
}

bool
friction_jam_ahead(struct flow *flow, double *end)
{
    assert(end != NULL);
    const struct taylor_flow *taylor = flow->taylor;
    struct friction_watch *watch = &taylor->friction->watch;
    watch->which = -1;
    for (uint32_t i = 0; i < flow->m; i++)
        if (!taylor->contacts.closed[i] || friction_soft(flow, i) ||
            !friction_slips(taylor->friction->mode[i]))
            watch->mode[i] = CONTACT_FREE;
        else if (jams(flow, i, end))
            watch->which = (int)i;
    return watch->which >= 0;
}

/* -- the limit --------------------------------------------------------------
 */

/* The last of the slip of a contact. */
struct last {
    struct flow *flow;
    uint32_t contact;
    const double *push; /* 2m: by a unit of impulse along its normal */
};

static int
load(void *context, double more)
{
    struct last *last = context;
    struct flow *flow = last->flow;
    double *impulse = NEW_N(flow->run->brief, double, 2 * (size_t)flow->m + 1);
    for (uint32_t r = 0; r < 2 * flow->m; r++)
        impulse[r] = last->push[r] * more;
    friction_push(flow, impulse);
    return friction_rows(flow);
}

static bool
read_end(void *context, struct painleve_jam_end *end)
{
    const struct last *last = context;
    const struct flow *flow = last->flow;
    uint32_t i = last->contact;
    const struct friction_rows *rows = &flow->taylor->friction->rows;
    size_t N = 2 * (size_t)i, all = 2 * (size_t)flow->m;
    struct response response;
    double eps = TAYLOR_NOISE * DBL_EPSILON;
    bool by_slip = flow->taylor->friction->watch.by_slip;
    if (!respond(flow, i, &response))
        return false;
    *end = (struct painleve_jam_end){
        .jam = by_slip ? response.p : response.b,
        .jam_small = eps * (by_slip ? rows->W[N * all + N] +
                                          fabs(rows->slip[i].mu *
                                               rows->W[N * all + N + 1])
                                    : rows->terms[N]),
        .slip = rows->speed[N + 1],
        .slip_small = eps * rows->speed_terms[N + 1]};
    return true;
}

/* Takes the state to the end of the slip of contact i: its jam, or the place
 * where it comes to rest if that is before. *limit: there is one; *stops: it
 * is the latter. first: the size of the impulse. */
static int
to_limit(struct flow *flow, uint32_t i, double first, bool *limit, bool *stops)
{
    struct taylor_friction *friction = flow->taylor->friction;
    struct response response;
    *limit = *stops = false;
    if (!respond(flow, i, &response))
        return IMP_OK;
    struct last at = {flow, i, response.push};
    struct painleve_last last = {.context = &at,
                                 .sign = friction_sign(friction->mode[i]),
                                 .load = load,
                                 .read = read_end};
    int st = painleve_jam_limit(&last, first);
    *limit = last.limit;
    *stops = last.stops;
    friction->watch.pushed[i] += last.given;
    return st;
}

/* The slip of contact i has come to rest just before it would jam. */
static int
rests(struct flow *flow, uint32_t i, struct flow_event *event)
{
    struct taylor_flow *taylor = flow->taylor;
    bool *on = NEW_N(flow->run->brief, bool, flow->m + 1),
         *ended = NEW_N(flow->run->brief, bool, flow->m + 1);
    memcpy(on, taylor->contacts.closed, flow->m);
    ended[i] = taylor->friction->zero[i] = true;
    event->kind = FLOW_MODES;
    event->contact = flow->sys->contact + i;
    return friction_settle(flow, on, ended, event);
}

/* Would the gap open without a force? There its acceleration is 0, so the third
 * derivative of the motion without contacts tells (alpha_2 of the paper). */
static bool
opens(struct flow *flow, uint32_t i)
{
    double h, gap[ROW];
    flow_set_active(flow, NULL);
    int st = motion_series(flow->run, flow->sys->block, 4, &h);
    if (!st)
        st = system_gap_series(flow->run, flow->system, i, 4, gap);
    taylor_set_active(flow);
    return !st && gap[3] > 0.0;
}

static const char *
jam_text(const struct flow *flow, uint32_t i, bool may_open)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_watch *watch = &friction->watch;
    struct arena *arena = flow->run->arena;
    char impulse[NUM_TEXT], slip[NUM_TEXT];
    const char *name = imp_text(
        flow->run->im, rt_contact(flow->run, flow->sys->contact + i)->name);
    const char *limit =
        painleve_jam_force(arena, watch->exponent, watch->normal[i]);
    return arena_printf(
        arena,
        "`%s` jams: p comes to 0 in slip, and the normal force %s (impulse "
        "since the slip began %s, slip now %s); %san impact without collision, "
        "or a jump into stick may follow",
        name, limit, num_digits(impulse, watch->pushed[i], 6),
        num_digits(slip, friction->rows.speed[2 * i + 1], 6),
        may_open ? "lift-off, " : "");
}

/* What the policy of the model takes after the jam of contact i. */
static void
go_on(struct flow *flow, uint32_t i, bool may_open, struct flow_event *event)
{
    const char *why = jam_text(flow, i, may_open);
    struct taylor_friction *friction = flow->taylor->friction;
    uint32_t policy =
        flow->run->paradox == PARADOX_BRANCH && flow->run->forks
            ? (uint32_t)paradox_after_jam(flow->run->forks, may_open)
            : flow->run->paradox;
    event->why = why;
    event->policies = paradox_policies_after_jam(may_open);
    if (policy == PARADOX_JUMP || policy == PARADOX_STICK) {
        friction->jump = (int)i;
        friction->plastic = policy == PARADOX_STICK;
        return;
    }
    if (policy == PARADOX_COMPLIANT) {
        int which = (int)i;
        friction_soft_yields(flow, &which, 1);
        return;
    }
    if (policy != PARADOX_LIFTOFF || !may_open)
        return;
    event->why = NULL;
    friction->open = why;
    flow->taylor->contacts.closed[i] = false;
    flow->taylor->contacts.opening[i] = true;
    flow->taylor->contacts.released[i] = true;
    friction_note(flow, i, "liftoff");
    taylor_set_active(flow);
}

static struct painleve_verdict
verdict_at_jam(const struct flow *flow, uint32_t i)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    const struct friction_rows *rows = &friction->rows;
    size_t N = 2 * (size_t)i, all = 2 * (size_t)flow->m;
    struct painleve_point point = {.B = rows->W[N * all + N + 1],
                                   .C = rows->W[N * all + N],
                                   .a = rows->free[N + 1],
                                   .b = rows->free[N],
                                   .mu = rows->slip[i].mu,
                                   .slip = friction_sign(friction->mode[i])};
    return painleve_jam_verdict(&point, friction->watch.by_slip);
}

int
friction_jam(struct flow *flow, struct flow_event *event)
{
    assert(event != NULL && flow->taylor->friction->watch.which >= 0);
    struct taylor_friction *friction = flow->taylor->friction;
    struct friction_watch *watch = &friction->watch;
    uint32_t i = (uint32_t)watch->which;
    bool *row = NEW_N(flow->run->brief, bool, 2 * flow->m + 1), limit, stops;
    double elapsed = flow->taylor->now - watch->time[i];
    int st = friction_rows(flow);
    if (st || (st = to_limit(flow, i, watch->normal[i] * fmax(elapsed, DBL_MIN),
                             &limit, &stops)))
        return st;
    if (limit && stops)
        return rests(flow, i, event);
    friction_held_rows(flow, row);
    friction_project(flow, row);
    if ((st = friction_rows(flow)))
        return st;
    if (!limit) {
        friction_undecided(
            flow, event,
            arena_printf(
                flow->run->arena,
                "p comes to 0 in the slip of `%s`, and no impulse "
                "along its force leads to a limit",
                imp_text(flow->run->im,
                         rt_contact(flow->run, flow->sys->contact + i)->name)));
        return IMP_OK;
    }
    /* the force that is told there: the last one, or its limit */
    if (fabs(watch->exponent) < PAINLEVE_JAM_FINITE)
        watch->normal[i] = polynomial_value(flow->taylor->piece.force + i * ROW,
                                            MOTION_STEP_ORDER, elapsed);
    friction->normal[i] = watch->normal[i];
    friction->tangential[i] = -friction_sign(friction->mode[i]) *
                              friction->rows.slip[i].mu * watch->normal[i];
    friction_tell_verdict(flow, i, verdict_at_jam(flow, i));
    event->kind = FLOW_JAM;
    event->contact = flow->last.contacts[0] = flow->sys->contact + i;
    event->impulse = flow->last.impulse[0] = 0.0;
    event->n = flow->last.n_contacts = 1;
    go_on(flow, i, !watch->by_slip && opens(flow, i), event);
    return IMP_OK;
}
