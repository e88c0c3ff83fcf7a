/* SPDX-License-Identifier: MIT */
/* The first impacts of runs to come (batch.h): what is asked of them, with
 * what every processor has, and the choice. */
#include "runtime/ballistic/batch.h"

#include "base/arena.h"

static void
ahead(struct ballistic *l, struct ballistic_batch *a)
{
#ifdef HAVE_AVX2_FILES
    if (__builtin_cpu_supports("avx2")) {
        ballistic_batch_avx2(l, a);
        return;
    }
#endif
    many_any(l, a);
}

static struct ballistic_batch *
memory(struct ballistic *l)
{
    struct ballistic_workspace *w = l->w;
    int m = l->model.m;
    if (w->many)
        return w->many;
    struct ballistic_batch *a = NEW(w->arena, struct ballistic_batch);
    a->stride = 6 * m;
    a->e = NEW_N(w->arena, double, BALLISTIC_BATCH_RUNS *(size_t)m + 1);
    a->state =
        NEW_N(w->arena, double, BALLISTIC_BATCH_RUNS *(size_t)a->stride + 1);
    return w->many = a;
}

void
ballistic_batch_prepare(struct ballistic *l, const double *e, int n, int apart)
{
    struct ballistic_workspace *w = l->w;
    const struct ballistic_saved_start *b = &w->begun;
    int m = l->model.m;
    if (!b->version || b->version != l->k.version || !b->still)
        return;
    struct ballistic_batch *a = memory(l);
    a->n = a->next = 0;
    ballistic_start(l, b->t, b->q, b->v, b->tol);
    if (!w->coasts)
        return;
    a->n = n < BALLISTIC_BATCH_RUNS ? n : BALLISTIC_BATCH_RUNS;
    for (int k = 0; k < a->n; k++)
        memcpy(a->e + k * m, e + (size_t)k * (size_t)apart,
               (size_t)m * sizeof *e);
    ahead(l, a);
}

const struct ballistic_batch_run *
ballistic_batch_find(struct ballistic *l)
{
    struct ballistic_batch *a = l->w->many;
    size_t bytes = (size_t)l->model.m * sizeof *a->e;
    for (int k = a ? a->next : 0; a && k < a->n; k++)
        if (!memcmp(a->e + k * l->model.m, l->w->e, bytes)) {
            a->next = k + 1;
            return a->run + k;
        }
    return NULL;
}

bool
ballistic_batch_take(struct ballistic *l, double until, long most)
{
    struct ballistic_workspace *w = l->w;
    const struct ballistic_batch_run *r = w->ahead;
    const struct ballistic_batch *a = w->many;
    int m = l->model.m, k = l->k.r;
    w->ahead = NULL;
    /* no pattern is looked for on the way */
    if (r->n == 0 || until < INFINITY || most < r->n || w->n_ring ||
        w->look < (unsigned long)r->n)
        return false;
    const double *x = a->state + (r - a->run) * a->stride;
    double *to[] = {l->gap, l->rate, l->big, w->rsize, l->y, l->z};
    for (int i = 0; i < 6; i++) {
        int n = i < 4 ? m : k;
        memcpy(to[i], x, (size_t)n * sizeof *x);
        x += n;
    }
    l->t = r->t;
    l->t_lo = r->t_lo;
    for (int i = 0; i < r->n; i++)
        w->ring[w->n_ring++ % HISTORY_KEPT] =
            (struct impact_entry){r->contact[i], l->ex - l->ev, r->flight[i]};
    ballistic_coasted(l, r->contact[r->n - 1], r->arrive, r->n);
    w->ends = r->opens;
    w->fine = r->fine;
    return true;
}

long
ballistic_batch_end(const struct ballistic *l, int k, double *t,
                    const double **rate, const double **z)
{
    const struct ballistic_batch *a = l->w->many;
    int m = l->model.m;
    if (!a || k >= a->n || !a->run[k].opens)
        return 0;
    const double *x = a->state + k * a->stride;
    *t = a->run[k].t;
    *rate = x + m;
    *z = x + 4 * m + l->k.r;
    return a->run[k].n;
}
