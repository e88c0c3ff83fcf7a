/* SPDX-License-Identifier: MIT */
/* Eigenvalues of a real matrix by Francis' QR steps. Inside eigen.c. */
#ifndef IMP_RUNTIME_NUMERICS_EIGEN_QR_H
#define IMP_RUNTIME_NUMERICS_EIGEN_QR_H

/* a: n x n, row-major, destroyed; room: 2 n; re, im: n, conjugate pairs side by
 * side, the positive imaginary part first. 0, or 1: no convergence. */
int eigen_qr(int n, double *a, double *room, double *re, double *im);

#endif
