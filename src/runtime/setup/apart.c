/* SPDX-License-Identifier: MIT */
/* Drawn positions that are to stay apart (imp_body flag IMP_BODYF_APART). Each
 * body stands for the ball around it. Bodies are taken in their order: one
 * whose place is free of those that are placed stays there, the others draw
 * again, all at once, since the set-up tape gives the positions of all. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/geometry/support.h"
#include "runtime/numerics/vec3.h"
#include "runtime/setup/setup_priv.h"

/* A position is drawn so often. Discs of one size that are thrown one by one
 * cover .54 of the plane at most, spheres .38 of space (Feder 1980). */
#define APART_DRAWS 1000

/* What is placed: balls, and planes with their normals out of the body. */
struct placed {
    double x[3], radius, normal[3];
    bool plane;
};
struct places {
    struct rt *run;
    struct placed *placed;
    uint32_t n;
};

/* The radius of a ball about the mass centre that holds the body. */
static double
ball_around(struct rt *run, uint32_t which)
{
    double radius = support_ball_radius(run, which);
    return radius > 0.0
               ? radius
               : run->env[rt_body(run, which)->env_body + IMP_BODY_RADIUS];
}

/* Bodies without end that are no planes leave nothing free, and are not looked
 * at; neither are bodies without a shape. */
static void
place(struct places *places, uint32_t which)
{
    struct rt *run = places->run;
    const imp_body *body = rt_body(run, which);
    struct placed *to = places->placed + places->n;
    struct support_body support;
    struct support_point point;
    *to = (struct placed){.radius = ball_around(run, which)};
    if (!(body->flags & IMP_BODYF_SHAPE))
        return;
    for (uint32_t i = 0; i < run->im->dim; i++)
        to->x[i] = run->env[body->env_state + i];
    if (isfinite(to->radius)) {
        places->n++;
        return;
    }
    if (!(body->flags & IMP_BODYF_FLAT))
        return;
    support_body_get(run, which, &support);
    if (support_level(&support, support.centre, &point) != SUPPORT_FINE ||
        !(point.norm > 0.0))
        return;
    support_rotate(&support, point.g, to->normal);
    for (int i = 0; i < 3; i++) {
        to->normal[i] /= point.norm;
        to->x[i] -= point.G / point.norm * to->normal[i];
    }
    to->plane = true;
    places->n++;
}

static bool
is_free(const struct places *places, uint32_t which)
{
    struct rt *run = places->run;
    const imp_body *body = rt_body(run, which);
    const double *x = run->env + body->env_state;
    double reach =
        ball_around(run, which) + setup_raw(run, body)[IMP_RAW_APART];
    for (uint32_t i = 0; i < places->n; i++) {
        const struct placed *other = places->placed + i;
        double way[3] = {0.0, 0.0, 0.0}, room;
        for (uint32_t k = 0; k < run->im->dim; k++)
            way[k] = x[k] - other->x[k];
        room = other->plane ? vec3_dot(way, other->normal)
                            : vec3_norm(way) - other->radius;
        if (room < reach)
            return false;
    }
    return true;
}

/* A distance below 0, by a param. */
static int
negative(struct rt *run, uint32_t which)
{
    const imp_body *body = rt_body(run, which);
    char text[NUM_TEXT];
    double distance = setup_raw(run, body)[IMP_RAW_APART];
    if (distance >= 0.0)
        return IMP_OK;
    diag_add(run->ds, DIAG_E0567, imp_places_of(run->im, body)->position,
             "`%s` is to stay %s m apart from others, but a distance is not "
             "negative",
             imp_text(run->im, body->name), num_digits(text, distance, 6));
    return IMP_BADMODEL;
}

static int
no_place(struct rt *run, const uint32_t *waits, uint32_t n)
{
    const imp_body *body = rt_body(run, waits[0]);
    char most[NUM_TEXT];
    struct diag *diag =
        diag_add(run->ds, DIAG_E0567, imp_places_of(run->im, body)->position,
                 "no place was found for `%s`%s, in %s draws",
                 imp_text(run->im, body->name), n > 1 ? " and others" : "",
                 num_shortest(most, APART_DRAWS));
    diag_note(run->ds, diag, IMP_NOWHERE,
              "%u bodies have none; the balls around bodies count, and the "
              "planes that end them",
              n);
    diag_help(run->ds, diag,
              "fewer or smaller bodies, a wider range of `random`, or a "
              "smaller `apart`");
    return IMP_BADMODEL;
}

/* Places the bodies whose present position is free. Returns how many wait. */
static uint32_t
place_free(struct places *places, uint32_t *waits, uint32_t n)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++)
        if (is_free(places, waits[i]))
            place(places, waits[i]);
        else
            waits[left++] = waits[i];
    return left;
}

/* New positions of the bodies that wait. */
static int
draw_again(struct rt *run, uint64_t number, uint32_t again,
           const double *bounds, const uint32_t *waits, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const imp_body *body = rt_body(run, waits[i]);
        for (uint32_t k = 0; k < body->n_draw; k++) {
            uint32_t which = body->first_draw + k;
            setup_draw(run, number, which, again, bounds + 2 * (size_t)which);
        }
    }
    int st = setup_drawn(run);
    for (uint32_t i = 0; i < n && !st; i++)
        st = setup_state(run, waits[i]);
    return st;
}

int
setup_apart(struct rt *run, uint64_t number)
{
    assert(run);
    uint32_t count = run->im->bodies.n, n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += (rt_body(run, i)->flags & IMP_BODYF_APART) != 0;
    if (n == 0)
        return IMP_OK;
    struct places places = {
        .run = run, .placed = NEW_N(run->brief, struct placed, count + 1)};
    uint32_t *waits = NEW_N(run->brief, uint32_t, n + 1);
    n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(rt_body(run, i)->flags & IMP_BODYF_APART))
            place(&places, i);
        else if (negative(run, i))
            return IMP_BADMODEL;
        else
            waits[n++] = i;
    n = place_free(&places, waits, n);
    /* the bounds are read once: other tapes write into the same memory */
    int st = n ? setup_drawn(run) : IMP_OK;
    double *bounds =
        NEW_N(run->brief, double, 2 * (size_t)run->im->draws.n + 1);
    memcpy(bounds, setup_draw_bounds(run),
           2 * (size_t)run->im->draws.n * sizeof *bounds);
    for (uint32_t again = 1; n && !st; again++) {
        if (again == APART_DRAWS)
            return no_place(run, waits, n);
        st = draw_again(run, number, again, bounds, waits, n);
        if (!st)
            n = place_free(&places, waits, n);
    }
    return st;
}
