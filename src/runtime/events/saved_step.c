/* SPDX-License-Identifier: MIT */
/* What is restored when a step of the search is taken back: the state of all
 * bodies, or of the two of a pair that is searched alone, and what is known of
 * the closest points (of a part: of those of its contacts). */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/events/event_priv.h"
#include "runtime/instance/saved_state.h"
#include "runtime/trace/trace.h"

static size_t
state_size(const struct rt *run)
{
    return run->im->layout.contact - run->im->layout.state;
}

void
saved_step_new(struct rt *run, struct saved_step *saved)
{
    assert(run != NULL && saved != NULL);
    saved->state = NEW_N(run->arena, double, state_size(run) + 1);
    saved->lo = NEW_N(run->arena, double, state_size(run) + 1);
    saved->u = NEW_N(run->arena, double, 8 * (size_t)rt_contact_room(run) + 1);
    size_t work = saved_work_size(run, rt_contact_room(run));
    saved->work = NEW_N(run->arena, double, work + 1);
    saved->warm = NEW_N(run->arena, unsigned char, rt_contact_room(run) + 1);
}

static void
copy_body(const struct rt *run, uint32_t which, struct saved_step *saved,
          bool back)
{
    size_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    uint32_t at = rt_body(run, which)->env_state - run->im->layout.state;
    double *state = run->env + run->im->layout.state + at,
           *lo = run->state_lo + at;
    memcpy(back ? state : saved->state + at, back ? saved->state + at : state,
           n * sizeof *state);
    memcpy(back ? lo : saved->lo + at, back ? saved->lo + at : lo,
           n * sizeof *lo);
}

/* Copies the state of two bodies, and of what moves with them, and what is known
 * of their contact. */
static void
copy_pair(const struct rt *run, uint32_t c, struct saved_step *saved, bool back)
{
    const uint32_t *body = rt_contact(run, c)->body;
    for (int i = 0; i < 2; i++) {
        uint32_t number = rt_body(run, body[i])->block;
        if (number == IMP_NO_BLOCK)
            continue;
        const imp_block *block =
            IMP_ARRAY(run->im, run->im->blocks, imp_block) + number;
        const uint32_t *with = IMP_ARRAY(run->im, block->bodies, uint32_t);
        for (uint32_t k = 0; k < block->bodies.n; k++)
            copy_body(run, with[k], saved, back);
    }
    double *u = run->closest.unknowns + 8 * (size_t)c,
           *kept = saved->u + 8 * (size_t)c;
    memcpy(back ? u : kept, back ? kept : u, 8 * sizeof *u);
    if (back)
        run->closest.warm[c] = saved->warm[c];
    else
        saved->warm[c] = run->closest.warm[c];
}

/* Copies what is known of the contacts of a part. */
static void
copy_known(struct rt *run, const struct event_state *ev,
           struct saved_step *saved, bool back)
{
    for (uint32_t i = 0; i < ev->n; i++) {
        uint32_t c = ev->contact[i];
        double *u = run->closest.unknowns + 8 * (size_t)c,
               *kept = saved->u + 8 * (size_t)c;
        memcpy(back ? u : kept, back ? kept : u, 8 * sizeof *u);
        if (back)
            run->closest.warm[c] = saved->warm[c];
        else
            saved->warm[c] = run->closest.warm[c];
        double *work =
            run->env + rt_contact(run, c)->env_contact + IMP_CONTACT_WORK;
        *(back ? work : saved->work + c) = back ? saved->work[c] : *work;
    }
}

void
saved_step_take(struct rt *run, const struct event_state *ev,
                struct saved_step *saved)
{
    assert(run != NULL && ev != NULL && saved != NULL);
    size_t n = state_size(run), c = run->im->contacts.n;
    saved->time = rt_time(run);
    if (ev->body) {
        copy_pair(run, *ev->contact, saved, false);
        return;
    }
    saved->trace = run->trace ? trace_mark(run->trace) : 0;
    memcpy(saved->state, run->env + run->im->layout.state, sizeof(double) * n);
    memcpy(saved->lo, run->state_lo, sizeof(double) * n);
    if (ev->part) {
        copy_known(run, ev, saved, false);
        return;
    }
    memcpy(saved->u, run->closest.unknowns, sizeof(double) * 8 * c);
    memcpy(saved->warm, run->closest.warm, c);
    saved_work_take(run, saved->work);
}

void
saved_step_restore(struct rt *run, const struct event_state *ev,
                   struct saved_step *saved)
{
    assert(run != NULL && ev != NULL && saved != NULL);
    size_t n = state_size(run), c = run->im->contacts.n;
    run->env[run->im->layout.time] = saved->time;
    if (ev->body) {
        copy_pair(run, *ev->contact, saved, true);
        return;
    }
    memcpy(run->env + run->im->layout.state, saved->state, sizeof(double) * n);
    memcpy(run->state_lo, saved->lo, sizeof(double) * n);
    if (ev->part) {
        copy_known(run, ev, saved, true);
        return;
    }
    memcpy(run->closest.unknowns, saved->u, sizeof(double) * 8 * c);
    memcpy(run->closest.warm, saved->warm, c);
    saved_work_restore(run, saved->work);
    if (run->trace)
        trace_cut(run->trace, saved->trace);
}

void
saved_pair_take(const struct rt *run, uint32_t contact,
                struct saved_pair *saved)
{
    assert(run != NULL && saved != NULL && contact < run->im->contacts.n);
    size_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    const uint32_t *body = rt_contact(run, contact)->body;
    saved->time = rt_time(run);
    for (int i = 0; i < 2; i++) {
        uint32_t at = rt_body(run, body[i])->env_state;
        memcpy(saved->state[i], run->env + at, n * sizeof(double));
        memcpy(saved->lo[i], run->state_lo + (at - run->im->layout.state),
               n * sizeof(double));
    }
    memcpy(saved->u, run->closest.unknowns + 8 * (size_t)contact,
           sizeof saved->u);
    saved->warm = run->closest.warm[contact];
}

void
saved_pair_state(struct rt *run, uint32_t contact,
                 const struct saved_pair *saved)
{
    assert(run != NULL && saved != NULL && contact < run->im->contacts.n);
    size_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    const uint32_t *body = rt_contact(run, contact)->body;
    run->env[run->im->layout.time] = saved->time;
    for (int i = 0; i < 2; i++) {
        uint32_t at = rt_body(run, body[i])->env_state;
        memcpy(run->env + at, saved->state[i], n * sizeof(double));
        memcpy(run->state_lo + (at - run->im->layout.state), saved->lo[i],
               n * sizeof(double));
    }
}

void
saved_pair_known(struct rt *run, uint32_t contact,
                 const struct saved_pair *saved)
{
    assert(run != NULL && saved != NULL && contact < run->im->contacts.n);
    memcpy(run->closest.unknowns + 8 * (size_t)contact, saved->u,
           sizeof saved->u);
    run->closest.warm[contact] = saved->warm;
}
