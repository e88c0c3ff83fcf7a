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
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/mode_change.h"
#include "runtime/modes/mode_select.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/numerics/lcp.h"
#include "runtime/numerics/vec3.h"

/* Accelerations and forces below this share of their terms are none: positions
 * and directions come from closest points, which are right to some 1e-13. */
#define FORCE_NONE 1e-10
/* An acceleration of a gap is a difference of terms: weight, and what the
 * motion along curved surfaces makes of the speeds. Below so many rounding
 * errors of those terms nothing presses the bodies together. */
#define FORCE_ROUNDING (256.0 * DBL_EPSILON)

/* A time is known to so many of its roundings: forces that hold for less hold
 * for none. */
#define ROUNDINGS_OF_TIME 8.0

int
contact_point_states(struct rt *run, const struct contact_point *spot, int n,
                     struct contact_point_state *out, double *G)
{
    assert(spot != NULL && out != NULL && n > 0);
    struct persistent_group *group = persistent_look_at(run, spot, n);
    uint32_t dim = run->im->dim;
    int st = persistent_instant(run, group, 3, UNKNOWN_NORMALS, G);
    for (int point = 0; point < n && !st; point++) {
        const struct persistent_row *row = &group->row[point];
        const imp_contact *image_contact = rt_contact(run, spot[point].contact);
        double speed = 0.0, turning = 0.0;
        for (int e = 0; e < 2; e++) {
            const imp_body *body = rt_body(run, image_contact->body[e]);
            const double *v = run->env + body->env_state + (dim == 2 ? 3 : 7);
            for (uint32_t j = 0; j < (dim == 2 ? 3u : 6u); j++) {
                double term =
                    fabs(row->open[e][dim == 2 && j == 2 ? 5 : j].c[0] * v[j]);
                speed += term;
                turning += j < dim ? 0.0 : term;
            }
        }
        out[point] = (struct contact_point_state){.spot = spot[point],
                                                  .gap = row->gap.c[0],
                                                  .rate = row->gap.c[1],
                                                  .speed = speed,
                                                  .turning = turning,
                                                  .free = 2.0 * row->gap.c[2],
                                                  .jerk = 6.0 * row->gap.c[3]};
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

/* The terms of an acceleration are weight across the normal, and speeds u along
 * surfaces that curve over lengths l, with u^2/l. */
double
mode_still_acceleration(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    double velocity[3] = {0.0, 0.0, 0.0}, turning = 0.0;
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, image_contact->body[e]);
        double speed, spin, reach = run->env[body->env_body + IMP_BODY_RADIUS];
        body_speeds(run, body, &speed, &spin);
        body_add_velocity(run, body, e == 0 ? -1.0 : 1.0, velocity);
        bool turns = isfinite(reach) && !(body->flags & IMP_BODYF_ROUND);
        turning += turns ? spin * spin * reach : 0.0;
    }
    double speed = vec3_norm(velocity);
    return FORCE_ROUNDING * (gap_weight(run, contact) + turning +
                             speed * speed / gap_length(run, contact));
}

double
mode_still_now(const struct rt *run, double rate)
{
    assert(run != NULL);
    return ROUNDINGS_OF_TIME * DBL_EPSILON * fabs(rt_time(run) * rate);
}

double
mode_speeds(struct rt *run, uint32_t contact, double time)
{
    assert(contact < run->im->contacts.n && time >= 0.0);
    double g = 0.0;
    for (int i = 0; i < 3; i++)
        g += fabs(run->world.gravity[i]);
    return speeds_at(run, contact) + 2.0 * g * time;
}

double
mode_still_rate(struct rt *run, uint32_t contact, double acceleration)
{
    assert(contact < run->im->contacts.n);
    double acc = fmax(fabs(acceleration), gap_weight(run, contact));
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
    double *none;               /* n: accelerations up to this are none */
};

static bool
complementary(struct rt *run, struct choice *problem)
{
    int count = 0, *index = NEW_N(run->brief, int, (size_t)problem->n + 1);
    double *G =
        NEW_N(run->brief, double, (size_t)problem->n *(size_t)problem->n + 1);
    double *free = NEW_N(run->brief, double, 2 * (size_t)problem->n + 1);
    double *lambda = free + problem->n;
    for (int i = 0; i < problem->n; i++)
        if (i != problem->left)
            index[count++] = i;
    for (int i = 0; i < count; i++) {
        free[i] = problem->p[index[i]].free;
        for (int j = 0; j < count; j++)
            G[i * count + j] = problem->G[index[i] * problem->n + index[j]];
    }
    int st = count ? lcp_solve(count, G, free, lambda,
                               NEW_N(run->brief, double, lcp_room(count) + 1))
                   : 0;
    if (st == 1 || st == 3)
        return false;
    for (int i = 0; i < problem->n; i++)
        problem->force[i] = 0.0;
    for (int i = 0; i < count; i++)
        problem->force[index[i]] = lambda[i];
    for (int i = 0; i < problem->n; i++) {
        problem->acc[i] = problem->p[i].free;
        problem->size[i] = fabs(problem->p[i].free);
        for (int j = 0; j < problem->n; j++) {
            double x = problem->G[i * problem->n + j] * problem->force[j];
            problem->acc[i] += x;
            problem->size[i] += fabs(x);
        }
    }
    return true;
}

/* Have the contacts of two points a moving body in common? */
static bool
together(const struct rt *run, uint32_t one, uint32_t two)
{
    const uint32_t *a = rt_contact(run, one)->body,
                   *b = rt_contact(run, two)->body;
    for (int i = 0; i < 4; i++)
        if (a[i / 2] == b[i % 2] && contact_point_body_moves(run, a[i / 2]))
            return true;
    return false;
}

/* What counts as none at each point: a share of its own terms, and rounding of
 * the forces at others, however small its own terms are. A force at a body
 * across the normal of a point leaves the rounding of both directions there. An
 * acceleration that is wrong by r_j at the point j makes the force there wrong
 * by r_j/G_jj, and the acceleration at the point i by G_ij r_j/G_jj. As
 * |G_ij|^2 <= G_ii G_jj no way around in the group makes more of it, so this
 * ends. */
static void
find_none(const struct rt *run, struct choice *problem)
{
    int n = problem->n;
    double *none = problem->none;
    const double *G = problem->G;
    bool grows = true;
    for (int i = 0; i < n; i++) {
        double terms = problem->size[i];
        for (int j = 0; j < n; j++)
            if (problem->force[j] > 0.0 &&
                together(run, problem->p[i].spot.contact,
                         problem->p[j].spot.contact))
                terms +=
                    sqrt(G[i * n + i]) * sqrt(G[j * n + j]) * problem->force[j];
        none[i] = FORCE_ROUNDING * terms;
    }
    for (int round = 0; round < n && grows; round++) {
        grows = false;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n && G[j * n + j] > 0.0; i++) {
                double from = fabs(G[i * n + j]) / G[j * n + j] * none[j];
                grows = grows || from > none[i];
                none[i] = fmax(none[i], from);
            }
    }
    for (int i = 0; i < n; i++)
        none[i] = fmax(none[i], FORCE_NONE * problem->size[i]);
}

/* Holds the points that push, and then those that the others keep closed. *to:
 * their group, or NULL. */
static int
keep(struct rt *run, struct choice *problem, struct persistent_group **to)
{
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, problem->n + 1);
    int count = 0, n_on;
    *to = NULL;
    for (int i = 0; i < problem->n; i++)
        if (problem->force[i] * problem->G[i * problem->n + i] >
            problem->none[i])
            spot[count++] = problem->p[i].spot;
    n_on = count;
    for (int i = 0; i < problem->n && n_on > 0; i++) {
        bool same = false;
        for (int j = 0; j < count; j++)
            same |= !memcmp(&spot[j], &problem->p[i].spot, sizeof *spot);
        if (!same && problem->acc[i] <= problem->none[i])
            spot[count++] = problem->p[i].spot;
    }
    if (n_on == 0)
        return IMP_OK;
    /* all of them are closed, whether they push or not */
    int st = count > n_on ? persistent_close(run, spot, count, NULL, NULL, NULL)
                          : IMP_OK;
    if (st)
        return st;
    struct persistent_group *group = *to = persistent_hold(run, spot, count);
    group->n_on = n_on;
    for (int i = n_on; i < count; i++)
        group->row[i].on = false;
    persistent_project_group(run, group);
    return persistent_group_series(run, group, 2, UINT32_MAX);
}

/* After persistent_instant, whose rows are laid aside: the size of what the
 * motion of both bodies of a contact makes of a point at this order
 * (m/s^order), in any direction. */
static double
moved_later(struct rt *run, const imp_contact *image_contact, int order)
{
    const double *rows[2];
    double sum = 0.0;
    uint32_t places = run->im->dim, turns = places == 2 ? 2 : 4;
    contact_bodies_rows(run, image_contact, rows);
    for (int e = 0; e < 2; e++) {
        const imp_body *body = rt_body(run, image_contact->body[e]);
        double reach = run->env[body->env_body + IMP_BODY_RADIUS];
        if (contact_point_body_moves(run, image_contact->body[e]))
            rows[e] = run->persistent_memory->own[body->block];
        for (uint32_t i = 0; i < places + turns && rows[e]; i++) {
            double size = i < places        ? 1.0
                          : isfinite(reach) ? 2.0 * reach
                                            : 0.0;
            if (body->pose[i] != IMP_NO_ROW)
                sum +=
                    size * fabs(rows[e][(size_t)body->pose[i] * IMP_ROW_STRIDE +
                                        IMP_ROW_PAD + (size_t)order]);
        }
    }
    return sum;
}

/* What rounding leaves of the coefficient (m/s^order) of a gap at this order, 3
 * or more: of what moves along the surfaces, and of what cancels before. */
static double
still_later(struct rt *run, uint32_t contact, int order)
{
    assert(order > 2);
    const imp_contact *image_contact = rt_contact(run, contact);
    double rate = 0.0, none = mode_still_acceleration(run, contact);
    for (int e = 0; e < 2; e++) {
        double speed, spin;
        body_speeds(run, rt_body(run, image_contact->body[e]), &speed, &spin);
        rate += spin + speed / gap_length(run, contact);
    }
    for (int k = 2; k < order; k++)
        none *= rate;
    return none + FORCE_ROUNDING * moved_later(run, image_contact, order);
}

/* Accelerations at points of a group that are rounding: those of which rounding
 * alone is left at any point of it. Light bodies between heavy ones make large
 * forces of them. */
static double
still_in_group(struct rt *run, const struct contact_point *spot, int n)
{
    double rounding = 0.0;
    for (int i = 0; i < n; i++)
        rounding =
            fmax(rounding, mode_still_acceleration(run, spot[i].contact));
    return rounding;
}

/* Accelerations of which rounding alone is left are none. */
static void
no_load(struct rt *run, const struct contact_point *spot,
        struct contact_point_state *states, int count)
{
    double rounding = still_in_group(run, spot, count);
    for (int i = 0; i < count; i++)
        if (fabs(states[i].free) <=
            fmax(rounding, mode_still_now(run, states[i].jerk)))
            states[i].free = 0.0;
}

int
mode_later_series(struct rt *run, struct persistent_group *group,
                  const struct contact_point *spot, int n, bool slips,
                  struct choice_later *out)
{
    assert(group != NULL && spot != NULL && out != NULL);
    const double **gap = NEW_N(run->brief, const double *, (size_t)n + 1),
                 **slip = NEW_N(run->brief, const double *, (size_t)n + 1),
                 **still = NEW_N(run->brief, const double *, (size_t)n + 1);
    int st = persistent_instant(run, group, CHOICE_LATER_MOST,
                                slips ? UNKNOWN_ROWS : UNKNOWN_NORMALS, NULL);
    double rounding = still_in_group(run, spot, n);
    for (int i = 0; i < n && !st; i++) {
        const struct persistent_row *row = &group->row[i];
        double *none = NEW_N(run->brief, double, CHOICE_LATER_MOST + 1);
        none[2] = fmax(rounding, mode_still_now(run, 6.0 * row->gap.c[3]));
        if (slips && row->friction)
            none[2] = fmax(none[2],
                           mode_still_now(run, 2.0 * row->friction->slip.c[2]));
        none[2] *= 0.5; /* the coefficient is half of the acceleration */
        for (int k = 3; k <= CHOICE_LATER_MOST; k++)
            none[k] = still_later(run, spot[i].contact, k);
        gap[i] = row->gap.c;
        slip[i] = slips && row->friction ? row->friction->slip.c : NULL;
        still[i] = none;
    }
    *out = (struct choice_later){n, slips ? 2 : 3, gap, still, still, slip};
    return st;
}

/* Nothing presses now. Does what presses some of the points begin to grow from
 * 0 at this instant? Then the problem becomes that of the points without an
 * acceleration, and of the first coefficients of their gaps. */
static int
look_later(struct rt *run, struct choice *problem, bool *grows)
{
    int n = problem->n, count = 0;
    struct contact_point *spot =
        NEW_N(run->brief, struct contact_point, (size_t)n + 1);
    struct contact_point_state *state =
        NEW_N(run->brief, struct contact_point_state, (size_t)n + 1);
    int *index = NEW_N(run->brief, int, (size_t)n + 1);
    bool *closed = NEW_N(run->brief, bool, (size_t)n + 1);
    double *G = NEW_N(run->brief, double, (size_t)n *(size_t)n + 1),
           *first = NEW_N(run->brief, double, (size_t)n + 1);
    *grows = false;
    for (int i = 0; i < n; i++)
        if (problem->p[i].free == 0.0) {
            spot[count] = problem->p[i].spot;
            state[count] = problem->p[i];
            closed[count] = true;
            index[count++] = i;
        }
    if (count == 0)
        return IMP_OK;
    struct persistent_group *group = persistent_look_at(run, spot, count);
    struct choice_later later;
    int st = mode_later_series(run, group, spot, count, false, &later);
    if (st)
        return st == IMP_NONFINITE ? IMP_OK : st;
    *grows = choice_later_order(&later, closed, first) > 0;
    if (!*grows)
        return IMP_OK;
    int left = 0;
    for (int i = 0; i < count; i++)
        if (closed[i]) {
            state[left] = state[i];
            state[left].free = first[i];
            index[left++] = index[i];
        }
    for (int i = 0; i < left; i++)
        for (int j = 0; j < left; j++)
            G[i * left + j] = problem->G[index[i] * n + index[j]];
    problem->n = left;
    problem->p = state;
    problem->G = G;
    problem->left = -1;
    return IMP_OK;
}

int
mode_select(struct rt *run, const struct contact_point *spot, int count,
            int left, enum mode_choice *choice)
{
    assert(choice != NULL && count >= 0 && left >= -1 && left < count);
    struct contact_point *at =
        NEW_N(run->brief, struct contact_point, count + 1);
    struct contact_point_state *states =
        NEW_N(run->brief, struct contact_point_state, count + 1);
    double *G = NEW_N(run->brief, double, (size_t)count *(size_t)count + 1);
    double *x = NEW_N(run->brief, double, 4 * (size_t)count + 1);
    struct choice problem = {.n = count, .p = states, .G = G, .left = left};
    problem.force = x;
    problem.acc = x + count;
    problem.size = x + 2 * count;
    problem.none = x + 3 * count;
    *choice = MODE_FREE;
    memcpy(at, spot, sizeof *at * (size_t)count);
    bool *block = NEW_N(run->brief, bool, run->im->blocks.n + 1);
    for (int i = 0; i < count; i++)
        persistent_mark(run, at[i].contact, block);
    persistent_release(run, block);
    if (count == 0)
        return IMP_OK;
    int st = contact_point_states(run, at, count, states, G);
    if (st)
        return st;
    no_load(run, at, states, count);
    if (!complementary(run, &problem)) {
        *choice = MODE_JAMMED;
        return IMP_OK;
    }
    /* The force of the point that ceased is 0 to rounding. Whether it would
     * pull or push from here on depends on what the others leave to it. */
    if (left >= 0 && problem.acc[left] < -1e-6 * problem.size[left]) {
        problem.left = -1;
        if (!complementary(run, &problem)) {
            *choice = MODE_JAMMED;
            return IMP_OK;
        }
    }
    bool pushes = false, grows = false;
    for (int i = 0; i < count; i++)
        pushes |= problem.force[i] > 0.0;
    if (!pushes && (st = look_later(run, &problem, &grows)))
        return st;
    if (grows && !complementary(run, &problem)) {
        *choice = MODE_JAMMED;
        return IMP_OK;
    }
    find_none(run, &problem);
    struct persistent_group *group;
    if ((st = keep(run, &problem, &group)))
        return st;
    if (group)
        *choice = group->delassus.rank < group->n_on ? MODE_SHARED : MODE_HOLDS;
    return IMP_OK;
}

bool
mode_accelerations(struct rt *run, int count,
                   const struct contact_point_state *states, const double *G,
                   double *acc)
{
    assert(count > 0 && states != NULL && G != NULL && acc != NULL);
    int n_closed = 0;
    size_t size = (size_t)count;
    int *index = NEW_N(run->brief, int, size + 1);
    double *matrix =
        NEW_N(run->brief, double, size *size + 2 * size + lcp_room(count) + 1);
    double *q = matrix + size * size, *force = q + size;
    for (int i = 0; i < count; i++)
        if (states[i].gap == 0.0 && states[i].rate == 0.0)
            index[n_closed++] = i;
    for (int i = 0; i < n_closed; i++) {
        q[i] = states[index[i]].free;
        for (int j = 0; j < n_closed; j++)
            matrix[i * n_closed + j] = G[index[i] * count + index[j]];
    }
    int st = n_closed ? lcp_solve(n_closed, matrix, q, force, force + size) : 0;
    for (int i = 0; i < count; i++) {
        acc[i] = states[i].free;
        for (int j = 0; j < n_closed; j++)
            acc[i] += G[i * count + index[j]] * force[j];
    }
    return st == 0 || st == 2;
}

/* -- impulses at groups of points -------------------------------------------
 */

/* What impulses change is the same to this share, as rows of the Delassus
 * matrix that depend on each other are (accumulation_forecast.c). */
#define SHARES_EVEN 1e-11

/* What an impulse at group k, shared so, does to the rate of point i. */
static double
change_of(int count, const double *G, const int *group, const double *share,
          int i, int k)
{
    double sum = 0.0;
    for (int j = 0; j < count; j++)
        if (group[j] == k)
            sum += G[i * count + j] * share[j];
    return sum;
}

/* Does an impulse at group k, shared so, change all points of each group alike?
 */
static bool
changes_alike(int count, const double *G, const int *group, const double *share,
              int k)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (group[i] == group[j] &&
                fabs(change_of(count, G, group, share, i, k) -
                     change_of(count, G, group, share, j, k)) >
                    SHARES_EVEN * G[i * (count + 1)])
                return false;
    return true;
}

/* The shares of an impulse at group k that change its own points alike. */
static bool
own_shares(struct rt *run, int count, const double *G, const int *group, int k,
           double *share)
{
    size_t size = (size_t)count;
    int n = 0, *of = NEW_N(run->brief, int, size);
    double *room = NEW_N(run->brief, double,
                         size *size + 2 * size + lcp_room(count)),
           *q = room + size * size, *z = q + size, sum = 0.0;
    for (int i = 0; i < count; i++)
        if (group[i] == k)
            of[n++] = i;
    for (int i = 0; i < n; i++) {
        q[i] = -1.0;
        for (int j = 0; j < n; j++)
            room[i * n + j] = G[of[i] * count + of[j]];
    }
    int st = lcp_solve(n, room, q, z, z + size);
    for (int i = 0; i < n; i++)
        sum += z[i];
    for (int i = 0; i < n && sum > 0.0; i++)
        share[of[i]] = z[i] / sum;
    return (st == 0 || st == 2) && sum > 0.0;
}

bool
mode_even_shares(struct rt *run, int count, const double *G, const int *group,
                 int groups, double *share, bool *uneven)
{
    assert(run != NULL && count > 0 && G != NULL && share != NULL);
    double *size = NEW_N(run->brief, double, (size_t)groups + 1);
    for (int i = 0; i < count; i++)
        size[group[i]] += 1.0;
    for (int i = 0; i < count; i++)
        share[i] = 1.0 / size[group[i]];
    for (int k = 0; k < groups; k++) {
        uneven[k] = !changes_alike(count, G, group, share, k);
        if (uneven[k] && size[k] > 1.0)
            uneven[k] = !own_shares(run, count, G, group, k, share) ||
                        !changes_alike(count, G, group, share, k);
        if (uneven[k] && size[k] > 1.0)
            return false;
    }
    return true;
}

/* -- the orders of a search for changes ------------------------------------
 */

/* Series of few orders hold for about this share of the time of long ones, or
 * longer. */
#define FEW_HOLD (1.0 / 16.0)

/* Are all points that are held those of smooth bodies without friction? */
static bool
smooth_points(const struct rt *run)
{
    bool all = true;
    for (int i = 0; run->persistent && i < run->persistent->n_row; i++) {
        const struct persistent_row *row = run->persistent->row[i];
        all &= row->spot.kind == POINT_SURFACE && !row->friction;
    }
    return all;
}

bool
mode_change_few(const struct rt *run, const struct mode_change *last,
                double *enough)
{
    assert(run != NULL && last != NULL && enough != NULL);
    *enough = INFINITY;
    if (!motion_by_weight(run))
        return false;
    if (persistent_polytopes(run))
        return true;
    /* in a heap the next event comes soon: so does the one after it */
    double pace = rt_time(run) - last->from,
           held = last->holds *
                  (last->order == MOTION_STEP_ORDER ? FEW_HOLD : 1.0);
    *enough = 2.0 * pace;
    return pace >= 0.0 && *enough < held && smooth_points(run);
}
