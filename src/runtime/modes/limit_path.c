/* SPDX-License-Identifier: MIT */
/* The motion of bodies from an impact to the limit of the impacts that follow,
 * as runtime/flow/limit_path.c makes it for systems.
 *
 * Impulses act along M^-1 N^T of the points that are hit. In coordinates of
 * which some are the gaps of these points, they change the momenta of the gaps
 * alone, wherever the gaps are. The momenta of the other coordinates are
 * carried by the motion, in which the gaps are of the second order of the time
 * left, and their rates of the first and zero on the average. So any motion
 * that begins with the gaps of now and ends with those of the limit meets the
 * state at the limit up to the third order. The nearest to the true one slides
 * along the points that are closed. One impulse at each of the others lets its
 * gap come to that of the limit. To project the state onto the gaps at the
 * limit instead would be an error of the second order: momenta about a point
 * change when the place is moved and the velocity is not. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/limit_path.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/contact_point.h"

/* the points that the path moves */
struct path {
    struct contact_point *spot, *slide;
    double *gap, *rate;
    int n, n_slide;
};

/* A point leaves the path if it would open, until the limit, to this share of
 * the speeds of the impacts. Squeezed bodies have accelerations far below. */
#define PATH_OPENS 0x1p-6

/* Of each point the gap now and the rate that brings it to the limit: a
 * parabola with the acceleration that the sliding points leave it. False: no
 * forces that push keep these closed, as where Newton's law pulls at a corner
 * in each impact on the way. */
static bool
aim(struct rt *run, const struct limit_points *points,
    const struct forecast_limit *limit, struct path *path)
{
    size_t n = (size_t)points->n;
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, n + 1);
    double *acc = NEW_N(run->brief, double, n + 1), left = limit->remaining,
           most = 0.0;
    *path = (struct path){NEW_N(run->brief, struct contact_point, n + 1),
                          NEW_N(run->brief, struct contact_point, n + 1),
                          NEW_N(run->brief, double, n + 1),
                          NEW_N(run->brief, double, n + 1),
                          0,
                          0};
    memcpy(state, points->point, n * sizeof *state);
    for (int i = 0; i < points->n; i++)
        if (limit->closed[i] && state[i].gap == 0.0) {
            state[i].rate = 0.0;
            path->slide[path->n_slide++] = points->spot[i];
        }
    if (!mode_accelerations(run, points->n, state, points->G, acc))
        return false;
    for (int i = 0; i < points->n; i++)
        most = fmax(most, fabs(points->point[i].rate));
    for (int i = 0; i < points->n; i++) {
        if (!limit->closed[i] && !limit->moved[i])
            continue;
        bool slides = limit->closed[i] && state[i].gap == 0.0;
        if (slides && acc[i] * left > PATH_OPENS * most)
            return false;
        path->gap[path->n] = state[i].gap;
        path->rate[path->n] = slides ? 0.0
                                     : (limit->gap[i] - state[i].gap) / left -
                                           0.5 * acc[i] * left;
        path->spot[path->n++] = points->spot[i];
    }
    return true;
}

static int
begin(struct rt *run, const struct limit_points *points,
      const struct forecast_limit *limit, bool *begun)
{
    struct path *path = NEW(run->brief, struct path);
    int *end = NEW_N(run->brief, int, (size_t)points->n + 1), first = 0;
    enum mode_choice choice = MODE_FREE;
    *begun = aim(run, points, limit, path) && path->n > 0;
    if (!*begun)
        return IMP_OK;
    int st =
        persistent_close(run, path->spot, path->n, path->gap, path->rate, NULL);
    int n_group = persistent_split(run, path->slide, path->n_slide, end);
    for (int i = 0; i < n_group && !st; first = end[i++]) {
        st = mode_select(run, path->slide + first, end[i] - first, -1, &choice);
        *begun &= choice != MODE_JAMMED;
    }
    return st;
}

bool
limit_ends(struct rt *run, const struct forecast_limit *limit, int i,
           const struct contact_point *spot,
           const struct contact_point_state *state)
{
    assert(run != NULL && limit != NULL && i >= 0);
    uint32_t contact = spot->contact;
    return limit->group[i] ||
           (limit->moved[i] && !limit->closed[i] &&
            limit->gap[i] <= contact_set_closed(run, contact) &&
            fabs(limit->rate[i]) <= mode_still_rate(run, contact, state->free));
}

double
limit_landing(const struct contact_point_state *state)
{
    assert(state != NULL);
    bool comes = state->gap > 0.0 && (state->rate < 0.0 || state->free < 0.0);
    double square = state->rate * state->rate - 2.0 * state->gap * state->free;
    return comes ? sqrt(fmax(0.0, square)) : 0.0;
}

bool
limit_path_begin(struct rt *run, const struct limit_points *points,
                 const struct forecast_limit *limit)
{
    assert(run != NULL && points->n > 0 && limit->remaining > 0.0);
    struct diags quiet, *told = run->ds;
    bool begun;
    /* What cannot be evaluated here is no mistake of the model: the limit is
     * taken without this path. */
    diags_init(&quiet, run->brief, told->sources);
    run->ds = &quiet;
    int st = begin(run, points, limit, &begun);
    run->ds = told;
    return begun && !st;
}

size_t
limit_path_state_size(const struct rt *run)
{
    assert(run);
    return run->im->layout.contact - run->im->layout.state;
}

void
limit_path_state(const struct rt *run, double *state)
{
    assert(run != NULL && state != NULL);
    memcpy(state, run->env + run->im->layout.state,
           limit_path_state_size(run) * sizeof *state);
}

/* The lengths and speeds of which the motion of the group's bodies is made:
 * also those of the impacts, since the bodies may stand still at the limit. */
static void
sizes(const struct rt *run, const struct limit_points *points, double flight,
      double *length, double *speed)
{
    uint32_t dim = run->im->dim, spins = dim == 2 ? 1 : 3;
    double acc = 0.0;
    *length = *speed = 0.0;
    for (int i = 0; i < points->n; i++) {
        acc = fmax(acc, fabs(points->point[i].free));
        *speed = fmax(*speed, fabs(points->point[i].rate));
        *length = fmax(*length, points->place[i]);
    }
    for (uint32_t b = 0; b < run->im->bodies.n; b++) {
        const imp_body *body = rt_body(run, b);
        const double *velocity =
            run->env + body->env_state + (dim == 2 ? 3 : 7);
        double radius = run->env[body->env_body + IMP_BODY_RADIUS], sum = 0.0;
        if (!points->body[b])
            continue;
        for (uint32_t i = 0; i < dim; i++)
            sum += fabs(velocity[i]);
        for (uint32_t i = 0; i < spins && isfinite(radius); i++)
            sum += fabs(velocity[dim + i]) * radius;
        *speed = fmax(*speed, sum);
    }
    *speed += acc * flight;
}

double
limit_path_apart(const struct rt *run, const struct limit_points *points,
                 const double *state, double flight)
{
    assert(points != NULL && state != NULL && flight >= 0.0);
    uint32_t dim = run->im->dim, places = dim == 2 ? 3 : 7,
             all = dim == 2 ? 6 : 13;
    double length, speed, most = 0.0;
    sizes(run, points, flight, &length, &speed);
    for (uint32_t b = 0; b < run->im->bodies.n; b++) {
        const imp_body *body = rt_body(run, b);
        double radius = run->env[body->env_body + IMP_BODY_RADIUS];
        double arm = isfinite(radius) ? radius : length;
        const double *now = run->env + body->env_state,
                     *other = state + (body->env_state - run->im->layout.state);
        for (uint32_t i = 0; i < all && points->body[b]; i++) {
            bool turns = i < places ? i >= dim : i >= places + dim;
            double off = fabs(now[i] - other[i]) * (turns ? arm : 1.0);
            most = fmax(most, off / (i < places ? length : speed));
        }
    }
    return most;
}

/* -- parts that do not act on each other ------------------------------------
 */

/* FNV-1a */
uint64_t
limit_signature(const struct limit_points *points,
                const struct forecast_limit *limit, const int *part, int which)
{
    assert(points != NULL && limit != NULL);
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < points->n; i++)
        if (limit->closed[i] && (!part || part[i] == which)) {
            h = (h ^ points->spot[i].contact) * 1099511628211u;
            h = (h ^ points->spot[i].face) * 1099511628211u;
            h = (h ^ points->spot[i].vertex) * 1099511628211u;
        }
    return h;
}

/* Are they points of one body that moves, or of bodies that joints connect? */
static bool
linked(const struct rt *run, const struct limit_points *points, int i, int k)
{
    const uint32_t *a = rt_contact(run, points->spot[i].contact)->body,
                   *b = rt_contact(run, points->spot[k].contact)->body;
    for (int side = 0; side < 4; side++)
        if (a[side / 2] == b[side % 2] &&
            contact_point_body_moves(run, a[side / 2]))
            return true;
    return points->G[(size_t)i * (size_t)points->n + (size_t)k] != 0.0;
}

int
limit_parts(struct rt *run, const struct limit_points *points, int *part)
{
    assert(points != NULL && part != NULL);
    int n = points->n, parts = 0, waiting = 0,
        *stack = NEW_N(run->brief, int, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        part[i] = -1;
    for (int first = 0; first < n; first++) {
        if (part[first] >= 0)
            continue;
        part[first] = parts;
        for (stack[waiting++] = first; waiting > 0;) {
            int i = stack[--waiting];
            for (int k = 0; k < n; k++)
                if (part[k] < 0 && linked(run, points, i, k)) {
                    part[k] = parts;
                    stack[waiting++] = k;
                }
        }
        parts++;
    }
    return parts;
}

struct limit_prediction
limit_of_part(const struct limit_points *points,
              const struct forecast_limit *limit, const int *part, int which)
{
    assert(points != NULL && limit != NULL && part != NULL);
    struct limit_prediction out = {
        .mark = limit_signature(points, limit, part, which), .left = -1.0};
    double most = 0.0, least = INFINITY;
    for (int i = 0; i < points->n; i++)
        if (part[i] == which && (limit->group[i] || limit->earlier[i] > 0.0))
            out.left = fmax(out.left, limit->group[i] ? limit->remaining
                                                      : limit->earlier[i]);
    for (int i = 0; i < points->n; i++)
        if (part[i] == which &&
            (limit->group[i] ? limit->remaining : limit->earlier[i]) ==
                out.left) {
            most = fmax(most, points->place[i]);
            if (points->point[i].rate != 0.0)
                least = fmin(least, fabs(points->point[i].rate));
        }
    out.noise = DBL_EPSILON * most / least;
    return out;
}

struct forecast_limit
forecast_limit_room(struct rt *run, int n)
{
    assert(run != NULL && n > 0);
    size_t size = (size_t)n;
    bool *flags = NEW_N(run->brief, bool, 3 * size);
    double *numbers = NEW_N(run->brief, double, 3 * size);
    return (struct forecast_limit){.group = flags,
                                   .closed = flags + size,
                                   .moved = flags + 2 * size,
                                   .gap = numbers,
                                   .rate = numbers + size,
                                   .earlier = numbers + 2 * size};
}
