/* SPDX-License-Identifier: MIT */
/* Bodies whose place is a formula of time may be elsewhere from one instant to
 * the next. Series of gaps end there; what the bodies are near to is looked at
 * anew. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/num.h"
#include "runtime/events/event_priv.h"
#include "runtime/gap/contact_bodies.h"
#include "runtime/numerics/vec3.h"

/* A place counts as another one if it is farther than speeds of so many times
 * that of the body lead. */
#define JUMP_SPEED 4.0

bool
event_place_jumps(struct rt *run, uint32_t contact, double dt)
{
    assert(contact < run->im->contacts.n && dt > 0.0);
    double now = rt_time(run), tol, rate, most = 0.0;
    uint32_t dim = run->im->dim;
    gap_tolerances(run, contact, &tol, &rate);
    for (int side = 0; side < 2; side++) {
        const imp_body *body =
            rt_body(run, rt_contact(run, contact)->body[side]);
        const double *state = run->env + body->env_state;
        double place[3] = {0.0}, move, turn;
        if (!(body->flags & IMP_BODYF_PRESCRIBED))
            continue;
        for (uint32_t i = 0; i < dim; i++)
            place[i] = state[i];
        run->env[run->im->layout.time] = now - dt;
        motion_prescribed(run);
        for (uint32_t i = 0; i < dim; i++)
            place[i] -= state[i];
        body_speeds(run, body, &move, &turn);
        run->env[run->im->layout.time] = now;
        motion_prescribed(run);
        most = fmax(most, vec3_norm(place) - JUMP_SPEED * move * dt);
    }
    return most > tol;
}

int
event_jumps_into(struct rt *run, uint32_t contact, double gap)
{
    assert(contact < run->im->contacts.n && gap < 0.0);
    const imp_contact *image_contact = rt_contact(run, contact);
    char depth[NUM_TEXT], t[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0622, image_contact->range,
        "`%s` and `%s` overlap by %s m from t = %s s on, where one of them "
        "changes its place at once",
        imp_text(run->im, rt_body(run, image_contact->body[0])->name),
        imp_text(run->im, rt_body(run, image_contact->body[1])->name),
        num_digits(depth, -gap, 6), rt_told(t, rt_time(run), 9));
    diag_help(run->ds, diag,
              "nothing says how they come apart: let the body move there with "
              "a speed");
    return IMP_FAILED;
}

int
event_stuck(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    char t[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0621, image_contact->range,
        "the search for the next touch of `%s` does not "
        "advance beyond t = %s",
        imp_text(run->im, image_contact->name), rt_told(t, rt_time(run), 9));
    diag_help(run->ds, diag,
              "very close bodies face each other with flat or rough points; "
              "turn or shift one of them a little");
    return IMP_FAILED;
}
