/* SPDX-License-Identifier: MIT */
/* Bodies that overlap in `simulate`.
 *
 * How deep contacts overlap that are let through; and a check that no other
 * contact overlaps, since its touch must have been found (I3): called at the
 * end of every piece of the run.
 *
 * Bodies that come to overlap although the model states no contact between
 * them: they pass through each other, and a warning says so, once per pair.
 * This is no search for touches, but a look at the states that the run passes
 * by: its rows, its events, its end. Some points a little inside the surface of
 * each body (the corners of a polytope, rays from the mass centre through other
 * shapes) are tried in the other one. Such a point is within both, so what is
 * told is certain; an overlap between two looks is not seen. Pairs that a joint
 * connects, and pairs that overlap from the start, do so by design. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/penetration_depth.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/polytope.h"
#include "runtime/geometry/ray.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/contact_table.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"

/* places at which the depth is read on a piece of the run */
#define DEPTH_SAMPLES 16
/* I3: an overlap of more tolerances shows that the search has missed a touch */
#define SIMULATE_PASSED 16.0
/* A body that has come to another place within this share of the time is there
 * at once. */
#define SIMULATE_JUMP (64.0 * DBL_EPSILON)

/* Finds the greatest overlap between two times. The state is not changed. */
static int
deepest(struct simulation *sim, uint32_t contact, double lo, double hi)
{
    struct analysis *analysis = sim->analysis;
    struct saved_state here = saved_state_take(analysis->rt);
    double most = -INFINITY, gap, at = lo, step = (hi - lo) / DEPTH_SAMPLES;
    int st = IMP_OK;
    for (int i = 1; i < DEPTH_SAMPLES && !st; i++) {
        if (!(st = motion_to(analysis->rt, hi - i * step)))
            st = touch_gap(analysis, contact, &gap, NULL);
        if (!st && -gap > most) {
            most = -gap;
            at = hi - i * step;
        }
    }
    /* an overlap that is lower than an earlier one need not be refined */
    if (!st && most > 0.5 * sim->overlaps.depth_max) {
        double where, depth;
        st = penetration_depth_refine(analysis, contact, at - step, at + step,
                                      &where, &depth);
        if (!st)
            sim->overlaps.depth_max =
                fmax(sim->overlaps.depth_max, fmax(most, depth));
    }
    saved_state_restore(analysis->rt, &here);
    return st;
}

int
simulate_check_penetration(struct simulation *sim)
{
    assert(sim != NULL);
    struct analysis *analysis = sim->analysis;
    const uint32_t *list = NULL;
    uint32_t n =
        sim->local ? local_concerned(sim->local, &list) : sim->n_contacts;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t contact = list ? list[i] : i;
        struct simulated_contact *state = &sim->contacts[contact];
        double gap, rate, now = rt_time(analysis->rt);
        int st;
        if (state->watch == WATCH_OFF || simulate_yields(sim, contact))
            continue;
        if (!state->overlap && sim->local &&
            event_apart(analysis->rt, contact) > 0.0)
            continue;
        if (!state->overlap) {
            struct closest_points closest;
            double tol;
            /* where closest points cannot be found, the search reports it */
            if (closest_points_find(analysis->rt, contact, &closest, false))
                continue;
            gap_tolerances(analysis->rt, contact, &tol, &rate);
            if (closest.gap >= -SIMULATE_PASSED * tol)
                continue;
            if (event_place_jumps(analysis->rt, contact,
                                  SIMULATE_JUMP * fmax(fabs(now), DBL_MIN)))
                return event_jumps_into(analysis->rt, contact, closest.gap);
            char g[NUM_TEXT], at[NUM_TEXT];
            diag_add(analysis->ds, DIAG_E0713,
                     rt_contact(analysis->rt, contact)->range,
                     "`%s` overlaps by %s m at t = %s s, but no touch was "
                     "found before",
                     imp_text(analysis->rt->im,
                              rt_contact(analysis->rt, contact)->name),
                     num_digits(g, -closest.gap, 6), num_digits(at, now, 9));
            return IMP_FAILED;
        }
        if ((st = touch_gap(analysis, contact, &gap, NULL)))
            return st;
        sim->overlaps.depth_max = fmax(sim->overlaps.depth_max, -gap);
        if (state->depth_from < now &&
            (st = deepest(sim, contact, state->depth_from, now)))
            return st;
        state->depth_from = now;
    }
    return IMP_OK;
}

void
simulate_begin_overlap(struct simulation *sim, uint32_t contact)
{
    assert(sim != NULL && contact < sim->n_contacts);
    struct simulated_contact *state = &sim->contacts[contact];
    state->overlap = true;
    resting_polytopes_drop(sim, contact);
    state->depth_from = rt_time(sim->run);
    simulate_watch(sim, contact, WATCH_OPEN);
    sim->overlaps.any = true;
}

/* -- bodies without a contact -----------------------------------------------
 */

enum { RAYS_PLANE = 16, RAYS_SPACE = 26 };
/* The points lie inside by this share of their distance from the mass centre:
 * far above rounding, so that bodies that only touch are never told, and far
 * below what a reader would call an overlap. */
#define INSIDE 1e-6
/* A body that has moved by less than this share of that distance since it was
 * compared with others stands where it stood. */
#define STANDS (INSIDE / 16.0)

struct probe {
    double (*point)[3]; /* shape coordinates */
    uint32_t n;
    double radius; /* no point is farther from the mass centre */
    bool known;    /* can it be asked whether a point is inside? */
};

/* A bit for each pair of bodies. */
struct pair_bits {
    unsigned char *bits;
    size_t n; /* bodies */
};

/* Bodies in the order in which they begin along x: bodies whose spans are apart
 * are apart. */
struct span {
    double from, to;
    uint32_t body;
};

struct pairs_without_contact {
    struct probe *probe;       /* per body */
    struct support_body *pose; /* per body, at the last look */
    struct support_body *was;  /* per body, when it last had moved */
    bool *moved;               /* per body: it has, since */
    struct pair_bits settled;  /* pairs that need no look (any more) */
    struct span *span;         /* of the bodies that are known */
    uint32_t n_span;
    uint32_t (*hit)[2]; /* pairs that were found at the last look */
    size_t n_hit, hit_room;
    double last;       /* time of the last look */
    size_t found;      /* pairs so far */
    struct diag *told; /* the last one that was told by itself */
};

/* So many pairs are told one by one; the last message counts all others. */
enum { PAIRS_ALONE = 3 };

/* -- the points of a body ------------------------------------------------- */

static void
add_point(struct probe *probe, const double centre[3], const double x[3])
{
    double *to = probe->point[probe->n++], square = 0.0;
    for (int i = 0; i < 3; i++) {
        double arm = x[i] - centre[i];
        square += arm * arm;
        to[i] = centre[i] + (1.0 - INSIDE) * arm;
    }
    probe->radius = fmax(probe->radius, sqrt(square));
}

/* Gives unit vectors from the middle to the sides, edges and corners of a
 * square or a cube, in the plane those half-way as well. */
static int
directions(bool plane, double out[RAYS_SPACE][3])
{
    int count = 0;
    for (int i = 0; plane && i < RAYS_PLANE; i++) {
        double angle = 2.0 * M_PI * i / RAYS_PLANE;
        out[count][0] = cos(angle);
        out[count][1] = sin(angle);
        out[count++][2] = 0.0;
    }
    for (int i = 0; !plane && i < 27; i++) {
        double v[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (length == 0.0)
            continue;
        for (int k = 0; k < 3; k++)
            out[count][k] = v[k] / length;
        count++;
    }
    return count;
}

static void
probe_polytope(struct simulation *sim, uint32_t body, const double centre[3],
               struct probe *probe)
{
    const struct polytope *polytope = sim->run->polytope[body];
    probe->point = (double(*)[3])NEW_N(sim->run->arena, double,
                                       3 * polytope->n_vertex + 3);
    for (uint32_t i = 0; i < polytope->n_vertex; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = centre[k] + polytope->vertex[i][k];
        add_point(probe, centre, x);
    }
}

static void
probe_level_set(struct simulation *sim, uint32_t body, const double centre[3],
                struct probe *probe)
{
    double along[RAYS_SPACE][3], guess = 0.0;
    int n = directions(sim->run->im->dim == 2, along);
    probe->point = (double(*)[3])NEW_N(sim->run->arena, double, 3 * RAYS_SPACE);
    for (int i = 0; i < n; i++) {
        struct ray_hit hit;
        if (ray_hit(sim->run, body, centre, along[i], guess, &hit) != RAY_OK)
            continue;
        guess = hit.rho;
        add_point(probe, centre, hit.x);
    }
}

static void
probe_make(struct simulation *sim, uint32_t body, struct probe *probe)
{
    const imp_body *shape = rt_body(sim->run, body);
    struct support_body pose;
    *probe = (struct probe){0};
    probe->known = (sim->run->polytope[body] || shape->g0 != IMP_NO_TAPE) &&
                   !(shape->flags & IMP_BODYF_GTIME);
    if (!probe->known)
        return;
    support_body_get(sim->run, body, &pose);
    if (sim->run->polytope[body])
        probe_polytope(sim, body, pose.centre, probe);
    else if (!pose.flat)
        probe_level_set(sim, body, pose.centre, probe);
}

/* -- pairs ---------------------------------------------------------------- */

static size_t
pair_number(const struct pair_bits *all, uint32_t one, uint32_t two)
{
    return (size_t)(one < two ? one : two) * all->n + (one < two ? two : one);
}

static void
mark(struct pair_bits *all, const uint32_t body[2])
{
    if (body[0] >= all->n || body[1] >= all->n)
        return; /* a contact of a system, or a joint to the world */
    size_t k = pair_number(all, body[0], body[1]);
    all->bits[k / 8] |= (unsigned char)(1u << k % 8);
}

static bool
is_marked(const struct pair_bits *all, uint32_t one, uint32_t two)
{
    size_t k = pair_number(all, one, two);
    return (all->bits[k / 8] >> k % 8 & 1u) != 0;
}

/* Returns the pairs that a contact or a joint connects. */
static struct pair_bits
connected_pairs(struct rt *run)
{
    struct pair_bits all = {.n = run->im->bodies.n};
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    all.bits = NEW_N(run->arena, unsigned char, all.n *all.n / 8 + 1);
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        mark(&all, rt_contact(run, i)->body);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        mark(&all, joint[i].body);
    return all;
}

/* Does a point of the first body lie inside the second? */
static bool
enters(struct simulation *sim, const struct probe *probe,
       const struct support_body *one, const struct support_body *two)
{
    const struct polytope *polytope = sim->run->polytope[two->index];
    for (uint32_t i = 0; i < probe->n; i++) {
        double world[3], own[3], local[3];
        support_to_world(one, probe->point[i], world);
        for (int k = 0; k < 3; k++)
            world[k] -= two->c[k];
        support_rotate_back(two, world, local);
        bool inside = true;
        for (uint32_t k = 0; polytope && k < polytope->n_face && inside; k++) {
            const double *n = polytope->face[k].n;
            inside = n[0] * local[0] + n[1] * local[1] + n[2] * local[2] <
                     polytope->face[k].d;
        }
        for (int k = 0; k < 3; k++)
            own[k] = two->centre[k] + local[k];
        if (polytope ? inside : ray_level(sim->run, two->index, own) < 0.0)
            return true;
    }
    return false;
}

/* Can the bodies come to overlap, and nothing tells? */
static bool
is_lonely(const struct rt *run, const struct pairs_without_contact *all,
          uint32_t one, uint32_t two)
{
    return !(rt_body(run, one)->flags & rt_body(run, two)->flags &
             IMP_BODYF_FIXED) &&
           !is_marked(&all->settled, one, two) &&
           !(run->table && contact_table_wants(run, one, two));
}

/* Is one block `contacts` of all bodies that have a surface? Then no pair is
 * lonely, which is asked pair by pair else. */
static bool
all_have_contacts(const struct rt *run)
{
    uint32_t all = UINT32_MAX;
    for (uint32_t i = 0; i < run->im->bodies.n; i++)
        if (rt_body(run, i)->flags & IMP_BODYF_SHAPE || run->polytope[i])
            all &= rt_body(run, i)->sides;
    return run->table && (all & all >> 1 & 0x55555555u) != 0;
}

static bool
overlap(struct simulation *sim, const struct pairs_without_contact *all,
        const uint32_t body[2])
{
    const struct support_body *one = &all->pose[body[0]],
                              *two = &all->pose[body[1]];
    const struct probe *p = &all->probe[body[0]], *q = &all->probe[body[1]];
    if (p->n && q->n) { /* both are bounded */
        double square = 0.0, reach = p->radius + q->radius;
        for (int k = 0; k < 3; k++)
            square += (one->c[k] - two->c[k]) * (one->c[k] - two->c[k]);
        /* rays may miss the farthest point of a shape */
        if (square > 4.0 * reach * reach)
            return false;
    }
    return enters(sim, p, one, two) || enters(sim, q, two, one);
}

/* Has this body moved since it was compared with all others? Of a body that is
 * not bounded any change counts. */
static bool
moves(const struct pairs_without_contact *all, uint32_t body)
{
    const struct support_body *was = &all->was[body], *now = &all->pose[body];
    double radius = all->probe[body].n ? all->probe[body].radius : 0.0,
           far = STANDS * radius, shift = 0.0, turn = 0.0;
    if (!was->r)
        return true; /* it has never been compared */
    for (int i = 0; i < 3; i++) {
        shift = fmax(shift, fabs(now->c[i] - was->c[i]));
        for (int j = 0; j < 3; j++)
            turn = fmax(turn, fabs(now->R[i][j] - was->R[i][j]));
    }
    return radius > 0.0 ? !(shift <= far && turn * radius <= far)
                        : shift != 0.0 || turn != 0.0;
}

/* Puts the spans of all bodies at the present time in order. They hardly change
 * places between two looks. */
static void
sort_spans(struct simulation *sim, struct pairs_without_contact *all)
{
    for (uint32_t i = 0; i < all->n_span; i++) {
        struct span now = all->span[i];
        uint32_t body = now.body, at = i;
        support_body_get(sim->run, body, &all->pose[body]);
        all->moved[body] = moves(all, body);
        if (all->moved[body])
            all->was[body] = all->pose[body];
        /* twice the radius, as in overlap */
        double reach =
            all->probe[body].n ? 2.0 * all->probe[body].radius : INFINITY;
        now.from = all->pose[body].c[0] - reach;
        now.to = all->pose[body].c[0] + reach;
        for (; at > 0 && all->span[at - 1].from > now.from; at--)
            all->span[at] = all->span[at - 1];
        all->span[at] = now;
    }
}

static void
add_hit(struct simulation *sim, struct pairs_without_contact *all,
        const uint32_t body[2])
{
    if (all->n_hit == all->hit_room) {
        uint32_t(*old)[2] = all->hit;
        all->hit_room = all->hit_room ? 2 * all->hit_room : 8;
        all->hit =
            (uint32_t(*)[2])NEW_N(sim->run->arena, uint32_t, 2 * all->hit_room);
        if (all->n_hit)
            memcpy(all->hit, old, all->n_hit * sizeof *old);
    }
    memcpy(all->hit[all->n_hit++], body, 2 * sizeof *body);
}

/* Lists the pairs that overlap now and are not settled, by number; settles
 * them.
 */
static void
look(struct simulation *sim, struct pairs_without_contact *all)
{
    const struct rt *run = sim->run;
    all->n_hit = 0;
    sort_spans(sim, all);
    for (uint32_t i = 0; i < all->n_span; i++)
        for (uint32_t j = i + 1;
             j < all->n_span && all->span[j].from <= all->span[i].to; j++) {
            uint32_t one = all->span[i].body, two = all->span[j].body;
            uint32_t body[2] = {one < two ? one : two, one < two ? two : one};
            if ((all->moved[one] || all->moved[two]) &&
                is_lonely(run, all, one, two) && overlap(sim, all, body)) {
                mark(&all->settled, body);
                add_hit(sim, all, body);
            }
        }
    for (size_t i = 1; i < all->n_hit; i++)
        for (size_t at = i;
             at > 0 &&
             pair_number(&all->settled, all->hit[at][0], all->hit[at][1]) <
                 pair_number(&all->settled, all->hit[at - 1][0],
                             all->hit[at - 1][1]);
             at--) {
            uint32_t body[2];
            memcpy(body, all->hit[at], sizeof body);
            memcpy(all->hit[at], all->hit[at - 1], sizeof body);
            memcpy(all->hit[at - 1], body, sizeof body);
        }
}

void
simulate_pairs_start(struct simulation *sim)
{
    assert(sim != NULL);
    struct rt *run = sim->run;
    uint32_t bodies = run->im->bodies.n;
    if (bodies < 2 || all_have_contacts(run))
        return;
    struct pairs_without_contact *all =
        NEW(run->arena, struct pairs_without_contact);
    *all = (struct pairs_without_contact){
        .probe = NEW_N(run->arena, struct probe, bodies),
        .pose = NEW_N(run->arena, struct support_body, bodies),
        .was = NEW_N(run->arena, struct support_body, bodies),
        .moved = NEW_N(run->arena, bool, bodies),
        .span = NEW_N(run->arena, struct span, bodies),
        .settled = connected_pairs(run),
        .last = -INFINITY};
    for (uint32_t i = 0; i < bodies; i++) {
        probe_make(sim, i, &all->probe[i]);
        if (all->probe[i].known)
            all->span[all->n_span++] = (struct span){.body = i};
    }
    look(sim, all); /* what overlaps from the start does so by design */
    for (uint32_t i = 0; i < all->n_span && !sim->pairs; i++)
        for (uint32_t j = i + 1; j < all->n_span && !sim->pairs; j++)
            if (is_lonely(run, all, all->span[i].body, all->span[j].body))
                sim->pairs = all;
}

/* The name of a body without brackets and commas, as a part of a contact's:
 * members of families are b[0]. */
static const char *
plain_name(struct simulation *sim, const char *name)
{
    char *plain = NEW_N(sim->run->brief, char, strlen(name) + 1), *to = plain;
    for (; *name; name++)
        if (!strchr("[], ", *name))
            *to++ = *name;
    return plain;
}

static struct diag *
tell(struct simulation *sim, const uint32_t body[2])
{
    struct diags *ds = sim->analysis->ds;
    const imp_body *one = rt_body(sim->run, body[0]),
                   *two = rt_body(sim->run, body[1]);
    const char *name[2] = {imp_text(sim->run->im, one->name),
                           imp_text(sim->run->im, two->name)};
    struct diag *diag =
        diag_add(ds, DIAG_W0726, two->range,
                 "`%s` and `%s` pass through each other: at t = %.6g s they "
                 "overlap, and no contact is stated between them",
                 name[0], name[1], rt_time(sim->run));
    diag_help(ds, diag,
              "add: contact %s_%s : %s | %s { }, or contacts { } for all pairs",
              plain_name(sim, name[0]), plain_name(sim, name[1]), name[0],
              name[1]);
    return diag;
}

void
simulate_pairs_look(struct simulation *sim)
{
    assert(sim != NULL);
    struct pairs_without_contact *all = sim->pairs;
    if (!all || rt_time(sim->run) == all->last)
        return;
    all->last = rt_time(sim->run);
    look(sim, all);
    for (size_t i = 0; i < all->n_hit; i++)
        if (all->found++ < PAIRS_ALONE)
            all->told = tell(sim, all->hit[i]);
}

void
simulate_pairs_end(struct simulation *sim)
{
    assert(sim != NULL);
    const struct pairs_without_contact *all = sim->pairs;
    if (all && all->found > PAIRS_ALONE)
        diag_note(sim->analysis->ds, all->told, IMP_NOWHERE,
                  "so do %zu pairs more, until t = %.6g s",
                  all->found - PAIRS_ALONE, rt_time(sim->run));
}
