/* SPDX-License-Identifier: MIT */
/* Which closed points of a group push (mode_select.h). Forces lambda >= 0 and
 * accelerations a = free + G lambda >= 0 of the gaps satisfy lambda_i a_i = 0.
 * G is positive semidefinite, so the motion is unique if there is one. Points
 * that stay closed without a force of their own (the fourth foot) are kept in
 * the group, because they may have to push when another point ceases. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/events/event.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/lcp.h"

/* Accelerations and forces below this share of their terms are none: positions
 * and directions come from closest points, which are right to some 1e-13. */
#define FORCE_NONE 1e-10
int
contact_point_states(struct rt *run, const struct contact_point *spot, int n,
                     struct contact_point_state *out, double *G)
{
    assert(spot != NULL && out != NULL && n > 0);
    struct persistent_group *group = persistent_look_at(run, spot, n);
    uint32_t d = run->im->dim;
    int st = persistent_instant(run, group, 3, G);
    for (int i = 0; i < n && !st; i++) {
        const struct persistent_row *w = &group->row[i];
        const imp_contact *image_contact = rt_contact(run, spot[i].contact);
        double speed = 0.0;
        for (int e = 0; e < 2; e++) {
            const imp_body *body = rt_body(run, image_contact->body[e]);
            const double *v = run->env + body->env_state + (d == 2 ? 3 : 7);
            for (uint32_t j = 0; j < (d == 2 ? 3u : 6u); j++)
                speed += fabs(w->open[e][d == 2 && j == 2 ? 5 : j].c[0] * v[j]);
        }
        out[i] = (struct contact_point_state){.spot = spot[i],
                                              .gap = w->gap.c[0],
                                              .rate = w->gap.c[1],
                                              .speed = speed,
                                              .free = 2.0 * w->gap.c[2],
                                              .jerk = 6.0 * w->gap.c[3]};
    }
    return st;
}

/* The size of the terms of velocities at the points of a contact. It is at
 * least what the law of impacts and analysis/simulate measure rates by, so
 * that a rate counts as none in all of them or in none. */
static double
speeds_at(const struct rt *run, uint32_t c)
{
    const imp_contact *image_contact = rt_contact(run, c);
    uint32_t d = run->im->dim;
    double sum = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, image_contact->body[e]);
        const double *v = run->env + body->env_state + (d == 2 ? 3 : 7);
        double reach = run->env[body->env_body + IMP_BODY_RADIUS] * sqrt(3.0);
        for (uint32_t i = 0; i < d; i++)
            sum += fabs(v[i]);
        for (uint32_t i = d; i < (d == 2 ? 3u : 6u) && isfinite(reach); i++)
            sum += fabs(v[i]) * reach;
    }
    return sum;
}

double
mode_still_rate(struct rt *run, uint32_t contact, double acceleration)
{
    double g = 0.0;
    for (int i = 0; i < 3; i++)
        g += run->gravity[i] * run->gravity[i];
    double acc = fmax(fabs(acceleration), sqrt(g));
    return MODE_STILL * fmax(speeds_at(run, contact),
                             sqrt(2.0 * acc * gap_length(run, contact)));
}

/* -- the choice ------------------------------------------------------------
 */

struct choice {
    int n;
    const struct contact_point_state *p;
    const double *G;
    int left;
    double *force, *acc, *size; /* n */
};

static bool
complementary(struct rt *run, struct choice *c)
{
    int m = 0, *index = NEW_N(run->brief, int, (size_t)c->n + 1);
    double *G = NEW_N(run->brief, double, (size_t)c->n *(size_t)c->n + 1);
    double *q = NEW_N(run->brief, double, 2 * (size_t)c->n + 1);
    double *z = q + c->n;
    for (int i = 0; i < c->n; i++)
        if (i != c->left)
            index[m++] = i;
    for (int i = 0; i < m; i++) {
        q[i] = c->p[index[i]].free;
        for (int j = 0; j < m; j++)
            G[i * m + j] = c->G[index[i] * c->n + index[j]];
    }
    int st =
        m ? lcp_solve(m, G, q, z, NEW_N(run->brief, double, lcp_room(m) + 1))
          : 0;
    if (st == 1 || st == 3)
        return false;
    for (int i = 0; i < c->n; i++)
        c->force[i] = 0.0;
    for (int i = 0; i < m; i++)
        c->force[index[i]] = z[i];
    for (int i = 0; i < c->n; i++) {
        c->acc[i] = c->p[i].free;
        c->size[i] = fabs(c->p[i].free);
        for (int j = 0; j < c->n; j++) {
            double x = c->G[i * c->n + j] * c->force[j];
            c->acc[i] += x;
            c->size[i] += fabs(x);
        }
    }
    return true;
}

/* Holds the points that push, and then those that the others keep closed. *to:
 * their group, or NULL. */
static int
keep(struct rt *run, struct choice *c, struct persistent_group **to)
{
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, c->n + 1);
    int n = 0, n_on;
    *to = NULL;
    for (int i = 0; i < c->n; i++)
        if (c->force[i] * c->G[i * c->n + i] > FORCE_NONE * c->size[i])
            spot[n++] = c->p[i].spot;
    n_on = n;
    for (int i = 0; i < c->n; i++) {
        bool held = false, same = false;
        for (int j = 0; j < n; j++) {
            same |= !memcmp(&spot[j], &c->p[i].spot, sizeof *spot);
            held |= j < n_on && spot[j].contact == c->p[i].spot.contact;
        }
        if (!same && held && c->acc[i] <= FORCE_NONE * c->size[i])
            spot[n++] = c->p[i].spot;
    }
    if (n_on == 0)
        return IMP_OK;
    /* all of them are closed, whether they push or not */
    int st = n > n_on ? persistent_close(run, spot, n, NULL, NULL) : IMP_OK;
    if (st)
        return st;
    struct persistent_group *group = *to = persistent_hold(run, spot, n);
    group->n_on = n_on;
    for (int i = n_on; i < n; i++)
        group->row[i].on = false;
    persistent_project_group(run, group);
    return persistent_group_series(run, group, 2, UINT32_MAX);
}

int
mode_select(struct rt *run, const struct contact_point *spot, int n, int left,
            enum mode_choice *choice)
{
    assert(choice != NULL && n >= 0 && left >= -1 && left < n);
    struct contact_point *at = NEW_N(run->brief, struct contact_point, n + 1);
    struct contact_point_state *p =
        NEW_N(run->brief, struct contact_point_state, n + 1);
    double *G = NEW_N(run->brief, double, (size_t)n *(size_t)n + 1);
    double *x = NEW_N(run->brief, double, 3 * (size_t)n + 1);
    struct choice c = {.n = n, .p = p, .G = G, .left = left};
    c.force = x;
    c.acc = x + n;
    c.size = x + 2 * n;
    *choice = MODE_FREE;
    memcpy(at, spot, sizeof *at * (size_t)n);
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1);
    for (int i = 0; i < n; i++)
        persistent_mark(run, at[i].contact, block);
    persistent_release(run, block);
    if (n == 0)
        return IMP_OK;
    int st = contact_point_states(run, at, n, p, G);
    if (st)
        return st;
    if (!complementary(run, &c)) {
        *choice = MODE_JAMMED;
        return IMP_OK;
    }
    /* The force of the point that ceased is 0 to rounding. Whether it would
     * pull or push from here on depends on what the others leave to it. */
    if (left >= 0 && c.acc[left] < -1e-6 * c.size[left]) {
        c.left = -1;
        if (!complementary(run, &c)) {
            *choice = MODE_JAMMED;
            return IMP_OK;
        }
    }
    struct persistent_group *group;
    if ((st = keep(run, &c, &group)))
        return st;
    if (group)
        *choice = group->rank < group->n_on ? MODE_SHARED : MODE_HOLDS;
    return IMP_OK;
}
