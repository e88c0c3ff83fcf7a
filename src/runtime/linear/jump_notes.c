/* SPDX-License-Identifier: MIT */
/* Jumps of observers before a limit of impacts. */
#include "runtime/linear/jump_notes.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* Jumps to come may be together so many times those before, of the same time,
 * or the last one. */
#define BRIEF_SURE 8.0

void
jump_notes_new(struct jump_notes *notes, struct arena *arena, uint32_t n,
               uint32_t p)
{
    assert(notes && arena);
    *notes = (struct jump_notes){.n = n, .p = p};
    double **rates[] = {&notes->first,  &notes->second, &notes->third,
                        &notes->fourth, &notes->taken,  &notes->taken_late};
    double **sizes[] = {&notes->most, &notes->late, &notes->sum, &notes->bends};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        *rates[i] = NEW_N(arena, double, n);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = NEW_N(arena, double, p);
    notes->part = NEW_N(arena, double, 2 * (size_t)p);
}

void
jump_notes_begin(struct jump_notes *notes)
{
    assert(notes && notes->most);
    memset(notes->most, 0, notes->p * sizeof *notes->most);
    memset(notes->late, 0, notes->p * sizeof *notes->late);
    memset(notes->sum, 0, notes->p * sizeof *notes->sum);
    memset(notes->bends, 0, notes->p * sizeof *notes->bends);
    memset(notes->taken, 0, notes->n * sizeof *notes->taken);
    memset(notes->taken_late, 0, notes->n * sizeof *notes->taken_late);
    notes->asked = notes->adds = false;
}

void
jump_notes_add(struct jump_notes *notes, double flight, const double *before,
               const double *after, const double *jump)
{
    assert(notes && before && after && jump);
    size_t size_of_rates = notes->n * sizeof *before;
    notes->flight = flight;
    memcpy(notes->first, notes->third, size_of_rates);
    memcpy(notes->second, notes->fourth, size_of_rates);
    memcpy(notes->third, before, size_of_rates);
    memcpy(notes->fourth, after, size_of_rates);
    for (uint32_t i = 0; i < notes->n; i++) {
        double size = fabs(after[i] - before[i]);
        notes->taken[i] = fmax(notes->taken[i], size);
        notes->taken_late[i] = fmax(0.5 * notes->taken_late[i], size);
    }
    for (uint32_t j = 0; j < notes->p; j++) {
        double size = fabs(jump[j]);
        notes->most[j] = fmax(notes->most[j], size);
        notes->late[j] = fmax(0.5 * notes->late[j], size);
        notes->sum[j] += size;
    }
}

void
jump_notes_bend(struct jump_notes *notes, const double *now, const double *then,
                double left)
{
    assert(notes && now && then && left > 0.0);
    for (uint32_t j = 0; j < notes->p; j++) {
        double size = fmax(fabs(then[j]), fabs(now[j]));
        if (size > 0.0)
            notes->bends[j] =
                fmax(notes->bends[j], fabs(then[j] - now[j]) / (size * left));
    }
}

bool
jump_notes_show(const struct jump_notes *notes)
{
    assert(notes);
    for (uint32_t j = 0; j < notes->p; j++)
        if (notes->late[j] > DBL_EPSILON * notes->most[j] &&
            notes->late[j] < 0.5 * notes->most[j])
            return true;
    for (uint32_t i = 0; i < notes->n; i++)
        if (notes->taken_late[i] > DBL_EPSILON * notes->taken[i])
            return true;
    return false;
}

double
jump_notes_brief(const struct jump_notes *notes,
                 const struct linear_block *linear, const double *x,
                 double since)
{
    assert(notes && x);
    uint32_t p = notes->p;
    double *part = notes->part, *off = part + p, most = INFINITY;
    if (!notes->adds || !linear)
        return 0.0;
    for (int law = 0; law < 2; law++) {
        for (uint32_t j = 0; j < p; j++)
            part[j] = BRIEF_SURE *
                      (law == 0 ? notes->sum[j] / since : notes->late[j]);
        most = fmin(most, linear_block_later(linear, part, off));
        for (uint32_t j = 0; j < p; j++) {
            double size = fmax(fabs(x[j]), notes->sum[j]),
                   time = DBL_EPSILON * size /
                          (off[j] + part[j] * notes->bends[j]);
            most = fmin(most, law == 0 ? sqrt(time) : time);
        }
    }
    return most;
}
