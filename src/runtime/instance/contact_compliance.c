/* SPDX-License-Identifier: MIT */
/* See contact_compliance.h. */
#include "runtime/instance/contact_compliance.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/num.h"

int
contact_compliance_law(struct rt *run, uint32_t number,
                       const double at[COMPLIANCE_ROWS], double out[4])
{
    assert(run != NULL && at != NULL && out != NULL);
    const imp_contact *contact = rt_contact(run, number);
    double *memory = run->env + contact->env_contact + IMP_CONTACT_PUSHED,
           kept[2] = {memory[0], memory[1]};
    int st = rt_eval(run, contact->compliance, at, out);
    if (st || !(contact->flags & IMP_CONTACTF_REMEMBERS))
        return st;
    /* now that the scale is known */
    for (int k = 0; k < 2; k++)
        memory[k] = at[2 + k] * sqrt(out[3]);
    st = rt_eval(run, contact->compliance, at, out);
    for (int k = 0; k < 2; k++)
        memory[k] = kept[k];
    return st;
}

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

/* The same where the contact just touches: it remembers nothing. */
static int
law_at_touch(struct rt *run, uint32_t number, double out[4])
{
    static const double touch[COMPLIANCE_ROWS];
    int st = contact_compliance_law(run, number, touch, out);
    if (st == IMP_NONFINITE)
        rt_nonfinite(run, rt_contact(run, number)->compliance, touch);
    return st == IMP_NONFINITE ? IMP_FAILED : st;
}

/* -- a law that has no series where it just touches -------------------------
 *
 * Hertz's, k d^1.5, is one: its second derivative is infinite there, and the
 * motion has no Taylor series at the very touch. With f(d + b) d/(d + b) in its
 * place, where b is a depth that is rounding of the gap, it has: still none at
 * depth 0, and off by the share b/d, as rounding of the depth d makes it. Where
 * the contact is pressed in further than the clock and the series ask of d + b,
 * b is rounding alone. */

/* b in roundings of the gap: the gap may be off by some of them, and d + b is
 * above 0 all the same. */
#define BESIDE_ROUNDINGS 8.0
/* d + b in the way of the least steps that the clock can see: pieces of the
 * motion are some tenth of it over the speed. */
#define BESIDE_STEPS 64.0
/* Order 20 of the series, (speed/(d + b))^20, must be a number: d + b is this
 * share of a way in a unit of time. */
#define BESIDE_LEAST 1e-14

static double *
beside_of(const struct rt *run, uint32_t number)
{
    return run->env + rt_contact(run, number)->env_contact + IMP_CONTACT_BESIDE;
}

/* Has the law no series where depth begins at 0? */
static bool
is_rough(struct rt *run, uint32_t number)
{
    uint32_t tape = rt_contact(run, number)->compliance_series;
    assert(tape != IMP_NO_TAPE);
    size_t n_rows = IMP_ARRAY(run->im, run->im->tapes, imp_tape)[tape].n_rows;
    double input[COMPLIANCE_ROWS * IMP_ROW_STRIDE] = {0.0};
    const double *rows[1] = {input};
    input[IMP_ROW_PAD + 1] = 1.0; /* depth = t */
    return rt_series(run, tape, NULL, rows,
                     NEW_N(run->brief, double, (n_rows + 1) * IMP_ROW_STRIDE),
                     IMP_ORDER_MAX) == IMP_NONFINITE;
}

bool
contact_compliance_gives(const struct rt *run, uint32_t contact)
{
    assert(run != NULL);
    const imp_contact *of = rt_contact(run, contact);
    double soft = run->env[of->env_contact + IMP_CONTACT_SOFT];
    return of->press != IMP_NO_TAPE &&
           (soft == CONTACT_PRESSED || soft == CONTACT_SLACK ||
            soft == CONTACT_HELD);
}

bool
contact_compliance_rough(const struct rt *run, uint32_t number)
{
    assert(run != NULL);
    return *beside_of(run, number) > 0.0;
}

void
contact_compliance_beside(struct rt *run, uint32_t number, double scale,
                          double rounding, const double gap[2], double least)
{
    assert(run != NULL && scale > 0.0 && rounding >= 0.0 && gap != NULL);
    double *beside = beside_of(run, number), speed = fabs(gap[1]);
    if (!contact_compliance_rough(run, number))
        return;
    double way = speed * fmax(BESIDE_STEPS * least, BESIDE_LEAST),
           depth = fmax(BESIDE_ROUNDINGS * rounding, way + fmin(gap[0], 0.0));
    depth = fmax(depth, 2.0 * gap[0]);
    if (depth == 0.0)
        depth = BESIDE_LEAST;
    *beside = depth / scale;
}

int
contact_compliance_start(struct rt *run, uint32_t number, double *scale)
{
    assert(run != NULL && scale != NULL);
    double *beside = beside_of(run, number);
    *beside = 0.0;
    double law[4];
    if (is_rough(run, number) || law_at_touch(run, number, law) ||
        law[1] == 0.0)
        *beside = BESIDE_LEAST;
    return contact_compliance_scale(run, number, scale);
}

int
contact_compliance_scale(struct rt *run, uint32_t number, double *scale)
{
    assert(run != NULL && scale != NULL);
    const imp_contact *contact = rt_contact(run, number);
    char text[NUM_TEXT];
    double out[4];
    int st = law_at_touch(run, number, out);
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
    /* on the way back a damper may pull, and the more the deeper it is */
    bool drives = out[2]<0.0, weakens = out[0]> 0.0
                      ? !(out[1] > 0.0)
                      : rate < 0.0 && out[1] < 0.0;
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

/* The speed at which a side of speed 0 is asked for: a law that does not jump
 * there has the same value on both, to the last bit. */
#define SIDE_SPEED 1e-300
/* A jump that is a smaller share of the force is none. */
#define SIDE_JUMP 1e-12

bool
contact_compliance_sides(struct rt *run, uint32_t number, double scale,
                         double gap, const double memory[2], double force[2])
{
    assert(run != NULL && scale > 0.0 && memory != NULL && force != NULL);
    double root = sqrt(scale);
    for (int side = 0; side < 2; side++) {
        double at[COMPLIANCE_ROWS] = {fmax(0.0 - gap / scale, 0.0),
                                      side ? SIDE_SPEED : -SIDE_SPEED,
                                      memory[0] / root, memory[1] / root},
               out[4];
        if (contact_compliance_law(run, number, at, out))
            return false;
        force[side] = fmax(out[0], 0.0);
    }
    /* where it just touches it has no force to jump from: what a damper gives
     * at that speed is none */
    return gap < 0.0 && force[1] - force[0] > SIDE_JUMP * force[1];
}

/* -- energy ------------------------------------------------------------------
 */

/* The integral is that of Gauss and Legendre on intervals that are halved until
 * both halves give the same to ENERGY_AGREES of the whole: a law with a power
 * of the depth is halved towards the touch, one with branches towards these. */
#define ENERGY_AGREES 1e-14
#define ENERGY_HALVES 48
#define GAUSS 5
static const double gauss_at[GAUSS] = {0.1488743389816312, 0.4333953941292472,
                                       0.6794095682990244, 0.8650633666889845,
                                       0.9739065285171717};
static const double gauss_weight[GAUSS] = {
    0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
    0.1494513491505806, 0.0666713443086881};

struct energy {
    struct rt *run;
    uint32_t number;
    double whole;
    int status;
};

/* The integral of the law at speed 0 over these depths, in one piece. */
static double
piece_of(struct energy *energy, double from, double to)
{
    double half = 0.5 * (to - from), middle = 0.5 * (to + from), sum = 0.0;
    for (int k = 0; k < 2 * GAUSS && !energy->status; k++) {
        double law[4],
            at = middle + (k < GAUSS ? half : -half) * gauss_at[k % GAUSS];
        energy->status = law_at(energy->run, energy->number, at, 0.0, law);
        if (!energy->status)
            sum += gauss_weight[k % GAUSS] * fmax(law[0], 0.0);
    }
    return half * sum;
}

static double
integral(struct energy *energy, double from, double to, double piece, int level)
{
    double middle = 0.5 * (from + to), low = piece_of(energy, from, middle),
           high = piece_of(energy, middle, to);
    if (energy->status || level == ENERGY_HALVES ||
        fabs(low + high - piece) <= ENERGY_AGREES * energy->whole)
        return low + high;
    return integral(energy, from, middle, low, level + 1) +
           integral(energy, middle, to, high, level + 1);
}

int
contact_compliance_energy(struct rt *run, uint32_t number, double gap,
                          double *out)
{
    assert(run != NULL && out != NULL);
    struct energy energy = {run, number, 0.0, IMP_OK};
    double law[4];
    *out = 0.0;
    if (!(gap < 0.0))
        return IMP_OK;
    int st = law_at(run, number, 0.0, 0.0, law);
    if (st)
        return st;
    double depth = -gap / law[3], piece = piece_of(&energy, 0.0, depth);
    energy.whole = piece;
    *out = law[3] * integral(&energy, 0.0, depth, piece, 0);
    return energy.status;
}
