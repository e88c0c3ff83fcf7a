/* SPDX-License-Identifier: MIT */
/* See contact_compliance.h. */
#include "runtime/instance/contact_compliance.h"

#include <assert.h>
#include <math.h>

#include "base/num.h"

/* One evaluation of the law, at scaled depth and speed; out[3]: the scale. */
static int
law_at(struct rt *run, uint32_t number, double depth, double speed,
       double out[4])
{
    const imp_contact *contact = rt_contact(run, number);
    double at[2] = {depth, speed};
    assert(contact->compliance != IMP_NO_TAPE);
    int st = rt_eval(run, contact->compliance, at, out);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, contact->compliance, at);
    return st == IMP_NONFINITE ? IMP_FAILED : st;
}

int
contact_compliance_scale(struct rt *run, uint32_t number, double *scale)
{
    assert(run != NULL && scale != NULL);
    const imp_contact *contact = rt_contact(run, number);
    char text[NUM_TEXT];
    double out[4];
    int st = law_at(run, number, 0.0, 0.0, out);
    if (st)
        return st;
    *scale = out[3];
    bool wrong = !(out[3] > 0.0 && isfinite(out[3]));
    if (!wrong && !(out[0] > 0.0))
        return IMP_OK;
    struct diag *diag = diag_add(
        run->ds, DIAG_E0386, contact->range_compliance,
        wrong ? "the scale of the compliance of `%s` is %s"
              : "the compliance of `%s` pushes with %s where the contact just "
                "touches, without a speed",
        imp_text(run->im, contact->name),
        num_digits(text, out[wrong ? 3 : 0], 6));
    diag_help(run->ds, diag,
              wrong ? "a scale is positive: scale = 1e-4"
                    : "a contact that is not pressed in does not push: "
                      "(1000 [N/m])*depth + (2 [N*s/m])*speed");
    return IMP_BADMODEL;
}

int
contact_compliance_at(struct rt *run, uint32_t number, double scale, double gap,
                      double rate, double out[3])
{
    assert(run != NULL && scale > 0.0 && out != NULL);
    double all[4];
    /* a depth below 0 is rounding: powers of it have no value */
    int st = law_at(run, number, fmax(0.0 - gap / scale, 0.0),
                    0.0 - rate / sqrt(scale), all);
    for (int k = 0; k < 3; k++)
        out[k] = st ? 0.0 : all[k];
    return st;
}

int
contact_compliance_check(struct rt *run, uint32_t number, double scale,
                         double gap, double rate)
{
    assert(run != NULL && scale > 0.0);
    double out[3];
    int st = contact_compliance_at(run, number, scale, gap, rate, out);
    bool drives = out[2]<0.0, weakens = out[0]> 0.0 && !(out[1] > 0.0);
    if (st || !(drives || weakens))
        return st;
    char depth[NUM_TEXT], speed[NUM_TEXT];
    const imp_contact *contact = rt_contact(run, number);
    struct diag *diag = diag_add(
        run->ds, DIAG_E0386, contact->range_compliance,
        "the compliance of `%s` %s, at depth %s and speed %s",
        imp_text(run->im, contact->name),
        weakens ? "does not grow with the depth"
                : "falls with the speed, so it would drive the contact",
        num_digits(depth, 0.0 - gap / scale, 6),
        num_digits(speed, 0.0 - rate / sqrt(scale), 6));
    diag_help(run->ds, diag,
              "the deeper and faster a contact is pressed in, the more it "
              "pushes: (1000 [N/m])*depth + (2 [N*s/m])*speed; depth and speed "
              "count in `scale` and in its root");
    return IMP_BADMODEL;
}
