/* SPDX-License-Identifier: MIT */
/* Coulomb's friction of joints at one instant, in modes that are given (the
 * equations: mechanics/joint_friction.c; who chooses the modes:
 * runtime/rubbing). The friction of a hinge is mu radius |F|, and F depends on
 * the friction, so the equations are not linear. |F| is homogeneous of degree 1
 * and convex: Newton's method, which begins with the forces without that
 * friction, takes the direction of F from one solution for the next, and comes
 * to the only solution where there is one. The signs of the forces at both ends
 * of a slider change in the same way.
 *
 * Impulses obey the same equations with what they do at once in the place of
 * accelerations: the constant part of the residual is what the impulse does
 * without joints. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/joints/joints_priv.h"
#include "runtime/numerics/factors.h"
#include "runtime/numerics/taylor.h"

/* Most steps of Newton's method. It converges quadratically, for slider ends
 * after finitely many steps: ten are many. Where it goes on for so long there
 * is no solution. */
#define RUB_STEPS 60
/* Steps that change no force by more than this share of it are the rounding of
 * the solution of some ten equations. */
#define RUB_ROUNDING 0x1p-46
/* there Newton's method converges */
#define RUB_NEAR 0x1p-23
/* A force below this share of mass times acceleration of its bodies loads no
 * hinge: it is the rounding of terms that cancel. */
#define RUB_LOAD 0x1p-40

/* The end of a bush whose force is this share of the greatest of the block
 * changes its sign where runtime/rubbing says so: it stands at the root of a
 * series there. */
#define RUB_SIDE 0x1p-40

static struct joint_block *
joints_of(const struct rt *run, uint32_t block)
{
    assert(run->joints && block < run->im->blocks.n);
    assert(run->joints->blocks[block].rub);
    return run->joints->blocks + block;
}

void
joint_friction_new(struct rt *run, uint32_t block)
{
    const imp_block *of = joints_block_at(run, block);
    struct joint_block *joints = run->joints->blocks + block;
    size_t n = of->n_unknown;
    if (of->n_rub == 0)
        return;
    joints->rub =
        NEW_N(run->own, double, n *(n + 1) + IMP_RUB_TOLD * (size_t)of->n_rub);
    joints->rub_room = NEW_N(run->own, double, 3 * n + 5 * (size_t)of->n_rub);
}

const double *
joint_friction_told(const struct rt *run, uint32_t block, uint32_t i)
{
    const struct joint_block *joints = joints_of(run, block);
    size_t n = joints->n_unknown;
    return joints->rub + n * (n + 1) + IMP_RUB_TOLD * (size_t)i;
}

void
joint_friction_had(struct rt *run, uint32_t block, double force)
{
    assert(run && force >= 0.0);
    joints_of(run, block)->force = force;
}

double
joint_friction_size(const struct rt *run, uint32_t block, uint32_t i)
{
    assert(run);
    return fmax(sqrt(joint_friction_told(run, block, i)[IMP_RUB_SIZE]),
                joints_of(run, block)->force);
}

const double *
joint_friction_unknowns(const struct rt *run, uint32_t block)
{
    return joints_of(run, block)->unknown;
}

const double *
joint_friction_slope(const struct rt *run, uint32_t block, uint32_t row)
{
    const struct joint_block *joints = joints_of(run, block);
    assert(row < joints->n_unknown);
    return joints->rub + (size_t)joints->n_unknown * (1 + row);
}

/* What is added to the changes of the rates that are told: impulses in the
 * place of forces; one entry per joint with friction. */
static double *
rate_jumps(const struct rt *run, uint32_t block)
{
    const struct joint_block *joints = joints_of(run, block);
    return joints->rub_room + 3 * (size_t)joints->n_unknown +
           2 * (size_t)joints_block_at(run, block)->n_rub;
}

void
joint_friction_let_slip(const struct rt *run, uint32_t block, double *phi)
{
    const imp_block *of = joints_block_at(run, block);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n && of->n_rub; i++)
        if ((joint[i].flags & IMP_JOINTF_RUBS) && joint[i].block == block)
            phi[joint[i].friction] *=
                run->env[joint[i].env_joint + IMP_JOINT_HELD];
    if (of->n_rub && of->share != IMP_NO_ROW)
        phi[of->share] = 0.0;
}

double
joint_friction_change(const struct rt *run, uint32_t block, uint32_t i)
{
    return joint_friction_told(run, block, i)[IMP_RUB_RATE_CHANGE] +
           rate_jumps(run, block)[i];
}

/* -- one solution -----------------------------------------------------------
 */

/* The joint with friction number i of a block. */
static const imp_joint *
joint_at(const struct rt *run, uint32_t block, uint32_t i)
{
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    while (!(joint->flags & IMP_JOINTF_RUBS) || joint->block != block ||
           i-- > 0)
        joint++;
    return joint;
}

/* Projections and answers leave unknowns of theirs behind. A hinge without
 * force there is not loaded: |F| has no derivative. */
static void
find_unloaded(struct rt *run, uint32_t block)
{
    const double *x = joints_of(run, block)->unknown;
    for (uint32_t i = 0; i < joints_block_at(run, block)->n_rub; i++) {
        const imp_joint *joint = joint_at(run, block, i);
        if (x[joint->force] == 0.0 && x[joint->force + 1] == 0.0)
            run->env[joint->env_joint + IMP_JOINT_LOAD] = 0.0;
    }
}

int
joint_friction_read(struct rt *run, uint32_t block, const double *x)
{
    struct joint_block *joints = joints_of(run, block);
    if (!x)
        find_unloaded(run, block);
    return rt_eval(run, joints_block_at(run, block)->rub,
                   x ? x : joints->unknown, joints->rub);
}

static bool
factor(struct rt *run, uint32_t block)
{
    struct joint_block *joints = joints_of(run, block);
    int n = (int)joints->n_unknown;
    return imp_rank_factor(n, joints->rub + n, joints->piv) == 0 &&
           joints->piv[n - 1] >= 0;
}

int
joint_friction_linear(struct rt *run, uint32_t block, double *b)
{
    assert(b != NULL);
    struct joint_block *joints = joints_of(run, block);
    int n = (int)joints->n_unknown, st = joint_friction_read(run, block, NULL);
    if (st)
        return st;
    if (!factor(run, block))
        return IMP_SINGULAR;
    imp_rank_solve(n, joints->rub + n, joints->piv, b);
    return IMP_OK;
}

/* What an impulse does to the conditions without their answer: the residual at
 * unknowns 0. */
static int
struck(struct rt *run, uint32_t block, const double *impulse, double *residual)
{
    struct joint_block *joints = joints_of(run, block);
    const imp_block *of = joints_block_at(run, block);
    const uint32_t *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
    uint32_t at = joints->n, first = joints->n;
    const imp_joint *joint = NULL;
    memset(residual, 0, sizeof *residual * joints->n_unknown);
    for (uint32_t b = 0; b < of->bodies.n; b++) {
        const double *change = impulse + 6 * (size_t)body[b];
        bool held = rt_body(run, body[b])->flags & IMP_BODYF_HELD;
        memcpy(joints->local + 3 * b, change, 2 * sizeof *change);
        joints->local[3 * b + 2] = held ? 0.0 : change[5];
        if (held)
            residual[at++] = change[5];
    }
    assert(at == joints->n_unknown);
    int st = rt_eval(run, of->hold, joints->local, joints->phi);
    const double *rate = joints->phi + 2 * joints->n;
    first -= of->n_rub + (of->share != IMP_NO_ROW);
    for (uint32_t i = 0; i < first && !st; i++)
        residual[i] = rate[i];
    for (uint32_t i = 0; i < of->n_rub && !st; i++) {
        joint = joint_at(run, block, i);
        const double *env = run->env + joint->env_joint;
        residual[joint->friction] =
            env[IMP_JOINT_STICK] * rate[joint->friction];
        if (of->share != IMP_NO_ROW)
            residual[of->share] += env[IMP_JOINT_LEAD] * rate[joint->friction];
    }
    return st;
}

/* One step of Newton's method, in place: x := x - J^-1 residual. */
static int
step(struct rt *run, uint32_t block, const double *impulse, double *x)
{
    struct joint_block *joints = joints_of(run, block);
    int n = (int)joints->n_unknown, st = joint_friction_read(run, block, x);
    double *move = joints->rub_room;
    if (st)
        return st;
    for (int i = 0; i < n; i++)
        move[i] =
            joints->rub[i] + (impulse ? joints->rub_room[2 * n + i] : 0.0);
    if (!factor(run, block))
        return IMP_SINGULAR;
    imp_rank_solve(n, joints->rub + n, joints->piv, move);
    for (int i = 0; i < n; i++)
        x[i] -= move[i];
    return IMP_OK;
}

/* Replaces the constant part of the residual, where all unknowns are 0, by what
 * an impulse does. */
static int
constant_part(struct rt *run, uint32_t block, const double *impulse,
              const double *zero)
{
    struct joint_block *joints = joints_of(run, block);
    size_t n = joints->n_unknown;
    double *part = joints->rub_room + 2 * n;
    int st = struck(run, block, impulse, part);
    if (!st)
        st = joint_friction_read(run, block, zero);
    for (size_t i = 0; i < n && !st; i++)
        part[i] -= joints->rub[i];
    for (uint32_t i = 0; i < joints_block_at(run, block)->n_rub && !st; i++)
        rate_jumps(run, block)[i] =
            joints->phi[2 * joints->n + joint_at(run, block, i)->friction] -
            joint_friction_told(run, block, i)[IMP_RUB_RATE_CHANGE];
    return st;
}

/* Joints that stick together have no share before their loads are known: until
 * then the leading one alone sticks. Returns how many there are; their numbers
 * and signs lie behind the other room. */
static uint32_t
lead_alone(struct rt *run, uint32_t block)
{
    struct joint_block *joints = joints_of(run, block);
    double *kept = joints->rub_room + 3 * (size_t)joints->n_unknown;
    uint32_t n = 0;
    for (uint32_t i = 0; i < joints_block_at(run, block)->n_rub; i++) {
        double *env = run->env + joint_at(run, block, i)->env_joint;
        if (env[IMP_JOINT_SHARE] == 0.0)
            continue;
        kept[2 * n] = i;
        kept[2 * n + 1] = env[IMP_JOINT_SIGN];
        n++;
        env[IMP_JOINT_STICK] = env[IMP_JOINT_LEAD];
        env[IMP_JOINT_SHARE] = env[IMP_JOINT_LEAD] = env[IMP_JOINT_SIGN] = 0.0;
    }
    return n;
}

/* Undoes that, if something loads one of them; else they stay so, as no
 * friction has anything to do. */
static void
together_again(struct rt *run, uint32_t block, uint32_t n, double *x)
{
    struct joint_block *joints = joints_of(run, block);
    const double *kept = joints->rub_room + 3 * (size_t)joints->n_unknown;
    double grip = 0.0, size = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const imp_joint *joint = joint_at(run, block, (uint32_t)kept[2 * i]);
        double width = run->env[joint->env_joint + IMP_JOINT_WIDTH];
        double share = joint_friction_grip(run, joint, x);
        grip =
            fmax(grip, joint->kind == IMP_JOINT_HINGE ? share / width : share);
        size =
            fmax(size, joint_friction_size(run, block, (uint32_t)kept[2 * i]));
    }
    if (!(grip > RUB_LOAD * size))
        return;
    for (uint32_t i = 0; i < n; i++) {
        double *env =
            run->env + joint_at(run, block, (uint32_t)kept[2 * i])->env_joint;
        env[IMP_JOINT_LEAD] = env[IMP_JOINT_STICK];
        env[IMP_JOINT_STICK] = 0.0;
        env[IMP_JOINT_SHARE] = 1.0;
        env[IMP_JOINT_SIGN] = kept[2 * i + 1];
    }
    x[joints_block_at(run, block)->share] = 0.0;
}

static double
both_ends(const double *env, const double *F, double end[2])
{
    double lever = F[1] / env[IMP_JOINT_WIDTH];
    end[0] = 0.5 * F[0] + lever;
    end[1] = 0.5 * F[0] - lever;
    return fabs(end[0]) + fabs(end[1]);
}

double
joint_friction_grip(const struct rt *run, const imp_joint *joint,
                    const double *x)
{
    assert(run && joint && x && (joint->flags & IMP_JOINTF_RUBS));
    const double *F = x + joint->force, *env = run->env + joint->env_joint;
    double end[2];
    if (joint->kind == IMP_JOINT_SLIDER)
        return both_ends(env, F, end);
    return env[IMP_JOINT_WIDTH] * hypot(F[0], F[1]);
}

/* Forces at the ends of bushes below this are rounding of those of the block,
 * or of the sizes of its joints. */
static double
side_rounding(const struct rt *run, uint32_t block, const double *x,
              bool impulse)
{
    const imp_block *of = joints_block_at(run, block);
    double most = 0.0;
    for (uint32_t i = 0; i < of->n_condition; i++)
        most = fmax(most, fabs(x[i]));
    for (uint32_t i = 0; i < of->n_rub && !impulse; i++)
        most = fmax(most, joint_friction_size(run, block, i));
    return RUB_SIDE * most;
}

/* Takes the signs of the ends of sliders from a solution; true: one changed. */
static bool
take_sides(struct rt *run, uint32_t block, const double *x, bool impulse)
{
    bool changed = false;
    double near = side_rounding(run, block, x, impulse);
    for (uint32_t i = 0; i < joints_block_at(run, block)->n_rub; i++) {
        const imp_joint *joint = joint_at(run, block, i);
        double *env = run->env + joint->env_joint, end[2];
        if (joint->kind != IMP_JOINT_SLIDER)
            continue;
        both_ends(env, x + joint->force, end);
        for (int k = 0; k < 2; k++) {
            double *side = env + IMP_JOINT_SIDE + k;
            if (*side == 0.0 || *side * end[k] < -near) {
                *side = end[k] < 0.0 ? -1.0 : 1.0;
                changed = true;
            }
        }
    }
    return changed;
}

/* Keeps the signs of the ends of sliders, or (`back`) gives them back to ends
 * that bear nothing: which sign those have is not told by their force. */
static void
keep_sides(struct rt *run, uint32_t block, const double *x, bool impulse,
           bool back)
{
    uint32_t n = joints_block_at(run, block)->n_rub;
    double *kept = rate_jumps(run, block) + n,
           near = back ? side_rounding(run, block, x, impulse) : 0.0;
    for (uint32_t i = 0; i < n; i++, kept += 2) {
        const imp_joint *joint = joint_at(run, block, i);
        double *env = run->env + joint->env_joint, end[2];
        if (joint->kind != IMP_JOINT_SLIDER)
            continue;
        if (!back) {
            memcpy(kept, env + IMP_JOINT_SIDE, 2 * sizeof *kept);
            continue;
        }
        both_ends(env, x + joint->force, end);
        for (int k = 0; k < 2; k++)
            if (kept[k] != 0.0 && fabs(end[k]) <= near)
                env[IMP_JOINT_SIDE + k] = kept[k];
    }
}

/* Says of each hinge that slips whether its force loads it, at the solution
 * without that friction. True: one does. */
static bool
take_loads(struct rt *run, uint32_t block, const double *x, bool impulse)
{
    const imp_block *of = joints_block_at(run, block);
    double most = 0.0;
    bool any = false;
    for (uint32_t i = 0; impulse && i < of->n_condition; i++)
        most = fmax(most, fabs(x[i]));
    for (uint32_t i = 0; i < of->n_rub; i++) {
        const imp_joint *joint = joint_at(run, block, i);
        double *env = run->env + joint->env_joint;
        const double *F = x + joint->force;
        double size = impulse ? most : joint_friction_size(run, block, i);
        bool loads = joint->kind == IMP_JOINT_HINGE &&
                     env[IMP_JOINT_SIGN] != 0.0 && env[IMP_JOINT_STICK] == 0.0;
        loads &= hypot(F[0], F[1]) > RUB_LOAD * size;
        env[IMP_JOINT_LOAD] = loads;
        any |= loads;
    }
    return any;
}

static void
unload(struct rt *run, uint32_t block)
{
    for (uint32_t i = 0; i < joints_block_at(run, block)->n_rub; i++) {
        double *env = run->env + joint_at(run, block, i)->env_joint;
        env[IMP_JOINT_LOAD] = 0.0;
        for (int k = 0; k < 2; k++)
            if (env[IMP_JOINT_SIDE + k] == 0.0)
                env[IMP_JOINT_SIDE + k] = 1.0;
    }
}

/* The greatest change from `old` to `x` of what is not linear: the forces of
 * joints that slip, as shares of their sizes, and the share itself. */
static double
moved(const struct rt *run, uint32_t block, const double *old, const double *x)
{
    const imp_block *of = joints_block_at(run, block);
    double most = 0.0;
    if (of->share != IMP_NO_ROW)
        most = fabs(x[of->share] - old[of->share]);
    for (uint32_t i = 0; i < of->n_rub; i++) {
        const imp_joint *joint = joint_at(run, block, i);
        const double *env = run->env + joint->env_joint,
                     *now = x + joint->force, *then = old + joint->force;
        double change[2] = {now[0] - then[0], now[1] - then[1]}, size;
        if (env[IMP_JOINT_SIGN] == 0.0 || env[IMP_JOINT_STICK] != 0.0 ||
            (joint->kind == IMP_JOINT_HINGE && env[IMP_JOINT_LOAD] == 0.0))
            continue;
        size = joint_friction_grip(run, joint, x);
        if (joint->kind == IMP_JOINT_SLIDER)
            change[0] =
                fabs(change[0]) + 2.0 * fabs(change[1]) / env[IMP_JOINT_WIDTH];
        else
            change[0] = hypot(change[0], change[1]) * env[IMP_JOINT_WIDTH];
        most = fmax(most, change[0] > 0.0 ? change[0] / size : 0.0);
    }
    return most;
}

/* Has such a step moved no force by more than the rounding of masses times
 * accelerations? A force that is far smaller than these, as in free flight, is
 * known to no more. */
static bool
moved_by_rounding(const struct rt *run, uint32_t block, const double *old,
                  const double *x)
{
    bool all = true;
    for (uint32_t i = 0; i < joints_block_at(run, block)->n_rub; i++) {
        uint32_t at = joint_at(run, block, i)->force;
        double size = joint_friction_size(run, block, i);
        all &= hypot(x[at] - old[at], x[at + 1] - old[at + 1]) <=
               RUB_ROUNDING * size;
    }
    return all;
}

int
joint_friction_solve(struct rt *run, uint32_t block, const double *impulse,
                     const double **solution)
{
    assert(run && solution);
    struct joint_block *joints = joints_of(run, block);
    size_t n = joints->n_unknown;
    double *x = joints->unknown, *old = joints->rub_room + n, before = INFINITY;
    memset(x, 0, sizeof *x * n);
    *solution = x;
    memset(rate_jumps(run, block), 0,
           sizeof *x * joints_block_at(run, block)->n_rub);
    keep_sides(run, block, x, impulse != NULL, false);
    unload(run, block);
    uint32_t sharing = lead_alone(run, block);
    int st = impulse ? constant_part(run, block, impulse, x) : IMP_OK;
    if (!st)
        st = step(run, block, impulse, x);
    if (!st) /* masses times accelerations, to measure the loads by */
        st = joint_friction_read(run, block, x);
    if (st)
        return st;
    if (sharing)
        together_again(run, block, sharing, x);
    if (sharing && impulse) { /* which rows stand where has changed */
        memset(old, 0, sizeof *old * n);
        if ((st = constant_part(run, block, impulse, old)))
            return st;
    }
    bool more = take_loads(run, block, x, impulse != NULL);
    more |= take_sides(run, block, x, impulse != NULL);
    for (int count = 0; more || count == 0; count++) {
        memcpy(old, x, sizeof *x * n);
        if ((st = step(run, block, impulse, x)))
            return st;
        double move = moved(run, block, old, x);
        bool turned = take_sides(run, block, x, impulse != NULL);
        /* what no longer shrinks near the solution is rounding */
        more = turned || (move > RUB_ROUNDING &&
                          (move > RUB_NEAR || move < 0.5 * before));
        before = move;
        bool rounding = count > RUB_STEPS && !impulse &&
                        moved_by_rounding(run, block, old, x);
        if ((count > RUB_STEPS && !rounding) || !isfinite(move))
            return IMP_SINGULAR;
        more &= !rounding;
    }
    keep_sides(run, block, x, impulse != NULL, true);
    return joint_friction_read(run, block, x);
}

int
joint_friction_response(struct rt *run, uint32_t block, double *change)
{
    assert(change != NULL);
    struct joint_block *joints = joints_of(run, block);
    const imp_block *of = joints_block_at(run, block);
    const uint32_t *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
    double *answer = joints->rub_room;
    int st = struck(run, block, change, answer);
    for (uint32_t i = 0; i < joints->n_unknown; i++)
        answer[i] = -answer[i];
    if (!st)
        st = joint_friction_linear(run, block, answer);
    for (uint32_t b = 0; b < of->bodies.n; b++)
        if (rt_body(run, body[b])->flags & IMP_BODYF_HELD)
            change[6 * (size_t)body[b] + 5] = 0.0;
    return st ? st : joint_friction_push(run, block, answer, change);
}

void
joint_friction_keep(struct rt *run, uint32_t block, bool back)
{
    struct joint_block *joints = joints_of(run, block);
    size_t n = joints->n_unknown;
    double *kept = joints->rub_room + n;
    memcpy(back ? joints->unknown : kept, back ? kept : joints->unknown,
           sizeof *kept * n);
}

int
joint_friction_rates(struct rt *run, uint32_t block, const double *change,
                     double *rate)
{
    assert(change != NULL && rate != NULL);
    struct joint_block *joints = joints_of(run, block);
    const imp_block *of = joints_block_at(run, block);
    const uint32_t *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
    for (uint32_t b = 0; b < of->bodies.n; b++) {
        const double *by = change + 6 * (size_t)body[b];
        memcpy(joints->local + 3 * b, by, 2 * sizeof *by);
        joints->local[3 * b + 2] = by[5];
    }
    int st = rt_eval(run, of->hold, joints->local, joints->phi);
    for (uint32_t i = 0; i < of->n_rub && !st; i++)
        rate[i] =
            joints->phi[2 * joints->n + joint_at(run, block, i)->friction];
    return st;
}

int
joint_friction_multipliers(struct rt *run, uint32_t block)
{
    const double *x;
    const imp_joint *joint = joint_at(run, block, 0);
    int st = joint_friction_solve(run, block, NULL, &x);
    if (st == IMP_NONFINITE) {
        rt_nonfinite(run, joints_block_at(run, block)->rub, x);
        return IMP_FAILED;
    }
    if (st != IMP_SINGULAR)
        return st;
    char time[NUM_TEXT];
    struct diag *diag = diag_add(
        run->ds, DIAG_E0562, joint->range,
        "at t = %s the forces of the joints and their friction have no unique "
        "solution",
        rt_told(time, rt_time(run), 9));
    diag_help(run->ds, diag,
              "the friction is too strong there (a bush that jams), or the "
              "linkage is at a change point: end the run before");
    return IMP_FAILED;
}

int
joint_friction_push(struct rt *run, uint32_t block, const double *x,
                    double *change)
{
    assert(x && change);
    struct joint_block *joints = joints_of(run, block);
    const imp_block *of = joints_block_at(run, block);
    const uint32_t *body = IMP_ARRAY(run->im, of->bodies, uint32_t);
    int st = rt_eval(run, of->push, x, joints->change);
    for (uint32_t b = 0; b < of->bodies.n && !st; b++)
        for (uint32_t c = 0; c < 3; c++)
            change[6 * (size_t)body[b] + (c == 2 ? 5 : c)] +=
                joints->change[3 * b + c];
    return st;
}

/* -- work --------------------------------------------------------------------
 */

/* The integral of a product of series up to dt, term by term: beside a power of
 * a speed that begins, products of coefficients are too large for doubles. */
static double
work_by_terms(struct taylor *friction, struct taylor *rate, int order,
              double dt)
{
    double power = 1.0, sum = 0.0;
    struct taylor product;
    for (int k = 0; k < order; k++, power *= dt) {
        friction->c[k] *= power;
        rate->c[k] *= power;
    }
    taylor_mul(order - 1, friction, rate, &product);
    for (int k = order - 1; k >= 0; k--)
        sum += product.c[k] / (k + 1.0);
    return sum * dt;
}

void
joint_friction_work(struct rt *run, int order, double dt)
{
    assert(run && order >= 1 && order <= IMP_ORDER_MAX && isfinite(dt));
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++) {
        double *env = run->env + joint[i].env_joint, work = 0.0;
        if (!(joint[i].flags & IMP_JOINTF_RUBS) ||
            joint[i].block == IMP_NO_BLOCK || env[IMP_JOINT_STICK] != 0.0 ||
            env[IMP_JOINT_SHARE] != 0.0)
            continue;
        const double *rows = run->rows.block[joint[i].block] + IMP_ROW_PAD;
        struct taylor friction, rate, power;
        size_t size = sizeof(double) * ((size_t)order + 1);
        memcpy(friction.c,
               rows +
                   (size_t)joint[i].rows[IMP_RUBROW_FRICTION] * IMP_ROW_STRIDE,
               size);
        memcpy(rate.c,
               rows + (size_t)joint[i].rows[IMP_RUBROW_RATE] * IMP_ROW_STRIDE,
               size);
        taylor_mul(order - 1, &friction, &rate, &power);
        for (int k = order - 1; k >= 0; k--)
            work = dt * (work + power.c[k] / (k + 1.0));
        env[IMP_JOINT_WORK] +=
            isfinite(work) ? work : work_by_terms(&friction, &rate, order, dt);
    }
}
