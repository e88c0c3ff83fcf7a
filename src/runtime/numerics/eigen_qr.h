/* SPDX-License-Identifier: MIT */
/* Eigenvalues of a real matrix by Francis' QR steps. Inside eigen.c. */
#ifndef IMP_RUNTIME_NUMERICS_EIGEN_QR_H
#define IMP_RUNTIME_NUMERICS_EIGEN_QR_H

/* Finds the eigenvalues of a, n x n, row-major, which is destroyed; room has 2
 * n numbers. re and im (n) hold conjugate pairs side by side, the positive
 * imaginary part first. Returns 0, or 1 where it does not converge. */
int eigen_qr(int n, double *a, double *room, double *re, double *im);

#endif
