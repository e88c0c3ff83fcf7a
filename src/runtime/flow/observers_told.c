/* SPDX-License-Identifier: MIT */
/* What observers tell: that they cannot go on, or that a variable has no value
 * behind a limit of chatter. */
#include <assert.h>
#include <string.h>

#include "abi/status.h"
#include "base/num.h"
#include "runtime/flow/flow_priv.h"

int
observer_stiff(struct flow *flow, long steps, double time, double step)
{
    assert(flow);
    char time_text[NUM_TEXT], step_text[NUM_TEXT];
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_E0734, flow->sys->range_observer,
        "the observer of `%s` is stiff: %ld steps until t = %s, the last of %s",
        imp_text(flow->run->im, flow->sys->name), steps,
        num_digits(time_text, time, 9), num_digits(step_text, step, 3));
    diag_help(flow->run->ds, diag,
              "its steps are as short as its fastest rate asks for: make "
              "`until` earlier or the rate lower, or leave out a variable "
              "that only follows the motion");
    return IMP_FAILED;
}

int
observer_stuck(struct flow *flow, double time)
{
    assert(flow);
    char time_text[NUM_TEXT];
    struct diag *diag =
        diag_add(flow->run->ds, DIAG_E0603, flow->sys->range_observer,
                 "the observer of `%s` cannot be continued beyond t = %s",
                 imp_text(flow->run->im, flow->sys->name),
                 num_digits(time_text, time, 9));
    diag_help(flow->run->ds, diag,
              "its time series has no radius of convergence there: a variable "
              "grows without bound, or a formula is not smooth");
    return IMP_FAILED;
}

void
observer_endless(struct flow *flow, uint32_t which, double time,
                 const char *how, const char *value, double late)
{
    assert(flow && how && value);
    const struct imp_image *im = flow->run->im;
    const imp_coordinate *coordinates =
        IMP_ARRAY(im, im->coordinates, imp_coordinate) + flow->sys->first +
        flow->n;
    char at[NUM_TEXT], left[NUM_TEXT];
    uint32_t env = flow->sys->env_state + 2 * flow->n + which, coordinate = 0;
    while (coordinate + 1 < flow->sys->n_observer &&
           coordinates[coordinate].env != env &&
           coordinates[coordinate].env_rate != env)
        coordinate++;
    struct diag *diag = diag_add(
        flow->run->ds, DIAG_W0731, coordinates[coordinate].range,
        "what the impacts add to `%s`%s %s towards the limit of chatter at "
        "t = %s",
        imp_text(im, coordinates[coordinate].name),
        coordinates[coordinate].env == env ? "" : "'", how,
        num_digits(at, time, 9));
    diag_note(flow->run->ds, diag, flow->sys->range_observer,
              "from there on its value is that of %s, the last of which added "
              "%s; the limit has infinitely many",
              value, num_digits(left, late, 3));
    diag_help(flow->run->ds, diag,
              "let the rule in `jump` fall to 0 with the speeds, or read the "
              "variable before the limit");
}
