/* SPDX-License-Identifier: MIT */
/* Singular values by rotations of pairs of columns. See dense.h, which says
 * what the letters are; x and y are the pair of columns. */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "runtime/numerics/dense.h"

#define SWEEPS 60

static void
rotate(int n, double *x, double *y, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double p = x[i], q = y[i];
        x[i] = c * p - s * q;
        y[i] = s * p + c * q;
    }
}

static void
swap(int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

int
dense_svd(int m, int n, double *a, double *v, double *s)
{
    assert(m >= 0 && n >= 0);
    assert(n == 0 || (a != NULL && v != NULL && s != NULL));
    int sweep = 1;
    double tol = DBL_EPSILON * sqrt((double)(m > 1 ? m : 1)), big = 0;
    for (int left = 0; left < n * n; left++)
        v[left] = left % (n + 1) == 0;
    for (int left = 0; left < m * n; left++)
        big = fmax(big, fabs(a[left]));
    /* A number below this counts as zero, because its products underflow. */
    double tiny = big * 1e-150;
    for (; sweep <= SWEEPS; sweep++) {
        int turned = 0;
        for (int left = 0; left < n - 1; left++)
            for (int right = left + 1; right < n; right++) {
                double *x = a + left * m, *y = a + right * m;
                double xx = dense_dot(m, x, x), yy = dense_dot(m, y, y);
                /* larger columns go first (de Rijk 1989) */
                if (xx < yy) {
                    swap(m, x, y);
                    swap(n, v + left * n, v + right * n);
                    turned = 1; /* The pairs seen so far have other columns. */
                    double t = xx;
                    xx = yy;
                    yy = t;
                }
                if (!(yy > tiny * tiny))
                    continue;
                double xy = dense_dot(m, x, y);
                if (!(fabs(xy) > tol * sqrt(xx) * sqrt(yy)))
                    continue;
                turned = 1;
                double z = (yy - xx) / (2 * xy);
                double t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
                double c = 1 / sqrt(1 + t * t);
                rotate(m, x, y, c, c * t);
                rotate(n, v + left * n, v + right * n, c, c * t);
            }
        if (!turned)
            break;
    }
    for (int right = 0; right < n; right++)
        s[right] = sqrt(dense_dot(m, a + right * m, a + right * m));
    for (int right = 1; right < n; right++)
        for (int k = right; k > 0 && s[k] > s[k - 1]; k--) {
            swap(1, s + k, s + k - 1);
            swap(m, a + k * m, a + (k - 1) * m);
            swap(n, v + k * n, v + (k - 1) * n);
        }
    return sweep <= SWEEPS ? sweep : 0;
}

void
dense_svd_solve(int m, int n, const double *a, const double *v, const double *s,
                int rank, const double *b, double *x, double *work)
{
    assert(m >= 0 && rank >= 0 && rank <= n);
    for (int k = 0; k < rank; k++)
        work[k] = dense_dot(m, a + k * m, b) / s[k] / s[k];
    for (int i = 0; i < n; i++) {
        double t = 0;
        for (int k = 0; k < rank; k++)
            t += v[k * n + i] * work[k];
        x[i] = t;
    }
}
