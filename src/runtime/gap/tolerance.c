/* SPDX-License-Identifier: MIT */
/* Tolerances of a gap and of its rate (tolerance.h). They are shares of the
 * sizes and of the speeds of the two bodies, and never less than the rounding
 * error of what the gap is computed from. */
#include "runtime/gap/tolerance.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/gap/contact_bodies.h"
#include "runtime/geometry/support.h"

/* The sizes of both bodies together; without any, 1 m. */
static double
length_of(const struct rt *run, const imp_contact *image_contact)
{
    double length = support_size(run, rt_body(run, image_contact->body[0])) +
                    support_size(run, rt_body(run, image_contact->body[1]));
    return length > 0.0 ? length : 1.0;
}

double
gap_length(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    return length_of(run, rt_contact(run, contact));
}

/* What forces and a stated motion add to the weight of a body. */
static double
pull_of(struct rt *run, uint32_t number)
{
    const imp_body *body = rt_body(run, number);
    double out[2], reach = run->env[body->env_body + IMP_BODY_RADIUS];
    if (body->pull == IMP_NO_TAPE || rt_eval(run, body->pull, NULL, out))
        return 0.0;
    return out[0] + (isfinite(reach) ? out[1] * reach : 0.0);
}

double
gap_weight(struct rt *run, uint32_t contact)
{
    assert(contact < run->im->contacts.n);
    double weight = vec3_norm(run->world.gravity);
    for (int e = 0; e < 2; e++) {
        uint32_t of = rt_contact(run, contact)->body[e],
                 block = rt_body(run, of)->block;
        if (block == IMP_NO_BLOCK) {
            weight += pull_of(run, of);
            continue;
        }
        const imp_block *coupled =
            IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
        const uint32_t *body = IMP_ARRAY(run->im, coupled->bodies, uint32_t);
        double most = 0.0;
        for (uint32_t i = 0; coupled->pulled && i < coupled->bodies.n; i++)
            most = fmax(most, pull_of(run, body[i]));
        weight += most;
    }
    return weight;
}

double
gap_c00_share(const struct rt *run)
{
    assert(run);
    return run->im->has_tolerance
               ? fmax(RT_GAP_SHARE * run->world.tolerance, GAP_C00_SHARE)
               : GAP_C00_SHARE;
}

void
gap_tolerance_get(struct rt *run, uint32_t contact, struct gap_tolerance *out)
{
    assert(run != NULL && out != NULL);
    assert(contact < run->im->contacts.n);
    const imp_contact *image_contact = rt_contact(run, contact);
    assert(image_contact->system == IMP_NO_SYSTEM);
    double rate = 0.0, where = 0.0, moves = 0.0, velocity[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        const imp_body *body = rt_body(run, image_contact->body[i]);
        double speed, spin, centre[3] = {0.0, 0.0, 0.0};
        memcpy(centre, run->env + body->env_state,
               sizeof *centre * run->im->dim);
        body_speeds(run, body, &speed, &spin);
        body_add_velocity(run, body, i == 0 ? -1.0 : 1.0, velocity);
        moves += speed;
        rate += spin * support_size(run, body);
        where += support_is_flat(body) ? 0.0 : vec3_norm(centre);
    }
    /* the relative speed: a velocity that all bodies have in addition changes
     * no tolerance */
    rate += vec3_norm(velocity);
    out->length = length_of(run, image_contact);
    /* the gap is a difference of positions and has their rounding errors */
    out->gap_rounding = 4.0 * DBL_EPSILON * (out->length + where);
    out->gap = fmax(RT_GAP_SHARE * run->world.tolerance * out->length,
                    8.0 * out->gap_rounding);
    out->rate =
        fmax(RT_GAP_SHARE * run->world.tolerance, 64.0 * DBL_EPSILON) * rate +
        8.0 * DBL_EPSILON * moves;
    out->fall = GAP_FALL * out->rate;
    out->rate_c00 = gap_c00_share(run) * rate + 8.0 * DBL_EPSILON * moves;
    out->rate_rounding = 8.0 * DBL_EPSILON * (rate + moves);
}

void
gap_tolerances(struct rt *run, uint32_t contact, double *gap, double *rate)
{
    assert(contact < run->im->contacts.n && gap != NULL && rate != NULL);
    struct gap_tolerance tolerance;
    gap_tolerance_get(run, contact, &tolerance);
    *gap = tolerance.gap;
    *rate = tolerance.rate;
}

double
gap_hit(struct rt *run, uint32_t contact)
{
    assert(run != NULL && contact < run->im->contacts.n);
    double gap, rate;
    if (run->low_impact)
        gap_rounding(run, contact, &gap, &rate);
    else
        gap_tolerances(run, contact, &gap, &rate);
    return gap;
}

void
gap_rounding(struct rt *run, uint32_t contact, double *gap, double *rate)
{
    assert(contact < run->im->contacts.n && gap != NULL && rate != NULL);
    struct gap_tolerance tolerance;
    gap_tolerance_get(run, contact, &tolerance);
    *gap = 8.0 * tolerance.gap_rounding;
    *rate = tolerance.rate_rounding;
}
