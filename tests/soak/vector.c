/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors, matrices and rotations of the soak. */
#include "vector.h"

#include <math.h>
#include <string.h>

double
dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double
length(const double a[3])
{
    return sqrt(dot(a, a));
}

double
distance(const double a[3], const double b[3])
{
    double difference[3];
    add_scaled(a, -1, b, difference);
    return length(difference);
}

void
cross(const double a[3], const double b[3], double out[3])
{
    double product[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    memcpy(out, product, sizeof product);
}

void
add_scaled(const double a[3], double factor, const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + factor * b[k];
}

void
rotate(double matrix[3][3], const double v[3], double out[3])
{
    double image[3];
    for (int i = 0; i < 3; i++)
        image[i] = dot(matrix[i], v);
    memcpy(out, image, sizeof image);
}

void
rotate_back(double matrix[3][3], const double v[3], double out[3])
{
    double image[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            image[k] += matrix[i][k] * v[i];
    memcpy(out, image, sizeof image);
}

void
multiply(double a[3][3], double b[3][3], double out[3][3])
{
    double product[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            product[i][k] =
                a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
    memcpy(out, product, sizeof product);
}

void
quaternion_matrix(const double quaternion[4], double out[3][3])
{
    double square = 0;
    for (int k = 0; k < 4; k++)
        square += quaternion[k] * quaternion[k];
    const double *q = quaternion;
    double s = 2 / square;
    double matrix[3][3] = {
        {1 - s * (q[2] * q[2] + q[3] * q[3]), s * (q[1] * q[2] - q[0] * q[3]),
         s * (q[1] * q[3] + q[0] * q[2])},
        {s * (q[1] * q[2] + q[0] * q[3]), 1 - s * (q[1] * q[1] + q[3] * q[3]),
         s * (q[2] * q[3] - q[0] * q[1])},
        {s * (q[1] * q[3] - q[0] * q[2]), s * (q[2] * q[3] + q[0] * q[1]),
         1 - s * (q[1] * q[1] + q[2] * q[2])}};
    memcpy(out, matrix, sizeof matrix);
}

void
quaternion_product(const double a[4], const double b[4], double out[4])
{
    double product[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, product, sizeof product);
}

void
angle_matrix(double angle, double out[3][3])
{
    double matrix[3][3] = {
        {cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}};
    memcpy(out, matrix, sizeof matrix);
}

double
matrix_distance(double a[3][3], double b[3][3])
{
    double greatest = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            greatest = fmax(greatest, fabs(a[i][k] - b[i][k]));
    return greatest;
}
