/* SPDX-License-Identifier: MIT */
/* From the environment of a run to the plain structs of an impact problem. */
#include "runtime/impact/impact_of_run.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/geometry/pose.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

static const imp_joint *
joint_at(const struct rt *r, uint32_t j)
{
    return IMP_ARRAY(r->im, r->im->joints, imp_joint) + j;
}

/* xx yy zz xy xz yz */
static void
full(const double s[6], double a[9])
{
    const double m[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    memcpy(a, m, sizeof m);
}

/* lower L with L L^T = a */
static void
root3(const double a[9], double L[9])
{
    memset(L, 0, 9 * sizeof *L);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double s = a[3 * i + j];
            for (int k = 0; k < j; k++)
                s -= L[3 * i + k] * L[3 * j + k];
            if (i == j)
                L[4 * i] = s > 0 ? sqrt(s) : 0;
            else
                L[3 * i + j] = L[4 * j] > 0 ? s / L[4 * j] : 0;
        }
}

static void
read_body(const struct rt *r, uint32_t body, struct impact_body *o)
{
    const imp_body *b = rt_body(r, body);
    const double *k = r->env + b->env_body, *s = r->env + b->env_state;
    bool plane = r->im->dim == 2;
    double R[9], L[9];
    memset(o, 0, sizeof *o);
    pose_rotation(r, body, R);
    if (plane) {
        memcpy(o->centre, s, 2 * sizeof *s);
        memcpy(o->vel, s + 3, 2 * sizeof *s);
        o->spin[2] = s[5];
    } else {
        memcpy(o->centre, s, 3 * sizeof *s);
        memcpy(o->vel, s + 7, 3 * sizeof *s);
        mat3_apply(R, s + 10, o->spin);
    }
    if (!(k[IMP_BODY_INVMASS] > 0))
        return;
    o->mass = k[IMP_BODY_MASS];
    o->invmass = k[IMP_BODY_INVMASS];
    if (plane) {
        o->inroot[8] = sqrt(k[IMP_BODY_INERTIA]);
        o->root[8] = sqrt(k[IMP_BODY_INVINERTIA]);
        return;
    }
    double a[9];
    full(k + IMP_BODY_INVINERTIA, a);
    root3(a, L);
    mat3_product(R, L, o->root);
    full(k + IMP_BODY_INERTIA, a);
    root3(a, L);
    mat3_product(R, L, o->inroot);
}

static void
read_joint(const struct rt *r, const imp_joint *j, struct impact_joint *o)
{
    const double *e = r->env + j->env_joint;
    double axis[3], axis2[3], user[36];
    uint32_t carrier = j->body[0] == IMP_WORLD ? j->body[1] : j->body[0];
    pose_carry(r, carrier, false, e + IMP_JOINT_AT, o->at);
    pose_carry(r, carrier, true, e + IMP_JOINT_AXIS, axis);
    pose_carry(r, j->body[1], true, e + IMP_JOINT_AXIS2, axis2);
    for (uint32_t i = 0; i < 2 * j->n_user && i < 12; i++)
        pose_carry(r, carrier, true, e + IMP_JOINT_USER + 3 * i, user + 3 * i);
    impact_joint_rows(o, (enum imp_joint_kind)j->kind, axis, axis2, user,
                      (int)j->n_user, r->im->dim == 2);
}

/* Shapes that contain t: what the rate of the gap is beyond that of the points
 * as points of the bodies */
static int
read_recede(struct rt *r, uint32_t c, double *recede)
{
    const imp_contact *k = rt_contact(r, c);
    struct closest_points cl;
    double h, gap[2];
    *recede = 0;
    if (!((rt_body(r, k->body[0])->flags | rt_body(r, k->body[1])->flags) &
          IMP_BODYF_GTIME))
        return IMP_OK;
    int st = closest_points_find(r, c, &cl, true);
    if (!st)
        st = motion_series_all(r, 1, &h);
    if (!st)
        st = contact_gap_series(r, c, 1, gap);
    if (!st)
        *recede = gap[1] - gap_rate(r, c, &cl);
    return st;
}

/* bodies with corners: a contact of the problem per point; *n grows */
static int
read_corners(struct rt *r, uint32_t c, struct impact_contact *o, uint32_t *n,
             struct impact_of_run *out)
{
    struct contact_manifold *t = NEW(r->brief, struct contact_manifold);
    struct impact_contact one = *o;
    double tol, rate;
    gap_tolerances(r, c, &tol, &rate);
    int st = polytope_contact_manifold(r, c, tol, t);
    if (st)
        return st;
    if (t->kind == MANIFOLD_OPEN && !t->stated) {
        if (out->open == IMP_WORLD) {
            out->open = c;
            out->choice = t;
        }
        return IMP_OK;
    }
    /* only smooth bodies have surfaces that move: one point */
    if ((st = read_recede(r, c, &one.recede)))
        return st;
    memcpy(one.dir, t->n, sizeof one.dir);
    for (int i = 0; i < t->n_point; i++) {
        memcpy(one.p, t->P[i], sizeof one.p);
        memcpy(one.q, t->Q[i], sizeof one.q);
        out->contact[*n] = c;
        *o++ = one;
        (*n)++;
    }
    out->p.tolerance = IMPACT_SHAPE_TOLERANCE;
    return IMP_OK;
}

static int
read_contact(struct rt *r, uint32_t c, struct impact_contact *o, uint32_t *n,
             struct impact_of_run *out)
{
    const imp_contact *k = rt_contact(r, c);
    const double *e = r->env + k->env_contact;
    o->e = e[IMP_CONTACT_E];
    o->priority = k->flags & IMP_CONTACTF_PRIORITY ? e[IMP_CONTACT_PRIORITY]
                                                   : (double)INFINITY;
    if (k->flags & IMP_CONTACTF_CORNERS)
        return read_corners(r, c, o, n, out);
    out->contact[(*n)++] = c;
    if (k->flags & IMP_CONTACTF_STATED) {
        uint32_t carrier = k->body[0];
        if (carrier != IMP_WORLD && k->body[1] != IMP_WORLD &&
            rt_body(r, carrier)->flags & IMP_BODYF_FIXED)
            carrier = k->body[1];
        pose_carry(r, carrier, false, e + IMP_CONTACT_AT, o->p);
        memcpy(o->q, o->p, sizeof o->q);
        pose_carry(r, carrier, true, e + IMP_CONTACT_DIRECTION, o->dir);
        return IMP_OK;
    }
    struct closest_points cl;
    int st = closest_points_find(r, c, &cl, true);
    if (st)
        return st;
    memcpy(o->p, cl.P, sizeof o->p);
    memcpy(o->q, cl.Q, sizeof o->q);
    memcpy(o->dir, cl.n, sizeof o->dir);
    out->p.tolerance = IMPACT_SHAPE_TOLERANCE;
    return read_recede(r, c, &o->recede);
}

/* a body's number in the problem, entered when it is new */
static uint32_t
enter(struct impact_of_run *o, uint32_t *of, uint32_t body)
{
    if (body == IMP_WORLD)
        return IMP_WORLD;
    if (of[body] == IMP_WORLD) {
        of[body] = o->p.n_body;
        o->body[o->p.n_body++] = body;
    }
    return of[body];
}

static bool
moves(const struct rt *r, const uint32_t *of, uint32_t body)
{
    return body != IMP_WORLD && of[body] != IMP_WORLD &&
           !(rt_body(r, body)->flags & IMP_BODYF_FIXED);
}

int
impact_of_run_read(struct rt *r, const uint32_t *contact, uint32_t n,
                   struct impact_of_run *out)
{
    const imp_image *im = r->im;
    uint32_t nb = im->bodies.n, nj = im->joints.n;
    uint32_t *of = NEW_N(r->brief, uint32_t, nb + 1);
    bool *in = NEW_N(r->brief, bool, nj + 1);
    uint32_t room = n + 1, rows = 0;
    for (uint32_t i = 0; i < n; i++)
        if (rt_contact(r, contact[i])->flags & IMP_CONTACTF_CORNERS)
            room += MANIFOLD_POINTS;
    struct impact_contact *c = NEW_N(r->brief, struct impact_contact, room);
    memset(out, 0, sizeof *out);
    out->open = IMP_WORLD;
    out->contact = NEW_N(r->brief, uint32_t, room);
    out->body = NEW_N(r->brief, uint32_t, nb + 1);
    out->joint = NEW_N(r->brief, uint32_t, nj + 1);
    for (uint32_t b = 0; b < nb; b++)
        of[b] = IMP_WORLD;
    for (uint32_t i = 0; i < n; i++) {
        const imp_contact *k = rt_contact(r, contact[i]);
        for (int s = 0; s < 2; s++)
            c[rows].body[s] = enter(out, of, k->body[s]);
        int st = read_contact(r, contact[i], &c[rows], &rows, out);
        if (st)
            return st;
    }
    for (uint32_t b = 0; b < nb && n == 0; b++)
        enter(out, of, b);
    /* bodies that joints connect to those there are */
    for (bool more = true; more;) {
        more = false;
        for (uint32_t j = 0; j < nj; j++) {
            const imp_joint *k = joint_at(r, j);
            if (in[j] ||
                (!moves(r, of, k->body[0]) && !moves(r, of, k->body[1])))
                continue;
            in[j] = more = true;
            for (int s = 0; s < 2; s++)
                enter(out, of, k->body[s]);
        }
    }
    struct impact_body *b = NEW_N(r->brief, struct impact_body, nb + 1);
    struct impact_joint *q = NEW_N(r->brief, struct impact_joint, nj + 1);
    for (uint32_t i = 0; i < out->p.n_body; i++)
        read_body(r, out->body[i], &b[i]);
    for (uint32_t j = 0; j < nj; j++)
        if (in[j]) {
            const imp_joint *k = joint_at(r, j);
            struct impact_joint *o = &q[out->p.n_joint];
            read_joint(r, k, o);
            for (int s = 0; s < 2; s++)
                o->body[s] = enter(out, of, k->body[s]);
            out->joint[out->p.n_joint++] = j;
        }
    out->p.body = b;
    out->p.joint = q;
    out->p.contact = c;
    out->p.n_contact = rows;
    return IMP_OK;
}

void
impact_of_run_write(struct rt *r, const struct impact_of_run *in,
                    const double *twist)
{
    bool plane = r->im->dim == 2;
    for (uint32_t i = 0; i < in->p.n_body; i++) {
        const imp_body *b = rt_body(r, in->body[i]);
        const double *t = twist + 6 * i;
        double *s = r->env + b->env_state, R[9];
        if (!(in->p.body[i].invmass > 0))
            continue;
        double *low = r->state_lo
                          ? r->state_lo + (b->env_state - r->im->layout.state)
                          : NULL;
        uint32_t first = plane ? 3 : 7, k = plane ? 3 : 6;
        if (plane) {
            memcpy(s + 3, t + 3, 2 * sizeof *s);
            s[5] = t[2];
        } else {
            memcpy(s + 7, t + 3, 3 * sizeof *s);
            pose_rotation(r, in->body[i], R);
            mat3_apply_transposed(R, t, s + 10);
        }
        if (low)
            memset(low + first, 0, k * sizeof *low);
    }
}
