/* SPDX-License-Identifier: MIT */
/* A run begins here: its memory, the parts of it that other rooms own, the
 * first start, and every further start of the same model. run.h says what a run
 * is.
 *
 * Invariant: run->start.state holds the state at time 0 after set-up. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/derivatives/series_along.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/instance/contact_table.h"
#include "runtime/instance/system.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/motion/switching.h"
#include "runtime/relays/relays.h"
#include "runtime/rotors/rotors.h"
#include "runtime/rubbing/rubbing.h"
#include "runtime/setup/restart.h"
#include "runtime/setup/setup_priv.h"

static double *
work_for(struct rt *run, uint32_t tape)
{
    size_t rows = tape == IMP_NO_TAPE ? 0 : rt_tape(run, tape)->n_rows;
    return NEW_N(run->own, double, (rows + 1) * IMP_ROW_STRIDE);
}

static struct rt *
rt_make(struct arena *arena, const imp_image *im, const imp_code *code,
        struct rt_tier *tier, struct diags *ds, atomic_int *stop)
{
    assert(im->layout.contact >= im->layout.state);
    struct rt *run = NEW(arena, struct rt);
    run->im = run->model = im;
    run->own = arena;
    contact_table_new(run);
    im = run->im;
    uint32_t contacts = rt_contact_room(run);
    run->code = code;
    run->tier = tier;
    run->ds = ds;
    run->stop = stop;
    run->world.tolerance = RT_TOLERANCE;
    run->env = NEW_N(arena, double, rt_env_size(run) + 1);
    run->rows.block = NEW_N(arena, double *, im->blocks.n + 1);
    for (uint32_t b = 0; b < im->blocks.n; b++)
        run->rows.block[b] =
            work_for(run, IMP_ARRAY(im, im->blocks, imp_block)[b].motion);
    run->rows.contact = NEW_N(arena, double *, contacts + 1);
    for (uint32_t c = 0; c < im->contacts.n; c++)
        if (rt_contact(run, c)->system != IMP_NO_SYSTEM)
            run->rows.contact[c] = work_for(run, rt_gap_tape(run, c));
    run->rows.opening = NEW_N(arena, double *, contacts + 1);
    run->motion = motion_plan_new(run);
    run->system = system_new(run);
    run->switching = switching_new(run);
    run->relays = relays_new(run);
    run->joints = joints_new(run);
    run->series_along = series_along_new(run);
    run->closest.unknowns = NEW_N(arena, double, 8 * (size_t)contacts + 1);
    run->closest.warm = NEW_N(arena, unsigned char, contacts + 1);
    run->polytope = NEW_N(arena, struct polytope *, im->bodies.n + 1);
    run->state_lo = NEW_N(arena, double, rt_state_size(run) + 1);
    run->start.state = NEW_N(arena, double, rt_state_size(run) + 1);
    return run;
}

struct rt *
rt_new(const imp_image *im, const imp_code *code, const double *params,
       struct diags *ds, atomic_int *stop)
{
    assert(im != NULL && ds != NULL);
    return rt_new_tier(im, code, NULL, NULL, params, ds, stop);
}

struct rt *
rt_new_tier(const imp_image *im, const imp_code *code, struct rt_tier *tier,
            const struct rt_given *given, const double *params,
            struct diags *ds, atomic_int *stop)
{
    assert(im != NULL && ds != NULL);
    struct arena *const arena = arena_new();
    struct arena *volatile run = NULL, *volatile brief = NULL;
    struct oom_guard guard;
    /* nobody knows the arenas yet: free them on the way out */
    if (setjmp(guard.env)) {
        oom_leave(&guard);
        arena_free(run);
        arena_free(brief);
        arena_free(arena);
        oom_raise();
    }
    oom_enter(&guard);
    struct rt *r = rt_make(arena, im, code, tier, ds, stop);
    r->given = given;
    r->arena = run = arena_new();
    r->brief = brief = arena_new();
    int st = rt_restart(r, params);
    oom_leave(&guard);
    if (st == IMP_OK)
        return r;
    rt_free(r);
    return NULL;
}

/* Forgets what the run has found out during its motion. */
static void
forget(struct rt *run)
{
    memset(run->state_lo, 0, sizeof(double) * rt_state_size(run));
    memset(run->closest.warm, 0, run->im->contacts.n);
    polytope_contact_forget(run);
    polytope_corners_choose(run, run->im->corners);
    joints_reset(run);
    relays_reset(run);
    switching_reset(run);
    rotors_reset(run);
    rubbing_reset(run);
}

int
rt_restart(struct rt *run, const double *params)
{
    assert(run->arena != NULL && run->brief != NULL);
    arena_clear(run->arena);
    arena_clear(run->brief);
    contact_table_reset(run);
    run->event = NULL; /* Its memory lay in the arena. */
    persistent_release(run, NULL);
    switching_reset(run);
    if (restart_laws(run, params)) {
        forget(run);
        return IMP_OK;
    }
    int st = rt_setup(run, params);
    if (st != IMP_OK)
        return st;
    memcpy(run->start.state, run->env + run->im->layout.state,
           sizeof(double) * rt_state_size(run));
    rt_reset(run);
    /* a run that starts only once needs nothing of its set-up again */
    if (run->start.version++)
        restart_note(run);
    return IMP_OK;
}

/* No contact is closed, and friction has done nothing, until the run says so:
 * what the run before has left would push bodies and systems at their start,
 * and stand in a row before the first event. */
static void
open_contacts(struct rt *run)
{
    for (uint32_t i = 0; i < run->im->contacts.n; i++) {
        double *env = run->env + rt_contact(run, i)->env_contact;
        env[IMP_CONTACT_ACTIVE] = env[IMP_CONTACT_STICK] =
            env[IMP_CONTACT_SIGN] = env[IMP_CONTACT_SOFT] =
                env[IMP_CONTACT_BESIDE] = env[IMP_CONTACT_WORK] = 0.0;
        for (int k = 0; k < 2; k++)
            env[IMP_CONTACT_PUSHED + k] = env[IMP_CONTACT_IMPULSE + k] = 0.0;
    }
}

void
rt_reset(struct rt *run)
{
    assert(run->start.state != NULL);
    run->law_status = IMP_OK;
    run->compliant = false;
    run->low_impact = false;
    run->event = NULL; /* what contacts did, and when */
    const imp_layout *layout = &run->im->layout;
    run->env[layout->time] = 0.0;
    memcpy(run->env + layout->state, run->start.state,
           sizeof(double) * rt_state_size(run));
    forget(run);
    open_contacts(run);
    persistent_release(run, NULL);
    contact_table_reset(run);
}
