/* SPDX-License-Identifier: MIT */
/* See sparse_blocks.h. Next in the order comes always a point with the fewest
 * neighbours among those that are left (Duff, Erisman & Reid 1986, minimum
 * degree), and those become neighbours of each other. */
#include "runtime/sparse/sparse_blocks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* Pivots below this share of a diagonal of size 1 are none. */
#define BLOCK_ZERO 1e-14

struct sparse_blocks {
    int n;
    int *place;        /* n: of each point in the order of elimination */
    int *first, *late; /* n + 1: of each place, its neighbours at later ones */
    /* blocks of four numbers, by rows: on the diagonal, from each place to its
     * later neighbours, and from these to it */
    double *diagonal, *upper, *lower;
    double *x; /* 2 n, by places */
};

/* Neighbours of each point among those that are left, while an order is found:
 * rows of n marks, and how many there are. */
struct neighbours {
    int n, *count;
    bool *marks, *left;
};

static struct neighbours
neighbours_of(struct arena *arena, int points, const int *entries,
              const int *column)
{
    size_t n = (size_t)points;
    struct neighbours out = {.n = points,
                             .count = NEW_N(arena, int, n),
                             .marks = NEW_N(arena, bool, n *n + n)};
    out.left = out.marks + n * n;
    for (size_t i = 0; i < n; i++) {
        out.left[i] = true;
        for (int k = entries[2 * i]; k < entries[2 * i + 2]; k++) {
            size_t j = (size_t)column[k];
            if (j != i)
                out.marks[i * n + j] = out.marks[j * n + i] = true;
        }
    }
    for (size_t i = 0; i < n * n; i++)
        out.count[i / n] += out.marks[i];
    return out;
}

/* Takes the point with the fewest neighbours out, whose list is written. */
static int
take_next(struct neighbours *of, int *list, int *length)
{
    int next = -1;
    size_t n = (size_t)of->n;
    for (int i = 0; i < of->n; i++)
        if (of->left[i] && (next < 0 || of->count[i] < of->count[next]))
            next = i;
    *length = 0;
    of->left[next] = false;
    for (int i = 0; i < of->n; i++)
        if (of->left[i] && of->marks[(size_t)next * n + (size_t)i])
            list[(*length)++] = i;
    for (int a = 0; a < *length; a++) {
        bool *marks = of->marks + (size_t)list[a] * n;
        of->count[list[a]]--;
        for (int b = 0; b < *length; b++)
            if (a != b && !marks[list[b]]) {
                marks[list[b]] = true;
                of->count[list[a]]++;
            }
    }
    return next;
}

/* Sorts places, of which there are few, by insertion. */
static void
sort_places(int n, int *place)
{
    for (int i = 1; i < n; i++) {
        int own = place[i], at = i;
        for (; at > 0 && place[at - 1] > own; at--)
            place[at] = place[at - 1];
        place[at] = own;
    }
}

struct sparse_blocks *
sparse_blocks_new(struct arena *arena, int points, const int *entries,
                  const int *column)
{
    assert(arena && points > 0 && entries && column);
    struct sparse_blocks *blocks = NEW(arena, struct sparse_blocks);
    size_t n = (size_t)points;
    struct neighbours left = neighbours_of(arena, points, entries, column);
    struct {
        int *v;
        size_t n, cap;
    } late = {0};
    int *list = NEW_N(arena, int, n), length;
    blocks->n = points;
    blocks->place = NEW_N(arena, int, 2 * n + 1);
    blocks->first = blocks->place + n;
    for (int k = 0; k < points; k++) {
        blocks->place[take_next(&left, list, &length)] = k;
        for (int a = 0; a < length; a++)
            VEC_PUSH_IN(arena, &late, list[a]);
        blocks->first[k + 1] = (int)late.n;
    }
    blocks->late = late.v;
    for (size_t a = 0; a < late.n; a++)
        late.v[a] = blocks->place[late.v[a]];
    for (int k = 0; k < points; k++)
        sort_places(blocks->first[k + 1] - blocks->first[k],
                    late.v + blocks->first[k]);
    blocks->diagonal = NEW_N(arena, double, 6 * n + 8 * late.n + 1);
    blocks->x = blocks->diagonal + 4 * n;
    blocks->upper = blocks->x + 2 * n;
    blocks->lower = blocks->upper + 4 * late.n;
    return blocks;
}

void
sparse_blocks_clear(struct sparse_blocks *blocks)
{
    assert(blocks);
    size_t blocks_of = (size_t)blocks->first[blocks->n];
    memset(blocks->diagonal, 0, sizeof(double) * 4 * (size_t)blocks->n);
    memset(blocks->upper, 0, sizeof(double) * 8 * blocks_of);
}

double *
sparse_blocks_at(struct sparse_blocks *blocks, int row, int column)
{
    assert(blocks && row >= 0 && row < blocks->n);
    int from = blocks->place[row], to = blocks->place[column],
        low = from < to ? from : to, high = from < to ? to : from,
        at = blocks->first[low];
    if (from == to)
        return blocks->diagonal + 4 * from;
    while (blocks->late[at] != high)
        at++;
    assert(at < blocks->first[low + 1]);
    return (from < to ? blocks->upper : blocks->lower) + 4 * at;
}

/* Sets out = a b, of blocks. */
static void
times(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] + a[1] * b[2];
    out[1] = a[0] * b[1] + a[1] * b[3];
    out[2] = a[2] * b[0] + a[3] * b[2];
    out[3] = a[2] * b[1] + a[3] * b[3];
}

/* Takes a b off out. */
static void
take_product(const double a[4], const double b[4], double out[4])
{
    double product[4];
    times(a, b, product);
    for (int k = 0; k < 4; k++)
        out[k] -= product[k];
}

/* Inverts a block in place. False: it has no inverse. */
static bool
invert(double a[4])
{
    double det = a[0] * a[3] - a[1] * a[2],
           most =
               fmax(fmax(fabs(a[0]), fabs(a[1])), fmax(fabs(a[2]), fabs(a[3])));
    if (!(most > BLOCK_ZERO && fabs(det) > BLOCK_ZERO * most))
        return false;
    double first = a[3] / det;
    a[3] = a[0] / det;
    a[0] = first;
    a[1] /= -det;
    a[2] /= -det;
    return true;
}

/* Eliminates the unknowns at a place from the equations at its neighbours. */
static bool
eliminate(struct sparse_blocks *blocks, int place)
{
    const int *late = blocks->late;
    int last = blocks->first[place + 1];
    if (!invert(blocks->diagonal + 4 * place))
        return false;
    for (int a = blocks->first[place]; a < last; a++) {
        double share[4], *lower = blocks->lower + 4 * a;
        times(lower, blocks->diagonal + 4 * place, share);
        memcpy(lower, share, sizeof share);
    }
    for (int a = blocks->first[place]; a < last; a++) {
        const double *lower = blocks->lower + 4 * a,
                     *upper = blocks->upper + 4 * a;
        int own = blocks->first[late[a]];
        take_product(lower, upper, blocks->diagonal + 4 * late[a]);
        for (int b = a + 1; b < last; b++) {
            while (late[own] != late[b])
                own++;
            take_product(lower, blocks->upper + 4 * b, blocks->upper + 4 * own);
            take_product(blocks->lower + 4 * b, upper, blocks->lower + 4 * own);
        }
    }
    return true;
}

/* Takes a x off y, of a block. */
static void
take_row(const double a[4], const double x[2], double y[2])
{
    y[0] -= a[0] * x[0] + a[1] * x[1];
    y[1] -= a[2] * x[0] + a[3] * x[1];
}

bool
sparse_blocks_solve(struct sparse_blocks *blocks, double *x)
{
    assert(blocks && x);
    int n = blocks->n;
    double *y = blocks->x;
    for (int r = 0; r < 2 * n; r++)
        y[2 * blocks->place[r / 2] + r % 2] = x[r];
    for (int k = 0; k < n; k++) {
        if (!eliminate(blocks, k))
            return false;
        for (int a = blocks->first[k]; a < blocks->first[k + 1]; a++)
            take_row(blocks->lower + 4 * a, y + 2 * k, y + 2 * blocks->late[a]);
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *inverse = blocks->diagonal + 4 * k;
        for (int a = blocks->first[k]; a < blocks->first[k + 1]; a++)
            take_row(blocks->upper + 4 * a, y + 2 * blocks->late[a], y + 2 * k);
        double first = y[2 * k], second = y[2 * k + 1];
        y[2 * k] = inverse[0] * first + inverse[1] * second;
        y[2 * k + 1] = inverse[2] * first + inverse[3] * second;
    }
    for (int r = 0; r < 2 * n; r++)
        x[r] = y[2 * blocks->place[r / 2] + r % 2];
    return true;
}
