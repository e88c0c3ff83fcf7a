/* SPDX-License-Identifier: MIT */
/* Brings bodies of the plane to the instant that `painleve` is asked about: the
 * start, the time `at`, or the first touch where the gap is open at the start;
 * and finds the point there. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/touch.h"
#include "analysis/friction/friction_priv.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/events/event.h"
#include "runtime/gap/tolerance.h"
#include "runtime/modes/contact_set.h"

/* room for the points of one contact */
#define POINTS_MOST 64

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
    int st = event_start_check(analysis->rt, contact, &gap);
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

/* Takes the run to the time `at`. */
static int
follow(struct analysis *analysis, const imp_command *command, uint32_t contact,
       double at)
{
    bool stopped;
    char text[NUM_TEXT];
    int st = simulation_follow(analysis, command, at, &stopped);
    if (st)
        return command_failed(analysis, st, command->range, "painleve");
    if (!stopped)
        return IMP_OK;
    struct diag *diag = diag_add(
        analysis->ds, DIAG_E0743, command->range,
        "`painleve` follows the motion to its instant, but the motion came to "
        "an end at t = %s",
        rt_told(text, rt_time(analysis->rt), 9));
    diag_note(analysis->ds, diag, rt_contact(analysis->rt, contact)->range,
              "the contact that is asked about");
    diag_help(analysis->ds, diag,
              "ask about an earlier instant, or let the motion go on, as the "
              "message above says");
    return IMP_FAILED;
}

/* What cannot be asked of this contact. */
static int
refuse_kind(struct analysis *analysis, const imp_command *command,
            uint32_t contact)
{
    const struct rt *run = analysis->rt;
    if (run->im->dim != 2)
        return refuse(analysis, command, contact, "is in space",
                      "in space slip has a direction, and friction of bodies "
                      "there is not available yet");
    if (rt_contact(run, contact)->flags & IMP_CONTACTF_STATED)
        return refuse(analysis, command, contact, "is stated by `at`",
                      "leave `at` and `normal` out: the shapes give them");
    return IMP_OK;
}

/* The points of the contact that are closed now, one or two (`most`), or, where
 * it is open, its nearest one. *gap: 0 where it is closed. */
static int
points_of(struct analysis *analysis, const imp_command *command,
          uint32_t contact, int most, struct contact_point *out, int *n,
          double *gap)
{
    struct contact_point spot[POINTS_MOST];
    double tol, rate;
    int st = touch_gap(analysis, contact, gap, NULL);
    if (st)
        return command_failed(analysis, st, command->range, "painleve");
    gap_tolerances(analysis->rt, contact, &tol, &rate);
    if (*gap <= tol)
        *gap = 0.0;
    *n = contact_set_points(analysis->rt, contact, *gap + tol, spot,
                            POINTS_MOST);
    if (*n <= 0)
        return refuse(analysis, command, contact,
                      "touches where its normal is not unique",
                      "state one normal in the contact");
    if (*n > most)
        return refuse(analysis, command, contact, "touches at several points",
                      "turn the body a little, so that one corner touches");
    memcpy(out, spot, (size_t)*n * sizeof *out);
    return IMP_OK;
}

/* Reads the points at this instant. */
static int
read_points(struct analysis *analysis, const imp_command *command,
            const struct contact_point *spot, const double *gap, int n,
            struct painleve_instant *out, struct painleve_cross *cross)
{
    int st = n == 2 ? painleve_bodies_cross(analysis->rt, spot, cross) : IMP_OK;
    for (int k = 0; k < n && !st; k++) {
        out[k].reader = painleve_bodies_reader(analysis, command, &spot[k]);
        st = out[k].reader->by->read(out[k].reader, true, &out[k]);
        out[k].time = rt_time(analysis->rt);
        out[k].gap = gap[k];
        out[k].closed &= gap[k] == 0.0;
    }
    return st ? command_failed(analysis, st, command->range, "painleve")
              : IMP_OK;
}

int
painleve_of_bodies(struct analysis *analysis, const imp_command *command,
                   double at, struct painleve_instant out[2], int *n,
                   struct painleve_cross *cross)
{
    assert(analysis != NULL && command != NULL && out != NULL && n != NULL);
    uint32_t n_contact = command->args.n;
    struct contact_point spot[2];
    assert(n_contact == 1 || n_contact == 2);
    uint32_t first = arg_contact(analysis, command, 0);
    double tol, gap[2];
    int st = IMP_OK, count;
    *n = 0;
    for (uint32_t i = 0; i < n_contact && !st; i++)
        st = refuse_kind(analysis, command, arg_contact(analysis, command, i));
    if (st)
        return st;
    if (isfinite(at) && at > 0.0)
        st = follow(analysis, command, first, at);
    else if (!isfinite(at))
        st = bring(analysis, command, first, &tol);
    for (uint32_t i = 0; i < n_contact && !st; i++) {
        st = points_of(analysis, command, arg_contact(analysis, command, i),
                       n_contact == 1 ? 2 : 1, spot + *n, &count, &gap[*n]);
        if (!st && count == 2)
            gap[1] = gap[0];
        *n += st ? 0 : count;
    }
    return st ? st : read_points(analysis, command, spot, gap, *n, out, cross);
}
