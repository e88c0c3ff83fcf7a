/* SPDX-License-Identifier: MIT */
/* A run begins here: its memory, the parts of it that other rooms own, the
 * first start, and every further start of the same model. run.h says what a run
 * is.
 *
 * Invariant: run->state0 holds the state at time 0 after set-up. */
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/instance/system.h"
#include "runtime/motion/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/motion/series_along.h"
#include "runtime/motion/switching.h"
#include "runtime/setup/restart.h"
#include "runtime/setup/setup_priv.h"

static double *
work_for(struct rt *r, uint32_t tape)
{
    size_t rows = tape == IMP_NO_TAPE ? 0 : rt_tape(r, tape)->n_rows;
    return NEW_N(r->own, double, (rows + 1) * IMP_ROW_STRIDE);
}

static struct rt *
rt_make(struct arena *a, const imp_image *im, const imp_code *code,
        struct rt_tier *tier, struct diags *ds, atomic_int *stop)
{
    struct rt *r = NEW(a, struct rt);
    r->im = im;
    r->code = code;
    r->tier = tier;
    r->own = a;
    r->ds = ds;
    r->stop = stop;
    r->tolerance = RT_TOLERANCE;
    r->env = NEW_N(a, double, im->layout.n_env + 1);
    r->work = NEW_N(a, double *, im->blocks.n + 1);
    for (uint32_t b = 0; b < im->blocks.n; b++)
        r->work[b] =
            work_for(r, IMP_ARRAY(im, im->blocks, imp_block)[b].motion);
    r->event_work = NEW_N(a, double *, im->contacts.n + 1);
    for (uint32_t c = 0; c < im->contacts.n; c++)
        r->event_work[c] = work_for(r, rt_gap_tape(r, c));
    r->opening_work = NEW_N(a, double *, im->contacts.n + 1);
    r->motion = motion_plan_new(r);
    r->system = system_new(r);
    r->switching = switching_new(r);
    r->joints = joints_new(r);
    r->series_along = series_along_new(r);
    r->contact_u = NEW_N(a, double, 8 * (size_t)im->contacts.n + 1);
    r->contact_warm = NEW_N(a, unsigned char, im->contacts.n + 1);
    r->polytope = NEW_N(a, struct polytope *, im->bodies.n + 1);
    size_t widest = 1;
    for (uint32_t t = 0; t < im->tapes.n; t++)
        if (rt_tape(r, t)->outs.n > widest)
            widest = rt_tape(r, t)->outs.n;
    r->scratch = NEW_N(a, double, widest);
    r->state_lo = NEW_N(a, double, rt_state_size(r) + 1);
    r->state0 = NEW_N(a, double, rt_state_size(r) + 1);
    return r;
}

struct rt *
rt_new(const imp_image *im, const imp_code *code, const double *params,
       struct diags *ds, atomic_int *stop)
{
    return rt_new_tier(im, code, NULL, params, ds, stop);
}

struct rt *
rt_new_tier(const imp_image *im, const imp_code *code, struct rt_tier *tier,
            const double *params, struct diags *ds, atomic_int *stop)
{
    struct arena *const a = arena_new();
    struct arena *volatile run = NULL, *volatile brief = NULL;
    struct oom_guard g;
    /* nobody knows the arenas yet: free them on the way out */
    if (setjmp(g.env)) {
        oom_leave(&g);
        arena_free(run);
        arena_free(brief);
        arena_free(a);
        oom_raise();
    }
    oom_enter(&g);
    struct rt *r = rt_make(a, im, code, tier, ds, stop);
    r->arena = run = arena_new();
    r->brief = brief = arena_new();
    int st = rt_restart(r, params);
    oom_leave(&g);
    if (st == IMP_OK)
        return r;
    rt_free(r);
    return NULL;
}

/* what the run has come to know on its way */
static void
forget(struct rt *r)
{
    memset(r->state_lo, 0, sizeof(double) * rt_state_size(r));
    memset(r->contact_warm, 0, r->im->contacts.n);
    polytope_contact_forget(r);
    joints_reset(r);
}

int
rt_restart(struct rt *r, const double *params)
{
    arena_clear(r->arena);
    arena_clear(r->brief);
    r->event = NULL; /* it lay there */
    if (r->persistent)
        persistent_release(r, NULL);
    switching_reset(r);
    if (restart_laws(r, params)) {
        forget(r);
        return IMP_OK;
    }
    int st = rt_setup(r, params);
    if (st != IMP_OK)
        return st;
    memcpy(r->state0, r->env + r->im->layout.state,
           sizeof(double) * rt_state_size(r));
    rt_reset(r);
    /* a run that is started once only has nothing to keep it for */
    if (r->setup_version++)
        restart_note(r);
    return IMP_OK;
}

void
rt_reset(struct rt *r)
{
    const imp_layout *l = &r->im->layout;
    r->env[l->time] = 0.0;
    memcpy(r->env + l->state, r->state0, sizeof(double) * rt_state_size(r));
    forget(r);
    persistent_release(r, NULL);
}
