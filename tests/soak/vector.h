/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors, matrices and rotations of the soak. All have three entries; in the
 * plane the third is zero, and turns are about the third axis. */
#ifndef SOAK_VECTOR_H
#define SOAK_VECTOR_H

double dot(const double a[3], const double b[3]);
double length(const double a[3]);
double distance(const double a[3], const double b[3]);
void cross(const double a[3], const double b[3], double out[3]);
/* out = a + factor*b; out may be a or b */
void add_scaled(const double a[3], double factor, const double b[3],
                double out[3]);
/* out = matrix*v, transpose(matrix)*v; out may be v */
void rotate(double matrix[3][3], const double v[3], double out[3]);
void rotate_back(double matrix[3][3], const double v[3], double out[3]);
void multiply(double a[3][3], double b[3][3], double out[3][3]);
/* Quaternions are (w, x, y, z). The matrix is that of the unit quaternion of
 * the same direction. */
void quaternion_matrix(const double quaternion[4], double out[3][3]);
void quaternion_product(const double a[4], const double b[4], double out[4]);
void angle_matrix(double angle, double out[3][3]);
/* the largest difference of two entries */
double matrix_distance(double a[3][3], double b[3][3]);

#endif
