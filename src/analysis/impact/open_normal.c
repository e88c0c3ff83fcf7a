/* SPDX-License-Identifier: MIT */
/* The message on a normal that is not unique: which features touch, the choices
 * of the normal, what the bodies do along each, and how to state one (I4). */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/collision/normal_choices.h"
#include "analysis/impact/impact_priv.h"
#include "base/num.h"
#include "runtime/features/rounded_corner.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/geometry/pose.h"

/* Directions are shown with 6 digits. */
#define SHOWN 1e-6

/* Returns the feature of a body that touches, with its article. */
static const char *
feature_name(const struct rt *run, unsigned char kind)
{
    switch (kind) {
    case FEATURE_VERTEX:
        return "a corner";
    case FEATURE_EDGE:
        return "an edge";
    case FEATURE_FACE:
        return run->im->dim == 2 ? "a side" : "a face";
    default:
        return "the surface";
    }
}

/* A unit vector, without the rounding of what is 0. */
static const char *
direction(const struct rt *run, const double n[3])
{
    char x[3][NUM_TEXT];
    for (int i = 0; i < 3; i++)
        num_digits(x[i], fabs(n[i]) <= 4 * DBL_EPSILON ? 0.0 : n[i], 6);
    return run->im->dim == 2
               ? arena_printf(run->brief, "(%s, %s)", x[0], x[1])
               : arena_printf(run->brief, "(%s, %s, %s)", x[0], x[1], x[2]);
}

/* Shows how a direction between the choices is stated: as it was at the start,
 * in the axes of the world. */
static void
show_statement(struct analysis *analysis, struct diag *diag,
               const imp_contact *contact,
               const struct contact_manifold *manifold)
{
    struct rt *run = analysis->rt;
    const char *name[2], *own = imp_text(run->im, contact->name);
    double between[3] = {0, 0, 0}, stated[3];
    for (int s = 0; s < 2; s++)
        name[s] = imp_text(run->im, rt_body(run, contact->body[s])->name);
    for (int choice = 0; choice < manifold->n_choice; choice++)
        for (int i = 0; i < 3; i++)
            between[i] += manifold->choice[choice].n[i] / manifold->n_choice;
    pose_turn_back(run, contact->body[0], between, stated);
    bool turned = false;
    for (int i = 0; i < 3; i++)
        turned |= fabs(stated[i] - between[i]) > SHOWN;
    diag_help(
        analysis->ds, diag,
        "state one between these in the contact: contact %s : %s | %s { "
        "normal = %s }%s%s",
        strchr(own, '|') ? arena_printf(run->brief, "%s_%s", name[0], name[1])
                         : own,
        name[0], name[1], manifold->n_choice ? direction(run, stated) : "...",
        turned ? arena_printf(run->brief,
                              ", as it was at the start: it turns with "
                              "`%s`",
                              name[0])
               : "",
        manifold->corners && run->corners == CORNERS_REPORT
            ? "; or take corners as rounded: world { corners = rounded }"
            : "");
    if (manifold->corners && run->corners == CORNERS_ROUNDED)
        diag_note(analysis->ds, diag, IMP_NOWHERE,
                  "rounded corners have no normal either where they rest on "
                  "each other, or on two others, and nothing says from where "
                  "they have come");
}

void
impact_report_open_normal(struct analysis *analysis,
                          const struct impact_of_run *problem,
                          enum diag_code code, imp_range where)
{
    assert(analysis != NULL && problem != NULL);
    assert(problem->open != IMP_WORLD && problem->choice != NULL);
    struct rt *run = analysis->rt;
    const imp_contact *image_contact = rt_contact(run, problem->open);
    const struct contact_manifold *manifold = problem->choice;
    struct normal_choices choices;
    const char *name[2], *of[2];
    char at[NUM_TEXT];
    for (int s = 0; s < 2; s++) {
        name[s] = imp_text(run->im, rt_body(run, image_contact->body[s])->name);
        of[s] = feature_name(run, manifold->pair.kind[s]);
    }
    struct diag *diag = diag_add(
        analysis->ds, code, image_contact->range,
        "the normal of `%s` is set-valued: %s of `%s` touches %s of "
        "`%s`%s",
        imp_text(run->im, image_contact->name), of[0], name[0], of[1], name[1],
        manifold->pair.kind[0] == FEATURE_EDGE &&
                manifold->pair.kind[1] == FEATURE_EDGE
            ? ", along it"
            : "");
    diag_note(analysis->ds, diag, where, "asked here, at t = %s s",
              rt_told(at, rt_time(run), 9));
    bool known =
        !normal_choices_read(analysis, problem->open, manifold, &choices);
    for (int choice = 0; choice < manifold->n_choice; choice++) {
        const char *normal = direction(run, manifold->choice[choice].n),
                   *velocity = "";
        char x[NUM_TEXT];
        if (known && fabs(choices.v[choice]) > choices.v_tol)
            velocity = arena_printf(run->brief, "; normal velocity %s m/s",
                                    num_digits(x, choices.v[choice], 6));
        else if (known && fabs(choices.D[choice]) > choices.D_tol)
            velocity = arena_printf(
                run->brief,
                "; normal velocity 0, the gap's second derivative %s "
                "m/s^2",
                num_digits(x, choices.D[choice], 6));
        else if (known)
            velocity = "; normal velocity 0";
        if (manifold->choice[choice].body == MANIFOLD_CROSSING)
            diag_note(
                analysis->ds, diag, IMP_NOWHERE,
                "%s: the common normal of an edge of `%s` and one of `%s`%s",
                normal, name[0], name[1], velocity);
        else
            diag_note(analysis->ds, diag, IMP_NOWHERE,
                      "%s: the normal of %s of %s`%s`%s", normal,
                      feature_name(run, FEATURE_FACE),
                      manifold->choice[choice].foreign ? "what is beside " : "",
                      name[manifold->choice[choice].body & 1u], velocity);
    }
    if (known)
        diag_note(analysis->ds, diag, IMP_NOWHERE, "%s",
                  normal_choices_text(&choices));
    show_statement(analysis, diag, image_contact, manifold);
}
