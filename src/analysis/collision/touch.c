/* SPDX-License-Identifier: MIT */
/* Reading the coefficients of a touch at the present state. They come in two
 * ways that share no routine: the formulas of the paper (tangency_formulas.c,
 * from kinematics and derivatives of G) and the series of the gap (implicit
 * series of the closest points). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "base/num.h"
#include "runtime/derivatives/body_kinematics.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/geometry/pose.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

int
touch_gap(struct analysis *analysis, uint32_t contact, double *gap,
          double *rate)
{
    assert(analysis != NULL && gap != NULL);
    assert(contact < analysis->rt->im->contacts.n);
    struct closest_points closest;
    double h, jet[2];
    int st = closest_points_find(analysis->rt, contact, &closest, true);
    if (st)
        return st;
    *gap = closest.gap;
    if (!rate)
        return IMP_OK;
    if ((st = motion_series_of(analysis->rt, contact, 1, &h)) ||
        (st = contact_gap_series(analysis->rt, contact, 1, jet)))
        return st;
    *rate = jet[1];
    return IMP_OK;
}

/* Copies the outputs of the tape g3 (the level set and its derivatives to third
 * order) into plain arrays. */
static void
derivatives(bool plane, const double *values, struct tangency_body *body)
{
    static const int sym2[4] = {0, 2, 2, 1};
    memset(body->hess, 0, sizeof body->hess);
    memset(body->third, 0, sizeof body->third);
    if (plane) {
        /* G x y | xx yy xy | xxx xxy xyy yyy */
        body->grad[0] = values[1];
        body->grad[1] = values[2];
        body->grad[2] = 0.0;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                body->hess[3 * i + j] = values[3 + sym2[2 * i + j]];
        body->third[0] = values[6];
        body->third[1] = values[7];
        body->third[3] = values[8];
        body->third[6] = values[9];
        return;
    }
    /* G x y z | xx yy zz xy xz yz | ten third derivatives */
    static const int sym3[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int i = 0; i < 3; i++)
        body->grad[i] = values[1 + i];
    for (int i = 0; i < 9; i++)
        body->hess[i] = values[4 + sym3[i]];
    memcpy(body->third, values + 10, sizeof body->third);
}

/* Fills in one body at a point of its surface. NULL, or the reason why the
 * formulas do not apply to it. */
static const char *
body_data(struct analysis *analysis, uint32_t body, const double point[3],
          struct tangency_body *tb)
{
    struct rt *run = analysis->rt;
    const imp_body *image_body = rt_body(run, body);
    bool plane = run->im->dim == 2;
    if (image_body->flags & IMP_BODYF_GTIME)
        return "the formulas hold for surfaces that do not change in time: t "
               "stands in a level set";
    if (image_body->g3 == IMP_NO_TAPE)
        return "a level set has no third derivatives";
    memset(tb, 0, sizeof *tb);
    double kinematics[18], values[20], local[3] = {0}, arm[3];
    if (body_kinematics(run, body, kinematics))
        return "the motion of a body has no finite derivatives";
    const double *state = run->env + image_body->env_state;
    for (int i = 0; i < 3; i++) {
        tb->point[i] = point[i];
        tb->centre[i] = plane && i == 2 ? 0.0 : state[i];
        tb->vel[i] = kinematics[i];
        tb->acc[i] = kinematics[3 + i];
        tb->jerk[i] = kinematics[6 + i];
        tb->spin[i] = kinematics[9 + i];
        tb->spin1[i] = kinematics[12 + i];
        tb->spin2[i] = kinematics[15 + i];
    }
    pose_attitude(plane, state, tb->rot);
    vec3_sub(point, tb->centre, arm);
    for (int i = 0; i < 3; i++) {
        local[i] = tb->rot[i] * arm[0] + tb->rot[3 + i] * arm[1] +
                   tb->rot[6 + i] * arm[2];
        local[i] +=
            run->env[image_body->env_body + IMP_BODY_CENTRE + (uint32_t)i];
    }
    if (rt_eval(run, image_body->g3, local, values))
        return "a level set has no finite third derivatives at the contact";
    derivatives(plane, values, tb);
    return NULL;
}

/* Where a corner or an edge touches a corner or an edge the normal is not
 * unique. The series along one choice then decides: the one under which the
 * bodies approach fastest or, where they approach under none, separate fastest.
 */
static int
open_touch(struct analysis *analysis, struct touch *touch, int order)
{
    struct rt *run = analysis->rt;
    struct normal_choices choices;
    double step;
    if (!(rt_contact(run, touch->contact)->flags & IMP_CONTACTF_CORNERS) ||
        !(fabs(touch->gap) <= touch->gap_tol))
        return IMP_OK;
    struct contact_manifold *manifold =
        NEW(run->arena, struct contact_manifold);
    int st = polytope_contact_manifold(run, touch->contact, touch->gap_tol,
                                       manifold);
    if (st || manifold->kind != MANIFOLD_OPEN)
        return st;
    touch->open = !manifold->stated;
    if ((st = normal_choices_read(analysis, touch->contact, manifold,
                                  &choices)) ||
        (st = motion_series_of(run, touch->contact, order, &step)))
        return st == IMP_NONFINITE ? IMP_OK : st;
    touch->open_text = normal_choices_text(&choices);
    /* No choice presses the bodies together, so one that separates them is
     * taken. */
    int best = 0,
        sign = !choices.closing && !choices.pressed && choices.apart ? -1 : 1;
    for (int i = 1; i < choices.n; i++) {
        double dv = sign * (choices.v[i] - choices.v[best]);
        if (dv < -choices.v_tol ||
            (dv <= choices.v_tol &&
             sign * (choices.D[i] - choices.D[best]) < 0.0))
            best = i;
    }
    if (polytope_choice_series(run, touch->contact, order, manifold, best,
                               touch->jet))
        return IMP_OK;
    touch->order = order;
    touch->no_jet = NULL;
    vec3_copy(manifold->stated ? manifold->n : manifold->choice[best].n,
              touch->n);
    return IMP_OK;
}

/* Leaves out the spin of a body whose surface it does not move: one that is
 * IMP_BODYF_ROUND, a fixed one, and one whose stated mass centre is that of the
 * ball in this run, which the compiler cannot know. False: it moves it. */
static bool
calm_body(const struct rt *run, uint32_t body, struct tangency_body *tb)
{
    const imp_body *image_body = rt_body(run, body);
    const double *centre = run->env + image_body->env_body + IMP_BODY_CENTRE;
    if (!(image_body->flags & IMP_BODYF_BALL) || vec3_norm(centre) > 0.0)
        return false;
    memset(tb->spin, 0, sizeof tb->spin);
    memset(tb->spin1, 0, sizeof tb->spin1);
    memset(tb->spin2, 0, sizeof tb->spin2);
    return true;
}

/* Reads the coefficients by the formulas of the paper, or the reason why they
 * do not apply. */
static void
read_formulas(struct analysis *analysis, struct touch *touch)
{
    const imp_contact *image_contact = rt_contact(analysis->rt, touch->contact);
    struct tangency_body one, two;
    /* Features of polytopes have no curvature, so only the series tells the
     * order of the touch. */
    touch->no_formulas =
        image_contact->flags & IMP_CONTACTF_CORNERS
            ? "corners have no curvature"
            : body_data(analysis, image_contact->body[0], touch->P, &one);
    if (!touch->no_formulas)
        touch->no_formulas =
            body_data(analysis, image_contact->body[1], touch->Q, &two);
    touch->formulas = !touch->no_formulas &&
                      tangency_compute(&one, &two, analysis->rt->im->dim == 2,
                                       &touch->tangency);
    touch->calm = touch->tangency;
    if (touch->formulas) {
        bool calm[2] = {calm_body(analysis->rt, image_contact->body[0], &one),
                        calm_body(analysis->rt, image_contact->body[1], &two)};
        if (calm[0] || calm[1])
            tangency_compute(&one, &two, analysis->rt->im->dim == 2,
                             &touch->calm);
    }
    if (!touch->no_formulas && !touch->formulas)
        touch->no_formulas =
            "the gradient of a level set vanishes at the contact";
    const struct tangency *of = &touch->tangency;
    double sizes = of->v_size + of->v_abs + of->D_size + of->j_size;
    if (touch->formulas && of->definite &&
        !(isfinite(of->v) && isfinite(of->D) && isfinite(of->jerk) &&
          isfinite(sizes))) {
        touch->formulas = false;
        touch->no_formulas = "speeds at the contact, or what follows from "
                             "them, are no finite numbers";
    }
}

/* Reads the coefficients by the series of the gap, as far as it exists. */
static int
read_series(struct analysis *analysis, struct touch *touch, int order)
{
    struct rt *run = analysis->rt;
    double step;
    touch->order = order;
    touch->no_jet = NULL;
    int st = motion_series_of(run, touch->contact, order, &step);
    if (st)
        return st;
    st = contact_gap_series(run, touch->contact, order, touch->jet);
    if (st == IMP_NONFINITE) {
        /* The gap has a kink, but its series may still exist to a lower order.
         */
        for (touch->order = order - 1; touch->order >= 1; touch->order--)
            if (!contact_gap_series(run, touch->contact, touch->order,
                                    touch->jet))
                break;
        touch->no_jet = "the gap has a kink here: its series ends";
        if (touch->order < 1)
            touch->order = -1;
    } else if (st) {
        return command_failed(analysis, st,
                              rt_contact(run, touch->contact)->range,
                              "the series of the gap");
    }
    return IMP_OK;
}

/* Reports E0707: the sum of the curvatures is not positive in every direction.
 */
static int
report_flat(struct analysis *analysis, const struct touch *touch)
{
    const imp_contact *image_contact = rt_contact(analysis->rt, touch->contact);
    struct diag *diag =
        diag_add(analysis->ds, DIAG_E0707, image_contact->range,
                 "the bodies of `%s` are flat (or hollow) "
                 "where they touch",
                 imp_text(analysis->rt->im, image_contact->name));
    char k1[NUM_TEXT], k2[NUM_TEXT];
    int last = touch->tangency.nt - 1;
    diag_note(analysis->ds, diag, IMP_NOWHERE,
              "smallest principal curvatures: %s and %s 1/m; their sum "
              "must be positive in every direction",
              num_digits(k1, touch->tangency.kappa1[last], 6),
              num_digits(k2, touch->tangency.kappa2[last], 6));
    diag_help(analysis->ds, diag,
              "turn the bodies a little, or use shapes that are "
              "curved there");
    return IMP_FAILED;
}

int
touch_read(struct analysis *analysis, struct touch *touch, int order)
{
    assert(analysis != NULL && touch != NULL);
    assert(order >= 1 && order <= JET_MAX);
    assert(touch->contact < analysis->rt->im->contacts.n);
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, touch->contact);
    struct closest_points closest;
    int st = closest_points_find(run, touch->contact, &closest, true);
    if (st)
        return command_failed(analysis, st, image_contact->range,
                              "the closest points");
    touch->time = rt_time(run);
    touch->gap = closest.gap;
    vec3_copy(closest.P, touch->P);
    vec3_copy(closest.Q, touch->Q);
    vec3_copy(closest.n, touch->n);
    read_formulas(analysis, touch);
    if ((st = read_series(analysis, touch, order)) ||
        (st = open_touch(analysis, touch, order)))
        return st;
    if (touch->formulas && !touch->tangency.definite)
        return report_flat(analysis, touch);
    if (!touch->formulas && touch->order < 3) {
        struct diag *diag =
            diag_add(analysis->ds, DIAG_E0700, image_contact->range,
                     "neither the formulas nor the series of the gap apply to "
                     "this touch: %s; %s",
                     touch->no_formulas, touch->no_jet);
        diag_help(analysis->ds, diag,
                  "look at speeds and shapes where the bodies touch: squares "
                  "of speeds and curvatures have to be finite numbers");
        return IMP_FAILED;
    }
    return IMP_OK;
}
