/* SPDX-License-Identifier: MIT */
/* What steps need to know of the image, read once for a run: which variables
 * form one vector, and which of them move along a line, a parabola or a series;
 * what a step hands to a run that keeps its motion; and how long a step is. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "runtime/instance/system.h"
#include "runtime/motion/motion_priv.h"
#include "runtime/motion/persistent_group.h"
#include "runtime/motion/switching.h"
#include "runtime/numerics/taylor.h"
#include "runtime/tape/cancelled.h"
#include "runtime/trace/trace.h"

/* How a variable moves, as its tape says: it is constant, moves along a line,
 * along a parabola (its rate moves along a line), or by a series. */
enum row_kind { ROW_CONSTANT, ROW_LINE, ROW_PARABOLA, ROW_SERIES };
static enum row_kind
row_kind(const struct rt *run, const imp_block *block, uint32_t i)
{
    const imp_tape *tape =
        IMP_ARRAY(run->im, run->im->tapes, imp_tape) + block->motion;
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    const imp_instr *in = code + IMP_ARRAY(run->im, tape->outs, uint32_t)[i];
    if (in->flags & IMP_INSTR_CONST)
        return ROW_CONSTANT;
    if (in->op != IMP_OP_STATE || block->relays.n) /* which share what jumps */
        return ROW_SERIES;
    const imp_instr *rate = code + in->b;
    if (rate->flags & IMP_INSTR_CONST)
        return ROW_LINE;
    return rate->op == IMP_OP_STATE && (code[rate->b].flags & IMP_INSTR_CONST)
               ? ROW_PARABOLA
               : ROW_SERIES;
}

/* The number of variables from this one on that form one vector with it, read
 * off the layout of the state of a body. */
static uint32_t
group_size(const struct rt *run, const imp_block *block, uint32_t variable,
           struct motion_group *group)
{
    static const unsigned char plane[IMP_STATE_PLANE] = {2, 0, 1, 2, 0, 1};
    static const unsigned char space[IMP_STATE_SPACE] = {3, 0, 0, 4, 0, 0, 0,
                                                         3, 0, 0, 3, 0, 0};
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    const uint32_t *bodies = IMP_ARRAY(run->im, block->bodies, uint32_t);
    uint32_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    for (uint32_t k = 0; k < block->bodies.n; k++) {
        uint32_t first = rt_body(run, bodies[k])->env_state;
        if (state[variable] < first || state[variable] >= first + n)
            continue;
        uint32_t at = state[variable] - first;
        uint32_t size = run->im->dim == 2 ? plane[at] : space[at];
        group->rate = at >= (run->im->dim == 2 ? 3 : 7);
        group->spin = run->im->dim == 2 ? at % 3 == 2 : at == 3 || at == 10;
        for (uint32_t j = 1; j < size; j++)
            if (variable + j >= block->state.n ||
                state[variable + j] != state[variable] + j)
                return 1;
        return size > 0 ? size : 1;
    }
    return 1;
}

/* What the variable at this index of env is, if it belongs to a body of the
 * block. */
static enum motion_what
what_of(const struct rt *run, const imp_block *block, uint32_t env)
{
    const uint32_t *bodies = IMP_ARRAY(run->im, block->bodies, uint32_t);
    uint32_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    uint32_t speed = run->im->dim == 2 ? 3 : 7,
             spin = run->im->dim == 2 ? 5 : 10;
    for (uint32_t k = 0; k < block->bodies.n; k++) {
        uint32_t first = rt_body(run, bodies[k])->env_state;
        if (env >= first && env < first + n)
            return env - first >= spin    ? MOTION_SPIN
                   : env - first >= speed ? MOTION_SPEED
                                          : MOTION_POSE;
    }
    return block->bodies.n ? MOTION_SPEED : MOTION_POSE; /* of a rotor */
}

/* In a chain of so many velocities, each the square of the one before, the last
 * one begins with t^15 (t, t^3, t^7, t^15): below the last order. */
#define QUADRATIC_VELOCITIES 4

/* The degree of a register as a polynomial of the state, from those before it;
 * -1: it is none. */
static int
degree_of(const imp_instr *code, const uint32_t *pool,
          const signed char *degree, uint32_t reg)
{
    const imp_instr *in = &code[reg];
    int most = 0;
    if (in->flags & IMP_INSTR_CONST)
        return 0;
    switch (in->op) {
    case IMP_OP_STATE:
        return 1;
    case IMP_OP_ADD:
    case IMP_OP_SUB:
        return degree[in->a] > degree[in->b] ? degree[in->a] : degree[in->b];
    case IMP_OP_NEG:
        return degree[in->a];
    case IMP_OP_MUL:
        return degree[in->a] + degree[in->b];
    case IMP_OP_DIV:
        return code[in->b].flags & IMP_INSTR_CONST ? degree[in->a] : -1;
    case IMP_OP_DOT:
        for (uint32_t i = 0; i < in->b; i++) {
            const uint32_t *pair = pool + in->a + 3 * i;
            int of = degree[pair[1]] + degree[pair[2]];
            most = of > most ? of : most;
        }
        return most;
    default:
        return -1;
    }
}

/* Are the rates of a body polynomials of the second degree at most, its
 * acceleration constant, and few of its spins and rotors no constants? So it is
 * where nothing but its weight and its rotors acts on it. No power of a
 * variable that is small comes in beyond the last order then, which the last
 * orders do not tell (crossing_checked). */
static bool
is_quadratic(const struct rt *run, struct arena *arena, const imp_block *block,
             const struct motion_block *moving)
{
    const imp_tape *tape =
        IMP_ARRAY(run->im, run->im->tapes, imp_tape) + block->motion;
    const imp_instr *code = IMP_ARRAY(run->im, tape->code, imp_instr);
    const uint32_t *pool = IMP_ARRAY(run->im, tape->pool, uint32_t),
                   *out = IMP_ARRAY(run->im, tape->outs, uint32_t);
    uint32_t velocities = 0;
    if (block->bodies.n != 1 || block->n_unknown ||
        moving->system != IMP_NO_SYSTEM)
        return false;
    signed char *degree = NEW_N(arena, signed char, tape->code.n + 1);
    for (uint32_t reg = 0; reg < tape->code.n; reg++) {
        int of = degree_of(code, pool, degree, reg);
        if (of < 0 || of > 2)
            return false;
        degree[reg] = (signed char)of;
    }
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    uint32_t body =
        rt_body(run, *IMP_ARRAY(run->im, block->bodies, uint32_t))->env_state;
    uint32_t size = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
    for (uint32_t i = 0; i < block->state.n; i++) {
        const imp_instr *in = &code[out[i]];
        bool moves = in->op == IMP_OP_STATE &&
                     !(code[in->b].flags & IMP_INSTR_CONST) &&
                     moving->what[i] != MOTION_POSE;
        bool place = moving->what[i] == MOTION_SPEED && state[i] >= body &&
                     state[i] < body + size;
        if (moves && place) /* a force */
            return false;
        velocities += moves;
    }
    return velocities <= QUADRATIC_VELOCITIES;
}

static void
plan_block(const struct rt *run, struct arena *arena, uint32_t number,
           bool held, struct motion_block *to)
{
    const imp_block *block =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + number;
    const uint32_t *state = IMP_ARRAY(run->im, block->state, uint32_t);
    const uint32_t *rows = IMP_ARRAY(run->im, block->rows, uint32_t);
    const uint32_t *bodies = IMP_ARRAY(run->im, block->bodies, uint32_t);
    uint32_t count = block->state.n;
    to->tape = count == 0 ? IMP_NO_TAPE : held ? block->driven : block->motion;
    to->system = system_of_block(run, number);
    to->observer = to->system != IMP_NO_SYSTEM &&
                   rt_system(run, to->system)->observer == number;
    if (to->tape == IMP_NO_TAPE)
        return;
    to->powers = cancelled_may(run->im, rt_tape(run, to->tape));
    to->groups = NEW_N(arena, struct motion_group, count);
    to->lines = NEW_N(arena, struct motion_row, count);
    to->parabolas = NEW_N(arena, struct motion_row, count);
    to->series = NEW_N(arena, struct motion_row, count);
    to->turning = NEW_N(arena, uint32_t, block->bodies.n + 1);
    to->what = NEW_N(arena, enum motion_what, count);
    for (uint32_t i = 0; i < count; i++)
        to->what[i] = what_of(run, block, state[i]);
    for (uint32_t i = 0, size; i < count; i += size) {
        struct motion_group *group = to->groups + to->n_groups;
        uint32_t before = to->n_series;
        size = group_size(run, block, i, group);
        for (uint32_t lane = 0; lane < GROUP_MAX; lane++) {
            uint32_t v = i + (lane < size ? lane : 0);
            struct motion_row row = {state[v] - state[0],
                                     rows[v] * IMP_ROW_STRIDE + IMP_ROW_PAD};
            enum row_kind kind = held ? ROW_SERIES : row_kind(run, block, v);
            group->row[lane] = row.row;
            group->series[lane] = kind == ROW_SERIES;
            if (lane < size && kind == ROW_LINE)
                to->lines[to->n_lines++] = row;
            if (lane < size && kind == ROW_PARABOLA)
                to->parabolas[to->n_parabolas++] = row;
            if (lane < size && kind == ROW_SERIES)
                to->series[to->n_series++] = row;
        }
        to->n_groups += to->n_series > before;
    }
    for (uint32_t k = 0; run->im->dim == 3 && k < block->bodies.n; k++)
        to->turning[to->n_turning++] =
            rt_body(run, bodies[k])->env_state + 3 - state[0];
    to->quadratic = !held && is_quadratic(run, arena, block, to);
}

/* Does block `two` move by the tapes of block `one`, as another member of its
 * family? */
static bool
moves_alike(const struct rt *run, const imp_block *one, const imp_block *two)
{
    if (one->motion == IMP_NO_TAPE || one->motion != two->motion ||
        one->driven != two->driven || one->rows.off != two->rows.off ||
        one->state.n != two->state.n || one->bodies.n != 1 ||
        two->bodies.n != 1)
        return false;
    const imp_body *of_one =
                       rt_body(run, *IMP_ARRAY(run->im, one->bodies, uint32_t)),
                   *of_two =
                       rt_body(run, *IMP_ARRAY(run->im, two->bodies, uint32_t));
    const uint32_t *a = IMP_ARRAY(run->im, one->state, uint32_t),
                   *b = IMP_ARRAY(run->im, two->state, uint32_t);
    for (uint32_t i = 0; i < one->state.n; i++)
        if (a[i] - of_one->env_state != b[i] - of_two->env_state)
            return false;
    return (of_one->flags & of_two->flags & IMP_BODYF_ALIKE) != 0;
}

/* The kinds of blocks. Members of a family stand one after the other. */
static void
plan_kinds(struct rt *run, struct motion_plan *plan)
{
    const imp_block *block = IMP_ARRAY(run->im, run->im->blocks, imp_block);
    uint32_t n = run->im->blocks.n, kinds = 0;
    plan->place = NEW_N(run->own, struct motion_place, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        kinds += i == 0 || !moves_alike(run, block + i - 1, block + i);
        plan->place[i].kind = kinds - 1;
        if (block[i].state.n)
            plan->place[i].first =
                *IMP_ARRAY(run->im, block[i].state, uint32_t);
    }
    plan->free = NEW_N(run->own, struct motion_block, kinds + 1);
    plan->held = NEW_N(run->own, struct motion_block, kinds + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = plan->place[i].kind;
        if (i > 0 && plan->place[i - 1].kind == kind)
            continue;
        plan_block(run, run->own, i, false, plan->free + kind);
        plan_block(run, run->own, i, true, plan->held + kind);
    }
}

struct motion_plan *
motion_plan_new(struct rt *run)
{
    assert(run);
    struct motion_plan *plan = NEW(run->own, struct motion_plan);
    plan_kinds(run, plan);
    plan->crossing = NEW_N(run->own, struct crossing *, run->im->blocks.n + 1);
    plan->parabola = NEW_N(run->own, double, run->im->blocks.n + 1);
    plan->briefs = NEW_N(run->own, struct motion_brief, run->im->blocks.n + 1);
    plan->ground_step = plan->ground = INFINITY;
    plan->ground_due = NAN;
    for (uint32_t block = 0; block < run->im->blocks.n; block++)
        plan->parabola[block] = INFINITY;
    for (uint32_t i = 0; i < run->im->bodies.n; i++)
        plan->prescribed |= rt_body(run, i)->refresh != IMP_NO_TAPE;
    plan->weight =
        !plan->prescribed && !run->im->joints.n && !run->im->systems.n;
    for (uint32_t i = 0; i < run->im->bodies.n; i++)
        plan->weight &= (rt_body(run, i)->flags & IMP_BODYF_WEIGHT) != 0;
    for (uint32_t i = 0; i < run->im->contacts.n; i++)
        plan->weight &= rt_contact(run, i)->rub == IMP_NO_TAPE;
    return plan;
}

void
motion_horizon(struct rt *run, double until)
{
    assert(run != NULL && run->motion != NULL && !isnan(until));
    run->motion->horizon = isfinite(until) ? fabs(until) : 0.0;
    for (uint32_t block = 0; block < run->im->blocks.n; block++)
        run->motion->briefs[block] = (struct motion_brief){.time = NAN};
}

void
motion_prescribed(struct rt *run)
{
    assert(run != NULL);
    if (!run->motion->prescribed)
        return;
    for (uint32_t block = 0; block < run->im->bodies.n; block++) {
        const imp_body *body = rt_body(run, block);
        if (body->refresh == IMP_NO_TAPE)
            continue;
        double out[IMP_STATE_SPACE];
        uint32_t n = run->im->dim == 2 ? IMP_STATE_PLANE : IMP_STATE_SPACE;
        /* a value that is not finite is reported by the tape that uses it (I5)
         */
        rt_eval(run, body->refresh, NULL, out);
        memcpy(run->env + body->env_state, out, sizeof(double) * n);
    }
}

/* -- poses of bodies for a run whose motion is kept (runtime/trace) ----------
 * A step moves the state by the rows of its blocks; the same rows are the
 * pieces. Mover i of the trace is body i. */

/* How the entry of the state moves in the present step. */
struct way {
    const double *row; /* its coefficients; NULL: it stays */
    int order;         /* of the last one that the step uses */
};
static const char way_key = 0;

static void
note(struct way *way, const double *work, const struct motion_row *rows,
     uint32_t n, int order)
{
    for (uint32_t i = 0; i < n; i++) {
        struct way *to = &way[rows[i].at];
        to->row = work + rows[i].row;
        to->order = order;
    }
}

static void
note_block(const struct rt *run, struct way *way, uint32_t number, int order)
{
    const struct motion_block *moving = motion_block_of(run, number);
    const double *work = run->rows.block[number];
    way += run->motion->place[number].first - run->im->layout.state;
    note(way, work, moving->lines, moving->n_lines, 1);
    note(way, work, moving->parabolas, moving->n_parabolas, 2);
    note(way, work, moving->series, moving->n_series, order);
}

/* Shows the step up to t to who listens, with the state of each time; the state
 * then is as before. Between two looks a force that changes as the pose does
 * strays from a straight line by less than a picture shows. */
#define LOOKS 8
static void
look_ahead(struct rt *run, const struct way *way, int order, double t)
{
    size_t n = rt_state_size(run), first = run->im->layout.state;
    double *state = run->env + first, now = rt_time(run);
    double *kept = NEW_N(run->brief, double, n + 1);
    int looks = persistent_any(run) ? LOOKS : 0;
    if (t < now)
        return; /* a step back: the next one begins there */
    memcpy(kept, state, n * sizeof *kept);
    for (int look = 0; look <= looks; look++) {
        double ahead = (t - now) * look / LOOKS;
        for (size_t i = 0; i < n; i++) {
            state[i] = 0.0;
            for (int k = way[i].row ? way[i].order : 0; k >= 1; k--)
                state[i] = (state[i] + way[i].row[k]) * ahead;
            state[i] += kept[i];
        }
        run->env[run->im->layout.time] = now + ahead;
        motion_prescribed(run);
        trace_step(run->trace, order, ahead);
    }
    run->env[run->im->layout.time] = now;
    memcpy(state, kept, n * sizeof *kept);
}

void
motion_trace(struct rt *run, int order, double t)
{
    assert(run);
    size_t n = rt_state_size(run);
    struct arena *arena;
    struct way *way = rt_keep(run, &way_key, 0, (n + 1) * sizeof *way, &arena);
    uint32_t n_rows = run->im->dim == 2 ? 3 : 7;
    memset(way, 0, n * sizeof *way);
    for (uint32_t block = 0; block < run->im->blocks.n; block++)
        if (motion_block_free(run, block)->tape != IMP_NO_TAPE &&
            motion_block_free(run, block)->system == IMP_NO_SYSTEM)
            note_block(run, way, block, order);
    for (uint32_t i = 0; i < run->im->bodies.n; i++) {
        const imp_body *body = rt_body(run, i);
        double *c = trace_room(run->trace);
        if (body->block == IMP_NO_BLOCK)
            continue;
        for (uint32_t row = 0; row < n_rows; row++, c += order + 1) {
            const struct way *moves =
                &way[body->env_state + row - run->im->layout.state];
            c[0] = run->env[body->env_state + row];
            for (int k = 1; k <= order; k++)
                c[k] = moves->row && k <= moves->order ? moves->row[k] : 0.0;
        }
        trace_piece(run->trace, i, rt_time(run), rt_time(run), t, order);
    }
    look_ahead(run, way, order, t);
}

/* -- the length of a step ----------------------------------------------------
 * Jorba & Zou 2005, sec. 3.2, with the order fixed: the greatest h for which
 * the last two coefficients of every variable stay below MOTION_TRUNCATION of
 * the size of that variable. The size is that of the vector the variable
 * belongs to (a position, a quaternion, a velocity or a spin), so that a
 * component that passes through zero does not stop the motion. Where all
 * coefficients beyond some order vanish, as in free flight in the plane, the
 * series is the motion itself and h is infinite. */

/* The largest last term, as a share of the size of the variable. The terms
 * left out are smaller again by h over the radius of convergence, about 1/5,
 * and together less than half a unit in the last place. Their signs change
 * along the motion. */
#define MOTION_TRUNCATION 4e-16
/* A velocity that dies out is told to its last digits down to this; its
 * coefficients grow by a hundred powers of two at the most before they end in
 * the least numbers that there are. */
#define MOTION_LEAST 0x1p-900

/* A step that is a 20th root needs no more than rough logarithms, and calls of
 * libm took as long as the series. */
static double
rough_exp2(double x)
{
    int n = (int)x - (x < 0.0); /* This is floor(x), or one less. */
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

/* The least of (MOTION_TRUNCATION size / last)^(1/order) and the same for the
 * coefficient before the last. A coefficient of 0 sets no limit. */
static double
root_step(double size, double last, double before, int order)
{
    double least = MOTION_TRUNCATION * fmax(size, MOTION_LEAST),
           by_last = INFINITY, by_before = INFINITY;
    if (!is_normal(least) || (last != 0.0 && !is_normal(last)) ||
        (before != 0.0 && !is_normal(before))) {
        if (last > 0.0)
            by_last = exp((log(least) - log(last)) / order);
        if (before > 0.0)
            by_before = exp((log(least) - log(before)) / (order - 1));
        return fmin(by_last, by_before);
    }
    double l = rough_log2(least);
    if (last > 0.0)
        by_last = (l - rough_log2(last)) / order;
    if (before > 0.0)
        by_before = (l - rough_log2(before)) / (order - 1);
    by_last = by_last < by_before ? by_last : by_before;
    return by_last < 1000.0 && by_last > -1000.0 ? rough_exp2(by_last)
                                                 : exp2(by_last);
}

static inline double
larger(double a, double b)
{
    return a < b ? b : a;
}

/* Returns the greatest |c_k| of a group. */
static inline double
largest(const double *const *row, int k)
{
    return larger(larger(fabs(row[0][k]), fabs(row[1][k])),
                  larger(fabs(row[2][k]), fabs(row[3][k])));
}

/* Returns the greatest |c_k| h^k of a group for k = 1 .. to, and at least s. */
static double
largest_term(const double *const *row, int to, double h, double s)
{
    double hk = h;
    for (int k = 1; k <= to; k++, hk *= h)
        s = larger(s, largest(row, k) * hk);
    return s;
}

/* Returns the step for which the last two coefficients of a group stay below
 * the truncation. */
static double
group_step(const double *const *row, int order)
{
    double last = largest(row, order), before = largest(row, order - 1);
    double size = largest(row, 0), step = INFINITY;
    if (last == 0.0 && before == 0.0)
        return INFINITY;
    /* If the motion starts from rest, the size is what one step gives it; a
     * few rounds settle it. */
    for (int round = 0; round < 4; round++) {
        double grown = size;
        if (isfinite(step)) {
            /* the size stays as it is if the first terms do not change it */
            if (largest_term(row, 3, step, grown) == grown)
                break;
            grown = largest_term(row, order, step, grown);
        }
        /* from rest: the size of the first coefficient that is not 0 */
        for (int k = 1; k < order && grown == 0.0; k++)
            grown = largest(row, k);
        double was = step;
        step = root_step(grown, last, before, order);
        if (fabs(step - was) <= 0.05 * step)
            break;
    }
    return step;
}

static double
power_of(double x, int n)
{
    double power = 1.0;
    for (; n > 0; n >>= 1, x *= x)
        power *= n & 1 ? x : 1.0;
    return power;
}

/* By so much more than the truncation may terms be small, so that rough
 * logarithms of them tell no shorter step. */
#define CLEARLY_LONGER 2.0

/* Is the step of a group longer than one whose powers order - 1 and order are
 * these, for certain? Its size is at least that at the beginning. */
static bool
group_outlasts(const double *const *row, int order, const double power[2])
{
    double least = MOTION_TRUNCATION * largest(row, 0);
    return least > DBL_MIN &&
           CLEARLY_LONGER * largest(row, order - 1) * power[0] < least &&
           CLEARLY_LONGER * largest(row, order) * power[1] < least;
}

/* The same for blocks with closed contacts. The forces leave a body that rests
 * with the rounding errors of the accelerations `push` that they give; these
 * are no motion. So a size counts at least as what these accelerations would
 * make of it in one step. */
static double
held_step(const double *const *row, int order, double push, bool rate)
{
    double last = largest(row, order), before = largest(row, order - 1);
    double size = largest(row, 0), step = 1.0;
    if (last == 0.0 && before == 0.0)
        return INFINITY;
    for (int round = 0; round < 8; round++) {
        double grown = largest_term(row, 4, step, size), was = step;
        grown = larger(grown, push * step * (rate ? 1.0 : 0.5 * step));
        for (int k = 1; k < order && grown == 0.0; k++)
            grown = largest(row, k);
        step = root_step(grown, last, before, order);
        if (fabs(step - was) <= 0.05 * step)
            break;
    }
    return step;
}

/* Does the series of a variable end? It may be a constant or a polynomial: all
 * its higher coefficients are 0 then. */
static bool
row_ends(const double *row, int order)
{
    return row[order] == 0.0 && motion_zeros(row, (order + 1) / 2, order);
}

void
motion_step(const struct rt *run, uint32_t block, int order, double *step)
{
    assert(run);
    const struct motion_block *moving = motion_block_of(run, block);
    const double *work = run->rows.block[block];
    double push[2], power[2] = {INFINITY, INFINITY};
    bool held = persistent_moves(run, block);
    *step = INFINITY;
    if (held) {
        persistent_accelerations(run, block, push);
        *step = persistent_series_hold(run, block);
    }
    for (uint32_t i = 0; i < moving->n_groups; i++) {
        const struct motion_group *group = moving->groups + i;
        const double *row[GROUP_MAX];
        bool ends = true;
        for (uint32_t j = 0; j < GROUP_MAX; j++) {
            row[j] = work + group->row[j];
            ends = ends && (!group->series[j] || row_ends(row[j], order));
        }
        if (ends || (!held && group_outlasts(row, order, power)))
            continue;
        double hg = held ? held_step(row, order, push[group->spin], group->rate)
                         : group_step(row, order);
        if (!(hg < *step))
            continue;
        *step = hg;
        power[0] = power_of(hg, order - 1);
        power[1] = power[0] * hg;
    }
}

double
motion_place_size(const struct rt *run, uint32_t block, uint32_t velocity)
{
    assert(run && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *state = IMP_ARRAY(run->im, at->state, uint32_t),
                   *body = IMP_ARRAY(run->im, at->bodies, uint32_t);
    double size = 0.0;
    if (moving->system != IMP_NO_SYSTEM)
        return fabs(run->env[state[velocity - at->state.n / 2]]);
    if (moving->what[velocity] == MOTION_SPIN)
        return 1.0;
    for (uint32_t b = 0; b < at->bodies.n; b++)
        for (uint32_t d = 0; d < run->im->dim; d++)
            size = fmax(size,
                        fabs(run->env[rt_body(run, body[b])->env_state + d]));
    return size;
}

bool
motion_lacks(const struct rt *run, uint32_t block, const double *rows,
             uint32_t variable, int from, int order)
{
    assert(run && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const double *row =
        rows +
        (size_t)IMP_ARRAY(run->im, at->rows, uint32_t)[variable] *
            IMP_ROW_STRIDE +
        IMP_ROW_PAD;
    if (from <= order && row[order] != 0.0)
        return false;
    bool velocity = moving->system != IMP_NO_SYSTEM
                        ? variable >= at->state.n / 2
                        : moving->what[variable] != MOTION_POSE;
    return velocity && motion_zeros(row, from, order);
}

bool
motion_cut(struct rt *run, uint32_t block, int order)
{
    assert(run && block < run->im->blocks.n);
    const struct motion_block *moving = motion_block_of(run, block);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *row = IMP_ARRAY(run->im, at->rows, uint32_t);
    uint32_t n_rows = rt_tape(run, moving->tape)->n_rows;
    bool finite = true;
    for (uint32_t i = 0; i < n_rows; i++) {
        double *series =
            run->rows.block[block] + (size_t)i * IMP_ROW_STRIDE + IMP_ROW_PAD;
        for (int k = 3; k <= order; k++)
            series[k] = 0.0;
    }
    for (uint32_t i = 0; i < at->state.n; i++) {
        double *series = run->rows.block[block] +
                         (size_t)row[i] * IMP_ROW_STRIDE + IMP_ROW_PAD;
        if (moving->observer                  ? !isfinite(series[2])
            : moving->system != IMP_NO_SYSTEM ? i >= at->state.n / 2
                                              : moving->what[i] != MOTION_POSE)
            series[2] = 0.0;
        finite = finite && isfinite(series[1]) && isfinite(series[2]);
    }
    return finite;
}

/* A force changes within a piece by less than this share of itself, or its rate
 * is that of a power of a speed which begins. */
#define TOLD_CHANGES 0x1p-10

void
motion_cut_joints(struct rt *run, uint32_t block, int order, double length)
{
    assert(run && block < run->im->blocks.n && order >= 1 && length >= 0.0);
    const imp_joint *joint = IMP_ARRAY(run->im, run->im->joints, imp_joint);
    for (uint32_t i = 0; i < run->im->joints.n; i++) {
        if (!(joint[i].flags & IMP_JOINTF_RUBS) || joint[i].block != block)
            continue;
        for (uint32_t k = 0; k < IMP_RUB_ROWS; k++) {
            double *c = run->rows.block[block] + IMP_ROW_PAD +
                        (size_t)joint[i].rows[k] * IMP_ROW_STRIDE;
            int last = k == IMP_RUBROW_RATE ? order : order - 1, made = 1;
            if (k != IMP_RUBROW_RATE &&
                !(fabs(c[1]) * length <= TOLD_CHANGES * fabs(c[0])))
                last = length > 0.0 ? 0 : last;
            while (made <= last && isfinite(c[made]))
                made++;
            for (; made <= IMP_ORDER_MAX; made++)
                c[made] = 0.0;
        }
    }
}

bool
motion_died_out(const struct rt *run, uint32_t block, int order)
{
    assert(run && block < run->im->blocks.n);
    const imp_block *at =
        IMP_ARRAY(run->im, run->im->blocks, imp_block) + block;
    const uint32_t *row = IMP_ARRAY(run->im, at->rows, uint32_t);
    const double *rows = run->rows.block[block];
    double most = 0.0;
    for (uint32_t i = 0; i < at->state.n && most < MOTION_LEAST; i++) {
        bool velocity = motion_lacks(run, block, rows, i, 1, 0);
        for (int k = 0; k <= order && velocity && most < MOTION_LEAST; k++)
            most = fmax(most, fabs(rows[(size_t)row[i] * IMP_ROW_STRIDE +
                                        IMP_ROW_PAD + (size_t)k]));
    }
    return most > 0.0 && most < MOTION_LEAST;
}

double
motion_parabola(const struct rt *run, uint32_t block)
{
    assert(run != NULL && block < run->im->blocks.n);
    return run->motion->parabola[block];
}

bool
motion_by_weight(const struct rt *run)
{
    assert(run != NULL && run->motion != NULL);
    return run->motion->weight;
}
