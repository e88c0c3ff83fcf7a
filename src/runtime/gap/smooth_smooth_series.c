/* SPDX-License-Identifier: MIT */
/* The gap of two smooth bodies as a time series: the event tape of the contact
 * solves the conditions of closest points order by order. Its outputs are the
 * gap and then the unknowns of the contact. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/smooth_smooth_priv.h"

/* coefficients of output i of the event tape of a contact */
static const double *
event_row(const struct rt *run, uint32_t contact, uint32_t i)
{
    return tape_output_row(run, rt_contact(run, contact)->event,
                           run->event_work[contact], i);
}

void
smooth_smooth_predict(struct rt *run, uint32_t contact, int order, double dt)
{
    assert(rt_contact(run, contact)->n_unknown <= 8);
    double *u = run->contact_u + 8 * (size_t)contact;
    for (uint32_t i = 0; i < rt_contact(run, contact)->n_unknown; i++) {
        const double *c = event_row(run, contact, 1 + i);
        double y = c[order];
        for (int k = order - 1; k >= 0; k--)
            y = y * dt + c[k];
        if (isfinite(y))
            u[i] = y;
    }
}

int
smooth_smooth_series(struct rt *run, uint32_t contact, int order, double *gap)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    const double *rows[2] = {NULL, NULL};
    if (!run->contact_warm[contact]) {
        struct closest_points points;
        int st = smooth_smooth_closest(run, contact, &points, false);
        if (st != IMP_OK)
            return st;
    }
    contact_bodies_rows(run, image_contact, rows);
    int st = rt_series(run, image_contact->event,
                       run->contact_u + 8 * (size_t)contact, rows,
                       run->event_work[contact], order);
    if (st != IMP_OK)
        return st;
    memcpy(gap, event_row(run, contact, 0),
           sizeof(double) * (size_t)(order + 1));
    return IMP_OK;
}
