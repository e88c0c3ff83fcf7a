/* SPDX-License-Identifier: MIT */
/* The formulas of Palffy-Muhoray, Virga, Wilkinson and Zheng 2018, corrected as
 * in tangential.md 0.B, 0.C and 0.H. P lies on body 1, Q on body 2; n1 is the
 * outward normal of body 1. The letters are those of the paper:
 *
 *   V = v_Q - v_P          velocity of Q against P
 *   S = K1 + K2            curvatures of both bodies in the tangent plane
 *   b_Q = P[n1 x (w2 - w1) + H1 V]
 *   D = a_Q - b_Q.S^-1.b_Q = a_P - b_P.S^-1.b_P        (59), (146)
 *   j*                     third derivative of the true gap
 *
 * All inverses of S are taken in the tangent plane: the Hessian of a level set
 * has normal-tangential entries that do not belong to its curvature. The third
 * order needs the third derivatives of G, which the paper's expansion drops.
 *
 * Where v = 0, F = G/|grad G| with the gradient of the contact point agrees
 * with the signed distance to second order. At third order it differs by 3 D
 * (n.H.r1), because |grad G| changes along the way of the deepest point r1.
 * This term is subtracted from jerk_P and jerk_Q, so that j* is the third
 * derivative of the true gap also where D is not 0. j_P and j_Q belong to the
 * paper's F and stay as they are. */
#include "analysis/collision/tangency_formulas.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#include "runtime/numerics/vec3.h"

/* Gives two tangents of a normal; the record of `eight` gives the same ones. */
static void
tangency_basis(const double n[3], double t1[3], double t2[3])
{
    static const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
    vec3_cross(n, z, t1);
    if (vec3_norm(t1) < 1e-8)
        vec3_cross(n, x, t1);
    double l = vec3_norm(t1);
    for (int i = 0; i < 3; i++)
        t1[i] /= l;
    vec3_cross(n, t1, t2);
}

/* one body at the touch: its surface and its material point */
struct side {
    double n[3];                    /* own outward normal */
    double rho[3];                  /* contact point from the mass centre */
    double vel[3], acc[3], jerk[3]; /* of the material point */
    double vel_size, acc_size, jerk_size;
    double H[9]; /* Hess G/|grad G|, world axes */
    double H_size, T_size;
    double K[4]; /* tangent block */
    double spin; /* |w| */
};

/* Returns the third derivative of G/|grad G| in direction u (world). */
static double
third_along(const struct tangency_body *body, const double u[3])
{
    double w[3], g = vec3_norm(body->grad);
    mat3_apply_transposed(body->rot, u, w);
    double x = w[0], y = w[1], z = w[2];
    const double *t = body->third;
    return (t[0] * x * x * x + t[6] * y * y * y + t[9] * z * z * z +
            3.0 * (t[1] * x * x * y + t[2] * x * x * z + t[3] * x * y * y +
                   t[5] * x * z * z + t[7] * y * y * z + t[8] * y * z * z) +
            6.0 * t[4] * x * y * z) /
           g;
}

/* Gives velocity, acceleration and jerk of a material point, tangential.md 0.B:
 * jerk = jerk_c + w2 x rho + 2 w1 x (w x rho) + w x acc(rho). */
static void
motion_of_point(const struct tangency_body *body, struct side *side)
{
    double wr[3], relative[3];
    vec3_sub(body->point, body->centre, side->rho);
    vec3_cross(body->spin, side->rho, wr);
    vec3_copy(body->vel, side->vel);
    vec3_add_scaled(1.0, wr, side->vel);
    vec3_cross(body->spin1, side->rho, relative);
    vec3_add_scaled_cross(1.0, body->spin, wr, relative);
    vec3_copy(body->acc, side->acc);
    vec3_add_scaled(1.0, relative, side->acc);
    vec3_copy(body->jerk, side->jerk);
    vec3_add_scaled_cross(1.0, body->spin2, side->rho, side->jerk);
    vec3_add_scaled_cross(2.0, body->spin1, wr, side->jerk);
    vec3_add_scaled_cross(1.0, body->spin, relative, side->jerk);
    double w = vec3_norm(body->spin), w1 = vec3_norm(body->spin1),
           w2 = vec3_norm(body->spin2), r = vec3_norm(side->rho),
           ar = (w1 + w * w) * r;
    side->spin = w;
    side->vel_size = vec3_norm(body->vel) + w * r;
    side->acc_size = vec3_norm(body->acc) + ar;
    side->jerk_size =
        vec3_norm(body->jerk) + w2 * r + 2.0 * w1 * w * r + w * ar;
}

static bool
surface(const struct tangency_body *body, struct side *side)
{
    double length = vec3_norm(body->grad);
    if (!(length > 0.0) || !isfinite(length))
        return false;
    double rh[9];
    for (int i = 0; i < 3; i++)
        side->n[i] = vec3_dot(body->rot + 3 * i, body->grad) / length;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            rh[3 * i + j] = body->rot[3 * i] * body->hess[j] +
                            body->rot[3 * i + 1] * body->hess[3 + j] +
                            body->rot[3 * i + 2] * body->hess[6 + j];
    side->H_size = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            side->H[3 * i + j] =
                vec3_dot(rh + 3 * i, body->rot + 3 * j) / length;
            side->H_size += side->H[3 * i + j] * side->H[3 * i + j];
        }
    side->H_size = sqrt(side->H_size);
    side->T_size = 0.0;
    for (int i = 0; i < 10; i++)
        side->T_size += fabs(body->third[i]) / length;
    return true;
}

static void
tangent_block(const struct tangency *tangency, const double H[9], double K[4])
{
    K[0] = mat3_quadratic(tangency->t1, H, tangency->t1);
    K[1] = K[2] =
        tangency->nt == 2 ? mat3_quadratic(tangency->t1, H, tangency->t2) : 0.0;
    K[3] =
        tangency->nt == 2 ? mat3_quadratic(tangency->t2, H, tangency->t2) : 0.0;
}

/* Gives the eigenvalues of a symmetric 2 x 2 matrix (or the entry in the
 * plane). */
static void
eigenvalues(const struct tangency *tangency, const double K[4], double k[2])
{
    if (tangency->nt == 1) {
        k[0] = K[0];
        k[1] = 0.0;
        return;
    }
    double m = (K[0] + K[3]) / 2.0, d = hypot((K[0] - K[3]) / 2.0, K[1]);
    k[0] = m + d;
    k[1] = m - d;
}

/* Solves S x = b in the tangent plane. */
static void
solve_S(const struct tangency *tangency, const double b[2], double x[2])
{
    assert(tangency->definite && (tangency->nt == 1 || tangency->nt == 2));
    const double K[3] = {tangency->S[0], tangency->S[1], tangency->S[3]};
    sym2_solve(tangency->nt, K, b, x);
}

/* Gives the second and third order seen from `one`, on whose surface the point
 * of `two` moves; e1: velocity of the deepest material point over body two (0:
 * the contact point itself). Spec 0.C: r1 = V + e1, r2 = A + 2 w2 x e1 + Y2 - 2
 * w1 x r1, D = n1.r2 + r1.H1.r1, j = n1.r3 + 3 r1.H1.r2 + T1(r1) */
static void
expand(const struct tangency_body *b1, const struct side *s1,
       const struct tangency_body *b2, const struct side *s2,
       const double e1[3], double *second, double *third, double *lean,
       double *second_size, double *third_size)
{
    double V[3], r1[3], r2[3], r3[3], Y2[3] = {0}, Y3[3] = {0};
    vec3_sub(s2->vel, s1->vel, V);
    vec3_sub(s2->acc, s1->acc, r2);
    vec3_sub(s2->jerk, s1->jerk, r3);
    vec3_copy(V, r1);
    vec3_add_scaled(1.0, e1, r1);

    /* This holds because the deepest point stays on surface 2. */
    double y2 = mat3_quadratic(e1, s2->H, e1);
    vec3_add_scaled(-y2, s2->n, Y2);
    double y3 = 3.0 * mat3_quadratic(e1, s2->H, Y2) + third_along(b2, e1);
    vec3_add_scaled(-y3, s2->n, Y3);

    vec3_add_scaled_cross(2.0, b2->spin, e1, r2);
    vec3_add_scaled(1.0, Y2, r2);
    vec3_add_scaled_cross(-2.0, b1->spin, r1, r2);

    double we[3];
    vec3_cross(b2->spin, e1, we);
    vec3_add_scaled_cross(3.0, b2->spin1, e1, r3);
    vec3_add_scaled_cross(3.0, b2->spin, we, r3);
    vec3_add_scaled_cross(3.0, b2->spin, Y2, r3);
    vec3_add_scaled(1.0, Y3, r3);
    vec3_add_scaled_cross(-3.0, b1->spin1, r1, r3);
    double wr[3];
    vec3_cross(b1->spin, r1, wr);
    vec3_add_scaled_cross(-3.0, b1->spin, wr, r3);
    vec3_add_scaled_cross(-3.0, b1->spin, r2, r3);

    *second = vec3_dot(s1->n, r2) + mat3_quadratic(r1, s1->H, r1);
    *third = vec3_dot(s1->n, r3) + 3.0 * mat3_quadratic(r1, s1->H, r2) +
             third_along(b1, r1);
    *lean = mat3_quadratic(s1->n, s1->H, r1);

    /* the sizes of the terms: absolute values, so that nothing cancels */
    double e = vec3_norm(e1), r = vec3_norm(r1), w1 = s1->spin, w2 = s2->spin;
    double q2 = s1->acc_size + s2->acc_size + 2.0 * w2 * e +
                s2->H_size * e * e + 2.0 * w1 * r;
    *second_size = q2 + s1->H_size * r * r;
    *third_size =
        s1->jerk_size + s2->jerk_size +
        3.0 * (vec3_norm(b2->spin1) + w2 * w2 + w2 * s2->H_size * e) * e +
        3.0 * s2->H_size * s2->H_size * e * e * e + s2->T_size * e * e * e +
        3.0 * (vec3_norm(b1->spin1) + w1 * w1) * r + 3.0 * w1 * q2 +
        3.0 * s1->H_size * r * q2 + s1->T_size * r * r * r;
}

/* Sets b = P[n1 x (w2 - w1) + s K V] in the tangent basis, s = 1 (Q) or -1 (P).
 */
static void
slope(const struct tangency *tangency, const double nw[3], double sign,
      const double K[4], double b[2])
{
    double u = vec3_dot(tangency->t1, tangency->V),
           w = tangency->nt == 2 ? vec3_dot(tangency->t2, tangency->V) : 0.0;
    b[0] = vec3_dot(tangency->t1, nw) + sign * (K[0] * u + K[1] * w);
    b[1] = tangency->nt == 2
               ? vec3_dot(tangency->t2, nw) + sign * (K[2] * u + K[3] * w)
               : 0.0;
}

/* Gives the curvatures along the tangents, and of the two bodies together. */
static void
curvatures(struct tangency *tangency, struct side *s1, struct side *s2)
{
    tangent_block(tangency, s1->H, s1->K);
    tangent_block(tangency, s2->H, s2->K);
    memcpy(tangency->K1, s1->K, sizeof tangency->K1);
    memcpy(tangency->K2, s2->K, sizeof tangency->K2);
    for (int i = 0; i < 4; i++)
        tangency->S[i] = s1->K[i] + s2->K[i];
    eigenvalues(tangency, tangency->K1, tangency->kappa1);
    eigenvalues(tangency, tangency->K2, tangency->kappa2);
    double k[2];
    eigenvalues(tangency, tangency->S, k);
    double least = tangency->nt == 1 ? k[0] : k[1];
    double size = s1->H_size + s2->H_size;
    tangency->definite = least > 1e-9 * size && k[0] > 0.0;
    tangency->condition = tangency->definite ? k[0] / least : INFINITY;
}

/* The discriminant D and the jerk j* as the deepest points of both bodies give
 * them, e1 = -S^-1 b (tangential.md 0.C). */
static void
discriminant_and_jerk(const struct tangency_body *one, struct side *s1,
                      const struct tangency_body *two, struct side *s2,
                      struct tangency *tangency)
{
    double x[2], e1[3], lean, sz2, sz3;
    for (int side = 0; side < 2; side++) {
        const double *b = side ? tangency->b_P : tangency->b_Q;
        solve_S(tangency, b, x);
        double most = b[0] * x[0] + b[1] * x[1];
        double second, third;
        for (int i = 0; i < 3; i++)
            e1[i] = -(x[0] * tangency->t1[i] + x[1] * tangency->t2[i]);
        if (side)
            expand(two, s2, one, s1, e1, &second, &third, &lean, &sz2, &sz3);
        else
            expand(one, s1, two, s2, e1, &second, &third, &lean, &sz2, &sz3);
        if (side) {
            tangency->max_P = most;
            tangency->D_P = tangency->a_P - most;
            tangency->jerk_P = third - 3.0 * tangency->D_P * lean;
        } else {
            tangency->max_Q = most;
            tangency->D_Q = tangency->a_Q - most;
            tangency->jerk_Q = third - 3.0 * tangency->D_Q * lean;
        }
        tangency->D_size = fmax(tangency->D_size, fmax(sz2, fabs(most)));
        /* no curvature leans along the normal, but for its rounding: of a body
         * that slides without turning no other term is left */
        double moves = vec3_norm(tangency->V) + vec3_norm(e1);
        sz3 += 3.0 * tangency->D_size * DBL_EPSILON * moves *
               (s1->H_size + s2->H_size);
        tangency->j_size = fmax(tangency->j_size, sz3);
    }
    tangency->D = (tangency->D_P + tangency->D_Q) / 2.0;
    tangency->jerk = (tangency->jerk_P + tangency->jerk_Q) / 2.0;
}

bool
tangency_compute(const struct tangency_body *one,
                 const struct tangency_body *two, bool planar,
                 struct tangency *tangency)
{
    assert(one != NULL && two != NULL && tangency != NULL);
    struct side s1, s2;
    memset(tangency, 0, sizeof *tangency);
    tangency->nt = planar ? 1 : 2;
    if (!surface(one, &s1) || !surface(two, &s2))
        return false;
    vec3_copy(s1.n, tangency->n);
    /* the normals of both bodies are opposite: their mean has the smaller
     * error */
    vec3_sub(s1.n, s2.n, tangency->n);
    double l = vec3_norm(tangency->n);
    if (!(l > 0.0))
        return false;
    for (int i = 0; i < 3; i++) {
        tangency->n[i] /= l;
        s1.n[i] = tangency->n[i];
        s2.n[i] = -tangency->n[i];
    }
    tangency_basis(tangency->n, tangency->t1, tangency->t2);
    motion_of_point(one, &s1);
    motion_of_point(two, &s2);
    vec3_sub(s2.vel, s1.vel, tangency->V);
    tangency->v = vec3_dot(tangency->n, tangency->V);
    double V[3];
    vec3_sub(two->vel, one->vel, V);
    tangency->v_size = vec3_norm(V) + s1.spin * vec3_norm(s1.rho) +
                       s2.spin * vec3_norm(s2.rho);
    /* the point lies where both surfaces are: it is rounded as its distances
     * from both bodies */
    tangency->v_abs = s1.vel_size + s2.vel_size + s1.spin * vec3_norm(s2.rho) +
                      s2.spin * vec3_norm(s1.rho);

    curvatures(tangency, &s1, &s2);

    /* slopes: b_Q = P[n1 x (w2-w1) + H1 V], b_P = P[n2 x (w1-w2) - H2 V] */
    double dw[3], nw[3];
    vec3_sub(two->spin, one->spin, dw);
    vec3_cross(tangency->n, dw, nw);
    slope(tangency, nw, 1.0, tangency->K1, tangency->b_Q);
    slope(tangency, nw, -1.0, tangency->K2, tangency->b_P);

    /* the contact points themselves: e1 = 0 */
    const double zero[3] = {0, 0, 0};
    double lean, sz2, sz3;
    expand(one, &s1, two, &s2, zero, &tangency->a_Q, &tangency->j_Q, &lean,
           &sz2, &sz3);
    tangency->D_size = sz2;
    tangency->j_size = sz3;
    expand(two, &s2, one, &s1, zero, &tangency->a_P, &tangency->j_P, &lean,
           &sz2, &sz3);
    tangency->D_size = fmax(tangency->D_size, sz2);
    tangency->j_size = fmax(tangency->j_size, sz3);
    if (!tangency->definite)
        return true;
    discriminant_and_jerk(one, &s1, two, &s2, tangency);
    return true;
}
