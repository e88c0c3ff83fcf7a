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
 * by: its rows, its events, its end, and between these so many that no body has
 * come farther than half of what the thinnest one measures. Lines from the mass
 * centre of each body to a little inside its surface (to the corners of a
 * polytope, along rays through other shapes) are tried in the other one. Points
 * of them are within both, so what is told is certain. Pairs that a joint
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
#include "runtime/motion/contact_point.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"

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

/* Beside held bodies: are these discs, spheres or planes, whose gap needs no
 * closest points, and do they not overlap? */
static bool
balls_apart(struct rt *run, uint32_t contact)
{
    double gap, tol, rate;
    if (!persistent_any(run) || !contact_point_balls_now(run, contact, &gap))
        return false;
    if (gap >= 0.0)
        return true;
    gap_tolerances(run, contact, &tol, &rate);
    return gap >= -0.5 * SIMULATE_PASSED * tol;
}

int
simulate_check_penetration(struct simulation *sim)
{
    assert(sim != NULL);
    struct analysis *analysis = sim->analysis;
    const uint32_t *list = NULL;
    uint32_t n =
        sim->local ? local_concerned(sim->local, &list) : sim->n_contacts;
    if (sim->clocks && !list)
        n = clocks_concerned(sim->clocks, &list);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t contact = list ? list[i] : i;
        struct simulated_contact *state = &sim->contacts[contact];
        double gap, rate, now = rt_time(analysis->rt);
        int st;
        if (state->watch == WATCH_OFF || simulate_yields(sim, contact))
            continue;
        if (!state->overlap && balls_apart(analysis->rt, contact))
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
                     num_digits(g, -closest.gap, 6), rt_told(at, now, 9));
            return IMP_FAILED;
        }
        if ((st = local_all(sim->local)) ||
            (st = touch_gap(analysis, contact, &gap, NULL)))
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
    double radius; /* none of these points is farther from the mass centre */
    double reach;  /* no point of the body is: of a ball around it */
    double narrow; /* half of how thin it is (m); infinite without points */
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
    double last; /* time of the last look */
    /* The state there, how many events had been then, and whether contacts were
     * closed. NULL: no motion is followed from there. */
    struct saved_state from;
    size_t events;
    bool held;
    struct support_body *way[3]; /* per body: along a step of the motion */
    double narrow;               /* of the thinnest body */
    size_t found;                /* pairs so far */
    struct diag *told;           /* the last one that was told by itself */
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
    for (uint32_t i = 0; i < polytope->n_face && probe->n; i++)
        probe->narrow = fmin(probe->narrow, polytope->face[i].d);
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
        probe->narrow = fmin(probe->narrow, hit.rho);
    }
}

static void
probe_make(struct simulation *sim, uint32_t body, struct probe *probe)
{
    const imp_body *shape = rt_body(sim->run, body);
    struct support_body pose;
    *probe = (struct probe){.narrow = INFINITY};
    probe->known = (sim->run->polytope[body] || shape->g0 != IMP_NO_TAPE) &&
                   !(shape->flags & IMP_BODYF_GTIME);
    if (!probe->known)
        return;
    support_body_get(sim->run, body, &pose);
    if (sim->run->polytope[body])
        probe_polytope(sim, body, pose.centre, probe);
    else if (!pose.flat)
        probe_level_set(sim, body, pose.centre, probe);
    /* rays may miss the farthest point of a shape */
    double size = support_size(sim->run, shape);
    probe->reach = size > 0.0 ? size : 2.0 * probe->radius;
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

/* Is a part of the line from a to b, in the axes of the polytope about its mass
 * centre, inside? */
static bool
line_enters(const struct polytope *polytope, const double a[3],
            const double b[3])
{
    double from = 0.0, to = 1.0;
    for (uint32_t k = 0; k < polytope->n_face; k++) {
        const double *n = polytope->face[k].n;
        double at = polytope->face[k].d -
                    (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]),
               end = polytope->face[k].d -
                     (n[0] * b[0] + n[1] * b[1] + n[2] * b[2]);
        if (at <= 0.0 && end <= 0.0)
            return false;
        if (at < 0.0)
            from = fmax(from, at / (at - end));
        if (end < 0.0)
            to = fmin(to, at / (at - end));
    }
    return from < to;
}

/* Places on a line from the mass centre at which a level set is asked. */
enum { LINE_PLACES = 4 };

/* Does a point between the mass centre of the first body and one of its points
 * lie inside the second? */
static bool
enters(struct simulation *sim, const struct probe *probe,
       const struct support_body *one, const struct support_body *two)
{
    const struct polytope *polytope = sim->run->polytope[two->index];
    double apart[3], middle[3];
    for (int k = 0; k < 3; k++)
        apart[k] = one->c[k] - two->c[k];
    support_rotate_back(two, apart, middle);
    for (uint32_t i = 0; i < probe->n; i++) {
        double world[3], own[3], local[3];
        support_to_world(one, probe->point[i], world);
        for (int k = 0; k < 3; k++)
            world[k] -= two->c[k];
        support_rotate_back(two, world, local);
        if (polytope && line_enters(polytope, local, middle))
            return true;
        for (int place = LINE_PLACES; place >= 0 && !polytope; place--) {
            double share = (double)place / LINE_PLACES;
            for (int k = 0; k < 3; k++)
                own[k] =
                    two->centre[k] + middle[k] + share * (local[k] - middle[k]);
            if (ray_level(sim->run, two->index, own) < 0.0)
                return true;
        }
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
        double square = 0.0, reach = p->reach + q->reach;
        for (int k = 0; k < 3; k++)
            square += (one->c[k] - two->c[k]) * (one->c[k] - two->c[k]);
        if (square > reach * reach)
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
        double reach = all->probe[body].n ? all->probe[body].reach : INFINITY;
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
        .last = -INFINITY,
        .narrow = INFINITY};
    for (int i = 0; i < 3; i++)
        all->way[i] = NEW_N(run->arena, struct support_body, bodies);
    for (uint32_t i = 0; i < bodies; i++) {
        probe_make(sim, i, &all->probe[i]);
        all->narrow = fmin(all->narrow, all->probe[i].narrow);
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

static void
look_and_tell(struct simulation *sim, struct pairs_without_contact *all)
{
    look(sim, all);
    for (size_t i = 0; i < all->n_hit; i++)
        if (all->found++ < PAIRS_ALONE)
            all->told = tell(sim, all->hit[i]);
}

/* -- between two looks ---------------------------------------------------- */

/* A step of the motion is looked at in so many places at most. */
#define LOOKS_MOST 1000.0

static void
way_get(struct simulation *sim, struct support_body *way)
{
    for (uint32_t i = 0; i < sim->run->im->bodies.n; i++)
        support_body_get(sim->run, i, &way[i]);
}

/* How far a point of a body comes from one place on the way to the next, at
 * most. In the plane bodies may turn more than once. */
static double
farthest(const struct pairs_without_contact *all, uint32_t bodies, int from,
         double turn)
{
    double most = 0.0;
    for (uint32_t i = 0; i < bodies; i++) {
        const struct support_body *a = &all->way[from][i],
                                  *b = &all->way[from + 1][i];
        double square = 0.0, turned = turn;
        for (int j = 0; j < 3; j++) {
            square += (b->c[j] - a->c[j]) * (b->c[j] - a->c[j]);
            for (int k = 0; k < 3; k++)
                turned = fmax(turned, fabs(b->R[j][k] - a->R[j][k]));
        }
        double radius = all->probe[i].n ? all->probe[i].radius : 0.0;
        most = fmax(most, sqrt(square) + radius * turned);
    }
    return most;
}

/* The greatest speed of a body (m/s), and of its turning (1/s). */
static void
speeds(const struct rt *run, double *speed, double *spin)
{
    bool plane = run->im->dim == 2;
    int d = plane ? 2 : 3;
    for (uint32_t i = 0; i < run->im->bodies.n; i++) {
        const double *rate =
            run->env + rt_body(run, i)->env_state + (plane ? 3 : 7);
        double v = 0.0, w = 0.0;
        for (int k = 0; k < d; k++) {
            v += rate[k] * rate[k];
            w += plane && k > 0 ? 0.0 : rate[d + k] * rate[d + k];
        }
        *speed = fmax(*speed, sqrt(v));
        *spin = fmax(*spin, sqrt(w));
    }
}

/* The series of all blocks from the present state. Where there are none the
 * run itself says so, and nothing of it is told or kept here: the way is gone
 * a second time. */
static int
series_untold(struct simulation *sim, double *step)
{
    struct rt *run = sim->run;
    struct diags *ds = sim->analysis->ds;
    struct run_singular *singular = run->singular;
    int told = ds->errors;
    int st = motion_series_all(run, MOTION_STEP_ORDER, step);
    if (st && ds->errors == told + 1)
        diag_withdraw(ds, ds->last);
    run->singular = singular;
    return st;
}

/* Looks along one step of the motion from the present state, which goes on to
 * its end, at most to `until`. False: there is none. */
static bool
look_along_step(struct simulation *sim, struct pairs_without_contact *all,
                double until)
{
    struct rt *run = sim->run;
    double step, from = rt_time(run), speed = 0.0, spin = 0.0;
    if (series_untold(sim, &step))
        return false;
    double to = step < until - from ? from + step : until;
    struct saved_state start = saved_state_take(run);
    way_get(sim, all->way[0]);
    for (int i = 1; i < 3; i++) {
        motion_look(run, MOTION_STEP_ORDER, (to - from) * i / 2.0,
                    i == 2 ? to : from + (to - from) / 2.0);
        way_get(sim, all->way[i]);
        speeds(run, &speed, &spin);
        saved_state_restore(run, &start);
    }
    speeds(run, &speed, &spin);
    double turn = run->im->dim == 2 ? spin * (to - from) / 2.0 : 0.0,
           way = farthest(all, run->im->bodies.n, 0, turn) +
                 farthest(all, run->im->bodies.n, 1, turn),
           n = fmin(ceil(way / all->narrow), LOOKS_MOST);
    for (double i = 1.0; i < n && !rt_stopped(run); i++) {
        double dt = (to - from) * (i / n);
        motion_look(run, MOTION_STEP_ORDER, dt, from + dt);
        look_and_tell(sim, all);
        saved_state_restore(run, &start);
    }
    motion_advance_by(run, MOTION_STEP_ORDER, to - from, to);
    return to > from && !rt_stopped(run);
}

/* Looks at the motion since the last look, where nothing has happened in
 * between, or free flights have ended in impacts just now. */
static void
look_between(struct simulation *sim, struct pairs_without_contact *all)
{
    struct rt *run = sim->run;
    double now = rt_time(run), speed = 0.0, spin = 0.0, radius = 0.0;
    bool held = all->held || persistent_any(run);
    if (!all->from.v || (sim->log.total != all->events && held))
        return;
    struct saved_state here = saved_state_take(run);
    speeds(run, &speed, &spin);
    all->from.trace = here.trace; /* what is kept of the motion stays */
    saved_state_restore(run, &all->from);
    speeds(run, &speed, &spin);
    for (uint32_t i = 0; i < run->im->bodies.n; i++)
        radius = fmax(radius, all->probe[i].n ? all->probe[i].radius : 0.0);
    /* speeds may have been greater on the way */
    if (4.0 * (now - rt_time(run)) * (speed + spin * radius) > all->narrow)
        while (rt_time(run) < now && look_along_step(sim, all, now))
            ;
    saved_state_restore(run, &here);
}

/* Keeps the present state for the next look. Systems and joints with friction
 * have states of their own, which are not followed here. */
static void
keep_state(struct simulation *sim, struct pairs_without_contact *all)
{
    struct rt *run = sim->run;
    if (run->im->systems.n || sim->rubbing || !sim->begun || run->table)
        return;
    struct saved_state here = saved_state_take(run);
    if (!all->from.v)
        all->from.v = NEW_N(run->arena, double, here.n);
    memcpy(all->from.v, here.v, here.n * sizeof *here.v);
    all->from.n = here.n;
    all->events = sim->log.total;
    all->held = persistent_any(run);
}

void
simulate_pairs_look(struct simulation *sim)
{
    assert(sim != NULL);
    struct pairs_without_contact *all = sim->pairs;
    if (!all)
        return;
    if (rt_time(sim->run) != all->last) {
        look_between(sim, all);
        all->last = rt_time(sim->run);
        look_and_tell(sim, all);
    }
    keep_state(sim, all);
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
