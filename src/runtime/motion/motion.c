/* SPDX-License-Identifier: MIT */
/* Free motion by Taylor series (motion.h). A step is a sum of the motion
 * tape's coefficients; nothing here knows which equations they solve.
 *
 * Step size: Jorba & Zou 2005, sec. 3.2, with the order fixed: the largest h
 * for which the last two coefficients of every variable stay below
 * MOTION_TRUNCATION of that variable's own size. "Own size" is that of the
 * group the variable belongs to (a position, a quaternion, a velocity, a spin
 * as vectors), so that a component that passes through zero does not stop the
 * motion. Where all coefficients beyond some order vanish (plane free flight)
 * the series is the motion itself and h is infinite.
 *
 * Invariant: r->env holds the rounded state, r->state_lo what was rounded off
 * (Neumaier); between set-up and impacts only this file and joints.c write
 * either.
 */
#include "runtime/motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "runtime/instance/compensated.h"
#include "runtime/instance/system.h"
#include "runtime/motion/joints.h"
#include "runtime/motion/persistent.h"
#include "runtime/motion/switching.h"

/* largest last term over the variable's size; the terms left out are smaller
 * again by h over the radius, about 1/5: less than half an ulp. Their signs
 * change along the motion: imp-bench finds an energy right to 5e-14 after 10^5
 * steps, but 1e-13 with 1e-15 here */
#define MOTION_TRUNCATION 4e-16

/* order of steps between which nothing is looked for: the longer steps pay */
#define MOTION_ORDER IMP_ORDER_MAX

/* What a step needs to know of the image, read once: where the rows lie and
 * which of them move. Offsets, since r->work is exchanged (series_along.c). */
struct motion_row {
    uint32_t env; /* index of the variable */
    uint32_t row; /* its coefficient 0 in r->work[block] */
};
/* variables that form one vector, at least one of them a series; the entries
 * after the n-th repeat the first */
#define GROUP_MAX 4
struct motion_group {
    uint32_t row[GROUP_MAX];
    unsigned char series[GROUP_MAX]; /* no constant, line or parabola */
    unsigned char spin, rate;        /* of an attitude; of a velocity */
};
struct motion_block {
    uint32_t tape;   /* IMP_NO_TAPE: nothing moves */
    uint32_t system; /* of the block, or IMP_NO_SYSTEM: a flow moves it */
    bool observer;   /* the system's variables that feel its motion */
    uint32_t n_groups, n_lines, n_parabolas, n_series, n_turning;
    struct motion_group *groups;
    struct motion_row *lines, *parabolas, *series;
    uint32_t *turning; /* env: first entry of each quaternion */
};
struct motion_plan {
    struct motion_block *blocks, *held; /* free, and with closed contacts */
    bool prescribed; /* some body's state is a function of time */
};

/* what the tape says of a variable's row: constant, a line (its rate is
 * constant), a parabola (its rate is a line), or a series */
enum row_kind { ROW_CONSTANT, ROW_LINE, ROW_PARABOLA, ROW_SERIES };
static enum row_kind
row_kind(const struct rt *run, const imp_block *bl, uint32_t i)
{
    const imp_tape *tape =
        IMP_ARRAY(run->im, run->im->tapes, imp_tape) + bl->motion;
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    const imp_instr *in = code + IMP_ARRAY(run->im, tape->outs, uint32_t)[i];
    if (in->flags & IMP_INSTR_CONST)
        return ROW_CONSTANT;
    if (in->op != IMP_OP_STATE)
        return ROW_SERIES;
    const imp_instr *rate = code + in->b;
    if (rate->flags & IMP_INSTR_CONST)
        return ROW_LINE;
    return rate->op == IMP_OP_STATE && (code[rate->b].flags & IMP_INSTR_CONST)
               ? ROW_PARABOLA
               : ROW_SERIES;
}

/* number of variables from i on that form one vector with variable i: they
 * are read off the layout of a body's state */
static uint32_t
group_size(const struct rt *run, const imp_block *bl, uint32_t i,
           struct motion_group *g)
{
    static const unsigned char plane[IMP_STATE_PLANE] = {2, 0, 1, 2, 0, 1};
    static const unsigned char space[IMP_STATE_SPACE] = {3, 0, 0, 4, 0, 0, 0,
                                                         3, 0, 0, 3, 0, 0};
    const uint32_t *state = IMP_ARRAY(run->im, bl->state, uint32_t);
    const uint32_t *bodies = IMP_ARRAY(run->im, bl->bodies, uint32_t);
    uint32_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    for (uint32_t k = 0; k < bl->bodies.n; k++) {
        uint32_t first = rt_body(run, bodies[k])->env_state;
        if (state[i] < first || state[i] >= first + n)
            continue;
        uint32_t at = state[i] - first;
        uint32_t size = run->im->dim == 2 ? plane[at] : space[at];
        g->rate = at >= (run->im->dim == 2 ? 3 : 7);
        g->spin = run->im->dim == 2 ? at % 3 == 2 : at == 3 || at == 10;
        for (uint32_t j = 1; j < size; j++)
            if (i + j >= bl->state.n || state[i + j] != state[i] + j)
                return 1;
        return size > 0 ? size : 1;
    }
    return 1;
}

static void
plan_block(const struct rt *run, struct arena *a, uint32_t b, bool held,
           struct motion_block *to)
{
    const imp_block *bl = IMP_ARRAY(run->im, run->im->blocks, imp_block) + b;
    const uint32_t *state = IMP_ARRAY(run->im, bl->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, bl->rows, uint32_t);
    const uint32_t *bodies = IMP_ARRAY(run->im, bl->bodies, uint32_t);
    uint32_t n = bl->state.n;
    to->tape = n == 0 ? IMP_NO_TAPE : held ? bl->driven : bl->motion;
    to->system = system_of_block(run, b);
    to->observer = to->system != IMP_NO_SYSTEM &&
                   rt_system(run, to->system)->observer == b;
    if (to->tape == IMP_NO_TAPE)
        return;
    to->groups = NEW_N(a, struct motion_group, n);
    to->lines = NEW_N(a, struct motion_row, n);
    to->parabolas = NEW_N(a, struct motion_row, n);
    to->series = NEW_N(a, struct motion_row, n);
    to->turning = NEW_N(a, uint32_t, bl->bodies.n + 1);
    for (uint32_t i = 0, m; i < n; i += m) {
        struct motion_group *g = to->groups + to->n_groups;
        uint32_t before = to->n_series;
        m = group_size(run, bl, i, g);
        for (uint32_t j = 0; j < GROUP_MAX; j++) {
            uint32_t v = i + (j < m ? j : 0);
            struct motion_row row = {state[v],
                                     rows[v] * IMP_ROW_STRIDE + IMP_ROW_PAD};
            enum row_kind kind = held ? ROW_SERIES : row_kind(run, bl, v);
            g->row[j] = row.row;
            g->series[j] = kind == ROW_SERIES;
            if (j < m && kind == ROW_LINE)
                to->lines[to->n_lines++] = row;
            if (j < m && kind == ROW_PARABOLA)
                to->parabolas[to->n_parabolas++] = row;
            if (j < m && kind == ROW_SERIES)
                to->series[to->n_series++] = row;
        }
        to->n_groups += to->n_series > before;
    }
    for (uint32_t k = 0; run->im->dim == 3 && k < bl->bodies.n; k++)
        to->turning[to->n_turning++] = rt_body(run, bodies[k])->env_state + 3;
}

struct motion_plan *
motion_plan_new(struct rt *run)
{
    struct motion_plan *p = NEW(run->own, struct motion_plan);
    p->blocks = NEW_N(run->own, struct motion_block, run->im->blocks.n + 1);
    p->held = NEW_N(run->own, struct motion_block, run->im->blocks.n + 1);
    for (uint32_t b = 0; b < run->im->blocks.n; b++) {
        plan_block(run, run->own, b, false, p->blocks + b);
        plan_block(run, run->own, b, true, p->held + b);
    }
    for (uint32_t b = 0; b < run->im->bodies.n; b++)
        p->prescribed |= rt_body(run, b)->refresh != IMP_NO_TAPE;
    return p;
}

/* logarithm to base 2 of a normal x > 0, to 0.01: a step that is a 20th root
 * needs no more, and calls of libm here took as long as the series */
static double
rough_log2(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    int e = (int)(u >> 52) - 1023;
    u = (u & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&x, &u, sizeof x);
    /* parabola through 0 at 1, 1 at 2 */
    return e + (x - 1.0) * (1.3547 - 0.3548 * (x - 1.0));
}

static double
rough_exp2(double x)
{
    int n = (int)x - (x < 0.0); /* floor, or one below it */
    double f = x - n, y;
    uint64_t u = (uint64_t)(n + 1023) << 52;
    memcpy(&y, &u, sizeof y);
    return y * (1.0 + f * (0.6565 + f * 0.3435));
}

static bool
is_normal(double x)
{
    return x >= DBL_MIN && x <= DBL_MAX;
}

/* least h with (MOTION_TRUNCATION size / last)^(1/order), and the same for
 * the coefficient before the last; a coefficient of 0 sets no limit */
static double
root_step(double size, double last, double before, int order)
{
    double s = MOTION_TRUNCATION * size, a = INFINITY, b = INFINITY;
    if (!is_normal(s) || (last != 0.0 && !is_normal(last)) ||
        (before != 0.0 && !is_normal(before))) {
        if (last > 0.0)
            a = exp((log(s) - log(last)) / order);
        if (before > 0.0)
            b = exp((log(s) - log(before)) / (order - 1));
        return fmin(a, b);
    }
    double l = rough_log2(s);
    if (last > 0.0)
        a = (l - rough_log2(last)) / order;
    if (before > 0.0)
        b = (l - rough_log2(before)) / (order - 1);
    a = a < b ? a : b;
    return a < 1000.0 && a > -1000.0 ? rough_exp2(a) : exp2(a);
}

static inline double
larger(double a, double b)
{
    return a < b ? b : a;
}

/* greatest |c_k| of a group */
static inline double
largest(const double *const *row, int k)
{
    return larger(larger(fabs(row[0][k]), fabs(row[1][k])),
                  larger(fabs(row[2][k]), fabs(row[3][k])));
}

/* greatest |c_k| h^k, k = 1 .. to, of a group, and at least s */
static double
largest_term(const double *const *row, int to, double h, double s)
{
    double hk = h;
    for (int k = 1; k <= to; k++, hk *= h)
        s = larger(s, largest(row, k) * hk);
    return s;
}

/* h for which the two last coefficients of a group keep to the truncation */
static double
group_step(const double *const *row, int order)
{
    double last = largest(row, order), before = largest(row, order - 1);
    double size = largest(row, 0), h = INFINITY;
    if (last == 0.0 && before == 0.0)
        return INFINITY;
    /* starting from rest the size is what the motion gives it in one step:
     * a few rounds settle it */
    for (int round = 0; round < 4; round++) {
        double s = size;
        if (isfinite(h)) {
            /* a size that the first terms keep is the size */
            if (largest_term(row, 3, h, s) == s)
                break;
            s = largest_term(row, order, h, s);
        }
        /* from rest: of the first coefficient that is there */
        for (int k = 1; k < order && s == 0.0; k++)
            s = largest(row, k);
        double was = h;
        h = root_step(s, last, before, order);
        if (fabs(h - was) <= 0.05 * h)
            break;
    }
    return h;
}

/* The same with contacts that stay closed: what their forces leave of rest is
 * rounding of the accelerations `push` that they give, and no series. So sizes
 * count at least as what these would make in one step. */
static double
held_step(const double *const *row, int order, double push, bool rate)
{
    double last = largest(row, order), before = largest(row, order - 1);
    double size = largest(row, 0), h = 1.0;
    if (last == 0.0 && before == 0.0)
        return INFINITY;
    for (int round = 0; round < 8; round++) {
        double s = largest_term(row, 4, h, size), was = h;
        s = larger(s, push * h * (rate ? 1.0 : 0.5 * h));
        for (int k = 1; k < order && s == 0.0; k++)
            s = largest(row, k);
        h = root_step(s, last, before, order);
        if (fabs(h - was) <= 0.05 * h)
            break;
    }
    return h;
}

/* coefficients from .. to are all 0: the bits but the sign, in one go */
static bool
zeros(const double *row, int from, int to)
{
    uint64_t any = 0;
    for (int k = from; k <= to; k++) {
        uint64_t u;
        memcpy(&u, row + k, sizeof u);
        any |= u;
    }
    return any << 1 == 0;
}

/* a state variable may be a constant (its row ends at once), or end in a
 * polynomial: then all its higher coefficients vanish */
static bool
row_ends(const double *row, int order)
{
    return row[order] == 0.0 && zeros(row, (order + 1) / 2, order);
}

static int
free_series(struct rt *run, uint32_t block, uint32_t tape, int order)
{
    const double *lambda;
    int st = joints_multipliers(run, block, &lambda);
    if (st != IMP_OK)
        return st;
    st = rt_series(run, tape, lambda, NULL, run->work[block], order);
    if (st == IMP_NONFINITE) {
        rt_nonfinite_series(run, tape, lambda, run->work[block], order);
        return IMP_FAILED;
    }
    return st;
}

static const struct motion_block *
plan_of(const struct rt *run, uint32_t block)
{
    return (persistent_moves(run, block) ? run->motion->held
                                         : run->motion->blocks) +
           block;
}

/* h from the rows in r->work */
static void
step_of(const struct rt *run, uint32_t block, int order, double *h)
{
    const struct motion_block *bl = plan_of(run, block);
    const double *work = run->work[block];
    double push[2];
    bool held = persistent_moves(run, block);
    *h = INFINITY;
    if (held)
        persistent_accelerations(run, block, push);
    for (uint32_t i = 0; i < bl->n_groups; i++) {
        const struct motion_group *g = bl->groups + i;
        const double *row[GROUP_MAX];
        bool ends = true;
        for (uint32_t j = 0; j < GROUP_MAX; j++) {
            row[j] = work + g->row[j];
            ends = ends && (!g->series[j] || row_ends(row[j], order));
        }
        if (!ends) {
            double hg = held ? held_step(row, order, push[g->spin], g->rate)
                             : group_step(row, order);
            *h = hg < *h ? hg : *h;
        }
    }
}

int
motion_series(struct rt *run, uint32_t block, int order, double *h)
{
    const struct motion_block *bl = plan_of(run, block);
    *h = INFINITY;
    if (bl->tape == IMP_NO_TAPE)
        return IMP_OK;
    bool system = bl->system != IMP_NO_SYSTEM && !bl->observer;
    bool slides = system && system_slides(run, bl->system);
    if (system && !slides)
        system_unslide(run, bl->system);
    int st = persistent_moves(run, block) ? persistent_series(run, order, block)
             : bl->observer ? system_observed(run, bl->system, order)
             : slides       ? system_series(run, bl->system, order)
                            : free_series(run, block, bl->tape, order);
    int which;
    if (st == IMP_OK)
        step_of(run, block, order, h);
    /* flows ask for theirs themselves */
    if (st == IMP_OK && bl->system == IMP_NO_SYSTEM)
        st = switching_end(run, block, order, h, &which);
    return st;
}

int
motion_series_all(struct rt *run, int order, double *h)
{
    int st = persistent_any(run) ? persistent_series(run, order, UINT32_MAX)
                                 : IMP_OK;
    *h = INFINITY;
    for (uint32_t b = 0; b < run->im->blocks.n && st == IMP_OK; b++) {
        double hb;
        if (run->motion->blocks[b].system != IMP_NO_SYSTEM)
            continue;
        if (persistent_moves(run, b)) {
            int which;
            step_of(run, b, order, &hb);
            st = switching_end(run, b, order, &hb, &which);
        } else {
            st = motion_series(run, b, order, &hb);
        }
        if (st != IMP_OK)
            return st;
        *h = hb < *h ? hb : *h;
    }
    return st;
}

/* state of prescribed bodies at the time in env */
static void
refresh(struct rt *run)
{
    for (uint32_t b = 0; b < run->im->bodies.n; b++) {
        const imp_body *bd = rt_body(run, b);
        if (bd->refresh == IMP_NO_TAPE)
            continue;
        double out[IMP_STATE_SPACE];
        uint32_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
        /* a value that is not finite is reported by the tape that uses it */
        rt_eval(run, bd->refresh, NULL, out);
        memcpy(run->env + bd->env_state, out, sizeof(double) * n);
    }
}

/* what the series of four variables add to them within dt: c_1 dt + c_2 dt^2 +
 * ..; odd and even terms apart and four at a time, since each sum waits for
 * itself at every order. Entry order + 1 of a row is 0. */
#define AT_ONCE 4
typedef double pair __attribute__((vector_size(16)));
static inline pair
two(const double *x)
{
    pair p;
    memcpy(&p, x, sizeof p);
    return p;
}

static void
increments(const double *const *c, int order, double dt, double *d)
{
    int k = (order - 1) | 1;
    double z = dt * dt;
    pair zz = {z, z}, p = two(c[0] + k), q = two(c[1] + k), r = two(c[2] + k),
         s = two(c[3] + k);
    for (k -= 2; k >= 1; k -= 2) {
        p = p * zz + two(c[0] + k);
        q = q * zz + two(c[1] + k);
        r = r * zz + two(c[2] + k);
        s = s * zz + two(c[3] + k);
    }
    d[0] = (p[0] + p[1] * dt) * dt;
    d[1] = (q[0] + q[1] * dt) * dt;
    d[2] = (r[0] + r[1] * dt) * dt;
    d[3] = (s[0] + s[1] * dt) * dt;
}

/* the same for rows that are a constant, a line or a parabola */
static bool
short_increment(const double *c, int order, double dt, double *d)
{
    if (c[order] != 0.0 || !zeros(c, 3, order))
        return false;
    *d = (c[2] * dt + c[1]) * dt;
    return true;
}

static void
advance_block(struct rt *run, uint32_t b, int order, double dt)
{
    const struct motion_block *bl = plan_of(run, b);
    const double *work = run->work[b], *row[AT_ONCE];
    double *env = run->env, *lo = run->state_lo, d[AT_ONCE];
    uint32_t state0 = run->im->layout.state, at[AT_ONCE], n = 0;
    for (uint32_t i = 0; i < bl->n_lines; i++) {
        uint32_t e = bl->lines[i].env;
        state_add(&env[e], &lo[e - state0], work[bl->lines[i].row + 1] * dt);
    }
    for (uint32_t i = 0; i < bl->n_parabolas; i++) {
        uint32_t e = bl->parabolas[i].env;
        const double *c = work + bl->parabolas[i].row;
        state_add(&env[e], &lo[e - state0], (c[2] * dt + c[1]) * dt);
    }
    for (uint32_t i = 0; i < bl->n_series; i++) {
        uint32_t e = bl->series[i].env;
        row[n] = work + bl->series[i].row;
        at[n] = e;
        if (short_increment(row[n], order, dt, d))
            state_add(&env[e], &lo[e - state0], d[0]);
        else
            n++;
        if (n == 0 || (n < AT_ONCE && i + 1 < bl->n_series))
            continue;
        for (uint32_t j = n; j < AT_ONCE; j++)
            row[j] = row[0]; /* computed and dropped */
        increments(row, order, dt, d);
        for (uint32_t j = 0; j < n; j++)
            state_add(&env[at[j]], &lo[at[j] - state0], d[j]);
        n = 0;
    }
    for (uint32_t i = 0; i < bl->n_turning; i++)
        state_renormalise(env + bl->turning[i], lo + (bl->turning[i] - state0));
}

static void
advance(struct rt *run, int order, double dt, double t)
{
    for (uint32_t b = 0; b < run->im->blocks.n; b++)
        if (run->motion->blocks[b].tape != IMP_NO_TAPE &&
            run->motion->blocks[b].system == IMP_NO_SYSTEM)
            advance_block(run, b, order, dt);
    run->env[run->im->layout.time] = t;
    if (run->motion->prescribed)
        refresh(run);
    if (persistent_any(run))
        persistent_project(run);
    if (run->joints)
        joints_project(run);
}

void
motion_advance(struct rt *run, double dt, double t)
{
    advance(run, MOTION_STEP_ORDER, dt, t);
}

void
motion_advance_by(struct rt *run, int order, double dt, double t)
{
    advance(run, order, dt, t);
}

/* the series holds for no time at all: a singularity of the motion */
static int
motion_stuck(struct rt *run)
{
    char t[NUM_TEXT];
    struct diag *diag = diag_add(run->ds, DIAG_E0603, IMP_NOWHERE,
                                 "the motion cannot be continued beyond t = %s",
                                 num_digits(t, rt_time(run), 9));
    diag_help(run->ds, diag,
              "its time series has no radius of convergence there: a force "
              "or a speed grows without bound, or a formula is not smooth");
    return IMP_FAILED;
}

int
motion_to(struct rt *run, double t)
{
    /* forces of contacts take two orders more */
    int order = persistent_any(run) ? MOTION_STEP_ORDER : MOTION_ORDER;
    while (rt_time(run) != t) {
        if (rt_stopped(run))
            return IMP_STOPPED;
        double h, t0 = rt_time(run), t1 = t;
        int st = motion_series_all(run, order, &h);
        if (st != IMP_OK)
            return st;
        if (fabs(t - t0) > h) {
            t1 = t > t0 ? t0 + h : t0 - h;
            if (t1 == t0)
                return motion_stuck(run);
        }
        advance(run, order, t1 - t0, t1);
    }
    return IMP_OK;
}

int
motion_totals(struct rt *run, struct motion_totals *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t s = 0; s < run->im->systems.n; s++) {
        double e[2];
        uint32_t tape = rt_system(run, s)->energy;
        int st = rt_eval(run, tape, NULL, e);
        if (st == IMP_NONFINITE)
            rt_nonfinite(run, tape, NULL);
        if (st != IMP_OK)
            return IMP_FAILED;
        out->kinetic += e[0];
        out->potential += e[1];
    }
    for (uint32_t b = 0; b < run->im->bodies.n; b++) {
        const imp_body *bd = rt_body(run, b);
        double e[8];
        if (bd->energy == IMP_NO_TAPE || (bd->flags & IMP_BODYF_FIXED))
            continue;
        int st = rt_eval(run, bd->energy, NULL, e);
        if (st == IMP_NONFINITE) {
            rt_nonfinite(run, bd->energy, NULL);
            return IMP_FAILED;
        }
        if (st != IMP_OK)
            return st;
        out->kinetic += e[0];
        out->potential += e[1];
        for (int i = 0; i < 3; i++) {
            out->momentum[i] += e[2 + i];
            out->angular[i] += e[5 + i];
        }
    }
    return IMP_OK;
}
