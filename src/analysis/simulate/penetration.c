/* SPDX-License-Identifier: MIT */
/* Overlap in `simulate`: how deep contacts get that are let through, and that
 * no others close without a touch that was found (I3). Asked at the end of
 * every piece of the run. */
#include <math.h>

#include "abi/status.h"
#include "analysis/collision/penetration_depth.h"
#include "analysis/simulate/simulate_priv.h"
#include "base/num.h"
#include "runtime/gap/closest_points.h"
#include "runtime/gap/tolerance.h"
#include "runtime/instance/saved_state.h"
#include "runtime/motion/motion.h"

/* places looked at for the deepest overlap of a piece of the run */
#define DEPTH_SAMPLES 16
/* I3: overlap beyond this many tolerances was not noticed by the search */
#define SIMULATE_PASSED 16.0

/* the greatest overlap of c between two times; the state stays */
static int
deepest(struct simulation *s, uint32_t c, double lo, double hi)
{
    struct analysis *a = s->a;
    struct saved_state here = saved_state_take(a->rt);
    double most = -INFINITY, gap, at = lo, step = (hi - lo) / DEPTH_SAMPLES;
    int st = IMP_OK;
    for (int i = 1; i < DEPTH_SAMPLES && !st; i++) {
        if (!(st = motion_to(a->rt, hi - i * step)))
            st = touch_gap(a, c, &gap, NULL);
        if (!st && -gap > most) {
            most = -gap;
            at = hi - i * step;
        }
    }
    /* a lower overlap than one seen before needs no better place */
    if (!st && most > 0.5 * s->depth_max) {
        double where, depth;
        st = penetration_depth_refine(a, c, at - step, at + step, &where,
                                      &depth);
        if (!st)
            s->depth_max = fmax(s->depth_max, fmax(most, depth));
    }
    saved_state_restore(a->rt, &here);
    return st;
}

/* gaps at the end of a piece of the run: greatest overlap of contacts that are
 * let through; of the others none may be closed (I3) */
int
simulate_check_penetration(struct simulation *s)
{
    struct analysis *a = s->a;
    for (uint32_t c = 0; c < s->n_contacts; c++) {
        struct simulated_contact *k = &s->ct[c];
        double gap, rate, t = rt_time(a->rt);
        int st;
        if (k->watch == WATCH_OFF)
            continue;
        if (!k->overlap) {
            struct closest_points cl;
            double tol;
            /* a pair without closest points now is the search's business */
            if (closest_points_find(a->rt, c, &cl, false))
                continue;
            gap_tolerances(a->rt, c, &tol, &rate);
            if (cl.gap >= -SIMULATE_PASSED * tol)
                continue;
            char g[NUM_TEXT], at[NUM_TEXT];
            diag_add(a->ds, DIAG_E0713, rt_contact(a->rt, c)->range,
                     "`%s` overlaps by %s m at t = %s s, but no touch was "
                     "found before",
                     imp_text(a->rt->im, rt_contact(a->rt, c)->name),
                     num_digits(g, -cl.gap, 6), num_digits(at, t, 9));
            return IMP_FAILED;
        }
        if ((st = touch_gap(a, c, &gap, NULL)))
            return st;
        s->depth_max = fmax(s->depth_max, -gap);
        if (k->depth_from < t && (st = deepest(s, c, k->depth_from, t)))
            return st;
        k->depth_from = t;
    }
    return IMP_OK;
}
