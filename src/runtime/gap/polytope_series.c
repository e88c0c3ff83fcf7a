/* SPDX-License-Identifier: MIT */
/* The gap of two polytopes as a time series, and until when it holds
 * (polytope_contact.h).
 *
 * The nearest features are decided by conditions that are series, too. The
 * series of the gap holds until the first condition fails by more than
 * polytope_contact_slack. At a state where features change places, the search
 * looks for the next features a little later, so that a run always advances.
 *
 * While the bodies overlap, the gap is the greatest separation sigma(n). The
 * normal of a face stays a candidate with its support vertex. The pairs of
 * edges whose normals cross stay the same as long as no face's normal changes
 * its support vertex: an arc of one body begins to cross an arc of the other
 * only where an end of an arc, which is a normal of a face, passes over the
 * other arc. And sigma(n) is at most n.(y - x) for any points x, y of the
 * bodies. So it is enough to follow the present vertices and pairs of edges.
 * Letters: c, R the pose of body 1, whose point x is at c + R x; n a unit
 * normal. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/gap/polytope_contact_priv.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/support.h"
#include "runtime/numerics/taylor.h"
#include "runtime/numerics/vec3.h"

/* While a series is used, positions stay below this many lengths, so that the
 * rounding error of the largest term stays below the tolerance of the gap (as
 * in events/contact_root.c). */
#define SERIES_LARGEST 1e3
/* Features that hold for less than this share of the series of the pose are
 * searched for again a little later, at most this many times. */
#define SERIES_SHORT 1e-6
#define SERIES_ROUNDS 6
/* If none of these holds, conditions may lack so many times more: below the
 * share of the tolerance by which the search lets a gap differ at the end of a
 * step (EVENT_CHECK of events/event.c is ten slacks). */
#define SERIES_NEARLY 8.0
/* an overlap of more than this share of the size is more than a touch */
#define SERIES_DEEP 1e-6
/* A series is used for at least this many units in the last place of the time.
 */
#define SERIES_ULPS 8.0

/* -- the pose ----------------------------------------------------------------
 *
 * Many questions are asked of one motion: the last answers are kept, and hold
 * for as long as the series of both poses, from which they are made, are the
 * same. */

/* answers that are kept: of some orders, free and with the forces of contacts
 */
#define POSES_KEPT 4
/* numbers of a pose */
#define POSE_ENTRIES 7

struct kept_pose {
    bool used;
    int order;
    /* what it is made of: the series of both poses, and the numbers of those
     * that do not move */
    double from[2][POSE_ENTRIES][IMP_ORDER_MAX + 1];
    double still[2][POSE_ENTRIES];
    struct taylor centre[3], turn[9];
    double holds; /* negative: nobody has asked yet */
};
struct polytope_kept_poses {
    int next, last; /* last: of the last answer, which is asked for most */
    struct kept_pose pose[POSES_KEPT];
};

/* Makes the pose from the series of both bodies. Its coefficients below `from`
 * stand; those of the rows of `work` below `stand` do, too. */
static int
make(struct rt *run, uint32_t contact, double *work, int stand, int from,
     int order, struct taylor centre[3], struct taylor turn[9])
{
    const imp_contact *image_contact = rt_contact(run, contact);
    const double *rows[2] = {NULL, NULL};
    uint32_t dim = run->im->dim;
    contact_bodies_rows(run, image_contact, rows);
    contact_bodies_enter(run, image_contact);
    int st = rt_series_from(run, image_contact->relative, NULL, rows, work,
                            stand, order);
    if (st)
        return st;
    if (dim == 2)
        taylor_const_from(from, order, 0.0, &centre[2]);
    for (uint32_t i = 2; i < 9 && dim == 2; i++)
        if (i % 3 == 2 || i >= 6)
            taylor_const_from(from, order, i == 8 ? 1.0 : 0.0, &turn[i]);
    for (uint32_t i = 0; i < dim + dim * dim; i++) {
        const double *row =
            tape_output_row(run, image_contact->relative, work, i);
        uint32_t at = i < dim ? i : 3 * ((i - dim) / dim) + (i - dim) % dim;
        struct taylor *out = i < dim ? &centre[at] : &turn[at];
        memcpy(out->c + from, row + from,
               sizeof(double) * (size_t)(order + 1 - from));
    }
    return IMP_OK;
}

int
polytope_relative_pose_once(struct rt *run, uint32_t contact, int from,
                            int order, struct taylor centre[3],
                            struct taylor turn[9])
{
    assert(run != NULL && contact < run->im->contacts.n);
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    return make(run, contact, contact_work(run, contact), 0, from, order,
                centre, turn);
}

int
polytope_relative_pose_again(struct rt *run, uint32_t contact,
                             struct polytope_pose_work *work, int from,
                             int order, struct taylor centre[3],
                             struct taylor turn[9])
{
    assert(run != NULL && contact < run->im->contacts.n);
    assert(from >= 0 && from <= order && order <= IMP_ORDER_MAX);
    const imp_contact *image_contact = rt_contact(run, contact);
    size_t size =
        (size_t)rt_tape(run, image_contact->relative)->n_rows * IMP_ROW_STRIDE;
    if (size > work->size) {
        work->rows = NEW_N(run->own, double, size);
        work->size = size;
        work->contact = UINT32_MAX;
    }
    int stand = work->contact == contact && from < work->made ? from
                : work->contact == contact                    ? work->made
                                                              : 0;
    int st = make(run, contact, work->rows, stand, from, order, centre, turn);
    work->contact = contact;
    work->made = st ? 0 : order + 1;
    return st;
}

/* Returns for how long one number of the pose holds, which counts `scale` (m)
 * in gaps; at most `holds`. */
static double
row_holds(const struct taylor *row, int order, double scale, double length,
          double slack, double holds)
{
    double most = fmax(SERIES_LARGEST * length, 8.0 * fabs(row->c[0]));
    for (int n = 1; n <= order && n <= 4; n++)
        holds = term_time(holds, scale * row->c[n], n, most);
    for (int n = order - 3; n <= order && order >= 8; n++)
        holds = term_time(holds, scale * row->c[n], n, slack / 16.0);
    return holds;
}

/* Returns the time for which the terms left out stay below rounding. */
static double
pose_holds(struct rt *run, uint32_t contact, const struct kept_pose *kept)
{
    uint32_t dim = run->im->dim;
    double length = gap_length(run, contact), holds = INFINITY,
           slack = polytope_contact_slack(run, contact);
    for (uint32_t i = 0; i < dim; i++) {
        holds =
            row_holds(&kept->centre[i], kept->order, 1.0, length, slack, holds);
        /* in the plane the second row has the numbers of the first again */
        for (uint32_t j = 0; j < dim && (dim == 3 || i == 0); j++)
            holds = row_holds(&kept->turn[3 * i + j], kept->order, length,
                              length, slack, holds);
    }
    return holds;
}

/* Returns the series of number j of the pose of a body; NULL: it has none. */
static const double *
pose_row(const imp_body *body, const double *rows, int j)
{
    if (!rows || body->pose[j] == IMP_NO_ROW)
        return NULL;
    return rows + (size_t)body->pose[j] * IMP_ROW_STRIDE + IMP_ROW_PAD;
}

/* Is this answer of the same series, up to this order? */
static bool
is_kept(const struct rt *run, const imp_contact *image_contact,
        const double *const rows[2], int order, const struct kept_pose *kept)
{
    for (int side = 0; side < 2; side++) {
        const imp_body *body = rt_body(run, image_contact->body[side]);
        if (memcmp(kept->still[side], run->env + body->env_state,
                   sizeof(double) * (run->im->dim == 2 ? 3 : POSE_ENTRIES)))
            return false;
        for (int j = 0; j < (run->im->dim == 2 ? 4 : POSE_ENTRIES); j++) {
            const double *row = pose_row(body, rows[side], j);
            if (row && memcmp(kept->from[side][j], row,
                              sizeof(double) * (size_t)(order + 1)))
                return false;
        }
    }
    return true;
}

/* Notes of which series the answer is. */
static void
keep(const struct rt *run, const imp_contact *image_contact,
     const double *const rows[2], int order, struct kept_pose *kept)
{
    kept->used = true;
    kept->order = order;
    for (int side = 0; side < 2; side++) {
        const imp_body *body = rt_body(run, image_contact->body[side]);
        memcpy(kept->still[side], run->env + body->env_state,
               sizeof(double) * (run->im->dim == 2 ? 3 : POSE_ENTRIES));
        for (int j = 0; j < (run->im->dim == 2 ? 4 : POSE_ENTRIES); j++) {
            const double *row = pose_row(body, rows[side], j);
            if (row)
                memcpy(kept->from[side][j], row,
                       sizeof(double) * (size_t)(order + 1));
        }
    }
}

int
polytope_relative_pose(struct rt *run, uint32_t contact, int order,
                       struct taylor centre[3], struct taylor turn[9],
                       double *holds)
{
    assert(run != NULL && contact < run->im->contacts.n);
    assert(order >= 0 && order <= IMP_ORDER_MAX);
    const imp_contact *image_contact = rt_contact(run, contact);
    struct polytope_contact_memo *memo = polytope_contact_memo(run, contact);
    const double *rows[2] = {NULL, NULL};
    contact_bodies_rows(run, image_contact, rows);
    if (!memo->poses)
        memo->poses = NEW(run->own, struct polytope_kept_poses);
    struct kept_pose *kept = NULL;
    /* one of more orders has the same coefficients, but holds for longer */
    for (int i = 0; i < POSES_KEPT && !kept; i++) {
        int at = (memo->poses->last + i) % POSES_KEPT;
        struct kept_pose *pose = &memo->poses->pose[at];
        if (pose->used &&
            (holds ? pose->order == order : pose->order >= order) &&
            is_kept(run, image_contact, rows, order, pose)) {
            kept = pose;
            memo->poses->last = at;
        }
    }
    if (!kept) {
        kept = &memo->poses->pose[memo->poses->next];
        kept->used = false;
        kept->holds = -1.0;
        int st = make(run, contact, contact_work(run, contact), 0, 0, order,
                      kept->centre, kept->turn);
        if (st)
            return st;
        keep(run, image_contact, rows, order, kept);
        memo->poses->last = memo->poses->next;
        memo->poses->next = (memo->poses->next + 1) % POSES_KEPT;
    }
    for (int i = 0; i < 9; i++) {
        memcpy(turn[i].c, kept->turn[i].c,
               sizeof(double) * (size_t)(order + 1));
        if (i < 3)
            memcpy(centre[i].c, kept->centre[i].c,
                   sizeof(double) * (size_t)(order + 1));
    }
    if (holds && kept->holds < 0.0)
        kept->holds = pose_holds(run, contact, kept);
    if (holds)
        *holds = kept->holds;
    return IMP_OK;
}

/* -- the gap ------------------------------------------------------------------
 */

static void
pose_at(const struct polytope_scene *now, int order, const struct taylor c[3],
        const struct taylor R[9], double t, struct polytope_scene *out)
{
    double(*point)[3] = out->point;
    *out = *now;
    out->point = point;
    for (int i = 0; i < 3; i++)
        out->c[i] = taylor_at(order, &c[i], t);
    for (int i = 0; i < 9; i++)
        out->R[i] = taylor_at(order, &R[i], t);
    polytope_scene_place(out);
}

/* Returns a bound of the rate of a vector of n series within [0, T]: the sum of
 * k |a_k| T^(k-1). */
static double
fastest_vector(int order, const struct taylor *a, int n, double T)
{
    double sum = 0.0;
    for (int k = order; k >= 1; k--) {
        double square = 0.0;
        for (int i = 0; i < n; i++)
            square += a[i].c[k] * a[i].c[k];
        sum = sum * T + k * sqrt(square);
    }
    return sum;
}

/* Returns a bound of the rates of n series within [0, T]: the sums of k |a_k|
 * T^(k-1). */
static double
fastest(int order, const struct taylor *a, int n, double T)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double part = 0.0;
        for (int k = order; k >= 1; k--)
            part = part * T + k * fabs(a[i].c[k]);
        sum += part;
    }
    return sum;
}

/* Does the separation along the common normal of two edges stay below `gap`
 * until the conditions so far end? It does if it starts further below than it
 * can catch up, with the bounds of fastest() for q = apart and m = u x w:
 * |(q.n)'| <= |q'| + |q||n'|, |n'| <= 2|w'|/|m|, where |m| stays at least half
 * of what it is at the start. */
static bool
stays_behind(const struct polytope_scene *scene,
             const struct feature_pair *edges, const struct taylor centre[3],
             const struct taylor pose_turn[9], const struct taylor *gap,
             const struct feature_validity *validity)
{
    const double *u = scene->p[0]->edge[edges->index[0]].dir;
    const double *b = scene->p[1]->edge[edges->index[1]].dir;
    double w[3], near0[3], near1[3], apart[3], m[3],
        span = fmin(validity->first, validity->horizon);
    if (!(span > 0.0))
        return true;
    for (int i = 0; i < 3; i++)
        w[i] = vec3_dot(scene->R + 3 * i, b);
    vec3_cross(u, w, m);
    double sine = vec3_norm(m),
           turn = fastest(validity->order, pose_turn, 9, span);
    double move =
        fastest(validity->order, centre, 3, span) + scene->p[1]->radius * turn;
    if (!(sine > 2.0 * turn * span))
        return false;
    polytope_edge_points(scene, edges->index[0], edges->index[1], near0, near1);
    for (int i = 0; i < 3; i++)
        apart[i] = near1[i] - near0[i];
    /* the bodies overlap: near1 lies behind near0, q.n < 0 */
    double behind = gap->c[0] + vec3_norm(apart);
    double rate = fastest(validity->order, gap, 1, span) + move +
                  (scene->size + move * span) * 4.0 * turn / sine;
    return behind > span * rate;
}

/* Does the separation along the normal of a face of `body` stay below `gap`
 * until the conditions so far end? It is `apart` now, and changes no faster
 * than the points of the other body, as that face sees them: |c'| + r|R'| where
 * it is fixed, |c'| + |R'||x - c| where it turns (the other body is fixed
 * then). */
static bool
face_stays_behind(const struct polytope_scene *scene, int body, double apart,
                  const struct taylor centre[3],
                  const struct taylor pose_turn[9], const struct taylor *gap,
                  const struct feature_validity *validity)
{
    double span = fmin(validity->first, validity->horizon);
    if (!(span > 0.0))
        return true;
    /* in the plane both columns turn alike */
    const struct taylor column[2] = {pose_turn[0], pose_turn[3]};
    double turn = scene->dim == 2
                      ? fastest_vector(validity->order, column, 2, span)
                      : fastest_vector(validity->order, pose_turn, 9, span),
           move = fastest_vector(validity->order, centre, 3, span),
           reach = body == 0 ? scene->p[1]->radius
                             : scene->p[0]->radius + vec3_norm(scene->c) +
                                   move * span;
    double rate = fastest(validity->order, gap, 1, span) + move + turn * reach;
    return gap->c[0] - apart > span * rate;
}

/* Adds a condition for every normal of a face, and for every pair of edges,
 * that may come to separate the bodies better than the present pair. */
static void
others(const struct polytope_scene *scene, const struct polytope_scene *soon,
       const struct feature_pair *pair, const struct taylor centre[3],
       const struct taylor turn[9], const struct taylor *gap,
       struct feature_validity *validity)
{
    for (int body = 0; body < 2; body++)
        for (uint32_t face = 0; face < scene->p[body]->n_face; face++) {
            struct feature_pair other;
            struct taylor separation, less;
            double n[3];
            uint32_t at[2];
            for (int i = 0; i < 3; i++)
                n[i] = body == 0 ? scene->p[0]->face[face].n[i]
                                 : -vec3_dot(scene->R + 3 * i,
                                             scene->p[1]->face[face].n);
            if (pair->kind[body] == FEATURE_FACE && pair->index[body] == face)
                continue;
            double apart = polytope_separation(scene, n, at);
            if (face_stays_behind(scene, body, apart, centre, turn, gap,
                                  validity))
                continue;
            other.kind[body] = FEATURE_FACE;
            other.index[body] = face;
            other.kind[1 - body] = FEATURE_VERTEX;
            other.index[1 - body] = at[1 - body];
            if (!feature_gap_series(scene, &other, centre, turn, validity,
                                    &separation))
                continue;
            taylor_sub(validity->order, gap, &separation, &less);
            feature_validity_add(validity, &less);
        }
    if (scene->dim == 2)
        return;
    struct polytope_turned turned[2];
    polytope_turn_edges(scene, &turned[0]);
    polytope_turn_edges(soon, &turned[1]);
    for (uint32_t edge = 0; edge < scene->p[0]->n_edge; edge++)
        for (uint32_t j = 0; j < scene->p[1]->n_edge; j++) {
            struct feature_pair other = {{FEATURE_EDGE, FEATURE_EDGE},
                                         {edge, j}};
            struct feature_validity silent = {.order = validity->order,
                                              .overlap = true};
            struct taylor separation, less;
            double n[3];
            if (!memcmp(&other.index, &pair->index, sizeof other.index) &&
                !memcmp(&other.kind, &pair->kind, sizeof other.kind))
                continue;
            /* Where an edge lies in a face, an arc begins at the other one, and
             * rounding would decide of the present alone. */
            bool now = polytope_turned_cross(scene, &turned[0], edge, j, n);
            if ((!now &&
                 !polytope_turned_cross(soon, &turned[1], edge, j, n)) ||
                stays_behind(scene, &other, centre, turn, gap, validity) ||
                !feature_gap_series(scene, &other, centre, turn, &silent,
                                    &separation))
                continue;
            taylor_sub(validity->order, gap, &separation, &less);
            /* edges whose arcs do not cross yet say nothing of the present */
            if (now || less.c[0] >= -validity->slack)
                feature_validity_add(validity, &less);
        }
}

bool
polytope_pair_follow(const struct polytope_scene *scene,
                     const struct polytope_scene *soon,
                     const struct feature_pair *pair,
                     const struct taylor centre[3], const struct taylor turn[9],
                     int order, double horizon, double slack, bool overlap,
                     struct taylor *gap, double *valid)
{
    bool half = scene->p[0]->n_vertex == 0 || scene->p[1]->n_vertex == 0;
    struct feature_validity validity = {.order = order,
                                        .horizon = horizon,
                                        .slack = slack,
                                        .worst = INFINITY,
                                        .first = INFINITY,
                                        .overlap = overlap};
    if (!feature_gap_series(scene, pair, centre, turn, &validity, gap))
        return false;
    if (overlap && !half && horizon > 0.0)
        others(scene, soon, pair, centre, turn, gap, &validity);
    for (int k = 0; k <= order; k++)
        if (!isfinite(gap->c[k]))
            return false;
    *valid = fmin(validity.first, horizon);
    return true;
}

int
polytope_pair_series(struct rt *run, uint32_t contact, int order,
                     const struct feature_pair *first, double *gap,
                     double *valid)
{
    assert(first != NULL && gap != NULL);
    struct polytope_scene scene, later, soon;
    struct taylor centre[3], turn[9], series, other;
    double horizon, most, best = 0.0, wide;
    int st =
        polytope_relative_pose(run, contact, order, centre, turn, &horizon);
    if (st)
        return st;
    polytope_scene_get(run, contact, false, &scene);
    polytope_scene_get(run, contact, true, &later);
    double slack = polytope_contact_slack(run, contact);
    most = isfinite(horizon)
               ? horizon
               : 0.0; /* 0: the bodies do not move against each other */
    const struct nearest_features *now =
        &polytope_contact_memo(run, contact)->last;
    bool overlap = !(now->gap > slack);
    /* A caller that does not ask until when need not wait for the answer in a
     * deep overlap. */
    if (valid == NULL && now->gap < -SERIES_DEEP * scene.size)
        most = 0.0;
    /* nor is it asked for longer than decides whether the pair is taken */
    double until = valid == NULL ? SERIES_SHORT * most : most;
    soon = scene; /* turned alone: directions are asked of it */
    for (int i = 0; i < 9 && overlap; i++)
        soon.R[i] = taylor_at(order, &turn[i], SERIES_SHORT * most);
    bool good = polytope_pair_follow(&scene, &soon, first, centre, turn, order,
                                     until, slack, overlap, &series, &best);
    if (most == 0.0 && good)
        best = INFINITY;
    double t = fmax(best, 1e-12 * most);
    for (int i = 0; i < SERIES_ROUNDS && best < SERIES_SHORT * most; i++) {
        struct nearest_features o;
        double value;
        t *= 4.0;
        pose_at(&scene, order, centre, turn, t, &later);
        nearest_features_find(&later, NULL, &o);
        if (!polytope_pair_follow(&scene, &soon, &o.pair, centre, turn, order,
                                  until, slack, overlap, &other, &value) ||
            fabs(other.c[0] - now->gap) > 2.0 * slack)
            continue;
        if (!good || value > best) {
            series = other;
            best = value;
            good = true;
        }
    }
    /* Faces and edges that are parallel but for rounding: no other pair is
     * nearest, soon or later, and the present one gives the gap, but that a
     * condition lacks more than slack. */
    if (best < SERIES_SHORT * most &&
        polytope_pair_follow(&scene, &soon, first, centre, turn, order, until,
                             SERIES_NEARLY * slack, overlap, &other, &wide) &&
        wide > best) {
        series = other;
        best = wide;
        good = true;
    }
    if (!good)
        return IMP_NONFINITE;
    memcpy(gap, series.c, sizeof(double) * (size_t)(order + 1));
    if (valid)
        *valid = fmax(best, SERIES_ULPS * DBL_EPSILON * fabs(rt_time(run)));
    return IMP_OK;
}

/* The separation of the first points along a normal n (world axes) that turns
 * with body `turns`. */
static void
fixed_series(struct rt *run, uint32_t contact, int order,
             const struct contact_manifold *manifold, const double n[3],
             uint32_t turns, const struct taylor centre[3],
             const struct taylor turn[9], double *gap)
{
    const imp_contact *image_contact = rt_contact(run, contact);
    struct support_body support[2];
    struct taylor part, along, series;
    double d[3], normal[3], p[3], foot[3];
    for (int i = 0; i < 2; i++) {
        support_body_get(run, image_contact->body[i], &support[i]);
        for (int j = 0; j < 3; j++)
            d[j] = (i == 0 ? manifold->P : manifold->Q)[0][j] - support[i].c[j];
        support_rotate_back(&support[i], d, i == 0 ? p : foot);
    }
    support_rotate_back(&support[turns], n, normal);
    taylor_const(order,
                 turns == 0 ? -vec3_dot(normal, p) : vec3_dot(normal, foot),
                 &series);
    for (int i = 0; i < 3; i++) {
        if (turns == 0) {
            taylor_dot_const(order, turn + 3 * i, foot, &part);
            taylor_add(order, &part, &centre[i], &part);
            taylor_scale(order, normal[i], &part, &part);
        } else {
            struct taylor away = centre[i];
            away.c[0] -= p[i];
            taylor_dot_const(order, turn + 3 * i, normal, &along);
            taylor_mul(order, &along, &away, &part);
        }
        taylor_add(order, &series, &part, &series);
    }
    memcpy(gap, series.c, sizeof(double) * (size_t)(order + 1));
}

int
polytope_choice_series(struct rt *run, uint32_t contact, int order,
                       const struct contact_manifold *manifold, int choice,
                       double *gap)
{
    assert(manifold != NULL && gap != NULL && manifold->kind == MANIFOLD_OPEN);
    assert(manifold->stated || (choice >= 0 && choice < manifold->n_choice));
    struct polytope_scene scene;
    struct taylor centre[3], turn[9], series;
    struct feature_validity test = {.order = order, .overlap = true};
    struct feature_pair pair;
    double holds, normal[3];
    uint32_t body, at[2];
    if (polytope_contact_is_smooth(run, rt_contact(run, contact)))
        return IMP_NONFINITE;
    int st = polytope_relative_pose(run, contact, order, centre, turn, &holds);
    if (st)
        return st;
    if (manifold->stated) {
        fixed_series(run, contact, order, manifold, manifold->n, 0, centre,
                     turn, gap);
        return IMP_OK;
    }
    const struct manifold_choice *chosen = &manifold->choice[choice];
    body = chosen->body;
    if (chosen->foreign) {
        fixed_series(run, contact, order, manifold, chosen->n, body, centre,
                     turn, gap);
        return IMP_OK;
    }
    polytope_scene_get(run, contact, false, &scene);
    if (body == MANIFOLD_CROSSING) {
        pair = (struct feature_pair){{FEATURE_EDGE, FEATURE_EDGE},
                                     {chosen->face, chosen->edge}};
    } else {
        const double *f = scene.p[body]->face[chosen->face].n;
        for (int k = 0; k < 3; k++)
            normal[k] = body == 0 ? f[k] : -vec3_dot(scene.R + 3 * k, f);
        polytope_separation(&scene, normal, at);
        pair.kind[body] = FEATURE_FACE;
        pair.index[body] = chosen->face;
        pair.kind[1 - body] = FEATURE_VERTEX;
        pair.index[1 - body] = at[1 - body];
    }
    if (!feature_gap_series(&scene, &pair, centre, turn, &test, &series))
        return IMP_NONFINITE;
    memcpy(gap, series.c, sizeof(double) * (size_t)(order + 1));
    return IMP_OK;
}
