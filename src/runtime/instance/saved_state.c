/* SPDX-License-Identifier: MIT */
/* Saving and restoring what motion changes: the time, the state of all bodies
 * with its compensation, the warm starts of the closest points, so that a
 * search after the restoration takes the same steps to the last bit (I7), the
 * work of friction and what contacts remember, and the normals of rounded
 * corners. */
#include "runtime/instance/saved_state.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/trace/trace.h"

/* of a contact: what adds up along the motion */
static const uint32_t summed[] = {IMP_CONTACT_WORK, IMP_CONTACT_PUSHED,
                                  IMP_CONTACT_COMPRESSED};
#define SUMMED (sizeof summed / sizeof *summed)
/* unknowns of closest points per contact */
#define WARM_START 8

void
saved_work_take(const struct rt *run, double *work)
{
    assert(run != NULL && work != NULL);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        for (size_t k = 0; k < SUMMED; k++)
            *work++ = run->env[rt_contact(run, i)->env_contact + summed[k]];
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        *work++ = run->env[joint[i].env_joint + IMP_JOINT_WORK];
}

static void
restore_work(struct rt *run, uint32_t n_contact, const double *work)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < n_contact; i++)
        for (size_t k = 0; k < SUMMED; k++)
            run->env[rt_contact(run, i)->env_contact + summed[k]] = *work++;
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        run->env[joint[i].env_joint + IMP_JOINT_WORK] = *work++;
}

void
saved_work_restore(struct rt *run, const double *work)
{
    assert(run != NULL && work != NULL);
    restore_work(run, run->im->contacts.n, work);
}

size_t
saved_work_size(const struct rt *run, uint32_t n_contact)
{
    assert(run != NULL);
    return SUMMED * n_contact + run->im->joints.n;
}

/* -- normals of rounded corners -- */

enum { CORNER_ENTRIES = 7 };

/* per contact */
static size_t
corner_entries(const struct rt *run)
{
    return run->closest.corner ? CORNER_ENTRIES : 0;
}

static void
corners_take(const struct rt *run, double *next)
{
    for (size_t i = 0; corner_entries(run) && i < run->im->contacts.n; i++) {
        const struct rounded_normal *corner = &run->closest.corner[i];
        *next++ = corner->known;
        for (int k = 0; k < 2; k++) {
            *next++ = corner->body[k];
            *next++ = corner->vertex[k];
        }
        *next++ = corner->angle;
        *next++ = corner->time;
    }
}

static void
corners_restore(struct rt *run, size_t n, const double *v)
{
    for (size_t i = 0; corner_entries(run) && i < n; i++, v += CORNER_ENTRIES)
        run->closest.corner[i] =
            (struct rounded_normal){.known = v[0] != 0.0,
                                    .body = {(uint32_t)v[1], (uint32_t)v[3]},
                                    .vertex = {(uint32_t)v[2], (uint32_t)v[4]},
                                    .angle = v[5],
                                    .time = v[6]};
}

size_t
saved_state_size(const struct rt *run)
{
    assert(run != NULL);
    const imp_layout *layout = &run->im->layout;
    return 1 + 2 * (size_t)(layout->contact - layout->state) +
           (WARM_START + 1 + corner_entries(run)) *
               (size_t)run->im->contacts.n +
           saved_work_size(run, run->im->contacts.n);
}

static struct saved_state
take(struct rt *run, struct arena *arena)
{
    assert(run != NULL);
    const imp_layout *layout = &run->im->layout;
    size_t n_state = layout->contact - layout->state;
    size_t n_contact = run->im->contacts.n;
    struct saved_state saved = {NULL, saved_state_size(run),
                                run->trace ? trace_mark(run->trace) : 0};
    double *next = saved.v = NEW_N(arena, double, saved.n);
    *next++ = run->env[layout->time];
    memcpy(next, run->env + layout->state, n_state * sizeof *next);
    memcpy(next + n_state, run->state_lo, n_state * sizeof *next);
    next += 2 * n_state;
    memcpy(next, run->closest.unknowns, WARM_START * n_contact * sizeof *next);
    next += WARM_START * n_contact;
    for (size_t i = 0; i < n_contact; i++)
        next[i] = run->closest.warm[i];
    next += n_contact;
    saved_work_take(run, next);
    next += saved_work_size(run, run->im->contacts.n);
    corners_take(run, next);
    assert(next + corner_entries(run) * n_contact == saved.v + saved.n);
    return saved;
}

struct saved_state
saved_state_take(struct rt *run)
{
    return take(run, run->brief);
}

struct saved_state
saved_state_keep(struct rt *run)
{
    return take(run, run->arena);
}

void
saved_state_restore(struct rt *run, const struct saved_state *saved)
{
    assert(run != NULL && saved != NULL && saved->v != NULL);
    const imp_layout *layout = &run->im->layout;
    size_t n_state = layout->contact - layout->state;
    const double *v = saved->v;
    /* contacts that were made since then are not in it */
    size_t each = WARM_START + 1 + SUMMED + corner_entries(run);
    size_t n_contact = (saved->n - 1 - 2 * n_state - run->im->joints.n) / each;
    assert(n_contact <= run->im->contacts.n);
    assert(saved->n == 1 + 2 * n_state + each * n_contact + run->im->joints.n);
    run->env[layout->time] = *v++;
    memcpy(run->env + layout->state, v, n_state * sizeof *v);
    memcpy(run->state_lo, v + n_state, n_state * sizeof *v);
    v += 2 * n_state;
    memcpy(run->closest.unknowns, v, WARM_START * n_contact * sizeof *v);
    v += WARM_START * n_contact;
    for (size_t i = 0; i < n_contact; i++)
        run->closest.warm[i] = v[i] != 0.0;
    restore_work(run, (uint32_t)n_contact, v + n_contact);
    corners_restore(run, n_contact,
                    v + (1 + SUMMED) * n_contact + run->im->joints.n);
    if (run->trace)
        trace_cut(run->trace, saved->trace);
}

struct saved_start
saved_start_take(const struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    struct saved_start saved = {.contact = contact,
                                .warm = run->closest.warm[contact]};
    memcpy(saved.unknowns, run->closest.unknowns + WARM_START * (size_t)contact,
           sizeof saved.unknowns);
    return saved;
}

void
saved_start_restore(struct rt *run, const struct saved_start *saved)
{
    assert(run != NULL && saved != NULL);
    memcpy(run->closest.unknowns + WARM_START * (size_t)saved->contact,
           saved->unknowns, sizeof saved->unknowns);
    run->closest.warm[saved->contact] = saved->warm;
}

/* -- states on the way -- */

void
looks_begin(struct rt *run, struct motion_looks *looks, const double *time,
            size_t n)
{
    assert(run != NULL && looks != NULL && (time != NULL || n == 0));
    *looks = (struct motion_looks){.time = time, .n = n};
    run->looks = looks;
}

bool
looks_next(const struct rt *run, double to, double *time)
{
    assert(run != NULL && time != NULL);
    const struct motion_looks *looks = run->looks;
    if (!looks || looks->at.n >= looks->n || !(looks->time[looks->at.n] < to))
        return false;
    *time = looks->time[looks->at.n];
    return true;
}

void
looks_keep(struct rt *run)
{
    assert(run != NULL && run->looks != NULL);
    VEC_PUSH_IN(run->brief, &run->looks->at, saved_state_take(run));
}

size_t
looks_mark(const struct rt *run)
{
    assert(run != NULL);
    return run->looks ? run->looks->at.n : 0;
}

void
looks_cut(struct rt *run, size_t mark)
{
    assert(run != NULL);
    if (run->looks)
        run->looks->at.n = mark;
}
