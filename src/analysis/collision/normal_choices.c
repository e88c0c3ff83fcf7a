/* SPDX-License-Identifier: MIT */
/* Touches whose normal is not unique (a corner or an edge on a corner or an
 * edge): what the bodies do under each of the choices. The bodies share a
 * point. So the separation along a choice n has the rate n.u, where u is the
 * velocity of one material point against the other, and its second derivative
 * contains the turning of the feature to which n belongs. Where the choices
 * differ in whether the bodies approach, the data do not determine whether they
 * meet: bodies whose corners are rounded by any small radius would do the one
 * or the other. */
#include <assert.h>
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
normal_choices_read(struct analysis *analysis, uint32_t contact,
                    const struct contact_manifold *manifold,
                    struct normal_choices *out)
{
    assert(analysis != NULL && manifold != NULL && out != NULL);
    assert(manifold->n_choice >= 0);
    struct rt *run = analysis->rt;
    double h, jet[3], gap_tol, rate, most = 0.0, length, weight;
    memset(out, 0, sizeof *out);
    int st = motion_series_of(run, contact, 2, &h);
    if (st)
        return st;
    out->n = manifold->n_choice;
    out->v = NEW_N(run->brief, double, 2 * (size_t)out->n + 1);
    out->D = out->v + out->n;
    for (int choice = 0; choice < out->n; choice++) {
        st = polytope_choice_series(run, contact, 2, manifold, choice, jet);
        if (st == IMP_NONFINITE) { /* the edges are nearly parallel */
            out->without_series++;
            continue;
        }
        if (st)
            return st;
        out->v[choice] = jet[1];
        out->D[choice] = 2.0 * jet[2];
        most = fmax(most, fabs(out->D[choice]));
    }
    /* The terms are the relative speeds, and the speeds that accelerations
     * reach over the size of the bodies. Weights count as terms, too, although
     * they may cancel. */
    length = gap_length(run, contact);
    gap_tolerances(run, contact, &gap_tol, &rate);
    double speed = fmax(rate / fmax(RT_GAP_SHARE * run->world.tolerance, 1e-14),
                        sqrt(most * length));
    weight = gap_weight(run, contact);
    out->v_tol = run->world.tolerance * speed;
    out->D_tol =
        run->world.tolerance * fmax(fmax(most, weight), speed * speed / length);
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
normal_choices_text(const struct normal_choices *choices)
{
    assert(choices != NULL && choices->n > 0);
    int in = choices->closing ? choices->closing : choices->pressed;
    if (choices->closing)
        return in < choices->n
                   ? "under some of these the bodies approach, under others "
                     "they do not: whether they meet is not determined"
                   : "the bodies approach under each of these";
    if (choices->pressed)
        return in < choices->n
                   ? "the bodies rest there; under some of these they "
                     "are pressed together, under others not"
                   : "the bodies rest there and are pressed together";
    return choices->apart
               ? "under none of these the bodies approach, under some "
                 "they separate"
               : "the bodies rest there under each of these";
}
