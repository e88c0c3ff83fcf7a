/* SPDX-License-Identifier: MIT */
/* The series of joints with friction that tell when a mode changes, and for how
 * long they hold. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/motion/motion.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"
#include "runtime/rubbing/rubbing_priv.h"

void
rubbing_row(const struct pins *pins, const struct pin *pin, int which,
            int order, struct taylor *out)
{
    assert(pins && pin && out);
    const double *row = pins->run->rows.block[pins->block] +
                        (size_t)pin->joint->rows[which] * IMP_ROW_STRIDE +
                        IMP_ROW_PAD;
    memcpy(out->c, row, sizeof *row * ((size_t)order + 1));
}

double
rubbing_rows_hold(const struct pins *pins, int order, double h)
{
    assert(pins && h >= 0.0);
    static const int resting[] = {IMP_RUBROW_FORCE, IMP_RUBROW_FORCE + 1,
                                  IMP_RUBROW_FRICTION, IMP_RUBROW_MU_STATIC},
                     slipping[] = {IMP_RUBROW_FORCE, IMP_RUBROW_FORCE + 1,
                                   IMP_RUBROW_RATE};
    struct taylor row;
    for (uint32_t i = 0; i < pins->n; i++) {
        const struct pin *pin = pins->pin + i;
        const int *asked = pin_rests(pin) ? resting : slipping;
        for (int k = 0; k < (pin_rests(pin) ? 4 : 3); k++) {
            rubbing_row(pins, pin, asked[k], order, &row);
            h = polynomial_holds(row.c, order, h);
        }
    }
    return h;
}

void
rubbing_begins(const struct pin *pin, double now, double *rate)
{
    assert(pin && rate);
    double since = now - pin->onset;
    /* one that falls in earnest does so from where it is */
    if (!(since == 0.0 || (since > 0.0 && rate[1] >= -pin->small)))
        return;
    if (fabs(rate[0]) <= pin->small * since || since == 0.0)
        rate[0] = 0.0;
    if (rate[0] == 0.0 && fabs(rate[1]) <= pin->small)
        rate[1] = 0.0;
}
