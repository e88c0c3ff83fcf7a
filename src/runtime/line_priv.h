/* SPDX-License-Identifier: MIT */
/* Inside line.c, line_mode.c, line_chatter.c. "Local" numbers are mantissas:
 * length 2^ex, velocity 2^ev, time 2^(ex - ev). */
#ifndef IMP_RUNTIME_LINE_PRIV_H
#define IMP_RUNTIME_LINE_PRIV_H

#include <float.h>
#include <math.h>

#include "runtime/line.h"

/* terms of a sum of products carry half a unit of rounding each; what comes of
 * n of them is below this many units of their sizes */
#define LINE_NOISE 8.0
/* impacts kept to recognise a pattern; longest pattern */
#define LINE_KEPT 256
#define LINE_PERIOD 64

struct line_impact {
    int contact;  /* + m: a chatter of which this is the first contact */
    int exponent; /* flight before it: flight * 2^exponent */
    double flight;
};
struct line_work {
    double scale; /* acceleration unit: local = na * scale */
    struct line_impact ring[LINE_KEPT];
    long n_ring;              /* impacts ever put in */
    int match[LINE_KEPT + 1]; /* impacts in a row equal to those a period ago */
    int longest;              /* period looked for */
    long least;
    double began; /* time of the start, or of the last limit */
    double *G, *q, *z, *room, *rd, *y, *p; /* of the closed contacts */
    int *index, *first;
    double *L, *rn; /* n x n, n: factors of the mass matrix */
    int *firstn;
    double *xs, *vs; /* n: a state */
    bool *closed;    /* m */
};

static inline double
line_dot(int n, const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
static inline double
line_abs(int n, const double *a, const double *b)
{
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += fabs(a[i] * b[i]);
    return s;
}
/* local gap and rate of contact i, and what rounding makes of their terms */
static inline double
gap_of(const struct line *l, int i)
{
    double c = l->c0[i];
    return line_dot(l->model.n, l->model.N + i * l->model.n, l->x) +
           (c == 0.0 ? 0.0 : ldexp(c, -l->ex));
}
static inline double
rate_of(const struct line *l, int i)
{
    return line_dot(l->model.n, l->model.N + i * l->model.n, l->v);
}
static inline double
bias_of(const struct line *l, int i)
{
    return l->model.bias ? l->model.bias[i] : 0.0;
}
static inline double
gap_noise(const struct line *l, int i)
{
    double c = l->c0[i];
    return LINE_NOISE * DBL_EPSILON *
           (line_abs(l->model.n, l->model.N + i * l->model.n, l->x) +
            (c == 0.0 ? 0.0 : ldexp(fabs(c), -l->ex)));
}
static inline double
rate_noise(const struct line *l, int i)
{
    return LINE_NOISE * DBL_EPSILON *
           line_abs(l->model.n, l->model.N + i * l->model.n, l->v);
}

/* line.c */
void line_rescale(struct line *l);
void line_advance(struct line *l, double s); /* local time, no contacts */
/* line_mode.c */
/* Forces of the contacts in w->closed (gap and rate 0): which slide, which
 * open; the acceleration of the mode. False: jammed. */
bool line_settle(struct line *l);
/* impulses at contacts closed[] of which `hit` approach; e counts for those.
 * 0, 1: jammed, 2: endless */
int line_collide(struct line *l, enum line_policy how, const int *hit, int n);
/* line_chatter.c */
/* q, v (local): what the group of `after` makes of them on the average */
void line_average(struct line *l, const struct line *after, double *q,
                  double *v);
void line_note(struct line *l, int contact, double flight);
/* takes the limit of a chatter when its pattern has converged; true: done */
bool line_limit(struct line *l, double until);

#endif
