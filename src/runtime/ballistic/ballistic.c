/* SPDX-License-Identifier: MIT */
/* Memory of a ballistic motion, and the numbers of its model. */
#include "runtime/ballistic/ballistic.h"

#include <string.h>

#include "base/arena.h"
#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/lcp.h"

static double *
numbers(struct arena *a, int n)
{
    return NEW_N(a, double, (size_t)n + 1);
}

/* up to whole lanes */
static int
filled(int m)
{
    return (m + 3) / 4 * 4;
}

/* so many numbers where a load of whole lanes meets one line of the cache */
static double *
lanes_new(struct arena *a, int n)
{
    uintptr_t p = (uintptr_t)numbers(a, n + 3);
    return (double *)((p + 31) & ~(uintptr_t)31);
}

static void
made_new(struct arena *a, struct contact_matrices *k, int n, int m)
{
    k->B = numbers(a, m * n);
    k->W = numbers(a, m * m);
    k->F = numbers(a, m * m);
    k->stride = filled(m);
    k->root = lanes_new(a, k->stride);
    k->Ft = lanes_new(a, m * k->stride);
    k->Kt = lanes_new(a, m * k->stride);
    k->diagonal = lanes_new(a, k->stride);
    k->P = lanes_new(a, m * k->stride);
    k->H = numbers(a, m * m);
    k->K = numbers(a, m * m);
    k->E = numbers(a, n * m);
    k->ay = numbers(a, m);
    k->ap = numbers(a, n);
    k->nf = numbers(a, m);
    k->size = numbers(a, m);
    k->origin = numbers(a, n);
    k->c0 = numbers(a, m);
    k->d0 = numbers(a, m);
    k->basis = NEW_N(a, int, (size_t)m + 1);
}

static void
block_new(struct arena *a, struct ballistic *l, int n, int m)
{
    double **at[] = {&l->y,     &l->z,       &l->ya,  &l->gap, &l->rate,
                     &l->na,    &l->nal,     &l->yal, &l->c0l, &l->d0l,
                     &l->force, &l->impulse, &l->big};
    int stride = filled(m);
    int doubles = (int)(sizeof at / sizeof *at) * stride + 2 * n;
    size_t bytes = (size_t)doubles * sizeof(double) + 4 * (size_t)m;
    double *d = l->block = lanes_new(a, (int)(bytes / sizeof(double)) + 1);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++, d += stride)
        *at[i] = d;
    for (int i = m; i < stride; i++) /* contacts that are never there */
        l->gap[i] = l->c0l[i] = INFINITY;
    l->xp = d;
    l->vp = d + n;
    l->on = (bool *)(d + 2 * n);
    l->fresh = l->on + m;
    l->hits = l->fresh + m;
    l->group = l->hits + m;
    l->w->bytes = bytes;
    l->w->begun =
        (struct ballistic_saved_start){.q = numbers(a, n),
                                       .v = numbers(a, n),
                                       .block = lanes_new(a, doubles + m),
                                       .rsize = lanes_new(a, stride)};
}

static struct ballistic_workspace *
work_new(struct arena *a, int n, int m)
{
    struct ballistic_workspace *w = NEW(a, struct ballistic_workspace);
    double **at[] = {&w->q,  &w->u,  &w->rd, &w->f,  &w->p,
                     &w->ys, &w->zs, &w->as, &w->ds, &w->rsize};
    made_new(a, &w->own, n, m);
    w->mass = numbers(a, n * n);
    w->acc = numbers(a, n);
    w->N = numbers(a, m * n);
    w->c = numbers(a, m);
    w->e = lanes_new(a, filled(m));
    w->L = NEW_N(a, wide, (size_t)(n * n) + 1);
    w->B = NEW_N(a, wide, (size_t)(m * n) + 1);
    w->W = NEW_N(a, wide, (size_t)(m * m) + 1);
    w->C = NEW_N(a, wide, (size_t)(m * m) + 1);
    w->wf = NEW_N(a, wide, (size_t)m + 1);
    w->rc = NEW_N(a, wide, (size_t)m + 1);
    w->G = numbers(a, m * m);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        *at[i] = lanes_new(a, filled(m));
    w->room = NEW_N(a, double, lcp_room(m) + 1);
    w->index = NEW_N(a, int, (size_t)m + 1);
    w->first = NEW_N(a, int, (size_t)m + 1);
    w->hit = NEW_N(a, int, (size_t)m + 1);
    w->closed = NEW_N(a, bool, (size_t)m + 1);
    w->slight = NEW_N(a, bool, (size_t)m + 1);
    w->calm = NEW_N(a, bool, (size_t)m + 1);
    w->least = ACCUMULATION_RESOLVE;
    w->coast = ballistic_coast(m);
    return w;
}

int
ballistic_renew(struct ballistic *l, const struct ballistic_model *model)
{
    struct ballistic_workspace *w = l->w;
    int n = model->n, m = model->m;
    bool made =
        w->made && !model->bias && same_numbers(w->mass, model->mass, n * n) &&
        same_numbers(w->acc, model->acc, n) &&
        same_numbers(w->N, model->N, m * n) && same_numbers(w->c, model->c, m);
    l->model = *model;
#define KEEP(f, size)                                                          \
    l->model.f = memcpy(w->f, model->f, (size_t)(size) * sizeof(double))
    KEEP(mass, n * n);
    KEEP(acc, n);
    if (m) {
        KEEP(N, m * n);
        KEEP(c, m);
        KEEP(e, m);
    }
#undef KEEP
    if (made) {
        l->k = w->own;
        matrices_laws(l);
        return 0;
    }
    w->made = false;
    l->k = w->own;
    int bad = matrices_make(l);
    w->own.r = l->k.r;
    w->own.direct = l->k.direct;
    w->made = !bad && !model->bias;
    return bad;
}

void
ballistic_restitutions(struct ballistic *l, const double *e)
{
    if (same_numbers(l->w->e, e, l->model.m))
        return;
    memcpy(l->w->e, e, (size_t)l->model.m * sizeof *e);
    l->w->ahead = NULL;
    matrices_laws(l);
}

struct ballistic *
ballistic_memory(struct arena *a, int n, int m)
{
    struct ballistic *l = NEW(a, struct ballistic);
    l->w = work_new(a, n, m);
    l->w->arena = a;
    l->w->marks = impact_history_new(a, m);
    block_new(a, l, n, m);
    return l;
}

int
ballistic_new(struct arena *a, const struct ballistic_model *model,
              struct ballistic **out)
{
    struct ballistic *l = ballistic_memory(a, model->n, model->m);
    if (ballistic_renew(l, model))
        return 1;
    *out = l;
    return 0;
}
