/* SPDX-License-Identifier: MIT */
/* Contacts that depend on each other (workspace.h). A basis is made from the
 * first one, in long double, whatever the way by which the motion has come to
 * it: the same contacts have the same numbers in every run. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/ballistic/workspace.h"
#include "runtime/numerics/dense.h"

/* A motion remembers so many numbers of its bases. One that would need more
 * keeps the basis that it has. */
#define BASES_ROOM (1UL << 22)
/* A contact enters the basis for another one on which it depends by at least
 * this share. Shares are known to a rounding error of long double. */
#define BASIS_PIVOT 0x1p-16

struct contact_bases *
contact_bases_new(struct arena *arena, int coordinates, int contacts)
{
    assert(arena);
    assert(coordinates >= 0 && contacts >= 0);
    struct contact_bases *bases = NEW(arena, struct contact_bases);
    bases->arena = arena;
    bases->contacts = contacts;
    bases->stride = (contacts + 3) / 4 * 4;
    bases->rows = coordinates < contacts ? coordinates : contacts;
    size_t size = (size_t)contacts * (size_t)bases->rows + 1;
    bases->C = NEW_N(arena, long double, size);
    bases->work = NEW_N(arena, long double, size);
    bases->outside =
        NEW_N(arena, const struct contact_basis *, (size_t)contacts + 1);
    bases->alone = NEW_N(arena, double, (size_t)contacts *(size_t)contacts + 1);
    bases->alone_offset = NEW_N(arena, double, (size_t)contacts + 1);
    bases->column = NEW_N(arena, int, (size_t)contacts + 1);
    bases->chosen = NEW_N(arena, bool, (size_t)contacts + 1);
    return bases;
}

/* Returns memory for one more basis; NULL: there is no more. */
static struct contact_basis *
one_more(struct contact_bases *bases)
{
    size_t contacts = (size_t)bases->contacts, stride = (size_t)bases->stride;
    /* the rank, and with it the number of contacts outside, may change */
    size_t rows = contacts, numbers = rows * (2 * stride + contacts + 4);
    if (bases->n < bases->made)
        return bases->basis[bases->n++];
    if (bases->made && ((size_t)bases->made + 1) * numbers > BASES_ROOM)
        return NULL;
    if (bases->made == bases->room) {
        int room = bases->room ? 2 * bases->room : 8;
        struct contact_basis **more =
            NEW_N(bases->arena, struct contact_basis *, (size_t)room);
        if (bases->made)
            memcpy(more, bases->basis, (size_t)bases->made * sizeof *more);
        bases->basis = more;
        bases->room = room;
    }
    struct contact_basis *basis = NEW(bases->arena, struct contact_basis);
    basis->contact = NEW_N(bases->arena, int, 3 * contacts + 1);
    basis->outside = basis->contact + contacts;
    basis->place = basis->outside + contacts;
    basis->inside = NEW_N(bases->arena, int64_t, stride + 1);
    basis->share = NEW_N(bases->arena, double, 2 * rows * stride + 1);
    basis->pivot = basis->share + rows * stride;
    basis->offset = NEW_N(bases->arena, double, rows + 1);
    basis->next =
        NEW_N(bases->arena, const struct contact_basis *, rows *contacts + 1);
    bases->basis[bases->made++] = basis;
    bases->n++;
    return basis;
}

/* Puts contact `hit` into the place of the contact of column `place`: the
 * shares C are in terms of the new basis then. Letters: p the pivot. */
static void
exchange(const struct contact_bases *bases, long double *shares, int hit,
         int place)
{
    int rank = bases->rank;
    long double p = shares[hit * rank + place];
    for (int i = 0; i < bases->contacts; i++) {
        if (i == hit)
            continue;
        long double share = wide_over(shares[i * rank + place], p);
        for (int j = 0; j < rank; j++)
            if (j != place)
                shares[i * rank + j] -= shares[hit * rank + j] * share;
        shares[i * rank + place] = share;
    }
    for (int j = 0; j < rank; j++)
        shares[hit * rank + j] = j == place ? 1.0L : 0.0L;
}

/* Returns a share, or 0 where it is only the rounding error of masses and
 * gradients. */
static double
share_of(const struct contact_matrices *matrices, int contact, int of,
         long double share)
{
    double noise = BALLISTIC_NOISE * matrices->rank * DBL_EPSILON;
    return fabs((double)share) * matrices->root[of] <=
                   noise * matrices->root[contact]
               ? 0.0
               : (double)share;
}

/* Returns the offset of the outside number k at the point where the gaps of the
 * basis are 0. */
static double
offset_of(const struct ballistic *motion, const struct contact_basis *basis,
          int k)
{
    int contacts = motion->model.m, i = basis->outside[k];
    const double *c = motion->model.c,
                 *share = basis->share + k * motion->matrices.stride;
    wide offset = c[i];
    double size = fabs(c[i]);
    for (int j = 0; j < contacts; j++) {
        double d = share[j] * c[j];
        offset -= d;
        size += fabs(d);
    }
    return fabs((double)offset) <= 16.0 * contacts * DBL_EPSILON * size
               ? 0.0
               : (double)offset;
}

/* Sets bases->work and bases->column where all contacts but one are `chosen`:
 * the row of that one. */
static void
exchange_one(const struct ballistic *motion, const bool *chosen)
{
    const struct contact_matrices *matrices = &motion->matrices;
    struct contact_bases *bases = matrices->bases;
    int rank = bases->rank, *column = bases->column, last = 0, outside = 0;
    while (chosen[outside])
        outside++;
    for (int place = 0; place < rank; place++) /* the numbers of all others */
        last += matrices->basis[place];
    last = motion->model.m * (motion->model.m - 1) / 2 - last;
    const long double *row = bases->C + last * rank;
    long double *to = bases->work + outside * rank, unit = 0.0L;
    for (int j = 0; j < rank; j++)
        if (matrices->basis[j] == outside)
            unit = wide_over(-1.0L, row[j]);
    for (int j = 0; j < rank; j++) {
        column[j] = matrices->basis[j] == outside ? last : matrices->basis[j];
        to[j] = outside == last     ? row[j]
                : column[j] == last ? -unit
                                    : row[j] * unit;
    }
}

/* Sets bases->work and bases->column: C in terms of the contacts that are
 * `chosen`. */
static void
exchange_all(const struct ballistic *motion, const bool *chosen)
{
    const struct contact_matrices *matrices = &motion->matrices;
    struct contact_bases *bases = matrices->bases;
    int contacts = motion->model.m, rank = bases->rank, *column = bases->column;
    memcpy(bases->work, bases->C,
           (size_t)(contacts * rank) * sizeof *bases->work);
    memcpy(column, matrices->basis, (size_t)rank * sizeof *column);
    for (int contact = 0; contact < contacts; contact++) {
        int place = 0;
        double most = -1.0;
        while (place < rank && column[place] != contact)
            place++;
        if (!chosen[contact] || place < rank)
            continue;
        for (int j = 0; j < rank; j++) {
            double share = fabs((double)bases->work[contact * rank + j]) *
                           matrices->root[column[j]];
            if (!chosen[column[j]] && share > most) {
                most = share;
                place = j;
            }
        }
        exchange(bases, bases->work, contact, place);
        column[place] = contact;
    }
}

/* Fills the basis whose contacts are marked by `chosen`. */
static void
fill(const struct ballistic *motion, struct contact_basis *basis,
     const bool *chosen)
{
    const struct contact_matrices *matrices = &motion->matrices;
    struct contact_bases *bases = matrices->bases;
    int contacts = motion->model.m, rank = bases->rank, stride = bases->stride,
        count = 0, outside = contacts - rank;
    if (outside == 1)
        exchange_one(motion, chosen);
    else
        exchange_all(motion, chosen);
    basis->n_outside = 0;
    for (int i = 0; i < stride; i++) {
        basis->inside[i] = -(i < contacts && chosen[i]);
        if (i >= contacts)
            continue;
        basis->place[i] = chosen[i] ? -1 : basis->n_outside;
        if (chosen[i])
            basis->contact[count++] = i;
        else
            basis->outside[basis->n_outside++] = i;
    }
    assert(count == rank && basis->n_outside == outside);
    memset(basis->share, 0, (size_t)(outside * stride) * sizeof *basis->share);
    memset(basis->pivot, 0, (size_t)(contacts * stride) * sizeof *basis->pivot);
    for (int i = 0; i < contacts; i++)
        for (int j = 0; j < contacts; j++)
            basis->next[i * contacts + j] = chosen[i] ? basis : NULL;
    basis->level = true;
    for (int number = 0; number < outside; number++) {
        int i = basis->outside[number];
        for (int j = 0; j < rank; j++) {
            int of = bases->column[j];
            double share = share_of(matrices, i, of, bases->work[i * rank + j]);
            basis->share[number * stride + of] = share;
            if (fabs(share) * matrices->root[of] >=
                BASIS_PIVOT * matrices->root[i])
                basis->pivot[i * stride + of] = fabs(share);
        }
        basis->offset[number] = offset_of(motion, basis, number);
        basis->level &= basis->offset[number] == 0.0;
    }
}

/* Returns the basis whose contacts are marked by bases->chosen; NULL: there is
 * no more memory for it. */
static const struct contact_basis *
find(const struct ballistic *motion)
{
    struct contact_bases *bases = motion->matrices.bases;
    for (int k = 0; k < bases->n; k++) {
        int same = 0;
        while (same < bases->rank &&
               bases->chosen[bases->basis[k]->contact[same]])
            same++;
        if (same == bases->rank)
            return bases->basis[k];
    }
    struct contact_basis *basis = one_more(bases);
    if (basis)
        fill(motion, basis, bases->chosen);
    return basis;
}

const struct contact_basis *
contact_bases_make(struct ballistic *motion)
{
    assert(motion && motion->matrices.bases);
    assert(!motion->matrices.direct);
    const struct contact_matrices *matrices = &motion->matrices;
    struct contact_bases *bases = matrices->bases;
    int contacts = motion->model.m, rank = matrices->rank;
    assert(rank <= bases->rows);
    bases->n = 0;
    bases->is_alone = false;
    bases->rank = rank;
    memset(bases->chosen, 0, (size_t)contacts);
    for (int j = 0; j < rank; j++) {
        int of = matrices->basis[j];
        bases->chosen[of] = true;
        for (int k = 0; k < rank; k++)
            bases->C[of * rank + k] = j == k;
    }
    for (int i = 0; i < contacts; i++)
        if (!bases->chosen[i])
            matrices_shares(motion, i, bases->C + i * rank);
    return find(motion);
}

bool
contact_bases_alone(const struct ballistic *motion)
{
    const struct contact_matrices *matrices = &motion->matrices;
    struct contact_bases *bases = matrices->bases;
    int contacts = motion->model.m, stride = matrices->stride;
    assert(contacts == matrices->rank + 1);
    if (bases->is_alone)
        return bases->alone_all;
    const struct contact_basis *first = bases->basis[0];
    bases->is_alone = bases->alone_all = true;
    memset(bases->alone, 0,
           (size_t)(contacts * contacts) * sizeof *bases->alone);
    for (int contact = 0; contact < contacts; contact++) {
        bases->outside[contact] = NULL;
        bases->alone_offset[contact] = 0.0;
        if (first->inside[contact] && first->share[contact] == 0.0)
            continue;
        for (int j = 0; j < contacts; j++)
            bases->chosen[j] = j != contact;
        const struct contact_basis *basis = bases->outside[contact] =
            find(motion);
        if (!basis)
            return bases->alone_all = false;
        for (int j = 0; j < contacts; j++) {
            bases->alone[contact * contacts + j] = basis->share[j];
            bases->alone_all &= basis->share[j] == 0.0 ||
                                basis->pivot[contact * stride + j] > 0.0;
        }
        bases->alone_offset[contact] = basis->offset[0];
    }
    return bases->alone_all;
}

const struct contact_basis *
contact_basis_exchange(const struct ballistic *motion,
                       const struct contact_basis *basis, int contact,
                       int leaves)
{
    int contacts = motion->model.m;
    assert(basis->place[contact] >= 0 && basis->place[leaves] < 0);
    const struct contact_basis **next =
        basis->next + contact * contacts + leaves;
    if (*next)
        return *next;
    bool *chosen = motion->matrices.bases->chosen;
    for (int i = 0; i < contacts; i++)
        chosen[i] = i == contact || (i != leaves && basis->place[i] < 0);
    *next = find(motion);
    return *next ? *next : basis;
}

const struct contact_basis *
contact_basis_enter(const struct ballistic *motion,
                    const struct contact_basis *basis, int hit,
                    const double *greatest)
{
    int leaves = -1;
    if (!basis || basis->place[hit] < 0)
        return basis;
    const double *pivot = basis->pivot + hit * motion->matrices.stride;
    double most = -1.0;
    for (int i = 0; i < motion->model.m; i++)
        if (pivot[i] > 0.0 && pivot[i] * greatest[i] > most) {
            most = pivot[i] * greatest[i];
            leaves = i;
        }
    return leaves < 0 ? basis
                      : contact_basis_exchange(motion, basis, hit, leaves);
}

/* What the outside number k has of x. Sums of each fourth contact come first,
 * as in vectors (lanes_total). */
static double
total_of(const struct ballistic *motion, int k, const double *x)
{
    const struct contact_basis *basis = motion->basis;
    const double *share = basis->share + k * motion->matrices.stride;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < motion->model.m; i++)
        if (basis->inside[i])
            sum[i & 3] += share[i] * x[i];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

void
contact_basis_derive(struct ballistic *motion)
{
    assert(motion);
    const struct contact_basis *basis = motion->basis;
    if (!basis)
        return;
    for (int k = 0; k < basis->n_outside; k++) {
        int i = basis->outside[k];
        if (motion->mode.persistent[i])
            continue;
        motion->gap[i] =
            total_of(motion, k, motion->gap) +
            contact_basis_offset(basis, k, motion->length_exponent);
        motion->rate[i] = total_of(motion, k, motion->rate);
    }
}

void
contact_basis_coordinates(struct ballistic *motion)
{
    assert(motion != NULL);
    const struct contact_matrices *matrices = &motion->matrices;
    if (matrices->direct || motion->work->instant)
        return;
    for (int j = 0; j < matrices->rank; j++) {
        const double *row = matrices->back + j * matrices->rank;
        double y = 0.0, z = 0.0;
        for (int k = 0; k <= j; k++) {
            y += row[k] * motion->gap[matrices->basis[k]];
            z += row[k] * motion->rate[matrices->basis[k]];
        }
        motion->y[j] = y;
        motion->z[j] = z;
    }
}

void
contact_basis_true(const struct ballistic *motion, double *y, double *z)
{
    const struct contact_basis *basis = motion->basis;
    const struct contact_matrices *matrices = &motion->matrices;
    int ex = motion->length_exponent, ev = motion->rate_exponent;
    assert(basis);
    for (int j = 0; j < matrices->rank; j++) {
        int i = matrices->basis[j], k = basis->place[i];
        y[j] = k < 0 ? times2(motion->gap[i], ex)
                     : times2(total_of(motion, k, motion->gap), ex) +
                           basis->offset[k];
        z[j] = times2(motion->rate[i], ev);
    }
    matrices_coordinates(motion, y);
    matrices_coordinates(motion, z);
}

/* Returns what the errors of x in the basis make of x of the outside number k.
 */
static double
terms_of(const struct ballistic *motion, int k, const double *x)
{
    const struct contact_basis *basis = motion->basis;
    const double *share = basis->share + k * motion->matrices.stride;
    double sum = 0.0;
    for (int i = 0; i < motion->model.m; i++)
        if (basis->inside[i])
            sum += fabs(share[i] * x[i]);
    return sum;
}

double
contact_basis_terms(const struct ballistic *motion, int contact)
{
    assert(motion);
    const struct contact_basis *basis = motion->basis;
    int k = basis ? basis->place[contact] : -1;
    if (k < 0)
        return motion->greatest[contact];
    return fabs(contact_basis_offset(basis, k, motion->length_exponent)) +
           terms_of(motion, k, motion->greatest);
}

double
contact_basis_rate_terms(const struct ballistic *motion, int contact)
{
    assert(motion);
    const struct contact_basis *basis = motion->basis;
    int k = basis ? basis->place[contact] : -1;
    double rate = fabs(motion->rate[contact]);
    return k < 0 ? rate : rate + terms_of(motion, k, motion->rate);
}
