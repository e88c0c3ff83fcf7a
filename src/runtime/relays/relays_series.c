/* SPDX-License-Identifier: MIT */
/* The series of a motion with relays, and where these change (relays.h). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/numerics/polynomial.h"
#include "runtime/relays/relays_priv.h"

/* Copies the rows of the state, and of cosines and sines. */
void
relays_rows(const struct rt *run, uint32_t block, double *rows)
{
    const struct relays *relays = relays_of(run, block);
    assert(relays && rows);
    const imp_block *of = block_of(run, block);
    const uint32_t *row = IMP_ARRAY(run->im, relays->of->rows, uint32_t),
                   *to = IMP_ARRAY(run->im, of->rows, uint32_t),
                   *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
    uint32_t more = relays->of->n_state + 2 * relays->of->n,
             n_turn = relays->of->rows.n - of->n_told * IMP_JOINT_ROWS;
    for (uint32_t i = 0; i < relays->of->n_state; i++)
        memcpy(rows + (size_t)to[i] * IMP_ROW_STRIDE,
               relays->work + (size_t)row[i] * IMP_ROW_STRIDE,
               IMP_ROW_STRIDE * sizeof(double));
    for (uint32_t b = 0; b < of->bodies.n && more < n_turn; b++)
        for (int j = 2; j < 4 && rt_body(run, body[b])->pose[2] != IMP_NO_ROW;
             j++)
            memcpy(rows +
                       (size_t)rt_body(run, body[b])->pose[j] * IMP_ROW_STRIDE,
                   relays->work + (size_t)row[more++] * IMP_ROW_STRIDE,
                   IMP_ROW_STRIDE * sizeof(double));
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n && of->n_told; i++)
        for (uint32_t k = 0; k < IMP_JOINT_ROWS; k++)
            if ((joint[i].flags & IMP_JOINTF_TELLS) && joint[i].block == block)
                memcpy(rows + (size_t)joint[i].rows[k] * IMP_ROW_STRIDE,
                       relays->work + (size_t)row[more++] * IMP_ROW_STRIDE,
                       IMP_ROW_STRIDE * sizeof(double));
}

int
relays_driven(struct rt *run, uint32_t block, const double *push, int from,
              int order)
{
    struct relays *relays = relays_of(run, block);
    assert(relays && relays->act);
    const double *rows[] = {push ? push : relays->none,
                            system_felt_by(run, block), relays->modes};
    const double *unknown;
    int st = relays_unknowns(run, block, &unknown);
    if (!st)
        st = rt_series_from(run, relays->of->tape, unknown, rows, relays->work,
                            from, order);
    return st;
}

int
relays_driven_resting(struct rt *run, uint32_t block, const double *push,
                      int order, const struct series_rest *rest)
{
    struct relays *relays = relays_of(run, block);
    assert(relays && relays->act && push && rest);
    const double *rows[] = {push, system_felt_by(run, block), relays->modes};
    const double *unknown;
    int st = relays_unknowns(run, block, &unknown);
    return st ? st
              : rt_series_resting(run, relays->of->tape, unknown, rows,
                                  relays->work, order, rest);
}

const uint32_t *
relays_driven_rows(const struct rt *run, uint32_t block, uint32_t *n_rows)
{
    assert(n_rows != NULL);
    const imp_block *of = block_of(run, block);
    const struct relays *relays = relays_of(run, block);
    bool act = relays && relays->act;
    *n_rows = rt_tape(run, act ? relays->of->tape : of->driven)->n_rows;
    return IMP_ARRAY(run->im, act ? relays->of->rows : of->driven_rows,
                     uint32_t);
}

int
relays_rates_made(struct rt *run, uint32_t block)
{
    const struct relays *relays = relays_of(run, block);
    const uint32_t *row = IMP_ARRAY(run->im, relays->of->rows, uint32_t);
    uint32_t n = relays->of->n, n_state = relays->of->n_state;
    int st = relays_driven(run, block, NULL, 0, 1);
    bool finite = st == IMP_NONFINITE;
    for (uint32_t k = 0; k < n_state + 2 * n && finite; k++)
        finite = (k >= n_state && k < n_state + n) || /* a share */
                 isfinite(relays->work[(size_t)row[k] * IMP_ROW_STRIDE +
                                       IMP_ROW_PAD + 1]);
    return finite ? IMP_OK : st;
}

int
relays_series(struct rt *run, uint32_t block, int order)
{
    int st = order == 1 ? relays_rates_made(run, block)
                        : relays_driven(run, block, NULL, 0, order);
    if (!st)
        st = relays_discs_series(run, block, order, relays_driven);
    relays_rows(run, block, run->rows.block[block]);
    return st;
}

void
relays_cut(const struct rt *run, uint32_t block, int from, int order)
{
    const struct relays *relays = relays_of(run, block);
    assert(from >= 2);
    if (!relays || !relays->act || (relays->beside && !relays->touches))
        return;
    const uint32_t *row = IMP_ARRAY(run->im, relays->of->rows, uint32_t);
    for (uint32_t i = 0; i < 2 * relays->of->n; i++) {
        if (disc_of(run, relays, i % relays->of->n) != IMP_NO_DISC)
            continue;
        double *c = relays->work +
                    (size_t)row[relays->of->n_state + i] * IMP_ROW_STRIDE +
                    IMP_ROW_PAD;
        c[1] = isfinite(c[1]) ? c[1] : 0.0;
        for (int k = from; k <= order; k++)
            c[k] = 0.0;
    }
}

void
relays_lay_aside(const struct rt *run, uint32_t block)
{
    struct relays *relays = relays_of(run, block);
    if (!relays)
        return;
    double *work = relays->work;
    relays->work = relays->aside;
    relays->aside = work;
    if (relays->system != IMP_NO_SYSTEM)
        system_relays_aside(run, relays->system);
}

void
relays_series_nonfinite(struct rt *run, uint32_t block, int order)
{
    const struct relays *relays = relays_of(run, block);
    const double *from[] = {relays->none, system_felt_by(run, block),
                            relays->modes};
    const double *unknown;
    if (!relays_unknowns(run, block, &unknown))
        rt_nonfinite_series(run, relays->of->tape, unknown, from, relays->work,
                            order);
}

void
relays_unslide(struct rt *run, uint32_t block)
{
    struct relays *relays = relays_of(run, block);
    if (!relays)
        return;
    const uint32_t *to =
        IMP_ARRAY(run->im, block_of(run, block)->rows, uint32_t);
    for (uint32_t i = 0; i < relays->of->n_state; i++)
        memset(run->rows.block[block] + (size_t)to[i] * IMP_ROW_STRIDE, 0,
               IMP_ROW_STRIDE * sizeof(double));
}

/* The relay of which this is a guard, or their number. */
static uint32_t
relay_of(const struct rt *run, const struct relays *relays, int guard)
{
    const uint32_t *number = IMP_ARRAY(run->im, relays->of->guards, uint32_t);
    uint32_t i = 0;
    while (i < 2 * relays->of->n && number[i] != (uint32_t)guard)
        i++;
    return i / 2;
}

bool
relays_has(const struct rt *run, uint32_t block, int guard)
{
    const struct relays *relays = relays_of(run, block);
    return relays && relay_of(run, relays, guard) < relays->of->n;
}

bool
relays_minds(const struct rt *run, uint32_t block, int guard)
{
    const struct relays *relays = relays_of(run, block);
    if (!relays || !relays->act)
        return false;
    uint32_t i = relay_of(run, relays, guard);
    return i < relays->of->n && (relays->held[i] || relays->leads[i] ||
                                 relays->bound[i] || relays->carried[i]);
}

/* A relay that is held gives way where its share comes to an end of its range.
 */
static void
gives_way(const struct rt *run, struct relays *relays, uint32_t i, int order,
          double *step)
{
    const double *share = row_of(run, relays, i);
    double room[IMP_ORDER_MAX + 1], slope[IMP_ORDER_MAX + 1];
    *step = relays_with_end(share, order, *step);
    if (!isfinite(*step))
        return;
    *step = polynomial_holds(share, order, *step);
    polynomial_derivative(share, order, slope);
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k <= order; k++)
            room[k] = (k == 0) - side * share[k];
        double end = polynomial_falls(room, order, *step, 1.0);
        if (end <= *step) {
            *step = end;
            relays_note_end(run, relays, end, i, side, 0);
            relays->pace = fabs(polynomial_value(slope, order - 1, end));
        }
    }
}

/* One that leads off comes back where u comes to 0 again. It may begin on the
 * other side, by what counts as 0. */
static void
comes_back(const struct rt *run, struct relays *relays, uint32_t i, int order,
           double *step)
{
    const double *u = row_of(run, relays, relays->of->n + i);
    double off[IMP_ORDER_MAX + 1];
    for (int k = 0; k <= order; k++)
        off[k] = relays->side[i] * u[k];
    if (off[0] >= -relays->noise[i])
        off[0] = fmax(off[0], 0.0);
    double span = fmin(*step, relays_root_bound(off, order)),
           end = polynomial_falls(off, order, span, relays->most[i]);
    if (end <= span) {
        *step = end;
        relays_note_end(run, relays, end, i, RELAY_HELD, (int)relays->side[i]);
    }
}

/* One whose u contacts and other relays hold at 0 keeps its share for as long
 * as they do: gradients of contacts turn along the motion, and then u goes on
 * to one side or the other. There the step ends, beyond the rounding of u, so
 * that its side is that of u from there on. */
static void
strays(const struct rt *run, struct relays *relays, uint32_t i, int order,
       double *step)
{
    const double *u = row_of(run, relays, relays->of->n + i);
    double noise = RELAY_STRAYS * relays->noise[i], room[IMP_ORDER_MAX + 1];
    if (!isfinite(*step) || !(noise > 0.0) || fabs(u[0]) > noise ||
        polynomial_size(u, order, *step) <= noise)
        return;
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k <= order; k++)
            room[k] = (k == 0) * noise - side * u[k];
        double end = polynomial_falls(room, order, *step, noise);
        if (end <= *step) {
            *step = end;
            relays_note_end(run, relays, end, i, side, 0);
        }
    }
}

bool
relays_end(struct rt *run, uint32_t block, int order, double *step)
{
    assert(step != NULL && block < run->im->blocks.n);
    struct relays *relays = relays_of(run, block);
    if (!relays || !relays->act)
        return true;
    for (uint32_t i = 0; i < relays->of->n; i++)
        if (disc_of(run, relays, i) != IMP_NO_DISC) {
            if (disc_of(run, relays, i) == i)
                relays_disc_end(run, relays, i, order, step);
        } else if (relays->held[i])
            gives_way(run, relays, i, order, step);
        else if (relays->leads[i])
            comes_back(run, relays, i, order, step);
        else if (relays->carried[i])
            strays(run, relays, i, order, step);
    return rt_time(run) + *step > rt_time(run);
}
