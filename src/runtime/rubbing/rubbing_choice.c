/* SPDX-License-Identifier: MIT */
/* The modes of joints that have no rate: which choices obey Coulomb's law
 * (README.md). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "runtime/joints/joints.h"
#include "runtime/rubbing/rubbing_priv.h"

/* So many joints without a rate are tried in all ways. */
#define PINS_TRIED 4
/* What balances to this share of its terms is 0: rates and forces are known to
 * some thousand roundings after a root of a series. */
#define PIN_ZERO 0x1p-36
/* Rates whose determinant is below this share of the product of the diagonal
 * depend on each other (the square of an angle of 3e-6, as of closed contacts)
 */
#define PIN_RANK 1e-11

static uint32_t
unknowns(const struct pins *pins)
{
    return IMP_ARRAY(pins->run->im, pins->run->im->blocks,
                     imp_block)[pins->block]
        .n_unknown;
}

/* -- which rates depend on each other ----------------------------------------
 */

/* The modes without friction, or (`stick`) with all joints at rest, and the
 * matrix of these equations; modes are lost. */
static void
all_in_mode(struct pins *pins, bool stick)
{
    for (uint32_t i = 0; i < pins->n; i++) {
        rubbing_clear(pins->pin + i);
        pins->pin[i].env[IMP_JOINT_LOAD] = 0.0;
        pins->pin[i].env[IMP_JOINT_STICK] = stick;
    }
}

/* What a unit of each friction does to the rates of all joints, without
 * friction at the others: pins->mobility, n x n. */
static int
mobilities(struct pins *pins)
{
    struct rt *run = pins->run;
    uint32_t size = unknowns(pins), n = pins->n;
    double *answer = pins->room;
    int st = IMP_OK;
    all_in_mode(pins, false);
    for (uint32_t j = 0; j < n && !st; j++) {
        double *x = answer + (size_t)j * size;
        memset(x, 0, sizeof *x * size);
        x[pins->pin[j].joint->friction] = 1.0;
        st = joint_friction_linear(run, pins->block, x);
    }
    all_in_mode(pins, true);
    if (!st)
        st = joint_friction_read(run, pins->block, NULL);
    for (uint32_t i = 0; i < n && !st; i++)
        for (uint32_t j = 0; j < n; j++) {
            const double *x = answer + (size_t)j * size,
                         *slope = joint_friction_slope(
                             run, pins->block, pins->pin[i].joint->friction);
            double sum = 0.0;
            for (uint32_t k = 0; k < size; k++)
                sum += slope[k] * x[k];
            pins->mobility[i * n + j] = sum;
        }
    return st;
}

/* How many of these rates are independent: steps of Cholesky's method with the
 * greatest pivots. */
static uint32_t
rank_of(const struct pins *pins, const uint32_t *of, uint32_t n)
{
    double a[PINS_MOST][PINS_MOST];
    bool used[PINS_MOST] = {false};
    uint32_t rank = 0;
    assert(n <= PINS_MOST);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double own = pins->mobility[of[i] * pins->n + of[i]],
                   other = pins->mobility[of[j] * pins->n + of[j]];
            a[i][j] = own > 0.0 && other > 0.0
                          ? pins->mobility[of[i] * pins->n + of[j]] /
                                sqrt(own * other)
                          : 0.0;
        }
    for (; rank < n; rank++) {
        uint32_t pivot = n;
        for (uint32_t i = 0; i < n; i++)
            if (!used[i] && (pivot == n || a[i][i] > a[pivot][pivot]))
                pivot = i;
        if (!(a[pivot][pivot] > PIN_RANK))
            break;
        used[pivot] = true;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && !used[i]; j++)
                if (!used[j])
                    a[i][j] -= a[i][pivot] * a[pivot][j] / a[pivot][pivot];
    }
    return rank;
}

/* Lets these joints stick: each for itself, or together under the one that
 * moves most easily. False: neither. */
static bool
stick(struct pins *pins, const uint32_t *of, uint32_t n)
{
    uint32_t rank = n > 1 ? rank_of(pins, of, n) : n, lead = 0;
    for (uint32_t i = 0; i < n && rank == n; i++)
        pins->pin[of[i]].env[IMP_JOINT_STICK] =
            pins->pin[of[i]].env[IMP_JOINT_HELD] = 1.0;
    if (rank == n)
        return true;
    if (rank > 1)
        return false;
    const double *mobility = pins->mobility;
    for (uint32_t i = 1; i < n; i++)
        if (mobility[of[i] * pins->n + of[i]] >
            mobility[of[lead] * pins->n + of[lead]])
            lead = i;
    double most = mobility[of[lead] * pins->n + of[lead]];
    for (uint32_t i = 0; i < n; i++) {
        double *env = pins->pin[of[i]].env,
               along = mobility[of[i] * pins->n + of[lead]],
               own = mobility[of[i] * pins->n + of[i]];
        env[IMP_JOINT_SHARE] = 1.0;
        env[IMP_JOINT_SIGN] = fabs(along) <= PIN_ZERO * sqrt(own * most) ? 0.0
                              : along > 0.0                              ? 1.0
                                                                         : -1.0;
    }
    pins->pin[of[lead]].env[IMP_JOINT_LEAD] =
        pins->pin[of[lead]].env[IMP_JOINT_HELD] = 1.0;
    return true;
}

/* A joint without a rate begins to slip: against the friction at rest, unless
 * that has just given way. */
static void
slip(struct pin *pin, enum pin_mode mode)
{
    pin->env[IMP_JOINT_SIGN] = mode == PIN_FORWARD ? 1.0 : -1.0;
    pin->env[IMP_JOINT_BREAK] = !pin->freed;
}

/* Writes a choice for the joints that are still, behind `kept`, the signs of
 * the others. */
static bool
set_modes(struct pins *pins, const double *kept, const enum pin_mode *mode)
{
    uint32_t of[PINS_MOST], n = 0;
    for (uint32_t i = 0; i < pins->n; i++) {
        rubbing_clear(pins->pin + i);
        if (!pins->pin[i].still)
            pins->pin[i].env[IMP_JOINT_SIGN] = kept[i];
        else if (mode[i] == PIN_STICK)
            of[n++] = i;
        else
            slip(pins->pin + i, mode[i]);
    }
    return stick(pins, of, n);
}

static void
keep_signs(const struct pins *pins, double *kept)
{
    for (uint32_t i = 0; i < pins->n; i++)
        kept[i] = pins->pin[i].env[IMP_JOINT_SIGN];
}

bool
rubbing_hold(struct pins *pins)
{
    assert(pins && pins->n <= PINS_MOST);
    double kept[PINS_MOST];
    enum pin_mode mode[PINS_MOST] = {PIN_STICK};
    keep_signs(pins, kept);
    int st = mobilities(pins);
    return set_modes(pins, kept, mode) && !st;
}

/* -- what a choice says ------------------------------------------------------
 */

/* Is there only one solution in these modes? The slopes L of the map from the
 * frictions of joints that slip to themselves have a spectral radius below 1 if
 * elimination in 1 - L meets positive pivots alone. */
int
rubbing_unique(struct pins *pins, bool *unique)
{
    struct rt *run = pins->run;
    uint32_t n = pins->n, size = unknowns(pins);
    double L[PINS_MOST][PINS_MOST], sign[PINS_MOST], mu[PINS_MOST];
    int st = IMP_OK;
    assert(n <= PINS_MOST);
    for (uint32_t i = 0; i < n; i++) {
        sign[i] = pins->pin[i].env[IMP_JOINT_SIGN];
        mu[i] = joint_friction_told(run, pins->block, i)[IMP_RUB_MU];
        if (pins->pin[i].env[IMP_JOINT_SHARE] == 0.0)
            pins->pin[i].env[IMP_JOINT_SIGN] = 0.0;
    }
    memset(L, 0, sizeof L);
    for (uint32_t j = 0; j < n && !st; j++) {
        const struct pin *pin = pins->pin + j;
        double *x = pins->room;
        if (sign[j] == 0.0 || pin->env[IMP_JOINT_SHARE] != 0.0)
            continue;
        memset(x, 0, sizeof *x * size);
        x[pin->joint->friction] = 1.0;
        st = joint_friction_linear(run, pins->block, x);
        for (uint32_t i = 0; i < n && !st; i++)
            if (sign[i] != 0.0)
                L[i][j] =
                    mu[i] * joint_friction_grip(run, pins->pin[i].joint, x);
    }
    for (uint32_t i = 0; i < n; i++)
        pins->pin[i].env[IMP_JOINT_SIGN] = sign[i];
    *unique = true;
    for (uint32_t k = 0; k < n && *unique; k++) {
        *unique = L[k][k] < 1.0;
        for (uint32_t i = k + 1; i < n; i++)
            for (uint32_t j = k + 1; j < n; j++)
                L[i][j] += L[i][k] * L[k][j] / (1.0 - L[k][k]);
    }
    return st;
}

/* The friction that the joint bears at most while it sticks. */
static double
most_of(const struct pins *pins, uint32_t i, const double *x)
{
    return joint_friction_told(pins->run, pins->block, i)[IMP_RUB_MU_STATIC] *
           joint_friction_grip(pins->run, pins->pin[i].joint, x);
}

/* The terms that the change of a rate is the sum of, but for that change. */
static double
terms_of(const struct pins *pins, uint32_t i, const double *x)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < pins->n; j++)
        sum += fabs(pins->mobility[i * pins->n + j]) *
               fmax(most_of(pins, j, x), fabs(x[pins->pin[j].joint->friction]));
    return sum;
}

/* What is 0 to rounding of the change of rate i. */
static double
change_noise(const struct pins *pins, uint32_t i, const double *x)
{
    return PIN_ZERO * (terms_of(pins, i, x) +
                       fabs(joint_friction_change(pins->run, pins->block, i)));
}

/* Does joint i, which is still, obey the law in its mode? *excess: if not, by
 * how much, as a share. */
static bool
obeys(const struct pins *pins, uint32_t i, const double *x, double *excess)
{
    const struct pin *pin = pins->pin + i;
    const imp_block *block =
        IMP_ARRAY(pins->run->im, pins->run->im->blocks, imp_block) +
        pins->block;
    double M = x[pin->joint->friction], most = most_of(pins, i, x),
           change = joint_friction_change(pins->run, pins->block, i),
           zero = change_noise(pins, i, x);
    if (pin->env[IMP_JOINT_SHARE] != 0.0) {
        *excess = fabs(x[block->share]) - 1.0;
        return *excess <= PIN_ZERO;
    }
    if (pin->env[IMP_JOINT_STICK] != 0.0) {
        *excess = fabs(M) > most ? fabs(M) / fmax(most, DBL_MIN) - 1.0 : 0.0;
        /* what nothing loads is held by no friction, to rounding */
        double small = zero / pins->mobility[i * pins->n + i];
        return *excess <= PIN_ZERO || fabs(M) <= small;
    }
    if (pin->env[IMP_JOINT_SIGN] == 0.0) { /* nothing loads it */
        *excess = 1.0;
        return fabs(change) <= zero;
    }
    *excess = 1.0;
    change *= pin->env[IMP_JOINT_SIGN];
    return pin->freed ? change >= -zero : change > zero;
}

/* Solves in the modes of env. *obey: the law is obeyed by all; else *worst is
 * the joint that disobeys it most (n: there is no solution). An end of a bush
 * that bears nothing keeps the side that it had before all choices, and not
 * that of another choice. */
static int
try_modes(struct pins *pins, bool *obey, uint32_t *worst)
{
    const double *x;
    double most = -1.0, excess;
    for (uint32_t i = 0; i < pins->n; i++)
        memcpy(pins->pin[i].env + IMP_JOINT_SIDE, pins->pin[i].side,
               sizeof pins->pin[i].side);
    int st = joint_friction_solve(pins->run, pins->block, pins->impulse, &x);
    *obey = !st;
    *worst = pins->n;
    if (st == IMP_SINGULAR)
        return IMP_OK;
    for (uint32_t i = 0; i < pins->n && !st; i++)
        if (pins->pin[i].still && !obeys(pins, i, x, &excess)) {
            *obey = false;
            if (excess > most) {
                most = excess;
                *worst = i;
            }
        }
    return st;
}

/* -- choices -----------------------------------------------------------------
 */

/* What a choice makes of the motion: the changes of all rates. */
static void
changes(const struct pins *pins, double *to)
{
    for (uint32_t i = 0; i < pins->n; i++)
        to[i] = joint_friction_change(pins->run, pins->block, i);
}

static bool
differ(const struct pins *pins, const double *one, const double *other)
{
    bool any = false;
    for (uint32_t i = 0; i < pins->n; i++)
        any |= fabs(one[i] - other[i]) >
               sqrt(PIN_ZERO) * fmax(fabs(one[i]), fabs(other[i]));
    return any;
}

/* Joints that a choice lets slip do so with the friction of their slip from now
 * on. True: there is one, so that the others are to be chosen anew. */
static bool
free_slips(struct pins *pins, double *kept)
{
    bool any = false;
    for (uint32_t i = 0; i < pins->n; i++) {
        struct pin *pin = pins->pin + i;
        if (!pin->still || pin->freed || pin_rests(pin))
            continue;
        pin->freed = true;
        kept[i] = pin->env[IMP_JOINT_SIGN];
        any = true;
    }
    return any;
}

/* Tries all choices; leaves the first that obeys the law. */
static int
try_all(struct pins *pins, const double *kept, enum rubbing_verdict *verdict)
{
    uint32_t still = 0, count = 1, worst;
    double first[PINS_MOST], now[PINS_MOST];
    enum pin_mode mode[PINS_MOST], found[PINS_MOST];
    bool obey, unique, tangled = false;
    for (uint32_t i = 0; i < pins->n; i++)
        if (pins->pin[i].still && still++ < PINS_TRIED)
            count *= 3;
    *verdict = RUBBING_NONE;
    for (uint32_t choice = 0; choice < count; choice++) {
        uint32_t left = choice;
        bool may = true;
        for (uint32_t i = 0; i < pins->n; i++) {
            mode[i] = PIN_STICK;
            if (!pins->pin[i].still)
                continue;
            mode[i] = (enum pin_mode)(left % 3);
            left /= 3;
            may &= !pins->pin[i].freed ||
                   mode[i] == (kept[i] < 0.0 ? PIN_BACKWARD : PIN_FORWARD);
        }
        if (!may)
            continue;
        if (!set_modes(pins, kept, mode)) {
            tangled = true;
            continue;
        }
        int st = try_modes(pins, &obey, &worst);
        unique = still == 0; /* what goes on goes on */
        if (!st && obey && still)
            st = rubbing_unique(pins, &unique);
        if (st)
            return st;
        if (!obey)
            continue;
        changes(pins, now);
        if (*verdict == RUBBING_NONE) {
            *verdict = unique ? RUBBING_ONE : RUBBING_SEVERAL;
            memcpy(first, now, sizeof first);
            memcpy(found, mode, sizeof found);
        } else if (!unique || differ(pins, first, now)) {
            *verdict = RUBBING_SEVERAL;
        }
    }
    if (*verdict == RUBBING_NONE && tangled)
        *verdict = RUBBING_TANGLED;
    if (*verdict != RUBBING_ONE)
        return IMP_OK;
    set_modes(pins, kept, found);
    return try_modes(pins, &obey, &worst);
}

/* Begins with all at rest, and changes the mode of the worst until all obey the
 * law. */
static int
try_worst_first(struct pins *pins, const double *kept,
                enum rubbing_verdict *verdict)
{
    enum pin_mode mode[PINS_MOST] = {PIN_STICK};
    bool obey = false, unique;
    uint32_t worst;
    const imp_block *block =
        IMP_ARRAY(pins->run->im, pins->run->im->blocks, imp_block) +
        pins->block;
    for (uint32_t i = 0; i < pins->n; i++)
        if (pins->pin[i].freed)
            mode[i] = kept[i] < 0.0 ? PIN_BACKWARD : PIN_FORWARD;
    *verdict = RUBBING_NONE;
    for (uint32_t round = 0; round < 4 * pins->n; round++) {
        if (!set_modes(pins, kept, mode)) {
            *verdict = RUBBING_TANGLED;
            return IMP_OK;
        }
        int st = try_modes(pins, &obey, &worst);
        if (st || worst == pins->n)
            break;
        const double *x = joint_friction_unknowns(pins->run, pins->block);
        for (uint32_t i = 0; i < pins->n; i++) {
            double *env = pins->pin[i].env;
            bool shares = env[IMP_JOINT_SHARE] != 0.0;
            if (i != worst &&
                !(shares && pins->pin[worst].env[IMP_JOINT_SHARE]))
                continue;
            double force = shares ? -env[IMP_JOINT_SIGN] * x[block->share]
                                  : x[pins->pin[i].joint->friction];
            mode[i] = mode[i] != PIN_STICK ? PIN_STICK
                      : force > 0.0        ? PIN_BACKWARD
                                           : PIN_FORWARD;
        }
    }
    if (!obey)
        return IMP_OK;
    int st = rubbing_unique(pins, &unique);
    *verdict = unique ? RUBBING_ONE : RUBBING_SEVERAL;
    return st;
}

/* Notes that slips begin from rest. */
static void
begin_slips(struct pins *pins)
{
    const double *x = joint_friction_unknowns(pins->run, pins->block);
    for (uint32_t i = 0; i < pins->n; i++) {
        struct pin *pin = pins->pin + i;
        if (!pin->still)
            continue;
        pin->onset = pin_rests(pin) ? NAN : rt_time(pins->run);
        pin->small = change_noise(pins, i, x);
    }
}

int
rubbing_choose(struct pins *pins, enum rubbing_verdict *verdict)
{
    assert(pins && verdict && pins->n <= PINS_MOST);
    double kept[PINS_MOST];
    uint32_t still = 0;
    keep_signs(pins, kept);
    for (uint32_t i = 0; i < pins->n; i++) {
        struct pin *pin = pins->pin + i;
        still += pin->still;
        memcpy(pin->side, pin->env + IMP_JOINT_SIDE, sizeof pin->side);
    }
    int st = mobilities(pins);
    if (st)
        return st;
    do
        st = still <= PINS_TRIED ? try_all(pins, kept, verdict)
                                 : try_worst_first(pins, kept, verdict);
    while (!st && *verdict == RUBBING_ONE && free_slips(pins, kept));
    if (!st && *verdict == RUBBING_ONE && !pins->impulse)
        begin_slips(pins);
    return st;
}
