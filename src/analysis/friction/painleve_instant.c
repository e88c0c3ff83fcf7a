/* SPDX-License-Identifier: MIT */
/* What `painleve` tells of one contact of a system beyond its coefficients,
 * from their derivatives: where p and b lead in slip (specification
 * painleve.md, 8), and the stability of a contact that sticks at rest (6). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/friction/friction_priv.h"
#include "base/num.h"

/* generalised forces balance within this share of their terms */
#define BALANCED 1e-9
/* so is a sum of the terms of alpha_1 or alpha_3 */
#define ALPHA_NOISE (32.0 * DBL_EPSILON)
/* A stiffness below this share of its terms is rounding. */
#define CURVED 1e-12

/* -- where p and b lead ----------------------------------------------------
 */

/* The slope b/p < 0 obeys r' = alpha_2 + (alpha_3 - alpha_1) r - beta r^2 and
 * moves one way: to the next root, where the motion goes along a line, to 0,
 * where the contact lifts off, or to -infinity, where p is 0 and b is not. */
static const char *
by_slope(const double alpha[PAINLEVE_ALPHA], double slope)
{
    double beta = alpha[3], half = 0.5 * (alpha[2] - alpha[0]),
           square = half * half + beta * alpha[1],
           rate = alpha[1] + 2.0 * half * slope - beta * slope * slope,
           next = rate > 0.0 ? 0.0 : -INFINITY;
    for (int k = 0; k < 2 && square >= 0.0; k++) {
        /* the roots of half +- sqrt(square), without cancellation */
        double far = half < 0.0 ? half - sqrt(square) : half + sqrt(square),
               root = k ? far / beta : -alpha[1] / far;
        if (rate > 0.0 ? root >= slope && root < next
                       : root <= slope && root > next)
            next = root;
    }
    if (next == 0.0)
        return "liftoff";
    if (isinf(next))
        return "jam (force unbounded)";
    return alpha[0] + beta * next < 0.0 ? "jam (force finite)" : "slip";
}

/* The exact solution of dp/ds = alpha_1 p + beta b, db/ds = alpha_2 p + alpha_3
 * b from p > 0, b < 0 (specification painleve.md, 8, has beta = 0). */
const char *
painleve_alpha_outcome(const double alpha[PAINLEVE_ALPHA], double p, double b)
{
    if (alpha[3] != 0.0)
        return by_slope(alpha, b / p);
    double E = alpha[1] / (alpha[0] - alpha[2]), K = b - E * p;
    if (alpha[0] < 0.0 && alpha[2] < 0.0) {
        if (alpha[0] < alpha[2])
            return K < 0.0 ? "jam (force unbounded)" : "liftoff";
        return E < 0.0 ? "jam (force finite)" : "liftoff";
    }
    double leads = alpha[2] > alpha[0] ? K : E;
    return leads < 0.0 ? "slip" : "liftoff";
}

static const char *
order(double a, double b)
{
    return a < b ? "<" : a > b ? ">" : "=";
}

/* With mu' = dmu/du at the slip u, and mu_v by the other velocities, p = C -
 * sign mu B changes by -sign B (mu' du + mu_v.dv): the free motion, times p,
 * adds to alpha_1, and the forces, times -b, make beta. */
void
painleve_alpha(const struct painleve_reader *reader,
               const struct painleve_derivatives *of,
               const struct painleve_instant *instant,
               double alpha[PAINLEVE_ALPHA])
{
    assert(reader && of && instant);
    double *const *rates = reader->entry + of->n;
    double sign = instant->point.slip > 0.0 ? 1.0 : -1.0,
           by_slip = sign * of->mu_speed, free = by_slip * instant->point.a,
           pushed = by_slip * (of->B - sign * of->mu * instant->point.A);
    for (uint32_t j = 0; of->mu_v && j < of->n; j++) {
        free += of->mu_v[j] * reader->acc[j];
        pushed += of->mu_v[j] *
                  (reader->by_normal[j] - sign * of->mu * reader->by_along[j]);
    }
    double changes = (of->mu_t + free) * of->B,
           size = fabs(of->C_t) + fabs(of->mu * of->B_t) + fabs(changes);
    alpha[0] = of->C_t - sign * (of->mu * of->B_t + changes);
    alpha[1] = instant->jerk;
    alpha[2] = sign * of->mu * of->b_c - of->b_d;
    alpha[3] = of->mu_moves ? sign * of->B * pushed : 0.0;
    for (uint32_t j = 0; j < of->n; j++) {
        double by_mu = of->mu * of->B_q[j], rest = of->mu_q[j] * of->B;
        alpha[0] += (of->C_q[j] - sign * (by_mu + rest)) * *rates[j];
        size += (fabs(of->C_q[j]) + fabs(by_mu) + fabs(rest)) * fabs(*rates[j]);
    }
    if (fabs(alpha[0]) <= ALPHA_NOISE * size)
        alpha[0] = 0.0;
    if (fabs(alpha[2]) <=
        ALPHA_NOISE * (fabs(of->mu * of->b_c) + fabs(of->b_d)))
        alpha[2] = 0.0;
}

static void
put_alpha(const struct painleve_reader *reader,
          const struct painleve_derivatives *of,
          const struct painleve_instant *instant, const struct painleve *found,
          struct record *out)
{
    struct analysis *analysis = reader->analysis;
    static const char *const fields[] = {"alpha", "beta", "panel", "jam"};
    const struct painleve_point *point = &instant->point;
    double sign = point->slip > 0.0 ? 1.0 : -1.0, alpha[PAINLEVE_ALPHA];
    if (point->slip == 0.0) {
        record_set_absent_all(out, fields, sizeof fields / sizeof *fields,
                              "the contact does not slip");
        return;
    }
    painleve_alpha(reader, of, instant, alpha);
    SET_LIST("alpha", alpha, 3);
    SET_NUM("beta", alpha[3]);
    SET_TEXT("panel",
             arena_printf(record_arena(analysis),
                          "alpha_1 %s 0, alpha_2 %s 0, alpha_3 %s 0, alpha_1 "
                          "%s alpha_3%s",
                          order(alpha[0], 0.0), order(alpha[1], 0.0),
                          order(alpha[2], 0.0), order(alpha[0], alpha[2]),
                          alpha[3] > 0.0   ? ", beta > 0"
                          : alpha[3] < 0.0 ? ", beta < 0"
                                           : ""));
    double p = sign > 0.0 ? found->p_plus : found->p_minus;
    if (alpha[0] == alpha[2] && alpha[3] == 0.0)
        SET_ABSENT("jam", "alpha_1 is alpha_3");
    else if (p > 0.0 && point->b < 0.0)
        SET_TEXT("jam", painleve_alpha_outcome(alpha, p, point->b));
    else
        SET_ABSENT("jam", "p > 0 and b < 0 do not hold here");
}

/* -- stability at rest -----------------------------------------------------
 */

/* Takes out of x what the m orthonormal vectors span; returns what is left. */
static double
without(const double *basis, int m, uint32_t n, double *x)
{
    double length = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < m; k++) {
            double dot = 0.0;
            for (uint32_t j = 0; j < n; j++)
                dot += basis[(uint32_t)k * n + j] * x[j];
            for (uint32_t j = 0; j < n; j++)
                x[j] -= dot * basis[(uint32_t)k * n + j];
        }
    for (uint32_t j = 0; j < n; j++)
        length = hypot(length, x[j]);
    return length;
}

/* Adds x to the basis, unless it depends on it. */
static void
join(double *basis, int *n_basis, uint32_t n, const double *x)
{
    double *next = basis + (uint32_t)*n_basis * n, size = 0.0;
    memcpy(next, x, n * sizeof *next);
    for (uint32_t j = 0; j < n; j++)
        size = hypot(size, x[j]);
    double length = without(basis, *n_basis, n, next);
    if (!(length > 1e-9 * size))
        return;
    for (uint32_t j = 0; j < n; j++)
        next[j] /= length;
    ++*n_basis;
}

/* Is the stiffness positive in all directions that joints, and the contact
 * while it sticks, leave free? Cholesky's pivots tell. Status; *is is false
 * before. */
static int
stiff(struct painleve_reader *reader, const struct painleve_derivatives *of,
      const double force[2], bool *is)
{
    uint32_t n = of->n, n_rows = 0;
    struct arena *arena = reader->analysis->rt->arena;
    double *basis = NEW_N(arena, double, (size_t)n *n + n + 1),
           *K = NEW_N(arena, double, 2 * (size_t)n * n + 1), *all = K + n * n,
           *unit = NEW_N(arena, double, n + 1);
    const double *rows = NULL;
    int m = 0, held;
    for (uint32_t i = 0; i < n * n; i++)
        all[i] = of->f_q[i] + force[0] * of->d_q[i] + force[1] * of->c_q[i];
    join(basis, &m, n, reader->normal);
    join(basis, &m, n, reader->along);
    if (reader->by->held) {
        int st = reader->by->held(reader, force, all, &rows, &n_rows);
        if (st)
            return st;
    }
    for (uint32_t i = 0; i < n_rows && m < (int)n; i++)
        join(basis, &m, n, rows + i * n);
    held = m;
    for (uint32_t j = 0; j < n && m < (int)n; j++) {
        memset(unit, 0, n * sizeof *unit);
        unit[j] = 1.0;
        join(basis, &m, n, unit);
    }
    int free = m - held;
    double size = 0.0;
    for (int r = 0; r < free; r++)
        for (int s = 0; s < free; s++) {
            double sum = 0.0;
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n; j++) {
                    double k = all[i * n + j];
                    sum -= basis[(uint32_t)(held + r) * n + i] * k *
                           basis[(uint32_t)(held + s) * n + j];
                    size = fmax(size, fabs(k));
                }
            K[r * free + s] = sum;
        }
    for (int r = 0; r < free; r++) {
        if (!(K[r * free + r] > CURVED * size))
            return IMP_OK;
        for (int s = r + 1; s < free; s++) {
            double factor = K[s * free + r] / K[r * free + r];
            for (int t = r + 1; t < free; t++)
                K[s * free + t] -= factor * K[r * free + t];
        }
    }
    *is = true;
    return IMP_OK;
}

static const struct friction_set *
sticking(const struct painleve *found)
{
    for (int i = 0; i < found->choice.n; i++)
        if (found->choice.set[i].mode[0] == CONTACT_STICK)
            return found->choice.set + i;
    return NULL;
}

/* Is the system at rest, and its stick an equilibrium? NULL, or why not. */
static const char *
no_equilibrium(const struct painleve_reader *reader,
               const struct painleve_instant *instant,
               const struct friction_set *stick)
{
    for (uint32_t j = reader->n; j < 2 * reader->n; j++)
        if (*reader->entry[j] != 0.0)
            return "the system moves";
    if (!instant->closed)
        return "the contact is open";
    if (!stick)
        return "the contact does not stick here";
    double *acc = NEW_N(reader->analysis->rt->arena, double, reader->n),
           left = 0.0, size = 0.0;
    painleve_accelerations(reader, 1.0, stick->normal[0], stick->tangential[0],
                           acc);
    for (uint32_t j = 0; j < reader->n; j++) {
        left = hypot(left, acc[j]);
        size =
            hypot(size, fabs(reader->acc[j]) +
                            fabs(stick->normal[0] * reader->by_normal[j]) +
                            fabs(stick->tangential[0] * reader->by_along[j]));
    }
    return left <= BALANCED * size ? NULL : "forces are not in balance here";
}

static int
put_stable(struct painleve_reader *reader,
           const struct painleve_derivatives *of,
           const struct painleve_instant *instant, const struct painleve *found,
           struct record *out)
{
    struct analysis *analysis = reader->analysis;
    const struct friction_set *stick = instant->closed ? sticking(found) : NULL;
    const char *why = no_equilibrium(reader, instant, stick);
    if (why) {
        SET_ABSENT("stable", why);
        SET_ABSENT("stable_conditions", why);
        return IMP_OK;
    }
    double force[2] = {stick->normal[0], stick->tangential[0]};
    bool holds[3] = {false, found->choice.n == 1, found->chatter < 1.0};
    int st = stiff(reader, of, force, &holds[0]);
    if (st)
        return st;
    static const char *const text[3][2] = {
        {"1: no least potential along the motion that sticks",
         "1: least potential along the motion that sticks"},
        {"2: other modes are consistent, too",
         "2: no other mode is consistent"},
        {"3: chatter does not end", "3: chatter ends"}};
    const char **list = NEW_N(record_arena(analysis), const char *, 3);
    for (int k = 0; k < 3; k++)
        list[k] = text[k][holds[k]];
    SET_BOOL("stable", holds[0] && holds[1] && holds[2]);
    SET_TEXTS("stable_conditions", list, 3);
    return IMP_OK;
}

int
painleve_put_instant(const struct painleve_instant *instant,
                     const struct painleve *found, struct record *out)
{
    static const char *const all[] = {"mu_P_least",
                                      "mu_P_least_at",
                                      "mu_P_least_posture",
                                      "wedge",
                                      "alpha",
                                      "beta",
                                      "panel",
                                      "jam",
                                      "stable",
                                      "stable_conditions"};
    assert(instant != NULL && instant->reader != NULL && found != NULL);
    struct painleve_reader *reader = instant->reader;
    struct painleve_derivatives derivatives = {0};
    if (reader->unknown) {
        record_set_absent_all(out, all, sizeof all / sizeof *all,
                              reader->unknown);
        return IMP_OK;
    }
    if (!record_wants_any(out, all, sizeof all / sizeof *all))
        return IMP_OK;
    int st = reader->by->derivatives(reader, instant->point.slip, &derivatives);
    if (st)
        return st;
    put_alpha(reader, &derivatives, instant, found, out);
    if ((st = put_stable(reader, &derivatives, instant, found, out)))
        return st;
    return painleve_over(instant, found, out);
}
