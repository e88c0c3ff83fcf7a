/* SPDX-License-Identifier: MIT */
/* Reading a run file. Whatever the bytes are, a run that is returned is whole:
 * its JSON has the parts below with lists of equal length, and every reference
 * to numbers lies within them. */
#ifndef IMP_ANALYSIS_TRACE_RUN_READ_H
#define IMP_ANALYSIS_TRACE_RUN_READ_H

#include "base/arena.h"
#include "base/json.h"

/* What moves: its pieces as the file has them. */
struct run_read_mover {
    const struct json *begin, *end, *base, *order, *c;
    const struct json
        *first;       /* a list: its pose if it has no pieces, or NULL */
    const size_t *at; /* per piece: where its coefficients begin */
    size_t n, rows;   /* pieces; numbers of a pose */
    bool by_power;
};
/* What a system looks like: items of the file, and the numbers of all of them
 * as one mover. */
struct run_read_drawing {
    const struct json *items;
    struct run_read_mover mover;
};
struct run_read {
    const struct json *top;
    const unsigned char *block; /* the numbers */
    size_t n_block;
    int dim;
    double until, end;
    size_t n_bodies, n_systems, n_contacts, n_events, n_drawings;
    const struct run_read_mover *movers;     /* bodies, then systems */
    const struct run_read_drawing *drawings; /* of systems that have one */
};
/* The run that n bytes hold, into *run. NULL, or what is wrong with them; it
 * lies in the arena. The bytes must stay as long as the run. */
const char *run_read(struct arena *arena, const void *bytes, size_t n,
                     struct run_read *run);
/* How many numbers a reference has, and number i of it. */
size_t run_read_count(const struct json *reference);
double run_read_number(const struct run_read *run, const struct json *reference,
                       size_t i);
/* Per event the name of its contact; one that stands for many pairs is told by
 * the bodies of the event. */
const char **run_read_event_contacts(struct arena *arena,
                                     const struct run_read *run);
/* The pose of a body (3 or 7 numbers) or the coordinates of a system, as mover
 * of that number, at time t; of two pieces that meet there the later one, or
 * with `before` the earlier one. Returns how many numbers, at most `room`. */
size_t run_read_pose(const struct run_read *run, size_t mover, double t,
                     bool before, double *pose, size_t room);
/* The same for any mover of the run. */
size_t run_read_mover_at(const struct run_read *run,
                         const struct run_read_mover *mover, double t,
                         bool before, double *pose, size_t room);

#endif
