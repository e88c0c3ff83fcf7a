/* SPDX-License-Identifier: MIT */
/* Memory of a ballistic motion, and the numbers of its model. */
#include "runtime/ballistic/ballistic.h"

#include <string.h>

#include "base/arena.h"
#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/lcp.h"

static double *
numbers(struct arena *arena, int coordinates)
{
    return NEW_N(arena, double, (size_t)coordinates + 1);
}

/* Returns m rounded up to whole vectors of four doubles. */
static int
filled(int contacts)
{
    return (contacts + 3) / 4 * 4;
}

/* Returns memory for n numbers at an address that is a multiple of 32 bytes, so
 * that a vector of four never lies across two cache lines. */
static double *
lanes_new(struct arena *arena, int coordinates)
{
    uintptr_t p = (uintptr_t)numbers(arena, coordinates + 3);
    return (double *)((p + 31) & ~(uintptr_t)31);
}

static void
made_new(struct arena *arena, struct contact_matrices *matrices,
         int coordinates, int contacts)
{
    matrices->B = numbers(arena, contacts * coordinates);
    matrices->W = numbers(arena, contacts * contacts);
    matrices->coupling = numbers(arena, contacts * contacts);
    matrices->F = numbers(arena, contacts * contacts);
    matrices->stride = filled(contacts);
    matrices->root = lanes_new(arena, matrices->stride);
    matrices->Ft = lanes_new(arena, contacts * matrices->stride);
    matrices->Kt = lanes_new(arena, contacts * matrices->stride);
    matrices->diagonal = lanes_new(arena, matrices->stride);
    matrices->rows = lanes_new(arena, contacts * matrices->stride);
    matrices->H = numbers(arena, contacts * contacts);
    matrices->K = numbers(arena, contacts * contacts);
    matrices->E = numbers(arena, coordinates * contacts);
    matrices->y_acc = numbers(arena, contacts);
    matrices->free_acc = numbers(arena, coordinates);
    matrices->gap_acc = numbers(arena, contacts);
    matrices->gap_acc_terms = numbers(arena, contacts);
    matrices->origin = numbers(arena, coordinates);
    matrices->gap_offset = numbers(arena, contacts);
    matrices->rate_offset = numbers(arena, contacts);
    matrices->law = lanes_new(arena, matrices->stride);
    matrices->back = numbers(arena, contacts * contacts);
    matrices->bases = contact_bases_new(arena, coordinates, contacts);
    matrices->basis = NEW_N(arena, int, (size_t)contacts + 1);
}

static void
block_new(struct arena *arena, struct ballistic *motion, int coordinates,
          int contacts)
{
    double **at[] = {&motion->y,
                     &motion->z,
                     &motion->mode.y_acc,
                     &motion->gap,
                     &motion->rate,
                     &motion->mode.gap_acc,
                     &motion->local.gap_acc,
                     &motion->local.y_acc,
                     &motion->local.light_acc,
                     &motion->local.light_rate,
                     &motion->local.gap_offset,
                     &motion->local.rate_offset,
                     &motion->mode.force,
                     &motion->event.impulse,
                     &motion->greatest};
    int stride = filled(contacts);
    int doubles = (int)(sizeof at / sizeof *at) * stride + 2 * coordinates;
    size_t bytes = (size_t)doubles * sizeof(double) + 4 * (size_t)contacts;
    double *d = motion->block =
        lanes_new(arena, (int)(bytes / sizeof(double)) + 1);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++, d += stride)
        *at[i] = d;
    for (int i = contacts; i < stride; i++) /* the lanes beyond the last contact
                                             * never close */
        motion->gap[i] = motion->local.gap_offset[i] = INFINITY;
    motion->free_position = d;
    motion->free_velocity = d + coordinates;
    motion->mode.persistent = (bool *)(d + 2 * coordinates);
    motion->just_hit = motion->mode.persistent + contacts;
    motion->event.together = motion->just_hit + contacts;
    motion->event.group = motion->event.together + contacts;
    motion->work->block_bytes = bytes;
    motion->work->saved_start = (struct ballistic_saved_start){
        .q = numbers(arena, coordinates),
        .v = numbers(arena, coordinates),
        .block = lanes_new(arena, doubles + contacts),
        .rate_terms = lanes_new(arena, stride)};
}

static void
own_new(struct arena *arena, struct ballistic_own *own, int coordinates,
        int contacts)
{
    made_new(arena, &own->matrices, coordinates, contacts);
    own->mass = numbers(arena, coordinates * coordinates);
    own->acc = numbers(arena, coordinates);
    own->N = numbers(arena, contacts * coordinates);
    own->c = numbers(arena, contacts);
    own->e = lanes_new(arena, filled(contacts));
    own->mass_factor =
        NEW_N(arena, wide, (size_t)(coordinates * coordinates) + 1);
    own->mass_first = NEW_N(arena, int, (size_t)coordinates + 1);
    own->B = NEW_N(arena, wide, (size_t)(contacts * coordinates) + 1);
    own->W = NEW_N(arena, wide, (size_t)(contacts * contacts) + 1);
    own->W_factor = NEW_N(arena, wide, (size_t)(contacts * contacts) + 1);
    own->column = NEW_N(arena, wide, (size_t)contacts + 1);
    own->reciprocal = NEW_N(arena, wide, (size_t)contacts + 1);
    own->factored = numbers(arena, coordinates * (coordinates + contacts));
}

static struct ballistic_workspace *
work_new(struct arena *arena, int coordinates, int contacts)
{
    struct ballistic_workspace *work = NEW(arena, struct ballistic_workspace);
    double **at[] = {&work->set.q,          &work->set.rate,
                     &work->set.reciprocal, &work->set.solution,
                     &work->set.impulse,    &work->scratch.y,
                     &work->scratch.z,      &work->scratch.acc,
                     &work->scratch.offset, &work->rate_terms};
    own_new(arena, &work->own, coordinates, contacts);
    work->set.W = numbers(arena, contacts * contacts);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        *at[i] = lanes_new(arena, filled(contacts));
    work->position = NEW_N(arena, double, (size_t)coordinates + 1);
    work->velocity = NEW_N(arena, double, (size_t)coordinates + 1);
    work->set.lcp_room = NEW_N(arena, double, lcp_room(contacts) + 1);
    work->set.settled = lcp_memory_new(arena, contacts);
    work->set.factored = projection_memory_new(arena, contacts);
    work->set.pairs = lanes_new(arena, 2 * contacts);
    work->set.index = NEW_N(arena, int, (size_t)contacts + 1);
    work->set.first = NEW_N(arena, int, (size_t)contacts + 1);
    work->set.hit = NEW_N(arena, int, (size_t)contacts + 1);
    work->set.closed = NEW_N(arena, bool, (size_t)contacts + 1);
    work->scratch.known = NEW_N(arena, bool, (size_t)contacts + 1);
    work->scratch.calm = NEW_N(arena, bool, (size_t)contacts + 1);
    work->limits.resolve = ACCUMULATION_RESOLVE;
    work->coast = ballistic_coast(contacts);
    return work;
}

/* Copies n numbers into the motion's own memory, where *to shall find them. */
static void
keep(double *own, const double *from, int coordinates, const double **to)
{
    if (coordinates)
        *to = memcpy(own, from, (size_t)coordinates * sizeof *own);
}

int
ballistic_renew(struct ballistic *motion, const struct ballistic_model *model)
{
    assert(motion && motion->work);
    assert(model && model->mass && model->acc);
    assert(model->m == 0 || (model->N && model->c && model->e));
    struct ballistic_own *own = &motion->work->own;
    int coordinates = model->n, contacts = model->m;
    bool made =
        own->current && !model->bias &&
        same_numbers(own->mass, model->mass, coordinates * coordinates) &&
        same_numbers(own->acc, model->acc, coordinates) &&
        same_numbers(own->N, model->N, contacts * coordinates) &&
        same_numbers(own->c, model->c, contacts);
    motion->model = *model;
    keep(own->mass, model->mass, coordinates * coordinates,
         &motion->model.mass);
    keep(own->acc, model->acc, coordinates, &motion->model.acc);
    keep(own->N, model->N, contacts * coordinates, &motion->model.N);
    keep(own->c, model->c, contacts, &motion->model.c);
    keep(own->e, model->e, contacts, &motion->model.e);
    if (made) {
        motion->matrices = own->matrices;
        matrices_laws(motion);
        return 0;
    }
    own->current = false;
    motion->matrices = own->matrices;
    int bad = matrices_make(motion);
    own->matrices.rank = motion->matrices.rank;
    own->matrices.direct = motion->matrices.direct;
    own->current = !bad && !model->bias;
    return bad;
}

void
ballistic_restitutions(struct ballistic *motion, const double *e)
{
    assert(motion && motion->work);
    assert(e || motion->model.m == 0);
    if (same_numbers(motion->work->own.e, e, motion->model.m))
        return;
    memcpy(motion->work->own.e, e, (size_t)motion->model.m * sizeof *e);
    motion->work->batch_run = NULL;
    matrices_laws(motion);
}

struct ballistic *
ballistic_memory(struct arena *arena, int coordinates, int contacts)
{
    assert(arena);
    assert(coordinates >= 0 && contacts >= 0);
    struct ballistic *motion = NEW(arena, struct ballistic);
    motion->work = work_new(arena, coordinates, contacts);
    motion->work->arena = arena;
    motion->work->past = impact_history_new(arena, contacts);
    block_new(arena, motion, coordinates, contacts);
    return motion;
}

int
ballistic_new(struct arena *arena, const struct ballistic_model *model,
              struct ballistic **out)
{
    assert(arena && model && out);
    assert(model->n >= 0 && model->m >= 0);
    struct ballistic *motion = ballistic_memory(arena, model->n, model->m);
    if (ballistic_renew(motion, model))
        return 1;
    *out = motion;
    return 0;
}
