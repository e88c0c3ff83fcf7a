/* SPDX-License-Identifier: MIT */
/* Copies of a ballistic motion in memory that was made before. Two motions that
 * take turns share their history up to the point where they parted. */
#include <string.h>

#include "runtime/ballistic/workspace.h"

/* history of `from` into `to`: what both have had in common since one was
 * copied from the other need not be copied again */
static void
copy_ring(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *w = to->w, *o = from->w;
    unsigned long same = 0, n = o->n_ring;
    if (w->twin == from && w->twin_stamp == o->stamp)
        same = w->split;
    else if (o->twin == to && o->twin_stamp == w->stamp)
        same = o->split;
    if (same > n)
        same = n;
    if (n - same >= HISTORY_KEPT)
        memcpy(w->ring, o->ring, sizeof w->ring);
    /* the one before may have been written over in `to` */
    for (unsigned long i = same ? same - 1 : 0;
         n - same < HISTORY_KEPT && i < n; i++)
        w->ring[i % HISTORY_KEPT] = o->ring[i % HISTORY_KEPT];
    w->n_ring = n;
    w->stamp++;
    w->twin = from;
    w->twin_stamp = o->stamp;
    w->split = n;
}

void
ballistic_copy_motion(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *w = to->w, *o = from->w;
    memcpy(to->block, from->block, o->bytes);
    memcpy(w->rsize, o->rsize, (size_t)from->model.m * sizeof *w->rsize);
    w->begun.version = 0;
    w->ahead = NULL;
    w->ends = o->ends;
    w->fine = o->fine;
    to->model = from->model;
    to->k = from->k;
    to->ex = from->ex;
    to->ev = from->ev;
    to->t = from->t;
    to->t_lo = from->t_lo;
    to->start = from->start;
    to->n_on = from->n_on;
    to->hit = from->hit;
    to->impacts = from->impacts;
    w->tunit = o->tunit;
    w->vunit = o->vunit;
    w->aunit = o->aunit;
    w->low_v = o->low_v;
    w->still = o->still;
    w->coasts = o->coasts;
}

void
ballistic_copy(struct ballistic *to, const struct ballistic *from)
{
    struct ballistic_workspace *w = to->w, *o = from->w;
    ballistic_copy_motion(to, from);
    copy_ring(to, from);
    impact_history_copy(to, from);
    to->policy = from->policy;
    to->rough = from->rough;
    to->chatter = from->chatter;
    w->from = o->from;
    w->quiet = o->quiet;
    w->standing = o->standing;
    w->look = o->look;
    w->run = o->run;
    w->map_at = o->map_at;
    w->least = o->least;
    w->accept = o->accept;
    w->doubt = o->doubt;
    w->brief = o->brief;
    w->verdict = o->verdict;
}
