/* SPDX-License-Identifier: MIT */
/* See sparse.h. */
#include "runtime/sparse/sparse.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* A pivot has at least this share of the greatest entry of its row, */
#define PIVOT_OF_ROW 0.1
/* and, where a rank is asked for, this share of the greatest entry that is
 * left: so pivots fall nearly as with complete pivoting, and the rank is as
 * clear. */
#define PIVOT_OF_ALL 0.1

struct sparse_system *
sparse_new(struct arena *arena, int most)
{
    assert(arena && most >= 0);
    struct sparse_system *system = NEW(arena, struct sparse_system);
    size_t n = (size_t)most;
    *system =
        (struct sparse_system){.arena = arena,
                               .most = most,
                               .row = NEW_N(arena, struct sparse_row, n),
                               .in_column = NEW_N(arena, struct sparse_list, n),
                               .right = NEW_N(arena, double, 2 * n),
                               .pivot_row = NEW_N(arena, int, 8 * n)};
    system->greatest = system->right + n;
    system->pivot_column = system->pivot_row + n;
    system->place = system->pivot_column + n;
    system->at = system->place + n;
    system->count = system->at + n;
    system->left = system->count + n;
    system->slot = system->left + n;
    system->size = system->slot + n;
    return system;
}

void
sparse_clear(struct sparse_system *system, int n)
{
    assert(system && n >= 0 && n <= system->most);
    system->n = n;
    system->rank = 0;
    system->step.n = 0;
    system->least = 1.0;
    for (int i = 0; i < n; i++) {
        system->row[i].n = system->in_column[i].n = 0;
        system->right[i] = 0.0;
        system->place[i] = system->at[i] = -1;
    }
}

void
sparse_put(struct sparse_system *system, int row, int column, double value)
{
    assert(system && row >= 0 && row < system->n && column >= 0 &&
           column < system->n && value != 0.0);
    VEC_PUSH_IN(system->arena, system->row + row,
                (struct sparse_entry){column, value});
    VEC_PUSH_IN(system->arena, system->in_column + column, row);
}

static double
greatest_of(const struct sparse_row *row)
{
    double most = 0.0;
    for (size_t k = 0; k < row->n; k++) {
        double size = fabs(row->v[k].value);
        most = size > most ? size : most;
    }
    return most;
}

/* The greatest entry that is left. By lanes, which need not wait for each
 * other. */
#define LANES 8
static double
greatest_left(const struct sparse_system *system)
{
    double most[LANES] = {0.0};
    const double *size = system->greatest;
    int k = 0, n = system->n - system->rank;
    for (; k + LANES <= n; k += LANES)
        for (int j = 0; j < LANES; j++)
            most[j] = size[k + j] > most[j] ? size[k + j] : most[j];
    for (; k < n; k++)
        most[0] = size[k] > most[0] ? size[k] : most[0];
    for (int j = 1; j < LANES; j++)
        most[0] = most[j] > most[0] ? most[j] : most[0];
    return most[0];
}

/* The entry that is the next pivot: of the row with the fewest entries, among
 * those that hold one of the size `all`, that whose column has the fewest.
 * Returns where the row stands among those that are left; *entry: which of its
 * entries. */
static int
choose_pivot(const struct sparse_system *system, double all, size_t *entry)
{
    int best = -1, fewest = INT_MAX;
    for (int k = 0; k < system->n - system->rank; k++)
        if (system->size[k] < fewest && system->greatest[k] > 0.0 &&
            system->greatest[k] >= all) {
            fewest = system->size[k];
            best = k;
        }
    const struct sparse_row *row = system->row + system->left[best];
    double least = fmax(all, PIVOT_OF_ROW * system->greatest[best]);
    bool any = false;
    for (size_t k = 0; k < row->n; k++) {
        if (!(fabs(row->v[k].value) >= least))
            continue;
        int mine = system->count[row->v[k].column],
            other = system->count[row->v[any ? *entry : k].column];
        if (!any || mine < other ||
            (mine == other &&
             fabs(row->v[k].value) > fabs(row->v[*entry].value)))
            *entry = k;
        any = true;
    }
    return best;
}

/* Takes a row out of those that are left: the last one goes to its place. */
static void
take_out(struct sparse_system *system, int place)
{
    int last = system->n - system->rank - 1, moved = system->left[last];
    system->slot[system->left[place]] = -1;
    if (place != last) {
        system->left[place] = moved;
        system->greatest[place] = system->greatest[last];
        system->size[place] = system->size[last];
        system->slot[moved] = place;
    }
}

/* Takes the pivot's row off another one, whose entry in its column is entry k.
 */
static void
take_off(struct sparse_system *system, int pivot_row, int pivot_column, int to,
         size_t k, double share)
{
    const struct sparse_row *from = system->row + pivot_row;
    struct sparse_row *row = system->row + to;
    row->v[k] = row->v[--row->n];
    size_t own = row->n;
    for (size_t j = 0; j < own; j++)
        system->at[row->v[j].column] = (int)j;
    for (size_t j = 0; j < from->n; j++) {
        int column = from->v[j].column;
        double change = share * from->v[j].value;
        if (column == pivot_column)
            continue;
        if (system->at[column] >= 0) {
            row->v[system->at[column]].value -= change;
        } else if (change != 0.0) {
            VEC_PUSH_IN(system->arena, row,
                        (struct sparse_entry){column, -change});
            VEC_PUSH_IN(system->arena, system->in_column + column, to);
            system->count[column]++;
        }
    }
    for (size_t j = 0; j < own; j++)
        system->at[row->v[j].column] = -1;
    VEC_PUSH_IN(system->arena, &system->step,
                (struct sparse_step){pivot_row, to, share});
    system->right[to] -= share * system->right[pivot_row];
    system->greatest[system->slot[to]] = greatest_of(row);
    system->size[system->slot[to]] = (int)row->n;
}

/* Takes a pivot: no row that is left has an entry in its column then. */
static void
eliminate(struct sparse_system *system, int place, size_t entry)
{
    int pivot_row = system->left[place];
    struct sparse_row *from = system->row + pivot_row;
    struct sparse_entry pivot = from->v[entry];
    struct sparse_list *rows = system->in_column + pivot.column;
    take_out(system, place);
    system->pivot_row[system->rank] = pivot_row;
    system->pivot_column[system->rank] = pivot.column;
    system->place[pivot.column] = system->rank++;
    for (size_t j = 0; j < from->n; j++)
        system->count[from->v[j].column]--;
    for (size_t r = 0; r < rows->n; r++) {
        int to = rows->v[r];
        if (system->slot[to] < 0)
            continue;
        size_t k = 0;
        while (system->row[to].v[k].column != pivot.column)
            k++;
        take_off(system, pivot_row, pivot.column, to, k,
                 system->row[to].v[k].value / pivot.value);
    }
}

void
sparse_eliminate(struct sparse_system *system, double zero)
{
    assert(system && zero >= 0.0);
    double first = 0.0;
    for (int i = 0; i < system->n; i++) {
        system->left[i] = system->slot[i] = i;
        system->greatest[i] = greatest_of(system->row + i);
        system->size[i] = (int)system->row[i].n;
        system->count[i] = (int)system->in_column[i].n;
    }
    while (system->rank < system->n) {
        double greatest = greatest_left(system);
        size_t entry = 0;
        first = system->rank ? first : greatest;
        if (!(greatest > zero * first))
            return;
        int place = choose_pivot(
            system, zero > 0.0 ? PIVOT_OF_ALL * greatest : 0.0, &entry);
        double pivot = fabs(system->row[system->left[place]].v[entry].value);
        system->least = fmin(system->least, pivot / first);
        eliminate(system, place, entry);
    }
}

void
sparse_back(const struct sparse_system *system, const double *right, double *x)
{
    assert(system && (x || system->n == 0));
    for (int place = system->rank - 1; place >= 0; place--) {
        int own = system->pivot_column[place], r = system->pivot_row[place];
        const struct sparse_row *row = system->row + r;
        double sum = right ? right[r] : 0.0, pivot = 0.0;
        for (size_t k = 0; k < row->n; k++)
            if (row->v[k].column == own)
                pivot = row->v[k].value;
            else
                sum -= row->v[k].value * x[row->v[k].column];
        x[own] = sum / pivot;
    }
}

void
sparse_forward(const struct sparse_system *system, double *right)
{
    assert(system && (right || system->n == 0));
    for (size_t k = 0; k < system->step.n; k++) {
        struct sparse_step step = system->step.v[k];
        right[step.to] -= step.share * right[step.from];
    }
}

void
sparse_back_turned(const struct sparse_system *system, double *right, double *y)
{
    assert(system && ((right && y) || system->n == 0));
    memset(y, 0, sizeof *y * (size_t)system->n);
    for (int place = 0; place < system->rank; place++) {
        int own = system->pivot_column[place], r = system->pivot_row[place];
        const struct sparse_row *row = system->row + r;
        double pivot = 0.0;
        for (size_t k = 0; k < row->n; k++)
            if (row->v[k].column == own)
                pivot = row->v[k].value;
        y[r] = right[own] / pivot;
        for (size_t k = 0; k < row->n; k++)
            right[row->v[k].column] -= y[r] * row->v[k].value;
    }
}

void
sparse_forward_turned(const struct sparse_system *system, double *y)
{
    assert(system && (y || system->n == 0));
    for (size_t k = system->step.n; k-- > 0;) {
        struct sparse_step step = system->step.v[k];
        y[step.from] -= step.share * y[step.to];
    }
}
