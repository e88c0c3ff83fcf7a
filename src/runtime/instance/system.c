/* SPDX-License-Identifier: MIT */
/* See system.h. The forces of sliding contacts are the unknowns of the modal
 * tape's implicit block: linear, so one solution at order 0 is exact up to
 * rounding, and a second one corrects it. */
#include "runtime/instance/system.h"

#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/tape/functions.h"

struct system_run {
    double *work;   /* rows of the modal tape */
    double *lambda; /* m */
    double *out;    /* residual m, Jacobian m x m */
    double *step;   /* m */
    int *piv;
    double *gap; /* gap, rate, gradient */
    bool slid;   /* the block's rows hold a series of the modal tape */
};

uint32_t
system_of_block(const struct rt *r, uint32_t block)
{
    for (uint32_t s = 0; s < r->im->systems.n; s++)
        if (rt_system(r, s)->block == block ||
            rt_system(r, s)->observer == block)
            return s;
    return IMP_NO_SYSTEM;
}

struct system_run *
system_new(struct rt *r)
{
    uint32_t n = r->im->systems.n;
    struct system_run *o = NEW_N(r->own, struct system_run, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const imp_system *s = rt_system(r, i);
        size_t m = s->n_contact;
        o[i].gap = NEW_N(r->own, double, s->n + 2);
        if (s->modal == IMP_NO_TAPE)
            continue;
        const imp_tape *t = IMP_ARRAY(r->im, r->im->tapes, imp_tape) + s->modal;
        o[i].work = NEW_N(r->own, double, (t->n_rows + 1) * IMP_ROW_STRIDE);
        o[i].lambda = NEW_N(r->own, double, m + 1);
        o[i].step = NEW_N(r->own, double, m + 1);
        o[i].out = NEW_N(r->own, double, m *(m + 1) + 1);
        o[i].piv = NEW_N(r->own, int, m + 1);
    }
    return o;
}

static double *
active(const struct rt *r, uint32_t contact)
{
    return r->env + rt_contact(r, contact)->env_contact + IMP_CONTACT_ACTIVE;
}

bool
system_slides(const struct rt *r, uint32_t system)
{
    const imp_system *s = rt_system(r, system);
    for (uint32_t i = 0; i < s->n_contact; i++)
        if (*active(r, s->contact + i) != 0.0)
            return true;
    return false;
}

static int
solve(struct rt *r, const imp_system *s, struct system_run *o)
{
    int m = (int)s->n_contact;
    double *J = o->out + m;
    memset(o->lambda, 0, (size_t)m * sizeof *o->lambda);
    for (int round = 0; round < 2; round++) {
        int st = rt_eval(r, s->solve, o->lambda, o->out);
        if (st == IMP_NONFINITE) {
            rt_nonfinite(r, s->solve, o->lambda);
            return IMP_FAILED;
        }
        if (st || imp_ldlt_factor(m, J, o->piv))
            return st ? st : IMP_NONFINITE;
        for (int i = 0; i < m; i++)
            o->step[i] = -o->out[i];
        imp_ldlt_solve(m, J, o->piv, o->step);
        for (int i = 0; i < m; i++)
            o->lambda[i] += o->step[i];
    }
    return IMP_OK;
}

int
system_series(struct rt *r, uint32_t system, int order)
{
    const imp_system *s = rt_system(r, system);
    struct system_run *o = r->system + system;
    const imp_block *b = IMP_ARRAY(r->im, r->im->blocks, imp_block) + s->block;
    const uint32_t *from = IMP_ARRAY(r->im, s->rows, uint32_t);
    const uint32_t *to = IMP_ARRAY(r->im, b->rows, uint32_t);
    int st = solve(r, s, o);
    if (st)
        return st;
    st = rt_series(r, s->modal, o->lambda, NULL, o->work, order);
    if (st == IMP_NONFINITE) {
        rt_nonfinite_series(r, s->modal, o->lambda, o->work, order);
        return IMP_FAILED;
    }
    o->slid = true;
    for (uint32_t i = 0; i < 2 * s->n && st == IMP_OK; i++)
        memcpy(r->work[s->block] + (size_t)to[i] * IMP_ROW_STRIDE,
               o->work + (size_t)from[i] * IMP_ROW_STRIDE,
               IMP_ROW_STRIDE * sizeof(double));
    return st;
}

void
system_unslide(struct rt *r, uint32_t system)
{
    const imp_system *s = rt_system(r, system);
    const imp_block *b = IMP_ARRAY(r->im, r->im->blocks, imp_block) + s->block;
    const uint32_t *to = IMP_ARRAY(r->im, b->rows, uint32_t);
    struct system_run *o = r->system + system;
    for (uint32_t i = 0; i < 2 * s->n && o->slid; i++)
        memset(r->work[s->block] + (size_t)to[i] * IMP_ROW_STRIDE, 0,
               IMP_ROW_STRIDE * sizeof(double));
    o->slid = false;
}

int
system_observed(struct rt *r, uint32_t system, int order)
{
    const imp_system *s = rt_system(r, system);
    struct system_run *o = r->system + system;
    uint32_t tape =
        IMP_ARRAY(r->im, r->im->blocks, imp_block)[s->observer].motion;
    int st = IMP_OK;
    if (system_slides(r, system))
        st = solve(r, s, o);
    else if (s->modal != IMP_NO_TAPE)
        memset(o->lambda, 0, s->n_contact * sizeof *o->lambda);
    if (st)
        return st;
    st = rt_series(r, tape, o->lambda, NULL, r->work[s->observer], order);
    if (st != IMP_NONFINITE)
        return st;
    if (rt_eval(r, tape, o->lambda, r->scratch) == IMP_NONFINITE) {
        rt_nonfinite(r, tape, o->lambda);
        return IMP_FAILED;
    }
    char t[NUM_TEXT];
    struct diag *d =
        diag_add(r->ds, DIAG_E0602, s->range_observer,
                 "a time derivative of the observer of `%s` is "
                 "not finite at t = %s",
                 imp_text(r->im, s->name), num_digits(t, rt_time(r), 6));
    diag_help(r->ds, d,
              "the motion meets a point where a formula is not smooth, such "
              "as a root of zero; keep it away from there");
    return IMP_FAILED;
}

const double *
system_force(const struct rt *r, uint32_t system, uint32_t i)
{
    const imp_system *s = rt_system(r, system);
    const uint32_t *row = IMP_ARRAY(r->im, s->rows, uint32_t);
    return r->system[system].work + (size_t)row[2 * s->n + i] * IMP_ROW_STRIDE +
           IMP_ROW_PAD;
}

static int
told(struct rt *r, int st, uint32_t tape)
{
    if (st != IMP_NONFINITE)
        return st;
    rt_nonfinite(r, tape, NULL);
    return IMP_FAILED;
}

int
system_mass(struct rt *r, uint32_t system, double *mass)
{
    uint32_t tape = rt_system(r, system)->mass;
    return told(r, rt_eval(r, tape, NULL, mass), tape);
}

int
system_gap(struct rt *r, uint32_t system, uint32_t i, double *gap, double *rate,
           double *gradient)
{
    const imp_system *s = rt_system(r, system);
    uint32_t tape = rt_contact(r, s->contact + i)->gradient;
    double *out = r->system[system].gap;
    int st = told(r, rt_eval(r, tape, NULL, out), tape);
    if (st)
        return st;
    *gap = out[0];
    *rate = out[1];
    if (gradient)
        memcpy(gradient, out + 2, s->n * sizeof *gradient);
    return IMP_OK;
}

int
system_gap_series(struct rt *r, uint32_t system, uint32_t i, int order,
                  double *g)
{
    const imp_system *s = rt_system(r, system);
    uint32_t c = s->contact + i, tape = rt_contact(r, c)->event;
    const double *rows[1] = {r->work[s->block]};
    int st =
        told(r, rt_series(r, tape, NULL, rows, r->event_work[c], order), tape);
    if (st)
        return st;
    const imp_tape *t = IMP_ARRAY(r->im, r->im->tapes, imp_tape) + tape;
    const imp_instr *code = IMP_ARRAY(r->im, t->code, imp_instr);
    uint32_t row = code[IMP_ARRAY(r->im, t->outs, uint32_t)[0]].row;
    memcpy(g, r->event_work[c] + (size_t)row * IMP_ROW_STRIDE + IMP_ROW_PAD,
           (size_t)(order + 1) * sizeof *g);
    return IMP_OK;
}
