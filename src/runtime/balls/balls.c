/* SPDX-License-Identifier: MIT */
/* Balls of a run: which bodies are balls and planes, their state, impacts. */
#include "runtime/balls/balls.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/balls/balls_steps_priv.h"
#include "runtime/geometry/pose.h"
#include "runtime/geometry/support.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/contact_plain.h"
#include "runtime/instance/contact_restitution.h"
#include "runtime/instance/contact_table.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

/* Cells are larger than the greatest diameter by this share, far more than the
 * rounding of a place within a cell. */
#define CELL_MARGIN 1e-6
/* A ball that rises by less than this many tolerances of its gap is left to the
 * general search, which takes the limit of its bounces before that. */
#define LOW_FLIGHT 64.0
#define CACHE_LINE 64
/* cells are numbered by whole numbers up to this size */
#define CELLS_MOST 1e15

/* -- which bodies ---------------------------------------------------------- */

/* Radius of a ball (m); 0 where the body is none. */
static double
radius_of(struct rt *run, uint32_t body)
{
    const imp_body *image_body = rt_body(run, body);
    const double *of = run->env + image_body->env_body;
    /* A ball turns evenly if its moments of inertia are equal. */
    if (run->im->dim == 3 && !(image_body->flags & IMP_BODYF_FIXED) &&
        (of[IMP_BODY_INERTIA] != of[IMP_BODY_INERTIA + 1] ||
         of[IMP_BODY_INERTIA] != of[IMP_BODY_INERTIA + 2] ||
         of[IMP_BODY_INERTIA + 3] != 0.0 || of[IMP_BODY_INERTIA + 4] != 0.0 ||
         of[IMP_BODY_INERTIA + 5] != 0.0))
        return 0.0;
    return support_ball_radius(run, body);
}

static bool
is_plane(const imp_body *body)
{
    return (body->flags & IMP_BODYF_FIXED) && (body->flags & IMP_BODYF_FLAT) &&
           (body->flags & IMP_BODYF_SHAPE) &&
           !(body->flags & (IMP_BODYF_PRESCRIBED | IMP_BODYF_GTIME));
}

static bool
make_plane(struct rt *run, uint32_t body, struct ball_plane *plane)
{
    struct support_body support;
    struct support_point point;
    support_body_get(run, body, &support);
    double x[3] = {support.centre[0], support.centre[1], support.centre[2]};
    if (support_level(&support, x, &point) != SUPPORT_FINE ||
        !(point.norm > 0.0))
        return false;
    support_rotate(&support, point.g, plane->normal);
    for (int i = 0; i < 3; i++) {
        plane->normal[i] /= point.norm;
        plane->point[i] =
            support.c[i] - point.G / point.norm * plane->normal[i];
    }
    plane->body = body;
    return true;
}

/* Room for so many bytes that begins where a line of the cache does. */
static void *
lines(struct arena *arena, size_t size)
{
    char *room = NEW_N(arena, char, size + CACHE_LINE);
    return room + (CACHE_LINE - (uintptr_t)room % CACHE_LINE);
}

/* Room for the queue of n balls: the four that stand behind one share a line.
 */
static struct balls_due *
heap_lines(struct arena *arena, uint32_t n)
{
    char *room = lines(arena, (n + 1) * sizeof(struct balls_due) + CACHE_LINE);
    return (struct balls_due *)(void *)(room + CACHE_LINE -
                                        sizeof(struct balls_due));
}

/* Sorts the bodies. False: one of them is something else. */
static bool
sort_bodies(struct balls *balls, struct balls_refusal *refusal)
{
    struct rt *run = balls->run;
    uint32_t count = run->im->bodies.n, fixed = 0;
    for (uint32_t i = 0; i < count; i++)
        balls->n_move += !(rt_body(run, i)->flags & IMP_BODYF_FIXED);
    balls->ball = lines(run->arena, (count + 1) * sizeof *balls->ball);
    balls->link = NEW_N(run->arena, struct ball_link, count + 1);
    balls->meets = NEW_N(run->arena, double, count + 1);
    balls->event = NEW_N(run->arena, struct ball_event, count + 1);
    balls->spin = NEW_N(run->arena, struct ball_spin, count + 1);
    balls->plane = NEW_N(run->arena, struct ball_plane, count + 1);
    uint32_t moving = 0;
    for (uint32_t i = 0; i < count; i++) {
        const imp_body *body = rt_body(run, i);
        bool stays = (body->flags & IMP_BODYF_FIXED) != 0;
        *refusal = (struct balls_refusal){BALLS_SHAPE, {i, i}, 0};
        if (is_plane(body)) {
            if (!make_plane(run, i, balls->plane + balls->n_plane))
                return false;
            balls->n_plane++;
            continue;
        }
        double radius = radius_of(run, i);
        bool shape = radius == 0.0;
        if (shape && !(balls->shapes && balls_steps_shape(run, i, &radius)))
            return false;
        struct ball *ball =
            balls->ball + (stays ? balls->n_move + fixed++ : moving++);
        *ball = (struct ball){.radius = radius,
                              .shape = shape,
                              .body = i,
                              .sides = body->sides,
                              .hit = NO_BALL};
    }
    balls->n_ball = balls->n_move + fixed;
    refusal->why = BALLS_NONE;
    return balls->n_move > 0;
}

static uint32_t
pair_slot(const struct balls *balls, uint32_t one, uint32_t two)
{
    uint64_t low = one < two ? one : two, high = one < two ? two : one;
    return (uint32_t)((high * 0x9e3779b97f4a7c15u +
                       low * 0xc2b2ae3d27d4eb4fu) >>
                      32) &
           balls->contact_mask;
}

/* The first rule that is of both bodies, by the sides that they are on. */
static uint32_t
rule_of_sides(const struct balls *balls, uint32_t one, uint32_t two)
{
    uint32_t first = 0x55555555u,
             both = (one & two >> 1 & first) | (two & one >> 1 & first);
    for (uint32_t k = 0; both && k < IMP_CONTACT_RULES; k++)
        if (both >> 2 * k & 1 && balls->rule[k] != NO_BALL)
            return balls->rule[k];
    return NO_BALL;
}

static uint32_t
rule_of(const struct balls *balls, uint32_t one, uint32_t two)
{
    return rule_of_sides(balls, rt_body(balls->run, one)->sides,
                         rt_body(balls->run, two)->sides);
}

/* The contact that is stated for two bodies; NO_BALL: none. */
static uint32_t
stated_contact(const struct balls *balls, uint32_t one, uint32_t two)
{
    if (!balls->stated)
        return NO_BALL;
    uint32_t at = balls->contact_first[pair_slot(balls, one, two)];
    for (; at != NO_BALL; at = balls->contact_next[at]) {
        const imp_contact *contact = rt_contact(balls->run, at);
        if ((contact->body[0] == one && contact->body[1] == two) ||
            (contact->body[0] == two && contact->body[1] == one))
            break;
    }
    return at;
}

uint32_t
balls_contact(const struct balls *balls, uint32_t one, uint32_t two)
{
    uint32_t at = stated_contact(balls, one, two);
    return at == NO_BALL ? rule_of(balls, one, two) : at;
}

/* Bodies that are on the same sides of all rules, and can move or not. */
struct alike {
    uint32_t sides;
    bool moves;
    uint64_t n;
};

static uint32_t
alike_of(struct alike *kinds, uint32_t n, const imp_body *body)
{
    bool moves = !(body->flags & IMP_BODYF_FIXED);
    uint32_t i = 0;
    while (i < n && (kinds[i].sides != body->sides || kinds[i].moves != moves))
        i++;
    if (i == n)
        kinds[i] = (struct alike){.sides = body->sides, .moves = moves};
    return i;
}

/* Has every pair of which one can move a contact? Pairs that no rule is of are
 * counted, by kinds of bodies, beside their contacts. */
static bool
all_pairs(const struct balls *balls)
{
    const struct rt *run = balls->run;
    uint32_t n = run->im->bodies.n, count = 0;
    struct alike *kinds = NEW_N(run->arena, struct alike, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = alike_of(kinds, count, rt_body(run, i));
        count += kind == count;
        kinds[kind].n++;
    }
    uint64_t wanted = 0, stated = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i; j < count; j++)
            if ((kinds[i].moves || kinds[j].moves) &&
                rule_of_sides(balls, kinds[i].sides, kinds[j].sides) == NO_BALL)
                wanted += i == j ? kinds[i].n * (kinds[i].n - 1) / 2
                                 : kinds[i].n * kinds[j].n;
    for (uint32_t i = 0; i < contact_table_stated(run) && wanted; i++) {
        const imp_contact *contact = rt_contact(run, i);
        stated += !(contact->flags & IMP_CONTACTF_RULE) &&
                  rule_of(balls, contact->body[0], contact->body[1]) == NO_BALL;
    }
    return stated == wanted;
}

/* Names a pair of bodies of which one can move and which has no contact. */
static void
name_apart(const struct balls *balls, struct balls_refusal *refusal)
{
    uint32_t n = balls->run->im->bodies.n;
    refusal->why = BALLS_APART;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (balls_contact(balls, i, j) == NO_BALL &&
                !(rt_body(balls->run, i)->flags &
                  rt_body(balls->run, j)->flags & IMP_BODYF_FIXED)) {
                refusal->body[0] = i;
                refusal->body[1] = j;
                return;
            }
}

/* Finds the contacts of the model by pairs of bodies: what was made from a rule
 * is that rule here. False: a pair of which one can move
 * has none or several, or one that is not searched for. */
static bool
sort_contacts(struct balls *balls, struct balls_refusal *refusal)
{
    struct rt *run = balls->run;
    uint32_t count = contact_table_stated(run), size = 16;
    while (size < count)
        size *= 2;
    balls->contact_mask = size - 1;
    balls->contact_first = NEW_N(run->arena, uint32_t, size);
    balls->contact_next = NEW_N(run->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < size; i++)
        balls->contact_first[i] = NO_BALL;
    uint32_t rule[IMP_CONTACT_RULES];
    for (uint32_t k = 0; k < IMP_CONTACT_RULES; k++)
        rule[k] = balls->rule[k] = NO_BALL;
    for (uint32_t i = 0; i < count; i++) {
        const imp_contact *contact = rt_contact(run, i);
        *refusal = (struct balls_refusal){BALLS_LAW, {0, 0}, i};
        if (contact->flags & IMP_CONTACTF_RULE) {
            if (!contact_is_plain(run, i, CONTACT_LAW_APPROACH))
                return false;
            rule[IMP_CONTACT_RULE(contact->flags)] = i;
            continue;
        }
        if (contact->system != IMP_NO_SYSTEM ||
            (contact->flags & IMP_CONTACTF_STATED) ||
            !contact_is_plain(run, i, CONTACT_LAW_APPROACH) ||
            balls_contact(balls, contact->body[0], contact->body[1]) != NO_BALL)
            return false;
        uint32_t *first = balls->contact_first +
                          pair_slot(balls, contact->body[0], contact->body[1]);
        balls->contact_next[i] = *first;
        balls->stated = true;
        *first = i;
    }
    memcpy(balls->rule, rule, sizeof rule);
    if (!all_pairs(balls)) {
        name_apart(balls, refusal);
        return false;
    }
    return true;
}

static struct balls *
make(struct rt *run, bool all, bool shapes, struct balls_refusal *refusal)
{
    struct balls_refusal unheard;
    refusal = refusal ? refusal : &unheard;
    *refusal = (struct balls_refusal){BALLS_FORCES, {0, 0}, 0};
    if (!motion_by_weight(run) || run->im->bodies.n == 0 || run->im->dim == 0)
        return NULL;
    struct balls *balls = NEW(run->arena, struct balls);
    balls->run = run;
    balls->dim = (int)run->im->dim;
    balls->all = all;
    balls->shapes = shapes;
    if (!sort_bodies(balls, refusal) || !sort_contacts(balls, refusal))
        return NULL;
    for (int i = 0; i < 3; i++) {
        balls->gravity[i] = i < balls->dim ? run->world.gravity[i] : 0.0;
        balls->weight |= balls->gravity[i] != 0.0;
    }
    uint32_t size = 64;
    while (size < 2 * balls->n_ball)
        size *= 2;
    balls->cell_mask = size - 1;
    balls->cell = NEW_N(run->arena, uint32_t, size);
    balls->heap = heap_lines(run->arena, balls->n_move);
    balls->place = NEW_N(run->arena, uint32_t, balls->n_move + 1);
    balls->put = NEW_N(run->arena, double, rt_state_size(run) + 1);
    return balls;
}

struct balls *
balls_new(struct rt *run, bool all, struct balls_refusal *refusal)
{
    assert(run != NULL);
    return make(run, all, false, refusal);
}

struct balls *
balls_of_shapes(struct rt *run, struct balls_refusal *refusal)
{
    assert(run != NULL);
    return make(run, false, true, refusal);
}

uint32_t
balls_moving(const struct balls *balls)
{
    assert(balls != NULL);
    return balls->n_move;
}

/* -- the state ------------------------------------------------------------- */

void
balls_read(struct balls *balls, uint32_t which, double now)
{
    struct rt *run = balls->run;
    struct ball *ball = balls->ball + which;
    const imp_body *body = rt_body(run, ball->body);
    uint32_t at = body->env_state - run->im->layout.state;
    const double *state = run->env + body->env_state, *lo = run->state_lo + at;
    bool plane = balls->dim == 2, on = which < balls->n_move;
    int first = plane ? 3 : 7;
    ball->clock = ball->entered = on ? now : 0.0;
    ball->hit = NO_BALL;
    for (int i = 0; i < 3; i++) {
        bool has = i < balls->dim;
        ball->x[i] = has ? state[i] : 0.0;
        ball->v[i] = has && on ? state[first + i] + lo[first + i] : 0.0;
    }
    if (!on)
        return;
    struct ball_spin *spin = balls->spin + which;
    const double *of = run->env + body->env_body;
    for (int i = 0; i < 3; i++)
        spin->low[i] = i < balls->dim ? lo[i] : 0.0;
    spin->invmass = of[IMP_BODY_INVMASS];
    spin->invinertia = of[IMP_BODY_INVINERTIA];
    for (int i = 0; i < (plane ? 1 : 4); i++)
        spin->attitude[i] = state[plane ? 2 : 3 + i];
    for (int i = 0; i < (plane ? 1 : 3); i++)
        spin->spin[i] = state[plane ? 5 : 10 + i];
}

static uint32_t
body_of(const struct balls *balls, uint32_t which)
{
    return which < balls->n_ball ? balls->ball[which].body
                                 : balls->plane[which - balls->n_ball].body;
}

static uint32_t
sides_of(const struct balls *balls, uint32_t which)
{
    return which < balls->n_ball
               ? balls->ball[which].sides
               : rt_body(balls->run, body_of(balls, which))->sides;
}

/* Notes whom a ball has just left. False: it rests on another body, is about to
 * hit one, or touches several. */
static bool
note_touch(struct balls *balls, uint32_t one, uint32_t two)
{
    double rate, normal[3],
        gap = balls_gap(balls, one, two, balls->ball[one].clock, &rate, normal);
    struct ball_tolerance tol = balls_tolerance(balls, one, two);
    if (gap > tol.gap)
        return true;
    struct ball *a = balls->ball + one;
    if (rate <= tol.rate || a->hit != NO_BALL)
        return false;
    a->hit = two;
    if (two >= balls->n_move)
        return true;
    struct ball *b = balls->ball + two;
    if (b->hit != NO_BALL)
        return false;
    b->hit = one;
    a->hit_epoch = b->epoch;
    b->hit_epoch = a->epoch;
    return true;
}

static int
by_place(const struct ball *ball, const struct ball *other)
{
    return (ball->x[0] > other->x[0]) - (ball->x[0] < other->x[0]);
}

/* Looks at all pairs that are near along x. */
static bool
note_touches(struct balls *balls)
{
    uint32_t *order = NEW_N(balls->run->brief, uint32_t, balls->n_ball + 1);
    uint32_t *room = NEW_N(balls->run->brief, uint32_t, balls->n_ball + 1);
    for (uint32_t i = 0; i < balls->n_ball; i++)
        order[i] = i;
    /* merge sort: the order of equal places is that of the numbers */
    for (uint32_t width = 1; width < balls->n_ball; width *= 2) {
        for (uint32_t at = 0; at < balls->n_ball; at += 2 * width) {
            uint32_t i = at, middle = at + width, j = middle,
                     end = at + 2 * width, to = at;
            middle = middle < balls->n_ball ? middle : balls->n_ball;
            end = end < balls->n_ball ? end : balls->n_ball;
            j = middle;
            while (to < end)
                room[to++] = j >= end || (i < middle &&
                                          by_place(balls->ball + order[i],
                                                   balls->ball + order[j]) <= 0)
                                 ? order[i++]
                                 : order[j++];
        }
        uint32_t *swap = order;
        order = room;
        room = swap;
    }
    for (uint32_t i = 0; i < balls->n_ball; i++)
        for (uint32_t j = i + 1; j < balls->n_ball; j++) {
            uint32_t one = order[i], two = order[j];
            if (balls->ball[two].x[0] - balls->ball[one].x[0] > balls->side)
                break;
            if (one >= balls->n_move && two >= balls->n_move)
                continue;
            if (!(one < two ? note_touch(balls, one, two)
                            : note_touch(balls, two, one)))
                return false;
        }
    for (uint32_t i = 0; i < balls->n_move; i++)
        for (uint32_t k = 0; k < balls->n_plane; k++)
            if (!note_touch(balls, i, balls->n_ball + k))
                return false;
    return true;
}

/* A cell is so wide, as a share of the width with which one ball would be in
 * each on average. Narrow cells have few balls to ask after an impact, wide
 * ones are left seldom: between .6 and .8 an event of a gas costs the least. */
#define CELL_WIDTH 0.7

/* Chooses the side of a cell: no less than the greatest diameter. */
static void
choose_side(struct balls *balls)
{
    double widest = 0.0, volume = 1.0;
    for (uint32_t i = 0; i < balls->n_ball; i++)
        widest = fmax(widest, 2.0 * balls->ball[i].radius);
    for (int k = 0; k < balls->dim; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < balls->n_move; i++) {
            low = fmin(low, balls->ball[i].x[k]);
            high = fmax(high, balls->ball[i].x[k]);
        }
        volume *= high - low + widest;
    }
    double each = volume / balls->n_move;
    each = CELL_WIDTH * (balls->dim == 2 ? sqrt(each) : cbrt(each));
    balls->side = fmax(widest, each) * (1.0 + CELL_MARGIN);
}

bool
balls_begin(struct balls *balls)
{
    assert(balls != NULL);
    struct rt *run = balls->run;
    const double *state = run->env + run->im->layout.state;
    size_t size = rt_state_size(run) * sizeof *state;
    if (balls->known && !memcmp(balls->put, state, size)) {
        balls_trace_begin(balls, balls->now);
        return true;
    }
    balls->known = false;
    balls->now = rt_time(run);
    for (uint32_t i = 0; i < balls->n_ball; i++)
        balls_read(balls, i, balls->now);
    choose_side(balls);
    for (uint32_t i = 0; i < balls->n_ball; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(balls->ball[i].x[k]) < CELLS_MOST * balls->side))
                return false;
    if (!note_touches(balls))
        return false;
    balls_search_start(balls);
    balls_trace_begin(balls, balls->now);
    return true;
}

void
balls_attitude(const struct ball_spin *spin, double s, double turned[4])
{
    double w = vec3_norm(spin->spin), half = 0.5 * w * s;
    double sine = w > 0.0 ? sin(half) / w : 0.0, cosine = cos(half);
    const double *q = spin->attitude;
    double r[3], norm = 0.0;
    for (int i = 0; i < 3; i++)
        r[i] = sine * spin->spin[i];
    turned[0] = q[0] * cosine - q[1] * r[0] - q[2] * r[1] - q[3] * r[2];
    turned[1] = q[0] * r[0] + q[1] * cosine + q[2] * r[2] - q[3] * r[1];
    turned[2] = q[0] * r[1] + q[2] * cosine + q[3] * r[0] - q[1] * r[2];
    turned[3] = q[0] * r[2] + q[3] * cosine + q[1] * r[1] - q[2] * r[0];
    norm = sqrt(turned[0] * turned[0] + turned[1] * turned[1] +
                turned[2] * turned[2] + turned[3] * turned[3]);
    for (int i = 0; i < 4; i++)
        turned[i] /= norm;
}

/* Writes the state of a ball s after its clock into env. */
static void
put_ball(struct balls *balls, uint32_t which, double s)
{
    struct rt *run = balls->run;
    const struct ball *ball = balls->ball + which;
    const struct ball_spin *spin = balls->spin + which;
    const imp_body *body = rt_body(run, ball->body);
    double *state = run->env + body->env_state,
           *lo = run->state_lo + (body->env_state - run->im->layout.state);
    bool plane = balls->dim == 2;
    memset(lo, 0, (plane ? IMP_STATE_PLANE : IMP_STATE_SPACE) * sizeof *lo);
    for (int i = 0; i < balls->dim; i++) {
        double g = balls->gravity[i];
        state[i] = ball->x[i];
        lo[i] = spin->low[i];
        state_add(&state[i], &lo[i], (ball->v[i] + 0.5 * g * s) * s);
        state[(plane ? 3 : 7) + i] = ball->v[i] + g * s;
    }
    if (plane) {
        state[2] = spin->attitude[0] + spin->spin[0] * s;
        state[5] = spin->spin[0];
        return;
    }
    balls_attitude(spin, s, state + 3);
    memcpy(state + 10, spin->spin, sizeof spin->spin);
}

void
balls_look(struct balls *balls, double t)
{
    assert(balls != NULL);
    struct rt *run = balls->run;
    for (uint32_t i = 0; i < balls->n_move; i++) {
        assert(t >= balls->ball[i].clock);
        put_ball(balls, i, t - balls->ball[i].clock);
    }
    run->env[run->im->layout.time] = t;
    memcpy(balls->put, run->env + run->im->layout.state,
           rt_state_size(run) * sizeof *balls->put);
    balls->known = true;
}

void
balls_put(struct balls *balls, double t)
{
    assert(balls != NULL && t >= balls->now);
    balls_look(balls, t);
    balls->now = t;
}

/* -- impacts --------------------------------------------------------------- */

/* Is this a touch that is not a single impact? */
static bool
unclear(const struct balls *balls, const struct balls_touch *touch)
{
    if (balls_crowded(balls, touch->one, touch->two, touch->time) ||
        (touch->two < balls->n_move &&
         balls_crowded(balls, touch->two, touch->one, touch->time)))
        return true;
    double e =
        contact_restitution_ahead(balls->run, touch->contact, -touch->rate);
    struct ball_tolerance tol = balls_tolerance(balls, touch->one, touch->two);
    double after = -e * touch->rate;
    if (after <= tol.rate || e > 1.0)
        return true;
    double pull = -vec3_dot(touch->normal, balls->gravity);
    if (touch->two < balls->n_move || !balls->weight)
        return false;
    return pull < 0.0 && after * after < 2.0 * LOW_FLIGHT * tol.gap * -pull;
}

/* How long after the clocks of both the event comes. */
static void
times_after(const struct balls *balls, uint32_t one, uint32_t two,
            const struct ball_event *event, double after[2])
{
    double clock = balls->ball[one].clock, other = clock;
    if (two < balls->n_move)
        other = balls->ball[two].clock;
    double from = other > clock ? other : clock;
    after[0] = event->since + (from - clock);
    after[1] = two < balls->n_move ? event->since + (from - other) : 0.0;
}

enum balls_end
balls_next(struct balls *balls, double until, struct balls_touch *touch,
           double *now)
{
    assert(balls != NULL && touch != NULL && now != NULL);
    bool stopped = !balls_settle(balls, until);
    *now = balls->now;
    if (stopped)
        return BALLS_GENERAL;
    uint32_t one = balls->heap[0].ball;
    const struct ball_event *first = balls->event + one;
    if (balls->heap[0].when > until || first->kind == EVENT_NEVER)
        return BALLS_UNTIL;
    uint32_t two = first->partner;
    if (first->kind == EVENT_UNCLEAR)
        return BALLS_GENERAL;
    if (two < one) {
        one = two;
        two = balls->heap[0].ball;
    }
    __builtin_prefetch(balls->spin + one);
    if (two < balls->n_move)
        __builtin_prefetch(balls->spin + two);
    *touch = (struct balls_touch){.time = balls->heap[0].when,
                                  .one = one,
                                  .two = two,
                                  .fixed = two >= balls->n_move};
    times_after(balls, one, two, first, touch->after);
    balls_gap_after(balls, one, two, touch->after, &touch->rate, touch->normal);
    touch->body[0] = body_of(balls, one);
    touch->body[1] = body_of(balls, two);
    touch->contact = stated_contact(balls, touch->body[0], touch->body[1]);
    if (touch->contact == NO_BALL)
        touch->contact =
            rule_of_sides(balls, balls->ball[one].sides, sides_of(balls, two));
    assert(touch->contact != NO_BALL);
    if (unclear(balls, touch))
        return BALLS_GENERAL;
    balls->now = *now = touch->time;
    return BALLS_TOUCH;
}

void
balls_place(const struct balls *balls, const struct balls_touch *touch,
            double place[3])
{
    assert(balls != NULL && touch != NULL && place != NULL);
    const struct ball *ball = balls->ball + touch->one;
    assert(touch->one < balls->n_move && ball->clock == touch->time);
    for (int i = 0; i < 3; i++)
        place[i] = ball->x[i] + ball->radius * touch->normal[i];
}

/* Brings the clock of a ball to t, which is s after it but for the rounding of
 * t. */
static void
bring(struct balls *balls, uint32_t which, double t, double s)
{
    if (balls->run->trace)
        balls_trace_ball(balls, which, t);
    if (balls->weight || balls->dim == 3) {
        put_ball(balls, which, s);
        balls_read(balls, which, t);
        return;
    }
    /* the same, without the state of the run */
    struct ball *ball = balls->ball + which;
    for (int i = 0; i < 2; i++)
        state_add(&ball->x[i], &balls->spin[which].low[i], ball->v[i] * s);
    balls->spin[which].attitude[0] += balls->spin[which].spin[0] * s;
    ball->clock = ball->entered = t;
    ball->hit = NO_BALL;
}

/* Gives an impulse along `normal` and, in the plane, one along the tangent, at
 * the point where the ball is hit: sign -1 for the first ball. */
static void
push(struct balls *balls, uint32_t which, double sign, const double normal[3],
     double along, double across)
{
    if (which >= balls->n_move)
        return;
    struct ball *ball = balls->ball + which;
    struct ball_spin *spin = balls->spin + which;
    double tangent[3] = {normal[1], -normal[0], 0.0};
    for (int i = 0; i < balls->dim; i++)
        ball->v[i] +=
            sign * spin->invmass * (along * normal[i] + across * tangent[i]);
    /* lever -sign radius normal, and normal x tangent = -1 */
    if (balls->dim == 2)
        spin->spin[0] += spin->invinertia * ball->radius * across;
}

/* The tangential impulse on the second body along the tangent (normal turned by
 * -90 degrees), and the work of friction. */
static double
friction(const struct balls *balls, const struct balls_touch *touch,
         double impulse, double mu, double *work)
{
    double tangent[2] = {touch->normal[1], -touch->normal[0]}, slip = 0.0,
           inverse = 0.0;
    *work = 0.0;
    if (balls->dim != 2 || !(mu > 0.0))
        return 0.0;
    uint32_t side[2] = {touch->one, touch->two};
    for (int i = 0; i < 2; i++) {
        if (side[i] >= balls->n_move)
            continue;
        const struct ball *ball = balls->ball + side[i];
        const struct ball_spin *spin = balls->spin + side[i];
        double sign = i == 0 ? -1.0 : 1.0;
        /* the point of the ball that touches lies at -sign radius normal */
        slip += sign * (ball->v[0] * tangent[0] + ball->v[1] * tangent[1]) +
                ball->radius * spin->spin[0];
        inverse +=
            spin->invmass + ball->radius * ball->radius * spin->invinertia;
    }
    if (!(inverse > 0.0) || slip == 0.0)
        return 0.0;
    double stick = -slip / inverse, most = mu * impulse;
    double across = fabs(stick) <= most ? stick : copysign(most, stick);
    *work = across * (slip + 0.5 * inverse * across);
    return across;
}

double
balls_bounce(struct balls *balls, const struct balls_touch *touch, double e,
             double mu, double *work)
{
    assert(balls != NULL && touch != NULL && work != NULL);
    assert(touch->time == balls->now);
    uint32_t one = touch->one, two = touch->two;
    bool both = two < balls->n_move;
    bring(balls, one, touch->time, touch->after[0]);
    if (both)
        bring(balls, two, touch->time, touch->after[1]);
    balls->known = false;
    double inverse =
        balls->spin[one].invmass + (both ? balls->spin[two].invmass : 0.0);
    double impulse = (1.0 + e) * -touch->rate / inverse;
    double across = friction(balls, touch, impulse, mu, work);
    push(balls, one, -1.0, touch->normal, impulse, across);
    push(balls, two, 1.0, touch->normal, impulse, across);
    struct ball *a = balls->ball + one, *b = balls->ball + two;
    a->epoch++;
    a->hit = two;
    if (both) {
        b->epoch++;
        b->hit = one;
        b->hit_epoch = a->epoch;
        a->hit_epoch = b->epoch;
    }
    balls_predict(balls, one);
    if (both)
        balls_predict(balls, two);
    return impulse;
}
