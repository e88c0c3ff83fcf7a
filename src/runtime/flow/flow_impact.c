/* SPDX-License-Identifier: MIT */
/* One impact of a system at the present state of env, for whoever asks for an
 * impact and not for a motion: matrices of the instant, and the law of
 * ballistic.h. Forces do nothing within an instant, so there are none. */
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_priv.h"

int
flow_strike(struct rt *r, uint32_t system, enum ballistic_policy policy,
            const int *hit, int n, const bool *rests, struct ballistic **out,
            enum ballistic_event *what)
{
    struct flow *f = NEW(r->arena, struct flow);
    char t[NUM_TEXT];
    flow_memory(f, r, system, r->arena);
    int st = flow_instant(f);
    if (st)
        return st;
    flow_read_state(f);
    struct ballistic_model m = flow_model(f);
    struct ballistic *l = ballistic_memory(r->arena, m.n, m.m);
    l->policy = policy;
    if (ballistic_instant(l, &m, rt_time(r), f->q, f->v, rests)) {
        struct diag *d =
            diag_add(r->ds, DIAG_E0546, f->s->range_mass,
                     "the mass matrix of `%s` is not positive definite at "
                     "t = %s",
                     imp_text(r->im, f->s->name), num_digits(t, rt_time(r), 9));
        diag_help(r->ds, d,
                  "every motion of the coordinates must have kinetic energy");
        return IMP_FAILED;
    }
    *what = ballistic_instant_impact(l, hit, n);
    *out = l;
    return IMP_OK;
}
