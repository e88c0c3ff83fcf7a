/* SPDX-License-Identifier: MIT */
/* When two edges come to cross (edge_meeting.h).
 *
 * With the directions d and e of the edges, normals n1, n2 of the faces beside
 * the first and m1, m2 beside the second, and p the place of the second one's
 * beginning seen from that of the first:
 *   they cross                      |d x e|^2
 *   their outer sides               s e.((n1 + n2) x d), -s d.(e x (m1 + m2))
 *   the crossing is on the first    (p x e).(d x e), from 0 to |d x e|^2 length
 *   and on the second               (p x d).(d x e), the same
 * are above 0, with s = 1 or s = -1. All of them are polynomials in the motion,
 * without divisions, so that they hold where edges turn through parallel, too.
 */
#include <assert.h>
#include <math.h>

#include "runtime/features/edge_meeting.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/vec3.h"

/* Edges come to cross where the conditions of polytope_edges_meet hold by so
 * much, and part where these, or these hold no more: shares of lengths beside
 * the edges, squares of sines, and sines of an edge to the plane across. */
#define MEET_ASIDE 0.125
#define PART_ASIDE 0.25
#define MEET_SINE2 4e-12
#define PART_SINE2 1e-12
#define MEET_OUTER 1e-9
#define PART_OUTER 5e-10
/* below minus this share of their lengths edges do not touch from outside */
#define MEET_DEEP 1e-6

/* Terms left out of the conditions, as their last ones tell, stay below this
 * share of their sizes; behind that they tell nothing. */
#define MEET_TRUNCATION 1e-9
#define LAST_TERMS 4

enum { CONDITIONS = 7, TURNS_MOST = 16 };

struct conditions {
    struct taylor meet[CONDITIONS], part[CONDITIONS]; /* above 0 */
};

struct pair {
    const struct edges_moving *moving;
    double until; /* s: for how long the conditions hold */
    const struct polytope_edge *edge[2];
    const double *begin[2];
    double length[2], outer[2][3]; /* outer: n1 + n2, m1 + m2 */
    struct taylor across[3], dir[3], apart[3], sine2;
};

void
edges_moving_begin(struct edges_moving *moving)
{
    assert(moving != NULL && moving->span >= 0.0);
    double power = 1.0;
    moving->turned = 0.0;
    for (int k = 1; k <= moving->order; k++) {
        double sum = 0.0;
        power *= moving->span;
        for (int i = 0; i < 9; i++)
            sum += moving->R[i].c[k] * moving->R[i].c[k];
        if (sum > 0.0)
            moving->turned += sqrt(sum) * power;
    }
}

static void
pair_begin(struct pair *pair, const struct edges_moving *moving,
           uint32_t of_one, uint32_t of_other)
{
    pair->moving = moving;
    for (int i = 0; i < 2; i++) {
        const struct polytope *polytope = moving->p[i];
        const struct polytope_edge *edge =
            polytope->edge + (i == 0 ? of_one : of_other);
        double along[3];
        pair->edge[i] = edge;
        pair->begin[i] = polytope->vertex[edge->v[0]];
        vec3_sub(polytope->vertex[edge->v[1]], pair->begin[i], along);
        pair->length[i] = vec3_norm(along);
        for (int j = 0; j < 3; j++)
            pair->outer[i][j] = polytope->face[edge->face[0]].n[j] +
                                polytope->face[edge->face[1]].n[j];
    }
}

/* Where the middle of the second edge is now, seen from that of the first, and
 * its direction. */
static void
now(const struct pair *pair, double middle[3], double dir[3])
{
    const struct edges_moving *moving = pair->moving;
    for (int i = 0; i < 3; i++) {
        middle[i] = moving->c[i].c[0] - pair->begin[0][i] -
                    0.5 * pair->length[0] * pair->edge[0]->dir[i];
        dir[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            double r = moving->R[3 * i + j].c[0];
            dir[i] += r * pair->edge[1]->dir[j];
            middle[i] += r * (pair->begin[1][j] +
                              0.5 * pair->length[1] * pair->edge[1]->dir[j]);
        }
    }
}

/* Are the edges too far from each other to touch within the span, or do their
 * outer sides stay away from each other? */
static bool
out_of_reach(const struct pair *pair)
{
    double middle[3], dir[3], side[2], product[3], back[3];
    const struct edges_moving *moving = pair->moving;
    now(pair, middle, dir);
    if (vec3_norm(middle) - 0.5 * (pair->length[0] + pair->length[1]) >
        moving->speed * moving->span)
        return true;
    vec3_cross(pair->outer[0], pair->edge[0]->dir, product);
    side[0] = vec3_dot(dir, product);
    vec3_cross(pair->edge[1]->dir, pair->outer[1], product);
    for (int j = 0; j < 3; j++)
        back[j] = moving->R[j].c[0] * pair->edge[0]->dir[0] +
                  moving->R[3 + j].c[0] * pair->edge[0]->dir[1] +
                  moving->R[6 + j].c[0] * pair->edge[0]->dir[2];
    side[1] = vec3_dot(back, product);
    /* the vectors that are multiplied are no longer than 2 */
    double change = 2.0 * moving->turned;
    return fmin(side[0], -side[1]) + change <= 0.0 &&
           fmin(-side[0], side[1]) + change <= 0.0;
}

/* Sets `out` to a b for a matrix of series and a fixed vector. */
static void
turned(const struct pair *pair, const double b[3], struct taylor out[3])
{
    for (int i = 0; i < 3; i++)
        taylor_dot_const(pair->moving->order, pair->moving->R + 3 * i, b,
                         &out[i]);
}

/* The fixed vector a times a series of vectors. */
static void
cross_fixed(int order, const double a[3], const struct taylor b[3],
            struct taylor out[3])
{
    for (int i = 0; i < 3; i++) {
        int u = (i + 1) % 3, v = (i + 2) % 3;
        for (int k = 0; k <= order; k++)
            out[i].c[k] = a[u] * b[v].c[k] - a[v] * b[u].c[k];
    }
}

/* The conditions that the crossing is on an edge: from minus `aside` of its
 * length to as much beyond it. */
static void
on_edge(const struct pair *pair, int body, const struct taylor *place,
        double aside, struct taylor condition[2])
{
    double length = pair->length[body];
    for (int k = 0; k <= pair->moving->order; k++) {
        double sine2 = pair->sine2.c[k] * length;
        condition[0].c[k] = place->c[k] + aside * sine2;
        condition[1].c[k] = (1.0 + aside) * sine2 - place->c[k];
    }
}

/* Makes all conditions for s = 1. */
static void
make(struct pair *pair, struct conditions *out)
{
    const struct edges_moving *moving = pair->moving;
    int order = moving->order;
    struct taylor side[2], product[3], place, beside[3];
    double fixed[3];
    turned(pair, pair->edge[1]->dir, pair->dir);
    turned(pair, pair->begin[1], pair->apart);
    for (int i = 0; i < 3; i++) {
        taylor_add(order, &pair->apart[i], &moving->c[i], &pair->apart[i]);
        pair->apart[i].c[0] -= pair->begin[0][i];
    }
    cross_fixed(order, pair->edge[0]->dir, pair->dir, pair->across);
    taylor_dot(order, pair->across, pair->across, &pair->sine2);
    vec3_cross(pair->outer[0], pair->edge[0]->dir, fixed);
    taylor_dot_const(order, pair->dir, fixed, &side[0]);
    vec3_cross(pair->edge[1]->dir, pair->outer[1], fixed);
    turned(pair, fixed, beside);
    taylor_dot_const(order, beside, pair->edge[0]->dir, &side[1]);
    taylor_scale(order, -1.0, &side[1], &side[1]);
    out->meet[0] = out->part[0] = pair->sine2;
    out->meet[1] = out->part[1] = side[0];
    out->meet[2] = out->part[2] = side[1];
    for (int body = 0; body < 2; body++) {
        if (body == 0)
            taylor_cross(order, pair->apart, pair->dir, product);
        else {
            cross_fixed(order, pair->edge[0]->dir, pair->apart, product);
            for (int i = 0; i < 3; i++)
                taylor_scale(order, -1.0, &product[i], &product[i]);
        }
        taylor_dot(order, product, pair->across, &place);
        on_edge(pair, body, &place, MEET_ASIDE, out->meet + 3 + 2 * body);
        on_edge(pair, body, &place, PART_ASIDE, out->part + 3 + 2 * body);
    }
    out->meet[0].c[0] -= MEET_SINE2;
    out->part[0].c[0] -= PART_SINE2;
}

/* The time for which the conditions hold, which are products of series and hold
 * for less time than these: at most the span. */
static double
holds(const struct pair *pair, const struct conditions *conditions)
{
    int order = pair->moving->order;
    double until = pair->moving->span;
    for (int i = 0; i < CONDITIONS; i++)
        for (int k = order - LAST_TERMS + 1; k <= order; k++)
            if (k > 0)
                until =
                    term_time(until, conditions->meet[i].c[k], k,
                              MEET_TRUNCATION *
                                  (i < 3 ? 1.0 : pair->length[(i - 3) / 2]));
    return until;
}

/* The other sign s; levels of the outer sides stand. */
static void
turn_round(const struct pair *pair, struct conditions *conditions)
{
    for (int i = 1; i < 3; i++) {
        taylor_scale(pair->moving->order, -1.0, &conditions->meet[i],
                     &conditions->meet[i]);
        conditions->part[i] = conditions->meet[i];
    }
}

/* When do they come to cross, first or again? */
static bool
comes(const struct pair *pair, const struct conditions *conditions, double from,
      double *time)
{
    int order = pair->moving->order, hold = 0;
    double span = pair->until, rising[IMP_ORDER_MAX + 1], s;
    for (int turn = 0; hold < CONDITIONS && turn < TURNS_MOST * CONDITIONS;
         turn++) {
        const double *c = conditions->meet[turn % CONDITIONS].c;
        double level =
            turn % CONDITIONS == 1 || turn % CONDITIONS == 2 ? MEET_OUTER : 0.0;
        hold++;
        if (polynomial_value(c, order, from) > level)
            continue;
        for (int k = 0; k <= order; k++)
            rising[k] = -c[k];
        if (!polynomial_below(rising, order, from, span, -level, &s))
            return false;
        if (s > from)
            hold = 1;
        from = s;
    }
    *time = from;
    return true;
}

/* They cross: when do they part? Infinite: not within the span. */
static double
parts(const struct pair *pair, const struct conditions *conditions, double from)
{
    double first = INFINITY, s;
    for (int i = 0; i < CONDITIONS; i++)
        if (polynomial_below(conditions->part[i].c, pair->moving->order, from,
                             fmin(pair->until, first),
                             i == 1 || i == 2 ? PART_OUTER : 0.0, &s))
            first = s;
    return first;
}

static bool
crosses_now(const struct conditions *conditions)
{
    for (int i = 0; i < CONDITIONS; i++)
        if (!(conditions->part[i].c[0] > (i == 1 || i == 2 ? PART_OUTER : 0.0)))
            return false;
    return true;
}

/* The gap of the crossing at a time, along the normal outward from the first
 * edge. No two points of the edges are nearer to each other. */
static double
gap_at(const struct pair *pair, double sign, double time)
{
    double across[3], apart[3];
    int order = pair->moving->order;
    for (int i = 0; i < 3; i++) {
        across[i] = taylor_at(order, &pair->across[i], time);
        apart[i] = taylor_at(order, &pair->apart[i], time);
    }
    return sign * vec3_dot(across, apart) / vec3_norm(across);
}

/* When do they come to cross where they may touch, at most `first`? Edges that
 * cross behind each other have to part before that. */
static double
comes_near(const struct pair *pair, const struct conditions *conditions,
           double sign, double first)
{
    const struct edges_moving *moving = pair->moving;
    double s = crosses_now(conditions) ? parts(pair, conditions, 0.0) : 0.0,
           little = MEET_DEEP * (pair->length[0] + pair->length[1]);
    for (int turn = 0; s < first && comes(pair, conditions, s, &s) && s < first;
         turn++) {
        double gap = gap_at(pair, sign, s);
        if (fabs(gap) > moving->speed * (moving->span - s) + little)
            return INFINITY;
        if (gap >= -little || turn == TURNS_MOST)
            return s;
        s = parts(pair, conditions, s);
    }
    return INFINITY;
}

bool
edges_come_to_meet(const struct edges_moving *moving, uint32_t of_one,
                   uint32_t of_other, double *time)
{
    assert(moving != NULL && time != NULL && isfinite(moving->span));
    assert(of_one < moving->p[0]->n_edge && of_other < moving->p[1]->n_edge);
    struct pair pair;
    struct conditions conditions;
    pair_begin(&pair, moving, of_one, of_other);
    if (out_of_reach(&pair))
        return false;
    make(&pair, &conditions);
    pair.until = holds(&pair, &conditions);
    double first = comes_near(&pair, &conditions, 1.0, INFINITY);
    turn_round(&pair, &conditions);
    first = fmin(first, comes_near(&pair, &conditions, -1.0, first));
    if (pair.until < moving->span)
        first = fmin(first, pair.until);
    *time = first;
    return isfinite(first);
}
