/* SPDX-License-Identifier: MIT */
/* Friction of joints (rubbing.h): the start, the next change of a mode, and
 * what the run tells. */
#include "runtime/rubbing/rubbing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "abi/status.h"
#include "base/arena.h"
#include "base/num.h"
#include "runtime/joints/joints.h"
#include "runtime/motion/motion.h"
#include "runtime/motion/persistent.h"
#include "runtime/numerics/polynomial.h"
#include "runtime/numerics/taylor.h"
#include "runtime/rubbing/rubbing_priv.h"

/* A rate is 0 at an instant if it is this share of its size in the step before:
 * it comes out of a root of a series, which is known to about this. */
#define RATE_ROOT 0x1p-36
/* At the start a rate is 0 if it is the rounding of the spins and speeds that
 * it is the difference of. */
#define RATE_START 0x1p-44
/* While a force that nothing loaded grows, its friction is left out for as long
 * as the force is below this share of mass times acceleration: for a time t of
 * the motion's own scale T that changes rates by (t/T)^2 of what they are, and
 * t/T is of the order of this share. */
#define LOAD_BEGINS 0x1p-26
/* A force below this share of them is the rounding of terms that cancel. */
#define LOAD_NONE 0x1p-40
/* A force whose least size is this share of the greatest in a step may be
 * missed in the series of its size: what tells it from -|F| there is of the
 * order of the square of this share. */
#define LOAD_PASSES 0x1p-20
/* The greatest force so far counts from step to step by so much less: steps to
 * and from the time at which it is 0 are short, and many. */
#define FORCE_FADES 0.5
/* Where all forces begin at once there is no size: then this share of a step.
 */
#define LOAD_SOON 0x1p-40
/* So much of a step after a root the sign of a series is read, which stands on
 * more than rounding there. */
#define LOOK_AHEAD 0x1p-20
/* Steps below this share of the time lead nowhere: two solutions meet and end.
 */
#define STEP_LEAST 0x1p-48

static const imp_joint *
joints_of(const struct rt *run)
{
    return IMP_ARRAY(run->im, run->im->joints, imp_joint);
}

static bool
rubs(const imp_joint *joint)
{
    return (joint->flags & IMP_JOINTF_RUBS) && joint->block != IMP_NO_BLOCK;
}

bool
rubbing_any(const struct rt *run)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        if (rubs(joints_of(run) + i))
            return true;
    return false;
}

bool
rubbing_moves(const struct rt *run, uint32_t body)
{
    assert(run);
    for (uint32_t i = 0; i < run->im->joints.n && body != IMP_WORLD; i++)
        if (rubs(joints_of(run) + i) &&
            joints_of(run)[i].block == rt_body(run, body)->block)
            return true;
    return false;
}

static const char pins_key = 0;

struct pins *
rubbing_pins(struct rt *run, uint32_t block)
{
    struct arena *arena;
    struct pins *pins = rt_keep(run, &pins_key, block, sizeof *pins, &arena);
    const imp_block *of =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    if (pins->run)
        return pins;
    pins->run = run;
    pins->block = block;
    pins->chosen = pins->open = NAN;
    pins->pin = NEW_N(arena, struct pin, of->n_rub);
    pins->room = NEW_N(arena, double, (size_t)of->n_unknown * of->n_rub);
    pins->mobility = NEW_N(arena, double, (size_t)of->n_rub * of->n_rub);
    for (uint32_t i = 0; i < run->im->joints.n; i++) {
        const imp_joint *joint = joints_of(run) + i;
        if (rubs(joint) && joint->block == block)
            pins->pin[pins->n++] = (struct pin){
                .joint = joint, .env = run->env + joint->env_joint};
    }
    assert(pins->n == of->n_rub);
    return pins;
}

/* -- coefficients -----------------------------------------------------------
 */

/* E0518: a coefficient that a formula gives is negative now, or static friction
 * is below the dynamic one. */
static int
check_coefficients(struct pins *pins)
{
    struct rt *run = pins->run;
    char text[2][NUM_TEXT], time[NUM_TEXT];
    for (uint32_t i = 0; i < pins->n; i++) {
        const double *told = joint_friction_told(run, pins->block, i);
        double mu = told[IMP_RUB_MU], at_rest = told[IMP_RUB_MU_STATIC];
        bool still = pin_rests(pins->pin + i);
        if (mu >= 0.0 && at_rest >= 0.0 && (!still || at_rest >= mu))
            continue;
        struct diag *diag = diag_add(
            run->ds, DIAG_E0518, pins->pin[i].joint->range_friction,
            "the friction of joint `%s` is %s, at rest %s, at t = %s",
            imp_text(run->im, pins->pin[i].joint->name),
            num_digits(text[0], mu, 6), num_digits(text[1], at_rest, 6),
            rt_told(time, rt_time(run), 9));
        diag_help(run->ds, diag,
                  "coefficients are not negative, and that at rest is not "
                  "below the other");
        return IMP_FAILED;
    }
    return IMP_OK;
}

/* -- the start ---------------------------------------------------------------
 */

/* Reads which joints move, and how, from the velocities. */
static int
read_rates(struct pins *pins)
{
    struct rt *run = pins->run;
    pins->chosen = pins->open = NAN;
    joint_friction_had(run, pins->block, pins->force = 0.0);
    for (uint32_t i = 0; i < pins->n; i++)
        memset(pins->pin[i].env + IMP_JOINT_STICK, 0,
               sizeof(double) * (IMP_JOINT_SIZE - IMP_JOINT_STICK));
    int st = joint_friction_read(run, pins->block, NULL);
    for (uint32_t i = 0; i < pins->n && !st; i++) {
        struct pin *pin = pins->pin + i;
        double size = 0.0,
               rate = joint_friction_told(run, pins->block, i)[IMP_RUB_RATE];
        for (int side = 0; side < 2; side++) {
            if (pin->joint->body[side] == IMP_WORLD)
                continue;
            const double *state =
                run->env + rt_body(run, pin->joint->body[side])->env_state;
            size += pin->joint->kind == IMP_JOINT_HINGE
                        ? fabs(state[5])
                        : hypot(state[3], state[4]);
        }
        pin->still = fabs(rate) <= RATE_START * size;
        pin->freed = pin->tied = false;
        pin->struck = pin->onset = NAN;
        pin->end = RUBBING_HOLDS;
        pin->env[IMP_JOINT_SIGN] = pin->still ? 0.0 : rate > 0.0 ? 1.0 : -1.0;
    }
    return st;
}

static void
keep_places(struct pins *pins)
{
    for (uint32_t i = 0; i < pins->n; i++)
        pins->pin[i].env[IMP_JOINT_PLACE] =
            joint_friction_told(pins->run, pins->block, i)[IMP_RUB_PLACE];
}

static int
start_block(struct rt *run, uint32_t block, enum rubbing_verdict *verdict)
{
    struct pins *pins = rubbing_pins(run, block);
    int st = read_rates(pins);
    *verdict = RUBBING_ONE;
    if (st)
        return st;
    keep_places(pins);
    return rubbing_choose(pins, verdict);
}

int
rubbing_no_solution(struct rt *run, const imp_joint *joint, int st)
{
    assert(run && joint);
    char time[NUM_TEXT];
    struct diag *diag;
    if (st == IMP_NONFINITE) {
        rt_nonfinite(
            run,
            IMP_ARRAY(run->im, run->im->blocks, imp_block)[joint->block].rub,
            joint_friction_unknowns(run, joint->block));
        return IMP_FAILED;
    }
    if (st != IMP_SINGULAR)
        return st;
    diag = diag_add(run->ds, DIAG_E0563, joint->range_friction,
                    "the forces of the joints beside `%s` are not determined "
                    "at t = %s, and its friction depends on them",
                    imp_text(run->im, joint->name),
                    rt_told(time, rt_time(run), 9));
    diag_help(run->ds, diag,
              "leave out joints that hold what others hold already, or the "
              "friction; a linkage has such a place where it is flat");
    return IMP_FAILED;
}

/* E0562 or E0563: the modes of a block at the start are open. */
static int
open_start(struct rt *run, uint32_t block, enum rubbing_verdict verdict)
{
    const imp_joint *joint = rubbing_pins(run, block)->pin[0].joint;
    const char *name = imp_text(run->im, joint->name);
    struct diag *diag;
    if (verdict == RUBBING_TANGLED) {
        diag = diag_add(run->ds, DIAG_E0563, joint->range_friction,
                        "joints that stick at the start, with `%s`, hold "
                        "their bodies in more ways than these can move",
                        name);
        diag_help(run->ds, diag,
                  "how they share the load is known where one degree of "
                  "freedom moves them all: leave out the friction of some");
        return IMP_BADMODEL;
    }
    diag = diag_add(run->ds, DIAG_E0562, joint->range_friction,
                    verdict == RUBBING_NONE
                        ? "no motion from the start obeys the friction of "
                          "joint `%s` and of those beside it"
                        : "several motions from the start obey the friction "
                          "of joint `%s` and of those beside it",
                    name);
    diag_help(run->ds, diag,
              "friction, and the force that it depends on, increase each "
              "other: make the radius or the friction smaller, or the bush "
              "longer");
    return IMP_BADMODEL;
}

int
rubbing_start(struct rt *run)
{
    assert(run);
    enum rubbing_verdict verdict;
    for (uint32_t block = 0; block < run->im->blocks.n; block++) {
        const imp_block *of =
            IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
        if (of->n_rub == 0)
            continue;
        if (of->n_rub > PINS_MOST) {
            struct diag *diag = diag_add(
                run->ds, DIAG_E0563, joints_of(run)->range,
                "%u joints with friction move together; %d are followed",
                of->n_rub, PINS_MOST);
            diag_help(run->ds, diag, "leave out the friction of some");
            return IMP_BADMODEL;
        }
        int st = start_block(run, block, &verdict);
        if (!st && verdict != RUBBING_ONE)
            return open_start(run, block, verdict);
        if (!st)
            st = check_coefficients(rubbing_pins(run, block));
        if (st) {
            rubbing_no_solution(run, rubbing_pins(run, block)->pin[0].joint,
                                st);
            return IMP_BADMODEL;
        }
    }
    return IMP_OK;
}

void
rubbing_reset(struct rt *run)
{
    assert(run);
    enum rubbing_verdict verdict;
    /* that the start is determined was found by rubbing_start */
    for (uint32_t block = 0; block < run->im->blocks.n; block++)
        if (IMP_ARRAY(run->im, run->im->blocks, imp_block)[block].n_rub)
            start_block(run, block, &verdict);
}

/* -- the next change ---------------------------------------------------------
 */

/* The forces at both ends of the bush of a slider. */
static void
ends_of(const struct pins *pins, const struct pin *pin, int order,
        struct taylor end[2])
{
    struct taylor force, moment;
    rubbing_row(pins, pin, IMP_RUBROW_FORCE, order, &force);
    rubbing_row(pins, pin, IMP_RUBROW_FORCE + 1, order, &moment);
    for (int k = 0; k <= order; k++) {
        double lever = moment.c[k] / pin->env[IMP_JOINT_WIDTH];
        end[0].c[k] = 0.5 * force.c[k] + lever;
        end[1].c[k] = 0.5 * force.c[k] - lever;
    }
}

/* When the friction M, which holds the joint, comes to mu times the force in
 * `load`: the root of mu^2 load^2 - M^2. */
static double
cone_ends(const struct pins *pins, const struct pin *pin, int order, double h,
          const struct taylor *load, int loads, double factor)
{
    struct taylor mu, square, sum, left;
    double size = 0.0, power = 1.0;
    rubbing_row(pins, pin, IMP_RUBROW_MU_STATIC, order, &mu);
    taylor_mul(order, &load[0], &load[0], &sum);
    for (int i = 1; i < loads; i++) {
        taylor_mul(order, &load[i], &load[i], &square);
        taylor_add(order, &sum, &square, &sum);
    }
    taylor_mul(order, &mu, &mu, &square);
    taylor_mul(order, &square, &sum, &left);
    taylor_scale(order, factor * factor, &left, &left);
    struct taylor friction;
    rubbing_row(pins, pin, IMP_RUBROW_FRICTION, order, &friction);
    taylor_mul(order, &friction, &friction, &square);
    for (int k = 0; k <= order; k++, power *= h)
        size = fmax(size, fabs(square.c[k]) * power);
    taylor_sub(order, &left, &square, &left);
    return polynomial_falls(left.c, order, h, size);
}

static double
stick_ends(const struct pins *pins, const struct pin *pin, int order, double h)
{
    struct taylor load[2];
    if (pin->joint->kind == IMP_JOINT_HINGE) {
        rubbing_row(pins, pin, IMP_RUBROW_FORCE, order, load);
        rubbing_row(pins, pin, IMP_RUBROW_FORCE + 1, order, load + 1);
        return cone_ends(pins, pin, order, h, load, 2,
                         pin->env[IMP_JOINT_WIDTH]);
    }
    /* the sum of both ends is the greater of |force| and 2 |moment|/length */
    rubbing_row(pins, pin, IMP_RUBROW_FORCE, order, load);
    rubbing_row(pins, pin, IMP_RUBROW_FORCE + 1, order, load + 1);
    return fmax(cone_ends(pins, pin, order, h, load, 1, 1.0),
                cone_ends(pins, pin, order, h, load + 1, 1,
                          2.0 / pin->env[IMP_JOINT_WIDTH]));
}

/* When the share of joints that stick together comes to 1 or -1. */
static double
share_ends(const struct pins *pins, int order, double h)
{
    const imp_block *block =
        IMP_ARRAY(pins->run->im, pins->run->im->blocks, imp_block) +
        pins->block;
    const double *share = pins->run->rows.block[pins->block] +
                          (size_t)block->share_row * IMP_ROW_STRIDE +
                          IMP_ROW_PAD;
    double left[2][IMP_ORDER_MAX + 1];
    for (int k = 0; k <= order; k++) {
        left[0][k] = (k == 0) - share[k];
        left[1][k] = (k == 0) + share[k];
    }
    return fmin(polynomial_falls(left[0], order, h, 1.0),
                polynomial_falls(left[1], order, h, 1.0));
}

/* Does nothing load the joint now? Its friction can hold nothing then. */
static bool
unloaded(const struct pins *pins, uint32_t i, const struct taylor force[2])
{
    double size = joint_friction_size(pins->run, pins->block, i);
    double moment = force[1].c[0];
    if (pins->pin[i].joint->kind == IMP_JOINT_SLIDER)
        moment /= pins->pin[i].env[IMP_JOINT_WIDTH];
    return hypot(force[0].c[0], moment) <= LOAD_NONE * size;
}

/* Does nothing load the joint, nor ask friction of it, in this step? */
static bool
idle(const struct pins *pins, uint32_t i, const struct taylor force[2],
     int order, double h)
{
    const struct pin *pin = pins->pin + i;
    double size = joint_friction_size(pins->run, pins->block, i), sum = 0.0;
    struct taylor friction;
    rubbing_row(pins, pin, IMP_RUBROW_FRICTION, order, &friction);
    for (int k = order; k >= 0; k--)
        sum = sum * h + fabs(friction.c[k]);
    if (pin->joint->kind == IMP_JOINT_HINGE)
        size *= pin->env[IMP_JOINT_WIDTH];
    return unloaded(pins, i, force) && sum <= LOAD_NONE * size;
}

/* For how long what loads the joint is small. */
static double
stays_small(const struct pins *pins, uint32_t i, const struct taylor force[2],
            int order, double h)
{
    double size = LOAD_BEGINS * joint_friction_size(pins->run, pins->block, i);
    for (double reach = h;; reach *= 0.5) {
        double sum = 0.0;
        for (int k = order; k >= 0; k--)
            sum = sum * reach + fabs(force[0].c[k]) + fabs(force[1].c[k]);
        if (sum <= size || !(reach > LOAD_SOON * h))
            return reach < h ? reach : INFINITY;
    }
}

/* When the force of a hinge that slips comes to 0, or so near to it that the
 * series of its size, which go on with the other sign there, do not show it:
 * the size of the force is least where F F' = 0. */
static double
load_vanishes(struct pins *pins, int order, double h,
              const struct taylor force[2])
{
    struct taylor rate, power = {{0}}, part;
    double root[IMP_ORDER_MAX], most = 0.0, length = 1.0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < order; k++)
            rate.c[k] = (k + 1.0) * force[i].c[k + 1];
        taylor_mul(order - 1, &force[i], &rate, &part);
        taylor_add(order - 1, &power, &part, &power);
    }
    for (int k = 0; k <= order; k++, length *= h)
        most =
            fmax(most, length * fmax(fabs(force[0].c[k]), fabs(force[1].c[k])));
    pins->force = fmax(pins->force, most);
    int n = polynomial_roots(power.c, order - 1, h,
                             LOAD_NONE * LOAD_NONE * most * most / h, root,
                             IMP_ORDER_MAX);
    for (int i = 0; i < n; i++)
        if (root[i] > LOAD_SOON * h &&
            rt_time(pins->run) + root[i] > rt_time(pins->run) &&
            hypot(polynomial_value(force[0].c, order, root[i]),
                  polynomial_value(force[1].c, order, root[i])) <
                LOAD_PASSES * most)
            return root[i];
    return INFINITY;
}

/* When the force of a joint changes what its friction is made of: the end of a
 * bush comes free (*end), or a joint that nothing loaded is loaded, or one that
 * was is not. */
static double
load_changes(struct pins *pins, uint32_t i, int order, double h, int *end)
{
    const struct pin *pin = pins->pin + i;
    struct taylor force[2];
    double first = INFINITY, most = 0.0, power = 1.0;
    *end = -1;
    rubbing_row(pins, pin, IMP_RUBROW_FORCE, order, force);
    rubbing_row(pins, pin, IMP_RUBROW_FORCE + 1, order, force + 1);
    if (unloaded(pins, i, force) &&
        (pin_rests(pin) || pin->joint->kind == IMP_JOINT_HINGE))
        return stays_small(pins, i, force, order, h);
    if (pin->joint->kind == IMP_JOINT_HINGE)
        return pin_rests(pin) ? first : load_vanishes(pins, order, h, force);
    if (pin->env[IMP_JOINT_STICK] != 0.0)
        return first;
    ends_of(pins, pin, order, force);
    for (int k = 0; k <= order; k++, power *= h)
        most =
            fmax(most, power * fmax(fabs(force[0].c[k]), fabs(force[1].c[k])));
    pins->force = fmax(pins->force, most);
    for (int k = 0; k < 2; k++) {
        taylor_scale(order, pin->env[IMP_JOINT_SIDE + k], &force[k], &force[k]);
        double at = polynomial_falls(force[k].c, order, h, most);
        /* what is small when modes have just been chosen is followed to where
         * it is 0: its side is chosen by its sign */
        if (at == 0.0 && pins->chosen == rt_time(pins->run) &&
            force[k].c[0] > 0.0 && force[k].c[1] < 0.0)
            at = -force[k].c[0] / force[k].c[1];
        if (at < first) {
            first = at;
            *end = k;
        }
    }
    return first;
}

/* The sign of a series just after the time s within a step of length h. */
static double
sign_after(const double *row, int order, double s, double h)
{
    return polynomial_value(row, order, s + LOOK_AHEAD * h) < 0.0 ? -1.0 : 1.0;
}

/* True: this change comes before those known. */
static bool
sooner(struct rubbing_change *change, double *end, double at,
       enum rubbing_what what, const struct rt *run, const struct pin *pin)
{
    if (!(at <= *end))
        return false;
    *end = at;
    change->end = -1;
    change->what = what;
    change->joint = (uint32_t)(pin->joint - joints_of(run));
    return true;
}

/* When joint i sticks no more, or those that stick with it. */
static void
peek_stick(struct pins *pins, uint32_t i, int order, double h, double *end,
           struct rubbing_change *change)
{
    struct rt *run = pins->run;
    const struct pin *pin = pins->pin + i;
    double now = rt_time(run), at;
    const double *rows = run->rows.block[pins->block] + IMP_ROW_PAD, *row;
    struct taylor force[2];
    rubbing_row(pins, pin, IMP_RUBROW_FORCE, order, force);
    rubbing_row(pins, pin, IMP_RUBROW_FORCE + 1, order, force + 1);
    if (pin->env[IMP_JOINT_STICK] != 0.0) {
        /* what nothing loads yet, and begins to be, is looked at soon; what
         * nothing loads or turns is at the edge of its cone by rounding */
        bool begins = unloaded(pins, i, force) &&
                      isfinite(stays_small(pins, i, force, order, h));
        at = begins || idle(pins, i, force, order, h)
                 ? INFINITY
                 : stick_ends(pins, pin, order, h);
        row = rows +
              (size_t)pin->joint->rows[IMP_RUBROW_FRICTION] * IMP_ROW_STRIDE;
    } else if (pin->env[IMP_JOINT_LEAD] != 0.0) {
        const imp_block *block =
            IMP_ARRAY(run->im, run->im->blocks, imp_block) + pins->block;
        at = share_ends(pins, order, h);
        row = rows + (size_t)block->share_row * IMP_ROW_STRIDE;
    } else {
        return;
    }
    if (sooner(change, end, now + at, RUBBING_STICK_ENDS, run, pin))
        change->sign = sign_after(row, order, at, h);
}

/* When the rate of a joint that slips, times the direction of the slip, falls
 * to 0. Where there are no series but those of this instant they do not tell
 * how a slip grows from 0. */
static double
slip_ends(struct rt *run, const struct pins *pins, const struct pin *pin,
          int order, double h, double *rate)
{
    rubbing_begins(pin, rt_time(run), rate);
    if (isfinite(motion_parabola(run, pins->block)) && rate[0] <= 0.0 &&
        (rate[1] > 0.0 || (rate[0] == 0.0 && rate[1] == 0.0)))
        return INFINITY;
    return polynomial_falls(rate, order, h, 0.0);
}

static int
peek_block(struct rt *run, struct pins *pins, int order, double step,
           double *end, struct rubbing_change *change)
{
    double now = rt_time(run), h = *end - now;
    bool unique, slips = false;
    int st = check_coefficients(pins);
    pins->force *= FORCE_FADES;
    for (uint32_t i = 0; i < pins->n && !st; i++) {
        struct pin *pin = pins->pin + i;
        struct taylor rate;
        double power = 1.0;
        rubbing_row(pins, pin, IMP_RUBROW_RATE, order, &rate);
        pin->speed = 0.0;
        for (int k = 0; k <= order; k++, power *= h)
            pin->speed = fmax(pin->speed, fabs(rate.c[k]) * power);
        int bush;
        if (sooner(change, end, now + load_changes(pins, i, order, h, &bush),
                   RUBBING_LOAD, run, pin))
            change->end = bush;
        if (pin_rests(pin)) {
            peek_stick(pins, i, order, h, end, change);
        } else {
            slips = true;
            taylor_scale(order, pin->env[IMP_JOINT_SIGN], &rate, &rate);
            sooner(change, end,
                   now + slip_ends(run, pins, pin, order, h, rate.c),
                   RUBBING_SLIP_ENDS, run, pin);
        }
    }
    joint_friction_had(run, pins->block, pins->force);
    /* nor those that are short where a power of a slip begins */
    if (st || !slips || step > STEP_LEAST * fabs(now) ||
        isfinite(motion_parabola(run, pins->block)) ||
        persistent_moves(run, pins->block))
        return st;
    st = rubbing_unique(pins, &unique);
    if (!st && !unique)
        sooner(change, end, now, RUBBING_OPEN, run, pins->pin);
    return st;
}

/* Has the motion a solution now in the modes that there are? A slip that has
 * gone on until now goes on as long as there is one, also where there are
 * others. */
static int
still_there(struct rt *run, uint32_t block, double *end,
            struct rubbing_change *change)
{
    const double *x;
    struct pins *pins = rubbing_pins(run, block);
    bool open = pins->open == rt_time(run) && pins->chosen != rt_time(run);
    int st = open ? IMP_SINGULAR : joint_friction_solve(run, block, NULL, &x);
    if (st != IMP_SINGULAR)
        return st;
    sooner(change, end, rt_time(run), RUBBING_OPEN, run,
           rubbing_pins(run, block)->pin);
    return IMP_OK;
}

int
rubbing_peek(struct rt *run, double *end, struct rubbing_change *change)
{
    assert(run && end && change);
    const imp_block *blocks = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    double step, now = rt_time(run);
    int st = IMP_OK;
    *change = (struct rubbing_change){.what = RUBBING_NOTHING, .end = -1};
    for (uint32_t block = 0; block < run->im->blocks.n && !st; block++)
        if (blocks[block].n_rub && !persistent_moves(run, block))
            st = still_there(run, block, end, change);
    if (st || change->what == RUBBING_OPEN ||
        (st = motion_series_all(run, MOTION_STEP_ORDER, &step)))
        return st;
    for (uint32_t block = 0; block < run->im->blocks.n; block++)
        if (blocks[block].n_rub)
            step = rubbing_rows_hold(rubbing_pins(run, block),
                                     MOTION_STEP_ORDER, fmin(step, *end - now));
    /* a step that others end, as before a row, does not say that it is short */
    double own = step < *end - now ? step : INFINITY;
    if (now + step < *end)
        *end = now + step;
    for (uint32_t block = 0; block < run->im->blocks.n && !st; block++)
        if (blocks[block].n_rub)
            st = peek_block(run, rubbing_pins(run, block), MOTION_STEP_ORDER,
                            own, end, change);
    return st;
}

/* -- what follows a change ---------------------------------------------------
 */

/* Joint `which` and all others whose rates are 0 with it come to rest. */
static int
come_to_rest(struct pins *pins, const struct pin *which, bool *held)
{
    int st = joint_friction_read(pins->run, pins->block, NULL);
    for (uint32_t i = 0; i < pins->n && !st; i++) {
        struct pin *pin = pins->pin + i;
        double rate =
            joint_friction_told(pins->run, pins->block, i)[IMP_RUB_RATE];
        pin->freed = false;
        pin->still = pin == which || pin_rests(pin) ||
                     fabs(rate) <= RATE_ROOT * pin->speed;
        if (pin->still && !pin_rests(pin))
            pin->env[IMP_JOINT_PLACE] =
                joint_friction_told(pins->run, pins->block, i)[IMP_RUB_PLACE];
    }
    if (st)
        return st;
    *held = rubbing_hold(pins);
    if (*held)
        joints_project(pins->run);
    return IMP_OK;
}

/* Joint `which`, or all that stick with it, stick no more. */
static void
give_way(struct pins *pins, const struct pin *which, double sign)
{
    bool together = which->env[IMP_JOINT_SHARE] != 0.0;
    for (uint32_t i = 0; i < pins->n; i++) {
        struct pin *pin = pins->pin + i;
        double *env = pin->env;
        pin->still = pin_rests(pin);
        pin->freed = pin == which || (together && env[IMP_JOINT_SHARE] != 0.0);
        if (!pin->freed)
            continue;
        double force = together ? -env[IMP_JOINT_SIGN] * sign : sign;
        env[IMP_JOINT_SIGN] = force > 0.0 ? -1.0 : 1.0;
    }
}

/* Is the friction that holds the joint still within what it can be, as the
 * other condition of a slider's bush says? */
static bool
holds_on(struct pins *pins, const struct pin *pin)
{
    const double *x = joint_friction_unknowns(pins->run, pins->block);
    uint32_t i = (uint32_t)(pin - pins->pin);
    double most =
        joint_friction_told(pins->run, pins->block, i)[IMP_RUB_MU_STATIC] *
        joint_friction_grip(pins->run, pin->joint, x);
    return pin->env[IMP_JOINT_STICK] != 0.0 &&
           pin->joint->kind == IMP_JOINT_SLIDER &&
           fabs(x[pin->joint->friction]) < most * (1.0 - RATE_ROOT);
}

bool
rubbing_note(struct rt *run, const struct rubbing_change *change)
{
    assert(run && change && change->what != RUBBING_NOTHING);
    const imp_joint *joint = joints_of(run) + change->joint;
    struct pins *pins = rubbing_pins(run, joint->block);
    struct pin *which = pins->pin;
    while (which->joint != joint)
        which++;
    bool stuck = which->env[IMP_JOINT_STICK] != 0.0,
         stale = change->what == RUBBING_SLIP_ENDS ? pin_rests(which)
                 : change->what == RUBBING_STICK_ENDS
                     ? !stuck
                     : pins->chosen == rt_time(run);
    if (stale || joint_friction_read(run, pins->block, NULL))
        return false;
    if (change->end >= 0)
        which->env[IMP_JOINT_SIDE + change->end] *= -1.0;
    if (change->what == RUBBING_STICK_ENDS)
        which->end = RUBBING_GAVE_WAY;
    for (uint32_t i = 0; i < pins->n && change->what == RUBBING_SLIP_ENDS;
         i++) {
        struct pin *pin = pins->pin + i;
        double rate = joint_friction_told(run, pins->block, i)[IMP_RUB_RATE];
        if (pin == which ||
            (!pin_rests(pin) && fabs(rate) <= RATE_ROOT * pin->speed))
            pin->end = RUBBING_HAS_STOPPED;
    }
    return true;
}

int
rubbing_apply(struct rt *run, struct rubbing_change *change)
{
    assert(run && change && change->what != RUBBING_NOTHING);
    const imp_joint *joint = joints_of(run) + change->joint;
    struct pins *pins = rubbing_pins(run, joint->block);
    struct pin *which = pins->pin;
    enum rubbing_verdict verdict = RUBBING_ONE;
    bool held = true;
    int st = IMP_OK;
    while (which->joint != joint)
        which++;
    if (change->what == RUBBING_OPEN)
        return IMP_OK;
    if (change->what == RUBBING_SLIP_ENDS) {
        st = come_to_rest(pins, which, &held);
    } else if (change->what == RUBBING_STICK_ENDS) {
        const double *x;
        st = joint_friction_solve(run, pins->block, NULL, &x);
        if (!st && holds_on(pins, which))
            return IMP_OK;
        if (!st)
            give_way(pins, which, change->sign);
    } else {
        if (change->end >= 0)
            which->env[IMP_JOINT_SIDE + change->end] *= -1.0;
        for (uint32_t i = 0; i < pins->n; i++) {
            pins->pin[i].still = pin_rests(pins->pin + i);
            pins->pin[i].freed = false;
        }
    }
    if (!st)
        st = rubbing_choose(pins, &verdict);
    if (!st && (!held || verdict != RUBBING_ONE))
        change->what = RUBBING_OPEN;
    return st ? rubbing_no_solution(run, joint, st) : IMP_OK;
}

int
rubbing_mode(const struct rt *run, uint32_t joint)
{
    assert(run && joint < run->im->joints.n);
    const double *env = run->env + joints_of(run)[joint].env_joint;
    if (env[IMP_JOINT_STICK] != 0.0 || env[IMP_JOINT_SHARE] != 0.0 ||
        env[IMP_JOINT_SIGN] == 0.0 || env[IMP_JOINT_BREAK] != 0.0)
        return CONTACT_TOLD_STICK;
    return env[IMP_JOINT_SIGN] > 0.0 ? CONTACT_TOLD_SLIP_POSITIVE
                                     : CONTACT_TOLD_SLIP_NEGATIVE;
}
