/* SPDX-License-Identifier: MIT */
/* See friction_law.h. */
#include "runtime/impact/friction_law.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/gap/tolerance.h"
#include "runtime/impact/impact_of_run.h"
#include "runtime/instance/contact_friction.h"
#include "runtime/instance/contact_restitution.h"

/* -- laws of a user's own: a contact can only push, its points do not go on to
 * approach, no energy is gained, and friction stays in its cone where the
 * contact states a coefficient ----------------------------------------------
 */

/* What is beyond a bound by no more than so many roundings of its terms is on
 * it: a law is some ten operations. */
#define OWN_SLACK (256.0 * DBL_EPSILON)

static bool
refuse(struct rt *run, uint32_t contact, const double argument[7],
       const char *what, double number, const char *help)
{
    const imp_contact *of = rt_contact(run, contact);
    char approach[NUM_TEXT], slip[NUM_TEXT], text[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0767, of->range_own,
        "the law of contact `%s` %s %s, for an approach of %s and a slip of %s",
        imp_text(run->im, of->name), what, num_digits(text, number, 6),
        num_digits(approach, argument[0], 6), num_digits(slip, argument[1], 6));
    diag_help(run->ds, diag, "%s", help);
    run->law_status = IMP_FAILED;
    return false;
}

/* A speed of so many roundings of the one that bodies gain as they fall through
 * their own length is none: as SLIP_ROUNDING of runtime/modes. */
#define SPEED_ROUNDING 64.0

/* Are approach and slip what rounding has left of faster motions? Then they
 * have no direction, and a law may give there what it gives at no impact of the
 * motion: the approach ends, and no more. */
static bool
is_rounding(struct rt *run, uint32_t contact, const double x[7])
{
    if (rt_contact(run, contact)->system != IMP_NO_SYSTEM)
        return false;
    double natural =
        sqrt(2.0 * gap_weight(run, contact) * gap_length(run, contact));
    return fmax(fabs(x[0]), fabs(x[1])) <=
           SPEED_ROUNDING * DBL_EPSILON * natural;
}

/* Can a contact give these impulses? tell: if it cannot, that is an error. */
static bool
possible(struct rt *run, uint32_t contact, const double x[7], const double P[2],
         bool tell)
{
    double N = P[0], T = P[1], A = x[4], B = x[5], C = x[6], v = -x[0],
           u = x[1], mu = x[3];
    double after[2] = {v + C * N + B * T, u + B * N + A * T};
    double terms[2] = {fabs(v) + fabs(C * N) + fabs(B * T),
                       fabs(u) + fabs(B * N) + fabs(A * T)};
    double energy = 0.5 * (N * (v + after[0]) + T * (u + after[1]));
    double size = fabs(N) * terms[0] + fabs(T) * terms[1];
    if (!isfinite(energy) || !isfinite(size))
        return tell &&
               refuse(run, contact, x, "has an impulse of", N,
                      "its energy is beyond all numbers: an impact loses "
                      "energy or keeps it");
    if (N < 0.0)
        return tell &&
               refuse(run, contact, x, "pulls with an impulse of", N,
                      "a contact can only push: the first number of the pair "
                      "is not negative");
    if (after[0] < -OWN_SLACK * terms[0])
        return tell &&
               refuse(run, contact, x, "leaves a normal velocity of", after[0],
                      "the points would go on to approach: the velocity after "
                      "the impact is -approach + C*normal + B*tangential");
    if (mu > 0.0 && fabs(T) > mu * N + OWN_SLACK * (fabs(T) + mu * N))
        return tell &&
               refuse(run, contact, x, "has a friction impulse of", T,
                      "this is more than the coefficient of friction of the "
                      "contact times the normal impulse: bound it, or state no "
                      "friction and no impact_friction");
    if (energy > OWN_SLACK * size && !run->im->gain_allowed)
        return tell &&
               refuse(run, contact, x, "adds an energy of", energy,
                      "an impact loses energy or keeps it; if more is meant, "
                      "say `world { gain = allowed }`");
    return true;
}

/* The tape of the law of the command, else that of the contact's own; or
 * IMP_NO_TAPE. */
static uint32_t
friction_own_tape(const struct rt *run, uint32_t contact)
{
    assert(run != NULL);
    return run->own_law ? run->own_law - 1 : rt_contact(run, contact)->own;
}

/* See impact_own_law. */
static bool
impulse_of(void *context, uint32_t contact, const double argument[7],
           double impulse[2])
{
    struct rt *run = context;
    uint32_t tape = friction_own_tape(run, contact);
    if (run->law_status)
        return false; /* the run is about to end */
    if (rt_eval(run, tape, argument, impulse)) {
        rt_nonfinite(run, tape, argument);
        run->law_status = IMP_FAILED;
        return false;
    }
    if (possible(run, contact, argument, impulse, false))
        return true;
    if (!is_rounding(run, contact, argument))
        return possible(run, contact, argument, impulse, true);
    impulse[0] = fmax(argument[0], 0.0) / argument[6];
    impulse[1] = 0.0;
    return true;
}

const struct impact_own_law *
friction_own_law(struct rt *run, uint32_t contact, enum imp_impact_law law)
{
    assert(run != NULL);
    if (friction_own_tape(run, contact) == IMP_NO_TAPE ||
        law == IMP_IMPACT_NEWTON || law == IMP_IMPACT_POISSON ||
        law == IMP_IMPACT_ENERGETIC)
        return NULL;
    struct impact_own_law *own = NEW(run->brief, struct impact_own_law);
    *own = (struct impact_own_law){impulse_of, run};
    return own;
}

int
friction_own_beside_joints(struct rt *run,
                           const struct friction_impact_point *point)
{
    assert(run != NULL && point != NULL);
    if (!point->own)
        return IMP_OK;
    const imp_contact *of = rt_contact(run, point->contact);
    struct diag *diag = diag_add(
        run->ds, DIAG_E0563, of->range_own,
        "the law of contact `%s` says nothing of joints with friction, which "
        "take part in its impacts",
        imp_text(run->im, of->name));
    diag_help(run->ds, diag,
              "its A, B and C are those without friction in joints: state a "
              "restitution, such as energetic(0.5), or leave out the friction "
              "of the joints");
    return IMP_FAILED;
}

const struct impact_restitution *
friction_varying_law(struct rt *run, uint32_t contact)
{
    assert(run != NULL);
    if (!contact_restitution_varies(run, contact))
        return NULL;
    struct impact_restitution *varies =
        NEW(run->brief, struct impact_restitution);
    *varies = (struct impact_restitution){impact_restitution_of_run, run};
    return varies;
}

/* -- what a contact states -------------------------------------------------
 */

int
friction_law_point(struct rt *run, uint32_t contact, enum imp_impact_law law,
                   double normal, double slip,
                   struct friction_impact_point *out)
{
    assert(run != NULL && out != NULL);
    const imp_contact *of = rt_contact(run, contact);
    const double *env = run->env + of->env_contact;
    double mu[3];
    int st = contact_friction_now(run, contact, fabs(slip), mu);
    *out = (struct friction_impact_point){
        .normal = normal,
        .slip = slip,
        .mu = mu[2],
        .contact = contact,
        .own = friction_own_law(run, contact, law),
        .law = friction_law_of_point(law, (enum imp_law)of->law,
                                     of->flags & IMP_CONTACTF_LAW),
        .priority = of->flags & IMP_CONTACTF_PRIORITY
                        ? env[IMP_CONTACT_PRIORITY]
                        : INFINITY};
    if (!st)
        st = contact_restitution_at(run, contact, -normal, &out->e);
    out->varies = friction_varying_law(run, contact);
    return st;
}

/* -- flights under a law of a user's own ------------------------------------
 *
 * A law of a user's own gives impulses, and with C and B the restitution that
 * they amount to. It is asked at speeds an octave apart: where 1 - e goes like
 * a power of the speed, two of them tell the exponent, and flight_sum looks at
 * all lower octaves whether it stays what it is. Impulses cannot say how 1 - e
 * goes on once it is far below 1: from there on it is the power that it has
 * been. */

/* 1 - e below this is known to a share of 1e-6 or worse. */
#define OWN_KNOWN 0x1p-30
/* octaves below the first speed at which it is looked for */
#define OWN_OCTAVES 108
/* Restitutions at different slips that differ by less are the same. */
#define OWN_SAME (256.0 * DBL_EPSILON)
/* The law is asked for its dependence on the slip after so many octaves. */
#define OWN_STRIDE 12

struct own {
    struct rt *run;
    const struct friction_impact_point *point;
    double A, B, C;
    uint32_t tape;
    double speed, lost, power; /* below this speed 1 - e is lost (u/speed)^power
                                */
};

/* Impulses for this approach and slip. */
static int
impulses(const struct own *own, double speed, double slip, double P[2])
{
    double argument[7] = {speed,  slip,   own->point->e, own->point->mu,
                          own->A, own->B, own->C};
    return rt_eval(own->run, own->tape, argument, P);
}

static int
restitution(const struct own *own, double speed, double slip, double *e)
{
    double P[2];
    int st = impulses(own, speed, slip, P);
    *e = st ? 0.0 : (own->C * P[0] + own->B * P[1]) / speed - 1.0;
    return st || !(*e >= -OWN_SAME && *e <= 1.0 + OWN_SAME) ? IMP_FAILED
                                                            : IMP_OK;
}

/* 1 - e at this speed, and the exponent of the power that it goes like. */
static int
lost_at(const struct own *own, double speed, double *lost, double *power)
{
    double slip = own->point->slip, e, half;
    int st = restitution(own, speed, slip, &e);
    if (!st)
        st = restitution(own, 0.5 * speed, slip, &half);
    *lost = st ? 0.0 : 1.0 - e;
    *power = !st && *lost > OWN_SAME && 1.0 - half > OWN_SAME
                 ? log2(*lost / (1.0 - half))
                 : 0.0;
    return st;
}

/* See restitution_law. */
static int
own_at(void *context, double speed, double law[2])
{
    const struct own *own = context;
    double lost, power;
    if (speed < own->speed) {
        power = own->power;
        lost = own->lost * pow(speed / own->speed, power);
    } else {
        int st = lost_at(own, speed, &lost, &power);
        if (st)
            return st;
    }
    law[0] = 1.0 - lost;
    law[1] = -lost / speed * power;
    return IMP_OK;
}

/* Goes down to where 1 - e is known no longer. Status of the law. */
static int
find_power(struct own *own, double first)
{
    double lost, power, speed = first;
    own->speed = 0.0;
    for (int k = 0; k <= OWN_OCTAVES; k++, speed *= 0.5) {
        int st = lost_at(own, speed, &lost, &power);
        if (st)
            return st;
        if (k > 0 && lost < OWN_KNOWN)
            break;
        own->lost = lost;
        own->power = power;
        own->speed = speed;
    }
    if (lost >= OWN_KNOWN)
        own->speed = 0.0; /* it has been known all the way */
    return IMP_OK;
}

/* Does the slip not matter, and are there no tangential impulses? */
static int
ask_slips(const struct own *own, double first, bool *matters, bool *normal)
{
    const double share[] = {1.0, 0.5, 0.0, -1.0};
    double speed = first;
    *matters = false;
    *normal = true;
    for (int k = 0; k <= OWN_OCTAVES; k += OWN_STRIDE) {
        double e, other, P[2];
        int st = restitution(own, speed, own->point->slip, &e);
        for (size_t i = 0; i < sizeof share / sizeof *share && !st; i++) {
            double slip = share[i] * own->point->slip;
            if (!(st = restitution(own, speed, slip, &other)) &&
                !(st = impulses(own, speed, slip, P)))
                *normal &= P[1] == 0.0;
            *matters |= fabs(e - other) > OWN_SAME;
        }
        if (st)
            return st;
        speed = ldexp(speed, -OWN_STRIDE);
    }
    return IMP_OK;
}

static struct own
own_of(struct rt *run, const struct friction_impact_point *point, double A,
       double B, double C)
{
    return (struct own){.run = run,
                        .point = point,
                        .A = A,
                        .B = B,
                        .C = C,
                        .tape = friction_own_tape(run, point->contact)};
}

double
own_flights_restitution(struct rt *run,
                        const struct friction_impact_point *point, double A,
                        double B, double C, double speed)
{
    assert(run != NULL && point != NULL && speed > 0.0);
    if (!point->own)
        return contact_restitution_ahead(run, point->contact, speed);
    struct own own = own_of(run, point, A, B, C);
    double e;
    return restitution(&own, speed, point->slip, &e) ? 1.0 : e;
}

void
own_flights_find(struct rt *run, const struct friction_impact_point *point,
                 double A, double B, double C, double speed,
                 struct own_flights *out)
{
    assert(run != NULL && point != NULL && out != NULL && speed > 0.0);
    *out = (struct own_flights){.sum = {.sum = INFINITY, .error = INFINITY}};
    if (!point->own) {
        out->normal = point->mu == 0.0;
        contact_restitution_flights(run, point->contact, speed, &out->sum);
        return;
    }
    struct own own = own_of(run, point, A, B, C);
    bool matters;
    double e;
    if (ask_slips(&own, speed, &matters, &out->normal) || matters ||
        restitution(&own, speed, point->slip, &e) || find_power(&own, speed) ||
        flight_sum(own_at, &own, speed, &out->sum))
        out->sum = (struct flight_sum){.sum = INFINITY, .error = INFINITY};
    else /* the exponent is that of an octave, of numbers that are rounded */
        out->sum.error += OWN_SAME / fmax(1.0 - e, OWN_SAME);
}
