/* SPDX-License-Identifier: MIT */
/* A contact between plane bodies as a point with friction: at the start where
 * it is closed there, else at the first touch. */
#include <assert.h>
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/touch.h"
#include "analysis/friction/friction_priv.h"
#include "base/num.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/contact_set.h"
#include "runtime/modes/friction_rows.h"

/* room for the points of one contact */
#define POINTS_MOST 64
/* A rate of the gap below this share of the slip counts as 0, as in
 * analysis/simulate. */
#define BODIES_STILL 1e-9

static int
refuse(struct analysis *analysis, const imp_command *command, uint32_t contact,
       const char *why, const char *help)
{
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0743, command->range,
        "`painleve` asks about one point of contact in the plane; "
        "`%s` %s",
        imp_text(analysis->rt->im, rt_contact(analysis->rt, contact)->name),
        why);
    diag_help(analysis->ds, diag, "%s", help);
    return IMP_BADMODEL;
}

/* Follows the motion to the first touch, unless the contact is closed now. */
static int
bring(struct analysis *analysis, const imp_command *command, uint32_t contact,
      double *tol)
{
    struct touch touch;
    double gap, rate;
    int st = touch_gap(analysis, contact, &gap, NULL);
    if (st)
        return command_failed(analysis, st,
                              rt_contact(analysis->rt, contact)->range,
                              "the closest points");
    gap_tolerances(analysis->rt, contact, tol, &rate);
    if (gap <= *tol)
        return IMP_OK;
    if ((st = touch_find(analysis, contact, NAN, &touch)))
        return st;
    gap_tolerances(analysis->rt, contact, tol, &rate);
    if (touch.found == TOUCH_YES)
        return IMP_OK;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0709, command->range,
        "the bodies of `%s` do not touch",
        imp_text(analysis->rt->im, rt_contact(analysis->rt, contact)->name));
    diag_help(analysis->ds, diag,
              "`classify` says how far the motion was followed");
    return IMP_FAILED;
}

int
painleve_of_bodies(struct analysis *analysis, const imp_command *command,
                   uint32_t contact, double at, struct painleve_instant *out)
{
    assert(analysis != NULL && command != NULL && out != NULL);
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, contact);
    struct contact_point spot[POINTS_MOST];
    double tol;
    int st;
    if (run->im->dim != 2)
        return refuse(analysis, command, contact, "is in space",
                      "in space slip has a direction, and friction of bodies "
                      "there is not available yet");
    if (isfinite(at) && at != 0.0)
        return refuse(analysis, command, contact,
                      "is between bodies, which are asked about at the start "
                      "or at their first touch",
                      "leave `at` out, or give the bodies the state of that "
                      "time");
    if (image_contact->flags & IMP_CONTACTF_STATED)
        return refuse(analysis, command, contact, "is stated by `at`",
                      "leave `at` and `normal` out: the shapes give them");
    if ((st = bring(analysis, command, contact, &tol)))
        return st;
    int n = contact_set_points(run, contact, tol, spot, POINTS_MOST);
    if (n != 1)
        return refuse(analysis, command, contact,
                      n > 1 ? "touches at several points"
                            : "touches where its normal is not unique",
                      n > 1 ? "turn the body a little, so that one corner "
                              "touches"
                            : "state one normal in the contact");
    struct friction_rows rows = {.run = run, .n = 1, .spot = spot};
    if ((st = friction_rows_read(&rows)))
        return command_failed(analysis, st, command->range, "painleve");
    out->point = (struct painleve_point){
        .C = rows.W[0],
        .B = rows.W[1],
        .A = rows.W[3],
        .b = rows.free[0],
        .a = rows.free[1],
        .b_terms = rows.parts[0],
        .a_terms = rows.parts[1],
        .mu = rows.point[0].mu_dynamic,
        .slip = rows.point[0].slip,
        .restitution = run->env[image_contact->env_contact + IMP_CONTACT_E],
        .law = image_contact->law == IMP_LAW_POISSON ? FRICTION_POISSON
                                                     : FRICTION_ENERGETIC};
    out->time = rt_time(run);
    out->rate = rows.rate[0];
    out->gap = 0.0;
    out->closed =
        fabs(rows.rate[0]) <= BODIES_STILL * fabs(rows.rate[1]) + rows.size[0];
    return IMP_OK;
}
