/* SPDX-License-Identifier: MIT */
/* Which part of the room answers for which contact (closest_points.h), and what
 * follows from the closest points alone. */
#include "runtime/gap/closest_points.h"
#include "base/arena.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/gap/smooth_smooth_priv.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/system.h"

/* Returns the number of a contact among the contacts of its system. */
static uint32_t
number_in_system(const struct rt *run, uint32_t contact)
{
    uint32_t system = rt_contact(run, contact)->system;
    assert(contact >= rt_system(run, system)->contact);
    return contact - rt_system(run, system)->contact;
}

/* A gap in generalised coordinates has no points. */
static int
of_system(struct rt *run, uint32_t contact, struct closest_points *out)
{
    double rate;
    memset(out, 0, sizeof *out);
    return system_gap(run, rt_contact(run, contact)->system,
                      number_in_system(run, contact), &out->gap, &rate, NULL);
}

/* Polytopes answer by their nearest features; the unknowns u stay 0. */
static int
of_polytope(struct rt *run, uint32_t contact, struct closest_points *out,
            bool loud)
{
    struct nearest_features nearest;
    int st = polytope_contact_closest(run, contact, &nearest, loud);
    memset(out, 0, sizeof *out);
    out->gap = NAN;
    if (st != IMP_OK && st != IMP_SINGULAR)
        return st;
    out->gap = nearest.gap;
    memcpy(out->P, nearest.P, sizeof nearest.P);
    memcpy(out->Q, nearest.Q, sizeof nearest.Q);
    memcpy(out->n, nearest.n, sizeof nearest.n);
    out->condition = st == IMP_OK ? 1.0 : INFINITY;
    return st;
}

int
closest_points_find(struct rt *run, uint32_t contact,
                    struct closest_points *out, bool loud)
{
    assert(run != NULL && out != NULL);
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    if (image_contact->system != IMP_NO_SYSTEM)
        return of_system(run, contact, out);
    if (image_contact->flags & IMP_CONTACTF_CORNERS)
        return of_polytope(run, contact, out, loud);
    return smooth_smooth_closest(run, contact, out, loud);
}

int
closest_points_look(struct rt *run, uint32_t contact,
                    struct closest_points *out)
{
    assert(run != NULL && out != NULL && contact < run->im->contacts.n);
    double *start = run->closest.unknowns + (size_t)8 * contact, kept[8];
    unsigned char warm = run->closest.warm[contact];
    struct diags quiet, *ds = run->ds;
    bool corners = rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS;
    void *memory = corners ? polytope_contact_remember_one(run, contact)
                           : smooth_smooth_remember_one(run, contact);
    memcpy(kept, start, sizeof kept);
    diags_init(&quiet, run->brief, ds->sources);
    run->ds = &quiet;
    int st = closest_points_find(run, contact, out, false);
    run->ds = ds;
    memcpy(start, kept, sizeof kept);
    run->closest.warm[contact] = warm;
    if (corners)
        polytope_contact_recall_one(run, contact, memory);
    else
        smooth_smooth_recall_one(run, contact, memory);
    return st;
}

int
closest_points_to_env(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    struct closest_points points;
    int st = closest_points_find(run, contact, &points, true);
    if (st != IMP_OK)
        return st;
    double *env = run->env + rt_contact(run, contact)->env_contact;
    env[IMP_CONTACT_GAP] = points.gap;
    memcpy(env + IMP_CONTACT_P, points.P, sizeof points.P);
    memcpy(env + IMP_CONTACT_Q, points.Q, sizeof points.Q);
    memcpy(env + IMP_CONTACT_NORMAL, points.n, sizeof points.n);
    return IMP_OK;
}

void
closest_points_forget(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    run->closest.warm[contact] = 0;
    if (rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS)
        polytope_contact_forget_one(run, contact);
    else
        smooth_smooth_forget(run, contact);
}

struct closest_points_memory {
    uint32_t n;              /* contacts that there were */
    void *smooth, *polytope; /* NULL: there was none */
};

struct closest_points_memory *
closest_points_remember(struct rt *run)
{
    assert(run != NULL);
    struct closest_points_memory *memory =
        NEW(run->brief, struct closest_points_memory);
    memory->n = run->im->contacts.n;
    memory->smooth = smooth_smooth_remember(run);
    memory->polytope = polytope_contact_remember(run);
    return memory;
}

void
closest_points_recall(struct rt *run,
                      const struct closest_points_memory *memory)
{
    assert(run != NULL && memory != NULL);
    smooth_smooth_recall(run, memory->smooth, memory->n);
    polytope_contact_recall(run, memory->polytope, memory->n);
}

void
closest_points_predict(struct rt *run, uint32_t contact, int order, double dt)
{
    assert(run != NULL && contact < run->im->contacts.n);
    assert(order >= 0 && order <= IMP_ORDER_MAX);
    if (rt_contact(run, contact)->flags & IMP_CONTACTF_CORNERS)
        polytope_contact_predict(run, contact, order, dt);
    else
        smooth_smooth_predict(run, contact, order, dt);
}

int
contact_gap_series(struct rt *run, uint32_t contact, int order, double *gap)
{
    assert(run != NULL && gap != NULL && contact < run->im->contacts.n);
    assert(order >= 0 && order <= IMP_ORDER_MAX);
    const imp_contact *image_contact = rt_contact(run, contact);
    if (image_contact->system != IMP_NO_SYSTEM)
        return system_gap_series(run, image_contact->system,
                                 number_in_system(run, contact), order, gap);
    if (image_contact->flags & IMP_CONTACTF_CORNERS)
        return polytope_contact_series(run, contact, order, gap, NULL);
    return smooth_smooth_series(run, contact, order, gap);
}

void
contact_gap_nonfinite(struct rt *run, uint32_t contact, int order)
{
    assert(run != NULL && contact < run->im->contacts.n);
    const imp_contact *of = rt_contact(run, contact);
    bool smooth =
        of->system == IMP_NO_SYSTEM && (of->flags & IMP_CONTACTF_CORNERS) == 0;
    const double *rows[2] = {NULL, NULL};
    contact_bodies_enter(run, of);
    if (smooth)
        contact_bodies_rows(run, of, rows);
    rt_nonfinite_series(run, rt_gap_tape(run, contact),
                        smooth ? run->closest.unknowns + 8 * (size_t)contact
                               : NULL,
                        smooth ? rows : NULL,
                        smooth ? contact_work(run, contact) : NULL, order);
}

double
gap_rate(struct rt *run, uint32_t contact, const struct closest_points *points)
{
    assert(run != NULL && points != NULL);
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    double rate = 0.0;
    for (int which = 0; which < 2; which++) {
        const imp_body *body = rt_body(run, image_contact->body[which]);
        const double *point = which == 0 ? points->P : points->Q,
                     *state = run->env + body->env_state;
        double velocity[3] = {0.0, 0.0, 0.0}, spin[3] = {0.0, 0.0, 0.0}, arm[3];
        struct support_body support;
        if (body_rests(body))
            continue;
        support_body_get(run, image_contact->body[which], &support);
        body_add_velocity(run, body, 1.0, velocity);
        if (support.d == 2)
            spin[2] = state[5];
        else
            support_rotate(&support, state + 10, spin);
        for (int j = 0; j < 3; j++)
            arm[j] = point[j] - support.c[j];
        vec3_add_scaled_cross(1.0, spin, arm, velocity);
        rate += (which == 0 ? -1.0 : 1.0) * vec3_dot(points->n, velocity);
    }
    return rate;
}
