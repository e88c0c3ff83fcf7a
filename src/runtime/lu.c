/* SPDX-License-Identifier: MIT */
/* LU factors with partial pivoting for the small dense systems of implicit
 * blocks. One fixed order of operations: evaluator and generated code call the
 * same function, so the bits agree (I6). */
#include <float.h>
#include <math.h>

#include "runtime/fn.h"

/* PA = LU in place, row-major; piv[c] is the row exchanged with row c. A pivot
 * below n*eps of the largest entry its column had at first carries no digit
 * of the matrix any more: the system counts as singular. */
int
imp_lu_factor(int n, double *a, int *piv)
{
    for (int c = 0; c < n; c++) {
        /* rows above c hold U; with the rows below they tell how large the
         * column was before elimination */
        int p = c;
        double best = 0, scale = 0;
        for (int r = 0; r < n; r++) {
            double v = fabs(a[r * n + c]);
            if (!isfinite(v))
                return 1;
            if (v > scale)
                scale = v;
            if (r >= c && v > best) {
                best = v;
                p = r;
            }
        }
        if (!(best > 0) || best < (double)n * DBL_EPSILON * scale)
            return 1;
        piv[c] = p;
        if (p != c)
            for (int j = 0; j < n; j++) {
                double t = a[c * n + j];
                a[c * n + j] = a[p * n + j];
                a[p * n + j] = t;
            }
        double d = a[c * n + c];
        for (int r = c + 1; r < n; r++) {
            double f = a[r * n + c] / d;
            a[r * n + c] = f;
            if (f == 0)
                continue;
            for (int j = c + 1; j < n; j++)
                a[r * n + j] -= f * a[c * n + j];
        }
    }
    return 0;
}

void
imp_lu_solve(int n, const double *a, const int *piv, double *b)
{
    for (int c = 0; c < n; c++) {
        double t = b[piv[c]];
        b[piv[c]] = b[c];
        b[c] = t;
    }
    for (int r = 1; r < n; r++) {
        double s = b[r];
        for (int j = 0; j < r; j++)
            s -= a[r * n + j] * b[j];
        b[r] = s;
    }
    for (int r = n - 1; r >= 0; r--) {
        double s = b[r];
        for (int j = r + 1; j < n; j++)
            s -= a[r * n + j] * b[j];
        b[r] = s / a[r * n + r];
    }
}
