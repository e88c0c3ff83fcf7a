/* SPDX-License-Identifier: MIT */
/* The state of a system that Taylor series follow: it moves along the present
 * piece, and one instant of it is handed to the law of ballistic.h and taken
 * back. What comes next is the question of flow_taylor.c. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_taylor_priv.h"
#include "runtime/instance/compensated.h"

/* The state is the flow's own: env holds whatever time was last asked for.
 * Every evaluation begins here. */
void
taylor_to_env(struct flow *f)
{
    const struct series_way *w = f->series;
    f->r->env[f->r->im->layout.time] = w->now;
    memcpy(f->r->env + f->s->env_state, w->x, 2 * f->n * sizeof *w->x);
}

void
taylor_set_active(struct flow *f)
{
    for (uint32_t i = 0; i < f->m; i++)
        f->r->env[rt_contact(f->r, f->s->contact + i)->env_contact +
                  IMP_CONTACT_ACTIVE] = f->series->on[i];
}

void
series_advance(struct flow *f, double t)
{
    struct series_way *w = f->series;
    double s = t - w->now, *x = w->x, *lo = w->lo;
    for (uint32_t j = 0; j < 2 * f->n; j++) {
        const double *c = w->piece + j * ROW;
        double d = 0.0;
        for (int k = MOTION_STEP_ORDER; k >= 1; k--)
            d = (d + c[k]) * s;
        state_add(&x[j], &lo[j], d);
    }
    w->now = t;
    w->known = false;
}

/* positions and velocities of an instant back into the state */
void
series_take_back(struct flow *f)
{
    struct series_way *w = f->series;
    double *x = w->x, *lo = w->lo;
    ballistic_state(w->instant, f->q, f->v);
    for (uint32_t j = 0; j < f->n; j++) {
        if (f->q[j] != x[j]) {
            x[j] = f->q[j];
            lo[j] = 0.0;
        }
        x[f->n + j] = f->v[j];
        lo[f->n + j] = 0.0;
    }
    for (uint32_t i = 0; i < f->m; i++) {
        w->on[i] = w->instant->on[i];
        w->fresh[i] = w->instant->fresh[i];
    }
    taylor_set_active(f);
}

/* what opened at this very instant opens still */
void
series_refresh(struct series_way *w, const bool *fresh, uint32_t m)
{
    for (uint32_t i = 0; i < m; i++)
        w->fresh[i] |= fresh[i] && !w->on[i];
}

/* The present instant for ballistic.h: accelerations of free motion, and what
 * the gaps' accelerations have beyond N a. */
int
series_look(struct flow *f, const bool *on)
{
    struct series_way *w = f->series;
    struct rt *r = f->r;
    double h, g[ROW], *x = w->x;
    taylor_to_env(f);
    for (uint32_t i = 0; i < f->m; i++)
        r->env[rt_contact(r, f->s->contact + i)->env_contact +
               IMP_CONTACT_ACTIVE] = 0.0;
    int st = motion_series(r, f->s->block, 3, &h);
    if (st || (st = flow_instant(f)))
        return st;
    const imp_block *b =
        IMP_ARRAY(r->im, r->im->blocks, imp_block) + f->s->block;
    const uint32_t *row = IMP_ARRAY(r->im, b->rows, uint32_t);
    for (uint32_t j = 0; j < f->n; j++)
        f->acc[j] =
            r->work[f->s->block]
                   [(size_t)row[f->n + j] * IMP_ROW_STRIDE + IMP_ROW_PAD + 1];
    for (uint32_t i = 0; i < f->m; i++) {
        if ((st = system_gap_series(r, f->system, i, MOTION_STEP_ORDER, g)))
            return st;
        f->bias[i] = 2.0 * g[2];
        for (uint32_t j = 0; j < f->n; j++)
            f->bias[i] -= f->N[(size_t)i * f->n + j] * f->acc[j];
    }
    struct ballistic_model m = flow_model(f);
    if (!w->instant && ballistic_new(r->arena, &m, &w->instant))
        st = 1;
    else
        st = ballistic_instant(w->instant, &m, w->now, x, x + f->n, on);
    if (!st) {
        w->instant->policy = f->policy;
        return IMP_OK;
    }
    char t[NUM_TEXT];
    struct diag *d =
        diag_add(r->ds, DIAG_E0546, f->s->range_mass,
                 "the mass matrix of `%s` is not positive "
                 "definite at t = %s",
                 imp_text(r->im, f->s->name), num_digits(t, w->now, 9));
    diag_help(r->ds, d,
              "every motion of the coordinates must have kinetic energy; look "
              "at the signs of the terms and at the values of params");
    return IMP_FAILED;
}

void
series_forget(struct series_way *w)
{
    w->same = 0;
    w->run = 0;
    w->meet = w->found = -INFINITY;
}
