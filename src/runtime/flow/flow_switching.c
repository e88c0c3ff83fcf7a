/* SPDX-License-Identifier: MIT */
/* Where a formula of the motion changes its branch (switching.h) in systems
 * that Taylor series follow. Forces that jump are answered by the next series.
 * A gap whose rate jumps, as over a table that is stopped at once, opens, or
 * closes with an impact; one that jumps itself opens, or lies below the ground,
 * from where no motion follows. */
#include <float.h>
#include <math.h>

#include "base/num.h"
#include "runtime/flow/flow_taylor_priv.h"

/* roundings of the terms of gap and rate within which they have not jumped; the
 * change is passed by some of them */
#define SWITCH_NOISE 256.0

static int
below(struct flow *f, uint32_t i)
{
    const imp_contact *c = rt_contact(f->r, f->s->contact + i);
    char t[NUM_TEXT], g[NUM_TEXT];
    struct diag *d = diag_add(
        f->r->ds, DIAG_E0737, c->range_at,
        "the gap of `%s` jumps below zero at t = %s, to %s",
        imp_text(f->r->im, c->name), num_digits(t, f->series->ahead, 9),
        num_digits(g, f->gap[i], 6));
    diag_help(f->r->ds, d,
              "nothing says how the system gets out of the ground: let the gap "
              "change at a finite rate");
    return IMP_FAILED;
}

/* Sizes of the terms of gap and rate of contact i (flow_instant before), and
 * what they have been: both may vanish where a branch ends, as the speed of a
 * table does where it turns. */
static void
sizes(const struct flow *f, uint32_t i, double *gap, double *rate)
{
    const struct series_way *w = f->series;
    *gap = fabs(f->c[i]) + w->far[i];
    *rate = fabs(f->drift[i]) + w->quick[i];
    for (uint32_t j = 0; j < f->n; j++) {
        *gap += fabs(f->N[(size_t)i * f->n + j] * f->q[j]);
        *rate += fabs(f->N[(size_t)i * f->n + j] * f->v[j]);
    }
}

int
series_switch_ahead(struct flow *f)
{
    struct series_way *w = f->series;
    double *env = f->r->env, *time = env + f->r->im->layout.time, now = *time;
    const double eps = SWITCH_NOISE * DBL_EPSILON;
    w->known = true;
    f->way->at(f, w->ahead);
    w->known = false;
    *time = w->ahead;
    for (uint32_t j = 0; j < f->n; j++) {
        env[f->s->env_state + j] = f->q[j];
        env[f->s->env_state + f->n + j] = f->v[j];
    }
    int st = flow_instant(f);
    for (uint32_t i = 0; i < f->m && !st; i++) {
        double gap, rate;
        sizes(f, i, &gap, &rate);
        if (f->gap[i] < -eps * gap)
            st = below(f, i);
        else if (w->on[i] && w->what == NOTHING &&
                 (f->gap[i] > eps * gap || f->rate[i] > eps * rate)) {
            w->what = OPENS;
            w->hit[0] = (int)i;
            w->n_hit = 1;
        }
    }
    *time = now;
    return st;
}

int
series_switched(struct flow *f, struct flow_event *e)
{
    struct series_way *w = f->series;
    const double eps = SWITCH_NOISE * DBL_EPSILON;
    int which = w->guard;
    w->guard = -1;
    /* a limit that was foreseen before a change which no flight had yet */
    if (!w->was_over[which])
        w->guess = w->estimate = w->meet = w->found = -INFINITY;
    w->over[which] = true;
    int st = series_look(f, w->on);
    if (st)
        return st;
    f->n_contacts = 0;
    for (uint32_t i = 0; i < f->m; i++) {
        double gap, rate;
        flow_read_state(f);
        sizes(f, i, &gap, &rate);
        bool opens = f->gap[i] > eps * gap || f->rate[i] > eps * rate;
        if (!w->on[i] || (!opens && f->rate[i] >= -eps * rate))
            continue;
        /* it opens, or is hit by what comes */
        w->on[i] = false;
        w->fresh[i] = f->gap[i] <= eps * gap && opens;
        if (!opens || f->n_contacts)
            continue;
        f->contacts[f->n_contacts] = f->s->contact + i;
        f->impulse[f->n_contacts++] = 0.0;
        e->kind = FLOW_LEAVE;
        e->contact = f->s->contact + i;
        e->n = 1;
    }
    return IMP_OK;
}
