/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event-driven motion of equal hard discs (Rapaport 1980, with one event per
 * disc). Each disc keeps its next event alone, a binary heap has the first of
 * all. Cells of one disc each tell which discs are near; to go to the next cell
 * is an event, too. When the partner of a disc was hit by another, the event of
 * the disc is stale: this is seen when it comes first, and the disc asks again. */
#include "discs.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { NONE = -1, WALL = -2, CELL = -3 };

struct disc {
    double x[2], v[2], clock; /* the motion since the last impact */
    double when;              /* the next event */
    int partner, axis;        /* a disc, or WALL or CELL across this axis */
    long hits, partner_hits;
    int cell[2], next, before; /* the list of the cell */
    int place;                 /* in the heap */
};
struct discs {
    int n, cells; /* along one side of the box */
    double radius, side, width;
    struct disc *disc;
    int *heap, *first; /* first[]: of each cell, with a border of empty cells */
};

/* Moves disc i to its place in the heap, after `when` has changed. */
static void
sift(struct discs *all, int i)
{
    struct disc *disc = all->disc;
    int *heap = all->heap, at = disc[i].place;
    double when = disc[i].when;

    for (; at > 0 && when < disc[heap[(at - 1) / 2]].when; at = (at - 1) / 2)
        disc[heap[at] = heap[(at - 1) / 2]].place = at;
    for (int child; (child = 2 * at + 1) < all->n; at = child) {
        if (child + 1 < all->n &&
            disc[heap[child + 1]].when < disc[heap[child]].when)
            child++;
        if (when <= disc[heap[child]].when)
            break;
        disc[heap[at] = heap[child]].place = at;
    }
    disc[heap[at] = i].place = at;
}

static int *
first_of(struct discs *all, int i, int j)
{
    return all->first + (i + 1) * (all->cells + 2) + j + 1;
}

static void
enter(struct discs *all, int i)
{
    struct disc *disc = all->disc + i;
    int *first = first_of(all, disc->cell[0], disc->cell[1]);

    disc->before = NONE;
    disc->next = *first;
    if (*first != NONE)
        all->disc[*first].before = i;
    *first = i;
}

static void
leave(struct discs *all, int i)
{
    struct disc *disc = all->disc + i;

    if (disc->before == NONE)
        *first_of(all, disc->cell[0], disc->cell[1]) = disc->next;
    else
        all->disc[disc->before].next = disc->next;
    if (disc->next != NONE)
        all->disc[disc->next].before = disc->before;
}

/* When two discs meet, or infinity. */
static double
meeting(const struct discs *all, const struct disc *one, const struct disc *two)
{
    double start = fmax(one->clock, two->clock), gap, towards = 0.0;
    double distance2 = 0.0, speed2 = 0.0, least = 2.0 * all->radius;

    for (int k = 0; k < 2; k++) {
        double v = two->v[k] - one->v[k],
               x = two->x[k] + two->v[k] * (start - two->clock) - one->x[k] -
                   one->v[k] * (start - one->clock);
        towards += x * v;
        distance2 += x * x;
        speed2 += v * v;
    }
    gap = distance2 - least * least;
    double root2 = towards * towards - speed2 * gap;
    if (towards >= 0.0 || root2 < 0.0)
        return INFINITY;
    return start + fmax(gap, 0.0) / (sqrt(root2) - towards);
}

static void
take(struct discs *all, int i, int partner, double when)
{
    struct disc *disc = all->disc + i;

    disc->when = when;
    disc->partner = partner;
    disc->partner_hits = all->disc[partner].hits;
}

/* The time at which disc i leaves its cell or comes to a wall. */
static void
predict_bounds(struct discs *all, struct disc *disc)
{
    disc->when = INFINITY;
    for (int k = 0; k < 2; k++) {
        if (disc->v[k] == 0.0)
            continue;
        int up = disc->v[k] > 0.0, edge = up ? all->cells - 1 : 0;
        bool wall = disc->cell[k] == edge;
        double bound = (disc->cell[k] + up) * all->width;
        if (wall)
            bound = up ? all->side - all->radius : all->radius;
        double when = disc->clock + (bound - disc->x[k]) / disc->v[k];
        if (when < disc->when) {
            disc->when = when;
            disc->partner = wall ? WALL : CELL;
            disc->axis = k;
        }
    }
}

static void
predict(struct discs *all, int i)
{
    struct disc *disc = all->disc + i;

    predict_bounds(all, disc);
    for (int a = disc->cell[0] - 1; a <= disc->cell[0] + 1; a++)
        for (int b = disc->cell[1] - 1; b <= disc->cell[1] + 1; b++)
            for (int j = *first_of(all, a, b); j != NONE;
                 j = all->disc[j].next) {
                if (j == i)
                    continue;
                double when = meeting(all, disc, all->disc + j);
                if (when < disc->when)
                    take(all, i, j, when);
                if (when < all->disc[j].when) {
                    take(all, j, i, when);
                    sift(all, j);
                }
            }
    sift(all, i);
}

static void
move(struct disc *disc, double t)
{
    for (int k = 0; k < 2; k++)
        disc->x[k] += disc->v[k] * (t - disc->clock);
    disc->clock = t;
}

/* Equal masses exchange the velocities along the line of their centres. */
static void
bounce(struct disc *one, struct disc *two)
{
    double x[2], along = 0.0, distance2 = 0.0;

    for (int k = 0; k < 2; k++) {
        x[k] = two->x[k] - one->x[k];
        along += x[k] * (two->v[k] - one->v[k]);
        distance2 += x[k] * x[k];
    }
    for (int k = 0; k < 2; k++) {
        one->v[k] += x[k] * along / distance2;
        two->v[k] -= x[k] * along / distance2;
    }
    one->hits++;
    two->hits++;
}

long
discs_run(struct discs *all, double until)
{
    long impacts = 0;

    assert(until >= 0.0);
    for (;;) {
        int i = all->heap[0];
        struct disc *disc = all->disc + i;
        int partner = disc->partner, k = disc->axis;
        if (disc->when > until)
            return impacts;
        if (partner == CELL) {
            leave(all, i);
            disc->cell[k] += disc->v[k] > 0.0 ? 1 : -1;
            enter(all, i);
        } else if (partner == WALL) {
            move(disc, disc->when);
            disc->v[k] = -disc->v[k];
            disc->hits++;
            impacts++;
        } else if (all->disc[partner].hits == disc->partner_hits) {
            move(all->disc + partner, disc->when);
            move(disc, disc->when);
            bounce(disc, all->disc + partner);
            impacts++;
            predict(all, partner);
        }
        predict(all, i);
    }
}

struct discs *
discs_new(int n, double radius, double side, double (*x)[2], double (*v)[2])
{
    struct discs *all = calloc(1, sizeof *all);

    assert(n > 0 && radius > 0.0 && side > 4.0 * radius);
    all->n = n;
    all->radius = radius;
    all->side = side;
    all->cells = (int)fmin(side / (2.0 * radius), ceil(sqrt(n)));
    all->width = side / all->cells;
    int cells = (all->cells + 2) * (all->cells + 2);
    all->disc = calloc((size_t)n, sizeof *all->disc);
    all->heap = calloc((size_t)n, sizeof *all->heap);
    all->first = calloc((size_t)cells, sizeof *all->first);
    for (int i = 0; i < cells; i++)
        all->first[i] = NONE;
    for (int i = 0; i < n; i++) {
        struct disc *disc = all->disc + i;
        for (int k = 0; k < 2; k++) {
            disc->x[k] = x[i][k];
            disc->v[k] = v[i][k];
            disc->cell[k] = (int)(x[i][k] / all->width);
        }
        disc->when = INFINITY;
        all->heap[disc->place = i] = i;
        enter(all, i);
    }
    for (int i = 0; i < n; i++)
        predict(all, i);
    return all;
}

void
discs_free(struct discs *all)
{
    free(all->disc);
    free(all->heap);
    free(all->first);
    free(all);
}

double
discs_energy(const struct discs *all)
{
    double energy = 0.0;

    for (int i = 0; i < all->n; i++)
        for (int k = 0; k < 2; k++)
            energy += 0.5 * all->disc[i].v[k] * all->disc[i].v[k];
    return energy;
}
