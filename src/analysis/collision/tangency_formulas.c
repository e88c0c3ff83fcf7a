/* SPDX-License-Identifier: MIT */
/* Palffy-Muhoray, Virga, Wilkinson, Zheng 2018, corrected as in the project's
 * notes (0.B, 0.C). P on body 1, Q on body 2, n1 outward normal of body 1.
 *
 * All inverses of K1 + K2 are taken in the tangent plane: a raw level-set
 * Hessian has normal-tangential terms that do not belong to it. The third
 * order needs the third derivatives of G, which the paper's truncation drops.
 *
 * F = G/|grad G| with the gradient at the contact point agrees with the signed
 * distance to second order where v = 0. At third order it differs by
 * 3 D (n.H.r1), the change of |grad G| along the way of the deepest point r1:
 * this is taken off jerk_P and jerk_Q, so that j* is the third derivative of
 * the true gap also where D is not 0. j_P and j_Q stay as the paper's F has
 * them. */
#include "analysis/collision/tangency_formulas.h"

#include <float.h>
#include <string.h>

#include "runtime/numerics/vec3.h"

/* tangents of a normal as in the record of `eight` */
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

/* what one body brings: quantities of its surface and its point */
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

/* third derivative of G/|grad G| in direction u (world) */
static double
third_along(const struct tangency_body *b, const double u[3])
{
    double w[3], g = vec3_norm(b->grad);
    mat3_apply_transposed(b->rot, u, w);
    double x = w[0], y = w[1], z = w[2];
    const double *t = b->third;
    return (t[0] * x * x * x + t[6] * y * y * y + t[9] * z * z * z +
            3.0 * (t[1] * x * x * y + t[2] * x * x * z + t[3] * x * y * y +
                   t[5] * x * z * z + t[7] * y * y * z + t[8] * y * z * z) +
            6.0 * t[4] * x * y * z) /
           g;
}

/* point velocity, acceleration and jerk of a material point, spec 0.B: jerk =
 * jerk_c + w2 x rho + 2 w1 x (w x rho) + w x acc(rho) */
static void
motion_of_point(const struct tangency_body *b, struct side *s)
{
    double wr[3], a[3];
    vec3_sub(b->point, b->centre, s->rho);
    vec3_cross(b->spin, s->rho, wr);
    vec3_copy(b->vel, s->vel);
    vec3_add_scaled(1.0, wr, s->vel);
    vec3_cross(b->spin1, s->rho, a);
    vec3_add_scaled_cross(1.0, b->spin, wr, a);
    vec3_copy(b->acc, s->acc);
    vec3_add_scaled(1.0, a, s->acc);
    vec3_copy(b->jerk, s->jerk);
    vec3_add_scaled_cross(1.0, b->spin2, s->rho, s->jerk);
    vec3_add_scaled_cross(2.0, b->spin1, wr, s->jerk);
    vec3_add_scaled_cross(1.0, b->spin, a, s->jerk);
    double w = vec3_norm(b->spin), w1 = vec3_norm(b->spin1),
           w2 = vec3_norm(b->spin2), r = vec3_norm(s->rho),
           ar = (w1 + w * w) * r;
    s->spin = w;
    s->vel_size = vec3_norm(b->vel) + w * r;
    s->acc_size = vec3_norm(b->acc) + ar;
    s->jerk_size = vec3_norm(b->jerk) + w2 * r + 2.0 * w1 * w * r + w * ar;
}

static bool
surface(const struct tangency_body *b, struct side *s)
{
    double g = vec3_norm(b->grad);
    if (!(g > 0.0) || !isfinite(g))
        return false;
    double rh[9];
    for (int i = 0; i < 3; i++)
        s->n[i] = vec3_dot(b->rot + 3 * i, b->grad) / g;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            rh[3 * i + j] = b->rot[3 * i] * b->hess[j] +
                            b->rot[3 * i + 1] * b->hess[3 + j] +
                            b->rot[3 * i + 2] * b->hess[6 + j];
    s->H_size = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            s->H[3 * i + j] = vec3_dot(rh + 3 * i, b->rot + 3 * j) / g;
            s->H_size += s->H[3 * i + j] * s->H[3 * i + j];
        }
    s->H_size = sqrt(s->H_size);
    s->T_size = 0.0;
    for (int i = 0; i < 10; i++)
        s->T_size += fabs(b->third[i]) / g;
    return true;
}

static void
tangent_block(const struct tangency *t, const double H[9], double K[4])
{
    K[0] = mat3_quadratic(t->t1, H, t->t1);
    K[1] = K[2] = t->nt == 2 ? mat3_quadratic(t->t1, H, t->t2) : 0.0;
    K[3] = t->nt == 2 ? mat3_quadratic(t->t2, H, t->t2) : 0.0;
}

/* eigenvalues of a symmetric 2 x 2 (or the entry in the plane) */
static void
eigenvalues(const struct tangency *t, const double K[4], double k[2])
{
    if (t->nt == 1) {
        k[0] = K[0];
        k[1] = 0.0;
        return;
    }
    double m = (K[0] + K[3]) / 2.0, d = hypot((K[0] - K[3]) / 2.0, K[1]);
    k[0] = m + d;
    k[1] = m - d;
}

/* S x = b in the tangent plane */
static void
solve_S(const struct tangency *t, const double b[2], double x[2])
{
    const double K[3] = {t->S[0], t->S[1], t->S[3]};
    sym2_solve(t->nt, K, b, x);
}

/* second and third order seen from `one`, on whose surface the point of `two`
 * moves; e1: velocity of the deepest material point over body two (0: the
 * contact point itself). Spec 0.C:
 *   r1 = V + e1, r2 = A + 2 w2 x e1 + Y2 - 2 w1 x r1,
 *   D = n1.r2 + r1.H1.r1, j = n1.r3 + 3 r1.H1.r2 + T1(r1) */
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

    /* the deepest point stays on surface 2 */
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

    /* the sizes of the terms, nothing cancelled */
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

/* b = P[n1 x (w2 - w1) + s K V] in the tangent basis, s = 1 (Q) or -1 (P) */
static void
slope(const struct tangency *t, const double nw[3], double sign,
      const double K[4], double b[2])
{
    double u = vec3_dot(t->t1, t->V),
           w = t->nt == 2 ? vec3_dot(t->t2, t->V) : 0.0;
    b[0] = vec3_dot(t->t1, nw) + sign * (K[0] * u + K[1] * w);
    b[1] =
        t->nt == 2 ? vec3_dot(t->t2, nw) + sign * (K[2] * u + K[3] * w) : 0.0;
}

/* curvatures along the tangents, and of the two bodies together */
static void
curvatures(struct tangency *t, struct side *s1, struct side *s2)
{
    tangent_block(t, s1->H, s1->K);
    tangent_block(t, s2->H, s2->K);
    memcpy(t->K1, s1->K, sizeof t->K1);
    memcpy(t->K2, s2->K, sizeof t->K2);
    for (int i = 0; i < 4; i++)
        t->S[i] = s1->K[i] + s2->K[i];
    eigenvalues(t, t->K1, t->kappa1);
    eigenvalues(t, t->K2, t->kappa2);
    double k[2];
    eigenvalues(t, t->S, k);
    double least = t->nt == 1 ? k[0] : k[1];
    double size = s1->H_size + s2->H_size;
    t->definite = least > 1e-9 * size && k[0] > 0.0;
    t->condition = t->definite ? k[0] / least : INFINITY;
}

/* the deepest points: e1 = -S^-1 b */
static void
deepest(const struct tangency_body *one, struct side *s1,
        const struct tangency_body *two, struct side *s2, struct tangency *t)
{
    double x[2], e1[3], lean, sz2, sz3;
    for (int side = 0; side < 2; side++) {
        const double *b = side ? t->b_P : t->b_Q;
        solve_S(t, b, x);
        double most = b[0] * x[0] + b[1] * x[1];
        double second, third;
        for (int i = 0; i < 3; i++)
            e1[i] = -(x[0] * t->t1[i] + x[1] * t->t2[i]);
        if (side)
            expand(two, s2, one, s1, e1, &second, &third, &lean, &sz2, &sz3);
        else
            expand(one, s1, two, s2, e1, &second, &third, &lean, &sz2, &sz3);
        if (side) {
            t->max_P = most;
            t->D_P = t->a_P - most;
            t->jerk_P = third - 3.0 * t->D_P * lean;
        } else {
            t->max_Q = most;
            t->D_Q = t->a_Q - most;
            t->jerk_Q = third - 3.0 * t->D_Q * lean;
        }
        t->D_size = fmax(t->D_size, fmax(sz2, fabs(most)));
        t->j_size = fmax(t->j_size, sz3);
    }
    t->D = (t->D_P + t->D_Q) / 2.0;
    t->jerk = (t->jerk_P + t->jerk_Q) / 2.0;
}

bool
tangency_compute(const struct tangency_body *one,
                 const struct tangency_body *two, bool planar,
                 struct tangency *t)
{
    struct side s1, s2;
    memset(t, 0, sizeof *t);
    t->nt = planar ? 1 : 2;
    if (!surface(one, &s1) || !surface(two, &s2))
        return false;
    vec3_copy(s1.n, t->n);
    /* both normals are one direction: the mean has the smaller error */
    vec3_sub(s1.n, s2.n, t->n);
    double l = vec3_norm(t->n);
    if (!(l > 0.0))
        return false;
    for (int i = 0; i < 3; i++) {
        t->n[i] /= l;
        s1.n[i] = t->n[i];
        s2.n[i] = -t->n[i];
    }
    tangency_basis(t->n, t->t1, t->t2);
    motion_of_point(one, &s1);
    motion_of_point(two, &s2);
    vec3_sub(s2.vel, s1.vel, t->V);
    t->v = vec3_dot(t->n, t->V);
    double V[3];
    vec3_sub(two->vel, one->vel, V);
    t->v_size = vec3_norm(V) + s1.spin * vec3_norm(s1.rho) +
                s2.spin * vec3_norm(s2.rho);
    t->v_abs = s1.vel_size + s2.vel_size;

    curvatures(t, &s1, &s2);

    /* slopes: b_Q = P[n1 x (w2-w1) + H1 V], b_P = P[n2 x (w1-w2) - H2 V] */
    double dw[3], nw[3];
    vec3_sub(two->spin, one->spin, dw);
    vec3_cross(t->n, dw, nw);
    slope(t, nw, 1.0, t->K1, t->b_Q);
    slope(t, nw, -1.0, t->K2, t->b_P);

    /* the contact points themselves: e1 = 0 */
    const double zero[3] = {0, 0, 0};
    double lean, sz2, sz3;
    expand(one, &s1, two, &s2, zero, &t->a_Q, &t->j_Q, &lean, &sz2, &sz3);
    t->D_size = sz2;
    t->j_size = sz3;
    expand(two, &s2, one, &s1, zero, &t->a_P, &t->j_P, &lean, &sz2, &sz3);
    t->D_size = fmax(t->D_size, sz2);
    t->j_size = fmax(t->j_size, sz3);
    if (!t->definite)
        return true;
    deepest(one, &s1, two, &s2, t);
    return true;
}
