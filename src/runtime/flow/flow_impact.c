/* SPDX-License-Identifier: MIT */
/* One impact of a system at the present state of env, without a motion: the
 * matrices of the instant, and the law of ballistic.h. Forces do no work
 * within an instant, so there are none. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/flow/flow_priv.h"

int
flow_impact_now(struct rt *run, uint32_t system, enum ballistic_policy policy,
                const int *hit, int n_hit, const bool *rests,
                struct ballistic **out, enum ballistic_event *what)
{
    assert(n_hit >= 0 && n_hit <= (int)rt_system(run, system)->n_contact);
    struct flow *flow = NEW(run->arena, struct flow);
    char time_text[NUM_TEXT];
    flow_memory(flow, run, system, run->arena);
    int st = flow_instant(flow);
    if (st)
        return st;
    flow_read_state(flow);
    struct ballistic_model model = flow_model(flow);
    struct ballistic *ballistic =
        ballistic_memory(run->arena, model.n, model.m);
    ballistic->policy = policy;
    if (ballistic_instant(ballistic, &model, rt_time(run), flow->q, flow->v,
                          rests)) {
        struct diag *diag =
            diag_add(run->ds, DIAG_E0546, flow->sys->range_mass,
                     "the mass matrix of `%s` is not positive definite at "
                     "t = %s",
                     imp_text(run->im, flow->sys->name),
                     num_digits(time_text, rt_time(run), 9));
        diag_help(run->ds, diag,
                  "every motion of the coordinates must have kinetic energy");
        return IMP_FAILED;
    }
    *what = n_hit > 0 ? ballistic_instant_impact(ballistic, hit, n_hit)
                      : BALLISTIC_END;
    *out = ballistic;
    return IMP_OK;
}
