/* SPDX-License-Identifier: MIT */
/* Inside the room: the log. */
#ifndef IMP_RUNTIME_TRACE_TRACE_PRIV_H
#define IMP_RUNTIME_TRACE_TRACE_PRIV_H

#include "runtime/trace/trace.h"

#define TRACE_NONE SIZE_MAX

/* One entry of the log: a piece, or the news that an earlier piece of the same
 * mover lasts until t1. */
struct trace_entry {
    double t0, t1;
    double base;   /* of a piece: its polynomials are in the time since then */
    size_t piece;  /* the number of the entry that holds the polynomials */
    size_t before; /* the entry of this mover before this one, or TRACE_NONE */
    size_t at;     /* of a piece: its first number */
    uint32_t mover;
    int order;
};
struct trace {
    uint32_t n_movers;
    struct trace_mover *movers;
    size_t *last; /* per mover: its last entry, or TRACE_NONE */
    struct {
        struct trace_entry *v;
        size_t n, cap;
    } log;
    struct {
        double *v;
        size_t n, cap;
    } numbers;
    double *room;
    size_t limit, other; /* other: bytes that its owner keeps beside the log */
    uint32_t widest;     /* rows of the widest mover */
    bool full;
    double full_time;
    trace_step_fn *step;
    void *ctx;
};

#endif
