/* SPDX-License-Identifier: MIT */
/* Joints with friction beside closed contacts (rubbing_beside.h). Without
 * friction a mechanism answers to forces along straight lines, and so do the
 * forces that load its joints: these rows are read while all joints are let go.
 */
#include "runtime/rubbing/rubbing_beside.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/joints/joints.h"
#include "runtime/numerics/vec3.h"
#include "runtime/rubbing/rubbing_priv.h"

/* A slip below so many roundings of its terms is none. */
#define RATE_ROUNDING (64.0 * 0x1p-52)

/* the entries of env that say what mode a joint has */
static const int mode_entry[RUBBING_MODE_ENTRIES] = {
    IMP_JOINT_STICK, IMP_JOINT_SHARE, IMP_JOINT_LEAD,
    IMP_JOINT_HELD,  IMP_JOINT_SIGN,  IMP_JOINT_BREAK,
    IMP_JOINT_LOAD,  IMP_JOINT_SIDE,  IMP_JOINT_SIDE + 1};

void
rubbing_clear(struct pin *pin)
{
    assert(pin);
    for (size_t i = 0; i < RUBBING_MODE_ENTRIES; i++)
        if (mode_entry[i] <= IMP_JOINT_SIGN || mode_entry[i] == IMP_JOINT_BREAK)
            pin->env[mode_entry[i]] = 0.0;
    pin->tied = false;
}

uint32_t
rubbing_joints(struct rt *run, const uint32_t *block, uint32_t n_block,
               struct rubbing_joint **out)
{
    assert(run && out && (block || n_block == 0));
    uint32_t n = 0, at = 0;
    for (uint32_t k = 0; k < n_block; k++)
        n += IMP_ARRAY(run->im, run->im->blocks, imp_block)[block[k]].n_rub;
    *out = NEW_N(run->brief, struct rubbing_joint, n + 1);
    for (uint32_t k = 0; k < n_block && n > 0; k++) {
        if (!IMP_ARRAY(run->im, run->im->blocks, imp_block)[block[k]].n_rub)
            continue;
        struct pins *pins = rubbing_pins(run, block[k]);
        for (uint32_t i = 0; i < pins->n; i++) {
            struct pin *pin = pins->pin + i;
            bool hinge = pin->joint->kind == IMP_JOINT_HINGE;
            (*out)[at++] = (struct rubbing_joint){
                .pins = pins,
                .pin = pin,
                .number = i,
                .unit = hinge ? pin->env[IMP_JOINT_WIDTH] : 1.0,
                .natural = sqrt(2.0 * vec3_norm(run->world.gravity) *
                                pin->env[IMP_JOINT_WIDTH]),
                .grip = {.bush = !hinge}};
        }
    }
    return n;
}

static const double *
told(const struct rubbing_joint *joint)
{
    return joint_friction_told(joint->pins->run, joint->pins->block,
                               joint->number);
}

/* The sizes of the terms of a rate. */
static double
rate_terms(const struct rt *run, const struct pin *pin)
{
    double size = 0.0;
    for (int side = 0; side < 2; side++) {
        if (pin->joint->body[side] == IMP_WORLD)
            continue;
        const double *state =
            run->env + rt_body(run, pin->joint->body[side])->env_state;
        size += pin->joint->kind == IMP_JOINT_HINGE ? fabs(state[5])
                                                    : hypot(state[3], state[4]);
    }
    return size;
}

int
rubbing_joints_read(struct rubbing_joint *joint, uint32_t n)
{
    assert(joint || n == 0);
    for (uint32_t i = 0; i < n; i++) {
        struct pin *pin = joint[i].pin;
        struct rt *run = joint[i].pins->run;
        double of_break = pin->env[IMP_JOINT_BREAK];
        pin->env[IMP_JOINT_BREAK] = 0.0;
        int st = joint_friction_read(run, joint[i].pins->block, NULL);
        pin->env[IMP_JOINT_BREAK] = of_break;
        if (st)
            return st;
        double sign = pin->env[IMP_JOINT_SIGN],
               rate = joint[i].unit * told(joint + i)[IMP_RUB_RATE];
        bool rests = pin_rests(pin) || pin->end == RUBBING_HAS_STOPPED ||
                     (pin->still && rubbing_joint_struck(joint + i));
        joint[i].mu = told(joint + i)[IMP_RUB_MU];
        joint[i].mu_rest = told(joint + i)[IMP_RUB_MU_STATIC];
        joint[i].mu_static = rests ? joint[i].mu_rest : joint[i].mu;
        joint[i].noise =
            RATE_ROUNDING *
            fmax(joint[i].unit * rate_terms(run, pin), joint[i].natural);
        joint[i].before = pin_rests(pin) ? CONTACT_STICK
                          : sign > 0.0   ? CONTACT_SLIP_POSITIVE
                                         : CONTACT_SLIP_NEGATIVE;
        joint[i].rate = rests ? 0.0 : rate;
    }
    return IMP_OK;
}

void
rubbing_joints_let_go(struct rubbing_joint *joint, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool tied = joint[i].pin->tied;
        for (size_t k = 0; k < RUBBING_MODE_ENTRIES; k++)
            joint[i].pin->kept[k] = joint[i].pin->env[mode_entry[k]];
        rubbing_clear(joint[i].pin);
        joint[i].pin->env[IMP_JOINT_LOAD] = 0.0;
        joint[i].pin->tied = tied;
    }
}

void
rubbing_joints_keep(struct rubbing_joint *joint, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < RUBBING_MODE_ENTRIES; k++)
            joint[i].pin->env[mode_entry[k]] = joint[i].pin->kept[k];
}

/* What loads a joint, at these unknowns: the vector whose size is its grip. */
static void
load_of(const struct rubbing_joint *joint, const double *x, double load[2])
{
    const struct pin *pin = joint->pin;
    load[0] = x[pin->joint->force];
    load[1] = x[pin->joint->force + 1];
    if (joint->grip.bush)
        load[1] *= 2.0 / pin->env[IMP_JOINT_WIDTH];
}

int
rubbing_joints_free(struct rubbing_joint *joint, uint32_t n)
{
    assert(joint || n == 0);
    const double *x = NULL;
    for (uint32_t i = 0; i < n; i++) {
        struct rt *run = joint[i].pins->run;
        uint32_t block = joint[i].pins->block;
        int st = joint[i].number == 0
                     ? joint_friction_solve(run, block, NULL, &x)
                     : IMP_OK;
        if (st)
            return rubbing_no_solution(run, joint[i].pin->joint, st);
        joint[i].free =
            joint[i].unit * joint_friction_change(run, block, joint[i].number);
        load_of(joint + i, x, joint[i].grip.load);
    }
    return IMP_OK;
}

int
rubbing_joint_push(struct rubbing_joint *joint, double *change)
{
    assert(joint && change);
    struct pins *pins = joint->pins;
    struct rt *run = pins->run;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + pins->block;
    const uint32_t *body = IMP_ARRAY(run->im, block->bodies, uint32_t);
    for (uint32_t b = 0; b < block->bodies.n; b++)
        memset(change + 6 * (size_t)body[b], 0, 6 * sizeof *change);
    memset(pins->room, 0, sizeof *pins->room * block->n_unknown);
    pins->room[joint->pin->joint->friction] = joint->unit;
    int st = joint_friction_linear(run, pins->block, pins->room);
    return st ? rubbing_no_solution(run, joint->pin->joint, st)
              : joint_friction_push(run, pins->block, pins->room, change);
}

int
rubbing_joint_feel(struct rubbing_joint *joint, uint32_t n, uint32_t block,
                   const double *x, const double *change, double *slip,
                   double (*load)[2])
{
    assert((joint || n == 0) && change && slip && load);
    uint32_t first = 0;
    while (first < n && joint[first].pins->block != block)
        first++;
    if (first == n)
        return IMP_OK;
    struct pins *pins = joint[first].pins;
    int st = joint_friction_rates(pins->run, block, change, slip + first);
    if (!x)
        x = joint_friction_unknowns(pins->run, block);
    for (uint32_t i = first; i < first + pins->n && !st; i++) {
        slip[i] *= joint[i].unit;
        load_of(joint + i, x, load[i]);
    }
    return st;
}

enum rubbing_end
rubbing_joint_end(const struct rubbing_joint *joint)
{
    assert(joint);
    return joint->pin->end;
}

bool
rubbing_joint_struck(const struct rubbing_joint *joint)
{
    assert(joint);
    return joint->pin->struck == rt_time(joint->pins->run);
}

bool
rubbing_joint_tied(const struct rubbing_joint *joint)
{
    assert(joint);
    return joint->pin->tied;
}

void
rubbing_joint_set(struct rubbing_joint *joint, enum contact_mode mode,
                  double share)
{
    assert(joint && (isnan(share) || fabs(share) <= 1.0 + 1e-6));
    struct pin *pin = joint->pin;
    bool rested = pin_rests(pin);
    double *env = pin->env;
    rubbing_clear(pin);
    if (mode == CONTACT_STICK && isnan(share)) {
        env[IMP_JOINT_STICK] = env[IMP_JOINT_HELD] = 1.0;
    } else if (mode == CONTACT_STICK) {
        env[IMP_JOINT_SIGN] = -share;
        env[IMP_JOINT_BREAK] = 1.0;
        pin->tied = true;
    } else {
        env[IMP_JOINT_SIGN] = mode == CONTACT_SLIP_NEGATIVE ? -1.0 : 1.0;
    }
    if (mode == CONTACT_STICK && !rested)
        env[IMP_JOINT_PLACE] = told(joint)[IMP_RUB_PLACE];
    pin->still = mode == CONTACT_STICK;
    pin->freed = false;
    pin->struck = pin->onset = NAN;
    pin->end = RUBBING_HOLDS;
    joint->pins->chosen = rt_time(joint->pins->run);
}

void
rubbing_joint_begins(struct rubbing_joint *joint, double small)
{
    assert(joint && small >= 0.0);
    joint->pin->onset = rt_time(joint->pins->run);
    joint->pin->small = small / joint->unit;
}

/* Ends of a bush whose forces are below this share of masses times
 * accelerations bear nothing, as in rubbing.c. */
#define END_NONE 0x1p-40

bool
rubbing_joint_turns(struct rubbing_joint *joint)
{
    assert(joint);
    const struct pin *pin = joint->pin;
    struct pins *pins = joint->pins;
    const double *row[2];
    bool turned = false;
    double none =
        END_NONE * joint_friction_size(pins->run, pins->block, joint->number);
    if (!joint->grip.bush || pin->env[IMP_JOINT_STICK] != 0.0)
        return false;
    for (int i = 0; i < 2; i++)
        row[i] =
            pins->run->rows.block[pins->block] + IMP_ROW_PAD +
            (size_t)pin->joint->rows[IMP_RUBROW_FORCE + i] * IMP_ROW_STRIDE;
    for (int k = 0; k < 2; k++) {
        double *side = pin->env + IMP_JOINT_SIDE + k, end[2];
        for (int order = 0; order < 2; order++)
            end[order] = 0.5 * row[0][order] + (k == 0 ? 1.0 : -1.0) *
                                                   row[1][order] /
                                                   pin->env[IMP_JOINT_WIDTH];
        double says = fabs(end[0]) > none ? end[0] : end[1];
        if (*side * says < 0.0) {
            *side = -*side;
            turned = true;
        }
    }
    return turned;
}

/* More than this share beyond the greatest friction is no rounding. */
#define OVERLOAD 1e-6

bool
rubbing_joint_overloaded(const struct rubbing_joint *joint)
{
    assert(joint);
    const struct pin *pin = joint->pin;
    const struct pins *pins = joint->pins;
    struct taylor row;
    double load[2];
    if (pin->env[IMP_JOINT_STICK] == 0.0)
        return false;
    for (int k = 0; k < 2; k++) {
        rubbing_row(pins, pin, IMP_RUBROW_FORCE + k, 0, &row);
        load[k] = row.c[0];
    }
    if (joint->grip.bush)
        load[1] *= 2.0 / pin->env[IMP_JOINT_WIDTH];
    double grip = joint->grip.bush ? fmax(fabs(load[0]), fabs(load[1]))
                                   : hypot(load[0], load[1]);
    rubbing_row(pins, pin, IMP_RUBROW_FRICTION, 0, &row);
    double force = fabs(row.c[0]) / joint->unit;
    return force - joint->mu_rest * grip > OVERLOAD * (force + grip);
}

const double *
rubbing_joint_unknowns(const struct rubbing_joint *joint)
{
    assert(joint);
    return joint->pins->room;
}

uint32_t
rubbing_joint_block(const struct rubbing_joint *joint)
{
    assert(joint);
    return joint->pins->block;
}

uint32_t
rubbing_joint_of(const struct rubbing_joint *joint)
{
    assert(joint);
    const imp_image *im = joint->pins->run->im;
    return (uint32_t)(joint->pin->joint - IMP_ARRAY(im, im->joints, imp_joint));
}

bool
rubbing_joint_smooth(const struct rubbing_joint *joint)
{
    assert(joint);
    return !(joint->pin->joint->flags & IMP_JOINTF_VARIES) &&
           joint->mu == 0.0 && joint->mu_rest == 0.0;
}

bool
rubbing_joint_holds(const struct rubbing_joint *joint)
{
    assert(joint);
    return joint->pin->env[IMP_JOINT_STICK] != 0.0;
}

int
rubbing_joint_strike(struct rubbing_joint *joint, double impulse)
{
    assert(joint && isfinite(impulse));
    struct rt *run = joint->pins->run;
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + joint->pins->block;
    const uint32_t *body = IMP_ARRAY(run->im, block->bodies, uint32_t);
    double *change = NEW_N(run->brief, double, 6 * (size_t)run->im->bodies.n);
    int st = rubbing_joint_push(joint, change);
    for (uint32_t b = 0; b < block->bodies.n && !st; b++) {
        double *by = change + 6 * (size_t)body[b];
        for (int c = 0; c < 6; c++)
            by[c] *= impulse;
        joints_shift_body(run, body[b], by, true);
    }
    return st;
}

void
rubbing_joint_after(struct rubbing_joint *joint, double after, double work)
{
    assert(joint && isfinite(after) && isfinite(work));
    struct pin *pin = joint->pin;
    pin->env[IMP_JOINT_WORK] += work;
    rubbing_clear(pin);
    pin->env[IMP_JOINT_SIGN] = (after > 0.0) - (after < 0.0);
    pin->still = after == 0.0;
    pin->freed = false;
    pin->end = RUBBING_HOLDS;
    pin->speed = fmax(fabs(joint->rate), fabs(after)) / joint->unit;
    pin->struck = rt_time(joint->pins->run);
    pin->onset = NAN; /* its slip begins with a rate */
}
