/* SPDX-License-Identifier: MIT */
/* The next event of each ball: cells, predictions, and the heap.
 *
 * A ball keeps the first of its meetings only. When its partner's motion
 * changes the meeting is stale, which is seen when it comes first in the heap:
 * then the ball is asked again. Nothing is missed before: all its other
 * meetings come later, and whoever's motion changes tells those whom it will
 * meet sooner. A ball that goes to the next cell keeps its meeting, too, and
 * asks those alone that come into its reach there (as Rapaport 1980). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/balls/balls_priv.h"

/* events between two looks whether the run is to stop */
#define STOP_LOOK 4096

/* -- the heap -------------------------------------------------------------- */

static bool
sooner(struct balls_due one, struct balls_due two)
{
    return one.when < two.when || (one.when == two.when && one.ball < two.ball);
}

static void
put_at(struct balls *balls, uint32_t place, struct balls_due due)
{
    balls->heap[place] = due;
    balls->place[due.ball] = place;
}

/* Of four that stand side by side, or fewer, the first in time. */
static uint32_t
soonest(const struct balls_due *heap, uint32_t from, uint32_t to)
{
    uint32_t first = from;
    for (uint32_t i = from + 1; i < to; i++)
        if (sooner(heap[i], heap[first]))
            first = i;
    return first;
}

/* Moves the ball to its place, after the time of its event has changed. */
static void
sift(struct balls *balls, uint32_t ball)
{
    const struct balls_due *heap = balls->heap;
    struct balls_due due = {fmin(balls->meets[ball], balls->event[ball].leaves),
                            ball};
    uint32_t at = balls->place[ball], n = balls->n_move;
    while (at > 0 && sooner(due, heap[(at - 1) / 4])) {
        put_at(balls, at, heap[(at - 1) / 4]);
        at = (at - 1) / 4;
    }
    for (uint32_t child; (child = 4 * at + 1) < n; at = child) {
        child = soonest(heap, child, child + 4 < n ? child + 4 : n);
        if (!sooner(heap[child], due))
            break;
        put_at(balls, at, heap[child]);
    }
    put_at(balls, at, due);
}

/* -- cells ----------------------------------------------------------------- */

/* A number of a cell, which few others share. Neighbours along x have numbers
 * side by side, and so their lists in memory. */
static uint32_t
cell_number(const int64_t cell[3])
{
    uint64_t key = (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu +
                   (uint64_t)cell[2] * 0x165667b19e3779f9u;
    return (uint32_t)((key >> 32) + (uint64_t)cell[0]);
}

static uint32_t *
list_of(const struct balls *balls, uint32_t number)
{
    return balls->cell + (number & balls->cell_mask);
}

static void
cell_enter(struct balls *balls, uint32_t which)
{
    uint32_t number = cell_number(balls->ball[which].cell),
             *first = list_of(balls, number);
    balls->ball[which].before = NO_BALL;
    balls->link[which] = (struct ball_link){*first, number};
    if (*first != NO_BALL)
        balls->ball[*first].before = which;
    *first = which;
}

static void
cell_leave(struct balls *balls, uint32_t which)
{
    uint32_t before = balls->ball[which].before;
    struct ball_link link = balls->link[which];
    if (before == NO_BALL)
        *list_of(balls, link.cell) = link.next;
    else
        balls->link[before].next = link.next;
    if (link.next != NO_BALL)
        balls->ball[link.next].before = before;
}

/* Finds when the ball leaves its cell, and through which side. */
static void
cell_end(const struct balls *balls, uint32_t one)
{
    const struct ball *ball = balls->ball + one;
    struct ball_event *event = balls->event + one;
    double first = INFINITY, since = ball->entered - ball->clock;
    for (int i = 0; i < balls->dim; i++) {
        double half = 0.5 * balls->gravity[i],
               x = ball->x[i] + (ball->v[i] + half * since) * since,
               v = ball->v[i] + 2.0 * half * since;
        /* along a line it leaves through the side ahead alone */
        int low = half == 0.0 && v >= 0.0 ? 1 : 0,
            high = half == 0.0 && v <= 0.0 ? 0 : 1;
        for (int up = low; up <= high; up++) {
            double sign = up ? -1.0 : 1.0,
                   bound = (double)(ball->cell[i] + up) * balls->side;
            double s =
                balls_first_fall(sign * (x - bound), sign * v, sign * half);
            if (s < first) {
                first = s;
                event->axis = (int8_t)i;
                event->way = up ? 1 : -1;
            }
        }
    }
    event->leaves = ball->entered + first;
}

/* -- predictions ----------------------------------------------------------- */

static uint32_t
epoch(const struct balls *balls, uint32_t which)
{
    return which < balls->n_move ? balls->ball[which].epoch : 0;
}

static void
take(struct balls *balls, uint32_t one, uint32_t two,
     const struct ball_meeting *meeting)
{
    struct ball_event *event = balls->event + one;
    event->kind = (uint8_t)meeting->kind;
    balls->meets[one] = meeting->when;
    event->since = meeting->since;
    event->partner = two;
    event->partner_epoch = epoch(balls, two);
}

/* Is `two` one against which balls move along parabolas? Their meetings are
 * looked for until the ball leaves its cell, and anew in the next one. */
static bool
curved(const struct balls *balls, uint32_t two)
{
    return balls->weight && two >= balls->n_move;
}

static void
try(struct balls *balls, uint32_t one, uint32_t two)
{
    if (two == one)
        return;
    bool moves = two < balls->n_move;
    double first = balls->meets[one], other = moves ? balls->meets[two] : first,
           most = first > other ? first : other;
    if (curved(balls, two))
        most = fmin(most, balls->event[one].leaves);
    /* of a pair, the lower number counts: the bits are the same both ways */
    bool left = balls_fresh(balls, one, two), turned = moves && two < one;
    struct ball_meeting meeting = balls_meeting(balls, turned ? two : one,
                                                turned ? one : two, left, most);
    if (meeting.kind == EVENT_NEVER)
        return;
    if (meeting.when < first)
        take(balls, one, two, &meeting);
    if (moves && meeting.when < other) {
        take(balls, two, one, &meeting);
        sift(balls, two);
    }
}

/* Asks those in a cell. Cells that share their number are asked together: a
 * ball too many does no harm. */
static void
try_cell(struct balls *balls, uint32_t one, uint32_t number)
{
    uint32_t next;
    for (uint32_t i = *list_of(balls, number); i != NO_BALL; i = next) {
        next = balls->link[i].next;
        if (balls->link[i].cell == number)
            try(balls, one, i);
    }
}

/* Asks the cells next to that of the ball, and its own; axis: only those on the
 * side `way` along it. Of many balls hardly any is in a cache, so all are
 * fetched before the first is asked. */
static void
near_cells(struct balls *balls, uint32_t one, int axis, int way)
{
    const int64_t *own = balls->ball[one].cell;
    uint32_t number[27];
    int low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, n = 0;
    if (balls->dim == 2)
        low[2] = high[2] = 0;
    if (axis >= 0)
        low[axis] = high[axis] = way;
    for (int i = low[0]; i <= high[0]; i++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int k = low[2]; k <= high[2]; k++, n++) {
                const int64_t cell[3] = {own[0] + i, own[1] + j, own[2] + k};
                number[n] = cell_number(cell);
                uint32_t first = *list_of(balls, number[n]);
                if (first != NO_BALL)
                    __builtin_prefetch(balls->ball + first);
            }
    for (int i = 0; i < n; i++)
        try_cell(balls, one, number[i]);
}

void
balls_predict(struct balls *balls, uint32_t one)
{
    assert(one < balls->n_move);
    struct ball_event *event = balls->event + one;
    cell_end(balls, one);
    balls->meets[one] = INFINITY;
    event->kind = EVENT_NEVER;
    event->partner = NO_BALL;
    for (uint32_t i = 0; i < balls->n_plane; i++) {
        uint32_t plane = balls->n_ball + i;
        double first = balls->meets[one];
        struct ball_meeting meeting = balls_meeting(
            balls, one, plane, balls_fresh(balls, one, plane), first);
        if (meeting.kind != EVENT_NEVER && meeting.when < first)
            take(balls, one, plane, &meeting);
    }
    if (balls->all)
        for (uint32_t i = 0; i < balls->n_ball; i++)
            try(balls, one, i);
    else
        near_cells(balls, one, -1, 0);
    sift(balls, one);
}

void
balls_search_start(struct balls *balls)
{
    assert(balls && balls->side > 0.0);
    for (uint32_t i = 0; i <= balls->cell_mask; i++)
        balls->cell[i] = NO_BALL;
    for (uint32_t i = 0; i < balls->n_ball; i++) {
        struct ball *ball = balls->ball + i;
        for (int k = 0; k < 3; k++)
            ball->cell[k] =
                k < balls->dim ? (int64_t)floor(ball->x[k] / balls->side) : 0;
        cell_enter(balls, i);
        if (i >= balls->n_move)
            continue;
        balls->meets[i] = balls->event[i].leaves = INFINITY;
        balls->event[i].kind = EVENT_NEVER;
        put_at(balls, i, (struct balls_due){INFINITY, i});
    }
    for (uint32_t i = 0; i < balls->n_move; i++)
        balls_predict(balls, i);
}

/* -- going on -------------------------------------------------------------- */

/* Takes the ball to its next cell, and asks whom it comes near there. */
static void
change_cell(struct balls *balls, uint32_t one)
{
    struct ball *ball = balls->ball + one;
    const struct ball_event *event = balls->event + one;
    int axis = event->axis, way = event->way;
    cell_leave(balls, one);
    ball->entered = event->leaves;
    ball->cell[axis] += way;
    cell_enter(balls, one);
    /* search = all is what the cells are checked against: it asks everyone */
    if (balls->all) {
        balls_predict(balls, one);
        return;
    }
    cell_end(balls, one);
    bool anew = balls->weight && balls->n_ball > balls->n_move;
    near_cells(balls, one, anew ? -1 : axis, way);
    sift(balls, one);
}

/* Asks memory for those of which one has the event behind the first. */
static void
fetch_next(const struct balls *balls)
{
    uint32_t end = balls->n_move < 5 ? balls->n_move : 5;
    for (uint32_t i = 1; i < end; i++) {
        uint32_t ball = balls->heap[i].ball;
        __builtin_prefetch(balls->ball + ball);
        __builtin_prefetch(&balls->ball[ball].cell);
        __builtin_prefetch(balls->event + ball);
    }
}

bool
balls_settle(struct balls *balls, double until)
{
    assert(balls && balls->n_move > 0);
    for (uint32_t n = 1;; n++) {
        struct balls_due due = balls->heap[0];
        const struct ball_event *event = balls->event + due.ball;
        if (due.when > until || isinf(due.when))
            return true;
        if (n % STOP_LOOK == 0 && rt_stopped(balls->run))
            return false;
        fetch_next(balls);
        if (event->leaves <= balls->meets[due.ball])
            change_cell(balls, due.ball);
        else if (event->partner_epoch == epoch(balls, event->partner))
            return true;
        else
            balls_predict(balls, due.ball);
    }
}

bool
balls_crowded(const struct balls *balls, uint32_t one, uint32_t other, double t)
{
    assert(one < balls->n_move);
    const int64_t *own = balls->ball[one].cell;
    int deep = balls->dim == 3 ? 1 : 0;
    double x[3];
    balls_at(balls, one, t, x);
    for (uint32_t i = 0; i < balls->n_plane; i++)
        if (balls->n_ball + i != other &&
            balls_touch_at(balls, one, balls->n_ball + i, t, x))
            return true;
    for (int64_t i = -1; i <= 1; i++)
        for (int64_t j = -1; j <= 1; j++)
            for (int64_t k = -deep; k <= deep; k++) {
                int64_t cell[3] = {own[0] + i, own[1] + j, own[2] + k};
                uint32_t at = *list_of(balls, cell_number(cell));
                for (; at != NO_BALL; at = balls->link[at].next)
                    if (at != one && at != other &&
                        balls_touch_at(balls, one, at, t, x))
                        return true;
            }
    return false;
}
