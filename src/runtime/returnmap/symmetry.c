/* SPDX-License-Identifier: MIT */
/* Finds the symmetry of contacts. The order is searched contact by contact:
 * each must have the cosines with all contacts before it that its distance from
 * them asks for. Letters: W the Delassus matrix, C the cosines of the contacts,
 * C_ij = W_ij/sqrt(W_ii W_jj). */
#include "runtime/returnmap/symmetry.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/arena.h"

/* cosines that differ by more are different: data with 9 digits */
#define SYMMETRY_SAME 1e-9
/* number of comparisons after which the search is given up, in less than a
 * second */
#define SYMMETRY_TRIES 100000000L

static const double pi = 3.14159265358979323846;

/* -- the order --------------------------------------------------------------
 */

struct search {
    int m;
    const double *C; /* m x m cosines */
    int *order;
    bool *used;
    double *w;
    long tries;
};

/* Finds the rest of the order: order[0 .. place-1] are found, with the cosines
 * w[1 .. place-1]. */
static bool
extend(struct search *search, int place)
{
    int contacts = search->m;
    if (place == contacts) {
        /* Around the polygon the distances j and m - j are the same. */
        for (int j = 1; j < contacts; j++)
            if (fabs(search->w[j] - search->w[contacts - j]) > SYMMETRY_SAME)
                return false;
        return true;
    }
    int last = -1;
    for (int tried = 0; tried < contacts; tried++) {
        /* candidates for the place next to the first: the nearest one first */
        int candidate = tried;
        if (place == 1) {
            candidate = -1;
            for (int i = 1; i < contacts; i++)
                if (!search->used[i] &&
                    (candidate < 0 || search->C[i] > search->C[candidate]))
                    candidate = i;
            if (candidate < 0)
                return false;
            search->used[candidate] =
                true; /* It is not tried again in this loop. */
            last = candidate;
        } else if (search->used[candidate]) {
            continue;
        }
        if (++search->tries > SYMMETRY_TRIES)
            return false;
        double w = search->C[candidate];
        bool fits = 2 * place <= contacts ||
                    fabs(w - search->w[contacts - place]) <= SYMMETRY_SAME;
        for (int i = 1; i < place && fits; i++, search->tries++)
            fits = fabs(search->C[search->order[i] * contacts + candidate] -
                        search->w[place - i]) <= SYMMETRY_SAME;
        if (!fits)
            continue;
        search->order[place] = candidate;
        search->w[place] = w;
        if (place > 1) {
            search->used[candidate] = true;
            if (extend(search, place + 1))
                return true;
            search->used[candidate] = false;
            continue;
        }
        /* the other contacts that were tried as neighbours are free again */
        bool *was = search->used + contacts;
        for (int i = 0; i < contacts; i++) {
            was[i] = search->used[i];
            search->used[i] = i == 0 || i == last;
        }
        if (extend(search, 2))
            return true;
        for (int i = 0; i < contacts; i++)
            search->used[i] = was[i];
    }
    return false;
}

/* Replaces the cosines C by their means over all pairs of one distance. */
static void
average(struct symmetry *symmetry, const double *C)
{
    int contacts = symmetry->m;
    symmetry->deviation = 0.0;
    for (int k = 0; k < contacts; k++) {
        double sum = 0.0;
        for (int i = 0; i < contacts; i++)
            sum += C[symmetry->order[i] * contacts +
                     symmetry->order[(i + k) % contacts]];
        symmetry->cosine[k] = k ? sum / contacts : 1.0;
    }
    for (int i = 0; i < contacts; i++)
        for (int j = 0; j < contacts; j++)
            symmetry->deviation = fmax(
                symmetry->deviation,
                fabs(C[symmetry->order[i] * contacts + symmetry->order[j]] -
                     symmetry->cosine[(j - i + contacts) % contacts]));
}

/* -- modes ------------------------------------------------------------------
 */

static double
angle(int j, int k, int contacts)
{
    return 2.0 * pi * ((j * k) % contacts) / contacts;
}

static void
modes(struct arena *arena, struct symmetry *symmetry)
{
    int contacts = symmetry->m, rank = 0;
    double *size = NEW_N(arena, double, (size_t)contacts + 1);
    double tol = contacts * (4.0 * symmetry->deviation + 16.0 * DBL_EPSILON);
    for (int mode = 0; 2 * mode <= contacts; mode++) {
        for (int j = 0; j < contacts; j++)
            size[mode] += symmetry->cosine[j] * cos(angle(j, mode, contacts));
        if (size[mode] > tol)
            rank += mode == 0 || 2 * mode == contacts ? 1 : 2;
    }
    symmetry->rank = rank;
    symmetry->F = NEW_N(arena, double, (size_t)(contacts * rank) + 1);
    symmetry->R = NEW_N(arena, double, (size_t)(rank * rank) + 1);
    symmetry->mode = NEW_N(arena, double, (size_t)rank + 1);
    int column = 0;
    for (int mode = 0; 2 * mode <= contacts; mode++) {
        bool one = mode == 0 || 2 * mode == contacts;
        if (!(size[mode] > tol))
            continue;
        double f = sqrt(size[mode] * (one ? 1.0 : 2.0) / contacts);
        for (int j = 0; j < contacts; j++) {
            symmetry->F[j * rank + column] = f * cos(angle(j, mode, contacts));
            if (!one)
                symmetry->F[j * rank + column + 1] =
                    f * sin(angle(j, mode, contacts));
        }
        double co = cos(angle(1, mode, contacts)),
               si = sin(angle(1, mode, contacts));
        symmetry->R[column * rank + column] = one ? (mode ? -1.0 : 1.0) : co;
        symmetry->mode[column] = size[mode];
        if (!one) {
            symmetry->R[column * rank + column + 1] = -si;
            symmetry->R[(column + 1) * rank + column] = si;
            symmetry->R[(column + 1) * rank + column + 1] = co;
            symmetry->mode[column + 1] = size[mode];
        }
        column += one ? 1 : 2;
    }
}

static void
feet(struct symmetry *symmetry)
{
    int contacts = symmetry->m;
    /* taken from contacts far apart, whose cosine is well away from 1 */
    double c = cos(angle(1, contacts / 2, contacts)),
           w = symmetry->cosine[contacts / 2];
    double q = (w - c) / (1.0 - w); /* rho^2 */
    if (!(w < 1.0) || !(q > 0.0))
        return;
    for (int k = 1; k < contacts; k++)
        if (fabs(symmetry->cosine[k] -
                 (cos(angle(1, k, contacts)) + q) / (1.0 + q)) > SYMMETRY_SAME)
            return;
    symmetry->polygon = true;
    symmetry->rho = sqrt(q);
}

void
symmetry_find(struct arena *arena, int contacts, const double *W,
              const double *restitution, struct symmetry *symmetry)
{
    assert(arena && symmetry);
    assert(contacts == 0 || (W && restitution));
    assert(contacts >= 0);
    size_t um = (size_t)contacts;
    *symmetry = (struct symmetry){.m = contacts, .found = SYMMETRY_EMPTY};
    if (!contacts)
        return;
    symmetry->e = restitution[0];
    symmetry->order = NEW_N(arena, int, um);
    symmetry->cosine = NEW_N(arena, double, um);
    for (int i = 0; i < contacts; i++)
        symmetry->order[i] = i;
    for (int i = 1; i < contacts; i++)
        if (fabs(restitution[i] - restitution[0]) > SYMMETRY_SAME) {
            symmetry->found = SYMMETRY_RESTITUTION;
            symmetry->second = i;
            return;
        }
    for (int i = 0; i < contacts; i++)
        if (!(W[i * (contacts + 1)] > 0.0)) { /* no motion changes this gap */
            symmetry->found = SYMMETRY_NONE;
            return;
        }
    double *C = NEW_N(arena, double, um *um);
    for (int i = 0; i < contacts; i++)
        for (int j = 0; j < contacts; j++)
            C[i * contacts + j] =
                i == j ? 1.0
                       : W[i * contacts + j] / sqrt(W[i * (contacts + 1)] *
                                                    W[j * (contacts + 1)]);
    struct search f = {.m = contacts,
                       .C = C,
                       .order = symmetry->order,
                       .used = NEW_N(arena, bool, 2 * um),
                       .w = NEW_N(arena, double, um)};
    f.used[0] = true;
    f.order[0] = 0;
    if (contacts > 1 && !extend(&f, 1)) {
        symmetry->found =
            f.tries > SYMMETRY_TRIES ? SYMMETRY_GAVE_UP : SYMMETRY_NONE;
        for (int i = 0; i < contacts; i++)
            symmetry->order[i] = i;
        return;
    }
    symmetry->found = contacts == 1 ? SYMMETRY_SINGLE : SYMMETRY_YES;
    average(symmetry, C);
    modes(arena, symmetry);
    if (contacts > 1)
        feet(symmetry);
}

void
symmetry_turn(const struct symmetry *symmetry, int steps, double *turn)
{
    assert(symmetry && turn);
    assert(symmetry->m > 0 && symmetry->F && symmetry->R);
    int rank = symmetry->rank;
    for (int i = 0; i < rank * rank; i++)
        turn[i] = 0.0;
    for (int column = 0; column < rank;) {
        double co = symmetry->R[column * rank + column];
        bool two = column + 1 < rank &&
                   symmetry->R[(column + 1) * rank + column] != 0.0;
        if (!two) {
            turn[column * rank + column] = co < 0.0 && steps % 2 ? -1.0 : 1.0;
            column++;
            continue;
        }
        double t = steps * atan2(symmetry->R[(column + 1) * rank + column], co);
        turn[column * rank + column] = turn[(column + 1) * rank + column + 1] =
            cos(t);
        turn[(column + 1) * rank + column] = sin(t);
        turn[column * rank + column + 1] = -sin(t);
        column += 2;
    }
}

void
symmetry_map(const struct symmetry *symmetry, int k, double *map)
{
    assert(symmetry && map);
    assert(symmetry->m > 0 && symmetry->F && symmetry->R);
    int r = symmetry->rank;
    /* F_k is F_0 turned by R^k; times U_0 from the left */
    symmetry_turn(symmetry, k, map);
    for (int j = 0; j < r; j++) {
        double d = 0.0;
        for (int i = 0; i < r; i++)
            d += symmetry->F[i] * map[i * r + j];
        for (int i = 0; i < r; i++)
            map[i * r + j] -= (1.0 + symmetry->e) * symmetry->F[i] * d;
    }
}

/* -- closed forms -----------------------------------------------------------
 */

/* Returns the square of (1 - sqrt(1 - x^2))/x, without cancellation. */
static double
half_tangent(double x)
{
    double h = x / (1.0 + sqrt(1.0 - x * x));
    return h * h;
}

/* Returns rho^2, and gives gamma, where the characteristic polynomial of m >= 4
 * feet has the double root mu (chatter.md 2.7). */
static double
double_root(int contacts, double mu, double *gamma)
{
    double c = cos(2.0 * pi / contacts), a = 1.0 + 2.0 * c;
    double nu = (mu * mu + 2.0 * mu - a) / (1.0 + 2.0 * mu - a * mu * mu);
    double g = mu * mu * nu, s = a - 2.0 * mu + nu;
    *gamma = g;
    return (s - c * (1.0 + g)) / ((1.0 + g) - s);
}

double
symmetry_critical_restitution(int contacts, double rho)
{
    assert(contacts >= 2);
    assert(rho >= 0.0);
    double rho_squared = rho * rho, critical = 0.0;
    if (contacts == 2) {
        double h = (1.0 - rho) / (1.0 + rho);
        return rho < 1.0 ? h * h : 0.0;
    }
    if (contacts == 3) {
        double w = (0.5 - rho_squared) / (1.0 + rho_squared);
        return w > 0.0 ? half_tangent(2.0 * w) : 0.0;
    }
    double C = cos(pi / contacts);
    if (contacts < 2 || !(rho_squared < (1.0 - C) / (2.0 * C)))
        return 0.0;
    /* rho falls from its greatest to 0 as mu rises to 1 */
    double lo = 2.0 * C - 1.0, hi = 1.0;
    for (int i = 0; i < 200 && lo < hi; i++) {
        double mid = 0.5 * (lo + hi);
        if (mid <= lo || mid >= hi)
            break;
        if (double_root(contacts, mid, &critical) > rho_squared)
            lo = mid;
        else
            hi = mid;
    }
    double_root(contacts, lo, &critical);
    return critical > 0.0 ? critical : 0.0;
}

double
symmetry_partial_restitution(int contacts, double rho)
{
    assert(contacts > 0 && rho > 0.0);
    double q = rho * rho, w = (q - 0.5) / (1.0 + q);
    return contacts == 3 && w < 0.0 ? half_tangent(-w) : 0.0;
}

/* Returns the discriminant of l^3 - (k^2 - k - e) l^2 + (e - k^2 + e k) l +
 * e^2, the characteristic polynomial of P U_2 U_0, k = (1 + e) w: its roots are
 * real if it is positive, and two of them positive. */
static double
mirrored(double w, double e)
{
    double k = (1.0 + e) * w;
    double b = k - k * k + e, c = e - k * k + e * k, d = e * e;
    return 18.0 * b * c * d - 4.0 * b * b * b * d + b * b * c * c -
           4.0 * c * c * c - 27.0 * d * d;
}

double
symmetry_mirrored(double rho)
{
    assert(rho >= 0.0);
    double q = rho * rho, w = (q - 0.5) / (1.0 + q);
    double lo = symmetry_critical_restitution(3, rho), hi = 1.0;
    if (!(lo > 0.0) || !(mirrored(w, lo) > 0.0))
        return 0.0;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (lo + hi);
        if (mid <= lo || mid >= hi)
            break;
        if (mirrored(w, mid) > 0.0)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

double
symmetry_rod_limit(double rho, double e)
{
    double q = rho * rho, h = (1.0 - rho) / (1.0 + rho);
    if (rho >= 1.0 || e > h * h)
        return 0.0;
    double u = (1.0 - q) * (1.0 + e), w = 1.0 + q;
    double sigma = u * u - 4.0 * e * w * w;
    return ((1.0 - e) * w + sqrt(fmax(sigma, 0.0))) / (2.0 * q * (1.0 + e));
}
