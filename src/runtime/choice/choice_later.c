/* SPDX-License-Identifier: MIT */
/* Nothing presses closed points at this instant, and what presses some of them
 * begins to grow from 0: forces and accelerations go with the same power of
 * time, and the first coefficients of gaps and slips stand for accelerations.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/choice/choice.h"

/* An acceleration that is there before others is so many times one of theirs.
 */
#define LATER_BEFORE 1e6

int
choice_later_order(const struct choice_later *later, bool *closed,
                   double *first)
{
    assert(later && later->from >= 2 && closed && first);
    for (int k = later->from; k <= CHOICE_LATER_MOST; k++) {
        bool falls = false;
        for (int i = 0; i < later->n; i++) {
            double c = later->gap[i][k];
            if (!closed[i])
                continue;
            first[i] = fabs(c) <= later->still[i][k] ? 0.0 : c;
            falls = falls || first[i] < 0.0;
        }
        if (falls)
            return k;
        for (int i = 0; i < later->n; i++)
            closed[i] = closed[i] && first[i] == 0.0;
    }
    return 0;
}

/* Does point i, which rests, begin to slip before gaps fall at this order, by
 * an acceleration that is there at once or grows with a lower power of time?
 * Its direction; 0: it does not. */
static double
slips_before(const struct choice_later *later, int i, int order, double acc,
             double size)
{
    if (order > 2 && fabs(acc) > CHOICE_NONE * size)
        return copysign(1.0, acc);
    for (int k = later->from; k < order && later->slip[i]; k++)
        if (fabs(later->slip[i][k - 1]) / k > later->slip_still[i][k])
            return copysign(1.0, later->slip[i][k - 1]);
    return 0.0;
}

bool
choice_presses_later(struct arena *arena, const struct choice_later *later,
                     const struct friction_point *point, double *free,
                     double *terms)
{
    assert(arena && later && point && free && terms);
    int n = later->n;
    bool *closed = NEW_N(arena, bool, (size_t)n + 1);
    double *first = NEW_N(arena, double, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        closed[i] = free[2 * i] <= CHOICE_NONE * terms[2 * i];
    int order = choice_later_order(later, closed, first);
    double most = 0.0;
    bool rises = false;
    for (int i = 0; i < n; i++) {
        rises = rises || (!closed[i] && first[i] > 0.0);
        most = fmax(most, fabs(first[i]));
    }
    if (order == 0) /* those that rise are free */
        for (int i = 0; i < n && rises; i++)
            free[2 * i] = terms[2 * i] = fmax(free[2 * i], first[i]);
    if (order == 0)
        return rises;
    for (int i = 0; i < n; i++) {
        double *acc = free + 2 * i, *size = terms + 2 * i;
        bool rests = point[i].slip == 0.0;
        double way =
            rests ? slips_before(later, i, order, acc[1], size[1]) : 0.0;
        acc[0] = closed[i] ? first[i] : LATER_BEFORE * most;
        acc[1] = way != 0.0                ? way * LATER_BEFORE * most
                 : rests && later->slip[i] ? later->slip[i][order - 1] / order
                                           : 0.0;
        size[0] = fabs(acc[0]);
        size[1] = fmax(size[0], fabs(acc[1]));
    }
    return true;
}
