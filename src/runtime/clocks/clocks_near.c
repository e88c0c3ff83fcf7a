/* SPDX-License-Identifier: MIT */
/* Which bodies come near each other (clocks_priv.h): contacts of bodies whose
 * balls stay apart along both pieces join no parts, and are not searched. They
 * are asked again when their balls may come near, and when one of their bodies
 * has a new piece. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/clocks/clocks_priv.h"
#include "runtime/events/event.h"
#include "runtime/gap/closest_points.h"
#include "runtime/numerics/vec3.h"

/* Bodies are near whose centres are less apart than so many times the radii of
 * balls that hold them. They come near no sooner than they are less apart than
 * NEAR_ASK, and are near no longer when their part ends a piece with more than
 * NEAR_OPEN between them. */
#define NEAR_BALLS 1.05
#define NEAR_ASK 1.07
#define NEAR_OPEN 1.1
/* The time for which bodies are known to stay apart falls short by this factor
 * at most. */
#define NEAR_TRY 0.8

static const imp_body *
body_of(const struct rt *run, uint32_t block)
{
    const imp_block *of = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    return rt_body(run, *IMP_ARRAY(run->im, of[block].bodies, uint32_t));
}

/* The radius of a ball that holds the body; infinite: there is none. */
static double
radius_of(const struct rt *run, uint32_t block)
{
    double size = run->env[body_of(run, block)->env_body + IMP_BODY_RADIUS];
    return size > 0.0 ? size : INFINITY;
}

void
clocks_near_new(struct clocks *clocks)
{
    assert(clocks != NULL && clocks->contact != NULL);
    struct rt *run = clocks->run;
    uint32_t n = run->im->blocks.n, n_contact = run->im->contacts.n, sum = 0;
    clocks->first = NEW_N(run->arena, uint32_t, (size_t)n + 2);
    clocks->of = NEW_N(run->arena, uint32_t, 2 * (size_t)n_contact + 1);
    for (uint32_t i = 0; i < n_contact; i++) {
        struct clock_contact *contact = clocks->contact + i;
        contact->near = true; /* so far */
        contact->apart = INFINITY;
        if (contact->one == contact->two)
            continue;
        clocks->first[contact->one + 1]++;
        clocks->first[contact->two + 1]++;
        clocks->block[contact->one].n_near++;
        clocks->block[contact->two].n_near++;
    }
    for (uint32_t i = 0; i <= n; i++)
        clocks->first[i] = sum += clocks->first[i];
    uint32_t *next = NEW_N(run->brief, uint32_t, (size_t)n + 1);
    memcpy(next, clocks->first, n * sizeof *next);
    for (uint32_t i = 0; i < n_contact; i++) {
        const struct clock_contact *contact = clocks->contact + i;
        if (contact->one == contact->two)
            continue;
        clocks->of[next[contact->one]++] = i;
        clocks->of[next[contact->two]++] = i;
    }
}

/* The motion of the second body of a contact against the first one, order by
 * order from a time on, along both pieces. */
struct against {
    double c[3][MOTION_ORDER + 1];
    int order;
    double ends; /* of the first of the pieces (s) */
};

/* The series c about 0 becomes that about s. */
static void
shift(double *c, int order, double s)
{
    for (int i = 0; i < order; i++)
        for (int k = order - 1; k >= i; k--)
            c[k] += s * c[k + 1];
}

static void
add_brief(const struct motion_short *motion, uint32_t entry, double *c)
{
    for (uint32_t i = 0; i < motion->n; i++)
        if (motion->term[i].entry == entry) {
            c[1] = motion->term[i].c[0];
            c[2] = motion->term[i].line ? 0.0 : motion->term[i].c[1];
        }
}

static void
add_motion(const struct clocks *clocks, uint32_t which, double sign, double t,
           struct against *out)
{
    const struct rt *run = clocks->run;
    const struct clock_block *block = clocks->block + which;
    const struct clock_part *part = clocks->part + block->part;
    const imp_body *body = body_of(run, which);
    assert(part->known && t >= part->from);
    for (uint32_t i = 0; i < run->im->dim; i++) {
        double c[MOTION_ORDER + 1] = {block->start[i]};
        int order = 2;
        if (block->brief) {
            add_brief(&block->motion, block->first - run->im->layout.state + i,
                      c);
        } else {
            order = part->order;
            memcpy(c + 1,
                   block->rows + (size_t)body->pose[i] * IMP_ROW_STRIDE +
                       IMP_ROW_PAD + 1,
                   (size_t)order * sizeof *c);
        }
        while (order > 0 && c[order] == 0.0)
            order--;
        shift(c, order, t - part->from);
        for (int k = 0; k <= order; k++)
            out->c[i][k] += sign * c[k];
        out->order = order > out->order ? order : out->order;
    }
    out->ends = fmin(out->ends, part->end);
}

/* The first s > 0 with c + b s + a s^2 <= 0, where c > 0; infinite: there is
 * none. */
static double
first_below(double c, double b, double a)
{
    double in = b * b - 4.0 * a * c, q = b < 0.0 ? sqrt(in) - b : -sqrt(in) - b;
    if (in < 0.0)
        return INFINITY;
    double one = q > 0.0 ? 2.0 * c / q : INFINITY,
           two = q * a > 0.0 ? q / (2.0 * a) : INFINITY;
    return fmin(one, two);
}

/* For how long, at most `ahead`, do the orders of this motion, seen along the
 * line of centres, take no more than the room between the balls? */
static double
room_lasts(const struct against *motion, const double *n, double room,
           double ahead)
{
    double way[MOTION_ORDER + 1] = {0.0};
    for (int k = 1; k <= motion->order; k++)
        for (int i = 0; i < 3; i++)
            way[k] += k < 3 ? -n[i] * motion->c[i][k] : fabs(motion->c[i][k]);
    if (motion->order < 3)
        return fmin(ahead, first_below(room, -way[1], -way[2]));
    way[1] = fmax(way[1], 0.0);
    way[2] = fmax(way[2], 0.0);
    for (;; ahead *= NEAR_TRY) {
        double sum = 0.0;
        for (int k = motion->order; k > 0; k--)
            sum = (sum + way[k]) * ahead;
        if (!(sum > room))
            return ahead;
    }
}

/* Until when the bodies of a contact stay apart from the time t on, at which
 * their centres are more than `share` of their radii apart: no number, if they
 * are not. Infinite: as long as their pieces go on. */
static double
stay_apart(const struct clocks *clocks, uint32_t contact, double t,
           double share)
{
    const struct clock_contact *of = clocks->contact + contact;
    double radii =
        radius_of(clocks->run, of->one) + radius_of(clocks->run, of->two);
    struct against motion;
    if (!isfinite(radii))
        return NAN;
    memset(&motion, 0, sizeof motion);
    motion.ends = INFINITY;
    add_motion(clocks, of->one, -1.0, t, &motion);
    add_motion(clocks, of->two, 1.0, t, &motion);
    double n[3] = {motion.c[0][0], motion.c[1][0], motion.c[2][0]},
           distance = vec3_norm(n);
    if (!(distance > share * radii))
        return NAN;
    for (int i = 0; i < 3; i++)
        n[i] /= distance;
    double ahead = fmax(motion.ends - t, 0.0),
           lasts = room_lasts(&motion, n, distance - NEAR_BALLS * radii, ahead);
    return lasts < ahead ? t + lasts : INFINITY;
}

static void
set_near(struct clocks *clocks, uint32_t which, bool near)
{
    struct rt *run = clocks->run;
    struct clock_contact *contact = clocks->contact + which;
    contact->near = near;
    contact->apart = INFINITY;
    clocks->block[contact->one].n_near += near ? 1u : -1u;
    clocks->block[contact->two].n_near += near ? 1u : -1u;
    if (near) { /* whoever has looked at them meanwhile */
        closest_points_forget(run, which);
        contact->warm = 0;
    } else { /* its gap is open */
        clocks->left[which] = fmin(clocks->left[which], rt_time(run));
        event_held(run, which);
    }
}

/* The first time at which a contact of the block is asked again. */
static void
find_ask(struct clocks *clocks, uint32_t which)
{
    struct clock_block *block = clocks->block + which;
    block->ask = INFINITY;
    for (uint32_t k = clocks->first[which]; k < clocks->first[which + 1]; k++)
        block->ask = fmin(block->ask, clocks->contact[clocks->of[k]].apart);
}

/* Are the bodies of the contact far enough from each other at the present
 * state? */
static bool
opens(const struct clocks *clocks, const struct clock_contact *contact)
{
    const struct rt *run = clocks->run;
    double way[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < run->im->dim; i++)
        way[i] = run->env[clocks->block[contact->two].first + i] -
                 run->env[clocks->block[contact->one].first + i];
    return vec3_norm(way) > NEAR_OPEN * (radius_of(run, contact->one) +
                                         radius_of(run, contact->two));
}

void
clocks_near_begin(struct clocks *clocks)
{
    assert(clocks != NULL);
    double now = rt_time(clocks->run);
    for (uint32_t i = 0; i < clocks->run->im->blocks.n; i++) {
        struct clock_block *block = clocks->block + i;
        bool ended = !clocks->part[block->part].known && block->n_near > 0;
        if (!ended && block->ask > now)
            continue;
        for (uint32_t k = clocks->first[i]; k < clocks->first[i + 1]; k++) {
            uint32_t which = clocks->of[k];
            const struct clock_contact *contact = clocks->contact + which;
            if (!contact->near && contact->apart <= now)
                set_near(clocks, which, true);
            else if (contact->near && ended && opens(clocks, contact))
                set_near(clocks, which, false);
        }
        find_ask(clocks, i);
    }
}

bool
clocks_near_look(struct clocks *clocks)
{
    assert(clocks != NULL);
    double now = rt_time(clocks->run);
    bool any = false;
    for (uint32_t i = 0; i < clocks->run->im->blocks.n; i++) {
        if (!clocks->block[i].fresh)
            continue;
        for (uint32_t k = clocks->first[i]; k < clocks->first[i + 1]; k++) {
            uint32_t which = clocks->of[k];
            struct clock_contact *contact = clocks->contact + which;
            if (contact->near)
                continue;
            contact->apart = stay_apart(clocks, which, now, NEAR_BALLS);
            if (!(contact->apart > now)) {
                set_near(clocks, which, true);
                any = true;
            }
        }
    }
    for (uint32_t i = 0; i < clocks->run->im->blocks.n; i++) {
        if (!clocks->block[i].fresh)
            continue;
        clocks->block[i].fresh = false;
        find_ask(clocks, i);
        for (uint32_t k = clocks->first[i]; k < clocks->first[i + 1]; k++) {
            const struct clock_contact *contact =
                clocks->contact + clocks->of[k];
            struct clock_block *other =
                clocks->block +
                (contact->one == i ? contact->two : contact->one);
            other->ask = fmin(other->ask, contact->apart);
        }
    }
    return any;
}

bool
clocks_near_pass(struct clocks *clocks, double *t)
{
    assert(clocks != NULL && t != NULL);
    for (;;) {
        uint32_t first = 0;
        for (uint32_t i = 1; i < clocks->run->im->blocks.n; i++)
            if (clocks->block[i].ask < clocks->block[first].ask)
                first = i;
        double ask = clocks->block[first].ask;
        if (!(ask < *t))
            return false;
        for (uint32_t k = clocks->first[first]; k < clocks->first[first + 1];
             k++) {
            struct clock_contact *contact = clocks->contact + clocks->of[k];
            if (contact->apart > ask)
                continue;
            double next = stay_apart(clocks, clocks->of[k], ask, NEAR_ASK);
            if (!(next > ask))
                return *t = ask, true;
            contact->apart = next;
        }
        find_ask(clocks, first);
    }
}
