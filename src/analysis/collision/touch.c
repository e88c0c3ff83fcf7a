/* SPDX-License-Identifier: MIT */
/* Finding a touch and reading its coefficients: what classify, eight, impact
 * and simulate share. Coefficients come by two ways that share no routine: the
 * paper's formulas (tangency_formulas.c, from kinematics and derivatives of G)
 * and the jet of the gap (implicit series of the closest points). touch_agree
 * compares them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/geometry/pose.h"
#include "runtime/motion/body_kinematics.h"
#include "runtime/motion/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

/* -- reading --------------------------------------------------------------- */

int
touch_gap(struct analysis *a, uint32_t contact, double *gap, double *rate)
{
    struct closest_points cl;
    double h, jet[2];
    int st = closest_points_find(a->rt, contact, &cl, true);
    if (st)
        return st;
    *gap = cl.gap;
    if (!rate)
        return IMP_OK;
    if ((st = motion_series_all(a->rt, 1, &h)) ||
        (st = contact_gap_series(a->rt, contact, 1, jet)))
        return st;
    *rate = jet[1];
    return IMP_OK;
}

/* outputs of the g3 tape, planar or not, into the plain arrays */
static void
derivatives(bool plane, const double *g, struct tangency_body *b)
{
    static const int sym2[4] = {0, 2, 2, 1};
    memset(b->hess, 0, sizeof b->hess);
    memset(b->third, 0, sizeof b->third);
    if (plane) {
        /* G x y | xx yy xy | xxx xxy xyy yyy */
        b->grad[0] = g[1];
        b->grad[1] = g[2];
        b->grad[2] = 0.0;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                b->hess[3 * i + j] = g[3 + sym2[2 * i + j]];
        b->third[0] = g[6];
        b->third[1] = g[7];
        b->third[3] = g[8];
        b->third[6] = g[9];
        return;
    }
    /* G x y z | xx yy zz xy xz yz | ten third derivatives */
    static const int sym3[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int i = 0; i < 3; i++)
        b->grad[i] = g[1 + i];
    for (int i = 0; i < 9; i++)
        b->hess[i] = g[4 + sym3[i]];
    memcpy(b->third, g + 10, sizeof b->third);
}

/* plain arrays of one body at a point of its surface; NULL, or why the
 * formulas do not apply */
static const char *
body_data(struct analysis *a, uint32_t body, const double point[3],
          struct tangency_body *tb)
{
    struct rt *r = a->rt;
    const imp_body *b = rt_body(r, body);
    bool plane = r->im->dim == 2;
    if (b->flags & IMP_BODYF_GTIME)
        return "the formulas hold for surfaces that do not change in time: t "
               "stands in a level set";
    if (b->g3 == IMP_NO_TAPE)
        return "a level set has no third derivatives";
    memset(tb, 0, sizeof *tb);
    double k[18], g[20], local[3] = {0}, d[3];
    if (body_kinematics(r, body, k))
        return "the motion of a body has no finite derivatives";
    const double *s = r->env + b->env_state;
    for (int i = 0; i < 3; i++) {
        tb->point[i] = point[i];
        tb->centre[i] = plane && i == 2 ? 0.0 : s[i];
        tb->vel[i] = k[i];
        tb->acc[i] = k[3 + i];
        tb->jerk[i] = k[6 + i];
        tb->spin[i] = k[9 + i];
        tb->spin1[i] = k[12 + i];
        tb->spin2[i] = k[15 + i];
    }
    pose_attitude(plane, s, tb->rot);
    vec3_sub(point, tb->centre, d);
    for (int i = 0; i < 3; i++) {
        local[i] =
            tb->rot[i] * d[0] + tb->rot[3 + i] * d[1] + tb->rot[6 + i] * d[2];
        local[i] += r->env[b->env_body + IMP_BODY_CENTRE + (uint32_t)i];
    }
    if (rt_eval(r, b->g3, local, g))
        return "a level set has no finite third derivatives at the contact";
    derivatives(plane, g, tb);
    return NULL;
}

/* A corner or an edge on a corner or an edge leaves the normal open: the series
 * along the choice in which the bodies approach fastest tells what happens, or
 * part fastest where they approach under none. */
static int
open_touch(struct analysis *a, struct touch *t, int order)
{
    struct rt *r = a->rt;
    struct normal_choices o;
    double h;
    if (!(rt_contact(r, t->contact)->flags & IMP_CONTACTF_CORNERS) ||
        !(fabs(t->gap) <= t->gap_tol))
        return IMP_OK;
    struct contact_manifold *c = NEW(r->arena, struct contact_manifold);
    int st = polytope_contact_manifold(r, t->contact, t->gap_tol, c);
    if (st || c->kind != MANIFOLD_OPEN)
        return st;
    t->open = !c->stated;
    if ((st = normal_choices_read(a, t->contact, c, &o)) ||
        (st = motion_series_all(r, order, &h)))
        return st == IMP_NONFINITE ? IMP_OK : st;
    t->open_text = normal_choices_text(&o);
    /* nothing drives them together: one that parts them is the gap's */
    int best = 0, sign = !o.closing && !o.pressed && o.apart ? -1 : 1;
    for (int i = 1; i < o.n; i++) {
        double dv = sign * (o.v[i] - o.v[best]);
        if (dv < -o.v_tol ||
            (dv <= o.v_tol && sign * (o.D[i] - o.D[best]) < 0.0))
            best = i;
    }
    if (polytope_choice_series(r, t->contact, order, c, best, t->jet))
        return IMP_OK;
    t->order = order;
    t->no_jet = NULL;
    vec3_copy(c->stated ? c->n : c->choice[best], t->n);
    return IMP_OK;
}

int
touch_read(struct analysis *a, struct touch *t, int order)
{
    struct rt *r = a->rt;
    const imp_contact *ct = rt_contact(r, t->contact);
    struct closest_points cl;
    int st = closest_points_find(r, t->contact, &cl, true);
    if (st)
        return command_failed(a, st, ct->range, "the closest points");
    t->time = rt_time(r);
    t->gap = cl.gap;
    vec3_copy(cl.P, t->P);
    vec3_copy(cl.Q, t->Q);
    vec3_copy(cl.n, t->n);

    struct tangency_body one, two;
    /* features of polytopes have no curvatures: the series tells all */
    t->no_formulas = ct->flags & IMP_CONTACTF_CORNERS
                         ? "corners have no curvature"
                         : body_data(a, ct->body[0], cl.P, &one);
    if (!t->no_formulas)
        t->no_formulas = body_data(a, ct->body[1], cl.Q, &two);
    t->formulas =
        !t->no_formulas && tangency_compute(&one, &two, r->im->dim == 2, &t->t);
    if (!t->no_formulas && !t->formulas)
        t->no_formulas = "the gradient of a level set vanishes at the contact";

    double h;
    t->order = order;
    t->no_jet = NULL;
    if ((st = motion_series_all(r, order, &h)))
        return st;
    st = contact_gap_series(r, t->contact, order, t->jet);
    if (st == IMP_NONFINITE) {
        /* a kink: lower orders may still be there */
        for (t->order = order - 1; t->order >= 1; t->order--)
            if (!contact_gap_series(r, t->contact, t->order, t->jet))
                break;
        t->no_jet = "the gap has a kink here: its series ends";
        if (t->order < 1)
            t->order = -1;
    } else if (st) {
        return command_failed(a, st, ct->range, "the series of the gap");
    }
    if ((st = open_touch(a, t, order)))
        return st;
    if (t->formulas && !t->t.definite) {
        struct diag *d = diag_add(a->ds, DIAG_E0707, ct->range,
                                  "the bodies of `%s` are flat (or hollow) "
                                  "where they touch",
                                  imp_text(r->im, ct->name));
        char k1[NUM_TEXT], k2[NUM_TEXT];
        int last = t->t.nt - 1;
        diag_note(a->ds, d, IMP_NOWHERE,
                  "smallest principal curvatures: %s and %s 1/m; their sum "
                  "must be positive in every direction",
                  num_digits(k1, t->t.kappa1[last], 6),
                  num_digits(k2, t->t.kappa2[last], 6));
        diag_help(a->ds, d,
                  "turn the bodies a little, or use shapes that are "
                  "curved there");
        return IMP_FAILED;
    }
    if (!t->formulas && t->order < 3) {
        diag_add(a->ds, DIAG_E0700, ct->range,
                 "neither the formulas nor the series of the gap apply to this "
                 "touch: %s; %s",
                 t->no_formulas, t->no_jet);
        return IMP_FAILED;
    }
    return IMP_OK;
}
