/* SPDX-License-Identifier: MIT */
/* The functions that the second engine watches: gaps, as values; forces of
 * closed contacts; vertices over faces that are held. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/engines/second.h"
#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/system.h"
#include "runtime/modes/contact_set.h"
#include "runtime/motion/persistent.h"

/* A gap counts as zero to rounding up to so many rounding errors. */
#define ROUNDING 16.0
/* A force up to this share of the greatest one is none, as in
 * runtime/modes/mode_select.c. */
#define FORCE_NONE 1e-10
/* A point has left its face beyond a side by so many tolerances of its gap, so
 * that it is not found there again. */
#define SIDE_LAG 64.0
/* Errors of the steps in a rate, as a share of its greatest value so far. */
#define SPEED_ERROR 1e-12
/* Contacts of systems that stay closed without a force of their own drift by
 * the errors of the steps, as a share of a length. */
#define IDLE_CLOSED 1e-10

static struct watched *
add(struct second *second, enum watched_kind kind, uint32_t contact,
    double closed, double touch)
{
    struct rt *run = second->run;
    size_t n = second->motion.n_watch;
    if (n == second->room) {
        size_t room = 2 * n + 16;
        struct watched *watched = NEW_N(run->arena, struct watched, room);
        struct gsl_watch *watch = NEW_N(run->arena, struct gsl_watch, room);
        if (n) {
            memcpy(watched, second->watched, n * sizeof *watched);
            memcpy(watch, second->motion.watch, n * sizeof *watch);
        }
        second->watched = watched;
        second->motion.watch = watch;
        second->room = room;
    }
    second->motion.watch[n] =
        (struct gsl_watch){.closed = closed, .touch = fmax(touch, closed)};
    second->watched[n] = (struct watched){.kind = kind, .contact = contact};
    second->motion.n_watch++;
    return &second->watched[n];
}

/* -- bodies -------------------------------------------------------------------
 */

struct vertices {
    struct second *second;
    struct contact_point base;
    double closed, touch;
    double *value, *rate; /* while looking: per watched function */
    size_t at;            /* the watched function that is looked for */
};

/* Does the vertex push? Points that do are closed by definition. */
static bool
pushes(const struct rt *run, const struct contact_point *base, uint32_t vertex)
{
    for (int i = 0; i < persistent_count(run); i++) {
        bool on;
        const struct contact_point *p = persistent_point(run, i, &on, NULL);
        if (on && p->contact == base->contact && p->kind == POINT_VERTEX &&
            p->face_of == base->face_of && p->vertex == vertex)
            return true;
    }
    return false;
}

static void
add_vertex(void *ctx, uint32_t vertex, const struct taylor *gap)
{
    struct vertices *all = ctx;
    const struct contact_point *base = &all->base;
    /* what is behind a side of the other body does not come down on it */
    if (gap->c[0] < -all->touch || pushes(all->second->run, base, vertex) ||
        (vertex < 64 &&
         all->second->contact[base->contact].beside[base->face_of] >> vertex &
             1))
        return;
    struct watched *one = add(all->second, WATCHED_VERTEX, base->contact,
                              all->closed, all->touch);
    one->at = *base;
    one->at.vertex = vertex;
}

/* Does this held point come first of its contact? */
static bool
is_first(const struct rt *run, int point)
{
    bool on;
    uint32_t contact = persistent_point(run, point, &on, NULL)->contact;
    for (int i = 0; i < point; i++)
        if (persistent_point(run, i, &on, NULL)->contact == contact)
            return false;
    return true;
}

/* the vertices of both bodies over the faces at which points are held */
static int
add_vertices(struct second *second, uint32_t contact, double closed,
             double touch)
{
    struct rt *run = second->run;
    struct contact_point *base = NEW_N(run->brief, struct contact_point,
                                       contact_set_faces(run, contact) + 1);
    int n = contact_set_held_faces(run, contact, base), st = IMP_OK;
    for (int i = 0; i < n && !st; i++) {
        struct vertices all = {.second = second,
                               .base = base[i],
                               .closed = closed,
                               .touch = touch};
        st = contact_point_vertices(run, &base[i], 1, NULL, add_vertex, &all,
                                    NULL);
    }
    return st;
}

static int
add_held_points(struct second *second)
{
    struct rt *run = second->run;
    double most = 0.0, force;
    int st = persistent_any(run) ? second_rows(second, 1) : IMP_OK;
    bool on;
    for (int i = 0; i < persistent_count(run) && !st; i++) {
        persistent_point(run, i, &on, &force);
        most = fmax(most, fabs(force));
    }
    for (int i = 0; i < persistent_count(run) && !st; i++) {
        struct contact_point point = *persistent_point(run, i, &on, &force);
        double tol, rate, rounding;
        gap_tolerances(run, point.contact, &tol, &rate);
        gap_rounding(run, point.contact, &rounding, &rate);
        if (on)
            add(second, WATCHED_FORCE, point.contact, FORCE_NONE * most, 0.0)
                ->point = i;
        struct taylor *side;
        bool corners =
            point.kind != POINT_SURFACE && point.kind != POINT_SMOOTH;
        int n_side = corners ? contact_point_sides(run, &point, 1, &side) : 0;
        for (int k = 0; k < n_side; k++) {
            struct watched *one =
                add(second, WATCHED_SIDE, point.contact, tol, 0.0);
            one->point = i;
            one->lag = SIDE_LAG * tol;
            one->which = (uint32_t)k;
        }
        if (corners && is_first(run, i)) {
            /* Below that something else has come down: two edges, or a vertex
             * that has come over its face from the side. */
            double closed = fmax(ROUNDING * rounding, 0.1 * tol);
            struct closest_points now;
            /* what has just been hit, so late, is on its way out */
            double deep =
                closest_points_find(run, point.contact, &now, false) == IMP_OK
                    ? fmax(-now.gap, 0.0)
                    : 0.0;
            add(second, WATCHED_HELD, point.contact, 0.0, 0.0)->lag =
                tol + deep;
            st = add_vertices(second, point.contact, closed, tol);
        }
    }
    return st;
}

static int
add_bodies(struct second *second)
{
    struct rt *run = second->run;
    for (uint32_t c = 0; c < second->sim->n_contacts; c++) {
        const imp_contact *contact = rt_contact(run, c);
        double tol, rate, rounding;
        if (contact->system != IMP_NO_SYSTEM ||
            contact->flags & IMP_CONTACTF_STATED || persistent_holds(run, c))
            continue;
        gap_tolerances(run, c, &tol, &rate);
        gap_rounding(run, c, &rounding, &rate);
        add(second,
            second->sim->contacts[c].overlap ? WATCHED_OVERLAP : WATCHED_GAP, c,
            ROUNDING * rounding, tol);
    }
    return add_held_points(second);
}

/* -- systems ------------------------------------------------------------------
 */

static int
add_system(struct second *second, struct second_system *system)
{
    const struct rt *run = second->run;
    const imp_system *image = rt_system(run, system->number);
    const double *state = run->env + image->env_state;
    int st = second_instant(second, system, true);
    if (!st)
        st = second_forces(system);
    double most = 0.0;
    for (uint32_t i = 0; i < system->m && !st; i++)
        most = fmax(most, fabs(system->force[i]));
    for (uint32_t i = 0; i < system->m && !st; i++) {
        struct second_contact *contact = &second->contact[image->contact + i];
        double size = fabs(system->gap[i]), speed = 0.0;
        for (uint32_t k = 0; k < system->n; k++) {
            size += fabs(system->N[i * system->n + k] * state[k]);
            speed += fabs(system->N[i * system->n + k] * state[system->n + k]);
        }
        contact->length = fmax(contact->length, fabs(system->gap[i]));
        contact->speed = fmax(contact->speed, fabs(system->rate[i]));
        size = fmax(size, contact->length);
        speed = fmax(speed, SPEED_ERROR / SECOND_STILL * contact->speed);
        bool idle = fabs(system->gap[i]) <= IDLE_CLOSED * size &&
                    fabs(system->rate[i]) <= SECOND_STILL * speed;
        if (system->held[i])
            add(second, WATCHED_SYSTEM_FORCE, image->contact + i,
                FORCE_NONE * most, 0.0);
        else
            add(second, WATCHED_SYSTEM_GAP, image->contact + i,
                idle ? IDLE_CLOSED * size : ROUNDING * DBL_EPSILON * size,
                SECOND_FLOOR * size);
    }
    return st;
}

int
second_watch(struct second *second)
{
    assert(second);
    struct rt *run = second->run;
    second->motion.n_watch = 0;
    int st = add_bodies(second);
    for (uint32_t s = 0; s < run->im->systems.n && !st; s++)
        st = add_system(second, &second->system[s]);
    return st;
}

/* -- looking
 * ------------------------------------------------------------------- */

static int
look_at_gap(struct second *second, uint32_t number, double sign, double *value,
            double *rate)
{
    struct rt *run = second->run;
    const imp_contact *contact = rt_contact(run, number);
    struct closest_points points;
    int st = closest_points_find(run, number, &points, false);
    if (st != IMP_OK && st != IMP_SINGULAR)
        return st;
    bool turns = (rt_body(run, contact->body[0])->flags |
                  rt_body(run, contact->body[1])->flags) &
                 IMP_BODYF_GTIME;
    *value = sign * points.gap;
    *rate = st == IMP_SINGULAR || turns ? NAN
                                        : sign * gap_rate(run, number, &points);
    return isfinite(*value) ? IMP_OK : IMP_DIVERGED;
}

/* Is this a vertex over the same face? */
static bool
is_over(const struct watched *one, const struct contact_point *base)
{
    return one->kind == WATCHED_VERTEX && one->at.contact == base->contact &&
           one->at.face_of == base->face_of && one->at.face == base->face;
}

static void
take_vertex(void *ctx, uint32_t vertex, const struct taylor *gap)
{
    struct vertices *all = ctx;
    size_t i = all->at;
    while (i < all->second->motion.n_watch &&
           is_over(&all->second->watched[i], &all->base)) {
        if (all->second->watched[i].at.vertex == vertex) {
            all->value[i] = gap->c[0];
            all->rate[i] = gap->c[1];
            return;
        }
        i++;
    }
}

/* all vertices over one face, from number *i on */
static int
look_at_vertices(struct second *second, size_t *i, double *value, double *rate)
{
    struct vertices all = {.second = second,
                           .base = second->watched[*i].at,
                           .value = value,
                           .rate = rate,
                           .at = *i};
    int st = contact_point_vertices(second->run, &all.base, 1, NULL,
                                    take_vertex, &all, NULL);
    while (*i + 1 < second->motion.n_watch &&
           is_over(&second->watched[*i + 1], &all.base))
        (*i)++;
    return st;
}

/* the force of a held point, or its distance from a side */
static int
look_at_point(struct second *second, size_t i, double *value, double *rate)
{
    struct rt *run = second->run;
    const struct watched *one = &second->watched[i];
    bool on;
    struct contact_point point =
        *persistent_point(run, one->point, &on, &value[i]);
    if (one->kind == WATCHED_FORCE) {
        rate[i] = NAN;
        return IMP_OK;
    }
    struct taylor *side;
    int n = contact_point_sides(run, &point, 1, &side);
    if ((int)one->which >= n)
        return IMP_DIVERGED;
    value[i] = side[one->which].c[0] + one->lag;
    rate[i] = side[one->which].c[1];
    return IMP_OK;
}

/* the watched functions of a system, from number *i on */
static int
look_at_system(struct second *second, size_t *i, double *value, double *rate)
{
    const struct rt *run = second->run;
    uint32_t number = rt_contact(run, second->watched[*i].contact)->system,
             first = rt_system(run, number)->contact;
    struct second_system *system = &second->system[number];
    bool any = false;
    for (uint32_t k = 0; k < system->m; k++)
        any |= system->held[k];
    int st = second_instant(second, system, any);
    if (!st && any)
        st = second_forces(system);
    size_t k = *i;
    for (; k < second->motion.n_watch && !st; k++) {
        const struct watched *one = &second->watched[k];
        if (rt_contact(run, one->contact)->system != number)
            break;
        uint32_t c = one->contact - first;
        bool force = one->kind == WATCHED_SYSTEM_FORCE;
        value[k] = force ? system->force[c] : system->gap[c];
        rate[k] = force ? NAN : system->rate[c];
        if (!force)
            second->contact[one->contact].since =
                fmax(second->contact[one->contact].since, value[k]);
        if (!isfinite(value[k]))
            st = IMP_NONFINITE;
    }
    *i = k - 1;
    return st;
}

int
second_look(void *ctx, double t, const double *y, double *value, double *rate)
{
    assert(ctx != NULL && y != NULL && value != NULL && rate != NULL);
    struct second *second = ctx;
    int st = second_write(second, t, y);
    if (!st && persistent_any(second->run))
        st = second_rows(second, 1);
    for (size_t i = 0; i < second->motion.n_watch && !st; i++) {
        const struct watched *one = &second->watched[i];
        switch (one->kind) {
        case WATCHED_GAP:
        case WATCHED_OVERLAP:
            st = look_at_gap(second, one->contact,
                             one->kind == WATCHED_GAP ? 1.0 : -1.0, &value[i],
                             &rate[i]);
            break;
        case WATCHED_HELD:
            st = look_at_gap(second, one->contact, 1.0, &value[i], &rate[i]);
            value[i] += one->lag;
            rate[i] = NAN;
            break;
        case WATCHED_FORCE:
        case WATCHED_SIDE:
            st = look_at_point(second, i, value, rate);
            break;
        case WATCHED_VERTEX:
            st = look_at_vertices(second, &i, value, rate);
            break;
        default:
            st = look_at_system(second, &i, value, rate);
            break;
        }
    }
    return st;
}
