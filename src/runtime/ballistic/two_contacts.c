/* SPDX-License-Identifier: MIT */
/* Two contacts that are hit in turns while nothing accelerates: does that ever
 * end, and when is its limit? Right after an impact at i the rates in the
 * metric of the masses are p = u_i/|N_i| > 0 and s = -u_j/|N_j| > 0; the impact
 * at j makes of them p' = e_j s,   s' = b_j s - p,   b = (1 + e) w,   w =
 * -W_ij/(|N_i| |N_j|), whatever the gaps are, and the next one is at i as long
 * as s' > 0. So x = s/p goes by x' = b_j/e_j - 1/(e_j x), which rises with x;
 * over a period, A = A_i A_j with tr A = b_i b_j - e_i - e_j,   det A = e_i
 * e_j, it has fixed points x = (l + e_i)/(e_i b_j), l the eigenvalues, if these
 * are real and positive: beyond the lesser one it never ends and below it it
 * does; without them it ends (spec/chatter.md 2.2, 2.6; here of any
 * restitutions). A flight takes t = g/s, g the gap of j in that metric, and
 * leaves g' = p t, so that t' = t p/s', which is summed until x has come to the
 * greater one. */
#include "runtime/ballistic/workspace.h"

/* roundings in a rate, in terms of the conditions above */
#define PAIR_NOISE (64.0 * DBL_EPSILON)
/* periods that are summed one by one */
#define PAIR_MOST 10000

struct pair_law {
    double e, b; /* of the impact */
};

/* Sum of the flights from now on, in units of the first one. x1: to which x
 * converges; q: ratio of the times of periods there. *off: its relative error
 * beside rounding, which is to be `good`. */
static double
sum(const struct pair_law law[2], double x, double x1, double q, double good,
    double *off)
{
    double t = 1.0, total = 0.0, rest = 0.0;
    *off = INFINITY;
    for (int k = 0; k < PAIR_MOST && good < *off; k++) {
        double part = 0.0;
        for (int c = 0; c < 2; c++) {
            part += t;
            double to = (law[c].b - 1.0 / x) / law[c].e; /* s'/p' */
            t /= law[c].e * x * to;
            x = to;
        }
        total += part;
        /* the times of periods go by q, but for what x still lacks */
        rest = part * q / (1.0 - q);
        *off = rest / (total + rest) * fabs(x - x1) / (x1 * (1.0 - q));
    }
    return total + rest;
}

int
two_contacts_limit(const struct ballistic *motion, int i, int j,
                   struct fixed_point *out)
{
    int m = motion->model.m;
    double ei = motion->model.e[i], ej = motion->model.e[j];
    double w = -motion->matrices.W[i * m + j] /
               (motion->matrices.root[i] * motion->matrices.root[j]);
    double bi = (1.0 + ei) * w, bj = (1.0 + ej) * w;
    double p = motion->rate[i] / motion->matrices.root[i],
           s = -motion->rate[j] / motion->matrices.root[j];
    double tr = bi * bj - ei - ej, det = ei * ej;
    if (!(p > 0.0) || !(det > 0.0))
        return 0;
    if (!(s > 0.0) || !(w > 0.0))
        return -1;
    double disc = tr * tr - 4.0 * det;
    double noise = PAIR_NOISE * (tr * tr + bi * bj * fabs(tr) + 4.0 * det);
    if (disc < -noise || tr < 0.0)
        return -1;
    if (!(disc > noise))
        return 0;
    double root = sqrt(disc), great = 0.5 * (tr + root), less = det / great;
    double least = (less + ei) / (ei * bj), x = s / p;
    double off = PAIR_NOISE * (least + x) + noise / root / (ei * bj);
    if (!(x > least + off))
        return x < least - off ? -1 : 0;
    if (!out)
        return 1;
    struct pair_law law[2] = {{ej, bj}, {ei, bi}};
    double q = less / great, x1 = (great + ei) / (ei * bj), lacks;
    double good = greater(accumulation_good_enough(motion->work), DBL_EPSILON);
    double T =
        motion->gap[j] / -motion->rate[j] * sum(law, x, x1, q, good, &lacks);
    *out = (struct fixed_point){
        .remaining = T,
        .ratio = q,
        .rate_ratio = great,
        .contraction = q,
        .error_fall = q * q,
        .error = DBL_EPSILON, /* more impacts tell no more */
        .rounding = lacks + noise / disc + PAIR_NOISE / (1.0 - q)};
    return T > 0.0 && isfinite(T) && q < 1.0 ? 1 : 0;
}
