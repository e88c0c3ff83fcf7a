/* SPDX-License-Identifier: MIT */
/* Joints while bodies move (joints.h). The series of the motion keeps the
 * second derivative of the conditions phi at 0 to rounding. After each step the
 * rounding errors of positions and velocities are taken out by
 *
 *     q += push(-K^-1 phi),  v += push(-K^-1 phi')
 *
 * with K the matrix of the multipliers and the spins (mechanics/joint.c).
 * This is the least change in the metric of the masses, and moves bodies along
 * no motion that the joints allow. It costs energy of second order in phi'
 * only. Positions are read together with the low parts of the state: after 10^3
 * turns the angle of a body in the plane is rounded to 10^-12, which must not
 * count as an error of its place. */
#include "runtime/joints/joints_priv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/geometry/pose.h"
#include "runtime/instance/compensated.h"
#include "runtime/numerics/factors.h"
#include "runtime/numerics/vec3.h"
#include "runtime/tape/functions.h"

/* Rounds of Newton's method. The error after a step is of the size of
 * rounding, so that the second round finds nothing left. */
#define JOINTS_ROUNDS 3
/* What a joint tells of unknowns that do nothing is 0 if it is this share of
 * them: they are known to the rounding of K, times its condition. */
#define JOINTS_NOTHING 1e-9

struct joint_projection *
joints_new(struct rt *run)
{
    assert(run);
    const imp_image *im = run->im;
    struct joint_projection *projection =
        NEW(run->own, struct joint_projection);
    bool any = false;
    projection->blocks = NEW_N(run->own, struct joint_block, im->blocks.n + 1);
    for (uint32_t b = 0; b < im->blocks.n; b++) {
        const imp_block *block = joints_block_at(run, b);
        struct joint_block *joints = projection->blocks + b;
        size_t unknowns = block->n_unknown,
               nv = (im->dim == 2 ? 3 : 6) * block->bodies.n;
        if (unknowns == 0)
            continue;
        any = true;
        joints->n = block->n_condition;
        joints->n_unknown = block->n_unknown;
        joints->unknown = NEW_N(run->own, double, unknowns);
        joints->out = NEW_N(run->own, double, unknowns *(unknowns + 1));
        joints->K = joints->out + unknowns;
        joints->phi = NEW_N(run->own, double, 3 * (size_t)joints->n);
        joints->local = NEW_N(run->own, double, nv);
        joints->change = NEW_N(run->own, double, nv);
        joints->piv = NEW_N(run->own, int, unknowns);
        size_t rows = IMP_ARRAY(im, im->tapes, imp_tape)[block->motion].n_rows;
        joints->work = NEW_N(run->own, double, (rows + 1) * IMP_ROW_STRIDE);
        run->joints = projection;
        joints->told =
            NEW_N(run->own, double, (size_t)block->n_told *IMP_JOINT_ROWS + 1);
        joint_friction_new(run, b);
    }
    return any ? projection : NULL;
}

/* -- what joints fix to their bodies
 * ----------------------------------------- */

static double
scale_to_unit(double a[3])
{
    double big = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2]))), s = 0;
    if (!(big > 0))
        return 0;
    for (int i = 0; i < 3; i++)
        s += (a[i] / big) * (a[i] / big);
    s = big * sqrt(s);
    for (int i = 0; i < 3; i++)
        a[i] /= s;
    return s;
}

/* Three orthonormal directions by rows, the first along axis; the axes of the
 * world if axis is 0. In the plane the last one is z. */
static void
triad(bool plane, const double axis[3], double frame[9])
{
    static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(frame, world, sizeof world);
    double unit[3] = {axis[0], axis[1], plane ? 0 : axis[2]};
    if (scale_to_unit(unit) == 0)
        return;
    memcpy(frame, unit, sizeof unit);
    if (plane) {
        frame[3] = -unit[1];
        frame[4] = unit[0];
        return;
    }
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(unit[i]) < fabs(unit[least]))
            least = i;
    vec3_cross(unit, world + 3 * least, frame + 3);
    scale_to_unit(frame + 3);
    vec3_cross(unit, frame + 3, frame + 6);
}

/* Turns a vector from world to body axes. */
static void
into(const double R[9], const double x[3], double out[3])
{
    mat3_apply_transposed(R, x, out);
}

static void
start_joint(struct rt *run, const imp_joint *joint)
{
    double *env = run->env + joint->env_joint, frame[2][9];
    const uint32_t body[3] = {joint->body[0], joint->body[1], joint->carrier};
    bool plane = run->im->dim == 2;
    bool own = joint->kind == IMP_JOINT_UNIVERSAL;
    triad(plane, env + IMP_JOINT_AXIS, frame[0]);
    triad(plane, env + (own ? IMP_JOINT_AXIS2 : IMP_JOINT_AXIS), frame[1]);
    env[IMP_JOINT_COSINE] = vec3_dot(frame[0], frame[1]);
    for (int side = 0; side < 3; side++) {
        double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, d[3];
        double *arm = env + (side < 2 ? IMP_JOINT_ARM + 3 * side
                                      : IMP_JOINT_CARRIER_ARM),
               *axes = env + (side < 2 ? IMP_JOINT_FRAME + 9 * side
                                       : IMP_JOINT_CARRIER_FRAME);
        memcpy(d, env + IMP_JOINT_AT, sizeof d);
        if (body[side] != IMP_WORLD) {
            const double *c = run->env + rt_body(run, body[side])->env_state;
            pose_rotation(run, body[side], rotation);
            for (uint32_t i = 0; i < run->im->dim; i++)
                d[i] -= c[i];
        }
        into(rotation, d, arm);
        for (int i = 0; i < 3; i++)
            into(rotation, frame[side % 2] + 3 * i, axes + 3 * i);
    }
}

void
joints_start(struct rt *run)
{
    assert(run);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++)
        start_joint(run, joint + i);
    for (uint32_t block = 0; run->joints && block < run->im->blocks.n; block++)
        run->joints->blocks[block].rank = -1;
    for (uint32_t block = 0; run->joints && block < run->im->blocks.n; block++)
        run->joints->blocks[block].asked = false;
}

/* -- multipliers
 * ------------------------------------------------------------- */

/* Puts the residuals at unknowns 0 into joints->out, and the factors of K
 * behind them. */
static int
factor(struct rt *run, uint32_t block)
{
    struct joint_block *joints = run->joints->blocks + block;
    memset(joints->unknown, 0, joints->n_unknown * sizeof *joints->unknown);
    int st = rt_eval(run, joints_block_at(run, block)->solve, joints->unknown,
                     joints->out);
    if (st)
        return st;
    return imp_saddle_factor((int)joints->n_unknown, joints->K, joints->piv)
               ? IMP_NONFINITE
               : IMP_OK;
}

static int
rank_changed(struct rt *run, uint32_t block, int rank)
{
    const struct joint_block *joints = run->joints->blocks + block;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    char time_text[NUM_TEXT];
    imp_range where = IMP_NOWHERE;
    for (uint32_t i = 0; i < run->im->joints.n && where.file == 0; i++)
        for (int s = 0; s < 2; s++)
            if (joint[i].body[s] != IMP_WORLD &&
                rt_body(run, joint[i].body[s])->block == block)
                where = joint[i].range;
    int spins = (int)(joints->n_unknown - joints->n);
    struct diag *diag = diag_add(
        run->ds, DIAG_E0604, where,
        "at t = %s the joints have %d independent conditions, at the start %d",
        rt_told(time_text, rt_time(run), 9), rank - spins,
        joints->rank - spins);
    diag_help(run->ds, diag,
              "a linkage may go on in several ways from such a change point: "
              "start it elsewhere, or end the run before");
    return IMP_FAILED;
}

int
joints_multipliers(struct rt *run, uint32_t block, const double **lambda)
{
    assert(lambda != NULL && block < run->im->blocks.n);
    *lambda = NULL;
    if (!run->joints || run->joints->blocks[block].n == 0)
        return IMP_OK;
    struct joint_block *joints = run->joints->blocks + block;
    if (joints->rub) {
        *lambda = joints->unknown;
        return joint_friction_multipliers(run, block);
    }
    int st = factor(run, block);
    if (st == IMP_NONFINITE) {
        rt_nonfinite(run, joints_block_at(run, block)->solve, joints->unknown);
        return IMP_FAILED;
    }
    if (st)
        return st;
    int rank = imp_saddle_rank((int)joints->n_unknown, joints->piv);
    if (joints->rank < 0)
        joints->rank = rank;
    if (rank != joints->rank)
        return rank_changed(run, block, rank);
    for (uint32_t i = 0; i < joints->n_unknown; i++)
        joints->unknown[i] = -joints->out[i];
    imp_saddle_solve((int)joints->n_unknown, joints->K, joints->piv,
                     joints->unknown);
    *lambda = joints->unknown;
    return IMP_OK;
}

int
joints_multipliers_any(struct rt *run, uint32_t block, const double **lambda)
{
    assert(lambda != NULL && block < run->im->blocks.n);
    const double *found;
    if (!run->joints || !run->joints->blocks[block].rub)
        return joints_multipliers(run, block, lambda);
    struct joint_block *joints = run->joints->blocks + block;
    *lambda = joints->unknown;
    int st = joint_friction_solve(run, block, NULL, &found);
    if (st != IMP_SINGULAR)
        return st;
    memset(joints->unknown, 0, sizeof *joints->unknown * joints->n_unknown);
    return IMP_OK;
}

/* -- what joints without friction tell ------------------------------------- */

static double
greatest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

static int
not_determined(struct rt *run, const imp_joint *joint)
{
    struct diag *diag = diag_add(
        run->ds, DIAG_E0568, joint->range,
        "the force of joint `%s` is not determined: other joints hold its "
        "bodies in ways in which it holds them, too",
        imp_text(run->im, joint->name));
    diag_help(run->ds, diag,
              "how they share a load depends on how the bodies give way; leave "
              "out what is held twice: %s",
              run->im->dim == 3
                  ? "of two hinges of a door make one a ball joint, the other "
                    "a cylinder of the same axis"
                  : "of two hinges that hold a beam make one a slider along "
                    "the beam");
    return IMP_FAILED;
}

/* Finds a joint that tells other than 0 of unknowns which do nothing to the
 * bodies. */
static int
told_of_nothing(struct rt *run, uint32_t block, double *nothing,
                const imp_joint **which)
{
    struct joint_block *joints = run->joints->blocks + block;
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    const double *told = joints->told;
    double most = greatest(nothing, joints->n_unknown);
    int st =
        rt_eval(run, joints_block_at(run, block)->told, nothing, joints->told);
    for (uint32_t i = 0; i < run->im->joints.n && !st; i++) {
        if (!(joint[i].flags & IMP_JOINTF_TELLS) || joint[i].block != block)
            continue;
        for (uint32_t k = 0; k < IMP_JOINT_ROWS; k++)
            if (fabs(*told++) > JOINTS_NOTHING * most)
                *which = joint + i;
    }
    return st;
}

/* Where conditions depend on others: with y the solution of K y = K e, in which
 * their unknowns are 0, e - y does nothing, for e a unit of one of them; all
 * unknowns that do nothing are sums of these. */
static int
told_determined(struct rt *run, uint32_t block)
{
    struct joint_block *joints = run->joints->blocks + block;
    const imp_joint *which = NULL;
    uint32_t n = joints->n_unknown;
    joints->asked = true;
    int st = factor(run, block);
    if (st || imp_saddle_rank((int)n, joints->piv) == (int)n)
        return st;
    double *factors = NEW_N(run->arena, double, (size_t)n *n + n),
           *nothing = factors + (size_t)n * n;
    memcpy(factors, joints->K, sizeof *factors * n * n);
    memset(nothing, 0, sizeof *nothing * n);
    st = rt_eval(run, joints_block_at(run, block)->solve, nothing, joints->out);
    for (uint32_t i = 0; i < joints->n && !st && !which; i++) {
        for (uint32_t k = 0; k < n; k++)
            nothing[k] = -joints->K[k * n + i];
        imp_saddle_solve((int)n, factors, joints->piv, nothing);
        nothing[i] += 1.0;
        if (nothing[i] > 0.5) /* 1, else 0 to rounding */
            st = told_of_nothing(run, block, nothing, &which);
    }
    return st ? st : which ? not_determined(run, which) : IMP_OK;
}

int
joints_told(struct rt *run, uint32_t block, const double *x,
            const double **numbers)
{
    assert(run && block < run->im->blocks.n && numbers);
    struct joint_block *joints = run->joints->blocks + block;
    int st = IMP_OK;
    if (!joints->asked) {
        double *kept = NEW_N(run->arena, double, joints->n_unknown);
        memcpy(kept, joints->unknown, sizeof *kept * joints->n_unknown);
        st = told_determined(run, block);
        memcpy(joints->unknown, kept, sizeof *kept * joints->n_unknown);
    }
    if (!st && x)
        st = rt_eval(run, joints_block_at(run, block)->told, x, joints->told);
    *numbers = joints->told;
    return st;
}

/* -- projection
 * -------------------------------------------------------------- */

static double *
low_part(const struct rt *run, uint32_t env)
{
    return run->state_lo + (env - run->im->layout.state);
}

/* Puts the conditions into joints->phi, with the low parts of the positions;
 * state: the position and the quaternion of a body. */
static int
conditions(struct rt *run, uint32_t block)
{
    struct joint_block *joints = run->joints->blocks + block;
    const imp_block *bl = joints_block_at(run, block);
    const uint32_t *body = IMP_ARRAY(run->im, bl->bodies, uint32_t);
    uint32_t d = run->im->dim;
    double *to = joints->local;
    for (uint32_t i = 0; i < bl->bodies.n; i++, to += d == 2 ? 3 : 6) {
        uint32_t at = rt_body(run, body[i])->env_state;
        const double *state = run->env + at, *lo = low_part(run, at);
        memcpy(to, lo, d * sizeof *to);
        if (d == 2) {
            to[2] = lo[2];
            continue;
        }
        /* rotation 2 Im(conj(q) dq), body axes */
        state += 3;
        lo += 3;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            to[3 + a] =
                2 * (state[0] * lo[1 + a] - state[1 + a] * lo[0] -
                     state[1 + b] * lo[1 + c] + state[1 + c] * lo[1 + b]);
        }
    }
    return rt_eval(run, bl->hold, joints->local, joints->phi);
}

/* Sets joints->change = push(-K^-1 phi), the least change that makes the rates
 * of the conditions -phi. */
static int
correction(struct rt *run, uint32_t block, const double *phi)
{
    struct joint_block *joints = run->joints->blocks + block;
    memset(joints->unknown, 0, joints->n_unknown * sizeof *joints->unknown);
    for (uint32_t i = 0; i < joints->n; i++)
        joints->unknown[i] = -phi[i];
    imp_saddle_solve((int)joints->n_unknown, joints->K, joints->piv,
                     joints->unknown);
    return rt_eval(run, joints_block_at(run, block)->push, joints->unknown,
                   joints->change);
}

static void
add_all(struct rt *run, uint32_t env, const double *d, uint32_t n)
{
    double *x = run->env + env, *lo = low_part(run, env);
    for (uint32_t i = 0; i < n; i++)
        state_add(x + i, lo + i, d[i]);
}

static void
turn(struct rt *run, uint32_t env, const double w[3])
{
    double q[4], d[4];
    memcpy(q, run->env + env, sizeof q);
    d[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        d[1 + a] = 0.5 * (q[0] * w[a] + q[1 + b] * w[c] - q[1 + c] * w[b]);
    }
    add_all(run, env, d, 4);
    state_renormalise(run->env + env, low_part(run, env));
}

static bool
held(const struct rt *run, uint32_t body)
{
    return rt_body(run, body)->flags & IMP_BODYF_HELD;
}

/* Returns where `change` of joints_response has component c of a body. */
static uint32_t
entry(const struct rt *run, uint32_t body, uint32_t c)
{
    return 6 * body + (run->im->dim == 2 && c == 2 ? 5 : c);
}

int
joints_response(struct rt *run, uint32_t block, double *change)
{
    assert(change != NULL && block < run->im->blocks.n);
    if (!run->joints || run->joints->blocks[block].n == 0)
        return IMP_OK;
    struct joint_block *joints = run->joints->blocks + block;
    const imp_block *bl = joints_block_at(run, block);
    const uint32_t *body = IMP_ARRAY(run->im, bl->bodies, uint32_t);
    uint32_t nv = run->im->dim == 2 ? 3 : 6;
    uint32_t spins = nv - run->im->dim, at = joints->n;
    for (uint32_t b = 0; b < bl->bodies.n; b++)
        for (uint32_t c = 0; c < nv; c++)
            joints->local[b * nv + c] = c >= run->im->dim && held(run, body[b])
                                            ? 0.0
                                            : change[entry(run, body[b], c)];
    int st = factor(run, block);
    if (!st)
        st = rt_eval(run, bl->hold, joints->local, joints->phi);
    if (st)
        return st;
    for (uint32_t i = 0; i < joints->n; i++)
        joints->unknown[i] = -joints->phi[2 * joints->n + i];
    joint_friction_let_slip(run, block, joints->unknown);
    for (uint32_t b = 0; b < bl->bodies.n; b++)
        for (uint32_t c = 0; c < spins && held(run, body[b]); c++) {
            double *moment = change + entry(run, body[b], run->im->dim + c);
            joints->unknown[at++] = -*moment;
            *moment = 0.0;
        }
    assert(at == joints->n_unknown);
    imp_saddle_solve((int)joints->n_unknown, joints->K, joints->piv,
                     joints->unknown);
    if ((st = rt_eval(run, bl->push, joints->unknown, joints->change)))
        return st;
    for (uint32_t b = 0; b < bl->bodies.n; b++)
        for (uint32_t c = 0; c < nv; c++)
            change[entry(run, body[b], c)] += joints->change[b * nv + c];
    return IMP_OK;
}

void
joints_shift_body(struct rt *run, uint32_t body, const double change[6],
                  bool velocity)
{
    assert(body < run->im->bodies.n && change != NULL);
    uint32_t at = rt_body(run, body)->env_state, d = run->im->dim;
    double c[6];
    memcpy(c, change, sizeof c);
    if (d == 2) {
        c[2] = change[5];
        add_all(run, at + (velocity ? 3 : 0), c, 3);
    } else if (velocity) {
        add_all(run, at + 7, c, 6);
    } else {
        add_all(run, at, c, 3);
        turn(run, at + 3, c + 3);
    }
}

/* Adds joints->change to the poses, or to the velocities. */
static void
apply(struct rt *run, uint32_t block, bool velocity)
{
    const struct joint_block *joints = run->joints->blocks + block;
    const imp_block *bl = joints_block_at(run, block);
    const uint32_t *body = IMP_ARRAY(run->im, bl->bodies, uint32_t);
    uint32_t d = run->im->dim, nv = d == 2 ? 3 : 6;
    for (uint32_t i = 0; i < bl->bodies.n; i++) {
        uint32_t at = rt_body(run, body[i])->env_state;
        const double *c = joints->change + i * nv;
        if (velocity) {
            add_all(run, at + (d == 2 ? 3 : 7), c, nv);
        } else if (d == 2) {
            add_all(run, at, c, nv);
        } else {
            add_all(run, at, c, 3);
            turn(run, at + 3, c + 3);
        }
    }
}

/* A failure is not reported here: the series of the next step meets it and
 * reports it. */
static void
project_block(struct rt *run, uint32_t block)
{
    struct joint_block *joints = run->joints->blocks + block;
    double before = INFINITY;
    if (joints->n == 0 || factor(run, block))
        return;
    for (int round = 0; round < JOINTS_ROUNDS; round++) {
        if (conditions(run, block))
            return;
        double off = greatest(joints->phi, joints->n);
        if (!(off < 0.5 * before) || off == 0) {
            before = fmin(before, off);
            break;
        }
        before = off;
        if (correction(run, block, joints->phi))
            return;
        apply(run, block, false);
    }
    run->joints->error = fmax(run->joints->error, before);
    if (!conditions(run, block) &&
        !correction(run, block, joints->phi + joints->n))
        apply(run, block, true);
}

void
joints_project_block(struct rt *run, uint32_t block)
{
    assert(run && block < run->im->blocks.n);
    if (run->joints)
        project_block(run, block);
}

void
joints_project(struct rt *run)
{
    for (uint32_t block = 0; run->joints && block < run->im->blocks.n; block++)
        project_block(run, block);
}

void
joints_reset(struct rt *run)
{
    if (run->joints)
        run->joints->error = 0;
}

double
joints_greatest_error(const struct rt *run)
{
    assert(run);
    return run->joints ? run->joints->error : 0;
}

double *
joints_rows(const struct rt *run, uint32_t block)
{
    assert(block < run->im->blocks.n);
    return run->joints ? run->joints->blocks[block].work : NULL;
}

int
joints_errors(struct rt *run, double *position, double *velocity)
{
    assert(position != NULL && velocity != NULL);
    double most_position = 0, most_velocity = 0;
    for (uint32_t block = 0; run->joints && block < run->im->blocks.n;
         block++) {
        const struct joint_block *joints = run->joints->blocks + block;
        if (joints->n == 0)
            continue;
        int st = conditions(run, block);
        if (st)
            return st;
        most_position = fmax(most_position, greatest(joints->phi, joints->n));
        most_velocity =
            fmax(most_velocity, greatest(joints->phi + joints->n, joints->n));
    }
    if (position)
        *position = most_position;
    if (velocity)
        *velocity = most_velocity;
    return IMP_OK;
}
