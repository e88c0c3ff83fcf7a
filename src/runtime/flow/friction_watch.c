/* SPDX-License-Identifier: MIT */
/* What ends the mode of a contact with friction: a slip that comes to zero, a
 * friction that leaves its cone. Both are roots of series, as all events are;
 * a slip that begins at zero is divided by s, so that its beginning is not
 * found again. And what a run tells of friction at any time. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/flow/flow_friction_priv.h"
#include "runtime/numerics/polynomial.h"

/* Where forces depend on each other, the choice is asked for anew at so many
 * places of a piece, and the place of a change is found by halving. */
#define SHARED_PLACES 8
#define SHARED_HALVINGS 60
/* A slip begins without a rate if this is so many roundings of its terms: the
 * edge of the cone is met with the error of its series. */
#define ONSET_NOISE 16.0

void
friction_begin_piece(struct flow *flow)
{
    struct taylor_friction *friction = flow->taylor->friction;
    memset(friction->onset, 0, flow->m * sizeof *friction->onset);
    memset(friction->still, 0, flow->m * sizeof *friction->still);
}

int
friction_expand(struct flow *flow, uint32_t i, double *time)
{
    struct taylor_flow *taylor = flow->taylor;
    struct taylor_friction *friction = taylor->friction;
    const struct friction_piece *piece = &friction->piece;
    if (friction->rub[i] < 0 || !taylor->contacts.closed[i])
        return IMP_OK;
    double *to[] = {piece->friction + i * ROW, piece->slip + i * ROW,
                    piece->minus + i * ROW, piece->plus + i * ROW};
    for (int k = 0; k < 4; k++)
        memcpy(to[k],
               system_rub(flow->run, flow->system, (uint32_t)friction->rub[i],
                          (enum system_rub_row)k),
               ROW * sizeof *to[k]);
    *time = fmin(*time, taylor_row_time(to[0], 0.0, 0));
    if (friction->onset[i] || friction->mode[i] == CONTACT_STICK)
        to[1][0] = 0.0;
    return IMP_OK;
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
           (tangential + rows->slip[i].mu_static * normal);
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
    double noise =
        friction->onset[i] ? 0.0 : eps * rows->speed_terms[2 * i + 1];
    /* at the edge of its cone the friction that holds a point still is the one
     * with which it slips: the slip begins without a rate */
    size_t all = 2 * (size_t)flow->m, T = 2 * (size_t)i + 1;
    double rate =
        friction->onset[i]
            ? ONSET_NOISE * eps *
                  (rows->terms[T] +
                   rows->W[T * all + T] * fabs(friction->tangential[i]) +
                   fabs(rows->W[T * all + T - 1] * friction->normal[i]))
            : 0.0;
    return taylor_falls(row, best, noise, rate, root);
}

/* When the coefficient of friction of a slipping contact becomes negative,
 * before `best`. */
static bool
mu_ends(const struct flow *flow, uint32_t i, double best, double *root)
{
    const struct taylor_friction *friction = flow->taylor->friction;
    double row[ROW], sign = friction_sign(friction->mode[i]);
    if (sign == 0.0)
        return false;
    for (int k = 0; k < ROW; k++)
        row[k] = -sign * friction->piece.friction[i * ROW + (uint32_t)k];
    double noise = TAYLOR_NOISE * DBL_EPSILON * fabs(friction->normal[i]);
    return taylor_falls(row, best, noise, 0.0, root) &&
           polynomial_value(flow->taylor->piece.force + i * ROW,
                            MOTION_STEP_ORDER, *root) > noise;
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
    bool minus =
        taylor_falls(friction->piece.minus + i * ROW, best, noise, 0.0, root);
    bool plus =
        taylor_falls(friction->piece.plus + i * ROW, best, noise, 0.0, &other);
    if (plus && (!minus || other < *root))
        *root = other;
    return minus || plus;
}

/* When the modes of contacts that depend on each other change, before `best`:
 * there the choice itself is asked. */
static bool
shared_ends(struct flow *flow, double best, double *root)
{
    double low = 0.0, high = best;
    bool changes = false;
    for (int k = 1; k <= SHARED_PLACES && !changes; k++) {
        high = best * k / SHARED_PLACES;
        changes = !friction_stays(flow, high);
        if (!changes)
            low = high;
    }
    for (int k = 0; k < SHARED_HALVINGS && changes; k++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (friction_stays(flow, middle))
            low = middle;
        else
            high = middle;
    }
    *root = high;
    return changes;
}

double
friction_first_end(struct flow *flow, double best)
{
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

static double
told_mode(const struct flow *flow, uint32_t i)
{
    static const double told[] = {
        [CONTACT_FREE] = CONTACT_TOLD_FREE,
        [CONTACT_SLIDE] = CONTACT_TOLD_SLIDE,
        [CONTACT_STICK] = CONTACT_TOLD_STICK,
        [CONTACT_SLIP_POSITIVE] = CONTACT_TOLD_SLIP_POSITIVE,
        [CONTACT_SLIP_NEGATIVE] = CONTACT_TOLD_SLIP_NEGATIVE};
    return flow->taylor->contacts.closed[i]
               ? told[flow->taylor->friction->mode[i]]
               : CONTACT_TOLD_FREE;
}

void
friction_tell(struct flow *flow, double t)
{
    const struct taylor_flow *taylor = flow->taylor;
    const struct taylor_friction *friction = taylor->friction;
    double s = taylor->next.known ? t - taylor->now : 0.0;
    double *work = NEW_N(flow->run->brief, double, flow->m + 1);
    memcpy(work, friction->work, flow->m * sizeof *work);
    if (s > 0.0)
        friction_work(flow, s, work);
    for (uint32_t i = 0; i < flow->m; i++) {
        double *env =
            flow->run->env +
            rt_contact(flow->run, flow->sys->contact + i)->env_contact;
        if (friction->rub[i] < 0)
            continue;
        bool closed = taylor->contacts.closed[i];
        bool series = closed && taylor->next.known;
        env[IMP_CONTACT_NORMAL_FORCE] =
            series   ? polynomial_value(taylor->piece.force + i * ROW,
                                        MOTION_STEP_ORDER, s)
            : closed ? friction->normal[i]
                     : 0.0;
        env[IMP_CONTACT_FRICTION_FORCE] =
            series   ? polynomial_value(friction->piece.friction + i * ROW,
                                        MOTION_STEP_ORDER, s)
            : closed ? friction->tangential[i]
                     : 0.0;
        env[IMP_CONTACT_WORK] = work[i];
        env[IMP_CONTACT_MODE] = told_mode(flow, i);
    }
}
