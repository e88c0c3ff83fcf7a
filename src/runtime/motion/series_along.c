/* SPDX-License-Identifier: MIT */
/* Time derivatives of expressions (series_along.h). The motion of all blocks
 * and the series of the contacts give the rows that a series tape reads. Its
 * own coefficients go to env and, shifted, to derived rows that later series
 * read.
 *
 * Invariant: meanwhile run->work and run->event_work are exchanged for arrays
 * of this file, so that a dense output that is in use is not lost. */
#include "runtime/motion/series_along.h"

#include <assert.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion.h"

struct series_along {
    double **motion, **event; /* as r->work, r->event_work */
    double **work, **derived; /* per series */
    double **corner;     /* per contact of a polytope: its entries of env */
    const double **rows; /* sources, as imp_series says */
};

static double *
rows_of(struct rt *run, size_t n)
{
    return NEW_N(run->own, double, (n + 1) * IMP_ROW_STRIDE);
}

static double *
work_of(struct rt *run, uint32_t tape)
{
    return rows_of(
        run, tape == IMP_NO_TAPE
                 ? 0
                 : IMP_ARRAY(run->im, run->im->tapes, imp_tape)[tape].n_rows);
}

struct series_along *
series_along_new(struct rt *run)
{
    const imp_image *im = run->im;
    uint32_t nb = im->blocks.n, nc = im->contacts.n, ns = im->series.n;
    if (!ns)
        return NULL;
    struct series_along *a = NEW(run->own, struct series_along);
    a->motion = NEW_N(run->own, double *, nb + 1);
    a->event = NEW_N(run->own, double *, nc + 1);
    a->work = NEW_N(run->own, double *, ns);
    a->derived = NEW_N(run->own, double *, ns);
    a->rows = NEW_N(run->own, const double *, nb + nc + ns);
    for (uint32_t i = 0; i < nb; i++)
        a->rows[i] = a->motion[i] =
            work_of(run, IMP_ARRAY(im, im->blocks, imp_block)[i].motion);
    for (uint32_t i = 0; i < nc; i++)
        a->rows[nb + i] = a->event[i] = work_of(run, rt_gap_tape(run, i));
    a->corner = NEW_N(run->own, double *, nc + 1);
    for (uint32_t i = 0; i < nc; i++)
        if (rt_contact(run, i)->flags & IMP_CONTACTF_CORNERS)
            a->rows[nb + i] = a->corner[i] = rows_of(run, IMP_CONTACT_E);
    for (uint32_t i = 0; i < ns; i++) {
        const imp_series *s = IMP_ARRAY(im, im->series, imp_series) + i;
        a->work[i] = work_of(run, s->tape);
        a->rows[nb + nc + i] = a->derived[i] = rows_of(run, s->order + 1);
    }
    return a;
}

/* row m: coefficient m as a function of time, d_k = (k + m)! / (k! m!) c_{k+m}
 */
static void
derive(double *d, const double *c, int order)
{
    for (int m = 1; m <= order; m++) {
        double *row = d + m * IMP_ROW_STRIDE + IMP_ROW_PAD;
        double binomial = 1.0;
        for (int k = 0; k <= order - m; k++) {
            row[k] = binomial * c[k + m];
            /* exact, because it is below 2^53 */
            binomial = binomial * (k + m + 1) / (k + 1);
        }
    }
}

static int
fill(struct rt *run, const imp_val *v, const imp_want *w, int most)
{
    const imp_image *im = run->im;
    struct series_along *a = run->series_along;
    double h, jet[IMP_ORDER_MAX + 1];
    int st = motion_series_all(run, most, &h);
    for (uint32_t s = 0; s < im->systems.n && !st; s++) {
        st = motion_series(run, rt_system(run, s)->block, most, &h);
        if (!st && rt_system(run, s)->observer != IMP_NO_BLOCK)
            st = motion_series(run, rt_system(run, s)->observer, most, &h);
    }
    const uint32_t *contact = IMP_ARRAY(im, v->contacts, uint32_t);
    for (uint32_t i = 0; i < v->contacts.n && !st; i++)
        st = a->corner[contact[i]]
                 ? polytope_contact_rows(run, contact[i], most,
                                         a->corner[contact[i]])
                 : contact_gap_series(run, contact[i], most, jet);
    for (uint32_t i = 0; i < v->series.n && !st; i++) {
        const imp_series *s =
            IMP_ARRAY(im, im->series, imp_series) + w[i].series;
        int order = (int)w[i].order;
        double *work = a->work[w[i].series];
        st = rt_series(run, s->tape, NULL, a->rows, work, order);
        if (st == IMP_NONFINITE) {
            struct diag *diag = diag_add(
                run->ds, DIAG_E0602, s->range,
                "this has no finite time derivative%s at the present state",
                order > 1 ? " of the orders asked for" : "");
            diag_help(run->ds, diag,
                      "a formula is not smooth there, such as a root of zero, "
                      "or too large");
            return IMP_FAILED;
        }
        const double *c = work + (size_t)s->row * IMP_ROW_STRIDE + IMP_ROW_PAD;
        for (int k = 0; k <= order && !st; k++)
            run->env[s->env + (uint32_t)k] = c[k];
        derive(a->derived[w[i].series], c, order);
    }
    return st;
}

int
series_along_fill(struct rt *run, const imp_val *v)
{
    assert(run != NULL && v != NULL);
    const imp_want *w = IMP_ARRAY(run->im, v->series, imp_want);
    uint32_t most = 1;
    for (uint32_t i = 0; i < v->series.n; i++)
        most = w[i].order > most ? w[i].order : most;
    double **motion = run->work, **event = run->event_work;
    if (!v->series.n)
        return IMP_OK;
    run->work = run->series_along->motion;
    run->event_work = run->series_along->event;
    int st = fill(run, v, w, (int)most);
    run->work = motion;
    run->event_work = event;
    return st;
}
