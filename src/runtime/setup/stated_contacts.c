/* SPDX-License-Identifier: MIT */
/* Set-up of stated contacts, after the bodies have their places: does the point
 * lie on the surfaces of the bodies, and does the normal point out of the first
 * and into the second? Only bodies with shapes can tell; what has none may be
 * touched anywhere. */
#include <assert.h>
#include <math.h>

#include "base/num.h"
#include "runtime/geometry/polytope.h"
#include "runtime/geometry/pose.h"
#include "runtime/numerics/vec3.h"
#include "runtime/setup/setup_priv.h"

/* A stated point may miss a surface by this share of the smaller body, and a
 * normal may miss the half-space it should lie in by this sine: data of three
 * digits pass. */
#define STATED_OFF 1e-3
/* Newton's steps from afar. Each leaves 1 - 1/p of the way where G grows like
 * the power p; p = 8 needs 50 of them for the last thousandth. */
#define FAR_STEPS 60

struct surface {
    double off;  /* the distance of the point, to first order; < 0: there is no
                    surface */
    double into; /* the least n.N over the outward normals N there; NAN: there
                    is none */
    double most; /* the greatest of these */
};

/* Point and direction of the world in the axes of the shape, about the mass
 * centre. */
static void
to_shape(const struct rt *run, const imp_body *body, const double p[3],
         const double normal[3], double point[3], double direction[3])
{
    const double *s = run->env + body->env_state;
    double offset[3] = {0}, R[9];
    int dim = (int)run->im->dim;
    for (int i = 0; i < dim; i++)
        offset[i] = p[i] - s[i];
    pose_attitude(dim == 2, s, R);
    mat3_apply_transposed(R, offset, point);
    mat3_apply_transposed(R, normal, direction);
}

static double
dot(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Of a polytope: the farthest of its planes tells how far the point is off;
 * the planes that it lies in give the normals. */
static struct surface
of_polytope(const struct polytope *p, const double x[3], const double u[3],
            double tol)
{
    double far = -INFINITY;
    struct surface found = {.into = NAN, .most = NAN};
    for (uint32_t f = 0; f < p->n_face; f++)
        far = fmax(far, dot(p->face[f].n, x, 3) - p->face[f].d);
    for (uint32_t f = 0; f < p->n_face; f++)
        if (fabs(dot(p->face[f].n, x, 3) - p->face[f].d) <= tol) {
            double c = dot(p->face[f].n, u, 3);
            found.into = fmin(found.into, c);
            found.most = fmax(found.most, c);
        }
    found.off = fabs(far);
    return found;
}

/* G and its gradient. Returns false where they are not finite. */
static bool
level(struct rt *run, const imp_body *body, const double y[3], double out[10])
{
    int d = (int)run->im->dim;
    /* second derivatives may not exist, as at the tip of a cone */
    return rt_eval(run, body->g2, y, out) == IMP_OK ||
           (isfinite(out[0]) && isfinite(dot(out + 1, out + 1, d)));
}

/* The distance to the surface: |G|/|grad G| near it; from afar the way that
 * Newton's steps along the gradient go, if they arrive. */
static struct surface
of_level_set(struct rt *run, const imp_body *body, const double x[3],
             const double direction[3], double tol)
{
    double start[3], point[3], out[10];
    struct surface surface = {.off = -1, .into = NAN, .most = NAN};
    int dim = (int)run->im->dim;
    for (int i = 0; i < 3; i++)
        start[i] = point[i] =
            x[i] + run->env[body->env_body + IMP_BODY_CENTRE + (uint32_t)i];
    if (!level(run, body, point, out))
        return surface;
    double slope2 = dot(out + 1, out + 1, dim);
    surface.off = out[0] == 0 ? 0 : fabs(out[0]) / sqrt(slope2);
    if (surface.off <= tol) {
        if (slope2 > 0)
            surface.into = surface.most =
                dot(out + 1, direction, dim) / sqrt(slope2);
        return surface;
    }
    for (int k = 0; k < FAR_STEPS && slope2 > 0; k++) {
        for (int i = 0; i < dim; i++)
            point[i] -= out[0] / slope2 * out[1 + i];
        if (!level(run, body, point, out))
            break;
        slope2 = dot(out + 1, out + 1, dim);
        if (fabs(out[0]) <= 1e-3 * tol * sqrt(slope2)) {
            double way = 0;
            for (int i = 0; i < dim; i++)
                way = hypot(way, point[i] - start[i]);
            surface.off = way;
            break;
        }
    }
    return surface;
}

static const struct polytope *
polytope_of(const struct rt *run, uint32_t body)
{
    return run->polytope ? run->polytope[body] : NULL;
}

static struct surface
surface_at(struct rt *run, uint32_t body, const double p[3], const double n[3],
           double tol)
{
    const imp_body *b = rt_body(run, body);
    double x[3], u[3];
    to_shape(run, b, p, n, x, u);
    if (polytope_of(run, body))
        return of_polytope(polytope_of(run, body), x, u, tol);
    if (b->g2 != IMP_NO_TAPE)
        return of_level_set(run, b, x, u, tol);
    return (struct surface){.off = -1, .into = NAN, .most = NAN};
}

static void
tell_off(struct rt *run, const imp_contact *contact,
         const struct surface surfaces[2], double tol, bool both)
{
    char time_text[NUM_TEXT], value_text[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, both ? DIAG_E0543 : DIAG_W0506, contact->range_at,
        both ? "the point of contact `%s` lies on neither of its bodies"
             : "the point of contact `%s` lies on one of its bodies only",
        imp_text(run->im, contact->name));
    for (int i = 0; i < 2; i++)
        if (surfaces[i].off > tol)
            diag_note(run->ds, diag, rt_body(run, contact->body[i])->range,
                      isfinite(surfaces[i].off)
                          ? "it is about %s m off the surface of `%s`"
                          : "it is %s off the surface of `%s`",
                      isfinite(surfaces[i].off)
                          ? num_digits(value_text, surfaces[i].off, 3)
                          : "far",
                      imp_text(run->im, rt_body(run, contact->body[i])->name));
    diag_help(run->ds, diag,
              "`at` is in world axes at the start, on the surfaces to %s m; "
              "bodies without a shape may be touched anywhere",
              num_digits(time_text, tol, 3));
}

int
setup_surfaces(struct rt *run, uint32_t c)
{
    assert(c < run->im->contacts.n);
    const imp_contact *contact = rt_contact(run, c);
    const double *env = run->env + contact->env_contact;
    double size = INFINITY, normal[3], len = 0;
    struct surface surfaces[2];
    if (!(contact->flags & IMP_CONTACTF_STATED))
        return IMP_OK;
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, contact->body[i]);
        double R = run->env[body->env_body + IMP_BODY_RADIUS];
        if (body->g2 != IMP_NO_TAPE || polytope_of(run, contact->body[i]))
            size = fmin(size, R);
    }
    if (!isfinite(size)) /* there is no shape, or half-spaces only */
        return IMP_OK;
    for (int i = 0; i < 3; i++)
        len = hypot(len, env[IMP_CONTACT_DIRECTION + i]);
    for (int i = 0; i < 3; i++)
        normal[i] = env[IMP_CONTACT_DIRECTION + i] / len;
    double tol = STATED_OFF * size;
    for (int i = 0; i < 2; i++)
        surfaces[i] = surface_at(run, contact->body[i], env + IMP_CONTACT_AT,
                                 normal, tol);
    bool off[2] = {surfaces[0].off > tol, surfaces[1].off > tol};
    if (off[0] || off[1]) {
        tell_off(run, contact, surfaces, tol, off[0] && off[1]);
        return off[0] && off[1] ? IMP_BADMODEL : IMP_OK;
    }
    int wrong = surfaces[0].most < -STATED_OFF  ? 0
                : surfaces[1].into > STATED_OFF ? 1
                                                : 2;
    if (wrong < 2) {
        struct diag *diag =
            diag_add(run->ds, DIAG_W0505, contact->range_direction,
                     "the normal of contact `%s` points the wrong way",
                     imp_text(run->im, contact->name));
        diag_note(run->ds, diag, rt_body(run, contact->body[wrong])->range,
                  wrong ? "it points out of `%s`, the second body"
                        : "it points into `%s`, the first body",
                  imp_text(run->im, rt_body(run, contact->body[wrong])->name));
        diag_help(run->ds, diag,
                  "a normal points from the first body to the second: change "
                  "its sign, or the order of the bodies");
    }
    return IMP_OK;
}
