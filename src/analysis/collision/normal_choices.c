/* SPDX-License-Identifier: MIT */
/* Touches whose normal is open (a corner or an edge on a corner or an edge):
 * what the bodies do under each of the choices. They share a point, so the
 * separation along a choice n has the rate n.u with u the velocity of the one
 * point against the other, and its second derivative has the turning of what n
 * belongs to in it. Where the choices differ in whether the bodies come closer
 * the data leave open whether they meet at all: bodies with corners rounded by
 * any little would do the one or the other.
 *
 * And touches where the features of corners change at the touch itself (a disc
 * that comes over a corner onto a side): the gap has a second derivative on
 * either side, and these may differ. */
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "analysis/collision/normal_choices.h"
#include "runtime/events/event.h"
#include "runtime/gap/polytope_contact.h"
#include "runtime/gap/tolerance.h"
#include "runtime/motion/motion.h"
#include "runtime/numerics/vec3.h"

int
normal_choices_read(struct analysis *a, uint32_t contact,
                    const struct contact_manifold *c,
                    struct normal_choices *out)
{
    struct rt *r = a->rt;
    double h, jet[3], gap_tol, rate, most = 0.0, length, weight;
    memset(out, 0, sizeof *out);
    int st = motion_series_all(r, 2, &h);
    if (st)
        return st;
    out->n = c->n_choice;
    for (int i = 0; i < out->n; i++) {
        st = polytope_choice_series(r, contact, 2, c, i, jet);
        if (st == IMP_NONFINITE) { /* edges all but parallel */
            out->without_series++;
            continue;
        }
        if (st)
            return st;
        out->v[i] = jet[1];
        out->D[i] = 2.0 * jet[2];
        most = fmax(most, fabs(out->D[i]));
    }
    /* terms: the relative speeds, and what accelerations make of them over the
     * size of the bodies; weights that cancel count as terms, too */
    length = gap_length(r, contact);
    gap_tolerances(r, contact, &gap_tol, &rate);
    double speed = fmax(rate / fmax(RT_GAP_SHARE * r->tolerance, 1e-14),
                        sqrt(most * length));
    weight = vec3_norm(r->gravity);
    out->v_tol = r->tolerance * speed;
    out->D_tol =
        r->tolerance * fmax(fmax(most, weight), speed * speed / length);
    if (out->without_series == out->n)
        return IMP_NONFINITE;
    for (int i = 0; i < out->n; i++) {
        bool still = fabs(out->v[i]) <= out->v_tol;
        out->closing += out->v[i] < -out->v_tol;
        out->pressed += still && out->D[i] < -out->D_tol;
        out->apart += out->v[i] > out->v_tol;
    }
    return IMP_OK;
}

const char *
normal_choices_text(const struct normal_choices *o)
{
    int in = o->closing ? o->closing : o->pressed;
    if (o->closing)
        return in < o->n
                   ? "under some of these the bodies approach, under others "
                     "they do not: whether they meet is not determined"
                   : "the bodies approach under each of these";
    if (o->pressed)
        return in < o->n ? "the bodies rest there; under some of these they "
                           "are pressed together, under others not"
                         : "the bodies rest there and are pressed together";
    return o->apart ? "under none of these the bodies approach, under some "
                      "they separate"
                    : "the bodies rest there under each of these";
}
